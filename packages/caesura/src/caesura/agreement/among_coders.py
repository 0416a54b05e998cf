"""Measure agreement among coders: ``agree`` and ``agreements`` choose the coefficients that the annotations allow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from caesura._version import __version__
from caesura.agreement.coefficients import (
    COEFFICIENTS,
    DEFAULT_COEFFICIENTS,
    EVENT_COEFFICIENTS,
    LABEL_COEFFICIENTS,
    SPAN_COEFFICIENTS,
    AgreementSums,
    BoundaryDecisions,
    Coefficient,
    Density,
    SumTable,
    Values,
    corpus_of_coders,
    is_label_coefficient,
    unknown_coefficient,
)
from caesura.agreement.ratings import Ratings
from caesura.agreement.result import Agreement, combine
from caesura.errors import CaesuraError
from caesura.metrics import Metric, metric
from caesura.metrics.family import share
from caesura.model import DEFAULT_METRICS
from caesura.model.corpus import KIND_NOUNS, Corpus, DataLike
from caesura.options import option_types, parse_options, validate_names
from caesura.statistics.bootstrap import Resampling
from caesura.statistics.counted import CountedPairs
from caesura.validation import validate_choice

if TYPE_CHECKING:
    from caesura.anchoring import AnchoredCorpus
    from caesura.statistics.anchored import AnchorLike

#: Metrics with models of chance of their own.
FLEXIBLE_METRICS = ("Sf", "SfB")
#: Metrics of recordings whose chance is that of random times.
_TIMED_METRICS = ("boundary-F", "Sf", "SfB")

#: Computes the named coefficients, or the default ones if the names are None.
_Compute: TypeAlias = Callable[[Sequence[str] | None], dict[str, Agreement]]


def agree(
    corpus: DataLike | Mapping[str, DataLike] | Ratings,
    metric: str | Metric | None = None,
    coefficient: str | None = None,
    density: Density = "pooled",
    *,
    resamples: int = 0,
    level: float = 0.95,
    seed: int = 0,
    anchor: AnchorLike = None,
    **options: Any,
) -> Agreement:
    """Measure the agreement of all coders of a corpus, corrected for chance.

    Items may have different coders. Every two annotations of one text are a pair, and the density of a coder is computed from
    that coder's annotations only.

    Parameters
    ----------
    corpus : Corpus, dict or list
        A corpus, ``{item: {coder: marks}}``; for one text also ``{coder: marks}`` or a list of marks (coders are numbered). For
        coefficients of labels also :class:`~caesura.agreement.ratings.Ratings`.
    metric : str or Metric, default None
        The pairwise measure: a symmetric metric from 0 to 1, by name (``"B:n_t=3"``) or as an object. By default B for texts,
        A for recordings, nested-F for nested segments. The name "S" means scaled weights, as in the section on agreement of
        Fournier & Inkpen (2012). "Sf" and "SfB" have their own models of chance; see :func:`~caesura.flexible_agreement`.
    coefficient : str, default None
        "pi" (Scott's π; Fleiss' multi-π), "kappa" (Cohen's κ; Davies & Fleiss' multi-κ), "bennett" (density one half), "bias"
        (Artstein & Poesio: A_e of π minus A_e of κ), "percentage" (A_a uncorrected), and for comparison, without partial
        credit, "alpha" (Krippendorff's α on boundaries), "majority" (Gale et al. 1992) and "hearst" (Hearst's π*, which corrects it). By default
        "pi"; "percentage" for recordings and nested segments, whose places cannot be counted; "kappa" with "Sf" and "SfB". For spans "gamma"
        (default), "gamma-cat", "alpha-u", "u-alpha", "bar-u-alpha" or "cu-alpha"; for events "linked-kappa" (EasyDIAg) and "organisation" (Staccato).
        For recordings "kappa" with the metrics "boundary-F", "Sf" and "SfB", for nested segments "kappa" with any. Of one label per unit (names of
        segments, labels of spans, or boundary or none at every gap), without a metric: "ac1", "ac2:weights=ordinal", "brennan-prediger", "conger",
        "fleiss" and "alpha:distance=nominal", ordinal, interval, ratio, masi or jaccard.
    density : {"pooled", "mean", "segments"}, default "pooled"
        Boundaries over places, all annotations together; the mean of the annotations' densities; or segments counted instead
        of boundaries, as the program of 2013 did.
    resamples : int, default 0
        Resamples of a percentile bootstrap over items; there is no interval with 0 resamples or a single item.
    level : float, default 0.95
        The level of the interval.
    seed : int, default 0
        The seed of all random numbers.
    anchor : bool, str, dict or AnchorOptions, default None
        Whether the texts of coders may differ: True, a level, or parameters of :class:`~caesura.anchoring.AnchorOptions`. Annotations are
        moved to the text of the first coder of an item; marks without a place are left out. The signature names it.
    **options
        For spans, parameters of :func:`~caesura.agreement.gamma` (``samples=``, ``sampler=`` …),
        :func:`~caesura.agreement.alpha_u` and :func:`~caesura.agreement.u_alpha`; with "Sf" and "SfB", those of the simulation
        in :func:`~caesura.flexible_agreement`.

    Returns
    -------
    Agreement
        Its ``details`` have "matrix" (observed agreement of every pair of coders), "leave_one_out", "per_item", for texts
        "frequency" (figure 11 of Fournier 2013), and more.

    Raises
    ------
    CaesuraError
        If no text has two coders, or the metric or coefficient does not apply to the annotations.

    Examples
    --------
    >>> from caesura import samples
    >>> round(agree(samples.load("stargazer"), density="segments").value, 4)
    0.4405
    >>> round(agree(samples.load("stargazer"), "S:weights=scaled").value, 4)
    0.7667
    """
    given: object = coefficient
    if isinstance(given, (list, tuple, dict)):  # the annotations of a third coder
        raise CaesuraError("the annotations of all coders are one list or dict, as in cs.agree([a, b, c]).")
    names = None if coefficient is None else [coefficient]
    resampling = Resampling(level, resamples, seed=seed)
    if anchor is not None and anchor is not False:
        moved, anchored = _anchor(corpus, anchor)
        return _sign_anchored(
            agree(moved, metric, coefficient, density, resamples=resamples, level=level, seed=seed, **options), anchored
        )
    if coefficient is not None and is_label_coefficient(coefficient):
        return _label_coefficients(corpus, metric, [coefficient], density, resampling, options)[coefficient]
    if isinstance(corpus, Ratings):
        raise CaesuraError(f"ratings have coefficients of labels only: {', '.join(LABEL_COEFFICIENTS)}; name one.")
    defaults, compute = _choose_coefficients(corpus, metric, names, density, resampling, options)
    name = coefficient or defaults[0]
    return compute([name])[name]


def agreements(
    corpus: DataLike | Mapping[str, DataLike] | CountedPairs,
    metric: str | Metric | None = None,
    coefficients: Iterable[str] | None = None,
    density: Density = "pooled",
    *,
    resamples: int = 0,
    level: float = 0.95,
    seed: int = 0,
    anchor: AnchorLike = None,
    **options: Any,
) -> dict[str, Agreement]:
    """Compute several coefficients from pairs that are counted once.

    Parameters
    ----------
    corpus : Corpus, dict, list or CountedPairs
        As for :func:`agree`, or pairs of coders that were counted already.
    metric : str or Metric, default None
        As for :func:`agree`.
    coefficients : iterable of str, default None
        Names of coefficients; by default all that usually apply: those of :data:`DEFAULT_COEFFICIENTS`, for spans without a
        metric those of :data:`SPAN_COEFFICIENTS`, and with "Sf" and "SfB" all models of chance.
    density : {"pooled", "mean", "segments"}, default "pooled"
        As for :func:`agree`.
    resamples : int, default 0
        Resamples of the bootstrap over items.
    level : float, default 0.95
        The level of the intervals.
    seed : int, default 0
        The seed of all random numbers.
    anchor : bool, str, dict or AnchorOptions, default None
        As for :func:`agree`.
    **options
        As for :func:`agree`.

    Returns
    -------
    dict of str to Agreement
        The results by name.

    Examples
    --------
    >>> from caesura import samples
    >>> {name: round(result.value, 2) for name, result in agreements(samples.load("stargazer"), "B", ["pi", "alpha"]).items()}
    {'pi': 0.46, 'alpha': 0.33}
    """
    names = None if coefficients is None else list(coefficients)
    resampling = Resampling(level, resamples, seed=seed)
    if anchor is not None and anchor is not False:
        moved, anchored = _anchor(corpus, anchor)
        ask: dict[str, Any] = {"resamples": resamples, "level": level, "seed": seed, **options}
        return {
            k: _sign_anchored(each, anchored) for k, each in agreements(moved, metric, names, density, **ask).items()
        }
    of_labels = [name for name in names or () if is_label_coefficient(name)]
    if names is None or not of_labels:
        _, compute = _choose_coefficients(corpus, metric, names, density, resampling, options)
        return compute(names)
    rest = [name for name in names if name not in of_labels]
    found = _label_coefficients(
        corpus, metric if not rest else None, of_labels, density if not rest else "pooled", resampling, options
    )
    if rest:
        found |= _choose_coefficients(corpus, metric, rest, density, resampling, {})[1](rest)
    return {name: found[name] for name in names}


def _anchor(
    corpus: DataLike | Mapping[str, DataLike] | Ratings | CountedPairs, given: AnchorLike
) -> tuple[Corpus, AnchoredCorpus | None]:
    from caesura.statistics.anchored import anchor_coders  # loads modules that texts which do not differ do not need

    if isinstance(corpus, (Ratings, CountedPairs)):
        raise CaesuraError("ratings and counted pairs have no texts to anchor; leave anchoring out.")
    return anchor_coders(lambda: corpus_of_coders(corpus), given)


def _sign_anchored(result: Agreement, anchored: AnchoredCorpus | None) -> Agreement:
    """Return a coefficient whose signature says how altered texts were anchored, with the record in its details."""
    if anchored is None:
        return result
    details = {**result.details, "anchoring": anchored.as_dict()}
    return replace(result, signature=f"{result.signature}|{anchored.signature}", details=details)


def agreement_of_sums(sums: SumTable, metric: Metric, coefficient: str, coders: int) -> Agreement:
    """Compute a coefficient from sums that were added up over parts of a corpus.

    Parameters
    ----------
    sums : SumTable
        One row: the sums over all items, such as those of :attr:`AgreementSums.whole` of several parts, added.
    metric : Metric
        The metric whose parts are in the sums.
    coefficient : str
        Its name; none of those that are computed from decisions at every place.
    coders : int
        The number of coders, which decides what the coefficient is called.

    Returns
    -------
    Agreement
        Without details.
    """
    chosen = COEFFICIENTS[coefficient]
    if chosen.by_place is not None:
        raise CaesuraError(f"{coefficient} is computed from decisions at every place, not from sums.")
    scores = metric.value(sums.parts)
    similarity = scores if metric.higher_is_better else 1.0 - scores
    observed = chosen.observed(sums, "pooled") if chosen.observed else similarity
    return Agreement(
        coefficient=coefficient,
        observed=float(np.asarray(observed)[0]),
        expected=float(chosen.expected(sums, "pooled")[0]),
        signature="|".join([coefficient, *metric.signature.split("|")[:-1], "density:pooled", f"v:{__version__}"]),
        formula=chosen.formula,
        title=chosen.title_two_coders if coders == 2 else chosen.title_many_coders,
    )


def weighted_items(
    corpus: Corpus, metric: str | Metric | None, coefficient: str | None, weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the coefficient for every row of weights of items, from pairs that are counted once.

    Parameters
    ----------
    corpus : Corpus
        The annotations.
    metric : str, Metric or None
        As for :func:`agree`.
    coefficient : str or None
        As for :func:`agree`; neither one of spans nor one of flexible similarity.
    weights : array of float, shape (rows, items)
        How often each item counts.

    Returns
    -------
    array of float
    """
    if coefficient is not None and is_label_coefficient(coefficient):
        from caesura.agreement.label_coefficients import weighted_labels

        return weighted_labels(corpus, coefficient, weights)
    measure = _make_metric(DEFAULT_METRICS[corpus.kind] if metric is None else metric).for_study(corpus)
    name = coefficient or DEFAULT_COEFFICIENTS[corpus.kind][0]
    if name not in COEFFICIENTS or measure.name in FLEXIBLE_METRICS:
        raise CaesuraError(
            f"{name} of {measure.name} is not a function of sums over items, so that it cannot be planned."
        )
    problem = _AgreementProblem(
        AgreementSums(CountedPairs.among_coders(corpus), measure), "pooled", Resampling(0.95, 0)
    )
    return problem.weighted(COEFFICIENTS[name], weights)


