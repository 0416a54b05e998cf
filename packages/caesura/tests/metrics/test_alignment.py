"""Alignment similarity A against the paper, the authors' program and a naive version; groups of aligned segments."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura as cs
from caesura.errors import CaesuraError, LengthMismatch
from caesura.metrics import Batch, metric
from caesura.metrics.alignment import Segment, align_segments, alignment_similarity
from caesura.model import Corpus, Segmentation
from cases import cases
from metrics.naive import covers, directed_edges, naive_a
from shared_data import oracle_json

A = partial(metric, "A")


def masses_of(length: int, cuts: list[bool]) -> list[int]:
    return Segmentation.from_string("".join("01"[c] for c in cuts[: length - 1])).masses


@st.composite
def pairs(draw: st.DrawFn, longest: int = 24) -> tuple[list[int], list[int]]:
    length = draw(st.integers(1, longest))
    flags = st.lists(st.booleans(), min_size=length - 1, max_size=length - 1)
    return masses_of(length, draw(flags)), masses_of(length, draw(flags))


def random_pairs(number: int, longest: int, seed: int) -> list[tuple[list[int], list[int]]]:
    random = np.random.default_rng(seed)
    pairs = []
    for _ in range(number):
        length = int(random.integers(1, longest + 1))
        pairs.append(tuple(masses_of(length, (random.random(length) < random.uniform()).tolist()) for _ in range(2)))
    return pairs


# ---------------------------------------------------------------------- the paper and the authors' program


def test_scores_equal_figures_of_paper() -> None:
    for case in oracle_json("alignment/figures.json"):
        score = alignment_similarity(case["ref"], case["hyp"])
        assert score == pytest.approx(case["A"], abs=1e-9), case["figure"]
        if case["printed"] is not None:
            assert round(score + 1e-12, 2) == case["printed"][0], case["figure"]


def test_scores_equal_authors_program() -> None:
    cases = oracle_json("boundary/random_single_type.json")["pairs"]
    measure = metric("A")
    batch = Batch.of_corpora(
        *(Corpus.from_dict({str(i): {"c": case[side]} for i, case in enumerate(cases)}) for side in ("ref", "hyp"))
    )
    np.testing.assert_allclose(measure.score(measure.rows(batch)), [case["A"] for case in cases], atol=1e-9)
    for case in cases:
        assert alignment_similarity(case["ref"], case["hyp"]) == pytest.approx(case["A"], abs=1e-9)


@pytest.mark.parametrize("masses", [[3] * 6, [1, 2, 3, 4, 5, 6], [9, 1, 1, 9, 2, 2]])
def test_score_of_pure_merge(masses: list[int]) -> None:
    """Which is why no masses of six segments against three give the 0.58 printed under figure 9."""
    topics = [sum(masses[i : i + 2]) for i in (0, 2, 4)]
    muddle = [masses[0], masses[1], sum(masses[2:])]
    for hyp in (topics, muddle):
        assert alignment_similarity(masses, hyp) == pytest.approx(3 / 6, abs=1e-12)


def test_scorers_distinguish_candidates_of_figure_9() -> None:
    ref, muddle, topics = [3] * 6, [3, 3, 12], [6, 6, 6]
    growing, heaviest = A(scorer="exponential"), A(scorer="best")
    assert growing(ref, topics) > growing(ref, muddle)
    assert heaviest(ref, muddle) > heaviest(ref, topics)
    assert growing(ref, topics) == pytest.approx(3 / (6 + 3))
    assert growing(ref, muddle) == pytest.approx(3 / (6 + 7))
    assert heaviest(ref, muddle) == pytest.approx((6 - 3 + 2 + 0.25) / 9)


# ---------------------------------------------------------------------- the definition


@pytest.mark.slow
def test_score_equals_naive_version() -> None:
    pairs = random_pairs(cases(2_500, 10_000), 60, seed=2022)
    measure = metric("A")
    batch = Batch.of_corpora(
        *(Corpus.from_dict({str(i): {"c": case[side]} for i, case in enumerate(pairs)}) for side in (0, 1))
    )
    scores = measure.score(measure.rows(batch))
    np.testing.assert_allclose(scores, [naive_a(ref, hyp) for ref, hyp in pairs], atol=1e-12)
    np.testing.assert_array_equal(scores, measure.score(measure.rows(batch.swap_sides())))
    same = Batch(batch.kind, batch.lengths, batch.reference, batch.reference)
    assert (measure.score(measure.rows(same)) == 1.0).all()


OPTIONS = [
    {"closeness": "jaccard"},
    {"closeness": "dice", "ties": "rightmost"},
    {"ties": "rightmost"},
    {"ties": "both"},
    {"weight": "dice"},
    {"weight": "overlap"},
    {"weight": "rand"},
    {"weight": "intersect"},
    {"weight": "intersect", "edges": "directed"},
    {"edges": "directed"},
    {"edges": "directed", "ties": "both", "scorer": "best"},
    {"threshold": 0.5},
    {"threshold": 0.5, "penalty": 0.3, "edges": "directed"},
    {"scorer": "exponential"},
    {"scorer": "exponential", "base": 3.0, "edges": "directed"},
    {"scorer": "best"},
    {"scorer": "best", "weight": "overlap", "threshold": 0.4, "penalty": 0.5},
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: ",".join(f"{k}={v}" for k, v in o.items()))
def test_options_equal_naive_version(options: dict) -> None:
    for ref, hyp in random_pairs(80, 22, seed=5):
        measure = A(**options)
        score = measure(ref, hyp)
        assert score == pytest.approx(naive_a(ref, hyp, **options), abs=1e-12), (ref, hyp)
        assert score == pytest.approx(measure(hyp, ref), abs=1e-12), (ref, hyp)
        assert measure(ref, ref) == 1.0


@given(pairs())
def test_long_texts_equal_short_ones(drawn) -> None:
    """Segments of a text of 2**15 units or more are compared in another way; finer units change no Jaccard index."""
    ref, hyp = drawn
    finer = 2**15 // sum(ref) + 1
    long = A().row([finer * mass for mass in ref], [finer * mass for mass in hyp])
    np.testing.assert_allclose(A().row(ref, hyp), long, rtol=1e-12)


@given(pairs(10))
@settings(max_examples=150, deadline=None)
def test_global_alignment_has_the_largest_mean_of_all_covers(pair: tuple[list[int], list[int]]) -> None:
    ref, hyp = pair
    score = A(alignment="global")(ref, hyp)
    assert score == pytest.approx(naive_a(ref, hyp, alignment="global"), abs=1e-12)
    assert score >= A()(ref, hyp) - 1e-12
    assert A(alignment="global", threshold=0.5)(ref, hyp) == pytest.approx(
        naive_a(ref, hyp, alignment="global", threshold=0.5), abs=1e-12
    )


def test_global_alignment_scores_shift_above_deletion() -> None:
    """Figure 16: as published, moving a boundary by two is worse than deleting it."""
    ref, deleted, shifted = [1, 8, 1], [9, 1], [3, 6, 1]
    assert A()(ref, shifted) < A()(ref, deleted)
    whole = A(alignment="global")
    assert whole(ref, shifted) > whole(ref, deleted)


@pytest.mark.parametrize("left", range(1, 9))
@pytest.mark.parametrize("right", range(1, 9))
def test_global_alignment_never_scores_small_shift_below_deletion(left: int, right: int) -> None:
    """Small: the two segments are, together, at least as like the old ones as two halves: l/(l+s) + (r-s)/r >= 1."""
    whole = A(alignment="global")
    for shift in range(1, right):
        if left / (left + shift) + (right - shift) / right >= 1:
            moved = whole([4, left, right, 2], [4, left + shift, right - shift, 2])
            assert moved >= whole([4, left, right, 2], [4, left + right, 2]) - 1e-12


def test_naive_version_lists_all_covers() -> None:
    assert len(list(covers([1, 8, 1], [3, 6, 1]))) == 2


@given(pairs())
@settings(max_examples=60, deadline=None)
def test_both_kernels_agree(pair: tuple[list[int], list[int]]) -> None:
    ref, hyp = pair
    assert A(threshold=1e-9)(ref, hyp) == pytest.approx(A()(ref, hyp), abs=1e-12)
    assert alignment_similarity(ref, hyp) == A()(ref, hyp)


def test_weights_can_be_functions() -> None:
    def share(p: Segment, q: Segment) -> float:
        return p.shared(q) / p.size

    def like(p: Segment, q: Segment) -> float:
        return p.shared(q) / (p.size + q.size - p.shared(q))

    for ref, hyp in random_pairs(60, 20, seed=9):
        assert A(closeness=share, weight=like)(ref, hyp) == pytest.approx(A()(ref, hyp), abs=1e-12)
        assert A(weight=share, edges="directed")(ref, hyp) == pytest.approx(
            A(weight="intersect", edges="directed")(ref, hyp), abs=1e-12
        )
    assert "c:share" in A(closeness=share).signature


# ---------------------------------------------------------------------- times and types


@given(pairs(), st.sampled_from([0.1, 0.01, 1 / 3, 7.0]))
@settings(max_examples=100, deadline=None)
def test_recordings_score_like_texts_of_the_same_shape(pair: tuple[list[int], list[int]], second: float) -> None:
    """Multiples of 0.1 are not exact: ties must survive that."""
    ref, hyp = pair
    timed = [Segmentation.from_times(np.cumsum(m)[:-1] * second, length=sum(m) * second) for m in pair]
    for options in ({}, {"ties": "both"}, {"closeness": "jaccard"}, {"scorer": "best"}, {"alignment": "global"}):
        assert A(**options)(*timed) == pytest.approx(A(**options)(ref, hyp), abs=1e-9)
    assert alignment_similarity(*timed) == pytest.approx(alignment_similarity(ref, hyp), abs=1e-9)


def test_marks_at_ends_and_repeated_marks_are_ignored() -> None:
    plain = Segmentation.from_times([1.0, 2.5], length=4.0)
    marked = Segmentation.from_times([0.0, 1.0, 1.0, 2.5, 4.0], length=4.0)
    assert alignment_similarity(plain, marked) == 1.0
    assert A(threshold=0.5)(marked, plain) == 1.0


def typed_marks(marks: list[tuple[int, str]], length: int) -> Segmentation:
    return Segmentation.from_positions(marks, length=length, labels=["a", "b", "c"])


def test_types_are_ignored_by_default() -> None:
    reference, hypothesis = (
        typed_marks([(2, "a"), (5, "b"), (9, "a")], 9),
        typed_marks([(2, "b"), (5, "b"), (5, "c")], 9),
    )
    assert alignment_similarity(reference, hypothesis) == 1.0


def test_only_equal_types_may_align() -> None:
    """[2 a][3 b][4 c] against [2 a][3 a][4 c]: the middle ones find no partner and count as two edges of 0."""
    reference, hypothesis = (
        typed_marks([(2, "a"), (5, "b"), (9, "c")], 9),
        typed_marks([(2, "a"), (5, "a"), (9, "c")], 9),
    )
    assert A(typed=True)(reference, hypothesis) == pytest.approx(2 / 4)
    assert A(typed=True)(reference, reference) == 1.0
    assert A(typed=True, alignment="global")(reference, hypothesis) == pytest.approx(2 / 4)
    assert A(typed=True, scorer="best")(reference, hypothesis) == pytest.approx(4 / 6)


def test_last_segment_has_type_of_closing_boundary() -> None:
    closed, other, open_ = (
        typed_marks([(3, "a"), (6, "b")], 6),
        typed_marks([(3, "a"), (6, "c")], 6),
        typed_marks([(3, "a")], 6),
    )
    assert A(typed=True)(closed, other) == pytest.approx(1 / 3)
    assert A(typed=True)(closed, open_) == pytest.approx(1 / 3)
    assert A(typed=True)(open_, open_) == 1.0


def test_closest_segment_has_equal_type() -> None:
    reference, hypothesis = typed_marks([(4, "a"), (8, "b")], 8), typed_marks([(3, "b"), (4, "a"), (8, "b")], 8)
    # a: 4 against 1 of type a; b: 4 against 4; the first segment of the hypothesis is of type b, over a: alone
    assert A(typed=True)(reference, hypothesis) == pytest.approx((1 / 4 + 1 + 0) / 3)


# ---------------------------------------------------------------------- odd cases


@pytest.mark.parametrize(("ref", "hyp"), [([], []), ([1], [1]), ([7], [7])])
def test_empty_sides_agree_perfectly(ref: list[int], hyp: list[int]) -> None:
    assert alignment_similarity(ref, hyp) == 1.0
    for options in OPTIONS:
        assert A(**options)(ref, hyp) == 1.0


def test_one_segment_against_many() -> None:
    assert alignment_similarity([10_000], [1] * 10_000) == pytest.approx(1 / 10_000, rel=1e-9)
    assert 0 <= A(scorer="exponential")([10_000], [1] * 10_000) < 1e-100


def test_all_input_types_are_accepted() -> None:
    expected = alignment_similarity([2, 3, 6], [2, 2, 7])
    assert cs.alignment_similarity("0100100000", "0101000000") == expected
    assert cs.alignment_similarity(np.array([2, 3, 6]), [2, 2, 7]) == expected
    assert cs.alignment_similarity([2, 3, 6], [2, 2, 7], weight="dice") > expected


def test_pooled_score_is_mean_over_all_edges() -> None:
    ref = Corpus.from_dict({"i": {"c": [5, 5, 1, 3]}, "j": {"c": [2, 2, 5, 5]}})
    hyp = Corpus.from_dict({"i": {"c": [7, 3, 1, 3]}, "j": {"c": [3, 1, 5, 5]}})
    rows = A().rows(Batch.of_corpora(ref, hyp))
    assert rows.tolist() == [[pytest.approx(5 / 7 + 3 / 5 + 2), 4.0], [pytest.approx(2 / 3 + 1 / 2 + 2), 4.0]]
    assert A().score(rows.sum(axis=0)) == pytest.approx((5 / 7 + 3 / 5 + 2 / 3 + 1 / 2 + 4) / 8)


@pytest.mark.slow
def test_score_does_not_depend_on_hash_seed() -> None:
    program = "from caesura import alignment_similarity as a; print(repr(a([2, 1, 2, 4, 1], [3, 3, 4])))"
    answers = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("0", "1", "77")
    }  # fmt: skip
    assert len(answers) == 1


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"weight": "cosine"}, "weight is 'cosine'; expected 'intersect', 'jaccard'"),
        ({"closeness": 3}, "or a function of two segments"),
        ({"ties": "middle"}, "ties is 'middle'"),
        ({"scorer": "sum"}, "scorer is 'sum'"),
        ({"edges": "curved"}, "edges is 'curved'"),
        ({"alignment": "local"}, "alignment is 'local'; expected 'mla' or 'global'"),
        ({"threshold": 1.5}, "threshold is 1.5; expected a number from 0 to 1"),
        ({"threshold": float("nan")}, "threshold is nan"),
        ({"penalty": -0.1}, "penalty is -0.1"),
        ({"base": 0.5}, "base is 0.5; expected a number, 1 or more"),
        ({"base": "two"}, "base is 'two'"),
        ({"alignment": "global", "edges": "directed"}, "no directed edges"),
        ({"colour": "red"}, "A has no parameter 'colour'"),
    ],
)
def test_wrong_options_raise_error(options: dict, words: str) -> None:
    with pytest.raises(CaesuraError, match=words):
        alignment_similarity([2, 2], [3, 1], **options)


def test_different_lengths_raise_error() -> None:
    with pytest.raises(LengthMismatch, match="4 units, the hypothesis 5"):
        alignment_similarity([2, 2], [3, 2])
    with pytest.raises(LengthMismatch, match="4 units, the hypothesis 5"):
        alignment_similarity([2, 2], [3, 2], weight="dice")


def test_typed_alignment_needs_one_type_per_position() -> None:
    with pytest.raises(CaesuraError, match="one side has no types"):
        A(typed=True)([2, 2], [3, 1])
    with pytest.raises(CaesuraError, match="position 2 carries two types"):
        A(typed=True)(typed_marks([(2, "a"), (2, "b")], 4), typed_marks([(2, "a")], 4))


def test_function_without_finite_result_raises_error() -> None:
    with pytest.raises(CaesuraError, match="not a finite number"):
        A(weight=lambda p, q: float("nan"))([2, 2], [3, 1])


def test_evaluation_accepts_several_variants() -> None:
    ref, hyp = (Corpus.from_dict({"i": {"c": m}}) for m in ([1, 8, 1], [3, 6, 1]))
    evaluation = cs.evaluate(ref, hyp, ["A", "A:alignment=global", A(threshold=0.5, penalty=0.25)])
    assert {name: round(m.micro, 4) for name, m in evaluation.measured.items()} == {
        "A": 0.5764,
        "A:alignment=global": 0.6944,
        "A:threshold=0.5,penalty=0.25": round((0.75 / 3 + 0.75 * 2 / 9 + 0.75 + 1) / 4, 4),
    }


@pytest.mark.parametrize(
    ("ref", "hyp", "sentences"),
    [
        ([3, 4], [3, 4], ["reference 1 = hypothesis 1: matched", "reference 2 = hypothesis 2: matched"]),
        (
            [5, 5],
            [6, 4],
            [
                "reference 1 ~ hypothesis 1: shifted softly (0.833), ends 1 later",
                "reference 2 ~ hypothesis 2: shifted softly (0.800), begins 1 later",
            ],
        ),
        (
            [2, 4, 2],
            [1, 4, 3],
            [
                "reference 1 ~ hypothesis 1: shifted hard (0.500), ends 1 earlier",
                "reference 2 ~ hypothesis 2: shifted softly (0.600), begins 1 earlier, ends 1 earlier",
                "reference 3 ~ hypothesis 3: shifted softly (0.667), begins 1 earlier",
            ],
        ),
        ([3, 3, 4], [6, 4], ["reference 1–2 > hypothesis 1: merged", "reference 3 = hypothesis 2: matched"]),
        ([6, 4], [3, 3, 4], ["reference 1 < hypothesis 1–2: split", "reference 2 = hypothesis 3: matched"]),
        ([1, 8, 1], [3, 6, 1], ["reference 1–2 × hypothesis 1–2: regrouped", "reference 3 = hypothesis 3: matched"]),
    ],
)
def test_groups_are_described(ref: list[int], hyp: list[int], sentences: list[str]) -> None:
    assert [group.sentence for group in align_segments(ref, hyp).groups] == sentences


def test_figure_6_merge_and_shift() -> None:
    alignment = align_segments([3, 3, 5, 4], [7, 4, 4])
    assert [g.reading for g in alignment.groups] == ["merged", "shifted softly", "matched"]
    assert alignment.groups[0].sentence == "reference 1–2 > hypothesis 1: roughly merged"


def test_figure_8_split_merge_and_match() -> None:
    """The first segment of h3 is aligned to two of h4, the third of h4 to two of h3, the last ones to each other."""
    alignment = align_segments([6, 3, 3, 4], [3, 3, 6, 4])
    assert [g.reading for g in alignment.groups] == ["split", "merged", "matched"]
    assert alignment.counts == {"split": 1, "merged": 1, "matched": 1}


@given(pairs(16))
@settings(max_examples=80, deadline=None)
def test_edges_equal_naive_version(pair: tuple[list[int], list[int]]) -> None:
    ref, hyp = pair
    alignment, expected = align_segments(ref, hyp), directed_edges(ref, hyp)
    who: dict[tuple[int, int], set[str]] = {}
    for side, i, j in expected:
        who.setdefault((i, j), set()).add({"ref": "reference", "hyp": "hypothesis"}[side])
    named = {pair: "both" if len(sides) == 2 else next(iter(sides)) for pair, sides in who.items()}
    assert {(e.reference, e.hypothesis): e.chosen_by for e in alignment.edges} == named
    assert alignment.score == pytest.approx(A()(ref, hyp), abs=1e-12)
    assert sum(e.weight for e in alignment.edges) / len(alignment.edges) == pytest.approx(alignment.score, abs=1e-12)
    assert sorted(i for g in alignment.groups for i in g.reference) == list(range(len(ref)))
    assert sorted(j for g in alignment.groups for j in g.hypothesis) == list(range(len(hyp)))


def test_segments_of_other_types_have_no_counterpart() -> None:
    alignment = align_segments(
        typed_marks([(2, "a"), (5, "b"), (9, "c")], 9), typed_marks([(2, "a"), (5, "a"), (9, "c")], 9), typed=True
    )
    assert alignment.counts == {"matched": 2, "alone": 2}
    assert "hypothesis 2 has no counterpart" in str(alignment)
    assert alignment.score == pytest.approx(0.5)


def test_threshold_reduces_weights() -> None:
    alignment = align_segments([5, 5], [6, 4], threshold=0.82)
    assert [g.reading for g in alignment.groups] == ["shifted softly", "shifted hard"]
    assert [e.weight for e in alignment.edges] == [pytest.approx(5 / 6), 0.0]


def test_recordings_that_differ_by_rounding_match() -> None:
    reference = Segmentation.from_times([0.1 + 0.2, 0.7], length=1.0)
    hypothesis = Segmentation.from_times([0.3, 0.7], length=1.0)
    assert align_segments(reference, hypothesis).counts == {"matched": 3}


def test_as_dict_counts_segments_from_one() -> None:
    data = align_segments([3, 3], [6]).as_dict()
    assert data["edges"][1] == {
        "reference": 2, "hypothesis": 1, "weight": 0.5, "jaccard": 0.5, "chosen_by": "reference",
    }  # fmt: skip
    assert data["groups"][0]["reference"] == [1, 2]
    assert data["metric"].startswith("A|c:intersect|g:jaccard")


def test_empty_text_has_no_groups() -> None:
    alignment = align_segments([], [])
    assert alignment.edges == alignment.groups == ()
    assert alignment.score == 1.0
