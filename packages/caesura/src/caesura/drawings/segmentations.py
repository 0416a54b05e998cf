"""Segmentations of several coders: the text once, one row per coder, and a row that shows agreement.

Texts of short units (words, tokens) run in wrapped lines; texts of long units (sentences, paragraphs) run down the page, with
a column per coder; recordings run along time; very long texts are shown as boundary density.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

from caesura.display.cells import WrappedLine, cell_width, clean, clip, is_rtl, max_cell_width, wrap_units
from caesura.display.scene import (
    Baseline,
    ColumnBoundary,
    Connector,
    Label,
    Mark,
    Marker,
    Name,
    Number,
    Picture,
    Scene,
    ScenePicture,
    Shape,
    ShapeGroup,
    Stem,
    stack,
)  # fmt: skip
from caesura.errors import CaesuraError
from caesura.metrics.boundaries import boundary_edits
from caesura.metrics.edit import Edit
from caesura.model import Corpus, Segmentation

#: The level of detail: every unit ("full"), boundary density ("density"), or whichever fits ("auto").
Zoom: TypeAlias = Literal["auto", "full", "density"]

#: Agreement at a position: all coders, more than half, a near miss, half or fewer, or all with different types.
Verdict: TypeAlias = Literal["all", "most", "near", "some", "types"]

GLYPHS: dict[Verdict, str] = {"all": "●", "most": "◐", "near": "≈", "some": "○", "types": "≠"}
ROLES: dict[Verdict, str] = {"all": "match", "most": "near", "near": "near", "some": "miss", "types": "substitution"}
WORDS: dict[Verdict, str] = {
    "all": "all agree",
    "most": "more than half",
    "near": "near miss",
    "some": "half or fewer",
    "types": "types differ",
}

#: The verdict whose symbol and colour each kind of edit takes, most severe first: a position shows its most severe edit.
VERDICTS: dict[str, Verdict] = {
    "addition": "some",
    "deletion": "some",
    "substitution": "types",
    "transposition + substitution": "near",
    "transposition": "near",
    "match": "all",
}
_WORDS: dict[str, tuple[str, str]] = {
    "match": ("match", "matches"),
    "transposition": ("near miss", "near misses"),
    "substitution": ("substitution", "substitutions"),
    "addition": ("addition", "additions"),
}

_NAME_WIDTH = 16  # the maximal width of a coder's name
_LONG = 20  # texts with longer units, on average, run down the page
_UNITS, _CELLS = 200, 6000  # "auto" switches to density beyond so many long units, or cells


def draw_segmentations(corpus: Corpus, *, zoom: Zoom = "auto") -> Picture:
    """Draw all coders' boundaries on every track of the corpus, with agreement."""
    return stack([draw_track(annotated, zoom) for annotated in annotated_tracks(corpus)])


def draw_edits(corpus: Corpus, *, n_t: Any = 2, matching: Any = "published", zoom: Zoom = "auto") -> Picture:
    """Draw two coders and the boundary edits between them; the first coder is the reference."""
    try:
        reach = int(n_t)
    except (TypeError, ValueError):
        raise CaesuraError(f"n_t is {n_t!r}; expected a whole number of positions, 1 or more.") from None
    judged = edited_tracks(corpus, lambda reference, hypothesis: boundary_edits(reference, hypothesis, reach, matching))
    return stack([draw_track(annotated, zoom) for annotated in judged])


def draw_track(annotated: AnnotatedTrack, zoom: Zoom = "auto") -> Picture:
    """Draw a track in the layout that suits it."""
    from caesura.drawings.densities import Density
    from caesura.drawings.timelines import Timeline

    if zoom not in ("auto", "full", "density"):
        raise CaesuraError(f"zoom is {zoom!r}; expected auto, full or density.")

    if zoom == "density":
        return Density(annotated)
    if annotated.timed:
        crowded = sum(len(m.positions) for m in annotated.marks) / len(annotated.marks) > 400
        return Density(annotated) if zoom == "auto" and crowded else Timeline(annotated)
    widths = [cell_width(clean(unit)) for unit in annotated.units or ()]
    if widths and (max(widths) > 2 * _LONG or sum(widths) > _LONG * len(widths)):
        return Density(annotated) if zoom == "auto" and len(widths) > _UNITS else VerticalTrack(annotated)
    wide = sum(widths) + len(widths) if widths else annotated.length * (2 if annotated.length <= 240 else 1)
    return Density(annotated) if zoom == "auto" and wide > _CELLS else HorizontalTrack(annotated)


