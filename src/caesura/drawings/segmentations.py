"""Segmentations under each other: the text once, a row per coder, and a row that says who agrees where.

Texts of short units (words, tokens, plain counts) run along lines that wrap to the width; texts of long units (sentences,
paragraphs) run down the page with the coders in the margin; recordings run along time; and what would fill pages is
shown as density along the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

from caesura.display.cells import cells, clean, is_rtl, widest
from caesura.display.scene import (
    Group,
    Item,
    Label,
    Line,
    Link,
    Mark,
    Name,
    Number,
    Picture,
    Scene,
    ScenePicture,
    Sign,
    stack,
)  # fmt: skip
from caesura.errors import CaesuraError
from caesura.metrics.boundary_edits import boundary_edits
from caesura.metrics.edit import Edit
from caesura.model import Corpus, Segmentation

#: How much to show: every unit ("full"), how dense boundaries are along the text ("density"), or what fits ("auto").
Zoom: TypeAlias = Literal["auto", "full", "density"]

#: How many coders marked a place: all of them, more than half, or fewer; all, with different types; or nearly this place.
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

#: Each kind of edit by the verdict whose sign and colour it takes, the gravest first: a place shows the gravest it has.
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

_NAME = 16  # cells that a coder's name may take
_LONG = 20  # cells of a mean unit from which texts run down the page
_UNITS, _CELLS = 200, 6000  # long units, or cells, beyond which "auto" zooms out


def draw_segmentations(corpus: Corpus, *, zoom: Zoom = "auto") -> Picture:
    """Draw all coders' boundaries on every track of the corpus, agreement marked."""
    return stack([draw_stream(stream, zoom) for stream in streams(corpus)])


def draw_edits(corpus: Corpus, *, n_t: Any = 2, matching: Any = "published", zoom: Zoom = "auto") -> Picture:
    """Draw two coders with the boundary edits between them; the first coder is the reference."""
    try:
        reach = int(n_t)
    except (TypeError, ValueError):
        raise CaesuraError(f"n_t is {n_t!r}; expected a whole number of positions, 1 or more.") from None
    judged = edit_streams(corpus, lambda reference, hypothesis: boundary_edits(reference, hypothesis, reach, matching))
    return stack([draw_stream(stream, zoom) for stream in judged])


def draw_stream(stream: Stream, zoom: Zoom = "auto") -> Picture:
    """Choose how a track is drawn best."""
    from caesura.drawings.densities import Density
    from caesura.drawings.margins import Down
    from caesura.drawings.timelines import Timeline

    if zoom not in ("auto", "full", "density"):
        raise CaesuraError(f"zoom is {zoom!r}; expected auto, full or density.")

    if zoom == "density":
        return Density(stream)
    if stream.timed:
        crowded = sum(len(m.positions) for m in stream.marks) / len(stream.marks) > 400
        return Density(stream) if zoom == "auto" and crowded else Timeline(stream)
    widths = [cells(clean(unit)) for unit in stream.units or ()]
    if widths and (max(widths) > 2 * _LONG or sum(widths) > _LONG * len(widths)):
        return Density(stream) if zoom == "auto" and len(widths) > _UNITS else Down(stream)
    wide = sum(widths) + len(widths) if widths else stream.length * (2 if stream.length <= 240 else 1)
    return Density(stream) if zoom == "auto" and wide > _CELLS else Along(stream)


# ---------------------------------------------------------------------- the coders' marks on one track


@dataclass(frozen=True)
class Place:
    """One position that somebody marked: what each coder put there ("" a plain boundary, None nothing)."""

    position: float
    labels: tuple[str | None, ...]
    verdict: Verdict

    @property
    def holders(self) -> list[int]:
        """Who marked it, as indices of coders."""
        return [i for i, label in enumerate(self.labels) if label is not None]


