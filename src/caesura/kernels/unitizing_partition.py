"""The cheapest set of tuples that holds every unit once: prices of units first, then a search among the tuples that are left.

Any price per unit bounds the cost of every alignment from below: :math:`L = \\sum_u p_u + \\sum_t \\min(0, c_t - \\sum_{u \\in t} p_u)`. Prices are moved
towards the best bound (subgradients, whose best value is that of the linear programme); a tuple whose reduced cost is larger than
what lies between the bound and the best alignment so far can be in no better one, and goes. What is left falls apart into small
components, each of which is searched to the end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import copy_values, stable_order
from caesura.kernels.jit import kernel, read_only
from caesura.kernels.unitizing import Costs, Units, align_two
from caesura.kernels.unitizing_tuples import Tuples, list_tuples

CLOSE = 1e-10  # costs that are closer than this are the same
ROUNDS = 500  # of prices; nearly all problems need far fewer


def _steps(*, units: Units, rows: NDArray[Any], **_: Any) -> float:
    """About how many steps an alignment takes."""
    return 100.0 * len(units.starts)


class Narrowed(NamedTuple):
    """What is known of the best set of tuples: bounds, prices of units, each unit's tuple in the best set so far, tuples that may still be in a better one."""

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

    ``tuple_of`` receives, for every unit, the number of the first unit of its tuple within its text, ``out[i]`` the least cost and the bound below
    it, which is the same; NaN where more than ``most`` pairs can pay.
    """
    for i in range(len(out)):
        start, middle, stop = rows[2 * i], rows[2 * i + 1], rows[2 * i + 2]
        own = Units(units.starts[start:stop], units.ends[start:stop], units.codes[start:stop])
        partner = tuple_of[start:stop]
        out[i, 0] = out[i, 1] = align_two(own, middle - start, costs, most, partner)
        for u in range(stop - start):
            partner[u] = u if partner[u] < 0 else min(u, partner[u])


@kernel(work=_steps)
def align_each(
    units: Units, rows: NDArray[Any], sizes: NDArray[Any], costs: Costs, most: int, nodes: int, tuple_of: NDArray[Any],
    out: NDArray[Any],
) -> None:  # fmt: skip
    """Align many texts of any number of annotators: text ``i`` has the annotators ``sizes[i]:sizes[i + 1]``.

    ``out[i]`` receives the least cost known and the lower bound; NaN where there are more than ``most`` tuples to choose from.
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
    """Find the cheapest partition; ``where`` lists the units from left to right, ``nodes`` is how far each component is searched."""
    size = len(where)
    whole = _price_units(tuples, np.arange(size), ROUNDS)
    if whole.upper - whole.lower <= CLOSE * max(1.0, whole.upper):
        return whole
    part_of = _components(tuples, whole.live, size)
    rank, number = np.full(size, -1, np.int64), 0
    for u in where:
        if rank[part_of[u]] < 0:
            rank[part_of[u]] = number
            number += 1
    counts, tuple_counts = np.zeros(number + 1, np.int64), np.zeros(number + 1, np.int64)
    for u in range(size):
        counts[rank[part_of[u]] + 1] += 1
    for t in whole.live:
        tuple_counts[rank[part_of[tuples.units[tuples.first[t]]]] + 1] += 1
    for part in range(number):
        counts[part + 1] += counts[part]
        tuple_counts[part + 1] += tuple_counts[part]
    members, filled = np.empty(size, np.int64), counts.copy()
    for u in where:
        part = rank[part_of[u]]
        members[filled[part]] = u
        filled[part] += 1
    ordered, filled = np.empty(len(whole.live), np.int64), tuple_counts.copy()
    for t in whole.live:
        part = rank[part_of[tuples.units[tuples.first[t]]]]
        ordered[filled[part]] = t
        filled[part] += 1
    local, lower, upper, taken = np.empty(size, np.int64), 0.0, 0.0, whole.taken.copy()
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
        answer = _price_units(problem, start, ROUNDS)
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
    """Take some tuples with the units renumbered."""
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
    """Number the units so that those which a live tuple joins have the same number."""
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
        root[u] = root[root[u]]
        u = root[u]
    return u


