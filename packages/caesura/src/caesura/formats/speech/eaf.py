"""ELAN's .eaf: tiers of annotations between time slots, in milliseconds; a tier is a track.

A file whose tiers have no gaps is read as segments, any other as spans (``as=boundaries`` reads these as segments too). Annotations that refer
to a parent annotation and not to time slots divide the time of the parent equally, in the order of their chain, as ELAN draws them. Slots without
a time are spread evenly between the nearest slots with a time along the annotations of their tier.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal, TypeAlias, Unpack
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from caesura.errors import FormatError
from caesura.files import Source, find_line, first_repeated, parse_integer, parse_xml
from caesura.formats.speech.intervals import (
    LONGEST,
    ChosenTier,
    IntervalRules,
    IntervalSpanOptions,
    chosen_tiers,
    intervals_of,
    is_tiled,
    marks_of_intervals,
    note_no_duration,
    recording_corpus,
    segments,
    sole_tier_name,
)
from caesura.model import Corpus, Segmentation, Spans
from caesura.model.provenance import COMPUTED, add_note
from caesura.text import pluralize

#: The name of an annotation from a controlled vocabulary: the value of its entry, or the description.
EntryName: TypeAlias = Literal["values", "descriptions"]
#: Whether tiers whose times are computed are scored.
ComputedTimes: TypeAlias = Literal["out", "in"]

_Span: TypeAlias = tuple[float, float, str]  # start, end and value of an annotation

#: What names of tiers may contain, and the attribute that holds it.
_ABOUT_TIERS = {
    "tier": "TIER_ID",
    "participant": "PARTICIPANT",
    "annotator": "ANNOTATOR",
    "type": "LINGUISTIC_TYPE_REF",
}

_PER_SECOND = {"milliseconds": 1000, "PAL-frames": 25, "NTSC-frames": 30000 / 1001}
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
class _ElanDocument:
    """The time slots, tiers and annotations of a file, by id."""

    source: Source
    slots: dict[str, float]
    timed: set[str]  # the slots that have a time
    tiers: dict[str, Any]
    entries: Vocabularies
    spans: dict[str, tuple[float, float]] = field(default_factory=dict)
    computed: dict[str, set[str]] = field(default_factory=dict)  # by tier, annotations whose times are computed

    def error(self, annotation: str | None, why: str) -> FormatError:
        """Return an error about an annotation, with its line."""
        return self.source.error(find_line(self.source, f'ANNOTATION_ID="{annotation}"'), why)

    def annotation_at(self, span: tuple[float, ...]) -> str | None:
        """Return the id of the annotation with these times."""
        return next((name for name, times in self.spans.items() if times == span), None)


def read(
    source: Source,
    *,
    tier: str | int | None = None,
    names: EntryName = "values",
    coder: Literal["annotator"] | None = None,
    computed: ComputedTimes = "out",
    tiers: str | None = None,
    **intervals: Unpack[IntervalSpanOptions],
) -> Corpus:
    """Read tiers as tracks.

    Parameters
    ----------
    tier : str or int, default None
        As in TextGrids: a name, a position counted from 1, or a pattern; None: all tiers with annotations.
    names : {'values', 'descriptions'}, default 'values'
        Whether annotations are named by their values, or by the descriptions of these in their controlled vocabulary.
    coder : {'annotator'}, default None
        Whether the annotator of each tier is its coder; tiers of one linguistic type are then one track.
    computed : {'out', 'in'}, default 'out'
        Whether tiers are scored in which annotations divide the time of their parents equally, or have slots without a time.
    tiers : str, default None
        What tracks are called, with ``{tier}``, ``{participant}``, ``{annotator}`` and ``{type}``: "{participant} - {tier}"; None: as the
        tiers. Tiers without a participant (annotator, type) that is named here are called as they are.
    """
    document = _parse(source, names)
    rule = IntervalRules.from_options(**intervals)
    filled = {name: element for name, element in document.tiers.items() if len(element)}
    listed = list(filled or document.tiers) if tier is None else list(document.tiers)
    try:
        spans = {name: _annotations(document, name) for name in document.tiers}
    except RecursionError:
        raise source.error(None, "its tiers refer to one another in a circle, or are nested too deeply.") from None
    end = max((stop for some in spans.values() for _, stop, _ in some), default=0.0)
    chosen = chosen_tiers(source, listed, tier)
    if coder == "annotator":
        chosen = _by_annotator(document, listed, chosen)
    if tiers is not None:
        called = names_of_tiers(source, document.tiers, tiers)
        own = [listed[each.position] for each in chosen]
        chosen = [
            each._replace(track=called[name]) if each.track == name or tier is None else each
            for each, name in zip(chosen, own, strict=True)
        ]
    _note_computed(document, listed, chosen, computed)
    tiled = all(is_tiled(sorted(spans[listed[index]]), end) for index, _, _ in chosen)
    as_spans = rule.as_ == "spans" or (rule.as_ == "auto" and not tiled)
    # a time slot after all annotations gives the length of the recording
    length = max([end, *document.slots.values()]) if as_spans else end
    tracks: list[tuple[str, str, Segmentation | Spans]] = []
    for index, owner, track in chosen:
        name = listed[index]
        some = _drop_empty(document, name, sorted(spans[name]))

        def error(i: int, why: str, name: str = name, some: list[_Span] = some) -> FormatError:
            return document.error(document.annotation_at(some[i][:2]), f"tier {name!r}: {why}")

        marks = marks_of_intervals(some, as_spans=as_spans, rule=rule, length=length, error=error)
        tracks.append((owner, track, marks))
    return recording_corpus(source, tracks)


def names_of_tiers(source: Source, tiers: Mapping[str, Any], pattern: str) -> dict[str, str]:
    """Return what the tiers of a document are called by a pattern such as "{participant} - {tier}".

    Parameters
    ----------
    source : Source
        The file.
    tiers : mapping of str to Element
        The tiers by their own names.
    pattern : str
        The pattern.
    """
    parts = re.findall(r"\{(\w*)\}", pattern)
    if "tier" not in parts or not set(parts) <= _ABOUT_TIERS.keys():
        raise source.error(
            None, f"tiers is {pattern!r}; expected {{tier}}, and {{participant}}, {{annotator}} or {{type}} beside it."
        )
    texts = re.split(r"\{\w*\}", pattern)
    called = {}
    for name, element in tiers.items():
        about = [element.get(_ABOUT_TIERS[part], "").strip() if part != "tier" else name for part in parts]
        called[name] = "".join(chain(*zip(texts, [*about, ""], strict=True))) if all(about) else name
    if (twice := first_repeated(called.values())) is not None:
        raise source.error(None, f"two tiers would be called {twice!r}; choose another tiers=.")
    return called


def _by_annotator(document: _ElanDocument, listed: list[str], chosen: list[ChosenTier]) -> list[ChosenTier]:
    """Make the annotator of each tier its coder; tiers of one linguistic type are one track, which several annotators may share."""
    owners = [document.tiers[listed[each.position]].get("ANNOTATOR", "") for each in chosen]
    if unknown := [listed[each.position] for each, owner in zip(chosen, owners, strict=True) if not owner]:
        names = ", ".join(unknown[:3]) + (" …" if len(unknown) > 3 else "")
        raise document.source.error(
            None,
            f"the tiers {names} name no annotator; choose tiers that do with tier=, or name the coder with coder=.",
        )
    types = [document.tiers[listed[each.position]].get("LINGUISTIC_TYPE_REF", "") for each in chosen]
    for tracks in ([""] * len(chosen), types):
        if len(set(zip(owners, tracks, strict=True))) == len(chosen):
            return [each._replace(coder=o, track=t) for each, o, t in zip(chosen, owners, tracks, strict=True)]
    return [each._replace(coder=owner) for each, owner in zip(chosen, owners, strict=True)]


def _note_computed(
    document: _ElanDocument, listed: list[str], chosen: list[ChosenTier], computed: ComputedTimes
) -> None:
    """Note the tiers whose times are computed."""
    for index, _, track in chosen:
        name = listed[index]
        if count := len(document.computed.get(name, ())):
            unless = ", and are not scored without computed=in (-O computed=in)" if computed == "out" else ""
            add_note(
                COMPUTED if computed == "out" else "computed times",
                f"{document.source.path}: {pluralize(count, 'annotation')} of the tier {name!r} {'has' if count == 1 else 'have'} no time; "
                f"computed times divide those of the parents equally{unless}.",
                count=count,
                example=track,
            )


def write(corpus: Corpus) -> Iterator[str]:
    """Write one tier per track; times between milliseconds are a loss."""
    listed = list(intervals_of(corpus))
    nameless = sole_tier_name(corpus)
    tracks = [(track or nameless, list(segments(marks))) for _, track, _, marks in listed]
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
                f'TIME_SLOT_REF2="ts{2 * number}"><ANNOTATION_VALUE>{escape(label, _ENTITIES)}</ANNOTATION_VALUE>'
                "</ALIGNABLE_ANNOTATION></ANNOTATION>\n"
            )
        yield "    </TIER>\n"
    yield _TAIL


def times_of_annotations(source: Source) -> dict[str, tuple[float, float]]:
    """Return start and end of every annotation by its id."""
    document = _parse(source, "values")
    for name in document.tiers:
        _annotations(document, name)
    return dict(document.spans)


_ENTITIES = {"\r": "&#13;"}  # XML parsers read a carriage return as a line feed


class Vocabularies:
    """The entries of a file's controlled vocabularies, by id and, for older files, by value."""

    def __init__(self, root: Any, names: EntryName) -> None:
        self.names = names
        self.by_name: dict[str | None, tuple[str, str]] = {}  # value and description
        self.descriptions: dict[tuple[str, str], str] = {}  # of a value of a vocabulary
        self._spelled: dict[tuple[str, str], tuple[str | None, str]] = {}  # id and value of a name of a vocabulary
        for vocabulary in root.iter("CONTROLLED_VOCABULARY"):
            for entry in vocabulary:
                spelled = entry.find("CVE_VALUE") if entry.tag == "CV_ENTRY_ML" else entry
                if spelled is not None and entry.tag in ("CV_ENTRY_ML", "CV_ENTRY"):
                    value, description = (spelled.text or "").strip(), spelled.get("DESCRIPTION", "").strip()
                    self.by_name[entry.get("CVE_ID")] = value, description
                    self.descriptions[vocabulary.get("CV_ID", ""), value] = description
                    called = value if names == "values" else description or value
                    self._spelled.setdefault((vocabulary.get("CV_ID", ""), called), (entry.get("CVE_ID"), value))
        kinds = {kind.get("LINGUISTIC_TYPE_ID"): kind for kind in root.iter("LINGUISTIC_TYPE")}
        self.of_tier = {
            tier.get("TIER_ID", ""): kinds[tier.get("LINGUISTIC_TYPE_REF")].get("CONTROLLED_VOCABULARY_REF", "")
            for tier in root.findall("TIER")
            if tier.get("LINGUISTIC_TYPE_REF") in kinds
        }

    def name(self, tier: str, annotation: Any) -> str:
        """Return the value of an annotation, or its description; an empty value is that of the vocabulary's entry."""
        value, description = self.by_name.get(annotation.get("CVE_REF", ""), ("", ""))
        value = annotation.findtext("ANNOTATION_VALUE") or value
        if self.names == "values":
            return value
        return description or self.descriptions.get((self.of_tier.get(tier, ""), value), "") or value

    def rename(self, tier: str, annotation: Any, name: str) -> None:
        """Give an annotation another name: its value, and the reference to the vocabulary if there is one."""
        entry, value = self._spelled.get((self.of_tier.get(tier, ""), name), (None, name))
        if (spelled := annotation.find("ANNOTATION_VALUE")) is not None:
            spelled.text = value
        if entry is not None:
            annotation.set("CVE_REF", entry)
        else:
            annotation.attrib.pop("CVE_REF", None)


