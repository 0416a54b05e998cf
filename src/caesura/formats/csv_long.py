"""Boundaries in a long table: CSV with item, coder, position[, type, track, length], one row per boundary.

An annotation without boundaries is a row whose position is empty. Without a length column a typed text ends with the last boundary
anybody put (the closing one), an untyped one a unit after it; say ``length=`` where that is wrong. Seconds have a table of their
own, the format ``times``.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from caesura.files import Source
from caesura.formats.delimited import Row, header_of, read_table, whole, write_table
from caesura.formats.numbers import as_whole
from caesura.formats.signatures import parse_list
from caesura.model import Corpus
from caesura.model.columns import Columns

_ALIASES = {"annotator": "coder", "document": "item", "doc": "item", "speaker": "track"}
_LARGEST = 2**62  # beyond all texts, and still a whole number for NumPy


@dataclass
class _Marks:
    """The boundaries of one annotation."""

    positions: array[int] = field(default_factory=lambda: array("q"))
    types: list[str] = field(default_factory=list)


def sniff(head: str) -> bool:
    """Recognise the column position."""
    return "position" in header_of(head)


def read(source: Source, *, length: int | None = None, labels: Sequence[str] | str | None = None) -> Corpus:
    """Read as a stream; files of any size.

    Parameters
    ----------
    length
        Units of every text, where the table does not say.
    labels
        The types in their order on the ordinal scale (default: alphabetical).
    """
    table = _Table(source)
    for row in read_table(source, needs=("position",), aliases=_ALIASES):
        table.take(row)
    return table.corpus(length, None if labels is None else parse_list(labels))


def write(corpus: Corpus) -> str:
    """Write one row per boundary; lengths always, types and tracks where there are any."""
    typed = ["type"] if corpus.typed else []
    return write_table(["item", "coder", "track", "length", "position", *typed], _rows(corpus))


def _rows(corpus: Corpus) -> Iterator[list[object]]:
    for row in range(len(corpus)):
        item, track = corpus.items[corpus.item_of[row]], corpus.tracks[corpus.track_of[row]]
        base = [item, corpus.coders[corpus.coder_of[row]], track, corpus.lengths[row].item()]
        here = slice(corpus.offsets[row], corpus.offsets[row + 1])
        positions = corpus.positions[here].tolist()
        if not positions:
            yield [*base, "", *([""] if corpus.typed else [])]
        elif corpus.types is None:
            yield from ([*base, p] for p in positions)
        else:
            codes = corpus.types[here].tolist()
            names = codes if corpus.labels is None else [corpus.labels[code] for code in codes]
            yield from ([*base, p, name] for p, name in zip(positions, names, strict=True))


class _Table:
    """What the rows have said so far."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.marks: dict[tuple[str, str, str], _Marks] = {}
        self.lengths: dict[tuple[str, str], int] = {}
        self.typed: bool | None = None

    def take(self, row: Row) -> None:
        """Take one row in, and refuse what does not follow on."""
        key = row.whose
        marks = self.marks.get(key)
        if marks is None:
            marks = self.marks[key] = _Marks()
        length = self._length(row, (key[0], key[2]))
        if row["position"].strip():
            self._mark(row, marks, whole(row, "position"), length)

    def _mark(self, row: Row, marks: _Marks, position: int, length: int | None) -> None:
        name = row.get("type")
        if self.typed is None:
            self.typed = bool(name)
        if bool(name) != self.typed:
            raise row.fault(
                "this boundary has " + ("a type, those above have none." if name else "no type, those above do.")
            )
        last = marks.positions[-1] if marks.positions else None
        if last is not None and position < last:
            raise row.fault(f"position {position} follows {last}; the positions of an annotation must ascend.")
        if position == last and (not self.typed or name in _same(marks, position)):
            raise row.fault(f"position {position} is given twice{f' with type {name!r}' if name else ''}.")
        highest = _LARGEST if length is None else length if self.typed else length - 1
        if position > highest:
            raise row.fault(f"position {position} lies outside the text: expected 1 to {highest}.")
        marks.positions.append(position)
        if name:
            marks.types.append(name)

    def _length(self, row: Row, stream: tuple[str, str]) -> int | None:
        if not row.get("length").strip():
            return None
        length = whole(row, "length", least=0)
        if self.lengths.setdefault(stream, length) != length:
            raise row.fault(f"item {stream[0]!r} has length {length} here and {self.lengths[stream]} above.")
        return length

    def corpus(self, length: int | None, labels: Sequence[str] | None) -> Corpus:
        """Put it all together."""
        names = {name for marks in self.marks.values() for name in marks.types}
        numbered = labels is None and bool(names) and all(_is_integer(name) for name in names)
        scale = None if numbered or not self.typed else sorted(names) if labels is None else labels
        columns = Columns("units", typed=bool(self.typed), labels=scale)
        ends = self._ends()
        for (item, coder, track), marks in self.marks.items():
            end = self.lengths.get((item, track), ends[item, track] if length is None else length)
            columns.add(item, coder, track, end)
            columns.marks(marks.positions.tolist(), [int(n) for n in marks.types] if numbered else list(marks.types))
        return Corpus(**columns.fields())

    def _ends(self) -> dict[tuple[str, str], int]:
        ends: dict[tuple[str, str], int] = {}
        for (item, _, track), marks in self.marks.items():
            last = marks.positions[-1] if marks.positions else 0
            ends[item, track] = max(ends.get((item, track), 0), last)
        return ends if self.typed else {stream: end + 1 for stream, end in ends.items()}


def _same(marks: _Marks, position: int) -> list[str]:
    """Types that stand at the last position already."""
    standing = takewhile(
        lambda mark: mark[0] == position, zip(reversed(marks.positions), reversed(marks.types), strict=True)
    )
    return [name for _, name in standing]


def _is_integer(name: str) -> bool:
    number = as_whole(name)
    return number is not None and str(number) == name and abs(number) < _LARGEST
