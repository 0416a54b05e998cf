"""Coder × coder heat map: who agrees with whom."""

from __future__ import annotations

import numpy as np

from caesura.display.heat_map import HeatMap
from caesura.display.scene import Picture
from caesura.errors import CaesuraError
from caesura.metrics import Metric
from caesura.metrics import metric as make_metric
from caesura.model import DEFAULT_METRICS, Corpus
from caesura.statistics import CountedPairs

__all__ = ["count_coders", "draw_matrix", "heat_map"]


def draw_matrix(corpus: Corpus, *, metric: str | None = None) -> Picture:
    """Draw the pooled score of every two coders by one metric."""
    return heat_map(count_coders(corpus), make_metric(metric or DEFAULT_METRICS[corpus.kind]))


def heat_map(table: CountedPairs, measure: Metric) -> HeatMap:
    """Draw pairs that may be counted already."""
    low, high = measure.bounds
    scale = (low, high) if np.isfinite([low, high]).all() else None
    return HeatMap(table.matrix(measure), table.pairs.reference.coders, measure.spelled, scale)


def count_coders(corpus: Corpus) -> CountedPairs:
    """Pair all coders, and refuse a corpus in which nobody can be compared."""
    table = CountedPairs.among_coders(corpus)
    if not len(table.pairs):
        raise CaesuraError("no two coders annotated the same text.")
    return table
