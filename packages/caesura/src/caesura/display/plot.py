"""Plots: curves and points between two continuous axes, described once and rendered in cells or as SVG.

We keep our own small plot type because it also renders in terminals, which matplotlib does not.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from caesura.display.cells import Bidi, Canvas, choose_bidi, clean, clip, wrap_phrases
from caesura.display.scene import Picture
from caesura.display.svg import Svg

if TYPE_CHECKING:
    from rich.text import Text

_ROWS = 18  # the height of a plot in a terminal
_WIDE, _HIGH, _LEFT, _TOP = 620.0, 420.0, 60.0, 34.0  # the geometry of a plot in SVG, in pixels
_STROKES = {"thin": (1.0, None), "plain": (1.5, None), "broken": (2.0, "6 4")}


@dataclass(frozen=True)
class Scale:
    """An axis from ``low`` to ``high`` with its tick labels ``numbers``."""

    title: str
    low: float
    high: float
    numbers: tuple[float, ...]

    def share(self, value: float) -> float:
        """Return the position of a value along the axis, from 0 to 1."""
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Curve:
    """Points (x, y) connected by a line, or by ``glyph`` in terminals, which leave out curves without one.

    The key lists each ``name`` once; ``label`` is written at the right end if there is space.
    """

    points: tuple[tuple[float, float], ...]
    role: str
    name: str = ""
    glyph: str = ""
    stroke: Literal["thin", "plain", "broken"] = "plain"
    label: str = ""


@dataclass(frozen=True)
class Point:
    """A point: ``sign`` in terminals, a disc in SVG, or a ring if it has a ``name`` in the key instead of a ``label``."""

    x: float
    y: float
    sign: str
    role: str = "ink"
    name: str = ""
    label: str = ""
    tip: str = ""


@dataclass(frozen=True)
class Plot:
    """Curves and points in drawing order; points outside the axes are not drawn."""

    title: str
    description: str
    x: Scale
    y: Scale
    curves: tuple[Curve, ...]
    points: tuple[Point, ...]

    def holds(self, x: float, y: float) -> bool:
        """Whether a point is within the axes; NaN never is."""
        return self.x.low <= x <= self.x.high and self.y.low <= y <= self.y.high


def axis_labels(start: float, stop: float, most: int) -> list[tuple[float, str]]:
    """Return about ``most`` round numbers to label an axis with.

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
    """A picture with continuous axes: subclasses implement :meth:`plot`, the back ends render it."""

    @abstractmethod
    def plot(self) -> Plot:
        """Return the axes, curves and points."""

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw for a terminal of ``width`` cells."""
        return _draw_cells(self.plot(), width, choose_bidi(bidi))

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw as SVG; plots have a fixed size, so ``width`` is ignored."""
        return _SvgPlot(self.plot(), style=style).render()


def _draw_cells(plot: Plot, width: int, bidi: Literal["terminal", "us"]) -> Text:
    """Render a plot in cells, with its key below."""
    canvas = Canvas()
    margin = max(len(f"{number:g}") for number in plot.y.numbers) + 2
    available = max(12, min(width, 90) - margin - 2)

    def row(y: float) -> int:
        return 1 + round((1 - plot.y.share(y)) * _ROWS)

    def column(x: float) -> int:
        return margin + round(plot.x.share(x) * available)

    canvas.put(0, 0, clip(f"{plot.y.title}   ({plot.title})", width), "faint", bidi=bidi)
    for number in plot.y.numbers:
        canvas.put(row(number), 0, f"{number:>{margin - 2}g} ┤", "faint")
    for curve in plot.curves:
        for x, y in _steps(curve, plot, available) if curve.glyph else ():
            canvas.put(row(y), column(x), curve.glyph, curve.role)
    for point in plot.points:
        if plot.holds(point.x, point.y):
            canvas.put(row(point.y), column(point.x), point.sign, point.role)
    for number in plot.x.numbers:
        words = f"{number:g}"
        at = min(max(margin, column(number) - len(words) // 2), margin + available + 1 - len(words))
        if at > canvas.end(_ROWS + 2):
            canvas.put(_ROWS + 2, at, words, "faint")
    named = list(dict.fromkeys([(p.sign, p.name) for p in plot.points] + [(c.glyph, c.name) for c in plot.curves]))
    key = [plot.x.title, *(f"{sign} {clean(name)}" for sign, name in named if sign and name)]
    for line in wrap_phrases(" · ".join(key), width - margin):
        canvas.put(canvas.height, margin, line, "faint")
    for point in plot.points:
        if point.label:
            canvas.put(
                canvas.height, margin, clip(clean(f"{point.sign} {point.tip}"), width - margin), point.role, bidi=bidi
            )
    return canvas.text()


def _steps(curve: Curve, plot: Plot, available: int) -> Iterator[tuple[float, float]]:
    """Interpolate a curve so that every column and row that it crosses gets a point."""
    inside = [point for point in curve.points if plot.holds(*point)]
    for (x, y), (next_x, next_y) in pairwise(inside):
        columns = abs(plot.x.share(next_x) - plot.x.share(x)) * available
        steps = max(1, math.ceil(columns), math.ceil(abs(plot.y.share(next_y) - plot.y.share(y)) * _ROWS))
        yield from ((x + (next_x - x) * i / steps, y + (next_y - y) * i / steps) for i in range(steps))
    yield from inside[-1:]


class _SvgPlot(Svg):
    """Renders a plot as SVG, with the key at the right."""

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
            # Labels of points take precedence over those of curves.
            if curve.label and not any(abs(y - py) < 16 and px - 30 < x < px + 130 for px, py in places):
                self.text(x + 3, y - 3, curve.label, curve.role, size=10)

    def _point(self, point: Point, x: float, y: float) -> None:
        self.circle(x, y, 5, point.role, open=bool(point.name), tip=point.tip or point.name)
        if point.label:
            self.text(x + 9, y + 4, point.label, point.role, size=12, weight="bold")

    def _key(self, x: float, y: float) -> None:
        seen: set[str] = set()
        for point in self._plot.points:
            if point.name in seen:
                continue
            if point.name:
                seen.add(point.name)
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
