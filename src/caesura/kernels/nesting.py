"""Comparing nested segments: those two annotations share, those that cross, and where segments begin.

Segments come in reading order (by first unit, longer first, then by level), so every comparison is a merge.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from caesura.kernels.jit import kernel
from caesura.kernels.layout import SpanColumns


@kernel
def count_shared(ref: SpanColumns, hyp: SpanColumns, lengths: NDArray[Any], out: NDArray[Any]) -> None:
    """Fill ``out`` with (shared segments, those of the hypothesis, those of the reference) for every pair."""
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        out[pair, 1], out[pair, 2] = j_stop - j, i_stop - i
        shared = 0
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
    """Fill ``out`` with (segments of the hypothesis that cross none of the reference, all of them) for every pair."""
    for pair in range(len(lengths)):
        i_start, i_stop, j_start, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        clear = 0
        for j in range(j_start, j_stop):
            a, b = hyp.firsts[j], hyp.lasts[j]
            crossed = False
            for i in range(i_start, i_stop):
                c, d = ref.firsts[i], ref.lasts[i]
                if c > b:
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
    """Fill ``out`` with (units, units alike, units by category in the reference, and in the hypothesis) for every pair.

    The category of a unit is the level of the outermost segment that begins there, at most ``deepest``; 0 where none does.
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
        row[0] = lengths[pair]
        row[1] = lengths[pair] - begun + alike
        row[2] += lengths[pair] - begun
        row[3 + deepest] += lengths[pair] - begun
