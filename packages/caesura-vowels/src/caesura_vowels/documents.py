"""Restore the vowels in documents: Word files, Praat TextGrids and ELAN files. Everything but the marks stays byte for byte as it is.

Subtitles (SRT, WebVTT) and other text files need nothing of this: a restorer changes the words of its language only, and reads the lines of a subtitle
together.
"""

from __future__ import annotations

import codecs
import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from caesura.errors import FormatError

if TYPE_CHECKING:
    from caesura_vowels import VowelRestorer

#: Suffixes of the documents, in lower case; those with tiers, and all.
TIER_SUFFIXES = (".textgrid", ".eaf")
SUFFIXES = (".docx", *TIER_SUFFIXES)
_MAX_PART = 1 << 28  # bytes of a part of a Word file after decompression
_WORD_PARTS = re.compile(r"word/(document|footnotes|endnotes|comments|header\d*|footer\d*)\.xml")
# The text of a run; the end of a paragraph; a hyphen; what separates words otherwise.
_WORD_TEXT = re.compile(
    r"<w:t(?:\s[^>]*)?>(?P<text>[^<]*)(?=</w:t>)|(?P<paragraph></w:p>)|(?P<hyphen><w:noBreakHyphen\s*/>)"
    r"|<w:(?:br|cr|tab|ptab|footnoteReference|endnoteReference)(?:\s[^>]*)?/>"
)
# Both the long and the short text format: the head of a tier, another string, or a comment.
_GRID_START = re.compile(r'(?:File type = )?"ooTextFile(?: short)?"\s+(?:Object class = )?"TextGrid')
_GRID_TEXT = re.compile(
    r'"(?:IntervalTier|TextTier)"\s+(?:name = )?"(?P<name>(?:[^"]|"")*)"|"(?P<text>(?:[^"]|"")*)"|(?<!\S)![^\r\n]*'
)
_ELAN_TEXT = re.compile(
    r'<TIER\s[^>]*?\bTIER_ID="(?P<name>[^"]*)"|<ANNOTATION_VALUE>(?P<text>[^<]*)(?=</ANNOTATION_VALUE>)'
)
# What stands for one character.
_XML_ESCAPE = re.compile("(&[^;&]*;)")
_GRID_ESCAPE = re.compile('("")')


class _Piece(NamedTuple):
    """A part of a document and the text that it stands for; separators have no part: ``start`` and ``end`` are the same."""

    start: int
    end: int
    text: str


def restore_document(restorer: VowelRestorer, path: Path, tier: str | None = None) -> bytes:
    """Return a document with its vowels.

    Parameters
    ----------
    restorer : VowelRestorer
        A trained restorer.
    path : Path
        A Word file (.docx), a TextGrid as text, or an ELAN file (.eaf).
    tier : str, default None
        The only tier of a TextGrid or an ELAN file to restore; None: all tiers.

    Returns
    -------
    bytes
        The content of the new file.

    Raises
    ------
    FormatError
        If the file is damaged or of another kind, or has no such tier.
    """
    if path.suffix.lower() not in TIER_SUFFIXES:
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w") as new:
            for entry, content in _word_entries(path):
                if _WORD_PARTS.fullmatch(entry.filename):
                    xml = _decode(path, content, "utf-8")
                    content = _restore_pieces(restorer, xml, _word_pieces(xml)).encode("utf-8")
                new.writestr(entry, content, entry.compress_type)
        return target.getvalue()
    mark, encoding, text = _tier_text(path)
    return mark + _restore_pieces(restorer, text, _tier_pieces(path, text, tier)).encode(encoding)


def document_text(path: Path, tier: str | None = None) -> str:
    """Return the text of a document.

    Parameters
    ----------
    path : Path
        As for :func:`restore_document`.
    tier : str, default None
        The tier of a TextGrid or an ELAN file; None for all tiers.

    Returns
    -------
    str
        The body of the Word file, or the labels of the tiers, one per line.
    """
    if path.suffix.lower() not in TIER_SUFFIXES:
        body = next(content for entry, content in _word_entries(path) if entry.filename == "word/document.xml")
        return "".join(piece.text for piece in _word_pieces(_decode(path, body, "utf-8")))
    return "".join(piece.text for piece in _tier_pieces(path, _tier_text(path)[2], tier))


def _read(path: Path) -> bytes:
    if not path.is_file():
        raise FormatError(path, None, "there is no such file.")
    return path.read_bytes()


def _tier_text(path: Path) -> tuple[bytes, str, str]:
    """Return the byte order mark of a file, which may be empty, its encoding, and its text."""
    raw = _read(path)
    marks = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
    mark, encoding = next(((mark, name) for mark, name in marks.items() if raw.startswith(mark)), (b"", "utf-8"))
    return mark, encoding, _decode(path, raw[len(mark) :], encoding)


