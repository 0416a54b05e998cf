"""Read and write files: decoding, line ends, size limits, safe parsing of JSON, XML and numbers, and atomic writing."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn, TypeAlias

from caesura.errors import FormatError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

#: Readers that load a whole file refuse larger ones; Parquet, JSON lines and CSV of positions are streamed instead.
MAX_BYTES = 64 * 1024 * 1024

#: Content to write: all of it, or an iterable of pieces.
Content: TypeAlias = str | bytes | Iterable[str]

_HEAD_BYTES = 65536  # read to recognise a format


@dataclass(frozen=True)
class Source:
    """A file to read, decoded on demand.

    Parameters
    ----------
    path : Path
        The file; its stem names the item in formats that do not.
    encoding : str, default None
        The text encoding; None: UTF-8, or UTF-16 if the file starts with a byte order mark of it.
    data : bytes, default None
        The content, if it is in memory and not on disk.
    companions : mapping of str to bytes, default None
        For content in memory: the content of files with the same stem, by suffix.
    """

    path: Path
    encoding: str | None = None
    data: bytes | None = None
    companions: Mapping[str, bytes] | None = None

    @classmethod
    def open(cls, path: Path, *, encoding: str | None = None) -> Source:
        """Return a source for a path, or raise a :class:`FormatError` if it is not a readable file with content.

        Parameters
        ----------
        path : Path
            The file.
        encoding : str, default None
            The text encoding, see :class:`Source`.
        """
        if not path.exists():
            raise FormatError(path, None, "there is no such file.")
        if path.is_dir():
            raise FormatError(path, None, "this is a folder, expected a file.")
        if not path.is_file():
            raise FormatError(path, None, "this is a device or a pipe, expected a file.")
        if not os.access(path, os.R_OK):
            raise FormatError(path, None, "no permission to read this file.")
        if path.stat().st_size == 0:
            raise FormatError(path, None, "the file is empty.")
        if encoding is not None:
            try:
                b"a".decode(encoding)
            except LookupError:
                why = f"there is no text encoding {encoding!r}; try utf-8, utf-16 or latin-1."
                raise FormatError(path, None, why) from None
            except UnicodeError:  # one byte is half a character in UTF-16
                pass
        return cls(path, encoding)

    @cached_property
    def stem(self) -> str:
        """The file name without its suffix: the name of the item in formats that do not name it."""
        return self.path.stem

    @cached_property
    def raw(self) -> bytes:
        """The content as bytes; files above :data:`MAX_BYTES` are refused."""
        if self.data is not None:
            return self.data
        size = self.path.stat().st_size
        if size > MAX_BYTES:
            why = (
                f"the file has {size // 2**20} MB, this format reads up to {MAX_BYTES // 2**20} MB; "
                "use Parquet, JSON lines or CSV of positions for larger data."
            )
            raise FormatError(self.path, None, why)
        return self.path.read_bytes()

    @cached_property
    def text(self) -> str:
        """The decoded text with every line end as LF; Unicode is not normalized."""
        return _unify_line_ends(self.raw_text)

    @property
    def raw_text(self) -> str:
        """The decoded text with its original line ends, for formats that may quote them."""
        return self._decode(self.raw)

    @property
    def lines(self) -> Iterator[tuple[int, str]]:
        """All lines with their numbers, counted from 1."""
        return enumerate(self.text.split("\n"), 1)

    def nonblank_lines(self, comment: str | None = None) -> Iterator[tuple[int, str]]:
        """Iterate over lines that are not blank, with their numbers.

        Parameters
        ----------
        comment : str, default None
            Skip lines that start with this.
        """
        for number, line in self.lines:
            if line.strip() and not (comment is not None and line.lstrip().startswith(comment)):
                yield number, line

    def stream(self) -> IO[str]:
        """Open the text for reading piece by piece, with original line ends; for files of any size."""
        binary: IO[bytes] = self.path.open("rb") if self.data is None else io.BytesIO(self.data)
        start = binary.read(4)
        binary.seek(0)
        return io.TextIOWrapper(binary, encoding=self._choose_encoding(start), newline="")

    def sibling(self, suffix: str) -> Source:
        """Return the file with the same name and another suffix."""
        path = self.path.with_suffix(suffix)
        if self.companions is not None:
            source = Source(path, self.encoding, self.companions[suffix])
        else:
            source = Source.open(path, encoding=self.encoding)
        self.siblings[suffix] = source
        return source

    @cached_property
    def siblings(self) -> dict[str, Source]:
        """The files with other suffixes that were read together with this one."""
        return {}

    def head(self) -> str:
        """Return the first characters, for recognising a format; "" if the file is not text."""
        if self.data is not None:
            start = self.data[:_HEAD_BYTES]
        else:
            with self.path.open("rb") as file:
                start = file.read(_HEAD_BYTES)
        if not self._is_wide(start) and b"\x00" in start[:-3].rstrip(b"\x00"):
            return ""  # such as Parquet: the error would say in which encoding it may be text, which takes long to find out
        for cut in range(4):  # the last character may be cut off in the middle, and has at most 4 bytes
            try:
                return _unify_line_ends(self._decode(start[: len(start) - cut]))
            except FormatError:
                continue
        # In another encoding Latin-1 is good enough to recognise a format; its reader reports the line that cannot be decoded.
        return "" if b"\x00" in start else _unify_line_ends(start.decode("latin-1"))

    def check_is_text(self) -> None:
        """Raise an error if the start of the file is not text."""
        with self.path.open("rb") as file:
            self._decode(file.read(_HEAD_BYTES - 4))

    def reject_encoding(self, reason: str) -> None:
        """Raise an error if an encoding was given for a file that is not text or declares its own encoding.

        Parameters
        ----------
        reason : str
            Such as "Parquet is not a text format".
        """
        if self.encoding is not None:
            raise self.error(None, f"{reason}, so encoding= (-O encoding=…) has no effect; leave it out.")

    def error(self, line: int | None, why: str) -> FormatError:
        """Return an error about a line of this file, or about the whole file if ``line`` is None."""
        return FormatError(self.path, line, why)

    def fault(self, line: int | None, why: str) -> FormatError:
        """Return :meth:`error`; deprecated."""
        warnings.warn("Source.fault is deprecated; use Source.error.", DeprecationWarning, stacklevel=2)
        return self.error(line, why)

    def encoding_error(self, line: int | None, encoding: str | None = None) -> FormatError:
        """Return an error about bytes that the encoding does not allow."""
        name = (encoding or self.encoding or "utf-8").replace("-sig", "").upper()
        return self.error(
            line,
            f"this is not {name} text; name its encoding with encoding= (-O encoding=latin-1, or --encoding where a command has it).",
        )

    def _binary_error(self, line: int | None, raw: bytes) -> FormatError:
        """Return an error about a file with zero bytes, which names the encoding of text in two or four bytes without a byte order mark."""
        start = raw[: _HEAD_BYTES - _HEAD_BYTES % 4]
        for encoding in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be") if self.encoding is None else ():
            text = start.decode(encoding, "replace")
            if text and sum(" " <= letter <= "~" or letter in "\r\n\t" for letter in text) > 0.5 * len(text):
                return self.error(
                    None,
                    f"this seems to be {encoding.upper()} text without a byte order mark; add -O encoding={encoding}.",
                )
        return self.error(line, "this is a binary file, expected text.")

    def _choose_encoding(self, start: bytes) -> str:
        wide = start[:4] in (
            b"\xff\xfe\x00\x00",
            b"\x00\x00\xfe\xff",
        )  # UTF-32; its little-endian mark begins like that of UTF-16
        name = self.encoding or ("utf-32" if wide else "utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8")
        return "utf-8-sig" if name.lower().replace("_", "-") in ("utf-8", "utf8") else name

    def _is_wide(self, start: bytes) -> bool:
        """Whether characters have at least two bytes, so that zero bytes are part of the text."""
        return self._choose_encoding(start).startswith(("utf-16", "utf-32"))

    def _decode(self, raw: bytes) -> str:
        encoding, wide = self._choose_encoding(raw), self._is_wide(raw)
        if not wide:
            raw = raw.rstrip(b"\x00")  # Rezonator ends its files with a zero byte, like a string in C
        try:
            text = raw.decode(encoding)
        except UnicodeError as error:
            if b"\x00" in raw[:_HEAD_BYTES] and not wide:
                raise self._binary_error(None, raw) from None
            line = raw[: getattr(error, "start", 0)].count(b"\n") + 1
            raise self.encoding_error(line, encoding) from None
        if "\x00" in text:
            line = text[: text.index("\x00")].count("\n") + 1
            raise self._binary_error(line, raw)
        return text


def find_line(source: Source, text: str) -> int | None:
    """Return the number of the first line that contains a text, for errors about parts whose position a parser lost."""
    at = source.text.find(text)
    return None if at < 0 else source.text.count("\n", 0, at) + 1


def first_repeated(names: Iterable[str]) -> str | None:
    """Return the first name that occurred before, or None.

    Examples
    --------
    >>> first_repeated(["item", "coder", "item", "coder"])
    'item'
    """
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def _unify_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


# ---------------------------------------------------------------------- JSON


def load_json(source: Source) -> Any:
    """Parse a JSON file; syntax errors, repeated keys and excessive nesting raise an error with the line.

    Parameters
    ----------
    source : Source
        The file.
    """
    return parse_json(source, source.text, hook=lambda pairs: _reject_repeated_keys(source, pairs))


def parse_json(source: Source, text: str, line: int = 1, hook: Any = None) -> Any:
    """Parse a piece of JSON from a file; NaN, Infinity and overlong numbers are refused.

    Parameters
    ----------
    source : Source
        The file, for errors.
    text : str
        The piece to parse.
    line : int, default 1
        The line of the file on which the piece begins.
    hook : callable, default None
        The ``object_pairs_hook`` of :func:`json.loads`.
    """

    def reject_constant(word: str) -> NoReturn:
        raise source.error(line + _lines_before(text, re.escape(word)), f"{word} is not valid JSON.")

    try:
        return json.loads(text, object_pairs_hook=hook, parse_constant=reject_constant)
    except json.JSONDecodeError as error:
        raise source.error(line + error.lineno - 1, f"this is not JSON: {error.msg}.") from None
    except RecursionError:
        raise source.error(line, "the JSON is nested too deeply.") from None
    except FormatError:
        raise
    except ValueError:  # Python refuses integers of more than some thousand digits
        where = line + _lines_before(text, r"(?<!\d)\d{1000,}")
        raise source.error(where, "a number has more than a thousand digits.") from None


def _lines_before(text: str, pattern: str) -> int:
    match = re.search(pattern, text)
    return text.count("\n", 0, match.start()) if match else 0


def _reject_repeated_keys(source: Source, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object; JSON parsers silently keep only the last value of a key, such as a coder given twice."""
    unique = dict(pairs)
    if len(unique) != len(pairs):
        repeated = first_repeated(key for key, _ in pairs)
        raise source.error(None, f"the key {repeated!r} occurs twice in one object.")
    return unique


