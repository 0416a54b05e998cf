"""Choi's C99 (2000): cosines between all units, ranked among their neighbours, and the division that makes the ranks densest.

All is computed in float32 and summed in the order of Choi's program, because ties between densities are frequent and the last bit
decides them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from caesura.kernels.jit import kernel


@kernel(plain=False)
def cosines(tokens: Any, offsets: Any, types: int, band: int) -> Any:
    """Cosine of the counts of every two units no further apart than ``band``; 0 where a unit has no words.

    Row by row through lists of the units that hold each word: the work follows the words that units share.
    """
    n = len(offsets) - 1
    cosine = np.zeros((n, n), np.float32)
    starts = np.zeros(types + 1, np.int64)  # distinct (unit, count) of each type, in the order of units
    last = np.full(types, -1, np.int64)
    for u in range(n):
        for t in range(offsets[u], offsets[u + 1]):
            if last[tokens[t]] != u:
                last[tokens[t]] = u
                starts[tokens[t] + 1] += 1
    for w in range(types):
        starts[w + 1] += starts[w]
    filled = starts[:-1].copy()
    units, counts = np.empty(starts[types], np.int64), np.zeros(starts[types], np.int64)
    last[:] = -1
    norms = np.zeros(n)
    for u in range(n):
        for t in range(offsets[u], offsets[u + 1]):
            w = tokens[t]
            if last[w] != u:
                last[w] = u
                units[filled[w]] = u
                filled[w] += 1
            norms[u] += 2 * counts[filled[w] - 1] + 1
            counts[filled[w] - 1] += 1
    products = np.zeros(n, np.int64)
    seen = starts[:-1].copy()  # how many of each type's entries belong to units before the current one
    last[:] = -1
    for u in range(n):
        for t in range(offsets[u], offsets[u + 1]):
            w = tokens[t]
            if last[w] != u:
                last[w] = u
                own = counts[seen[w]]
                for e in range(seen[w], -1, -1):
                    if e < starts[w] or units[e] < u - band:
                        break
                    products[units[e]] += own * counts[e]
                seen[w] += 1
        for v in range(max(0, u - band), u + 1):
            if products[v] != 0:
                value = np.float32(products[v]) / np.float32(np.sqrt(norms[u] * norms[v]))
                cosine[u, v] = value
                cosine[v, u] = value
                products[v] = 0
    return cosine


@kernel(plain=False)
def rank(cosine: Any, reach: int) -> Any:
    """Share of the neighbours within ``reach`` cells in both directions that a cell exceeds strictly; the mask is clipped to the matrix."""
    n = cosine.shape[0]
    ranks = np.empty((n, n), np.float32)
    beaten = np.empty(n, np.int16)
    for i in range(n):
        top, bottom = max(0, i - reach), min(n - 1, i + reach)
        beaten[: i + 1] = 0
        for a in range(top, bottom + 1):
            for shift in range(-reach, reach + 1):
                low, high = max(0, -shift), min(i, n - 1 - shift)
                here, there = cosine[i], cosine[a]
                for j in range(low, high + 1):
                    beaten[j] += here[j] > there[j + shift]
        for j in range(i + 1):
            cells = (bottom - top + 1) * (min(n - 1, j + reach) - max(0, j - reach) + 1) - 1
            share = np.float32(beaten[j]) / np.float32(cells) if cells > 0 else np.float32(0.0)
            ranks[i, j] = share
            ranks[j, i] = share
    return ranks


@kernel(plain=False)
def sum_squares(ranks: Any) -> None:
    """Replace every cell (i, j) by the sum of the square i … j on the diagonal, in place."""
    n = ranks.shape[0]
    double = np.float32(2.0)
    for j in range(1, n):
        for i in range(j - 1, -1, -1):
            value = double * ranks[i, j] + ranks[i, j - 1] + ranks[i + 1, j]
            ranks[i, j] = value - ranks[i + 1, j - 1] if j > i + 1 else value


@kernel(plain=False)
def _best_split(squares: Any, begin: int, end: int) -> int:
    """The unit that ends the left part of the densest division of begin … end, looked at from the right."""
    best, where = np.float32(0.0), begin
    for m in range(end - 1, begin - 1, -1):
        left, right = m - begin + 1, end - m
        density = (squares[begin, m] + squares[m + 1, end]) / np.float32(left * left + right * right)
        if density > best:
            best, where = density, m
    return where


@kernel(plain=False)
def divide(squares: Any, splits: int) -> Any:
    """Split ``splits`` times, always where the overall density becomes highest.

    Returns the positions in the order of the splits, and the density before the first and behind each.
    """
    n = squares.shape[0]
    begins, ends = np.zeros(splits + 1, np.int64), np.zeros(splits + 1, np.int64)
    wheres = np.zeros(splits + 1, np.int64)
    ends[0] = n - 1
    wheres[0] = _best_split(squares, 0, n - 1)
    regions = 1
    inside, area = squares[0, n - 1], np.float32(n) * np.float32(n)
    positions, densities = np.zeros(splits, np.int64), np.zeros(splits + 1, np.float32)
    densities[0] = inside / area
    for step in range(splits):
        chosen, best = -1, np.float32(0.0)
        for r in range(regions - 1, -1, -1):
            b, e, m = begins[r], ends[r], wheres[r]
            if b == e:
                continue
            left, right, size = np.float32(m - b + 1), np.float32(e - m), np.float32(e - b + 1)
            new_inside = inside - squares[b, e] + squares[b, m] + squares[m + 1, e]
            new_area = area - size * size + left * left + right * right
            density = new_inside / new_area
            if density > best:
                chosen, best = r, density
        if chosen < 0:
            for r in range(regions):
                if begins[r] < ends[r]:
                    chosen = r
                    break
        b, e, m = begins[chosen], ends[chosen], wheres[chosen]
        left, right, size = np.float32(m - b + 1), np.float32(e - m), np.float32(e - b + 1)
        inside = inside - squares[b, e] + squares[b, m] + squares[m + 1, e]
        area = area - size * size + left * left + right * right
        for r in range(regions, chosen + 1, -1):
            begins[r], ends[r], wheres[r] = begins[r - 1], ends[r - 1], wheres[r - 1]
        begins[chosen + 1], ends[chosen + 1] = m + 1, e
        ends[chosen] = m
        wheres[chosen] = _best_split(squares, b, m)
        wheres[chosen + 1] = _best_split(squares, m + 1, e)
        regions += 1
        positions[step] = m + 1
        densities[step + 1] = inside / area
    return positions, densities
