"""Files as they come and as they must be left: decoding, line ends, size limits, and writing that cannot half happen."""

from __future__ import annotations

import io
import json
import os
import re
import secrets
import signal
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any, NoReturn, TypeAlias

from caesura.errors import FormatError

#: Files larger than this are refused by readers that hold them in memory; Parquet, JSON lines and long CSV stream instead.
MAX_BYTES = 64 * 1024 * 1024

#: What is written: all of it, or its pieces one after the other.
Content: TypeAlias = str | bytes | Iterable[str]

_HEAD = 65536


@dataclass(frozen=True)
class Source:
    """A file to read, decoded when somebody asks."""

    path: Path
    encoding: str | None = None
    data: bytes | None = None
    companions: Mapping[str, bytes] | None = None

    @classmethod
    def open(cls, path: Path, *, encoding: str | None = None) -> Source:
        """Check that there is a file with something in it, and take hold of it."""
        if not path.exists():
            raise FormatError(path, None, "there is no such file.")
        if path.is_dir():
            raise FormatError(path, None, "this is a folder, expected a file.")
        if not path.is_file():
            raise FormatError(path, None, "this is a device or a pipe, expected a file.")
        if not os.access(path, os.R_OK):
            raise FormatError(path, None, "this file may not be read.")
        if path.stat().st_size == 0:
            raise FormatError(path, None, "the file is empty.")
        if encoding is not None:
            try:
                b"a".decode(encoding)
            except LookupError:
                raise FormatError(
                    path, None, f"there is no text encoding {encoding!r}; try utf-8, utf-16 or latin-1."
                ) from None
            except UnicodeError:  # one byte is half a character in UTF-16
                pass
        return cls(path, encoding)

    @cached_property
    def stem(self) -> str:
        """The file's name without its suffix: the name of the item in formats that give none."""
        return self.path.stem

    @cached_property
    def raw(self) -> bytes:
        """Everything in the file, refused where it would not fit."""
        if self.data is not None:
            return self.data
        size = self.path.stat().st_size
        if size > MAX_BYTES:
            raise FormatError(
                self.path,
                None,
                f"the file has {size // 2**20} MB, this format reads up to {MAX_BYTES // 2**20} MB; "
                "Parquet, JSON lines and CSV of positions take more.",
            )
        return self.path.read_bytes()

    @cached_property
    def text(self) -> str:
        """The file's text with every line end as LF; Unicode normal forms are kept as they are."""
        return _plain_lines(self.raw_text)

    @property
    def raw_text(self) -> str:
        """The file's text with its own line ends, for formats that quote them."""
        return self._decode(self.raw)

    @property
    def lines(self) -> Iterator[tuple[int, str]]:
        """Every line with its number, counted from 1."""
        return enumerate(self.text.split("\n"), 1)

    def full_lines(self, comment: str | None = None) -> Iterator[tuple[int, str]]:
        """Every line that holds something, with its number; those that open with the sign of a comment are passed over."""
        full = ((number, line) for number, line in self.lines if line.strip())
        return full if comment is None else (each for each in full if not each[1].lstrip().startswith(comment))

    def stream(self) -> IO[str]:
        """Open the text to be read piece by piece, line ends as they are; for files of any size."""
        binary: IO[bytes] = self.path.open("rb") if self.data is None else io.BytesIO(self.data)
        start = binary.read(2)
        binary.seek(0)
        return io.TextIOWrapper(binary, encoding=self._encoding(start), newline="")

    def sibling(self, suffix: str) -> Source:
        """Take hold of the file that belongs to this one: the same name with another suffix."""
        path = self.path.with_suffix(suffix)
        if self.companions is not None:
            return Source(path, self.encoding, self.companions[suffix])
        return Source.open(path, encoding=self.encoding)

    def head(self) -> str:
        """The first characters, for sniffing, in whatever encoding; "" where the file is not text."""
        if self.data is not None:
            start = self.data[:_HEAD]
        else:
            with self.path.open("rb") as file:
                start = file.read(_HEAD)
        for cut in range(4):  # a multi-byte character may be cut in two
            try:
                return _plain_lines(self._decode(start[: len(start) - cut]))
            except FormatError:
                continue
        return (
            "" if b"\x00" in start else _plain_lines(start.decode("latin-1"))
        )  # the reader decides, and names the line

    def refuse_binary(self) -> None:
        """Say what is wrong with a file whose head is not text."""
        with self.path.open("rb") as file:
            self._decode(file.read(_HEAD - 4))

    def refuse_encoding(self, what: str) -> None:
        """Refuse an encoding that somebody named for a file which is no text, or which says its own."""
        if self.encoding is not None:
            raise self.fault(None, f"{what}, so that encoding= (--encoding) has no effect; leave it out.")

    def fault(self, line: int | None, why: str) -> FormatError:
        """The complaint about a line of this file, or about the file as a whole."""
        return FormatError(self.path, line, why)

    def not_text(self, line: int | None, encoding: str | None = None) -> FormatError:
        """Build the complaint about bytes that are not what the encoding says."""
        named = (encoding or self.encoding or "utf-8").replace("-sig", "").upper()
        return FormatError(
            self.path, line, f"this is not {named} text; name its encoding with encoding= (--encoding latin-1)."
        )

    def _encoding(self, start: bytes) -> str:
        named = self.encoding or ("utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8")
        return "utf-8-sig" if named.lower().replace("_", "-") in ("utf-8", "utf8") else named

    def _decode(self, raw: bytes) -> str:
        encoding = self._encoding(raw)
        if not encoding.startswith("utf-16"):
            raw = raw.rstrip(b"\x00")  # Rezonator ends its files as C ends its strings
        try:
            text = raw.decode(encoding)
        except UnicodeError as fault:
            if b"\x00" in raw[:_HEAD] and not encoding.startswith("utf-16"):
                raise self.fault(None, "this is a binary file, expected text.") from None
            line = raw[: getattr(fault, "start", 0)].count(b"\n") + 1
            raise self.not_text(line, encoding) from None
        if "\x00" in text:
            line = text[: text.index("\x00")].count("\n") + 1
            raise self.fault(line, "this is a binary file, expected text.")
        return text


