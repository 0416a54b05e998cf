"""Split a text into units that keep their offsets, so that boundaries can be written back into the source.

``sentence``
    By rules: full stops, abbreviations, initials, quotation marks, ellipses, and the stops of Chinese, Japanese, Hindi and Arabic.
``paragraph``
    Separated by blank lines.
``line``
    Every line that is not blank.
``turn``
    From a line that starts with a speaker's name and a colon to the next such line.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias, overload

from caesura.errors import CaesuraError, FormatError, UnknownName
from caesura.model import Segmentation

#: The largest file that is read: the words of more text do not fit into memory.
MAX_BYTES = 200_000_000

#: The name of a unit, or a function from a text to the (begin, end) of its units.
Unit: TypeAlias = str | Callable[[str], Iterable[tuple[int, int]]]


@dataclass(frozen=True)
class Text(Sequence[str]):
    """A text split into units, each with its offsets in the source; segmenters take it as a list of strings.

    Parameters
    ----------
    source : str
        The whole text.
    offsets : tuple of (int, int)
        The first character of each unit and the one after its last.

    Examples
    --------
    >>> text = split_units("It was late. Mr. Blake slept.", "sentence")
    >>> text.units, text.offsets
    (('It was late.', 'Mr. Blake slept.'), ((0, 12), (13, 29)))
    """

    source: str
    offsets: tuple[tuple[int, int], ...]

    @property
    def units(self) -> tuple[str, ...]:
        """The units as strings."""
        return tuple(self.source[begin:end] for begin, end in self.offsets)

    def __len__(self) -> int:
        """Return the number of units."""
        return len(self.offsets)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        """Return one unit, or a tuple of units."""
        if isinstance(index, slice):
            return self.units[index]
        begin, end = self.offsets[index]
        return self.source[begin:end]

    def marked(self, segmentation: Segmentation, mark: str = "\n==========\n") -> str:
        """Insert a mark into the source after the last unit of each segment but the last.

        Parameters
        ----------
        segmentation : Segmentation
            A segmentation of these units.
        mark : str, default a line of ten ``=``
            The mark to insert.

        Returns
        -------
        str

        Examples
        --------
        >>> split_units("One. Two. Three.", "sentence").marked(Segmentation.from_masses([2, 1]), " |")
        'One. Two. | Three.'
        """
        if segmentation.length != len(self):
            raise CaesuraError(f"the segmentation has {segmentation.length} units, the text has {len(self)}.")
        parts, begin = [], 0
        for position in segmentation.positions.tolist():
            if 0 < position < len(self):
                end = self.offsets[position - 1][1]
                parts += [self.source[begin:end], mark]
                begin = end
        return "".join([*parts, self.source[begin:]])

    def chunks(self, segmentation: Segmentation) -> list[str]:
        """Return the source text of every segment, from its first unit to its last.

        Parameters
        ----------
        segmentation : Segmentation
            A segmentation of these units.

        Returns
        -------
        list of str

        Examples
        --------
        >>> split_units("One. Two. Three.", "sentence").chunks(Segmentation.from_masses([2, 1]))
        ['One. Two.', 'Three.']
        """
        spans = [(int(first), int(last)) for first, last in segmentation.spans]
        return [self.source[self.offsets[first - 1][0] : self.offsets[last - 1][1]] for first, last in spans]


def split_units(text: str, unit: Unit = "sentence") -> Text:
    """Split a text into units.

    Parameters
    ----------
    text : str
        The text.
    unit : str or callable, default "sentence"
        ``"sentence"``, ``"paragraph"``, ``"line"``, ``"turn"``, or a function from the text to the (begin, end) of its units in
        order.

    Returns
    -------
    Text
        The units without surrounding white space; blank units are left out.

    Examples
    --------
    >>> list(split_units("One ship. Two ships."))
    ['One ship.', 'Two ships.']
    """
    if not isinstance(text, str):
        raise CaesuraError(f"a text must be a string, not {type(text).__name__}.")
    if not callable(unit) and unit not in UNITS:
        raise UnknownName("unit", str(unit), list(UNITS))
    spans = unit(text) if callable(unit) else UNITS[unit](text)
    return Text(text, tuple(_strip_spans(text, spans)))


def read_text(path: str | PathLike[str], unit: Unit = "sentence", encoding: str = "utf-8") -> Text:
    """Read a text file and split it into units.

    Parameters
    ----------
    path : str or PathLike
        The file, 200 MB at most.
    unit : str or callable, default "sentence"
        See :func:`split_units`.
    encoding : str, default "utf-8"
        The encoding of the file.

    Returns
    -------
    Text

    Raises
    ------
    FormatError
        If the file is missing, too large, or not text in this encoding.
    """
    where = Path(path)
    if not where.is_file():
        raise FormatError(where, None, "this is a folder; expected a file." if where.is_dir() else "no such file.")
    size = where.stat().st_size
    if size > MAX_BYTES:
        raise FormatError(
            where, None, f"the file has {size / 1e6:.0f} MB; expected at most {MAX_BYTES // 10**6} MB. Split it."
        )
    try:
        text = where.read_bytes().decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as fault:
        raise FormatError(where, None, f"not {encoding} text (byte {fault.start + 1}); give its encoding.") from None
    except LookupError:
        raise FormatError(where, None, f"there is no encoding {encoding!r}.") from None
    if "\0" in text:
        raise FormatError(where, None, "not a text file: it has null bytes.")
    return split_units(text, unit)


def _strip_spans(text: str, spans: Iterable[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    """Strip white space from units and drop blank ones."""
    for begin, end in spans:
        inner = text[begin:end]
        left, right = len(inner) - len(inner.lstrip()), len(inner.rstrip())
        if left < right:
            yield begin + left, begin + right


# ---------------------------------------------------------------------- rules


def _lines(text: str) -> Iterable[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"[^\r\n\x0b\x0c\x85\u2028\u2029]+", text)]


def _paragraphs(text: str) -> Iterable[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\S(?:[^\n]|\n(?![^\S\n]*(?:\n|\Z)))*", text)]


#: A speaker's name of up to 40 characters and a colon, after an optional time stamp.
_SPEAKER = re.compile(r"^[^\S\n]*(?:\[?[\d:.]{4,}\]?\s*)?[^\W\d_][\w .'’()\-]{0,39}:(?=\s|$)", re.MULTILINE)


def _turns(text: str) -> Iterable[tuple[int, int]]:
    """Split at speakers' names; without names, every line is a turn."""
    begins = [match.start() for match in _SPEAKER.finditer(text)]
    if not begins:
        return _lines(text)
    edges = ([0] if text[: begins[0]].strip() else []) + begins + [len(text)]
    return list(itertools.pairwise(edges))


