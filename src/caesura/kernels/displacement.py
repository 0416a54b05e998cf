"""Names of segments put in line, so that the boundaries of equal names can be compared."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import kernel


def _cells(*, back: Any, **_: Any) -> float:
    return float(back.size)


@kernel(work=_cells)
def align_names(
    ref: NDArray[Any],
    ref_times: NDArray[Any],
    hyp: NDArray[Any],
    hyp_times: NDArray[Any],
    back: NDArray[Any],
    out: NDArray[Any],
) -> None:
    """Pair as many equal names as there can be, in order; among those ways, the one that moves them least.

    ``out[i]`` becomes the partner of ``ref[i]``, or -1. ``back`` is scratch, one row and column larger than the two lists.
    """
    width = len(hyp) + 1
    pairs, moved = np.zeros((2, width), np.int64), np.zeros((2, width))
    back[0, :] = 2
    for i in range(len(ref)):
        now, before = (i + 1) % 2, i % 2
        pairs[now, 0], moved[now, 0], back[i + 1, 0] = 0, 0.0, 1
        for j in range(len(hyp)):
            most, least, way = pairs[before, j + 1], moved[before, j + 1], 1
            if pairs[now, j] > most or (pairs[now, j] == most and moved[now, j] < least):
                most, least, way = pairs[now, j], moved[now, j], 2
            if ref[i] == hyp[j]:
                far = moved[before, j] + abs(ref_times[i] - hyp_times[j])
                if pairs[before, j] + 1 > most or (pairs[before, j] + 1 == most and far < least):
                    most, least, way = pairs[before, j] + 1, far, 0
            pairs[now, j + 1], moved[now, j + 1], back[i + 1, j + 1] = most, least, way
    i, j = len(ref), len(hyp)
    while i > 0:
        if back[i, j] == 0:
            i, j = i - 1, j - 1
            out[i] = j
        elif back[i, j] == 1:
            i -= 1
            out[i] = -1
        else:
            j -= 1
