"""Tables in text: CSV with commas, semicolons or tabs, its columns found by name and its rows by line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from caesura.errors import FormatError
from caesura.files import Source
from caesura.formats.numbers import as_whole
from caesura.words import shorten

_DELIMITERS = ",;\t"
csv.field_size_limit(2**24)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table."""

    source: Source
    line: int
    columns: dict[str, int]
    cells: list[str]

    def __getitem__(self, name: str) -> str:
        return self.cells[self.columns[name]]

    def get(self, name: str, default: str = "") -> str:
        """Return a cell, or the default where there is no such column."""
        return self.cells[self.columns[name]] if name in self.columns else default

    @property
    def whose(self) -> tuple[str, str, str]:
        """Item, coder and track; the file's name where the table names no item."""
        return self.get("item", self.source.stem), self.get("coder"), self.get("track")

    def fault(self, why: str) -> FormatError:
        """Build a complaint about this line."""
        return self.source.fault(self.line, why)


def header_of(head: str) -> list[str]:
    """Return the columns' names, in lower case, of what may be the beginning of a table."""
    line = next((line for line in head.split("\n") if line.strip()), "")
    return [name.strip().lower() for name in next(csv.reader([line], delimiter=_delimiter(line)), [])]


def read_table(
    source: Source,
    *,
    needs: Sequence[str] = (),
    aliases: dict[str, str] | None = None,
    header: Sequence[str] | None = None,
) -> Iterator[Row]:
    """Give every row; blank lines are passed over, rows of another width and tables without any refused.

    ``header`` names the columns of a table that does not.
    """
    with source.stream() as text:
        yield from _rows(source, text, needs, aliases or {}, header)


def _rows(
    source: Source, text: Iterable[str], needs: Sequence[str], aliases: dict[str, str], header: Sequence[str] | None
) -> Iterator[Row]:
    lines = iter(_without_nul(source, text))
    first = next(lines, "")
    reader = csv.reader(chain([first], lines), delimiter=_delimiter(first))
    columns = None if header is None else {name: i for i, name in enumerate(header)}
    empty = True
    try:
        for cells in reader:
            if not any(cells):
                continue
            if columns is None:
                columns = _columns(source, cells, needs, aliases)
            elif len(cells) != len(columns):
                raise source.fault(reader.line_num, f"this line has {len(cells)} cells, the header {len(columns)}.")
            else:
                empty = False
                yield Row(source, reader.line_num, columns, cells)
    except csv.Error as fault:
        raise source.fault(reader.line_num, f"this is not CSV: {fault}.") from None
    if empty:
        raise source.fault(None, "the table is empty." if columns is None else "the table has no row.")


def write_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write CSV with commas; what holds a comma, a quote or a line end is quoted."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue()


def whole(row: Row, name: str, least: int = 1) -> int:
    """Read a cell as a whole number."""
    number = as_whole(row[name])
    if number is None:
        raise row.fault(f"{name} is {shorten(row[name])!r}, expected a whole number of at most 18 plain digits.")
    if number < least:
        raise row.fault(f"{name} is {number}, expected {least} or more.")
    return number


def _columns(source: Source, cells: list[str], needs: Sequence[str], aliases: dict[str, str]) -> dict[str, int]:
    names = [aliases.get(name, name) for name in (cell.strip().lower() for cell in cells)]
    if len(set(names)) != len(names):
        again = next(name for i, name in enumerate(names) if name in names[:i])
        raise source.fault(1, f"two columns are called {again!r}.")
    if missing := [name for name in needs if name not in names]:
        raise source.fault(1, f"there is no column {missing[0]!r}; found {', '.join(names)}.")
    return {name: i for i, name in enumerate(names)}


def _delimiter(line: str) -> str:
    return max(_DELIMITERS, key=line.count)


def _without_nul(source: Source, lines: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if "\x00" in line:
            raise source.fault(number, "this is a binary file, expected text.")
        yield line
