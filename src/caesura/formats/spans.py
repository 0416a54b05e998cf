"""Nested segments as spans: CSV with first, last[, level], coder, item[, track, length].

Units count from 1. Without a level column, levels follow from the nesting; without a length column, a text ends with the last
segment of any coder. An annotation without segments is a row whose first and last are empty.
"""

from __future__ import annotations

from caesura.errors import InvalidSegmentation
from caesura.files import Source
from caesura.formats.delimited import Row, header_of, read_table, whole, write_table
from caesura.model import Annotation, Corpus, Hierarchy

_ALIASES = {"start": "first", "end": "last", "begin": "first", "annotator": "coder"}


def sniff(head: str) -> bool:
    """Recognise the columns first and last."""
    return {"first", "last"} <= {_ALIASES.get(name, name) for name in header_of(head)}


def read(source: Source, *, length: int | None = None) -> Corpus:
    """Read the segments of every coder and item.

    Parameters
    ----------
    length
        Number of units of every text, where the table does not say.
    """
    spans: dict[tuple[str, str, str], list[tuple[int, ...]]] = {}
    lengths: dict[tuple[str, str], int] = {}
    last_line: dict[tuple[str, str, str], Row] = {}
    for row in read_table(source, needs=("first", "last"), aliases=_ALIASES):
        item, _, track = row.whose
        listed = spans.setdefault(row.whose, [])
        last_line[row.whose] = row
        if row["first"].strip() or row["last"].strip():
            levelled = (whole(row, "level"),) if row.get("level").strip() else ()
            listed.append((whole(row, "first"), whole(row, "last"), *levelled))
        _note_length(row, (item, track), listed, lengths)
    return Corpus.from_annotations(
        Annotation(
            item, coder, _hierarchy(last_line[item, coder, track], listed, length or lengths[item, track]), track
        )
        for (item, coder, track), listed in spans.items()
    )


def write(corpus: Corpus) -> str:
    """Write one row per segment, outermost first."""
    rows: list[tuple[object, ...]] = []
    for a in corpus:
        assert isinstance(a.marks, Hierarchy)
        base = (a.item, a.coder, a.track, a.marks.length)
        rows += [(*base, *span) for span in a.marks.spans] or [(*base, "", "", "")]
    return write_table(("item", "coder", "track", "length", "first", "last", "level"), rows)


def _note_length(
    row: Row, stream: tuple[str, str], spans: list[tuple[int, ...]], lengths: dict[tuple[str, str], int]
) -> None:
    if row.get("length").strip():
        given = whole(row, "length", least=0)
        if "length" in row.columns and lengths.setdefault(stream, given) != given:
            raise row.fault(f"item {stream[0]!r} has length {given} here and {lengths[stream]} above.")
    else:
        lengths[stream] = max(lengths.get(stream, 0), spans[-1][1] if spans else 0)


def _hierarchy(row: Row, spans: list[tuple[int, ...]], length: int) -> Hierarchy:
    try:
        return Hierarchy.from_spans(spans, length=length)
    except InvalidSegmentation as fault:
        raise row.fault(f"coder {row.get('coder')!r}: {fault}") from None
