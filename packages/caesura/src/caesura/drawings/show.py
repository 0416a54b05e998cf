"""``show``: draw annotations of any kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from caesura.display.result import Block, Result
from caesura.display.scene import Picture
from caesura.display.table import Table
from caesura.drawings.catalog import applicable, draw, drawing
from caesura.drawings.segmentations import annotated_tracks
from caesura.errors import CaesuraError
from caesura.formats.anything import from_anything
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation, Spans
from caesura.model.corpus import CorpusLike, Marks, as_corpus, is_annotation_like

_SHOWN = 5  # items drawn by default


@dataclass(frozen=True, repr=False)
class Showing(Result):
    """Drawings of a corpus: the drawings with the given names of each item, or the first that fits."""

    corpus: Corpus
    names: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    limit: int | None = _SHOWN

    @property
    def more(self) -> int:
        """The number of items that are not drawn."""
        if self.limit is None or self._draws_whole_corpus:
            return 0
        return max(0, len(self.corpus.items) - self.limit)

    @property
    def _draws_whole_corpus(self) -> bool:
        """Whether every drawing asked for shows all items in one picture."""
        return bool(self.names) and all(drawing(name).whole for name in self.names)

    def tables(self) -> Sequence[Table]:
        """Return no tables."""
        return ()

    def pictures(self) -> Sequence[Picture]:
        """Return drawings of the whole corpus, then of each item."""
        corpus = self.corpus
        if not len(corpus):
            raise CaesuraError("there is nothing to draw: the corpus holds no annotation.")
        if not corpus.lengths.any():
            raise CaesuraError(f"there is nothing to draw: {', '.join(corpus.items[:3])} holds no unit.")
        whole = [name for name in self.names if drawing(name).whole]
        pictures = [draw(name, corpus, **self.options) for name in whole]
        if self._draws_whole_corpus:
            return pictures
        for item in corpus.items[: self.limit]:
            alone = corpus.select(items=[item])
            names = [n for n in self.names if n not in whole] or [next(d.name for d in applicable(alone) if d.alone)]
            pictures += [draw(name, alone, **self.options) for name in names]
        return pictures

    def blocks(self) -> Sequence[Block]:
        """Return the drawings, and a note that counts the other items."""
        rest = [f"… and {self.more} more items; limit=None draws them all."] if self.more else []
        return (*self.pictures(), *rest)

    def as_dict(self) -> dict[str, Any]:
        """Return every track with its coders' boundaries and the agreement at each position; nested segments; spans."""
        corpus = self.corpus
        nested = [{**_place(a), "segments": a.marks.spans} for a in corpus if isinstance(a.marks, Hierarchy)]
        spans = [
            {**_place(a), "length": a.marks.length, "spans": a.marks.rows} for a in corpus if isinstance(a.marks, Spans)
        ]
        return {
            "kind": corpus.kind,
            "items": list(corpus.items),
            "coders": list(corpus.coders),
            "tracks": [] if corpus.kind == "spans" else _track_dicts(corpus),
            **({"nested": nested} if nested else {}),
            **({"spans": spans} if spans else {}),
        }


def show(
    given: CorpusLike | Marks | Result,
    drawings: str | Sequence[str] | None = None,
    *,
    limit: int | None = _SHOWN,
    **options: Any,
) -> Result:
    """Draw a corpus or a single annotation, at the prompt or in a notebook.

    Parameters
    ----------
    given : Corpus, mapping, Segmentation, Hierarchy, Spans, list of int, str or Result
        A corpus, ``{item: {coder: marks}}``, or a single annotation. A result is returned unchanged, because it renders itself.
    drawings : str or sequence of str, default None
        Names of drawings (``caesura list drawings``); by default the first that fits.
    limit : int or None, default 5
        The number of items to draw; None for all.
    **options
        Options of the drawing, such as ``zoom="density"``.

    Returns
    -------
    Result
        The drawings.

    Examples
    --------
    >>> show({"kubla": {"gold": [2, 3, 6], "system": [5, 6]}})
    kubla
            1                   5                        10
    gold    ─────────┃──────────────┃──────────────────────────────
    system  ────────────────────────┃──────────────────────────────
    agree            ○              ●
    ● all agree · ○ one of two
    """
    if isinstance(given, Result) and not isinstance(given, (Segmentation, Hierarchy, Spans)):
        if drawings or options:
            raise CaesuraError("a result has its own drawings; pass a corpus to choose one.")
        return given
    given = from_anything(given)
    if is_annotation_like(given):
        corpus = Corpus.from_annotations([Annotation("", "", given)])  # type: ignore[arg-type]
    else:
        corpus = as_corpus(given, "the argument of show", lambda item: (item, ""))
    return Showing(corpus, (drawings,) if isinstance(drawings, str) else tuple(drawings or ()), options, limit)


def _place(annotation: Annotation) -> dict[str, Any]:
    return {"item": annotation.item, "coder": annotation.coder, "track": annotation.track}


def _track_dicts(corpus: Corpus) -> list[dict[str, Any]]:
    return [
        {
            "item": annotated.item,
            "track": annotated.track,
            "length": annotated.length,
            "coders": {c: m.positions.tolist() for c, m in zip(annotated.coders, annotated.marks, strict=True)},
            "places": [
                {"position": p.position, "coders": [annotated.coders[i] for i in p.holders], "agreement": p.verdict}
                for p in annotated.places
            ],
        }
        for annotated in annotated_tracks(corpus)
    ]
