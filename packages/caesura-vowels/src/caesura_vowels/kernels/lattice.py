"""Kernels for best paths and posteriors through lines of candidate words, under word n-grams of order two or three.

Each word of a line has a few candidates. A candidate has a number in the n-gram model (-1: none; then ``spelled`` is its log probability by the
letter model), a score of its own, and a score for following each candidate of the word before:
``pairs[pair_offsets[i] + b * width + c]`` for candidate b of word i - 1 (only b = 0 if i opens its line) and candidate c of word i; the arrays are
empty if there are no such scores. The score of a path is the sum of these and of ``scale`` times the log probability of each word after the
one or two words before it, including the end of the line.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import inline, kernel
from caesura_vowels.kernels.ngrams import EMPTY_HASH, HISTORY_ONLY, find, fold_in
from caesura_vowels.kernels.taggers import NO_WORD


class WordGrams(NamedTuple):
    """The columns of a hashed n-gram model, its order, and the number that stands for the edges of a line."""

    keys: NDArray[Any]
    places: NDArray[Any]
    logs: NDArray[Any]
    weights: NDArray[Any]
    order: int
    edge: int


class CandidateColumns(NamedTuple):
    """Words of line ``n`` are ``lines[n] … lines[n+1]-1``, candidates of word ``i`` are ``cells[i] … cells[i+1]-1``; the module explains the rest."""

    lines: NDArray[Any]
    cells: NDArray[Any]
    states: NDArray[Any]
    spelled: NDArray[Any]
    own: NDArray[Any]
    pairs: NDArray[Any]
    pair_offsets: NDArray[Any]


@kernel(plain=False)
def best_paths(grams: WordGrams, given: CandidateColumns, scale: float, out: NDArray[Any]) -> None:
    """Write the best candidate of every word, counted from 0, into ``out`` (Viterbi over pairs of candidates)."""
    longest, widest = _max_sizes(given)
    rows, unigram_logs = _unigrams(grams, given)
    transitions = np.empty((widest, widest, widest))
    current, previous = np.empty((widest, widest)), np.empty((widest, widest))
    back = np.empty((longest + 1, widest, widest), np.int16)
    for line in range(len(given.lines) - 1):
        start, stop = given.lines[line], given.lines[line + 1]
        previous[0, 0] = 0.0
        # State: the candidates b of word i - 1 and c of word i. Word `stop` is the end of the line, with one candidate.
        for i in range(start, stop + 1):
            before, last, now = _fill_transitions(transitions, grams, given, rows, unigram_logs, start, stop, i)
            for b in range(last):
                for c in range(now):
                    best, best_at = -np.inf, 0
                    for a in range(before):
                        score = previous[a, b] + scale * transitions[a, b, c]
                        if score > best:
                            best, best_at = score, a
                    current[b, c] = best + _local_score(given, i, stop, b, c, now)
                    back[i - start, b, c] = best_at
            current, previous = previous, current
        if stop == start:
            continue
        best, b, c = -np.inf, 0, 0
        for x in range(given.cells[stop] - given.cells[stop - 1]):
            if previous[x, 0] > best:
                best, b = previous[x, 0], x
        for i in range(stop, start, -1):  # follow the back pointers
            out[i - 1] = b
            b, c = back[i - start, b, c], b


@kernel(plain=False)
def path_posteriors(grams: WordGrams, given: CandidateColumns, scale: float, out: NDArray[Any]) -> None:
    """Write the posterior of every candidate given its line into ``out`` (forward–backward over pairs of candidates)."""
    longest, widest = _max_sizes(given)
    rows, unigram_logs = _unigrams(grams, given)
    transitions = np.empty((widest, widest, widest))
    forward = np.empty((longest + 2, widest, widest))
    backward, next_backward = np.empty((widest, widest)), np.empty((widest, widest))
    for line in range(len(given.lines) - 1):
        start, stop = given.lines[line], given.lines[line + 1]
        if stop == start:
            continue
        forward[0, 0, 0] = 0.0
        for i in range(start, stop + 1):
            before, last, now = _fill_transitions(transitions, grams, given, rows, unigram_logs, start, stop, i)
            for b in range(last):
                for c in range(now):
                    total = -np.inf
                    for a in range(before):
                        total = np.logaddexp(total, forward[i - start, a, b] + scale * transitions[a, b, c])
                    forward[i - start + 1, b, c] = total + _local_score(given, i, stop, b, c, now)
        whole = -np.inf
        for b in range(given.cells[stop] - given.cells[stop - 1]):
            whole = np.logaddexp(whole, forward[stop - start + 1, b, 0])
            backward[b, 0] = 0.0
        for i in range(
            stop, start, -1
        ):  # backward[b, c]: sum over all continuations of the pair (word i - 1 = b, word i = c)
            before, last, now = _fill_transitions(transitions, grams, given, rows, unigram_logs, start, stop, i)
            for b in range(last):
                through = -np.inf
                for a in range(before):
                    total = -np.inf
                    for c in range(now):
                        step = scale * transitions[a, b, c] + _local_score(given, i, stop, b, c, now)
                        total = np.logaddexp(total, step + backward[b, c])
                    next_backward[a, b] = total
                    through = np.logaddexp(through, forward[i - start, a, b] + total)
                out[given.cells[i - 1] + b] = np.exp(through - whole)
            backward, next_backward = next_backward, backward


@kernel(plain=False)
def _max_sizes(given: Any) -> Any:
    """Return the number of words of the longest line and the largest number of candidates of a word."""
    longest, widest = 0, 1
    for line in range(len(given.lines) - 1):
        longest = max(longest, given.lines[line + 1] - given.lines[line])
    for i in range(len(given.cells) - 1):
        widest = max(widest, given.cells[i + 1] - given.cells[i])
    return longest, widest


@kernel(plain=False)
def _unigrams(grams: Any, given: Any) -> Any:
    """Return every candidate's unigram row in the n-gram model (-1: none) and its log probability; the last entry is the edge of a line."""
    keys, places, logs, weights = grams.keys, grams.places, grams.logs, grams.weights
    states, spelled = given.states, given.spelled
    number = len(states)
    rows, unigram_logs = np.empty(number + 1, np.int64), np.empty(number + 1)
    empty = find(keys, places, np.uint64(EMPTY_HASH))
    left_over = np.float64(weights[empty]) if empty >= 0 else 0.0
    for cell in range(number + 1):
        state = states[cell] if cell < number else grams.edge
        rows[cell] = -1
        if state >= 0:
            rows[cell] = find(keys, places, _hash_state(state))
        if rows[cell] >= 0 and logs[rows[cell]] > HISTORY_ONLY:
            unigram_logs[cell] = logs[rows[cell]]
        else:
            unigram_logs[cell] = left_over + (spelled[cell] if cell < number else 0.0)
    return rows, unigram_logs


