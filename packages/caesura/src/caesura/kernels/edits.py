"""Turn one list of boundaries into another: the boundary edit distance, and the cost of flexible similarity.

The functions of the boundary edit distance fill two lists of partners, one per side: the index of the paired boundary, or -1. A pair at
one position with one type is a match, with two types a substitution; a pair at two positions is a transposition (a near miss); a boundary
without a partner is an addition. Counts, records and drawings follow from the partners.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import MarkColumns, fill, largest, smallest, stable_order
from caesura.kernels.bits import adjacent_bits, is_dense, most_words, set_bits, words_for
from caesura.kernels.jit import Index, inline, kernel, pairs_of_marks, read_only
from caesura.kernels.matching import EditRule, pair_optimal, pair_optimal_types, type_weight

POSITION, TYPE, MARK, GROUP = 0, 1, 2, 3  # rows of the table of events


class Workspace(NamedTuple):
    """The arrays that pairing one reference with one hypothesis needs.

    The partners of each side; ``events``, the boundaries that only one side has, by position and type; ``left``, how many of these each
    side still has at a position; and a ``table`` for types at one position.
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
    """Count (matches, transpositions) of untyped boundaries if a near miss spans adjacent positions only.

    One merge without branches: a boundary of one side is a near miss if the previous one, one position to the left, belongs to the
    other side and is not yet paired.
    """
    i, i_stop, j, j_stop = Index(start), Index(stop), Index(other_start), Index(other_stop)
    matches = transpositions = 0
    before, side_before = np.int64(-1), np.int64(0)
    while i < i_stop and j < j_stop:
        a, b = ref[i], hyp[j]
        here = min(a, b)
        side = np.int64(a < b) - np.int64(b < a)  # 1: only the reference has it, -1: only the hypothesis, 0: both
        near = (side * side_before == -1) & (here - before == 1)
        matches += side == 0
        transpositions += near
        before, side_before = here, np.int64(0) if near else side
        i += Index(a <= b)
        j += Index(b <= a)
    if i < i_stop:  # one list has ended: only its last boundary can still be near the next of the other
        transpositions += (side_before == -1) & (ref[i] - before == 1)
    elif j < j_stop:
        transpositions += (side_before == 1) & (hyp[j] - before == 1)
    return matches, transpositions


@inline
def _write_adjacent(
    out: Any, pair: int, matches: int, near: int, in_ref: int, in_hyp: int, places: int, weight: float
) -> None:
    """Write a row of ``EditCounts``."""
    out[pair, 0], out[pair, 1], out[pair, 2] = matches, near, 0
    out[pair, 3], out[pair, 4] = in_ref - matches - near, in_hyp - matches - near
    out[pair, 5], out[pair, 6], out[pair, 7] = near * weight, 0, places


def _count_adjacent_in_lists(ref: Any, hyp: Any, lengths: Any, weight: float, out: Any) -> None:
    """Merge the lists of every pair in plain Python."""
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        matches, near = adjacent(ref.positions, i, i_stop, hyp.positions, j, j_stop)
        _write_adjacent(out, pair, matches, near, i_stop - i, j_stop - j, max(lengths[pair] - 1, 0), weight)


@kernel(plain=_count_adjacent_in_lists)
def count_adjacent(ref: MarkColumns, hyp: MarkColumns, lengths: NDArray[Any], weight: float, out: NDArray[Any]) -> None:
    """Fill ``out`` with a row of ``EditCounts`` per pair, for untyped boundaries and ``n_t = 2``; a near miss costs ``weight``."""
    ref_positions, hyp_positions = ref.positions, hyp.positions
    few = 12  # so many marks are merged in the time that clearing the words takes
    words = np.empty((2, most_words(ref, hyp, lengths)), np.uint64)
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        if is_dense(i_stop - i + j_stop - j - few, lengths[pair]):
            size = words_for(lengths[pair])
            ours, theirs = words[0, :size], words[1, :size]
            set_bits(ref_positions, i, i_stop, ours)
            set_bits(hyp_positions, j, j_stop, theirs)
            matches, near = adjacent_bits(ours, theirs)
        else:
            matches, near = adjacent(ref_positions, i, i_stop, hyp_positions, j, j_stop)
        _write_adjacent(out, pair, matches, near, i_stop - i, j_stop - j, max(lengths[pair] - 1, 0), weight)


