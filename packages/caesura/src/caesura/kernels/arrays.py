"""How batches lie in arrays, and the array functions that kernels share.

Every batch kernel is called in one way::

    kernel(ref, hyp, lengths, <parameters>, out)

Pair ``i`` compares the marks ``ref.starts[i]:ref.stops[i]`` of one side with ``hyp.starts[i]:hyp.stops[i]`` of the other, on a text of
``lengths[i]`` units or seconds, and the kernel writes its counts to ``out[i, :]``.

The functions repeat a few of NumPy's, because Numba compiles these loops in a tenth of the time that its own versions take.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import inline, kernel


class MarkColumns(NamedTuple):
    """The boundaries of one side of every pair; ``types`` is empty if they have none."""

    positions: NDArray[Any]
    types: NDArray[Any]
    starts: NDArray[Any]
    stops: NDArray[Any]


class SpanColumns(NamedTuple):
    """Nested segments of one side of every pair, in reading order: by first unit, longer first, then by level.

    For spans, the columns are starts, ends (exclusive) and label codes.
    """

    firsts: NDArray[Any]
    lasts: NDArray[Any]
    levels: NDArray[Any]
    starts: NDArray[Any]
    stops: NDArray[Any]


_RUN = 16  # elements that are sorted by insertion before runs are merged: shorter runs are merged more slowly than inserted


@kernel
def stable_order(keys: NDArray[Any]) -> NDArray[Any]:
    """Return the indices that sort the keys, equal keys in their original order: ``np.argsort(keys, kind="stable")``."""
    size = len(keys)
    order, buffer = np.empty(size, np.int64), np.empty(size, np.int64)
    for i in range(size):  # insertion sort within each run
        begin, at = i - i % _RUN, i
        while at > begin and keys[order[at - 1]] > keys[i]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = i
    width = _RUN
    while width < size:  # invariant: order is sorted within every block of this width
        for begin in range(0, size, 2 * width):
            left, middle, end = begin, min(begin + width, size), min(begin + 2 * width, size)
            right = middle
            for at in range(begin, end):
                if right >= end or (left < middle and keys[order[left]] <= keys[order[right]]):
                    buffer[at] = order[left]
                    left += 1
                else:
                    buffer[at] = order[right]
                    right += 1
        order, buffer, width = buffer, order, 2 * width
    return order


@inline
def copy_values(source: NDArray[Any], target: NDArray[Any]) -> None:
    """Copy an array to the beginning of another one."""
    for i in range(len(source)):
        target[i] = source[i]


@inline
def fill(target: NDArray[Any], value: Any) -> None:
    """Set every element of an array of one dimension."""
    for i in range(len(target)):
        target[i] = value


@inline
def smallest(values: NDArray[Any], known: Any) -> Any:
    """Return the smallest of the values and ``known``."""
    for i in range(len(values)):
        known = min(known, values[i])
    return known


@inline
def largest(values: NDArray[Any], known: Any) -> Any:
    """Return the largest of the values and ``known``."""
    for i in range(len(values)):
        known = max(known, values[i])
    return known


def _double_view(column: Any) -> Any:
    """Do the same for a view in plain Python."""
    return memoryview(np.concatenate((column, column)))  # type: ignore[arg-type]


@kernel(plain=_double_view)
def double_size(column: NDArray[Any]) -> NDArray[Any]:
    """Return an array of twice the size that begins with the same values."""
    larger = np.empty(2 * len(column), column.dtype)
    copy_values(column, larger)
    return larger
