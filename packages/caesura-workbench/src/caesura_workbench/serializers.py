"""Items, annotations and disputed places as JSON data; for long items, only the part inside a window."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.gold.linear import TOLERANCE
from caesura.model import Annotation, Segmentation, Spans
from caesura.model.corpus import Marks
from caesura_workbench.disagreement import TimeGroups, VotePlace, add_name_disputes, find_name_disputes, votes
from caesura_workbench.operations import describe_marks
from caesura_workbench.permissions import Viewer
from caesura_workbench.project_schema import ItemLabels, extend_labels, used_labels, used_types
from caesura_workbench.rows import AnnotationState, ItemRecord

_BINS = 512  # of the boundary histogram that is sent for the parts of a recording outside the window


@dataclass(frozen=True)
class Window:
    """A range of units or seconds; hierarchies are always sent whole."""

    first: float
    last: float

    def cut(self, marks: Segmentation) -> Segmentation:
        """Return the boundaries inside, on the same text."""
        return _slice(marks, *self.among(marks.positions))

    def cut_whole(self, marks: Segmentation) -> tuple[Segmentation, int, int]:
        """Return the segments of a recording that overlap the window, with the numbers of cuts before and marks after it."""
        low, high = self.among(marks.positions)
        low = int(np.searchsorted(marks.positions, marks.positions[low - 1])) if low else 0
        if high < len(marks.positions):
            high = int(np.searchsorted(marks.positions, marks.positions[high], "right"))
        return _slice(marks, low, high), len(_distinct(marks.positions[:low])), len(marks.positions) - high

    def among(self, ordered: np.ndarray[Any, Any]) -> tuple[int, int]:
        """Return the index range of the sorted values that lie inside."""
        low, high = np.searchsorted(ordered, [self.first, np.nextafter(self.last, np.inf)])
        return int(low), int(high)

    def cut_spans(self, spans: Spans) -> Spans:
        """Return the spans that overlap the window, on the same text."""
        inside = (spans.starts < self.last) & (spans.ends > self.first - 1)
        types = None if spans.types is None else spans.types[inside]
        return Spans._trusted(spans.length, spans.starts[inside], spans.ends[inside], types, spans.labels, None)

    def paragraphs(self, starts: tuple[int, ...]) -> list[int]:
        """Return the numbers of the units inside that begin a paragraph."""
        return [number for number in starts if self.first <= number <= self.last]

    def units(self, units: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """Return the units inside."""
        return None if units is None else units[max(0, int(self.first) - 1) : int(self.last)]


def _slice(marks: Segmentation, low: int, high: int) -> Segmentation:
    types = None if marks.types is None else marks.types[low:high]
    return Segmentation._trusted(marks.length, marks.positions[low:high], types, marks.labels, None, None)


def parse_window(given: Mapping[str, str]) -> Window | None:
    """Return the window in a request's query parameters, if both ends are given."""
    try:
        return Window(float(given["first"]), float(given["last"]))
    except (KeyError, ValueError):
        return None


def is_small(marked: list[Marks], limit: int) -> bool:
    """Whether recordings have so few boundaries in total that they are sent whole."""
    timed = [marks for marks in marked if isinstance(marks, Segmentation) and marks.timed]
    return limit > 0 and len(timed) == len(marked) and sum(len(marks.positions) for marks in timed) <= limit


def describe_window(marks: Marks, window: Window | None) -> dict[str, Any]:
    """Return the marks in a window as JSON data.

    ``boundaries`` or ``all_spans`` is the total number, ``before`` the number of positions before the window.
    """
    if window is not None and isinstance(marks, Spans):
        return {**describe_marks(window.cut_spans(marks)), "all_spans": len(marks)}
    if window is not None and isinstance(marks, Segmentation):
        shown = _describe_times(marks, window) if marks.timed else describe_marks(window.cut(marks))
        earlier = marks.positions[: np.searchsorted(marks.positions, window.first)]
        return {**shown, "boundaries": len(marks.positions), "before": len(_distinct(earlier))}
    return describe_marks(marks)


def _describe_times(marks: Segmentation, window: Window) -> dict[str, Any]:
    """Describe whole segments of a recording.

    ``segment`` is the number of the first one, ``behind`` the number of boundaries after the window, and ``density`` a histogram of all boundaries.
    """
    part, before, behind = window.cut_whole(marks)
    shown = {**describe_marks(part), "segment": before + 2 if before else 1, "behind": behind}
    if marks.names is not None:
        first = before + 1 if before else 0
        shown["names"] = list(marks.names[first : first + len(_distinct(part.positions)) + (0 if before else 1)])
    if len(part.positions) < len(marks.positions):
        bins = (marks.positions * (_BINS / marks.length)).astype(np.int64)
        shown["density"] = np.bincount(np.minimum(bins, _BINS - 1), minlength=_BINS).tolist()
    return shown


