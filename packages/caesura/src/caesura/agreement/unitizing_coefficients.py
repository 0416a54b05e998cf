"""Coefficients of agreement on spans: γ, γ-cat and γ-k, Krippendorff's α_U (1995, 2004) and uα, |uα, cuα, (k)uα (2016).

References
----------
Mathet, Widlöcher & Métivier 2015, The Unified and Holistic Method GammaProblem (γ) for Inter-Annotator Agreement Measure and Alignment.
Krippendorff 1995, On the reliability of unitizing continuous data; 2004, Content Analysis (2nd edition), section 11.6.
Krippendorff, Mathet, Bouvry & Widlöcher 2016, On the reliability of unitizing textual continua: Further developments.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from caesura._version import __version__
from caesura.agreement.coefficients import SPAN_COEFFICIENTS
from caesura.agreement.result import Agreement, combine
from caesura.agreement.unitizing_alignment import (
    AlignedTexts,
    Dissimilarity,
    SpanTexts,
    align_columns,
    alignments,
    cheap_tuples,
    describe_gap,
    expect_alignments,
)
from caesura.display.table import format_cell
from caesura.errors import CaesuraError
from caesura.kernels.unitizing import Costs, Units, sum_coincidences, sum_name_costs, sum_section_differences
from caesura.statistics.bootstrap import Resampling
from caesura.validation import validate_choice, validate_integer, validate_positive

Sampler: TypeAlias = Literal["statistical", "shift"]
#: How γ-cat treats a unit that no other annotator has: it is left out, or counted as a difference of labels (as pygamma-agreement does).
Unaligned: TypeAlias = Literal["leave", "count"]
#: How two labels differ: at all, or as numbers, by their squared difference or by that of their ratio.
Difference: TypeAlias = Literal["nominal", "interval", "ratio"]
Values: TypeAlias = NDArray[np.float64]

#: Random texts, and units in them, that share a random stream; fixed, so that the number of threads does not matter.
_BLOCK, _BLOCK_UNITS = 50, 2_000_000
_SAMPLES_WITHOUT_CODER = 30  # samples for the value without each annotator
_MAX_NAMES = 5  # annotators without a span that are named; the others are counted
_MAX_TRIES = 50  # attempts to draw a pivot that keeps its distance


# ---------------------------------------------------------------------- shared by all coefficients


class Details(dict[str, Any]):
    """Numbers and tables by name: ``details["disorder"]`` or ``details.disorder``."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no detail {name!r}; known: {', '.join(self)}.") from None

    @property
    def alignment(self) -> Any:
        """The alignment of the text with the highest disorder."""
        return max(self["alignments"], key=lambda each: each.disorder)


def interval_over_items(
    sums: Values, value: Callable[[Values], Values], resampling: Resampling
) -> tuple[float, float] | None:
    """Compute a bootstrap interval: draw items with replacement, add up their sums, and convert the sums to values."""
    used = sums[sums.any(axis=1)]
    weights = resampling.item_weights(len(used))
    return None if weights is None else resampling.interval(value(weights @ used))


def per_item(texts: SpanTexts, observed: Values, expected: Values) -> dict[str, dict[str, float]]:
    """Compute the agreement on every item, with chance estimated from that item only."""
    spans, coders = np.zeros(len(observed)), np.zeros(len(observed), np.int64)
    for text, item in enumerate(texts.item_of.tolist()):
        spans[item] += texts.rows[texts.sizes[text + 1]] - texts.rows[texts.sizes[text]]
        coders[item] = max(coders[item], texts.sizes[text + 1] - texts.sizes[text])
    values = combine("disorder", observed, expected)
    return {
        texts.corpus.items[item]: {
            "coders": int(coders[item]),
            "spans": int(spans[item]),
            "observed": float(observed[item]),
            "expected": float(expected[item]),
            "value": float(values[item]),
        }
        for item in np.unique(texts.item_of).tolist()
    }


def describe_unmarked(texts: SpanTexts) -> str:
    """Return a note about annotators without a span in a text, who are included in the comparison; empty if there are none."""
    unmarked = texts.silent
    if not unmarked:
        return ""
    more = f" and {len(unmarked) - _MAX_NAMES} more" if len(unmarked) > _MAX_NAMES else ""
    return f"marked nothing, and are included: {', '.join(unmarked[:_MAX_NAMES])}{more}"


