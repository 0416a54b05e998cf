"""Marks that stand off the text: spans of characters with a label, as annotation tools keep them, and units of the text.

Shared by brat, Label Studio, doccano and UIMA. A span is a segment. Spans labelled ``segment`` have no name, spans labelled ``level1``,
``level2`` … are nested; any other label is the segment's name.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Literal, TypeAlias

from caesura.errors import FormatError, InvalidSegmentation
from caesura.formats.signatures import parse_list
from caesura.model import Hierarchy, Segmentation, Spans
from caesura.model.corpus import Marks

#: First character, character after the last, label.
Span: TypeAlias = tuple[int, int, str]
#: What a unit of the text is.
Unit: TypeAlias = Literal["word", "line", "character"]
#: What a span is: a segment, the stretch before a typed boundary, a nested segment; or what its label says.
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

    def units_covered(self, start: int, end: int, fault: Callable[[str], FormatError]) -> tuple[int, int] | None:
        """Return the first and last unit of a span, counted from 1; None where it holds none."""
        first, last = bisect_left(self.starts, start), bisect_right(self.ends, end)
        for at, edge in ((start, "begins"), (end, "ends")):
            inside = bisect_right(self.starts, at) - 1
            if inside >= 0 and self.starts[inside] < at < self.ends[inside]:
                raise fault(
                    f"the span {start}–{end} {edge} inside {self.units[inside]!r}; choose a smaller unit= (character)."
                )
        return (first + 1, last) if first < last else None


def marks_of(
    text: Text, spans: Sequence[Span], how: As, only: Sequence[str] | str | None, fault: Callable[[str], FormatError]
) -> Segmentation | Hierarchy:
    """Turn labelled spans into marks on the units of a text."""
    wanted = None if only is None else set(parse_list(only))
    placed = []
    for start, end, label in spans:
        if (wanted is None or label in wanted) and (units := text.units_covered(start, end, fault)) is not None:
            placed.append((*units, label))
    placed.sort(key=lambda span: (span[0], -span[1]))
    try:
        return _build_marks(text, placed, how)
    except InvalidSegmentation as odd:
        raise fault(str(odd)) from None


def _build_marks(text: Text, spans: list[tuple[int, int, str]], how: As) -> Segmentation | Hierarchy:
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
    return any(one[1] >= two[0] for one, two in pairwise(spans))


def join_units(units: Sequence[str], unit: Unit = "word") -> tuple[str, list[int]]:
    """Write units as one text; return it and the character where each begins."""
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
