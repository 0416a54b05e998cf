"""Files and texts that people bring: read by the formats, under limits, their names never trusted."""

from __future__ import annotations

import re
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from threading import Lock

from caesura.errors import CaesuraError, FormatError
from caesura.formats import read
from caesura.formats.catalog import all_formats
from caesura.formats.folders import rename_each
from caesura.model import Annotation, Corpus, Segmentation
from caesura.web.documents import DOCUMENTS, read_document
from caesura.web.settings import Limits

_ARCHIVES = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!")


@dataclass(frozen=True)
class Upload:
    """One file that somebody brought, with what lies beside it: suffix -> content."""

    name: str
    data: bytes
    beside: Mapping[str, bytes] = field(default_factory=dict)


def together(files: Sequence[Upload]) -> list[Upload]:
    """Put files to those that cannot be read without them: brat's text beside its spans, the type system beside a CAS.

    >>> [(u.name, list(u.beside)) for u in together([Upload("a.txt", b""), Upload("a.ann", b""), Upload("b.txt", b"")])]
    [('a.ann', ['.txt']), ('b.txt', [])]
    """
    known = {file.name.lower(): file for file in files}
    uploads, used = [], set()
    for file in files:
        stem, suffix = file.name[: file.name.rfind(".")], PurePosixPath(file.name).suffix.lower()
        beside = {}
        for wanted in _COMPANIONS.get(suffix, ()):
            companion = known.get(f"{stem}{wanted}".lower()) or known.get(_SHARED.get(wanted, ""))
            if companion is not None:
                beside[wanted] = companion.data
                used.add(companion.name)
        uploads.append(Upload(file.name, file.data, beside))
    return [file for file in uploads if file.name not in used]


#: Suffix of a file -> suffixes of those that lie beside it; and the name of one that all may share (as INCEpTION exports it).
_COMPANIONS = {".ann": (".txt",), ".xmi": (".typesystem.xml",)}
_SHARED = {".typesystem.xml": "typesystem.xml"}


def read_upload(
    name: str,
    data: bytes,
    limits: Limits,
    *,
    format: str | None = None,
    coder: str | None = None,
    beside: Mapping[str, bytes] | None = None,
    options: Mapping[str, str] | None = None,
    notes: list[str] | None = None,
) -> Corpus:
    """Read one uploaded file, with options of its format; faults, and ``notes`` of what was left out, name the file as the user knows it."""
    shown = plain_name(name)
    if data.startswith(_ARCHIVES) and not (shown.lower().endswith(".zip") and b"exportedproject" in data):
        raise FormatError(shown, None, "archives are not read; unpack it and bring the files.")
    with tempfile.TemporaryDirectory(prefix="caesura-") as folder:
        path = Path(folder) / f"upload{_suffix(shown)}"
        path.write_bytes(data)
        for suffix, content in (beside or {}).items():
            path.with_suffix(suffix).write_bytes(content)
        try:
            with _hear_warnings() as heard:
                corpus = read(path, format, **(options or {}))
        except FormatError as fault:
            raise FormatError(shown, fault.line, fault.why.replace(str(path), shown)) from None
        except CaesuraError as fault:
            raise FormatError(shown, None, str(fault).replace(str(path), shown)) from None
        except RecursionError:
            raise FormatError(shown, None, "the file is nested too deeply.") from None
    if notes is not None:
        notes += [each.replace(str(path), shown) for each in heard]
    if len(corpus.positions) > limits.boundaries:
        raise FormatError(
            shown,
            None,
            f"{len(corpus.positions)} {'spans' if corpus.kind == 'spans' else 'boundaries'}; up to {limits.boundaries} are taken.",
        )
    if any(marks.length > limits.length for _, _, marks, _ in corpus):
        raise FormatError(shown, None, f"it declares a text longer than the {limits.length:,} units that are taken.")
    if len(corpus) == 1 and shown.lower().endswith(".txt") and corpus.annotation(0).marks.length == 1:
        raise FormatError(
            shown, None, "it holds no marks; say what its units are, and it is taken as a text to annotate."
        )
    stem = shown.split(".")[0] or "item"
    return _rename(corpus, stem, coder)


