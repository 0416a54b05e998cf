"""Choi's texts: one sentence a line, a line of ``==========`` between segments, before the first and behind the last."""

from __future__ import annotations

import re

from caesura.errors import FormatError
from caesura.formats.files import Source
from caesura.model import Annotation, Corpus, Segmentation

__all__ = ["read", "sniff", "write"]

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
                raise FormatError(source.path, number, "two separators meet; a segment holds one sentence or more.")
            if segments[-1]:
                segments.append([])
        elif line.strip():
            segments[-1].append(line.strip())
    if not segments[-1]:
        segments.pop()
    if not segments:
        raise FormatError(source.path, None, "the text holds no sentence.")
    units = [sentence for segment in segments for sentence in segment]
    marks = Segmentation.from_masses([len(segment) for segment in segments], units=units)
    return Corpus.from_annotations([Annotation(source.stem, "", marks)])


def write(corpus: Corpus) -> str:
    """Write one text, separators on both edges."""
    marks = corpus.annotation(0).marks
    assert isinstance(marks, Segmentation)
    units = marks.units or ()
    lines = [SEPARATOR]
    for first, last in marks.spans:
        lines += [*units[int(first) - 1 : int(last)], SEPARATOR]
    return "\n".join(lines) + "\n"
