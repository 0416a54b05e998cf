"""Aligning the segments of texts of units: the measure as published, without a branch that hangs on the marks.

The closest segment is the one that shares most, among those the smallest, among those the first. In a text below 2**15 units these
three fit into one whole number, behind the number of the segment that looks for its closest. Then the closest so far is the largest
of these numbers, and the next segment outbids the one before it by its own number alone: a processor has nothing to guess.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import Index, inline, kernel
from caesura.kernels.layout import MarkColumns
from caesura.kernels.segments import align_pair

SHORT = 2**15  # units; overlaps are at most twice as many
ORDER = 2**16 - 1
NONE, ONE = Index(0), Index(1)


@kernel
def count_alignment_of_units(ref: MarkColumns, hyp: MarkColumns, lengths: NDArray[Any], out: NDArray[Any]) -> None:
    """Fill ``out`` with (sum of the Jaccard indices, number) of the distinct edges of every pair."""
    room = 2
    for pair in range(len(lengths)):
        if lengths[pair] < SHORT:
            i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
            room = max(room, i_stop - i + j_stop - j + 2)
    overlaps, closest = np.empty((2, room)), np.empty((2, room), np.int64)
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        ours, theirs = ref.positions[i:i_stop], hyp.positions[j:j_stop]
        if lengths[pair] < SHORT:
            out[pair, 0], out[pair, 1] = _align(ours, theirs, lengths[pair], overlaps, closest)
        else:
            out[pair, 0], out[pair, 1] = align_pair(ours, theirs, lengths[pair], 0.0)


@inline
def _bid(segment: Any, shared: Any, size: Any, order: Any) -> Any:
    """Write down how close an overlap brings a segment of this number to another of this size; more is closer."""
    return (np.int64(segment) << 46) | (shared << 31) | ((SHORT - 1 - size) << 16) | (ORDER - np.int64(order))


@kernel
def _align(
    ref: NDArray[Any], hyp: NDArray[Any], length: int, overlaps: NDArray[Any], closest: NDArray[Any]
) -> tuple[float, float]:
    """Sum the Jaccard indices of the distinct edges of one pair from left to right, and count the edges.

    ``overlaps`` takes the Jaccard index of every overlap, and 1 where it is an edge; ``closest`` the overlap that is closest to every
    segment of the reference and of the hypothesis.
    """
    if length <= 0:
        return 0.0, 0.0
    weights, edges = overlaps[0], overlaps[1]
    of_ref, of_hyp = closest[0], closest[1]
    in_ref, in_hyp = Index(len(ref)), Index(len(hyp))
    i, j, count = NONE, NONE, NONE
    start = highest = other_highest = 0
    while start < length:
        ref_to = ref[i] if i < in_ref else length
        hyp_to = hyp[j] if j < in_hyp else length
        ref_size = ref_to - (ref[i - ONE] if i > NONE else 0)
        hyp_size = hyp_to - (hyp[j - ONE] if j > NONE else 0)
        end = min(ref_to, hyp_to)
        shared = end - start
        weights[count], edges[count] = shared / (ref_size + hyp_size - shared), 0.0
        highest = max(highest, _bid(i, shared, hyp_size, count))
        other_highest = max(other_highest, _bid(j, shared, ref_size, count))
        of_ref[i], of_hyp[j] = ORDER - (highest & ORDER), ORDER - (other_highest & ORDER)
        i += Index(ref_to == end)
        j += Index(hyp_to == end)
        count += ONE
        start = end
    for segment in range(len(ref) + 1):
        edges[Index(of_ref[segment])] = 1.0
    for segment in range(len(hyp) + 1):
        edges[Index(of_hyp[segment])] = 1.0
    total = number = 0.0
    for overlap in range(count):
        total += edges[overlap] * weights[overlap]
        number += edges[overlap]
    return total, number