# ---------------------------------------------------------------------- XML


class UnsafeXML(ValueError):
    """XML that declares entities, or a document type where none is allowed."""


def parse_elements(content: bytes | str, *, doctype: bool = True) -> Element:
    """Parse XML without following entities.

    Parameters
    ----------
    content : bytes or str
        The document.
    doctype : bool, default True
        Whether a document type declaration is allowed.

    Raises
    ------
    UnsafeXML
        If the document declares entities, or a document type where none is allowed.
    xml.etree.ElementTree.ParseError
        If the document is not well-formed.
    """
    from xml.etree.ElementTree import fromstring
    from xml.parsers import expat

    # The C parser of the standard library cannot refuse declarations, and defusedxml's parser in Python takes ten times as long.
    # So a first pass with expat only looks for declarations; the second pass reports all other errors.
    def reject(name: str, *_: Any) -> Any:
        raise UnsafeXML(name)

    guard = expat.ParserCreate()
    guard.EntityDeclHandler = guard.UnparsedEntityDeclHandler = guard.ExternalEntityRefHandler = reject
    if not doctype:
        guard.StartDoctypeDeclHandler = reject
    with suppress(expat.ExpatError):
        guard.Parse(content, True)
    return fromstring(content)


def parse_xml(source: Source, root: str, program: str) -> Any:
    """Parse an XML file and return its root element.

    Parameters
    ----------
    source : Source
        The file; its own XML declaration names the encoding unless the user did.
    root : str
        The expected tag of the root element.
    program : str
        The program that writes such files, for errors.
    """
    from xml.etree.ElementTree import ParseError

    try:
        element = parse_elements(source.raw if source.encoding is None else source.raw_text)
    except ParseError as error:
        line = getattr(error, "position", (None,))[0]
        if source.encoding is None and "invalid token" in str(error.msg) and not _is_utf8(source.raw):
            raise source.encoding_error(line) from None
        raise source.error(line, f"this is not XML, or it is cut off: {error.msg}.") from None
    except UnsafeXML:
        raise source.error(None, f"this file defines XML entities, which no {program} file needs.") from None
    except (LookupError, ValueError) as error:  # an unknown encoding
        raise source.error(None, f"this is not XML: {error}.") from None
    if _is_deeper(element, _MOST_LEVELS):
        raise source.error(None, f"the XML is nested more than {_MOST_LEVELS} elements deep.")
    if element.tag != root:
        raise source.error(None, f"this is another kind of XML: the root is {element.tag!r}, expected {root}.")
    return element


