"""Praat's TextGrid and Collection."""

from __future__ import annotations

import re
import struct
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TypeAlias, Unpack

import numpy as np
from numpy.typing import NDArray

from caesura.errors import FormatError
from caesura.files import Source, parse_decimal
from caesura.formats.speech.intervals import (
    LONGEST,
    TICK,
    IntervalError,
    IntervalRules,
    IntervalSpanOptions,
    chosen_tiers,
    intervals_of,
    note_no_duration,
    recording_corpus,
    segmentation,
    segments,
    sole_tier_name,
    spans_of_intervals,
)
from caesura.model import Annotation, Corpus, Segmentation, Spans
from caesura.model.conversion import shift_times
from caesura.model.provenance import add_note
from caesura.text import pluralize, shorten

# ---------------------------------------------------------------------- parsing
# TextGrids are text (long, short or chronological) or binary. Like Praat, this parser reads a text file as a sequence of numbers, quoted strings
# and flags, and ignores everything else; so all variants, comments and hand-edited files need only one parser.

CHRONOLOGICAL = "Praat chronological TextGrid text file"
BINARY = b"ooBinaryFile"

_TOKEN = re.compile(
    r'"(?:[^"]|"")*"|(?<!\S)[-+]?\d[^\s"]*(?!\S)|(?<!\S)<\w+>|(?<!\S)![^\r\n]*|(?<!\S)(?i:[-+]?nan|[-+]?inf|--undefined--)(?!\S)'
)
_FIRST = frozenset("0123456789+-<")  # of a number or a flag


@dataclass(frozen=True)
class Tier:
    """A tier: its name, whether it holds points, its end and start, and its times and labels as written in the file."""

    name: str
    points: bool
    length: float
    begin: float
    columns: tuple[list[str], ...]
    first_tokens: Sequence[int]  # the first token of every row, to find lines by; none in a binary file

    @property
    def labels(self) -> list[str]:
        """The labels without their quotes."""
        return [_unquote(text) for text in self.columns[-1]]


def parse_grid(source: Source) -> list[Tier]:
    """Return the tiers of a TextGrid, text or binary."""
    if source.raw.startswith(BINARY):
        source.reject_encoding("a binary TextGrid is not text")
        return _BinaryParser(source).tiers()
    tokens = _tokens(decode_praat(source))
    kinds = [_unquote(t) for t in tokens[:2] if t.startswith('"')]
    if kinds[:1] == [CHRONOLOGICAL]:
        return _chronological(_TokenReader(source, tokens, 1))
    _check_file(source, kinds, "TextGrid")
    reader = _TokenReader(source, tokens, 2)
    tiers = reader.grid()
    if any(token.startswith('"') for token in tokens[reader.at :]):
        raise reader.error(
            f"the file continues after its {len(tiers)} tiers; one of its counts is too small or missing."
        )
    if reader.at < len(tokens):
        warnings.warn(f"{reader.error('content after the last tier is ignored, as Praat does.')}", stacklevel=2)
    return tiers


def parse_bounds(source: Source) -> tuple[str, str]:
    """Return start and end of a TextGrid as they are written."""
    if source.raw.startswith(BINARY):
        name = source.raw[len(BINARY)]
        begin, end = struct.unpack_from(">dd", source.raw, len(BINARY) + 1 + name)
        return repr(begin), repr(end)
    numbers = (token for token in _tokens(decode_praat(source)) if token[0] not in '"<')
    return next(numbers), next(numbers)


@dataclass(frozen=True)
class CollectedGrid:
    """A TextGrid of a Collection: its name, bounds as written, tiers, and the place of bounds and tiers in the text."""

    name: str
    bounds: tuple[str, str]
    tiers: list[Tier]
    place: slice


def size_of_collection(source: Source) -> int:
    """Return the number of objects that a Collection states."""
    numbers = (token for token in _tokens(decode_praat(source)) if token[0] not in '"<')
    return int(float(next(numbers)))


