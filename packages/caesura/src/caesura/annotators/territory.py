r"""The territory model: which boundaries are real, and how each annotator finds, misses, moves and invents them.

Every gap is a true boundary with probability π. Annotator j answers a true boundary with probability h_j (the *hit rate*), d gaps beside it
with probability δ_j(d) within its territory (the gaps at most w away that are nearer to it than to any other true boundary), and marks
every gap by mistake with probability f_j (the *false-alarm rate*). Types are confused with probabilities C_j(true, given). See
:mod:`caesura.kernels.territory` for the sums.

Parameters are fitted by EM, which is exact here: the objective never falls. With w = 0 the model is that of Dawid & Skene (1979) with
sensitivity 1 - (1 - h)(1 - f), for annotators who are not worse than chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log, log1p
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.territory import (
    Answers,
    Counts,
    Nodes,
    Rates,
    count_expected,
    draw_boundaries,
    node_posteriors,
    pass_forward,
    trace_best,
    weigh_answers,
    weigh_territories,
)

Floats: TypeAlias = NDArray[np.float64]

#: Tolerance of EM: it stops when the objective gains less than this share of its size.
TOLERANCE = 1e-9
MAX_STEPS = 500
_LEAST = 1e-10  # probabilities stay this far from 0 and 1


@dataclass(frozen=True)
class Prior:
    """Pseudo-counts that are added to the expected counts of EM; the posterior mode is then fitted instead of the maximum likelihood.

    Attributes
    ----------
    hits, misses : float
        Of the hit rate.
    false_alarms, correct_gaps : float
        Of the false-alarm rate: gaps marked by mistake, and gaps rightly left alone.
    boundaries, gaps : float
        Of the rate of boundaries π: boundaries, and other gaps.
    displacement : float
        The strength of the prior of displacements, which is proportional to 0.4^|d|.
    right_type : float
        Added to the diagonal of confusions of types.
    any_type : float
        Divided by the number of types and added to all confusions.
    types : float
        Added to the counts of true types and of types of false alarms.
    """

    hits: float = 1.0
    misses: float = 0.5
    false_alarms: float = 0.5
    correct_gaps: float = 25.0
    boundaries: float = 0.5
    gaps: float = 0.5
    displacement: float = 20.0
    right_type: float = 1.0
    any_type: float = 0.5
    types: float = 0.5

    @property
    def signature(self) -> str:
        """The pseudo-counts in one word."""
        return (
            f"h{self.hits:g}/{self.misses:g},f{self.false_alarms:g}/{self.correct_gaps:g},π{self.boundaries:g}/{self.gaps:g},"
            f"δ{self.displacement:g},C{self.right_type:g}+{self.any_type:g}/T,τ{self.types:g}"
        )


class MarkedItem(NamedTuple):
    """The marks of one text: (gap from 0, type from 0) per annotator, None for those who did not annotate it."""

    gaps: int
    marks: tuple[tuple[tuple[int, int], ...] | None, ...]


def make_nodes(items: Sequence[MarkedItem], annotators: int, reach: int, skip: bool = True) -> Nodes:
    """Lay out the gaps near marks of all items; without ``skip`` all gaps."""
    parts: list[tuple[NDArray[np.int64], NDArray[np.int16], NDArray[np.bool_], NDArray[np.int64]]] = []
    here = np.zeros((len(items), annotators), bool)
    for number, item in enumerate(items):
        rows = [(g, j, t) for j, marks in enumerate(item.marks) for g, t in marks or ()]
        here[number] = [marks is not None for marks in item.marks]
        table = np.array(rows, np.int64).reshape(-1, 3)
        marked = np.unique(table[:, 0])
        at = _near(marked, 3 * reach + 1, item.gaps) if skip else np.arange(item.gaps)
        marks = np.zeros((len(at), annotators), np.int16)
        marks[np.searchsorted(at, table[:, 0]), table[:, 1]] = table[:, 2] + 1
        active = np.isin(at, _near(marked, reach, item.gaps), assume_unique=True)
        parts.append((at, marks, active, np.diff(at, prepend=-1) - 1))
    sizes = [len(at) for at, *_ in parts]
    gaps = np.array([item.gaps for item in items], np.int64)
    first = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    columns: list[NDArray[Any]] = [
        np.concatenate([part[n] for part in parts]) if parts else np.empty(0, np.int64) for n in range(4)
    ]
    whole = columns[1].reshape(-1, annotators)
    tail = np.array(
        [item.gaps - 1 - part[0][-1] if len(part[0]) else item.gaps for item, part in zip(items, parts, strict=True)]
    )
    return _with_runs(whole, columns[0], columns[2], columns[3], first, tail.astype(np.int64), gaps, here)


def _near(marked: NDArray[np.int64], distance: int, gaps: int) -> NDArray[np.int64]:
    """Return the gaps at most this far from a mark, in order."""
    if not len(marked):
        return marked
    starts, stops = np.maximum(marked - distance, 0), np.minimum(marked + distance + 1, gaps)
    starts[1:] = np.maximum(starts[1:], stops[:-1])
    sizes = stops - starts
    return np.repeat(starts - np.concatenate(([0], np.cumsum(sizes)[:-1])), sizes) + np.arange(sizes.sum())


def _with_runs(
    marks: NDArray[np.int16],
    at: NDArray[np.int64],
    active: NDArray[np.bool_],
    skipped: NDArray[np.int64],
    first: NDArray[np.int64],
    tail: NDArray[np.int64],
    gaps: NDArray[np.int64],
    here: NDArray[np.bool_],
) -> Nodes:
    """Add the number of nodes since the last jump, and whether there was one."""
    size = len(at)
    starts = np.zeros(size, bool)
    starts[first[:-1][first[:-1] < size]] = True
    jumps = skipped > 0
    run = np.maximum.accumulate(np.where(starts | jumps, np.arange(size), 0)) if size else np.empty(0, np.int64)
    nodes = Nodes(
        np.array(marks, np.int16, order="C"), at.astype(np.int64), active.astype(bool),
        (np.arange(size) - run).astype(np.int64), jumps[run] if size else np.empty(0, bool),
        skipped.astype(np.int64), first.copy(), tail.copy(), gaps.copy(), here.copy(),
    )  # fmt: skip
    for column in nodes:
        column.flags.writeable = False  # no kernel writes to them, and plain kernels need not copy them
    return nodes


def _reverse(nodes: Nodes) -> Nodes:
    """Return the same items read from right to left, the last item first."""
    size = len(nodes.at)
    after = np.append(nodes.skipped[1:], 0)
    last = nodes.first[1:] - 1
    filled = np.diff(nodes.first) > 0
    after[last[filled]] = nodes.tail[filled]
    lead = np.where(filled, 0, nodes.tail)
    lead[filled] = nodes.skipped[nodes.first[:-1][filled]]
    item = np.repeat(np.arange(len(nodes.gaps)), np.diff(nodes.first))
    at = (nodes.gaps[item] - 1 - nodes.at)[::-1]
    first = size - nodes.first[::-1]
    return _with_runs(
        nodes.marks[::-1], at, nodes.active[::-1], after[::-1], first, lead[::-1], nodes.gaps[::-1], nodes.here[::-1]
    )


class Expectation(NamedTuple):
    """The result of an E step.

    Attributes
    ----------
    likelihood : array of float
        The log likelihood of every item.
    post : array of float
        The posterior of a boundary at every node.
    skipped : array of float
        The posterior of a boundary at each of the gaps skipped before every node.
    tail : array of float
        The same for the gaps after the last node of every item.
    post_types : array of float, shape (nodes, types)
        The posterior of a boundary of each type.
    boundaries : array of float
        The expected number of boundaries of every item.
    counts : Counts
        Expected answers.
    """

    likelihood: Floats
    post: Floats
    skipped: Floats
    tail: Floats
    post_types: Floats
    boundaries: Floats
    counts: Counts


@dataclass(frozen=True, eq=False)
class Chain:
    """The marks of all items, laid out for the passes.

    Attributes
    ----------
    items : sequence of MarkedItem
        The marks.
    annotators : int
        The number of annotators.
    reach : int
        The largest displacement w.
    types : int, default 1
        The number of boundary types.
    skip : bool, default True
        Whether gaps far from any mark are skipped in closed form.
    """

    items: Sequence[MarkedItem]
    annotators: int
    reach: int
    types: int = 1
    skip: bool = True

    @cached_property
    def nodes(self) -> Nodes:
        """The gaps near marks."""
        return make_nodes(self.items, self.annotators, self.reach, self.skip)

    @cached_property
    def reversed_nodes(self) -> Nodes:
        """The same, from right to left."""
        return _reverse(self.nodes)

    @cached_property
    def item_of(self) -> NDArray[np.int64]:
        """The item of every node."""
        return np.repeat(np.arange(len(self.items)), np.diff(self.nodes.first))

    @cached_property
    def marks_of_types(self) -> Floats:
        """The marks of every item, annotator and type."""
        table = np.zeros((len(self.items), self.annotators, self.types))
        for i, item in enumerate(self.items):
            for j, marks in enumerate(item.marks):
                for _, kind in marks or ():
                    table[i, j, kind] += 1
        return table

    @cached_property
    def gaps(self) -> Floats:
        """The gaps of every item and annotator; 0 where the annotator did not annotate it."""
        return np.asarray(self.nodes.here * self.nodes.gaps[:, None], np.float64)

    @cached_property
    def _buffers(self) -> tuple[Floats, Floats]:
        size, cells = len(self.nodes.at), self.reach + 1
        return np.zeros((size, cells * cells * self.types)), np.zeros((size, cells, cells))

    def weigh(self, rates: Rates, best: bool = False) -> tuple[Answers, Floats, Floats, Floats]:
        """Return the weights of answers, log ∏(1 - h) per item, and the weights of all territories by type and together.

        The next call overwrites the weights of territories.
        """
        by_type, weights = self._buffers
        answers = weigh_answers(rates)
        missed = self.nodes.here.astype(np.float64) @ np.log1p(-rates.hit)
        weigh_territories(self.nodes, rates, answers, missed, best, by_type, weights)
        return answers, missed, by_type, weights

    def forward(
        self, nodes: Nodes, weights: Floats, missed: Floats, odds: float, best: bool = False
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Run a pass over nodes."""
        size, cells = len(nodes.at), self.reach + 1
        left, right, total, norm = (
            np.empty((size, cells)),
            np.empty((size, cells)),
            np.empty(size),
            np.empty(len(nodes.gaps)),
        )
        pass_forward(nodes, weights, missed, odds, best, left, right, total, norm)
        return left, right, total, norm

    def background(self, parameters: Parameters, i: slice | int = slice(None)) -> Floats:
        """Return the log likelihood of every item if all marks were false alarms and there was no boundary."""
        rates = parameters.rates
        marks = self.marks_of_types[i].sum(axis=-1)
        value = self.nodes.gaps[i] * log1p(-parameters.rate)
        value = value + marks @ np.log(rates.false_alarm) + (self.gaps[i] - marks) @ np.log1p(-rates.false_alarm)
        return np.asarray(value + (self.marks_of_types[i] * np.log(rates.invented)).sum(axis=(-1, -2)))

    def expect(self, parameters: Parameters, scale: Floats | None = None) -> Expectation:
        """Compute posteriors and expected counts; ``scale`` counts each item that many times."""
        nodes, rates, odds = self.nodes, parameters.rates, parameters.odds
        answers, missed, by_type, weights = self.weigh(rates)
        left, _, total, norm = self.forward(nodes, weights, missed, odds)
        turned = np.ascontiguousarray(weights[::-1].transpose(0, 2, 1))
        after, _, later, _ = self.forward(self.reversed_nodes, turned, np.ascontiguousarray(missed[::-1]), odds)
        after, later = np.ascontiguousarray(after[::-1]), later[::-1]
        size = len(nodes.at)
        post, post_types = np.zeros(size), np.zeros((size, self.types))
        node_posteriors(nodes, weights, missed, odds, left, after, norm, post)
        counts = self.no_counts()
        scale = np.ones(len(self.items)) if scale is None else scale
        count_expected(
            nodes, rates, answers, by_type, weights, odds, left, after, norm, post, scale, post_types, counts
        )
        quiet = ~nodes.active
        post_types[quiet] = post[quiet, None] * rates.types
        skipped, tail = self._posterior_of_skipped(missed + odds, total, later, norm)
        boundaries = (
            np.bincount(self.item_of, post + skipped * nodes.skipped, minlength=len(self.items)) + tail * nodes.tail
        )
        return Expectation(norm + self.background(parameters), post, skipped, tail, post_types, boundaries, counts)

    def _posterior_of_skipped(self, quiet: Floats, total: Floats, later: Floats, norm: Floats) -> tuple[Floats, Floats]:
        """Return the posterior of each gap skipped before every node, and after the last node of every item."""
        nodes, growth = self.nodes, np.logaddexp(0.0, quiet)
        skipped, tail = np.zeros(len(nodes.at)), np.zeros(len(nodes.gaps))
        some = np.flatnonzero(nodes.skipped)
        i = self.item_of[some]
        before = np.where(nodes.first[i] == some, 0.0, total[some - 1])
        skipped[some] = np.exp(quiet[i] + before + later[some] + (nodes.skipped[some] - 1) * growth[i] - norm[i])
        ends = np.flatnonzero(nodes.tail)
        filled = nodes.first[ends + 1] > nodes.first[ends]
        before = np.where(filled, total[nodes.first[ends + 1] - 1], 0.0) if len(total) else np.zeros(len(ends))
        tail[ends] = np.exp(quiet[ends] + before + (nodes.tail[ends] - 1) * growth[ends] - norm[ends])
        return skipped, tail

    def no_counts(self) -> Counts:
        """Return counts of zero."""
        j, cells, types = self.annotators, self.reach + 1, self.types
        return Counts(np.zeros((j, 2 * self.reach + 1)), np.zeros((j, cells, cells)), np.zeros((j, types, types)))

    def decode(self, parameters: Parameters) -> list[list[tuple[int, int]]]:
        """Return the most probable set of boundaries of every item, as (gap, type)."""
        _, missed, by_type, weights = self.weigh(parameters.rates, best=True)
        if self.skip and len(missed) and float(missed.max()) + parameters.odds > 0:
            return replace(self, skip=False).decode(parameters)  # quiet gaps are more likely boundaries than not
        left, right, total, norm = self.forward(self.nodes, weights, missed, parameters.odds, best=True)
        chosen = np.zeros(len(self.nodes.at), np.int64)
        trace_best(self.nodes, by_type, weights, left, right, total, norm, chosen)
        found: list[list[tuple[int, int]]] = [[] for _ in self.items]
        for k in np.flatnonzero(chosen).tolist():
            found[self.item_of[k]].append((int(self.nodes.at[k]), int(chosen[k]) - 1))
        return found

    def draw(self, parameters: Parameters, state: NDArray[np.int64]) -> tuple[Floats, Floats, Counts]:
        """Draw the number of boundaries per item, of each type, and all answers from their posterior."""
        answers, missed, by_type, weights = self.weigh(parameters.rates)
        passed = self.forward(self.nodes, weights, missed, parameters.odds)
        numbers, types, counts = np.zeros(len(self.items)), np.zeros(self.types), self.no_counts()
        draw_boundaries(
            self.nodes,
            parameters.rates,
            answers,
            by_type,
            weights,
            missed,
            parameters.odds,
            *passed,
            state,
            numbers,
            types,
            counts,
        )
        return numbers, types, counts


