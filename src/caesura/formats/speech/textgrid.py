"""Praat's TextGrid: interval tiers give segments with names, point tiers boundaries with types.

A corpus is typed or it is not. Where somebody asks for tiers of both kinds (``tier=*``), the boundaries of intervals have the type ``|``.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import TypeAlias, Unpack

import numpy as np
from numpy.typing import NDArray

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
from caesura.formats.speech.praat import Tier, line_of_row, quote, tiers_of_grid
from caesura.formats.speech.tiers import chosen_tiers
from caesura.model import Corpus, Segmentation, Spans

Times: TypeAlias = NDArray[np.float64]

_NAME = "segments"  # of the tier where a corpus has no tracks
_PLAIN = re.compile(r"[-+0-9.eE ]*")
_EDGE = "|"  # the type of a boundary of intervals, or of a point without a label, beside points with labels


def read(source: Source, *, tier: str | int | None = None, **intervals: Unpack[SpanOptions]) -> Corpus:
    """Read tiers as tracks.

    Parameters
    ----------
    tier
        A name, a position counted from 1, or a pattern: ``"* - phones"`` reads a track for whatever the ``*`` stands for,
        ``"{coder}_IU"`` a coder. By default every tier; where labelled points stand beside intervals, every interval tier, and a
        warning names the others: ``"*"`` reads them too, boundaries of intervals typed ``|``.
    as
        ``spans`` keeps intervals as spans, silences as the gaps between them; ``boundaries`` is what Praat's users draw, and the default.
    """
    return of_recording(source, marks_of_tiers(source, tiers_of_grid(source), tier, Rule.of(**intervals)))


def write(corpus: Corpus) -> Iterator[str]:
    """Write the long form: typed boundaries as a point tier, all others as intervals, silence between spans."""
    yield 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n'
    yield from spell_grid(corpus)


def spell_grid(corpus: Corpus) -> Iterator[str]:
    """Write what stands in a TextGrid behind its class, a tier per track."""
    nameless = _NAME if len(corpus.tracks) == 1 else ""
    tracks = [(track or nameless, marks) for _, track, _, marks in intervals_of(corpus)]
    end = max((marks.length for _, marks in tracks), default=0.0)
    yield f"xmin = 0 \nxmax = {end!r} \ntiers? <exists> \nsize = {len(tracks)} \nitem []: \n"
    for number, (name, marks) in enumerate(tracks, 1):
        points = isinstance(marks, Segmentation) and corpus.typed and marks.names is None
        kind = "TextTier" if points else "IntervalTier"
        yield f'    item [{number}]:\n        class = "{kind}" \n        name = {quote(name)} \n'
        yield f"        xmin = 0 \n        xmax = {marks.length!r} \n"
        yield from _spell_points(marks) if isinstance(marks, Segmentation) and points else _spell_intervals(marks)


def _spell_points(marks: Segmentation) -> Iterator[str]:
    yield f"        points: size = {len(marks.positions)} \n"
    for i, (time, label) in enumerate(marks.marks if marks.typed else (), 1):
        yield f"        points [{i}]:\n            number = {time!r} \n            mark = {quote(str(label))} \n"


def _spell_intervals(marks: Segmentation | Spans) -> Iterator[str]:
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
            f"{source.path}: the point tiers {points} hold typed boundaries and are left out beside the intervals; "
            "read all tiers with tier=* (-O 'tier=*'), or one by its name (-O tier=NAME).",
            stacklevel=2,
        )
    chosen = chosen_tiers(source, [t.name for t in tiers], wanted)
    typed = wanted is not None and len({tiers[i].points for i, _, _ in chosen}) == 2
    for i, coder, track in chosen:
        marks = _marks(source, tiers[i], rule)
        yield coder, track, _with_types(marks, tiers[i].points) if typed and isinstance(marks, Segmentation) else marks


def _with_types(marks: Segmentation, points: bool) -> Segmentation:
    """Give boundaries of intervals, and points without a label, the type that lets them stand beside labelled points.

    Intervals are known by their names, which points have not.
    """
    if marks.typed or not len(marks.positions):
        return marks
    names = None if points else marks.names or [""] * len(marks)
    return Segmentation(marks.length, marks.positions, [0] * len(marks.positions), [_EDGE], names=names)


def _marks(source: Source, tier: Tier, rule: Rule) -> Segmentation | Spans:

    def fault(i: int, why: str) -> FormatError:
        return source.fault(line_of_row(source, tier, i), f"tier {tier.name!r}: {why}")

    times = [_times(column, fault) for column in tier.columns[:-1]]
    if tier.points:
        if rule.as_ == "spans":
            raise source.fault(None, f"tier {tier.name!r} holds points, which are no spans; choose others with tier=.")
        return _points(times[0], tier.labels, tier.length, fault)
    starts, ends, labels, rows = _lasting(times, tier.labels, fault)

    def fault_of_row(i: int, why: str) -> FormatError:
        return fault(int(rows[i]), why)

    if rule.as_ == "spans":
        listed = zip(starts.tolist(), ends.tolist(), labels, strict=True)
        return spans_of_intervals(listed, length=tier.length, fault=fault_of_row, leave_out=rule.silences)
    return segmentation(starts, ends, labels, rule=rule, fault=fault_of_row, length=tier.length, begin=tier.begin)


def _lasting(times: list[Times], labels: list[str], fault: Fault) -> tuple[Times, Times, list[str], NDArray[np.int64]]:
    """Put intervals in order, as Praat does; those without a duration, which it keeps out of sight, are left out with a warning."""
    starts, ends = times
    rows = np.argsort(starts, kind="stable")
    empty = starts[rows] == ends[rows]
    if empty.any():
        why = f"{int(empty.sum())} intervals without a duration are left out, this the first."
        warnings.warn(str(fault(int(rows[empty][0]), why)), stacklevel=2)
        rows = rows[~empty]
    return starts[rows], ends[rows], [labels[i] for i in rows.tolist()], rows


def _points(times: Times, labels: list[str], length: float, fault: Fault) -> Segmentation:
    order = np.argsort(times, kind="stable")  # Praat, too, puts points in order
    times, labels = times[order], [labels[i] for i in order.tolist()]
    if len(times) and not (times[0] >= 0 and times[-1] <= length):
        at = int(order[0 if times[0] < 0 else -1])
        raise fault(
            at, f"the point at {times[0 if times[0] < 0 else -1]:g} s lies outside the recording of {length:g} s."
        )
    return Segmentation.from_times(times, length=length, types=labels if any(labels) else None)


def _times(column: list[str], fault: Fault) -> Times:
    """Read a column of times; Python's own spellings of numbers (1_000, digits of other scripts) are none."""
    if _PLAIN.fullmatch(" ".join(column)):
        with suppress(ValueError):
            return np.array(list(map(float, column)), np.float64)
    bad = next(i for i, text in enumerate(column) if as_decimal(text) is None)
    raise fault(bad, f"the time is {column[bad][:40]!r}, expected a number.")
