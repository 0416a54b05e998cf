"""WebVTT captions: ``start --> end`` and text in blocks; a voice (``<v Name>``) is a speaker's track.

Notes, styles and regions are passed over, and so are all tags but the voice's; ``&amp;`` and its like become characters.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Unpack

from caesura.files import Source
from caesura.formats.speech.cues import Block, Cue, CueOptions, blocks_of_cues, corpus_of_cues, spell_time
from caesura.formats.speech.intervals import intervals_of, segments
from caesura.model import Corpus

_VOICE = re.compile(r"<v(?:\.[^\s>]*)?[ \t]+([^>]*)>")
_TAG = re.compile(r"<[^>]*>")
_SKIPPED = ("NOTE", "STYLE", "REGION", "WEBVTT")


def sniff(head: str) -> bool:
    """Recognise the first word."""
    return re.match(r"WEBVTT(\s|$)", head) is not None


def read(source: Source, **options: Unpack[CueOptions]) -> Corpus:
    """Read one recording, a track per voice."""
    if not sniff(source.text.lstrip("\ufeff")):
        raise source.fault(1, "a WebVTT file begins with WEBVTT.")
    cues = [cue for block in blocks_of_cues(source) for cue in _cues(source, block)]
    return corpus_of_cues(source, cues, options)


def write(corpus: Corpus) -> Iterator[str]:
    """Write one recording; times between milliseconds are refused unless losses are allowed."""
    yield "WEBVTT\n"
    for _, track, _, marks in intervals_of(corpus):
        voice = f"<v {html.escape(track, quote=False)}>" if track else ""
        for start, end, text in segments(marks):
            yield f"\n{spell_time(start, '.')} --> {spell_time(end, '.')}\n{voice}{html.escape(text, quote=False)}\n"


def _cues(source: Source, block: Block) -> Iterator[Cue]:
    """Give the cue of a block, one for each voice in it; notes, styles, regions and the head have none."""
    if block.times is None:
        if not block.text.startswith(_SKIPPED) and ":" not in block.text.split("\n")[0]:
            why = f"expected times such as 00:01:02.500 --> 00:01:04.000, found {block.text[:60]!r}."
            raise source.fault(block.line, why)
        return
    parts = _VOICE.split(block.text)
    if _plain(parts[0]) or len(parts) == 1:
        yield Cue(*block.times, _plain(parts[0]), "", block.line)
    for voice, spoken in zip(parts[1::2], parts[2::2], strict=True):
        yield Cue(*block.times, _plain(spoken), html.unescape(voice).strip(), block.line)


def _plain(text: str) -> str:
    return html.unescape(_TAG.sub("", text)).strip()
