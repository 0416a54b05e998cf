"""The neural model: a letter network over the whole line, decoded under what each letter may carry and what the text gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.vowels.alphabet import Alphabet
from caesura.vowels.letter_scores import LetterScores, likeliest_rows
from caesura.vowels.lexicon import Lexicon, Lines
from caesura.vowels.models import Alternatives, Arrays, Model, Progress, Words
from caesura.vowels.network import Network
from caesura.vowels.scripts import Script

_KEPT = 8  # forms of a word, at most


class Neural(Model):
    """A letter network, letter by letter."""

    name = "neural"
    most_held = 5000  # they are lost to the network, which is trained but once
    most_at_once = 10_000

    def __init__(self, script: Script, lexicon: Lexicon, network: Network) -> None:
        super().__init__(script, lexicon)
        self.network = network
        self.alphabet = Alphabet.of(script, lexicon.pointed)
        self.scores = LetterScores(self.alphabet, [network])

    @classmethod
    def fit(
        cls, script: Script, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress
    ) -> Neural:
        """Train a network, which takes PyTorch, and hours without a GPU where the text is large; or go on training one."""
        from caesura.vowels.network_training import train_on_lines

        return cls(script, lexicon, train_on_lines(script, lexicon, lines, options, progress))

    def finish(self, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress) -> Neural:
        """The network as it is, with the words of all lines: a second training would take as long, and leave no line to judge it by."""
        return Neural(self.script, lexicon, self.network)

    def decode(self, words: Words) -> list[str]:
        """The likeliest choice of every letter."""
        text, logs = self.scores.choice_scores(words)
        best = logs.argmax(axis=1).tolist() if len(logs) else []
        ends = text.words.tolist()
        point = self.alphabet.point_word
        return [point(word, best[ends[i] : ends[i + 1]]) for i, word in enumerate(words.words)]

    def alternatives(self, words: Words) -> list[Alternatives]:
        """The likeliest forms, by the product of their letters' probabilities."""
        text, logs = self.scores.choice_scores(words)
        choices, sizes, scores = likeliest_rows(text, logs, _KEPT)
        share = np.exp(scores)
        ends = text.words.tolist()
        return [
            [
                (self.alphabet.point_word(word, choices[ends[i] : ends[i + 1], r].tolist()), float(share[i, r]))
                for r in range(int(sizes[i]))
            ]
            for i, word in enumerate(words.words)
        ]

    def arrays(self) -> Arrays:
        """The network with its tables."""
        return self.network.arrays()

    @classmethod
    def from_arrays(cls, script: Script, lexicon: Lexicon, arrays: Mapping[str, NDArray[Any]]) -> Neural:
        """Rebuild what :meth:`arrays` gave."""
        return cls(script, lexicon, Network.from_arrays(arrays))
