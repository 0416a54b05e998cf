"""Intervals of annotators' rates: Gibbs sampling from the posterior, or a bootstrap over items.

One sweep of the sampler draws boundaries, types, answers and the displacements that were rejected exactly from the chain, then all rates from
their conjugate distributions, and how strong the prior of displacements is from a few strengths: annotators whose marks move more or less than
the prior expects weaken it, where a fixed strength would make their intervals too narrow. Several chains start at different places; R̂ (Gelman &
Rubin 1992, each chain split in two) compares them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lgamma
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.annotators.territory import Fit, Floats, Parameters, Prior, base_displacement, run_em
from caesura.errors import CaesuraError
from caesura.kernels.territory import Rates
from caesura.text import pluralize

#: How intervals are computed.
IntervalMethod: TypeAlias = Literal["gibbs", "bootstrap"]

CHAINS = 4
ENOUGH = 1.05  # R̂ below which the chains are taken to have mixed
_ROUND = 100  # sweeps per chain between two looks at R̂
_LEAST = 1e-9
#: Strengths of the prior of displacements that are equally probable before the annotations are seen, as factors of the given one.
_STRENGTHS = np.array([0.05, 0.1, 0.25, 0.5, 1.0, 2.0])


@dataclass(frozen=True)
class Sampling:
    """How intervals are computed.

    Attributes
    ----------
    method : {"gibbs", "bootstrap"}
        Sampling from the posterior, or refitting to resampled items.
    level : float
        The level of the intervals.
    sweeps : int
        The largest number of sweeps per chain; the sampler stops earlier if R̂ is small enough.
    resamples : int
        The number of resamples of the bootstrap.
    seed : int
        The seed of the random numbers.
    """

    method: IntervalMethod = "gibbs"
    level: float = 0.9
    sweeps: int = 1000
    resamples: int = 200
    seed: int = 0

    @property
    def signature(self) -> str:
        """The method with what it changes about the prior of displacements, the level and the seed."""
        strengths = f"(δ×{_STRENGTHS[0]:g}…{_STRENGTHS[-1]:g})" if self.method == "gibbs" else ""
        return f"{self.method}{strengths},{100 * self.level:g}%,seed{self.seed}"


class Draws(NamedTuple):
    """Draws of the parameters, with a leading axis of draws.

    Attributes
    ----------
    rate : array of float
        π.
    hit, false_alarm : array of float, shape (draws, annotators)
        The rates of annotators.
    displacement : array of float, shape (draws, annotators, 2w + 1)
        Their displacements.
    confusion : array of float, shape (draws, annotators, types, types)
        Their confusions.
    mixing : float
        The largest R̂ of a hit or false-alarm rate; NaN for the bootstrap.
    sweeps : int
        The number of sweeps per chain, or of resamples.
    """

    rate: Floats
    hit: Floats
    false_alarm: Floats
    displacement: Floats
    confusion: Floats
    mixing: float
    sweeps: int

    def interval(self, values: Floats, level: float) -> tuple[Floats, Floats]:
        """Return the ends of the interval of every element."""
        low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=0)
        return low, high


def draw_parameters(fit: Fit, sampling: Sampling) -> Draws:
    """Draw parameters by the chosen method."""
    return _bootstrap(fit, sampling) if sampling.method == "bootstrap" else _gibbs(fit, sampling)


def _gibbs(fit: Fit, sampling: Sampling) -> Draws:
    chains = [_GibbsChain(fit, np.random.default_rng([sampling.seed, 71, number])) for number in range(CHAINS)]
    size = min(_ROUND, max(1, sampling.sweeps))
    for chain in chains:
        chain.run(max(20, size // 4), keep=False)
    mixing, sweeps = np.inf, 0
    while mixing > ENOUGH and sweeps < sampling.sweeps:
        for chain in chains:
            chain.run(size)
        sweeps += size
        mixing = max(split_r_hat(np.stack([[each[n] for each in chain.kept] for chain in chains])) for n in (1, 2))
        size = min(2 * size, sampling.sweeps - sweeps)
    return _draws([each for chain in chains for each in chain.kept], mixing, sweeps)


class _GibbsChain:
    """One chain of the sampler, started beside the mode."""

    def __init__(self, fit: Fit, random: np.random.Generator) -> None:
        self.chain, self.prior, self.random = fit.chain, fit.prior or Prior(0, 0, 0, 0, 0, 0, 0, 0, 0, 0), random
        self.state = random.integers(1, 2**31, size=6)
        rates = fit.parameters.rates
        moved = np.log(rates.hit / (1 - rates.hit)) + random.normal(0, 1, len(rates.hit))
        self.parameters = Parameters(fit.parameters.rate, rates._replace(hit=_inside(1 / (1 + np.exp(-moved)))))
        self.kept: list[tuple[float, Floats, Floats, Floats, Floats]] = []
        self.of_types = self.chain.marks_of_types.sum(axis=0)
        self.marks = self.of_types.sum(axis=1)
        self.gaps, self.places = self.chain.gaps.sum(axis=0), float(self.chain.nodes.gaps.sum())
        self.displacement = _DisplacementPrior(self.prior.displacement, self.chain.reach, self.chain.annotators)

    def run(self, sweeps: int, *, keep: bool = True) -> None:
        """Sweep, and keep the parameters after every sweep."""
        for _ in range(sweeps):
            self._sweep()
            if keep:
                rates = self.parameters.rates
                self.kept.append(
                    (self.parameters.rate, rates.hit, rates.false_alarm, rates.displacement, rates.confusion)
                )

    def _sweep(self) -> None:
        p, random, types = self.prior, self.random, self.chain.types
        numbers, of_true, counts = self.chain.draw(self.parameters, self.state)
        hits, seen, marks = counts.territory.sum(axis=(1, 2)), numbers @ self.chain.nodes.here, self.marks
        found = float(numbers.sum())
        rates = self.parameters.rates._replace(
            hit=_inside(random.beta(hits + p.hits + 1, seen - hits + p.misses + 1)),
            false_alarm=_inside(random.beta(marks - hits + p.false_alarms + 1, self.gaps - marks + p.correct_gaps + 1)),
            displacement=_dirichlet(
                random, counts.displacement + self.displacement.counts(random, self.parameters.rates)
            ),
        )
        if types > 1:
            diagonal = p.right_type * np.eye(types) + p.any_type / types
            rates = rates._replace(
                confusion=_dirichlet(random, counts.confusion + diagonal + 1),
                invented=_dirichlet(random, np.maximum(self.of_types - counts.confusion.sum(axis=1), 0) + p.types + 1),
                types=_dirichlet(random, of_true + p.types + 1),
            )
        rate = random.beta(found + p.boundaries + 1, self.places - found + p.gaps + 1)
        self.parameters = Parameters(float(_inside(rate)), rates)


class _DisplacementPrior:
    """The prior of displacements, Dirichlet around 0.4^|d|, whose strength is drawn given the displacements of all annotators."""

    def __init__(self, strength: float, reach: int, annotators: int) -> None:
        self.base, self.strengths = base_displacement(reach), strength * _STRENGTHS
        sizes = [
            lgamma(each + len(self.base)) - sum(lgamma(each * b + 1) for b in self.base) for each in self.strengths
        ]
        self.sizes = annotators * np.array(sizes)  # the logarithm of the normalising constant of all annotators

    def counts(self, random: np.random.Generator, rates: Rates) -> Floats:
        """Draw the strength given the current displacements, and return the pseudo-counts."""
        if not self.strengths[0]:
            return np.ones(len(self.base))
        fit = float((np.log(np.maximum(rates.displacement, 1e-300)) @ self.base).sum())
        chances = self.sizes + self.strengths * fit
        chosen = random.choice(self.strengths, p=_normalise(chances))
        return np.asarray(chosen * self.base + 1)


def _normalise(logs: Floats) -> Floats:
    shares = np.exp(logs - logs.max())
    return np.asarray(shares / shares.sum())


def _inside(values: NDArray[np.float64] | float) -> Floats:
    return np.minimum(np.maximum(values, _LEAST), 1 - _LEAST)


def _dirichlet(random: np.random.Generator, counts: Floats) -> Floats:
    """Draw from Dirichlet distributions along the last axis."""
    drawn = np.maximum(random.standard_gamma(counts), 1e-300)
    return np.asarray(drawn / drawn.sum(axis=-1, keepdims=True))


def split_r_hat(values: Floats) -> float:
    """Return the largest R̂ of all quantities: values have the axes chain, draw, quantity, and each chain is split in two.

    >>> random = np.random.default_rng(0)
    >>> split_r_hat(random.normal(size=(4, 200, 1))) < 1.05
    True
    """
    half = values.shape[1] // 2
    if half < 2:
        return np.inf
    halves = np.concatenate((values[:, :half], values[:, half : 2 * half]))
    within = halves.var(axis=1, ddof=1).mean(axis=0)
    between = halves.mean(axis=1).var(axis=0, ddof=1)
    return float(np.sqrt(((half - 1) / half * within + between) / np.maximum(within, 1e-300)).max())


def _bootstrap(fit: Fit, sampling: Sampling) -> Draws:
    """Refit to resampled items, starting at the mode."""
    size = len(fit.chain.items)
    if size < 10:
        raise CaesuraError(
            f"a bootstrap over items needs 10 or more; this corpus has {pluralize(size, 'item')}. Use intervals='gibbs' (--intervals gibbs)."
        )
    random = np.random.default_rng([sampling.seed, 72])
    kept = []
    for _ in range(sampling.resamples):
        scale = random.multinomial(size, np.full(size, 1 / size)).astype(np.float64)
        again = run_em(fit.chain, fit.parameters, fit.prior, scale=scale, tolerance=1e-7)
        rates = again.parameters.rates
        kept.append((again.parameters.rate, rates.hit, rates.false_alarm, rates.displacement, rates.confusion))
    return _draws(kept, np.nan, len(kept))


def _draws(kept: Sequence[tuple[float, Floats, Floats, Floats, Floats]], mixing: float, sweeps: int) -> Draws:
    rate, hit, false_alarm, displacement, confusion = (
        np.stack([np.asarray(each[n]) for each in kept]) for n in range(5)
    )
    return Draws(rate, hit, false_alarm, displacement, confusion, mixing, sweeps)
