"""What the columns of tables are called here and in other programs, and in which unit columns of times are."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from caesura.files import parse_decimal

DELIMITERS = ",;\t"

#: What other programs call the columns of items, coders, starts and ends.
NAME_ALIASES = {
    **dict.fromkeys(("document", "doc", "doc_id", "document_id", "file", "filename", "recording"), "item"),
    **dict.fromkeys(
        (
            "annotator",
            "annotator_id",
            "annotator_name",
            "rater",
            "rater_id",
            "coder_id",
            "labeler",
            "labeller",
            "worker_id",
        ),
        "coder",
    ),
    **dict.fromkeys(("tier", "tier_name"), "track"),
}
INTERVAL_ALIASES = {
    **dict.fromkeys(("begin", "onset", "start_time", "tmin", "xmin"), "start"),
    **dict.fromkeys(("stop", "offset", "end_time", "tmax", "xmax"), "end"),
}
TIME_ALIASES = dict.fromkeys(("boundary_time", "timestamp"), "time")
LABEL_ALIASES = dict.fromkeys(
    ("labels", "category", "event_label", "trial_type", "entity", "entity_group", "annotation", "text", "word", "phone", "token", "name"),
    "label",
)  # fmt: skip

_UNIT = re.compile(
    r"(?P<name>.+?)(?:[ _](?P<unit>ms|msecs?|milliseconds?|s|secs?|seconds?)| ?[(\[](?P<bracketed>\w+)[)\]])"
)
_MILLISECONDS = frozenset(("ms", "msec", "msecs", "millisecond", "milliseconds"))
_SECONDS = frozenset(("s", "sec", "secs", "second", "seconds"))
_TIMES = frozenset(("start", "end", "time", "duration", "length"))

#: Words for starts and ends that are no aliases, because tables use them for units as well as for times.
_STARTS = re.compile(
    r"(.*[_ ])?(starts?|begins?|from|first|onset|left|beginn|anfang|von|début|debut|inicio|inizio)([_ ].*)?"
)
_ENDS = re.compile(r"(.*[_ ])?(ends?|stop|to|last|offset|right|ende|bis|fin|fine)([_ ].*)?")


def delimiter_of(line: str) -> str:
    """Return what separates the cells of a line."""
    return max(DELIMITERS, key=line.count)


def parse_header(head: str) -> list[str]:
    """Return the first row of a possible table as column names in lower case."""
    line = next((line for line in head.split("\n") if line.strip()), "")
    return [name.strip().lower() for name in next(csv.reader([line], delimiter=delimiter_of(line)), [])]


def first_rows(head: str) -> list[list[str]]:
    """Return the rows after the header, without the last one, which may be cut off."""
    lines = [line for line in head.split("\n") if line.strip()]
    cells = list(csv.reader(lines[1:], delimiter=delimiter_of(lines[0]))) if lines else []
    return cells if len(cells) < 2 or head.endswith("\n") else cells[:-1]


def common_names(names: Sequence[str], aliases: Mapping[str, str]) -> list[str]:
    """Replace other programs' names of columns, except where the table has a column of the common name or of an earlier alias.

    Examples
    --------
    >>> common_names(["file", "doc", "label"], {"doc": "item", "file": "item"})
    ['item', 'doc', 'label']
    >>> common_names(["start_ms", "onset (s)"], {"onset": "start"})
    ['start', 'onset (s)']
    """
    taken = set(names)
    replaced = []
    for name in names:
        plain = without_unit(name)[0]
        common = aliases.get(plain, plain)
        replaced.append(common if common not in taken else name)
        taken.add(replaced[-1])
    timed = INTERVAL_ALIASES.keys() <= aliases.keys() and "start" in replaced and not {"end", "duration"} & taken
    return ["duration" if timed and name == "length" else name for name in replaced]


def without_unit(name: str) -> tuple[str, bool | None]:
    """Return the name of a column of times without its unit, and whether this is milliseconds; None if no unit is stated.

    Examples
    --------
    >>> without_unit("start_ms"), without_unit("End time (s)".lower()), without_unit("words_s")
    (('start', True), ('end_time', False), ('words_s', None))
    """
    found = _UNIT.fullmatch(name)
    if found is None:
        return name, None
    unit = found["unit"] or found["bracketed"]
    plain = found["name"].replace(" ", "_")
    known = {**INTERVAL_ALIASES, **TIME_ALIASES}.get(plain, plain) in _TIMES
    if not known or unit not in _MILLISECONDS | _SECONDS:
        return name, None
    return plain, unit in _MILLISECONDS


@dataclass(frozen=True)
class TimeColumns:
    """Columns of times that have to be converted: milliseconds to seconds, a start and a duration to an end."""

    milliseconds: tuple[int, ...]
    start: int
    duration: int | None  # None: the table has a column of ends

    @classmethod
    def of(cls, header: Sequence[str], names: Sequence[str]) -> TimeColumns | None:
        """Return what has to be converted in a table with a header, given the common names of its columns; None: nothing.

        Examples
        --------
        >>> TimeColumns.of(["onset_ms", "duration_ms"], ["start", "duration"]).convert(["500", "1500"])
        ['0.500', '1.500', '2.000']
        """
        scaled = tuple(i for i, name in enumerate(header) if without_unit(name)[1])
        start = names.index("start") if "start" in names else -1
        lasting = names.index("duration") if start >= 0 and "end" not in names and "duration" in names else None
        return cls(scaled, start, lasting) if scaled or lasting is not None else None

    def convert(self, cells: list[str]) -> list[str]:
        """Return a row in seconds, with its end; what is no number is left to the reader, which reports it."""
        for i in self.milliseconds:
            if (number := parse_decimal(cells[i])) is not None:
                cells[i] = f"{number.scaleb(-3):f}"
        if self.duration is not None:
            start, lasting = parse_decimal(cells[self.start]), parse_decimal(cells[self.duration])
            both = isinstance(start, Decimal) and isinstance(lasting, Decimal)
            cells.append(f"{start + lasting:f}" if both else cells[self.duration])  # type: ignore[operator]
        return cells


def has_intervals(columns: Sequence[str], aliases: Mapping[str, str]) -> bool:
    """Tell whether a table has starts, and ends or durations."""
    names = set(common_names(columns, aliases))
    return "start" in names and bool({"end", "duration"} & names)


def are_seconds(head: str, aliases: Mapping[str, str]) -> bool:
    """Tell whether starts and ends are seconds: if their names say so, or if any of the first ones has a decimal point."""
    header = parse_header(head)
    names = common_names(header, aliases)
    at = [i for i, name in enumerate(names) if name in ("start", "end", "duration")]
    if any(without_unit(header[i])[1] is not None for i in at):
        return True
    return any(
        re.search(r"\d[.,]\d", row[i]) is not None or re.fullmatch(r"\d*\.?\d+[eE][-+]?\d+", row[i].strip()) is not None
        for row in first_rows(head)
        for i in at
        if i < len(row)
    )


def likely_intervals(head: str, known: frozenset[str]) -> tuple[str, str] | None:
    """Return two columns that look like starts and ends although they have other names, or None.

    They hold numbers, the first is smaller than the second in every row, and their names say what they are, or each row of one item
    and coder starts where the one before ends or later.

    Examples
    --------
    >>> likely_intervals("item,von,bis,label\\na,0,5,x\\na,5,9,y\\n", frozenset({"item", "label"}))
    ('von', 'bis')
    >>> likely_intervals("coder,t0,t1,label\\na,0,5,x\\na,5,9,y\\nb,0,4,x\\nb,4,9,y\\n", frozenset({"coder", "label"}))
    ('t0', 't1')
    """
    header, rows = parse_header(head), first_rows(head)
    if not rows or any(len(row) != len(header) for row in rows):
        return None
    numbers: dict[int, list[Decimal]] = {}
    for i, name in enumerate(header):
        if name and name not in known:
            cells = [parse_decimal(row[i].replace(",", ".")) for row in rows]
            if all(cell is not None for cell in cells):
                numbers[i] = [cell for cell in cells if cell is not None]
    of = [i for i, name in enumerate(header) if NAME_ALIASES.get(name, name) in ("item", "coder", "track", "speaker")]
    same = [k for k in range(1, len(rows)) if all(rows[k - 1][i] == rows[k][i] for i in of)]
    for i, starts in numbers.items():
        for j, ends in numbers.items():
            if i == j or not all(a < b for a, b in zip(starts, ends, strict=True)):
                continue
            named = _STARTS.fullmatch(header[i]) and _ENDS.fullmatch(header[j])
            follow = len(same) > 1 and all(ends[k - 1] <= starts[k] for k in same)
            if named or follow:
                return header[i], header[j]
    return None
