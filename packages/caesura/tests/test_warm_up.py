"""``caesura warm-up``: one command compiles the kernels of every metric, method and segmenter."""

from __future__ import annotations

import json

import pytest

from caesura import warm_up
from caesura.errors import CaesuraError
from caesura.gold import METHODS
from caesura.kernels import jit
from caesura.metrics import metric, metric_names
from caesura.segmenters.catalog import segmenter_names
from cli.command import caesura


def test_everything_registered_is_run() -> None:
    titles = {title for title, _ in warm_up._jobs()}
    assert titles >= {*metric_names(), *METHODS, *segmenter_names("text"), "agree", "γ", "α_U", "uα", "evaluate"}


def test_kernels_are_compiled_and_the_mode_is_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    score = metric("F")

    def refuse() -> None:
        raise CaesuraError("does not apply")

    jobs = [
        ("F", lambda: jit.LazyKernel(score.family.single("units").of_pair.lazy_kernel.function).callable),
        ("x", refuse),
    ]
    monkeypatch.setattr(warm_up, "_jobs", lambda: iter(jobs))
    monkeypatch.setattr(jit, "mode", "auto")
    seen = []
    done = warm_up.warm_up(lambda title, share: seen.append((title, share)))
    assert seen == [("F", 0.0), ("x", 0.5)]
    assert jit.mode == "auto"
    assert done.as_dict().keys() == {"kernels", "seconds", "folder"}


def test_command_prints_a_table_or_json(monkeypatch: pytest.MonkeyPatch) -> None:
    def one() -> None:
        jit._compiled_names.append("count_common")

    monkeypatch.setattr(warm_up, "_jobs", lambda: iter([("F", one), ("F", one)]))
    assert "kernels" in caesura("warm-up").stdout
    assert json.loads(caesura("warm-up", "--json").stdout)["kernels"] == ["count_common"]
