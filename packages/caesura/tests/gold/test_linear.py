"""Votes on boundaries of recordings: marks that mean one place, who is counted, and what the gold standard is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cs
from caesura.gold import unify, unify_corpus
from caesura.gold.linear import boundary_votes, group_marks, name_segments
from caesura.metrics import metric
from caesura.model import Segmentation

CODED = {
    "ann": Segmentation.from_times([1.000, 2.000, 3.000], length=5.0),
    "ben": Segmentation.from_times([1.015, 2.005, 4.000], length=5.0),
    "eve": Segmentation.from_times([1.019, 2.100, 4.030], length=5.0),
}


def test_majority_consensus_and_union_within_a_tolerance() -> None:
    assert unify(CODED, "consensus").positions.tolist() == [1.015], "the mark in the middle"
    assert unify(CODED, "majority").positions.tolist() == [1.015, 2.0]
    assert unify(CODED, "majority", tolerance="40ms").positions.tolist() == [1.015, 2.0, 4.0]
    assert unify(CODED, "consensus", tolerance=0.1).positions.tolist() == [1.015, 2.005]
    assert unify(CODED, "union").positions.tolist() == [1.015, 2.0, 2.1, 3.0, 4.0, 4.03]
    assert unify(CODED, "union", tolerance=0).positions.tolist() == sorted(
        position for marks in CODED.values() for position in marks.positions.tolist()
    )
    assert unify(CODED, "majority", threshold="1/3") == unify(CODED, "union")
    assert unify(CODED, "consensus").length == 5.0


def test_provenance_lists_voters() -> None:
    gold = unify(CODED, "majority")
    assert {vote.position: vote.voters for vote in gold.provenance.accepted} == {
        1.015: ("ann", "ben", "eve"),
        2.0: ("ann", "ben"),
    }
    assert [str(vote) for vote in gold.provenance.rejected] == ["at 2.1 s", "at 3 s", "at 4 s", "at 4.03 s"]
    assert gold.provenance.rule == "more than 1/2 of the coders: 2 of 3, within 0.02 s"


def test_coder_has_one_vote_per_place() -> None:
    twice = Segmentation.from_times([1.0, 1.01], length=2.0)
    other = Segmentation.from_times([1.5], length=2.0)
    assert unify({"ann": twice, "ben": other}, "consensus").positions.tolist() == []
    assert unify({"ann": twice, "ben": other}, "union").positions.tolist() == [1.0, 1.5]


def test_types_count_unless_flat() -> None:
    def typed_marks(*marks):
        return Segmentation.from_times(
            [t for t, _ in marks], length=5.0, types=[k for _, k in marks], labels=["c", "s"]
        )

    typed = [typed_marks((1.0, "c"), (3.0, "s")), typed_marks((1.01, "c"), (3.01, "c"))]
    full = unify(typed, "consensus")
    assert full.marks == [(1.0, "c"), (3.0, "c")], (
        "coders agree on the position; the type is open, and the first of the scale is used"
    )
    assert [str(place) for place in full.provenance.open] == ["at 3 s (c or s)"]
    flat = unify(typed, "consensus", "flat")
    assert not flat.typed
    assert flat.positions.tolist() == [1.0, 3.0]
    assert unify(typed, "union").marks == [(1.0, "c"), (3.0, "s"), (3.01, "c")]


def test_place_marked_by_all_is_kept_whatever_its_types() -> None:
    """The sample's two coders both mark ANNA after units 13, 14, 21 and 22, with different types."""
    gold = unify_corpus(cs.samples.load("dialogue"))["keys", "ANNA"]
    assert {13, 14, 21, 22} <= set(gold.positions.tolist())
    assert [str(place) for place in gold.provenance.open] == [
        "after unit 13 (, or --)",
        "after unit 14 (. or ,)",
        "after unit 21 (? or .)",
        "after unit 22 (, or --)",
    ]
    flat = unify_corpus(cs.samples.load("dialogue"), embeddedness="flat")["keys", "ANNA"]
    assert set(flat.positions.tolist()) <= set(gold.positions.tolist())
    assert any("after unit 13 (, or --)" in note for note in gold.provenance.notes)
    data = gold.as_dict()["provenance"]["open"]
    assert data[0] == {
        "position": 13,
        "types": [{"type": ",", "voters": ["second"]}, {"type": "--", "voters": ["first"]}],
    }
    kept = {row[0]: row[2] for row in gold.tables()[0].rows}
    assert kept["after unit 13 (,)"] == kept["after unit 13 (--)"] == "type open"
    assert kept["after unit 5 (?)"] is True


