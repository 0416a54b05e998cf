"""Coder × coder heat map: who agrees with whom."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura.display.heat_map import HeatMap
from caesura.display.scene import Picture
from caesura.errors import CaesuraError
from caesura.metrics import Metric
from caesura.metrics import metric as make_metric
from caesura.model import DEFAULT_METRICS, Corpus
from caesura.statistics import CountedPairs


def draw_matrix(corpus: Corpus, *, metric: str | None = None) -> Picture:
    """Draw the pooled score of every two coders by one metric."""
    return heat_map(count_coders(corpus), make_metric(metric or DEFAULT_METRICS[corpus.kind]))


def heat_map(table: CountedPairs, measure: Metric) -> HeatMap:
    """Draw pairs that may be counted already."""
    matrix = table.matrix(measure)
    return HeatMap(matrix, table.pairs.reference.coders, measure.spelled, _scale(measure, matrix))


def _scale(measure: Metric, matrix: NDArray[np.float64]) -> tuple[float, float]:
    """The least and greatest value of the measure; where it has none, 0 or what is there, rounded outwards."""
    low, high = measure.bounds
    known = matrix[~np.eye(len(matrix), dtype=bool) & np.isfinite(matrix)]
    if not np.isfinite(low):
        low = 0.0  # R falls below 0 where next to nothing is right: such pairs stay blank
    if not np.isfinite(high):
        most = float(known.max()) if known.size else 1.0
        step = 10.0 ** np.floor(np.log10(max(most - low, 1e-9)))
        high = low + step * float(np.ceil(max(most - low, 1e-9) / step))
    return float(low), float(high)


def count_coders(corpus: Corpus) -> CountedPairs:
    """Pair all coders, and refuse a corpus in which nobody can be compared."""
    table = CountedPairs.among_coders(corpus)
    if not len(table.pairs):
        raise CaesuraError("no two coders annotated the same text.")
    return table
