"""A plot: curves and points between two continuous axes, described once and written in cells or as SVG.

The second kind of scene, for what has no rows: a drawing says which values stand where and what they mean, in their own
units; either back end finds the place.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from caesura.display.cells import Bidi, Canvas, choose_bidi, clean, clip, fold
from caesura.display.scene import Picture
from caesura.display.svg import Svg

if TYPE_CHECKING:
    from rich.text import Text

_ROWS = 18  # of a plot in a terminal
_WIDE, _HIGH, _LEFT, _TOP = 620.0, 420.0, 60.0, 34.0  # of a plot in SVG
_STROKES = {"thin": (1.0, None), "plain": (1.5, None), "broken": (2.0, "6 4")}


@dataclass(frozen=True)
class Scale:
    """An axis from ``low`` to ``high``, and the numbers to write along it."""

    title: str
    low: float
    high: float
    numbers: tuple[float, ...]

    def share(self, value: float) -> float:
        """How far along the axis a value stands, 0 to 1."""
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Curve:
    """Points (x, y) joined by a stroke, or by ``glyph`` in cells: a terminal leaves out a curve without one.

    The key explains its ``name``, once where curves share one; ``label`` stands at its right end where nothing is in the way.
    """

    points: tuple[tuple[float, float], ...]
    role: str
    name: str = ""
    glyph: str = ""
    stroke: Literal["thin", "plain", "broken"] = "plain"
    label: str = ""


@dataclass(frozen=True)
class Point:
    """A place with a ``sign`` in cells, a disc elsewhere; a ring where it has a ``name`` in the key rather than a ``label``."""

    x: float
    y: float
    sign: str
    role: str = "ink"
    name: str = ""
    label: str = ""
    tip: str = ""


@dataclass(frozen=True)
class Plot:
    """What stands between two axes, those below first; a point or part of a curve beyond the axes is not drawn."""

    title: str
    description: str
    x: Scale
    y: Scale
    curves: tuple[Curve, ...]
    points: tuple[Point, ...]

    def holds(self, x: float, y: float) -> bool:
        """Whether a place is inside; NaN never is."""
        return self.x.low <= x <= self.x.high and self.y.low <= y <= self.y.high


def axis_labels(start: float, stop: float, most: int) -> list[tuple[float, str]]:
    """Round numbers to label an axis with, at most about ``most`` of them.

    >>> [label for _, label in axis_labels(0, 1.52, 8)]
    ['0', '0.2', '0.4', '0.6', '0.8', '1', '1.2', '1.4']
    """
    span = stop - start
    if span <= 0:
        return [(start, f"{start:g}")]
    rough = span / max(1, most)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * s for s in (1, 2, 5, 10) if power * s >= rough * 0.999)
    first = math.ceil(start / step - 1e-9)
    return [(n * step, f"{n * step:.10g}") for n in range(first, math.floor(stop / step + 1e-9) + 1)]


class PlotPicture(Picture):
    """A picture with continuous axes: a drawing implements :meth:`plot`, the back ends do the rest."""

    @abstractmethod
    def plot(self) -> Plot:
        """Say what stands where."""

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw for a terminal of ``width`` cells."""
        return _draw_cells(self.plot(), width, choose_bidi(bidi))

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw as SVG; a plot keeps its size, which its curves need."""
        return _SvgPlot(self.plot(), style=style).render()


def _draw_cells(plot: Plot, width: int, bidi: Literal["terminal", "us"]) -> Text:
    """Plot in cells: signs and glyphs, and below them what they mean."""
    canvas = Canvas()
    margin = max(len(f"{number:g}") for number in plot.y.numbers) + 2
    room = max(12, min(width, 90) - margin - 2)

    def row(y: float) -> int:
        return 1 + round((1 - plot.y.share(y)) * _ROWS)

    def column(x: float) -> int:
        return margin + round(plot.x.share(x) * room)

    canvas.put(0, 0, clip(f"{plot.y.title}   ({plot.title})", width), "faint", bidi=bidi)
    for number in plot.y.numbers:
        canvas.put(row(number), 0, f"{number:>{margin - 2}g} ┤", "faint")
    for curve in plot.curves:
        for x, y in _steps(curve, plot, room) if curve.glyph else ():
            canvas.put(row(y), column(x), curve.glyph, curve.role)
    for point in plot.points:
        if plot.holds(point.x, point.y):
            canvas.put(row(point.y), column(point.x), point.sign, point.role)
    for number in plot.x.numbers:
        words = f"{number:g}"
        at = min(max(margin, column(number) - len(words) // 2), margin + room + 1 - len(words))
        if at > canvas.end(_ROWS + 2):
            canvas.put(_ROWS + 2, at, words, "faint")
    named = [(p.sign, p.name) for p in plot.points] + [(c.glyph, c.name) for c in plot.curves]
    key = [plot.x.title, *(f"{sign} {clean(name)}" for sign, name in named if sign and name)]
    for line in fold(" · ".join(key), width - margin):
        canvas.put(canvas.height, margin, line, "faint")
    for point in plot.points:
        if point.label:
            canvas.put(
                canvas.height, margin, clip(clean(f"{point.sign} {point.tip}"), width - margin), point.role, bidi=bidi
            )
    return canvas.text()


def _steps(curve: Curve, plot: Plot, room: int) -> Iterator[tuple[float, float]]:
    """Walk along a curve, so that every column and every row that it crosses has a step."""
    inside = [point for point in curve.points if plot.holds(*point)]
    for (x, y), (next_x, next_y) in pairwise(inside):
        columns = abs(plot.x.share(next_x) - plot.x.share(x)) * room
        steps = max(1, math.ceil(columns), math.ceil(abs(plot.y.share(next_y) - plot.y.share(y)) * _ROWS))
        yield from ((x + (next_x - x) * i / steps, y + (next_y - y) * i / steps) for i in range(steps))
    yield from inside[-1:]


class _SvgPlot(Svg):
    """A plot as a picture: grid, strokes, discs, and the key at the right."""

    def __init__(self, plot: Plot, *, style: bool) -> None:
        super().__init__(
            _LEFT + _WIDE + 170, _TOP + _HIGH + 58, title=plot.title, description=plot.description, style=style
        )
        self._plot = plot
        self.text(_LEFT, 20, plot.title, weight="bold")
        self._axes()
        places = [self._place(p.x, p.y) for p in plot.points if p.label and plot.holds(p.x, p.y)]
        for curve in plot.curves:
            self._curve(curve, places)
        for point in plot.points:
            if plot.holds(point.x, point.y):
                self._point(point, *self._place(point.x, point.y))
        self._key(_LEFT + _WIDE + 8, _TOP + 14)

    def _place(self, x: float, y: float) -> tuple[float, float]:
        return _LEFT + self._plot.x.share(x) * _WIDE, _TOP + (1 - self._plot.y.share(y)) * _HIGH

    def _axes(self) -> None:
        right, bottom, middle = _LEFT + _WIDE, _TOP + _HIGH, _TOP + _HIGH / 2
        for number in self._plot.y.numbers:
            _, y = self._place(0, number)
            self.line(_LEFT, y, right, y, "grid", width=1)
            self.text(_LEFT - 8, y + 4, f"{number:g}", "faint", anchor="end", size=11)
        for number in self._plot.x.numbers:
            x, _ = self._place(number, 0)
            self.line(x, bottom, x, _TOP, "grid", width=1)
            self.text(x, bottom + 16, f"{number:g}", "faint", anchor="middle", size=11)
        self.text(_LEFT + _WIDE / 2, bottom + 38, self._plot.x.title, anchor="middle", size=12)
        self.text(16, middle, self._plot.y.title, anchor="middle", size=12, transform=f"rotate(-90 16 {middle:g})")

    def _curve(self, curve: Curve, places: list[tuple[float, float]]) -> None:
        inside = [self._place(x, y) for x, y in curve.points if self._plot.holds(x, y)]
        width, dash = _STROKES[curve.stroke]
        if len(inside) > 1:
            self.polyline(inside, curve.role, width=width, stroke_dasharray=dash)
            x, y = max(inside)
            # Names of points go before those of curves.
            if curve.label and not any(abs(y - py) < 16 and px - 30 < x < px + 130 for px, py in places):
                self.text(x + 3, y - 3, curve.label, curve.role, size=10)

    def _point(self, point: Point, x: float, y: float) -> None:
        self.circle(x, y, 5, point.role, open=bool(point.name), tip=point.tip or point.name)
        if point.label:
            self.text(x + 9, y + 4, point.label, point.role, size=12, weight="bold")

    def _key(self, x: float, y: float) -> None:
        for point in self._plot.points:
            if point.name:
                self.circle(x + 8, y - 4, 5, point.role, open=True)
                self.text(x + 22, y, clip(clean(point.name), 20), size=11)
                y += 16
            elif not self._plot.holds(point.x, point.y):
                self.text(x, y, f"{clip(point.label, 16)}: outside", point.role, size=11)
                y += 16
        for name, curve in {curve.name: curve for curve in self._plot.curves if curve.name}.items():
            width, dash = _STROKES[curve.stroke]
            self.line(x, y - 4, x + 16, y - 4, curve.role, width=width, dash=dash or "")
            self.text(x + 22, y, clip(clean(name), 20), size=11)
            y += 16
