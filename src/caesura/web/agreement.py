"""Agreement of a whole project, as the page sees it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from caesura.errors import CaesuraError
from caesura.metrics import Metric, metric
from caesura.model import DEFAULT_METRICS, Corpus, Segmentation
from caesura.statistics import CountedPairs


def project_agreement(corpus: Corpus, name: str | None, coefficient: str | None = None) -> dict[str, Any]:
    """Mean similarity of every two coders (rows pooled over their items), of every item, and coefficients where they exist."""
    chosen = metric(name or DEFAULT_METRICS[corpus.kind])
    table = CountedPairs.among_coders(corpus)
    if not len(table.pairs):
        raise CaesuraError("agreement needs two coders on one item; bring a second annotation.")
    by_item = table.by_item(chosen)
    return {
        "metric": chosen.name,
        "kind": corpus.kind,
        "title": chosen.title,
        "signature": chosen.signature,
        "coders": corpus.coders,
        "matrix": _matrix(chosen, table),
        "pooled": _number(chosen.score(by_item.sum(axis=0))),
        "items": [
            {"name": corpus.items[i], "score": _number(chosen.score(by_item[i]))}
            for i in np.unique(table.pairs.item_of).tolist()
        ],
        "coefficients": _span_coefficients(corpus, coefficient)
        if corpus.kind == "spans"
        else _coefficients(table, chosen),
    }


def _matrix(chosen: Metric, table: CountedPairs) -> list[list[float | None]]:
    """The score of every two coders; nothing of a coder alone, and of two who share no item."""
    scores = np.where(table.meetings(), table.matrix(chosen), np.nan)
    return [[_number(score) for score in row] for row in scores.tolist()]


def _coefficients(table: CountedPairs, chosen: Metric) -> list[dict[str, Any]]:
    """π and κ with this metric; recordings and hierarchies have no places for chance, so theirs is agreement as observed.

    A coefficient that does not apply says why.
    """
    from caesura.agreement import agreements

    kind = table.pairs.reference.kind
    texts = kind == "units"
    listed: list[dict[str, Any]] = []
    for name in ("pi", "kappa") if texts else ("percentage",):
        try:
            agreed = agreements(table, chosen if texts else None, [name])[name]
        except CaesuraError as fault:
            listed.append({"coefficient": name, "why": str(fault)})
            continue
        listed.append(
            {
                "coefficient": name if texts else f"observed, by {DEFAULT_METRICS[kind]}",
                "title": agreed.title,
                "value": _number(agreed.value),
                "observed": _number(agreed.observed),
                "expected": _number(agreed.expected) if texts else None,
                "signature": agreed.signature,
            }
        )
    return [*listed, *(_r_value(table) if kind == "time" else ()), *_labelled_time(table.pairs.reference)]


def _r_value(table: CountedPairs) -> list[dict[str, Any]]:
    """R of the boundaries, as phoneticians know it, pooled over all pairs."""
    each = metric("R")
    pooled = _number(each.score(table.by_item(each).sum(axis=0)))
    return [
        {"coefficient": "R", "title": each.title, "value": pooled, "about": each.about, "signature": each.signature}
    ]


def _labelled_time(corpus: Corpus) -> list[dict[str, Any]]:
    """κ on labelled time, as users of ELAN know it, and the agreement it corrects, of the coders who name their segments."""
    named = [each for each in corpus if isinstance(each.marks, Segmentation) and each.marks.names is not None]
    table = CountedPairs.among_coders(Corpus.from_annotations(named)) if corpus.timed and named else None
    if table is None or not len(table.pairs):
        return []
    nameless = sorted(set(corpus.coders) - {each.coder for each in named})
    return [
        {
            "coefficient": each.name,
            "title": each.title,
            "value": _number(each.score(table.by_item(each).sum(axis=0))),
            "about": each.about,
            "signature": each.signature,
            "notes": [f"Without {', '.join(nameless)}, who gave no names."] if nameless else [],
        }
        for each in (metric("time-kappa"), metric("time-agreement"))
    ]


def _span_coefficients(corpus: Corpus, name: str | None) -> list[dict[str, Any]]:
    """The one that was chosen, or γ, γ-cat and, where no coder's spans overlap, Krippendorff's; each by its own name."""
    from caesura.agreement import span_agreements

    try:
        agreed = span_agreements(corpus, None if name is None else [name])
    except CaesuraError as fault:
        return [{"coefficient": name or "γ", "why": str(fault)}]
    return [
        {
            "coefficient": result.title,
            "value": _number(result.value),
            "observed": _number(result.observed),
            "expected": _number(result.expected),
            "formula": "disorder",
            "signature": result.signature,
            "notes": list(result.details.get("notes", ())),
        }
        for result in agreed.values()
    ]


def _number(value: Any) -> float | None:
    return None if math.isnan(float(value)) else float(value)
