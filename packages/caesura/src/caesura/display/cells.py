"""Text in terminal cells: width, direction, clipping and wrapping, and a canvas of styled cells.

A terminal is a grid. Wide characters take two cells, combining marks none; Hebrew and Arabic words run from right to left.
Text of users is not trusted: control characters and bidi overrides are displayed or dropped, never passed on.
"""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise, zip_longest
from typing import TYPE_CHECKING, Literal, TypeAlias

from caesura.display.palette import STYLES

if TYPE_CHECKING:
    from rich.text import Text

#: Who reorders right-to-left words: the "terminal" (we only isolate words from each other), "us" (we write letters in visual
#: order, for terminals that write every letter left to right), or "auto", which detects it.
Bidi: TypeAlias = Literal["auto", "terminal", "us"]

_OVERRIDES = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C}
_MIRRORED = str.maketrans("()[]{}<>«»‹›", ")(][}{><»«›‹")
#: Characters that take exactly one cell; wcwidth and its tables are loaded only for text with other characters.
_RANGES = (0x20, 0x7F), (0xA1, 0xAD), (0xAE, 0x300), (0x391, 0x3CA), (0x2500, 0x25A0)
_NARROW = frozenset(chr(code) for start, stop in _RANGES for code in range(start, stop)) | frozenset(
    "–—‘’“”…→↓↑−≤≥≈≠∅●◐○"
)
ISOLATE, _POP = "\u2068", "\u2069"


def clean(text: str) -> str:
    """Sanitize text: replace line ends and tabs by spaces and control characters by their symbols, and drop bidi controls.

    >>> clean("a\\x1b[31mb\\u202ec")
    'a␛[31mbc'
    """
    if text.isprintable():
        return text
    out = []
    for c in text:
        code = ord(c)
        if c in "\n\r\t\v\f\x85\u2028\u2029":
            out.append(" ")
        elif code < 0x20:
            out.append(chr(0x2400 + code))
        elif code == 0x7F or 0x80 <= code < 0xA0 or 0xD800 <= code < 0xE000:
            out.append("\ufffd")
        elif code not in _OVERRIDES:
            out.append(c)
    return "".join(out)


@lru_cache(maxsize=4096)  # the words of a text repeat
def cell_width(text: str) -> int:
    """Return the number of terminal cells that sanitized text takes.

    >>> [cell_width(t) for t in ("mark", "e\\u0301", "日本", "שָׁלוֹם")]
    [4, 1, 4, 4]
    """
    if text.isascii() or _NARROW.issuperset(text):
        return len(text)
    from wcwidth import width

    if "\u200d" in text:  # a zero-width joiner joins within one grapheme only
        return sum(max(int(width(cluster)), 0) for cluster in graphemes(text))
    return max(int(width(text)), 0)


def max_cell_width(names: Iterable[str], most: int) -> int:
    """Return the width of the widest name in cells, at most ``most``; 0 if there are no names.

    >>> max_cell_width(["gold", "a system"], 16)
    8
    """
    return min(most, max((cell_width(clean(name)) for name in names), default=0))


