"""Affinity propagation for segmentation (Kazantseva & Szpakowicz 2011): segments around a unit that stands for the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from caesura.kernels.jit import kernel


@kernel(work=lambda block, sums, **_: float(block.shape[0] * sums.shape[1] ** 2))
def exemplar_rows(first: int, lowest: Any, sums: Any, preferences: Any, block: Any) -> None:
    """Fill ``block[r, i]`` with minus the net similarity of units i … first + r to the best exemplar among them.

    ``sums[t, c]`` is the similarity of units before t to unit c, c itself left out.
    """
    for r in range(block.shape[0]):
        j = first + r
        above = sums[j + 1]
        for i in range(lowest[j + 1], j + 1):
            below = sums[i]
            best = -np.inf
            for c in range(i, j + 1):
                value = above[c] - below[c] + preferences[c]
                best = value if value > best else best
            block[r, i] = -best


@kernel
def _update_responsibilities(similarities: Any, window: int, damping: float, available: Any, responsible: Any) -> None:
    """``r(i, j) = s(i, j) - max_{k ≠ j} (a(i, k) + s(i, k))``, mixed with what it was."""
    n = similarities.shape[0]
    for i in range(n):
        best = second = -np.inf
        where = -1
        low, high = max(0, i - window), min(n, i + window + 1)
        for k in range(low, high):
            value = available[i, k] + similarities[i, k]
            if value > best:
                best, second, where = value, best, k
            elif value > second:
                second = value
        for j in range(low, high):
            other = second if j == where else best
            if other == -np.inf:
                other = 0.0
            responsible[i, j] = damping * responsible[i, j] + (1.0 - damping) * (similarities[i, j] - other)


@kernel
def _update_availabilities(
    window: int, damping: float, responsible: Any, available: Any, left: Any, right: Any
) -> None:
    """What the units around say for j as the exemplar of i; runs of units are contiguous, so running sums give all."""
    n = responsible.shape[0]
    for j in range(n):
        low, high = max(0, j - window), min(n - 1, j + window)
        left[low] = 0.0  # the best stretch that ends just before each unit, or none
        for i in range(low + 1, j + 1):
            left[i] = max(0.0, left[i - 1] + responsible[i - 1, j])
        right[high] = 0.0
        for i in range(high - 1, j - 1, -1):
            right[i] = max(0.0, right[i + 1] + responsible[i + 1, j])
        keep, new = damping, 1.0 - damping
        available[j, j] = keep * available[j, j] + new * (left[j] + right[j])
        run, least = responsible[j, j], 0.0  # sums of r(i+1 … j), and the least sum of r(i+1 … m), m < j
        for i in range(j - 1, low - 1, -1):
            value = left[i] + min(run + right[j], least)
            available[i, j] = keep * available[i, j] + new * value
            run += responsible[i, j]
            least = min(0.0, least + responsible[i, j])
        run, least = responsible[j, j], 0.0
        for i in range(j + 1, high + 1):
            value = right[i] + min(run + left[j], least)
            available[i, j] = keep * available[i, j] + new * value
            run += responsible[i, j]
            least = min(0.0, least + responsible[i, j])


@kernel(work=lambda similarities, **_: 400.0 * similarities.size)
def pass_messages(similarities: Any, window: int, damping: float, rounds: int, patience: int) -> Any:
    """Pass messages until the exemplars stay the same for more than ``patience`` rounds; the diagonal holds the preferences.

    Returns which units are exemplars, and how many rounds it took.
    """
    n = similarities.shape[0]
    responsible, available = np.zeros((n, n)), np.zeros((n, n))
    left, right = np.zeros(n), np.zeros(n)
    chosen, before = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    same = 0
    done = 0
    for turn in range(rounds):
        done = turn + 1
        _update_responsibilities(similarities, window, damping, available, responsible)
        _update_availabilities(window, damping, responsible, available, left, right)
        number = 0
        changed = False
        for j in range(n):
            chosen[j] = available[j, j] + responsible[j, j] > 0.0
            number += chosen[j]
            changed |= chosen[j] != before[j]
            before[j] = chosen[j]
        same = 0 if changed or number == 0 else same + 1
        if same > patience:
            break
    return chosen, done


@kernel
def place_between(similarities: Any, exemplars: Any) -> Any:
    """Put each boundary between two exemplars in a row where the units in between are most similar to their own; ties go left."""
    positions = np.empty(max(len(exemplars) - 1, 0), np.int64)
    for e in range(len(exemplars) - 1):
        left, right = exemplars[e], exemplars[e + 1]
        best, where, run = 0.0, left + 1, 0.0
        for t in range(left + 1, right):
            run += similarities[t, left] - similarities[t, right]
            if run > best:
                best, where = run, t + 1
        positions[e] = where
    return positions
