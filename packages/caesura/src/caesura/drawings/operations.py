"""The operations between two annotators, drawn onto the text: what each wrote, what became of it, and where it went."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, cast

from caesura.display.cells import WrappedLine, cell_width, clean, clip, max_cell_width, wrap_units
from caesura.display.scene import (
    FilledPart,
    Label,
    Marker,
    Move,
    Name,
    Number,
    Picture,
    Scene,
    ScenePicture,
    Shape,
    stack,
)
from caesura.display.table import format_cell
from caesura.drawings.segmentations import (
    ROLES,
    VERDICTS,
    EditedTrack,
    TrackPicture,
    edited_tracks,
)
from caesura.metrics.edit import Edit
from caesura.metrics.operations import Operations, flexible_operations
from caesura.model import Corpus, Segmentation
from caesura.text import track_title

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
    return stack([DrawnOperations(annotated) for annotated in edited_tracks(corpus, record)])


@dataclass(frozen=True)
class DrawnOperations(TrackPicture, ScenePicture):
    """Two rows of boundary types above and below the text; ∅ marks a missing boundary, arrows show moves.

    Lines on which all boundaries match are left out of long texts.
    """

    annotated: EditedTrack

    @property
    def operations(self) -> Operations:
        """The edits with what they cost together."""
        return cast("Operations", self.annotated.edits)

    @property
    def title(self) -> str:
        """The text and the numbers."""
        n, c, b = self.operations.potential, self.operations.cost, self.operations.boundaries
        scores = f"Sf {format_cell(1 - c / n if n else 1.0)} · SfB {format_cell(1 - c / b if b else 1.0)}"
        return f"{self.annotated.heading + ': ' if self.annotated.heading else ''}cost {c:g} over {b} boundaries in {n} places · {scores}"

    @cached_property
    def _at(self) -> dict[int, list[tuple[int, str, Edit]]]:
        """For each position, what stands in the rows of either side: side, sign, operation."""
        placed: dict[int, list[tuple[int, str, Edit]]] = {}
        for each in self.annotated.edits:
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
        return clean(self.annotated.units[number - 1]) if self.annotated.units is not None else "·"

    def _lines(self, available: int) -> tuple[list[WrappedLine], int]:
        """Lay the text out; return the lines to draw and how many are left out."""
        numbers = range(1, int(self.annotated.length) + 1)
        widths = [max(1, cell_width(self._unit(i))) for i in numbers]
        gaps = [max((cell_width(s) + 2 for _, s, _ in self._at.get(i, [])), default=1) for i in numbers]
        lines = wrap_units(widths, gaps, available)
        if len(lines) > _LINES:
            lines = [line for line in lines if any(each.kind != "match" for each in self._on(line))]
        return lines[:_LINES], len(lines) - len(lines[:_LINES])

    def _on(self, line: WrappedLine) -> list[Edit]:
        placed = [each for at in range(line.first, line.last + 1) for _, _, each in self._at.get(at, [])]
        return list(dict.fromkeys(placed))

    @property
    def _key(self) -> str:
        counts = {kind: n for kind, n in self.operations.counts().items() if n}
        return " · ".join(f"{kind} {n}" for kind, n in counts.items()) or "no boundaries"

    def scene(self, width: int, *, fine: bool) -> Scene:
        """One block per line of text: what one coder wrote above it, what the other wrote below."""
        margin = max_cell_width(self.annotated.coders, _NAME) + 2
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
            direction="rtl" if self.annotated.rtl else "ltr",
        )

    def _block(self, line: WrappedLine) -> Iterator[Shape]:
        yield from (Name(2 * side, words=coder) for side, coder in enumerate(self.annotated.coders))
        signs = {}
        for number, (start, wide, gap) in enumerate(zip(line.starts, line.widths, line.gaps, strict=True), line.first):
            yield Label(1, start, wide, self._unit(number))
            signs[number] = gap + 1
            for side, sign, each in self._at.get(number, []):
                role = "faint" if sign == _NOTHING else ROLES[VERDICTS[each.kind]]
                yield Marker(2 * side, gap + 1, cell_width(sign), sign, role, _sentence(each))
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
        edits = [_sentence(each) for each in self.annotated.edits if each.kind != "match"]
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


# ---------------------------------------------------------------------- outcomes per type


def draw_fates(
    corpus: Corpus,
    *,
    similarity: Any = None,
    transposition: Any = None,
    moved: Any = "cheaper",
    ties: Any = "most",
    forced: bool = True,
) -> Picture:
    """Draw what became of each type of the first coder in the second, over all texts."""
    reference, hypothesis = (coder_tracks(corpus, name) for name in corpus.coders[:2])
    both = [key for key in reference if key in hypothesis]
    operations = flexible_operations(
        {key: reference[key] for key in both}, {key: hypothesis[key] for key in both},
        similarity, transposition, moved=moved, ties=ties, forced=forced,
    )  # fmt: skip
    return Fates(operations.fates(), (corpus.coders[0], corpus.coders[1]))


def coder_tracks(corpus: Corpus, coder: str) -> dict[str, Segmentation]:
    """All tracks of all texts by one coder, by item and track."""
    return {
        track_title(a.item, a.track): a.marks for a in corpus if a.coder == coder and isinstance(a.marks, Segmentation)
    }


@dataclass(frozen=True)
class Fates(ScenePicture):
    """One bar per type: matched, taken for another type, moved ("tr"), both, deleted ("del")."""

    table: Mapping[str, Mapping[str, int]]
    names: tuple[str, str] = ("first", "second")

    @property
    def title(self) -> str:
        """Whose boundaries, in whose annotation."""
        return f"what became of {clean(self.names[0])}'s boundaries in {clean(self.names[1])}'s annotation"

    def _bars(self) -> list[tuple[str, int, list[tuple[str, int]]]]:
        return [(kind, sum(f.values()), list(f.items())) for kind, f in self.table.items() if sum(f.values())]

    def scene(self, width: int, *, fine: bool) -> Scene:
        """Bars of the same length, each part labelled where it is wide enough."""
        bars = self._bars()
        margin = max_cell_width((kind for kind, _, _ in bars), _NAME) + 8
        shades = "█ match · ▓ another type · ▒ tr: moved · ░ del: deleted"
        return Scene(
            title=self.title,
            description="; ".join(f"{kind}: " + ", ".join(f"{f} {n}" for f, n in parts) for kind, _, parts in bars),
            heading=clip(self.title, width),
            key="match · another type · tr: moved · tr+type: moved and changed · del: deleted" if fine else shades,
            width=width,
            margin=margin,
            rows=(1.5,) * len(bars),
            blocks=(tuple(self._rows(max(10, width - margin))),),
        )

    def _rows(self, available: int) -> Iterator[Shape]:
        for row, (kind, total, parts) in enumerate(self._bars()):
            yield Name(row, words=clip(clean(kind), _NAME), role="strong")
            yield Number(row, -1 - len(str(total)), words=str(total))
            done = 0
            for fate, count in parts:
                start, stop = (share / total * available for share in (done, done + count))
                tip, words = f"{kind} → {fate}: {count} of {total}", f"{fate} {count / total:.0%}"
                yield FilledPart(
                    row, start, stop - start, words, _role(fate), tip, glyph=_shade(fate), fill=_opacity(fate)
                )
                done += count


def _role(fate: str) -> str:
    if fate.startswith("tr"):
        return "near"
    return {"match": "match", "del": "miss"}.get(fate, "substitution")


def _shade(fate: str) -> str:
    return {"match": "█", "del": "░"}.get(fate, "▒" if fate.startswith("tr") else "▓")


def _opacity(fate: str) -> float:
    """Pale enough for labels to be read on."""
    return {"match": 0.55, "del": 0.45}.get(fate, 0.4)
