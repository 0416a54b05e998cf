"""Agreement on spans: γ and γ-cat, Krippendorff's α_U, and his uα, |uα, cuα, (k)uα.

Which one answers which question: |uα whether coders mark the same amount of text; uα whether they mark the same stretches with the same labels; cuα
whether they give the same labels to what they both mark (γ-cat where spans may overlap); γ whether they mark the same units. α_U is the one of the
older literature.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from caesura._version import __version__
from caesura.agreement.answer import Agreement, combine
from caesura.agreement.unitizing_alpha import Disagreement, check_no_overlap, disagreements, whole_positions
from caesura.agreement.unitizing_chance import Sampler
from caesura.agreement.unitizing_coincidences import Coincidences, Difference, count_coincidences
from caesura.agreement.unitizing_costs import Dissimilarity, NamesLike
from caesura.agreement.unitizing_details import Details, Interval, describe_silent, keep_longest, per_item, resample
from caesura.agreement.unitizing_gamma import Gamma, Samples, Unaligned, gamma_agreement
from caesura.agreement.unitizing_texts import SpanTexts
from caesura.errors import CaesuraError, UnknownName
from caesura.metrics.catalog import parse_parameters
from caesura.model.corpus import CorpusLike, as_corpus
from caesura.words import check_above_zero, check_choice

#: What α_U does with overlapping units of one coder and label: refuse them, or keep the longest, as INCEpTION does.
Overlap: TypeAlias = Literal["refuse", "longest"]
Values: TypeAlias = NDArray[np.float64]

#: Name -> title of every coefficient of spans, the first to quote.
SPAN_COEFFICIENTS: dict[str, str] = {
    "gamma": "γ",
    "gamma-cat": "γ-cat",
    "alpha-u": "Krippendorff's α_U",
    "u-alpha": "Krippendorff's uα",
    "bar-u-alpha": "Krippendorff's |uα",
    "cu-alpha": "Krippendorff's cuα",
}
_GAMMA, _U_ALPHA = ("gamma", "gamma-cat"), ("u-alpha", "bar-u-alpha", "cu-alpha")
_UNDEFINED = {
    "alpha-u": "chance expects no disagreement, so that α_U is not defined",
    "u-alpha": "everything has one label by chance too, so that uα is not defined",
    "bar-u-alpha": "everything is marked, or nothing is, so that |uα is not defined",
    "cu-alpha": "no two labels coincide by chance, so that cuα is not defined",
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
    """Work out several coefficients of spans, by default γ and γ-cat, and Krippendorff's where no spans of one coder overlap.

    Options are those of :func:`gamma`, :func:`alpha_u` and :func:`u_alpha`; each goes to the coefficients that know it. They may also stand behind
    the name of a coefficient: "gamma:sampler=shift,samples=1000".
    """
    corpus = as_corpus(corpus, "what coders agree on", lambda coder: ("text", coder))
    names = list(SPAN_COEFFICIENTS if coefficients is None else coefficients)
    shared = {"resamples": resamples, "level": level, "seed": seed}
    groups: dict[tuple[tuple[str, ...], str], tuple[dict[str, Any], dict[str, str]]] = {}  # worked out together
    for spelled in names:
        bare, _, behind = spelled.partition(":")
        family = next((family for family in _FAMILIES if bare in family), None)
        if family is None:
            raise UnknownName("coefficient of spans", bare, list(SPAN_COEFFICIENTS))
        own = _own_options(bare, parse_parameters(behind), options)
        groups.setdefault((family, repr(own)), (own, {}))[1][bare] = spelled
    _check_options(options, groups)
    answers: dict[str, Agreement] = {}
    for (family, _), (own, asked) in groups.items():
        try:
            results = _FAMILIES[family](corpus, list(asked), **shared, **own)
        except CaesuraError:
            if coefficients is not None or family is _GAMMA or own:
                raise
            continue
        answers |= {asked[bare]: result for bare, result in results.items()}
    return {name: answers[name] for name in names if name in answers}


def _own_options(name: str, behind: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that a coefficient knows, and all that stand behind its name."""
    known = _known_options(name)
    if (stray := next((each for each in behind if each not in known), None)) is not None:
        raise CaesuraError(f"{name} knows no option {stray!r}; it knows {', '.join(known)}.")
    return {key: value for key, value in options.items() if key in known} | dict(behind)


