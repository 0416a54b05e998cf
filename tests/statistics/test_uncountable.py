"""One text that a metric cannot count: it is named, and the others are scored where such items are skipped (issue 16, point 13)."""

from __future__ import annotations

import json

import pytest

import caesura as cs
from caesura.statistics.engine import evaluate_files
from cli.command import caesura, refused, written

GOLD = {f"t{i}": [3, 4, 5 + i] for i in range(6)} | {"short": [1, 1]}
SYSTEM = {f"t{i}": [4, 3, 5 + i] for i in range(6)} | {"short": [2]}
WHY = (
    "WD cannot count item 'short', coder 'sys' against 'ann': windows span k + 1 units, but the text has n = 2 units and k = 2; "
    "n must exceed k"
)


def corpora() -> tuple[cs.Corpus, cs.Corpus]:
    sides = ((GOLD, "ann"), (SYSTEM, "sys"))
    return tuple(cs.Corpus.from_dict({item: {coder: marks} for item, marks in side.items()}) for side, coder in sides)


def test_the_text_is_named_with_a_way_out() -> None:
    with pytest.raises(cs.CaesuraError) as refusal:
        cs.evaluate(*corpora(), ["B", "WD", "Pk"], resamples=0)
    advice = "leave such items out with evaluate's missing='skip' (caesura evaluate --missing skip)."
    assert str(refusal.value) == f"{WHY}; {advice}"
    with pytest.raises(cs.CaesuraError, match="WD cannot count item 'short', coder 'sys' against 'ann'"):
        cs.agree(cs.Corpus.join(corpora()), "WD:k=2")


def test_the_rest_is_scored_and_what_was_left_out_is_said() -> None:
    evaluation = cs.evaluate(*corpora(), ["B", "WD", "Pk"], missing="skip", bounds=True, resamples=100)
    assert evaluation.items == tuple(f"t{i}" for i in range(6))
    alone = [corpus.select(items=evaluation.items) for corpus in corpora()]
    expected = cs.evaluate(*alone, ["B", "WD", "Pk"], bounds=True, resamples=100)
    assert evaluation["WD"].as_dict() == expected["WD"].as_dict()
    assert evaluation.bounds["random density"]["B"].micro > 0
    assert evaluation.uncounted == {"short": WHY}
    assert evaluation.sentences()[0] == f"1 item (short) was left out: {WHY}."
    assert evaluation.as_dict()["uncounted"] == {"short": WHY}
    with pytest.raises(cs.CaesuraError, match="no item is left to count: WD cannot count item 'short'"):
        cs.evaluate({"short": [1, 1]}, {"short": [2]}, ["WD"], missing="skip")


def test_metrics_that_nobody_named_are_not_dropped_in_silence() -> None:
    evaluation = cs.evaluate(*corpora(), resamples=0)
    assert "WD" not in evaluation.measured
    assert set(evaluation.omitted) == {"WD", "Pk"}
    assert any(
        sentence.startswith(f"WD, Pk left out: {WHY}; name what you want with") for sentence in evaluation.warnings()
    )
    assert cs.evaluate({"short": [1, 1]}, {"short": [2]}, resamples=0).omitted == {}, "no item could be scored"


def test_streams_leave_out_the_same(tmp_path) -> None:
    paths = [tmp_path / "gold.parquet", tmp_path / "system.parquet"]
    for corpus, path in zip(corpora(), paths, strict=True):
        cs.write(corpus, path)
    whole = cs.evaluate(*corpora(), ["B", "WD"], missing="skip", resamples=100)
    run = {"items_per_fragment": 2, "resamples": 100, "checkpoint": tmp_path / "kept", "missing": "skip"}
    for _ in range(2):  # the second time out of the checkpoint
        streamed = evaluate_files(paths[0], {"hypothesis": paths[1]}, ["B", "WD"], **run)
        assert streamed.count == 6
        assert streamed["WD"].micro == whole["WD"].micro
        assert streamed["WD"].interval == pytest.approx(whole["WD"].interval)
        assert streamed.sentences() == whole.sentences()
    with pytest.raises(cs.CaesuraError, match=r"WD cannot count item 'short'.*--missing skip"):
        evaluate_files(paths[0], {"hypothesis": paths[1]}, ["WD"])


def test_from_the_shell(tmp_path) -> None:
    files = [
        written(tmp_path, f"{coder}.json", {item: {coder: marks} for item, marks in side.items()})
        for side, coder in ((GOLD, "ann"), (SYSTEM, "sys"))
    ]
    assert refused("evaluate", *files, "-m", "WD").startswith(WHY)
    assert refused("compare", *files, "-m", "WD").endswith("(caesura evaluate --missing skip).")
    done = caesura("evaluate", *files, "-m", "WD", "--missing", "skip")
    assert done.returncode == 0, done.stderr
    assert f"! 1 item (short) was left out: {WHY}." in done.stdout
    assert json.loads(caesura("evaluate", *files, "-m", "WD", "--missing", "skip", "--json").stdout)["count"] == 6
    unnamed = caesura("evaluate", *files)
    assert unnamed.stderr.startswith(f"caesura: WD, Pk left out: {WHY};")
