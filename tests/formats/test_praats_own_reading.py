"""TextGrids beside Praat's own reading of them, where Parselmouth is installed (GPL: run here, no part of the project).

``python tests/formats/test_praats_own_reading.py FOLDER`` compares every TextGrid below a folder and says how many are equal.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import pytest

import caesura as cs
from caesura.files import Source
from caesura.formats.speech.praat import tiers_of_grid
from shared_data import shared

#: Name, whether it holds points, and rows of times of every tier; None where a file is refused.
Times = list[tuple[str, bool, list[tuple[float, ...]]]] | None


def read_as_praat(path: Path) -> Times:
    """Let Praat read a file."""
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
    """Read a file here, before anything becomes of its rows."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tiers = tiers_of_grid(Source.open(path))
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


def test_times_are_those_that_praat_reads() -> None:
    verdicts = compare_folder(shared("data/real_files"))
    assert not verdicts["different"]
    assert len(verdicts["equal"]) >= 40


def test_praat_reads_what_is_written() -> None:
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