def _parse(source: Source, names: EntryName) -> _ElanDocument:
    root = parse_xml(source, "ANNOTATION_DOCUMENT", "ELAN")
    tiers = {element.get("TIER_ID", ""): element for element in root.findall("TIER")}
    entries = Vocabularies(root, names)
    if names == "descriptions" and not any(entries.descriptions.values()):
        external = " (those of other files, .ecv, are not read)" if root.find("EXTERNAL_REF") is not None else ""
        raise source.error(
            None, f"no controlled vocabulary of this file describes its values{external}; read names=values."
        )
    timed = {slot.get("TIME_SLOT_ID", "") for slot in root.iter("TIME_SLOT") if slot.get("TIME_VALUE") is not None}
    return _ElanDocument(source, _slots(source, root, tiers), timed, tiers, entries)


def _slots(source: Source, root: Any, tiers: dict[str, Any]) -> dict[str, float]:
    """Return the seconds of all slots; slots without a time are spread along the annotations of their tier, parent tiers first."""
    head = root.find("HEADER")
    counted = "milliseconds" if head is None else head.get("TIME_UNITS", "milliseconds")
    if (unit := _PER_SECOND.get(counted)) is None:
        raise source.error(None, f"the time unit is {counted!r}, expected {' or '.join(_PER_SECOND)}.")
    order = root.find("TIME_ORDER")
    names = [slot.get("TIME_SLOT_ID", "") for slot in (() if order is None else order)]
    values = [slot.get("TIME_VALUE") for slot in (() if order is None else order)]
    for value in values:
        if value is not None and ((number := parse_integer(value)) is None or not 0 <= number < LONGEST * 1000):
            raise source.error(
                find_line(source, f'TIME_VALUE="{value}"'),
                f"a time slot has the value {value[:40]!r}, expected milliseconds, 0 or more.",
            )
    times = {name: int(value) / unit for name, value in zip(names, values, strict=True) if value is not None}
    order_of = {name: i for i, name in enumerate(names)}
    depths = _depths(tiers)
    for tier in sorted(tiers.values(), key=lambda tier: depths[tier.get("TIER_ID", "")]):
        _spread(_edges(tier, order_of, times), times)
    known = [i for i, name in enumerate(names) if name in times]
    left = [
        i for i, name in enumerate(names) if name not in times
    ]  # without annotation, or before all slots with a time
    guessed = np.interp(left, known, [times[names[i]] for i in known]) if known else np.zeros(len(left))
    times |= {names[i]: time for i, time in zip(left, guessed.tolist(), strict=True)}
    return {name: times[name] for name in names}  # without ids that only annotations mention


