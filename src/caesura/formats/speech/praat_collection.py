"""Praat's Collection: several objects in one file, of which the TextGrids are read, an item each, and which is written of TextGrids alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Unpack

from caesura.files import Source
from caesura.formats.speech.intervals import Rule, SpanOptions
from caesura.formats.speech.praat import grids_of_collection, quote
from caesura.formats.speech.textgrid import marks_of_tiers, spell_grid
from caesura.model import Annotation, Corpus


def sniff(head: str) -> bool:
    """Recognise a Praat file of class Collection."""
    first = head[:200].split("\n")[:2]
    return len(first) == 2 and "ooTextFile" in first[0] and '"Collection"' in first[1]


def read(source: Source, *, tier: str | int | None = None, **intervals: Unpack[SpanOptions]) -> Corpus:
    """Read every TextGrid, its tiers as tracks; those of one name are numbered.

    The options are those of a TextGrid.
    """
    rule = Rule.of(**intervals)
    seen: Counter[str] = Counter()
    annotations = []
    for name, tiers in grids_of_collection(source):
        seen[name] += 1
        item = name if seen[name] == 1 else f"{name} ({seen[name]})"
        annotations += [
            Annotation(item, coder, marks, track) for coder, track, marks in marks_of_tiers(source, tiers, tier, rule)
        ]
    return Corpus.from_annotations(annotations)


def write(corpus: Corpus) -> Iterator[str]:
    """Write a TextGrid per item."""
    yield f'File type = "ooTextFile"\nObject class = "Collection"\n\nsize = {len(corpus.items)} \nitem []: \n'
    for number, item in enumerate(corpus.items, 1):
        yield f'    item [{number}]:\n        class = "TextGrid" \n        name = {quote(item)} \n'
        yield from spell_grid(corpus.select(items=[item]))