def _decode(path: Path, raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        raise FormatError(path, None, "the text in this file is neither UTF-8 nor UTF-16.") from None


def _word_entries(path: Path) -> Iterator[tuple[zipfile.ZipInfo, bytes]]:
    """Yield the files in a Word file, with their content."""
    try:
        with zipfile.ZipFile(io.BytesIO(_read(path))) as archive:
            if "word/document.xml" not in archive.namelist():
                raise FormatError(path, None, "this is not a Word file: it has no word/document.xml.")
            for entry in archive.infolist():
                if entry.file_size > _MAX_PART:
                    raise FormatError(path, None, f"{entry.filename} has more than {_MAX_PART} bytes.")
                yield entry, archive.read(entry)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as fault:
        raise FormatError(path, None, f"this is not a Word file (.docx), or it is damaged: {fault}.") from None


def _word_pieces(xml: str) -> Iterator[_Piece]:
    """Yield the text of the XML of a Word file; a word may be cut into several runs."""
    for match in _WORD_TEXT.finditer(xml):
        if match["text"] is not None:
            yield from _unescape(match, _XML_ESCAPE, unescape)
        else:
            between = "\n\n" if match["paragraph"] else "-" if match["hyphen"] else "\n"
            yield _Piece(match.start(), match.start(), between)


def _tier_pieces(path: Path, text: str, tier: str | None) -> list[_Piece]:
    """Return the labels of one tier, or of all; an empty line is between tiers."""
    grid = path.suffix.lower() == ".textgrid"
    pieces: list[_Piece] = []
    names: list[str] = []
    if grid and not _GRID_START.match(text):
        raise FormatError(
            path, None, "this is not a TextGrid in a text format, long or short; save it as a text file in Praat."
        )
    for match in (_GRID_TEXT if grid else _ELAN_TEXT).finditer(text):
        if match["name"] is not None:
            names.append(match["name"].replace('""', '"') if grid else unescape(match["name"]))
        elif match["text"] is not None and names and tier in (None, names[-1]):
            pieces += _unescape(match, _GRID_ESCAPE, lambda _: '"') if grid else _unescape(match, _XML_ESCAPE, unescape)
        else:
            continue
        pieces.append(_Piece(match.end(), match.end(), "\n"))
    if not names:
        raise FormatError(path, None, "this file has no tier.")
    if tier is not None and tier not in names:
        raise FormatError(path, None, f"there is no tier {tier!r}; the tiers are {', '.join(map(repr, names))}.")
    return pieces


def _unescape(match: re.Match[str], escape: re.Pattern[str], character: Callable[[str], str]) -> Iterator[_Piece]:
    """Yield the text of a match in pieces; what stands for one character is a piece of its own."""
    at = match.start("text")
    for n, part in enumerate(escape.split(match["text"])):
        yield _Piece(at, at + len(part), character(part) if n % 2 else part)
        at += len(part)


def _restore_pieces(restorer: VowelRestorer, document: str, pieces: Iterable[_Piece]) -> str:
    """Return a document with the marks of its pieces; everything else stays."""
    pieces = list(pieces)
    out: list[str] = []
    at = 0
    for piece, new in zip(pieces, restore_parts(restorer, [piece.text for piece in pieces]), strict=True):
        if piece.start < piece.end:
            written = document[piece.start : piece.end]
            kept = new.startswith(piece.text)  # unless marks are replaced
            out += [document[at : piece.start], written + new.removeprefix(piece.text) if kept else new]
            at = piece.end
    return "".join([*out, document[at:]])


def restore_parts(restorer: VowelRestorer, parts: Sequence[str]) -> list[str]:
    """Restore a text that is cut into parts, anywhere; return the parts, each with the marks of its letters.

    >>> from caesura_vowels import VowelRestorer
    >>> restore_parts(VowelRestorer().fit(["דָוִד רָב"]), ["ד", "וד ר", "ב"]) == ["דָ", "וִד רָ", "ב"]
    True
    """
    strip: Callable[[str], str] = restorer.script.strip
    if restorer.existing == "replace":
        parts = [strip(part) for part in parts]
    restored = restorer.restore("".join(parts))
    marks, at, out = restorer.script.targets, 0, []
    following = "".join(parts)
    passed = 0
    for part in parts:
        start = at
        for char in part:  # the text without new marks is the old one: find each of its characters
            while restored[at] != char:
                at += 1
            at += 1
        passed += len(part)
        behind = following[passed : passed + 1]
        while part and at < len(restored) and restored[at] in marks and restored[at] != behind:
            at += 1
        out.append(restored[start:at])
    return out
