"""The checks behind constructors of annotations: what people give, turned into arrays or refused in a sentence."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import InvalidSegmentation

_FARTHEST_TYPE = 2**52  # beyond it the distance of two types is no longer exact
_MOST_UNITS = 2**62  # what sums of two lengths still hold in 64 bits


def members(values: Any, what: str) -> list[Any]:
    """Return the members of a list, a series or whatever else yields them one after the other."""
    if isinstance(values, (bytes, bytearray, Mapping)) or not isinstance(values, Iterable):
        raise InvalidSegmentation(f"{what} must be a list, not {short(repr(values))}.")
    return list(values)


def hides_members(values: Any) -> bool:
    """Whether this is a masked array. Plain ones are told by their type: to load what knows masks takes longer than to compare two texts."""
    return type(values) not in (list, tuple, np.ndarray) and isinstance(values, np.ma.MaskedArray)


def numbers(values: Any, what: str) -> NDArray[Any]:
    """Return a list of numbers as an array, of whatever shape; hidden members of a masked array count as missing."""
    if hides_members(values):
        values = values.tolist()
    if not isinstance(values, (list, tuple, np.ndarray)):
        values = members(values, what)
    try:
        return np.asarray(values)
    except ValueError:  # lists of unequal lengths inside the list
        raise InvalidSegmentation(f"{what} must be a flat list of numbers, not {short(list(values))}.") from None


def checked_length(length: Any) -> int | float:
    """A number of units as an int, or seconds as a float."""
    if isinstance(length, (bool, np.bool_)):
        raise InvalidSegmentation(f"the length must be a number of units or seconds, not {length!r}.")
    if isinstance(length, (int, np.integer)):
        if length < 0:
            raise InvalidSegmentation(f"the length is {length}; a text has 0 units or more.")
        if length > _MOST_UNITS:
            raise InvalidSegmentation(f"the length is {length}, more units than any text has.")
        return int(length)
    if isinstance(length, (float, np.floating)):
        if not np.isfinite(length) or length < 0:
            raise InvalidSegmentation(f"the length is {length} s; a recording lasts 0 s or more.")
        return float(length)
    raise InvalidSegmentation(f"the length must be a number of units or seconds, not {length!r}.")


def checked_positions(positions: Any, *, timed: bool) -> NDArray[Any]:
    """Positions as one flat array of whole numbers, or of seconds."""
    given = numbers(positions, "positions")
    if given.ndim != 1:
        raise InvalidSegmentation(f"positions must be a flat list, not an array of {given.ndim} dimensions.")
    if not given.size:
        return np.empty(0, np.float64 if timed else np.int64)
    if given.dtype.kind not in "iuf" or (isinstance(positions, list) and bool in map(type, positions)):
        raise InvalidSegmentation(f"positions must be numbers, not {short(given.tolist())}.")
    if given.dtype.kind == "f" and not np.isfinite(given).all():
        place = int(np.flatnonzero(~np.isfinite(given))[0])
        raise InvalidSegmentation(f"position number {place + 1} is {given[place]}; every position must be finite.")
    if timed:
        return given.astype(np.float64)
    if (np.abs(given) > _MOST_UNITS).any():
        raise InvalidSegmentation(
            f"position {given[np.abs(given) > _MOST_UNITS][0]:g} lies behind the end of any text."
        )
    whole = given.astype(np.int64)
    if given.dtype.kind == "f" and (whole != given).any():
        odd = given[whole != given][0]
        raise InvalidSegmentation(
            f"position {odd:g} is not a whole number; give length= as seconds (a float) for times."
        )
    return whole


def checked_types(types: Any, labels: Sequence[str] | None, boundaries: int) -> NDArray[np.int64]:
    """One integer code per boundary, each inside the labels."""
    given = numbers(types, "types")
    if not given.size:
        given = np.empty(0, np.int64)
    if given.dtype.kind not in "iu" or given.ndim != 1:
        raise InvalidSegmentation("types must be integer codes; from_positions takes names.")
    if len(given) and (int(given.max()) > _FARTHEST_TYPE or int(given.min()) < -_FARTHEST_TYPE):
        raise InvalidSegmentation(f"a type is an integer from -{_FARTHEST_TYPE} to {_FARTHEST_TYPE}, or a name.")
    if len(given) != boundaries:
        raise InvalidSegmentation(f"{len(given)} types were given for {boundaries} boundaries.")
    if labels is not None and len(given) and not (given.min() >= 0 and given.max() < len(labels)):
        raise InvalidSegmentation(f"a type code lies outside the {len(labels)} labels.")
    return given.astype(np.int64)


def in_order(positions: NDArray[Any], types: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Sort the types that share a position; the positions themselves must ascend already."""
    if len(positions) > 1 and (np.diff(positions) < 0).any():
        return positions, types
    order = np.lexsort((types, positions))
    return positions[order], types[order]