@inline
def _hash_state(state: Any) -> Any:
    return fold_in(np.uint64(EMPTY_HASH), state)


@inline
def _candidate_range(cells: Any, number: Any, start: Any, stop: Any, i: Any) -> Any:
    """Return the first candidate of word i of a line and their number; outside the line there is one, the edge, stored after all candidates."""
    low, width = number, 1
    if start <= i < stop:
        low, width = cells[i], cells[i + 1] - cells[i]
    return low, width


@kernel(plain=False)
def _fill_transitions(
    transitions: Any, grams: Any, given: Any, rows: Any, unigram_logs: Any, start: Any, stop: Any, i: Any
) -> Any:
    """Compute the log probability of each candidate c of word i after b of word i - 1 and a of word i - 2; return their numbers."""
    keys, places, logs, weights, edge = grams.keys, grams.places, grams.logs, grams.weights, grams.edge
    states = given.states
    number = len(states)
    a_low, a_width = _candidate_range(given.cells, number, start, stop, i - 2)
    b_low, b_width = _candidate_range(given.cells, number, start, stop, i - 1)
    c_low, c_width = _candidate_range(given.cells, number, start, stop, i)
    for b in range(b_width):
        b_state = states[b_low + b] if b_low < number else edge
        known = rows[b_low + b]
        for c in range(c_width):
            c_state = states[c_low + c] if c_low < number else edge
            double = unigram_logs[c_low + c]
            if known >= 0:
                at = -1
                if c_state >= 0:
                    at = find(keys, places, fold_in(_hash_state(b_state), c_state))
                if at >= 0 and logs[at] > HISTORY_ONLY:
                    double = np.float64(logs[at])
                else:
                    double += weights[known]
            for a in range(a_width):  # the bigram, unless a trigram below replaces it or backs off to it
                transitions[a, b, c] = double
        if grams.order < 3 or known < 0:
            continue
        for a in range(a_width):
            a_state = states[a_low + a] if a_low < number else edge
            if a_state < 0:
                continue
            history = fold_in(_hash_state(a_state), b_state)
            seen = find(keys, places, history)
            if seen < 0:
                continue
            for c in range(c_width):
                c_state = states[c_low + c] if c_low < number else edge
                at = -1
                if c_state >= 0:
                    at = find(keys, places, fold_in(history, c_state))
                if at >= 0 and logs[at] > HISTORY_ONLY:
                    transitions[a, b, c] = logs[at]
                else:
                    transitions[a, b, c] += weights[seen]
    return a_width, b_width, c_width


