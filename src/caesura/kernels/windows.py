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
from caesura.kernels.marks import from_masses

__all__ = [
    "count_windows",
    "difference_masses",
    "differences",
    "separation_masses",
    "separations",
]

FAR = np.int64(2**62)  # behind every event
CLOSE = 8  # units a boundary up to which a text is laid out unit by unit
BLOCK = 2**14  # windows laid out at a time, and the widest; so every count fits into half of 32 bits
HYP = np.int32(2**16)  # the hypothesis counts in the upper half of a number, the reference in the lower


@kernel
def _close(marks: int, windows: int, k: int) -> bool:
    """Tell whether so many boundaries are better counted unit by unit."""
    return windows + k <= CLOSE * marks and k <= BLOCK


@kernel
def _lay_out(
    ref: NDArray[Any], i: int, i_stop: int, hyp: NDArray[Any], j: int, j_stop: int, first: int, level: NDArray[Any]
) -> tuple[int, int]:
    """Fill ``level`` with how many boundaries of either side stand behind ``first``, up to each unit.

    Return where these boundaries begin in either list.
    """
    while i < i_stop and ref[i] <= first:
        i += 1
    while j < j_stop and hyp[j] <= first:
        j += 1
    level[:] = 0
    for at in range(i, i_stop):
        if ref[at] - first >= len(level):
            break
        level[Index(ref[at] - first)] += np.int32(1)
    for at in range(j, j_stop):
        if hyp[at] - first >= len(level):
            break
        level[Index(hyp[at] - first)] += HYP
    seen = np.int32(0)
    for unit in range(len(level)):
        seen = np.int32(seen + level[unit])
        level[unit] = seen
    return i, j


