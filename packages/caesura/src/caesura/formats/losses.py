"""Compare the features of a corpus with the capabilities of a format, and reduce a corpus to what a format can hold."""

from __future__ import annotations

import numpy as np

from caesura.model import Annotation, Corpus, Hierarchy, Segmentation, Spans
from caesura.model.corpus import Marks
from caesura.model.provenance import Provenance
from caesura.model.spans import NO_LABEL
from caesura.model.time_axis import NO_SCORE_ATTRIBUTE

#: Everything that a corpus can hold and how its loss is described. ``Format.carries`` uses these names.
FEATURES: dict[str, str] = {
    "units": "boundaries between units",
    "time": "times",
    "nested": "nested segments",
    "spans": "spans",
    "spans in time": "spans of seconds",
    "unnamed spans": "spans without a label",
    "untyped": "that boundaries have no types",
    "types": "boundary types",
    "integer types": "types that are integers",
    "type order": "the order of the types",
    "type sets": "several types at one position",
    "tracks": "tracks",
    "items": "all items but one",
    "coders": "all coders but one",
    "text": "the text",
    "textless": "that the text is not known",
    "names": "the names of segments",
    "attributes": "the attributes of items",
    "unscored": "zones that are not scored",
    "start": "the start times",
    "empty": "a corpus without annotations",
}


#: Features that a lossy conversion can drop; a format that lacks one of the others cannot hold the corpus at all.
DROPPABLE = frozenset(FEATURES) - {"units", "time", "untyped", "textless", "empty"}

#: In a format without nested segments or spans their ends become boundaries, between units or in time.
FLATTENED = {"nested": "units", "spans": "units", "spans in time": "time"}


def features(corpus: Corpus) -> set[str]:
    """Return the names of all features that a format needs to hold this corpus."""
    needed: set[str] = {corpus.kind} if corpus.kind != "spans" else _span_features(corpus)
    if not len(corpus):
        needed.add("empty")
    if corpus.kind not in ("nested", "spans"):
        needed |= _type_features(corpus)
    for what, present in (
        ("tracks", corpus.tracks != ("",)),
        ("items", len(corpus.items) > 1),
        ("coders", len(corpus.coders) > 1),
        ("text", bool(corpus.texts)),
        (
            "textless",
            len(corpus) > 0
            and (not corpus.texts or any((item, track) not in corpus.texts for item, track, _ in _keys(corpus))),
        ),
        ("names", bool(corpus.names)),
        ("attributes", any(known.keys() - {NO_SCORE_ATTRIBUTE} for known in corpus.attributes.values())),
        ("unscored", any(NO_SCORE_ATTRIBUTE in known for known in corpus.attributes.values())),
        ("start", corpus.starts is not None),
    ):
        if present:
            needed.add(what)
    return needed


def differences(before: Corpus, after: Corpus) -> list[str]:
    """Describe how a corpus differs after it was written and read again."""
    if before.kind != after.kind or before.timed != after.timed:
        return [FEATURES[before.kind]]
    if _keys(before) != _keys(after):
        return ["names of items, coders or tracks as they are"]
    differing = []
    if before.kind not in ("nested", "spans") and before.typed != after.typed:
        differing.append(FEATURES["types" if before.typed else "untyped"])
    if before.typed and after.typed and len(before.positions) and before.labels != after.labels:
        kept = set(before.labels or ()) == set(after.labels or ())
        differing.append(FEATURES["type order"] if kept else "names of types as they are")
    if {k: v for k, v in before.attributes.items() if v} != {k: v for k, v in after.attributes.items() if v}:
        differing.append("attributes as they are")
    pairs = [(before[i, c, t], after[i, c, t]) for i, t, c in _keys(before)]
    for what, differs in (
        ("text as it is (spaces, line ends or characters with a meaning in this format)", any(a.units != b.units for a, b in pairs)),
        ("lengths", any(a.length != b.length for a, b in pairs)),
        ("start times", any(getattr(a, "start", 0) != getattr(b, "start", 0) for a, b in pairs)),
        ("names of segments as they are", any(_names(a) != _names(b) for a, b in pairs)),
    ):  # fmt: skip
        if differs:
            differing.append(what)
    if not differing and any(a != b for a, b in pairs):
        differing.append("marks as they are")
    return differing


