"""Read zip archives that may be damaged, encrypted or larger than they claim."""

from __future__ import annotations

import zipfile
import zlib

#: Errors that a damaged, encrypted or dishonest archive may raise.
ARCHIVE_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError)


def read_member(archive: zipfile.ZipFile, member: str | zipfile.ZipInfo, limit: int) -> bytes:
    """Unpack one file of an archive, up to a number of bytes; the size that the archive states is not trusted."""
    with archive.open(member) as packed:
        content = packed.read(limit + 1)
    if len(content) > limit:
        raise ValueError(f"{getattr(member, 'filename', member)} unpacks to more than {limit // 2**20} MB")
    return content
