"""What of a long item is sent: the part that is looked at, and where the next dispute lies outside of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.gold.linear import TOLERANCE
from caesura.model import Annotation, Segmentation, Spans
from caesura.model.corpus import Marks
from caesura.web.changes import describe_marks
from caesura.web.disagreement import Place, votes


@dataclass(frozen=True)
class Window:
    """From a unit, or a second, to another; hierarchies are always sent whole."""

    first: float
    last: float

    def cut(self, marks: Segmentation, reach: float = 0.0) -> Segmentation:
        """The boundaries inside, on the same text."""
        low, high = np.searchsorted(marks.positions, [self.first - reach, np.nextafter(self.last + reach, np.inf)])
        types = None if marks.types is None else marks.types[low:high]
        return Segmentation._trusted(marks.length, marks.positions[low:high], types, marks.labels, None, None)

    def cut_spans(self, spans: Spans) -> Spans:
        """The spans that reach into it, on the same text."""
        inside = (spans.starts < self.last) & (spans.ends > self.first - 1)
        types = None if spans.types is None else spans.types[inside]
        return Spans._trusted(spans.length, spans.starts[inside], spans.ends[inside], types, spans.labels, None)

    def units(self, units: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """The words inside."""
        return None if units is None else units[max(0, int(self.first) - 1) : int(self.last)]


def window_of(given: Mapping[str, str]) -> Window | None:
    """The window that a request names, if it does; both ends or none."""
    try:
        return Window(float(given["first"]), float(given["last"]))
    except (KeyError, ValueError):
        return None


def describe_part(marks: Marks, window: Window | None) -> dict[str, Any]:
    """Marks as plain data, those in the window; ``boundaries`` or ``all_spans`` says how many there are in all."""
    if window is not None and isinstance(marks, Spans):
        return {**describe_marks(window.cut_spans(marks)), "all_spans": len(marks)}
    if window is not None and isinstance(marks, Segmentation):
        return {**describe_marks(window.cut(marks)), "boundaries": len(marks.positions)}
    return describe_marks(marks)


def look_at(
    coded: list[Annotation], window: Window | None, tolerance: float | None
) -> tuple[list[Place], dict[str, Any] | None]:
    """The places in the window with who marked them, and how disputes lie around it."""
    if window is None or not all(isinstance(each.marks, Spans) for each in coded):
        return votes_in(coded, window, tolerance), None if window is None else disputes_around(coded, window)
    counted = votes(coded)
    begins = np.sort([int(place.first or 0) + 1 for place in counted if place.dispute > 0])
    inside = [p for p in counted if p.first is not None and p.first < window.last and p.position > window.first - 1]
    return inside, _around(begins, window)


def votes_in(coded: list[Annotation], window: Window | None, tolerance: float | None) -> list[Place]:
    """The places in the window with who marked them."""
    if window is None or not all(isinstance(each.marks, Segmentation) for each in coded):
        return votes(coded, tolerance=tolerance)
    timed = any(each.marks.timed for each in coded)  # type: ignore[union-attr]
    reach = (TOLERANCE if tolerance is None else tolerance) if timed else 0.0
    part = [each._replace(marks=window.cut(each.marks, reach)) for each in coded]  # type: ignore[arg-type]
    return [place for place in votes(part, tolerance=tolerance) if window.first <= place.position <= window.last]


def disputes_around(coded: list[Annotation], window: Window) -> dict[str, Any] | None:
    """How many places of a text are in dispute, the first and the last, and the nearest on both sides of the window."""
    marked = [each.marks for each in coded]
    if not all(isinstance(marks, Segmentation) and not marks.timed for marks in marked):
        return None
    return _around(_disputed(marked), window)  # type: ignore[arg-type]


def _around(places: np.ndarray[Any, Any], window: Window) -> dict[str, Any]:
    low, high = np.searchsorted(places, [window.first, np.nextafter(window.last, np.inf)])
    return {
        "count": len(places),
        "first": _at(places, 0),
        "last": _at(places, len(places) - 1),
        "before": _at(places, int(low) - 1),
        "after": _at(places, int(high)),
    }


def _disputed(marked: Iterable[Segmentation]) -> np.ndarray[Any, Any]:
    """Positions that some coders marked and others did not, or marked with different types; without a loop over boundaries."""
    marked = list(marked)
    if not marked:
        return np.empty(0, np.int64)
    codes = {label: code for code, label in enumerate({label for marks in marked for label in marks.labels or ()})}
    many = 1 + max([len(codes), *(int(marks.types.max(initial=0)) for marks in marked if marks.types is not None)])
    typed = []  # one whole number for a place and its type
    for marks in marked:
        types = 0 if marks.types is None else marks.types
        if marks.labels:
            types = np.array([codes[label] for label in marks.labels], np.int64)[types]
        typed.append(_distinct(np.sort(marks.positions.astype(np.int64) * many + types)))
    places, voters = np.unique(np.concatenate([_distinct(each // many) for each in typed]), return_counts=True)
    pairs, given = np.unique(np.concatenate(typed), return_counts=True)
    of_place = np.searchsorted(places, pairs // many)
    return places[(voters < len(marked)) | (np.bincount(of_place, given < voters[of_place], len(places)) > 0)]


def _distinct(ordered: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Each number of an ordered list once; NumPy's own way takes ten times as long."""
    return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(ordered) else ordered


def _at(places: np.ndarray[Any, Any], index: int) -> int | None:
    return int(places[index]) if 0 <= index < len(places) else None
