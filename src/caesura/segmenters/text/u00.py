"""Utiyama & Isahara (2001), A Statistical Model for Domain-Independent Text Segmentation: the shortest description of a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from caesura.segmenters.text import dynamic
from caesura.segmenters.text.base import Choice, CohesionSegmenter, Penalty
from caesura.segmenters.text.cohesion import Cohesion, smoothed_likelihood
from caesura.segmenters.text.tokens import Bags, Sizes


@dataclass(frozen=True, kw_only=True)
class U00(CohesionSegmenter):
    """The segmentation that describes the text in the fewest bits.

    ``cost(i, j) = log N + n log(n + V) - Σ_w n_w log(n_w + 1)``: Laplace's estimate of the words of each segment, n tokens in the segment,
    N in the text, V types; log N is the price of a segment and decides their number.

    Parameters
    ----------
    penalty
        The price of a segment, part of its cost whether the number is open or given.
    recursive
        Split greedily, always where it gains most, instead of solving exactly: steadier where more segments are asked for than the
        text has by itself.
    """

    name: ClassVar[str] = "u00"

    penalty: Penalty | None = "log N"
    recursive: bool = False

    def bag_cost(self, bags: Bags, segments: int | None, sizes: Sizes) -> Cohesion:
        """Return the cost of segments of a text, or of a stretch of one of these sizes; the price of each is included."""
        return smoothed_likelihood(bags, super().bag_penalty(sizes), sizes.types)

    def bag_penalty(self, sizes: Sizes) -> float:
        """Nothing: the price stands in the cost."""
        return 0.0

    def _bags(self, units: tuple[str, ...]) -> Bags:
        return super()._bags(units).without_empty()

    def _decide(self, units: tuple[str, ...], segments: int | None, frame: dynamic.Frame | None = None) -> Choice:
        if not self.recursive or not units:
            return super()._decide(units, segments, frame)
        from caesura.segmenters.text.trees import split_greedily

        frame = self._frame(len(units)) if frame is None else frame
        cost = self.cost(units, segments)
        positions = np.sort(np.array([s.position for s in split_greedily(cost, frame, segments)], np.int64))
        return Choice(positions, dynamic.total_cost(cost, positions), dynamic.boundary_gains(cost, positions))
