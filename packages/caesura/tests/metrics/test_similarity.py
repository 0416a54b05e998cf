"""The similarity matrix from every input format, and the errors of wrong ones."""

from __future__ import annotations

import json

import numpy as np
import pytest

from caesura.errors import CaesuraError, FormatError
from caesura.metrics.similarity import Similarity, as_similarity

ROWS = [[1, 0.5, 0.25], [0.5, 1, 0], [0.25, 0, 1]]
WANTED = Similarity((",", "."), tuple(map(tuple, ROWS)))
CSV = '"",",",".",∅\n",",1,0.5,0.25\n".",0.5,1,0\n∅,0.25,0,1\n'


def test_from_labels_and_matrix() -> None:
    assert as_similarity({"labels": [",", "."], "matrix": ROWS}) == WANTED
    assert as_similarity(np.array(ROWS), [",", "."]) == WANTED
    assert as_similarity(ROWS, [",", ".", "∅"]) == WANTED
    assert as_similarity(WANTED) is WANTED


def test_from_a_dict_of_dicts_in_any_order() -> None:
    given = {
        "none": {"none": 1, ",": 0.25, ".": 0},
        ",": {",": 1, ".": 0.5, "none": 0.25},
        ".": {".": 1, ",": 0.5, "none": 0},
    }
    assert as_similarity(given) == WANTED


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.csv", CSV),
        ("m.csv", "\ufeff" + CSV.replace("\n", "\r\n")),
        ("m.tsv", "\t,\t.\tnone\n,\t1\t.5\t.25\n.\t.5\t1\t0\nnone\t.25\t0\t1\n"),
        ("m.csv", '"",.,",",\n.,1,0.5,0\n",",0.5,1,0.25\n,0,0.25,1\n'),
        ("m.json", json.dumps({"labels": [",", "."], "matrix": ROWS})),
    ],
)
def test_from_files(tmp_path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    similarity = as_similarity(path)
    order = [similarity.labels.index(n) for n in (",", ".")] + [2]
    assert np.array(similarity.matrix)[np.ix_(order, order)].tolist() == ROWS
    assert as_similarity(str(path)) == similarity


def test_costs_of_moves_are_read_from_file(tmp_path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("x,p,none,transposition\np,1,0,0.3\nnone,0,1,\n", encoding="utf-8")
    assert as_similarity(path).moves.tolist() == [0.3]


def test_rows_are_read_back_as_written(tmp_path) -> None:
    import csv

    path = tmp_path / "m.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(WANTED.as_rows())
    again = as_similarity(path)
    assert again.matrix == WANTED.matrix
    assert again.moves.tolist() == WANTED.moves.tolist()


def test_from_polars(tmp_path) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"": [",", ".", "∅"], ",": [1.0, 0.5, 0.25], ".": [0.5, 1.0, 0.0], "∅": [0.25, 0.0, 1.0]})
    assert as_similarity(frame) == WANTED
    frame.write_parquet(tmp_path / "m.parquet")
    assert as_similarity(tmp_path / "m.parquet") == WANTED


def test_from_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    names = [",", ".", "∅"]
    assert as_similarity(pandas.DataFrame(ROWS, index=names, columns=names)) == WANTED
    assert (
        as_similarity(pandas.DataFrame([[n, *r] for n, r in zip(names, ROWS, strict=True)], columns=["", *names]))
        == WANTED
    )


@pytest.mark.parametrize("given", [0.3, [0.3, 0.3], [0.3, 0.3, 0], {",": 0.3, ".": 0.3}])
def test_transposition_costs(given) -> None:
    assert as_similarity(WANTED, transposition=given).moves.tolist() == [0.3, 0.3]


def test_half_the_deletion_cost_by_default() -> None:
    assert WANTED.moves.tolist() == [0.375, 0.5]


WRONG = [
    ({"labels": ["p"], "matrix": [[1, 0]]}, "is 1 × 2; expected a square one"),
    ({"labels": ["p"], "matrix": [[1, 0], [0]]}, "rows of unequal length"),
    ({"labels": ["p"], "matrix": [[1, "a"], [0, 1]]}, "not a number"),
    ({"labels": ["p"], "matrix": [[1, 2], [0, 1]]}, "of 'p' and '∅' is 2; expected a number from 0 to 1"),
    ({"labels": ["p"], "matrix": [[1, -0.1], [0, 1]]}, "is -0.1; expected"),
    ({"labels": ["p"], "matrix": [[1, float("nan")], [0, 1]]}, "is nan; expected"),
    ({"labels": ["p"], "matrix": [[0.9, 0], [0, 1]]}, "of 'p' with itself is 0.9; expected 1"),
    ({"labels": ["p"], "matrix": [[1, 0], [0, 0]]}, "of '∅' with itself is 0; expected 1"),
    ({"labels": ["p", "q"], "matrix": [[1, 0], [0, 1]]}, "2 rows for 2 labels; expected 3"),
    ({"labels": ["p", "p"], "matrix": np.eye(3)}, "names 'p' twice"),
    ({"labels": ["", "p"], "matrix": np.eye(3)}, "stands for no boundary"),
    ({"matrix": np.eye(3)}, "has no labels"),
    (np.eye(3), "has no labels"),
    ({"labels": ["p"], "matrix": np.eye(2), "size": 1}, "but found 'size'"),
    ({"p": 1}, "dict of dicts"),
    ({"p": {"p": 1, "none": 0}, "none": {"p": 0}}, "holds nothing at row 'none', column 'none'"),
    ({"p": {"p": 1, "q": 0}, "q": {"p": 1, "q": 1, "none": 1}}, "2 rows and 3 columns"),
    ({"p": {"q": 1, "none": 0}, "none": {"q": 0, "none": 1}}, "a row but no column for 'p'"),
]


@pytest.mark.parametrize(("given", "sentence"), WRONG, ids=[s for _, s in WRONG])
def test_wrong_matrices_raise_error(given, sentence: str) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        as_similarity(given)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (-0.1, "moving ',' costs -0.1; expected a number from 0 up"),
        (float("inf"), "costs inf"),
        ([0.1], "1 transposition costs were given for 2 types"),
        ({",": 0.1}, "have none for type '.'"),
        ({",": 0.1, ".": 0.1, "?": 1}, "name '\\?', which is not a type"),
    ],
)
def test_wrong_costs_of_moves_raise_error(given, sentence: str) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        as_similarity(WANTED, transposition=given)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1,0\n0,1\n", "has no labels"),
        ("x,p,none\np,1,0\n", "1 rows and 2 columns"),
        ("x,p,none\np,1\nnone,0,1\n", "row 2 of the similarity matrix has 2 cells, the first 3"),
        ("x,p,none\np,1,much\nnone,0,1\n", "holds 'much' at row 'p', column 'none'"),
        ("x,p,p\np,1,0\nnone,0,1\n", "two columns for 'p'"),
        ('x,"p,none\np,1,0', "this is not a table"),
    ],
)
def test_errors_name_the_file(tmp_path, text: str, sentence: str) -> None:
    path = tmp_path / "m.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=sentence) as caught:
        as_similarity(path)
    assert str(path) in str(caught.value)


def test_missing_file_raises_error() -> None:
    with pytest.raises(FormatError, match="there is no such file"):
        as_similarity("nowhere.csv")
