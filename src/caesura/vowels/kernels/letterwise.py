"""The likeliest forms of words whose letters are chosen one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import kernel


@kernel(plain=False)
def likeliest_forms(
    logs: NDArray[Any], words: NDArray[Any], sizes: NDArray[Any], choices: NDArray[Any], scores: NDArray[Any]
) -> None:
    """For every word its likeliest rows of choices, best first, and the sum of their logarithms.

    Row ``l`` of ``logs`` has the log probability of every choice of letter ``l``; the letters of word ``w`` are ``words[w] … words[w+1]-1``.
    As many forms are kept as ``scores`` has columns; choice ``i`` of form ``r`` of word ``w`` is ``choices[words[w] + i, r]``. Sums are
    compared before ties, and of two equal ones the first found stays first.
    """
    most, width = scores.shape[1], logs.shape[1]
    best = np.empty(most)
    parent = np.empty((most,), np.int64)
    choice = np.empty((most,), np.int64)
    for w in range(len(words) - 1):
        low, high = words[w], words[w + 1]
        before = np.zeros(1)
        parents = np.zeros((high - low, most), np.int64)
        for at in range(low, high):
            kept = 0
            for b in range(len(before)):
                for c in range(width):
                    total = before[b] + logs[at, c]
                    if logs[at, c] == -np.inf or (kept == most and total <= best[kept - 1]):
                        continue
                    place = kept if kept < most else most - 1
                    while place > 0 and best[place - 1] < total:
                        if place < most:
                            best[place], parent[place], choice[place] = (
                                best[place - 1], parent[place - 1], choice[place - 1],
                            )  # fmt: skip
                        place -= 1
                    best[place], parent[place], choice[place] = total, b, c
                    kept = min(kept + 1, most)
            before = best[:kept].copy()
            for r in range(kept):
                parents[at - low, r] = parent[r]
                choices[at, r] = choice[r]
        sizes[w] = len(before)
        for r in range(len(before)):
            scores[w, r] = before[r]
        row = np.empty(len(before), np.int64)
        chosen = np.empty((high - low, len(before)), np.int64)
        for r in range(len(before)):
            row[r] = r
        for at in range(high - 1, low - 1, -1):
            for r in range(len(before)):
                chosen[at - low, r] = choices[at, row[r]]
                row[r] = parents[at - low, row[r]]
        for at in range(low, high):
            for r in range(len(before)):
                choices[at, r] = chosen[at - low, r]
