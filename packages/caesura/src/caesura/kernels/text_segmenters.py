"""Kernels of the text segmenters: lexical cohesion, Choi's ranks, and affinity propagation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from caesura.kernels.arrays import fill
from caesura.kernels.jit import inline, kernel

# ---------------------------------------------------------------------- lexical cohesion: costs of segments from word counts


class Entries(NamedTuple):
    """One entry per unit and word: the unit, the count of the word in it, the word's previous entry, and where the entries of each unit begin."""

    units: Any
    counts: Any
    previous: Any
    begins: Any


class CohesionTerms(NamedTuple):
    """The terms of the cost of a segment.

    ``steps[c]`` is the gain of the (c+2)-nd occurrence of a word over the (c+1)-st, and ``climbs`` their running sum; ``totals[x]`` is the cost
    of x tokens without repetitions, ``lengths[z]`` the cost of z units (empty: none).
    """

    steps: Any
    climbs: Any
    totals: Any
    lengths: Any


@kernel
def word_entries(tokens: Any, offsets: Any, types: int) -> Entries:
    """List the words of every unit."""
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
    return Entries(np.copy(units[:number]), np.copy(counts[:number]), np.copy(previous[:number]), begins)


@inline
def _added_cost(steps: Any, climbs: Any, before: int, own: int, earlier: int) -> float:
    """Return the gain of ``own`` new tokens from ``earlier`` equal ones in one unit, with ``before`` others in between."""
    added = 0.0
    if own * earlier <= 64:  # few terms: add the steps one by one; many: take differences of the running sum
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
    first: int,
    offsets: Any,
    entries: Entries,
    lowest: Any,
    terms: CohesionTerms,
    gains: Any,
    differences: Any,
    block: Any,
) -> None:
    """Fill ``block[r, i]`` with the cost of the segment of units i … first + r; ``gains`` and ``differences`` carry over to the next block.

    While the end j advances, ``gains[i]`` is the gain by repetition in the segment from i to j. A token of unit j with c earlier occurrences
    in the segment adds a term that depends on c only, and c is a step function of the start that jumps at these occurrences. So each
    word follows its list of earlier units and adds the steps to an array of differences, and one running sum from j down
    updates all gains: n²/2 additions plus half the sum of squared frequencies, without a table of counts for every start.
    """
    units, counts, previous, begins = entries
    steps, climbs, totals, lengths = terms
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
def segment_cohesion(starts: Any, ends: Any, offsets: Any, tokens: Any, types: int, terms: CohesionTerms) -> Any:
    """Return the cost of each segment (start, end], by counting its words."""
    climbs, totals, lengths = terms.climbs, terms.totals, terms.lengths
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
def last_cohesion(offsets: Any, tokens: Any, types: int, terms: CohesionTerms, row: Any) -> None:
    """Fill ``row`` with the cost of every segment that ends with the last unit, by its start; words are counted from the end."""
    counts = np.zeros(types, np.int32)
    gain = 0.0
    end = offsets[len(offsets) - 1]
    for i in range(len(offsets) - 2, -1, -1):
        for t in range(offsets[i], offsets[i + 1]):
            gain += terms.climbs[counts[tokens[t]]]
            counts[tokens[t]] += 1
        row[i] = terms.totals[end - offsets[i]] - gain


@kernel
def block_cosines(tokens: Any, offsets: Any, types: int, reach: int) -> Any:
    """Return the cosine of the word counts of up to ``reach`` units on each side of every gap between units.

    Blocks shrink at the ends of the text, so that both sides have the same length. Counts and the three sums are updated as the gap
    moves: the work is linear in the tokens.
    """
    n = len(offsets) - 1
    scores = np.zeros(max(n - 1, 0))
    left, right = np.zeros(types, np.int64), np.zeros(types, np.int64)
    product = squares_left = squares_right = 0
    begin, end = 0, 0  # units on the left: begin … place-1; on the right: place … end-1
    for place in range(1, n):
        size = min(reach, place, n - place)
        for t in range(offsets[place - 1], offsets[place]):  # the unit that passes from right to left
            w = tokens[t]
            if end > place - 1:
                product -= left[w]
                squares_right -= 2 * right[w] - 1  # c² - (c-1)²
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


