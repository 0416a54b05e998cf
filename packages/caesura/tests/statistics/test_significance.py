"""Significance tests: p-values under the null, corrections, rank tests against SciPy."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.errors import CaesuraError
from caesura.metrics import metric
from caesura.statistics.significance import compare_systems, holm, paired_test, rank_test

F = metric("F")


def system(random: np.random.Generator, quality: float, items: int = 40) -> np.ndarray:
    sizes = np.full(items, 20)
    return np.stack((random.binomial(sizes, quality), sizes, sizes), axis=1).astype(np.float64)


@pytest.mark.parametrize("method", ["permutation", "bootstrap"])
def test_p_values_are_uniform_under_the_null(method: str) -> None:
    random = np.random.default_rng(5)
    p_values = np.array(
        [
            paired_test(F, system(random, 0.6), system(random, 0.6), samples=199, seed=i, method=method).p_value
            for i in range(300)
        ]
    )
    stats = pytest.importorskip("scipy.stats")
    assert stats.kstest(p_values, "uniform").pvalue > 0.001
    assert abs((p_values <= 0.05).mean() - 0.05) < 0.04


def test_real_difference_is_significant_and_signed() -> None:
    random = np.random.default_rng(6)
    good, bad = system(random, 0.8), system(random, 0.6)
    test = paired_test(F, good, bad, samples=999)
    assert test.difference > 0.1
    assert test.p_value == pytest.approx(1 / 1000)
    stats = pytest.importorskip("scipy.stats")
    gaps = F.score(good) - F.score(bad)
    ranks = stats.rankdata(abs(gaps[gaps != 0]))
    signed = (ranks * np.sign(gaps[gaps != 0])).sum() / ranks.sum()  # the matched-pairs rank-biserial correlation
    assert test.effect == pytest.approx(signed, abs=1e-12)
    assert test.interval.low > 0
    back = paired_test(F, bad, good, samples=999)
    assert back.difference == -test.difference
    assert back.effect == -test.effect


def test_permutation_equals_enumeration_on_few_items() -> None:
    random = np.random.default_rng(7)
    first, second = system(random, 0.7, 6), system(random, 0.5, 6)
    observed = abs(F.score(first.sum(0)) - F.score(second.sum(0)))
    every = []
    for mask in range(64):
        swap = np.array([mask >> i & 1 for i in range(6)], bool)[:, None]
        a, b = np.where(swap, second, first), np.where(swap, first, second)
        every.append(abs(F.score(a.sum(0)) - F.score(b.sum(0))) >= observed - 1e-12)
    assert paired_test(F, first, second, samples=20_000).p_value == pytest.approx(np.mean(every), abs=0.01)


def test_equal_systems_have_p_value_one() -> None:
    rows = system(np.random.default_rng(8), 0.6)
    test = paired_test(F, rows, rows, samples=99)
    assert (test.difference, test.p_value, test.effect) == (0.0, 1.0, 0.0)


def test_holm_matches_hand_computed_values() -> None:
    assert holm([0.01, 0.02, 0.03, 0.04]) == [0.04, 0.06, 0.06, 0.06]
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


def test_pairs_of_systems_are_corrected_together() -> None:
    random = np.random.default_rng(9)
    tests = compare_systems(F, {q: system(random, float(q)) for q in ("0.5", "0.52", "0.8")}, samples=999)
    assert [(t.first, t.second) for t in tests] == [("0.5", "0.52"), ("0.5", "0.8"), ("0.52", "0.8")]
    assert [t.adjusted for t in tests] == holm([t.p_value for t in tests])


def test_friedman_and_nemenyi_match_scipy_and_a_published_example() -> None:
    stats = pytest.importorskip("scipy.stats")
    random = np.random.default_rng(10)
    rows = {q: system(random, float(q), 30) for q in ("0.4", "0.5", "0.8")}
    test = rank_test(F, rows)
    scores = [F.score(r) for r in rows.values()]
    assert test.statistic == pytest.approx(stats.friedmanchisquare(*scores).statistic)
    assert min(test.ranks, key=test.ranks.get) == "0.8", "rank 1 is the best"
    assert test.pairs["0.4", "0.8"] < 0.001
    # Demšar 2006, table 5(a): for 4 systems the critical value of Nemenyi's test at 0.05 is 2.569 (times sqrt(k(k+1)/6N))
    assert stats.studentized_range.sf(2.569 * np.sqrt(2), 4, np.inf) == pytest.approx(0.05, abs=2e-4)


def test_kruskal_wallis_matches_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    random = np.random.default_rng(11)
    rows = {q: system(random, float(q), 30) for q in ("0.4", "0.5", "0.8")}
    test = rank_test(F, rows, method="kruskal")
    assert test.p_value == pytest.approx(stats.kruskal(*(F.score(r) for r in rows.values())).pvalue)


@pytest.mark.parametrize(("post_hoc", "critical"), [("nemenyi", 3.03), ("siegel-castellan", 3.12)])
def test_pairs_after_kruskal_wallis_have_the_critical_value_of_the_named_test(post_hoc: str, critical: float) -> None:
    pytest.importorskip("scipy.stats")
    random, items = np.random.default_rng(13), 20
    rows = {str(q): system(random, 0.3 + 0.05 * q, items) for q in range(8)}
    test = rank_test(F, rows, method="kruskal", post_hoc=post_hoc)
    total = 8 * items
    error = np.sqrt(total * (total + 1) / 6 / items)
    z = {pair: abs(test.ranks[pair[0]] - test.ranks[pair[1]]) / error for pair in test.pairs}
    assert {pair for pair, p in test.pairs.items() if p < 0.05} == {pair for pair, each in z.items() if each > critical}
    assert 0 < sum(p < 0.05 for p in test.pairs.values()) < len(test.pairs)
    assert max(test.pairs.values()) <= 1.0
    assert test.post_hoc == post_hoc
    assert {"nemenyi": "p (Nemenyi)", "siegel-castellan": "p (Siegel & Castellan)"}[post_hoc] in str(test)


def test_critical_values_for_eight_systems_are_those_of_the_tables() -> None:
    stats = pytest.importorskip("scipy.stats")
    assert stats.studentized_range.ppf(0.95, 8, np.inf) / np.sqrt(2) == pytest.approx(3.03, abs=0.005)
    assert stats.norm.isf(0.05 / (8 * 7)) == pytest.approx(3.12, abs=0.005)


@pytest.mark.parametrize("method", ["friedman", "kruskal"])
def test_rank_test_of_tied_systems_has_p_value_one(method: str) -> None:
    rows = system(np.random.default_rng(12), 0.5)
    test = rank_test(F, {"a": rows, "b": rows, "c": rows}, method=method)
    assert test.p_value == 1.0 or np.isclose(test.p_value, 1.0)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: paired_test(F, np.ones((3, 3)), np.ones((2, 3))), "3 items for 'first' but 2"),
        (lambda: paired_test(F, np.ones((1, 3)), np.ones((1, 3))), "two or more items"),
        (lambda: rank_test(F, {"a": np.ones((3, 3)), "b": np.ones((3, 3))}), "three or more systems, not 2"),
    ],
)
def test_invalid_arguments_are_rejected(call, sentence: str) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        call()
