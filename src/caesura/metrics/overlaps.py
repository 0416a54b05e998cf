"""Segments inside segments: purity, coverage and the Rand index, which ask who shares a segment with whom.

With n_ij units (or seconds) in segment i of the reference and j of the hypothesis, and n in all

.. math::
    coverage = \\frac{\\sum_i \\max_j n_{ij}}{n}, \\quad purity = \\frac{\\sum_j \\max_i n_{ij}}{n}, \\quad
    F = \\frac{2 \\cdot purity \\cdot coverage}{purity + coverage}, \\quad
    Rand = \\frac{\\binom{n}{2} - \\sum_i \\binom{n_i}{2} - \\sum_j \\binom{n_j}{2} + 2 \\sum_{ij} \\binom{n_{ij}}{2}}{\\binom{n}{2}}

Coverage falls where the hypothesis cuts segments of the reference, purity where it lets one of its own run over several; so a segmenter
that cuts everywhere is pure, one that never cuts covers. The Rand index is the share of pairs of units that both sides treat alike, together
or apart: with many segments nearly all pairs are apart in both, and it is close to 1 for anything. The adjusted one takes off what
segments of these sizes, dealt out at random, would agree on: 0 is chance. In recordings time is continuous, and a pair is any two moments.

Bredin 2017, pyannote.metrics (purity and coverage); Rand 1971 and, for change points, Prates 2021 as in ruptures; Hubert & Arabie 1985
(adjusted). Segmentations that cover the whole text or recording are compared. Nothing to compare is perfect agreement: 1.0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from caesura.kernels import load
from caesura.metrics.batch import Batch
from caesura.metrics.family import Family, Numbers, Parts, Rows, Score, Single, choose, share, share_or_one
from caesura.model.corpus import Kind

_ROUNDING = 1e-12  # of all pairs; less is nothing


class OverlapCounts(NamedTuple):
    """Units or seconds, and pairs of them."""

    length: Numbers
    covered: Numbers  # of every reference segment, what its best hypothesis holds
    pure: Numbers  # of every hypothesis segment, what its best reference holds
    pairs: Numbers
    reference_together: Numbers  # pairs inside one segment
    hypothesis_together: Numbers
    both_together: Numbers
    chance_together: Numbers  # pairs that would be together in both by chance


def covered_length(c: OverlapCounts) -> Parts:
    """What is covered, over all."""
    return c.covered, c.length


def pure(c: OverlapCounts) -> Parts:
    """What is pure, over all."""
    return c.pure, c.length


def pure_and_covered(c: OverlapCounts) -> Parts:
    """Both, and all."""
    return c.pure, c.covered, c.length


def alike(c: OverlapCounts) -> Parts:
    """Pairs that both sides treat alike, over pairs."""
    return c.pairs - c.reference_together - c.hypothesis_together + 2 * c.both_together, c.pairs


def beyond_chance(c: OverlapCounts) -> Parts:
    """Pairs together in both beyond chance, what there could be of them, and pairs."""
    most = (c.reference_together + c.hypothesis_together) / 2
    return c.both_together - c.chance_together, most - c.chance_together, c.pairs


def _harmonic(of_hypothesis: Numbers, of_reference: Numbers, length: Numbers) -> Numbers:
    return share(2.0 * of_hypothesis * of_reference, length * (of_hypothesis + of_reference), 1.0)


def _beyond_chance(above: Numbers, below: Numbers, pairs: Numbers) -> Numbers:
    """Divide what lies beyond chance; 1 where segments of these sizes can only agree."""
    return share(above, choose(below > _ROUNDING * pairs, below, 0.0), 1.0)


@dataclass(frozen=True)
class SegmentOverlaps(Family):
    """Who shares a segment with whom.

    >>> from caesura.metrics import metric
    >>> metric("coverage")([2, 3, 6], [5, 6]), round(metric("purity")([2, 3, 6], [5, 6]), 4)
    (1.0, 0.8182)
    >>> round(metric("Rand")([2, 3, 6], [5, 6]), 4)
    0.8909
    """

    counts = OverlapCounts
    scores = {
        "purity": Score(
            "segmentation purity", "Purity: the share of the text that lies in the main reference segment of its own segment.",
            pure, share_or_one, symmetric=False,
        ),
        "coverage": Score(
            "segmentation coverage", "Coverage: the share of the text that the best hypothesis of its reference segment holds.",
            covered_length, share_or_one, symmetric=False,
        ),
        "purity-coverage-F": Score(
            "F of purity and coverage", "The harmonic mean of purity and coverage.", pure_and_covered, _harmonic,
        ),
        "Rand": Score(
            "Rand index", "Rand index: the share of pairs of units that both sides treat alike, together or apart.",
            alike, share_or_one,
            paper="Rand 1971, Objective criteria for the evaluation of clustering methods; Prates 2021 for change points",
        ),
        "adjusted-Rand": Score(
            "adjusted Rand index", "Rand index beyond chance: 0 is what segments of these sizes get at random.",
            beyond_chance, _beyond_chance, bounds=(-1.0, 1.0), paper="Hubert & Arabie 1985, Comparing partitions",
        ),
    }  # fmt: skip
    needs = frozenset({"units", "time"})
    unasked = dict.fromkeys(
        ("units", "time"),
        "shares of segments are reported of speaker turns and change points; boundaries say more of texts and phones",
    )
    paper = "Bredin 2017, pyannote.metrics: a toolkit for reproducible evaluation of speaker diarization systems"

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single:
        """Two texts, or two recordings."""
        loops = load("overlaps")
        return Single(loops.pair_overlaps if kind == "units" else loops.pair_overlaps_times)

    def count(self, batch: Batch) -> Rows:
        """Walk along the boundaries of both sides."""
        out = np.empty((len(batch), 8))
        load("overlaps").count_overlaps(*batch.columns, 1.0 if batch.kind == "units" else 0.0, out)
        return out