@dataclass(frozen=True)
class Stream:
    """One track of one item: its text, its coders and their segmentations, side by side."""

    item: str
    track: str
    coders: tuple[str, ...]
    marks: tuple[Segmentation, ...]

    @property
    def length(self) -> float:
        """Units or seconds; of recordings the longest, because segmenters may stop early."""
        return max(m.length for m in self.marks)

    @property
    def timed(self) -> bool:
        """Whether positions are seconds."""
        return self.marks[0].timed

    @property
    def units(self) -> tuple[str, ...] | None:
        """The text, where a coder knows it."""
        return next((m.units for m in self.marks if m.units is not None), None)

    @cached_property
    def rtl(self) -> bool:
        """Whether the text runs from right to left: whether most of its words do."""
        sample = [u for u in (self.units or ())[:200] if any(c.isalpha() for c in u)]
        return sum(map(is_rtl, sample)) * 2 > len(sample)

    @cached_property
    def short(self) -> dict[str, str]:
        """A short sign for every type: the type itself where it has at most two cells, else a letter (see ``legend``)."""
        named = dict.fromkeys(str(kind) for m in self.marks if m.typed for _, kind in m.marks)
        if all(cells(clean(name)) <= 2 for name in named):
            return {name: clean(name) for name in named}
        firsts = [clean(name)[:1] for name in named]
        letters = firsts if len(set(firsts)) == len(firsts) else [_letter(i) for i in range(len(firsts))]
        return dict(zip(named, letters, strict=True))

    @property
    def legend(self) -> list[str]:
        """What the short signs stand for, where they are not the types themselves."""
        return [f"{sign} {clean(name)}" for name, sign in self.short.items() if sign != clean(name)]

    @cached_property
    def places(self) -> list[Place]:
        """Every position that somebody marked, from left to right."""
        signs: dict[float, list[str | None]] = {}
        for coder, marks in enumerate(self.marks):
            pairs = marks.marks if marks.typed else [(p, "") for p in marks.positions.tolist()]
            for position, kind in pairs:
                labels = signs.setdefault(position, [None] * len(self.marks))
                sign = self.short.get(str(kind), "")
                before = labels[coder]
                # A recording may carry one time twice; that is still one boundary to the eye.
                labels[coder] = sign if before is None or not marks.typed else before + sign
        return [Place(p, tuple(labels), _verdict(labels)) for p, labels in sorted(signs.items())]

    @property
    def title(self) -> str:
        """The item, and who annotated it."""
        return f"{self.heading or 'text'}: {', '.join(map(clean, self.coders))}"

    @property
    def row(self) -> str:
        """What the row under the coders shows."""
        return "agree"

    @property
    def key(self) -> str:
        """Explain the signs that occur."""
        verdicts = dict.fromkeys(sorted((p.verdict for p in self.places), key=list(GLYPHS).index))
        words = {**WORDS, "some": "one of two"} if len(self.coders) == 2 else WORDS
        explained = [f"{GLYPHS[v]} {words[v]}" for v in verdicts] if len(self.coders) > 1 else []
        return " · ".join([*explained, *self.legend])

    @property
    def description(self) -> str:
        """Say the content in sentences, for those who cannot see the picture."""
        unit = "seconds" if self.timed else "units"
        rows = []
        for name, marks in zip(self.coders, self.marks, strict=True):
            listed = ", ".join(f"{p:g}" for p in marks.positions[:60].tolist()) or "no boundary"
            more = f" and {len(marks.positions) - 60} more" if len(marks.positions) > 60 else ""
            rows.append(f"{name}: {listed}{more}.")
        return f"Boundaries in a text of {self.length:g} {unit}, by coder. {' '.join(rows)}"

    @property
    def near_misses(self) -> list[tuple[int, int, str]]:
        """Pairs of places to be joined by a stroke, with what is said about them."""
        return []

    def tip(self, place: Place) -> str:
        """Say who marked a place, and how they agree."""
        who = ", ".join(self.coders[i] for i in place.holders)
        return f"after {place.position:g}: {who} ({WORDS[place.verdict]})"

    @property
    def heading(self) -> str:
        """Item and track in words."""
        return " · ".join(filter(None, (clean(self.item), clean(self.track))))


@dataclass(frozen=True)
class OneTrack(Picture):
    """A picture of one track of one item."""

    stream: Stream

    @property
    def title(self) -> str:
        """The item, and who is drawn."""
        return self.stream.title


def streams(corpus: Corpus) -> list[Stream]:
    """Gather the coders of every track of every item; nested segments are seen as boundaries of all levels."""
    annotations: dict[tuple[str, str], list[tuple[str, Segmentation]]] = {}
    for item, coder, marks, track in corpus:
        flat = marks if isinstance(marks, Segmentation) else marks.boundaries()
        annotations.setdefault((item, track), []).append((coder, flat))
    order = {coder: i for i, coder in enumerate(corpus.coders)}
    tracks = []
    for (item, track), coded in annotations.items():
        coded.sort(key=lambda pair: order[pair[0]])
        tracks.append(Stream(item, track, tuple(c for c, _ in coded), tuple(m for _, m in coded)))
    return tracks


