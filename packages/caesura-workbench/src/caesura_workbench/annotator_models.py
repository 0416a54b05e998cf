"""Models of a project's annotators: what settling a dispute gains, profiles, and whether a system may replace a person.

All functions run in worker processes and read the annotations themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from caesura.annotators import alternative_annotator, fit_annotators
from caesura.annotators.profiles import gain_of_settling
from caesura.display.plain import to_plain
from caesura.errors import CaesuraError
from caesura.model import Annotation, Corpus
from caesura_workbench import rows
from caesura_workbench.disagreement import VotePlace, votes
from caesura_workbench.project_statistics import read_annotations, reading

#: Annotators from which the model can tell who is right; with fewer, votes are taken as probabilities.
_ENOUGH = 3
_AT_ONCE = 500  # items per query
_SLACK = 0.025  # seconds; the model puts boundaries of recordings on a grid of a fifth of its tolerance of 0.05


def _annotations(url: str, numbers: Sequence[int], *roles: str) -> list[Any]:
    coded: list[Any] = []
    with reading(url) as db:
        for start in range(0, len(numbers), _AT_ONCE):
            coded += read_annotations(db, list(numbers[start : start + _AT_ONCE]), *roles)
    return coded


# ---------------------------------------------------------------------- what settling gains


def find_gains(url: str, numbers: Sequence[int], tolerance: float | None) -> dict[tuple[int, int], float]:
    """Return how much settling each disputed place is expected to improve the gold standard.

    Parameters
    ----------
    url : str
        Address of the database.
    numbers : list of int
        The items.
    tolerance : float or None
        Seconds within which marks in recordings are one place; 0.02 if None.

    Returns
    -------
    dict of (int, int) to float
        (item, index among the item's places) -> expected gain of the self-assessed F of the gold standard, by the model of the annotators
        (:func:`caesura.annotators.fit_annotators`) where three or more annotated; else, and for types and names, with the share of votes as the
        probability (:func:`caesura.annotators.profiles.gain_of_settling`).
    """
    by_item: dict[int, list[Annotation]] = {}
    sorts: dict[str, list[Annotation]] = {}
    for each in _annotations(url, numbers, "coder"):
        by_item.setdefault(each.item, []).append(each.annotation)
        sorts.setdefault(each.sort, []).append(each.annotation)
    modelled: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for coded in sorts.values():
        for item, track, position, gain in _model_gains(coded):
            modelled.setdefault((item, track), []).append((position, gain))
    places = {item: votes(coded, tolerance=tolerance) for item, coded in by_item.items() if len(coded) > 1}
    return {(item, index): gain for item, listed in places.items() for index, gain in gains_of_places(listed, modelled)}


def _model_gains(coded: Sequence[Annotation]) -> list[tuple[str, str, float, float]]:
    """Return item, track, position and gain of the places that the model lists; none if it cannot be fitted."""
    corpus = Corpus.from_annotations(rows.with_shared_labels(list(coded)))
    if len(corpus.coders) < _ENOUGH:
        return []
    try:
        listed = fit_annotators(corpus, intervals=None).disputes()
    except CaesuraError:  # too little in common, or too long
        return []
    return [(each.item, each.track, each.position, each.gain) for each in listed]


def gains_of_places(
    places: Sequence[VotePlace], modelled: dict[tuple[str, str], list[tuple[float, float]]]
) -> Iterable[tuple[int, float]]:
    """Return the index and gain of every disputed place: the model's at the same place, or by the share of votes."""
    shares = [max(len(place.own), len(place.absent)) / place.coders for place in places]
    size = sum(len(place.own) * 2 >= place.coders for place in places)
    everything = sum(len(place.own) / place.coders for place in places)
    hits = sum(share for share, place in zip(shares, places, strict=True) if len(place.own) * 2 >= place.coders)
    for index, place in enumerate(places):
        if place.dispute <= 0:
            continue
        known = [] if place.named or not place.absent else modelled.get((place.item, place.track), [])
        start = place.position if place.first is None else place.first
        slack = _SLACK if isinstance(place.position, float) else 0.0
        near = [gain for at, gain in known if min(abs(at - start), abs(at - place.position)) <= slack]
        yield index, max(near) if near else _gain_by_votes(place, hits, size, everything)


def _gain_by_votes(place: VotePlace, hits: float, size: float, everything: float) -> float:
    """Return the gain of settling one place if the share of votes is the probability of its mark, type or name."""
    most = max((len(choice.voters) for choice in place.choices), default=0) / place.coders
    marked = len(place.own) / place.coders
    in_gold = marked >= 0.5
    return gain_of_settling(
        hits, size, everything, probability=most if in_gold else marked, nearby=marked, in_gold=in_gold
    )


# ---------------------------------------------------------------------- profiles and candidates


def profile_annotators(url: str, numbers: Sequence[int], sort: str) -> dict[str, Any]:
    """Describe every annotator, and test whether uploaded systems may replace one.

    Parameters
    ----------
    url : str
        Address of the database.
    numbers : list of int
        The items.
    sort : str
        The sort of annotation, as "units" or "typed time".

    Returns
    -------
    dict
        ``profiles``: one per annotator, as in :meth:`caesura.annotators.AnnotatorProfile.as_dict`; ``expected_f``, ``warnings``, ``dependences`` and
        ``signature`` of the model, or ``why`` if it cannot be fitted. ``candidates``: the alternative annotator test of every system
        (:func:`caesura.annotators.alternative_annotator`), or ``why`` it cannot be made.
    """
    coded = [each for each in _annotations(url, numbers, "coder", "system") if each.sort == sort]
    people = rows.with_shared_labels([each.annotation for each in coded if each.role == "coder"])
    answer: dict[str, Any] = {"sort": sort, "profiles": [], "warnings": [], "dependences": [], "why": ""}
    try:
        if len({each.coder for each in people}) < _ENOUGH:
            raise CaesuraError("profiles need three annotators who worked on the same items.")
        model = fit_annotators(Corpus.from_annotations(people))
        answer |= {
            "profiles": [{"name": name, **profile.as_dict()} for name, profile in model.annotators.items()],
            "expected_f": to_plain(model.expected_f),
            "warnings": list(model.warnings),
            "dependences": [
                {"first": each.first, "second": each.second, "observed": each.observed, "expected": each.expected}
                for each in model.dependences
                if each.flagged
            ],
            "signature": model.signature,
        }
    except CaesuraError as error:
        answer["why"] = str(error)
    systems = sorted({each.annotation.coder for each in coded if each.role == "system"})
    answer["candidates"] = [_candidate(coded, people, system) for system in systems]
    return answer


def _candidate(coded: Sequence[Any], people: Sequence[Annotation], system: str) -> dict[str, Any]:
    theirs = [each.annotation for each in coded if each.role == "system" and each.annotation.coder == system]
    tested = {each.item for each in theirs}
    shared = rows.with_shared_labels([*(each for each in people if each.item in tested), *theirs])
    try:
        return {"name": system, **alternative_annotator(Corpus.from_annotations(shared), system).as_dict()}
    except CaesuraError as error:
        return {"name": system, "why": str(error)}
