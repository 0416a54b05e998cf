"""The text of word processors' files, .docx and .odt: a zip with XML inside, read without entities and up to a size."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from xml.etree.ElementTree import Element, ParseError

from caesura.errors import FormatError
from caesura.formats.archives import UNREADABLE, read_entry
from caesura.formats.xml_files import Declared, parse_elements

#: Suffix -> where the text stands in the archive.
DOCUMENTS = {".docx": "word/document.xml", ".odt": "content.xml"}

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_BLANKS = {f"{_WORD}tab": "\t", f"{_WORD}br": "\n", f"{_WORD}cr": "\n", f"{_TEXT}tab": "\t", f"{_TEXT}line-break": "\n"}
#: What is in the file and not in the text: what was deleted, remarks, notes at the foot.
_ASIDE = {
    *(f"{_WORD}{name}" for name in ("del", "moveFrom", "instrText", "footnoteReference")),
    *(f"{_TEXT}{name}" for name in ("note", "tracked-changes")),
    f"{_OFFICE}annotation",
}


def read_document(name: str, data: bytes, most: int) -> str:
    """The paragraphs of a document with an empty line between them; ``most`` bytes of XML are unpacked."""
    suffix = name[name.rfind(".") :].lower()
    try:
        content = read_entry(zipfile.ZipFile(io.BytesIO(data)), DOCUMENTS[suffix], most)
        root = parse_elements(content)
    except KeyError:
        raise FormatError(name, None, f"this is no {suffix} file: it holds no {DOCUMENTS[suffix]}.") from None
    except Declared:
        raise FormatError(name, None, "its XML declares entities, which are not read.") from None
    except UNREADABLE as fault:
        raise FormatError(name, None, f"this {suffix} file cannot be unpacked: {fault}.") from None
    except ParseError as fault:
        raise FormatError(name, None, f"its XML is damaged: {fault}.") from None
    return "\n\n".join("".join(_letters(paragraph)) for paragraph in _paragraphs(root))


def _paragraphs(element: Element) -> Iterator[Element]:
    """Paragraphs in order, those in tables and lists too, and none within another."""
    for child in element:
        if child.tag in (f"{_WORD}p", f"{_TEXT}p", f"{_TEXT}h"):
            yield child
        elif child.tag not in _ASIDE:
            yield from _paragraphs(child)


def _letters(element: Element) -> Iterator[str]:
    """The text inside, as it is read; of Word only runs hold text, of OpenDocument everything does."""
    open_document = element.tag.startswith((_TEXT, _OFFICE))
    if element.text and (open_document or element.tag == f"{_WORD}t"):
        yield element.text
    for child in element:
        if child.tag in _BLANKS:
            yield _BLANKS[child.tag]
        elif child.tag == f"{_TEXT}s":
            yield " " * min(1000, int(child.get(f"{_TEXT}c", "1")))
        elif child.tag not in _ASIDE:
            yield from _letters(child)
        if child.tail and open_document:
            yield child.tail
