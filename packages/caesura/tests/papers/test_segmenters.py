"""The tables of segmenters, from a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesura.errors import CaesuraError
from caesura.papers.catalog import reproduce
from caesura.papers.segmenters import pk_on_tokens

TEXT = "==========\nthe ship sailed the sea\nsailors sail ships\n==========\nbread and flour\nan oven for bread\nflour\n==========\n"


def test_pk_counts_tokens() -> None:
    units = ["a b c", "d", "e f g h"]
    assert pk_on_tokens(units, [1], [1]) == 0.0
    assert pk_on_tokens(units, [1], [2]) == pytest.approx(2 / 6)  # k = 2; the windows around the fourth token differ


def test_folder_of_documents_gives_tables(tmp_path: Path) -> None:
    for name in ("choi/1_3-5_0.ref", "clinical/000.ref"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(TEXT, encoding="utf-8")
    found = reproduce("segmenters", path=tmp_path)
    assert [s.title for s in found.sections] == ["Choi: 1 documents", "Textbook, lectures and dialogues"]
    assert found.sections[0].lines[0].what == "c99, K known, 3-5"
    assert found.sections[1].rows[0][:4] == ["clinical", 1, "dcm", "known"]


def test_folder_without_documents_raises_an_error(tmp_path: Path) -> None:
    for path in (None, tmp_path):
        with pytest.raises(CaesuraError):
            reproduce("segmenters", path=path)