def _depths(tiers: dict[str, Any]) -> dict[str, int]:
    """Count the ancestors of every tier; tiers in or below a cycle of parents have as many as there are tiers."""
    depths: dict[str, int] = {}
    for name in tiers:
        path: dict[str, None] = {}  # from the tier up to an ancestor whose depth is known, or to the root
        above: str | None = name
        while above in tiers and above not in depths and above not in path:
            path[above] = None
            above = tiers[above].get("PARENT_REF")
        depth = len(tiers) if above in path else depths.get(above or "", -1)
        for each in reversed(path):
            depth = min(depth + 1, len(tiers))
            depths[each] = depth
    return depths


def _edges(tier: Any, order_of: dict[str, int], times: dict[str, float]) -> list[list[str]]:
    """Return the edges of the annotations of a tier in order; slots of one edge, of which at most one has a time, are grouped."""
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
    """Set the times of the edges between two edges with a time, at equal distances."""
    before: int | None = None
    for i, place in enumerate(places):
        if place[0] not in times:
            continue
        if before is not None:
            start, step = times[places[before][0]], (times[place[0]] - times[places[before][0]]) / (i - before)
            for k in range(before + 1, i):
                times.update((slot, start + step * (k - before)) for slot in places[k])
        before = i


def _drop_empty(document: _ElanDocument, name: str, spans: list[_Span]) -> list[_Span]:
    """Drop annotations without a duration, with a note that names the first."""
    empty = [span for span in spans if span[0] == span[1]]
    if empty:
        first = find_line(document.source, f'ANNOTATION_ID="{document.annotation_at(empty[0][:2])}"')
        note_no_duration(document.source, len(empty), "annotation", first, name)
    return [span for span in spans if span[0] != span[1]]


