"""Sections of two annotators' continua, merged from left to right: the sums behind Krippendorff's α of unitizing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import kernel


@kernel
def sum_section_differences(starts: NDArray[Any], ends: NDArray[Any], offsets: NDArray[Any]) -> tuple[int, int]:
    """Add up, over every two annotators, how their sections differ; as (high, low) of ``high * 2**32 + low``.

    Units that intersect differ by the squares of their ends' distances; a unit wholly inside the other's gap by the square of its length.
    """
    high = low = 0
    for i in range(len(offsets) - 1):
        for j in range(i):
            u, v, stop_u, stop_v = offsets[i], offsets[j], offsets[i + 1], offsets[j + 1]
            met_u = met_v = False  # whether the unit at hand has met one of the other annotator
            while u < stop_u or v < stop_v:
                if u < stop_u and v < stop_v and starts[u] < ends[v] and starts[v] < ends[u]:
                    first, last = abs(starts[u] - starts[v]), abs(ends[u] - ends[v])
                    high += first * first >> 32
                    low += first * first & 0xFFFFFFFF
                    high += last * last >> 32
                    low += last * last & 0xFFFFFFFF
                    met_u = met_v = True
                if v == stop_v or (u < stop_u and ends[u] <= ends[v]):
                    if not met_u:
                        size = ends[u] - starts[u]
                        high += size * size >> 32
                        low += size * size & 0xFFFFFFFF
                    u, met_u = u + 1, False
                else:
                    if not met_v:
                        size = ends[v] - starts[v]
                        high += size * size >> 32
                        low += size * size & 0xFFFFFFFF
                    v, met_v = v + 1, False
    return high, low


@kernel
def sum_coincidences(
    starts: NDArray[Any],
    ends: NDArray[Any],
    codes: NDArray[Any],
    offsets: NDArray[Any],
    length: int,
    values: NDArray[Any],
    ratio: bool,
    by_code: NDArray[Any],
) -> float:
    """Sweep over all annotators' units, which do not overlap within one, and add up what coincides with what.

    ``by_code[c]`` receives, of label ``c``, the last row of no unit at all: length marked; length that coincides with itself; with no unit; squares of
    units' lengths (of gaps: their length); squares of units' overlaps with each other annotator. Where labels have ``values``, return the sum of
    their squared differences (or of their ratio's) over coinciding units. Every two annotators count, so that sums over pairs stay whole.
    """
    n, none = len(offsets) - 1, len(by_code) - 1
    at, inside = offsets[:-1].copy(), np.zeros(n, np.bool_)
    label, shared, here, apart = np.full(n, none), np.zeros((n, n)), np.int64(0), 0.0
    while here < length:
        following = np.int64(length)
        for i in range(n):
            if at[i] < offsets[i + 1]:
                following = min(following, ends[at[i]] if inside[i] else max(starts[at[i]], here))
        size = float(following - here)
        if size > 0:
            for i in range(n):
                by_code[label[i], 0] += size
                if label[i] == none:
                    by_code[none, 3] += size
                for j in range(n):
                    if i == j:
                        continue
                    if label[i] == label[j]:
                        by_code[label[i], 1] += size
                    if label[j] == none:
                        by_code[label[i], 2] += size
                    elif label[i] != none:
                        shared[i, j] += size
                        if len(values):
                            a, b = values[label[i]], values[label[j]]
                            change = a - b
                            if ratio and change != 0:
                                change = change / (a + b)
                            apart += size * change * change
        here = following
        for i in range(n):
            while at[i] < offsets[i + 1]:
                if inside[i]:
                    if ends[at[i]] > here:
                        break
                    unit = float(ends[at[i]] - starts[at[i]])
                    by_code[label[i], 3] += unit * unit
                    for j in range(n):
                        by_code[label[i], 4] += shared[i, j] * shared[i, j]
                        shared[i, j] = 0.0
                    inside[i], label[i] = False, none
                    at[i] += 1
                else:
                    if starts[at[i]] > here:
                        break
                    inside[i], label[i] = True, codes[at[i]]

    return apart
