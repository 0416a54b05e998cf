"""Comparisons of annotations and agreement among the coders of a project, as the API returns them."""

from __future__ import annotations

from typing import Any

import numpy as np

from caesura.display.plain import to_plain
from caesura.drawings.catalog import Drawing, applicable, draw, drawable_corpus, drawing
from caesura.errors import CaesuraError
from caesura.metrics import Metric, metric
from caesura.metrics.catalog import with_parameters
from caesura.model import DEFAULT_METRICS, MAIN_METRICS, Annotation, Corpus, Segmentation
from caesura.model.corpus import Marks
from caesura.report.comparison import compare
from caesura.statistics import CountedPairs
from caesura_workbench.requests import CompareRequest

# ---------------------------------------------------------------------- comparison

#: Number of boundaries up to which a comparison is drawn by default.
_DRAWN = 6_000


def compare_annotations(
    coded: list[tuple[str, Marks]], request: CompareRequest, *, item: str = "item"
) -> dict[str, Any]:
    """Compare the first annotation with each of the others and draw all of them together.

    Returns
    -------
    dict
        ``comparisons``: one entry per other annotation, equal to ``cs.compare(first, other).as_dict()`` and to the output of
        ``caesura compare --json`` (see :meth:`caesura.report.comparison.Comparison.as_dict`): ``reference``, ``hypothesis``, ``items``,
        ``metrics`` (name -> ``title``, ``signature``, ``micro``, ``macro``, ``higher_is_better``, ``best``, ``bounds``, ``counts``, …),
        ``skipped``, ``warnings``.
        ``main``: names of the metrics to show first. ``pictures``: ``name``, ``title``, ``svg``. ``drawings``: those to choose from.
        ``note``: a sentence, or "".
    """
    (reference, first), *others = coded
    given = _parameters(request)
    metrics = with_parameters(request.metrics, given) if request.metrics else None
    ours = Corpus.from_annotations([Annotation(item, reference, first)])
    comparisons = [
        compare(ours, Corpus.from_annotations([Annotation(item, coder, marks)]), metrics, parameters=given)
        for coder, marks in others
    ]
    corpus = drawable_corpus(Annotation(item, coder, marks) for coder, marks in coded)
    fitting = applicable(corpus)
    pictures = _pictures(corpus, fitting, request, given)
    too_long = not pictures and request.drawings is None
    return {
        "comparisons": [each.as_dict() for each in comparisons],
        "main": list(comparisons[0]) if request.metrics else list(MAIN_METRICS[corpus.kind]),
        "pictures": pictures,
        "drawings": [{"name": row.name, "title": row.title} for row in fitting],
        "note": "Drawing this many boundaries takes long; choose a drawing to see one." if too_long else "",
    }


def _parameters(request: CompareRequest) -> dict[str, Any]:
    """Return the parameters of the request with their right types."""
    given: dict[str, Any] = {str(key): value for key, value in request.parameters.items()}
    for whole in ("n_t", "k"):
        if whole in given:
            if given[whole] != int(given[whole]):
                raise CaesuraError(f"{whole} must be a whole number, not {given[whole]:g}.")
            given[whole] = int(given[whole])
    if request.similarity is not None:
        given["similarity"] = request.similarity
    return given


def _pictures(
    corpus: Corpus, fitting: list[Drawing], request: CompareRequest, given: dict[str, Any]
) -> list[dict[str, str]]:
    """Draw as requested, or in the first drawing that fits unless the annotations are long."""
    names = request.drawings
    if names is None:
        first = [row.name for row in fitting if row.shown and not row.whole][:1]
        names = first if len(corpus.positions) <= _DRAWN else []
    drawn = []
    for name in names:
        picture = draw(name, corpus, **{key: given[key] for key in drawing(name).options if key in given})
        drawn.append({"name": name, "title": picture.title, "svg": picture.svg(request.width)})
    return drawn


def warm_up() -> None:
    """Load the compiled loops before the first request needs them."""
    for pair in (
        (Segmentation.from_masses([20, 20]), Segmentation.from_masses([19, 21])),
        (Segmentation.from_times([0.5], length=1.0), Segmentation.from_times([0.6], length=1.0)),
        (Segmentation.from_labels_at(["", ",", "", "."]), Segmentation.from_labels_at([",", "", "", "."])),
    ):
        compare(*pair)