def places_in_window(
    coded: list[Annotation], window: Window | None, tolerance: float | None
) -> tuple[list[VotePlace], dict[str, Any] | None]:
    """Return the places in the window with their votes, and where the nearest disputes outside it are."""
    marked = [each.marks for each in coded]
    if window is None or not coded or not all(isinstance(marks, Segmentation | Spans) for marks in marked):
        return votes(coded, tolerance=tolerance), None
    if isinstance(marked[0], Spans):
        return _spans_in_window(coded, window)
    timed = [marks for marks in marked if isinstance(marks, Segmentation) and marks.timed]
    if timed:
        return _times_in_window(coded, timed, window, TOLERANCE if tolerance is None else tolerance)
    inside = votes([each._replace(marks=window.cut(each.marks)) for each in coded])  # type: ignore[arg-type]
    return inside, _around(_disputed_positions([(m.positions.astype(np.int64), m) for m in marked]), window)  # type: ignore[union-attr,misc]


def _spans_in_window(coded: list[Annotation], window: Window) -> tuple[list[VotePlace], dict[str, Any]]:
    counted = votes(coded)
    begins = np.sort([int(place.first or 0) + 1 for place in counted if place.dispute > 0])
    inside = [p for p in counted if p.first is not None and p.first < window.last and p.position > window.first - 1]
    return inside, _around(begins, window)


def _times_in_window(
    coded: list[Annotation], marked: list[Segmentation], window: Window, tolerance: float
) -> tuple[list[VotePlace], dict[str, Any]]:
    """Count the votes of the places in the window; groups are formed over the whole recording, so that places do not depend on the window."""
    groups = TimeGroups.of(marked, tolerance)
    names = find_name_disputes({each.coder: marks for each, marks in zip(coded, marked, strict=True)}, groups)
    disputed = groups.middles[_disputed_positions([(groups.number(marks.positions), marks) for marks in marked])]
    around = _around(np.sort(np.concatenate([disputed, names.middles])), window)
    low, high = window.among(groups.middles)
    places: list[VotePlace] = []
    if low < high:
        part = Window(float(groups.begins[low]), float(groups.ends[high - 1]))
        near = [each._replace(marks=part.cut(marks)) for each, marks in zip(coded, marked, strict=True)]
        places = votes(near, tolerance=tolerance)
    return add_name_disputes(
        (coded[0].item, coded[0].track), places, names, range(*window.among(names.middles))
    ), around


def _around(places: np.ndarray[Any, Any], window: Window) -> dict[str, Any]:
    low, high = window.among(places)
    return {
        "count": len(places),
        "first": _at(places, 0),
        "last": _at(places, len(places) - 1),
        "before": _at(places, low - 1),
        "after": _at(places, high),
    }


