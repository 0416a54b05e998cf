"""A scene: one drawing as records, in cells, which a terminal and an SVG picture both know how to write.

A drawing says what stands where and what it means (its role); it never says how a medium shows that. Cells count in reading
direction inside ``room``, behind a margin of names; a scene that runs from right to left is mirrored in one place,
:meth:`Scene.place`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Literal

from caesura.display.text_cells import Bidi
from caesura.errors import CaesuraError

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.text import Text


# Nobody compares, prints, takes apart or changes items, and to make the methods for that would take longer than a small drawing does.
@dataclass(eq=False, repr=False, match_args=False)
class Item:
    """Something in a row: the box of cells it takes, its words, what it means, and what is said when it is pointed at."""

    row: int
    x: float = 0
    width: float = 1
    words: str = ""
    role: str = "ink"
    tip: str = ""


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


@dataclass(eq=False, repr=False, match_args=False)
class Stem(Item):
    """The line down a column through ``rows`` rows."""

    rows: int = 1


@dataclass(eq=False, repr=False, match_args=False)
class Tick(Item):
    """A boundary at a time: a stroke through ``rows`` rows, broken where the other side lacks it; cells have it in the last."""

    broken: bool = False
    rows: int = 1


@dataclass(eq=False, repr=False, match_args=False)
class Ticks(Item):
    """Very many boundaries, told apart by nothing but their role; cells show how many they hold, up to ``most``."""

    xs: tuple[float, ...] = ()
    most: int = 1


@dataclass(eq=False, repr=False, match_args=False)
class Columns(Item):
    """Bars side by side over ``rows`` rows, as high as their ``values``, each with its tip."""

    values: tuple[int, ...] = ()
    tips: tuple[str, ...] = ()
    rows: int = 1


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


@dataclass(eq=False, repr=False, match_args=False)
class Region(Item):
    """A stretch of ``rows`` rows, shaded."""

    rows: int = 1


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
    """A straight line over ``rows`` rows, from the middle of a box (x, width) above to the middle of one below.

    ``weight`` (0 to 1) says how wide it is, ``broken`` that only one side wants it. ``note`` is where along it its weight is
    written, as a share of its length; None leaves that to the tip.
    """

    rows: int = 1
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
        from caesura.display.cells import draw_cells

        return draw_cells(self.scene(width, fine=False), bidi)

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
