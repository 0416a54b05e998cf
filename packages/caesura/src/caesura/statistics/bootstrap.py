"""Bootstrap intervals over items, for scores and for coefficients of agreement.

Pairs are counted once; a resample only adds up the rows of the items drawn. All metrics of one evaluation share the same
resamples, so that ten thousand resamples of ten thousand items are one pass over the rows.

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
from itertools import product
from math import asin, erf, factorial, pi, sqrt
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.display.table import IntervalCell
from caesura.errors import CaesuraError
from caesura.metrics.family import Metric, Rows
from caesura.validation import validate_choice, validate_integer

#: How the ends of an interval are chosen: "percentile" takes quantiles of the resampled scores, "bca" corrects them for bias
#: and acceleration, "expanded" widens them for small numbers of items.
IntervalMethod: TypeAlias = Literal["percentile", "bca", "expanded", "two-stage"]
#: Converts rows, or sums of rows, to scores.
ScoreFunction: TypeAlias = Callable[[Rows], NDArray[np.float64]]
Values: TypeAlias = NDArray[np.float64]

#: More items than MAX_ITEMS are pooled into this many groups before resampling. Sums of exchangeable items are exchangeable,
#: so the interval stays valid (its ends vary by 1/√(2·GROUPS) = 1.6 % of its width), and memory and time stop growing.
MAX_ITEMS = 10_000
GROUPS = 2_000

#: Up to so many clusters, all resamples are enumerated: 7 clusters have 1,716 different ones.
MAX_ENUMERATED = 7

_MIN_THREADED_DRAWS = 1_000_000  # below this many items drawn, starting threads costs more than it gains
_CHUNK = 64  # resamples per random stream; fixed, so that results do not depend on memory or the number of threads


NEEDS_CLUSTERS = "two-stage intervals draw clusters and then their items; give cluster= too (--cluster speaker)."


@dataclass(frozen=True)
class Resampling:
    """The settings of a bootstrap over items.

    Parameters
    ----------
    level : float, default 0.95
        The nominal coverage of an interval, between 0 and 1.
    resamples : int, default 10,000
        The number of resamples; with 0 there are no intervals.
    method : {"percentile", "bca", "expanded"}, default "percentile"
        How the ends of an interval are chosen.
    seed : int, default 0
        The seed of the random numbers.
    """

    level: float = 0.95
    resamples: int = 10_000
    method: IntervalMethod = "percentile"
    seed: int = 0

    def __post_init__(self) -> None:
        validate_integer("resamples", self.resamples)
        validate_integer("seed", self.seed)
        validate_choice("interval", self.method, tuple(_ADJUSTMENTS))
        if isinstance(self.level, bool) or not isinstance(self.level, (int, float)) or not 0 < self.level < 1:
            raise CaesuraError(f"level is {self.level!r}; expected a number between 0 and 1.")

    def intervals(self, metrics: Sequence[Metric], rows: Sequence[Rows]) -> list[IntervalCell | None]:
        """Return the interval of every metric, whose rows are of the same items.

        Only the parts that a score is made of are resampled, not all counts.
        """
        if self.method == "two-stage":
            raise CaesuraError(NEEDS_CLUSTERS)
        if self.resamples == 0:
            return [None] * len(rows)
        parts = [metric.parts(each) for metric, each in zip(metrics, rows, strict=True)]
        return self.score_intervals([metric.value for metric in metrics], parts)

    def score_intervals(self, scores: Sequence[ScoreFunction], rows: Sequence[Rows]) -> list[IntervalCell | None]:
        """Return the interval of every score, whose rows are of the same items; all of them share the resamples."""
        if self.resamples == 0 or not rows or len(rows[0]) < 2:
            return [None] * len(rows)
        pooled = [pool_groups(each) for each in rows]
        widths = np.cumsum([each.shape[1] for each in pooled])[:-1]
        sums = resampled_sums(np.concatenate(pooled, axis=1), self.resamples, self.seed)
        return [
            self._quantiles(score(drawn), score, own)
            for score, own, drawn in zip(scores, pooled, np.split(sums, widths, axis=1), strict=True)
        ]

    def cluster_intervals(self, metrics: Sequence[Metric], rows: Sequence[Rows]) -> list[IntervalCell | None]:
        """Return the interval of every metric over clusters, such as speakers, whose rows were added up.

        With few clusters, all resamples are enumerated with their probabilities, so that the ends are exact; an end is the smallest
        score that at least so many of all resamples do not exceed.
        """
        if self.resamples == 0 or not rows or not 2 <= len(rows[0]) <= MAX_ENUMERATED:
            return self.intervals(metrics, rows)
        weights, chances = _all_resamples(len(rows[0]))
        found: list[IntervalCell | None] = []
        for metric, each in zip(metrics, rows, strict=True):
            parts = metric.parts(each)
            values = metric.value(weights @ parts)
            defined = np.isfinite(values)
            if not defined.any():
                found.append(None)
                continue
            order = np.argsort(values[defined], kind="stable")
            upto = np.cumsum(chances[defined][order])
            ends = np.array([(1 - self.level) / 2, (1 + self.level) / 2])
            ends = _ADJUSTMENTS[self.method](metric.value, parts, values[defined], ends)
            at = np.searchsorted(upto, ends * upto[-1] * (1 - 1e-12))
            low, high = values[defined][order][np.minimum(at, len(upto) - 1)]
            found.append(IntervalCell(float(low), float(high)))
        return found

    def item_weights(self, items: int) -> NDArray[np.int64] | None:
        """Draw how often each resample contains each item: one row per resample; None with nothing to resample.

        Coefficients of agreement need the weights themselves, because they divide several tables of sums. They draw from one
        multinomial stream instead of the chunks of :func:`resampled_sums`: published intervals depend on it.
        """
        if self.resamples == 0 or items < 2:
            return None
        even = np.full(items, 1 / items)
        return np.random.default_rng(self.seed).multinomial(items, even, size=self.resamples)

    def interval(self, values: Values) -> IntervalCell | None:
        """Return percentiles of resampled values; undefined values are left out, None if all are undefined."""
        return self._quantiles(values)

    def expanded_interval(self, values: Values, size: int) -> IntervalCell | None:
        """Return percentiles of resampled values, widened for so many clusters."""
        defined = values[np.isfinite(values)]
        if not len(defined):
            return None
        ends = _expand(np.array([(1 - self.level) / 2, (1 + self.level) / 2]), size)
        low, high = np.quantile(defined, ends)
        return IntervalCell(float(low), float(high))

    def _quantiles(
        self, values: Values, score: ScoreFunction | None = None, rows: Rows | None = None
    ) -> IntervalCell | None:
        defined = values[np.isfinite(values)]
        if not len(defined):
            return None
        ends = np.array([(1 - self.level) / 2, (1 + self.level) / 2])
        if score is not None and rows is not None:
            ends = _ADJUSTMENTS[self.method](score, rows, defined, ends)
        low, high = np.quantile(defined, ends)
        return IntervalCell(float(low), float(high))


def bootstrap_interval(
    metric: Metric,
    rows: Rows,
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    method: IntervalMethod = "percentile",
) -> IntervalCell | None:
    """Compute the interval of one metric's pooled score over items.

    Parameters
    ----------
    metric : Metric
        The metric.
    rows : ndarray
        Its counts, one row per item.
    level : float, default 0.95
        The nominal coverage.
    resamples : int, default 10,000
        The number of resamples, 1 or more.
    seed : int, default 0
        The seed of the random numbers.
    method : {"percentile", "bca", "expanded"}, default "percentile"
        How the ends are chosen.

    Returns
    -------
    IntervalCell or None
        Low and high; None with fewer than two items.

    Examples
    --------
    >>> from caesura.metrics import metric
    >>> rows = np.array([[1.0, 1, 1], [0, 1, 1]] * 50)
    >>> low, high = bootstrap_interval(metric("F"), rows)
    >>> 0.3 < low < 0.5 < high < 0.7
    True
    """
    validate_integer("resamples", resamples, 1)
    return Resampling(level, resamples, method, seed).intervals([metric], [rows])[0]


@cache
def _all_resamples(clusters: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how often each resample of so many clusters contains each of them, and the probability of each resample."""
    weights = np.array(
        [row for row in product(range(clusters + 1), repeat=clusters - 1) if sum(row) <= clusters], np.float64
    )
    weights = np.column_stack((weights, clusters - weights.sum(axis=1)))
    factorials = np.array([factorial(n) for n in range(clusters + 1)], np.float64)
    ways = factorials[clusters] / factorials[weights.astype(np.int64)].prod(axis=1)
    return weights, ways / clusters**clusters


