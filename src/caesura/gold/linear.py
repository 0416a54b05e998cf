"""Boundary voting: one linear segmentation out of many (Passonneau & Litman 1993, Hearst 1997), of texts and of recordings.

Boundaries between units meet exactly. Those of a recording rarely do, so that marks of up to a tolerance behind the first of them are
one place, at the mark in the middle.

Types are voted on after places: a place with enough votes stands, whatever its types. Its types are those with enough votes; where none
has, the one with most; where two or more tie for that, the type is open: the first of them on the scale stands in, and the provenance
lists the place for somebody to decide.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from math import inf
from operator import itemgetter
from typing import TypeAlias, TypeVar

from caesura.gold.gold_standard import BoundaryVote, GoldSegmentation, OpenType, Provenance
from caesura.gold.nested_votes import Rule, Threshold, enough
from caesura.metrics.nested import Embeddedness, check_embeddedness
from caesura.model import Segmentation

#: Seconds within which coders mean the same boundary of a recording, where nobody says otherwise.
TOLERANCE = 0.02

Type: TypeAlias = str | int | None

Item = TypeVar("Item")

_LISTED = 12  # places that a note spells out before it counts the rest
_ROUNDING = 1e-9  # seconds that a difference of two times may be off


def places_of(marks: Iterable[tuple[float, Item]], tolerance: float) -> list[tuple[float, list[Item]]]:
    """Put marks (time, anything) together by place, left to right: where each place is, and what was marked there.

    >>> places_of([(1.0, "ann"), (1.015, "ben"), (1.03, "ann")], 0.02)
    [(1.0, ['ann', 'ben']), (1.03, ['ann'])]
    """
    ordered = sorted(marks, key=itemgetter(0))
    times, items = [position for position, _ in ordered], [item for _, item in ordered]
    starts = group_times(times, tolerance)
    ends = [*starts[1:], len(times)]
    return [(times[(start + end - 1) // 2], items[start:end]) for start, end in zip(starts, ends, strict=False)]


def group_times(ordered: Sequence[float], tolerance: float) -> list[int]:
    """Where places begin in a list of times in order: at the first mark, and at each that lies more than the tolerance behind a place's first.

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
    """List every boundary that anybody has with its voters, left to right.

    "full" tells boundaries of two types apart, "flat" sees the position alone (and no closing boundary). The tolerance, in
    seconds, is that of recordings.

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
        BoundaryVote(position, kind, tuple(dict.fromkeys(voters) if timed else voters))  # one vote for two near marks
        for kind, marks in by_type.items()
        for position, voters in places_of(marks, tolerance if timed else 0.0)
    ]
    if len(by_type) < 2:
        return votes  # in order already
    rank = _scale(annotations)
    return sorted(votes, key=lambda vote: (vote.position, rank(vote)))


def _scale(annotations: Sequence[Segmentation]) -> Callable[[BoundaryVote], tuple[int, str]]:
    """Where the type of a vote stands on the ordinal scale."""
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
    rule: Rule | None = None,
    tolerance: float = TOLERANCE,
) -> GoldSegmentation:
    """Keep the boundaries that enough coders have: all of them (consensus), a share (majority), or one (union)."""
    number = len(coders)
    least = {"consensus": (number, f"all {number} coders"), "union": (1, "any coder")}
    needed, words = least[method] if method in least else enough(threshold, rule, number)
    if annotations[0].timed:
        words += f", within {tolerance:g} s"
    cast = boundary_votes(coders, annotations, embeddedness, tolerance)
    accepted = [vote for vote in cast if len(vote.voters) >= needed]
    rejected = [vote for vote in cast if len(vote.voters) < needed]
    settled: list[list[BoundaryVote]] = []
    if rejected and embeddedness == "full" and any(annotation.typed for annotation in annotations):
        reach = tolerance if annotations[0].timed else 0.0
        marks = [
            (position, (kind, coder))
            for coder, annotation in zip(coders, annotations, strict=True)
            for position, kind in _marks(annotation, embeddedness)
        ]
        settled = list(_won_without_a_type(places_of(marks, reach), accepted, needed, reach, _scale(annotations)))
        in_place = _by_type([vote for votes in settled for vote in votes])
        rejected = [vote for vote in rejected if not _is_near(vote.position, in_place.get(vote.type, []), reach)]
        accepted = sorted([*accepted, *(winner for winner, *_ in settled)], key=itemgetter(0))
        rejected = sorted([*rejected, *(vote for _, *others in settled for vote in others)], key=itemgetter(0))
    ties = [[vote for vote in votes if vote.votes == votes[0].votes] for votes in settled]
    undecided = tuple(OpenType(tied[0].position, tuple(tied)) for tied in ties if len(tied) > 1)
    by_most = [tied[0] for tied in ties if len(tied) == 1]
    gold = segmentation_of(accepted, annotations)
    notes = tuple(_notes(accepted, by_most, undecided))
    known = Provenance(method, words, tuple(coders), tuple(accepted), tuple(rejected), notes, open=undecided)
    return GoldSegmentation.of(gold, known)


def _won_without_a_type(
    places: Iterable[tuple[float, list[tuple[Type, str]]]],
    accepted: Sequence[BoundaryVote],
    needed: int,
    reach: float,
    rank: Callable[[BoundaryVote], tuple[int, str]],
) -> Iterator[list[BoundaryVote]]:
    """Yield the votes at every place that enough coders marked though no one type has enough: most votes first, then by the scale."""
    taken = [vote.position for vote in accepted]
    for position, marks in places:
        if len({coder for _, coder in marks}) < needed or _is_near(position, taken, reach):
            continue
        voters: dict[Type, dict[str, None]] = {}
        for kind, coder in marks:
            voters.setdefault(kind, {})[coder] = None
        votes = [BoundaryVote(position, kind, tuple(who)) for kind, who in voters.items()]
        yield sorted(votes, key=lambda vote: (-vote.votes, rank(vote)))


def _by_type(votes: Sequence[BoundaryVote]) -> dict[Type, list[float]]:
    positions: dict[Type, list[float]] = {}
    for vote in votes:
        positions.setdefault(vote.type, []).append(vote.position)
    return positions


def _is_near(position: float, ascending: Sequence[float], reach: float) -> bool:
    """Whether one of these positions lies within reach."""
    after = bisect_left(ascending, position - reach - _ROUNDING)
    return after < len(ascending) and ascending[after] <= position + reach + _ROUNDING


def _notes(
    accepted: Sequence[BoundaryVote], by_most: Sequence[BoundaryVote], undecided: Sequence[OpenType]
) -> Iterator[str]:
    if not accepted:
        yield "no boundary has enough votes: the gold standard is one segment."
    if by_most:
        yield f"no type has enough votes, the one with most is taken: {_listing(by_most)}."
    if undecided:
        yield f"the type is open, the first of those that tie stands in: {_listing(undecided)}."


def _listing(places: Sequence[BoundaryVote | OpenType]) -> str:
    more = f"; and {len(places) - _LISTED} more" if len(places) > _LISTED else ""
    return "; ".join(map(str, places[:_LISTED])) + more


def segmentation_of(accepted: Sequence[BoundaryVote], annotations: Sequence[Segmentation]) -> Segmentation:
    """Put these boundaries into the text or recording that the annotations are of."""
    length = annotations[0].length
    units = next((a.units for a in annotations if a.units is not None), None)
    labels = next((a.labels for a in annotations if a.labels is not None), None)
    positions = [vote.position for vote in accepted]
    if not any(vote.type is not None for vote in accepted):
        return name_segments(Segmentation(length, positions, units=units), annotations)
    codes = [int(vote.type or 0) if labels is None else labels.index(str(vote.type)) for vote in accepted]
    return name_segments(Segmentation(length, positions, codes, labels, units), annotations)


def name_segments(gold: Segmentation, annotations: Sequence[Segmentation]) -> Segmentation:
    """Call every segment what most coders call the greatest part of it; where they tie, the name that covers more, then the earlier coder's."""
    named = [(annotation, _edges(annotation)) for annotation in annotations if annotation.names is not None]
    if not named:
        return gold
    names = []
    for start, stop in pairwise(_edges(gold)):
        calls: Counter[str] = Counter()
        covered: defaultdict[str, float] = defaultdict(float)
        for annotation, edges in named:
            part, extent = _greatest_part(edges, start, stop)
            name = (annotation.names or ())[part]
            calls[name] += 1
            covered[name] += extent
        names.append(max(calls, key=lambda name: (calls[name], round(covered[name], 9))))
    return Segmentation(gold.length, gold.positions, gold.types, gold.labels, gold.units, names)


def _edges(annotation: Segmentation) -> list[float]:
    return [0, *annotation._cuts().tolist(), annotation.length]


def _greatest_part(edges: Sequence[float], start: float, stop: float) -> tuple[int, float]:
    """Which segment between these edges covers most of a stretch, and how much of it."""
    first, last = bisect_right(edges, start) - 1, max(bisect_left(edges, stop), 1)
    parts = [min(stop, edges[i + 1]) - max(start, edges[i]) for i in range(first, min(last, len(edges) - 1))]
    return (first + parts.index(max(parts)), max(parts)) if parts else (len(edges) - 2, 0.0)