def _disputed_positions(placed: list[tuple[np.ndarray[Any, Any], Segmentation]]) -> np.ndarray[Any, Any]:
    """Return the positions that only some coders marked, or marked with different types.

    Positions are integers, given beside the marks they belong to. Array operations replace a loop over boundaries.
    """
    marked = [marks for _, marks in placed]
    codes = {label: code for code, label in enumerate({label for marks in marked for label in marks.labels or ()})}
    # positions and types are combined as position * many + type, so that sorting and counting need one array
    many = 1 + max([len(codes), *(int(marks.types.max(initial=0)) for marks in marked if marks.types is not None)])
    typed = []  # a position and its type, encoded as one integer
    for places, marks in placed:
        types = 0 if marks.types is None else marks.types
        if marks.labels:
            types = np.array([codes[label] for label in marks.labels], np.int64)[types]
        typed.append(_distinct(np.sort(places * many + types)))
    # how many coders marked each position, and how many gave each type there
    where, voters = np.unique(np.concatenate([_distinct(each // many) for each in typed]), return_counts=True)
    pairs, given = np.unique(np.concatenate(typed), return_counts=True)
    of_place = np.searchsorted(where, pairs // many)
    return where[(voters < len(marked)) | (np.bincount(of_place, given < voters[of_place], len(where)) > 0)]


def _distinct(ordered: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Drop repeated values of a sorted array; ten times as fast as np.unique."""
    return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(ordered) else ordered


def _at(places: np.ndarray[Any, Any], index: int) -> float | None:
    return places[index].item() if 0 <= index < len(places) else None


_CONTEXT_WORDS = 5  # on each side of a boundary
_MAX_QUOTE = 120  # characters


def quote_place(item: ItemRecord, place: VotePlace) -> dict[str, str]:
    """Return the text before, at and after a disputed place; empty for recordings and items without text."""
    if item.units is None:
        return {}
    letters = all(len(unit) == 1 for unit in item.units[:200])
    gap, reach = ("", 6 * _CONTEXT_WORDS) if letters else (" ", _CONTEXT_WORDS)
    last = int(place.position)
    first = last if place.first is None else int(place.first) - (item.kind == "nested")
    before, inside, behind = (
        re.sub(r"\s+", " ", gap.join(item.units[max(0, low) : high]))
        for low, high in ((first - reach, first), (first, min(last, first + _MAX_QUOTE)), (last, last + reach))
    )
    if letters:  # drop partial words at both ends
        before = before.partition(" ")[2] if first > reach else before
        behind = behind.rpartition(" ")[0] if last + reach < len(item.units) else behind
    return {"before": _last_words(before) + gap, "inside": inside[:_MAX_QUOTE], "behind": gap + _first_words(behind)}


def _last_words(text: str) -> str:
    """Return the last whole words of a long text.

    >>> _last_words("loaves " * 20)[:8]
    '… loaves'
    """
    return text if len(text) <= _MAX_QUOTE else "… " + (text[-_MAX_QUOTE:].partition(" ")[2] or text[-_MAX_QUOTE:])


def _first_words(text: str) -> str:
    """Return the first whole words of a long text."""
    return text if len(text) <= _MAX_QUOTE else (text[:_MAX_QUOTE].rpartition(" ")[0] or text[:_MAX_QUOTE]) + " …"


def describe_item(item: ItemRecord) -> dict[str, Any]:
    """Describe an item without its text."""
    return {
        "id": item.id,
        "name": item.name,
        "track": item.track,
        "kind": item.kind,
        "length": item.length,
        "attributes": item.attributes,
    }


def describe_labels(allowed: ItemLabels, marked: list[Marks]) -> dict[str, Any]:
    """Describe the types and labels that an item may have, in the schema's order, followed by others that its annotations have."""
    types = extend_labels(allowed.types, sorted({name for marks in marked for name in used_types(marks)}))
    labels = allowed.labels
    if any(isinstance(marks, Spans) for marks in marked) or labels:
        labels = extend_labels(labels, sorted({name for marks in marked for name in used_labels(marks)}))
    return {
        "types": [label.model_dump(exclude={"was"}) for label in types],
        "open_types": allowed.open_types,
        "labels": [label.model_dump(exclude={"was"}) for label in labels],
        "open_labels": allowed.open_labels,
    }


def why_read_only(viewer: Viewer) -> str:
    """Return why this viewer cannot annotate an item of their project, or nothing."""
    if viewer.single_user or viewer.role in ("manager", "adjudicator"):
        return ""
    if viewer.released:
        return "This project is released: everybody can read all annotations, and annotators can no longer change theirs. A manager can close it again."
    return "" if viewer.role == "annotator" else "Readers can look at annotations, but not change them."


def describe_vote_place(place: VotePlace) -> dict[str, Any]:
    """Describe a place with its voters, and the choices where they differ."""
    shown: dict[str, Any] = {"position": place.position, "voters": place.voters}
    if place.dispute > 0:
        choices = [{"marks": choice.marks, "voters": choice.voters} for choice in place.choices]
        shown |= {"key": place.key, "dispute": place.dispute, "choices": choices}
    if place.types:
        shown["types"] = [{"type": kind, "voters": voters} for kind, voters in place.types.items()]
    return shown if place.first is None else {**shown, "first": place.first}


def describe_annotation(viewer: Viewer, state: AnnotationState, window: Window | None = None) -> dict[str, Any]:
    """Describe an annotation, or its part in a window; ``editable`` depends on the viewer."""
    return {
        "id": state.id,
        "item": state.item,
        "coder": state.coder,
        "role": state.role,
        "editable": not state.brought and viewer.may_edit(state.role, state.person),
        "version": state.version,
        "origin": state.origin,
        "can_undo": state.can_undo,
        "can_redo": state.can_redo,
        "settled": state.settled,
        "marks": describe_window(state.marks, window),
    }


def describe_disputed_place(item: ItemRecord, place: VotePlace) -> dict[str, Any]:
    """Describe a disputed place for a list over many items, with a quotation."""
    where = {"item": item.id, "kind": item.kind, "name": item.name, "track": item.track, "coders": place.coders}
    return {**where, "quote": quote_place(item, place), **describe_vote_place(place)}
