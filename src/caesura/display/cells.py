"""Cells of a terminal: how wide text is in them, which way it runs, how it is shortened, and a canvas of them with styles.

A terminal is a grid. Wide characters take two cells, combining marks none; words of Hebrew and Arabic run from the right.
What a reader's text contains is never trusted: control characters and bidi overrides are shown, not obeyed.
"""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise, zip_longest
from typing import TYPE_CHECKING, Literal, TypeAlias

from caesura.display.palette import STYLES

if TYPE_CHECKING:
    from rich.text import Text

#: Who turns right-to-left words around: the "terminal" (words are isolated from each other and left alone), "us" (letters
#: are written in visual order, for terminals that write every letter left to right), or whoever "auto" finds.
Bidi: TypeAlias = Literal["auto", "terminal", "us"]

_OVERRIDES = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C}
_MIRRORED = str.maketrans("()[]{}<>«»‹›", ")(][}{><»«›‹")
#: Letters of most of Europe, box drawing and our own signs take a cell each: the tables of all widths are loaded for others only.
_RANGES = (0x20, 0x7F), (0xA1, 0xAD), (0xAE, 0x300), (0x391, 0x3CA), (0x2500, 0x25A0)
_NARROW = frozenset(chr(code) for start, stop in _RANGES for code in range(start, stop)) | frozenset(
    "–—‘’“”…→↓↑−≤≥≈≠∅●◐○"
)
ISOLATE, _POP = "\u2068", "\u2069"


def clean(text: str) -> str:
    """Make text harmless: line ends and tabs become spaces, control characters their pictures, bidi controls go.

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


def cells(text: str) -> int:
    """Return how many terminal cells cleaned text takes.

    >>> [cells(t) for t in ("mark", "e\\u0301", "日本", "שָׁלוֹם")]
    [4, 1, 4, 4]
    """
    if text.isascii() or _NARROW.issuperset(text):
        return len(text)
    from wcwidth import width

    if "\u200d" in text:  # a joiner joins what stands in one cluster, not whatever follows it
        return sum(max(int(width(cluster)), 0) for cluster in clusters(text))
    return max(int(width(text)), 0)


def widest(names: Iterable[str], most: int) -> int:
    """Return how many cells a column of names takes, none more than ``most``; 0 without any.

    >>> widest(["gold", "a system"], 16)
    8
    """
    return min(most, max((cells(clean(name)) for name in names), default=0))


def clusters(text: str) -> list[str]:
    """Split text into what a reader sees as one character: a letter with all its marks.

    >>> len(clusters("שָׁלוֹם"))
    4
    """
    if text.isascii() or _NARROW.issuperset(text):
        return list(text)
    from wcwidth import iter_graphemes

    return list(iter_graphemes(text))


def clip(text: str, limit: int) -> str:
    """Shorten text to at most ``limit`` cells, an ellipsis in the place of what is gone.

    >>> clip("damsel with a dulcimer", 10)
    'damsel wi…'
    """
    if cells(text) <= limit:
        return text
    kept, used = [], 0
    for cluster in clusters(text):
        used += cells(cluster)
        if used > limit - 1:
            break
        kept.append(cluster)
    return "".join(kept) + "…" if limit > 0 else ""


def pad(text: str, width: int, align: Literal["left", "right", "centre"] = "left") -> str:
    """Clip or fill text to exactly ``width`` cells."""
    text = clip(text, width)
    room = width - cells(text)
    left = {"left": 0, "right": room, "centre": room // 2}[align]
    return " " * left + text + " " * (room - left)


_BETWEEN = " · "  # short phrases of one line


def fold(text: str, width: int) -> list[str]:
    """Break a line of short phrases between them, so that every line keeps to ``width`` cells.

    >>> fold("1 manual · 2 near miss · 3 cluster", 24)
    ['1 manual · 2 near miss', '3 cluster']
    """
    lines: list[str] = []
    for part in text.split(_BETWEEN):
        if lines and cells(lines[-1]) + cells(_BETWEEN) + cells(part) <= width:
            lines[-1] += _BETWEEN + part
        else:
            lines.append(clip(part, width))
    return lines


def is_rtl(text: str) -> bool:
    """Whether text runs from right to left: whether its first strong letter is Hebrew, Arabic or the like."""
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
    """Decide who turns words around: $CAESURA_BIDI, else terminals known to do it, else we; files are left to their viewer."""
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


def word(text: str, bidi: Literal["terminal", "us"] = "terminal") -> str:
    """Prepare one unit for a grid that we lay out ourselves: cleaned, and kept from disturbing its neighbours' order.

    >>> word("אבג", "us")
    'גבא'
    """
    text = clean(text)
    if text.isascii() or not any(unicodedata.bidirectional(c) in ("R", "AL", "AN") for c in text):
        return text
    return f"{ISOLATE}{text}{_POP}" if bidi == "terminal" else _visual(text)


def phrase(text: str, bidi: Literal["terminal", "us"] = "terminal") -> str:
    """Prepare several words for a line or a table cell of their own; words from right to left change places as well.

    >>> phrase("אב גד", "us")
    'דג בא'
    """
    text = clean(text)
    if bidi == "terminal" or not is_rtl(text):
        return word(text, bidi) if bidi == "terminal" else text
    return " ".join(_visual(part) for part in reversed(text.split(" ")))


def turn_pieces(pieces: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Put the pieces of one right-to-left line, each with its style, into the order in which a terminal writes them.

    Latin and digits keep their order, with what stands between them; brackets are mirrored.

    >>> turn_pieces([("אב", "red"), (" (x 1)", "")])
    [('(x 1) ', ''), ('בא', 'red')]
    """
    marked = [(cluster, style) for text, style in pieces for cluster in clusters(clean(text))]
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
    """Write right-to-left runs backwards and the runs themselves in visual order; digits and Latin keep their order."""
    runs: list[tuple[bool, list[str]]] = []
    base = is_rtl(text) or not any(unicodedata.bidirectional(c) == "L" for c in text)
    for cluster in clusters(text):
        kind = unicodedata.bidirectional(cluster[0])
        rtl = True if kind in ("R", "AL") else False if kind in ("L", "EN", "AN") else None
        if rtl is None:  # punctuation goes with what is before it, or with the word at large
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


