"""Kernels for hashing and for looking up back-off n-grams.

An n-gram model is three columns over one hash table: a sequence leads to its log probability (of the last symbol given those before it)
and to its back-off weight (as a history). A sequence that is missing backs off: the weight of its history times the probability of the
sequence without its first symbol. Tables use 64-bit keys and open addressing; keys are hashes themselves and are not checked further.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import inline, kernel

#: The hash of an empty sequence (digits of pi). Model files store hashes, so the constants and shifts below must not change.
EMPTY_HASH = 0x243F6A8885A308D3
SEED = np.uint64(EMPTY_HASH)
# Odd multipliers of SplitMix64 and of the golden ratio; kernels repeat them as literals, which Numba folds into the code.
# Python's integers do not wrap around: kernels keep the low 64 bits explicitly, which costs compiled code nothing.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_SPLITMIX = np.uint64(0xBF58476D1CE4E5B9)

#: A row whose log probability is below this stands for a history only; rows are written with -99 there.
HISTORY_ONLY = -90.0


@inline
def fold_in(hashed: Any, symbol: Any) -> Any:
    """Append one symbol (0 or more) to the hash of a sequence."""
    x = ((hashed ^ np.uint64(symbol + 1)) * np.uint64(0x9E3779B97F4A7C15)) & np.uint64(0xFFFFFFFFFFFFFFFF)
    return ((x ^ (x >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)) & np.uint64(0xFFFFFFFFFFFFFFFF)


@inline
def mix(state: Any, other: Any) -> Any:
    """Combine two hashes."""
    x = (state ^ (other + np.uint64(0x9E3779B97F4A7C15))) * np.uint64(0xBF58476D1CE4E5B9)
    x &= np.uint64(0xFFFFFFFFFFFFFFFF)
    return x ^ (x >> np.uint64(30))


def fold_in_arrays(hashed: NDArray[np.uint64], symbols: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Append one symbol to each hash of an array."""
    x = (hashed ^ (symbols + 1).astype(np.uint64)) * _GOLDEN
    return (x ^ (x >> np.uint64(31))) * _SPLITMIX


@kernel(plain=False)
def build_table(keys: NDArray[Any], size: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Build a hash table with ``size`` (a power of two) slots: the keys, and their indices in ``keys`` (-1: an empty slot)."""
    table = np.zeros(size, np.uint64)
    place = np.full(size, -1, np.int32)
    mask = np.uint64(size - 1)
    for i in range(len(keys)):
        at = (keys[i] ^ (keys[i] >> np.uint64(29))) & mask
        while place[at] != -1:
            at = (at + np.uint64(1)) & mask
        table[at] = keys[i]
        place[at] = i
    return table, place


@inline
def find(table_keys: Any, table_places: Any, key: Any) -> Any:
    """Return the index of a key, or -1."""
    mask = np.uint64(len(table_keys) - 1)
    at = (key ^ (key >> np.uint64(29))) & mask
    while table_places[at] != -1 and table_keys[at] != key:
        at = (at + np.uint64(1)) & mask
    return table_places[at]


@inline
def log_symbol(keys: Any, places: Any, logs: Any, weights: Any, history: Any, low: Any, high: Any, symbol: Any) -> Any:
    """Return the log probability of ``symbol`` after ``history[low:high]``; an unknown symbol gets the back-off weight of the empty history."""
    total = 0.0
    row = -1
    start = low
    while True:
        hashed = np.uint64(EMPTY_HASH)
        for i in range(start, high):
            hashed = fold_in(hashed, history[i])
        row = find(keys, places, fold_in(hashed, symbol))
        if row >= 0 and logs[row] > HISTORY_ONLY:
            total += float(logs[row])  # a 32-bit number; sums are in 64 bits, compiled or not
            break
        context = find(keys, places, hashed)
        if context >= 0:
            total += float(weights[context])
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
    """Compute the log probability of every spelling ``symbols[offsets[i]:offsets[i+1]]``, including its end."""
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
