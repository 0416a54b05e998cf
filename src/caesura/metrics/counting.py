"""Counting on local threads: kernels release the GIL, so pairs are cut into runs of equal work and counted side by side."""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from caesura.metrics.batch import Batch
from caesura.metrics.family import Family, Metric, Rows

__all__ = ["count_families", "count_rows", "families_of"]

_SMALL = 100_000  # marks below which starting threads costs more than it gains


def families_of(metrics: Iterable[Metric]) -> list[Family]:
    """Group metrics by what they count: each family once, in order."""
    return list(dict.fromkeys(metric.family for metric in metrics))


def count_families(families: Iterable[Family], batch: Batch, *, threads: int | None = None) -> dict[Family, Rows]:
    """Count every pair of the batch for every family, each once; rows come back in order, the same for any number of threads."""
    ready = {family: family.prepare(batch) for family in families}
    workers = threads or os.cpu_count() or 1
    if workers == 1 or (threads is None and batch.marks < _SMALL):
        return {family: family.count(prepared) for family, prepared in ready.items()}
    cut = {id(prepared): prepared.parts(workers) for prepared in ready.values()}
    with ThreadPoolExecutor(workers) as pool:
        return {
            family: np.concatenate(list(pool.map(family.count, cut[id(prepared)])))
            for family, prepared in ready.items()
        }


def count_rows(metric: Metric, batch: Batch, *, threads: int | None = None) -> Rows:
    """Count every pair of the batch for one metric."""
    metric.check(batch)
    return count_families([metric.family], batch, threads=threads)[metric.family]
