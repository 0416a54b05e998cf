"""What stands in an operation: numbers and lists of marks, checked with a sentence where they are something else."""

from __future__ import annotations

from typing import Any

from caesura.errors import CaesuraError


def number_at(operation: dict[str, Any], key: str = "position") -> float:
    """A number of an operation."""
    value = operation.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise CaesuraError(f"the operation {operation.get('kind')!r} needs a number as {key!r}.")
    return value


def whole_at(operation: dict[str, Any], key: str) -> int:
    """A whole number of an operation."""
    value = number_at(operation, key)
    if value != int(value):
        raise CaesuraError(f"{key!r} is a whole number, not {value:g}.")
    return int(value)


def marks_listed(operation: dict[str, Any], key: str) -> list[list[Any]]:
    """A list of marks of an operation, each a list; none where the operation names none."""
    listed = operation.get(key, [])
    if not isinstance(listed, list) or not all(isinstance(mark, list) and mark for mark in listed):
        raise CaesuraError(
            f"the operation {operation.get('kind')!r} needs a list of marks as {key!r}, each of them a list."
        )
    return listed
