"""Praat's TextGrid, long and short: interval tiers give segments with names, point tiers boundaries with types.

Praat reads its text files as a row of numbers, quoted strings and flags and passes over everything else, and so does this
reader, so both spellings, comments and hand-edited files are one. Binary TextGrids are refused.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from caesura.errors import FormatError
from caesura.files import Source
from caesura.formats.numbers import as_decimal
from caesura.formats.speech.intervals import (
    Fault,
    Rule,
    SpanOptions,
    intervals_of,
    of_recording,
    segmentation,
    segments,
    spans_of_intervals,
)
from caesura.formats.speech.tiers import chosen_tiers
from caesura.model import Corpus, Segmentation, Spans

_TOKEN = re.compile(r'"(?:[^"]|"")*"|(?<!\S)[-+]?\d[^\s"]*(?!\S)|(?<!\S)<\w+>|(?<!\S)![^\n]*')
_FIRST = frozenset("0123456789+-<")  # of a number or a flag
_NAME = "segments"  # of the tier where a corpus has no tracks


@dataclass(frozen=True)
class _Tier:
    name: str
    points: bool
    length: float
    begin: float
    columns: tuple[list[str], ...]
    first: int  # the token behind the tier's head, to find lines by

    @property
    def labels(self) -> list[str]:
        return [_unquote(text) for text in self.columns[-1]]


def read(
    source: Source,
    *,
    tier: str | int | None = None,
    **intervals: Unpack[SpanOptions],
) -> Corpus:
    """Read tiers as tracks.

    Parameters
    ----------
    tier
        A name, a position counted from 1, or a pattern: ``"* - phones"`` reads a track for whatever the ``*`` stands for,
        ``"{coder}_IU"`` a coder. By default every tier; where labelled points stand beside intervals, every interval tier, and a
        warning names the others.
    as
        ``spans`` keeps intervals as spans, silences as the gaps between them; ``boundaries`` is what Praat's users draw, and the default.
    silence, silences, close_gaps, edges
        How intervals become boundaries: see :mod:`caesura.formats.speech.intervals`.
    """
    tiers = _tiers(source)
    if tier is None and any(t.points and any(t.labels) for t in tiers) and not all(t.points for t in tiers):
        points = ", ".join(repr(t.name) for t in tiers if t.points)
        tiers = [t for t in tiers if not t.points]
        warnings.warn(
            f"{source.path}: the point tiers {points} hold typed boundaries, which cannot stand beside segments; "
            "read one of them by its name with tier= (-O tier=NAME).",
            stacklevel=2,
        )
    rule = Rule.of(**intervals)
    chosen = chosen_tiers(source, [t.name for t in tiers], tier)
    return of_recording(source, ((coder, track, _marks(source, tiers[i], rule)) for i, coder, track in chosen))


def write(corpus: Corpus) -> Iterator[str]:
    """Write the long form: typed boundaries as a point tier, all others as intervals, silence between spans."""
    tracks = [(track or _NAME, marks) for _, track, _, marks in intervals_of(corpus)]
    end = max((marks.length for _, marks in tracks), default=0.0)
    yield f'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0 \nxmax = {end!r} \n'
    yield f"tiers? <exists> \nsize = {len(tracks)} \nitem []: \n"
    for number, (name, marks) in enumerate(tracks, 1):
        yield f"    item [{number}]:\n"
        yield from _spell_tier(name, marks)


def _spell_tier(name: str, marks: Segmentation | Spans) -> Iterator[str]:
    points = isinstance(marks, Segmentation) and marks.typed
    kind = "TextTier" if points else "IntervalTier"
    yield f'        class = "{kind}" \n        name = {_quote(name)} \n        xmin = 0 \n        xmax = {marks.length!r} \n'
    if isinstance(marks, Segmentation) and points:
        yield f"        points: size = {len(marks.positions)} \n"
        for i, (time, label) in enumerate(marks.marks, 1):
            yield f"        points [{i}]:\n            number = {time!r} \n            mark = {_quote(str(label))} \n"
        return
    intervals = list(_with_silence(marks) if isinstance(marks, Spans) else segments(marks))
    yield f"        intervals: size = {len(intervals)} \n"
    for i, (start, end, label) in enumerate(intervals, 1):
        yield f"        intervals [{i}]:\n            xmin = {start!r} \n            xmax = {end!r} \n"
        yield f"            text = {_quote(label)} \n"


def _with_silence(marks: Spans) -> Iterator[tuple[float, float, str]]:
    """Give spans and the stretches between them; a tier holds one thing at a time."""
    at = 0.0
    for start, end, label in segments(marks):
        if start < at:
            raise FormatError(
                None, None, f"the span {start:g}–{end:g} begins before another ends, and a tier holds one at a time."
            )
        if start > at:
            yield at, start, ""
        yield start, end, label
        at = end
    if at < marks.length:
        yield at, float(marks.length), ""


# ---------------------------------------------------------------------- from tokens to tiers


def _tiers(source: Source) -> list[_Tier]:
    if source.raw.startswith(b"ooBinaryFile"):
        raise FormatError(
            source.path, None, "this is a binary TextGrid; save it as a text file in Praat and try again."
        )
    tokens = _tokens(source.raw_text)
    kinds = [_unquote(t) for t in tokens[:2] if t.startswith('"')]
    if not kinds or kinds[0] not in ("ooTextFile", "ooTextFile short"):
        raise FormatError(source.path, 1, 'this is no TextGrid: it does not start with File type = "ooTextFile".')
    if kinds[1:] != ["TextGrid"]:
        what = f"a Praat file of class {kinds[1]!r}" if kinds[1:] else "a Praat file without a class"
        raise FormatError(source.path, 2, f"this is {what}, expected a TextGrid.")
    reader = _Reader(source, tokens, 2)
    begin = reader.number("start of the recording")
    reader.number("end of the recording")
    if reader.at < len(tokens) and tokens[reader.at] == "<absent>":
        return []
    reader.flag()
    tiers = [reader.tier(i, begin) for i in range(1, reader.whole("number of tiers") + 1)]
    if reader.at < len(tokens):
        raise reader.fault(
            f"the file goes on behind its {len(tiers)} tiers; one of its counts is too small or missing."
        )
    return tiers


def _tokens(text: str) -> list[str]:
    """Part a file into strings (in quotes), numbers and flags; everything else says nothing.

    Files without comments and without quotes inside labels are simply cut at quotes and spaces, several times as fast.
    """
    parts = text.split('"')
    outside, inside = parts[0::2], parts[1::2]
    if "!" in text or len(parts) % 2 == 0 or "" in outside[1:-1]:
        return [token for token in _TOKEN.findall(text) if not token.startswith("!")]
    tokens: list[str] = []
    for part, string in zip(outside, inside, strict=False):
        tokens += [word for word in part.split() if word[0] in _FIRST]
        tokens.append(f'"{string}"')
    return tokens + [word for word in outside[-1].split() if word[0] in _FIRST]


@dataclass
class _Reader:
    """Takes tokens one after the other, and whole columns of them at once."""

    source: Source
    tokens: list[str]
    at: int

    def fault(self, why: str, at: int | None = None) -> FormatError:
        return FormatError(self.source.path, _line(self.source, self.at if at is None else at), why)

    def number(self, what: str) -> float:
        if self.at >= len(self.tokens):
            raise self.fault(f"the file ends before the {what}.")
        value = as_decimal(self.tokens[self.at])
        if value is None:
            raise self.fault(f"the {what} is {_short(self.tokens[self.at])}, expected a number.")
        self.at += 1
        return float(value)

    def whole(self, what: str) -> int:
        value = self.number(what)
        if value != int(value) or value < 0:
            self.at -= 1
            raise self.fault(f"the {what} is {value:g}, expected a whole number.")
        return int(value)

    def string(self, what: str) -> str:
        if self.at >= len(self.tokens):
            raise self.fault(f"the file ends before the {what}.")
        if not self.tokens[self.at].startswith('"'):
            raise self.fault(f"the {what} is {self.tokens[self.at]}, expected a string in quotes.")
        self.at += 1
        return _unquote(self.tokens[self.at - 1])

    def flag(self) -> None:
        if self.at >= len(self.tokens) or self.tokens[self.at] != "<exists>":
            raise self.fault("expected <exists> or <absent> before the tiers.")
        self.at += 1

    def tier(self, number: int, recording_begins: float) -> _Tier:
        kind = self.string(f"class of tier {number}")
        if kind not in ("IntervalTier", "TextTier"):
            self.at -= 1
            raise self.fault(f"tier {number} is of class {kind!r}, expected IntervalTier or TextTier.")
        name = self.string(f"name of tier {number}")
        begin, end = self.number(f"start of tier {name!r}"), self.number(f"end of tier {name!r}")
        what = "points" if kind == "TextTier" else "intervals"
        size = self.whole(f"number of {what} of tier {name!r}")
        width = 2 if kind == "TextTier" else 3
        first, behind = self.at, self.at + size * width
        columns = tuple(self.tokens[first + c : behind : width] for c in range(width))
        self._check_columns(columns, name, size, what)
        self.at = behind
        return _Tier(name, kind == "TextTier", end, max(begin, recording_begins), columns, first)

    def _check_columns(self, columns: tuple[list[str], ...], name: str, size: int, what: str) -> None:
        width, first = len(columns), self.at
        for c, column in enumerate(columns):
            labels = c == width - 1
            if all((token[0] == '"') is labels for token in column):
                continue
            for i, token in enumerate(column):
                if token.startswith('"') != labels:
                    expected = "a label in quotes" if labels else "a time"
                    why = f"{what[:-1]} {i + 1} of tier {name!r} has {_short(token)} where {expected} is expected."
                    raise self.fault(why, first + i * width + c)
        if len(columns[-1]) < size:
            raise self.fault(
                f"the file ends after {len(columns[-1])} of {size} {what} of tier {name!r}.", len(self.tokens) - 1
            )


def _marks(source: Source, tier: _Tier, rule: Rule) -> Segmentation | Spans:
    fault = _fault(source, tier)
    try:
        times = [np.array(list(map(float, column))) for column in tier.columns[:-1]]
    except ValueError:
        bad = next(i for i, row in enumerate(zip(*tier.columns[:-1], strict=True)) if not _numbers(row))
        raise fault(bad, f"tier {tier.name!r} holds a time that is no number.") from None
    labels = tier.labels
    if rule.as_ == "spans":
        if tier.points:
            raise FormatError(
                source.path, None, f"tier {tier.name!r} holds points, which are no spans; choose others with tier=."
            )
        listed = zip(*(time.tolist() for time in times), labels, strict=True)
        return spans_of_intervals(listed, length=tier.length, fault=fault, leave_out=rule.silences)
    if not tier.points:
        return segmentation(times[0], times[1], labels, rule=rule, fault=fault, length=tier.length, begin=tier.begin)
    return _points(times[0], labels, tier.length, fault)


def _points(
    times: np.ndarray[tuple[int], np.dtype[np.float64]], labels: list[str], length: float, fault: Fault
) -> Segmentation:
    backwards = np.flatnonzero(np.diff(times) < 0)
    if len(backwards):
        at = int(backwards[0]) + 1
        raise fault(at, f"the point at {times[at]:g} s follows one at {times[at - 1]:g} s; points must ascend.")
    if len(times) and not (times[0] >= 0 and times[-1] <= length):
        at = 0 if times[0] < 0 else len(times) - 1
        raise fault(at, f"the point at {times[at]:g} s lies outside the recording of {length:g} s.")
    return Segmentation.from_times(times, length=length, types=labels if any(labels) else None)


def _fault(source: Source, tier: _Tier) -> Fault:
    width = len(tier.columns)
    return lambda i, why: FormatError(source.path, _line(source, tier.first + i * width), f"tier {tier.name!r}: {why}")


def _line(source: Source, token: int) -> int | None:
    """Find the line of a token, by counting tokens again; only complaints pay for it."""
    text, seen, last = source.raw_text, -1, 0
    for match in _TOKEN.finditer(text):
        if not match.group().startswith("!"):
            seen += 1
            last = match.start()
        if seen == token:
            break
    return text.count("\n", 0, last) + 1


def _numbers(column: tuple[str, ...]) -> bool:
    try:
        [float(text) for text in column]
    except ValueError:
        return False
    return True


def _quote(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _unquote(text: str) -> str:
    return text[1:-1].replace('""', '"') if '""' in text else text[1:-1]


def _short(token: str) -> str:
    return token if len(token) <= 40 else token[:39] + "…"