def _annotations(document: _ElanDocument, name: str) -> list[_Span]:
    """Return start, end and value of every annotation of a tier."""
    spans: list[_Span] = []
    dependent: dict[str, dict[str, tuple[str, str]]] = {}
    for element in document.tiers[name]:
        inner = element[0] if element.tag == "ANNOTATION" and len(element) else None
        if inner is None:
            continue
        value = document.entries.name(name, inner)
        own = inner.get("ANNOTATION_ID", "")
        if inner.tag == "ALIGNABLE_ANNOTATION":
            ends = [inner.get(f"TIME_SLOT_REF{i}", "") for i in (1, 2)]
            if missing := [slot for slot in ends if slot not in document.slots]:
                raise document.error(
                    own,
                    f"annotation {own!r} of tier {name!r} refers to the time slot {missing[0]!r}, which does not exist.",
                )
            document.spans[own] = document.slots[ends[0]], document.slots[ends[1]]
            if not document.timed.issuperset(ends):
                document.computed.setdefault(name, set()).add(own)
            spans.append((*document.spans[own], value))
        else:
            before = inner.get("PREVIOUS_ANNOTATION", "")
            dependent.setdefault(inner.get("ANNOTATION_REF", ""), {})[own] = value, before
    for parent, children in dependent.items():
        start, end = _span(document, parent, name)
        step = (end - start) / len(children)
        if len(children) > 1:  # a single one has the time of its parent
            document.computed.setdefault(name, set()).update(children)
        for i, (own, value) in enumerate(_chain(children)):
            document.spans[own] = start + i * step, end if i + 1 == len(children) else start + (i + 1) * step
            spans.append((*document.spans[own], value))
    return spans


