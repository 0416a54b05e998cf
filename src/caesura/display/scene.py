"""A scene: one drawing as records, in cells, which a terminal and an SVG picture both know how to write.

A drawing says what stands where and what it means (its role); it never says how a medium shows that. Cells count in reading
direction inside ``room``, behind a margin of names; a scene that runs from right to left is mirrored in one place,
:meth:`Scene.place`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from caesura.display.writing import Bidi

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.text import Text

__all__ = [
    "Axis", "Band", "Bar", "Branch", "Caption", "Edge", "Group", "Item", "Join", "Label", "Line", "Link", "Mark", "Move", "Name",
    "Number", "Picture", "Region", "Rule", "Scene", "ScenePicture", "Share", "Sign", "Stem", "Tick", "Ticks",
]  # fmt: skip


@dataclass(frozen=True)
class Label:
    """Words in their box of ``width`` cells: a unit of the text."""

    row: int
    x: int
    width: int
    words: str
    role: str = "ink"


@dataclass(frozen=True)
class Caption:
    """The name of a segment, in its middle; shown where it fits."""

    row: int
    x: float
    width: float
    words: str


@dataclass(frozen=True)
class Number:
    """A number on a ruler."""

    row: int
    x: int
    words: str


@dataclass(frozen=True)
class Axis:
    """Numbers along a continuous axis, each (x, words), with lines through the next ``rows`` rows."""

    row: int
    numbers: tuple[tuple[float, str], ...]
    rows: int


@dataclass(frozen=True)
class Name:
    """The name of a row, in the margin. ``drawn`` says whether SVG, where signs explain themselves, writes it too."""

    row: int
    words: str
    drawn: bool = True
    role: Literal["faint", "strong"] = "faint"


@dataclass(frozen=True)
class Line:
    """The line that a row's marks stand on."""

    row: int
    width: int


@dataclass(frozen=True)
class Band:
    """The stretch of time that a row's ticks stand on."""

    row: int
    width: float


@dataclass(frozen=True)
class Mark:
    """A boundary in a gap of ``width`` cells: a stroke, or its type where it has one."""

    row: int
    x: int
    width: int
    words: str
    role: str


@dataclass(frozen=True)
class Tick:
    """A boundary at a time: a stroke, broken where the other side lacks it."""

    row: int
    x: float
    role: str
    tip: str
    broken: bool = False


@dataclass(frozen=True)
class Ticks:
    """Very many boundaries, told apart by nothing but their role."""

    row: int
    xs: tuple[float, ...]
    role: str


@dataclass(frozen=True)
class Sign:
    """A verdict about a place: ● ◐ ○ ≈ ≠ + ×, in the middle of its gap."""

    row: int
    x: float
    width: float
    glyph: str
    role: str
    tip: str = ""


@dataclass(frozen=True)
class Link:
    """A stroke between two places of one row, each (x, width); it lies under the signs."""

    row: int
    ends: tuple[tuple[int, int], tuple[int, int]]
    role: str
    tip: str = ""


@dataclass(frozen=True)
class Join:
    """A short stroke from a place of one row to a place of the row below; a terminal has no room for it."""

    row: int
    x: float
    below: float
    role: str


@dataclass(frozen=True)
class Region:
    """A stretch of ``rows`` rows, shaded."""

    row: int
    x: float
    width: float
    role: str
    tip: str
    rows: int = 1


@dataclass(frozen=True)
class Bar:
    """A segment from end to end with words in its middle.

    ``stroke`` says how firm it is; neighbours with "shared" ends stand wall to wall.
    """

    row: int
    x: float
    width: float
    words: str
    role: str
    tip: str
    stroke: Literal["heavy", "plain", "broken", "shared"] = "plain"


@dataclass(frozen=True)
class Share:
    """A part of a whole, filled as densely as ``fill`` (0 to 1) says, which ``glyph`` shows in cells; its words where they fit."""

    row: int
    x: float
    width: float
    words: str
    role: str
    glyph: str
    fill: float
    tip: str


@dataclass(frozen=True)
class Stem:
    """A line down the page through ``rows`` rows, in the middle of a column of ``width`` cells."""

    row: int
    x: int
    width: int
    rows: int


@dataclass(frozen=True)
class Rule:
    """A boundary across a column of ``width`` cells: a stroke, or its type where it has one."""

    row: int
    x: int
    width: int
    words: str
    role: str


@dataclass(frozen=True)
class Branch:
    """Branches of a tree before a row, in the letters │ ├ └."""

    row: int
    words: str


@dataclass(frozen=True)
class Edge:
    """A straight line over ``rows`` rows, from the middle of a box (x, width) above to the middle of one below.

    ``weight`` (0 to 1) says how wide it is, ``broken`` that only one side wants it. ``note`` is where along it its weight is
    written, as a share of its length; None leaves that to the tip.
    """

    row: int
    rows: int
    above: tuple[float, float]
    below: tuple[float, float]
    role: str
    weight: float
    broken: bool
    note: float | None
    tip: str


@dataclass(frozen=True)
class Move:
    """Something that went from one place to another, below its row; ``words`` where only one of the two is on this line."""

    row: int
    x: float
    to: float
    role: str
    words: str = ""


@dataclass(frozen=True)
class Group:
    """What belongs together at one place, with what is said when it is pointed at."""

    tip: str
    items: tuple[Mark | Rule | Sign, ...]


Item: TypeAlias = (
    Label | Caption | Number | Axis | Name | Line | Band | Mark | Tick | Ticks | Sign | Link | Join | Region | Bar | Share | Stem
    | Rule | Branch | Edge | Move | Group
)  # fmt: skip


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
        from caesura.display.cells import draw_cells

        return draw_cells(self.scene(width, fine=False), bidi)

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw as SVG, about ``width`` letters wide."""
        from caesura.display.svg import draw_svg

        return draw_svg(self.scene(width, fine=True), style=style)
