"""brat standoff: spans in ``talk.ann``, the text in ``talk.txt`` beside it."""

from __future__ import annotations

import re
from typing import Unpack

from caesura.files import Source
from caesura.formats.numbers import as_whole
from caesura.formats.standoff import Marked, Span, StandoffOptions, Unit, join_units, read_standoff, spans_of
from caesura.model import Corpus

_SPAN = re.compile(r"T\S*\t(\S+) ([0-9; ]+)(?:\t.*)?")


def read(source: Source, *, unit: Unit | None = None, **standoff: Unpack[StandoffOptions]) -> Corpus:
    """Read one text by one annotator; relations, events, attributes and notes are passed over.

    Parameters
    ----------
    unit
        What a unit of the text is.
    as
        Whether spans stay spans or become boundaries.
    marks
        What a span is among boundaries: a segment, a nested segment, or the stretch before a boundary whose type its label is.
    only
        The labels to read (default: all).
    """
    text = source.sibling(".txt").raw_text
    spans = [_span(source, number, line, len(text)) for number, line in source.lines if line.startswith("T")]
    marked = Marked(source.stem, "", text, spans, lambda why: source.fault(None, why))
    return read_standoff([marked], unit=unit, **standoff)


def write(corpus: Corpus, *, unit: Unit | None = None) -> dict[str, str]:
    """Write the spans and, beside them, the text."""
    marks = corpus.annotation(0).marks
    text, starts = join_units(marks, unit)
    lines = [
        f"T{number}\t{label} {start} {end}\t{' '.join(text[start:end].split())}\n"
        for number, (start, end, label) in enumerate(spans_of(marks, starts), 1)
    ]
    return {"": "".join(lines), ".txt": text}


def _span(source: Source, number: int, line: str, length: int) -> Span:
    match = _SPAN.fullmatch(line)
    if match is None:
        raise source.fault(number, "expected T1, a tab, a label, first and last character, a tab, the text.")
    if ";" in match[2]:
        raise source.fault(number, "this span is in several pieces, and a segment is one; leave it out with only=.")
    start, end = [as_whole(place) for place in [*match[2].split(), "", ""]][:2]
    if len(match[2].split()) != 2 or start is None or end is None or not 0 <= start <= end <= length:
        raise source.fault(number, f"the span {match[2][:40]} lies outside the text of {length} characters.")
    return start, end, match[1]
