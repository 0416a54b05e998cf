"""The operations between two annotators, drawn onto the text: what each wrote, what became of it, and where it went."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, cast

from caesura.display.cells import cells, clean, clip, widest
from caesura.display.scene import Item, Label, Move, Name, Picture, Scene, ScenePicture, Sign, stack
from caesura.display.table import spell
from caesura.drawings.segmentations import ROLES, VERDICTS, EditStream, OneTrack, Wrapped, edit_streams, wrap_units
from caesura.metrics.edit import Edit
from caesura.metrics.operations import Operations, flexible_operations
from caesura.model import Corpus

_NAME = 16
_LINES = 24  # lines of text drawn before the rest is only counted
_NOTHING = "∅"


def draw_operations(
    corpus: Corpus,
    *,
    similarity: Any = None,
    transposition: Any = None,
    moved: Any = "cheaper",
    ties: Any = "most",
    forced: bool = True,
) -> Picture:
    """Draw what turns the first coder's boundaries into the second's, under flexible similarity."""
    record = partial(
        flexible_operations, similarity=similarity, transposition=transposition, moved=moved, ties=ties, forced=forced
    )
    return stack([DrawnOperations(stream) for stream in edit_streams(corpus, record)])


@dataclass(frozen=True)
class DrawnOperations(OneTrack, ScenePicture):
    """Two rows of boundary signs around a line of text; ∅ stands where one has nothing, arrows lead moved ones home.

    Lines on which all boundaries match are left out of long texts.
    """

    stream: EditStream

    @property
    def operations(self) -> Operations:
        """The edits with what they cost together."""
        return cast("Operations", self.stream.edits)

    @property
    def title(self) -> str:
        """The text and the numbers."""
        n, c, b = self.operations.potential, self.operations.cost, self.operations.boundaries
        scores = f"Sf {spell(1 - c / n if n else 1.0)} · SfB {spell(1 - c / b if b else 1.0)}"
        return f"{self.stream.heading + ': ' if self.stream.heading else ''}cost {c:g} over {b} boundaries in {n} places · {scores}"

    @cached_property
    def _at(self) -> dict[int, list[tuple[int, str, Edit]]]:
        """For each position, what stands in the rows of either side: side, sign, operation."""
        placed: dict[int, list[tuple[int, str, Edit]]] = {}
        for each in self.stream.edits:
            for side, at, kind in (
                (0, each.reference, each.reference_type),
                (1, each.hypothesis, each.hypothesis_type),
            ):
                if at is not None:
                    placed.setdefault(at, []).append((side, clean(str(kind)), each))
        for at, here in placed.items():
            if len(here) == 1:
                side, _, each = here[0]
                placed[at] = [*here, (1 - side, _NOTHING, each)]
        return placed

    def _unit(self, number: int) -> str:
        return clean(self.stream.units[number - 1]) if self.stream.units is not None else "·"

    def _lines(self, room: int) -> tuple[list[Wrapped], int]:
        """Lay the text out; return the lines to draw and how many are left out."""
        numbers = range(1, int(self.stream.length) + 1)
        widths = [max(1, cells(self._unit(i))) for i in numbers]
        gaps = [max((cells(s) + 2 for _, s, _ in self._at.get(i, [])), default=1) for i in numbers]
        lines = wrap_units(widths, gaps, room)
        if len(lines) > _LINES:
            lines = [line for line in lines if any(each.kind != "match" for each in self._on(line))]
        return lines[:_LINES], len(lines) - len(lines[:_LINES])

    def _on(self, line: Wrapped) -> list[Edit]:
        placed = [each for at in range(line.first, line.last + 1) for _, _, each in self._at.get(at, [])]
        return list(dict.fromkeys(placed))

    @property
    def _key(self) -> str:
        counts = {kind: n for kind, n in self.operations.counts().items() if n}
        return " · ".join(f"{kind} {n}" for kind, n in counts.items()) or "no boundaries"

    def scene(self, width: int, *, fine: bool) -> Scene:
        """One block per line of text: what one coder wrote above it, what the other wrote below."""
        margin = widest(self.stream.coders, _NAME) + 2
        lines, left = self._lines(max(12, width - margin))
        return Scene(
            title=self.title,
            description=self._description(),
            heading=clip(self.title, width),
            key=self._key + (f" · {left} more lines with differences" if left else ""),
            width=width,
            margin=margin,
            rows=(1.1, 1.1, 1.1),
            blocks=tuple(tuple(self._block(line)) for line in lines),
            direction="rtl" if self.stream.rtl else "ltr",
        )

    def _block(self, line: Wrapped) -> Iterator[Item]:
        yield from (Name(2 * side, words=coder) for side, coder in enumerate(self.stream.coders))
        signs = {}
        for number, (start, wide, gap) in enumerate(zip(line.starts, line.widths, line.gaps, strict=True), line.first):
            yield Label(1, start, wide, self._unit(number))
            signs[number] = gap + 1
            for side, sign, each in self._at.get(number, []):
                role = "faint" if sign == _NOTHING else ROLES[VERDICTS[each.kind]]
                yield Sign(2 * side, gap + 1, cells(sign), sign, role, _sentence(each))
        for each in self._on(line):
            old, new = each.reference, each.hypothesis
            if old is None or new is None or old == new:
                continue
            if old in signs and new in signs:
                yield Move(2, signs[old], to=signs[new], role="near")
            else:  # the other end is on another line: say where
                here, there = (old, new) if old in signs else (new, old)
                yield Move(2, signs[here], to=signs[here], role="near", words=f"↷ {there}")

    def _description(self) -> str:
        edits = [_sentence(each) for each in self.stream.edits if each.kind != "match"]
        return "; ".join([self._key, *edits[:200]])[:4000]


def _sentence(each: Edit) -> str:
    """Put one operation into words."""
    kind, old, new = each.kind, each.reference, each.hypothesis
    if kind == "match":
        return f"{each.reference_type} after {old}: match"
    if kind in ("deletion", "addition"):
        return f"{each.reference_type or each.hypothesis_type} after {old or new}: {kind}, cost {each.weight:g}"
    became = "" if each.reference_type == each.hypothesis_type else f" becomes {each.hypothesis_type}"
    went = "" if old == new else f" moves to {new}"
    return f"{each.reference_type} after {old}{went}{became}: {kind}, cost {each.weight:g}"
