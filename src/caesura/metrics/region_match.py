"""Which boundary was found by which hypothesis: what the counts of a comparison in time are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.metrics.edit import Edit
from caesura.metrics.regions import Edges, Matching, Tie, check_rule
from caesura.metrics.time_grid import Times, as_times, grid, inner_times, lay_on_grid, seconds, ticks
from caesura.model import Segmentation


@dataclass(frozen=True)
class RegionMatch:
    """One recording's boundaries, the regions around them, and who found whom.

    Attributes
    ----------
    reference, hypothesis
        Times in seconds, in order; those of the reference distinct.
    starts, ends
        The region of every reference boundary; neighbours that would overlap end half-way between their boundaries.
    finder
        For every reference boundary the index of the hypothesis that hits it, the nearest of its region; -1: deleted.
    region_of
        For every hypothesis the index of the boundary whose region it lies in; -1: none.
    """

    reference: NDArray[np.float64]
    hypothesis: NDArray[np.float64]
    tolerance: float
    starts: NDArray[np.float64]
    ends: NDArray[np.float64]
    finder: NDArray[np.int64]
    region_of: NDArray[np.int64]
    matching: Matching = "regions"

    @property
    def deleted(self) -> NDArray[np.bool_]:
        """Which reference boundaries nothing found."""
        return self.finder < 0

    @property
    def inserted(self) -> NDArray[np.bool_]:
        """Which hypotheses found nothing, or nothing new."""
        if self.matching == "lenient":
            return self.region_of < 0
        hitting = np.zeros(len(self.hypothesis), bool)
        hitting[self.finder[self.finder >= 0]] = True
        return ~hitting

    @property
    def edits(self) -> list[Edit]:
        """What happened at every boundary of either side, in the order of time."""
        ref, hyp = self.reference.tolist(), self.hypothesis.tolist()
        edits = [
            Edit("hit", time, hyp[j]) if j >= 0 else Edit("deletion", time, None, weight=1.0)
            for time, j in zip(ref, self.finder.tolist(), strict=True)
        ]
        edits += [Edit("insertion", None, hyp[j], weight=1.0) for j in np.flatnonzero(self.inserted).tolist()]
        return sorted(edits, key=lambda e: e.hypothesis if e.reference is None else e.reference)


def region_match(
    ref_times: Times,
    hyp_times: Times,
    tolerance: float | str = 0.02,
    *,
    matching: Matching = "regions",
    tie: Tie = "earlier",
    resolution: float = 1e-7,
    edges: Edges = "out",
    length: float | None = None,
) -> RegionMatch:
    """Say which hypothesis hits which boundary; the parameters are those of :func:`~caesura.metrics.regions.region_scores`.

    >>> match = region_match([0.10, 0.13], [0.09, 0.112])
    >>> match.deleted.tolist(), match.inserted.tolist()
    ([False, True], [False, True])
    """
    from caesura.kernels import regions

    check_rule(matching, tie, edges)
    scale, half = grid(resolution), seconds(tolerance)
    if length is None and isinstance(ref_times, Segmentation):
        length = float(ref_times.length)
    ref = inner_times(as_times(ref_times, "reference", scale), scale, length if edges == "out" else None, distinct=True)
    hyp = inner_times(as_times(hyp_times, "hypothesis", scale), scale, length if edges == "out" else None)
    finder, hit_by = np.empty(len(ref), np.int64), np.empty(len(hyp), np.int64)
    assign = {"regions": regions.assign_regions, "optimal": regions.assign_optimal, "lenient": regions.assign_lenient}[
        matching
    ]
    assign(lay_on_grid(ref, scale), lay_on_grid(hyp, scale), ticks(half, scale), tie == "later", finder, hit_by)
    starts, ends = region_bounds(ref, half, shrink=matching == "regions")
    return RegionMatch(ref, hyp, half, starts, ends, finder, hit_by, matching)


def region_bounds(
    times: NDArray[np.float64], tolerance: float, *, shrink: bool = True
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where the region of every boundary starts and ends; neighbours that overlap share the middle.

    >>> [side.round(3).tolist() for side in region_bounds(np.array([0.10, 0.13, 0.30]), 0.02)]
    [[0.08, 0.115, 0.28], [0.115, 0.15, 0.32]]
    """
    starts, ends = times - tolerance, times + tolerance
    if shrink and len(times) > 1:
        middle = (times[1:] + times[:-1]) / 2
        ends[:-1] = np.minimum(ends[:-1], middle)
        starts[1:] = np.maximum(starts[1:], middle)
    return starts, ends
