"""Zip archives as they come from strangers: damaged, encrypted, or larger than they say."""

from __future__ import annotations

import zipfile
import zlib

#: What a damaged, encrypted or lying archive raises.
UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError)


def read_entry(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """Unpack one file of an archive; what it says about its own size is not believed."""
    with archive.open(name) as packed:
        content = packed.read(most + 1)
    if len(content) > most:
        raise ValueError(f"{name} unpacks to more than {most // 2**20} MB")
    return content