@kernel
def _price_units(tuples: Tuples, start: NDArray[Any], rounds: int) -> Narrowed:
    """Move the prices towards the best bound, round by round, and drop the tuples that no alignment better than ``start`` can hold."""
    first, members, costs, size = tuples.first, tuples.units, tuples.costs, len(start)
    prices, live, reduced = np.full(size, np.inf), np.arange(len(costs)), np.empty(len(costs))
    for t in live:
        share = costs[t] / (first[t + 1] - first[t])
        for e in range(first[t], first[t + 1]):
            prices[members[e]] = min(prices[members[e]], share)
    taken, trial, upper = start.copy(), np.empty(size, np.int64), 0.0
    for u in range(size):
        upper += costs[taken[u]] / (first[taken[u] + 1] - first[taken[u]])
    best, lower, pace, idle = prices.copy(), 0.0, 1.0, 0
    slope, heading = (
        np.empty(size),
        np.zeros(size),
    )  # where the bound rises, and the way that the prices go: they keep some of their pace
    for turn in range(rounds):
        bound, steep = 0.0, 0.0
        for u in range(size):
            slope[u] = 1.0
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
            if bound > lower + 1e-3 * (upper - lower):
                idle = 0
            lower = bound
            copy_values(prices, best)
        if turn % 5 == 0 or turn == rounds - 1:
            cost = _take_cheapest(tuples, live, reduced, trial)
            if cost < upper:
                upper = cost
                copy_values(trial, taken)
        room = upper - bound + CLOSE * max(1.0, upper)
        kept = 0
        for t in live:
            if reduced[t] <= room:
                live[kept] = t
                kept += 1
        live = live[:kept]
        if upper - lower <= CLOSE * max(1.0, upper):
            break
        for u in range(size):
            steep += slope[u] * slope[u]
        if steep == 0.0:  # the tuples that pay hold every unit once: nothing is cheaper
            for t in live:
                if reduced[t] < 0:
                    for e in range(first[t], first[t + 1]):
                        taken[members[e]] = t
            upper = lower = bound
            break
        if idle > 12:
            pace, idle = pace / 2, 0
            copy_values(best, prices)
            for u in range(size):
                heading[u] = 0.0
            continue
        steep = 0.0
        for u in range(size):
            heading[u] = slope[u] + 0.85 * heading[u]
            steep += heading[u] * heading[u]
        for u in range(size):
            prices[u] += pace * (upper - bound) / steep * heading[u]
    return Narrowed(min(lower, upper), upper, best, taken, live)


@kernel
def _take_cheapest(tuples: Tuples, live: NDArray[Any], reduced: NDArray[Any], trial: NDArray[Any]) -> float:
    """Take tuples by reduced cost while they hold free units only, the last units alone; return the cost."""
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
            return np.inf  # a unit whose tuple alone has gone
    return cost


@kernel
def _search(tuples: Tuples, known: Narrowed, nodes: int) -> Narrowed:
    """Search a component to the end, unit by unit from left to right, cheapest tuples first; stop after ``nodes`` steps."""
    first, members, costs, size = tuples.first, tuples.units, tuples.costs, len(known.taken)
    live, prices = known.live, known.prices.copy()
    reduced = np.empty(len(costs))
    for t in live:  # prices no tuple undercuts
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
    counts = np.zeros(size + 1, np.int64)
    for t in live:
        for e in range(first[t], first[t + 1]):
            counts[members[e] + 1] += 1
    for u in range(size):
        counts[u + 1] += counts[u]
    lists, filled = np.empty(counts[-1], np.int64), counts.copy()
    for t in live:
        for e in range(first[t], first[t + 1]):
            lists[filled[members[e]]] = t
            filled[members[e]] += 1
    for u in range(size):  # and as high as they may be
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
        ranked, keys = lists[counts[u] : counts[u + 1]].copy(), np.empty(counts[u + 1] - counts[u])
        for e in range(len(keys)):
            keys[e] = reduced[ranked[e]]
        order = stable_order(read_only(keys))
        for e in range(len(keys)):
            lists[counts[u] + e] = ranked[order[e]]
    taken, upper, close = known.taken.copy(), known.upper, CLOSE * max(1.0, known.upper)
    trial, at = np.full(size, -1, np.int64), counts[:-1].copy()
    units, spent = np.empty(size + 1, np.int64), np.zeros(size + 1)
    depth, units[0], steps = 0, 0, 0
    while depth >= 0 and upper - lower > close:
        u = units[depth]
        if trial[u] >= 0:  # come back: give the tuple up
            t = trial[u]
            for e in range(first[t], first[t + 1]):
                trial[members[e]] = -1
        placed = False
        while at[u] < counts[u + 1] and not placed:
            t = lists[at[u]]
            at[u] += 1
            if lower + spent[depth] + reduced[t] >= upper - close:
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
        following = u + 1
        while following < size and trial[following] >= 0:
            following += 1
        if following == size:
            upper = lower + spent[depth + 1]
            copy_values(trial, taken)
            continue
        depth += 1
        units[depth] = following
    return Narrowed(upper, upper, prices, taken, live)
