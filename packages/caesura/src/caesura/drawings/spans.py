"""Spans of one text by several coders, connected by the best alignment."""

from __future__ import annotations

from caesura.agreement.unitizing_alignment import best_alignments
from caesura.display.cells import is_rtl
from caesura.display.scene import Picture
from caesura.display.span_lanes import SpanLanes
from caesura.errors import CaesuraError
from caesura.model import Corpus, Spans


def draw_spans(corpus: Corpus, *, joined: bool | str = True) -> Picture:
    """Draw every coder's spans; spans that γ aligns are connected, unless ``joined`` is false."""
    listed = [(a.coder, a.marks) for a in corpus if isinstance(a.marks, Spans)]
    if not listed:
        raise CaesuraError("there is nothing to draw: the corpus holds no annotation.")
    if len(listed) > 1 and len(corpus.positions) and str(joined).lower() not in ("false", "no", "0"):
        (alignment,) = best_alignments(corpus)
        return alignment.pictures()[0]
    marks = [spans for _, spans in listed]
    rtl = marks[0].units is not None and is_rtl(" ".join(marks[0].units[:20]))
    rows = tuple(tuple(spans.rows) for spans in marks)
    return SpanLanes(corpus.items[0], tuple(coder for coder, _ in listed), rows, (), float(marks[0].length), rtl=rtl)
