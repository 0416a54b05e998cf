"""Boundaries in common against sets, distances to the nearest boundary against ruptures, the Hamming distance against NLTK."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cs
from caesura.errors import CaesuraError
from caesura.metrics import metric
from caesura.model import Segmentation
from metrics.naive import hamming
from shared_data import oracle_json

PAIRS = st.tuples(st.sets(st.integers(1, 19)), st.sets(st.integers(1, 19)))


@given(PAIRS)
def test_scores_equal_set_operations(pair: tuple[set[int], set[int]]) -> None:
    ref, hyp = pair
    reference, hypothesis = (Segmentation.from_positions(sorted(side), length=20) for side in pair)
    hits = len(ref & hyp)
    expected = {
        "precision": hits / len(hyp) if hyp else float(not ref),
        "recall": hits / len(ref) if ref else float(not hyp),
        "F": 2 * hits / (len(ref) + len(hyp)) if ref or hyp else 1.0,
    }
    for name, value in expected.items():
        assert metric(name)(reference, hypothesis) == pytest.approx(value)


def test_types_must_be_equal() -> None:
    ref = Segmentation.from_labels_at(["", ",", "", "."])
    hyp = Segmentation.from_labels_at(["", "?", "", "."])
    assert metric("F")(ref, hyp) == 0.5
    assert metric("F")(ref, Segmentation.from_masses([2, 2])) == 1.0, "an untyped side asks only where"


def test_empty_sides_agree_perfectly() -> None:
    assert [metric(name)([5], [5]) for name in ("precision", "recall", "F")] == [1.0, 1.0, 1.0]


def test_many_segments_equal_themselves() -> None:
    assert metric("F")([1] * 1000, [1] * 1000) == 1.0


@pytest.mark.parametrize("beta", [0.0, -1.0, float("nan")])
def test_beta_must_be_positive(beta: float) -> None:
    with pytest.raises(CaesuraError, match="beta is"):
        metric("F", beta=beta)


def test_distances_equal_ruptures() -> None:
    for case in oracle_json("tolerance/ruptures_pyannote.json"):
        ref, hyp = (cs.Segmentation.from_positions(case[side][:-1], length=case["n"]) for side in "ab")
        assert metric("Hausdorff")(ref, hyp) == case["haus"]
        times = (cs.Segmentation.from_times([p / 8 for p in case[s][:-1]], length=case["n"] / 8) for s in "ab")
        assert metric("Hausdorff")(*times) == case["haus"] / 8
    for case in oracle_json("tolerance/overlaps.json")["cases"]:
        if case["meantime"] is not None:
            ref, hyp = (cs.Segmentation.from_positions(case[side], length=case["n"]) for side in "ab")
            assert metric("mean-error")(ref, hyp) == pytest.approx(case["meantime"])


def test_distances_of_sides_without_boundaries() -> None:
    assert metric("Hausdorff")([9], [9]) == metric("mean-error")([9], [9]) == 0.0
    assert metric("Hausdorff")([9], [4, 5]) == metric("Hausdorff")([4, 5], [9]) == 9.0
    assert metric("mean-error")([9], [4, 5]) == 9.0
    assert math.isnan(metric("mean-error")([4, 5], [9]))
    edges = cs.Segmentation.from_times([0.0, 0.5, 1.0], length=1.0)
    assert metric("Hausdorff")(edges, cs.Segmentation.from_times([0.5], length=1.0)) == 0.0


def test_pooled_distance_is_mean_over_items() -> None:
    gold = cs.Corpus.from_dict({"one": {"gold": [5, 5]}, "two": {"gold": [5, 5]}})
    system = cs.Corpus.from_dict({"one": {"ours": [4, 6]}, "two": {"ours": [8, 2]}})
    assert cs.evaluate(gold, system, ["Hausdorff"])["Hausdorff"].micro == 2.0


# ---------------------------------------------------------------------- generalised Hamming distance

PRICES = st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0, 7.5])


@given(
    st.integers(1, 30).flatmap(lambda n: st.tuples(*[st.text("01", min_size=n, max_size=n)] * 2)),
    PRICES,
    PRICES,
    PRICES,
)
def test_hamming_distance_equals_naive_version(strings, insert, delete, shift) -> None:
    ref, hyp = ([i for i, c in enumerate(s, 1) if c == "1"] for s in strings)
    expected = hamming(ref, hyp, insert, delete, shift)
    assert cs.generalized_hamming(*strings, insert, delete, shift) == pytest.approx(expected, abs=1e-9)
    assert metric("GHD", insert=insert, delete=delete, shift=shift)(*strings) == pytest.approx(expected, abs=1e-9)


def test_hamming_distance_equals_oracle() -> None:
    for pair in oracle_json("boundary/random_single_type.json")["pairs"]:
        assert cs.generalized_hamming(pair["ref"], pair["hyp"]) == pytest.approx(pair["GHD"], abs=1e-9)


def test_hamming_distance_equals_nltk_examples() -> None:
    assert cs.generalized_hamming("1100100000", "1100000001", 1.0, 1.0, 0.5) == 2.0
    assert cs.generalized_hamming("011", "110", 1.0, 1.0, 0.5) == 1.0
    assert cs.generalized_hamming("111", "000", 1.0, 1.0, 0.5) == 3.0
    assert cs.generalized_hamming("000", "111", 1.0, 2.0, 0.5) == 6.0


def test_hamming_distance_of_empty_sides_is_zero_and_negative_costs_raise_error() -> None:
    assert cs.generalized_hamming([7], [7]) == 0.0
    assert not metric("GHD", insert=1.0).symmetric
    for wrong in (-1.0, float("nan"), float("inf")):
        with pytest.raises(cs.CaesuraError, match="expected a number, 0 or more"):
            cs.generalized_hamming([7], [7], shift=wrong)
        with pytest.raises(cs.CaesuraError, match="expected a number, 0 or more"):
            metric("GHD", insert=wrong)
