"""How each boundary type of one annotator fared with the other: figure 6 of Lai, Li and Zhang (2023) as stacked bars."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from caesura.display.cells import Canvas
from caesura.display.scene import Picture
from caesura.display.svg import CELL, LINE, Svg
from caesura.display.writing import Bidi, cells, choose_bidi, clean, clip, pad, widest
from caesura.metrics.operations import flexible_operations
from caesura.model import Corpus, Segmentation
from caesura.words import heading

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["Fates", "coder_tracks", "draw_fates"]

_NAME = 16


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
    one, two = (coder_tracks(corpus, name) for name in corpus.coders[:2])
    both = [key for key in one if key in two]
    found = flexible_operations(
        {key: one[key] for key in both}, {key: two[key] for key in both},
        similarity, transposition, moved=moved, ties=ties, forced=forced,
    )  # fmt: skip
    return Fates(found.fates(), (corpus.coders[0], corpus.coders[1]))


def coder_tracks(corpus: Corpus, coder: str) -> dict[str, Segmentation]:
    """All tracks of all texts by one coder, by item and track."""
    return {heading(a.item, a.track): a.marks for a in corpus if a.coder == coder and isinstance(a.marks, Segmentation)}


@dataclass(frozen=True)
class Fates(Picture):
    """One bar a type: matched, taken for another type, moved ("tr"), both, deleted ("del")."""

    table: Mapping[str, Mapping[str, int]]
    names: tuple[str, str] = ("first", "second")

    @property
    def title(self) -> str:
        """Whose boundaries, in whose annotation."""
        return f"what became of {clean(self.names[0])}'s boundaries in {clean(self.names[1])}'s annotation"

    def _bars(self) -> list[tuple[str, int, list[tuple[str, int]]]]:
        return [(kind, sum(f.values()), list(f.items())) for kind, f in self.table.items() if sum(f.values())]

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw bars of the same length, each part labelled where it is wide enough, and the counts below."""
        canvas, turned = Canvas(), choose_bidi(bidi)
        canvas.put(0, 0, clip(self.title, width), "strong", bidi=turned)
        bars = self._bars()
        margin = widest((kind for kind, _, _ in bars), _NAME) + 8
        room = max(10, width - margin)
        for kind, total, parts in bars:
            row, at, done = canvas.height, margin, 0
            canvas.put(row, 0, pad(clean(kind), margin - 8), "strong", bidi=turned)
            canvas.put(row, margin - 7, f"{total:6d}", "faint")
            for fate, count in parts:
                done += count
                stop = margin + round(done / total * room)
                wide = stop - at
                canvas.fill(row, at, stop, _shade(fate), _role(fate))
                label = f" {fate} {count / total:.0%} "
                if cells(label) <= wide:
                    canvas.put(row, at + (wide - cells(label)) // 2, label, _role(fate))
                at = stop
        canvas.put(canvas.height, 0, clip("█ match · ▓ another type · ▒ tr: moved · ░ del: deleted", width), "faint")
        return canvas.text()

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw the same bars with labels and, when pointed at, counts."""
        bars = self._bars()
        margin = CELL * (widest((kind for kind, _, _ in bars), _NAME) + 9)
        room, top, tall = width * CELL - margin, LINE * 2, LINE * 1.5
        described = "; ".join(f"{kind}: " + ", ".join(f"{f} {n}" for f, n in parts) for kind, _, parts in bars)
        picture = Svg(
            width * CELL + 16, top + tall * len(bars) + LINE * 1.5, title=self.title, description=described, style=style
        )
        picture.text(8, LINE, clip(self.title, width), weight="bold")
        for number, (kind, total, parts) in enumerate(bars):
            y, done = top + number * tall, 0
            picture.text(8, y + tall * 0.55, clip(clean(kind), _NAME), weight="bold", rtl=False)
            picture.text(margin - 2, y + tall * 0.55, str(total), "faint", anchor="end", size=12)
            for fate, count in parts:
                x, wide = 8 + margin + done / total * room, count / total * room
                tip = f"{kind} → {fate}: {count} of {total}"
                picture.rect(x, y, wide, tall * 0.8, _role(fate), tip=tip, outline="paper", fill_opacity=_opacity(fate))
                label = f"{fate} {count / total:.0%}"
                if wide > CELL * cells(label):
                    picture.text(x + wide / 2, y + tall * 0.53, label, anchor="middle", size=12, rtl=False)
                done += count
        picture.text(8, picture.height - 8, "match · another type · tr: moved · tr+type: moved and changed · del: deleted",
                     "faint", size=12)  # fmt: skip
        return picture.render()


def _role(fate: str) -> str:
    if fate.startswith("tr"):
        return "near"
    return {"match": "match", "del": "miss"}.get(fate, "substitution")


def _shade(fate: str) -> str:
    return {"match": "█", "del": "░"}.get(fate, "▒" if fate.startswith("tr") else "▓")


def _opacity(fate: str) -> float:
    """Pale enough for labels to be read on."""
    return {"match": 0.55, "del": 0.45}.get(fate, 0.4)