def keep_longest(text: SpanTexts) -> SpanTexts:
    """Keep the longest of overlapping units of one annotator and label; of equally long ones the first."""
    starts, ends, codes = text.units
    coders = np.repeat(np.arange(len(text.rows) - 1), np.diff(text.rows))
    kept: dict[tuple[int, int], list[tuple[float, float]]] = {}  # sorted, without overlaps
    keep = np.zeros(len(starts), bool)
    for u in np.argsort(starts - ends, kind="stable").tolist():
        others = kept.setdefault((coders[u], codes[u]), [])
        at = bisect_left(others, (starts[u], ends[u]))
        free = (at == 0 or others[at - 1][1] <= starts[u]) and (at == len(others) or others[at][0] >= ends[u])
        if free:
            others.insert(at, (starts[u], ends[u]))
            keep[u] = True
    rows = np.concatenate(([0], np.cumsum(np.bincount(coders[keep], minlength=len(text.rows) - 1))))
    return replace(text, units=Units(starts[keep], ends[keep], codes[keep]), rows=rows)


# ---------------------------------------------------------------------- random annotators


class RandomTexts(NamedTuple):
    """Random texts as columns; the layout is that of :class:`SpanTexts`."""

    units: Units
    rows: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @property
    def means(self) -> NDArray[np.float64]:
        """For each text, the mean number of units per annotator."""
        return np.asarray(np.diff(self.rows[self.sizes]) / np.diff(self.sizes))


def draw_texts(text: SpanTexts, sampler: Sampler, number: int, random: np.random.Generator) -> RandomTexts:
    """Draw random texts with the annotators of one text; every text has at least one unit.

    The results of the two samplers differ considerably, so the signature names the one used. "statistical" draws the number of
    units of each annotator, the gap before a unit and its length from normal distributions with the text's mean and standard
    deviation (a negative gap is an overlap), and its label by frequency. "shift" (Mathet et al. 2015) draws real annotators with
    replacement and rotates their units around the text by a random pivot, which preserves order, lengths, gaps and overlaps;
    the pivots of one text are at least half a mean unit apart.
    """
    draw = _draw_statistically if sampler == "statistical" else _draw_shifted
    return draw(text, number, random)


def _draw_statistically(text: SpanTexts, number: int, random: np.random.Generator) -> RandomTexts:
    starts, ends, codes = text.units
    given = np.diff(text.rows)
    gaps = starts - np.concatenate(([0.0], ends[:-1]))
    firsts = text.rows[:-1][given > 0]
    gaps[firsts] = starts[firsts]
    if given.max() == 1:  # with single units only, their positions would otherwise always be reproduced
        gaps = np.append(gaps, text.lengths[0] - ends)
    lengths = ends - starts
    counts = np.abs(np.rint(random.normal(given.mean(), given.std(), (number, len(given))))).astype(np.int64)
    counts[counts.sum(axis=1) == 0, 0] = 1
    rows = np.concatenate(([0], np.cumsum(counts.ravel())))
    size = int(rows[-1])
    gap = random.normal(gaps.mean(), gaps.std(), size)
    long = np.abs(random.normal(lengths.mean(), lengths.std(), size))
    while len(empty := np.flatnonzero(long <= 1e-9 * lengths.mean())):  # units must not be empty
        long[empty] = np.abs(random.normal(lengths.mean(), lengths.std(), len(empty)))
    named = codes[random.integers(0, len(codes), size)]
    reached = np.cumsum(gap + long)  # over all annotators; the end of the previous one is subtracted below
    before = np.concatenate(([0.0], reached))[rows[:-1]]
    end = reached - np.repeat(before, np.diff(rows))
    start = end - long
    return RandomTexts(
        Units(start, np.maximum(end, np.nextafter(start, np.inf)), named), rows, _sizes(number, len(given))
    )


