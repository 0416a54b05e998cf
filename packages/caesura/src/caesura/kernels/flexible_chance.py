"""Flexible similarity by chance: the cost of turning one random annotation into another, drawn at random or computed exactly.

The automaton reads a random text position by position. The rest of the text can only change which of the last boundaries are
*undecided*: all of them on one annotator's side, since pairs never cross. Its state is therefore, for each side and every number k of
youngest boundaries left undecided, their types and ages and the least cost so far, relative to the cost with everything decided.
Alternatives that cannot become best are dropped; a finite, small set of states remains, and the expected cost follows from their
Markov chain. Costs are integers on a grid fine enough for the fractions that people use, so that equal states are equal.

Types are codes ``0 … K-1``, and ``K`` stands for no boundary.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import copy_values, fill, largest
from caesura.kernels.edits import FlexibleRule, track_cost
from caesura.kernels.jit import kernel, read_only

_NEVER = 1 << 60  # the cost of an alternative that was dropped
_OPEN = 32  # undecided boundaries per side that a state can have; beyond that, a state is closed and its probability reported
_AGE = 1 << 20  # the type and the age of a boundary share one number: type * _AGE + age

#: The largest size of a state, in numbers.
ROW = 2 + 4 * (_OPEN + 2)


# ---------------------------------------------------------------------- annotators who place boundaries at random


class Draws(NamedTuple):
    """How positions of random texts are drawn: category ``c`` means types ``first[c]`` and ``second[c]`` of the two annotators.

    A category is drawn by inverting the distribution ``cumulated``; ``guide`` tells where to start the search.
    """

    cumulated: NDArray[Any]
    guide: NDArray[Any]
    first: NDArray[Any]
    second: NDArray[Any]


@kernel
def draw_flexible(
    uniforms: NDArray[Any], lengths: NDArray[Any], draws: Draws, rule: FlexibleRule, out: NDArray[Any]
) -> None:
    """Draw one random text per row of ``out`` and fill in (cost, units, cost without moves, marked positions).

    ``uniforms`` has one number per position.
    """
    costs, steps, reach, forced, sign = rule
    none = len(costs) - 1
    longest = largest(lengths, 0)
    places, types = np.empty((2, longest), np.int64), np.empty((2, longest), np.int64)
    width = min(longest + 1, 2 * reach + 2)
    best, joined = np.empty(width, np.float64), np.empty(width, np.int64)
    lows, choices = np.empty(0, np.int64), np.empty((0, 0), np.uint8)
    at = 0
    for draw in range(len(out)):
        fill(out[draw], 0.0)
        for track in range(len(lengths)):
            i = j = 0
            for place in range(lengths[track]):
                u = uniforms[at]
                at += 1
                c = draws.guide[int(u * len(draws.guide))]
                while u >= draws.cumulated[c]:
                    c += 1
                p, q = draws.first[c], draws.second[c]
                if p < none:
                    places[0, i], types[0, i] = place, p
                    i += 1
                if q < none:
                    places[1, j], types[1, j] = place, q
                    j += 1
                if p < none or q < none:
                    out[draw, 2] += costs[p, q]
                    out[draw, 3] += 1
            cost, units = track_cost(
                read_only(places[0]), read_only(types[0]), 0, i, read_only(places[1]), read_only(types[1]), 0, j,
                costs, steps, reach, forced, sign, best, joined, lows, choices,
            )  # fmt: skip
            out[draw, 0] += cost
            out[draw, 1] += units


# ---------------------------------------------------------------------- the automaton


class EditPrices(NamedTuple):
    """Costs as integers, for both sides.

    ``gone[s, p]`` is the cost of p unpaired on side s; ``swap[s, p, q]`` and ``step[s, p, q]`` are the costs of pairing p, which arrives on side s,
    with q open on the other side, and of each position between them; ``saves[s, p, d]`` is the most that p open on side s can save by
    pairing at distance d; beyond the age ``oldest[s, p]`` only free moves pay, and the age no longer matters.
    """

    gone: NDArray[Any]
    swap: NDArray[Any]
    step: NDArray[Any]
    saves: NDArray[Any]
    oldest: NDArray[Any]


class Undecided(NamedTuple):
    """A state in arrays: for each side, the number of ``open`` boundaries, their kinds and ages, and the cost of leaving the k youngest open (``ways``)."""

    ways: NDArray[Any]
    kinds: NDArray[Any]
    ages: NDArray[Any]
    open: NDArray[Any]


class States(NamedTuple):
    """All states so far, as rows of numbers in one ``pool``, looked up by a hash ``table``, with the successors of each.

    ``following[state, e]`` is the state after event e (-1: not expanded, -2: too many open boundaries), ``adds[state, e]`` the cost it adds,
    ``stakes[state]`` the most that its open boundaries can save.
    """

    pool: NDArray[Any]
    starts: NDArray[Any]
    table: NDArray[Any]
    following: NDArray[Any]
    adds: NDArray[Any]
    stakes: NDArray[Any]


@kernel
def _arrive(side: int, kind: int, state: Undecided, prices: EditPrices) -> None:
    """Add a boundary of this kind on one side: it is paired with an open boundary of the other side, deleted, or left open."""
    ways, kinds, ages, open_ = state
    gone, swap, step = prices.gone, prices.swap, prices.step
    other = 1 - side
    size = open_[other]
    before = ways[side, 0]
    # the same recurrence as in _gap, over the open boundaries of the other side instead of positions
    diagonal = ways[other, size]
    ways[other, size] = diagonal + gone[side, kind]
    for k in range(size - 1, -1, -1):
        there, age = kinds[other, k + 1], ages[other, k + 1]
        above = ways[other, k]
        least = above + gone[side, kind]
        least = min(least, ways[other, k + 1] + gone[other, there])
        least = min(least, diagonal + swap[side, kind, there] + age * step[side, kind, there])
        ways[other, k] = least
        diagonal = above
    for k in range(open_[side], 0, -1):
        ways[side, k + 1], kinds[side, k + 1], ages[side, k + 1] = ways[side, k], kinds[side, k], ages[side, k]
    ways[side, 1], kinds[side, 1], ages[side, 1] = before, kind, 0
    open_[side] += 1
    ways[side, 0] = ways[other, 0]


@kernel
def _hopes(
    side: int, state: Undecided, size: int, prices: EditPrices, hopes: NDArray[Any], so_far: NDArray[Any]
) -> None:
    """Fill ``hopes[k, f]``: the most that leaving k boundaries open, instead of the f youngest, can save in any future.

    An additional open boundary saves at most the cost of the boundary it may pair with, less the cost of that pair. Pairs do not
    cross, so the oldest pairs first, and each needs a position of its own.
    """
    kinds, ages, gone, saves = state.kinds, state.ages, prices.gone, prices.saves
    last = saves.shape[2] - 1
    for k in range(1, size + 1):
        so_far[0] = 0
        for fewer in range(k - 1, -1, -1):
            kind, age = kinds[side, fewer + 1], ages[side, fewer + 1]
            taken = k - 1 - fewer
            most = so_far[taken + 1] = so_far[taken] + saves[side, kind, min(age + 1 + taken, last)]
            for pairs in range(taken, 0, -1):
                paired = so_far[pairs - 1] + saves[side, kind, min(age + pairs, last)]
                so_far[pairs] = max(so_far[pairs] - gone[side, kind], paired)
                most = max(most, so_far[pairs])
            so_far[0] -= gone[side, kind]
            hopes[k, fewer] = max(most, so_far[0])


@kernel
def _forget(side: int, state: Undecided, prices: EditPrices) -> int:
    """Delete the open boundaries that can no longer save anything; return how many remain."""
    ways, kinds, ages, open_ = state
    gone, saves, oldest = prices.gone, prices.saves, prices.oldest
    last = saves.shape[2] - 1
    kept, spent = 0, 0
    for k in range(1, open_[side] + 1):
        kind, age = kinds[side, k], ages[side, k]
        if saves[side, kind, min(age + 1, last)] <= -gone[side, kind]:
            spent += gone[side, kind]
            continue
        kept += 1
        kinds[side, kept] = kind
        ages[side, kept] = min(age, oldest[side, kind])
        ways[side, kept] = ways[side, k] + spent
    return kept


@kernel
def _close(side: int, state: Undecided, prices: EditPrices, hopes: NDArray[Any], so_far: NDArray[Any]) -> int:
    """Drop the alternatives that cannot become best; return the most that the remaining open boundaries can save."""
    ways = state.ways
    size = _forget(side, state, prices)
    _hopes(side, state, size, prices, hopes, so_far)
    keep, stake = 0, 0
    for k in range(1, size + 1):
        for fewer in range(k):
            if ways[side, fewer] <= ways[side, k] - hopes[k, fewer]:
                ways[side, k] = _NEVER
                break
        if ways[side, k] < _NEVER // 2:
            keep = k
            stake = max(stake, hopes[k, 0] - ways[side, k] + ways[side, 0])
        else:
            ways[side, k] = _NEVER
    state.open[side] = keep
    return stake


@kernel
def _same(pool: NDArray[Any], start: int, row: NDArray[Any], size: int) -> bool:
    i = 0
    while i < size and pool[start + i] == row[i]:
        i += 1
    return i == size


@kernel
def _slot(row: NDArray[Any], size: int, states: States) -> int:
    """Return the slot of a state in the hash table, or the free slot for it."""
    pool, starts, table = states.pool, states.starts, states.table
    # FNV-like mixing in 43 bits, so that plain Python and int64 compute the same value without overflow
    mixed = 1469598103
    for i in range(size):
        mixed = ((mixed ^ (int(row[i]) & 0x7FFFFFFF)) * 1099511 + (int(row[i]) >> 31)) & 0x7FFFFFFFFFF
    slot = (mixed ^ (mixed >> 21)) % len(table)
    while table[slot] >= 0:
        state = table[slot]
        if starts[state + 1] - starts[state] == size and _same(pool, starts[state], row, size):
            break
        slot = (slot + 1) % len(table)
    return slot


@kernel
def rehash(states: States, number: int) -> None:
    """Insert the first ``number`` states into an empty hash table."""
    for state in range(number):
        start, stop = states.starts[state], states.starts[state + 1]
        states.table[_slot(states.pool[start:], stop - start, states)] = state


@kernel
def _unpack(row: NDArray[Any], state: Undecided) -> None:
    """Unpack a state, one position later."""
    ways, kinds, ages, open_ = state
    at = 2
    ways[0, 0] = ways[1, 0] = 0
    for side in range(2):
        open_[side] = row[side]
        for k in range(1, open_[side] + 1):
            kinds[side, k], ages[side, k] = row[at] // _AGE, row[at] % _AGE + 1
            ways[side, k] = row[at + 1]
            at += 2


@kernel
def _pack(row: NDArray[Any], state: Undecided) -> int:
    """Write a state as a row of numbers, costs relative to the alternative without open boundaries; return its size."""
    ways, kinds, ages, open_ = state
    at = 2
    for side in range(2):
        row[side] = open_[side]
        for k in range(1, open_[side] + 1):
            row[at] = kinds[side, k] * _AGE + ages[side, k]
            row[at + 1] = _NEVER if ways[side, k] >= _NEVER // 2 else ways[side, k] - ways[side, 0]
            at += 2
    return at


@kernel
def expand(
    todo: NDArray[Any], events: NDArray[Any], prices: EditPrices, states: States, number: int
) -> tuple[int, int]:
    """Find the successors of the states in ``todo``; return how many states were expanded before memory ran out, and the number of states.

    Event ``e`` puts ``events[e, 0]`` and ``events[e, 1]`` (-1: none) at the next position.
    """
    pool, starts, table, following = states.pool, states.starts, states.table, states.following
    shape = (2, _OPEN + 3)
    here = Undecided(
        np.empty(shape, np.int64), np.empty(shape, np.int64), np.empty(shape, np.int64), np.zeros(2, np.int64)
    )
    row = np.empty(ROW, np.int64)
    hopes = np.empty((_OPEN + 3, _OPEN + 3), np.int64)
    so_far = np.empty(_OPEN + 4, np.int64)
    for done in range(len(todo)):
        if number + len(events) > len(following) or starts[number] + len(events) * ROW > len(pool):
            return done, number
        state = todo[done]
        for e in range(len(events)):
            _unpack(pool[starts[state] :], here)
            for side in range(2):
                if events[e, side] >= 0:
                    _arrive(side, events[e, side], here, prices)
            stake = 0
            for side in range(2):
                stake = max(stake, _close(side, here, prices, hopes, so_far))
            states.adds[state, e] = here.ways[0, 0]
            if max(here.open[0], here.open[1]) > _OPEN:
                following[state, e] = -2
                continue
            size = _pack(row, here)
            slot = _slot(row, size, states)
            if table[slot] < 0:
                table[slot] = number
                copy_values(row[:size], pool[starts[number] :])
                starts[number + 1] = starts[number] + size
                states.stakes[number] = stake
                number += 1
            following[state, e] = table[slot]
    return len(todo), number


@kernel
def advance(mass: NDArray[Any], chances: NDArray[Any], states: States, coming: NDArray[Any]) -> tuple[float, float]:
    """Move the probability of every state to its successors; return the expected cost, and by how much it may be too high.

    States that were not expanded continue as if they had no open boundary, and lose what these could have saved.
    """
    following, adds, stakes = states.following, states.adds, states.stakes
    fill(coming, 0.0)
    cost = lost = 0.0
    for state in range(len(mass)):
        here = mass[state]
        if here == 0.0:
            continue
        source = state
        if following[state, 0] == -1:
            lost += here * stakes[state]
            source = 0
        for e in range(len(chances)):
            part = here * chances[e]
            cost += part * adds[source, e]
            to = following[source, e]
            if to < 0:
                lost += part * _OPEN * largest(stakes, 0)
                to = 0
            coming[to] += part
    return cost, lost
