"""The segmentation performance plane: systems by hit rate and over-segmentation, with what R says and what chance reaches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from caesura.display.cells import Canvas
from caesura.display.palette import SERIES
from caesura.display.scene import Picture
from caesura.display.svg import Svg
from caesura.display.writing import Bidi, clean, clip
from caesura.errors import CaesuraError
from caesura.metrics.performance_plane import Recordings, r_curve
from caesura.metrics.regions import Matching, RegionScores
from caesura.metrics.time_grid import seconds
from caesura.model import Corpus
from caesura.statistics.regions import region_groups

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["PerformancePlane", "draw_plane"]

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
class PerformancePlane(Picture):
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
        half = seconds(tolerance)
        return cls(dict(systems), tuple(zip(points.tolist(), rates.tolist(), strict=True)), half, dict(curves or {}))

    @property
    def title(self) -> str:
        """What it shows."""
        return f"segmentation performance plane, ± {1000 * self.tolerance:g} ms"

    @property
    def described(self) -> str:
        """The content in sentences."""
        sentences = [
            f"{name}: hit rate {s.hit_rate:.1f} %, over-segmentation {s.over_segmentation:.1f} %, R {s.r_value:.3f}."
            for name, s in self.systems.items()
        ]
        return "The target point is a hit rate of 100 % at an over-segmentation of 0 %. " + " ".join(sentences)

    @property
    def right(self) -> float:
        """Largest over-segmentation on the axis."""
        return self.chance[-1][0]

    # ------------------------------------------------------------------ terminal

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Plot in cells: letters are systems, · the random curve, / the line without insertions, ✕ the target."""
        canvas, height, margin = Canvas(), 18, 5
        room = max(12, min(width, 90) - margin - 2)

        def put(over: float, rate: float, sign: str, role: str) -> None:
            if -100 <= over <= self.right and 0 <= rate <= 100:
                column = margin + round((over + 100) / (self.right + 100) * room)
                canvas.put(1 + round((100 - rate) / 100 * height), column, sign, role)

        canvas.put(0, 0, clip(f"hit rate, %   ({self.title})", width), "faint")
        for label in (0, 25, 50, 75, 100):
            canvas.put(1 + round((100 - label) / 100 * height), 0, f"{label:>3} ┤", "faint")
        for step in np.linspace(-100, 0, room).tolist():
            put(step, 100 + step, "/", "grid")
        for over, rate in self.chance:
            put(over, rate, "·", "series4")
        put(0, 100, "✕", "strong")
        letters = {name: chr(ord("A") + i % 26) for i, name in enumerate(self.systems)}
        for i, (name, scores) in enumerate(self.systems.items()):
            put(scores.over_segmentation, scores.hit_rate, letters[name], SERIES[i % len(SERIES)])
        canvas.put(height + 2, margin, "-100 %", "faint")
        canvas.put(height + 2, margin + round(100 / (self.right + 100) * room) - 1, "0 %", "faint")
        canvas.put(height + 2, margin + room - 5, f"{self.right:.0f} %", "faint")
        key = "over-segmentation · ✕ target · / no insertions · · random boundaries"
        canvas.put(height + 3, margin, clip(key, width - margin), "faint")
        for i, (name, scores) in enumerate(self.systems.items()):
            words = f"{letters[name]} {clean(name)}: HR {scores.hit_rate:.1f}, OS {scores.over_segmentation:.1f}, R {scores.r_value:.3f}"
            canvas.put(height + 4 + i, margin, clip(words, width - margin), SERIES[i % len(SERIES)])
        return canvas.text()

    # ------------------------------------------------------------------ SVG

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw the plane with curves of equal R."""
        wide, high, left, top = 620.0, 420.0, 60.0, 34.0
        picture = Svg(left + wide + 170, top + high + 58, title=self.title, description=self.described, style=style)

        def x(over: float) -> float:
            return left + (over + 100) / (self.right + 100) * wide

        def y(rate: float) -> float:
            return top + (100 - rate) / 100 * high

        picture.text(left, 20, self.title, weight="bold")
        self._svg_axes(picture, x, y)
        shown = [s for s in self.systems.values() if np.isfinite(s.over_segmentation)]
        systems = [(x(s.over_segmentation), y(s.hit_rate)) for s in shown]  # their names go before those of curves
        grid = np.linspace(-100.0, self.right, 241)
        for level in _LEVELS:
            rates = r_curve(level, grid)
            inside = [(x(o), y(r)) for o, r in zip(grid.tolist(), rates.tolist(), strict=True) if np.isfinite(r)]
            if len(inside) > 1:
                picture.polyline(inside, "faint", width=1)
                at = max(inside, key=lambda p: p[0])
                if not any(abs(at[1] - sy) < 16 and sx - 30 < at[0] < sx + 130 for sx, sy in systems):
                    picture.text(at[0] + 3, at[1] - 3, f"R {level:g}", "faint", size=10)
        picture.line(x(-100), y(0), x(0), y(100), "ink", width=1.5, tip="no insertions")
        picture.polyline([(x(o), y(r)) for o, r in self.chance], "series4", width=2, stroke_dasharray="6 4")
        for i, (name, curve) in enumerate(self.curves.items()):
            picture.polyline([(x(o), y(r)) for o, r in curve if o <= self.right], SERIES[i % len(SERIES)], width=1.5)
            picture.text(
                left + wide + 8, top + high - 40 + 16 * i, clip(clean(name), 20), SERIES[i % len(SERIES)], size=11
            )
        picture.circle(x(0), y(100), 6, "ink", open=True, tip="target point")
        picture.circle(x(0), y(100), 2, "ink")
        for i, (name, scores) in enumerate(self.systems.items()):
            if np.isfinite(scores.over_segmentation):
                self._svg_system(picture, x(scores.over_segmentation), y(scores.hit_rate), name, scores, i)
        self._svg_key(picture, left + wide + 8, top + 14)
        return picture.render()

    def _svg_axes(self, picture: Svg, x: object, y: object) -> None:
        assert callable(x)
        assert callable(y)
        for rate in range(0, 101, 20):
            picture.line(x(-100), y(rate), x(self.right), y(rate), "grid", width=1)
            picture.text(x(-100) - 8, y(rate) + 4, f"{rate}", "faint", anchor="end", size=11)
        step = 50 if self.right <= 220 else 100
        for over in range(-100, int(self.right) + 1, step):
            picture.line(x(over), y(0), x(over), y(100), "grid", width=1)
            picture.text(x(over), y(0) + 16, f"{over}", "faint", anchor="middle", size=11)
        picture.text(x((self.right - 100) / 2), y(0) + 38, "over-segmentation, %", anchor="middle", size=12)
        picture.text(16, y(50), "hit rate, %", anchor="middle", size=12, transform=f"rotate(-90 16 {y(50):g})")

    @staticmethod
    def _svg_system(picture: Svg, x: float, y: float, name: str, scores: RegionScores, number: int) -> None:
        role = SERIES[number % len(SERIES)]
        words = f"HR {scores.hit_rate:.1f} %, OS {scores.over_segmentation:.1f} %, R {scores.r_value:.3f}"
        picture.circle(x, y, 5, role, tip=f"{name}: {words}")
        picture.text(x + 9, y + 4, f"{clip(clean(name), 16)}  R {scores.r_value:.2f}", role, size=12, weight="bold")

    @staticmethod
    def _svg_key(picture: Svg, x: float, y: float) -> None:
        picture.circle(x + 8, y - 4, 5, "ink", open=True)
        picture.text(x + 22, y, "target point", size=11)
        picture.line(x, y + 16, x + 16, y + 8, "ink")
        picture.text(x + 22, y + 16, "no insertions", size=11)
        picture.line(x, y + 28, x + 16, y + 28, "series4", width=2, dash="6 4")
        picture.text(x + 22, y + 32, "random boundaries", size=11)
        picture.line(x, y + 44, x + 16, y + 44, "faint", width=1)
        picture.text(x + 22, y + 48, "equal R", size=11)
