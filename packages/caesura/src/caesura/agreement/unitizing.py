"""Agreement on spans: γ and γ-cat, Krippendorff's α_U, and his uα, |uα, cuα, (k)uα.

Which coefficient answers which question: |uα, whether coders mark the same amount of text; uα, whether they mark the same
stretches with the same labels; cuα, whether they give the same labels where both mark something (γ-cat where spans may
overlap); γ, whether they mark the same units. α_U is the coefficient of the older literature.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from caesura._version import __version__
from caesura.agreement.coefficients import (
    EVENT_COEFFICIENTS,
    SPAN_COEFFICIENTS,
    corpus_of_coders,
    unknown_coefficient,
)
from caesura.agreement.result import Agreement, combine
from caesura.agreement.unitizing_alignment import Dissimilarity, NamesLike, SpanTexts
from caesura.agreement.unitizing_coefficients import (
    Details,
    Difference,
    Disagreement,
    GammaProblem,
    Sampler,
    SamplingSettings,
    Unaligned,
    Values,
    check_no_overlap,
    count_coincidences,
    describe_unmarked,
    disagreements,
    gamma_agreement,
    interval_over_items,
    keep_longest,
    per_item,
    whole_positions,
)
from caesura.errors import CaesuraError
from caesura.model.corpus import CorpusLike
from caesura.options import option_types, parse_options, validate_names
from caesura.statistics.bootstrap import Resampling
from caesura.validation import validate_choice, validate_positive

#: How α_U treats overlapping units of one coder and label: as an error, or by keeping the longest, as INCEpTION does.
Overlap: TypeAlias = Literal["refuse", "longest"]

_GAMMA, _U_ALPHA = ("gamma", "gamma-cat"), ("u-alpha", "bar-u-alpha", "cu-alpha")
_OTHER_NAMES = {"EasyDIAg": "linked-kappa", "kappa_ipf": "linked-kappa", "Staccato": "organisation"}
_UNDEFINED = {
    "alpha-u": "chance expects no disagreement, so α_U is not defined",
    "u-alpha": "chance gives everything the same label, so uα is not defined",
    "bar-u-alpha": "either everything or nothing is marked, so |uα is not defined",
    "cu-alpha": "no two labels coincide by chance, so cuα is not defined",
}


def span_agreements(
    corpus: CorpusLike,
    coefficients: Iterable[str] | None = None,
    *,
    resamples: int = 0,
    level: float = 0.95,
    seed: int = 0,
    **options: Any,
) -> dict[str, Agreement]:
    """Compute several coefficients of spans.

    Parameters
    ----------
    corpus : Corpus or dict
        A corpus of spans, ``{item: {coder: Spans}}``, or for one text ``{coder: Spans}``.
    coefficients : iterable of str, default None
        Names of :data:`SPAN_COEFFICIENTS`, with parameters after a colon: "gamma:sampler=shift,samples=1000". By default all;
        Krippendorff's are left out if spans of one coder overlap.
    resamples : int, default 0
        Resamples of the bootstrap over items.
    level : float, default 0.95
        The level of the intervals.
    seed : int, default 0
        The seed of all random numbers.
    **options
        Parameters of :func:`gamma`, :func:`alpha_u` and :func:`u_alpha`; each is passed to the coefficients that have it.

    Returns
    -------
    dict of str to Agreement
        The results by name, as given.

    Examples
    --------
    >>> from caesura import Spans
    >>> ann = Spans.from_rows([(10, 20, "c"), (40, 45, "c")], length=60)
    >>> ben = Spans.from_rows([(12, 20, "c"), (40, 45, "c")], length=60)
    >>> {name: round(r.value, 2) for name, r in span_agreements({"ann": ann, "ben": ben}, ["alpha-u", "u-alpha"]).items()}
    {'alpha-u': 0.96, 'u-alpha': 0.91}
    """
    corpus, resampling = corpus_of_coders(corpus), Resampling(level, resamples, seed=seed)
    names = list(SPAN_COEFFICIENTS if coefficients is None else coefficients)
    # coefficients of one family with the same options are computed together: (family, options) -> options, bare name -> name
    groups: dict[tuple[tuple[str, ...], str], tuple[dict[str, Any], dict[str, str]]] = {}
    for name in names:
        bare, _, parameters = name.partition(":")
        family = next((family for family in _FAMILIES if bare in family), None)
        if family is None:
            known_names = [*SPAN_COEFFICIENTS, *EVENT_COEFFICIENTS]
            raise unknown_coefficient("coefficient of spans", bare, known_names, _OTHER_NAMES)
        known = _option_types(bare)
        given = parse_options(parameters, known)
        validate_names(bare, given, known)
        own = {key: value for key, value in options.items() if key in known} | given
        groups.setdefault((family, repr(own)), (own, {}))[1][bare] = name
    validate_names(
        "this choice of coefficients", options, sorted({o for family, _ in groups for o in _option_types(family[0])})
    )
    results: dict[str, Agreement] = {}
    for (family, _), (own, wanted) in groups.items():
        try:
            computed = _FAMILIES[family](corpus, list(wanted), resampling, **own)
        except CaesuraError:
            if coefficients is not None or family is _GAMMA or own:
                raise
            continue  # a default coefficient that does not apply
        results |= {wanted[bare]: result for bare, result in computed.items()}
    return {name: results[name] for name in names if name in results}


def _option_types(name: str) -> dict[str, Any]:
    """Return the options of one coefficient with their types, without those of the bootstrap."""
    function: Callable[..., Agreement] = gamma if name in _GAMMA else alpha_u if name == "alpha-u" else u_alpha
    return {key: hint for key, hint in option_types(function).items() if key not in ("resamples", "level", "seed")}


def gamma(
    corpus: CorpusLike,
    coefficient: Literal["gamma", "gamma-cat"] = "gamma",
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    empty: float = 1.0,
    names: NamesLike = "nominal",
    sampler: Sampler = "statistical",
    samples: int = 100,
    precision: float | None = None,
    unaligned: Unaligned = "leave",
    limit: float | None = None,
    threads: int | None = None,
    resamples: int = 0,
    level: float = 0.95,
    seed: int = 0,
) -> Agreement:
    r"""Compute γ of Mathet, Widlöcher & Métivier (2015): whether coders mark the same units.

    Spans may have gaps, overlap and nest.

    .. math:: \gamma = 1 - \frac{\delta_o}{\delta_e}

    Parameters
    ----------
    corpus : Corpus or dict
        A corpus of spans, ``{item: {coder: Spans}}``, or for one text ``{coder: Spans}``. Texts are pooled.
    coefficient : {"gamma", "gamma-cat"}, default "gamma"
        "gamma-cat" measures whether aligned units have the same labels.
    alpha, beta : float, default 1
        The weights of position and label.
    empty : float, default 1
        The cost of a unit that is not aligned (Δ).
    names : {"nominal", "ordinal", "levenshtein"}, mapping or array, default "nominal"
        The distances between labels: 0 or 1, by their order in the corpus' labels, by edit distance, or a table
        ``{label: {label: distance}}``.
    sampler : {"statistical", "shift"}, default "statistical"
        How random texts are drawn; both are from the paper.
    samples : int, default 100
        The number of random texts.
    precision : float, default None
        Draw as many more texts as the expected disorder needs to be within this relative error (0.02 is two per cent) with 95 %.
    unaligned : {"leave", "count"}, default "leave"
        Whether γ-cat leaves out units that are not aligned, or counts them as pygamma-agreement does.
    limit : float, default None
        Seconds for each integer programme, if the search needs one; after that the result has bounds,
        ``details.alignment.gap``.
    threads : int, default None
        The number of threads, by default one per core; results do not depend on it.
    resamples : int, default 0
        Resamples of the bootstrap over items.
    level : float, default 0.95
        The level of the interval.
    seed : int, default 0
        The seed of all random numbers.

    Returns
    -------
    Agreement
        ``observed`` and ``expected`` are disorders. ``details``: disorder, expected, standard_error, gamma, gamma_cat, gamma_k,
        alignment, alignments, leave_one_out, per_item, silent (annotators who marked nothing).

    Examples
    --------
    >>> from caesura import Spans
    >>> ann = Spans.from_rows([(0, 4, "person"), (6, 9, "place"), (12, 15, "person")], length=20)
    >>> ben = Spans.from_rows([(0, 4, "person"), (6, 10, "place")], length=20)
    >>> result = gamma({"ann": ann, "ben": ben})
    >>> round(result.observed, 4), result.details.alignment.rows[-1]
    (0.4082, ((12, 15, 'person'), None))
    """
    validate_choice("coefficient", coefficient, _GAMMA)
    return _gammas(
        corpus_of_coders(corpus), [coefficient], Resampling(level, resamples, seed=seed), alpha=alpha, beta=beta, empty=empty,
        names=names, sampler=sampler, samples=samples, precision=precision, unaligned=unaligned, limit=limit, threads=threads,
    )[coefficient]  # fmt: skip


def _gammas(
    corpus: Any, wanted: Sequence[str], resampling: Resampling, *, alpha: float = 1.0, beta: float = 1.0, empty: float = 1.0,
    names: NamesLike = "nominal", sampler: Sampler = "statistical", samples: int = 100, precision: float | None = None,
    unaligned: Unaligned = "leave", limit: float | None = None, threads: int | None = None,
) -> dict[str, Agreement]:  # fmt: skip
    """Compute γ and γ-cat from the same alignments."""
    sampling = SamplingSettings(samples, sampler, resampling.seed, precision, threads)
    problem = GammaProblem(SpanTexts.of(corpus), Dissimilarity(alpha, beta, empty, names), sampling, unaligned, limit)
    return {name: gamma_agreement(problem, name, resampling) for name in wanted}


def alpha_u(
    corpus: CorpusLike,
    *,
    overlap: Overlap = "refuse",
    resolution: float | None = None,
    resamples: int = 0,
    level: float = 0.95,
    seed: int = 0,
) -> Agreement:
    """Compute Krippendorff's α_U (1995, 2004) over all labels.

    Parameters
    ----------
    corpus : Corpus or dict
        A corpus of spans, ``{item: {coder: Spans}}``, or for one text ``{coder: Spans}``. Texts are pooled, weighted by length.
    overlap : {"refuse", "longest"}, default "refuse"
        Whether overlapping spans of one coder and label are an error, or only the longest is kept.
    resolution : float, default None
        The length of a position, to which spans are rounded: by default one unit, or a millisecond.
    resamples : int, default 0
        Resamples of the bootstrap over items.
    level : float, default 0.95
        The level of the interval.
    seed : int, default 0
        The seed of the bootstrap.

    Returns
    -------
    Agreement
        ``details["by_label"]`` has the value of each label.

    Examples
    --------
    >>> from caesura import Spans
    >>> ann = Spans.from_rows([(10, 20, "c"), (40, 45, "c")], length=60)
    >>> ben = Spans.from_rows([(12, 20, "c"), (40, 45, "c")], length=60)
    >>> round(alpha_u({"ann": ann, "ben": ben}).value, 4)
    0.9647
    """
    resampling = Resampling(level, resamples, seed=seed)
    return _alphas(corpus_of_coders(corpus), ["alpha-u"], resampling, overlap=overlap, resolution=resolution)["alpha-u"]


def _alphas(
    corpus: Any, wanted: Sequence[str], resampling: Resampling, *, overlap: Overlap = "refuse", resolution: float | None = None
) -> dict[str, Agreement]:  # fmt: skip
    validate_choice("overlap", overlap, get_args(Overlap))
    texts = SpanTexts.of(corpus)
    step = _step(texts, resolution)

    def count(texts: SpanTexts) -> Values:
        """Per text: D_o and D_e of all labels, then label by label, times the length of the text."""
        rows = []
        for text in map(texts.text, range(len(texts))):
            if overlap == "longest":
                text = keep_longest(text)
            else:
                check_no_overlap(text, "α_U", within_label=True)
            parts = disagreements(text, whole_positions(text, step))
            whole = Disagreement(*map(sum, zip(*parts, strict=True)))  # type: ignore[arg-type]
            rows.append(
                text.lengths[0] * np.array([[float(part) for part in each] for each in (whole, *parts)]).ravel()
            )
        return np.array(rows)

    signature = "|".join(["alpha-u", *_step_signature(texts, step), f"overlap:{overlap}", f"v:{__version__}"])
    rows = count(texts)
    by_label = _values_by_label(texts, rows[:, 2:], 2)
    return {"alpha-u": _agreement("alpha-u", texts, rows, count, (0, 1), resampling, signature, {"by_label": by_label})}


def u_alpha(
    corpus: CorpusLike,
    coefficient: Literal["u-alpha", "bar-u-alpha", "cu-alpha"] = "u-alpha",
    *,
    difference: Difference = "nominal",
    resolution: float | None = None,
    resamples: int = 0,
    level: float = 0.95,
    seed: int = 0,
) -> Agreement:
    """Compute a coefficient of Krippendorff et al. (2016): uα, |uα ("bar-u-alpha") or cuα.

    Parameters
    ----------
    corpus : Corpus or dict
        A corpus of spans, ``{item: {coder: Spans}}``, or for one text ``{coder: Spans}``. Spans of one coder must not overlap;
        gaps count as one more label. Texts are pooled: disagreements, in positions, are added up.
    coefficient : {"u-alpha", "bar-u-alpha", "cu-alpha"}, default "u-alpha"
        Which coefficient.
    difference : {"nominal", "interval", "ratio"}, default "nominal"
        How labels differ, for cuα; "interval" and "ratio" need labels that are numbers.
    resolution : float, default None
        The length of a position, to which spans are rounded: by default one unit, or a millisecond.
    resamples : int, default 0
        Resamples of the bootstrap over items.
    level : float, default 0.95
        The level of the interval.
    seed : int, default 0
        The seed of the bootstrap.

    Returns
    -------
    Agreement
        ``details["by_label"]`` has (k)uα, ``details["coverage"]`` the proportion of each label that it compares.

    Examples
    --------
    >>> from caesura import Spans
    >>> ann = Spans.from_rows([(10, 20, "c"), (40, 45, "c")], length=60)
    >>> ben = Spans.from_rows([(12, 20, "c"), (40, 45, "c")], length=60)
    >>> round(u_alpha({"ann": ann, "ben": ben}).value, 4)
    0.9088
    """
    validate_choice("coefficient", coefficient, _U_ALPHA)
    resampling = Resampling(level, resamples, seed=seed)
    corpus = corpus_of_coders(corpus)
    return _u_alphas(corpus, [coefficient], resampling, difference=difference, resolution=resolution)[coefficient]


def _u_alphas(
    corpus: Any, wanted: Sequence[str], resampling: Resampling, *, difference: Difference = "nominal",
    resolution: float | None = None,
) -> dict[str, Agreement]:  # fmt: skip
    validate_choice("difference", difference, get_args(Difference))
    texts = SpanTexts.of(corpus)
    step = _step(texts, resolution)

    def count(texts: SpanTexts) -> Values:
        rows = []
        for text in map(texts.text, range(len(texts))):
            check_no_overlap(text, "this coefficient", within_label=False)
            rows.append(count_coincidences(text, whole_positions(text, step), difference).row)
        return np.array(rows)

    rows = count(texts)
    # a row has observed and expected of the three coefficients, then four columns per label
    met, marked = rows.sum(axis=0)[6:].reshape(len(texts.labels), 4)[:, 2:].T
    with np.errstate(invalid="ignore"):
        coverage = dict(zip(texts.labels, (met / marked).tolist(), strict=True))
    details = {"by_label": _values_by_label(texts, rows[:, 6:], 4), "coverage": coverage}
    results = {}
    for name in wanted:
        column = 2 * _U_ALPHA.index(name)
        only = [f"difference:{difference}"] if name == "cu-alpha" else []
        signature = "|".join([name, *_step_signature(texts, step), *only, f"v:{__version__}"])
        results[name] = _agreement(name, texts, rows, count, (column, column + 1), resampling, signature, details)
    return results


def _step(texts: SpanTexts, resolution: float | None) -> float:
    """Return the length of a position."""
    if resolution is None:
        return 0.001 if texts.corpus.timed else 1.0
    validate_positive("resolution", resolution)
    return float(resolution)


def _step_signature(texts: SpanTexts, step: float) -> list[str]:
    return [f"res:{step:g}"] if texts.corpus.timed or step != 1 else []


def _values_by_label(texts: SpanTexts, rows: Values, columns: int) -> dict[str | None, float]:
    """Compute the coefficient of every label over all texts; a label's first columns are observed and expected."""
    sums = rows.sum(axis=0).reshape(len(texts.labels), columns)
    return dict(zip(texts.labels, _value(sums[:, 0], sums[:, 1]).tolist(), strict=True))


