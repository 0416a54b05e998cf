"""Notations of nested segments (brackets, level columns, nested JSON), parsed into (first, last, level).

These functions only parse. :class:`~caesura.model.hierarchy.Hierarchy` checks that segments are inside the text, do not cross, and
have levels that follow the nesting.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from caesura.errors import InvalidSegmentation

#: First unit, last unit, level.
Triple: TypeAlias = tuple[int, int, int]


def validate_whole(value: Any, what: str) -> int:
    """Return a whole number, or raise an error that names it."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise InvalidSegmentation(f"{what} must be a whole number, not {value!r}.")
    return int(value)


def levels_from_nesting(spans: Sequence[tuple[int, int]]) -> list[Triple]:
    """Add the nesting depth of each span as its level; crossing spans are found later, by the constructor."""
    if len(set(spans)) != len(spans):
        first, last = next(span for i, span in enumerate(spans) if span in spans[:i])
        raise InvalidSegmentation(f"segment ({first}, {last}) is given twice.")
    triples: list[Triple] = []
    open_ends: list[int] = []
    for first, last in sorted(spans, key=lambda span: (span[0], -span[1])):
        while open_ends and open_ends[-1] < first:
            open_ends.pop()
        open_ends.append(last)
        triples.append((first, last, len(open_ends)))
    return triples


# ---------------------------------------------------------------------- brackets


def parse_brackets(text: str, pair: str = "[]") -> tuple[list[Triple], list[str]]:
    """Parse ``[ [ a b ] c ]``: words are units, a pair of brackets is a segment."""
    if not isinstance(text, str):
        raise InvalidSegmentation(f"bracketed text must be a string, not {text!r}.")
    if len(pair) != 2 or pair[0] == pair[1] or pair.isspace():
        raise InvalidSegmentation(f"brackets must be two different characters, such as '[]', not {pair!r}.")
    opening, closing = pair[0], pair[1]
    units: list[str] = []
    starts: list[int] = []
    triples: list[Triple] = []
    for token in re.findall(f"[{re.escape(pair)}]|[^{re.escape(pair)}\\s]+", text):
        if token == opening:
            starts.append(len(units) + 1)
        elif token == closing:
            if not starts:
                raise InvalidSegmentation(f"a {closing!r} after unit {len(units)} closes nothing.")
            if starts[-1] > len(units):
                raise InvalidSegmentation(f"the brackets after unit {len(units)} hold no unit.")
            triples.append((starts.pop(), len(units), len(starts) + 1))
        else:
            units.append(token)
    if starts:
        raise InvalidSegmentation(f"the {opening!r} before unit {starts[-1]} is never closed.")
    return triples, units


def format_brackets(length: int, spans: Sequence[Triple], words: Sequence[str], pair: str = "[]") -> str:
    """Write words with a bracket wherever a segment begins or ends; the inverse of :func:`parse_brackets`."""
    opening, closing = [0] * (length + 2), [0] * (length + 2)
    for first, last, _ in spans:
        opening[first] += 1
        closing[last] += 1
    for number, word in enumerate(words, 1):
        if not word or re.search(f"[{re.escape(pair)}\\s]", word):
            raise InvalidSegmentation(
                f"unit {number} is {word!r}; in brackets, a unit must be one word without {pair[0]!r}, {pair[1]!r} or a space."
            )
    return " ".join(
        pair[0] * opening[number] + word + pair[1] * closing[number] for number, word in enumerate(words, 1)
    )


# ---------------------------------------------------------------------- level columns


def parse_levels(columns: Sequence[Sequence[Any]], outermost: Literal["first", "last"] = "first") -> list[Triple]:
    """Parse columns of 0 and 1, one per level, 1 where a segment of the level ends; see :meth:`Hierarchy.from_levels`."""
    if outermost not in ("first", "last"):
        raise InvalidSegmentation(f"outermost is {outermost!r}; expected 'first' or 'last' of the columns.")
    if not all(isinstance(column, Sequence) for column in columns):
        raise InvalidSegmentation("level columns must be lists of 0 and 1, one list per level.")
    ends = [_ends(column, number) for number, column in enumerate(columns, 1)]
    sizes = {len(column) for column in columns}
    if len(sizes) > 1:
        raise InvalidSegmentation(f"the level columns differ in length: {', '.join(map(str, sorted(sizes)))} units.")
    length = sizes.pop() if sizes else 0
    triples: list[Triple] = []
    if length:
        _divide(1, length, 1, ends if outermost == "first" else ends[::-1], length, triples)
    return triples


def _ends(column: Sequence[Any], number: int) -> list[int]:
    ends = []
    for unit, mark in enumerate(column, 1):
        if mark not in (0, 1):
            raise InvalidSegmentation(
                f"level column {number} has {mark!r} at unit {unit}; expected 1 where a segment ends, else 0."
            )
        if mark:
            ends.append(unit)
    return ends


