"""Align the segments of two annotations, and measure how much segments overlap: one pass over both lists of boundaries.

Two segmentations of one text overlap in at most ``m1 + m2 - 1`` places, which one pass over both lists meets from left to right. The
overlaps of one segment are neighbours in that order. All functions here depend on these two facts.

``count_alignment`` computes the measure as published and stores only the two open segments. ``count_alignment_with`` supports every named
option; it first writes the overlaps of a pair into work arrays. ``trace_overlaps``, ``choose_closest``, ``choose_global`` and ``weigh`` are its
steps, for callers that show the edges. ``boundaries.count_alignment_of_units`` is the published measure for short texts, where it is faster.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import MarkColumns, copy_values, fill
from caesura.kernels.jit import Index, inline, kernel, pairs_of_marks

#: Codes: the similarity of two segments; how ties are broken; how edges become a score; which side chose an edge (bits).
INTERSECT, JACCARD, DICE, OVERLAP, RAND = range(5)
LEFTMOST, RIGHTMOST, BOTH = range(3)
MEAN, EXPONENTIAL, BEST = range(3)
FROM_REF, FROM_HYP = 1, 2


class SegmentColumns(NamedTuple):
    """One side of every pair, every mark between two segments; ``closing`` has the type of each pair's last segment.

    If the columns of types are empty, any two segments may be aligned.
    """

    positions: NDArray[Any]
    types: NDArray[Any]
    closing: NDArray[Any]
    starts: NDArray[Any]
    stops: NDArray[Any]


class AlignmentRule(NamedTuple):
    """The named options of the measure; ``whole`` selects the best alignment as a whole instead of each segment's closest one."""

    closeness: int
    weight: int
    ties: int
    whole: bool
    directed: bool
    threshold: float
    penalty: float
    scorer: int
    base: float


