"""Run letter networks: for every letter of bare lines, the log probabilities of its marks.

A network is an ONNX file made by ``training/vowels.py``. It reads a whole line: letters, the text between words, and a number for every word
that its training text had more than once. Longer lines than those of its training are read in overlapping pieces, so that every letter has
context on both sides.

The network gives each slot of a letter a distribution. The choices of a letter are those of the training text; a choice has the product of the
probabilities of its slots, normalized over the letter's choices, and a word the product over its letters.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MissingExtra
from caesura_vowels.lexicon import Alphabet, Hashes, SpelledWords
from caesura_vowels.models import Arrays, Words
from caesura_vowels.nets.onnx_file import check_onnx
from caesura_vowels.nets.text import OTHER, PAD, SPECIAL_SYMBOLS
from caesura_vowels.scripts import SCRIPTS, Script
from caesura_vowels.storage import StoredArrays, compress, decompress, encode_strings

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Logits = NDArray[np.float32]

_PIECE_CELLS = 384  # letters and characters between words in one piece of a line
_CONTROLLED_PIECE_CELLS = 240  # of networks with control symbols, which were trained on shorter pieces
_JOINED_CELLS = 190  # lines of a paragraph are read together up to this length, the longest of the training
_OVERLAP = 48  # cells on either side of a cut that are read in both pieces
_ONE = np.ones((1, 1), np.int64)
_MAX_THREADS = 8  # each takes some 15 MB
_BATCH_CELLS = 512  # larger batches exceed the cache of the processor and take hundreds of megabytes
_ASCII_SIGNS = {"\u05f3": "'", "\u05f4": '"'}  # geresh and gershayim as most texts write them


@dataclass(frozen=True)
class Network:
    """A trained network and its vocabulary.

    ``symbols`` are its input symbols, letters from ``first_letter`` on; ``slots`` the values of each slot; ``words`` the bare words with an
    embedding, numbered from 1; ``stored`` the ONNX file; ``seen`` the hashes of its training lines.
    """

    symbols: tuple[str, ...]
    first_letter: int
    slots: tuple[tuple[str, ...], ...]
    words: tuple[str, ...]
    stored: bytes
    seen: Hashes = field(default_factory=lambda: np.zeros(0, np.uint32))

    def log_probabilities(
        self, words: Words, text: SpelledWords, letters: Sequence[str], controls: Sequence[str] = ()
    ) -> Logits:
        """Return one row per letter of ``text`` (``words`` spelled with ``letters``), one column per value of each slot in turn.

        ``controls`` are control symbols that tell the network the kind of the text; those that it does not have are left out.
        """
        cells = self._lay_out(words, text, letters, [self._symbol[c] for c in controls if c in self._symbol])
        out = np.empty((len(text.letters), sum(map(len, self.slots))), np.float32)
        batches = list(_batches(cells.pieces))
        threads = min(os.cpu_count() or 1, _MAX_THREADS, len(batches))
        if threads > 1:
            from concurrent.futures import ThreadPoolExecutor

            _ = self.session  # load it once, before the threads
            with ThreadPoolExecutor(threads) as pool:
                for rows, logits in pool.map(lambda batch: self._run(cells, batch), batches):
                    out[rows] = logits
        else:
            for batch in batches:
                rows, logits = self._run(cells, batch)
                out[rows] = logits
        if not np.isfinite(out).all():
            raise CaesuraError("the network in this model returns NaN or infinity; the model is damaged.")
        edges = np.cumsum([0, *map(len, self.slots)]).tolist()
        for low, high in pairwise(edges):
            part = out[:, low:high]
            part -= part.max(axis=1, keepdims=True)
            part -= np.log(np.exp(part).sum(axis=1, keepdims=True))
        return out

    @cached_property
    def has_controls(self) -> bool:
        """Whether the network was trained with control symbols, which is so for general networks."""
        return any(symbol.startswith("<") and len(symbol) > 1 for symbol in self.symbols[SPECIAL_SYMBOLS:])

    def _lay_out(
        self, words: Words, text: SpelledWords, letters: Sequence[str], controls: Sequence[int] = ()
    ) -> _Cells:
        """Encode all lines as one sequence of cells, including the gaps between words, and cut it into pieces.

        A character between words that the network does not know counts as a space. A general network reads short lines of a paragraph together,
        because it was trained on joined lines too, and a line of verse or a subtitle has little context of its own.
        """
        number = self._symbol
        written = [self._write_letter(letter) for letter in letters]
        known = [self._word.get(word, 0) for word in words.words] if words.embedded else [0] * len(words.words)
        gaps = words.gaps or [" "] * (len(words.words) + 1)
        symbols: list[int] = []
        of_word: list[int] = []
        row: list[int] = []
        ends = text.words.tolist()
        spelled = text.letters.tolist()

        space = number.get(" ", OTHER)
        longest = _CONTROLLED_PIECE_CELLS if self.has_controls else _PIECE_CELLS

        def put_gap(gap: str) -> None:
            numbers = [number[" "]] if gap == " " and " " in number else self._gap_numbers(gap)
            symbols.extend(numbers)
            of_word.extend([0] * len(numbers))
            row.extend([-1] * len(numbers))

        together = self.has_controls and words.context == "paragraph"
        lines: list[tuple[int, int, bool]] = []  # start, end, and whether the line may be read with the one before
        for first, last in pairwise(words.offsets.tolist()):
            joins = together and bool(lines) and _is_one_line_break(gaps[first])
            if joins and symbols[-1] != space:
                put_gap(" ")
            start = len(symbols)
            head = after_line_break(gaps[first])
            for i in range(first, last):
                put_gap((head.lstrip() if joins else head) if i == first else gaps[i])
                for place in range(ends[i], ends[i + 1]):
                    numbers = written[spelled[place]]
                    symbols.extend(numbers)
                    row.extend((place, *[-1] * (len(numbers) - 1)))
                of_word.extend([known[i]] * (len(symbols) - len(of_word)))
            put_gap(before_line_break(gaps[last]) if last > first else "")
            lines.append((start, len(symbols), joins))
        pieces = [piece for start, end in _join_lines(lines) for piece in _cut(symbols, start, end, space, longest)]
        return _Cells(
            np.array(symbols, np.int64), np.array(of_word, np.int64), np.array(row, np.int64), pieces, tuple(controls)
        )

    def _gap_numbers(self, gap: str) -> list[int]:
        """Return the numbers of the characters between two words, several spaces as one; the middle of a long gap is left out."""
        space = self._symbol.get(" ", OTHER)
        numbers = [self._symbol.get(c, space) for c in spell_gap(gap)]
        numbers = [n for i, n in enumerate(numbers) if n != space or i == 0 or numbers[i - 1] != space]
        return numbers if len(numbers) <= 2 * _OVERLAP else numbers[:_OVERLAP] + numbers[-_OVERLAP:]

    def _write_letter(self, letter: str) -> list[int]:
        """Return the number of a letter, and of the sign after it (geresh, gershayim) if the network has it as a symbol."""
        number = self._symbol
        if letter in number:
            return [number[letter]]
        signs = [number[sign] for sign in map(_ASCII_SIGNS.get, letter[1:]) if sign in number]
        return [number.get(letter[:1], OTHER), *signs]

    def _run(self, cells: _Cells, batch: list[_Piece]) -> tuple[Ints, Logits]:
        """Run the network on some pieces; return the rows of their letters and the logits."""
        front = len(cells.controls)
        shape = (len(batch), front + max(piece.stop - piece.start for piece in batch))
        letters, word, row = np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.full(shape, -1, np.int64)
        letters[:, :front] = cells.controls
        for n, (start, stop, low, high) in enumerate(batch):
            inside = slice(front, front + stop - start)
            letters[n, inside], word[n, inside] = cells.symbols[start:stop], cells.words[start:stop]
            row[n, front + low - start : front + high - start] = cells.rows[low:high]
        inputs = {"letters": letters, "lines": (letters != PAD).astype(np.int64), "word": word}
        session = self.session
        try:
            logits = session.run(None, {name: inputs[name] for name in self._inputs})[0]
        except Exception as fault:  # onnxruntime raises many classes
            raise CaesuraError(f"the network in this model fails: {str(fault).splitlines()[0][:200]}") from None
        return row[row >= 0], logits[row >= 0]

    @cached_property
    def session(self) -> Any:
        """The onnxruntime session, tested on one letter. It uses one thread, because batches run in parallel.

        Raises
        ------
        CaesuraError
            If the network is damaged, or its inputs or outputs are not as expected.
        """
        try:
            import onnxruntime
        except ImportError:
            raise MissingExtra("onnxruntime", "neural", "a neural model") from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4  # errors are reported below
        trial = {"letters": _ONE, "lines": _ONE, "word": 0 * _ONE}
        try:
            check_onnx(self.stored)
            session = onnxruntime.InferenceSession(self.stored, options, providers=["CPUExecutionProvider"])
            names = [x.name for x in session.get_inputs()]
            answer = session.run(None, {name: trial.get(name, _ONE) for name in names})[0]
        except Exception as fault:  # onnxruntime raises many classes
            raise CaesuraError(
                f"the network in this model cannot be loaded: {str(fault).splitlines()[0][:200]}"
            ) from None
        columns = sum(map(len, self.slots))
        if not {"letters", "lines"} <= {*names} <= {*trial} or answer.shape != (1, 1, columns):
            raise CaesuraError(
                f"the network in this model is of another kind: expected inputs letters, lines, word and {columns} outputs, "
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

    # ------------------------------------------------------------------ saving and loading

    def arrays(self, name: str = "network") -> Arrays:
        """Return the ONNX file and the vocabulary, under this name."""
        return {
            name: compress(self.stored),
            f"{name}_symbols": encode_strings(self.symbols),
            f"{name}_letters": np.array([self.first_letter]),
            f"{name}_words": encode_strings(self.words),
            f"{name}_seen": self.seen,
            **{f"{name}_slot_{n}": encode_strings(slot) for n, slot in enumerate(self.slots)},
        }

    @classmethod
    def from_arrays(cls, arrays: StoredArrays, name: str = "network") -> Network:
        """Rebuild a network from :meth:`arrays`."""
        symbols = arrays.strings(f"{name}_symbols", distinct=False)
        number = sum(stored.startswith(f"{name}_slot_") for stored in arrays)
        slots = tuple(arrays.strings(f"{name}_slot_{n}") or ("",) for n in range(number))
        seen = f"{name}_seen"
        return cls(
            symbols, arrays.integer(f"{name}_letters", 0, len(symbols)), slots, arrays.strings(f"{name}_words"),
            decompress(arrays.exact(name, np.uint8, None).tobytes()),
            arrays.exact(seen, np.uint32, None).copy() if seen in arrays else np.zeros(0, np.uint32),
        )  # fmt: skip


@dataclass(frozen=True)
class _Cells:
    """All lines as one sequence of cells: symbols, numbers of words, rows of letters (-1: not a letter), the pieces, and what stands before each."""

    symbols: Ints
    words: Ints
    rows: Ints
    pieces: list[_Piece]
    controls: tuple[int, ...] = ()


class _Piece(NamedTuple):
    """A piece of a line: cells ``start`` to ``stop`` are read, the output of ``low`` to ``high`` is used."""

    start: int
    stop: int
    low: int
    high: int


def _join_lines(lines: Sequence[tuple[int, int, bool]]) -> Iterator[tuple[int, int]]:
    """Return where pieces of text begin and end: a line joins those before it while they are short enough together."""
    begin = stop = 0
    for start, end, joins in lines:
        if joins and end - begin <= _JOINED_CELLS:
            stop = end
            continue
        yield begin, stop
        begin, stop = start, end
    yield begin, stop


def _is_one_line_break(gap: str) -> bool:
    """Return whether two lines belong to one paragraph: nothing but one line break is between their texts."""
    return len(re.findall("\r\n|\r|\n", gap)) == 1


def _cut(symbols: Sequence[int], begin: int, end: int, space: int, longest: int = _PIECE_CELLS) -> Iterator[_Piece]:
    """Cut a line into overlapping pieces; the parts used are adjacent and end at spaces if possible."""
    low = begin
    while low < end:
        start = max(begin, low - _OVERLAP)
        stop = min(end, start + longest)
        last = stop if stop == end else stop - _OVERLAP
        high = last if last == end else next((i + 1 for i in range(last - 1, low, -1) if symbols[i] == space), last)
        yield _Piece(start, stop, low, high)
        low = high


def _batches(pieces: list[_Piece]) -> Iterator[list[_Piece]]:
    """Group pieces of similar length, so that little is padded."""
    batch: list[_Piece] = []
    for piece in sorted(pieces, key=lambda p: (p.stop - p.start, p)):
        if batch and (len(batch) + 1) * (piece.stop - piece.start) > _BATCH_CELLS:
            yield batch
            batch = []
        batch.append(piece)
    if batch:
        yield batch


def spell_gap(gap: str) -> str:
    """Normalize the text between words as in training: one space, digits as 0, Latin letters as a."""
    if gap == " ":
        return gap
    letters = (" " if c.isspace() else "0" if c.isdigit() else "a" if c.isascii() and c.isalpha() else c for c in gap)
    return re.sub(" +", " ", "".join(letters))


def before_line_break(gap: str) -> str:
    """Return the part of a gap that belongs to the line before."""
    return re.split("[\r\n]", gap, maxsplit=1)[0]


def after_line_break(gap: str) -> str:
    """Return the part of a gap that belongs to the line after."""
    return re.split("[\r\n]", gap)[-1]


def networks_of(model: object) -> tuple[Network, ...]:
    """Return the networks of a trained model.

    Raises
    ------
    CaesuraError
        If the model has none.
    """
    scores = getattr(model, "scores", None)
    if scores is None:
        raise CaesuraError("this model has no network; give a model trained with --model neural.")
    networks: tuple[Network, ...] = scores.networks
    return networks


_UNKNOWN = -1e4  # log probability of marks that the network does not know


class LetterScores:
    """The mean of several networks, for the letters and choices of one alphabet.

    If only short vowels are missing, the other marks are part of the alphabet's letters. For a network that reads bare letters they are
    removed from the input, and selected from its output.
    """

    def __init__(self, alphabet: Alphabet, networks: Sequence[Network]) -> None:
        self.alphabet, self.networks = alphabet, tuple(networks)
        self._readers = [_NetworkReader(alphabet, network) for network in networks]

    def choice_scores(self, words: Words, controls: Sequence[str] = ()) -> tuple[SpelledWords, Floats]:
        """Return the spelled words, and for every letter the log probability of each choice (-inf: no such choice, or excluded by marks in the text)."""
        text = self.alphabet.spell(words.words)
        scores = self._readers[0].choice_scores(words, text, controls)
        for reader in self._readers[1:]:
            scores = np.logaddexp(scores, reader.choice_scores(words, text, controls))
        return text, scores - np.log(len(self._readers))


class _NetworkReader:
    """One network, for the letters and choices of one alphabet."""

    def __init__(self, alphabet: Alphabet, network: Network) -> None:
        self.alphabet, self.network = alphabet, network
        own = alphabet.script
        self.reads = own if len(own.slots) == len(network.slots) else SCRIPTS[own.name]
        if len(self.reads.slots) > len(network.slots):
            raise CaesuraError(
                f"the network in this model is of another kind: it has {len(network.slots)} slots, expected {len(self.reads.slots)}."
            )

    def choice_scores(self, words: Words, text: SpelledWords, controls: Sequence[str] = ()) -> Floats:
        """Return the log probabilities of every letter's choices."""
        slots = self.network.log_probabilities(self._bare(words), text, self._bare_letters, controls).astype(np.float64)
        padded = np.concatenate((slots, np.full((len(slots), 1), _UNKNOWN)), axis=1)
        columns, exists = self._columns
        scores = np.take_along_axis(padded, columns[text.letters, :, 0], axis=1)
        for slot in range(1, columns.shape[2]):
            scores += np.take_along_axis(padded, columns[text.letters, :, slot], axis=1)
        allowed = exists[text.letters]
        given = self.alphabet.allowed_choices(words.words, words.fixed)
        if len(given):
            bits = np.arange(allowed.shape[1], dtype=np.uint64)
            allowed &= ((given[:, None] >> bits) & np.uint64(1)).astype(bool)
        scores = np.where(allowed, scores, -np.inf)
        if len(scores):
            scores -= np.logaddexp.reduce(scores, axis=1, keepdims=True)
        return scores

    def _bare(self, words: Words) -> Words:
        if self.alphabet.script == self.reads:
            return words
        return Words(
            list(map(self.reads.read, words.words)), words.offsets, words.joined, gaps=words.gaps, context=words.context
        )

    @cached_property
    def _bare_letters(self) -> list[str]:
        return [self.reads.read(letter) for letter in self.alphabet.letters]

    @cached_property
    def _columns(self) -> tuple[Ints, NDArray[np.bool_]]:
        """For every letter and choice, the output column of each slot's value, and whether the choice exists."""
        slots = self.network.slots
        starts = np.cumsum([0, *map(len, slots)])
        number = [{value: n for n, value in enumerate(slot)} for slot in slots]
        widest = int(self.alphabet.widths.max())
        columns = np.zeros((len(self.alphabet.letters), widest, len(slots)), np.int64)
        exists = np.arange(widest) < self.alphabet.widths[:, None]
        for n, (letter, first) in enumerate(zip(self.alphabet.letters, self.alphabet.first[:-1].tolist(), strict=True)):
            for choice in range(int(self.alphabet.widths[n])):
                marked = letter + self.alphabet.marks[self.alphabet.mark_of[first + choice]]
                marks = "".join(x.marks for x in self.reads.split(marked))
                for slot, values in enumerate(marks_by_slot(marks, self.reads)):
                    at = number[slot].get(values)
                    columns[n, choice, slot] = starts[-1] if at is None else starts[slot] + at
        return columns, exists