#: Elements inside one another that a file may have; readers visit the descendants of elements that may contain one another.
_MOST_LEVELS = 100


def _is_deeper(root: Element, most: int) -> bool:
    """Tell whether elements are nested more than ``most`` levels deep."""
    level = [root]
    for _ in range(most):
        level = [child for element in level for child in element]
        if not level:
            return False
    return True


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


# ---------------------------------------------------------------------- numbers
# int() and float() also accept "1_000", Arabic and other digits, "nan" and "infinity", so a damaged file could pass with a wrong value.

_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")  # 18 digits fit into 64 bits
_DECIMAL = re.compile(r"[-+]?(?:[0-9]{1,40}(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?")
_PLAIN = re.compile(r"[0-9]{1,9}(\.[0-9]{1,15})?")


@lru_cache(maxsize=10_000)  # tables repeat the same numbers
def parse_integer(text: str) -> int | None:
    """Parse an integer of up to 18 ASCII digits; return None for anything else.

    Examples
    --------
    >>> parse_integer(" 12 "), parse_integer("1_000"), parse_integer("٣"), parse_integer("9" * 5000)
    (12, None, None, None)
    """
    return int(text) if _INTEGER.fullmatch(text.strip()) else None


def parse_decimal(text: str) -> Decimal | None:
    """Parse a decimal number without rounding; return None for anything else.

    Examples
    --------
    >>> parse_decimal("0.30"), parse_decimal("1e-3"), parse_decimal("nan"), parse_decimal("1_000"), parse_decimal("1e999")
    (Decimal('0.30'), Decimal('0.001'), None, None, None)
    """
    if not _DECIMAL.fullmatch(text.strip()):
        return None
    number = Decimal(text.strip())
    return number if abs(number) < Decimal("1e300") else None


