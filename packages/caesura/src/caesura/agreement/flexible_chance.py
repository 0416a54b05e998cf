r"""The similarity expected of two annotators who place typed boundaries at random.

Every place of a text draws a type, or none, independently. The expected similarity is computed exactly by an automaton where
that stays small enough (S_f), and simulated otherwise (S_f^B, free moves, far moves). The simulation uses control variates:
the cost without moves, the number of marked places and, if the automaton computed it, the cost itself, whose expectations are
known. A few hundred draws then are as precise as many thousands.

The automaton
-------------
Where both annotators have a boundary the alignment starts anew, so a text is a sequence of independent gaps. Inside a gap a
finite automaton (:mod:`caesura.kernels.flexible_chance`) reads the places one by one; its Markov chain gives :math:`\delta_m`,
the cost that the m-th place of a gap is expected to add, times the probability that the gap is that long. With :math:`\rho`
the probability that both have a boundary at a place and :math:`\sigma` the cost of such a place, a text of N places costs

.. math:: E[C] = N \sigma + \sum_{m=1}^{N} (1 + \rho (N - m))\, \delta_m

and once the chain is stationary, from step M on, the rest of the sum is :math:`(N - M)(1 - \rho)\, \delta_M`. Texts of any
length, several tracks and all options of the metric are covered.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, UnknownName
from caesura.kernels.edits import FlexibleRule
from caesura.kernels.flexible_chance import (
    ROW,
    Draws,
    EditPrices,
    States,
    advance,
    draw_flexible,
    expand,
    rehash,
)
from caesura.metrics.family import share
from caesura.metrics.flexible import Normalise
from caesura.validation import validate_integer

#: The proportions of types that random annotators have: each their own (κ), those of both (π), equal ones for all types and
#: ∅ (Bennett's S), or those of both for ∅ and equal ones for all types.
Chance: TypeAlias = Literal["kappa", "pi", "bennett", "bennett-boundaries"]
#: "auto" is exact if the automaton is small enough, and simulates otherwise.
Method: TypeAlias = Literal["auto", "exact", "simulation"]

#: The largest number of states, and the largest error of the expected similarity, that the automaton may have; parameters
#: that need more are simulated.
MAX_STATES = 50_000
MAX_ERROR = 1e-6

_PLACES_PER_CHUNK = 1_000_000  # drawn at a time by one thread
_FIRST_DRAWS = 1_000  # draws before the precision is checked for the first time
_MAX_DRAWS = 10_000_000  # draws after which a precision that was not reached is given up

_GRID = 720_720 * 10_000  # costs are whole numbers on this grid: it is divisible by 3 to 16, and leaves five decimals
_MIN_GAIN = 1e-13  # a state is expanded if its probability times the cost it can save is above this …
_GAIN_FACTOR = 1e4  # … and above this many times more as the automaton nears its largest size
_STATIONARY = 1e-13  # a chain that changes less than this in one step is stationary


@dataclass(frozen=True)
class ChanceModel:
    """Two random annotators: probabilities of types and ∅, the lengths of their tracks, and the costs of the metric."""

    first: NDArray[np.float64]
    second: NDArray[np.float64]
    lengths: NDArray[np.int64]
    rule: FlexibleRule

    @property
    def places(self) -> int:
        """N, over all tracks."""
        return int(self.lengths.sum())


@dataclass(frozen=True)
class ChanceEstimate:
    """The similarity expected by chance: exact up to ``bound``, or from ``draws`` with a standard error."""

    value: float
    standard_error: float | None
    method: str
    draws: int = 0
    states: int = 0
    bound: float = 0.0


def distributions(
    chance: Chance, first: NDArray[np.float64], second: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the probabilities of types and ∅ (last) for both annotators, from how often each used them."""
    if chance not in get_args(Chance):
        raise UnknownName("chance model", str(chance), list(get_args(Chance)))
    both = first + second
    if chance == "kappa":
        return _proportions(first), _proportions(second)
    if chance == "bennett":
        both = np.ones(len(first))
    elif chance == "bennett-boundaries" and len(first) > 1:
        both = np.append(np.full(len(first) - 1, both[:-1].mean()), both[-1])
    return _proportions(both), _proportions(both)


