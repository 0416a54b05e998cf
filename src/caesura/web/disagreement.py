"""Where coders disagree most: places ranked by how evenly the votes are split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from caesura.gold.linear import TOLERANCE, meeting_places
from caesura.model import Annotation, Hierarchy

__all__ = ["Place", "disputed", "votes"]


@dataclass(frozen=True)
class Place:
    """A position, or a segment of a hierarchy, that some coders marked and others did not."""

    item: str
    track: str
    position: float
    voters: tuple[str, ...]
    coders: int
    first: int | None = None

    @property
    def dispute(self) -> float:
        """0 where all agree, 1 where the votes are split in half."""
        share = len(self.voters) / self.coders
        return 4 * share * (1 - share)


def votes(
    annotations: Iterable[Annotation], *, leave_out: frozenset[str] = frozenset(), tolerance: float | None = None
) -> list[Place]:
    """Every mark of every track with those who made it; types and levels do not matter here.

    Positions in texts are counted as they are, those of recordings within a tolerance. In hierarchies a place is a segment, from
    unit ``first`` to unit ``position``.
    """
    cast: dict[tuple[str, str], dict[int | None, list[tuple[float, str]]]] = {}
    coders: Counter[tuple[str, str]] = Counter()
    reach: dict[tuple[str, str], float] = {}
    for item, coder, marks, track in annotations:
        if coder in leave_out:
            continue
        coders[item, track] += 1
        by_first = cast.setdefault((item, track), {})
        if isinstance(marks, Hierarchy):
            for first, last in dict.fromkeys(span[:2] for span in marks.spans):
                by_first.setdefault(first, []).append((last, coder))
            continue
        if marks.timed:
            reach[item, track] = TOLERANCE if tolerance is None else tolerance
        by_first.setdefault(None, []).extend((p, coder) for p in dict.fromkeys(marks.positions.tolist()))
    return [
        Place(*key, position, voters, coders[key], first)
        for key, by_first in cast.items()
        for position, first, voters in sorted(
            (
                (position, first, voters)
                for first, ballots in by_first.items()
                for position, voters in meeting_places(ballots, reach.get(key, 0.0))
            ),
            key=lambda place: (place[0], place[1] or 0),
        )
    ]


def disputed(
    annotations: Iterable[Annotation],
    *,
    leave_out: frozenset[str] = frozenset(),
    most: int = 500,
    tolerance: float | None = None,
) -> list[Place]:
    """The places in dispute, the most evenly split first."""
    counted = votes(annotations, leave_out=leave_out, tolerance=tolerance)
    open_places = [place for place in counted if len(place.voters) < place.coders]
    return sorted(open_places, key=lambda place: -place.dispute)[:most]
