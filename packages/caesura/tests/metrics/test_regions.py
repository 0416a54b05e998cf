"""Search regions against the oracle, the definition and mir_eval."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura as cs
from caesura.errors import CaesuraError, InvalidSegmentation, UndefinedScore
from caesura.metrics import Batch, metric
from caesura.metrics.regions import r_value
from caesura.metrics.time_grid import seconds
from caesura.model import Corpus, Segmentation
from shared_data import oracle_json

MATCHINGS = ("regions", "optimal", "lenient")


def naive(ref: list[int], hyp: list[int], tol: int, matching: str = "regions", tie: str = "earlier") -> tuple[int, int]:
    """(reference boundaries found, hypotheses that found them), written from the definition on whole ticks."""
    ref = sorted(set(ref))
    if matching == "lenient":
        return (
            sum(any(abs(r - h) <= tol for h in hyp) for r in ref),
            sum(any(abs(r - h) <= tol for r in ref) for h in hyp),
        )
    if matching == "optimal":
        matched = largest_matching(ref, hyp, tol)
        return matched, matched
    hits = 0
    for k, r in enumerate(ref):
        low, high, open_low, open_high = (
            2 * (r - tol),
            2 * (r + tol),
            False,
            False,
        )  # doubled, so that midpoints are whole
        if k and r - ref[k - 1] <= 2 * tol:
            low, open_low = r + ref[k - 1], tie == "earlier"
        if k + 1 < len(ref) and ref[k + 1] - r <= 2 * tol:
            high, open_high = r + ref[k + 1], tie == "later"
        hits += any(
            (low < 2 * h or (low == 2 * h and not open_low)) and (2 * h < high or (2 * h == high and not open_high))
            for h in hyp
        )
    return hits, hits


def largest_matching(ref: list[int], hyp: list[int], tol: int) -> int:
    """Augmenting paths, with no use of the order on the line."""
    owner: dict[int, int] = {}

    def place(i: int, seen: set[int]) -> bool:
        for j, h in enumerate(hyp):
            if j not in seen and abs(ref[i] - h) <= tol:
                seen.add(j)
                if j not in owner or place(owner[j], seen):
                    owner[j] = i
                    return True
        return False

    return sum(place(i, set()) for i in range(len(ref)))


def scores(ref: list[int], hyp: list[int], tol: int, **options) -> cs.RegionScores:
    """Score whole milliseconds, so that edges and midpoints are hit often."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedScore)
        return cs.region_scores([t / 1000 for t in ref], [t / 1000 for t in hyp], tol / 1000, **options)


# ---------------------------------------------------------------------- the oracle


def test_scores_equal_oracle() -> None:
    for case in oracle_json("region/cases.json")["cases"]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedScore)
            scored = cs.region_scores(case["ref_s"], case["hyp_s"], case["tol_s"])
            later = cs.region_scores(case["ref_s"], case["hyp_s"], case["tol_s"], tie="later")
        where = f"{case['kind']} {case['note']}"
        counted = (scored.n_ref, scored.n_hyp, scored.hits, scored.insertions, scored.deletions)
        assert counted == tuple(case[k] for k in ("n_ref", "n_f", "hits", "insertions", "deletions")), where
        assert later.hits == case["hits_if_tie_goes_right"], where
        for mine, theirs in (
            (scored.hit_rate, "HR"), (scored.over_segmentation, "OS"), (scored.precision, "PRC"),
            (scored.recall, "RCL"), (scored.f, "F"), (scored.r_value, "R"),
        ):  # fmt: skip
            expected = math.nan if case[theirs] is None else case[theirs]
            assert mine == pytest.approx(expected, abs=1e-9, nan_ok=True), f"{where}: {theirs}"


