"""Alignments read for people."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings

from caesura.metrics import metric
from caesura.metrics.aligned import align_segments
from caesura.model import Segmentation
from metrics.naive_alignment import directed_edges
from metrics.test_alignment import pairs, typed_marks

A = partial(metric, "A")


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
def test_readings(ref: list[int], hyp: list[int], sentences: list[str]) -> None:
    assert [group.sentence for group in align_segments(ref, hyp).groups] == sentences


def test_figure_6_a_fuzzy_merge_and_the_shift_it_causes() -> None:
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
def test_edges_are_those_of_the_definition(pair: tuple[list[int], list[int]]) -> None:
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


def test_segments_of_other_types_stay_alone() -> None:
    alignment = align_segments(
        typed_marks([(2, "a"), (5, "b"), (9, "c")], 9), typed_marks([(2, "a"), (5, "a"), (9, "c")], 9), typed=True
    )
    assert alignment.counts == {"matched": 2, "alone": 2}
    assert "hypothesis 2 has no counterpart" in str(alignment)
    assert alignment.score == pytest.approx(0.5)


def test_threshold_decides_what_is_hard_and_takes_weight_off() -> None:
    alignment = align_segments([5, 5], [6, 4], threshold=0.82)
    assert [g.reading for g in alignment.groups] == ["shifted softly", "shifted hard"]
    assert [e.weight for e in alignment.edges] == [pytest.approx(5 / 6), 0.0]


def test_recordings_that_differ_by_rounding_match() -> None:
    reference = Segmentation.from_times([0.1 + 0.2, 0.7], length=1.0)
    hypothesis = Segmentation.from_times([0.3, 0.7], length=1.0)
    assert align_segments(reference, hypothesis).counts == {"matched": 3}


def test_plain_data_counts_from_one() -> None:
    data = align_segments([3, 3], [6]).as_dict()
    assert data["edges"][1] == {
        "reference": 2, "hypothesis": 1, "weight": 0.5, "jaccard": 0.5, "chosen_by": "reference",
    }  # fmt: skip
    assert data["groups"][0]["reference"] == [1, 2]
    assert data["metric"].startswith("A|c:intersect|g:jaccard")


def test_empty_texts_have_nothing_to_align() -> None:
    alignment = align_segments([], [])
    assert alignment.edges == alignment.groups == ()
    assert alignment.score == 1.0
