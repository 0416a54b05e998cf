"""What drawings of flat annotations share: the coders' marks on one track, and who agrees at which place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from caesura.display.scene import Picture
from caesura.display.text_cells import cells, clean, is_rtl
from caesura.model import Corpus, Segmentation

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
