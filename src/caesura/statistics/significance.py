"""Is the difference between systems more than luck? Paired tests on rows, and the rank tests of the 2013 paper.

The paired tests compare pooled scores: the bootstrap resamples items for both systems at once, the permutation test swaps the two
systems' rows item by item. The rank tests compare the items' own scores of three or more systems.

References
----------
Noreen 1989, Computer-Intensive Methods for Testing Hypotheses (approximate randomisation);
Demšar 2006, Statistical Comparisons of Classifiers over Multiple Data Sets (Friedman, Nemenyi);
Holm 1979, A Simple Sequentially Rejective Multiple Test Procedure;
Kerby 2014, The simple difference formula (matched-pairs rank-biserial correlation).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.display.result import Result
from caesura.display.table import Interval, Probability, Table, spell
from caesura.errors import CaesuraError, import_extra
from caesura.metrics.family import Metric, Rows
from caesura.statistics.bootstrap import pool_groups, resampled_sums

PairedMethod: TypeAlias = Literal["permutation", "bootstrap"]

_CHUNK = 64  # permutations that share a random stream, fixed so that the answer depends on the seed alone


@dataclass(frozen=True)
class PairedTest:
    """Two systems on the same items: the difference of their pooled scores, and how surprising it would be by luck.

    ``effect`` is the matched-pairs rank-biserial correlation of the items' scores, from -1 (the second system better on every
    item) to 1 (the first). ``adjusted`` is the p-value after Holm's correction for all pairs that were tested together.
    """

    first: str
    second: str
    difference: float
    p_value: float
    interval: Interval | None
    effect: float
    method: PairedMethod
    adjusted: float | None = None


@dataclass(frozen=True, repr=False)
class RankTest(Result):
    """Three or more systems: the omnibus statistic, its p-value and effect size, mean ranks, and Nemenyi's p-value for each pair."""

    method: Literal["friedman", "kruskal"]
    statistic: float
    p_value: float
    effect: float
    ranks: Mapping[str, float]
    pairs: Mapping[tuple[str, str], float]

    def tables(self) -> Sequence[Table]:
        """Mean ranks under the test's own numbers, and every two systems."""
        test, effect = {"friedman": ("Friedman", "Kendall's W"), "kruskal": ("Kruskal–Wallis", "ε²")}[self.method]
        caption = (
            f"{test} test {spell(self.statistic)}, p {spell(Probability(self.p_value))}, {effect} {spell(self.effect)}"
        )
        pairs = tuple((f"{first} – {second}", Probability(p)) for (first, second), p in self.pairs.items())
        return [
            Table(caption, ("system", "mean rank"), tuple(self.ranks.items())),
            Table("", ("systems", "p (Nemenyi)"), pairs),
        ]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
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
) -> PairedTest:
    """Test the difference of two systems' pooled scores, row ``i`` of both being item ``i``.

    The two-sided p-value is (k + 1) / (samples + 1), where k counts permutations (or centred resamples) at least as far from zero as
    the difference observed: never 0, and uniform under the null hypothesis.
    """
    if first.shape != second.shape:
        raise CaesuraError(
            f"{len(first)} items for {names[0]!r} but {len(second)} for {names[1]!r}; test on the same items."
        )
    if len(first) < 2:
        raise CaesuraError("a paired test needs two items or more; one item leaves nothing to swap.")
    ours, theirs = pool_groups(metric.parts(first)), pool_groups(metric.parts(second))
    observed = float(metric.value(ours.sum(axis=0)) - metric.value(theirs.sum(axis=0)))
    resampled = _resampled_differences(metric, ours, theirs, samples, seed)
    if method == "bootstrap":
        drawn = resampled - observed
    else:
        drawn = _swapped_differences(metric, ours, theirs, samples, seed)
    drawn = drawn[np.isfinite(drawn)]
    # differences that are equal in exact arithmetic may differ in the last bit of a sum
    extreme = int((np.abs(drawn) >= abs(observed) - 1e-12).sum())
    finite = resampled[np.isfinite(resampled)]
    ends = np.quantile(finite, [(1 - level) / 2, (1 + level) / 2]) if len(finite) else None
    return PairedTest(
        *names,
        difference=observed,
        p_value=(extreme + 1) / (len(drawn) + 1),
        interval=None if ends is None else Interval(*ends.tolist()),
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
) -> list[PairedTest]:
    """Test every pair of systems and adjust the p-values by Holm's method."""
    tests = [
        paired_test(metric, rows[a], rows[b], method=method, samples=samples, seed=seed, names=(a, b))
        for a, b in combinations(rows, 2)
    ]
    adjusted = holm([test.p_value for test in tests])
    return [PairedTest(**{**vars(test), "adjusted": p}) for test, p in zip(tests, adjusted, strict=True)]


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for testing several hypotheses at once: step down, largest factor for the smallest value.

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
    metric: Metric, rows: Mapping[str, Rows], *, method: Literal["friedman", "kruskal"] = "friedman"
) -> RankTest:
    """Test whether three or more systems differ, by the ranks of their items' scores.

    Friedman's test takes items as blocks and has Kendall's W as effect size; Kruskal–Wallis ignores which item a score came from and has
    ε². Nemenyi's test then compares every pair of mean ranks on the studentised range.
    """
    if len(rows) < 3:
        raise CaesuraError(f"rank tests compare three systems or more, found {len(rows)}; use a paired test for two.")
    scores = {name: metric.score(each) for name, each in rows.items()}
    kept = np.isfinite(np.stack(list(scores.values()))).all(axis=0)
    table = np.stack([each[kept] for each in scores.values()])
    if table.shape[1] < 2:
        raise CaesuraError("rank tests need two items or more on which every system has a score.")
    stats = _scipy_stats()
    systems, items = table.shape
    if method == "friedman":
        ranks = stats.rankdata(-table if metric.higher_is_better else table, axis=0).mean(axis=1)
        outcome = stats.friedmanchisquare(*table) if np.ptp(table, axis=0).any() else None
        statistic, p_value = (float(outcome.statistic), float(outcome.pvalue)) if outcome else (0.0, 1.0)
        effect = statistic / (items * (systems - 1))
        scale = np.sqrt(systems * (systems + 1) / (6 * items))
    else:
        flat = stats.rankdata((-table if metric.higher_is_better else table).ravel()).reshape(table.shape)
        ranks = flat.mean(axis=1)
        outcome = stats.kruskal(*table) if np.ptp(table) else None
        statistic, p_value = (float(outcome.statistic), float(outcome.pvalue)) if outcome else (0.0, 1.0)
        total = systems * items
        effect = statistic / (total - 1)
        scale = np.sqrt(total * (total + 1) / 12 * 2 / items)
    pairs = {
        (a, b): float(stats.studentized_range.sf(abs(ranks[i] - ranks[j]) / scale * np.sqrt(2), systems, np.inf))
        for (i, a), (j, b) in combinations(enumerate(scores), 2)
    }
    return RankTest(method, statistic, p_value, effect, dict(zip(scores, ranks.tolist(), strict=True)), pairs)


