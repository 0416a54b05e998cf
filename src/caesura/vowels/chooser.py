"""Choosing among the known forms of a word by the bare words around it.

The letter taggers decide mark by mark. The chooser weighs whole forms against each other: what a form looks like (the whole of it, its ends,
its marks without the letters) with what stands around the place, so that "ends in the construct vowel" may go with "a name follows".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.vowels.alphabet import Alphabet
from caesura.vowels.kernels.hashing import SEED, fold_in_arrays
from caesura.vowels.lexicon import Lexicon, Lines
from caesura.vowels.models import Arrays, Progress
from caesura.vowels.tagging import Passage

Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]

_BITS = 23
_RATE = 0.1
_RUNS, _PASSES = 4, 2  # what is learnt depends on the order of examples; the mean of some runs does so less
_FIRST, _LAST = range(3), range(-1, -4, -1)  # places in a word, from either end
_PAD = 1 << 20  # a letter that no alphabet has
_NEW_FORM = -6.0  # log probability of a form that a known word never had, as a known form's are among each other

#: What is seen from a place: parts of the words so many steps on, taken together.
_AROUND: tuple[tuple[tuple[int, str], ...], ...] = (
    (),
    ((0, "place"),),
    ((-1, "whole"),), ((-2, "whole"),), ((1, "whole"),), ((2, "whole"),),
    ((-1, "whole"), (1, "whole")), ((-2, "whole"), (-1, "whole")), ((1, "whole"), (2, "whole")),
    ((-1, "first 1"),), ((-1, "first 2"),), ((-1, "last 1"),), ((-1, "last 2"),), ((-1, "last 3"),),
    ((1, "first 1"),), ((1, "first 2"),), ((1, "first 3"),), ((1, "last 1"),), ((1, "last 2"),),
    ((-1, "first 2"), (-1, "last 2")), ((1, "first 2"), (1, "last 2")), ((-1, "last 2"), (1, "first 2")),
)  # fmt: skip


@dataclass(frozen=True)
class Chooser:
    """Weights of contexts with looks, in steps of ``step``, and the looks of the lexicon's forms."""

    weights: NDArray[np.int8]
    step: float
    looks: Hashes

    def score(self, passage: Passage, states: Ints, offsets: Ints) -> NDArray[np.float64]:
        """Log probability of every candidate (``states``, -1: not in the lexicon) among those of its word, which begin at ``offsets``.

        Where a word has known and new forms, the new ones get a fixed small probability; where all are new, nothing is said.
        """
        from caesura.vowels.kernels.chooser import score_choices

        known = states >= 0
        before = np.concatenate(([0], np.cumsum(known)))
        counts = before[offsets[1:]] - before[offsets[:-1]]
        out = np.where(known, 0.0, np.where(np.repeat(counts > 0, np.diff(offsets)), _NEW_FORM, 0.0))
        places = np.flatnonzero(counts > 1)
        asked = np.flatnonzero(known & np.repeat(counts > 1, np.diff(offsets)))
        scores = np.empty(len(asked))
        starts = np.concatenate(([0], np.cumsum(counts[places])))
        score_choices(_contexts(passage, places), self.looks, states[asked], starts, self.weights, self.step, scores)
        out[asked] = scores
        return out

    def arrays(self) -> Arrays:
        """The weights and the looks, which would take longer to find again than to read."""
        return {"chooser_weights": self.weights, "chooser_step": np.array([self.step]), "chooser_looks": self.looks}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Chooser:
        """Rebuild the chooser."""
        return cls(arrays["chooser_weights"], float(arrays["chooser_step"][0]), arrays["chooser_looks"])


def fit_chooser(
    alphabet: Alphabet, lexicon: Lexicon, lines: Lines, passage: Passage, *, seed: int, progress: Progress
) -> Chooser:
    """Train by stochastic gradient descent with AdaGrad's steps, several times over; what was seen once is left out."""
    from caesura.vowels.kernels.chooser import count_choices, train_choices

    contexts, looks = _contexts(passage, np.arange(len(lines.states))), _looks(alphabet, lexicon)
    size = 1 << _BITS
    counts = np.zeros(size, np.uint8)
    count_choices(contexts, looks, lines.states, counts)
    kept = counts >= 2
    word = lexicon.bare_of[lines.states]
    first, last = lexicon.first[word], lexicon.first[word + 1]
    mean = np.zeros(size, np.float32)
    random = np.random.default_rng(seed)
    for run in range(_RUNS):
        weights, squares = np.zeros(size, np.float32), np.full(size, 0.01, np.float32)
        for turn in range(_PASSES):
            progress("chooser", (run * _PASSES + turn) / (_RUNS * _PASSES))
            order = random.permutation(len(lines.states))
            train_choices(contexts, looks, lines.states, first, last, order, kept, _RATE, weights, squares)
            mean += weights / np.float32(_RUNS * _PASSES)
    step = max(float(np.abs(mean).max()), 1e-9) / 127
    return Chooser(np.round(mean / np.float32(step)).astype(np.int8), step, looks)


