"""How far the names agree of units that stand in one tuple: sums behind γ-cat and γ-k."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from caesura.kernels.arrays import stable_order
from caesura.kernels.jit import kernel, read_only
from caesura.kernels.unitizing import Costs, Units, compare_units


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
    """Add up weight times cost of the names, and the weights, over all pairs of units in one tuple.

    A pair weighs :math:`\\max(0, 1 - \\alpha d_{pos}) / (v - 1)` in a tuple of ``v`` units. ``by_text[i]`` receives the two sums of text ``i``, ``by_code[k]``
    those of the pairs in which a unit is named ``k``, over all texts. With ``lone`` a unit beside nobody's costs too.
    """
    for i in range(len(sizes) - 1):
        start, stop, coders = rows[sizes[i]], rows[sizes[i + 1]], sizes[i + 1] - sizes[i]
        order = start + stable_order(read_only(tuple_of[start:stop]))
        head = 0
        while head < len(order):
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
                    if units.codes[u] != units.codes[v]:
                        by_code[units.codes[v], 0] += weight * named
                        by_code[units.codes[v], 1] += weight
            head = tail
