"""What an adjudicator does to spans: add, delete, move, rename, put; each a pure function from spans to spans."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from caesura.errors import CaesuraError
from caesura.model import Spans
from caesura.model.spans import SpanRow
from caesura.web.operation_fields import marks_listed, number_at

_LONGEST = 500


def _rebuild(spans: Spans, rows: list[Any]) -> Spans:
    """The same text with these spans; a new label has its place in the alphabet, or behind labels that stand otherwise."""
    known = list(spans.labels or ())
    labels = list(dict.fromkeys((*known, *(row[2] for row in rows if row[2] is not None))))
    scale = sorted(labels) if known == sorted(known) else labels
    return Spans.from_rows(rows, length=spans.length, labels=scale or None, units=spans.units)


def _row(
    spans: Spans, operation: dict[str, Any], start: str = "start", end: str = "end", label: str = "label"
) -> SpanRow:
    """The span that an operation spells out, as far as it does."""
    where = [number_at(operation, key) for key in (start, end)]
    name = operation.get(label)
    if name is not None and (not isinstance(name, str) or not 0 < len(name) <= _LONGEST):
        raise CaesuraError(
            f"the operation {operation.get('kind')!r} needs a name of up to {_LONGEST} characters as {label!r}, or none."
        )
    first, last = (float(each) if spans.timed else each for each in where)
    return first, last, name


def _meant(spans: Spans, operation: dict[str, Any]) -> int:
    """The span an operation means: from ``start`` to ``end``, with its ``label`` where one is named (null: without one)."""
    start, end, label = _row(spans, operation)
    for i, row in enumerate(spans.rows):
        if row[:2] == (start, end) and ("label" not in operation or row[2] == label):
            return i
    raise CaesuraError(f"there is no span {_spell((start, end, label))}.")


def _spell(row: SpanRow) -> str:
    return f"{row[0]:g}–{row[1]:g}" + (f" {row[2]!r}" if row[2] else "")


def _put_one(spans: Spans, others: list[SpanRow], row: SpanRow) -> Spans:
    """One more span; files may say one twice, an adjudicator means it once."""
    if row in others:
        raise CaesuraError(f"the span {_spell(row)} is there already.")
    return _rebuild(spans, [*others, row])


def _add(spans: Spans, operation: dict[str, Any]) -> Spans:
    return _put_one(spans, spans.rows, _row(spans, operation))


def _delete(spans: Spans, operation: dict[str, Any]) -> Spans:
    rows = spans.rows
    del rows[_meant(spans, operation)]
    return _rebuild(spans, rows)


def _change(spans: Spans, operation: dict[str, Any], after: Callable[[SpanRow], SpanRow]) -> Spans:
    rows = spans.rows
    before = rows.pop(_meant(spans, operation))
    return _put_one(spans, rows, after(before))


def _move(spans: Spans, operation: dict[str, Any]) -> Spans:
    to = _row(spans, operation, "to_start", "to_end")
    return _change(spans, operation, lambda row: (to[0], to[1], row[2]))


def _rename(spans: Spans, operation: dict[str, Any]) -> Spans:
    to = _row(spans, operation, label="to_label")
    return _change(spans, operation, lambda row: (row[0], row[1], to[2]))


def _read_rows(spans: Spans, operation: dict[str, Any], key: str) -> list[SpanRow]:
    names = ("start", "end", "label")
    return [
        _row(spans, {"kind": operation["kind"], **dict(zip(names, row, strict=False))})
        for row in marks_listed(operation, key)
    ]


def _replace(spans: Spans, operation: dict[str, Any]) -> Spans:
    """Set all spans at once: what the merge view sends."""
    return _rebuild(spans, _read_rows(spans, operation, "spans"))


def _put_span(spans: Spans, operation: dict[str, Any]) -> Spans:
    """Take some spans away, as far as they are there, and add others, each [start, end, label]."""
    gone, come = (_read_rows(spans, operation, key) for key in ("gone", "come"))
    kept = [row for row in spans.rows if row not in gone]
    return _rebuild(spans, kept + [row for row in dict.fromkeys(come) if row not in kept])


SPAN_OPERATIONS: dict[str, Callable[[Any, dict[str, Any]], Spans]] = {
    "add": _add,
    "delete": _delete,
    "move": _move,
    "rename": _rename,
    "replace": _replace,
    "put": _put_span,
}