def _chain(children: dict[str, tuple[str, str]]) -> list[tuple[str, str]]:
    """Sort the children of an annotation: each follows the one that it names as previous, else file order is kept."""
    followers: dict[str, list[str]] = {}
    for own, (_, previous) in children.items():
        followers.setdefault(previous if previous in children else "", []).append(own)
    order: dict[str, None] = {}
    stack = followers.get("", [])[::-1]
    while stack:
        own = stack.pop()
        if own not in order:
            order[own] = None
            stack += followers.get(own, [])[::-1]
    return [(own, children[own][0]) for own in [*order, *(own for own in children if own not in order)]]


def _span(document: _ElanDocument, annotation: str, name: str) -> tuple[float, float]:
    if annotation not in document.spans:
        parent = document.tiers[name].get("PARENT_REF")
        if parent not in document.tiers or parent == name:
            raise _missing_parent(document, annotation, name)
        _annotations(document, parent)  # adds the times of the parent tier to the document
        if annotation not in document.spans:
            raise _missing_parent(document, annotation, name)
    return document.spans[annotation]


def _missing_parent(document: _ElanDocument, annotation: str, tier: str) -> FormatError:
    line = find_line(document.source, f'ANNOTATION_REF="{annotation}"')
    return document.source.error(line, f"tier {tier!r} refers to the annotation {annotation!r}, which does not exist.")
