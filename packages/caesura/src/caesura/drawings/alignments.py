"""Alignments of segments, drawn as in Ocampo Diaz and Ouyang (2022): two rows of bars with edges between them.

Groups of connected segments are never split between lines; long texts take several lines. In terminals, edges are drawn with
Braille dots.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from caesura.display.cells import clean, max_cell_width
from caesura.display.scene import DiagonalLine, Name, Picture, Scene, ScenePicture, SegmentBar, Shape
from caesura.display.table import format_cell
from caesura.drawings.segmentations import annotated_tracks
from caesura.errors import CaesuraError
from caesura.metrics.alignment import (
    Alignment,
    AlignmentEdge,
    AlignmentGroup,
    Segment,
    SegmentSimilarity,
    align_segments,
)
from caesura.model import Corpus, Segmentation, SegmentationLike

_NAME = 16  # the maximal width of a coder's name
_TALL = 3  # rows between the bars in a terminal
_LINES = 24  # lines drawn at most
_SAID = 30  # groups described below the drawing
_SIGNS = {"matched": "match", "shifted softly": "near", "shifted hard": "miss", "alone": "miss"}


def align(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    *,
    names: tuple[str, str] = ("reference", "hypothesis"),
    **options: Any,
) -> AlignedSegments:
    """Align the segments of two annotations.

    Parameters
    ----------
    reference, hypothesis : Segmentation or similar
        The annotations.
    names : tuple of str, default ("reference", "hypothesis")
        Their names in the drawing.
    **options
        Parameters of :class:`~caesura.metrics.alignment.SegmentAlignment`.

    Returns
    -------
    AlignedSegments
        The edges, a description of each change, and a drawing.

    Examples
    --------
    >>> print(align([2, 2, 5, 5], [2, 2, 4, 6]))
    A 0.908
    reference   ┃───1───┃───2───┃─────────3─────────┃─────────4─────────┃
                    ⡇       ⡇            ⢀⠇                  ⢀⠇
                    ⡇       ⡇            ⡜                   ⡜
                    ⡇       ⡇           ⢰⠁                  ⢰⠁
    hypothesis  ┃───1───┃───2───┃───────3───────┃───────────4───────────┃
    reference 3 ~ hypothesis 3: shifted softly (0.800), ends 1 earlier
    reference 4 ~ hypothesis 4: shifted softly (0.833), begins 1 earlier
    2 matched
    """
    return AlignedSegments(align_segments(reference, hypothesis, **options), names)


def draw_alignment(
    corpus: Corpus,
    *,
    closeness: SegmentSimilarity = "intersect",
    weight: SegmentSimilarity = "jaccard",
    ties: Literal["leftmost", "rightmost", "both"] = "leftmost",
    threshold: float = 0.0,
    alignment: Literal["mla", "global"] = "mla",
    typed: bool = False,
) -> Picture:
    """Draw how the segments of two coders of one item align."""
    coded = [(a.coder, a.marks) for a in corpus if isinstance(a.marks, Segmentation)]
    tracks = {a.track for a in corpus}
    if len(tracks) != 1 or len(coded) != 2:
        raise CaesuraError(f"an alignment joins two coders of one track; this item has {len(coded)} on {len(tracks)}.")
    (reference, reference_marks), (hypothesis, hypothesis_marks) = coded
    aligned = align_segments(
        reference_marks, hypothesis_marks, closeness=closeness, weight=weight, ties=ties, threshold=threshold,
        alignment=alignment, typed=typed,
    )  # fmt: skip
    return AlignedSegments(aligned, (reference, hypothesis), corpus.items[0], rtl=annotated_tracks(corpus)[0].rtl)


@dataclass(frozen=True, eq=False)
class AlignedSegments(ScenePicture):
    """An alignment with a drawing.

    Parameters
    ----------
    alignment : Alignment
        The alignment.
    names : tuple of str, default ("reference", "hypothesis")
        The names of the two annotations.
    item : str, default ""
        The item.
    rtl : bool, default False
        Whether the text runs from right to left.
    """

    alignment: Alignment
    names: tuple[str, str] = ("reference", "hypothesis")
    item: str = ""
    rtl: bool = False

    @property
    def edges(self) -> tuple[AlignmentEdge, ...]:
        """The edges, from left to right."""
        return self.alignment.edges

    @property
    def groups(self) -> tuple[AlignmentGroup, ...]:
        """The groups of aligned segments, from left to right."""
        return self.alignment.groups

    @property
    def score(self) -> float:
        """The value of the metric."""
        return self.alignment.score

    @property
    def counts(self) -> dict[Any, int]:
        """The number of groups of each kind."""
        return dict(self.alignment.counts)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return self.alignment.as_dict()

    @property
    def title(self) -> str:
        """The item, the coders and the score."""
        of = f"{clean(self.item)}: " if self.item else ""
        return f"{of}how the segments of {clean(self.names[0])} and {clean(self.names[1])} align, A {format_cell(self.score)}"

    # ------------------------------------------------------------------ layout

    @cached_property
    def _heading(self) -> str:
        return (f"{clean(self.item)} · " if self.item else "") + f"A {format_cell(self.score)}"

    def _lines(self, available: int) -> list[_Line]:
        """Pack the groups into lines of at most ``available`` cells; a wider group is scaled down."""
        length = float(self.alignment.reference.length)
        most = max(map(len, self.alignment.segments), default=1) or 1
        timed = self.alignment.reference.timed
        fitting = (available - 1) / length if length else 1.0
        scale = fitting if timed else min(4.0, float(int(fitting)))
        if scale * length < 6 * most and length:  # too narrow: use several lines
            scale = (
                6 * most / length if timed or 6 * most < length else max(1.0, min(4.0, float(6 * most // int(length))))
            )
        lines: list[_Line] = []
        held: list[AlignmentGroup] = []
        for group in self.groups:
            if held and self._extent([*held, group])[1] * scale + 1 > available:
                lines.append(self._line(held, scale, available))
                held = []
            held.append(group)
        return [*lines, self._line(held, scale, available)] if held else lines

    def _extent(self, groups: Sequence[AlignmentGroup]) -> tuple[float, float]:
        reference, hypothesis = self.alignment.segments
        segments = [reference[i] for g in groups for i in g.reference] + [
            hypothesis[j] for g in groups for j in g.hypothesis
        ]
        start = min(s.start for s in segments)
        return start, max(s.stop for s in segments) - start

    def _line(self, groups: list[AlignmentGroup], scale: float, available: int) -> _Line:
        start, size = self._extent(groups)
        return _Line(tuple(groups), start, min(scale, (available - 1) / size))

    def scene(self, width: int, *, fine: bool) -> Scene:
        """Lay out two rows of bars per line with edges between them; terminals also describe the changes."""
        margin = max_cell_width(self.names, _NAME) + 2
        lines = self._lines(max(12, width - margin))
        key = "lines as wide as the weight of the edge · dashed: only one of the two segments chose the other"
        return Scene(
            title=self.title,
            description=". ".join(self._put_names(g.sentence) for g in self.groups[:200])[:4000],
            heading=self._heading,
            key=key if fine else "",
            width=width,
            margin=margin,
            rows=(1.3, *(2.9 / _TALL,) * _TALL, 1.3),
            blocks=tuple(tuple(self._block(line)) for line in lines[:_LINES]),
            direction="rtl" if self.rtl else "ltr",
            notes=tuple(self._words(shown=len(lines) <= _LINES)),
        )

    def _block(self, line: _Line) -> Iterator[Shape]:
        for side, role, row in ((0, "reference", 0), (1, "hypothesis", _TALL + 1)):
            yield Name(row, words=self.names[side])
            for number, segment in line.segments(self.alignment, side):
                tip = f"{self.names[side]} {number + 1}: {segment.start:g}–{segment.stop:g}"
                yield SegmentBar(row, *line.box(segment), str(number + 1), role, tip, stroke="shared")
        edges = [(edge, line.box(above), line.box(below)) for edge, above, below in line.edges(self.alignment)]
        for i, (edge, above, below) in enumerate(edges):
            tip = f"{self.names[0]} {edge.reference + 1} – {self.names[1]} {edge.hypothesis + 1}: {format_cell(edge.weight)}"
            note = _free_share(i, [(a[0] + a[1] / 2, b[0] + b[1] / 2) for _, a, b in edges])
            yield DiagonalLine(
                1, role=_role(edge), tip=tip, rows=_TALL, above=above, below=below,
                weight=edge.weight, broken=edge.chosen_by != "both", note=note,
            )  # fmt: skip

    def _words(self, *, shown: bool) -> list[tuple[str, str]]:
        """Describe the changes in sentences; matches are only counted."""
        changes = [g for g in self.groups if g.reading != "matched"]
        words = [(self._put_names(g.sentence), _SIGNS.get(g.reading, "substitution")) for g in changes[:_SAID]]
        counts = {k: n for k, n in self.counts.items() if k == "matched" or len(changes) > _SAID or not shown}
        if len(changes) > _SAID:
            words.append((f"… and {len(changes) - _SAID} more", "faint"))
        if counts:
            words.append((", ".join(f"{n} {kind}" for kind, n in counts.items()), "match"))
        return words if shown else [(f"… drawn up to line {_LINES}", "faint"), *words]

    def _put_names(self, sentence: str) -> str:
        return sentence.replace("reference", clean(self.names[0]), 1).replace("hypothesis", clean(self.names[1]), 1)


@dataclass(frozen=True)
class _Line:
    """The groups on one line, its start in the text and the number of cells per unit."""

    groups: tuple[AlignmentGroup, ...]
    start: float
    scale: float

    def box(self, segment: Segment) -> tuple[float, float]:
        start = (segment.start - self.start) * self.scale
        return start, (segment.stop - self.start) * self.scale - start

    def segments(self, alignment: Alignment, side: int) -> list[tuple[int, Segment]]:
        held = [i for g in self.groups for i in (g.reference, g.hypothesis)[side]]
        return [(i, alignment.segments[side][i]) for i in sorted(held)]

    def edges(self, alignment: Alignment) -> list[tuple[AlignmentEdge, Segment, Segment]]:
        reference, hypothesis = alignment.segments
        return [(e, reference[e.reference], hypothesis[e.hypothesis]) for g in self.groups for e in g.edges]


def _free_share(mine: int, ends: Sequence[tuple[float, float]]) -> float | None:
    """Where along an edge, as a share of its length, its weight can be written without overlapping other edges; None if nowhere."""
    for share in (0.5, 0.3, 0.7):
        here = [above + (below - above) * share for above, below in ends]
        if all(abs(here[mine] - other) > 4.4 for i, other in enumerate(here) if i != mine):
            return share
    return None


def _role(edge: AlignmentEdge) -> str:
    return "match" if edge.jaccard > 1 - 1e-9 else "near" if edge.jaccard > 0.5 else "miss"
