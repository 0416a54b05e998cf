"""Sum rows of counts: those drawn for each resample, and those of each group.

Sums are always computed in the order of the rows, so that every processor and number of threads gives the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import copy_values, fill
from caesura.kernels.jit import Index, kernel

TOGETHER = 4  # resamples per pass over the rows, which are then read from memory once for all four


@kernel
def add_drawn(drawn: NDArray[Any], rows: NDArray[Any], out: NDArray[Any]) -> None:
    """Fill ``out[r]`` with the sum of the rows in ``drawn[r]``, each as often as it was drawn."""
    times = np.empty((len(rows), TOGETHER))
    sums = np.empty((TOGETHER, rows.shape[1]))
    for first in range(0, len(drawn), TOGETHER):
        here = min(TOGETHER, len(drawn) - first)
        for row in range(len(times)):
            fill(times[row], 0.0)
        for r in range(TOGETHER):
            fill(sums[r], 0.0)
        for r in range(here):
            for row in drawn[first + r]:
                times[Index(row), r] += 1.0
        for row in range(len(rows)):
            # unrolled by hand for TOGETHER = 4, so that each value is loaded once
            w0, w1, w2, w3 = times[row, 0], times[row, 1], times[row, 2], times[row, 3]
            for field in range(rows.shape[1]):
                value = rows[row, field]
                sums[0, field] += w0 * value
                sums[1, field] += w1 * value
                sums[2, field] += w2 * value
                sums[3, field] += w3 * value
        for r in range(here):
            copy_values(sums[r], out[first + r])


@kernel
def add_grouped(rows: NDArray[Any], scores: NDArray[Any], group: NDArray[Any], sums: NDArray[Any]) -> None:
    """Add every row to the sums of its group; the last two columns are the sum and the number of the finite scores."""
    fields = rows.shape[1]
    for row in range(len(rows)):
        at = Index(group[row])
        for field in range(fields):
            sums[at, field] += rows[row, field]
        if np.isfinite(scores[row]):
            sums[at, fields] += scores[row]
            sums[at, fields + 1] += 1.0
