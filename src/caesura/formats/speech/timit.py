"""TIMIT's .phn and .wrd: one line per interval, first sample, last sample, label; and the same for words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack

from caesura.files import Source
from caesura.formats.numbers import as_whole
from caesura.formats.speech.intervals import IntervalOptions, Line, Rule, flat, of_lines, of_recording, segments
from caesura.model import Corpus

_EMPTY = '""'  # an empty label; the columns are parted by spaces, so nothing at all would be a truncated line


def read(source: Source, *, rate: float = 16000.0, **intervals: Unpack[IntervalOptions]) -> Corpus:
    """Read intervals in samples.

    Parameters
    ----------
    rate
        Samples per second.
    """
    if not rate > 0:
        raise source.fault(None, f"the rate is {rate:g} samples per second, expected a number above 0.")
    rows: list[Line] = []
    for number, line in source.full_lines():
        parts = line.strip().split(None, 2)
        first, last = (as_whole(part) for part in parts[:2]) if len(parts) == 3 else (None, None)
        if first is None or last is None:
            raise source.fault(number, f"expected 'first-sample last-sample label', found {line.strip()[:60]!r}.")
        label = "" if parts[2] == _EMPTY else parts[2]
        rows.append((first / rate, last / rate, label, number))
    marks = of_lines(source, rows, Rule.of(**intervals))
    return of_recording(source, [("", "", marks)])


def write(corpus: Corpus, *, rate: float = 16000.0) -> Iterator[str]:
    """Write one recording in samples; times between samples are refused unless losses are allowed."""
    for _, _, _, marks in flat(corpus):
        for start, end, label in segments(marks):
            yield f"{round(start * rate)} {round(end * rate)} {label or _EMPTY}\n"
