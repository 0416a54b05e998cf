"""Marks that stand off the text: spans of characters with a label, as annotation tools keep them, and units of the text.

Shared by brat, Label Studio, doccano and UIMA. Spans are read as spans, unless all texts of a file are tiled by theirs: then they are
segments, and nested ones where labels are ``level1``, ``level2`` … (``as=spans`` and ``as=boundaries`` decide instead). What is labelled
``segment`` has no name.
"""

from __future__ import annotations

import re
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias, TypedDict

from caesura.errors import FormatError, InvalidSegmentation
from caesura.formats.signatures import parse_list
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation, Spans
from caesura.model.corpus import Marks

#: First character, character after the last, label.
Span: TypeAlias = tuple[int, int, str]
#: Builds the complaint about a text.
Fault: TypeAlias = Callable[[str], FormatError]
#: What a unit of the text is.
Unit: TypeAlias = Literal["word", "line", "character"]
#: Whether spans stay spans; by default where they leave gaps or overlap, or cut words.
Reading: TypeAlias = Literal["auto", "spans", "boundaries"]
#: What a span is where it is read as boundaries: a segment, the stretch before a typed boundary, a nested segment; or what its label says.
As: TypeAlias = Literal["auto", "segments", "boundaries", "nested"]

_UNITS = {
    "word": re.compile(r"\S+"),
    "line": re.compile(r"[^\r\n]*\S[^\r\n]*"),
    "character": re.compile(r".", re.DOTALL),
}
_LEVEL = re.compile(r"level([1-9][0-9]{0,8})")


class Text:
    """A text and its units, each with its place among the characters."""

    def __init__(self, text: str, unit: Unit = "word", edges: Sequence[tuple[int, int]] | None = None) -> None:
        bounds = edges if edges is not None else [m.span() for m in _UNITS[unit].finditer(text)]
        self.units = [text[start:end] for start, end in bounds]
        self.starts = [start for start, _ in bounds]
        self.ends = [end for _, end in bounds]

    def units_covered(self, start: int, end: int, fault: Fault) -> tuple[int, int] | None:
        """Return the first and last unit of a span, counted from 1; None where it holds none."""
        first, last = bisect_left(self.starts, start), bisect_right(self.ends, end)
        if (word := self.unit_cut(start, end)) is not None:
            raise fault(f"the span {start}–{end} begins or ends inside {word!r}; choose a smaller unit= (character).")
        return (first + 1, last) if first < last else None

    def unit_cut(self, start: int, end: int) -> str | None:
        """Return the unit inside which a span begins or ends; None where it lies between units."""
        for at in (start, end):
            inside = bisect_right(self.starts, at) - 1
            if inside >= 0 and self.starts[inside] < at < self.ends[inside]:
                return self.units[inside]
        return None


class StandoffOptions(TypedDict, total=False):
    """What every reader of standoff takes beside its own options.

    Attributes
    ----------
    as_
        Whether spans stay spans or become boundaries.
    marks
        What a span is among boundaries: a segment, a nested segment, or the stretch before a boundary whose type its label is.
    only
        The labels to read (default: all).
    """

    as_: Reading
    marks: As
    only: Sequence[str] | str | None


class Marked(NamedTuple):
    """One annotator's spans of one text, and how to complain about them; ``units`` are those it has, None where the reader chooses."""

    item: str
    coder: str
    text: str
    spans: Sequence[Span]
    fault: Fault
    units: Text | None = None


def read_standoff(
    texts: Sequence[Marked],
    *,
    unit: Unit | None = None,
    as_: Reading = "auto",
    marks: As = "auto",
    only: Sequence[str] | str | None = None,
) -> Corpus:
    """Turn labelled spans into spans, or into marks on the units of their texts, alike for all texts of a file.

    Units are the tokens of the text where it has some; else characters where spans stay spans, and words elsewhere. Characters
    where a span cuts one of them; all this unless somebody says otherwise.
    """
    if as_ == "spans" and marks != "auto":
        raise FormatError(
            None, None, f"marks={marks} says how spans become boundaries, and as=spans keeps them; give one."
        )
    wanted = None if only is None else set(parse_list(only))
    chosen = [t._replace(spans=[s for s in t.spans if wanted is None or s[2] in wanted]) for t in texts]
    if as_ == "auto" and marks == "auto":
        as_ = "boundaries" if chosen and all(_is_tiled(t, unit or "word") for t in chosen) else "spans"
    if unit is None:
        unit = _unit_for(chosen, as_)
    annotations = []
    for text in chosen:
        units = (
            Text(text.text, unit) if unit else text.units or Text(text.text, "character" if as_ == "spans" else "word")
        )
        try:
            placed = _keep_spans(text, units) if as_ == "spans" else _build_marks(text, units, marks)
        except InvalidSegmentation as odd:
            raise text.fault(str(odd)) from None
        annotations.append(Annotation(text.item, text.coder, placed))
    return Corpus.from_annotations(annotations)


