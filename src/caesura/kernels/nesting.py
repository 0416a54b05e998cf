"""Comparing nested segments: those two annotations share, those that cross, and where segments begin.

Segments come in reading order (by first unit, longer first, then by level), so every comparison is a merge.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from caesura.kernels.jit import kernel

__all__ = ["count_beginnings", "count_crossing", "count_shared"]


@kernel
def count_shared(
    ref_firsts: NDArray[Any],
    ref_ends: NDArray[Any],
    ref_levels: NDArray[Any],
    ref_starts: NDArray[Any],
    ref_stops: NDArray[Any],
    hyp_firsts: NDArray[Any],
    hyp_ends: NDArray[Any],
    hyp_levels: NDArray[Any],
    hyp_starts: NDArray[Any],
    hyp_stops: NDArray[Any],
    out: NDArray[Any],
) -> None:
    """Fill ``out`` with (shared segments, those of the hypothesis, those of the reference) for every pair."""
    for pair in range(len(ref_starts)):
        i, j, shared = ref_starts[pair], hyp_starts[pair], 0
        while i < ref_stops[pair] and j < hyp_stops[pair]:
            if ref_firsts[i] != hyp_firsts[j]:
                before = ref_firsts[i] < hyp_firsts[j]
            elif ref_ends[i] != hyp_ends[j]:
                before = ref_ends[i] > hyp_ends[j]
            elif ref_levels[i] != hyp_levels[j]:
                before = ref_levels[i] < hyp_levels[j]
            else:
                shared += 1
                j += 1
                before = True
            if before:
                i += 1
            else:
                j += 1
        out[pair, 0] = shared
        out[pair, 1] = hyp_stops[pair] - hyp_starts[pair]
        out[pair, 2] = ref_stops[pair] - ref_starts[pair]


@kernel
def count_crossing(
    ref_firsts: NDArray[Any],
    ref_ends: NDArray[Any],
    ref_starts: NDArray[Any],
    ref_stops: NDArray[Any],
    hyp_firsts: NDArray[Any],
    hyp_ends: NDArray[Any],
    hyp_starts: NDArray[Any],
    hyp_stops: NDArray[Any],
    out: NDArray[Any],
) -> None:
    """Fill ``out`` with (segments of the hypothesis that cross none of the reference, all of them) for every pair."""
    for pair in range(len(ref_starts)):
        clear = 0
        for j in range(hyp_starts[pair], hyp_stops[pair]):
            a, b = hyp_firsts[j], hyp_ends[j]
            crossed = False
            for i in range(ref_starts[pair], ref_stops[pair]):
                c, d = ref_firsts[i], ref_ends[i]
                if c > b:
                    break
                if (c < a <= d < b) or (a < c and b < d):
                    crossed = True
                    break
            if not crossed:
                clear += 1
        out[pair, 0] = clear
        out[pair, 1] = hyp_stops[pair] - hyp_starts[pair]


@kernel
def count_beginnings(
    ref_firsts: NDArray[Any],
    ref_levels: NDArray[Any],
    ref_starts: NDArray[Any],
    ref_stops: NDArray[Any],
    hyp_firsts: NDArray[Any],
    hyp_levels: NDArray[Any],
    hyp_starts: NDArray[Any],
    hyp_stops: NDArray[Any],
    lengths: NDArray[Any],
    deepest: int,
    out: NDArray[Any],
) -> None:
    """Fill ``out`` with (units, units alike, units by category in the reference, and in the hypothesis) for every pair.

    The category of a unit is the level of the outermost segment that begins there, at most ``deepest``; 0 where none does.
    """
    for pair in range(len(ref_starts)):
        i, j = ref_starts[pair], hyp_starts[pair]
        begun, alike = 0, 0
        row = out[pair]
        while i < ref_stops[pair] or j < hyp_stops[pair]:
            here = lengths[pair] + 1
            if i < ref_stops[pair]:
                here = ref_firsts[i]
            if j < hyp_stops[pair] and hyp_firsts[j] < here:
                here = hyp_firsts[j]
            one, two = 0, 0
            if i < ref_stops[pair] and ref_firsts[i] == here:
                one = min(ref_levels[i], deepest)
            while i < ref_stops[pair] and ref_firsts[i] == here:
                i += 1
            if j < hyp_stops[pair] and hyp_firsts[j] == here:
                two = min(hyp_levels[j], deepest)
            while j < hyp_stops[pair] and hyp_firsts[j] == here:
                j += 1
            begun += 1
            alike += one == two
            row[2 + one] += 1
            row[3 + deepest + two] += 1
        row[0] = lengths[pair]
        row[1] = lengths[pair] - begun + alike
        row[2] += lengths[pair] - begun
        row[3 + deepest] += lengths[pair] - begun
