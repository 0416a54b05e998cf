"""Boundary similarity, segmentation similarity and edits against the paper, another program and a naive version."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura as cs
from caesura import Segmentation
from caesura.metrics import metric
from caesura.metrics.boundaries import EditCounts
from metrics.naive import cheapest, published_b, published_edits
from shared_data import oracle_json

MANUAL = [2, 3, 6]
FIGURES = [
    ("false negative", [5, 6], 0.9, 0.5, 7 / 9),
    ("near miss", [2, 2, 7], 0.9, 0.75, 7 / 9),
    ("false positive", [2, 3, 3, 3], 0.9, 2 / 3, 7 / 9),
    ("cluster", [1, 1, 3, 1, 5], 0.8, 0.5, 2 / 3),
]


@pytest.mark.parametrize(("what", "automatic", "s", "b", "wd"), FIGURES)
def test_figures_5_to_8(what, automatic, s, b, wd) -> None:
    assert cs.segmentation_similarity(MANUAL, automatic) == pytest.approx(s, abs=1e-12)
    assert cs.boundary_similarity(MANUAL, automatic) == pytest.approx(b, abs=1e-12)
    assert 1 - cs.window_diff(MANUAL, automatic) == pytest.approx(wd, abs=1e-12)


def from_sets(sets: list) -> Segmentation:
    return Segmentation.from_positions([(i, t) for i, s in enumerate(sets, 1) for t in s], length=len(sets) + 1)


@pytest.mark.parametrize("n_t", [2, 3, 5])
def test_oracle_single_type(n_t: int) -> None:
    for pair in oracle_json("boundary/random_single_type.json")["pairs"]:
        ref, hyp, b = pair["ref"], pair["hyp"], pair[f"B_nt{n_t}"]
        assert cs.boundary_similarity(ref, hyp, n_t=n_t) == pytest.approx(1.0 if b is None else b, abs=1e-12)
        for weights in ("unit", "scaled"):
            s = pair.get(f"S_{weights}_nt{n_t}")
            expected = 1.0 if s is None else s
            assert cs.segmentation_similarity(ref, hyp, n_t, weights) == pytest.approx(expected, abs=1e-12)
        edits = pair.get(f"edits_nt{n_t}")
        if edits is not None:
            check_edits(cs.boundary_edits(ref, hyp, n_t), edits)


@pytest.mark.parametrize("n_t", [2, 3, 5])
def test_oracle_many_types(n_t: int) -> None:
    for pair in oracle_json("boundary/random_multi_type.json")["pairs"]:
        ref, hyp, b = from_sets(pair["ref"]), from_sets(pair["hyp"]), pair[f"B_nt{n_t}"]
        assert cs.boundary_similarity(ref, hyp, n_t=n_t) == pytest.approx(1.0 if b is None else b, abs=1e-12)
        edits = pair.get(f"edits_nt{n_t}")
        if edits is not None:
            check_edits(cs.boundary_edits(ref, hyp, n_t), edits, typed=True)


def check_edits(edits: list[cs.Edit], expected: dict, typed: bool = False) -> None:
    moved = [e for e in edits if e.kind == "transposition"]
    kinds = [[e.reference_type] if typed else [] for e in moved]
    moves = [sorted((e.reference, e.hypothesis)) + kind for e, kind in zip(moved, kinds, strict=True)]
    assert sorted(moves) == sorted(expected["transpositions"])
    assert sum(e.kind == "match" for e in edits) == expected["matches"]
    assert sum(e.kind == "addition" for e in edits) == expected["additions"]
    confused = [abs(e.reference_type - e.hypothesis_type) for e in edits if e.kind == "substitution"]
    assert sum(confused) == sum(abs(a - b) for a, b in expected.get("substitutions", []))


boundary_sets = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        *[st.lists(st.sets(st.integers(1, 4), max_size=4), min_size=n, max_size=n)] * 2, st.integers(1, 6)
    )
)


@given(boundary_sets)
def test_published_matching_equals_naive_version(drawn) -> None:
    ref, hyp, n_t = drawn
    typed_ref, typed_hyp = from_sets(ref), from_sets(hyp)
    assert cs.boundary_similarity(typed_ref, typed_hyp, n_t=n_t) == pytest.approx(
        float(published_b(ref, hyp, n_t)), abs=1e-12
    )
    matches, moved, confused, alone = published_edits(ref, hyp, n_t)
    counts = metric("B", n_t=n_t).counts_of(typed_ref, typed_hyp)
    assert [*counts[:3], counts.additions] == [matches, len(moved), len(confused), alone]


@given(boundary_sets)
def test_single_type_equals_no_types(drawn) -> None:
    ref, hyp, n_t = drawn
    single_ref, single_hyp = ([{1} if s else set() for s in side] for side in (ref, hyp))
    plain = [[0, *(1 if s else 0 for s in side)] for side in (single_ref, single_hyp)]
    strings = ["".join(map(str, side[1:])) for side in plain]
    for matching in ("published", "optimal"):
        assert cs.boundary_similarity(*strings, n_t=n_t, matching=matching) == pytest.approx(
            cs.boundary_similarity(from_sets(single_ref), from_sets(single_hyp), n_t=n_t, matching=matching), abs=1e-12
        )


small_sets = st.integers(1, 7).flatmap(
    lambda n: st.tuples(
        *[st.lists(st.sets(st.integers(1, 3), max_size=2), min_size=n, max_size=n)] * 2, st.integers(1, 5)
    )
)


@settings(max_examples=60)
@given(small_sets)
def test_optimal_matching_is_cheapest_of_all(drawn) -> None:
    ref, hyp, n_t = drawn
    typed_ref, typed_hyp = from_sets(ref), from_sets(hyp)
    marks = [[(i, t) for i, s in enumerate(side, 1) for t in sorted(s)] for side in (ref, hyp)]
    cost, alone = cheapest(*marks, n_t)
    counts = metric("B", n_t=n_t, matching="optimal").counts_of(typed_ref, typed_hyp)
    assert counts.cost == pytest.approx(float(cost), abs=1e-9)
    assert counts.additions == alone


@given(boundary_sets)
def test_optimal_matching_ignores_direction_and_sides(drawn) -> None:
    ref, hyp, n_t = drawn
    there = cs.boundary_similarity(from_sets(ref), from_sets(hyp), n_t=n_t, matching="optimal")
    back = cs.boundary_similarity(from_sets(ref[::-1]), from_sets(hyp[::-1]), n_t=n_t, matching="optimal")
    swapped = cs.boundary_similarity(from_sets(hyp), from_sets(ref), n_t=n_t, matching="optimal")
    assert there == pytest.approx(back, abs=1e-12)
    assert there == pytest.approx(swapped, abs=1e-12)
    published, best = (
        EditCounts(*metric("B", n_t=n_t, matching=rule).rows(batch(from_sets(ref), from_sets(hyp)))[0])
        for rule in ("published", "optimal")
    )
    assert best.cost <= published.cost + 1e-12


def batch(reference: Segmentation, hypothesis: Segmentation):
    from caesura.metrics import Batch

    return Batch.of_pair(reference, hypothesis)


def test_published_matching_is_not_always_cheapest() -> None:
    ref = Segmentation.from_positions([1, 4], length=8)
    hyp = Segmentation.from_positions([3, 6], length=8)
    greedy = [e.kind for e in cs.boundary_edits(ref, hyp, n_t=4)]
    assert sorted(greedy) == ["addition", "addition", "transposition"]
    best = [e.kind for e in cs.boundary_edits(ref, hyp, n_t=4, matching="optimal")]
    assert best == ["transposition", "transposition"]
    assert cs.boundary_similarity(ref, hyp, n_t=4, matching="optimal") == 0.5


def test_many_types_at_one_position_are_fast() -> None:
    ref = Segmentation.from_positions([(3, t) for t in range(0, 14, 2)], length=6)
    hyp = Segmentation.from_positions([(3, t) for t in range(1, 15, 2)], length=6)
    edits = cs.boundary_edits(ref, hyp)
    assert [(e.reference_type, e.hypothesis_type) for e in edits] == [(t, t + 1) for t in range(0, 14, 2)]
    assert cs.boundary_similarity(ref, hyp) == pytest.approx(1 - 1 / 14)


def test_edits_have_sides_types_and_weights() -> None:
    labels = ["scene", "act"]
    ref = Segmentation.from_positions([(2, "scene"), (5, "act"), (9, "act")], length=11, labels=labels)
    hyp = Segmentation.from_positions([(3, "scene"), (5, "scene"), (7, "act")], length=11, labels=labels)
    edits = cs.boundary_edits(ref, hyp)
    assert edits == [
        cs.Edit("transposition", 2, 3, "scene", "scene", 0.5),
        cs.Edit("substitution", 5, 5, "act", "scene", 0.5),
        cs.Edit("addition", None, 7, None, "act", 1.0),
        cs.Edit("addition", 9, None, "act", None, 1.0),
    ]
    assert [e.side for e in edits] == [None, None, "hypothesis", "reference"]
    assert [e.span for e in edits] == [1, 0, 0, 0]


def test_weights() -> None:
    near = ([2, 3, 6], [2, 2, 7])
    assert cs.boundary_similarity(*near, transposition="unit") == 0.5
    assert cs.boundary_similarity(*near, transposition="printed") == 0.5
    assert cs.boundary_similarity(*near, n_t=3, transposition="printed") == 0.75
    assert cs.boundary_similarity(*near, w_t=0.5) == 0.5
    assert cs.boundary_similarity(*near, transposition=lambda span, n_t: 0.2) == pytest.approx(0.9)
    reference = Segmentation.from_positions([(2, 1), (5, 4)], length=9)
    hypothesis = Segmentation.from_positions([(2, 2), (5, 4)], length=9)
    assert cs.boundary_similarity(reference, hypothesis) == pytest.approx(1 - (1 / 4) / 2)
    assert cs.boundary_similarity(reference, hypothesis, substitution="printed") == pytest.approx(1 - (1 / 3) / 2)
    assert cs.boundary_similarity(reference, hypothesis, substitution="unit") == 0.5
    assert cs.boundary_similarity(reference, hypothesis, w_s=0.25) == pytest.approx(0.75)
    asked = []
    cs.boundary_similarity(reference, hypothesis, substitution=lambda a, b: asked.append((a, b)) or 0.1)
    assert (1, 2) in asked
    assert cs.boundary_similarity(reference, hypothesis, substitution=lambda a, b: 0.1) == pytest.approx(0.95)
    assert not metric("B", substitution=lambda a, b: 0.1).symmetric


def test_s_counts_types_and_closing_boundaries() -> None:
    reference = Segmentation.from_positions([(2, "a"), (4, "b")], length=4)
    hypothesis = Segmentation.from_positions([(2, "a"), (4, "a")], length=4)
    assert metric("S")(reference, hypothesis) == pytest.approx(1 - 1 / (2 * 4))
    assert metric("S", weights="scaled")(reference, hypothesis) == pytest.approx(1 - 0.5 / 8)


def test_percentage_agreement() -> None:
    assert metric("PA")("0100100000", "0101000000") == pytest.approx(0.8)
    assert metric("PA")([1], [1]) == 1.0


@pytest.mark.parametrize("empty", [[11], "0" * 10, Segmentation.from_masses([11]), np.array([11])])
def test_empty_sides_agree_perfectly(empty) -> None:
    for n_t in (1, 2, 5):
        assert cs.boundary_similarity(empty, empty, n_t=n_t) == 1.0
        assert cs.segmentation_similarity(empty, empty, n_t=n_t) == 1.0
    assert cs.boundary_similarity(empty, [2, 9]) == 0.0
    assert cs.boundary_edits(empty, empty) == []


def test_all_input_types_give_same_score() -> None:
    forms = [[2, 3, 6], (2, 3, 6), np.array([2, 3, 6]), np.array([2, 3, 6], np.int8), "0100100000"]
    forms += [Segmentation.from_masses([2, 3, 6]), np.array([2.0, 3.0, 6.0])]
    assert {cs.boundary_similarity(form, [2, 2, 7]) for form in forms} == {0.75}
    assert {cs.segmentation_similarity([2, 2, 7], form) for form in forms} == {0.9}


def test_types_are_compared_by_value() -> None:
    names = ["".join(["sc", "ene"]), "scene"]
    reference, hypothesis = (Segmentation.from_positions([(2, name)], length=4) for name in names)
    assert cs.boundary_similarity(reference, hypothesis) == 1.0
    large = [Segmentation.from_positions([(2, int(str(70_000)))], length=4) for _ in range(2)]
    assert cs.boundary_similarity(*large) == 1.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: cs.boundary_similarity([2, 3], [2, 2]), "5 units, the hypothesis 4"),
        (lambda: cs.boundary_similarity("0100", "010"), "5 units, the hypothesis 4"),
        (lambda: cs.boundary_similarity([2, 0, 3], [5]), "segment 2 has mass 0"),
        (lambda: cs.boundary_similarity([2, -1, 4], [5]), "segment 2 has mass -1"),
        (lambda: cs.boundary_similarity([2.5, 2.5], [5]), "whole number"),
        (lambda: cs.boundary_similarity([[1], [2, 3]], [5]), "flat list"),
        (lambda: cs.boundary_similarity("01x", [4]), "other than 0 and 1"),
        (lambda: cs.boundary_similarity([5], [5], n_t=0), "n_t is 0"),
        (lambda: cs.boundary_similarity([5], [5], n_t=2.5), "n_t is 2.5"),
        (lambda: cs.boundary_similarity([5], [5], n_t=True), "n_t is True"),
        (lambda: cs.boundary_similarity([5], [5], matching="best"), "matching is 'best'"),
        (lambda: cs.boundary_similarity([5], [5], w_t=0.6), "would weigh 1.1"),
        (lambda: cs.boundary_similarity([5], [5], w_t=float("nan")), "w_t is nan"),
        (lambda: cs.boundary_similarity([5], [5], w_t="0.1"), "w_t is '0.1'"),
        (lambda: cs.boundary_similarity([5], [5], w_x=1), "B has no parameter 'w_x'"),
        (lambda: cs.segmentation_similarity([5], [5], w_x=1), "S has no parameter 'w_x'"),
        (lambda: cs.boundary_similarity([5], [5], n_t=10**12), "expected at most 1000000"),
        (lambda: cs.boundary_similarity(b"0100", b"0010"), "masses must be a list"),
        (lambda: cs.metric(None), "a metric is a name"),
        (lambda: cs.generalized_hamming([5], [5], "2"), "insert is '2'; expected a number, 0 or more"),
        (lambda: cs.boundary_similarity([5], [5], w_s=1.0), "w_s is 1"),
        (lambda: cs.boundary_similarity([5], [5], transposition="linear"), "transposition is 'linear'"),
        (lambda: cs.boundary_similarity([5], [5], transposition=lambda s, n: -1), "would weigh -1"),
        (lambda: cs.segmentation_similarity([5], [5], weights="none"), "weights is 'none'"),
        (lambda: cs.segmentation_similarity([5], [5], 3, weights="none"), "weights is 'none'"),
        (lambda: cs.boundary_similarity(Segmentation.from_times([0.5], length=1.0), [5]), "units"),
    ],
)
def test_wrong_input_raises_error(call, words) -> None:
    with pytest.raises(cs.CaesuraError, match=words):
        call()


def test_wrong_substitution_weights_raise_error() -> None:
    reference, hypothesis = (Segmentation.from_positions([(2, t)], length=4) for t in ("a", "b"))
    with pytest.raises(cs.CaesuraError, match="confusing 'a' with 'b' would weigh 3"):
        cs.boundary_similarity(reference, hypothesis, substitution=lambda a, b: 3.0)


def test_signature_contains_parameters() -> None:
    assert metric("B", n_t=3).signature.startswith("B|nt:3|match:published|wt:span|ws:ordinal|")


def test_time_depends_on_boundaries_not_length() -> None:
    ref = Segmentation.from_positions([5, 10**12], length=10**13)
    hyp = Segmentation.from_positions([6, 10**12], length=10**13)
    assert cs.boundary_similarity(ref, hyp) == 0.75
    assert cs.boundary_similarity(ref, hyp, n_t=1000) == pytest.approx(1 - Fraction(1, 2000))
    assert cs.window_diff(ref, hyp) < 1e-12
