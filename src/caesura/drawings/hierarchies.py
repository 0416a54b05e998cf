"""Nested segments to look at: as nested bars along the text, a row a level, or as a tree with the words in it.

A segment's stroke says how many coders have the same span: heavy if all of them, plain if more than half, broken if fewer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from caesura.display.cells import Canvas
from caesura.display.scene import Picture
from caesura.display.svg import CELL, LINE, Svg
from caesura.display.writing import Bidi, cells, choose_bidi, clean, clip, is_rtl, pad
from caesura.drawings.streams import GLYPHS, ROLES, WORDS, Place, Verdict
from caesura.model import Corpus, Hierarchy

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["NestedBars", "Tree", "draw_nested_bars", "draw_tree"]

_NAME = 14
_STROKES: dict[Verdict, str] = {"all": "━", "most": "─", "some": "┄"}
_ENDS: dict[Verdict, tuple[str, str, str]] = {"all": ("┣", "┫", "╋"), "most": ("├", "┤", "┼"), "some": ("├", "┤", "┼")}


def draw_nested_bars(corpus: Corpus) -> Picture:
    """Draw every coder's segments as bars, a row a level, the outermost on top."""
    return NestedBars(*_coded(corpus))


def draw_tree(corpus: Corpus, *, words: bool | str = True) -> Picture:
    """Draw every coder's segments as a tree; with ``words`` a segment that holds no other shows how it begins."""
    return Tree(*_coded(corpus), words=str(words).lower() not in ("false", "no", "0"))


def _coded(corpus: Corpus) -> tuple[str, tuple[str, ...], tuple[Hierarchy, ...]]:
    listed = [a for a in corpus if isinstance(a.marks, Hierarchy)]
    return (
        corpus.items[0],
        tuple(a.coder for a in listed),
        tuple(a.marks for a in listed if isinstance(a.marks, Hierarchy)),
    )


@dataclass(frozen=True)
class _Nested(Picture):
    item: str
    coders: tuple[str, ...]
    made: tuple[Hierarchy, ...]

    @property
    def title(self) -> str:
        """The item, and who is drawn."""
        return (
            f"nested segments of {clean(self.item) or 'a text'} by {', '.join(map(clean, self.coders)) or 'one coder'}"
        )

    @property
    def described(self) -> str:
        """The brackets of every coder, for those who cannot see the picture."""
        listed = zip(self.coders, self.made, strict=True)
        return " ".join(f"{clean(coder)}: {made.brackets[:600]}." for coder, made in listed)

    @property
    def length(self) -> int:
        """Units of the text."""
        return self.made[0].length

    @cached_property
    def rtl(self) -> bool:
        """Whether the text runs from right to left."""
        units = self.made[0].units
        return units is not None and is_rtl(" ".join(units[:20]))

    @cached_property
    def holders(self) -> dict[tuple[int, int], int]:
        """How many coders have each span."""
        found: dict[tuple[int, int], int] = {}
        for made in self.made:
            for span in {(first, last) for first, last, _ in made.spans}:
                found[span] = found.get(span, 0) + 1
        return found

    def verdict(self, first: int, last: int) -> Verdict:
        """Say whether all coders have a span, more than half, or fewer."""
        votes = self.holders[first, last]
        return "all" if votes == len(self.made) else "most" if 2 * votes > len(self.made) else "some"

    @cached_property
    def seen(self) -> list[Verdict]:
        """The verdicts that occur, the best first."""
        found = {self.verdict(*span) for span in self.holders}
        return [verdict for verdict in _STROKES if verdict in found]

    @property
    def legend(self) -> str:
        """What the strokes mean; nothing where one coder is drawn."""
        return "" if len(self.made) < 2 else " · ".join(f"{_STROKES[v] * 3} {WORDS[v]}" for v in self.seen)


