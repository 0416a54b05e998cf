"""Modified Kneser–Ney n-grams over numbers: of pointed letters in words, and of pointed words in lines.

.. math:: p(s | h) = \\frac{c(hs) - D(c(hs))}{c(h\\,\\cdot)} + \\gamma(h)\\, p(s | h') \\qquad
          \\gamma(h) = \\frac{D_1 n_1(h) + D_2 n_2(h) + D_{3+} n_{3+}(h)}{c(h\\,\\cdot)}

Below the highest order, c counts the different symbols seen before a sequence (its continuations) instead of its occurrences;
sequences that begin a line keep their plain counts. The discounts are Chen and Goodman's, per order. The lowest level mixes with any
distribution given, for words with that of a letter model, so no word has probability zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.vowels.kernels.hashing import SEED, build_table, fold_in_arrays

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Keys = NDArray[np.uint64]


@dataclass(frozen=True)
class NGrams:
    """A back-off model: the hash of a sequence -> log probability of its last symbol, and its weight as a history."""

    order: int
    keys: Keys
    logs: NDArray[np.float32]
    weights: NDArray[np.float32]
    table: tuple[Keys, NDArray[np.int32]]

    @classmethod
    def of(cls, order: int, keys: Keys, logs: NDArray[np.float32], weights: NDArray[np.float32]) -> NGrams:
        """Build the table around the columns."""
        size = 1 << max(4, int(np.ceil(np.log2(max(len(keys), 1) * 2))))
        return cls(order, keys, logs, weights, build_table(keys, size))

    def as_stored(self) -> NGrams:
        """The same model with its logs in the half precision that files keep, so that a loaded model computes with the same numbers."""
        logs, weights = (column.astype(np.float16).astype(np.float32) for column in (self.logs, self.weights))
        return NGrams(self.order, self.keys, logs, weights, self.table)

    @property
    def columns(self) -> tuple[Keys, NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]:
        """What the kernels take, in their order."""
        return *self.table, self.logs, self.weights


def fit_ngrams(
    symbols: Ints, offsets: Ints, order: int, edge: int, base: Floats, weights: Ints | None = None
) -> NGrams:
    """Count and smooth.

    Parameters
    ----------
    symbols, offsets
        Sequence ``i`` is ``symbols[offsets[i]:offsets[i+1]]``; each is closed by ``edge`` and opened by as many as needed.
    base
        Probability of every symbol, ``edge`` included, where nothing else is known.
    weights
        How often each sequence counts; by default once.
    """
    padded, predicted, copies = _pad(symbols, offsets, order, edge, weights)
    levels = _count_levels(padded, predicted, copies, order, edge)
    lower: tuple[Keys, Floats] | None = None
    keys, logs, contexts, gammas = [], [], [], []
    for level in levels:
        probability, context, gamma = _smooth(level, lower, base)
        keys.append(level.keys)
        logs.append(np.log(probability))
        contexts.append(context)
        gammas.append(np.log(gamma))
        order_of = np.argsort(level.keys)
        lower = (level.keys[order_of], probability[order_of])
    return _assemble(
        order, np.concatenate(keys), np.concatenate(logs), np.concatenate(contexts), np.concatenate(gammas)
    )


@dataclass(frozen=True)
class _Level:
    keys: Keys
    contexts: Keys
    suffixes: Keys
    last: Ints
    counts: Floats


def _pad(symbols: Ints, offsets: Ints, order: int, edge: int, weights: Ints | None) -> tuple[Ints, Ints, Floats]:
    """Lay all sequences out with their edges; return them, the places of predicted symbols, and their weights."""
    sizes = np.diff(offsets)
    pad = max(order - 1, 1)
    starts = offsets[:-1] + np.arange(len(sizes)) * (pad + 1) + pad
    padded = np.full(len(symbols) + len(sizes) * (pad + 1), edge, np.int64)
    sequence = np.repeat(np.arange(len(sizes)), sizes)
    padded[np.arange(len(symbols)) + (sequence + 1) * pad + sequence] = symbols
    predicted = np.ones(len(padded), bool)
    for i in range(pad):
        predicted[starts - 1 - i] = False
    where = np.flatnonzero(predicted)
    owner = np.repeat(np.arange(len(sizes)), sizes + 1)
    return padded, where, (np.ones(len(sizes)) if weights is None else weights.astype(np.float64))[owner]


def _count_levels(padded: Ints, predicted: Ints, copies: Floats, order: int, edge: int) -> list[_Level]:
    """Sequences of every length with their counts: plain at the top and at the start of lines, continuations below."""
    levels: list[_Level] = []
    above: Keys | None = None
    for size in range(order, 0, -1):
        full, context, suffix = (np.full(len(predicted), SEED) for _ in range(3))
        for back in range(size - 1, -1, -1):
            symbol = padded[predicted - back]
            full = fold_in_arrays(full, symbol)
            if back > 0:
                context = fold_in_arrays(context, symbol)
            if back < size - 1:
                suffix = fold_in_arrays(suffix, symbol)
        keys, at, inverse = np.unique(full, return_index=True, return_inverse=True)
        counts: Floats = np.bincount(inverse, weights=copies).astype(np.float64)
        if above is not None:
            pick = np.unique(above, return_index=True)[1]
            follow = np.bincount(inverse[pick], minlength=len(keys)).astype(np.float64)
            opening = (padded[predicted[at] - size + 1] == edge) & (size > 1)
            counts = np.where(opening, counts, follow)
        levels.append(_Level(keys, context[at], suffix[at], padded[predicted[at]], counts))
        above = full
    return levels[::-1]


def _smooth(level: _Level, lower: tuple[Keys, Floats] | None, base: Floats) -> tuple[Floats, Keys, Floats]:
    """Probability of every sequence of one length, and for every history its weight of backing off."""
    discount = _discounts(level.counts)[np.minimum(level.counts, 3).astype(np.int64)]
    contexts, of = np.unique(level.contexts, return_inverse=True)
    total = np.bincount(of, weights=level.counts)
    gamma = np.bincount(of, weights=discount) / total
    if lower is None:
        shorter = base[level.last]
    else:
        shorter = lower[1][np.searchsorted(lower[0], level.suffixes)]
    return (level.counts - discount) / total[of] + gamma[of] * shorter, contexts, gamma


def _discounts(counts: Floats) -> Floats:
    """Chen and Goodman's D1, D2, D3+; plain 0.5, 1, 1.5 shares where counts of counts do not allow them."""
    n = np.bincount(np.minimum(counts, 5).astype(np.int64), minlength=6).astype(np.float64)
    y = n[1] / (n[1] + 2 * n[2]) if n[1] + 2 * n[2] else 0.5
    discounts = [0.0]
    for c in (1, 2, 3):
        d = c - (c + 1) * y * n[c + 1] / n[c] if n[c] else 0.5 * c
        discounts.append(d if 0.05 * c <= d <= 0.95 * c else 0.5 * c)
    return np.array(discounts)


def _assemble(order: int, keys: Keys, logs: Floats, contexts: Keys, gammas: Floats) -> NGrams:
    """One row a sequence, whether it is predicted, a history, or both."""
    every = np.unique(np.concatenate((keys, contexts)))
    log, weight = np.full(len(every), -99.0, np.float32), np.zeros(len(every), np.float32)
    log[np.searchsorted(every, keys)] = logs
    weight[np.searchsorted(every, contexts)] = gammas
    return NGrams.of(order, every, log, weight)
