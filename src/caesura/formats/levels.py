"""Nested segments as level columns: one row per unit, 1 in column levelK where a segment of level K ends.

How ends become segments is told by :meth:`caesura.Hierarchy.from_levels`. Columns ``item``, ``coder``, ``track`` and ``text`` are
understood; any other column before the levels counts the units.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal

from caesura.errors import InvalidSegmentation
from caesura.files import Source
from caesura.formats.delimited import Row, header_of, read_table, write_table
from caesura.formats.numbers import as_whole
from caesura.model import Annotation, Corpus, Hierarchy

_LEVEL = re.compile(r"level[ _-]?(\d+)")
_NAMED = ("item", "track", "coder", "text")


@dataclass
class _Text:
    """One coder's rows: where levels end, and the words."""

    marks: list[list[int]] = field(default_factory=list)
    units: list[str] = field(default_factory=list)


def sniff(head: str) -> bool:
    """Recognise a column called level1."""
    return any(_LEVEL.fullmatch(name) for name in header_of(head))


def read(
    source: Source, *, outermost: Literal["first", "last"] = "first", unclosed: Literal["refuse", "close"] = "refuse"
) -> Corpus:
    """Read one annotation, or several told apart by their columns.

    Parameters
    ----------
    outermost
        Which of the level columns holds the outermost level.
    unclosed
        What happens to a finer segment that goes on where a coarser one ends: the file is refused, or the coarser end closes it.
    """
    texts: dict[tuple[str, str, str], _Text] = {}
    for row in read_table(source):
        columns = _level_columns(row)
        text = texts.setdefault(row.whose, _Text())
        _check_count(row, len(text.marks) + 1)
        text.marks.append([_mark(row, column) for column in columns])
        if unclosed == "close":
            text.marks[-1] = _close(text.marks[-1], outermost)
        if "text" in row.columns:
            text.units.append(row["text"])
    return Corpus.from_annotations(
        Annotation(item, coder, _hierarchy(source, (item, coder), text, outermost), track)
        for (item, coder, track), text in texts.items()
    )


def write(corpus: Corpus) -> str:
    """Write one row per unit, with as many level columns as the corpus is deep."""
    annotations = [(a, a.marks) for a in corpus if isinstance(a.marks, Hierarchy)]
    depth = max((marks.depth for _, marks in annotations), default=0) or 1
    text = ["text"] if corpus.texts else []
    rows: list[list[object]] = []
    for a, marks in annotations:
        for unit, flags in enumerate(zip(*marks.level_columns(depth), strict=True), 1):
            shown = [marks.units[unit - 1] if marks.units else ""] if text else []
            rows.append([a.item, a.coder, a.track, unit, *shown, *flags])
    return write_table(["item", "coder", "track", "unit", *text, *(f"level{k}" for k in range(1, depth + 1))], rows)


def _level_columns(row: Row) -> list[str]:
    levels = [(int(match[1][:18]), name) for name in row.columns if (match := _LEVEL.fullmatch(name))]
    if not levels:
        raise row.source.fault(1, f"there is no column level1; found {', '.join(row.columns)}.")
    return [name for _, name in sorted(levels)]


def _check_count(row: Row, expected: int) -> None:
    """A column that counts the units must count them all."""
    counting = next((n for n in row.columns if n not in _NAMED and not _LEVEL.fullmatch(n)), None)
    count = None if counting is None else as_whole(row[counting])
    if counting is not None and row[counting].strip().isdigit() and count != expected:
        raise row.fault(f"{counting} is {row[counting][:40]}, expected {expected}: units count from 1 without gaps.")


def _mark(row: Row, column: str) -> int:
    cell = row[column].strip()
    if cell not in ("", "0", "1"):
        raise row.fault(f"{column} is {cell!r}, expected 1 where a segment ends, else 0.")
    return int(cell == "1")


def _close(marks: list[int], outermost: Literal["first", "last"]) -> list[int]:
    """Let the end of a level be the end of all finer ones.

    >>> _close([0, 1, 0], "first"), _close([0, 1, 0], "last")
    ([0, 1, 1], [1, 1, 0])
    """
    inwards = marks if outermost == "first" else marks[::-1]
    closed = list(accumulate(inwards, max))
    return closed if outermost == "first" else closed[::-1]


def _hierarchy(source: Source, who: tuple[str, str], text: _Text, outermost: Literal["first", "last"]) -> Hierarchy:
    columns = list(map(list, zip(*text.marks, strict=True)))
    try:
        return Hierarchy.from_levels(columns, outermost=outermost, units=text.units if any(text.units) else None)
    except InvalidSegmentation as fault:
        item, coder = who  # said where the table says them; else the file's name does
        named = [f"item {item!r}, "] * (item != source.stem) + [f"coder {coder!r}: "] * bool(coder)
        way_out = " Read it with unclosed=close (-O unclosed=close) to let the coarser end close the finer segments."
        raise source.fault(
            None, f"{''.join(named)}{fault}{way_out if 'around it ends' in str(fault) else ''}"
        ) from None
