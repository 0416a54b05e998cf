"""A comparison as the page sees it: scores with signatures, reasons, and pictures."""

from __future__ import annotations

import math
from typing import Any

from caesura.errors import CaesuraError
from caesura.metrics import Metric, metric, metrics
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation
from caesura.report.comparison import compare
from caesura.report.drawings import applicable, draw
from caesura.web.requests import CompareRequest

__all__ = ["compared"]


def compared(coded: list[tuple[str, Segmentation | Hierarchy]], wanted: CompareRequest) -> dict[str, Any]:
    """Compare the first annotation with each of the others, and draw all of them together."""
    (reference, first), *others = coded
    chosen = _metrics(wanted)
    answers = []
    for coder, marks in others:
        found = compare(first, marks, chosen, names=(reference, coder))
        answers.append(
            {
                "reference": reference,
                "hypothesis": coder,
                "scores": [
                    {
                        "name": name,
                        "title": score.metric.title,
                        "value": None if math.isnan(score.value) else score.value,
                        "higher_is_better": score.metric.higher_is_better,
                        "signature": score.signature,
                        "counts": dict(score.counts),
                    }
                    for name, score in found.scores.items()
                ],
                "skipped": dict(found.skipped),
            }
        )
    return {"comparisons": answers, "pictures": _pictures(coded, wanted)}


def _metrics(wanted: CompareRequest) -> list[Metric]:
    """Every metric asked for (or known), each with the parameters it takes."""
    given: dict[str, Any] = dict(wanted.parameters)
    for whole in ("n_t", "k"):
        if whole in given:
            if given[whole] != int(given[whole]):
                raise CaesuraError(f"{whole} is a whole number, not {given[whole]:g}.")
            given[whole] = int(given[whole])
    if wanted.similarity is not None:
        given["similarity"] = wanted.similarity
    made = []
    for name in wanted.metrics or metrics():
        plain = metric(name)
        mine = {key: value for key, value in given.items() if key in plain.parameters}
        made.append(metric(name, **mine) if mine else plain)
    return made


def _pictures(coded: list[tuple[str, Segmentation | Hierarchy]], wanted: CompareRequest) -> list[dict[str, str]]:
    corpus = Corpus.from_annotations([Annotation("item", coder, marks) for coder, marks in coded])
    names = wanted.drawings
    if names is None:
        names = [drawing.name for drawing in applicable(corpus) if drawing.shown and not drawing.whole][:2]
    drawn = []
    for name in names:
        picture = draw(name, corpus)
        drawn.append({"name": name, "title": picture.title, "svg": picture.svg(wanted.width)})
    return drawn
