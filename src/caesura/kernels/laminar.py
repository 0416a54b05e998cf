"""Choosing segments that never cross: the heaviest laminar subfamily of a family of weighted spans, exactly.

Spans run between points (the places where any span begins or ends, numbered 0 … m). What may stand side by side is decided in a
*context*; every span opens one context for what is inside it. With one context this is the flat problem; with one context a
level, the problem in which levels must follow the nesting.

Let V(t) be the best total of a selection whose outermost span is t, and g(c, i, b) the best total in context c between points
i and b. A selection between i and b either has no span that begins at i, or an outermost one t = (i, e) and a selection behind it:

    g(c, i, b) = max( g(c, i+1, b),  max over t = (i, e), e ≤ b, allowed in c, of V(t) + g(c, e, b) )
    V(t)       = weight(t) + g(context of t, its left point, its right point) without t's own span

One sweep from right to left for each right end b, in ascending order, finds every V it needs already made. Totals are triples
(weight, number of segments, units covered) compared in that order; what is still equal goes to the selection whose first
differing segment in reading order begins earlier or, at the same unit, is longer. That choice is always made at the left point of
the sweep, so it costs nothing.

Time: (distinct right ends) × (spans + points), for every context; memory: spans + points × contexts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import copy_values, stable_order
from caesura.kernels.jit import inline, kernel, read_only


class Choices(NamedTuple):
    """Spans, and what may stand inside what.

    Attributes
    ----------
    left, right
        Points of every span, in reading order: by left point, longer first, then by level.
    inside
        For every span, the context of what is inside it; it is deeper than every other context the span is allowed in.
    option_starts, options
        ``options[option_starts[c * points + i] : option_starts[c * points + i + 1]]`` are the spans that begin at point i and are
        allowed in context c, shortest first and, of one span, the deepest level first.
    stack_starts, stacks
        For every span, the spans of the same extent that may stand directly inside it.
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
def heaviest_laminar(spans: Choices, gains: NDArray[Any], contexts: int, chosen: NDArray[Any]) -> None:
    """Mark in ``chosen`` the spans of the heaviest selection; the gains of a span are its weight, 1 and its units."""
    left, right, inside, points = spans.left, spans.right, spans.inside, spans.points
    option_starts, options, stack_starts, stacks = spans.option_starts, spans.options, spans.stack_starts, spans.stacks
    by_right = stable_order(read_only(right))  # within one right end still in reading order: left points ascend
    value = np.zeros((len(left), 3), np.int64)
    best = np.zeros((contexts, points, 3), np.int64)
    trial = np.zeros(3, np.int64)
    stop = 0
    while stop < len(left):
        start = stop
        b = right[by_right[start]]
        while stop < len(left) and right[by_right[stop]] == b:
            stop += 1
        for c in range(contexts - 1, -1, -1):
            at = stop - 1
            best[c, b, :] = 0
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
def _trace(spans: Choices, value: NDArray[Any], chosen: NDArray[Any]) -> None:
    """Walk down from the whole text: sweep each chosen span once more, now remembering the choices."""
    left, right, inside, points = spans.left, spans.right, spans.inside, spans.points
    option_starts, options, stack_starts, stacks = spans.option_starts, spans.options, spans.stack_starts, spans.stacks
    best = np.zeros((points, 3), np.int64)
    choice = np.empty(points, np.int64)
    trial = np.zeros(3, np.int64)
    todo = np.empty(len(left) + 1, np.int64)
    todo[0] = -1
    waiting = 1
    while waiting:
        waiting -= 1
        owner = todo[waiting]
        c, a, b = 0, 0, points - 1
        if owner >= 0:
            c, a, b = inside[owner], left[owner], right[owner]
        best[b, :] = 0
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
    """Add up, for every segment, the weight of those that cannot stand in one hierarchy with it.

    Two segments conflict when they cross; with levels (above 0) also when one is inside the other but not on a deeper level, or
    when they are one span on two levels. Segments come in reading order, so of two, the second never contains the first.
    """
    for i in range(len(first)):
        for j in range(i + 1, len(first)):
            if first[j] > last[i]:
                break
            same = first[j] == first[i] and last[j] == last[i]
            if last[j] > last[i] or (level[i] > 0 and (level[j] <= level[i] or same)):
                out[i] += weight[j]
                out[j] += weight[i]
