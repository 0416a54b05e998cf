"""An alignment of segments, drawn as in the paper of Ocampo Diaz and Ouyang (2022): two bars, and the edges between them.

The groups that edges join are laid out along lines and never broken; long texts take several lines. Edges are straight: in the
terminal they are made of Braille dots, so that any slope goes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from caesura.display.cells import Canvas
from caesura.display.scene import Picture
from caesura.display.svg import CELL, LINE, Svg
from caesura.display.writing import Bidi, choose_bidi, clean, clip, pad, widest
from caesura.drawings.streams import streams
from caesura.errors import CaesuraError
from caesura.metrics.aligned import Alignment, Edge, Group, align_segments
from caesura.metrics.alignment import Likeness, Segment
from caesura.model import Corpus, Segmentation, SegmentationLike

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["AlignedSegments", "align", "draw_alignment"]

_NAME = 16  # cells that a coder's name may take
_TALL = 3  # rows of the terminal between the bars
_LINES = 24  # lines of bars beyond which the rest is only counted
_SAID = 30  # groups put into words below the drawing
_SIGNS = {"matched": "match", "shifted softly": "near", "shifted hard": "miss", "alone": "miss"}


def align(
    ref: SegmentationLike,
    hyp: SegmentationLike,
    *,
    names: tuple[str, str] = ("reference", "hypothesis"),
    **options: Any,
) -> AlignedSegments:
    """Align the segments of two annotations: the edges, how they read, and a drawing of both.

    Options are the parameters of :class:`~caesura.metrics.alignment.A`.

    Examples
    --------
    >>> print(align([2, 2, 5, 5], [2, 2, 4, 6]))
    A 0.9083
    reference   ┃───1───┃───2───┃─────────3─────────┃─────────4─────────┃
                    ⡇       ⡇            ⢀⠇                  ⢀⠇
                    ⡇       ⡇            ⡜                   ⡜
                    ⡇       ⡇           ⢰⠁                  ⢰⠁
    hypothesis  ┃───1───┃───2───┃───────3───────┃───────────4───────────┃
    reference 3 ~ hypothesis 3: shifted softly (0.80), ends 1 earlier
    reference 4 ~ hypothesis 4: shifted softly (0.83), begins 1 earlier
    2 matched
    """
    return AlignedSegments(align_segments(ref, hyp, **options), names)


def draw_alignment(
    corpus: Corpus,
    *,
    closeness: Likeness = "intersect",
    weight: Likeness = "jaccard",
    ties: Literal["leftmost", "rightmost", "both"] = "leftmost",
    threshold: float = 0.0,
    alignment: Literal["mla", "global"] = "mla",
    typed: bool = False,
) -> Picture:
    """Draw how the segments of two coders of one item align."""
    coded = [(a.coder, a.marks) for a in corpus if isinstance(a.marks, Segmentation)]
    tracks = {a.track for a in corpus}
    if len(tracks) != 1 or len(coded) != 2:
        raise CaesuraError(f"an alignment joins two coders of one track; here are {len(coded)} on {len(tracks)}.")
    (one, ours), (two, theirs) = coded
    found = align_segments(
        ours, theirs, closeness=closeness, weight=weight, ties=ties, threshold=threshold,
        alignment=alignment, typed=typed,
    )  # fmt: skip
    return AlignedSegments(found, (one, two), corpus.items[0], rtl=streams(corpus)[0].rtl)


@dataclass(frozen=True, eq=False)
class AlignedSegments(Picture):
    """An alignment that draws itself; ``edges``, ``groups``, ``score`` and ``counts`` are those of the alignment."""

    alignment: Alignment
    names: tuple[str, str] = ("reference", "hypothesis")
    item: str = ""
    rtl: bool = False

    @property
    def edges(self) -> tuple[Edge, ...]:
        """The edges, left to right."""
        return self.alignment.edges

    @property
    def groups(self) -> tuple[Group, ...]:
        """What happened, left to right."""
        return self.alignment.groups

    @property
    def score(self) -> float:
        """What the metric gives."""
        return self.alignment.score

    @property
    def counts(self) -> dict[Any, int]:
        """How many groups there are of each kind."""
        return dict(self.alignment.counts)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return self.alignment.as_dict()

    @property
    def title(self) -> str:
        """The item, the coders, the score."""
        of = f"{clean(self.item)}: " if self.item else ""
        return f"{of}how the segments of {clean(self.names[0])} and {clean(self.names[1])} align, A {self.score:.4f}"

    # ------------------------------------------------------------------ where everything goes

    @cached_property
    def _heading(self) -> str:
        return (f"{clean(self.item)} · " if self.item else "") + f"A {self.score:.4f}"

    def _margin(self) -> int:
        return widest(self.names, _NAME) + 2

    def _lines(self, room: int) -> list[_Line]:
        """Pack the groups into lines of at most ``room`` cells; a group wider than that has a scale of its own."""
        length = float(self.alignment.reference.length)
        most = max(map(len, self.alignment.segments), default=1) or 1
        timed = self.alignment.reference.timed
        fitting = (room - 1) / length if length else 1.0
        scale = fitting if timed else min(4.0, float(int(fitting)))
        if scale * length < 6 * most and length:  # too narrow to see: take several lines
            scale = (
                6 * most / length if timed or 6 * most < length else max(1.0, min(4.0, float(6 * most // int(length))))
            )
        lines: list[_Line] = []
        held: list[Group] = []
        for group in self.groups:
            if held and self._extent([*held, group])[1] * scale + 1 > room:
                lines.append(self._line(held, scale, room))
                held = []
            held.append(group)
        return [*lines, self._line(held, scale, room)] if held else lines

    def _extent(self, groups: Sequence[Group]) -> tuple[float, float]:
        one, two = self.alignment.segments
        ours = [one[i] for g in groups for i in g.reference] + [two[j] for g in groups for j in g.hypothesis]
        start = min(s.start for s in ours)
        return start, max(s.stop for s in ours) - start

    def _line(self, groups: list[Group], scale: float, room: int) -> _Line:
        start, size = self._extent(groups)
        return _Line(tuple(groups), start, min(scale, (room - 1) / size))

    # ------------------------------------------------------------------ in a terminal

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw bars and edges, and put what is not matched into words."""
        canvas, turned, margin = Canvas(), choose_bidi(bidi), self._margin()
        canvas.put(0, 0, clip(self._heading, width), "strong", bidi=turned)
        lines = self._lines(max(12, width - margin))
        for line in lines[:_LINES]:
            top = canvas.height
            for side, row in ((0, top), (1, top + _TALL + 1)):
                canvas.put(row, 0, pad(clean(self.names[side]), margin - 2), "faint", bidi=turned)
                for number, segment in line.segments(self.alignment, side):
                    _terminal_bar(canvas, row, margin, line.at(segment.start), line.at(segment.stop), number + 1)
            dots = _Dots(_TALL)
            for edge, one, two in line.edges(self.alignment):
                dots.line(line.middle(one), line.middle(two), _role(edge))
            dots.onto(canvas, top + 1, margin)
            if line is not lines[-1]:
                canvas.put(canvas.height, 0, "")
        for said, role in self._words(shown=len(lines) <= _LINES):
            canvas.put(canvas.height, 0, clip(said, width), role)
        return canvas.text()

    def _words(self, *, shown: bool) -> list[tuple[str, str]]:
        """What happened in sentences, the matches only counted."""
        told = [g for g in self.groups if g.reading != "matched"]
        said = [(self._named(g.sentence), _SIGNS.get(g.reading, "substitution")) for g in told[:_SAID]]
        counts = {k: n for k, n in self.counts.items() if k == "matched" or len(told) > _SAID or not shown}
        if len(told) > _SAID:
            said.append((f"… and {len(told) - _SAID} more", "faint"))
        if counts:
            said.append((", ".join(f"{n} {kind}" for kind, n in counts.items()), "match"))
        return said if shown else [(f"… drawn up to line {_LINES}", "faint"), *said]

    def _named(self, sentence: str) -> str:
        return sentence.replace("reference", clean(self.names[0]), 1).replace("hypothesis", clean(self.names[1]), 1)

    # ------------------------------------------------------------------ as SVG

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw the same with blocks and lines, as wide as their weight, the weight beside them."""
        margin = self._margin()
        lines = self._lines(max(12, width - margin))[:_LINES]
        block, top, below = LINE * 7, LINE * 1.6, LINE * 1.2
        words = ". ".join(self._named(g.sentence) for g in self.groups[:200])
        picture = Svg(
            width * CELL + 16, top + block * len(lines) + below, title=self.title, description=words[:4000], style=style
        )
        picture.text(8, LINE, self._heading, weight="bold")
        for number, line in enumerate(lines):
            with picture.group(transform=f"translate(8 {top + number * block:g})"):
                self._svg_line(picture, line, margin, max(12, width - margin) * CELL)
        key = "lines as wide as the weight of the edge · dashed: only one of the two segments chose the other"
        picture.text(8, picture.height - LINE * 0.5, key, "faint", size=12)
        return picture.render()

    def _svg_line(self, picture: Svg, line: _Line, margin: int, room: float) -> None:
        tall = LINE * 1.3
        tops = (LINE * 0.4, LINE * 4.6)

        def x(position: float) -> float:
            along = CELL * (position - line.start) * line.scale
            return CELL * margin + (room - along if self.rtl else along)  # texts from right to left begin at the right

        for side, role in ((0, "reference"), (1, "hypothesis")):
            picture.text(
                0, tops[side] + tall * 0.68, clip(clean(self.names[side]), margin - 2), "faint", size=13, rtl=False
            )
            for number, segment in line.segments(self.alignment, side):
                left, right = sorted((x(segment.start), x(segment.stop)))
                wide = right - left
                tip = f"{self.names[side]} {number + 1}: {segment.start:g}–{segment.stop:g}"
                picture.rect(left + 1, tops[side], max(wide - 2, 0.5), tall, "band", outline=role, round=3, tip=tip)
                if wide > 9 * len(str(number + 1)):
                    picture.text(left + wide / 2, tops[side] + tall * 0.68, str(number + 1), anchor="middle", size=12)
        for edge, one, two in line.edges(self.alignment):
            a, b = x((one.start + one.stop) / 2), x((two.start + two.stop) / 2)
            tip = f"{self.names[0]} {edge.reference + 1} – {self.names[1]} {edge.hypothesis + 1}: {edge.weight:.4f}"
            picture.line(
                a, tops[0] + tall, b, tops[1], _role(edge), width=1 + 4 * edge.weight,
                dash="" if edge.chosen_by == "both" else "6 4", tip=tip,
            )  # fmt: skip
        self._svg_weights(picture, line, x, (tops[0] + tall, tops[1]))

    def _svg_weights(self, picture: Svg, line: _Line, x: Callable[[float], float], ys: tuple[float, float]) -> None:
        """Write the weights onto the edges, each at the height where no other edge comes near; else it is left to the tip."""
        ends = [
            (x((one.start + one.stop) / 2), x((two.start + two.stop) / 2)) for _, one, two in line.edges(self.alignment)
        ]
        for mine, (edge, _, _) in enumerate(line.edges(self.alignment)):
            for share in (0.5, 0.3, 0.7):
                here = [a + (b - a) * share for a, b in ends]
                if all(abs(here[mine] - other) > 30 for k, other in enumerate(here) if k != mine):
                    y = ys[0] + (ys[1] - ys[0]) * share
                    picture.rect(here[mine] - 15, y - 8, 30, 15, "paper")
                    picture.text(here[mine], y + 4, f"{edge.weight:.2f}", anchor="middle", size=11)
                    break


@dataclass(frozen=True)
class _Line:
    """Groups on one line: where it starts in the text, and how many cells a unit takes."""

    groups: tuple[Group, ...]
    start: float
    scale: float

    def at(self, position: float) -> int:
        return round((position - self.start) * self.scale)

    def middle(self, segment: Segment) -> float:
        return (self.at(segment.start) + self.at(segment.stop)) / 2

    def segments(self, alignment: Alignment, side: int) -> list[tuple[int, Segment]]:
        held = [i for g in self.groups for i in (g.reference, g.hypothesis)[side]]
        return [(i, alignment.segments[side][i]) for i in sorted(held)]

    def edges(self, alignment: Alignment) -> list[tuple[Edge, Segment, Segment]]:
        one, two = alignment.segments
        return [(e, one[e.reference], two[e.hypothesis]) for g in self.groups for e in g.edges]


class _Dots:
    """Straight lines in Braille: two by four dots a cell; a cell shared by two roles takes the later one."""

    _BITS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self._cells: dict[tuple[int, int], tuple[int, str]] = {}

    def line(self, top: float, bottom: float, role: str) -> None:
        """Join column ``top`` of the upper edge to column ``bottom`` of the lower one; columns in cells, middles in .5."""
        steps = self.rows * 4
        wide = abs(bottom - top) * 2
        points = max(steps, int(wide) + 1)
        for point in range(points):
            share = (point + 0.5) / points
            column = round((top + (bottom - top) * share) * 2 + 0.5)
            self._dot(int(share * steps), column, role)

    def _dot(self, row: int, column: int, role: str) -> None:
        cell = row // 4, column // 2
        self._cells[cell] = self._cells.get(cell, (0, ""))[0] | self._BITS[column % 2][row % 4], role

    def onto(self, canvas: Canvas, top: int, left: int) -> None:
        """Put the dots onto a canvas."""
        for row in range(self.rows):
            canvas.put(top + row, 0, "")
        for (row, column), (bits, role) in self._cells.items():
            canvas.put(top + row, left + column, chr(0x2800 + bits), role)


def _terminal_bar(canvas: Canvas, row: int, margin: int, start: int, stop: int, number: int) -> None:
    canvas.fill(row, margin + start + 1, margin + stop, "─", "grid")
    canvas.put(row, margin + start, "┃")
    canvas.put(row, margin + stop, "┃")
    label = str(number)
    if len(label) < stop - start:
        canvas.put(row, margin + start + (stop - start + 1 - len(label)) // 2, label, "strong")


def _role(edge: Edge) -> str:
    return "match" if edge.jaccard > 1 - 1e-9 else "near" if edge.jaccard > 0.5 else "miss"
