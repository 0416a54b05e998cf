"""Restore the vowels in documents: Word files and Praat TextGrids. Everything but the marks stays byte for byte as it is.

Subtitles (SRT, WebVTT) and other text files need nothing of this: a restorer changes the words of its language only, and reads the lines of a subtitle
together.
"""

from __future__ import annotations

import codecs
import io
import re
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, unescape

from caesura.errors import FormatError

if TYPE_CHECKING:
    from caesura_vowels import VowelRestorer

#: Suffixes of the documents, in lower case.
SUFFIXES = (".docx", ".textgrid")
_MAX_PART = 1 << 28  # bytes of a part of a Word file after decompression
_WORD_PARTS = re.compile(r"word/(document|footnotes|endnotes|comments|header\d*|footer\d*)\.xml")
# The text of a run; the end of a paragraph; a line break or tab, which separate words.
_WORD_TEXT = re.compile(r"(<w:t(?:\s[^>]*)?>)([^<]*)(?=</w:t>)|(</w:p>)|(<w:(?:br|cr|tab)(?:\s[^>]*)?/>)")
_GRID_LINE = re.compile(r'^(\s*)(name|text|mark) = "((?:[^"]|"")*)"', re.MULTILINE)


def restore_document(restorer: VowelRestorer, path: Path, tier: str | None = None) -> bytes:
    """Return a document with its vowels.

    Parameters
    ----------
    restorer : VowelRestorer
        A trained restorer.
    path : Path
        A Word file (.docx) or a TextGrid in Praat's long text format.
    tier : str, default None
        The only tier of a TextGrid to restore; None: all tiers.

    Returns
    -------
    bytes
        The content of the new file.

    Raises
    ------
    FormatError
        If the file is damaged or of another kind, or has no such tier.
    """
    if not path.is_file():
        raise FormatError(path, None, "there is no such file.")
    raw = path.read_bytes()
    return (
        _restore_grid(restorer, path, raw, tier)
        if path.suffix.lower() == ".textgrid"
        else _restore_word(restorer, path, raw)
    )


def document_text(content: bytes, tier: str | None = None) -> str:
    """Return the text of a document that :func:`restore_document` returned.

    Parameters
    ----------
    content : bytes
        A Word file or a TextGrid.
    tier : str, default None
        The tier of a TextGrid; None for all tiers.

    Returns
    -------
    str
        The body of the Word file, or the labels of the TextGrid, one per line.
    """
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            xml = archive.read("word/document.xml").decode("utf-8")
        return "".join(text or "\n" for _, text, _, _ in _WORD_TEXT.findall(xml))
    text = content.decode(_grid_encoding(content))
    return "\n".join(match[3] for match in _labels(text, tier))


def _restore_word(restorer: VowelRestorer, path: Path, raw: bytes) -> bytes:
    target = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(target, "w") as new:
            if "word/document.xml" not in old.namelist():
                raise FormatError(path, None, "this is not a Word file: it has no word/document.xml.")
            for entry in old.infolist():
                if entry.file_size > _MAX_PART:
                    raise FormatError(path, None, f"{entry.filename} has more than {_MAX_PART} bytes.")
                content = old.read(entry)
                if _WORD_PARTS.fullmatch(entry.filename):
                    content = restore_word_xml(restorer, content.decode("utf-8")).encode("utf-8")
                new.writestr(entry, content, entry.compress_type)
    except (zipfile.BadZipFile, UnicodeDecodeError, NotImplementedError, RuntimeError, OSError) as fault:
        raise FormatError(path, None, f"this is not a Word file (.docx), or it is damaged: {fault}.") from None
    return target.getvalue()


def restore_word_xml(restorer: VowelRestorer, xml: str) -> str:
    """Restore the text of the XML of a Word file; a paragraph is read as a whole, though its words may be cut into several runs."""
    texts: list[str] = []
    for match in _WORD_TEXT.finditer(xml):
        _, text, paragraph, space = match.groups()
        texts.append("\n\n" if paragraph else "\n" if space else unescape(text, {"&quot;": '"', "&apos;": "'"}))
    restored = iter(restore_parts(restorer, texts))

    def put(match: re.Match[str]) -> str:
        text = next(restored)
        return match[1] + (escape(text) if text != _plain(match[2]) else match[2]) if match[1] else match[0]

    return _WORD_TEXT.sub(put, xml)


def _plain(text: str) -> str:
    return unescape(text, {"&quot;": '"', "&apos;": "'"})


def _restore_grid(restorer: VowelRestorer, path: Path, raw: bytes, tier: str | None) -> bytes:
    encoding = _grid_encoding(raw)
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        raise FormatError(path, None, "this TextGrid is neither UTF-8 nor UTF-16 text.") from None
    found = list(_GRID_LINE.finditer(text))
    names = [match[3].replace('""', '"') for match in found if match[2] == "name"]
    if not names:
        raise FormatError(
            path, None, "this is not a TextGrid in Praat's long text format; save it as a text file in Praat."
        )
    if tier is not None and tier not in names:
        raise FormatError(path, None, f"there is no tier {tier!r}; the tiers are {', '.join(map(repr, names))}.")
    wanted = _labels(text, tier)
    labels = [part for match in wanted for part in (match[3], "\n")]
    restored = restore_parts(restorer, labels)[::2]
    pieces, at = [], 0
    for match, label in zip(wanted, restored, strict=True):
        pieces += [text[at : match.start(3)], label]
        at = match.end(3)
    whole = "".join([*pieces, text[at:]])
    if encoding == "utf-16":
        order = "utf-16-le" if raw[:2] == codecs.BOM_UTF16_LE else "utf-16-be"
        return raw[:2] + whole.encode(order)
    return (codecs.BOM_UTF8 if raw.startswith(codecs.BOM_UTF8) else b"") + whole.encode("utf-8")


def _grid_encoding(raw: bytes) -> str:
    return "utf-16" if raw[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8-sig"


def _labels(text: str, tier: str | None) -> list[re.Match[str]]:
    """Return the labels of one tier of a TextGrid, or of all."""
    wanted: list[re.Match[str]] = []
    now = ""
    for match in _GRID_LINE.finditer(text):
        if match[2] == "name":
            now = match[3].replace('""', '"')
        elif tier is None or now == tier:
            wanted.append(match)
    return wanted


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
