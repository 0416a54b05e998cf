"""Count one pair in one compiled call: a few lines per family around its batch kernel.

Every kernel here takes ``(ref, hyp, length, <parameters>)`` and returns a length and a row of counts. The sides are positions in a text of
that length; or positions and types; or rows of nested segments; or, if the length is None, plain lists: masses, or flags as bytes. A
returned length of -1 means that the input needs checking: the caller then takes the general path, which raises the right error.

A factory that wraps any batch kernel would be shorter, but Numba cannot cache a closure over a compiled function on disk.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import MarkColumns, SpanColumns, fill, stable_order
from caesura.kernels.boundaries import (
    count_alignment_of_units,
    count_common,
    count_hamming,
    count_nearest,
    count_windows,
    count_within,
    window_row_of_lists,
    window_width,
)
from caesura.kernels.edits import FlexibleRule, count_adjacent, count_edits, count_flexible
from caesura.kernels.jit import kernel, read_only
from caesura.kernels.matching import EditRule
from caesura.kernels.nested import count_beginnings, count_crossing, count_shared
from caesura.kernels.regions import RegionRule, count_matched
from caesura.kernels.segments import (
    AlignmentRule,
    SegmentColumns,
    count_alignment,
    count_alignment_with,
    count_overlaps,
)

# ---------------------------------------------------------------------- one pair as a batch of one


# In plain Python, the standard library finds positions in a tenth of the time that a loop takes.


def _cumulate_list(raw: Any) -> tuple[list[int], int]:
    """Return the positions that masses or flags (as bytes) stand for, and the length, -1 if invalid."""
    if type(raw) is memoryview and raw.itemsize == 1:
        flags, positions = bytes(raw), []
        at = flags.find(b"1")
        while at >= 0:
            positions.append(at + 1)
            at = flags.find(b"1", at + 1)
        valid = flags.count(b"0") + len(positions) == len(flags)
        return positions, len(flags) + 1 if valid else -1
    if len(raw) == 0:
        return [], 0
    positions = list(accumulate(raw))
    return (positions, positions.pop()) if min(raw) >= 1 else (positions, -1)


def _list_positions(ref: Any, hyp: Any, length: Any) -> Any:
    if length is not None:
        return ref, len(ref), hyp, len(hyp), length
    (ours, units), (theirs, others) = _cumulate_list(ref), _cumulate_list(hyp)
    if units != others or units < 0:
        return [], 0, [], 0, -1
    return ours, len(ours), theirs, len(theirs), units


def _list_marks(positions: Any, count: int) -> MarkColumns:
    return MarkColumns(positions, [], [0], [count])  # type: ignore[arg-type]


def _list_width(raw: Any, k: int, rounding: int, minimum: int) -> int:
    positions, length = _cumulate_list(raw)
    return int(window_width(length, len(positions), k, rounding, minimum)) if length >= 0 else -1


@kernel
def _cumulate(raw: NDArray[Any], positions: NDArray[Any]) -> tuple[int, int]:
    """Write the positions that masses or flags (as bytes) stand for; return the length and the number of positions, (-1, 0) if invalid."""
    if raw.itemsize == 1:
        count = 0
        for i in range(len(raw)):
            if raw[i] != 48 and raw[i] != 49:  # "0" and "1" in ASCII
                return -1, 0
            positions[count] = i + 1  # overwritten by the next flag unless this one is set: no branch
            count += int(raw[i] == 49)
        return len(raw) + 1, count
    length = 0
    for i in range(len(raw)):
        if raw[i] < 1:
            return -1, 0
        length += int(raw[i])
        positions[i] = length
    return length, max(len(raw) - 1, 0)


@kernel(plain=_list_positions)
def _positions(ref: NDArray[Any], hyp: NDArray[Any], length: Any) -> Any:
    """Return the positions of each side, how many of them count, and the length."""
    if length is None:
        ours, theirs = np.empty(len(ref) + 1, np.int64), np.empty(len(hyp) + 1, np.int64)
        units, in_ref = _cumulate(ref, ours)
        others, in_hyp = _cumulate(hyp, theirs)
        if units != others:
            units, in_ref, in_hyp = -1, 0, 0
        return ours, in_ref, theirs, in_hyp, units
    return ref, len(ref), hyp, len(hyp), length


@kernel
def _columns(ref: NDArray[Any], hyp: NDArray[Any], length: Any) -> Any:
    """Return a pair of texts of units as a batch of one."""
    ours, in_ref, theirs, in_hyp, units = _positions(ref, hyp, length)
    return _marks(ours, in_ref), _marks(theirs, in_hyp), read_only(np.array([units]))


@kernel
def _ready_columns(ref: NDArray[Any], hyp: NDArray[Any], length: Any) -> Any:
    """Return positions as a batch of one."""
    return _marks(ref, len(ref)), _marks(hyp, len(hyp)), read_only(np.array([length]))


@kernel(plain=_list_marks)
def _marks(positions: NDArray[Any], count: int) -> MarkColumns:
    """Return the boundaries of one text without types."""
    types, start, stop = np.empty(0, np.int64), np.zeros(1, np.int64), np.array([count])
    return MarkColumns(read_only(positions), read_only(types), read_only(start), read_only(stop))


@kernel
def _typed_columns(ref: tuple[NDArray[Any], NDArray[Any]], hyp: tuple[NDArray[Any], NDArray[Any]], length: Any) -> Any:
    """Return positions with types as a batch of one."""
    zero = read_only(np.zeros(1, np.int64))
    ours = MarkColumns(read_only(ref[0]), read_only(ref[1]), zero, read_only(np.array([len(ref[0])])))
    theirs = MarkColumns(read_only(hyp[0]), read_only(hyp[1]), zero, read_only(np.array([len(hyp[0])])))
    return ours, theirs, read_only(np.array([length]))


@kernel(plain=_list_width)
def width_of_masses(raw: NDArray[Any], k: int, rounding: int, minimum: int) -> int:
    """Return the width of the windows for a reference of these masses or flags, -1 if they are invalid."""
    length, boundaries = _cumulate(raw, np.empty(len(raw) + 1, np.int64))
    return window_width(length, boundaries, k, rounding, minimum) if length >= 0 else -1


# ---------------------------------------------------------------------- boundaries between units


@kernel
def pair_adjacent(ref: NDArray[Any], hyp: NDArray[Any], length: Any, weight: float) -> Any:
    """Count edits with adjacent near misses."""
    out = np.empty((1, 8))
    ours, theirs, lengths = _columns(ref, hyp, length)
    count_adjacent(ours, theirs, lengths, weight, out)
    row = out[0]
    return lengths[0], (row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7])


@kernel
def pair_edits(
    ref: NDArray[Any], hyp: NDArray[Any], length: Any, optimal: bool, span_weights: NDArray[Any], ordinal: NDArray[Any]
) -> Any:
    """Count edits with near misses of any span."""
    out, no_types, no_table = np.empty((1, 8)), np.empty(0, np.int64), np.empty((0, 0))
    ours, theirs, lengths = _columns(ref, hyp, length)
    count_edits(ours, theirs, lengths, EditRule(False, optimal, span_weights, ordinal, no_types, no_table), out)
    row = out[0]
    return lengths[0], (row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7])


@kernel
def pair_typed_edits(
    ref: Any, hyp: Any, length: int, optimal: bool, span_weights: NDArray[Any], ordinal: NDArray[Any]
) -> Any:
    """Count edits of boundaries with types, near misses of any span."""
    out, no_types, no_table = np.empty((1, 8)), np.empty(0, np.int64), np.empty((0, 0))
    ours, theirs, lengths = _typed_columns(ref, hyp, length)
    count_edits(ours, theirs, lengths, EditRule(True, optimal, span_weights, ordinal, no_types, no_table), out)
    row = out[0]
    return length, (row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7])


def _list_windows(
    ref: Any, hyp: Any, length: Any, k: int, rounding: int, minimum: int, padded: bool
) -> tuple[int, tuple[float, ...]]:
    """Count windows in plain Python: the same steps as ``count_windows``, without the arrays of a batch."""
    ours, in_ref, theirs, _, units = _positions(ref, hyp, length)
    width = window_width(units, in_ref, k, rounding, minimum)
    row = window_row_of_lists(ours, theirs, units, width, padded)
    return units if row[3] or padded else -1, row


@kernel(plain=_list_windows)
def pair_windows(
    ref: NDArray[Any], hyp: NDArray[Any], length: Any, k: int, rounding: int, minimum: int, padded: bool
) -> Any:
    """Count windows; the length is -1 also if no window fits."""
    out = np.empty((1, 7))
    ours, theirs, lengths = _columns(ref, hyp, length)
    short = count_windows(ours, theirs, lengths, k, rounding, minimum, padded, out)
    row = out[0]
    return lengths[0] if short < 0 else -1, (row[0], row[1], row[2], row[3], row[4], row[5], row[6])


@kernel
def pair_hamming(ref: NDArray[Any], hyp: NDArray[Any], length: Any, insert: float, delete: float, shift: float) -> Any:
    """Compute the generalised Hamming distance."""
    out = np.empty((1, 2))
    ours, theirs, lengths = _columns(ref, hyp, length)
    count_hamming(ours, theirs, lengths, insert, delete, shift, out)
    return lengths[0], (out[0, 0], out[0, 1])


@kernel
def pair_within(ref: NDArray[Any], hyp: NDArray[Any], length: Any, width: int, share: float) -> Any:
    """Count the boundaries within a tolerance, and the covered and pure length."""
    out, overlaps = np.empty((1, 3)), np.empty((1, 8))
    ours, theirs, lengths = _columns(ref, hyp, length)
    count_within(ours, theirs, lengths, width, share, out)
    count_overlaps(ours, theirs, lengths, 1.0, overlaps)
    return lengths[0], (out[0, 0], out[0, 1], out[0, 2], overlaps[0, 0], overlaps[0, 1], overlaps[0, 2])


@kernel
def pair_flexible(
    ref: NDArray[Any], hyp: NDArray[Any], length: Any, costs: NDArray[Any], steps: NDArray[Any], reach: int,
    forced: bool, sign: int, closing: bool,
) -> Any:  # fmt: skip
    """Compute the least cost of boundaries without types."""
    out = np.empty((1, 3))
    ours, theirs, lengths = _columns(ref, hyp, length)
    types = read_only(np.zeros(max(len(ours.positions), len(theirs.positions)), np.int64))
    ours = MarkColumns(ours.positions, types, ours.starts, ours.stops)
    theirs = MarkColumns(theirs.positions, types, theirs.starts, theirs.stops)
    count_flexible(ours, theirs, lengths, FlexibleRule(costs, steps, reach, forced, sign), closing, out)
    return lengths[0], (out[0, 0], out[0, 1], out[0, 2])


@kernel
def pair_typed_flexible(
    ref: Any, hyp: Any, length: int, costs: NDArray[Any], steps: NDArray[Any], reach: int, forced: bool, sign: int,
    closing: bool,
) -> Any:  # fmt: skip
    """Compute the least cost of boundaries with types; two at one position return a length of -1."""
    out = np.empty((1, 3))
    ours, theirs, lengths = _typed_columns(ref, hyp, length)
    count_flexible(ours, theirs, lengths, FlexibleRule(costs, steps, reach, forced, sign), closing, out)
    return length if _distinct(ref[0]) and _distinct(hyp[0]) else -1, (out[0, 0], out[0, 1], out[0, 2])


@kernel
def _distinct(positions: NDArray[Any]) -> bool:
    again = 0
    for i in range(1, len(positions)):
        again += positions[i] == positions[i - 1]
    return again == 0


@kernel
def pair_aligned(ref: NDArray[Any], hyp: NDArray[Any], length: Any) -> Any:
    """Align segments of units, as published."""
    out = np.empty((1, 2))
    ours, theirs, lengths = _columns(ref, hyp, length)
    count_alignment_of_units(ours, theirs, lengths, out)
    return lengths[0], (out[0, 0], out[0, 1])


@kernel
def pair_aligned_with(
    ref: NDArray[Any], hyp: NDArray[Any], length: Any, closeness: int, weight: int, ties: int, whole: bool,
    directed: bool, threshold: float, penalty: float, scorer: int, base: float,
) -> Any:  # fmt: skip
    """Align segments of units with every named option."""
    out, none = np.empty((1, 2)), read_only(np.empty(0, np.int64))
    ours, theirs, lengths = _columns(ref, hyp, length)
    rule = AlignmentRule(closeness, weight, ties, whole, directed, threshold, penalty, scorer, base)
    count_alignment_with(
        SegmentColumns(ours.positions, none, none, ours.starts, ours.stops),
        SegmentColumns(theirs.positions, none, none, theirs.starts, theirs.stops), lengths, 0.0, rule, out,
    )  # fmt: skip
    return lengths[0], (out[0, 0], out[0, 1])


# ---------------------------------------------------------------------- boundaries between units or in time


@kernel
def pair_common(ref: NDArray[Any], hyp: NDArray[Any], length: Any) -> Any:
    """Count the boundaries in common."""
    out = np.empty((1, 3))
    ours, theirs, lengths = _columns(ref, hyp, length)
    count_common(ours, theirs, lengths, out)
    return lengths[0], (out[0, 0], out[0, 1], out[0, 2])


@kernel
def pair_common_typed(ref: Any, hyp: Any, length: Any) -> Any:
    """Count the boundaries of one type in common."""
    out = np.empty((1, 3))
    ours, theirs, lengths = _typed_columns(ref, hyp, length)
    count_common(ours, theirs, lengths, out)
    return length, (out[0, 0], out[0, 1], out[0, 2])


@kernel
def pair_common_times(ref: NDArray[Any], hyp: NDArray[Any], length: float) -> Any:
    """Count the boundaries in time in common."""
    out = np.empty((1, 3))
    ours, theirs, lengths = _ready_columns(ref, hyp, length)
    count_common(ours, theirs, lengths, out)
    return length, (out[0, 0], out[0, 1], out[0, 2])


@kernel
def pair_places(ref: NDArray[Any], hyp: NDArray[Any], length: Any) -> Any:
    """Count the boundaries in common, and the potential boundaries."""
    out = np.empty((1, 4))
    ours, theirs, lengths = _columns(ref, hyp, length)
    count_common(ours, theirs, lengths, out)
    return lengths[0], (out[0, 0], out[0, 1], out[0, 2], out[0, 3])


@kernel
def pair_regions(
    ref: NDArray[Any], hyp: NDArray[Any], length: float, tolerance: int, scale: float, later: bool, edges: bool,
    matching: int, largest: float,
) -> Any:  # fmt: skip
    """Count hits in search regions; times that are unsorted, not finite or beyond the ``largest`` tick return a length of -1."""
    if not (length * scale <= largest and _on_grid(ref, scale, largest) and _on_grid(hyp, scale, largest)):
        return -1.0, (0.0, 0.0, 0.0, 0.0)
    out = np.empty((1, 4))
    ours, theirs, lengths = _ready_columns(ref, hyp, length)
    count_matched(ours, theirs, lengths, RegionRule(tolerance, scale, later, edges, matching), out)
    return length, (out[0, 0], out[0, 1], out[0, 2], out[0, 3])


@kernel
def _on_grid(times: NDArray[Any], scale: float, largest: float) -> bool:
    """Whether times are sorted and within the largest tick."""
    if len(times) == 0:
        return True
    before = times[0]
    for time in times:
        if not time >= before:  # also True for NaN
            return False
        before = time
    return bool(times[0] * scale >= -largest and before * scale <= largest)


@kernel
def pair_nearest(ref: NDArray[Any], hyp: NDArray[Any], length: Any) -> Any:
    """Measure distances to the nearest boundary of two texts."""
    out = np.empty((1, 5))
    ours, theirs, lengths = _columns(ref, hyp, length)
    count_nearest(ours, theirs, lengths, out)
    return lengths[0], (out[0, 0], out[0, 1], out[0, 2], out[0, 3], out[0, 4])


@kernel
def pair_nearest_times(ref: NDArray[Any], hyp: NDArray[Any], length: float) -> Any:
    """Measure distances to the nearest boundary of two recordings."""
    out = np.empty((1, 5))
    ours, theirs, lengths = _ready_columns(ref, hyp, length)
    count_nearest(ours, theirs, lengths, out)
    return length, (out[0, 0], out[0, 1], out[0, 2], out[0, 3], out[0, 4])


@kernel
def pair_overlaps(ref: NDArray[Any], hyp: NDArray[Any], length: Any) -> Any:
    """Measure overlaps of segments of two texts."""
    out = np.empty((1, 8))
    ours, theirs, lengths = _columns(ref, hyp, length)
    count_overlaps(ours, theirs, lengths, 1.0, out)
    row = out[0]
    return lengths[0], (row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7])


@kernel
def pair_overlaps_times(ref: NDArray[Any], hyp: NDArray[Any], length: float) -> Any:
    """Measure overlaps of segments of two recordings."""
    out = np.empty((1, 8))
    ours, theirs, lengths = _ready_columns(ref, hyp, length)
    count_overlaps(ours, theirs, lengths, 0.0, out)
    row = out[0]
    return length, (row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7])


@kernel
def pair_aligned_times(ref: NDArray[Any], hyp: NDArray[Any], length: float, tolerance: float) -> Any:
    """Align segments of a recording, as published."""
    out = np.zeros((1, 2))
    ours, theirs, lengths = _ready_columns(ref, hyp, length)
    count_alignment(ours, theirs, lengths, tolerance, out)
    return length, (out[0, 0], out[0, 1])


# ---------------------------------------------------------------------- nested segments


@kernel
def _reading_order(rows: NDArray[Any], length: int, flat: bool) -> SpanColumns:
    """Sort segments by first unit, longer first, then by level; if flat, a span counts once and has level 0."""
    size = len(rows)
    key, count = np.empty(size, np.int64), 0
    for i in range(size):
        key[i] = rows[i, 0] * (length + 1) - rows[i, 1]  # first unit ascending, then last unit descending
    firsts, lasts, levels = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    for i in stable_order(read_only(key)):  # a stable sort: rows are sorted by level and stay so within one span
        if flat and count > 0 and firsts[count - 1] == rows[i, 0] and lasts[count - 1] == rows[i, 1]:
            continue
        firsts[count], lasts[count], levels[count] = rows[i, 0], rows[i, 1], 0 if flat else rows[i, 2]
        count += 1
    return SpanColumns(firsts, lasts, levels, np.zeros(1, np.int64), np.array([count]))


@kernel
def _outermost_first(rows: NDArray[Any]) -> bool:
    for i in range(1, len(rows)):
        if rows[i, 2] < rows[i - 1, 2] or (rows[i, 2] == rows[i - 1, 2] and rows[i, 0] < rows[i - 1, 0]):
            return False
    return True


@kernel
def pair_shared(ref: NDArray[Any], hyp: NDArray[Any], length: int, flat: bool) -> Any:
    """Count the segments in common."""
    out = np.empty((1, 3))
    count_shared(
        _reading_order(ref, length, flat), _reading_order(hyp, length, flat), read_only(np.array([length])), out
    )
    valid = _outermost_first(ref) and _outermost_first(hyp)
    return length if valid else -1, (out[0, 0], out[0, 1], out[0, 2])


@kernel
def pair_crossing(ref: NDArray[Any], hyp: NDArray[Any], length: int) -> Any:
    """Count the segments that cross no other."""
    out = np.empty((1, 2))
    count_crossing(
        _reading_order(ref, length, True), _reading_order(hyp, length, True), read_only(np.array([length])), out
    )
    return length, (out[0, 0], out[0, 1])


@kernel
def pair_beginnings(ref: NDArray[Any], hyp: NDArray[Any], length: int, flat: bool, deepest: int) -> Any:
    """Count where segments begin; the row is an array, because it has too many columns for a tuple."""
    out = np.zeros((1, 2 * deepest + 4))
    ours, theirs = _reading_order(ref, length, flat), _reading_order(hyp, length, flat)
    if flat:
        fill(ours.levels, 1)
        fill(theirs.levels, 1)
    count_beginnings(ours, theirs, read_only(np.array([length])), deepest, out)
    valid = _outermost_first(ref) and _outermost_first(hyp)
    return length if valid else -1, out[0]


@kernel
def pair_levels(ref: NDArray[Any], hyp: NDArray[Any], length: int, weight: float) -> Any:
    """Count edits with adjacent near misses on every level, and add them up."""
    row, out = np.zeros(8), np.empty((1, 8))
    deepest = max(_deepest(ref), _deepest(hyp))
    first, second = np.empty(2 * len(ref), np.int64), np.empty(2 * len(hyp), np.int64)
    for level in range(1, deepest + 1):
        in_ref, in_hyp = _edges_of_level(ref, level, length, first), _edges_of_level(hyp, level, length, second)
        ours, theirs, lengths = _ready_columns(first[:in_ref], second[:in_hyp], length)
        count_adjacent(ours, theirs, lengths, weight, out)
        for field in range(8):
            row[field] += out[0, field]
    valid = _outermost_first(ref) and _outermost_first(hyp)
    return length if valid else -1, (row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7])


@kernel
def _deepest(rows: NDArray[Any]) -> int:
    return rows[len(rows) - 1, 2] if len(rows) > 0 else 0


@kernel
def _edges_of_level(rows: NDArray[Any], level: int, length: int, edges: NDArray[Any]) -> int:
    """Write the distinct positions where segments of a level begin or end inside the text; return their number."""
    count = 0
    for i in range(len(rows)):
        if rows[i, 2] != level:
            continue
        for edge in (rows[i, 0] - 1, rows[i, 1]):
            if 0 < edge < length and (count == 0 or edges[count - 1] != edge):
                edges[count] = edge
                count += 1
    return count
