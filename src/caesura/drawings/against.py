"""A hypothesis drawn beside its reference: what an evaluation shows of one item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caesura.display.scene import Picture
from caesura.drawings.catalog import applicable, draw, drawing, on_one_length
from caesura.model import Corpus

__all__ = ["draw_against"]


def draw_against(
    reference: Corpus, hypothesis: Corpus, names: Sequence[str] | None = None, **options: Any
) -> list[Picture]:
    """Draw both sides of one item by the drawings asked for, or by the one meant for their kind; each takes the options it knows."""
    shared = set(reference.coders) & set(hypothesis.coders)
    both = Corpus.from_annotations(
        on_one_length(
            a._replace(coder=_side_name(a.coder, side, clash=a.coder in shared))
            for corpus, side in ((reference, "reference"), (hypothesis, "hypothesis"))
            for a in corpus
        )
    )
    chosen = names or [d.name for d in applicable(both) if d.shown][:1]
    return [
        draw(name, both, **{key: value for key, value in options.items() if key in drawing(name).options})
        for name in chosen
    ]


def _side_name(coder: str, side: str, *, clash: bool) -> str:
    return side if not coder else f"{coder} ({side})" if clash else coder
