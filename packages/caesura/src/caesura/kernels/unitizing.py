r"""Units (spans) of two annotators: the cost of a pair, the best matching, and sums over labels and sections.

A pair of units costs the difference of their positions and the difference of their labels (Mathet, Widlöcher & Métivier 2015):

.. math:: d(u, v) = \Delta \Big(\alpha \Big(\frac{|s_u - s_v| + |e_u - e_v|}{(e_u - s_u) + (e_v - s_v)}\Big)^2 + \beta\, dist(c_u, c_v)\Big)

Two unpaired units cost :math:`2\Delta`, so only pairs below that can pay. With labels, or units inside others, the best matching may
cross: it is an assignment problem. Time and memory are proportional to the pairs that can pay.
"""

from __future__ import annotations

from math import frexp
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import stable_order
from caesura.kernels.jit import inline, kernel, read_only


class Costs(NamedTuple):
    """The costs of differences: weights of position and label, the cost of an unpaired unit, and distances of labels (empty: 0 or 1)."""

    alpha: float
    beta: float
    delta: float
    table: NDArray[Any]


class Units(NamedTuple):
    """Units as columns: starts, ends and label codes."""

    starts: NDArray[Any]
    ends: NDArray[Any]
    codes: NDArray[Any]


class ByLength(NamedTuple):
    """Units of one annotator in classes of similar length (powers of two), each class sorted from left to right.

    ``order`` lists the units, ``middles`` their start plus end in that order; class ``k`` is ``bounds[k]:bounds[k + 1]``, and its longest unit
    has length ``longest[k]``.
    """

    order: NDArray[Any]
    middles: NDArray[Any]
    bounds: NDArray[Any]
    longest: NDArray[Any]


@inline
def compare_units(u: int, v: int, units: Units, costs: Costs) -> Any:
    """Return the distance of two units and the distance of their labels."""
    starts, ends = units.starts, units.ends
    apart = (abs(starts[u] - starts[v]) + abs(ends[u] - ends[v])) / ((ends[u] - starts[u]) + (ends[v] - starts[v]))
    if costs.table.size:
        named = float(costs.table[units.codes[u], units.codes[v]])
    else:
        named = 1.0 if units.codes[u] != units.codes[v] else 0.0
    return apart, named


@kernel
def unit_cost(u: int, v: int, units: Units, costs: Costs) -> float:
    """Return the cost of pairing two units."""
    apart, named = compare_units(u, v, units, costs)
    return float(costs.delta * (costs.alpha * apart * apart + costs.beta * named))


@kernel
def sort_by_length(units: Units, start: int, stop: int) -> ByLength:
    """Sort the units ``start:stop`` into classes of length, each from left to right: a counting sort over the classes."""
    size = stop - start
    if size == 0:
        return ByLength(np.empty(0, np.int64), np.empty(0), np.zeros(1, np.int64), np.empty(0))
    classes, middle_of = np.empty(size, np.int64), np.empty(size)
    low, high = 5000, -5000  # outside the range of float exponents
    for i in range(size):
        # the exponent of the length: units of one class differ in length by a factor below 2
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
    order, middles, filled = np.empty(size, np.int64), np.empty(size), np.copy(bounds)
    for i in stable_order(read_only(middle_of)):
        place = filled[classes[i]]
        order[place], middles[place] = start + i, middle_of[i]
        filled[classes[i]] += 1
    return ByLength(order, middles, bounds, longest)


@kernel
def close_units(u: int, units: Units, others: ByLength, costs: Costs, limit: float, out: NDArray[Any]) -> int:
    """Collect the units of another annotator whose cost with ``u`` is below ``limit``; return their number.

    As :math:`|m_u - m_v|` (m: start plus end) is at most the sum of the differences of starts and ends, only a window of each class is
    searched. ``out`` may be too short: then the number is larger than the number of units stored.
    """
    number, length = 0, units.ends[u] - units.starts[u]
    middle, reach = units.starts[u] + units.ends[u], np.inf
    if costs.alpha > 0:
        reach = np.sqrt(limit / (costs.delta * costs.alpha))
    for k in range(len(others.longest)):
        low, high = others.bounds[k], others.bounds[k + 1]
        if low == high:
            continue
        window = reach * (length + others.longest[k]) * (1 + 1e-12)  # a little wider, because of rounding
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
    """Pair the units before ``middle`` with the others at least cost; store each unit's partner or -1, return the cost.

    Return NaN without trying if more than ``most`` pairs can pay.
    """
    # A pair that costs 2Δ or more is never better than two unpaired units. Two passes: count the candidates, then store them.
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
    """Find the matching of rows and columns with the least (negative) weight, by shortest augmenting paths, one row at a time.

    Row ``u`` may be matched to ``columns[first[u]:first[u + 1]]``; ``mates`` receives a column or -1 per row. Each search ends at the nearest
    free column, or at the nearest row that is as well off alone, so it stays close to the new row.
    """
    rows = len(first) - 1
    col_mate, own, price = np.full(size, -1, np.int64), np.zeros(rows), np.zeros(size)
    far, via = np.full(size, np.inf), np.empty(size, np.int64)
    heap, spot, seen, scanned = (np.empty(size, np.int64), np.full(size, -1, np.int64), np.empty(size, np.int64),
                                 np.empty(size, np.int64))  # fmt: skip
    # Invariant: with prices of columns, all reduced weights of matched rows are the smallest of their row, so that Dijkstra's
    # algorithm applies. ``far`` is the distance from the new row, ``via`` the row before a column on the path, ``own`` the weight of a
    # matched row; the heap contains the columns reached but not yet scanned, and ``spot`` their places in it.
    for new in range(rows):
        row, offset, least, end_row, end_col = new, 0.0, np.inf, new, -1
        waiting = number_seen = number_scanned = 0
        while True:
            if offset < least:  # the path may end here: this row stays alone
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
        for s in range(number_scanned):  # restore the invariant along the path
            price[scanned[s]] += far[scanned[s]] - least
        if end_col < 0 and end_row != new:
            end_col = mates[end_row]
            mates[end_row] = -1
        while end_col >= 0:  # flip the path, back to the new row
            row = via[end_col]
            freed = mates[row]
            mates[row], col_mate[end_col] = end_col, row
            for e in range(first[row], first[row + 1]):
                if columns[e] == end_col:
                    own[row] = weights[e]
            end_col = -1 if row == new else freed
        for s in range(number_seen):  # reset only what was touched
            far[seen[s]], spot[seen[s]] = np.inf, -1
    saved = 0.0
    for row in range(rows):
        if mates[row] >= 0:
            saved += own[row]
    return saved