# ---------------------------------------------------------------------- annotations of one track


@dataclass(frozen=True)
class MarkedPosition:
    """A marked position, with each coder's boundary there: its type, "" for an untyped boundary, None for no boundary."""

    position: float
    labels: tuple[str | None, ...]
    verdict: Verdict

    @property
    def holders(self) -> list[int]:
        """The indices of the coders who marked it."""
        return [i for i, label in enumerate(self.labels) if label is not None]


@dataclass(frozen=True)
class AnnotatedTrack:
    """One track of one item with its text, coders and segmentations."""

    item: str
    track: str
    coders: tuple[str, ...]
    marks: tuple[Segmentation, ...]

    @property
    def length(self) -> float:
        """The length in units or seconds; for recordings the maximum, because segmenters may stop early."""
        return max(m.length for m in self.marks)

    @property
    def timed(self) -> bool:
        """Whether positions are seconds."""
        return self.marks[0].timed

    @property
    def units(self) -> tuple[str, ...] | None:
        """The text, if an annotation includes it."""
        return next((m.units for m in self.marks if m.units is not None), None)

    @cached_property
    def rtl(self) -> bool:
        """Whether most words run from right to left."""
        sample = [u for u in (self.units or ())[:200] if any(c.isalpha() for c in u)]
        return sum(map(is_rtl, sample)) * 2 > len(sample)

    @cached_property
    def short(self) -> dict[str, str]:
        """A short symbol for every type: the type itself if it takes at most two cells, else a letter (see ``legend``)."""
        named = dict.fromkeys(str(kind) for m in self.marks if m.typed for _, kind in m.marks)
        if all(cell_width(clean(name)) <= 2 for name in named):
            return {name: clean(name) for name in named}
        firsts = [clean(name)[:1] for name in named]
        letters = firsts if len(set(firsts)) == len(firsts) else [_letter(i) for i in range(len(firsts))]
        return dict(zip(named, letters, strict=True))

    @property
    def legend(self) -> list[str]:
        """The explanation of symbols that are not the types themselves."""
        return [f"{sign} {clean(name)}" for name, sign in self.short.items() if sign != clean(name)]

    @cached_property
    def places(self) -> list[MarkedPosition]:
        """The marked positions, from left to right."""
        signs: dict[float, list[str | None]] = {}
        for coder, marks in enumerate(self.marks):
            pairs = marks.marks if marks.typed else [(p, "") for p in marks.positions.tolist()]
            for position, kind in pairs:
                labels = signs.setdefault(position, [None] * len(self.marks))
                sign = self.short.get(str(kind), "")
                before = labels[coder]
                # A recording may have two boundaries at the same time; they are drawn as one.
                labels[coder] = sign if before is None or not marks.typed else before + sign
        return [MarkedPosition(p, tuple(labels), _verdict(labels)) for p, labels in sorted(signs.items())]

    @property
    def title(self) -> str:
        """The item and its coders."""
        return f"{self.heading or 'text'}: {', '.join(map(clean, self.coders))}"

    @property
    def row(self) -> str:
        """The name of the row below the coders."""
        return "agree"

    @property
    def key(self) -> str:
        """The explanation of the symbols that occur."""
        verdicts = dict.fromkeys(sorted((p.verdict for p in self.places), key=list(GLYPHS).index))
        words = {**WORDS, "some": "one of two"} if len(self.coders) == 2 else WORDS
        explained = [f"{GLYPHS[v]} {words[v]}" for v in verdicts] if len(self.coders) > 1 else []
        return " · ".join([*explained, *self.legend])

    @property
    def description(self) -> str:
        """The content in sentences, for screen readers."""
        unit = "seconds" if self.timed else "units"
        rows = []
        for name, marks in zip(self.coders, self.marks, strict=True):
            listed = ", ".join(f"{p:g}" for p in marks.positions[:60].tolist()) or "no boundary"
            more = f" and {len(marks.positions) - 60} more" if len(marks.positions) > 60 else ""
            rows.append(f"{name}: {listed}{more}.")
        return f"Boundaries in a text of {self.length:g} {unit}, by coder. {' '.join(rows)}"

    @property
    def near_misses(self) -> list[tuple[int, int, str]]:
        """Pairs of positions to be connected, with a tooltip."""
        return []

    def tip(self, place: MarkedPosition) -> str:
        """Return a tooltip that names the coders who marked a position and their agreement."""
        who = ", ".join(self.coders[i] for i in place.holders)
        return f"after {place.position:g}: {who} ({WORDS[place.verdict]})"

    @property
    def heading(self) -> str:
        """The item and the track."""
        return " · ".join(filter(None, (clean(self.item), clean(self.track))))


