"""Expectations by formula against simulated ones, and metrics without a formula."""

from __future__ import annotations

import numpy as np
import pytest

import caesura as cs
from caesura.metrics import Batch
from caesura.samples import load
from caesura.statistics import against_chance
from caesura.statistics.expectations import expected_score

TEXTS = ["F", "precision", "recall", "PA", "WD", "Pk", "WD:edges=padded", "Pk:k=3"]


def test_texts_agree_with_many_draws() -> None:
    gold = cs.Corpus.from_dict({"a": {"ann": [5, 5, 5, 5, 7]}, "b": {"ann": [4, 8, 8]}})
    ours = cs.Corpus.from_dict({"a": {"sys": [6, 4, 10, 7]}, "b": {"sys": [4, 3, 13]}})
    found = against_chance(gold, ours, TEXTS, draws=4000)
    assert len(found.scores) == len(TEXTS), "two windows of one metric are two rows"
    for name, score in found.scores.items():
        assert score.by_formula, name
        assert score.drawn == pytest.approx(score.expected, abs=0.006), name


def test_recordings_agree_with_many_draws() -> None:
    phones = load("phones")
    ann, aligner = phones.select(coders=["ann"]), phones.select(coders=["aligner"])
    found = against_chance(ann, aligner, ["hit-rate", "region-F", "R"], draws=3000)
    for name, tolerance in (("hit-rate", 0.6), ("region-F", 0.006), ("R", 0.006)):
        assert found[name].drawn == pytest.approx(found[name].expected, abs=tolerance), name


@pytest.mark.parametrize("name", ["B", "S", "A", "WinPR", "WD:weighted=yes", "tolerance-F"])
def test_without_a_formula_there_is_none(name) -> None:
    assert expected_score(cs.metric(name), Batch.of_pair([3, 4, 3], [5, 5])) is None


def test_types_have_no_formula() -> None:
    typed = cs.Segmentation(6, [2, 4], np.array([0, 1]), ("x", "y"))
    assert expected_score(cs.metric("F"), Batch.of_pair(typed, typed)) is None
