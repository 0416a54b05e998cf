"""Counting letters and words whose marks are right: one merge of two sorted lists of marks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import kernel


@kernel
def count_marks(
    ref_positions: NDArray[Any],
    ref_types: NDArray[Any],
    ref_starts: NDArray[Any],
    ref_stops: NDArray[Any],
    hyp_positions: NDArray[Any],
    hyp_types: NDArray[Any],
    hyp_starts: NDArray[Any],
    hyp_stops: NDArray[Any],
    lengths: NDArray[Any],
    bits: NDArray[Any],
    ends: NDArray[Any],
    out: NDArray[Any],
) -> None:
    """Fill ``out`` with (letters wrong, letters, known words right, known words, unseen words right, unseen words).

    ``bits[t]`` is what type ``t`` counts as: a bit of its own, one it shares with others of its group, or 0 (not looked at); ``ends[t]`` is
    1 where the type ends a word, 2 where the word is unseen. A letter is right where both sides have the same bits, a word where all
    its letters are; words are those of the reference. Letters behind the last end belong to no word.
    """
    for pair in range(len(ref_starts)):
        out[pair, :] = 0.0
        out[pair, 1] = lengths[pair]
        i, j = ref_starts[pair], hyp_starts[pair]
        right = True
        while i < ref_stops[pair] or j < hyp_stops[pair]:
            place = np.int64(1 << 62)
            if i < ref_stops[pair]:
                place = np.int64(ref_positions[i])
            if j < hyp_stops[pair]:
                place = min(place, np.int64(hyp_positions[j]))
            ours, theirs, end = np.int64(0), np.int64(0), 0
            while i < ref_stops[pair] and ref_positions[i] == place:
                ours |= bits[ref_types[i]]
                end = max(end, ends[ref_types[i]])
                i += 1
            while j < hyp_stops[pair] and hyp_positions[j] == place:
                theirs |= bits[hyp_types[j]]
                j += 1
            if ours != theirs:
                out[pair, 0] += 1
                right = False
            if end > 0:
                out[pair, 2 * end + 1] += 1
                if right:
                    out[pair, 2 * end] += 1
                right = True
