"""What Whisper and its kin write as JSON: segments with their words, in seconds; speakers, where WhisperX found them, are tracks.

Read are the JSON of openai-whisper, faster-whisper's command lines, whisper-timestamped, WhisperX, whisper.cpp, the chunks of
Hugging Face's pipeline, and a bare list of segments.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Literal, Unpack

from caesura.files import Source, load_json
from caesura.formats.speech.cues import Cue, CueOptions, corpus_of_cues
from caesura.formats.speech.intervals import LONGEST, intervals_of, segments
from caesura.model import Corpus

_OURS = re.compile(r'"segments"\s*:\s*\[\s*(?:\]|\{[^{}\[\]]*"(?:start|end)"\s*:)')
_CPP = re.compile(r'"transcription"\s*:\s*\[\s*\{\s*"(?:timestamps|offsets)"')
_CHUNKS = re.compile(r'"chunks"\s*:\s*\[\s*\{[^{}]*"timestamp"\s*:\s*\[')
_BARE = re.compile(r'\s*\[\s*\{(?=[^{}]*"start"\s*:\s*[\d.])(?=[^{}]*"end"\s*:\s*[\d.])(?=[^{}]*"(?:text|word)"\s*:)')

Level = Literal["segments", "words"]


def sniff(head: str) -> bool:
    """Recognise segments with times."""
    if head.lstrip().startswith("["):
        return _BARE.match(head) is not None
    return head.lstrip().startswith("{") and any(each.search(head) for each in (_OURS, _CPP, _CHUNKS))


def read(source: Source, *, level: Level = "segments", **options: Unpack[CueOptions]) -> Corpus:
    """Read one recording, a track per speaker, as long as the file says where nobody does.

    Parameters
    ----------
    level
        ``segments``, or their ``words`` where the file has them; a word without times belongs to the one before.
    """
    loaded = load_json(source)
    data = {"segments": loaded} if isinstance(loaded, list) else loaded
    kinds = ("segments", "transcription", "chunks")
    listed = next((data[kind] for kind in kinds if kind in data), None) if isinstance(data, dict) else None
    if not isinstance(listed, list) or not all(isinstance(segment, dict) for segment in listed):
        raise source.fault(None, "expected a list of segments, as Whisper writes them.")
    cues = [cue for i, segment in enumerate(listed, 1) for cue in _cues(source, segment, f"segment {i}", level)]
    if "length" not in options and data.get("duration") is not None and cues:  # OpenAI's service says it
        options["length"] = max(_time(source, data["duration"], "the recording"), *(cue.end for cue in cues))
    return corpus_of_cues(source, cues, options)


def write(corpus: Corpus) -> str:
    """Write segments as openai-whisper does, with WhisperX' speakers."""
    rows: list[dict[str, Any]] = []
    for _, track, _, marks in intervals_of(corpus):
        for start, end, text in segments(marks):
            rows.append({"start": start, "end": end, "text": text, **({"speaker": track} if track else {})})
    numbered = [{"id": i, **row} for i, row in enumerate(rows)]
    text = " ".join(row["text"] for row in rows if row["text"])
    length = max((float(a.marks.length) for a in corpus), default=0.0)
    data = {"duration": length, "text": text, "segments": numbered}
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def _cues(source: Source, segment: dict[str, Any], where: str, level: Level) -> Iterator[Cue]:
    if level == "segments":
        yield _cue(source, segment, where)
        return
    words = segment.get("words")
    if not isinstance(words, list) or not all(isinstance(word, dict) for word in words):
        raise source.fault(None, f"{where} has no words; read level=segments.")
    waiting: Cue | None = None
    for i, word in enumerate(words, 1):
        if "start" in word and "end" in word:
            if waiting is not None:
                yield waiting
            waiting = _cue(source, {"speaker": segment.get("speaker", ""), **word}, f"word {i} of {where}")
        elif waiting is not None:
            waiting = waiting._replace(text=f"{waiting.text} {_text(source, word, where)}")
    if waiting is not None:
        yield waiting


def _cue(source: Source, row: dict[str, Any], where: str) -> Cue:
    offsets, pair = row.get("offsets"), row.get("timestamp")
    if isinstance(offsets, dict):  # whisper.cpp counts milliseconds
        start, end = (_time(source, offsets.get(name), where) / 1000 for name in ("from", "to"))
    elif (
        isinstance(pair, list) and len(pair) == 2
    ):  # the last chunk of a pipeline may have no end: it is left out as empty
        start = _time(source, pair[0], where)
        end = start if pair[1] is None else _time(source, pair[1], where)
    else:
        start, end = (_time(source, row.get(name), where) for name in ("start", "end"))
    if end < start:
        raise source.fault(None, f"{where} ends at {end:g} s, before it starts ({start:g} s).")
    speaker = row.get("speaker") or ""
    return Cue(start, end, _text(source, row, where), str(speaker))


def _time(source: Source, value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < LONGEST:
        raise source.fault(None, f"a time of {where} is {str(value)[:40]!r}, expected seconds from 0 up.")
    return float(value)


def _text(source: Source, row: dict[str, Any], where: str) -> str:
    text = row.get("text", row.get("word", ""))
    if not isinstance(text, str):
        raise source.fault(None, f"the text of {where} is no string.")
    return text.strip()