def name_column(names: Iterable[str], width: int, *, fine: bool = False) -> int:
    """Return the width of a column that holds the widest name; at most a third of ``width``, or half of it in ``fine`` media.

    >>> name_column(["gold", "a system with a long name"], 80), name_column(["gold", "a system with a long name"], 40)
    (25, 14)
    """
    return max_cell_width(names, max(14, width // (2 if fine else 3)))


def shortened_names(names: Iterable[str], width: int) -> tuple[tuple[str, str], ...]:
    """Return notes on the names that a column of this width shortens, in full, with their role in a scene.

    >>> shortened_names(["gold", "a system with a long name"], 14)
    (('… a system with a long name', 'faint'),)
    """
    return tuple((f"… {clean(name)}", "faint") for name in dict.fromkeys(names) if cell_width(clean(name)) > width)


def graphemes(text: str) -> list[str]:
    """Split text into graphemes: letters with their combining marks.

    >>> len(graphemes("שָׁלוֹם"))
    4
    """
    if text.isascii() or _NARROW.issuperset(text):
        return list(text)
    from wcwidth import iter_graphemes

    return list(iter_graphemes(text))


def clip(text: str, limit: int) -> str:
    """Shorten text to at most ``limit`` cells, ending in an ellipsis.

    >>> clip("damsel with a dulcimer", 10)
    'damsel wi…'
    """
    if cell_width(text) <= limit:
        return text
    kept, used = [], 0
    for cluster in graphemes(text):
        used += cell_width(cluster)
        if used > limit - 1:
            break
        kept.append(cluster)
    return "".join(kept) + "…" if limit > 0 else ""


def pad(text: str, width: int, align: Literal["left", "right", "centre"] = "left") -> str:
    """Clip or pad text to exactly ``width`` cells."""
    text = clip(text, width)
    available = width - cell_width(text)
    left = {"left": 0, "right": available, "centre": available // 2}[align]
    return " " * left + text + " " * (available - left)


_BETWEEN = " · "  # separates phrases on a line


def wrap_phrases(text: str, width: int) -> list[str]:
    """Wrap phrases separated by " · " into lines of at most ``width`` cells; a phrase that is wider is wrapped between words.

    >>> wrap_phrases("1 manual · 2 near miss · 3 cluster", 24)
    ['1 manual · 2 near miss', '3 cluster']
    >>> wrap_phrases("1 manual · 2 an aligner with a long name", 16)
    ['1 manual', '2 an aligner', 'with a long name']
    """
    lines: list[str] = []
    for part in text.split(_BETWEEN):
        if lines and cell_width(lines[-1]) + cell_width(_BETWEEN) + cell_width(part) <= width:
            lines[-1] += _BETWEEN + part
        else:
            lines += wrap_words(part, width)
    return lines


def is_rtl(text: str) -> bool:
    """Whether text runs from right to left, judged by its first strongly directional character."""
    if text.isascii():
        return False
    for c in text:
        kind = unicodedata.bidirectional(c)
        if kind in ("R", "AL"):
            return True
        if kind == "L":
            return False
    return False


def choose_bidi(wanted: Bidi = "auto") -> Literal["terminal", "us"]:
    """Decide who reorders right-to-left words: $CAESURA_BIDI, else the terminal if it is known to do so, else we. Files are left to their viewers."""
    if wanted != "auto":
        return wanted
    chosen = os.environ.get("CAESURA_BIDI", "")
    if chosen in ("terminal", "us"):
        return "terminal" if chosen == "terminal" else "us"
    if not sys.stdout.isatty():
        return "terminal"
    vte = os.environ.get("VTE_VERSION", "")
    able = (
        (vte.isdigit() and int(vte) >= 5800)
        or "KONSOLE_VERSION" in os.environ
        or os.environ.get("TERM_PROGRAM") == "Apple_Terminal"
        or os.environ.get("TERM", "").startswith("mlterm")
    )
    return "terminal" if able else "us"


def isolate_word(text: str, bidi: Literal["terminal", "us"] = "terminal") -> str:
    """Prepare one word for a grid: sanitized, and isolated so that it does not affect the order of its neighbours.

    >>> isolate_word("אבג", "us")
    'גבא'
    """
    text = clean(text)
    if text.isascii() or not any(unicodedata.bidirectional(c) in ("R", "AL", "AN") for c in text):
        return text
    return f"{ISOLATE}{text}{_POP}" if bidi == "terminal" else _visual(text)


def isolate_phrase(text: str, bidi: Literal["terminal", "us"] = "terminal") -> str:
    """Prepare several words for a line or a table cell; right-to-left words are reordered as well.

    >>> isolate_phrase("אב גד", "us")
    'דג בא'
    """
    text = clean(text)
    if bidi == "terminal" or not is_rtl(text):
        return isolate_word(text, bidi) if bidi == "terminal" else text
    return " ".join(_visual(part) for part in reversed(text.split(" ")))


def reorder_rtl_pieces(pieces: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Reorder the styled pieces of a right-to-left line for terminals that write from left to right.

    Latin letters and digits keep their order, including the characters between them; brackets are mirrored.

    >>> reorder_rtl_pieces([("אב", "red"), (" (x 1)", "")])
    [('(x 1) ', ''), ('בא', 'red')]
    """
    marked = [(cluster, style) for text, style in pieces for cluster in graphemes(clean(text))]
    kinds = [unicodedata.bidirectional(cluster[0]) for cluster, _ in marked]
    latin = [kind in ("L", "EN", "AN") for kind in kinds]
    strong = [i for i, kind in enumerate(kinds) if kind in ("L", "EN", "AN", "R", "AL")]
    for low, high in pairwise(strong):
        if latin[low] and latin[high]:
            latin[low:high] = [True] * (high - low)
    ordered: list[tuple[str, str]] = []
    for kept, run in groupby(reversed(range(len(marked))), key=latin.__getitem__):
        places = sorted(run, reverse=not kept)
        ordered += [(marked[i][0] if kept else marked[i][0].translate(_MIRRORED), marked[i][1]) for i in places]
    return [("".join(c for c, _ in same), style) for style, same in groupby(ordered, key=lambda pair: pair[1])]


def _visual(text: str) -> str:
    """Reverse right-to-left runs and put the runs into visual order; digits and Latin letters keep their order."""
    runs: list[tuple[bool, list[str]]] = []
    base = is_rtl(text) or not any(unicodedata.bidirectional(c) == "L" for c in text)
    for cluster in graphemes(text):
        kind = unicodedata.bidirectional(cluster[0])
        rtl = True if kind in ("R", "AL") else False if kind in ("L", "EN", "AN") else None
        if rtl is None:  # punctuation follows the preceding run, or the direction of the word
            rtl = runs[-1][0] if runs and not base else base
        if runs and runs[-1][0] == rtl:
            runs[-1][1].append(cluster)
        else:
            runs.append((rtl, [cluster]))
    turned = [
        "".join(c.translate(_MIRRORED) for c in reversed(run)) if rtl else "".join(run)
        for rtl, run in (reversed(runs) if base else runs)
    ]
    return "".join(turned)


# ---------------------------------------------------------------------- wrapping into columns


def wrap_columns(
    grid: Sequence[Sequence[str]], numeric: Sequence[bool], width: int | None, gap: int
) -> Iterator[tuple[list[tuple[str, ...]], list[int]]]:
    """Wrap the cells of each row; yield its lines and the column widths. Numeric columns are wrapped only as a last resort."""
    widths = [max(cell_width(row[i]) for row in grid) for i in range(len(numeric))]
    if width is not None:
        available = width - gap * (len(widths) - 1)
        for foldable in ([not n for n in numeric], [True] * len(widths)):
            widths = _narrow(widths, foldable, available)
    for row in grid:
        folded = [wrap_words(cell, size) for cell, size in zip(row, widths, strict=True)]
        yield list(zip_longest(*folded, fillvalue="")), widths


def _narrow(widths: list[int], foldable: list[bool], available: int) -> list[int]:
    """Narrow the widest foldable columns to a common width, the largest at which everything fits, at least one cell."""

    def narrow_to(most: int) -> list[int]:
        return [min(size, most) if wrap_phrases else size for size, wrap_phrases in zip(widths, foldable, strict=True)]

    most = max(widths, default=0)
    while most > 1 and sum(narrow_to(most)) > available:
        most -= 1
    return narrow_to(most)


def wrap_words(text: str, width: int) -> list[str]:
    """Wrap text between words, and within a word only if it is wider than its column.

    >>> wrap_words("a damsel with a dulcimer", 8)
    ['a damsel', 'with a', 'dulcimer']
    >>> wrap_words("dulcimer", 3)
    ['dul', 'cim', 'er']
    """
    if cell_width(text) <= width:
        return [text]
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if cell_width(joined) <= width:
            lines[-1] = joined
            continue
        pieces = _pieces(word, width)
        lines[len(lines) - (not lines[-1]) :] = pieces
    return lines


def _pieces(word: str, width: int) -> list[str]:
    pieces = [""]
    for cluster in graphemes(word):
        if pieces[-1] and cell_width(pieces[-1] + cluster) > width:
            pieces.append("")
        pieces[-1] += cluster
    return pieces


# ---------------------------------------------------------------------- a canvas of cells


class Canvas:
    """A grid of styled cells that grows downwards; later text overwrites earlier text.

    Examples
    --------
    >>> canvas = Canvas()
    >>> canvas.put(0, 0, "────┃───")
    >>> canvas.put(1, 4, "●", "match")
    >>> print(canvas.plain())
    ────┃───
        ●
    """

    def __init__(self) -> None:
        self._rows: list[dict[int, tuple[str, int, str]]] = []
        self._widest = 1  # the width of the widest piece so far

    @property
    def height(self) -> int:
        """The number of rows."""
        return len(self._rows)

    def put(
        self, row: int, column: int, text: str, role: str = "ink", *, bidi: Literal["terminal", "us"] = "terminal"
    ) -> None:
        """Write text from ``column`` on; right-to-left words are reordered as ``bidi`` says."""
        while len(self._rows) <= row:
            self._rows.append({})
        ready = isolate_word(text, bidi)
        here = self._rows[row]
        pieces = [ready] if ready.startswith(ISOLATE) else graphemes(ready)
        for piece in pieces:
            size = cell_width(piece)
            if size:
                self._widest = max(self._widest, size)
                if column not in here or here[column][1] != size:
                    self._clear(here, column, size)
                here[column] = (piece, size, role)
            column += size

    def fill(self, row: int, start: int, stop: int, character: str, role: str = "ink") -> None:
        """Repeat a one-cell character from column ``start`` to ``stop`` - 1."""
        self.put(row, start, character * max(stop - start, 0), role)

    def shade(self, row: int, start: int, stop: int, character: str, role: str = "ink") -> None:
        """Like :meth:`fill`, but only overwrite cells that are not empty."""
        for column in range(start, stop):
            if column in self._rows[row]:
                self.put(row, column, character, role)

    def dot(self, row: int, column: int, bits: int, role: str) -> None:
        """Add dots to a Braille cell."""
        here = self._rows[row]
        before = here.get(column, ("\u2800", 1, role))[0]
        here[column] = (chr(ord(before) | bits), 1, role)

    def end(self, row: int) -> int:
        """Return the first free column of a row, or -1 if it is empty."""
        here = self._rows[row] if row < self.height else {}
        return max((column + size for column, (_, size, _) in here.items()), default=-1)

    def _clear(self, here: dict[int, tuple[str, int, str]], column: int, size: int) -> None:
        for at in range(column - self._widest + 1, column + size):
            if at in here and column < at + here[at][1]:
                del here[at]

    def _lines(self) -> Iterable[list[tuple[str, str]]]:
        for row in self._rows:
            line: list[tuple[str, str]] = []
            at = 0
            for column in sorted(row):
                piece, size, role = row[column]
                if column > at:
                    line.append((" " * (column - at), "ink"))
                if line and line[-1][1] == role:  # merge neighbours with the same role
                    line[-1] = (line[-1][0] + piece, role)
                else:
                    line.append((piece, role))
                at = column + size
            yield line

    def plain(self) -> str:
        """Return the text without styles and trailing spaces."""
        return "\n".join("".join(piece for piece, _ in line).rstrip() for line in self._lines())

    def text(self) -> Text:
        """Return the text as Rich text that is not wrapped again."""
        from rich.text import Text

        drawn = Text(no_wrap=True, overflow="ignore", end="")
        for number, line in enumerate(self._lines()):
            if number:
                drawn.append("\n")
            for piece, role in line:
                drawn.append(piece, STYLES.get(role, role) or None)
        return drawn

    def text_block(self, lines: Sequence[str], role: str) -> None:
        """Append lines at the bottom."""
        start = self.height
        for number, line in enumerate(lines):
            self.put(start + number, 0, line, role)


# ---------------------------------------------------------------------- lines of units, with gaps for boundaries


@dataclass(frozen=True)
class WrappedLine:
    """Units ``first`` to ``last`` (counted from 1) on one line.

    ``starts[i]`` is the first cell of unit ``first + i`` and ``widths[i]`` its width; ``gaps[i]`` is the first cell of the gap after
    it, where its boundary is drawn, and ``gap_widths[i]`` the width of the gap. ``width`` is the width of the line.
    """

    first: int
    last: int
    starts: tuple[int, ...]
    widths: tuple[int, ...]
    gaps: tuple[int, ...]
    gap_widths: tuple[int, ...]
    width: int

    def column(self, cell: int, size: int = 1, *, rtl: bool = False, available: int | None = None) -> int:
        """Return the column of a box of ``size`` cells; right-to-left texts count from the right edge of ``available``."""
        return (self.width if available is None else available) - cell - size if rtl else cell


def wrap_units(widths: Sequence[int], gaps: Sequence[int], available: int) -> list[WrappedLine]:
    """Wrap units into lines of at most ``available`` cells; a wider unit gets a line of its own and is clipped.

    Parameters
    ----------
    widths : sequence of int
        The width of each unit in cells.
    gaps : sequence of int
        The width of the gap after each unit; the last one is for the closing boundary.
    available : int
        The width of a line.

    Examples
    --------
    >>> [(line.first, line.last) for line in wrap_units([4, 4, 4], [1, 1, 1], 10)]
    [(1, 2), (3, 3)]
    """
    lines: list[WrappedLine] = []
    starts: list[int] = []
    sizes: list[int] = []
    at, first = 0, 1
    for unit, (wide, gap) in enumerate(zip(widths, gaps, strict=True), 1):
        size = max(min(wide, 1), min(wide, available - gap))
        if starts and at + size + gap > available:
            lines.append(_line(first, starts, sizes, gaps))
            starts, sizes, at, first = [], [], 0, unit
        starts.append(at)
        sizes.append(size)
        at += size + gap
    if starts:
        lines.append(_line(first, starts, sizes, gaps))
    return lines


def _line(first: int, starts: list[int], sizes: list[int], gaps: Sequence[int]) -> WrappedLine:
    behind = tuple(gaps[first - 1 : first - 1 + len(starts)])
    cuts = tuple(start + size for start, size in zip(starts, sizes, strict=True))
    return WrappedLine(first, first + len(starts) - 1, tuple(starts), tuple(sizes), cuts, behind, cuts[-1] + behind[-1])
