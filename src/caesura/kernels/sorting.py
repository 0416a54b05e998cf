"""A stable sort, which compiles in a tenth of the time that NumPy's takes Numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import kernel

_RUN = 16  # members that are sorted by insertion before runs are merged


@kernel
def stable_order(keys: NDArray[Any]) -> NDArray[Any]:
    """Return where keys stand from the smallest to the largest, equal ones as they come: ``np.argsort(keys, kind="stable")``."""
    size = len(keys)
    order, room = np.empty(size, np.int64), np.empty(size, np.int64)
    for i in range(size):
        begin, at = i - i % _RUN, i
        while at > begin and keys[order[at - 1]] > keys[i]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = i
    width = _RUN
    while width < size:
        for begin in range(0, size, 2 * width):
            left, middle, end = begin, min(begin + width, size), min(begin + 2 * width, size)
            right = middle
            for at in range(begin, end):
                if right >= end or (left < middle and keys[order[left]] <= keys[order[right]]):
                    room[at] = order[left]
                    left += 1
                else:
                    room[at] = order[right]
                    right += 1
        order, room, width = room, order, 2 * width
    return order
