"""Praat's files: TextGrids as text, long, short or chronological, and binary; and Collections of objects.

Praat reads its text files as a row of numbers, quoted strings and flags and passes over everything else, and so does this
reader, so that all spellings, comments and hand-edited files are one.
"""

from __future__ import annotations

import re
import struct
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from caesura.errors import FormatError
from caesura.files import Source
from caesura.formats.numbers import as_decimal
from caesura.words import shorten

CHRONOLOGICAL = "Praat chronological TextGrid text file"
BINARY = b"ooBinaryFile"

_TOKEN = re.compile(r'"(?:[^"]|"")*"|(?<!\S)[-+]?\d[^\s"]*(?!\S)|(?<!\S)<\w+>|(?<!\S)![^\r\n]*')
_FIRST = frozenset("0123456789+-<")  # of a number or a flag


@dataclass(frozen=True)
class Tier:
    """A tier: its name, whether it holds points, where it ends and begins, and its times and labels as the file spells them."""

    name: str
    points: bool
    length: float
    begin: float
    columns: tuple[list[str], ...]
    places: Sequence[int]  # the first token of every row, to find lines by; none in a binary file

    @property
    def labels(self) -> list[str]:
        """The labels without their quotes."""
        return [_unquote(text) for text in self.columns[-1]]


def tiers_of_grid(source: Source) -> list[Tier]:
    """Read the tiers of a TextGrid of any kind."""
    if source.raw.startswith(BINARY):
        source.refuse_encoding("a binary TextGrid is no text")
        return _Bytes(source).tiers()
    tokens = _tokens(_text(source))
    kinds = [_unquote(t) for t in tokens[:2] if t.startswith('"')]
    if kinds[:1] == [CHRONOLOGICAL]:
        return _chronological(_Reader(source, tokens, 1))
    _check_file(source, kinds, "TextGrid")
    reader = _Reader(source, tokens, 2)
    tiers = reader.grid()
    if any(token.startswith('"') for token in tokens[reader.at :]):
        raise reader.fault(
            f"the file goes on behind its {len(tiers)} tiers; one of its counts is too small or missing."
        )
    if reader.at < len(tokens):
        warnings.warn(
            f"{reader.fault('what stands behind the last tier is passed over, as Praat does.')}", stacklevel=2
        )
    return tiers


def grids_of_collection(source: Source) -> list[tuple[str, list[Tier]]]:
    """Read the TextGrids of a Collection, each with its name; objects of other classes are passed over."""
    if source.raw.startswith(BINARY):
        raise source.fault(None, "this is a binary Collection; save it as a text file in Praat and try again.")
    tokens = _tokens(_text(source))
    _check_file(source, [_unquote(t) for t in tokens[:2] if t.startswith('"')], "Collection")
    grids = []
    reader = _Reader(source, tokens, 2)
    while reader.at < len(tokens):
        kind, *behind = tokens[reader.at : reader.at + 5]
        if kind == '"TextGrid"' and len(behind) == 4 and behind[0][0] == '"' and behind[3] in ("<exists>", "<absent>"):
            reader.at += 1
            grids.append((reader.string("name of the TextGrid"), reader.grid()))
        else:
            reader.at += 1
    if not grids:
        raise source.fault(None, "this Collection holds no TextGrid.")
    return grids


def line_of_row(source: Source, tier: Tier, row: int) -> int | None:
    """Find the line of a row of a tier, by counting tokens again; only complaints pay for it."""
    return _line(source, tier.places[row]) if row < len(tier.places) else None


def quote(text: str) -> str:
    """Write a string as Praat does."""
    return '"' + text.replace('"', '""') + '"'


# ---------------------------------------------------------------------- text


def _text(source: Source) -> str:
    """Return a file's text; what is neither UTF-8 nor UTF-16 is Latin-1, as Praat has it, and a warning says so."""
    try:
        return source.raw_text
    except FormatError as fault:
        if source.encoding is not None or fault.line is None or b"\x00" in source.raw:
            raise
        warnings.warn(f"{fault} It is read as Latin-1, as Praat reads it.", stacklevel=2)
        return source.raw.decode("latin-1")


def _check_file(source: Source, kinds: list[str], expected: str) -> None:
    if not kinds or kinds[0] not in ("ooTextFile", "ooTextFile short"):
        raise source.fault(1, f'this is no {expected}: it does not start with File type = "ooTextFile".')
    if kinds[1:2] == [] or kinds[1].split()[:1] != [expected]:  # a version may follow, "TextGrid 0"
        what = f"a Praat file of class {kinds[1]!r}" if kinds[1:] else "a Praat file without a class"
        raise source.fault(2, f"this is {what}, expected a {expected}.")


def _chronological(reader: _Reader) -> list[Tier]:
    """Tiers first, then what they hold in order of time, each with the number of its tier."""
    begin = reader.number("start of the recording")
    reader.number("end of the recording")
    heads = [reader.head(i) for i in range(1, reader.whole("number of tiers") + 1)]
    rows: list[list[tuple[int, list[str]]]] = [[] for _ in heads]
    while reader.at < len(reader.tokens):
        number = reader.whole("number of a tier")
        if not 1 <= number <= len(heads):
            reader.at -= 1
            raise reader.fault(f"there is no tier {number}; the file has {len(heads)}.")
        place, times = reader.at, 1 if heads[number - 1][0] == "TextTier" else 2
        for _ in range(times):
            reader.number("time")
        reader.string("label")
        rows[number - 1].append((place, reader.tokens[place : reader.at]))
    tiers = []
    for (kind, name, start, end), held in zip(heads, rows, strict=True):
        width = 2 if kind == "TextTier" else 3
        columns = tuple([row[c] for _, row in held] for c in range(width))
        tiers.append(Tier(name, kind == "TextTier", end, max(start, begin), columns, [place for place, _ in held]))
    return tiers


