"""The registry of drawings, which terminals, notebooks, reports and the workbench share.

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
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation, Spans
from caesura.model.corpus import Kind, Marks
from caesura.registry import Entry, Registry
from caesura.text import track_title

_FLAT: frozenset[Kind] = frozenset({"units", "time"})
_NESTED: frozenset[Kind] = frozenset({"nested"})
_UNITS: frozenset[Kind] = frozenset({"units"})
_TIME: frozenset[Kind] = frozenset({"time"})
_SPANS: frozenset[Kind] = frozenset({"spans"})
_ALL = _FLAT | _NESTED

#: The facts of a drawing and their defaults; :class:`Drawing` explains them.
_FACTS: dict[str, Any] = {
    "title": "", "kinds": _ALL, "min_coders": 1, "max_coders": None, "typed": None, "whole": False, "tracks": False, "shown": False,
    "alone": False, "letters": "", "named": False,
}  # fmt: skip


@dataclass(frozen=True)
class Drawing:
    """The facts about a drawing.

    Attributes
    ----------
    name, title : str
        The name for ``--draw NAME``, and what the drawing shows.
    kinds : frozenset of str
        The kinds of annotation that it draws.
    min_coders, max_coders : int, int or None
        The number of coders that it takes; None for no upper limit.
    typed : bool or None
        True if boundaries must have types, False if they must not, None if both work.
    whole : bool
        Whether it draws a whole corpus; otherwise it draws one item.
    tracks : bool
        Whether it draws several tracks itself; otherwise it is called for each track.
    shown : bool
        Whether ``compare`` may draw it by default: it takes the first such drawing in the table that fits.
    alone : bool
        Whether ``show`` may draw it by default: it shows annotations rather than a comparison.
    letters : str
        A character class of a regular expression, without brackets, to which most letters of the text must belong; "" for any text.
    named : bool
        Whether the segments of all coders must have names.
    """

    name: str
    title: str
    kinds: frozenset[Kind]
    min_coders: int
    max_coders: int | None
    typed: bool | None
    whole: bool
    tracks: bool
    shown: bool
    alone: bool
    letters: str
    named: bool

    @property
    def options(self) -> list[str]:
        """The names of the options that the function takes."""
        parameters = inspect.signature(DRAWINGS[self.name]).parameters.values()
        return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]

    def refusal(self, corpus: Corpus) -> str | None:
        """Return a sentence that says why a corpus cannot be drawn, or None if it can."""
        fewest, most = self.min_coders, self.max_coders
        if corpus.kind not in self.kinds:
            return f"the drawing {self.name!r} shows {' or '.join(sorted(self.kinds))}, not {corpus.kind}."
        if len(corpus.coders) < fewest or (most is not None and len(corpus.coders) > most):
            wanted = f"{fewest} coders" if most == fewest else f"at least {fewest} coders"
            return f"the drawing {self.name!r} takes {wanted}; this corpus has {len(corpus.coders)}."
        if self.typed is not None and corpus.typed != self.typed:
            what = ("spans", "labels") if corpus.kind == "spans" else ("boundaries", "types")
            return f"the drawing {self.name!r} takes {what[0]} with{'' if self.typed else 'out'} {what[1]}."
        if self.named and len(corpus.names) < len(corpus):
            return f"the drawing {self.name!r} takes segments that all have names, such as phones."
        if not self.whole and len(corpus.items) != 1:
            return f"the drawing {self.name!r} takes one item; choose one of {len(corpus.items)}."
        if self.letters and not _written_in(corpus, self.letters):
            return f"the drawing {self.name!r} does not draw text in this script."
        return None


def _written_in(corpus: Corpus, letters: str) -> bool:
    """Whether most letters at the beginning of the text are among these."""
    start = "".join("".join(units[:200]) for units in corpus.texts.values())
    # One call of the regular expression engine: a loop over characters was half of the calls of a comparison in the workbench.
    return 2 * len(re.findall(f"[{letters}]", start)) > len(re.findall(r"[^\W\d_]", start))


def _check_function(name: str, loaded: Any) -> Callable[..., Picture]:
    if not callable(loaded):
        raise CaesuraError(
            f"a drawing is a function draw(corpus, *, options) that returns a Picture; {name!r} is not callable"
        )
    return cast("Callable[..., Picture]", loaded)


def _entry(where: str, title: str, kinds: frozenset[Kind] = _ALL, **facts: Any) -> Entry:
    return Entry(f"caesura.drawings.{where}", title=title, kinds=kinds, **facts)


_TWO: dict[str, Any] = {"min_coders": 2, "max_coders": 2}
_MANY: dict[str, Any] = {"min_coders": 2, "whole": True}

#: Every drawing by name, in the order in which they are shown.
DRAWINGS: Registry[Callable[..., Picture]] = Registry(
    "drawing",
    {
        "nested-bars": _entry("hierarchies:draw_nested_bars", "nested segments as bars, a row per level", _NESTED, shown=True, alone=True),
        "tree": _entry("hierarchies:draw_tree", "nested segments as trees", _NESTED, alone=True),
        "regions": _entry(
            "timelines:draw_regions", "two coders along time, with search regions, hits, insertions and deletions",
            _TIME, shown=True, **_TWO,
        ),
        "plane": _entry("plane:draw_plane", "coders against the reference in the segmentation performance plane", _TIME, **_MANY),
        "tolerance-curves": _entry(
            "aligners:draw_tolerance_curves", "aligners against the reference: shares of onsets within every tolerance",
            _TIME, named=True, **_MANY,
        ),
        "error-histograms": _entry(
            "aligners:draw_error_histograms", "aligners against the reference: histograms of onset errors", _TIME, named=True, **_MANY,
        ),
        "error-quartiles": _entry(
            "aligners:draw_error_quartiles", "aligners against the reference: bias and quartiles by phone", _TIME, named=True, **_MANY,
        ),
        "spans": _entry("spans:draw_spans", "spans under each other, those of one unit joined", _SPANS, shown=True, alone=True),
        "turns": _entry(
            "turns:draw_turns", "turns of speakers, each above the partner of the best map, with errors", _SPANS, typed=True, **_TWO,
        ),
        "edits": _entry(
            "segmentations:draw_edits", "boundary edits between two coders: matches, near misses, additions",
            _UNITS, tracks=True, shown=True, **_TWO,
        ),
        "segmentations": _entry(
            "segmentations:draw_segmentations", "segmentations under each other, agreement marked",
            tracks=True, shown=True, alone=True,
        ),
        "density": _entry("densities:draw_density", "boundary density along the text", tracks=True),
        "alignment": _entry("alignments:draw_alignment", "how the segments of two coders align", _FLAT, **_TWO),
        "operations": _entry(
            "operations:draw_operations", "edits that turn one coder's typed boundaries into the other's",
            _UNITS, typed=True, tracks=True, **_TWO,
        ),
        "fates": _entry(
            "operations:draw_fates", "matches, substitutions, moves and deletions per boundary type",
            _UNITS, typed=True, whole=True, **_TWO,
        ),
        "matrix": _entry("score_pictures:draw_matrix", "score of every two coders", _ALL | _SPANS, **_MANY),
        "strip": _entry("score_pictures:draw_strip", "scores of every item, worst first", _ALL | _SPANS, **_MANY),
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
    starts = set() if corpus.starts is None else set(corpus.starts.tolist())
    if len(starts) == 1 and (begins := starts.pop()):
        from caesura.display.plot import FromStart

        # options of time count from the start of the recording, as positions do
        moved = {key: v - begins if key in ("start", "end") and v is not None else v for key, v in options.items()}
        return FromStart(draw(name, corpus.relative(), **moved), begins)
    row, corpus = drawing(name), corpus.relative()
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
    both = side_by_side(reference, hypothesis)
    chosen = names or [d.name for d in applicable(both) if d.shown][:1]
    return [
        draw(name, both, **{key: value for key, value in options.items() if key in drawing(name).options})
        for name in chosen
    ]


def side_by_side(reference: Corpus, hypothesis: Corpus) -> Corpus:
    """Join both sides of a comparison into one corpus, the input of drawings; coders of the same name are told apart."""
    shared = set(reference.coders) & set(hypothesis.coders)
    return drawable_corpus(
        a._replace(coder=_side_name(a.coder, side, clash=a.coder in shared))
        for corpus, side in ((reference, "reference"), (hypothesis, "hypothesis"))
        for a in corpus
    )


def drawable_corpus(annotations: Iterable[Annotation]) -> Corpus:
    """Put annotations into one corpus to be drawn: recordings get one length, and types are dropped where only some have them."""
    listed = on_one_length(annotations)
    if len({isinstance(a.marks, Segmentation) and a.marks.typed for a in listed}) > 1:  # a corpus is typed or not
        listed = [a._replace(marks=_without_types(a.marks)) for a in listed]
    return Corpus.from_annotations(listed)


def _without_types(marks: Any) -> Segmentation:
    inside = [position for position in dict.fromkeys(marks.positions.tolist()) if position < marks.length]
    return Segmentation(marks.length, inside, units=marks.units)


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
        named = (a._replace(item=track_title(a.item, track), track="") for a in only)
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
    starts = {0.0 if isinstance(a.marks, Hierarchy) else a.marks.start for a in listed}
    # times count from the start of each recording
    listed = [a if isinstance(a.marks, Hierarchy) else a._replace(marks=a.marks.relative()) for a in listed]
    longest: dict[tuple[str, str], float] = {}
    for a in listed:
        if isinstance(a.marks, (Segmentation, Spans)) and a.marks.timed:
            longest[a.item, a.track] = max(float(a.marks.length), longest.get((a.item, a.track), 0.0))
    listed = [a._replace(marks=_stretch(a.marks, longest.get((a.item, a.track)))) for a in listed]
    if len(starts) == 1 and (begins := starts.pop()):
        return [a if isinstance(a.marks, Hierarchy) else a._replace(marks=a.marks.starting_at(begins)) for a in listed]
    return listed


def _stretch(marks: Marks, length: float | None) -> Marks:
    if isinstance(marks, Spans) and length is not None:
        return Spans(length, marks.starts, marks.ends, marks.types, marks.labels)
    if length is None or not isinstance(marks, Segmentation) or marks.length == length:
        return marks
    inner = marks.positions < marks.length  # the old end is no boundary of the longer recording
    types = None if marks.types is None else marks.types[inner]
    return Segmentation(length, marks.positions[inner], types, marks.labels, None, marks.names)
