"""Sentences that used to mislead: what each of them says now."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import caesura as cs
from caesura.model import Annotation, Corpus, Segmentation
from cli.command import caesura, refused


def test_missing_folder_is_reported(tmp_path) -> None:
    assert "there is no such folder" in refused("convert", tmp_path / "gone", "x.json", "--pattern", "{item}.csv")


def test_one_selected_coder_is_an_error() -> None:
    sentence = refused("agree", "sample:moonstone", "-c", "an1")
    assert "--coder selects 'an1' only" in sentence
    assert "pattern" not in sentence


def test_hint_for_pattern_with_sf(tmp_path) -> None:
    for name in ("a_ann", "a_ben", "b_ann"):
        (tmp_path / f"{name}.txt").write_text("one two | three four five" if name[0] == "a" else "red | green blue")
    plain, flexible = (refused("agree", tmp_path, *words) for words in ([], ["-m", "Sf"]))
    assert "pattern={item}_{coder}.txt" in plain
    assert flexible == plain


def test_items_without_their_type_name_the_missing_key(tmp_path) -> None:
    (tmp_path / "s.json").write_text(json.dumps({"items": {"a": {"ann": [2, 3], "ben": [5]}}}))
    sentence = refused("agree", tmp_path / "s.json")
    assert 'the key "segmentation_type" is missing' in sentence
    assert "wiki727" not in sentence


def test_error_advises_folder_for_several_recordings(tmp_path) -> None:
    corpus = Corpus.from_annotations(
        Annotation(f"talk {i}", coder, Segmentation.from_times([1.0], length=2.0))
        for i in range(3)
        for coder in ("ann", "ben")
    )
    cs.write(corpus, tmp_path / "three.json")
    sentence = refused("unify", tmp_path / "three.json", "-o", tmp_path / "gold.TextGrid")
    assert "--write-pattern '{item}-{coder}.TextGrid'" in sentence
    assert caesura("unify", tmp_path / "three.json", "-o", tmp_path / "gold.json").returncode == 0
    words = ("gold.json", "folder", "--write-pattern", "{item}-{coder}.TextGrid")
    done = caesura("convert", tmp_path / words[0], tmp_path / words[1], *words[2:])
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "folder").iterdir())) == 3


@pytest.mark.parametrize("command", ["unify", "compare", "agree"])
def test_help_works_without_docstrings(command: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(cs.__file__).parents[1])}
    words = ["-m", "caesura", command, "--help"]
    with_docs, without = (
        subprocess.run([sys.executable, *flags, *words], env=environment, capture_output=True, text=True, check=True)
        for flags in ([], ["-OO"])
    )
    assert without.stdout == with_docs.stdout
