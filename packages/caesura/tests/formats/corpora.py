"""Hypothesis strategies for corpora, spans and hierarchies."""

from __future__ import annotations

from hypothesis import strategies as st

from caesura.model import Annotation, Corpus, Hierarchy, Segmentation, Spans

TAME = st.text("abcdefghij", min_size=1, max_size=5)
ODD = [
    *("", " ", "a b", "1", "0", "-3", "level1", "segment", "JOHN:", ":", "|", "==========", "========,1,x.", "[", "]"),
    *(
        ",",
        "--",
        "—",
        "?",
        "\t",
        "\n",
        "\r",
        "\r\n",
        "a\nb",
        '"',
        "'",
        "\x00",
        "\x85",
        "\u2028",
        "\ufeff",
        "e\u0301",
        "\ud800",
    ),
    *("🙂", "_", "Seg=B-seg"),
]
WILD = st.text(st.characters(codec=None), max_size=6) | st.sampled_from(ODD)
ENDNOTES = st.sampled_from(["?", ".", ",", "--", ";"])


@st.composite
def corpora(
    draw, kinds=("units", "time", "nested", "spans"), strings=WILD, has=frozenset(), may=frozenset(), types=None
):
    """Draw a corpus that has the features ``has`` of formats/losses.py and may have the features ``may``."""

    def holds(what: str) -> bool:
        return what in has or (what in may and draw(st.booleans()))

    kind = draw(st.sampled_from(kinds))
    items = draw(st.lists(strings, min_size=1, max_size=3 if holds("items") else 1, unique=True))
    coders = draw(st.lists(strings, min_size=1, max_size=3 if holds("coders") else 1, unique=True))
    tracks = draw(st.lists(strings, min_size=1, max_size=2, unique=True)) if holds("tracks") else [""]
    labels = None
    typed = kind not in ("nested", "spans") and ("untyped" not in has and holds("types"))
    if typed and not holds("integer types"):
        labels = draw(st.lists(strings if types is None else types, min_size=1, max_size=3, unique=True))
        labels = labels if holds("type order") else sorted(labels)
    annotations = []
    for item in items:
        for track in tracks:
            length = draw(st.integers(1, 9))
            units = draw(st.lists(strings, min_size=length, max_size=length)) if holds("text") else None
            seconds = draw(eighths(1, 100) if strings is TAME else st.floats(0.5, 100))
            for coder in coders:
                if annotations and draw(st.integers(0, 5)) == 0:
                    continue
                if kind == "spans":
                    marks = draw(spans(length, strings, units))
                elif kind == "nested":
                    marks = draw(hierarchies(length, units))
                elif kind == "time":
                    marks = draw(
                        timings(seconds, typed, labels, holds("type sets"), strings if holds("names") else None)
                    )
                else:
                    named = strings if holds("names") else None
                    marks = draw(segmentations(length, typed, labels, holds("type sets"), units, named))
                annotations.append(Annotation(item, coder, marks, track))
    scale = None
    if labels is not None:
        used = {str(t) for a in annotations for _, t in a.marks.marks}
        scale = labels if "type order" in has | may else sorted(used)
        annotations = [a._replace(marks=_on(a.marks, scale)) for a in annotations]
    attributes = (
        {items[0]: draw(st.dictionaries(strings, st.integers() | strings, max_size=2))} if holds("attributes") else None
    )
    return Corpus.from_annotations(annotations, labels=scale, attributes=attributes)


def _on(marks, scale):
    codes = [scale.index(t) for _, t in marks.marks]
    return Segmentation(marks.length, marks.positions, codes, scale, marks.units, marks.names)


@st.composite
def segmentations(draw, length, typed, labels, sets, units, names):
    top = length if typed else length - 1
    places = sorted(draw(st.sets(st.integers(1, top), max_size=5))) if top else []
    return _draw_marks(draw, length, places, typed, labels, sets, units, names)


def eighths(low, high):
    """Draw times that are exact in samples, in milliseconds and in HTK's units."""
    return st.integers(int(low * 8), int(high * 8)).map(lambda n: n / 8)


@st.composite
def timings(draw, length, typed, labels, sets, names):
    tame = (length * 8).is_integer()
    places = sorted(draw(st.sets(eighths(0.125, length - 0.125) if tame else st.floats(0, length), max_size=5)))
    return _draw_marks(draw, length, places, typed, labels, sets, None, names)


def _draw_marks(draw, length, places, typed, labels, sets, units, names):
    codes = None
    if typed:
        code = st.integers(0, len(labels) - 1) if labels is not None else st.integers(-3, 3)
        marks = sorted({(p, c) for p in places for c in draw(st.sets(code, min_size=1, max_size=2 if sets else 1))})
        places, codes = [p for p, _ in marks], [c for _, c in marks]
    cuts = len({p for p in places if 0 < p < length})
    named = draw(st.lists(names, min_size=cuts + 1, max_size=cuts + 1)) if names is not None else None
    return Segmentation(length, places, codes, labels, units, named)


@st.composite
def spans(draw, length, names, units=None):
    """Draw spans with gaps, overlaps and duplicates, with and without labels."""
    starts = draw(st.lists(st.integers(0, length - 1), max_size=5))
    rows = [(start, draw(st.integers(start + 1, length)), draw(st.none() | names)) for start in starts]
    return Spans.from_rows(rows, length=length, units=units)


@st.composite
def hierarchies(draw, length, units):
    spans: list[tuple[int, int, int]] = []

    def split(first: int, last: int, level: int) -> None:
        at = first
        while at <= last:
            end = draw(st.integers(at, last))
            if draw(st.booleans()) or level == 1:
                spans.append((at, end, level))
                if end > at and level < 3 and draw(st.booleans()):
                    split(at, end, level + draw(st.integers(1, 2)))
            at = end + 1

    split(1, length, 1)
    return Hierarchy(length, spans, units)


@st.composite
def tidy_hierarchies(draw, length, units):
    """Draw nested segments without gaps, as level columns can store them."""
    columns = []
    for _ in range(draw(st.integers(1, 3))):
        outer = columns[-1] if columns else [0] * (length - 1) + [1]
        columns.append([1 if mark or draw(st.booleans()) else 0 for mark in outer])
    return Hierarchy.from_levels(columns, units=units)
