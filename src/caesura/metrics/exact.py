"""Plain precision, recall and F of boundaries: a boundary counts only where both sides have it.

The bluntest of all measures, kept because everybody knows it: a boundary one unit off is as wrong as none at all. In recordings that
leaves next to nothing, so there they are computed only when named; region-precision, region-recall and region-F allow a tolerance.

.. math:: P = \\frac{hits}{predicted}, \\quad R = \\frac{hits}{actual}, \\quad
          F_\\beta = \\frac{(1 + \\beta^2)\\, hits}{\\beta^2\\, actual + predicted}

Nothing to compare on either side is perfect agreement: 1.0.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.metrics.base import OwnMetric, ratio, ratio_of_side
from caesura.metrics.batch import Batch
from caesura.metrics.family import Rows

__all__ = ["F", "Precision", "Recall"]


@dataclass(frozen=True)
class _Exact(OwnMetric):
    fields = ("hits", "predicted", "actual")
    needs = frozenset({"units", "time"})
    unasked = frozenset({"time"})  # two people never put a boundary at the very same instant: 0 by nature
    types = "sets"
    paper = "van Rijsbergen 1979, Information Retrieval, chapter 7"

    def count(self, batch: Batch) -> Rows:
        """Count boundaries that both sides have (of the same type, where there are types), predicted and actual ones."""
        return batch.once("common boundaries", lambda: _common(batch)).copy()


@dataclass(frozen=True)
class Precision(_Exact):
    """Share of predicted boundaries that are right: hits / predicted; 1 where none was predicted and none is there.

    >>> Precision()([2, 3, 6], [2, 2, 7])
    0.5
    """

    name = "precision"
    title = "boundary precision"
    symmetric = False

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """Hits over predicted; 0 where something was to be found and nothing was predicted."""
        return ratio_of_side(rows[..., 0], rows[..., 1], rows[..., 2])


@dataclass(frozen=True)
class Recall(_Exact):
    """Share of actual boundaries that were found: hits / actual; 1 where there is none and none was predicted.

    >>> Recall()([2, 3, 6], [2, 9])
    0.5
    """

    name = "recall"
    title = "boundary recall"
    symmetric = False

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """Hits over actual; 0 where nothing was to be found and something was predicted."""
        return ratio_of_side(rows[..., 0], rows[..., 2], rows[..., 1])


@dataclass(frozen=True)
class F(_Exact):
    """Weighted harmonic mean of boundary precision and recall.

    >>> round(F()([2, 3, 6], [2, 9]), 4)
    0.6667
    """

    name = "F"
    title = "boundary F"
    beta: float = field(default=1.0, metadata={"sign": "beta"})

    def __post_init__(self) -> None:
        if not (np.isfinite(self.beta) and self.beta > 0):
            raise CaesuraError(f"beta is {self.beta}; expected a number above 0.")

    @property
    def symmetric(self) -> bool:
        """Only β = 1 weighs both sides alike."""
        return self.beta == 1.0

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """(1 + β²) hits over β² actual + predicted."""
        squared = self.beta**2
        below = squared * rows[..., 2] + rows[..., 1]
        return ratio((1 + squared) * rows[..., 0], below)


def _common(batch: Batch) -> Rows:
    from caesura.kernels.exact import count_common

    out = np.zeros((len(batch), 3))
    ref, hyp = batch.reference, batch.hypothesis
    if not batch.typed:
        plain = batch.plain
        ref, hyp = plain.reference, plain.hypothesis
    none = np.empty(0, np.int64)
    count_common(
        ref.positions, none if ref.types is None else ref.types, ref.starts, ref.stops,
        hyp.positions, none if hyp.types is None else hyp.types, hyp.starts, hyp.stops, out,
    )  # fmt: skip
    return out
