"""Two annotators' spans, paired at least cost: what a pair costs, which pairs can pay, and the best matching among them.

A pair of units costs the place in which they differ and the name in which they differ (Mathet, Widlöcher & Métivier 2015):

.. math:: d(u, v) = \\Delta \\Big(\\alpha \\Big(\\frac{|s_u - s_v| + |e_u - e_v|}{(e_u - s_u) + (e_v - s_v)}\\Big)^2 + \\beta\\, dist(c_u, c_v)\\Big)

Two units alone cost :math:`2\\Delta`, so only pairs below that can pay. With names, or units inside others, the best matching may cross: it is an
assignment, not a walk from left to right. Time and memory follow the pairs that can pay.
"""

from __future__ import annotations

from math import frexp
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import stable_order
from caesura.kernels.jit import inline, kernel, read_only


class Costs(NamedTuple):
    """What differences cost: weights of place and name, the cost of a unit alone, and names' distances (empty: 0 or 1)."""

    alpha: float
    beta: float
    delta: float
    table: NDArray[Any]


class Units(NamedTuple):
    """Units as columns: where they start and end, and the code of their name."""

    starts: NDArray[Any]
    ends: NDArray[Any]
    codes: NDArray[Any]


class ByLength(NamedTuple):
    """Units of one annotator, those of like length together (by powers of two), each class from left to right.

    ``order`` holds the units, ``middles`` start plus end in that order; class ``k`` lies at ``bounds[k]:bounds[k + 1]`` and its
    longest unit has length ``longest[k]``.
    """

    order: NDArray[Any]
    middles: NDArray[Any]
    bounds: NDArray[Any]
    longest: NDArray[Any]


@inline
def compare_units(u: int, v: int, units: Units, costs: Costs) -> Any:
    """Return how far two units and how far their names lie apart."""
    starts, ends = units.starts, units.ends
    apart = (abs(starts[u] - starts[v]) + abs(ends[u] - ends[v])) / ((ends[u] - starts[u]) + (ends[v] - starts[v]))
    if costs.table.size:
        named = float(costs.table[units.codes[u], units.codes[v]])
    else:
        named = 1.0 if units.codes[u] != units.codes[v] else 0.0
    return apart, named


@kernel
def unit_cost(u: int, v: int, units: Units, costs: Costs) -> float:
    """Return what it costs to take two units for the same."""
    apart, named = compare_units(u, v, units, costs)
    return float(costs.delta * (costs.alpha * apart * apart + costs.beta * named))


@kernel
def sort_by_length(units: Units, start: int, stop: int) -> ByLength:
    """Sort the units ``start:stop`` into classes of length, each from left to right."""
    size = stop - start
    if size == 0:
        return ByLength(np.empty(0, np.int64), np.empty(0), np.zeros(1, np.int64), np.empty(0))
    classes, middle_of, low, high = (
        np.empty(size, np.int64),
        np.empty(size),
        5000,
        -5000,
    )  # beyond all exponents of floats
    for i in range(size):
        classes[i] = frexp(units.ends[start + i] - units.starts[start + i])[1]
        middle_of[i] = units.starts[start + i] + units.ends[start + i]
        low, high = min(low, classes[i]), max(high, classes[i])
    bounds, longest = np.zeros(high - low + 2, np.int64), np.zeros(high - low + 1)
    for i in range(size):
        classes[i] -= low
        bounds[classes[i] + 1] += 1
        longest[classes[i]] = max(longest[classes[i]], units.ends[start + i] - units.starts[start + i])
    for k in range(len(longest)):
        bounds[k + 1] += bounds[k]
    order, middles, filled = np.empty(size, np.int64), np.empty(size), bounds.copy()
    for i in stable_order(read_only(middle_of)):
        place = filled[classes[i]]
        order[place], middles[place] = start + i, middle_of[i]
        filled[classes[i]] += 1
    return ByLength(order, middles, bounds, longest)


@kernel
def close_units(u: int, units: Units, others: ByLength, costs: Costs, limit: float, out: NDArray[Any]) -> int:
    """Collect the units of another annotator that cost less than ``limit`` with ``u``; return their number.

    As :math:`|m_u - m_v|` (m: start plus end) is at most the difference of the ends, a class of lengths is searched in a window. ``out`` may be too
    short: then the number is larger than what was kept.
    """
    number, length = 0, units.ends[u] - units.starts[u]
    middle, reach = units.starts[u] + units.ends[u], np.inf
    if costs.alpha > 0:
        reach = np.sqrt(limit / (costs.delta * costs.alpha))
    for k in range(len(others.longest)):
        low, high = others.bounds[k], others.bounds[k + 1]
        if low == high:
            continue
        window = reach * (length + others.longest[k]) * (1 + 1e-12)
        at = low + np.searchsorted(others.middles[low:high], middle - window)
        while at < high and others.middles[at] <= middle + window:
            v = others.order[at]
            if unit_cost(u, v, units, costs) < limit:
                if number < len(out):
                    out[number] = v
                number += 1
            at += 1
    return number


