"""How each boundary type of one annotator fared with the other: figure 6 of Lai, Li and Zhang (2023) as stacked bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from caesura.display.cells import clean, clip, widest
from caesura.display.scene import Item, Name, Number, Picture, Scene, ScenePicture, Share
from caesura.metrics.operations import flexible_operations
from caesura.model import Corpus, Segmentation
from caesura.words import heading

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
    reference, hypothesis = (coder_tracks(corpus, name) for name in corpus.coders[:2])
    both = [key for key in reference if key in hypothesis]
    operations = flexible_operations(
        {key: reference[key] for key in both}, {key: hypothesis[key] for key in both},
        similarity, transposition, moved=moved, ties=ties, forced=forced,
    )  # fmt: skip
    return Fates(operations.fates(), (corpus.coders[0], corpus.coders[1]))


def coder_tracks(corpus: Corpus, coder: str) -> dict[str, Segmentation]:
    """All tracks of all texts by one coder, by item and track."""
    return {heading(a.item, a.track): a.marks for a in corpus if a.coder == coder and isinstance(a.marks, Segmentation)}


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
        margin = widest((kind for kind, _, _ in bars), _NAME) + 8
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

    def _rows(self, room: int) -> Iterator[Item]:
        for row, (kind, total, parts) in enumerate(self._bars()):
            yield Name(row, words=clip(clean(kind), _NAME), role="strong")
            yield Number(row, -1 - len(str(total)), words=str(total))
            done = 0
            for fate, count in parts:
                start, stop = (share / total * room for share in (done, done + count))
                tip, words = f"{kind} → {fate}: {count} of {total}", f"{fate} {count / total:.0%}"
                yield Share(row, start, stop - start, words, _role(fate), tip, glyph=_shade(fate), fill=_opacity(fate))
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