def grids_of_collection(source: Source) -> list[CollectedGrid]:
    """Return the TextGrids of a Collection with their places in the text; other objects are skipped."""
    found = [match for match in _TOKEN.finditer(decode_praat(source)) if not match[0].startswith("!")]
    tokens = [match[0] for match in found]
    return [
        CollectedGrid(
            name,
            (tokens[here.start], tokens[here.start + 1]),
            tiers,
            slice(found[here.start].start(), found[here.stop - 1].end()),
        )
        for name, tiers, here in _parse_grids(source, tokens)
    ]


def parse_collection(source: Source) -> list[tuple[str, list[Tier]]]:
    """Return the TextGrids of a Collection with their names; other objects are skipped."""
    if source.raw.startswith(BINARY):
        raise source.error(None, "this is a binary Collection; save it as a text file in Praat and try again.")
    tokens = _tokens(decode_praat(source))
    _check_file(source, [_unquote(t) for t in tokens[:2] if t.startswith('"')], "Collection")
    grids = [(name, tiers) for name, tiers, _ in _parse_grids(source, tokens)]
    if not grids:
        raise source.error(None, "this Collection contains no TextGrid.")
    return grids


def _parse_grids(source: Source, tokens: list[str]) -> list[tuple[str, list[Tier], slice]]:
    """Return name, tiers and tokens (from the bounds on) of every TextGrid."""
    grids = []
    reader = _TokenReader(source, tokens, 2)
    while reader.at < len(tokens):
        kind, *following = tokens[reader.at : reader.at + 5]
        if (
            kind == '"TextGrid"'
            and len(following) == 4
            and following[0][0] == '"'
            and following[3] in ("<exists>", "<absent>")
        ):
            reader.at += 1
            name, first = reader.string("name of the TextGrid"), reader.at
            grids.append((name, reader.grid(), slice(first, reader.at)))
        else:
            reader.at += 1
    return grids


def line_of_row(source: Source, tier: Tier, row: int) -> int | None:
    """Find the line of a row of a tier by counting tokens again, which only happens for errors."""
    return _line(source, tier.first_tokens[row]) if row < len(tier.first_tokens) else None


def quote(text: str) -> str:
    """Quote a string like Praat."""
    return '"' + text.replace('"', '""') + '"'


# ---------------------------------------------------------------------- text


def decode_praat(source: Source) -> str:
    """Return the text of a file; like Praat, read it as Latin-1, with a warning, if it is neither UTF-8 nor UTF-16."""
    try:
        return source.raw_text
    except FormatError as error:
        if source.encoding is not None or error.line is None or b"\x00" in source.raw:
            raise
        warnings.warn(f"{error} It is read as Latin-1, as Praat reads it.", stacklevel=2)
        return source.raw.decode("latin-1")


def _check_file(source: Source, kinds: list[str], expected: str) -> None:
    if not kinds or kinds[0] not in ("ooTextFile", "ooTextFile short"):
        raise source.error(1, f'this is not a {expected}: it does not start with File type = "ooTextFile".')
    if kinds[1:2] == [] or kinds[1].split()[:1] != [expected]:  # a version may follow, "TextGrid 0"
        what = f"a Praat file of class {kinds[1]!r}" if kinds[1:] else "a Praat file without a class"
        raise source.error(2, f"this is {what}, expected a {expected}.")


def _chronological(reader: _TokenReader) -> list[Tier]:
    """Parse a chronological TextGrid: tiers first, then all intervals and points in order of time, with the number of their tier."""
    begin, end = reader.number("start of the recording"), reader.number("end of the recording")
    _check_bounds(reader.source, begin, end)
    heads = [reader.head(i) for i in range(1, reader.integer("number of tiers") + 1)]
    rows: list[list[tuple[int, list[str]]]] = [[] for _ in heads]
    while reader.at < len(reader.tokens):
        number = reader.integer("number of a tier")
        if not 1 <= number <= len(heads):
            reader.at -= 1
            raise reader.error(f"there is no tier {number}; the file has {len(heads)}.")
        first_token, times = reader.at, 1 if heads[number - 1][0] == "TextTier" else 2
        for _ in range(times):
            reader.number("time")
        reader.string("label")
        rows[number - 1].append((first_token, reader.tokens[first_token : reader.at]))
    tiers = []
    for (kind, name, first, last), entries in zip(heads, rows, strict=True):
        width = 2 if kind == "TextTier" else 3
        columns = tuple([row[c] for _, row in entries] for c in range(width))
        tiers.append(
            Tier(
                name, kind == "TextTier", last, max(first, begin), columns, [first_token for first_token, _ in entries]
            )
        )
    return _note_later_ends(reader.source, tiers, end)


