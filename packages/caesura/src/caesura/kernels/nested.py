"""Compare, choose and combine nested segments.

Segments come in reading order (by first unit, longer first, then by level), so every comparison is a merge of two lists.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import SpanColumns, copy_values, fill, stable_order
from caesura.kernels.jit import inline, kernel, read_only

# ---------------------------------------------------------------------- comparing two annotations


@kernel
def count_shared(ref: SpanColumns, hyp: SpanColumns, lengths: NDArray[Any], out: NDArray[Any]) -> None:
    """Fill ``out`` with (segments in common, of the hypothesis, of the reference) for every pair."""
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        out[pair, 1], out[pair, 2] = j_stop - j, i_stop - i
        shared = 0
        # a merge of two lists in reading order: by first unit, then by last unit descending, then by level
        while i < i_stop and j < j_stop:
            if ref.firsts[i] != hyp.firsts[j]:
                before = ref.firsts[i] < hyp.firsts[j]
            elif ref.lasts[i] != hyp.lasts[j]:
                before = ref.lasts[i] > hyp.lasts[j]
            elif ref.levels[i] != hyp.levels[j]:
                before = ref.levels[i] < hyp.levels[j]
            else:
                shared += 1
                j += 1
                before = True
            if before:
                i += 1
            else:
                j += 1
        out[pair, 0] = shared


@kernel
def count_crossing(ref: SpanColumns, hyp: SpanColumns, lengths: NDArray[Any], out: NDArray[Any]) -> None:
    """Fill ``out`` with (segments of the hypothesis that cross none of the reference, all its segments) for every pair."""
    for pair in range(len(lengths)):
        i_start, i_stop, j_start, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        clear = 0
        for j in range(j_start, j_stop):
            a, b = hyp.firsts[j], hyp.lasts[j]
            crossed = False
            for i in range(i_start, i_stop):
                c, d = ref.firsts[i], ref.lasts[i]
                if c > b:  # sorted by first unit: no later segment can cross
                    break
                if (c < a <= d < b) or (a < c and b < d):
                    crossed = True
                    break
            if not crossed:
                clear += 1
        out[pair, 0], out[pair, 1] = clear, j_stop - j_start


@kernel
def count_beginnings(
    ref: SpanColumns, hyp: SpanColumns, lengths: NDArray[Any], deepest: int, out: NDArray[Any]
) -> None:
    """Fill ``out`` with (units, agreeing units, units by category in the reference, and in the hypothesis) for every pair.

    The category of a unit is the level of the outermost segment that begins there, at most ``deepest``; 0 if none does.
    """
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        begun, alike = 0, 0
        row = out[pair]
        while i < i_stop or j < j_stop:
            here = lengths[pair] + 1
            if i < i_stop:
                here = ref.firsts[i]
            if j < j_stop and hyp.firsts[j] < here:
                here = hyp.firsts[j]
            ours, theirs = 0, 0
            if i < i_stop and ref.firsts[i] == here:
                ours = min(ref.levels[i], deepest)
            while i < i_stop and ref.firsts[i] == here:
                i += 1
            if j < j_stop and hyp.firsts[j] == here:
                theirs = min(hyp.levels[j], deepest)
            while j < j_stop and hyp.firsts[j] == here:
                j += 1
            begun += 1
            alike += ours == theirs
            row[2 + ours] += 1
            row[3 + deepest + theirs] += 1
        # all other units have category 0 on both sides
        row[0] = lengths[pair]
        row[1] = lengths[pair] - begun + alike
        row[2] += lengths[pair] - begun
        row[3 + deepest] += lengths[pair] - begun


# ---------------------------------------------------------------------- the heaviest laminar subfamily of weighted spans
#
# Spans run between points (the positions where any span begins or ends, numbered 0 … m). A *context* says which spans may follow each
# other; every span has a context for the spans inside it. One context gives the flat problem; one context per level gives the problem in
# which levels must follow the nesting.
#
# Let V(t) be the best total of a selection whose outermost span is t, and g(c, i, b) the best total in context c between points
# i and b. A selection between i and b either has no span that begins at i, or an outermost one t = (i, e) and a selection after it:
#
#     g(c, i, b) = max( g(c, i+1, b),  max over t = (i, e), e ≤ b, allowed in c, of V(t) + g(c, e, b) )
#     V(t)       = weight(t) + g(context of t, its left point, its right point) without t's own span
#
# One pass from right to left for each right end b, in ascending order, needs only values V that are known. Totals are triples
# (weight, number of segments, units covered), compared in that order; ties go to the selection whose first different segment in
# reading order begins earlier or, at the same unit, is longer. That choice is always made at the left point of the pass, so it
# needs no extra work.
#
# Time: (distinct right ends) × (spans + points), for every context; memory: spans + points × contexts.


class SpanOptions(NamedTuple):
    """Spans, and which spans are allowed inside which.

    Attributes
    ----------
    left, right
        Points of every span, in reading order: by left point, longer first, then by level.
    inside
        For every span, the context of the spans inside it; it is deeper than every context that the span itself is allowed in.
    option_starts, options
        ``options[option_starts[c * points + i] : option_starts[c * points + i + 1]]`` are the spans that begin at point i and are
        allowed in context c, shortest first and, of one span, the deepest level first.
    stack_starts, stacks
        For every span, the spans of the same extent that are allowed directly inside it.
    """

    left: NDArray[Any]
    right: NDArray[Any]
    inside: NDArray[Any]
    option_starts: NDArray[Any]
    options: NDArray[Any]
    stack_starts: NDArray[Any]
    stacks: NDArray[Any]
    points: int


@inline
def _not_worse(total: NDArray[Any], other: NDArray[Any]) -> bool:
    if total[0] != other[0]:
        return bool(total[0] > other[0])
    if total[1] != other[1]:
        return bool(total[1] > other[1])
    return bool(total[2] >= other[2])


@inline
def _add(total: NDArray[Any], other: NDArray[Any], out: NDArray[Any]) -> None:
    for i in range(3):
        out[i] = total[i] + other[i]


@kernel(work=lambda spans, contexts, **_: contexts * spans.points * spans.points)
def heaviest_laminar(spans: SpanOptions, gains: NDArray[Any], contexts: int, chosen: NDArray[Any]) -> None:
    """Mark in ``chosen`` the spans of the selection with the largest total; the gains of a span are its weight, 1 and its units."""
    left, right, inside, points = spans.left, spans.right, spans.inside, spans.points
    option_starts, options, stack_starts, stacks = spans.option_starts, spans.options, spans.stack_starts, spans.stacks
    by_right = stable_order(
        read_only(right)
    )  # stable: within one right end still in reading order, left points ascending
    value = np.zeros((len(left), 3), np.int64)
    best = np.zeros((contexts, points, 3), np.int64)
    trial = np.zeros(3, np.int64)
    stop = 0
    while stop < len(left):
        start = stop
        b = right[by_right[start]]
        while stop < len(left) and right[by_right[stop]] == b:
            stop += 1
        # Right ends ascend and contexts go from the deepest up, so that all values that a context needs are known.
        for c in range(contexts - 1, -1, -1):
            at = stop - 1
            fill(best[c, b], 0)
            for i in range(b - 1, -1, -1):
                here = best[c, i]
                copy_values(best[c, i + 1], here)
                option = option_starts[c * points + i]
                last = option_starts[c * points + i + 1]
                while option < last and right[options[option]] < b:
                    t = options[option]
                    _add(value[t], best[c, right[t]], trial)
                    if _not_worse(trial, here):
                        copy_values(trial, here)
                    option += 1
                # spans that begin at i and end at b get their value before they become options themselves
                while at >= start and left[by_right[at]] == i:
                    t = by_right[at]
                    if inside[t] == c:
                        copy_values(here, value[t])
                        for k in range(stack_starts[t], stack_starts[t + 1]):
                            if _not_worse(value[stacks[k]], value[t]):
                                copy_values(value[stacks[k]], value[t])
                        _add(value[t], gains[t], value[t])
                    at -= 1
                while option < last and right[options[option]] == b:
                    t = options[option]
                    if _not_worse(value[t], here):
                        copy_values(value[t], here)
                    option += 1
    _trace(spans, value, chosen)


@kernel
def _trace(spans: SpanOptions, value: NDArray[Any], chosen: NDArray[Any]) -> None:
    """Recover the selection from the whole text down: repeat the pass for each chosen span, now storing the choices."""
    left, right, inside, points = spans.left, spans.right, spans.inside, spans.points
    option_starts, options, stack_starts, stacks = spans.option_starts, spans.options, spans.stack_starts, spans.stacks
    best = np.zeros((points, 3), np.int64)
    choice = np.empty(points, np.int64)
    trial = np.zeros(3, np.int64)
    todo = np.empty(len(left) + 1, np.int64)  # a stack of chosen spans; -1 is the whole text
    todo[0] = -1
    waiting = 1
    while waiting:
        waiting -= 1
        owner = todo[waiting]
        c, a, b = 0, 0, points - 1
        if owner >= 0:
            c, a, b = inside[owner], left[owner], right[owner]
        fill(best[b], 0)
        for i in range(b - 1, a - 1, -1):
            copy_values(best[i + 1], best[i])
            choice[i] = -1
            for option in range(option_starts[c * points + i], option_starts[c * points + i + 1]):
                t = options[option]
                if right[t] > b or (owner >= 0 and i == a and right[t] == b):
                    break
                _add(value[t], best[right[t]], trial)
                if _not_worse(trial, best[i]):
                    copy_values(trial, best[i])
                    choice[i] = t
        if owner >= 0:
            for k in range(stack_starts[owner], stack_starts[owner + 1]):
                if _not_worse(value[stacks[k]], best[a]):
                    copy_values(value[stacks[k]], best[a])
                    choice[a] = stacks[k]
        i = a
        while i < b:
            t = choice[i]
            if t < 0:
                i += 1
                continue
            chosen[t] = 1
            todo[waiting] = t
            waiting += 1
            i = right[t]


@kernel(work=lambda first, **_: len(first) ** 2)
def crossing_weight(
    first: NDArray[Any], last: NDArray[Any], level: NDArray[Any], weight: NDArray[Any], out: NDArray[Any]
) -> None:
    """Sum, for every segment, the weights of the segments that cannot be in one hierarchy with it.

    Two segments conflict if they cross; with levels (above 0) also if one is inside the other but not on a deeper level, or if they are
    the same span on two levels. Segments come in reading order, so of two, the second never contains the first.
    """
    for i in range(len(first)):
        for j in range(i + 1, len(first)):
            if first[j] > last[i]:
                break
            same = first[j] == first[i] and last[j] == last[i]
            if last[j] > last[i] or (level[i] > 0 and (level[j] <= level[i] or same)):
                out[i] += weight[j]
                out[j] += weight[i]


# ---------------------------------------------------------------------- two nested levels at once


@kernel(plain=False)
def nest_jointly(costs: Any, coarse: int, fine: int) -> Any:
    """Find two nested levels with the least sum of costs: ``coarse - 1`` and ``fine - 1`` of m inner edges, the coarse among the fine.

    ``costs[i, j]`` is the cost of a segment between edges i < j, on both levels. First find the best ways to divide every stretch into
    1, 2, … fine segments, then choose the coarse level over them: O(fine m³ + coarse fine² m²). Return both arrays of edges and the cost.
    """
    m = costs.shape[0] - 1
    cut = np.full((fine + 1, m + 1, m + 1), np.inf)  # cut[k, i, j]: the least cost of k fine segments between i and j
    cut_back = np.zeros((fine + 1, m + 1, m + 1), np.int32)
    for i in range(m + 1):
        cut[0, i, i] = 0.0
        for k in range(1, fine + 1):
            for j in range(i + 1, m + 1):
                for h in range(i, j):
                    value = cut[k - 1, i, h] + costs[h, j]
                    if value < cut[k, i, j]:
                        cut[k, i, j], cut_back[k, i, j] = value, h
    # best[a, b, j]: the least cost of a coarse and b fine segments up to edge j
    best = np.full((coarse + 1, fine + 1, m + 1), np.inf)
    start, share = np.zeros((coarse + 1, fine + 1, m + 1), np.int32), np.zeros((coarse + 1, fine + 1, m + 1), np.int32)
    best[0, 0, 0] = 0.0
    for a in range(1, coarse + 1):
        for b in range(a, fine + 1):
            for j in range(1, m + 1):
                for i in range(j):
                    for k in range(1, b + 1):
                        value = best[a - 1, b - k, i] + costs[i, j] + cut[k, i, j]
                        if value < best[a, b, j]:
                            best[a, b, j], start[a, b, j], share[a, b, j] = value, i, k
    # trace both levels back from the end
    outer, inner = np.zeros(coarse - 1, np.int64), np.zeros(fine - 1, np.int64)
    a, b, j = coarse, fine, m
    filled = fine - 2
    while a > 0:
        i, k = start[a, b, j], share[a, b, j]
        end = j
        for q in range(k, 1, -1):
            end = cut_back[q, i, end]
            inner[filled] = end
            filled -= 1
        if i > 0:
            outer[a - 2] = i
            inner[filled] = i
            filled -= 1
        a, b, j = a - 1, b - k, i
    return outer, inner, best[coarse, fine, m]
