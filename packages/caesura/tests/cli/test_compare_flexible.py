"""``caesura compare --metric Sf``: matrices, drawn operations, and everything that is refused in one sentence."""

from __future__ import annotations

import json

import pytest

from cli.command import caesura, refused

MATRIX = '"",",",".",∅\n",",1,0.5,0.25\n".",0.5,1,0\n∅,0.25,0,1\n'
FIRST = "ANNA: so you came , here , I see .\n"
SECOND = "ANNA: so you came . here I , see .\n"


@pytest.fixture
def pair(tmp_path):
    files = []
    for name, text in (("first", FIRST), ("second", SECOND)):
        path = tmp_path / name / "talk.txt"
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8")
        files.append(path)
    return files


@pytest.fixture
def matrix(tmp_path):
    path = tmp_path / "matrix.csv"
    path.write_text(MATRIX, encoding="utf-8")
    return path


def scores(*arguments) -> dict[str, float]:
    done = caesura("compare", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return {name: m["micro"] for name, m in json.loads(done.stdout)["metrics"].items()}


def test_similarity_and_transposition(pair, matrix) -> None:
    # one comma for a period, one comma moved by one; 6 tokens, 3 boundaries
    assert scores(*pair, "-m", "Sf", "-m", "SfB") == pytest.approx({"Sf": 1 - 1.5 / 6, "SfB": 0.5})
    assert scores(*pair, "-m", "Sf", "--similarity", matrix)["Sf"] == pytest.approx(1 - 0.875 / 6)
    assert scores(*pair, "-m", "Sf", "--similarity", matrix, "--transposition", "0.1")["Sf"] == pytest.approx(0.9)


def test_operations_are_drawn(pair, matrix) -> None:
    done = caesura("compare", *pair, "-m", "Sf", "--similarity", matrix)
    assert "cost 0.875 over 3 boundaries in 6 places" in done.stdout
    assert "match 1 · substitution 1 · transposition 1" in done.stdout
    assert "╰" in done.stdout
    fates = caesura("compare", *pair, "-m", "Sf", "--draw", "fates").stdout
    assert "what became of" in fates


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1,0\n0,1\n", "has no labels"),
        ("x,p,none\np,1,0\n", "expected a square one"),
        (MATRIX.replace("0.5", "1.5"), "expected a number from 0 to 1"),
        (MATRIX.replace(",1,0.5", ",0.9,0.5"), "with itself is 0.9; expected 1"),
        ('"",?,∅\n?,1,0\n∅,0,1\n', "the type ',' at position 3 is not in the similarity matrix, which has '?'"),
    ],
)
def test_matrices_that_are_refused(pair, matrix, text: str, sentence: str) -> None:
    matrix.write_text(text, encoding="utf-8")
    assert sentence in refused("compare", *pair, "-m", "Sf", "--similarity", matrix)


def test_negative_moves_are_refused(pair) -> None:
    assert "expected a number from 0 up" in refused("compare", *pair, "-m", "Sf", "--transposition", "-1")


def test_a_missing_matrix_is_named(pair) -> None:
    assert "nowhere.csv: there is no such file" in refused("compare", *pair, "-m", "Sf", "--similarity", "nowhere.csv")


def test_different_tokens_are_named(pair) -> None:
    pair[1].write_text(SECOND.replace("came", "went"), encoding="utf-8")
    sentence = refused("compare", *pair, "-m", "Sf", "--json")
    assert "token 3 is 'came' in the reference and 'went' in the hypothesis" in sentence


def test_different_speakers_are_named(pair) -> None:
    pair[1].write_text(SECOND.replace("ANNA", "BEN"), encoding="utf-8")
    assert "ANNA" in refused("compare", *pair, "-m", "Sf")


def test_overlapping_types_are_named(tmp_path) -> None:
    from caesura import Corpus, Segmentation, write

    marks = Segmentation.from_positions([(2, "p"), (2, "q")], length=4)
    write(Corpus.from_annotations([("t", "a", marks), ("t", "b", marks)]), tmp_path / "t.json")
    assert "position 2 carries two types, 'p' and 'q'" in refused("compare", tmp_path / "t.json", "-m", "Sf")
