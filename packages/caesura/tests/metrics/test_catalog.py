from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest

from caesura.errors import CaesuraError, UnknownName
from caesura.metrics import Batch, Family, Score, metric, metric_names
from caesura.metrics.catalog import FAMILIES, FOREIGN_NAMES, default_metrics, metrics_for
from caesura.metrics.family import Metric, parameter, share
from caesura.registry import BrokenPlugin, PluginEntry


def test_metric_accepts_parameters_as_keywords_or_after_colon() -> None:
    assert metric("F:beta=2.0") == metric("F", beta=2.0)
    assert metric(metric("F")) == metric("F")
    assert metric("F", beta=2.0).signature.startswith("F|beta:2|v:")


def test_unknown_metric_name_suggests_nearest_name() -> None:
    with pytest.raises(UnknownName, match="did you mean 'precision'"):
        metric("precison")


def test_first_words_and_limits_of_names_are_explained() -> None:
    for first, name in (("onset", "onset-mean"), ("diarization", "diarization-error")):
        with pytest.raises(UnknownName, match=f"did you mean '{name}'"):
            metric(first)
    with pytest.raises(CaesuraError, match="any limit: onset-within-15ms"):
        metric("within-15ms")


def test_metric_that_is_not_included_names_what_comes_nearest() -> None:
    with pytest.raises(CaesuraError, match=r"TNWin of Lamprier et al.*no text that we found defines it; NWin"):
        metric("TNWin")


def test_names_of_other_packages_are_explained() -> None:
    docs = Path(__file__).parents[4] / "docs"
    for theirs, (package, ours, page) in FOREIGN_NAMES.items():
        if theirs in FAMILIES:  # DER of caesura-vowels
            continue
        with pytest.raises(CaesuraError, match=f"{theirs} of {package} is called"):
            metric(theirs)
        assert metric(ours).spelled == ours
        if theirs.lower() not in FAMILIES:
            with pytest.raises(CaesuraError, match=f"is called {ours}"):
                metric(theirs.lower())
        assert theirs in (docs / f"{page}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ("F:alpha=1", "F has no parameter 'alpha'; it takes beta"),
        ("F:beta", "key=value, not 'beta'"),
        (
            "diarization-error:convention=pyannote",
            "no parameter 'convention'; write like=nist, like=dscore or like=pyannote",
        ),
        ("diarization-error:skip_overlap=True", "no parameter 'skip_overlap'; write overlap=skip"),
        ("onset-mean:phones=a.tsv", "no parameter 'phones'; write mapping=FILE"),
        ("F:phones=a.tsv", "no parameter 'phones'; it takes beta"),
    ],
)
def test_wrong_parameters_raise_error(call: str, sentence: str) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        metric(call)


class SizeCounts(NamedTuple):
    same: float
    pairs: float


@dataclass(frozen=True)
class Sizes(Family):
    """A plug-in: the share of pairs with equal numbers of marks on both sides, give or take ``slack``."""

    slack: int = parameter("slack", 0)

    counts = SizeCounts
    scores = {
        "sizes": Score("equal number of marks", "", lambda c, *, half=False: (c.same / (1 + half), c.pairs), share)
    }
    paper = "none"

    def count(self, batch: Batch) -> np.ndarray:
        same = abs(batch.reference.sizes - batch.hypothesis.sizes) <= self.slack
        return np.stack((same, np.ones(len(batch))), axis=1).astype(np.float64)


def plug_in(monkeypatch: pytest.MonkeyPatch, name: str, where: str) -> None:
    monkeypatch.setitem(FAMILIES.__dict__, "_plugins", {name: PluginEntry(name, where, "toy-metrics")})
    monkeypatch.setattr(FAMILIES, "_loaded", {})
    monkeypatch.setattr(FAMILIES, "_facts", {})
    monkeypatch.setattr(FAMILIES, "_broken", set())


def test_plugin_metrics_are_found_by_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "toy_metrics", ModuleType("toy_metrics"))
    monkeypatch.setattr("toy_metrics.__spec__", ModuleSpec("toy_metrics", None))
    monkeypatch.setattr("toy_metrics.Sizes", Sizes, raising=False)
    plug_in(monkeypatch, "sizes", "toy_metrics:Sizes")
    assert metric_names()[-1] == "sizes"
    assert metric("sizes")([2, 2], [1, 3]) == 1.0
    assert metric("sizes:slack=1,half=true")([2, 2], [4]) == 0.5
    assert metric("sizes:slack=1,half=true").spelled == "sizes:slack=1,half=True"
    assert metric("sizes").signature.startswith("sizes|slack:0|half:False|v:")
    assert FAMILIES.facts("sizes")["title"] == "equal number of marks"
    assert "sizes" in default_metrics("units")
    assert "sizes" not in default_metrics("time")


