"""Votes on boundaries: one linear segmentation from many (Passonneau & Litman 1993, Hearst 1997).

Boundaries of texts are equal or not. Boundaries of recordings are grouped: all marks within a tolerance of the first one are one
place, at the mark in the middle.

Positions are decided before types: a place with enough votes is kept, whatever its types. It gets the types with enough votes;
without any, the type with most votes. If several types tie, the first of them on the scale is used, and the provenance lists the
place as open.

Utterance labels (Hirschberg & Nakatani 1996): a coder calls an utterance *initial* if a segment begins with it, *final* if one ends
with it (it may be both), and *medial* otherwise. A label is kept if enough coders agree on it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from operator import itemgetter
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.gold.gold_standard import BoundaryVote, GoldSegmentation, OpenType, Provenance
from caesura.gold.nested_votes import Threshold, ThresholdRule, votes_needed
from caesura.metrics.nested import Embeddedness, check_embeddedness
from caesura.model import Hierarchy, Segmentation

#: The default tolerance: marks of recordings within this many seconds are the same boundary.
TOLERANCE = 0.02

Type: TypeAlias = str | int | None

Item = TypeVar("Item")

_MAX_LISTED = 12  # places listed in a note; the others are counted
_ROUNDING = 1e-9  # allowed rounding error of a difference of times, in seconds


def group_marks(marks: Iterable[tuple[float, Item]], tolerance: float) -> list[tuple[float, list[Item]]]:
    """Group marks (time, item) into places, from left to right: the time of each place, and its items.

    >>> group_marks([(1.0, "ann"), (1.015, "ben"), (1.03, "ann")], 0.02)
    [(1.0, ['ann', 'ben']), (1.03, ['ann'])]
    """
    ordered = sorted(marks, key=itemgetter(0))
    times, items = [position for position, _ in ordered], [item for _, item in ordered]
    starts = group_times(times, tolerance)
    ends = [*starts[1:], len(times)]
    return [(times[(start + end - 1) // 2], items[start:end]) for start, end in zip(starts, ends, strict=False)]


def group_times(ordered: Sequence[float], tolerance: float) -> list[int]:
    """Return the indices at which places start in sorted times: a mark more than the tolerance after the first of a place.

    >>> group_times([1.0, 1.015, 1.03], 0.02)
    [0, 2]
    """
    starts, first, reach = [], -inf, tolerance + _ROUNDING
    for index, position in enumerate(ordered):
        if position - first > reach:
            starts.append(index)
            first = position
    return starts


def boundary_votes(
    coders: Sequence[str],
    annotations: Sequence[Segmentation],
    embeddedness: Embeddedness = "full",
    tolerance: float = TOLERANCE,
) -> list[BoundaryVote]:
    """List every boundary that anyone has with its voters, from left to right.

    With "full", boundaries of different types are different; with "flat", only positions count (and no closing boundary). The
    tolerance, in seconds, is used for recordings.

    >>> [v.voters for v in boundary_votes(["ann", "ben"], [Segmentation.from_masses([2, 3]), Segmentation.from_masses([2, 1, 2])])]
    [('ann', 'ben'), ('ben',)]
    """
    check_embeddedness(embeddedness)
    timed = annotations[0].timed
    by_type: defaultdict[Type, list[tuple[float, str]]] = defaultdict(list)
    for coder, annotation in zip(coders, annotations, strict=True):
        for position, kind in _marks(annotation, embeddedness):
            by_type[kind].append((position, coder))
    votes = [
        BoundaryVote(position, kind, tuple(voters))
        for kind, marks in by_type.items()
        for position, voters in (_group_by_time(marks, tolerance) if timed else _group_by_unit(marks))
    ]
    if len(by_type) < 2:
        return votes  # sorted already
    rank = _type_order(annotations)
    return sorted(votes, key=lambda vote: (vote.position, rank(vote)))


def _group_by_time(marks: Iterable[tuple[float, str]], tolerance: float) -> Iterator[tuple[float, Iterable[str]]]:
    """Yield places with their voters; two near marks of a coder are one vote."""
    for position, voters in group_marks(marks, tolerance):
        yield position, dict.fromkeys(voters)


def _group_by_unit(marks: Iterable[tuple[float, str]]) -> Iterable[tuple[float, Iterable[str]]]:
    """Return positions with their voters, from left to right."""
    voters: defaultdict[float, list[str]] = defaultdict(list)
    for position, coder in marks:
        voters[position].append(coder)
    return sorted(voters.items(), key=itemgetter(0))


def _type_order(annotations: Sequence[Segmentation]) -> Callable[[BoundaryVote], tuple[int, str]]:
    """Return a sort key: the rank of a vote's type on the ordinal scale."""
    order = {label: i for i, label in enumerate(next((a.labels for a in annotations if a.labels), ()))}
    return lambda vote: (vote.type if isinstance(vote.type, int) else order.get(str(vote.type), 0), str(vote.type))