# ---------------------------------------------------------------------- folded into columns


def fold_columns(
    grid: Sequence[Sequence[str]], numeric: Sequence[bool], width: int | None, gap: int
) -> Iterator[tuple[list[tuple[str, ...]], list[int]]]:
    """Give each row as the lines it takes, with the widths of its columns; numbers are folded only where nothing else is left."""
    widths = [max(cells(row[i]) for row in grid) for i in range(len(numeric))]
    if width is not None:
        room = width - gap * (len(widths) - 1)
        for foldable in ([not n for n in numeric], [True] * len(widths)):
            widths = _narrow(widths, foldable, room)
    for row in grid:
        folded = [fold_words(cell, size) for cell, size in zip(row, widths, strict=True)]
        yield list(zip_longest(*folded, fillvalue="")), widths


def _narrow(widths: list[int], foldable: list[bool], room: int) -> list[int]:
    """Cut the widest foldable columns to one width, the largest at which all fit; never below one cell."""

    def narrow_to(most: int) -> list[int]:
        return [min(size, most) if fold else size for size, fold in zip(widths, foldable, strict=True)]

    most = max(widths, default=0)
    while most > 1 and sum(narrow_to(most)) > room:
        most -= 1
    return narrow_to(most)


def fold_words(text: str, width: int) -> list[str]:
    """Break text between words, and inside a word only where it is wider than its column.

    >>> fold_words("a damsel with a dulcimer", 8)
    ['a damsel', 'with a', 'dulcimer']
    >>> fold_words("dulcimer", 3)
    ['dul', 'cim', 'er']
    """
    if cells(text) <= width:
        return [text]
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if cells(joined) <= width:
            lines[-1] = joined
            continue
        pieces = _pieces(word, width)
        lines[len(lines) - (not lines[-1]) :] = pieces
    return lines


def _pieces(word: str, width: int) -> list[str]:
    pieces = [""]
    for cluster in clusters(word):
        if pieces[-1] and cells(pieces[-1] + cluster) > width:
            pieces.append("")
        pieces[-1] += cluster
    return pieces


# ---------------------------------------------------------------------- a canvas of cells


class Canvas:
    """A grid of styled cells that grows downwards; things are put at (row, column) and later ones cover earlier ones.

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
        self._widest = 1  # cells of the widest piece so far

    @property
    def height(self) -> int:
        """Rows so far."""
        return len(self._rows)

    def put(
        self, row: int, column: int, text: str, role: str = "ink", *, bidi: Literal["terminal", "us"] = "terminal"
    ) -> None:
        """Put text with its first cell at ``column``; a right-to-left word takes the same cells, turned as ``bidi`` says."""
        while len(self._rows) <= row:
            self._rows.append({})
        ready = word(text, bidi)
        here = self._rows[row]
        pieces = [ready] if ready.startswith(ISOLATE) else clusters(ready)
        for piece in pieces:
            size = cells(piece)
            if size:
                self._widest = max(self._widest, size)
                if column not in here or here[column][1] != size:
                    self._clear(here, column, size)
                here[column] = (piece, size, role)
            column += size

    def fill(self, row: int, start: int, stop: int, character: str, role: str = "ink") -> None:
        """Repeat a one-cell character over columns ``start`` to ``stop`` - 1."""
        self.put(row, start, character * max(stop - start, 0), role)

    def shade(self, row: int, start: int, stop: int, character: str, role: str = "ink") -> None:
        """Like :meth:`fill`, only where something stands already."""
        for column in range(start, stop):
            if column in self._rows[row]:
                self.put(row, column, character, role)

    def dot(self, row: int, column: int, bits: int, role: str) -> None:
        """Add dots of a Braille cell to those that are there."""
        here = self._rows[row]
        before = here.get(column, ("\u2800", 1, role))[0]
        here[column] = (chr(ord(before) | bits), 1, role)

    def end(self, row: int) -> int:
        """Return the first free column of a row; -1 where it has nothing."""
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
                if line and line[-1][1] == role:  # neighbours of one role make one piece, and one colour code
                    line[-1] = (line[-1][0] + piece, role)
                else:
                    line.append((piece, role))
                at = column + size
            yield line

    def plain(self) -> str:
        """Return the drawing without styles, lines without trailing spaces."""
        return "\n".join("".join(piece for piece, _ in line).rstrip() for line in self._lines())

    def text(self) -> Text:
        """Return the drawing as Rich text that is never wrapped again."""
        from rich.text import Text

        drawn = Text(no_wrap=True, overflow="ignore", end="")
        for number, line in enumerate(self._lines()):
            if number:
                drawn.append("\n")
            for piece, role in line:
                drawn.append(piece, STYLES.get(role, role) or None)
        return drawn

    def text_block(self, lines: Sequence[str], role: str) -> None:
        """Put several lines below everything."""
        start = self.height
        for number, line in enumerate(lines):
            self.put(start + number, 0, line, role)
