"""The bigram model of Gal 2002: Katz back-off with Good–Turing discounts, one discounting model for every history word.

.. math:: p(w_2 | w_1) = \\begin{cases} c^*(w_1 w_2) / c(w_1) & c(w_1 w_2) > 0 \\\\ \\alpha(w_1)\\, p(w_2) & \\text{else} \\end{cases}
          \\qquad c^* = (c + 1)\\, n_{c+1}(w_1) / n_c(w_1)

Good–Turing needs guards, and these are ours. Counts above 5 are trusted. Where a history has no bigram of count c + 1, or its
c* would not lie below c, the discount c*/c of all histories together is taken; where that fails as well, (c - 0.5)/c. A history
keeps at least 1/(c(w1) + 2) of its mass for what it has not been seen with. Of the mass left over, the share
r / (r + c(w1)) goes to words never seen at all, r being the tokens in bigrams seen fewer than k = 3 times; α spreads the rest, so
that probabilities sum to one for every history. Seen histories of an unseen word count each bigram seen fewer than k times once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.vowels.lexicon import Lexicon, Lines

_TRUSTED = 5

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Katz:
    """Log probabilities of the bigram model.

    Histories are the pointed words ``0 … V-1``, then UNSEEN (``V``) and the start of a line, # (``V + 1``). ``first`` and
    ``second`` list the bigrams that were seen, sorted by history; ``log_seen`` their log probabilities. For the others,
    ``log_alpha[history] + log_word[word]``; ``log_unseen[history]`` for a word never seen.
    """

    first: Ints
    second: Ints
    log_seen: Floats
    log_alpha: Floats
    log_unseen: Floats
    log_word: Floats

    def as_stored(self) -> Katz:
        """The same model with its logs in the single precision that files keep, so that a loaded model computes with the same numbers."""
        logs = (self.log_seen, self.log_alpha, self.log_unseen, self.log_word)
        return Katz(self.first, self.second, *(log.astype(np.float32).astype(np.float64) for log in logs))

    def log_probability(self, second: int, first: int) -> float:
        """Log of p(second | first); UNSEEN and # are numbered V and V + 1."""
        words = len(self.log_word)
        if second == words:
            return float(self.log_unseen[first])
        low, high = np.searchsorted(self.first, [first, first + 1])
        at = low + np.searchsorted(self.second[low:high], second)
        if at < high and self.second[at] == second:
            return float(self.log_seen[at])
        return float(self.log_alpha[first] + self.log_word[second])


def fit_katz(lexicon: Lexicon, lines: Lines, *, rare: int = 3) -> Katz:
    """Count, discount, and spread what is left over; ``rare`` is the paper's k."""
    words = len(lexicon)
    first, second, counts = _bigrams(lines, words, rare)
    totals = np.bincount(first, weights=counts, minlength=words + 2)
    kept = counts * _discounts(first, counts, words + 2)
    share = np.bincount(first, weights=kept, minlength=words + 2) / np.maximum(totals, 1)
    most = 1 - 1 / (totals + 2)
    squeeze = np.where(share > most, most / np.where(share > 0, share, 1), 1.0)
    kept *= squeeze[first]
    share = share * squeeze
    word = (lexicon.counts + (lexicon.counts == 0)) / (lexicon.counts + (lexicon.counts == 0)).sum()
    covered = np.bincount(first, weights=word[second], minlength=words + 2)
    small = np.bincount(first, weights=np.where(counts < rare, counts, 0), minlength=words + 2)
    overall = small.sum() / max(small.sum() + totals.sum(), 1)
    to_unseen = np.where(small > 0, small / np.maximum(small + totals, 1), overall / (totals + 2))
    room = 1 - covered
    to_unseen = np.where(room > 1e-12, to_unseen, 1.0)  # every word was seen here: only an unseen one can follow else
    left = 1 - share
    with np.errstate(divide="ignore"):
        return Katz(
            first=first,
            second=second,
            log_seen=np.log(kept / totals[first]),
            log_alpha=np.log(left * (1 - to_unseen) / np.where(room > 1e-12, room, 1.0)),
            log_unseen=np.log(left * to_unseen),
            log_word=np.log(word),
        )


def _bigrams(lines: Lines, words: int, rare: int) -> tuple[Ints, Ints, Floats]:
    """Every (history, word) with its count; the history of a line's first word is #; UNSEEN gathers the rare ones."""
    before = np.concatenate(([0], lines.states[:-1])) if len(lines.states) else lines.states
    starts = lines.offsets[:-1][np.diff(lines.offsets) > 0]
    before = before.copy()
    before[starts] = words + 1
    key, counts = np.unique(before * words + lines.states, return_counts=True)
    first, second = key // words, key % words
    seldom = np.unique(second[counts < rare], return_counts=True)
    first = np.concatenate((first, np.full(len(seldom[0]), words)))
    second = np.concatenate((second, seldom[0]))
    counts = np.concatenate((counts, seldom[1]))
    order = np.lexsort((second, first))
    return first[order], second[order], counts[order].astype(np.float64)


def _discounts(first: Ints, counts: Floats, histories: int) -> Floats:
    """Good–Turing's c*/c for every bigram, from its own history where that history's counts of counts allow it."""
    pooled = _pool(counts)
    low = counts <= _TRUSTED
    table = np.zeros((histories, _TRUSTED + 2))
    np.add.at(table, (first[counts <= _TRUSTED + 1], counts[counts <= _TRUSTED + 1].astype(np.int64)), 1.0)
    size = np.arange(1, _TRUSTED + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = (size + 1) * table[:, 2:] / table[:, 1:-1] / size
    own = np.where((own > 0) & (own < 1), own, pooled)
    discounts = np.ones(len(counts))
    discounts[low] = own[first[low], counts[low].astype(np.int64) - 1]
    return discounts


def _pool(counts: Floats) -> Floats:
    size = np.arange(1, _TRUSTED + 1)
    number = np.bincount(np.minimum(counts, _TRUSTED + 2).astype(np.int64), minlength=_TRUSTED + 3)[1 : _TRUSTED + 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (size + 1) * number[1:] / number[:-1] / size
    return np.where((ratio > 0) & (ratio < 1), ratio, (size - 0.5) / size)
