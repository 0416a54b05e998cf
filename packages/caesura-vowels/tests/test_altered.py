"""Restored texts whose letters differ: CATT's benchmark lines, both ways of counting, and the command."""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import numpy as np
import pytest

from caesura.errors import CaesuraError
from caesura_vowels.altered import _tags, _words, clean, read_lines, score_restored, split_letters
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
    replaced = [reference], {"x": ["كَالَ نَعَمْ"]}
    assert score_restored(*replaced, anchor=True).systems["x"].without_counterpart == 1
    aligned = score_restored(*replaced, anchor=True, through="aligned")
    assert aligned.systems["x"].der_all == 0
    assert "through:aligned" in aligned.signature
    endings = score_restored(["قَالَ نَعَمْ"], {"x": ["قَالُ نَعَمْ"]}).systems["x"]
    assert endings.catt["der_without"][0] == 0


def test_marks_of_letters() -> None:
    assert split_letters("مَّ") == split_letters("م\u064e\u0651") == [("م", "\u0651\u064e")]
    assert split_letters("\u064eب") == [("ب", "")]
    assert clean("قَـالَ: «نَعَمْ» (1)") == "قَالَ نَعَمْ"
    assert split_letters(clean("שָׁלוֹם", arabic=False))[0][0] == "ש"


@pytest.mark.parametrize(
    ("line", "marks"),
    [
        ("بََّ", ["<", "\u064e", ">"]),  # fatha, fatha, shadda, as in line 487 of GPT-4's output
        ("بَّبَّ", ["<", "\u0651\u064e", "\u0651\u064e", ">"]),  # in either order
        ("بُُبَُ", ["<", "\u064f", "\u064e", ">"]),
        ("\ufefbَ", ["<", "", "\u064e", ">"]),
        ("بَ ِ ", ["<", "\u064e", "\u0650", ">"]),  # of the blank, which has marks
        ("12", ["<", ">"]),
    ],
)
def test_tags_of_letters_with_several_marks_are_those_of_the_tokenizer_of_catt(line, marks) -> None:
    assert _tags(clean(line), endings=True) == marks


def test_blank_line_at_the_end_is_a_line_as_for_catt(tmp_path) -> None:
    """CATT's files end with a blank line, which has a tag for its start, one for its end, and counts as a word."""
    reference = tmp_path / "reference.txt"
    reference.write_text("قَالَ نَعَمْ\n\n", encoding="utf-8")
    (lines := read_lines(reference))
    assert lines == ["قَالَ نَعَمْ", ""]
    assert read_lines(Path(__file__).parent / "oracles" / "catt_lines.json")[-1]
    for restored in (lines, lines[:1], [*lines, "", " "]):
        found = score_restored(lines, {"x": restored}, counting="catt").systems["x"]
        assert (found.catt["der_with"], found.catt["wer_with"]) == ((0, 9 + 2), (0, 2 + 1))
    with pytest.raises(CaesuraError, match="'x' has 1 lines, the reference 2"):
        score_restored(["قَالَ", "نَعَمْ"], {"x": ["قَالَ"]})
    separator = tmp_path / "separator.txt"
    separator.write_text("قَالَ\u2028نَعَمْ\x0c\n", encoding="utf-8")
    assert len(read_lines(separator)) == 1


def test_altered_share_is_limited_and_leaves_no_trace_where_nothing_differs(tmp_path) -> None:
    same = score_restored(["قَالَ"], {"x": ["قَالُ"]}, anchor=True)
    assert "anchor" not in same.signature
    assert not same.warnings()
    reference, altered = ["بتثجحخد", "قال"], ["بتثجحخد", "قلت"]
    with pytest.raises(CaesuraError, match=r"20\.0% of the letters.*more than 10 %.*line is 2, 'قال'.*--max-altered"):
        score_restored(reference, {"x": altered}, anchor=True, max_altered=0.1)
    found = score_restored(reference, {"x": altered}, anchor=True, max_altered=0.25)
    assert "anchor:letters+marks+alif+tatweel|maxalt:0.25" in found.signature
    assert found.warnings() == ["x: 20.0% of the letters were altered."]
    for name, lines in (("gold.txt", reference), ("model.txt", altered)):
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    files = "vowels", "evaluate", tmp_path / "gold.txt", "--restored", tmp_path / "model.txt"
    assert "--max-altered" in refused(*files, "--anchor", "--max-altered", "0.1")
    assert "20.0% of the letters were altered" in caesura(*files, "--anchor").stdout
    assert "without --anchor" in refused(*files, "--max-altered", "0.5")


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


