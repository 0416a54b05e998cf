"""Agreement of a whole project, as the page sees it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from caesura.errors import CaesuraError
from caesura.metrics import Batch, Metric, metric
from caesura.metrics.counting import count_rows
from caesura.model import Corpus

__all__ = ["project_agreement"]

#: What is measured where the user did not say: by the kind of annotation, typed or not.
_DEFAULT = {("units", False): "B", ("units", True): "B", ("time", False): "region-F", ("nested", False): "nested-F"}


#: What agreement is observed by where chance has no places: measures that do not ask who is the reference.
_OBSERVED = {"time": "A", "nested": "nested-F"}


def project_agreement(corpus: Corpus, name: str | None) -> dict[str, Any]:
    """Mean similarity of every two coders (rows pooled over their items), of every item, and coefficients where they exist."""
    chosen = metric(name) if name else _default(corpus)
    first, second = corpus.pairs()
    if not len(first):
        raise CaesuraError("agreement needs two coders on one item; bring a second annotation.")
    batch = Batch.of_corpora(corpus, corpus, first, second)
    rows = count_rows(chosen, batch)
    pairs = corpus.coder_of[first] * len(corpus.coders) + corpus.coder_of[second]
    of_item = corpus.item_of[first]
    items = sorted(set(of_item.tolist()))
    return {
        "metric": chosen.name,
        "signature": chosen.signature,
        "coders": corpus.coders,
        "matrix": _matrix(chosen, rows, pairs, len(corpus.coders)),
        "pooled": _number(chosen.score(rows.sum(axis=0))),
        "items": [
            {"name": corpus.items[i], "score": _number(chosen.score(rows[of_item == i].sum(axis=0)))} for i in items
        ],
        "coefficients": _coefficients(corpus, chosen),
    }


def _default(corpus: Corpus) -> Metric:
    from caesura.metrics import metric_names

    wanted = _DEFAULT.get((corpus.kind, corpus.typed), "F")
    if wanted in metric_names():
        return metric(wanted)
    return next(m for m in map(metric, metric_names()) if corpus.kind in m.needs and m.symmetric and m.higher_is_better)


def _matrix(chosen: Metric, rows: Any, pairs: Any, coders: int) -> list[list[float | None]]:
    matrix: list[list[float | None]] = [[None] * coders for _ in range(coders)]
    for pair in np.unique(pairs):
        one, two = divmod(int(pair), coders)
        matrix[one][two] = matrix[two][one] = _number(chosen.score(rows[pairs == pair].sum(axis=0)))
    return matrix


def _coefficients(corpus: Corpus, chosen: Metric) -> list[dict[str, Any]]:
    """π and κ with this metric; recordings and hierarchies have no places for chance, so theirs is agreement as observed.

    A coefficient that does not apply says why.
    """
    from caesura.agreement import agreement

    texts = corpus.kind == "units"
    listed: list[dict[str, Any]] = []
    for name in ("pi", "kappa") if texts else ("percentage",):
        try:
            found = agreement(corpus, metric=chosen if texts else metric(_OBSERVED[corpus.kind]), coefficient=name)
        except CaesuraError as fault:
            listed.append({"coefficient": name, "why": str(fault)})
            continue
        listed.append(
            {
                "coefficient": name if texts else f"observed, by {_OBSERVED[corpus.kind]}",
                "value": _number(found.value),
                "observed": _number(found.observed),
                "expected": _number(found.expected) if texts else None,
                "signature": found.signature,
            }
        )
    return listed


def _number(value: Any) -> float | None:
    return None if math.isnan(float(value)) else float(value)
