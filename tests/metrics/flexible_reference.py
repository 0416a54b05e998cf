"""Flexible similarity written from its definition: every monotone alignment is tried. Slow, and plain to read."""

from __future__ import annotations

from collections.abc import Sequence


def step(p: int, at_p: int, q: int, at_q: int, moves: Sequence[float], moved: str) -> float:
    if moved == "cheaper":
        return min(moves[p], moves[q])
    if moved == "second":
        return moves[q]
    return moves[p] if at_p > at_q else moves[q]


def alignments(first: list, second: list, costs, moves, moved: str):
    """Every (cost, units) of aligning two lists of (position, type)."""
    none = len(moves)
    if not first or not second:
        deleted = sum(costs[p][none] for _, p in first)
        added = sum(costs[none][q] for _, q in second)
        yield deleted + added, len(first) + len(second)
        return
    (at_p, p), (at_q, q) = first[0], second[0]
    ways = (
        (costs[p][none], first[1:], second),
        (costs[none][q], first, second[1:]),
        (costs[p][q] + abs(at_p - at_q) * step(p, at_p, q, at_q, moves, moved), first[1:], second[1:]),
    )
    for price, left, right in ways:
        for cost, units in alignments(left, right, costs, moves, moved):
            yield price + cost, 1 + units


def least(first: list, second: list, costs, moves, moved: str = "cheaper", ties: str = "most", forced: bool = True):
    """The least cost, and the most or fewest units at that cost, of two lists of (position, type)."""
    met = sorted({at for at, _ in first} & {at for at, _ in second}) if forced else []
    cost, units, start = 0.0, 0, 0
    for end in [*met, float("inf")]:
        ways = list(
            alignments(
                [m for m in first if start < m[0] < end], [m for m in second if start < m[0] < end], costs, moves, moved
            )
        )
        best = min(c for c, _ in ways)
        near = [u for c, u in ways if c < best + 1e-9]
        cost, units = cost + best, units + (max(near) if ties == "most" else min(near))
        if end in met:
            cost, units = cost + costs[dict(first)[end]][dict(second)[end]], units + 1
        start = end
    return cost, units
