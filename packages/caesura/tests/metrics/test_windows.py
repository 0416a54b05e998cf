"""Pk, WindowDiff and WinPR against the papers, other programs and windows counted one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import caesura as cs
from caesura import Segmentation
from caesura.metrics import metric
from metrics.naive import windows
from shared_data import oracle_json


@st.composite
def strings(draw: st.DrawFn) -> tuple[str, str, int]:
    """Dense and sparse boundaries, which are counted by different algorithms."""
    n, gap = draw(st.integers(2, 40)), draw(st.sampled_from(["", "0" * 25]))
    ref, hyp = (gap.join(draw(st.text("01", min_size=n, max_size=n))) for _ in range(2))
    return ref, hyp, draw(st.integers(1, 40 if gap else 12))


@given(strings())
def test_counts_equal_naive_windows(drawn) -> None:
    ref, hyp, k = drawn
    assume(len(ref) + 1 > k)
    seen = windows(ref, hyp, k)
    assert cs.window_diff(ref, hyp, k) == pytest.approx(np.mean([a != b for a, b in seen]), abs=1e-12)
    assert cs.window_diff(ref, hyp, k, weighted=True) == pytest.approx(
        np.mean([abs(a - b) for a, b in seen]), abs=1e-12
    )
    assert cs.pk(ref, hyp, k) == pytest.approx(np.mean([(a > 0) != (b > 0) for a, b in seen]), abs=1e-12)
    assert metric("WD", k=k)(ref, hyp) == cs.window_diff(ref, hyp, k)
    assert metric("WD", k=k, weighted=True)(ref, hyp) == cs.window_diff(ref, hyp, k, weighted=True)
    assert metric("Pk", k=k)(ref, hyp) == cs.pk(ref, hyp, k)


def test_long_text_is_counted_in_blocks() -> None:
    random = np.random.default_rng(7)
    marks = random.random((2, 40_000)) < 0.3
    ref, hyp = ("".join("01"[m] for m in side) for side in marks.astype(int).tolist())
    for k in (3, 20_000):  # the second is too wide for a block
        upto = np.concatenate((np.zeros((2, 1), int), np.cumsum(marks, axis=1)), axis=1)
        in_ref, in_hyp = upto[:, k:] - upto[:, :-k]
        assert cs.window_diff(ref, hyp, k) == metric("WD", k=k)(ref, hyp) == (in_ref != in_hyp).mean()
        assert cs.window_diff(ref, hyp, k, weighted=True) == abs(in_ref - in_hyp).sum() / len(in_ref)
        assert cs.pk(ref, hyp, k) == metric("Pk", k=k)(ref, hyp) == ((in_ref > 0) != (in_hyp > 0)).mean()


@given(strings())
def test_padded_counts_equal_naive_windows(drawn) -> None:
    ref, hyp, k = drawn
    seen = windows(ref, hyp, k, padded=True)
    padded = cs.window_diff(ref, hyp, k, edges="padded")
    assert padded == pytest.approx(np.mean([a != b for a, b in seen]), abs=1e-12)
    assert metric("WD", k=k, edges="padded")(ref, hyp) == padded
    scores = cs.win_pr(ref, hyp, k)
    assert scores.tp == sum(min(a, b) for a, b in seen)
    assert scores.fp == sum(max(b - a, 0) for a, b in seen)
    assert scores.fn == sum(max(a - b, 0) for a, b in seen)
    assert scores.tp + scores.fp + scores.fn + scores.tn == k * len(ref)
    assert scores.f == pytest.approx(metric("WinPR", k=k)(ref, hyp), abs=1e-12)
    assert scores.recall == pytest.approx(metric("WinPR", k=k, part="recall")(ref, hyp), abs=1e-12)
    assert scores.precision == pytest.approx(metric("WinPR", k=k, part="precision")(ref, hyp), abs=1e-12)


@given(st.integers(3, 30), st.data())
def test_padding_penalises_all_positions_equally(n, data) -> None:
    k = data.draw(st.integers(1, n - 1))
    errors = set()
    for place in range(1, n):
        hypothesis = Segmentation.from_positions([place], length=n)
        errors.add(cs.window_diff([n], hypothesis, k, edges="padded"))
    assert len(errors) == 1


def test_scores_equal_oracle() -> None:
    short = 0
    for pair in oracle_json("boundary/random_single_type.json")["pairs"]:
        ref, hyp = pair["ref"], pair["hyp"]
        assert cs.window_size(ref) == pair["k"]
        if sum(ref) <= pair["k"]:
            with pytest.raises(cs.CaesuraError, match="n must exceed k"):
                cs.window_diff(ref, hyp)
            short += 1
            continue
        assert cs.window_diff(ref, hyp) == pytest.approx(pair["WD"], abs=1e-12)
        assert cs.pk(ref, hyp) == pytest.approx(pair["Pk"], abs=1e-12)
        weighted = cs.window_diff(ref, hyp, weighted=True)
        assert weighted == pytest.approx(pair["WD_weighted_sum_over_windows"], abs=1e-12)
    assert 0 < short < 20


def test_default_windows_equal_nltk_and_segeval() -> None:
    ref, hyp = "000001001000", "000100010000"
    assert cs.pk(ref, hyp, k="nltk") == pytest.approx(0.4, abs=1e-12)
    assert cs.pk(ref, hyp) == pytest.approx(6 / 11, abs=1e-12)
    assert metric("Pk", k="nltk").signature.startswith("Pk|k:nltk|round:even|min:2")
    assert metric("Pk", k="nltk")(ref, hyp) == pytest.approx(0.4, abs=1e-12)


@given(strings())
def test_scores_equal_nltk_if_installed(drawn) -> None:
    segmentation = pytest.importorskip("nltk.metrics.segmentation")
    ref, hyp, k = drawn
    if k <= len(ref):
        assert cs.window_diff(ref, hyp, k) == pytest.approx(segmentation.windowdiff(ref, hyp, k), abs=1e-12)
        assert cs.pk(ref, hyp, k) == pytest.approx(segmentation.pk(ref, hyp, k), abs=1e-12)
    usual = cs.window_size(ref, "nltk", minimum=1)
    if usual <= len(ref) and round(len(ref) / (2 * max(ref.count("1"), 1))) >= 1:
        assert cs.pk(ref, hyp, "nltk", minimum=1) == pytest.approx(segmentation.pk(ref, hyp), abs=1e-12)


@pytest.mark.parametrize(
    ("masses", "rounding", "minimum", "k"),
    [
        ([5, 5], "even", 2, 2), ([5, 5], "up", 2, 3), ([5, 5], "down", 2, 2), ([5, 5], "ceil", 2, 3),
        ([7, 7], "even", 2, 4), ([7, 7], "down", 2, 3), ([1, 1], "even", 1, 1), ([1, 1], "even", 2, 2), ([9], "even", 2, 4),
    ],
)  # fmt: skip
def test_default_window_is_rounded_as_chosen(masses, rounding, minimum, k) -> None:
    assert cs.window_size(masses, round=rounding, minimum=minimum) == k
    family = metric("WD", round=rounding, minimum=minimum).family
    assert family.size(sum(masses), len(masses) - 1) == k


def test_window_size_accepts_numpy_integers() -> None:
    k = np.array([5])[0]
    assert metric("WD", k=k)([2, 3, 6], [2, 2, 7]) == cs.window_diff([2, 3, 6], [2, 2, 7], k=5)
    assert metric("WD", k=k).symmetric
    assert cs.window_size(iter([2, 3, 6])) == 2


def batch(masses):
    from caesura.metrics import Batch

    segmentation = Segmentation.from_masses(masses)
    return Batch.of_pair(segmentation, segmentation)


def test_windows_above_255_units_are_counted_correctly() -> None:
    ref, hyp = [300, 300, 400], [310, 290, 400]
    assert cs.window_size(ref) == 167
    assert cs.window_diff(ref, hyp, k=300) == pytest.approx(10 * 2 / 700)
    many = [int(str(m)) for m in [3] * 500]
    assert cs.window_diff(many, list(many)) == 0.0
    assert cs.pk(many, list(many)) == 0.0


def test_windows_ignore_types() -> None:
    typed = Segmentation.from_positions([(2, "a"), (2, "b"), (5, "a"), (11, "a")], length=11)
    assert cs.window_diff(typed, [2, 2, 7]) == cs.window_diff([2, 3, 6], [2, 2, 7])
    assert metric("WD")(typed, Segmentation.from_masses([2, 2, 7])) == cs.window_diff([2, 3, 6], [2, 2, 7])


def test_empty_sides_agree_perfectly() -> None:
    assert cs.window_diff([9], [9]) == 0.0
    assert cs.pk([9], [9]) == 0.0
    assert cs.win_pr([9], [9])[:3] == (1.0, 1.0, 1.0)
    assert cs.win_pr([1], [1])[:3] == (1.0, 1.0, 1.0)
    assert cs.window_diff([1], [1], edges="padded") == 0.0
    assert cs.win_pr([9], [4, 5])[:3] == (0.0, 0.0, 0.0)


def test_symmetry_depends_on_parameters() -> None:
    assert not metric("WD").symmetric
    assert metric("WD", k=3).symmetric
    assert metric("WinPR", k=3).symmetric
    assert not metric("WinPR", k=3, part="recall").symmetric
    assert metric("WD", weighted=True).bounds == (0.0, float("inf"))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: cs.window_diff([2, 2], [4], k=4), "n = 4 units and k = 4"),
        (lambda: cs.window_diff([2, 2], [4], k=9), "n = 4 units and k = 9"),
        (lambda: cs.pk([2, 2], [4], k=4), "n = 4 units and k = 4"),
        (lambda: metric("Pk", k=4)([2, 2], [4]), "n = 4 units and k = 4"),
        (lambda: metric("WD", k=9)([2, 2], [4]), "n = 4 units and k = 9"),
        (lambda: cs.pk([2, 2], [4], k=0), "k is 0"),
        (lambda: cs.pk([2, 2], [4], k=-1), "k is -1"),
        (lambda: cs.pk([2, 2], [4], k=True), "k is True"),
        (lambda: cs.pk([2, 2], [4], k=1.5), "k is 1.5"),
        (lambda: metric("Pk", k=0), "k is 0"),
        (lambda: cs.window_diff([2, 2], [4], k=2**70), "expected at most"),
        (lambda: cs.win_pr([2, 2], [4], k=2**62), "expected at most"),
        (lambda: cs.window_diff([2, 2], [4], weighted="no"), "weighted is 'no'"),
        (lambda: cs.window_size([2, 2], rule="mean"), "rule is 'mean'"),
        (lambda: cs.win_pr([2, 2], [4], beta="1"), "beta is '1'"),
        (lambda: cs.pk([2, 2], [4], round="off"), "round is 'off'"),
        (lambda: cs.pk([2, 2], [4], minimum=0), "minimum is 0"),
        (lambda: cs.window_diff([2, 2], [4], edges="soft"), "edges is 'soft'"),
        (lambda: metric("WD", edges="soft"), "edges is 'soft'"),
        (lambda: metric("WinPR", part="accuracy"), "part is 'accuracy'"),
        (lambda: metric("WinPR", beta=0), "beta is 0"),
        (lambda: cs.window_diff([2, 2], [2, 3]), "4 units, the hypothesis 5"),
        (lambda: cs.win_pr([2, 2], [2, 3]), "4 units, the hypothesis 5"),
        (lambda: cs.window_diff(*[Segmentation.from_times([0.5], length=2.0)] * 2), "units, not time"),
    ],
)
def test_wrong_input_raises_error(call, words) -> None:
    with pytest.raises(cs.CaesuraError, match=words):
        call()
