"""Looking up back-off n-grams, and spelling words with them.

An n-gram model is three columns over one table: the hash of a sequence leads to its log probability (of the last symbol given
those before it) and its back-off weight (as a history). A sequence that is not there backs off: the weight of its history times the
probability of the sequence without its first symbol.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.hashing import find, fold_in
from caesura.kernels.jit import inline, kernel

__all__ = ["log_spelling", "log_symbol", "spellings"]

_EMPTY = 0x243F6A8885A308D3


@inline
def log_symbol(keys: Any, places: Any, logs: Any, weights: Any, history: Any, low: Any, high: Any, symbol: Any) -> Any:
    """Log probability of ``symbol`` after ``history[low:high]``; an unknown symbol has what the empty history leaves over."""
    total = 0.0
    found = -1
    start = low
    while True:
        hashed = np.uint64(_EMPTY)
        for i in range(start, high):
            hashed = fold_in(hashed, history[i])
        found = find(keys, places, fold_in(hashed, symbol))
        if found >= 0 and logs[found] > -90.0:  # a row below that is a history and no more
            total += logs[found]
            break
        context = find(keys, places, hashed)
        if context >= 0:
            total += weights[context]
        if start == high:
            break
        start += 1
    return total


@kernel
def log_spelling(
    keys: NDArray[Any],
    places: NDArray[Any],
    logs: NDArray[Any],
    weights: NDArray[Any],
    order: int,
    symbols: NDArray[Any],
    offsets: NDArray[Any],
    edge: int,
    out: NDArray[Any],
) -> None:
    """Log probability of every spelling ``symbols[offsets[i]:offsets[i+1]]``, its end included."""
    longest = 0
    for i in range(len(offsets) - 1):
        longest = max(longest, offsets[i + 1] - offsets[i])
    line = np.empty(longest + order, np.int64)
    for i in range(len(offsets) - 1):
        for j in range(order - 1):
            line[j] = edge
        size = order - 1
        total = 0.0
        for j in range(offsets[i], offsets[i + 1] + 1):
            symbol = symbols[j] if j < offsets[i + 1] else edge
            total += log_symbol(keys, places, logs, weights, line, size - order + 1, size, symbol)
            line[size] = symbol
            size += 1
        out[i] = total


@kernel
def spellings(
    keys: NDArray[Any],
    places: NDArray[Any],
    logs: NDArray[Any],
    weights: NDArray[Any],
    order: int,
    letters: NDArray[Any],
    options: NDArray[Any],
    option_offsets: NDArray[Any],
    edge: int,
    beam: int,
    out: NDArray[Any],
    scores: NDArray[Any],
) -> int:
    """Find the likeliest spellings of one word: for each letter one of its symbols; returns how many, best first.

    ``options[option_offsets[x]:option_offsets[x+1]]`` are the symbols of letter ``x``; ``out`` has ``beam`` rows.
    """
    size = len(letters)
    pad = order - 1
    widest = 1
    for x in letters:
        widest = max(widest, option_offsets[x + 1] - option_offsets[x])
    here = np.full((beam, pad + size), edge, np.int64)
    there = np.full((beam, pad + size), edge, np.int64)
    here_score, there_score = np.zeros(beam), np.zeros(beam)
    score = np.empty((beam, widest))
    longest = np.empty(beam, np.uint64)
    source = np.empty(beam, np.int64)
    alive = 1
    for i in range(size):
        low, high = option_offsets[letters[i]], option_offsets[letters[i] + 1]
        number = 0
        for b in range(alive):
            longest[b] = _after(keys, places, logs, weights, here[b], i, i + pad, options, low, high, score, b, longest)
            for o in range(high - low):
                value = here_score[b] + score[b, o]
                if number < beam or value > there_score[number - 1]:  # keep the best in order, worst last
                    at = min(number, beam - 1)
                    while at > 0 and there_score[at - 1] < value:
                        there_score[at], source[at] = there_score[at - 1], source[at - 1]
                        at -= 1
                    there_score[at], source[at] = value, b * widest + o
                    number = min(number + 1, beam)
        if number == 0:
            return 0
        alive = number
        for rank in range(alive):
            b, o = source[rank] // widest, source[rank] % widest
            there[rank, : pad + i] = here[b, : pad + i]
            there[rank, pad + i] = options[low + o]
        here, there = there, here
        here_score, there_score = there_score, here_score
    for b in range(alive):
        here_score[b] += log_symbol(keys, places, logs, weights, here[b], size, size + pad, edge)
    order_of = np.argsort(-here_score[:alive])
    for rank in range(alive):
        out[rank, :size] = here[order_of[rank], pad:]
        scores[rank] = here_score[order_of[rank]]
    return alive


@kernel
def _after(
    keys: Any, places: Any, logs: Any, weights: Any, history: Any, low: Any, high: Any, options: Any, first: Any, last: Any,
    score: Any, row: Any, longest: Any,
) -> Any:  # fmt: skip
    """Log probabilities of all options after a history, into ``score[row]``; rows with the same known history are copied.

    Returns the hash of the longest part of the history that the model knows, which ``longest`` lists for the rows before.
    """
    known = np.uint64(_EMPTY)
    start = low
    while start < high:
        hashed = np.uint64(_EMPTY)
        for j in range(start, high):
            hashed = fold_in(hashed, history[j])
        if find(keys, places, hashed) >= 0:
            known = hashed
            break
        start += 1
    for b in range(row):
        if longest[b] == known:
            score[row, : last - first] = score[b, : last - first]
            return known
    for o in range(first, last):
        score[row, o - first] = log_symbol(keys, places, logs, weights, history, start, high, options[o])
    return known
