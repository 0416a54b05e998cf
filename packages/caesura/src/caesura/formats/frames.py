"""Data frames of pandas and polars, read by the rules of CSV tables, with their columns found by common names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from caesura.errors import CaesuraError, FormatError, LengthMismatch
from caesura.files import Source
from caesura.formats.catalog import detect
from caesura.formats.columns import INTERVAL_ALIASES, LABEL_ALIASES, NAME_ALIASES, TIME_ALIASES, without_unit
from caesura.formats.reading import interpret, read_source
from caesura.formats.tables import write_table
from caesura.model import Corpus
from caesura.model.provenance import Provenance, announce, collect_notes
from caesura.model.time_axis import TimeAxisRules


def _names_of(aliases: Mapping[str, str], meaning: str, *more: str) -> tuple[str, ...]:
    return (meaning, *(name for name, common in aliases.items() if common == meaning), *more)


#: Columns of tables, and the names that people give them.
_MEANINGS = {
    "item": _names_of(NAME_ALIASES, "item", "utterance", "id"),
    "coder": _names_of(NAME_ALIASES, "coder"),
    "track": _names_of(NAME_ALIASES, "track"),
    "start": _names_of(INTERVAL_ALIASES, "start"),
    "end": _names_of(INTERVAL_ALIASES, "end"),
    "duration": ("duration",),
    "label": ("label", "tag", "ner_tag", "segment", *(n for n in LABEL_ALIASES if n not in ("text", "word", "phone", "token"))),
    "position": ("position",),
    "time": _names_of(TIME_ALIASES, "time"),
    "type": ("type", "boundary_type"),
    "boundary": ("boundary", "is_boundary"),
    "unit": ("unit", "token", "word", "phone", "sentence", "text"),
    "length": ("length", "n_units"),
}  # fmt: skip

#: Columns of lists, which hold a text or an annotation per row.
_LISTS = frozenset(
    ("tokens", "words", "sentences", "units", "utterances", "entities", "spans", "ner_tags", "tags", "labels")
)


def is_frame(given: object) -> bool:
    """Tell whether an object is a data frame of pandas or polars."""
    if type(given).__name__ == "LazyFrame":
        raise CaesuraError("this is a LazyFrame, which is not computed yet; give frame.collect().")
    return hasattr(given, "columns") and (hasattr(given, "to_dicts") or hasattr(given, "itertuples"))


class Records:
    """A list of dicts with the methods of a data frame that :func:`from_dataframe` uses; keys that a dict lacks are missing values."""

    def __init__(self, rows: Sequence[Mapping[Any, Any]]) -> None:
        self.columns = list(dict.fromkeys(name for row in rows for name in row))
        self._rows = rows

    def to_dicts(self) -> list[dict[Any, Any]]:
        """Return the rows."""
        return [{name: row.get(name) for name in self.columns} for row in self._rows]


def is_series(given: object) -> bool:
    """Tell whether an object is a column of pandas or polars."""
    return not hasattr(given, "columns") and hasattr(given, "to_numpy") and hasattr(given, "to_frame")


def from_series(given: Any) -> Any:
    """Return a column as a list, or as a dict if pandas has names for its rows."""
    index = getattr(given, "index", None)
    named = index is not None and any(isinstance(name, str) for name in index)
    return dict(given.items()) if named else given.to_list()


def from_dataframe(
    frame: Any,
    *,
    item: str | None = None,
    coder: str | None = None,
    track: str | None = None,
    start: str | None = None,
    end: str | None = None,
    label: str | None = None,
    position: str | None = None,
    time: str | bool | None = None,
    type: str | None = None,
    boundary: str | None = None,
    unit: str | None = None,
    length: str | None = None,
    format: str | None = None,
    **options: Any,
) -> Corpus:
    """Read a data frame of pandas or polars: one row per boundary, per unit or per span, as in CSV tables.

    Parameters
    ----------
    frame : DataFrame
        The table.
    item, coder, track, start, end, label, position, time, type, boundary, unit, length : str, default None
        The column with each; None: found by common names. Other columns with one value per item become attributes of items.
        ``time=True`` and ``time=False`` say whether starts and ends are in seconds; by default they are unless all are whole numbers.
    format : str, default None
        The format of the table ("csv", "csv-labels", "csv-spans" or "times"); None: chosen by its columns.
    **options
        Options of the format; ``lengths`` and ``slack`` for recordings that end at different times.

    Returns
    -------
    Corpus

    Examples
    --------
    >>> class Frame:  # as those of pandas and polars
    ...     columns = ["doc", "annotator", "position"]
    ...     def to_dicts(self):
    ...         return [{"doc": "a", "annotator": "ann", "position": 2}, {"doc": "a", "annotator": "ann", "position": 5}]
    >>> from_dataframe(Frame(), length=6)["a", "ann"].masses
    [2, 3, 1]
    """
    if not is_frame(frame):
        raise CaesuraError(f"expected a data frame of pandas or polars, not {frame.__class__.__name__}.")
    frame = _with_index(frame)
    if any(str(name).lower() == "masses" for name in frame.columns):
        from caesura.formats.objects import from_object

        return from_object(_rows_with_masses(frame, item, coder))
    if any(str(name).lower() in _LISTS and _holds_lists(frame[name]) for name in frame.columns):
        from caesura.formats.objects import from_object

        return from_object(
            [{str(name).lower(): _as_list(cell) for name, cell in row.items()} for row in _rows(frame)], **options
        )
    named: dict[str, Any] = {
        "item": item, "coder": coder, "track": track, "start": start, "end": end, "label": label, "position": position,
        "time": time, "type": type, "boundary": boundary, "unit": unit, "length": length,
    }  # fmt: skip
    if isinstance(time, bool):
        options, named["time"] = {**options, "time": time}, None
    if length is not None and length not in list(frame.columns):  # the length itself, as the option of tables
        options, named["length"] = {**options, "length": length}, None
    source = _as_table(frame, named)
    axis = {key: options[key] for key in ("lengths", "slack") if key in options}
    given = {key: value for key, value in options.items() if key not in axis}
    with collect_notes() as notes:
        try:
            chosen = format or detect(source).name
            corpus = read_source(source, chosen, given, TimeAxisRules(**axis))
        except FormatError as error:
            raise _about_frame(error, frame) from None
        except LengthMismatch as error:
            raise LengthMismatch(_in_python(str(error))) from None
    notes = [replace(note, text=_in_python(note.text)) for note in notes]
    announce(notes, "the frame")
    found = interpret(Path("frame.csv"), corpus, chosen, options)
    return corpus.with_provenance(Provenance(found, (*corpus.notes, *notes), tiers=not found.pooled))


def _as_table(frame: Any, named: dict[str, Any]) -> Source:
    """Return a frame as the CSV table that the formats of tables read; ``named`` has the columns that the caller gives, by their meaning."""
    if twice := [name for name, count in Counter(frame.columns).items() if count > 1]:
        raise CaesuraError(f"the frame has two columns {twice[0]!r}; rename one.")
    columns = _columns(list(frame.columns), named)
    rows = _rows(frame)
    if (
        named["item"] is None
        and str(columns.get("item")).lower() == "id"
        and len({row[columns["item"]] for row in rows}) == len(rows) > 1
    ):
        del columns["item"]  # numbers of rows
    others = [name for name in frame.columns if name not in columns.values()]
    # a number in the header would make it a row
    header = [
        *(f"{meaning}_ms" if without_unit(str(column).lower())[1] else meaning for meaning, column in columns.items()),
        *(f"column {name}" if str(name).replace(".", "").isdigit() else str(name) for name in others),
    ]
    whole = {columns[name] for name in ("position", "length", "boundary") if name in columns}
    cells = ([_cell(row[name], name in whole) for name in [*columns.values(), *others]] for row in rows)
    return Source(Path("frame.csv"), None, write_table(header, cells).encode("utf-8", "surrogatepass"))


def _rows(frame: Any) -> list[dict[Any, Any]]:
    rows: list[dict[Any, Any]] = frame.to_dicts() if hasattr(frame, "to_dicts") else frame.to_dict("records")
    return rows


def _holds_lists(column: Any) -> bool:
    return any(not isinstance(cell, str) and hasattr(cell, "__len__") for cell in list(column)[:1])


def _as_list(cell: Any) -> Any:
    return cell.tolist() if hasattr(cell, "tolist") else cell


def _rows_with_masses(frame: Any, item: str | None, coder: str | None) -> list[dict[str, Any]]:
    """Return a row per annotation of a frame with a column of masses, for :func:`~caesura.formats.objects.from_object`."""
    present = list(frame.columns)
    columns = _columns(present, {"item": item, "coder": coder})
    masses = next(name for name in present if str(name).lower() == "masses")
    rows = _rows(frame)
    named = {name: columns[name] for name in ("item", "coder") if name in columns}
    return [{**{name: row[column] for name, column in named.items()}, "masses": row[masses]} for row in rows]


def _in_python(text: str) -> str:
    """Return a note on a table as one on a frame: options are arguments."""
    text = re.sub(r"--format ([a-z-]+)", r"format='\1'", text)
    return re.sub(r"-O '?([\w]+)=([^\s,;']+?)'?(?=[.,;\s]|$)", _argument, text.replace("frame.csv:", "the frame:"))


def _argument(found: re.Match[str]) -> str:
    key, value = found.groups()
    plain = {"yes": "True", "no": "False", "N": "N"}
    return f"{key}={plain.get(value, repr(value))}"


def _columns(present: list[Any], named: Mapping[str, str | None]) -> dict[str, Any]:
    """Return the column of every meaning that the frame has."""
    columns: dict[str, Any] = {}
    used = Counter(name for name in named.values() if name is not None)
    if used and used.most_common(1)[0][1] > 1:
        column = used.most_common(1)[0][0]
        both = " and ".join(meaning for meaning, name in named.items() if name == column)
        raise CaesuraError(f"{both} name the same column, {column!r}; give each its own.")
    for meaning, names in _MEANINGS.items():
        given = named.get(meaning)
        if given is not None and given not in present:
            raise CaesuraError(f"the frame has no column {given!r}; it has {', '.join(map(str, present))}.")
        lower = {without_unit(str(name).strip().lower())[0]: name for name in reversed(present)}
        taken = {*columns.values(), *(name for name in named.values() if name is not None)}
        found = given
        if found is None:
            found = next((lower[name] for name in names if name in lower and lower[name] not in taken), None)
        if found is not None:
            columns[meaning] = found
    if "start" not in columns or "end" in columns:
        columns.pop("duration", None)
    elif "length" in columns and "duration" not in columns:  # of the interval
        columns["duration"] = columns.pop("length")
    if (
        {"start", "unit"} <= columns.keys() and {"end", "duration"} & columns.keys() and "label" not in columns
    ):  # what is said in an interval
        columns["label"] = columns.pop("unit")
    return columns


def _with_index(frame: Any) -> Any:
    """Return a frame of pandas with the columns that are its index, if these have names."""
    names = list(getattr(getattr(frame, "index", None), "names", None) or [])
    if any(name is not None and name not in list(frame.columns) for name in names):
        return frame.reset_index()
    return frame


def _about_frame(error: FormatError, frame: Any) -> FormatError:
    """Return an error about a row or the columns of a frame instead of a line of a table."""
    if error.line is not None and error.line > 1:
        return FormatError(None, None, f"row {error.line - 1} of the frame: {_in_python(error.why)}")
    if "no known format" not in error.why:
        return FormatError(None, None, f"the frame: {_in_python(error.why)}")
    found = ", ".join(map(str, frame.columns))
    marks = [name for name in frame.columns if _holds_flags(frame[name])]
    if marks and len(marks) < len(frame.columns):
        listed = ", ".join(map(str, marks))
        return FormatError(
            None,
            None,
            f"the {'columns' if marks[1:] else 'column'} {listed} {'hold' if marks[1:] else 'holds'} 0 and 1; if these are boundaries after "
            f"units, name {'one of them' if marks[1:] else 'it'}, as in cs.from_dataframe(frame, boundary={str(marks[0])!r}).",
        )
    if len(marks) > 1:
        return FormatError(
            None,
            None,
            f"the columns {found} hold 0 and 1; if each is the work of one coder, give {{name: frame[name] for name in frame.columns}}.",
        )
    return FormatError(
        None,
        None,
        f"the meaning of the columns {found} is unclear; name those with item and position, with start and end, or with unit and label "
        "or boundary, such as position='…'.",
    )


def _holds_flags(column: Any) -> bool:
    try:
        return set(column.to_list()) == {0, 1}
    except TypeError:  # lists
        return False


def _cell(value: Any, whole: bool = False) -> str:
    if value is None or value != value:  # NaN, a missing value
        return ""
    if hasattr(value, "total_seconds"):  # a timedelta
        return repr(float(value.total_seconds()))
    if isinstance(value, bool) or value.__class__.__name__ == "bool_":
        return str(int(value))
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return f"{value:.0f}" if whole else f"{value:.1f}"  # pandas makes integers floats if a value is missing
    return str(value)