def _proportions(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    total = counts.sum()
    return counts / total if total else np.append(np.zeros(len(counts) - 1), 1.0)


def chance_similarity(
    model: ChanceModel,
    normalise: Normalise = "potential",
    *,
    method: Method = "auto",
    draws: int = 10_000,
    enough: Callable[[ChanceEstimate], bool] | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> ChanceEstimate:
    """Compute or simulate the similarity expected of random annotators.

    Parameters
    ----------
    model : ChanceModel
        The annotators.
    normalise : {"potential", "boundaries"}, default "potential"
        S_f or S_f^B.
    method : {"auto", "exact", "simulation"}, default "auto"
        "exact" is refused for S_f^B, a ratio of two random numbers, and if the automaton grows too large.
    draws : int, default 10,000
        The number of texts to draw.
    enough : callable, default None
        If given, it replaces ``draws``: called with the estimate after every doubling, it returns whether to stop.
    seed : int, default 0
        The seed of the random numbers.
    threads : int, default None
        The number of threads, by default one per core; results do not depend on it.
    """
    if method not in get_args(Method):
        raise UnknownName("method", str(method), list(get_args(Method)))
    validate_integer("draws", draws, 2)
    if threads is not None:
        validate_integer("threads", threads)
    if seed is not None:
        validate_integer("seed", seed)
    if method == "exact" and normalise == "boundaries":
        raise CaesuraError("chance for S_f^B is a mean of ratios and has no exact value; use method='simulation'.")
    if not model.places:
        return ChanceEstimate(1.0, None, "exact")
    known = None
    if method != "simulation" or normalise != "potential":
        known = expected_cost(model.first, model.second, model.lengths, model.rule)
    if normalise == "potential" and method != "simulation":
        if known is not None:
            bound = known.bound / model.places
            return ChanceEstimate(1 - known.cost / model.places, None, "exact", states=known.states, bound=bound)
        if method == "exact":
            raise CaesuraError(
                "moves reach too far to compute chance exactly: the automaton has too many states; use method='simulation'."
            )
    return _Simulation(model, normalise, known, seed, threads or os.cpu_count() or 1).run(draws, enough)


class _Simulation:
    """Draws in chunks of a size that depends on the text only, each from its own random stream: threads do not matter."""

    def __init__(
        self, model: ChanceModel, normalise: Normalise, known: ExpectedCost | None, seed: int, threads: int
    ) -> None:
        self.model, self.normalise, self.known, self.seed, self.threads = model, normalise, known, seed, threads
        # pairs of types are drawn by inversion, the most probable first; the guide table gives the start of each search
        joint = np.outer(model.first, model.second).ravel()
        order = np.argsort(-joint, kind="stable")
        cumulated = np.cumsum(joint[order])
        cumulated[-1] = 2.0  # above 1, so that rounding cannot let a draw pass the end
        guide = np.searchsorted(cumulated, np.arange(4096) / 4096, side="right")
        self.draws = Draws(cumulated, guide, order // len(model.second), order % len(model.second))
        without_moves = model.places * float(model.first @ model.rule.costs @ model.second)
        marked = model.places * float(1 - model.first[-1] * model.second[-1])
        # control variates: (column of the kernel's output, its known expectation)
        self.controls = [(2, without_moves), (3, marked)] + ([] if known is None else [(0, known.cost)])
        self.chunk = max(1, min(1024, _PLACES_PER_CHUNK // model.places))

    def run(self, draws: int, enough: Callable[[ChanceEstimate], bool] | None) -> ChanceEstimate:
        """Draw this many texts, or double the number until ``enough`` accepts the estimate."""
        sums = np.zeros((len(self.controls) + 2,) * 2)
        if enough is None:
            self._add(sums, 0, draws)
            return self._estimate(sums)
        done, target = 0, -(-_FIRST_DRAWS // self.chunk)
        while True:
            self._add(sums, done, (target - done) * self.chunk)
            estimate = self._estimate(sums)
            if enough(estimate) or estimate.draws >= _MAX_DRAWS:
                return estimate
            done, target = target, 2 * target

    def _add(self, sums: NDArray[np.float64], first: int, draws: int) -> None:
        """Add the sums of this many draws, starting with chunk number ``first``."""
        full, rest = divmod(draws, self.chunk)
        sizes = [self.chunk] * full + [rest] * (rest > 0)
        with ThreadPoolExecutor(self.threads) as pool:
            for part in pool.map(self._draw_chunk, range(first, first + len(sizes)), sizes):
                sums += part

    def _draw_chunk(self, number: int, size: int) -> NDArray[np.float64]:
        """Draw one chunk; return the sums needed to regress similarity on the controls."""
        model = self.model
        random = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(number,)))
        out = np.empty((size, 4))
        draw_flexible(random.random(size * model.places), model.lengths, self.draws, model.rule, out)
        below = out[:, 1] if self.normalise == "boundaries" else np.full(size, float(model.places))
        similarity = 1 - share(out[:, 0], below)
        columns = [np.ones(size), *(out[:, c] - mean for c, mean in self.controls), similarity]
        table = np.stack(columns)
        product: NDArray[np.float64] = table @ table.T
        return product

    def _estimate(self, sums: NDArray[np.float64]) -> ChanceEstimate:
        """Regress similarity on the centred controls; the intercept is the estimate."""
        draws = sums[0, 0]
        inner, outer = sums[:-1, :-1], sums[:-1, -1]
        scale = np.sqrt(np.diag(inner))
        scale[scale == 0] = 1.0
        # scaled first: controls differ by orders of magnitude, and some may be constant
        inverse = np.linalg.pinv(inner / np.outer(scale, scale), rcond=1e-12, hermitian=True) / np.outer(scale, scale)
        slopes = inverse @ outer
        residual = max(float(sums[-1, -1] - slopes @ outer), 0.0)
        variance = residual / max(draws - len(inner), 1)
        error = float(np.sqrt(max(variance * inverse[0, 0], 0.0)))
        states, bound = (0, 0.0) if self.known is None else (self.known.states, self.known.bound / self.model.places)
        return ChanceEstimate(float(slopes[0]), error, "simulation", int(draws), states, bound)


# ---------------------------------------------------------------------- the exact cost


@dataclass(frozen=True)
class ExpectedCost:
    """The expected cost, the number of states of the automaton, and a bound on the error of the cost."""

    cost: float
    states: int
    bound: float


def expected_cost(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    lengths: NDArray[np.int64],
    rule: FlexibleRule,
    *,
    max_states: int = MAX_STATES,
) -> ExpectedCost | None:
    """Compute the expected cost of texts of these lengths under these probabilities (types, then none).

    Returns None if the automaton would need more than ``max_states`` states.
    """
    lengths = lengths[lengths > 0]
    meet = float((1 - first[-1]) * (1 - second[-1])) if rule.forced else 0.0
    chain = _Chain(first, second, rule)
    run = chain.run(int(lengths.max()) if len(lengths) else 0, 1 - meet, max_states)
    if run is None:
        return None
    added, lost = run
    cost = sum(_sum_gaps(added, int(n), meet) for n in lengths) / _GRID
    bound = sum(_sum_gaps(lost, int(n), meet) for n in lengths) / _GRID
    if rule.forced:
        cost += int(lengths.sum()) * float(first[:-1] @ rule.costs[:-1, :-1] @ second[:-1])
    if bound > MAX_ERROR * lengths.sum():
        return None
    return ExpectedCost(float(cost), chain.number, float(bound))


def _sum_gaps(added: NDArray[np.float64], places: int, meet: float) -> float:
    """Add up over all gaps of a text with this many places: the sum E[C] above, without N σ."""
    m = np.arange(1, min(len(added), places) + 1)
    total = float((1 + meet * (places - m)) @ added[: len(m)])
    if places > len(added):  # the chain is stationary from here on
        total += (places - len(added)) * (1 - meet) * float(added[-1])
    return total


class _Chain:
    """The automaton, which grows to the states that are probable enough."""

    def __init__(self, first: NDArray[np.float64], second: NDArray[np.float64], rule: FlexibleRule) -> None:
        none = len(first) - 1
        kinds = [np.flatnonzero(side[:-1] > 0) for side in (first, second)]
        events = [(-1, -1), *((int(p), -1) for p in kinds[0]), *((-1, int(q)) for q in kinds[1])]
        if not rule.forced:  # otherwise two boundaries at one place end the gap
            events += [(int(p), int(q)) for p in kinds[0] for q in kinds[1]]
        self.events = np.array(events, dtype=np.int64)
        self.chances = (
            first[np.where(self.events[:, 0] < 0, none, self.events[:, 0])]
            * second[np.where(self.events[:, 1] < 0, none, self.events[:, 1])]
        )
        self.prices = _prices(rule, np.stack((first[:-1] > 0, second[:-1] > 0)))
        self.number = 1
        empty = np.zeros((0, len(events)), np.int64)
        self.states = States(np.zeros(2, np.int64), np.array([0, 2]), empty[:, 0], empty, empty, np.zeros(1, np.int64))
        self._reserve(256)

    def run(
        self, longest: int, stays: float, max_states: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Follow a gap until its chain is stationary or the text ends.

        Returns the cost that every place adds and the error that dropped states cause; None if the error is too large.
        """
        mass, reached = np.ones(1), 1.0
        added, lost = [], []
        for _ in range(longest):
            self._grow(mass / reached, max_states)
            coming = np.empty(self.number)
            cost, missed = advance(mass, self.chances, self.states, coming)
            if missed > 2 * MAX_ERROR * reached * _GRID:
                return None
            added.append(cost)
            lost.append(missed)
            reached *= stays  # the probability that the gap is still open; mass sums to it
            before = np.zeros(self.number)
            before[: len(mass)] = mass
            mass = coming
            if np.abs(coming - stays * before).sum() <= _STATIONARY * reached:
                break
        return np.array(added), np.array(lost)

    def _grow(self, mass: NDArray[np.float64], max_states: int) -> None:
        """Expand the states that matter; the more states there are, the fewer matter."""
        least = _MIN_GAIN * _GAIN_FACTOR ** (self.number / max_states) if self.number < max_states else np.inf
        worth = mass * self.states.stakes[: len(mass)] / _GRID
        worth[0] = 1.0
        todo = np.flatnonzero((worth > least) & (self.states.following[: len(mass), 0] == -1))
        while len(todo):
            done, self.number = expand(todo, self.events, self.prices, self.states, self.number)
            todo = todo[done:]
            if len(todo):  # the arrays are full
                self._reserve(2 * len(self.states.following))

    def _reserve(self, states: int) -> None:
        """Enlarge the arrays of states, and hash the existing ones again."""
        states = max(states, 2 * len(self.events))
        old = self.states
        self.states = States(
            pool=_enlarge(old.pool, states * 12 + len(self.events) * ROW),
            starts=_enlarge(old.starts, states + 2),
            table=np.full(4 * states, -1, np.int64),
            following=_enlarge(old.following, states, -1),
            adds=_enlarge(old.adds, states),
            stakes=_enlarge(old.stakes, states),
        )
        rehash(self.states, self.number)


def _enlarge(old: NDArray[Any], size: int, fill: int = 0) -> NDArray[Any]:
    new = np.full((max(size, len(old)), *old.shape[1:]), fill, old.dtype)
    new[: len(old)] = old
    return new


def _prices(rule: FlexibleRule, possible: NDArray[np.bool_]) -> EditPrices:
    """Convert the costs of the metric to whole numbers on the grid, seen from either side."""
    types = len(rule.costs) - 1
    even = np.round(rule.costs * (_GRID // 2)).astype(np.int64) * 2
    per_step = np.round(rule.steps * _GRID).astype(np.int64)
    gone = np.stack((even[:types, types], even[types, :types]))
    swap = np.stack((even[:types, :types], even[:types, :types].T))
    step = np.stack((per_step[0], per_step[1].T))
    # a boundary older than this can no longer be moved at a profit
    oldest = np.zeros((2, types), np.int64)
    for side, p, q in _possible_pairs(possible):
        if step[1 - side, q, p] > 0:
            pays = (gone[side, p] + gone[1 - side, q] - swap[1 - side, q, p]) // step[1 - side, q, p] + 1
            oldest[side, p] = max(oldest[side, p], pays)
    far = np.arange(int(oldest.max(initial=0)) + 2)
    saves = np.repeat(-gone[:, :, None], len(far), axis=2)
    for side, p, q in _possible_pairs(possible):
        price = swap[1 - side, q, p] + far * step[1 - side, q, p]
        saves[side, p] = np.maximum(saves[side, p], gone[1 - side, q] - price)
    return EditPrices(gone, swap, step, saves, oldest)


def _possible_pairs(possible: NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    """List side, type that waits on it, and type that may arrive on the other side."""
    types = range(possible.shape[1])
    return [(side, p, q) for side in (0, 1) for p in types for q in types if possible[1 - side, q]]
