"""Convert and validate the arguments of annotation constructors."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import InvalidSegmentation

_MAX_TYPE = 2**52  # differences of larger types are not exact as floats
_MAX_UNITS = 2**62  # so that the sum of two lengths fits into 64 bits


def as_list(values: Any, what: str) -> list[Any]:
    """Return the members of a list, a series or any other iterable."""
    if isinstance(values, (bytes, bytearray, Mapping)) or not isinstance(values, Iterable):
        raise InvalidSegmentation(f"{what} must be a list, not {abbreviate(repr(values))}.")
    return list(values)


def is_masked_array(values: Any) -> bool:
    """Tell whether a value is a masked array. Plain types are ruled out first: importing numpy.ma takes longer than comparing two texts."""
    return type(values) not in (list, tuple, np.ndarray) and isinstance(values, np.ma.MaskedArray)


def as_array(values: Any, what: str) -> NDArray[Any]:
    """Return a list of numbers as an array of any shape; masked values count as missing."""
    if is_masked_array(values):
        values = values.tolist()
    if not isinstance(values, (list, tuple, np.ndarray)):
        values = as_list(values, what)
    try:
        return np.asarray(values)
    except ValueError:  # lists of unequal lengths inside the list
        raise InvalidSegmentation(f"{what} must be a flat list of numbers, not {abbreviate(list(values))}.") from None


def validate_length(length: Any) -> int | float:
    """Return the number of units as an int, or seconds as a float."""
    if isinstance(length, (bool, np.bool_)):
        raise InvalidSegmentation(f"the length must be a number of units or seconds, not {length!r}.")
    if isinstance(length, (int, np.integer)):
        if length < 0:
            raise InvalidSegmentation(f"the length is {length}; expected 0 units or more.")
        if length > _MAX_UNITS:
            raise InvalidSegmentation(f"the length is {length}; expected at most {_MAX_UNITS} units.")
        return int(length)
    if isinstance(length, (float, np.floating)):
        if not np.isfinite(length) or length < 0:
            raise InvalidSegmentation(f"the length is {length} s; expected 0 s or more.")
        return float(length)
    raise InvalidSegmentation(f"the length must be a number of units or seconds, not {length!r}.")


def validate_positions(positions: Any, *, timed: bool) -> NDArray[Any]:
    """Return positions as a flat array of integers, or of seconds."""
    given = as_array(positions, "positions")
    if given.ndim != 1:
        raise InvalidSegmentation(f"positions must be a flat list, not an array of {given.ndim} dimensions.")
    if not given.size:
        return np.empty(0, np.float64 if timed else np.int64)
    if given.dtype.kind not in "iuf" or (isinstance(positions, list) and bool in map(type, positions)):
        raise InvalidSegmentation(f"positions must be numbers, not {abbreviate(given.tolist())}.")
    if given.dtype.kind == "f" and not np.isfinite(given).all():
        first = int(np.flatnonzero(~np.isfinite(given))[0])
        raise InvalidSegmentation(f"position number {first + 1} is {given[first]}; every position must be finite.")
    if timed:
        return given.astype(np.float64)
    if (np.abs(given) > _MAX_UNITS).any():
        raise InvalidSegmentation(f"position {given[np.abs(given) > _MAX_UNITS][0]:g} exceeds {_MAX_UNITS}.")
    whole = given.astype(np.int64)
    if given.dtype.kind == "f" and (whole != given).any():
        odd = given[whole != given][0]
        raise InvalidSegmentation(
            f"position {odd:g} is not a whole number; give length= as seconds (a float) for times."
        )
    return whole


def validate_types(types: Any, labels: Sequence[str] | None, boundaries: int) -> NDArray[np.int64]:
    """Return one integer code per boundary, each an index into the labels."""
    given = as_array(types, "types")
    if not given.size:
        given = np.empty(0, np.int64)
    if given.dtype.kind not in "iu" or given.ndim != 1:
        raise InvalidSegmentation("types must be integer codes; from_positions takes names.")
    if len(given) and (int(given.max()) > _MAX_TYPE or int(given.min()) < -_MAX_TYPE):
        raise InvalidSegmentation(f"a type must be an integer from -{_MAX_TYPE} to {_MAX_TYPE}, or a name.")
    if len(given) != boundaries:
        raise InvalidSegmentation(f"{len(given)} types were given for {boundaries} boundaries.")
    if labels is not None and len(given) and not (given.min() >= 0 and given.max() < len(labels)):
        raise InvalidSegmentation(f"a type code lies outside the {len(labels)} labels.")
    return given.astype(np.int64)


def sort_types(positions: NDArray[Any], types: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Sort the types that share a position; positions that do not ascend are left for check_marks to report."""
    if len(positions) > 1 and (np.diff(positions) < 0).any():
        return positions, types
    order = np.lexsort((types, positions))
    return positions[order], types[order]


