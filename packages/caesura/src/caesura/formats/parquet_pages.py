"""The pages of Parquet files: their checksums, and columns of lists of whole numbers, which are read here without building lists.

Spark and others write a checksum before every page, which polars does not verify; a flipped bit would be a wrong number.

Polars and pyarrow spend most of the time of reading annotations on building lists. A corpus has all positions in one array, and this is
how a page stores them: after its levels, which say where lists start. :func:`open_lists` refuses all that polars does not write by
default, and all that is missing or damaged: polars then reads it, or reports the error.
"""

from __future__ import annotations

import mmap
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.kernels import load

Bytes: TypeAlias = bytes | mmap.mmap

# numbers of the fields in parquet.thrift of parquet-format
_SCHEMA, _ROW_GROUPS, _COLUMNS, _GROUP_ROWS, _COLUMN_META_DATA = 2, 4, 1, 3, 3
_PATH, _CODEC, _CHUNK_VALUES, _CHUNK_SIZE, _FIRST_DATA_PAGE, _DICTIONARY_PAGE = 3, 4, 5, 7, 9, 11
_PAGE_TYPE, _UNPACKED_SIZE, _PAGE_SIZE, _PAGE_SUM, _DATA_PAGE = 1, 2, 3, 4, 5
_PAGE_VALUES, _PAGE_ENCODINGS = 1, (2, 3, 4)
_TYPE, _REPETITION, _NAME, _CHILDREN, _CONVERTED_TYPE, _LOGICAL_TYPE = 1, 3, 4, 5, 6, 10
_REQUIRED, _OPTIONAL, _REPEATED = 0, 1, 2
_PLAIN_AND_RUNS = [0, 3, 3]  # values one after another; levels in runs
_UNCOMPRESSED, _ZSTD = 0, 6
_INTEGERS: dict[int, np.dtype[Any]] = {1: np.dtype("<i4"), 2: np.dtype("<i8")}

#: What a damaged or unexpected structure may raise.
_MALFORMED = (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError)
_MIN_VALUES = 4_000_000  # below so many values in a file, loading or compiling the kernel may cost more than it gains


# ---------------------------------------------------------------------- checksums


class _Page(NamedTuple):
    start: int
    stop: int
    sum: int | None


def damaged_page(content: Bytes) -> int | None:
    """Return the start of the first page with a wrong or missing checksum; None if all are right, or no page has a checksum."""
    if not _has_sums(content):
        return None
    pages: list[_Page] = []
    end = None
    try:
        pages.extend(_pages(content))
    except _MALFORMED:
        end = pages[-1].stop if pages else None  # the structure is damaged from here on
    if all(page.sum is None for page in pages):
        return None  # polars reports other damage
    for page in pages:
        if page.sum is None or zlib.crc32(content[page.start : page.stop]) != page.sum % 2**32:
            return page.start
    return end


def _has_sums(content: Bytes) -> bool:
    """Whether the first page of any column in any row group has a checksum; writers give one to all pages or to none."""
    try:
        return any(page.sum is not None for page in _pages(content, first=True))
    except _MALFORMED:
        return True


def _pages(content: Bytes, first: bool = False) -> Iterator[_Page]:
    """Find the pages of all columns in all row groups, or the first of each."""
    about, footer = _footer(content)
    for group in about[_ROW_GROUPS]:
        for column in group[_COLUMNS]:
            at, end = _chunk_range(column[_COLUMN_META_DATA], footer)
            while at < end:
                header, start, at = _page_header(content, at)
                if not isinstance(summed := header.get(_PAGE_SUM), int | None):
                    raise ValueError
                yield _Page(start, at, summed)
                if first:
                    break


def _footer(content: Bytes) -> tuple[dict[int, Any], int]:
    """Return the metadata of a file, and where they begin."""
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    return _read_structure(content, start)[0], start


def _chunk_range(chunk: dict[int, Any], footer: int) -> tuple[int, int]:
    """Return where the pages of a column chunk begin and end."""
    at = min(chunk[_FIRST_DATA_PAGE], chunk.get(_DICTIONARY_PAGE) or chunk[_FIRST_DATA_PAGE])
    end = at + chunk[_CHUNK_SIZE]
    if not 0 <= at <= end <= footer:
        raise ValueError
    return at, end


def _page_header(content: Bytes, at: int) -> tuple[dict[int, Any], int, int]:
    """Return the header of a page, and where its content begins and ends."""
    header, start = _read_structure(content, at)
    if header[_PAGE_SIZE] < 0:
        raise ValueError
    return header, start, start + header[_PAGE_SIZE]


# Structures in Thrift's compact protocol. Every function returns what it read and where that ends.


