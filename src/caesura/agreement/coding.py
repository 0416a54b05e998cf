"""A corpus as agreement sees it: the rows of every pair of coders, and how many boundaries each coder placed where.

Everything a coefficient needs adds up over items, so intervals, leaving one coder out, and one number an item all come from
these tables; no comparison is made twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.metrics import Batch, Metric
from caesura.metrics.counting import count_rows
from caesura.metrics.family import Rows
from caesura.model import Corpus
from caesura.words import number_of

__all__ = ["Coding"]


@dataclass(frozen=True)
class Coding:
    """Pairs of coders and what they did.

    Attributes
    ----------
    metric
        The pairwise measure.
    items, coders
        Their names.
    rows, item_of, one, two
        For every pair of annotations of one track: its counts, its item, and the two coders.
    marks, segments, places, annotations
        For every item and coder: boundaries placed, segments made, potential boundaries, and annotations (one a track).
    densities
        For every item and coder, the sum of its annotations' densities (boundaries over potential boundaries).
    """

    metric: Metric
    items: tuple[str, ...]
    coders: tuple[str, ...]
    rows: Rows
    item_of: NDArray[np.int64]
    one: NDArray[np.int64]
    two: NDArray[np.int64]
    marks: NDArray[np.float64]
    segments: NDArray[np.float64]
    places: NDArray[np.float64]
    annotations: NDArray[np.float64]
    densities: NDArray[np.float64]
    segment_densities: NDArray[np.float64]

    @classmethod
    def of(cls, corpus: Corpus, metric: Metric) -> Coding:
        """Count all pairs of coders of a corpus; refuse a metric or a corpus that makes no sense here."""
        _check_metric(metric)
        first, second = corpus.pairs()
        if not len(first):
            several = (
                " (files of a folder that are named by coder are read with pattern=, such as '{item}-{coder}.csv')"
            )
            raise CaesuraError(
                f"agreement needs two coders of one text; here {number_of(len(corpus.coders), 'coder')} annotated "
                f"{number_of(len(corpus.items), 'item')}, and no text was annotated twice{several * (len(corpus.items) > 1)}."
            )
        batch = Batch.of_corpora(corpus, corpus, first, second)
        rows = count_rows(metric, batch)
        marks, places = _marks_and_places(corpus)
        shape = (len(corpus.items), len(corpus.coders))

        def summed(values: NDArray[np.float64]) -> NDArray[np.float64]:
            table = np.zeros(shape)
            np.add.at(table, (corpus.item_of, corpus.coder_of), values)
            return table

        safe = np.where(places > 0, places, 1.0)
        return cls(
            metric=metric,
            items=corpus.items,
            coders=corpus.coders,
            rows=rows,
            item_of=corpus.item_of[first],
            one=corpus.coder_of[first],
            two=corpus.coder_of[second],
            marks=summed(marks),
            segments=summed(marks + 1),
            places=summed(places),
            annotations=summed(np.ones(len(corpus))),
            densities=summed(marks / safe),
            segment_densities=summed((marks + 1) / safe),
        )

    def without(self, coder: int) -> Coding:
        """Leave one coder out."""
        keep = (self.one != coder) & (self.two != coder)
        return self._kept(keep, np.arange(len(self.coders)) != coder)

    def only(self, coders: Iterable[int]) -> Coding:
        """Keep these coders only."""
        wanted = np.isin(np.arange(len(self.coders)), list(coders))
        return self._kept(wanted[self.one] & wanted[self.two], wanted)

    def _kept(self, pairs: NDArray[np.bool_], coders: NDArray[np.bool_]) -> Coding:
        kept: dict[str, Any] = {name: getattr(self, name)[pairs] for name in ("rows", "item_of", "one", "two")}
        for name in ("marks", "segments", "places", "annotations", "densities", "segment_densities"):
            kept[name] = np.where(coders, getattr(self, name), 0.0)
        return replace(self, **kept)

    def item_rows(self) -> Rows:
        """Add up the rows of every item's pairs."""
        table = np.zeros((len(self.items), self.rows.shape[1]))
        np.add.at(table, self.item_of, self.rows)
        return table

    def similarity(self, rows: Rows) -> NDArray[np.float64]:
        """Score rows as a similarity: an error measure counts as one less its error."""
        scores = self.metric.score(rows)
        return scores if self.metric.higher_is_better else 1.0 - scores

    def observed(self) -> float:
        """Pool the rows of all pairs and score them: A_a."""
        return float(self.similarity(self.rows.sum(axis=0)))


def _check_metric(metric: Metric) -> None:
    if not metric.symmetric:
        fixed = " (give it k=)" if "k" in metric.parameters else ""
        raise CaesuraError(
            f"{metric.name} depends on which side is the reference, so it cannot say how coders agree{fixed}; "
            "take B or S of texts, A of recordings, or another symmetric metric."
        )
    low, high = metric.bounds
    if (low, high) != (0.0, 1.0) or metric.best not in (0.0, 1.0):
        raise CaesuraError(f"{metric.name} does not run from 0 to 1, so it cannot be corrected for chance.")


def _marks_and_places(corpus: Corpus) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return, for every annotation, its boundaries and the places (times types) where there might have been one."""
    marks = np.diff(corpus.offsets).astype(np.float64)
    if corpus.kind != "units":
        return marks, np.zeros(len(corpus))
    places = np.maximum(corpus.lengths - 1, 0).astype(np.float64)
    if corpus.types is not None:
        last = np.zeros(len(corpus), np.int64)
        some = corpus.offsets[1:] > corpus.offsets[:-1]
        last[some] = corpus.positions[corpus.offsets[1:][some] - 1]
        stream = corpus.item_of * len(corpus.tracks) + corpus.track_of
        closed = np.zeros(len(corpus.items) * len(corpus.tracks), bool)
        np.logical_or.at(closed, stream, some & (last == corpus.lengths))
        places = (places + closed[stream]) * max(len(np.unique(corpus.types)), 1)
    return marks, places
