"""CSV of candidate boundaries with scores: what a segmenter considered, for choosing its threshold afterwards."""

from __future__ import annotations

import math
from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from caesura.files import Source
from caesura.formats.delimited import header_of, read_table, write_table
from caesura.formats.speech.intervals import decimal, recording

#: For (item, track), times and scores.
Candidates = dict[tuple[str, str], tuple[list[float], list[float]]]


def has_scores(path: str | PathLike[str]) -> bool:
    """Whether a file is a table with the columns time and score."""
    where = Path(path)
    return (
        where.is_file() and where.stat().st_size > 0 and {"time", "score"} <= set(header_of(Source.open(where).head()))
    )


def read_scored(path: str | PathLike[str]) -> Candidates:
    """Read the columns time and score, and item and track where there are any; without, the file's name is the item."""
    source = Source.open(Path(path))
    candidates: Candidates = {}
    for row in read_table(source, needs=("time", "score")):
        times, scores = candidates.setdefault((row.get("item") or recording(source), row.get("track")), ([], []))
        times.append(float(decimal(source, row.line, row["time"].strip(), "time")))
        try:
            scores.append(float(row["score"]))
        except ValueError:
            scores.append(math.nan)
        if not math.isfinite(scores[-1]):
            raise row.fault(f"the score is {row['score']!r}, expected a finite number.")
    return candidates


def spell_scores(rows: Iterable[tuple[str, str, float, float]]) -> str:
    """Write item, track, time and score."""
    return write_table(
        ("item", "track", "time", "score"), ([i, t, repr(float(x)), repr(float(s))] for i, t, x, s in rows)
    )
