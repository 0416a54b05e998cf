"""A good alignment of many annotators where listing all tuples would take too much room: one annotator after another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import double_room
from caesura.kernels.jit import kernel
from caesura.kernels.unitizing import Costs, Units, close_units, match_close_pairs, sort_by_length, unit_cost


@kernel
def merge_annotators(units: Units, offsets: NDArray[Any], costs: Costs, tuple_of: NDArray[Any]) -> float:
    """Put each annotator's units beside the tuples so far at least cost; note each unit's tuple by its first unit, return the cost.

    A unit joins a tuple of ``k`` where that saves: :math:`\\sum_w d(u, w) < \\Delta (C + k)`.
    """
    n, size = len(offsets) - 1, len(units.starts)
    pairs, total = n * (n - 1) // 2, size * costs.delta
    limit = costs.delta * (pairs + n) * (1 + 1e-12)
    members, counts = np.full((size, n), -1, np.int64), np.zeros(size, np.int64)
    sides = [sort_by_length(units, offsets[i], offsets[i + 1]) for i in range(n)]
    room, mark = np.empty(size, np.int64), np.full(size, -1, np.int64)
    for u in range(size):
        tuple_of[u] = u
    for new in range(n):
        start, stop = offsets[new], offsets[new + 1]
        first, columns, weights = np.zeros(stop - start + 1, np.int64), np.empty(64, np.int64), np.empty(64)
        filled = 0
        for u in range(start, stop):
            for other in range(new):
                for i in range(close_units(u, units, sides[other], costs, limit, room)):
                    head = tuple_of[room[i]]
                    if mark[head] == u:
                        continue
                    mark[head] = u
                    saved = -costs.delta * (pairs + counts[head])
                    for m in range(counts[head]):
                        saved += unit_cost(members[head, m], u, units, costs)
                    if saved < 0:
                        if filled == len(columns):
                            columns, weights = double_room(columns), double_room(weights)
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
