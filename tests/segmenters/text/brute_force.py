"""Every segmentation of a short text, to hold the dynamic program against."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise

import numpy as np


def every_segmentation(n: int) -> Iterator[tuple[int, ...]]:
    """All sets of places between n units."""
    for number in range(n):
        yield from combinations(range(1, n), number)


def segment_table(cost) -> np.ndarray:
    """The cost of every segment (i, j], one by one."""
    n = cost.length
    table = np.full((n + 1, n + 1), np.inf)
    for i in range(n):
        for j in range(i + 1, n + 1):
            table[i, j] = cost.segments(np.array([i]), np.array([j]))[0]
    return table


def price(table: np.ndarray, positions: tuple[int, ...], penalty: float = 0.0) -> float:
    """What a segmentation costs."""
    edges = [0, *positions, len(table) - 1]
    return sum(table[a, b] for a, b in pairwise(edges)) + penalty * (len(edges) - 1)
