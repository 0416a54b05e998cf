"""Formats that hold spans: read as spans where they leave gaps, written back, and as boundaries for who asks."""

from __future__ import annotations

import json
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura as cs
from caesura import Corpus, FormatError, Segmentation, Spans
from formats.corpora import TAME, spans
from formats.mutants import inception_project

BOUNDARIES = {"as": "boundaries"}
SPANS = {"as": "spans"}
TEXT = "Ann saw Bo. Bo left Rome."
ROWS = [(0, 3, "person"), (8, 10, "person"), (12, 25, "event"), (20, 24, "place"), (20, 24, "place"), (4, 7, None)]


def put(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def in_characters(rows=ROWS, text=TEXT):
    return Spans.from_rows(rows, length=len(text), units=list(text))


@pytest.mark.parametrize("name", ["brat", "doccano", "label-studio", "cas"])
def test_gaps_overlaps_nesting_and_duplicates_survive(tmp_path, name):
    corpus = Corpus.from_dict({"doc": {"ann": in_characters()}})
    path = tmp_path / f"doc-ann{cs.formats.catalog.named_format(name).suffixes[0]}"
    cs.write(corpus, path, name)
    again = cs.read(path, name, item="doc", coder="ann")
    assert again == corpus
    assert again.kind == "spans"
    cs.write(again, tmp_path / "doc-ann.json")
    assert cs.read(tmp_path / "doc-ann.json") == corpus


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_drawn_spans_survive_doccano_and_csv(tmp_path_factory, data):
    text = data.draw(st.text("ab .", min_size=1, max_size=12))
    marks = data.draw(spans(len(text), TAME, list(text)))
    corpus = Corpus.from_dict({"doc": {"": marks}})
    path = tmp_path_factory.mktemp("x") / "doc.jsonl"
    cs.write(corpus, path, "doccano", **SPANS)
    assert cs.read(path, "doccano", **SPANS) == corpus
    bare = Corpus.from_dict({"doc": {"ann": marks.with_units(None), "ben": Spans(len(text))}})
    cs.write(bare, path.with_suffix(".csv"), "csv-spans")
    assert cs.read(path.with_suffix(".csv")) == bare


def test_spans_that_tile_every_text_of_a_file_are_segments(tmp_path):
    lines = [{"text": "a b c", "label": [[0, 1, "x"], [2, 5, "y"]]}, {"text": "d e", "label": [[0, 3, "x"]]}]
    tiled = put(tmp_path, "t.jsonl", "\n".join(map(json.dumps, lines)))
    assert [a.marks.names for a in cs.read(tiled)] == [("x", "y"), ("x",)]
    assert cs.read(tiled, **SPANS).kind == "spans"
    lines[1]["label"] = [[0, 1, "x"]]
    gap = put(tmp_path, "g.jsonl", "\n".join(map(json.dumps, lines)))
    read = cs.read(gap)
    assert read["2", ""].rows == [(0, 1, "x")]
    assert read["1", ""].rows == [(0, 1, "x"), (2, 5, "y")]
    assert cs.read(gap, **BOUNDARIES)["2", ""].names == ("x", "")
    assert cs.read(gap, unit="word")["1", ""].rows == [(0, 1, "x"), (1, 3, "y")]


def test_what_contradicts_itself_is_refused(tmp_path):
    path = put(tmp_path, "t.jsonl", json.dumps({"text": "a b c", "label": [[0, 1, "x"]]}))
    with pytest.raises(FormatError, match="marks=nested says how spans become boundaries, and as=spans keeps them"):
        cs.read(path, marks="nested", **SPANS)
    with pytest.raises(FormatError, match="option as is 'tiles', expected one of auto, spans, boundaries"):
        cs.read(path, **{"as": "tiles"})
    with pytest.raises(FormatError, match="covers no unit; choose a smaller unit"):
        cs.read(put(tmp_path, "w.jsonl", json.dumps({"text": "a  b", "label": [[1, 2, "x"]]})), unit="word")


def test_files_read_differently_are_not_mixed_in_silence(tmp_path):
    for name, label in (("a", [[0, 5, "x"]]), ("b", [[0, 1, "x"]])):
        put(tmp_path, f"{name}.jsonl", json.dumps({"text": "a b c", "label": label, "item": name}))
    with pytest.raises(cs.CaesuraError, match=r"found spans and units; read all files alike, with as=spans"):
        cs.read(tmp_path)
    assert cs.read(tmp_path, **SPANS).kind == "spans"


# ---------------------------------------------------------------------- projects of INCEpTION


def test_projects_of_inception_are_read_whole(tmp_path):
    pytest.importorskip("cassis")
    (tmp_path / "project.zip").write_bytes(inception_project())
    corpus = cs.read(tmp_path / "project.zip")
    assert (corpus.items, corpus.coders) == (("a.txt", "b.txt"), ("ann", "ben", "gold"))
    assert corpus["a.txt", "ann"].rows == [(0, 2, "x")]
    assert corpus["a.txt", "ben"].rows == [(0, 3, "x")]
    assert corpus["a.txt", "gold"].rows == [(0, 2, "x"), (3, 4, "x")]
    assert corpus["b.txt", "ann"].units == ("so", "far", "so", "good")
    assert cs.read(tmp_path / "project.zip", curation="CURATION_USER").coders[-1] == "CURATION_USER"
    with pytest.raises(FormatError, match="an archive is no text, so that encoding="):
        cs.read(tmp_path / "project.zip", encoding="latin-1")
    with zipfile.ZipFile(tmp_path / "project.zip") as project, project.open("annotation/a.txt/ann.zip") as inner:
        (tmp_path / "doc.zip").write_bytes(inner.read())
    assert cs.read(tmp_path / "doc.zip")["ann", ""].rows == [(0, 2, "x")]  # one document, as the page exports it
    with pytest.raises(FormatError, match=r"there is no layer 'Topic'; found .*webanno\.custom\.Topic"):
        cs.read(tmp_path / "project.zip", layer="Topic")


def test_archives_that_are_no_projects_are_refused(tmp_path):
    pytest.importorskip("cassis")
    path = tmp_path / "project.zip"
    for files, why in (
        ({"annotation/a.txt/ann.tsv": b"#FORMAT=WebAnno TSV 3.2\n"}, r"no annotations as XMI or JSON.*found \.tsv.* export an INCEpTION project so"),
        ({"readme.txt": b"hello"}, "no annotations as XMI or JSON"),
        ({"annotation/a.txt/ann.zip": b"PK nonsense"}, r"ann\.zip: this archive cannot be unpacked"),
        ({"annotation/a.txt/ann.xmi": b"<x/>"}, "its type system is missing in the archive"),
        ({"annotation/a.txt/INITIAL_CAS.json": b"{}"}, "no document of this project has annotations"),
        ({"annotation/a.txt/ann.json": b"{"}, "line 1: this is not JSON"),
    ):  # fmt: skip
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        with pytest.raises(FormatError, match=why):
            cs.read(path)
    path.write_bytes(b"PK\x03\x04" + b"\x00" * 40)
    with pytest.raises(FormatError, match="this archive cannot be unpacked"):
        cs.read(path)


# ---------------------------------------------------------------------- tables


def test_a_table_as_pygamma_reads_it(tmp_path):
    read = cs.read(put(tmp_path, "talk.csv", "Liza,Verb,0.5,1\nPierre,Noun,0.5,1.25\nLiza,Verb,0.5,1\n"))
    assert (read.kind, read.timed, read.coders) == ("spans", True, ("Liza", "Pierre"))
    assert read["talk", "Liza"].rows == [(0.5, 1.0, "Verb")] * 2
    assert read["talk", "Pierre"].length == 1.25


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ("ann,x,3,3", "line 2: the span 3–3 is empty"),
        ("ann,x,3,2", "line 2: the span 3–2 ends before it begins"),
        ("ann,x,-1,2", "line 2: the span -1–2 begins before the text"),
        ("ann,x,0,nan", "line 2: end is 'nan', expected a number"),
        ("ann,x,,2", "line 2: start is '', expected a number"),
    ],
)
def test_a_bad_row_is_named_by_its_line(tmp_path, rows, sentence):
    with pytest.raises(FormatError, match=sentence):
        cs.read(put(tmp_path, "t.csv", f"annotator,label,start,end\n{rows}\n"))


