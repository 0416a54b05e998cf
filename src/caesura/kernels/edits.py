"""Boundary edit distance: which boundary of one side answers which of the other.

Everything here fills two lists of partners, one a side: the index of the boundary it is paired with, or -1. A pair at one
position and of one type is a match, of two types a substitution; a pair at two positions is a transposition (a near miss);
a boundary without a partner is an addition of its side. Tallies, records and drawings all follow from the partners.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import largest, smallest, stable_order
from caesura.kernels.jit import Index, kernel, read_only
from caesura.kernels.layout import MarkColumns, pairs_of_marks
from caesura.kernels.matching import EditRule, pair_optimal, pair_optimal_types, type_weight

POSITION, TYPE, MARK, GROUP = 0, 1, 2, 3  # rows of the table of events


class Room(NamedTuple):
    """What pairing one reference with one hypothesis works in.

    The partners of either side; ``events``, what only one side has, by position and type; ``left``, how many of them each side still has at
    a position; and a ``table`` for types that share a position.
    """

    ref_partner: NDArray[Any]
    hyp_partner: NDArray[Any]
    events: NDArray[Any]
    left: NDArray[Any]
    table: NDArray[Any]


@kernel
def adjacent(
    ref: NDArray[Any], start: int, stop: int, hyp: NDArray[Any], other_start: int, other_stop: int
) -> tuple[int, int]:
    """Count (matches, transpositions) of untyped boundaries where a near miss spans adjacent positions only.

    One merge without branches: a boundary that only one side has is a near miss when the one before it, one position to
    the left, is the other side's and still free.
    """
    i, i_stop, j, j_stop = Index(start), Index(stop), Index(other_start), Index(other_stop)
    matches = transpositions = 0
    before, side_before = np.int64(-1), np.int64(0)
    while i < i_stop and j < j_stop:
        a, b = ref[i], hyp[j]
        here = min(a, b)
        side = np.int64(a < b) - np.int64(b < a)
        near = (side * side_before == -1) & (here - before == 1)
        matches += side == 0
        transpositions += near
        before, side_before = here, np.int64(0) if near else side
        i += Index(a <= b)
        j += Index(b <= a)
    if i < i_stop:
        transpositions += (side_before == -1) & (ref[i] - before == 1)
    elif j < j_stop:
        transpositions += (side_before == 1) & (hyp[j] - before == 1)
    return matches, transpositions


@kernel
def count_adjacent(ref: MarkColumns, hyp: MarkColumns, lengths: NDArray[Any], weight: float, out: NDArray[Any]) -> None:
    """Fill ``out`` with a row of ``EditCounts`` per pair, for untyped boundaries and ``n_t = 2``; a near miss costs ``weight``."""
    ref_positions, hyp_positions = ref.positions, hyp.positions
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        matches, near = adjacent(ref_positions, i, i_stop, hyp_positions, j, j_stop)
        out[pair, 0], out[pair, 1], out[pair, 2] = matches, near, 0
        out[pair, 3], out[pair, 4] = i_stop - i - matches - near, j_stop - j - matches - near
        out[pair, 5], out[pair, 6], out[pair, 7] = near * weight, 0, max(lengths[pair] - 1, 0)


@kernel
def _match(
    ref: NDArray[Any], ref_types: NDArray[Any], hyp: NDArray[Any], hyp_types: NDArray[Any], typed: bool, room: Room
) -> int:
    """Pair what both have, and list the rest by position and type; a mark is i+1 on the reference's side, -(j+1) on the other."""
    ref_partner, hyp_partner, events = room.ref_partner, room.hyp_partner, room.events
    i = j = listed = 0
    while i < len(ref) or j < len(hyp):
        if i == len(ref):
            first = 1
        elif j == len(hyp):
            first = -1
        elif ref[i] != hyp[j]:
            first = -1 if ref[i] < hyp[j] else 1
        else:
            first = np.sign(ref_types[i] - hyp_types[j]) if typed else 0
        if first == 0:
            ref_partner[i], hyp_partner[j] = j, i
            i += 1
            j += 1
        elif first < 0:
            ref_partner[i] = -1
            events[POSITION, listed], events[TYPE, listed] = ref[i], ref_types[i] if typed else 0
            events[MARK, listed] = i + 1
            i += 1
            listed += 1
        else:
            hyp_partner[j] = -1
            events[POSITION, listed], events[TYPE, listed] = hyp[j], hyp_types[j] if typed else 0
            events[MARK, listed] = -(j + 1)
            j += 1
            listed += 1
    return listed