_LISTENING = Lock()  # where warnings go is one setting for all threads


@contextmanager
def _hear_warnings() -> Iterator[list[str]]:
    """What readers warn about, which would go to the terminal of the server."""
    heard: list[str] = []
    with _LISTENING, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield heard
        heard += [str(each.message) for each in caught if issubclass(each.category, UserWarning)]


def read_text(text: str, limits: Limits, *, item: str, coder: str) -> Corpus:
    """Read pasted text with bars between segments."""
    _check_length(text, limits)
    marks = Segmentation.parse(text)
    if not marks.length:
        raise CaesuraError("the text holds no word.")
    return Corpus.from_annotations([Annotation(item, coder, marks)])


def split_raw_text(text: str, limits: Limits, unit: str) -> tuple[str, ...]:
    """A text that nobody has annotated, in units."""
    _check_length(text, limits)
    from caesura.segmenters.text.units import split_units

    units = tuple(text) if unit == "character" else split_units(text, _words_of if unit == "word" else unit).units
    if not "".join(units).strip():
        raise CaesuraError("the text holds no word.")
    return units


def _check_length(text: str, limits: Limits) -> None:
    if len(text) > limits.text_length:
        raise CaesuraError(f"the text has {len(text)} characters; up to {limits.text_length} are taken.")


def read_raw_file(name: str, data: bytes, limits: Limits, unit: str) -> tuple[str, tuple[str, ...]]:
    """A text file, or a word processor's, as the name of an item and its units."""
    shown = plain_name(name)
    if PurePosixPath(shown).suffix.lower() in DOCUMENTS:
        text = read_document(shown, data, limits.unpacked_bytes)
    else:
        text = _plain_text(shown, data)
    try:
        return PurePosixPath(shown).stem or "text", split_raw_text(text, limits, unit)
    except CaesuraError as fault:
        raise FormatError(shown, None, str(fault)) from None


def _plain_text(shown: str, data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise FormatError(shown, None, f"this is no UTF-8 text (byte {fault.start + 1}).") from None
    if "\0" in text:
        raise FormatError(shown, None, "this is no text: it holds zero bytes.")
    return text


def _words_of(text: str) -> list[tuple[int, int]]:
    return [word.span() for word in re.finditer(r"\S+", text)]


def plain_name(name: str, limit: int = 200) -> str:
    """A file's own name without folders and control characters.

    >>> plain_name("../../etc/pass\\x00wd.json")
    'passwd.json'
    """
    last = PurePosixPath(name.replace("\\", "/")).name
    return "".join(c for c in last if c.isprintable())[:limit] or "file"


def ascii_name(name: str) -> str:
    """A file's name in letters that every header can carry.

    >>> ascii_name("=Träume.csv")
    '_Tr_ume.csv'
    """
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in name)


def _suffix(name: str) -> str:
    """The suffix, in plain letters: nothing else of the name reaches the disk."""
    known = {suffix for each in all_formats() for suffix in each.suffixes}
    own = "".join(c for c in PurePosixPath(name).suffix.lower() if c.isascii() and (c.isalnum() or c == "."))
    return max((s for s in known if name.lower().endswith(s)), key=len, default=own[:10] or ".txt")


def _rename(corpus: Corpus, item: str, coder: str | None) -> Corpus:
    """Name the coder as the user did; an item that was named after the temporary file takes the upload's name."""
    if coder is not None and len(corpus.coders) > 1:
        raise CaesuraError(f"the file holds {len(corpus.coders)} coders, so one name for all of them does not fit.")
    named = coder or "coder"
    return rename_each(
        corpus, {"upload": item}, dict.fromkeys(("", "upload", *(corpus.coders if coder else ())), named)
    )
