"""Boundary density along a text: what remains readable when there are ten thousand units.

The text is cut into as many bins as there are cells; a bin's bar says how many boundaries the coders put there, and under
it a row per coder shows where theirs are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from caesura.display.cells import clean, widest
from caesura.display.palette import SERIES
from caesura.display.plot import axis_labels
from caesura.display.scene import Axis, Columns, Item, Line, Name, Picture, Scene, ScenePicture, Ticks, stack
from caesura.drawings.segmentations import OneTrack, streams
from caesura.model import Corpus

_NAME = 16
_TALL = 3  # rows of the chart of all coders


def draw_density(corpus: Corpus) -> Picture:
    """Draw how dense boundaries are along every track of the corpus."""
    return stack([Density(stream) for stream in streams(corpus)])


@dataclass(frozen=True)
class Density(OneTrack, ScenePicture):
    """One track, zoomed out: boundaries of all coders together, and each coder's own."""

    @property
    def title(self) -> str:
        """The item, and who is drawn."""
        return f"{self.stream.title}, density"

    def _counts(self, bins: int) -> NDArray[np.int64]:
        """Boundaries of every coder (rows) in every bin."""
        length = self.stream.length or 1
        rows = []
        for marks in self.stream.marks:
            at = np.minimum((marks._cuts() - (0 if marks.timed else 0.5)) / length * bins, bins - 1).astype(np.int64)
            rows.append(np.bincount(at, minlength=bins))
        return np.array(rows).reshape(len(rows), bins)

    def _bins(self, room: int) -> int:
        """Never more bins than units, so that a bin without a boundary means something."""
        return max(1, room if self.stream.timed else min(room, int(self.stream.length)))

    def scene(self, width: int, *, fine: bool) -> Scene:
        """A chart of all coders together, and a row per coder; as many bins as there are cells, three times that if ``fine``."""
        stream = self.stream
        margin = widest((*stream.coders, "together"), _NAME) + 2
        room = max(8, width - margin)
        bins = self._bins(min(240, int(room * 2.8)) if fine else room)
        counts = self._counts(bins)
        each = "one unit" if bins == stream.length else f"{stream.length / bins:.3g} {'s' if stream.timed else 'units'}"
        highest = int(counts.sum(axis=0).max())
        return Scene(
            title=self.title,
            description=stream.description,
            heading=stream.heading,
            key=f"bars: boundaries of all coders, {each} each · highest {highest}"
            if fine
            else f"{each} per column · {_ladder(counts)}",
            width=width,
            margin=margin,
            rows=(0.8, *(3.2 / _TALL,) * _TALL, *(1.1 for _ in stream.coders)),
            blocks=(tuple(self._rows(counts, room if fine else bins, margin, fine=fine)),),
            direction="rtl" if stream.rtl else "ltr",
        )

    def _rows(self, counts: NDArray[np.int64], wide: int, margin: int, *, fine: bool) -> Iterator[Item]:
        stream, bins = self.stream, counts.shape[1]
        length, together = stream.length or 1, tuple(counts.sum(axis=0).tolist())
        last = wide if fine else wide - 1
        labels = axis_labels(0, length, max(2, wide // 12))
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
        yield Columns(1, width=wide, values=together, tips=tips, rows=_TALL)
        for coder, (name, marks) in enumerate(zip(stream.coders, stream.marks, strict=True)):
            row, cuts = _TALL + 1 + coder, marks._cuts() - (0 if marks.timed or fine else 0.5)
            yield Name(row, words=clean(name))
            yield Line(row, width=wide, thin=True)
            xs = tuple((cuts / length * wide).tolist())
            yield Ticks(row, width=wide, role=SERIES[coder % len(SERIES)], xs=xs, most=int(counts.max()))


def _ladder(counts: NDArray[np.int64]) -> str:
    most = int(counts.max()) if counts.size else 0
    return "┃ a boundary" if most <= 1 else f"░▒▓█ one to {most} boundaries of a coder"
