"""CSV of times: one row per boundary (``time``, perhaps ``type``), or one row per interval (``start``, ``end``, perhaps ``label``).

Columns ``item``, ``coder``, ``track`` and ``length`` are understood in both. A file that is nothing but one number per line is a list of
boundary times.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Unpack

from caesura.files import Source
from caesura.formats.delimited import Row, header_of, read_table, write_table
from caesura.formats.speech.intervals import IntervalOptions, Rule, decimal, flat, recording, segmentation, segments
from caesura.model import Annotation, Corpus, Segmentation

#: What other programs call the columns of intervals.
_ALIASES = {"stop": "end", "labels": "label", "begin": "start"}

_NUMBER = re.compile(r"\s*\d+(\.\d*)?([eE][-+]?\d+)?\s*")


def sniff(head: str) -> bool:
    """Recognise the columns, or bare numbers with a decimal point."""
    columns = [_ALIASES.get(name, name) for name in header_of(head)]
    if "time" in columns:
        return True
    if {"start", "end"} <= set(columns) and "level" not in columns:  # of units rather than seconds: whole numbers
        first = next((line for line in head.split("\n")[1:] if line.strip()), "")
        return re.search(r"\d\.\d", first) is not None
    return _bare(head) and "." in head


def read(source: Source, *, length: float | None = None, **intervals: Unpack[IntervalOptions]) -> Corpus:
    """Read boundaries or intervals.

    Parameters
    ----------
    length
        Of the recordings, in seconds, where there is no column for it; default: the last time.
    """
    if _bare(source.head()):
        times = [float(decimal(source, n, line.strip(), "time")) for n, line in source.full_lines()]
        marks = Segmentation.from_times(sorted(times), length=length)
        return Corpus.from_annotations([Annotation(recording(source), "", marks)])
    rows = list(read_table(source, aliases=_ALIASES))
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        key = row.get("item") or recording(source), row.get("coder"), row.get("track")
        groups.setdefault(key, []).append(row)
    rule = Rule.of(**intervals)
    points = "time" in rows[0].columns
    if not points and not {"start", "end"} <= rows[0].columns.keys():
        raise source.fault(1, f"expected a column time, or start and end; found {', '.join(rows[0].columns)}.")
    return Corpus.from_annotations(
        Annotation(item, coder, _points(some, length) if points else _intervals(some, rule, length), track)
        for (item, coder, track), some in groups.items()
    )


def write(corpus: Corpus) -> str:
    """Write intervals where segments have names, boundaries where they do not."""
    listed = list(flat(corpus))
    if any(marks.names is not None for *_, marks in listed):
        rows: Iterable[Sequence[object]] = (
            (item, coder, track, start, end, label)
            for item, track, coder, marks in listed
            for start, end, label in segments(marks)
        )
        return write_table(("item", "coder", "track", "start", "end", "label"), _spell_rows(rows))
    typed = any(marks.typed for *_, marks in listed)
    header = ("item", "coder", "track", "length", "time", *(("type",) if typed else ()))
    return write_table(header, _spell_rows(_point_rows(listed, typed)))


def _point_rows(listed: list[tuple[str, str, str, Segmentation]], typed: bool) -> Iterator[tuple[object, ...]]:
    for item, track, coder, marks in listed:
        about = item, coder, track, marks.length
        if not len(marks.positions):  # a recording without a boundary is a row without a time
            yield (*about, "", *(("",) if typed else ()))
        if marks.typed:
            yield from ((*about, time, kind) for time, kind in marks.marks)
        else:
            yield from ((*about, time) for time in marks.positions.tolist())


def _spell_rows(rows: Iterable[Sequence[object]]) -> Iterator[list[str]]:
    return ([repr(cell) if isinstance(cell, float) else str(cell) for cell in row] for row in rows)


def _bare(head: str) -> bool:
    lines = [line for line in head.split("\n")[:-1] if line.strip()] or [head]
    return all(_NUMBER.fullmatch(line) for line in lines)


def _points(rows: list[Row], length: float | None) -> Segmentation:
    placed = [(_time(row, "time"), row.get("type"), row) for row in rows if row["time"].strip()]
    seen: set[tuple[float, str]] = set()
    for time, kind, row in placed:
        if kind and (time, kind) in seen:
            raise row.fault(f"time {time:g} is given twice with type {kind!r}.")
        seen.add((time, kind))
    marked = sorted((time, kind) for time, kind, _ in placed)
    known = length if length is not None else _length(rows)
    times, types = [time for time, _ in marked], [kind for _, kind in marked]
    return Segmentation.from_times(times, length=known, types=types if any(types) else None)


def _intervals(rows: list[Row], rule: Rule, length: float | None) -> Segmentation:
    in_order: list[tuple[Any, ...]] = sorted(
        ((_time(row, "start"), _time(row, "end"), row.get("label"), row) for row in rows), key=lambda each: each[:2]
    )
    starts, ends, labels, ordered = zip(*in_order, strict=True)
    return segmentation(
        starts, ends, labels, rule=rule, length=length if length is not None else _length(rows),
        fault=lambda i, why: ordered[i].fault(why),
    )  # fmt: skip


def _time(row: Row, name: str) -> float:
    return float(decimal(row.source, row.line, row[name].strip(), name))


def _length(rows: list[Row]) -> float | None:
    lengths = {row.get("length").strip() for row in rows} - {""}
    if len(lengths) > 1:
        raise rows[0].fault(f"one recording has two lengths: {', '.join(sorted(lengths)[:3])}.")
    return float(decimal(rows[0].source, rows[0].line, lengths.pop(), "length")) if lengths else None
