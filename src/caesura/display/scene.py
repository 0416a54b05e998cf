"""A scene: one drawing as records, in cells, which a terminal (below) and an SVG picture (``strokes``) both know how to write.

A drawing says what stands where and what it means (its role); it never says how a medium shows that. Cells count in reading
direction inside ``room``, behind a margin of names; a scene that runs from right to left is mirrored in one place,
:meth:`Scene.place`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Literal

from caesura.display.cells import Bidi, Canvas, cells, choose_bidi, clean, clip, fold, pad
from caesura.display.palette import STYLES
from caesura.errors import CaesuraError

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.text import Text


# Nobody compares, prints, takes apart or changes items, and to make the methods for that would take longer than a small drawing does.
@dataclass(eq=False, repr=False, match_args=False)
class Item:
    """Something in a row, or several: the box of cells it takes, its words, what it means, and what is said when it is pointed at."""

    row: int
    x: float = 0
    width: float = 1
    words: str = ""
    role: str = "ink"
    tip: str = ""
    rows: int = 1


class Label(Item):
    """Words in their box: a unit of the text."""


@dataclass(eq=False, repr=False, match_args=False)
class Letters(Item):
    """A word of which single letters have a role of their own; ``hint`` is said of it in the row below when it is pointed at or tapped."""

    parts: tuple[tuple[str, str], ...] = ()
    hint: str = ""


class Caption(Item):
    """The name of a segment, in its middle; shown where it fits."""


@dataclass(eq=False, repr=False, match_args=False)
class Number(Item):
    """A number on a ruler, before or behind a row; it stands where it is put, whichever way a text runs."""

    role: str = "faint"


@dataclass(eq=False, repr=False, match_args=False)
class Name(Item):
    """The name of a row, in the margin. ``drawn`` says whether SVG, where signs explain themselves, writes it too."""

    role: str = "faint"
    drawn: bool = True


@dataclass(eq=False, repr=False, match_args=False)
class Axis(Item):
    """Numbers along a continuous axis, each (x, words), with lines through the next ``rows`` rows."""

    numbers: tuple[tuple[float, str], ...] = ()
    rows: int = 0


@dataclass(eq=False, repr=False, match_args=False)
class Line(Item):
    """The line that a row's marks stand on; thin where values are read off it."""

    thin: bool = False


class Band(Item):
    """The stretch of time that a row's ticks stand on."""


class Mark(Item):
    """A boundary in its gap: a stroke, or its type where it has one."""


class Rule(Item):
    """A boundary across a column of a text that runs down the page: a stroke, or its type where it has one."""


class Stem(Item):
    """The line down a column through its rows."""


@dataclass(eq=False, repr=False, match_args=False)
class Tick(Item):
    """A boundary at a time: a stroke through its rows, broken where the other side lacks it; cells have it in the last."""

    broken: bool = False


@dataclass(eq=False, repr=False, match_args=False)
class Ticks(Item):
    """Very many boundaries, told apart by nothing but their role; cells show how many they hold, up to ``most``."""

    xs: tuple[float, ...] = ()
    most: int = 1


@dataclass(eq=False, repr=False, match_args=False)
class Columns(Item):
    """Bars side by side, as high as their ``values``, each with its tip."""

    values: tuple[float, ...] = ()
    tips: tuple[str, ...] = ()


class Spread(Item):
    """An interval from end to end."""


class Sign(Item):
    """A verdict about a place, ● ◐ ○ ≈ ≠ + ×, or the type of a boundary, in the middle of its gap."""


@dataclass(eq=False, repr=False, match_args=False)
class Link(Item):
    """A stroke between two places of one row, each (x, width); it lies under the signs."""

    ends: tuple[tuple[float, float], ...] = ()


@dataclass(eq=False, repr=False, match_args=False)
class Join(Item):
    """A short stroke to a place of the row below; a terminal has no room for it."""

    below: float = 0


class Region(Item):
    """A stretch, shaded."""


@dataclass(eq=False, repr=False, match_args=False)
class Bar(Item):
    """A segment from end to end, its words in the middle: how firm its ``stroke`` is; "shared" ends stand wall to wall."""

    stroke: Literal["heavy", "plain", "broken", "shared"] = "plain"