def _label_coefficients(
    corpus: DataLike | Mapping[str, DataLike] | CountedPairs | Ratings,
    given: str | Metric | None,
    names: Sequence[str],
    density: Density,
    resampling: Resampling,
    options: dict[str, Any],
) -> dict[str, Agreement]:
    """Compute coefficients of one label per unit."""
    from caesura.agreement.label_coefficients import label_agreements

    if given is not None or density != "pooled":
        raise CaesuraError(f"{names[0]} compares one label per unit; it takes no metric and no density.")
    validate_names("coefficients of labels", options, ["weights", "distance", "categories"])
    data = corpus.pairs.reference if isinstance(corpus, CountedPairs) else corpus
    ratings = data if isinstance(data, Ratings) else corpus_of_coders(data)
    return label_agreements(ratings, names, resampling, **options)


#: Metrics that depend on which side is the reference, and of which both directions and their mean are reported.
_DIRECTED_METRICS = frozenset(
    [
        "evHDS",
        "overlap-ratio",  # as ELAN links
        "jaccard-error",
        "speaker-purity",
        "speaker-coverage",
        "speaker-Bcubed-precision",
        "speaker-Bcubed-recall",
    ]
    + [f"diarization-{part}" for part in ("error", "miss", "false-alarm", "confusion")]
)


