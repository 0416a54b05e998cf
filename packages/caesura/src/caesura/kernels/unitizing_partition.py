r"""Align the units of three annotators or more: list the tuples of units that a best alignment may contain, then choose the cheapest set.

A tuple has at most one unit per annotator; with ``k`` units it costs :math:`\frac1C \big(\sum_{pairs} d + \Delta (C - k(k-1)/2)\big)` where
:math:`C = n(n-1)/2`. If a tuple falls into two parts of :math:`k_1` and :math:`k_2` units whose cross pairs sum to more than :math:`\Delta (C + k_1 k_2)`, the two
parts are cheaper, so no best alignment needs it. Tuples are built annotator by annotator with partial sums of that rule, never from the
product of all units.

Any price per unit gives a lower bound of the cost of every alignment: :math:`L = \sum_u p_u + \sum_t \min(0, c_t - \sum_{u \in t} p_u)`. Prices are moved towards
the best bound, which is that of the linear program. A tuple whose reduced cost exceeds the gap between the bound and the best alignment
so far cannot be in a better one and is dropped. The remaining tuples form small components, each of which is searched exhaustively.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import copy_values, double_size, stable_order
from caesura.kernels.jit import kernel, read_only
from caesura.kernels.unitizing import (
    Costs,
    Units,
    align_two,
    close_units,
    match_close_pairs,
    sort_by_length,
    unit_cost,
)

# ---------------------------------------------------------------------- the tuples that a best alignment may contain


class Tuples(NamedTuple):
    """Tuples of units: tuple ``t`` is ``units[first[t]:first[t + 1]]``; ``complete`` is False if there were too many to list."""

    first: NDArray[Any]
    units: NDArray[Any]
    costs: NDArray[Any]
    complete: bool


class Near(NamedTuple):
    """For every unit, the units of later annotators that may share a tuple with it, as ``n`` lists."""

    first: NDArray[Any]
    units: NDArray[Any]
    costs: NDArray[Any]


class Members(NamedTuple):
    """The tuple under construction: its units, the cost of each pair, and per depth each member's sum and the sum of all pairs."""

    units: NDArray[Any]
    cross: NDArray[Any]
    sums: NDArray[Any]
    total: NDArray[Any]


