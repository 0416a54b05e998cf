"""Segmentations under each other: the text once, a row a coder, and a row that says who agrees where.

Texts of short units (words, tokens, plain counts) run along lines that wrap to the width; texts of long units (sentences,
paragraphs) run down the page with the coders in the margin; recordings run along time; and what would fill pages is
shown as density along the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from caesura.display.cells import Canvas
from caesura.display.palette import STYLES
from caesura.display.scene import Picture
from caesura.display.svg import CELL, LINE, Svg
from caesura.display.writing import Bidi, cells, choose_bidi, clean, clip, fold, is_rtl, pad, widest
from caesura.drawings.layout import Line, wrap_units
from caesura.drawings.margins import Down
from caesura.drawings.stacks import stack
from caesura.drawings.streams import GLYPHS, ROLES, WORDS, OneTrack, Place, Stream, streams
from caesura.drawings.timelines import Timeline
from caesura.errors import CaesuraError
from caesura.model import Corpus

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["Along", "Zoom", "draw_segmentations", "draw_stream"]

#: How much to show: every unit ("full"), how dense boundaries are along the text ("density"), or what fits ("auto").
Zoom: TypeAlias = Literal["auto", "full", "density"]

_NAME = 16  # cells that a coder's name may take
_LONG = 20  # cells of a mean unit from which texts run down the page
_UNITS, _CELLS = 200, 6000  # long units, or cells, beyond which "auto" zooms out


def draw_segmentations(corpus: Corpus, *, zoom: Zoom = "auto") -> Picture:
    """Draw all coders' boundaries on every track of the corpus, agreement marked."""
    return stack([draw_stream(stream, zoom) for stream in streams(corpus)])


def draw_stream(stream: Stream, zoom: Zoom = "auto", *, along: type[Along] | None = None) -> Picture:
    """Choose how a track is drawn best; ``along`` draws those that run along lines."""
    from caesura.drawings.densities import Density

    if zoom not in ("auto", "full", "density"):
        raise CaesuraError(f"zoom is {zoom!r}; expected auto, full or density.")

    if zoom == "density":
        return Density(stream)
    if stream.timed:
        crowded = sum(len(m.positions) for m in stream.marks) / len(stream.marks) > 400
        return Density(stream) if zoom == "auto" and crowded else Timeline(stream)
    widths = [cells(clean(unit)) for unit in stream.units or ()]
    if widths and (max(widths) > 2 * _LONG or sum(widths) > _LONG * len(widths)):
        return Density(stream) if zoom == "auto" and len(widths) > _UNITS else Down(stream)
    wide = sum(widths) + len(widths) if widths else stream.length * (2 if stream.length <= 240 else 1)
    return Density(stream) if zoom == "auto" and wide > _CELLS else (along or Along)(stream)