# ---------------------------------------------------------------------- C99 (Choi 2000): cosines, ranks, densest divisions
#
# All values are float32 and summed in the order of Choi's program, because ties between densities are frequent and the last bit
# decides them. Uncompiled they are NumPy scalars, which have the same bits and take about two steps per cell.


@kernel(work=lambda offsets, **_: 2.0 * len(offsets) ** 2)
def cosines(tokens: Any, offsets: Any, types: int, band: int) -> Any:
    """Return the cosine of the word counts of every two units within ``band`` of each other; 0 if a unit has no words.

    Row by row, over lists of the units that contain each word: the work is proportional to the words that units share.
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
    filled = np.copy(starts[:-1])
    units, counts = np.empty(starts[types], np.int64), np.zeros(starts[types], np.int64)
    fill(last, -1)
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
    seen = np.copy(starts[:-1])  # how many of each type's entries belong to units before the current one
    fill(last, -1)
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


def _rank_whole_table(cosine: Any, reach: int) -> Any:
    """Compute the same as ``rank`` without compiling it: compare the whole table with itself, shifted in both directions."""
    n = len(cosine)
    reach = min(reach, n - 1)
    beaten = np.zeros_like(cosine, dtype="int16")
    for down in range(-reach, reach + 1):
        top, bottom = max(0, -down), min(n, n - down)
        for shift in range(-reach, reach + 1):
            low, high = max(0, -shift), min(n, n - shift)
            here, there = cosine[top:bottom, low:high], cosine[top + down : bottom + down, low + shift : high + shift]
            beaten[top:bottom, low:high] += here > there
    at = np.indices((n,))[0]
    rows = np.minimum(at, reach) + np.minimum(n - 1 - at, reach) + 1
    cells = np.maximum(np.outer(rows, rows) - 1, 1)  # a single unit has no neighbour, and beats none
    return beaten.astype("float32") / cells.astype("float32")


@kernel(plain=_rank_whole_table, work=lambda cosine, reach, **_: (2 * reach + 1) ** 2 * (4 + cosine.size / 500))
def rank(cosine: Any, reach: int) -> Any:
    """Return the share of the neighbours within ``reach`` cells in both directions that a cell exceeds; the mask is clipped to the matrix."""
    n = cosine.shape[0]
    ranks = np.empty((n, n), np.float32)
    beaten = np.empty(n, np.int16)
    for i in range(n):
        top, bottom = max(0, i - reach), min(n - 1, i + reach)
        fill(beaten[: i + 1], 0)  # the matrix is symmetric: only cells up to the diagonal are computed
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


@kernel(work=lambda ranks, **_: 2.0 * ranks.size)
def sum_squares(ranks: Any) -> None:
    """Replace every cell (i, j) by the sum of the square i … j along the diagonal, in place."""
    n = ranks.shape[0]
    double = np.float32(2.0)
    for j in range(1, n):
        for i in range(j - 1, -1, -1):
            value = double * ranks[i, j] + ranks[i, j - 1] + ranks[i + 1, j]
            ranks[i, j] = value - ranks[i + 1, j - 1] if j > i + 1 else value


@kernel
def _best_split(squares: Any, begin: int, end: int) -> int:
    """Return the last unit of the left part of the densest division of begin … end, searching from the right."""
    best, where = np.float32(0.0), begin
    for m in range(end - 1, begin - 1, -1):
        left, right = m - begin + 1, end - m
        density = (squares[begin, m] + squares[m + 1, end]) / np.float32(left * left + right * right)
        if density > best:
            best, where = density, m
    return where


@kernel(work=lambda squares, **_: 2.0 * squares.size)
def divide(squares: Any, splits: int) -> Any:
    """Split ``splits`` times, always where the overall density becomes highest.

    Return the positions in the order of the splits, and the density before the first and after each.
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
        if chosen < 0:  # all densities are 0: split the first region that can be split
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


# ---------------------------------------------------------------------- APS (Kazantseva & Szpakowicz 2011): segments around exemplars


@kernel(work=lambda block, sums, **_: float(block.shape[0] * sums.shape[1] ** 2))
def exemplar_rows(first: int, lowest: Any, sums: Any, preferences: Any, block: Any) -> None:
    """Fill ``block[r, i]`` with minus the net similarity of units i … first + r to the best exemplar among them.

    ``sums[t, c]`` is the sum of the similarities of units before t to unit c, without c itself.
    """
    for r in range(block.shape[0]):
        j = first + r
        above = sums[j + 1]
        for i in range(lowest[j + 1], j + 1):
            below = sums[i]
            best = -np.inf
            for c in range(i, j + 1):
                value = above[c] - below[c] + preferences[c]
                best = value if value > best else best
            block[r, i] = -best


