"""Model files: a line that names the format, a line of JSON with a checksum and a table of arrays, then the arrays as they lie in memory.

Nothing in them is executed, and nothing but words has to be unpacked: an array is a slice of the file.
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

#: Of the file format; a file of another version is refused, but for version 4, whose words are not packed.
VERSION = 5
_UNPACKED = 4
_PACKED = 0x78  # the first byte of packed words; no letter of ours has it
_MAGIC = b"caesura vowel model "
_ALIGNED = 64  # every array begins at a multiple of this, so that compiled code can work on it where it lies


def save_model(path: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a model in one piece."""
    table: dict[str, tuple[str, list[int], int]] = {}
    pieces: list[bytes] = []
    size = 0
    for name, array in arrays.items():
        raw = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        table[name] = (array.dtype.newbyteorder("<").str, list(array.shape), size)
        pieces.append(raw + bytes(-len(raw) % _ALIGNED))
        size += len(pieces[-1])
    payload = b"".join(pieces)
    whole = {**header, "arrays": table, "bytes": size, "sha256": hashlib.sha256(payload).hexdigest()}
    top = _MAGIC + str(VERSION).encode() + b"\n" + json.dumps(whole, ensure_ascii=True, sort_keys=True).encode()
    atomic_write(path, top + b" " * (-(len(top) + 1) % _ALIGNED) + b"\n" + payload)


def load_model(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read a model, refusing anything that is not one, is of another version, or is damaged.

    The arrays are views of one buffer: who keeps the large ones works on it, who keeps a small one copies it.
    """
    if path.is_dir():
        raise FormatError(path, None, "this is a folder, expected a file.")
    if not path.is_file():
        raise FormatError(path, None, "there is no such file.")
    with path.open("rb") as stream:
        if stream.read(len(_MAGIC)) != _MAGIC:
            raise FormatError(path, None, "this is not a vowel model, as `caesura vowels train` writes it.")
        version = stream.readline(40).decode("ascii", "replace").rstrip("\n")
        if version not in (str(VERSION), str(_UNPACKED)):
            raise FormatError(
                path, None, f"this model is of version {version[:20]}, expected {VERSION}; train it again."
            )
        line = stream.readline()
        payload = np.fromfile(stream, np.uint8)
    try:
        header = json.loads(line)
        intact = len(payload) == header["bytes"] and hashlib.sha256(payload.data).hexdigest() == header["sha256"]
    except (ValueError, KeyError, TypeError):
        intact = False
    if not intact:
        raise FormatError(path, None, "this model is damaged: its checksum does not fit; copy or train it again.")
    try:
        return header, {name: _slice(payload, *row) for name, row in header["arrays"].items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        raise FormatError(path, None, "this model is damaged: its arrays cannot be read.") from None


def _slice(payload: NDArray[np.uint8], kind: str, shape: Sequence[int], start: int) -> NDArray[Any]:
    """Return one array of the table, where it lies."""
    dtype = np.dtype(kind)
    if dtype.kind not in "iufb":
        raise ValueError(kind)
    size = dtype.itemsize * math.prod(shape)
    return payload[start : start + size].view(dtype).reshape(shape)


def strings(words: Sequence[str]) -> NDArray[np.uint8]:
    """Words as one array of bytes, a line each, packed: they are the half of a small model otherwise."""
    return np.frombuffer(zlib.compress("\n".join(words).encode(), 9), np.uint8)


def unstrung(raw: NDArray[Any]) -> tuple[str, ...]:
    """Take :func:`strings` apart again."""
    held = raw.tobytes()
    text = (zlib.decompress(held) if held[:1] == bytes([_PACKED]) else held).decode()
    return tuple(text.split("\n")) if text else ()
