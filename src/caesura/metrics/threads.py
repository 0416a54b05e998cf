"""Counting on local threads: kernels release the GIL, so pairs are cut into runs of equal work and counted side by side."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from caesura.metrics.base import Metric, Rows
from caesura.metrics.batch import Batch

__all__ = ["count_rows"]

_SMALL = 100_000  # marks below which starting threads costs more than it gains


def count_rows(metric: Metric, batch: Batch, *, threads: int | None = None) -> Rows:
    """Count every pair of the batch, on as many threads as there are cores; the rows come back in order."""
    metric.check(batch)
    workers = threads or os.cpu_count() or 1
    marks = int(batch.reference.sizes.sum() + batch.hypothesis.sizes.sum())
    if workers == 1 or (threads is None and marks < _SMALL):
        return metric.count(batch)
    with ThreadPoolExecutor(workers) as pool:
        return np.concatenate(list(pool.map(metric.count, batch.parts(workers))))
