"""NIST's CTM: recording, channel, start, duration, word and perhaps confidence, one line per word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import itemgetter
from typing import Unpack

from caesura.files import Source
from caesura.formats.speech.intervals import IntervalOptions, Line, Rule, decimal, duration_of, flat, of_lines, segments
from caesura.model import Annotation, Corpus

_ALTERNATIVES = ("<ALT_BEGIN>", "<ALT>", "<ALT_END>")
_TIME = r"(?:\d[\d._]*(?:[eE][+-]?\d+)?|nan|inf)"
_ALONE = "1"  # the channel where a corpus has no tracks


def sniff(head: str) -> bool:
    """Recognise a recording, a channel, two times (also as people should not write them, so that their line is named) and a word."""
    line = next((x for x in head.split("\n") if x.strip() and not x.startswith(";;")), "")
    return re.match(rf"\S+\s+\S+\s+{_TIME}\s+{_TIME}\s+\S+", line) is not None


def read(source: Source, **intervals: Unpack[IntervalOptions]) -> Corpus:
    """Read every recording; channels are tracks, unless all are called 1. Of alternatives the first is read."""
    words: dict[tuple[str, str], list[Line]] = {}
    other = False
    for number, line in source.lines:
        if not line.strip() or line.lstrip().startswith(";;"):
            continue
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
    if not words:
        raise source.fault(None, "the file holds no word.")
    rule = Rule.of(**intervals)
    named = {channel for _, channel in words} != {_ALONE}
    return Corpus.from_annotations(
        Annotation(item, "", of_lines(source, sorted(rows, key=itemgetter(0)), rule), channel if named else "")
        for (item, channel), rows in words.items()
    )


def write(corpus: Corpus) -> Iterator[str]:
    """Write one line per named segment; stretches without a name are the gaps between them."""
    for item, track, _, marks in flat(corpus):
        for start, end, label in segments(marks):
            if label:
                yield f"{item} {track or _ALONE} {start!r} {duration_of(start, end)} {label}\n"