#: Where a sentence may end: stops and the quotation marks or brackets after them. Scripts without spaces need none after a stop.
_STOP = re.compile(r"[.!?…؟۔]+[\"'”’»)\]]*(?=\s|$)|[。！？｡]+[」』”’）]*|[।॥]+|\n[^\S\n]*\n")
#: The first characters of _STOP: searching for one character class is many times faster than trying four alternatives at
#: every character.
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
    for candidate in _OPENS_STOP.finditer(text):
        if candidate.start() < seen or not (stop := _STOP.match(text, candidate.start())):
            continue
        seen = stop.end()
        if _ends_sentence(text, stop.start(), seen):
            spans.append((begin, seen))
            begin = seen
    return [*spans, (begin, len(text))]


def _ends_sentence(text: str, begin: int, end: int) -> bool:
    """Tell whether a stop ends a sentence: not after an abbreviation or an initial, and not before a lower-case letter."""
    mark = text[begin]
    if mark not in ".…":
        return mark not in "!?" or not text[end : end + 40].lstrip()[:1].islower()
    if text[end : end + 40].lstrip()[:1].islower():
        return False
    if text[begin:end].startswith("..") or mark == "…":
        return True
    word = _WORD_BEFORE.search(text, max(0, begin - 40), begin)
    before = word.group().lower() if word else ""
    # "I" is the one single letter that ends sentences ("So am I.").
    return before not in _ABBREVIATIONS and not (len(before) == 1 and before.isalpha() and before != "i")