def _read_structure(content: Bytes, at: int) -> tuple[dict[int, Any], int]:
    """Read a structure as {number of field: value}."""
    fields: dict[int, Any] = {}
    number = 0
    while head := content[at]:
        at += 1
        if head >> 4:
            number += head >> 4
        else:
            number, at = _read_signed(content, at)
        kind = head & 15
        if kind in (1, 2):
            fields[number] = kind == 1
        else:
            fields[number], at = _read_value(content, at, kind)
    return fields, at + 1


def _read_value(content: Bytes, at: int, kind: int) -> tuple[Any, int]:
    if kind in (4, 5, 6):
        return _read_signed(content, at)
    if kind == 8:
        size, at = _read_unsigned(content, at)
        return _read_bytes(content, at, size)
    if kind == 12:
        return _read_structure(content, at)
    if kind in (9, 10):
        head, at = content[at], at + 1
        size, at = (head >> 4, at) if head >> 4 < 15 else _read_unsigned(content, at)
        values = []
        for _ in range(_check_size(content, at, size)):
            value, at = _read_value(content, at, head & 15)
            values.append(value)
        return values, at
    if kind in (1, 2, 3):
        return content[at], at + 1
    if kind == 7:
        return _read_bytes(content, at, 8)
    raise ValueError(f"unknown type {kind}")  # such as maps, which Parquet does not use


def _read_bytes(content: Bytes, at: int, size: int) -> tuple[bytes, int]:
    end = at + _check_size(content, at, size)
    return content[at:end], end


def _check_size(content: Bytes, at: int, size: int) -> int:
    """Raise an error if the rest of the file is shorter, before memory is allocated."""
    if size > len(content) - at:
        raise ValueError
    return size


def _read_signed(content: Bytes, at: int) -> tuple[int, int]:
    value, at = _read_unsigned(content, at)
    return value >> 1 ^ -(value & 1), at


