"""The items on which annotators agree least: how many annotate them, how much is disputed, and what most of it is due to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from caesura.gold.linear import TOLERANCE
from caesura.model import Annotation, Segmentation
from caesura_workbench.disagreement import VotePlace, votes
from caesura_workbench.project_state import ItemEntry
from caesura_workbench.project_statistics import DISPUTE_KINDS, dispute_kind, read_annotations, reading

#: How many items are described.
LOWEST = 10

#: Two boundaries of different annotators are a near miss if they are one unit apart, or in recordings up to five times the tolerance.
_NEAR_UNITS, _NEAR_TOLERANCES = 1, 5

Cause = tuple[str, tuple[str, ...]]


Wanted = tuple[str, tuple[int, ...], tuple[int, ...]]  # name of an item, ids of its tracks, their last changes


def lowest_items(scores: Mapping[str, float | None], entries: Iterable[ItemEntry]) -> list[Wanted]:
    """Return the items with the lowest scores, the lowest first."""
    known = sorted((score, name) for name, score in scores.items() if score is not None)[:LOWEST]
    tracks: dict[str, list[ItemEntry]] = {name: [] for _, name in known}
    for entry in entries:
        if entry.name in tracks:
            tracks[entry.name].append(entry)
    return [
        (name, tuple(entry.id for entry in listed), tuple(entry.stamp for entry in listed))
        for name, listed in tracks.items()
        if listed
    ]


def describe_lowest(url: str, wanted: list[Wanted], sort: str) -> list[dict[str, Any]]:
    """Count annotators and disputes of items, and name the cause of most disputes; runs in a worker process."""
    described = []
    with reading(url) as db:
        for name, numbers, _ in wanted:
            coded = [each.annotation for each in read_annotations(db, list(numbers), "coder") if each.sort == sort]
            disputed = [place for place in votes(coded) if place.dispute > 0]
            described.append(
                {
                    "id": numbers[0],
                    "name": name,
                    "coders": len({each.coder for each in coded}),
                    "disputes": len(disputed),
                    "cause": largest_cause(coded, disputed),
                }
            )
    return described


def largest_cause(coded: Sequence[Annotation], disputed: Sequence[VotePlace]) -> dict[str, Any] | None:
    """Return what most of the disputed places of an item are due to, and how many; None where nothing is disputed."""
    near = _near_misses(coded, disputed)
    counted = Counter[Cause](_cause(place, index in near) for index, place in enumerate(disputed))
    if not counted:
        return None
    (cause, about), count = min(counted.items(), key=lambda each: (-each[1], each[0]))
    return {"cause": cause, "about": list(about), "disputes": count}


def _cause(place: VotePlace, near: bool) -> Cause:
    kind = DISPUTE_KINDS[dispute_kind(place)]
    if kind == "name":
        return "name", ()
    if kind == "type":
        most = sorted(place.types, key=lambda each: (-len(place.types[each]), str(each)))[:2]
        return "type", tuple(sorted(map(str, most)))
    if not place.absent:
        return "extent", ()
    if near:
        return "near", ()
    if len(place.voters) == 1:
        return "only", place.voters
    return ("without", place.absent) if len(place.absent) == 1 else ("some", ())


def _near_misses(coded: Sequence[Annotation], disputed: Sequence[VotePlace]) -> set[int]:
    """Return the indices of disputed boundaries next to a boundary of other annotators, who have only one of the two."""
    if not coded or not isinstance(coded[0].marks, Segmentation):
        return set()
    reach = _NEAR_TOLERANCES * TOLERANCE if coded[0].marks.timed else _NEAR_UNITS
    places = [n for n, place in enumerate(disputed) if DISPUTE_KINDS[dispute_kind(place)] == "place"]
    near: set[int] = set()
    for one, other in pairwise(places):
        first, second = disputed[one], disputed[other]
        apart = second.position - first.position
        if first.track == second.track and 0 < apart <= reach and not set(first.voters) & set(second.voters):
            near |= {one, other}
    return near