def _check_options(options: Mapping[str, Any], groups: Iterable[tuple[tuple[str, ...], str]]) -> None:
    """Refuse an option that no coefficient asked for knows."""
    known = sorted({option for family, _ in groups for option in _known_options(family[0])})
    if (stray := next((each for each in options if each not in known), None)) is not None:
        raise CaesuraError(f"there is no option {stray!r} here; known are {', '.join(known)}.")


def _known_options(name: str) -> list[str]:
    function: Callable[..., Agreement] = gamma if name in _GAMMA else alpha_u if name == "alpha-u" else u_alpha
    shared = {"corpus", "coefficient", "resamples", "level", "seed"}
    return [each for each in inspect.signature(function).parameters if each not in shared]


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
    """γ of Mathet, Widlöcher & Métivier (2015): do coders mark the same units? Spans may leave gaps, overlap and nest.

    .. math:: \\gamma = 1 - \\frac{\\delta_o}{\\delta_e}

    Parameters
    ----------
    corpus
        A corpus of spans, ``{item: {coder: Spans}}``, or of one text ``{coder: Spans}``. Texts are pooled.
    coefficient
        "gamma", or "gamma-cat": whether units that are aligned have the same names.
    alpha, beta, empty, names
        What differences cost: weights of place and name, the cost of a unit alone (Δ), and how far names are apart: "nominal",
        "ordinal" (by their order in the corpus' labels), "levenshtein", a table ``{name: {name: distance}}`` or an array.
    sampler, samples, precision, seed
        How chance is drawn: "statistical" or "shift" (the paper), how many random texts; with ``precision`` as many more as the expected disorder
        needs to be within that share of itself (0.02 is two per cent) with 95 %.
    unaligned
        What γ-cat makes of units alone: "leave" them out, or "count" them as pygamma-agreement does.
    limit
        Seconds for each integer programme, where the search leaves one; past it the result has bounds, ``details.alignment.gap``.
    threads
        Any number gives the same answer.
    resamples, level
        Of a bootstrap over items.

    Returns
    -------
    Agreement
        ``observed`` and ``expected`` are disorders. ``details``: disorder, expected, standard_error, gamma, gamma_cat, gamma_k, alignment,
        alignments, leave_one_out, per_item, silent.

    Examples
    --------
    >>> from caesura import Spans
    >>> ann = Spans.from_rows([(0, 4, "person"), (6, 9, "place"), (12, 15, "person")], length=20)
    >>> ben = Spans.from_rows([(0, 4, "person"), (6, 10, "place")], length=20)
    >>> result = gamma({"ann": ann, "ben": ben})
    >>> round(result.observed, 4), result.details.alignment.rows[-1]
    (0.4082, ((12, 15, 'person'), None))
    """
    check_choice("coefficient", coefficient, _GAMMA)
    corpus = as_corpus(corpus, "what coders agree on", lambda coder: ("text", coder))
    return _gammas(
        corpus, [coefficient], alpha=alpha, beta=beta, empty=empty, names=names, sampler=sampler, samples=samples,
        precision=precision, unaligned=unaligned, limit=limit, threads=threads, resamples=resamples, level=level, seed=seed,
    )[coefficient]  # fmt: skip


