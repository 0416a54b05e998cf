"""Spans of several coders that are one unit: aligned by the best alignment of γ, and overlapping."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from caesura.agreement.unitizing_alignment import best_alignments
from caesura.model import Corpus, Spans
from caesura.model.spans import SpanRow


def candidates(coders: Sequence[str], annotations: Sequence[Spans]) -> Iterator[dict[str, SpanRow]]:
    """Yield the spans that are one unit, from left to right: those that are aligned and overlap."""
    if len(annotations) == 1 or not any(len(spans) for spans in annotations):  # nothing to align
        yield from ({coders[0]: unit} for spans in annotations[:1] for unit in spans)
        return
    corpus = Corpus.from_annotations(("text", coder, spans) for coder, spans in zip(coders, annotations, strict=True))
    (alignment,) = best_alignments(corpus)
    groups: list[dict[str, SpanRow]] = []
    for row in alignment.rows:
        members = {coder: unit for coder, unit in zip(alignment.coders, row, strict=True) if unit is not None}
        groups += _split_by_overlap(members)
    yield from sorted(groups, key=lambda group: min(unit[:2] for unit in group.values()))


def _split_by_overlap(members: dict[str, Any]) -> list[dict[str, SpanRow]]:
    """Split aligned spans that do not overlap: aligning them is cheaper than leaving them out, but they are different units."""
    groups: list[dict[str, SpanRow]] = []
    end = float("-inf")
    for coder, unit in sorted(members.items(), key=lambda named: named[1][:2]):
        if unit[0] >= end:
            groups.append({})
        groups[-1][coder] = unit
        end = max(end, unit[1])
    return groups
