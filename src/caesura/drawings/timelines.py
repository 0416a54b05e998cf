"""Recordings: boundaries along time, a row per coder, the names of segments where they fit."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.display.cells import clean, widest
from caesura.display.palette import SERIES
from caesura.display.plot import axis_labels
from caesura.display.scene import Axis, Band, Caption, Item, Name, Scene, ScenePicture, Tick
from caesura.drawings.segmentations import OneTrack
from caesura.model import Segmentation

_NAME = 16


@dataclass(frozen=True)
class Stretch:
    """A stretch of time on one line, ``scale`` cells per second; a ``closed`` one holds its end."""

    start: float
    stop: float
    scale: float
    closed: bool

    def at(self, time: float) -> float:
        """Return how far along the line a time is, in cells; times outside are moved to the nearer end."""
        return (min(max(time, self.start), self.stop) - self.start) * self.scale

    def within(self, times: NDArray[np.float64]) -> Iterator[tuple[int, float]]:
        """Give the boundaries that are drawn here, each with its index; ``times`` are in order."""
        first, last = (
            np.searchsorted(times, self.start),
            np.searchsorted(times, self.stop, "right" if self.closed else "left"),
        )
        return zip(range(int(first), int(last)), times[first:last].tolist(), strict=True)

    def captions(self, row: int, marks: Segmentation) -> Iterator[Caption]:
        """Give the names of the segments that begin here."""
        edges = [0.0, *marks._cuts().tolist(), float(marks.length)]
        for left, right, name in zip(edges, edges[1:], marks.names or (), strict=False):
            if self.start <= left < self.stop and right > self.start:
                yield Caption(row, self.at(left), self.at(right) - self.at(left), name)

    def axis(self, end: float, room: int, rows: int, *, fine: bool) -> Axis:
        """Give the times along the line, none behind the ``end`` of the recording; a fine medium writes them smaller."""
        labels = axis_labels(self.start, self.start + room / self.scale, room // (9 if fine else 12))
        numbers = tuple(((time - self.start) * self.scale, words) for time, words in labels if time <= end)
        return Axis(0, numbers=numbers, rows=rows)


def stretches(start: float, stop: float, scale: float, room: float, *, closed: bool) -> list[Stretch]:
    """Break time into lines of ``room`` cells; ``closed`` where a boundary at the very end is drawn."""
    number = max(1, math.ceil((stop - start) * scale / room - 1e-9))
    lefts = [start + i * room / scale for i in range(number)]
    return [
        Stretch(left, min(left + room / scale, stop), scale, closed and i == number - 1) for i, left in enumerate(lefts)
    ]


def cells_per_gap(times: list[NDArray[np.float64]], wanted: float) -> float | None:
    """Return the scale that gives the median gap between boundaries ``wanted`` cells; None where there is no gap."""
    gaps = np.concatenate([np.diff(t) for t in times])
    gaps = gaps[gaps > 0]
    return wanted / float(np.median(gaps)) if len(gaps) else None


@dataclass(frozen=True)
class Timeline(OneTrack, ScenePicture):
    """One recording along time. Times never meet exactly, so nothing is marked as agreed; eyes judge the distance."""

    def scene(self, width: int, *, fine: bool) -> Scene:
        """Wide enough that the median segment keeps four cells, within a dozen lines; a fine medium takes one."""
        stream = self.stream
        margin, length = widest(stream.coders, _NAME) + 2, stream.length or 1.0
        room = max(8, width - margin - 1)
        wanted = cells_per_gap([m.positions for m in stream.marks], 4) or 0.0
        scale = room / length if fine else min(max(wanted, room / length), 12 * room / length)
        return Scene(
            title=self.title,
            description=stream.description,
            heading=stream.heading,
            key="",
            width=width,
            margin=margin,
            rows=(0.8, *(1.7 for _ in stream.coders)),
            blocks=tuple(
                tuple(self._line(line, room, fine=fine))
                for line in stretches(0.0, stream.length, scale, room, closed=True)
            ),
        )

    def _line(self, line: Stretch, room: int, *, fine: bool) -> Iterator[Item]:
        stream = self.stream
        yield line.axis(stream.length, room, len(stream.coders), fine=fine)
        for row, (name, marks) in enumerate(zip(stream.coders, stream.marks, strict=True), 1):
            yield Name(row, words=clean(name))
            yield Band(row, width=line.at(float(marks.length)))
            yield from line.captions(row, marks)
            for _, time in line.within(marks.positions):
                yield Tick(row, line.at(time), role=SERIES[(row - 1) % len(SERIES)], tip=f"{time:g} s")
