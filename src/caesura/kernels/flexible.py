"""The least cost of turning one list of typed boundaries into another: flexible segmentation similarity's alignment.

Both lists are cut where they meet; inside each gap a banded dynamic programme walks over boundaries, never over tokens.
The band is as wide as the farthest distance at which a move can pay, so time is linear in the number of boundaries and
the memory does not grow with the text.

Types are codes ``0 … K-1``, and ``K`` stands for no boundary.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import inline, kernel
from caesura.kernels.layout import MarkColumns, pairs_of_marks

_TIE = 1e-9  # costs nearer than this are equal: 4 × 0.175 and 0.7 must tie

_DELETED, _ADDED, _PAIRED = 0, 1, 2


# The two innermost loops take bare arrays: handed over in tuples they ran a fifth slower.


class FlexibleRule(NamedTuple):
    """What becoming another type costs (``costs[p, q]``), and a step, and how far a move can pay.

    ``steps[0, p, q]`` is the price of one step where the reference's boundary p lies behind the hypothesis' q, ``steps[1]`` where it lies
    before. Boundaries at one place are the same one where ``forced``; of equal costs most (``sign`` 1) or fewest (-1) boundaries win.
    """

    costs: NDArray[Any]
    steps: NDArray[Any]
    reach: int
    forced: bool
    sign: int


@inline
def _better(cost: float, pairs: int, than: float, than_pairs: int, sign: int) -> bool:
    """Whether a way is cheaper, or as cheap and (sign 1) with fewer or (sign -1) with more pairs."""
    return bool(cost < than - _TIE or (cost < than + _TIE and sign * pairs < sign * than_pairs))


@kernel
def _gap(
    ref_positions: NDArray[Any], ref_types: NDArray[Any], i0: int, i1: int,
    hyp_positions: NDArray[Any], hyp_types: NDArray[Any], j0: int, j1: int,
    costs: NDArray[Any], steps: NDArray[Any], reach: int, sign: int,
    best: NDArray[Any], joined: NDArray[Any], lows: NDArray[Any], choices: NDArray[Any],
) -> tuple[float, int]:  # fmt: skip
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
    ref_positions: NDArray[Any], ref_types: NDArray[Any], i: int, i1: int,
    hyp_positions: NDArray[Any], hyp_types: NDArray[Any], j: int, j1: int,
    costs: NDArray[Any], steps: NDArray[Any], reach: int, forced: bool, sign: int,
    best: NDArray[Any], joined: NDArray[Any], lows: NDArray[Any], choices: NDArray[Any],
) -> tuple[float, int]:  # fmt: skip
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
    ref: MarkColumns, hyp: MarkColumns, lengths: NDArray[Any], rule: FlexibleRule, closing: bool, out: NDArray[Any]
) -> None:
    """Fill ``out`` with a row of ``FlexibleCounts`` per pair; ``closing``: the end of the text is a place for a boundary."""
    ours, our_types, theirs, their_types = ref.positions, ref.types, hyp.positions, hyp.types
    costs, steps, reach, forced, sign = rule
    most = 0
    for pair in range(len(lengths)):
        most = max(most, hyp.stops[pair] - hyp.starts[pair])
    width = min(most + 1, 2 * reach + 2)
    best, joined = np.empty(width, np.float64), np.empty(width, np.int64)
    lows, choices = joined[:0], np.empty((0, 0), np.uint8)  # no way back is kept
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        out[pair, 0], out[pair, 1] = track_cost(
            ours, our_types, i, i_stop, theirs, their_types, j, j_stop,
            costs, steps, reach, forced, sign, best, joined, lows, choices,
        )  # fmt: skip
        out[pair, 2] = lengths[pair] if closing else max(lengths[pair] - 1, 0)


@kernel(work=lambda ref, hyp, **_: len(ref.positions) * len(hyp.positions))
def align_flexible(ref: MarkColumns, hyp: MarkColumns, rule: FlexibleRule, partner: NDArray[Any]) -> None:
    """For every reference boundary, fill ``partner`` with the hypothesis boundary it is paired with, or -1."""
    costs, steps, reach, forced, sign = rule
    i, i1, j, j1 = 0, len(ref.positions), 0, len(hyp.positions)
    width = min(j1 + 1, 2 * reach + 2)
    best, joined = np.empty(width, np.float64), np.empty(width, np.int64)
    partner[:] = -1
    while i < i1 and j < j1:
        i2, j2 = i1, j1
        if forced:
            i2, j2 = _meeting(ref.positions, i, i1, hyp.positions, j, j1)
        if i < i2 and j < j2:
            lows = np.empty(i2 - i, np.int64)
            choices = np.empty((i2 - i, min(width, j2 - j + 1)), np.uint8)
            _gap(
                ref.positions, ref.types, i, i2, hyp.positions, hyp.types, j, j2,
                costs, steps, reach, sign, best, joined, lows, choices,
            )  # fmt: skip
            _walk_back(ref.positions[i:i2], hyp.positions[:j2], reach, lows, choices, partner[i:i2])
        i, j = i2, j2
        if forced and i < i1 and j < j1:
            partner[i] = j
            i += 1
            j += 1


@kernel
def _walk_back(
    ref: NDArray[Any], hyp: NDArray[Any], reach: int, lows: NDArray[Any], choices: NDArray[Any], partner: NDArray[Any]
) -> None:
    """Follow the kept choices from the end of a gap to its beginning; left and right of the band nothing pairs."""
    i, j = len(ref) - 1, len(hyp)
    while i >= 0:
        low = lows[i]
        if j > low and hyp[j - 1] > ref[i] + reach:
            j -= 1
            continue
        choice = choices[i, j - low] if j > low else _DELETED
        if choice == _PAIRED:
            partner[i] = j - 1
            i -= 1
            j -= 1
        elif choice == _ADDED:
            j -= 1
        else:
            i -= 1
