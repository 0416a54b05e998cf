"""Generalised Hamming distance: the cheapest way to insert, delete and shift boundaries of one side into the other's.

A shift pays only while it costs less than a deletion and an insertion, so every boundary has few partners: the dynamic
programme runs over those candidate pairs alone, and its cost is the number of boundaries.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import kernel, pairs_of_marks

__all__ = ["count_hamming"]


@kernel
def _saved(
    ref: NDArray[Any],
    i: int,
    i_stop: int,
    hyp: NDArray[Any],
    j: int,
    j_stop: int,
    both: float,
    shift: float,
    best: NDArray[Any],
) -> float:
    """Return the most that shifts save over deleting everything and inserting it anew (``both`` a pair).

    ``best[b]`` is the most saved with the boundaries of the reference seen so far and the first ``b`` of the hypothesis. It
    never falls as ``b`` grows, so what lies behind a boundary's last candidate is a copy of the value there.
    """
    low = high = 0
    size = j_stop - j
    best[0] = 0.0
    while i < i_stop:
        p = ref[i]
        while low < size and hyp[j + low] < p and shift * (p - hyp[j + low]) >= both:
            low += 1
        while high < size and (hyp[j + high] <= p or shift * (hyp[j + high] - p) < both):
            high += 1
            best[high] = best[high - 1]
        diagonal = best[low]
        for b in range(low, high):
            above = best[b + 1]
            paired = diagonal + both - shift * abs(p - hyp[j + b])
            best[b + 1] = max(above, best[b], paired)
            diagonal = above
        i += 1
    return float(best[high])


@kernel(work=pairs_of_marks)
def count_hamming(
    ref_positions: NDArray[Any],
    ref_starts: NDArray[Any],
    ref_stops: NDArray[Any],
    hyp_positions: NDArray[Any],
    hyp_starts: NDArray[Any],
    hyp_stops: NDArray[Any],
    insert: float,
    delete: float,
    shift: float,
    out: NDArray[Any],
) -> None:
    """Fill ``out`` with the distance of every pair, and 1."""
    most = 0
    for pair in range(len(hyp_starts)):
        most = max(most, hyp_stops[pair] - hyp_starts[pair])
    best = np.empty(most + 1, np.float64)
    for pair in range(len(ref_starts)):
        i, i_stop, j, j_stop = ref_starts[pair], ref_stops[pair], hyp_starts[pair], hyp_stops[pair]
        saved = _saved(ref_positions, i, i_stop, hyp_positions, j, j_stop, insert + delete, shift, best)
        out[pair, 0] = delete * (j_stop - j) + insert * (i_stop - i) - saved
        out[pair, 1] = 1.0