def test_metrics_in_one_batch_equal_oracle() -> None:
    cases = [c for c in oracle_json("region/cases.json")["cases"] if c["tol_s"] == 0.02]
    side = {
        key: Corpus.from_annotations(
            (f"{i}", key, Segmentation.from_times(sorted(c[key]), length=1e4)) for i, c in enumerate(cases)
        )
        for key in ("ref_s", "hyp_s")
    }
    batch = Batch.of_corpora(side["ref_s"], side["hyp_s"])
    names = {
        "R": "R",
        "hit-rate": "HR",
        "over-segmentation": "OS",
        "region-precision": "PRC",
        "region-recall": "RCL",
        "region-F": "F",
    }
    for name, key in names.items():
        measure = metric(name, tolerance=0.02)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedScore)
            values = measure.score(measure.rows(batch))
        expected = [math.nan if c[key] is None else c[key] for c in cases]
        np.testing.assert_allclose(values, expected, atol=1e-9, err_msg=name)


# ---------------------------------------------------------------------- the paper


def test_hypothesis_in_overlap_of_regions_counts_once() -> None:
    shrunk = cs.region_scores([0.10, 0.13], [0.09, 0.112])
    assert (shrunk.hits, shrunk.insertions, shrunk.deletions) == (1, 1, 1)
    assert cs.region_scores([0.10, 0.13], [0.09, 0.112], matching="optimal").hits == 2


def test_r_value_at_corners_of_plane() -> None:
    assert r_value(100, 0) == 1.0
    assert r_value(0, -100) == pytest.approx(1 - math.sqrt(2) / 2)
    on_the_line = r_value(np.array([20.0, 50.0, 80.0]), np.array([-80.0, -50.0, -20.0]))  # no insertions: r2 is 0
    np.testing.assert_allclose(on_the_line, 1 - np.sqrt(2) * np.array([80, 50, 20]) / 200)
    assert r_value(100, 400) < 0


def test_r_value_follows_from_r1_and_r2() -> None:
    scored = cs.region_scores([0.1, 0.2, 0.3, 0.4], [0.1, 0.2, 0.25, 0.35, 0.36])
    assert scored.r_value == pytest.approx(1 - (abs(scored.r1) + abs(scored.r2)) / 200)


def test_boundaries_exactly_at_tolerance_are_hits() -> None:
    assert 0.10 - 0.08 > 0.02
    assert cs.region_scores([0.10], [0.08], 0.02).hits == 1
    assert cs.region_scores([0.10], [0.0799999], 0.02).hits == 0
    assert cs.region_scores([0.10], [0.0799999], 0.02, resolution=1e-6).hits == 1


# ---------------------------------------------------------------------- properties

times = st.lists(st.integers(0, 300), max_size=25)
tolerances = st.integers(0, 40)


@given(times, times, tolerances, st.sampled_from(MATCHINGS), st.sampled_from(["earlier", "later"]))
@settings(max_examples=400, deadline=None)
def test_counts_equal_naive_version(ref, hyp, tol, matching, tie) -> None:
    scored = scores(ref, hyp, tol, matching=matching, tie=tie)
    assert (scored.hits, scored.correct) == naive(ref, hyp, tol, matching, tie)
    assert (scored.n_ref, scored.n_hyp) == (len(set(ref)), len(hyp))


@given(times, times, tolerances, st.sampled_from(["regions", "optimal"]))
@settings(deadline=None)
def test_hits_and_errors_sum_to_boundaries(ref, hyp, tol, matching) -> None:
    scored = scores(ref, hyp, tol, matching=matching)
    assert scored.hits + scored.insertions == len(hyp)
    assert scored.hits + scored.deletions == len(set(ref))


@given(times, times, tolerances, st.integers(0, 10_000), st.sampled_from(MATCHINGS))
@settings(deadline=None)
def test_shifting_both_sides_changes_nothing(ref, hyp, tol, shift, matching) -> None:
    moved = scores([t + shift for t in ref], [t + shift for t in hyp], tol, matching=matching)
    np.testing.assert_array_equal(moved.counts, scores(ref, hyp, tol, matching=matching).counts)


