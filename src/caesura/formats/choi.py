"""Choi's texts: one sentence per line, a line of ``==========`` between segments, before the first and behind the last."""

from __future__ import annotations

import re

from caesura.files import Source
from caesura.formats.texts import one_text, segments_of
from caesura.model import Corpus

SEPARATOR = "=========="
_SEPARATOR = re.compile(r"={8,}\s*")


def sniff(head: str) -> bool:
    """Recognise a line of equals signs."""
    return any(_SEPARATOR.fullmatch(line) for line in head.split("\n"))


def read(source: Source) -> Corpus:
    """Read one text; a unit is a sentence, blank lines are passed over."""
    segments: list[list[str]] = [[]]
    for number, line in source.lines:
        if _SEPARATOR.fullmatch(line):
            if not segments[-1] and len(segments) > 1:
                raise source.fault(number, "two separators meet; a segment holds one sentence or more.")
            if segments[-1]:
                segments.append([])
        elif line.strip():
            segments[-1].append(line.strip())
    return one_text(source, segments, "sentence")


def write(corpus: Corpus) -> str:
    """Write one text, separators on both edges."""
    lines = [SEPARATOR]
    for segment in segments_of(corpus):
        lines += [*segment, SEPARATOR]
    return "\n".join(lines) + "\n"
