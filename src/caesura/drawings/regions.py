"""A recording judged: the reference with its search regions, the hypothesis below, and every hit, insertion and deletion."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from caesura.display.cells import Canvas
from caesura.display.scene import Picture
from caesura.display.svg import CELL, LINE, Svg
from caesura.display.writing import Bidi, cells, choose_bidi, clean, clip, pad, widest
from caesura.drawings.axes import axis_labels, draw_label, put_times
from caesura.drawings.streams import streams
from caesura.errors import CaesuraError
from caesura.metrics.region import seconds
from caesura.metrics.region_counts import Matching
from caesura.metrics.region_match import RegionMatch, region_match
from caesura.model import Corpus, Segmentation

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["RegionTimeline", "draw_regions", "tolerance_in_words"]

_NAME = 14
_LINES = 24  # of a terminal drawing, each with a row a side; longer recordings end in a word about the rest
_CLOSE = 3000  # boundaries of both sides that are drawn one by one, with their regions
_ROWS = 60  # lines of an SVG drawing; longer recordings are drawn on a smaller scale
_KEY = "● hit · + insertion · × deletion · ░ region of ± {tolerance}"


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
class RegionTimeline(Picture):
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
    def key(self) -> str:
        """What the signs mean."""
        return _KEY.format(tolerance=f"{1000 * self.match.tolerance:g} ms")

    @property
    def described(self) -> str:
        """The content in sentences."""
        match = self.match
        hits = int((~match.deleted).sum())
        missed = ", ".join(f"{t:g}" for t in match.reference[match.deleted][:40]) or "none"
        extra = ", ".join(f"{t:g}" for t in match.hypothesis[match.inserted][:40]) or "none"
        return (
            f"{hits} of {len(match.reference)} reference boundaries were hit within {match.tolerance:g} s. "
            f"Deletions at {missed}. Insertions at {extra}."
        )

    # ------------------------------------------------------------------ terminal

    def _scale(self, room: int) -> float:
        """Cells a second: regions of at least three cells, and the whole on one line where that is enough."""
        span = max(self.stop - self.start, 1e-9)
        gaps = np.diff(self.match.reference)
        gaps = gaps[gaps > 0]
        wanted = max(1.5 / max(self.match.tolerance, 1e-4), 4 / float(np.median(gaps)) if len(gaps) else 0.0)
        return max(min(wanted, 4000.0), room / span)

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw lines of equal time under each other."""
        canvas, turned = Canvas(), choose_bidi(bidi)
        margin = widest(self.coders, _NAME) + 2
        room = max(12, width - margin - 1)
        scale = self._scale(room)
        if self.heading:
            canvas.put(0, 0, clip(self.heading, width), "strong", bidi=turned)
        lines = max(1, math.ceil((self.stop - self.start) * scale / room - 1e-9))
        for number in range(min(lines, _LINES)):
            left = self.start + number * room / scale
            self._line(canvas, left, min(left + room / scale, self.stop), scale, margin, room)
        if lines > _LINES:
            shown = self.start + _LINES * room / scale
            canvas.put(
                canvas.height, 0, f"… and {self.stop - shown:.3g} s more; SVG shows the whole recording", "faint"
            )
        canvas.put(canvas.height, 0, clip(self.key, width), "faint")
        return canvas.text()

    def _line(self, canvas: Canvas, left: float, right: float, scale: float, margin: int, room: int) -> None:
        match, top = self.match, canvas.height
        put_times(canvas, left, self.stop, scale, margin, room)
        for row, name in ((top + 1, self.coders[0]), (top + 2, self.coders[1])):
            canvas.put(row, 0, pad(clean(name), margin - 2), "faint")
            canvas.fill(row, margin, margin + round((right - left) * scale), "─", "grid")
        canvas.put(top + 3, 0, "")
        self._shade(canvas, top + 2, left, right, scale, margin)
        self._names(canvas, top + 1, left, right, scale, margin)
        for time, deleted in zip(match.reference.tolist(), match.deleted.tolist(), strict=True):
            if left <= time < right:
                at = margin + round((time - left) * scale)
                canvas.put(top + 1, at, "┃", "miss" if deleted else "reference")
                canvas.put(top + 3, at, "×" if deleted else "●", "miss" if deleted else "match")
        for time, inserted in zip(match.hypothesis.tolist(), match.inserted.tolist(), strict=True):
            if left <= time < right:
                at = margin + round((time - left) * scale)
                canvas.put(top + 2, at, "╏" if inserted else "┃", "near" if inserted else "match")
                if inserted:
                    canvas.put(top + 3, at, "+", "near")

    def _shade(self, canvas: Canvas, row: int, left: float, right: float, scale: float, margin: int) -> None:
        for start, end in zip(self.match.starts.tolist(), self.match.ends.tolist(), strict=True):
            if end > left and start < right:
                one, two = (round((max(min(t, right), left) - left) * scale) for t in (start, end))
                canvas.fill(row, margin + one, margin + min(two + 1, round((right - left) * scale)), "░", "faint")

    def _names(self, canvas: Canvas, row: int, left: float, right: float, scale: float, margin: int) -> None:
        if self.reference.names is None:
            return
        for (one, two), name in zip(self.reference.spans, self.reference.names, strict=True):
            room = round((min(two, right) - max(one, left)) * scale) - 1
            shown = clean(name)
            if two > left and one < right and one >= left and 0 < cells(shown) <= room:
                canvas.put(row, margin + round((one - left) * scale) + 1 + (room - cells(shown)) // 2, shown)

    # ------------------------------------------------------------------ SVG

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw lines of equal time under each other, each as wide as the page."""
        span = max(self.stop - self.start, 1e-9)
        margin = CELL * (widest(self.coders, _NAME) + 2)
        room = width * CELL - margin
        lines = min(max(1, round(span * self._wanted() / room)), _ROWS)
        scale = lines * room / span  # every line is filled
        said = self.key.replace("░", "shaded:")
        if len(self.match.reference) + len(self.match.hypothesis) > _CLOSE:
            said = f"insertions and deletions marked below; regions of ± {1000 * self.match.tolerance:g} ms"
        beside = cells(self.heading) + 2 + cells(said) <= width
        key = [said] if beside else _folded(said, width)
        top, row = LINE * (2.6 if beside else 2.6 + len(key)), LINE * 1.9
        tall = 2 * row + LINE * 2.8
        picture = Svg(
            margin + room + 24,
            top + (lines - 1) * tall + 2 * row + LINE * 2.6,
            title=self.title,
            description=self.described,
            style=style,
        )
        picture.text(8, LINE * 0.95, self.heading, size=13, weight="bold")
        behind = CELL * (cells(self.heading) + 2) * bool(self.heading) if beside else 0.0
        for number, line in enumerate(key):
            picture.text(8 + behind, LINE * (number + (0.95 if beside else 1.95)), line, "faint", size=12)
        for number in range(lines):
            left = self.start + number * room / scale
            right = self.stop if number == lines - 1 else left + room / scale - 1e-9
            replace(self, start=left, stop=right)._svg_line(picture, scale, margin, top + number * tall, row)
        return picture.render()

    def _wanted(self) -> float:
        """Pixels a second: regions wide enough to be seen, and room between two boundaries."""
        gaps = np.diff(self.match.reference)
        apart = 36 / float(np.median(gaps)) if len(gaps) and np.median(gaps) > 0 else 0.0
        return min(max(apart, 7 / max(self.match.tolerance, 1e-4)), 2000.0)

    def _svg_line(self, picture: Svg, scale: float, margin: float, top: float, row: float) -> None:
        bottom = top + 2 * row
        with picture.group(transform=f"translate({8 + margin:g} 0)"):
            for time, label in axis_labels(self.start, self.stop, int((self.stop - self.start) * scale / 90) + 1):
                draw_label(picture, label, self._x(time, scale), top, bottom)
            if len(self.match.reference) + len(self.match.hypothesis) > _CLOSE:
                self._svg_from_afar(picture, scale, top, row)
            else:
                self._svg_regions(picture, scale, top, bottom)
                self._svg_reference(picture, scale, top, row)
                self._svg_hypothesis(picture, scale, top + row, row)
        for number, name in enumerate(self.coders):
            picture.text(8, top + row * (number + 0.5) + 5, clip(clean(name), _NAME), "faint", size=13, rtl=False)

    def _x(self, time: float, scale: float) -> float:
        return (time - self.start) * scale

    def _svg_regions(self, picture: Svg, scale: float, top: float, bottom: float) -> None:
        for start, end in zip(self.match.starts.tolist(), self.match.ends.tolist(), strict=True):
            if end > self.start and start < self.stop:
                one, two = self._x(max(start, self.start), scale), self._x(min(end, self.stop), scale)
                picture.rect(
                    one + 0.5, top, max(two - one - 1, 0.5), bottom - top, "reference", opacity="0.16",
                    tip=f"region {start:.4g} to {end:.4g} s",
                )  # fmt: skip

    def _svg_reference(self, picture: Svg, scale: float, top: float, row: float) -> None:
        match = self.match
        picture.line(0, top + row - 2, self._x(self.stop, scale), top + row - 2, "grid", width=1)
        if self.reference.names is not None:
            for (one, two), name in zip(self.reference.spans, self.reference.names, strict=True):
                shown = clean(name)
                inside = one >= self.start and two <= self.stop
                if shown and inside and cells(shown) * CELL * 0.86 <= (two - one) * scale - 4:
                    picture.text(self._x((one + two) / 2, scale), top + row / 2 + 4, shown, anchor="middle", size=12)
        for time, deleted in zip(match.reference.tolist(), match.deleted.tolist(), strict=True):
            if self.start <= time <= self.stop:
                x, said = self._x(time, scale), f"{'deletion' if deleted else 'hit'} at {time:.4g} s"
                self._rule(picture, x, top, row, "miss" if deleted else "reference", said, broken=deleted)
                if deleted:
                    self._sign(picture, x, top + 2 * row + 14, "×", "miss", said)

    def _svg_hypothesis(self, picture: Svg, scale: float, top: float, row: float) -> None:
        match = self.match
        for index, (time, inserted) in enumerate(zip(match.hypothesis.tolist(), match.inserted.tolist(), strict=True)):
            if self.start <= time <= self.stop:
                x, said = self._x(time, scale), f"{'insertion' if inserted else 'hit'} at {time:.4g} s"
                self._rule(picture, x, top, row, "near" if inserted else "match", said, broken=inserted)
                if inserted:
                    self._sign(picture, x, top + row + 14, "+", "near", said)
                elif match.found[index] >= 0:
                    other = self._x(float(match.reference[match.found[index]]), scale)
                    picture.line(other, top - 2, x, top + 2, "match", width=1.5)
                    picture.circle(x, top + row + 9, 4, "match", tip=said)

    def _svg_from_afar(self, picture: Svg, scale: float, top: float, row: float) -> None:
        """Draw very many boundaries: one path a fate, without regions, which nobody could see."""
        match, below = self.match, top + 2 * row
        picture.line(0, top + row - 2, self._x(self.stop, scale), top + row - 2, "grid", width=1)
        for times, chosen, role, spans in (
            (match.reference, ~match.deleted, "reference", [(top + 2, top + row - 2)]),
            (match.reference, match.deleted, "miss", [(top + 2, top + row - 2), (below + 3, below + 11)]),
            (match.hypothesis, ~match.inserted, "match", [(top + row + 2, below - 2)]),
            (match.hypothesis, match.inserted, "near", [(top + row + 2, below - 2), (below + 3, below + 11)]),
        ):
            here = times[chosen & (times >= self.start) & (times <= self.stop)].tolist()
            drawn = dict.fromkeys(round(self._x(time, scale), 1) for time in here)
            d = "".join(f"M{x:g} {one:g}V{two:g}" for x in drawn for one, two in spans)
            if d:
                picture.path(d, stroke=role, width=1)

    @staticmethod
    def _rule(picture: Svg, x: float, top: float, row: float, role: str, said: str, *, broken: bool) -> None:
        picture.line(x, top + 2, x, top + row - 2, role, width=2.5, dash="3 3" if broken else "", tip=said)

    @staticmethod
    def _sign(picture: Svg, x: float, y: float, sign: str, role: str, tip: str) -> None:
        with picture.group(tip=tip):
            picture.text(x, y, sign, role, anchor="middle", weight="bold", size=16)

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto" tabindex="0">{self.svg()}</div>'


def tolerance_in_words(tolerance: float | str) -> str:
    """Spell a tolerance: ± 20 ms.

    >>> tolerance_in_words(0.02)
    '± 20 ms'
    """
    return f"± {1000 * seconds(tolerance):g} ms"


def _folded(said: str, width: int) -> list[str]:
    """Fold what is said between its parts, so that no line is wider than the drawing."""
    lines: list[str] = []
    for part in said.split(" · "):
        if lines and cells(f"{lines[-1]} · {part}") <= width:
            lines[-1] += f" · {part}"
        else:
            lines.append(part)
    return lines
