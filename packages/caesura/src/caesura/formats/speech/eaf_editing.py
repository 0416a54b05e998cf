"""Edit ELAN files: count what only the file holds, put changed annotations back, and add tiers; everything else stays as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from caesura.errors import FormatError
from caesura.files import Source, parse_integer
from caesura.formats.editing import Row, is_same, match_spans, note_deleted, parse_tree, serialize_like
from caesura.formats.speech.eaf import times_of_annotations
from caesura.formats.speech.intervals import segments
from caesura.model import Corpus, Segmentation, Spans

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


def structure(source: Source) -> dict[str, int]:
    """Count what an ELAN file holds beyond times and labels."""
    root = parse_tree(source)
    return {what: len(root.findall(path)) for what, path in _COUNTED.items()}


def merge(source: Source, original: Corpus, corpus: Corpus) -> bytes | None:
    """Return the file with the marks of a corpus; None if the corpus lacks tiers of the file, which would be deleted.

    An annotation whose interval did not change keeps its id and its dependents; one that moved keeps them if it overlaps its old self by
    more than half and no other does so more. Others are deleted with their dependents, or added with new ids.
    """
    if {a.track for a in original} - {a.track for a in corpus} or len(corpus.coders) > 1:
        return None
    document = _Editor(source)
    before = {a.track: a.marks for a in original}
    for a in corpus:
        if isinstance(a.marks, (Segmentation, Spans)) and not is_same(before.get(a.track), a.marks):
            document.set_tier(a.track, list(segments(a.marks)))
    return document.content()


def add_tiers(source: Source, tiers: Mapping[str, tuple[str, Segmentation | Spans]]) -> bytes:
    """Return the file with new tiers, each with the type and the participant of another tier.

    Parameters
    ----------
    source : Source
        The ELAN file.
    tiers : mapping of str to (str, marks)
        The name of each new tier, the tier that it is like ("" for the first), and its marks.
    """
    document = _Editor(source)
    for name, (like, marks) in tiers.items():
        document.add_tier(name, like, list(segments(marks)))
    return document.content()


class _Editor:
    """A document with the ids that are taken."""

    def __init__(self, source: Source) -> None:
        self.source, self.root = source, parse_tree(source)
        order = self.root.find("TIME_ORDER")
        self.order = order if order is not None else ElementTree.SubElement(self.root, "TIME_ORDER")
        self.slots = {slot.get("TIME_SLOT_ID"): slot.get("TIME_VALUE") for slot in self.order}
        self.last_slot = max((_number(name) for name in self.slots), default=0)
        ids = (each.get("ANNOTATION_ID") for each in self.root.iter() if isinstance(each.tag, str))
        self.last_id = max((_number(name) for name in ids), default=0)

    def content(self) -> bytes:
        """Return the document as XML."""
        for each in self.root.iter("PROPERTY"):
            if each.get("NAME") == "lastUsedAnnotationId":
                each.text = str(max(self.last_id, parse_integer(each.text or "") or 0))
        ElementTree.register_namespace("xsi", _SCHEMA)
        return serialize_like(self.source, self.root)

    def slot(self, time: float) -> str:
        """Add a time slot and return its id."""
        milliseconds = round(time * 1000)
        if abs(time * 1000 - milliseconds) > 1e-6:
            raise FormatError(
                None, None, f"the time {time:.10g} s is between two milliseconds, which ELAN cannot hold."
            )
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

    def set_tier(self, name: str, spans: Sequence[Row]) -> None:
        """Replace the annotations of a tier, or add the tier."""
        tier = next((each for each in self.root.findall("TIER") if each.get("TIER_ID") == name), None)
        if tier is None:
            self.add_tier(name, "", spans)
            return
        if tier.find("ANNOTATION/REF_ANNOTATION") is not None:
            self._set_dependents(tier, spans)
            return
        old = [each for each in tier if each.find("ALIGNABLE_ANNOTATION") is not None]
        kept = self._matches(old, spans)
        for element in old:
            if element not in kept.values():
                self._delete(tier, element)
        for i, span in enumerate(spans):
            if i not in kept:
                self._add(tier, span)
                continue
            inner = kept[i].find("ALIGNABLE_ANNOTATION")
            if self._times(inner) != (round(span[0] * 1000), round(span[1] * 1000)):
                inner.set("TIME_SLOT_REF1", self.slot(span[0]))
                inner.set("TIME_SLOT_REF2", self.slot(span[1]))
            value = inner.find("ANNOTATION_VALUE")
            if value is not None and (value.text or "") != span[2]:
                value.text = span[2]

    def _set_dependents(self, tier: Any, spans: Sequence[Row]) -> None:
        """Change the values of annotations that have the times of their parents, and delete those without a span."""
        times = times_of_annotations(self.source)
        old = [each for each in tier if each.tag == "ANNOTATION" and len(each)]
        rows = [(*times[each[0].get("ANNOTATION_ID", "")], each[0].findtext("ANNOTATION_VALUE") or "") for each in old]
        matched = match_spans(rows, spans)
        for i in set(range(len(old))) - set(matched.values()):
            self._delete(tier, old[i])
        for j, i in matched.items():
            value = old[i][0].find("ANNOTATION_VALUE")
            if value is not None and (value.text or "") != spans[j][2]:
                value.text = spans[j][2]

    def _times(self, inner: Any) -> tuple[int | None, int | None]:
        first, last = (self.slots.get(inner.get(f"TIME_SLOT_REF{i}")) for i in (1, 2))
        return parse_integer(first or ""), parse_integer(last or "")

    def _matches(self, old: Sequence[Any], spans: Sequence[Row]) -> dict[int, Any]:
        """Return the old annotation of every new span that has one."""
        times = [self._times(element.find("ALIGNABLE_ANNOTATION")) for element in old]
        known = [i for i, (start, end) in enumerate(times) if start is not None and end is not None]
        rows = [
            (times[i][0] / 1000, times[i][1] / 1000, old[i][0].findtext("ANNOTATION_VALUE") or "")  # type: ignore[operator]
            for i in known
        ]
        return {j: old[known[i]] for j, i in match_spans(rows, spans).items()}

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


def _number(name: str | None) -> int:
    """Return the number at the end of an id such as ts12."""
    digits = (name or "").lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-")
    return parse_integer(digits) or 0
