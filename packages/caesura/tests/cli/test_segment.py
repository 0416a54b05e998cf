"""``caesura segment`` on texts."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

import caesura as cs
from cli.command import caesura, refused

SEA = (
    "The ship sailed the sea. Sailors sail ships on the sea. A storm at sea broke the ship. The sailors lost the ship. "
)
OVEN = (
    "Bread needs flour and an oven. The baker kneads flour for bread. Bake bread in the oven. Flour, yeast and an oven."
)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    (tmp_path / "talk.txt").write_text(SEA + OVEN, encoding="utf-8")
    return tmp_path / "talk.txt"


def test_print_write_and_json(text: Path) -> None:
    assert caesura("segment", text).stdout == "talk: 2 segments of 4|4 units\n"
    out = text.with_suffix(".json")
    assert "wrote" in caesura("segment", text, "--method", "u00", "--segments", "2", "-o", out).stdout
    corpus = cs.read(out)
    assert corpus["talk", "u00"].masses == [4, 4]
    assert corpus["talk", "u00"].units[0] == "The ship sailed the sea."
    answer = json.loads(caesura("segment", text, "--method", "c99", "--segments", "2", "--json").stdout)
    assert answer == {"talk": {"length": 8, "boundaries": [4]}}
    nested = json.loads(caesura("segment", text, "--levels", "2,4", "--json").stdout)
    assert nested["talk"]["segments"][:2] == [[1, 4, 1], [5, 8, 1]]


def test_explain_shows_reasons(text: Path) -> None:
    shown = caesura("segment", text, "--explain").stdout
    assert "Bread needs flour and an oven." in shown
    assert "posterior" in shown
    assert "boundary   ···┃···" in shown
    plain = json.loads(caesura("segment", text, "--explain", "--json").stdout)["talk"]
    assert plain["positions"] == [4]
    assert len(plain["posterior"]) == 7


def test_reference_evaluates_the_result(text: Path) -> None:
    gold = text.parent / "gold.json"
    caesura("segment", text, "--method", "uniform", "--segments", "2", "-o", gold)
    scored = json.loads(caesura("segment", text, "--reference", gold, "--json").stdout)
    assert scored["systems"]["dcm"]["B"]["micro"] == 1.0
    assert "random density" in scored["bounds"]
    assert "dcm" in caesura("segment", gold, "--reference", gold, "-m", "WD").stdout


def test_learn_save_and_reuse_segmenter(text: Path) -> None:
    gold, model = text.parent / "gold.json", text.parent / "model.json"
    caesura("segment", text, "--segments", "2", "-o", gold)
    done = caesura("segment", text, "-p", "penalty=99", "--learn", gold, "--save", model)
    assert "2 segments of 4|4" in done.stdout
    assert caesura("segment", text, "--model", model).stdout == "talk: 2 segments of 4|4 units\n"


def test_folders_and_units(text: Path) -> None:
    (text.parent / "other.txt").write_text("One line.\nAnother line.\n", encoding="utf-8")
    assert caesura("segment", text.parent).stdout.startswith("other: 1 segment of 2 units\ntalk: 2 segments")
    assert "1 segment of 1 unit" in caesura("segment", text, "--unit", "line").stdout


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["{}/none.txt"], "no such file"),
        (["{}/talk.txt", "--segments", "99"], "segments is 99 for a text of 8 units"),
        (["{}/talk.txt", "--method", "spectral"], "spectral segments sound, not text"),
        (["{}/talk.txt", "--method", "magic"], "there is no segmenter 'magic'"),
        (["{}/talk.txt", "--threshold", "1"], "--threshold has no effect"),
        (["{}/talk.txt", "--unit", "word"], "there is no unit 'word'"),
        (["{}/talk.txt", "-p", "colour=red"], "has no parameter 'colour'"),
        (["{}/talk.txt", "--levels", "many"], "expected a number of levels"),
        (["{}/talk.txt", "--method", "mincut"], "needs the number of segments"),
        (["{}/talk.txt", "--segments", "2", "--levels", "2"], "has no effect"),
        (["{}/talk.txt", "--explain", "-o", "{}/x.json"], "has no effect"),
        (["{}/talk.txt", "--encoding", "utf-77"], "there is no encoding"),
        (["sample:stargazer"], "contains no text"),
    ],
)
def test_segment_errors_are_one_sentence(text: Path, words: list[str], why: str) -> None:
    assert why in refused("segment", *(word.replace("{}", str(text.parent)) for word in words))


def test_only_segmented_texts_are_evaluated(text: Path) -> None:
    units = [f"{sentence}." for sentence in (SEA + OVEN).removesuffix(".").split(". ")]
    both = cs.Corpus.from_annotations(
        cs.Annotation(item, "people", cs.Segmentation.from_masses([4, 4], units=units)) for item in ("talk", "letter")
    )
    cs.write(both, text.with_name("people.json"))
    assert caesura("segment", text, "-r", text.with_name("people.json"), "-m", "B").stdout.startswith(
        "dcm against people"
    )


def test_folder_in_folder_out(text: Path) -> None:
    talks = text.parent / "talks"
    for speaker in ("ann", "ben"):  # two texts of one name
        (talks / speaker).mkdir(parents=True)
        (talks / speaker / "talk.txt").write_text(SEA + OVEN, encoding="utf-8")
    out = text.parent / "out"
    caesura("segment", talks, "-o", out)
    assert sorted(p.relative_to(out).as_posix() for p in out.rglob("*.*")) == ["ann/talk.json", "ben/talk.json"]
    corpus = cs.read(out)
    assert corpus.items == ("ann/talk", "ben/talk")
    assert corpus["ann/talk", "dcm"].masses == [4, 4]
    caesura("segment", talks, "-o", text.parent / "lines", "--to", "choi")
    assert (text.parent / "lines" / "ben" / "talk.txt").read_text().count("==========") == 3
    scored = caesura("segment", talks, "--reference", out, "-m", "B").stdout  # items are named as in the reference
    assert "1.000" in scored
    assert "exists already" in refused("segment", talks, "-o", out)
    caesura("convert", out, text.parent / "copy")
    assert cs.read(text.parent / "copy") == corpus


# ---------------------------------------------------------------------- limits


def test_limits_of_segments(text: Path) -> None:
    said = SEA + OVEN
    found = json.loads(caesura("segment", text, "--max-characters", "90", "--json").stdout)["talk"]
    assert max(each["end"] - each["start"] for each in found["chunks"]) <= 90
    assert "".join(said[each["start"] : each["end"]] for each in found["chunks"]) == said
    written = text.with_name("short.json")
    caesura("segment", text, "--max-characters", "90", "-o", written)
    (marks,) = (annotation.marks for annotation in cs.read(written))
    assert len(marks.masses) == len(found["chunks"])  # type: ignore[union-attr]
    few = caesura("segment", text, "--method", "uniform", "--max-tokens", "16").stdout
    assert "segments of" in few, "a method that needs a number gets as many as the limit asks for"


def test_chunks_keep_their_overlap(text: Path) -> None:
    path = text.with_name("chunks.jsonl")
    caesura("segment", text, "--max-characters", "160", "--overlap", "1 units", "--chunks", path, "--style", "chonkie")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert any(after["start_index"] < before["end_index"] for before, after in pairwise(rows))
    said = SEA + OVEN
    assert all(said[row["start_index"] : row["end_index"]] == row["text"] for row in rows)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--overlap", "9"), "--overlap has no effect without --chunks"),
        (("--overlap", "much", "--chunks", "c.jsonl"), "expected a number of characters"),
        (("--max-characters", "5", "--min-characters", "9"), "min_characters is 9, above max_characters"),
        (("--max-characters", "10", "-o", "x.json"), "which units cannot express"),
        (("--max-characters", "10", "--oversize", "refuse"), "maximum"),
        (("--max-tokens", "9", "--levels", "2"), "limits are for flat segments"),
    ],
)
def test_limits_that_cannot_be_kept_are_refused(text: Path, options: tuple[str, ...], sentence: str) -> None:
    assert sentence in refused("segment", text, *options)
    assert not text.with_name("x.json").exists()


def test_recordings_have_no_limits_of_characters(text: Path) -> None:
    assert "--max-characters has no effect on recordings" in refused(
        "segment", text.with_name("x.wav"), "--max-characters", "9"
    )
