"""Data as people really have it: missing names, labels in other spellings, recordings without a duration, several readings."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caesura as cs
from caesura.errors import CaesuraError
from caesura.model import Annotation
from caesura.model.provenance import ReadingNote
from cli.command import caesura, refused


def read(folder: Path, name: str, content: str, **options: Any) -> cs.Corpus:
    (folder / name).write_text(content)
    return cs.read(folder / name, **options)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        # spreadsheets repeat a name only where it changes; the other rows were an item without a name
        ("item,coder,position,length\na,x,2,9\n,x,4,9\nb,x,3,9\n", "line 3: the item is empty here and 'a' elsewhere"),
        ("item,coder,position,length\na,,2,9\na,x,4,9\n", "line 2: the coder is empty here and 'x' elsewhere"),
        ("item,coder,start,end,label\na,x,0,4,p\na,,4,9,q\n", "line 3: the coder is empty here and 'x' elsewhere"),
        ("item,label\na,0\na,1\na,\n", "line 4: the label is empty, and the others are 0 and 1"),
        ("item,label\na,1\na,1\n", "all labels are 1; add -O mean=ends or starts"),
        ("item;start;end;label\nx;0,0;1,5;p\n", "start is '0,0', expected seconds with a decimal point"),
    ],
)
def test_tables_with_gaps_are_refused(tmp_path: Path, content: str, sentence: str) -> None:
    with pytest.raises(CaesuraError) as caught:
        read(tmp_path, "x.csv", content)
    assert sentence in str(caught.value)


def test_names_may_be_missing_everywhere(tmp_path: Path) -> None:
    assert read(tmp_path, "x.csv", "item,coder,position,length\na,,2,9\na,,4,9\n").coders == ("",)


@pytest.mark.parametrize("spelling", [("0", "1"), ("0.0", "1.0"), ("False", "TRUE"), ("no", "Yes")])
def test_flags_in_other_spellings(tmp_path: Path, spelling: tuple[str, str]) -> None:
    """They were names of segments, or types of boundaries."""
    zero, one = spelling
    with pytest.warns(ReadingNote, match=f"the labels are {zero} and {one}, so {one} is assumed to end a segment"):
        corpus = read(tmp_path, "x.csv", f"item,label\nx,{zero}\nx,{one}\nx,{zero}\nx,{zero}\n")
    assert corpus["x", ""].masses == [2, 2]  # type: ignore[union-attr]
    starts = cs.read(tmp_path / "x.csv", mean="starts")
    assert starts["x", ""].masses == [1, 3]  # type: ignore[union-attr]
    boundaries = read(tmp_path, "y.csv", f"item,boundary\nx,{zero}\nx,{one}\nx,\nx,{zero}\n")
    assert (boundaries.typed, boundaries["x", ""].masses) == (False, [2, 2])  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("x.xlsx", "PK\x00", "a spreadsheet; save it as CSV"),
        ("x.csv.gz", "\x00", "a compressed file; unpack it"),
        ("x.json", "[]", "the file contains an empty list"),
        ("x.jsonl", '{"format": "caesura-corpus", "version": 1, "kind": "units"}\n5\n', "line 2: this line is not an object"),
        ("x.json", '{"a": [2, 3], "b": {"ann": [3, 2]}}', "item 'b' has coders and item 'a' has none"),
        ("x.TextGrid", '"ooTextFile"\n"TextGrid"\n\n0\n2\n<exists>\n1\n"IntervalTier"\n"t"\n0\n2\n0\n', "hold no interval"),
        ("x.TextGrid", '"ooTextFile"\n"TextGrid"\n\n0\n0\n<exists>\n1\n"IntervalTier"\n"t"\n0\n0\n1\n0\n0\n"a"\n', "has no duration"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_files_without_data_are_refused(tmp_path: Path, name: str, content: str, sentence: str) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        read(tmp_path, name, content)


SHORT, LONGER, LONG = (cs.Segmentation.from_times([0.5], length=end) for end in (2.0, 2.03, 2.37))


@pytest.mark.parametrize("call", ["evaluate", "compare", "agree", "unify"])
def test_recordings_of_different_length_in_python(call: str) -> None:
    """One rule for all functions; evaluate and compare passed over any difference, agree and unify refused 1 ms."""

    def run(first: cs.Segmentation, second: cs.Segmentation) -> Any:
        if call == "evaluate":
            return cs.evaluate(first, second, "R", resamples=0)["R"].micro
        if call == "compare":
            return cs.compare(first, second, ["R"])["R"]
        return cs.agree([first, second]).value if call == "agree" else cs.unify({"x": {"a": first, "b": second}}).length

    with pytest.warns(UserWarning, match="is longer by 30 ms"):
        assert run(SHORT, LONGER) == (2.03 if call == "unify" else 1.0)
    with pytest.raises(CaesuraError, match=r"ends at 2 s, .* at 2\.37 s; cut off .* or give both the same length="):
        run(SHORT, LONG)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(SHORT, SHORT)


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [
        (np.zeros((2, 3, 4), int), "not one with 3 dimensions"),
        ([(1, 50), (50, 100)], "could be starts and ends, or masses"),
        ([[0, 50], [50, 100]], "use Spans.from_rows for starts and ends"),
        ([[2, 3], None], "item '2' is None"),
    ],
)
def test_plain_data_with_two_meanings_is_refused(reference: Any, sentence: str) -> None:
    with pytest.raises(CaesuraError, match=sentence) as caught:
        cs.evaluate(reference, reference, "F")
    assert len(str(caught.value)) < 250


def test_more_plain_data() -> None:
    assert cs.evaluate([(2, 3), (3, 2)], [(2, 3), (1, 4)], "F", resamples=0).count == 2  # tuples of masses
    assert cs.evaluate(np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0]), "F")["F"].micro == 0.0
    assert cs.unify([[0, 1, 0], [0, 0, 1], [0, 1, 0]]).masses == [2, 2]
    with pytest.raises(CaesuraError, match=r"for several texts use cs\.evaluate"):
        cs.compare([[2, 3], [3, 3]], [[2, 3], [3, 3]], ["B"])


@pytest.mark.parametrize(
    ("name", "hint"), [("Pk", "cs.pk"), ("read_textgrid", "cs.read(path)"), ("save_csv", "cs.write(corpus, path)")]
)
def test_more_names_that_people_type(name: str, hint: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(cs, name)
    assert str(caught.value) == f"caesura has no {name!r}; use {hint}."


@pytest.mark.filterwarnings("ignore::caesura.model.provenance.ReadingNote")
@pytest.mark.parametrize(
    ("table", "kind", "items"),
    [
        ("file,onset,offset,label\na,0.0,1.0,x\na,1.0,2.0,y\nb,0.0,3.0,x\n", "time", ("a", "b")),
        ("file,start,end,text\na,0,50,x\na,50,80,y\n", "spans", ("a",)),
        ("doc_id,sentence,label\na,s1,x\na,s2,y\nb,s3,y\n", "units", ("a", "b")),
        ("filename,rater,position,length\na,x,2,9\nb,x,3,9\n", "units", ("a", "b")),
        ("item,file,begin,stop,word\na,f,0.0,1.0,x\na,f,1.0,2.0,y\n", "time", ("a",)),
    ],
)
def test_other_names_of_columns(tmp_path: Path, table: str, kind: str, items: tuple[str, ...]) -> None:
    """Onsets and offsets were one label per unit; names of items that were not called item were ignored, and all rows one text."""
    corpus = read(tmp_path, "x.csv", table)
    assert (corpus.kind, corpus.items) == (kind, items)
    if kind == "time":
        assert corpus.names[0] == (("x", "y"))


def test_whole_starts_and_ends_are_said_to_be_units(tmp_path: Path) -> None:
    with pytest.warns(ReadingNote, match="read as units, not seconds; for seconds add -O time=yes"):
        read(tmp_path, "x.csv", "file,start,end,text\na,0,1500,x\na,1500,1800,y\n")
    with pytest.raises(CaesuraError, match=r"a start is 0, .* seconds --format times"):
        read(tmp_path, "x.csv", "item,start,end\na,0,50\na,50,80\n")


def test_speakers_of_one_item_are_tracks(tmp_path: Path) -> None:
    """They were ignored, and the turns of all speakers were segments of one track."""
    with pytest.warns(ReadingNote, match="the column speaker was read as tracks"):
        corpus = read(tmp_path, "x.csv", "item,speaker,start,end\na,A,0.0,1.0\na,B,0.5,2.0\n")
    assert corpus.tracks == ("A", "B")
    alone = read(tmp_path, "x.csv", "item,speaker,start,end\na,A,0.0,1.0\na,A,1.0,2.0\nb,B,0.0,2.0\n")
    assert alone.tracks == ("",)
    assert {item: known["speaker"] for item, known in alone.attributes.items()} == {"a": "A", "b": "B"}


SPANS = [{"start": 0.0, "end": 1.5, "label": "a"}, {"start": 1.5, "end": 2.5, "label": "b"}]


def test_lists_of_rows_are_tables() -> None:
    assert cs.evaluate(SPANS, SPANS, "label-agreement", resamples=0)["label-agreement"].micro == 1.0
    said = [{"start": row["start"], "end": row["end"], "text": row["label"]} for row in SPANS]
    assert cs.compare(said, SPANS, ["R"])["R"] == 1.0
    rows = [{"item": "a", "position": 2, "length": 5}, {"item": "b", "position": 2, "length": 5}]
    assert cs.evaluate(rows, [rows[0], {**rows[1], "position": 3}], "F", resamples=0)["F"].per_item == [1.0, 0.0]
    masses = [{"item": "a", "masses": [2, 3]}, {"item": "b", "masses": [4]}]
    assert cs.evaluate(masses, {"ours": masses}, "F", resamples=0).items == ("a", "b")


def test_frames_of_masses_and_of_durations() -> None:
    pl = pytest.importorskip("polars")
    corpus = cs.from_dataframe(pl.DataFrame({"doc": ["a", "b"], "annotator": ["x", "x"], "masses": [[2, 3], [4]]}))
    assert [(a.item, a.coder, a.marks.masses) for a in corpus] == [("a", "x", [2, 3]), ("b", "x", [4])]  # type: ignore[union-attr]
    second = pl.duration(seconds=1)
    frame = pl.select(item=pl.lit("a"), start=second * 0, end=second * 2, label=pl.lit("x"))
    assert cs.from_dataframe(frame)["a", ""].length == 2.0
    with pytest.raises(CaesuraError, match=r"give frame\.collect\(\)"):
        cs.from_dataframe(frame.lazy())


GRID = '"ooTextFile"\n"TextGrid"\n\n0\n2\n<exists>\n{0}\n'
TIER = '"IntervalTier"\n"{0}"\n0\n2\n2\n0\n{1}\n"a"\n{1}\n2\n"b"\n'


def grid(**tiers: float) -> str:
    return GRID.format(len(tiers)) + "".join(TIER.format(name.replace("_", " "), cut) for name, cut in tiers.items())


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_only_tier_of_a_file_is_matched_by_its_name(tmp_path: Path) -> None:
    """A gold standard with one tier and a system with two shared no tier."""
    for side, content in (
        ("gold", grid(words=1.0)),
        ("system", grid(phones=0.5, words=1.0)),
        ("other", grid(tones=1.0)),
    ):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.TextGrid").write_text(content)
        (tmp_path / side / "b.TextGrid").write_text(content)
    done = caesura("evaluate", tmp_path / "gold", tmp_path / "system", "-m", "R", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["systems"]["words"]["R"]["micro"] == 1.0
    assert "only one side has the tiers phones, which are not scored" in done.stderr
    assert caesura("compare", *(tmp_path / side / "a.TextGrid" for side in ("system", "gold"))).returncode == 0
    sentence = refused("evaluate", tmp_path / "other", tmp_path / "system", "-m", "R")
    assert "one has a single tier, the other phones, words" in sentence


def test_a_pooled_layer_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.TextGrid").write_text(grid(ann_phones=1.0, ben_phones=0.5, ann_words=1.0))
    for command in ("evaluate", "compare"):
        done = caesura(command, *[tmp_path / "a.TextGrid"] * 2, "-m", "R", "-O", "tier=* phones", "-O", "item=a")
        assert "pooled over 2 tiers of the layer 'phones'." in done.stderr


def test_files_of_coders_are_guessed_in_the_error(tmp_path: Path) -> None:
    for coder in ("ann", "ben"):
        (tmp_path / f"{coder}.csv").write_text(f"item,position,length\na,{len(coder)},9\nb,{coder.count('n')},9\n")
    with pytest.raises(CaesuraError, match=r"annotated twice.* add -O 'pattern=\{coder\}\.csv'"):
        cs.read(tmp_path)
    assert cs.read(tmp_path, pattern="{coder}.csv").coders == ("ann", "ben")


def test_refusals_of_convert_name_what_to_type(tmp_path: Path) -> None:
    subtitles = "1\n00:00:00,500 --> 00:00:01,500\nso\n\n2\n00:00:02,000 --> 00:00:03,000\nit\n"
    (tmp_path / "a.srt").write_text(subtitles)
    sentence = refused("convert", tmp_path / "a.srt", tmp_path / "a.TextGrid")
    assert "would lose spans; keep spans with as='spans' (--write-option as=spans)." in sentence
    call = ["convert", tmp_path / "a.srt", tmp_path / "a.TextGrid", "--write-option", "as=spans"]
    assert caesura(*call).returncode == 0
    assert (
        cs.read(tmp_path / "a.TextGrid", **{"as": "spans"})["a", ""].rows == cs.read(tmp_path / "a.srt")["a", ""].rows
    )  # type: ignore[arg-type, union-attr]


def test_files_are_copied_in_formats_that_cannot_be_written_anew(tmp_path: Path) -> None:
    """The suffix alone chose another format, which would lose the text."""
    text = "#FORMAT=WebAnno TSV 3.3\n#T_SP=x.NamedEntity|value\n\n#Text=Ann saw\n1-1\t0-3\tAnn\tper\n1-2\t4-7\tsaw\t_\n"
    (tmp_path / "a.tsv").write_text(text)
    cs.write(cs.read(tmp_path / "a.tsv"), tmp_path / "copy.tsv")
    assert (tmp_path / "copy.tsv").read_text() == text


def test_advice_of_convert_can_be_followed(tmp_path: Path) -> None:
    """--lossy was advised where it ended in another error."""
    text = cs.Corpus.from_dict({"x": {"": [2, 3]}})
    with pytest.raises(CaesuraError, match=r"cannot hold boundaries between units; write \.json, \.jsonl"):
        cs.write(text, tmp_path / "x.TextGrid")
    marks = cs.Spans.from_rows([(0.0, 1.0, "a"), (1.0, 2.0, None)], length=3.0, time=True)
    spans = cs.Corpus.from_annotations([("x", "", marks)])
    with pytest.raises(CaesuraError, match=r"spans without a label; write it anyway with lossy=True"):
        cs.write(spans, tmp_path / "x.TextGrid")
    cs.write(spans, tmp_path / "x.TextGrid", lossy=True)
    back = cs.read(tmp_path / "x.TextGrid", **{"as": "spans"})["x", ""]
    assert isinstance(back, cs.Spans)
    assert list(back.rows) == [(0.0, 1.0, "a")]
    crossing = cs.Spans.from_rows([(0.0, 1.0, "a\nb"), (0.5, 2.0, "c")], length=3.0, time=True)
    with pytest.raises(CaesuraError, match="names with line ends; write"):
        cs.write(cs.Corpus.from_annotations([("x", "", crossing)]), tmp_path / "x.lab")


def test_rising_numbers_in_a_column_of_boundaries_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "marks.csv"
    path.write_text("item,coder,boundary\nx,a,3\nx,a,7\nx,b,4\nx,b,7\n", encoding="utf-8")
    with pytest.raises(
        cs.CaesuraError, match="call the column position if each row is one boundary, or list the types"
    ):
        cs.read(path)
    assert cs.read(path, labels="3,4,7")["x", "a"].length == 2  # a type for each of two units
    path.write_text(path.read_text(encoding="utf-8").replace("boundary", "position"), encoding="utf-8")
    assert cs.read(path)["x", "a"].positions.tolist() == [3, 7]


def test_zeros_and_gaps_in_a_column_of_boundaries(tmp_path: Path) -> None:
    """0 beside types was itself a type, so that every unit had a boundary."""
    table = tmp_path / "x.csv"
    table.write_text("item,unit,boundary\nx,u,0\nx,v,2\nx,w,0\nx,z,0\n")
    with pytest.warns(UserWarning, match="0 in the column boundary was read as no boundary"):
        assert cs.read(table)["x", ""].marks == [(2, "2")]  # type: ignore[union-attr]
    assert len(cs.read(table, zero="type")["x", ""].marks) == 4  # type: ignore[union-attr]
    table.write_text("item,unit,boundary\nx,u,0\nx,v,2\nx,w,\nx,z,\n")
    assert cs.read(table)["x", ""].marks == [(1, "0"), (2, "2")]  # type: ignore[union-attr]
    table.write_text("item,unit,boundary\nx,u,0\nx,v,1\nx,w,\nx,z,0\n")
    with pytest.warns(UserWarning, match="1 cell of the column boundary is empty beside 0 and 1"):
        assert cs.read(table)["x", ""].masses == [2, 2]  # type: ignore[union-attr]
    table.write_text("item,unit,boundary\nx,2,0\nx,0,1\nx,1,0\n")
    with pytest.raises(CaesuraError, match="the units are numbered and not in order"):
        cs.read(table)


def test_columns_of_frames_are_used_once() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"item": ["a"], "start": [0.0], "end": [1.0]})
    with pytest.raises(CaesuraError, match="start and end name the same column, 'end'"):
        cs.from_dataframe(frame, start="end", end="end")

    class Numbered:
        columns = [0, 1, 2]

        def to_dicts(self) -> list[dict[int, Any]]:
            return [{0: "x", 1: flag, 2: "w"} for flag in (0, 1, 0)]

    assert cs.from_dataframe(Numbered(), item=0, boundary=1)["x", ""].masses == [2, 1]  # type: ignore[arg-type, union-attr]

    class Doubled(Numbered):
        columns = ["item", "item"]  # type: ignore[list-item]

    with pytest.raises(CaesuraError, match="the frame has two columns 'item'"):
        cs.from_dataframe(Doubled())
    wide = polars.DataFrame({"ann": [0, 1, 0], "ben": [1, 0, 0]})
    with pytest.raises(CaesuraError, match="if each is the work of one coder"):
        cs.agree(wide)
    assert cs.agree({name: wide[name] for name in wide.columns}).observed == cs.agree(["010", "100"]).observed


def test_slack_from_the_shell_is_a_number(tmp_path: Path) -> None:
    for name, end in (("a", 2.0), ("b", 2.004)):
        (tmp_path / f"{name}.lab").write_text(f"0 1.5 x\n1.5 {end} y\n")
    call = ["evaluate", tmp_path / "a.lab", tmp_path / "b.lab", "-m", "R"]
    assert "ends at 2.004 s" in refused(*call, "-O", "slack=0.001").replace("hypothesis at", "hypothesis ends at")
    assert caesura(*call, "-O", "slack=0.01").returncode == 0


def test_compare_leaves_bad_files_out(tmp_path: Path) -> None:
    for side in ("gold", "system"):
        (tmp_path / side).mkdir()
        for name in "abc":
            (tmp_path / side / f"{name}.lab").write_text("0 1.5 x\n1.5 2 y\n")
    (tmp_path / "system" / "b.lab").write_text("")
    call = ["compare", tmp_path / "gold", tmp_path / "system", "-m", "R"]
    assert "--keep-going" in refused(*call)
    done = caesura(*call, "--keep-going", "--json")
    assert "2 of 3 recordings are compared; left out: b." in done.stderr
    assert [each["item"] for each in json.loads(done.stdout)["left_out"]] == ["b"]


def test_parts_that_readers_leave_out_are_noted(tmp_path: Path) -> None:
    """Parts of tokens, further labels of a region, channels and cancelled annotations were lost in silence."""

    def notes(name: str, content: str) -> list[str]:
        (tmp_path / name).write_text(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ReadingNote)
            return [note.text.partition(": ")[2] for note in cs.read(tmp_path / name).notes]

    head = "#FORMAT=WebAnno TSV 3.3\n#T_SP=ner.NamedEntity|value\n\n\n#Text=Ms. Haag\n"
    tokens = "1-1\t0-3\tMs.\tPER\t\n1-2\t4-8\tHaag\t_\t\n"
    assert notes("a.tsv", head + tokens + "1-2.1\t4-5\tH\tSUB\t\n") == [
        "1 annotation of a part of a token was left out."
    ]
    both = head.replace("|value", "|identifier|value") + "1-1\t0-3\tMs.\tQ1\tPER\t\n"
    (tmp_path / "b.tsv").write_text(both)
    with pytest.raises(CaesuraError, match=r"choose one layer .*NamedEntity\|identifier, NamedEntity\|value"):
        cs.read(tmp_path / "b.tsv", layer="NamedEntity")
    results = [
        {"id": str(n), "value": {"start": n, "end": n + 1, "channel": n, "labels": labels}, "original_length": 3}
        for n, labels in enumerate((["Speech", "Noise"], ["Speech"]))
    ]
    annotations = [{"completed_by": 1, "result": results}, {"completed_by": 2, "result": [], "was_cancelled": True}]
    task = {"id": 1, "data": {"audio": "/data/a.wav"}, "annotations": annotations}
    assert notes("a.json", json.dumps([task])) == [
        "1 cancelled annotation is left out.",
        "1 region with several labels, such as Speech, Noise; the first label was read.",
        "the regions of the channels 0, 1 were read as one recording.",
    ]
    assert notes("c.conll", "-DOCSTART- -X- O O\n\nEU NNP I-NP I-ORG\nrejects VBZ I-VP O\n") == []


def test_starts_and_ends_under_any_name_of_two_coders(tmp_path: Path) -> None:
    """Unknown names were seen as starts and ends only in tables of one coder, and else read as one label per unit."""
    rows = "d,a,0,50,x\nd,a,50,100,y\nd,b,0,82,x\nd,b,82,100,y\n"
    with pytest.raises(CaesuraError, match="the columns t0 and t1 may be starts and ends"):
        read(tmp_path, "x.csv", f"item,coder,t0,t1,label\n{rows}")
    with pytest.raises(CaesuraError, match="the columns from and to may be starts and ends"):
        read(tmp_path, "x.csv", f"doc,annotator,from,to,type\n{rows}")
    with pytest.warns(ReadingNote, match="was not used; a column of annotators is called coder"):
        read(tmp_path, "x.csv", "item,who,label\nd,a,x\nd,a,y\nd,b,x\nd,b,x\n")


@pytest.mark.parametrize(
    ("tags", "masses"), [("B I I B I", [3, 2]), ("B M E S B E", [3, 1, 2]), ("B I L U B L", [3, 1, 2])]
)
def test_tags_without_names_start_segments(tmp_path: Path, tags: str, masses: list[int]) -> None:
    """B and I were taken for names of segments."""
    table = "item,label\n" + "".join(f"d,{tag}\n" for tag in tags.split())
    with pytest.warns(ReadingNote, match="so B is assumed to start a segment"):
        corpus = read(tmp_path, "x.csv", table)
    assert corpus["d", ""].masses == masses  # type: ignore[union-attr]
    assert corpus.interpretation.options == {"mean": "starts"}  # type: ignore[union-attr]
    named = cs.read(tmp_path / "x.csv", mean="segments")["d", ""]
    assert named.names[:2] == ("B", tags.split()[1])  # type: ignore[union-attr, index]


@pytest.mark.parametrize("missing", ["", "NaN", "NA", "None"])
def test_missing_values_beside_0_and_1_are_refused(tmp_path: Path, missing: str) -> None:
    with pytest.raises(CaesuraError, match="line 3: the label is empty, and the others are 0 and 1"):
        read(tmp_path, "x.csv", f"item,label\nx,0\nx,{missing}\nx,1\n")


def test_what_json_lists_were_read_as_is_said_in_the_right_words(tmp_path: Path) -> None:
    for content, words, others in (
        ("[[0, 1, 0], [1, 0]]", "the marks of 0 and 1 of items 1 to 2", ()),
        ("[[2, 3], [4, 1]]", "the masses of items 1 to 2; for nested", ("--format nested-json",)),
        ("[[[2, 3], [5]], [[4, 6]]]", "nested segments of one text; write the masses of several coders as", ()),
    ):
        with pytest.warns(ReadingNote, match=words):
            corpus = read(tmp_path, "x.json", content)
        assert corpus.interpretation.alternatives == others  # type: ignore[union-attr]
    assert read(tmp_path, "y.json", "[false, true, false]")["y", ""].masses == [2, 2]  # type: ignore[union-attr]


def test_an_interpretation_stores_what_was_chosen(tmp_path: Path) -> None:
    """It held only what the user had typed, so that other data was read by a guess of its own."""
    (tmp_path / "gold.csv").write_text("item,label\nx,0\nx,1\nx,0\n")
    (tmp_path / "ours.csv").write_text("item,label\nx,1\nx,0\nx,0\n")  # starts, if read alone
    assert caesura("check", "gold.csv", "-o", "how.json", cwd=tmp_path).returncode == 0
    stored = json.loads((tmp_path / "how.json").read_text())["interpretation"]
    assert stored["options"] == {"mean": "ends"}
    assert stored["alternatives"] == ["-O mean=starts", "-O mean=segments"]
    done = caesura("check", "ours.csv", "--as", "how.json", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["files"][0]["notes"] == []
    corpus = cs.read(tmp_path / "ours.csv", interpretation=tmp_path / "how.json")
    assert corpus["x", ""].masses == [1, 2]  # type: ignore[union-attr]
    assert corpus.interpretation.as_dict() == stored  # type: ignore[union-attr]
    with pytest.warns(ReadingNote):
        spans = read(tmp_path, "s.csv", "item,start,end,label\nx,0,5,a\nx,5,9,b\n")
    assert spans.interpretation.options == {"time": False}  # type: ignore[union-attr]
    assert cs.read(tmp_path / "s.csv", interpretation=spans.interpretation) == spans


def test_choices_of_one_file_are_not_those_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("label\n1\n0\n1\n0\n")
    (tmp_path / "b.csv").write_text("label\nx\nx\ny\ny\n")
    with pytest.warns(ReadingNote):
        corpus = cs.read(tmp_path)
    assert corpus.interpretation.options == {}  # type: ignore[union-attr]
    assert cs.read(tmp_path, interpretation=corpus.interpretation) == corpus


def test_every_command_tells_that_many_files_are_left_out(tmp_path: Path) -> None:
    """Only evaluate and compare did; reasons other than the first were not printed."""
    (tmp_path / "d").mkdir()
    for name, content in (("a", "0 1 x\n1 2 y\n"), ("b", "0 1 x\n1 2 z\n"), ("c", ""), ("d", "zero\n")):
        (tmp_path / "d" / f"{name}.lab").write_text(content)
    done = caesura("convert", tmp_path / "d", tmp_path / "out.json", "-f", "labels", "--keep-going")
    assert done.returncode == 3
    assert "without c.lab: the file is empty; d.lab, line 1: " in done.stderr
    (tmp_path / "d" / "d.lab").unlink()
    assert caesura("show", tmp_path / "d", "-f", "labels", "--keep-going").returncode == 0


def test_the_format_of_a_suffix_is_the_one_that_loses_least(tmp_path: Path) -> None:
    """Intervals that start later than 0 were given to the CSV of spans, which cannot hold them at all."""
    corpus = cs.Corpus.from_annotations([Annotation("x", "", cs.Segmentation.from_times([3.5], length=1.0, start=3.0))])
    with pytest.raises(CaesuraError, match="CSV of times would lose the start times; write it anyway"):
        cs.write(corpus, tmp_path / "x.csv")
    cs.write(corpus, tmp_path / "x.csv", lossy=True)
    assert "0.5" in (tmp_path / "x.csv").read_text()


def test_annotations_given_one_by_one_are_refused_with_what_to_type() -> None:
    one, other = [[2, 3], [4, 1]], [[3, 2], [4, 1]]
    with pytest.raises(CaesuraError, match="are one dict"):
        cs.agree(one, other)  # type: ignore[arg-type]
    with pytest.raises(CaesuraError, match=r"as in cs\.agree\(\[a, b, c\]\)"):
        cs.agree(one, other, one)  # type: ignore[arg-type]
    with pytest.raises(CaesuraError, match=r"as in cs\.unify\(\[a, b, c\]\)"):
        cs.unify(one, other)  # type: ignore[call-overload]
    with pytest.raises(CaesuraError, match="a metric is a name, such as 'WD', or a Metric, not window_diff"):
        cs.evaluate(one, other, metrics=cs.window_diff)  # type: ignore[arg-type]


def test_whole_numbers_that_could_be_units_or_seconds_are_said(tmp_path: Path) -> None:
    """Rows of start and end without a label, and label tracks of whole numbers, were read in silence."""
    with pytest.warns(
        ReadingNote, match="read as the first and last units of nested segments; for seconds add --format times"
    ):
        assert read(tmp_path, "a.csv", "item,start,end\nd,1,5\nd,6,9\n").kind == "nested"
    with pytest.warns(ReadingNote, match="whole numbers were read as seconds, as in Audacity"):
        assert read(tmp_path, "b.txt", "0\t5\tx\n5\t10\ty\n").timed
    with warnings.catch_warnings():
        warnings.simplefilter("error", ReadingNote)
        read(tmp_path, "c.csv", "item,first,last\nd,1,5\nd,6,9\n")
        read(tmp_path, "d.txt", "0.0\t5\tx\n5\t10\ty\n")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_text_without_a_byte_order_mark_is_named(tmp_path: Path, encoding: str) -> None:
    """It was called a binary file."""
    (tmp_path / "x.srt").write_bytes("1\n00:00:00,000 --> 00:00:01,000\nשלום, hi\n".encode(encoding))
    with pytest.raises(CaesuraError, match=f"add -O encoding={encoding}"):
        cs.read(tmp_path / "x.srt")
    assert cs.read(tmp_path / "x.srt", encoding=encoding).timed


def test_frames_that_mean_different_things_by_1_are_refused_in_the_words_of_python() -> None:
    polars = pytest.importorskip("polars")
    starts, ends = (
        polars.DataFrame({"unit": list("abcd"), "label": labels}) for labels in ([1, 0, 1, 0], [0, 1, 0, 1])
    )
    with (
        pytest.warns(ReadingNote),
        pytest.raises(CaesuraError, match=r"read both with cs\.from_dataframe\(frame, mean='starts'\)"),
    ):
        cs.evaluate(starts, ends)


def test_a_reference_may_have_the_name_of_its_coder() -> None:
    """Texts under one name were taken for one text whose masses are lists; systems could be given like that."""
    texts, others = [[2, 3], [4, 1]], [[3, 2], [4, 1]]
    for gold in ({"gold": texts}, {"gold": ["0100", "0001"]}, {"gold": [np.array([2, 3]), np.array([4, 1])]}):
        assert cs.evaluate(gold, {"ours": others}, "B")["ours", "B"].micro == cs.evaluate(texts, others, "B")["B"].micro
    assert cs.evaluate({"x": [2, 3]}, {"x": [3, 2]}, "B").count == 1  # one text