@given(times, times, tolerances)
@settings(deadline=None)
def test_hits_grow_from_regions_to_optimal_to_lenient(ref, hyp, tol) -> None:
    hits = [scores(ref, hyp, tol, matching=m).hits for m in MATCHINGS]
    assert hits == sorted(hits)


@given(times.filter(bool), times, tolerances, tolerances, st.sampled_from(MATCHINGS))
@settings(deadline=None)
def test_wider_tolerance_never_has_fewer_hits(ref, hyp, tol, other_tol, matching) -> None:
    """The nearest boundary stays the nearest and OS does not move; R grows with HR as long as hits are at most N_f."""
    narrow, wide = (scores(ref, hyp, t, matching=matching) for t in sorted((tol, other_tol)))
    for name in ("hits", "hit_rate", "recall", "f", "r_value")[: 5 - (matching == "lenient")]:
        assert getattr(wide, name) >= getattr(narrow, name) - 1e-12
    assert wide.over_segmentation == narrow.over_segmentation


def test_lenient_r_may_fall_with_wider_tolerance() -> None:
    narrow, wide = (scores([0, 1], [0], tol, matching="lenient") for tol in (0, 1))
    assert (wide.hits, wide.n_hyp) == (2, 1)
    assert wide.r_value < narrow.r_value


@given(times, times, tolerances)
@settings(deadline=None)
def test_optimal_matching_is_symmetric(ref, hyp, tol) -> None:
    there, back = (scores(a, b, tol, matching="optimal").hits for a, b in ((set(ref), set(hyp)), (set(hyp), set(ref))))
    assert there == back


@given(times, times, tolerances)
@settings(max_examples=60, deadline=None)
def test_optimal_matching_equals_mir_eval(ref, hyp, tol) -> None:
    util = pytest.importorskip("mir_eval.util", reason="mir_eval is a peer, not a dependency")
    ref, hyp = sorted(set(ref)), sorted(hyp)
    wide = tol + 0.4  # between two ticks, where binary fractions cannot decide
    theirs = util.match_events(np.array(ref) / 1000, np.array(hyp) / 1000, wide / 1000) if ref and hyp else []
    assert scores(ref, hyp, wide, matching="optimal").hits == len(theirs)


@given(st.lists(st.tuples(times, times), min_size=1, max_size=6), tolerances, st.sampled_from(MATCHINGS))
@settings(max_examples=50, deadline=None)
def test_batch_equals_single_recordings(pairs, tol, matching) -> None:
    sides = [
        Corpus.from_annotations(
            (f"{i}", "c", Segmentation.from_times([t / 1000 for t in sorted(p[s])], length=9.0))
            for i, p in enumerate(pairs)
        )
        for s in (0, 1)
    ]
    rows = metric("R", tolerance=tol / 1000, matching=matching, edges="in").rows(Batch.of_corpora(*sides))
    np.testing.assert_array_equal(rows, [scores(ref, hyp, tol, matching=matching).counts for ref, hyp in pairs])


@pytest.mark.parametrize("matching", MATCHINGS)
def test_recordings_longer_than_kernel_block(matching) -> None:
    random = np.random.default_rng(5)
    for n_ref, n_hyp in ((5000, 4000), (1023, 1024), (1024, 1025), (3000, 10), (10, 3000), (2048, 2048)):
        ref = random.integers(0, 30 * n_ref, n_ref).tolist()
        hyp = random.integers(0, 30 * n_ref, n_hyp).tolist()
        scored = scores(ref, hyp, 20, matching=matching)
        assert scored.n_ref == len(set(ref))
        if matching == "regions":
            assert scored.hits == by_searching(ref, hyp, 20)
        elif n_ref * n_hyp < 2_000_000 and matching == "lenient":
            assert (scored.hits, scored.correct) == naive(ref, hyp, 20, matching)