def test_a_span_beyond_the_text_and_seconds_taken_for_units(tmp_path):
    path = put(tmp_path, "t.csv", "annotator,label,start,end\nann,x,0,9\n")
    with pytest.raises(FormatError, match="annotator 'ann': the span 0–9 lies outside a text of 5 units"):
        cs.read(path, length=5)
    with pytest.raises(FormatError, match=r"the span 0\.5–2 is not of whole units"):
        cs.read(put(tmp_path, "u.csv", "annotator,label,start,end\nann,x,0.5,2\n"), time=False)
    assert cs.read(path, time=True)["t", "ann"].rows == [(0.0, 9.0, "x")]


def test_an_annotator_without_spans_is_read(tmp_path):
    read = cs.read(put(tmp_path, "t.csv", "annotator,label,start,end\nann,x,0,9\nben,,,\n"))
    assert (read.coders, len(read["t", "ben"])) == (("ann", "ben"), 0)


# ---------------------------------------------------------------------- recordings


def seconds(rows, length=4.0):
    return Corpus.from_annotations([("rec", "", Spans.from_rows(rows, length=length, time=True))])


@pytest.mark.parametrize("name", ["eaf", "rttm", "srt", "vtt", "json"])
def test_spans_of_recordings_with_overlap_survive(tmp_path, name):
    corpus = seconds([(0.5, 2.0, "ann"), (1.25, 3.0, "ben"), (3.5, 4.0, "ann")])
    path = tmp_path / f"rec.{name}"
    cs.write(corpus, path, "whisper" if name == "json" else None)
    assert cs.read(path) == corpus


