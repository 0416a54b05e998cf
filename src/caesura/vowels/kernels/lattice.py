"""Best paths and probabilities through lines of candidate words, under word n-grams of order two or three.

A line is a row of words, each with a few candidates: its number in the n-gram model (-1: not in it, then ``spelled`` is what the letter
model says), a score of its own, and a score for following each candidate of the word before: ``pairs[pair_offsets[i] + b * width + c]``
for candidates b of word i - 1 (one, if i opens its line) and c of word i; empty arrays where there are no such scores. A path's score is
the sum of these and of ``scale`` times the log probability of each word after the one or two before it, the end included.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import inline, kernel
from caesura.vowels.kernels.hashing import find, fold_in

_EMPTY = 0x243F6A8885A308D3
_NEVER = -90.0  # a log probability below this marks a sequence that is a history and no more


class WordGrams(NamedTuple):
    """The columns of a hashed n-gram model, its order, and the number that stands for the edges of a line."""

    keys: NDArray[Any]
    places: NDArray[Any]
    logs: NDArray[Any]
    weights: NDArray[Any]
    order: int
    edge: int


class Candidates(NamedTuple):
    """Words of line ``n``: ``lines[n] … lines[n+1]-1``; candidates of word ``i``: ``cells[i] … cells[i+1]-1``, and what is known of them."""

    lines: NDArray[Any]
    cells: NDArray[Any]
    states: NDArray[Any]
    spelled: NDArray[Any]
    own: NDArray[Any]
    pairs: NDArray[Any]
    pair_offsets: NDArray[Any]


@kernel(plain=False)
def best_paths(grams: WordGrams, given: Candidates, scale: float, out: NDArray[Any]) -> None:
    """Write the best candidate of every word, counted from 0, into ``out``."""
    longest, widest = _extent(given)
    rows, alone = _singles(grams, given)
    moves = np.empty((widest, widest, widest))
    here, there = np.empty((widest, widest)), np.empty((widest, widest))
    back = np.empty((longest + 1, widest, widest), np.int16)
    for line in range(len(given.lines) - 1):
        start, stop = given.lines[line], given.lines[line + 1]
        there[0, 0] = 0.0
        for i in range(start, stop + 1):
            before, last, now = _fill_moves(moves, grams, given, rows, alone, start, stop, i)
            for b in range(last):
                for c in range(now):
                    best, best_at = -np.inf, 0
                    for a in range(before):
                        score = there[a, b] + scale * moves[a, b, c]
                        if score > best:
                            best, best_at = score, a
                    here[b, c] = best + _of(given, i, stop, b, c, now)
                    back[i - start, b, c] = best_at
            here, there = there, here
        if stop == start:
            continue
        best, b, c = -np.inf, 0, 0
        for x in range(given.cells[stop] - given.cells[stop - 1]):
            if there[x, 0] > best:
                best, b = there[x, 0], x
        for i in range(stop, start, -1):
            out[i - 1] = b
            b, c = back[i - start, b, c], b


@kernel(plain=False)
def path_posteriors(grams: WordGrams, given: Candidates, scale: float, out: NDArray[Any]) -> None:
    """Write the probability of every candidate, given its whole line, into ``out``: the sum over all paths through it."""
    longest, widest = _extent(given)
    rows, alone = _singles(grams, given)
    moves = np.empty((widest, widest, widest))
    forward = np.empty((longest + 2, widest, widest))
    ahead, behind = np.empty((widest, widest)), np.empty((widest, widest))
    for line in range(len(given.lines) - 1):
        start, stop = given.lines[line], given.lines[line + 1]
        if stop == start:
            continue
        forward[0, 0, 0] = 0.0
        for i in range(start, stop + 1):
            before, last, now = _fill_moves(moves, grams, given, rows, alone, start, stop, i)
            for b in range(last):
                for c in range(now):
                    total = -np.inf
                    for a in range(before):
                        total = np.logaddexp(total, forward[i - start, a, b] + scale * moves[a, b, c])
                    forward[i - start + 1, b, c] = total + _of(given, i, stop, b, c, now)
        whole = -np.inf
        for b in range(given.cells[stop] - given.cells[stop - 1]):
            whole = np.logaddexp(whole, forward[stop - start + 1, b, 0])
            ahead[b, 0] = 0.0
        for i in range(stop, start, -1):  # ahead[b, c]: all ways on from the pair (word i - 1 = b, word i = c)
            before, last, now = _fill_moves(moves, grams, given, rows, alone, start, stop, i)
            for b in range(last):
                through = -np.inf
                for a in range(before):
                    total = -np.inf
                    for c in range(now):
                        step = scale * moves[a, b, c] + _of(given, i, stop, b, c, now)
                        total = np.logaddexp(total, step + ahead[b, c])
                    behind[a, b] = total
                    through = np.logaddexp(through, forward[i - start, a, b] + total)
                out[given.cells[i - 1] + b] = np.exp(through - whole)
            ahead, behind = behind, ahead


@kernel(plain=False)
def _extent(given: Any) -> Any:
    """Words of the longest line, and candidates of the word that has most."""
    longest, widest = 0, 1
    for line in range(len(given.lines) - 1):
        longest = max(longest, given.lines[line + 1] - given.lines[line])
    for i in range(len(given.cells) - 1):
        widest = max(widest, given.cells[i + 1] - given.cells[i])
    return longest, widest


@kernel(plain=False)
def _singles(grams: Any, given: Any) -> Any:
    """Row of every candidate by itself in the n-gram model (-1: none) and its log probability; the last are those of the edge."""
    keys, places, logs, weights = grams.keys, grams.places, grams.logs, grams.weights
    states, spelled = given.states, given.spelled
    number = len(states)
    rows, alone = np.empty(number + 1, np.int64), np.empty(number + 1)
    empty = find(keys, places, np.uint64(_EMPTY))
    left_over = np.float64(weights[empty]) if empty >= 0 else 0.0
    for cell in range(number + 1):
        state = states[cell] if cell < number else grams.edge
        rows[cell] = -1
        if state >= 0:
            rows[cell] = find(keys, places, _hash_state(state))
        if rows[cell] >= 0 and logs[rows[cell]] > _NEVER:
            alone[cell] = logs[rows[cell]]
        else:
            alone[cell] = left_over + (spelled[cell] if cell < number else 0.0)
    return rows, alone


@inline
def _hash_state(state: Any) -> Any:
    return fold_in(np.uint64(_EMPTY), state)


@inline
def _place(cells: Any, number: Any, start: Any, stop: Any, i: Any) -> Any:
    """First candidate of word i of a line and how many it has; outside the line stands one, the edge, behind the last candidate."""
    low, width = number, 1
    if start <= i < stop:
        low, width = cells[i], cells[i + 1] - cells[i]
    return low, width


@kernel(plain=False)
def _fill_moves(moves: Any, grams: Any, given: Any, rows: Any, alone: Any, start: Any, stop: Any, i: Any) -> Any:
    """Log probability of each candidate c of word i after each b after each a; returns how many there are of a, b and c."""
    keys, places, logs, weights, edge = grams.keys, grams.places, grams.logs, grams.weights, grams.edge
    states = given.states
    number = len(states)
    a_low, a_width = _place(given.cells, number, start, stop, i - 2)
    b_low, b_width = _place(given.cells, number, start, stop, i - 1)
    c_low, c_width = _place(given.cells, number, start, stop, i)
    for b in range(b_width):
        b_state = states[b_low + b] if b_low < number else edge
        known = rows[b_low + b]
        for c in range(c_width):
            c_state = states[c_low + c] if c_low < number else edge
            double = alone[c_low + c]
            if known >= 0:
                at = -1
                if c_state >= 0:
                    at = find(keys, places, fold_in(_hash_state(b_state), c_state))
                if at >= 0 and logs[at] > _NEVER:
                    double = np.float64(logs[at])
                else:
                    double += weights[known]
            for a in range(a_width):
                moves[a, b, c] = double
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
                if at >= 0 and logs[at] > _NEVER:
                    moves[a, b, c] = logs[at]
                else:
                    moves[a, b, c] += weights[seen]
    return a_width, b_width, c_width


@inline
def _of(given: Any, i: Any, stop: Any, b: Any, c: Any, width: Any) -> Any:
    """What candidate c of word i scores by itself and after candidate b."""
    value = 0.0
    if i < stop:
        value = given.own[given.cells[i] + c]
        if len(given.pairs) > 0:
            value += given.pairs[given.pair_offsets[i] + b * width + c]
    return value
