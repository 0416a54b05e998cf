from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from caesura.errors import CaesuraError, UnknownName
from caesura.metrics import Batch, Metric, metric, metrics, registry


def test_parameters_as_keywords_or_behind_a_colon() -> None:
    assert metric("F:beta=2.0") == metric("F", beta=2.0)
    assert metric(metric("F")) == metric("F")
    assert metric("F", beta=2.0).signature.startswith("F|beta:2|v:")


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'precision'"):
        metric("precison")


@pytest.mark.parametrize(
    ("call", "sentence"),
    [("F:alpha=1", "F has no parameter 'alpha'; it takes beta"), ("F:beta", "key=value, not 'beta'")],
)
def test_wrong_parameters(call: str, sentence: str) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        metric(call)


@dataclass(frozen=True)
class Longest(Metric):
    """The plug-in of another package: share of pairs of equal size."""

    name = "longest"
    title = "equal number of marks"
    fields = ("same", "pairs")
    paper = "none"

    def count(self, batch: Batch) -> np.ndarray:
        same = batch.reference.sizes == batch.hypothesis.sizes
        return np.stack((same, np.ones(len(batch))), axis=1).astype(np.float64)

    def score(self, rows: np.ndarray) -> np.ndarray:
        return rows[..., 0] / rows[..., 1]


class Point:
    name = "longest"

    def __init__(self, target: object) -> None:
        self.target = target

    def load(self) -> object:
        return self.target


def test_other_packages_add_metrics_by_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [Point(Longest)])
    registry._plugins.cache_clear()
    try:
        assert "longest" in metrics()
        assert metric("longest")([2, 2], [1, 3]) == 1.0
    finally:
        registry._plugins.cache_clear()


def test_a_plug_in_that_is_no_metric_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [Point(print)])
    registry._plugins.cache_clear()
    try:
        with pytest.raises(CaesuraError, match="not a subclass"):
            metric("longest")
    finally:
        registry._plugins.cache_clear()


def test_truth_is_written_in_words_and_nothing_else_is_true() -> None:
    assert metric("WD:weighted=false").signature == metric("WD").signature
    assert metric("WD:weighted=yes").signature == metric("WD", weighted=True).signature
    assert metric("Sf:closing=None").signature == metric("Sf").signature
    for wrong in ("WD:weighted=maybe", "Sf:forced=2", "A:typed={}"):
        with pytest.raises(CaesuraError, match="expected True or False"):
            metric(wrong)