def _gammas(
    corpus: Any, asked: list[str], *, resamples: int, level: float, seed: int, alpha: float = 1.0, beta: float = 1.0,
    empty: float = 1.0, names: NamesLike = "nominal", sampler: Sampler = "statistical", samples: int = 100,
    precision: float | None = None, unaligned: Unaligned = "leave", limit: float | None = None, threads: int | None = None,
) -> dict[str, Agreement]:  # fmt: skip
    """γ and γ-cat, from the same alignments."""
    interval = Interval(resamples, level, seed).check()
    chance = Samples(samples, sampler, seed, precision, threads)
    question = Gamma(SpanTexts.of(corpus), Dissimilarity(alpha, beta, empty, names), chance, unaligned, limit)
    return {name: gamma_agreement(question, name, interval) for name in asked}  # type: ignore[arg-type]


def alpha_u(
    corpus: CorpusLike,
    *,
    overlap: Overlap = "refuse",
    resolution: float | None = None,
    resamples: int = 0,
    level: float = 0.95,
    seed: int = 0,
) -> Agreement:
    """Krippendorff's α_U (1995, 2004), over all labels; ``details["by_label"]`` has each label's own.

    Positions are whole: units, or seconds in steps of ``resolution`` (a millisecond by default). Overlapping spans of one coder and label are
    refused, or the longest kept with ``overlap="longest"``. Texts are pooled, each with the weight of its length.

    >>> from caesura import Spans
    >>> ann = Spans.from_rows([(10, 20, "c"), (40, 45, "c")], length=60)
    >>> ben = Spans.from_rows([(12, 20, "c"), (40, 45, "c")], length=60)
    >>> round(alpha_u({"ann": ann, "ben": ben}).value, 4)
    0.9647
    """
    corpus = as_corpus(corpus, "what coders agree on", lambda coder: ("text", coder))
    options: dict[str, Any] = {"overlap": overlap, "resolution": resolution}
    return _alphas(corpus, ["alpha-u"], resamples=resamples, level=level, seed=seed, **options)["alpha-u"]


def _alphas(
    corpus: Any, asked: list[str], *, resamples: int, level: float, seed: int, overlap: Overlap = "refuse",
    resolution: float | None = None,
) -> dict[str, Agreement]:  # fmt: skip
    interval = Interval(resamples, level, seed).check()
    check_choice("overlap", overlap, get_args(Overlap))
    texts = SpanTexts.of(corpus)
    step = _step(texts, resolution)

    def count(texts: SpanTexts) -> Values:
        """Per text: D_o and D_e, all labels, times the length; then label by label."""
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

    signature = "|".join(["alpha-u", *_grid(texts, step), f"overlap:{overlap}", f"v:{__version__}"])
    rows = count(texts)
    behind = _label_values(texts, rows, 2)
    return {"alpha-u": _answer("alpha-u", texts, rows, count, (0, 1), interval, signature, behind)}


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
    """Krippendorff's coefficients of 2016: uα, |uα ("bar-u-alpha") and cuα; ``details["by_label"]`` has (k)uα, ``details["coverage"]`` what it is about.

    Spans of one coder must not overlap; gaps count as a label of their own. Positions are whole: units, or seconds in steps of ``resolution`` (a
    millisecond by default). ``difference`` of cuα: "nominal", or of labels that are numbers "interval" or "ratio". Texts are pooled: disagreements, in
    positions, are added up.

    >>> from caesura import Spans
    >>> ann = Spans.from_rows([(10, 20, "c"), (40, 45, "c")], length=60)
    >>> ben = Spans.from_rows([(12, 20, "c"), (40, 45, "c")], length=60)
    >>> round(u_alpha({"ann": ann, "ben": ben}).value, 4)
    0.9088
    """
    check_choice("coefficient", coefficient, _U_ALPHA)
    corpus = as_corpus(corpus, "what coders agree on", lambda coder: ("text", coder))
    options: dict[str, Any] = {"difference": difference, "resolution": resolution}
    return _u_alphas(corpus, [coefficient], resamples=resamples, level=level, seed=seed, **options)[coefficient]


