"""Pair two rows of named intervals: by equal names, or at least cost; and the edit distance of their names.

Both rows are sorted by start. Which intervals may be paired at all is a band: interval ``i`` of the reference may be paired with those
from ``low[i]`` to ``high[i]`` (excluded) of the hypothesis, and both limits ascend. The choices of row ``i`` begin at ``offset[i]``; a byte has four.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import fill
from caesura.kernels.jit import kernel

_DROP_REFERENCE, _DROP_HYPOTHESIS, _PAIR = 0, 1, 2


class Intervals(NamedTuple):
    """Starts and ends of intervals, and the codes of their names."""

    starts: NDArray[Any]
    ends: NDArray[Any]
    names: NDArray[Any]


class Band(NamedTuple):
    """Which intervals may be paired, and where the choices of each row begin."""

    low: NDArray[Any]
    high: NDArray[Any]
    offset: NDArray[Any]


@kernel
def _store(choice: NDArray[Any], place: int, way: int) -> None:
    """Store a choice of two bits where there is 0."""
    choice[place >> 2] |= np.uint8(way << 2 * (place & 3))


def _cells(*, band: Any, **_: Any) -> float:
    return float(band.offset[-1])


@kernel(work=_cells)
def pair_equal_names(ref: Intervals, hyp: Intervals, same: NDArray[Any], band: Band, partner: NDArray[Any]) -> None:
    """Pair as many intervals with the same name as possible, in order; then with the least sum of |start - start|, then of |end - end|.

    ``same[a, b]`` says whether name ``a`` of the reference and ``b`` of the hypothesis are the same. ``partner`` receives an index or -1.
    """
    size = len(hyp.starts)
    pairs, moved, ended = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    choice = np.zeros((band.offset[-1] + 3) // 4, np.uint8)
    reached = 0  # the values up to here are those of the previous row
    for i in range(len(ref.starts)):
        for j in range(reached, band.high[i]):
            pairs[j + 1], moved[j + 1], ended[j + 1] = pairs[j], moved[j], ended[j]
        reached = max(reached, band.high[i])
        low = band.low[i]
        left_pairs, left_moved, left_ended = pairs[low], moved[low], ended[low]
        for j in range(low, band.high[i]):
            above = pairs[j + 1], moved[j + 1], ended[j + 1]
            most, least, last, way = above[0], above[1], above[2], _DROP_REFERENCE
            if pairs[j] > most or (pairs[j] == most and (moved[j] < least or (moved[j] == least and ended[j] < last))):
                most, least, last, way = pairs[j], moved[j], ended[j], _DROP_HYPOTHESIS
            if same[ref.names[i], hyp.names[j]]:
                far = left_moved + abs(ref.starts[i] - hyp.starts[j])
                far_end = left_ended + abs(ref.ends[i] - hyp.ends[j])
                number = left_pairs + 1
                if number > most or (number == most and (far < least or (far == least and far_end < last))):
                    most, least, last, way = number, far, far_end, _PAIR
            pairs[j + 1], moved[j + 1], ended[j + 1] = most, least, last
            _store(choice, band.offset[i] + j - low, way)
            left_pairs, left_moved, left_ended = above
    _follow(choice, band, size, partner)


class Prices(NamedTuple):
    """What a pair of names costs, and an unpaired interval: inside the table and on its edges."""

    names: NDArray[Any]
    ref_gap: NDArray[Any]
    hyp_gap: NDArray[Any]
    edge_gap: float


@kernel(work=_cells)
def pair_at_least_cost(ref: Intervals, hyp: Intervals, prices: Prices, band: Band, partner: NDArray[Any]) -> float:
    """Pair intervals at the least sum of |start - start| + |end - end| + the price of their names; return that sum.

    Of equal costs, a pair wins, then an unpaired interval of the reference.
    """
    size = len(hyp.starts)
    cost = np.empty(size + 1)
    cost[0] = 0.0
    choice = np.zeros((band.offset[-1] + 3) // 4, np.uint8)
    reached = 0
    for i in range(len(ref.starts)):
        for j in range(reached, band.high[i]):
            cost[j + 1] = cost[j] + (prices.edge_gap if i == 0 else prices.hyp_gap[j])
        reached = max(reached, band.high[i])
        low = band.low[i]
        left = cost[low]
        cost[low] = left + (prices.edge_gap if low == 0 else prices.ref_gap[i])
        for j in range(low, band.high[i]):
            above = cost[j + 1]
            least, way = above + prices.ref_gap[i], _DROP_REFERENCE
            other = cost[j] + prices.hyp_gap[j]
            if other < least - 1e-9:
                least, way = other, _DROP_HYPOTHESIS
            apart = abs(ref.starts[i] - hyp.starts[j]) + abs(ref.ends[i] - hyp.ends[j])
            other = left + apart + prices.names[ref.names[i], hyp.names[j]]
            if other <= least + 1e-9:
                least, way = other, _PAIR
            cost[j + 1] = least
            _store(choice, band.offset[i] + j - low, way)
            left = above
    for j in range(reached, size):
        cost[j + 1] = cost[j] + prices.hyp_gap[j]
    _follow(choice, band, size, partner)
    return float(cost[size])


@kernel
def _follow(choice: NDArray[Any], band: Band, size: int, partner: NDArray[Any]) -> None:
    """Follow the choices back from the end and write down the partners; outside the band nothing is paired."""
    fill(partner, -1)
    i, j = len(partner) - 1, size
    while i >= 0:
        j = min(j, band.high[i])
        place = band.offset[i] + j - 1 - band.low[i]
        way = choice[place >> 2] >> 2 * (place & 3) & 3 if j > band.low[i] else _DROP_REFERENCE
        if way == _DROP_HYPOTHESIS:
            j -= 1
        else:
            if way == _PAIR:
                j -= 1
                partner[i] = j
            i -= 1


def _band_cells(*, ref: Any, widest: int, **_: Any) -> float:
    return float(len(ref) * (2 * widest + 1))


@kernel(work=_band_cells)
def edit_distance(ref: NDArray[Any], hyp: NDArray[Any], same: NDArray[Any], widest: int, out: NDArray[Any]) -> None:
    """Write the least number of edits, and its substitutions, deletions and insertions; paths stay within ``widest`` of the diagonal.

    If the result is at most ``widest``, it is exact: a path that leaves the band has more edits. Of equal numbers of edits, that with the
    most substitutions is taken.
    """
    n, m = len(ref), len(hyp)
    far = n + m + 1
    edits, subs, dels = np.full(m + 1, far, np.int64), np.zeros(m + 1, np.int64), np.zeros(m + 1, np.int64)
    for j in range(min(m, widest) + 1):
        edits[j] = j
    for i in range(1, n + 1):
        low, high = max(0, i - widest), min(m, i + widest)
        left = edits[low - 1], subs[low - 1], dels[low - 1]
        if low == 0:
            left = edits[0], subs[0], dels[0]
            edits[0], subs[0], dels[0] = i, 0, i
        else:
            edits[low - 1] = far  # outside the band of this row
        for j in range(max(low, 1), high + 1):
            above = edits[j], subs[j], dels[j]
            wrong = 0 if same[ref[i - 1], hyp[j - 1]] else 1
            least, sub, gone = left[0] + wrong, left[1] + wrong, left[2]
            if above[0] + 1 < least or (above[0] + 1 == least and above[1] > sub):
                least, sub, gone = above[0] + 1, above[1], above[2] + 1
            if edits[j - 1] + 1 < least or (edits[j - 1] + 1 == least and subs[j - 1] > sub):
                least, sub, gone = edits[j - 1] + 1, subs[j - 1], dels[j - 1]
            edits[j], subs[j], dels[j] = least, sub, gone
            left = above
        if high < m:
            edits[high + 1] = far
    out[0], out[1], out[2] = edits[m], subs[m], dels[m]
    out[3] = edits[m] - subs[m] - dels[m]
