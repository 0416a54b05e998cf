"""Boundaries that both sides have: precision, recall and F of boundaries, and percentage agreement over places.

The bluntest of all measures, kept because everybody knows them: a boundary one unit off is as wrong as none at all. In recordings that
leaves next to nothing, so there they are computed only when named; region-precision, region-recall and region-F allow a tolerance.

.. math:: P = \\frac{hits}{predicted}, \\quad R = \\frac{hits}{actual}, \\quad
          F_\\beta = \\frac{(1 + \\beta^2)\\, hits}{\\beta^2\\, actual + predicted}, \\quad
          PA = \\frac{places - predicted - actual + 2\\, hits}{places}

Nothing to compare on either side is perfect agreement: 1.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from caesura.kernels import load
from caesura.metrics.batch import Batch
from caesura.metrics.family import Family, Numbers, Parts, Rows, Score, Single, share_of_side, share_or_one
from caesura.model.corpus import Kind
from caesura.words import check_above_zero


class SharedCounts(NamedTuple):
    """Boundaries that both sides have (of the same type, where there are types), and those of either side."""

    hits: Numbers
    predicted: Numbers
    actual: Numbers


class PlaceCounts(NamedTuple):
    """The same, and the places where a boundary could stand."""

    hits: Numbers
    predicted: Numbers
    actual: Numbers
    places: Numbers


def precision(c: SharedCounts) -> Parts:
    """Hits over predicted."""
    return c.hits, c.predicted, c.actual


def recall(c: SharedCounts) -> Parts:
    """Hits over actual."""
    return c.hits, c.actual, c.predicted


def f_measure(c: SharedCounts, *, beta: float = 1.0) -> Parts:
    """(1 + β²) hits over β² actual + predicted."""
    check_above_zero("beta", beta)
    return (1 + beta**2) * c.hits, beta**2 * c.actual + c.predicted


def agreeing_places(c: PlaceCounts) -> Parts:
    """Places that both sides treat alike, over places."""
    return c.places - c.predicted - c.actual + 2 * c.hits, c.places


@dataclass(frozen=True)
class SharedBoundaries(Family):
    """Boundaries that stand at one place on both sides, type by type where there are types."""

    counts: ClassVar = SharedCounts
    scores = {
        "precision": Score(
            "boundary precision",
            "Share of predicted boundaries that are right: hits / predicted; 1 where none was predicted and none is there.",
            precision, share_of_side, symmetric=False,
        ),
        "recall": Score(
            "boundary recall",
            "Share of actual boundaries that were found: hits / actual; 1 where there is none and none was predicted.",
            recall, share_of_side, symmetric=False,
        ),
        "F": Score(
            "boundary F", "Weighted harmonic mean of boundary precision and recall.",
            f_measure, share_or_one, symmetric=lambda beta: beta == 1.0,
        ),
    }  # fmt: skip
    needs = frozenset({"units", "time"})
    unasked: ClassVar[Mapping[Kind, str]] = {
        "time": "two people never put a boundary at the very same instant, so that it is 0 by nature"
    }
    types = "sets"
    paper = "van Rijsbergen 1979, Information Retrieval, chapter 7"

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single:
        """All boundaries, whatever their types are called."""
        loops = load("fused")
        if labels is not None:
            return Single(loops.pair_common_typed)
        return Single(loops.pair_common if kind == "units" else loops.pair_common_times)

    def count(self, batch: Batch) -> Rows:
        """Merge both sides of every pair."""
        out = np.empty((len(batch), len(self.counts._fields)))
        load("exact").count_common(*batch.columns, out)
        return out


@dataclass(frozen=True)
class PlacesAgreed(SharedBoundaries):
    """The same without types, over all places where a boundary could stand."""

    counts: ClassVar = PlaceCounts  # type: ignore[assignment]
    scores = {
        "PA": Score(
            "percentage agreement",
            "Percentage agreement: the share of potential boundaries where both sides say the same, boundary or none.",
            agreeing_places, share_or_one,
        )
    }  # fmt: skip
    needs = frozenset({"units"})
    unasked = {}
    types: ClassVar = "ignored"  # type: ignore[assignment]
    paper = "Gale, Church & Yarowsky 1992; Passonneau & Litman 1993, for pairs of coders"

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single:
        """Boundaries without types."""
        return Single(load("fused").pair_places)
