"""Exit statuses: 0 if all is well, 1 if a score is below its limit or undefined, 130 after an interrupt."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import caesura as cs
from caesura.cli import main
from caesura.cli.fail_under import FailUnderScore, failures
from caesura.model import Corpus, Segmentation
from cli.command import caesura


def test_undefined_score_fails_every_limit(tmp_path: Path) -> None:
    files = (tmp_path / "gold.json", tmp_path / "ours.json")
    for file in files:  # recordings without a boundary
        cs.write(Corpus.from_annotations([("one", "x", Segmentation.from_times([], length=4.0))]), file)
    assert caesura("evaluate", *files, "-m", "hit-rate").returncode == 0
    failed = caesura("evaluate", *files, "-m", "hit-rate", "--fail-under", "hit-rate=0.1")
    assert failed.returncode == 1
    assert "hit-rate" in failed.stderr


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_limits_are_inclusive_and_nan_meets_none(higher_is_better: bool) -> None:
    def fails(score: float) -> bool:
        return bool(list(failures({"x": 0.5}, {"x": FailUnderScore(score, higher_is_better)}, "score")))

    assert fails(math.nan)
    assert not fails(0.5)
    assert fails(0.4) is higher_is_better
    assert fails(0.6) is not higher_is_better


def test_interrupt_exits_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "program", interrupted)
    with pytest.raises(SystemExit) as ended:
        main.run()
    assert ended.value.code == 130