@kernel
def _update_responsibilities(similarities: Any, window: int, damping: float, available: Any, responsible: Any) -> None:
    """Compute ``r(i, j) = s(i, j) - max_{k ≠ j} (a(i, k) + s(i, k))``, damped with its previous value."""
    n = similarities.shape[0]
    for i in range(n):
        best = second = -np.inf  # the maximum without j is the best, or the second best if j is the best
        where = -1
        low, high = max(0, i - window), min(n, i + window + 1)
        for k in range(low, high):
            value = available[i, k] + similarities[i, k]
            if value > best:
                best, second, where = value, best, k
            elif value > second:
                second = value
        for j in range(low, high):
            other = second if j == where else best
            if other == -np.inf:
                other = 0.0
            responsible[i, j] = damping * responsible[i, j] + (1.0 - damping) * (similarities[i, j] - other)


@kernel
def _update_availabilities(
    window: int, damping: float, responsible: Any, available: Any, left: Any, right: Any
) -> None:
    """Compute the evidence of the surrounding units for j as the exemplar of i; segments are contiguous, so running sums suffice."""
    n = responsible.shape[0]
    for j in range(n):
        low, high = max(0, j - window), min(n - 1, j + window)
        left[low] = 0.0  # the best stretch that ends just before each unit, or an empty one
        for i in range(low + 1, j + 1):
            left[i] = max(0.0, left[i - 1] + responsible[i - 1, j])
        right[high] = 0.0
        for i in range(high - 1, j - 1, -1):
            right[i] = max(0.0, right[i + 1] + responsible[i + 1, j])
        keep, new = damping, 1.0 - damping
        available[j, j] = keep * available[j, j] + new * (left[j] + right[j])
        run, least = responsible[j, j], 0.0  # sums of r(i+1 … j), and the least sum of r(i+1 … m), m < j
        for i in range(j - 1, low - 1, -1):
            value = left[i] + min(run + right[j], least)
            available[i, j] = keep * available[i, j] + new * value
            run += responsible[i, j]
            least = min(0.0, least + responsible[i, j])
        run, least = responsible[j, j], 0.0
        for i in range(j + 1, high + 1):
            value = right[i] + min(run + left[j], least)
            available[i, j] = keep * available[i, j] + new * value
            run += responsible[i, j]
            least = min(0.0, least + responsible[i, j])


@kernel(work=lambda similarities, **_: 400.0 * similarities.size)
def pass_messages(similarities: Any, window: int, damping: float, rounds: int, patience: int) -> Any:
    """Pass messages until the exemplars stay the same for more than ``patience`` rounds; the diagonal holds the preferences.

    Return which units are exemplars, and the number of rounds.
    """
    n = similarities.shape[0]
    responsible, available = np.zeros((n, n)), np.zeros((n, n))
    left, right = np.zeros(n), np.zeros(n)
    chosen, before = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    same = 0
    done = 0
    for turn in range(rounds):
        done = turn + 1
        _update_responsibilities(similarities, window, damping, available, responsible)
        _update_availabilities(window, damping, responsible, available, left, right)
        number = 0
        changed = False
        for j in range(n):
            chosen[j] = available[j, j] + responsible[j, j] > 0.0
            number += chosen[j]
            changed |= chosen[j] != before[j]
            before[j] = chosen[j]
        same = 0 if changed or number == 0 else same + 1
        if same > patience:
            break
    return chosen, done


@kernel
def place_between(similarities: Any, exemplars: Any) -> Any:
    """Place each boundary between two neighbouring exemplars so that units are most similar to their own; ties go left."""
    positions = np.empty(max(len(exemplars) - 1, 0), np.int64)
    for e in range(len(exemplars) - 1):
        left, right = exemplars[e], exemplars[e + 1]
        best, where, run = 0.0, left + 1, 0.0
        for t in range(left + 1, right):
            run += similarities[t, left] - similarities[t, right]
            if run > best:
                best, where = run, t + 1
        positions[e] = where
    return positions