@inline
def _local_score(given: Any, i: Any, stop: Any, b: Any, c: Any, width: Any) -> Any:
    """Return the score of candidate c of word i: its own, and for following candidate b."""
    value = 0.0
    if i < stop:
        value = given.own[given.cells[i] + c]
        if len(given.pairs) > 0:
            value += given.pairs[given.pair_offsets[i] + b * width + c]
    return value


@kernel(plain=False)
def word_endings(
    letters: NDArray[Any],
    words: NDArray[Any],
    opens: NDArray[Any],
    first_choice: NDArray[Any],
    marks_of: NDArray[Any],
    rows: NDArray[Any],
    offsets: NDArray[Any],
    endings: NDArray[Any],
    ending_offsets: NDArray[Any],
    which: NDArray[Any],
) -> None:
    """List, for every word, the distinct endings of the candidates of the word before it.

    An ending is a row of ``endings``: the marks of the last letter and of the one before. ``which`` is, for every candidate, the index of
    its ending in the list of the next word. A tagger sees only these marks of the word before, so it scores a word once per ending.
    """
    number = 0
    ending_offsets[0] = 0
    for w in range(len(words) - 1):
        start = number
        if opens[w]:
            endings[number, 0], endings[number, 1] = NO_WORD, NO_WORD
            number += 1
        else:
            low, high = words[w - 1], words[w]
            for g in range(offsets[w - 1], offsets[w]):
                last, other = NO_WORD, NO_WORD
                choice = rows[g, high - low - 1]
                if choice >= 0:
                    last = marks_of[first_choice[letters[high - 1]] + choice]
                if high - low > 1:
                    choice = rows[g, high - low - 2]
                    if choice >= 0:
                        other = marks_of[first_choice[letters[high - 2]] + choice]
                at = start
                while at < number and (endings[at, 0] != last or endings[at, 1] != other):
                    at += 1
                if at == number:
                    endings[number, 0], endings[number, 1] = last, other
                    number += 1
                which[g] = at - start
        ending_offsets[w + 1] = number


@kernel(plain=False)
def pair_scores(
    opens: NDArray[Any],
    offsets: NDArray[Any],
    forward: NDArray[Any],
    forward_offsets: NDArray[Any],
    forward_ways: NDArray[Any],
    forward_which: NDArray[Any],
    backward: NDArray[Any],
    backward_offsets: NDArray[Any],
    backward_ways: NDArray[Any],
    backward_which: NDArray[Any],
    reversed_offsets: NDArray[Any],
    weight_forward: float,
    weight_backward: float,
    pair_offsets: NDArray[Any],
    pairs: NDArray[Any],
    own: NDArray[Any],
) -> None:
    """Score every candidate after every candidate of the word before.

    The forward tagger scores a word given the word before, the backward tagger the word before given this one; the backward arrays have
    the words in reverse. The backward score of the last word of a line is added to ``own``.
    """
    number = len(offsets) - 1
    for w in range(number):
        width = offsets[w + 1] - offsets[w]
        ways = forward_ways[w + 1] - forward_ways[w]
        back = number - 1 - w
        back_ways = backward_ways[back + 1] - backward_ways[back]
        if w + 1 == number or opens[w + 1]:
            for c in range(width):
                own[offsets[w] + c] += weight_backward * backward[backward_offsets[back] + c * back_ways]
        if opens[w]:
            for c in range(width):
                pairs[pair_offsets[w] + c] = weight_forward * forward[forward_offsets[w] + c * ways]
            continue
        before = offsets[w] - offsets[w - 1]
        previous = back + 1  # the word before, in the reversed text
        previous_ways = backward_ways[previous + 1] - backward_ways[previous]
        for b in range(before):
            ending = forward_which[offsets[w - 1] + b]
            for c in range(width):
                opening = backward_which[reversed_offsets[back] + c]
                pairs[pair_offsets[w] + b * width + c] = (
                    weight_forward * forward[forward_offsets[w] + c * ways + ending]
                    + weight_backward * backward[backward_offsets[previous] + b * previous_ways + opening]
                )


@kernel(plain=False)
def prune(offsets: NDArray[Any], scores: NDArray[Any], margin: float, most: int, keep: NDArray[Any]) -> None:
    """Keep the candidates of every word within ``margin`` of the best, and at most ``most``."""
    for w in range(len(offsets) - 1):
        low, high = offsets[w], offsets[w + 1]
        best = scores[low:high].max()
        ranked = np.argsort(-scores[low:high])
        for r in range(high - low):
            g = low + ranked[r]
            keep[g] = r < most and scores[g] >= best - margin