def test_repeated_references_can_fill_kernel_blocks() -> None:
    ref = [5] * 3000 + [90] * 3000 + [100] * 10
    scored = scores(ref, [6, 94, 96, 96, 200], 20)
    assert (scored.n_ref, scored.hits, scored.insertions) == (3, 3, 2)


def by_searching(ref: list[int], hyp: list[int], tol: int) -> int:
    places, hit = np.unique(ref), set()
    for h in hyp:
        k = int(np.searchsorted(places, h))
        near = min((p for p in (k - 1, k) if 0 <= p < len(places)), key=lambda p: (abs(places[p] - h), p))
        if abs(places[near] - h) <= tol:
            hit.add(near)
    return len(hit)


# ---------------------------------------------------------------------- edges, curves, pooling


def test_boundaries_at_ends_are_left_out_by_default() -> None:
    ref = Segmentation.from_times([0.0, 0.3, 1.0], length=1.0)
    hyp = Segmentation.from_times([0.0, 0.31, 0.99, 1.0], length=1.0)
    inner, all_of_them = cs.region_scores(ref, hyp), cs.region_scores(ref, hyp, edges="in")
    assert (inner.n_ref, inner.n_hyp, inner.hits) == (1, 2, 1)
    assert (all_of_them.n_ref, all_of_them.n_hyp, all_of_them.hits) == (3, 4, 3)
    assert metric("R")(ref, hyp) == inner.r_value
    assert metric("R", edges="in")(ref, hyp) == all_of_them.r_value
    assert cs.region_scores([0.0, 0.3, 1.0], [0.0, 0.31], length=1.0).n_ref == 1
    assert cs.region_scores([0.0, 0.3, 1.0], [0.0, 0.31]).n_ref == 3


def test_regions_are_not_clipped_at_ends_of_recording() -> None:
    ref, hyp = Segmentation.from_times([0.01], length=1.0), Segmentation.from_times([0.025], length=1.0)
    assert cs.region_scores(ref, hyp).hits == 1


def test_several_tolerances_return_list() -> None:
    curve = cs.region_scores([0.1, 0.2], [0.105, 0.215], [0.0, 0.01, 0.02])
    assert [(s.tolerance, s.hits) for s in curve] == [(0.0, 0), (0.01, 1), (0.02, 2)]


def test_scores_of_recordings_can_be_added() -> None:
    first, second = cs.region_scores([0.1, 0.2], [0.1]), cs.region_scores([0.1, 0.5], [0.3, 0.5, 0.7])
    both = first + second
    assert (both.hits, both.n_ref, both.n_hyp) == (2, 4, 4)
    assert both.r_value == pytest.approx(r_value(50, 0))
    with pytest.raises(CaesuraError, match="do not add up"):
        first + cs.region_scores([0.1], [0.1], 0.01)


def test_recording_without_boundaries_does_not_change_pool() -> None:
    spoken = Segmentation.from_times([0.1, 0.3], length=1.0)
    gold = Corpus.from_annotations([("a", "g", spoken), ("b", "g", Segmentation.from_times([], length=2.0))])
    system = Corpus.from_annotations([("a", "s", spoken), ("b", "s", Segmentation.from_times([], length=2.0))])
    with pytest.warns(UndefinedScore):
        evaluation = cs.evaluate(gold, system, ["R", "hit-rate"])
    assert evaluation["R"].micro == 1.0
    assert evaluation["R"].macro == 1.0


def test_typed_boundaries_count_once_per_position() -> None:
    typed = Segmentation.from_times([0.1, 0.1, 0.3], types=["word", "phone", "phone"], length=1.0)
    plain = Segmentation.from_times([0.1, 0.3], length=1.0)
    assert metric("R")(typed, plain) == 1.0
    assert cs.region_scores(plain, typed).r_value == 1.0


# ---------------------------------------------------------------------- undefined scores and errors


