"""The cost that two random annotators are expected to have, computed and not simulated.

Every place of a text draws its type, or none, independently. Where both annotators have a boundary the alignment starts
anew, so a text is a run of independent gaps. Inside a gap a finite automaton (:mod:`caesura.kernels.flexible_chance`) reads
the places one by one; its Markov chain gives :math:`\\delta_m`, what the m-th place of a gap is expected to add to the cost,
times the probability that the gap is that long. With :math:`\\rho` the probability that both have a boundary at a place and
:math:`\\sigma` what such a place costs, a text of N places costs exactly

.. math:: E[C] = N \\sigma + \\sum_{m=1}^{N} (1 + \\rho (N - m))\\, \\delta_m

and once the chain is stationary, from step M on, the rest of the sum is :math:`(N - M)(1 - \\rho)\\, \\delta_M`. Texts
of any length, several tracks and all options of the metric are covered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.flexible import FlexibleRule
from caesura.kernels.flexible_chance import ROW, Prices, States, advance, expand, rehash

#: The most states that are followed, and the most that leaving out the others may change the expected similarity;
#: parameters that need more are left to simulation.
MOST_STATES = 50_000
LARGEST_BOUND = 1e-6

_GRID = 720_720 * 10_000  # thirds to sixteenths and five decimals are whole numbers on it
_FAINT = 1e-13  # a state is followed if its probability times what it can save is above this …
_FAINTER = 1e4  # … and above this many times more as the automaton nears its largest size
_STILL = 1e-13  # a chain that moves less than this in one step is stationary


@dataclass(frozen=True)
class Expected:
    """Expected cost, the automaton's states, and a bound on the error in the cost."""

    cost: float
    states: int
    bound: float


def expected_cost(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    lengths: NDArray[np.int64],
    rule: FlexibleRule,
    *,
    most_states: int = MOST_STATES,
) -> Expected | None:
    """Expected cost of texts of these lengths under these probabilities (types, then none); None past ``most_states``."""
    lengths = lengths[lengths > 0]
    meet = float((1 - first[-1]) * (1 - second[-1])) if rule.forced else 0.0
    chain = _Chain(first, second, rule)
    run = chain.run(int(lengths.max()) if len(lengths) else 0, 1 - meet, most_states)
    if run is None:
        return None
    added, lost = run
    cost = sum(_sum_gaps(added, int(n), meet) for n in lengths) / _GRID
    bound = sum(_sum_gaps(lost, int(n), meet) for n in lengths) / _GRID
    if rule.forced:
        cost += int(lengths.sum()) * float(first[:-1] @ rule.costs[:-1, :-1] @ second[:-1])
    if bound > LARGEST_BOUND * lengths.sum():
        return None
    return Expected(float(cost), chain.states, float(bound))


def _sum_gaps(added: NDArray[np.float64], places: int, meet: float) -> float:
    """Add up over all gaps of a text of so many places."""
    m = np.arange(1, min(len(added), places) + 1)
    total = float((1 + meet * (places - m)) @ added[: len(m)])
    if places > len(added):
        total += (places - len(added)) * (1 - meet) * float(added[-1])
    return total


