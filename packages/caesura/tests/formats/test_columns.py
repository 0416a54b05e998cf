"""Tables with other names of columns, other units and odd cells: read rightly, noted, or refused; never as one label per unit by mistake."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import caesura as cs
from caesura.errors import CaesuraError
from caesura.formats.columns import likely_intervals


def read(folder: Path, content: str, name: str = "t.csv", **options: Any) -> tuple[cs.Corpus, str]:
    (folder / name).write_text(content)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        corpus = cs.read(folder / name, **options)
    return corpus, " ".join(str(each.message) for each in caught)


HALVES = [(0.0, 0.5, "x"), (0.5, 1.25, "y")]


@pytest.mark.parametrize(
    "table",
    [
        "item,start_ms,end_ms,label\nd,0,500,x\nd,500,1250,y\n",
        "item,start_time_ms,end_time_ms,label\nd,0,500,x\nd,500,1250,y\n",
        "item,Onset (ms),Offset (ms),label\nd,0,500,x\nd,500,1250,y\n",
        "item,start_sec,end_sec,label\nd,0,0.5,x\nd,0.5,1.25,y\n",
        "item,start,duration,label\nd,0,0.5,x\nd,0.5,0.75,y\n",
        "item,start,length,label\nd,0,0.5,x\nd,0.5,0.75,y\n",
        "item,onset,duration,trial_type\nd,0,0.5,x\nd,0.5,0.75,y\n",
        "item,start_ms,duration_ms,label\nd,0,500,x\nd,500,750,y\n",
        "filename,onset,offset,event_label\nd,0,0.5,x\nd,0.5,1.25,y\n",
    ],
)
def test_starts_and_ends_are_times_whatever_they_are_called(tmp_path: Path, table: str) -> None:
    corpus, said = read(tmp_path, table)
    assert corpus.kind == "time", corpus
    marks = corpus["d", ""]
    assert (marks.positions.tolist(), marks.length, marks.names) == ([0.5], 1.25, ("x", "y"))
    assert "not used" not in said
    spans, _ = read(tmp_path, table, format="csv-spans")
    assert spans["d", ""].rows == HALVES


def test_whole_milliseconds_and_seconds_are_no_units(tmp_path: Path) -> None:
    corpus, _ = read(tmp_path, "item,start_ms,end_ms,label\nd,0,1000,x\nd,1000,3000,y\n", format="csv-spans")
    assert corpus["d", ""].rows == [(0.0, 1.0, "x"), (1.0, 3.0, "y")]
    corpus, _ = read(tmp_path, "item,start_s,end_s,label\nd,0,1,x\nd,1,3,y\n")
    assert corpus["d", ""].positions.tolist() == [1.0]


@pytest.mark.parametrize("names", ["first,last", "from,to", "start_char,end_char", "von,bis", "a,b"])
def test_columns_that_look_like_starts_and_ends_are_asked_for(tmp_path: Path, names: str) -> None:
    table = f"item,{names},label\nd,0,4,x\nd,4,9,y\nd,9,12,y\n"
    with pytest.raises(
        CaesuraError, match=f"columns {names.replace(',', ' and ')} may be starts and ends.*--format csv-labels"
    ):
        read(tmp_path, table)
    corpus, said = read(tmp_path, table, format="csv-labels")
    assert corpus["d", ""].masses == [1, 2]
    assert "were not used" in said


def test_other_numbers_are_no_intervals() -> None:
    known = frozenset({"item", "label"})
    assert likely_intervals("item,words,letters,label\nd,3,9,x\nd,2,7,y\nd,4,11,y\n", known) is None
    assert likely_intervals("item,line,label\nd,1,x\nd,2,y\nd,3,y\n", known) is None


def test_numbers_elsewhere_do_not_make_units_seconds(tmp_path: Path) -> None:
    corpus, said = read(tmp_path, "item,coder,start,end,label\nd1.0,a,0,50,x\nd1.0,a,50,100,y\n")
    assert corpus.kind == "spans"
    assert "read as units, not seconds" in said
    later, _ = read(tmp_path, "item,coder,start,end,label\nd,a,0,1,x\nd,a,1,2.5,y\n")
    assert later.kind == "time", "a decimal point in a later row counts, too"


def test_coders_of_one_table_end_together(tmp_path: Path) -> None:
    table = "item,coder,start,end,label\nd,a,0.0,0.5,x\nd,a,0.5,{},y\nd,b,0.0,0.5,x\nd,b,0.5,1.37,y\n"
    with pytest.raises(CaesuraError, match=r"a ends at 1 s, b at 1\.37 s"):
        read(tmp_path, table.format("1.0"))
    common, said = read(tmp_path, table.format("1.0"), lengths="common")
    assert [float(each) for each in common.lengths] == [1.0, 1.0]
    assert "cut off" in said
    close, said = read(tmp_path, table.format("1.36"))
    assert "longer by 10 ms" in said
    assert close["d", "a"].positions.tolist() == [0.5]


def test_lengths_that_are_guessed_are_noted(tmp_path: Path) -> None:
    _, said = read(tmp_path, "item,time\nd,0.5\nd,1.5\n")
    assert "is assumed to end at its last boundary (1.5 s), which is then not scored" in said
    _, said = read(tmp_path, "0.5\n1.5\n", name="t.times")
    assert "no length is given" in said
    _, said = read(tmp_path, "item,time,length\nd,0.5,2\nd,1.5,2\n")
    assert not said
    _, said = read(tmp_path, "item,time\nd,500\nd,1500\n")
    assert "if they are milliseconds, call the column time_ms" in said
    corpus, _ = read(tmp_path, "item,time_ms,length_ms\nd,500,2000\nd,1500,2000\n")
    assert (corpus["d", ""].positions.tolist(), corpus["d", ""].length) == ([0.5, 1.5], 2.0)


@pytest.mark.parametrize("pair", ["yn", "+-", "tf"])
def test_flags_with_one_letter(tmp_path: Path, pair: str) -> None:
    one, zero = pair
    corpus, _ = read(tmp_path, f"item,boundary\nd,{zero}\nd,{one}\nd,{zero}\n")
    assert (corpus.types, corpus["d", ""].masses) == (None, [2, 1])


def test_scores_and_full_columns(tmp_path: Path) -> None:
    for column in ("boundary", "label"):
        with pytest.raises(CaesuraError, match=f"the column {column} holds scores such as 0.1"):
            read(tmp_path, f"item,{column}\nd,0.1\nd,0.7\nd,0\n")
    _, said = read(tmp_path, "item,boundary\nd,1\nd,2\nd,1\n")
    assert "there is a boundary after every unit" in said


def test_unknown_columns_are_listed(tmp_path: Path) -> None:
    with pytest.raises(CaesuraError, match="no known format fits the columns element, zahl, ort; call them position"):
        read(tmp_path, "Element;Zahl;Ort\nd;0;5\n")
    with pytest.raises(
        CaesuraError, match="the columns beginn and ende may be starts and ends; call them start and end"
    ):
        read(tmp_path, "Element;Beginn;Ende\nd;0;5\n")
    with pytest.raises(CaesuraError, match=r"separated by \|; expected commas, semicolons or tabs"):
        read(tmp_path, "item|position\nd|3\n")
    _, said = read(tmp_path, "d,a,3.5,9.5\nd,a,10.5,12.5\n")
    assert "the table has no header; its columns were read as annotator, label, start and end" in said


def test_frames_follow_the_same_rules() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"item": ["d", "d"], "start_ms": [0, 500], "end_ms": [500, 1250], "label": ["x", "y"]})
    assert cs.from_dataframe(frame)["d", ""].positions.tolist() == [0.5]
    frame = polars.DataFrame({"item": ["d", "d"], "start": [0.0, 0.5], "duration": [0.5, 0.75], "label": ["x", "y"]})
    assert cs.from_dataframe(frame)["d", ""].length == 1.25
    with pytest.warns(UserWarning, match="the column id has several values"):
        units = cs.from_dataframe(
            polars.DataFrame({"id": [1, 2, 3], "text": ["a", "b", "c"], "label": ["x", "x", "y"]})
        )
    assert [each.marks.masses for each in units] == [[2, 1]], "unique ids number the rows"
    with pytest.raises(CaesuraError, match=r"ann1, ann2 hold 0 and 1; .* cs\.from_dataframe\(frame, boundary='ann1'\)"):
        cs.from_dataframe(polars.DataFrame({"sent": [1, 2], "ann1": [0, 1], "ann2": [1, 0]}))
    lists = polars.DataFrame({"tokens": [["a", "b"], ["c"]], "tags": [["B-X", "O"], ["O"]]})
    assert [each.marks.rows for each in cs.from_dataframe(lists)] == [[(0, 1, "X")], []]
    columns = [polars.Series([0, 1, 0]), polars.Series([1, 1, 1])]
    assert cs.evaluate(columns, {"ours": columns}, "F", resamples=0)["ours", "F"].micro == 1.0


A, B = [0, 1, 0, 0], [0, 0, 1, 0]


def test_marks_in_every_nesting() -> None:
    wanted = cs.agree({"ann": [2, 3], "ben": [3, 2]}).value
    for nested in ({"d": {"ann": A, "ben": B}}, {"ann": [A], "ben": [B]}, [A, B], {"ann": A, "ben": B}):
        assert cs.agree(nested).value == wanted
    for pair in ((A, B), ("0100", "0010"), ([bool(mark) for mark in A], B)):
        assert cs.window_diff(*pair) == cs.window_diff([2, 3], [3, 2])
    assert cs.evaluate({"d": {"ann": A}}, {"d": {"ours": B}}, "WD", resamples=0)["WD"].micro == cs.window_diff(A, B)
    assert cs.Corpus.from_dict({"d": {"ann": A, "ben": [1, 1, 1, 1]}})["d", "ben"].masses == [1] * 5
    assert cs.unify({"d": {"a": A, "b": B, "c": A}}).masses == [2, 3]
    assert cs.evaluate(A, B, "WD, Pk", resamples=0).systems.keys() == {"hypothesis"}


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: cs.evaluate(list("0100"), list("0010"), "B"), "could be one text or 4; give '0100' for one text"),
        (lambda: cs.evaluate([["x", "x", "y"]], [["x", "y", "y"]], "B"), r"use Segmentation\.from_labels for one label per unit"),
        (lambda: cs.evaluate([2, 3], [3, 2], "kappa"), r"kappa is a coefficient of agreement: cs\.agree"),
        (lambda: cs.to_pandas, r"use corpus\.to_pandas\(\)"),
    ],
)  # fmt: skip
def test_refusals(call: Any, sentence: str) -> None:
    with pytest.raises((CaesuraError, AttributeError), match=sentence):
        call()


def test_other_names_of_the_only_tier_are_said(tmp_path: Path) -> None:
    grid = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n2\n<exists>\n1\n"IntervalTier"\n"{}"\n0\n2\n2\n0\n1\n"a"\n1\n2\n"b"\n'
    for side, name in (("gold", "words"), ("ours", "phones")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "u.TextGrid").write_text(grid.format(name))
    gold, ours = cs.read(tmp_path / "gold"), cs.read(tmp_path / "ours")
    with pytest.warns(UserWarning, match="only tier of the reference is 'words', that of the hypothesis 'phones'"):
        cs.evaluate(gold, ours, "R", resamples=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cs.evaluate(gold, gold, "R:tolerance=0.01", resamples=0)