@dataclass(frozen=True)
class TrackPicture(Picture):
    """A picture of one track of one item."""

    annotated: AnnotatedTrack

    @property
    def title(self) -> str:
        """The item and its coders."""
        return self.annotated.title


def annotated_tracks(corpus: Corpus) -> list[AnnotatedTrack]:
    """Return every track of every item with its coders; nested segments become boundaries of all levels."""
    annotations: dict[tuple[str, str], list[tuple[str, Segmentation]]] = {}
    for item, coder, marks, track in corpus:
        flat = marks if isinstance(marks, Segmentation) else marks.boundaries()
        annotations.setdefault((item, track), []).append((coder, flat))
    order = {coder: i for i, coder in enumerate(corpus.coders)}
    tracks = []
    for (item, track), coded in annotations.items():
        coded.sort(key=lambda pair: order[pair[0]])
        tracks.append(AnnotatedTrack(item, track, tuple(c for c, _ in coded), tuple(m for _, m in coded)))
    return tracks


def _verdict(labels: list[str | None]) -> Verdict:
    held = [label for label in labels if label is not None]
    if len(held) == len(labels):
        return "all" if len(set(held)) == 1 else "types"
    return "most" if 2 * len(held) > len(labels) else "some"


def _letter(number: int) -> str:
    return chr(ord("a") + number) if number < 26 else chr(ord("A") + number % 26)


# ---------------------------------------------------------------------- in lines


@dataclass(frozen=True)
class HorizontalTrack(TrackPicture, ScenePicture):
    """A track in lines: the text or a ruler, a row per coder, and a row of agreement."""

    def scene(self, width: int, *, fine: bool) -> Scene:
        """Lay out one block per line: the text, the coders, the verdicts."""
        annotated = self.annotated
        margin = max_cell_width((*annotated.coders, annotated.row), _NAME_WIDTH) + 2
        available = max(8, width - margin)
        places = {int(place.position): place for place in annotated.places}
        links: dict[int, list[tuple[int, str]]] = {}
        for first, second, tip in annotated.near_misses:
            links.setdefault(first, []).append((second, tip))
        return Scene(
            title=self.title,
            description=annotated.description,
            heading=annotated.heading,
            key=annotated.key,
            width=width,
            margin=margin,
            rows=(1.0,) * (1 + len(annotated.coders) + (len(annotated.coders) > 1)),
            blocks=tuple(tuple(self._block(line, available, places, links)) for line in self._lines(available)),
            direction="rtl" if annotated.rtl else "ltr",
        )

    def _lines(self, available: int) -> list[WrappedLine]:
        annotated, number = self.annotated, int(self.annotated.length)
        gaps = [1] * number
        for place in annotated.places:
            gaps[int(place.position) - 1] = max(1, *(cell_width(label) for label in place.labels if label is not None))
        if annotated.units is not None:
            widths = [max(1, cell_width(clean(unit))) for unit in annotated.units]
        else:
            widths = [_ruler_width(number, available)] * number
        return wrap_units(widths, gaps, available)

    def _block(
        self,
        line: WrappedLine,
        available: int,
        places: Mapping[int, MarkedPosition],
        links: Mapping[int, list[tuple[int, str]]],
    ) -> Iterator[Shape]:
        annotated, verdicts = self.annotated, len(self.annotated.coders) + 1
        yield from self._text(line, available)
        for row, name in enumerate(annotated.coders, 1):
            yield Name(row, words=name)
            yield Baseline(row, width=line.width)
        if len(annotated.coders) > 1:
            yield Name(verdicts, words=annotated.row, drawn=False)
        units = range(line.first, line.last + 1)
        gaps = dict(zip(units, zip(line.gaps, line.gap_widths, strict=True), strict=True))
        yield from (self._place(places[unit], *gap) for unit, gap in gaps.items() if unit in places)
        for first in gaps:
            for second, tip in links.get(first, ()):
                if second in gaps:
                    yield Connector(verdicts, ends=(gaps[first], gaps[second]), role="near", tip=tip)

    def _text(self, line: WrappedLine, available: int) -> Iterator[Shape]:
        if self.annotated.units is None:
            yield from (Number(0, at, words=str(unit)) for unit, at in _ruler(line, available))
            return
        units = self.annotated.units[line.first - 1 : line.last]
        yield from (Label(0, x, wide, unit) for unit, x, wide in zip(units, line.starts, line.widths, strict=True))

    def _place(self, place: MarkedPosition, x: int, width: int) -> ShapeGroup:
        """Draw the coders' boundaries at one position, and the verdict below them."""
        role, coders = ROLES[place.verdict], self.annotated.coders
        items: list[Shape] = [Mark(i + 1, x, width, place.labels[i] or "", role) for i in place.holders]
        if len(coders) > 1:
            items.append(Marker(len(coders) + 1, x, width, GLYPHS[place.verdict], role))
        return ShapeGroup(0, tip=self.annotated.tip(place), items=tuple(items))