def _choose_coefficients(
    corpus: DataLike | Mapping[str, DataLike] | CountedPairs,
    given: str | Metric | None,
    names: Sequence[str] | None,
    density: Density,
    resampling: Resampling,
    options: dict[str, Any],
) -> tuple[Sequence[str], _Compute]:
    """Choose among coefficients of spans, of flexible similarity and of pairs; return the default names and the function."""
    counted: CountedPairs | None = None
    if isinstance(corpus, CountedPairs):
        counted, data = corpus, corpus.pairs.reference
    else:
        data = corpus_of_coders(corpus)
    if names and all(str(name).partition(":")[0] in EVENT_COEFFICIENTS for name in names):
        return names, lambda names: _event_agreements(data, names or (), resampling, options)
    for_units = [name for name in names or () if str(name).partition(":")[0] in SPAN_COEFFICIENTS]
    for_pairs = names is not None and all(name in COEFFICIENTS for name in names)
    if data.kind == "spans" and (for_units or (given is None and not for_pairs)):
        from caesura.agreement.unitizing import span_agreements  # loads many modules that texts do not need

        if given is not None or density != "pooled":
            raise CaesuraError(
                "coefficients of spans compare the units themselves; they take no metric and no density."
            )
        settings = {"resamples": resampling.resamples, "level": resampling.level, "seed": resampling.seed}
        return tuple(SPAN_COEFFICIENTS), lambda names: span_agreements(data, names, **settings, **options)  # type: ignore[arg-type]
    if for_units:
        raise CaesuraError(f"{for_units[0]} compares spans; these are annotations of {KIND_NOUNS[data.kind]}.")
    measure = _make_metric(DEFAULT_METRICS[data.kind] if given is None else given).for_study(data)
    if data.kind == "time" and measure.name in _TIMED_METRICS and (names is None or list(names) == ["kappa"]):
        pairs = CountedPairs.among_coders(data) if counted is None else counted
        return ("kappa",), lambda names: {"kappa": _timed_kappa(pairs, measure, resampling.seed, options)}
    if not measure.symmetric and names is None and given is not None and measure.name in _DIRECTED_METRICS:
        from caesura.agreement.events import both_directions

        pairs = CountedPairs.among_coders(data) if counted is None else counted
        return ("directions",), lambda names: {"directions": both_directions(pairs, measure)}
    if data.kind == "nested" and names is not None and list(names) == ["kappa"]:
        from caesura.agreement.nested_agreement import nested_agreement

        pairs = CountedPairs.among_coders(data) if counted is None else counted
        validate_names(f"chance of {measure.name} of nested segments", options, ["draws"])
        return names, lambda names: {"kappa": nested_agreement(pairs, measure, seed=resampling.seed, **options)}
    models: tuple[str, ...] = ()
    if measure.name in FLEXIBLE_METRICS:
        from caesura.agreement.flexible_agreement import agree_flexibly
        from caesura.agreement.flexible_chance import Chance

        models = get_args(Chance)
        if all(name in models for name in names or ()):
            if density != "pooled" or resampling.resamples:
                raise CaesuraError(f"chance of {measure.name} needs no density, and its corpus is not resampled.")
            options = {"seed": resampling.seed, **options}
            return models, lambda names: {
                name: agree_flexibly(data, measure, name, **options) for name in names or models
            }
    if options:
        raise CaesuraError(
            f"{next(iter(options))} is an option of coefficients of spans; these are annotations of {KIND_NOUNS[data.kind]}."
        )
    if (unknown := next((name for name in names or () if name not in COEFFICIENTS), None)) is not None:
        raise unknown_coefficient("coefficient", str(unknown), [*COEFFICIENTS, *LABEL_COEFFICIENTS, *models])
    validate_choice("density", density, get_args(Density))
    defaults = DEFAULT_COEFFICIENTS[data.kind]
    sums = AgreementSums(CountedPairs.among_coders(data) if counted is None else counted, measure)
    problem = _AgreementProblem(sums, density, resampling)
    return defaults, lambda names: {name: problem.coefficient(name) for name in names or defaults}


