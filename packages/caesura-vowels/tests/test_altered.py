"""Restored texts whose letters differ: CATT's benchmark lines, both ways of counting, and the command."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from caesura.errors import CaesuraError
from caesura_vowels.altered import clean, score_restored, split_letters
from cli.command import caesura, refused
from shared_data import shared

#: Altered lines of three systems of the CATT benchmark (abjadai/catt, Apache 2.0), with rapidfuzz's distances.
LINES = json.loads((Path(__file__).parent / "oracles" / "catt_lines.json").read_text(encoding="utf-8"))


def test_distances_of_altered_lines() -> None:
    for case in LINES:
        found = score_restored([case["reference"]], {"x": [case["output"]]}, anchor=True).systems["x"]
        assert found.distance == case["distance"]
        assert found.letters == case["letters"]
        assert (found.source_letters, found.copy_letters) == (case["source_letters"], case["copy_letters"])
        assert found.altered_lines == 1


def test_both_ways_of_counting() -> None:
    reference, altered = "قَالَ نَعَمْ", "قَالَ نَعَمُ"
    same = score_restored([reference], {"x": [reference]}).systems["x"]
    assert (same.der_all, same.der_placed, same.rate("der_with"), same.rate("wer_with")) == (0, 0, 0, 0)
    found = score_restored([reference], {"x": [altered]}, counting="catt")
    one = found.systems["x"]
    assert one.catt["der_with"] == (1, 9)  # six letters, a blank, start and end
    assert one.catt["wer_with"] == (1, 2)
    assert one.der_all == pytest.approx(100 / 6)
    assert "counting:catt" in str(found)
    dropped = score_restored([reference], {"x": ["قَالَ نَعَ"]}, anchor=True).systems["x"]
    assert (dropped.without_counterpart, dropped.wrong, dropped.letters) == (1, 0, 6)
    assert dropped.der_all == pytest.approx(100 / 6)
    assert dropped.der_placed == 0
    endings = score_restored(["قَالَ نَعَمْ"], {"x": ["قَالُ نَعَمْ"]}).systems["x"]
    assert endings.catt["der_without"][0] == 0


def test_marks_of_letters() -> None:
    assert split_letters("مَّ") == split_letters("م\u064e\u0651") == [("م", "\u0651\u064e")]
    assert split_letters("\u064eب") == [("ب", "")]
    assert clean("قَـالَ: «نَعَمْ» (1)") == "قَالَ نَعَمْ"
    assert split_letters(clean("שָׁלוֹם"))[0][0] == "ש"


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: score_restored(["قال"], {"x": ["قل"]}), "line 1: the letters differ from the reference.*--anchor"),
        (lambda: score_restored(["قال"], {"x": []}), "'x' has 0 lines, the reference 1"),
        (lambda: score_restored([], {"x": []}), "the reference has no lines"),
        (lambda: score_restored(["قال"], {"x": ["قال"]}, counting="der"), "counting is 'der'"),
        (lambda: score_restored(["قال"], {"x": ["بتثجح"]}, anchor=True), "of the letters were altered"),
    ],
)
def test_bad_input_is_one_sentence(call, sentence) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        call()


def test_the_command_scores_restored_files(tmp_path) -> None:
    (tmp_path / "gold.txt").write_text("\n".join(case["reference"] for case in LINES), encoding="utf-8")
    (tmp_path / "model.txt").write_text("\n".join(case["output"] for case in LINES), encoding="utf-8")
    files = tmp_path / "gold.txt", "--restored", tmp_path / "model.txt"
    assert "--anchor" in refused("vowels", "evaluate", *files)
    data = json.loads(caesura("vowels", "evaluate", *files, "--anchor", "--counting", "catt", "--json").stdout)
    assert data["systems"]["model"]["altered_lines"] == len(LINES)
    shown = caesura("vowels", "evaluate", *files, "--anchor", "--counting", "catt")
    assert "counted as CATT" in shown.stdout
    assert "has no effect" in refused("vowels", "evaluate", tmp_path / "gold.txt", "--anchor")
    assert "has no effect" in refused("vowels", "evaluate", *files, "--model", "hmm")


def test_published_rates_of_whole_files() -> None:
    """CATT's systems on its benchmark, by its own counting; needs its files.

    git clone https://github.com/abjadai/catt && CAESURA_CATT=catt/benchmarking pytest -k published_rates_of_whole_files
    """
    if not (folder := os.environ.get("CAESURA_CATT")):
        pytest.skip("set CAESURA_CATT to the folder benchmarking of abjadai/catt")
    printed = json.loads(shared("oracles/anchor/catt_CATT.json").read_text(encoding="utf-8"))
    files = {file.name: file for file in Path(folder).rglob("CATT_data_*.txt")}
    reference = files["CATT_data_gt.txt"].read_text(encoding="utf-8").splitlines()
    known = {name: files[name] for name in printed if name in files}
    assert known, "none of the files of the benchmark is there"
    for name, path in known.items():
        lines = path.read_text(encoding="utf-8").splitlines()
        found = score_restored(reference, {"x": lines}, anchor=True).systems["x"]
        for rate in ("der_with", "wer_with", "der_without", "wer_without"):
            assert found.rate(rate) == pytest.approx(printed[name]["catt"][rate][2], abs=0.001), (name, rate)
        assert (found.altered_lines, found.distance) == (printed[name]["altered_lines"], printed[name]["distance"])
        assert found.der_all == pytest.approx(printed[name]["der_all"], abs=0.02)