def _unit_for(texts: Sequence[Marked], as_: Reading) -> Unit | None:
    """Fall back to characters, with a warning, where a span begins or ends inside a word or token; None where none does."""
    for text in texts:
        units = text.units or (Text(text.text) if as_ == "boundaries" else None)
        for start, end, _ in text.spans if units is not None else ():
            if (word := units.unit_cut(start, end) if units is not None else None) is not None:
                why = f"the span {start}–{end} begins or ends inside {word!r}, so that units are characters (unit=character)."
                warnings.warn(str(text.fault(why)), stacklevel=4)
                return "character"
    return None


def _is_tiled(text: Marked, unit: Unit) -> bool:
    """Whether spans cover all units of their text without overlap, or are levels of nested segments, none of them cutting a unit."""
    units = text.units or Text(text.text, unit)
    try:
        placed = [units.units_covered(start, end, text.fault) for start, end, _ in text.spans]
    except FormatError:
        return False
    if not placed or None in placed:
        return not units.units and not placed
    if all(_LEVEL.fullmatch(label) for _, _, label in text.spans):
        return True
    covered = sorted(each for each in placed if each is not None)
    edges = [(0, 0), *covered, (len(units.units) + 1, 0)]
    return all(after[0] == before[1] + 1 for before, after in pairwise(edges))


def _keep_spans(text: Marked, units: Text) -> Spans:
    rows = []
    for start, end, label in text.spans:
        if start == end:
            raise text.fault(f"the span {start}–{end} ({label}) is empty; a span covers something.")
        place = units.units_covered(start, end, text.fault)
        if place is None:
            raise text.fault(f"the span {start}–{end} ({label}) covers no unit; choose a smaller unit= (character).")
        rows.append((place[0] - 1, place[1], None if label == "segment" else label))
    return Spans.from_rows(rows, length=len(units.units), units=units.units)


def _build_marks(marked: Marked, text: Text, how: As) -> Segmentation | Hierarchy:
    placed = ((text.units_covered(start, end, marked.fault), label) for start, end, label in marked.spans)
    spans = sorted(((*place, label) for place, label in placed if place is not None), key=lambda s: (s[0], -s[1]))
    levels = [_LEVEL.fullmatch(label) for _, _, label in spans]
    if how == "auto":
        how = "nested" if (spans and all(levels)) or _overlap(spans) else "segments"
    length = len(text.units)
    if how == "nested":
        if spans and all(levels):
            rows = [(a, b, int(level[1])) for (a, b, _), level in zip(spans, levels, strict=True) if level is not None]
            return Hierarchy(length, rows, text.units)
        return Hierarchy.from_spans(sorted({(a, b) for a, b, _ in spans}), length=length, units=text.units)
    if _overlap(spans):
        raise InvalidSegmentation("segments overlap; read them with marks=nested if they nest.")
    if how == "boundaries":
        return Segmentation.from_positions([(b, label) for _, b, label in spans], length=length, units=text.units)
    cuts = sorted({edge for a, b, _ in spans for edge in (a - 1, b) if 0 < edge < length})
    named = {a: label for a, _, label in spans}
    names = [named.get(first, "") for first in (1, *(c + 1 for c in cuts))]
    plain = not spans or {label for _, _, label in spans} == {"segment"}
    return Segmentation(length, cuts, None, None, text.units, None if plain or not length else names)


def _overlap(spans: Sequence[tuple[int, int, str]]) -> bool:
    return any(former[1] >= latter[0] for former, latter in pairwise(spans))


def join_units(marks: Marks, unit: Unit | None = None) -> tuple[str, list[int]]:
    """Write units as one text, by default words, or characters under spans of characters; return it and the character where each begins."""
    units = marks.units or ()
    characters = isinstance(marks, Spans) and all(len(each) == 1 for each in units)
    unit = unit or ("character" if characters else "word")
    between = {"word": " ", "line": "\n", "character": ""}[unit]
    starts, at = [], 0
    for each in units:
        starts.append(at)
        at += len(each) + len(between)
    return between.join(units), starts


def spans_of(marks: Marks, starts: Sequence[int]) -> list[Span]:
    """Write marks as labelled spans of characters; what has no name is a ``segment``."""
    units = marks.units or ()

    def span(first: float, last: float, label: str) -> Span:
        return starts[int(first) - 1], starts[int(last) - 1] + len(units[int(last) - 1]), label

    if isinstance(marks, Spans):
        return [span(start + 1, end, name or "segment") for start, end, name in marks.rows]
    if isinstance(marks, Hierarchy):
        return [span(first, last, f"level{level}") for first, last, level in marks.spans]
    names = marks.names or ["segment"] * len(marks)
    return [span(first, last, name) for (first, last), name in zip(marks.spans, names, strict=True)]
