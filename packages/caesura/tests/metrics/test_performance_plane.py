"""The performance plane: coverage, chance, curves and matches."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura as cs
from caesura.errors import CaesuraError
from caesura.metrics.performance_plane import Recordings, f_curve, f_value, r_curve
from caesura.metrics.region_match import region_bounds, region_match
from caesura.metrics.regions import r_value
from caesura.model import Corpus, Segmentation


def covered_by_counting(times: list[int], length: int, tol: int) -> int:
    """Count the milliseconds whose middle is in a region."""
    return sum(any(abs(2 * x - (2 * ms + 1)) < 2 * tol for x in times) for ms in range(length))


@given(st.lists(st.integers(1, 199), max_size=12), st.integers(1, 30))
@settings(max_examples=60, deadline=None)
def test_coverage_counts_overlaps_once(times, tol) -> None:
    known = Recordings((np.unique(times) / 1000.0,), (0.2,))
    expected = covered_by_counting(times, 200, tol) / 200
    assert known.coverage(tol / 1000) == pytest.approx(expected, abs=1e-9)


def test_gaps_equal_to_limit_do_not_count() -> None:
    known = Recordings((np.array([0.10, 0.14, 0.17, 0.30]),), (1.0,))
    assert known.close_gaps(0.04) == pytest.approx(1 / 3)


def test_chance_is_the_mean_over_regions() -> None:
    known = Recordings((np.array([0.10, 0.13, 0.50]), np.array([1.0])), (1.0, 2.0))
    first, second = np.array([0.035, 0.035, 0.04]) / 1.0, 0.04 / 2.0
    for over in (-50.0, 0.0, 100.0):
        drawn = 3 * (1 + over / 100), 1 * (1 + over / 100)
        expected = 100 * ((1 - (1 - first) ** drawn[0]).sum() + (1 - (1 - second) ** drawn[1])) / 4
        assert known.chance(0.02, over) == pytest.approx(expected)
    assert known.chance(0.02, -100.0) == 0.0


def test_chance_if_regions_cover_recording() -> None:
    known = Recordings((np.array([0.5]),), (1.0,))
    assert known.chance(1.0, 0.0) == 100.0
    assert known.chance(1.0, -100.0) == 0.0


def test_recordings_leave_out_boundaries_at_ends() -> None:
    corpus = Corpus.from_annotations([("a", "c", Segmentation.from_times([0.0, 0.5, 0.5, 1.0], length=1.0))])
    assert Recordings.of(corpus).times[0].tolist() == [0.5]
    assert Recordings.of(corpus, edges="in").times[0].tolist() == [0.0, 0.5, 1.0]
    with pytest.raises(CaesuraError, match="this corpus has units"):
        Recordings.of(Corpus.from_dict({"a": {"c": [2, 3]}}))


@given(st.integers(0, 100), st.integers(0, 300))
def test_f_in_plane_equals_f_of_counts(hits, extra) -> None:
    over = hits + extra - 100  # of 100 references, `hits` found by so many hypotheses
    precision, recall = hits / max(hits + extra, 1), hits / 100
    expected = 2 * precision * recall / (precision + recall) if hits else 0.0
    assert float(f_value(float(hits), float(over))) == pytest.approx(expected)


@pytest.mark.parametrize("level", [0.3, 0.5, 0.8, 0.95])
def test_points_of_curves_have_their_value(level) -> None:
    grid = np.linspace(-100, 200, 301)
    for curve, value in ((r_curve(level, grid), r_value), (f_curve(level, grid), f_value)):
        inside = ~np.isnan(curve)
        assert inside.sum() > 1
        np.testing.assert_allclose(value(curve[inside], grid[inside]), level, atol=1e-9)
        assert (curve[inside] <= np.clip(100 + grid[inside], 0, 100) + 1e-6).all()


def test_overlapping_regions_end_half_way() -> None:
    starts, ends = region_bounds(np.array([0.1, 0.13, 0.3]), 0.02)
    np.testing.assert_allclose(starts, [0.08, 0.115, 0.28])
    np.testing.assert_allclose(ends, [0.115, 0.15, 0.32])


times = st.lists(st.integers(1, 299), max_size=20)


@given(
    times,
    times,
    st.integers(0, 40),
    st.sampled_from(["regions", "optimal", "lenient"]),
    st.sampled_from(["earlier", "later"]),
)
@settings(max_examples=200, deadline=None)
def test_matches_agree_with_counts(ref, hyp, tol, matching, tie) -> None:
    if not ref:
        return
    given = [t / 1000 for t in ref], [t / 1000 for t in hyp], tol / 1000
    match = region_match(*given, matching=matching, tie=tie)
    counted = cs.region_scores(*given, matching=matching, tie=tie)
    assert (~match.deleted).sum() == counted.hits
    assert match.inserted.sum() == counted.insertions
    for place, finder in enumerate(match.finder.tolist()):
        if finder >= 0:
            assert abs(match.reference[place] - match.hypothesis[finder]) <= tol / 1000 + 1e-9


def test_match_leaves_out_boundaries_at_ends() -> None:
    recording = Segmentation.from_times([0.0, 0.5, 1.0], length=1.0)
    assert region_match(recording, recording).reference.tolist() == [0.5]
    assert region_match(recording, recording, edges="in").reference.tolist() == [0.0, 0.5, 1.0]