def reduce_corpus(corpus: Corpus, carries: frozenset[str]) -> Corpus:
    """Drop everything that a format does not carry: other coders, tracks and items, types, text, names, attributes."""
    lost = features(corpus) - carries
    for what, of in (("items", "item"), ("coders", "coder"), ("tracks", "track")):
        if what in lost and len(corpus):
            first = corpus.annotation(0)
            corpus = corpus.select(**{what: [getattr(first, of)]})
    named = "tracks" in lost
    return Corpus.from_annotations(
        (Annotation(a.item, a.coder, _reduce_marks(a.marks, lost), "" if named else a.track) for a in corpus),
        labels=None if "type order" in lost else corpus.labels,
        attributes={
            item: {
                name: value
                for name, value in known.items()
                if ("unscored" if name == NO_SCORE_ATTRIBUTE else "attributes") not in lost
            }
            for item, known in corpus.attributes.items()
            if item in set(corpus.items)
        },
        provenance=Provenance(tiers=corpus.provenance.tiers),
    )


def _reduce_marks(marks: Marks, lost: set[str]) -> Marks:
    units = None if "text" in lost else marks.units
    if isinstance(marks, Spans):
        marks = marks.relative() if "start" in lost else marks
        if "spans" in lost or "spans in time" in lost:
            return marks.boundaries().with_units(units)
        return (_labelled_spans(marks) if "unnamed spans" in lost else marks).with_units(units)
    if isinstance(marks, Hierarchy):
        return (
            marks.boundaries().with_units(units)
            if "nested" in lost
            else Hierarchy(marks.length, marks.segments, units, None if "names" in lost else marks.names)
        )
    if "start" in lost:
        marks = marks.relative()
    names = None if "names" in lost else marks.names
    if marks.types is None or "types" in lost:
        cuts = marks.positions if marks.types is None else marks._cuts()
        return Segmentation(marks.length, cuts, None, None, units, names, marks.start)
    listed = [(p, str(t) if "integer types" in lost else t) for p, t in marks.marks]
    if "type sets" in lost:
        listed = [mark for i, mark in enumerate(listed) if i == 0 or listed[i - 1][0] != mark[0]]
    positions = [p for p, _ in listed]
    if marks.labels is None and "integer types" not in lost:
        return Segmentation(marks.length, positions, [int(t) for _, t in listed], None, units, names, marks.start)
    scale = (
        marks.labels if marks.labels is not None and "type order" not in lost else sorted({str(t) for _, t in listed})
    )
    code = {name: i for i, name in enumerate(scale)}
    return Segmentation(marks.length, positions, [code[str(t)] for _, t in listed], scale, units, names, marks.start)


def has_no_label(corpus: Corpus) -> bool:
    """Tell whether no span of a corpus has a label."""
    return corpus.types is None or bool((corpus.types == NO_LABEL).all())


def _labelled_spans(marks: Spans) -> Spans:
    """Drop the spans without a label."""
    keep = np.zeros(len(marks), bool) if marks.types is None else marks.types != NO_LABEL
    types = None if marks.types is None else marks.types[keep]
    return Spans(marks.length, marks.starts[keep], marks.ends[keep], types, marks.labels, marks.units, marks.start)


def _span_features(corpus: Corpus) -> set[str]:
    """Return the features that spans need; an order of labels that is not alphabetical is one of them."""
    needed = {"spans in time" if corpus.timed else "spans"}
    if corpus.types is None or (corpus.types == NO_LABEL).any():
        needed |= {"unnamed spans"} if len(corpus.positions) else set()
    if corpus.types is not None and corpus.labels is not None:
        used = {corpus.labels[code] for code in np.unique(corpus.types).tolist() if code != NO_LABEL}
        needed |= {"type order"} if list(corpus.labels) != sorted(used) else set()
    return needed


def _type_features(corpus: Corpus) -> set[str]:
    if corpus.types is None:
        return {"untyped"} if len(corpus) else set()
    needed = {"types"}
    if corpus.labels is None:
        needed.add("integer types")
    else:
        used = {corpus.labels[code] for code in np.unique(corpus.types).tolist()}
        if list(corpus.labels) != sorted(used):
            needed.add("type order")
    if _shares_positions(corpus):
        needed.add("type sets")
    return needed


def _shares_positions(corpus: Corpus) -> bool:
    """Tell whether two boundaries of one annotation have the same position."""
    same = np.diff(corpus.positions) == 0
    inner = np.ones(len(same), bool)
    cuts = corpus.offsets[1:-1] - 1
    # equal neighbours across the border of two annotations do not count
    inner[cuts[(cuts >= 0) & (cuts < len(inner))]] = False
    return bool((same & inner).any())


def _keys(corpus: Corpus) -> set[tuple[str, str, str]]:
    named = zip(corpus.item_of.tolist(), corpus.track_of.tolist(), corpus.coder_of.tolist(), strict=True)
    return {(corpus.items[i], corpus.tracks[t], corpus.coders[c]) for i, t, c in named}


def _names(marks: object) -> tuple[str, ...] | None:
    return marks.names if isinstance(marks, (Segmentation, Hierarchy)) else None