#: Unit name -> function from a text to the (begin, end) of its units.
UNITS: dict[str, Callable[[str], Iterable[tuple[int, int]]]] = {
    "sentence": _sentences,
    "paragraph": _paragraphs,
    "line": _lines,
    "turn": _turns,
}


# ---------------------------------------------------------------------- chunks of other libraries


def from_chunks(text: Text, chunks: Iterable[Any]) -> Segmentation:
    """Convert the chunks of a chunking library to a segmentation, with a boundary at the unit end nearest to each chunk's start.

    Parameters
    ----------
    text : Text
        The source, split into units by :func:`split_units`.
    chunks : iterable
        Chunks in the order of the text: strings that occur in it; (begin, end) in characters; or objects such as LangChain's
        documents (``page_content``, ``metadata["start_index"]``), LlamaIndex's nodes (``text``, ``start_char_idx``) and
        chonkie's chunks (``text``, ``start_index``). Chunks may overlap; only their starts are used.

    Returns
    -------
    Segmentation

    Raises
    ------
    CaesuraError
        If a chunk does not occur in the text, or the chunks are not in the order of the text.

    Examples
    --------
    >>> from caesura.segmenters.text import split_units
    >>> text = split_units("One ship. Two ships. Bread. More bread.", "sentence")
    >>> from_chunks(text, ["One ship. Two ships.", "Bread. More bread."])
    Segmentation(4 units: 2|2)
    """
    begins: list[int] = []
    for number, chunk in enumerate(chunks, 1):
        begin = _chunk_start(text.source, chunk, begins[-1] + 1 if begins else 0, number)
        if begins and begin <= begins[-1]:
            raise CaesuraError(
                f"chunk {number} begins at character {begin}, before or at the start of chunk {number - 1}; give the chunks in the order of the text."
            )
        begins.append(begin)
    ends = [end for _, end in text.offsets]
    positions = {_nearest_position(ends, begin) for begin in begins[1:]}
    return Segmentation.from_positions(
        sorted(p for p in positions if 0 < p < len(text)), length=len(text), units=text.units
    )


def _chunk_start(source: str, chunk: Any, search_from: int, number: int) -> int:
    """Return the first character of a chunk: as the chunk states it, or where its text is found."""
    if isinstance(chunk, tuple | list) and len(chunk) >= 2:
        return int(chunk[0])
    stated = getattr(chunk, "start_char_idx", None)
    stated = getattr(chunk, "start_index", None) if stated is None else stated
    metadata = getattr(chunk, "metadata", None) or (chunk.get("metadata") if isinstance(chunk, dict) else None) or {}
    stated = metadata.get("start_index") if stated is None else stated
    if stated is not None:
        return int(stated)
    words = chunk if isinstance(chunk, str) else getattr(chunk, "page_content", None) or getattr(chunk, "text", None)
    if not isinstance(words, str) or not words.strip():
        raise CaesuraError(f"chunk {number} is {chunk!r}; expected a string, (begin, end), or an object with its text.")
    start = source.find(words.strip(), search_from)
    if start < 0:
        raise CaesuraError(
            f"chunk {number}, which begins {words.strip()[:40]!r}, does not occur in the text after character {search_from}."
        )
    return start


def _nearest_position(ends: list[int], character: int) -> int:
    """Return the boundary position whose unit end is nearest to a character, the earlier one on a tie."""
    after = bisect_left(ends, character)
    if after and (after == len(ends) or character - ends[after - 1] <= ends[after] - character):
        return after
    return after + 1