@dataclass(eq=False, repr=False, match_args=False)
class Share(Item):
    """A part of a whole, filled as densely as ``fill`` (0 to 1) says, which ``glyph`` shows in cells; its words where they fit."""

    glyph: str = "█"
    fill: float = 1.0


class Branch(Item):
    """Branches of a tree before a row, in the letters │ ├ └."""


@dataclass(eq=False, repr=False, match_args=False)
class Edge(Item):
    """A straight line over its rows, from the middle of a box (x, width) above to the middle of one below.

    ``weight`` (0 to 1) says how wide it is, ``broken`` that only one side wants it. ``note`` is where along it its weight is
    written, as a share of its length; None leaves that to the tip.
    """

    above: tuple[float, float] = (0, 0)
    below: tuple[float, float] = (0, 0)
    weight: float = 1.0
    broken: bool = False
    note: float | None = None


@dataclass(eq=False, repr=False, match_args=False)
class Move(Item):
    """Something that went to another place, drawn below its row; with ``words`` where only one of the two is on this line."""

    to: float = 0


@dataclass(eq=False, repr=False, match_args=False)
class Group(Item):
    """What belongs together at one place, with one tip."""

    items: tuple[Item, ...] = ()


@dataclass(frozen=True)
class Scene:
    """Blocks of rows under a heading, a key below.

    Attributes
    ----------
    title, description
        What it shows in a few words, and in sentences for those who cannot see it.
    width, margin
        Cells in all, and of the names at the left; what is between is the room.
    rows
        How tall each row of a block is, in lines of a picture; a terminal gives every row one line.
    blocks
        The items of each block, those below first.
    legend
        What is explained at once, under the heading.
    apart
        Whether an empty line parts two blocks.
    notes
        What a terminal says below, each with its role: what is left out, what cannot be pointed at.
    """

    title: str
    description: str
    heading: str
    key: str
    width: int
    margin: int
    rows: tuple[float, ...]
    blocks: tuple[tuple[Item, ...], ...]
    direction: Literal["ltr", "rtl"] = "ltr"
    legend: str = ""
    apart: bool = True
    notes: tuple[tuple[str, str], ...] = ()

    @property
    def room(self) -> int:
        """Cells beside the margin."""
        return max(8, self.width - self.margin)

    @cached_property
    def tops(self) -> tuple[float, ...]:
        """Where each row of a block begins, in lines, and where the last one ends."""
        return tuple(accumulate(self.rows, initial=0.0))

    def place(self, x: float, width: float = 1) -> float:
        """Return the left edge of a box inside the room: the one place where scenes from right to left are mirrored."""
        return self.room - x - width if self.direction == "rtl" else x


class Picture(ABC):
    """Something to look at: in the terminal, as SVG, and by itself in a notebook."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What it shows, in a few words."""

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
    """A picture of any width: a drawing implements :meth:`scene`, the back ends do the rest."""

    @abstractmethod
    def scene(self, width: int, *, fine: bool) -> Scene:
        """Lay it out in ``width`` cells; ``fine`` where a medium knows parts of cells, so that scales need not be coarse."""

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw for a terminal of ``width`` cells."""
        return _draw_cells(self.scene(width, fine=False), bidi)

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw as SVG, about ``width`` letters wide."""
        from caesura.display.strokes import draw_svg

        return draw_svg(self.scene(width, fine=True), style=style)


@dataclass(frozen=True)
class Stack(Picture):
    """Several pictures as one."""

    parts: tuple[Picture, ...]
    title: str = "several texts"

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw one below the other, an empty line between."""
        from rich.text import Text

        drawn = Text("\n\n", end="").join(part.terminal(width, bidi=bidi) for part in self.parts)
        drawn.no_wrap, drawn.overflow, drawn.end = True, "ignore", ""
        return drawn

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Put the pictures into one, each at its height."""
        from caesura.display.svg import stack_svgs

        return stack_svgs([part.svg(width, style=False) for part in self.parts], title=self.title, style=style)


