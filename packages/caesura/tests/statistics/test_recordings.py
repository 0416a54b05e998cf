"""By recording, speaker and class; operating points; random segmenters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura as cs
from caesura.errors import CaesuraError
from caesura.metrics.performance_plane import Recordings
from caesura.metrics.regions import RegionScores
from caesura.model import Annotation, Corpus, Segmentation
from caesura.statistics.recordings import (
    OperatingPoint,
    OperatingPoints,
    best_point,
    boundary_classes,
    operating_points,
    random_hit_rates,
    region_groups,
)  # fmt: skip


def at_times(times, names=None, length=1.0) -> Segmentation:
    return Segmentation.from_times(times, length=length, names=names)


GOLD = Corpus.from_annotations(
    [
        Annotation("one", "g", at_times([0.1, 0.2, 0.3], ["sil", "a", "b", "sil"]), "ann"),
        Annotation("one", "g", at_times([0.5], ["sil", "a"]), "ben"),
        Annotation("two", "g", at_times([0.4, 0.6], ["a", "b", "a"]), "ann"),
    ]
)
SYSTEM = Corpus.from_annotations(
    [
        Annotation("one", "s", at_times([0.11, 0.25]), "ann"),
        Annotation("one", "s", at_times([0.5, 0.52]), "ben"),
        Annotation("two", "s", at_times([0.6, 0.9]), "ann"),
    ]
)


def test_region_groups_by_speaker_item_and_all() -> None:
    by_speaker = region_groups(GOLD, SYSTEM)
    assert {name: (s.hits, s.n_ref, s.n_hyp) for name, s in by_speaker.items()} == {"ann": (2, 5, 4), "ben": (1, 1, 2)}
    assert {name: s.hits for name, s in region_groups(GOLD, SYSTEM, by="item").items()} == {"one": 2, "two": 1}
    whole = region_groups(GOLD, SYSTEM, by="all")["all"]
    assert whole.r_value == pytest.approx(cs.evaluate(GOLD, SYSTEM, ["R"])["R"].micro)


def test_speaker_attribute_defines_groups() -> None:
    gold = Corpus.from_annotations([("x/1", "g", at_times([0.1]))], attributes={"x/1": {"speaker": "x"}})
    assert list(region_groups(gold, gold)) == ["x"]


def test_boundary_classes_count_misses() -> None:
    classes = {(c.left, c.right): (c.boundaries, c.missed) for c in boundary_classes(GOLD, SYSTEM)}
    assert classes == {("a", "b"): (2, 2), ("b", "sil"): (1, 1), ("b", "a"): (1, 0), ("sil", "a"): (2, 0)}
    assert boundary_classes(GOLD, SYSTEM)[0].miss_rate == 100.0


def test_boundary_classes_without_labels_are_rejected() -> None:
    plain = Corpus.from_annotations([("a", "c", at_times([0.1]))])
    with pytest.raises(CaesuraError, match="need labels"):
        boundary_classes(plain, plain)
    with pytest.raises(CaesuraError, match="by is 'sex'"):
        region_groups(plain, plain, by="sex")  # type: ignore[arg-type]
    with pytest.raises(CaesuraError, match="not in time"):
        region_groups(Corpus.from_dict({"a": {"c": [2, 3]}}), Corpus.from_dict({"a": {"c": [2, 3]}}))


@given(
    st.lists(st.integers(1, 999), min_size=1, max_size=15),
    st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 6)), min_size=1, max_size=25),
)
@settings(max_examples=100, deadline=None)
def test_operating_points_equal_separate_thresholds(ref, candidates) -> None:
    gold = Corpus.from_annotations([("a", "g", at_times(sorted(t / 1000 for t in ref)))])
    times, scores = [t / 1000 for t, _ in candidates], [float(s) for _, s in candidates]
    for point in operating_points(gold, {("a", ""): (times, scores)}):
        kept = [t for t, s in zip(times, scores, strict=True) if s >= point.threshold]
        alone = cs.region_scores(sorted(t / 1000 for t in ref), kept, length=1.0)
        assert (point.scores.hits, point.scores.n_hyp, point.scores.n_ref) == (alone.hits, alone.n_hyp, alone.n_ref)


def test_best_operating_point_has_the_highest_r() -> None:
    gold = Corpus.from_annotations([("a", "g", at_times([0.2, 0.4]))])
    points = operating_points(gold, {("a", ""): ([0.2, 0.4, 0.6, 0.8], [0.9, 0.8, 0.3, 0.1])})
    assert [p.threshold for p in points] == [0.9, 0.8, 0.3, 0.1]
    assert best_point(points).threshold == 0.8
    with pytest.raises(CaesuraError, match="no operating point"):
        best_point([])


@pytest.mark.parametrize(
    ("candidates", "why"),
    [
        ({("b", ""): ([0.1], [1.0])}, "^item 'a' is only in the reference; the candidates have item 'b'"),
        ({("a", ""): ([0.1], [1.0, 2.0])}, "a finite score"),
        ({("a", ""): ([0.1], [float("nan")])}, "a finite score"),
    ],
)
def test_invalid_candidates_are_rejected(candidates, why) -> None:
    gold = Corpus.from_annotations([("a", "g", at_times([0.2, 0.4]))])
    with pytest.raises(CaesuraError, match=why):
        operating_points(gold, candidates)


def test_simulated_hit_rates_match_the_closed_form() -> None:
    random = np.random.default_rng(4)
    known = Recordings(tuple(np.sort(random.random(60) * 5) for _ in range(40)), (5.0,) * 40)
    over = [-50.0, 0.0, 100.0]
    simulated = random_hit_rates(known, 0.02, over, repeats=30, seed=1)
    np.testing.assert_allclose(simulated, known.chance_curve(0.02, over), atol=0.7)


def test_simulations_depend_on_the_seed_only() -> None:
    known = Recordings((np.array([0.2, 0.5]),), (1.0,))
    first, second = (random_hit_rates(known, 0.05, [0.0, 200.0], repeats=5, seed=7) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, random_hit_rates(known, 0.05, [0.0, 200.0], repeats=50, seed=8))


def _point(threshold: float, hits: int, drawn: int) -> OperatingPoint:
    return OperatingPoint(threshold, RegionScores(hits, hits, 10, drawn, 0.02))


def test_of_equal_points_the_highest_threshold_is_best() -> None:
    points = [_point(0.9, 2, 3), _point(0.7, 8, 10), _point(0.5, 8, 10), _point(0.2, 9, 30)]
    assert best_point(points).threshold == 0.7


def test_threshold_is_never_rounded_up() -> None:
    """0.123456 rounded to four digits is 0.1235, which would lose the boundary itself."""
    points = OperatingPoints((_point(0.5, 1, 9), _point(0.123456, 9, 10), _point(0.1233, 9, 40)), 0.02)
    assert points.best.threshold == 0.123456
    shown = float(points.shortest_threshold())
    assert 0.1233 < shown <= 0.123456


def test_least_r1_may_be_another_point_than_the_highest_r() -> None:
    """r1 weighs hit rate and over-segmentation equally, R also punishes insertions."""
    points = [
        OperatingPoint(threshold, RegionScores(hits, hits, 100, placed, 0.02))
        for threshold, hits, placed in ((0.9, 65, 70), (0.5, 70, 115))
    ]
    assert best_point(points, "R").threshold == 0.9
    assert best_point(points, "r1").threshold == 0.5
    with pytest.raises(CaesuraError, match="by is 'f'"):
        best_point(points, "f")  # type: ignore[arg-type]


def test_an_infinite_tolerance_ends_half_way_to_the_next_boundary() -> None:
    from caesura.metrics.regions import region_scores

    wide = region_scores([1.0, 2.0, 7.0], [0.2, 1.6, 4.4, 4.6], "inf", length=9.0)
    assert (wide.hits, wide.insertions, wide.deletions) == (3, 1, 0)
    assert region_scores([1.0, 2.0, 7.0], [0.2, 1.6, 4.4, 4.6], 1e3, length=9.0).hits == wide.hits
