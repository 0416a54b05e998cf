"""Boundary density along a text, which stays readable for tens of thousands of units.

The text is cut into as many bins as there are cells; a bin's bar says how many boundaries the coders put there, and under
it a row per coder shows where theirs are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from caesura.display.cells import clean, max_cell_width
from caesura.display.palette import SERIES
from caesura.display.plot import time_labels
from caesura.display.scene import Axis, BarChart, Baseline, Name, Picture, Scene, ScenePicture, Shape, Ticks, stack
from caesura.drawings.segmentations import TrackPicture, annotated_tracks
from caesura.model import Corpus

_NAME = 16
_TALL = 3  # the height of the bar chart in rows


def draw_density(corpus: Corpus) -> Picture:
    """Draw how dense boundaries are along every track of the corpus."""
    return stack([Density(annotated) for annotated in annotated_tracks(corpus)])


@dataclass(frozen=True)
class Density(TrackPicture, ScenePicture):
    """Boundary density of one track: all coders together, and each coder."""

    @property
    def title(self) -> str:
        """The item and its coders."""
        return f"{self.annotated.title}, density"

    def _counts(self, bins: int) -> NDArray[np.int64]:
        """Count the boundaries per coder (rows) and bin (columns)."""
        length = self.annotated.length or 1
        rows = []
        for marks in self.annotated.marks:
            at = np.minimum((marks._cuts() - (0 if marks.timed else 0.5)) / length * bins, bins - 1).astype(np.int64)
            rows.append(np.bincount(at, minlength=bins))
        return np.array(rows).reshape(len(rows), bins)

    def _bins(self, available: int) -> int:
        """At most one bin per unit, so that an empty bin is meaningful."""
        return max(1, available if self.annotated.timed else min(available, int(self.annotated.length)))

    def scene(self, width: int, *, fine: bool) -> Scene:
        """Lay out a bar chart of all coders and a row per coder, with a bin per cell, or three if ``fine``."""
        annotated = self.annotated
        margin = max_cell_width((*annotated.coders, "together"), _NAME) + 2
        available = max(8, width - margin)
        bins = self._bins(min(240, int(available * 2.8)) if fine else available)
        counts = self._counts(bins)
        each = (
            "one unit"
            if bins == annotated.length
            else f"{annotated.length / bins:.3g} {'s' if annotated.timed else 'units'}"
        )
        highest = int(counts.sum(axis=0).max())
        return Scene(
            title=self.title,
            description=annotated.description,
            heading=annotated.heading,
            key=f"bars: boundaries of all coders, {each} each · highest {highest}"
            if fine
            else f"{each} per column · {_shade_key(counts)}",
            width=width,
            margin=margin,
            rows=(0.8, *(3.2 / _TALL,) * _TALL, *(1.1 for _ in annotated.coders)),
            blocks=(tuple(self._rows(counts, available if fine else bins, margin, fine=fine)),),
            direction="rtl" if annotated.rtl else "ltr",
        )

    def _rows(self, counts: NDArray[np.int64], wide: int, margin: int, *, fine: bool) -> Iterator[Shape]:
        annotated, bins = self.annotated, counts.shape[1]
        length, together = annotated.length or 1, tuple(counts.sum(axis=0).tolist())
        last = wide if fine else wide - 1
        labels = time_labels(0, length, max(2, wide // 12))
        yield Axis(
            0,
            numbers=tuple((v / length * last if fine else min(v / length * last, wide - len(w)), w) for v, w in labels),
            rows=_TALL + len(counts),
        )
        yield Name(1, words=str(max(1, *together)).rjust(margin - 2), drawn=False)
        yield Name(_TALL, words="together", drawn=False)
        edges = [f"{length * i / bins:.6g}" for i in range(bins + 1)]
        tips = tuple(
            f"{first} to {last}: {n} boundaries" for (first, last), n in zip(pairwise(edges), together, strict=True)
        )
        yield BarChart(1, width=wide, values=together, tips=tips, rows=_TALL)
        for coder, (name, marks) in enumerate(zip(annotated.coders, annotated.marks, strict=True)):
            row, cuts = _TALL + 1 + coder, marks._cuts() - (0 if marks.timed or fine else 0.5)
            yield Name(row, words=clean(name))
            yield Baseline(row, width=wide, thin=True)
            xs = tuple((cuts / length * wide).tolist())
            yield Ticks(row, width=wide, role=SERIES[coder % len(SERIES)], xs=xs, most=int(counts.max()))


def _shade_key(counts: NDArray[np.int64]) -> str:
    most = int(counts.max()) if counts.size else 0
    return "┃ a boundary" if most <= 1 else f"░▒▓█ one to {most} boundaries of a coder"
