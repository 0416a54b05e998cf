"""CSV tables: rows of boundaries (``csv``), of units (``csv-labels``) or of labelled spans (``csv-spans``), and their common reader."""

from __future__ import annotations

import csv
import io
import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby, repeat
from types import SimpleNamespace
from typing import Literal, TypeAlias

import numpy as np

from caesura.errors import CaesuraError, FormatError, InvalidSegmentation
from caesura.files import Source, first_repeated, parse_decimal, parse_float, parse_integer
from caesura.formats.columns import (
    INTERVAL_ALIASES,
    LABEL_ALIASES,
    NAME_ALIASES,
    TimeColumns,
    are_seconds,
    common_names,
    delimiter_of,
    has_intervals,
    likely_intervals,
    parse_header,
)
from caesura.model import Annotation, Corpus, Segmentation, Spans
from caesura.model.columns import CorpusBuilder
from caesura.model.provenance import MARKS, add_note
from caesura.model.spans import encode_labels
from caesura.options import parse_list
from caesura.text import describe_location, pluralize, shorten

# ---------------------------------------------------------------------- tables
# Cells are separated by commas, semicolons or tabs; columns are found by name.

csv.field_size_limit(2**24)  # the default of 2**17 characters is too small for whole texts in a cell


@dataclass(slots=True)
class Row:
    """One row of a table and its line in the file."""

    source: Source
    line: int
    columns: dict[str, int]
    cells: list[str]

    def __getitem__(self, name: str) -> str:
        return self.cells[self.columns[name]]

    def get(self, name: str, default: str = "") -> str:
        """Return a cell, or the default if there is no such column."""
        return self.cells[self.columns[name]] if name in self.columns else default

    @property
    def key(self) -> tuple[str, str, str]:
        """Item, coder and track; the item is the file name if the table does not name it."""
        return self.get("item", self.source.stem), self.get("coder"), self.get("track")

    def error(self, why: str) -> FormatError:
        """Return an error about this line."""
        return self.source.error(self.line, why)


def read_table(
    source: Source,
    *,
    needs: Sequence[str] = (),
    aliases: Mapping[str, str] | None = None,
    header: Sequence[str] | None = None,
) -> Iterator[Row]:
    """Iterate over the rows of a table as a stream; blank lines are skipped.

    Parameters
    ----------
    source : Source
        The file.
    needs : sequence of str, default ()
        Columns that must be there.
    aliases : mapping of str to str, default None
        Other names of columns.
    header : sequence of str, default None
        The columns of a table without a header.
    """
    with source.stream() as text:
        lines = iter(_without_nul(source, text))
        first = next(lines, "")
        reader = csv.reader(chain([first], lines), delimiter=delimiter_of(first))
        columns = None if header is None else {name: i for i, name in enumerate(header)}
        times: TimeColumns | None = None
        width = len(columns or ())
        empty = True
        names: list[_NameColumn] = []
        try:
            for cells in reader:
                if not any(cells):
                    continue
                if columns is None:
                    width = len(cells)
                    columns, times = _columns(source, cells, needs, aliases or {})
                    names = [_NameColumn(name, columns[name]) for name in ("item", "coder") if name in columns]
                elif len(cells) != width:
                    raise source.error(
                        reader.line_num, f"this line has {pluralize(len(cells), 'cell')}, the header {width}."
                    )
                else:
                    empty = False
                    for name in names:
                        if bool(cells[name.column]) is not name.given:
                            name.check(source, reader.line_num, cells[name.column])
                    yield Row(source, reader.line_num, columns, cells if times is None else times.convert(cells))
        except csv.Error as error:
            raise source.error(reader.line_num, f"this is not CSV: {error}.") from None
        if empty:
            raise source.error(None, "the table is empty." if columns is None else "the table has no row.")


class UnusualTable(Exception):
    """A table with quotes or anything unusual, which must be read row by row: that also tells what is wrong where."""


_PIECE = 2**14  # characters that are split at once: few enough to stay in the cache of the processor


def read_blocks(source: Source, aliases: Mapping[str, str]) -> Iterator[dict[str, list[str]]]:
    """Iterate over the columns of a table, some hundred rows at once, which takes a fraction of the time of :func:`read_table`.

    Parameters
    ----------
    source : Source
        The file.
    aliases : mapping of str to str
        Other names of columns.

    Yields
    ------
    dict of str to list of str
        The cells of the next rows, by common name of the column.

    Raises
    ------
    UnusualTable
        If rows must be read one by one; maybe after some blocks.
    """
    with source.stream() as text:
        first = text.readline()
        header = parse_header(first)
        names, comma = common_names(header, aliases), delimiter_of(first)
        converted = INTERVAL_ALIASES.keys() <= aliases.keys() and TimeColumns.of(header, names) is not None
        if len(set(names)) != len(names) or converted or '"' in first or not first.endswith("\n") or not first.strip():
            raise UnusualTable
        end, width, given = first[len(first.rstrip("\r\n")) :], len(names), dict[str, set[bool]]()
        blank = end + comma * (width - 1) + end
        while piece := text.read(_PIECE) + text.readline():
            if '"' in piece or "\x00" in piece or len(piece) > csv.field_size_limit():
                raise UnusualTable
            # A cell of its own for every line end shows whether all lines have the same number of cells. Then columns are slices.
            lines = piece.removesuffix(end)
            cells = lines.replace(end, f"{comma}\n{comma}").split(comma)
            if (
                (len(cells) + 1) % (width + 1)
                or set(cells[width :: width + 1]) - {"\n"}
                or "\r" in lines.replace(end, "")
                or blank in f"{end}{lines}{end}"
            ):
                raise UnusualTable
            columns = {name: cells[k :: width + 1] for k, name in enumerate(names)}
            for name in ("item", "coder"):
                some = given.setdefault(name, set())
                some.update(map(bool, set(columns.get(name, ""))))
                if len(some) > 1:  # read_table refuses names in some rows only
                    raise UnusualTable
            yield columns
        if not given:
            raise UnusualTable