def test_tags_and_errors_are_those_of_the_tokenizer_of_catt() -> None:
    """A text with changed marks, changed letters and lost words, counted by the tokenizer that CATT's authors publish and an edit distance.

    pip install --no-deps catt-tashkeel rapidfuzz
    """
    found = find_spec("catt_tashkeel")
    if found is None or found.submodule_search_locations is None:
        pytest.skip("the tokenizer of CATT is not installed (catt-tashkeel)")
    levenshtein = pytest.importorskip("rapidfuzz.distance", reason="rapidfuzz is not installed").Levenshtein
    package = ModuleType("catt_tashkeel")  # its own __init__ loads networks
    package.__path__ = list(found.submodule_search_locations)
    with patch.dict(sys.modules, {"catt_tashkeel": package}):
        tokenizer = import_module("catt_tashkeel.tokenizer").TashkeelTokenizer()
    reference = shared("data/vowels/tashkeela-test.txt").read_text(encoding="utf-8").splitlines()[:300]
    copy = alter(reference)
    ours = score_restored(reference, {"x": copy}, anchor=True).systems["x"]
    random = np.random.default_rng(1)
    odd = [
        "".join(random.choice(list("بتآٱـة  ﻻ1a\u064b\u064e\u064f\u0651\u0651\u0652\u0670"), 8)) for _ in range(3000)
    ]
    for line in [*odd, *copy[:100], *(case["output"] for case in LINES)]:
        for ending in (True, False):
            letters, tags = tokenizer.get_tashkeel_with_case_ending(tokenizer.clean_text(line), case_ending=ending)
            words = tokenizer.combine_tashkeel_with_text(zip(letters, tags, strict=True)).split()
            assert numbered(_tags(clean(line), ending)) == numbered(tags), line
            assert numbered(_words(clean(line), ending)) == numbered(words), line
    for ending, rate in ((True, "der_with"), (False, "der_without")):
        wrong = total = 0
        for pair in zip(reference, copy, strict=True):
            tags = [tokenizer.get_tashkeel_with_case_ending(line, case_ending=ending)[1] for line in pair]
            wrong, total = wrong + levenshtein.distance(*tags), total + len(tags[0])
        assert tuple(ours.catt[rate]) == (wrong, total)


def numbered(values):
    """Number values by their first appearance: equal lists have the same equal and different places."""
    seen: dict[str, int] = {}
    return [seen.setdefault(value, len(seen)) for value in values]


def alter(lines):
    random, marks = np.random.default_rng(0), "\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652"
    changed = []
    for line in lines:
        drawn = iter(random.random((len(line), 2)))
        kept = [
            ("" if other < 0.5 else marks[int(16 * other) % 8]) if char in marks and chance < 0.08
            else "ت" if "\u0627" <= char <= "\u064a" and chance < 0.003
            else char
            for char, (chance, other) in zip(line, drawn, strict=True)
        ]  # fmt: skip
        words = "".join(kept).split(" ")
        changed.append(" ".join(words[:1] + words[2:] if len(words) > 3 and random.random() < 0.05 else words))
    return changed


def test_published_rates_of_whole_files() -> None:
    """CATT's systems on its benchmark, by its own counting; needs its files.

    git clone https://github.com/abjadai/catt && CAESURA_CATT=catt/benchmarking pytest -k published_rates_of_whole_files
    """
    if not (folder := os.environ.get("CAESURA_CATT")):
        pytest.skip("set CAESURA_CATT to the folder benchmarking of abjadai/catt")
    printed = json.loads(shared("oracles/anchor/catt_CATT.json").read_text(encoding="utf-8"))
    files = {file.name: file for file in Path(folder).rglob("CATT_data_*.txt")}
    reference = read_lines(files["CATT_data_gt.txt"])
    known = {name: files[name] for name in printed if name in files}
    assert known, "none of the files of the benchmark is there"
    for name, path in known.items():
        found, wanted = score_restored(reference, {"x": read_lines(path)}, anchor=True).systems["x"], printed[name]
        for rate in ("der_with", "wer_with", "der_without", "wer_without"):
            assert [*found.catt[rate], round(found.rate(rate), 3)] == wanted["catt"][rate], (name, rate)
        for number in ("lines", "altered_lines", "distance", "source_letters", "copy_letters", "letters"):
            assert getattr(found, number) == wanted[number], (name, number)
        assert found.altered == pytest.approx(wanted["altered_share"], abs=1e-6)
        assert found.der_all == pytest.approx(wanted["der_all"], abs=0.02)
        assert found.der_placed == pytest.approx(wanted["der_placed"], abs=0.02)