@kernel
def _match(
    ref: NDArray[Any],
    ref_types: NDArray[Any],
    hyp: NDArray[Any],
    hyp_types: NDArray[Any],
    typed: bool,
    workspace: Workspace,
) -> int:
    """Pair equal boundaries and list the others by position and type; the mark of an event is i+1 for the reference, -(j+1) for the hypothesis."""
    ref_partner, hyp_partner, events = workspace.ref_partner, workspace.hyp_partner, workspace.events
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
    """Assign numbers to the positions that have events, and count the events of each side there."""
    groups = 0
    for e in range(listed):
        if e == 0 or events[POSITION, e] != events[POSITION, e - 1]:
            left[0, groups] = left[1, groups] = 0
            groups += 1
        events[GROUP, e] = groups - 1
        left[0 if events[MARK, e] > 0 else 1, groups - 1] += 1


@kernel
def _join(e: int, f: int, workspace: Workspace) -> None:
    """Pair two events of opposite sides and mark them as done (mark 0)."""
    events, left = workspace.events, workspace.left
    ours, theirs = (e, f) if events[MARK, e] > 0 else (f, e)
    i, j = events[MARK, ours] - 1, -events[MARK, theirs] - 1
    workspace.ref_partner[i], workspace.hyp_partner[j] = j, i
    left[0, events[GROUP, ours]] -= 1
    left[1, events[GROUP, theirs]] -= 1
    events[MARK, e] = events[MARK, f] = 0


@kernel
def _transpose(listed: int, offset: int, workspace: Workspace) -> None:
    """Pair events of one type at this distance, from left to right, unless both positions still contain a substitution."""
    events, left = workspace.events, workspace.left
    f = 0  # events are sorted by position and type, so the wanted partner never moves back
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
        # a position with events of both sides holds a substitution, which the program of 2013 prefers if both ends have one
        if min(left[0, g], left[1, g]) == 0 or min(left[0, h], left[1, h]) == 0:
            _join(e, f, workspace)


@kernel
def _drop_paired(events: NDArray[Any], listed: int) -> int:
    """Remove the paired events; return how many are left."""
    kept = 0
    for e in range(listed):
        if events[MARK, e] != 0:
            for row in range(4):
                events[row, kept] = events[row, e]
            kept += 1
    return kept


@kernel
def _substitute(start: int, stop: int, workspace: Workspace) -> None:
    """Pair the remaining types at one position with the least sum of distances: an assignment on a line.

    ``table[a, b]`` is the least sum if the first ``a`` types of the smaller side have partners among the first ``b`` of the larger; both
    are in ascending order, so an optimal assignment does not cross.
    """
    events, left, table = workspace.events, workspace.left, workspace.table
    group = events[GROUP, start]
    few, many = min(left[0, group], left[1, group]), max(left[0, group], left[1, group])
    if few == 0:
        return
    sign = 1 if left[0, group] == few else -1
    fill(table[0, : many + 1], 0)
    a = 0
    for e in range(start, stop):
        if events[MARK, e] * sign < 0:
            continue
        a += 1
        b = 0
        table[a, a - 1] = 2**60  # impossible: fewer partners than types
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
        workspace.ref_partner[i], workspace.hyp_partner[j] = j, i
        e, f, a, b = e - 1, f - 1, a - 1, b - 1


@kernel
def _pair_published(
    ref: NDArray[Any],
    ref_types: NDArray[Any],
    hyp: NDArray[Any],
    hyp_types: NDArray[Any],
    rule: EditRule,
    workspace: Workspace,
) -> None:
    """Pair as published in 2013: matches, then near misses by growing offset from left to right, then substitutions."""
    events = workspace.events
    listed = _match(ref, ref_types, hyp, hyp_types, rule.typed, workspace)
    _number_groups(events, listed, workspace.left)
    for offset in range(1, len(rule.spans)):
        if listed < 2 or events[POSITION, listed - 1] - events[POSITION, 0] < offset:
            break
        _transpose(listed, offset, workspace)
        listed = _drop_paired(events, listed)
    if not rule.typed:
        return
    start = 0
    for e in range(1, listed + 1):
        if e == listed or events[GROUP, e] != events[GROUP, start]:
            if e - start > 1:
                _substitute(start, e, workspace)
            start = e


