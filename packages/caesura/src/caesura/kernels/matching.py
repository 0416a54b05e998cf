"""Pair the boundaries of two annotations at least cost; among equal costs, with the fewest unpaired boundaries, then with the most matches.

Savings are compared as integers: a pair saves two additions less its own weight, in steps so fine that the usual weights (span over
n_t, distance over the number of types) are exact. Ties are therefore exact, and the cost of the result depends neither on the end
of the text from which the search starts nor on which side is the reference.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import fill, largest, smallest
from caesura.kernels.jit import kernel

FINE = 1000  # steps per smallest usual fraction (span / n_t), for weights that are no such fraction
NEVER = -(2**62)  # the saving of a pair that is not allowed


class EditRule(NamedTuple):
    """How boundaries are paired, and what pairs weigh.

    ``spans`` has the weight of a near miss by its span. ``ordinal`` is (constant, slope, added): confusing two types weighs
    constant + slope · distance / (high - low + added). If ``table`` is not empty, it has these weights instead, in the order of ``kinds``.
    """

    typed: bool
    optimal: bool
    spans: NDArray[Any]
    ordinal: NDArray[Any]
    kinds: NDArray[Any]
    table: NDArray[Any]


@kernel
def type_weight(ours: int, theirs: int, low: int, high: int, rule: EditRule) -> float:
    """Return the weight of confusing two types, if all types of the pair lie between ``low`` and ``high``."""
    if rule.table.size:
        return float(rule.table[np.searchsorted(rule.kinds, ours), np.searchsorted(rule.kinds, theirs)])
    return float(rule.ordinal[0] + rule.ordinal[1] * abs(ours - theirs) / (high - low + rule.ordinal[2]))


@kernel
def pair_optimal(
    ref: NDArray[Any],
    hyp: NDArray[Any],
    span_weights: NDArray[Any],
    ref_partner: NDArray[Any],
    hyp_partner: NDArray[Any],
) -> None:
    """Pair untyped boundaries at least cost, without crossings: a dynamic program over the candidates within reach.

    ``best[b]`` is the largest saving with the reference so far and the first ``b`` boundaries of the hypothesis; beyond a
    boundary's last candidate it is a copy of the value there, because candidates only move to the right.
    """
    reach, size = len(span_weights), len(hyp)
    saving = np.empty(reach, np.int64)  # as integers, so that equal savings are exactly equal
    for span in range(reach):
        saving[span] = 2 * reach * FINE - np.int64(np.rint(span_weights[span] * reach * FINE))
    # hyp[low[i]:high[i]] are the candidates of ref[i]; their choices begin at choice[start[i]]
    low, high, start = np.empty(len(ref), np.int64), np.empty(len(ref), np.int64), np.empty(len(ref), np.int64)
    first = last = cells = 0
    for i in range(len(ref)):
        while first < size and hyp[first] <= ref[i] - reach:
            first += 1
        last = max(last, first)
        while last < size and hyp[last] < ref[i] + reach:
            last += 1
        low[i], high[i], start[i] = first, last, cells
        cells += last - first
    choice = np.empty(cells, np.int8)
    best, ties = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    known = 0
    for i in range(len(ref)):
        while known < high[i]:
            known += 1
            best[known], ties[known] = best[known - 1], ties[known - 1]
        left_best, left_ties = best[low[i]], ties[low[i]]
        for b in range(low[i], high[i]):
            span = abs(ref[i] - hyp[b])
            above_best, above_ties = best[b + 1], ties[b + 1]
            chosen, most, tie = 0, above_best, above_ties
            if best[b] > most or (best[b] == most and ties[b] > tie):
                chosen, most, tie = 1, best[b], ties[b]
            # ties count pairs in the upper and matches in the lower 31 bits: fewest additions first, then most matches
            paired, paired_ties = left_best + saving[span], left_ties + 2**31 + (span == 0)
            if paired > most or (paired == most and paired_ties > tie):
                chosen, most, tie = 2, paired, paired_ties
            best[b + 1], ties[b + 1] = most, tie
            choice[start[i] + b - low[i]] = chosen
            left_best, left_ties = above_best, above_ties
    _trace_back(low, high, start, choice, ref_partner, hyp_partner)


@kernel
def _trace_back(
    low: NDArray[Any],
    high: NDArray[Any],
    start: NDArray[Any],
    choice: NDArray[Any],
    ref_partner: NDArray[Any],
    hyp_partner: NDArray[Any],
) -> None:
    """Follow the choices back from the end and write down the partners."""
    fill(ref_partner, -1)
    fill(hyp_partner, -1)
    i, b = len(ref_partner) - 1, len(hyp_partner)
    while i >= 0:
        b = min(b, high[i])
        chosen = choice[start[i] + b - 1 - low[i]] if b > low[i] else 0
        if chosen == 1:
            b -= 1
        else:
            if chosen == 2:
                b -= 1
                ref_partner[i], hyp_partner[b] = b, i
            i -= 1


class _Sides(NamedTuple):
    """Two typed annotations and the costs of pairing their boundaries, in steps of 1 / ``fine``."""

    ref: NDArray[Any]
    ref_types: NDArray[Any]
    hyp: NDArray[Any]
    hyp_types: NDArray[Any]
    low: int
    high: int
    fine: int
    rule: EditRule


@kernel
def _worth(i: int, j: int, s: _Sides) -> int:
    """Return the saving of pairing two typed boundaries, tie-breakers included; NEVER if they cannot be paired."""
    span, same = abs(s.ref[i] - s.hyp[j]), s.ref_types[i] == s.hyp_types[j]
    if same:
        weight = s.rule.spans[span]
    elif span == 0:
        weight = type_weight(s.ref_types[i], s.hyp_types[j], s.low, s.high, s.rule)
    else:
        return NEVER
    # Three criteria in one integer: the saving, then the number of pairs, then the matches. The base exceeds any number of pairs.
    base = len(s.ref) + len(s.hyp) + 2
    saved = 2 * s.fine - np.int64(np.rint(weight * s.fine))
    return int(saved * base * base + base + np.int64(same and span == 0))


@kernel
def pair_optimal_types(
    ref: NDArray[Any], ref_types: NDArray[Any], hyp: NDArray[Any], hyp_types: NDArray[Any], rule: EditRule,
    ref_partner: NDArray[Any], hyp_partner: NDArray[Any],
) -> None:  # fmt: skip
    """Pair typed boundaries at least cost: a maximum-weight matching, built by one boundary of the reference at a time.

    With several types, a boundary may be moved or be given another type in place, so the best pairing may cross and cannot be found
    from left to right. For each new boundary, find the alternating path with the largest gain: it ends at a free boundary of
    the hypothesis, or at one of the reference that loses its partner.
    """
    reach, size = len(rule.spans), len(hyp)
    low = high = 0
    if len(ref) and size:
        low = smallest(ref_types, smallest(hyp_types, ref_types[0]))
        high = largest(ref_types, largest(hyp_types, ref_types[0]))
    # steps in which span / n_t and distance / (number of types) are whole; the cap leaves bits for the two lower criteria
    fine = FINE * reach * min(high - low + 1, 10_000)
    sides = _Sides(ref, ref_types, hyp, hyp_types, low, high, fine, rule)
    row_gain, col_gain = np.full(len(ref), NEVER, np.int64), np.full(size, NEVER, np.int64)
    via, queue, waiting = np.empty(size, np.int64), np.empty(len(ref) + 1, np.int64), np.zeros(len(ref), np.bool_)
    rows, cols = np.empty(len(ref) + 1, np.int64), np.empty(size + 1, np.int64)
    fill(ref_partner, -1)
    fill(hyp_partner, -1)
    for new in range(len(ref)):
        head, tail, length = 0, 1, len(queue)
        queue[0], row_gain[new], waiting[new] = new, 0, True
        rows[0], seen_rows, seen_cols = new, 1, 0
        most, end_row, end_col = np.int64(0), -1, -1
        # Label-correcting search (a queue of boundaries whose gain grew): gains may be negative, so Dijkstra does not apply.
        while head != tail:
            u = queue[head]
            head = (head + 1) % length
            waiting[u] = False
            j = np.searchsorted(hyp, ref[u] - reach, side="right")
            while j < size and hyp[j] < ref[u] + reach:
                worth = NEVER
                if ref_partner[u] != j:
                    worth = _worth(u, j, sides)
                if worth != NEVER and row_gain[u] + worth > col_gain[j]:
                    if col_gain[j] == NEVER:
                        cols[seen_cols] = j
                        seen_cols += 1
                    col_gain[j], via[j] = row_gain[u] + worth, u
                    mate = hyp_partner[j]
                    if mate < 0:
                        if col_gain[j] > most:
                            most, end_row, end_col = col_gain[j], -1, j
                    else:
                        gain = col_gain[j] - _worth(mate, j, sides)
                        if gain > row_gain[mate]:
                            if row_gain[mate] == NEVER:
                                rows[seen_rows] = mate
                                seen_rows += 1
                            row_gain[mate] = gain
                            if gain > most:
                                most, end_row, end_col = gain, mate, j
                            if not waiting[mate]:
                                waiting[mate] = True
                                queue[tail] = mate
                                tail = (tail + 1) % length
                j += 1
        if end_col >= 0:
            _augment(new, end_row, end_col, via, ref_partner, hyp_partner)
        for s in range(
            seen_rows
        ):  # reset only what was touched: the search stays local, so all searches together are nearly linear
            row_gain[rows[s]] = NEVER
        for s in range(seen_cols):
            col_gain[cols[s]] = NEVER


@kernel
def _augment(
    new: int, end_row: int, col: int, via: NDArray[Any], ref_partner: NDArray[Any], hyp_partner: NDArray[Any]
) -> None:
    """Flip the alternating path that ends at ``col``; ``end_row`` loses its partner."""
    if end_row >= 0:
        ref_partner[end_row] = -1
    while True:
        row = via[col]
        freed = ref_partner[row]
        ref_partner[row], hyp_partner[col] = col, row
        if row == new:
            return
        col = freed
