"""Where coders disagree most: places ranked by how evenly the votes are split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from caesura.errors import CaesuraError
from caesura.gold.linear import TOLERANCE, places_of
from caesura.model import Annotation, Hierarchy, Spans


@dataclass(frozen=True)
class Place:
    """A position, or a segment of a hierarchy, that some coders marked and others did not, or marked with different types.

    ``types`` says who gave which type, where types were given.
    """

    item: str
    track: str
    position: float
    voters: tuple[str, ...]
    coders: int
    first: int | None = None
    types: dict[str | int, tuple[str, ...]] = field(default_factory=dict)

    @property
    def dispute(self) -> float:
        """0 where all agree, 1 where the votes on the place, or on one of its types, are split in half."""
        shares = [len(self.voters) / self.coders, *(len(who) / len(self.voters) for who in self.types.values())]
        return max(4 * share * (1 - share) for share in shares)


Mark: TypeAlias = tuple[float, tuple[str, str | int | None]]  # where, and (who, of which type)


def votes(
    annotations: Iterable[Annotation], *, leave_out: frozenset[str] = frozenset(), tolerance: float | None = None
) -> list[Place]:
    """Every mark of every track with those who made it, and who gave it which type; levels do not matter here.

    Positions in texts are counted as they are, those of recordings within a tolerance. In hierarchies a place is a segment, from
    unit ``first`` to unit ``position``.
    """
    cast: dict[tuple[str, str], dict[int | None, list[Mark]]] = {}
    coders: Counter[tuple[str, str]] = Counter()
    reach: dict[tuple[str, str], float] = {}
    for item, coder, marks, track in annotations:
        if coder in leave_out:
            continue
        coders[item, track] += 1
        by_first = cast.setdefault((item, track), {})
        if isinstance(marks, Spans):
            raise CaesuraError(
                "places in dispute are boundaries or nested segments; spans are compared by their agreement."
            )
        if isinstance(marks, Hierarchy):
            for first, last in dict.fromkeys(span[:2] for span in marks.spans):
                by_first.setdefault(first, []).append((last, (coder, None)))
            continue
        if marks.timed:
            reach[item, track] = TOLERANCE if tolerance is None else tolerance
        listed = marks.marks if marks.typed else [(p, None) for p in marks.positions.tolist()]
        by_first.setdefault(None, []).extend((p, (coder, kind)) for p, kind in listed)
    return [
        _count_votes(key, position, marked, coders[key], first)
        for key, by_first in cast.items()
        for position, first, marked in sorted(
            (
                (position, first, marked)
                for first, marks in by_first.items()
                for position, marked in places_of(marks, reach.get(key, 0.0))
            ),
            key=lambda place: (place[0], place[1] or 0),
        )
    ]


def _count_votes(
    key: tuple[str, str], position: float, marked: list[tuple[str, str | int | None]], coders: int, first: int | None
) -> Place:
    """One place: a coder who marked it twice, or with two types, has one vote for it."""
    types: dict[str | int, dict[str, None]] = {}
    for coder, kind in marked:
        if kind is not None:
            types.setdefault(kind, {})[coder] = None
    voters = tuple(dict.fromkeys(coder for coder, _ in marked))
    return Place(*key, position, voters, coders, first, {kind: tuple(who) for kind, who in types.items()})


def disputed_places(
    annotations: Iterable[Annotation],
    *,
    leave_out: frozenset[str] = frozenset(),
    most: int = 500,
    tolerance: float | None = None,
) -> list[Place]:
    """The places in dispute, the most evenly split first."""
    counted = votes(annotations, leave_out=leave_out, tolerance=tolerance)
    return sorted((place for place in counted if place.dispute > 0), key=lambda place: -place.dispute)[:most]
