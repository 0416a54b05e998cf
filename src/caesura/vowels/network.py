"""Running a letter network: bare lines in; for every letter, log probabilities of the values of each of its slots out.

The network comes as ONNX, made by ``training/vowels.py``. It reads a whole line at once: letters, what stands between words, and a number for
every word that its training text had more than once. Lines longer than those it was trained on are read in pieces that overlap, so that no
letter is judged at the edge of what was read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MissingExtra
from caesura.vowels.alphabet import Spelt
from caesura.vowels.models import Arrays, Words
from caesura.vowels.nets.text import OTHER, PAD
from caesura.vowels.seen_lines import Hashes
from caesura.vowels.storage import strings, unstrung

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]

_LONGEST = 384  # cells read at once: letters, and what stands between words
_MARGIN = 48  # cells read on either side of a cut and left to the neighbouring piece
_ONE = np.ones((1, 1), np.int64)
_THREADS = 8  # each takes some 15 MB
_CELLS = 512  # of one batch: more would leave the cache of the processor and take memory by the hundred megabytes
_TYPED = {"\u05f3": "'", "\u05f4": '"'}  # geresh and gershayim as most texts have them


@dataclass(frozen=True)
class Network:
    """A trained network and the tables that its numbers stand for.

    ``symbols`` are what it reads, letters from ``first_letter`` on; ``slots`` the marks that each slot may hold; ``words`` the bare words
    that have a number of their own, from 1 on; ``stored`` the ONNX file; ``seen`` the lines that it learnt from, hashed.
    """

    symbols: tuple[str, ...]
    first_letter: int
    slots: tuple[tuple[str, ...], ...]
    words: tuple[str, ...]
    stored: bytes
    seen: Hashes = field(default_factory=lambda: np.zeros(0, np.uint32))

    def log_probabilities(self, words: Words, text: Spelt, letters: Sequence[str]) -> Floats:
        """One row per letter of ``text`` (which spells ``words`` with these letters), one column per value of each slot in turn."""
        cells = self._lay_out(words, text, letters)
        out = np.empty((len(text.letters), sum(map(len, self.slots))), np.float32)
        batches = list(_batches(cells.pieces))
        threads = min(os.cpu_count() or 1, _THREADS, len(batches))
        if threads > 1:
            from concurrent.futures import ThreadPoolExecutor

            _ = self.session  # once, before the threads
            with ThreadPoolExecutor(threads) as pool:
                for rows, logits in pool.map(lambda batch: self._run(cells, batch), batches):
                    out[rows] = logits
        else:
            for batch in batches:
                rows, logits = self._run(cells, batch)
                out[rows] = logits
        if not np.isfinite(out).all():
            raise CaesuraError("the network in this model gives no numbers; it was damaged in training or since.")
        edges = np.cumsum([0, *map(len, self.slots)]).tolist()
        for low, high in pairwise(edges):
            part = out[:, low:high]
            part -= part.max(axis=1, keepdims=True)
            part -= np.log(np.exp(part).sum(axis=1, keepdims=True))
        return out

    def _lay_out(self, words: Words, text: Spelt, letters: Sequence[str]) -> _Cells:
        """Lay all lines one after the other, gaps between words, and cut them into pieces."""
        number = self._symbol
        written = [self._write_letter(letter) for letter in letters]
        known = [self._word.get(word, 0) for word in words.words]
        gaps = words.gaps or [" "] * (len(words.words) + 1)
        symbols: list[int] = []
        of_word: list[int] = []
        row: list[int] = []
        pieces: list[_Piece] = []
        ends = text.words.tolist()
        spelled = text.letters.tolist()

        def put_gap(gap: str) -> None:
            numbers = [number.get(c, OTHER) for c in spell_gap(gap)]
            symbols.extend(numbers)
            of_word.extend([0] * len(numbers))
            row.extend([-1] * len(numbers))

        for first, last in pairwise(words.offsets.tolist()):
            start = len(symbols)
            for i in range(first, last):
                put_gap(after_break(gaps[i]) if i == first else gaps[i])
                for place in range(ends[i], ends[i + 1]):
                    numbers = written[spelled[place]]
                    symbols.extend(numbers)
                    row.extend((place, *[-1] * (len(numbers) - 1)))
                of_word.extend([known[i]] * (len(symbols) - len(of_word)))
            put_gap(before_break(gaps[last]) if last > first else "")
            pieces += _cut(symbols, start, number.get(" ", OTHER))
        return _Cells(np.array(symbols, np.int64), np.array(of_word, np.int64), np.array(row, np.int64), pieces)

    def _write_letter(self, letter: str) -> list[int]:
        """Numbers of a letter, and of the sign behind it (geresh, gershayim) where the network learnt that as a symbol of its own."""
        number = self._symbol
        if letter in number:
            return [number[letter]]
        signs = [number[sign] for sign in map(_TYPED.get, letter[1:]) if sign in number]
        return [number.get(letter[:1], OTHER), *signs]

    def _run(self, cells: _Cells, batch: list[_Piece]) -> tuple[Ints, Floats]:
        """Rows of the letters of some pieces, and what the network says of them."""
        longest = max(piece.stop - piece.start for piece in batch)
        shape = (len(batch), longest)
        letters, word, row = np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.full(shape, -1, np.int64)
        for n, (start, stop, low, high) in enumerate(batch):
            letters[n, : stop - start], word[n, : stop - start] = cells.symbols[start:stop], cells.words[start:stop]
            row[n, low - start : high - start] = cells.rows[low:high]
        inputs = {"letters": letters, "lines": (letters != PAD).astype(np.int64), "word": word}
        logits = self.session.run(None, {name: inputs[name] for name in self._inputs})[0]
        return row[row >= 0], logits[row >= 0]

    @cached_property
    def session(self) -> Any:
        """The network, loaded and tried on one letter; one thread each, for batches run side by side.

        Raises
        ------
        CaesuraError
            Where it is damaged, or no network of letters with these slots.
        """
        try:
            import onnxruntime
        except ImportError:
            raise MissingExtra("onnxruntime", "neural", "a neural model") from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4  # what is wrong is said below, once
        trial = {"letters": _ONE, "lines": _ONE, "word": 0 * _ONE}
        try:
            session = onnxruntime.InferenceSession(self.stored, options, providers=["CPUExecutionProvider"])
            names = [x.name for x in session.get_inputs()]
            answer = session.run(None, {name: trial.get(name, _ONE) for name in names})[0]
        except Exception as fault:  # onnxruntime has a class for each way in which a file may be wrong
            raise CaesuraError(
                f"the network in this model cannot be loaded: {str(fault).splitlines()[0][:200]}"
            ) from None
        columns = sum(map(len, self.slots))
        if not {"letters", "lines"} <= {*names} <= {*trial} or answer.shape != (1, 1, columns):
            raise CaesuraError(
                f"the network in this model is not one of letters: expected inputs letters, lines, word and {columns} outputs, "
                f"found {', '.join(names)} and {answer.shape[-1] if answer.ndim else 'none'}."
            )
        return session

    @cached_property
    def _inputs(self) -> list[str]:
        return [x.name for x in self.session.get_inputs()]

    @cached_property
    def _symbol(self) -> dict[str, int]:
        return {x: n for n, x in enumerate(self.symbols)}

    @cached_property
    def _word(self) -> dict[str, int]:
        return {word: n for n, word in enumerate(self.words, 1)}

    # ------------------------------------------------------------------ keeping

    def arrays(self, name: str = "network") -> Arrays:
        """The file and its tables, under this name."""
        return {
            name: np.frombuffer(self.stored, np.uint8),
            f"{name}_symbols": strings(self.symbols),
            f"{name}_letters": np.array([self.first_letter]),
            f"{name}_words": strings(self.words),
            f"{name}_seen": self.seen,
            **{f"{name}_slot_{n}": strings(slot) for n, slot in enumerate(self.slots)},
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], name: str = "network") -> Network:
        """Rebuild what :meth:`arrays` gave."""
        slots = sum(stored.startswith(f"{name}_slot_") for stored in arrays)
        return cls(
            unstrung(arrays[f"{name}_symbols"]), int(arrays[f"{name}_letters"][0]),
            tuple(unstrung(arrays[f"{name}_slot_{n}"]) or ("",) for n in range(slots)), unstrung(arrays[f"{name}_words"]),
            arrays[name].tobytes(), arrays[f"{name}_seen"].copy() if f"{name}_seen" in arrays else np.zeros(0, np.uint32),
        )  # fmt: skip


@dataclass(frozen=True)
class _Cells:
    """All lines as one row of cells: symbols, words' numbers, rows of letters (-1: none), and the pieces to be read at once."""

    symbols: Ints
    words: Ints
    rows: Ints
    pieces: list[_Piece]