def stack(parts: Sequence[Picture]) -> Picture:
    """Make one picture of several; of one, itself."""
    if not parts:
        raise CaesuraError("there is nothing to draw: the corpus holds no annotation.")
    return parts[0] if len(parts) == 1 else Stack(tuple(parts), title=f"{parts[0].title} and {len(parts) - 1} more")


# ---------------------------------------------------------------------- in cells of a terminal

_BLOCKS = " ▁▂▃▄▅▆▇█"
_BRAILLE = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))  # two by four dots per cell
#: How a bar opens, goes on and closes, and a bar of one cell.
_BARS = {"heavy": ("┣", "━", "┫", "╋"), "plain": ("├", "─", "┤", "┼"), "broken": ("├", "┄", "┤", "┼")}


def _draw_cells(scene: Scene, bidi: Bidi = "auto") -> Text:
    """Draw a scene in as many cells as it has."""
    canvas, turned = Canvas(), choose_bidi(bidi)
    if scene.heading:
        canvas.put(0, 0, clip(scene.heading, scene.width), "strong", bidi=turned)
    for line in fold(scene.legend, scene.width) if scene.legend else ():
        canvas.put(canvas.height, 0, line, "faint", bidi=turned)
    for number, block in enumerate(scene.blocks):
        block_writer = _Block(canvas, scene, canvas.height + (scene.apart and number > 0), turned)
        canvas.put(block_writer.top + len(scene.rows) - 1, 0, "")
        for item in sorted(block, key=lambda item: not isinstance(item, Link)):  # links lie below everything
            block_writer.draw_item(item)
    for note, role in scene.notes:
        canvas.put(canvas.height, 0, clip(note, scene.width), role)
    canvas.text_block(fold(scene.key, scene.width) if scene.key else (), role="faint")
    return canvas.text()


