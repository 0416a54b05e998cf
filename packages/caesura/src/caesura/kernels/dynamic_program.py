"""The exact dynamic program of every additive segmenter, on blocks of rows of costs.

A row contains the cost of every segment (i, j] that ends after unit j, by its start i. Rows come in blocks in the order of j, computed by
the segmenter (:mod:`caesura.kernels.text_segmenters`, a matrix product, prefix sums), so memory is not quadratic. ``lowest[j]`` and
``highest[j]`` bound the allowed starts; ``places[p]`` is the cost of a boundary after unit p, infinite if none is allowed. Ties go to
the smallest start, as in the programs of Utiyama & Isahara and of Eisenstein & Barzilay.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from caesura.kernels.jit import kernel

#: Starts whose minimum is computed at once, with vector instructions.
_STRIDE = 64

#: Terms this much smaller (as logarithms) than the largest do not change a sum of float64: exp(-45) < 2**-64.
_NEGLIGIBLE = -45.0


def _cells(*, block: Any, first: int, costs: Any, **_: Any) -> float:
    """Estimate the steps of a call: every allowed start of every row, for every number of segments."""
    numbers = costs.shape[0] if costs.ndim == 2 else 1
    return float(block.shape[0] * (first + block.shape[0]) * numbers)


def _terms(*, block: Any, first: int, scores: Any, **_: Any) -> float:
    """Estimate the steps of a call: every start is passed twice, for the largest term and for the sum."""
    return 2.0 * _cells(block=block, first=first, costs=scores)


# LLVM vectorises a minimum only if NaN and the sign of zero do not matter; neither can occur here.
@kernel(fastmath={"nnan", "nsz"})
def _least(costs: Any, row: Any, low: int, high: int, minima: Any) -> Any:
    """Return the least ``costs[i] + row[i]`` for low <= i < high; write the least of every stride to ``minima``."""
    best = np.inf
    stride = 0
    begin = low
    while begin < high:
        end = min(begin + _STRIDE, high)
        least = np.inf
        for i in range(begin, end):
            value = costs[i] + row[i]
            least = value if value < least else least
        minima[stride] = least
        best = least if least < best else best
        stride += 1
        begin = end
    return best


@kernel
def _first(costs: Any, row: Any, low: int, high: int, minima: Any, best: float) -> int:
    """Find the smallest start that reaches ``best``: first the stride by its minimum, then the start."""
    if best == np.inf:
        return -1
    stride = 0
    while minima[stride] != best:
        stride += 1
    for i in range(low + stride * _STRIDE, high):
        if costs[i] + row[i] == best:
            return i
    return -1


@kernel(work=_cells)
def choose_free(
    block: Any, first: int, lowest: Any, highest: Any, places: Any, penalty: float, costs: Any, back: Any
) -> None:
    """Extend the best segmentations of any number of segments by the ends of a block.

    ``C(j) = min_i C(i) + cost(i, j) + penalty``; ``costs[j]`` and ``back[j]`` (the start of the last segment) are filled.
    """
    minima = np.empty(len(costs) // _STRIDE + 2)
    for r in range(block.shape[0]):
        j = first + r + 1
        row = block[r]
        best = _least(costs, row, lowest[j], highest[j] + 1, minima)
        back[j] = _first(costs, row, lowest[j], highest[j] + 1, minima, best)
        costs[j] = best + penalty + places[j]


@kernel(work=_cells)
def choose_known(block: Any, first: int, lowest: Any, highest: Any, places: Any, costs: Any, back: Any) -> None:
    """Do the same for every number of segments up to ``costs.shape[0] - 1``: ``C_k(j) = min_i C_{k-1}(i) + cost(i, j)``."""
    most = costs.shape[0] - 1
    minima = np.empty(costs.shape[1] // _STRIDE + 2)
    for r in range(block.shape[0]):
        j = first + r + 1
        row = block[r]
        for k in range(1, min(most, j) + 1):
            low = max(lowest[j], k - 1)
            best = _least(costs[k - 1], row, low, highest[j] + 1, minima)
            back[k, j] = _first(costs[k - 1], row, low, highest[j] + 1, minima, best)
            costs[k, j] = best + places[j]


@kernel
def trace_free(back: Any) -> Any:
    """Return the boundaries in ascending order; empty if the text cannot be segmented as required."""
    n = len(back) - 1
    number = 0
    j = back[n]
    while j > 0:
        number += 1
        j = back[j]
    positions = np.empty(number, np.int64)
    j = back[n]
    while j > 0:
        number -= 1
        positions[number] = j
        j = back[j]
    return positions


@kernel
def trace_known(back: Any, segments: int) -> Any:
    """Return the ``segments - 1`` boundaries in ascending order."""
    positions = np.empty(max(segments - 1, 0), np.int64)
    j = back.shape[1] - 1
    for k in range(segments, 1, -1):
        j = back[k, j]
        positions[k - 2] = j
    return positions


@kernel
def _log_sum(scores: Any, row: Any, low: int, high: int, scale: float) -> Any:
    """Return the logarithm of the sum of ``exp(scores[i] - scale * row[i])``."""
    top = -np.inf  # subtracted from all terms, so that exp cannot overflow
    for i in range(low, high):
        top = max(top, scores[i] - scale * row[i])
    if top == -np.inf:
        return top
    total = 0.0
    for i in range(low, high):
        over = scores[i] - scale * row[i] - top
        if over > _NEGLIGIBLE:
            total += np.exp(over)
    return top + np.log(total)


@kernel(work=_terms)
def sum_free(
    block: Any, first: int, lowest: Any, highest: Any, places: Any, penalty: float, scale: float, scores: Any
) -> None:
    """Compute forward sums over all segmentations: like :func:`choose_free`, with the logarithm of a sum in place of the minimum."""
    for r in range(block.shape[0]):
        j = first + r + 1
        total = _log_sum(scores, block[r], lowest[j], highest[j] + 1, scale)
        scores[j] = total - scale * (penalty + places[j])


@kernel(work=_terms)
def sum_known(block: Any, first: int, lowest: Any, highest: Any, places: Any, scale: float, scores: Any) -> None:
    """Compute forward sums over all segmentations into k segments, for every k."""
    most = scores.shape[0] - 1
    for r in range(block.shape[0]):
        j = first + r + 1
        for k in range(1, min(most, j) + 1):
            total = _log_sum(scores[k - 1], block[r], max(lowest[j], k - 1), highest[j] + 1, scale)
            scores[k, j] = total - scale * places[j]