def _check_bounds(source: Source, begin: float, end: float) -> None:
    if not begin <= end < LONGEST:
        raise source.error(None, f"the recording begins at {begin:g} s and ends at {end:g} s.")


def _note_later_ends(source: Source, tiers: list[Tier], end: float) -> list[Tier]:
    """Note tiers that end after the file, whose own ends count; return them."""
    if later := [tier for tier in tiers if tier.length > end + TICK]:
        others = f" (and {pluralize(len(later) - 1, 'other tier')})" if later[1:] else ""
        add_note(
            "later end",
            f"{source.path}: the tier {later[0].name!r}{others} ends at {later[0].length:.10g} s, after the file ({end:.10g} s); "
            "the later end is used.",
            count=len(later),
            example=later[0].name,
        )
    return tiers


def _tokens(text: str) -> list[str]:
    """Split a file into strings (in quotes), numbers and flags; everything else is ignored.

    Files without comments and without quotes inside labels are split at quotes and spaces, which is several times as fast.
    """
    parts = text.split('"')
    outside, inside = parts[0::2], parts[1::2]
    if "!" in text or len(parts) % 2 == 0 or "" in outside[1:-1]:
        return [token for token in _TOKEN.findall(text) if not token.startswith("!")]
    tokens: list[str] = []
    for part, string in zip(outside, inside, strict=False):
        tokens += [word for word in part.split() if word[0] in _FIRST]
        tokens.append(f'"{string}"')
    return tokens + [word for word in outside[-1].split() if word[0] in _FIRST]


