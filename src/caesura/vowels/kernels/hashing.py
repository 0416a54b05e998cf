"""Small tables in compiled code: 64-bit keys, open addressing, nothing stored twice."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import inline, kernel

#: Where the hash of an empty sequence starts.
SEED = np.uint64(0x243F6A8885A308D3)
_STIR = np.uint64(0x9E3779B97F4A7C15)
_LAST = np.uint64(0xBF58476D1CE4E5B9)


@inline
def fold_in(hashed: Any, symbol: Any) -> Any:
    """Append one symbol (0 or more) to the hash of a sequence."""
    x = (hashed ^ np.uint64(symbol + 1)) * np.uint64(0x9E3779B97F4A7C15)
    return (x ^ (x >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)


@inline
def mix(state: Any, other: Any) -> Any:
    """Hash two hashes together."""
    x = (state ^ (other + np.uint64(0x9E3779B97F4A7C15))) * np.uint64(0xBF58476D1CE4E5B9)
    return x ^ (x >> np.uint64(30))


def fold_in_arrays(hashed: NDArray[np.uint64], symbols: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Like :func:`fold_in`, for whole arrays at once."""
    x = (hashed ^ (symbols + 1).astype(np.uint64)) * _STIR
    return (x ^ (x >> np.uint64(31))) * _LAST


@kernel(plain=False)
def build_table(keys: NDArray[Any], size: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Make a table of ``size`` (a power of two) slots: the keys, and their places in ``keys`` (-1: an empty slot)."""
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
    """Place of a key, or -1."""
    mask = np.uint64(len(table_keys) - 1)
    at = (key ^ (key >> np.uint64(29))) & mask
    while table_places[at] != -1 and table_keys[at] != key:
        at = (at + np.uint64(1)) & mask
    return table_places[at]
