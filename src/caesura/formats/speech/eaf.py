"""ELAN's .eaf: tiers of annotations between time slots, in milliseconds; a tier is a track.

A file whose tiers have no gaps is read as segments, any other as spans (``as=boundaries`` takes those for segments too).
Annotations that hang on others rather than on time slots share their parent's time: one has all of it, several an equal part
each in the order of their chain, as ELAN draws them. Slots without a time lie evenly between the nearest with one along the annotations of their tier.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, Unpack
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from caesura.errors import FormatError
from caesura.files import Source, line_of
from caesura.formats.numbers import as_whole
from caesura.formats.speech.intervals import (
    LONGEST,
    Rule,
    SpanOptions,
    intervals_of,
    is_tiled,
    marks_of_intervals,
    of_recording,
    segments,
)
from caesura.formats.speech.tiers import chosen_tiers
from caesura.formats.xml_files import parse_xml
from caesura.model import Corpus, Segmentation, Spans

#: What names an annotation with an entry of a controlled vocabulary: the entry, or what the vocabulary says of it.
Names: TypeAlias = Literal["values", "descriptions"]

_Span: TypeAlias = tuple[float, float, str]  # start, end and value of an annotation

_PER_SECOND = {"milliseconds": 1000, "PAL-frames": 25, "NTSC-frames": 30000 / 1001}
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
    entries: _Vocabularies
    spans: dict[str, tuple[float, float]] = field(default_factory=dict)

    def fault(self, annotation: str | None, why: str) -> FormatError:
        """The complaint about an annotation, with its line."""
        return self.source.fault(line_of(self.source, f'ANNOTATION_ID="{annotation}"'), why)

    def annotation_at(self, span: tuple[float, ...]) -> str | None:
        """The annotation that has these times."""
        return next((name for name, times in self.spans.items() if times == span), None)


def read(
    source: Source, *, tier: str | int | None = None, names: Names = "values", **intervals: Unpack[SpanOptions]
) -> Corpus:
    """Read tiers as tracks; ``tier`` and the options of intervals are those of TextGrids.

    Parameters
    ----------
    names
        ``descriptions`` names annotations by what their controlled vocabulary says of their values.
    """
    document = _parse(source, names)
    rule = Rule.of(**intervals)
    filled = {name: element for name, element in document.tiers.items() if len(element)}
    listed = list(filled or document.tiers) if tier is None else list(document.tiers)
    spans = {name: _annotations(document, name) for name in document.tiers}
    end = max((stop for some in spans.values() for _, stop, _ in some), default=0.0)
    chosen = chosen_tiers(source, listed, tier)
    tiled = all(is_tiled(sorted(spans[listed[index]]), end) for index, _, _ in chosen)
    as_spans = rule.as_ == "spans" or (rule.as_ == "auto" and not tiled)
    length = (
        max([end, *document.slots.values()]) if as_spans else end
    )  # a slot behind all annotations says how long it is
    tracks: list[tuple[str, str, Segmentation | Spans]] = []
    for index, coder, track in chosen:
        name = listed[index]
        some = _lasting(document, name, sorted(spans[name]))

        def fault(i: int, why: str, name: str = name, some: list[_Span] = some) -> FormatError:
            return document.fault(document.annotation_at(some[i][:2]), f"tier {name!r}: {why}")

        marks = marks_of_intervals(some, as_spans=as_spans, rule=rule, length=length, fault=fault)
        tracks.append((coder, track, marks))
    return of_recording(source, tracks)


def write(corpus: Corpus) -> Iterator[str]:
    """Write a tier a track; times between milliseconds are refused unless losses are allowed."""
    listed = list(intervals_of(corpus))
    tracks = [(track or _NAME, list(segments(marks))) for _, track, _, marks in listed]
    yield _HEAD
    number = 0
    for _, spans in tracks:
        for start, end, _ in spans:
            for time in (start, end):
                number += 1
                yield f'        <TIME_SLOT TIME_SLOT_ID="ts{number}" TIME_VALUE="{round(time * 1000)}"/>\n'
    for end in {round(marks.length * 1000) for _, _, _, marks in listed if isinstance(marks, Spans)}:
        yield f'        <TIME_SLOT TIME_SLOT_ID="ts{number + 1}" TIME_VALUE="{end}"/>\n'
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


class _Vocabularies:
    """The entries of a file's controlled vocabularies, by their names and, as older files do it, by their values."""

    def __init__(self, root: Any, names: Names) -> None:
        self.names = names
        self.by_name: dict[str | None, tuple[str, str]] = {}  # value and description
        self.descriptions: dict[tuple[str, str], str] = {}  # of a value of a vocabulary
        for vocabulary in root.iter("CONTROLLED_VOCABULARY"):
            for entry in vocabulary:
                spelled = entry.find("CVE_VALUE") if entry.tag == "CV_ENTRY_ML" else entry
                if spelled is not None and entry.tag in ("CV_ENTRY_ML", "CV_ENTRY"):
                    value, description = (spelled.text or "").strip(), spelled.get("DESCRIPTION", "").strip()
                    self.by_name[entry.get("CVE_ID")] = value, description
                    self.descriptions[vocabulary.get("CV_ID", ""), value] = description
        kinds = {kind.get("LINGUISTIC_TYPE_ID"): kind for kind in root.iter("LINGUISTIC_TYPE")}
        self.of_tier = {
            tier.get("TIER_ID", ""): kinds[tier.get("LINGUISTIC_TYPE_REF")].get("CONTROLLED_VOCABULARY_REF", "")
            for tier in root.findall("TIER")
            if tier.get("LINGUISTIC_TYPE_REF") in kinds
        }

    def name(self, tier: str, annotation: Any) -> str:
        """Name an annotation by its value, or by what the vocabulary says of it; a value left empty is that of its entry."""
        value, description = self.by_name.get(
            annotation.get("CVE_REF", ""), ("", "")
        )  # never those of entries without a name
        value = annotation.findtext("ANNOTATION_VALUE") or value
        if self.names == "values":
            return value
        return description or self.descriptions.get((self.of_tier.get(tier, ""), value), "") or value


