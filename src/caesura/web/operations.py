"""What an adjudicator does to marks: add, delete, move, retype; each a pure function from marks to marks.

The model's own constructors say what is wrong with a change that cannot be, so nothing is checked twice here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from caesura.errors import CaesuraError, UnknownName
from caesura.model import Hierarchy, Segmentation

__all__ = ["OPERATIONS", "applied", "described"]

Marks = Segmentation | Hierarchy


def applied(marks: Marks, operation: dict[str, Any]) -> Marks:
    """Carry out one operation, given as ``{"kind": "move", "position": 3, "to": 4}``.

    >>> applied(Segmentation.from_masses([2, 3, 6]), {"kind": "move", "position": 2, "to": 3})
    Segmentation(11 units: 3|2|6)
    """
    kind = operation.get("kind")
    table = _NESTED if isinstance(marks, Hierarchy) else OPERATIONS
    if kind not in table:
        raise UnknownName("operation", str(kind), list(table))
    return table[kind](marks, operation)


def described(marks: Marks) -> dict[str, Any]:
    """Marks as plain data, the way the page and the API see them."""
    if isinstance(marks, Hierarchy):
        return {"kind": "nested", "length": marks.length, "segments": [list(span) for span in marks.spans]}
    listed: dict[str, Any] = {
        "kind": "time" if marks.timed else "units",
        "length": marks.length,
        "positions": marks.positions.tolist(),
    }
    if marks.typed:
        listed["types"] = [kind for _, kind in marks.marks]
        listed["labels"] = marks.labels
    return listed


# ---------------------------------------------------------------------- boundaries


def _entries(marks: Any) -> list[tuple[float, Any]]:
    if marks.typed:
        return list(marks.marks)
    return [(position, None) for position in marks.positions.tolist()]


def _rebuilt(marks: Segmentation, entries: list[tuple[float, Any]]) -> Segmentation:
    ordered = sorted(entries, key=lambda entry: entry[0])
    positions = [position for position, _ in ordered]
    if not marks.typed:
        return Segmentation(marks.length, positions, units=marks.units)
    kinds = [kind for _, kind in ordered]
    if marks.labels is None:
        return Segmentation(marks.length, positions, kinds, units=marks.units)
    labels = [*marks.labels, *sorted(set(kinds) - set(marks.labels))]
    return Segmentation(marks.length, positions, [labels.index(kind) for kind in kinds], labels, marks.units)


def _one(operation: dict[str, Any], key: str = "position") -> float:
    value = operation.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise CaesuraError(f"the operation {operation.get('kind')!r} needs a number as {key!r}.")
    return value


def _kind(marks: Segmentation, operation: dict[str, Any], key: str = "type") -> Any:
    if not marks.typed:
        return None
    value = operation.get(key)
    wanted = int if marks.labels is None and len(marks.positions) else str
    if not isinstance(value, wanted) or isinstance(value, bool) or value == "":
        raise CaesuraError(f"boundaries have types here: the operation {operation.get('kind')!r} needs {key!r}.")
    return value


def _where(marks: Segmentation, operation: dict[str, Any]) -> int:
    """The entry an operation means: at its position, of its type where several stand there."""
    position, kind = _one(operation), operation.get("type")
    found = [i for i, (p, k) in enumerate(_entries(marks)) if p == position and kind in (None, k)]
    if not found:
        what = f" of type {kind!r}" if kind is not None else ""
        raise CaesuraError(f"there is no boundary{what} at {position:g}.")
    return found[0]


def _add(marks: Any, operation: dict[str, Any]) -> Marks:
    return _rebuilt(marks, [*_entries(marks), (_one(operation), _kind(marks, operation))])


def _delete(marks: Any, operation: dict[str, Any]) -> Marks:
    entries = _entries(marks)
    del entries[_where(marks, operation)]
    return _rebuilt(marks, entries)


def _move(marks: Any, operation: dict[str, Any]) -> Marks:
    entries = _entries(marks)
    at = _where(marks, operation)
    entries[at] = (_one(operation, "to"), entries[at][1])
    return _rebuilt(marks, entries)


def _retype(marks: Any, operation: dict[str, Any]) -> Marks:
    if not marks.typed:
        raise CaesuraError("boundaries have no types here.")
    entries = _entries(marks)
    at = _where(marks, operation)
    entries[at] = (entries[at][0], _kind(marks, operation, "to_type"))
    return _rebuilt(marks, entries)


def _replace(marks: Any, operation: dict[str, Any]) -> Marks:
    """Set all boundaries at once: what the merge view sends."""
    positions, types = operation.get("positions"), operation.get("types")
    if not isinstance(positions, list) or (types is not None and not isinstance(types, list)):
        raise CaesuraError("the operation 'replace' needs lists of positions and, where there are types, types.")
    if marks.typed and (types is None or len(types) != len(positions)):
        raise CaesuraError("the operation 'replace' needs one type a position here.")
    entries = [_one({"kind": "replace", "position": p}) for p in positions]
    kinds = (
        [_kind(marks, {"kind": "replace", "type": t}) for t in types]
        if marks.typed and types
        else [None] * len(entries)
    )
    return _rebuilt(marks, list(zip(entries, kinds, strict=True)))


#: Operation -> what it does to boundaries.
OPERATIONS: dict[str, Callable[[Any, dict[str, Any]], Marks]] = {
    "add": _add,
    "delete": _delete,
    "move": _move,
    "retype": _retype,
    "replace": _replace,
}


# ---------------------------------------------------------------------- nested segments


def _span(operation: dict[str, Any]) -> tuple[int, int]:
    return int(_one(operation, "first")), int(_one(operation, "last"))


def _add_segment(marks: Any, operation: dict[str, Any]) -> Marks:
    spans = [(first, last) for first, last, _ in marks.spans]
    return Hierarchy.from_spans([*spans, _span(operation)], length=marks.length, units=marks.units)


def _delete_segment(marks: Any, operation: dict[str, Any]) -> Marks:
    spans = [(first, last) for first, last, _ in marks.spans]
    if _span(operation) not in spans:
        raise CaesuraError(f"there is no segment {_span(operation)}.")
    spans.remove(_span(operation))
    return Hierarchy.from_spans(spans, length=marks.length, units=marks.units)


_NESTED: dict[str, Callable[[Any, dict[str, Any]], Marks]] = {"add": _add_segment, "delete": _delete_segment}
