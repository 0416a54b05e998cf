"""Boundary edits under the text: what two coders share, nearly share, take for each other, and have alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from caesura.display.scene import Picture, stack
from caesura.drawings.coder_marks import GLYPHS, Place, Stream, Verdict, streams
from caesura.drawings.segmentations import Zoom, draw_stream
from caesura.errors import CaesuraError
from caesura.metrics.boundary_edits import boundary_edits
from caesura.metrics.edit import Edit
from caesura.model import Corpus, Segmentation

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


def draw_edits(corpus: Corpus, *, n_t: Any = 2, matching: Any = "published", zoom: Zoom = "auto") -> Picture:
    """Draw two coders with the boundary edits between them; the first coder is the reference."""
    try:
        reach = int(n_t)
    except (TypeError, ValueError):
        raise CaesuraError(f"n_t is {n_t!r}; expected a whole number of positions, 1 or more.") from None
    judged = edit_streams(corpus, lambda reference, hypothesis: boundary_edits(reference, hypothesis, reach, matching))
    return stack([draw_stream(stream, zoom) for stream in judged])


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
