"""Audacity's label track: start, end and label with tabs between; a label at one point starts and ends together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Unpack

from caesura.files import Source
from caesura.formats.speech.intervals import (
    TICK,
    IntervalOptions,
    Line,
    Rule,
    decimal,
    flat,
    of_lines,
    of_recording,
    segments,
)
from caesura.model import Corpus, Segmentation

_LINE = re.compile(r"(\S+)\t(\S+)(\t|$)")
_TIME = re.compile(r"[0-9]+([.,][0-9]+)?|[-+]?(nan|inf|infinity)", re.IGNORECASE)


def sniff(head: str) -> bool:
    """Recognise two times and a label with tabs between; what a broken export writes for a time (nan) too, to refuse it."""
    line = _LINE.match(head.split("\n", 1)[0])
    return line is not None and all(_TIME.fullmatch(time) for time in line.groups()[:2])


def read(source: Source, **intervals: Unpack[IntervalOptions]) -> Corpus:
    """Read a label track: regions as segments, or points as boundaries; frequencies of spectral labels are passed over."""
    rows: list[Line] = []
    for number, line in source.full_lines("\\"):
        parts = line.split("\t", 2)
        if len(parts) < 2:
            raise source.fault(number, f"expected start, end and label with tabs between, found {line[:60]!r}.")
        start = decimal(source, number, parts[0].strip().replace(",", "."), "start")
        end = decimal(source, number, parts[1].strip().replace(",", "."), "end")
        rows.append((float(start), float(end), parts[2] if len(parts) > 2 else "", number))
    points = _points(source, rows)
    marks = of_lines(source, rows, Rule.of(**intervals)) if points is None else points
    return of_recording(source, [("", "", marks)])


def write(corpus: Corpus) -> Iterator[str]:
    """Write one recording: typed boundaries as points, all others as regions."""
    for _, _, _, marks in flat(corpus):
        if marks.typed:
            for time, label in marks.marks:
                yield f"{time!r}\t{time!r}\t{label}\n"
        else:
            for start, end, label in segments(marks):
                yield f"{start!r}\t{end!r}\t{label}\n"


def _points(source: Source, rows: list[Line]) -> Segmentation | None:
    """Boundaries with types, where every label stands at one point; None where they are regions."""
    alone = [row for row in rows if row[1] - row[0] < TICK]
    if not alone:
        return None
    if len(alone) < len(rows):
        why = "this label stands at one point among labels of regions; use one kind in a track."
        raise source.fault(alone[0][3], why)
    labels = [label for _, _, label, _ in rows]
    return Segmentation.from_times([start for start, *_ in rows], types=labels if any(labels) else None)
