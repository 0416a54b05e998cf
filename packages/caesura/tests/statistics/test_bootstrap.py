"""Bootstrap intervals: coverage, reproducibility and invalid settings."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.errors import CaesuraError
from caesura.metrics import metric
from caesura.statistics.bootstrap import Resampling, bootstrap_interval, pool_groups, resampled_sums, student_quantile

F = metric("F")


def random_rows(random: np.random.Generator, items: int) -> np.ndarray:
    """Items of very different sizes; F of the population is 0.6."""
    sizes = random.integers(1, 40, size=items)
    hits = random.binomial(sizes, 0.6)
    return np.stack((hits, sizes, sizes), axis=1).astype(np.float64)


@pytest.mark.parametrize(
    ("method", "items"), [("percentile", 80), ("bca", 80), ("expanded", 80), ("expanded", 20), ("expanded", 10)]
)
def test_95_percent_intervals_cover_95_percent(method: str, items: int) -> None:
    random = np.random.default_rng(20)
    covered = 0
    for repetition in range(1_000):
        rows = random_rows(random, items)
        low, high = bootstrap_interval(F, rows, resamples=600, seed=repetition, method=method)
        covered += low <= 0.6 <= high
    # 1,000 repetitions: a binomial of 0.95 has a standard deviation of 0.7 %, so 93–97 % here is a real demand
    assert 0.93 <= covered / 1_000 <= 0.97


def test_resampled_sums_have_the_expected_mean_and_spread() -> None:
    rows = random_rows(np.random.default_rng(1), 30)
    sums = resampled_sums(rows, 4000, seed=3)
    assert sums.shape == (4000, 3)
    np.testing.assert_allclose(sums.mean(axis=0), rows.sum(axis=0), rtol=0.02)
    np.testing.assert_allclose(sums.std(axis=0), np.sqrt(30) * rows.std(axis=0), rtol=0.05)


def test_resampling_kernels_match_numpy() -> None:
    from caesura.kernels.resampling import add_drawn, add_grouped

    random = np.random.default_rng(2)
    rows, drawn, sums = random.random((9, 5)), random.integers(0, 9, size=(7, 9), dtype=np.int32), np.empty((7, 5))
    add_drawn(drawn, rows, sums)
    np.testing.assert_allclose(sums, rows[drawn].sum(axis=1), rtol=1e-12)
    group, grouped_sums = np.array([2, 0, 2, 1, 1, 0, 2, 2, 2]), np.zeros((4, 7))
    add_grouped(rows, np.array([1.0, 2, 3, np.nan, np.inf, 6, 7, 8, 9]), group, grouped_sums)
    np.testing.assert_allclose(grouped_sums[:, :5], [rows[group == g].sum(axis=0) for g in range(4)], rtol=1e-12)
    assert grouped_sums[:, 5:].tolist() == [[8, 2], [0, 0], [28, 5], [0, 0]]


def test_intervals_depend_on_the_seed_only() -> None:
    rows = random_rows(np.random.default_rng(1), 50)
    alone = bootstrap_interval(F, rows, seed=0)
    together = Resampling(seed=0).score_intervals([F.score, F.score], [rows, rows + 1])
    assert together[0] == alone
    np.testing.assert_array_equal(resampled_sums(rows, 100, 0), resampled_sums(rows, 200, 0)[:100])
    assert bootstrap_interval(F, rows, seed=1) != alone


def test_pooling_into_groups_keeps_total_and_spread() -> None:
    random = np.random.default_rng(2)
    rows = random_rows(random, 25_003)
    pooled = pool_groups(rows)
    assert len(pooled) == 2_000
    np.testing.assert_allclose(pooled.sum(axis=0), rows.sum(axis=0))
    wide = bootstrap_interval(F, pool_groups(rows, 9_000), resamples=500)
    few = bootstrap_interval(F, rows, resamples=500)
    assert (wide.high - wide.low) == pytest.approx(few.high - few.low, rel=0.15)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 30, 199])
def test_student_quantiles_match_scipy(freedom: int) -> None:
    stats = pytest.importorskip("scipy.stats", reason="the oracle is SciPy's (extra stats)")
    for share in (0.001, 0.025, 0.5, 0.9, 0.9995):
        assert student_quantile(share, freedom) == pytest.approx(stats.t.ppf(share, freedom), rel=1e-9, abs=1e-9)


def test_expanded_interval_is_wider_for_few_items() -> None:
    for items, more in ((5, 0.015), (20, 0.002), (2_000, 0.0)):
        rows = random_rows(np.random.default_rng(items), items)
        plain, wider = (bootstrap_interval(F, rows, method=m) for m in ("percentile", "expanded"))
        assert wider.low < plain.low - more < plain.high + more < wider.high
    assert wider == pytest.approx(plain, abs=1e-4), "many items need no correction"


def test_bca_interval_shifts_for_a_skewed_statistic() -> None:
    random = np.random.default_rng(3)
    rows = np.stack((random.exponential(1, 40), np.ones(40), np.ones(40)), axis=1)
    plain, corrected = (bootstrap_interval(F, rows, seed=1, method=m) for m in ("percentile", "bca"))
    assert corrected.low > plain.low
    assert corrected.high > plain.high


def test_interval_of_fewer_than_two_items_is_none() -> None:
    assert bootstrap_interval(F, np.ones((1, 3))) is None
    assert bootstrap_interval(F, np.empty((0, 3))) is None


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"level": 1.5}, "between 0 and 1"),
        ({"resamples": 0}, "resamples is 0"),
        ({"method": "t"}, "interval is 't'; expected 'percentile', 'bca', 'expanded' or 'two-stage'."),
    ],
)
def test_invalid_settings_are_rejected(given: dict, sentence: str) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        bootstrap_interval(F, np.ones((3, 3)), **given)
