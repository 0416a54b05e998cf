"""Subtitles and transcripts of timed texts (cues): SubRip, WebVTT and Whisper's JSON."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import groupby
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple, Unpack

from caesura.errors import FormatError
from caesura.files import Source, load_json
from caesura.formats.speech.intervals import (
    LONGEST,
    IntervalRules,
    IntervalSpanOptions,
    intervals_of,
    is_tiled,
    marks_of_intervals,
    note_no_duration,
    recording_corpus,
    segments,
)
from caesura.model import Corpus, Segmentation, Spans

# ---------------------------------------------------------------------- cues
# A cue is a text with start and end, and sometimes a speaker, as subtitles and speech recognizers write them. Because cues leave gaps and
# overlap, they are spans, with a track per speaker; if those of every speaker cover the recording, or with ``as=boundaries``, they are segments.

_TIME = r"(?:(\d{1,9}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
_ARROW = "-->"
_TIMES = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?:\s.*)?")


class Cue(NamedTuple):
    """A text with start and end in seconds, its speaker if known, and its line for errors."""

    start: float
    end: float
    text: str
    speaker: str = ""
    line: int | None = None


class CueOptions(IntervalSpanOptions, total=False):
    """Options of all readers of cues: those of intervals, and the length of the recording (default: to the end of the last cue)."""

    length: float


def corpus_of_cues(source: Source, cues: Sequence[Cue], options: CueOptions) -> Corpus:
    """Return a corpus of one recording with a track per speaker; cues without a duration are left out, with a note."""
    length = options.get("length")
    rule = IntervalRules.from_options(**{name: value for name, value in options.items() if name != "length"})  # type: ignore[arg-type]
    kept = [cue for cue in cues if cue.start != cue.end]
    if len(kept) < len(cues):
        note_no_duration(source, len(cues) - len(kept), "cue", None)
    if not kept:
        raise source.error(None, "the file contains no cue with a duration.")
    end = max(cue.end for cue in kept) if length is None else length
    tracks: dict[str, list[Cue]] = {}
    for cue in kept:
        tracks.setdefault(cue.speaker, []).append(cue)
    for rows in tracks.values():
        rows.sort(key=attrgetter("start"))
    tiled = all(is_tiled([cue[:3] for cue in rows], end) for rows in tracks.values())
    as_spans = rule.as_ == "spans" or (rule.as_ == "auto" and not tiled)
    marks: list[tuple[str, str, Segmentation | Spans]] = []
    for speaker, rows in tracks.items():

        def error(i: int, why: str, rows: list[Cue] = rows) -> FormatError:
            return source.error(rows[i].line, why)

        intervals = [cue[:3] for cue in rows]
        placed = marks_of_intervals(intervals, as_spans=as_spans, rule=rule, length=end, error=error)
        marks.append(("", speaker, placed))
    return recording_corpus(source, marks)


class CueBlock(NamedTuple):
    """A block of a subtitle file: the text before its times, the times if there are any, the text after them, and its lines.

    ``line`` is the line of the times, or the first line of a block without times.
    """

    name: str
    times: tuple[float, float] | None
    text: str
    line: int
    first: int
    last: int


def blocks_of_cues(source: Source) -> Iterator[CueBlock]:
    """Split a subtitle file at blank lines, and before the next times if a blank line is missing."""
    for empty, group in groupby(source.lines, key=lambda numbered: not numbered[1].strip()):
        lines = list(group)
        timed = [i for i, (_, line) in enumerate(lines) if _ARROW in line]
        if empty:
            continue
        if not timed:
            yield CueBlock("", None, _join(lines), lines[0][0], lines[0][0], lines[-1][0])
            continue
        starts = [0, *(i - lines[i - 1][1].strip().isdigit() for i in timed[1:]), len(lines)]  # with the number before
        for i, start, following in zip(timed, starts, starts[1:], strict=False):
            number, line = lines[i]
            text = _join(lines[i + 1 : following])
            first, last = lines[start][0], lines[following - 1][0]
            yield CueBlock(_join(lines[start:i]), _times_of_line(source, number, line), text, number, first, last)


def _join(lines: Sequence[tuple[int, str]]) -> str:
    return "\n".join(line.strip() for _, line in lines)


def _times_of_line(source: Source, number: int, line: str) -> tuple[float, float]:
    """Parse ``00:01:02,500 --> 00:01:04,000``."""
    match = _TIMES.fullmatch(line)
    if match is None:
        why = f"expected times such as 00:01:02.500 --> 00:01:04.000, found {line.strip()[:60]!r}."
        raise source.error(number, why)
    groups = match.groups()
    start, end = (_seconds(source, number, groups[i : i + 4]) for i in (0, 4))
    if end < start:
        raise source.error(number, f"the cue ends at {end:g} s, before it starts ({start:g} s).")
    return start, end


def format_time(seconds: float, point: str) -> str:
    """Format hours, minutes, seconds and milliseconds.

    Examples
    --------
    >>> format_time(3723.5, ",")
    '01:02:03,500'
    """
    thousandths = round(seconds * 1000)
    hours, rest = divmod(thousandths, 3_600_000)
    minutes, rest = divmod(rest, 60_000)
    return f"{hours:02}:{minutes:02}:{rest // 1000:02}{point}{rest % 1000:03}"


def _seconds(source: Source, number: int, parts: Sequence[str | None]) -> float:
    hours, minutes, seconds, thousandths = (part or "0" for part in parts)
    if int(minutes) > 59 or int(seconds) > 59:
        raise source.error(number, f"{minutes}:{seconds} are not minutes and seconds below 60.")
    whole = int(hours) * 3600 + int(minutes) * 60 + int(seconds)
    return float(Decimal(whole) + Decimal(f"0.{thousandths}"))


# ---------------------------------------------------------------------- srt
# A number, ``start --> end`` and lines of text, then a blank line; a span is labelled by its text.

_FIRST = re.compile(r"(?:.*\n){0,3}\s*[\d:]+[.,]\d+\s*-->")


def sniff_srt(head: str) -> bool:
    """Recognise the times of the first subtitle in the first lines."""
    return _FIRST.match(head) is not None


def read_srt(source: Source, **options: Unpack[CueOptions]) -> Corpus:
    """Read one recording; tags inside the text stay as they are."""
    return corpus_of_cues(source, [cue for cue, _ in srt_cues(source)], options)


def srt_cues(source: Source) -> list[tuple[Cue, list[CueBlock]]]:
    """Return the subtitles of a file with their blocks: several if the text contains blank lines."""
    cues: list[tuple[Cue, list[CueBlock]]] = []
    texts: list[list[str]] = []  # of every cue; adding to one string again and again would take quadratic time
    for block in blocks_of_cues(source):
        name = "" if block.name.isdigit() else block.name
        left = name if block.times else block.text  # a subtitle may contain blank lines
        if left and not cues:
            first = left.split("\n")[0]
            why = f"expected the number of a subtitle or its times, such as 00:01:02,500 --> 00:01:04,000; found {first[:60]!r}."
            raise source.error(block.line - (name.count("\n") + 1 if name else 0), why)
        if left:
            texts[-1].append(left)
            cues[-1][1].append(block)
        if block.times:
            cues.append((Cue(*block.times, "", line=block.line), [block]))
            texts.append([block.text])
    return [
        (cue._replace(text="\n".join(parts).strip()), blocks) for (cue, blocks), parts in zip(cues, texts, strict=True)
    ]


def write_srt(corpus: Corpus) -> Iterator[str]:
    """Write one recording; times between milliseconds are a loss."""
    number = 0
    for _, _, _, marks in intervals_of(corpus):
        for start, end, text in segments(marks):
            number += 1
            yield f"{number}\n{format_time(start, ',')} --> {format_time(end, ',')}\n{text}\n\n"


# ---------------------------------------------------------------------- webvtt
# Blocks of ``start --> end`` and text; a voice (``<v Name>``) is the track of a speaker. Notes, styles, regions and all other tags are
# skipped; entities such as ``&amp;`` become characters.

# Both are applied to the text up to its last ">", where every tag that begins also ends; in the rest, every "<" would be tried to the end.
_VOICE = re.compile(r"<v(?:\.[^\s<>]*+)?[ \t]++([^>]*+)>")
_TAG = re.compile(r"<[^>]*+>")
_SKIPPED = ("NOTE", "STYLE", "REGION", "WEBVTT")


def sniff_webvtt(head: str) -> bool:
    """Recognise the first word."""
    return re.match(r"WEBVTT(\s|$)", head) is not None


def read_webvtt(source: Source, **options: Unpack[CueOptions]) -> Corpus:
    """Read one recording, a track per voice."""
    if not sniff_webvtt(source.text.lstrip("\ufeff")):
        raise source.error(1, "expected WEBVTT at the start of the file.")
    cues = [cue for block in blocks_of_cues(source) for cue in webvtt_cues(source, block)]
    return corpus_of_cues(source, cues, options)


def write_webvtt(corpus: Corpus) -> Iterator[str]:
    """Write one recording; times between milliseconds are a loss."""
    yield "WEBVTT\n"
    for _, track, _, marks in intervals_of(corpus):
        voice = f"<v {html.escape(track, quote=False)}>" if track else ""
        for start, end, text in segments(marks):
            yield f"\n{format_time(start, '.')} --> {format_time(end, '.')}\n{voice}{html.escape(text, quote=False)}\n"


def webvtt_cues(source: Source, block: CueBlock) -> Iterator[Cue]:
    """Iterate over the cues of a block of WebVTT, one per voice; notes, styles, regions and the header have none."""
    if block.times is None:
        if not block.text.startswith(_SKIPPED) and ":" not in block.text.split("\n")[0]:
            why = f"expected times such as 00:01:02.500 --> 00:01:04.000, found {block.text[:60]!r}."
            raise source.error(block.line, why)
        return
    tagged, end, rest = block.text.rpartition(">")
    parts = _VOICE.split(tagged + end)
    parts[-1] += rest
    if _plain(parts[0]) or len(parts) == 1:
        yield Cue(*block.times, _plain(parts[0]), "", block.line)
    for voice, spoken in zip(parts[1::2], parts[2::2], strict=True):
        yield Cue(*block.times, _plain(spoken), _unescape(voice).strip(), block.line)


def _plain(text: str) -> str:
    tagged, end, rest = text.rpartition(">")
    return _unescape(_TAG.sub("", tagged + end) + rest).strip()


def _unescape(text: str) -> str:
    """Replace entities; those of numbers with thousands of digits, which Python refuses to convert, stay as they are."""
    try:
        return html.unescape(text)
    except ValueError:
        return text


# ---------------------------------------------------------------------- whisper
# The JSON of openai-whisper, faster-whisper, whisper-timestamped, WhisperX, whisper.cpp and of the chunks of Hugging Face's pipeline, and a
# list of segments. Segments and their words have times in seconds; speakers, if there are any, are tracks.

_OPENAI_SEGMENTS = re.compile(r'"segments"\s*:\s*\[\s*(?:\]|\{[^{}\[\]]*"(?:start|end)"\s*:)')
_WHISPER_CPP = re.compile(r'"transcription"\s*:\s*\[\s*\{\s*"(?:timestamps|offsets)"')
_CHUNKS = re.compile(r'"chunks"\s*:\s*\[\s*\{[^{}]*"timestamp"\s*:\s*\[')
_BARE = re.compile(r'\s*\[\s*\{(?=[^{}]*"start"\s*:\s*[\d.])(?=[^{}]*"end"\s*:\s*[\d.])(?=[^{}]*"(?:text|word)"\s*:)')

WhisperLevel = Literal["segments", "words"]


def sniff_whisper(head: str) -> bool:
    """Recognise segments with times."""
    if head.lstrip().startswith("["):
        return _BARE.match(head) is not None
    return head.lstrip().startswith("{") and any(
        each.search(head) for each in (_OPENAI_SEGMENTS, _WHISPER_CPP, _CHUNKS)
    )


def read_whisper(source: Source, *, level: WhisperLevel = "segments", **options: Unpack[CueOptions]) -> Corpus:
    """Read one recording with a track per speaker.

    Parameters
    ----------
    level : {'segments', 'words'}, default 'segments'
        Segments, or their words if the file has them; a word without times is joined to the word before.
    """
    loaded = load_json(source)
    data = {"segments": loaded} if isinstance(loaded, list) else loaded
    listed = whisper_segments(source, loaded)
    cues = [cue for i, segment in enumerate(listed, 1) for cue in _whisper_cues(source, segment, f"segment {i}", level)]
    if "length" not in options and data.get("duration") is not None and cues:  # OpenAI's API gives the duration
        options["length"] = max(_time(source, data["duration"], "the recording"), *(cue.end for cue in cues))
    return corpus_of_cues(source, cues, options)


def whisper_segments(source: Source, loaded: Any) -> list[dict[str, Any]]:
    """Return the segments of a transcript; anything else is an error."""
    data = {"segments": loaded} if isinstance(loaded, list) else loaded
    kinds = ("segments", "transcription", "chunks")
    listed = next((data[kind] for kind in kinds if kind in data), None) if isinstance(data, dict) else None
    if not isinstance(listed, list) or not all(isinstance(segment, dict) for segment in listed):
        raise source.error(None, "expected a list of segments, as Whisper writes them.")
    return listed


def write_whisper(corpus: Corpus) -> str:
    """Write segments like openai-whisper, with speakers like WhisperX."""
    rows: list[dict[str, Any]] = []
    for _, track, _, marks in intervals_of(corpus):
        for start, end, text in segments(marks):
            rows.append({"start": start, "end": end, "text": text, **({"speaker": track} if track else {})})
    numbered = [{"id": i, **row} for i, row in enumerate(rows)]
    text = " ".join(row["text"] for row in rows if row["text"])
    length = max((float(a.marks.length) for a in corpus), default=0.0)
    data = {"duration": length, "text": text, "segments": numbered}
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def _whisper_cues(source: Source, segment: dict[str, Any], where: str, level: WhisperLevel) -> Iterator[Cue]:
    if level == "segments":
        yield whisper_cue(source, segment, where)
        return
    words = segment.get("words")
    if not isinstance(words, list) or not all(isinstance(word, dict) for word in words):
        raise source.error(None, f"{where} has no words; read level=segments.")
    waiting: Cue | None = None
    parts: list[str] = []
    for i, word in enumerate(words, 1):
        if "start" in word and "end" in word:
            if waiting is not None:
                yield waiting._replace(text=" ".join(parts))
            waiting = whisper_cue(source, {"speaker": segment.get("speaker", ""), **word}, f"word {i} of {where}")
            parts = [waiting.text]
        elif waiting is not None:
            parts.append(_text(source, word, where))
    if waiting is not None:
        yield waiting._replace(text=" ".join(parts))


def whisper_cue(source: Source, row: dict[str, Any], where: str) -> Cue:
    """Return the times, text and speaker of a segment or a word of a transcript."""
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
        raise source.error(None, f"{where} ends at {end:g} s, before it starts ({start:g} s).")
    speaker = row.get("speaker") or ""
    return Cue(start, end, _text(source, row, where), str(speaker))


def _time(source: Source, value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < LONGEST:
        raise source.error(None, f"a time of {where} is {str(value)[:40]!r}, expected seconds, 0 or more.")
    return float(value)


def _text(source: Source, row: dict[str, Any], where: str) -> str:
    text = row.get("text", row.get("word", ""))
    if not isinstance(text, str):
        raise source.error(None, f"the text of {where} is not a string.")
    return text.strip()


SRT = SimpleNamespace(read=read_srt, write=write_srt, sniff=sniff_srt)
WEBVTT = SimpleNamespace(read=read_webvtt, write=write_webvtt, sniff=sniff_webvtt)
WHISPER = SimpleNamespace(read=read_whisper, write=write_whisper, sniff=sniff_whisper)
