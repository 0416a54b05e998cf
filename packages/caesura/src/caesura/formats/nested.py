"""Nested segments as bracketed text, JSON, CSV of level columns (``levels``) or CSV of first and last units (``spans``)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from types import SimpleNamespace
from typing import Any, Literal

from caesura.errors import InvalidSegmentation
from caesura.files import Source, load_json, parse_integer
from caesura.formats.columns import parse_header
from caesura.formats.tables import Row, integer_cell, read_table, write_table
from caesura.model import Annotation, Corpus, Hierarchy
from caesura.model.provenance import add_note

# ---------------------------------------------------------------------- brackets
# ``[ [ a b ] c ]``: every pair of brackets is a segment, its depth the level. Words are separated by spaces or line ends; brackets may
# touch them.


def sniff_brackets(head: str) -> bool:
    """Recognise a text that begins with a bracket and contains another one."""
    return head.lstrip().startswith("[") and head.count("[") > 1 and "{" not in head and '"' not in head


def read_brackets(source: Source, *, brackets: str = "[]") -> Corpus:
    """Read one text by one coder.

    Parameters
    ----------
    brackets : str, default '[]'
        The opening and the closing character of a segment.
    """
    marks = Hierarchy.from_brackets(source.text, brackets=brackets)
    return Corpus.from_annotations([Annotation(source.stem, "", marks)])


def write_brackets(corpus: Corpus) -> str:
    """Write one annotation on one line."""
    marks = corpus.annotation(0).marks
    assert isinstance(marks, Hierarchy)
    return marks.bracketed + "\n"


# ---------------------------------------------------------------------- nested-json
# Segments that contain segments, or nested lists:
#
#     {"annotations": [{"item": "talk", "coder": "ann", "length": 10, "segments": [
#       {"first": 1, "last": 10, "segments": [{"first": 1, "last": 4}, {"first": 5, "last": 10}]}]}]}
#
# A single annotation, a list of annotations, and ``{item: {coder: annotation}}`` are read too. In place of an annotation there may be
# nested lists, ``[[["take", "the"], ["red", "line"]], "stop"]``, see :meth:`caesura.Hierarchy.from_nested`.


def sniff_json(head: str) -> bool:
    """Recognise segments with first and last, or lists in lists."""
    if '"segments"' in head and any(key in head for key in ('"first"', '"length"', '"units"')):
        return True
    return head.lstrip().startswith("[") and "{" not in head


def read_json(source: Source) -> Corpus:
    """Read every annotation of the file."""
    data = load_json(source)
    if data in ([], {}):
        raise source.error(None, "the file contains an empty list or object.")
    annotations = list(_entries(source, data))
    if not annotations:
        raise source.error(None, "the file contains no annotation.")
    return Corpus.from_annotations(annotations)


def write_json(corpus: Corpus) -> str:
    """Write a list of annotations, segments inside segments."""
    entries = []
    for a in corpus:
        assert isinstance(a.marks, Hierarchy)
        named = {"item": a.item, "coder": a.coder} | ({"track": a.track} if a.track else {})
        entries.append(named | a.marks.nested)
    return json.dumps({"annotations": entries}, ensure_ascii=False, indent=1) + "\n"


def _entries(source: Source, data: Any) -> Iterator[Annotation]:
    if isinstance(data, dict) and isinstance(data.get("annotations"), list):
        data = data["annotations"]
    if isinstance(data, list) and data and all(isinstance(entry, dict) for entry in data):
        yield from (_annotation(source, entry, source.stem, "") for entry in data)
    elif isinstance(data, dict) and "segments" not in data:
        for item, coders in data.items():
            if not isinstance(coders, dict):
                raise source.error(None, f'item {item!r}: expected {{coder: segments}}, or an object with "segments".')
            yield from (_annotation(source, entry, item, coder) for coder, entry in coders.items())
    else:
        if isinstance(data, list) and _has_numbers(data):
            add_note(
                "nested",
                f"{source.path}: the lists were read as nested segments of one text; write the masses of several coders as "
                "{item: {coder: masses}}.",
            )
        yield _annotation(source, data, source.stem, "")


def _has_numbers(data: list[Any]) -> bool:
    """Tell whether the first part that is no list is a number, so that the lists could also be masses."""
    first: Any = data
    while isinstance(first, list) and first:
        first = first[0]
    return isinstance(first, int)


def _annotation(source: Source, entry: Any, item: str, coder: str) -> Annotation:
    track = ""
    if isinstance(entry, dict):
        item, coder, track = (str(entry.get(k, d)) for k, d in (("item", item), ("coder", coder), ("track", "")))
    try:
        return Annotation(item, coder, Hierarchy.from_nested(entry), track)
    except InvalidSegmentation as error:
        raise source.error(None, f"item {item!r}, coder {coder!r}: {error}") from None
    except RecursionError:
        raise source.error(None, f"item {item!r}: the segments are nested too deeply.") from None


# ---------------------------------------------------------------------- levels
# CSV with one row per unit; 1 in column levelK where a segment of level K ends, see :meth:`caesura.Hierarchy.from_levels`. Columns
# ``item``, ``coder``, ``track`` and ``text`` are optional; any other column before the levels counts the units.

_LEVEL = re.compile(r"level[ _-]?(\d+)")
_NAMED = ("item", "track", "coder", "text")


@dataclass
class _LevelRows:
    """The rows of one annotation: flags where levels end, and the words."""

    marks: list[list[int]] = field(default_factory=list)
    units: list[str] = field(default_factory=list)


def sniff_levels(head: str) -> bool:
    """Recognise a column called level1."""
    return any(_LEVEL.fullmatch(name) for name in parse_header(head))


def read_levels(
    source: Source, *, outermost: Literal["first", "last"] = "first", unclosed: Literal["refuse", "close"] = "refuse"
) -> Corpus:
    """Read one annotation, or several if there are columns item, coder or track.

    Parameters
    ----------
    outermost : {'first', 'last'}, default 'first'
        Which level column is the outermost level.
    unclosed : {'refuse', 'close'}, default 'refuse'
        Whether a finer segment that continues where a coarser one ends is an error or is closed there.
    """
    texts: dict[tuple[str, str, str], _LevelRows] = {}
    for row in read_table(source):
        columns = _level_columns(row)
        text = texts.setdefault(row.key, _LevelRows())
        _check_count(row, len(text.marks) + 1)
        text.marks.append([_level_flag(row, column) for column in columns])
        if unclosed == "close":
            text.marks[-1] = _close(text.marks[-1], outermost)
        if "text" in row.columns:
            text.units.append(row["text"])
    return Corpus.from_annotations(
        Annotation(item, coder, _levels_hierarchy(source, (item, coder), text, outermost), track)
        for (item, coder, track), text in texts.items()
    )


def write_levels(corpus: Corpus) -> str:
    """Write one row per unit, with a column for every level."""
    annotations = [(a, a.marks) for a in corpus if isinstance(a.marks, Hierarchy)]
    depth = max((marks.depth for _, marks in annotations), default=0) or 1
    text = ["text"] if corpus.texts else []
    rows: list[list[object]] = []
    for a, marks in annotations:
        for unit, flags in enumerate(zip(*marks.level_columns(depth), strict=True), 1):
            shown = [marks.units[unit - 1] if marks.units else ""] if text else []
            rows.append([a.item, a.coder, a.track, unit, *shown, *flags])
    return write_table(["item", "coder", "track", "unit", *text, *(f"level{k}" for k in range(1, depth + 1))], rows)


def _level_columns(row: Row) -> list[str]:
    levels = [(int(match[1][:18]), name) for name in row.columns if (match := _LEVEL.fullmatch(name))]
    if not levels:
        raise row.source.error(1, f"there is no column level1; found {', '.join(row.columns)}.")
    return [name for _, name in sorted(levels)]


def _check_count(row: Row, expected: int) -> None:
    """Check that a column that counts the units does not skip any."""
    counting = next((n for n in row.columns if n not in _NAMED and not _LEVEL.fullmatch(n)), None)
    count = None if counting is None else parse_integer(row[counting])
    if counting is not None and row[counting].strip().isdigit() and count != expected:
        raise row.error(
            f"{counting} is {row[counting][:40]}, expected {expected}: units are counted from 1 without gaps."
        )


def _level_flag(row: Row, column: str) -> int:
    cell = row[column].strip()
    if cell not in ("", "0", "1"):
        raise row.error(f"{column} is {cell!r}, expected 1 where a segment ends, else 0.")
    return int(cell == "1")


def _close(marks: list[int], outermost: Literal["first", "last"]) -> list[int]:
    """Close all finer levels where a coarser one ends.

    Examples
    --------
    >>> _close([0, 1, 0], "first"), _close([0, 1, 0], "last")
    ([0, 1, 1], [1, 1, 0])
    """
    inwards = marks if outermost == "first" else marks[::-1]
    closed = list(accumulate(inwards, max))
    return closed if outermost == "first" else closed[::-1]


def _levels_hierarchy(
    source: Source, key: tuple[str, str], text: _LevelRows, outermost: Literal["first", "last"]
) -> Hierarchy:
    columns = list(map(list, zip(*text.marks, strict=True)))
    try:
        return Hierarchy.from_levels(columns, outermost=outermost, units=text.units if any(text.units) else None)
    except InvalidSegmentation as error:
        item, coder = key
        names = [f"item {item!r}, "] * (item != source.stem) + [f"coder {coder!r}: "] * bool(coder)
        advice = " Read it with unclosed=close (-O unclosed=close) to close finer segments where a coarser one ends."
        raise source.error(None, f"{''.join(names)}{error}{advice if 'around it ends' in str(error) else ''}") from None


# ---------------------------------------------------------------------- spans
# CSV with one row per segment. Columns: first, last[, level], coder, item[, track, length].
# Units are counted from 1. Without a level column levels follow from the nesting; without a length column a text ends with the last
# segment of any coder. An annotation without segments is a row with empty first and last.


_ALIASES = {"start": "first", "end": "last", "begin": "first", "annotator": "coder"}


def sniff_spans(head: str) -> bool:
    """Recognise the columns 'first' and 'last'."""
    return {"first", "last"} <= {_ALIASES.get(name, name) for name in parse_header(head)}


def read_spans(source: Source, *, length: int | None = None) -> Corpus:
    """Read the segments of every coder and item.

    Parameters
    ----------
    length : int, default None
        Units of every text that the table does not state.
    """
    spans: dict[tuple[str, str, str], list[tuple[int, ...]]] = {}
    lengths: dict[tuple[str, str], int] = {}
    last_line: dict[tuple[str, str, str], Row] = {}
    for row in read_table(source, needs=("first", "last"), aliases=_ALIASES):
        item, _, track = row.key
        listed = spans.setdefault(row.key, [])
        last_line[row.key] = row
        if row["first"].strip() == "0" and "first" not in parse_header(source.head()):
            raise row.error(
                "a start is 0, and this format counts units from 1; labelled spans are --format csv-spans, seconds --format times."
            )
        if row["first"].strip() or row["last"].strip():
            levelled = (integer_cell(row, "level"),) if row.get("level").strip() else ()
            listed.append((integer_cell(row, "first"), integer_cell(row, "last"), *levelled))
        stated = integer_cell(row, "length", least=0) if row.get("length").strip() else None
        if stated is None:
            lengths[item, track] = max(lengths.get((item, track), 0), listed[-1][1] if listed else 0)
        elif lengths.setdefault((item, track), stated) != stated:
            raise row.error(f"item {item!r} has length {stated} here and {lengths[item, track]} above.")
    if not {"first", "last"} & set(parse_header(source.head())):
        add_note(
            "units",
            f"{source.path}: the starts and ends are whole numbers without labels and were read as the first and last units of nested "
            "segments; for seconds add --format times.",
            count=len(spans),
            others=("--format times",),
        )
    annotations = []
    for (item, coder, track), listed in spans.items():
        try:
            marks = Hierarchy.from_spans(listed, length=length or lengths[item, track])
        except InvalidSegmentation as error:
            raise last_line[item, coder, track].error(f"coder {coder!r}: {error}") from None
        annotations.append(Annotation(item, coder, marks, track))
    return Corpus.from_annotations(annotations)


def write_spans(corpus: Corpus) -> str:
    """Write one row per segment, outermost first."""
    rows: list[tuple[object, ...]] = []
    for a in corpus:
        assert isinstance(a.marks, Hierarchy)
        base = (a.item, a.coder, a.track, a.marks.length)
        rows += [(*base, *span) for span in a.marks.spans] or [(*base, "", "", "")]
    return write_table(("item", "coder", "track", "length", "first", "last", "level"), rows)


BRACKETS = SimpleNamespace(read=read_brackets, write=write_brackets, sniff=sniff_brackets)
JSON = SimpleNamespace(read=read_json, write=write_json, sniff=sniff_json)
LEVELS = SimpleNamespace(read=read_levels, write=write_levels, sniff=sniff_levels)
SPANS = SimpleNamespace(read=read_spans, write=write_spans, sniff=sniff_spans)