def _verdict(labels: list[str | None]) -> Verdict:
    held = [label for label in labels if label is not None]
    if len(held) == len(labels):
        return "all" if len(set(held)) == 1 else "types"
    return "most" if 2 * len(held) > len(labels) else "some"


def _letter(number: int) -> str:
    return chr(ord("a") + number) if number < 26 else chr(ord("A") + number % 26)


# ---------------------------------------------------------------------- along lines


@dataclass(frozen=True)
class Along(OneTrack, ScenePicture):
    """One track along lines: the text (or a ruler), the coders' rows, and the row of agreement."""

    def scene(self, width: int, *, fine: bool) -> Scene:
        """One block per line: the text, the coders, the verdicts."""
        stream = self.stream
        margin = widest((*stream.coders, stream.row), _NAME) + 2
        places = {int(place.position): place for place in stream.places}
        links: dict[int, list[tuple[int, str]]] = {}
        for first, second, tip in stream.near_misses:
            links.setdefault(first, []).append((second, tip))
        return Scene(
            title=self.title,
            description=stream.description,
            heading=stream.heading,
            key=stream.key,
            width=width,
            margin=margin,
            rows=(1.0,) * (1 + len(stream.coders) + (len(stream.coders) > 1)),
            blocks=tuple(tuple(self._block(line, places, links)) for line in self._lines(max(8, width - margin))),
            direction="rtl" if stream.rtl else "ltr",
        )

    def _lines(self, room: int) -> list[Wrapped]:
        stream, number = self.stream, int(self.stream.length)
        gaps = [1] * number
        for place in stream.places:
            gaps[int(place.position) - 1] = max(1, *(cells(label) for label in place.labels if label is not None))
        if stream.units is not None:
            widths = [max(1, cells(clean(unit))) for unit in stream.units]
        else:
            widths = [_ruler_width(number, room)] * number
        return wrap_units(widths, gaps, room)

    def _block(
        self, line: Wrapped, places: Mapping[int, Place], links: Mapping[int, list[tuple[int, str]]]
    ) -> Iterator[Item]:
        stream, verdicts = self.stream, len(self.stream.coders) + 1
        yield from self._text(line)
        for row, name in enumerate(stream.coders, 1):
            yield Name(row, words=name)
            yield Line(row, width=line.width)
        if len(stream.coders) > 1:
            yield Name(verdicts, words=stream.row, drawn=False)
        units = range(line.first, line.last + 1)
        gaps = dict(zip(units, zip(line.gaps, line.gap_widths, strict=True), strict=True))
        yield from (self._place(places[unit], *gap) for unit, gap in gaps.items() if unit in places)
        for first in gaps:
            for second, tip in links.get(first, ()):
                if second in gaps:
                    yield Link(verdicts, ends=(gaps[first], gaps[second]), role="near", tip=tip)

    def _text(self, line: Wrapped) -> Iterator[Item]:
        if self.stream.units is None:
            yield from (Number(0, at, words=str(unit)) for unit, at in _ruler(line))
            return
        units = self.stream.units[line.first - 1 : line.last]
        yield from (Label(0, x, wide, unit) for unit, x, wide in zip(units, line.starts, line.widths, strict=True))

    def _place(self, place: Place, x: int, width: int) -> Group:
        """What the coders put at one place, and the verdict below them."""
        role, coders = ROLES[place.verdict], self.stream.coders
        items: list[Item] = [Mark(i + 1, x, width, place.labels[i] or "", role) for i in place.holders]
        if len(coders) > 1:
            items.append(Sign(len(coders) + 1, x, width, GLYPHS[place.verdict], role))
        return Group(0, tip=self.stream.tip(place), items=tuple(items))


