"""The operations between two annotators, drawn onto the text: what each wrote, what became of it, and where it went."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from caesura.display.cells import Canvas
from caesura.display.scene import Picture
from caesura.display.svg import CELL, LINE, Svg
from caesura.display.writing import Bidi, cells, choose_bidi, clean, clip, is_rtl, pad, widest
from caesura.drawings.layout import Wrapped, wrap_units
from caesura.metrics.operations import Operation, Operations, flexible_operations
from caesura.model import Corpus, Segmentation

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["DrawnOperations", "draw_operations"]

_NAME = 16
_LINES = 24  # lines of text drawn before the rest is only counted
_ROLES = {
    "match": "match", "substitution": "substitution", "transposition": "near",
    "transposition + substitution": "near", "deletion": "miss", "addition": "miss",
}  # fmt: skip
_NOTHING = "∅"


def draw_operations(
    corpus: Corpus,
    *,
    similarity: Any = None,
    transposition: Any = None,
    moved: Any = "cheaper",
    ties: Any = "most",
    forced: bool = True,
) -> Picture:
    """Draw what turns the first coder's boundaries into the second's, under flexible similarity."""
    marks = {a.coder: a.marks for a in corpus if isinstance(a.marks, Segmentation)}
    one, two = (marks[name] for name in corpus.coders)
    found = flexible_operations(one, two, similarity, transposition, moved=moved, ties=ties, forced=forced)
    return DrawnOperations(found, one.units or two.units, int(one.length), corpus.coders, corpus.items[0])


@dataclass(frozen=True)
class DrawnOperations(Picture):
    """Two rows of boundary signs around a line of text; ∅ stands where one has nothing, arrows lead moved ones home.

    Lines on which all boundaries match are left out of long texts.
    """

    operations: Operations
    units: tuple[str, ...] | None
    length: int
    names: tuple[str, ...]
    item: str

    @property
    def title(self) -> str:
        """The text and the numbers."""
        n, c, b = self.operations.potential, self.operations.cost, self.operations.boundaries
        scores = f"Sf {1 - c / n if n else 1:.4f} · SfB {1 - c / b if b else 1:.4f}"
        return f"{self.item + ': ' if self.item else ''}cost {c:g} over {b} boundaries in {n} places · {scores}"

    @cached_property
    def _rtl(self) -> bool:
        return self.units is not None and any(map(is_rtl, self.units[:50]))

    @cached_property
    def _at(self) -> dict[int, list[tuple[int, str, Operation]]]:
        """For each position, what stands in the rows of either side: side, sign, operation."""
        placed: dict[int, list[tuple[int, str, Operation]]] = {}
        for each in self.operations:
            for side, at, kind in ((0, each.old_position, each.old_type), (1, each.new_position, each.new_type)):
                if at is not None:
                    placed.setdefault(at, []).append((side, clean(str(kind)), each))
        for at, here in placed.items():
            if len(here) == 1:
                side, _, each = here[0]
                placed[at] = [*here, (1 - side, _NOTHING, each)]
        return placed

    def _unit(self, number: int) -> str:
        return clean(self.units[number - 1]) if self.units is not None else "·"

    def _lines(self, room: int) -> tuple[list[Wrapped], int]:
        """Lay the text out; return the lines to draw and how many are left out."""
        widths = [max(1, cells(self._unit(i))) for i in range(1, self.length + 1)]
        gaps = [max((cells(s) + 2 for _, s, _ in self._at.get(i, [])), default=1) for i in range(1, self.length + 1)]
        lines = wrap_units(widths, gaps, room)
        if len(lines) > _LINES:
            lines = [line for line in lines if any(each.kind != "match" for each in self._on(line))]
        return lines[:_LINES], len(lines) - len(lines[:_LINES])

    def _on(self, line: Wrapped) -> list[Operation]:
        placed = [each for at in range(line.first, line.last + 1) for _, _, each in self._at.get(at, [])]
        return list(dict.fromkeys(placed))

    @property
    def _key(self) -> str:
        counts = {kind: n for kind, n in self.operations.counts().items() if n}
        return " · ".join(f"{kind} {n}" for kind, n in counts.items()) or "no boundaries"

    def _margin(self) -> int:
        return widest(self.names, _NAME) + 2

    # ------------------------------------------------------------------ in a terminal

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw signs above and below the text, and arrows for what was moved."""
        canvas, turned, margin = Canvas(), choose_bidi(bidi), self._margin()
        room = max(12, width - margin)
        canvas.put(0, 0, clip(self.title, width), "strong", bidi=turned)
        lines, left = self._lines(room)
        for line in lines:
            top = canvas.height + (line is not lines[0])
            for row, name in ((top, self.names[0]), (top + 2, self.names[1])):
                canvas.put(row, 0, pad(clean(name), margin - 2), "faint", bidi=turned)
            for number, (start, wide) in enumerate(zip(line.starts, line.widths, strict=True), line.first):
                x = margin + line.column(start, wide, rtl=self._rtl, room=room if self._rtl else None)
                canvas.put(top + 1, x, clip(self._unit(number), wide), bidi=turned)
                for side, sign, each in self._at.get(number, []):
                    role = "faint" if sign == _NOTHING else _ROLES[each.kind]
                    canvas.put(top + 2 * side, margin + self._x(line, number, cells(sign), room), sign, role)
            self._arrows(canvas, line, top + 3, margin, room)
        if left:
            canvas.put(canvas.height, 0, f"… and {left} more lines with differences", "faint")
        canvas.put(canvas.height, 0, clip(self._key, width), "faint")
        return canvas.text()

    def _x(self, line: Wrapped, number: int, size: int, room: int) -> int:
        """Where in a line the sign behind a unit stands."""
        at = line.gaps[number - line.first] + 1
        return line.column(at, size, rtl=self._rtl, room=room if self._rtl else None)

    def _arrows(self, canvas: Canvas, line: Wrapped, top: int, margin: int, room: int) -> None:
        ends: list[int] = []  # the last cell taken in each row of arrows
        for each in self._on(line):
            old, new = each.old_position, each.new_position
            if old is None or new is None or old == new:
                continue
            inside = [at for at in (old, new) if line.first <= at <= line.last]
            if len(inside) < 2:  # the other end is on another line: say where
                x = margin + self._x(line, inside[0], 1, room)
                self._say(canvas, ends, top, x, f"↷ {new if inside[0] == old else old}")
                continue
            a, b = (margin + self._x(line, at, 1, room) for at in (old, new))
            body = f"╰{'─' * (b - a - 1)}▸" if a < b else f"◂{'─' * (a - b - 1)}╯"
            self._say(canvas, ends, top, min(a, b), body)

    @staticmethod
    def _say(canvas: Canvas, ends: list[int], top: int, x: int, words: str) -> None:
        row = next((i for i, end in enumerate(ends) if end < x), len(ends))
        if row == len(ends):
            ends.append(0)
        ends[row] = x + cells(words)
        canvas.put(top + row, x, words, "near")

    # ------------------------------------------------------------------ as SVG

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw the same with curves from where a boundary was to where it went."""
        margin = self._margin()
        room = max(12, width - margin)
        lines, left = self._lines(room)
        block, top = LINE * 4.6, LINE * 2.0
        picture = Svg(
            width * CELL + 16, top + block * len(lines) + LINE * 1.6,
            title=self.title, description=self._described(), style=style,
        )  # fmt: skip
        picture.text(8, LINE, clip(self.title, width), weight="bold")
        for number, line in enumerate(lines):
            with picture.group(transform=f"translate(8 {top + number * block:g})"):
                self._svg_line(picture, line, margin, room)
        key = f"{self._key} · {left} more lines with differences" if left else self._key
        picture.text(8, picture.height - LINE * 0.5, clip(key, width), "faint", size=12)
        return picture.render()

    def _svg_line(self, picture: Svg, line: Wrapped, margin: int, room: int) -> None:
        rows = (LINE * 0.9, LINE * 2.0, LINE * 3.1)
        for y, name in ((rows[0], self.names[0]), (rows[2], self.names[1])):
            picture.text(0, y, clip(clean(name), margin - 2), "faint", size=12, rtl=False)

        def middle(at: int, size: int = 1) -> float:
            return CELL * (margin + self._x(line, at, size, room) + size / 2)

        for number, (start, wide) in enumerate(zip(line.starts, line.widths, strict=True), line.first):
            x = CELL * (margin + line.column(start, wide, rtl=self._rtl, room=room if self._rtl else None) + wide / 2)
            picture.text(x, rows[1], clip(self._unit(number), wide), anchor="middle", rtl=False)
            for side, sign, each in self._at.get(number, []):
                role = "faint" if sign == _NOTHING else _ROLES[each.kind]
                with picture.group(tip=_sentence(each)):
                    picture.text(
                        middle(number, cells(sign)), rows[2 * side], sign, role, anchor="middle",
                        weight="" if sign == _NOTHING else "bold", rtl=False,
                    )  # fmt: skip
        for each in self._on(line):
            self._svg_move(picture, line, each, middle, rows)

    def _svg_move(
        self, picture: Svg, line: Wrapped, each: Operation, middle: Callable[[int], float], rows: tuple[float, ...]
    ) -> None:
        old, new = each.old_position, each.new_position
        if old is None or new is None or old == new:
            return
        if not (line.first <= old <= line.last and line.first <= new <= line.last):
            here = old if line.first <= old <= line.last else new
            picture.text(
                middle(here), rows[2] + 16, f"↷ {new if here == old else old}", "near", anchor="middle", size=11
            )
            return
        a, b, low = middle(old), middle(new), rows[2] + 20
        picture.path(
            f"M{a:g} {rows[2] + 5:g} C{a:g} {low:g} {b:g} {low:g} {b:g} {rows[2] + 6:g}", stroke="near", width=1.8
        )
        picture.path(f"M{b - 4:g} {rows[2] + 11:g} L{b:g} {rows[2] + 4:g} L{b + 4:g} {rows[2] + 11:g} Z", "near")

    def _described(self) -> str:
        edits = [_sentence(each) for each in self.operations if each.kind != "match"]
        return "; ".join([self._key, *edits[:200]])[:4000]


def _sentence(each: Operation) -> str:
    """Put one operation into words."""
    kind, old, new = each.kind, each.old_position, each.new_position
    if kind == "match":
        return f"{each.old_type} after {old}: match"
    if kind in ("deletion", "addition"):
        return f"{each.old_type or each.new_type} after {old or new}: {kind}, cost {each.cost:g}"
    became = "" if each.old_type == each.new_type else f" becomes {each.new_type}"
    went = "" if old == new else f" moves to {new}"
    return f"{each.old_type} after {old}{went}{became}: {kind}, cost {each.cost:g}"
