"""Boundary similarity B and segmentation similarity S: how alike two annotations are, boundary by boundary.

.. math::
    B = 1 - \\frac{|A| + \\sum w_t + \\sum w_s}{|A| + |T| + |S| + |M|}, \\qquad
    S = 1 - \\frac{|A| + \\sum w_t + \\sum w_s}{|types| \\cdot (n - 1)}

with additions A, transpositions T (near misses), substitutions S and matches M of boundary edit distance, and n units. B asks
how right the boundaries are that somebody placed; S divides by all places where there might have been one, and so is high
wherever boundaries are rare. A closing boundary, which typed annotations may carry, adds one potential place.
Nothing to compare on either side is perfect agreement: 1.0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.metrics.base import OwnMetric, ratio
from caesura.metrics.batch import Batch, Side
from caesura.metrics.edits import EditMetric, Matching
from caesura.metrics.family import Rows
from caesura.metrics.plain import has_types, kernels, plain_masses, plain_pair
from caesura.model import SegmentationLike

__all__ = [
    "BoundarySimilarity",
    "PercentageAgreement",
    "SegmentationSimilarity",
    "boundary_similarity",
    "potential_boundaries",
    "segmentation_similarity",
]


@dataclass(frozen=True)
class BoundarySimilarity(EditMetric):
    """Boundary similarity: the mean correctness of the pairs of boundaries.

    >>> BoundarySimilarity()([2, 3, 6], [2, 2, 7])
    0.75
    """

    name = "B"
    title = "boundary similarity"
    fields = ("matches", "transpositions", "substitutions", "additions", "cost")

    def count(self, batch: Batch) -> Rows:
        """Count matches, transpositions, substitutions and additions, and what the last three cost."""
        tally = self.tallies(batch)
        rows = np.empty((len(batch), 5))
        rows[:, :3] = tally[:, :3]
        rows[:, 3] = tally[:, 3] + tally[:, 4]
        rows[:, 4] = rows[:, 3] + tally[:, 5] + tally[:, 6]
        return rows

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """One less the cost of a pair."""
        pairs = rows[..., 0] + rows[..., 1] + rows[..., 2] + rows[..., 3]  # a sum over a short axis is slow
        return 1.0 - rows[..., 4] / np.where(pairs > 0, pairs, 1.0)


@dataclass(frozen=True)
class SegmentationSimilarity(EditMetric):
    """Segmentation similarity: the share of potential boundaries that need no edit.

    ``weights="unit"`` counts every edit as 1 (the figures of section 4), ``"scaled"`` weighs near misses and substitutions as
    B does (the agreement of section 5, and equation 2 as the program has it).

    >>> SegmentationSimilarity()([2, 3, 6], [2, 2, 7])
    0.9
    """

    name = "S"
    title = "segmentation similarity"
    fields = ("cost", "potential")
    weights: Literal["unit", "scaled"] = field(default="unit", metadata={"sign": "weights"})

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights not in ("unit", "scaled"):
            raise CaesuraError(f"weights is {self.weights!r}; expected 'unit' or 'scaled'.")

    def count(self, batch: Batch) -> Rows:
        """Count what the edits cost, and the potential boundaries."""
        tally = self.tallies(batch)
        edited = tally[:, 1] + tally[:, 2] if self.weights == "unit" else tally[:, 5] + tally[:, 6]
        places = potential_boundaries(batch)
        return np.stack((tally[:, 3] + tally[:, 4] + edited, places * tally[:, 7]), axis=1)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """One less the cost of a potential boundary."""
        return 1.0 - rows[..., 0] / np.where(rows[..., 1] > 0, rows[..., 1], 1.0)


@dataclass(frozen=True)
class PercentageAgreement(OwnMetric):
    """Percentage agreement: the share of potential boundaries where both sides say the same, boundary or none.

    >>> PercentageAgreement()([2, 3, 6], [2, 2, 7])
    0.8
    """

    name = "PA"
    title = "percentage agreement"
    fields = ("agreeing", "potential")
    paper = "Gale, Church & Yarowsky 1992; Passonneau & Litman 1993, for pairs of coders"

    def count(self, batch: Batch) -> Rows:
        """Count the places that both sides treat alike, and all places."""
        from caesura.kernels.exact import count_common

        plain = batch.plain
        ref, hyp = plain.reference, plain.hypothesis
        none = np.empty(0, np.int64)
        out = np.empty((len(batch), 3))
        count_common(ref.positions, none, ref.starts, ref.stops, hyp.positions, none, hyp.starts, hyp.stops, out)
        places = np.maximum(batch.lengths - 1, 0).astype(np.float64)
        return np.stack((places - out[:, 1] - out[:, 2] + 2 * out[:, 0], places), axis=1)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """Agreeing places over all places."""
        return ratio(rows[..., 0], rows[..., 1])


def boundary_similarity(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    n_t: int = 2,
    matching: Matching = "published",
    **parameters: Any,
) -> float:
    """Boundary similarity B of two segmentations, from 0 to 1 (Fournier 2013, equation 4).

    No boundary on either side is perfect agreement: 1.0.

    Parameters
    ----------
    reference, hypothesis
        Segmentations, lists or arrays of masses, or strings of 0 and 1.
    n_t
        How many positions a near miss may span, both ends counted (2: adjacent positions).
    matching
        "published" (the program of 2013) or "optimal" (least total cost).
    **parameters
        ``transposition``, ``substitution``, ``w_t``, ``w_s``: the weights, see :class:`~caesura.metrics.edits.EditMetric`.

    Examples
    --------
    >>> boundary_similarity([2, 3, 6], [5, 6])
    0.5
    >>> round(boundary_similarity([2, 3, 6], [2, 3, 3, 3]), 4)
    0.6667
    """
    if n_t != 2 or matching != "published" or parameters or has_types(reference) or has_types(hypothesis):
        from caesura.metrics.catalog import metric

        return metric("B", n_t=n_t, matching=matching, **parameters)(reference, hypothesis)
    if masses := plain_masses(reference, hypothesis):
        matches, near, pairs, length = kernels("edits").adjacent_masses(*masses)
        if length >= 0:
            return (matches + near / 2) / pairs if pairs else 1.0
    _, ref, hyp = plain_pair(reference, hypothesis, "B")
    in_ref, in_hyp = len(ref), len(hyp)
    matches, near = kernels("edits").adjacent(ref, 0, in_ref, hyp, 0, in_hyp)
    pairs = in_ref + in_hyp - matches - near
    return (matches + near / 2) / pairs if pairs else 1.0


def segmentation_similarity(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    n_t: int = 2,
    weights: Literal["unit", "scaled"] = "unit",
    **parameters: Any,
) -> float:
    """Segmentation similarity S of two segmentations (Fournier & Inkpen 2012; Fournier 2013, equation 2).

    A text of one unit has no potential boundary and is in perfect agreement: 1.0.

    Parameters
    ----------
    reference, hypothesis, n_t, **parameters
        As for :func:`boundary_similarity`.
    weights
        "unit" counts every edit as 1, "scaled" weighs near misses and substitutions.

    Examples
    --------
    >>> segmentation_similarity([2, 3, 6], [5, 6])
    0.9
    """
    if n_t != 2 or parameters or has_types(reference) or has_types(hypothesis):
        from caesura.metrics.catalog import metric

        return metric("S", n_t=n_t, weights=weights, **parameters)(reference, hypothesis)
    if weights not in ("unit", "scaled"):
        raise CaesuraError(f"weights is {weights!r}; expected 'unit' or 'scaled'.")
    length, ref, hyp = plain_pair(reference, hypothesis, "S")
    matches, near = kernels("edits").adjacent(ref, 0, len(ref), hyp, 0, len(hyp))
    cost = len(ref) + len(hyp) - 2 * (matches + near) + near * (1.0 if weights == "unit" else 0.5)
    return 1.0 - cost / (length - 1) if length > 1 else 1.0


def potential_boundaries(batch: Batch) -> NDArray[np.float64]:
    """Return, for every pair, how many places may hold a boundary: n-1, and one more where either side has a closing one."""
    places: NDArray[np.float64] = np.maximum(batch.lengths - 1, 0).astype(np.float64)
    if batch.typed:
        places += _closed(batch.reference, batch.lengths) | _closed(batch.hypothesis, batch.lengths)
    return places


def _closed(side: Side, lengths: NDArray[Any]) -> NDArray[np.bool_]:
    last = np.zeros(len(lengths), np.int64)
    some = side.stops > side.starts
    last[some] = side.positions[side.stops[some] - 1]
    closed: NDArray[np.bool_] = some & (last == lengths)
    return closed
