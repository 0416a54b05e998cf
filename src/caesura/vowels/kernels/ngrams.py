"""Looking up back-off n-grams, and weighing spellings with them.

An n-gram model is three columns over one table: the hash of a sequence leads to its log probability (of the last symbol given
those before it) and its back-off weight (as a history). A sequence that is not there backs off: the weight of its history times the
probability of the sequence without its first symbol.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import inline, kernel
from caesura.vowels.kernels.hashing import find, fold_in

_EMPTY = 0x243F6A8885A308D3


@inline
def log_symbol(keys: Any, places: Any, logs: Any, weights: Any, history: Any, low: Any, high: Any, symbol: Any) -> Any:
    """Log probability of ``symbol`` after ``history[low:high]``; an unknown symbol has what the empty history leaves over."""
    total = 0.0
    row = -1
    start = low
    while True:
        hashed = np.uint64(_EMPTY)
        for i in range(start, high):
            hashed = fold_in(hashed, history[i])
        row = find(keys, places, fold_in(hashed, symbol))
        if row >= 0 and logs[row] > -90.0:  # a row below that is a history and no more
            total += logs[row]
            break
        context = find(keys, places, hashed)
        if context >= 0:
            total += weights[context]
        if start == high:
            break
        start += 1
    return total


@kernel(plain=False)
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