def _marks(annotation: Segmentation, embeddedness: Embeddedness) -> list[tuple[float, Type]]:
    if annotation.typed and embeddedness == "full":
        return list(annotation.marks)
    return [(p, None) for p in dict.fromkeys(annotation.positions.tolist()) if p < annotation.length]


def vote_on_boundaries(
    coders: Sequence[str],
    annotations: Sequence[Segmentation],
    embeddedness: Embeddedness = "full",
    *,
    method: str = "majority",
    threshold: Threshold | None = None,
    rule: ThresholdRule | None = None,
    tolerance: float = TOLERANCE,
) -> GoldSegmentation:
    """Keep the boundaries that all coders (consensus), a share of them (majority), or any coder (union) have."""
    number = len(coders)
    least = {"consensus": (number, f"all {number} coders"), "union": (1, "any coder")}
    needed, words = least[method] if method in least else votes_needed(threshold, rule, number)
    if annotations[0].timed:
        words += f", within {tolerance:g} s"
    cast = boundary_votes(coders, annotations, embeddedness, tolerance)
    accepted: list[BoundaryVote] = []
    rejected: list[BoundaryVote] = []
    for vote in cast:
        (accepted if len(vote.voters) >= needed else rejected).append(vote)
    settled: list[list[BoundaryVote]] = []
    if rejected and embeddedness == "full" and any(annotation.typed for annotation in annotations):
        reach = tolerance if annotations[0].timed else 0.0
        marks = [
            (position, (kind, coder))
            for coder, annotation in zip(coders, annotations, strict=True)
            for position, kind in _marks(annotation, embeddedness)
        ]
        settled = list(
            _places_without_winner(group_marks(marks, reach), accepted, needed, reach, _type_order(annotations))
        )
        in_place = _positions_by_type([vote for votes in settled for vote in votes])
        rejected = [vote for vote in rejected if not _is_near(vote.position, in_place.get(vote.type, []), reach)]
        accepted = sorted([*accepted, *(winner for winner, *_ in settled)], key=itemgetter(0))
        rejected = sorted([*rejected, *(vote for _, *others in settled for vote in others)], key=itemgetter(0))
    ties = [[vote for vote in votes if vote.votes == votes[0].votes] for votes in settled]
    undecided = tuple(OpenType(tied[0].position, tuple(tied)) for tied in ties if len(tied) > 1)
    by_most = [tied[0] for tied in ties if len(tied) == 1]
    gold = segmentation_from_votes(accepted, annotations)
    notes = tuple(_vote_notes(accepted, by_most, undecided))
    known = Provenance(method, words, tuple(coders), tuple(accepted), tuple(rejected), notes, open=undecided)
    return GoldSegmentation.of(gold, known)


