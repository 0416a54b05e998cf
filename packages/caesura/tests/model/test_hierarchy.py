"""Hierarchies: every notation, the inverse of each, and errors."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.errors import InvalidSegmentation
from caesura.model import Hierarchy


@st.composite
def hierarchies(draw: st.DrawFn, longest: int = 12) -> Hierarchy:
    """Draw a hierarchy from random spans that do not cross."""
    length = draw(st.integers(1, longest))
    spans: set[tuple[int, int]] = set()
    wanted = draw(st.lists(st.tuples(st.integers(1, length), st.integers(1, length)), max_size=10))
    for a, b in ((min(w), max(w)) for w in wanted):
        if all(b < c or d < a or (c <= a and b <= d) or (a <= c and d <= b) for c, d in spans):
            spans.add((a, b))
    return Hierarchy.from_spans(sorted(spans), length=length)


@given(hierarchies())
def test_brackets_and_json_round_trip(hierarchy: Hierarchy) -> None:
    assert Hierarchy.from_brackets(hierarchy.bracketed) == hierarchy
    assert Hierarchy.from_nested(hierarchy.nested) == hierarchy
    assert Hierarchy.from_spans(hierarchy.spans, length=hierarchy.length) == hierarchy
    assert pickle.loads(pickle.dumps(hierarchy)) == hierarchy
    assert hierarchy.renumbered() == hierarchy


@given(hierarchies())
def test_preorder_and_parents_follow_the_definition(hierarchy: Hierarchy) -> None:
    spans = hierarchy.spans
    assert sorted(hierarchy.preorder()) == sorted(spans)
    assert list(hierarchy.preorder()) == sorted(spans, key=lambda s: (s[0], -s[1], s[2]))
    for (first, last, _), parent in zip(spans, hierarchy.parents, strict=True):
        around = [s for s in spans if s[0] <= first and last <= s[1] and s[:2] != (first, last)]
        assert (spans[parent] if parent >= 0 else None) == min(around, key=lambda s: s[1] - s[0], default=None)


@given(hierarchies())
def test_projection_has_every_edge_of_its_level(hierarchy: Hierarchy) -> None:
    for level in range(1, hierarchy.depth + 2):
        inside = {p for a, b, at in hierarchy.spans if at == level for p in (a - 1, b)} - {0, hierarchy.length}
        assert hierarchy.at_level(level).positions.tolist() == sorted(inside)
    everywhere = {p for a, b, _ in hierarchy.spans for p in (a - 1, b)} - {0, hierarchy.length}
    assert hierarchy.boundaries().positions.tolist() == sorted(everywhere)
    assert hierarchy.boundaries(hierarchy.depth) == hierarchy.boundaries()


def test_level_columns_of_a_real_coder() -> None:
    """Coder 9 of chapter 2: four levels, some segments divided, some not; the last line closes everything."""
    ends = {1: [3, 10, 11, 14, 15], 2: [1, 2, 3, 5, 10, 12, 14, 15], 3: [4, 5, 8, 10, 15], 4: [7, 8, 15], 5: [15]}
    hierarchy = Hierarchy.from_levels([[int(p in ends[k]) for p in range(1, 16)] for k in ends])
    assert hierarchy.at_level(1).masses == [3, 7, 1, 3, 1]
    assert [s for s in hierarchy.spans if s[2] == 2] == [
        (1, 1, 2), (2, 2, 2), (3, 3, 2), (4, 5, 2), (6, 10, 2), (12, 12, 2), (13, 14, 2)]  # fmt: skip
    assert [s for s in hierarchy.spans if s[2] > 2] == [
        (4, 4, 3), (5, 5, 3), (6, 8, 3), (9, 10, 3), (6, 7, 4), (8, 8, 4)]  # fmt: skip
    assert Hierarchy.from_levels(hierarchy.level_columns(6)) == hierarchy


def test_level_that_repeats_its_outer_segment_is_kept_if_a_deeper_one_divides_it() -> None:
    hierarchy = Hierarchy.from_levels([[0, 1, 0, 1], [0, 1, 1, 1], [1, 1, 0, 1]])
    assert hierarchy.spans == [(1, 2, 1), (3, 4, 1), (1, 2, 2), (3, 3, 2), (4, 4, 2), (1, 1, 3), (2, 2, 3)]
    assert hierarchy.renumbered().spans == [(1, 2, 1), (3, 4, 1), (1, 1, 2), (2, 2, 2), (3, 3, 2), (4, 4, 2)]


def test_outermost_column_may_be_the_last() -> None:
    columns = [[1, 0, 1, 0, 1], [0, 0, 1, 0, 1]]
    assert Hierarchy.from_levels(columns, outermost="last") == Hierarchy.from_levels(columns[::-1])


def test_end_of_the_text_ends_open_segments() -> None:
    assert Hierarchy.from_levels([[0, 1, 0, 0]]).spans == [(1, 2, 1), (3, 4, 1)]
    assert Hierarchy.from_levels([[0, 0, 0]]).spans == []
    assert Hierarchy.from_levels([[0, 0, 1]]).spans == [(1, 3, 1)]
    assert Hierarchy.from_levels([]).length == 0


def test_nested_lists_of_masses_and_of_words() -> None:
    assert Hierarchy.from_nested([[4, [3]], 3]).spans == [(1, 7, 1), (5, 7, 2)]
    words = Hierarchy.from_nested(["a", ["b", ["c"]]])
    assert words.units == ("a", "b", "c")
    assert words.bracketed == "a [b [c]]"


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Hierarchy.from_spans([(1, 5), (3, 8)], length=9), "(1, 5) and (3, 8) cross"),
        (lambda: Hierarchy.from_spans([(1, 5, 2), (2, 3, 1)], length=9), "level 1 but lies inside (1, 5) of level 2"),
        (lambda: Hierarchy.from_spans([(1, 5, 1), (1, 5, 1)], length=9), "given twice"),
        (lambda: Hierarchy.from_spans([(1, 5), (1, 5)], length=9), "(1, 5) is given twice"),
        (lambda: Hierarchy.from_spans([(0, 5)], length=9), "(0, 5) lies outside the text: expected 1 to 9"),
        (lambda: Hierarchy.from_spans([(1, 10)], length=9), "(1, 10) lies outside the text"),
        (lambda: Hierarchy.from_spans([(5, 4)], length=9), "(5, 4) ends before it begins"),
        (lambda: Hierarchy.from_spans([(1, 4, 0)], length=9), "level 0; levels count from 1"),
        (lambda: Hierarchy.from_spans([(1, 4), (1, 4, 2)], length=9), "all (first, last) or all (first, last, level)"),
        (lambda: Hierarchy.from_spans([(1.5, 4)], length=9), "must be a whole number, not 1.5"),
        (lambda: Hierarchy.from_spans([], length=-1), "0 or more, not -1"),
        (lambda: Hierarchy(2, [(1, 2, 1)], ["a"]), "the text has 1 units, the hierarchy covers 2"),
        (lambda: Hierarchy.from_brackets("[ a b"), "'[' before unit 1 is never closed"),
        (lambda: Hierarchy.from_brackets("a ] b"), "']' after unit 1 closes nothing"),
        (lambda: Hierarchy.from_brackets("a [ ] b"), "after unit 1 hold no unit"),
        (lambda: Hierarchy.from_brackets("a", brackets="||"), "two different characters"),
        (lambda: Hierarchy.from_levels([[0, 1], [0, 1, 1]]), "differ in length: 2, 3 units"),
        (lambda: Hierarchy.from_levels([[0, 2]]), "level column 1 has 2 at unit 2"),
        (lambda: Hierarchy.from_levels([[0, 1, 0, 1], [1, 0, 0, 1]]), "level 2 ends after unit 1 but not after unit 2"),
        (
            lambda: Hierarchy.from_levels([[0, 1, 0, 1], [0, 0, 0, 1], [1, 1, 0, 1]]),
            "level 3 ends after unit 1, but no segment of level 2 is around it",
        ),
        (lambda: Hierarchy.from_levels([[0, 1]], outermost="middle"), "expected 'first' or 'last'"),
        (lambda: Hierarchy.from_nested("a"), "a list of units and lists"),
        (lambda: Hierarchy.from_nested(["a", []]), "list after unit 1 has no unit"),
        (lambda: Hierarchy.from_nested(["a", 3]), "found both"),
        (lambda: Hierarchy.from_nested([0]), "expected 1 or more"),
        (lambda: Hierarchy.from_nested([None]), "must be a whole number, not None"),
        (lambda: Hierarchy.from_nested({"segments": []}), "needs 'length'"),
        (lambda: Hierarchy.from_nested({"length": 3, "segments": [{"first": 1}]}), "'first' and 'last'"),
        (lambda: Hierarchy.from_nested({"length": 3, "segments": 3}), "must be a list of objects"),
        (lambda: Hierarchy.from_nested({"units": [1], "segments": []}), "must be a list of words"),
        (
            lambda: Hierarchy.from_nested(
                {"length": 9, "segments": [{"first": 1, "last": 3, "segments": [{"first": 3, "last": 4}]}]}
            ),
            "(3, 4) is written inside (1, 3) but is not inside it",
        ),
        (lambda: Hierarchy.from_spans([(2, 3)], length=4).level_columns(), "leave gaps"),
        (lambda: Hierarchy(2, [(1, 1, 1)], ["a b", "c"]).bracketed, "unit 1 is 'a b'"),
    ],
)
def test_invalid_hierarchy_raises_an_error(build, words: str) -> None:
    with pytest.raises(InvalidSegmentation) as fault:
        build()
    assert words in str(fault.value)


def test_lists_nested_too_deeply_raise_an_error() -> None:
    data: list = ["a"]
    for _ in range(100_000):
        data = [data]
    with pytest.raises(InvalidSegmentation, match="too deeply"):
        Hierarchy.from_nested(data)


def test_columns_of_a_corpus_are_validated() -> None:
    from caesura.model import Corpus

    def corpus_of(firsts: list[int], lasts: list[int], levels: list[int]) -> Corpus:
        return Corpus(
            kind="nested", items=["x"], coders=["ann"], item_of=[0], coder_of=[0], lengths=[9], offsets=[0, len(firsts)],
            positions=firsts, ends=lasts, types=levels,
        )  # fmt: skip

    assert corpus_of([1, 2], [5, 3], [1, 2])["x", "ann"].spans == [(1, 5, 1), (2, 3, 2)]
    with pytest.raises(InvalidSegmentation, match=r"item 'x', coder 'ann': segments \(1, 5\) and \(3, 8\) cross"):
        corpus_of([1, 3], [5, 8], [1, 1])
    with pytest.raises(InvalidSegmentation, match="an inner segment has the higher level"):
        corpus_of([1, 2], [5, 3], [2, 1])


@pytest.mark.parametrize(
    "make",
    [
        lambda: Hierarchy.from_levels(None),
        lambda: Hierarchy.from_levels([0, 1]),
        lambda: Hierarchy.from_levels(np.array([[0, 0.5]])),
        lambda: Hierarchy.from_brackets(None),
        lambda: Hierarchy.from_spans(None, length=3),
        lambda: Hierarchy.from_spans([1, 2], length=3),
    ],
)
def test_arguments_of_the_wrong_type_raise_an_error(make) -> None:
    with pytest.raises(InvalidSegmentation, match=r"\.$"):
        make()


def test_level_columns_may_be_an_array() -> None:
    columns = [[0, 0, 1, 0, 1], [1, 0, 1, 0, 1]]
    assert Hierarchy.from_levels(np.array(columns)) == Hierarchy.from_levels(columns)


def test_levels_follow_from_nesting() -> None:
    hierarchy = Hierarchy.from_spans([(5, 7), (1, 4), (1, 10), (5, 10)], length=10)
    assert hierarchy.spans == [(1, 10, 1), (1, 4, 2), (5, 10, 2), (5, 7, 3)]
    assert hierarchy.depth == 3
    assert hierarchy.at_level(2).masses == [4, 6]
    assert hierarchy.boundaries().masses == [4, 3, 3]


def test_given_levels_are_kept() -> None:
    hierarchy = Hierarchy.from_spans([(1, 4, 1), (1, 4, 2)], length=4)
    assert hierarchy.spans == [(1, 4, 1), (1, 4, 2)]


def test_hierarchy_is_hashable_picklable_and_immutable() -> None:
    hierarchy = Hierarchy.from_spans([(1, 4), (1, 2)], length=4)
    assert pickle.loads(pickle.dumps(hierarchy)) == hierarchy
    assert hash(hierarchy) == hash(Hierarchy.from_spans([(1, 2), (1, 4)], length=4))
    assert hierarchy != Hierarchy.from_spans([(1, 4)], length=4)
    assert "1–2" in hierarchy._repr_html_()
    with pytest.raises(AttributeError):
        hierarchy.length = 3  # type: ignore[misc]


BAD = [
    ([(1, 5), (3, 8)], r"segments \(1, 5\) and \(3, 8\) cross"),
    ([(0, 5)], r"segment \(0, 5\) lies outside the text: expected 1 to 10"),
    ([(5, 11)], "lies outside"),
    ([(5, 4)], "ends before it begins"),
    ([(1, 10, 2), (1, 4, 1)], r"segment \(1, 10\) has level 2 but lies inside|has level"),
    ([(1, 10, 0)], "levels count from 1"),
    ([(1, 4), (1, 4)], "given twice"),
    ([(1, 4, 1), (1, 4, 1)], "given twice"),
    ([(1, 4), (1, 4, 2)], "must be all"),
]


@pytest.mark.parametrize(("spans", "sentence"), BAD)
def test_invalid_segments_raise_an_error(spans, sentence: str) -> None:
    with pytest.raises(InvalidSegmentation, match=sentence):
        Hierarchy.from_spans(spans, length=10)


def test_walk_is_a_deprecated_name_of_preorder() -> None:
    hierarchy = Hierarchy.from_brackets("[[a] b]")
    with pytest.warns(DeprecationWarning, match="use preorder"):
        assert list(hierarchy.walk()) == list(hierarchy.preorder())