def _contexts(passage: Passage, places: Ints) -> Hashes:
    """Hash what is seen from some places: one row per place, one column per row of the table."""
    letters, words = passage.text.letters, passage.text.words
    parts = {"whole": _whole(letters, words), "place": _place(passage)}
    for size in (1, 2, 3):
        parts[f"first {size}"] = _units(letters, words, _FIRST[:size])
        parts[f"last {size}"] = _units(letters, words, _LAST[:size])
    line = np.repeat(np.arange(len(passage.lines) - 1), np.diff(passage.lines))
    out = np.empty((len(places), len(_AROUND)), np.uint64)
    for column, seen in enumerate(_AROUND):
        hashed = _empty(len(places), column)
        for step, part in seen:
            hashed = _join_hashes(hashed, _move(parts[part], line, places, step))
        out[:, column] = hashed
    return out


def _looks(alphabet: Alphabet, lexicon: Lexicon) -> Hashes:
    """Hash what every form of the lexicon looks like: with its letters, by its marks alone, and by its marks between its outer letters."""
    text = alphabet.spell(lexicon.pointed)
    words, letters, marks = text.words, text.letters, text.marks
    pointed = alphabet.first[letters] + text.choices
    opening, closing = _units(letters, words, _FIRST[:1]), _units(letters, words, _LAST[:1])
    columns = (
        _whole(pointed, words),
        _units(pointed, words, _FIRST[:2]),
        _units(pointed, words, _LAST[:2]),
        _units(pointed, words, _LAST[:3]),
        _whole(marks, words),
        _join_hashes(_units(marks, words, _FIRST[:3]), opening),
        _join_hashes(_units(marks, words, _LAST[:3]), closing),
        _join_hashes(_join_hashes(_whole(marks, words), opening), closing),
    )
    return np.stack([_join_hashes(_empty(len(lexicon), n), column) for n, column in enumerate(columns)], axis=1)


def _whole(units: Ints, words: Ints) -> Hashes:
    from caesura.vowels.kernels.tagger_features import word_hashes

    out = np.empty(len(words) - 1, np.uint64)
    word_hashes(units, words, out)
    return out


def _units(units: Ints, words: Ints, places: range) -> Hashes:
    """Hash some units of every word, counted from its beginning or, below zero, from its end."""
    hashed = _empty(len(words) - 1, len(places))
    padded = np.append(units, _PAD)
    for place in places:
        at = place + (words[:-1] if place >= 0 else words[1:])
        inside = (words[:-1] <= at) & (at < words[1:])
        hashed = fold_in_arrays(hashed, padded[np.where(inside, at, len(units))])
    return hashed


def _place(passage: Passage) -> Hashes:
    """Hash how far the end of the line is (up to two words), whether the word opens it, and whether it is joined on either side."""
    number = len(passage.joined)
    left = np.repeat(passage.lines[1:], np.diff(passage.lines)) - 1 - np.arange(number)
    joined = passage.joined.astype(np.int64)
    behind = np.append(joined[1:], 0) * (left > 0)
    return fold_in_arrays(
        _empty(number, 0), np.minimum(left, 2) * 8 + passage.opens.astype(np.int64) * 4 + joined * 2 + behind
    )


def _move(values: Hashes, line: Ints, places: Ints, step: int) -> Hashes:
    """For every place the value of the word so many steps on; beyond the line stands a value of its own."""
    there = np.clip(places + step, 0, max(len(values) - 1, 0))
    inside = (there == places + step) & (line[there] == line[places])
    return np.where(inside, values[there], np.uint64(1 if step < 0 else 2))


def _join_hashes(hashes: Hashes, other: Hashes) -> Hashes:
    return fold_in_arrays(hashes, other.view(np.int64))


def _empty(number: int, kind: int) -> Hashes:
    """Start hashes of one kind, so that kinds do not meet."""
    return fold_in_arrays(np.full(number, SEED), np.full(number, kind, np.int64))
