"""Recordings: boundaries along time, a row a coder, the names of segments where they fit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from caesura.display.cells import Canvas
from caesura.display.palette import SERIES
from caesura.display.svg import CELL, LINE, Svg
from caesura.display.writing import Bidi, cells, choose_bidi, clean, clip, pad, widest
from caesura.drawings.axes import axis_labels, draw_label, put_times
from caesura.drawings.streams import OneTrack

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["Timeline"]

_NAME = 16


@dataclass(frozen=True)
class Timeline(OneTrack):
    """One recording along time. Times never meet exactly, so nothing is marked as agreed; eyes judge the distance."""

    def _scale(self, room: int) -> float:
        """Cells a second: wide enough that the median segment keeps four cells, within a dozen lines."""
        length = self.stream.length or 1.0
        gaps = np.concatenate([np.diff(m.positions) for m in self.stream.marks])
        gaps = gaps[gaps > 0]
        wanted = 4 / float(np.median(gaps)) if len(gaps) else room / length
        return min(max(wanted, room / length), 12 * room / length)

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw lines of equal time under each other."""
        stream, canvas, turned = self.stream, Canvas(), choose_bidi(bidi)
        margin = widest(stream.coders, _NAME) + 2
        room = max(8, width - margin - 1)
        scale = self._scale(room)
        if stream.heading:
            canvas.put(0, 0, clip(stream.heading, width), "strong", bidi=turned)
        for number in range(max(1, math.ceil(stream.length * scale / room - 1e-9))):
            start, stop = number * room / scale, min((number + 1) * room / scale, stream.length)
            if number:
                canvas.put(canvas.height, 0, "")
            put_times(canvas, start, stream.length, scale, margin, room)
            for coder in range(len(stream.coders)):
                self._row(canvas, coder, start, stop, scale, margin)
        return canvas.text()

    def _row(self, canvas: Canvas, coder: int, start: float, stop: float, scale: float, margin: int) -> None:
        row, marks, role = canvas.height, self.stream.marks[coder], SERIES[coder % len(SERIES)]
        canvas.put(row, 0, pad(clean(self.stream.coders[coder]), margin - 2), "faint")
        canvas.fill(row, margin, margin + round((stop - start) * scale), "─", "grid")
        edges = [0.0, *marks._cuts().tolist(), float(marks.length)]
        for i, (left, right) in enumerate(pairwise(edges)):
            if marks.names is None or right <= start or left >= stop:
                continue
            one, two = round((max(left, start) - start) * scale), round((min(right, stop) - start) * scale)
            name = clean(marks.names[i])
            if left >= start and cells(name) <= two - one - 1:
                canvas.put(row, margin + one + 1 + (two - one - 1 - cells(name)) // 2, name)
        for time in marks.positions.tolist():
            if start <= time < stop or time == stop == self.stream.length:
                canvas.put(row, margin + round((time - start) * scale), "┃", role)

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw on one axis of time."""
        stream = self.stream
        margin = CELL * (widest(stream.coders, _NAME) + 2)
        room = width * CELL - margin - 8
        scale = room / (stream.length or 1.0)
        row, top = LINE * 1.7, LINE * (2.4 if stream.heading else 1.4)
        picture = Svg(
            width * CELL + 16,
            top + row * len(stream.coders) + LINE * 0.6,
            title=self.title,
            description=stream.described,
            style=style,
        )
        if stream.heading:
            picture.text(8, LINE, stream.heading, weight="bold")
        bottom = top + row * len(stream.coders)
        for time, label in axis_labels(0.0, stream.length, width // 10):
            draw_label(picture, label, 8 + margin + time * scale, top, bottom)
        for coder, name in enumerate(stream.coders):
            with picture.group(transform=f"translate({8 + margin:g} {top + row * coder:g})"):
                picture.text(-margin, row / 2 + 5, clip(clean(name), _NAME), "faint", size=13, rtl=False)
                self._svg_row(picture, coder, scale, row)
        return picture.render()

    def _svg_row(self, picture: Svg, coder: int, scale: float, row: float) -> None:
        marks, role = self.stream.marks[coder], SERIES[coder % len(SERIES)]
        edges = [0.0, *marks._cuts().tolist(), float(marks.length)]
        picture.rect(0, 4, marks.length * scale, row - 8, "band", round=2)
        for i, (left, right) in enumerate(pairwise(edges)):
            name = clean(marks.names[i]) if marks.names is not None else ""
            if name and cells(name) * CELL * 0.86 <= (right - left) * scale - 4:
                picture.text((left + right) / 2 * scale, row / 2 + 4, name, anchor="middle", size=12)
        for time in marks.positions.tolist():
            picture.line(time * scale, 2, time * scale, row - 2, role, width=2.5, tip=f"{time:g} s")
