r"""Overlaps of segments: purity, coverage and the Rand index.

With n_ij units (or seconds) in segment i of the reference and j of the hypothesis, and n in all

.. math::
    coverage = \frac{\sum_i \max_j n_{ij}}{n}, \quad purity = \frac{\sum_j \max_i n_{ij}}{n}, \quad
    F = \frac{2 \cdot purity \cdot coverage}{purity + coverage}, \quad
    Rand = \frac{\binom{n}{2} - \sum_i \binom{n_i}{2} - \sum_j \binom{n_j}{2} + 2 \sum_{ij} \binom{n_{ij}}{2}}{\binom{n}{2}}

Coverage falls if the hypothesis divides segments of the reference, purity if its segments span several; a segmenter that cuts everywhere
has purity 1, one that never cuts has coverage 1. The Rand index is the share of pairs of units on which both sides agree, together or
apart: with many segments nearly all pairs are apart on both sides, and it is close to 1 for anything. The adjusted index subtracts the
agreement of random segments of the same sizes: 0 is chance. In recordings time is continuous, and a pair is any two moments.

Bredin 2017, pyannote.metrics (purity and coverage); Rand 1971 and, for change points, Prates 2021 as in ruptures; Hubert & Arabie 1985
(adjusted). Segmentations must cover the whole text or recording. An empty text has perfect agreement: 1.0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from caesura.kernels import load
from caesura.metrics.batch import Batch
from caesura.metrics.family import Family, Numbers, Parts, Rows, Score, Single, choose, share, share_or_one
from caesura.model.corpus import Kind

_ROUNDING = 1e-12  # share of all pairs below which a difference is a rounding error


class OverlapCounts(NamedTuple):
    """Lengths in units or seconds, and pairs of them."""

    length: Numbers
    covered: Numbers  # sum of the largest overlap of each reference segment
    pure: Numbers  # sum of the largest overlap of each hypothesis segment
    pairs: Numbers
    reference_together: Numbers  # pairs inside one segment
    hypothesis_together: Numbers
    both_together: Numbers
    chance_together: Numbers  # pairs expected to be together in both by chance


def covered_length(c: OverlapCounts) -> Parts:
    """Return the covered length and the length."""
    return c.covered, c.length


def pure(c: OverlapCounts) -> Parts:
    """Return the pure length and the length."""
    return c.pure, c.length


def pure_and_covered(c: OverlapCounts) -> Parts:
    """Return the pure length, the covered length and the length."""
    return c.pure, c.covered, c.length


def agreeing_pairs(c: OverlapCounts) -> Parts:
    """Return the pairs on which both sides agree, and all pairs."""
    return c.pairs - c.reference_together - c.hypothesis_together + 2 * c.both_together, c.pairs


def beyond_chance(c: OverlapCounts) -> Parts:
    """Return the pairs together in both beyond chance, their maximum, and all pairs."""
    most = (c.reference_together + c.hypothesis_together) / 2
    return c.both_together - c.chance_together, most - c.chance_together, c.pairs


def _harmonic(of_hypothesis: Numbers, of_reference: Numbers, length: Numbers) -> Numbers:
    return share(2.0 * of_hypothesis * of_reference, length * (of_hypothesis + of_reference), 1.0)


def _beyond_chance(above: Numbers, below: Numbers, pairs: Numbers) -> Numbers:
    """Divide agreement beyond chance by its maximum; 1 if segments of these sizes always agree."""
    return share(above, choose(below > _ROUNDING * pairs, below, 0.0), 1.0)


@dataclass(frozen=True)
class SegmentOverlaps(Family):
    """Overlaps of the segments of two annotations.

    Examples
    --------
    >>> from caesura.metrics import metric
    >>> metric("coverage")([2, 3, 6], [5, 6]), round(metric("purity")([2, 3, 6], [5, 6]), 4)
    (1.0, 0.8182)
    >>> round(metric("Rand")([2, 3, 6], [5, 6]), 4)
    0.8909
    """

    counts = OverlapCounts
    scores = {
        "purity": Score(
            "segmentation purity", "Purity: the share of the text that is in the main reference segment of its hypothesis segment.",
            pure, share_or_one, symmetric=False,
        ),
        "coverage": Score(
            "segmentation coverage", "Coverage: the share of the text that is in the main hypothesis segment of its reference segment.",
            covered_length, share_or_one, symmetric=False,
        ),
        "purity-coverage-F": Score(
            "F of purity and coverage", "The harmonic mean of purity and coverage.", pure_and_covered, _harmonic,
        ),
        "Rand": Score(
            "Rand index", "Rand index: the share of pairs of units on which both sides agree, together or apart.",
            agreeing_pairs, share_or_one,
            paper="Rand 1971, Objective criteria for the evaluation of clustering methods; Prates 2021 for change points",
        ),
        "adjusted-Rand": Score(
            "adjusted Rand index", "Rand index beyond chance: 0 is the value of random segments of these sizes.",
            beyond_chance, _beyond_chance, bounds=(-1.0, 1.0), paper="Hubert & Arabie 1985, Comparing partitions",
        ),
    }  # fmt: skip
    kinds = frozenset({"units", "time"})
    opt_in_kinds = dict.fromkeys(
        ("units", "time"),
        "overlaps of segments are used for speaker turns and change points; for texts and phones, boundaries are more informative",
    )
    paper = "Bredin 2017, pyannote.metrics: a toolkit for reproducible evaluation of speaker diarization systems"

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single:
        """Return the kernel that counts one pair."""
        loops = load("fused")
        return Single(loops.pair_overlaps if kind == "units" else loops.pair_overlaps_times)

    def count(self, batch: Batch) -> Rows:
        """Measure the overlaps of every pair."""
        out = np.empty((len(batch), 8))
        load("segments").count_overlaps(*batch.columns, 1.0 if batch.kind == "units" else 0.0, out)
        return out
