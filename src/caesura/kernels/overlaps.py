"""How far the segments of one side lie inside those of the other: one walk along the boundaries of both.

Segments of both sides leave no gap, so two of them share one stretch or nothing: the stretches between neighbouring boundaries of either
side are all the overlaps there are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.fused import _columns, _ready_columns
from caesura.kernels.jit import kernel
from caesura.kernels.layout import MarkColumns


@kernel
def count_overlaps(ref: MarkColumns, hyp: MarkColumns, lengths: NDArray[Any], grain: float, out: NDArray[Any]) -> None:
    """Fill ``out`` with (length, covered, pure, pairs, together in the reference, in the hypothesis, in both, by chance).

    ``grain`` is 1 where a text consists of units, which make no pair with themselves, and 0 where time is continuous.
    """
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        length = float(lengths[pair])
        covered = pure = of_ref = of_hyp = of_both = 0.0
        start = ref_start = hyp_start = ref_most = hyp_most = 0.0
        while start < length:
            ref_end = min(float(ref.positions[i]), length) if i < i_stop else length
            hyp_end = min(float(hyp.positions[j]), length) if j < j_stop else length
            end = min(ref_end, hyp_end)
            shared = end - start
            of_both += shared * (shared - grain) / 2.0
            ref_most, hyp_most = max(ref_most, shared), max(hyp_most, shared)
            if ref_end == end:
                covered += ref_most
                of_ref += (end - ref_start) * (end - ref_start - grain) / 2.0
                ref_start, ref_most = end, 0.0
                i += 1
            if hyp_end == end:
                pure += hyp_most
                of_hyp += (end - hyp_start) * (end - hyp_start - grain) / 2.0
                hyp_start, hyp_most = end, 0.0
                j += 1
            start = end
            while i < i_stop and ref.positions[i] <= start:  # several at one place, or at the very start
                i += 1
            while j < j_stop and hyp.positions[j] <= start:
                j += 1
        pairs = length * (length - grain) / 2.0
        out[pair, 0], out[pair, 1], out[pair, 2], out[pair, 3] = length, covered, pure, pairs
        out[pair, 4], out[pair, 5], out[pair, 6] = of_ref, of_hyp, of_both
        out[pair, 7] = of_ref * of_hyp / pairs if pairs > 0 else 0.0


@kernel
def pair_overlaps(ref: NDArray[Any], hyp: NDArray[Any], length: Any) -> Any:
    """Count one pair of texts, as :mod:`caesura.kernels.fused` does."""
    out = np.empty((1, 8))
    ours, theirs, lengths = _columns(ref, hyp, length)
    count_overlaps(ours, theirs, lengths, 1.0, out)
    row = out[0]
    return lengths[0], (row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7])


@kernel
def pair_overlaps_times(ref: NDArray[Any], hyp: NDArray[Any], length: float) -> Any:
    """Count one pair of recordings."""
    out = np.empty((1, 8))
    ours, theirs, lengths = _ready_columns(ref, hyp, length)
    count_overlaps(ours, theirs, lengths, 0.0, out)
    row = out[0]
    return length, (row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7])
