"""Spans: what they take, refuse, become and keep on their way through files."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura as cs
from caesura import Corpus, Hierarchy, InvalidSegmentation, Segmentation, Spans

LABELS = st.sampled_from(["person", "place", None])


@st.composite
def span_rows(draw: st.DrawFn, length: int = 12) -> list[tuple[int, int, str | None]]:
    starts = draw(st.lists(st.integers(0, length - 1), max_size=7))
    return [(start, draw(st.integers(start + 1, length)), draw(LABELS)) for start in starts]


def test_spans_may_leave_gaps_overlap_nest_and_repeat() -> None:
    rows = [(5, 9, "b"), (0, 2, "a"), (5, 7, None), (0, 2, "a"), (6, 10, "a")]
    spans = Spans.from_rows(rows, length=12)
    assert spans.rows == [(0, 2, "a"), (0, 2, "a"), (5, 9, "b"), (5, 7, None), (6, 10, "a")]
    assert spans.types is not None
    assert spans.types.tolist() == [0, 0, 1, -1, 0]
    assert (len(spans), spans.labels, spans.timed) == (5, ("a", "b"), False)
    assert spans != Spans.from_rows(rows[1:], length=12)  # a duplicate counts


@settings(max_examples=60, deadline=None)
@given(span_rows(), st.randoms())
def test_order_of_spans_does_not_matter(rows: list[tuple[int, int, str | None]], random) -> None:  # type: ignore[no-untyped-def]
    spans = Spans.from_rows(rows, length=12)
    shuffled = random.sample(rows, len(rows))
    again = Spans.from_rows(shuffled, length=12)
    assert again == spans
    assert hash(again) == hash(spans)
    assert sorted(map(str, spans.rows)) == sorted(map(str, rows))
    assert pickle.loads(pickle.dumps(spans)).rows == spans.rows


@pytest.mark.parametrize(
    ("rows", "length", "sentence"),
    [
        ([(3, 3, "a")], 5, "the span 3–3 is empty"),
        ([(4, 2, "a")], 5, "the span 4–2 ends before it begins"),
        ([(4, 6, "a")], 5, "the span 4–6 lies outside a text of 5 units"),
        ([(-1, 2, "a")], 5, "the span -1–2 lies outside a text of 5 units"),
        ([(0.5, 3.0, "a")], 2.5, "the span 0.5–3 lies outside a recording of 2.5 s"),
        ([(float("nan"), 2, "a")], 5, "the span nan–2 has no finite start and end"),
        ([(0, float("inf"))], 5, "has no finite start and end"),
        ([(0.5, 2)], 5, "0.5 is not a whole number of units; use time=True"),
        ([(0, 2, 7)], 5, "must be a name or None, not 7"),
        ([(0, "2", "a")], 5, "must be numbers, not '2'"),
        ([(True, 2, "a")], 5, "must be numbers, not True"),
        ([(0,)], 5, r"a span must be \(start, end\) or \(start, end, label\)"),
        ([7], 5, r"a span must be \(start, end\)"),
        ([(0, 2, "a")], -1, "the length is -1"),
    ],
)
def test_invalid_spans_raise_an_error(rows, length, sentence) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidSegmentation, match=sentence):
        Spans.from_rows(rows, length=length)


def test_types_need_distinct_labels() -> None:
    with pytest.raises(InvalidSegmentation, match="give labels= too"):
        Spans(5, [0], [2], [0])
    with pytest.raises(InvalidSegmentation, match="outside the 3 labels"):
        Spans(5, [0], [2], [2], ["a", "b"])
    with pytest.raises(InvalidSegmentation, match="hold a name twice"):
        Spans.from_rows([(0, 2, "a")], length=5, labels=["a", "a"])
    with pytest.raises(InvalidSegmentation, match="'c' is not among the labels"):
        Spans.from_rows([(0, 2, "c")], length=5, labels=["a", "b"])
    with pytest.raises(InvalidSegmentation, match="2 starts were given for 1 ends"):
        Spans(5, [0, 1], [2])
    with pytest.raises(AttributeError, match="annotations are immutable"):
        Spans(5).length = 6


def test_default_length_is_the_end_of_the_last_span() -> None:
    assert Spans.from_rows([(0, 2), (1, 7)]).length == 7
    assert Spans.from_rows([(0, 2)], units=["a", "b", "c"]).length == 3
    assert Spans.from_rows([(0, 2.5)], time=True).length == 2.5
    assert Spans.from_rows([]).length == 0


def test_spans_from_segmentations_and_hierarchies() -> None:
    named = Segmentation.from_labels(["x", "x", "y"])
    assert Spans.from_segmentation(named).rows == [(0, 2, "x"), (2, 3, "y")]
    recording = Spans.from_segmentation(Segmentation.from_times([0.5], length=2.0))
    assert recording.rows == [(0.0, 0.5, None), (0.5, 2.0, None)]
    nested = Hierarchy.from_brackets("[[a] b] c")
    spans = Spans.from_hierarchy(nested)
    assert spans.rows == [(0, 2, "level1"), (0, 1, "level2")]
    assert spans.hierarchy() == nested
    with pytest.raises(InvalidSegmentation, match="cross"):
        Spans.from_rows([(0, 3), (2, 5)], length=5).hierarchy()


@settings(max_examples=60, deadline=None)
@given(span_rows())
def test_boundaries_are_the_edges_inside_the_text(rows: list[tuple[int, int, str | None]]) -> None:
    spans = Spans.from_rows(rows, length=12)
    edges = {p for start, end, _ in rows for p in (start, end)}
    assert set(spans.boundaries().positions.tolist()) == edges - {0, 12}
    typed = spans.boundaries("edges").marks
    assert {p for p, kind in typed if kind == "end"} == {end for _, end, _ in rows}
    assert {p for p, kind in typed if kind == "start"} == {start for start, _, _ in rows} - {0}


def test_only_keeps_labels() -> None:
    spans = Spans.from_rows([(0, 2, "a"), (1, 3, "b"), (2, 4, None)], length=5)
    assert spans.only("a", None).rows == [(0, 2, "a"), (2, 4, None)]
    assert spans.with_labels(["b", "a"]) == spans


# ---------------------------------------------------------------------- in a corpus


@settings(max_examples=40, deadline=None)
@given(st.lists(span_rows(), min_size=1, max_size=3), st.booleans())
def test_corpus_of_spans_round_trips_through_files(tmp_path_factory, many, timed: bool) -> None:  # type: ignore[no-untyped-def]
    stretch = 0.25 if timed else 1
    coders = {
        f"c{i}": Spans.from_rows([(a * stretch, b * stretch, n) for a, b, n in rows], length=12 * stretch, time=timed)
        for i, rows in enumerate(many)
    }
    corpus = Corpus.from_dict({"talk": coders})
    assert (corpus.kind, corpus.timed) == ("spans", timed)
    for coder, spans in coders.items():
        assert corpus["talk", coder] == spans
    folder = tmp_path_factory.mktemp("spans")
    for name in ("c.json", "c.jsonl", "c.parquet"):
        cs.write(corpus, folder / name)
        again = cs.read(folder / name)
        assert again == corpus, name
        assert again.labels == corpus.labels
        assert again.timed == timed
    assert pickle.loads(pickle.dumps(corpus)) == corpus


def test_columns_are_sorted_into_reading_order() -> None:
    corpus = Corpus(
        kind="spans", items=["x"], coders=["a", "b"], item_of=[0, 0], coder_of=[0, 1], lengths=[9, 9],
        offsets=[0, 3, 4], positions=[4, 0, 0, 1], ends=[6, 2, 3, 2], types=[0, 1, -1, 0], labels=["p", "q"],
    )  # fmt: skip
    assert corpus["x", "a"] == Spans.from_rows([(0, 3, None), (0, 2, "q"), (4, 6, "p")], length=9)
    assert corpus.positions.tolist() == [0, 0, 4, 1]


def test_invalid_columns_of_spans_raise_an_error() -> None:
    def build(**changed: object) -> Corpus:
        columns = {"item_of": [0], "coder_of": [0], "lengths": [9], "offsets": [0, 1], "positions": [2], "ends": [4]}
        return Corpus(kind="spans", items=["x"], coders=["ann"], **(columns | changed))  # type: ignore[arg-type]

    with pytest.raises(InvalidSegmentation, match=r"item 'x', coder 'ann': the span 2–2 is empty"):
        build(ends=[2])
    with pytest.raises(InvalidSegmentation, match=r"item 'x', coder 'ann': the span 2–12 lies outside"):
        build(ends=[12])
    with pytest.raises(InvalidSegmentation, match="not a finite number"):
        build(lengths=[9.0], ends=[np.nan])
    with pytest.raises(InvalidSegmentation, match="need an end each"):
        build(ends=None)
    with pytest.raises(InvalidSegmentation, match="outside the 1 labels"):
        build(types=[-2], labels=["a"])


def test_kinds_and_units_are_not_mixed() -> None:
    with pytest.raises(InvalidSegmentation, match="found spans and units"):
        Corpus.from_dict({"x": {"a": Spans(5), "b": [2, 3]}})
    with pytest.raises(InvalidSegmentation, match="units in one annotation and of seconds in another"):
        Corpus.from_dict({"x": {"a": Spans(5)}, "y": {"a": Spans(5.0)}})


def test_coder_without_spans_is_kept() -> None:
    corpus = Corpus.from_dict({"x": {"ann": Spans.from_rows([(0, 2, "a")], length=5), "ben": Spans(5)}})
    assert corpus.coders == ("ann", "ben")
    assert len(corpus["x", "ben"]) == 0  # type: ignore[arg-type]
