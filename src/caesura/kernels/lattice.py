"""Best paths and probabilities through lines of candidate words, under word n-grams of order two or three.

A line is a row of words, each with a few candidates: its number in the n-gram model (-1: not in it, then ``spelled`` is what the letter
model says), a score of its own, and a score for following each candidate of the word before: ``pairs[pair_offsets[i] + b * width + c]``
for candidates b of word i - 1 (one, if i opens its line) and c of word i; empty arrays where there are no such scores. A path's score is
the sum of these and of ``scale`` times the log probability of each word after the one or two before it, the end included.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.hashing import find, fold_in
from caesura.kernels.jit import inline, kernel

__all__ = ["best_paths", "path_posteriors"]

_EMPTY = 0x243F6A8885A308D3


@inline
def _hashed(one: Any) -> Any:
    return fold_in(np.uint64(_EMPTY), one)


@kernel
def _fill_moves(
    moves: Any, keys: Any, places: Any, logs: Any, weights: Any, order: Any, edge: Any, states: Any, spelled: Any,
    a_low: Any, a_high: Any, b_low: Any, b_high: Any, c_low: Any, c_high: Any,
) -> None:  # fmt: skip
    """Log probability of each candidate c after each b after each a; a low of -1 stands for the edge of the line."""
    empty = find(keys, places, np.uint64(_EMPTY))
    left_over = weights[empty] if empty >= 0 else 0.0
    for c in range(c_high - c_low):
        c_state = edge if c_low < 0 else states[c_low + c]
        single = left_over + (0.0 if c_low < 0 else spelled[c_low + c])
        if c_state >= 0:
            at = find(keys, places, _hashed(c_state))
            if at >= 0 and logs[at] > -90.0:  # a row below that is a history and no more
                single = logs[at]
        for b in range(b_high - b_low):
            b_state = edge if b_low < 0 else states[b_low + b]
            double = single
            known = -1
            if b_state >= 0:
                known = find(keys, places, _hashed(b_state))
                at = -1
                if known >= 0 and c_state >= 0:
                    at = find(keys, places, fold_in(_hashed(b_state), c_state))
                if at >= 0 and logs[at] > -90.0:
                    double = logs[at]
                elif known >= 0:
                    double = single + weights[known]
            for a in range(a_high - a_low):
                triple = double
                if order > 2 and known >= 0:
                    a_state = edge if a_low < 0 else states[a_low + a]
                    if a_state >= 0:
                        history = fold_in(_hashed(a_state), b_state)
                        at = find(keys, places, history)
                        if at >= 0:
                            longer = -1
                            if c_state >= 0:
                                longer = find(keys, places, fold_in(history, c_state))
                            triple = logs[longer] if longer >= 0 and logs[longer] > -90.0 else double + weights[at]
                moves[a, b, c] = triple


@inline
def _of(own: Any, pairs: Any, pair_offsets: Any, i: Any, stop: Any, b: Any, c: Any, c_low: Any, c_high: Any) -> Any:
    """What candidate c of word i scores by itself and after candidate b."""
    value = 0.0
    if i < stop:
        value = own[c_low + c]
        if len(pairs) > 0:
            value += pairs[pair_offsets[i] + b * (c_high - c_low) + c]
    return value


@kernel
def best_paths(
    keys: NDArray[Any],
    places: NDArray[Any],
    logs: NDArray[Any],
    weights: NDArray[Any],
    order: int,
    edge: int,
    scale: float,
    offsets: NDArray[Any],
    cells: NDArray[Any],
    states: NDArray[Any],
    spelled: NDArray[Any],
    own: NDArray[Any],
    pairs: NDArray[Any],
    pair_offsets: NDArray[Any],
    out: NDArray[Any],
) -> None:
    """Write the best candidate of every word, counted from 0, into ``out``."""
    widest = 1
    for i in range(len(cells) - 1):
        widest = max(widest, cells[i + 1] - cells[i])
    longest = 0
    for line in range(len(offsets) - 1):
        longest = max(longest, offsets[line + 1] - offsets[line])
    moves = np.empty((widest, widest, widest))
    here, there = np.empty((widest, widest)), np.empty((widest, widest))
    back = np.empty((longest + 1, widest, widest), np.int16)
    for line in range(len(offsets) - 1):
        start, stop = offsets[line], offsets[line + 1]
        there[0, 0] = 0.0
        for i in range(start, stop + 1):
            a_low, a_high = (cells[i - 2], cells[i - 1]) if i - 2 >= start else (-1, 0)
            b_low, b_high = (cells[i - 1], cells[i]) if i - 1 >= start else (-1, 0)
            c_low, c_high = (cells[i], cells[i + 1]) if i < stop else (-1, 0)
            _fill_moves(
                moves,
                keys,
                places,
                logs,
                weights,
                order,
                edge,
                states,
                spelled,
                a_low,
                a_high,
                b_low,
                b_high,
                c_low,
                c_high,
            )
            for b in range(b_high - b_low):
                for c in range(c_high - c_low):
                    best, best_at = -np.inf, 0
                    for a in range(a_high - a_low):
                        score = there[a, b] + scale * moves[a, b, c]
                        if score > best:
                            best, best_at = score, a
                    here[b, c] = best + _of(own, pairs, pair_offsets, i, stop, b, c, c_low, c_high)
                    back[i - start, b, c] = best_at
            here, there = there, here
        if stop == start:
            continue
        best, b, c = -np.inf, 0, 0
        for x in range(cells[stop] - cells[stop - 1]):
            if there[x, 0] > best:
                best, b = there[x, 0], x
        for i in range(stop, start, -1):
            out[i - 1] = b
            b, c = back[i - start, b, c], b


@kernel
def path_posteriors(
    keys: NDArray[Any],
    places: NDArray[Any],
    logs: NDArray[Any],
    weights: NDArray[Any],
    order: int,
    edge: int,
    scale: float,
    offsets: NDArray[Any],
    cells: NDArray[Any],
    states: NDArray[Any],
    spelled: NDArray[Any],
    own: NDArray[Any],
    pairs: NDArray[Any],
    pair_offsets: NDArray[Any],
    out: NDArray[Any],
) -> None:
    """Write the probability of every candidate, given its whole line, into ``out``: the sum over all paths through it."""
    widest = 1
    for i in range(len(cells) - 1):
        widest = max(widest, cells[i + 1] - cells[i])
    longest = 0
    for line in range(len(offsets) - 1):
        longest = max(longest, offsets[line + 1] - offsets[line])
    moves = np.empty((widest, widest, widest))
    forward = np.empty((longest + 2, widest, widest))
    ahead, behind = np.empty((widest, widest)), np.empty((widest, widest))
    for line in range(len(offsets) - 1):
        start, stop = offsets[line], offsets[line + 1]
        forward[0, 0, 0] = 0.0
        for i in range(start, stop + 1):
            a_low, a_high = (cells[i - 2], cells[i - 1]) if i - 2 >= start else (-1, 0)
            b_low, b_high = (cells[i - 1], cells[i]) if i - 1 >= start else (-1, 0)
            c_low, c_high = (cells[i], cells[i + 1]) if i < stop else (-1, 0)
            _fill_moves(
                moves,
                keys,
                places,
                logs,
                weights,
                order,
                edge,
                states,
                spelled,
                a_low,
                a_high,
                b_low,
                b_high,
                c_low,
                c_high,
            )
            for b in range(b_high - b_low):
                for c in range(c_high - c_low):
                    total = -np.inf
                    for a in range(a_high - a_low):
                        total = np.logaddexp(total, forward[i - start, a, b] + scale * moves[a, b, c])
                    forward[i - start + 1, b, c] = total + _of(own, pairs, pair_offsets, i, stop, b, c, c_low, c_high)
        if stop == start:
            continue
        whole = -np.inf
        for b in range(cells[stop] - cells[stop - 1]):
            whole = np.logaddexp(whole, forward[stop - start + 1, b, 0])
            ahead[b, 0] = 0.0
        for i in range(stop, start, -1):  # ahead[b, c]: all ways on from the pair (word i - 1 = b, word i = c)
            a_low, a_high = (cells[i - 2], cells[i - 1]) if i - 2 >= start else (-1, 0)
            b_low, b_high = cells[i - 1], cells[i]
            c_low, c_high = (cells[i], cells[i + 1]) if i < stop else (-1, 0)
            _fill_moves(
                moves,
                keys,
                places,
                logs,
                weights,
                order,
                edge,
                states,
                spelled,
                a_low,
                a_high,
                b_low,
                b_high,
                c_low,
                c_high,
            )
            for b in range(b_high - b_low):
                through = -np.inf
                for a in range(a_high - a_low):
                    total = -np.inf
                    for c in range(c_high - c_low):
                        step = scale * moves[a, b, c] + _of(own, pairs, pair_offsets, i, stop, b, c, c_low, c_high)
                        total = np.logaddexp(total, step + ahead[b, c])
                    behind[a, b] = total
                    through = np.logaddexp(through, forward[i - start, a, b] + total)
                out[b_low + b] = np.exp(through - whole)
            ahead, behind = behind, ahead
