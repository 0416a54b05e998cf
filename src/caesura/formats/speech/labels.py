"""Label files in seconds: ``start end label`` on every line, with blanks or tabs between, as music annotators and many aligners write them.

Festival and ESPS write ``end colour label`` behind a line with ``#`` alone; that is read too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Unpack

from caesura.files import Source
from caesura.formats.speech.intervals import (
    Line,
    Rule,
    SpanOptions,
    decimal,
    intervals_of,
    lasting_lines,
    of_lines,
    of_recording,
    segments,
    spans_of_lines,
)
from caesura.model import Corpus

_FESTIVAL = re.compile(r"\s*\d+(?:\.\d*)?\s+\d+(?:\s|$)")
_FIRST = re.compile(r"\s*(?:\d+\.\d*\s+\d+(?:\.\d*)?|\d+\s+\d+\.\d*)(?:\s|$)")


def sniff(head: str) -> bool:
    """Recognise two times, one of them with a decimal point."""
    lines = [line for line in head.split("\n") if line.strip()]
    first = next((line for line in lines if not line.startswith("#")), "")
    behind = next((after for bar, after in pairwise(lines) if bar.strip() == "#"), "")
    return _FIRST.match(first) is not None or _FESTIVAL.match(behind) is not None


def read(source: Source, *, length: float | None = None, **intervals: Unpack[SpanOptions]) -> Corpus:
    """Read one recording; lines that begin with # are comments. Labels are segments unless ``as=spans`` asks for spans.

    Parameters
    ----------
    length
        How long the recording is, for spans (default: to the end of the last label).
    """
    lines = list(source.full_lines())
    bar = next((i for i, (_, line) in enumerate(lines) if line.strip() == "#"), None)
    if bar is None:
        listed = [_row(source, *line) for line in lines if not line[1].startswith("#")]
    else:
        listed = list(_ends(source, lines[bar + 1 :]))
    rows = lasting_lines(source, listed, "labels")
    rule = Rule.of(**intervals)
    if rule.as_ != "spans":
        if length is not None:
            raise source.fault(None, "length= has no effect without as=spans: boundaries end with the last label.")
        return of_recording(source, [("", "", of_lines(source, rows, rule))])
    last = max((row[1] for row in rows), default=0.0)
    return of_recording(source, [("", "", spans_of_lines(source, rows, last if length is None else length))])


def write(corpus: Corpus) -> Iterator[str]:
    """Write one recording, tabs between."""
    for _, _, _, marks in intervals_of(corpus):
        for start, end, label in segments(marks):
            yield f"{start!r}\t{end!r}\t{label}\n"


def _ends(source: Source, lines: list[tuple[int, str]]) -> Iterator[Line]:
    """Read Festival's lines, which say where a label ends; it starts where the one before ended."""
    start = 0.0
    for number, line in lines:
        parts = line.strip().split(maxsplit=2)
        end = float(decimal(source, number, parts[0], "end"))
        yield start, end, parts[2].strip() if len(parts) > 2 else "", number
        start = end


def _row(source: Source, number: int, line: str) -> Line:
    parts = line.strip().split(maxsplit=2)
    if len(parts) < 2:
        raise source.fault(number, f"expected 'start end label' in seconds, found {line.strip()[:60]!r}.")
    start, end = (float(decimal(source, number, parts[i], what)) for i, what in enumerate(("start", "end")))
    return start, end, parts[2] if len(parts) > 2 else "", number
