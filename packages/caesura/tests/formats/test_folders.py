"""Folders with files of several formats or of unknown formats."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import caesura as cs
from caesura.errors import CaesuraError

MASSES = cs.Corpus.from_dict({"talk": {"ann": [2, 3], "ben": [1, 4]}})


def test_mixed_folder_warns_about_formats_and_skipped_files(tmp_path: Path) -> None:
    cs.write(MASSES, tmp_path / "a.json")
    cs.write(MASSES.select(coders=["ann"]), tmp_path / "ann-talk.csv", lossy=True)
    (tmp_path / "README.txt").write_text("Two texts.")
    (tmp_path / "notes.pdf").write_bytes(b"%PDF")
    (tmp_path / "odd.json").write_text('{"some": "thing else"}')
    other = cs.Corpus.from_dict({"walk": {"ann": [5, 5]}})
    cs.write(other, tmp_path / "b.csv", "csv")
    (tmp_path / "ann-talk.csv").unlink()
    with pytest.warns(UserWarning, match="read 1 file of caesura-json and 1 file of csv; skipped 3 files") as warned:
        corpus = cs.read(tmp_path)
    assert corpus.items == ("talk", "walk")
    assert all(name in str(warned[0].message) for name in ("odd.json", "README.txt", "notes.pdf"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cs.read(tmp_path, "csv").items == ("walk",)  # asked for, nothing to say
    with pytest.raises(CaesuraError, match="no known format fits this file"):
        cs.read(tmp_path, pattern="{item}.json")  # named, so not skipped


def test_folder_of_one_format_is_read_without_warning(tmp_path: Path) -> None:
    cs.write(MASSES, tmp_path / "a.json")
    (tmp_path / "README.md").write_text("Two texts.")
    (tmp_path / "README.txt").write_text("Two texts.")
    (tmp_path / "talk.wav").write_bytes(b"RIFF")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cs.read(tmp_path) == MASSES


def test_incompatible_files_raise_an_error_with_their_formats(tmp_path: Path) -> None:
    cs.write(MASSES, tmp_path / "a.json")
    times = cs.Corpus.from_annotations([("rec", "", cs.Segmentation.from_times([0.5], length=2.0, names=["a", "b"]))])
    cs.write(times, tmp_path / "rec.TextGrid")
    with pytest.raises(
        CaesuraError, match=r"one kind of annotation.* Found 1 file of caesura-json and 1 file of textgrid; choose"
    ):
        cs.read(tmp_path)
    assert cs.read(tmp_path, "textgrid").items == ("rec",)


def test_folder_without_known_files_raises_an_error(tmp_path: Path) -> None:
    (tmp_path / "cut.json").write_text('{"items": ')
    with pytest.raises(CaesuraError, match=r"cut\.json, line 1: this is not JSON"):
        cs.read(tmp_path)
