"""What a letter network says of every letter's choices of marks, under the alphabet of a model and the marks that the text has already.

A letter's choices are those that the training text has for it. The network gives each slot a distribution; a choice has the product of its
slots', divided by the sum over the letter's choices, and a word the product over its letters.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from caesura.vowels.alphabet import Alphabet, Spelt
from caesura.vowels.models import Words
from caesura.vowels.network import Network
from caesura.vowels.scripts import SCRIPTS, Script

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_UNKNOWN = -1e4  # log probability of marks that the network does not know


class LetterScores:
    """Networks, of which the mean counts, read with the letters and choices of one alphabet.

    Where a text lacks its short vowels alone, the marks that it shows are part of the alphabet's letters. For a network that reads bare
    letters they come off, and are among the marks that it is asked for.
    """

    def __init__(self, alphabet: Alphabet, networks: Sequence[Network]) -> None:
        self.alphabet, self.networks = alphabet, tuple(networks)
        self._readers = [_Reader(alphabet, network) for network in networks]

    def choice_scores(self, words: Words) -> tuple[Spelt, Floats]:
        """The words spelled, and for every letter the log probability of each of its choices (-inf beyond them, and for what marks in the text rule out)."""
        text = self.alphabet.spell(words.words)
        scores = self._readers[0].choice_scores(words, text)
        for reader in self._readers[1:]:
            scores = np.logaddexp(scores, reader.choice_scores(words, text))
        return text, scores - np.log(len(self._readers))


class _Reader:
    """One network, read with the letters and choices of one alphabet."""

    def __init__(self, alphabet: Alphabet, network: Network) -> None:
        self.alphabet, self.network = alphabet, network
        own = alphabet.script
        self.reads = own if len(own.slots) == len(network.slots) else SCRIPTS[own.name]

    def choice_scores(self, words: Words, text: Spelt) -> Floats:
        """The log probability of every letter's choices."""
        slots = self.network.log_probabilities(self._bare(words), text, self._bare_letters).astype(np.float64)
        padded = np.concatenate((slots, np.full((len(slots), 1), _UNKNOWN)), axis=1)
        columns, open_to = self._columns
        scores = np.take_along_axis(padded, columns[text.letters, :, 0], axis=1)
        for slot in range(1, columns.shape[2]):
            scores += np.take_along_axis(padded, columns[text.letters, :, slot], axis=1)
        allowed = open_to[text.letters]
        left = self.alphabet.choices_left(words.words, words.fixed)
        if len(left):
            bits = np.arange(allowed.shape[1], dtype=np.uint64)
            allowed &= ((left[:, None] >> bits) & np.uint64(1)).astype(bool)
        scores = np.where(allowed, scores, -np.inf)
        if len(scores):
            scores -= np.logaddexp.reduce(scores, axis=1, keepdims=True)
        return scores

    def _bare(self, words: Words) -> Words:
        if self.alphabet.script == self.reads:
            return words
        return Words(list(map(self.reads.read, words.words)), words.offsets, words.joined, gaps=words.gaps)

    @cached_property
    def _bare_letters(self) -> list[str]:
        return [self.reads.read(letter) for letter in self.alphabet.letters]

    @cached_property
    def _columns(self) -> tuple[Ints, NDArray[np.bool_]]:
        """For every letter and choice, the column of each slot's value, and whether there is such a choice."""
        slots = self.network.slots
        starts = np.cumsum([0, *map(len, slots)])
        number = [{value: n for n, value in enumerate(slot)} for slot in slots]
        widest = int(self.alphabet.widths.max())
        columns = np.zeros((len(self.alphabet.letters), widest, len(slots)), np.int64)
        there = np.arange(widest) < self.alphabet.widths[:, None]
        for n, (letter, first) in enumerate(zip(self.alphabet.letters, self.alphabet.first[:-1].tolist(), strict=True)):
            for choice in range(int(self.alphabet.widths[n])):
                marked = letter + self.alphabet.marks[self.alphabet.mark_of[first + choice]]
                marks = "".join(x.marks for x in self.reads.split(marked))
                for slot, values in enumerate(part_marks(marks, self.reads)):
                    at = number[slot].get(values)
                    columns[n, choice, slot] = starts[-1] if at is None else starts[slot] + at
        return columns, there


def likeliest_rows(text: Spelt, logs: Floats, most: int) -> tuple[Ints, Ints, Floats]:
    """For every word its likeliest choices, best first: choices by letter and rank, how many each word has, and the sums of their logarithms."""
    from caesura.vowels.kernels.letterwise import likeliest_forms

    number = len(text.words) - 1
    sizes, scores = np.zeros(number, np.int64), np.zeros((number, most))
    choices = np.zeros((len(logs), most), np.int64)
    likeliest_forms(logs, text.words, sizes, choices, scores)
    return choices, sizes, scores


def part_marks(marks: str, script: Script) -> list[str]:
    """Part the marks on one letter into the slots of its script.

    >>> from caesura.vowels.scripts import ARABIC
    >>> [len(part) for part in part_marks("\u0651\u064e", ARABIC)]
    [1, 1, 0]
    """
    return ["".join(m for m in marks if script.slot_of[m] == slot) for slot in range(len(script.slots))]