def _ruler_width(units: int, available: int) -> int:
    """Return the width of a unit on a ruler: up to 4 cells for short texts, 0 if only boundaries fit."""
    if units <= 0:
        return 1
    return min(4, available // units - 1) if units * 2 <= available else 1 if units * 2 <= available * 6 else 0


def _ruler(line: WrappedLine, available: int) -> list[tuple[int, int]]:
    """Numbers to write above a line without a text: (unit, first cell), never touching each other or passing the right edge."""
    shown: list[tuple[int, int]] = []
    free = 0
    for i, unit in enumerate(range(line.first, line.last + 1)):
        start, end = line.starts[i], line.starts[i] + len(str(unit))
        if (unit == line.first or unit % 5 == 0) and start >= free and end <= available:
            shown.append((unit, start))
            free = end + 2
    return shown


# ---------------------------------------------------------------------- two coders, judged by their edits


def edited_tracks(
    corpus: Corpus, edits: Callable[[Segmentation, Segmentation], Sequence[Edit]]
) -> Iterator[EditedTrack]:
    """Judge every track of two coders by the edits between them."""
    for s in annotated_tracks(corpus):
        if len(s.coders) != 2:
            raise CaesuraError(f"edits are drawn between two coders; {s.heading or 'the text'} has {len(s.coders)}.")
        yield EditedTrack(s.item, s.track, s.coders, s.marks, edits(s.marks[0], s.marks[1]))


@dataclass(frozen=True)
class EditedTrack(AnnotatedTrack):
    """A track of two coders whose verdicts are the edits between them."""

    edits: Sequence[Edit] = ()

    @cached_property
    def places(self) -> list[MarkedPosition]:
        """The marked positions, each with its most severe edit."""
        verdicts: dict[float, Verdict] = {}
        for kind, verdict in VERDICTS.items():
            for edit in self.edits:
                if edit.kind == kind:
                    for position in (edit.reference, edit.hypothesis):
                        if position is not None:
                            verdicts.setdefault(position, verdict)
        plain = AnnotatedTrack(self.item, self.track, self.coders, self.marks).places
        return [MarkedPosition(p.position, p.labels, verdicts.get(p.position, p.verdict)) for p in plain]

    @property
    def row(self) -> str:
        """The name of the row below the coders."""
        return "edits"

    @property
    def key(self) -> str:
        """The number of edits of each kind, with their symbols."""
        counts = []
        for kind, (singular, plural) in _WORDS.items():
            number = sum(edit.kind == kind for edit in self.edits)
            if number:
                counts.append(f"{GLYPHS[VERDICTS[kind]]} {number} {singular if number == 1 else plural}")
        return " · ".join([*(counts or ["no boundary on either side"]), *self.legend])

    @property
    def near_misses(self) -> list[tuple[int, int, str]]:
        """The two ends of every transposition, with a tooltip."""
        return [
            (e.reference, e.hypothesis, f"near miss: {e.reference} and {e.hypothesis}, weight {e.weight:g}")
            for e in self.edits
            if e.kind == "transposition" and e.reference is not None and e.hypothesis is not None
        ]


# ---------------------------------------------------------------------- down the page


_COLUMN = 8  # the maximal width of a coder's name above its column


@dataclass(frozen=True)
class VerticalTrack(TrackPicture, ScenePicture):
    """A track down the page: one line per unit, and a column per coder with a stroke at each boundary."""

    def _columns(self, width: int) -> list[tuple[int, int, str]]:
        """Return the first cell, width and heading of every coder's column.

        Names that do not fit become numbers, which the legend explains.
        """
        annotated = self.annotated
        labels = max((cell_width(label) for place in annotated.places for label in place.labels if label), default=0)
        names = [clean(coder) for coder in annotated.coders]
        available = max(3, int(0.45 * width) // len(names) - 1)
        if max(map(cell_width, names)) > min(_COLUMN, available):
            names = [str(i) for i in range(1, len(names) + 1)]
        columns, at = [], len(str(int(annotated.length))) + 2
        for name in names:
            wide = max(3, cell_width(name), labels)
            columns.append((at, wide, name))
            at += wide + 1
        return columns

    def _names(self, columns: list[tuple[int, int, str]]) -> str:
        """Return the legend of numbered columns; "" if the headings are names."""
        named = zip(columns, self.annotated.coders, strict=True)
        return " · ".join(f"{shown} {clean(coder)}" for (_, _, shown), coder in named if shown != clean(coder))

    def scene(self, width: int, *, fine: bool) -> Scene:
        """Lay out a row per unit; boundaries have rows of their own, which have no height in SVG."""
        annotated, columns = self.annotated, self._columns(width)
        last_column = columns[-1]
        places = {int(place.position): place for place in annotated.places}
        rows = [1.0]
        items: list[Shape] = [
            Label(0, at + (wide - cell_width(name)) // 2, cell_width(name), name, "faint") for at, wide, name in columns
        ]
        text = last_column[0] + last_column[1] + 3
        for number in range(1, int(annotated.length) + 1):
            items += self._unit(len(rows), number, columns[0][0] - 2, text, width)
            rows.append(0.9)
            if number in places:
                items.append(self._rules(len(rows), places[number], columns, text))
                rows.append(0.0)
        stems = [Stem(1, at, wide, rows=len(rows) - 1) for at, wide, _ in columns]
        return Scene(
            title=self.title,
            description=annotated.description,
            heading=annotated.heading,
            legend=self._names(columns),
            key=annotated.key,
            width=width,
            margin=0,
            rows=tuple(rows),
            blocks=((*stems, *items),),
        )

    def _unit(self, row: int, number: int, digits: int, text: int, width: int) -> Iterator[Shape]:
        yield Number(row, digits + 1 - len(str(number)), words=str(number))
        if self.annotated.units is not None:
            shown = clip(clean(self.annotated.units[number - 1]), max(8, width - text))
            start = max(text, width - cell_width(shown)) if self.annotated.rtl else text
            yield Label(row, start, cell_width(shown), shown)

    def _rules(self, row: int, place: MarkedPosition, columns: list[tuple[int, int, str]], text: int) -> ShapeGroup:
        role = ROLES[place.verdict]
        items: list[Shape] = [
            ColumnBoundary(row, at, wide, label, role)
            for (at, wide, _), label in zip(columns, place.labels, strict=True)
            if label is not None
        ]
        if len(columns) > 1:
            items.append(Marker(row, text - 2, 1, GLYPHS[place.verdict], role))
        return ShapeGroup(0, tip=self.annotated.tip(place), items=tuple(items))