@kernel
def list_tuples(units: Units, offsets: NDArray[Any], costs: Costs, most: int, share: float) -> Tuples:
    """List the tuples of at most one unit per annotator that no split makes cheaper; the first are single units.

    Annotator ``i`` has the units ``offsets[i]:offsets[i + 1]``. If there are more than ``most`` tuples, none is listed. A ``share`` below 1 lists only
    tuples whose pairs cost at most that share of their limit: a good alignment is among them, but perhaps not the best.
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
    tuple_so_far = Members(chosen, cross, sums, total)
    # Depth-first search over annotators without recursion: at[a] is the next candidate of annotator a, -1 before the first, which
    # is "no unit of this annotator"; depth_of[a] is the size of the tuple when a was reached. The factor 1 + 1e-12 tolerates rounding.
    for owner in range(n - 1):
        for u in range(offsets[owner], offsets[owner + 1]):
            chosen[0], k, annotator = u, 1, owner + 1
            at[annotator] = -1
            while annotator > owner:
                if annotator == n:
                    if k > 1 and _is_undominated(k, sums[k], cross, pairs, share * costs.delta):
                        if number == most:
                            return Tuples(first[:0], members[:0], prices[:0], False)
                        if number + 2 > len(first) or filled + n > len(members):
                            first, prices = double_size(first), double_size(prices)
                            members = double_size(members)
                        for i in range(k):
                            members[filled + i] = chosen[i]
                        prices[number] = (total[k] + costs.delta * (pairs - k * (k - 1) // 2)) / pairs
                        filled, number = filled + k, number + 1
                        first[number] = filled
                    annotator -= 1
                    continue
                if at[annotator] == -1:  # first, no unit of this annotator
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
                    taken = _add_member(k, near.units[e], near.costs[e], bound, units, costs, tuple_so_far)
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
    """List, for every unit and later annotator, the units whose cost with it is below ``limit``; nothing if there are too many."""
    n, size = len(offsets) - 1, len(units.starts)
    first = np.zeros(size * n + 1, np.int64)
    found = np.empty(16 * size, np.int64)
    filled = 0
    sides = [sort_by_length(units, offsets[i], offsets[i + 1]) for i in range(n)]
    for owner in range(n):
        for u in range(offsets[owner], offsets[owner + 1]):
            for other in range(n):
                if other > owner:
                    number = close_units(u, units, sides[other], costs, limit, found[filled:])
                    if filled + number > 8 * most:
                        return Near(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
                    while filled + number > len(found):
                        found = double_size(found)
                        close_units(u, units, sides[other], costs, limit, found[filled:])
                    filled += number
                first[u * n + other + 1] = filled
    prices = np.empty(filled)
    for owner in range(n):
        for u in range(offsets[owner], offsets[owner + 1]):
            for e in range(first[u * n], first[(u + 1) * n]):
                prices[e] = unit_cost(u, found[e], units, costs)
    return Near(first, found[:filled], prices)


@kernel
def _add_member(k: int, new: int, with_first: float, bound: float, units: Units, costs: Costs, so_far: Members) -> bool:
    """Add a unit to the ``k`` chosen ones, unless a member would then cost more than the bound, and so more than alone in any tuple."""
    chosen, cross, sums, total = so_far
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
    """Whether no single member and no two members would be cheaper apart from the others."""
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


# ---------------------------------------------------------------------- a good alignment without a list of tuples


@kernel
def merge_annotators(units: Units, offsets: NDArray[Any], costs: Costs, tuple_of: NDArray[Any]) -> float:
    r"""Add one annotator after another to the tuples so far, each at least cost; store each unit's tuple by its first unit, return the cost.

    This finds a good alignment where listing all tuples would need too much memory. A unit joins a tuple of ``k`` units if that saves
    cost: :math:`\sum_w d(u, w) < \Delta (C + k)`.
    """
    n, size = len(offsets) - 1, len(units.starts)
    pairs, total = n * (n - 1) // 2, size * costs.delta
    limit = costs.delta * (pairs + n) * (1 + 1e-12)
    members, counts = np.full((size, n), -1, np.int64), np.zeros(size, np.int64)
    sides = [sort_by_length(units, offsets[i], offsets[i + 1]) for i in range(n)]
    found, mark = np.empty(size, np.int64), np.full(size, -1, np.int64)
    for u in range(size):
        tuple_of[u] = u
    for new in range(n):
        start, stop = offsets[new], offsets[new + 1]
        first, columns, weights = np.zeros(stop - start + 1, np.int64), np.empty(64, np.int64), np.empty(64)
        filled = 0
        for u in range(start, stop):
            for other in range(new):
                for i in range(close_units(u, units, sides[other], costs, limit, found)):
                    head = tuple_of[found[i]]
                    if mark[head] == u:  # a tuple may be found through several of its members
                        continue
                    mark[head] = u
                    saved = -costs.delta * (pairs + counts[head])
                    for m in range(counts[head]):
                        saved += unit_cost(members[head, m], u, units, costs)
                    if saved < 0:
                        if filled == len(columns):
                            columns, weights = double_size(columns), double_size(weights)
                        columns[filled], weights[filled] = head, saved
                        filled += 1
            first[u - start + 1] = filled
        mates = np.full(stop - start, -1, np.int64)
        total += match_close_pairs(first, columns[:filled], weights[:filled], size, mates) / pairs
        for u in range(start, stop):
            head = u if mates[u - start] < 0 else mates[u - start]
            tuple_of[u] = head
            members[head, counts[head]] = u
            counts[head] += 1
    return total


# ---------------------------------------------------------------------- the cheapest set of tuples that contains every unit once

CLOSE = 1e-10  # relative difference below which two costs are equal
ROUNDS = 500  # most rounds of price changes; nearly all problems need far fewer

# Constants of the price changes. Every vector of prices gives a valid lower bound, so they affect only how fast the bound rises.
MOMENTUM = 0.85  # share of the previous direction that is kept: plain subgradients zigzag between neighbouring units
PATIENCE = 12  # rounds without progress after which the steps are halved and the best prices restored
PROGRESS = 1e-3  # share of the gap between the bounds that counts as progress
TRIAL_EVERY = 5  # rounds between attempts to build an alignment from the prices, which needs a sort


def _steps(*, units: Units, rows: NDArray[Any], **_: Any) -> float:
    """Estimate the steps of aligning two annotators: some hundred per unit."""
    return 100.0 * len(units.starts)


def expected_steps(units: Units, sizes: NDArray[Any]) -> tuple[float, float]:
    """Estimate the steps of aligning texts of more annotators: those of changing prices, and all others.

    The number of tuples grows with a high power of the number of annotators. Four fifths of the time goes into prices.
    """
    steps = len(units.starts) * float(np.diff(sizes).max(initial=0)) ** 4
    return 2.0 * steps, 0.5 * steps


def _steps_besides_prices(*, units: Units, sizes: NDArray[Any], **_: Any) -> float:
    return expected_steps(units, sizes)[1]


def _steps_of_prices(*, tuples: Tuples, **_: Any) -> float:
    """Estimate the steps of changing prices: some dozen rounds over all tuples."""
    return 80.0 * len(tuples.costs)


class Narrowed(NamedTuple):
    """The bounds of the cost, the prices of units, each unit's tuple in the best set so far, and the tuples that a better set may contain."""

    lower: float
    upper: float
    prices: NDArray[Any]
    taken: NDArray[Any]
    live: NDArray[Any]


