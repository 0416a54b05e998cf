"""Operations on marks: add, delete, move, retype, rename, replace and put; each is a pure function from marks to marks.

The constructors of the model reject invalid marks, so values are not validated twice here.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, TypeAlias

from caesura.errors import CaesuraError, UnknownName
from caesura.gold.linear import TOLERANCE
from caesura.model import Hierarchy, Segmentation, Spans
from caesura.model.corpus import Marks
from caesura.model.spans import SpanRow


def number_field(operation: dict[str, Any], key: str = "position") -> float:
    """Return a number from an operation."""
    value = operation.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise CaesuraError(f"the operation {operation.get('kind')!r} needs a number as {key!r}.")
    return value


def integer_field(operation: dict[str, Any], key: str) -> int:
    """Return an integer from an operation."""
    value = number_field(operation, key)
    if value != int(value):
        raise CaesuraError(f"{key!r} must be an integer, not {value:g}.")
    return int(value)


def mark_list_field(operation: dict[str, Any], key: str) -> list[list[Any]]:
    """Return a list of marks from an operation, each a list; empty if the operation has no such key."""
    listed = operation.get(key, [])
    if not isinstance(listed, list) or not all(isinstance(mark, list) and mark for mark in listed):
        raise CaesuraError(f"the operation {operation.get('kind')!r} needs {key!r} as a list of marks, each a list.")
    return listed


def settled_keys(operation: dict[str, Any]) -> list[str]:
    """Return the keys of the disputed places that an operation settles: none, one, or several at once."""
    given = operation.get("settles", [])
    keys = given if isinstance(given, list) else [given]
    if not all(isinstance(key, str) and 0 < len(key) <= _MAX_KEY for key in keys):
        raise CaesuraError("'settles' must be the key of a disputed place, or a list of keys.")
    return keys


#: Letters of the key of a place: two numbers and the types or labels given there.
_MAX_KEY = 5_000
Span = tuple[int, int, int]
Operations: TypeAlias = Mapping[str, Callable[[Any, dict[str, Any]], Marks]]


def apply_operation(marks: Marks, operation: dict[str, Any]) -> Marks:
    """Apply one operation, such as ``{"kind": "move", "position": 3, "to": 4}``.

    >>> apply_operation(Segmentation.from_masses([2, 3, 6]), {"kind": "move", "position": 2, "to": 3})
    Segmentation(11 units: 3|2|6)
    """
    kind = operation.get("kind")
    tables: dict[type, Operations] = {
        Segmentation: _BOUNDARY_OPERATIONS,
        Hierarchy: _NESTED_OPERATIONS,
        Spans: _SPAN_OPERATIONS,
    }
    table = {
        **next(table for sort, table in tables.items() if isinstance(marks, sort)),
        "accept": _keep_marks,
        "refuse": _keep_marks,
    }
    if not isinstance(kind, str) or kind not in table:
        raise UnknownName("operation", str(kind), list(table))
    return table[kind](marks, operation)


def _keep_marks(marks: Marks, _: dict[str, Any]) -> Marks:
    """Return the marks unchanged: a dispute is settled as it is, or a suggestion is refused."""
    return marks


def describe_marks(marks: Marks) -> dict[str, Any]:
    """Return marks as JSON data, as the pages and the API use them."""
    if isinstance(marks, Hierarchy):
        return {"kind": "nested", "length": marks.length, "segments": [list(span) for span in marks.spans]}
    if isinstance(marks, Spans):
        kind = "spans in time" if marks.timed else "spans"
        spans = [list(row) for row in marks.rows]
        return {"kind": kind, "length": marks.length, "spans": spans, "labels": list(marks.labels or ())}
    listed: dict[str, Any] = {
        "kind": "time" if marks.timed else "units",
        "length": marks.length,
        "positions": marks.positions.tolist(),
    }
    if marks.typed:
        listed["types"] = [kind for _, kind in marks.marks]
        listed["labels"] = marks.labels
    if marks.names is not None:
        listed["names"] = list(marks.names)
    return listed


# ---------------------------------------------------------------------- boundaries


def _entries(marks: Any) -> list[tuple[float, Any]]:
    if marks.typed:
        return list(marks.marks)
    return [(position, None) for position in marks.positions.tolist()]


def _with_entries(
    marks: Segmentation, entries: list[tuple[float, Any]], moved: tuple[float, float] | None = None
) -> Marks:
    """Return the same text with these entries; segments keep their names, also where one of their boundaries ``moved``."""
    ordered = sorted(entries, key=lambda entry: entry[0])
    # a file may contain the same time twice, but a second one here is a mistake
    if marks.timed and len(set(ordered)) < len(ordered):
        twice = next(entry for entry in ordered if ordered.count(entry) > 1)
        raise CaesuraError(f"there is already a boundary at {twice[0]:g} s.")
    positions = [position for position, _ in ordered]
    if not marks.typed:
        changed = Segmentation(marks.length, positions, units=marks.units)
    else:
        kinds = [kind for _, kind in ordered]
        labels = None if marks.labels is None else [*marks.labels, *sorted(set(kinds) - set(marks.labels))]
        codes = kinds if labels is None else [labels.index(kind) for kind in kinds]
        changed = Segmentation(marks.length, positions, codes, labels, marks.units)
    return changed if marks.names is None else _with_names(changed, _inherit_names(marks, changed, moved))


def _cuts(marks: Segmentation) -> list[float]:
    """Return where segments end, without the end of the text."""
    return [p for p in dict.fromkeys(marks.positions.tolist()) if p < marks.length]


def _with_names(marks: Segmentation, names: list[str]) -> Segmentation:
    return Segmentation(marks.length, marks.positions, marks.types, marks.labels, marks.units, names)


def _inherit_names(before: Segmentation, after: Segmentation, moved: tuple[float, float] | None) -> list[str]:
    """Return the names of the segments after a change: each takes the name of the old segment at its start.

    So both halves of a split keep the name, and two joined segments take the name of the left one.
    """
    assert before.names is not None
    old = _cuts(before)
    if moved is not None:
        old = sorted(moved[1] if cut == moved[0] else cut for cut in old)
    return [before.names[bisect_right(old, start)] for start in (0.0, *_cuts(after))]


def adopt_names(marks: Segmentation, source: Segmentation, at: float, tolerance: float = TOLERANCE) -> Segmentation:
    """Name the segments around a place as another annotation names them.

    An adjudicator who takes an annotator's boundary takes the annotator's names of the segments that meet there.

    Parameters
    ----------
    marks : Segmentation
        The annotation of a recording, with the chosen boundary.
    source : Segmentation
        The annotation whose boundary was chosen. A segment gets the name of the source's segment that overlaps it most.
    at : float
        Time of the place, in seconds.
    tolerance : float, default 0.02
        Segments within this distance of ``at`` meet there.

    Returns
    -------
    Segmentation
        The annotation with the adopted names; unchanged where one of the two has no names.

    Examples
    --------
    >>> gold = Segmentation.from_times([1.0, 2.0, 3.0], length=4, names=["A", "X", "X", "X"])
    >>> ada = Segmentation.from_times([1.0, 2.0, 3.0], length=4, names=["a", "b", "c", "d"])
    >>> adopt_names(gold, ada, 2.0).names
    ('A', 'b', 'c', 'X')
    """
    if marks.names is None or source.names is None:
        return marks
    theirs = list(zip(_stretches(source), source.names, strict=True))

    def name_at(start: float, end: float) -> str:
        return max(theirs, key=lambda each: min(end, each[0][1]) - max(start, each[0][0]))[1]

    names = [
        name_at(start, end) if start - tolerance <= at <= end + tolerance else name
        for (start, end), name in zip(_stretches(marks), marks.names, strict=True)
    ]
    return _with_names(marks, names)


def _stretches(marks: Segmentation) -> list[tuple[float, float]]:
    """Return the start and end of every segment."""
    return list(pairwise([0.0, *_cuts(marks), float(marks.length)]))


def _boundary_type(marks: Segmentation, operation: dict[str, Any], key: str = "type") -> Any:
    if not marks.typed:
        return None
    value = operation.get(key)
    wanted = int if marks.labels is None and len(marks.positions) else str
    if not isinstance(value, wanted) or isinstance(value, bool) or value == "":
        raise CaesuraError(
            f"boundaries of this item have types; the operation {operation.get('kind')!r} needs {key!r}."
        )
    return value


def _find_entry(marks: Segmentation, operation: dict[str, Any]) -> int:
    """Return the index of the entry that an operation refers to, by position and, if given, type."""
    position, kind = number_field(operation), operation.get("type")
    entries = [i for i, (p, k) in enumerate(_entries(marks)) if p == position and kind in (None, k)]
    if not entries:
        what = f" of type {kind!r}" if kind is not None else ""
        raise CaesuraError(f"there is no boundary{what} at {position:g}.")
    return entries[0]


def _add_boundary(marks: Any, operation: dict[str, Any]) -> Marks:
    return _with_entries(marks, [*_entries(marks), (number_field(operation), _boundary_type(marks, operation))])


def _delete_boundary(marks: Any, operation: dict[str, Any]) -> Marks:
    entries = _entries(marks)
    del entries[_find_entry(marks, operation)]
    return _with_entries(marks, entries)


def _move_boundary(marks: Any, operation: dict[str, Any]) -> Marks:
    entries = _entries(marks)
    at = _find_entry(marks, operation)
    before, to = entries[at][0], number_field(operation, "to")
    entries[at] = (to, entries[at][1])
    stays = to != before and [position for position, _ in entries].count(before)
    return _with_entries(marks, entries, None if stays else (before, to))


def _retype_boundary(marks: Any, operation: dict[str, Any]) -> Marks:
    if not marks.typed:
        raise CaesuraError("boundaries of this item have no types.")
    entries = _entries(marks)
    at = _find_entry(marks, operation)
    entries[at] = (entries[at][0], _boundary_type(marks, operation, "to_type"))
    return _with_entries(marks, entries)


def _rename_segment(marks: Any, operation: dict[str, Any]) -> Marks:
    """Rename one segment, counted from 1; in recordings without names, all others get an empty name."""
    if marks.names is None and not marks.timed:
        raise CaesuraError("segments of this item have no names.")
    names = list(marks.names) if marks.names is not None else [""] * (len(_cuts(marks)) + 1)
    segment, name = operation.get("segment"), operation.get("name")
    if isinstance(segment, bool) or not isinstance(segment, int) or not 1 <= segment <= len(names):
        raise CaesuraError(f"the operation 'rename' needs a segment from 1 to {len(names)}.")
    if not isinstance(name, str) or len(name) > 500:
        raise CaesuraError("the operation 'rename' needs a name of up to 500 characters.")
    names[segment - 1] = name
    return _with_names(marks, names)


def _replace_boundaries(marks: Any, operation: dict[str, Any]) -> Marks:
    """Replace all boundaries at once; used by the merge view."""
    positions, types = operation.get("positions"), operation.get("types")
    if not isinstance(positions, list) or (types is not None and not isinstance(types, list)):
        raise CaesuraError("the operation 'replace' needs 'positions' as a list, and 'types' as a list if given.")
    if marks.typed and (types is None or len(types) != len(positions)):
        raise CaesuraError("the operation 'replace' needs one type per position.")
    entries = [number_field({"kind": "replace", "position": p}) for p in positions]
    kinds = (
        [_boundary_type(marks, {"kind": "replace", "type": t}) for t in types]
        if marks.typed and types
        else [None] * len(entries)
    )
    return _with_entries(marks, list(zip(entries, kinds, strict=True)))


def _put_boundaries(marks: Any, operation: dict[str, Any]) -> Marks:
    """Remove the boundaries in "gone" if present, and add those in "come": [position], or [position, type] for typed ones."""
    gone, come = (
        [
            (number_field({"kind": "put", "position": row[0]}), _boundary_type(marks, {"kind": "put", "type": row[-1]}))
            for row in mark_list_field(operation, key)
        ]
        for key in ("gone", "come")
    )
    kept = [entry for entry in _entries(marks) if entry not in gone]
    return _with_entries(marks, kept + [entry for entry in come if entry not in kept])


#: Kind of operation -> function on boundaries.
_BOUNDARY_OPERATIONS: Operations = {
    "add": _add_boundary,
    "delete": _delete_boundary,
    "move": _move_boundary,
    "retype": _retype_boundary,
    "rename": _rename_segment,
    "replace": _replace_boundaries,
    "put": _put_boundaries,
}


# ---------------------------------------------------------------------- nested segments


def _find_segment(marks: Hierarchy, operation: dict[str, Any]) -> Span:
    """Return the segment that an operation refers to: from ``first`` to ``last``, and at ``level`` if given."""
    first, last = integer_field(operation, "first"), integer_field(operation, "last")
    spans = [span for span in marks.spans if span[:2] == (first, last) and operation.get("level") in (None, span[2])]
    if not spans:
        raise CaesuraError(f"there is no segment ({first}, {last}).")
    return spans[0]


def _with_segments(marks: Hierarchy, spans: list[Span], fixed: Span | None = None) -> Hierarchy:
    """Return the same text with these segments.

    Levels that equal the nesting depth are recomputed. Levels chosen by a coder are kept, except that a segment inside another one of the same or a
    deeper level is moved below it. The level of a ``fixed`` segment was requested explicitly and never changes.
    """
    if fixed is None and marks == marks.renumbered():
        return Hierarchy.from_spans([span[:2] for span in spans], length=marks.length, units=marks.units)
    # raises an error for crossing segments, which the loop below assumes not to exist
    Hierarchy.from_spans(sorted({span[:2] for span in spans}), length=marks.length)
    enclosing: list[Span] = []  # from the outermost to the innermost segment around the current one
    deepened: list[Span] = []
    for first, last, level in sorted(spans, key=lambda span: (span[0], -span[1], span[2])):
        while enclosing and enclosing[-1][1] < first:
            enclosing.pop()
        lowest = enclosing[-1][2] + 1 if enclosing and (first, last, level) != fixed else 1
        enclosing.append((first, last, max(level, lowest)))
        deepened.append(enclosing[-1])
    return Hierarchy(marks.length, deepened, marks.units)


def _add_segment(marks: Any, operation: dict[str, Any]) -> Hierarchy:
    first, last = integer_field(operation, "first"), integer_field(operation, "last")
    spans = marks.spans
    if operation.get("level") is None:
        if any(span[:2] == (first, last) for span in spans):
            raise CaesuraError(f"segment ({first}, {last}) already exists.")
        level = 1 + max(
            (level for a, b, level in spans if a <= first and last <= b), default=0
        )  # below those around it
        return _with_segments(marks, [*spans, (first, last, level)])
    added = (first, last, integer_field(operation, "level"))
    return _with_segments(marks, [*spans, added], fixed=added)


def _delete_segment(marks: Any, operation: dict[str, Any]) -> Marks:
    gone = _find_segment(marks, operation)
    return _with_segments(marks, [span for span in marks.spans if span != gone])


def _move_segment(marks: Any, operation: dict[str, Any]) -> Marks:
    """Change the ends of a segment; its level adapts to the segments around it."""
    before = _find_segment(marks, operation)
    first, last = integer_field(operation, "to_first"), integer_field(operation, "to_last")
    others = [span for span in marks.spans if span != before]
    if any(span[:2] == (first, last) for span in others):
        raise CaesuraError(f"segment ({first}, {last}) already exists.")
    return _with_segments(marks, [*others, (first, last, before[2])])


def _relevel_segment(marks: Any, operation: dict[str, Any]) -> Marks:
    """Change the level of a segment; segments inside are moved below it."""
    before = _find_segment(marks, operation)
    after = (*before[:2], integer_field(operation, "to_level"))
    if after == before:
        raise CaesuraError(f"segment {before[:2]} is already at level {before[2]}.")
    return _with_segments(marks, [*[span for span in marks.spans if span != before], after], fixed=after)


def _replace_segments(marks: Any, operation: dict[str, Any]) -> Marks:
    """Replace all segments at once; used by the merge view."""
    segments = operation.get("segments")
    if not isinstance(segments, list) or not all(isinstance(span, list) for span in segments):
        raise CaesuraError(
            "the operation 'replace' needs a list of segments, each [first, last] or [first, last, level]."
        )
    return Hierarchy.from_spans(segments, length=marks.length, units=marks.units)


def _put_segments(marks: Any, operation: dict[str, Any]) -> Marks:
    """Remove the segments in "gone" if present, and add those in "come": [first, last], or [first, last, level] for a fixed level."""
    gone = [_segment_row(row) for row in mark_list_field(operation, "gone")]
    now = _with_segments(marks, [span for span in marks.spans if not any(span[: len(row)] == row for row in gone)])
    for row in map(_segment_row, mark_list_field(operation, "come")):
        if not any(span[: len(row)] == row for span in now.spans):
            now = _add_segment(now, dict(zip(("first", "last", "level"), row, strict=False)))
    return now


def _segment_row(row: list[Any]) -> tuple[int, ...]:
    named = {"kind": "put", **dict(zip(("first", "last", "level"), row, strict=False))}
    return tuple(integer_field(named, key) for key in ("first", "last", "level")[: max(2, len(row))])


_NESTED_OPERATIONS: Operations = {
    "add": _add_segment,
    "delete": _delete_segment,
    "move": _move_segment,
    "relevel": _relevel_segment,
    "replace": _replace_segments,
    "put": _put_segments,
}


_MAX_LABEL = 500


def _with_spans(spans: Spans, rows: list[Any]) -> Spans:
    """Return the same text with these spans; new labels are inserted alphabetically, or appended if the labels have another order."""
    known = list(spans.labels or ())
    labels = list(dict.fromkeys((*known, *(row[2] for row in rows if row[2] is not None))))
    ordered = sorted(labels) if known == sorted(known) else labels
    return Spans.from_rows(rows, length=spans.length, labels=ordered or None, units=spans.units)


def _span_row(
    spans: Spans, operation: dict[str, Any], start: str = "start", end: str = "end", label: str = "label"
) -> SpanRow:
    """Return the span that an operation describes."""
    where = [number_field(operation, key) for key in (start, end)]
    name = operation.get(label)
    if name is not None and (not isinstance(name, str) or not 0 < len(name) <= _MAX_LABEL):
        raise CaesuraError(
            f"the operation {operation.get('kind')!r} needs a name of up to {_MAX_LABEL} characters as {label!r}, or none."
        )
    first, last = (float(each) if spans.timed else each for each in where)
    return first, last, name


def _find_span(spans: Spans, operation: dict[str, Any]) -> int:
    """Return the index of the span that an operation refers to: from ``start`` to ``end``, and with its ``label`` if given (null: unlabelled)."""
    start, end, label = _span_row(spans, operation)
    for i, row in enumerate(spans.rows):
        if row[:2] == (start, end) and ("label" not in operation or row[2] == label):
            return i
    raise CaesuraError(f"there is no span {_format_span((start, end, label))}.")


def _format_span(row: SpanRow) -> str:
    return f"{row[0]:g}–{row[1]:g}" + (f" {row[2]!r}" if row[2] else "")


def _with_one_more(spans: Spans, others: list[SpanRow], row: SpanRow) -> Spans:
    """Add one span; duplicates are rejected here, although files may contain them."""
    if row in others:
        raise CaesuraError(f"the span {_format_span(row)} already exists.")
    return _with_spans(spans, [*others, row])


def _add_span(spans: Spans, operation: dict[str, Any]) -> Spans:
    return _with_one_more(spans, spans.rows, _span_row(spans, operation))


def _delete_span(spans: Spans, operation: dict[str, Any]) -> Spans:
    rows = spans.rows
    del rows[_find_span(spans, operation)]
    return _with_spans(spans, rows)


def _change_span(spans: Spans, operation: dict[str, Any], after: Callable[[SpanRow], SpanRow]) -> Spans:
    rows = spans.rows
    before = rows.pop(_find_span(spans, operation))
    return _with_one_more(spans, rows, after(before))


def _move_span(spans: Spans, operation: dict[str, Any]) -> Spans:
    to = _span_row(spans, operation, "to_start", "to_end")
    return _change_span(spans, operation, lambda row: (to[0], to[1], row[2]))


def _relabel_span(spans: Spans, operation: dict[str, Any]) -> Spans:
    to = _span_row(spans, operation, label="to_label")
    return _change_span(spans, operation, lambda row: (row[0], row[1], to[2]))


def _span_rows(spans: Spans, operation: dict[str, Any], key: str) -> list[SpanRow]:
    names = ("start", "end", "label")
    return [
        _span_row(spans, {"kind": operation["kind"], **dict(zip(names, row, strict=False))})
        for row in mark_list_field(operation, key)
    ]


def _replace_spans(spans: Spans, operation: dict[str, Any]) -> Spans:
    """Replace all spans at once; used by the merge view."""
    return _with_spans(spans, _span_rows(spans, operation, "spans"))


def _put_spans(spans: Spans, operation: dict[str, Any]) -> Spans:
    """Remove the spans in "gone" if present, and add those in "come", each [start, end, label]."""
    gone, come = (_span_rows(spans, operation, key) for key in ("gone", "come"))
    kept = [row for row in spans.rows if row not in gone]
    return _with_spans(spans, kept + [row for row in dict.fromkeys(come) if row not in kept])


_SPAN_OPERATIONS: dict[str, Callable[[Any, dict[str, Any]], Spans]] = {
    "add": _add_span,
    "delete": _delete_span,
    "move": _move_span,
    "rename": _relabel_span,
    "replace": _replace_spans,
    "put": _put_spans,
}
