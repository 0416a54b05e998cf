"""What type checkers know about results: mypy checks this file, and the tests run it."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import numpy as np
import polars as pl
import pytest

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


def test_plain_data_is_accepted() -> None:
    """Type checkers refused ``cs.evaluate([2, 3], [3, 2])``, arrays, paths, frames and iterators, which all work."""
    assert assert_type(cs.evaluate([2, 3], (3, 2), "WD"), cs.Evaluation).count == 1
    assert cs.evaluate("0100", np.array([0, 1, 0, 0]), "F").count == 1
    assert cs.evaluate(iter([[2, 3]]), [np.array([2, 3])], "F").count == 1
    assert cs.evaluate({"a": [2, 3]}, {"ours": {"a": [2, 3]}, "theirs": {"a": [5]}}, "F").count == 1
    assert cs.agree([[2, 3], [3, 2]]).value < 1
    assert cs.agree({"x": {"ann": "0100", "ben": "0100"}, "y": {"ann": "010", "ben": "010"}}).value == 1
    assert assert_type(cs.unify({"x": {"ann": [2, 3], "ben": [2, 3]}}), GoldSegmentation).masses == [2, 3]
    frame = pl.DataFrame({"item": ["a"], "position": [2], "length": [5]})
    assert cs.compare(frame, frame)["F"] == 1
    with pytest.raises(cs.FormatError):
        cs.evaluate(Path("none.json"), Path("none.json"))


def test_one_or_several() -> None:
    assert assert_type(cs.find_quote("a b a", "b"), tuple[int, int]) == (2, 3)
    assert assert_type(cs.find_quote("a b a", "a", ties="all"), list[tuple[int, int]]) == [(0, 1), (4, 5)]
    assert assert_type(cs.region_scores([0.1], [0.1]), cs.RegionScores).hits == 1
    assert len(assert_type(cs.region_scores([0.1], [0.1], [0.01, 0.02]), list[cs.RegionScores])) == 2
