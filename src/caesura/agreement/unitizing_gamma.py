"""γ, γ-cat and γ-k: agreement on units, their places and names, by the best alignment and by what chance aligns.

.. math:: \\gamma = 1 - \\frac{\\delta_o}{\\delta_e}

Mathet, Widlöcher & Métivier 2015, The Unified and Holistic Method Gamma (γ) for Inter-Annotator Agreement Measure and Alignment. Texts
are pooled: costs of the best alignments are added up, and so are those expected of each text.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from caesura._version import __version__
from caesura.agreement.answer import Agreement, combine
from caesura.agreement.unitizing_alignment import Aligned, align_columns, alignments, cheap_number, describe_gap
from caesura.agreement.unitizing_chance import Drawn, Sampler, draw_texts
from caesura.agreement.unitizing_costs import Dissimilarity
from caesura.agreement.unitizing_details import Details, Interval, describe_silent, per_item, resample
from caesura.agreement.unitizing_texts import SpanTexts
from caesura.display.table import spell
from caesura.kernels.unitizing import Costs
from caesura.kernels.unitizing_names import sum_name_costs
from caesura.words import check_above_zero, check_choice, check_whole

#: What γ-cat makes of a unit that nobody else has: leave it out, or count it as a difference of names (as pygamma-agreement does).
Unaligned: TypeAlias = Literal["leave", "count"]
Values: TypeAlias = NDArray[np.float64]

#: Random texts, and units in them, that share a stream of random numbers: so that no number of threads changes the answer.
_BLOCK, _UNITS = 50, 2_000_000
_ENOUGH = 30  # samples for the values without each annotator


@dataclass(frozen=True)
class Samples:
    """How chance is drawn: how many texts, or as many as a relative error of the expected disorder needs (95 %), by which sampler."""

    number: int = 100
    sampler: Sampler = "statistical"
    seed: int = 0
    precision: float | None = None
    threads: int | None = None

    def __post_init__(self) -> None:
        check_whole("samples", self.number, 2)
        check_whole("seed", self.seed)
        check_choice("sampler", self.sampler, get_args(Sampler))
        if self.precision is not None:
            check_above_zero("precision", self.precision)


class Expected(NamedTuple):
    """What chance aligned: disorder per text and sample and how much of it may be too much, and the sums of the names, per text and per label."""

    disorder: Values
    gap: Values
    names: Values
    by_code: Values


@dataclass(frozen=True, eq=False)
class Gamma:
    """γ of some texts; everything that follows from one set of best alignments and one of random texts."""

    texts: SpanTexts
    dissimilarity: Dissimilarity
    samples: Samples
    unaligned: Unaligned = "leave"
    limit: float | None = None

    def __post_init__(self) -> None:
        check_choice("unaligned", self.unaligned, get_args(Unaligned))
        if self.limit is not None:
            check_above_zero("limit", self.limit)

    @cached_property
    def costs(self) -> Costs:
        """The costs for the loops."""
        return self.dissimilarity.costs(self.texts.labels)

    @cached_property
    def aligned(self) -> Aligned:
        """The best alignments."""
        return align_columns(self.texts.units, self.texts.rows, self.texts.sizes, self.costs, self.limit)

    @cached_property
    def names(self) -> tuple[Values, Values]:
        """Sums over the names of aligned units, per text and per label."""
        return self._sum_names(Drawn(self.texts.units, self.texts.rows, self.texts.sizes), self.aligned)

    @cached_property
    def expected(self) -> Expected:
        """Random texts, aligned: as many as asked for, or as the precision needs."""
        drawn = self._draw(0, self.samples.number)
        if self.samples.precision is None:
            return drawn
        totals = self.texts.means @ drawn.disorder
        spread = float(totals.std(ddof=1) / totals.mean()) if totals.mean() else 0.0
        needed = ceil((1.96 * spread / self.samples.precision) ** 2)
        if needed <= self.samples.number:
            return drawn
        more = self._draw(1, needed - self.samples.number)
        return Expected(
            np.hstack((drawn.disorder, more.disorder)),
            np.hstack((drawn.gap, more.gap)),
            drawn.names + more.names,
            drawn.by_code + more.by_code,
        )

    def _draw(self, stage: int, number: int) -> Expected:
        texts = [self.texts.text(t) for t in range(len(self.texts))]
        sizes = [max(1, min(_BLOCK, _UNITS // max(1, len(text.units.starts)))) for text in texts]
        jobs = [
            (t, first, min(size, number - first)) for t, size in enumerate(sizes) for first in range(0, number, size)
        ]

        def work(job: tuple[int, int, int]) -> tuple[Values, Values, Values, Values]:
            text, first, size = job
            random = np.random.default_rng([self.samples.seed, text, stage, first])
            if not len(texts[text].units.starts):
                return np.zeros(size), np.zeros(size), np.zeros(2), np.zeros((len(self.texts.labels), 2))
            drawn = draw_texts(texts[text], self.samples.sampler, size, random)
            aligned = align_columns(*drawn, self.costs, self.limit, cheap_number(len(texts[text].units.starts)))
            names, by_code = self._sum_names(drawn, aligned)
            return (
                aligned.costs / drawn.means,
                (aligned.costs - aligned.lower) / drawn.means,
                names.sum(axis=0),
                by_code,
            )

        with ThreadPoolExecutor(self.samples.threads or os.cpu_count()) as pool:
            answers = list(pool.map(work, jobs))
        disorder, gap, names = np.empty((len(texts), number)), np.empty((len(texts), number)), np.zeros((len(texts), 2))
        by_code = np.zeros((len(self.texts.labels), 2))
        for (text, first, size), (values, gaps, own, codes) in zip(jobs, answers, strict=True):
            disorder[text, first : first + size], gap[text, first : first + size] = values, gaps
            names[text] += own
            by_code += codes
        return Expected(disorder, gap, names, by_code)

    def _sum_names(self, texts: Drawn, aligned: Aligned) -> tuple[Values, Values]:
        by_text, by_code = np.zeros((len(texts.sizes) - 1, 2)), np.zeros((len(self.texts.labels), 2))
        sum_name_costs(*texts, aligned.tuple_of, self.costs, self.unaligned == "count", by_text, by_code)
        return by_text, by_code

    # ------------------------------------------------------------------ what follows

    @property
    def sums(self) -> Values:
        """Per text: cost observed, cost expected, mean number of units."""
        means = self.texts.means
        return np.stack((self.aligned.costs, means * self.expected.disorder.mean(axis=1), means), axis=1)

    @property
    def disorders(self) -> tuple[float, float]:
        """The disorder observed and expected, of all texts together."""
        observed, expected, units = self.sums.sum(axis=0)
        return float(observed / units), float(expected / units)

    @property
    def value(self) -> float:
        """γ."""
        return float(combine("disorder", *map(np.float64, self.disorders)))

    @property
    def standard_error(self) -> float:
        """The error of γ that comes from drawing chance: :math:`\\delta_o SE(\\delta_e) / \\delta_e^2`."""
        totals = self.texts.means @ self.expected.disorder / self.texts.means.sum()
        observed, expected = self.disorders
        return float(observed * totals.std(ddof=1) / np.sqrt(len(totals)) / expected**2) if expected else 0.0

    def describe_chance(self) -> str:
        """Say how far off the expected disorder may be, where random texts had too many tuples; nothing where it is exact."""
        gap = float(self.texts.means @ self.expected.gap.mean(axis=1) / self.texts.means.sum())
        if gap <= 1e-6:
            return ""
        expected = self.disorders[1]
        return f"random texts have too many alignments to try: the expected disorder lies between {spell(expected - gap)} and {spell(expected)}"

    @property
    def gamma_cat(self) -> tuple[float, float]:
        """How far names differ in aligned units, observed and expected; NaN where no two units are aligned."""
        return _ratio(self.names[0].sum(axis=0)), _ratio(self.expected.names.sum(axis=0))

    @property
    def gamma_k(self) -> dict[str | None, float]:
        """γ-cat of the pairs in which a unit has this name, name by name; NaN where there is none."""
        observed, expected = self.names[1], self.expected.by_code
        used = np.flatnonzero(np.bincount(self.texts.units.codes, minlength=len(self.texts.labels)))
        return {
            self.texts.labels[k]: float(combine("disorder", _ratio(observed[k]), _ratio(expected[k]))) for k in used
        }

    @property
    def names_by_text(self) -> Values:
        """Per text: cost and weight of names observed, and expected."""
        return np.hstack((self.names[0], self.expected.names))

    def without_each(self) -> list[Gamma | None]:
        """γ without each coder in turn, the same random numbers for all; None where nothing is left to compare."""
        fewer = Samples(
            min(_ENOUGH, self.samples.number), self.samples.sampler, self.samples.seed, None, self.samples.threads
        )
        left = [self.texts.without(coder) for coder in range(len(self.texts.corpus.coders))]
        return [
            None if texts is None else Gamma(texts, self.dissimilarity, fewer, self.unaligned, self.limit)
            for texts in left
        ]


def _ratio(sums: Values) -> np.float64:
    return np.float64(sums[0] / sums[1]) if sums[1] > 0 else np.float64(np.nan)


def gamma_agreement(gamma: Gamma, coefficient: Literal["gamma", "gamma-cat"], interval: Interval) -> Agreement:
    """γ or γ-cat with everything behind it."""
    texts, by_name = gamma.texts, coefficient == "gamma-cat"
    aligned = alignments(texts, gamma.aligned, gamma.dissimilarity)
    observed, expected = gamma.gamma_cat if by_name else gamma.disorders
    sums = gamma.names_by_text if by_name else gamma.sums
    divide = _divide_names if by_name else _divide_costs
    notes = [note for note in (describe_gap(aligned), gamma.describe_chance(), describe_silent(texts)) if note]
    if np.isnan(observed) or np.isnan(expected):
        notes.append("no two annotators' units are aligned, so that there are no names to compare")
    details = Details(
        coders=list(texts.corpus.coders),
        items=[texts.corpus.items[i] for i in np.unique(texts.item_of)],
        disorder=gamma.disorders[0],
        expected=gamma.disorders[1],
        standard_error=gamma.standard_error,
        gamma=gamma.value,
        gamma_cat=float(combine("disorder", *map(np.float64, gamma.gamma_cat))),
        gamma_k=gamma.gamma_k,
        samples=gamma.expected.disorder.shape[1],
        alignments=aligned,
        leave_one_out=_without_each(gamma, by_name),
        per_item=per_item(texts, *divide(_by_item(texts, sums))),
        silent=texts.silent,
        notes=notes,
    )
    return Agreement(
        coefficient=coefficient,
        observed=float(observed),
        expected=float(expected),
        signature=_signature(gamma, coefficient, bool(describe_gap(aligned) or gamma.describe_chance())),
        standard_error=None if by_name else gamma.standard_error,
        details=details,
        interval=resample(_by_item(texts, sums), lambda drawn: combine("disorder", *divide(drawn)), interval),
        formula="disorder",
        title={"gamma": "γ", "gamma-cat": "γ-cat"}[coefficient],
    )


def _by_item(texts: SpanTexts, sums: Values) -> Values:
    table = np.zeros((len(texts.corpus.items), sums.shape[1]))
    np.add.at(table, texts.item_of, sums)
    return table


def _divide_costs(sums: Values) -> tuple[Values, Values]:
    """Disorder observed and expected, of rows of sums."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums[:, 0] / sums[:, 2], sums[:, 1] / sums[:, 2]


def _divide_names(sums: Values) -> tuple[Values, Values]:
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums[:, 0] / sums[:, 1], sums[:, 2] / sums[:, 3]


def _without_each(gamma: Gamma, by_name: bool) -> dict[str, float]:
    def value(other: Gamma | None) -> float:
        if other is None:
            return float("nan")
        return float(combine("disorder", *map(np.float64, other.gamma_cat))) if by_name else other.value

    return {coder: value(other) for coder, other in zip(gamma.texts.corpus.coders, gamma.without_each(), strict=True)}


def _signature(gamma: Gamma, coefficient: str, gap: bool) -> str:
    samples = gamma.samples
    parts: Sequence[Any] = (
        coefficient,
        *gamma.dissimilarity.signature,
        f"sampler:{samples.sampler}",
        f"samples:{gamma.expected.disorder.shape[1]}",
        *([f"precision:{samples.precision:g}"] if samples.precision is not None else []),
        f"seed:{samples.seed}",
        *(["unaligned:count"] if gamma.unaligned == "count" else []),
        *(["bounds"] if gap else []),
        f"v:{__version__}",
    )
    return "|".join(parts)
