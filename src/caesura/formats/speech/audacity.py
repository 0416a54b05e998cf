"""Audacity's label track: start, end and label with tabs between; a label at one point starts and ends together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from caesura.errors import FormatError
from caesura.formats.files import Source
from caesura.formats.speech.intervals import (
    SILENCES,
    TICK,
    Edges,
    Rule,
    Silence,
    decimal,
    flat,
    recording,
    segmentation,
    segments,
    speech_attributes,
)
from caesura.model import Annotation, Corpus, Segmentation

__all__ = ["read", "sniff", "write"]

_LINE = re.compile(r"\d+([.,]\d+)?\t\d+([.,]\d+)?(\t|$)")


def sniff(head: str) -> bool:
    """Recognise two times and a label with tabs between."""
    return _LINE.match(head.split("\n", 1)[0]) is not None


def read(
    source: Source,
    *,
    silence: Silence = "keep",
    silences: Sequence[str] | str = SILENCES,
    close_gaps: float = 0.0,
    edges: Edges = "out",
) -> Corpus:
    """Read a label track: regions as segments, or points as boundaries; frequencies of spectral labels are passed over."""
    starts, ends, labels, lines = [], [], [], []
    for number, line in source.lines:
        if not line.strip() or line.startswith("\\"):
            continue
        parts = line.split("\t", 2)
        if len(parts) < 2:
            raise FormatError(
                source.path, number, f"expected start, end and label with tabs between, found {line[:60]!r}."
            )
        starts.append(float(decimal(source, number, parts[0].strip().replace(",", "."), "start")))
        ends.append(float(decimal(source, number, parts[1].strip().replace(",", "."), "end")))
        labels.append(parts[2] if len(parts) > 2 else "")
        lines.append(number)

    def fault(i: int, why: str) -> FormatError:
        return FormatError(source.path, lines[i], why)

    item = recording(source)
    points = [end - start < TICK for start, end in zip(starts, ends, strict=True)]
    if any(points) and not all(points):
        raise fault(
            points.index(True), "this label stands at one point among labels of regions; use one kind in a track."
        )
    marks = (
        Segmentation.from_times(starts, types=labels if any(labels) else None)
        if points and all(points)
        else segmentation(starts, ends, labels, rule=Rule.of(silence, silences, close_gaps, edges), fault=fault)
    )
    return Corpus.from_annotations([Annotation(item, "", marks)], attributes=speech_attributes(source))


def write(corpus: Corpus) -> Iterator[str]:
    """Write one recording: typed boundaries as points, all others as regions."""
    for _, _, _, marks in flat(corpus):
        if marks.typed:
            for time, label in marks.marks:
                yield f"{time!r}\t{time!r}\t{label}\n"
        else:
            for start, end, label in segments(marks):
                yield f"{start!r}\t{end!r}\t{label}\n"
