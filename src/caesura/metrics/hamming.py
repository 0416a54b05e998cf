"""Generalised Hamming distance: the cheapest way to turn the hypothesis into the reference (Bookstein et al. 2002).

Boundaries of the hypothesis are deleted, shifted (at a price a unit), and boundaries of the reference inserted. Shifts never
cross. Nothing to compare on either side costs nothing: 0.0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.metrics.base import OwnMetric
from caesura.metrics.batch import Batch
from caesura.metrics.family import Rows
from caesura.metrics.plain import plain_pair
from caesura.model import SegmentationLike

__all__ = ["GeneralizedHamming", "generalized_hamming"]


@dataclass(frozen=True)
class GeneralizedHamming(OwnMetric):
    """Generalised Hamming distance; over several texts, its mean.

    >>> GeneralizedHamming()([2, 3, 6], [2, 2, 3, 4])
    3.0
    """

    name = "GHD"
    title = "generalised Hamming distance"
    fields = ("cost", "pairs")
    higher_is_better = False
    best = 0.0
    bounds = (0.0, float("inf"))
    paper = "Bookstein, Kulyukin & Raita 2002, Generalized Hamming distance, Information Retrieval 5"
    insert: float = field(default=2.0, metadata={"sign": "ins"})
    delete: float = field(default=2.0, metadata={"sign": "del"})
    shift: float = field(default=1.0, metadata={"sign": "shift"})

    def __post_init__(self) -> None:
        _check_costs(self.insert, self.delete, self.shift)

    @property
    def symmetric(self) -> bool:
        """Symmetric where inserting costs as much as deleting."""
        return self.insert == self.delete

    def count(self, batch: Batch) -> Rows:
        """Count the cost, and one a pair."""
        from caesura.kernels.hamming import count_hamming

        plain = batch.plain
        ref, hyp = plain.reference, plain.hypothesis
        out = np.ones((len(batch), 2))
        count_hamming(
            ref.positions, ref.starts, ref.stops, hyp.positions, hyp.starts, hyp.stops,
            float(self.insert), float(self.delete), float(self.shift), out,
        )  # fmt: skip
        return out

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """Cost a pair."""
        return rows[..., 0] / np.where(rows[..., 1] > 0, rows[..., 1], 1.0)


def generalized_hamming(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    insert: float = 2.0,
    delete: float = 2.0,
    shift: float = 1.0,
) -> float:
    """Generalised Hamming distance: the cost of turning the hypothesis into the reference.

    Parameters
    ----------
    insert, delete
        Price of a boundary that the hypothesis lacks, and of one it has too many.
    shift
        Price of moving a boundary by one unit.

    Examples
    --------
    >>> generalized_hamming("1100100000", "1100010000", 1.0, 1.0, 0.5)
    0.5
    """
    from caesura.kernels.hamming import hamming

    _check_costs(insert, delete, shift)
    _, ref, hyp = plain_pair(reference, hypothesis, "GHD")
    return float(hamming(ref, hyp, float(insert), float(delete), float(shift)))


def _check_costs(insert: float, delete: float, shift: float) -> None:
    for name, cost in (("insert", insert), ("delete", delete), ("shift", shift)):
        if not isinstance(cost, (int, float, np.number)) or not (isfinite(cost) and cost >= 0):
            raise CaesuraError(f"{name} costs {cost!r}; expected a number, 0 or more.")