@kernel
def _number_groups(events: NDArray[Any], listed: int, left: NDArray[Any]) -> None:
    """Number the positions that hold events, and count what each side has there alone."""
    groups = 0
    for e in range(listed):
        if e == 0 or events[POSITION, e] != events[POSITION, e - 1]:
            left[0, groups] = left[1, groups] = 0
            groups += 1
        events[GROUP, e] = groups - 1
        left[0 if events[MARK, e] > 0 else 1, groups - 1] += 1


@kernel
def _join(e: int, f: int, room: Room) -> None:
    """Pair two events of opposite sides and take them off the list."""
    events, left = room.events, room.left
    ours, theirs = (e, f) if events[MARK, e] > 0 else (f, e)
    i, j = events[MARK, ours] - 1, -events[MARK, theirs] - 1
    room.ref_partner[i], room.hyp_partner[j] = j, i
    left[0, events[GROUP, ours]] -= 1
    left[1, events[GROUP, theirs]] -= 1
    events[MARK, e] = events[MARK, f] = 0


@kernel
def _transpose(listed: int, offset: int, room: Room) -> None:
    """Pair events of one type that lie ``offset`` apart, from left to right, unless both ends still hold a substitution."""
    events, left = room.events, room.left
    f = 0
    for e in range(listed):
        wanted, kind = events[POSITION, e] + offset, events[TYPE, e]
        while f < listed and (
            events[POSITION, f] < wanted or (events[POSITION, f] == wanted and events[TYPE, f] < kind)
        ):
            f += 1
        if f == listed:
            return
        if events[POSITION, f] != wanted or events[TYPE, f] != kind:
            continue
        if events[MARK, e] == 0 or events[MARK, f] == 0 or (events[MARK, e] > 0) == (events[MARK, f] > 0):
            continue
        g, h = events[GROUP, e], events[GROUP, f]
        if min(left[0, g], left[1, g]) == 0 or min(left[0, h], left[1, h]) == 0:
            _join(e, f, room)


@kernel
def _drop_paired(events: NDArray[Any], listed: int) -> int:
    """Drop the events that were paired; return how many are left."""
    kept = 0
    for e in range(listed):
        if events[MARK, e] != 0:
            for row in range(4):
                events[row, kept] = events[row, e]
            kept += 1
    return kept


@kernel
def _substitute(start: int, stop: int, room: Room) -> None:
    """Pair what each side has alone at one position so that the types lie least far apart: an assignment on a line.

    ``table[a, b]`` is the least sum of distances when the first ``a`` types of the smaller side have partners among the
    first ``b`` of the larger; both are in ascending order.
    """
    events, left, table = room.events, room.left, room.table
    group = events[GROUP, start]
    few, many = min(left[0, group], left[1, group]), max(left[0, group], left[1, group])
    if few == 0:
        return
    sign = 1 if left[0, group] == few else -1
    table[0, : many + 1] = 0
    a = 0
    for e in range(start, stop):
        if events[MARK, e] * sign < 0:
            continue
        a += 1
        b = 0
        table[a, a - 1] = 2**60
        for f in range(start, stop):
            if events[MARK, f] * sign > 0:
                continue
            b += 1
            if b >= a:
                apart = table[a - 1, b - 1] + abs(events[TYPE, e] - events[TYPE, f])
                table[a, b] = min(apart, table[a, b - 1])
    e, f, b = stop - 1, stop - 1, many
    while a > 0:
        while events[MARK, e] * sign < 0:
            e -= 1
        while events[MARK, f] * sign > 0:
            f -= 1
        if b > a and table[a, b] == table[a, b - 1]:
            f -= 1
            b -= 1
            continue
        i, j = (e, f) if sign > 0 else (f, e)
        i, j = events[MARK, i] - 1, -events[MARK, j] - 1
        room.ref_partner[i], room.hyp_partner[j] = j, i
        e, f, a, b = e - 1, f - 1, a - 1, b - 1