@dataclass
class _TokenReader:
    """Reads tokens one by one, or whole columns of them at once, which is much faster for long tiers."""

    source: Source
    tokens: list[str]
    at: int

    def error(self, why: str, at: int | None = None) -> FormatError:
        return FormatError(self.source.path, _line(self.source, self.at if at is None else at), why)

    def number(self, what: str) -> float:
        if self.at >= len(self.tokens):
            raise self.error(f"the file ends before the {what}.")
        value = parse_decimal(self.tokens[self.at])
        if value is None:
            raise self.error(f"the {what} is {shorten(self.tokens[self.at])}, expected a number.")
        self.at += 1
        return float(value)

    def integer(self, what: str) -> int:
        value = self.number(what)
        if value != int(value) or value < 0:
            self.at -= 1
            raise self.error(f"the {what} is {value:g}, expected a whole number.")
        return int(value)

    def string(self, what: str) -> str:
        if self.at >= len(self.tokens):
            raise self.error(f"the file ends before the {what}.")
        if not self.tokens[self.at].startswith('"'):
            raise self.error(f"the {what} is {self.tokens[self.at]}, expected a string in quotes.")
        self.at += 1
        return _unquote(self.tokens[self.at - 1])

    def flag(self) -> bool:
        """Read the flag that tells whether there are tiers."""
        flag = self.tokens[self.at].lower() if self.at < len(self.tokens) else ""
        if flag not in ("<exists>", "<absent>"):
            raise self.error("expected <exists> or <absent> before the tiers.")
        self.at += 1
        return flag == "<exists>"

    def grid(self) -> list[Tier]:
        """Read the tiers of one TextGrid."""
        begin, end = self.number("start of the recording"), self.number("end of the recording")
        _check_bounds(self.source, begin, end)
        if not self.flag():
            return []
        tiers = [self.tier(i, begin) for i in range(1, self.integer("number of tiers") + 1)]
        return _note_later_ends(self.source, tiers, end)

    def head(self, number: int) -> tuple[str, str, float, float]:
        """Read class, name, start and end of a tier."""
        kind = self.string(f"class of tier {number}")
        if kind not in ("IntervalTier", "TextTier"):
            self.at -= 1
            raise self.error(f"tier {number} is of class {kind!r}, expected IntervalTier or TextTier.")
        name = self.string(f"name of tier {number}")
        return kind, name, self.number(f"start of tier {name!r}"), self.number(f"end of tier {name!r}")

    def tier(self, number: int, recording_begins: float) -> Tier:
        """Read a tier with its intervals or points."""
        kind, name, begin, end = self.head(number)
        what = "points" if kind == "TextTier" else "intervals"
        size = self.integer(f"number of {what} of tier {name!r}")
        width = 2 if kind == "TextTier" else 3
        first, stop = self.at, self.at + size * width
        columns = tuple(self.tokens[first + c : stop : width] for c in range(width))
        self._check_columns(columns, name, size, what)
        self.at = stop
        return Tier(name, kind == "TextTier", end, max(begin, recording_begins), columns, range(first, stop, width))

    def _check_columns(self, columns: tuple[list[str], ...], name: str, size: int, what: str) -> None:
        width, first = len(columns), self.at
        for c, column in enumerate(columns):
            labels = c == width - 1
            if all((token[0] == '"') is labels for token in column):
                continue
            for i, token in enumerate(column):
                if token.startswith('"') != labels:
                    if wrong := _NO_NUMBER.search(
                        decode_praat(self.source)
                    ):  # which is no token, so that the columns are shifted
                        raise self.source.error(
                            decode_praat(self.source).count("\n", 0, wrong.start()) + 1,
                            f"tier {name!r}: a time is {wrong[1]}, expected seconds.",
                        )
                    expected = "a label in quotes" if labels else "a time"
                    why = f"{what[:-1]} {i + 1} of tier {name!r} has {shorten(token)} where {expected} is expected."
                    raise self.error(why, first + i * width + c)
        if len(columns[-1]) < size:
            raise self.error(
                f"the file ends after {len(columns[-1])} of {size} {what} of tier {name!r}.", len(self.tokens) - 1
            )