@kernel(work=_steps)
def align_pairs(
    units: Units, rows: NDArray[Any], costs: Costs, most: int, tuple_of: NDArray[Any], out: NDArray[Any]
) -> None:
    """Align many texts of two annotators each: annotator ``a`` has the units ``rows[a]:rows[a + 1]``.

    ``tuple_of`` receives, for every unit, the number of the first unit of its tuple within its text, ``out[i]`` the least cost and the lower
    bound, which is the same here; NaN if more than ``most`` pairs can pay.
    """
    for i in range(len(out)):
        start, middle, stop = rows[2 * i], rows[2 * i + 1], rows[2 * i + 2]
        own = Units(units.starts[start:stop], units.ends[start:stop], units.codes[start:stop])
        partner = tuple_of[start:stop]
        out[i, 0] = out[i, 1] = align_two(own, middle - start, costs, most, partner)
        for u in range(stop - start):
            partner[u] = u if partner[u] < 0 else min(u, partner[u])


@kernel(work=_steps_besides_prices)
def align_each(
    units: Units, rows: NDArray[Any], sizes: NDArray[Any], costs: Costs, most: int, nodes: int, tuple_of: NDArray[Any],
    out: NDArray[Any],
) -> None:  # fmt: skip
    """Align many texts of any number of annotators: text ``i`` has the annotators ``sizes[i]:sizes[i + 1]``.

    ``out[i]`` receives the least known cost and the lower bound; NaN if there are more than ``most`` tuples to choose from.
    """
    for i in range(len(sizes) - 1):
        start, stop, n = rows[sizes[i]], rows[sizes[i + 1]], sizes[i + 1] - sizes[i]
        own = Units(units.starts[start:stop], units.ends[start:stop], units.codes[start:stop])
        offsets, middles = np.empty(n + 1, np.int64), np.empty(stop - start)
        for a in range(n + 1):
            offsets[a] = rows[sizes[i] + a] - start
        tuples = list_tuples(own, offsets, costs, most, 1.0)
        out[i, 0] = out[i, 1] = np.nan
        if tuples.complete:
            for u in range(stop - start):
                middles[u] = own.starts[u] + own.ends[u]
            answer = partition(tuples, stable_order(read_only(middles)), nodes)
            out[i, 0], out[i, 1] = answer.upper, answer.lower
            for u in range(stop - start):
                tuple_of[start + u] = tuples.units[tuples.first[answer.taken[u]]]