def _draw_shifted(text: SpanTexts, number: int, random: np.random.Generator) -> RandomTexts:
    starts, ends, codes = text.units
    given, length = np.diff(text.rows), float(text.lengths[0])
    n, apart = len(given), float((ends - starts).mean()) / 2
    who = random.integers(0, n, (number, n))
    while len(empty := np.flatnonzero(given[who].sum(axis=1) == 0)):
        who[empty] = random.integers(0, n, (len(empty), n))
    pivots = np.empty((number, n))
    for i in range(n):
        pivots[:, i] = random.uniform(0, length, number)
        for _ in range(_MAX_TRIES):
            near = np.flatnonzero((np.abs(pivots[:, :i] - pivots[:, i : i + 1]) < apart).any(axis=1))
            if not len(near):
                break
            pivots[near, i] = random.uniform(0, length, len(near))
    counts = given[who].ravel()
    rows = np.concatenate(([0], np.cumsum(counts)))
    taken = np.repeat(text.rows[who.ravel()] - rows[:-1], counts) + np.arange(rows[-1])
    start = starts[taken] + np.repeat(pivots.ravel(), counts)
    start = np.where(start >= length, start - length, start)
    return RandomTexts(Units(start, start + (ends - starts)[taken], codes[taken]), rows, _sizes(number, n))


def _sizes(number: int, annotators: int) -> NDArray[np.int64]:
    return np.arange(number + 1) * annotators


# ---------------------------------------------------------------------- γ


@dataclass(frozen=True)
class SamplingSettings:
    """How random texts are drawn.

    With ``precision``, as many texts are drawn as the expected disorder needs to be within that relative error with 95 %.
    """

    number: int = 100
    sampler: Sampler = "statistical"
    seed: int = 0
    precision: float | None = None
    threads: int | None = None

    def __post_init__(self) -> None:
        validate_integer("samples", self.number, 2)
        validate_integer("seed", self.seed)
        validate_choice("sampler", self.sampler, get_args(Sampler))
        if self.precision is not None:
            validate_positive("precision", self.precision)


class ChanceSamples(NamedTuple):
    """Aligned random texts: disorder and its possible excess per text and sample, and sums over labels, per text and per label."""

    disorder: Values
    gap: Values
    names: Values
    by_code: Values


