"""Labelled spans: CSV with annotator, label, start, end[, item, track, length], with a header or, as pygamma-agreement reads it, without.

Positions are seconds where any of them has a decimal point (or with ``time=yes``), else units counted from 0 with the end excluded. Without a
length column a text ends with the last span of any annotator. An annotation without spans is a row whose start and end are empty.
"""

from __future__ import annotations

import csv
from typing import Any

from caesura.errors import InvalidSegmentation
from caesura.files import Source
from caesura.formats.delimited import Row, header_of, read_table, write_table
from caesura.formats.numbers import as_decimal
from caesura.model import Annotation, Corpus, Spans

_ALIASES = {"annotator": "coder", "category": "label", "type": "label", "annotation": "label", "begin": "start"}
_PYGAMMA = ("coder", "label", "start", "end")


def sniff(head: str) -> bool:
    """Recognise the columns annotator (with ``coder`` it may be a table of times), label, start and end; or two texts and two numbers."""
    columns = header_of(head)
    named = {_ALIASES.get(name, name) for name in columns}
    return ("annotator" in columns and {"label", "start", "end"} <= named) or _has_no_header(head)


def read(source: Source, *, length: float | None = None, time: bool | None = None) -> Corpus:
    """Read the spans of every annotator and item.

    Parameters
    ----------
    length
        Length of every text, where the table does not say.
    time
        Whether positions are seconds (default: where any is no whole number as it is written).
    """
    header = _PYGAMMA if _has_no_header(source.head()) else None
    rows = list(read_table(source, needs=("label", "start", "end"), aliases=_ALIASES, header=header))
    written = [row.get(name).strip() for row in rows for name in ("start", "end", "length")]
    seconds = any(cell and not cell.lstrip("+-").isdigit() for cell in written) if time is None else time
    spans: dict[tuple[str, str, str], list[tuple[float, float, str | None]]] = {}
    lengths: dict[tuple[str, str], float] = {}
    for row in rows:
        item, _, track = row.whose
        listed = spans.setdefault(row.whose, [])
        if row["start"].strip() or row["end"].strip():
            listed.append(_span(row, seconds))
        lengths[item, track] = max(
            lengths.get((item, track), 0.0), _number(row, "length") if row.get("length").strip() else 0.0
        )
    ends = {
        key: max([end for of, rows in spans.items() if (of[0], of[2]) == key for _, end, _ in rows], default=0.0)
        for key in lengths
    }
    return Corpus.from_annotations(
        Annotation(
            item,
            coder,
            _spans(source, coder, listed, length or lengths[item, track] or ends[item, track], seconds),
            track,
        )
        for (item, coder, track), listed in spans.items()
    )


def write(corpus: Corpus) -> str:
    """Write one row per span, in reading order."""
    rows: list[tuple[object, ...]] = []
    for a in corpus:
        assert isinstance(a.marks, Spans)
        base = (a.item, a.track, a.marks.length, a.coder)
        rows += [(*base, name or "", start, end) for start, end, name in a.marks.rows] or [(*base, "", "", "")]
    return write_table(("item", "track", "length", "annotator", "label", "start", "end"), rows)


def _has_no_header(head: str) -> bool:
    line = next((line for line in head.split("\n") if line.strip()), "")
    cells = next(csv.reader([line], delimiter=max(",;\t", key=line.count)), [])
    return len(cells) == 4 and all(as_decimal(cell) is not None for cell in cells[2:]) and as_decimal(cells[0]) is None


def _span(row: Row, seconds: bool) -> tuple[float, float, str | None]:
    start, end = _number(row, "start"), _number(row, "end")
    if not seconds and (start != int(start) or end != int(end)):
        raise row.fault(f"the span {start:g}–{end:g} is not of whole units; read seconds with time=yes.")
    if end <= start:
        why = "is empty; a span covers something" if end == start else "ends before it begins"
        raise row.fault(f"the span {start:g}–{end:g} {why}.")
    if start < 0:
        raise row.fault(f"the span {start:g}–{end:g} begins before the text.")
    return (start, end, row["label"] or None) if seconds else (int(start), int(end), row["label"] or None)


def _number(row: Row, name: str) -> float:
    number = as_decimal(row[name].strip())
    if number is None or not abs(number) < 10**12:
        raise row.fault(f"{name} is {row[name][:40]!r}, expected a number.")
    return float(number)


def _spans(source: Source, coder: str, rows: list[Any], length: float, seconds: bool) -> Spans:
    try:
        return Spans.from_rows(rows, length=length if seconds else int(length), time=seconds)
    except InvalidSegmentation as fault:
        raise source.fault(None, f"annotator {coder!r}: {fault}") from None
