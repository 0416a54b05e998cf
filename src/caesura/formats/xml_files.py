"""XML of other programs, parsed without what XML can do harm with."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from caesura.files import Source

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


class Declared(ValueError):
    """XML declares what our readers do not follow: entities or, where nobody needs one, a type of document."""


def parse_elements(content: bytes | str, *, doctype: bool = True) -> Element:
    """Parse XML, and refuse it as :class:`Declared` where it declares entities, or a type of document unless that may be there.

    The standard library's parser in C takes no such orders, and one in Python that does (defusedxml's) takes ten times as long. So a
    first pass looks for declarations alone; what is wrong otherwise the second one says, as a ``ParseError``.
    """
    from xml.etree.ElementTree import fromstring

    def refuse(name: str, *_: Any) -> Any:
        raise Declared(name)

    guard = expat.ParserCreate()
    guard.EntityDeclHandler = guard.UnparsedEntityDeclHandler = guard.ExternalEntityRefHandler = refuse
    if not doctype:
        guard.StartDoctypeDeclHandler = refuse
    with suppress(expat.ExpatError):
        guard.Parse(content, True)
    return fromstring(content)


def parse_xml(source: Source, root: str, program: str) -> Any:
    """Return the root element, or say in a sentence why the file is not what the program writes."""
    from xml.etree.ElementTree import ParseError

    try:
        element = parse_elements(source.raw if source.encoding is None else source.raw_text)  # else as the file says
    except ParseError as fault:
        line = getattr(fault, "position", (None,))[0]
        if source.encoding is None and "invalid token" in str(fault.msg) and not _is_utf8(source.raw):
            raise source.not_text(line) from None
        raise source.fault(line, f"this is not XML, or it is cut off: {fault.msg}.") from None
    except Declared:
        raise source.fault(None, f"this file defines XML entities, which no {program} file needs.") from None
    except (LookupError, ValueError) as fault:  # an encoding that nobody knows
        raise source.fault(None, f"this is not XML: {fault}.") from None
    if element.tag != root:
        raise source.fault(None, f"this is XML of another kind: its root is {element.tag!r}, not {root}.")
    return element


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True
