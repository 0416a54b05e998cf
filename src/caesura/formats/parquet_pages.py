"""Checksums of Parquet pages: writers such as Spark's put one before every page, and a flipped bit would be another number.

Only what is needed of a file's structure is read here: where its pages stand (the footer's row groups and column chunks), how long each
is, and its sum. Polars does not look at the sums.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from mmap import mmap
from typing import Any, NamedTuple, TypeAlias

Bytes: TypeAlias = bytes | mmap

# fields of the structures, by number: parquet-format, parquet.thrift
_ROW_GROUPS, _COLUMNS, _COLUMN_META_DATA = 4, 1, 3
_CHUNK_SIZE, _FIRST_DATA_PAGE, _DICTIONARY_PAGE = 7, 9, 11
_PAGE_SIZE, _PAGE_SUM = 3, 4


class _Page(NamedTuple):
    start: int
    stop: int
    sum: int | None


def damaged_page(content: Bytes) -> int | None:
    """Return where the first page stands that does not fit its checksum, or has lost it; None where all fit, or no page has one."""
    pages: list[_Page] = []
    end = None
    try:
        pages.extend(_pages(content))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError):
        end = pages[-1].stop if pages else None  # no structure to walk through from here on
    if all(page.sum is None for page in pages):
        return None  # the reader says what it cannot read
    for page in pages:
        if page.sum is None or zlib.crc32(content[page.start : page.stop]) != page.sum % 2**32:
            return page.start
    return end


def _pages(content: Bytes) -> Iterator[_Page]:
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    about = _Struct(content, footer).read()
    for group in about[_ROW_GROUPS]:
        for column in group[_COLUMNS]:
            chunk = column[_COLUMN_META_DATA]
            at = min(chunk[_FIRST_DATA_PAGE], chunk.get(_DICTIONARY_PAGE) or chunk[_FIRST_DATA_PAGE])
            end = at + chunk[_CHUNK_SIZE]
            if not 0 <= at <= end <= footer:
                raise ValueError
            while at < end:
                reader = _Struct(content, at)
                header = reader.read()
                size, summed = header[_PAGE_SIZE], header.get(_PAGE_SUM)
                if size < 0 or not isinstance(summed, int | None):
                    raise ValueError
                at = reader.at + size
                yield _Page(reader.at, at, summed)


class _Struct:
    """A structure in Thrift's compact protocol, read into {number of field: value}."""

    def __init__(self, content: Bytes, at: int) -> None:
        self.content, self.at = content, at

    def read(self) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while kind := self._byte():
            number = number + (kind >> 4) if kind >> 4 else self._signed_number()
            fields[number] = kind & 15 == 1 if kind & 15 in (1, 2) else self._value(kind & 15)
        return fields

    def _value(self, kind: int) -> Any:
        if kind in (1, 2, 3):
            return self._byte()
        if kind in (4, 5, 6):
            return self._signed_number()
        if kind == 7:
            return self._bytes(8)
        if kind == 8:
            return self._bytes(self._unsigned_number())
        if kind in (9, 10):
            head = self._byte()
            size = head >> 4 if head >> 4 < 15 else self._unsigned_number()
            return [self._value(head & 15) for _ in range(self._check_size(size))]
        if kind == 12:
            return self.read()
        raise ValueError(f"no value is of kind {kind}")  # maps, which no structure of Parquet holds

    def _byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def _bytes(self, size: int) -> bytes:
        self.at += self._check_size(size)
        return self.content[self.at - size : self.at]

    def _check_size(self, size: int) -> int:
        """Refuse a size that the rest of the file cannot hold, before anything is made of it."""
        if size > len(self.content) - self.at:
            raise ValueError
        return size

    def _unsigned_number(self) -> int:
        value, shift = 0, 0
        while (byte := self._byte()) & 128:
            value |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise ValueError
        return value | byte << shift

    def _signed_number(self) -> int:
        value = self._unsigned_number()
        return value >> 1 ^ -(value & 1)
