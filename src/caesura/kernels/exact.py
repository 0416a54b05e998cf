"""Counting the boundaries that two annotations share: one merge of two sorted lists."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from caesura.kernels.jit import kernel

__all__ = ["count_common"]


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
    out: NDArray[Any],
) -> None:
    """Fill ``out`` with (common, in the hypothesis, in the reference) for every pair; empty type arrays mean no types."""
    typed = len(ref_types) > 0 and len(hyp_types) > 0
    for pair in range(len(ref_starts)):
        i, j = ref_starts[pair], hyp_starts[pair]
        common = 0
        while i < ref_stops[pair] and j < hyp_stops[pair]:
            if ref_positions[i] < hyp_positions[j]:
                i += 1
            elif ref_positions[i] > hyp_positions[j]:
                j += 1
            elif typed and ref_types[i] < hyp_types[j]:
                i += 1
            elif typed and ref_types[i] > hyp_types[j]:
                j += 1
            else:
                common += 1
                i += 1
                j += 1
        out[pair, 0] = common
        out[pair, 1] = hyp_stops[pair] - hyp_starts[pair]
        out[pair, 2] = ref_stops[pair] - ref_starts[pair]
