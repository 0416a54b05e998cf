"""Recordings: boundaries along time, one row per coder, and search regions around those of a reference."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.display.cells import clean, name_column, shortened_names
from caesura.display.palette import SERIES
from caesura.display.plot import time_labels
from caesura.display.scene import (
    Axis,
    Band,
    Caption,
    Marker,
    Name,
    Region,
    Scene,
    ScenePicture,
    Shape,
    ShortConnector,
    Tick,
    Ticks,
)
from caesura.drawings.segmentations import TrackPicture, annotated_tracks
from caesura.errors import CaesuraError
from caesura.metrics.region_match import RegionMatch, region_match
from caesura.metrics.regions import Matching
from caesura.metrics.time_grid import tolerance_text
from caesura.model import Corpus, Segmentation


@dataclass(frozen=True)
class TimelineSection:
    """A part of a recording on one line, with ``scale`` cells per second; its end belongs to it if ``closed``."""

    start: float
    stop: float
    scale: float
    closed: bool

    def at(self, time: float) -> float:
        """Return the cell of a time; times outside are moved to the nearer end."""
        return (min(max(time, self.start), self.stop) - self.start) * self.scale

    def within(self, times: NDArray[np.float64]) -> Iterator[tuple[int, float]]:
        """Yield the boundaries in this part with their indices; ``times`` are sorted."""
        first, last = (
            np.searchsorted(times, self.start),
            np.searchsorted(times, self.stop, "right" if self.closed else "left"),
        )
        return zip(range(int(first), int(last)), times[first:last].tolist(), strict=True)

    def captions(self, row: int, marks: Segmentation) -> Iterator[Caption]:
        """Yield the names of the segments that begin in this part."""
        edges = [0.0, *marks._cuts().tolist(), float(marks.length)]
        for left, right, name in zip(edges, edges[1:], marks.names or (), strict=False):
            if self.start <= left < self.stop and right > self.start:
                yield Caption(row, self.at(left), self.at(right) - self.at(left), name)

    def axis(self, end: float, available: int, rows: int, *, fine: bool) -> Axis:
        """Return the time axis up to the ``end`` of the recording; ``fine`` media have space for more labels."""
        labels = time_labels(self.start, self.start + available / self.scale, available // (9 if fine else 12))
        numbers = tuple(((time - self.start) * self.scale, words) for time, words in labels if time <= end)
        return Axis(0, numbers=numbers, rows=rows)


def split_timeline(start: float, stop: float, scale: float, available: float, *, closed: bool) -> list[TimelineSection]:
    """Divide a recording into lines of ``available`` cells; ``closed`` includes a boundary at the very end."""
    number = max(1, math.ceil((stop - start) * scale / available - 1e-9))
    lefts = [start + i * available / scale for i in range(number)]
    return [
        TimelineSection(left, min(left + available / scale, stop), scale, closed and i == number - 1)
        for i, left in enumerate(lefts)
    ]


def cells_per_gap(times: list[NDArray[np.float64]], wanted: float) -> float | None:
    """Return the scale at which the median segment takes ``wanted`` cells, or None if there are no segments."""
    gaps = np.concatenate([np.diff(t) for t in times])
    gaps = gaps[gaps > 0]
    return wanted / float(np.median(gaps)) if len(gaps) else None


@dataclass(frozen=True)
class Timeline(TrackPicture, ScenePicture):
    """A recording along time. Agreement is not marked, because times rarely coincide exactly."""

    def scene(self, width: int, *, fine: bool) -> Scene:
        """Lay out lines at which the median segment takes four cells, at most twelve; ``fine`` media use one line."""
        annotated = self.annotated
        margin, length = name_column(annotated.coders, width, fine=fine) + 2, annotated.length or 1.0
        available = max(8, width - margin - 1)
        wanted = cells_per_gap([m.positions for m in annotated.marks], 4) or 0.0
        scale = available / length if fine else min(max(wanted, available / length), 12 * available / length)
        return Scene(
            title=self.title,
            description=annotated.description,
            heading=annotated.heading,
            key="",
            width=width,
            margin=margin,
            rows=(0.8, *(1.7 for _ in annotated.coders)),
            blocks=tuple(
                tuple(self._line(line, available, fine=fine))
                for line in split_timeline(0.0, annotated.length, scale, available, closed=True)
            ),
            notes=shortened_names(annotated.coders, margin - 2),
        )

    def _line(self, line: TimelineSection, available: int, *, fine: bool) -> Iterator[Shape]:
        annotated = self.annotated
        yield line.axis(annotated.length, available, len(annotated.coders), fine=fine)
        for row, (name, marks) in enumerate(zip(annotated.coders, annotated.marks, strict=True), 1):
            yield Name(row, words=clean(name))
            yield Band(row, width=line.at(float(marks.length)))
            yield from line.captions(row, marks)
            for _, time in line.within(marks.positions):
                yield Tick(row, line.at(time), role=SERIES[(row - 1) % len(SERIES)], tip=f"{time:g} s")


# ---------------------------------------------------------------------- two coders with search regions


_LINES = 24  # lines in a terminal; a note says how much of a longer recording is left out
_CLOSE = 3000  # boundaries beyond which single boundaries and regions are not drawn
_ROWS = 60  # lines in SVG; longer recordings are scaled down
_KEY = "● hit · + extra · × missed · ░ region of {}"
_FAR_KEY = "extra and missed ones marked below · regions of {}"


def draw_regions(
    corpus: Corpus,
    *,
    tolerance: float | str = 0.02,
    matching: Matching = "regions",
    start: float = 0.0,
    end: float | None = None,
) -> RegionTimeline:
    """Draw two coders of one recording, the reference first, from ``start`` to ``end`` seconds."""
    annotated = annotated_tracks(corpus)[0]
    if len(annotated.marks) != 2:
        raise CaesuraError(f"the drawing 'regions' takes two coders; {annotated.heading or 'this item'} has one.")
    stop = annotated.length if end is None else min(float(end), annotated.length)
    if not 0 <= start < max(stop, 1e-9):
        raise CaesuraError(f"there is nothing to draw from {start:g} to {stop:g} s.")
    reference, hypothesis = annotated.marks
    match = region_match(reference, hypothesis, tolerance, matching=matching)
    return RegionTimeline(annotated.heading, annotated.coders, reference, match, float(start), float(stop))


@dataclass(frozen=True)
class RegionTimeline(ScenePicture):
    """Two coders along time, with search regions around the boundaries of the reference."""

    heading: str
    coders: tuple[str, ...]
    reference: Segmentation
    match: RegionMatch
    start: float
    stop: float

    @property
    def title(self) -> str:
        """The recording and its coders."""
        return f"{self.heading or 'recording'}: {' against '.join(map(clean, reversed(self.coders)))}"

    @property
    def description(self) -> str:
        """The content in sentences."""
        match = self.match
        hits = int((~match.deleted).sum())
        missed = ", ".join(f"{t:g}" for t in match.reference[match.deleted][:40]) or "none"
        extra = ", ".join(f"{t:g}" for t in match.hypothesis[match.inserted][:40]) or "none"
        return (
            f"{hits} of {len(match.reference)} reference boundaries were hit within {match.tolerance:g} s. "
            f"Deletions at {missed}. Insertions at {extra}."
        )

    def scene(self, width: int, *, fine: bool) -> Scene:
        """Lay out lines of equal duration, in which regions are visible and boundaries are apart."""
        margin = name_column(self.coders, width, fine=fine) + 2
        available = max(12, width - margin - 1)
        span = max(self.stop - self.start, 1e-9)
        wanted = max(1.5 / max(self.match.tolerance, 1e-4), cells_per_gap([self.match.reference], 4) or 0.0)
        scale, most = max(min(wanted, 4000.0), available / span), _LINES
        if fine:  # draw the whole recording
            most = _ROWS
            scale = min(max(1, round(span * min(wanted, 240.0) / available)), _ROWS) * available / span
        far = fine and len(self.match.reference) + len(self.match.hypothesis) > _CLOSE
        lines = split_timeline(self.start, self.stop, scale, available, closed=False)
        rest = sum(line.stop - line.start for line in lines[most:])
        return Scene(
            title=self.title,
            description=self.description,
            heading=self.heading,
            key=(_FAR_KEY if far else _KEY).format(tolerance_text(self.match.tolerance)),
            width=width,
            margin=margin,
            rows=(0.8, 1.9, 1.9, 1.0),
            blocks=tuple(tuple(self._line(line, available, fine=fine, far=far)) for line in lines[:most]),
            apart=False,
            notes=(
                *shortened_names(self.coders, margin - 2),
                *(((f"… and {rest:.3g} s more; SVG shows the whole recording", "faint"),) if rest else ()),
            ),
        )

    def _line(self, line: TimelineSection, available: int, *, fine: bool, far: bool) -> Iterator[Shape]:
        yield line.axis(self.stop, available, 2, fine=fine)
        for row, name in enumerate(self.coders, 1):
            yield Name(row, words=clean(name))
            yield Band(row, width=line.at(line.stop))
        yield from self._overview(line) if far else self._close(line)

    def _close(self, line: TimelineSection) -> Iterator[Shape]:
        match, deleted, inserted = self.match, self.match.deleted, self.match.inserted
        first, last = np.searchsorted(match.ends, line.start, "right"), np.searchsorted(match.starts, line.stop)
        for start, end in zip(match.starts[first:last].tolist(), match.ends[first:last].tolist(), strict=True):
            tip = f"region {start:.4g} to {end:.4g} s"
            yield Region(1, line.at(start), line.at(end) - line.at(start), role="reference", tip=tip, rows=2)
        yield from line.captions(1, self.reference)
        for i, time in line.within(match.reference):
            word, sign, role = ("missed", "×", "miss") if deleted[i] else ("hit", "●", "match")
            tip = f"{word} at {time:.4g} s"
            stroke = "miss" if deleted[i] else "reference"
            yield Tick(1, line.at(time), role=stroke, tip=tip, broken=bool(deleted[i]))
            yield Marker(3, line.at(time), 0, sign, role, tip)
        for i, time in line.within(match.hypothesis):
            tip = f"{'extra' if inserted[i] else 'hit'} at {time:.4g} s"
            yield Tick(2, line.at(time), role="near" if inserted[i] else "match", tip=tip, broken=bool(inserted[i]))
            if inserted[i]:
                yield Marker(3, line.at(time), 0, "+", "near", tip)
            elif match.region_of[i] >= 0:
                above = line.at(float(match.reference[match.region_of[i]]))
                yield ShortConnector(1, above, below=line.at(time), role="match")

    def _overview(self, line: TimelineSection) -> Iterator[Shape]:
        """Draw very many boundaries by role, without regions, which would not be visible."""
        match = self.match
        for times, missed, row, roles in (
            (match.reference, match.deleted, 1, ("reference", "miss")),
            (match.hypothesis, match.inserted, 2, ("match", "near")),
        ):
            here = list(line.within(times))
            for is_missed, role, rows in ((False, roles[0], (row,)), (True, roles[1], (row, 3))):
                xs = tuple(line.at(time) for i, time in here if missed[i] == is_missed)
                yield from (Ticks(at, width=line.at(line.stop), xs=xs, role=role) for at in rows)

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto" tabindex="0">{self.svg()}</div>'
