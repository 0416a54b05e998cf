"""Boundaries in time against search regions: hit rate, over-segmentation, precision, recall, F and the R-value.

A region of ± ``tolerance`` lies around every reference boundary; where two would overlap, both end half-way between their
boundaries. A region that holds a hypothesis is a hit, further hypotheses in it and all outside are insertions, an empty one is
a deletion. So *hits + insertions* = N_f (hypotheses) and *hits + deletions* = N_ref, always. With them

.. math:: HR = 100 \\frac{N_{hit}}{N_{ref}}, \\quad OS = 100 \\left(\\frac{N_f}{N_{ref}} - 1\\right), \\quad
          PRC = \\frac{N_{hit}}{N_f}, \\quad RCL = \\frac{N_{hit}}{N_{ref}}, \\quad F = \\frac{2\\,PRC\\,RCL}{PRC + RCL}

.. math:: r_1 = \\sqrt{(100 - HR)^2 + OS^2}, \\quad r_2 = \\frac{-OS + HR - 100}{\\sqrt 2}, \\quad
          R = 1 - \\frac{|r_1| + |r_2|}{200}

Räsänen, Laine & Altosaar (2009): An improved speech segmentation quality measure: the R-value. Interspeech.

Times are compared on an integer grid (``resolution``, 100 ns), so that 0.02 s means 0.02 s. Without reference boundaries the
scores that divide by N_ref are undefined: NaN, with an :class:`~caesura.errors.UndefinedScore` warning. This is the one family
where nothing on either side is not 1.0, because a pooled rate must not change when a silent recording joins the corpus.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.metrics.base import OwnMetric
from caesura.metrics.batch import Batch
from caesura.metrics.family import Rows
from caesura.metrics.plain import kernels
from caesura.metrics.region_counts import (
    LARGEST_TICK,
    Edges,
    Matching,
    RegionScores,
    Tie,
    checked,
    code_of,
    f_of,
    grid,
    hit_rate_of,
    over_segmentation_of,
    precision_of,
    r_value,
    recall_of,
    region_scores,
    seconds,
    ticks,
    undefined,
)  # fmt: skip

__all__ = [
    "FalseAlarmRate", "HitRate", "MissRate", "OverSegmentation", "R", "RegionF", "RegionPrecision", "RegionRecall",
    "RegionScores", "r_value", "region_scores", "seconds",
]  # fmt: skip


@dataclass(frozen=True)
class _Region(OwnMetric):
    fields = ("hits", "correct", "reference", "hypothesis")
    needs = frozenset({"time"})
    symmetric = False
    paper = "Räsänen, Laine & Altosaar 2009, An Improved Speech Segmentation Quality Measure: the R-value"
    #: Which count the formula divides by.
    divisor: ClassVar[int] = 2

    tolerance: float = field(default=0.02, metadata={"sign": "tol"})
    matching: Matching = field(default="regions", metadata={"sign": "match"})
    tie: Tie = field(default="earlier", metadata={"sign": "tie"})
    edges: Edges = field(default="out", metadata={"sign": "edges"})
    resolution: float = field(default=1e-7, metadata={"sign": "res"})

    def __post_init__(self) -> None:
        object.__setattr__(self, "tolerance", seconds(self.tolerance))
        checked(matching=self.matching, tie=self.tie, edges=self.edges)
        grid(self.resolution)

    def check(self, batch: Batch) -> None:
        """Refuse what is not in time, and recordings too long for the grid."""
        super().check(batch)
        if len(batch) and float(np.max(batch.lengths)) * grid(self.resolution) > LARGEST_TICK:
            raise CaesuraError(
                f"{self.name}: a recording of {np.max(batch.lengths):g} s does not fit a grid of {self.resolution:g} s."
            )

    def count(self, batch: Batch) -> Rows:
        """Count hits, hypotheses that made them, reference boundaries and hypotheses, one time for all metrics of one rule."""
        rule = tuple(self.parameters.items())
        return batch.once(("regions", *rule), lambda: self._count(batch)).copy()

    def _count(self, batch: Batch) -> Rows:
        out = np.zeros((len(batch), 4))
        plain = batch.plain
        ref, hyp, scale = plain.reference, plain.hypothesis, grid(self.resolution)
        kernels("regions").count_matched(
            ref.positions, ref.starts, ref.stops, hyp.positions, hyp.starts, hyp.stops, batch.lengths,
            ticks(self.tolerance, scale), scale, self.tie == "later", self.edges == "in", code_of(self.matching), out,
        )  # fmt: skip
        return out

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """Apply the formula; NaN with a warning where it divides by nothing."""
        if (rows[..., self.divisor] == 0).any():
            undefined("hypotheses" if self.divisor == 3 else "reference boundaries")
        return self._formula(rows)

    def _formula(self, rows: Rows) -> NDArray[np.float64]:
        raise AssertionError("every score of the family has its formula")


@dataclass(frozen=True)
class R(_Region):
    """R-value (8): how near a segmenter comes to finding everything and nothing else; 1 at best, below 0 far from it.

    >>> from caesura.model import Segmentation
    >>> gold = Segmentation.from_times([0.10, 0.13], length=0.3)
    >>> round(R()(gold, Segmentation.from_times([0.115], length=0.3)), 4)
    0.6464
    """

    name = "R"
    title = "R-value"
    bounds = (-np.inf, 1.0)

    def _formula(self, rows: Rows) -> NDArray[np.float64]:
        found: NDArray[np.float64] = r_value(hit_rate_of(rows), over_segmentation_of(rows))
        return found


@dataclass(frozen=True)
class HitRate(_Region):
    """Hit rate (1): percentage of reference boundaries that were found."""

    name = "hit-rate"
    title = "hit rate, %"
    best = 100.0
    bounds = (0.0, 100.0)

    def _formula(self, rows: Rows) -> NDArray[np.float64]:
        return hit_rate_of(rows)


@dataclass(frozen=True)
class OverSegmentation(_Region):
    """Over-segmentation (2): how many more boundaries than there are, in percent; below 0 for fewer. 0 is best."""

    name = "over-segmentation"
    title = "over-segmentation, %"
    higher_is_better = False
    best = 0.0
    bounds = (-100.0, np.inf)

    def _formula(self, rows: Rows) -> NDArray[np.float64]:
        return over_segmentation_of(rows)


@dataclass(frozen=True)
class RegionPrecision(_Region):
    """Precision (3) within the tolerance; NaN where nothing was predicted."""

    name = "region-precision"
    title = "precision within the tolerance"
    divisor = 3

    def _formula(self, rows: Rows) -> NDArray[np.float64]:
        return precision_of(rows)


@dataclass(frozen=True)
class RegionRecall(_Region):
    """Recall (4) within the tolerance."""

    name = "region-recall"
    title = "recall within the tolerance"

    def _formula(self, rows: Rows) -> NDArray[np.float64]:
        return recall_of(rows)


@dataclass(frozen=True)
class RegionF(_Region):
    """F (5) within the tolerance: the harmonic mean of precision and recall; 0 where nothing was predicted."""

    name = "region-F"
    title = "F within the tolerance"

    def _formula(self, rows: Rows) -> NDArray[np.float64]:
        return f_of(rows)


@dataclass(frozen=True)
class MissRate(_Region):
    """Miss rate: percentage of reference boundaries that nothing found, 100 - HR."""

    name = "miss-rate"
    title = "miss rate, %"
    higher_is_better = False
    best = 0.0
    bounds = (0.0, 100.0)

    def _formula(self, rows: Rows) -> NDArray[np.float64]:
        return 100.0 - hit_rate_of(rows)


@dataclass(frozen=True)
class FalseAlarmRate(_Region):
    """False alarm rate: percentage of hypotheses that found nothing, 100 (1 - PRC); NaN where nothing was predicted."""

    name = "false-alarm-rate"
    title = "false alarm rate, %"
    higher_is_better = False
    best = 0.0
    bounds = (0.0, 100.0)
    divisor = 3

    def _formula(self, rows: Rows) -> NDArray[np.float64]:
        return 100.0 * (1.0 - precision_of(rows))