@kernel
def partition(tuples: Tuples, where: NDArray[Any], nodes: int) -> Narrowed:
    """Find the cheapest partition; ``where`` lists the units from left to right, ``nodes`` limits the search of each component."""
    size = len(where)
    whole = price_units(tuples, np.arange(size), ROUNDS)
    if whole.upper - whole.lower <= CLOSE * max(1.0, whole.upper):
        return whole
    # The remaining tuples join units into components, which are solved one by one, from left to right.
    part_of = _components(tuples, whole.live, size)
    rank, number = np.full(size, -1, np.int64), 0
    for u in where:
        if rank[part_of[u]] < 0:
            rank[part_of[u]] = number
            number += 1
    # two counting sorts: the units and the tuples of each component
    counts, tuple_counts = np.zeros(number + 1, np.int64), np.zeros(number + 1, np.int64)
    for u in range(size):
        counts[rank[part_of[u]] + 1] += 1
    for t in whole.live:
        tuple_counts[rank[part_of[tuples.units[tuples.first[t]]]] + 1] += 1
    for part in range(number):
        counts[part + 1] += counts[part]
        tuple_counts[part + 1] += tuple_counts[part]
    members, filled = np.empty(size, np.int64), np.copy(counts)
    for u in where:
        part = rank[part_of[u]]
        members[filled[part]] = u
        filled[part] += 1
    ordered, filled = np.empty(len(whole.live), np.int64), np.copy(tuple_counts)
    for t in whole.live:
        part = rank[part_of[tuples.units[tuples.first[t]]]]
        ordered[filled[part]] = t
        filled[part] += 1
    local, lower, upper, taken = np.empty(size, np.int64), 0.0, 0.0, np.copy(whole.taken)
    still, place = np.zeros(len(tuples.costs), np.bool_), np.empty(len(tuples.costs), np.int64)
    for part in range(number):
        own, cols = members[counts[part] : counts[part + 1]], ordered[tuple_counts[part] : tuple_counts[part + 1]]
        for i in range(len(own)):
            local[own[i]] = i
        for i in range(len(cols)):
            place[cols[i]] = i
        problem, start = _restrict(tuples, cols, local), np.empty(len(own), np.int64)
        for i in range(len(own)):
            start[i] = place[whole.taken[own[i]]]
        answer = price_units(problem, start, ROUNDS)
        if answer.upper - answer.lower > CLOSE * max(1.0, answer.upper):
            answer = _search(problem, answer, nodes)
        lower += answer.lower
        upper += answer.upper
        for i in range(len(own)):
            taken[own[i]] = cols[answer.taken[i]]
        if answer.upper - answer.lower > CLOSE * max(1.0, answer.upper):
            for t in answer.live:
                still[cols[t]] = True
    return Narrowed(max(lower, whole.lower), upper, whole.prices, taken, np.flatnonzero(still))


@kernel
def _restrict(tuples: Tuples, kept: NDArray[Any], local: NDArray[Any]) -> Tuples:
    """Return some of the tuples, with the units renumbered."""
    first = np.zeros(len(kept) + 1, np.int64)
    for i in range(len(kept)):
        first[i + 1] = first[i] + tuples.first[kept[i] + 1] - tuples.first[kept[i]]
    members, prices = np.empty(first[-1], np.int64), np.empty(len(kept))
    for i in range(len(kept)):
        prices[i] = tuples.costs[kept[i]]
        for e in range(first[i + 1] - first[i]):
            members[first[i] + e] = local[tuples.units[tuples.first[kept[i]] + e]]
    return Tuples(first, members, prices, tuples.complete)


@kernel
def _components(tuples: Tuples, live: NDArray[Any], size: int) -> NDArray[Any]:
    """Give all units that a live tuple joins the same number: union–find, the smallest unit of a component is its root."""
    root = np.arange(size)
    for t in live:
        head = _root(root, tuples.units[tuples.first[t]])
        for e in range(tuples.first[t] + 1, tuples.first[t + 1]):
            other = _root(root, tuples.units[e])
            root[max(head, other)] = min(head, other)
            head = min(head, other)
    for u in range(size):
        root[u] = _root(root, u)
    return root


@kernel
def _root(root: NDArray[Any], u: int) -> int:
    while root[u] != u:
        root[u] = root[root[u]]  # path halving
        u = root[u]
    return u