def validate_start(start: float, *, timed: bool) -> float:
    """Return the start of a recording; texts have none."""
    if not isinstance(start, (int, float, np.number)) or not math.isfinite(start) or start < 0:
        raise InvalidSegmentation(f"the start is {start!r}; expected seconds, 0 or more.")
    if start and not timed:
        raise InvalidSegmentation(f"the start is {start:g}, but positions of a text count from its first unit.")
    return float(start)


def shift_times(times: Any, by: float) -> Any:
    """Add an offset to times, rounded to 0.1 ns: a decimal of up to ten digits survives a shift and the shift back."""
    return np.round(np.asarray(times) + by, 10)


def check_marks(length: int | float, positions: NDArray[Any], types: NDArray[np.int64] | None) -> None:
    """Raise an error if positions do not ascend, occur twice, or lie outside the text."""
    if not len(positions):
        return
    timed = isinstance(length, float)
    steps = np.diff(positions)
    if (steps < 0).any():
        first = int(np.flatnonzero(steps < 0)[0])
        raise InvalidSegmentation(f"positions must ascend, but {positions[first + 1]:g} follows {positions[first]:g}.")
    twice = steps == 0 if types is None else (steps == 0) & (np.diff(types) == 0)
    if twice.any() and not (timed and types is None):
        raise InvalidSegmentation(f"position {positions[int(np.flatnonzero(twice)[0])]:g} is given twice.")
    lowest, highest = (0.0, length) if timed else (1, length if types is not None else length - 1)
    bad = positions[(positions < lowest) | (positions > highest)]
    if len(bad):
        closing = " (only typed segmentations have a closing boundary)" if bad[0] == length and not timed else ""
        what = f"{length:g} s" if timed else f"{length} units"
        raise InvalidSegmentation(
            f"position {bad[0]:g} lies outside a text of {what}: expected {lowest:g} to {highest:g}{closing}."
        )


def _other_constructor(given: Sequence[Any], odd: Any) -> str:
    """Name the constructor that somebody may have meant who gave these as masses."""
    if isinstance(odd, bool):
        return "; use Segmentation.from_marks for a list of marks, 1 at each boundary"
    if any(isinstance(each, str) for each in given):
        if len(given) in (2, 3) and sum(isinstance(each, (int, float)) for each in given) == 2:
            return "; use Spans.from_rows for a list of (start, end, label), with time=True for seconds"
        tags = all(isinstance(each, str) and (each == "O" or each[:2] in _TAGS) for each in given)
        if tags:
            return "; use Spans.from_iob for a list of tags"
        if any(" " in each for each in given if isinstance(each, str)):
            return "; for segments of sentences give their number in each segment"
        return "; use Segmentation.from_labels for one label per unit, or give the number of units of each segment"
    if isinstance(odd, float) and np.isfinite(odd):
        return "; use Segmentation.from_times for boundaries in seconds"
    return ""


#: How tags of spans begin.
_TAGS = ("B-", "I-", "E-", "S-", "L-", "U-")


def positions_from_masses(masses: Iterable[int] | NDArray[Any]) -> tuple[int, NDArray[np.int64]]:
    """Convert masses to (length, positions)."""
    given = _whole_numbers(masses)
    if given is None:
        if isinstance(masses, Set):
            raise InvalidSegmentation(f"masses must be a list: a set such as {abbreviate(repr(masses))} has no order.")
        given = as_array(masses, "masses")
    if given.ndim != 1:
        rows = [tuple(row) for row in masses] if isinstance(masses, (list, tuple)) else []
        spans = rows and all(len(row) in (2, 3) and isinstance(row[0], (int, float)) for row in rows)
        hint = "; use Spans.from_rows for a list of (start, end, label), with time=True for seconds" if spans else ""
        raise InvalidSegmentation(
            f"masses must be a flat list of whole numbers, not {abbreviate(given.tolist())}{hint}."
        )
    if not given.size:
        return 0, np.empty(0, np.int64)
    if given.dtype.kind not in "iu":
        odd = [mass for mass in given.tolist() if not _whole(mass)]
        if odd:
            advice = _other_constructor(masses if isinstance(masses, (list, tuple)) else given.tolist(), odd[0])
            raise InvalidSegmentation(f"a mass must be a whole number of units, not {odd[0]!r}{advice}.")
        if max(given) > _MAX_UNITS:
            raise InvalidSegmentation(f"a mass is {max(given)}; expected at most {_MAX_UNITS} units.")
        given = given.astype(np.int64)
    if given.min() < 1:
        first = int(np.flatnonzero(given < 1)[0])
        advice = (
            "; use Segmentation.from_marks for a list of marks, 1 at each boundary"
            if set(given.tolist()) <= {0, 1}
            else "; use Spans.from_rows for starts and ends"
            if len(given) == 2 and not given[0]
            else ""
        )
        raise InvalidSegmentation(
            f"segment {first + 1} has mass {given[first]}; every segment has one unit or more{advice}."
        )
    ends = np.add.accumulate(given, dtype=np.int64)
    if ends.min() < 1:  # a sum that overflows is negative
        raise InvalidSegmentation("the masses add up to more than 2**63 - 1 units.")
    return int(ends[-1]), ends[:-1].copy()


