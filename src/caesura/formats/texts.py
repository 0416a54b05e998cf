"""Plain text whose segments are written out one after the other: what formats of this kind share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from caesura.files import Source
from caesura.model import Annotation, Corpus, Segmentation


def one_text(source: Source, segments: Iterable[Sequence[str]], unit: str) -> Corpus:
    """Make a corpus of one text out of the units of its segments; empty segments are none, and a text has one at least."""
    full = [segment for segment in segments if segment]
    if not full:
        raise source.fault(None, f"the text holds no {unit}.")
    units = [each for segment in full for each in segment]
    marks = Segmentation.from_masses([len(segment) for segment in full], units=units)
    return Corpus.from_annotations([Annotation(source.stem, "", marks)])


def segments_of(corpus: Corpus) -> list[tuple[str, ...]]:
    """Give the units of every segment of the one text that a corpus holds."""
    marks = corpus.annotation(0).marks
    assert isinstance(marks, Segmentation)
    units = marks.units or ()
    return [units[int(first) - 1 : int(last)] for first, last in marks.spans]