class _Chain:
    """The automaton, grown as far as probability reaches it."""

    def __init__(self, first: NDArray[np.float64], second: NDArray[np.float64], rule: FlexibleRule) -> None:
        none = len(first) - 1
        kinds = [np.flatnonzero(side[:-1] > 0) for side in (first, second)]
        events = [(-1, -1), *((int(p), -1) for p in kinds[0]), *((-1, int(q)) for q in kinds[1])]
        if not rule.forced:
            events += [(int(p), int(q)) for p in kinds[0] for q in kinds[1]]
        self.events = np.array(events, dtype=np.int64)
        self.chances = (
            first[np.where(self.events[:, 0] < 0, none, self.events[:, 0])]
            * second[np.where(self.events[:, 1] < 0, none, self.events[:, 1])]
        )
        self.prices = _prices(rule, np.stack((first[:-1] > 0, second[:-1] > 0)))
        self.states = 1
        empty = np.zeros((0, len(events)), np.int64)
        self.room = States(np.zeros(2, np.int64), np.array([0, 2]), empty[:, 0], empty, empty, np.zeros(1, np.int64))
        self._widen(256)

    def run(
        self, longest: int, stays: float, most_states: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Follow a gap until its chain is stationary or the text ends: what every place adds, and what got lost."""
        mass, reached = np.ones(1), 1.0
        added, lost = [], []
        for _ in range(longest):
            self._grow(mass / reached, most_states)
            coming = np.empty(self.states)
            cost, missed = advance(mass, self.chances, self.room, coming)
            if missed > 2 * LARGEST_BOUND * reached * _GRID:
                return None
            added.append(cost)
            lost.append(missed)
            reached *= stays
            before = np.zeros(self.states)
            before[: len(mass)] = mass
            mass = coming
            if np.abs(coming - stays * before).sum() <= _STILL * reached:
                break
        return np.array(added), np.array(lost)

    def _grow(self, mass: NDArray[np.float64], most_states: int) -> None:
        """Expand the states that matter, fewer of them the more there are."""
        faint = _FAINT * _FAINTER ** (self.states / most_states) if self.states < most_states else np.inf
        worth = mass * self.room.stakes[: len(mass)] / _GRID
        worth[0] = 1.0
        todo = np.flatnonzero((worth > faint) & (self.room.following[: len(mass), 0] == -1))
        while len(todo):
            done, self.states = expand(todo, self.events, self.prices, self.room, self.states)
            todo = todo[done:]
            if len(todo):
                self._widen(2 * len(self.room.following))

    def _widen(self, states: int) -> None:
        """Make room for more states, keeping those there are."""
        states = max(states, 2 * len(self.events))
        old = self.room
        self.room = States(
            pool=_enlarge(old.pool, states * 12 + len(self.events) * ROW),
            starts=_enlarge(old.starts, states + 2),
            table=np.full(4 * states, -1, np.int64),
            following=_enlarge(old.following, states, -1),
            adds=_enlarge(old.adds, states),
            stakes=_enlarge(old.stakes, states),
        )
        rehash(self.room, self.states)


def _enlarge(old: NDArray[Any], size: int, fill: int = 0) -> NDArray[Any]:
    new = np.full((max(size, len(old)), *old.shape[1:]), fill, old.dtype)
    new[: len(old)] = old
    return new


def _prices(rule: FlexibleRule, possible: NDArray[np.bool_]) -> Prices:
    types = len(rule.costs) - 1
    even = np.round(rule.costs * (_GRID // 2)).astype(np.int64) * 2
    walk = np.round(rule.steps * _GRID).astype(np.int64)
    gone = np.stack((even[:types, types], even[types, :types]))
    swap = np.stack((even[:types, :types], even[:types, :types].T))
    step = np.stack((walk[0], walk[1].T))
    oldest = np.zeros((2, types), np.int64)
    for side, p, q in _meetings(possible):
        if step[1 - side, q, p] > 0:
            pays = (gone[side, p] + gone[1 - side, q] - swap[1 - side, q, p]) // step[1 - side, q, p] + 1
            oldest[side, p] = max(oldest[side, p], pays)
    far = np.arange(int(oldest.max(initial=0)) + 2)
    saves = np.repeat(-gone[:, :, None], len(far), axis=2)
    for side, p, q in _meetings(possible):
        price = swap[1 - side, q, p] + far * step[1 - side, q, p]
        saves[side, p] = np.maximum(saves[side, p], gone[1 - side, q] - price)
    return Prices(gone, swap, step, saves, oldest)


def _meetings(possible: NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    """Side, type open on it, type that may arrive on the other."""
    types = range(possible.shape[1])
    return [(side, p, q) for side in (0, 1) for p in types for q in types if possible[1 - side, q]]
