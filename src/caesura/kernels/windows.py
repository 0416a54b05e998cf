"""Windows slid over two annotations, counted without sliding anything.

A window starts at unit ``i`` and reaches over the ``k`` potential boundaries ``i+1 … i+k``. What a window sees changes only
where a boundary enters (``i = p - k``) or leaves (``i = p``), so one way goes from event to event: its cost is the number of
boundaries, whatever the length of the text or the width of the window. Where boundaries stand close, every few units, batches go
another way, which gives all counts at once: write down for every unit how many boundaries stand up to it; what a window sees is the
difference of two of these numbers, which processors take many at a time. Both count the same whole numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import Index, kernel
from caesura.kernels.layout import MarkColumns

FAR = np.int64(2**62)  # behind every event
CLOSE = 8  # units a boundary up to which a text is laid out unit by unit
BLOCK = 2**14  # windows laid out at a time, and the widest; so every count fits into half of 32 bits
HYP = np.int32(2**16)  # the hypothesis counts in the upper half of a number, the reference in the lower


@kernel
def _close(marks: int, windows: int, k: int) -> bool:
    """Tell whether so many boundaries are better counted unit by unit."""
    return windows + k <= CLOSE * marks and k <= BLOCK


@kernel
def _lay_out(ref: NDArray[Any], i: int, hyp: NDArray[Any], j: int, first: int, level: NDArray[Any]) -> tuple[int, int]:
    """Fill ``level`` with how many boundaries of either side stand behind ``first``, up to each unit.

    Return where these boundaries begin in either list.
    """
    while i < len(ref) and ref[i] <= first:
        i += 1
    while j < len(hyp) and hyp[j] <= first:
        j += 1
    level[:] = 0
    for at in range(i, len(ref)):
        if ref[at] - first >= len(level):
            break
        level[Index(ref[at] - first)] += np.int32(1)
    for at in range(j, len(hyp)):
        if hyp[at] - first >= len(level):
            break
        level[Index(hyp[at] - first)] += HYP
    seen = np.int32(0)
    for unit in range(len(level)):
        seen = np.int32(seen + level[unit])
        level[unit] = seen
    return i, j


@kernel
def _count_views(
    ref: NDArray[Any], hyp: NDArray[Any], first: int, stop: int, k: int, level: NDArray[Any]
) -> tuple[int, int, int]:
    """Go through the windows ``first … stop-1`` unit by unit.

    Return how many see unequal numbers of boundaries, the sum of the differences, and in how many exactly one side sees any.
    """
    i, j, unequal, total, one_sided = 0, 0, 0, 0, 0
    for block in range(first, stop, BLOCK):
        here = level[: min(BLOCK, stop - block) + k]
        i, j = _lay_out(ref, i, hyp, j, block, here)
        ends, differing, apart, alone = here[k:], np.int32(0), np.int32(0), np.int32(0)
        for window in range(len(ends)):
            seen = np.int32(ends[window] - here[window])
            in_ref, in_hyp = np.int32(seen & (HYP - 1)), np.int32(seen // HYP)
            differing = np.int32(differing + (in_ref != in_hyp))
            apart = np.int32(apart + abs(np.int32(in_ref - in_hyp)))
            alone = np.int32(alone + ((in_ref != 0) != (in_hyp != 0)))
        unequal += int(differing)
        total += int(apart)
        one_sided += int(alone)
    return unequal, total, one_sided


@kernel
def _merge_differing(ref: NDArray[Any], hyp: NDArray[Any], at: NDArray[Any], sign: NDArray[Any]) -> int:
    """Merge two sorted lists into the boundaries that only one side has; what both have cancels in every window."""
    i, j, kept = 0, 0, 0
    while i < len(ref) and j < len(hyp):
        a, b = ref[i], hyp[j]
        at[kept] = min(a, b)
        sign[kept] = np.int64(a < b) - np.int64(b < a)
        kept += a != b
        i += a <= b
        j += b <= a
    while i < len(ref):
        at[kept], sign[kept] = ref[i], 1
        kept += 1
        i += 1
    while j < len(hyp):
        at[kept], sign[kept] = hyp[j], -1
        kept += 1
        j += 1
    at[kept] = FAR
    return kept


@kernel
def _sweep(at: NDArray[Any], sign: NDArray[Any], kept: int, first: int, stop: int, k: int) -> tuple[int, int]:
    """Return how many of the windows ``first … stop-1`` see unequal numbers of boundaries, and the sum of the differences."""
    entering = leaving = 0
    here, delta, unequal, total = first, 0, 0, 0
    while leaving < kept:
        enter = at[entering] - k <= at[leaving]
        there = at[entering] - k if enter else at[leaving]
        there = min(max(there, here), stop)
        unequal += (there - here) * (delta != 0)
        total += (there - here) * abs(delta)
        delta += sign[entering] if enter else -sign[leaving]
        entering += enter
        leaving += not enter
        here = there
    return unequal, total


@kernel
def _count_seeing(positions: NDArray[Any], first: int, stop: int, k: int) -> int:
    """Count the windows that see at least one of these boundaries."""
    total, behind = 0, first
    for p in positions:
        total += max(min(p, stop) - max(p - k, behind), 0)
        behind = p
    return total


@kernel
def _covered_together(ref: NDArray[Any], hyp: NDArray[Any], first: int, stop: int, k: int) -> int:
    """Count the windows that see at least one boundary of either side."""
    i, j, total, behind = 0, 0, 0, first
    while i < len(ref) and j < len(hyp):
        a, b = ref[i], hyp[j]
        p = min(a, b)
        total += max(min(p, stop) - max(p - k, behind), 0)
        behind = p
        i += a <= b
        j += b <= a
    return total + _count_seeing(ref[i:], behind, stop, k) + _count_seeing(hyp[j:], behind, stop, k)


@kernel
def _one_sided(ref: NDArray[Any], hyp: NDArray[Any], first: int, stop: int, k: int) -> int:
    """Count the windows that exactly one side sees a boundary in: those that either sees one in, twice, less those of each side."""
    both = _covered_together(ref, hyp, first, stop, k)
    return 2 * both - _count_seeing(ref, first, stop, k) - _count_seeing(hyp, first, stop, k)


@kernel
def window_width(length: int, boundaries: int, k: int, rounding: int, minimum: int) -> int:
    """Return k: itself where given, else half the mean segment (0) or NLTK's rule (-1), rounded as ``rounding`` says.

    ``rounding`` sends an exact half to even (0), up (1) or down (2), or rounds every fraction up (3).
    """
    if k > 0:
        return k
    half = length / (2 * (boundaries + 1)) if k == 0 else (length - 1) / (2 * max(boundaries, 1))
    if rounding == 0:
        width = np.rint(half)
    elif rounding == 1:
        width = np.floor(half + 0.5)
    elif rounding == 2:
        width = np.ceil(half - 0.5)
    else:
        width = np.ceil(half)
    return max(int(width), minimum)


@kernel
def first_too_short(
    starts: NDArray[Any], stops: NDArray[Any], lengths: NDArray[Any], k: int, rounding: int, minimum: int
) -> int:
    """Return the first pair whose text no plain window fits into, or -1."""
    for pair in range(len(lengths)):
        if lengths[pair] <= window_width(lengths[pair], stops[pair] - starts[pair], k, rounding, minimum):
            return pair
    return -1


@kernel
def count_windows(
    ref: MarkColumns,
    hyp: MarkColumns,
    lengths: NDArray[Any],
    k: int,
    rounding: int,
    minimum: int,
    padded: bool,
    out: NDArray[Any],
) -> int:
    """Fill ``out`` with a row of ``WindowCounts`` per pair; return the first pair that no window fits into, or -1."""
    most, room, short = 1, 0, -1
    for pair in range(len(lengths)):
        in_ref, in_hyp = ref.stops[pair] - ref.starts[pair], hyp.stops[pair] - hyp.starts[pair]
        length = max(lengths[pair], 1)
        width = window_width(lengths[pair], in_ref, k, rounding, minimum)
        windows = (length + width - 2 if length > 1 else 0) if padded else max(length - width, 0)
        if windows == 0 and not padded and short < 0:
            short = pair
        out[pair, 3], out[pair, 4], out[pair, 5] = windows, width * in_ref, width * in_hyp
        out[pair, 6] = width * max(lengths[pair] - 1, 0)
        most = max(most, in_ref + in_hyp + 1)
        if _close(in_ref + in_hyp, windows, width):
            room = max(room, min(BLOCK, windows) + width)
    at, sign, level = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(room, np.int32)
    for pair in range(len(lengths)):
        ours = ref.positions[ref.starts[pair] : ref.stops[pair]]
        theirs = hyp.positions[hyp.starts[pair] : hyp.stops[pair]]
        width = window_width(lengths[pair], len(ours), k, rounding, minimum)
        first = 1 - width if padded else 0
        stop = first + int(out[pair, 3])
        if _close(len(ours) + len(theirs), stop - first, width):
            out[pair, 0], out[pair, 1], out[pair, 2] = _count_views(ours, theirs, first, stop, width, level)
        else:
            events = _merge_differing(ours, theirs, at, sign)
            out[pair, 0], out[pair, 1] = _sweep(at, sign, events, first, stop, width)
            out[pair, 2] = _one_sided(ours, theirs, first, stop, width)
    return short