@kernel
def _sift_up(heap: NDArray[Any], spot: NDArray[Any], far: NDArray[Any], col: int) -> None:
    """Move a column whose distance decreased towards the top of the heap."""
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
    """Remove the top of a heap, which has ``size`` columns without it."""
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


# ---------------------------------------------------------------------- labels of aligned units (γ-cat, γ-k)


@kernel
def sum_name_costs(
    units: Units,
    rows: NDArray[Any],
    sizes: NDArray[Any],
    tuple_of: NDArray[Any],
    costs: Costs,
    lone: bool,
    by_text: NDArray[Any],
    by_code: NDArray[Any],
) -> None:
    r"""Sum weight times cost of the labels, and the weights, over all pairs of units in one tuple: the sums of γ-cat and γ-k.

    A pair weighs :math:`\max(0, 1 - \alpha d_{pos}) / (v - 1)` in a tuple of ``v`` units. ``by_text[i]`` receives the two sums of text ``i``, ``by_code[k]``
    those of the pairs in which a unit has label ``k``, over all texts. With ``lone``, unpaired units cost too.
    """
    for i in range(len(sizes) - 1):
        start, stop, coders = rows[sizes[i]], rows[sizes[i + 1]], sizes[i + 1] - sizes[i]
        order = stable_order(read_only(tuple_of[start:stop]))
        for k in range(len(order)):
            order[k] += start
        head = 0
        while head < len(order):  # sorted by tuple: the units head … tail - 1 are one tuple
            tail = head + 1
            while tail < len(order) and tuple_of[order[tail]] == tuple_of[order[head]]:
                tail += 1
            number = tail - head
            for a in range(head, tail):
                u = order[a]
                if lone:
                    missing, delta = coders - number, costs.delta
                    by_text[i, 0] += missing * delta * delta
                    by_text[i, 1] += missing * delta
                    by_code[units.codes[u], 0] += missing * delta * delta
                    by_code[units.codes[u], 1] += missing * delta
                for b in range(a + 1, tail):
                    v = order[b]
                    apart, named = compare_units(u, v, units, costs)
                    weight = max(0.0, 1.0 - costs.alpha * costs.delta * apart * apart) / (number - 1)
                    named *= costs.delta
                    by_text[i, 0] += weight * named
                    by_text[i, 1] += weight
                    by_code[units.codes[u], 0] += weight * named
                    by_code[units.codes[u], 1] += weight
                    if units.codes[u] != units.codes[v]:  # a pair with one label counts once for it
                        by_code[units.codes[v], 0] += weight * named
                        by_code[units.codes[v], 1] += weight
            head = tail


# ---------------------------------------------------------------------- sections of continua (Krippendorff's α of unitizing)


@kernel
def sum_section_differences(starts: NDArray[Any], ends: NDArray[Any], offsets: NDArray[Any]) -> tuple[int, int]:
    """Sum the differences of sections over every two annotators, as (high, low) of ``high * 2**32 + low``.

    Units that intersect differ by the squares of the distances of their ends; a unit inside a gap of the other by the square of its
    length. Squares of positions exceed 64 bits in sum, so that the two halves are added separately.
    """
    high = low = 0
    for i in range(len(offsets) - 1):
        for j in range(i):
            u, v, stop_u, stop_v = offsets[i], offsets[j], offsets[i + 1], offsets[j + 1]
            met_u = met_v = False  # whether the current unit intersects one of the other annotator
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
    """Sum the lengths on which labels of different annotators coincide; the units of one annotator do not overlap.

    ``by_code[c]`` receives for label ``c`` (the last row: no unit): the marked length; the length that coincides with the same label; that
    coincides with no unit; the squares of the units' lengths (of gaps: their length); the squares of the units' overlaps with each other
    annotator. If labels have ``values``, return the sum of their squared differences (or ratios) over coinciding units. Both orders of
    every two annotators count, so that sums over pairs stay whole.
    """
    n, none = len(offsets) - 1, len(by_code) - 1
    at, inside = np.copy(offsets[:-1]), np.zeros(n, np.bool_)
    label, shared, here, apart = np.full(n, none), np.zeros((n, n)), np.int64(0), 0.0
    while here < length:  # from event to event: nothing changes between here and following
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
