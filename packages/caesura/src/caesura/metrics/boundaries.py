r"""Compare boundaries by position: precision, recall, F, percentage agreement, distances to the nearest boundary, Hamming distance.

.. math:: P = \frac{hits}{predicted}, \quad R = \frac{hits}{actual}, \quad
          F_\beta = \frac{(1 + \beta^2)\, hits}{\beta^2\, actual + predicted}, \quad
          PA = \frac{places - predicted - actual + 2\, hits}{places}

These are the simplest measures: a boundary that is one unit off is as wrong as a missing one. In recordings almost no boundary would be
right, so they are computed there only if you name them; region-precision, region-recall and region-F allow a tolerance.

.. math::
    H = \max\{\max_{r} \min_{h} |r - h|,\; \max_{h} \min_{r} |r - h|\}, \qquad
    E = \frac{1}{|hyp|} \sum_{h} \min_{r} |r - h|

The Hausdorff distance H and the mean error E, as ruptures defines them for change points, are in units, or in seconds for recordings. A
maximum cannot be pooled: over several items the score is the *mean* of their distances. If a side has no boundary, the distance of the
other side's boundaries is the length of the text, so that placing nothing never pays. Without hypotheses, the mean error is undefined
(NaN) unless the reference is empty too. H reflects only the worst boundary; E ignores a surplus boundary close to a right one. Truong,
Oudre & Vayatis 2020, Selective review of offline change point detection methods.

The generalised Hamming distance is the least cost of turning the hypothesis into the reference (Bookstein et al. 2002). Boundaries of
the hypothesis are deleted or shifted (at a cost per unit), and boundaries of the reference inserted. Shifts never cross.

Two sides without boundaries agree perfectly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from caesura.kernels import load
from caesura.metrics.batch import Batch
from caesura.metrics.catalog import cached_metric
from caesura.metrics.family import (
    Family,
    Numbers,
    Parts,
    Rows,
    Score,
    Single,
    choose,
    parameter,
    share,
    share_of_side,
    share_or_one,
)
from caesura.model import SegmentationLike
from caesura.model.corpus import Kind
from caesura.validation import number_between, validate_positive


class SharedCounts(NamedTuple):
    """Boundaries in common (of the same type, if they have types), and the boundaries of each side."""

    hits: Numbers
    predicted: Numbers
    actual: Numbers


class PlaceCounts(NamedTuple):
    """The same, and the potential boundaries."""

    hits: Numbers
    predicted: Numbers
    actual: Numbers
    places: Numbers


def precision(c: SharedCounts) -> Parts:
    """Return hits and predicted boundaries."""
    return c.hits, c.predicted, c.actual


def recall(c: SharedCounts) -> Parts:
    """Return hits and actual boundaries."""
    return c.hits, c.actual, c.predicted


def f_measure(c: SharedCounts, *, beta: float = 1.0) -> Parts:
    """Return (1 + β²) hits and β² actual + predicted."""
    return (1 + beta**2) * c.hits, beta**2 * c.actual + c.predicted


def agreeing_places(c: PlaceCounts) -> Parts:
    """Return the potential boundaries on which both sides agree, and all."""
    return c.places - c.predicted - c.actual + 2 * c.hits, c.places


@dataclass(frozen=True)
class SharedBoundaries(Family):
    """Boundaries at the same position on both sides, type by type if they have types.

    Examples
    --------
    >>> from caesura.metrics import metric
    >>> metric("precision")([2, 3, 6], [5, 6]), metric("recall")([2, 3, 6], [5, 6])
    (1.0, 0.5)
    """

    counts: ClassVar = SharedCounts
    scores = {
        "precision": Score(
            "boundary precision",
            "Share of predicted boundaries that are right: hits / predicted; 1 if none was predicted and none exists.",
            precision, share_of_side, symmetric=False,
        ),
        "recall": Score(
            "boundary recall",
            "Share of actual boundaries that were found: hits / actual; 1 if none exists and none was predicted.",
            recall, share_of_side, symmetric=False,
        ),
        "F": Score(
            "boundary F", "Weighted harmonic mean of boundary precision and recall.",
            f_measure, share_or_one, symmetric=lambda beta: beta == 1.0, checks={"beta": validate_positive},
        ),
    }  # fmt: skip
    kinds = frozenset({"units", "time"})
    opt_in_kinds: ClassVar[Mapping[Kind, str]] = {
        "time": "two people never place a boundary at exactly the same time, so the score is always near 0"
    }
    types = "sets"
    paper = "van Rijsbergen 1979, Information Retrieval, chapter 7"

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single:
        """Return the kernel that counts one pair."""
        loops = load("fused")
        if labels is not None:
            return Single(loops.pair_common_typed)
        return Single(loops.pair_common if kind == "units" else loops.pair_common_times)

    def count(self, batch: Batch) -> Rows:
        """Count the boundaries in common of every pair."""
        out = np.empty((len(batch), len(self.counts._fields)))
        load("boundaries").count_common(*batch.columns, out)
        return out


@dataclass(frozen=True)
class PlacesAgreed(SharedBoundaries):
    """Agreement on all potential boundaries, without types."""

    counts: ClassVar = PlaceCounts  # type: ignore[assignment]
    scores = {
        "PA": Score(
            "percentage agreement",
            "Percentage agreement: the share of potential boundaries on which both sides agree, boundary or none.",
            agreeing_places, share_or_one,
        )
    }  # fmt: skip
    kinds = frozenset({"units"})
    opt_in_kinds = {}
    types: ClassVar = "ignored"  # type: ignore[assignment]
    paper = "Gale, Church & Yarowsky 1992; Passonneau & Litman 1993, for pairs of coders"

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single:
        """Return the kernel that counts one pair."""
        return Single(load("fused").pair_places)


# ---------------------------------------------------------------------- distances to the nearest boundary


class NearestCounts(NamedTuple):
    """Sums of distances, and the numbers of items and boundaries."""

    farthest: Numbers
    items: Numbers
    distances: Numbers  # of the boundaries of the hypothesis
    hypothesis: Numbers
    reference: Numbers


def farthest(c: NearestCounts) -> Parts:
    """Return the largest distances and the number of items."""
    return c.farthest, c.items


def distances(c: NearestCounts) -> Parts:
    """Return distances, boundaries of the hypothesis and of the reference."""
    return c.distances, c.hypothesis, c.reference


def _mean_or_undefined(above: Numbers, below: Numbers, other: Numbers) -> Numbers:
    return share(above, below, choose(other > 0, np.nan, 0.0))


@dataclass(frozen=True)
class NearestBoundaries(Family):
    """Distances of boundaries to the nearest boundary of the other side.

    Examples
    --------
    >>> from caesura.metrics import metric
    >>> metric("Hausdorff")([2, 3, 6], [2, 2, 7]), metric("mean-error")([2, 3, 6], [2, 2, 7])
    (1.0, 0.5)
    """

    counts = NearestCounts
    scores = {
        "Hausdorff": Score(
            "Hausdorff distance", "Hausdorff distance: how far the worst boundary of either side is from the nearest of the other.",
            farthest, share, higher_is_better=False, best=0.0, bounds=(0.0, np.inf),
        ),
        "mean-error": Score(
            "mean error of boundaries", "Mean distance from a predicted boundary to the nearest actual one.",
            distances, _mean_or_undefined, higher_is_better=False, best=0.0, bounds=(0.0, np.inf), symmetric=False,
        ),
    }  # fmt: skip
    kinds = frozenset({"units", "time"})
    opt_in_kinds = dict.fromkeys(
        ("units", "time"),
        "distances to the nearest boundary reflect only the worst error, or ignore missing boundaries",
    )
    paper = "Truong, Oudre & Vayatis 2020, Selective review of offline change point detection methods"

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single:
        """Return the kernel that counts one pair."""
        loops = load("fused")
        return Single(loops.pair_nearest if kind == "units" else loops.pair_nearest_times)

    def count(self, batch: Batch) -> Rows:
        """Measure the distances of every pair."""
        out = np.empty((len(batch), 5))
        load("boundaries").count_nearest(*batch.columns, out)
        return out


# ---------------------------------------------------------------------- generalised Hamming distance


class HammingCounts(NamedTuple):
    """The cost of turning one side into the other, and 1 per pair."""

    cost: Numbers
    pairs: Numbers


@dataclass(frozen=True)
class GeneralizedHamming(Family):
    """Boundaries deleted, shifted and inserted.

    Parameters
    ----------
    insert, delete : float, default 2.0
        Cost of a missing boundary, and of a surplus one.
    shift : float, default 1.0
        Cost of moving a boundary by one unit.
    """

    insert: float = parameter("ins", 2.0, number_between(0))
    delete: float = parameter("del", 2.0, number_between(0))
    shift: float = parameter("shift", 1.0, number_between(0))

    counts = HammingCounts
    scores = {
        "GHD": Score(
            "generalised Hamming distance", "Generalised Hamming distance; over several texts, its mean.",
            tuple, share, higher_is_better=False, best=0.0, bounds=(0.0, float("inf")),
        )
    }  # fmt: skip
    paper = "Bookstein, Kulyukin & Raita 2002, Generalized Hamming distance, Information Retrieval 5"

    @property
    def symmetric(self) -> bool:
        """Whether inserting costs as much as deleting."""
        return self.insert == self.delete

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single:
        """Return the kernel that counts one pair."""
        return Single(load("fused").pair_hamming, self._costs)

    @property
    def _costs(self) -> tuple[float, float, float]:
        return float(self.insert), float(self.delete), float(self.shift)

    def count(self, batch: Batch) -> Rows:
        """Compute the least cost of every pair."""
        out = np.empty((len(batch), 2))
        load("boundaries").count_hamming(*batch.columns, *self._costs, out)
        return out


def generalized_hamming(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    insert: float = 2.0,
    delete: float = 2.0,
    shift: float = 1.0,
) -> float:
    """Compute the generalised Hamming distance: the least cost of turning the hypothesis into the reference.

    Parameters
    ----------
    reference, hypothesis : Segmentation, list of masses or str
        Two segmentations of one text.
    insert, delete : float, default 2.0
        Cost of a missing boundary, and of a surplus one.
    shift : float, default 1.0
        Cost of moving a boundary by one unit.

    Returns
    -------
    float
        The distance; 0.0 if the segmentations are equal.

    References
    ----------
    Bookstein, Kulyukin & Raita 2002, Generalized Hamming distance, Information Retrieval 5.

    Examples
    --------
    >>> generalized_hamming("1100100000", "1100010000", 1.0, 1.0, 0.5)
    0.5
    """
    return cached_metric("GHD", insert=insert, delete=delete, shift=shift)(reference, hypothesis)