def _event_agreements(
    data: Corpus, names: Iterable[str], resampling: Resampling, options: dict[str, Any]
) -> dict[str, Agreement]:
    """Compute coefficients of events, with parameters after a colon."""
    from caesura.agreement import events

    results = {}
    for name in names:
        bare, _, text = name.partition(":")
        function = events.linked_kappa if bare == "linked-kappa" else events.organisation
        known = {
            key: kind for key, kind in option_types(function).items() if key not in ("corpus", "resampling", "seed")
        }
        given = options | parse_options(text, known)
        validate_names(bare, given, known)
        more = {"resampling": resampling} if bare == "linked-kappa" else {"seed": resampling.seed}
        results[name] = function(data, **given, **more)
    return results


def _timed_kappa(counted: CountedPairs, measure: Metric, seed: int, options: dict[str, Any]) -> Agreement:
    from caesura.agreement.events import timed_agreement

    validate_names(f"chance of {measure.name} in time", options, ["draws"])
    return timed_agreement(counted, measure, seed=seed, **options)


def _make_metric(given: str | Metric) -> Metric:
    """Make the metric; the name "S" means the scaled S that section 5 of the paper uses for agreement."""
    return metric("S:weights=scaled" if given == "S" else given)


@dataclass(frozen=True, eq=False)
class _AgreementProblem:
    """Pairs of coders, a metric and a density; everything that several coefficients need is computed once."""

    sums: AgreementSums
    density: Density
    resampling: Resampling

    @cached_property
    def decisions(self) -> BoundaryDecisions:
        return BoundaryDecisions(self.sums.corpus)

    @cached_property
    def matrix(self) -> Values:
        return self.sums.matrix()

    @cached_property
    def weights(self) -> Values | None:
        return self.sums.item_weights(self.resampling)

    def coefficient(self, name: str) -> Agreement:
        """Compute one coefficient."""
        coefficient, corpus = COEFFICIENTS[name], self.sums.corpus
        if corpus.kind != "units" and name != "percentage":
            advice = (
                "coefficient='linked-kappa' is κ of events, 'gamma' and 'u-alpha' are others of spans"
                if corpus.kind == "spans"
                else "coefficient='percentage' is the agreement without correction for chance"
            )
            raise CaesuraError(
                f"{coefficient.title_many_coders} counts potential boundaries, which {corpus.kind} annotations do not have; {advice}."
            )
        by_place = coefficient.by_place is not None
        observed, expected = self._by_place(coefficient) if by_place else self._both(coefficient, self.sums.whole)
        return Agreement(
            coefficient=name,
            observed=float(observed[0]),
            expected=float(expected[0]),
            signature=self._signature(name, by_place),
            formula=coefficient.formula,
            interval=self._interval(coefficient),
            details=self._details(coefficient),
            title=coefficient.title_two_coders if len(corpus.coders) == 2 else coefficient.title_many_coders,
            unmeasured=self._warn_of_names(),
        )

    def _warn_of_names(self) -> tuple[str, ...]:
        if len(self.sums.corpus.names) < 2:
            return ()
        from caesura.metrics.catalog import describe_unmeasured_names

        return tuple(describe_unmeasured_names([self.sums.metric], True, True))

    def _signature(self, name: str, by_place: bool) -> str:
        metric = self.sums.metric.signature.split("|")[:-1]  # without the version, which comes last
        inner = ["boundaries"] if by_place else [*metric, f"density:{self.density}"]
        return "|".join([name, *inner, f"v:{__version__}"])

    def _both(self, coefficient: Coefficient, sums: SumTable) -> tuple[Values, Values]:
        """Observed and expected agreement of every row; for "bias", the two expectations whose difference it is."""
        observed = (
            coefficient.observed(sums, self.density) if coefficient.observed else self.sums.similarity(sums.parts)
        )
        return np.asarray(observed), coefficient.expected(sums, self.density)

    def _by_place(self, coefficient: Coefficient, weights: Values | None = None) -> tuple[Values, Values]:
        assert coefficient.by_place is not None
        sums = self.decisions.sums()
        return coefficient.by_place(np.ones((1, len(sums))) @ sums if weights is None else weights @ sums)

    def _interval(self, coefficient: Coefficient) -> tuple[float, float] | None:
        if self.weights is None:
            return None
        return self.resampling.interval(self.weighted(coefficient, self.weights))

    def weighted(self, coefficient: Coefficient, weights: Values) -> Values:
        """Return the value for every row of weights of items."""
        if coefficient.by_place is not None:
            both = self._by_place(coefficient, weights)
        else:
            both = self._both(coefficient, self.sums.by_item.take(weights))
        return combine(coefficient.formula, *both)

    def _details(self, coefficient: Coefficient) -> dict[str, Any]:
        corpus, sums = self.sums.corpus, self.sums.by_item
        details: dict[str, Any] = {
            "coders": list(corpus.coders),
            "items": list(corpus.items),
            "pairs": len(self.sums.counted.pairs),
            "matrix": self.matrix,
            "leave_one_out": dict(zip(corpus.coders, self._without_each(coefficient).tolist(), strict=True)),
            "per_item": self._per_item(COEFFICIENTS["percentage"] if coefficient.by_place else coefficient),
        }
        if not sums.places.any():  # recordings and hierarchies have no countable places
            return details
        frequency = share(sums.marks.sum(axis=0), sums.places.sum(axis=0))
        return details | {
            "frequency": dict(zip(corpus.coders, frequency.tolist(), strict=True)),
            "frequency_mean": float(frequency.mean()),
            "frequency_sd": float(frequency.std(ddof=1)) if len(frequency) > 1 else 0.0,
        }

    def _without_each(self, coefficient: Coefficient) -> Values:
        """Return the value without each coder in turn; NaN if no pair is left."""
        coders = np.arange(len(self.sums.corpus.coders))
        if coefficient.by_place is not None:
            if len(coders) < 3:
                return np.full(len(coders), np.nan)
            sums = np.stack([self.decisions.sums(without=coder).sum(axis=0) for coder in coders.tolist()])
            return combine(coefficient.formula, *coefficient.by_place(sums))
        met = self.sums.counted.meetings()
        pair_left = met.sum() > 2 * met.sum(axis=0)  # the matrix is symmetric: each pair of a coder counts twice
        return np.where(
            pair_left, combine(coefficient.formula, *self._both(coefficient, self.sums.without_each)), np.nan
        )

    def _per_item(self, coefficient: Coefficient) -> dict[str, dict[str, float]]:
        """Return the agreement on every item, with chance estimated from that item only."""
        sums = self.sums.by_item
        observed, expected = self._both(coefficient, sums)
        pairs = np.bincount(self.sums.counted.pairs.item_of, minlength=len(observed))
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
        return dict(zip(self.sums.corpus.items, rows, strict=True))
