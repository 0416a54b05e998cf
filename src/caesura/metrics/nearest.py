"""Distances to the nearest boundary: Hausdorff and the mean error, as ruptures has them for change points.

.. math::
    H = \\max\\{\\max_{r} \\min_{h} |r - h|,\\; \\max_{h} \\min_{r} |r - h|\\}, \\qquad
    E = \\frac{1}{|hyp|} \\sum_{h} \\min_{r} |r - h|

in units, or seconds of recordings. A maximum does not add up: over several items the score is the *mean* of their distances, not the
largest of them. Where a side has no boundary, those of the other are as far away as the text is long, so that placing nothing never pays;
none on either side is 0.0, perfect. Without hypotheses the mean error is undefined (NaN) unless there is nothing to find either.

Hausdorff sees the one worst boundary and nothing else; a boundary too many costs nothing in E where it lies near a right one.
Truong, Oudre & Vayatis 2020, Selective review of offline change point detection methods.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from caesura.kernels import load
from caesura.metrics.batch import Batch
from caesura.metrics.family import Family, Numbers, Parts, Rows, Score, Single, choose, share
from caesura.model.corpus import Kind


class NearestCounts(NamedTuple):
    """Distances, and what they are the distances of."""

    farthest: Numbers
    items: Numbers
    distances: Numbers  # of the hypothesis' boundaries
    hypothesis: Numbers
    reference: Numbers


def farthest(c: NearestCounts) -> Parts:
    """The farthest distance, over items."""
    return c.farthest, c.items


def distances(c: NearestCounts) -> Parts:
    """Distances, over the boundaries of the hypothesis; and those of the reference."""
    return c.distances, c.hypothesis, c.reference


def _mean_or_undefined(above: Numbers, below: Numbers, other: Numbers) -> Numbers:
    return share(above, below, choose(other > 0, np.nan, 0.0))


@dataclass(frozen=True)
class NearestBoundaries(Family):
    """How far boundaries are from the nearest of the other side.

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
    needs = frozenset({"units", "time"})
    unasked = dict.fromkeys(
        ("units", "time"), "distances to the nearest boundary see one mistake, or none that was left out"
    )
    paper = "Truong, Oudre & Vayatis 2020, Selective review of offline change point detection methods"

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single:
        """Two texts, or two recordings."""
        loops = load("nearest")
        return Single(loops.pair_nearest if kind == "units" else loops.pair_nearest_times)

    def count(self, batch: Batch) -> Rows:
        """Walk along the boundaries of both sides."""
        out = np.empty((len(batch), 5))
        load("nearest").count_nearest(*batch.columns, out)
        return out
