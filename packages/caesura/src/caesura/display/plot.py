"""Plots: curves and points between two continuous axes, described once and rendered in cells or as SVG.

We keep our own small plot type because it also renders in terminals, which matplotlib does not.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from caesura.display.cells import Bidi, Canvas, cell_width, choose_bidi, clean, clip, wrap_phrases
from caesura.display.palette import PALETTE
from caesura.display.scene import Picture
from caesura.display.svg import Svg

if TYPE_CHECKING:
    from rich.text import Text

_ROWS, _PANEL_ROWS = 18, 9  # the height of a plot, and of one of several panels, in a terminal
_WIDE, _HIGH, _LEFT, _TOP = 620.0, 420.0, 60.0, 34.0  # the geometry of a plot in SVG, in pixels
_PANEL_WIDE, _PANEL_HIGH, _PANELS = 210.0, 140.0, 3  # size of a panel in SVG, and how many stand side by side
_KEY_WIDTH, _WIDEST_KEY = 170.0, 400.0  # of the key at the right of a plot, in pixels
_LABEL, _LETTER = 14.0, 7.2  # the height of a label and the width of a letter, in pixels
_NARROW, _CELL = 64, 8.4  # below so many letters, plots become smaller; pixels per letter
#: Letters in the colour of the page around themselves, so that they can be read on lines.
_OUTLINED: dict[str, Any] = {
    "stroke": PALETTE["paper"][0],
    "style": "stroke:var(--cs-paper)",
    "stroke_width": 3,
    "paint_order": "stroke",
}
_STROKES = {"thin": (1.0, None), "plain": (1.5, None), "broken": (2.0, "6 4")}


@dataclass(frozen=True)
class Scale:
    """An axis from ``low`` to ``high`` with its tick labels ``numbers``; if it is ``doubling``, values are exponents of two, and labels powers."""

    title: str
    low: float
    high: float
    numbers: tuple[float, ...]
    doubling: bool = False

    def label(self, number: float) -> str:
        """Return the text of a tick."""
        return f"{2.0**number if self.doubling else number:g}"

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


#: When the recording begins that is being drawn; positions count from there, and axes show the time itself.
_START: ContextVar[float] = ContextVar("start of the recording", default=0.0)


def time_labels(start: float, stop: float, most: int) -> list[tuple[float, str]]:
    """Return labels of a time axis, whose positions count from the start of the recording; see :class:`FromStart`."""
    begins = _START.get()
    return [(at - begins, words) for at, words in axis_labels(start + begins, stop + begins, most)]


@dataclass(frozen=True)
class FromStart(Picture):
    """A picture of a recording that begins at another time than 0, which its axes show."""

    picture: Picture
    start: float

    @property
    def title(self) -> str:
        """The title of the picture."""
        return self.picture.title

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw for a terminal of ``width`` cells."""
        with self._shifted():
            return self.picture.terminal(width, bidi=bidi)

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw as SVG, about ``width`` letters wide."""
        with self._shifted():
            return self.picture.svg(width, style=style)

    @contextmanager
    def _shifted(self) -> Iterator[None]:
        token = _START.set(self.start)
        try:
            yield
        finally:
            _START.reset(token)


class PlotPicture(Picture):
    """A picture with continuous axes: subclasses implement :meth:`plot`, the back ends render it."""

    @abstractmethod
    def plot(self) -> Plot:
        """Return the axes, curves and points."""

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw for a terminal of ``width`` cells."""
        return _draw_cells(self.plot(), width, choose_bidi(bidi))

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw as SVG, with the key at the right; below 64 letters smaller, with the key below."""
        plot = self.plot()
        if width < _NARROW:
            return _draw_narrow(plot, _CELL * width, style)
        picture = Svg(
            _LEFT + _WIDE + _key_width(plot),
            _TOP + _HIGH + 58,
            title=plot.title,
            description=plot.description,
            style=style,
        )
        picture.text(_LEFT, 20, plot.title, weight="bold")
        writer = _SvgPlot(picture, plot, _LEFT, _TOP, _WIDE, _HIGH)
        writer.axes()
        writer.titles()
        writer.marks()
        writer.key(_LEFT + _WIDE + 8, _TOP + 14)
        return picture.render()


class PanelPicture(Picture):
    """Several plots with the same axes and the same key, side by side; subclasses implement :meth:`plots`."""

    @abstractmethod
    def plots(self) -> Sequence[Plot]:
        """Return the panels, at least one; all have the axes and the names of curves of the first."""

    @property
    def description(self) -> str:
        """The content in sentences."""
        return " ".join(f"{plot.title}: {plot.description}" for plot in self.plots())

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw for a terminal of ``width`` cells, in as many columns of panels as fit."""
        plots, canvas = list(self.plots()), Canvas()
        columns = max(1, min(_PANELS, (width + 2) // 40))
        own = (width + 2) // columns - 2
        canvas.put(0, 0, clip(self.title, width), "strong", bidi=choose_bidi(bidi))
        for start in range(0, len(plots), columns):
            top = canvas.height
            for number, plot in enumerate(plots[start : start + columns]):
                part = _CellPlot(canvas, plot, top, number * (own + 2), own, _PANEL_ROWS)
                part.draw(plot.title, choose_bidi(bidi))
        for line in wrap_phrases(_CellPlot(canvas, plots[0], 0, 0, width, 1).key(), width):
            canvas.put(canvas.height, 0, line, "faint")
        return canvas.text()

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw as SVG, with three panels side by side, or fewer below 64 letters."""
        plots = list(self.plots())
        left, step_x, step_y = 52.0, _PANEL_WIDE + 46, _PANEL_HIGH + 56
        panels = _PANELS if width >= _NARROW else max(1, int((_CELL * width - left) / step_x))
        rows, columns = math.ceil(len(plots) / panels), min(len(plots), panels)
        names = {curve.name: curve for curve in plots[0].curves if curve.name}
        below = 16.0 * (len(names) - 1) if panels < _PANELS else 0.0  # a line of the key per name
        picture = Svg(
            max(left + columns * step_x, 420.0 if panels == _PANELS else 0.0),
            66 + below + rows * step_y,
            title=self.title,
            description=self.description,
            style=style,
        )
        most = int((picture.width - 16) / _CELL)
        picture.text(left if panels == _PANELS else 8, 20, clip(self.title, most), weight="bold")
        for number, plot in enumerate(plots):
            x, y = left + number % panels * step_x, 76 + below + number // panels * step_y
            picture.text(x, y - 8, clip(clean(plot.title), 30), size=12)
            writer = _SvgPlot(picture, plot, x, y, _PANEL_WIDE, _PANEL_HIGH)
            writer.axes()
            writer.marks()
            if number % panels == 0:
                middle = y + _PANEL_HIGH / 2
                turned = f"rotate(-90 {x - 40:g} {middle:g})"
                picture.text(x - 40, middle, plot.y.title, anchor="middle", size=11, transform=turned)
            if number + panels >= len(plots):
                picture.text(x + _PANEL_WIDE / 2, y + _PANEL_HIGH + 32, plot.x.title, anchor="middle", size=11)
        x, y = left, 46.0
        for name, curve in names.items():
            shown = clip(clean(name), 48 if panels == _PANELS else most - 5)
            _draw_key_line(picture, curve, x, y, shown)
            if panels == _PANELS:
                x += 46 + 7.0 * cell_width(shown)
            else:
                y += 16
        return picture.render()


def _draw_narrow(plot: Plot, width: float, style: bool) -> str:
    """Draw a plot that is some pixels wide, with the key below it."""
    wide = max(180.0, width - _LEFT - 16)
    high, most = min(_HIGH, 0.8 * wide), int((wide - 24) / _LETTER)
    points = tuple(replace(point, label=clip(point.label, most)) for point in plot.points)
    plot = replace(plot, points=points)
    names = {*(p.name for p in points), *(c.name for c in plot.curves)} - {""}
    rows = len(names) + sum(not p.name and not plot.holds(p.x, p.y) for p in points)
    size = _LEFT + wide + 16, _TOP + high + 58 + 16 * rows
    picture = Svg(*size, title=plot.title, description=plot.description, style=style)
    picture.text(8, 20, clip(plot.title, int((size[0] - 16) / _CELL)), weight="bold")
    writer = _SvgPlot(picture, plot, _LEFT, _TOP, wide, high)
    writer.axes()
    writer.titles()
    writer.marks()
    writer.key(16, _TOP + high + 60)
    return picture.render()


def _draw_cells(plot: Plot, width: int, bidi: Literal["terminal", "us"]) -> Text:
    """Render a plot in cells, with its key below."""
    canvas = Canvas()
    writer = _CellPlot(canvas, plot, 0, 0, min(width, 90), _ROWS)
    writer.draw(f"{plot.y.title}   ({plot.title})", bidi)
    margin = writer.margin
    for line in wrap_phrases(writer.key(), width - margin):
        canvas.put(canvas.height, margin, line, "faint")
    for point in plot.points:
        if point.label:
            canvas.put(
                canvas.height, margin, clip(clean(f"{point.sign} {point.tip}"), width - margin), point.role, bidi=bidi
            )
    return canvas.text()


@dataclass(frozen=True)
class _CellPlot:
    """Writes a plot of some width and rows onto a canvas."""

    canvas: Canvas
    plot: Plot
    top: int
    left: int
    width: int
    rows: int

    @property
    def margin(self) -> int:
        """The cells before the y axis."""
        return max(len(f"{number:g}") for number in self.plot.y.numbers) + 2

    @property
    def available(self) -> int:
        """The cells of the x axis."""
        return max(12, self.width - self.margin - 2)

    def row(self, y: float) -> int:
        """Return the row of a value."""
        return self.top + 1 + round((1 - self.plot.y.share(y)) * self.rows)

    def column(self, x: float) -> int:
        """Return the column of a value."""
        return self.left + self.margin + round(self.plot.x.share(x) * self.available)

    def draw(self, heading: str, bidi: Literal["terminal", "us"]) -> None:
        """Draw the heading, the axes, curves and points."""
        canvas, plot, margin = self.canvas, self.plot, self.margin
        canvas.put(self.top, self.left, clip(clean(heading), self.width), "faint", bidi=bidi)
        for number in plot.y.numbers:
            canvas.put(self.row(number), self.left, f"{number:>{margin - 2}g} ┤", "faint")
        for curve in plot.curves:
            for x, y in _steps(curve, plot, self.available, self.rows) if curve.glyph else ():
                canvas.put(self.row(y), self.column(x), curve.glyph, curve.role)
        taken: set[tuple[int, int]] = set()
        for point in plot.points:
            if plot.holds(point.x, point.y):
                place = self.row(point.y), self.column(point.x)
                while point.label and place in taken and place[1] < self.left + margin + self.available:
                    place = place[0], place[1] + 1  # a sign of its own for every point that the list below names
                taken.add(place)
                canvas.put(*place, point.sign, point.role)
        below, first = self.top + self.rows + 2, self.left + margin
        for number in plot.x.numbers:
            words = plot.x.label(number)
            at = min(max(first, self.column(number) - len(words) // 2), first + self.available + 1 - len(words))
            if at > max(canvas.end(below), self.left):
                canvas.put(below, at, words, "faint")

    def key(self) -> str:
        """Return what the x axis and the signs mean."""
        plot = self.plot
        named = list(dict.fromkeys([(p.sign, p.name) for p in plot.points] + [(c.glyph, c.name) for c in plot.curves]))
        return " · ".join([plot.x.title, *(f"{sign} {clean(name)}" for sign, name in named if sign and name)])


def _steps(curve: Curve, plot: Plot, available: int, rows: int = _ROWS) -> Iterator[tuple[float, float]]:
    """Interpolate a curve so that every column and row that it crosses gets a point."""
    inside = [point for point in curve.points if plot.holds(*point)]
    for (x, y), (next_x, next_y) in pairwise(inside):
        columns = abs(plot.x.share(next_x) - plot.x.share(x)) * available
        steps = max(1, math.ceil(columns), math.ceil(abs(plot.y.share(next_y) - plot.y.share(y)) * rows))
        yield from ((x + (next_x - x) * i / steps, y + (next_y - y) * i / steps) for i in range(steps))
    yield from inside[-1:]


def spread_labels(
    heights: Sequence[float], stretches: Sequence[tuple[float, float]], top: float, bottom: float
) -> list[float]:
    """Move labels up and down so that none covers another, as long as there is space.

    Parameters
    ----------
    heights : sequence of float
        Where the labels should be, in pixels from the top.
    stretches : sequence of tuple of float
        The left and right end of every label; only labels that overlap there can cover each other.
    top, bottom : float
        The smallest and the largest height.

    Returns
    -------
    list of float

    Examples
    --------
    >>> spread_labels([100, 100, 104, 300], [(0, 50), (20, 70), (200, 250), (0, 50)], 0, 400)
    [93.0, 107.0, 104.0, 300.0]
    """
    placed = [float(min(max(height, top), bottom)) for height in heights]
    order = sorted(range(len(placed)), key=lambda n: (placed[n], n))

    def meet(one: int, other: int) -> bool:
        return stretches[one][0] < stretches[other][1] and stretches[other][0] < stretches[one][1]

    for _ in range(4 * len(order)):  # push every pair apart by half of what is missing, until nothing moves
        moved = 0.0
        for at, upper in enumerate(order):
            for lower in order[at + 1 :]:
                missing = _LABEL - (placed[lower] - placed[upper])
                if missing > 1e-9 and meet(upper, lower):
                    placed[upper] = max(top, placed[upper] - missing / 2)
                    placed[lower] = min(bottom, placed[lower] + missing / 2)
                    moved = max(moved, missing)
        if moved < 0.5:
            break
    return placed


def _key_width(plot: Plot) -> float:
    """Return the width that the key needs, in pixels."""
    named = [*(point.name for point in plot.points), *(curve.name for curve in plot.curves)]
    return min(max(_KEY_WIDTH, 38 + 7.0 * max((cell_width(clean(name)) for name in named), default=0)), _WIDEST_KEY)


def _draw_key_line(picture: Svg, curve: Curve, x: float, y: float, name: str) -> None:
    width, dash = _STROKES[curve.stroke]
    picture.line(x, y - 4, x + 16, y - 4, curve.role, width=width, dash=dash or "")
    picture.text(x + 22, y, name, size=11)


@dataclass(frozen=True)
class _SvgPlot:
    """Writes a plot of some size into a picture."""

    picture: Svg
    plot: Plot
    left: float
    top: float
    wide: float
    high: float

    def marks(self) -> None:
        """Draw the curves and points."""
        plot = self.plot
        places = [self._place(p.x, p.y) for p in plot.points if p.label and plot.holds(p.x, p.y)]
        for curve in plot.curves:
            self._curve(curve, places)
        labelled = [point for point in plot.points if point.label and plot.holds(point.x, point.y)]
        labels = dict(zip(map(id, labelled), self._label_places(labelled), strict=True))
        for point in plot.points:
            if plot.holds(point.x, point.y):
                self._point(point, *self._place(point.x, point.y), labels.get(id(point)))

    def _label_places(self, points: list[Point]) -> list[tuple[float, float]]:
        """Return where labels begin: beside their points, moved up or down where they would cover each other."""
        places = [self._place(point.x, point.y) for point in points]
        sizes = [_LETTER * cell_width(point.label) for point in points]
        starts, wanted = [], []
        for (x, y), size in zip(places, sizes, strict=True):
            start, below = self._beside(x, size)
            starts.append(start)
            wanted.append(y + 4 + (0 if not below else 18 if y + 22 < self.top + self.high else -18))
        stretches = [(start, start + size) for start, size in zip(starts, sizes, strict=True)]
        heights = spread_labels(wanted, stretches, self.top + 10, self.top + self.high - 4)
        return list(zip(starts, heights, strict=True))

    def _beside(self, x: float, size: float) -> tuple[float, bool]:
        """Return where a label begins, and whether it fits on neither side of its point: it is then below or above."""
        right = self.left + self.wide  # beyond it labels would cover the key: they are to the left of their points
        if x + 9 + size <= right:
            return x + 9, False
        if x - 9 - size >= self.left:
            return x - 9 - size, False
        return max(self.left + 4, min(x - size / 2, right - size)), True

    def titles(self) -> None:
        """Write the titles of both axes."""
        bottom, middle = self.top + self.high, self.top + self.high / 2
        self.picture.text(self.left + self.wide / 2, bottom + 38, self.plot.x.title, anchor="middle", size=12)
        self.picture.text(
            16, middle, self.plot.y.title, anchor="middle", size=12, transform=f"rotate(-90 16 {middle:g})"
        )

    def _place(self, x: float, y: float) -> tuple[float, float]:
        return self.left + self.plot.x.share(x) * self.wide, self.top + (1 - self.plot.y.share(y)) * self.high

    def axes(self) -> None:
        """Draw the grid and its numbers."""
        right, bottom, size = self.left + self.wide, self.top + self.high, 11 if self.wide == _WIDE else 10
        for number in self.plot.y.numbers:
            _, y = self._place(0, number)
            self.picture.line(self.left, y, right, y, "grid", width=1)
            self.picture.text(self.left - 8, y + 4, f"{number:g}", "faint", anchor="end", size=size)
        for number in self.plot.x.numbers:
            x, _ = self._place(number, 0)
            self.picture.line(x, bottom, x, self.top, "grid", width=1)
            self.picture.text(x, bottom + 16, self.plot.x.label(number), "faint", anchor="middle", size=size)

    def _curve(self, curve: Curve, places: list[tuple[float, float]]) -> None:
        inside = [self._place(x, y) for x, y in curve.points if self.plot.holds(x, y)]
        width, dash = _STROKES[curve.stroke]
        if len(inside) > 1:
            self.picture.polyline(inside, curve.role, width=width, stroke_dasharray=dash)
            x, y = max(inside)
            # Labels of points take precedence over those of curves.
            if curve.label and not any(abs(y - py) < 16 and px - 30 < x < px + 130 for px, py in places):
                self.picture.text(x + 3, y - 3, curve.label, curve.role, size=10)

    def _point(self, point: Point, x: float, y: float, label: tuple[float, float] | None) -> None:
        if label is not None:
            start, height = label
            if abs(height - y - 4) > _LABEL / 2:  # far from its point
                self.picture.line(x, y, start - 2 if start > x else x - 9, height - 4, point.role, width=0.75)
            self.picture.text(start, height, point.label, point.role, size=12, weight="bold", **_OUTLINED)
        self.picture.circle(x, y, 5, point.role, open=bool(point.name), tip=point.tip or point.name)

    def key(self, x: float, y: float) -> None:
        """Write the names of points and curves, from a place downwards."""
        seen: set[str] = set()
        most = int((_WIDEST_KEY - 38) / 7)
        for point in self.plot.points:
            if point.name in seen:
                continue
            if point.name:
                seen.add(point.name)
                self.picture.circle(x + 8, y - 4, 5, point.role, open=True)
                self.picture.text(x + 22, y, clip(clean(point.name), most), size=11)
                y += 16
            elif not self.plot.holds(point.x, point.y):
                self.picture.text(x, y, f"{clip(point.label, 16)}: outside", point.role, size=11)
                y += 16
        for name, curve in {curve.name: curve for curve in self.plot.curves if curve.name}.items():
            _draw_key_line(self.picture, curve, x, y, clip(clean(name), most))
            y += 16