def _u_alphas(
    corpus: Any, asked: list[str], *, resamples: int, level: float, seed: int, difference: Difference = "nominal",
    resolution: float | None = None,
) -> dict[str, Agreement]:  # fmt: skip
    interval = Interval(resamples, level, seed).check()
    check_choice("difference", difference, get_args(Difference))
    texts = SpanTexts.of(corpus)
    step = _step(texts, resolution)

    def count(texts: SpanTexts) -> Values:
        rows: list[Coincidences] = []
        for text in map(texts.text, range(len(texts))):
            check_no_overlap(text, "this coefficient", within_label=False)
            rows.append(count_coincidences(text, whole_positions(text, step), difference))
        return np.array([each.row for each in rows])

    rows = count(texts)
    behind = _label_values(texts, rows, 6, 4)
    met, marked = behind.pop("lengths")
    with np.errstate(invalid="ignore"):
        behind["coverage"] = dict(zip(texts.labels, (met / marked).tolist(), strict=True))
    answers = {}
    for name in asked:
        where = 2 * _U_ALPHA.index(name)
        only = [f"difference:{difference}"] if name == "cu-alpha" else []
        signature = "|".join([name, *_grid(texts, step), *only, f"v:{__version__}"])
        answers[name] = _answer(name, texts, rows, count, (where, where + 1), interval, signature, behind)
    return answers


def _step(texts: SpanTexts, resolution: float | None) -> float:
    """The length of a position."""
    if resolution is None:
        return 0.001 if texts.corpus.timed else 1.0
    check_above_zero("resolution", resolution)
    return float(resolution)


def _grid(texts: SpanTexts, step: float) -> list[str]:
    return [f"res:{step:g}"] if texts.corpus.timed or step != 1 else []


def _label_values(texts: SpanTexts, rows: Values, first: int, columns: int = 2) -> dict[str, Any]:
    """The coefficient of every label, over all texts, and what else stands beside it."""
    sums = rows.sum(axis=0)[first:].reshape(len(texts.labels), columns)
    values = _value(sums[:, 0], sums[:, 1])
    return {"by_label": dict(zip(texts.labels, values.tolist(), strict=True)), "lengths": sums[:, 2:].T}


def _value(observed: Values, expected: Values) -> Values:
    """1 - observed / expected; NaN where chance expects nothing."""
    return combine("disorder", observed, np.where(np.asarray(expected) > 0, expected, np.nan))


def _answer(
    name: str,
    texts: SpanTexts,
    rows: Values,
    count: Callable[[SpanTexts], Values],
    columns: tuple[int, int],
    interval: Interval,
    signature: str,
    behind: Mapping[str, Any],
) -> Agreement:
    """A coefficient that is one less a quotient of two ``columns`` of the rows per text, with what stands behind it.

    ``count`` makes such rows, of the texts without a coder.
    """

    def without(coder: int) -> float:
        left = texts.without(coder)
        return float("nan") if left is None else float(_value(*count(left)[:, columns].sum(axis=0)))

    sums = np.zeros((len(texts.corpus.items), 2))
    np.add.at(sums, texts.item_of, rows[:, columns])
    observed, expected = sums.sum(axis=0)
    silent = describe_silent(texts)
    notes = ([silent] if silent else []) + ([_UNDEFINED[name]] if not expected > 0 else [])
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
            by_label=behind["by_label"],
            **({"coverage": behind["coverage"]} if "coverage" in behind else {}),
            leave_one_out={coder: without(number) for number, coder in enumerate(coders)},
            per_item=per_item(texts, sums[:, 0], np.where(sums[:, 1] > 0, sums[:, 1], np.nan)),
            silent=texts.silent,
            notes=notes,
        ),
        interval=resample(sums, lambda drawn: _value(drawn[:, 0], drawn[:, 1]), interval),
        formula="disorder",
        title=SPAN_COEFFICIENTS[name],
    )


_FAMILIES: dict[tuple[str, ...], Callable[..., dict[str, Agreement]]] = {
    _GAMMA: _gammas,
    ("alpha-u",): _alphas,
    _U_ALPHA: _u_alphas,
}
