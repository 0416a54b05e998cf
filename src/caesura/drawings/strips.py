"""A strip of scores: one line an item, its score and the interval around it, and the pooled score through all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from caesura.display.cells import Canvas
from caesura.display.scene import Picture
from caesura.display.svg import CELL, LINE, Svg
from caesura.display.writing import Bidi, choose_bidi, clean, clip, pad, widest
from caesura.drawings.axes import axis_labels, draw_label
from caesura.drawings.matrices import count_coders
from caesura.errors import CaesuraError
from caesura.metrics import metric as make_metric
from caesura.model import DEFAULT_METRICS, Corpus
from caesura.words import number_of

if TYPE_CHECKING:
    from rich.text import Text

    from caesura.statistics.evaluation import Measured

__all__ = ["Scored", "Strip", "draw_strip", "strip_of"]

_NAME = 24
_ROWS = 30  # items drawn in a terminal before the rest is counted


class Scored(NamedTuple):
    """One line: what it is, its score (NaN where undefined), and the ends of its interval, if it has one."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None


def draw_strip(corpus: Corpus, *, metric: str | None = None) -> Picture:
    """Draw how well coders agree on every item: the mean over pairs of coders, and the lowest and highest pair."""
    from caesura.statistics.bootstrap import bootstrap_interval

    table, measure = count_coders(corpus), make_metric(metric or DEFAULT_METRICS[corpus.kind])
    lines, shown, means = [], [], False
    for number, item in enumerate(corpus.items):
        matrix = table.matrix(measure, number)
        np.fill_diagonal(matrix, np.nan)
        scores = matrix[np.isfinite(matrix)]
        means |= len(scores) > 2  # every pair is there both ways
        if len(scores):
            lines.append(Scored(item, float(scores.mean()), float(scores.min()), float(scores.max())))
            shown.append(number)
    if not lines:
        raise CaesuraError(f"{measure.spelled} is undefined on every item, so there is nothing to draw.")
    rows = table.by_item_both_ways(measure)[shown]
    interval = bootstrap_interval(measure, rows)
    pooled = Scored("pooled", float(measure.score(rows.sum(axis=0))), *(interval or (None, None)))
    return Strip(tuple(lines), pooled, measure.spelled, measure.bounds, means)


def strip_of(measured: Measured, items: Sequence[str]) -> Strip:
    """Draw an evaluation: every item's score, and the pooled score with its interval."""
    interval = measured.interval
    pooled = Scored("pooled", measured.micro, *((interval.low, interval.high) if interval else (None, None)))
    lines = tuple(Scored(item, value) for item, value in zip(items, measured.per_item, strict=True))
    return Strip(lines, pooled, measured.metric.spelled, measured.metric.bounds)