def _read_unsigned(content: Bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while (byte := content[at]) & 128:
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if shift > 63:
            raise ValueError
    return value | byte << shift, at + 1


# ---------------------------------------------------------------------- columns of lists


class Lists(NamedTuple):
    """Lists one after another: list ``i`` is ``values[offsets[i]:offsets[i + 1]]``."""

    offsets: NDArray[np.int64]
    values: NDArray[np.int64]


class _Group(NamedTuple):
    """The pages of one column in a row group: the number of its first row, its rows and values, and its bytes in the file."""

    first_row: int
    rows: int
    values: int
    start: int
    end: int
    unpack: Callable[[bytes, int], bytes]


class _Levels(NamedTuple):
    """The type of the values, the definition levels of a value and of an empty list, and the number of all values."""

    dtype: np.dtype[Any]
    full: int
    empty: int
    values: int


class ListColumn:
    """A column of lists of whole numbers in one file.

    Where pages begin is known only after the pages before them were read, so it is kept for the next part of the same row group.
    """

    def __init__(self, path: Path, groups: list[_Group], levels: _Levels) -> None:
        self.path, self.groups, self.levels = path, groups, levels
        self._pages = [
            {0: group.start} for group in groups
        ]  # number of a row in its group -> start of the page that begins with it

    @property
    def rows(self) -> int:
        """The number of lists."""
        return sum(group.rows for group in self.groups)

    def read(self, start: int, stop: int) -> Lists | None:
        """Return the lists from row ``start`` up to row ``stop``; None if they are not as expected, or damaged."""
        sizes: list[Any] = []
        values: list[Any] = []
        try:
            with self.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                for number, group in enumerate(self.groups):
                    first, last = max(start - group.first_row, 0), min(stop - group.first_row, group.rows)
                    if first < last:
                        some = self._read_group(content, number, first, last)
                        sizes.append(np.diff(some.offsets))
                        values.append(some.values)
        except (*_MALFORMED, OSError, MemoryError):
            return None
        if sum(map(len, sizes)) != stop - start:
            return None
        offsets = np.zeros(stop - start + 1, np.int64)
        np.cumsum(np.concatenate(sizes), out=offsets[1:])
        return Lists(offsets, values[0] if len(values) == 1 else np.concatenate(values))

    def _read_group(self, content: mmap.mmap, number: int, first: int, last: int) -> Lists:
        """Read lists ``first`` to ``last`` - 1 of a row group; raise a ValueError if they are not as expected."""
        group, (dtype, full, empty, _) = self.groups[number], self.levels
        row = max(known for known in list(self._pages[number]) if known <= first)  # other threads add pages
        at, begin = self._pages[number][row], row
        starts: list[Any] = []
        values = np.empty(group.values, np.int64)
        seen = 0
        while at < group.end and row <= last:  # a list may continue on the next page
            header, data, end = _page_header(content, at)
            about = header[_DATA_PAGE]
            if (
                header[_PAGE_TYPE] != 0
                or end > group.end
                or [about[field] for field in _PAGE_ENCODINGS] != _PLAIN_AND_RUNS
            ):
                raise ValueError
            unpacked = group.unpack(content[data:end], header[_UNPACKED_SIZE])
            repetition, at_definition = _levels_at(unpacked, 0)
            definition, at_values = _levels_at(unpacked, at_definition)
            count = about[_PAGE_VALUES]
            if not 0 <= count <= 8 * len(unpacked):  # a run may be much longer than its bytes, but its values are not
                raise ValueError
            here = np.empty(count + 1, np.int64)
            lists, size, before = load("list_levels").find_lists(repetition, definition, count, full, empty, here)
            if size < 0 or len(unpacked) - at_values != size * dtype.itemsize or (before and row == begin):
                raise ValueError
            if not before:
                self._pages[number][row] = at
            starts.append(here[:lists] + seen)
            values[seen : seen + size] = np.frombuffer(unpacked, dtype, size, at_values)
            row, at, seen = row + lists, end, seen + size
        offsets = np.concatenate((*starts, [seen]))[first - begin : last - begin + 1]
        if len(offsets) != last - first + 1 or (at == group.end and row != group.rows):
            raise ValueError
        return Lists(offsets - offsets[0], values[offsets[0] : offsets[-1]])


def _levels_at(unpacked: bytes, at: int) -> tuple[NDArray[np.uint8], int]:
    """Return levels, which follow their size in bytes, and where they end."""
    end = at + 4 + int.from_bytes(unpacked[at : at + 4], "little")
    if end > len(unpacked):
        raise ValueError
    return np.frombuffer(unpacked, np.uint8, end - at - 4, at + 4), end


def open_lists(path: Path, name: str) -> ListColumn | None:
    """Open a column of lists of whole numbers, as polars writes them, in a file with many values; None if it is anything else."""
    try:
        about = path.stat()
        return _open_lists(path, name, about.st_size, about.st_mtime_ns)
    except OSError:
        return None


@lru_cache(maxsize=64)
def _open_lists(path: Path, name: str, size: int, changed: int) -> ListColumn | None:
    """Open a file with this size and time of the last change."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            about, footer = _footer(content)
            dtype, full, empty = _list_schema(about[_SCHEMA], name.encode())
            groups, row, values = [], 0, 0
            for group in about[_ROW_GROUPS]:
                (chunk,) = (
                    each[_COLUMN_META_DATA]
                    for each in group[_COLUMNS]
                    if each[_COLUMN_META_DATA][_PATH][0] == name.encode()
                )
                unpack = _unpackers()[chunk[_CODEC]]
                rows, here = group[_GROUP_ROWS], chunk[_CHUNK_VALUES]
                groups.append(_Group(row, rows, here, *_chunk_range(chunk, footer), unpack))
                row, values = row + rows, values + here
    except (*_MALFORMED, OSError):
        return None
    return ListColumn(path, groups, _Levels(dtype, full, empty, values)) if values >= _MIN_VALUES else None


def _list_schema(schema: list[dict[int, Any]], name: bytes) -> tuple[np.dtype[Any], int, int]:
    """Return the type of the values of the only column of lists, and the definition levels of a value and of an empty list."""
    at = [element[_NAME] for element in schema].index(name)
    outer, middle, value = schema[at : at + 3]
    if len(schema) != schema[0][_CHILDREN] + 3 or (outer[_CHILDREN], middle[_CHILDREN]) != (1, 1):
        raise ValueError
    if middle[_REPETITION] != _REPEATED or not {outer[_REPETITION], value[_REPETITION]} <= {_REQUIRED, _OPTIONAL}:
        raise ValueError
    if _CONVERTED_TYPE in value or _LOGICAL_TYPE in value:  # unsigned, or times
        raise ValueError
    empty = outer[_REPETITION]  # an optional list has one more level, for a missing list
    return _INTEGERS[value[_TYPE]], empty + 1 + value[_REPETITION], empty


@lru_cache(maxsize=1)
def _unpackers() -> dict[int, Callable[[bytes, int], bytes]]:
    """Return the functions that decompress a page, by codec: those that are installed."""
    known: dict[int, Callable[[bytes, int], bytes]] = {_UNCOMPRESSED: lambda page, size: page}
    try:
        import zstandard  # extra ``parquet``
    except ImportError:
        return known

    def unpack(page: bytes, size: int) -> bytes:
        try:
            if zstandard.frame_content_size(page) not in (-1, size):  # before memory is allocated
                raise ValueError
            return zstandard.ZstdDecompressor().decompress(page, max_output_size=size)
        except zstandard.ZstdError:
            raise ValueError from None

    return {**known, _ZSTD: unpack}