@dataclass(frozen=True, eq=False)
class GammaProblem:
    r"""γ of some texts: one set of best alignments, one set of random texts, and all values that follow from them.

    .. math:: \gamma = 1 - \frac{\delta_o}{\delta_e}

    Texts are pooled: the costs of the best alignments are added up, and so are the costs expected of each text.
    """

    texts: SpanTexts
    dissimilarity: Dissimilarity
    samples: SamplingSettings
    unaligned: Unaligned = "leave"
    limit: float | None = None

    def __post_init__(self) -> None:
        validate_choice("unaligned", self.unaligned, get_args(Unaligned))
        if self.limit is not None:
            validate_positive("limit", self.limit)

    @cached_property
    def costs(self) -> Costs:
        """The costs in the form that the compiled loops take."""
        return self.dissimilarity.costs(self.texts.labels)

    @cached_property
    def aligned(self) -> AlignedTexts:
        """The best alignments."""
        return align_columns(self.texts.units, self.texts.rows, self.texts.sizes, self.costs, self.limit)

    @cached_property
    def names(self) -> tuple[Values, Values]:
        """Sums over the labels of aligned units, per text and per label."""
        return self._sum_names(RandomTexts(self.texts.units, self.texts.rows, self.texts.sizes), self.aligned)

    @cached_property
    def expected(self) -> ChanceSamples:
        """Aligned random texts: the number requested, or the number that the precision needs."""
        drawn = self._draw(0, self.samples.number)
        if self.samples.precision is None:
            return drawn
        totals = self.texts.means @ drawn.disorder
        spread = float(totals.std(ddof=1) / totals.mean()) if totals.mean() else 0.0
        needed = ceil((1.96 * spread / self.samples.precision) ** 2)
        if needed <= self.samples.number:
            return drawn
        more = self._draw(1, needed - self.samples.number)
        return ChanceSamples(
            np.hstack((drawn.disorder, more.disorder)),
            np.hstack((drawn.gap, more.gap)),
            drawn.names + more.names,
            drawn.by_code + more.by_code,
        )

    def _draw(self, stage: int, number: int) -> ChanceSamples:
        # leaving out each annotator in turn takes about half as long again
        expect_alignments(1.5 * number, self.texts.units, self.texts.sizes)
        texts = [self.texts.text(t) for t in range(len(self.texts))]
        sizes = [max(1, min(_BLOCK, _BLOCK_UNITS // max(1, len(text.units.starts)))) for text in texts]
        jobs = [
            (t, first, min(size, number - first)) for t, size in enumerate(sizes) for first in range(0, number, size)
        ]

        def work(job: tuple[int, int, int]) -> tuple[Values, Values, Values, Values]:
            text, first, size = job
            random = np.random.default_rng([self.samples.seed, text, stage, first])
            if not len(texts[text].units.starts):
                return np.zeros(size), np.zeros(size), np.zeros(2), np.zeros((len(self.texts.labels), 2))
            drawn = draw_texts(texts[text], self.samples.sampler, size, random)
            aligned = align_columns(*drawn, self.costs, self.limit, cheap_tuples(len(texts[text].units.starts)))
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
        return ChanceSamples(disorder, gap, names, by_code)

    def _sum_names(self, texts: RandomTexts, aligned: AlignedTexts) -> tuple[Values, Values]:
        by_text, by_code = np.zeros((len(texts.sizes) - 1, 2)), np.zeros((len(self.texts.labels), 2))
        sum_name_costs(*texts, aligned.tuple_of, self.costs, self.unaligned == "count", by_text, by_code)
        return by_text, by_code

    @property
    def sums(self) -> Values:
        """Per text: observed cost, expected cost, mean number of units."""
        means = self.texts.means
        return np.stack((self.aligned.costs, means * self.expected.disorder.mean(axis=1), means), axis=1)

    @property
    def disorders(self) -> tuple[float, float]:
        """The observed and expected disorder of all texts together."""
        observed, expected, units = self.sums.sum(axis=0)
        return float(observed / units), float(expected / units)

    @property
    def value(self) -> float:
        """γ."""
        return float(combine("disorder", *map(np.float64, self.disorders)))

    @property
    def standard_error(self) -> float:
        r"""The error of γ due to sampling: :math:`\delta_o SE(\delta_e) / \delta_e^2`."""
        totals = self.texts.means @ self.expected.disorder / self.texts.means.sum()
        observed, expected = self.disorders
        return float(observed * totals.std(ddof=1) / np.sqrt(len(totals)) / expected**2) if expected else 0.0

    def describe_chance(self) -> str:
        """Return a note if random texts had too many tuples, with bounds on the expected disorder; empty if it is exact."""
        gap = float(self.texts.means @ self.expected.gap.mean(axis=1) / self.texts.means.sum())
        if gap <= 1e-6:
            return ""
        expected = self.disorders[1]
        return f"random texts have too many alignments to search: the expected disorder lies between {format_cell(expected - gap)} and {format_cell(expected)}"

    @property
    def gamma_cat(self) -> tuple[float, float]:
        """The observed and expected difference of labels in aligned units; NaN if no two units are aligned."""
        return _ratio(self.names[0].sum(axis=0)), _ratio(self.expected.names.sum(axis=0))

    @property
    def gamma_k(self) -> dict[str | None, float]:
        """γ-cat by label, over the pairs in which a unit has that label; NaN if there are none."""
        observed, expected = self.names[1], self.expected.by_code
        used = np.flatnonzero(np.bincount(self.texts.units.codes, minlength=len(self.texts.labels)))
        return {
            self.texts.labels[k]: float(combine("disorder", _ratio(observed[k]), _ratio(expected[k]))) for k in used
        }

    @property
    def names_by_text(self) -> Values:
        """Per text: cost and weight of labels, observed and then expected."""
        return np.hstack((self.names[0], self.expected.names))

    def without_each(self) -> list[GammaProblem | None]:
        """Leave out each coder in turn, with the same random numbers for all; None if nothing is left to compare."""
        fewer = SamplingSettings(
            min(_SAMPLES_WITHOUT_CODER, self.samples.number),
            self.samples.sampler,
            self.samples.seed,
            None,
            self.samples.threads,
        )
        left = [self.texts.without(coder) for coder in range(len(self.texts.corpus.coders))]
        return [
            None if texts is None else GammaProblem(texts, self.dissimilarity, fewer, self.unaligned, self.limit)
            for texts in left
        ]


def _ratio(sums: Values) -> np.float64:
    return np.float64(sums[0] / sums[1]) if sums[1] > 0 else np.float64(np.nan)


def gamma_agreement(gamma: GammaProblem, coefficient: str, resampling: Resampling) -> Agreement:
    """Make the result for γ or γ-cat."""
    texts, by_name = gamma.texts, coefficient == "gamma-cat"
    aligned = alignments(texts, gamma.aligned, gamma.dissimilarity)
    observed, expected = gamma.gamma_cat if by_name else gamma.disorders
    sums = gamma.names_by_text if by_name else gamma.sums
    divide = _divide_names if by_name else _divide_costs
    notes = [note for note in (describe_gap(aligned), gamma.describe_chance(), describe_unmarked(texts)) if note]
    if np.isnan(observed) or np.isnan(expected):
        notes.append("no units of two annotators are aligned, so there are no labels to compare")
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
        leave_one_out=_values_without_each(gamma, by_name),
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
        interval=interval_over_items(
            _by_item(texts, sums), lambda drawn: combine("disorder", *divide(drawn)), resampling
        ),
        formula="disorder",
        title=SPAN_COEFFICIENTS[coefficient],
    )


def _by_item(texts: SpanTexts, sums: Values) -> Values:
    table = np.zeros((len(texts.corpus.items), sums.shape[1]))
    np.add.at(table, texts.item_of, sums)
    return table


def _divide_costs(sums: Values) -> tuple[Values, Values]:
    """Compute observed and expected disorder from rows of sums."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums[:, 0] / sums[:, 2], sums[:, 1] / sums[:, 2]


def _divide_names(sums: Values) -> tuple[Values, Values]:
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums[:, 0] / sums[:, 1], sums[:, 2] / sums[:, 3]


def _values_without_each(gamma: GammaProblem, by_name: bool) -> dict[str, float]:
    def value(other: GammaProblem | None) -> float:
        if other is None:
            return float("nan")
        return float(combine("disorder", *map(np.float64, other.gamma_cat))) if by_name else other.value

    return {coder: value(other) for coder, other in zip(gamma.texts.corpus.coders, gamma.without_each(), strict=True)}


def _signature(gamma: GammaProblem, coefficient: str, gap: bool) -> str:
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


# ---------------------------------------------------------------------- α_U


class Disagreement(NamedTuple):
    r"""Observed and expected disagreement of α_U as exact fractions.

    .. math:: D_o(c) = \frac{2}{n(n-1)L^2} \sum_{i<j} \sum_{sections} \delta, \qquad
       D_e(c) = \frac2L \cdot \frac{\sum_u (N_c - 1)\,\ell(\ell-1)(2\ell-1)/3 + \ell^2 \sum_{g \ge \ell} (g - \ell + 1)}{nL(nL-1) - \sum_u \ell(\ell-1)}

    with :math:`\delta` the squared differences of the ends of two units that intersect, the squared length of a unit inside a
    gap of the other annotator, and 0 otherwise; ℓ are lengths of units, g lengths of gaps.
    :math:`\alpha_U = 1 - \sum_c D_o / \sum_c D_e`. All terms are whole numbers, and stay exact.
    """

    observed: Fraction
    expected: Fraction


def disagreements(text: SpanTexts, positions: Positions) -> list[Disagreement]:
    """Compute D_o and D_e of one text for every label."""
    starts, ends, length = positions
    coders = np.repeat(np.arange(len(text.rows) - 1), np.diff(text.rows))
    order = np.argsort(text.units.codes, kind="stable")
    bounds = np.searchsorted(text.units.codes[order], np.arange(1, len(text.labels)))
    return [
        _disagreement(starts[own], ends[own], coders[own], len(text.rows) - 1, length)
        for own in np.split(order, bounds)
    ]


class Positions(NamedTuple):
    """Starts and ends of units and the length of the text, in whole steps."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    length: int


def whole_positions(text: SpanTexts, resolution: float) -> Positions:
    """Round the units of a text to a grid with steps of ``resolution``."""
    columns = (text.units.starts, text.units.ends, text.lengths[0])
    starts, ends, length = (np.rint(np.asarray(column) / resolution).astype(np.int64) for column in columns)
    if (ends <= starts).any():
        bad = int(np.flatnonzero(ends <= starts)[0])
        raise CaesuraError(
            f"the span {text.units.starts[bad]:g}–{text.units.ends[bad]:g} of {text.title(0)} is shorter than one step of "
            f"{resolution:g}; choose a finer resolution."
        )
    return Positions(starts, ends, int(length))


def _disagreement(
    starts: NDArray[np.int64], ends: NDArray[np.int64], coders: NDArray[np.int64], n: int, length: int
) -> Disagreement:
    """Compute D_o and D_e of the units of one label, which are sorted by annotator and start."""
    if not len(starts):
        return Disagreement(Fraction(0), Fraction(0))
    offsets = np.searchsorted(coders, np.arange(n + 1))
    high, low = sum_section_differences(starts, ends, offsets)
    observed = Fraction(
        2 * ((int(high) << 32) + int(low)), n * (n - 1) * length * length
    )  # the kernel returns two words
    lengths = np.sort(ends - starts)
    gaps = np.sort(_gaps(starts, ends, coders, n, length))
    if (int(lengths[-1]) + 1) ** 2 * (n * length + 1) * len(
        lengths
    ) >= 2**62:  # products would overflow: use Python integers
        lengths, gaps = lengths.astype(object), gaps.astype(object)
    return Disagreement(observed, _expected_disagreement(lengths, gaps, n * length, length))


def _gaps(starts: Any, ends: Any, coders: Any, n: int, length: int) -> NDArray[np.int64]:
    """Return the gaps of all annotators; an annotator without units has one gap of the whole length."""
    before = np.where(np.diff(coders, prepend=-1) > 0, 0, np.concatenate(([0], ends[:-1])))
    last = np.flatnonzero(np.diff(coders, append=n) > 0)
    unmarked = np.full(n - len(last), length)
    gaps = np.concatenate((starts - before, length - ends[last], unmarked))
    return np.asarray(gaps[gaps > 0])


def _expected_disagreement(lengths: NDArray[Any], gaps: NDArray[Any], whole: int, length: int) -> Fraction:
    """Compute D_e; sorting and cumulated sums give, for every length of a unit, the gaps that are long enough."""
    units = len(lengths)
    number = len(gaps) - np.searchsorted(gaps.astype(np.int64), lengths.astype(np.int64))
    sums = np.concatenate((np.cumsum(gaps[::-1])[::-1], [0])) if len(gaps) else np.zeros(1, np.int64)
    fits = sums[len(gaps) - number] - number * (lengths - 1)
    inside = _sum(lengths * lengths * fits)
    unit_pairs = _sum(lengths * (lengths - 1) * (2 * lengths - 1))
    below = whole * (whole - 1) - _sum(lengths * (lengths - 1))
    above = Fraction((units - 1) * unit_pairs, 3) + inside
    return Fraction(2, length) * above / below if below else Fraction(0)


def _sum(values: NDArray[Any]) -> int:
    return int(values.sum()) if len(values) else 0


def check_no_overlap(text: SpanTexts, name: str, *, within_label: bool) -> None:
    """Raise an error that names two overlapping units of one annotator (and of one label, if ``within_label``)."""
    starts, ends, codes = text.units
    coders = np.repeat(np.arange(len(text.rows) - 1), np.diff(text.rows))
    keys = (starts, codes, coders) if within_label else (starts, coders)
    order = np.lexsort(keys)
    same = np.diff(coders[order]) == 0
    if within_label:
        same &= np.diff(codes[order]) == 0
    crossing = np.flatnonzero(same & (starts[order][1:] < ends[order][:-1]))
    if len(crossing):
        u, v = order[crossing[0]], order[crossing[0] + 1]
        label = f" {text.labels[codes[u]]}" if within_label and text.labels[codes[u]] else ""
        raise CaesuraError(
            f"{name} does not allow overlapping units{' of one label' * within_label}; {text.coders(0)[coders[u]]} marked "
            f"{starts[u]:g}–{ends[u]:g} and {starts[v]:g}–{ends[v]:g}{label} in {text.title(0)}; use γ"
            + (", or overlap='longest' to keep the longest." if within_label else ".")
        )


# ---------------------------------------------------------------------- uα, |uα, cuα, (k)uα


@dataclass(frozen=True)
class Coincidences:
    r"""Observed and expected disagreement of the coefficients of 2016, in positions; they add up over texts.

    Gaps are a label of their own (∅). With :math:`\ell_{ck}` the length on which units of ``c`` coincide with units of ``k`` of
    other annotators, :math:`\ell = nL`, and :math:`q_c` the sum of squared lengths of units (for gaps, which are no units, the
    sum of their lengths), chance expects

    .. math:: \varepsilon_{ck} = \ell\, \frac{\ell_c \ell_k - [c = k]\, q_c}{\ell^2 - \sum q}

    uα compares all labels and gaps, |uα marked and unmarked text, cuα the labels where two units coincide, (k)uα one of these.
    ``by_label`` has four columns per label: observed and expected of (k)uα, the length that coincides with any unit (m_k), and
    the length marked (ℓ_k).
    """

    u: Values
    bar: Values
    cu: Values
    by_label: Values

    @property
    def row(self) -> Values:
        """All numbers in one row."""
        return np.concatenate((self.u, self.bar, self.cu, self.by_label.ravel()))


def count_coincidences(text: SpanTexts, positions: Positions, difference: Difference) -> Coincidences:
    """Compute the coincidences of one text."""
    by_code = np.zeros((len(text.labels) + 1, 5))
    values = np.empty(0) if difference == "nominal" else label_values(text.labels)
    apart = sum_coincidences(
        positions.starts, positions.ends, text.units.codes, text.rows, positions.length, values, difference == "ratio", by_code
    )  # fmt: skip
    others = len(text.rows) - 2
    by_code[:, [1, 2, 4]] /= others  # sums over the other annotators become means
    marked, same, beside_none, squares, overlaps = by_code.T
    whole = float(others + 1) * positions.length
    scale = whole / (whole * whole - squares.sum()) if whole * whole > squares.sum() else 0.0
    u = [whole - same.sum(), whole - scale * float((marked * marked - squares).sum())]
    bar = [marked[-1] - same[-1], scale * marked[-1] * (whole - marked[-1])]
    met, same, overlaps, marked = (marked - beside_none)[:-1], same[:-1], overlaps[:-1], marked[:-1]
    total = float(met.sum())
    below = total - overlaps.sum() / total if total else 0.0
    share = 1.0 / below if below > 1e-12 * total else 0.0
    if difference == "nominal":
        cu = [total - same.sum(), share * float(total * total - (met * met).sum())]
    else:
        cu = [apart / others, share * _expected_difference(met, values, difference)]
    expected, expected_same = share * (met * total - overlaps), share * (met * met - overlaps)
    ratio = np.divide(expected, met, out=np.zeros_like(met), where=met > 0)
    by_label = np.stack((ratio * (met - same), expected - expected_same, met, marked), axis=1)
    return Coincidences(np.array(u), np.array(bar), np.array(cu), by_label)


def label_values(labels: Sequence[str | None]) -> Values:
    """Convert labels to numbers; no label is NaN."""
    try:
        return np.array([float(label) for label in labels if label is not None] + [np.nan] * (None in labels))
    except ValueError as error:
        raise CaesuraError(f"labels must be numbers for this difference: {error}.") from None


def _expected_difference(met: Values, values: Values, difference: Difference) -> float:
    """Add up m_c · m_k times the squared difference of labels, over all pairs of labels."""
    used = met > 0
    met, values = met[used], values[used]
    change = values[:, None] - values
    if difference == "ratio":
        total = values[:, None] + values
        change = np.divide(change, total, out=np.zeros_like(change), where=change != 0)
    return float(met @ (change * change) @ met)