def _parse(source: Source, names: Names) -> _Document:
    root = parse_xml(source, "ANNOTATION_DOCUMENT", "ELAN")
    tiers = {element.get("TIER_ID", ""): element for element in root.findall("TIER")}
    entries = _Vocabularies(root, names)
    if names == "descriptions" and not any(entries.descriptions.values()):
        external = " (those of other files, .ecv, are not read)" if root.find("EXTERNAL_REF") is not None else ""
        raise source.fault(
            None, f"no controlled vocabulary of this file describes its values{external}; read names=values."
        )
    return _Document(source, _slots(source, root, tiers), tiers, entries)


def _slots(source: Source, root: Any, tiers: dict[str, Any]) -> dict[str, float]:
    """Times in seconds of all slots; those without one lie evenly along the annotations of their tier, outermost tiers first."""
    head = root.find("HEADER")
    counted = "milliseconds" if head is None else head.get("TIME_UNITS", "milliseconds")
    if (unit := _PER_SECOND.get(counted)) is None:
        raise source.fault(None, f"times are counted in {counted!r}, expected {' or '.join(_PER_SECOND)}.")
    order = root.find("TIME_ORDER")
    names = [slot.get("TIME_SLOT_ID", "") for slot in (() if order is None else order)]
    values = [slot.get("TIME_VALUE") for slot in (() if order is None else order)]
    for value in values:
        if value is not None and ((number := as_whole(value)) is None or not 0 <= number < LONGEST * 1000):
            raise source.fault(
                line_of(source, f'TIME_VALUE="{value}"'),
                f"a time slot has the value {value[:40]!r}, expected milliseconds from 0 up.",
            )
    times = {name: int(value) / unit for name, value in zip(names, values, strict=True) if value is not None}
    order_of = {name: i for i, name in enumerate(names)}
    for tier in sorted(tiers.values(), key=lambda tier: _depth(tiers, tier)):
        _spread(_places(tier, order_of, times), times)
    known = [i for i, name in enumerate(names) if name in times]
    left = [i for i, name in enumerate(names) if name not in times]  # of no annotation, or before all that have a time
    guessed = np.interp(left, known, [times[names[i]] for i in known]) if known else np.zeros(len(left))
    times |= {names[i]: time for i, time in zip(left, guessed.tolist(), strict=True)}
    return {name: times[name] for name in names}  # a slot that only annotations name is no slot


def _depth(tiers: dict[str, Any], tier: Any) -> int:
    """Count the tiers above one; a circle of parents ends after as many steps as there are tiers."""
    depth = 0
    while (tier := tiers.get(tier.get("PARENT_REF"))) is not None and depth < len(tiers):
        depth += 1
    return depth