@dataclass(frozen=True)
class _Block:
    """One block of a scene on a canvas: every kind of item as cells."""

    canvas: Canvas
    scene: Scene
    top: int
    bidi: Literal["terminal", "us"]

    def _cell(self, x: float, width: float = 1) -> int:
        return self.scene.margin + round(self.scene.place(x, width))

    def draw_item(self, item: Item) -> None:
        """Write one item, by the method of its name."""
        getattr(self, f"_{type(item).__name__.lower()}")(item)

    def _label(self, item: Item) -> None:
        shown = clip(clean(item.words), int(item.width))
        self.canvas.put(self.top + item.row, self._cell(item.x, cells(shown)), shown, item.role, bidi=self.bidi)

    _letters = _label

    def _caption(self, item: Caption) -> None:
        shown, start = clean(item.words), self._cell(item.x, item.width) + 1  # behind the boundary
        room = round(item.x + item.width) - round(item.x) - 1
        if 0 < cells(shown) <= room:
            self.canvas.put(self.top + item.row, start + (room - cells(shown)) // 2, shown)

    def _number(self, item: Number) -> None:
        self.canvas.put(self.top + item.row, self.scene.margin + int(item.x), item.words, item.role)

    def _axis(self, item: Axis) -> None:
        free = 0
        for at, words in sorted((round(self.scene.place(x, len(words))), words) for x, words in item.numbers):
            if at >= free and at + len(words) <= self.scene.room:
                self.canvas.put(self.top + item.row, self.scene.margin + at, words, "faint")
                free = at + len(words) + 1

    def _name(self, item: Name) -> None:
        words = pad(clean(item.words), self.scene.margin - 2)
        self.canvas.put(self.top + item.row, 0, words, item.role, bidi=self.bidi)

    def _line(self, item: Item) -> None:
        start, thin = self._cell(0, item.width), isinstance(item, Line) and item.thin
        self.canvas.fill(self.top + item.row, start, start + round(item.width), "·" if thin else "─", "grid")

    _band = _line

    def _mark(self, item: Mark) -> None:
        # A comma on a line is easily overlooked, so types stand on their colour.
        style = f"{STYLES[item.role]} reverse" if item.words else item.role
        self.canvas.put(self.top + item.row, self._cell(item.x, item.width), item.words or "┃", style)

    def _tick(self, item: Tick) -> None:
        row = self.top + item.row + item.rows - 1
        self.canvas.put(row, self._cell(item.x), "╏" if item.broken else "┃", item.role)

    def _ticks(self, item: Ticks) -> None:
        counts = Counter(min(int(x), int(item.width) - 1) for x in item.xs)
        for cell in range(int(item.width)):
            shade = "░▒▓█"[min(3, int(4 * (counts[cell] - 1) / max(1, item.most - 1)))]  # one boundary is a thin mark
            sign = "·" if not counts[cell] else "┃" if item.most == 1 else shade
            self.canvas.put(self.top + item.row, self._cell(cell), sign, item.role)

    def _columns(self, item: Columns) -> None:
        highest = max(1, *item.values)
        for cell, value in enumerate(item.values):
            eighths = math.ceil(value / highest * item.rows * 8)
            for step in range(item.rows):  # from below
                block = _BLOCKS[min(8, max(0, eighths - 8 * step))]
                self.canvas.put(self.top + item.row + item.rows - 1 - step, self._cell(cell), block)

    def _spread(self, item: Spread) -> None:
        start, stop = self._cell(item.x), self._cell(item.x + item.width)
        self.canvas.fill(self.top + item.row, start, stop + 1, "━", "faint")

    def _sign(self, item: Sign) -> None:
        self.canvas.put(self.top + item.row, self._cell(item.x, cells(item.words)), item.words, item.role)

    def _link(self, item: Link) -> None:
        first, second = sorted(self._cell(x) for x, _ in item.ends)
        self.canvas.fill(self.top + item.row, first + 1, second, "╌", item.role)

    def _join(self, item: Join) -> None:
        """There is no room between two rows."""

    def _region(self, item: Region) -> None:
        start, stop = (self.scene.margin + round(x) for x in (item.x, item.x + item.width))
        self.canvas.shade(self.top + item.row + item.rows - 1, start, stop + 1, "░", "faint")

    def _bar(self, item: Bar) -> None:
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

    def _share(self, item: Share) -> None:
        start, stop, label = self._cell(item.x), self._cell(item.x + item.width), f" {item.words} "
        self.canvas.fill(self.top + item.row, start, stop, item.glyph, item.role)
        if item.words and cells(label) <= stop - start:
            self.canvas.put(self.top + item.row, start + (stop - start - cells(label)) // 2, label, item.role)

    def _stem(self, item: Stem) -> None:
        for row in range(item.row, item.row + item.rows):
            self.canvas.put(self.top + row, self._cell(item.x) + int(item.width) // 2, "│", "grid")

    def _rule(self, item: Rule) -> None:
        words = pad(item.words, int(item.width), "centre") if item.words else "━" * int(item.width)
        self.canvas.put(self.top + item.row, self._cell(item.x), words, item.role)

    def _branch(self, item: Branch) -> None:
        self.canvas.put(self.top + item.row, self.scene.margin, item.words, "faint")

    def _edge(self, item: Edge) -> None:
        """A line of Braille dots, so that any slope goes."""
        ends = [sum(map(self._cell, (round(x), round(x + width)))) / 2 for x, width in (item.above, item.below)]
        steps = item.rows * 4
        points = max(steps, int(abs(ends[1] - ends[0]) * 2) + 1)
        for point in range(points):
            share = (point + 0.5) / points
            column, dot = round((ends[0] + (ends[1] - ends[0]) * share) * 2 + 0.5), int(share * steps)
            self.canvas.dot(self.top + item.row + dot // 4, column // 2, _BRAILLE[column % 2][dot % 4], item.role)

    def _move(self, item: Move) -> None:
        """An arrow in the first row below the block that is free there."""
        start, stop = self._cell(item.x), self._cell(item.to)
        arrow = f"╰{'─' * (stop - start - 1)}▸" if start < stop else f"◂{'─' * (start - stop - 1)}╯"
        words, x = item.words or arrow, min(start, stop)
        row = self.top + len(self.scene.rows)
        while self.canvas.end(row) >= x:
            row += 1
        self.canvas.put(row, x, words, item.role)

    def _group(self, item: Group) -> None:
        for each in item.items:
            self.draw_item(each)
