"""``agree``: chance-corrected agreement among any number of coders, with partial credit for near misses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from caesura._version import __version__
from caesura.agreement.answer import Agreement, combine
from caesura.agreement.coefficients import COEFFICIENTS, DEFAULT_COEFFICIENTS, Coefficient, Density
from caesura.agreement.places import Decisions
from caesura.agreement.sums import Coding, Sums
from caesura.errors import CaesuraError, UnknownName
from caesura.metrics import Metric, metric
from caesura.metrics.family import share
from caesura.model import DEFAULT_METRICS, Corpus
from caesura.model.corpus import CorpusLike, as_corpus
from caesura.statistics.counted import CountedPairs
from caesura.words import check_choice, check_whole

Values: TypeAlias = NDArray[np.float64]


def agree(
    corpus: CorpusLike,
    metric: str | Metric | None = None,
    coefficient: str | None = None,
    density: Density = "pooled",
    *,
    resamples: int = 0,
    level: float = 0.95,
    seed: int = 0,
    **options: Any,
) -> Agreement:
    """Agreement of all coders of a corpus beyond chance.

    Items may have different coders, and coders may have missed items: every two annotations of one text are a pair, and a
    coder's density is taken over what that coder annotated.

    Parameters
    ----------
    corpus
        A corpus, ``{item: {coder: marks}}``; or of one text ``{coder: marks}``, or a list of marks (coders are then numbered).
    metric
        The pairwise measure: any symmetric one that runs from 0 to 1, by name (``"B:n_t=3"``) or made. By default B of texts, A of
        recordings, nested-F of nested segments. "S" by name alone has scaled weights, as in the paper's section on agreement.
        "Sf" and "SfB" have models of chance of their own, "kappa" by default: those of :func:`~caesura.flexible_agreement`.
    coefficient
        "pi" (Scott's π; Fleiss' multi-π), "kappa" (Cohen's κ; Davies & Fleiss' multi-κ), "bennett" (density one half), "bias"
        (Artstein & Poesio: A_e of π less A_e of κ), "percentage" (A_a uncorrected), and for comparison, without partial
        credit: "alpha" (Krippendorff's α on boundaries) and "majority" (Gale et al. 1992). By default "pi", and "percentage" of
        recordings and nested segments, which have no places for chance. Of spans "gamma" (default), "gamma-cat", "alpha-u", "u-alpha",
        "bar-u-alpha" or "cu-alpha".
    density
        "pooled" (boundaries over places, all annotations together), "mean" (the mean of the annotations' densities), or
        "segments" (segments counted for boundaries, as the program of 2013 did).
    resamples, level, seed
        Of a percentile bootstrap over items; no interval is made with 0 resamples, or from a single item.
    options
        Of the coefficients of spans: those of :func:`~caesura.agreement.gamma` (``samples=``, ``sampler=`` …),
        :func:`~caesura.agreement.alpha_u` and :func:`~caesura.agreement.u_alpha`.

    Returns
    -------
    Agreement
        With ``details``: "matrix" (coder by coder, observed), "leave_one_out", "per_item", "frequency" (of texts; figure 11) and more.

    Examples
    --------
    >>> from caesura import samples
    >>> round(agree(samples.load("stargazer"), density="segments").value, 4)
    0.4405
    >>> round(agree(samples.load("stargazer"), "S:weights=scaled").value, 4)
    0.7667
    """
    from caesura.agreement.unitizing import SPAN_COEFFICIENTS, span_agreements  # many files: the command may need none

    corpus = as_corpus(corpus, "what coders agree on", lambda coder: ("text", coder))
    of_spans = str(coefficient).partition(":")[0] in SPAN_COEFFICIENTS
    if corpus.kind == "spans" and (of_spans or (metric is None and coefficient not in COEFFICIENTS)):
        if metric is not None or density != "pooled":
            raise CaesuraError("coefficients of spans compare units themselves; they take no metric and no density.")
        name = coefficient or next(iter(SPAN_COEFFICIENTS))
        return span_agreements(corpus, [name], resamples=resamples, level=level, seed=seed, **options)[name]
    if of_spans:
        raise CaesuraError(f"{coefficient} is about spans; here are annotations of {corpus.kind}.")
    if options:
        raise CaesuraError(
            f"{next(iter(options))} is an option of coefficients of spans; here are annotations of {corpus.kind}."
        )
    measure = _measure(DEFAULT_METRICS[corpus.kind] if metric is None else metric)
    if measure.name in ("Sf", "SfB"):
        from caesura.agreement.chance import Chance
        from caesura.agreement.flexible_agreement import agree_flexibly

        if coefficient is None or coefficient in get_args(Chance):
            if density != "pooled" or resamples:
                raise CaesuraError(f"chance of {measure.name} needs no density, and its corpus is not resampled.")
            return agree_flexibly(corpus, measure, coefficient or "kappa", seed=seed)
    name = coefficient or DEFAULT_COEFFICIENTS[corpus.kind][0]
    return agreements(corpus, measure, [name], density, resamples=resamples, level=level, seed=seed)[name]


def agreements(
    corpus: Corpus | CountedPairs,
    metric: str | Metric | None = None,
    coefficients: Iterable[str] | None = None,
    density: Density = "pooled",
    *,
    resamples: int = 0,
    level: float = 0.95,
    seed: int = 0,
) -> dict[str, Agreement]:
    """Work out several coefficients, by default all usual ones, from pairs that are counted one time."""
    counted = corpus if isinstance(corpus, CountedPairs) else CountedPairs.among_coders(corpus)
    kind = counted.pairs.reference.kind
    names = list(DEFAULT_COEFFICIENTS[kind] if coefficients is None else coefficients)
    if (unknown := next((name for name in names if name not in COEFFICIENTS), None)) is not None:
        from caesura.agreement.unitizing import SPAN_COEFFICIENTS

        if str(unknown).partition(":")[0] in SPAN_COEFFICIENTS:
            why = "a metric compares pairs" if kind == "spans" else f"here are annotations of {kind}"
            raise CaesuraError(f"{unknown} compares the units of spans, and {why}.")
        raise UnknownName("coefficient", str(unknown), list(COEFFICIENTS))
    check_choice("density", density, get_args(Density))
    question = _Question(
        Coding(counted, _measure(DEFAULT_METRICS[kind] if metric is None else metric)),
        density,
        _Draws(resamples, level, seed),
    )
    return {name: question.answer(name) for name in names}


def _measure(name: str | Metric) -> Metric:
    """Make the measure. Plain "S" is the scaled S of the paper's section 5, where it was used for agreement; "S:weights=unit" is the other."""
    return metric("S:weights=scaled" if name == "S" else name)


@dataclass(frozen=True)
class _Draws:
    """A percentile bootstrap over items."""

    resamples: int
    level: float
    seed: int

    def __post_init__(self) -> None:
        check_whole("resamples", self.resamples)
        check_whole("seed", self.seed)
        if not 0 < self.level < 1:
            raise CaesuraError(f"level is {self.level}; expected a number between 0 and 1.")

    def interval(self, values: Values) -> tuple[float, float]:
        """Return the two quantiles; undefined values are left out."""
        low, high = np.nanquantile(values, [(1 - self.level) / 2, (1 + self.level) / 2])
        return float(low), float(high)


@dataclass(frozen=True, eq=False)
class _Question:
    """One corpus, metric and density; what several coefficients need is worked out once."""

    coding: Coding
    density: Density
    draws: _Draws

    @cached_property
    def decisions(self) -> Decisions:
        return Decisions(self.coding.corpus)

    @cached_property
    def matrix(self) -> Values:
        return self.coding.matrix()

    @cached_property
    def weights(self) -> Values | None:
        return self.coding.draws(self.draws.resamples, self.draws.seed)

    @cached_property
    def resampled_sums(self) -> Sums | None:
        return None if self.weights is None else self.coding.by_item.take(self.weights)

    def answer(self, name: str) -> Agreement:
        """Work out one coefficient."""
        coefficient, corpus = COEFFICIENTS[name], self.coding.corpus
        if corpus.kind != "units" and name != "percentage":
            raise CaesuraError(
                f"{coefficient.of_many} counts places where a boundary might be, which {corpus.kind} annotations do not "
                "have; coefficient='percentage' says how much coders agree without correcting for chance."
            )
        by_place = coefficient.by_place is not None
        observed, expected = self._by_place(coefficient) if by_place else self._parts(coefficient, self.coding.whole)
        return Agreement(
            coefficient=name,
            observed=float(observed[0]),
            expected=float(expected[0]),
            signature=self._signature(name, by_place),
            formula=coefficient.formula,
            interval=self._interval(coefficient),
            details=self._details(coefficient),
            title=coefficient.of_two if len(corpus.coders) == 2 else coefficient.of_many,
            unmeasured=self._unmeasured_sentences(corpus),
        )

    def _unmeasured_sentences(self, corpus: Corpus) -> tuple[str, ...]:
        if len(corpus.names) < 2:
            return ()
        from caesura.metrics.catalog import tell_unmeasured_names

        return tuple(tell_unmeasured_names([self.coding.metric], True, True))

    def _signature(self, name: str, by_place: bool) -> str:
        inner = (
            ["boundaries"] if by_place else [*self.coding.metric.signature.split("|")[:-1], f"density:{self.density}"]
        )
        return "|".join([name, *inner, f"v:{__version__}"])

    def _parts(self, coefficient: Coefficient, sums: Sums) -> tuple[Values, Values]:
        """A_a and A_e for every member of the leading axis; of "bias", the two A_e it is the difference of."""
        observed = (
            coefficient.observed(sums, self.density) if coefficient.observed else self.coding.similarity(sums.parts)
        )
        return np.asarray(observed), coefficient.expected(sums, self.density)

    def _by_place(self, coefficient: Coefficient, weights: Values | None = None) -> tuple[Values, Values]:
        assert coefficient.by_place is not None
        sums = self.decisions.sums()
        return coefficient.by_place(np.ones((1, len(sums))) @ sums if weights is None else weights @ sums)

    def _interval(self, coefficient: Coefficient) -> tuple[float, float] | None:
        if self.weights is None or self.resampled_sums is None:
            return None
        by_place = coefficient.by_place is not None
        parts = self._by_place(coefficient, self.weights) if by_place else self._parts(coefficient, self.resampled_sums)
        return self.draws.interval(combine(coefficient.formula, *parts))

    def _details(self, coefficient: Coefficient) -> dict[str, Any]:
        corpus, sums = self.coding.corpus, self.coding.by_item
        details: dict[str, Any] = {
            "coders": list(corpus.coders),
            "items": list(corpus.items),
            "pairs": len(self.coding.counted.pairs),
            "matrix": self.matrix,
            "leave_one_out": dict(zip(corpus.coders, self._without_each(coefficient).tolist(), strict=True)),
            "per_item": self._per_item(COEFFICIENTS["percentage"] if coefficient.by_place else coefficient),
        }
        if not sums.places.any():  # recordings and hierarchies have no places to be counted
            return details
        frequency = share(sums.marks.sum(axis=0), sums.places.sum(axis=0))
        return details | {
            "frequency": dict(zip(corpus.coders, frequency.tolist(), strict=True)),
            "frequency_mean": float(frequency.mean()),
            "frequency_sd": float(frequency.std(ddof=1)) if len(frequency) > 1 else 0.0,
        }

    def _without_each(self, coefficient: Coefficient) -> Values:
        """Return the value without each coder in turn; NaN where nothing is left to compare."""
        coders = np.arange(len(self.coding.corpus.coders))
        if coefficient.by_place is not None:
            if len(coders) < 3:
                return np.full(len(coders), np.nan)
            sums = np.stack([self.decisions.sums(without=coder).sum(axis=0) for coder in coders.tolist()])
            return combine(coefficient.formula, *coefficient.by_place(sums))
        met = self.coding.counted.meetings()
        left = met.sum() > 2 * met.sum(axis=0)  # somebody met somebody else
        parts = self._parts(coefficient, self.coding.without_each)
        return np.where(left, combine(coefficient.formula, *parts), np.nan)

    def _per_item(self, coefficient: Coefficient) -> dict[str, dict[str, float]]:
        """Return what coders agree on item by item; chance is that of the item alone."""
        sums = self.coding.by_item
        observed, expected = self._parts(coefficient, sums)
        pairs = np.bincount(self.coding.counted.pairs.item_of, minlength=len(observed))
        columns = {
            "pairs": pairs,
            "coders": (sums.annotations > 0).sum(axis=1),
            "boundaries": sums.marks.sum(axis=1),
            "observed": np.where(pairs > 0, observed, np.nan),
            "expected": expected,
            "value": np.where(pairs > 0, combine(coefficient.formula, observed, expected), np.nan),
        }
        listed = zip(*(column.tolist() for column in columns.values()), strict=True)
        rows = (dict(zip(columns, row, strict=True)) for row in listed)
        return dict(zip(self.coding.corpus.items, rows, strict=True))