@kernel
def _largest_group(positions: NDArray[Any], start: int, stop: int) -> int:
    """Return the largest number of marks at one position; positions are sorted."""
    most = run = 0
    for i in range(start, stop):
        run = run + 1 if i > start and positions[i] == positions[i - 1] else 1
        most = max(most, run)
    return most


@kernel
def _has_several_types(ref_types: NDArray[Any], hyp_types: NDArray[Any]) -> bool:
    """Return whether two different types occur."""
    if len(ref_types) + len(hyp_types) == 0:
        return False
    first, others = ref_types[0] if len(ref_types) else hyp_types[0], 0
    for i in range(len(ref_types)):
        others += ref_types[i] != first
    for j in range(len(hyp_types)):
        others += hyp_types[j] != first
    return others > 0


@kernel
def _pair_up(
    ref: NDArray[Any],
    ref_types: NDArray[Any],
    hyp: NDArray[Any],
    hyp_types: NDArray[Any],
    rule: EditRule,
    workspace: Workspace,
) -> None:
    """Pair one reference with one hypothesis by the chosen rule; a near miss spans less than ``len(rule.spans)`` positions."""
    if not rule.optimal:
        _pair_published(ref, ref_types, hyp, hyp_types, rule, workspace)
    elif rule.typed and _has_several_types(ref_types, hyp_types):
        pair_optimal_types(ref, ref_types, hyp, hyp_types, rule, workspace.ref_partner, workspace.hyp_partner)
    else:
        pair_optimal(ref, hyp, rule.spans, workspace.ref_partner, workspace.hyp_partner)


@kernel
def _count_types(ref_types: NDArray[Any], hyp_types: NDArray[Any], low: int, high: int) -> int:
    """Count the types that occur on either side."""
    marks = len(ref_types) + len(hyp_types)
    if high - low > 64 + 4 * marks:  # too wide for a table of flags: sort instead
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
    kinds = 0
    for flag in seen:
        kinds += int(flag)
    return kinds


@kernel
def _tally(
    ref: NDArray[Any], ref_types: NDArray[Any], hyp: NDArray[Any], hyp_types: NDArray[Any], rule: EditRule,
    partner: NDArray[Any], spans: NDArray[Any], out: NDArray[Any],
) -> None:  # fmt: skip
    """Write the counts of a pairing as a row of ``EditCounts``, with the number of types in place of the potential boundaries."""
    low, high, kinds_seen = 0, 0, 1
    if rule.typed and len(ref) + len(hyp):
        first = ref_types[0] if len(ref) else hyp_types[0]
        low, high = smallest(ref_types, smallest(hyp_types, first)), largest(ref_types, largest(hyp_types, first))
        kinds_seen = _count_types(ref_types, hyp_types, low, high)
    fill(spans, 0)
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
    for span in range(
        1, len(spans)
    ):  # by span, not by boundary: the sum then has the same bits in both reading directions
        transposed += spans[span] * rule.spans[span]
    paired = matches + near + substitutions
    out[0], out[1], out[2], out[3], out[4] = matches, near, substitutions, len(ref) - paired, len(hyp) - paired
    out[5], out[6], out[7] = transposed, substituted, kinds_seen


