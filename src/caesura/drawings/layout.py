"""Laying units out on lines of cells: one layout serves the terminal (cells) and SVG (cells times their width)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Wrapped", "wrap_units"]


@dataclass(frozen=True)
class Wrapped:
    """Units ``first`` to ``last`` (counted from 1) on one line.

    ``starts[i]`` is the first cell of unit ``first + i``, ``widths[i]`` how many it has; ``gaps[i]`` is the first cell of the
    gap behind it, where its boundary is drawn, ``gap_widths[i]`` how many that has. ``width`` is all of them together.
    """

    first: int
    last: int
    starts: tuple[int, ...]
    widths: tuple[int, ...]
    gaps: tuple[int, ...]
    gap_widths: tuple[int, ...]
    width: int

    def column(self, cell: int, size: int = 1, *, rtl: bool = False, room: int | None = None) -> int:
        """Return where something of ``size`` cells goes; texts from right to left count from the right edge of ``room``."""
        return (self.width if room is None else room) - cell - size if rtl else cell


def wrap_units(widths: Sequence[int], gaps: Sequence[int], room: int) -> list[Wrapped]:
    """Break units into lines of at most ``room`` cells; a unit wider than a line has one to itself, clipped.

    Parameters
    ----------
    widths
        Cells of each unit.
    gaps
        Cells of the gap behind each unit; the last one is where the closing boundary goes.

    Examples
    --------
    >>> [(line.first, line.last) for line in wrap_units([4, 4, 4], [1, 1, 1], 10)]
    [(1, 2), (3, 3)]
    """
    lines: list[Wrapped] = []
    starts: list[int] = []
    sizes: list[int] = []
    at, first = 0, 1
    for unit, (wide, gap) in enumerate(zip(widths, gaps, strict=True), 1):
        size = max(min(wide, 1), min(wide, room - gap))
        if starts and at + size + gap > room:
            lines.append(_line(first, starts, sizes, gaps))
            starts, sizes, at, first = [], [], 0, unit
        starts.append(at)
        sizes.append(size)
        at += size + gap
    if starts:
        lines.append(_line(first, starts, sizes, gaps))
    return lines


def _line(first: int, starts: list[int], sizes: list[int], gaps: Sequence[int]) -> Wrapped:
    behind = tuple(gaps[first - 1 : first - 1 + len(starts)])
    cuts = tuple(start + size for start, size in zip(starts, sizes, strict=True))
    return Wrapped(first, first + len(starts) - 1, tuple(starts), tuple(sizes), cuts, behind, cuts[-1] + behind[-1])
