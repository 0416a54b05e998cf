"""brat standoff: spans in ``talk.ann``, the text in ``talk.txt`` beside it."""

from __future__ import annotations

import re
import warnings
from typing import Literal, TypeAlias, Unpack

from caesura.files import Source
from caesura.formats.numbers import as_whole
from caesura.formats.standoff import Marked, Span, StandoffOptions, Unit, join_units, read_standoff, spans_of
from caesura.model import Corpus

#: What becomes of a span in several pieces.
Pieces: TypeAlias = Literal["cover", "apart", "out"]

_SPAN = re.compile(r"T\S*\t(\S+) ([0-9; ]+)(?:\t.*)?")


def read(
    source: Source, *, unit: Unit | None = None, pieces: Pieces = "cover", **standoff: Unpack[StandoffOptions]
) -> Corpus:
    """Read one text by one annotator; relations, events, attributes and notes are passed over.

    Parameters
    ----------
    unit
        What a unit of the text is.
    pieces
        What a span in several pieces is: one span from its first character to its last, a span per piece, or left out.
    """
    if source.companions is None and not source.path.with_suffix(".txt").exists():
        raise source.fault(None, f"the text that its spans lie in, {source.stem}.txt, is not beside it.")
    text = source.sibling(".txt").raw_text
    spans: list[Span] = []
    broken: list[int] = []
    for number, line in source.lines:
        if line.startswith("T"):
            label, places = _places(source, number, line, len(text))
            if len(places) > 1:
                broken.append(number)
                places = {"cover": [(places[0][0], places[-1][1])], "apart": places, "out": []}[pieces]
            spans += [(start, end, label) for start, end in places]
    if broken:
        how = {"cover": "read from first to last character", "apart": "read apart", "out": "left out"}[pieces]
        why = f"spans in several pieces are {how}, {len(broken)} of them, this the first (pieces=cover, apart or out)."
        warnings.warn(str(source.fault(broken[0], why)), stacklevel=2)
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


def _places(source: Source, number: int, line: str, length: int) -> tuple[str, list[tuple[int, int]]]:
    """Read the label of a span and where its pieces begin and end."""
    match = _SPAN.fullmatch(line)
    if match is None:
        raise source.fault(number, "expected T1, a tab, a label, first and last character, a tab, the text.")
    places = []
    for piece in match[2].split(";"):
        start, end = [as_whole(place) for place in [*piece.split(), "", ""]][:2]
        if len(piece.split()) != 2 or start is None or end is None or not 0 <= start <= end <= length:
            raise source.fault(number, f"the span {match[2][:40]} lies outside the text of {length} characters.")
        places.append((start, end))
    return match[1], sorted(places)