@kernel
def align_two(units: Units, middle: int, costs: Costs, most: int, partner: NDArray[Any]) -> float:
    """Pair the units before ``middle`` with those from there on at least cost; note each unit's partner or -1, return the cost.

    NaN where more than ``most`` pairs can pay: then nothing was tried.
    """
    others, limit, size = sort_by_length(units, middle, len(units.starts)), 2 * costs.delta, len(units.starts)
    first, nothing = np.zeros(middle + 1, np.int64), np.empty(0, np.int64)
    for u in range(middle):
        first[u + 1] = first[u] + close_units(u, units, others, costs, limit, nothing)
        if first[u + 1] > most:
            return np.nan
    columns, weights = np.empty(first[-1], np.int64), np.empty(first[-1])
    for u in range(middle):
        close_units(u, units, others, costs, limit, columns[first[u] : first[u + 1]])
        for e in range(first[u], first[u + 1]):
            weights[e] = unit_cost(u, columns[e], units, costs) - limit
            columns[e] -= middle
    for u in range(size):
        partner[u] = -1
    saved = match_close_pairs(first, columns, weights, size - middle, partner)
    for u in range(middle):
        if partner[u] >= 0:
            partner[u] += middle
            partner[partner[u]] = u
    return float(size * costs.delta + saved)


@kernel
def match_close_pairs(
    first: NDArray[Any], columns: NDArray[Any], weights: NDArray[Any], size: int, mates: NDArray[Any]
) -> float:
    """Match rows to columns at least (negative) weight, everyone at most once: shortest augmenting paths, one row at a time.

    Row ``u`` may take ``columns[first[u]:first[u + 1]]``; ``mates`` receives a column or -1 per row. Each search ends at the nearest
    free column, or at the nearest row that does as well alone, so it stays where the new row is.
    """
    rows = len(first) - 1
    col_mate, own, price = np.full(size, -1, np.int64), np.zeros(rows), np.zeros(size)
    far, via = np.full(size, np.inf), np.empty(size, np.int64)
    heap, spot, seen, scanned = (np.empty(size, np.int64), np.full(size, -1, np.int64), np.empty(size, np.int64),
                                 np.empty(size, np.int64))  # fmt: skip
    for new in range(rows):
        row, offset, least, end_row, end_col = new, 0.0, np.inf, new, -1
        waiting = number_seen = number_scanned = 0
        while True:
            if offset < least:
                least, end_row = offset, row
            for e in range(first[row], first[row + 1]):
                col = columns[e]
                reached = offset + weights[e] - price[col]
                if reached < far[col] and reached < least and spot[col] != -2:  # -2: left the heap
                    if far[col] == np.inf:
                        seen[number_seen] = col
                        number_seen += 1
                        spot[col] = waiting
                        waiting += 1
                    far[col], via[col] = reached, row
                    _sift_up(heap, spot, far, col)
            if waiting == 0 or far[heap[0]] >= least:
                break
            col = heap[0]
            waiting -= 1
            _drop_first(heap, spot, far, waiting)
            if col_mate[col] < 0:
                least, end_col = far[col], col
                break
            scanned[number_scanned] = col
            number_scanned += 1
            row = col_mate[col]
            offset = far[col] - (own[row] - price[col])
        for s in range(number_scanned):
            price[scanned[s]] += far[scanned[s]] - least
        if end_col < 0 and end_row != new:
            end_col = mates[end_row]
            mates[end_row] = -1
        while end_col >= 0:
            row = via[end_col]
            freed = mates[row]
            mates[row], col_mate[end_col] = end_col, row
            for e in range(first[row], first[row + 1]):
                if columns[e] == end_col:
                    own[row] = weights[e]
            end_col = -1 if row == new else freed
        for s in range(number_seen):
            far[seen[s]], spot[seen[s]] = np.inf, -1
    saved = 0.0
    for row in range(rows):
        if mates[row] >= 0:
            saved += own[row]
    return saved


@kernel
def _sift_up(heap: NDArray[Any], spot: NDArray[Any], far: NDArray[Any], col: int) -> None:
    """Move a column that came nearer towards the head of the heap."""
    at = spot[col]
    while at > 0:
        above = (at - 1) // 2
        if far[heap[above]] <= far[col]:
            break
        heap[at] = heap[above]
        spot[heap[at]] = at
        at = above
    heap[at], spot[col] = col, at


@kernel
def _drop_first(heap: NDArray[Any], spot: NDArray[Any], far: NDArray[Any], size: int) -> None:
    """Take the head off a heap that has ``size`` columns without it."""
    spot[heap[0]] = -2
    if size == 0:
        return
    col, at = heap[size], 0
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size and far[heap[below + 1]] < far[heap[below]]:
            below += 1
        if far[heap[below]] >= far[col]:
            break
        heap[at] = heap[below]
        spot[heap[at]] = at
        at = below
    heap[at], spot[col] = col, at
