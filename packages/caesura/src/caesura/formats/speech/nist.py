"""NIST's RTTM and CTM: speaker turns and words with times."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from operator import itemgetter
from types import SimpleNamespace
from typing import Unpack

from caesura.files import Source
from caesura.formats.speech.intervals import (
    TICK,
    IntervalRules,
    IntervalSpanOptions,
    LabelLine,
    format_duration,
    intervals_of,
    is_tiled,
    last_times,
    lasting_lines,
    parse_time,
    segmentation_of_lines,
    segments,
    spans_of_lines,
)
from caesura.model import Annotation, Corpus, Segmentation
from caesura.model.time_axis import NO_SCORE_ATTRIBUTE, no_score_zones

# ---------------------------------------------------------------------- rttm
# One line per speaker turn: spans labelled by their speaker. If no turn has a speaker and turns leave no gaps, or with ``as=boundaries``, a
# speaker is a track, and segments between turns have no name.

_TYPES = (
    "SPEAKER", "LEXEME", "SEGMENT", "NOSCORE", "NO_RT_METADATA", "NON-LEX", "NON-SPEECH", "FILLER", "EDIT", "SU", "IP", "CB",
    "A/P", "SPKR-INFO",
)  # fmt: skip
_NONE = "<NA>"
_NO_SCORE = "NOSCORE"
ONLY_CHANNEL = "1"  # the channel if a recording has one only
_HAS_SPEAKERS = re.compile(r"^[ \t]*SPEAKER\s", re.MULTILINE)


def sniff_rttm(head: str) -> bool:
    """Recognise a line that begins with an RTTM type."""
    line = next((x for x in head.split("\n") if x.strip() and not x.startswith(";;")), "")
    return len(line.split()) >= 8 and line.split()[0] in _TYPES


def read_rttm(
    source: Source, *, type: str | None = None, length: float | None = None, **intervals: Unpack[IntervalSpanOptions]
) -> Corpus:
    """Read every recording and speaker.

    A recording is a file; if a file has turns on several channels, each is a recording of its own, ``file:channel``. Zones of NOSCORE lines
    become the attribute "noscore" of the recording, which diarization metrics take out of the scored time.

    Parameters
    ----------
    type : str, default None
        The type of the lines to read; None: SPEAKER if there are any, else LEXEME. Turns are labelled by their speaker, words by
        themselves.
    length : float, default None
        The length of every recording, for spans; None: to the end of the last turn.
    """
    wanted = type or ("SPEAKER" if _HAS_SPEAKERS.search(source.text) else "LEXEME")
    read: dict[tuple[str, str, str], list[LabelLine]] = {}  # by file, channel and speaker
    zones: dict[tuple[str, str], list[list[float]]] = {}
    kinds: dict[str, None] = {}
    for number, (kind, file, channel, begin, duration, word, _, speaker, *_) in _lines(source):
        kinds[kind] = None
        if kind in (wanted, _NO_SCORE):
            start, end = _start_and_end(source, number, begin, duration)
            channel = ONLY_CHANNEL if channel == _NONE else channel
            if kind == wanted:
                label = speaker if wanted == "SPEAKER" else word
                read.setdefault((file, channel, speaker), []).append((start, end, label, number))
            elif end > start:
                zones.setdefault((file, channel), []).append([start, end])
    if not read:
        if not kinds:
            raise source.error(
                None,
                "the file has no turns; to count its recording as without turns, leave the file out with missing='empty' (caesura evaluate --missing empty).",
            )
        raise source.error(None, f"the file contains no line of type {wanted}; it has {', '.join(kinds)}.")
    names = recordings_of_channels(read)
    lasting = {(names[f, c], who): lasting_lines(source, rows, "turns") for (f, c, who), rows in read.items()}
    turns = {key: rows for key, rows in lasting.items() if rows}
    if not turns:
        raise source.error(None, "the file contains no turn with a duration.")
    rule = IntervalRules.from_options(**intervals)
    named = wanted == "SPEAKER" and any(speaker != _NONE for _, speaker in turns)
    tiled = not named and all(
        is_tiled([row[:3] for row in sorted(rows, key=itemgetter(0))], max(r[1] for r in rows))
        for rows in turns.values()
    )
    unscored = {names[key]: {NO_SCORE_ATTRIBUTE: sorted(rows)} for key, rows in zones.items() if key in names}
    if rule.as_ == "spans" or (rule.as_ == "auto" and not tiled):
        return _spans_of_turns(source, turns, wanted, length).with_attributes(unscored)
    return Corpus.from_annotations(
        (
            Annotation(item, "", _marks(source, rows, rule, wanted), "" if speaker == _NONE else speaker)
            for (item, speaker), rows in turns.items()
        ),
        attributes=unscored,
    )


def recordings_of_channels(read: Iterable[tuple[str, str, str]]) -> dict[tuple[str, str], str]:
    """Return the name of the recording of every file and channel: the file, with the channel if it has several."""
    channels: dict[str, dict[str, None]] = {}
    for file, channel, _ in read:
        channels.setdefault(file, {})[channel] = None
    return {
        (file, channel): file if len(used) == 1 else f"{file}:{channel}"
        for file, used in channels.items()
        for channel in used
    }


def _start_and_end(source: Source, number: int, begin: str, duration: str) -> tuple[float, float]:
    """Parse a start and a duration, and add them without rounding errors."""
    # Whole microseconds are exact as integers, and an order of magnitude faster to add than decimals.
    if (start := _in_microseconds(begin)) is not None and (lasts := _in_microseconds(duration)) is not None:
        return start / 1e6, (start + lasts) / 1e6
    exact = parse_time(source, number, begin, "start")
    return float(exact), float(exact + parse_time(source, number, duration, "duration"))


def _in_microseconds(text: str) -> int | None:
    """Return a time of at most nine digits and six decimals in microseconds; None if it is written in another way."""
    whole, _, part = text.partition(".")
    if len(whole) <= 9 and len(part) <= 6 and whole.isdecimal() and whole.isascii() and part.isascii():
        if not part:
            return int(whole) * 1_000_000
        if part.isdecimal():
            return int(whole) * 1_000_000 + int(part.ljust(6, "0"))
    return None


def write_rttm(corpus: Corpus) -> Iterator[str]:
    """Write one turn per named segment, or words if segments have other names than their speaker."""
    listed = list(intervals_of(corpus))
    for item in corpus.items:
        for start, end in no_score_zones(corpus.attributes.get(item, {}), item):
            time = f"{start!r} {format_duration(start, end)}"
            yield f"{_NO_SCORE} {item} 1 {time} {_NONE} {_NONE} {_NONE} {_NONE} {_NONE}\n"
    if corpus.kind == "spans":
        for item, track, _, marks in listed:
            yield from (_format_span(item, track, start, end, label) for start, end, label in segments(marks))
        return
    words = any(n not in ("", track or _NONE) for _, track, _, m in listed if m.names is not None for n in m.names)
    for item, track, _, marks in listed:
        speaker = track or _NONE
        for start, end, label in segments(marks):
            if label or marks.names is None:
                kind, word, how = ("LEXEME", label or _NONE, "lex") if words else ("SPEAKER", _NONE, _NONE)
                yield f"{kind} {item} 1 {start!r} {format_duration(start, end)} {word} {how} {speaker} {_NONE} {_NONE}\n"


def _format_span(item: str, track: str, start: float, end: float, label: str) -> str:
    time = f"{start!r} {format_duration(start, end)}"
    if track:  # words of a speaker
        return f"LEXEME {item} 1 {time} {label or _NONE} lex {track} {_NONE} {_NONE}\n"
    return f"SPEAKER {item} 1 {time} {_NONE} {_NONE} {label or _NONE} {_NONE} {_NONE}\n"


def _spans_of_turns(
    source: Source, turns: dict[tuple[str, str], list[LabelLine]], wanted: str, length: float | None
) -> Corpus:
    """Return turns as spans of one annotation per recording, and words as spans in a track per speaker."""
    streams: dict[tuple[str, str], list[LabelLine]] = {}
    for (item, speaker), rows in turns.items():
        track = "" if wanted == "SPEAKER" or speaker == _NONE else speaker
        streams.setdefault((item, track), []).extend(rows)
    ends = last_times(streams)
    annotations = []
    for (item, track), rows in streams.items():
        named = [(start, end, "" if label == _NONE else label, line) for start, end, label, line in rows]
        marks = spans_of_lines(source, named, ends[item] if length is None else length)
        annotations.append(Annotation(item, "", marks, track))
    return Corpus.from_annotations(annotations)


def _lines(source: Source) -> Iterator[tuple[int, list[str]]]:
    for number, line in source.nonblank_lines(";;"):
        parts = line.split()
        if parts[0] not in _TYPES or len(parts) < 8:
            raise source.error(
                number,
                f"expected type, recording, channel, start, duration, word, subtype and speaker, found {line.strip()[:60]!r}.",
            )
        yield number, parts


def _marks(source: Source, rows: list[LabelLine], rule: IntervalRules, wanted: str) -> Segmentation:
    marks = segmentation_of_lines(source, sorted(rows, key=itemgetter(0)), rule)
    if wanted == "SPEAKER" and marks.names is not None and "" not in marks.names:  # without gaps the name tells nothing
        return Segmentation(marks.length, marks.positions)
    return marks


# ---------------------------------------------------------------------- ctm
# One line per word: recording, channel, start, duration, word and optionally confidence.

_ALTERNATIVES = ("<ALT_BEGIN>", "<ALT>", "<ALT_END>")
_TIME = r"(?:\d[\d._]*(?:[eE][+-]?\d+)?|nan|inf)"


def sniff_ctm(head: str) -> bool:
    """Recognise a recording, a channel, two times and a word; also malformed times, for a better error."""
    lines = (x for x in head.split("\n") if x.strip() and not x.startswith(";;"))
    line = next((x for x in lines if not x.rstrip().endswith(_ALTERNATIVES)), "")
    return re.match(rf"\S+\s+\S+\s+{_TIME}\s+{_TIME}\s+\S+", line) is not None


def read_ctm(source: Source, **intervals: Unpack[IntervalSpanOptions]) -> Corpus:
    """Read every recording; channels are tracks unless all are called 1. Only the first of several alternatives is read.

    By default words are spans only if some overlap.
    """
    words: dict[tuple[str, str], list[LabelLine]] = {}
    other = False
    for number, line in source.nonblank_lines(";;"):
        parts = line.split()
        if len(parts) < 5:
            raise source.error(
                number, f"expected recording, channel, start, duration and word, found {line.strip()[:60]!r}."
            )
        if parts[4] in _ALTERNATIVES:
            other = parts[4] == "<ALT>"
            continue
        if other:
            continue
        start = parse_time(source, number, parts[2], "start")
        end = start + parse_time(source, number, parts[3], "duration")
        words.setdefault((parts[0], parts[1]), []).append((float(start), float(end), parts[4], number))
    lasting = {key: lasting_lines(source, rows, "words") for key, rows in words.items()}
    words = {key: rows for key, rows in lasting.items() if rows}
    if not words:
        raise source.error(None, "the file contains no word.")
    rule = IntervalRules.from_options(**intervals)
    named = {channel for _, channel in words} != {ONLY_CHANNEL}
    for rows in words.values():
        rows.sort(key=itemgetter(0))
    overlap = any(after[0] < before[1] - TICK for rows in words.values() for before, after in pairwise(rows))
    as_spans = rule.as_ == "spans" or (rule.as_ == "auto" and overlap)
    ends = last_times(words)
    annotations = []
    for (item, channel), rows in words.items():
        marks = spans_of_lines(source, rows, ends[item]) if as_spans else segmentation_of_lines(source, rows, rule)
        annotations.append(Annotation(item, "", marks, channel if named else ""))
    return Corpus.from_annotations(annotations)


def write_ctm(corpus: Corpus) -> Iterator[str]:
    """Write one line per named segment; segments without a name are gaps."""
    for item, track, _, marks in intervals_of(corpus):
        for start, end, label in segments(marks):
            if label:
                yield f"{item} {track or ONLY_CHANNEL} {start!r} {format_duration(start, end)} {label}\n"


RTTM = SimpleNamespace(read=read_rttm, write=write_rttm, sniff=sniff_rttm)
CTM = SimpleNamespace(read=read_ctm, write=write_ctm, sniff=sniff_ctm)