def parse_float(text: str) -> float | None:
    """Parse what :func:`parse_decimal` parses as a float.

    Examples
    --------
    >>> parse_float("0.30"), parse_float("-1e-3"), parse_float("nan"), parse_float("1_000")
    (0.3, -0.001, None, None)
    """
    if _PLAIN.fullmatch(text):  # nearly all, in a third of the time
        return float(text)
    number = parse_decimal(text)
    return None if number is None else float(number)


# ---------------------------------------------------------------------- writing


def atomic_write(path: Path, content: Content, *, staging_dir: Path | None = None) -> None:
    """Write a file so that readers see either the old or the complete new content.

    Parameters
    ----------
    path : Path
        The file to write or replace.
    content : str, bytes or iterable of str
        The content; text is written as UTF-8.
    staging_dir : Path, default None
        A folder on the same disk for the temporary file; None: the folder of ``path``.
    """
    atomic_write_all({path: content}, staging_dir=staging_dir)


def atomic_write_all(contents: Mapping[Path, Content], *, staging_dir: Path | None = None) -> None:
    """Write several files that belong together; none is replaced before all are complete.

    Parameters
    ----------
    contents : mapping of Path to str, bytes or iterable of str
        The files and their content.
    staging_dir : Path, default None
        As in :func:`atomic_write`.
    """
    staged: list[tuple[Path, Path]] = []
    with cleanup_on_signal():
        try:
            for path, content in contents.items():
                check_target(path)
                temporary = (staging_dir or path.parent) / f".{path.name[:80]}.{os.urandom(4).hex()}"
                staged.append((temporary, path))
                with _wrap_os_error(path):
                    _write_temporary(temporary, path, content)
            for temporary, path in staged:
                with _wrap_os_error(path):
                    os.replace(temporary, path)
        finally:
            for temporary, _ in staged:
                temporary.unlink(missing_ok=True)


