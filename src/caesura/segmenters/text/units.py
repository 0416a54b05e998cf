"""From a text to its units, each with its place in the source, so that boundaries can be written back.

``sentence``   by small rules: stops, abbreviations, initials, quotes, ellipses, the stops of Chinese, Japanese, Hindi and Arabic
``paragraph``  blank lines separate
``line``       every line that holds something
``turn``       a line that opens with a speaker's name and a colon begins a turn, and those after it belong to it
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TypeAlias, overload

from caesura.errors import CaesuraError, FormatError, UnknownName
from caesura.model import Segmentation

#: Bytes of a file beyond which it is refused: the words of so much text no longer fit into memory.
MOST_BYTES = 200_000_000

#: A name, or a function from a text to the (begin, end) of its units.
Unit: TypeAlias = str | Callable[[str], Iterable[tuple[int, int]]]


@dataclass(frozen=True)
class Text(Sequence[str]):
    """A text in units, with the place of each in the source; to a segmenter it is a list of strings.

    >>> text = split_units("It was late. Mr. Blake slept.", "sentence")
    >>> text.units, text.offsets
    (('It was late.', 'Mr. Blake slept.'), ((0, 12), (13, 29)))
    """

    source: str
    offsets: tuple[tuple[int, int], ...]

    @property
    def units(self) -> tuple[str, ...]:
        """The units themselves."""
        return tuple(self.source[begin:end] for begin, end in self.offsets)

    def __len__(self) -> int:
        """How many units there are."""
        return len(self.offsets)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        """One unit, or several."""
        if isinstance(index, slice):
            return self.units[index]
        begin, end = self.offsets[index]
        return self.source[begin:end]

    def marked(self, segmentation: Segmentation, mark: str = "\n==========\n") -> str:
        """Write boundaries back into the source: the mark stands right behind the last unit of each segment.

        >>> split_units("One. Two. Three.", "sentence").marked(Segmentation.from_masses([2, 1]), " |")
        'One. Two. | Three.'
        """
        if segmentation.length != len(self):
            raise CaesuraError(f"the segmentation covers {segmentation.length} units, the text has {len(self)}.")
        parts, begin = [], 0
        for position in segmentation.positions.tolist():
            if 0 < position < len(self):
                end = self.offsets[position - 1][1]
                parts += [self.source[begin:end], mark]
                begin = end
        return "".join([*parts, self.source[begin:]])

    def chunks(self, segmentation: Segmentation) -> list[str]:
        """Return the source text of every segment, from its first unit to its last.

        >>> split_units("One. Two. Three.", "sentence").chunks(Segmentation.from_masses([2, 1]))
        ['One. Two.', 'Three.']
        """
        spans = [(int(first), int(last)) for first, last in segmentation.spans]
        return [self.source[self.offsets[first - 1][0] : self.offsets[last - 1][1]] for first, last in spans]


def split_units(text: str, unit: Unit = "sentence") -> Text:
    """Cut a text into units; a callable gives the (begin, end) of each in order."""
    if not isinstance(text, str):
        raise CaesuraError(f"a text is a string, not {type(text).__name__}.")
    if not callable(unit) and unit not in UNITS:
        raise UnknownName("unit", str(unit), list(UNITS))
    spans = unit(text) if callable(unit) else UNITS[unit](text)
    return Text(text, tuple(_tight(text, spans)))


def read_text(path: str | PathLike[str], unit: Unit = "sentence", encoding: str = "utf-8") -> Text:
    """Read a text file and cut it into units."""
    where = Path(path)
    if not where.is_file():
        raise FormatError(
            where, None, "there is no such file." if not where.is_dir() else "this is a folder, expected a file."
        )
    size = where.stat().st_size
    if size > MOST_BYTES:
        raise FormatError(
            where,
            None,
            f"the file holds {size / 1e6:.0f} MB, more than the {MOST_BYTES // 10**6} MB that are segmented at once; cut it.",
        )
    try:
        text = where.read_bytes().decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as fault:
        raise FormatError(
            where, None, f"this is no {encoding} text (byte {fault.start + 1}); give its encoding."
        ) from None
    except LookupError:
        raise FormatError(where, None, f"there is no encoding {encoding!r}.") from None
    if "\0" in text:
        raise FormatError(where, None, "this is no text: it holds zero bytes.")
    return split_units(text, unit)


def _tight(text: str, spans: Iterable[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    """Leave out blanks at the edges of units, and units of nothing else."""
    for begin, end in spans:
        inner = text[begin:end]
        left, right = len(inner) - len(inner.lstrip()), len(inner.rstrip())
        if left < right:
            yield begin + left, begin + right


# ---------------------------------------------------------------------- the ways


def _lines(text: str) -> Iterable[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"[^\r\n\x0b\x0c\x85\u2028\u2029]+", text)]


def _paragraphs(text: str) -> Iterable[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\S(?:[^\n]|\n(?![^\S\n]*(?:\n|\Z)))*", text)]


_SPEAKER = re.compile(r"^[^\S\n]*(?:\[?[\d:.]{4,}\]?\s*)?[^\W\d_][\w .'’()\-]{0,39}:(?=\s|$)", re.MULTILINE)


def _turns(text: str) -> Iterable[tuple[int, int]]:
    """A turn reaches from one speaker's name to the next; without names every line is one."""
    begins = [match.start() for match in _SPEAKER.finditer(text)]
    if not begins:
        return _lines(text)
    edges = ([0] if text[: begins[0]].strip() else []) + begins + [len(text)]
    return list(itertools.pairwise(edges))