# ---------------------------------------------------------------------- agreement


def project_agreement(corpus: Corpus, name: str | None, coefficient: str | None = None) -> dict[str, Any]:
    """Return the pooled similarity of every two coders and of every item, and the coefficients that apply."""
    chosen = metric(name or DEFAULT_METRICS[corpus.kind])
    table = CountedPairs.among_coders(corpus)
    if not len(table.pairs):
        raise CaesuraError("agreement needs two coders on one item; add a second annotation.")
    by_item = table.by_item(chosen)
    return {
        "metric": chosen.name,
        "kind": corpus.kind,
        "title": chosen.title,
        "signature": chosen.signature,
        "coders": corpus.coders,
        # null on the diagonal and for coders who share no item
        "matrix": to_plain(np.where(table.meetings(), table.matrix(chosen), np.nan)),
        "pooled": to_plain(chosen.score(by_item.sum(axis=0))),
        "items": [
            {"name": corpus.items[i], "score": to_plain(chosen.score(by_item[i]))}
            for i in np.unique(table.pairs.item_of).tolist()
        ],
        "coefficients": _span_coefficients(corpus, coefficient)
        if corpus.kind == "spans"
        else _coefficients(table, chosen),
    }


def _coefficients(table: CountedPairs, chosen: Metric) -> list[dict[str, Any]]:
    """Return π and κ with this metric, or the observed agreement for recordings and hierarchies, which have no model of chance.

    A coefficient that does not apply is listed with the reason.
    """
    from caesura.agreement import agreements

    kind = table.pairs.reference.kind
    texts = kind == "units"
    listed: list[dict[str, Any]] = []
    for name in ("pi", "kappa") if texts else ("percentage",):
        try:
            agreed = agreements(table, chosen if texts else None, [name])[name]
        except CaesuraError as error:
            listed.append({"coefficient": name, "why": str(error)})
            continue
        listed.append(
            {
                "coefficient": name if texts else f"observed, by {DEFAULT_METRICS[kind]}",
                "title": agreed.title,
                "value": to_plain(agreed.value),
                "observed": to_plain(agreed.observed),
                "expected": to_plain(agreed.expected) if texts else None,
                "signature": agreed.signature,
            }
        )
    return [*listed, *(_r_value(table) if kind == "time" else ()), *_labelled_time(table.pairs.reference)]


def _r_value(table: CountedPairs) -> list[dict[str, Any]]:
    """Return the R-value of the boundaries, pooled over all pairs."""
    each = metric("R")
    pooled = to_plain(each.score(table.by_item(each).sum(axis=0)))
    return [
        {"coefficient": "R", "title": each.title, "value": pooled, "about": each.about, "signature": each.signature}
    ]


def _labelled_time(corpus: Corpus) -> list[dict[str, Any]]:
    """Return κ and agreement on labelled time, as in ELAN, of the coders who named their segments."""
    named = [each for each in corpus if isinstance(each.marks, Segmentation) and each.marks.names is not None]
    table = CountedPairs.among_coders(Corpus.from_annotations(named)) if corpus.timed and named else None
    if table is None or not len(table.pairs):
        return []
    nameless = sorted(set(corpus.coders) - {each.coder for each in named})
    return [
        {
            "coefficient": each.name,
            "title": each.title,
            "value": to_plain(each.score(table.by_item(each).sum(axis=0))),
            "about": each.about,
            "signature": each.signature,
            "notes": [f"Without {', '.join(nameless)}, who gave no names."] if nameless else [],
        }
        for each in (metric("time-kappa"), metric("time-agreement"))
    ]


def _span_coefficients(corpus: Corpus, name: str | None) -> list[dict[str, Any]]:
    """Return the chosen coefficient, or γ, γ-cat and, where no coder's spans overlap, Krippendorff's."""
    from caesura.agreement import span_agreements

    try:
        agreed = span_agreements(corpus, None if name is None else [name])
    except CaesuraError as error:
        return [{"coefficient": name or "γ", "why": str(error)}]
    return [
        {
            "coefficient": result.title,
            "value": to_plain(result.value),
            "observed": to_plain(result.observed),
            "expected": to_plain(result.expected),
            "formula": "disorder",
            "signature": result.signature,
            "notes": list(result.details.get("notes", ())),
        }
        for result in agreed.values()
    ]
