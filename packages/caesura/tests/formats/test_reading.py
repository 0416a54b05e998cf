"""Folders, groups, attributes and interpretations: what a reader chooses, says and refuses (R1 and R6 of the rules for speech)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import caesura as cs
from caesura.errors import CaesuraError
from cli.command import caesura, refused
from shared_data import oracle_json

CASES = oracle_json("reading_speech/cases.json")


def of_rule(*rules: str) -> pytest.MarkDecorator:
    """Parametrize a test by the oracle's cases of some rules."""
    return pytest.mark.parametrize("case", [c for c in CASES if c["rule"] in rules], ids=lambda c: c["name"])


def put(folder: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    return folder


def options_of(case: dict[str, Any]) -> list[str]:
    return [word for key, value in case["do"].get("options", {}).items() for word in ("-O", f"{key}={value}")]


@of_rule("speakers")
@pytest.mark.filterwarnings("ignore::caesura.formats.notes.ReadingNote")
def test_folders_are_speakers(tmp_path: Path, case: dict[str, Any]) -> None:
    corpus = cs.read(put(tmp_path / "corpus", case["files"]), **case["do"]["options"])
    assert sorted(corpus.items) == case["expect"]["items"]
    assert len(corpus.coders) == case["expect"]["coders"]
    assert {item: known["speaker"] for item, known in corpus.attributes.items()} == case["expect"]["attribute_speaker"]
    sentence = refused("agree", tmp_path / "corpus", *options_of(case))
    assert all(part in sentence for part in case["expect"]["agree"]["says"])


SEGMENTS = {"ann": "one two | three", "ben": "one | two three"}


def test_two_folders_of_speakers_are_compared_by_path(tmp_path: Path) -> None:
    """Speakers were read as coders: R 0.664, and 4 items against alice and bob."""
    files = {
        f"{who}/u{i}.lab": f"0 {0.3 + i / 10} a\n{0.3 + i / 10} {1 + len(who) / 10} b\n"
        for who in ("alice", "bob")
        for i in (0, 1)
    }
    put(tmp_path / "gold", files), put(tmp_path / "sys", files)
    done = caesura("evaluate", tmp_path / "gold", tmp_path / "sys", "-m", "R", "--by", "speaker", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["count"] == 4
    assert result["systems"]["sys"]["R"]["micro"] == 1.0
    assert "the folders alice, bob were read as speakers" in done.stderr


def test_folders_whose_names_say_so_are_coders(tmp_path: Path) -> None:
    put(tmp_path, {"coder1/talk.txt": SEGMENTS["ann"], "coder2/talk.txt": SEGMENTS["ben"]})
    corpus = cs.read(tmp_path)
    assert (corpus.items, corpus.coders) == (("talk",), ("coder1", "coder2"))
    assert corpus.interpretation is not None
    assert corpus.interpretation.coders == "folders"


def test_placeholders_of_a_pattern_are_attributes(tmp_path: Path) -> None:
    put(tmp_path, {"poem/a.txt": "one | two", "poem/b.txt": "one | two three", "news/c.txt": "red | green"})
    corpus = cs.read(tmp_path, pattern="{genre}/{item}.txt")
    assert corpus.items == ("c", "a", "b")
    assert {item: known["genre"] for item, known in corpus.attributes.items()} == {
        "a": "poem",
        "b": "poem",
        "c": "news",
    }
    assert cs.evaluate(corpus, corpus, "F").by("genre").keys() == {"news", "poem"}
    put(tmp_path / "again", {"x/a.txt": "one | two", "y/a.txt": "one two | three"})
    assert cs.read(tmp_path / "again", pattern="{speaker}/{item}.txt").items == ("x/a", "y/a")


def test_attributes_come_from_a_table(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            "texts/a.txt": "one | two",
            "texts/b.txt": "one | two three",
            "about.csv": "item,genre,year\na,poem,1816\nb,news,2020\n",
        },
    )
    corpus = cs.read(tmp_path / "texts", attributes=tmp_path / "about.csv")
    assert corpus.attributes["a"] == {"genre": "poem", "year": "1816"}
    assert (
        cs.read(tmp_path / "texts", attributes=str(tmp_path / "about.csv"))
        .interpretation.groups["genre"]
        .startswith("table")
    )  # type: ignore[union-attr]
    (tmp_path / "about.csv").write_text("item,genre\na,poem\n")
    with pytest.raises(CaesuraError, match="no row for the item 'b'"):
        cs.read(tmp_path / "texts", attributes=tmp_path / "about.csv")


def test_all_bad_files_are_named_at_once_or_left_out(tmp_path: Path) -> None:
    put(tmp_path, {"a.lab": "0 1 a\n1 2 b\n", "b.lab": "0 1 a\nx 2 b\n", "c.lab": "", "d.lab": "0 1 a\n0.5 2 b\n"})
    with pytest.raises(
        CaesuraError, match=r"3 of 4 files cannot be read: b\.lab, line 2: .*c\.lab: the file is empty.*keep_going"
    ) as caught:
        cs.read(tmp_path, "labels", **{"as": "boundaries"})
    assert "d.lab, line 2" in str(caught.value)
    with pytest.warns(UserWarning, match=r"without b\.lab, line 2.* in 2 other files"):
        corpus = cs.read(tmp_path, "labels", keep_going=True, **{"as": "boundaries"})
    assert corpus.items == ("a",)
    assert [note.item for note in corpus.notes if note.rule == "left out"] == ["b", "c", "d"]


def test_an_interpretation_can_be_stored_and_passed_back(tmp_path: Path) -> None:
    put(tmp_path, {"texts/a-ann.txt": SEGMENTS["ann"], "texts/a-ben.txt": SEGMENTS["ben"]})
    corpus = cs.read(tmp_path / "texts", "inline", pattern="{item}-{coder}.txt")
    assert corpus.interpretation is not None
    (tmp_path / "how.json").write_text(json.dumps(corpus.interpretation.as_dict()))
    for given in (corpus.interpretation, corpus.interpretation.as_dict(), tmp_path / "how.json"):
        again = cs.read(tmp_path / "texts", interpretation=given)
        assert again == corpus
        assert again.interpretation == corpus.interpretation
    with pytest.raises(CaesuraError, match="does not fit its interpretation: items"):
        cs.read(tmp_path / "texts", interpretation={**corpus.interpretation.as_dict(), "items": "file names"})
    with pytest.raises(CaesuraError, match="an interpretation is an object"):
        cs.read(tmp_path / "texts", interpretation={"format": "inline"})
