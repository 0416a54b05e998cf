"""Kernel that counts letters and words with correct marks, by merging two sorted lists of marks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import MarkColumns, fill
from caesura.kernels.jit import kernel


@kernel
def count_marks(
    ref: MarkColumns,
    hyp: MarkColumns,
    lengths: NDArray[Any],
    bits: NDArray[Any],
    ends: NDArray[Any],
    out: NDArray[Any],
) -> None:
    """Fill ``out`` with (wrong letters, letters, correct known words, known words, correct unseen words, unseen words).

    ``bits[t]`` is the bit of type ``t``: its own, or shared with the other types of its group, or 0 if the type is ignored; ``ends[t]`` is 1 if the
    type ends a word, 2 if it ends an unseen word. A letter is correct if both sides have the same bits, a word if all its letters are
    correct; words are those of the reference. Letters after the last end of a word belong to no word.
    """
    for pair in range(len(lengths)):
        fill(out[pair], 0.0)
        out[pair, 1] = lengths[pair]
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        right = True
        while i < i_stop or j < j_stop:
            place = np.int64(1 << 62)  # beyond all positions
            if i < i_stop:
                place = np.int64(ref.positions[i])
            if j < j_stop:
                place = min(place, np.int64(hyp.positions[j]))
            ours, theirs, end = np.int64(0), np.int64(0), 0
            while i < i_stop and ref.positions[i] == place:
                ours |= bits[ref.types[i]]
                end = max(end, ends[ref.types[i]])
                i += 1
            while j < j_stop and hyp.positions[j] == place:
                theirs |= bits[hyp.types[j]]
                j += 1
            # Letters without marks on both sides never get here: they are correct.
            if ours != theirs:
                out[pair, 0] += 1
                right = False
            if end > 0:
                out[pair, 2 * end + 1] += 1
                if right:
                    out[pair, 2 * end] += 1
                right = True