def _value(observed: Values, expected: Values) -> Values:
    """1 - observed / expected; NaN if no disagreement is expected."""
    return combine("disorder", observed, np.where(np.asarray(expected) > 0, expected, np.nan))


def _agreement(
    name: str,
    texts: SpanTexts,
    rows: Values,
    count: Callable[[SpanTexts], Values],
    columns: tuple[int, int],
    resampling: Resampling,
    signature: str,
    details: Mapping[str, Any],
) -> Agreement:
    """Make the result of a coefficient that is one minus the quotient of two columns of the rows.

    ``rows`` has one row per text; ``count`` makes such rows for the texts without one coder.
    """

    def without(coder: int) -> float:
        left = texts.without(coder)
        return float("nan") if left is None else float(_value(*count(left)[:, columns].sum(axis=0)))

    sums = np.zeros((len(texts.corpus.items), 2))
    np.add.at(sums, texts.item_of, rows[:, columns])
    observed, expected = sums.sum(axis=0)
    unmarked = describe_unmarked(texts)
    notes = ([unmarked] if unmarked else []) + ([_UNDEFINED[name]] if not expected > 0 else [])
    coders = texts.corpus.coders
    weight = texts.lengths.sum() if name == "alpha-u" else 1.0
    return Agreement(
        coefficient=name,
        observed=float(observed / weight),
        expected=float(expected / weight) if expected > 0 else float("nan"),
        signature=signature,
        details=Details(
            coders=list(coders),
            items=[texts.corpus.items[i] for i in np.unique(texts.item_of)],
            **details,
            leave_one_out={coder: without(number) for number, coder in enumerate(coders)},
            per_item=per_item(texts, sums[:, 0], np.where(sums[:, 1] > 0, sums[:, 1], np.nan)),
            silent=texts.silent,
            notes=notes,
        ),
        interval=interval_over_items(sums, lambda drawn: _value(drawn[:, 0], drawn[:, 1]), resampling),
        formula="disorder",
        title=SPAN_COEFFICIENTS[name],
    )


#: Names of coefficients that are computed together -> the function that computes them.
_FAMILIES: dict[tuple[str, ...], Callable[..., dict[str, Agreement]]] = {
    _GAMMA: _gammas,
    ("alpha-u",): _alphas,
    _U_ALPHA: _u_alphas,
}
