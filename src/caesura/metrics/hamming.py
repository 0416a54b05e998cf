"""Generalised Hamming distance: the cheapest way to turn the hypothesis into the reference (Bookstein et al. 2002).

Boundaries of the hypothesis are deleted, shifted (at a price per unit), and boundaries of the reference inserted. Shifts never
cross. Nothing to compare on either side costs nothing: 0.0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from caesura.kernels import load
from caesura.metrics.batch import Batch
from caesura.metrics.catalog import usual_metric
from caesura.metrics.family import Family, Numbers, Rows, Score, Single, share, sign
from caesura.model import SegmentationLike
from caesura.model.corpus import Kind
from caesura.words import between


class HammingCounts(NamedTuple):
    """What turning one side into the other costs, and one per pair."""

    cost: Numbers
    pairs: Numbers


@dataclass(frozen=True)
class GeneralizedHamming(Family):
    """Boundaries deleted, shifted and inserted.

    Parameters
    ----------
    insert, delete
        Price of a boundary that the hypothesis lacks, and of one it has too many.
    shift
        Price of moving a boundary by one unit.
    """

    insert: float = sign("ins", 2.0, between(0))
    delete: float = sign("del", 2.0, between(0))
    shift: float = sign("shift", 1.0, between(0))

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
        """Symmetric where inserting costs as much as deleting."""
        return self.insert == self.delete

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single:
        """Boundaries without types."""
        return Single(load("fused").pair_hamming, self._prices)

    @property
    def _prices(self) -> tuple[float, float, float]:
        return float(self.insert), float(self.delete), float(self.shift)

    def count(self, batch: Batch) -> Rows:
        """Find the least cost of every pair."""
        out = np.empty((len(batch), 2))
        load("hamming").count_hamming(*batch.columns, *self._prices, out)
        return out


def generalized_hamming(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    insert: float = 2.0,
    delete: float = 2.0,
    shift: float = 1.0,
) -> float:
    """Generalised Hamming distance: the cost of turning the hypothesis into the reference; parameters of :class:`GeneralizedHamming`.

    >>> generalized_hamming("1100100000", "1100010000", 1.0, 1.0, 0.5)
    0.5
    """
    return usual_metric("GHD", insert=insert, delete=delete, shift=shift)(reference, hypothesis)
