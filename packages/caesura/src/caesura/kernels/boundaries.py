"""Compare boundaries by position: in common, nearest, Hamming distance, windows; and align the segments of short texts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import MarkColumns
from caesura.kernels.bits import WIDEST, common_bits, is_dense, most_words, set_bits, windows_by_bits, words_for
from caesura.kernels.jit import Index, inline, kernel, pairs_of_marks
from caesura.kernels.segments import align_pair

# ---------------------------------------------------------------------- boundaries in common


@kernel
def _common(ref: NDArray[Any], start: int, stop: int, hyp: NDArray[Any], other_start: int, other_stop: int) -> int:
    """Count the positions that both sorted lists contain."""
    i, i_stop, j, j_stop = Index(start), Index(stop), Index(other_start), Index(other_stop)
    common = 0
    # No branches: the comparisons are added to the indices, so that the speed does not depend on branch prediction.
    while i < i_stop and j < j_stop:
        a, b = ref[i], hyp[j]
        common += a == b
        i += Index(a <= b)
        j += Index(b <= a)
    return common


@kernel
def _common_typed(ref: MarkColumns, start: int, stop: int, hyp: MarkColumns, other_start: int, other_stop: int) -> int:
    """Count the (position, type) pairs that both lists contain; types at one position are in ascending order."""
    i, i_stop, j, j_stop = Index(start), Index(stop), Index(other_start), Index(other_stop)
    here, there, ref_types, hyp_types = ref.positions, hyp.positions, ref.types, hyp.types
    common = 0
    while i < i_stop and j < j_stop:
        a, b, s, t = here[i], there[j], ref_types[i], hyp_types[j]
        before = (a < b) | ((a == b) & (s < t))
        behind = (b < a) | ((a == b) & (t < s))
        common += before == behind  # both are False only if position and type are equal
        i += Index(not behind)
        j += Index(not before)
    return common


@kernel
def count_common(ref: MarkColumns, hyp: MarkColumns, lengths: NDArray[Any], out: NDArray[Any]) -> None:
    """Fill ``out`` with (common, in the hypothesis, in the reference) and, if there is a fourth column, the potential boundaries."""
    typed = len(ref.types) > 0 and len(hyp.types) > 0
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        if typed:
            out[pair, 0] = _common_typed(ref, i, i_stop, hyp, j, j_stop)
        else:
            out[pair, 0] = _common(ref.positions, i, i_stop, hyp.positions, j, j_stop)
        out[pair, 1], out[pair, 2] = j_stop - j, i_stop - i
        if out.shape[1] > 3:
            out[pair, 3] = max(lengths[pair] - 1, 0)


def _count_common_in_lists(ref: Any, hyp: Any, lengths: Any, out: Any) -> None:
    count_common(ref, hyp, lengths, out)


@kernel(plain=_count_common_in_lists)
def count_common_units(ref: MarkColumns, hyp: MarkColumns, lengths: NDArray[Any], out: NDArray[Any]) -> None:
    """Do the same as :func:`count_common` for texts of units without types."""
    few = 24  # so many marks are merged in the time that clearing the words takes
    if len(ref.positions) + len(hyp.positions) <= few * len(lengths):
        count_common(
            ref, hyp, lengths, out
        )  # of short texts few or none are dense, and asking takes as long as merging
        return
    words = np.empty((2, most_words(ref, hyp, lengths)), np.uint64)
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        if is_dense(i_stop - i + j_stop - j - few, lengths[pair]):
            size = words_for(lengths[pair])
            ours, theirs = words[0, :size], words[1, :size]
            set_bits(ref.positions, i, i_stop, ours)
            set_bits(hyp.positions, j, j_stop, theirs)
            out[pair, 0] = common_bits(ours, theirs)
        else:
            out[pair, 0] = _common(ref.positions, i, i_stop, hyp.positions, j, j_stop)
        out[pair, 1], out[pair, 2] = j_stop - j, i_stop - i
        if out.shape[1] > 3:
            out[pair, 3] = max(lengths[pair] - 1, 0)


# ---------------------------------------------------------------------- generalised Hamming distance


@kernel
def _best_saving(ref: NDArray[Any], hyp: NDArray[Any], both: float, shift: float, best: NDArray[Any]) -> float:
    """Return the largest saving by shifts over deleting and inserting everything, which costs ``both`` per pair.

    ``best[b]`` is the largest saving with the reference boundaries so far and the first ``b`` of the hypothesis. It never falls as
    ``b`` grows, so behind the last candidate of a boundary it is a copy of the value there.
    """
    # A shift pays only if it costs less than a deletion and an insertion, so the candidates of p are hyp[low:high]. Both ends only move
    # right as p grows, which makes the loop linear in the number of candidate pairs.
    low = high = 0
    best[0] = 0.0
    for p in ref:
        while low < len(hyp) and hyp[low] < p and shift * (p - hyp[low]) >= both:
            low += 1
        while high < len(hyp) and (hyp[high] <= p or shift * (hyp[high] - p) < both):
            high += 1
            best[high] = best[high - 1]
        diagonal = best[low]  # the value at b before p was considered
        for b in range(low, high):
            above = best[b + 1]
            paired = diagonal + both - shift * abs(p - hyp[b])
            best[b + 1] = max(above, best[b], paired)
            diagonal = above
    return float(best[high])


@kernel(work=pairs_of_marks)
def count_hamming(
    ref: MarkColumns,
    hyp: MarkColumns,
    lengths: NDArray[Any],
    insert: float,
    delete: float,
    shift: float,
    out: NDArray[Any],
) -> None:
    """Fill ``out`` with (distance, 1) for every pair."""
    most = 0
    for pair in range(len(lengths)):
        most = max(most, hyp.stops[pair] - hyp.starts[pair])
    best = np.empty(most + 1, np.float64)
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        saved = _best_saving(ref.positions[i:i_stop], hyp.positions[j:j_stop], insert + delete, shift, best)
        out[pair, 0] = delete * (j_stop - j) + insert * (i_stop - i) - saved
        out[pair, 1] = 1.0


# ---------------------------------------------------------------------- distances to the nearest boundary


@kernel
def _reach(here: NDArray[Any], start: int, stop: int, there: NDArray[Any], at: int, end: int, none: float) -> Any:
    """Return the largest and the sum of the distances to the nearest boundary of the other side; each is ``none`` if it has no boundary."""
    farthest = total = 0.0
    # both lists are sorted, so that the nearest boundary never moves back
    for i in range(start, stop):
        while at + 1 < end and abs(there[at + 1] - here[i]) <= abs(there[at] - here[i]):
            at += 1
        distance = float(abs(there[at] - here[i])) if at < end else none
        farthest = max(farthest, distance)
        total += distance
    return farthest, total


@kernel
def _inside(positions: NDArray[Any], start: int, stop: int, length: float) -> Any:
    """Return the range without marks at the start of the text, at its end or beyond: they separate nothing."""
    while start < stop and positions[start] <= 0:
        start += 1
    while stop > start and positions[stop - 1] >= length:
        stop -= 1
    return start, stop


@kernel
def count_nearest(ref: MarkColumns, hyp: MarkColumns, lengths: NDArray[Any], out: NDArray[Any]) -> None:
    """Fill ``out`` with (largest distance, 1, sum of the hypothesis' distances, its boundaries, those of the reference) for every pair."""
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        none = float(lengths[pair])
        i, i_stop = _inside(ref.positions, i, i_stop, none)
        j, j_stop = _inside(hyp.positions, j, j_stop, none)
        of_ref, _ = _reach(ref.positions, i, i_stop, hyp.positions, j, j_stop, none)
        of_hyp, total = _reach(hyp.positions, j, j_stop, ref.positions, i, i_stop, none)
        out[pair, 0], out[pair, 1] = max(of_ref, of_hyp), 1.0
        out[pair, 2], out[pair, 3], out[pair, 4] = total, float(j_stop - j), float(i_stop - i)


# ---------------------------------------------------------------------- windows
#
# A window starts at unit i and covers the k potential boundaries i+1 … i+k. The content changes only where a boundary enters
# (i = p - k) or leaves (i = p). One algorithm moves from event to event: its cost is the number of boundaries, whatever the length of
# the text or the width of the window. If boundaries are dense, batches use another one: store for every unit the number of boundaries up
# to it; the content of a window is the difference of two of these numbers, which vector instructions compute for many windows at a time. Both
# count the same integers.

FAR = np.int64(2**62)  # a position after every event
DENSE = 8  # up to so many units per boundary, counting unit by unit is faster
BLOCK = 2**14  # windows counted at a time, and their largest width; every count then fits into 16 bits
HYP = np.int32(2**16)  # the hypothesis is counted in the upper 16 bits of a number, the reference in the lower


@kernel
def _is_dense(marks: int, windows: int, k: int) -> bool:
    """Whether counting unit by unit is faster for so many marks."""
    return windows + k <= DENSE * marks and k <= BLOCK


@kernel
def _cumulate_marks(
    ref: NDArray[Any], i: int, hyp: NDArray[Any], j: int, first: int, level: NDArray[Any]
) -> tuple[int, int]:
    """Fill ``level`` with the number of boundaries of each side after ``first``, up to each unit.

    Return the index of the first of these boundaries in each list.
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
    seen = np.int32(0)  # one running sum counts both sides at once
    for unit in range(len(level)):
        seen = np.int32(seen + level[unit])
        level[unit] = seen
    return i, j


@kernel
def _count_by_unit(
    ref: NDArray[Any], hyp: NDArray[Any], first: int, stop: int, k: int, level: NDArray[Any]
) -> tuple[int, int, int]:
    """Count the windows ``first … stop-1`` unit by unit.

    Return how many contain unequal numbers of boundaries, the sum of the differences, and how many contain boundaries of one side only.
    """
    i, j, unequal, total, one_sided = 0, 0, 0, 0, 0
    for block in range(first, stop, BLOCK):
        here = level[: min(BLOCK, stop - block) + k]
        i, j = _cumulate_marks(ref, i, hyp, j, block, here)
        ends, differing, apart, alone = here[k:], np.int32(0), np.int32(0), np.int32(0)
        for window in range(len(ends)):  # int32 throughout: a mix of widths would keep LLVM from using vectors
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
    """Merge two sorted lists into the boundaries of one side only; boundaries of both sides cancel out in every window."""
    i, j, kept = 0, 0, 0
    while i < len(ref) and j < len(hyp):
        a, b = ref[i], hyp[j]
        at[kept] = min(a, b)  # overwritten by the next one if both sides have it: no branch
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
    """Return how many of the windows ``first … stop-1`` contain unequal numbers of boundaries, and the sum of the differences."""
    # delta is the difference between the sides in the windows from here on; it changes at at[entering] - k and at at[leaving]
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
def _count_covering(positions: NDArray[Any], first: int, stop: int, k: int) -> int:
    """Count the windows that contain at least one of these boundaries."""
    total, behind = 0, first  # windows before ``behind`` have been counted
    for p in positions:
        total += max(min(p, stop) - max(p - k, behind), 0)
        behind = p
    return total


@kernel
def _count_covering_either(ref: NDArray[Any], hyp: NDArray[Any], first: int, stop: int, k: int) -> int:
    """Count the windows that contain a boundary of either side."""
    i, j, total, behind = 0, 0, 0, first
    while i < len(ref) and j < len(hyp):
        a, b = ref[i], hyp[j]
        p = min(a, b)
        total += max(min(p, stop) - max(p - k, behind), 0)
        behind = p
        i += a <= b
        j += b <= a
    return total + _count_covering(ref[i:], behind, stop, k) + _count_covering(hyp[j:], behind, stop, k)


@kernel
def _one_sided(ref: NDArray[Any], hyp: NDArray[Any], first: int, stop: int, k: int) -> int:
    """Count the windows that contain boundaries of exactly one side: 2 |A ∪ B| - |A| - |B|."""
    both = _count_covering_either(ref, hyp, first, stop, k)
    return 2 * both - _count_covering(ref, first, stop, k) - _count_covering(hyp, first, stop, k)


@kernel
def window_width(length: int, boundaries: int, k: int, rounding: int, minimum: int) -> int:
    """Return the width of windows: ``k`` if positive, else half the mean segment (0) or NLTK's rule (-1), rounded.

    ``rounding`` rounds an exact half to even (0), up (1) or down (2), or every fraction up (3).
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
    """Return the first pair whose text is too short for a plain window, or -1."""
    for pair in range(len(lengths)):
        if lengths[pair] <= window_width(lengths[pair], stops[pair] - starts[pair], k, rounding, minimum):
            return pair
    return -1


def window_row_of_lists(ref: Any, hyp: Any, units: int, k: int, padded: bool) -> tuple[float, ...]:
    """Return the row of ``WindowCounts`` of one pair in plain Python.

    Unit by unit takes too long there, and sets find the boundaries of one side only.
    """
    windows = (units + k - 2 if units > 1 else 0) if padded else max(max(units, 1) - k, 0)
    first = 1 - k if padded else 0
    stop = first + windows
    ours, theirs = set(ref), set(hyp)
    # At each event the difference between the sides changes: a boundary enters the window, or leaves it k windows later.
    events = [(p - k, 1) for p in ours - theirs]
    events += [(p - k, -1) for p in theirs - ours]
    events += [(p + k, -sign) for p, sign in events]
    events.sort()
    here, delta, unequal, total = first, 0, 0, 0
    for there, change in events:
        if there > here:
            if there > stop:
                there = stop
            if delta:
                unequal += there - here
                total += (there - here) * (delta if delta > 0 else -delta)
            here = there
        delta += change
    both = _covered_by_list(sorted(ours | theirs), first, stop, k)
    one_sided = 2 * both - _covered_by_list(ref, first, stop, k) - _covered_by_list(hyp, first, stop, k)
    row = unequal, total, one_sided, windows, k * len(ref), k * len(hyp), float(k) * max(units - 1, 0)
    return tuple(map(float, row))


def _covered_by_list(positions: Any, first: int, stop: int, k: int) -> int:
    """Count the windows that contain at least one of these boundaries."""
    total, behind = 0, first
    for p in positions:
        begin = p - k if p - k > behind else behind
        end = p if p < stop else stop
        if end > begin:
            total += end - begin
        behind = p
    return total


def _count_windows_in_lists(
    ref: Any, hyp: Any, lengths: Any, k: int, rounding: int, minimum: int, padded: bool, out: Any
) -> int:
    """Count the windows of every pair in plain Python."""
    short = -1
    for pair in range(len(lengths)):
        ours = ref.positions[ref.starts[pair] : ref.stops[pair]]
        theirs = hyp.positions[hyp.starts[pair] : hyp.stops[pair]]
        width = window_width(lengths[pair], len(ours), k, rounding, minimum)
        row = window_row_of_lists(ours, theirs, lengths[pair], width, padded)
        if row[3] == 0 and not padded and short < 0:
            short = pair
        for column in range(7):
            out[pair, column] = row[column]
    return short


@kernel(plain=_count_windows_in_lists)
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
    """Fill ``out`` with a row of ``WindowCounts`` per pair; return the first pair that is too short for a window, or -1."""
    most, units, short = 1, 0, -1
    for pair in range(len(lengths)):
        in_ref, in_hyp = ref.stops[pair] - ref.starts[pair], hyp.stops[pair] - hyp.starts[pair]
        length = max(lengths[pair], 1)
        width = window_width(lengths[pair], in_ref, k, rounding, minimum)
        windows = (length + width - 2 if length > 1 else 0) if padded else max(length - width, 0)
        if windows == 0 and not padded and short < 0:
            short = pair
        out[pair, 3], out[pair, 4], out[pair, 5] = windows, width * in_ref, width * in_hyp
        out[pair, 6] = float(width) * max(lengths[pair] - 1, 0)  # the product of two integers could overflow
        most = max(most, in_ref + in_hyp + 1)
        if _is_dense(in_ref + in_hyp, windows, width):
            units = max(units, min(BLOCK, windows) + width)
    at, sign, level = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(units, np.int32)
    words = np.empty((2, most_words(ref, hyp, lengths)), np.uint64)
    for pair in range(len(lengths)):
        ours = ref.positions[ref.starts[pair] : ref.stops[pair]]
        theirs = hyp.positions[hyp.starts[pair] : hyp.stops[pair]]
        width = window_width(lengths[pair], len(ours), k, rounding, minimum)
        first = 1 - width if padded else 0
        stop = first + int(out[pair, 3])
        if width <= WIDEST and is_dense(len(ours) + len(theirs), lengths[pair]):
            size = words_for(lengths[pair])
            set_bits(ours, 0, len(ours), words[0, :size])
            set_bits(theirs, 0, len(theirs), words[1, :size])
            out[pair, 0], out[pair, 1], out[pair, 2] = windows_by_bits(
                words[0, :size], words[1, :size], first, stop, width
            )
        elif _is_dense(len(ours) + len(theirs), stop - first, width):
            out[pair, 0], out[pair, 1], out[pair, 2] = _count_by_unit(ours, theirs, first, stop, width, level)
        else:
            events = _merge_differing(ours, theirs, at, sign)
            out[pair, 0], out[pair, 1] = _sweep(at, sign, events, first, stop, width)
            out[pair, 2] = _one_sided(ours, theirs, first, stop, width)
    return short


@kernel
def count_window_sides(
    ref: MarkColumns,
    hyp: MarkColumns,
    lengths: NDArray[Any],
    k: int,
    rounding: int,
    minimum: int,
    padded: bool,
    out: NDArray[Any],
) -> None:
    """Fill ``out`` with a row of ``WindowSideCounts`` per pair; a window from ``start`` contains the positions start + 1 … start + width."""
    for pair in range(len(lengths)):
        ours = ref.positions[ref.starts[pair] : ref.stops[pair]]
        theirs = hyp.positions[hyp.starts[pair] : hyp.stops[pair]]
        width = window_width(lengths[pair], len(ours), k, rounding, minimum)
        length = max(lengths[pair], 1)
        first = 1 - width if padded else 0
        stop = first + ((length + width - 2 if length > 1 else 0) if padded else max(length - width, 0))
        # Indices of the first positions after the start, and after the end, of the window.
        a, b, c, d = 0, 0, 0, 0
        for start in range(first, stop):
            while a < len(ours) and ours[a] <= start:
                a += 1
            while b < len(ours) and ours[b] <= start + width:
                b += 1
            while c < len(theirs) and theirs[c] <= start:
                c += 1
            while d < len(theirs) and theirs[d] <= start + width:
                d += 1
            out[pair, 0] += b - a > d - c
            out[pair, 1] += d - c > b - a
            out[pair, 2] += b > a
            out[pair, 3] += d > c
            out[pair, 4] += b > a and d > c
            out[pair, 5] += 1


@kernel
def count_within(
    ref: MarkColumns, hyp: MarkColumns, lengths: NDArray[Any], width: int, share: float, out: NDArray[Any]
) -> None:
    """Count hits of a largest one-to-one matching within ``width`` units, and the boundaries of each side.

    With ``share`` above 0, the width is that share of the mean reference segment, rounded down. Two pointers on sorted positions find a
    largest matching: a pair that is near enough can be matched at once, because both later partners are as good for any other boundary.
    """
    for pair in range(len(lengths)):
        i, stop, j, end = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        out[pair, 1], out[pair, 2] = end - j, stop - i
        most = width
        if share > 0:
            most = int(share * lengths[pair] / (stop - i + 1))
        hits = 0
        while i < stop and j < end:
            apart = ref.positions[i] - hyp.positions[j]
            if abs(apart) <= most:
                hits += 1
                i += 1
                j += 1
            elif apart < 0:
                i += 1
            else:
                j += 1
        out[pair, 0] = hits


# ---------------------------------------------------------------------- segments of short texts of units, aligned as published

SHORT = 2**15  # texts below this length have fewer than 2**16 overlaps, so that the fields below fit into 63 bits
ORDER = 2**16 - 1  # mask of the lowest field
NONE, ONE = Index(0), Index(1)


@kernel
def count_alignment_of_units(ref: MarkColumns, hyp: MarkColumns, lengths: NDArray[Any], out: NDArray[Any]) -> None:
    """Fill ``out`` with (sum of the Jaccard indices, number) of the distinct edges of every pair, for texts of units.

    It gives the same counts as :func:`caesura.kernels.segments.count_alignment`, but without branches that depend on the marks.
    """
    size = 2
    for pair in range(len(lengths)):
        if lengths[pair] < SHORT:
            i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
            size = max(size, i_stop - i + j_stop - j + 2)
    overlaps, closest = np.empty((2, size)), np.empty((2, size), np.int64)
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        ours, theirs = ref.positions[i:i_stop], hyp.positions[j:j_stop]
        if lengths[pair] <= 0:
            out[pair, 0] = out[pair, 1] = 0.0  # checked here, because the loop below is faster if it always begins
        elif lengths[pair] < SHORT:
            out[pair, 0], out[pair, 1] = _align_short(ours, theirs, lengths[pair], overlaps, closest)
        else:
            out[pair, 0], out[pair, 1] = align_pair(ours, theirs, lengths[pair], 0.0)


@inline
def _bid(segment: Any, shared: Any, size: Any, order: Any) -> Any:
    """Encode the closeness of an overlap as one integer; larger is closer.

    From the highest bits down: the number of the segment; what both share (more is closer); the size of the other (smaller is closer);
    the number of the overlap (earlier is closer). A later segment outbids an earlier one by its number, so a running maximum suffices.
    """
    return (np.int64(segment) << 46) | (shared << 31) | ((SHORT - 1 - size) << 16) | (ORDER - np.int64(order))


@kernel
def _align_short(
    ref: NDArray[Any], hyp: NDArray[Any], length: int, overlaps: NDArray[Any], closest: NDArray[Any]
) -> tuple[float, float]:
    """Sum the Jaccard indices of the distinct edges of one pair, which is not empty, from left to right, and count the edges.

    ``overlaps`` receives the Jaccard index of every overlap, and 1 if it is an edge; ``closest`` the closest overlap of every segment of
    the reference and of the hypothesis.
    """
    weights, edges = overlaps[0], overlaps[1]
    of_ref, of_hyp = closest[0], closest[1]
    in_ref, in_hyp = Index(len(ref)), Index(len(hyp))
    i, j, count = NONE, NONE, NONE
    start = highest = other_highest = 0
    while start < length:
        ref_to = ref[i] if i < in_ref else length
        hyp_to = hyp[j] if j < in_hyp else length
        ref_size = ref_to - (ref[i - ONE] if i > NONE else 0)
        hyp_size = hyp_to - (hyp[j - ONE] if j > NONE else 0)
        end = min(ref_to, hyp_to)
        shared = end - start
        weights[count], edges[count] = shared / (ref_size + hyp_size - shared), 0.0
        highest = max(highest, _bid(i, shared, hyp_size, count))
        other_highest = max(other_highest, _bid(j, shared, ref_size, count))
        # written at every step, so that no branch is needed when a segment ends: the last write is right
        of_ref[i], of_hyp[j] = ORDER - (highest & ORDER), ORDER - (other_highest & ORDER)
        i += Index(ref_to == end)
        j += Index(hyp_to == end)
        count += ONE
        start = end
    for segment in range(len(ref) + 1):
        edges[Index(of_ref[segment])] = 1.0
    for segment in range(len(hyp) + 1):
        edges[Index(of_hyp[segment])] = 1.0
    total = number = 0.0
    for overlap in range(count):
        total += edges[overlap] * weights[overlap]
        number += edges[overlap]
    return total, number
