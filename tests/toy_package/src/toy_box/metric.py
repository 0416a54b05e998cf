"""A metric: do both sides have the same number of boundaries?"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from caesura.metrics import Batch, Family, Score
from caesura.metrics.family import share


class Counts(NamedTuple):
    """Pairs with as many boundaries on either side, and all pairs."""

    same: Any
    pairs: Any


@dataclass(frozen=True)
class SameNumber(Family):
    """Whether two segmentations have the same number of boundaries."""

    counts = Counts
    scores = {"toy-same": Score("equal number", "Whether both have as many.", lambda c: (c.same, c.pairs), share)}
    paper = "none"

    def count(self, batch: Batch) -> np.ndarray:
        same = batch.reference.sizes == batch.hypothesis.sizes
        return np.stack((same, np.ones(len(batch))), axis=1).astype(np.float64)
