"""SubRip subtitles: a number, ``start --> end`` and lines of text, blank lines between; spans labelled by their text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Unpack

from caesura.files import Source
from caesura.formats.speech.cues import Cue, CueOptions, corpus_of_cues, spell_time, times_of_line
from caesura.formats.speech.intervals import intervals_of, segments
from caesura.model import Corpus

_FIRST = re.compile(r"(?:.*\n){0,3}\s*[\d:]+,\d+\s*-->")


def sniff(head: str) -> bool:
    """Recognise the times of the first subtitle, near the top."""
    return _FIRST.match(head) is not None


def read(source: Source, **options: Unpack[CueOptions]) -> Corpus:
    """Read one recording; tags inside the text stay as they are.

    Parameters
    ----------
    length
        How long the recording is (default: to the end of the last subtitle).
    as
        Whether subtitles stay spans (default: where they leave gaps or overlap).
    silence, silences, close_gaps, edges
        How intervals become boundaries: see :mod:`caesura.formats.speech.intervals`.
    """
    cues: list[Cue] = []
    lines = list(source.lines)
    for place, (number, line) in enumerate(lines):
        times = times_of_line(source, number, line)
        if times is not None:
            cues.append(Cue(*times, "", line=number))
        elif not line.strip() or _is_number(lines, place):
            continue
        elif not cues:
            why = f"expected the number of a subtitle or its times, found {line.strip()[:60]!r}."
            raise source.fault(number, why)
        else:
            before = cues[-1]
            cues[-1] = before._replace(text=f"{before.text}\n{line.strip()}" if before.text else line.strip())
    return corpus_of_cues(source, cues, options)


def write(corpus: Corpus) -> Iterator[str]:
    """Write one recording; times between milliseconds are refused unless losses are allowed."""
    number = 0
    for _, _, _, marks in intervals_of(corpus):
        for start, end, text in segments(marks):
            number += 1
            yield f"{number}\n{spell_time(start, ',')} --> {spell_time(end, ',')}\n{text}\n\n"


def _is_number(lines: list[tuple[int, str]], place: int) -> bool:
    """Whether a line is the number of the subtitle whose times stand on the next line."""
    behind = lines[place + 1][1] if place + 1 < len(lines) else ""
    return lines[place][1].strip().isdigit() and "-->" in behind
