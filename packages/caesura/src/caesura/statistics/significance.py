"""Significance tests between systems: paired tests on pooled scores, and rank tests on scores of items.

The bootstrap test resamples items for both systems at once; the permutation test swaps the rows of two systems item by item.
The rank tests compare three or more systems. Fournier (2013) used Friedman's with Nemenyi's pairs, and Kruskal–Wallis with those of
Siegel & Castellan; Nemenyi's are the default after both.

References
----------
Noreen 1989, Computer-Intensive Methods for Testing Hypotheses (approximate randomisation);
Demšar 2006, Statistical Comparisons of Classifiers over Multiple Data Sets (Friedman, Nemenyi);
Nemenyi 1963, Distribution-free Multiple Comparisons (pairs after Friedman and after Kruskal–Wallis);
Siegel & Castellan 1988, Nonparametric Statistics for the Behavioral Sciences, pages 180-181 and 213-214 (normal pairs);
Holm 1979, A Simple Sequentially Rejective Multiple Test Procedure;
Kerby 2014, The simple difference formula (matched-pairs rank-biserial correlation).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.display.result import Result
from caesura.display.table import IntervalCell, Probability, Table, format_cell
from caesura.errors import CaesuraError, import_extra
from caesura.metrics.family import Metric, Rows
from caesura.statistics.bootstrap import Resampling, pool_groups, resampled_sums
from caesura.validation import validate_choice

if TYPE_CHECKING:
    from caesura.statistics.evaluation import Results

PairedMethod: TypeAlias = Literal["permutation", "bootstrap"]
#: The test of every two systems after a rank test.
PostHoc: TypeAlias = Literal["nemenyi", "siegel-castellan"]
SystemTest: TypeAlias = Literal["permutation", "bootstrap", "friedman", "kruskal"]

_POST_HOC_NAMES: Mapping[PostHoc, str] = {"nemenyi": "Nemenyi", "siegel-castellan": "Siegel & Castellan"}
_CHUNK = 64  # permutations per random stream; fixed, so that results depend on the seed only
_MAX_SWAPPED = 16  # clusters up to which all ways of swapping systems are tried: 65,536
_EQUAL = 1e-12  # differences that are equal in exact arithmetic may differ in the last bits of a sum


@dataclass(frozen=True)
class PairedTest:
    """A test of two systems on the same items.

    Attributes
    ----------
    first, second : str
        The systems.
    difference : float
        The difference of their pooled scores.
    p_value : float
        The two-sided p-value.
    interval : IntervalCell or None
        A bootstrap interval of the difference.
    effect : float
        The matched-pairs rank-biserial correlation of the items' scores, from -1 (the second system is better on every item)
        to 1 (the first is).
    method : {"permutation", "bootstrap"}
        The test.
    adjusted : float or None
        The p-value after Holm's correction for all pairs that were tested together.
    """

    first: str
    second: str
    difference: float
    p_value: float
    interval: IntervalCell | None
    effect: float
    method: PairedMethod
    adjusted: float | None = None


@dataclass(frozen=True, repr=False)
class RankTest(Result):
    """A rank test of three or more systems.

    Attributes
    ----------
    method : {"friedman", "kruskal"}
        The test.
    statistic, p_value, effect : float
        The omnibus statistic, its p-value, and the effect size (Kendall's W or ε²).
    ranks : mapping of str to float
        System -> mean rank.
    pairs : mapping of (str, str) to float
        Two systems -> p-value, adjusted for the number of pairs.
    post_hoc : {"nemenyi", "siegel-castellan"}
        The test of the pairs.
    """

    method: Literal["friedman", "kruskal"]
    statistic: float
    p_value: float
    effect: float
    ranks: Mapping[str, float]
    pairs: Mapping[tuple[str, str], float]
    post_hoc: PostHoc = "nemenyi"

    def tables(self) -> Sequence[Table]:
        """Return the mean ranks, captioned with the result of the test, and the pairs of systems."""
        test, effect = {"friedman": ("Friedman", "Kendall's W"), "kruskal": ("Kruskal–Wallis", "ε²")}[self.method]
        caption = f"{test} test {format_cell(self.statistic)}, p {format_cell(Probability(self.p_value))}, {effect} {format_cell(self.effect)}"
        pairs = tuple((f"{first} – {second}", Probability(p)) for (first, second), p in self.pairs.items())
        return [
            Table(caption, ("system", "mean rank"), tuple(self.ranks.items())),
            Table("", ("systems", f"p ({_POST_HOC_NAMES[self.post_hoc]})"), pairs),
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        pairs = [{"first": first, "second": second, "p_value": p} for (first, second), p in self.pairs.items()]
        return {**vars(self), "ranks": dict(self.ranks), "pairs": pairs}


def paired_test(
    metric: Metric,
    first: Rows,
    second: Rows,
    *,
    method: PairedMethod = "permutation",
    samples: int = 10_000,
    seed: int = 0,
    level: float = 0.95,
    names: tuple[str, str] = ("first", "second"),
    clusters: bool = False,
) -> PairedTest:
    """Test the difference of the pooled scores of two systems.

    The two-sided p-value is (k + 1) / (samples + 1), where k counts permutations (or centred resamples) at least as far from
    zero as the observed difference: it is never 0, and uniform under the null hypothesis.

    Parameters
    ----------
    metric : Metric
        The metric.
    first, second : ndarray
        The counts of both systems; row ``i`` of both is item ``i``.
    method : {"permutation", "bootstrap"}, default "permutation"
        The test.
    samples : int, default 10,000
        The number of permutations or resamples.
    seed : int, default 0
        The seed of the random numbers.
    level : float, default 0.95
        The level of the interval of the difference.
    names : tuple of two str, default ("first", "second")
        The names of the systems.
    clusters : bool, default False
        Whether rows are clusters of items, such as all recordings of a speaker. Up to 16 of them, all ways of swapping are tried, and p is
        the share of those at least as far from zero, the observed one included; intervals are expanded for few clusters.

    Returns
    -------
    PairedTest
        The difference, its interval, the p-value and the effect size.
    """
    if first.shape != second.shape:
        raise CaesuraError(
            f"{len(first)} items for {names[0]!r} but {len(second)} for {names[1]!r}; expected the same items."
        )
    if len(first) < 2:
        raise CaesuraError("a paired test needs two or more items.")
    resampling = Resampling(level, samples, seed=seed)
    ours, theirs = pool_groups(metric.parts(first)), pool_groups(metric.parts(second))
    observed = float(metric.value(ours.sum(axis=0)) - metric.value(theirs.sum(axis=0)))
    resampled = _resampled_differences(metric, ours, theirs, samples, seed)
    exact = clusters and method == "permutation" and len(ours) <= _MAX_SWAPPED
    if exact:
        drawn = _all_swapped_differences(metric, ours, theirs)
    elif method == "bootstrap":
        drawn = resampled - observed
    else:
        drawn = _swapped_differences(metric, ours, theirs, samples, seed)
    drawn = drawn[np.isfinite(drawn)]
    extreme = int((np.abs(drawn) >= abs(observed) - _EQUAL).sum())
    p_value = extreme / max(len(drawn), 1) if exact else (extreme + 1) / (len(drawn) + 1)
    return PairedTest(
        *names,
        difference=observed,
        p_value=p_value if np.isfinite(observed) else float("nan"),  # a score that is undefined for one of them
        interval=resampling.expanded_interval(resampled, len(ours)) if clusters else resampling.interval(resampled),
        effect=_rank_biserial(metric.score(first) - metric.score(second)),
        method=method,
    )


def compare_systems(
    metric: Metric,
    rows: Mapping[str, Rows],
    *,
    method: PairedMethod = "permutation",
    samples: int = 10_000,
    seed: int = 0,
    clusters: bool = False,
) -> list[PairedTest]:
    """Test every pair of systems and adjust the p-values by Holm's method.

    Parameters
    ----------
    metric : Metric
        The metric.
    rows : mapping of str to ndarray
        System -> its counts, one row per item.
    method : {"permutation", "bootstrap"}, default "permutation"
        The test.
    samples : int, default 10,000
        The number of permutations or resamples.
    seed : int, default 0
        The seed of the random numbers.
    clusters : bool, default False
        Whether rows are clusters of items, see :func:`paired_test`.

    Returns
    -------
    list of PairedTest
        One per pair, with ``adjusted`` p-values.
    """
    tests = [
        paired_test(
            metric, rows[a], rows[b], method=method, samples=samples, seed=seed, names=(a, b), clusters=clusters
        )
        for a, b in combinations(rows, 2)
    ]
    adjusted = holm([test.p_value for test in tests])
    return [replace(test, adjusted=p) for test, p in zip(tests, adjusted, strict=True)]


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for multiple tests by Holm's step-down method.

    Parameters
    ----------
    p_values : sequence of float
        The p-values.

    Returns
    -------
    list of float
        The adjusted p-values, in the same order.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values)
    factors = len(p_values) - np.arange(len(p_values))
    stepped = np.minimum(1.0, np.maximum.accumulate(np.asarray(p_values)[order] * factors))
    adjusted = np.empty(len(p_values))
    adjusted[order] = stepped
    return [round(float(p), 12) for p in adjusted]


def rank_test(
    metric: Metric,
    rows: Mapping[str, Rows],
    *,
    method: Literal["friedman", "kruskal"] = "friedman",
    post_hoc: PostHoc = "nemenyi",
) -> RankTest:
    """Test whether three or more systems differ, by the ranks of the scores of items.

    Friedman's test treats items as blocks and has Kendall's W as effect size; the Kruskal–Wallis test ignores which item a
    score belongs to and has ε². Every two systems are then compared by z, the difference of their mean ranks divided by its
    standard error: √(k(k + 1) / 6n) after Friedman's test, √(N(N + 1) / 6n) after the Kruskal–Wallis test, for k systems, n items
    and N = kn scores. Nemenyi's test compares √2 z with the studentised range of k means; the test of Siegel & Castellan compares z
    with the normal distribution and multiplies p by the number of pairs. At 0.05 and for 8 systems, z must be 3.03 by Nemenyi
    and 3.12 by Siegel & Castellan. Neither corrects for ties.

    Parameters
    ----------
    metric : Metric
        The metric.
    rows : mapping of str to ndarray
        System -> its counts, one row per item; items on which a system has no score are left out.
    method : {"friedman", "kruskal"}, default "friedman"
        The test.
    post_hoc : {"nemenyi", "siegel-castellan"}, default "nemenyi"
        The test of every two systems.

    Returns
    -------
    RankTest
        The statistic, its p-value, the effect size, mean ranks and pairs.
    """
    validate_choice("post_hoc", post_hoc, tuple(_POST_HOC_NAMES))
    if len(rows) < 3:
        raise CaesuraError(f"a rank test needs three or more systems, not {len(rows)}; use a paired test for two.")
    scores = {name: metric.score(each) for name, each in rows.items()}
    kept = np.isfinite(np.stack(list(scores.values()))).all(axis=0)
    table = np.asarray(metric.gains(np.stack([each[kept] for each in scores.values()])))
    if table.shape[1] < 2:
        raise CaesuraError("a rank test needs two or more items on which every system has a score.")
    stats = import_extra("scipy.stats", "stats", "a rank test")
    systems, items = table.shape
    if method == "friedman":
        ranks = stats.rankdata(-table, axis=0).mean(axis=1)
        outcome = stats.friedmanchisquare(*table) if np.ptp(table, axis=0).any() else None
        statistic, p_value = (float(outcome.statistic), float(outcome.pvalue)) if outcome else (0.0, 1.0)
        effect = statistic / (items * (systems - 1))
        scale = np.sqrt(systems * (systems + 1) / (6 * items))
    else:
        flat = stats.rankdata(-table.ravel()).reshape(table.shape)
        ranks = flat.mean(axis=1)
        outcome = stats.kruskal(*table) if np.ptp(table) else None
        statistic, p_value = (float(outcome.statistic), float(outcome.pvalue)) if outcome else (0.0, 1.0)
        total = systems * items
        effect = statistic / (total - 1)
        scale = np.sqrt(total * (total + 1) / 12 * 2 / items)

    def p_of(z: float) -> float:
        if post_hoc == "nemenyi":
            return float(stats.studentized_range.sf(z * np.sqrt(2), systems, np.inf))
        return float(min(1.0, systems * (systems - 1) * stats.norm.sf(z)))  # k(k - 1)/2 pairs, two sides

    pairs = {(a, b): p_of(abs(ranks[i] - ranks[j]) / scale) for (i, a), (j, b) in combinations(enumerate(scores), 2)}
    return RankTest(method, statistic, p_value, effect, dict(zip(scores, ranks.tolist(), strict=True)), pairs, post_hoc)


def _resampled_differences(metric: Metric, ours: Rows, theirs: Rows, samples: int, seed: int) -> NDArray[np.float64]:
    """Resample the same items for both systems; rows are the parts of the score."""
    sums = resampled_sums(np.concatenate((ours, theirs), axis=1), samples, seed)
    return metric.value(sums[:, : ours.shape[1]]) - metric.value(sums[:, ours.shape[1] :])


def _swapped_differences(metric: Metric, ours: Rows, theirs: Rows, samples: int, seed: int) -> NDArray[np.float64]:
    """Swap the systems on a random half of the items; one sum gains what the other loses."""
    apart, our_total, their_total = theirs - ours, ours.sum(axis=0), theirs.sum(axis=0)
    differences = []
    for number, stream in enumerate(np.random.SeedSequence(seed).spawn(-(-samples // _CHUNK))):
        here = min(_CHUNK, samples - number * _CHUNK)
        bits = np.random.default_rng(stream).bytes(here * -(-len(ours) // 8))
        swap = np.unpackbits(np.frombuffer(bits, np.uint8).reshape(here, -1), axis=1, count=len(ours))
        moved = swap.astype(np.float64) @ apart
        differences.append(metric.value(our_total + moved) - metric.value(their_total - moved))
    return np.concatenate(differences)


def _all_swapped_differences(metric: Metric, ours: Rows, theirs: Rows) -> NDArray[np.float64]:
    """Swap the systems on every set of rows, also on none."""
    swap = (np.arange(2 ** len(ours))[:, None] >> np.arange(len(ours))) & 1
    moved = swap.astype(np.float64) @ (theirs - ours)
    return metric.value(ours.sum(axis=0) + moved) - metric.value(theirs.sum(axis=0) - moved)


def _rank_biserial(differences: NDArray[np.float64]) -> float:
    """Return the share of the rank sum in favour of the first system minus the share against it, without zeros."""
    real = differences[np.isfinite(differences) & (np.abs(differences) > _EQUAL)]
    if not len(real):
        return 0.0
    _, place = np.unique(np.abs(real).round(12), return_inverse=True)
    counts = np.bincount(place)
    last = np.cumsum(counts)
    ranks = (last - (counts - 1) / 2)[place]  # tied values share their mean rank
    return float((ranks * np.sign(real)).sum() / ranks.sum())


# ---------------------------------------------------------------------- tests of all metrics of an evaluation


@dataclass(frozen=True, repr=False)
class SystemTests(Result):
    """Tests between systems for every metric of an evaluation: of every two systems, or of all of them by ranks."""

    method: SystemTest
    by_metric: Mapping[str, Sequence[PairedTest] | RankTest]

    def tables(self) -> list[Table]:
        """Return one or two tables per metric."""
        tables: list[Table] = []
        for name, tests in self.by_metric.items():
            if isinstance(tests, RankTest):
                first, *others = tests.tables()
                tables += [replace(first, caption=f"{name}: {first.caption}"), *others]
            else:
                tables.append(difference_table(name, tests))
        return tables

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: every comparison with its metric."""
        return {"comparisons": list(self._records())}

    def _records(self) -> Iterator[dict[str, Any]]:
        for name, tests in self.by_metric.items():
            if isinstance(tests, RankTest):
                yield {"metric": name, **tests.as_dict()}
            else:
                yield from ({"metric": name, **vars(test)} for test in tests)


def system_tests(
    results: Results, test: SystemTest = "permutation", *, post_hoc: PostHoc = "nemenyi", seed: int = 0
) -> SystemTests:
    """Test every metric; the result is empty if there is only one system or one item, or if systems are tiers."""
    if getattr(results, "tiers", ()):
        return SystemTests(test, {})
    if test == "friedman" or test == "kruskal":
        return SystemTests(
            test, {name: results.ranks(name, method=test, post_hoc=post_hoc) for name in results.measured}
        )
    clusters = getattr(results, "clusters", None)
    if len(results.systems) < 2 or results.count < 2 or (clusters is not None and len(clusters) < 2):
        return SystemTests(test, {})
    return SystemTests(test, {name: results.tests(name, method=test, seed=seed) for name in results.measured})


def difference_table(name: str, tests: Sequence[PairedTest]) -> Table:
    """Make a table of the tests of one metric."""
    rows = tuple(
        (
            f"{t.first} – {t.second}",
            t.difference,
            t.interval,
            Probability(t.p_value),
            None if t.adjusted is None else Probability(t.adjusted),
            t.effect,
        )
        for t in tests
    )
    methods = "/".join(dict.fromkeys(t.method for t in tests))
    caption = f"{name}: differences between systems ({methods} test, Holm-corrected)"
    return Table(caption, ("", "difference", "95 % interval", "p", "p (Holm)", "effect"), rows)
