"""Intervals by resampling rows: comparisons are counted once, then items are drawn with replacement.

A resample names the items that were drawn, some of them several times; the sum of their rows are the pooled counts of that resample. So
all metrics of one evaluation share the same resamples, and ten thousand of them over ten thousand items are one walk over the rows.

References
----------
Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapters 13 (percentile) and 14 (BCa).
Hesterberg 2015, What Teachers Should Know About the Bootstrap, The American Statistician 69:4, section 4 (expanded percentile).
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import asin, erf, pi, sqrt
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.display.table import Interval
from caesura.errors import CaesuraError
from caesura.metrics.family import Metric, Rows
from caesura.words import check_whole

#: "percentile": quantiles of the resampled scores; "bca": the same, corrected for bias and acceleration; "expanded": the same, wider
#: by as much as few items make percentiles too narrow.
IntervalMethod: TypeAlias = Literal["percentile", "bca", "expanded"]
#: Turns rows or sums of rows into scores.
Score: TypeAlias = Callable[[Rows], NDArray[np.float64]]

#: More items than this are pooled into groups before resampling: sums of exchangeable items are exchangeable, so the interval
#: stays right (its ends waver by 1/√(2·GROUPS) = 1.6 % of its width) while memory and time stop growing with the corpus.
MOST_ITEMS = 10_000
GROUPS = 2_000

_SMALL = 1_000_000  # items drawn below which starting threads costs more than it gains
_CHUNK = 64  # resamples that share a random stream: fixed, so that the answer never depends on memory or threads


@dataclass(frozen=True)
class Resampling:
    """How intervals are made: the share they promise to hold, how many resamples of what seed, and which quantiles of them."""

    level: float = 0.95
    resamples: int = 10_000
    method: IntervalMethod = "percentile"
    seed: int = 0

    def intervals(self, metrics: Sequence[Metric], rows: Sequence[Rows]) -> list[Interval | None]:
        """Intervals of several metrics' rows of the same items; only the parts of a score are resampled, not all counts."""
        if self.resamples == 0:
            return [None] * len(rows)
        parts = [metric.parts(each) for metric, each in zip(metrics, rows, strict=True)]
        return bootstrap_intervals([metric.value for metric in metrics], parts, **vars(self))


def bootstrap_interval(
    metric: Metric,
    rows: Rows,
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    method: IntervalMethod = "percentile",
) -> Interval | None:
    """Interval of one metric's pooled score over items; None where fewer than two items leave nothing to resample.

    >>> from caesura.metrics import metric
    >>> rows = np.array([[1.0, 1, 1], [0, 1, 1]] * 50)
    >>> low, high = bootstrap_interval(metric("F"), rows)
    >>> 0.3 < low < 0.5 < high < 0.7
    True
    """
    check_whole("resamples", resamples, 1)
    return Resampling(level, resamples, method, seed).intervals([metric], [rows])[0]


def bootstrap_intervals(
    scores: Sequence[Score],
    rows: Sequence[Rows],
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    method: IntervalMethod = "percentile",
) -> list[Interval | None]:
    """Intervals of several scores over the same items, all from the same resamples."""
    if not isinstance(level, (int, float)) or not 0 < level < 1:
        raise CaesuraError(f"the level of an interval lies between 0 and 1, not at {level!r}.")
    check_whole("resamples", resamples, 1)
    check_whole("seed", seed)
    if method not in _ENDS:
        raise CaesuraError(f"there is no interval {method!r}; expected {', '.join(_ENDS)}.")
    if not rows or len(rows[0]) < 2:
        return [None] * len(rows)
    pooled = [pool_groups(each) for each in rows]
    widths = np.cumsum([each.shape[1] for each in pooled])[:-1]
    drawn = np.split(resampled_sums(np.concatenate(pooled, axis=1), resamples, seed), widths, axis=1)
    return [
        _interval(score, each, sums, level, method) for score, each, sums in zip(scores, pooled, drawn, strict=True)
    ]


def groups_for(items: int) -> int:
    """Into how many groups so many items are pooled: each alone, up to a limit."""
    return items if items <= MOST_ITEMS else GROUPS


def pool_groups(rows: Rows, groups: int | None = None) -> Rows:
    """Pool items into sums where there are too many of them; item ``i`` goes to group ``i mod groups``."""
    groups = groups or groups_for(len(rows))
    if len(rows) <= groups:
        return rows
    whole = len(rows) // groups * groups
    summed: Rows = rows[:whole].reshape(-1, groups, rows.shape[1]).sum(axis=0)
    summed[: len(rows) - whole] += rows[whole:]
    return summed