@dataclass(frozen=True)
class Along(OneTrack):
    """One track along lines: the text (or a ruler), the coders' rows, and the row of agreement."""

    # ------------------------------------------------------------------ where everything goes

    def _lines(self, room: int) -> list[Line]:
        stream, number = self.stream, int(self.stream.length)
        gaps = [1] * number
        for place in stream.places:
            wide = max(cells(label) for label in place.labels if label is not None)
            gaps[int(place.position) - 1] = max(1, wide)
        if stream.units is not None:
            widths = [max(1, cells(clean(unit))) for unit in stream.units]
        else:
            widths = [_ruler_width(number, room)] * number
        return wrap_units(widths, gaps, room)

    def _margin(self) -> int:
        return widest((*self.stream.coders, self.stream.row), _NAME) + 2

    # ------------------------------------------------------------------ in a terminal

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw with a row a coder, wrapped to ``width``."""
        canvas, turned = Canvas(), choose_bidi(bidi)
        stream, margin = self.stream, self._margin()
        if stream.heading:
            canvas.put(0, 0, clip(stream.heading, width), "strong", bidi=turned)
        room = max(8, width - margin)
        places = {int(place.position): place for place in stream.places}
        for line in self._lines(room):
            self._text_row(canvas, line, margin, room, turned)
            for coder, name in enumerate(stream.coders):
                row = canvas.height
                canvas.put(row, 0, pad(clean(name), margin - 2), "faint", bidi=turned)
                self._coder_row(canvas, row, coder, line, margin, room, places)
            if len(stream.coders) > 1:
                self._agreement_row(canvas, line, margin, room, places)
            canvas.put(canvas.height, 0, "")
        canvas.text_block(fold(stream.key, width), max(0, canvas.height - 1), role="faint")
        return canvas.text()

    def _text_row(self, canvas: Canvas, line: Line, margin: int, room: int, bidi: Literal["terminal", "us"]) -> None:
        row, units = canvas.height, self.stream.units
        if units is None:
            canvas.put(row, 0, "")
            for unit, at in _ruler(line):
                canvas.put(row, margin + at, str(unit), "faint")
            return
        for i, said in enumerate(units[line.first - 1 : line.last]):
            shown = clip(clean(said), line.widths[i])
            at = line.column(line.starts[i], cells(shown), rtl=self.stream.rtl, room=room)
            canvas.put(row, margin + at, shown, bidi=bidi)

    def _coder_row(
        self, canvas: Canvas, row: int, coder: int, line: Line, margin: int, room: int, places: dict[int, Place]
    ) -> None:
        rtl = self.stream.rtl
        start = margin + line.column(0, line.width, rtl=rtl, room=room)
        canvas.fill(row, start, start + line.width, "─", "grid")
        for unit, gap, wide in zip(range(line.first, line.last + 1), line.gaps, line.gap_widths, strict=True):
            place = places.get(unit)
            label = None if place is None else place.labels[coder]
            if place is not None and label is not None:
                role = ROLES[place.verdict]  # a comma on a line is easily overlooked, so types stand on their colour
                style = f"{STYLES[role]} reverse" if label else role
                canvas.put(row, margin + line.column(gap, wide, rtl=rtl, room=room), label or "┃", style)

    def _agreement_row(self, canvas: Canvas, line: Line, margin: int, room: int, places: dict[int, Place]) -> None:
        self._signs(canvas, canvas.height, line, margin, room, places)

    def _signs(self, canvas: Canvas, row: int, line: Line, margin: int, room: int, places: dict[int, Place]) -> None:
        canvas.put(row, 0, pad(self.stream.row, margin - 2), "faint")
        for unit, gap in zip(range(line.first, line.last + 1), line.gaps, strict=True):
            if (place := places.get(unit)) is not None:
                at = line.column(gap, 1, rtl=self.stream.rtl, room=room)
                canvas.put(row, margin + at, GLYPHS[place.verdict], ROLES[place.verdict])

    # ------------------------------------------------------------------ as SVG

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw the same layout with lines and discs."""
        stream, margin = self.stream, self._margin()
        room = max(8, width - margin)
        lines = self._lines(room)
        rows = 1 + len(stream.coders) + (len(stream.coders) > 1)
        block = (rows + 0.8) * LINE
        top = LINE * (1.6 if stream.heading else 0.4)
        picture = Svg(
            width * CELL + 16,
            top + block * len(lines) + LINE * 1.2,
            title=self.title,
            description=stream.described,
            style=style,
        )
        if stream.heading:
            picture.text(8, LINE, stream.heading, weight="bold")
        places = {int(place.position): place for place in stream.places}
        for number, line in enumerate(lines):
            with picture.group(transform=f"translate(8 {top + number * block:g})"):
                self._svg_line(picture, line, margin, room, places)
        picture.text(8, picture.height - LINE * 0.6, stream.key, "faint", size=12)
        return picture.render()

    def _svg_line(self, picture: Svg, line: Line, margin: int, room: int, places: dict[int, Place]) -> None:
        stream, rtl = self.stream, self.stream.rtl

        def x(cell: float, size: float = 0) -> float:
            return CELL * (margin + (room - cell - size if rtl else cell))

        if stream.units is None:
            for unit, at in _ruler(line):
                picture.text(CELL * (margin + at), LINE * 0.75, str(unit), "faint", size=11)
        else:
            for i, said in enumerate(stream.units[line.first - 1 : line.last]):
                shown, wide = clip(clean(said), line.widths[i]), line.widths[i]
                middle = x(line.starts[i], wide) + CELL * wide / 2
                fit = CELL * wide if wide > 1 and not is_rtl(shown) else None
                picture.text(middle, LINE * 0.75, shown, anchor="middle", fit=fit)
        for row, name in enumerate(stream.coders, 1):
            y = LINE * (row + 0.5)
            picture.text(0, y + 5, clip(clean(name), margin - 2), "faint", size=13, rtl=False)
            picture.line(x(0), y, x(line.width), y, "grid", width=2)
        for unit, gap, wide in zip(range(line.first, line.last + 1), line.gaps, line.gap_widths, strict=True):
            if (place := places.get(unit)) is not None:
                self._svg_place(picture, place, x(gap, wide) + CELL * wide / 2)

    def _svg_place(self, picture: Svg, place: Place, middle: float) -> None:
        stream, role = self.stream, ROLES[place.verdict]
        who = ", ".join(stream.coders[i] for i in place.holders)
        with picture.group(tip=f"after {place.position:g}: {who} ({WORDS[place.verdict]})"):
            for coder in place.holders:
                y = LINE * (coder + 1.5)
                if label := place.labels[coder]:
                    half = CELL * max(2, cells(label) + 1) / 2
                    picture.rect(middle - half, y - 9, 2 * half, 18, "paper", round=4, outline=role)
                    picture.text(middle, y + 5, label, role, anchor="middle", weight="bold", size=15)
                else:
                    picture.line(middle, y - 8, middle, y + 8, role, width=4)
            if len(stream.coders) > 1:
                place.draw_verdict(picture, middle, LINE * (len(stream.coders) + 1.5))


def _ruler_width(units: int, room: int) -> int:
    """Cells a unit takes on a ruler: wide where there is room, none but its boundary's where there are many."""
    if units <= 0:
        return 1
    return min(4, room // units - 1) if units * 2 <= room else 1 if units * 2 <= room * 6 else 0


def _ruler(line: Line) -> list[tuple[int, int]]:
    """Numbers to write above a line without a text: (unit, first cell), never touching each other."""
    shown: list[tuple[int, int]] = []
    free = 0
    for i, unit in enumerate(range(line.first, line.last + 1)):
        if (unit == line.first or unit % 5 == 0) and line.starts[i] >= free:
            shown.append((unit, line.starts[i]))
            free = line.starts[i] + len(str(unit)) + 2
    return shown
