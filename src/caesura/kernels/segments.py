"""Aligning the segments of two annotations: one sweep over both lists of boundaries, whatever their shape.

Two segmentations of one text overlap in at most ``m1 + m2 - 1`` places, met from left to right while both lists are walked
once. The overlaps of any one segment are neighbours in that order. Everything here rests on these two facts.

``count_alignment`` is the measure as published and keeps only the two open segments in hand. ``count_alignment_with`` takes
every named option; it writes the overlaps of a pair into scratch columns first, which is also what ``trace_overlaps``,
``choose_closest``, ``choose_global`` and ``weigh`` offer one by one to whoever wants to see the edges.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import copy_values
from caesura.kernels.jit import Index, inline, kernel
from caesura.kernels.layout import MarkColumns, pairs_of_marks

#: How alike two segments are; ways to break a tie; ways to turn edges into a score; who chose an edge (bits).
INTERSECT, JACCARD, DICE, OVERLAP, RAND = range(5)
LEFTMOST, RIGHTMOST, BOTH = range(3)
MEAN, EXPONENTIAL, BEST = range(3)
FROM_REF, FROM_HYP = 1, 2


class Cuts(NamedTuple):
    """One side of every pair, all of whose marks part two segments; the type of each pair's last segment is ``closing``.

    Empty columns of types mean that any two segments may be aligned.
    """

    positions: NDArray[Any]
    types: NDArray[Any]
    closing: NDArray[Any]
    starts: NDArray[Any]
    stops: NDArray[Any]


class AlignmentRule(NamedTuple):
    """The named options of the measure; ``whole`` asks for the best alignment as a whole instead of the closest segment of each."""

    closeness: int
    weight: int
    ties: int
    whole: bool
    directed: bool
    threshold: float
    penalty: float
    scorer: int
    base: float


#: 2**512 is as good as infinity for a penalty, and two of them can still be added.
_HIGHEST_POWER = 512.0


# ---------------------------------------------------------------------- the measure as published


@kernel
def count_alignment(
    ref: MarkColumns, hyp: MarkColumns, lengths: NDArray[Any], tolerance: float, out: NDArray[Any]
) -> None:
    """Fill ``out`` with (sum of the Jaccard indices, number) of the distinct edges of every pair."""
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        ours, theirs = ref.positions[i:i_stop], hyp.positions[j:j_stop]
        out[pair, 0], out[pair, 1] = align_pair(ours, theirs, lengths[pair], tolerance)


@kernel
def align_pair(ref: NDArray[Any], hyp: NDArray[Any], length: Any, tolerance: float) -> tuple[float, int]:
    """Sum the Jaccard indices of the distinct edges of one pair, and count the edges.

    For one segment the closest other is the one it shares most with, because its own size is the same for all. So sizes are
    compared, and an edge costs one division. Each open segment remembers its closest so far: what they share, how large that
    one is, when it began, and whether that one has already closed and named this segment as its own closest (then the edge has been
    counted). An edge is added when the segment that chose it closes; two that close together are added to each other
    first, so that swapping the sides gives the same sum to the last bit.
    """
    total, edges = 0.0, 0
    if length <= 0:
        return total, edges
    start = length - length  # zero in the number type of the positions
    ref_from, hyp_from = start, start
    i, ref_to = _next_cut(ref, Index(0), start, length)
    j, hyp_to = _next_cut(hyp, Index(0), start, length)
    nothing = start - 1  # less than any two segments share
    ref_share, ref_size, ref_other, ref_counted = nothing, start, start, False
    hyp_share, hyp_size, hyp_other, hyp_counted = nothing, start, start, False
    while True:
        end = min(ref_to, hyp_to)
        shared, ref_mass, hyp_mass = end - start, ref_to - ref_from, hyp_to - hyp_from
        if closer(shared, hyp_mass, ref_share, ref_size, ref_mass, tolerance):
            ref_share, ref_size, ref_other, ref_counted = shared, hyp_mass, hyp_from, False
        if closer(shared, ref_mass, hyp_share, hyp_size, hyp_mass, tolerance):
            hyp_share, hyp_size, hyp_other, hyp_counted = shared, ref_mass, ref_from, False
        ref_closes, hyp_closes = ref_to == end, hyp_to == end
        mutual = ref_other == hyp_from and hyp_other == ref_from
        added = 0.0
        if ref_closes and not ref_counted:
            added += ref_share / (ref_mass + ref_size - ref_share)
            edges += 1
        if hyp_closes and not hyp_counted and not (ref_closes and mutual):
            added += hyp_share / (hyp_mass + hyp_size - hyp_share)
            edges += 1
        total += added
        if end == length:
            return total, edges
        if ref_closes:
            if mutual and not hyp_closes:
                hyp_counted = True
            ref_from = end
            i, ref_to = _next_cut(ref, i, end, length)
            ref_share = nothing
        if hyp_closes:
            if mutual and not ref_closes:
                ref_counted = True
            hyp_from = end
            j, hyp_to = _next_cut(hyp, j, end, length)
            hyp_share = nothing
        start = end


@inline
def _next_cut(marks: NDArray[Any], i: Any, start: Any, length: Any) -> Any:
    """Go on to the first mark behind a place: recordings may carry one twice, at 0, or at the end, where no segment ends but the last."""
    stop = Index(len(marks))
    while i < stop and marks[i] <= start:
        i += Index(1)
    return i, min(marks[i], length) if i < stop else length


@inline
def closer(shared: Any, size: Any, best_shared: Any, best_size: Any, own: Any, tolerance: float) -> Any:
    """Tell whether a segment of this size is strictly closer to one of size ``own`` than the closest so far."""
    return shared > best_shared + tolerance * own or (
        shared >= best_shared - tolerance * own
        and best_shared > 0
        and shared / (own + size - shared) > best_shared / (own + best_size - best_shared) + tolerance
    )


# ---------------------------------------------------------------------- the measure with every named option


@kernel(work=pairs_of_marks)
def count_alignment_with(
    ref: Cuts, hyp: Cuts, lengths: NDArray[Any], tolerance: float, rule: AlignmentRule, out: NDArray[Any]
) -> None:
    """Fill ``out`` with (sum of weights, what it is divided by) of every pair."""
    room = 2
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        room = max(room, i_stop - i + j_stop - j + 2)
    places, sizes = np.empty((2, room), np.int64), np.empty((3, room))
    toward, weights, jaccard = np.empty((2, room)), np.empty((2, room)), np.empty((2, room))
    chosen, steps = np.empty(room, np.int8), np.empty((room, 4), np.int8)
    typed = len(ref.closing) > 0
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        our_types, their_types, closing = ref.types[:0], hyp.types[:0], (0, 0)
        if typed:
            our_types, their_types = ref.types[i:i_stop], hyp.types[j:j_stop]
            closing = (ref.closing[pair], hyp.closing[pair])
        count = trace_overlaps(
            ref.positions[i:i_stop],
            our_types,
            hyp.positions[j:j_stop],
            their_types,
            closing,
            lengths[pair],
            places,
            sizes,
        )
        likenesses(rule.weight, sizes, count, lengths[pair], tolerance > 0, weights)
        if rule.whole:
            choose_global(places, weights, count, rule, steps, chosen)
        else:
            likenesses(rule.closeness, sizes, count, lengths[pair], tolerance > 0, toward)
            likenesses(JACCARD, sizes, count, lengths[pair], tolerance > 0, jaccard)
            choose_closest(places, toward, jaccard[0], count, rule.ties, tolerance, chosen)
        segments = i_stop - i + j_stop - j + 2 if lengths[pair] > 0 else 0
        out[pair, 0], out[pair, 1] = weigh(places, weights, chosen, count, segments, rule)


@kernel
def trace_overlaps(
    ref: NDArray[Any], ref_types: NDArray[Any], hyp: NDArray[Any], hyp_types: NDArray[Any], closing: tuple[int, int],
    length: Any, places: NDArray[Any], sizes: NDArray[Any],
) -> int:  # fmt: skip
    """Write every overlap, left to right: the two segments into ``places``, (shared, first's, second's size) into ``sizes``.

    Overlaps of segments of different types are left out. Returns their number.
    """
    if length <= 0:
        return 0
    ref_closing, hyp_closing = closing
    typed = len(ref_types) + len(hyp_types) > 0 or ref_closing != hyp_closing
    start = length - length
    ref_from, hyp_from = start, start
    i, j, count = 0, 0, 0
    while True:
        ref_to = ref[i] if i < len(ref) else length
        hyp_to = hyp[j] if j < len(hyp) else length
        end = min(ref_to, hyp_to)
        if not typed or (ref_types[i] if i < len(ref) else ref_closing) == (
            hyp_types[j] if j < len(hyp) else hyp_closing
        ):
            places[0, count], places[1, count] = i, j
            sizes[0, count], sizes[1, count], sizes[2, count] = end - start, ref_to - ref_from, hyp_to - hyp_from
            count += 1
        if end == length:
            return count
        if ref_to == end:
            ref_from = end
            i += 1
        if hyp_to == end:
            hyp_from = end
            j += 1
        start = end


@kernel
def likenesses(code: int, sizes: NDArray[Any], count: int, length: float, timed: bool, out: NDArray[Any]) -> None:
    """Fill ``out`` with how alike the segments of every overlap are, seen from the reference and from the hypothesis."""
    for k in range(count):
        out[0, k] = likeness(code, sizes[0, k], sizes[1, k], sizes[2, k], length, timed)
        out[1, k] = likeness(code, sizes[0, k], sizes[2, k], sizes[1, k], length, timed)


@kernel
def likeness(code: int, shared: float, own: float, other: float, length: float, timed: bool) -> float:
    """How alike a segment of size ``own`` is to a segment of size ``other`` that shares this much with it."""
    if code == INTERSECT:
        return shared / own
    if code == JACCARD:
        return shared / (own + other - shared)
    if code == DICE:
        return 2.0 * shared / (own + other)
    if code == OVERLAP:
        return shared / min(own, other)
    apart = own + other - 2.0 * shared
    if timed:  # the limit of ever smaller units
        return 1.0 - 2.0 * apart * (length - apart) / (length * length)
    return 1.0 - 2.0 * apart * (length - apart) / (length * (length - 1.0)) if length > 1 else 1.0


# ---------------------------------------------------------------------- choosing edges


@kernel
def choose_closest(
    places: NDArray[Any],
    toward: NDArray[Any],
    jaccard: NDArray[Any],
    count: int,
    ties: int,
    tolerance: float,
    chosen: NDArray[Any],
) -> None:
    """Mark in ``chosen``, by the bits FROM_REF and FROM_HYP, which overlaps are the closest of a segment of that side."""
    chosen[:count] = 0
    for side in range(2):
        first = 0
        while first < count:
            last = first
            while last + 1 < count and places[side, last + 1] == places[side, first]:
                last += 1
            closest, likest = -np.inf, -np.inf
            for k in range(first, last + 1):
                closest = max(closest, toward[side, k])
            for k in range(first, last + 1):
                if toward[side, k] >= closest - tolerance:
                    likest = max(likest, jaccard[k])
            for step in range(last + 1 - first):
                k = last - step if ties == RIGHTMOST else first + step
                if toward[side, k] >= closest - tolerance and jaccard[k] >= likest - tolerance:
                    chosen[k] |= FROM_REF if side == 0 else FROM_HYP
                    if ties != BOTH:
                        break
            first = last + 1


@kernel(work=lambda count, **_: count * count)
def choose_global(
    places: NDArray[Any],
    weights: NDArray[Any],
    count: int,
    rule: AlignmentRule,
    steps: NDArray[Any],
    chosen: NDArray[Any],
) -> None:
    """Mark the overlaps whose mean weight is the largest among all choices that leave no segment without an edge.

    The largest mean is found by Dinkelbach's method: given a mean, find the choice with the largest sum of (weight - mean),
    whose own mean is at least as large; repeat until it no longer grows. The largest sum is found in one sweep, because
    only the two open segments can still be without an edge: four states.
    """
    chosen[:count] = FROM_REF | FROM_HYP
    mean = -1.0
    while count > 0:
        total, edges = 0.0, 0
        for k in range(count):
            if chosen[k]:
                total += penalise(mean_weight(weights, k), rule)
                edges += 1
        if total / edges <= mean + 1e-14:
            return
        mean = total / edges
        _choose_largest(places, weights, count, rule, mean, steps, chosen)


@kernel
def _choose_largest(
    places: NDArray[Any], weights: NDArray[Any], count: int, rule: AlignmentRule, mean: float, steps: NDArray[Any],
    chosen: NDArray[Any],
) -> None:  # fmt: skip
    """Choose the overlaps with the largest sum of (weight - mean) that touch every segment.

    State bits: 1, the open segment of the reference has an edge; 2, that of the hypothesis has one. ``steps[k, state]``
    remembers the state before overlap ``k``, plus 4 where its edge was taken.
    """
    best, following = np.full(4, -np.inf), np.empty(4)
    best[0] = 0.0
    for k in range(count):
        gain = penalise(mean_weight(weights, k), rule) - mean
        following[:] = -np.inf
        for state in range(4):
            if best[state] == -np.inf:
                continue
            kept = state
            if k > 0 and places[0, k] != places[0, k - 1]:
                if not kept & 1:
                    continue
                kept &= 2
            if k > 0 and places[1, k] != places[1, k - 1]:
                if not state & 2:
                    continue
                kept &= 1
            if best[state] > following[kept]:
                following[kept] = best[state]
                steps[k, kept] = state
            if best[state] + gain > following[3]:
                following[3] = best[state] + gain
                steps[k, 3] = state | 4
        copy_values(following, best)
    state = 3
    for back in range(count):
        k = count - 1 - back
        chosen[k] = FROM_REF | FROM_HYP if steps[k, state] & 4 else 0
        state = steps[k, state] & 3


# ---------------------------------------------------------------------- scoring edges


@kernel
def weigh(
    places: NDArray[Any], weights: NDArray[Any], chosen: NDArray[Any], count: int, segments: int, rule: AlignmentRule
) -> tuple[float, float]:
    """Sum the weights of the chosen edges, with what the sum is divided by; a segment without an edge counts as one of 0."""
    directed, scorer = rule.directed, rule.scorer
    total, below = 0.0, 0.0
    if scorer != BEST:
        for k in range(count):
            if not directed and chosen[k]:
                total += penalise(mean_weight(weights, k), rule)
                below += 1.0
            if directed and chosen[k] & FROM_REF:
                total += penalise(weights[0, k], rule)
                below += 1.0
            if directed and chosen[k] & FROM_HYP:
                total += penalise(weights[1, k], rule)
                below += 1.0
    aligned = 0
    for side in range(2):
        first = 0
        while first < count:
            k, degree, highest = first, 0.0, 0.0
            while k < count and places[side, k] == places[side, first]:
                if chosen[k]:
                    degree += 1.0
                    if not directed:
                        highest = max(highest, penalise(mean_weight(weights, k), rule))
                if directed and chosen[k] & FROM_REF:
                    highest = max(highest, penalise(weights[0, k], rule))
                if directed and chosen[k] & FROM_HYP:
                    highest = max(highest, penalise(weights[1, k], rule))
                k += 1
            aligned += 1
            if scorer == BEST:
                total += highest
                below += 1.0
            if scorer == EXPONENTIAL and degree > 1.0:
                below += rule.base ** min(degree - 1.0, _HIGHEST_POWER) - 1.0
            first = k
    return total, below + (segments - aligned)


@inline
def mean_weight(weights: NDArray[Any], k: int) -> Any:
    """Weigh an edge without direction: the mean of both, which is either one where the weight is symmetric."""
    return weights[0, k] if weights[0, k] == weights[1, k] else 0.5 * (weights[0, k] + weights[1, k])


@inline
def penalise(weight: Any, rule: AlignmentRule) -> Any:
    """Take the penalty off a weight under the threshold: a hard mistake."""
    return weight * (1.0 - rule.penalty) if weight < rule.threshold else weight