def test_options_are_validated_only_when_a_metric_is_created(monkeypatch: pytest.MonkeyPatch) -> None:
    checked = []
    checks = {"factor": lambda *given: checked.append(given)}
    score = Score("sizes", "", lambda c, *, factor=1.0: (factor * c.same, c.pairs), share, checks=checks)
    monkeypatch.setattr(Sizes, "scores", {"sizes": score})
    chosen = Metric(Sizes(), "sizes", (("factor", 0.5),))
    assert chosen([2, 2], [1, 3]) == 0.5
    assert checked == [("factor", 0.5)]


@pytest.mark.parametrize("name", metric_names())
def test_catalogue_facts_agree_with_family_class(name: str) -> None:
    family = FAMILIES[name]
    compares_names = family.compares_names
    assert FAMILIES.facts(name) == {
        "title": family.scores[name].title,
        "kinds": family.kinds,
        "opt_in_kinds": frozenset(family.opt_in_kinds),
        "required_types": family.required_types,
        "compares_names": family().compares_names if isinstance(compares_names, property) else compares_names,
    }
    assert family.opt_in_kinds.keys() <= family.kinds


def test_every_score_of_a_family_is_in_the_catalogue() -> None:
    assert {name for _, family in FAMILIES.items() for name in family.scores} == set(metric_names())


def test_metrics_for_kind_include_opt_in_metrics() -> None:
    assert "F" in metrics_for("time")
    assert "F" not in default_metrics("time")
    assert set(default_metrics("units")) < set(metrics_for("units"))


def test_metrics_that_require_types_are_left_out_without_them() -> None:
    requiring = [name for name, facts in FAMILIES.all_facts() if facts["required_types"]]
    for name in requiring:
        assert name not in default_metrics("units", ["scene", "act"])
        assert name in default_metrics("units", FAMILIES.facts(name)["required_types"])


@pytest.mark.parametrize(
    ("code", "unused"),
    [
        (
            "from caesura.cli.list import CATALOGUES; list(CATALOGUES['metrics']())",
            "windows regions flexible nested spans",
        ),
        (
            "import caesura as cs; cs.compare([2, 3, 6], [5, 6])",
            "regions segment_names overlaps nearest displacement nested spans",
        ),
        ("import caesura as cs; cs.compare([2, 3], [3, 2])", "caesura_vowels"),
    ],
)
def test_families_that_cannot_apply_are_not_loaded(code: str, unused: str) -> None:
    names = {name if name.startswith("caesura") else f"caesura.metrics.{name}" for name in unused.split()}
    program = f"{code}; import sys; print(*sorted({names!r} & set(sys.modules)))"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_plugin_that_is_not_a_family_is_skipped_with_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    plug_in(monkeypatch, "sizes", "builtins:print")
    with pytest.raises(CaesuraError, match=r"not a subclass of caesura\.metrics\.Family with a score 'sizes'"):
        metric("sizes")
    with pytest.warns(BrokenPlugin, match="'sizes'"):
        assert "B" in default_metrics("units")


def test_boolean_parameters_accept_only_booleans() -> None:
    assert metric("WD:weighted=false").signature == metric("WD").signature
    assert metric("WD:weighted=yes").signature == metric("WD", weighted=True).signature
    assert metric("Sf:closing=None").signature == metric("Sf").signature
    for wrong in ("WD:weighted=maybe", "Sf:forced=2", "A:typed={}"):
        with pytest.raises(CaesuraError, match="expected true or false"):
            metric(wrong)


def test_old_names_of_plugin_authors_still_work_with_warning() -> None:
    from caesura.metrics import family

    with pytest.warns(DeprecationWarning, match="sign is deprecated; use parameter"):
        assert family.sign is parameter
    with pytest.warns(DeprecationWarning, match=r"Metric\.needs is deprecated; use kinds"):
        assert metric("R").needs == frozenset({"time"})
    with pytest.warns(DeprecationWarning, match=r"Old\.needs is deprecated; use kinds"):

        class Old(Sizes):
            needs = frozenset({"time"})

    assert Old.kinds == frozenset({"time"})