def _places_without_winner(
    places: Iterable[tuple[float, list[tuple[Type, str]]]],
    accepted: Sequence[BoundaryVote],
    needed: int,
    reach: float,
    rank: Callable[[BoundaryVote], tuple[int, str]],
) -> Iterator[list[BoundaryVote]]:
    """Yield the votes at places with enough voters but no type with enough votes: most votes first, then by the scale."""
    taken = [vote.position for vote in accepted]
    for position, marks in places:
        if len({coder for _, coder in marks}) < needed or _is_near(position, taken, reach):
            continue
        voters: dict[Type, dict[str, None]] = {}
        for kind, coder in marks:
            voters.setdefault(kind, {})[coder] = None
        votes = [BoundaryVote(position, kind, tuple(who)) for kind, who in voters.items()]
        yield sorted(votes, key=lambda vote: (-vote.votes, rank(vote)))


def _positions_by_type(votes: Sequence[BoundaryVote]) -> dict[Type, list[float]]:
    positions: dict[Type, list[float]] = {}
    for vote in votes:
        positions.setdefault(vote.type, []).append(vote.position)
    return positions


def _is_near(position: float, ascending: Sequence[float], reach: float) -> bool:
    """Whether one of these sorted positions is within reach."""
    after = bisect_left(ascending, position - reach - _ROUNDING)
    return after < len(ascending) and ascending[after] <= position + reach + _ROUNDING


def _vote_notes(
    accepted: Sequence[BoundaryVote], by_most: Sequence[BoundaryVote], undecided: Sequence[OpenType]
) -> Iterator[str]:
    if not accepted:
        yield "no boundary has enough votes: the gold standard is one segment."
    if by_most:
        yield f"no type has enough votes; the one with most is used: {_list_places(by_most)}."
    if undecided:
        yield f"types tie; the first is used: {_list_places(undecided)}."


def _list_places(places: Sequence[BoundaryVote | OpenType]) -> str:
    more = f"; and {len(places) - _MAX_LISTED} more" if len(places) > _MAX_LISTED else ""
    return "; ".join(map(str, places[:_MAX_LISTED])) + more


def segmentation_from_votes(accepted: Sequence[BoundaryVote], annotations: Sequence[Segmentation]) -> Segmentation:
    """Make a segmentation of the annotated text or recording with these boundaries."""
    length = annotations[0].length
    units = next((a.units for a in annotations if a.units is not None), None)
    labels = next((a.labels for a in annotations if a.labels is not None), None)
    positions = [vote.position for vote in accepted]
    if not any(vote.type is not None for vote in accepted):
        return name_segments(Segmentation(length, positions, units=units), annotations)
    codes = [int(vote.type or 0) if labels is None else labels.index(str(vote.type)) for vote in accepted]
    return name_segments(Segmentation(length, positions, codes, labels, units), annotations)


def name_segments(gold: Segmentation, annotations: Sequence[Segmentation]) -> Segmentation:
    """Name every segment by majority.

    Each coder votes for the name of the segment that overlaps most; ties go to the name with the larger overlap, then to the
    earlier coder.
    """
    named = [(annotation, _edges(annotation)) for annotation in annotations if annotation.names is not None]
    if not named:
        return gold
    names = []
    for start, stop in pairwise(_edges(gold)):
        calls: Counter[str] = Counter()
        covered: defaultdict[str, float] = defaultdict(float)
        for annotation, edges in named:
            part, extent = _largest_overlap(edges, start, stop)
            name = (annotation.names or ())[part]
            calls[name] += 1
            covered[name] += extent
        names.append(max(calls, key=lambda name: (calls[name], round(covered[name], 9))))
    return Segmentation(gold.length, gold.positions, gold.types, gold.labels, gold.units, names)


def _edges(annotation: Segmentation) -> list[float]:
    return [0, *annotation._cuts().tolist(), annotation.length]


