"""Chronological and binary TextGrids, Collections, and a comparison with Praat itself if Parselmouth is installed.

``python tests/formats/test_praat.py FOLDER`` compares every TextGrid below a folder and prints how many are equal.
"""

from __future__ import annotations

import struct
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import pytest

import caesura as cs
from caesura.errors import FormatError
from caesura.files import Source
from caesura.formats.speech.praat import parse_grid
from formats.mutants import COLLECTION
from shared_data import shared


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
    """Return a file as Praat writes it: lengths before strings, big-endian numbers, UTF-16 for labels that are not Latin-1."""
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


def test_chronological_textgrids_are_read(tmp_path: Path) -> None:
    path = put(tmp_path, "a.TextGrid", CHRONOLOGICAL)
    marks = cs.read(path, tier="words")["a", ""]
    assert (marks.positions.tolist(), marks.names) == ([0.5], ('so "called"', "far"))
    assert [(t, str(label)) for t, label in cs.read(path, tier="bell")["a", ""].marks] == [(0.25, "ding")]
    with pytest.raises(FormatError, match="line 10: there is no tier 3; the file has 2"):
        cs.read(put(tmp_path, "b.TextGrid", CHRONOLOGICAL.replace("\n1 0.5 2", "\n3 0.5 2")))
    with pytest.raises(FormatError, match=r"line 10: tier 'words': .* before the previous one ends"):
        cs.read(put(tmp_path, "b.TextGrid", CHRONOLOGICAL.replace("\n1 0.5 2", "\n1 0.25 2")), tier="words")


def test_binary_textgrids_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.TextGrid"
    path.write_bytes(binary_grid())
    marks = cs.read(path, tier="words")["a", ""]
    assert (marks.positions.tolist(), marks.names, marks.length) == ([0.5], ("caf", "ŋa"), 2.0)
    assert [(t, str(label)) for t, label in cs.read(path, tier="bell")["a", ""].marks] == [(0.25, "ding")]
    with pytest.raises(FormatError, match=r"a binary TextGrid is not text, so encoding= .* has no effect"):
        cs.read(path, encoding="latin-1")
    for cut in (14, 40, 60, len(binary_grid()) - 1):
        path.write_bytes(binary_grid()[:cut])
        with pytest.raises(FormatError, match=r"ends in the middle|of class"):
            cs.read(path)
    path.write_bytes(b"ooBinaryFile\x05Sound")
    with pytest.raises(FormatError, match="a binary Praat file of class 'Sound', expected a TextGrid"):
        cs.read(path)


def test_collection_reads_textgrids_and_skips_other_objects(tmp_path: Path) -> None:
    twice = COLLECTION.replace("size = 2\nitem []:", "size = 3\nitem []:", 1)
    twice += COLLECTION[COLLECTION.index("    item [2]:") :]
    corpus = cs.read(put(tmp_path, "a.Collection", twice))
    assert corpus.items == ("talk", "talk (2)")
    assert corpus["talk (2)", ""].names == ("so", "far")
    (tmp_path / "again").mkdir()
    cs.write(corpus, tmp_path / "again" / "a.Collection")
    assert cs.read(tmp_path / "again" / "a.Collection") == corpus
    with pytest.raises(FormatError, match="this Collection contains no TextGrid"):
        cs.read(put(tmp_path, "b.Collection", COLLECTION[: COLLECTION.index("    item [2]:")]))


GRID = """File type = "ooTextFile"
Object class = "TextGrid 0"
0 2 <Exists> 2
"IntervalTier" "words" 0 2 4
0.5 2 "far" 0 0.5 "caf\u00e9"
0.5 0.5 "lost" 2 2 ""
"TextTier" "bell" 0 2 2 1.5 "dong" 0.25 "ding"
"""


def test_irregular_textgrids_are_read_like_in_praat(tmp_path: Path) -> None:
    """Latin-1, unsorted rows, intervals without duration, CR line ends, more tokens than counted."""
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
    with pytest.warns(UserWarning, match="line 8: content after the last tier is ignored"):
        cs.read(put(tmp_path, "a.TextGrid", GRID + "7"), tier="bell")
    with pytest.raises(FormatError, match=r"line 7: tier 'bell': the time is '1_5', expected a number"):
        cs.read(put(tmp_path, "a.TextGrid", GRID.replace("1.5", "1_5")), tier="bell")


# ---------------------------------------------------------------------- comparison with Praat (Parselmouth is GPL: used in tests only)

#: Name, whether it holds points, and rows of times of every tier; None if a file is refused.
Times = list[tuple[str, bool, list[tuple[float, ...]]]] | None


def read_as_praat(path: Path) -> Times:
    """Read a file with Praat."""
    parselmouth = pytest.importorskip("parselmouth", reason="Parselmouth is not installed")
    call = parselmouth.praat.call
    try:
        grid = parselmouth.read(str(path))
    except parselmouth.PraatError:
        return None

    def rows(tier: int, what: str, *asked: str) -> list[tuple[float, ...]]:
        return [
            tuple(call(grid, each, tier, i) for each in asked)
            for i in range(1, call(grid, f"Get number of {what}s", tier) + 1)
        ]

    tiers: list[Any] = []
    for tier in range(1, call(grid, "Get number of tiers") + 1):
        points = not call(grid, "Is interval tier", tier)
        times = (
            rows(tier, "point", "Get time of point")
            if points
            else rows(tier, "interval", "Get start time of interval", "Get end time of interval")
        )
        tiers.append((call(grid, "Get tier name", tier), points, times))
    return tiers


def read_as_caesura(path: Path) -> Times:
    """Read a file with our parser, without converting its rows."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tiers = parse_grid(Source.open(path))
    except cs.CaesuraError:
        return None
    whole = {
        i: [(t.begin, t.length)] for i, t in enumerate(tiers) if not t.points and not t.labels
    }  # as Praat fills it
    rows = [[tuple(map(float, row)) for row in zip(*t.columns[:-1], strict=True)] for t in tiers]
    return [(t.name, t.points, whole.get(i, rows[i])) for i, t in enumerate(tiers)]


def compare_folder(folder: Path) -> dict[str, list[str]]:
    """Sort the TextGrids below a folder: equal in all times, refused by both, or different."""
    verdicts: dict[str, list[str]] = {"equal": [], "refused": [], "different": []}
    for path in sorted(p for p in folder.rglob("*") if p.suffix.lower() == ".textgrid"):
        praat, ours = read_as_praat(path), read_as_caesura(path)
        verdict = "different" if praat != ours else "refused" if praat is None else "equal"
        verdicts[verdict].append(path.name)
    return verdicts


def test_times_equal_those_of_praat() -> None:
    verdicts = compare_folder(shared("data/real_files"))
    assert not verdicts["different"]
    assert len(verdicts["equal"]) >= 40


def test_praat_reads_our_textgrids() -> None:
    pytest.importorskip("parselmouth", reason="Parselmouth is not installed")
    names = ["", 'so "far"', "é\nŋ"]
    words = cs.Segmentation.from_times([0.1, 1 / 3], length=2.0, names=names)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "talk.TextGrid"
        cs.write(cs.Corpus.from_annotations([("talk", "", words)]), path)
        assert read_as_praat(path) == [("segments", False, [(0.0, 0.1), (0.1, 1 / 3), (1 / 3, 2.0)])]


if __name__ == "__main__":
    for verdict, names in compare_folder(Path(sys.argv[1])).items():
        print(f"{verdict}: {len(names)}", *(names if verdict != "equal" else ()), sep="\n  ")
