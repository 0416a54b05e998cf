"""Praat's TextGrid: interval tiers give segments with names, point tiers boundaries with types."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Unpack

import numpy as np

from caesura.errors import FormatError
from caesura.files import Source
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
from caesura.formats.speech.praat import Tier, line_of_row, quote, tiers_of_grid
from caesura.formats.speech.tiers import chosen_tiers
from caesura.model import Corpus, Segmentation, Spans

_NAME = "segments"  # of the tier where a corpus has no tracks


def read(source: Source, *, tier: str | int | None = None, **intervals: Unpack[SpanOptions]) -> Corpus:
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
    return of_recording(source, marks_of_tiers(source, tiers_of_grid(source), tier, Rule.of(**intervals)))


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
    yield f'        class = "{kind}" \n        name = {quote(name)} \n        xmin = 0 \n        xmax = {marks.length!r} \n'
    if isinstance(marks, Segmentation) and points:
        yield f"        points: size = {len(marks.positions)} \n"
        for i, (time, label) in enumerate(marks.marks, 1):
            yield f"        points [{i}]:\n            number = {time!r} \n            mark = {quote(str(label))} \n"
        return
    intervals = list(_with_silence(marks) if isinstance(marks, Spans) else segments(marks))
    yield f"        intervals: size = {len(intervals)} \n"
    for i, (start, end, label) in enumerate(intervals, 1):
        yield f"        intervals [{i}]:\n            xmin = {start!r} \n            xmax = {end!r} \n"
        yield f"            text = {quote(label)} \n"


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


def marks_of_tiers(
    source: Source, tiers: list[Tier], wanted: str | int | None, rule: Rule
) -> Iterator[tuple[str, str, Segmentation | Spans]]:
    """Give coder, track and marks of the tiers that were asked for."""
    if wanted is None and any(t.points and any(t.labels) for t in tiers) and not all(t.points for t in tiers):
        points = ", ".join(repr(t.name) for t in tiers if t.points)
        tiers = [t for t in tiers if not t.points]
        warnings.warn(
            f"{source.path}: the point tiers {points} hold typed boundaries, which cannot stand beside segments; "
            "read one of them by its name with tier= (-O tier=NAME).",
            stacklevel=2,
        )
    chosen = chosen_tiers(source, [t.name for t in tiers], wanted)
    return ((coder, track, _marks(source, tiers[i], rule)) for i, coder, track in chosen)


def _marks(source: Source, tier: Tier, rule: Rule) -> Segmentation | Spans:

    def fault(i: int, why: str) -> FormatError:
        return source.fault(line_of_row(source, tier, i), f"tier {tier.name!r}: {why}")

    try:
        times = [np.array(list(map(float, column))) for column in tier.columns[:-1]]
    except ValueError:
        bad = next(i for i, row in enumerate(zip(*tier.columns[:-1], strict=True)) if not _numbers(row))
        raise fault(bad, f"tier {tier.name!r} holds a time that is no number.") from None
    labels = tier.labels
    if rule.as_ == "spans":
        if tier.points:
            raise source.fault(None, f"tier {tier.name!r} holds points, which are no spans; choose others with tier=.")
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


def _numbers(column: tuple[str, ...]) -> bool:
    try:
        [float(text) for text in column]
    except ValueError:
        return False
    return True
