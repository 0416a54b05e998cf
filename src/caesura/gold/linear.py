"""Boundary voting: one linear segmentation out of many (Passonneau & Litman 1993, Hearst 1997)."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.errors import CaesuraError
from caesura.gold.nested import Rule, Threshold, enough
from caesura.gold.result import BoundaryVote, GoldSegmentation, Provenance
from caesura.gold.votes import Embeddedness, check_embeddedness
from caesura.model import Segmentation

__all__ = ["boundary_votes", "vote_on_boundaries"]


def boundary_votes(
    coders: Sequence[str], annotations: Sequence[Segmentation], embeddedness: Embeddedness = "full"
) -> list[BoundaryVote]:
    """List every boundary that anybody has with its voters, left to right.

    "full" tells boundaries of two types apart, "flat" sees the position alone (and no closing boundary).

    >>> [v.voters for v in boundary_votes(["ann", "ben"], [Segmentation.from_masses([2, 3]), Segmentation.from_masses([2, 1, 2])])]
    [('ann', 'ben'), ('ben',)]
    """
    check_embeddedness(embeddedness)
    found: dict[tuple[float, str | int | None], list[str]] = {}
    for coder, made in zip(coders, annotations, strict=True):
        if made.timed:
            raise CaesuraError(
                "boundaries in seconds rarely meet, so votes on them mean nothing; use the method best-annotator."
            )
        marks: list[tuple[float, str | int | None]] = (
            list(made.marks)
            if made.typed and embeddedness == "full"
            else [(p, None) for p in dict.fromkeys(made.positions.tolist()) if p < made.length]
        )
        for mark in marks:
            found.setdefault(mark, []).append(coder)
    order = {label: i for i, label in enumerate(next((m.labels for m in annotations if m.labels), ()))}
    listed = sorted(found.items(), key=lambda entry: (entry[0][0], order.get(str(entry[0][1]), 0), str(entry[0][1])))
    return [BoundaryVote(position, kind, tuple(voters)) for (position, kind), voters in listed]


def vote_on_boundaries(
    coders: Sequence[str],
    annotations: Sequence[Segmentation],
    embeddedness: Embeddedness = "full",
    *,
    method: str = "majority",
    threshold: Threshold | None = None,
    rule: Rule | None = None,
) -> GoldSegmentation:
    """Keep the boundaries that enough coders have: all of them (consensus) or a share (majority)."""
    number = len(coders)
    votes, words = (number, f"all {number} coders") if method == "consensus" else enough(threshold, rule, number)
    cast = boundary_votes(coders, annotations, embeddedness)
    accepted = tuple(v for v in cast if v.votes >= votes)
    rejected = tuple(v for v in cast if v.votes < votes)
    notes = () if accepted else ("no boundary has enough votes: the gold standard is one segment.",)
    made = segmentation_of(accepted, annotations)
    return GoldSegmentation.of(made, Provenance(method, words, tuple(coders), accepted, rejected, notes))


def segmentation_of(accepted: Sequence[BoundaryVote], annotations: Sequence[Segmentation]) -> Segmentation:
    """Put these boundaries into the text the annotations are of."""
    length = int(annotations[0].length)
    units = next((made.units for made in annotations if made.units is not None), None)
    labels = next((made.labels for made in annotations if made.labels is not None), None)
    if any(v.type is not None for v in accepted):
        marks = [(int(v.position), v.type) for v in accepted]
        return Segmentation.from_positions(marks, length=length, labels=labels, units=units)
    return Segmentation.from_positions([int(v.position) for v in accepted], length=length, units=units)
