"""A strip of scores: one line per item, its score and the interval around it, and the pooled score through all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from caesura.display.cells import clean, widest
from caesura.display.plot import axis_labels
from caesura.display.scene import (
    Axis,
    Item,
    Line,
    Name,
    Number,
    Picture,
    Region,
    Scene,
    ScenePicture,
    Sign,
    Spread,
    Tick,
)  # fmt: skip
from caesura.display.table import Interval, spell
from caesura.drawings.matrices import count_coders
from caesura.errors import CaesuraError
from caesura.metrics import Metric
from caesura.metrics import metric as make_metric
from caesura.model import DEFAULT_METRICS, Corpus
from caesura.statistics import CountedPairs
from caesura.words import number_of

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
    return strip_of_items(count_coders(corpus), make_metric(metric or DEFAULT_METRICS[corpus.kind]))


def strip_of_items(table: CountedPairs, measure: Metric) -> Strip:
    """Draw pairs that may be counted already."""
    from caesura.statistics.bootstrap import bootstrap_interval

    lines, shown, means = [], [], False
    for number, item in enumerate(table.pairs.items):
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


@dataclass(frozen=True)
class Strip(ScenePicture):
    """Scores on one axis, worst first, so that eyes go where coders or systems differ most."""

    lines: tuple[Scored, ...]
    pooled: Scored
    of: str
    bounds: tuple[float, float] = (0.0, 1.0)
    means: bool = False  # whether a dot is the mean over pairs of coders, and its line their spread

    @property
    def title(self) -> str:
        """What is shown, of how many."""
        return f"{self.of} of {number_of(len(self.lines), 'item')}" + ", mean over pairs of coders" * self.means

    @property
    def _names(self) -> int:
        return widest((line.name for line in (*self.lines, self.pooled)), _NAME)

    def _by_value(self) -> list[Scored]:
        return sorted(self.lines, key=lambda line: (np.isnan(line.value), line.value))

    def _range(self) -> tuple[float, float]:
        every = [v for line in (*self.lines, self.pooled) for v in line[1:] if v is not None and np.isfinite(v)]
        low, high = min([0.0, *every]), max(every or [1.0])
        return low, max(high, min(self.bounds[1], 1.0) if np.isfinite(self.bounds[1]) else high, low + 1e-9)

    def scene(self, width: int, *, fine: bool) -> Scene:
        """A dot per line on a common axis, the number behind; the pooled score goes through all of them."""
        margin = self._names + 2
        room = max(10, width - margin - 9)
        lines = self._by_value()[: None if fine else _ROWS]
        left = len(self.lines) - len(lines)
        return Scene(
            title=self.title,
            description=self._description(),
            heading=clean(self.title),
            key="",
            width=width,
            margin=margin,
            rows=(0.9, *(1.0 if len(lines) <= 60 else 0.6 for _ in lines), 1.2),
            blocks=(tuple(self._rows([*lines, self.pooled], room)),),
            notes=((f"… and {left} items with higher scores", "faint"),) if left else (),
        )

    def _rows(self, lines: Sequence[Scored], room: int) -> Iterator[Item]:
        low, high = self._range()

        def at(value: float) -> float:
            return (value - low) / (high - low) * (room - 1)

        labels = axis_labels(low, high, max(2, room // 12))
        yield Axis(0, numbers=tuple((at(value), words) for value, words in labels), rows=len(lines))
        pooled = self.pooled
        for row, line in enumerate(lines, 1):
            role = "match" if line is pooled else "ink"
            tip = self._tip(line)
            yield Name(row, words=line.name, role="strong" if line is pooled else "ink")
            yield Line(row, width=room, thin=True)
            if line.low is not None and line.high is not None:
                if line is pooled:
                    yield Region(1, at(line.low), at(line.high) - at(line.low), role=role, tip=tip, rows=row)
                yield Spread(row, at(line.low), at(line.high) - at(line.low), tip=tip)
            if line is pooled and not np.isnan(line.value):
                yield Tick(1, at(line.value), role=role, tip=tip, rows=row)
            if not np.isnan(line.value):
                yield Sign(row, at(line.value), 0, "●", role, tip)
            yield Number(row, room + 1, words=spell(line.value).rjust(7), role=role)

    def _tip(self, line: Scored) -> str:
        value = "undefined" if np.isnan(line.value) else spell(line.value)
        if line.low is None or line.high is None:
            return f"{line.name}: {value}"
        what = ", mean over pairs" * (self.means and line is not self.pooled)
        return f"{line.name}: {value}{what} ({spell(Interval(line.low, line.high))})"

    def _description(self) -> str:
        worst = self._by_value()[:3]
        lowest = ", ".join(f"{line.name} {spell(line.value)}" for line in worst)
        return f"Pooled {spell(self.pooled.value)} over {len(self.lines)} items; lowest: {lowest}."
