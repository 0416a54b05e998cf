"""What of a long item is sent: the part that is looked at, and where the next dispute lies outside of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.gold.linear import TOLERANCE
from caesura.model import Annotation, Segmentation, Spans
from caesura.model.corpus import Marks
from caesura.web.changes import describe_marks
from caesura.web.disagreement import Place, merge_named, votes
from caesura.web.name_disputes import TimeGroups, dispute_names

_BINS = 512  # pieces of a recording in which boundaries are counted, for whoever looks at more of it than is sent


@dataclass(frozen=True)
class Window:
    """From a unit, or a second, to another; hierarchies are always sent whole."""

    first: float
    last: float

    def cut(self, marks: Segmentation) -> Segmentation:
        """The boundaries inside, on the same text."""
        return _slice(marks, *self.among(marks.positions))

    def cut_whole(self, marks: Segmentation) -> tuple[Segmentation, int, int]:
        """The segments of a recording that reach into it, from their beginnings to their ends; how many cuts lie before, and marks behind."""
        low, high = self.among(marks.positions)
        low = int(np.searchsorted(marks.positions, marks.positions[low - 1])) if low else 0
        if high < len(marks.positions):
            high = int(np.searchsorted(marks.positions, marks.positions[high], "right"))
        return _slice(marks, low, high), len(_distinct(marks.positions[:low])), len(marks.positions) - high

    def among(self, ordered: np.ndarray[Any, Any]) -> tuple[int, int]:
        """From which to which of these places, in order, lie inside."""
        low, high = np.searchsorted(ordered, [self.first, np.nextafter(self.last, np.inf)])
        return int(low), int(high)

    def cut_spans(self, spans: Spans) -> Spans:
        """The spans that reach into it, on the same text."""
        inside = (spans.starts < self.last) & (spans.ends > self.first - 1)
        types = None if spans.types is None else spans.types[inside]
        return Spans._trusted(spans.length, spans.starts[inside], spans.ends[inside], types, spans.labels, None)

    def units(self, units: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """The words inside."""
        return None if units is None else units[max(0, int(self.first) - 1) : int(self.last)]


def _slice(marks: Segmentation, low: int, high: int) -> Segmentation:
    types = None if marks.types is None else marks.types[low:high]
    return Segmentation._trusted(marks.length, marks.positions[low:high], types, marks.labels, None, None)


def window_of(given: Mapping[str, str]) -> Window | None:
    """The window that a request names, if it does; both ends or none."""
    try:
        return Window(float(given["first"]), float(given["last"]))
    except (KeyError, ValueError):
        return None


def is_small(marked: list[Marks], most: int) -> bool:
    """Whether recordings hold so few boundaries that a part of them is not worth asking for."""
    timed = [marks for marks in marked if isinstance(marks, Segmentation) and marks.timed]
    return most > 0 and len(timed) == len(marked) and sum(len(marks.positions) for marks in timed) <= most


def describe_part(marks: Marks, window: Window | None) -> dict[str, Any]:
    """Marks as plain data, those in the window; ``boundaries`` or ``all_spans`` says how many there are in all, ``before`` how many
    places before it have some.
    """
    if window is not None and isinstance(marks, Spans):
        return {**describe_marks(window.cut_spans(marks)), "all_spans": len(marks)}
    if window is not None and isinstance(marks, Segmentation):
        shown = _describe_times(marks, window) if marks.timed else describe_marks(window.cut(marks))
        earlier = marks.positions[: np.searchsorted(marks.positions, window.first)]
        return {**shown, "boundaries": len(marks.positions), "before": len(_distinct(earlier))}
    return describe_marks(marks)


def _describe_times(marks: Segmentation, window: Window) -> dict[str, Any]:
    """Whole segments of a recording: ``segment`` is the number of the first, ``behind`` how many boundaries follow, ``density`` how many there are in
    each 512th of the recording."""
    part, before, behind = window.cut_whole(marks)
    shown = {**describe_marks(part), "segment": before + 2 if before else 1, "behind": behind}
    if marks.names is not None:
        first = before + 1 if before else 0
        shown["names"] = list(marks.names[first : first + len(_distinct(part.positions)) + (0 if before else 1)])
    if len(part.positions) < len(marks.positions):
        bins = (marks.positions * (_BINS / marks.length)).astype(np.int64)
        shown["density"] = np.bincount(np.minimum(bins, _BINS - 1), minlength=_BINS).tolist()
    return shown


def look_at(
    coded: list[Annotation], window: Window | None, tolerance: float | None
) -> tuple[list[Place], dict[str, Any] | None]:
    """The places in the window with who marked them, and how disputes lie around it."""
    marked = [each.marks for each in coded]
    if window is None or not coded or not all(isinstance(marks, Segmentation | Spans) for marks in marked):
        return votes(coded, tolerance=tolerance), None
    if isinstance(marked[0], Spans):
        return _look_at_spans(coded, window)
    timed = [marks for marks in marked if isinstance(marks, Segmentation) and marks.timed]
    if timed:
        return _look_at_times(coded, timed, window, TOLERANCE if tolerance is None else tolerance)
    inside = votes([each._replace(marks=window.cut(each.marks)) for each in coded])  # type: ignore[arg-type]
    return inside, _around(_disputed_places([(m.positions.astype(np.int64), m) for m in marked]), window)  # type: ignore[union-attr,misc]


def _look_at_spans(coded: list[Annotation], window: Window) -> tuple[list[Place], dict[str, Any]]:
    counted = votes(coded)
    begins = np.sort([int(place.first or 0) + 1 for place in counted if place.dispute > 0])
    inside = [p for p in counted if p.first is not None and p.first < window.last and p.position > window.first - 1]
    return inside, _around(begins, window)


def _look_at_times(
    coded: list[Annotation], marked: list[Segmentation], window: Window, tolerance: float
) -> tuple[list[Place], dict[str, Any]]:
    """Places are what they are in the whole recording; only those in the window are counted out one by one."""
    groups = TimeGroups.of(marked, tolerance)
    names = dispute_names({each.coder: marks for each, marks in zip(coded, marked, strict=True)}, groups)
    disputed = groups.middles[_disputed_places([(groups.number(marks.positions), marks) for marks in marked])]
    around = _around(np.sort(np.concatenate([disputed, names.middles])), window)
    low, high = window.among(groups.middles)
    places: list[Place] = []
    if low < high:
        part = Window(float(groups.begins[low]), float(groups.ends[high - 1]))
        near = [each._replace(marks=part.cut(marks)) for each, marks in zip(coded, marked, strict=True)]
        places = votes(near, tolerance=tolerance)
    return merge_named((coded[0].item, coded[0].track), places, names, range(*window.among(names.middles))), around


def _around(places: np.ndarray[Any, Any], window: Window) -> dict[str, Any]:
    low, high = window.among(places)
    return {
        "count": len(places),
        "first": _at(places, 0),
        "last": _at(places, len(places) - 1),
        "before": _at(places, low - 1),
        "after": _at(places, high),
    }


def _disputed_places(placed: list[tuple[np.ndarray[Any, Any], Segmentation]]) -> np.ndarray[Any, Any]:
    """Of places, given as whole numbers beside the marks that stand there, those that some coders marked and others did not, or marked
    with different types; without a loop over boundaries."""
    marked = [marks for _, marks in placed]
    codes = {label: code for code, label in enumerate({label for marks in marked for label in marks.labels or ()})}
    many = 1 + max([len(codes), *(int(marks.types.max(initial=0)) for marks in marked if marks.types is not None)])
    typed = []  # one whole number for a place and its type
    for places, marks in placed:
        types = 0 if marks.types is None else marks.types
        if marks.labels:
            types = np.array([codes[label] for label in marks.labels], np.int64)[types]
        typed.append(_distinct(np.sort(places * many + types)))
    where, voters = np.unique(np.concatenate([_distinct(each // many) for each in typed]), return_counts=True)
    pairs, given = np.unique(np.concatenate(typed), return_counts=True)
    of_place = np.searchsorted(where, pairs // many)
    return where[(voters < len(marked)) | (np.bincount(of_place, given < voters[of_place], len(where)) > 0)]


def _distinct(ordered: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Each number of an ordered list once; NumPy's own way takes ten times as long."""
    return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(ordered) else ordered


def _at(places: np.ndarray[Any, Any], index: int) -> float | None:
    return places[index].item() if 0 <= index < len(places) else None
