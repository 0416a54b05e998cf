"""The segmentation performance plane: systems by hit rate and over-segmentation, with what R says and what chance reaches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.display.cells import clean, clip
from caesura.display.palette import SERIES
from caesura.display.plot import Curve, Plot, PlotPicture, Point, Scale, axis_labels
from caesura.display.table import format_cell
from caesura.drawings.against_reference import pair_with_reference
from caesura.metrics.performance_plane import Recordings, r_curve
from caesura.metrics.regions import Matching, RegionScores, r_value
from caesura.metrics.time_grid import half_width, tolerance_text
from caesura.model import Corpus
from caesura.statistics.recordings import OperatingPoints, region_groups
from caesura.validation import validate_choice

_CROWDED = 12.0  # percentage points: closer ones have labels that overlap in the whole plane
_NAME = 40
_LEVELS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def draw_plane(
    corpus: Corpus,
    *,
    tolerance: float | str = 0.02,
    matching: Matching = "regions",
    zoom: str | bool = "auto",
    reference: str = "",
) -> PerformancePlane:
    """Draw every coder against the reference, which is the first one unless it is named.

    ``zoom`` draws only the part of the plane in which the systems are: "auto" if they are close together, "on" or "off".
    """
    systems = {
        coder: region_groups(ours, theirs, tolerance, by="all", matching=matching)["all"]
        for coder, ours, theirs in pair_with_reference(corpus, reference)
    }
    wanted = {"true": "on", "false": "off"}.get(str(zoom).lower(), str(zoom).lower())
    return PerformancePlane.of(corpus.select(coders=[reference or corpus.coders[0]]), systems, tolerance).zoom(wanted)


@dataclass(frozen=True)
class PerformancePlane(PlotPicture):
    """Points of systems, equal-value curves of R, the line without insertions, the target point and the random curve."""

    systems: Mapping[str, RegionScores]
    chance: tuple[tuple[float, float], ...]
    tolerance: float
    curves: Mapping[str, tuple[tuple[float, float], ...]]
    zoomed: bool = False  # whether only the part in which the systems are is drawn

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

    @property
    def _box(self) -> tuple[float, float, float, float] | None:
        """Least and largest over-segmentation and hit rate of the systems; None if there are none."""
        places = [(s.over_segmentation, s.hit_rate) for s in self.systems.values()]
        known = np.array([place for place in places if np.isfinite(place).all()]).reshape(-1, 2)
        if not len(known):
            return None
        (left, low), (right, high) = known.min(axis=0).tolist(), known.max(axis=0).tolist()
        return left, right, low, high

    @property
    def is_crowded(self) -> bool:
        """Whether several systems are so close together that their labels would overlap in the whole plane."""
        box = self._box
        return box is not None and len(self.systems) > 1 and max(box[1] - box[0], box[3] - box[2]) < _CROWDED

    def zoom(self, how: str = "auto") -> PerformancePlane:
        """Return the plane with only the part in which the systems are: "on", "off", or "auto" if they are crowded."""
        validate_choice("zoom", how, ("auto", "on", "off"))
        return replace(self, zoomed=how == "on" or (how == "auto" and self.is_crowded))

    def _scales(self) -> tuple[Scale, Scale]:
        """Return the axes: of the whole plane, or of the part around the systems."""
        box = self._box
        if not self.zoomed or box is None:
            step = 50 if self.right <= 220 else 100
            return (
                Scale("over-segmentation, %", -100, self.right, tuple(range(-100, int(self.right) + 1, step))),
                Scale("hit rate, %", 0, 100, (0, 25, 50, 75, 100)),
            )
        left, right, low, high = box
        margin = max(0.25 * (right - left), 0.25 * (high - low), 2.0)
        # labels are written to the right of their points
        across, up = (left - margin, right + 2 * margin), (max(low - margin, 0.0), min(high + margin, 100.0))
        return (
            Scale("over-segmentation, % (part)", *across, _numbers(*across)),
            Scale("hit rate, % (part)", *up, _numbers(*up)),
        )

    def plot(self) -> Plot:
        """Systems over curves of equal R, the line without insertions, what chance reaches, and the target."""
        x, y = self._scales()
        grid = np.linspace(x.low, x.high, 241)
        curves = [
            *(_equal_r(level, grid) for level in (_levels_between(x, y) if self.zoomed else _LEVELS)),
            Curve(((-100, 0), (0, 100)), "ink", "no insertions", "/"),
            Curve(self.chance, "series4", "random boundaries", "·", "broken"),
            *(Curve(points, SERIES[i % len(SERIES)], name) for i, (name, points) in enumerate(self.curves.items())),
        ]
        points = [
            Point(0, 100, "✕", name="target point"),
            *(_system(i, name, scores) for i, (name, scores) in enumerate(self.systems.items())),
        ]
        plot = Plot(self.title, self._description(), x, y, tuple(curves), tuple(points))
        if not self.zoomed:
            return plot
        # only what lies in the part, so that the key names nothing else; few points of a line may lie there, so it gets more
        finer = [curve if curve.name == "equal R" else replace(curve, points=_finer(curve.points)) for curve in curves]
        return replace(
            plot,
            curves=tuple(curve for curve in finer if any(plot.holds(*point) for point in curve.points)),
            points=tuple(point for point in points if plot.holds(point.x, point.y)),
        )

    def _description(self) -> str:
        sentences = [
            f"{name}: hit rate {s.hit_rate:.1f} %, over-segmentation {s.over_segmentation:.1f} %, R {format_cell(s.r_value)}."
            for name, s in self.systems.items()
        ]
        return "The target point is a hit rate of 100 % at an over-segmentation of 0 %. " + " ".join(sentences)


def _numbers(low: float, high: float) -> tuple[float, ...]:
    return tuple(number for number, _ in axis_labels(low, high, 6))


def _levels_between(x: Scale, y: Scale) -> tuple[float, ...]:
    """Return round values of R that occur in a part of the plane, about six."""
    corners = [r_value(rate, over) for rate in (y.low, y.high) for over in (x.low, x.high)]
    # R is largest where it crosses the line without over-segmentation, which may lie inside
    inside = [r_value(rate, min(max(0.0, x.low), x.high)) for rate in (y.low, y.high)]
    return tuple(round(level, 10) for level, _ in axis_labels(min(corners), max(corners + inside), 6))


def _finer(points: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    """Interpolate a curve, of which a part is drawn enlarged."""
    xs, ys = np.array(points).T
    at, grid = np.arange(len(xs)), np.linspace(0, len(xs) - 1, max(1000, 20 * len(xs)))
    finer = (np.interp(grid, at, column).tolist() for column in (xs, ys))
    return tuple(zip(*finer, strict=True))


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
        label=f"{clip(clean(name), _NAME)}  R {format_cell(scores.r_value)}",
        tip=f"{name}: HR {scores.hit_rate:.1f}, OS {scores.over_segmentation:.1f}, R {format_cell(scores.r_value)}",
    )
