"""Unitary alignments of three annotators or more: every tuple of units that a best alignment may hold.

A tuple holds at most one unit per annotator; of ``k`` units it costs :math:`\\frac1C \\big(\\sum_{pairs} d + \\Delta (C - k(k-1)/2)\\big)` with
:math:`C = n(n-1)/2`. One that falls into two parts of :math:`k_1` and :math:`k_2` units whose cross pairs sum to more than :math:`\\Delta (C + k_1 k_2)` is dearer than
the two parts, so no best alignment needs it. Tuples are built up over annotators with partial sums of that rule, never from the product of all units.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import double_room
from caesura.kernels.jit import kernel
from caesura.kernels.unitizing import Costs, Units, close_units, sort_by_length, unit_cost


class Tuples(NamedTuple):
    """Tuples as columns: those of tuple ``t`` are ``units[first[t]:first[t + 1]]``; ``complete`` says whether all found room."""

    first: NDArray[Any]
    units: NDArray[Any]
    costs: NDArray[Any]
    complete: bool


class Near(NamedTuple):
    """For every unit, the later annotators' units that may share a tuple with it, ``n`` lists in a row."""

    first: NDArray[Any]
    units: NDArray[Any]
    costs: NDArray[Any]


class Members(NamedTuple):
    """The tuple that is being built: its units, what each two cost, and per depth each member's sum with the others and the sum of all pairs."""

    units: NDArray[Any]
    cross: NDArray[Any]
    sums: NDArray[Any]
    total: NDArray[Any]


@kernel
def list_tuples(units: Units, offsets: NDArray[Any], costs: Costs, most: int, share: float) -> Tuples:
    """List the tuples of at most one unit per annotator that no split makes cheaper; the first are the units alone.

    Annotator ``i`` has the units ``offsets[i]:offsets[i + 1]``. More than ``most`` tuples are not listed. With a ``share`` below 1 only those whose
    pairs cost that part of what they may: a good alignment is among them, perhaps not the best.
    """
    n, size = len(offsets) - 1, len(units.starts)
    pairs = n * (n - 1) // 2
    near = _list_near(units, offsets, costs, share * costs.delta * (pairs + n - 1) * (1 + 1e-12), most)
    if len(near.first) == 0:
        return Tuples(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), False)
    first, members, prices = np.zeros(4 * size + 2, np.int64), np.empty(8 * size + n, np.int64), np.empty(4 * size + 1)
    for u in range(size):
        first[u + 1], members[u], prices[u] = u + 1, u, costs.delta
    number, filled = size, size
    at, depth_of = np.empty(n + 1, np.int64), np.empty(n, np.int64)
    chosen, sums, total, cross = np.empty(n, np.int64), np.zeros((n + 1, n)), np.zeros(n + 1), np.zeros((n, n))
    room = Members(chosen, cross, sums, total)
    for owner in range(n - 1):
        for u in range(offsets[owner], offsets[owner + 1]):
            chosen[0], k, annotator = u, 1, owner + 1
            at[annotator] = -1  # before the lists: nobody of this annotator
            while annotator > owner:
                if annotator == n:
                    if k > 1 and _is_undominated(k, sums[k], cross, pairs, share * costs.delta):
                        if number == most:
                            return Tuples(first[:0], members[:0], prices[:0], False)
                        if number + 2 > len(first) or filled + n > len(members):
                            first, prices = double_room(first), double_room(prices)
                            members = double_room(members)
                        for i in range(k):
                            members[filled + i] = chosen[i]
                        prices[number] = (total[k] + costs.delta * (pairs - k * (k - 1) // 2)) / pairs
                        filled, number = filled + k, number + 1
                        first[number] = filled
                    annotator -= 1
                    continue
                if at[annotator] == -1:  # first without this annotator
                    at[annotator] = near.first[u * n + annotator]
                    depth_of[annotator] = k
                    annotator += 1
                    if annotator < n:
                        at[annotator] = -1
                    continue
                k = depth_of[annotator]
                stop, taken = near.first[u * n + annotator + 1], False
                while at[annotator] < stop and not taken:
                    e = at[annotator]
                    at[annotator] += 1
                    bound = share * costs.delta * (pairs + k + n - annotator - 1) * (1 + 1e-12)
                    taken = _add_member(k, near.units[e], near.costs[e], bound, units, costs, room)
                if not taken:
                    annotator -= 1
                    continue
                k += 1
                annotator += 1
                if annotator < n:
                    at[annotator] = -1
    return Tuples(first[: number + 1], members[:filled], prices[:number], True)


@kernel
def _list_near(units: Units, offsets: NDArray[Any], costs: Costs, limit: float, most: int) -> Near:
    """List, for every unit and later annotator, the units that cost less than ``limit`` with it; nothing if they are too many."""
    n, size = len(offsets) - 1, len(units.starts)
    first = np.zeros(size * n + 1, np.int64)
    room = np.empty(16 * size, np.int64)
    filled = 0
    sides = [sort_by_length(units, offsets[i], offsets[i + 1]) for i in range(n)]
    for owner in range(n):
        for u in range(offsets[owner], offsets[owner + 1]):
            for other in range(n):
                if other > owner:
                    number = close_units(u, units, sides[other], costs, limit, room[filled:])
                    if filled + number > 8 * most:
                        return Near(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
                    while filled + number > len(room):
                        room = double_room(room)
                        close_units(u, units, sides[other], costs, limit, room[filled:])
                    filled += number
                first[u * n + other + 1] = filled
    prices = np.empty(filled)
    for owner in range(n):
        for u in range(offsets[owner], offsets[owner + 1]):
            for e in range(first[u * n], first[(u + 1) * n]):
                prices[e] = unit_cost(u, room[e], units, costs)
    return Near(first, room[:filled], prices)


@kernel
def _add_member(k: int, new: int, with_first: float, bound: float, units: Units, costs: Costs, room: Members) -> bool:
    """Put a unit beside the ``k`` chosen ones, unless a member would cost more than the bound there: more than alone, whoever follows."""
    chosen, cross, sums, total = room
    own = 0.0
    for i in range(k):
        cost = with_first if i == 0 else unit_cost(chosen[i], new, units, costs)
        own += cost
        if own > bound or sums[k, i] + cost > bound:
            return False
        sums[k + 1, i] = sums[k, i] + cost
        cross[i, k] = cross[k, i] = cost
    chosen[k], sums[k + 1, k], total[k + 1] = new, own, total[k] + own
    return True


@kernel
def _is_undominated(k: int, sums: NDArray[Any], cross: NDArray[Any], pairs: int, delta: float) -> bool:
    """Tell whether no one and no two members would be cheaper apart from the others."""
    alone, apart = delta * (pairs + k - 1) * (1 + 1e-12), delta * (pairs + 2 * (k - 2)) * (1 + 1e-12)
    for i in range(k):
        if sums[i] > alone:
            return False
    if k > 3:
        for i in range(k):
            for j in range(i):
                if sums[i] + sums[j] - 2 * cross[i, j] > apart:
                    return False
    return True
