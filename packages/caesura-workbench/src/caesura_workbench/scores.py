"""Comparisons of annotations, as the API returns them."""

from __future__ import annotations

from typing import Any

from caesura.drawings.catalog import Drawing, applicable, draw, drawable_corpus, drawing
from caesura.errors import CaesuraError
from caesura.metrics.catalog import with_parameters
from caesura.model import MAIN_METRICS, Annotation, Corpus, Segmentation
from caesura.model.corpus import Marks
from caesura.report.comparison import compare
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
