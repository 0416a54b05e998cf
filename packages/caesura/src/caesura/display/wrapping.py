"""Wrapping the units of a text into lines of cells, with room for boundaries between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class WrappedLine:
    """Units ``first`` to ``last`` (counted from 1) on one line.

    ``starts[i]`` is the first cell of unit ``first + i`` and ``widths[i]`` its width; ``gaps[i]`` is the first cell of the gap after
    it, where its boundary is drawn, and ``gap_widths[i]`` the width of the gap. ``width`` is the width of the line.
    """

    first: int
    last: int
    starts: tuple[int, ...]
    widths: tuple[int, ...]
    gaps: tuple[int, ...]
    gap_widths: tuple[int, ...]
    width: int

    def column(self, cell: int, size: int = 1, *, rtl: bool = False, available: int | None = None) -> int:
        """Return the column of a box of ``size`` cells; right-to-left texts count from the right edge of ``available``."""
        return (self.width if available is None else available) - cell - size if rtl else cell


def wrap_units(widths: Sequence[int], gaps: Sequence[int], available: int) -> list[WrappedLine]:
    """Wrap units into lines of at most ``available`` cells; a wider unit gets a line of its own and is clipped.

    Parameters
    ----------
    widths : sequence of int
        The width of each unit in cells.
    gaps : sequence of int
        The width of the gap after each unit; the last one is for the closing boundary.
    available : int
        The width of a line.

    Examples
    --------
    >>> [(line.first, line.last) for line in wrap_units([4, 4, 4], [1, 1, 1], 10)]
    [(1, 2), (3, 3)]
    """
    lines: list[WrappedLine] = []
    starts: list[int] = []
    sizes: list[int] = []
    at, first = 0, 1
    for unit, (wide, gap) in enumerate(zip(widths, gaps, strict=True), 1):
        size = max(min(wide, 1), min(wide, available - gap))
        if starts and at + size + gap > available:
            lines.append(_line(first, starts, sizes, gaps))
            starts, sizes, at, first = [], [], 0, unit
        starts.append(at)
        sizes.append(size)
        at += size + gap
    if starts:
        lines.append(_line(first, starts, sizes, gaps))
    return lines


def _line(first: int, starts: list[int], sizes: list[int], gaps: Sequence[int]) -> WrappedLine:
    behind = tuple(gaps[first - 1 : first - 1 + len(starts)])
    cuts = tuple(start + size for start, size in zip(starts, sizes, strict=True))
    return WrappedLine(first, first + len(starts) - 1, tuple(starts), tuple(sizes), cuts, behind, cuts[-1] + behind[-1])
