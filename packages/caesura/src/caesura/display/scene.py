"""A scene: a drawing described as shapes on a grid of cells, which a terminal (this module) and SVG (``svg``) both render.

A drawing states where each shape is and what it means (its role), never how a medium shows it. Cells are counted in reading
direction, after a margin with names. Right-to-left scenes are mirrored in one place, :meth:`Scene.left_edge`.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Literal

from caesura.display.cells import Bidi, Canvas, cell_width, choose_bidi, clean, clip, pad, wrap_phrases
from caesura.display.palette import STYLES
from caesura.errors import CaesuraError

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.text import Text


# Shapes are never compared, printed or matched; generating those dataclass methods would take longer than a small drawing.
@dataclass(eq=False, repr=False, match_args=False)
class Shape:
    """A shape in one or several rows.

    Parameters
    ----------
    row : int
        The first row, counted within a block.
    x : float, default 0
        The first cell.
    width : float, default 1
        The number of cells.
    words : str, default ""
        Its text.
    role : str, default "ink"
        What it means; :mod:`caesura.display.palette` maps roles to colours.
    tip : str, default ""
        Its tooltip.
    rows : int, default 1
        The number of rows.
    """

    row: int
    x: float = 0
    width: float = 1
    words: str = ""
    role: str = "ink"
    tip: str = ""
    rows: int = 1


class Label(Shape):
    """Text in a box: a unit of the annotated text."""


@dataclass(eq=False, repr=False, match_args=False)
class StyledWord(Shape):
    """A word whose letters may have different roles; ``hint`` appears in the row below while the word is hovered or tapped."""

    parts: tuple[tuple[str, str], ...] = ()
    hint: str = ""


class Caption(Shape):
    """The name of a segment, centred; shown if it fits."""


@dataclass(eq=False, repr=False, match_args=False)
class Number(Shape):
    """A number on a ruler, or before or after a row. It is not mirrored in right-to-left scenes."""

    role: str = "faint"


@dataclass(eq=False, repr=False, match_args=False)
class Name(Shape):
    """The name of a row, in the margin; ``drawn`` is False where SVG leaves it out."""

    role: str = "faint"
    drawn: bool = True


@dataclass(eq=False, repr=False, match_args=False)
class Axis(Shape):
    """Labels (x, text) along a continuous axis, with grid lines through the next ``rows`` rows."""

    numbers: tuple[tuple[float, str], ...] = ()
    rows: int = 0


@dataclass(eq=False, repr=False, match_args=False)
class Baseline(Shape):
    """The line under the marks of a row; thin where it serves to read values."""

    thin: bool = False


class Band(Shape):
    """The time span under the ticks of a row."""


class Mark(Shape):
    """A boundary between two units: a vertical stroke, or its type."""


class ColumnBoundary(Shape):
    """A boundary in a column, for texts that run down the page: a horizontal stroke, or its type."""


class Stem(Shape):
    """The vertical line of a column."""


@dataclass(eq=False, repr=False, match_args=False)
class Tick(Shape):
    """A boundary in time: a stroke through its rows, dashed if unmatched. Terminals draw it in the last row only."""

    broken: bool = False


@dataclass(eq=False, repr=False, match_args=False)
class Ticks(Shape):
    """Very many boundaries that differ in role only; terminals shade each cell by the number it holds, up to ``most``."""

    xs: tuple[float, ...] = ()
    most: int = 1


@dataclass(eq=False, repr=False, match_args=False)
class BarChart(Shape):
    """Vertical bars with the heights ``values``, each with a tooltip."""

    values: tuple[float, ...] = ()
    tips: tuple[str, ...] = ()


@dataclass(eq=False, repr=False, match_args=False)
class IntervalLine(Shape):
    """An interval, as a horizontal line."""

    role: str = "faint"


class Marker(Shape):
    """A symbol at a position, centred: ● ◐ ○ ≈ ≠ + ×, or the type of a boundary."""


@dataclass(eq=False, repr=False, match_args=False)
class Connector(Shape):
    """A line between two boxes (x, width) of one row, drawn below markers."""

    ends: tuple[tuple[float, float], ...] = ()


@dataclass(eq=False, repr=False, match_args=False)
class ShortConnector(Shape):
    """A short line to a position in the row below; terminals do not draw it."""

    below: float = 0


class Region(Shape):
    """A shaded area."""


@dataclass(eq=False, repr=False, match_args=False)
class SegmentBar(Shape):
    """A segment with its text in the middle, drawn with ``stroke``; neighbours with the stroke "shared" share their ends."""

    stroke: Literal["heavy", "plain", "broken", "shared"] = "plain"


@dataclass(eq=False, repr=False, match_args=False)
class FilledPart(Shape):
    """A part of a whole, filled with opacity ``fill`` (0 to 1), or with ``glyph`` in terminals; its text is shown if it fits."""

    glyph: str = "█"
    fill: float = 1.0


class Branch(Shape):
    """The branches of a tree before a row, written with │ ├ └."""


@dataclass(eq=False, repr=False, match_args=False)
class DiagonalLine(Shape):
    """A straight line through its rows, from the middle of a box (x, width) above to the middle of one below.

    ``weight`` (0 to 1) sets its width; ``broken`` lines are dashed. ``note`` is the position along the line, as a share of its
    length, where the weight is written; None writes it in the tooltip only.
    """

    above: tuple[float, float] = (0, 0)
    below: tuple[float, float] = (0, 0)
    weight: float = 1.0
    broken: bool = False
    note: float | None = None


@dataclass(eq=False, repr=False, match_args=False)
class Move(Shape):
    """An arrow below a row, to ``to``; or just ``words``, if the other end is on another line."""

    to: float = 0


@dataclass(eq=False, repr=False, match_args=False)
class ShapeGroup(Shape):
    """Shapes with a common tooltip."""

    items: tuple[Shape, ...] = ()


@dataclass(frozen=True)
class Scene:
    """Blocks of rows under a heading, with a key below.

    Attributes
    ----------
    title, description : str
        A short title, and a description in sentences for screen readers.
    heading, key : str
        The line above the blocks, and the explanation of symbols below them.
    width, margin : int
        The cells in all, and those of the margin with names.
    rows : tuple of float
        The height of each row of a block in SVG, in lines; terminals give every row one line.
    blocks : tuple of tuple of Shape
        The shapes of each block, in drawing order.
    direction : {"ltr", "rtl"}
        The reading direction.
    legend : str
        An explanation under the heading.
    apart : bool
        Whether blocks are separated by an empty line.
    notes : tuple of (str, str)
        Lines that terminals print below, each with its role.
    """

    title: str
    description: str
    heading: str
    key: str
    width: int
    margin: int
    rows: tuple[float, ...]
    blocks: tuple[tuple[Shape, ...], ...]
    direction: Literal["ltr", "rtl"] = "ltr"
    legend: str = ""
    apart: bool = True
    notes: tuple[tuple[str, str], ...] = ()

    @property
    def inner_width(self) -> int:
        """The cells beside the margin."""
        return max(8, self.width - self.margin)

    @cached_property
    def tops(self) -> tuple[float, ...]:
        """The start of each row of a block, in lines, and the end of the last one."""
        return tuple(accumulate(self.rows, initial=0.0))

    def left_edge(self, x: float, width: float = 1) -> float:
        """Return the left edge of a box; this is the only place that mirrors right-to-left scenes."""
        return self.inner_width - x - width if self.direction == "rtl" else x


class Picture(ABC):
    """A picture for terminals, SVG and notebooks."""

    @property
    @abstractmethod
    def title(self) -> str:
        """A short title."""

    @abstractmethod
    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw for a terminal of ``width`` cells."""

    @abstractmethod
    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw as SVG, about ``width`` letters wide."""

    def __str__(self) -> str:
        return "\n".join(line.rstrip() for line in self.terminal(bidi="terminal").plain.splitlines())

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto">{self.svg()}</div>'

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        text = self.terminal(options.max_width)
        text.end = "\n"
        yield text


class ScenePicture(Picture):
    """A picture that adapts to a width: subclasses implement :meth:`scene`, the back ends render it."""

    @abstractmethod
    def scene(self, width: int, *, fine: bool) -> Scene:
        """Lay the picture out in ``width`` cells; ``fine`` media can place shapes at fractions of a cell."""

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw for a terminal of ``width`` cells."""
        return _draw_cells(self.scene(width, fine=False), bidi)

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw as SVG, about ``width`` letters wide."""
        from caesura.display.svg import draw_svg

        return draw_svg(self.scene(width, fine=True), style=style)


@dataclass(frozen=True)
class Stack(Picture):
    """Several pictures, one below the other."""

    parts: tuple[Picture, ...]
    title: str = "several texts"

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw them with an empty line between them."""
        from rich.text import Text

        drawn = Text("\n\n", end="").join(part.terminal(width, bidi=bidi) for part in self.parts)
        drawn.no_wrap, drawn.overflow, drawn.end = True, "ignore", ""
        return drawn

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Combine the pictures into one."""
        from caesura.display.svg import stack_svgs

        return stack_svgs([part.svg(width, style=False) for part in self.parts], title=self.title, style=style)


def stack(parts: Sequence[Picture]) -> Picture:
    """Combine pictures into one; a single picture is returned unchanged."""
    if not parts:
        raise CaesuraError("there is nothing to draw: the corpus holds no annotation.")
    return parts[0] if len(parts) == 1 else Stack(tuple(parts), title=f"{parts[0].title} and {len(parts) - 1} more")


# ---------------------------------------------------------------------- drawing in the cells of a terminal


@cache
def drawing_method(shape: str) -> str:
    """Return the name of the method that draws a class of shapes: ``_diagonal_line`` for ``"DiagonalLine"``."""
    return re.sub("(?=[A-Z])", "_", shape).lower()


_BLOCKS = " ▁▂▃▄▅▆▇█"
_BRAILLE = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))  # two by four dots per cell
#: The first, middle and last character of a bar, and a bar of one cell.
_BARS = {"heavy": ("┣", "━", "┫", "╋"), "plain": ("├", "─", "┤", "┼"), "broken": ("├", "┄", "┤", "┼")}


def _draw_cells(scene: Scene, bidi: Bidi = "auto") -> Text:
    """Draw a scene in cells."""
    canvas, turned = Canvas(), choose_bidi(bidi)
    if scene.heading:
        canvas.put(0, 0, clip(scene.heading, scene.width), "strong", bidi=turned)
    for line in wrap_phrases(scene.legend, scene.width) if scene.legend else ():
        canvas.put(canvas.height, 0, line, "faint", bidi=turned)
    for number, block in enumerate(scene.blocks):
        block_writer = _TerminalBlock(canvas, scene, canvas.height + (scene.apart and number > 0), turned)
        canvas.put(block_writer.top + len(scene.rows) - 1, 0, "")
        for item in sorted(
            block, key=lambda item: not isinstance(item, Connector)
        ):  # connectors are drawn below everything else
            block_writer.draw_shape(item)
    for note, role in scene.notes:
        canvas.put(canvas.height, 0, clip(note, scene.width), role)
    canvas.text_block(wrap_phrases(scene.key, scene.width) if scene.key else (), role="faint")
    return canvas.text()


@dataclass(frozen=True)
class _TerminalBlock:
    """Draws one block of a scene on a canvas, with one method per class of shapes."""

    canvas: Canvas
    scene: Scene
    top: int
    bidi: Literal["terminal", "us"]

    def _cell(self, x: float, width: float = 1) -> int:
        return self.scene.margin + round(self.scene.left_edge(x, width))

    def draw_shape(self, item: Shape) -> None:
        """Draw one shape."""
        getattr(self, drawing_method(type(item).__name__))(item)

    def _label(self, item: Shape) -> None:
        shown = clip(clean(item.words), int(item.width))
        self.canvas.put(self.top + item.row, self._cell(item.x, cell_width(shown)), shown, item.role, bidi=self.bidi)

    _styled_word = _label

    def _caption(self, item: Caption) -> None:
        shown, start = clean(item.words), self._cell(item.x, item.width) + 1  # after the boundary
        available = round(item.x + item.width) - round(item.x) - 1
        if 0 < cell_width(shown) <= available:
            self.canvas.put(self.top + item.row, start + (available - cell_width(shown)) // 2, shown)

    def _number(self, item: Number) -> None:
        self.canvas.put(self.top + item.row, self.scene.margin + int(item.x), item.words, item.role)

    def _axis(self, item: Axis) -> None:
        free = 0
        for at, words in sorted((round(self.scene.left_edge(x, len(words))), words) for x, words in item.numbers):
            if at >= free and at + len(words) <= self.scene.inner_width:
                self.canvas.put(self.top + item.row, self.scene.margin + at, words, "faint")
                free = at + len(words) + 1

    def _name(self, item: Name) -> None:
        words = pad(clean(item.words), self.scene.margin - 2)
        self.canvas.put(self.top + item.row, 0, words, item.role, bidi=self.bidi)

    def _baseline(self, item: Shape) -> None:
        start, thin = self._cell(0, item.width), isinstance(item, Baseline) and item.thin
        self.canvas.fill(self.top + item.row, start, start + round(item.width), "·" if thin else "─", "grid")

    _band = _baseline

    def _mark(self, item: Mark) -> None:
        # A comma on a line is easily overlooked, so types are written in reverse video.
        style = f"{STYLES[item.role]} reverse" if item.words else item.role
        self.canvas.put(self.top + item.row, self._cell(item.x, item.width), item.words or "┃", style)

    def _tick(self, item: Tick) -> None:
        row = self.top + item.row + item.rows - 1
        self.canvas.put(row, self._cell(item.x), "╏" if item.broken else "┃", item.role)

    def _ticks(self, item: Ticks) -> None:
        counts = Counter(min(int(x), int(item.width) - 1) for x in item.xs)
        for cell in range(int(item.width)):
            shade = "░▒▓█"[
                min(3, int(4 * (counts[cell] - 1) / max(1, item.most - 1)))
            ]  # a single boundary gets the lightest shade
            sign = "·" if not counts[cell] else "┃" if item.most == 1 else shade
            self.canvas.put(self.top + item.row, self._cell(cell), sign, item.role)

    def _bar_chart(self, item: BarChart) -> None:
        highest = max(1, *item.values)
        for cell, value in enumerate(item.values):
            eighths = math.ceil(value / highest * item.rows * 8)
            for step in range(item.rows):  # bottom up
                block = _BLOCKS[min(8, max(0, eighths - 8 * step))]
                self.canvas.put(self.top + item.row + item.rows - 1 - step, self._cell(cell), block)

    def _interval_line(self, item: IntervalLine) -> None:
        start, stop = self._cell(item.x), self._cell(item.x + item.width)
        self.canvas.fill(self.top + item.row, start, stop + 1, "━", item.role)

    def _marker(self, item: Marker) -> None:
        self.canvas.put(self.top + item.row, self._cell(item.x, cell_width(item.words)), item.words, item.role)

    def _connector(self, item: Connector) -> None:
        first, second = sorted(self._cell(x) for x, _ in item.ends)
        self.canvas.fill(self.top + item.row, first + 1, second, "╌", item.role)

    def _short_connector(self, item: ShortConnector) -> None:
        """Terminals have no space between two rows."""

    def _region(self, item: Region) -> None:
        start, stop = (self.scene.margin + round(x) for x in (item.x, item.x + item.width))
        self.canvas.shade(self.top + item.row + item.rows - 1, start, stop + 1, "░", "faint")

    def _segment_bar(self, item: SegmentBar) -> None:
        row = self.top + item.row
        if item.stroke == "shared":
            start, stop = sorted(self._cell(x) for x in (item.x, item.x + item.width))
            self.canvas.fill(row, start + 1, stop, "─", "grid")
            for end in (start, stop):
                self.canvas.put(row, end, "┃")
            if len(item.words) < stop - start:
                self.canvas.put(row, start + (stop - start + 1 - len(item.words)) // 2, item.words, "strong")
            return
        size = max(round(item.x + item.width) - round(item.x), 1)
        start = self._cell(round(item.x), size)
        opening, between, closing, single = _BARS[item.stroke]
        self.canvas.put(row, start, single if size == 1 else opening + between * (size - 2) + closing, item.role)
        if size >= len(item.words) + 4:
            self.canvas.put(row, start + (size - len(item.words)) // 2, item.words, item.role)

    def _filled_part(self, item: FilledPart) -> None:
        start, stop, label = self._cell(item.x), self._cell(item.x + item.width), f" {item.words} "
        self.canvas.fill(self.top + item.row, start, stop, item.glyph, item.role)
        if item.words and cell_width(label) <= stop - start:
            self.canvas.put(self.top + item.row, start + (stop - start - cell_width(label)) // 2, label, item.role)

    def _stem(self, item: Stem) -> None:
        for row in range(item.row, item.row + item.rows):
            self.canvas.put(self.top + row, self._cell(item.x) + int(item.width) // 2, "│", "grid")

    def _column_boundary(self, item: ColumnBoundary) -> None:
        words = pad(item.words, int(item.width), "centre") if item.words else "━" * int(item.width)
        self.canvas.put(self.top + item.row, self._cell(item.x), words, item.role)

    def _branch(self, item: Branch) -> None:
        self.canvas.put(self.top + item.row, self.scene.margin, item.words, "faint")

    def _diagonal_line(self, item: DiagonalLine) -> None:
        """Draw a line of Braille dots, which allow any slope."""
        ends = [sum(map(self._cell, (round(x), round(x + width)))) / 2 for x, width in (item.above, item.below)]
        steps = item.rows * 4
        points = max(steps, int(abs(ends[1] - ends[0]) * 2) + 1)
        for point in range(points):
            share = (point + 0.5) / points
            column, dot = round((ends[0] + (ends[1] - ends[0]) * share) * 2 + 0.5), int(share * steps)
            self.canvas.dot(self.top + item.row + dot // 4, column // 2, _BRAILLE[column % 2][dot % 4], item.role)

    def _move(self, item: Move) -> None:
        """Draw an arrow in the first free row below the block."""
        start, stop = self._cell(item.x), self._cell(item.to)
        arrow = f"╰{'─' * (stop - start - 1)}▸" if start < stop else f"◂{'─' * (start - stop - 1)}╯"
        words = item.words or arrow
        x = min(start, stop, max(0, self.scene.width - cell_width(words)))  # long words end at the right edge
        row = self.top + len(self.scene.rows)
        while self.canvas.end(row) >= x:
            row += 1
        self.canvas.put(row, x, words, item.role)

    def _shape_group(self, item: ShapeGroup) -> None:
        for each in item.items:
            self.draw_shape(each)