def _ruler_width(units: int, room: int) -> int:
    """Cells a unit takes on a ruler: wide where there is room, none but its boundary's where there are many."""
    if units <= 0:
        return 1
    return min(4, room // units - 1) if units * 2 <= room else 1 if units * 2 <= room * 6 else 0


def _ruler(line: Wrapped) -> list[tuple[int, int]]:
    """Numbers to write above a line without a text: (unit, first cell), never touching each other."""
    shown: list[tuple[int, int]] = []
    free = 0
    for i, unit in enumerate(range(line.first, line.last + 1)):
        if (unit == line.first or unit % 5 == 0) and line.starts[i] >= free:
            shown.append((unit, line.starts[i]))
            free = line.starts[i] + len(str(unit)) + 2
    return shown


# ---------------------------------------------------------------------- two coders, judged by their edits


def edit_streams(corpus: Corpus, edits: Callable[[Segmentation, Segmentation], Sequence[Edit]]) -> Iterator[EditStream]:
    """Judge every track of two coders by the edits between them."""
    for s in streams(corpus):
        if len(s.coders) != 2:
            raise CaesuraError(f"edits are drawn between two coders; {s.heading or 'the text'} has {len(s.coders)}.")
        yield EditStream(s.item, s.track, s.coders, s.marks, edits(s.marks[0], s.marks[1]))


@dataclass(frozen=True)
class EditStream(Stream):
    """A track of two coders whose places are judged by the edits there."""

    edits: Sequence[Edit] = ()

    @cached_property
    def places(self) -> list[Place]:
        """Every position that somebody marked, with the gravest edit there."""
        verdicts: dict[float, Verdict] = {}
        for kind, verdict in VERDICTS.items():
            for edit in self.edits:
                if edit.kind == kind:
                    for position in (edit.reference, edit.hypothesis):
                        if position is not None:
                            verdicts.setdefault(position, verdict)
        plain = Stream(self.item, self.track, self.coders, self.marks).places
        return [Place(p.position, p.labels, verdicts.get(p.position, p.verdict)) for p in plain]

    @property
    def row(self) -> str:
        """What the row under the coders shows."""
        return "edits"

    @property
    def key(self) -> str:
        """Count the edits, each beside its sign."""
        counts = []
        for kind, (singular, plural) in _WORDS.items():
            number = sum(edit.kind == kind for edit in self.edits)
            if number:
                counts.append(f"{GLYPHS[VERDICTS[kind]]} {number} {singular if number == 1 else plural}")
        return " · ".join([*(counts or ["no boundary on either side"]), *self.legend])

    @property
    def near_misses(self) -> list[tuple[int, int, str]]:
        """The two ends of every transposition."""
        return [
            (e.reference, e.hypothesis, f"near miss: {e.reference} and {e.hypothesis}, weight {e.weight:g}")
            for e in self.edits
            if e.kind == "transposition" and e.reference is not None and e.hypothesis is not None
        ]


# ---------------------------------------------------------------------- units on lines


@dataclass(frozen=True)
class Wrapped:
    """Units ``first`` to ``last`` (counted from 1) on one line.

    ``starts[i]`` is the first cell of unit ``first + i``, ``widths[i]`` how many it has; ``gaps[i]`` is the first cell of the
    gap behind it, where its boundary is drawn, ``gap_widths[i]`` how many that has. ``width`` is all of them together.
    """

    first: int
    last: int
    starts: tuple[int, ...]
    widths: tuple[int, ...]
    gaps: tuple[int, ...]
    gap_widths: tuple[int, ...]
    width: int

    def column(self, cell: int, size: int = 1, *, rtl: bool = False, room: int | None = None) -> int:
        """Return where something of ``size`` cells goes; texts from right to left count from the right edge of ``room``."""
        return (self.width if room is None else room) - cell - size if rtl else cell


def wrap_units(widths: Sequence[int], gaps: Sequence[int], room: int) -> list[Wrapped]:
    """Break units into lines of at most ``room`` cells; a unit wider than a line has one to itself, clipped.

    Parameters
    ----------
    widths
        Cells of each unit.
    gaps
        Cells of the gap behind each unit; the last one is where the closing boundary goes.

    Examples
    --------
    >>> [(line.first, line.last) for line in wrap_units([4, 4, 4], [1, 1, 1], 10)]
    [(1, 2), (3, 3)]
    """
    lines: list[Wrapped] = []
    starts: list[int] = []
    sizes: list[int] = []
    at, first = 0, 1
    for unit, (wide, gap) in enumerate(zip(widths, gaps, strict=True), 1):
        size = max(min(wide, 1), min(wide, room - gap))
        if starts and at + size + gap > room:
            lines.append(_line(first, starts, sizes, gaps))
            starts, sizes, at, first = [], [], 0, unit
        starts.append(at)
        sizes.append(size)
        at += size + gap
    if starts:
        lines.append(_line(first, starts, sizes, gaps))
    return lines


def _line(first: int, starts: list[int], sizes: list[int], gaps: Sequence[int]) -> Wrapped:
    behind = tuple(gaps[first - 1 : first - 1 + len(starts)])
    cuts = tuple(start + size for start, size in zip(starts, sizes, strict=True))
    return Wrapped(first, first + len(starts) - 1, tuple(starts), tuple(sizes), cuts, behind, cuts[-1] + behind[-1])
