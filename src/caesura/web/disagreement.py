"""Where coders disagree most: places ranked by how evenly the votes are split."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from caesura.model import Annotation, Hierarchy

__all__ = ["TOLERANCE", "Place", "disputed", "votes"]

#: Seconds within which coders mean the same boundary of a recording.
TOLERANCE = 0.02


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

    Positions in texts are counted as they are. In recordings, marks of up to ``tolerance`` seconds behind the first of them are one place,
    at the one in the middle. In hierarchies a place is a segment, from unit ``first`` to unit ``position``.
    """
    cast: dict[tuple[str, str], list[tuple[float, int | None, str]]] = {}
    coders: dict[tuple[str, str], int] = {}
    recordings: set[tuple[str, str]] = set()
    for item, coder, marks, track in annotations:
        if coder in leave_out:
            continue
        coders[item, track] = coders.get((item, track), 0) + 1
        ballots = cast.setdefault((item, track), [])
        if isinstance(marks, Hierarchy):
            ballots += [(last, first, coder) for first, last in dict.fromkeys(span[:2] for span in marks.spans)]
        else:
            if marks.timed:
                recordings.add((item, track))
            ballots += [(position, None, coder) for position in dict.fromkeys(marks.positions.tolist())]
    reach = TOLERANCE if tolerance is None else tolerance
    return [
        Place(item, track, position, voters, coders[item, track], first)
        for (item, track), ballots in cast.items()
        for position, first, voters in _counted(ballots, reach if (item, track) in recordings else 0.0)
    ]


def _counted(
    ballots: Iterable[tuple[float, int | None, str]], reach: float
) -> Iterable[tuple[float, int | None, tuple[str, ...]]]:
    """Ballots put together by place; a coder who marked a place twice has one vote."""
    group: list[tuple[float, int | None, str]] = []
    for ballot in sorted(ballots, key=lambda b: (b[0], b[1] or 0)):
        if group and (ballot[0] - group[0][0] > reach + 1e-9 or ballot[1] != group[0][1]):
            yield _place(group)
            group = []
        group.append(ballot)
    if group:
        yield _place(group)


def _place(group: list[tuple[float, int | None, str]]) -> tuple[float, int | None, tuple[str, ...]]:
    position, first, _ = group[(len(group) - 1) // 2]
    return position, first, tuple(dict.fromkeys(coder for _, _, coder in group))


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
