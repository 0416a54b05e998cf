"""Intervals must cover: a nominal 95 % interval holds the truth in about 95 of 100 repetitions."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.errors import CaesuraError
from caesura.metrics import metric
from caesura.statistics.bootstrap import (
    _student_quantile,
    bootstrap_interval,
    bootstrap_intervals,
    pool_groups,
    resampled_sums,
)

F = metric("F")


def random_rows(random: np.random.Generator, items: int) -> np.ndarray:
    """Items of very different sizes, as texts are; F of the whole population is 0.6."""
    sizes = random.integers(1, 40, size=items)
    hits = random.binomial(sizes, 0.6)
    return np.stack((hits, sizes, sizes), axis=1).astype(np.float64)


@pytest.mark.parametrize(
    ("method", "items"), [("percentile", 80), ("bca", 80), ("expanded", 80), ("expanded", 20), ("expanded", 10)]
)
def test_coverage_of_nominal_95_percent(method: str, items: int) -> None:
    random = np.random.default_rng(20)
    covered = 0
    for repetition in range(1_000):
        rows = random_rows(random, items)
        low, high = bootstrap_interval(F, rows, resamples=600, seed=repetition, method=method)
        covered += low <= 0.6 <= high
    # 1,000 repetitions: a binomial of 0.95 has a standard deviation of 0.7 %, so 93–97 % here is a real demand
    assert 0.93 <= covered / 1_000 <= 0.97


def test_resamples_match_the_definition() -> None:
    rows = random_rows(np.random.default_rng(1), 30)
    sums = resampled_sums(rows, 4000, seed=3)
    assert sums.shape == (4000, 3)
    np.testing.assert_allclose(sums.mean(axis=0), rows.sum(axis=0), rtol=0.02)
    np.testing.assert_allclose(sums.std(axis=0), np.sqrt(30) * rows.std(axis=0), rtol=0.05)


def test_rows_are_added_as_often_as_they_are_drawn() -> None:
    from caesura.kernels.resampling import add_drawn, add_grouped

    random = np.random.default_rng(2)
    rows, drawn, sums = random.random((9, 5)), random.integers(0, 9, size=(7, 9), dtype=np.int32), np.empty((7, 5))
    add_drawn(drawn, rows, sums)
    np.testing.assert_allclose(sums, rows[drawn].sum(axis=1), rtol=1e-12)
    group, grouped_sums = np.array([2, 0, 2, 1, 1, 0, 2, 2, 2]), np.zeros((4, 7))
    add_grouped(rows, np.array([1.0, 2, 3, np.nan, np.inf, 6, 7, 8, 9]), group, grouped_sums)
    np.testing.assert_allclose(grouped_sums[:, :5], [rows[group == g].sum(axis=0) for g in range(4)], rtol=1e-12)
    assert grouped_sums[:, 5:].tolist() == [[8, 2], [0, 0], [28, 5], [0, 0]]


def test_the_answer_depends_on_the_seed_alone() -> None:
    rows = random_rows(np.random.default_rng(1), 50)
    alone = bootstrap_interval(F, rows, seed=0)
    together = bootstrap_intervals([F.score, F.score], [rows, rows + 1], seed=0)
    assert together[0] == alone
    np.testing.assert_array_equal(resampled_sums(rows, 100, 0), resampled_sums(rows, 200, 0)[:100])
    assert bootstrap_interval(F, rows, seed=1) != alone


def test_groups_keep_the_total_and_the_spread() -> None:
    random = np.random.default_rng(2)
    rows = random_rows(random, 25_003)
    pooled = pool_groups(rows)
    assert len(pooled) == 2_000
    np.testing.assert_allclose(pooled.sum(axis=0), rows.sum(axis=0))
    wide = bootstrap_interval(F, pool_groups(rows, 9_000), resamples=500)
    few = bootstrap_interval(F, rows, resamples=500)
    assert (wide.high - wide.low) == pytest.approx(few.high - few.low, rel=0.15)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 30, 199])
def test_students_quantiles(freedom: int) -> None:
    stats = pytest.importorskip("scipy.stats", reason="the oracle is SciPy's (extra stats)")
    for share in (0.001, 0.025, 0.5, 0.9, 0.9995):
        assert _student_quantile(share, freedom) == pytest.approx(stats.t.ppf(share, freedom), rel=1e-9, abs=1e-9)


def test_few_items_are_given_a_wider_interval() -> None:
    for items, more in ((5, 0.015), (20, 0.002), (2_000, 0.0)):
        rows = random_rows(np.random.default_rng(items), items)
        plain, wider = (bootstrap_interval(F, rows, method=m) for m in ("percentile", "expanded"))
        assert wider.low < plain.low - more < plain.high + more < wider.high
    assert wider == pytest.approx(plain, abs=1e-4), "many items need no correction"


def test_bca_follows_a_skewed_statistic() -> None:
    random = np.random.default_rng(3)
    rows = np.stack((random.exponential(1, 40), np.ones(40), np.ones(40)), axis=1)
    plain, corrected = (bootstrap_interval(F, rows, seed=1, method=m) for m in ("percentile", "bca"))
    assert corrected.low > plain.low
    assert corrected.high > plain.high


def test_too_little_to_resample() -> None:
    assert bootstrap_interval(F, np.ones((1, 3))) is None
    assert bootstrap_interval(F, np.empty((0, 3))) is None


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"level": 1.5}, "between 0 and 1"),
        ({"resamples": 0}, "resamples is 0"),
        ({"method": "t"}, "there is no interval 't'; expected percentile, bca, expanded."),
    ],
)
def test_bad_requests(given: dict, sentence: str) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        bootstrap_interval(F, np.ones((3, 3)), **given)
