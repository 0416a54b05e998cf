"""One compiled call for one pair: masses (or flags) in, a row of counts out; a few lines per family, nothing else.

A factory that wraps any kernel would need no line at all, but a closure over a compiled function is never found again in the cache
on disk, so these stand at the top of a module.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.desk import cumulate
from caesura.kernels.edits import count_adjacent
from caesura.kernels.flexible import count_flexible
from caesura.kernels.jit import kernel
from caesura.kernels.windows import count_windows

__all__ = ["pair_adjacent", "pair_flexible", "pair_windows"]


@kernel
def _columns(ref: NDArray[Any], hyp: NDArray[Any]) -> Any:
    """Lay two lists out as a batch of one pair; a negative length asks for a closer look."""
    first, second, start = np.empty(len(ref) + 1, np.int64), np.empty(len(hyp) + 1, np.int64), np.zeros(1, np.int64)
    length, in_ref = cumulate(ref, first)
    other, in_hyp = cumulate(hyp, second)
    if length != other:
        length, in_ref, in_hyp = -1, 0, 0
    return first, start, np.array([in_ref]), second, start, np.array([in_hyp]), np.array([length])


@kernel
def pair_adjacent(ref: NDArray[Any], hyp: NDArray[Any], weight: float) -> Any:
    """Count the edits of one pair: its length, and its row."""
    out = np.empty((1, 8))
    first, start, stop, second, other, end, length = _columns(ref, hyp)
    count_adjacent(first, start, stop, second, other, end, length, weight, out)
    row = out[0]
    return length[0], (row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7])


@kernel
def pair_windows(ref: NDArray[Any], hyp: NDArray[Any], k: int, rounding: int, minimum: int, padded: bool) -> Any:
    """Sweep windows over one pair: its length (-1 also where no window fits), and its row."""
    out = np.empty((1, 7))
    first, start, stop, second, other, end, length = _columns(ref, hyp)
    short = count_windows(first, start, stop, second, other, end, length, k, rounding, minimum, padded, out)
    row = out[0]
    return length[0] if short < 0 else -1, (row[0], row[1], row[2], row[3], row[4], row[5], row[6])


@kernel
def pair_flexible(
    ref: NDArray[Any],
    hyp: NDArray[Any],
    costs: NDArray[Any],
    steps: NDArray[Any],
    reach: int,
    forced: bool,
    sign: int,
    closing: bool,
) -> Any:
    """Find the least cost of one pair of boundaries without types: its length, and its row."""
    out = np.empty((1, 3))
    first, start, stop, second, other, end, length = _columns(ref, hyp)
    types = np.zeros(max(len(first), len(second)), np.int64)
    count_flexible(
        first, types, start, stop, second, types, other, end, length, costs, steps, reach, forced, sign, closing, out
    )
    return length[0], (out[0, 0], out[0, 1], out[0, 2])
