r"""The segmentation performance plane: hit rate against over-segmentation, and the chance level in it.

The more random boundaries there are, the more of them hit. With ``N`` boundaries drawn uniformly over a recording of ``T`` seconds, a
region of width ``w`` is hit with probability

.. math:: 1 - (1 - w/T)^N

so the expected hit rate is the mean of that over all regions. This curve in the plane is the chance level of any segmenter
(Räsänen, Laine & Altosaar 2009, section 3).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.metrics.region_match import region_bounds
from caesura.metrics.regions import Edges, r_value
from caesura.metrics.time_grid import grid, half_width, inner_times
from caesura.model import Corpus


@dataclass(frozen=True)
class Recordings:
    """Reference boundaries of many recordings, for coverage, gaps and chance.

    Examples
    --------
    >>> talk = Recordings((np.array([0.25, 0.5, 0.75]),), (1.0,))
    >>> round(talk.coverage(0.05), 3), round(talk.chance(0.05, 0.0), 2)
    (0.3, 27.1)
    """

    times: tuple[NDArray[np.float64], ...]
    lengths: tuple[float, ...]

    @classmethod
    def of(cls, corpus: Corpus, *, edges: Edges = "out", resolution: float = 1e-7) -> Recordings:
        """Return the recordings of a corpus in time; boundaries at the ends of recordings are left out by default."""
        if corpus.kind != "time":
            raise CaesuraError(f"search regions need boundaries in time; this corpus has {corpus.kind}.")
        scale = grid(resolution)
        times, lengths = [], []
        for row in range(len(corpus)):
            length = float(corpus.lengths[row])
            own = corpus.positions[corpus.offsets[row] : corpus.offsets[row + 1]]
            times.append(inner_times(own, scale, length if edges == "out" else None, distinct=True))
            lengths.append(length)
        return cls(tuple(times), tuple(lengths))

    @property
    def boundaries(self) -> int:
        """The number of boundaries."""
        return sum(map(len, self.times))

    @property
    def duration(self) -> float:
        """The total length of all recordings, in seconds."""
        return float(sum(self.lengths))

    @property
    def gaps(self) -> NDArray[np.float64]:
        """The distances between neighbouring boundaries, in seconds."""
        return np.concatenate([np.diff(t) for t in self.times] or [np.empty(0)])

    def widths(self, tolerance: float | str) -> list[NDArray[np.float64]]:
        """Return the width of every region inside its recording; overlaps count once."""
        half = half_width(tolerance)
        widths = []
        for times, length in zip(self.times, self.lengths, strict=True):
            starts, ends = region_bounds(times, half)
            widths.append(np.clip(ends, 0.0, length) - np.clip(starts, 0.0, length))
        return widths

    def coverage(self, tolerance: float | str) -> float:
        """Return the share of the time that is in a region (figure 3)."""
        return float(sum(w.sum() for w in self.widths(tolerance))) / self.duration if self.duration else float("nan")

    def close_gaps(self, limit: float) -> float:
        """Return the share of neighbouring boundaries closer than ``limit`` seconds, on the 100 ns grid."""
        gaps = self.gaps
        return float((np.rint(gaps * 1e7) < round(limit * 1e7)).mean()) if len(gaps) else float("nan")

    def chance(self, tolerance: float | str, over_segmentation: float) -> float:
        """Return the hit rate, in percent, that random boundaries are expected to reach at this over-segmentation."""
        return float(self.chance_curve(tolerance, [over_segmentation])[0])

    def chance_curve(self, tolerance: float | str, over_segmentation: Iterable[float]) -> NDArray[np.float64]:
        """Return the expected hit rates of random boundaries for several over-segmentations, all in percent."""
        points = np.asarray(list(over_segmentation), np.float64)
        expected = np.zeros(len(points))
        for widths, length in zip(self.widths(tolerance), self.lengths, strict=True):
            drawn = len(widths) * np.maximum(1.0 + points / 100.0, 0.0)
            with np.errstate(divide="ignore"):
                missed = np.log1p(-np.minimum(widths / length, 1.0)) if length else np.zeros(len(widths))
            with np.errstate(invalid="ignore"):  # 0 boundaries on a fully covered recording: -inf * 0
                hit = 1.0 - np.exp(np.where(drawn[:, None] > 0, drawn[:, None] * missed[None, :], 0.0))
            expected += hit.sum(axis=1)
        return 100.0 * expected / self.boundaries if self.boundaries else np.full(len(points), np.nan)


def plane_distances(hit_rate: float, over_segmentation: float) -> tuple[float, float]:
    """Return r1 and r2 (6, 7) of a point of the plane, in units of 100 %: distance and direction.

    r1 is the distance to the target point (hit rate 100 %, no over-segmentation), r2 the signed distance to the line without insertions.

    Examples
    --------
    >>> plane_distances(100.0, 0.0)
    (0.0, 0.0)
    >>> [round(r, 4) for r in plane_distances(80.0, 30.0)]
    [0.3606, -0.3536]
    """
    r1 = float(np.hypot(100.0 - hit_rate, over_segmentation)) / 100.0
    r2 = (-over_segmentation + hit_rate - 100.0) / float(np.sqrt(2.0)) / 100.0
    return r1, r2


def f_value(
    hit_rate: NDArray[np.float64] | float, over_segmentation: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    """Compute F (5) at a point of the plane: with N_f = (1 + OS/100) N_ref it is 2 HR / (200 + OS).

    Examples
    --------
    >>> float(f_value(100.0, 0.0)), round(float(f_value(80.0, 60.0)), 4)
    (1.0, 0.6154)
    """
    return np.asarray(2.0 * np.asarray(hit_rate) / (200.0 + np.asarray(over_segmentation)), np.float64)


def f_curve(value: float, over_segmentation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the hit rates at which F has this value; NaN outside the plane."""
    return _inside(value * (200.0 + over_segmentation) / 2.0, over_segmentation)


def r_curve(value: float, over_segmentation: NDArray[np.float64], steps: int = 60) -> NDArray[np.float64]:
    """Return the hit rates at which R has this value; NaN if no point of the plane has it.

    Below the line without insertions, R increases with the hit rate, so bisection finds the point; 60 halvings reach float precision.
    """
    low = np.zeros(len(over_segmentation))
    high = np.clip(100.0 + over_segmentation, 0.0, 100.0)
    possible = (r_value(low, over_segmentation) <= value) & (r_value(high, over_segmentation) >= value)
    for _ in range(steps):
        middle = (low + high) / 2
        above = r_value(middle, over_segmentation) > value
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.where(possible, (low + high) / 2, np.nan)


def _inside(hit_rate: NDArray[np.float64], over_segmentation: NDArray[np.float64]) -> NDArray[np.float64]:
    limit = np.clip(100.0 + over_segmentation, 0.0, 100.0)
    return np.where((hit_rate >= 0) & (hit_rate <= limit + 1e-9), hit_rate, np.nan)
