"""Match boundaries in time: which hypothesis hits which reference boundary."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.metrics.edit import Edit
from caesura.metrics.regions import Edges, Matching, Tie, check_rule
from caesura.metrics.time_grid import Times, as_times, grid, half_width, inner_times, ticks, to_ticks
from caesura.model import Segmentation


@dataclass(frozen=True)
class RegionMatch:
    """The boundaries of one recording, the regions around them, and the hypotheses that hit them.

    Attributes
    ----------
    reference, hypothesis : ndarray of float
        Times in seconds, sorted; those of the reference distinct.
    tolerance : float
        Half the width of a region, in seconds.
    starts, ends : ndarray of float
        The region of every reference boundary; regions that would overlap end half-way between their boundaries.
    finder : ndarray of int
        For every reference boundary, the index of the hypothesis that hits it, the nearest of its region; -1: deleted.
    region_of : ndarray of int
        For every hypothesis, the index of the boundary whose region contains it; -1: none.
    matching : {"regions", "optimal", "lenient"}
        How hypotheses were matched.
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
        """Which reference boundaries were not hit."""
        return self.finder < 0

    @property
    def inserted(self) -> NDArray[np.bool_]:
        """Which hypotheses hit no boundary, or one that was hit already."""
        if self.matching == "lenient":
            return self.region_of < 0
        hitting = np.zeros(len(self.hypothesis), bool)
        hitting[self.finder[self.finder >= 0]] = True
        return ~hitting

    @property
    def edits(self) -> list[Edit]:
        """The edits at all boundaries of both sides, sorted by time."""
        ref, hyp = self.reference.tolist(), self.hypothesis.tolist()
        edits = [
            Edit("hit", time, hyp[j]) if j >= 0 else Edit("deletion", time, None, weight=1.0)
            for time, j in zip(ref, self.finder.tolist(), strict=True)
        ]
        edits += [Edit("insertion", None, hyp[j], weight=1.0) for j in np.flatnonzero(self.inserted).tolist()]
        return sorted(edits, key=lambda e: e.hypothesis if e.reference is None else e.reference)


def region_match(
    reference: Times,
    hypothesis: Times,
    tolerance: float | str = 0.02,
    *,
    matching: Matching = "regions",
    tie: Tie = "earlier",
    resolution: float = 1e-7,
    edges: Edges = "out",
    length: float | None = None,
) -> RegionMatch:
    """Find the hypothesis that hits each boundary.

    Parameters
    ----------
    reference, hypothesis : Segmentation or sequence of float
        Times in seconds, or segmentations in time.
    tolerance : float or str, default 0.02
        Half the width of a region, in seconds (or ``"20ms"``).
    matching, tie, resolution, edges, length
        As for :func:`~caesura.metrics.regions.region_scores`.

    Returns
    -------
    RegionMatch
        Times, regions and matches.

    Examples
    --------
    >>> match = region_match([0.10, 0.13], [0.09, 0.112])
    >>> match.deleted.tolist(), match.inserted.tolist()
    ([False, True], [False, True])
    """
    from caesura.kernels import regions

    check_rule(matching, tie, edges)
    scale, half = grid(resolution), half_width(tolerance)
    if length is None and isinstance(reference, Segmentation):
        length = float(reference.length)
    ref = inner_times(as_times(reference, "reference", scale), scale, length if edges == "out" else None, distinct=True)
    hyp = inner_times(as_times(hypothesis, "hypothesis", scale), scale, length if edges == "out" else None)
    finder, hit_by = np.empty(len(ref), np.int64), np.empty(len(hyp), np.int64)
    assign = {"regions": regions.assign_regions, "optimal": regions.assign_optimal, "lenient": regions.assign_lenient}[
        matching
    ]
    assign(to_ticks(ref, scale), to_ticks(hyp, scale), ticks(half, scale), tie == "later", finder, hit_by)
    starts, ends = region_bounds(ref, half, shrink=matching == "regions")
    return RegionMatch(ref, hyp, half, starts, ends, finder, hit_by, matching)


def region_bounds(
    times: NDArray[np.float64], tolerance: float, *, shrink: bool = True
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the starts and ends of the regions of all boundaries; with ``shrink``, overlapping regions end half-way.

    Examples
    --------
    >>> [side.round(3).tolist() for side in region_bounds(np.array([0.10, 0.13, 0.30]), 0.02)]
    [[0.08, 0.115, 0.28], [0.115, 0.15, 0.32]]
    """
    starts, ends = times - tolerance, times + tolerance
    if shrink and len(times) > 1:
        middle = (times[1:] + times[:-1]) / 2
        ends[:-1] = np.minimum(ends[:-1], middle)
        starts[1:] = np.maximum(starts[1:], middle)
    return starts, ends
