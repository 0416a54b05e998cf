"""What coefficients are made of, added up: over all items, item by item, for sets of coders, and draw by draw.

Everything a coefficient needs adds up over items and coders. So each of these views is one small table with a leading axis, a
coefficient is one function of such a table, and no comparison is made twice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.metrics import Metric
from caesura.metrics.family import Rows
from caesura.model import Corpus
from caesura.model.corpus import Kind
from caesura.statistics.counted import CountedPairs, add_up
from caesura.words import number_of

Table = NDArray[np.float64]


@dataclass(frozen=True)
class Sums:
    """Sums with a leading axis: items, draws, sets of coders, or one row for the whole corpus.

    Attributes
    ----------
    parts
        The parts of the metric's score, over all pairs.
    marks, segments, places, annotations
        Per coder: boundaries placed, segments made, potential boundaries, and annotations (one per track).
    densities, segment_densities
        Per coder: the densities of the annotations (boundaries, or segments, over potential boundaries), added up.
    met
        Per two coders, the earlier first: on how many items with a potential boundary they were compared.
    """

    parts: Rows
    marks: Table
    segments: Table
    places: Table
    annotations: Table
    densities: Table
    segment_densities: Table
    met: Table

    def take(self, weights: Table) -> Sums:
        """Take every member of the leading axis as often as ``weights`` says, one row of weights per result."""
        return Sums(**{name: np.tensordot(weights, table, 1) for name, table in vars(self).items()})


@dataclass(frozen=True, eq=False)
class Coding:
    """What the coders of a corpus did, and how alike each two of them are by one metric."""

    counted: CountedPairs
    metric: Metric

    def __post_init__(self) -> None:
        _check_metric(self.metric, self.corpus.kind)
        corpus = self.corpus
        if not len(self.counted.pairs):
            several = (
                " (files of a folder that are named by coder are read with pattern=, such as '{item}-{coder}.csv')"
            )
            raise CaesuraError(
                f"agreement needs two coders of one text; here {number_of(len(corpus.coders), 'coder')} annotated "
                f"{number_of(len(corpus.items), 'item')}, and no text was annotated twice{several * (len(corpus.items) > 1)}."
            )

    @property
    def corpus(self) -> Corpus:
        """The annotations."""
        return self.counted.pairs.reference

    @cached_property
    def by_item(self) -> Sums:
        """One row per item."""
        corpus = self.corpus
        marks, places = _marks_and_places(corpus)
        safe, size = np.where(places > 0, places, 1.0), (len(corpus.items), len(corpus.coders))
        columns = np.stack((marks, marks + 1, places, np.ones(len(corpus)), marks / safe, (marks + 1) / safe), axis=1)
        cell = corpus.item_of * len(corpus.coders) + corpus.coder_of
        tables = np.moveaxis(add_up(columns, cell, size[0] * size[1]).reshape(*size, -1), -1, 0)
        marks, segments, places, annotations, densities, segment_densities = tables
        parts = self.metric.parts(self.counted.by_item(self.metric))
        return Sums(parts, marks, segments, places, annotations, densities, segment_densities, self._meetings(places))

    def _meetings(self, places: Table) -> Table:
        """Which two coders (the earlier first) were compared on which item, where it has a potential boundary."""
        first, second = self.counted.pairs.coders
        item, size = self.counted.pairs.item_of, places.shape[1]
        table = np.zeros((len(places), size, size))
        table[item, first, second] = np.minimum(places[item, first], places[item, second]) > 0
        return table

    @cached_property
    def whole(self) -> Sums:
        """One row: everything."""
        return self.by_item.take(np.ones((1, len(self.by_item.marks))))

    def among(self, kept: NDArray[np.bool_]) -> Sums:
        """One row per set of coders, which is a row of ``kept``: everything that these did, and they alone."""
        whole, between = self.whole, self.metric.parts(self.counted.by_coders(self.metric))
        coders = {name: table * kept for name, table in vars(whole).items() if name not in ("parts", "met")}
        parts = np.stack(
            [between[np.ix_(some, some)].sum(axis=(0, 1)) / 2 for some in kept]
        )  # each pair is there twice
        return replace(whole, parts=parts, met=whole.met * (kept[:, :, None] & kept[:, None, :]), **coders)

    @cached_property
    def without_each(self) -> Sums:
        """One row per coder: everything without them."""
        return self.among(~np.eye(len(self.corpus.coders), dtype=bool))

    def draws(self, resamples: int, seed: int) -> Table | None:
        """How often each item is taken, one row per draw; None without resamples, or with fewer than two items to draw from."""
        items = np.unique(self.counted.pairs.item_of)
        if resamples == 0 or len(items) < 2:
            return None
        drawn = np.zeros((resamples, len(self.corpus.items)))
        even = np.full(len(items), 1 / len(items))
        drawn[:, items] = np.random.default_rng(seed).multinomial(len(items), even, size=resamples)
        return drawn

    def similarity(self, parts: Rows) -> Table:
        """Score parts as a similarity: an error measure counts as one less its error."""
        scores = self.metric.value(parts)
        return scores if self.metric.higher_is_better else 1.0 - scores

    def matrix(self) -> Table:
        """The pooled similarity of every two coders; NaN where they share no text."""
        scores = self.counted.matrix(self.metric)
        return scores if self.metric.higher_is_better else 1.0 - scores


def _check_metric(metric: Metric, kind: Kind) -> None:
    if not metric.symmetric:
        fixed = " (give it k=)" if "k" in metric.parameters else ""
        raise CaesuraError(
            f"{metric.name} depends on which side is the reference, so it cannot say how coders agree{fixed}; "
            "take B or S of texts, A of recordings, or another symmetric metric."
        )
    corrected = kind != "units" and metric.bounds == (-1.0, 1.0)  # a κ of its own, and nothing here corrects it again
    if not corrected and (metric.bounds != (0.0, 1.0) or metric.best not in (0.0, 1.0)):
        raise CaesuraError(f"{metric.name} does not run from 0 to 1, so it cannot be corrected for chance.")


def _marks_and_places(corpus: Corpus) -> tuple[Table, Table]:
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