def runs_of(source: Source, columns: Mapping[str, list[str]], *more: str) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """Iterate over runs of rows with the same item, coder and track (and ``more`` columns): (these, first row, row after the last)."""
    rows = len(next(iter(columns.values())))
    cells = [columns.get("item") or repeat(source.stem, rows)]
    cells += [columns.get(name) or repeat("", rows) for name in ("coder", "track", *more)]
    start = 0
    for key, run in groupby(zip(*cells, strict=True)):
        stop = start + sum(1 for _ in run)
        yield key, start, stop
        start = stop


@dataclass(slots=True)
class _NameColumn:
    """A column of names, which are all empty or all given: spreadsheets often repeat a name only where it changes."""

    name: str
    column: int
    given: bool | None = None  # whether the rows have a name; None before the first row
    first: str = ""
    line: int = 0

    def check(self, source: Source, line: int, cell: str) -> None:
        """Raise an error if this row has no name and the first one has, or the other way round."""
        if self.given is None:
            self.given, self.first, self.line = bool(cell), cell, line
            return
        full, at = (cell, self.line) if cell else (self.first, line)
        raise source.error(
            at, f"the {self.name} is empty here and {shorten(full)!r} elsewhere; write it into every row."
        )


def speakers_are_tracks(rows: Sequence[Row]) -> bool:
    """Tell whether a column ``speaker`` gives tracks: if an item has several speakers. Otherwise it is an attribute of items."""
    if not rows or "speaker" not in rows[0].columns or "track" in rows[0].columns:
        return False
    speakers: dict[str, str] = {}
    if all(speakers.setdefault(row.key[0], row["speaker"]) == row["speaker"] for row in rows):
        return False
    source = rows[0].source
    add_note(
        "speakers",
        f"{source.path}: items have several speakers, so the column speaker was read as tracks.",
        count=len(rows),
    )
    return True


def write_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV with commas; cells are quoted if necessary."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue()


def integer_cell(row: Row, name: str, least: int = 1) -> int:
    """Return a cell as an integer of at least ``least``."""
    number = parse_integer(row[name])
    if number is None:
        raise row.error(f"{name} is {shorten(row[name])!r}, expected a whole number of at most 18 plain digits.")
    if number < least:
        raise row.error(f"{name} is {number}, expected {least} or more.")
    return number


def _columns(
    source: Source, cells: list[str], needs: Sequence[str], aliases: Mapping[str, str]
) -> tuple[dict[str, int], TimeColumns | None]:
    header = [cell.strip().lower() for cell in cells]
    names = common_names(header, aliases)
    times = TimeColumns.of(header, names) if INTERVAL_ALIASES.keys() <= aliases.keys() else None
    if times is not None and times.duration is not None:
        names.append("end")
    if (repeated := first_repeated(names)) is not None:
        raise source.error(1, f"two columns are called {repeated!r}.")
    if missing := [name for name in needs if name not in names]:
        raise source.error(1, f"there is no column {missing[0]!r}; found {', '.join(names)}.")
    return {name: i for i, name in enumerate(names)}, times