@kernel
def _seen(
    ref: NDArray[Any],
    i: int,
    i_stop: int,
    hyp: NDArray[Any],
    j: int,
    j_stop: int,
    first: int,
    stop: int,
    k: int,
    level: NDArray[Any],
) -> tuple[int, int, int]:
    """Go through the windows ``first … stop-1`` unit by unit.

    Return how many see unequal numbers of boundaries, the sum of the differences, and in how many exactly one side sees any.
    """
    unequal, total, one_sided = 0, 0, 0
    for block in range(first, stop, BLOCK):
        here = level[: min(BLOCK, stop - block) + k]
        i, j = _lay_out(ref, i, i_stop, hyp, j, j_stop, block, here)
        ends, found, apart, alone = here[k:], np.int32(0), np.int32(0), np.int32(0)
        for window in range(len(ends)):
            seen = np.int32(ends[window] - here[window])
            in_ref, in_hyp = np.int32(seen & (HYP - 1)), np.int32(seen // HYP)
            found = np.int32(found + (in_ref != in_hyp))
            apart = np.int32(apart + abs(np.int32(in_ref - in_hyp)))
            alone = np.int32(alone + ((in_ref != 0) != (in_hyp != 0)))
        unequal += int(found)
        total += int(apart)
        one_sided += int(alone)
    return unequal, total, one_sided


@kernel
def _differing(
    ref: NDArray[Any], i: int, i_stop: int, hyp: NDArray[Any], j: int, j_stop: int, at: NDArray[Any], sign: NDArray[Any]
) -> int:
    """Merge two sorted lists into the boundaries that only one side has; what both have cancels in every window."""
    found = 0
    while i < i_stop and j < j_stop:
        a, b = ref[i], hyp[j]
        at[found] = min(a, b)
        sign[found] = np.int64(a < b) - np.int64(b < a)
        found += a != b
        i += a <= b
        j += b <= a
    while i < i_stop:
        at[found], sign[found] = ref[i], 1
        found += 1
        i += 1
    while j < j_stop:
        at[found], sign[found] = hyp[j], -1
        found += 1
        j += 1
    at[found] = FAR
    return found


@kernel
def _swept(at: NDArray[Any], sign: NDArray[Any], found: int, first: int, stop: int, k: int) -> tuple[int, int]:
    """Return how many of the windows ``first … stop-1`` see unequal numbers of boundaries, and the sum of the differences."""
    entering = leaving = 0
    here, delta, unequal, total = first, 0, 0, 0
    while leaving < found:
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
def _covered(positions: NDArray[Any], i: int, i_stop: int, first: int, stop: int, k: int) -> int:
    """Count the windows that see at least one of these boundaries."""
    total, behind = 0, first
    while i < i_stop:
        p = positions[i]
        total += max(min(p, stop) - max(p - k, behind), 0)
        behind = p
        i += 1
    return total


@kernel
def _covered_together(
    ref: NDArray[Any], i: int, i_stop: int, hyp: NDArray[Any], j: int, j_stop: int, first: int, stop: int, k: int
) -> int:
    """Count the windows that see at least one boundary of either side."""
    total, behind = 0, first
    while i < i_stop and j < j_stop:
        a, b = ref[i], hyp[j]
        p = min(a, b)
        total += max(min(p, stop) - max(p - k, behind), 0)
        behind = p
        i += a <= b
        j += b <= a
    if i < i_stop:
        total += _covered(ref, i, i_stop, behind, stop, k)
    if j < j_stop:
        total += _covered(hyp, j, j_stop, behind, stop, k)
    return total


@kernel
def _one_sided(
    ref: NDArray[Any], i: int, i_stop: int, hyp: NDArray[Any], j: int, j_stop: int, first: int, stop: int, k: int
) -> int:
    """Count the windows that exactly one side sees a boundary in: those that either sees one in, twice, less those of each side."""
    both = _covered_together(ref, i, i_stop, hyp, j, j_stop, first, stop, k)
    return 2 * both - _covered(ref, i, i_stop, first, stop, k) - _covered(hyp, j, j_stop, first, stop, k)


@kernel
def count_windows(
    ref_positions: NDArray[Any],
    ref_starts: NDArray[Any],
    ref_stops: NDArray[Any],
    hyp_positions: NDArray[Any],
    hyp_starts: NDArray[Any],
    hyp_stops: NDArray[Any],
    firsts: NDArray[Any],
    stops: NDArray[Any],
    widths: NDArray[Any],
    out: NDArray[Any],
) -> None:
    """Fill ``out`` with (windows that differ, sum of the differences, windows that one side alone sees a boundary in) of every pair."""
    most = 1
    for pair in range(len(ref_starts)):
        most = max(most, ref_stops[pair] - ref_starts[pair] + hyp_stops[pair] - hyp_starts[pair] + 1)
    at, sign, level = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(2 * BLOCK, np.int32)
    ref, hyp = ref_positions, hyp_positions
    for pair in range(len(ref_starts)):
        i, i_stop, j, j_stop = ref_starts[pair], ref_stops[pair], hyp_starts[pair], hyp_stops[pair]
        first, stop, k = firsts[pair], stops[pair], widths[pair]
        if _close(i_stop - i + j_stop - j, stop - first, k):
            out[pair, 0], out[pair, 1], out[pair, 2] = _seen(ref, i, i_stop, hyp, j, j_stop, first, stop, k, level)
        else:
            found = _differing(ref, i, i_stop, hyp, j, j_stop, at, sign)
            out[pair, 0], out[pair, 1] = _swept(at, sign, found, first, stop, k)
            out[pair, 2] = _one_sided(ref, i, i_stop, hyp, j, j_stop, first, stop, k)


@kernel
def differences(ref: NDArray[Any], hyp: NDArray[Any], first: int, stop: int, k: int) -> tuple[int, int]:
    """Sweep one pair over the windows ``first … stop-1``: how many differ, and by how much in all."""
    at = np.empty(len(ref) + len(hyp) + 1, np.int64)
    sign = np.empty(len(at), np.int64)
    found = _differing(ref, 0, len(ref), hyp, 0, len(hyp), at, sign)
    return _swept(at, sign, found, first, stop, k)


@kernel
def separations(ref: NDArray[Any], hyp: NDArray[Any], first: int, stop: int, k: int) -> int:
    """Sweep one pair: in how many windows one side has a boundary between the two ends and the other has none."""
    return _one_sided(ref, 0, len(ref), hyp, 0, len(hyp), first, stop, k)


@kernel
def _half_mean(length: int, segments: int) -> int:
    """Return half the mean segment, rounded half to even, at least 2."""
    return max(int(np.rint(length / (2 * segments))), 2)


@kernel
def difference_masses(ref_masses: NDArray[Any], hyp_masses: NDArray[Any], k: int) -> tuple[int, int, int]:
    """Sweep one pair straight from masses (``k = 0``: half the mean segment): windows that differ, by how much, and all.

    No windows (or fewer) ask for a closer look.
    """
    length, ref = from_masses(ref_masses)
    other, hyp = from_masses(hyp_masses)
    if length != other or length < 0:
        return 0, 0, -1
    width = k if k > 0 else _half_mean(length, len(ref) + 1)
    if length <= width:
        return 0, 0, -1
    unequal, total = differences(ref, hyp, 0, length - width, width)
    return unequal, total, length - width


@kernel
def separation_masses(ref_masses: NDArray[Any], hyp_masses: NDArray[Any], k: int) -> tuple[int, int]:
    """Sweep one pair for Pk straight from masses: windows whose ends only one side parts, and all windows."""
    length, ref = from_masses(ref_masses)
    other, hyp = from_masses(hyp_masses)
    if length != other or length < 0:
        return 0, -1
    width = k if k > 0 else _half_mean(length, len(ref) + 1)
    if length <= width:
        return 0, -1
    return separations(ref, hyp, 0, length - width, width), length - width
