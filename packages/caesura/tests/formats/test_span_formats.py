"""Formats of spans are read as spans if these leave gaps, or as boundaries on request, and written back."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

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
def test_random_spans_survive_doccano_and_csv(tmp_path_factory, data):
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


def test_contradictory_options_are_refused(tmp_path):
    path = put(tmp_path, "t.jsonl", json.dumps({"text": "a b c", "label": [[0, 1, "x"]]}))
    with pytest.raises(FormatError, match="marks=nested says how spans become boundaries, and as=spans keeps spans"):
        cs.read(path, marks="nested", **SPANS)
    with pytest.raises(FormatError, match="as is 'tiles'; expected 'auto', 'spans' or 'boundaries'"):
        cs.read(path, **{"as": "tiles"})
    with pytest.raises(FormatError, match="covers no unit; choose a smaller unit"):
        cs.read(put(tmp_path, "w.jsonl", json.dumps({"text": "a  b", "label": [[1, 2, "x"]]})), unit="word")


def test_spans_and_segments_in_one_folder_are_refused(tmp_path):
    for name, label in (("a", [[0, 5, "x"]]), ("b", [[0, 1, "x"]])):
        put(tmp_path, f"{name}.jsonl", json.dumps({"text": "a b c", "label": label, "item": name}))
    with pytest.raises(cs.CaesuraError, match=r"found spans and units; read all files with as=spans"):
        cs.read(tmp_path)
    assert cs.read(tmp_path, **SPANS).kind == "spans"


# ---------------------------------------------------------------------- projects of INCEpTION


def test_inception_projects_are_read(tmp_path):
    pytest.importorskip("cassis")
    (tmp_path / "project.zip").write_bytes(inception_project())
    corpus = cs.read(tmp_path / "project.zip")
    assert (corpus.items, corpus.coders) == (("a.txt", "b.txt"), ("ann", "ben", "gold"))
    assert corpus["a.txt", "ann"].rows == [(0, 2, "x")]
    assert corpus["a.txt", "ben"].rows == [(0, 3, "x")]
    assert corpus["a.txt", "gold"].rows == [(0, 2, "x"), (3, 4, "x")]
    assert corpus["b.txt", "ann"].units == ("so", "far", "so", "good")
    assert cs.read(tmp_path / "project.zip", curation="CURATION_USER").coders[-1] == "CURATION_USER"
    with pytest.raises(FormatError, match="an archive is not text, so encoding="):
        cs.read(tmp_path / "project.zip", encoding="latin-1")
    with zipfile.ZipFile(tmp_path / "project.zip") as project, project.open("annotation/a.txt/ann.zip") as inner:
        (tmp_path / "doc.zip").write_bytes(inner.read())
    assert cs.read(tmp_path / "doc.zip")["ann", ""].rows == [(0, 2, "x")]  # one document, as the page exports it
    with pytest.raises(FormatError, match=r"there is no layer 'Topic'; found .*webanno\.custom\.Topic"):
        cs.read(tmp_path / "project.zip", layer="Topic")


def test_other_archives_are_refused(tmp_path):
    pytest.importorskip("cassis")
    path = tmp_path / "project.zip"
    for files, why in (
        ({"annotation/a.txt/ann.tsv": b"#FORMAT=WebAnno TSV 3.2\n"}, r"no annotations as UIMA CAS XMI or JSON.*found \.tsv.* export an INCEpTION project in"),
        ({"readme.txt": b"hello"}, "no annotations as UIMA CAS XMI or JSON"),
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


def test_csv_spans_without_header_is_read(tmp_path):
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
def test_bad_rows_are_refused_with_their_line(tmp_path, rows, sentence):
    with pytest.raises(FormatError, match=sentence):
        cs.read(put(tmp_path, "t.csv", f"annotator,label,start,end\n{rows}\n"))


def test_csv_spans_outside_the_text_are_refused(tmp_path):
    path = put(tmp_path, "t.csv", "annotator,label,start,end\nann,x,0,9\n")
    with pytest.raises(FormatError, match="annotator 'ann': the span 0–9 lies outside a text of 5 units"):
        cs.read(path, length=5)
    with pytest.raises(FormatError, match=r"the span 0\.5–2 is not in whole units"):
        cs.read(put(tmp_path, "u.csv", "annotator,label,start,end\nann,x,0.5,2\n"), time=False)
    assert cs.read(path, time=True)["t", "ann"].rows == [(0.0, 9.0, "x")]


def test_an_annotator_without_spans_is_read(tmp_path):
    read = cs.read(put(tmp_path, "t.csv", "annotator,label,start,end\nann,x,0,9\nben,,,\n"))
    assert (read.coders, len(read["t", "ben"])) == (("ann", "ben"), 0)


# ---------------------------------------------------------------------- recordings


def seconds(rows, length=4.0):
    return Corpus.from_annotations([("rec", "", Spans.from_rows(rows, length=length, time=True))])


@pytest.mark.parametrize("name", ["eaf", "rttm", "srt", "vtt", "json"])
def test_overlapping_spans_in_time_survive(tmp_path, name):
    corpus = seconds([(0.5, 2.0, "ann"), (1.25, 3.0, "ben"), (3.5, 4.0, "ann")])
    path = tmp_path / f"rec.{name}"
    cs.write(corpus, path, "whisper" if name == "json" else None)
    assert cs.read(path) == corpus


def test_final_gap_survives_elan(tmp_path):
    corpus = seconds([(0.5, 2.0, None)])
    cs.write(corpus, tmp_path / "rec.eaf")
    assert cs.read(tmp_path / "rec.eaf") == corpus
    with pytest.raises(FormatError, match="would lose lengths"):
        cs.write(corpus, tmp_path / "rec.rttm")


def test_textgrid_is_read_as_boundaries_or_spans(tmp_path):
    corpus, path = seconds([(0.5, 2.0, "a"), (2.0, 2.5, "b")]), tmp_path / "rec.TextGrid"
    with pytest.raises(FormatError, match="would lose spans"):
        cs.write(corpus, path)
    cs.write(corpus, path, **SPANS)
    assert cs.read(path, **SPANS) == corpus
    assert cs.read(path)["rec", ""].names == ("", "a", "b", "")
    with pytest.raises(FormatError, match="overlaps another"):
        cs.write(seconds([(0, 2, "a"), (1, 3, "b")]), path, **SPANS)


def test_interval_options_imply_boundaries(tmp_path):
    path = tmp_path / "rec.eaf"
    cs.write(seconds([(0.5, 2.0, "a"), (2.25, 4.0, "b")]), path)
    assert cs.read(path, close_gaps=0.5).kind == "time"
    assert cs.read(path, **BOUNDARIES)["rec", ""].names == ("", "a", "", "b")
    with pytest.raises(FormatError, match="say how intervals become boundaries, and as=spans keeps spans"):
        cs.read(path, edges="in", **SPANS)


def test_rttm_turns_are_spans_of_one_recording(tmp_path):
    line = "SPEAKER rec 1 {} {} <NA> <NA> {} <NA> <NA>\n"
    path = put(tmp_path, "a.rttm", line.format(0, 2, "ann") + line.format(1, 2.5, "ben"))
    assert cs.read(path)["rec", ""].rows == [(0.0, 2.0, "ann"), (1.0, 3.5, "ben")]
    assert cs.read(path, length=5)["rec", ""].length == 5.0
    assert cs.read(path, **BOUNDARIES).tracks == ("ann", "ben")
    with pytest.raises(FormatError, match="the file contains no turn with a duration"):
        cs.read(put(tmp_path, "b.rttm", line.format(1, 0, "ann")))


def test_tiled_spans_are_still_read_as_segments(tmp_path):
    named = Segmentation.from_labels(["x", "x", "y"], units=["so", "twice", "five"])
    corpus = Corpus.from_dict({"doc": {"": named}})
    cs.write(corpus, tmp_path / "doc.jsonl", "doccano")
    assert cs.read(tmp_path / "doc.jsonl") == corpus


# ---------------------------------------------------------------------- chunks

CHUNKED = "So twice five miles of fertile ground"


def put_chunks(folder: Path, *entries: Any, name: str = "cut.jsonl") -> Path:
    listed = json.dumps(entries) if name.endswith(".json") else "".join(json.dumps(e) + "\n" for e in entries)
    (folder / name).write_text(listed, encoding="utf-8")
    return folder / name


def document(start: int, end: int, source: str = "texts/kubla.txt") -> dict[str, Any]:
    return {"page_content": CHUNKED[start:end], "metadata": {"source": source, "start_index": start}}


def node(start: int, end: int) -> dict[str, Any]:
    return {"id_": "x", "metadata": {"file_name": "kubla.txt"}, "text": CHUNKED[start:end], "start_char_idx": start}


@pytest.mark.parametrize(
    "chunks",
    [
        [document(0, 19), document(20, 37)],
        [node(0, 20), node(20, 37)],
        [{"lc": 1, "type": "constructor", "kwargs": document(a, b)} for a, b in ((0, 19), (20, 37))],
    ],
)
def test_chunks_that_cover_a_text_are_segments(tmp_path: Path, chunks: list[Any]) -> None:
    marks = cs.read(put_chunks(tmp_path, *chunks))["kubla", ""]
    assert (marks.masses, marks.units) == ([4, 3], tuple(CHUNKED.split()))
    assert cs.read(put_chunks(tmp_path, *chunks, name="cut.json")) == cs.read(put_chunks(tmp_path, *chunks))


def test_chunks_without_offsets_follow_one_another(tmp_path: Path) -> None:
    path = put_chunks(
        tmp_path, {"page_content": "So twice", "metadata": {}}, {"page_content": "five miles", "metadata": {}}
    )
    assert cs.read(path)["cut", ""].masses == [2, 2]
    assert cs.read(put_chunks(tmp_path, "So twice", "five", name="s.json"), "chunks")["s", ""].masses == [2, 1]


def test_overlapping_chunks_are_spans(tmp_path: Path) -> None:
    path = put_chunks(tmp_path, document(0, 19), document(9, 37), document(0, 8, "other"))
    corpus = cs.read(path, unit="word")
    assert corpus.items == ("kubla", "other")
    assert corpus["kubla", ""].rows == [(0, 4, None), (2, 7, None)]
    cs.write(corpus, tmp_path / "again.jsonl", "chunks", unit="word")
    assert cs.read(tmp_path / "again.jsonl", unit="word") == corpus


def test_invalid_chunks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="line 2: the chunk at character 3 has 'x' at 3, where another chunk has 't'"):
        cs.read(
            put_chunks(
                tmp_path, document(0, 8), {"page_content": "xx", "metadata": {"start_index": 3, "source": "kubla"}}
            )
        )
    with pytest.raises(FormatError, match="line 2: expected a chunk with its text"):
        cs.read(put_chunks(tmp_path, document(0, 8), {"metadata": {}}))
    with pytest.raises(FormatError, match="line 1: the chunk begins at 'soon', expected a character"):
        cs.read(put_chunks(tmp_path, {"page_content": "x", "metadata": {"start_index": "soon"}}))
    with pytest.raises(FormatError, match="far beyond the text of all chunks"):
        cs.read(put_chunks(tmp_path, {"page_content": "x", "metadata": {"start_index": 10**9}}))


def test_brat_spans_count_both_characters_of_a_line_end(tmp_path: Path) -> None:
    (tmp_path / "talk.txt").write_bytes(b"one two\r\nthree four\r\n")
    (tmp_path / "talk.ann").write_text("T1\tName 9 14\tthree\n", encoding="utf-8")
    (annotation,) = cs.read(tmp_path / "talk.ann", unit="word")
    assert annotation.marks.units == ("one", "two", "three", "four")
    assert (annotation.marks.starts.tolist(), annotation.marks.ends.tolist()) == ([2], [3])