def _places(tier: Any, order_of: dict[str, int], times: dict[str, float]) -> list[list[str]]:
    """The edges of a tier's annotations one after the other; slots that mean one place, though only one or none has a time, together."""
    spans = [(a.get("TIME_SLOT_REF1", ""), a.get("TIME_SLOT_REF2", "")) for a in tier.iter("ALIGNABLE_ANNOTATION")]
    places: list[list[str]] = []
    for start, end in sorted(spans, key=lambda span: order_of.get(span[0], 0)):
        if places and (start in places[-1] or not (start in times or places[-1][0] in times)):
            places[-1].append(start)
        else:
            places.append([start])
        places.append([end])
    return places


def _spread(places: list[list[str]], times: dict[str, float]) -> None:
    """Give the places between two that have a time theirs, at even steps."""
    before: int | None = None
    for i, place in enumerate(places):
        if place[0] not in times:
            continue
        if before is not None:
            start, step = times[places[before][0]], (times[place[0]] - times[places[before][0]]) / (i - before)
            for k in range(before + 1, i):
                times.update((slot, start + step * (k - before)) for slot in places[k])
        before = i


def _lasting(document: _Document, name: str, spans: list[_Span]) -> list[_Span]:
    """Leave out annotations that end where they start, with a warning that names the first."""
    empty = [span for span in spans if span[0] == span[1]]
    if empty:
        why = f"tier {name!r}: {len(empty)} annotations without a duration are left out, this the first."
        warnings.warn(str(document.fault(document.annotation_at(empty[0][:2]), why)), stacklevel=3)
    return [span for span in spans if span[0] != span[1]]


def _annotations(document: _Document, name: str) -> list[_Span]:
    """Start, end and value of every annotation of a tier."""
    spans: list[_Span] = []
    hanging: dict[str, dict[str, tuple[str, str]]] = {}
    for element in document.tiers[name]:
        inner = element[0] if element.tag == "ANNOTATION" and len(element) else None
        if inner is None:
            continue
        value = document.entries.name(name, inner)
        own = inner.get("ANNOTATION_ID", "")
        if inner.tag == "ALIGNABLE_ANNOTATION":
            ends = [inner.get(f"TIME_SLOT_REF{i}", "") for i in (1, 2)]
            if missing := [slot for slot in ends if slot not in document.slots]:
                raise document.fault(
                    own, f"annotation {own!r} of tier {name!r} names the time slot {missing[0]!r}, which is not there."
                )
            document.spans[own] = document.slots[ends[0]], document.slots[ends[1]]
            spans.append((*document.spans[own], value))
        else:
            before = inner.get("PREVIOUS_ANNOTATION", "")
            hanging.setdefault(inner.get("ANNOTATION_REF", ""), {})[own] = value, before
    for parent, children in hanging.items():
        start, end = _span(document, parent, name)
        step = (end - start) / len(children)
        for i, (own, value) in enumerate(_chain(children)):
            document.spans[own] = start + i * step, end if i + 1 == len(children) else start + (i + 1) * step
            spans.append((*document.spans[own], value))
    return spans


def _chain(children: dict[str, tuple[str, str]]) -> list[tuple[str, str]]:
    """Put the annotations that hang on one in the order of their chain, each behind the one it names, else as they stand."""
    behind: dict[str, list[str]] = {}
    for own, (_, before) in children.items():
        behind.setdefault(before if before in children else "", []).append(own)
    order: dict[str, None] = {}
    waiting = behind.get("", [])[::-1]
    while waiting:
        own = waiting.pop()
        if own not in order:
            order[own] = None
            waiting += behind.get(own, [])[::-1]
    return [(own, children[own][0]) for own in [*order, *(own for own in children if own not in order)]]


def _span(document: _Document, annotation: str, name: str) -> tuple[float, float]:
    if annotation not in document.spans:
        parent = document.tiers[name].get("PARENT_REF")
        if parent not in document.tiers or parent == name:
            raise _not_there(document, annotation, name)
        _annotations(document, parent)
        if annotation not in document.spans:
            raise _not_there(document, annotation, name)
    return document.spans[annotation]


def _not_there(document: _Document, annotation: str, tier: str) -> FormatError:
    line = line_of(document.source, f'ANNOTATION_REF="{annotation}"')
    return document.source.fault(line, f"tier {tier!r} hangs on the annotation {annotation!r}, which is not there.")