def check_marks(length: int | float, positions: NDArray[Any], types: NDArray[np.int64] | None) -> None:
    """Refuse positions that do not ascend, stand twice, or lie outside the text."""
    if not len(positions):
        return
    timed = isinstance(length, float)
    steps = np.diff(positions)
    if (steps < 0).any():
        place = int(np.flatnonzero(steps < 0)[0])
        raise InvalidSegmentation(f"positions must ascend, but {positions[place + 1]:g} follows {positions[place]:g}.")
    twice = steps == 0 if types is None else (steps == 0) & (np.diff(types) == 0)
    if twice.any() and not (timed and types is None):
        raise InvalidSegmentation(f"position {positions[int(np.flatnonzero(twice)[0])]:g} is given twice.")
    lowest, highest = (0.0, length) if timed else (1, length if types is not None else length - 1)
    bad = positions[(positions < lowest) | (positions > highest)]
    if len(bad):
        closing = " (only typed segmentations carry the closing boundary)" if bad[0] == length and not timed else ""
        what = f"{length:g} s" if timed else f"{length} units"
        raise InvalidSegmentation(
            f"position {bad[0]:g} lies outside a text of {what}: expected {lowest:g} to {highest:g}{closing}."
        )


def cumulate(masses: Iterable[int] | NDArray[Any]) -> tuple[int, NDArray[np.int64]]:
    """Turn masses into (length, positions), refusing what is not a list of whole numbers above zero."""
    given = _whole_numbers(masses)
    if given is None:
        if isinstance(masses, Set):
            raise InvalidSegmentation(f"masses must be a list: a set such as {short(repr(masses))} has no order.")
        given = numbers(masses, "masses")
    if given.ndim != 1:
        raise InvalidSegmentation(f"masses must be a flat list of whole numbers, not {short(given.tolist())}.")
    if not given.size:
        return 0, np.empty(0, np.int64)
    if given.dtype.kind not in "iu":
        odd = [mass for mass in given.tolist() if not _whole(mass)]
        if odd:
            raise InvalidSegmentation(f"a mass must be a whole number of units, not {odd[0]!r}.")
        if max(given) > _MOST_UNITS:
            raise InvalidSegmentation(f"a mass of {max(given)} is more units than any text has.")
        given = given.astype(np.int64)
    if given.min() < 1:
        place = int(np.flatnonzero(given < 1)[0])
        marks = "; a list of marks, 1 where a boundary is, goes through Segmentation.from_marks"
        raise InvalidSegmentation(
            f"segment {place + 1} has mass {given[place]}; every segment holds one unit or more"
            f"{marks if set(given.tolist()) <= {0, 1} else ''}."
        )
    ends = np.add.accumulate(given, dtype=np.int64)
    if ends.min() < 1:  # the first sum that is too large for an integer comes out negative
        raise InvalidSegmentation("the masses add up to more units than any text has.")
    return int(ends[-1]), ends[:-1].copy()


def _whole(mass: Any) -> bool:
    """Whether this is a whole number, or a float that means one; true and false are none."""
    if isinstance(mass, float):
        return mass.is_integer()
    return isinstance(mass, (int, np.integer)) and not isinstance(mass, bool)


def _whole_numbers(masses: Any) -> NDArray[np.int64] | None:
    """Take a long list of integers at once, which NumPy would look through twice; None where it is anything else."""
    if not isinstance(masses, list) or len(masses) < 64 or type(masses[0]) is not int:
        return None
    try:
        return np.frombuffer(array("q", masses), np.int64)
    except (TypeError, OverflowError):
        return None


def split_marks(
    listed: Sequence[Any], labels: Sequence[str] | None
) -> tuple[list[Any], list[int], Sequence[str] | None]:
    """Part (position, type) pairs into positions, codes and labels; integers code themselves."""
    for mark in listed:
        if not isinstance(mark, (tuple, list)) or len(mark) != 2:
            raise InvalidSegmentation(f"a typed boundary is (position, type), not {short(mark)}.")
    kinds = [kind for _, kind in listed]
    if labels is None and kinds and all(isinstance(k, (int, np.integer)) and not isinstance(k, bool) for k in kinds):
        return [p for p, _ in listed], [int(k) for k in kinds], None
    if not all(isinstance(k, str) for k in kinds):
        odd = next(k for k in kinds if not isinstance(k, str))
        raise InvalidSegmentation(f"types are all names or all integers; found {odd!r} among names.")
    names = sorted(set(kinds)) if labels is None else list(labels)
    pairs = code_types(listed, names)
    return [p for p, _ in pairs], [c for _, c in pairs], names


def code_types(marks: Sequence[Any], labels: Sequence[str]) -> list[tuple[Any, int]]:
    """Give every named type its place among the labels."""
    code = {name: i for i, name in enumerate(labels)}
    if len(code) != len(labels):
        raise InvalidSegmentation(f"the labels {short(list(labels))} hold a name twice.")
    for position, kind in marks:
        if kind not in code:
            raise InvalidSegmentation(
                f"type {kind!r} at position {position} is not among the labels {short(list(labels))}."
            )
    return [(position, code[kind]) for position, kind in marks]


def short(value: object, limit: int = 60) -> str:
    """Spell a value for a message, cut where it is long."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
