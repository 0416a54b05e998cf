"""One set of spans out of many: places by overlap, labels by votes, and everything that was left out kept in the provenance."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura as cs
from caesura import CaesuraError, Spans
from caesura.gold import GoldSpans
from formats.corpora import spans

CODERS = {
    "ann": [(0, 9, "person"), (20, 45, "event"), (60, 75, "person")],
    "ben": [(0, 9, "person"), (18, 44, "event"), (61, 75, "org")],
    "cy": [(1, 10, "person"), (80, 85, "place")],
}


def coders_spans(rows=CODERS):
    return {coder: Spans.from_rows(own, length=90) for coder, own in rows.items()}


@pytest.mark.parametrize(
    ("method", "rows"),
    [
        ("consensus", [(1, 9, "person")]),
        ("majority", [(0, 9, "person"), (20, 44, "event"), (61, 75, "org")]),
        ("union", [(0, 10, "person"), (18, 45, "event"), (60, 75, "org"), (80, 85, "place")]),
    ],
)
def test_extent_is_covered_by_all_most_or_any_voters(method, rows):
    gold = cs.unify(coders_spans(), method)
    assert isinstance(gold, GoldSpans)
    assert gold.rows == rows
    assert gold == Spans.from_rows(rows, length=90, labels=["event", "org", "person", "place"])


def test_tied_labels_are_open_and_rejected_votes_listed():
    known = cs.unify(coders_spans(), "majority").provenance
    assert [str(place) for place in known.open] == ["61–75 (org or person)"]
    assert known.open[0].as_dict()["labels"][1] == {"label": "person", "voters": ["ann"]}
    assert [(str(vote), vote.voters) for vote in known.rejected] == [
        ("61–75 (person)", ("ann",)),
        ("80–85 (place)", ("cy",)),
    ]
    assert known.accepted[0].voters == ("ann", "ben", "cy")
    assert known.notes == ("1 label open: 61–75 (org or person).",)
    table = str(cs.unify(coders_spans(), "majority").tables()[0])
    assert "type open" in table
    assert cs.unify(coders_spans(), "majority", "flat").rows[0] == (0, 9, None)


def test_thresholds_and_single_annotators():
    assert len(cs.unify(coders_spans(), "majority", threshold="1/3")) == 4
    assert len(cs.unify(coders_spans(), "majority", threshold=1.0)) == 1
    alone = cs.unify({"ann": coders_spans()["ann"]}, "majority")
    assert alone == coders_spans()["ann"]
    assert "only 'ann' annotated this text" in alone.provenance.notes[0]
    assert cs.unify({"a": Spans(5), "b": Spans(5)}, "majority").rows == []


def test_aligned_spans_that_do_not_overlap_are_two_candidates():
    gold = cs.unify(
        {"a": Spans.from_rows([(0, 10, "x")], length=30), "b": Spans.from_rows([(10, 20, "x")], length=30)}, "union"
    )
    assert gold.rows == [(0, 10, "x"), (10, 20, "x")]


def test_options_that_do_not_apply_to_spans_are_rejected():
    for method, why in (
        ("conflict-free-union", "spans may cross"),
        ("maximise", "does not apply to spans"),
        ("best-annotator", "does not apply to spans"),
    ):
        with pytest.raises(CaesuraError, match=why):
            cs.unify(coders_spans(), method)
    with pytest.raises(CaesuraError, match="spans are compared by overlap"):
        cs.unify(coders_spans(), "majority", tolerance=0.1)


@settings(max_examples=40, deadline=None)
@given(st.lists(spans(9, st.sampled_from(["x", "y"])), min_size=2, max_size=3))
def test_equal_annotations_are_the_gold_and_consensus_is_inside_union(many):
    for method in ("consensus", "majority", "union"):
        gold = cs.unify([many[0]] * 3, method)
        assert sorted(map(str, gold.rows)) == sorted(map(str, many[0].rows))
        assert pickle.loads(pickle.dumps(gold)).provenance == gold.provenance
    narrow, wide = (cs.unify(many, method) for method in ("consensus", "union"))
    assert all(any(a <= s and e <= b for a, b, _ in wide.rows) for s, e, _ in narrow.rows)
    known = wide.provenance
    assert sum(len(vote.voters) for vote in (*known.accepted, *known.rejected)) == sum(map(len, many))