def load_json(source: Source) -> Any:
    """Parse a JSON file whole; what is cut off, nested without end or named twice is refused with its line."""
    return parse_json(source, source.text, hook=lambda pairs: _no_key_twice(source, pairs))


def line_of(source: Source, words: str) -> int | None:
    """Find the line on which some words of a text first stand, for complaints about what a parser found without its place."""
    at = source.text.find(words)
    return None if at < 0 else source.text.count("\n", 0, at) + 1


def parse_json(source: Source, text: str, line: int = 1, hook: Any = None) -> Any:
    """Parse JSON that begins on a line of a file; NaN, which is none, and numbers without end are refused with their line."""

    def refuse_constant(word: str) -> NoReturn:
        raise source.fault(line + _lines_before(text, re.escape(word)), f"{word} is not a number of JSON.")

    try:
        return json.loads(text, object_pairs_hook=hook, parse_constant=refuse_constant)
    except json.JSONDecodeError as fault:
        raise source.fault(line + fault.lineno - 1, f"this is not JSON: {fault.msg}.") from None
    except RecursionError:
        raise source.fault(line, "the JSON is nested too deeply to be read.") from None
    except FormatError:
        raise
    except ValueError:  # Python reads no whole number of more than some thousand digits
        where = line + _lines_before(text, r"\d{1000,}")
        raise source.fault(where, "a number has more than a thousand digits, which nothing here can mean.") from None


def atomic_write(path: Path, content: Content, *, by_way_of: Path | None = None) -> None:
    """Write beside the target (or in another folder of its disk) and rename: readers see the old file or the new one, never half of one."""
    atomic_write_all({path: content}, by_way_of=by_way_of)


def atomic_write_all(contents: Mapping[Path, Content], *, by_way_of: Path | None = None) -> None:
    """Write several files that belong together; none is put in place before all are complete."""
    waiting: list[tuple[Path, Path]] = []
    with tidied_when_ended():
        try:
            for path, content in contents.items():
                check_target(path)
                beside = (by_way_of or path.parent) / f".{path.name[:80]}.{secrets.token_hex(4)}"
                waiting.append((beside, path))
                with _told_as_cannot_write(path):
                    _write_beside(waiting[-1][0], path, content)
            for temporary, path in waiting:
                with _told_as_cannot_write(path):
                    os.replace(temporary, path)
        finally:
            for temporary, _ in waiting:
                temporary.unlink(missing_ok=True)


@contextmanager
def tidied_when_ended() -> Iterator[None]:
    """Let SIGTERM wait for the ``finally`` of what it interrupts, so that nothing half written stays; then end as it asked."""
    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():  # only the main thread may say what a signal does
        signals = []
    signals = [each for each in signals if signal.getsignal(each) is signal.SIG_DFL]  # a server's own handler stays
    for each in signals:
        signal.signal(each, _raise_ended)
    try:
        yield
    except _Ended as ended:
        if ended.number not in signals:  # whoever set the handler has something of its own to tidy
            raise
        signal.signal(ended.number, signal.SIG_DFL)
        signal.raise_signal(ended.number)
    finally:
        for each in signals:
            signal.signal(each, signal.SIG_DFL)


def check_target(path: Path) -> None:
    """Refuse, before any work is done, a place where no file can be written."""
    if not path.parent.is_dir():
        raise FormatError(path, None, f"the folder {str(path.parent)!r} does not exist.")
    if path.is_dir():
        raise FormatError(path, None, "this is a folder, expected the name of a file to write.")
    if path.exists() and not path.is_file():
        raise FormatError(path, None, "this is a device or a pipe, expected the name of a file to write.")


class _Ended(BaseException):
    """The program was asked to end."""

    def __init__(self, number: int) -> None:
        self.number = number


def _raise_ended(number: int, _frame: object) -> NoReturn:
    raise _Ended(number)


@contextmanager
def _told_as_cannot_write(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        raise FormatError(path, None, f"cannot write: {fault.strerror or fault}.") from None


def _write_beside(temporary: Path, path: Path, content: Content) -> None:
    pieces = [content] if isinstance(content, (str, bytes)) else content
    with open(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        for piece in pieces:
            file.write(piece.encode("utf-8", "surrogatepass") if isinstance(piece, str) else piece)
        file.flush()
        os.fsync(file.fileno())
    os.chmod(temporary, _mode(path))


def _mode(path: Path) -> int:
    """The mode the file has, or the one a new file would get."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _plain_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _lines_before(text: str, pattern: str) -> int:
    match = re.search(pattern, text)
    return text.count("\n", 0, match.start()) if match else 0


def _no_key_twice(source: Source, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse what JSON parsers pass over: a coder (or any key) that is given twice, of whom only the last would count."""
    once = dict(pairs)
    if len(once) != len(pairs):
        keys = [key for key, _ in pairs]
        again = next(key for i, key in enumerate(keys) if key in keys[:i])
        raise source.fault(None, f"the name {again!r} is given twice in one object.")
    return once
