"""Model files: a line that names the format, a line of JSON with a checksum, then plain NumPy arrays; nothing in them is executed."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import FormatError
from caesura.formats.files import atomic_write

__all__ = ["VERSION", "load_model", "save_model", "strings", "unstrung"]

#: Of the file format; a file of another version is refused.
VERSION = 1
_MAGIC = b"caesura vowel model "


def save_model(path: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a model in one piece."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **dict(arrays))
    payload = buffer.getvalue()
    whole = {**header, "bytes": len(payload), "sha256": hashlib.sha256(payload).hexdigest()}
    line = json.dumps(whole, ensure_ascii=True, sort_keys=True).encode()
    atomic_write(path, _MAGIC + str(VERSION).encode() + b"\n" + line + b"\n" + payload)


def load_model(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read a model, refusing anything that is not one, is of another version, or is damaged."""
    if not path.is_file():
        raise FormatError(path, None, "there is no such file.")
    raw = path.read_bytes()
    if not raw.startswith(_MAGIC):
        raise FormatError(path, None, "this is not a vowel model, as `caesura vowels train` writes it.")
    first, _, rest = raw.partition(b"\n")
    version = first[len(_MAGIC) :].decode("ascii", "replace")
    if version != str(VERSION):
        raise FormatError(path, None, f"this model is of version {version[:20]}, expected {VERSION}; train it again.")
    line, _, payload = rest.partition(b"\n")
    try:
        header = json.loads(line)
        intact = len(payload) == header["bytes"] and hashlib.sha256(payload).hexdigest() == header["sha256"]
    except (ValueError, KeyError, TypeError):
        intact = False
    if not intact:
        raise FormatError(path, None, "this model is damaged: its checksum does not fit; copy or train it again.")
    try:
        with np.load(io.BytesIO(payload), allow_pickle=False) as stored:
            return header, {name: stored[name] for name in stored.files}
    except (ValueError, OSError, zipfile.BadZipFile):
        raise FormatError(path, None, "this model is damaged: its arrays cannot be read.") from None


def strings(words: Sequence[str]) -> NDArray[np.uint8]:
    """Words as one array of bytes, a line each."""
    return np.frombuffer("\n".join(words).encode(), np.uint8)


def unstrung(raw: NDArray[Any]) -> tuple[str, ...]:
    """Take :func:`strings` apart again."""
    return tuple(raw.tobytes().decode().split("\n")) if len(raw) else ()
