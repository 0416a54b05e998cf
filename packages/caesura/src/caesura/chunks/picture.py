"""Pictures of chunkers: scores against the mean length of chunks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from caesura.display.cells import clean, clip
from caesura.display.palette import SERIES
from caesura.display.plot import Curve, Plot, PlotPicture, Point, Scale, axis_labels
from caesura.display.table import format_cell

if TYPE_CHECKING:
    from caesura.chunks.evaluation import ChunkEvaluation

_NAMES = {"sizes": "same sizes", "uniform": "equal sizes"}


@dataclass(frozen=True)
class SizePlot(PlotPicture):
    """The main score of every chunker, and what its sizes give alone, against the mean length of its chunks."""

    evaluation: ChunkEvaluation

    @property
    def title(self) -> str:
        """What it shows."""
        return f"{self._score} by size of chunks, {self.evaluation.count} queries"

    @property
    def _score(self) -> str:
        return "recall-at-budget" if "recall-at-budget" in self.evaluation.measured else "whole"

    def plot(self) -> Plot:
        """Return axes and rings: one per chunker that has chunks, with its interval as a line, and a grey one per bound."""
        means = {name: each.mean for name, each in self.evaluation.lengths.items() if not math.isnan(each.mean)}
        right = 1.15 * max(means.values(), default=1.0)
        points, intervals = [], []
        for name, measured in self.evaluation.bounds.items():
            bound, _, owner = name.partition(" of ")
            if owner not in means:
                continue
            at = means[owner], measured[self._score].micro
            role = "faint" if bound == "sizes" else "ink"
            points.append(Point(*at, "o", role, name=_NAMES[bound], tip=name))
        for number, (name, measured) in enumerate(self.evaluation.systems.items()):
            if name not in means:
                continue
            value = measured[self._score].micro
            words = f"{clip(clean(name), 24)}  {format_cell(value)}"
            short = clip(clean(name), 20)
            sign, role = chr(ord("A") + number % 26), SERIES[number % len(SERIES)]
            points.append(
                Point(means[name], value, sign, role, name=short, tip=words)
            )  # in the key: labels would overlap
            if (interval := measured[self._score].interval) is not None:
                ends = tuple((means[name], end) for end in interval)
                intervals.append(Curve(ends, role, glyph="│"))
        drawn = [y for y in (*(p.y for p in points), *(y for c in intervals for _, y in c.points)) if y == y]
        bottom = max(
            0.0, math.floor(10 * min(drawn, default=0.0) - 0.2) / 10
        )  # so that chunkers that are alike can be told apart
        top = min(1.0, math.ceil(10 * max(drawn, default=1.0) + 0.2) / 10)
        described = ", ".join(f"{n} {format_cell(m[self._score].micro)}" for n, m in self.evaluation.systems.items())
        return Plot(
            self.title,
            f"{self._score} against the mean length of chunks: {described}.",
            Scale("mean length of chunks, characters", 0, right, tuple(at for at, _ in axis_labels(0, right, 6))),
            Scale(self._score, bottom, top, tuple(at for at, _ in axis_labels(bottom, top, 5))),
            curves=tuple(intervals),
            points=tuple(points),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the values drawn."""
        return {name: measured[self._score].micro for name, measured in self.evaluation.systems.items()}
