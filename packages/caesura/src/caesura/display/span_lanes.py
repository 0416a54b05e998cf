"""Spans of several coders along a text; aligned spans are connected, unaligned ones are dashed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil
from typing import Literal

from caesura.display.cells import cell_width, clean, clip, name_column
from caesura.display.plot import time_labels
from caesura.display.scene import Axis, DiagonalLine, Name, Scene, ScenePicture, SegmentBar, Shape

#: Start, end and label of a span; and rows of aligned spans, by index per coder, None for no span.
SpanBox = tuple[float, float, str | None]
Links = tuple[tuple[int | None, ...], ...]
Stroke = Literal["heavy", "plain", "broken"]

_BETWEEN = 2  # rows of connecting lines between two coders
_LINES = 12  # lines drawn at most
_LEAST = 5  # cells per span, on average


@dataclass(frozen=True)
class SpanLanes(ScenePicture):
    """Labelled bars in lanes, grouped by coder; ``links`` are rows of aligned spans.

    A heavy bar is a span that all coders share with the same position and label; a dashed bar has no counterpart.
    """

    heading: str
    coders: tuple[str, ...]
    spans: tuple[tuple[SpanBox, ...], ...]
    links: Links
    length: float
    note: str = ""
    rtl: bool = False

    @property
    def title(self) -> str:
        """The text and the coders."""
        return f"spans of {clean(self.heading) or 'a text'} by {', '.join(map(clean, self.coders))}"

    @property
    def description(self) -> str:
        """The spans of each coder in words, for screen readers."""
        listed = [
            f"{clean(name)}: {', '.join(_spell(span) for span in own[:60]) or 'nothing'}"
            for name, own in zip(self.coders, self.spans, strict=True)
        ]
        return (". ".join(listed) + ".")[:4000]

    @cached_property
    def _lane_of(self) -> list[list[int]]:
        """The lane of every span, so that spans in one lane do not overlap."""
        lanes = []
        for own in self.spans:
            free: list[float] = []
            places = []
            for start, end, _ in own:
                lane = next((i for i, taken in enumerate(free) if taken <= start), len(free))
                free[lane : lane + 1] = [end]
                places.append(lane)
            lanes.append(places)
        return lanes

    @cached_property
    def _tops(self) -> list[int]:
        """The first row of every coder's lanes; row 0 is the axis."""
        tops, row = [], 1
        for places in self._lane_of:
            tops.append(row)
            row += max(places, default=0) + 1 + _BETWEEN
        return [*tops, row]

    @cached_property
    def _together(self) -> dict[tuple[int, int], tuple[int | None, ...]]:
        return {(who, i): row for row in self.links for who, i in enumerate(row) if i is not None}

    def scene(self, width: int, *, fine: bool) -> Scene:
        """Lay out the text in as many lines as the labels need."""
        margin = name_column(self.coders, width, fine=fine) + 2
        available = max(12, width - margin)
        lines = self._lines(available)
        left_out = len(lines) - _LINES
        rows = self._tops[-1] - _BETWEEN
        between = {row for top in self._tops[1:-1] for row in range(top - _BETWEEN, top)}
        more = ((f"… drawn up to {lines[_LINES - 1][1]:g}", "faint"),) if left_out > 0 else ()
        return Scene(
            title=self.title,
            description=self.description,
            heading=" · ".join(filter(None, (clean(self.heading), self.note))),
            key=self._key,
            width=width,
            margin=margin,
            rows=tuple(0.9 if row in between or not row else 1.3 for row in range(rows)),
            blocks=tuple(tuple(self._block(*line, available)) for line in lines[:_LINES]),
            direction="rtl" if self.rtl else "ltr",
            notes=more,
        )

    @property
    def _key(self) -> str:
        if len(self.coders) < 2:
            return ""
        strokes = {self._stroke(who, i) for who, own in enumerate(self.spans) for i in range(len(own))}
        words = {"heavy": "━━━ all alike", "plain": "─── joined", "broken": "┄┄┄ alone"}
        return " · ".join(label for stroke, label in words.items() if stroke in strokes)

    def _lines(self, available: int) -> list[tuple[float, float]]:
        """Divide the text into lines with enough space for labels, preferably between spans."""
        most = max(map(len, self.spans), default=0)
        number = max(1, ceil(_LEAST * most / available))
        edges = [0.0]
        for k in range(1, number):
            target = self.length * k / number
            reach = self.length / number / 3
            gaps = [p for own in self.spans for _, p, _ in own if abs(p - target) < reach and self._is_clear(p)]
            edges.append(min(gaps, key=lambda p: abs(p - target), default=target))
        return list(pairwise([*edges, float(self.length)]))

    def _is_clear(self, place: float) -> bool:
        return not any(start < place < end for own in self.spans for start, end, _ in own)

    def _block(self, low: float, high: float, available: int) -> Iterator[Shape]:
        scale = available / max(high - low, 1e-12)
        numbers = time_labels(low, high, max(2, available // 12))
        placed = [(min((at - low) * scale, available - len(words)), words) for at, words in numbers]
        yield Axis(0, numbers=tuple((x, words) for x, words in placed))

        def box(span: SpanBox) -> tuple[float, float] | None:
            start, end = max(span[0], low), min(span[1], high)
            return ((start - low) * scale, (end - start) * scale) if start < end else None

        for row in self.links:
            members = [(who, i) for who, i in enumerate(row) if i is not None]
            for (upper, i), (lower, j) in pairwise(members):
                above, below = box(self.spans[upper][i]), box(self.spans[lower][j])
                if above is not None and below is not None:
                    yield self._edge((upper, i), (lower, j), above, below)
        for who, own in enumerate(self.spans):
            yield Name(self._tops[who], words=clean(self.coders[who]), role="strong")
            for i, span in enumerate(own):
                if (where := box(span)) is not None:
                    yield self._bar(who, i, where)

    def _edge(
        self, upper: tuple[int, int], lower: tuple[int, int], above: tuple[float, float], below: tuple[float, float]
    ) -> DiagonalLine:
        first = self._tops[upper[0]] + self._lane_of[upper[0]][upper[1]] + 1
        rows = self._tops[lower[0]] + self._lane_of[lower[0]][lower[1]] - first
        tip = f"{self._say(*upper)} – {self._say(*lower)}"
        return DiagonalLine(first, role=self._role(*upper), tip=tip, rows=rows, above=above, below=below, weight=0.5)

    def _bar(self, who: int, i: int, where: tuple[float, float]) -> SegmentBar:
        words = clean(self.spans[who][i][2] or "")
        if cell_width(words) + 2 > where[1]:
            words = clip(words, int(where[1]) - 4) if where[1] >= 6 else ""
        row = self._tops[who] + self._lane_of[who][i]
        alone = " (alone)" if self._stroke(who, i) == "broken" else ""
        return SegmentBar(
            row, *where, words, self._role(who, i), self._say(who, i) + alone, stroke=self._stroke(who, i)
        )

    def _mates(self, who: int, i: int) -> list[SpanBox]:
        row = self._together.get((who, i), ())
        return [self.spans[other][j] for other, j in enumerate(row) if j is not None and other != who]

    def _stroke(self, who: int, i: int) -> Stroke:
        mates = self._mates(who, i)
        if not mates and len(self.coders) > 1:
            return "broken"
        same = len(mates) == len(self.coders) - 1 and all(mate == self.spans[who][i] for mate in mates)
        return "heavy" if same and mates else "plain"

    def _role(self, who: int, i: int) -> str:
        mates, own = self._mates(who, i), self.spans[who][i]
        if not mates:
            return "miss" if len(self.coders) > 1 else "ink"
        if any(mate[2] != own[2] for mate in mates):
            return "substitution"
        return "match" if all(mate[:2] == own[:2] for mate in mates) else "near"

    def _say(self, who: int, i: int) -> str:
        return f"{clean(self.coders[who])} {_spell(self.spans[who][i])}"


def links_of(rows: Sequence[Sequence[int]]) -> Links:
    """Convert rows of indices, in which -1 means no span, to links."""
    return tuple(tuple(None if i < 0 else int(i) for i in row) for row in rows)


def _spell(span: SpanBox) -> str:
    start, end, label = span
    return f"{start:g}–{end:g}" + (f" {clean(label)}" if label else "")
