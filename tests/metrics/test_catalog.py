from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest

from caesura.errors import CaesuraError, UnknownName
from caesura.metrics import Batch, Family, Score, metric, metric_names
from caesura.metrics.catalog import ABROAD, FAMILIES, unnamed_metrics
from caesura.metrics.family import share, sign
from caesura.registry import BrokenPlugin


def test_parameters_as_keywords_or_behind_a_colon() -> None:
    assert metric("F:beta=2.0") == metric("F", beta=2.0)
    assert metric(metric("F")) == metric("F")
    assert metric("F", beta=2.0).signature.startswith("F|beta:2|v:")


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'precision'"):
        metric("precison")


def test_names_of_other_packages_lead_to_ours() -> None:
    docs = Path(__file__).parents[2] / "docs"
    for theirs, (package, ours, page) in ABROAD.items():
        with pytest.raises(CaesuraError, match=f"{theirs} of {package} is called"):
            metric(theirs)
        assert metric(ours).spelled == ours
        assert theirs in (docs / f"{page}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("call", "sentence"),
    [("F:alpha=1", "F has no parameter 'alpha'; it takes beta"), ("F:beta", "key=value, not 'beta'")],
)
def test_wrong_parameters(call: str, sentence: str) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        metric(call)


class SizeCounts(NamedTuple):
    same: float
    pairs: float


@dataclass(frozen=True)
class Sizes(Family):
    """The plug-in of another package: share of pairs with as many marks on either side, or up to ``slack`` more."""

    slack: int = sign("slack", 0)

    counts = SizeCounts
    scores = {
        "sizes": Score("equal number of marks", "", lambda c, *, half=False: (c.same / (1 + half), c.pairs), share)
    }
    paper = "none"

    def count(self, batch: Batch) -> np.ndarray:
        same = abs(batch.reference.sizes - batch.hypothesis.sizes) <= self.slack
        return np.stack((same, np.ones(len(batch))), axis=1).astype(np.float64)


def plug_in(monkeypatch: pytest.MonkeyPatch, name: str, where: str) -> None:
    monkeypatch.setitem(FAMILIES.__dict__, "_theirs", {name: EntryPoint(name, where, "caesura.metrics")})
    monkeypatch.setattr(FAMILIES, "_loaded", {})
    monkeypatch.setattr(FAMILIES, "_broken", set())


def test_other_packages_add_families_by_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "toy_metrics", ModuleType("toy_metrics"))
    monkeypatch.setattr("toy_metrics.Sizes", Sizes, raising=False)
    plug_in(monkeypatch, "sizes", "toy_metrics:Sizes")
    assert metric_names()[-1] == "sizes"
    assert metric("sizes")([2, 2], [1, 3]) == 1.0
    assert metric("sizes:slack=1,half=true")([2, 2], [4]) == 0.5
    assert metric("sizes:slack=1,half=true").spelled == "sizes:slack=1,half=True"
    assert metric("sizes").signature.startswith("sizes|slack:0|half:False|v:")


def test_a_plug_in_that_is_no_family_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    plug_in(monkeypatch, "sizes", "builtins:print")
    with pytest.raises(CaesuraError, match=r"not a subclass of caesura\.metrics\.Family with a score 'sizes'"):
        metric("sizes")
    with pytest.warns(BrokenPlugin, match="'sizes'"):
        assert "B" in unnamed_metrics("units")


def test_truth_is_written_in_words_and_nothing_else_is_true() -> None:
    assert metric("WD:weighted=false").signature == metric("WD").signature
    assert metric("WD:weighted=yes").signature == metric("WD", weighted=True).signature
    assert metric("Sf:closing=None").signature == metric("Sf").signature
    for wrong in ("WD:weighted=maybe", "Sf:forced=2", "A:typed={}"):
        with pytest.raises(CaesuraError, match="expected True or False"):
            metric(wrong)
