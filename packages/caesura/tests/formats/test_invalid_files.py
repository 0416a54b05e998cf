"""Damage that would change the meaning of a file is refused with its line."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

import caesura as cs
from caesura.errors import FormatError
from caesura.formats import parquet_pages
from caesura.formats.parquet_pages import damaged_page

MARKS = cs.Segmentation.from_masses([2, 1, 2], units=["so", "twice", "five", "miles", "round"])
LONG = "9" * 5000
BLANKS = "\t_" * 8

REFUSED = [
    ("a.txt", "========,1,one.\nA sentence.\n=======,1,two.\nAnother.\n", "line 3: expected a heading"),
    ("a.txt", "========,1,one.\nA sentence.\n========;1,two.\nAnother.\n", "line 3: expected a heading"),
    ("a.txt", "========,1,one.\nA sentence.\n=x======,1,two.\nAnother.\n", "line 3: expected a heading"),
    ("a.txt", "nan\t0.5\ta\n0.5\t0.7\tb\n", "line 1: the start is 'nan'"),
    ("a.txt", "0.1\t0.5\ta\n0.5\tinf\tb\n", "line 2: the end is 'inf'"),
    ("a.jsonl", '{"text": "so far", "label": []}\n{"text": "so far"}\n', 'line 2: this text has no "label"'),
    ("a.ctm", "rec 1 0.1 0.2 a\nrec 1 1_000 0.2 b\n", "line 2: the start is '1_000'"),
    ("a.ctm", "rec 1 0.1 1_000 a\n", "line 1: the duration is '1_000'"),
    ("a.ctm", "rec 1 nan 0.2 a\n", "line 1: the start is 'nan'"),
    ("a.ctm", "rec 1 0.1 0.2 a\nrec 1 ٣ 0.2 b\n", "line 2: the start is '٣'"),
    ("a.csv", "item,coder,length,position\na,b,10,1_0\n", "line 2: position is '1_0', expected a whole number"),
    (
        "a.cha",
        "@UTF8\n@Begin\n%mor:\tqn|more .\n*CHI:\tmore .\n@End\n",
        "line 3: the tier %mor precedes all utterances",
    ),
    ("a.cha", "@UTF8\n@Begin\n*CHI:\tmore .\nANN: no .\n@End\n", "line 4: expected a header"),
    (
        "a.csv",
        "annotator,label,start,end\nann,x,0,99999999999999999999\n",
        "line 2: end is '99999999999999999999', expected a number",
    ),
    ("a.cha", f"@UTF8\n@Begin\n*CHI:\tmore . \x15{'9' * 20}_5\x15\n@End\n", "line 3: a time bullet is damaged"),
    ("a.srt", f"1\n{'9' * 5000}:00:01,0 --> 00:00:02,0\nx\n", "line 2: expected times such as"),
    ("a.txt", "@UTF8\n@Begin\n*CHI:\tmore .\n@End\n", "line 1: this is a CHAT transcript .* read it with format=chat"),
    ("a.cha", "@UTF8\n@Begin\n@End\n", "the transcript contains no utterance"),
    ("a.cha", "@UTF8\n@Begin\n*CHI:\t&=laughs .\n@End\n", "the transcript contains no word; read level=utterances"),
    ("a.phn", "0 ٣٠٥٠ h#\n", "line 1: expected 'first-sample last-sample label'"),
]
ENDLESS = [
    ("a.json", f'{{"segmentation_type": "linear", "items":\n {{"a": {{"b": [1, {LONG}]}}}}}}\n', "line 2: .*digits"),
    ("a.json", '{"segmentation_type": "linear", "items":\n {"a": {"b": [1, NaN]}}}\n', "line 2: NaN is not valid JSON"),
    ("a.jsonl", f'{{"text": "a", "label": []}}\n{{"text": "b", "label": [[0, {LONG}, "x"]]}}\n', "line 2: .*digits"),
    ("a.csv", f"item,coder,length,position\na,b,{LONG},1\n", "line 2: length is '9999"),
    ("a.csv", f"first,last\n1,2\n3,{LONG}\n", "line 3: last is '9999"),
    ("a.tsv", f"coder\t1\t2\nb\t1\t{LONG}\n", "line 2: a cell is '9999"),
    ("a.txt", f"========,{LONG},one.\nA sentence.\n", "line 1: the heading has level 9999"),
    ("a.phn", f"0 {LONG} a\n", "line 1: expected 'first-sample"),
    ("a.lab", f"0 {LONG} a\n", "line 1: expected 'start end label'"),
    ("a.ctm", f"rec 1 0.1 {'1' * 400} a\n", "line 1: the duration is '1111"),
    ("a.rttm", "SPEAKER rec 1 0.5 1e999 <NA> <NA> ann <NA>\n", "line 1: the duration is '1e999'"),
    ("a.times", f"0.1\n{'1' * 400}.5\n", "line 2: the time is '1111"),
    ("a.conllu", f"1\ta{BLANKS}\n{LONG}\tb{BLANKS}\n\n", "line 2: this is not CoNLL-U"),
    ("a.TextGrid", 'File type = "ooTextFile"\nObject class = "TextGrid"\n0\n1\n<exists>\n1e999\n', "line 6: the number of tiers is 1e999"),
    ("a.eaf", f'<ANNOTATION_DOCUMENT><TIME_ORDER>\n<TIME_SLOT TIME_SLOT_ID="t" TIME_VALUE="{LONG}"/></TIME_ORDER></ANNOTATION_DOCUMENT>', "line 2: a time slot has the value '9999"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "why"), [*REFUSED, *ENDLESS])
def test_invalid_files_are_refused_with_their_line(tmp_path: Path, name: str, content: str, why: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(FormatError, match=why) as caught:
        cs.read(path)
    assert len(str(caught.value)) < 700 + len(str(path))


def test_segeval_tsv_refuses_commas(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Coder,Positions\n1,1,1,2,2\n2,1,2,2,2\n")
    with pytest.raises(FormatError, match="contains no tab"):
        cs.read(tmp_path / "a.csv", "segeval-tsv")


def test_rezonator_file_may_end_with_a_zero_byte(tmp_path: Path) -> None:
    token = {"type": "token", "tagMap": {"text": "so", "endNote": "."}}
    unit = {"type": "unit", "unitSeq": 1, "entryList": ["t"], "tagMap": {"participant": "ann"}}
    project = json.dumps({"ROOT": [{"nodeMap": {"u": unit, "t": token}}]})
    (tmp_path / "a.rez").write_bytes(project.encode() + b"\x00")
    assert cs.read(tmp_path / "a.rez")["a", "", "ann"].units == ("so",)


def test_brat_span_outside_the_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("so far")
    (tmp_path / "a.ann").write_text(f"T1\tsegment 0 2\tso\nT2\tsegment 3 {LONG}\tfar\n")
    with pytest.raises(FormatError, match=r"line 2: the span 3 9999.* is outside the text of 6 characters"):
        cs.read(tmp_path / "a.ann")


@pytest.mark.parametrize("offset", ["99", "-1"])
def test_cas_offsets_outside_the_text_are_refused(tmp_path: Path, offset: str) -> None:
    pytest.importorskip("cassis")
    path = tmp_path / "a.xmi"
    cs.write(cs.Corpus.from_dict({"a": {"": MARKS}}), path)
    assert cs.read(path)["a", ""] == MARKS
    text = path.read_text()
    damaged = re.sub(r'(<custom:Segment[^>]* begin="0" end=")[0-9]+', rf"\g<1>{offset}", text, count=1)
    assert damaged != text
    path.write_text(damaged)
    with pytest.raises(FormatError, match=r"not a position between characters|outside the text"):
        cs.read(path)


def test_cas_spans_inside_tokens_are_read_in_characters(tmp_path: Path) -> None:
    pytest.importorskip("cassis")
    path = tmp_path / "a.xmi"
    cs.write(cs.Corpus.from_dict({"a": {"": MARKS}}), path)
    path.write_text(re.sub(r'(<custom:Segment[^>]* begin="0" end=")[0-9]+', r"\g<1>4", path.read_text(), count=1))
    with pytest.warns(UserWarning, match="the span 0–4 begins or ends inside 'twice', so units are characters"):
        marks = cs.read(path)["a", ""]
    assert "".join(marks.units).startswith("so twice")
    assert marks.rows[0][:2] == (0, 4)


def test_cas_offset_inside_a_character_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("cassis")
    path = tmp_path / "a.xmi"
    cs.write(cs.Corpus.from_dict({"a": {"": cs.Segmentation.from_masses([1, 1], units=["🙂🙂", "so"])}}), path)
    path.write_text(path.read_text().replace('end="4"', 'end="3"'))
    with pytest.raises(FormatError, match="ends at 3, which is not a position between characters"):
        cs.read(path)


def test_flipped_bits_in_parquet_are_detected(tmp_path: Path) -> None:
    pytest.importorskip("polars")
    path = tmp_path / "a.parquet"
    corpus = cs.Corpus.from_dict({"a": {"ann": [2, 3, 4], "ben": [5, 4]}, "b": {"ann": [1, 1], "ben": [2]}})
    cs.write(corpus, path)
    written = path.read_bytes()
    choose = random.Random(16)
    refused = 0
    for _ in range(400):
        at = choose.randrange(len(written))
        path.write_bytes(written[:at] + bytes([written[at] ^ 1 << choose.randrange(8)]) + written[at + 1 :])
        try:
            assert cs.read(path) == corpus, "only the checksum itself was hit"
        except FormatError:
            refused += 1
    assert refused > 370


def test_parquet_files_without_a_checksum_are_read(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    rows = {"item": ["a"], "coder": ["ann"], "length": [5], "positions": [[2]]}
    polars.DataFrame(rows).write_parquet(tmp_path / "a.parquet")
    assert cs.read(tmp_path / "a.parquet")["a", "ann"].masses == [2, 3]


def test_parquet_page_checksums_are_verified(tmp_path: Path) -> None:
    """A file of Arrow's writer with a checksum per page (pyarrow 26, write_page_checksum=True): no flipped bit of a page is read."""
    pytest.importorskip("polars")
    content = (Path(__file__).parent / "page_sums.parquet").read_bytes()
    pages = list(parquet_pages._pages(content))
    assert len(pages) == 16
    assert damaged_page(content) is None
    for start, stop, _ in pages:
        for bit in range(8 * start, 8 * stop):
            flipped = bytearray(content)
            flipped[bit // 8] ^= 1 << bit % 8
            assert damaged_page(bytes(flipped)) == start
    path = tmp_path / "a.parquet"
    path.write_bytes(content)
    whole = cs.read(path)
    assert whole["i2", "c"].masses == [5, 4, 7, 4]
    path.write_bytes(bytes(flipped))
    with pytest.raises(
        cs.FormatError, match=rf"the file is damaged: the page at byte {start} does not fit its checksum;"
    ):
        cs.read(path)


def test_streamed_parquet_files_are_verified(tmp_path: Path) -> None:
    pytest.importorskip("polars")
    from caesura.statistics.engine import evaluate_files

    corpus = cs.Corpus.from_dict({f"i{i}": {"ann": [2 + i, 3]} for i in range(30)})
    for name in ("a", "b"):
        cs.write(corpus, tmp_path / f"{name}.parquet")
    content = bytearray((tmp_path / "b.parquet").read_bytes())
    content[len(content) // 3] ^= 1
    (tmp_path / "b.parquet").write_bytes(content)
    files = tmp_path / "a.parquet", {"b": tmp_path / "b.parquet"}
    with pytest.raises(cs.FormatError, match=r"b\.parquet: the file is damaged: its checksum does not fit"):
        evaluate_files(*files, ["B"])
