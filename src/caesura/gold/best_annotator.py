"""The best annotator: the annotation that is most like the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.metrics import Batch, Metric, metric
from caesura.metrics.nested import Embeddedness
from caesura.model import DEFAULT_METRICS, Corpus, Hierarchy, Segmentation

Marks: TypeAlias = Segmentation | Hierarchy


def default_metric(marks: Marks, embeddedness: Embeddedness) -> Metric:
    """Choose the metric where the user names none: the default of this kind, nested segments as embedded as asked for."""
    if isinstance(marks, Hierarchy):
        return metric(DEFAULT_METRICS["nested"], embeddedness=embeddedness)
    return metric(DEFAULT_METRICS["time" if marks.timed else "units"])


def likeness(measure: Metric, candidates: Sequence[Marks], annotations: Sequence[Marks]) -> NDArray[np.float64]:
    """Score every candidate (hypothesis) against every annotation (reference): one row per candidate, larger is more alike."""
    reference = Corpus.from_annotations([("text", str(i), marks) for i, marks in enumerate(annotations)])
    hypothesis = Corpus.from_annotations([("text", str(i), marks) for i, marks in enumerate(candidates)])
    candidate, annotation = np.divmod(np.arange(len(candidates) * len(annotations)), len(annotations))
    scores = measure.score(measure.rows(Batch.of_corpora(reference, hypothesis, annotation, candidate)))
    return (scores if measure.higher_is_better else -scores).reshape(len(candidates), len(annotations))


def closest(coders: Sequence[str], annotations: Sequence[Marks], measure: Metric) -> tuple[int, NDArray[np.float64]]:
    """Find the annotation with the highest mean likeness to the others; return its place and all means.

    Equal means go to the annotation with more marks, then to the leftmost marks, then to the first coder by name: the order in
    which annotations are given never matters. An undefined score does not enter a mean.
    """
    table = likeness(measure, annotations, annotations)
    np.fill_diagonal(table, np.nan)
    known = ~np.isnan(table)
    means = np.where(known, table, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)

    def rank(place: int) -> tuple[float, int, list[float], str]:
        annotation = annotations[place]
        marks = annotation.segments.ravel() if isinstance(annotation, Hierarchy) else annotation.positions
        return -round(float(means[place]), 12), -len(annotation), [float(mark) for mark in marks], coders[place]

    return min(range(len(annotations)), key=rank), means
