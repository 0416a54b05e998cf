"""Lexical cohesion: the cost of a segment from the counts of its words, for all starts at once and without a matrix.

While the end j advances, ``gains[i]`` holds the score of the segment from i to j that depends on repeated words. A token of
unit j with c earlier occurrences inside the segment adds a term that depends on c alone, and c is a step function of the start
that jumps at the earlier occurrences of the same word. So each word walks the list of units that hold it too, puts the steps into
an array of differences, and one running sum from j down to the first start brings all gains up to date: n²/2 additions
and half the sum of squared frequencies, instead of a table of counts for every start.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from caesura.kernels.jit import inline, kernel


class Entries(NamedTuple):
    """One entry per unit and word in it: the unit, how often the word stands there, the word's entry before, and where units begin."""

    units: Any
    counts: Any
    previous: Any
    begins: Any


class Prices(NamedTuple):
    """``steps[c]`` is what the (c+2)-nd occurrence of a word gains over the (c+1)-st and ``climbs`` their running sum; ``totals[x]`` is what a
    segment of x tokens costs before repetition, ``lengths[z]`` what one of z units costs (nothing, where it is empty)."""

    steps: Any
    climbs: Any
    totals: Any
    lengths: Any


@kernel
def word_entries(tokens: Any, offsets: Any, types: int) -> Entries:
    """Note for every unit which words stand in it."""
    n = len(offsets) - 1
    units, counts = np.empty(len(tokens), np.int32), np.zeros(len(tokens), np.int32)
    previous = np.empty(len(tokens), np.int32)
    latest = np.full(types, -1, np.int32)
    begins = np.zeros(n + 1, np.int64)
    number = 0
    for u in range(n):
        for t in range(offsets[u], offsets[u + 1]):
            entry = latest[tokens[t]]
            if entry < 0 or units[entry] != u:
                previous[number] = entry
                units[number] = u
                latest[tokens[t]] = number
                entry = number
                number += 1
            counts[entry] += 1
        begins[u + 1] = number
    return Entries(units[:number].copy(), counts[:number].copy(), previous[:number].copy(), begins)


@inline
def _added_cost(steps: Any, climbs: Any, before: int, own: int, earlier: int) -> float:
    """What ``own`` new tokens gain from ``earlier`` equal ones in one unit, ``before`` others standing in between."""
    added = 0.0
    if own * earlier <= 64:
        for c in range(before, before + own):
            for e in range(earlier):
                added += steps[c + e]
    else:
        for c in range(before, before + own):
            added += climbs[c + earlier] - climbs[c]
    return added


def _cells(*, first: int, entries: Entries, block: Any, **_: Any) -> float:
    return float(block.shape[0] * (first + block.shape[0]) + len(entries.units))


@kernel(work=_cells)
def cohesion_rows(
    first: int, offsets: Any, entries: Entries, lowest: Any, prices: Prices, gains: Any, differences: Any, block: Any
) -> None:
    """Fill ``block[r, i]`` with the cost of the segment of units i … first + r; ``gains`` and ``differences`` carry over to the next block."""
    units, counts, previous, begins = entries
    steps, climbs, totals, lengths = prices
    for r in range(block.shape[0]):
        j = first + r
        low = lowest[j + 1]
        for entry in range(begins[j], begins[j + 1]):
            own = counts[entry]
            if own > 1:
                for c in range(own):
                    differences[j] += climbs[c]
            before = 0
            q = previous[entry]
            while q >= 0 and units[q] >= low:
                differences[units[q]] += _added_cost(steps, climbs, before, own, counts[q])
                before += counts[q]
                q = previous[q]
        running = 0.0
        end = offsets[j + 1]
        row = block[r]
        for i in range(j, low - 1, -1):
            running += differences[i]
            differences[i] = 0.0
            gain = gains[i] + running
            gains[i] = gain
            row[i] = totals[end - offsets[i]] - gain
        if len(lengths):
            for i in range(low, j + 1):
                row[i] += lengths[j + 1 - i]


@kernel
def segment_cohesion(starts: Any, ends: Any, offsets: Any, tokens: Any, types: int, prices: Prices) -> Any:
    """Cost of each segment (start, end] for itself, by counting its words."""
    climbs, totals, lengths = prices.climbs, prices.totals, prices.lengths
    costs = np.empty(len(starts))
    counts = np.zeros(types, np.int32)
    for s in range(len(starts)):
        begin, end = offsets[starts[s]], offsets[ends[s]]
        gain = 0.0
        for t in range(begin, end):
            gain += climbs[counts[tokens[t]]]
            counts[tokens[t]] += 1
        for t in range(begin, end):
            counts[tokens[t]] = 0
        costs[s] = totals[end - begin] - gain
        if len(lengths):
            costs[s] += lengths[ends[s] - starts[s]]
    return costs


@kernel
def last_cohesion(offsets: Any, tokens: Any, types: int, prices: Prices, row: Any) -> None:
    """Cost of every segment that ends with the last unit, by its start: words are counted from the end on."""
    counts = np.zeros(types, np.int32)
    gain = 0.0
    end = offsets[len(offsets) - 1]
    for i in range(len(offsets) - 2, -1, -1):
        for t in range(offsets[i], offsets[i + 1]):
            gain += prices.climbs[counts[tokens[t]]]
            counts[tokens[t]] += 1
        row[i] = prices.totals[end - offsets[i]] - gain


@kernel
def block_cosines(tokens: Any, offsets: Any, types: int, reach: int) -> Any:
    """Cosine of the word counts of up to ``reach`` units on either side of every place between units.

    Blocks shrink at the edges of the text so that both sides are equally long. Counts and the three sums slide along with the place:
    the work is linear in the tokens.
    """
    n = len(offsets) - 1
    scores = np.zeros(max(n - 1, 0))
    left, right = np.zeros(types, np.int64), np.zeros(types, np.int64)
    product = squares_left = squares_right = 0
    begin, end = 0, 0  # units held on the left: begin … place-1; on the right: place … end-1
    for place in range(1, n):
        size = min(reach, place, n - place)
        for t in range(offsets[place - 1], offsets[place]):  # the unit that passes from right to left
            w = tokens[t]
            if end > place - 1:
                product -= left[w]
                squares_right -= 2 * right[w] - 1
                right[w] -= 1
            product += right[w]
            squares_left += 2 * left[w] + 1
            left[w] += 1
        end = max(end, place)
        while begin < place - size:
            for t in range(offsets[begin], offsets[begin + 1]):
                w = tokens[t]
                product -= right[w]
                squares_left -= 2 * left[w] - 1
                left[w] -= 1
            begin += 1
        while end < place + size:
            for t in range(offsets[end], offsets[end + 1]):
                w = tokens[t]
                product += left[w]
                squares_right += 2 * right[w] + 1
                right[w] += 1
            end += 1
        while end > place + size:
            end -= 1
            for t in range(offsets[end], offsets[end + 1]):
                w = tokens[t]
                product -= left[w]
                squares_right -= 2 * right[w] - 1
                right[w] -= 1
        if squares_left > 0 and squares_right > 0:
            scores[place - 1] = product / np.sqrt(float(squares_left) * float(squares_right))
    return scores
