"""Letter n-grams of the forms of a lexicon, small enough to ship: which endings, patterns and whole forms a language has.

Probabilities are those of Witten and Bell (1991), over pointed letters ``s`` after a history ``h``, with the number of different letters t(h) seen after it:

.. math:: p(s | h) = \\frac{c(hs) + t(h)\\, p(s | h')}{c(h\\,\\cdot) + t(h)}

Sequences of three letters and more that are rare are left out, logarithms are rounded to eighths, and sequences are stored as hashes of 32 bits. Look-ups
need NumPy alone, so that restoring a line compiles nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura_vowels.kernels.ngrams import SEED, fold_in_arrays
from caesura_vowels.models import Arrays, Floats, Ints
from caesura_vowels.storage import StoredArrays

Hashes = NDArray[np.uint32]
Steps = NDArray[np.uint8]

_STEP = 8  # steps of a stored logarithm per unit
_ALWAYS_KEPT = 2  # sequences of so many letters are kept however rare they are
_MAX_ORDER = 8


@dataclass(frozen=True)
class LetterNGrams:
    """Log probabilities of sequences, and back-off weights of histories, by their sorted hashes; ``edge`` is the number of the edge of a word."""

    order: int
    edge: int
    keys: Hashes
    logs: Steps
    histories: Hashes
    weights: Steps

    @classmethod
    def fit(cls, symbols: Ints, offsets: Ints, edge: int, *, order: int = 5, least: int = 3) -> LetterNGrams:
        """Count the sequences of words, each once.

        Parameters
        ----------
        symbols, offsets : array of int
            Word ``i`` is ``symbols[offsets[i]:offsets[i+1]]``.
        edge : int
            The symbol for the edges of a word, above all others.
        order : int, default 5
            The length of the longest sequences.
        least : int, default 3
            How often a sequence of three letters or more occurs at least.
        """
        padded, at = _pad(symbols, offsets, edge, order)
        lower = np.full(len(at), 1 / (edge + 2))
        keys, logs, histories, weights = [], [], [], []
        for size in range(1, order + 1):
            history = _hash(padded, at - 1, size - 1)
            full = fold_in_arrays(history, padded[at])
            key, first, of_key, count = np.unique(full, return_index=True, return_inverse=True, return_counts=True)
            before, of_before, total = np.unique(history, return_inverse=True, return_counts=True)
            types = np.bincount(of_before[first], minlength=len(before))
            own = of_before[first]
            share = (count + types[own] * lower[first]) / (total + types)[own]
            kept = (count >= least) | (size <= _ALWAYS_KEPT)
            keys.append(_short(key[kept]))
            logs.append(-np.log(share[kept]))
            used = np.unique(own[kept])
            histories.append(_short(before[used]))
            weights.append(-np.log((types / (total + types))[used]))
            lower = share[of_key]
        return cls(order, edge, *_sort_hashes(keys, logs), *_sort_hashes(histories, weights))

    def score(self, symbols: Ints, offsets: Ints) -> Floats:
        """Return the log probability of every word, its end included."""
        padded, at = _pad(symbols, offsets, self.edge, self.order)
        found = np.full(len(at), -np.log(self.edge + 2))
        for size in range(1, self.order + 1):
            history = _hash(padded, at - 1, size - 1)
            row = _find(self.keys, _short(fold_in_arrays(history, padded[at])))
            context = _find(self.histories, _short(history))
            backed_off = found - np.where(context >= 0, self.weights[context], 0) / _STEP
            found = np.where(row >= 0, -self.logs[row].astype(float) / _STEP, backed_off)
        ends = np.cumsum(np.diff(offsets) + 1)
        sums = np.concatenate(([0.0], np.cumsum(found)))[np.concatenate(([0], ends))]
        return np.diff(sums)

    def arrays(self) -> Arrays:
        """Return the arrays to store in a file."""
        return {
            "letter_ngrams_order": np.array([self.order]),
            "letter_ngrams_edge": np.array([self.edge]),
            "letter_ngrams_keys": self.keys,
            "letter_ngrams_logs": self.logs,
            "letter_ngrams_histories": self.histories,
            "letter_ngrams_weights": self.weights,
        }

    @classmethod
    def from_arrays(cls, arrays: StoredArrays) -> LetterNGrams:
        """Rebuild the n-grams from :meth:`arrays`."""
        columns = []
        for keys, values in (("keys", "logs"), ("histories", "weights")):
            hashes = arrays.exact(f"letter_ngrams_{keys}", np.uint32, None).copy()
            if not len(hashes) or (np.diff(hashes.astype(np.int64)) <= 0).any():
                raise ValueError(f"letter_ngrams_{keys} is empty or not sorted")
            columns += [hashes, arrays.exact(f"letter_ngrams_{values}", np.uint8, len(hashes)).copy()]
        order = arrays.integer("letter_ngrams_order", 1, _MAX_ORDER)
        return cls(order, arrays.integer("letter_ngrams_edge", 0, 1 << 20), *columns)


def _pad(symbols: Ints, offsets: Ints, edge: int, order: int) -> tuple[Ints, Ints]:
    """Return all words with edges between them, and the positions of letters and ends of words."""
    sizes = np.diff(offsets)
    pad = max(order - 1, 1)
    padded = np.full(len(symbols) + pad * (len(sizes) + 1), edge, np.int64)
    word = np.repeat(np.arange(len(sizes)), sizes)
    padded[np.arange(len(symbols)) + pad * (word + 1)] = symbols
    starts = offsets[:-1] + pad * np.arange(1, len(sizes) + 1)
    number = np.repeat(np.arange(len(sizes)), sizes + 1)
    within = np.arange(len(number)) - np.repeat(np.cumsum(sizes + 1) - (sizes + 1), sizes + 1)
    return padded, starts[number] + within


def _hash(padded: Ints, last: Ints, size: int) -> NDArray[np.uint64]:
    """Return the hash of the ``size`` symbols up to each position; the seed differs by size."""
    hashed = np.full(len(last), SEED + np.uint64(size))
    for back in range(size - 1, -1, -1):
        hashed = fold_in_arrays(hashed, padded[last - back])
    return hashed


def _short(hashes: NDArray[np.uint64]) -> Hashes:
    return (hashes >> np.uint64(32)).astype(np.uint32)


def _sort_hashes(keys: list[Hashes], values: list[Floats]) -> tuple[Hashes, Steps]:
    """Return all hashes, each once, and their logarithms in steps."""
    every, first = np.unique(np.concatenate(keys), return_index=True)
    steps = np.round(np.concatenate(values)[first] * _STEP)
    return every, np.minimum(steps, 255).astype(np.uint8)


def _find(keys: Hashes, wanted: Hashes) -> Ints:
    """Return the places of hashes among sorted ones, -1 for those that are missing."""
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, at, -1)
