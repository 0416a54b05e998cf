"""The commands that put vowels back, run as users run them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import caesura as cs
from caesura_vowels import VowelRestorer
from caesura_vowels.scripts import HEBREW
from cli.command import SOURCE, caesura, refused

LINES = ["שָׁלוֹם עֲלֵיכֶם", "הַיֶּלֶד קָרָא סֵפֶר", "הַסַּפָּר סָפַר כֶּסֶף", "קָרָא סֵפֶר טוֹב"] * 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("vowels")
    (path / "text.txt").write_text("\n".join(LINES) + "\n", encoding="utf-8")
    done = caesura("vowels", "train", path / "text.txt", "-o", path / "he.model", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["language"] == "hebrew"
    return path


def pipe(text: bytes, *words: object) -> subprocess.CompletedProcess[bytes]:
    done = caesura(*words, stdin=text, COLUMNS=os.environ.get("COLUMNS", "80"))
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.encode(), done.stderr.encode())


def test_restore_streams_and_keeps_everything_else(folder: Path) -> None:
    text = "קרא ספר, ok?\r\n\r\n  הספר ספר\tכסף".encode()
    words = [sys.executable, "-m", "caesura", "vowels", "restore", str(folder / "he.model")]
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(words, input=text, capture_output=True, env=env, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert HEBREW.strip(done.stdout.decode()) == text.decode()
    assert HEBREW.canonical("סֵפֶר") in done.stdout.decode()


def test_training_reports_validation_results(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("\n".join(LINES * 130), encoding="utf-8")
    done = caesura("vowels", "train", tmp_path / "text.txt", "-o", tmp_path / "m")
    assert done.returncode == 0, done.stderr
    assert "held-out words: 100.0% right; calibration error 0.0" in done.stdout


def test_nbest_json_and_colours(folder: Path) -> None:
    listed = pipe(
        "ספר קרא\nabc\r\nספר".encode(), "vowels", "restore", folder / "he.model", "--nbest", 2
    ).stdout.decode()
    rows = [line.split("\t") for line in listed.split("\n")]
    assert [row[0] for row in rows] == ["ספר", "קרא", "", "", "ספר", "", ""]
    assert len(rows[0]) == 3
    text = "קרא ספר\n\nזזז abc\r\n"
    done = pipe(text.encode(), "vowels", "restore", folder / "he.model", "--json").stdout.decode()
    lines = [json.loads(line) for line in done.splitlines()]
    assert [[w["word"] for w in line["words"]] for line in lines] == [["קרא", "ספר"], [], ["זזז"]]
    assert [line["words"][-1]["start"] for line in lines if line["words"]] == [4, 0]
    assert lines[2]["text"] == "זזז abc"
    assert 0 < lines[0]["words"][1]["forms"][0]["probability"] <= 1
    coloured = pipe("ספר זזז\n".encode(), "vowels", "restore", folder / "he.model", "--colour").stdout.decode()
    assert "\x1b[31mזזז\x1b[0m" in coloured


def test_lines_are_reordered_for_terminals_without_bidi(folder: Path, monkeypatch) -> None:
    monkeypatch.setenv("CAESURA_BIDI", "us")
    monkeypatch.setenv("COLUMNS", "24")
    text = "(קרא) abc 12 זזז דדדד\nplain\n".encode()
    shown = pipe(text, "vowels", "restore", folder / "he.model", "--colour").stdout.decode()
    rows = shown.replace("\x1b[31m", "").replace("\x1b[0m", "").split("\n")
    assert rows[0] == "   דדדד זזז abc 12 (ארָקָ)"
    assert rows[1] == "plain"
    monkeypatch.setenv("COLUMNS", "20")
    shown = pipe(text, "vowels", "restore", folder / "he.model", "--colour").stdout.decode()
    rows = shown.replace("\x1b[31m", "").replace("\x1b[0m", "").split("\n")
    assert rows[0].endswith("זזז abc 12 (ארָקָ)")
    assert rows[1].strip() == "דדדד"


def test_models_keep_the_licence_notice(tmp_path: Path) -> None:
    pytest.importorskip("quran_text")
    done = caesura("vowels", "train", "quran", "--model", "unigram", "-o", tmp_path / "ar.model")
    assert "CC BY 4.0" in done.stderr
    assert b"CC BY 4.0" in (tmp_path / "ar.model").read_bytes()[:5000]
    from caesura_vowels import VowelRestorer

    assert "quran-text" in VowelRestorer.load(tmp_path / "ar.model").notice


def test_evaluate_and_compare(folder: Path, tmp_path: Path) -> None:
    done = caesura("vowels", "evaluate", folder / "text.txt", "--model", "unigram", "--test", "0.3", "--json")
    assert done.returncode == 0, done.stderr
    scores = json.loads(done.stdout)["seed 0"]
    assert 0 <= scores["word-accuracy"]["value"] <= 1
    assert 0 <= scores["calibration-error"]["value"] <= 1
    sentence = refused("vowels", "evaluate", folder / "text.txt", "--model", folder / "he.model")
    assert "was trained on all 12 lines" in sentence
    (tmp_path / "mixed.txt").write_text("\n".join([*LINES[:4], "סָפַר סֵפֶר", "הַיֶּלֶד טוֹב"]) + "\n", encoding="utf-8")
    shown = caesura("vowels", "evaluate", tmp_path / "mixed.txt", "--model", folder / "he.model", COLUMNS="160")
    assert "2 lines; 4 that the model was trained on are left out" in shown.stdout
    (tmp_path / "other.txt").write_text("סָפַר סֵפֶר\nהַיֶּלֶד טוֹב\n", encoding="utf-8")
    shown = caesura("vowels", "evaluate", tmp_path / "other.txt", "--model", folder / "he.model")
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
    assert "no marks to learn from" in refused("vowels", "train", bare, "-o", tmp_path / "m")
    assert "no Arabic letter" in refused("vowels", "train", bare, "-o", tmp_path / "m", "--language", "arabic")
    assert "there is no model 'hm'" in refused(
        "vowels", "train", folder / "text.txt", "-o", tmp_path / "m", "--model", "hm"
    )
    assert "there is no corpus" in refused("vowels", "corpus", "hebrew-bibel")
    assert "not a vowel model; if it is the text, add --language" in refused("vowels", "restore", bare)
    assert "no such file" in refused("vowels", "restore", folder / "he.model", tmp_path / "none.txt")
    assert "1 or more" in refused("vowels", "restore", folder / "he.model", bare, "--nbest", "0")
    assert "expected 'random' or 'blocks'" in refused("vowels", "evaluate", folder / "text.txt", "--split", "odd")
    blocks = ("vowels", "evaluate", folder / "text.txt", "--split", "blocks", "--folds", "3")
    assert "there is no block 4; expected 1 to 3" in refused(*blocks, "--block", "4")
    assert list(json.loads(caesura(*blocks, "--block", "2", "--json").stdout)) == ["block 2"]
    assert "there is no script 'greek'" in refused("compare", bare, bare, "--marks", "greek")
    assert "no script 'greek'" in refused("vowels", "train", "sample", "-o", tmp_path / "m", "--language", "greek")
    assert "folder" in refused("vowels", "train", folder / "text.txt", "-o", tmp_path / "none" / "m")
    assert not (tmp_path / "m").exists()


def test_wrong_language_is_reported(folder: Path, tmp_path: Path) -> None:
    arabic = tmp_path / "arabic.txt"
    arabic.write_text("كَتَبَ الوَلَدُ\n", encoding="utf-8")
    sentence = refused("vowels", "restore", folder / "he.model", arabic)
    assert "but the text has no Hebrew letters" in sentence
    assert "is for Hebrew, the corpus 'text' is Arabic" in refused(
        "vowels", "evaluate", arabic, "--model", folder / "he.model"
    )
    for text, status in ((b"123, hello\n", 2), ("123, שלום hello".encode(), 0), (b"123,\n", 0), (b"", 0)):
        passed = pipe(text, "vowels", "restore", folder / "he.model")
        assert passed.returncode == status, text
        assert HEBREW.strip(passed.stdout.decode()) == text.decode()
        assert status == 0 or b"no Hebrew letters" in passed.stderr


def test_lines_before_an_undecodable_one_are_restored(folder: Path) -> None:
    sound = "קרא ספר\n" * 3
    for broken in (b"\xff\xfe\n", b"ok \xd7", b"\xd7\n" + "ספר\n".encode()):
        done = pipe(sound.encode() + broken, "vowels", "restore", folder / "he.model")
        assert done.returncode == 2
        assert HEBREW.strip(done.stdout.decode()) == sound
        assert b"standard input, line 4: this is not UTF-8 text" in done.stderr
        assert done.stderr.count(b"\n") == 1


def test_encoding_option_reads_old_encodings(folder: Path, tmp_path: Path) -> None:
    old = tmp_path / "old.txt"
    old.write_bytes("\n".join(LINES).encode("cp1255"))
    assert "--encoding" in refused("vowels", "train", old, "-o", tmp_path / "m")
    done = caesura("vowels", "train", old, "-o", tmp_path / "m", "--encoding", "cp1255")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("encoding", "given"), [("cp1255", True), ("utf-16", False), ("utf-16", True)])
def test_restore_reads_old_encodings(folder: Path, tmp_path: Path, encoding: str, given: bool) -> None:
    text = "קרא ספר\r\n\r\nהספר"
    (tmp_path / "old.srt").write_bytes(text.encode(encoding))
    option = ("--encoding", encoding) if given else ()
    expected = pipe(text.encode(), "vowels", "restore", folder / "he.model").stdout
    assert HEBREW.strip(expected.decode()) == text
    for done in (
        pipe(b"", "vowels", "restore", folder / "he.model", tmp_path / "old.srt", *option),
        pipe(text.encode(encoding), "vowels", "restore", folder / "he.model", *option),
    ):
        assert (done.stdout, done.stderr, done.returncode) == (expected, b"", 0)


def test_wrong_encodings_are_refused(folder: Path, tmp_path: Path) -> None:
    old, model = tmp_path / "old.txt", folder / "he.model"
    old.write_bytes("abc\nקרא\n".encode("cp1255"))
    assert refused("vowels", "restore", model, old, "-o", tmp_path / "new").endswith(
        "old.txt, line 2: this is not UTF-8 text; name its encoding, such as --encoding cp1255 or cp1256."
    )
    assert refused("vowels", "restore", model, old, "--encoding", "ascii").endswith("line 2: this is not ASCII text.")
    assert "there is no text encoding 'hex'" in refused("vowels", "restore", model, old, "--encoding", "hex")
    done = pipe(b"abc", "vowels", "restore", model, "--encoding", "utf-16")
    assert (done.stdout, done.returncode) == (b"", 2)
    assert not (tmp_path / "new").exists()
    old.write_bytes(b"PK\x03\x04\0\0\xff")
    assert refused("vowels", "restore", model, old).endswith("expected text, or a .docx, .TextGrid or .eaf file.")


def test_what_has_no_hebrew_letters_is_not_written(folder: Path, tmp_path: Path) -> None:
    for option in ("--output", "--page"):
        done = pipe(b"abc", "vowels", "restore", folder / "he.model", option, tmp_path / "new")
        assert b"no Hebrew letters" in done.stderr
        assert not (tmp_path / "new").exists()


def test_one_test_line_has_no_interval(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("שָׁלוֹם רַב\nבְּרֵאשִׁית בָּרָא\nשָׁלוֹם עַל\n", encoding="utf-8")
    done = caesura("vowels", "evaluate", tmp_path / "text.txt", "--model", "unigram", "--test", "0.3")
    assert done.returncode == 0, done.stderr
    assert "seed 0" in done.stdout


def test_restore_without_a_model_names_the_options() -> None:
    assert refused("vowels", "restore", "hebrew").endswith("for the shipped model, give --language hebrew.")
    assert refused("vowels", "restore").startswith("no model is given; give a model file, or --language")


def test_folder_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    assert f"{tmp_path}: this is a folder, expected a file." in refused("vowels", "restore", tmp_path)
    with pytest.raises(cs.FormatError, match="this is a folder"):
        VowelRestorer.load(tmp_path)
    model = tmp_path / "small.model"
    VowelRestorer().fit(["שָׁלוֹם רָב"]).save(model)
    assert f"{tmp_path}: this is a folder, expected a file." in refused("vowels", "restore", model, tmp_path)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [("vowels evaluate {d}/text.txt --seed -1", "--seed"), ("reproduce gal2002 {d}/none.tgz", "none.tgz")],
)
def test_bad_arguments_are_refused_before_output(folder: Path, words: str, sentence: str) -> None:
    before = sorted(folder.iterdir())
    done = caesura(*words.format(d=folder).split())
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert sentence in done.stderr
    assert sorted(folder.iterdir()) == before


def test_closed_input_is_empty_input(folder: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m caesura vowels restore {folder}/he.model <&-"],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(SOURCE)}, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
