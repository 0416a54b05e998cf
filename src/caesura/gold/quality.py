"""How good a gold standard is: how well it represents each of the annotations it was made from.

The gold standard is the hypothesis, each annotation in turn the reference. Metrics on nested segments see both as hierarchies
(a linear segmentation is one at level 1); metrics on boundaries see both flattened to all boundaries, or projected to one level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.display.result import Result
from caesura.display.table import Cell, Table, measure_name, spell
from caesura.errors import CaesuraError
from caesura.gold.unification import METHODS, Gold, unify_corpus
from caesura.metrics import Batch, Metric, metric
from caesura.metrics.nested import Embeddedness, SegmentBeginnings, kappa_parts
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation, Spans
from caesura.model.corpus import Marks

_NESTED = ("nested-precision", "nested-recall", "nested-F", "nested-kappa")
_LINEAR = ("precision", "recall", "F", "B", "A")
_SPANS = ("span-precision", "span-recall", "span-F", "span-partial-F", "span-type-F", "token-F")
_TIMED = ("region-F", "R")


@dataclass(frozen=True, repr=False)
class Represented(Result):
    """Scores of one gold standard against every annotation: one row per annotation, one column per metric.

    ``agreement`` holds, for every κ among the metrics, A_a and A_e of each annotation.
    """

    metrics: tuple[Metric, ...]
    annotations: tuple[tuple[str, str, str], ...]
    scores: NDArray[np.float64]
    agreement: Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]]
    segments: int

    @property
    def names(self) -> list[str]:
        """The metrics by name."""
        return [measure.name for measure in self.metrics]

    @property
    def means(self) -> dict[str, float]:
        """The mean of every metric over the annotations where it is defined."""
        return {measure.name: _mean(column) for measure, column in zip(self.metrics, self.scores.T, strict=True)}

    def by_coder(self) -> dict[str, dict[str, float]]:
        """The mean of every metric over each coder's annotations."""
        coders = dict.fromkeys(coder for _, _, coder in self.annotations)
        mine = {c: np.array([coder == c for _, _, coder in self.annotations]) for c in coders}
        return {
            coder: {m.name: _mean(column) for m, column in zip(self.metrics, self.scores[rows].T, strict=True)}
            for coder, rows in mine.items()
        }

    @property
    def headings(self) -> tuple[str, ...]:
        """The metrics' names for the head of a table, shortened as long as they stay apart; penalties are marked."""
        short = [name.removeprefix("nested-").replace("kappa", "κ") for name in self.names]
        names = short if len(set(short)) == len(short) else self.names
        return tuple(measure_name(name, each) for name, each in zip(names, self.metrics, strict=True))

    def tables(self) -> Sequence[Table]:
        """The mean of every metric for each coder, and over all."""
        rows: list[tuple[Cell, ...]] = [(coder, *scores.values()) for coder, scores in self.by_coder().items()]
        notes = (
            f"{name}: A_a {spell(parts['observed'])}, A_e {spell(parts['expected'])}, means over the annotations"
            for name, parts in self.as_dict()["agreement"].items()
        )
        caption = "how well the gold standard represents each coder"
        return [Table(caption, ("coder", *self.headings), (*rows, ("mean", *self.means.values())), tuple(notes))]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "signatures": {measure.name: measure.signature for measure in self.metrics},
            "segments": self.segments,
            "mean": self.means,
            "coders": self.by_coder(),
            "agreement": {
                name: {"observed": _mean(observed), "expected": _mean(expected)}
                for name, (observed, expected) in self.agreement.items()
            },
        }


def method_table(caption: str, results: Mapping[str, Represented]) -> Table:
    """Methods side by side: how many segments each keeps, and its means over the annotations."""
    first = next(iter(results.values()))
    rows: list[tuple[Cell, ...]] = [(name, r.segments, *r.means.values()) for name, r in results.items()]
    columns = ("method", "size", *first.headings)
    return Table(f"{caption}: segments, and means over {len(first.annotations)} annotations", columns, tuple(rows))


def default_metrics(gold: Gold, embeddedness: Embeddedness) -> list[Metric]:
    """Choose metrics for a gold standard: those of the paper where segments nest, and boundary metrics where they do not."""
    if isinstance(gold, Hierarchy):
        levels = metric("nested-B" if embeddedness == "full" else "B")  # flat: all boundaries, whatever their level
        return [*(metric(name, embeddedness=embeddedness) for name in _NESTED), metric("non-crossing"), levels]
    if isinstance(gold, Spans):
        return [metric(name) for name in _SPANS]
    trial = Batch.of_pair(gold, gold)
    known = map(metric, (*_LINEAR, *_TIMED))
    return [each for each in known if trial.kind not in each.unasked and each.applies_to(trial)]


