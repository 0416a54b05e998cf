"""XML of other programs, parsed without what XML can do harm with."""

from __future__ import annotations

from typing import Any

from caesura.files import Source


def parse_xml(source: Source, root: str, program: str) -> Any:
    """Return the root element, or say in a sentence why the file is not what the program writes."""
    from xml.etree.ElementTree import ParseError

    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        element = fromstring(source.raw if source.encoding is None else source.raw_text)  # else as the file says
    except ParseError as fault:
        line = getattr(fault, "position", (None,))[0]
        if source.encoding is None and "invalid token" in str(fault.msg) and not _is_utf8(source.raw):
            raise source.not_text(line) from None
        raise source.fault(line, f"this is not XML, or it is cut off: {fault.msg}.") from None
    except DefusedXmlException:
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
