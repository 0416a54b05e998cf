"""Edit ELAN files: count what only the file holds, put changed annotations back, and add tiers; everything else stays as it is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cached_property
from typing import Any
from xml.etree import ElementTree

from caesura.errors import FormatError
from caesura.files import Source, parse_integer
from caesura.formats.editing import Row, is_same, match_spans, note_deleted, parse_tree, serialize_like
from caesura.formats.speech.eaf import EntryName, Vocabularies, names_of_tiers, times_of_annotations
from caesura.formats.speech.intervals import segments
from caesura.model import Corpus, Segmentation, Spans
from caesura.model.provenance import add_note
from caesura.text import pluralize

_SCHEMA = "http://www.w3.org/2001/XMLSchema-instance"

#: Annotations without times of their own have those of their parents.
DEPENDENTS_FOLLOW = True

#: What a corpus does not hold: the words for it (singular), and how to count it in a document.
_COUNTED = {
    "parent link": ".//TIER[@PARENT_REF]",
    "dependent annotation": ".//REF_ANNOTATION",
    "participant": ".//TIER[@PARTICIPANT]",
    "annotator": ".//TIER[@ANNOTATOR]",
    "vocabulary": "CONTROLLED_VOCABULARY",
    "media file": ".//MEDIA_DESCRIPTOR",
}


def structure(source: Source, *, tiers: str | None = None) -> dict[str, int]:
    """Count what an ELAN file holds beyond times, labels and the names of tracks."""
    root = parse_tree(source)
    named = re.findall(r"\{(\w+)\}", tiers or "")
    return {what: len(root.findall(path)) for what, path in _COUNTED.items() if what not in named}


def merge(
    source: Source, original: Corpus, corpus: Corpus, *, tiers: str | None = None, names: EntryName = "values"
) -> bytes | None:
    """Return the file with the marks of a corpus; None if the corpus lacks tiers of the file, which would be deleted.

    An annotation whose interval did not change keeps its id and its dependents; one that moved keeps them if it overlaps its old self by
    more than half and no other does so more. Others are deleted with their dependents, or added with new ids.
    """
    if {a.track for a in original} - {a.track for a in corpus} or len(corpus.coders) > 1:
        return None
    document = _Editor(source, names)
    own = {tier.get("TIER_ID", ""): tier for tier in document.root.findall("TIER")}
    tier_of = {} if tiers is None else {called: name for name, called in names_of_tiers(source, own, tiers).items()}
    before = {a.track: a.marks for a in original}
    for a in corpus:
        if isinstance(a.marks, (Segmentation, Spans)) and not is_same(before.get(a.track), a.marks):
            document.set_tier(tier_of.get(a.track, a.track), list(segments(a.marks)))
    return document.content()


def add_tiers(
    source: Source,
    tiers: Mapping[str, tuple[str, Segmentation | Spans]],
    givers: Mapping[str, Sequence[tuple[Source, Segmentation | Spans]]] | None = None,
) -> bytes:
    """Return the file with new tiers, each with the type and the participant of another tier.

    Parameters
    ----------
    source : Source
        The ELAN file.
    tiers : mapping of str to (str, marks)
        The name of each new tier, the tier that it is like ("" for the first), and its marks.
    givers : mapping of str to sequence of (Source, marks), default None
        For each new tier the files and the marks of the coders whose dependent annotations are copied: every new annotation gets those of
        the coder's annotation that it shares most time with. Each dependent tier becomes a new tier, ``gold translation``.
    """
    document = _Editor(source)
    for name, (like, marks) in tiers.items():
        document.add_tier(name, like, list(segments(marks)))
        found = [_Giver(file, list(segments(theirs))) for file, theirs in (givers or {}).get(name, ())]
        document.copy_dependents(name, [giver for giver in found if giver.tier is not None])
    return document.content()


class _Giver:
    """A coder's file, whose dependent annotations are copied, with the times and the tier of the coder's annotations."""

    def __init__(self, source: Source, spans: Sequence[Row]) -> None:
        self.root, self.times = parse_tree(source), times_of_annotations(source)
        self.tiers = {tier.get("TIER_ID", ""): tier for tier in self.root.findall("TIER")}
        wanted = {(round(start * 1000), round(end * 1000)) for start, end, _ in spans}
        many = {name: sum(self._milliseconds(each) in wanted for each in tier) for name, tier in self.tiers.items()}
        best = max(
            many, key=lambda name: many[name], default=""
        )  # the first of equals: a parent comes before its dependents
        self.tier = best if many.get(best) else None

    def _milliseconds(self, element: Any) -> tuple[int, int] | None:
        times = self.times.get(element[0].get("ANNOTATION_ID", "")) if len(element) else None
        return None if times is None else (round(times[0] * 1000), round(times[1] * 1000))

    def nearest(self, start: float, end: float, label: str) -> tuple[float, bool, str]:
        """Return the annotation of the coder that shares most time with a stretch: its time, whether it has this label, and its id."""
        shared = []
        for each in self.tiers[self.tier or ""]:
            name = each[0].get("ANNOTATION_ID", "") if len(each) else ""
            if name in self.times:
                first, last = self.times[name]
                time = round(min(end, last) - max(start, first), 6)
                shared.append((time, each[0].findtext("ANNOTATION_VALUE") == label, name))
        return max(shared, key=lambda each: each[:2], default=(0.0, False, ""))

    def dependents(self, tier: str, annotation: str) -> Iterator[tuple[Any, Any]]:
        """Iterate over the annotations that depend on one, each with its tier; those with times of their own lie in its time."""
        start, end = self.times.get(annotation, (0.0, 0.0))
        for child in self.tiers.values():
            if child.get("PARENT_REF") != tier:
                continue
            for element in child:
                inner = element[0] if len(element) else None
                if inner is None or inner.get("ANNOTATION_ID") not in self.times:
                    continue
                first, last = self.times[inner.get("ANNOTATION_ID")]
                inside = inner.tag == "ALIGNABLE_ANNOTATION" and start <= (first + last) / 2 < end
                if inside or inner.get("ANNOTATION_REF") == annotation:
                    yield child, element


class _Editor:
    """A document with the ids that are taken."""

    def __init__(self, source: Source, names: EntryName = "values") -> None:
        self.source, self.root = source, parse_tree(source)
        self.entries = Vocabularies(self.root, names)
        order = self.root.find("TIME_ORDER")
        self.order = order if order is not None else ElementTree.SubElement(self.root, "TIME_ORDER")
        self.slots = {slot.get("TIME_SLOT_ID"): slot.get("TIME_VALUE") for slot in self.order}
        self.last_slot = max((_number(name) for name in self.slots), default=0)
        ids = (each.get("ANNOTATION_ID") for each in self.root.iter() if isinstance(each.tag, str))
        self.last_id = max((_number(name) for name in ids), default=0)

    @cached_property
    def times(self) -> dict[str, tuple[float, float]]:
        """The times of all annotations of the file, as they were before any change."""
        return times_of_annotations(self.source)

    def content(self) -> bytes:
        """Return the document as XML."""
        for each in self.root.iter("PROPERTY"):
            if each.get("NAME") == "lastUsedAnnotationId":
                each.text = str(max(self.last_id, parse_integer(each.text or "") or 0))
        ElementTree.register_namespace("xsi", _SCHEMA)
        return serialize_like(self.source, self.root)

    def slot(self, time: float) -> str:
        """Add a time slot and return its id."""
        milliseconds = _milliseconds(time)
        self.last_slot += 1
        name = f"ts{self.last_slot}"
        ElementTree.SubElement(self.order, "TIME_SLOT", TIME_SLOT_ID=name, TIME_VALUE=str(milliseconds))
        return name

    def add_tier(self, name: str, like: str, spans: Sequence[Row]) -> None:
        """Add a tier after the last one."""
        tiers = self.root.findall("TIER")
        model = next((tier for tier in tiers if tier.get("TIER_ID") == like), tiers[0] if tiers else None)
        if any(tier.get("TIER_ID") == name for tier in tiers):
            raise FormatError(None, None, f"the file already has a tier {name!r}; choose another name.")
        kept = ("LINGUISTIC_TYPE_REF", "PARTICIPANT", "DEFAULT_LOCALE", "LANG_REF")
        about = {key: model.get(key, "") for key in kept if model is not None and model.get(key)}
        tier = ElementTree.Element("TIER", {**({"LINGUISTIC_TYPE_REF": "default-lt"} | about), "TIER_ID": name})
        at = list(self.root).index(tiers[-1]) + 1 if tiers else list(self.root).index(self.order) + 1
        self.root.insert(at, tier)
        for span in spans:
            self._add(tier, span)

    def copy_dependents(self, name: str, givers: Sequence[_Giver]) -> None:
        """Give every annotation of a tier the dependents of the coder's annotation that it shares most time with; labels decide ties."""
        tier = next(each for each in self.root.findall("TIER") if each.get("TIER_ID") == name)
        kept = 0
        for each in tier if givers else ():
            start, end = self._seconds(each[0])
            label = each[0].findtext("ANNOTATION_VALUE") or ""
            found = [(giver, giver.nearest(start, end, label)) for giver in givers]
            giver, (shared, _, old) = max(found, key=lambda pair: pair[1][:2])  # the first coder of equals
            if shared > 0:
                new = each[0].get("ANNOTATION_ID", "")
                kept += self._copy(giver, giver.tier or "", old, name, new, (start, end), name)
        if kept:
            add_note("dependents", f"{pluralize(kept, 'dependent annotation')} copied to {name!r}.", count=kept)

    def _seconds(self, inner: Any) -> tuple[float, float]:
        slots = {slot.get("TIME_SLOT_ID"): slot.get("TIME_VALUE") for slot in self.order}
        first, last = (parse_integer(slots[inner.get(f"TIME_SLOT_REF{i}")] or "") or 0 for i in (1, 2))
        return first / 1000, last / 1000

    def _copy(
        self, giver: _Giver, tier: str, old: str, new_tier: str, new: str, time: tuple[float, float], prefix: str
    ) -> int:
        """Copy what depends on an annotation, and what depends on that; return the number of copies."""
        renamed: dict[str, str] = {}
        copies = 0
        for child, element in list(giver.dependents(tier, old)):
            inner = element[0]
            own = giver.times[inner.get("ANNOTATION_ID")]
            if inner.tag == "ALIGNABLE_ANNOTATION":  # within the new annotation
                own = max(own[0], time[0]), min(own[1], time[1])
                if own[1] <= own[0]:
                    continue
            target = self._dependent_tier(giver, child, new_tier, prefix)
            self.last_id += 1
            copied = deepcopy(element)
            known = renamed[inner.get("ANNOTATION_ID")] = f"a{self.last_id}"
            copied[0].set("ANNOTATION_ID", known)
            if inner.tag == "ALIGNABLE_ANNOTATION":
                for i in (0, 1):
                    copied[0].set(f"TIME_SLOT_REF{i + 1}", self.slot(round(own[i], 3)))
            else:
                copied[0].set("ANNOTATION_REF", new)
                before = renamed.get(copied[0].get("PREVIOUS_ANNOTATION", ""))
                copied[0].attrib.pop("PREVIOUS_ANNOTATION", None)
                copied[0].attrib |= {} if before is None else {"PREVIOUS_ANNOTATION": before}
            target.append(copied)
            below = child.get("TIER_ID", ""), inner.get("ANNOTATION_ID"), target.get("TIER_ID"), known
            copies += 1 + self._copy(giver, *below, own if inner.tag == "ALIGNABLE_ANNOTATION" else time, prefix)
        return copies

    def _dependent_tier(self, giver: _Giver, child: Any, parent: str, prefix: str) -> Any:
        """Return the new tier for the annotations of a dependent tier, with its type, which another file may have to give."""
        name = f"{prefix} {child.get('TIER_ID')}"
        tiers = self.root.findall("TIER")
        if (known := next((tier for tier in tiers if tier.get("TIER_ID") == name), None)) is not None:
            return known
        made = ElementTree.Element("TIER", {**child.attrib, "TIER_ID": name, "PARENT_REF": parent})
        self.root.insert(list(self.root).index(tiers[-1]) + 1, made)
        kind = self._with_definition(giver, "LINGUISTIC_TYPE", "LINGUISTIC_TYPE_ID", child.get("LINGUISTIC_TYPE_REF"))
        if kind is not None:
            self._with_definition(giver, "CONTROLLED_VOCABULARY", "CV_ID", kind.get("CONTROLLED_VOCABULARY_REF"))
        return made

    def _with_definition(self, giver: _Giver, tag: str, key: str, name: str | None) -> Any:
        """Return the type or vocabulary of this name; copy it from the coder's file if this one lacks it."""
        own, theirs = (
            next((each for each in root.iter(tag) if each.get(key) == name), None) for root in (self.root, giver.root)
        )
        if own is None and theirs is not None:
            alike = [n for n, each in enumerate(self.root) if each.tag == tag]
            self.root.insert(alike[-1] + 1 if alike else len(self.root), deepcopy(theirs))
        return own if own is not None else theirs

    def set_tier(self, name: str, spans: Sequence[Row]) -> None:
        """Replace the annotations of a tier, or add the tier."""
        tier = next((each for each in self.root.findall("TIER") if each.get("TIER_ID") == name), None)
        if tier is None:
            self.add_tier(name, "", spans)
            return
        if tier.find("ANNOTATION/REF_ANNOTATION") is not None:
            self._set_dependents(tier, spans)
            return
        rows = {
            id(each): row
            for each in tier.findall("ANNOTATION[ALIGNABLE_ANNOTATION]")
            if (row := self._row(tier, each))[0] < row[1]  # others are not read
        }
        old = [each for each in tier if id(each) in rows]
        kept = {j: old[i] for j, i in match_spans(list(rows.values()), spans).items()}
        matched = set(map(id, kept.values()))
        for element in old:
            if id(element) not in matched:
                self._delete(tier, element)
        moved = len(kept) < max(len(old), len(spans))
        for i, span in enumerate(spans):
            if i not in kept:
                self._add(tier, span)
                continue
            inner = kept[i].find("ALIGNABLE_ANNOTATION")
            for side, (now, before) in enumerate(zip(span[:2], rows[id(kept[i])][:2], strict=True), 1):
                if abs(now - before) > 1e-6:
                    inner.set(f"TIME_SLOT_REF{side}", self.slot(now))
                    moved = True
            self._rename(tier, inner, span[2])
        if moved:
            self._fix_computed(kept.values())

    def _fix_computed(self, elements: Iterable[Any]) -> None:
        """Give slots without a time the computed one, which would be another now that the neighbours changed."""
        timeless = {slot.get("TIME_SLOT_ID"): slot for slot in self.order if slot.get("TIME_VALUE") is None}
        for element in elements:
            inner = element.find("ALIGNABLE_ANNOTATION")
            for side, time in enumerate(self.times[inner.get("ANNOTATION_ID")], 1):
                slot = timeless.get(inner.get(f"TIME_SLOT_REF{side}"))
                if slot is not None:
                    slot.set("TIME_VALUE", str(_milliseconds(time)))

    def _rename(self, tier: Any, inner: Any, label: str) -> None:
        """Change the name of an annotation if it is another."""
        name = tier.get("TIER_ID", "")
        if self.entries.name(name, inner) != label:
            self.entries.rename(name, inner, label)

    def _row(self, tier: Any, element: Any) -> Row:
        """Return an annotation as it was read: start, end and name. Slots without a time have a computed one."""
        return (
            *self.times[element[0].get("ANNOTATION_ID", "")],
            self.entries.name(tier.get("TIER_ID", ""), element[0]),
        )

    def _set_dependents(self, tier: Any, spans: Sequence[Row]) -> None:
        """Change the values of annotations that have the times of their parents, and delete those without a span."""
        old = [each for each in tier if each.tag == "ANNOTATION" and len(each)]
        matched = match_spans([self._row(tier, each) for each in old], spans)
        for i in set(range(len(old))) - set(matched.values()):
            self._delete(tier, old[i])
        for j, i in matched.items():
            self._rename(tier, old[i][0], spans[j][2])

    def _delete(self, tier: Any, element: Any) -> None:
        """Delete an annotation and all that depend on it."""
        gone = {element[0].get("ANNOTATION_ID")}
        tier.remove(element)
        deleted: Counter[str] = Counter()
        found = True
        while found:
            found = False
            for other in self.root.findall("TIER"):
                for each in list(other):
                    inner = each.find("REF_ANNOTATION")
                    if inner is not None and inner.get("ANNOTATION_REF") in gone:
                        gone.add(inner.get("ANNOTATION_ID"))
                        other.remove(each)
                        deleted[other.get("TIER_ID", "")] += 1
                        found = True
        note_deleted(sum(deleted.values()), "annotation")

    def _add(self, tier: Any, span: Row) -> None:
        start, end, label = span
        self.last_id += 1
        element = ElementTree.SubElement(tier, "ANNOTATION")
        about = {
            "ANNOTATION_ID": f"a{self.last_id}",
            "TIME_SLOT_REF1": self.slot(start),
            "TIME_SLOT_REF2": self.slot(end),
        }
        inner = ElementTree.SubElement(element, "ALIGNABLE_ANNOTATION", about)
        ElementTree.SubElement(inner, "ANNOTATION_VALUE").text = label


def _milliseconds(time: float) -> int:
    if abs(time * 1000 - round(time * 1000)) > 1e-6:
        raise FormatError(None, None, f"the time {time:.10g} s is between two milliseconds, which ELAN cannot hold.")
    return round(time * 1000)


def _number(name: str | None) -> int:
    """Return the number at the end of an id such as ts12."""
    digits = (name or "").lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-")
    return parse_integer(digits) or 0
