"""The terminal: a canvas of styled cells, and scenes written onto it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from caesura.display import scene as items
from caesura.display.palette import STYLES
from caesura.display.scene import Item, Scene
from caesura.display.text_cells import ISOLATE, Bidi, cells, choose_bidi, clean, clip, clusters, fold, pad, word

if TYPE_CHECKING:
    from rich.text import Text

_BLOCKS = " ▁▂▃▄▅▆▇█"
_BRAILLE = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))  # two by four dots per cell
#: How a bar opens, goes on and closes, and a bar of one cell.
_BARS = {"heavy": ("┣", "━", "┫", "╋"), "plain": ("├", "─", "┤", "┼"), "broken": ("├", "┄", "┤", "┼")}


class Canvas:
    """A grid of styled cells that grows downwards; things are put at (row, column) and later ones cover earlier ones.

    Examples
    --------
    >>> canvas = Canvas()
    >>> canvas.put(0, 0, "────┃───")
    >>> canvas.put(1, 4, "●", "match")
    >>> print(canvas.plain())
    ────┃───
        ●
    """

    def __init__(self) -> None:
        self._rows: list[dict[int, tuple[str, int, str]]] = []

    @property
    def height(self) -> int:
        """Rows so far."""
        return len(self._rows)

    def put(
        self, row: int, column: int, text: str, role: str = "ink", *, bidi: Literal["terminal", "us"] = "terminal"
    ) -> None:
        """Put text with its first cell at ``column``; a right-to-left word takes the same cells, turned as ``bidi`` says."""
        while len(self._rows) <= row:
            self._rows.append({})
        ready = word(text, bidi)
        here = self._rows[row]
        pieces = [ready] if ready.startswith(ISOLATE) else clusters(ready)
        for piece in pieces:
            size = cells(piece)
            if size:
                if column not in here or here[column][1] != size:
                    self._clear(here, column, size)
                here[column] = (piece, size, role)
            column += size

    def fill(self, row: int, start: int, stop: int, character: str, role: str = "ink") -> None:
        """Repeat a one-cell character over columns ``start`` to ``stop`` - 1."""
        self.put(row, start, character * max(stop - start, 0), role)

    def shade(self, row: int, start: int, stop: int, character: str, role: str = "ink") -> None:
        """Like :meth:`fill`, only where something stands already."""
        for column in range(start, stop):
            if column in self._rows[row]:
                self.put(row, column, character, role)

    def dot(self, row: int, column: int, bits: int, role: str) -> None:
        """Add dots of a Braille cell to those that are there."""
        here = self._rows[row]
        before = here.get(column, ("\u2800", 1, role))[0]
        here[column] = (chr(ord(before) | bits), 1, role)

    def end(self, row: int) -> int:
        """Return the first free column of a row; -1 where it has nothing."""
        here = self._rows[row] if row < self.height else {}
        return max((column + size for column, (_, size, _) in here.items()), default=-1)

    @staticmethod
    def _clear(here: dict[int, tuple[str, int, str]], column: int, size: int) -> None:
        for at in [c for c, (_, wide, _) in here.items() if c < column + size and column < c + wide]:
            del here[at]

    def _lines(self) -> Iterable[list[tuple[str, str]]]:
        for row in self._rows:
            line: list[tuple[str, str]] = []
            at = 0
            for column in sorted(row):
                piece, size, role = row[column]
                if column > at:
                    line.append((" " * (column - at), "ink"))
                if line and line[-1][1] == role:  # neighbours of one role make one piece, and one colour code
                    line[-1] = (line[-1][0] + piece, role)
                else:
                    line.append((piece, role))
                at = column + size
            yield line

    def plain(self) -> str:
        """Return the drawing without styles, lines without trailing spaces."""
        return "\n".join("".join(piece for piece, _ in line).rstrip() for line in self._lines())

    def text(self) -> Text:
        """Return the drawing as Rich text that is never wrapped again."""
        from rich.text import Text

        drawn = Text(no_wrap=True, overflow="ignore", end="")
        for number, line in enumerate(self._lines()):
            if number:
                drawn.append("\n")
            for piece, role in line:
                drawn.append(piece, STYLES.get(role, role) or None)
        return drawn

    def text_block(self, lines: Sequence[str], role: str) -> None:
        """Put several lines below everything."""
        start = self.height
        for number, line in enumerate(lines):
            self.put(start + number, 0, line, role)


def draw_cells(scene: Scene, bidi: Bidi = "auto") -> Text:
    """Draw a scene in as many cells as it has."""
    canvas, turned = Canvas(), choose_bidi(bidi)
    if scene.heading:
        canvas.put(0, 0, clip(scene.heading, scene.width), "strong", bidi=turned)
    for line in fold(scene.legend, scene.width) if scene.legend else ():
        canvas.put(canvas.height, 0, line, "faint", bidi=turned)
    for number, block in enumerate(scene.blocks):
        block_writer = _Block(canvas, scene, canvas.height + (scene.apart and number > 0), turned)
        canvas.put(block_writer.top + len(scene.rows) - 1, 0, "")
        for item in sorted(block, key=lambda item: not isinstance(item, items.Link)):  # links lie below everything
            block_writer.put(item)
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

    def put(self, item: Item) -> None:
        """Write one item, by the method of its name."""
        getattr(self, f"_{type(item).__name__.lower()}")(item)

    def _label(self, item: items.Label) -> None:
        shown = clip(clean(item.words), int(item.width))
        self.canvas.put(self.top + item.row, self._cell(item.x, cells(shown)), shown, item.role, bidi=self.bidi)

    def _letters(self, item: items.Letters) -> None:
        self._label(items.Label(item.row, item.x, item.width, item.words, item.role))

    def _caption(self, item: items.Caption) -> None:
        shown, start = clean(item.words), self._cell(item.x, item.width) + 1  # behind the boundary
        room = round(item.x + item.width) - round(item.x) - 1
        if 0 < cells(shown) <= room:
            self.canvas.put(self.top + item.row, start + (room - cells(shown)) // 2, shown)

    def _number(self, item: items.Number) -> None:
        self.canvas.put(self.top + item.row, self.scene.margin + int(item.x), item.words, item.role)

    def _axis(self, item: items.Axis) -> None:
        free = 0
        for at, words in sorted((round(self.scene.place(x, len(words))), words) for x, words in item.numbers):
            if at >= free and at + len(words) <= self.scene.room:
                self.canvas.put(self.top + item.row, self.scene.margin + at, words, "faint")
                free = at + len(words) + 1

    def _name(self, item: items.Name) -> None:
        words = pad(clean(item.words), self.scene.margin - 2)
        self.canvas.put(self.top + item.row, 0, words, item.role, bidi=self.bidi)

    def _line(self, item: Item) -> None:
        start, thin = self._cell(0, item.width), isinstance(item, items.Line) and item.thin
        self.canvas.fill(self.top + item.row, start, start + round(item.width), "·" if thin else "─", "grid")

    _band = _line

    def _mark(self, item: items.Mark) -> None:
        # A comma on a line is easily overlooked, so types stand on their colour.
        style = f"{STYLES[item.role]} reverse" if item.words else item.role
        self.canvas.put(self.top + item.row, self._cell(item.x, item.width), item.words or "┃", style)

    def _tick(self, item: items.Tick) -> None:
        row = self.top + item.row + item.rows - 1
        self.canvas.put(row, self._cell(item.x), "╏" if item.broken else "┃", item.role)

    def _ticks(self, item: items.Ticks) -> None:
        counts = Counter(min(int(x), int(item.width) - 1) for x in item.xs)
        for cell in range(int(item.width)):
            shade = "░▒▓█"[min(3, int(4 * (counts[cell] - 1) / max(1, item.most - 1)))]  # one boundary is a thin mark
            sign = "·" if not counts[cell] else "┃" if item.most == 1 else shade
            self.canvas.put(self.top + item.row, self._cell(cell), sign, item.role)

    def _columns(self, item: items.Columns) -> None:
        highest = max(1, *item.values)
        for cell, value in enumerate(item.values):
            eighths = math.ceil(value / highest * item.rows * 8)
            for step in range(item.rows):  # from below
                block = _BLOCKS[min(8, max(0, eighths - 8 * step))]
                self.canvas.put(self.top + item.row + item.rows - 1 - step, self._cell(cell), block)

    def _spread(self, item: items.Spread) -> None:
        start, stop = self._cell(item.x), self._cell(item.x + item.width)
        self.canvas.fill(self.top + item.row, start, stop + 1, "━", "faint")

    def _sign(self, item: items.Sign) -> None:
        self.canvas.put(self.top + item.row, self._cell(item.x, cells(item.words)), item.words, item.role)

    def _link(self, item: items.Link) -> None:
        first, second = sorted(self._cell(x) for x, _ in item.ends)
        self.canvas.fill(self.top + item.row, first + 1, second, "╌", item.role)

    def _join(self, item: items.Join) -> None:
        """There is no room between two rows."""

    def _region(self, item: items.Region) -> None:
        start, stop = (self.scene.margin + round(x) for x in (item.x, item.x + item.width))
        self.canvas.shade(self.top + item.row + item.rows - 1, start, stop + 1, "░", "faint")

    def _bar(self, item: items.Bar) -> None:
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

    def _share(self, item: items.Share) -> None:
        start, stop, label = self._cell(item.x), self._cell(item.x + item.width), f" {item.words} "
        self.canvas.fill(self.top + item.row, start, stop, item.glyph, item.role)
        if item.words and cells(label) <= stop - start:
            self.canvas.put(self.top + item.row, start + (stop - start - cells(label)) // 2, label, item.role)

    def _stem(self, item: items.Stem) -> None:
        for row in range(item.row, item.row + item.rows):
            self.canvas.put(self.top + row, self._cell(item.x) + int(item.width) // 2, "│", "grid")

    def _rule(self, item: items.Rule) -> None:
        words = pad(item.words, int(item.width), "centre") if item.words else "━" * int(item.width)
        self.canvas.put(self.top + item.row, self._cell(item.x), words, item.role)

    def _branch(self, item: items.Branch) -> None:
        self.canvas.put(self.top + item.row, self.scene.margin, item.words, "faint")

    def _edge(self, item: items.Edge) -> None:
        """A line of Braille dots, so that any slope goes."""
        ends = [sum(map(self._cell, (round(x), round(x + width)))) / 2 for x, width in (item.above, item.below)]
        steps = item.rows * 4
        points = max(steps, int(abs(ends[1] - ends[0]) * 2) + 1)
        for point in range(points):
            share = (point + 0.5) / points
            column, dot = round((ends[0] + (ends[1] - ends[0]) * share) * 2 + 0.5), int(share * steps)
            self.canvas.dot(self.top + item.row + dot // 4, column // 2, _BRAILLE[column % 2][dot % 4], item.role)

    def _move(self, item: items.Move) -> None:
        """An arrow in the first row below the block that is free there."""
        start, stop = self._cell(item.x), self._cell(item.to)
        arrow = f"╰{'─' * (stop - start - 1)}▸" if start < stop else f"◂{'─' * (start - stop - 1)}╯"
        words, x = item.words or arrow, min(start, stop)
        row = self.top + len(self.scene.rows)
        while self.canvas.end(row) >= x:
            row += 1
        self.canvas.put(row, x, words, item.role)

    def _group(self, item: items.Group) -> None:
        for each in item.items:
            self.put(each)
