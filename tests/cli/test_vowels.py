"""The commands that put vowels back, run as users run them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli.command import SOURCE, caesura, refused

LINES = ["שָׁלוֹם עֲלֵיכֶם", "הַיֶּלֶד קָרָא סֵפֶר", "הַסַּפָּר סָפַר כֶּסֶף", "קָרָא סֵפֶר טוֹב"] * 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("vowels")
    (made / "text.txt").write_text("\n".join(LINES) + "\n", encoding="utf-8")
    done = caesura("vowels", "train", made / "text.txt", "-o", made / "he.model", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["language"] == "hebrew"
    return made


def piped(text: bytes, *words: object) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    return subprocess.run(
        [sys.executable, "-m", "caesura", *map(str, words)],
        input=text,
        capture_output=True,
        env=env,
        timeout=120,
        check=False,
    )


def test_restore_streams_and_keeps_everything_else(folder: Path) -> None:
    from caesura.formats.scripts import HEBREW

    text = "קרא ספר, ok?\r\n\r\n  הספר ספר\tכסף".encode()
    done = piped(text, "vowels", "restore", folder / "he.model")
    assert done.returncode == 0, done.stderr
    assert HEBREW.strip(done.stdout.decode()) == text.decode()
    assert HEBREW.canonical("סֵפֶר") in done.stdout.decode()


def test_nbest_json_and_colours(folder: Path) -> None:
    listed = piped("ספר\n".encode(), "vowels", "restore", folder / "he.model", "--nbest", 2).stdout.decode()
    assert listed.startswith("ספר\t")
    assert len(listed.strip().split("\t")) == 3
    said = json.loads(piped("קרא ספר\n".encode(), "vowels", "restore", folder / "he.model", "--json").stdout)
    assert [w["word"] for w in said["words"]] == ["קרא", "ספר"]
    assert 0 < said["words"][1]["forms"][0]["probability"] <= 1
    coloured = piped("ספר זזז\n".encode(), "vowels", "restore", folder / "he.model", "--colour").stdout.decode()
    assert "\x1b[31m" in coloured


def test_evaluate_and_compare(folder: Path, tmp_path: Path) -> None:
    done = caesura("vowels", "evaluate", folder / "text.txt", "--model", "unigram", "--test", "0.3", "--json")
    assert done.returncode == 0, done.stderr
    assert 0 <= json.loads(done.stdout)["seed 0"]["word-accuracy"]["value"] <= 1
    shown = caesura("vowels", "evaluate", folder / "text.txt", "--model", folder / "he.model")
    assert "all lines" in shown.stdout
    bare = tmp_path / "bare.txt"
    assert caesura("vowels", "corpus", folder / "text.txt", "--bare", "-o", bare).returncode == 0
    assert "ָ" not in bare.read_text(encoding="utf-8")
    same = caesura("compare", folder / "text.txt", bare, "--marks", "hebrew", "--json")
    assert same.returncode == 0, same.stderr
    scores = json.loads(same.stdout)["metrics"]
    assert scores["word-accuracy"]["micro"] == 0.0
    assert scores["DER"]["micro"] > 0.5


def test_bad_input_is_refused_in_a_sentence(folder: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.txt"
    bare.write_text("שלום רב\n", encoding="utf-8")
    assert "none of the marks" in refused("vowels", "train", bare, "-o", tmp_path / "m")
    assert "no Arabic letter" in refused("vowels", "train", bare, "-o", tmp_path / "m", "--language", "arabic")
    assert "there is no model 'hm'" in refused(
        "vowels", "train", folder / "text.txt", "-o", tmp_path / "m", "--model", "hm"
    )
    assert "there is no corpus" in refused("vowels", "corpus", "hebrew-bibel")
    assert "not a vowel model" in refused("vowels", "restore", bare)
    assert "no such file" in refused("vowels", "restore", folder / "he.model", tmp_path / "none.txt")
    assert "1 or more" in refused("vowels", "restore", folder / "he.model", bare, "--nbest", "0")
    assert "expected 'random' or 'blocks'" in refused("vowels", "evaluate", folder / "text.txt", "--split", "odd")
    assert "there is no script 'greek'" in refused("compare", bare, bare, "--marks", "greek")
    broken = tmp_path / "broken.txt"
    broken.write_bytes("שלום\nרב ".encode() + b"\xff\xfe\n")
    assert "line 2: this is not UTF-8" in refused("vowels", "restore", folder / "he.model", broken)
    assert not (tmp_path / "m").exists()
