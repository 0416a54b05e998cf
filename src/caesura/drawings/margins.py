"""Texts of long units (sentences, lines of verse, paragraphs): they run down the page, the coders in the margin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from caesura.display.cells import Canvas
from caesura.display.svg import CELL, LINE, Svg
from caesura.display.writing import Bidi, cells, choose_bidi, clean, clip, fold, is_rtl, pad
from caesura.drawings.streams import GLYPHS, ROLES, WORDS, OneTrack, Place

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["Down"]

_COLUMN = 8  # cells that a coder's name may take above its column


@dataclass(frozen=True)
class Down(OneTrack):
    """One track down the page: a line a unit, and between two units a rule for every coder who parts them."""

    def _columns(self, width: int) -> list[tuple[int, int, str]]:
        """First cell, width and heading of every coder's column; a number goes before them.

        Names that do not fit become numbers, explained under the heading.
        """
        stream = self.stream
        labels = max((cells(label) for place in stream.places for label in place.labels if label), default=0)
        names = [clean(coder) for coder in stream.coders]
        room = max(3, int(0.45 * width) // len(names) - 1)
        if max(map(cells, names)) > min(_COLUMN, room):
            names = [str(i) for i in range(1, len(names) + 1)]
        found, at = [], len(str(int(stream.length))) + 2
        for name in names:
            wide = max(3, cells(name), labels)
            found.append((at, wide, name))
            at += wide + 1
        return found

    def _names(self, columns: list[tuple[int, int, str]]) -> str:
        """Who the numbers above the columns are; "" where the names themselves stand there."""
        named = zip(columns, self.stream.coders, strict=True)
        return " · ".join(f"{shown} {clean(coder)}" for (_, _, shown), coder in named if shown != clean(coder))

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw with the margin left and the text clipped to what is left of ``width``."""
        stream, canvas, turned = self.stream, Canvas(), choose_bidi(bidi)
        columns = self._columns(width)
        text = columns[-1][0] + columns[-1][1] + 3
        if stream.heading:
            canvas.put(0, 0, clip(stream.heading, width), "strong", bidi=turned)
        for said in fold(self._names(columns), width):
            if said:
                canvas.put(canvas.height, 0, said, "faint", bidi=turned)
        row = canvas.height
        for at, wide, name in columns:
            canvas.put(row, at, pad(name, wide, "centre"), "faint", bidi=turned)
        places = {int(place.position): place for place in stream.places}
        for number in range(1, int(stream.length) + 1):
            row = canvas.height
            canvas.put(row, 0, str(number).rjust(columns[0][0] - 1), "faint")
            for at, wide, _ in columns:
                canvas.put(row, at + wide // 2, "│", "grid")
            if stream.units is not None:
                shown = clip(clean(stream.units[number - 1]), max(8, width - text))
                start = max(text, width - cells(shown)) if stream.rtl else text
                canvas.put(row, start, shown, bidi=turned)
            if number in places:
                self._rules(canvas, columns, text, places[number])
        canvas.text_block(fold(stream.key, width), role="faint")
        return canvas.text()

    def _rules(self, canvas: Canvas, columns: list[tuple[int, int, str]], text: int, place: Place) -> None:
        row, role = canvas.height, ROLES[place.verdict]
        for (at, wide, _), label in zip(columns, place.labels, strict=True):
            if label is None:
                canvas.put(row, at + wide // 2, "│", "grid")
            else:
                canvas.put(row, at, pad(label, wide, "centre") if label else "━" * wide, role)
        if len(columns) > 1:
            canvas.put(row, text - 2, GLYPHS[place.verdict], role)

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw the same layout with lines and discs."""
        stream, columns = self.stream, self._columns(width)
        text = columns[-1][0] + columns[-1][1] + 3
        names = [line for line in fold(self._names(columns), width) if line]
        height = LINE * 0.9
        top = LINE * (1.4 + bool(stream.heading) + len(names))
        lines = int(stream.length)
        picture = Svg(
            width * CELL + 16, top + height * (lines + 1.2) + 8, title=self.title, description=stream.described, style=style
        )  # fmt: skip
        if stream.heading:
            picture.text(8, LINE, stream.heading, weight="bold")
        for number, line in enumerate(reversed(names)):
            picture.text(8, top - LINE * (1.4 + number), line, "faint", size=12)
        for at, wide, name in columns:
            x = 8 + CELL * (at + wide / 2)
            picture.text(x, top - 8, name, "faint", anchor="middle", size=12)
            picture.line(x, top, x, top + height * lines, "grid", width=2)
        for number in range(1, lines + 1):
            y = top + height * (number - 0.3)
            picture.text(8 + CELL * (columns[0][0] - 1), y, str(number), "faint", anchor="end", size=11)
            if stream.units is not None:
                shown = clip(clean(stream.units[number - 1]), max(8, width - text))
                if is_rtl(shown):
                    picture.text(8 + width * CELL, y, shown, anchor="end", size=13)
                else:
                    picture.text(8 + CELL * text, y, shown, size=13)
        for place in stream.places:
            self._svg_place(picture, place, columns, text, top + height * place.position)
        picture.text(8, picture.height - 8, stream.key, "faint", size=12)
        return picture.render()

    def _svg_place(self, picture: Svg, place: Place, columns: list[tuple[int, int, str]], text: int, y: float) -> None:
        role = ROLES[place.verdict]
        who = ", ".join(self.stream.coders[i] for i in place.holders)
        with picture.group(tip=f"after {place.position:g}: {who} ({WORDS[place.verdict]})"):
            for (at, wide, _), label in zip(columns, place.labels, strict=True):
                x = 8 + CELL * (at + wide / 2)
                if label:
                    picture.text(x, y + 5, label, role, anchor="middle", weight="bold")
                elif label is not None:
                    picture.line(x - CELL * wide * 0.42, y, x + CELL * wide * 0.42, y, role, width=4)
            if len(columns) > 1:
                place.draw_verdict(picture, 8 + CELL * (text - 1.5), y)