@pytest.mark.parametrize(("ref", "hyp"), [([], []), ([], [0.1, 0.2])])
def test_no_reference_boundaries_gives_nan_and_warning(ref, hyp) -> None:
    with pytest.warns(UndefinedScore, match="no reference boundaries"):
        scored = cs.region_scores(ref, hyp)
    assert all(map(math.isnan, (scored.hit_rate, scored.over_segmentation, scored.recall, scored.f, scored.r_value)))


def test_scores_without_hypotheses() -> None:
    scored = cs.region_scores([0.1, 0.2, 0.3], [])
    assert (scored.hit_rate, scored.over_segmentation, scored.f) == (0.0, -100.0, 0.0)
    assert scored.r_value == pytest.approx(1 - math.sqrt(2) / 2)
    assert math.isnan(scored.precision)
    with pytest.warns(UndefinedScore, match="no hypotheses"):
        assert math.isnan(metric("region-precision")(*(Segmentation.from_times(t, length=1.0) for t in ([0.1], []))))


def test_miss_rate_and_false_alarm_rate_are_complements() -> None:
    scored = cs.region_scores([0.1, 0.2, 0.3, 0.4], [0.1, 0.2, 0.25])
    assert (scored.miss_rate, scored.false_alarm_rate) == (50.0, pytest.approx(100 / 3))
    assert scored.as_dict()["miss_rate"] == 50.0


WRONG_OPTIONS = [
    ({"tolerance": -0.01}, "tolerance"),
    ({"tolerance": "20 bananas"}, "20 bananas"),
    ({"tolerance": float("nan")}, "tolerance"),
    ({"matching": "greedy"}, "'regions', 'optimal' or 'lenient'"),
    ({"tie": "left"}, "'earlier' or 'later'"),
    ({"edges": "maybe"}, "'out' or 'in'"),
    ({"resolution": 0.0}, "resolution"),
    ({"resolution": "fine"}, "resolution"),
    ({"tolerance": None}, "found None"),
]


@pytest.mark.parametrize(("options", "why"), WRONG_OPTIONS)
def test_wrong_options_raise_error(options, why) -> None:
    with pytest.raises(CaesuraError, match=why):
        cs.region_scores([0.1], [0.1], **options)
    with pytest.raises(CaesuraError, match=why):
        metric("R", **options)


@pytest.mark.parametrize(
    ("times", "why"),
    [
        ([0.1, float("inf")], "finite"),
        ([[0.1, 0.2]], "flat"),
        (["a"], "times in seconds"),
        (Segmentation.from_masses([2, 3]), "units"),
        ([1e300], "too long"),
        (np.ma.array([0.1, 0.2], mask=[0, 1]), "finite"),
    ],
)
def test_wrong_times_raise_error(times, why) -> None:
    for pair in ((times, [0.1]), ([0.1], times)):
        with pytest.raises(InvalidSegmentation, match=why):
            cs.region_scores(*pair)


def test_units_raise_error() -> None:
    with pytest.raises(CaesuraError, match="R compares time, not units"):
        metric("R")([2, 3], [2, 3])
    long = Segmentation.from_times([1e12], length=1e13)
    with pytest.raises(CaesuraError, match="does not fit a grid"):
        metric("R")(long, long)


def test_durations_are_parsed() -> None:
    assert [seconds(x) for x in ("20ms", "0.02", "0.02 s", 20e-3, "20000us")] == pytest.approx([0.02] * 5)
    assert metric("R:tolerance=10ms").parameters["tolerance"] == 0.01
    assert metric("R").signature.startswith("R|tol:0.02|match:regions|tie:earlier|edges:out|res:1e-07|v:")


def test_lists_may_be_unsorted() -> None:
    assert cs.region_scores([0.3, 0.1], [0.31, 0.1]).hits == 2


PLAIN = """
import sys, json, caesura as cs
ref, hyp = json.loads(sys.argv[1])
print([cs.region_scores(ref, hyp, matching=m).counts.tolist() for m in ("regions", "optimal", "lenient")])
"""