@dataclass(frozen=True)
class NestedBars(_Nested):
    """Bars under each other, a row a level, along the units."""

    def _margin(self) -> int:
        names = [cells(clip(clean(coder), _NAME)) for coder in self.coders]
        return max(names, default=0) + len(str(max((made.depth for made in self.made), default=1))) + 3

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw with as many cells a unit as fit; where not even one does, several units share a cell."""
        canvas, turned, margin = Canvas(), choose_bidi(bidi), self._margin()
        room = max(8, width - margin)
        scale = min(8.0, float(room // self.length)) if 0 < self.length <= room else room / max(self.length, 1)
        wide = max(1, round(scale * self.length))
        if clean(self.item):
            canvas.put(0, 0, clip(clean(self.item), width), "strong", bidi=turned)
        self._axis(canvas, margin, scale, wide)
        for coder, made in zip(self.coders, self.made, strict=True):
            for level in range(1, max(made.depth, 1) + 1):
                row = canvas.height
                name = pad(clip(clean(coder), _NAME), margin - 4) if level == 1 else ""
                canvas.put(row, 0, name, "strong", bidi=turned)
                canvas.put(row, margin - 2, f"{level}", "faint")
                for first, last, at in made.spans:
                    if at == level:
                        self._bar(canvas, row, margin, scale, wide, first, last)
        if self.legend:
            canvas.put(canvas.height, 0, clip(self.legend, width), "faint")
        return canvas.text()

    def _axis(self, canvas: Canvas, margin: int, scale: float, wide: int) -> None:
        row, free = canvas.height, -1
        for unit in _ticks(self.length, wide // 6):
            label = str(unit)
            at = round(scale * (unit - 1))
            at = max(0, min(wide - at - len(label) if self.rtl else at, wide - len(label)))
            if self.rtl or at > free:
                canvas.put(row, margin + at, label, "faint")
                free = at + len(label)

    def _bar(self, canvas: Canvas, row: int, margin: int, scale: float, wide: int, first: int, last: int) -> None:
        verdict = self.verdict(first, last)
        start, stop = round(scale * (first - 1)), max(round(scale * last), round(scale * (first - 1)) + 1)
        if self.rtl:
            start, stop = wide - stop, wide - start
        size = stop - start
        opening, closing, single = _ENDS[verdict]
        drawn = single if size == 1 else opening + _STROKES[verdict] * (size - 2) + closing
        canvas.put(row, margin + start, drawn, ROLES[verdict])
        label = f"{first}–{last}" if last > first else f"{first}"
        if size >= len(label) + 4:
            canvas.put(row, margin + start + (size - len(label)) // 2, label, ROLES[verdict])

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw the same bars, each with its units and voters to point at."""
        margin, room = CELL * self._margin(), width * CELL - CELL * self._margin()
        rows = sum(max(made.depth, 1) for made in self.made)
        top = LINE * (2.6 if clean(self.item) else 1.4)
        height = top + rows * LINE * 1.1 + len(self.made) * 6 + LINE * (1.4 if self.legend else 0.4)
        picture = Svg(width * CELL + 16, height, title=self.title, description=self.described, style=style)
        if clean(self.item):
            picture.text(8, LINE, clean(self.item), weight="bold")
        scale = room / max(self.length, 1)
        for unit in _ticks(self.length, width // 8):
            x = 8 + margin + self._x(unit - 0.5, scale)
            picture.text(x, top - 6, str(unit), "faint", anchor="middle", size=11)
        y = top
        for coder, made in zip(self.coders, self.made, strict=True):
            picture.text(8, y + LINE * 0.75, clip(clean(coder), _NAME), weight="bold", size=12)
            for level in range(1, max(made.depth, 1) + 1):
                picture.text(margin, y + LINE * 0.75, str(level), "faint", anchor="end", size=11)
                self._svg_row(picture, [s for s in made.spans if s[2] == level], y, margin + 8, scale)
                y += LINE * 1.1
            y += 6
        if self.legend:
            self._svg_legend(picture, y + LINE * 0.7)
        return picture.render()

    def _x(self, unit: float, scale: float) -> float:
        return scale * ((self.length - unit) if self.rtl else unit)

    def _svg_row(
        self, picture: Svg, spans: Sequence[tuple[int, int, int]], y: float, margin: float, scale: float
    ) -> None:
        for first, last, level in spans:
            verdict = self.verdict(first, last)
            x = margin + min(self._x(first - 1, scale), self._x(last, scale)) + 1
            wide = max(scale * (last - first + 1) - 2, 1)
            votes = self.holders[first, last]
            tip = f"{first}–{last}, level {level}: {votes} of {len(self.made)} coders"
            dash = "4 3" if verdict == "some" else None
            picture.rect(
                x, y, wide, LINE * 0.95, "band", tip=tip, round=3, outline=ROLES[verdict], stroke_dasharray=dash
            )
            if verdict == "all" and len(self.made) > 1:
                picture.rect(x, y, wide, 3, ROLES[verdict], round=1)
            label = f"{first}–{last}" if last > first else f"{first}"
            if wide > len(label) * 6.6 + 4:
                picture.text(x + wide / 2, y + LINE * 0.72, label, anchor="middle", size=11)

    def _svg_legend(self, picture: Svg, y: float) -> None:
        x = 8.0
        for verdict in self.seen:
            dash = "4 3" if verdict == "some" else None
            picture.rect(x, y - 10, 22, 12, "band", outline=ROLES[verdict], round=3, stroke_dasharray=dash)
            if verdict == "all":
                picture.rect(x, y - 10, 22, 3, ROLES[verdict], round=1)
            picture.text(x + 28, y, WORDS[verdict], "faint", size=11)
            x += 36 + 7 * len(WORDS[verdict])


@dataclass(frozen=True)
class Tree(_Nested):
    """Segments inside segments as branches, the words of the innermost beside them."""

    words: bool = True

    def _lines(self, made: Hierarchy) -> list[tuple[str, str, str, Verdict]]:
        """Branches, span, words and verdict of every segment in reading order."""
        spans, parents = made.spans, made.parents
        inside: dict[int, list[int]] = {}
        for row, parent in enumerate(parents):
            inside.setdefault(parent, []).append(row)
        for children in inside.values():
            children.sort(key=lambda row: spans[row][0])
        found: list[tuple[str, str, str, Verdict]] = []
        todo = [(row, "", row == inside[-1][-1]) for row in reversed(inside.get(-1, []))]
        while todo:
            row, before, final = todo.pop()
            first, last, _ = spans[row]
            label = f"{first}–{last}" if last > first else f"{first}"
            found.append(
                (f"{before}{'└' if final else '├'} ", label, self._said(made, first, last), self.verdict(first, last))
            )
            children = inside.get(row, [])
            todo += [(c, before + ("  " if final else "│ "), c == children[-1]) for c in reversed(children)]
        return found

    def _said(self, made: Hierarchy, first: int, last: int) -> str:
        if not self.words or made.units is None:
            return ""
        return clean(" ".join(made.units[first - 1 : min(last, first + 40)]))

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw one tree a coder, the words clipped to the width."""
        canvas, turned = Canvas(), choose_bidi(bidi)
        for coder, made in zip(self.coders, self.made, strict=True):
            heading = " · ".join(filter(None, (clean(self.item), clean(coder))))
            canvas.put(canvas.height, 0, clip(heading, width), "strong", bidi=turned)
            lines = self._lines(made)
            column = max((len(branch) + len(label) for branch, label, _, _ in lines), default=0) + 4
            for branch, label, said, verdict in lines:
                row = canvas.height
                canvas.put(row, 0, branch, "faint")
                canvas.put(row, len(branch), label, ROLES[verdict])
                if len(self.made) > 1:
                    canvas.put(row, column - 2, GLYPHS[verdict], ROLES[verdict])
                canvas.put(row, column, clip(said, max(0, width - column)), bidi=turned)
            if not lines:
                canvas.put(canvas.height, 2, "no segment", "faint")
        if self.legend:
            legend = " · ".join(f"{GLYPHS[v]} {WORDS[v]}" for v in self.seen)
            canvas.put(canvas.height, 0, clip(legend, width), "faint")
        return canvas.text()

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw the trees under each other with lines for branches."""
        trees = [self._lines(made) for made in self.made]
        height = sum(LINE * (len(lines) + 1.6) for lines in trees) + (LINE if self.legend else 0) + 8
        picture = Svg(width * CELL + 16, height, title=self.title, description=self.described, style=style)
        y = LINE
        for coder, made, lines in zip(self.coders, self.made, trees, strict=True):
            heading = " · ".join(filter(None, (clean(self.item), clean(coder))))
            picture.text(8, y, heading, weight="bold")
            column = 8 + CELL * (max((len(b) + len(label) for b, label, _, _ in lines), default=0) + 4)
            self._svg_branches(picture, made, y)
            for branch, label, said, verdict in lines:
                y += LINE
                picture.text(8 + CELL * len(branch), y, label, ROLES[verdict], size=13)
                if len(self.made) > 1:
                    Place(0, (), verdict).draw_verdict(picture, column - CELL * 1.5, y - 5)
                room = int((width * CELL + 8 - column) / CELL)
                if said and room > 4:
                    picture.text(column, y, clip(said, room), size=13)
            y += LINE * 1.6
        if self.legend:
            x = 14.0
            for verdict in self.seen:
                Place(0, (), verdict).draw_verdict(picture, x, y - 5)
                picture.text(x + 10, y, WORDS[verdict], "faint", size=12)
                x += 36 + 7.4 * len(WORDS[verdict])
        return picture.render()

    def _svg_branches(self, picture: Svg, made: Hierarchy, y: float) -> None:
        """Draw a line from every segment down to the last one inside it, and a twig to each."""
        order = {span: row for row, span in enumerate(made.walk())}
        spans, parents = made.spans, made.parents
        lowest: dict[int, float] = {}
        for row, parent in enumerate(parents):
            depth = 0
            outer = parent
            while outer >= 0:
                depth, outer = depth + 1, parents[outer]
            x, here = 8 + CELL * (2 * depth + 0.4), y + LINE * (order[spans[row]] + 1) - 5
            picture.line(x, here, x + CELL * 1.2, here, "grid")
            lowest[parent] = max(lowest.get(parent, 0.0), here)
        for parent, end in lowest.items():
            depth, outer = 0, parent
            while outer >= 0:
                depth, outer = depth + 1, parents[outer]
            start = y + 4 if parent < 0 else y + LINE * (order[spans[parent]] + 1) + 3
            x = 8 + CELL * (2 * depth + 0.4)
            picture.line(x, start, x, end, "grid")


def _ticks(length: int, wanted: int) -> list[int]:
    """Units to number along an axis: 1, then round steps."""
    steps = (step * 10**power for power in range(12) for step in (1, 2, 5))
    step = next(step for step in steps if length / step <= max(wanted, 1))
    return [unit for unit in range(1, length + 1) if unit == 1 or unit % step == 0]
