"""Chunks as their libraries write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import caesura as cs
from caesura.errors import FormatError

TEXT = "So twice five miles of fertile ground"


def put(folder: Path, *entries: Any, name: str = "cut.jsonl") -> Path:
    listed = json.dumps(entries) if name.endswith(".json") else "".join(json.dumps(e) + "\n" for e in entries)
    (folder / name).write_text(listed, encoding="utf-8")
    return folder / name


def document(start: int, end: int, source: str = "texts/kubla.txt") -> dict[str, Any]:
    return {"page_content": TEXT[start:end], "metadata": {"source": source, "start_index": start}}


def node(start: int, end: int) -> dict[str, Any]:
    return {"id_": "x", "metadata": {"file_name": "kubla.txt"}, "text": TEXT[start:end], "start_char_idx": start}


@pytest.mark.parametrize(
    "chunks",
    [
        [document(0, 19), document(20, 37)],
        [node(0, 20), node(20, 37)],
        [{"lc": 1, "type": "constructor", "kwargs": document(a, b)} for a, b in ((0, 19), (20, 37))],
    ],
)
def test_chunks_that_cover_a_text_are_segments(tmp_path: Path, chunks: list[Any]) -> None:
    marks = cs.read(put(tmp_path, *chunks))["kubla", ""]
    assert (marks.masses, marks.units) == ([4, 3], tuple(TEXT.split()))
    assert cs.read(put(tmp_path, *chunks, name="cut.json")) == cs.read(put(tmp_path, *chunks))


def test_chunks_without_a_place_follow_one_another(tmp_path: Path) -> None:
    path = put(tmp_path, {"page_content": "So twice", "metadata": {}}, {"page_content": "five miles", "metadata": {}})
    assert cs.read(path)["cut", ""].masses == [2, 2]
    assert cs.read(put(tmp_path, "So twice", "five", name="s.json"), "chunks")["s", ""].masses == [2, 1]


def test_overlapping_chunks_are_spans(tmp_path: Path) -> None:
    path = put(tmp_path, document(0, 19), document(9, 37), document(0, 8, "other"))
    corpus = cs.read(path, unit="word")
    assert corpus.items == ("kubla", "other")
    assert corpus["kubla", ""].rows == [(0, 4, None), (2, 7, None)]
    cs.write(corpus, tmp_path / "again.jsonl", "chunks", unit="word")
    assert cs.read(tmp_path / "again.jsonl", unit="word") == corpus


def test_faults_are_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="line 2: the chunk at character 3 says 'x' at 3, where another says 't'"):
        cs.read(
            put(tmp_path, document(0, 8), {"page_content": "xx", "metadata": {"start_index": 3, "source": "kubla"}})
        )
    with pytest.raises(FormatError, match="line 2: expected a chunk with its text"):
        cs.read(put(tmp_path, document(0, 8), {"metadata": {}}))
    with pytest.raises(FormatError, match="line 1: the chunk begins at 'soon', expected a character"):
        cs.read(put(tmp_path, {"page_content": "x", "metadata": {"start_index": "soon"}}))
    with pytest.raises(FormatError, match="far behind all text there is"):
        cs.read(put(tmp_path, {"page_content": "x", "metadata": {"start_index": 10**9}}))
