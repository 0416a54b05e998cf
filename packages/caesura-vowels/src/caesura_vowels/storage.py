"""Model files: a line with the format, a line of JSON with a checksum and a table of arrays, then the arrays as in memory.

Loading executes nothing, and decompresses lists of words only: an array is a slice of the file. Files name no modules of this package, so
that models of earlier versions load after modules were renamed.

A checksum protects against accidents, not against a file that was made to do harm: :class:`StoredArrays` checks type, shape and range of every
array that a model takes out of a file, because compiled loops do not check indices.
"""

from __future__ import annotations

import hashlib
import json
import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import FormatError
from caesura.files import atomic_write

#: The version of the file format. Versions 4, in which words are not compressed, and 5, in which networks are not, are read too.
VERSION = 6
_READABLE = ("4", "5", str(VERSION))
_ZLIB_START = (
    0x78  # the first byte of compressed data; no Hebrew or Arabic letter starts with it in UTF-8, and no ONNX file
)
_MAGIC = b"caesura vowel model "
_ALIGNMENT = 64  # bytes; compiled code works on the arrays in the buffer of the file
_MAX_BYTES = 1 << 28  # after decompression; the words of the Hebrew Bible take less than a megabyte, a network some 15


def save_model(path: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a model atomically."""
    table: dict[str, tuple[str, list[int], int]] = {}
    pieces: list[bytes] = []
    size = 0
    for name, array in arrays.items():
        raw = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        table[name] = (array.dtype.newbyteorder("<").str, list(array.shape), size)
        pieces.append(raw + bytes(-len(raw) % _ALIGNMENT))
        size += len(pieces[-1])
    payload = b"".join(pieces)
    whole = {**header, "arrays": table, "bytes": size, "sha256": hashlib.sha256(payload).hexdigest()}
    top = _MAGIC + str(VERSION).encode() + b"\n" + json.dumps(whole, ensure_ascii=True, sort_keys=True).encode()
    atomic_write(path, top + b" " * (-(len(top) + 1) % _ALIGNMENT) + b"\n" + payload)


def is_model(path: Path) -> bool:
    """Return whether a file begins as models do."""
    with path.open("rb") as stream:
        return stream.read(len(_MAGIC)) == _MAGIC


def load_model(path: Path) -> tuple[dict[str, Any], StoredArrays]:
    """Read a model.

    The arrays are views of one buffer. Copy small ones that you keep, so that the buffer can be freed.

    Raises
    ------
    FormatError
        If the file is not a model, has another version, or is damaged.
    """
    if path.is_dir():
        raise FormatError(path, None, "this is a folder, expected a file.")
    if not path.is_file():
        raise FormatError(path, None, "there is no such file.")
    if not is_model(path):
        raise FormatError(path, None, "this is not a vowel model written by `caesura vowels train`.")
    with path.open("rb") as stream:
        stream.seek(len(_MAGIC))
        version = stream.readline(40).decode("ascii", "replace").rstrip("\n")
        if version not in _READABLE:
            raise FormatError(
                path, None, f"this model has format version {version[:20]}, expected {VERSION}; train it again."
            )
        line = stream.readline()
        payload = np.fromfile(stream, np.uint8)
    try:
        header = json.loads(line)
        intact = len(payload) == header["bytes"] and hashlib.sha256(payload.data).hexdigest() == header["sha256"]
    except (ValueError, KeyError, TypeError, RecursionError):
        intact = False
    if not intact:
        raise FormatError(path, None, "this model is damaged: its checksum is wrong; copy or train it again.")
    try:
        return header, StoredArrays({name: _slice(payload, *row) for name, row in header["arrays"].items()})
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
        raise FormatError(path, None, "this model is damaged: its arrays cannot be read.") from None


def _slice(payload: NDArray[np.uint8], kind: str, shape: Sequence[int], start: int) -> NDArray[Any]:
    """Return one array as a view."""
    dtype = np.dtype(kind)
    if dtype.kind not in "iufb" or not dtype.isnative:
        raise ValueError(kind)
    if start % _ALIGNMENT or start < 0 or any(type(length) is not int or length < 0 for length in shape):
        raise ValueError(start)
    size = dtype.itemsize * math.prod(shape)
    return payload[start : start + size].view(dtype).reshape(shape)


class StoredArrays(Mapping[str, NDArray[Any]]):
    """The arrays of a model, checked as they are taken out.

    Every method raises :class:`ValueError` with a sentence about the array, or :class:`KeyError` if it is missing; ``VowelRestorer.load`` makes
    a :class:`FormatError` of both.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._arrays = dict(arrays)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return an array without any check."""
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self._arrays)

    def __len__(self) -> int:
        """Return the number of arrays."""
        return len(self._arrays)

    def exact(self, name: str, dtype: type[np.generic], *shape: int | None) -> NDArray[Any]:
        """Return an array of exactly this type and shape; None stands for any length."""
        array = self[name]
        if array.dtype != dtype:
            raise ValueError(f"{name} has the type {array.dtype}, expected {np.dtype(dtype)}")
        self._check_shape(name, array, shape)
        return array

    def integers(self, name: str, *shape: int | None, low: int = 0, high: int | None = None) -> NDArray[np.int64]:
        """Return integers from ``low`` to ``high`` (both included), as int64."""
        array = self._numbers(name, "iu", shape)
        if array.size and (int(array.min()) < low or (high is not None and int(array.max()) > high)):
            most = "" if high is None else f" to {high}"
            raise ValueError(
                f"{name} has values from {array.min()} to {array.max()}, expected {low}{most or ' or more'}"
            )
        return array.astype(np.int64)

    def integer(self, name: str, low: int, high: int) -> int:
        """Return a single integer from ``low`` to ``high`` (both included)."""
        return int(self.integers(name, 1, low=low, high=high)[0])

    def offsets(self, name: str, groups: int, total: int, most: int | None = None) -> NDArray[np.int64]:
        """Return the offsets of groups of 1 to ``most`` elements each, from 0 to ``total``, as int64."""
        array = self.integers(name, groups + 1, high=total)
        sizes = np.diff(array)
        if array[0] != 0 or array[-1] != total or (groups and sizes.min() < 1):
            raise ValueError(f"{name} does not divide {total} elements into {groups} groups")
        if groups and most is not None and sizes.max() > most:
            raise ValueError(f"{name} has a group of {sizes.max()} elements, expected at most {most}")
        return array

    def floats(
        self, name: str, *shape: int | None, low: float = -np.inf, high: float = np.inf, infinite: bool = False
    ) -> NDArray[Any]:
        """Return floats between ``low`` and ``high``, as stored; NaN is refused, and infinity unless ``infinite``."""
        array = self._numbers(name, "f", shape)
        if not array.size:
            return array
        smallest, largest = np.min(array), np.max(array)  # NaN if one is; unlike a mask, they need no memory
        if not (smallest >= low and largest <= high):
            raise ValueError(f"{name} has values outside {low:g} to {high:g}, or NaN")
        if not infinite and not (np.isfinite(smallest) and np.isfinite(largest)):
            raise ValueError(f"{name} has infinite values")
        return array

    def strings(self, name: str, *, distinct: bool = True) -> tuple[str, ...]:
        """Return a list of words, by default without repetitions."""
        words = decode_strings(self.exact(name, np.uint8, None))
        if distinct:
            hashes = np.fromiter(map(hash, words), np.int64, len(words))  # a set of all words would take more memory
            if len(np.unique(hashes)) < len(words) and len(set(words)) < len(words):
                raise ValueError(f"{name} has an entry twice")
        return words

    def _numbers(self, name: str, kinds: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
        array = self[name]
        if array.dtype.kind not in kinds:
            raise ValueError(f"{name} has the type {array.dtype}, expected {'integers' if 'i' in kinds else 'floats'}")
        self._check_shape(name, array, shape)
        return array

    @staticmethod
    def _check_shape(name: str, array: NDArray[Any], shape: tuple[int | None, ...]) -> None:
        if array.ndim != len(shape) or any(
            want is not None and has != want for has, want in zip(array.shape, shape, strict=True)
        ):
            wanted = " × ".join("any" if length is None else str(length) for length in shape)
            raise ValueError(f"{name} has the shape {array.shape}, expected {wanted}")


def encode_strings(words: Sequence[str]) -> NDArray[np.uint8]:
    """Encode words as one compressed array of bytes; uncompressed they would be half of a small model."""
    return np.frombuffer(zlib.compress("\n".join(words).encode(), 9), np.uint8)


def decode_strings(raw: NDArray[Any]) -> tuple[str, ...]:
    """Decode an array of :func:`encode_strings`, compressed or not."""
    text = decompress(raw.tobytes()).decode()
    return tuple(text.split("\n")) if text else ()


def compress(data: bytes) -> NDArray[np.uint8]:
    """Compress bytes by Huffman codes alone: rounded weights have few likely values, but no repetitions."""
    stream = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS, 9, zlib.Z_HUFFMAN_ONLY)
    return np.frombuffer(stream.compress(data) + stream.flush(), np.uint8)


def decompress(data: bytes) -> bytes:
    """Return bytes that may be compressed; refuse more of them than a model can need."""
    if data[:1] != bytes([_ZLIB_START]):
        return data
    stream = zlib.decompressobj()
    whole = stream.decompress(data, _MAX_BYTES)
    if not stream.eof:
        raise ValueError(f"a part is cut off, or has more than {_MAX_BYTES} bytes")
    return whole
