"""Files as they come and as they must be left: decoding, line ends, size limits, and writing that cannot half happen."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from caesura.errors import FormatError

__all__ = ["MAX_BYTES", "Source", "atomic_write"]

#: Files larger than this are refused by readers that hold them in memory; Parquet and JSON lines stream instead.
MAX_BYTES = 256 * 1024 * 1024

_HEAD = 65536


@dataclass(frozen=True)
class Source:
    """A file to read, decoded when somebody asks."""

    path: Path
    encoding: str | None = None

    @classmethod
    def open(cls, path: Path, *, encoding: str | None = None) -> Source:
        """Check that there is a file with something in it, and take hold of it."""
        if not path.exists():
            raise FormatError(path, None, "there is no such file.")
        if path.is_dir():
            raise FormatError(path, None, "this is a folder, expected a file.")
        if not os.access(path, os.R_OK):
            raise FormatError(path, None, "this file may not be read.")
        if path.stat().st_size == 0:
            raise FormatError(path, None, "the file is empty.")
        if encoding is not None:
            try:
                "".encode(encoding)
            except LookupError:
                raise FormatError(
                    path, None, f"there is no encoding {encoding!r}; try utf-8, utf-16 or latin-1."
                ) from None
        return cls(path, encoding)

    @cached_property
    def raw(self) -> bytes:
        """Everything in the file, refused where it would not fit."""
        size = self.path.stat().st_size
        if size > MAX_BYTES:
            raise FormatError(
                self.path,
                None,
                f"the file has {size // 2**20} MB, this format reads up to {MAX_BYTES // 2**20} MB; use Parquet.",
            )
        return self.path.read_bytes()

    @cached_property
    def text(self) -> str:
        """The file's text with every line end as LF; Unicode normal forms are kept as they are."""
        return self._decoded(self.raw).replace("\r\n", "\n").replace("\r", "\n")

    @property
    def lines(self) -> Iterator[tuple[int, str]]:
        """Every line with its number, counted from 1."""
        return enumerate(self.text.split("\n"), 1)

    def head(self) -> str:
        """The first characters, for sniffing; "" where the file is not text."""
        with self.path.open("rb") as file:
            start = file.read(_HEAD)
        for cut in range(4):  # a multi-byte character may be cut in two
            try:
                return (
                    self._decoded(start[: len(start) - cut] if cut else start).replace("\r\n", "\n").replace("\r", "\n")
                )
            except FormatError:
                continue
        return ""

    def _decoded(self, raw: bytes) -> str:
        encoding = self.encoding or ("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
        try:
            text = raw.decode("utf-8-sig" if encoding.lower().replace("_", "-") in ("utf-8", "utf8") else encoding)
        except UnicodeError as fault:
            at = getattr(fault, "start", 0)
            line = raw[:at].count(b"\n") + 1
            raise FormatError(
                self.path,
                line,
                f"this is not {encoding.replace('-sig', '').upper()} text; name another with encoding= (--encoding).",
            ) from None
        if "\x00" in text:
            line = text[: text.index("\x00")].count("\n") + 1
            raise FormatError(self.path, line, "this is a binary file, expected text.")
        return text


def atomic_write(path: Path, content: str | bytes) -> None:
    """Write beside the target and rename: readers see the old file or the new one, never half of one."""
    folder = path.parent
    if not folder.is_dir():
        raise FormatError(path, None, f"the folder {str(folder)!r} does not exist.")
    if path.is_dir():
        raise FormatError(path, None, "this is a folder, expected the name of a file to write.")
    raw = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=folder)
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode(path))
        os.replace(temporary, path)
    except OSError as fault:
        if temporary is not None and os.path.exists(temporary):
            os.unlink(temporary)
        raise FormatError(path, None, f"cannot write: {fault.strerror or fault}.") from None


def _mode(path: Path) -> int:
    """The mode the file has, or the one a new file would get."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
