"""Flexible similarity: the paper's example, the authors' program, every alignment of small texts, and bad input."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura as cs
from caesura.errors import CaesuraError, LengthMismatch
from caesura.metrics import Batch, metric
from caesura.metrics.flexible import flexible_similarity, track_row
from caesura.model import Corpus, Segmentation
from cases import cases
from metrics.naive import least
from shared_data import oracle_json

TYPES = ["p", "q", "r"]


def Sf(similarity=None, transposition=None, **options):
    return metric("Sf", similarity=similarity, transposition=transposition, **options)


def SfB(similarity=None, transposition=None, **options):
    return metric("SfB", similarity=similarity, transposition=transposition, **options)


def from_letters(text, labels=TYPES) -> Segmentation:
    return Segmentation.from_labels_at(["" if c == " " else c for c in text], labels=labels)


def row(measure, first, second) -> np.ndarray:
    return measure.rows(Batch.of_pair(first, second))[0]


def random_case(random, types: int = 3, longest: int = 8, symmetric: bool = True):
    size = int(random.integers(1, longest + 1))
    sides = [random.choice(types + 1, p=[0.25] * types + [1 - 0.25 * types], size=size) for _ in range(2)]
    grid = random.choice([0.0, 0.25, 0.5, 0.75, 1.0], size=(types + 1, types + 1))
    matrix = grid if random.random() < 0.5 else random.random((types + 1, types + 1)).round(3)
    if symmetric:
        matrix = np.maximum(matrix, matrix.T)
    np.fill_diagonal(matrix, 1.0)
    half = (1 - matrix[:types, types]) / 2
    moves = half if random.random() < 0.5 else random.choice([0.0, 0.1, 0.25, 0.5, 0.7], size=types)
    return size, sides, matrix, moves


def segmentation(codes: np.ndarray, types: int = 3) -> Segmentation:
    where = np.flatnonzero(codes < types)
    return Segmentation(len(codes), where + 1, codes[where], TYPES[:types])


def marks_of(codes: np.ndarray, types: int = 3) -> list[tuple[int, int]]:
    return [(i + 1, int(c)) for i, c in enumerate(codes) if c < types]


# ---------------------------------------------------------------------- the paper and the authors' program


def test_score_equals_figure_2() -> None:
    first, second = from_letters("p r q"), from_letters("qr pr")
    assert row(Sf(), first, second).tolist() == [3.5, 4.0, 5.0]
    assert flexible_similarity(first, second) == pytest.approx(1 - 3.5 / 5)


def test_move_by_two_that_published_recursion_misses() -> None:
    assert row(Sf(), from_letters("  pp"), from_letters("pp  "))[0] == 2.0


@pytest.mark.parametrize("tie", ["most", "fewest"])
def test_scores_equal_oracle(tie: str) -> None:
    for case in oracle_json("flexible/random.json")["cases"]:
        given = {"labels": case["types"], "matrix": case["similarity"]}
        measure = SfB(given, case["transposition"], ties=tie)
        first, second = from_letters(case["first"], case["types"]), from_letters(case["second"], case["types"])
        cost, units, n = row(measure, first, second)
        exact = case["exact"]
        assert cost == pytest.approx(exact["C_total"], abs=1e-9)
        assert units == exact[f"pairs_{tie}"]
        assert n == len(case["first"])
        if tie == "most":
            for how, name in (("potential", "S_f"), ("boundaries", "S_f_B")):
                score = flexible_similarity(first, second, given, case["transposition"], how)
                assert score == pytest.approx(exact[name], abs=1e-9)


def test_cost_is_never_above_r_package() -> None:
    same = 0
    cases = oracle_json("flexible/random.json")["cases"]
    for case in cases:
        measure = Sf({"labels": case["types"], "matrix": case["similarity"]}, case["transposition"], moved="later")
        cost = row(measure, from_letters(case["first"], case["types"]), from_letters(case["second"], case["types"]))[0]
        assert cost <= case["segsimflex"]["C_total"] + 1e-9
        same += abs(cost - case["segsimflex"]["C_total"]) < 1e-9
    assert same == 115  # the other five are the recursion's own misses


def nccu(text, data, name: str) -> tuple[dict, dict, dict]:
    tracks = [
        {t["speaker"]: Segmentation.from_labels_at(t[side], labels=data["order"]) for t in text["tracks"]}
        for side in ("first", "second")
    ]
    return *tracks, {"labels": data["order"], "matrix": data["matrices"][name]["similarity"]}


@pytest.mark.parametrize("name", ["identity", "paper_custom", "vignette_misordered"])
def test_scores_of_nccu_texts(name: str) -> None:
    data = oracle_json("flexible/nccu.json")
    for text in data["texts"]:
        first, second, matrix = nccu(text, data, name)
        moves = data["matrices"][name]["transposition"]
        exact, theirs = text["exact"][name], text["segsimflex"][name]
        measure = SfB(matrix, moves)
        rows = np.sum([row(measure, first[s], second[s]) for s in first], axis=0)
        assert rows.tolist() == pytest.approx([exact["C_total"], exact["pairs_most"], exact["N"]], abs=1e-9)
        assert flexible_similarity(first, second, matrix, moves) == pytest.approx(exact["S_f"], abs=1e-9)
        assert flexible_similarity(first, second, matrix, moves, "boundaries") == pytest.approx(
            exact["S_f_B"], abs=1e-9
        )
        fewest = np.sum([row(SfB(matrix, moves, ties="fewest"), first[s], second[s]) for s in first], axis=0)
        assert fewest[1] == exact["pairs_fewest"]
        later = np.sum([row(SfB(matrix, moves, moved="later"), first[s], second[s]) for s in first], axis=0)
        assert later[0] <= theirs["C_total"] + 1e-9


# ---------------------------------------------------------------------- against the definition


@pytest.mark.slow
def test_cost_is_least_of_all_alignments() -> None:
    random = np.random.default_rng(4)
    for trial in range(cases(2_400, 10_000)):  # 60 combinations of options
        _, (reference, hypothesis), matrix, moves = random_case(random, longest=6 + trial % 2, symmetric=trial % 4 < 2)
        options = {
            "moved": ("cheaper", "second", "later")[trial % 3],
            "ties": ("most", "fewest")[trial // 3 % 2],
            "forced": trial % 5 > 0,
        }
        measure = SfB({"labels": TYPES, "matrix": matrix}, moves.tolist(), **options)
        cost, units, _ = row_of(measure, reference, hypothesis)
        expected = least(marks_of(reference), marks_of(hypothesis), 1 - matrix, moves, **options)
        assert (pytest.approx(cost, abs=1e-9), units) == expected, (reference, hypothesis, matrix, moves, options)


def row_of(measure, reference, hypothesis):
    return track_row(measure, segmentation(reference), segmentation(hypothesis))


@given(st.integers(0, 2**32))
@settings(max_examples=300, deadline=None)
def test_swapping_sides_or_reversing_text_changes_nothing(seed: int) -> None:
    size, (reference, hypothesis), matrix, moves = random_case(np.random.default_rng(seed), longest=60)
    measure = SfB({"labels": TYPES, "matrix": matrix}, moves.tolist())
    there = row_of(measure, reference, hypothesis)
    assert measure.symmetric
    assert row_of(measure, hypothesis, reference) == pytest.approx(there, abs=1e-9)
    assert row_of(measure, reference[::-1], hypothesis[::-1]) == pytest.approx(there, abs=1e-9)
    assert there[2] == size


@given(st.integers(0, 2**32))
@settings(max_examples=200, deadline=None)
def test_cost_is_at_most_that_without_moves(seed: int) -> None:
    _, (reference, hypothesis), matrix, moves = random_case(np.random.default_rng(seed), longest=60, symmetric=False)
    cost, units, _ = row_of(Sf({"labels": TYPES, "matrix": matrix}, moves.tolist()), reference, hypothesis)
    assert -1e-9 <= cost <= (1 - matrix[reference, hypothesis]).sum() + 1e-9
    assert max((reference < 3).sum(), (hypothesis < 3).sum()) <= units <= (reference < 3).sum() + (hypothesis < 3).sum()
    free = row_of(Sf({"labels": TYPES, "matrix": matrix}, moves.tolist(), forced=False), reference, hypothesis)
    assert free[0] <= cost + 1e-9


def test_asymmetric_matrix_makes_score_asymmetric() -> None:
    matrix = [[1, 0.2, 0], [0.8, 1, 0], [0, 0, 1]]
    measure = Sf({"labels": ["p", "q"], "matrix": matrix})
    assert not measure.symmetric
    assert measure(from_letters("p"), from_letters("q")) == pytest.approx(0.2)
    assert measure(from_letters("q"), from_letters("p")) == pytest.approx(0.8)


def test_score_over_boundaries_can_be_negative() -> None:
    assert flexible_similarity(from_letters("p   "), from_letters("   p"), normalise="boundaries") == -0.5
    assert flexible_similarity(from_letters("p   "), from_letters("   p")) == 1 - 1.5 / 4


@pytest.mark.parametrize("forced", [True, False])
def test_forced_pairs(forced: bool) -> None:
    # "qp" / "pr": forced pairs q–p and p–r cost 1 each … free ones move p by one and drop q and r
    cost = row(Sf(None, 0.1, forced=forced), from_letters("qp"), from_letters("pr"))[0]
    assert cost == pytest.approx(2.0)
    cost = row(Sf(None, 0.1, forced=forced), from_letters("qpr"), from_letters("pr "))[0]
    assert cost == pytest.approx(3.0 if forced else 1.2)


# ---------------------------------------------------------------------- odd texts


def test_empty_sides_agree_perfectly() -> None:
    for reference, hypothesis in ((from_letters(""), from_letters("")), (from_letters("   "), from_letters("   "))):
        for how in ("potential", "boundaries"):
            assert flexible_similarity(reference, hypothesis, normalise=how) == 1.0
    assert flexible_similarity([], []) == 1.0
    assert flexible_similarity({}, {}) == 1.0


def test_one_empty_side_is_defined() -> None:
    assert flexible_similarity(from_letters("   "), from_letters("p q")) == pytest.approx(1 / 3)
    assert flexible_similarity(from_letters("   "), from_letters("p q"), normalise="boundaries") == 0.0


def test_empty_track_adds_nothing() -> None:
    first, second = {"A": from_letters("p "), "B": from_letters("")}, {"A": from_letters(" p"), "B": from_letters("")}
    assert flexible_similarity(first, second) == flexible_similarity(first["A"], second["A"]) == 0.75


def test_costs_of_tracks_are_added() -> None:
    first, second = [from_letters("p  "), from_letters("qq")], [from_letters(" p "), from_letters("q ")]
    assert flexible_similarity(first, second) == pytest.approx(1 - 1.5 / 5)
    corpora = [Corpus.from_annotations([("t", "c", s, str(i)) for i, s in enumerate(side)]) for side in (first, second)]
    assert cs.evaluate(*corpora, ["Sf"])["Sf"].micro == pytest.approx(1 - 1.5 / 5)


def test_untyped_boundaries_have_no_closing_one() -> None:
    assert flexible_similarity([2, 3, 6], [2, 2, 7]) == pytest.approx(1 - 0.5 / 10)
    assert flexible_similarity([2, 3, 6], [2, 2, 7], closing=True) == pytest.approx(1 - 0.5 / 11)


def test_integer_types() -> None:
    reference = Segmentation.from_positions([(2, 10), (5, -3)], length=6)
    hypothesis = Segmentation.from_positions([(2, 10), (5, 7)], length=6)
    assert flexible_similarity(reference, hypothesis) == pytest.approx(1 - 1 / 6)
    matrix = {"labels": ["-3", "7", "10"], "matrix": [[1, 0.5, 0, 0], [0.5, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]}
    assert flexible_similarity(reference, hypothesis, matrix) == pytest.approx(1 - 0.5 / 6)


def test_order_of_labels_does_not_matter() -> None:
    reference = Segmentation.from_labels_at(["p", "", "q"], labels=["q", "p"])
    hypothesis = Segmentation.from_labels_at(["q", "", "q"], labels=["p", "q", "r"])
    matrix = {"labels": ["r", "q", "p"], "matrix": np.eye(4).tolist()}
    matrix["matrix"][1][2] = matrix["matrix"][2][1] = 0.5
    assert flexible_similarity(reference, hypothesis, matrix) == pytest.approx(1 - 0.5 / 3)
    assert flexible_similarity(reference, hypothesis) == pytest.approx(1 - 1 / 3)


def test_free_moves_have_unlimited_reach() -> None:
    assert row(Sf(None, 0.0), from_letters("p" + " " * 500), from_letters(" " * 500 + "p"))[0] == 0.0


# ---------------------------------------------------------------------- long texts


@pytest.mark.slow
def test_long_texts_take_linear_time() -> None:
    random = np.random.default_rng(1)
    seconds = []
    for size in (100_000, 1_000_000):
        reference = random.choice(4, p=[0.1, 0.1, 0.1, 0.7], size=size)
        hypothesis = np.where(random.random(size) < 0.25, random.permutation(reference), reference)
        sides = segmentation(reference), segmentation(hypothesis)
        flexible_similarity(*sides)
        started = time.perf_counter()
        flexible_similarity(*sides)
        seconds.append(time.perf_counter() - started)
    assert seconds[1] < 40 * seconds[0] + 0.2
    assert seconds[1] < 2


def test_dense_boundaries_with_wide_reach() -> None:
    where = np.arange(1, 100_001)
    reference = Segmentation(100_000, where[::2], np.zeros(50_000, int), ["p"])
    hypothesis = Segmentation(100_000, where[1::2], np.zeros(50_000, int), ["p"])
    measure = Sf(None, 0.04)
    assert measure.family.rule(measure.family.similarity_for(("p",))).reach == 50
    started = time.perf_counter()
    cost, units, _ = row(measure, reference, hypothesis)
    assert cost == pytest.approx(50_000 * 0.04)
    assert units == 50_000
    assert time.perf_counter() - started < 10


# ---------------------------------------------------------------------- errors


def overlapping() -> Segmentation:
    return Segmentation.from_positions([(2, "p"), (2, "q")], length=4, labels=TYPES)


WRONG = [
    (lambda: flexible_similarity(overlapping(), from_letters("p   ")), "position 2 carries two types, 'p' and 'q'"),
    (lambda: Sf()(overlapping(), from_letters("p   ")), "position 2 carries two types, 'p' and 'q'"),
    (lambda: flexible_similarity(from_letters("p "), from_letters("p  ")), "covers 2 units, the second 3"),
    (
        lambda: flexible_similarity({"A": from_letters("p")}, {"B": from_letters("p")}),
        "participant 'A' is in the first",
    ),
    (
        lambda: flexible_similarity(
            from_letters("r "), from_letters("p "), {"labels": ["p", "q"], "matrix": np.eye(3).tolist()}
        ),
        "the type 'r' at position 1 is not in the similarity matrix, which has 'p', 'q'",
    ),
    (lambda: flexible_similarity([2, 2], from_letters("p   ")), "types on one side and none on the other"),
    (lambda: flexible_similarity([2, 2], [1, 3], np.eye(3), labels=["p", "q"]), "the boundaries have no types"),
    (
        lambda: flexible_similarity(from_letters("p"), from_letters("p"), transposition=-1),
        "expected a number from 0 up",
    ),
    (lambda: flexible_similarity(from_letters("p"), from_letters("p"), transposition=[0.1]), "need labels="),
    (lambda: Sf(moved="first"), "moved is 'first'; expected "),
    (lambda: Sf(ties="some"), "ties is 'some'; expected "),
    (lambda: flexible_similarity([2, 3], [3, 2], transposition={}), r"transposition is \{\}; expected a cost"),
    (lambda: flexible_similarity([2, 3], [3, 2], labels={}), r"labels is \{\}; expected a list"),
    (lambda: flexible_similarity([2, 3], [3, 2], labels=[]), "labels is empty"),
    (lambda: flexible_similarity([2, 3], [3, 2], {"∅": {"∅": 1}}), "the similarity matrix has 0"),
    (lambda: flexible_similarity([2, 3], [3, 2], forced="no"), "forced is 'no'; expected true or false"),
    (lambda: flexible_similarity([2, 3], [3, 2], closing="no"), "closing is 'no'; expected true or false"),
    (lambda: flexible_similarity(from_letters("p"), from_letters("p"), normalise="n"), "normalise is 'n'"),
    (
        lambda: flexible_similarity(
            Segmentation.from_times([0.5], length=1.0), Segmentation.from_times([], length=1.0)
        ),
        "for recordings use",
    ),
    (
        lambda: flexible_similarity(
            Segmentation.from_labels_at(["", "p"], units=["so", "twice"]),
            Segmentation.from_labels_at(["", "p"], units=["so", "thrice"]),
        ),
        "token 2 is 'twice' in the first and 'thrice' in the second",
    ),
]


@pytest.mark.parametrize(("call", "sentence"), WRONG, ids=[s for _, s in WRONG])
def test_wrong_arguments_raise_error(call, sentence: str) -> None:
    with pytest.raises(CaesuraError, match=sentence) as caught:
        call()
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


def test_different_texts_raise_length_mismatch() -> None:
    with pytest.raises(LengthMismatch):
        flexible_similarity(from_letters("p "), from_letters("p  "))


def test_signatures() -> None:
    measure = metric("Sf", similarity={"labels": ["p"], "matrix": [[1, 0.5], [0.5, 1]]}, ties="fewest")
    assert measure.signature.startswith("Sf|sim:1types#")
    assert "ties:fewest" in measure.signature
    assert metric("Sf").signature.startswith("Sf|sim:auto|c:auto|mv:cheaper|ties:most|forced:True")
    assert hash(measure) == hash(metric("Sf", similarity=measure.family.similarity, ties="fewest"))


def test_iterator_of_masses_is_read_once() -> None:
    assert flexible_similarity(iter([2, 3, 6]), iter([2, 2, 7])) == flexible_similarity([2, 3, 6], [2, 2, 7])