@kernel(alone=True, work=_steps_of_prices)
def price_units(tuples: Tuples, start: NDArray[Any], rounds: int) -> Narrowed:
    """Raise the lower bound by changing prices round by round, and drop the tuples that no alignment better than ``start`` can contain.

    The changes follow the subgradient with momentum (Camerini, Fratta & Maffioli 1975); the step is Polyak's, the gap between the bounds
    over the squared length of the direction, times a pace that is halved when there is no progress (Held, Wolfe & Crowder 1974).
    """
    first, members, costs, size = tuples.first, tuples.units, tuples.costs, len(start)
    prices, live, reduced = np.full(size, np.inf), np.arange(len(costs)), np.empty(len(costs))
    # initial price of a unit: its cheapest share of a tuple, so that no reduced cost is negative
    for t in live:
        share = costs[t] / (first[t + 1] - first[t])
        for e in range(first[t], first[t + 1]):
            prices[members[e]] = min(prices[members[e]], share)
    taken, trial, upper = np.copy(start), np.empty(size, np.int64), 0.0
    for u in range(size):
        upper += costs[taken[u]] / (first[taken[u] + 1] - first[taken[u]])
    best, lower, pace, idle = np.copy(prices), 0.0, 1.0, 0
    slope, heading = np.empty(size), np.zeros(size)  # the subgradient, and the direction with momentum
    for turn in range(rounds):
        bound, steep = 0.0, 0.0
        for u in range(size):
            slope[u] = 1.0  # 1 minus the number of tuples with negative reduced cost that contain the unit
            bound += prices[u]
        for t in live:
            own = costs[t]
            for e in range(first[t], first[t + 1]):
                own -= prices[members[e]]
            reduced[t] = own
            if own < 0:
                bound += own
                for e in range(first[t], first[t + 1]):
                    slope[members[e]] -= 1.0
        idle += 1
        if bound > lower:
            if bound > lower + PROGRESS * (upper - lower):
                idle = 0
            lower = bound
            copy_values(prices, best)
        if turn % TRIAL_EVERY == 0 or turn == rounds - 1:
            cost = _take_cheapest(tuples, live, reduced, trial)
            if cost < upper:
                upper = cost
                copy_values(trial, taken)
        gap = upper - bound + CLOSE * max(1.0, upper)
        kept = 0  # a tuple whose reduced cost exceeds the gap cannot be in a better alignment
        for t in live:
            if reduced[t] <= gap:
                live[kept] = t
                kept += 1
        live = live[:kept]
        if upper - lower <= CLOSE * max(1.0, upper):
            break
        for u in range(size):
            steep += slope[u] * slope[u]
        if steep == 0.0:  # the tuples of negative reduced cost contain every unit once: nothing is cheaper
            for t in live:
                if reduced[t] < 0:
                    for e in range(first[t], first[t + 1]):
                        taken[members[e]] = t
            upper = lower = bound
            break
        if idle > PATIENCE:
            pace, idle = pace / 2, 0
            copy_values(best, prices)
            for u in range(size):
                heading[u] = 0.0
            continue
        steep = 0.0
        for u in range(size):
            heading[u] = slope[u] + MOMENTUM * heading[u]
            steep += heading[u] * heading[u]
        for u in range(size):
            prices[u] += pace * (upper - bound) / steep * heading[u]
    return Narrowed(min(lower, upper), upper, best, taken, live)


@kernel
def _take_cheapest(tuples: Tuples, live: NDArray[Any], reduced: NDArray[Any], trial: NDArray[Any]) -> float:
    """Greedily take tuples by reduced cost while all their units are free; return the cost."""
    first, members = tuples.first, tuples.units
    cost, own = 0.0, np.empty(len(live))
    for i in range(len(live)):
        own[i] = reduced[live[i]]
    for u in range(len(trial)):
        trial[u] = -1
    for i in stable_order(read_only(own)):
        t = live[i]
        free = True
        for e in range(first[t], first[t + 1]):
            if trial[members[e]] >= 0:
                free = False
        if free:
            cost += tuples.costs[t]
            for e in range(first[t], first[t + 1]):
                trial[members[e]] = t
    for u in range(len(trial)):
        if trial[u] < 0:
            return np.inf  # the single-unit tuple of this unit has been dropped
    return cost