@dataclass(frozen=True)
class Strip(Picture):
    """Scores on one axis, worst first, so that eyes go where coders or systems differ most."""

    lines: tuple[Scored, ...]
    pooled: Scored
    of: str
    bounds: tuple[float, float] = (0.0, 1.0)
    means: bool = False  # whether a dot is the mean over pairs of coders, and its line their spread

    @property
    def title(self) -> str:
        """What is shown, of how many."""
        said = f"{self.of} of {number_of(len(self.lines), 'item')}"
        return said + ", mean over pairs of coders" * self.means

    @property
    def _names(self) -> int:
        return widest((line.name for line in (*self.lines, self.pooled)), _NAME)

    def _ordered(self) -> list[Scored]:
        return sorted(self.lines, key=lambda line: (np.isnan(line.value), line.value))

    def _range(self) -> tuple[float, float]:
        every = [v for line in (*self.lines, self.pooled) for v in line[1:] if v is not None and np.isfinite(v)]
        low, high = min([0.0, *every]), max(every or [1.0])
        return low, max(high, min(self.bounds[1], 1.0) if np.isfinite(self.bounds[1]) else high, low + 1e-9)

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw a dot a line on a common axis, the number behind."""
        canvas, turned = Canvas(), choose_bidi(bidi)
        canvas.put(0, 0, clip(clean(self.title), width), "strong")
        margin = self._names + 2
        room = max(10, width - margin - 9)
        low, high = self._range()

        def at(value: float) -> int:
            return margin + round((value - low) / (high - low) * (room - 1))

        canvas.put(1, 0, "")
        for value, label in axis_labels(low, high, max(2, room // 12)):
            canvas.put(1, max(margin, min(at(value), margin + room - len(label))), label, "faint")
        ordered = self._ordered()
        for line in (*ordered[:_ROWS], self.pooled):
            y, role = canvas.height, "match" if line is self.pooled else "ink"
            canvas.put(y, 0, pad(clean(line.name), margin - 2), "strong" if line is self.pooled else "ink", bidi=turned)
            canvas.fill(y, margin, margin + room, "·", "grid")
            if line.low is not None and line.high is not None:
                canvas.fill(y, at(line.low), at(line.high) + 1, "━", "faint")
            if not np.isnan(line.value):
                canvas.put(y, at(line.value), "●", role)
            canvas.put(y, margin + room + 1, "–".rjust(7) if np.isnan(line.value) else f"{line.value:7.4f}", role)
        if len(ordered) > _ROWS:
            canvas.put(canvas.height, 0, f"… and {len(ordered) - _ROWS} items with higher scores", "faint")
        return canvas.text()

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw a dot an item, the interval as a bar, and the pooled score as a line through all."""
        margin = CELL * (self._names + 2)
        room, top = width * CELL - margin - 70, LINE * 2.6
        ordered = self._ordered()
        step = LINE if len(ordered) <= 60 else LINE * 0.6
        bottom = top + step * (len(ordered) + 1.2)
        low, high = self._range()
        picture = Svg(width * CELL + 16, bottom + 12, title=self.title, description=self._described(), style=style)
        picture.text(8, LINE, self.title, weight="bold")

        def x(value: float) -> float:
            return 8 + margin + (value - low) / (high - low) * room

        for value, label in axis_labels(low, high, width // 12):
            draw_label(picture, label, x(value), top - 2, bottom - 4)
        pooled = self.pooled
        if pooled.low is not None and pooled.high is not None:
            picture.rect(
                x(pooled.low), top - 4, x(pooled.high) - x(pooled.low), bottom - top, "match", fill_opacity=0.15
            )
        if not np.isnan(pooled.value):
            picture.line(x(pooled.value), top - 4, x(pooled.value), bottom - 4, "match", width=1.5)
        for row, line in enumerate((*ordered, pooled)):
            self._svg_line(picture, line, top + step * (row + 0.6 if line is not pooled else row + 0.8), x, margin)
        return picture.render()

    def _svg_line(self, picture: Svg, line: Scored, y: float, x: Callable[[float], float], margin: float) -> None:
        pooled = line is self.pooled
        picture.text(
            margin, y + 4, clip(clean(line.name), _NAME), "match" if pooled else "ink",
            anchor="end", size=12, weight="bold" if pooled else "",
        )  # fmt: skip
        said = "undefined" if np.isnan(line.value) else f"{line.value:.4f}"
        spread = "" if line.low is None else f" ({line.low:.4f} … {line.high:.4f})"
        what = ", mean over pairs" * (self.means and not pooled and bool(spread))
        with picture.group(tip=f"{line.name}: {said}{what}{spread}"):
            if line.low is not None and line.high is not None:
                picture.line(x(line.low), y, x(line.high), y, "faint", width=3, stroke_opacity=0.6)
            if not np.isnan(line.value):
                picture.circle(x(line.value), y, 5 if pooled else 4, "match" if pooled else "ink")
        picture.text(picture.width - 8, y + 4, said, "faint", anchor="end", size=11)

    def _described(self) -> str:
        worst = self._ordered()[:3]
        said = ", ".join(f"{line.name} {line.value:.3f}" for line in worst)
        return f"Pooled {self.pooled.value:.3f} over {len(self.lines)} items; lowest: {said}."
