"""Columns that fit a terminal: how wide each may be, and its words folded into that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from caesura.display.writing import cells, clusters

__all__ = ["fold_columns", "fold_words"]


def fold_columns(
    grid: Sequence[Sequence[str]], numeric: Sequence[bool], width: int | None, gap: int
) -> Iterator[tuple[list[tuple[str, ...]], list[int]]]:
    """Give each row as the lines it takes, with the widths of its columns; numbers are folded only where nothing else is left."""
    widths = [max(cells(row[i]) for row in grid) for i in range(len(numeric))]
    if width is not None:
        room = width - gap * (len(widths) - 1)
        for foldable in ([not n for n in numeric], [True] * len(widths)):
            widths = _narrowed(widths, foldable, room)
    for row in grid:
        folded = [fold_words(cell, size) for cell, size in zip(row, widths, strict=True)]
        yield list(zip_longest(*folded, fillvalue="")), widths


def _narrowed(widths: list[int], foldable: list[bool], room: int) -> list[int]:
    """Cut the widest foldable columns to one width, the largest at which all fit; never below one cell."""

    def cut(most: int) -> list[int]:
        return [min(size, most) if fold else size for size, fold in zip(widths, foldable, strict=True)]

    most = max(widths, default=0)
    while most > 1 and sum(cut(most)) > room:
        most -= 1
    return cut(most)


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
