"""Large CSV and JSON lines are read in blocks; the result, or the error, is that of reading row by row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import caesura as cs
from caesura.errors import CaesuraError
from caesura.formats import caesura_json, tables
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


@pytest.mark.parametrize("table", TABLES)
def test_columns_of_a_table_equal_its_rows(table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "table.csv"
    file.write_bytes(table.encode())
    monkeypatch.setattr(tables, "_PIECE", 8)  # characters: every row is a block
    fast = outcome(file, "csv")
    monkeypatch.setattr(tables._BoundaryTable, "add_columns", lambda self: False)
    assert outcome(file, "csv") == fast


def test_ordinary_table_is_read_by_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(tables._BoundaryTable, "add")
    (tmp_path / "table.csv").write_text(TABLES[0])
    assert cs.read(tmp_path / "table.csv").positions.tolist() == [1, 3, 2]
    (tmp_path / "types.csv").write_text("item,coder,position,type\na,x,1,t\na,x,2,u\n")
    assert cs.read(tmp_path / "types.csv").labels == ("t", "u")


@pytest.mark.parametrize("batch", [1, 2, 128])  # plain annotations are decoded as such after the batch of the header
@pytest.mark.parametrize("decoder", [True, False])
@pytest.mark.parametrize("lines", LINES)
def test_blocks_of_lines_equal_single_lines(
    lines: str, decoder: bool, batch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "corpus.jsonl"
    file.write_bytes(lines.encode())
    monkeypatch.setattr(caesura_json, "_BATCH", batch)
    if decoder:
        pytest.importorskip("msgspec", reason="JSON lines are decoded by the standard library without msgspec")
    else:
        monkeypatch.setattr(caesura_json, "_fast_decoder", lambda *given: None)
    fast = outcome(file, "caesura-jsonl")
    monkeypatch.setattr(caesura_json, "_fast_decoder", lambda *given: None)
    monkeypatch.setattr(CorpusBuilder, "add_plain", lambda self, entries: False)
    assert outcome(file, "caesura-jsonl") == fast


def test_ordinary_lines_of_every_kind_are_read_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(CorpusBuilder, "start")
    monkeypatch.setattr(caesura_json, "_BATCH", 2)
    last = NAMED + _NAMED_LINE % ("3, 3", '"b", "a"'), SPANS + _SPANS_LINE % '[0, 5, "b"], [0, 2, null]'
    for name, decoder in (("json", lambda *given: None), ("msgspec", caesura_json._fast_decoder)):
        monkeypatch.setattr(caesura_json, "_fast_decoder", decoder)
        for lines in (LINES[0], *last):
            (tmp_path / f"{name}.jsonl").write_text(lines)
            assert len(cs.read(tmp_path / f"{name}.jsonl").positions) == 2


def test_writing_looks_at_columns_not_at_single_annotations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = cs.Corpus.from_dict({f"t{n}": {"ann": [2, 3], "ben": [1, 4]} for n in range(5)})

    def iterate(_: cs.Corpus) -> None:
        raise AssertionError("annotations were built, which took most of the time of writing a million")

    monkeypatch.setattr(cs.Corpus, "__iter__", iterate)
    cs.write(corpus, tmp_path / "all.parquet")
    assert (tmp_path / "all.parquet").exists()