#: Where a sentence may end: stops with what closes behind them; those of scripts without blanks need none behind.
_STOP = re.compile(r"[.!?…؟۔]+[\"'”’»)\]]*(?=\s|$)|[。！？｡]+[」』”’）]*|[।॥]+|\n[^\S\n]*\n")
#: The first character of each: one class is searched for many times faster than four ways at every character.
_OPENS_STOP = re.compile(r"[.!?…؟۔。！？｡।॥\n]")

_ABBREVIATIONS = frozenset((
    "mr", "mrs", "ms", "dr", "prof", "rev", "hon", "gen", "col", "capt", "lt", "sgt", "st", "jr", "sr", "vs", "etc",
    "e.g", "i.e", "cf", "viz", "al", "fig", "figs", "no", "nos", "vol", "vols", "pp", "p", "ch", "sec", "ed", "eds",
    "inc", "ltd", "co", "corp", "dept", "univ", "assn", "approx", "ca", "dec", "feb", "jan", "mar", "apr", "aug",
    "sept", "sep", "oct", "nov", "mt", "ave", "blvd", "u.s", "u.k", "a.m", "p.m", "ph.d", "bzw", "z.b", "d.h", "usw",
    "nr", "bd", "hr", "fr", "str", "mme", "mlle", "m",
))  # fmt: skip
_WORD_BEFORE = re.compile(r"[^\s\"'“‘(\[«]*$")


def _sentences(text: str) -> Iterable[tuple[int, int]]:
    spans, begin, seen = [], 0, 0
    for place in _OPENS_STOP.finditer(text):
        if place.start() < seen or not (stop := _STOP.match(text, place.start())):
            continue
        seen = stop.end()
        if _ends_sentence(text, stop.start(), seen):
            spans.append((begin, seen))
            begin = seen
    return [*spans, (begin, len(text))]


def _ends_sentence(text: str, begin: int, end: int) -> bool:
    """Whether a stop ends a sentence: not behind an abbreviation or an initial, not before a small letter."""
    mark = text[begin]
    if mark not in ".…":
        return mark not in "!?" or not text[end : end + 40].lstrip()[:1].islower()
    behind = text[end : end + 40].lstrip()[:1]
    if behind.islower():
        return False
    if text[begin:end].startswith("..") or mark == "…":
        return True
    word = _WORD_BEFORE.search(text, max(0, begin - 40), begin)
    before = word.group().lower() if word else ""
    return before not in _ABBREVIATIONS and not (len(before) == 1 and before.isalpha() and before != "i")


#: Name -> from a text to the (begin, end) of its units.
UNITS: dict[str, Callable[[str], Iterable[tuple[int, int]]]] = {
    "sentence": _sentences,
    "paragraph": _paragraphs,
    "line": _lines,
    "turn": _turns,
}
