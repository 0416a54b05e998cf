"""Two nested levels at once: the least sum of the costs of coarse and fine segments, both numbers given."""

from __future__ import annotations

from typing import Any

import numpy as np

from caesura.kernels.jit import kernel


@kernel(plain=False)
def nest_jointly(costs: Any, coarse: int, fine: int) -> Any:
    """Choose ``coarse - 1`` and ``fine - 1`` of m inner edges, the coarse among the fine.

    ``costs[i, j]`` is what a segment between edges i < j costs, on either level. First the best ways to cut every stretch into
    1, 2, … fine segments, then the coarse level over them: O(fine m³ + coarse fine² m²). Returns two arrays of edges.
    """
    m = costs.shape[0] - 1
    cut = np.full((fine + 1, m + 1, m + 1), np.inf)  # cut[k, i, j]: the least cost of k fine segments between i and j
    cut_back = np.zeros((fine + 1, m + 1, m + 1), np.int32)
    for i in range(m + 1):
        cut[0, i, i] = 0.0
        for k in range(1, fine + 1):
            for j in range(i + 1, m + 1):
                for h in range(i, j):
                    value = cut[k - 1, i, h] + costs[h, j]
                    if value < cut[k, i, j]:
                        cut[k, i, j], cut_back[k, i, j] = value, h
    best = np.full((coarse + 1, fine + 1, m + 1), np.inf)
    start, share = np.zeros((coarse + 1, fine + 1, m + 1), np.int32), np.zeros((coarse + 1, fine + 1, m + 1), np.int32)
    best[0, 0, 0] = 0.0
    for a in range(1, coarse + 1):
        for b in range(a, fine + 1):
            for j in range(1, m + 1):
                for i in range(j):
                    for k in range(1, b + 1):
                        value = best[a - 1, b - k, i] + costs[i, j] + cut[k, i, j]
                        if value < best[a, b, j]:
                            best[a, b, j], start[a, b, j], share[a, b, j] = value, i, k
    outer, inner = np.zeros(coarse - 1, np.int64), np.zeros(fine - 1, np.int64)
    a, b, j = coarse, fine, m
    filled = fine - 2
    while a > 0:
        i, k = start[a, b, j], share[a, b, j]
        end = j
        for q in range(k, 1, -1):
            end = cut_back[q, i, end]
            inner[filled] = end
            filled -= 1
        if i > 0:
            outer[a - 2] = i
            inner[filled] = i
            filled -= 1
        a, b, j = a - 1, b - k, i
    return outer, inner, best[coarse, fine, m]