def test_plain_python_gives_same_numbers() -> None:
    random = np.random.default_rng(1)
    ref, hyp = (sorted(random.integers(0, 2000, 60) / 1000) for _ in range(2))
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    lists = str([[float(t) for t in ref], [float(t) for t in hyp]])
    done = subprocess.run([sys.executable, "-c", PLAIN, lists], env=env, check=True, capture_output=True, text=True)
    expected = [cs.region_scores(ref, hyp, matching=m).counts.tolist() for m in MATCHINGS]
    assert done.stdout.strip() == str(expected)
    assert "Warning" not in done.stderr


@pytest.mark.parametrize("length", [-1.0, float("nan"), "long"])
def test_wrong_length_raises_error(length) -> None:
    with pytest.raises(InvalidSegmentation, match="the length"):
        cs.region_scores([0.1], [0.1], length=length)


def test_length_is_taken_from_either_segmentation() -> None:
    gold, ours = [0.1, 1.0], Segmentation.from_times([0.1, 1.0], length=1.0)
    assert cs.region_scores(gold, ours) == cs.region_scores(ours, gold) == cs.region_scores(gold, gold, length=1.0)
    assert cs.region_scores(gold, ours).n_hyp == 1


@pytest.mark.filterwarnings("ignore::caesura.errors.UndefinedScore")
def test_scores_equal_mir_eval() -> None:
    figures = oracle_json("tolerance/mir_eval_detection.json")
    for case in figures["fuzz"]:  # want_eps: a tolerance as wide as it says, beyond what floats make of it
        scores = cs.region_scores(case["a"], case["b"], tolerance=case["w"], matching="optimal")
        ours = np.nan_to_num([scores.f, scores.precision, scores.recall])  # undefined here is 0 there
        assert ours == pytest.approx(case["want_eps"])
    for case in figures["seg"]:
        for window in ("0.5", "3.0"):
            within = {"tolerance": float(window), "matching": "optimal"}
            whole = cs.region_scores(case["ref"], case["est"], **within)
            trimmed = cs.region_scores(case["ref"][1:-1], case["est"][1:-1], **within)
            wanted = [case["want"][f"{name}@{window}"] for name in ("Precision", "Recall", "F-measure")]
            assert [whole.precision, whole.recall, whole.f] == pytest.approx(wanted)
            assert [trimmed.precision, trimmed.recall, trimmed.f] == pytest.approx(case["trim"][window])


def test_optimal_matching_is_never_below_greedy() -> None:
    """ruptures leaves the margin itself out and takes what comes first, pyannote the nearest first."""
    above = {"ruptures": 0, "pyannote": 0}
    for case in oracle_json("tolerance/ruptures_pyannote.json"):
        ref, hyp = case["a"][:-1], case["b"][:-1]
        for peer, key, tolerance in (("ruptures", "rup", case["m"] - 1), ("pyannote", "pya", case["m"])):
            scores = cs.region_scores(ref, hyp, tolerance=tolerance, matching="optimal")
            precision, recall = case[key]
            assert scores.precision >= precision - 1e-12
            assert scores.recall >= recall - 1e-12
            above[peer] += scores.recall > recall + 1e-12
    assert min(above.values()) > 0
    assert cs.region_scores([10, 18], [5, 13], tolerance=5, matching="optimal").hits == 2  # the greedy find one


def test_old_parameter_names_still_work_with_warning() -> None:
    with pytest.warns(DeprecationWarning, match="use reference and hypothesis"):
        scores = cs.region_scores(ref_times=[0.10, 0.13], hyp_times=[0.09, 0.112])
    assert scores == cs.region_scores([0.10, 0.13], [0.09, 0.112])
    with pytest.raises(TypeError, match="takes a reference and a hypothesis"):
        cs.region_scores([0.1])
    with pytest.raises(TypeError, match="unknown arguments"):
        cs.region_scores([0.1], [0.1], tolerence=0.02)
