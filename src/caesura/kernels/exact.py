"""Counting the boundaries that two annotations share: one merge of two sorted lists.

The merge takes no branches: which list goes on is arithmetic, so that its cost does not hang on how well a processor guesses.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from caesura.kernels.jit import Index, kernel

__all__ = ["count_common"]


@kernel
def _common(ref: NDArray[Any], start: int, stop: int, hyp: NDArray[Any], other_start: int, other_stop: int) -> int:
    """Count the positions that both lists have."""
    i, i_stop, j, j_stop = Index(start), Index(stop), Index(other_start), Index(other_stop)
    common = 0
    while i < i_stop and j < j_stop:
        a, b = ref[i], hyp[j]
        common += a == b
        i += Index(a <= b)
        j += Index(b <= a)
    return common


@kernel
def _common_typed(
    ref: NDArray[Any],
    ref_types: NDArray[Any],
    start: int,
    stop: int,
    hyp: NDArray[Any],
    hyp_types: NDArray[Any],
    other_start: int,
    other_stop: int,
) -> int:
    """Count the positions and types that both lists have; types that share a position ascend."""
    i, i_stop, j, j_stop = Index(start), Index(stop), Index(other_start), Index(other_stop)
    common = 0
    while i < i_stop and j < j_stop:
        a, b, s, t = ref[i], hyp[j], ref_types[i], hyp_types[j]
        before = (a < b) | ((a == b) & (s < t))
        behind = (b < a) | ((a == b) & (t < s))
        common += before == behind
        i += Index(not behind)
        j += Index(not before)
    return common


@kernel
def count_common(
    ref_positions: NDArray[Any],
    ref_types: NDArray[Any],
    ref_starts: NDArray[Any],
    ref_stops: NDArray[Any],
    hyp_positions: NDArray[Any],
    hyp_types: NDArray[Any],
    hyp_starts: NDArray[Any],
    hyp_stops: NDArray[Any],
    lengths: NDArray[Any],
    out: NDArray[Any],
) -> None:
    """Fill ``out`` with (common, in the hypothesis, in the reference) for every pair, and places where there is a column for them.

    Empty type arrays mean no types.
    """
    typed = len(ref_types) > 0 and len(hyp_types) > 0
    for pair in range(len(ref_starts)):
        i, i_stop, j, j_stop = ref_starts[pair], ref_stops[pair], hyp_starts[pair], hyp_stops[pair]
        if typed:
            out[pair, 0] = _common_typed(
                ref_positions, ref_types, i, i_stop, hyp_positions, hyp_types, j, j_stop
            )  # fmt: skip
        else:
            out[pair, 0] = _common(ref_positions, i, i_stop, hyp_positions, j, j_stop)
        out[pair, 1], out[pair, 2] = j_stop - j, i_stop - i
        if out.shape[1] > 3:
            out[pair, 3] = max(lengths[pair] - 1, 0)
