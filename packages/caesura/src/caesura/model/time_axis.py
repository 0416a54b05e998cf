"""Put annotations of one recording on one time axis: files of one recording often start or end some milliseconds apart.

Starts and ends up to ``slack`` apart are rounding: the earliest start and the latest end count, and a note says so. Larger differences are an
error with two ways out, which change what is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np

from caesura.errors import CaesuraError, LengthMismatch
from caesura.model.conversion import shift_times
from caesura.model.segmentation import Segmentation
from caesura.model.spans import Spans

#: Recordings that start at different times: count each from its own start, or compare the common stretch.
StartRule: TypeAlias = Literal["shift", "absolute"]
#: Recordings that end at different times: cut off what lies beyond the first end, or leave it unscored.
LengthRule: TypeAlias = Literal["common", "longest"]

#: Starts and ends this close, in seconds, are equal up to rounding.
SLACK = 0.1
_TICK = 1e-7

#: The attribute of a recording with its zones that are not scored, ``[[start, end], …]`` in seconds: NOSCORE lines of RTTM.
NO_SCORE_ATTRIBUTE = "noscore"

TimedMarks = TypeVar("TimedMarks", Segmentation, Spans)


def no_score_zones(attributes: Mapping[str, Any], item: str) -> tuple[tuple[float, float], ...]:
    """Return the zones of a recording that are not scored, given its attributes; () if there are none.

    Examples
    --------
    >>> no_score_zones({"noscore": [[1.5, 2.0]]}, "meeting")
    ((1.5, 2.0),)
    """
    given = attributes.get(NO_SCORE_ATTRIBUTE)
    if given is None:
        return ()
    try:
        zones = tuple((float(start), float(end)) for start, end in given)
    except (TypeError, ValueError):
        raise CaesuraError(
            f"item {item!r}: the attribute {NO_SCORE_ATTRIBUTE!r} is {given!r}; expected a list of [start, end] in seconds."
        ) from None
    return zones


@dataclass(frozen=True)
class TimeAxisRules:
    """What to do with recordings that start or end at different times."""

    start: StartRule | None = None
    lengths: LengthRule | None = None
    slack: float = SLACK

    def __post_init__(self) -> None:
        if self.start not in (None, "shift", "absolute"):
            raise CaesuraError(f"start is {self.start!r}; expected shift or absolute.")
        if self.lengths not in (None, "common", "longest"):
            raise CaesuraError(f"lengths is {self.lengths!r}; expected common or longest.")
        if not isinstance(self.slack, (int, float)) or not self.slack >= 0:
            raise CaesuraError(f"slack is {self.slack!r}; expected seconds, 0 or more.")

    def align(
        self, where: str, names: Sequence[str], marks: Sequence[Any], say: Callable[[str, str], None]
    ) -> list[Any]:
        """Return annotations of one recording with one start and one end.

        Parameters
        ----------
        where : str
            The recording, for messages.
        names : sequence of str
            Whose annotation each is.
        marks : sequence of Segmentation or Spans
            The annotations.
        say : callable
            ``say(rule, sentence)`` notes a repair.
        """
        listed = list(marks)
        if len(listed) < 2:
            return listed
        listed = self._align_starts(where, names, listed, say)
        return self._align_ends(where, names, listed, say)

    def _align_starts(
        self, where: str, names: Sequence[str], marks: list[Any], say: Callable[[str, str], None]
    ) -> list[Any]:
        starts = [each.start for each in marks]
        first, last = min(starts), max(starts)
        if self.start == "shift":
            return [each.starting_at(0.0) for each in marks]
        if first == last:
            return marks
        early, late = names[starts.index(first)], names[starts.index(last)]
        if self.start == "absolute":
            end = min(each.end for each in marks)
            if end <= last:
                raise LengthMismatch(
                    f"{where}: {early} and {late} have no common stretch, so start=absolute compares nothing."
                )
            return [cut(each, last, end)[0] for each in marks]
        if last - first > self.slack + _TICK:
            raise LengthMismatch(
                f"{where}: {early} starts at {first:g} s, {late} at {last:g} s; count each from its own start with -O start=shift, "
                "or compare the common stretch with -O start=absolute."
            )
        say(
            "start",
            f"{where}: {early} starts {_milliseconds(last - first)} before {late}; the earlier start is used.",
        )
        return [stretch(each, first, each.end) for each in marks]

    def _align_ends(
        self, where: str, names: Sequence[str], marks: list[Any], say: Callable[[str, str], None]
    ) -> list[Any]:
        ends = [each.end for each in marks]
        first, last = min(ends), max(ends)
        if first == last:
            return marks
        short, long = names[ends.index(first)], names[ends.index(last)]
        start = marks[0].start
        if last - first <= self.slack + _TICK:
            say(
                "longer",
                f"{where}: {long} is longer by {_milliseconds(last - first)} than {short}; the longer end is used.",
            )
            return [stretch(each, start, last) for each in marks]
        if self.lengths is None and all(_ends_with_last_span(each) for each in marks if each.end < last):
            return [stretch(each, start, last) for each in marks]
        if self.lengths is None:
            raise LengthMismatch(
                f"{where}: {short} ends at {first:g} s, {long} at {last:g} s; cut off what lies beyond with -O lengths=common, "
                "leave it unscored with -O lengths=longest, or give both the same length= in Python."
            )
        parts = [cut(each, start, first) for each in marks]
        lost = ", ".join(f"{count} of {name}" for name, (_, count) in zip(names, parts, strict=True) if count)
        what = "cut off" if self.lengths == "common" else "not scored"
        say(
            "lengths",
            f"{where}: what lies beyond {first:g} s was {what}{f' (boundaries or spans: {lost})' if lost else ''}.",
        )
        end = first if self.lengths == "common" else last
        return [stretch(part, start, end) for part, _ in parts]


def _ends_with_last_span(marks: TimedMarks) -> bool:
    """Whether these are spans whose length is the end of the last one: files such as RTTM do not say how long a recording is."""
    return isinstance(marks, Spans) and (not len(marks) or float(marks.ends.max()) >= marks.end - _TICK)


def stretch(marks: TimedMarks, start: float, end: float) -> TimedMarks:
    """Return the same annotation of a longer recording: its first and last segments grow."""
    length = float(shift_times(end, -start))
    if isinstance(marks, Spans):
        return Spans(length, marks.starts, marks.ends, marks.types, marks.labels, None, start)
    inner = (marks.positions > marks.start) & (
        marks.positions < marks.end
    )  # old edges are no boundaries of the longer recording
    kept = marks.types[inner] if marks.types is not None else None
    where = marks.positions[inner]
    edges = [
        edge for edge, old in ((start, marks.start), (end, marks.end)) if (marks.positions == old).any() and edge != old
    ]
    if edges and marks.types is None:
        where = np.sort(np.concatenate((where, edges)))
    elif not edges:
        where, kept = marks.positions, marks.types
    return Segmentation(length, where, kept, marks.labels, None, marks.names, start)


def cut(marks: TimedMarks, start: float, end: float) -> tuple[TimedMarks, int]:
    """Return the part of an annotation between two times, and how many boundaries or spans lie outside."""
    length = float(shift_times(end, -start))
    if isinstance(marks, Spans):
        first, last = np.maximum(marks.starts, start), np.minimum(marks.ends, end)
        keep = first < last
        types = None if marks.types is None else marks.types[keep]
        return Spans(length, first[keep], last[keep], types, marks.labels, None, start), int((~keep).sum())
    keep = (marks.positions > start) & (marks.positions < end)
    types = None if marks.types is None else marks.types[keep]
    names = None
    if marks.names is not None:
        named = zip(marks.spans, marks.names, strict=True)
        names = [name for (low, high), name in named if low < end and high > start]
    outside = int(((marks.positions < start) | (marks.positions > end)).sum())
    return Segmentation(length, marks.positions[keep], types, marks.labels, None, names, start), outside


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.4g} ms"
