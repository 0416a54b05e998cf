"""The segmentation performance plane: systems by hit rate and over-segmentation, with what R says and what chance reaches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.display.cells import clean, clip
from caesura.display.palette import SERIES
from caesura.display.plot import Curve, Plot, PlotPicture, Point, Scale
from caesura.display.table import format_cell
from caesura.errors import CaesuraError
from caesura.metrics.performance_plane import Recordings, r_curve
from caesura.metrics.regions import Matching, RegionScores
from caesura.metrics.time_grid import half_width, tolerance_text
from caesura.model import Corpus
from caesura.statistics.recordings import OperatingPoints, region_groups

_LEVELS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def draw_plane(corpus: Corpus, *, tolerance: float | str = 0.02, matching: Matching = "regions") -> PerformancePlane:
    """Draw every coder against the first one, which is the reference."""
    reference = corpus.select(coders=corpus.coders[:1])
    systems = {}
    for coder in corpus.coders[1:]:
        other = corpus.select(coders=[coder])
        both = [item for item in reference.items if item in other.items]
        if not both:
            raise CaesuraError(
                f"coder {coder!r} shares no item with {corpus.coders[0]!r}, which is the reference here."
            )
        pair = reference.select(items=both), other.select(items=both)
        systems[coder] = region_groups(*pair, tolerance, by="all", matching=matching)["all"]
    return PerformancePlane.of(reference, systems, tolerance)


@dataclass(frozen=True)
class PerformancePlane(PlotPicture):
    """Points of systems, equal-value curves of R, the line without insertions, the target point and the random curve."""

    systems: Mapping[str, RegionScores]
    chance: tuple[tuple[float, float], ...]
    tolerance: float
    curves: Mapping[str, tuple[tuple[float, float], ...]]

    @classmethod
    def of(
        cls,
        reference: Corpus | Recordings,
        systems: Mapping[str, RegionScores],
        tolerance: float | str,
        curves: Mapping[str, tuple[tuple[float, float], ...]] | None = None,
    ) -> PerformancePlane:
        """Place systems over the random curve of their reference; ``curves`` are (over-segmentation, hit rate) lines to add."""
        known = reference if isinstance(reference, Recordings) else Recordings.of(reference)
        highest = max([100.0, *(s.over_segmentation for s in systems.values() if np.isfinite(s.over_segmentation))])
        points = np.linspace(-100.0, min(highest + 20.0, 400.0), 101)
        rates = known.chance_curve(tolerance, points)
        half = half_width(tolerance)
        return cls(dict(systems), tuple(zip(points.tolist(), rates.tolist(), strict=True)), half, dict(curves or {}))

    @classmethod
    def of_points(cls, reference: Corpus | Recordings, result: OperatingPoints) -> PerformancePlane:
        """Place systems as they are, the best threshold of all, and the curves of those that have several."""
        best, points = result.best, result.points
        systems = {p.name: p.scores for p in points if p.threshold is None}
        if best.threshold is not None:
            systems[f"{best.name} ≥ {best.threshold:.3g}"] = best.scores
        curves: dict[str, list[tuple[float, float]]] = {}
        for point in points:
            curves.setdefault(point.name, []).append((point.scores.over_segmentation, point.scores.hit_rate))
        several = {name: tuple(curve) for name, curve in curves.items() if len(curve) > 1}
        return cls.of(reference, systems, result.tolerance, several)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON: every system's scores, and the curve of chance."""
        chance = [{"over_segmentation": o, "hit_rate": h} for o, h in self.chance]
        return {"systems": {name: scores.as_dict() for name, scores in self.systems.items()}, "random": chance}

    @property
    def title(self) -> str:
        """What it shows."""
        return f"segmentation performance plane, {tolerance_text(self.tolerance)}"

    @property
    def right(self) -> float:
        """Largest over-segmentation on the axis."""
        return self.chance[-1][0]

    def plot(self) -> Plot:
        """Systems over curves of equal R, the line without insertions, what chance reaches, and the target."""
        grid = np.linspace(-100.0, self.right, 241)
        step = 50 if self.right <= 220 else 100
        return Plot(
            self.title,
            self._description(),
            Scale("over-segmentation, %", -100, self.right, tuple(range(-100, int(self.right) + 1, step))),
            Scale("hit rate, %", 0, 100, (0, 25, 50, 75, 100)),
            curves=(
                *(_equal_r(level, grid) for level in _LEVELS),
                Curve(((-100, 0), (0, 100)), "ink", "no insertions", "/"),
                Curve(self.chance, "series4", "random boundaries", "·", "broken"),
                *(Curve(points, SERIES[i % len(SERIES)], name) for i, (name, points) in enumerate(self.curves.items())),
            ),
            points=(
                Point(0, 100, "✕", name="target point"),
                *(_system(i, name, scores) for i, (name, scores) in enumerate(self.systems.items())),
            ),
        )

    def _description(self) -> str:
        sentences = [
            f"{name}: hit rate {s.hit_rate:.1f} %, over-segmentation {s.over_segmentation:.1f} %, R {format_cell(s.r_value)}."
            for name, s in self.systems.items()
        ]
        return "The target point is a hit rate of 100 % at an over-segmentation of 0 %. " + " ".join(sentences)


def _equal_r(level: float, grid: NDArray[np.float64]) -> Curve:
    """Return the curve on which R has one value; it is NaN, and not drawn, where no point has it."""
    points = tuple(zip(grid.tolist(), r_curve(level, grid).tolist(), strict=True))
    return Curve(points, "faint", "equal R", stroke="thin", label=f"R {level:g}")


def _system(number: int, name: str, scores: RegionScores) -> Point:
    return Point(
        scores.over_segmentation,
        scores.hit_rate,
        sign=chr(ord("A") + number % 26),
        role=SERIES[number % len(SERIES)],
        label=f"{clip(clean(name), 16)}  R {format_cell(scores.r_value)}",
        tip=f"{name}: HR {scores.hit_rate:.1f}, OS {scores.over_segmentation:.1f}, R {format_cell(scores.r_value)}",
    )
