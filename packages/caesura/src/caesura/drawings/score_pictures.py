"""Pictures of scores: a heat map of every pair of coders, and a strip with one line per item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.display.cells import clean, max_cell_width
from caesura.display.heat_map import HeatMap
from caesura.display.scene import (
    Axis,
    Baseline,
    IntervalLine,
    Marker,
    Name,
    Number,
    Picture,
    Region,
    Scene,
    ScenePicture,
    Shape,
    Tick,
)  # fmt: skip
from caesura.display.table import IntervalCell, format_cell
from caesura.errors import CaesuraError
from caesura.metrics import Metric
from caesura.metrics import metric as make_metric
from caesura.model import DEFAULT_METRICS, Corpus
from caesura.statistics import CountedPairs
from caesura.text import pluralize


def draw_matrix(corpus: Corpus, *, metric: str | None = None) -> Picture:
    """Draw the pooled score of every two coders by one metric."""
    return heat_map(count_coders(corpus), make_metric(metric or DEFAULT_METRICS[corpus.kind]))


def heat_map(table: CountedPairs, measure: Metric) -> HeatMap:
    """Draw pairs that may have been counted already."""
    matrix = table.matrix(measure)
    return HeatMap(matrix, table.pairs.reference.coders, measure.spelled, _scale(measure, matrix))


def _scale(measure: Metric, matrix: NDArray[np.float64]) -> tuple[float, float]:
    """Return the bounds of the metric; where it is unbounded, 0 or the largest value, rounded up."""
    low, high = measure.bounds
    known = matrix[~np.eye(len(matrix), dtype=bool) & np.isfinite(matrix)]
    if not np.isfinite(low):
        low = 0.0  # R is negative for very poor segmentations; such pairs stay blank
    if not np.isfinite(high):
        most = float(known.max()) if known.size else 1.0
        step = 10.0 ** np.floor(np.log10(max(most - low, 1e-9)))
        high = low + step * float(np.ceil(max(most - low, 1e-9) / step))
    return float(low), float(high)


def count_coders(corpus: Corpus) -> CountedPairs:
    """Pair all coders; raise an error if no two coders share an item."""
    table = CountedPairs.among_coders(corpus)
    if not len(table.pairs):
        raise CaesuraError("no two coders annotated the same text.")
    return table


# ---------------------------------------------------------------------- one line per item


_ITEM_WIDTH = 24
_ROWS = 30  # items drawn in a terminal


class ScoredItem(NamedTuple):
    """A line of the strip: its name, its score (NaN if undefined) and an optional interval."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None


def draw_strip(corpus: Corpus, *, metric: str | None = None) -> Picture:
    """Draw the agreement on every item: the mean, minimum and maximum over pairs of coders."""
    return strip_of_items(count_coders(corpus), make_metric(metric or DEFAULT_METRICS[corpus.kind]))


def strip_of_items(table: CountedPairs, measure: Metric) -> Strip:
    """Draw pairs that may have been counted already."""
    from caesura.statistics.bootstrap import bootstrap_interval

    lines, shown, means = [], [], False
    for number, item in enumerate(table.pairs.items):
        matrix = table.matrix(measure, number)
        np.fill_diagonal(matrix, np.nan)
        scores = matrix[np.isfinite(matrix)]
        means |= len(scores) > 2  # every pair is counted in both directions
        if len(scores):
            lines.append(ScoredItem(item, float(scores.mean()), float(scores.min()), float(scores.max())))
            shown.append(number)
    if not lines:
        raise CaesuraError(f"{measure.spelled} is undefined on every item, so there is nothing to draw.")
    rows = table.by_item_both_ways(measure)[shown]
    interval = bootstrap_interval(measure, rows)
    pooled = ScoredItem("pooled", float(measure.score(rows.sum(axis=0))), *(interval or (None, None)))
    return Strip(tuple(lines), pooled, measure.spelled, measure.bounds, means)


@dataclass(frozen=True)
class Strip(ScenePicture):
    """Scores on one axis, worst first."""

    lines: tuple[ScoredItem, ...]
    pooled: ScoredItem
    of: str
    bounds: tuple[float, float] = (0.0, 1.0)
    means: bool = False  # whether a dot is a mean over pairs of coders, and its line their range

    @property
    def title(self) -> str:
        """The metric and the number of items."""
        return f"{self.of} of {pluralize(len(self.lines), 'item')}" + ", mean over pairs of coders" * self.means

    @property
    def _names(self) -> int:
        return max_cell_width((line.name for line in (*self.lines, self.pooled)), _ITEM_WIDTH)

    def _by_value(self) -> list[ScoredItem]:
        return sorted(self.lines, key=lambda line: (np.isnan(line.value), line.value))

    def _range(self) -> tuple[float, float]:
        every = [v for line in (*self.lines, self.pooled) for v in line[1:] if v is not None and np.isfinite(v)]
        low, high = min([0.0, *every]), max(every or [1.0])
        return low, max(high, min(self.bounds[1], 1.0) if np.isfinite(self.bounds[1]) else high, low + 1e-9)

    def scene(self, width: int, *, fine: bool) -> Scene:
        """Lay out a dot and a number per line on a common axis, with a vertical line at the pooled score."""
        margin = self._names + 2
        available = max(10, width - margin - 9)
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
            blocks=(tuple(self._rows([*lines, self.pooled], available)),),
            notes=((f"… and {left} items with higher scores", "faint"),) if left else (),
        )

    def _rows(self, lines: Sequence[ScoredItem], available: int) -> Iterator[Shape]:
        from caesura.display.plot import axis_labels  # the matrix, the usual picture of agreement, does without plots

        low, high = self._range()

        def at(value: float) -> float:
            return (value - low) / (high - low) * (available - 1)

        labels = axis_labels(low, high, max(2, available // 12))
        yield Axis(0, numbers=tuple((at(value), words) for value, words in labels), rows=len(lines))
        pooled = self.pooled
        for row, line in enumerate(lines, 1):
            role = "match" if line is pooled else "ink"
            tip = self._tip(line)
            yield Name(row, words=line.name, role="strong" if line is pooled else "ink")
            yield Baseline(row, width=available, thin=True)
            if line.low is not None and line.high is not None:
                if line is pooled:
                    yield Region(1, at(line.low), at(line.high) - at(line.low), role=role, tip=tip, rows=row)
                yield IntervalLine(row, at(line.low), at(line.high) - at(line.low), tip=tip)
            if line is pooled and not np.isnan(line.value):
                yield Tick(1, at(line.value), role=role, tip=tip, rows=row)
            if not np.isnan(line.value):
                yield Marker(row, at(line.value), 0, "●", role, tip)
            yield Number(row, available + 1, words=format_cell(line.value).rjust(7), role=role)

    def _tip(self, line: ScoredItem) -> str:
        value = "undefined" if np.isnan(line.value) else format_cell(line.value)
        if line.low is None or line.high is None:
            return f"{line.name}: {value}"
        what = ", mean over pairs" * (self.means and line is not self.pooled)
        return f"{line.name}: {value}{what} ({format_cell(IntervalCell(line.low, line.high))})"

    def _description(self) -> str:
        worst = self._by_value()[:3]
        lowest = ", ".join(f"{line.name} {format_cell(line.value)}" for line in worst)
        return f"Pooled {format_cell(self.pooled.value)} over {len(self.lines)} items; lowest: {lowest}."
