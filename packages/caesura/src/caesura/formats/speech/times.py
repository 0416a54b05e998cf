"""CSV of times, and CSV of candidate boundaries with scores."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from caesura.files import Source
from caesura.formats.columns import (
    INTERVAL_ALIASES,
    LABEL_ALIASES,
    NAME_ALIASES,
    TIME_ALIASES,
    are_seconds,
    common_names,
    has_intervals,
    parse_header,
)
from caesura.formats.speech.intervals import (
    LONGEST,
    IntervalRules,
    IntervalSpanOptions,
    parse_time,
    recording_name,
    segmentation,
    segments,
    spans_of_intervals,
    timed_segmentations,
)
from caesura.formats.tables import (
    Row,
    UnusualTable,
    read_blocks,
    read_table,
    runs_of,
    speakers_are_tracks,
    write_table,
)
from caesura.model import Annotation, Corpus, Segmentation, Spans
from caesura.model.provenance import add_note
from caesura.text import describe_location

# ---------------------------------------------------------------------- times
# One row per boundary (``time``[, ``type``]) or per interval (``start``, ``end``[, ``label``]), with optional columns ``item``, ``coder``,
# ``track`` and ``length``. A file with one number per line is a list of boundary times.

#: Other programs' names for the columns of intervals.
_ALIASES = {**NAME_ALIASES, **INTERVAL_ALIASES, **TIME_ALIASES, **LABEL_ALIASES}

_DIGITS = frozenset("0123456789.")
_NUMBER = re.compile(r"\s*\d+(\.\d*)?([eE][-+]?\d+)?\s*")


def sniff(head: str) -> bool:
    """Recognise the columns, or only numbers with decimal points."""
    columns = common_names(parse_header(head), _ALIASES)
    if "time" in columns:
        return True
    if has_intervals(columns, _ALIASES) and "level" not in columns:  # of units rather than seconds: whole numbers
        return are_seconds(head, _ALIASES)
    return _is_list_of_numbers(head) and "." in head


def read(
    source: Source, *, length: float | None = None, **intervals: Unpack[IntervalSpanOptions]
) -> Corpus | list[Annotation]:
    """Read boundaries or intervals.

    Parameters
    ----------
    length : float, default None
        The length of the recordings in seconds, if there is no column 'length'; None: the last time.
    as_ : {'auto', 'boundaries', 'spans', 'turns'}, default 'auto'
        ``spans`` keeps intervals with their gaps and overlaps; ``turns`` does and labels them by the column ``speaker``; otherwise intervals
        become boundaries.
    """
    if _is_list_of_numbers(source.head()):
        times = [float(parse_time(source, n, line.strip(), "time")) for n, line in source.nonblank_lines()]
        name = recording_name(source)
        if length is None:
            _note_guessed(source, {(name, ""): max(times)})
        return [Annotation(name, "", Segmentation.from_times(sorted(times), length=length))]
    rule = IntervalRules.from_options(**intervals)
    if rule.as_ != "spans" and (listed := _points_of_columns(source)) is not None:
        return _all_points(source, listed, length)
    rows = list(read_table(source, aliases=_ALIASES))
    groups: dict[tuple[str, str, str], list[Row]] = {}
    turns = intervals.get("as_") == "turns" and "speaker" in rows[0].columns
    track = "speaker" if turns or speakers_are_tracks(rows) else "track"
    for row in rows:
        if turns and not row["speaker"].strip():
            raise row.error("a turn has no speaker.")
        key = row.get("item") or recording_name(source), row.get("coder"), row.get(track)
        groups.setdefault(key, []).append(row)
    points = "time" in rows[0].columns
    if points and rule.as_ == "spans":
        raise source.error(1, "spans have a start and an end, and this table has one time per row; leave out as=.")
    if points:
        return _all_points(source, {key: _points_of_rows(some, length) for key, some in groups.items()}, length)
    if not {"start", "end"} <= rows[0].columns.keys():
        raise source.error(1, f"expected a column time, or start and end; found {', '.join(rows[0].columns)}.")
    return [
        Annotation(item, coder, _intervals(some, rule, length), track) for (item, coder, track), some in groups.items()
    ]


@dataclass
class _Points:
    """The boundaries of one coder of one recording."""

    times: list[float] = field(default_factory=list)
    types: list[str] = field(default_factory=list)  # empty where there is none
    length: float | None = None

    def has_repeated(self) -> bool:
        """Tell whether two boundaries have one time and one type."""
        return len(set(zip(self.times, self.types, strict=True))) < len(self.times)

    def segmentation(self, length: float | None) -> Segmentation:
        """Return the boundaries in order."""
        if self.times == sorted(self.times) and not any(self.types):
            return Segmentation.from_times(self.times, length=length)
        marked = sorted(zip(self.times, self.types, strict=True))
        types = [kind for _, kind in marked]
        return Segmentation.from_times([time for time, _ in marked], length=length, types=types if any(types) else None)


def _points_of_columns(source: Source) -> dict[tuple[str, str, str], _Points] | None:
    """Read boundaries some hundred rows at once, which takes a fraction of the time; None if rows must be read one by one."""
    groups: defaultdict[tuple[str, str, str], _Points] = defaultdict(_Points)
    lengths: dict[tuple[str, str, str], str] = {}
    name = recording_name(source)
    try:
        for columns in read_blocks(source, _ALIASES):
            if "time" not in columns or "speaker" in columns:
                return None
            times, types = _plain_times(columns["time"]), columns.get("type")
            for (item, coder, track, given), start, stop in runs_of(source, columns, "length"):
                key = (item or name) if "item" in columns else name, coder, track
                points = groups[key]
                if given:
                    (points.length,) = _plain_times([given])
                    if lengths.setdefault(key, given) != given:
                        return None
                points.times += times[start:stop]
                points.types += types[start:stop] if types else [""] * (stop - start)
    except (UnusualTable, ValueError):
        return None
    if any(any(points.types) and points.has_repeated() for points in groups.values()):
        return None
    return dict(groups)


def _points_of_rows(rows: list[Row], length: float | None) -> _Points:
    some = [row for row in rows if row["time"].strip()]
    placed = list(zip(_times(some, "time"), [row.get("type") for row in some], strict=True))
    points = _Points(
        [time for time, _ in placed], [kind for _, kind in placed], _length(rows) if length is None else length
    )
    if points.has_repeated():
        for i, (time, kind) in enumerate(placed):
            if kind and (time, kind) in placed[:i]:
                raise some[i].error(f"time {time:g} is given twice with type {kind!r}.")
    return points


def _all_points(
    source: Source, groups: Mapping[tuple[str, str, str], _Points], length: float | None
) -> list[Annotation]:
    """Return all boundaries; recordings without a length end at the last boundary of any coder, which a note says."""
    ends: dict[tuple[str, str], float] = {}
    for (item, _, track), points in groups.items():
        if length is None and points.length is None:
            ends[item, track] = max(ends.get((item, track), 0.0), *points.times, 0.0)
    if ends:
        _note_guessed(source, ends)
    annotations = []
    for (item, coder, track), points in groups.items():
        known = length if length is not None else points.length
        end = ends.get((item, track)) if known is None else known
        annotations.append(Annotation(item, coder, points.segmentation(end), track))
    return annotations


def _note_guessed(source: Source, ends: Mapping[tuple[str, str], float]) -> None:
    (item, track), end = next(iter(ends.items()))
    add_note(
        "length",
        f"{source.path}: no length is given, so {describe_location(item, track)} is assumed to end at its last boundary ({end:g} s), "
        "which is then not scored; add a column length, or -O length=N.",
        item=item,
        count=len(ends),
    )
    if all(value.is_integer() for value in ends.values()) and any(value >= 1000 for value in ends.values()):
        add_note(
            "units",
            f"{source.path}: times were read as seconds; if they are milliseconds, call the column time_ms.",
            item=item,
        )


def write(corpus: Corpus) -> str:
    """Write intervals if segments have names, else boundaries."""
    listed = list(timed_segmentations(corpus))
    if any(marks.names is not None for *_, marks in listed):
        rows: Iterable[Sequence[object]] = (
            (item, coder, track, start, end, label)
            for item, track, coder, marks in listed
            for start, end, label in segments(marks)
        )
        return write_table(("item", "coder", "track", "start", "end", "label"), _format_rows(rows))
    typed = any(marks.typed for *_, marks in listed)
    header = ("item", "coder", "track", "length", "time", *(("type",) if typed else ()))
    return write_table(header, _format_rows(_point_rows(listed, typed)))


def _point_rows(listed: list[tuple[str, str, str, Segmentation]], typed: bool) -> Iterator[tuple[object, ...]]:
    for item, track, coder, marks in listed:
        about = item, coder, track, marks.length
        if not len(marks.positions):  # a recording without a boundary is a row without a time
            yield (*about, "", *(("",) if typed else ()))
        if marks.typed:
            yield from ((*about, time, kind) for time, kind in marks.marks)
        else:
            yield from ((*about, time) for time in marks.positions.tolist())


def _format_rows(rows: Iterable[Sequence[object]]) -> Iterator[list[str]]:
    return ([repr(cell) if isinstance(cell, float) else str(cell) for cell in row] for row in rows)


def _is_list_of_numbers(head: str) -> bool:
    lines = [line for line in head.split("\n")[:-1] if line.strip()] or [head]
    return all(_NUMBER.fullmatch(line) for line in lines)


def _intervals(rows: list[Row], rule: IntervalRules, length: float | None) -> Segmentation | Spans:
    in_order: list[tuple[Any, ...]] = sorted(
        zip(_times(rows, "start"), _times(rows, "end"), [row.get("label") for row in rows], rows, strict=True),
        key=lambda each: each[:2],
    )
    starts, ends, labels, ordered = zip(*in_order, strict=True)
    known = length if length is not None else _length(rows)
    if rule.as_ == "spans":
        return spans_of_intervals(
            zip(starts, ends, labels, strict=True), length=max(ends) if known is None else known,
            error=lambda i, why: ordered[i].error(why), leave_out=rule.silences - {""},
        )  # fmt: skip
    return segmentation(starts, ends, labels, rule=rule, length=known, error=lambda i, why: ordered[i].error(why))


def _times(rows: Sequence[Row], name: str) -> list[float]:
    """Return the times in a column; anything but seconds is an error about its row."""
    try:
        return _plain_times([row[name] for row in rows])
    except ValueError:
        return [float(parse_time(row.source, row.line, row[name].strip(), name)) for row in rows]


def _plain_times(cells: Sequence[str]) -> list[float]:
    """Return times that are written as digits with at most one point; raise a ValueError if any is not."""
    if not set("".join(cells)) <= _DIGITS:
        raise ValueError
    times = list(map(float, cells))
    if max(times, default=0.0) >= LONGEST:
        raise ValueError
    return times


def _length(rows: list[Row]) -> float | None:
    lengths = {cell.strip() for cell in {row.get("length") for row in rows}} - {""}
    if len(lengths) > 1:
        raise rows[0].error(f"one recording has two lengths: {', '.join(sorted(lengths)[:3])}.")
    return float(parse_time(rows[0].source, rows[0].line, lengths.pop(), "length")) if lengths else None


# ---------------------------------------------------------------------- scored
# Candidate boundaries with scores, from which a threshold of a segmenter can be chosen later.

#: For (item, track), times and scores.
Candidates = dict[tuple[str, str], tuple[list[float], list[float]]]


def has_scores(path: str | PathLike[str]) -> bool:
    """Tell whether a file is a table with the columns time and score."""
    where = Path(path)
    return (
        where.is_file()
        and where.stat().st_size > 0
        and {"time", "score"} <= set(parse_header(Source.open(where).head()))
    )


def read_scored(path: str | PathLike[str]) -> Candidates:
    """Read candidate boundaries and their scores; without a column 'item' the file name is the item."""
    source = Source.open(Path(path))
    candidates: Candidates = {}
    for row in read_table(source, needs=("time", "score")):
        times, scores = candidates.setdefault((row.get("item") or recording_name(source), row.get("track")), ([], []))
        times.append(float(parse_time(source, row.line, row["time"].strip(), "time")))
        try:
            scores.append(float(row["score"]))
        except ValueError:
            scores.append(math.nan)
        if not math.isfinite(scores[-1]):
            raise row.error(f"the score is {row['score']!r}, expected a finite number.")
    return candidates


def format_scores(rows: Iterable[tuple[str, str, float, float]]) -> str:
    """Return rows of item, track, time and score as CSV."""
    return write_table(
        ("item", "track", "time", "score"), ([i, t, repr(float(x)), repr(float(s))] for i, t, x, s in rows)
    )
