"""doccano's JSON lines: one text per line with its labelled spans; one file per annotator."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Unpack

from caesura.files import Source
from caesura.formats.caesura_json import spell
from caesura.formats.caesura_jsonl import objects
from caesura.formats.standoff import Marked, Span, StandoffOptions, Unit, join_units, read_standoff, spans_of
from caesura.model import Corpus

_LABELS = ("label", "labels", "entities")


def sniff(head: str) -> bool:
    """Recognise a text with labels on the first line."""
    first = head.lstrip().split("\n", 1)[0]
    return first.startswith("{") and '"text"' in first and any(f'"{key}"' in first for key in _LABELS)


def read(source: Source, *, unit: Unit | None = None, **standoff: Unpack[StandoffOptions]) -> Corpus:
    """Read every text as an item, named by its ``item`` or ``id``; ``unit`` is what a unit of the text is."""
    texts = []
    with source.stream() as stream:
        for line, entry in objects(source, stream):
            if not isinstance(entry, dict) or not isinstance(entry.get("text"), str):
                raise source.fault(line, 'expected an object with "text" and "label".')
            if not any(key in entry for key in _LABELS):
                why = 'this text has no "label"; write "label": [] where nobody marked anything.'
                raise source.fault(line, why)
            spans = list(_spans(source, line, entry))
            item = str(entry.get("item", entry.get("id", line)))
            texts.append(Marked(item, "", entry["text"], spans, partial(source.fault, line)))
    if not texts:
        raise source.fault(None, "the file holds no text.")
    return read_standoff(texts, unit=unit, **standoff)


def write(corpus: Corpus, *, unit: Unit | None = None) -> Iterator[str]:
    """Write one line per item."""
    for number, a in enumerate(corpus, 1):
        text, starts = join_units(a.marks, unit)
        label = [list(span) for span in spans_of(a.marks, starts)]
        yield spell({"id": number, "item": a.item, "text": text, "label": label}) + "\n"


def _spans(source: Source, line: int, entry: dict[str, Any]) -> Iterator[Span]:
    listed: Any = next((entry[key] for key in _LABELS if key in entry), [])
    for span in listed if isinstance(listed, list) else [listed]:
        if isinstance(span, dict):
            span = [span.get("start_offset"), span.get("end_offset"), span.get("label")]
        good = isinstance(span, list) and len(span) == 3 and type(span[0]) is int and type(span[1]) is int
        if not good or not 0 <= span[0] <= span[1] <= len(entry["text"]):
            raise source.fault(line, f"expected [first, last, label] inside the text, found {span!r}.")
        yield span[0], span[1], str(span[2])
