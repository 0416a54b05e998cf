"""ELAN's .eaf: tiers of annotations between time slots, in milliseconds; a tier is a track.

Annotations that hang on others rather than on time slots share their parent's time: one has all of it, several an equal part
each, as ELAN draws them. Slots without a time lie evenly between their neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Unpack
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from caesura.errors import FormatError
from caesura.files import Source, line_of
from caesura.formats.numbers import as_whole
from caesura.formats.speech.intervals import (
    LONGEST,
    IntervalOptions,
    Rule,
    flat,
    of_recording,
    segmentation,
    segments,
)
from caesura.formats.speech.tiers import chosen_tiers
from caesura.model import Corpus

__all__ = ["read", "write"]

_NAME = "segments"  # of the tier where a corpus has no tracks
_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" DATE="2009-09-06T00:00:00+00:00" FORMAT="3.0" VERSION="3.0" \
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:noNamespaceSchemaLocation="http://www.mpi.nl/tools/elan/EAFv3.0.xsd">
    <HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/>
    <TIME_ORDER>
"""
_TAIL = """    <LINGUISTIC_TYPE GRAPHIC_REFERENCES="false" LINGUISTIC_TYPE_ID="default-lt" TIME_ALIGNABLE="true"/>
</ANNOTATION_DOCUMENT>
"""


@dataclass
class _Document:
    """What a file holds, by name."""

    source: Source
    slots: dict[str, float]
    tiers: dict[str, Any]
    spans: dict[str, tuple[float, float]] = field(default_factory=dict)

    def fault(self, why: str) -> FormatError:
        return FormatError(self.source.path, None, why)


def read(
    source: Source,
    *,
    tier: str | int | None = None,
    **intervals: Unpack[IntervalOptions],
) -> Corpus:
    """Read tiers as tracks; ``tier`` and the other options are those of TextGrids."""
    document = _parse(source)
    rule = Rule.of(**intervals)
    filled = {name: element for name, element in document.tiers.items() if len(element)}
    names = list(filled or document.tiers) if tier is None else list(document.tiers)
    spans = {name: _annotations(document, name) for name in document.tiers}
    end = max((stop for some in spans.values() for _, stop, _ in some), default=0.0)
    tracks = []
    for index, track in chosen_tiers(source, names, tier):
        name = names[index]
        some = sorted(spans[name])
        starts, ends, labels = zip(*some, strict=True) if some else ((), (), ())

        def fault(i: int, why: str, name: str = name) -> FormatError:
            return document.fault(f"tier {name!r}: {why}")

        tracks.append((track, segmentation(starts, ends, labels, rule=rule, fault=fault, length=end)))
    return of_recording(source, tracks)


def write(corpus: Corpus) -> Iterator[str]:
    """Write a tier a track; times between milliseconds are refused unless losses are allowed."""
    tracks = [(track or _NAME, list(segments(marks))) for _, track, _, marks in flat(corpus)]
    yield _HEAD
    number = 0
    for _, spans in tracks:
        for start, end, _ in spans:
            for time in (start, end):
                number += 1
                yield f'        <TIME_SLOT TIME_SLOT_ID="ts{number}" TIME_VALUE="{round(time * 1000)}"/>\n'
    yield "    </TIME_ORDER>\n"
    number = 0
    for name, spans in tracks:
        yield f'    <TIER LINGUISTIC_TYPE_REF="default-lt" TIER_ID={quoteattr(name)}>\n'
        for _, _, label in spans:
            number += 1
            yield (
                f'        <ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{number}" TIME_SLOT_REF1="ts{2 * number - 1}" '
                f'TIME_SLOT_REF2="ts{2 * number}"><ANNOTATION_VALUE>{escape(label, _KEPT)}</ANNOTATION_VALUE>'
                "</ALIGNABLE_ANNOTATION></ANNOTATION>\n"
            )
        yield "    </TIER>\n"
    yield _TAIL