#: A penalty of 2**512 is practically infinite, and two of them can be added without overflow.
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

    The closest segment is the one with the largest intersection, because the own size is the same for all. So sizes are compared, and
    an edge needs one division. For each open segment, keep its closest one so far: the intersection, its size, its start, and
    whether it has already closed and chosen this segment as its own closest (then the edge has been counted). An edge is added when
    the segment that chose it closes; if two close together, their sum is computed first, so that swapping the sides gives the
    same total to the last bit.
    """
    total, edges = 0.0, 0
    if length <= 0:
        return total, edges
    start = length - length  # zero, as an integer or a float like the positions: Numba needs one type per variable
    ref_from, hyp_from = start, start
    i, ref_to = _next_cut(ref, Index(0), start, length)
    j, hyp_to = _next_cut(hyp, Index(0), start, length)
    nothing = start - 1  # smaller than any intersection
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
    """Return the next mark after ``start``; recordings may have marks twice, at 0 or at the end, which separate nothing."""
    stop = Index(len(marks))
    while i < stop and marks[i] <= start:
        i += Index(1)
    return i, min(marks[i], length) if i < stop else length


@inline
def closer(shared: Any, size: Any, best_shared: Any, best_size: Any, own: Any, tolerance: float) -> Any:
    """Whether a segment of this size is strictly closer to one of size ``own`` than the closest so far; the Jaccard index breaks ties."""
    return shared > best_shared + tolerance * own or (
        shared >= best_shared - tolerance * own
        and best_shared > 0
        and shared / (own + size - shared) > best_shared / (own + best_size - best_shared) + tolerance
    )


# ---------------------------------------------------------------------- the measure with every named option


@kernel(work=pairs_of_marks)
def count_alignment_with(
    ref: SegmentColumns,
    hyp: SegmentColumns,
    lengths: NDArray[Any],
    tolerance: float,
    rule: AlignmentRule,
    out: NDArray[Any],
) -> None:
    """Fill ``out`` with (sum of weights, divisor) of every pair."""
    size = 2
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        size = max(size, i_stop - i + j_stop - j + 2)
    places, sizes = np.empty((2, size), np.int64), np.empty((3, size))
    toward, weights, jaccard = np.empty((2, size)), np.empty((2, size)), np.empty((2, size))
    chosen, steps = np.empty(size, np.int8), np.empty((size, 4), np.int8)
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
        similarities(rule.weight, sizes, count, lengths[pair], tolerance > 0, weights)
        if rule.whole:
            choose_global(places, weights, count, rule, steps, chosen)
        else:
            similarities(rule.closeness, sizes, count, lengths[pair], tolerance > 0, toward)
            similarities(JACCARD, sizes, count, lengths[pair], tolerance > 0, jaccard)
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
def similarities(code: int, sizes: NDArray[Any], count: int, length: float, timed: bool, out: NDArray[Any]) -> None:
    """Fill ``out`` with the similarity of the segments of every overlap, from the reference's and from the hypothesis' point of view."""
    for k in range(count):
        out[0, k] = similarity_of(code, sizes[0, k], sizes[1, k], sizes[2, k], length, timed)
        out[1, k] = similarity_of(code, sizes[0, k], sizes[2, k], sizes[1, k], length, timed)


@kernel
def similarity_of(code: int, shared: float, own: float, other: float, length: float, timed: bool) -> float:
    """Return the similarity of a segment of size ``own`` to one of size ``other``, given their intersection."""
    if code == INTERSECT:
        return shared / own
    if code == JACCARD:
        return shared / (own + other - shared)
    if code == DICE:
        return 2.0 * shared / (own + other)
    if code == OVERLAP:
        return shared / min(own, other)
    apart = (
        own + other - 2.0 * shared
    )  # RAND: pairs of units of which exactly one is in exactly one of the two segments
    if timed:  # the limit for infinitely small units
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
    """Mark in ``chosen``, with the bits FROM_REF and FROM_HYP, the overlaps that are the closest of a segment of that side."""
    fill(chosen[:count], 0)
    for side in range(2):
        first = 0
        while first < count:  # the overlaps of one segment are neighbours: first … last
            last = first
            while last + 1 < count and places[side, last + 1] == places[side, first]:
                last += 1
            closest, most_similar = -np.inf, -np.inf
            for k in range(first, last + 1):
                closest = max(closest, toward[side, k])
            for k in range(first, last + 1):
                if toward[side, k] >= closest - tolerance:
                    most_similar = max(most_similar, jaccard[k])
            for step in range(last + 1 - first):
                k = last - step if ties == RIGHTMOST else first + step
                if toward[side, k] >= closest - tolerance and jaccard[k] >= most_similar - tolerance:
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
    """Mark the overlaps with the largest mean weight among all choices that give every segment an edge.

    Dinkelbach's method finds the largest mean: given a mean, find the choice with the largest sum of (weight - mean), whose own mean is
    at least as large; repeat until it stops growing. One pass finds the largest sum, because only the two open segments can
    still be without an edge: four states.
    """
    fill(chosen[:count], FROM_REF | FROM_HYP)
    mean = -1.0
    while count > 0:
        total, edges = 0.0, 0
        for k in range(count):
            if chosen[k]:
                total += penalise(mean_weight(weights, k), rule)
                edges += 1
        if total / edges <= mean + 1e-14:  # growth below rounding errors: the same choice again
            return
        mean = total / edges
        _choose_largest(places, weights, count, rule, mean, steps, chosen)


@kernel
def _choose_largest(
    places: NDArray[Any], weights: NDArray[Any], count: int, rule: AlignmentRule, mean: float, steps: NDArray[Any],
    chosen: NDArray[Any],
) -> None:  # fmt: skip
    """Choose the overlaps with the largest sum of (weight - mean) that touch every segment.

    State bits: 1, the open segment of the reference has an edge; 2, that of the hypothesis has one. ``steps[k, state]`` is
    the state before overlap ``k``, plus 4 if its edge was taken.
    """
    best, following = np.full(4, -np.inf), np.empty(4)
    best[0] = 0.0
    for k in range(count):
        gain = penalise(mean_weight(weights, k), rule) - mean
        fill(following, -np.inf)
        for state in range(4):
            if best[state] == -np.inf:
                continue
            kept = state  # a new segment begins without an edge; the one that ended must have had one
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
    """Return the sum of the weights of the chosen edges and its divisor; a segment without an edge counts as an edge of weight 0."""
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
    """Return the weight of an undirected edge: the mean of both directions, exact if they are equal."""
    return weights[0, k] if weights[0, k] == weights[1, k] else 0.5 * (weights[0, k] + weights[1, k])


@inline
def penalise(weight: Any, rule: AlignmentRule) -> Any:
    """Reduce a weight below the threshold by the penalty."""
    return weight * (1.0 - rule.penalty) if weight < rule.threshold else weight


# ---------------------------------------------------------------------- how much segments overlap


@kernel
def count_overlaps(ref: MarkColumns, hyp: MarkColumns, lengths: NDArray[Any], grain: float, out: NDArray[Any]) -> None:
    """Fill ``out`` with (length, covered, pure, pairs, pairs together in the reference, in the hypothesis, in both, by chance).

    ``grain`` is 1 for texts of units, because a unit forms no pair with itself, and 0 for continuous time. The segments of each side leave
    no gaps, so the stretches between neighbouring boundaries of both sides are all the overlaps there are.
    """
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        length = float(lengths[pair])
        covered = pure = of_ref = of_hyp = of_both = 0.0
        start = ref_start = hyp_start = ref_most = hyp_most = 0.0
        # Each step takes the stretch up to the next boundary of either side. ref_most and hyp_most are the longest stretches so far
        # of the two open segments.
        while start < length:
            ref_end = min(float(ref.positions[i]), length) if i < i_stop else length
            hyp_end = min(float(hyp.positions[j]), length) if j < j_stop else length
            end = min(ref_end, hyp_end)
            shared = end - start
            of_both += shared * (shared - grain) / 2.0
            ref_most, hyp_most = max(ref_most, shared), max(hyp_most, shared)
            if ref_end == end:
                covered += ref_most
                of_ref += (end - ref_start) * (end - ref_start - grain) / 2.0
                ref_start, ref_most = end, 0.0
                i += 1
            if hyp_end == end:
                pure += hyp_most
                of_hyp += (end - hyp_start) * (end - hyp_start - grain) / 2.0
                hyp_start, hyp_most = end, 0.0
                j += 1
            start = end
            while i < i_stop and ref.positions[i] <= start:  # repeated marks, or marks at the very start
                i += 1
            while j < j_stop and hyp.positions[j] <= start:
                j += 1
        pairs = length * (length - grain) / 2.0
        out[pair, 0], out[pair, 1], out[pair, 2], out[pair, 3] = length, covered, pure, pairs
        out[pair, 4], out[pair, 5], out[pair, 6] = of_ref, of_hyp, of_both
        out[pair, 7] = of_ref * of_hyp / pairs if pairs > 0 else 0.0