def _tokens(text: str) -> list[str]:
    """Part a file into strings (in quotes), numbers and flags; everything else says nothing.

    Files without comments and without quotes inside labels are simply cut at quotes and spaces, several times as fast.
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
class _Reader:
    """Takes tokens one after the other, and whole columns of them at once."""

    source: Source
    tokens: list[str]
    at: int

    def fault(self, why: str, at: int | None = None) -> FormatError:
        return FormatError(self.source.path, _line(self.source, self.at if at is None else at), why)

    def number(self, what: str) -> float:
        if self.at >= len(self.tokens):
            raise self.fault(f"the file ends before the {what}.")
        value = as_decimal(self.tokens[self.at])
        if value is None:
            raise self.fault(f"the {what} is {shorten(self.tokens[self.at])}, expected a number.")
        self.at += 1
        return float(value)

    def whole(self, what: str) -> int:
        value = self.number(what)
        if value != int(value) or value < 0:
            self.at -= 1
            raise self.fault(f"the {what} is {value:g}, expected a whole number.")
        return int(value)

    def string(self, what: str) -> str:
        if self.at >= len(self.tokens):
            raise self.fault(f"the file ends before the {what}.")
        if not self.tokens[self.at].startswith('"'):
            raise self.fault(f"the {what} is {self.tokens[self.at]}, expected a string in quotes.")
        self.at += 1
        return _unquote(self.tokens[self.at - 1])

    def flag(self) -> bool:
        """Take the flag that says whether there are tiers."""
        flag = self.tokens[self.at].lower() if self.at < len(self.tokens) else ""
        if flag not in ("<exists>", "<absent>"):
            raise self.fault("expected <exists> or <absent> before the tiers.")
        self.at += 1
        return flag == "<exists>"

    def grid(self) -> list[Tier]:
        """Take the tiers of one TextGrid, from its start on."""
        begin = self.number("start of the recording")
        self.number("end of the recording")
        if not self.flag():
            return []
        return [self.tier(i, begin) for i in range(1, self.whole("number of tiers") + 1)]

    def head(self, number: int) -> tuple[str, str, float, float]:
        """Take class, name, start and end of a tier."""
        kind = self.string(f"class of tier {number}")
        if kind not in ("IntervalTier", "TextTier"):
            self.at -= 1
            raise self.fault(f"tier {number} is of class {kind!r}, expected IntervalTier or TextTier.")
        name = self.string(f"name of tier {number}")
        return kind, name, self.number(f"start of tier {name!r}"), self.number(f"end of tier {name!r}")

    def tier(self, number: int, recording_begins: float) -> Tier:
        """Take a tier with all it holds."""
        kind, name, begin, end = self.head(number)
        what = "points" if kind == "TextTier" else "intervals"
        size = self.whole(f"number of {what} of tier {name!r}")
        width = 2 if kind == "TextTier" else 3
        first, behind = self.at, self.at + size * width
        columns = tuple(self.tokens[first + c : behind : width] for c in range(width))
        self._check_columns(columns, name, size, what)
        self.at = behind
        return Tier(name, kind == "TextTier", end, max(begin, recording_begins), columns, range(first, behind, width))

    def _check_columns(self, columns: tuple[list[str], ...], name: str, size: int, what: str) -> None:
        width, first = len(columns), self.at
        for c, column in enumerate(columns):
            labels = c == width - 1
            if all((token[0] == '"') is labels for token in column):
                continue
            for i, token in enumerate(column):
                if token.startswith('"') != labels:
                    expected = "a label in quotes" if labels else "a time"
                    why = f"{what[:-1]} {i + 1} of tier {name!r} has {shorten(token)} where {expected} is expected."
                    raise self.fault(why, first + i * width + c)
        if len(columns[-1]) < size:
            raise self.fault(
                f"the file ends after {len(columns[-1])} of {size} {what} of tier {name!r}.", len(self.tokens) - 1
            )


def _line(source: Source, token: int) -> int | None:
    """Find the line of a token, by counting tokens again; only complaints pay for it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said when the file was read
        text, seen, last = _text(source), -1, 0
    for match in _TOKEN.finditer(text):
        if not match.group().startswith("!"):
            seen += 1
            last = match.start()
        if seen == token:
            break
    return len(re.findall(r"\r\n|\r|\n", text[:last])) + 1


@dataclass
class _Bytes:
    """Takes numbers and strings out of a binary file, all of them big-endian."""

    source: Source
    at: int = len(BINARY)

    def tiers(self) -> list[Tier]:
        kind = self._name()
        if kind.split()[:1] != ["TextGrid"]:
            raise FormatError(
                self.source.path, None, f"this is a binary Praat file of class {kind!r}, expected a TextGrid."
            )
        begin, _, exists = self._take(">dd?")
        if not exists:
            return []
        (number,) = self._take(">i")
        return [self._tier(begin) for _ in range(int(number))]

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
        """A string of 8-bit characters behind its length, or behind -1 and its length one of UTF-16."""
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