def _line(source: Source, token: int) -> int | None:
    """Find the line of a token by counting tokens again, which only happens for errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # already issued when the file was read
        text, seen, last = decode_praat(source), -1, 0
    for match in _TOKEN.finditer(text):
        if not match.group().startswith("!"):
            seen += 1
            last = match.start()
        if seen == token:
            break
    return len(re.findall(r"\r\n|\r|\n", text[:last])) + 1


@dataclass
class _BinaryParser:
    """Reads numbers and strings of a binary file, all of them big-endian."""

    source: Source
    at: int = len(BINARY)

    def tiers(self) -> list[Tier]:
        kind = self._name()
        if kind.split()[:1] != ["TextGrid"]:
            raise FormatError(
                self.source.path, None, f"this is a binary Praat file of class {kind!r}, expected a TextGrid."
            )
        begin, end, exists = self._take(">dd?")
        _check_bounds(self.source, begin, end)
        if not exists:
            return []
        (number,) = self._take(">i")
        return _note_later_ends(self.source, [self._tier(begin) for _ in range(int(number))], end)

    def _tier(self, recording_begins: float) -> Tier:
        kind = self._name()
        if kind not in ("IntervalTier", "TextTier"):
            raise FormatError(
                self.source.path, None, f"a tier is of class {kind!r}, expected IntervalTier or TextTier."
            )
        name = self._string()
        begin, end, size = self._take(">ddi")
        times = 1 if kind == "TextTier" else 2
        rows = [(*map(repr, self._take(f">{times}d")), quote(self._string())) for _ in range(int(size))]
        columns = tuple([row[c] for row in rows] for c in range(times + 1))
        return Tier(name, kind == "TextTier", end, max(begin, recording_begins), columns, ())

    def _take(self, layout: str) -> tuple[float, ...]:
        size = struct.calcsize(layout)
        if self.at + size > len(self.source.raw):
            raise FormatError(self.source.path, None, "the binary TextGrid ends in the middle.")
        self.at += size
        return struct.unpack(layout, self.source.raw[self.at - size : self.at])

    def _name(self) -> str:
        (length,) = self._take(">B")
        return self._letters(int(length), "ascii")

    def _string(self) -> str:
        """Read a string: its length and 8-bit characters, or -1, its length and UTF-16."""
        (length,) = self._take(">h")
        if length != -1:
            return self._letters(int(length), "latin-1")
        (length,) = self._take(">H")
        return self._letters(2 * int(length), "utf-16-be")

    def _letters(self, length: int, encoding: str) -> str:
        if length < 0 or self.at + length > len(self.source.raw):
            raise FormatError(self.source.path, None, "the binary TextGrid ends in the middle.")
        self.at += length
        return self.source.raw[self.at - length : self.at].decode(encoding, "replace")


def _unquote(text: str) -> str:
    return text[1:-1].replace('""', '"') if '""' in text else text[1:-1]


# ---------------------------------------------------------------------- textgrid
# Interval tiers are segments with names, point tiers are boundaries with types. If tiers of both kinds are read (``tier=*``), boundaries of
# intervals have the type ``|``, because all boundaries of a corpus have types or none.

TimeArray: TypeAlias = NDArray[np.float64]

_PLAIN = re.compile(r"[-+0-9.eE ]*")
_NO_NUMBER = re.compile(r"^[^\"\n]*=\s*([-+]?(?:nan|inf)\w*|--undefined--)\s*$", re.IGNORECASE | re.MULTILINE)
_UNTYPED = "|"  # the type of boundaries of intervals, and of points without a label, in a typed corpus


def read_textgrid(source: Source, *, tier: str | int | None = None, **intervals: Unpack[IntervalSpanOptions]) -> Corpus:
    """Read tiers as tracks.

    Parameters
    ----------
    tier : str or int, default None
        A name, a position counted from 1, or a pattern: ``"* - phones"`` reads a track for each text that matches ``*``,
        ``"{coder}_IU"`` a coder. None: all tiers; if there are intervals and labelled points, only the interval tiers, with a warning
        that names the others. ``"*"`` reads both; boundaries of intervals then have the type ``|``.
    as_ : {'auto', 'spans', 'boundaries'}, default 'auto'
        ``spans`` reads intervals as spans, with silences as gaps; otherwise intervals become boundaries.
    """
    return recording_corpus(
        source, marks_of_tiers(source, parse_grid(source), tier, IntervalRules.from_options(**intervals))
    )


def write_textgrid(corpus: Corpus) -> Iterator[str]:
    """Write the long form: typed boundaries as a point tier, all others as intervals, silence between spans."""
    yield 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n'
    yield from grid_text(corpus)


def grid_text(corpus: Corpus) -> Iterator[str]:
    """Iterate over the text of a TextGrid after its class, one tier per track."""
    nameless = sole_tier_name(corpus) if len(corpus.tracks) == 1 else ""
    tracks = [(track or nameless, marks) for _, track, _, marks in intervals_of(corpus)]
    end = max((float(marks.end) for _, marks in tracks), default=0.0)
    begin = min((marks.start for _, marks in tracks), default=0.0)
    yield f"xmin = {format_number(begin)} \nxmax = {end!r} \ntiers? <exists> \nsize = {len(tracks)} \nitem []: \n"
    for number, (name, marks) in enumerate(tracks, 1):
        points = isinstance(marks, Segmentation) and corpus.typed and marks.names is None
        kind = "TextTier" if points else "IntervalTier"
        yield f'    item [{number}]:\n        class = "{kind}" \n        name = {quote(name)} \n'
        yield f"        xmin = {format_number(marks.start)} \n        xmax = {float(marks.end)!r} \n"
        yield from _point_text(marks) if isinstance(marks, Segmentation) and points else _interval_text(marks)


def format_number(time: float) -> str:
    """Write 0 as Praat does, and any other time exactly."""
    return repr(time) if time else "0"


def _point_text(marks: Segmentation) -> Iterator[str]:
    yield f"        points: size = {len(marks.positions)} \n"
    for i, (time, label) in enumerate(marks.marks if marks.typed else (), 1):
        yield f"        points [{i}]:\n            number = {time!r} \n            mark = {quote(str(label))} \n"


def _interval_text(marks: Segmentation | Spans) -> Iterator[str]:
    intervals = list(with_silence(marks) if isinstance(marks, Spans) else segments(marks))
    yield f"        intervals: size = {len(intervals)} \n"
    for i, (start, end, label) in enumerate(intervals, 1):
        yield f"        intervals [{i}]:\n            xmin = {start!r} \n            xmax = {end!r} \n"
        yield f"            text = {quote(label)} \n"


def with_silence(marks: Spans) -> Iterator[tuple[float, float, str]]:
    """Iterate over spans and the silences between them; spans that overlap are an error."""
    at = marks.start
    for start, end, label in segments(marks):
        if start < at:
            raise FormatError(
                None, None, f"the span {start:g}–{end:g} overlaps another; intervals of a tier cannot overlap."
            )
        if start > at:
            yield at, start, ""
        yield start, end, label
        at = end
    if at < marks.end:
        yield at, float(marks.end), ""


def leaves_out_points(tiers: Sequence[Tier]) -> bool:
    """Tell whether point tiers are left out by default, because they have labels and other tiers hold intervals."""
    return any(t.points and any(t.labels) for t in tiers) and not all(t.points for t in tiers)


def marks_of_tiers(
    source: Source, tiers: list[Tier], wanted: str | int | None, rule: IntervalRules
) -> Iterator[tuple[str, str, Segmentation | Spans]]:
    """Iterate over coder, track and marks of the tiers to read."""
    no_spans = wanted == "*" and rule.as_ == "spans" and len({t.points for t in tiers}) == 2
    if no_spans or (wanted is None and leaves_out_points(tiers)):
        points = [repr(t.name) for t in tiers if t.points]
        tiers = [t for t in tiers if not t.points]
        add_note(
            "point tiers",
            f"{source.path}: the point {'tiers' if points[1:] else 'tier'} {', '.join(points)} {'were' if points[1:] else 'was'} left out, "
            + (
                "because points are no spans."
                if no_spans
                else "because other tiers hold intervals; read all tiers with tier=* (-O 'tier=*'), or one by its name (-O tier=NAME)."
            ),
            count=len(points),
            example=points[0],
        )
    chosen = chosen_tiers(source, [t.name for t in tiers], wanted)
    if all(not tiers[i].points and not tiers[i].columns[-1] for i, _, _ in chosen):
        raise source.error(None, "the tiers hold no interval.")
    typed = wanted is not None and len({tiers[i].points for i, _, _ in chosen}) == 2
    for i, coder, track in chosen:
        marks = _marks(source, tiers[i], rule)
        yield coder, track, _with_types(marks, tiers[i].points) if typed and isinstance(marks, Segmentation) else marks


def _with_types(marks: Segmentation, points: bool) -> Segmentation:
    """Give the type ``|`` to boundaries of intervals and to points without a label.

    Intervals keep names, so that they can be told from points when the corpus is written.
    """
    if marks.typed or not len(marks.positions):
        return marks
    names = None if points else marks.names or [""] * len(marks)
    types = [0] * len(marks.positions)
    return Segmentation(marks.length, marks.positions, types, [_UNTYPED], names=names, start=marks.start)


def _marks(source: Source, tier: Tier, rule: IntervalRules) -> Segmentation | Spans:
    def error(i: int, why: str) -> FormatError:
        return source.error(line_of_row(source, tier, i), f"tier {tier.name!r}: {why}")

    times = [_times(column, error) for column in tier.columns[:-1]]
    if tier.points:
        if rule.as_ == "spans":
            raise source.error(None, f"tier {tier.name!r} holds points, not spans; choose another tier with tier=.")
        return _points(times[0], tier.labels, tier.begin, tier.length, error)
    starts, ends, labels, rows = _drop_empty(source, tier, times)

    def row_error(i: int, why: str) -> FormatError:
        return error(int(rows[i]), why)

    if rule.as_ == "spans":
        listed = zip(starts.tolist(), ends.tolist(), labels, strict=True)
        return spans_of_intervals(
            listed, length=tier.length, error=row_error, leave_out=rule.silences, begin=tier.begin
        )
    return segmentation(starts, ends, labels, rule=rule, error=row_error, length=tier.length, begin=tier.begin)


def _drop_empty(
    source: Source, tier: Tier, times: list[TimeArray]
) -> tuple[TimeArray, TimeArray, list[str], NDArray[np.int64]]:
    """Sort intervals and drop those without a duration, which Praat hides, with a note."""
    (starts, ends), labels = times, tier.labels
    rows = np.argsort(starts, kind="stable")
    empty = starts[rows] == ends[rows]
    if empty.any():
        first = line_of_row(source, tier, int(rows[empty][0]))
        note_no_duration(source, int(empty.sum()), "interval", first, tier.name)
        rows = rows[~empty]
    return starts[rows], ends[rows], [labels[i] for i in rows.tolist()], rows


def _points(times: TimeArray, labels: list[str], begin: float, end: float, error: IntervalError) -> Segmentation:
    order = np.argsort(times, kind="stable")  # as Praat does
    times, labels = times[order], [labels[i] for i in order.tolist()]
    if len(times) and not (times[0] >= begin and times[-1] <= end):
        which = 0 if times[0] < begin else -1
        raise error(
            int(order[which]), f"the point at {times[which]:g} s is outside the recording of {begin:g} to {end:g} s."
        )
    length = float(shift_times(end, -begin)) if begin else end
    return Segmentation.from_times(times, length=length, types=labels if any(labels) else None, start=begin)


def _times(column: list[str], error: IntervalError) -> TimeArray:
    """Parse a column of times; numbers that only Python accepts (1_000, digits of other scripts) are errors."""
    if _PLAIN.fullmatch(" ".join(column)):
        with suppress(ValueError):
            return np.array(list(map(float, column)), np.float64)
    bad = next(i for i, text in enumerate(column) if parse_decimal(text) is None)
    raise error(bad, f"the time is {column[bad][:40]!r}, expected a number.")


# ---------------------------------------------------------------------- praat-collection
# Several objects in one file; every TextGrid is an item, other objects are skipped.


def sniff_collection(head: str) -> bool:
    """Recognise a Praat file of class Collection."""
    first = head[:200].split("\n")[:2]
    return len(first) == 2 and "ooTextFile" in first[0] and '"Collection"' in first[1]


def read_collection(
    source: Source, *, tier: str | int | None = None, **intervals: Unpack[IntervalSpanOptions]
) -> Corpus:
    """Read every TextGrid with its tiers as tracks; TextGrids with equal names are numbered. The options are those of a TextGrid."""
    rule = IntervalRules.from_options(**intervals)
    seen: Counter[str] = Counter()
    annotations = []
    for name, tiers in parse_collection(source):
        seen[name] += 1
        item = name if seen[name] == 1 else f"{name} ({seen[name]})"
        annotations += [
            Annotation(item, coder, marks, track) for coder, track, marks in marks_of_tiers(source, tiers, tier, rule)
        ]
    return Corpus.from_annotations(annotations)


def write_collection(corpus: Corpus) -> Iterator[str]:
    """Write one TextGrid per item."""
    yield f'File type = "ooTextFile"\nObject class = "Collection"\n\nsize = {len(corpus.items)} \nitem []: \n'
    for number, item in enumerate(corpus.items, 1):
        yield f'    item [{number}]:\n        class = "TextGrid" \n        name = {quote(item)} \n'
        yield from grid_text(corpus.select(items=[item]))


TEXTGRID = SimpleNamespace(read=read_textgrid, write=write_textgrid)
COLLECTION = SimpleNamespace(read=read_collection, write=write_collection, sniff=sniff_collection)
