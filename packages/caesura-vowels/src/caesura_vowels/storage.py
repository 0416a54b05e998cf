"""Model files: a line with the format, a line of JSON with a checksum and a table of arrays, then the arrays as in memory.

Loading executes nothing, and decompresses lists of words only: an array is a slice of the file. Files name no modules of this package, so
that models of earlier versions load after modules were renamed.
"""

from __future__ import annotations

import hashlib
import json
import math
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import FormatError
from caesura.files import atomic_write

#: The version of the file format. Version 4, in which words are not compressed, is read too.
VERSION = 5
_UNCOMPRESSED = 4
_ZLIB_START = 0x78  # the first byte of compressed words; no Hebrew or Arabic letter starts with it in UTF-8
_MAGIC = b"caesura vowel model "
_ALIGNMENT = 64  # bytes; compiled code works on the arrays in the buffer of the file


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


def load_model(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
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
    with path.open("rb") as stream:
        if stream.read(len(_MAGIC)) != _MAGIC:
            raise FormatError(path, None, "this is not a vowel model written by `caesura vowels train`.")
        version = stream.readline(40).decode("ascii", "replace").rstrip("\n")
        if version not in (str(VERSION), str(_UNCOMPRESSED)):
            raise FormatError(
                path, None, f"this model has format version {version[:20]}, expected {VERSION}; train it again."
            )
        line = stream.readline()
        payload = np.fromfile(stream, np.uint8)
    try:
        header = json.loads(line)
        intact = len(payload) == header["bytes"] and hashlib.sha256(payload.data).hexdigest() == header["sha256"]
    except (ValueError, KeyError, TypeError):
        intact = False
    if not intact:
        raise FormatError(path, None, "this model is damaged: its checksum is wrong; copy or train it again.")
    try:
        return header, {name: _slice(payload, *row) for name, row in header["arrays"].items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        raise FormatError(path, None, "this model is damaged: its arrays cannot be read.") from None


def _slice(payload: NDArray[np.uint8], kind: str, shape: Sequence[int], start: int) -> NDArray[Any]:
    """Return one array as a view."""
    dtype = np.dtype(kind)
    if dtype.kind not in "iufb":
        raise ValueError(kind)
    size = dtype.itemsize * math.prod(shape)
    return payload[start : start + size].view(dtype).reshape(shape)


def encode_strings(words: Sequence[str]) -> NDArray[np.uint8]:
    """Encode words as one compressed array of bytes; uncompressed they would be half of a small model."""
    return np.frombuffer(zlib.compress("\n".join(words).encode(), 9), np.uint8)


def decode_strings(raw: NDArray[Any]) -> tuple[str, ...]:
    """Decode an array of :func:`encode_strings`, compressed or not."""
    data = raw.tobytes()
    text = (zlib.decompress(data) if data[:1] == bytes([_ZLIB_START]) else data).decode()
    return tuple(text.split("\n")) if text else ()
