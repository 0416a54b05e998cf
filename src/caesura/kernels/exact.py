"""Counting the boundaries that two annotations share: one merge of two sorted lists.

The merge takes no branches: which list goes on is arithmetic, so that its cost does not hang on how well a processor guesses.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from caesura.kernels.jit import Index, kernel
from caesura.kernels.layout import MarkColumns


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
def _common_typed(ref: MarkColumns, start: int, stop: int, hyp: MarkColumns, other_start: int, other_stop: int) -> int:
    """Count the positions and types that both lists have; types that share a position ascend."""
    i, i_stop, j, j_stop = Index(start), Index(stop), Index(other_start), Index(other_stop)
    here, there, ref_types, hyp_types = ref.positions, hyp.positions, ref.types, hyp.types
    common = 0
    while i < i_stop and j < j_stop:
        a, b, s, t = here[i], there[j], ref_types[i], hyp_types[j]
        before = (a < b) | ((a == b) & (s < t))
        behind = (b < a) | ((a == b) & (t < s))
        common += before == behind
        i += Index(not behind)
        j += Index(not before)
    return common


@kernel
def count_common(ref: MarkColumns, hyp: MarkColumns, lengths: NDArray[Any], out: NDArray[Any]) -> None:
    """Fill ``out`` with (common, in the hypothesis, in the reference) for every pair, and places where there is a column for them."""
    typed = len(ref.types) > 0 and len(hyp.types) > 0
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        if typed:
            out[pair, 0] = _common_typed(ref, i, i_stop, hyp, j, j_stop)
        else:
            out[pair, 0] = _common(ref.positions, i, i_stop, hyp.positions, j, j_stop)
        out[pair, 1], out[pair, 2] = j_stop - j, i_stop - i
        if out.shape[1] > 3:
            out[pair, 3] = max(lengths[pair] - 1, 0)