class _Piece(NamedTuple):
    """What is read at once, and from where to where its answers are kept."""

    start: int
    stop: int
    low: int
    high: int


def _cut(symbols: Sequence[int], begin: int, space: int) -> Iterator[_Piece]:
    """Cut a line, which ends where the cells do, into pieces whose kept parts follow each other and part at spaces."""
    end, low = len(symbols), begin
    while low < end:
        start = max(begin, low - _MARGIN)
        stop = min(end, start + _LONGEST)
        last = stop if stop == end else stop - _MARGIN
        high = last if last == end else next((i + 1 for i in range(last - 1, low, -1) if symbols[i] == space), last)
        yield _Piece(start, stop, low, high)
        low = high


def _batches(pieces: list[_Piece]) -> Iterator[list[_Piece]]:
    """Put pieces of like length together, so that little is padded."""
    batch: list[_Piece] = []
    for piece in sorted(pieces, key=lambda p: (p.stop - p.start, p)):
        if batch and (len(batch) + 1) * (piece.stop - piece.start) > _CELLS:
            yield batch
            batch = []
        batch.append(piece)
    if batch:
        yield batch


def spell_gap(gap: str) -> str:
    """Spell what stands between words as in training: one blank for all, one digit, one Latin letter."""
    if gap == " ":
        return gap
    letters = (" " if c.isspace() else "0" if c.isdigit() else "a" if c.isascii() and c.isalpha() else c for c in gap)
    return re.sub(" +", " ", "".join(letters))


def before_break(gap: str) -> str:
    """What of a gap belongs to the line before it."""
    return re.split("[\r\n]", gap, maxsplit=1)[0]


def after_break(gap: str) -> str:
    """What of a gap belongs to the line behind it."""
    return re.split("[\r\n]", gap)[-1]


def networks_of(model: object) -> tuple[Network, ...]:
    """The networks inside a trained model.

    Raises
    ------
    CaesuraError
        Where the model has none.
    """
    scores = getattr(model, "scores", None)
    if scores is None:
        raise CaesuraError("this model has no network in it; name one that was trained with --model neural.")
    networks: tuple[Network, ...] = scores.networks
    return networks
