"""A recording judged: the reference with its search regions, the hypothesis below, and every hit, insertion and deletion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from caesura.display.cells import clean, widest
from caesura.display.scene import Band, Item, Join, Name, Region, Scene, ScenePicture, Sign, Tick, Ticks
from caesura.drawings.segmentations import streams
from caesura.drawings.timelines import Stretch, cells_per_gap, stretches
from caesura.errors import CaesuraError
from caesura.metrics.region_match import RegionMatch, region_match
from caesura.metrics.regions import Matching
from caesura.model import Corpus, Segmentation

_NAME = 14
_LINES = 24  # of a terminal drawing, each with one row per side; longer recordings end in a word about the rest
_CLOSE = 3000  # boundaries of both sides that are drawn one by one, with their regions
_ROWS = 60  # lines of an SVG drawing; longer recordings are drawn on a smaller scale
_KEY = "● hit · + extra · × missed · ░ region of ± {:g} ms"
_FAR_KEY = "extra and missed ones marked below · regions of ± {:g} ms"


def draw_regions(
    corpus: Corpus,
    *,
    tolerance: float | str = 0.02,
    matching: Matching = "regions",
    start: float = 0.0,
    end: float | None = None,
) -> RegionTimeline:
    """Draw two coders of one recording, the reference first, from ``start`` to ``end`` seconds."""
    stream = streams(corpus)[0]
    if len(stream.marks) != 2:
        raise CaesuraError(f"the drawing 'regions' takes two coders; {stream.heading or 'this item'} has one.")
    stop = stream.length if end is None else min(float(end), stream.length)
    if not 0 <= start < max(stop, 1e-9):
        raise CaesuraError(f"there is nothing to draw from {start:g} to {stop:g} s.")
    reference, hypothesis = stream.marks
    match = region_match(reference, hypothesis, tolerance, matching=matching)
    return RegionTimeline(stream.heading, stream.coders, reference, match, float(start), float(stop))


@dataclass(frozen=True)
class RegionTimeline(ScenePicture):
    """Boundaries along time with the regions around those of the reference; lines wrap."""

    heading: str
    coders: tuple[str, ...]
    reference: Segmentation
    match: RegionMatch
    start: float
    stop: float

    @property
    def title(self) -> str:
        """Recording and coders."""
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
        """Lines of equal time: regions wide enough to be seen, and room between two boundaries."""
        margin = widest(self.coders, _NAME) + 2
        room = max(12, width - margin - 1)
        span = max(self.stop - self.start, 1e-9)
        wanted = max(1.5 / max(self.match.tolerance, 1e-4), cells_per_gap([self.match.reference], 4) or 0.0)
        scale, most = max(min(wanted, 4000.0), room / span), _LINES
        if fine:  # the whole recording, every line filled
            most = _ROWS
            scale = min(max(1, round(span * min(wanted, 240.0) / room)), _ROWS) * room / span
        far = fine and len(self.match.reference) + len(self.match.hypothesis) > _CLOSE
        lines = stretches(self.start, self.stop, scale, room, closed=False)
        rest = sum(line.stop - line.start for line in lines[most:])
        return Scene(
            title=self.title,
            description=self.description,
            heading=self.heading,
            key=_FAR_KEY.format(self.match.tolerance * 1000) if far else _KEY.format(self.match.tolerance * 1000),
            width=width,
            margin=margin,
            rows=(0.8, 1.9, 1.9, 1.0),
            blocks=tuple(tuple(self._line(line, room, fine=fine, far=far)) for line in lines[:most]),
            apart=False,
            notes=((f"… and {rest:.3g} s more; SVG shows the whole recording", "faint"),) if rest else (),
        )

    def _line(self, line: Stretch, room: int, *, fine: bool, far: bool) -> Iterator[Item]:
        yield line.axis(self.stop, room, 2, fine=fine)
        for row, name in enumerate(self.coders, 1):
            yield Name(row, words=clean(name))
            yield Band(row, width=line.at(line.stop))
        yield from self._from_afar(line) if far else self._close(line)

    def _close(self, line: Stretch) -> Iterator[Item]:
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
            yield Sign(3, line.at(time), 0, sign, role, tip)
        for i, time in line.within(match.hypothesis):
            tip = f"{'extra' if inserted[i] else 'hit'} at {time:.4g} s"
            yield Tick(2, line.at(time), role="near" if inserted[i] else "match", tip=tip, broken=bool(inserted[i]))
            if inserted[i]:
                yield Sign(3, line.at(time), 0, "+", "near", tip)
            elif match.region_of[i] >= 0:
                above = line.at(float(match.reference[match.region_of[i]]))
                yield Join(1, above, below=line.at(time), role="match")

    def _from_afar(self, line: Stretch) -> Iterator[Item]:
        """Very many boundaries: by their fate only, without regions, which nobody could see."""
        match = self.match
        for times, missed, row, roles in (
            (match.reference, match.deleted, 1, ("reference", "miss")),
            (match.hypothesis, match.inserted, 2, ("match", "near")),
        ):
            here = list(line.within(times))
            for fate, role, rows in ((False, roles[0], (row,)), (True, roles[1], (row, 3))):
                xs = tuple(line.at(time) for i, time in here if missed[i] == fate)
                yield from (Ticks(at, width=line.at(line.stop), xs=xs, role=role) for at in rows)

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto" tabindex="0">{self.svg()}</div>'
