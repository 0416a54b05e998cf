"""Boundary density along a text: what remains readable when there are ten thousand units.

The text is cut into as many bins as there are cells; a bin's bar says how many boundaries the coders put there, and under
it a row a coder shows where theirs are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from caesura.display.cells import Canvas
from caesura.display.palette import SERIES
from caesura.display.scene import Picture
from caesura.display.svg import CELL, LINE, Svg
from caesura.display.writing import Bidi, choose_bidi, clean, clip, pad, widest
from caesura.drawings.axes import axis_labels
from caesura.drawings.streams import OneTrack, streams
from caesura.model import Corpus

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["Density", "draw_density"]

_BARS = " ▁▂▃▄▅▆▇█"
_NAME = 16


def draw_density(corpus: Corpus) -> Picture:
    """Draw how dense boundaries are along every track of the corpus."""
    from caesura.drawings.stacks import stack

    return stack([Density(stream) for stream in streams(corpus)])


@dataclass(frozen=True)
class Density(OneTrack):
    """One track, zoomed out: boundaries of all coders together, and each coder's own."""

    @property
    def title(self) -> str:
        """The item, and who is drawn."""
        return f"{self.stream.title}, density"

    def _counts(self, bins: int) -> NDArray[np.int64]:
        """Boundaries of every coder (rows) in every bin."""
        length = self.stream.length or 1
        rows = []
        for marks in self.stream.marks:
            at = np.minimum((marks._cuts() - (0 if marks.timed else 0.5)) / length * bins, bins - 1).astype(np.int64)
            rows.append(np.bincount(at, minlength=bins))
        return np.array(rows).reshape(len(rows), bins)

    def _bins(self, room: int) -> int:
        """Never more bins than units, so that a bin without a boundary means something."""
        return max(1, room if self.stream.timed else min(room, int(self.stream.length)))

    def _margin(self) -> int:
        return widest((*self.stream.coders, "together"), _NAME) + 2

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw a bar chart of all coders together, and a shaded row a coder."""
        stream, canvas, turned = self.stream, Canvas(), choose_bidi(bidi)
        margin = self._margin()
        bins = self._bins(max(8, width - margin))
        counts = self._counts(bins)
        if stream.heading:
            canvas.put(0, 0, clip(stream.heading, width), "strong", bidi=turned)
        self._axis(canvas, margin, bins)
        self._chart(canvas, counts.sum(axis=0), margin)
        for coder, row in enumerate(counts):
            y = canvas.height
            canvas.put(y, 0, pad(clean(stream.coders[coder]), margin - 2), "faint", bidi=turned)
            signs = "".join(_shade(n, int(counts.max())) for n in self._turned(row))
            canvas.put(y, margin, signs, SERIES[coder % len(SERIES)])
        each = stream.length / bins
        unit = "s" if stream.timed else "units"
        canvas.put(canvas.height, 0, clip(f"{each:.3g} {unit} a column · {_ladder(counts)}", width), "faint")
        return canvas.text()

    def _turned(self, row: NDArray[Any]) -> list[int]:
        found: list[int] = row.tolist()
        return found[::-1] if self.stream.rtl else found

    def _axis(self, canvas: Canvas, margin: int, bins: int) -> None:
        row, free = canvas.height, 0
        canvas.put(row, 0, "")
        length = self.stream.length or 1
        for value, label in axis_labels(0, length, max(2, bins // 12)):
            at = round(value / length * (bins - 1))
            at = bins - 1 - at if self.stream.rtl else at
            at = max(0, min(at, bins - len(label)))
            if self.stream.rtl or at >= free:
                canvas.put(row, margin + at, label, "faint")
                free = at + len(label) + 2

    def _chart(self, canvas: Canvas, together: NDArray[np.int64], margin: int) -> None:
        height, top = 3, max(1, int(together.max()))
        levels = np.ceil(np.array(self._turned(together)) / top * height * 8).astype(int)
        for step in range(height, 0, -1):
            row = canvas.height
            label = "together" if step == 1 else f"{top}" if step == height else ""
            canvas.put(row, 0, pad(label, margin - 2, "left" if step == 1 else "right"), "faint")
            bars = "".join(_BARS[int(min(8, max(0, level - 8 * (step - 1))))] for level in levels)
            canvas.put(row, margin, bars, "ink")

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw bars of all coders together, and a mark for every boundary of every coder."""
        stream = self.stream
        margin = CELL * self._margin()
        room = width * CELL - margin
        bins = self._bins(min(240, int(room // 3)))
        counts = self._counts(bins)
        together, chart, row = counts.sum(axis=0), LINE * 3.2, LINE * 1.1
        top = LINE * (1.6 if stream.heading else 0.5)
        bottom = top + chart + row * len(stream.coders)
        picture = Svg(
            width * CELL + 16, bottom + LINE * 1.8, title=self.title, description=stream.described, style=style
        )
        if stream.heading:
            picture.text(8, LINE, stream.heading, weight="bold")
        with picture.group(transform=f"translate({8 + margin:g} {top:g})"):
            self._svg_bars(picture, together, room, chart)
            for coder in range(len(stream.coders)):
                y = chart + row * (coder + 0.6)
                picture.text(-margin, y + 4, clip(clean(stream.coders[coder]), _NAME), "faint", size=12, rtl=False)
                self._svg_marks(picture, coder, room, y, row * 0.42)
            length = stream.length or 1
            for value, label in axis_labels(0, length, width // 12):
                x = self._x(value, room)
                picture.line(x, bottom - top, x, bottom - top + 4, "faint", width=1)
                anchor = "start" if value == 0 else "end" if value / length > 0.97 else "middle"
                picture.text(x, bottom - top + LINE * 0.8, label, "faint", anchor=anchor, size=11)
        unit = "s" if stream.timed else "units"
        each = f"{stream.length / bins:.3g} {unit}" if stream.timed or bins != stream.length else "one unit"
        said = f"bars: boundaries of all coders, {each} each · highest {int(together.max())}"
        picture.text(8, picture.height - 6, said, "faint", size=11)
        return picture.render()

    def _x(self, value: float, room: float) -> float:
        share = value / (self.stream.length or 1)
        return room * (1 - share if self.stream.rtl else share)

    def _svg_bars(self, picture: Svg, together: NDArray[np.int64], room: float, chart: float) -> None:
        top, wide = max(1, int(together.max())), room / len(together)
        picture.line(0, chart, room, chart, "grid", width=1)
        length = self.stream.length
        for i, count in enumerate(together.tolist()):
            if count:
                x = room - wide * (i + 1) if self.stream.rtl else wide * i
                high = (chart - 6) * count / top
                first, last = length * i / len(together), length * (i + 1) / len(together)
                tip = f"{first:.6g} to {last:.6g}: {count} boundaries"
                picture.rect(x, chart - high, max(0.8, wide - 0.6), high, "faint", tip=tip)

    def _svg_marks(self, picture: Svg, coder: int, room: float, y: float, half: float) -> None:
        marks = self.stream.marks[coder]._cuts().tolist()
        d = "".join(f"M{self._x(p, room):.1f} {y - half:.1f}v{2 * half:.1f}" for p in dict.fromkeys(marks))
        picture.line(0, y, room, y, "grid", width=1)
        if d:
            dense = len(marks) > room / 3
            picture.path(d, stroke=SERIES[coder % len(SERIES)], width=0.8 if dense else 1.6)


def _shade(count: int, top: int) -> str:
    """One cell of a coder's row: nothing, then the more the fuller; one boundary a bin is a thin mark."""
    if not count:
        return "·"
    return "┃" if top == 1 else "░▒▓█"[min(3, int(4 * (count - 1) / max(1, top - 1)))]


def _ladder(counts: NDArray[np.int64]) -> str:
    top = int(counts.max()) if counts.size else 0
    return "┃ a boundary" if top <= 1 else f"░▒▓█ one to {top} boundaries of a coder"