def are_flags(lists: Iterable[Any]) -> bool:
    """Tell whether lists hold one 0 or 1 (or False or True) per potential boundary, and are not masses.

    Lists of 0 and 1 with at least one 0 or boolean among all of them are flags; lists of ones only could be masses, and are taken for masses.

    Examples
    --------
    >>> are_flags([[0, 1, 0], [1, 1]]), are_flags([[1, 1], [1]]), are_flags([[2, 3]]), are_flags([[True, True]])
    (True, False, False, True)
    """
    found = False
    for each in lists:
        if isinstance(each, str) or not isinstance(each, (list, tuple, np.ndarray)):
            continue
        values = each.ravel().tolist() if isinstance(each, np.ndarray) else each
        for value in values:
            if isinstance(value, (bool, np.bool_)) or (isinstance(value, (int, np.integer)) and value == 0):
                found = True
            elif not (isinstance(value, (int, np.integer)) and value == 1):
                return False
    return found


def _whole(mass: Any) -> bool:
    """Tell whether a value is a whole number, as an integer or a float; booleans are not."""
    if isinstance(mass, float):
        return mass.is_integer()
    return isinstance(mass, (int, np.integer)) and not isinstance(mass, bool)


def _whole_numbers(masses: Any) -> NDArray[np.int64] | None:
    """Convert a long list of integers faster than NumPy, which reads it twice; return None for anything else."""
    if not isinstance(masses, list) or len(masses) < 64 or type(masses[0]) is not int:
        return None
    try:
        return np.frombuffer(array("q", masses), np.int64)
    except (TypeError, OverflowError):
        return None


def split_typed_positions(
    listed: Sequence[Any], labels: Sequence[str] | None
) -> tuple[list[Any], list[int], Sequence[str] | None]:
    """Split (position, type) pairs into positions, codes and labels; integer types are their own codes."""
    for mark in listed:
        if not isinstance(mark, (tuple, list)) or len(mark) != 2:
            raise InvalidSegmentation(f"a typed boundary must be (position, type), not {abbreviate(mark)}.")
    kinds = [kind for _, kind in listed]
    if labels is None and kinds and all(isinstance(k, (int, np.integer)) and not isinstance(k, bool) for k in kinds):
        return [p for p, _ in listed], [int(k) for k in kinds], None
    if not all(isinstance(k, str) for k in kinds):
        odd = next(k for k in kinds if not isinstance(k, str))
        raise InvalidSegmentation(f"types must be all names or all integers; found {odd!r} among names.")
    names = sorted(set(kinds)) if labels is None else list(labels)
    pairs = encode_types(listed, names)
    return [p for p, _ in pairs], [c for _, c in pairs], names


def encode_types(marks: Sequence[Any], labels: Sequence[str]) -> list[tuple[Any, int]]:
    """Replace every type name by its index in the labels."""
    code = {name: i for i, name in enumerate(labels)}
    if len(code) != len(labels):
        raise InvalidSegmentation(f"the labels {abbreviate(list(labels))} hold a name twice.")
    for position, kind in marks:
        if kind not in code:
            raise InvalidSegmentation(
                f"type {kind!r} at position {position} is not among the labels {abbreviate(list(labels))}."
            )
    return [(position, code[kind]) for position, kind in marks]


def abbreviate(value: object, limit: int = 60) -> str:
    """Format a value for a message, shortened if it is long."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
