"""Large CSV and JSON lines are read in blocks; the result, or the error, is that of reading row by row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import caesura as cs
from caesura.errors import CaesuraError
from caesura.formats import caesura_json, tables
from caesura.formats.speech import times
from caesura.model.columns import CorpusBuilder

HEADER = "item,coder,position\n"
TABLES = [
    f"{HEADER}a,x,1\na,x,3\nb,x,2\n",
    f"{HEADER}a,x,1\na,x,3\nb,x,2",  # no line end at the end
    f"{HEADER}a,x,1\na,x,3\n".replace("\n", "\r\n"),
    f"{HEADER}a,x,1\na,x,2\n".replace("\n", "\r"),
    f"{HEADER}a,x,1\r\na,x,2\n",
    f"{HEADER}a,x,1\n\na,x,2\n",  # a blank line
    f"{HEADER}a,x,1\nb,x,1\na,x,2\n",  # two runs of one annotation
    f"{HEADER}a,x,2\nb,x,1\na,x,1\n",  # which fall
    f"{HEADER}a,x,1\na,x,1\n",
    f"{HEADER}a,x,3\na,x,2\n",
    f"{HEADER}a,x,1,2\na,x\n",  # the right number of cells, on the wrong lines
    f'{HEADER}"a,b",x,1\n',
    f"{HEADER}a,x,٣\n",
    f"{HEADER}a,x,{'9' * 19}\n",
    f"{HEADER}a,x,0\n",
    f"{HEADER}a,x,\n",
    f"{HEADER}a,x,1\x00\n",
    HEADER,
    "item;coder;position;length\na;x;1;5\na;x;4;5\nb;y;2;9\n",
    "item,coder,position,length\na,x,5,5\n",  # outside the text
    "item,coder,position,length\na,x,1, 5 \na,y,2,\n",
    "item,coder,position,length\na,x,1,5\na,x,2,6\n",  # two lengths
    "item,coder,position,type\na,x,1,t\na,x,2,u\n",
    "item,coder,position,type\na,x,1,t\na,x,2,\n",
    "item,coder,position,type\na,x,1,\na,x,2,\n",
    "item,coder,position,type\na,x,1,t\na,x,1,u\nb,x,4,t\n",
    "item,coder,position,type\na,x,1,t\na,x,1,t\n",
    "item,coder,position,type\na,x,1,2\na,x,3,10\na,y,3,2\n",
    "item,coder,position,type,length\na,x,1,t,5\na,x,5,u,5\nb,x,5,u,6\n",
    "item,coder,position,type,length\na,x,6,t,5\n",
    "item,coder,position,type\na,x,1,t\nb,x,1,t\na,x,1,u\n",  # two runs that meet
    "item,coder,position,position\na,x,1,1\n",
    "position\n3\n4\n",
    "\ufeffdocument,annotator,speaker,position\na,x,s,1\n",
]

LABELS = "item,coder,label\n"
LABEL_TABLES = [
    f"{LABELS}a,x,p\na,x,q\nb,x,p\n",
    f"{LABELS}a,x,p\nb,x,p\na,x,q",  # two runs of one annotation
    f"{LABELS}a,x,p\n,,\na,x,q\n",  # a line without content
    f"{LABELS},,\na,x,q\n",
    f"{LABELS}a,x,\na,x,\na,x,q\n",
    f"{LABELS}a,x,p\n,x,q\n",  # a name in some rows only
    f"{LABELS},x,p\n,x,q\n",
    f"{LABELS}a,x,p,\na,x\n",
    f'{LABELS}a,x,"p\nq"\na,x,q\n',
    f"{LABELS}a,x,1\na,x,0\n".replace("\n", "\r\n"),
    f"{LABELS}a,x,B-place\na,x,I-place\na,x,O\n",
    LABELS,
    "\n" + f"{LABELS}a,x,p\n",
    "label\np\nq\n",
    "label\np\n\nq\n",
    "label,boundary\np,0\nq,1\np,\n",
    "item,coder,speaker,word,boundary\na,x,s,one,1\na,x,s,two,0\na,x,t,three,t\n",
    "item,item,label\na,b,p\n",
    "item,coder,start,end,label\na,x,0,1,p\n",
    "item,coder,unit,label\na,x,2,p\na,x,1,q\n",
]

TIMES = "item,coder,time\n"
TIME_TABLES = [
    f"{TIMES}a,x,0.5\na,x,1\nb,x,2.25\n",
    f"{TIMES}a,x,1.5\nb,x,2\na,x,0.25",  # two runs, and not in order
    f"{TIMES}a,x,1.5\na,x,1.5\n",
    f"{TIMES}a,x, 1.5\n",
    f"{TIMES}a,x,1.2.3\n",
    f"{TIMES}a,x,.\n",
    f"{TIMES}a,x,1e2\n",
    f"{TIMES}a,x,nan\n",
    f"{TIMES}a,x,-1.5\n",
    f"{TIMES}a,x,{'9' * 30}\n",
    f"{TIMES}a,x,\nb,x,1.5\n",
    f"{TIMES},x,1.5\n",
    TIMES,
    "time\n1.5\n2.5\n",
    "item,coder,time,length\na,x,1.5,3\na,x,2.5,3\nb,x,1,2\n",
    "item,coder,time,length\na,x,1.5,3\na,x,2.5,3.0\n",  # two spellings of one length
    "item,coder,time,length\na,x,1.5,3\na,x,2.5,\n",
    "item,coder,time,length\na,x,1.5,3\na,x,3.5,3\n",  # outside the recording
    "item,coder,time,length\na,x,1.5,long\n",
    "item,coder,time,type\na,x,1.5,t\na,x,0.5,u\n",
    "item,coder,time,type\na,x,1.5,t\na,x,1.5,u\n",
    "item,coder,time,type\na,x,1.5,t\na,x,1.5,t\n",  # one type twice
    "item,coder,time,type\na,x,1.5,t\na,x,2.5,\n",
    "item,coder,time,type\na,x,1.5,\na,x,2.5,\n",
    "item,coder,time,start,end\na,x,1.5,1,2\n",
    "item,speaker,time\na,s,1.5\na,t,2.5\n",
    "item,coder,time_ms\na,x,1500\n",
    "item,coder,start,end\na,x,0.5,2.5\n",
]

JSON_HEADER = '{"format": "caesura-corpus", "version": 1, "kind": "%s", "typed": %s}\n'
UNITS, TIME, TYPED = (JSON_HEADER % pair for pair in (("units", "false"), ("time", "false"), ("units", "true")))
LINES = [
    UNITS + '{"item": "a", "coder": "x", "length": 9, "positions": [1, 2]}\n{"item": "b", "coder": "x", "length": 4, "positions": []}\n',
    UNITS + '{"item": "a", "coder": "x", "length": 9, "positions": [1, 2.5]}\n',
    UNITS + '{"item": "a", "coder": "x", "length": 9, "positions": [1, true]}\n',
    UNITS + '{"item": "a", "coder": "x", "length": 9, "positions": [100000000000000000000]}\n',
    UNITS + '{"item": "a", "coder": "x", "length": 9, "positions": [NaN]}\n',
    UNITS + '{"item": "a", "coder": "x", "length": 9.5, "positions": [1]}\n',
    UNITS + '{"item": 1, "coder": "x", "length": 9, "positions": [1]}\n',
    UNITS + '{"item": "a", "coder": "x", "length": 9, "positions": "12"}\n',
    UNITS + '{"item": "a", "coder": "x", "length": 9, "marks": [1]}\n',
    UNITS + '{"item": "a", "coder": "x", "track": "t", "length": 9, "positions": [1]}\n',
    UNITS + '{"item": "a", "units": ["w", "v"]}\n{"item": "a", "coder": "x", "length": 2, "positions": [1]}\n',
    UNITS + '{"item": "\\ud800", "coder": "x", "length": 9, "positions": [1]}\n',
    UNITS + '1, 2\n{"item": "a", "coder": "x", "length": 9, "positions": [1]}\n',
    UNITS + '\n{"item": "a", "coder": "x", "length": 9, "positions": [1]}\n{"item": \n',
    TIME + '{"item": "a", "coder": "x", "length": 9, "positions": [1, 2.5]}\n',
    TYPED + '{"item": "a", "coder": "x", "length": 9, "positions": [1], "types": [3]}\n',
    UNITS + '{"item": "a", "coder": "x", "length": 9, "positions": [1]}, {"item": "b", "coder": "x", "length": 9, "positions": [1]}\n',
    UNITS + '{"item": "a", "coder": "x", "length": 9, "positions": [1, 9223372036854775808]}\n',
    UNITS + '{"item": "a", "coder": "x", "length": 9223372036854775808, "positions": [1]}\n',
    UNITS + '{"item": "a", "coder": "x", "length": 9, "positions": [1.0, true]}\n',
    UNITS,
    "",
]  # fmt: skip

LABELLED = '{"format": "caesura-corpus", "version": 1, "kind": "%s", "labels": ["b", "a"]%s}\n'
NAMED, SPANS, SECONDS = LABELLED % ("units", ""), LABELLED % ("spans", ""), LABELLED % ("spans", ', "seconds": true')
BARE_SPANS = SPANS.replace(', "labels": ["b", "a"]', "")
_NAMED_LINE = '{"item": "a", "coder": "x", "length": 9, "positions": [%s], "types": [%s]}\n'
_SPANS_LINE = '{"item": "a", "coder": "x", "length": 9, "spans": [%s]}\n'
_LAST = '{"item": "b", "coder": "x", "length": 4, "spans": [[0, 1, "b"]]}\n'
LINES += [
    *(
        NAMED + _NAMED_LINE % each + '{"item": "b", "coder": "x", "length": 4, "positions": [3], "types": ["b"]}\n'
        for each in (
            ("1, 3", '"b", "a"'),
            ("3, 3", '"b", "a"'),  # two types at one position, in order
            ("3, 3", '"a", "b"'),  # and not in order
            ("3, 3", '"a", "a"'),
            ("3, 2", '"a", "b"'),
            ("3, 4", '"a", "c"'),
            ("3, 4", '"a", null'),
            ("3, 4", '"a", ["b"]'),
            ("3, 4", '"a"'),
            ("", ""),
        )
    ),
    TYPED + _NAMED_LINE % ("1, 3, 3", "2, 0, 2"),
    TYPED + _NAMED_LINE % ("1, 3, 3", "2, 2, 0"),
    TYPED + _NAMED_LINE % ("1, 3", "2, true"),
    TYPED + _NAMED_LINE % ("1, 3", "2, -1"),
    *(
        header + _SPANS_LINE % each + _LAST
        for header in (SPANS, SECONDS, BARE_SPANS)
        for each in (
            '[0, 2, "b"], [1, 4, "a"], [1, 3, null]',
            '[1, 3, "a"], [0, 2, "b"]',  # not in order
            '[0, 2, "a"], [0, 5, "b"], [0, 5, "a"]',
            '[0, 5, "a"], [0, 5, "b"]',
            '[0, 5, "a"], [0, 5, "a"]',
            "[0, 5, null]",
            "[0, 5], [6, 7]",
            '[0, 5.0, "a"]',
            '[0, 5.5, "a"]',
            '[true, 5, "a"]',
            '[0, 10, "a"]',
            '[3, 3, "a"]',
            '[4, 3, "a"]',
            '[-1, 3, "a"]',
            '[0, 3, "c"]',
            '[0, 3, 1]',
            '[0, Infinity, "a"]',
            '[0, 4611686018427387904, "a"]',
            '[0, 9223372036854775808, "a"]',
            "5",
            "",
        )
    ),
    SPANS + _SPANS_LINE % '[0, 2, "b"]' * 2,
]  # fmt: skip


def outcome(file: Path, name: str) -> Any:
    try:
        return cs.read(file, format=name)
    except CaesuraError as error:
        return str(error)


def by_rows(*_: Any) -> Any:
    raise tables.UnusualTable


@pytest.mark.parametrize("piece", [1, 2**14])  # characters: every row is a block, or all rows are one
@pytest.mark.parametrize(
    ("name", "table"),
    [
        *(("csv", table) for table in TABLES),
        *(("csv-labels", table) for table in LABEL_TABLES),
        *(("times", table) for table in TIME_TABLES),
    ],
)
def test_columns_of_a_table_equal_its_rows(
    name: str, table: str, piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "table.csv"
    file.write_bytes(table.encode())
    monkeypatch.setattr(tables, "_PIECE", piece)
    fast = outcome(file, name)
    for module in (tables, times):
        monkeypatch.setattr(module, "read_blocks", by_rows)
    assert outcome(file, name) == fast


@pytest.mark.parametrize("length", [3.0, 4.0])
def test_a_given_length_replaces_those_of_columns_as_of_rows(
    length: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "table.csv"
    file.write_text("item,coder,time,length\na,x,1.5,9\na,x,2.5,8\n")
    fast = cs.read(file, format="times", length=length)
    monkeypatch.setattr(times, "read_blocks", by_rows)
    assert cs.read(file, format="times", length=length) == fast


def test_ordinary_table_is_read_by_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (tables, times):
        monkeypatch.delattr(module, "read_table")
    file = tmp_path / "table.csv"
    file.write_text(TABLES[0])
    assert cs.read(file).positions.tolist() == [1, 3, 2]
    file.write_text("item,coder,position,type\na,x,1,t\na,x,2,u\n")
    assert cs.read(file).labels == ("t", "u")
    file.write_text(LABEL_TABLES[0])
    assert cs.read(file).positions.tolist() == [1]
    file.write_text("label\np\nq\n")
    assert cs.read(file).positions.tolist() == [1]
    file.write_text(TIME_TABLES[0])
    assert cs.read(file).positions.tolist() == [0.5, 1.0, 2.25]


def refuse(text: str) -> Any:
    raise ValueError(text)


@pytest.mark.parametrize("batch", [1, 2, 128])  # plain annotations are decoded as such after the batch of the header
@pytest.mark.parametrize("lines", LINES)
def test_blocks_of_lines_equal_single_lines(
    lines: str, batch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "corpus.jsonl"
    file.write_bytes(lines.encode())
    monkeypatch.setattr(caesura_json, "_BATCH", batch)
    fast = outcome(file, "caesura-jsonl")
    monkeypatch.setattr(caesura_json, "_fast_decoder", lambda *given: refuse)  # every line is parsed by json
    monkeypatch.setattr(CorpusBuilder, "add_plain", lambda self, entries: False)
    assert outcome(file, "caesura-jsonl") == fast


def test_ordinary_lines_of_every_kind_are_read_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(CorpusBuilder, "start")
    monkeypatch.setattr(caesura_json, "_BATCH", 2)
    last = NAMED + _NAMED_LINE % ("3, 3", '"b", "a"'), SPANS + _SPANS_LINE % '[0, 5, "b"], [0, 2, null]'
    for lines in (LINES[0], *last):
        (tmp_path / "corpus.jsonl").write_text(lines)
        assert len(cs.read(tmp_path / "corpus.jsonl").positions) == 2


def test_writing_looks_at_columns_not_at_single_annotations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = cs.Corpus.from_dict({f"t{n}": {"ann": [2, 3], "ben": [1, 4]} for n in range(5)})

    def iterate(_: cs.Corpus) -> None:
        raise AssertionError("annotations were built, which took most of the time of writing a million")

    monkeypatch.setattr(cs.Corpus, "__iter__", iterate)
    cs.write(corpus, tmp_path / "all.parquet")
    assert (tmp_path / "all.parquet").exists()