def _divide(first: int, last: int, level: int, ends: list[list[int]], length: int, triples: list[Triple]) -> None:
    """Divide the units of one segment by the ends of the next level, recursively."""
    if level > len(ends):
        return
    inside = _ends_between(ends[level - 1], first, last)
    closed = last == length or bool(_ends_between(ends[level - 1], last, last + 1))
    deeper = next(
        ((k, e[0]) for k, c in enumerate(ends[level:], level + 1) if (e := _ends_between(c, first, last))), None
    )
    if inside and not closed:
        raise InvalidSegmentation(
            f"level {level} ends after unit {inside[-1]} but not after unit {last}, where level {level - 1} around it ends."
        )
    if not inside and not closed and deeper is not None:
        raise InvalidSegmentation(
            f"level {deeper[0]} ends after unit {deeper[1]}, but no segment of level {level} is around it."
        )
    if not inside and deeper is None and not (level == 1 and ends[0]):
        return
    for end in [*inside, last]:
        triples.append((first, end, level))
        _divide(first, end, level + 1, ends, length, triples)
        first = end + 1


def _ends_between(ends: list[int], low: int, high: int) -> list[int]:
    """Return the ends in ``low … high-1``."""
    return ends[bisect_left(ends, low) : bisect_left(ends, high)]


# ---------------------------------------------------------------------- nested JSON


def parse_nested(data: Any) -> tuple[int, list[Triple], list[str] | None]:
    """Parse nested lists (the outermost list is the text, every list inside a segment) or a tree of objects."""
    if isinstance(data, Mapping):
        return _parse_tree(data)
    if not isinstance(data, (list, tuple)):
        raise InvalidSegmentation(
            f"nested segments must be a list of units and lists, or an object with 'segments', not {data!r}."
        )
    units: list[str] = []
    triples: list[Triple] = []
    kinds: set[type] = set()
    try:
        length = _parse_list(data, 0, 0, units, triples, kinds)
    except RecursionError:
        raise InvalidSegmentation("the lists are nested too deeply.") from None
    if len(kinds) > 1:
        raise InvalidSegmentation("units must be all words or all numbers of units; found both.")
    return length, triples, units if kinds == {str} else None


def _parse_list(
    data: Sequence[Any], level: int, before: int, units: list[str], triples: list[Triple], kinds: set[type]
) -> int:
    """Parse a list whose first unit is ``before + 1``; return its last unit."""
    at = before
    for part in data:
        if isinstance(part, (list, tuple)):
            first = at + 1
            at = _parse_list(part, level + 1, at, units, triples, kinds)
            if at < first:
                raise InvalidSegmentation(f"the list after unit {at} has no unit.")
            triples.append((first, at, level + 1))
        elif isinstance(part, str):
            kinds.add(str)
            units.append(part)
            at += 1
        else:
            kinds.add(int)
            size = validate_whole(part, f"the number of units after unit {at}")
            if size < 1:
                raise InvalidSegmentation(f"a run of {size} units follows unit {at}; expected 1 or more.")
            at += size
    return at


def _parse_tree(data: Mapping[str, Any]) -> tuple[int, list[Triple], list[str] | None]:
    units = data.get("units")
    if units is not None and not (isinstance(units, (list, tuple)) and all(isinstance(u, str) for u in units)):
        raise InvalidSegmentation("'units' must be a list of words.")
    if units is None and "length" not in data:
        raise InvalidSegmentation("a tree of segments needs 'length' (the number of units) or 'units' (the words).")
    length = validate_whole(data.get("length", len(units or ())), "'length'")
    triples: list[Triple] = []
    _parse_nodes(data.get("segments", ()), None, triples)
    return length, triples, None if units is None else list(units)


def _parse_nodes(nodes: Any, outer: Triple | None, triples: list[Triple]) -> None:
    if not isinstance(nodes, (list, tuple)):
        raise InvalidSegmentation(f"'segments' must be a list of objects, not {nodes!r}.")
    for node in nodes:
        if not isinstance(node, Mapping) or not {"first", "last"} <= node.keys():
            raise InvalidSegmentation(f"a segment must be an object with 'first' and 'last', not {node!r}.")
        first, last = validate_whole(node["first"], "'first'"), validate_whole(node["last"], "'last'")
        level = validate_whole(node.get("level", 1 if outer is None else outer[2] + 1), "'level'")
        if outer is not None and not (outer[0] <= first and last <= outer[1]):
            raise InvalidSegmentation(
                f"segment ({first}, {last}) is written inside ({outer[0]}, {outer[1]}) but is not inside it."
            )
        triples.append((first, last, level))
        _parse_nodes(node.get("segments", ()), triples[-1], triples)
