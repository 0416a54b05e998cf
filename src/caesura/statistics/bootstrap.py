"""Intervals by resampling rows: comparisons are counted once, then drawn with replacement."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from caesura.metrics.base import Metric, Rows

__all__ = ["Interval", "bootstrap_interval"]


class Interval(NamedTuple):
    """Lower and upper end."""

    low: float
    high: float


def bootstrap_interval(
    metric: Metric, rows: Rows, *, level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> Interval | None:
    """Percentile interval of the pooled score over items; None where fewer than two items leave nothing to resample.

    Every resample draws as many items as there are, adds up their rows and scores the sum. It is done as multinomial
    weights times rows, in chunks that fit into memory, so no comparison is counted again.
    """
    items = len(rows)
    if items < 2:
        return None
    random = np.random.default_rng(seed)
    chunk = max(1, 4_000_000 // items)
    scores = []
    for start in range(0, resamples, chunk):
        number = min(chunk, resamples - start)
        weights = random.multinomial(items, np.full(items, 1 / items), size=number)
        scores.append(metric.score(weights.astype(np.float64) @ rows))
    low, high = np.nanquantile(np.concatenate(scores), [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))
