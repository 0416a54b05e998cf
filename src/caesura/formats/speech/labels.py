"""Label files in seconds: ``start end label`` on every line, with blanks or tabs between, as music annotators and many aligners write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Unpack

from caesura.errors import FormatError
from caesura.files import Source
from caesura.formats.speech.intervals import (
    Line,
    Rule,
    SpanOptions,
    decimal,
    intervals_of,
    of_lines,
    of_recording,
    segments,
    spans_of_intervals,
)
from caesura.model import Corpus, Segmentation, Spans

_FIRST = re.compile(r"\s*(?:\d+\.\d*\s+\d+(?:\.\d*)?|\d+\s+\d+\.\d*)(?:\s|$)")


def sniff(head: str) -> bool:
    """Recognise two times, one of them with a decimal point."""
    first = next((line for line in head.split("\n") if line.strip() and not line.startswith("#")), "")
    return _FIRST.match(first) is not None


def read(source: Source, *, length: float | None = None, **intervals: Unpack[SpanOptions]) -> Corpus:
    """Read one recording; lines that begin with # are comments.

    Parameters
    ----------
    length
        How long the recording is, for spans (default: to the end of the last label).
    as
        ``spans`` keeps labels as spans, which may overlap; ``boundaries`` is the default, silence being a segment too.
    silence, silences, close_gaps, edges
        How intervals become boundaries: see :mod:`caesura.formats.speech.intervals`.
    """
    rows = [_row(source, *line) for line in source.lines if line[1].strip() and not line[1].startswith("#")]
    rule = Rule.of(**intervals)
    if rule.as_ != "spans":
        if length is not None:
            raise FormatError(
                source.path, None, "length= has no effect without as=spans: boundaries end with the last label."
            )
        return of_recording(source, [("", "", of_lines(source, rows, rule))])
    last = max((row[1] for row in rows), default=0.0)

    def fault(i: int, why: str) -> FormatError:
        return FormatError(source.path, rows[i][3], why)

    return of_recording(
        source,
        [
            (
                "",
                "",
                spans_of_intervals([row[:3] for row in rows], length=last if length is None else length, fault=fault),
            )
        ],
    )


def write(corpus: Corpus) -> Iterator[str]:
    """Write one recording, tabs between."""
    marks: Segmentation | Spans
    for _, _, _, marks in intervals_of(corpus):
        for start, end, label in segments(marks):
            yield f"{start!r}\t{end!r}\t{label}\n"


def _row(source: Source, number: int, line: str) -> Line:
    parts = line.strip().split(maxsplit=2)
    if len(parts) < 2:
        raise FormatError(source.path, number, f"expected 'start end label' in seconds, found {line.strip()[:60]!r}.")
    start, end = (float(decimal(source, number, parts[i], what)) for i, what in enumerate(("start", "end")))
    return start, end, parts[2] if len(parts) > 2 else "", number
