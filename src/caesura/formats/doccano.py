"""doccano's JSON lines: one text per line with its labelled spans; one file per annotator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from caesura.errors import FormatError
from caesura.files import Source
from caesura.formats.caesura_json import spell
from caesura.formats.caesura_jsonl import objects
from caesura.formats.standoff import As, Span, Text, Unit, join_units, marks_of, spans_of
from caesura.model import Annotation, Corpus

_LABELS = ("label", "labels", "entities")


def sniff(head: str) -> bool:
    """Recognise a text with labels on the first line."""
    first = head.lstrip().split("\n", 1)[0]
    return first.startswith("{") and '"text"' in first and any(f'"{key}"' in first for key in _LABELS)


def read(source: Source, *, unit: Unit = "word", marks: As = "auto", only: Sequence[str] | str | None = None) -> Corpus:
    """Read every text as an item, named by its ``item`` or ``id``.

    Parameters
    ----------
    unit, marks, only
        What a unit of the text is, what a span is, which labels to read.
    """
    annotations = []
    with source.stream() as stream:
        for line, entry in objects(source, stream):
            if not isinstance(entry, dict) or not isinstance(entry.get("text"), str):
                raise FormatError(source.path, line, 'expected an object with "text" and "label".')
            if not any(key in entry for key in _LABELS):
                why = 'this text has no "label"; write "label": [] where nobody marked anything.'
                raise FormatError(source.path, line, why)
            spans = list(_spans(source, line, entry))
            annotation = marks_of(Text(entry["text"], unit), spans, marks, only, _faults(source, line))
            annotations.append(Annotation(str(entry.get("item", entry.get("id", line))), "", annotation))
    if not annotations:
        raise FormatError(source.path, None, "the file holds no text.")
    return Corpus.from_annotations(annotations)


def write(corpus: Corpus, *, unit: Unit = "word") -> Iterator[str]:
    """Write one line per item."""
    for number, a in enumerate(corpus, 1):
        text, starts = join_units(a.marks.units or (), unit)
        label = [list(span) for span in spans_of(a.marks, starts)]
        yield spell({"id": number, "item": a.item, "text": text, "label": label}) + "\n"


def _spans(source: Source, line: int, entry: dict[str, Any]) -> Iterator[Span]:
    listed: Any = next((entry[key] for key in _LABELS if key in entry), [])
    for span in listed if isinstance(listed, list) else [listed]:
        if isinstance(span, dict):
            span = [span.get("start_offset"), span.get("end_offset"), span.get("label")]
        good = isinstance(span, list) and len(span) == 3 and type(span[0]) is int and type(span[1]) is int
        if not good or not 0 <= span[0] <= span[1] <= len(entry["text"]):
            raise FormatError(source.path, line, f"expected [first, last, label] inside the text, found {span!r}.")
        yield span[0], span[1], str(span[2])


def _faults(source: Source, line: int) -> Any:
    return lambda why: FormatError(source.path, line, why)
