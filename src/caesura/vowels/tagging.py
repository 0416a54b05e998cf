"""Training and running the letter tagger, forwards and backwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.vowels.alphabet import Alphabet, Bits, Spelt
from caesura.vowels.models import Progress

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_BITS = 24
_ROOM = 64
_RATE = 0.15
_DROPPED = 0.3


@dataclass(frozen=True)
class Passage:
    """Lines of words as a tagger reads them: the spelt words, where lines begin, and which words a maqaf joins to the one before."""

    text: Spelt
    lines: Ints
    joined: Bools

    @property
    def opens(self) -> Bools:
        """Whether a word opens its line."""
        opens = np.zeros(len(self.text.words) - 1, bool)
        opens[self.lines[:-1][np.diff(self.lines) > 0]] = True
        return opens

    @property
    def sizes(self) -> Ints:
        """How many letters each word has."""
        return np.diff(self.text.words)

    def reverse(self) -> Passage:
        """The same lines read from their end: letters, words and lines in reverse."""
        turned = np.zeros(len(self.joined), bool)
        turned[1:] = self.joined[::-1][:-1]
        columns = (self.text.letters, self.text.choices, self.text.marks)
        flipped = [np.ascontiguousarray(column[::-1]) for column in columns]
        words = np.concatenate(([0], np.cumsum(self.sizes[::-1])))
        lines = np.concatenate(([0], np.cumsum(np.diff(self.lines)[::-1])))
        return Passage(Spelt(flipped[0], flipped[1], flipped[2], words), lines, turned)

    def features(self, size: int) -> NDArray[np.int32]:
        """Hash every letter's features that do not depend on marks into a table of ``size``."""
        from caesura.vowels.kernels.tagger_features import LEXICAL, STATIC, static_features

        out = np.empty((len(self.text.letters), STATIC + LEXICAL), np.int32)
        static_features(self.text.letters, self.text.words, self.lines, self.joined, size - 1, out)
        return out


class Scored(NamedTuple):
    """Log probabilities: candidate after candidate, for each the ways in which the word before may end."""

    scores: Floats
    offsets: Ints
    ways: Ints
    which: Ints


@dataclass(frozen=True)
class Tagger:
    """Weights of hashed features, in half precision, and which features were seen often enough to count, a bit each."""

    weights: NDArray[np.float16]
    kept: NDArray[np.uint8]

    @property
    def size(self) -> int:
        """How many places there are for features."""
        return len(self.weights) - _ROOM

    def propose(
        self, alphabet: Alphabet, passage: Passage, features: NDArray[np.int32], beam: int, usual: Ints, left: Bits
    ) -> tuple[Ints, Ints]:
        """Best choices of marks for every word: an array words × beam × letters, and how many rows of it count.

        Words with a row in ``usual`` (others have -1) are known well enough to be taken as they usually are; ``left`` says which choices
        the given marks leave to every letter.
        """
        from caesura.vowels.kernels.tagger import tag_words

        number = len(passage.sizes)
        longest = int(passage.sizes.max()) if number else 0
        proposed, sizes = np.zeros((number, beam, longest), np.int64), np.zeros(number, np.int64)
        tag_words(
            passage.text.letters, passage.text.words, passage.opens, features, alphabet.widths, alphabet.first,
            alphabet.mark_of, self.kept, self.weights.view(np.uint16), beam, usual, left, proposed, sizes,
        )  # fmt: skip
        return proposed, sizes

    def score(
        self,
        alphabet: Alphabet,
        passage: Passage,
        features: NDArray[np.int32],
        given: tuple[Ints, Ints],
        before: tuple[Ints, Ints],
    ) -> Scored:
        """Score given choices of every word after every ending that the word before has among ``before``.

        Both are rows of choices, and where those of each word begin.
        """
        from caesura.vowels.kernels.fusion import word_endings
        from caesura.vowels.kernels.tagger import score_words

        number = len(passage.sizes)
        endings, ways = np.empty((len(before[0]) + number, 2), np.int64), np.zeros(number + 1, np.int64)
        which = np.zeros(len(before[0]), np.int64)
        letters, words = passage.text.letters, passage.text.words
        word_endings(letters, words, passage.opens, alphabet.first, alphabet.mark_of, *before, endings, ways, which)
        starts = np.concatenate(([0], np.cumsum(np.diff(given[1]) * np.diff(ways))))
        scores = np.empty(starts[-1])
        score_words(
            letters, words, features, alphabet.widths, alphabet.first, alphabet.mark_of, self.kept,
            self.weights.view(np.uint16), *given, endings, ways, scores, starts,
        )  # fmt: skip
        return Scored(scores, starts, ways, which)


def fit_tagger(
    alphabet: Alphabet,
    passage: Passage,
    *,
    passes: Sequence[int],
    seed: int,
    progress: Progress,
    what: str,
    least: int = 2,
) -> Iterator[Tagger]:
    """Train by stochastic gradient descent with AdaGrad's steps, and give the tagger after each of these numbers of passes.

    Features seen fewer than ``least`` times are left out. The weights of a tagger are the mean of those after its passes, without the first
    third of them, which are far from where weights will settle.
    """
    from caesura.vowels.kernels.tagger import count_features, train_epoch

    text, opens = passage.text, passage.opens
    size = 1 << _BITS
    static = passage.features(size)
    counts = np.zeros(size, np.uint8)
    count_features(text.letters, text.words, opens, text.marks, static, counts)
    kept = np.packbits(counts >= least)
    weights, squares = np.zeros(size + _ROOM, np.float32), np.full(size + _ROOM, 0.01, np.float32)
    random = np.random.default_rng(seed)
    number = len(text.words) - 1
    means = {number: np.zeros_like(weights) for number in passes}
    for epoch in range(max(passes)):
        progress(what, epoch / max(passes))
        dropped = random.random(number) < _DROPPED
        train_epoch(
            text.letters, text.words, opens, text.marks, text.choices, static, alphabet.widths, random.permutation(number),
            dropped, kept, _RATE, weights, squares,
        )  # fmt: skip
        for last, mean in means.items():
            if epoch >= last // 3:
                mean += weights / np.float32(last - last // 3)
        if epoch + 1 in means:
            yield Tagger(means.pop(epoch + 1).astype(np.float16), kept)
