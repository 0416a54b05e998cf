"""Boundary edits under the text: what two coders share, nearly share, take for each other, and have alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from caesura.display.cells import Canvas
from caesura.display.scene import Picture
from caesura.display.svg import CELL, LINE, Svg
from caesura.drawings.layout import Line
from caesura.drawings.segmentations import Along, Zoom, draw_stream
from caesura.drawings.stacks import stack
from caesura.drawings.streams import GLYPHS, Place, Stream, Verdict, streams
from caesura.errors import CaesuraError
from caesura.metrics.edits import Edit, boundary_edits
from caesura.model import Corpus

__all__ = ["EditStream", "draw_edits"]

#: Each kind of edit by the verdict whose sign and colour it takes, the gravest first: a place shows the gravest it has.
_VERDICTS: dict[str, Verdict] = {
    "addition": "some",
    "substitution": "types",
    "transposition": "near",
    "match": "all",
}
_WORDS: dict[str, tuple[str, str]] = {
    "match": ("match", "matches"),
    "transposition": ("near miss", "near misses"),
    "substitution": ("substitution", "substitutions"),
    "addition": ("addition", "additions"),
}


def draw_edits(corpus: Corpus, *, n_t: Any = 2, matching: Any = "published", zoom: Zoom = "auto") -> Picture:
    """Draw two coders with the boundary edits between them; the first coder is the reference."""
    try:
        reach = int(n_t)
    except (TypeError, ValueError):
        raise CaesuraError(f"n_t is {n_t!r}; expected a whole number of positions, 1 or more.") from None
    parts = []
    for s in streams(corpus):
        if len(s.coders) != 2:
            raise CaesuraError(f"edits are drawn between two coders; {s.heading or 'the text'} has {len(s.coders)}.")
        edits = tuple(boundary_edits(s.marks[0], s.marks[1], reach, matching))
        parts.append(draw_stream(EditStream(s.item, s.track, s.coders, s.marks, edits), zoom, along=EditsAlong))
    return stack(parts)


@dataclass(frozen=True)
class EditStream(Stream):
    """A track of two coders whose places are judged by the edits there."""

    edits: tuple[Edit, ...] = ()

    @cached_property
    def places(self) -> list[Place]:
        """Every position that somebody marked, with the gravest edit there."""
        found: dict[float, Verdict] = {}
        for kind, verdict in _VERDICTS.items():
            for edit in self.edits:
                if edit.kind == kind:
                    for position in (edit.reference, edit.hypothesis):
                        if position is not None:
                            found.setdefault(position, verdict)
        plain = Stream(self.item, self.track, self.coders, self.marks).places
        return [Place(p.position, p.labels, found.get(p.position, p.verdict)) for p in plain]

    @property
    def row(self) -> str:
        """What the row under the coders shows."""
        return "edits"

    @property
    def key(self) -> str:
        """Count the edits, each beside its sign."""
        said = []
        for kind, (one, many) in _WORDS.items():
            number = sum(edit.kind == kind for edit in self.edits)
            if number:
                said.append(f"{GLYPHS[_VERDICTS[kind]]} {number} {one if number == 1 else many}")
        return " · ".join([*(said or ["no boundary on either side"]), *self.legend])


@dataclass(frozen=True)
class EditsAlong(Along):
    """Along lines, with a stroke between the two ends of a near miss."""

    def _agreement_row(self, canvas: Canvas, line: Line, margin: int, room: int, places: dict[int, Place]) -> None:
        assert isinstance(self.stream, EditStream)
        gaps = dict(zip(range(line.first, line.last + 1), line.gaps, strict=True))
        row = canvas.height
        canvas.put(row, 0, "")
        for edit in self.stream.edits:
            if edit.reference is None or edit.hypothesis is None or edit.kind != "transposition":
                continue
            ends = sorted(gaps[p] for p in (edit.reference, edit.hypothesis) if p in gaps)
            if len(ends) == 2:
                at = sorted(margin + line.column(cell, 1, rtl=self.stream.rtl, room=room) for cell in ends)
                canvas.fill(row, at[0] + 1, at[1], "╌", "near")
        self._signs(canvas, row, line, margin, room, places)

    def _svg_line(self, picture: Svg, line: Line, margin: int, room: int, places: dict[int, Place]) -> None:
        super()._svg_line(picture, line, margin, room, places)
        assert isinstance(self.stream, EditStream)
        gaps = dict(zip(range(line.first, line.last + 1), zip(line.gaps, line.gap_widths, strict=True), strict=True))
        y = LINE * (len(self.stream.coders) + 1.5)
        for edit in self.stream.edits:
            if edit.kind != "transposition" or edit.reference not in gaps or edit.hypothesis not in gaps:
                continue
            ends = []
            for position in (edit.reference, edit.hypothesis):
                gap, wide = gaps[position]
                cell = room - gap - wide if self.stream.rtl else gap
                ends.append(CELL * (margin + cell + wide / 2))
            picture.line(
                min(ends) + 7, y, max(ends) - 7, y, "near", dash="3 3",
                tip=f"near miss: {edit.reference} and {edit.hypothesis}, weight {edit.weight:g}",
            )  # fmt: skip