@kernel
def _pair_published(
    ref: NDArray[Any], ref_types: NDArray[Any], hyp: NDArray[Any], hyp_types: NDArray[Any], rule: EditRule, room: Room
) -> None:
    """Pair as published in 2013: matches, then near misses by growing offset from left to right, then substitutions."""
    events = room.events
    listed = _match(ref, ref_types, hyp, hyp_types, rule.typed, room)
    _number_groups(events, listed, room.left)
    for offset in range(1, len(rule.spans)):
        if listed < 2 or events[POSITION, listed - 1] - events[POSITION, 0] < offset:
            break
        _transpose(listed, offset, room)
        listed = _drop_paired(events, listed)
    if not rule.typed:
        return
    start = 0
    for e in range(1, listed + 1):
        if e == listed or events[GROUP, e] != events[GROUP, start]:
            if e - start > 1:
                _substitute(start, e, room)
            start = e


@kernel
def _crowd(positions: NDArray[Any], start: int, stop: int) -> int:
    """Return the largest number of marks at one position."""
    most = run = 0
    for i in range(start, stop):
        run = run + 1 if i > start and positions[i] == positions[i - 1] else 1
        most = max(most, run)
    return most


@kernel
def _several(ref_types: NDArray[Any], hyp_types: NDArray[Any]) -> bool:
    """Return whether two different types occur."""
    for i in range(len(ref_types)):
        if ref_types[i] != ref_types[0]:
            return True
    if len(hyp_types) == 0:
        return False
    first = ref_types[0] if len(ref_types) else hyp_types[0]
    return bool((hyp_types != first).any())


@kernel
def _pair_up(
    ref: NDArray[Any], ref_types: NDArray[Any], hyp: NDArray[Any], hyp_types: NDArray[Any], rule: EditRule, room: Room
) -> None:
    """Pair one reference with one hypothesis; a near miss spans less than ``len(rule.spans)`` positions."""
    if not rule.optimal:
        _pair_published(ref, ref_types, hyp, hyp_types, rule, room)
    elif rule.typed and _several(ref_types, hyp_types):
        pair_optimal_types(ref, ref_types, hyp, hyp_types, rule, room.ref_partner, room.hyp_partner)
    else:
        pair_optimal(ref, hyp, rule.spans, room.ref_partner, room.hyp_partner)


@kernel
def _distinct(ref_types: NDArray[Any], hyp_types: NDArray[Any], low: int, high: int) -> int:
    """Count the types that occur on either side."""
    marks = len(ref_types) + len(hyp_types)
    if high - low > 64 + 4 * marks:
        types, kinds = np.empty(marks, np.int64), 1
        for i in range(marks):
            types[i] = ref_types[i] if i < len(ref_types) else hyp_types[i - len(ref_types)]
        order = stable_order(read_only(types))
        for i in range(1, marks):
            kinds += int(types[order[i]] != types[order[i - 1]])
        return kinds
    seen = np.zeros(high - low + 1, np.bool_)
    for i in range(len(ref_types)):
        seen[ref_types[i] - low] = True
    for j in range(len(hyp_types)):
        seen[hyp_types[j] - low] = True
    return int(seen.sum())