@dataclass(frozen=True, eq=False)
class Parameters:
    """The parameters of the model: the rate of boundaries π, and the rates of annotators."""

    rate: float
    rates: Rates

    @property
    def odds(self) -> float:
        """log(π / (1 - π))."""
        return log(self.rate) - log1p(-self.rate)


def base_displacement(reach: int) -> Floats:
    """Return the displacements of the prior and of the first start: 0.4^|d|, normalised."""
    mass = 0.4 ** np.abs(np.arange(-reach, reach + 1.0))
    return np.asarray(mass / mass.sum())


def start(
    chain: Chain, random: Sequence[np.random.Generator] | None = None, common: np.random.Generator | None = None
) -> Parameters:
    """Return the first start, or a random one: ``random`` has a generator per annotator, ``common`` one for π."""
    annotators, types = chain.annotators, chain.types
    density = chain.marks_of_types.sum(axis=(0, 2)) / np.maximum(chain.gaps.sum(axis=0), 1)
    rate, hit, share = float(np.median(density)), np.full(annotators, 0.75), np.full(annotators, 0.2)
    if random is not None and common is not None:
        rate *= float(np.exp(common.normal(0, 0.5)))
        hit = np.array([each.uniform(0.3, 0.95) for each in random])
        share = np.array([each.uniform(0.05, 0.9) for each in random])
    rates = Rates(
        hit,
        np.clip(density * share, 1e-4, 0.5),
        np.tile(base_displacement(chain.reach), (annotators, 1)),
        np.tile(np.eye(types) * 0.8 + 0.2 / types, (annotators, 1, 1)) if types > 1 else np.ones((annotators, 1, 1)),
        np.full((annotators, types), 1 / types),
        np.full(types, 1 / types),
    )
    return Parameters(float(np.clip(rate, 1e-4, 0.5)), rates)


