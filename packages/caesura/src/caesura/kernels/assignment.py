"""Pair the members of two small sets at least total cost, and measure the time that two sets of speakers share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import kernel


def _cube(*, cost: Any, **_: Any) -> float:
    return float(cost.shape[0] * cost.size)


@kernel(work=_cube)
def assign(cost: NDArray[Any], tie: NDArray[Any], partner: NDArray[Any]) -> None:
    """Give every row its own column at least total cost and, among equal costs, least total ``tie``.

    The Hungarian method with shortest augmenting paths, O(rows² · columns); there are at most as many rows as columns. Costs and ties
    are compared one after the other, so that a tie-breaker of any size cannot outweigh a cost. ``partner`` receives a column per row.
    """
    rows, columns = cost.shape
    # Row and column 0 stand for "none"; the potentials of rows and columns are pairs of numbers, for cost and tie.
    row_cost, row_tie = np.zeros(rows + 1), np.zeros(rows + 1)
    column_cost, column_tie = np.zeros(columns + 1), np.zeros(columns + 1)
    owner, way = np.zeros(columns + 1, np.int64), np.zeros(columns + 1, np.int64)
    for new in range(1, rows + 1):
        owner[0] = new
        at = 0
        least_cost, least_tie = np.full(columns + 1, np.inf), np.full(columns + 1, np.inf)
        used = np.zeros(columns + 1, np.bool_)
        while True:
            used[at] = True
            row, step_cost, step_tie, nearest = owner[at], np.inf, np.inf, 0
            for j in range(1, columns + 1):
                if not used[j]:
                    c = cost[row - 1, j - 1] - row_cost[row] - column_cost[j]
                    t = tie[row - 1, j - 1] - row_tie[row] - column_tie[j]
                    if c < least_cost[j] or (c == least_cost[j] and t < least_tie[j]):
                        least_cost[j], least_tie[j], way[j] = c, t, at
                    if least_cost[j] < step_cost or (least_cost[j] == step_cost and least_tie[j] < step_tie):
                        step_cost, step_tie, nearest = least_cost[j], least_tie[j], j
            for j in range(columns + 1):
                if used[j]:
                    row_cost[owner[j]] += step_cost
                    row_tie[owner[j]] += step_tie
                    column_cost[j] -= step_cost
                    column_tie[j] -= step_tie
                else:
                    least_cost[j] -= step_cost
                    least_tie[j] -= step_tie
            at = nearest
            if owner[at] == 0:
                break
        while at != 0:  # flip the path
            owner[at] = owner[way[at]]
            at = way[at]
    for j in range(1, columns + 1):
        if owner[j] > 0:
            partner[owner[j] - 1] = j - 1


@kernel
def add_common_time(
    durations: NDArray[Any],
    scored: NDArray[Any],
    side: NDArray[Any],
    speaker: NDArray[Any],
    step: NDArray[Any],
    whole_time: NDArray[Any],
    scored_time: NDArray[Any],
) -> None:
    """Add up how long each speaker of one side talks together with each speaker of the other.

    The events are sorted by time. Before event ``e`` lies a stretch of ``durations[e]``, 0 outside the evaluated time; ``scored`` says
    whether it is scored. Then ``speaker[e]`` of ``side[e]`` (0 or 1; others are no speakers) begins or stops, by ``step[e]`` (1 or -1).
    """
    talking = np.zeros((2, max(whole_time.shape)), np.int64)  # the speakers of each side who talk now, in any order
    number = np.zeros(2, np.int64)
    for e in range(len(durations)):
        if durations[e] > 0:
            for a in range(number[0]):
                for b in range(number[1]):
                    whole_time[talking[0, a], talking[1, b]] += durations[e]
                    if scored[e]:
                        scored_time[talking[0, a], talking[1, b]] += durations[e]
        which = side[e]
        if which < 2:
            if step[e] > 0:
                talking[which, number[which]] = speaker[e]
                number[which] += 1
            else:
                at = 0
                while talking[which, at] != speaker[e]:
                    at += 1
                number[which] -= 1
                talking[which, at] = talking[which, number[which]]
