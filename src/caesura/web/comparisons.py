"""A comparison as the page sees it: scores with signatures, reasons, and pictures."""

from __future__ import annotations

import math
from typing import Any

from caesura.drawings.catalog import applicable, draw, drawing
from caesura.errors import CaesuraError
from caesura.metrics import Batch, metric, metric_names
from caesura.metrics.catalog import unnamed_metrics, with_parameters
from caesura.model import MAIN_METRICS, Annotation, Corpus, Segmentation
from caesura.model.corpus import Marks
from caesura.report.comparison import Score, score_pair
from caesura.web.requests import CompareRequest

#: Boundaries of a comparison that are drawn without being asked.
_DRAWN = 6_000


def compare_annotations(
    coded: list[tuple[str, Marks]], wanted: CompareRequest, *, item: str = "item"
) -> dict[str, Any]:
    """Compare the first annotation with each of the others, and draw all of them together."""
    (reference, first), *others = coded
    corpus = _corpus(item, coded)
    chosen = with_parameters(wanted.metrics or unnamed_metrics(corpus.kind), _parameters(wanted))
    if not wanted.metrics:
        chosen = [each for each in chosen if corpus.kind in each.needs]
    main = MAIN_METRICS[corpus.kind]
    answers = []
    for coder, marks in others:
        measured, skipped = score_pair(Batch.of_pair(first, marks), chosen)
        scores = [_describe(score) for score in measured.values()]
        scores.sort(key=lambda score: (*main, score["name"]).index(score["name"]))  # others stay in their order
        for score in scores:
            score["main"] = bool(wanted.metrics) or score["name"] in main
        answers.append({"reference": reference, "hypothesis": coder, "scores": scores, "skipped": skipped})
    pictures = _pictures(corpus, wanted)
    note = (
        ""
        if pictures or wanted.drawings is not None
        else "So many marks take long to draw; choose a drawing to see one."
    )
    return {"comparisons": answers, "pictures": pictures, "drawings": _drawings(corpus), "note": note}


def _corpus(item: str, coded: list[tuple[str, Marks]]) -> Corpus:
    """All of them as one item; where some carry types and others do not, types are left out of the drawing."""
    typed = {isinstance(marks, Segmentation) and marks.typed for _, marks in coded}
    plain = len(typed) > 1  # spans with and without labels go together
    return Corpus.from_annotations(
        [Annotation(item, coder, _without_types(marks) if plain else marks) for coder, marks in coded]
    )


def _without_types(marks: Any) -> Segmentation:
    inside = [position for position in dict.fromkeys(marks.positions.tolist()) if position < marks.length]
    return Segmentation(marks.length, inside, units=marks.units)


def _describe(score: Score) -> dict[str, Any]:
    each = score.metric
    return {
        "name": each.name,
        "title": each.title,
        "value": None if math.isnan(score.value) else score.value,
        "higher_is_better": each.higher_is_better,
        "best": each.best if each.bounds[0] < each.best < each.bounds[1] else None,  # neither end is best
        "signature": each.signature,
        "counts": score.counts,
    }


def _parameters(wanted: CompareRequest) -> dict[str, Any]:
    """What the user set, of the right type."""
    given: dict[str, Any] = {str(key): value for key, value in wanted.parameters.items()}
    for whole in ("n_t", "k"):
        if whole in given:
            if given[whole] != int(given[whole]):
                raise CaesuraError(f"{whole} is a whole number, not {given[whole]:g}.")
            given[whole] = int(given[whole])
    if wanted.similarity is not None:
        given["similarity"] = wanted.similarity
    return given


def _drawings(corpus: Corpus) -> list[dict[str, str]]:
    """What can be drawn of these annotations, for the user to choose from."""
    return [{"name": row.name, "title": row.title} for row in applicable(corpus)]


def _pictures(corpus: Corpus, wanted: CompareRequest) -> list[dict[str, str]]:
    names = wanted.drawings
    if names is None:
        fits = [row.name for row in applicable(corpus) if row.shown and not row.whole][:1]
        names = fits if len(corpus.positions) <= _DRAWN else []
    given = _parameters(wanted)
    drawn = []
    for name in names:
        picture = draw(name, corpus, **{key: given[key] for key in drawing(name).options if key in given})
        drawn.append({"name": name, "title": picture.title, "svg": picture.svg(wanted.width)})
    return drawn


def warm_up() -> None:
    """Load the compiled loops before the first user waits for them."""
    for pair in (
        (Segmentation.from_masses([20, 20]), Segmentation.from_masses([19, 21])),
        (Segmentation.from_times([0.5], length=1.0), Segmentation.from_times([0.6], length=1.0)),
        (Segmentation.from_labels_at(["", ",", "", "."]), Segmentation.from_labels_at([",", "", "", "."])),
    ):
        score_pair(Batch.of_pair(*pair), [metric(name) for name in metric_names()])
