"""The neural model: a letter network over the whole line, decoded under what each letter may carry and what the text gives.

A letter's choices are those that the training text has for it. The network gives each slot a distribution; a choice has the product of its
slots', divided by the sum over the letter's choices, and a word the product over its letters.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.vowels.alphabet import Alphabet, Spelt
from caesura.vowels.lexicon import Lexicon, Lines
from caesura.vowels.models import Alternatives, Arrays, Model, Progress, Words
from caesura.vowels.network import Network
from caesura.vowels.scripts import Script

Floats = NDArray[np.float64]

_KEPT = 8  # forms of a word, at most


class Neural(Model):
    """A letter network, letter by letter."""

    name = "neural"

    def __init__(self, script: Script, lexicon: Lexicon, network: Network) -> None:
        super().__init__(script, lexicon)
        self.network = network
        self.alphabet = Alphabet.of(script, lexicon.pointed)

    @classmethod
    def fit(
        cls, script: Script, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress
    ) -> Neural:
        """Train a network, which takes PyTorch, and hours without a GPU where the text is large."""
        from caesura.vowels.network_training import train_on_lines

        return cls(script, lexicon, train_on_lines(script, lexicon, lines, options, progress))

    def decode(self, words: Words) -> list[str]:
        """The likeliest choice of every letter."""
        text, logs = self.choice_scores(words)
        best = logs.argmax(axis=1).tolist() if len(logs) else []
        ends = text.words.tolist()
        point = self.alphabet.point_word
        return [point(word, best[ends[i] : ends[i + 1]]) for i, word in enumerate(words.words)]

    def alternatives(self, words: Words) -> list[Alternatives]:
        """The likeliest forms, by the product of their letters' probabilities."""
        from caesura.vowels.kernels.letterwise import likeliest_forms

        text, logs = self.choice_scores(words)
        number = len(words.words)
        sizes, scores = np.zeros(number, np.int64), np.zeros((number, _KEPT))
        choices = np.zeros((len(logs), _KEPT), np.int64)
        likeliest_forms(logs, text.words, sizes, choices, scores)
        share = np.exp(scores)
        ends = text.words.tolist()
        return [
            [
                (self.alphabet.point_word(word, choices[ends[i] : ends[i + 1], r].tolist()), float(share[i, r]))
                for r in range(int(sizes[i]))
            ]
            for i, word in enumerate(words.words)
        ]

    def choice_scores(self, words: Words) -> tuple[Spelt, Floats]:
        """The words spelled, and for every letter the log probability of each of its choices (-inf beyond them, and for what marks in the text rule out)."""
        text = self.alphabet.spell(words.words)
        slots = self.network.log_probabilities(words, text, self.alphabet.letters).astype(np.float64)
        padded = np.concatenate(
            (slots, np.full((len(slots), 1), -1e4)), axis=1
        )  # for marks that the network does not know
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
        return text, scores

    @cached_property
    def _columns(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """For every letter and choice, the column of each slot's value, and whether there is such a choice."""
        slots = self.network.slots
        starts = np.cumsum([0, *map(len, slots)])
        number = [{value: n for n, value in enumerate(slot)} for slot in slots]
        widest = int(self.alphabet.widths.max())
        columns = np.zeros((len(self.alphabet.letters), widest, len(slots)), np.int64)
        there = np.arange(widest) < self.alphabet.widths[:, None]
        for letter, first in enumerate(self.alphabet.first[:-1].tolist()):
            for choice in range(int(self.alphabet.widths[letter])):
                marks = self.alphabet.marks[self.alphabet.mark_of[first + choice]]
                for slot, values in enumerate(part_marks(marks, self.script)):
                    at = number[slot].get(values)
                    columns[letter, choice, slot] = starts[-1] if at is None else starts[slot] + at
        return columns, there

    def arrays(self) -> Arrays:
        """The network with its tables."""
        return self.network.arrays()

    @classmethod
    def from_arrays(cls, script: Script, lexicon: Lexicon, arrays: Mapping[str, NDArray[Any]]) -> Neural:
        """Rebuild what :meth:`arrays` gave."""
        return cls(script, lexicon, Network.from_arrays(arrays))


def part_marks(marks: str, script: Script) -> list[str]:
    """Part the marks on one letter into the slots of its script.

    >>> from caesura.vowels.scripts import ARABIC
    >>> [len(part) for part in part_marks("\u0651\u064e", ARABIC)]
    [1, 1, 0]
    """
    return ["".join(m for m in marks if script.slot_of[m] == slot) for slot in range(len(script.slots))]
