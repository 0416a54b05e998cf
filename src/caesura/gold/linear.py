"""Boundary voting: one linear segmentation out of many (Passonneau & Litman 1993, Hearst 1997), of texts and of recordings.

Boundaries between units meet exactly. Those of a recording rarely do, so that marks of up to a tolerance behind the first of them are
one place, at the mark in the middle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from caesura.gold.nested import Rule, Threshold, enough
from caesura.gold.result import BoundaryVote, GoldSegmentation, Provenance
from caesura.gold.votes import Embeddedness, check_embeddedness
from caesura.model import Segmentation

__all__ = ["TOLERANCE", "boundary_votes", "meeting_places", "vote_on_boundaries"]

#: Seconds within which coders mean the same boundary of a recording, where nobody says otherwise.
TOLERANCE = 0.02

Type: TypeAlias = str | int | None

_ROUNDING = 1e-9  # seconds that a difference of two times may be off


def meeting_places(marks: Iterable[tuple[float, str]], tolerance: float) -> Iterator[tuple[float, tuple[str, ...]]]:
    """Put marks (time, coder) together by place, left to right; a coder who marked a place twice has one vote.

    >>> list(meeting_places([(1.0, "ann"), (1.015, "ben"), (1.03, "ann")], 0.02))
    [(1.0, ('ann', 'ben')), (1.03, ('ann',))]
    """
    group: list[tuple[float, str]] = []
    for mark in sorted(marks, key=lambda mark: mark[0]):
        if group and mark[0] - group[0][0] > tolerance + _ROUNDING:
            yield _place(group)
            group = []
        group.append(mark)
    if group:
        yield _place(group)


def _place(group: list[tuple[float, str]]) -> tuple[float, tuple[str, ...]]:
    return group[(len(group) - 1) // 2][0], tuple(dict.fromkeys(coder for _, coder in group))


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
    cast: dict[Type, list[tuple[float, str]]] = {}
    for coder, annotation in zip(coders, annotations, strict=True):
        for position, kind in _marks(annotation, embeddedness):
            cast.setdefault(kind, []).append((position, coder))
    reach = tolerance if annotations[0].timed else 0.0
    votes = [
        BoundaryVote(position, kind, voters)
        for kind, marks in cast.items()
        for position, voters in meeting_places(marks, reach)
    ]
    order = {label: i for i, label in enumerate(next((a.labels for a in annotations if a.labels), ()))}
    return sorted(votes, key=lambda vote: (vote.position, order.get(str(vote.type), 0), str(vote.type)))


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
    accepted = tuple(vote for vote in cast if vote.votes >= needed)
    rejected = tuple(vote for vote in cast if vote.votes < needed)
    notes = () if accepted else ("no boundary has enough votes: the gold standard is one segment.",)
    gold = segmentation_of(accepted, annotations)
    return GoldSegmentation.of(gold, Provenance(method, words, tuple(coders), accepted, rejected, notes))


def segmentation_of(accepted: Sequence[BoundaryVote], annotations: Sequence[Segmentation]) -> Segmentation:
    """Put these boundaries into the text or recording that the annotations are of."""
    length = annotations[0].length
    units = next((a.units for a in annotations if a.units is not None), None)
    labels = next((a.labels for a in annotations if a.labels is not None), None)
    positions = [vote.position for vote in accepted]
    if not any(vote.type is not None for vote in accepted):
        return Segmentation(length, positions, units=units)
    codes = [int(vote.type or 0) if labels is None else labels.index(str(vote.type)) for vote in accepted]
    return Segmentation(length, positions, codes, labels, units)
