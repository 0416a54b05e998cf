"""How restored text is shown: lists of forms, JSON lines, and colours for doubtful words in a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from caesura.cli.io import terminal_width
from caesura.vowels.doubts import DOUBTFUL, WRONG

if TYPE_CHECKING:
    from caesura.vowels import RestoredWord, VowelRestorer

#: Text and the code of its colour, "" for none.
Piece = tuple[str, str]


def list_forms(restorer: VowelRestorer, chunk: str, number: int) -> Iterator[str]:
    """Every word on a line of its own, its forms behind it with their probabilities; an empty line ends a line of the text."""
    for line, words in words_by_line(restorer, chunk, number):
        for word in words:
            forms = "\t".join(f"{form} {share:.3f}" for form, share in word.alternatives)
            yield f"{word.word}\t{forms}\n"
        if line:
            yield "\n"


def json_lines(restorer: VowelRestorer, chunk: str, number: int) -> Iterator[str]:
    """One JSON object a line: the restored text, and its words with where they start, their forms and probabilities."""
    texts = restorer.restore(chunk).split("\n")
    for text, (_, words) in zip(texts, words_by_line(restorer, chunk, number), strict=False):
        entry = {
            "text": text.removesuffix("\r"),
            "words": [
                {
                    "start": word.start,
                    "word": word.word,
                    "forms": [{"form": form, "probability": round(share, 6)} for form, share in word.alternatives],
                }
                for word in words
            ],
        }
        yield json.dumps(entry, ensure_ascii=False) + "\n"


def colour_doubts(restorer: VowelRestorer, chunk: str) -> Iterator[str]:
    """The restored text for a terminal: doubtful words yellow, likely wrong ones red.

    Where the terminal writes every letter left to right we turn lines around ourselves, cut to its width first, so that the beginning of
    a line stays above its end.
    """
    from caesura.display.cells import choose_bidi, clean, is_rtl, turn_pieces

    ours = choose_bidi() == "us"
    for line, words in words_by_line(restorer, chunk, 1):
        pieces: list[Piece] = []
        at = 0
        for word in words:
            form, share = word.alternatives[0]
            pieces += [(clean(line[at : word.start]), ""), (form, _colour(share))]
            at = word.start + len(word.word)
        pieces.append((clean(line[at:]), ""))
        if ours and is_rtl(line):
            width = terminal_width()
            for row in _rows(pieces, width):
                yield _paint(_align_right(turn_pieces(row), width)) + "\n"
        else:
            yield _paint(pieces) + "\n"


def words_by_line(restorer: VowelRestorer, chunk: str, number: int) -> Iterator[tuple[str, list[RestoredWord]]]:
    """Lines of a chunk without their ends, each with its words, which start where they start in the line."""
    words = restorer.restore_nbest(chunk, number)
    at, taken = 0, 0
    for line in chunk.removesuffix("\n").split("\n"):
        first = taken
        while taken < len(words) and words[taken].start < at + len(line):
            taken += 1
        yield line.removesuffix("\r"), [w._replace(start=w.start - at) for w in words[first:taken]]
        at += len(line) + 1


def _colour(share: float) -> str:
    return "31" if share < WRONG else "33" if share < DOUBTFUL else ""


def _paint(pieces: list[Piece]) -> str:
    return "".join(f"\x1b[{colour}m{text}\x1b[0m" if colour and text else text for text, colour in pieces)


def _rows(pieces: list[Piece], width: int) -> Iterator[list[Piece]]:
    """Cut a line at its spaces into rows that fit."""
    from caesura.display.cells import cells

    row: list[Piece] = []
    used = 0
    for text, colour in pieces:
        for i, part in enumerate(text.split(" ")):
            if i:
                row.append((" ", ""))
                used += 1
            size = cells(part)
            if used + size > width and used > 0:
                yield row
                row, used = [], 0
            row.append((part, colour))
            used += size
    yield row


def _align_right(pieces: list[Piece], width: int) -> list[Piece]:
    from caesura.display.cells import cells

    room = width - sum(cells(text) for text, _ in pieces)
    return [(" " * max(room, 0), ""), *pieces]
