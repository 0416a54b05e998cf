"""What type checkers know about results: mypy checks this file, and the tests run it."""

from __future__ import annotations

from typing import assert_type

import caesura as cs
from caesura.gold.gold_standard import GoldHierarchy, GoldSegmentation, GoldSpans

UNITS = ["one", "two", "three", "four"]


def test_segment_returns_what_it_was_given() -> None:
    one = assert_type(cs.segment(UNITS, "uniform", segments=2), cs.Segmentation)
    assert one.masses == [2, 2]
    corpus = cs.Corpus.from_annotations([("a", "x", cs.Segmentation.from_masses([4], units=UNITS))])
    many = assert_type(cs.segment(corpus, "uniform", segments=2), cs.Corpus)
    assert many.items == ("a",)


def test_unify_returns_the_kind_of_its_annotations() -> None:
    tree = cs.Hierarchy.from_spans([(1, 4), (1, 2)], length=4)
    spans = cs.Spans.from_rows([(0, 2, "x")], length=4)
    assert isinstance(assert_type(cs.unify([[2, 2], [2, 2]]), GoldSegmentation), cs.Segmentation)
    assert isinstance(assert_type(cs.unify([tree, tree]), GoldHierarchy), cs.Hierarchy)
    assert isinstance(assert_type(cs.unify({"a": spans, "b": spans}), GoldSpans), cs.Spans)
    assert isinstance(assert_type(cs.unify([[2, 2], [2, 2]], "conflict-free-union"), GoldHierarchy), cs.Hierarchy)
    assert isinstance(assert_type(cs.unify([tree, tree], "utterance-labels"), GoldSegmentation), cs.Segmentation)


def test_one_or_several() -> None:
    assert assert_type(cs.find_quote("a b a", "b"), tuple[int, int]) == (2, 3)
    assert assert_type(cs.find_quote("a b a", "a", ties="all"), list[tuple[int, int]]) == [(0, 1), (4, 5)]
    assert assert_type(cs.region_scores([0.1], [0.1]), cs.RegionScores).hits == 1
    assert len(assert_type(cs.region_scores([0.1], [0.1], [0.01, 0.02]), list[cs.RegionScores])) == 2