def _resampled_differences(metric: Metric, ours: Rows, theirs: Rows, samples: int, seed: int) -> NDArray[np.float64]:
    """Draw the same items for both systems; rows are the parts of the score."""
    sums = resampled_sums(np.concatenate((ours, theirs), axis=1), samples, seed)
    return metric.value(sums[:, : ours.shape[1]]) - metric.value(sums[:, ours.shape[1] :])


def _swapped_differences(metric: Metric, ours: Rows, theirs: Rows, samples: int, seed: int) -> NDArray[np.float64]:
    """Swap the systems on half of the items at random; what one sum gains the other loses."""
    apart, our_total, their_total = theirs - ours, ours.sum(axis=0), theirs.sum(axis=0)
    differences = []
    for number, stream in enumerate(np.random.SeedSequence(seed).spawn(-(-samples // _CHUNK))):
        here = min(_CHUNK, samples - number * _CHUNK)
        bits = np.random.default_rng(stream).bytes(here * -(-len(ours) // 8))
        swap = np.unpackbits(np.frombuffer(bits, np.uint8).reshape(here, -1), axis=1, count=len(ours))
        moved = swap.astype(np.float64) @ apart
        differences.append(metric.value(our_total + moved) - metric.value(their_total - moved))
    return np.concatenate(differences)


def _rank_biserial(differences: NDArray[np.float64]) -> float:
    """Share of the rank sum in favour of the first system minus the share against it; ties at zero are left out."""
    real = differences[np.isfinite(differences) & (np.abs(differences) > 1e-12)]
    if not len(real):
        return 0.0
    sizes, place = np.unique(np.abs(real).round(12), return_inverse=True)
    counts = np.bincount(place)
    last = np.cumsum(counts)
    ranks = (last - (counts - 1) / 2)[place]
    assert len(sizes) == len(counts)
    return float((ranks * np.sign(real)).sum() / ranks.sum())


def _scipy_stats() -> Any:
    return import_extra("scipy.stats", "stats", "a rank test")