@kernel
def _search(tuples: Tuples, known: Narrowed, nodes: int) -> Narrowed:
    """Search a component exhaustively, unit by unit from left to right, cheapest tuples first; stop after ``nodes`` steps.

    Depth-first branch and bound: a branch is cut if the lower bound plus the reduced costs of its tuples reaches the best cost so far.
    """
    first, members, costs, size = tuples.first, tuples.units, tuples.costs, len(known.taken)
    live, prices = known.live, np.copy(known.prices)
    reduced = np.empty(len(costs))
    for t in live:  # lower the prices until no reduced cost is negative, so that their sum is a lower bound
        own = costs[t]
        for e in range(first[t], first[t + 1]):
            own -= prices[members[e]]
        if own < 0:
            for e in range(first[t], first[t + 1]):
                prices[members[e]] += own / (first[t + 1] - first[t])
    least = np.full(size, np.inf)
    for t in live:
        own = costs[t]
        for e in range(first[t], first[t + 1]):
            own -= prices[members[e]]
        reduced[t] = own
    counts = np.zeros(size + 1, np.int64)  # lists[counts[u]:counts[u + 1]]: the tuples that contain unit u
    for t in live:
        for e in range(first[t], first[t + 1]):
            counts[members[e] + 1] += 1
    for u in range(size):
        counts[u + 1] += counts[u]
    lists, filled = np.empty(counts[-1], np.int64), np.copy(counts)
    for t in live:
        for e in range(first[t], first[t + 1]):
            lists[filled[members[e]]] = t
            filled[members[e]] += 1
    for u in range(size):  # then raise each price as far as possible, which raises the bound
        least[u] = np.inf
        for e in range(counts[u], counts[u + 1]):
            least[u] = min(least[u], reduced[lists[e]])
        if least[u] > 0:
            prices[u] += least[u]
            for e in range(counts[u], counts[u + 1]):
                reduced[lists[e]] -= least[u]
    lower = 0.0
    for u in range(size):
        lower += prices[u]
        ranked, keys = np.copy(lists[counts[u] : counts[u + 1]]), np.empty(counts[u + 1] - counts[u])
        for e in range(len(keys)):
            keys[e] = reduced[ranked[e]]
        order = stable_order(read_only(keys))
        for e in range(len(keys)):
            lists[counts[u] + e] = ranked[order[e]]
    taken, upper, close = np.copy(known.taken), known.upper, CLOSE * max(1.0, known.upper)
    trial, at = np.full(size, -1, np.int64), np.copy(counts[:-1])
    units, spent = np.empty(size + 1, np.int64), np.zeros(size + 1)
    depth, units[0], steps = 0, 0, 0
    while depth >= 0 and upper - lower > close:
        u = units[depth]
        if trial[u] >= 0:  # backtrack: undo the current tuple of this unit
            t = trial[u]
            for e in range(first[t], first[t + 1]):
                trial[members[e]] = -1
        placed = False
        while at[u] < counts[u + 1] and not placed:
            t = lists[at[u]]
            at[u] += 1
            if lower + spent[depth] + reduced[t] >= upper - close:  # sorted by reduced cost: no later tuple is better
                at[u] = counts[u + 1]
                break
            placed = True
            for e in range(first[t], first[t + 1]):
                if trial[members[e]] >= 0:
                    placed = False
            if placed:
                for e in range(first[t], first[t + 1]):
                    trial[members[e]] = t
                spent[depth + 1] = spent[depth] + reduced[t]
        steps += 1
        if steps > nodes:
            return Narrowed(max(known.lower, lower), upper, prices, taken, live)
        if not placed:
            at[u] = counts[u]
            depth -= 1
            continue
        following = u + 1  # branch on the next unit without a tuple
        while following < size and trial[following] >= 0:
            following += 1
        if following == size:
            upper = lower + spent[depth + 1]
            copy_values(trial, taken)
            continue
        depth += 1
        units[depth] = following
    return Narrowed(upper, upper, prices, taken, live)
