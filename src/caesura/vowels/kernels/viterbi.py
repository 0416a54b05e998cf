"""Best paths through lines of words, each of which may be one of several pointed words.

Words come as numbers of bare forms; the pointed forms of bare form ``b`` are the states ``first[b] … first[b+1]-1``. Bigrams that
were seen are grouped by the pair of bare forms they join, so one look into a table settles all transitions between two words:
where the pair was never seen, every state is reached from the one best state before it, and nothing is multiplied out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import inline, kernel
from caesura.vowels.kernels.hashing import find, fold_in


class Bigrams(NamedTuple):
    """The states of every bare form, and a bigram model over them.

    The bigrams that join one pair of bare forms are ``ranges[p] … ranges[p+1]-1``, sorted by the state they lead to, where ``p`` is the
    pair's place in the table. ``log_alpha`` weighs a history for words that it was not seen with, ``log_unseen`` for words never seen.
    """

    first: NDArray[Any]
    keys: NDArray[Any]
    places: NDArray[Any]
    ranges: NDArray[Any]
    from_state: NDArray[Any]
    to_state: NDArray[Any]
    log_seen: NDArray[Any]
    log_alpha: NDArray[Any]
    log_unseen: NDArray[Any]
    log_word: NDArray[Any]


@inline
def _pair(before: Any, now: Any) -> Any:
    """Key of two bare forms that follow each other."""
    return fold_in(fold_in(np.uint64(0x243F6A8885A308D3), before), now)


@kernel(plain=False)
def katz_paths(words: NDArray[Any], offsets: NDArray[Any], grams: Bigrams, out: NDArray[Any]) -> None:
    """Write the best state of every word into ``out``; a bare form numbered -1 was never seen and gets the state -1."""
    first, ranges, from_state, to_state = grams.first, grams.ranges, grams.from_state, grams.to_state
    log_seen, log_alpha, log_unseen, log_word = grams.log_seen, grams.log_alpha, grams.log_unseen, grams.log_word
    bare_forms = len(first) - 1
    unseen = first[bare_forms]
    widest = 1
    cells = 0
    for i in range(len(words)):
        width = 1 if words[i] < 0 else first[words[i] + 1] - first[words[i]]
        cells += width
        widest = max(widest, width)
    back = np.empty(cells, np.int32)
    here, there = np.empty(widest), np.empty(widest)
    for line in range(len(offsets) - 1):
        cell = 0
        before, before_low, before_width = bare_forms + 1, unseen + 1, 1
        there[0] = 0.0
        for i in range(offsets[line], offsets[line + 1]):
            now = words[i] if words[i] >= 0 else bare_forms
            low = first[now] if now < bare_forms else unseen
            width = first[now + 1] - low if now < bare_forms else 1
            best, best_at = -np.inf, 0
            if now == bare_forms:
                for j in range(before_width):
                    score = there[j] + log_unseen[before_low + j]
                    if score > best:
                        best, best_at = score, j
                here[0] = best
                back[cell] = best_at
            else:
                for j in range(before_width):
                    score = there[j] + log_alpha[before_low + j]
                    if score > best:
                        best, best_at = score, j
                for j in range(width):
                    here[j] = best + log_word[low + j]
                    back[cell + j] = best_at
                pair = find(grams.keys, grams.places, _pair(before, now))
                if pair >= 0:
                    at, end = ranges[pair], ranges[pair + 1]
                    while at < end:  # all seen ways into one state, then the ways around them
                        state = to_state[at]
                        best, best_at = -np.inf, 0
                        for j in range(before_width):
                            if at < end and to_state[at] == state and from_state[at] == before_low + j:
                                score = there[j] + log_seen[at]
                                at += 1
                            else:
                                score = there[j] + log_alpha[before_low + j] + log_word[state]
                            if score > best:
                                best, best_at = score, j
                        here[state - low] = best
                        back[cell + state - low] = best_at
            cell += width
            here, there = there, here
            before, before_low, before_width = now, low, width
        best, best_at = -np.inf, 0
        for j in range(before_width):
            if there[j] > best:
                best, best_at = there[j], j
        for i in range(offsets[line + 1] - 1, offsets[line] - 1, -1):
            width = 1 if words[i] < 0 else first[words[i] + 1] - first[words[i]]
            cell -= width
            out[i] = -1 if words[i] < 0 else first[words[i]] + best_at
            best_at = back[cell + best_at]


@kernel(plain=False)
def katz_posteriors(
    words: NDArray[Any],
    offsets: NDArray[Any],
    grams: Bigrams,
    cells: NDArray[Any],
    own: NDArray[Any],
    out: NDArray[Any],
) -> None:
    """Write the probability of every state of every word, given its whole line, into ``out[cells[i]:cells[i+1]]``.

    ``own`` adds a log weight of its own to every state: 0, or very little where the state is ruled out.
    """
    widest = 1
    for i in range(len(words)):
        widest = max(widest, cells[i + 1] - cells[i])
    moves = np.empty((widest, widest))
    ahead = np.empty(widest)
    for line in range(len(offsets) - 1):
        start, stop = offsets[line], offsets[line + 1]
        for i in range(start, stop):  # forward: log of the sum over all paths up to here
            width = cells[i + 1] - cells[i]
            past = 1 if i == start else cells[i] - cells[i - 1]
            _fill_moves(moves, i, start, words, grams)
            for j in range(width):
                total = -np.inf
                for h in range(past):
                    total = np.logaddexp(total, (0.0 if i == start else out[cells[i - 1] + h]) + moves[h, j])
                out[cells[i] + j] = total + own[cells[i] + j]
        for i in range(stop - 1, start - 1, -1):  # backward, and both together
            width = cells[i + 1] - cells[i]
            total = -np.inf
            if i == stop - 1:
                for j in range(width):
                    ahead[j] = 0.0
            for j in range(width):
                total = np.logaddexp(total, out[cells[i] + j] + ahead[j])
            past = 1 if i == start else cells[i] - cells[i - 1]
            _fill_moves(moves, i, start, words, grams)
            for j in range(width):
                out[cells[i] + j] = np.exp(out[cells[i] + j] + ahead[j] - total)
            if i > start:
                behind = np.empty(past)
                for h in range(past):
                    behind[h] = -np.inf
                    for j in range(width):
                        behind[h] = np.logaddexp(behind[h], moves[h, j] + own[cells[i] + j] + ahead[j])
                for h in range(past):
                    ahead[h] = behind[h]


@kernel(plain=False)
def _fill_moves(moves: Any, i: Any, start: Any, words: Any, grams: Any) -> None:
    """Log probabilities of all transitions into word ``i``."""
    first = grams.first
    bare_forms = len(first) - 1
    unseen = first[bare_forms]
    now = words[i] if words[i] >= 0 else bare_forms
    low = first[now] if now < bare_forms else unseen
    width = first[now + 1] - low if now < bare_forms else 1
    before = bare_forms + 1
    if i > start:
        before = words[i - 1] if words[i - 1] >= 0 else bare_forms
    before_low = first[before] if before < bare_forms else unseen + (before - bare_forms)
    before_width = first[before + 1] - before_low if before < bare_forms else 1
    for h in range(before_width):
        for j in range(width):
            if now == bare_forms:
                moves[h, j] = grams.log_unseen[before_low + h]
            else:
                moves[h, j] = grams.log_alpha[before_low + h] + grams.log_word[low + j]
    if now < bare_forms:
        pair = find(grams.keys, grams.places, _pair(before, now))
        if pair >= 0:
            for at in range(grams.ranges[pair], grams.ranges[pair + 1]):
                moves[grams.from_state[at] - before_low, grams.to_state[at] - low] = grams.log_seen[at]