def group_count(items: int) -> int:
    """Return the number of groups into which items are pooled: one per item up to a limit."""
    return items if items <= MAX_ITEMS else GROUPS


def pool_groups(rows: Rows, groups: int | None = None) -> Rows:
    """Pool many items into groups; item ``i`` is added to group ``i mod groups``."""
    groups = groups or group_count(len(rows))
    if len(rows) <= groups:
        return rows
    whole = len(rows) // groups * groups
    summed: Rows = rows[:whole].reshape(-1, groups, rows.shape[1]).sum(axis=0)
    summed[: len(rows) - whole] += rows[whole:]
    return summed


def resampled_sums(rows: Rows, resamples: int, seed: int) -> Rows:
    """Return the pooled counts of every resample, one row each; independent of the number of threads."""
    from caesura.kernels.resampling import add_drawn

    contiguous = np.ascontiguousarray(rows)
    sums = np.empty((resamples, rows.shape[1]))

    def add_chunk(number: int, stream: np.random.SeedSequence) -> None:
        out = sums[number * _CHUNK : (number + 1) * _CHUNK]
        drawn = np.random.default_rng(stream).integers(0, len(rows), size=(len(out), len(rows)), dtype=np.int32)
        add_drawn(drawn, contiguous, out)

    streams = np.random.SeedSequence(seed).spawn(-(-resamples // _CHUNK))
    if resamples * len(rows) < _MIN_THREADED_DRAWS:
        deque(map(add_chunk, range(len(streams)), streams), maxlen=0)
        return sums
    from concurrent.futures import ThreadPoolExecutor  # imported late: small inputs do not need it

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        deque(pool.map(add_chunk, range(len(streams)), streams), maxlen=0)
    return sums


def _keep_ends(score: ScoreFunction, rows: Rows, values: Values, ends: NDArray[np.float64]) -> NDArray[np.float64]:
    return ends


def _expanded_ends(score: ScoreFunction, rows: Rows, values: Values, ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """Widen the probabilities to Φ(√(n/(n-1)) t), with t Student's quantile for n-1 degrees of freedom.

    The variance of a resample is (n-1)/n of the variance of a sample, and its quantiles are normal where a mean of n items
    has Student's.
    """
    return _expand(ends, len(rows))


def _expand(ends: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    stretch = sqrt(size / (size - 1))
    return np.array([_normal_cdf(stretch * student_quantile(end, size - 1)) for end in ends.tolist()])


def _bca_ends(score: ScoreFunction, rows: Rows, values: Values, ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shift the probabilities by the bias z0 and the acceleration a: Φ(z0 + (z0 + z) / (1 - a (z0 + z)))."""
    total = rows.sum(axis=0)
    estimate = float(score(total))
    below = (values < estimate).mean() + (values == estimate).mean() / 2
    if not 0 < below < 1:
        return ends  # every resample is on one side: the bias is not defined
    left_out = score(total - rows)  # the jackknife: the score without each item
    left_out = left_out[np.isfinite(left_out)]
    spread = left_out.mean() - left_out
    cubed, squared = (spread**3).sum(), (spread**2).sum()
    acceleration = cubed / (6 * squared**1.5) if squared > 0 else 0.0
    bias = _normal_quantile(below)
    moved = [bias + _normal_quantile(end) for end in ends.tolist()]
    return np.array([_normal_cdf(bias + z / (1 - acceleration * z)) for z in moved])


#: Interval method -> function that replaces the nominal probabilities of the two ends.
_ADJUSTMENTS: dict[str, Callable[[ScoreFunction, Rows, Values, NDArray[np.float64]], NDArray[np.float64]]] = {
    "percentile": _keep_ends,
    "bca": _bca_ends,
    "expanded": _expanded_ends,
    "two-stage": _keep_ends,  # of clusters, see caesura.statistics.clusters
}


def _normal_cdf(z: float) -> float:
    return (1 + erf(z / sqrt(2))) / 2


def _normal_quantile(probability: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf(probability)


@cache
def student_quantile(probability: float, freedom: int) -> float:
    """Compute Student's quantile by bisecting the sine of θ = arctan(t/√freedom).

    In terms of θ the distribution function is a finite sum (Abramowitz & Stegun 26.7.3 and 26.7.4), which saves SciPy.
    """
    low, high = -1.0, 1.0
    for _ in range(60):  # halves the interval below the precision of a float
        middle = (low + high) / 2
        if _student_cdf(middle, freedom) < probability:
            low = middle
        else:
            high = middle
    return low / sqrt(1 - low**2) * sqrt(freedom)


def student_tail(t: float, freedom: int) -> float:
    """Return P(T ≤ t) of Student's distribution."""
    return _student_cdf(t / sqrt(freedom + t**2), freedom)


def _student_cdf(sine: float, freedom: int) -> float:
    """P(T ≤ t) for the angle with this sine."""
    cosine_squared = 1 - sine**2
    odd = freedom % 2
    steps = np.arange(1, (freedom - odd) // 2)
    terms = np.concatenate(([1.0], np.cumprod((2 * steps - 1 + odd) / (2 * steps + odd) * cosine_squared)))
    within = sine * float(terms.sum())
    if odd:
        within = 2 / pi * (asin(sine) + (within * sqrt(cosine_squared) if freedom > 1 else 0.0))
    return (1 + within) / 2
