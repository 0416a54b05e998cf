"""Encode text for the network: number symbols and words, cut lines into pieces and pack them into rows of one length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
#: A symbol, and the marks in each slot where it is a letter.
Cell = tuple[str, Sequence[str] | None]

PAD, MASK, OTHER = 0, 1, 2  # numbers of the symbols that do not come from the text
SPECIAL_SYMBOLS = 3  # the number of these
SPACE = -2  # the position of a space between lines that were joined
MAX_WORDS = 60_000  # words with an embedding
GAP = 4  # pads between the lines of a row: more than half the width of a convolution, so that lines stay independent


class Tables(NamedTuple):
    """The vocabulary of a network: symbols (letters from ``first_letter`` on), the values of every slot, and bare words."""

    symbols: Sequence[str] = ()
    first_letter: int = 0
    slots: Sequence[Sequence[str]] = ()
    words: Sequence[str] = ()


EMPTY_TABLES = Tables()


def number_lines(
    lines: Sequence[Sequence[Cell]], train: Array, held: Array, test: Array, slots: int, before: Tables = EMPTY_TABLES
) -> dict[str, Any]:
    """Encode lines of cells as numbers; the vocabulary is that of the training lines and of the network to continue from."""
    seen = [cell for line in train.tolist() for cell in lines[line]]
    frequent = {c for c, number in Counter(c for c, marks in seen if marks is None).items() if number >= 5 or c == " "}
    gaps = sorted(frequent | set(before.symbols[SPECIAL_SYMBOLS : before.first_letter]))
    letters = sorted({c for c, marks in seen if marks is not None} | set(before.symbols[before.first_letter :]))
    symbols = ["<pad>", "<hidden>", "<other>", *gaps, *letters]
    number = {c: i for i, c in enumerate(symbols)}
    old = [set(values) for values in before.slots] or [set()] * slots
    values = [["", *sorted(({m[i] for _, m in seen if m is not None} | old[i]) - {""})] for i in range(slots)]
    numbers = [{value: i for i, value in enumerate(slot)} for slot in values]
    cells = [cell for line in lines for cell in line]
    none = [0] * slots
    data: dict[str, Any] = {
        "symbols": np.array([number.get(c, OTHER) for c, _ in cells], np.uint8),
        # A combination never seen in training gets 255, which no network predicts: it counts as wrong.
        "marks": np.array(
            [none if m is None else [v.get(x, 255) for v, x in zip(numbers, m, strict=True)] for _, m in cells],
            np.uint8,
        ),
        "offsets": np.cumsum([0, *map(len, lines)]),
        "train": train,
        "held": held,
        "test": test,
    }
    first_letter = SPECIAL_SYMBOLS + len(gaps)
    numbered = [bytes(number[c] for c in word) for word in before.words]
    data["words"], data["unseen"], known = number_words(data, first_letter, numbered)
    data["meta"] = {
        "symbols": symbols, "first_letter": first_letter, "slots": values, "words": known, "space": number.get(" ", OTHER),
    }  # fmt: skip
    return data


def number_words(
    data: dict[str, Any], first_letter: int, before: Sequence[bytes]
) -> tuple[Array, Array, list[list[int]]]:
    """Assign numbers to the words that training lines have at least twice and those of ``before`` (0: none); find unseen ones.

    Returns arrays with one entry per symbol, and the spelling of every numbered word.
    """
    symbols, offsets = data["symbols"], data["offsets"]
    first, last = word_edges(symbols >= first_letter, offsets)
    line = np.searchsorted(offsets, first, side="right") - 1
    role = np.zeros(len(offsets) - 1, np.int64)
    role[data["train"]], role[data["held"]] = 1, 2
    keys = [symbols[a:b].tobytes() for a, b in zip(first.tolist(), last.tolist(), strict=True)]
    counts = Counter(key for key, part in zip(keys, role[line].tolist(), strict=True) if part == 1)
    frequent = (key for key, times in counts.most_common(max(0, MAX_WORDS - len(before))) if times > 1)
    known = sorted({*before, *frequent})
    seen = counts.keys() | {key for key, part in zip(keys, role[line].tolist(), strict=True) if part == 2}
    number = {key: i for i, key in enumerate(known, 1)}
    words, unseen = np.zeros(len(symbols), np.uint16), np.zeros(len(symbols), bool)
    for key, a, b in zip(keys, first.tolist(), last.tolist(), strict=True):
        words[a:b], unseen[a:b] = number.get(key, 0), key not in seen
    return words, unseen, [list(key) for key in known]


def word_edges(letter: Array, offsets: Array) -> tuple[Array, Array]:
    """Return where words, which are runs of letters within a line, begin and end."""
    begins = np.zeros(len(letter) + 1, bool)
    begins[offsets] = True
    first = letter & (~np.concatenate(([False], letter[:-1])) | begins[:-1])
    last = letter & (~np.concatenate((letter[1:], [False])) | begins[1:])
    return np.flatnonzero(first), np.flatnonzero(last) + 1


def split_into_pieces(symbols: Array, offsets: Array, space: int, longest: int) -> list[tuple[int, int]]:
    """Cut lines longer than a row at the last space that fits."""
    pieces = []
    for start, stop in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        while stop - start > longest:
            spaces = np.flatnonzero(symbols[start : start + longest] == space)
            cut = start + (int(spaces[-1]) + 1 if len(spaces) else longest)
            pieces.append((start, cut))
            start = cut
        if stop > start:
            pieces.append((start, stop))
    return pieces


def pack_rows(
    pieces: list[tuple[int, int]], order: Array, length: int, joined: Array | None = None
) -> tuple[Array, Array]:
    """Pack pieces into rows of one length: every cell's position in the text (-1: none) and its line's number.

    ``joined`` pieces continue the line before them after a space (:data:`SPACE`), unless they start a row.
    """
    places, lines = [], []
    place, line = np.full(length, -1, np.int64), np.zeros(length, np.int64)
    at = number = 0
    for index in order.tolist():
        start, stop = pieces[index]
        if at + stop - start > length:
            places.append(place)
            lines.append(line)
            place, line = np.full(length, -1, np.int64), np.zeros(length, np.int64)
            at = number = 0
        if joined is not None and joined[index] and at:
            at -= GAP - 1
            place[at - 1], line[at - 1] = SPACE, number
        else:
            number += 1
        place[at : at + stop - start] = np.arange(start, stop)
        line[at : at + stop - start] = number
        at += stop - start + GAP
    return np.stack([*places, place]), np.stack([*lines, line])