@kernel(work=pairs_of_marks)
def count_edits(ref: MarkColumns, hyp: MarkColumns, lengths: NDArray[Any], rule: EditRule, out: NDArray[Any]) -> None:
    """Fill ``out`` with a row of ``EditCounts`` per pair, with or without types, for any n_t and both matchings."""
    most, largest_group = 1, 1
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        most = max(most, i_stop - i + j_stop - j)
        if rule.typed:
            largest_group = max(
                largest_group, _largest_group(ref.positions, i, i_stop), _largest_group(hyp.positions, j, j_stop)
            )
    work, table = np.empty((6, most), np.int64), np.empty((largest_group + 1, largest_group + 1), np.int64)
    ref_partner, hyp_partner = np.empty(most, np.int64), np.empty(most, np.int64)
    spans = np.empty(len(rule.spans), np.int64)
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        ours, theirs = ref.positions[i:i_stop], hyp.positions[j:j_stop]
        our_types, their_types = ref.types[:0], hyp.types[:0]
        if rule.typed:
            our_types, their_types = ref.types[i:i_stop], hyp.types[j:j_stop]
        workspace = Workspace(ref_partner[: len(ours)], hyp_partner[: len(theirs)], work[:4], work[4:], table)
        _pair_up(ours, our_types, theirs, their_types, rule, workspace)
        _tally(ours, our_types, theirs, their_types, rule, ref_partner, spans, out[pair])
        closed = rule.typed and (_ends_at(ours, lengths[pair]) or _ends_at(theirs, lengths[pair]))
        out[pair, 7] *= max(lengths[pair] - 1, 0) + int(closed)


@kernel
def _ends_at(positions: NDArray[Any], length: int) -> bool:
    """Whether the last boundary is the closing one, which adds a potential boundary."""
    return len(positions) > 0 and positions[len(positions) - 1] == length


@kernel(work=lambda ref, hyp, **_: len(ref) * len(hyp))
def partners(
    ref: NDArray[Any], ref_types: NDArray[Any], hyp: NDArray[Any], hyp_types: NDArray[Any], rule: EditRule
) -> NDArray[Any]:
    """Return, for every boundary of the reference, its partner in the hypothesis or -1."""
    size = max(len(ref) + len(hyp), 1)
    largest_group = max(_largest_group(ref, 0, len(ref)), _largest_group(hyp, 0, len(hyp))) + 1
    work, table = np.empty((6, size), np.int64), np.empty((largest_group, largest_group), np.int64)
    ref_partner, hyp_partner = np.empty(len(ref), np.int64), np.empty(len(hyp), np.int64)
    _pair_up(ref, ref_types, hyp, hyp_types, rule, Workspace(ref_partner, hyp_partner, work[:4], work[4:], table))
    return ref_partner


# ---------------------------------------------------------------------- flexible similarity
#
# The least cost of turning one list of typed boundaries into another.
#
# Both lists are divided at their common positions; inside each gap, a banded dynamic program runs over boundaries, never over tokens. The
# band is as wide as the largest distance at which a move can pay, so time is linear in the number of boundaries, and memory does not
# grow with the text.
#
# Types are codes 0 … K-1, and K stands for no boundary.

_TIE = 1e-9  # costs that differ by less are equal: 4 × 0.175 and 0.7 must tie

_DELETED, _ADDED, _PAIRED = 0, 1, 2


class FlexibleRule(NamedTuple):
    """The cost of changing a type (``costs[p, q]``), the cost of moving by one position, and how far a move can pay (``reach``).

    ``steps[0, p, q]`` is the cost of one step if the reference's boundary p is after the hypothesis' q, ``steps[1]`` if it is before; all of ``steps[2]``
    is the distance that costs nothing. If ``forced``,
    boundaries at one position are the same boundary; of equal costs, the most (``sign`` 1) or fewest (-1) boundaries win.
    """

    costs: NDArray[Any]
    steps: NDArray[Any]
    reach: int
    forced: bool
    sign: int


@inline
def _better(cost: float, pairs: int, than: float, than_pairs: int, sign: int) -> bool:
    """Whether an alignment is cheaper, or equally cheap and has fewer (sign 1) or more (sign -1) pairs."""
    return bool(cost < than - _TIE or (cost < than + _TIE and sign * pairs < sign * than_pairs))


# _gap and track_cost, the innermost functions, take plain arrays: passed in named tuples, they ran a fifth slower.


