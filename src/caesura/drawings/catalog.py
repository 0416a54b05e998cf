"""The registry of drawings: one picture for the terminal, the notebook, the report and the page.

A drawing is a function ``draw(corpus, **options) -> Picture``. A pair is a corpus of one item and two coders, the reference
first; so what can draw a corpus can draw a comparison, and everything is found by name in one table.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from caesura.display.scene import Picture
from caesura.errors import CaesuraError
from caesura.model import Annotation, Corpus, Segmentation, Spans
from caesura.model.corpus import Kind, Marks
from caesura.registry import Entry, Registry
from caesura.words import heading

_FLAT: frozenset[Kind] = frozenset({"units", "time"})
_NESTED: frozenset[Kind] = frozenset({"nested"})
_UNITS: frozenset[Kind] = frozenset({"units"})
_TIME: frozenset[Kind] = frozenset({"time"})
_SPANS: frozenset[Kind] = frozenset({"spans"})
_ALL = _FLAT | _NESTED

#: What is known of every drawing before it is loaded, with what holds where nothing is said. A stranger's drawing (entry
#: points ``caesura.drawings``) carries these as attributes of its function.
_FACTS: dict[str, Any] = {
    "title": "", "kinds": _ALL, "coders": (1, None), "typed": None, "whole": False, "tracks": False, "shown": False,
    "alone": False, "letters": "",
}  # fmt: skip


@dataclass(frozen=True)
class Drawing:
    """What is known of one drawing.

    Attributes
    ----------
    name, title
        How users ask for it (``--draw NAME``), and what it shows.
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
    letters
        Letters, as a regular expression has them between brackets, that most letters of the text must be among; "" where any text, or none, goes.
    """

    name: str
    title: str
    kinds: frozenset[Kind]
    coders: tuple[int, int | None]
    typed: bool | None
    whole: bool
    tracks: bool
    shown: bool
    alone: bool
    letters: str

    @property
    def options(self) -> list[str]:
        """Names of the options that the function takes."""
        parameters = inspect.signature(DRAWINGS[self.name]).parameters.values()
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
        if self.letters and not _written_in(corpus, self.letters):
            return f"the drawing {self.name!r} takes a text in other letters than this one's."
        return None


def _written_in(corpus: Corpus, letters: str) -> bool:
    """Whether most letters at the beginning of the text are among these."""
    start = "".join("".join(units[:200]) for units in corpus.texts.values())
    return 2 * len(re.findall(f"[{letters}]", start)) > sum(c.isalpha() for c in start)


def _check_function(name: str, loaded: Any) -> Callable[..., Picture]:
    if not callable(loaded):
        raise CaesuraError(f"a drawing is a function draw(corpus, *, options) that returns a Picture; {name!r} is none")
    return cast("Callable[..., Picture]", loaded)


def _entry(where: str, title: str, kinds: frozenset[Kind] = _ALL, **facts: Any) -> Entry:
    return Entry(f"caesura.drawings.{where}", title=title, kinds=kinds, **facts)


_TWO: dict[str, Any] = {"coders": (2, 2)}
_MANY: dict[str, Any] = {"coders": (2, None), "whole": True}

#: Every drawing by name, in the order in which they are shown.
DRAWINGS: Registry[Callable[..., Picture]] = Registry(
    "drawing",
    {
        "nested-bars": _entry("hierarchies:draw_nested_bars", "nested segments as bars, a row per level", _NESTED, shown=True, alone=True),
        "tree": _entry("hierarchies:draw_tree", "nested segments as trees", _NESTED, alone=True),
        "regions": _entry(
            "search_regions:draw_regions", "two coders along time, with search regions, hits, insertions and deletions",
            _TIME, shown=True, **_TWO,
        ),
        "plane": _entry("plane:draw_plane", "coders against the first one in the segmentation performance plane", _TIME, **_MANY),
        "spans": _entry("spans:draw_spans", "spans under each other, those of one unit joined", _SPANS, shown=True, alone=True),
        "edits": _entry(
            "segmentations:draw_edits", "boundary edits between two coders: matches, near misses, additions",
            _UNITS, tracks=True, shown=True, **_TWO,
        ),
        "segmentations": _entry(
            "segmentations:draw_segmentations", "segmentations under each other, agreement marked",
            tracks=True, shown=True, alone=True,
        ),
        "density": _entry("densities:draw_density", "boundary density along the text", tracks=True),
        "alignment": _entry("segment_edges:draw_alignment", "how the segments of two coders align", _FLAT, **_TWO),
        "operations": _entry(
            "edits_on_text:draw_operations", "what turns one coder's typed boundaries into the other's",
            _UNITS, typed=True, tracks=True, **_TWO,
        ),
        "fates": _entry(
            "fates:draw_fates", "how each boundary type of one coder fared with the other",
            _UNITS, typed=True, whole=True, **_TWO,
        ),
        "restorations": Entry(
            "caesura.vowels.restorations:draw_restorations",  # that room plugs in; nothing imports it
            title="Hebrew or Arabic text with its vowels restored, doubtful letters marked", kinds=_UNITS | _NESTED | _SPANS,
            letters="א-תء-ي",
        ),
        "matrix": _entry("matrices:draw_matrix", "score of every two coders", _ALL | _SPANS, **_MANY),
        "strip": _entry("strips:draw_strip", "scores of every item, worst first", _ALL | _SPANS, **_MANY),
    },
    facts=_FACTS,
    accept=_check_function,
)  # fmt: skip


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
    function, known = DRAWINGS[name], row.options
    for option in options:
        if option not in known:
            raise CaesuraError(f"the drawing {name!r} has no option {option!r}; it takes {', '.join(known) or 'none'}.")
    if row.whole or row.tracks or len(corpus.tracks) == 1:
        return function(corpus, **options)
    from caesura.display.scene import stack

    return stack([function(track, **options) for track in _by_track(corpus)])


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


def drawing(name: str) -> Drawing:
    """Say what is known of a drawing by its name."""
    return Drawing(name, **DRAWINGS.facts(name))


def applicable(corpus: Corpus) -> list[Drawing]:
    """List the drawings that can show this corpus as it is."""
    rows = (Drawing(name, **facts) for name, facts in DRAWINGS.all_facts())
    return [row for row in rows if row.refusal(corpus) is None]


def _by_track(corpus: Corpus) -> Iterator[Corpus]:
    """Part an item into one corpus per track, the track's name joined to the item's."""
    for track in corpus.tracks:
        only = corpus.select(tracks=[track])
        named = (a._replace(item=heading(a.item, track), track="") for a in only)
        yield Corpus.from_annotations(named, labels=corpus.labels)


def pair_corpus(
    reference: Marks, hypothesis: Marks, *, item: str = "", names: tuple[str, str] = ("reference", "hypothesis")
) -> Corpus:
    """Put two annotations of one text into a corpus of one item: what drawings of a comparison take."""
    pair = [Annotation(item, names[0], reference), Annotation(item, names[1], hypothesis)]
    return Corpus.from_annotations(on_one_length(pair))


def on_one_length(annotations: Iterable[Annotation]) -> list[Annotation]:
    """Give recordings of one track the length of the longest: segmenters may stop early, and aligners run on."""
    listed = list(annotations)
    longest: dict[tuple[str, str], float] = {}
    for a in listed:
        if isinstance(a.marks, (Segmentation, Spans)) and a.marks.timed:
            longest[a.item, a.track] = max(float(a.marks.length), longest.get((a.item, a.track), 0.0))
    return [a._replace(marks=_stretch(a.marks, longest.get((a.item, a.track)))) for a in listed]


def _stretch(marks: Marks, length: float | None) -> Marks:
    if isinstance(marks, Spans) and length is not None:
        return Spans(length, marks.starts, marks.ends, marks.types, marks.labels)
    if length is None or not isinstance(marks, Segmentation) or marks.length == length:
        return marks
    inner = marks.positions < marks.length  # the old end is no boundary of the longer recording
    types = None if marks.types is None else marks.types[inner]
    return Segmentation(length, marks.positions[inner], types, marks.labels, None, marks.names)
