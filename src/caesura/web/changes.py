"""What an adjudicator does to marks: add, delete, move, retype, rename, put; each a pure function from marks to marks.

The model's own constructors say what is wrong with a change that cannot be, so nothing is checked twice here.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from caesura.errors import CaesuraError, UnknownName
from caesura.model import Hierarchy, Segmentation, Spans
from caesura.model.corpus import Marks
from caesura.web.operation_fields import marks_listed, number_at, whole_at
from caesura.web.span_changes import SPAN_OPERATIONS

Span = tuple[int, int, int]
Operations: TypeAlias = Mapping[str, Callable[[Any, dict[str, Any]], Marks]]


def apply_operation(marks: Marks, operation: dict[str, Any]) -> Marks:
    """Carry out one operation, given as ``{"kind": "move", "position": 3, "to": 4}``.

    >>> apply_operation(Segmentation.from_masses([2, 3, 6]), {"kind": "move", "position": 2, "to": 3})
    Segmentation(11 units: 3|2|6)
    """
    kind = operation.get("kind")
    tables: dict[type, Operations] = {Segmentation: OPERATIONS, Hierarchy: _NESTED, Spans: SPAN_OPERATIONS}
    table = {
        **next(table for sort, table in tables.items() if isinstance(marks, sort)),
        "accept": _leave,
        "refuse": _leave,
    }
    if not isinstance(kind, str) or kind not in table:
        raise UnknownName("operation", str(kind), list(table))
    return table[kind](marks, operation)


def _leave(marks: Marks, _: dict[str, Any]) -> Marks:
    """Leave everything as it is: what was in dispute is settled so, or what was suggested refused."""
    return marks


def describe_marks(marks: Marks) -> dict[str, Any]:
    """Marks as plain data, the way the page and the API see them."""
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


def _rebuild(marks: Segmentation, entries: list[tuple[float, Any]], moved: tuple[float, float] | None = None) -> Marks:
    """The same text with these entries; segments keep their names, also where one of their boundaries ``moved``."""
    ordered = sorted(entries, key=lambda entry: entry[0])
    if marks.timed and len(set(ordered)) < len(
        ordered
    ):  # a recording may say one moment twice; an adjudicator means it once
        twice = next(entry for entry in ordered if ordered.count(entry) > 1)
        raise CaesuraError(f"there is a boundary at {twice[0]:g} s already.")
    positions = [position for position, _ in ordered]
    if not marks.typed:
        marks_now = Segmentation(marks.length, positions, units=marks.units)
    else:
        kinds = [kind for _, kind in ordered]
        labels = None if marks.labels is None else [*marks.labels, *sorted(set(kinds) - set(marks.labels))]
        codes = kinds if labels is None else [labels.index(kind) for kind in kinds]
        marks_now = Segmentation(marks.length, positions, codes, labels, marks.units)
    return marks_now if marks.names is None else _with_names(marks_now, _inherit_names(marks, marks_now, moved))


def _cuts(marks: Segmentation) -> list[float]:
    """Where segments end, the end of the text left out."""
    return [p for p in dict.fromkeys(marks.positions.tolist()) if p < marks.length]


def _with_names(marks: Segmentation, names: list[str]) -> Segmentation:
    return Segmentation(marks.length, marks.positions, marks.types, marks.labels, marks.units, names)


def _inherit_names(before: Segmentation, after: Segmentation, moved: tuple[float, float] | None) -> list[str]:
    """Every segment is called as the one that its first moment belonged to: both halves of a cut, the left one of two that join."""
    assert before.names is not None
    old = _cuts(before)
    if moved is not None:
        old = sorted(moved[1] if cut == moved[0] else cut for cut in old)
    return [before.names[bisect_right(old, start)] for start in (0.0, *_cuts(after))]


def _kind(marks: Segmentation, operation: dict[str, Any], key: str = "type") -> Any:
    if not marks.typed:
        return None
    value = operation.get(key)
    wanted = int if marks.labels is None and len(marks.positions) else str
    if not isinstance(value, wanted) or isinstance(value, bool) or value == "":
        raise CaesuraError(f"boundaries have types here: the operation {operation.get('kind')!r} needs {key!r}.")
    return value


def _entry_meant(marks: Segmentation, operation: dict[str, Any]) -> int:
    """The entry an operation means: at its position, of its type where several stand there."""
    position, kind = number_at(operation), operation.get("type")
    entries = [i for i, (p, k) in enumerate(_entries(marks)) if p == position and kind in (None, k)]
    if not entries:
        what = f" of type {kind!r}" if kind is not None else ""
        raise CaesuraError(f"there is no boundary{what} at {position:g}.")
    return entries[0]


def _add(marks: Any, operation: dict[str, Any]) -> Marks:
    return _rebuild(marks, [*_entries(marks), (number_at(operation), _kind(marks, operation))])


def _delete(marks: Any, operation: dict[str, Any]) -> Marks:
    entries = _entries(marks)
    del entries[_entry_meant(marks, operation)]
    return _rebuild(marks, entries)


def _move(marks: Any, operation: dict[str, Any]) -> Marks:
    entries = _entries(marks)
    at = _entry_meant(marks, operation)
    before, to = entries[at][0], number_at(operation, "to")
    entries[at] = (to, entries[at][1])
    stays = to != before and [position for position, _ in entries].count(before)
    return _rebuild(marks, entries, None if stays else (before, to))


def _retype(marks: Any, operation: dict[str, Any]) -> Marks:
    if not marks.typed:
        raise CaesuraError("boundaries have no types here.")
    entries = _entries(marks)
    at = _entry_meant(marks, operation)
    entries[at] = (entries[at][0], _kind(marks, operation, "to_type"))
    return _rebuild(marks, entries)


def _rename(marks: Any, operation: dict[str, Any]) -> Marks:
    """Call one segment, counted from 1, by another name; in recordings a first name gives all others an empty one."""
    if marks.names is None and not marks.timed:
        raise CaesuraError("segments have no names here.")
    names = list(marks.names) if marks.names is not None else [""] * (len(_cuts(marks)) + 1)
    segment, name = operation.get("segment"), operation.get("name")
    if isinstance(segment, bool) or not isinstance(segment, int) or not 1 <= segment <= len(names):
        raise CaesuraError(f"the operation 'rename' needs a segment from 1 to {len(names)}.")
    if not isinstance(name, str) or len(name) > 500:
        raise CaesuraError("the operation 'rename' needs a name of up to 500 characters.")
    names[segment - 1] = name
    return _with_names(marks, names)


def _replace(marks: Any, operation: dict[str, Any]) -> Marks:
    """Set all boundaries at once: what the merge view sends."""
    positions, types = operation.get("positions"), operation.get("types")
    if not isinstance(positions, list) or (types is not None and not isinstance(types, list)):
        raise CaesuraError("the operation 'replace' needs lists of positions and, where there are types, types.")
    if marks.typed and (types is None or len(types) != len(positions)):
        raise CaesuraError("the operation 'replace' needs one type a position here.")
    entries = [number_at({"kind": "replace", "position": p}) for p in positions]
    kinds = (
        [_kind(marks, {"kind": "replace", "type": t}) for t in types]
        if marks.typed and types
        else [None] * len(entries)
    )
    return _rebuild(marks, list(zip(entries, kinds, strict=True)))


def _put_marks(marks: Any, operation: dict[str, Any]) -> Marks:
    """Take some boundaries away, as far as they are there, and set others: [position], or [position, type] where there are types."""
    gone, come = (
        [
            (number_at({"kind": "put", "position": row[0]}), _kind(marks, {"kind": "put", "type": row[-1]}))
            for row in marks_listed(operation, key)
        ]
        for key in ("gone", "come")
    )
    kept = [entry for entry in _entries(marks) if entry not in gone]
    return _rebuild(marks, kept + [entry for entry in come if entry not in kept])


#: Operation -> what it does to boundaries.
OPERATIONS: Operations = {
    "add": _add,
    "delete": _delete,
    "move": _move,
    "retype": _retype,
    "rename": _rename,
    "replace": _replace,
    "put": _put_marks,
}


# ---------------------------------------------------------------------- nested segments


def _segment(marks: Hierarchy, operation: dict[str, Any]) -> Span:
    """The segment an operation means: from ``first`` to ``last``, at ``level`` where the same units are given at several."""
    first, last = whole_at(operation, "first"), whole_at(operation, "last")
    spans = [span for span in marks.spans if span[:2] == (first, last) and operation.get("level") in (None, span[2])]
    if not spans:
        raise CaesuraError(f"there is no segment ({first}, {last}).")
    return spans[0]


def _with_segments(marks: Hierarchy, spans: list[Span], fixed: Span | None = None) -> Hierarchy:
    """The same text with these segments.

    Where levels were depths of embeddedness they are counted anew. Where the coder gave others they stay, except that what now lies
    inside a segment of the same or a deeper level goes below it. The level of a ``fixed`` segment was asked for, and is never counted anew.
    """
    if fixed is None and marks == marks.renumbered():
        return Hierarchy.from_spans([span[:2] for span in spans], length=marks.length, units=marks.units)
    Hierarchy.from_spans(
        sorted({span[:2] for span in spans}), length=marks.length
    )  # crossing segments are told of first
    around: list[Span] = []
    deepened: list[Span] = []
    for first, last, level in sorted(spans, key=lambda span: (span[0], -span[1], span[2])):
        while around and around[-1][1] < first:
            around.pop()
        below = around[-1][2] + 1 if around and (first, last, level) != fixed else 1
        around.append((first, last, max(level, below)))
        deepened.append(around[-1])
    return Hierarchy(marks.length, deepened, marks.units)


def _level_inside(spans: list[Span], first: int, last: int) -> int:
    return 1 + max((level for a, b, level in spans if a <= first and last <= b), default=0)


def _add_segment(marks: Any, operation: dict[str, Any]) -> Hierarchy:
    first, last = whole_at(operation, "first"), whole_at(operation, "last")
    spans = marks.spans
    if operation.get("level") is None:
        if any(span[:2] == (first, last) for span in spans):
            raise CaesuraError(f"segment ({first}, {last}) is there already.")
        return _with_segments(marks, [*spans, (first, last, _level_inside(spans, first, last))])
    added = (first, last, whole_at(operation, "level"))
    return _with_segments(marks, [*spans, added], fixed=added)


def _delete_segment(marks: Any, operation: dict[str, Any]) -> Marks:
    gone = _segment(marks, operation)
    return _with_segments(marks, [span for span in marks.spans if span != gone])


def _move_segment(marks: Any, operation: dict[str, Any]) -> Marks:
    """Change the ends of a segment; at its level, or where it comes to lie."""
    before = _segment(marks, operation)
    first, last = whole_at(operation, "to_first"), whole_at(operation, "to_last")
    others = [span for span in marks.spans if span != before]
    if any(span[:2] == (first, last) for span in others):
        raise CaesuraError(f"segment ({first}, {last}) is there already.")
    return _with_segments(marks, [*others, (first, last, before[2])])


def _relevel_segment(marks: Any, operation: dict[str, Any]) -> Marks:
    """Give a segment another level; what is inside goes below it."""
    before = _segment(marks, operation)
    after = (*before[:2], whole_at(operation, "to_level"))
    if after == before:
        raise CaesuraError(f"segment {before[:2]} is at level {before[2]} already.")
    return _with_segments(marks, [*[span for span in marks.spans if span != before], after], fixed=after)


def _replace_segments(marks: Any, operation: dict[str, Any]) -> Marks:
    """Set all segments at once: what the merge view sends."""
    segments = operation.get("segments")
    if not isinstance(segments, list) or not all(isinstance(span, list) for span in segments):
        raise CaesuraError(
            "the operation 'replace' needs a list of segments, each [first, last] or [first, last, level]."
        )
    return Hierarchy.from_spans(segments, length=marks.length, units=marks.units)


def _put_segments(marks: Any, operation: dict[str, Any]) -> Marks:
    """Take some segments away, as far as they are there, and add others: [first, last], or [first, last, level] where the level is meant."""
    gone = [_named_segment(row) for row in marks_listed(operation, "gone")]
    now = _with_segments(marks, [span for span in marks.spans if not any(span[: len(row)] == row for row in gone)])
    for row in map(_named_segment, marks_listed(operation, "come")):
        if not any(span[: len(row)] == row for span in now.spans):
            now = _add_segment(now, dict(zip(("first", "last", "level"), row, strict=False)))
    return now


def _named_segment(row: list[Any]) -> tuple[int, ...]:
    named = {"kind": "put", **dict(zip(("first", "last", "level"), row, strict=False))}
    return tuple(whole_at(named, key) for key in ("first", "last", "level")[: max(2, len(row))])


_NESTED: Operations = {
    "add": _add_segment,
    "delete": _delete_segment,
    "move": _move_segment,
    "relevel": _relevel_segment,
    "replace": _replace_segments,
    "put": _put_segments,
}