def log_prior(parameters: Parameters, prior: Prior | None) -> float:
    """Return the log density of the prior at the parameters, without its constant."""
    if prior is None:
        return 0.0
    rates, types = parameters.rates, len(parameters.rates.types)
    reach = (rates.displacement.shape[1] - 1) // 2
    value = prior.hits * np.log(rates.hit).sum() + prior.misses * np.log1p(-rates.hit).sum()
    value += (
        prior.false_alarms * np.log(rates.false_alarm).sum() + prior.correct_gaps * np.log1p(-rates.false_alarm).sum()
    )
    value += (prior.displacement * base_displacement(reach) * np.log(rates.displacement)).sum()
    value += prior.boundaries * log(parameters.rate) + prior.gaps * log1p(-parameters.rate)
    if types > 1:
        extra = prior.right_type * np.eye(types) + prior.any_type / types
        value += (extra * np.log(rates.confusion)).sum()
        value += prior.types * (np.log(rates.invented).sum() + np.log(rates.types).sum())
    return float(value)


def maximise(
    chain: Chain, parameters: Parameters, expected: Expectation, prior: Prior | None, scale: Floats
) -> Parameters:
    """Run the M step: relative frequencies of expected counts and pseudo-counts."""
    reach, types, counts, old = chain.reach, chain.types, expected.counts, parameters.rates
    p = prior or Prior(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    hits = counts.territory.sum(axis=(1, 2))
    seen = (scale * expected.boundaries) @ chain.nodes.here
    of_types = np.tensordot(scale, chain.marks_of_types, 1)
    marks, gaps = of_types.sum(axis=1), scale @ chain.gaps
    hit = (hits + p.hits) / np.maximum(seen + p.hits + p.misses, _LEAST)
    false_alarm = (marks - hits + p.false_alarms) / np.maximum(gaps - hits + p.false_alarms + p.correct_gaps, _LEAST)
    found, places = float(scale @ expected.boundaries), float(scale @ chain.nodes.gaps)
    rate = (found + p.boundaries) / max(places + p.boundaries + p.gaps, _LEAST)
    displacement = counts.displacement + p.displacement * base_displacement(reach)
    # displacements that were drawn outside the territory and rejected
    for left, right in np.ndindex(reach + 1, reach + 1):
        inside = slice(reach - left, reach + right + 1)
        outside = old.displacement.copy()
        mass = outside[:, inside].sum(axis=1)
        outside[:, inside] = 0
        displacement += (counts.territory[:, left, right] / mass)[:, None] * outside
    displacement = np.maximum(displacement, 1e-12)
    rates = old._replace(
        hit=np.clip(hit, _LEAST, 1 - _LEAST),
        false_alarm=np.clip(false_alarm, _LEAST, 1 - _LEAST),
        displacement=displacement / displacement.sum(axis=1, keepdims=True),
    )
    if types > 1:
        confusion = counts.confusion + np.maximum(p.right_type * np.eye(types) + p.any_type / types, 1e-12)
        invented = np.maximum(of_types - counts.confusion.sum(axis=1), 0) + max(p.types, 1e-12)
        true = _true_types(chain, expected, scale, old) + max(p.types, 1e-12)
        rates = rates._replace(
            confusion=confusion / confusion.sum(axis=2, keepdims=True),
            invented=invented / invented.sum(axis=1, keepdims=True),
            types=true / true.sum(),
        )
    return Parameters(float(np.clip(rate, _LEAST, 1 - _LEAST)), rates)


def _true_types(chain: Chain, expected: Expectation, scale: Floats, rates: Rates) -> Floats:
    """Return the expected number of true boundaries of every type; skipped gaps follow τ."""
    by_node = (scale[chain.item_of, None] * expected.post_types).sum(axis=0)
    in_nodes = np.bincount(chain.item_of, expected.post, minlength=len(chain.items))
    return np.asarray(by_node + float(scale @ (expected.boundaries - in_nodes)) * rates.types)


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted model.

    Attributes
    ----------
    chain : Chain
        The marks.
    prior : Prior or None
        The pseudo-counts.
    parameters : Parameters
        The mode, or the maximum likelihood without a prior.
    objectives : tuple of float
        The log posterior density (log likelihood) before every step.
    converged : bool
        Whether EM stopped before the limit of steps.
    agreeing_starts, starts : int
        How many starts came within 0.01 of the best, and how many there were.
    """

    chain: Chain
    prior: Prior | None
    parameters: Parameters
    objectives: tuple[float, ...]
    converged: bool
    agreeing_starts: int = 1
    starts: int = 1

    @cached_property
    def expected(self) -> Expectation:
        """Posteriors and expected counts at the fitted parameters."""
        return self.chain.expect(self.parameters)

    @cached_property
    def best(self) -> list[list[tuple[int, int]]]:
        """The most probable boundaries of every item, as (gap, type)."""
        return self.chain.decode(self.parameters)

    def posterior(self, item: int) -> Floats:
        """Return the posterior of a boundary at every gap of an item."""
        nodes, expected = self.chain.nodes, self.expected
        here = slice(nodes.first[item], nodes.first[item + 1])
        values = np.repeat(
            np.append(expected.skipped[here], expected.tail[item]), np.append(nodes.skipped[here], nodes.tail[item])
        )
        whole = np.empty(nodes.gaps[item])
        at = nodes.at[here]
        whole[at] = expected.post[here]
        rest = np.ones(len(whole), bool)
        rest[at] = False
        whole[rest] = values
        return whole

    def posterior_types(self, item: int) -> Floats:
        """Return the posterior of a boundary of each type at every gap of an item."""
        nodes = self.chain.nodes
        here = slice(nodes.first[item], nodes.first[item + 1])
        whole = self.posterior(item)[:, None] * self.parameters.rates.types
        whole[nodes.at[here]] = self.expected.post_types[here]
        return np.asarray(whole)


def run_em(
    chain: Chain,
    parameters: Parameters,
    prior: Prior | None,
    *,
    tolerance: float = TOLERANCE,
    max_steps: int = MAX_STEPS,
    scale: Floats | None = None,
) -> Fit:
    """Fit the parameters from one start."""
    scale = np.ones(len(chain.items)) if scale is None else scale
    objectives: list[float] = []
    converged = False
    for _ in range(max_steps):
        expected = chain.expect(parameters, scale)
        objectives.append(float(scale @ expected.likelihood) + log_prior(parameters, prior))
        if len(objectives) > 6 and objectives[-1] - objectives[-2] < tolerance * max(1.0, abs(objectives[-1])):
            converged = True
            break
        parameters = maximise(chain, parameters, expected, prior, scale)
    return Fit(chain, prior, parameters, tuple(objectives), converged)


def fit(
    chain: Chain,
    prior: Prior | None,
    *,
    seed: int = 0,
    starts: int = 3,
    tolerance: float = TOLERANCE,
    max_steps: int = MAX_STEPS,
    keys: Sequence[int] | None = None,
) -> Fit:
    """Fit from several starts and keep the best.

    ``keys`` has a number per annotator that depends on their marks only; random starts are drawn for it, so that the order and the names of
    annotators do not change the answer.
    """
    numbers = list(range(chain.annotators)) if keys is None else list(keys)
    fits: list[Fit] = []
    for number in range(starts):
        if number == 0:
            first = start(chain)
        else:
            random = [np.random.default_rng([seed, number, key]) for key in numbers]
            first = start(chain, random, np.random.default_rng([seed, number]))
        fits.append(run_em(chain, first, prior, tolerance=tolerance, max_steps=max_steps))
    best = fits[0]
    for each in fits[1:]:
        if each.objectives[-1] > best.objectives[-1] + 1e-6:
            best = each
    agreeing = sum(each.objectives[-1] > best.objectives[-1] - 0.01 for each in fits)
    return replace(best, agreeing_starts=agreeing, starts=starts)