@kernel
def _gap(
    ref_positions: NDArray[Any], ref_types: NDArray[Any], i0: int, i1: int,
    hyp_positions: NDArray[Any], hyp_types: NDArray[Any], j0: int, j1: int,
    costs: NDArray[Any], steps: NDArray[Any], reach: int, sign: int,
    best: NDArray[Any], joined: NDArray[Any], lows: NDArray[Any], choices: NDArray[Any],
) -> tuple[float, int]:  # fmt: skip
    """Align two runs of boundaries; return the least cost and its number of pairs. Store the choices if ``choices`` is not empty.

    ``best[k]`` and ``joined[k]`` are cost and pairs of the best alignment of the reference's boundaries so far with ``low + k`` of the
    hypothesis'. A hypothesis boundary left of the band cannot pair with any later reference boundary.
    """
    none, free = len(costs) - 1, steps[2, 0, 0]
    keep = len(choices) > 0
    low = high = j0
    best[0] = 0.0
    joined[0] = 0
    for i in range(i0, i1):
        p, at = ref_types[i], ref_positions[i]
        deletion = costs[p, none]
        new_low = low
        while new_low < j1 and hyp_positions[new_low] < at - reach:
            new_low += 1
        # move the left edge of the band to the first hypothesis within reach
        if new_low > high:
            cost, pairs = best[high - low], joined[high - low]
            for j in range(high, new_low):
                cost += costs[none, hyp_types[j]]
            best[0], joined[0] = cost, pairs
            low = high = new_low
        elif new_low > low:
            shift = new_low - low
            for k in range(high - new_low + 1):
                best[k], joined[k] = best[k + shift], joined[k + shift]
            low = new_low
        while (
            high < j1 and hyp_positions[high] <= at + reach
        ):  # and extend its right edge: so far, these are only additions
            best[high + 1 - low] = best[high - low] + costs[none, hyp_types[high]]
            joined[high + 1 - low] = joined[high - low]
            high += 1
        before, before_pairs = best[0], joined[0]  # the diagonal: the previous row, one column to the left
        best[0] += deletion
        if keep:
            lows[i - i0] = low
            choices[i - i0, 0] = _DELETED
        for j in range(low, high):
            k = j + 1 - low
            q = hyp_types[j]
            distance = at - hyp_positions[j]
            above, above_pairs = best[k], joined[k]
            cost, pairs, choice = above + deletion, above_pairs, _DELETED
            other = best[k - 1] + costs[none, q]
            if _better(other, joined[k - 1], cost, pairs, sign):
                cost, pairs, choice = other, joined[k - 1], _ADDED
            step = steps[0, p, q] if distance > 0 else steps[1, p, q]
            other = before + costs[p, q] + step * max(abs(distance) - free, 0.0)
            if _better(other, before_pairs + 1, cost, pairs, sign):
                cost, pairs, choice = other, before_pairs + 1, _PAIRED
            before, before_pairs = above, above_pairs
            best[k], joined[k] = cost, pairs
            if keep:
                choices[i - i0, k] = choice
    cost, pairs = best[high - low], joined[high - low]
    for j in range(high, j1):
        cost += costs[none, hyp_types[j]]
    return cost, pairs


@inline
def _find_common(ref_positions: Any, i: int, i1: int, hyp_positions: Any, j: int, j1: int) -> tuple[int, int]:
    """Find the next position that both sides mark, from i and j on; return both ends if there is none."""
    while i < i1 and j < j1 and ref_positions[i] != hyp_positions[j]:
        if ref_positions[i] < hyp_positions[j]:
            i += 1
        else:
            j += 1
    if i == i1 or j == j1:
        return i1, j1
    return i, j


