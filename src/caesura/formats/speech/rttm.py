"""NIST's RTTM: who speaks when, one line per turn: spans labelled by their speaker.

Where the turns of every speaker cover the recording, or with ``as=boundaries``, a speaker is a track, and stretches between turns have no name.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from typing import Unpack

from caesura.files import Source
from caesura.formats.speech.intervals import (
    Line,
    Rule,
    SpanOptions,
    decimal,
    duration_of,
    intervals_of,
    is_tiled,
    last_times,
    lasting_lines,
    of_lines,
    segments,
    spans_of_lines,
)
from caesura.model import Annotation, Corpus, Segmentation

_TYPES = (
    "SPEAKER", "LEXEME", "SEGMENT", "NOSCORE", "NO_RT_METADATA", "NON-LEX", "NON-SPEECH", "FILLER", "EDIT", "SU", "IP", "CB",
    "A/P", "SPKR-INFO",
)  # fmt: skip
_NONE = "<NA>"


def sniff(head: str) -> bool:
    """Recognise a line that starts with a type of RTTM."""
    line = next((x for x in head.split("\n") if x.strip() and not x.startswith(";;")), "")
    return len(line.split()) >= 8 and line.split()[0] in _TYPES


def read(
    source: Source, *, type: str | None = None, length: float | None = None, **intervals: Unpack[SpanOptions]
) -> Corpus:
    """Read every recording and speaker.

    Parameters
    ----------
    type
        Which lines to read; by default SPEAKER where there are any, else LEXEME. Turns are named after their speaker, words
        are themselves.
    length
        How long every recording is, for spans (default: to the end of the last turn).
    """
    lines = list(_lines(source))
    wanted = type or ("SPEAKER" if any(parts[0] == "SPEAKER" for _, parts in lines) else "LEXEME")
    turns: dict[tuple[str, str], list[Line]] = {}
    for number, parts in lines:
        if parts[0] == wanted:
            start = decimal(source, number, parts[3], "start")
            end = start + decimal(source, number, parts[4], "duration")
            label = parts[7] if wanted == "SPEAKER" else parts[5]
            turns.setdefault((parts[1], parts[7]), []).append((float(start), float(end), label, number))
    if not turns:
        kinds = ", ".join(dict.fromkeys(parts[0] for _, parts in lines))
        raise source.fault(None, f"the file holds no line of type {wanted}; it has {kinds or 'nothing'}.")
    lasting = {key: lasting_lines(source, rows, "turns") for key, rows in turns.items()}
    turns = {key: rows for key, rows in lasting.items() if rows}
    if not turns:
        raise source.fault(None, "the file holds no turn that lasts.")
    rule = Rule.of(**intervals)
    tiled = all(
        is_tiled([row[:3] for row in sorted(rows, key=itemgetter(0))], max(r[1] for r in rows))
        for rows in turns.values()
    )
    if rule.as_ == "spans" or (rule.as_ == "auto" and not tiled):
        return _spans_of_turns(source, turns, wanted, length)
    return Corpus.from_annotations(
        Annotation(item, "", _marks(source, rows, rule, wanted), "" if speaker == _NONE else speaker)
        for (item, speaker), rows in turns.items()
    )


def write(corpus: Corpus) -> Iterator[str]:
    """Write a turn a named segment; words where segments have other names than their speaker's."""
    listed = list(intervals_of(corpus))
    if corpus.kind == "spans":
        for item, track, _, marks in listed:
            yield from (_spell_span(item, track, start, end, label) for start, end, label in segments(marks))
        return
    words = any(n not in ("", track or _NONE) for _, track, _, m in listed if m.names is not None for n in m.names)
    for item, track, _, marks in listed:
        speaker = track or _NONE
        for start, end, label in segments(marks):
            if label or marks.names is None:
                kind, word, how = ("LEXEME", label or _NONE, "lex") if words else ("SPEAKER", _NONE, _NONE)
                yield f"{kind} {item} 1 {start!r} {duration_of(start, end)} {word} {how} {speaker} {_NONE} {_NONE}\n"


def _spell_span(item: str, track: str, start: float, end: float, label: str) -> str:
    time = f"{start!r} {duration_of(start, end)}"
    if track:  # words of a speaker
        return f"LEXEME {item} 1 {time} {label or _NONE} lex {track} {_NONE} {_NONE}\n"
    return f"SPEAKER {item} 1 {time} {_NONE} {_NONE} {label or _NONE} {_NONE} {_NONE}\n"


def _spans_of_turns(
    source: Source, turns: dict[tuple[str, str], list[Line]], wanted: str, length: float | None
) -> Corpus:
    """Turns of all speakers of a recording are spans of one annotation, words those of their speaker's track."""
    streams: dict[tuple[str, str], list[Line]] = {}
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
    for number, line in source.full_lines(";;"):
        parts = line.split()
        if parts[0] not in _TYPES or len(parts) < 8:
            raise source.fault(
                number,
                f"expected type, recording, channel, start, duration, word, subtype and speaker, found {line.strip()[:60]!r}.",
            )
        yield number, parts


def _marks(source: Source, rows: list[Line], rule: Rule, wanted: str) -> Segmentation:
    marks = of_lines(source, sorted(rows, key=itemgetter(0)), rule)
    if wanted == "SPEAKER" and marks.names is not None and "" not in marks.names:  # turns without a break name nothing
        return Segmentation(marks.length, marks.positions)
    return marks
