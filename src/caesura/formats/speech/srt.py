"""SubRip subtitles: a number, ``start --> end`` and lines of text, blank lines between; spans labelled by their text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Unpack

from caesura.files import Source
from caesura.formats.speech.cues import Cue, CueOptions, blocks_of_cues, corpus_of_cues, spell_time
from caesura.formats.speech.intervals import intervals_of, segments
from caesura.model import Corpus

_FIRST = re.compile(r"(?:.*\n){0,3}\s*[\d:]+[.,]\d+\s*-->")


def sniff(head: str) -> bool:
    """Recognise the times of the first subtitle, near the top."""
    return _FIRST.match(head) is not None


def read(source: Source, **options: Unpack[CueOptions]) -> Corpus:
    """Read one recording; tags inside the text stay as they are."""
    cues: list[Cue] = []
    for block in blocks_of_cues(source):
        name = "" if block.name.isdigit() else block.name
        left = name if block.times else block.text  # a subtitle may hold blank lines
        if left and not cues:
            first = left.split("\n")[0]
            why = f"expected the number of a subtitle or its times, such as 00:01:02,500 --> 00:01:04,000; found {first[:60]!r}."
            raise source.fault(block.line - (name.count("\n") + 1 if name else 0), why)
        if left:
            cues[-1] = cues[-1]._replace(text=f"{cues[-1].text}\n{left}".strip())
        if block.times:
            cues.append(Cue(*block.times, block.text, line=block.line))
    return corpus_of_cues(source, cues, options)


def write(corpus: Corpus) -> Iterator[str]:
    """Write one recording; times between milliseconds are refused unless losses are allowed."""
    number = 0
    for _, _, _, marks in intervals_of(corpus):
        for start, end, text in segments(marks):
            number += 1
            yield f"{number}\n{spell_time(start, ',')} --> {spell_time(end, ',')}\n{text}\n\n"
