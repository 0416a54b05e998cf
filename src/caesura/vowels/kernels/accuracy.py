"""Counting letters and words whose marks are right: one merge of two sorted lists of marks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import kernel
from caesura.kernels.layout import MarkColumns


@kernel
def count_marks(
    ref: MarkColumns,
    hyp: MarkColumns,
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
    for pair in range(len(lengths)):
        out[pair, :] = 0.0
        out[pair, 1] = lengths[pair]
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        right = True
        while i < i_stop or j < j_stop:
            place = np.int64(1 << 62)
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
            if ours != theirs:
                out[pair, 0] += 1
                right = False
            if end > 0:
                out[pair, 2 * end + 1] += 1
                if right:
                    out[pair, 2 * end] += 1
                right = True
