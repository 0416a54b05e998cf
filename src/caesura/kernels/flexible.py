"""The least cost of turning one list of typed boundaries into another: flexible segmentation similarity's alignment.

Both lists are cut where they meet; inside each gap a banded dynamic programme walks over boundaries, never over tokens.
The band is as wide as the farthest distance at which a move can pay, so time is linear in the number of boundaries and
the memory does not grow with the text.

Conventions: types are codes ``0 … K-1`` and ``K`` stands for no boundary; ``costs[p, q]`` is the price of p becoming q;
``steps[0, p, q]`` is the price of one step where the reference's boundary p lies behind the hypothesis' q, ``steps[1]``
where it lies before.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import inline, kernel, pairs_of_marks

__all__ = ["align_flexible", "count_flexible", "track_cost"]

_TIE = 1e-9  # costs nearer than this are equal: 4 × 0.175 and 0.7 must tie

_DELETED, _ADDED, _PAIRED = 0, 1, 2


@inline
def _better(cost: float, pairs: int, than: float, than_pairs: int, sign: int) -> bool:
    """Whether a way is cheaper, or as cheap and (sign 1) with fewer or (sign -1) with more pairs."""
    return bool(cost < than - _TIE or (cost < than + _TIE and sign * pairs < sign * than_pairs))


@kernel
def _gap(
    ref_positions: NDArray[Any],
    ref_types: NDArray[Any],
    i0: int,
    i1: int,
    hyp_positions: NDArray[Any],
    hyp_types: NDArray[Any],
    j0: int,
    j1: int,
    costs: NDArray[Any],
    steps: NDArray[Any],
    reach: int,
    sign: int,
    best: NDArray[Any],
    joined: NDArray[Any],
    lows: NDArray[Any],
    choices: NDArray[Any],
) -> tuple[float, int]:
    """Align two runs of boundaries; return the least cost and its pairs. Choices are kept where there is room for them.

    ``best[k]`` and ``joined[k]`` hold, for the reference's boundaries so far, the way that uses ``low + k`` of the
    hypothesis'. A hypothesis boundary left of the band can pair with nothing that is still to come.
    """
    none = len(costs) - 1
    keep = len(choices) > 0
    low = high = j0
    best[0] = 0.0
    joined[0] = 0
    for i in range(i0, i1):
        p, at = ref_types[i], ref_positions[i]
        deletion = costs[p, none]
        new_low = low
        while new_low < j1 and hyp_positions[new_low] < at - reach:
            new_low += 1
        if new_low > high:
            cost, pairs = best[high - low], joined[high - low]
            for j in range(high, new_low):
                cost += costs[none, hyp_types[j]]
            best[0], joined[0] = cost, pairs
            low = high = new_low
        elif new_low > low:
            shift = new_low - low
            for k in range(high - new_low + 1):
                best[k], joined[k] = best[k + shift], joined[k + shift]
            low = new_low
        while high < j1 and hyp_positions[high] <= at + reach:
            best[high + 1 - low] = best[high - low] + costs[none, hyp_types[high]]
            joined[high + 1 - low] = joined[high - low]
            high += 1
        before, before_pairs = best[0], joined[0]
        best[0] += deletion
        if keep:
            lows[i - i0] = low
            choices[i - i0, 0] = _DELETED
        for j in range(low, high):
            k = j + 1 - low
            q = hyp_types[j]
            distance = at - hyp_positions[j]
            above, above_pairs = best[k], joined[k]
            cost, pairs, choice = above + deletion, above_pairs, _DELETED
            way = best[k - 1] + costs[none, q]
            if _better(way, joined[k - 1], cost, pairs, sign):
                cost, pairs, choice = way, joined[k - 1], _ADDED
            step = steps[0, p, q] if distance > 0 else steps[1, p, q]
            way = before + costs[p, q] + step * abs(distance)
            if _better(way, before_pairs + 1, cost, pairs, sign):
                cost, pairs, choice = way, before_pairs + 1, _PAIRED
            before, before_pairs = above, above_pairs
            best[k], joined[k] = cost, pairs
            if keep:
                choices[i - i0, k] = choice
    cost, pairs = best[high - low], joined[high - low]
    for j in range(high, j1):
        cost += costs[none, hyp_types[j]]
    return cost, pairs


@inline
def _meeting(ref_positions: Any, i: int, i1: int, hyp_positions: Any, j: int, j1: int) -> tuple[int, int]:
    """Find the next position that both sides mark, from i and j on; both ends where there is none."""
    while i < i1 and j < j1 and ref_positions[i] != hyp_positions[j]:
        if ref_positions[i] < hyp_positions[j]:
            i += 1
        else:
            j += 1
    if i == i1 or j == j1:
        return i1, j1
    return i, j


@kernel
def track_cost(
    ref_positions: NDArray[Any],
    ref_types: NDArray[Any],
    i: int,
    i1: int,
    hyp_positions: NDArray[Any],
    hyp_types: NDArray[Any],
    j: int,
    j1: int,
    costs: NDArray[Any],
    steps: NDArray[Any],
    reach: int,
    forced: bool,
    sign: int,
    best: NDArray[Any],
    joined: NDArray[Any],
    lows: NDArray[Any],
    choices: NDArray[Any],
) -> tuple[float, int]:
    """Return the least cost of one track and its pairs plus unpaired boundaries; the last four arrays are room to work in."""
    none = len(costs) - 1
    units = i1 - i + j1 - j
    cost = 0.0
    while i < i1 or j < j1:
        i2, j2 = i1, j1
        if forced:
            i2, j2 = _meeting(ref_positions, i, i1, hyp_positions, j, j1)
        if i == i2:
            for k in range(j, j2):
                cost += costs[none, hyp_types[k]]
        elif j == j2:
            for k in range(i, i2):
                cost += costs[ref_types[k], none]
        else:
            spent, pairs = _gap(
                ref_positions, ref_types, i, i2, hyp_positions, hyp_types, j, j2,
                costs, steps, reach, sign, best, joined, lows, choices,
            )  # fmt: skip
            cost += spent
            units -= pairs
        i, j = i2, j2
        if forced and i < i1 and j < j1:
            cost += costs[ref_types[i], hyp_types[j]]
            units -= 1
            i += 1
            j += 1
    return cost, units


@kernel(work=pairs_of_marks)
def count_flexible(
    ref_positions: NDArray[Any],
    ref_types: NDArray[Any],
    ref_starts: NDArray[Any],
    ref_stops: NDArray[Any],
    hyp_positions: NDArray[Any],
    hyp_types: NDArray[Any],
    hyp_starts: NDArray[Any],
    hyp_stops: NDArray[Any],
    lengths: NDArray[Any],
    costs: NDArray[Any],
    steps: NDArray[Any],
    reach: int,
    forced: bool,
    sign: int,
    closing: bool,
    out: NDArray[Any],
) -> None:
    """Fill ``out`` with a row of ``FlexibleCounts`` per pair; ``closing``: the end of the text is a place for a boundary."""
    widest = 1
    for pair in range(len(ref_starts)):
        widest = max(widest, hyp_stops[pair] - hyp_starts[pair] + 1)
    width = min(widest, 2 * reach + 2)
    best = np.empty(width, np.float64)
    joined = np.empty(width, np.int64)
    lows, choices = joined[:0], np.empty((0, 0), np.uint8)  # no way back is kept
    for pair in range(len(ref_starts)):
        cost, units = track_cost(
            ref_positions, ref_types, ref_starts[pair], ref_stops[pair],
            hyp_positions, hyp_types, hyp_starts[pair], hyp_stops[pair],
            costs, steps, reach, forced, sign, best, joined, lows, choices,
        )  # fmt: skip
        out[pair, 0] = cost
        out[pair, 1] = units
        out[pair, 2] = lengths[pair] if closing else max(lengths[pair] - 1, 0)


@kernel(work=lambda ref_positions, hyp_positions, **_: len(ref_positions) * len(hyp_positions))
def align_flexible(
    ref_positions: NDArray[Any],
    ref_types: NDArray[Any],
    hyp_positions: NDArray[Any],
    hyp_types: NDArray[Any],
    costs: NDArray[Any],
    steps: NDArray[Any],
    reach: int,
    forced: bool,
    sign: int,
    partner: NDArray[Any],
) -> None:
    """For every reference boundary, fill ``partner`` with the hypothesis boundary it is paired with, or -1."""
    i, i1, j, j1 = 0, len(ref_positions), 0, len(hyp_positions)
    width = min(j1 + 1, 2 * reach + 2)
    best = np.empty(width, np.float64)
    joined = np.empty(width, np.int64)
    partner[:] = -1
    while i < i1 and j < j1:
        i2, j2 = i1, j1
        if forced:
            i2, j2 = _meeting(ref_positions, i, i1, hyp_positions, j, j1)
        if i < i2 and j < j2:
            lows = np.empty(i2 - i, np.int64)
            choices = np.empty((i2 - i, min(width, j2 - j + 1)), np.uint8)
            _gap(
                ref_positions, ref_types, i, i2, hyp_positions, hyp_types, j, j2,
                costs, steps, reach, sign, best, joined, lows, choices,
            )  # fmt: skip
            _walk_back(ref_positions, i, i2, hyp_positions, j2, reach, lows, choices, partner)
        i, j = i2, j2
        if forced and i < i1 and j < j1:
            partner[i] = j
            i += 1
            j += 1


@kernel
def _walk_back(
    ref_positions: NDArray[Any],
    i0: int,
    i1: int,
    hyp_positions: NDArray[Any],
    j1: int,
    reach: int,
    lows: NDArray[Any],
    choices: NDArray[Any],
    partner: NDArray[Any],
) -> None:
    """Follow the kept choices from the end of a gap to its beginning; left and right of the band nothing pairs."""
    i, j = i1 - 1, j1
    while i >= i0:
        low = lows[i - i0]
        if j > low and hyp_positions[j - 1] > ref_positions[i] + reach:
            j -= 1
            continue
        choice = choices[i - i0, j - low] if j > low else _DELETED
        if choice == _PAIRED:
            partner[i] = j - 1
            i -= 1
            j -= 1
        elif choice == _ADDED:
            j -= 1
        else:
            i -= 1
