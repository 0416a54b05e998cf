"""Kernels of the bigram model: best paths and posteriors through lines of words, each of which has several pointed forms.

Words are numbers of bare forms; the pointed forms of bare form ``b`` are the states ``first[b] … first[b+1]-1``. Seen bigrams are grouped
by the pair of bare forms that they join, so that one look-up finds all transitions between two words. If the pair was never seen, every
state is reached from the same best state before it, which makes a step linear in the number of forms.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import inline, kernel
from caesura_vowels.kernels.ngrams import EMPTY_HASH, find, fold_in


class Bigrams(NamedTuple):
    """The states of every bare form, and a bigram model over them.

    The bigrams that join one pair of bare forms are ``ranges[p] … ranges[p+1]-1``, sorted by the state they lead to, where ``p`` is the
    pair's index in the table. ``log_alpha`` is the back-off weight of a history, ``log_unseen`` its log probability of a word never seen.
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
    """Return the key of two consecutive bare forms."""
    return fold_in(fold_in(np.uint64(EMPTY_HASH), before), now)


@inline
def _find_pair(grams: Any, before: Any, now: Any, before_low: Any, before_width: Any, low: Any, width: Any) -> Any:
    """Return the index of two consecutive bare forms, or -1; another pair with the same hash is not theirs."""
    pair = find(grams.keys, grams.places, _pair(before, now))
    if pair >= 0:
        at = grams.ranges[pair]
        source, target = grams.from_state[at] - before_low, grams.to_state[at] - low
        if not (0 <= source < before_width and 0 <= target < width):
            pair = -1
    return pair


@kernel(plain=False)
def katz_paths(words: NDArray[Any], offsets: NDArray[Any], grams: Bigrams, out: NDArray[Any]) -> None:
    """Write the best state of every word into ``out`` (Viterbi); a bare form numbered -1 was never seen and gets the state -1.

    Two more states follow those of the lexicon: the unseen word, and the start of a line.
    """
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
    current, previous = np.empty(widest), np.empty(widest)
    for line in range(len(offsets) - 1):
        cell = 0
        before, prev_low, prev_width = bare_forms + 1, unseen + 1, 1
        previous[0] = 0.0
        for i in range(offsets[line], offsets[line + 1]):
            now = words[i] if words[i] >= 0 else bare_forms
            low = first[now] if now < bare_forms else unseen
            width = first[now + 1] - low if now < bare_forms else 1
            best, best_at = -np.inf, 0  # the best source without a seen bigram, the same for all forms of this word
            if now == bare_forms:
                for j in range(prev_width):
                    score = previous[j] + log_unseen[prev_low + j]
                    if score > best:
                        best, best_at = score, j
                current[0] = best
                back[cell] = best_at
            else:
                for j in range(prev_width):
                    score = previous[j] + log_alpha[prev_low + j]
                    if score > best:
                        best, best_at = score, j
                for j in range(width):
                    current[j] = best + log_word[low + j]
                    back[cell + j] = best_at
                pair = _find_pair(grams, before, now, prev_low, prev_width, low, width)
                if pair >= 0:
                    at, end = ranges[pair], ranges[pair + 1]
                    while at < end:  # bigrams are sorted by target state: seen sources first, the others back off
                        state = to_state[at]
                        best, best_at = -np.inf, 0
                        for j in range(prev_width):
                            if at < end and to_state[at] == state and from_state[at] == prev_low + j:
                                score = previous[j] + log_seen[at]
                                at += 1
                            else:
                                score = previous[j] + log_alpha[prev_low + j] + log_word[state]
                            if score > best:
                                best, best_at = score, j
                        current[state - low] = best
                        back[cell + state - low] = best_at
            cell += width
            current, previous = previous, current
            before, prev_low, prev_width = now, low, width
        best, best_at = -np.inf, 0
        for j in range(prev_width):
            if previous[j] > best:
                best, best_at = previous[j], j
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
    """Write the posterior of every state of every word given its line into ``out[cells[i]:cells[i+1]]`` (forward–backward).

    ``own`` is a log weight per state: 0, or very low where the state is ruled out.
    """
    widest = 1
    for i in range(len(words)):
        widest = max(widest, cells[i + 1] - cells[i])
    transitions = np.empty((widest, widest))
    ahead = np.empty(widest)
    for line in range(len(offsets) - 1):
        start, stop = offsets[line], offsets[line + 1]
        for i in range(start, stop):  # forward: log of the sum over all paths to the state
            width = cells[i + 1] - cells[i]
            past = 1 if i == start else cells[i] - cells[i - 1]
            _fill_transitions(transitions, i, start, words, grams)
            for j in range(width):
                total = -np.inf
                for h in range(past):
                    total = np.logaddexp(total, (0.0 if i == start else out[cells[i - 1] + h]) + transitions[h, j])
                out[cells[i] + j] = total + own[cells[i] + j]
        for i in range(stop - 1, start - 1, -1):  # backward, combined with the forward sums in place
            width = cells[i + 1] - cells[i]
            total = -np.inf
            if i == stop - 1:
                for j in range(width):
                    ahead[j] = 0.0
            for j in range(width):
                total = np.logaddexp(total, out[cells[i] + j] + ahead[j])
            past = 1 if i == start else cells[i] - cells[i - 1]
            _fill_transitions(transitions, i, start, words, grams)
            for j in range(width):
                out[cells[i] + j] = np.exp(out[cells[i] + j] + ahead[j] - total)
            if i > start:
                behind = np.empty(past)
                for h in range(past):
                    behind[h] = -np.inf
                    for j in range(width):
                        behind[h] = np.logaddexp(behind[h], transitions[h, j] + own[cells[i] + j] + ahead[j])
                for h in range(past):
                    ahead[h] = behind[h]


@kernel(plain=False)
def katz_totals(words: NDArray[Any], offsets: NDArray[Any], grams: Bigrams, out: NDArray[Any]) -> None:
    """Write the log probability of the words of every line into ``out``: the sum over all paths (forward algorithm)."""
    first = grams.first
    widest = 1
    for i in range(len(words)):
        if words[i] >= 0:
            widest = max(widest, first[words[i] + 1] - first[words[i]])
    transitions = np.empty((widest, widest))
    current, previous = np.empty(widest), np.empty(widest)
    for line in range(len(offsets) - 1):
        past = 1
        previous[0] = 0.0
        for i in range(offsets[line], offsets[line + 1]):
            width = 1 if words[i] < 0 else first[words[i] + 1] - first[words[i]]
            _fill_transitions(transitions, i, offsets[line], words, grams)
            for j in range(width):
                total = -np.inf
                for h in range(past):
                    total = np.logaddexp(total, previous[h] + transitions[h, j])
                current[j] = total
            current, previous = previous, current
            past = width
        total = -np.inf
        for h in range(past):
            total = np.logaddexp(total, previous[h])
        out[line] = total


@kernel(plain=False)
def _fill_transitions(transitions: Any, i: Any, start: Any, words: Any, grams: Any) -> None:
    """Compute the log probabilities of all transitions into word ``i``."""
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
                transitions[h, j] = grams.log_unseen[before_low + h]
            else:
                transitions[h, j] = grams.log_alpha[before_low + h] + grams.log_word[low + j]
    if now < bare_forms:
        pair = _find_pair(grams, before, now, before_low, before_width, low, width)
        if pair >= 0:
            for at in range(grams.ranges[pair], grams.ranges[pair + 1]):
                transitions[grams.from_state[at] - before_low, grams.to_state[at] - low] = grams.log_seen[at]