def represent(
    golds: Mapping[tuple[str, str], Gold],
    corpus: Corpus,
    chosen: Sequence[str | Metric] | None = None,
    *,
    embeddedness: Embeddedness = "full",
    level: int | None = None,
) -> Represented:
    """Compare gold standards, by (item, track), with every annotation of the corpus.

    Parameters
    ----------
    chosen
        Metrics; by default those of the paper, and B: of levels if full, of all boundaries if flat.
    level
        Where metrics compare boundaries: project hierarchies to this level instead of flattening them.

    Examples
    --------
    >>> corpus = Corpus.from_dict({"x": {"ann": [2, 3, 6], "ben": [2, 9]}})
    >>> represent(unify_corpus(corpus, "consensus"), corpus, ["recall"]).means
    {'recall': 0.75}
    """
    listed = list(corpus)
    first = next(iter(golds.values()))
    measures = default_metrics(first, embeddedness) if chosen is None else [metric(name) for name in chosen]
    scores = np.full((len(listed), len(measures)), np.nan)
    agreement: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
    batches: dict[str, Batch] = {}
    for column, measure in enumerate(measures):
        kind = next((kind for kind in ("spans", "nested") if kind in measure.needs), "flat")
        if kind not in batches:
            theirs = (a._replace(marks=_as_compared(a.marks, kind, level)) for a in listed)
            ours = (a._replace(marks=_as_compared(golds[a.item, a.track], kind, level)) for a in listed)
            batches[kind] = Batch.of_corpora(Corpus.from_annotations(theirs), Corpus.from_annotations(ours))
        rows = measure.rows(batches[kind])
        scores[:, column] = measure.score(rows)
        if isinstance(measure.family, SegmentBeginnings):
            parts = kappa_parts(rows)
            agreement[measure.name] = (parts.observed, parts.expected)
    annotations = tuple((a.item, a.track, a.coder) for a in listed)
    return Represented(tuple(measures), annotations, scores, agreement, sum(len(gold) for gold in golds.values()))


def compare_methods(
    corpus: Corpus,
    methods: Sequence[str] | None = None,
    embeddedness: Sequence[Embeddedness] = ("flat", "full"),
    chosen: Sequence[str | Metric] | None = None,
) -> dict[tuple[str, Embeddedness], Represented]:
    """Run several methods side by side and see how well each represents the annotators.

    By default every method that applies to the corpus; where metrics are not named, all are judged by the same ones.
    """
    names = list(METHODS) if methods is None else list(methods)
    by_method: dict[tuple[str, Embeddedness], Represented] = {}
    for how in embeddedness:
        judges = chosen
        for name in names:
            try:
                golds = unify_corpus(corpus, name, embeddedness=how)
            except CaesuraError:
                if methods is not None:
                    raise
                continue  # a method that such annotations have no use for, as labels of utterances in seconds
            if judges is None:
                judges = default_metrics(next(iter(golds.values())), how)
            by_method[name, how] = represent(golds, corpus, judges, embeddedness=how)
    return by_method


def gold_corpus(golds: Mapping[tuple[str, str], Gold], coder: str = "gold") -> Corpus:
    """Put gold standards into a corpus of one coder, ready to be written or compared."""
    return Corpus.from_annotations(Annotation(item, coder, gold, track) for (item, track), gold in golds.items())


def like(marks: Marks, gold: Gold) -> Marks:
    """Show an annotation as the gold standard is: lifted to a hierarchy, flattened, or as it is."""
    if isinstance(gold, Spans):
        return marks
    if isinstance(gold, Hierarchy):
        return marks if isinstance(marks, Hierarchy) else Hierarchy.from_segmentation(_flat(marks, None))
    flat = _flat(marks, None)
    return Segmentation(flat.length, flat._cuts(), units=flat.units) if flat.typed and not gold.typed else flat


def _as_compared(marks: Marks, kind: str, level: int | None) -> Marks:
    """Show marks to metrics as what they compare."""
    if kind == "spans":
        return marks
    if kind == "nested":
        return marks if isinstance(marks, Hierarchy) else Hierarchy.from_segmentation(_flat(marks, None))
    return _flat(marks, level)


def _flat(marks: Marks, level: int | None) -> Segmentation:
    if isinstance(marks, Segmentation):
        return marks
    return marks.at_level(level) if isinstance(marks, Hierarchy) and level is not None else marks.boundaries()


def _mean(values: NDArray[np.float64]) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")
