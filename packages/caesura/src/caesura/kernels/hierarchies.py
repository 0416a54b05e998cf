"""Compare how two hierarchies order pairs of frames: the loops of the T-measure and the L-measure."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import fill
from caesura.kernels.jit import kernel


def _frames_of_windows(*, ref: Any, est: Any, window: int, **_: Any) -> float:
    frames = ref.shape[1]
    return float(frames * min(2 * window, frames) * (ref.shape[0] + est.shape[0]))


@kernel(work=_frames_of_windows)
def order_frames(
    ref: NDArray[Any], est: NDArray[Any], sizes: NDArray[Any], window: int, transitive: bool, out: NDArray[Any]
) -> None:
    """Add to ``out`` the sum over frames of the share of ordered pairs that ``est`` orders alike, and the number of frames with pairs.

    ``ref[k, i]`` is the number of the segment (or label) of frame ``i`` in layer ``k``, from coarse to fine; 0 for none. Column ``i``
    stands for ``sizes[i]`` equal frames. Two frames are as close as the deepest layer in which they share a number.
    """
    layers, others, frames = ref.shape[0], est.shape[0], ref.shape[1]
    table = np.zeros((layers + 1, others + 1))  # frames in the window by closeness to frame q, in both hierarchies
    for q in range(frames):
        for close in range(layers + 1):
            fill(table[close], 0.0)
        for i in range(max(0, q - window), min(frames, q + window)):
            close = layers
            while close > 0 and (ref[close - 1, i] == 0 or ref[close - 1, i] != ref[close - 1, q]):
                close -= 1
            near = others
            while near > 0 and (est[near - 1, i] == 0 or est[near - 1, i] != est[near - 1, q]):
                near -= 1
            table[close, near] += sizes[i] - (i == q)  # a frame is not compared with itself
        pairs = wrong = 0.0
        for low in range(layers):
            for high in range(low + 1, layers + 1 if transitive else low + 2):
                fewer = farther = 0.0  # farther: of the closer frames, those that est puts at this distance or farther
                for b in range(others + 1):
                    fewer += table[low, b]
                    farther += table[high, b]
                    wrong += table[low, b] * farther
                pairs += fewer * farther
        if pairs > 0:
            out[0] += sizes[q] * (1.0 - wrong / pairs)
            out[1] += sizes[q]
