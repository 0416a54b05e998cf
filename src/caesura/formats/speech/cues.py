"""Cues: what subtitles and recognisers of speech write down, text from a time to a time, perhaps of a speaker.

Cues leave gaps and overlap, so that they are spans, a track per speaker; where those of every speaker cover the recording, or with
``as=boundaries``, they are segments.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from caesura.errors import FormatError
from caesura.files import Source
from caesura.formats.speech.intervals import Rule, SpanOptions, is_tiled, marks_of_intervals, of_recording
from caesura.model import Corpus, Segmentation, Spans

_TIME = r"(?:(\d{1,9}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
_ARROW = "-->"
_TIMES = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?:\s.*)?")


class Cue(NamedTuple):
    """Text from a time to a time, the speaker where one is named, and the line or number by which a complaint names it."""

    start: float
    end: float
    text: str
    speaker: str = ""
    line: int | None = None


class CueOptions(SpanOptions, total=False):
    """What every reader of cues takes: what readers of intervals take, and the length of the recording (default: to the end of the last cue)."""

    length: float


def corpus_of_cues(source: Source, cues: Sequence[Cue], options: CueOptions) -> Corpus:
    """Make a corpus of one recording, a track per speaker; cues without a duration are left out with a warning."""
    length = options.get("length")
    rule = Rule.of(**{name: value for name, value in options.items() if name != "length"})  # type: ignore[arg-type]
    kept = [cue for cue in cues if cue.start != cue.end]
    if len(kept) < len(cues):
        warnings.warn(f"{source.path}: {len(cues) - len(kept)} cues without a duration are left out.", stacklevel=3)
    if not kept:
        raise source.fault(None, "the file holds no cue that lasts.")
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

        def fault(i: int, why: str, rows: list[Cue] = rows) -> FormatError:
            return source.fault(rows[i].line, why)

        intervals = [cue[:3] for cue in rows]
        placed = marks_of_intervals(intervals, as_spans=as_spans, rule=rule, length=end, fault=fault)
        marks.append(("", speaker, placed))
    return of_recording(source, marks)


class Block(NamedTuple):
    """A stretch of a file of subtitles: what stands before its times, the times (none where it has none), the text behind them, and its line."""

    name: str
    times: tuple[float, float] | None
    text: str
    line: int


def blocks_of_cues(source: Source) -> Iterator[Block]:
    """Part a file of subtitles at blank lines, and before the times of the next one where a blank line was forgotten."""
    for empty, group in groupby(source.lines, key=lambda numbered: not numbered[1].strip()):
        lines = list(group)
        timed = [i for i, (_, line) in enumerate(lines) if _ARROW in line]
        if empty:
            continue
        if not timed:
            yield Block("", None, _join(lines), lines[0][0])
            continue
        starts = [0, *(i - lines[i - 1][1].strip().isdigit() for i in timed[1:]), len(lines)]  # with the number before
        for i, start, behind in zip(timed, starts, starts[1:], strict=False):
            number, line = lines[i]
            yield Block(
                _join(lines[start:i]), _times_of_line(source, number, line), _join(lines[i + 1 : behind]), number
            )


def _join(lines: Sequence[tuple[int, str]]) -> str:
    return "\n".join(line.strip() for _, line in lines)


def _times_of_line(source: Source, number: int, line: str) -> tuple[float, float]:
    """Read ``00:01:02,500 --> 00:01:04,000``; wrong times are refused."""
    match = _TIMES.fullmatch(line)
    if match is None:
        why = f"expected times such as 00:01:02.500 --> 00:01:04.000, found {line.strip()[:60]!r}."
        raise source.fault(number, why)
    groups = match.groups()
    start, end = (_seconds(source, number, groups[i : i + 4]) for i in (0, 4))
    if end < start:
        raise source.fault(number, f"the cue ends at {end:g} s, before it starts ({start:g} s).")
    return start, end


def spell_time(seconds: float, point: str) -> str:
    """Write hours, minutes, seconds and milliseconds.

    >>> spell_time(3723.5, ",")
    '01:02:03,500'
    """
    thousandths = round(seconds * 1000)
    hours, rest = divmod(thousandths, 3_600_000)
    minutes, rest = divmod(rest, 60_000)
    return f"{hours:02}:{minutes:02}:{rest // 1000:02}{point}{rest % 1000:03}"


def _seconds(source: Source, number: int, parts: Sequence[str | None]) -> float:
    hours, minutes, seconds, thousandths = (part or "0" for part in parts)
    if int(minutes) > 59 or int(seconds) > 59:
        raise source.fault(number, f"{minutes}:{seconds} are no minutes and seconds of an hour.")
    whole = int(hours) * 3600 + int(minutes) * 60 + int(seconds)
    return float(Decimal(whole) + Decimal(f"0.{thousandths}"))