def _without_nul(source: Source, lines: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if "\x00" in line:
            raise source.error(number, "this is a binary file, expected text.")
        yield line


# ---------------------------------------------------------------------- csv: one row per boundary
# Columns: item, coder, position[, type, track, length]. An annotation without boundaries is a row with an empty position. Without a
# length column a typed text ends with the last boundary of any coder (the closing one), an untyped text one unit later; ``length=``
# overrides that. Positions in seconds are another format, ``times``.

_POSITIONS_ALIASES = {**NAME_ALIASES, "speaker": "track"}
_LARGEST = 2**62  # longer than any text, and still an int64


@dataclass
class _Boundaries:
    """The boundaries of one annotation."""

    positions: array[int] = field(default_factory=lambda: array("q"))
    types: list[str] = field(default_factory=list)
    last_types: set[str] = field(default_factory=set)  # at the last position


def sniff_positions(head: str) -> bool:
    """Recognise the column 'position'."""
    return "position" in parse_header(head)


def read_positions(source: Source, *, length: int | None = None, labels: Sequence[str] | str | None = None) -> Corpus:
    """Read as a stream, so that files may have any size.

    Parameters
    ----------
    length : int, default None
        Units of every text that the table does not state.
    labels : sequence of str or str, default None
        The types in their order on the ordinal scale; None: alphabetical.
    """
    table = _BoundaryTable(source)
    if not table.add_columns():
        table = _BoundaryTable(source)
        for row in read_table(source, needs=("position",), aliases=_POSITIONS_ALIASES):
            table.add(row)
    return table.corpus(length, None if labels is None else parse_list(labels))


def write_positions(corpus: Corpus) -> str:
    """Write one row per boundary, with a column of types if the corpus is typed."""
    typed = ["type"] if corpus.typed else []
    return write_table(["item", "coder", "track", "length", "position", *typed], _positions_rows(corpus))


def _positions_rows(corpus: Corpus) -> Iterator[list[object]]:
    for row in range(len(corpus)):
        item, track = corpus.items[corpus.item_of[row]], corpus.tracks[corpus.track_of[row]]
        base = [item, corpus.coders[corpus.coder_of[row]], track, corpus.lengths[row].item()]
        here = slice(corpus.offsets[row], corpus.offsets[row + 1])
        positions = corpus.positions[here].tolist()
        if not positions:
            yield [*base, "", *([""] if corpus.typed else [])]
        elif corpus.types is None:
            yield from ([*base, p] for p in positions)
        else:
            codes = corpus.types[here].tolist()
            names = codes if corpus.labels is None else [corpus.labels[code] for code in codes]
            yield from ([*base, p, name] for p, name in zip(positions, names, strict=True))


class _BoundaryTable:
    """The boundaries and lengths of the rows read so far."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.marks: dict[tuple[str, str, str], _Boundaries] = {}
        self.lengths: dict[tuple[str, str], int] = {}
        self.typed: bool | None = None

    def add_columns(self) -> bool:
        """Add the whole file, some hundred rows at once, which takes a third of the time of adding row by row.

        Return False if there is anything unusual: the rows must then be added one by one, which tells what is wrong where.
        """
        try:
            for columns in read_blocks(self.source, _POSITIONS_ALIASES):
                self.typed = "type" in columns
                if "position" not in columns or not self._add_runs(columns):
                    return False
        except UnusualTable:
            return False
        return True

    def _add_runs(self, columns: Mapping[str, list[str]]) -> bool:
        """Add the positions of some rows; rows with the same item, coder, track and length follow each other."""
        cells, types = columns["position"], columns.get("type")
        digits = "".join(cells)
        if (
            not (digits.isascii() and digits.isdigit())
            or "" in cells
            or max(map(len, cells)) > 18
            or "" in (types or ())
        ):
            return False
        positions = np.fromiter(map(int, cells), np.int64, len(cells))
        runs = list(runs_of(self.source, columns, "length"))
        steps = np.diff(positions)
        steps[[stop - 1 for _, _, stop in runs[:-1]]] = 1  # from one run to the next, positions may fall
        if positions.min() < 1 or (len(steps) and steps.min() < 1):
            return False
        raw = memoryview(positions)  # type: ignore[arg-type]
        for (item, coder, track, given), start, end in runs:
            length = parse_integer(given) if given else _LARGEST
            if length is None or raw[end - 1] > length - (types is None):
                return False
            if given and self.lengths.setdefault((item, track), length) != length:
                return False
            marks = self.marks.get((item, coder, track))
            if marks is None:
                marks = self.marks[item, coder, track] = _Boundaries()
            elif marks.positions and raw[start] <= marks.positions[-1]:
                return False
            marks.positions.frombytes(raw[start:end].cast("B"))
            if types is not None:
                marks.types += types[start:end]
        return True

    def add(self, row: Row) -> None:
        """Add a row; it must fit those before."""
        key = row.key
        marks = self.marks.get(key)
        if marks is None:
            marks = self.marks[key] = _Boundaries()
        length = self._length(row, (key[0], key[2]))
        if row["position"].strip():
            self._add_boundary(row, marks, integer_cell(row, "position"), length)

    def _add_boundary(self, row: Row, marks: _Boundaries, position: int, length: int | None) -> None:
        name = row.get("type")
        if self.typed is None:
            self.typed = bool(name)
        if bool(name) != self.typed:
            raise row.error(
                "this boundary has " + ("a type, those above have none." if name else "no type, those above do.")
            )
        last = marks.positions[-1] if marks.positions else None
        if last is not None and position < last:
            raise row.error(f"position {position} follows {last}; the positions of an annotation must ascend.")
        if position == last and (not self.typed or name in marks.last_types):
            raise row.error(f"position {position} is given twice{f' with type {name!r}' if name else ''}.")
        highest = _LARGEST if length is None else length if self.typed else length - 1
        if position > highest:
            raise row.error(f"position {position} is outside the text: expected 1 to {highest}.")
        marks.positions.append(position)
        if name:
            if position != last:
                marks.last_types = set()
            marks.last_types.add(name)
            marks.types.append(name)

    def _length(self, row: Row, stream: tuple[str, str]) -> int | None:
        if not row.get("length").strip():
            return None
        length = integer_cell(row, "length", least=0)
        if self.lengths.setdefault(stream, length) != length:
            raise row.error(f"item {stream[0]!r} has length {length} here and {self.lengths[stream]} above.")
        return length

    def corpus(self, length: int | None, labels: Sequence[str] | None) -> Corpus:
        """Return all rows as a corpus."""
        names = {name for marks in self.marks.values() for name in marks.types}
        numbered = labels is None and bool(names) and all(_is_integer(name) for name in names)
        scale = None if numbered or not self.typed else sorted(names) if labels is None else labels
        columns = CorpusBuilder("units", typed=bool(self.typed), labels=scale)
        ends = self._ends()
        guessed = [key for key in ends if key not in self.lengths] if length is None and not self.typed else []
        if guessed:
            item, track = guessed[0]
            add_note(
                "length",
                f"{self.source.path}: no length is given, so {describe_location(item, track)} is assumed to end one unit after its last boundary "
                f"({ends[item, track]} units); add a column length, or -O length=N.",
                item=item,
                count=len(guessed),
            )
        for (item, coder, track), marks in self.marks.items():
            end = self.lengths.get((item, track), ends[item, track] if length is None else length)
            columns.start(item, coder, track, end)
            columns.add_boundaries(
                marks.positions.tolist(), [int(n) for n in marks.types] if numbered else list(marks.types)
            )
        return Corpus(**columns.fields())

    def _ends(self) -> dict[tuple[str, str], int]:
        ends: dict[tuple[str, str], int] = {}
        for (item, _, track), marks in self.marks.items():
            last = marks.positions[-1] if marks.positions else 0
            ends[item, track] = max(ends.get((item, track), 0), last)
        return ends if self.typed else {stream: end + 1 for stream, end in ends.items()}


def _is_integer(name: str) -> bool:
    number = parse_integer(name)
    return number is not None and str(number) == name and abs(number) < _LARGEST


# ---------------------------------------------------------------------- csv-labels: one row per unit
# Columns: item, coder[, track, unit] and ``label`` or ``boundary``. ``label`` names the segment of the unit; a segment ends where the
# label changes. ``boundary`` is the boundary after the unit: a type or 1, empty or 0 for none. ``unit`` holds the words.

_LABELS_ALIASES = {**NAME_ALIASES, "speaker": "track", "segment": "label", "token": "unit",
            "word": "unit", "text": "unit", "sentence": "unit", "tag": "label", "ner_tag": "label"}  # fmt: skip


#: What a label of a unit means.
LabelColumn: TypeAlias = Literal["segments", "starts", "ends", "spans"]

#: What 0 means beside boundary types.
ZeroBoundary: TypeAlias = Literal["none", "type"]

_TAG = re.compile(r"O|[BIESLU]-\S+")

#: Tags without a name that start a segment; I, M, E and L continue one.
_STARTING = frozenset(("B", "S", "U"))

#: Other spellings of 0 and 1; programs that met a missing value write whole numbers with a decimal point.
_FLAGS = {"0": "0", "1": "1", "0.0": "0", "1.0": "1", "false": "0", "true": "1", "no": "0", "yes": "1"}


#: How programs write a missing value.
_EMPTY = frozenset(("", "nan", "na", "n/a", "none", "null", "<na>"))

#: Spellings of 0 and 1 that are names elsewhere, and therefore only flags if a column of boundaries holds nothing else.
_PAIRS = (("n", "y"), ("f", "t"), ("-", "+"))


def as_flag(label: str) -> str:
    """Return "0" or "1" for a label such as "False" or "1.0", and any other label as it is."""
    return _FLAGS.get(label.strip().lower(), label)


_UNIT_COLUMNS = ("unit", "label", "boundary")


@dataclass
class _LabelledUnits:
    """The cells of one coder's rows, in the order of :data:`_UNIT_COLUMNS`."""

    units: list[str]
    labels: list[str]
    boundaries: list[str]

    def add(self, cells: Iterable[list[str]]) -> None:
        """Add cells of these columns, in this order."""
        for listed, some in zip((self.units, self.labels, self.boundaries), cells, strict=True):
            listed += some


def sniff_labels(head: str) -> bool:
    """Recognise a column 'label', 'segment' or 'boundary'; a table with starts and ends has one row per span, not per unit."""
    columns = set(parse_header(head))
    tagged = bool({"tag", "ner_tag"} & columns and {"token", "word", "unit"} & columns)
    return (tagged or bool({"label", "segment", "boundary"} & columns)) and not has_intervals(
        parse_header(head), _SPANS_ALIASES
    )


def ambiguous_labels(head: str) -> str | None:
    """Tell how to go on if columns look like starts and ends: then there is one row per span, or one per unit."""
    found = likely_intervals(head, frozenset(_LABELS_ALIASES) | {"label", "boundary", *_UNIT_COLUMNS})
    if found is None:
        return None
    return (
        f"the columns {found[0]} and {found[1]} may be starts and ends; call them start and end if they are (start_ms and end_ms "
        "for milliseconds), or add --format csv-labels if each row is one unit."
    )


def read_labels(
    source: Source,
    *,
    labels: Sequence[str] | str | None = None,
    mean: LabelColumn | None = None,
    zero: ZeroBoundary | None = None,
) -> Corpus:
    """Read one row per unit and coder.

    Parameters
    ----------
    mean : {'segments', 'starts', 'ends', 'spans'}, default None
        The meaning of a column ``label``: names of ``segments``, 1 where a segment ``starts`` or ``ends``, or tags of ``spans`` such as
        B-place. None: names, unless all labels are 0 and 1 (1 starts a segment if every text begins with 1, and else ends one) or tags.
        True and False, yes and no, 1.0 and 0.0 are read as 1 and 0.
    zero : {'none', 'type'}, default None
        Whether 0 beside types in a column ``boundary`` is no boundary or a type; None: no boundary, unless others are empty.
    labels : sequence of str or str, default None
        The boundary types in their order on the ordinal scale; None: alphabetical.
    """
    streams, columns = _labelled_units(source)
    boundaries_given = "boundary" in columns
    if not columns & {"label", "boundary"}:
        raise source.error(1, f"there is no column 'label' or 'boundary'; found {', '.join(sorted(columns))}.")
    if has_intervals(sorted(columns), _SPANS_ALIASES):
        raise source.error(1, "this table has starts and ends; read it with --format csv-spans or times.")
    if "boundary" not in columns:
        mean = mean or _meaning(source, list(streams.values()))
        if mean == "spans":
            return _tagged_spans(source, streams)
        if mean != "segments":
            _labels_to_boundaries(source, streams.values(), mean)
            columns = columns - {"label"} | {"boundary"}
    elif mean is not None:
        raise source.error(1, "mean= is for a column 'label'; this table has a column 'boundary'.")
    if labels is None and "unit" not in columns:
        _refuse_positions(source, streams.values())
    _check_order(source, streams)
    # if all boundaries of the file are 0, 1 or empty, 1 is no type
    flags = _flags(source, set().union(*(stream.boundaries for stream in streams.values())))
    untyped = set(flags.values()) <= {"", "0", "1"}
    if untyped:
        for stream in streams.values():
            stream.boundaries = [flags[mark] for mark in stream.boundaries]
    else:
        _read_zeros(source, streams.values(), zero)
        _note_no_gaps(source, list(streams.values()), zero)
    if boundaries_given and {"", "0", "1"} <= set(flags.values()):
        empty = sum(not mark.strip() for stream in streams.values() for mark in stream.boundaries)
        add_note(
            "empty boundaries",
            f"{source.path}: {pluralize(empty, 'cell')} of the column boundary {'is' if empty == 1 else 'are'} empty beside 0 and 1, "
            "and read as no boundary.",
            count=empty,
        )
    scale = None if labels is None else parse_list(labels)
    return Corpus.from_annotations(
        Annotation(item, coder, _segmentation(source, (item, coder), stream, columns, untyped, scale), track)
        for (item, coder, track), stream in streams.items()
    )


def _labelled_units(source: Source) -> tuple[dict[tuple[str, str, str], _LabelledUnits], set[str]]:
    """Read the cells of every item, coder and track; also return the names of the columns."""
    streams: defaultdict[tuple[str, str, str], _LabelledUnits] = defaultdict(lambda: _LabelledUnits([], [], []))
    columns: Iterable[str] = ()
    try:
        for columns in read_blocks(source, _LABELS_ALIASES):
            for (item, coder, track), start, stop in runs_of(source, columns):
                streams[item, coder, track].add(
                    columns[name][start:stop] if name in columns else [""] * (stop - start) for name in _UNIT_COLUMNS
                )
    except UnusualTable:
        streams.clear()
        for row in read_table(source, aliases=_LABELS_ALIASES):
            streams[row.key].add([row.get(name)] for name in _UNIT_COLUMNS)
            columns = row.columns
    return dict(streams), set(columns)


def _refuse_positions(source: Source, streams: Iterable[_LabelledUnits]) -> None:
    """Raise an error if the cells of a column ``boundary`` rise from row to row: such whole numbers may be positions of boundaries."""
    cells = [stream.boundaries for stream in streams]
    if not all(cell.isdecimal() for row in cells for cell in row):
        return
    numbers = [[int(cell) for cell in row] for row in cells]
    if max(map(max, numbers)) > 1 and all(row == sorted(set(row)) for row in numbers):
        example = max(numbers, key=len)
        raise source.error(
            None,
            f"the numbers of the column boundary rise ({', '.join(map(str, example[:3]))}), so they may be positions; call the column "
            "position if each row is one boundary, or list the types (-O labels=…, labels=) if each row is one unit.",
        )


def _check_order(source: Source, streams: Mapping[tuple[str, str, str], _LabelledUnits]) -> None:
    """Raise an error if units are numbered and not in order: rows that were sorted by something else give other segments."""
    for (item, coder, _), stream in streams.items():
        if not all(unit.isdecimal() for unit in stream.units):
            continue
        numbers = [int(unit) for unit in stream.units]
        if numbers != sorted(numbers) and sorted(numbers) in (
            list(range(len(numbers))),
            list(range(1, len(numbers) + 1)),
        ):
            raise source.error(
                None,
                f"item {item!r}{f', coder {coder!r}' if coder else ''}: the units are numbered and not in order; sort the rows by unit.",
            )


def _flags(source: Source, marks: set[str]) -> dict[str, str]:
    """Return what every cell of a column ``boundary`` means: 0, 1, nothing or a type; scores are an error."""
    _refuse_scores(source, "boundary", marks)
    pair = next((pair for pair in _PAIRS if marks <= {"", *pair} and set(pair) <= {m.lower() for m in marks}), None)
    if pair is not None:
        return {mark: str(pair.index(mark.lower())) if mark else "" for mark in marks}
    return {mark: as_flag(mark).strip() for mark in marks}


def _refuse_scores(source: Source, column: str, cells: Iterable[str]) -> None:
    """Raise an error if cells are numbers between 0 and 1: scores of units, which neither are types nor name segments."""
    listed = [(parse_decimal(cell), cell) for cell in cells if cell.strip()]
    between = [cell for number, cell in listed if number is not None and 0 < number < 1]
    if between and all(number is not None and 0 <= number <= 1 for number, _ in listed):
        raise source.error(
            None,
            f"the column {column} holds scores such as {min(between)}; write 1 where a segment ends and 0 elsewhere.",
        )


def _note_no_gaps(source: Source, streams: Sequence[_LabelledUnits], zero: ZeroBoundary | None) -> None:
    """Note that every unit of a table has a boundary, which is rarely meant."""
    cells = [mark for stream in streams for mark in stream.boundaries]
    if zero is None and all(cells) and len(cells) > len(streams):
        add_note(
            "no gaps",
            f"{source.path}: every cell of the column boundary holds a type, so there is a boundary after every unit; "
            "write 0 or nothing where there is none.",
            count=len(cells),
        )


def _read_zeros(source: Source, streams: Iterable[_LabelledUnits], zero: ZeroBoundary | None) -> None:
    """Read 0 beside boundary types as no boundary, unless it is a type; a note says what was chosen."""
    listed = list(streams)
    zeros = {mark for stream in listed for mark in stream.boundaries if as_flag(mark) == "0"}
    if not zeros or zero == "type":
        return
    if zero is None:
        if any(not mark for stream in listed for mark in stream.boundaries):
            return
        add_note(
            "zeros",
            f"{source.path}: {min(zeros)} in the column boundary was read as no boundary, because no cell is empty; "
            "if it is a type, add -O zero=type.",
            count=len(listed),
            chosen={"zero": "none"},
            others=("-O zero=type",),
        )
    for stream in listed:
        stream.boundaries = ["" if mark in zeros else mark for mark in stream.boundaries]


def _tagged_spans(source: Source, streams: Mapping[tuple[str, str, str], _LabelledUnits]) -> Corpus:
    """Read one tag of a span per unit."""
    annotations = []
    for (item, coder, track), stream in streams.items():
        try:
            rows = Spans.from_iob(stream.labels).rows
        except InvalidSegmentation as error:
            raise source.error(None, f"item {item!r}: {error}") from None
        units = stream.units if any(stream.units) else None
        annotations.append(
            Annotation(item, coder, Spans.from_rows(rows, length=len(stream.labels), units=units), track)
        )
    return Corpus.from_annotations(annotations)


def _meaning(source: Source, streams: Sequence[_LabelledUnits]) -> LabelColumn:
    """Decide what labels mean: names, tags of spans, or marks if there are only 0 and 1; a note says the last two."""
    found = {label.strip() for stream in streams for label in stream.labels}
    _refuse_scores(source, "label", found)
    if _are_bare_tags(found, streams):
        add_note(
            "tags",
            f"{source.path}: the labels are {' and '.join(sorted(found))}, so B is assumed to start a segment; if they name segments, "
            "add -O mean=segments.",
            count=len(streams),
            chosen={"mean": "starts"},
            others=("-O mean=segments",),
        )
        return "starts"
    if all(_TAG.fullmatch(label) for label in found) and any(label[0] in "BSU" for label in found):
        add_note(
            "tags",
            f"{source.path}: labels such as {min(found - {'O'})} were read as tags of spans; if they name segments, add -O mean=segments.",
            count=len(streams),
            chosen={"mean": "spans"},
            others=("-O mean=segments",),
        )
        return "spans"
    flags = {as_flag(label) for label in found}
    if flags == {"1"} and sum(len(stream.labels) for stream in streams) > len(streams):
        raise source.error(
            None,
            f"all labels are {min(found)}; add -O mean=ends or starts if they mark boundaries, -O mean=segments if they name segments.",
        )
    if {"0", "1"} < flags and all(flag.lower() in _EMPTY for flag in flags - {"0", "1"}):
        empty = next(
            row for row in read_table(source, aliases=_LABELS_ALIASES) if row["label"].strip().lower() in _EMPTY
        )
        raise empty.error("the label is empty, and the others are 0 and 1; add -O mean=segments if they name segments.")
    if flags != {"0", "1"}:
        return "segments"
    starts = all(as_flag(stream.labels[0]) == "1" for stream in streams)
    chosen: Literal["starts", "ends"] = "starts" if starts else "ends"
    other = "ends" if starts else "starts"
    spelled = sorted(found, key=lambda label: (as_flag(label), label))
    add_note(
        MARKS,
        f"{source.path}: the labels are {' and '.join(spelled)}, so {spelled[-1]} is assumed to {chosen[:-1]} a segment; "
        f"if it {other} one, add -O mean={other}, if they name segments, -O mean=segments.",
        count=len(streams),
        example=chosen,
        chosen={"mean": chosen},
        others=(f"-O mean={other}", "-O mean=segments"),
    )
    return chosen


def _are_bare_tags(found: set[str], streams: Iterable[_LabelledUnits]) -> bool:
    """Tell whether labels are B and I, or B, M, E and S, which say where segments start but have no names."""
    return (
        "B" in found
        and ("I" in found or {"E", "S"} <= found)
        and (found <= {"B", "I", "E", "S"} or found <= {"B", "M", "E", "S"} or found <= {"B", "I", "L", "U"})
        and all(stream.labels[0].strip() in _STARTING for stream in streams)
    )


def _labels_to_boundaries(source: Source, streams: Iterable[_LabelledUnits], mean: str) -> None:
    """Make boundaries after units of labels that say where segments start or end."""
    for stream in streams:
        flags = [as_flag(label) for label in stream.labels]
        if mean == "starts" and set(flags) <= {"B", "I", "M", "E", "S", "L", "U"}:
            flags = ["1" if label in _STARTING else "0" for label in flags]
        if odd := [label for label in flags if label not in ("0", "1")]:
            raise source.error(None, f"a label is {odd[0][:40]!r}, expected 1 where a segment {mean}, else 0.")
        stream.boundaries = flags if mean == "ends" else [*flags[1:], "0"]
        stream.labels = [""] * len(stream.labels)


def write_labels(corpus: Corpus) -> str:
    """Write one row per unit, with columns of segment names and of words if the corpus has any."""
    label = ["label"] if corpus.names else []
    unit = ["unit"] if corpus.texts else []
    rows: list[list[object]] = []
    for a in corpus:
        marks = a.marks
        assert isinstance(marks, Segmentation)
        ends = marks.labels_at if marks.typed else [*marks.string, "0"]
        named = [name for name, mass in zip(marks.names or (), marks.masses, strict=False) for _ in range(int(mass))]
        for i in range(int(marks.length)):
            words = [marks.units[i] if marks.units else ""] if unit else []
            rows.append([a.item, a.coder, a.track, *words, ends[i], *([named[i] if named else ""] if label else [])])
    return write_table(["item", "coder", "track", *unit, "boundary", *label], rows)


def _segmentation(
    source: Source,
    key: tuple[str, str],
    stream: _LabelledUnits,
    columns: set[str],
    untyped: bool,
    scale: Sequence[str] | None,
) -> Segmentation:
    units = stream.units if any(stream.units) else None
    length = len(stream.boundaries)
    try:
        if "boundary" not in columns:
            return Segmentation.from_labels(stream.labels, units=units)
        if untyped:
            positions = [i for i, mark in enumerate(stream.boundaries, 1) if mark == "1" and i < length]
            marks = Segmentation.from_positions(positions, length=length)
        else:
            marks = Segmentation.from_labels_at(stream.boundaries, labels=scale)
        starts = [0, *marks._cuts().tolist()]
        names = [stream.labels[int(start)] for start in starts] if any(stream.labels) else None
        return Segmentation(marks.length, marks.positions, marks.types, marks.labels, units, names)
    except CaesuraError as error:
        raise source.error(None, f"item {key[0]!r}, coder {key[1]!r}: {error}") from None


# ---------------------------------------------------------------------- csv-spans: one row per labelled span
# Columns: annotator, label, start, end[, item, track, length], with a header or, as pygamma-agreement reads it, without. Positions are
# seconds if any of them has a decimal point (or with ``time=yes``), else units counted from 0, end excluded. Without a length column a
# text ends with the last span of any annotator. An annotation without spans is a row with empty start and end.

_SPANS_ALIASES = {**NAME_ALIASES, **INTERVAL_ALIASES, "type": "label", **LABEL_ALIASES}
_PYGAMMA = ("coder", "label", "start", "end")


def sniff_spans(head: str) -> bool:
    """Recognise the columns annotator, label, start and end, or a row of two texts and two numbers.

    A table with ``coder`` in place of ``annotator`` is one of ``times`` if its starts and ends are in seconds.
    """
    columns = parse_header(head)
    named = set(common_names(columns, _SPANS_ALIASES))
    if {"label", "start"} <= named and {"end", "duration"} & named and "level" not in columns:
        return "annotator" in columns or not are_seconds(head, _SPANS_ALIASES)
    return _has_no_header(head)


def read_spans(source: Source, *, length: float | None = None, time: bool | None = None) -> Corpus:
    """Read the spans of every annotator and item.

    Parameters
    ----------
    length : float, default None
        Length of every text that the table does not state.
    time : bool, default None
        Whether positions are seconds; None: if any of them is not written as a whole number.
    """
    header = _PYGAMMA if _has_no_header(source.head()) else None
    rows = list(read_table(source, needs=("label", "start", "end"), aliases=_SPANS_ALIASES, header=header))
    if header is not None:
        add_note(
            "header",
            f"{source.path}: the table has no header; its columns were read as annotator, label, start and end.",
            count=len(rows),
        )
    seconds = bool(time)
    if time is None:
        seconds = (header is None and are_seconds(source.head(), _SPANS_ALIASES)) or _has_fractions(rows)
    if (
        not seconds
        and time is None
        and header is None
        and not {"annotator", *_PYGAMMA[1:]} <= set(parse_header(source.head()))
    ):
        why = (
            "the starts and ends are whole numbers and were read as units, not seconds; for seconds add -O time=yes, "
            "for milliseconds call the columns start_ms and end_ms."
        )
        add_note("units", f"{source.path}: {why}", count=len(rows), chosen={"time": False}, others=("-O time=yes",))
    spans: dict[tuple[str, str, str], list[tuple[float, float, str | None]]] = {}
    lengths: defaultdict[tuple[str, str], float] = defaultdict(float)
    ends: defaultdict[tuple[str, str], float] = defaultdict(float)
    by_speaker = speakers_are_tracks(rows)
    for row in rows:
        item, coder, track = row.key
        track = row["speaker"] if by_speaker else track
        listed = spans.setdefault((item, coder, track), [])
        if row["start"].strip() or row["end"].strip():
            listed.append(_span(row, seconds))
            ends[item, track] = max(ends[item, track], listed[-1][1])
        if row.get("length").strip():
            lengths[item, track] = max(lengths[item, track], _number(row, "length"))
    annotations = []
    for (item, coder, track), listed in spans.items():
        whole_length = length or lengths[item, track] or ends[item, track]
        try:
            starts, stops, names = zip(*listed, strict=True) if listed else ((), (), ())
            marks = Spans(whole_length if seconds else int(whole_length), starts, stops, *encode_labels(names, None))
        except InvalidSegmentation as error:
            raise source.error(None, f"annotator {coder!r}: {error}") from None
        annotations.append(Annotation(item, coder, marks, track))
    return Corpus.from_annotations(annotations)


def write_spans(corpus: Corpus) -> str:
    """Write one row per span, ordered by position."""
    rows: list[tuple[object, ...]] = []
    for a in corpus:
        assert isinstance(a.marks, Spans)
        base = (a.item, a.track, a.marks.length, a.coder)
        rows += [(*base, name or "", start, end) for start, end, name in a.marks.rows] or [(*base, "", "", "")]
    return write_table(("item", "track", "length", "annotator", "label", "start", "end"), rows)


def _has_no_header(head: str) -> bool:
    line = next((line for line in head.split("\n") if line.strip()), "")
    cells = next(csv.reader([line], delimiter=delimiter_of(line)), [])
    return (
        len(cells) == 4
        and all(parse_decimal(cell) is not None for cell in cells[2:])
        and parse_decimal(cells[0]) is None
    )


def _has_fractions(rows: Sequence[Row]) -> bool:
    """Whether a start, end or length is not written as a whole number."""
    places = [rows[0].columns[name] for name in ("start", "end", "length") if name in rows[0].columns]
    cells = (row.cells[place] for place in places for row in rows)
    odd = (cell.strip() for cell in cells if not cell.isdigit())
    return any(cell and not cell.lstrip("+-").isdigit() for cell in odd)


def _span(row: Row, seconds: bool) -> tuple[float, float, str | None]:
    start, end = _number(row, "start"), _number(row, "end")
    if not seconds and (start != int(start) or end != int(end)):
        raise row.error(f"the span {start:g}–{end:g} is not in whole units; read seconds with time=yes.")
    if end <= start:
        why = "is empty" if end == start else "ends before it begins"
        raise row.error(f"the span {start:g}–{end:g} {why}.")
    if start < 0:
        raise row.error(f"the span {start:g}–{end:g} begins before the text.")
    return (start, end, row["label"] or None) if seconds else (int(start), int(end), row["label"] or None)


def _number(row: Row, name: str) -> float:
    number = parse_float(row[name].strip())
    if number is None or not abs(number) < 10**12:
        comma = " with a decimal point" if re.fullmatch(r"\d+,\d+", row[name].strip()) else ""
        raise row.error(f"{name} is {row[name][:40]!r}, expected a number{comma}.")
    return number


POSITIONS = SimpleNamespace(read=read_positions, write=write_positions, sniff=sniff_positions)
LABELS = SimpleNamespace(read=read_labels, write=write_labels, sniff=sniff_labels, ambiguous=ambiguous_labels)
SPANS = SimpleNamespace(read=read_spans, write=write_spans, sniff=sniff_spans)