def _largest_overlap(edges: Sequence[float], start: float, stop: float) -> tuple[int, float]:
    """Return the segment between these edges that overlaps most with an interval, and the overlap."""
    first, last = bisect_right(edges, start) - 1, max(bisect_left(edges, stop), 1)
    parts = [min(stop, edges[i + 1]) - max(start, edges[i]) for i in range(first, min(last, len(edges) - 1))]
    return (first + parts.index(max(parts)), max(parts)) if parts else (len(edges) - 2, 0.0)


# ---------------------------------------------------------------------- labels of utterances

#: The labels, in the order of the columns of votes.
LABELS = ("initial", "medial", "final")


@dataclass(frozen=True)
class UtteranceLabels:
    """The votes for labels: one row per utterance, one column per label.

    Attributes
    ----------
    coders : tuple of str
        The annotators.
    rule : str
        The rule in words.
    needed : int
        The number of votes that a label needs.
    votes : ndarray of int
        The votes.
    """

    coders: tuple[str, ...]
    rule: str
    needed: int
    votes: NDArray[np.int64]

    @property
    def labels(self) -> list[tuple[str, ...]]:
        """The agreed labels of every utterance: none, one, or both initial and final."""
        agreed: list[list[bool]] = (self.votes >= self.needed).tolist()
        return [tuple(label for label, yes in zip(LABELS, row, strict=True) if yes) for row in agreed]

    @property
    def share_agreed(self) -> float:
        """The proportion of utterances with a label; 1 without utterances."""
        return float((self.votes >= self.needed).any(axis=1).mean()) if len(self.votes) else 1.0

    @property
    def boundaries(self) -> list[int]:
        """The ends of segments: after a final, or before an initial utterance."""
        initial, _, final = (self.votes >= self.needed).T
        return (np.flatnonzero(final[:-1] | initial[1:]) + 1).tolist() if len(self.votes) else []


def label_utterances(
    coders: Sequence[str],
    annotations: Sequence[Hierarchy] | Sequence[Segmentation],
    *,
    consensus: bool = False,
    threshold: Threshold | None = None,
    rule: ThresholdRule | None = None,
) -> UtteranceLabels:
    """Label the utterances of one text by consensus or by majority.

    Parameters
    ----------
    coders : sequence of str
        The annotators.
    annotations : sequence of Hierarchy or Segmentation
        Their annotations, in the same order.
    consensus : bool, default False
        Whether all coders must agree.
    threshold : float or str, default None
        The share of coders that must agree; by default more than half.
    rule : {">", ">="}, default None
        Whether the threshold must be exceeded or reached.

    Returns
    -------
    UtteranceLabels
        The labels and their votes.

    Examples
    --------
    >>> two = [Hierarchy.from_brackets("[[a b] [c]]"), Hierarchy.from_brackets("[a] [b c]")]
    >>> label_utterances(["ann", "ben"], two, consensus=True).labels
    [('initial',), (), ('final',)]
    """
    if any(isinstance(annotation, Segmentation) and annotation.timed for annotation in annotations):
        raise CaesuraError("recordings have no utterances to label: their boundaries are in seconds.")
    number = len(coders)
    needed, words = (number, f"all {number} coders") if consensus else votes_needed(threshold, rule, number)
    votes = np.zeros((int(annotations[0].length), 3), np.int64)
    for annotation in annotations:
        begins, ends = np.zeros(len(votes), bool), np.zeros(len(votes), bool)
        if isinstance(annotation, Hierarchy):
            begins[annotation.segments[:, 0] - 1] = True
            ends[annotation.segments[:, 1] - 1] = True
        elif len(votes):
            cuts = np.array([first for first, _ in annotation.spans], dtype=np.int64)
            begins[cuts - 1] = True
            ends[cuts[1:] - 2] = True
            ends[-1] = True
        votes += np.stack((begins, ~begins & ~ends, ends), axis=1)
    return UtteranceLabels(tuple(coders), words, needed, votes)
