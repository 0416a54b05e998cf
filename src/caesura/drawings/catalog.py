"""The table of drawings, and what a drawing is: one picture for the terminal, the notebook, the report and the page.

A drawing is a function ``draw(corpus, **options) -> Picture``. A pair is a corpus of one item and two coders, the reference
first; so what can draw a corpus can draw a comparison, and everything is found by name in one table.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, cast

from caesura.display.scene import Picture
from caesura.errors import CaesuraError, UnknownName
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation
from caesura.model.corpus import Kind
from caesura.words import heading

__all__ = ["DRAWINGS", "Drawing", "applicable", "draw", "drawing", "on_one_length", "pair_corpus"]


@dataclass(frozen=True)
class Drawing:
    """One row of the table: where the function is, and what it can draw.

    Attributes
    ----------
    name, title, where
        How users ask for it (``--draw NAME``), what it shows, and ``module:function``.
    kinds
        The kinds of annotation it draws.
    coders
        Fewest and most coders; most None where any number goes.
    typed
        True where boundaries must carry types, False where they must not, None where either goes.
    whole
        Whether it draws a whole corpus rather than one item of it.
    tracks
        Whether it draws several tracks by itself; else they are drawn one by one, under each other.
    shown
        Whether ``compare`` draws it without being asked, the first such row of the table that fits; else only with ``--draw``.
    alone
        Whether ``show`` draws it without being asked: it shows annotations rather than a comparison.
    """

    name: str
    title: str
    where: str
    kinds: frozenset[Kind]
    coders: tuple[int, int | None] = (1, None)
    typed: bool | None = None
    whole: bool = False
    tracks: bool = False
    shown: bool = False
    alone: bool = False

    def load(self) -> Any:
        """Import the function."""
        module, _, name = self.where.partition(":")
        return getattr(import_module(module), name)

    @property
    def options(self) -> list[str]:
        """Names of the options that the function takes."""
        parameters = inspect.signature(self.load()).parameters.values()
        return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]

    def refusal(self, corpus: Corpus) -> str | None:
        """Say in a sentence why this corpus cannot be drawn so; None where it can."""
        fewest, most = self.coders
        if corpus.kind not in self.kinds:
            return f"the drawing {self.name!r} shows {' or '.join(sorted(self.kinds))}, not {corpus.kind}."
        if len(corpus.coders) < fewest or (most is not None and len(corpus.coders) > most):
            wanted = f"{fewest} coders" if most == fewest else f"at least {fewest} coders"
            return f"the drawing {self.name!r} takes {wanted}; here are {len(corpus.coders)}."
        if self.typed is not None and corpus.typed != self.typed:
            return f"the drawing {self.name!r} takes boundaries with{'' if self.typed else 'out'} types."
        if not self.whole and len(corpus.items) != 1:
            return f"the drawing {self.name!r} takes one item; choose one of {len(corpus.items)}."
        return None


_ALL: frozenset[Kind] = frozenset({"units", "time", "nested"})
_FLAT: frozenset[Kind] = frozenset({"units", "time"})
_NESTED: frozenset[Kind] = frozenset({"nested"})

#: Every drawing by name, in the order in which they are shown. Families add their rows here.
DRAWINGS: dict[str, Drawing] = {
    d.name: d
    for d in (
        Drawing(
            "nested-bars",
            "nested segments as bars, a row a level",
            "caesura.drawings.hierarchies:draw_nested_bars",
            _NESTED,
            shown=True,
            alone=True,
        ),
        Drawing("tree", "nested segments as trees", "caesura.drawings.hierarchies:draw_tree", _NESTED, alone=True),
        Drawing(
            "regions",
            "two coders along time, with search regions, hits, insertions and deletions",
            "caesura.drawings.regions:draw_regions",
            frozenset({"time"}),
            coders=(2, 2),
            shown=True,
        ),
        Drawing(
            "plane",
            "coders against the first one in the segmentation performance plane",
            "caesura.drawings.plane:draw_plane",
            frozenset({"time"}),
            coders=(2, None),
            whole=True,
        ),
        Drawing(
            "edits",
            "boundary edits between two coders: matches, near misses, additions",
            "caesura.drawings.edits:draw_edits",
            frozenset({"units"}),
            coders=(2, 2),
            tracks=True,
            shown=True,
        ),
        Drawing(
            "segmentations",
            "segmentations under each other, agreement marked",
            "caesura.drawings.segmentations:draw_segmentations",
            _ALL,
            tracks=True,
            shown=True,
            alone=True,
        ),
        Drawing(
            "density",
            "boundary density along the text",
            "caesura.drawings.densities:draw_density",
            _ALL,
            tracks=True,
        ),
        Drawing(
            "alignment",
            "how the segments of two coders align",
            "caesura.drawings.alignment:draw_alignment",
            _FLAT,
            coders=(2, 2),
        ),
        Drawing(
            "operations",
            "what turns one coder's typed boundaries into the other's",
            "caesura.drawings.operations:draw_operations",
            frozenset({"units"}),
            coders=(2, 2),
            typed=True,
        ),
        Drawing(
            "fates",
            "how each boundary type of one coder fared with the other",
            "caesura.drawings.fates:draw_fates",
            frozenset({"units"}),
            coders=(2, 2),
            typed=True,
            whole=True,
        ),
        Drawing(
            "matrix",
            "score of every two coders",
            "caesura.drawings.matrices:draw_matrix",
            _ALL,
            coders=(2, None),
            whole=True,
        ),
        Drawing(
            "strip",
            "scores of every item, worst first",
            "caesura.drawings.strips:draw_strip",
            _ALL,
            coders=(2, None),
            whole=True,
        ),
    )
}


def draw(name: str, corpus: Corpus, **options: Any) -> Picture:
    """Draw a corpus (or one item of it, or a pair) by the drawing's name.

    Examples
    --------
    >>> kubla = Corpus.from_dict({"kubla": {"gold": [2, 3, 6], "system": [5, 6]}})
    >>> print(draw("segmentations", kubla))
    kubla
            1                   5                        10
    gold    ─────────┃──────────────┃──────────────────────────────
    system  ────────────────────────┃──────────────────────────────
    agree            ○              ●
    ● all agree · ○ one of two
    """
    row = drawing(name)
    if (why := row.refusal(corpus)) is not None:
        raise CaesuraError(why)
    function = row.load()
    known = row.options
    for option in options:
        if option not in known:
            raise CaesuraError(f"the drawing {name!r} has no option {option!r}; it takes {', '.join(known) or 'none'}.")
    if row.whole or row.tracks or len(corpus.tracks) == 1:
        return cast("Picture", function(corpus, **options))
    from caesura.drawings.stacks import stack

    return stack([function(one, **options) for one in _by_track(corpus)])


def drawing(name: str) -> Drawing:
    """Find a row of the table by name."""
    if name not in DRAWINGS:
        raise UnknownName("drawing", name, list(DRAWINGS))
    return DRAWINGS[name]


def applicable(corpus: Corpus) -> list[Drawing]:
    """List the drawings that can show this corpus as it is."""
    return [row for row in DRAWINGS.values() if row.refusal(corpus) is None]


def _by_track(corpus: Corpus) -> Iterator[Corpus]:
    """Part an item into one corpus a track, the track's name joined to the item's."""
    for track in corpus.tracks:
        only = corpus.select(tracks=[track])
        named = (a._replace(item=heading(a.item, track), track="") for a in only)
        yield Corpus.from_annotations(named, labels=corpus.labels)


def pair_corpus(
    reference: Segmentation | Hierarchy,
    hypothesis: Segmentation | Hierarchy,
    *,
    item: str = "",
    names: tuple[str, str] = ("reference", "hypothesis"),
) -> Corpus:
    """Put two annotations of one text into a corpus of one item: what drawings of a comparison take."""
    pair = [Annotation(item, names[0], reference), Annotation(item, names[1], hypothesis)]
    return Corpus.from_annotations(on_one_length(pair))


def on_one_length(annotations: Iterable[Annotation]) -> list[Annotation]:
    """Give recordings of one track the length of the longest: segmenters may stop early, and aligners run on."""
    listed = list(annotations)
    longest: dict[tuple[str, str], float] = {}
    for a in listed:
        if isinstance(a.marks, Segmentation) and a.marks.timed:
            longest[a.item, a.track] = max(float(a.marks.length), longest.get((a.item, a.track), 0.0))
    return [a._replace(marks=_stretched(a.marks, longest.get((a.item, a.track)))) for a in listed]


def _stretched(marks: Segmentation | Hierarchy, length: float | None) -> Segmentation | Hierarchy:
    if length is None or not isinstance(marks, Segmentation) or marks.length == length:
        return marks
    inner = marks.positions < marks.length  # the old end is no boundary of the longer recording
    types = None if marks.types is None else marks.types[inner]
    return Segmentation(length, marks.positions[inner], types, marks.labels, None, marks.names)