@kernel
def track_cost(
    ref_positions: NDArray[Any], ref_types: NDArray[Any], i: int, i1: int,
    hyp_positions: NDArray[Any], hyp_types: NDArray[Any], j: int, j1: int,
    costs: NDArray[Any], steps: NDArray[Any], reach: int, forced: bool, sign: int,
    best: NDArray[Any], joined: NDArray[Any], lows: NDArray[Any], choices: NDArray[Any],
) -> tuple[float, int]:  # fmt: skip
    """Return the least cost of one track, and its pairs plus unpaired boundaries; the last four arrays are work arrays."""
    none = len(costs) - 1
    units = i1 - i + j1 - j
    cost = 0.0
    while i < i1 or j < j1:
        i2, j2 = i1, j1
        if forced:
            i2, j2 = _find_common(ref_positions, i, i1, hyp_positions, j, j1)
        if i == i2:
            for k in range(j, j2):
                cost += costs[none, hyp_types[k]]
        elif j == j2:
            for k in range(i, i2):
                cost += costs[ref_types[k], none]
        else:
            spent, pairs = _gap(
                ref_positions, ref_types, i, i2, hyp_positions, hyp_types, j, j2,
                costs, steps, reach, sign, best, joined, lows, choices,
            )  # fmt: skip
            cost += spent
            units -= pairs
        i, j = i2, j2
        if forced and i < i1 and j < j1:
            cost += costs[ref_types[i], hyp_types[j]]
            units -= 1
            i += 1
            j += 1
    return cost, units


@kernel(work=pairs_of_marks)
def count_flexible(
    ref: MarkColumns, hyp: MarkColumns, lengths: NDArray[Any], rule: FlexibleRule, closing: bool, out: NDArray[Any]
) -> None:
    """Fill ``out`` with a row of ``FlexibleCounts`` per pair; ``closing``: the end of the text is a potential boundary."""
    ours, our_types, theirs, their_types = ref.positions, ref.types, hyp.positions, hyp.types
    costs, steps, reach, forced, sign = rule
    most = 0
    for pair in range(len(lengths)):
        most = max(most, hyp.stops[pair] - hyp.starts[pair])
    width = min(most + 1, 2 * reach + 2)
    best, joined = np.empty(width, np.float64), np.empty(width, np.int64)
    lows, choices = joined[:0], np.empty((0, 0), np.uint8)  # empty: no choices are stored
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        out[pair, 0], out[pair, 1] = track_cost(
            ours, our_types, i, i_stop, theirs, their_types, j, j_stop,
            costs, steps, reach, forced, sign, best, joined, lows, choices,
        )  # fmt: skip
        out[pair, 2] = lengths[pair] if closing else max(lengths[pair] - 1, 0)


@kernel(work=lambda ref, hyp, **_: len(ref.positions) * len(hyp.positions))
def align_flexible(ref: MarkColumns, hyp: MarkColumns, rule: FlexibleRule, partner: NDArray[Any]) -> None:
    """Fill ``partner`` with the hypothesis boundary that each reference boundary is paired with, or -1."""
    costs, steps, reach, forced, sign = rule
    i, i1, j, j1 = 0, len(ref.positions), 0, len(hyp.positions)
    width = min(j1 + 1, 2 * reach + 2)
    best, joined = np.empty(width, np.float64), np.empty(width, np.int64)
    fill(partner, -1)
    while i < i1 and j < j1:
        i2, j2 = i1, j1
        if forced:
            i2, j2 = _find_common(ref.positions, i, i1, hyp.positions, j, j1)
        if i < i2 and j < j2:
            lows = np.empty(i2 - i, np.int64)
            choices = np.empty((i2 - i, min(width, j2 - j + 1)), np.uint8)
            _gap(
                ref.positions, ref.types, i, i2, hyp.positions, hyp.types, j, j2,
                costs, steps, reach, sign, best, joined, lows, choices,
            )  # fmt: skip
            _trace_back(ref.positions[i:i2], hyp.positions[:j2], reach, lows, choices, partner[i:i2])
        i, j = i2, j2
        if forced and i < i1 and j < j1:
            partner[i] = j
            i += 1
            j += 1


@kernel
def _trace_back(
    ref: NDArray[Any], hyp: NDArray[Any], reach: int, lows: NDArray[Any], choices: NDArray[Any], partner: NDArray[Any]
) -> None:
    """Follow the stored choices from the end of a gap to its beginning; outside the band nothing is paired."""
    i, j = len(ref) - 1, len(hyp)
    while i >= 0:
        low = lows[i]
        if j > low and hyp[j - 1] > ref[i] + reach:
            j -= 1
            continue
        choice = choices[i, j - low] if j > low else _DELETED
        if choice == _PAIRED:
            partner[i] = j - 1
            i -= 1
            j -= 1
        elif choice == _ADDED:
            j -= 1
        else:
            i -= 1