@kernel
def _tally(
    ref: NDArray[Any], ref_types: NDArray[Any], hyp: NDArray[Any], hyp_types: NDArray[Any], rule: EditRule,
    partner: NDArray[Any], spans: NDArray[Any], out: NDArray[Any],
) -> None:  # fmt: skip
    """Count a pairing into one row of ``EditCounts``, with the number of types in place of the potential boundaries."""
    low, high, kinds_seen = 0, 0, 1
    if rule.typed and len(ref) + len(hyp):
        first = ref_types[0] if len(ref) else hyp_types[0]
        low, high = smallest(ref_types, smallest(hyp_types, first)), largest(ref_types, largest(hyp_types, first))
        kinds_seen = _distinct(ref_types, hyp_types, low, high)
    spans[:] = 0
    matches = substitutions = near = 0
    substituted = transposed = 0.0
    for i in range(len(ref)):
        j = partner[i]
        if j < 0:
            continue
        if ref[i] != hyp[j]:
            near += 1
            spans[abs(ref[i] - hyp[j])] += 1
        elif rule.typed and ref_types[i] != hyp_types[j]:
            substitutions += 1
            substituted += type_weight(ref_types[i], hyp_types[j], low, high, rule)
        else:
            matches += 1
    for span in range(1, len(spans)):
        transposed += spans[span] * rule.spans[span]
    paired = matches + near + substitutions
    out[0], out[1], out[2], out[3], out[4] = matches, near, substitutions, len(ref) - paired, len(hyp) - paired
    out[5], out[6], out[7] = transposed, substituted, kinds_seen


@kernel(work=pairs_of_marks)
def count_edits(ref: MarkColumns, hyp: MarkColumns, lengths: NDArray[Any], rule: EditRule, out: NDArray[Any]) -> None:
    """Fill ``out`` with a row of ``EditCounts`` per pair, typed or not, for any reach and either rule of matching."""
    most, crowd = 1, 1
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        most = max(most, i_stop - i + j_stop - j)
        if rule.typed:
            crowd = max(crowd, _crowd(ref.positions, i, i_stop), _crowd(hyp.positions, j, j_stop))
    work, table = np.empty((6, most), np.int64), np.empty((crowd + 1, crowd + 1), np.int64)
    ref_partner, hyp_partner = np.empty(most, np.int64), np.empty(most, np.int64)
    spans = np.empty(len(rule.spans), np.int64)
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        ours, theirs = ref.positions[i:i_stop], hyp.positions[j:j_stop]
        our_types, their_types = ref.types[:0], hyp.types[:0]
        if rule.typed:
            our_types, their_types = ref.types[i:i_stop], hyp.types[j:j_stop]
        room = Room(ref_partner[: len(ours)], hyp_partner[: len(theirs)], work[:4], work[4:], table)
        _pair_up(ours, our_types, theirs, their_types, rule, room)
        _tally(ours, our_types, theirs, their_types, rule, ref_partner, spans, out[pair])
        closed = rule.typed and (_ends_at(ours, lengths[pair]) or _ends_at(theirs, lengths[pair]))
        out[pair, 7] *= max(lengths[pair] - 1, 0) + int(closed)


@kernel
def _ends_at(positions: NDArray[Any], length: int) -> bool:
    """Whether the last boundary is the closing one, which makes one more place."""
    return len(positions) > 0 and positions[len(positions) - 1] == length


@kernel(work=lambda ref, hyp, **_: len(ref) * len(hyp))
def partners(
    ref: NDArray[Any], ref_types: NDArray[Any], hyp: NDArray[Any], hyp_types: NDArray[Any], rule: EditRule
) -> NDArray[Any]:
    """Return, for every boundary of the reference, its partner in the hypothesis or -1."""
    size = max(len(ref) + len(hyp), 1)
    crowd = max(_crowd(ref, 0, len(ref)), _crowd(hyp, 0, len(hyp))) + 1
    work, table = np.empty((6, size), np.int64), np.empty((crowd, crowd), np.int64)
    ref_partner, hyp_partner = np.empty(len(ref), np.int64), np.empty(len(hyp), np.int64)
    _pair_up(ref, ref_types, hyp, hyp_types, rule, Room(ref_partner, hyp_partner, work[:4], work[4:], table))
    return ref_partner