def test_a_gap_at_the_end_survives_elan(tmp_path):
    corpus = seconds([(0.5, 2.0, None)])
    cs.write(corpus, tmp_path / "rec.eaf")
    assert cs.read(tmp_path / "rec.eaf") == corpus
    with pytest.raises(FormatError, match="would lose lengths"):
        cs.write(corpus, tmp_path / "rec.rttm")


def test_a_textgrid_with_silence_is_boundaries_or_spans(tmp_path):
    corpus, path = seconds([(0.5, 2.0, "a"), (2.0, 2.5, "b")]), tmp_path / "rec.TextGrid"
    with pytest.raises(FormatError, match="would lose spans"):
        cs.write(corpus, path)
    cs.write(corpus, path, **SPANS)
    assert cs.read(path, **SPANS) == corpus
    assert cs.read(path)["rec", ""].names == ("", "a", "b", "")
    with pytest.raises(FormatError, match="begins before another ends"):
        cs.write(seconds([(0, 2, "a"), (1, 3, "b")]), path, **SPANS)


def test_who_says_how_gaps_close_wants_boundaries(tmp_path):
    path = tmp_path / "rec.eaf"
    cs.write(seconds([(0.5, 2.0, "a"), (2.25, 4.0, "b")]), path)
    assert cs.read(path, close_gaps=0.5).kind == "time"
    assert cs.read(path, **BOUNDARIES)["rec", ""].names == ("", "a", "", "b")
    with pytest.raises(FormatError, match="say how intervals become boundaries, and as=spans keeps them"):
        cs.read(path, edges="in", **SPANS)


def test_turns_of_several_speakers_are_spans_of_one_recording(tmp_path):
    line = "SPEAKER rec 1 {} {} <NA> <NA> {} <NA> <NA>\n"
    path = put(tmp_path, "a.rttm", line.format(0, 2, "ann") + line.format(1, 2.5, "ben"))
    assert cs.read(path)["rec", ""].rows == [(0.0, 2.0, "ann"), (1.0, 3.5, "ben")]
    assert cs.read(path, length=5)["rec", ""].length == 5.0
    assert cs.read(path, **BOUNDARIES).tracks == ("ann", "ben")
    with pytest.raises(FormatError, match="the file holds no turn that lasts"), pytest.warns(match="1 turns without a"):
        cs.read(put(tmp_path, "b.rttm", line.format(1, 0, "ann")))


def test_the_old_reading_of_segments_is_what_it_was(tmp_path):
    named = Segmentation.from_labels(["x", "x", "y"], units=["so", "twice", "five"])
    corpus = Corpus.from_dict({"doc": {"": named}})
    cs.write(corpus, tmp_path / "doc.jsonl", "doccano")
    assert cs.read(tmp_path / "doc.jsonl") == corpus