@contextmanager
def cleanup_on_signal() -> Iterator[None]:
    """Run ``finally`` blocks before SIGTERM or SIGHUP ends the program, so that no temporary files are left behind."""
    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():  # only the main thread may set handlers
        signals = []
    signals = [each for each in signals if signal.getsignal(each) is signal.SIG_DFL]  # keep a server's own handlers
    for each in signals:
        signal.signal(each, _raise_terminated)
    try:
        yield
    except _Terminated as terminated:
        if terminated.number not in signals:  # an outer block set the handler and has its own cleanup
            raise
        signal.signal(terminated.number, signal.SIG_DFL)
        signal.raise_signal(terminated.number)
    finally:
        for each in signals:
            signal.signal(each, signal.SIG_DFL)


def check_target(path: Path) -> None:
    """Raise an error if a file cannot be written here, before any work is done."""
    if not path.parent.is_dir():
        raise FormatError(path, None, f"the folder {str(path.parent)!r} does not exist.")
    if path.is_dir():
        raise FormatError(path, None, "this is a folder, expected the name of a file to write.")
    if path.exists() and not path.is_file():
        raise FormatError(path, None, "this is a device or a pipe, expected the name of a file to write.")


class _Terminated(BaseException):
    """A signal asked the program to end."""

    def __init__(self, number: int) -> None:
        self.number = number


def _raise_terminated(number: int, _frame: object) -> NoReturn:
    raise _Terminated(number)


@contextmanager
def _wrap_os_error(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FormatError(path, None, f"cannot write: {error.strerror or error}.") from None


def _write_temporary(temporary: Path, path: Path, content: Content) -> None:
    pieces = [content] if isinstance(content, (str, bytes)) else content
    with open(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        for piece in pieces:
            file.write(piece.encode("utf-8", "surrogatepass") if isinstance(piece, str) else piece)
        file.flush()
        os.fsync(file.fileno())
    os.chmod(temporary, _file_mode(path))


def _file_mode(path: Path) -> int:
    """Return the mode of an existing file, or the mode that a new file would get."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