def test_type_with_most_votes_wins_with_a_note() -> None:
    def typed_marks(kind):
        return Segmentation.from_positions([(2, kind)], length=5, labels=["a", "b", "c", "d"])

    gold = unify([typed_marks(kind) for kind in "bbacd"], "majority")
    assert gold.marks == [(2, "b")]
    assert gold.provenance.open == ()
    assert gold.provenance.notes == ("no type has enough votes; the one with most is used: after unit 2 (b).",)
    assert [vote.type for vote in gold.provenance.rejected] == ["a", "c", "d"]


@given(
    st.lists(
        st.lists(st.tuples(st.integers(1, 9), st.sampled_from("abc")), max_size=6, unique=True), min_size=2, max_size=5
    )
)
def test_typed_gold_has_all_places_of_the_flat_gold(coded) -> None:
    typed = [Segmentation.from_positions(sorted(marks), length=10, labels="abc") for marks in coded]
    for method in ("majority", "consensus", "union"):
        full, flat = unify(typed, method), unify(typed, method, "flat")
        assert set(full.positions.tolist()) == set(flat.positions.tolist())
        cast = {(vote.position, vote.type) for vote in (*full.provenance.accepted, *full.provenance.rejected)}
        assert cast == {mark for marks in coded for mark in marks}
        assert {(v.position, v.type) for v in full.provenance.accepted} == set(full.marks if full.typed else ())


@given(
    st.lists(
        st.tuples(st.integers(0, 200).map(lambda t: t / 100), st.sampled_from(["ann", "ben", "eve"])), max_size=15
    ),
    st.integers(0, 30).map(lambda t: t / 100),
)
def test_group_marks_partitions_marks_within_the_tolerance(marks, tolerance) -> None:
    places = group_marks(marks, tolerance)
    positions = [position for position, _ in places]
    assert positions == sorted(set(positions))
    for time, coder in marks:
        near = [voters for position, voters in places if abs(position - time) <= tolerance + 1e-9]
        assert any(coder in voters for voters in near)
    assert set(positions) <= {time for time, _ in marks}
    assert sorted(coder for _, voters in places for coder in voters) == sorted(coder for _, coder in marks)


def test_two_near_marks_of_one_coder_are_one_vote() -> None:
    recordings = [Segmentation.from_times(times, length=3.0) for times in ([1.0, 1.01], [1.02])]
    assert [vote.voters for vote in boundary_votes(["ann", "ben"], recordings)] == [("ann", "ben")]


def test_union_of_texts_keeps_all_boundaries() -> None:
    assert unify([[2, 3, 6], [5, 6], [1, 10]], "union").masses == [1, 1, 3, 6]


def test_gold_of_a_sample_is_similar_to_all_coders() -> None:
    phones = cs.samples.load("phones")
    golds = {method: unify_corpus(phones, method)["margin", ""] for method in ("consensus", "majority", "union")}
    sizes = [len(gold.positions) for gold in golds.values()]
    assert sizes == sorted(sizes)
    alike = metric("A")
    for people in ("ann", "ben"):
        ours = alike(phones["margin", people], golds["majority"])
        assert ours > alike(phones["margin", people], phones["margin", "aligner"])


@pytest.mark.parametrize("tolerance", [-0.1, float("nan"), "soon"])
def test_invalid_tolerance_is_rejected(tolerance) -> None:
    with pytest.raises(cs.CaesuraError, match="tolerance"):
        unify(CODED, tolerance=tolerance)


def test_segments_get_the_name_of_the_majority() -> None:
    def spoken(times, names):
        return Segmentation.from_times(times, length=3.0, names=names)

    coded = {
        "ann": spoken([1.0, 2.0], ["m", "a", "n"]),
        "ben": spoken([1.01, 2.0], ["m", "o", "n"]),
        "eve": spoken([1.0, 1.5, 2.0], ["n", "a", "a", "n"]),
    }
    assert unify(coded).names == ("m", "a", "n")
    assert unify(coded, "union").names == ("m", "a", "a", "n")
    assert unify_corpus(cs.samples.load("phones"))["margin", ""].names is not None
    topics = [Segmentation.from_labels(list("aabbb")), Segmentation.from_labels(list("aaabb"))]
    assert unify(topics, "consensus").names == ("b",), "the two tie, and the first calls most of it b"
    breath = {"ann": spoken([1.0, 2.0], ["w", "at", "in"]), "ben": spoken([1.0], ["w", "at in"])}
    assert unify(breath).names == ("w", "at in"), "the two tie, and ben's name covers all of it"


def test_most_calls_beat_coverage() -> None:
    """Two coders call the segment a for a short stretch each, one calls all of it b: a has more calls, b covers more."""
    coded = [
        Segmentation.from_times([2.2, 4.2], length=6.0, names=["a", "m", "n"]),
        Segmentation.from_times([2.2, 4.2], length=6.0, names=["a", "n", "m"]),
        Segmentation.from_times([5.9], length=6.0, names=["b", "c"]),
    ]
    assert name_segments(Segmentation.from_times([], length=6.0), coded).names == ("a",)
