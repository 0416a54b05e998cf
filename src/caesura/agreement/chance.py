"""Annotators who place typed boundaries by chance: how they are modelled, and how alike they come out.

Every place of a text draws a type, or none, on its own. The similarity expected of two such annotators is computed by the
automaton where it is small enough (S_f), and simulated otherwise (S_f^B, free moves, far moves). The simulation knows what
the cost without moves, the number of marked places and, where the automaton has it, the cost itself are expected to be, and
uses them as control variates: a few hundred draws then tell what would take many thousands.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.automaton import Expected, expected_cost
from caesura.errors import CaesuraError, UnknownName
from caesura.kernels.flexible import FlexibleRule
from caesura.kernels.flexible_chance import Draws, draw_flexible
from caesura.metrics.family import share
from caesura.metrics.flexible import Normalise
from caesura.words import check_whole

#: Whose proportions random annotators have: their own (κ), both annotators' (π), none: all types and ∅ alike (Bennett's S),
#: or both annotators' for ∅ and all types alike.
Chance: TypeAlias = Literal["kappa", "pi", "bennett", "bennett-boundaries"]
#: Computed where the automaton is small enough and simulated otherwise; or one of the two.
Method: TypeAlias = Literal["auto", "exact", "simulation"]

_PLACES = 1_000_000  # drawn at a time by one thread
_FIRST = 1_000  # draws before the first look at the precision
_MOST = 10_000_000  # draws after which a precision that was not reached is given up


@dataclass(frozen=True)
class ChanceModel:
    """Two random annotators: probabilities of types and ∅, the lengths of their tracks, and the prices of the metric."""

    first: NDArray[np.float64]
    second: NDArray[np.float64]
    lengths: NDArray[np.int64]
    rule: FlexibleRule

    @property
    def places(self) -> int:
        """N, over all tracks."""
        return int(self.lengths.sum())


@dataclass(frozen=True)
class Estimate:
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
    """Probabilities of types and ∅ (last) for either annotator, from how often each used them."""
    if chance not in get_args(Chance):
        raise UnknownName("chance model", str(chance), list(get_args(Chance)))
    both = first + second
    if chance == "kappa":
        return _shares(first), _shares(second)
    if chance == "bennett":
        both = np.ones(len(first))
    elif chance == "bennett-boundaries" and len(first) > 1:
        both = np.append(np.full(len(first) - 1, both[:-1].mean()), both[-1])
    return _shares(both), _shares(both)


def _shares(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    total = counts.sum()
    return counts / total if total else np.append(np.zeros(len(counts) - 1), 1.0)


def chance_similarity(
    model: ChanceModel,
    normalise: Normalise = "potential",
    *,
    method: Method = "auto",
    draws: int = 10_000,
    enough: Callable[[Estimate], bool] | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> Estimate:
    """Similarity expected of random annotators.

    Parameters
    ----------
    method
        "exact" is refused for S_f^B, a ratio of two random numbers, and where the automaton would grow too large.
    draws
        How many texts to draw; ``enough`` looks at the estimate after every doubling instead, and says when to stop.
    """
    if method not in get_args(Method):
        raise UnknownName("method", str(method), list(get_args(Method)))
    check_whole("draws", draws, 2)
    if threads is not None:
        check_whole("threads", threads)
    if seed is not None:
        check_whole("seed", seed)
    if method == "exact" and normalise == "boundaries":
        raise CaesuraError("chance for S_f^B is a mean of ratios and has no exact value; use method='simulation'.")
    if not model.places:
        return Estimate(1.0, None, "exact")
    known = None
    if method != "simulation" or normalise != "potential":
        known = expected_cost(model.first, model.second, model.lengths, model.rule)
    if normalise == "potential" and method != "simulation":
        if known is not None:
            bound = known.bound / model.places
            return Estimate(1 - known.cost / model.places, None, "exact", states=known.states, bound=bound)
        if method == "exact":
            raise CaesuraError(
                "these moves reach too far for the exact chance: its automaton outgrows the limit; use method='simulation'."
            )
    return _Simulation(model, normalise, known, seed, threads or os.cpu_count() or 1).run(draws, enough)


class _Simulation:
    """Draws in chunks that depend on the text alone, each from a stream of its own: any number of threads, one answer."""

    def __init__(
        self, model: ChanceModel, normalise: Normalise, known: Expected | None, seed: int, threads: int
    ) -> None:
        self.model, self.normalise, self.known, self.seed, self.threads = model, normalise, known, seed, threads
        joint = np.outer(model.first, model.second).ravel()
        order = np.argsort(-joint, kind="stable")
        cumulated = np.cumsum(joint[order])
        cumulated[-1] = 2.0  # rounding must not let a draw fall off the end
        guide = np.searchsorted(cumulated, np.arange(4096) / 4096, side="right")
        self.draws = Draws(cumulated, guide, order // len(model.second), order % len(model.second))
        plain = model.places * float(model.first @ model.rule.costs @ model.second)
        marked = model.places * float(1 - model.first[-1] * model.second[-1])
        self.controls = [(2, plain), (3, marked)] + ([] if known is None else [(0, known.cost)])
        self.chunk = max(1, min(1024, _PLACES // model.places))

    def run(self, draws: int, enough: Callable[[Estimate], bool] | None) -> Estimate:
        """Draw so many texts, or as many as it takes until there are enough."""
        sums = np.zeros((len(self.controls) + 2,) * 2)
        if enough is None:
            self._add(sums, 0, draws)
            return self._estimate(sums)
        done, target = 0, -(-_FIRST // self.chunk)
        while True:
            self._add(sums, done, (target - done) * self.chunk)
            estimate = self._estimate(sums)
            if enough(estimate) or estimate.draws >= _MOST:
                return estimate
            done, target = target, 2 * target

    def _add(self, sums: NDArray[np.float64], first: int, draws: int) -> None:
        """Add the sums of so many draws, from chunk number ``first`` on."""
        full, rest = divmod(draws, self.chunk)
        sizes = [self.chunk] * full + [rest] * (rest > 0)
        with ThreadPoolExecutor(self.threads) as pool:
            for part in pool.map(self._draw_chunk, range(first, first + len(sizes)), sizes):
                sums += part

    def _draw_chunk(self, number: int, size: int) -> NDArray[np.float64]:
        """Draw one chunk and return the sums that a regression of similarity on the controls needs."""
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

    def _estimate(self, sums: NDArray[np.float64]) -> Estimate:
        """Regress similarity on the controls; its value where they are as expected is the estimate."""
        draws = sums[0, 0]
        inner, outer = sums[:-1, :-1], sums[:-1, -1]
        scale = np.sqrt(np.diag(inner))
        scale[scale == 0] = 1.0
        inverse = np.linalg.pinv(inner / np.outer(scale, scale), rcond=1e-12, hermitian=True) / np.outer(scale, scale)
        slopes = inverse @ outer
        left = max(float(sums[-1, -1] - slopes @ outer), 0.0)
        spread = left / max(draws - len(inner), 1)
        error = float(np.sqrt(max(spread * inverse[0, 0], 0.0)))
        states, bound = (0, 0.0) if self.known is None else (self.known.states, self.known.bound / self.model.places)
        return Estimate(float(slopes[0]), error, "simulation", int(draws), states, bound)
