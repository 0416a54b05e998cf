"""WebVTT captions: ``start --> end`` and text in blocks; a voice (``<v Name>``) is a speaker's track.

Notes, styles and regions are passed over, and so are all tags but the voice's; ``&amp;`` and its like become characters.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Unpack

from caesura.files import Source
from caesura.formats.speech.cues import Cue, CueOptions, corpus_of_cues, spell_time, times_of_line
from caesura.formats.speech.intervals import intervals_of, segments
from caesura.model import Corpus

_VOICE = re.compile(r"<v(?:\.[^\s>]*)?[ \t]+([^>]*)>")
_TAG = re.compile(r"<[^>]*>")
_SKIPPED = ("NOTE", "STYLE", "REGION", "WEBVTT")


def sniff(head: str) -> bool:
    """Recognise the first word."""
    return re.match(r"WEBVTT(\s|$)", head) is not None


def read(source: Source, **options: Unpack[CueOptions]) -> Corpus:
    """Read one recording, a track per voice.

    Parameters
    ----------
    length
        How long the recording is (default: to the end of the last caption).
    as
        Whether captions stay spans (default: where they leave gaps or overlap).
    silence, silences, close_gaps, edges
        How intervals become boundaries: see :mod:`caesura.formats.speech.intervals`.
    """
    first, *blocks = _blocks(source)
    if not sniff(first[0][1]):
        raise source.fault(1, "a WebVTT file begins with WEBVTT.")
    cues = [cue for block in (first[1:], *blocks) for cue in _cues(source, block)]
    return corpus_of_cues(source, cues, options)


def write(corpus: Corpus) -> Iterator[str]:
    """Write one recording; times between milliseconds are refused unless losses are allowed."""
    yield "WEBVTT\n"
    for _, track, _, marks in intervals_of(corpus):
        voice = f"<v {html.escape(track, quote=False)}>" if track else ""
        for start, end, text in segments(marks):
            yield f"\n{spell_time(start, '.')} --> {spell_time(end, '.')}\n{voice}{html.escape(text, quote=False)}\n"


def _blocks(source: Source) -> list[list[tuple[int, str]]]:
    """Part a file at blank lines; the first block is there always."""
    blocks: list[list[tuple[int, str]]] = [[]]
    for number, line in source.lines:
        if line.strip():
            blocks[-1].append((number, line))
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block] or [[(1, "")]]


def _cues(source: Source, block: list[tuple[int, str]]) -> Iterator[Cue]:
    """Give the cue of a block, one for each voice in it; whatever stands before its times is its name."""
    timed = next((i for i, (_, line) in enumerate(block) if "-->" in line), None)
    if timed is None:
        if block and not block[0][1].startswith(_SKIPPED) and ":" not in block[0][1]:
            why = f"expected times such as 00:01:02.500 --> 00:01:04.000, found {block[0][1].strip()[:60]!r}."
            raise source.fault(block[0][0], why)
        return
    number, line = block[timed]
    times = times_of_line(source, number, line)
    assert times is not None
    text = "\n".join(line for _, line in block[timed + 1 :])
    parts = _VOICE.split(text)
    if _plain(parts[0]) or len(parts) == 1:
        yield Cue(*times, _plain(parts[0]), "", number)
    for voice, spoken in zip(parts[1::2], parts[2::2], strict=True):
        yield Cue(*times, _plain(spoken), html.unescape(voice).strip(), number)


def _plain(text: str) -> str:
    return html.unescape(_TAG.sub("", text)).strip()