def resampled_sums(rows: Rows, resamples: int, seed: int) -> Rows:
    """Pooled counts of every resample: as many rows as resamples, the same on any number of threads."""
    from caesura.kernels.resampling import add_drawn

    counted = np.ascontiguousarray(rows)
    sums = np.empty((resamples, rows.shape[1]))

    def add_chunk(number: int, stream: np.random.SeedSequence) -> None:
        here = sums[number * _CHUNK : (number + 1) * _CHUNK]
        drawn = np.random.default_rng(stream).integers(0, len(rows), size=(len(here), len(rows)), dtype=np.int32)
        add_drawn(drawn, counted, here)

    streams = np.random.SeedSequence(seed).spawn(-(-resamples // _CHUNK))
    if resamples * len(rows) < _SMALL:
        deque(map(add_chunk, range(len(streams)), streams), maxlen=0)
        return sums
    from concurrent.futures import ThreadPoolExecutor  # small work starts without it

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        deque(pool.map(add_chunk, range(len(streams)), streams), maxlen=0)
    return sums


def _interval(score: Score, rows: Rows, sums: Rows, level: float, method: IntervalMethod) -> Interval | None:
    drawn = score(sums)
    drawn = drawn[np.isfinite(drawn)]
    if not len(drawn):
        return None
    ends = np.array([(1 - level) / 2, (1 + level) / 2])
    low, high = np.quantile(drawn, _ENDS[method](score, rows, drawn, ends))
    return Interval(float(low), float(high))


def _percentile_ends(
    score: Score, rows: Rows, drawn: NDArray[np.float64], ends: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Take the quantiles as they are."""
    return ends


def _expanded_ends(
    score: Score, rows: Rows, drawn: NDArray[np.float64], ends: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Widen the quantiles to Φ(√(n/(n-1)) t), t Student's with n-1 degrees of freedom.

    A resample of n items varies less than n items do, by (n-1)/n, and its quantiles are a normal's where a mean of n wants Student's.
    """
    stretch = sqrt(len(rows) / (len(rows) - 1))
    return np.array([_normal_share(stretch * _student_quantile(end, len(rows) - 1)) for end in ends.tolist()])


def _bca_ends(score: Score, rows: Rows, drawn: NDArray[np.float64], ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shift the quantiles by the bias z0 and the acceleration a: Φ(z0 + (z0 + z) / (1 - a (z0 + z)))."""
    total = rows.sum(axis=0)
    estimate = float(score(total))
    below = (drawn < estimate).mean() + (drawn == estimate).mean() / 2
    if not 0 < below < 1:
        return ends  # every resample on one side: nothing to correct with
    left_out = score(total - rows)
    left_out = left_out[np.isfinite(left_out)]
    spread = left_out.mean() - left_out
    cubed, squared = (spread**3).sum(), (spread**2).sum()
    acceleration = cubed / (6 * squared**1.5) if squared > 0 else 0.0
    bias = _normal_quantile(below)
    moved = [bias + _normal_quantile(end) for end in ends.tolist()]
    return np.array([_normal_share(bias + z / (1 - acceleration * z)) for z in moved])


def _normal_share(z: float) -> float:
    return (1 + erf(z / sqrt(2))) / 2


def _normal_quantile(share: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf(share)


@cache
def _student_quantile(share: float, freedom: int) -> float:
    """Find t by halving the angle θ = arctan(t/√freedom), whose share is a finite sum (Abramowitz & Stegun 26.7.3 and 26.7.4)."""
    low, high = -1.0, 1.0  # sines
    for _ in range(60):
        middle = (low + high) / 2
        if _student_share(middle, freedom) < share:
            low = middle
        else:
            high = middle
    return low / sqrt(1 - low**2) * sqrt(freedom)


def _student_share(sine: float, freedom: int) -> float:
    """P(T ≤ t) for the angle with this sine."""
    squared = 1 - sine**2  # of the cosine
    odd = freedom % 2
    steps = np.arange(1, (freedom - odd) // 2)
    terms = np.concatenate(([1.0], np.cumprod((2 * steps - 1 + odd) / (2 * steps + odd) * squared)))
    within = sine * float(terms.sum())
    if odd:
        within = 2 / pi * (asin(sine) + (within * sqrt(squared) if freedom > 1 else 0.0))
    return (1 + within) / 2


_ENDS: dict[str, Callable[[Score, Rows, NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]] = {
    "percentile": _percentile_ends,
    "bca": _bca_ends,
    "expanded": _expanded_ends,
}
