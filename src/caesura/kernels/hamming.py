"""Generalised Hamming distance: the cheapest way to insert, delete and shift boundaries of one side into the other's.

A shift pays only while it costs less than a deletion and an insertion, so every boundary has few partners: the dynamic
programme runs over those candidate pairs alone, and its cost is the number of boundaries.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import kernel
from caesura.kernels.layout import MarkColumns, pairs_of_marks


@kernel
def _best_saving(ref: NDArray[Any], hyp: NDArray[Any], both: float, shift: float, best: NDArray[Any]) -> float:
    """Return the most that shifts save over deleting everything and inserting it anew (``both`` a pair).

    ``best[b]`` is the most saved with the boundaries of the reference seen so far and the first ``b`` of the hypothesis. It
    never falls as ``b`` grows, so what lies behind a boundary's last candidate is a copy of the value there.
    """
    low = high = 0
    best[0] = 0.0
    for p in ref:
        while low < len(hyp) and hyp[low] < p and shift * (p - hyp[low]) >= both:
            low += 1
        while high < len(hyp) and (hyp[high] <= p or shift * (hyp[high] - p) < both):
            high += 1
            best[high] = best[high - 1]
        diagonal = best[low]
        for b in range(low, high):
            above = best[b + 1]
            paired = diagonal + both - shift * abs(p - hyp[b])
            best[b + 1] = max(above, best[b], paired)
            diagonal = above
    return float(best[high])


@kernel(work=pairs_of_marks)
def count_hamming(
    ref: MarkColumns,
    hyp: MarkColumns,
    lengths: NDArray[Any],
    insert: float,
    delete: float,
    shift: float,
    out: NDArray[Any],
) -> None:
    """Fill ``out`` with the distance of every pair, and 1."""
    most = 0
    for pair in range(len(lengths)):
        most = max(most, hyp.stops[pair] - hyp.starts[pair])
    best = np.empty(most + 1, np.float64)
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        saved = _best_saving(ref.positions[i:i_stop], hyp.positions[j:j_stop], insert + delete, shift, best)
        out[pair, 0] = delete * (j_stop - j) + insert * (i_stop - i) - saved
        out[pair, 1] = 1.0
