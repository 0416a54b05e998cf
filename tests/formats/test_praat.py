"""Praat's other files: chronological and binary TextGrids, and Collections."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

import caesura as cs
from caesura.errors import FormatError
from formats.mutants import COLLECTION


def put(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


CHRONOLOGICAL = '''"Praat chronological TextGrid text file"
0 2   ! Time domain.
2   ! Number of tiers.
"IntervalTier" "words" 0 2
"TextTier" "bell" 0 2
1 0 0.5
"so ""called"""
2 0.25
"ding"
1 0.5 2
"far"
'''


def binary_grid() -> bytes:
    """What Praat writes: lengths before strings, numbers big-endian, UTF-16 where a label is no Latin."""
    label = "ŋa"
    wide = struct.pack(">hH", -1, len(label)) + label.encode("utf-16-be")
    return b"".join(
        [
            b"ooBinaryFile\x08TextGrid", struct.pack(">dd?i", 0.0, 2.0, True, 2),
            b"\x0cIntervalTier", struct.pack(">h", 5), b"words", struct.pack(">ddi", 0.0, 2.0, 2),
            struct.pack(">dd", 0.0, 0.5), struct.pack(">h", 3), b"caf", struct.pack(">dd", 0.5, 2.0), wide,
            b"\x08TextTier", struct.pack(">h", 4), b"bell", struct.pack(">ddi", 0.0, 2.0, 1),
            struct.pack(">d", 0.25), struct.pack(">h", 4), b"ding",
        ]
    )  # fmt: skip


def test_chronological_text_grids(tmp_path: Path) -> None:
    path = put(tmp_path, "a.TextGrid", CHRONOLOGICAL)
    marks = cs.read(path, tier="words")["a", ""]
    assert (marks.positions.tolist(), marks.names) == ([0.5], ('so "called"', "far"))
    assert [(t, str(label)) for t, label in cs.read(path, tier="bell")["a", ""].marks] == [(0.25, "ding")]
    with pytest.raises(FormatError, match="line 10: there is no tier 3; the file has 2"):
        cs.read(put(tmp_path, "b.TextGrid", CHRONOLOGICAL.replace("\n1 0.5 2", "\n3 0.5 2")))
    with pytest.raises(FormatError, match=r"line 10: tier 'words': .* before the one in front of it ends"):
        cs.read(put(tmp_path, "b.TextGrid", CHRONOLOGICAL.replace("\n1 0.5 2", "\n1 0.25 2")), tier="words")


def test_binary_text_grids(tmp_path: Path) -> None:
    path = tmp_path / "a.TextGrid"
    path.write_bytes(binary_grid())
    marks = cs.read(path, tier="words")["a", ""]
    assert (marks.positions.tolist(), marks.names, marks.length) == ([0.5], ("caf", "ŋa"), 2.0)
    assert [(t, str(label)) for t, label in cs.read(path, tier="bell")["a", ""].marks] == [(0.25, "ding")]
    with pytest.raises(FormatError, match=r"a binary TextGrid is no text, so that encoding= .* has no effect"):
        cs.read(path, encoding="latin-1")
    for cut in (14, 40, 60, len(binary_grid()) - 1):
        path.write_bytes(binary_grid()[:cut])
        with pytest.raises(FormatError, match=r"ends in the middle|of class"):
            cs.read(path)
    path.write_bytes(b"ooBinaryFile\x05Sound")
    with pytest.raises(FormatError, match="a binary Praat file of class 'Sound', expected a TextGrid"):
        cs.read(path)


def test_collections_hold_text_grids_among_other_objects(tmp_path: Path) -> None:
    twice = COLLECTION.replace("size = 2\nitem []:", "size = 3\nitem []:", 1)
    twice += COLLECTION[COLLECTION.index("    item [2]:") :]
    corpus = cs.read(put(tmp_path, "a.Collection", twice))
    assert corpus.items == ("talk", "talk (2)")
    assert corpus["talk (2)", ""].names == ("so", "far")
    (tmp_path / "again").mkdir()
    cs.write(corpus, tmp_path / "again" / "a.Collection")
    assert cs.read(tmp_path / "again" / "a.Collection") == corpus
    with pytest.raises(FormatError, match="this Collection holds no TextGrid"):
        cs.read(put(tmp_path, "b.Collection", COLLECTION[: COLLECTION.index("    item [2]:")]))


GRID = """File type = "ooTextFile"
Object class = "TextGrid 0"
0 2 <Exists> 2
"IntervalTier" "words" 0 2 4
0.5 2 "far" 0 0.5 "caf\u00e9"
0.5 0.5 "lost" 2 2 ""
"TextTier" "bell" 0 2 2 1.5 "dong" 0.25 "ding"
"""


def test_text_grids_that_praat_reads_though_they_are_odd(tmp_path: Path) -> None:
    """Latin-1, rows out of order, intervals that do not last, line ends of old Macintoshes, more tokens than the counts say."""
    path = tmp_path / "a.TextGrid"
    for encoding, ends in (("utf-8", "\n"), ("utf-16", "\r\n"), ("utf-8", "\r")):
        path.write_bytes(GRID.replace("\n", f" ! ok{ends}").encode(encoding))
        with pytest.warns(
            UserWarning, match="line 6: tier 'words': 2 intervals without a duration are left out"
        ) as warned:
            marks = cs.read(path, tier="words")["a", ""]
        assert (marks.positions.tolist(), marks.names, len(warned)) == ([0.5], ("café", "far"), 1)
        assert cs.read(path, tier="bell")["a", ""].marks == [(0.25, "ding"), (1.5, "dong")]
    path.write_bytes(GRID.encode("latin-1"))
    with pytest.warns(UserWarning, match="line 5: this is not UTF-8 text.*read as Latin-1, as Praat reads it"):
        assert cs.read(path, tier="words")["a", ""].names == ("café", "far")
    with pytest.warns(UserWarning, match="line 8: what stands behind the last tier is passed over"):
        cs.read(put(tmp_path, "a.TextGrid", GRID + "7"), tier="bell")
    with pytest.raises(FormatError, match=r"line 7: tier 'bell': the time is '1_5', expected a number"):
        cs.read(put(tmp_path, "a.TextGrid", GRID.replace("1.5", "1_5")), tier="bell")