def likeliest_choices(text: SpelledWords, logs: Floats, most: int) -> tuple[Ints, Ints, Floats]:
    """Return the likeliest forms of every word: choices by letter and rank, their number, and their log probabilities.

    Words of equal length are searched together, with NumPy, so that restoring a line compiles nothing. Of forms with equal probabilities, the one whose
    beginning is likelier comes first.
    """
    lengths = np.diff(text.words)
    sizes, scores = np.zeros(len(lengths), np.int64), np.zeros((len(lengths), most))
    choices = np.zeros((len(logs), most), np.int64)
    ranked = np.argsort(-logs, axis=1, kind="stable")[:, :most]
    values = np.take_along_axis(logs, ranked, axis=1)
    for length in np.unique(lengths[lengths > 0]).tolist():
        words = np.flatnonzero(lengths == length)
        rows = text.words[words]
        total = np.zeros((len(words), 1))
        chosen = np.zeros((len(words), 1, length), np.int64)
        for letter in range(length):
            sums = total[:, :, None] + values[rows + letter][:, None, :]
            flat = sums.reshape(len(words), -1)
            best = np.argsort(-flat, axis=1, kind="stable")[:, :most]
            total = np.take_along_axis(flat, best, axis=1)
            before, choice = np.divmod(best, values.shape[1])
            chosen = np.take_along_axis(chosen, before[:, :, None], axis=1)
            chosen[:, :, letter] = np.take_along_axis(ranked[rows + letter], choice, axis=1)
        width = total.shape[1]
        exists = np.isfinite(total)
        sizes[words] = exists.sum(axis=1)
        scores[words, :width] = np.where(exists, total, 0.0)
        choices[rows[:, None] + np.arange(length), :width] = chosen.transpose(0, 2, 1)
    return choices, sizes, scores


def marks_by_slot(marks: str, script: Script) -> list[str]:
    """Split the marks of one letter by the slots of its script.

    >>> from caesura_vowels.scripts import ARABIC
    >>> [len(part) for part in marks_by_slot("\u0651\u064e", ARABIC)]
    [1, 1, 0]
    """
    return ["".join(m for m in marks if script.slot_of[m] == slot) for slot in range(len(script.slots))]
