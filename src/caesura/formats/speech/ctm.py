"""NIST's CTM: recording, channel, start, duration, word and perhaps confidence, one line per word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from operator import itemgetter
from typing import Unpack

from caesura.files import Source
from caesura.formats.speech.intervals import (
    TICK,
    Line,
    Rule,
    SpanOptions,
    decimal,
    duration_of,
    intervals_of,
    last_times,
    lasting_lines,
    of_lines,
    segments,
    spans_of_lines,
)
from caesura.model import Annotation, Corpus

_ALTERNATIVES = ("<ALT_BEGIN>", "<ALT>", "<ALT_END>")
_TIME = r"(?:\d[\d._]*(?:[eE][+-]?\d+)?|nan|inf)"
_ALONE = "1"  # the channel where a corpus has no tracks


def sniff(head: str) -> bool:
    """Recognise a recording, a channel, two times (also as people should not write them, so that their line is named) and a word."""
    lines = (x for x in head.split("\n") if x.strip() and not x.startswith(";;"))
    line = next((x for x in lines if not x.rstrip().endswith(_ALTERNATIVES)), "")
    return re.match(rf"\S+\s+\S+\s+{_TIME}\s+{_TIME}\s+\S+", line) is not None


def read(source: Source, **intervals: Unpack[SpanOptions]) -> Corpus:
    """Read every recording; channels are tracks, unless all are called 1. Of alternatives the first is read.

    Words stay spans, where nobody says otherwise, only if some overlap.
    """
    words: dict[tuple[str, str], list[Line]] = {}
    other = False
    for number, line in source.full_lines(";;"):
        parts = line.split()
        if len(parts) < 5:
            raise source.fault(
                number, f"expected recording, channel, start, duration and word, found {line.strip()[:60]!r}."
            )
        if parts[4] in _ALTERNATIVES:
            other = parts[4] == "<ALT>"
            continue
        if other:
            continue
        start = decimal(source, number, parts[2], "start")
        end = start + decimal(source, number, parts[3], "duration")
        words.setdefault((parts[0], parts[1]), []).append((float(start), float(end), parts[4], number))
    lasting = {key: lasting_lines(source, rows, "words") for key, rows in words.items()}
    words = {key: rows for key, rows in lasting.items() if rows}
    if not words:
        raise source.fault(None, "the file holds no word.")
    rule = Rule.of(**intervals)
    named = {channel for _, channel in words} != {_ALONE}
    for rows in words.values():
        rows.sort(key=itemgetter(0))
    overlap = any(after[0] < before[1] - TICK for rows in words.values() for before, after in pairwise(rows))
    as_spans = rule.as_ == "spans" or (rule.as_ == "auto" and overlap)
    ends = last_times(words)
    annotations = []
    for (item, channel), rows in words.items():
        marks = spans_of_lines(source, rows, ends[item]) if as_spans else of_lines(source, rows, rule)
        annotations.append(Annotation(item, "", marks, channel if named else ""))
    return Corpus.from_annotations(annotations)


def write(corpus: Corpus) -> Iterator[str]:
    """Write one line per named segment; stretches without a name are the gaps between them."""
    for item, track, _, marks in intervals_of(corpus):
        for start, end, label in segments(marks):
            if label:
                yield f"{item} {track or _ALONE} {start!r} {duration_of(start, end)} {label}\n"
