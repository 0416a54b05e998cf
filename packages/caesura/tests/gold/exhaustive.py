"""The conflict-free union from its definition: look at every selection of segments and keep the best."""

from __future__ import annotations

from itertools import combinations

import numba
import numpy as np

from caesura.model import Hierarchy


def random_hierarchy(random: np.random.Generator, length: int, density: float) -> Hierarchy:
    """Any hierarchy of this length may come up: spans in random order, kept while they fit."""
    every = [(a, b) for a in range(1, length + 1) for b in range(a, length + 1)]
    kept: list[tuple[int, int]] = []
    for k in random.permutation(len(every)).tolist():
        a, b = every[k]
        if random.random() < density and not any(crosses((a, b), other) for other in kept):
            kept.append((a, b))
    return Hierarchy.from_spans(kept, length=length)


def every_hierarchy(length: int) -> list[Hierarchy]:
    """All hierarchies of this length, levels by nesting."""
    spans = [(a, b) for a in range(1, length + 1) for b in range(a, length + 1)]
    hierarchies = []
    for mask in range(2 ** len(spans)):
        kept = [span for i, span in enumerate(spans) if mask >> i & 1]
        if not any(crosses(x, y) for x, y in combinations(kept, 2)):
            hierarchies.append(Hierarchy.from_spans(kept, length=length))
    return hierarchies


def crosses(x: tuple[int, ...], y: tuple[int, ...]) -> bool:
    return x[0] < y[0] <= x[1] < y[1] or y[0] < x[0] <= y[1] < x[1]


def best_selection(annotations: list[Hierarchy], full: bool, weight=None) -> list[tuple[int, ...]]:
    """Search all selections; ties by number of segments, units covered, then the earliest (longer first) that differs."""
    votes: dict[tuple[int, ...], int] = {}
    for annotation in annotations:
        for segment in {s if full else s[:2] for s in annotation.spans}:
            votes[segment] = votes.get(segment, 0) + 1
    listed = sorted(votes, key=lambda s: (s[0], -s[1], *s[2:]))
    weights = [votes[s] if weight is None else weight(s, votes) for s in listed]
    rows = np.array([(*s, 0)[:3] for s in listed], dtype=np.int64).reshape(-1, 3)
    best = _search(rows, np.array(weights, dtype=np.int64), full)
    return [s for i, s in enumerate(listed) if best >> (len(listed) - 1 - i) & 1]


@numba.njit(cache=True)
def _search(rows, weights, full):
    size = len(rows)
    clash = np.zeros((size, size), np.bool_)
    for i in range(size):
        for j in range(i + 1, size):
            overlap = rows[j, 0] <= rows[i, 1]
            cross = overlap and rows[j, 1] > rows[i, 1]
            same = rows[i, 0] == rows[j, 0] and rows[i, 1] == rows[j, 1]
            clash[i, j] = cross or (full and overlap and (same or rows[j, 2] <= rows[i, 2]))
    best, best_weight, best_count, best_units = 0, 0, 0, 0
    picked = np.zeros(size + 1, np.int64)
    depth, following = 0, 0
    while True:  # depth first over all subsets without a clash, each visited once
        step = following
        while step < size:
            ok = True
            for k in range(depth):
                if clash[picked[k], step]:
                    ok = False
                    break
            if ok:
                break
            step += 1
        if step < size:
            picked[depth] = step
            depth += 1
            following = step + 1
        else:
            if depth == 0:
                return best
            depth -= 1
            following = picked[depth] + 1
            continue
        weight = count = units = mask = 0
        fits = True
        for k in range(depth):
            i = picked[k]
            weight += weights[i]
            count += 1
            units += rows[i, 1] - rows[i, 0] + 1
            mask |= 1 << (size - 1 - i)
            if full:
                around = 1
                for m in range(k):
                    j = picked[m]
                    if rows[j, 0] <= rows[i, 0] and rows[i, 1] <= rows[j, 1]:
                        around += 1
                fits = fits and around == rows[i, 2]
        if not fits:
            continue
        if (weight, count, units, mask) > (best_weight, best_count, best_units, best):
            best, best_weight, best_count, best_units = mask, weight, count, units