_KEPT = {"\r": "&#13;"}  # XML would read a carriage return as a line feed


def _parse(source: Source) -> _Document:
    from xml.etree.ElementTree import ParseError

    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        root = fromstring(source.raw)
    except ParseError as fault:
        line = getattr(fault, "position", (None,))[0]
        raise FormatError(source.path, line, f"this is not XML, or it is cut off: {fault.msg}.") from None
    except DefusedXmlException:
        raise FormatError(source.path, None, "this file defines XML entities, which no ELAN file needs.") from None
    except (LookupError, ValueError) as fault:  # an encoding that nobody knows
        raise FormatError(source.path, None, f"this is not XML: {fault}.") from None
    if root.tag != "ANNOTATION_DOCUMENT":
        raise FormatError(
            source.path, None, f"this is XML of another kind: its root is {root.tag!r}, not ANNOTATION_DOCUMENT."
        )
    tiers = {element.get("TIER_ID", ""): element for element in root.findall("TIER")}
    return _Document(source, _slots(source, root), tiers)


def _slots(source: Source, root: Any) -> dict[str, float]:
    """Times in seconds of all slots; those without one lie evenly between the nearest that have."""
    order = root.find("TIME_ORDER")
    names = [slot.get("TIME_SLOT_ID", "") for slot in (() if order is None else order)]
    values = [slot.get("TIME_VALUE") for slot in (() if order is None else order)]
    for value in values:
        if value is not None and ((number := as_whole(value)) is None or not 0 <= number < LONGEST * 1000):
            raise FormatError(
                source.path,
                line_of(source, f'TIME_VALUE="{value}"'),
                f"a time slot has the value {value[:40]!r}, expected milliseconds from 0 up.",
            )
    known = [i for i, value in enumerate(values) if value is not None]
    times = (
        np.interp(np.arange(len(values)), known, [int(values[i] or 0) for i in known])
        if known
        else np.zeros(len(values))
    )
    return dict(zip(names, (times / 1000).tolist(), strict=True))


def _annotations(document: _Document, name: str) -> list[tuple[float, float, str]]:
    """Start, end and value of every annotation of a tier."""
    spans: list[tuple[float, float, str]] = []
    hanging: dict[str, list[tuple[str, str]]] = {}
    for element in document.tiers[name]:
        inner = element[0] if element.tag == "ANNOTATION" and len(element) else None
        if inner is None:
            continue
        value = inner.findtext("ANNOTATION_VALUE") or ""
        own = inner.get("ANNOTATION_ID", "")
        if inner.tag == "ALIGNABLE_ANNOTATION":
            ends = [inner.get(f"TIME_SLOT_REF{i}", "") for i in (1, 2)]
            if missing := [slot for slot in ends if slot not in document.slots]:
                raise document.fault(
                    f"annotation {own!r} of tier {name!r} names the time slot {missing[0]!r}, which is not there."
                )
            document.spans[own] = document.slots[ends[0]], document.slots[ends[1]]
            spans.append((*document.spans[own], value))
        else:
            hanging.setdefault(inner.get("ANNOTATION_REF", ""), []).append((own, value))
    for parent, children in hanging.items():
        start, end = _span(document, parent, name)
        step = (end - start) / len(children)
        for i, (own, value) in enumerate(children):
            document.spans[own] = start + i * step, end if i + 1 == len(children) else start + (i + 1) * step
            spans.append((*document.spans[own], value))
    return spans


def _span(document: _Document, annotation: str, name: str) -> tuple[float, float]:
    if annotation not in document.spans:
        parent = document.tiers[name].get("PARENT_REF")
        if parent not in document.tiers or parent == name:
            raise document.fault(f"tier {name!r} hangs on the annotation {annotation!r}, which is not there.")
        _annotations(document, parent)
        if annotation not in document.spans:
            raise document.fault(f"tier {name!r} hangs on the annotation {annotation!r}, which is not there.")
    return document.spans[annotation]
