"""Move the annotations of altered texts to the texts of a reference, and report how much was altered and placed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np

from caesura.anchoring.alignment import MAX_MOVED, Anchoring, Passage, anchor, passage_in_context
from caesura.anchoring.folding import check_fold
from caesura.display.result import Result
from caesura.display.table import Rounded, Table
from caesura.errors import CaesuraError
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation, Spans
from caesura.model.corpus import Marks
from caesura.text import describe_location, pluralize
from caesura.validation import validate_choice, validate_range

#: Level -> the altered share at which to warn, and at which to refuse. The worst of 26 published outputs has 0.053; unrelated English
#: texts have 0.78 to 0.80 in letters and 0.97 in words.
ALTERED_LIMITS = {"letters": (0.05, 0.30), "characters": (0.05, 0.30), "words": (0.20, 0.60)}
_WARN_MOVED, _WARN_PLACED = 0.01, 0.99
_AWAY = 2  # units between a mark that counts as wrong and the marks of the reference: no metric calls it nearly right by default

#: The label of spans that could not be placed and count as wrong.
NOT_PLACED = "(not placed)"


#: Parameters of :class:`AnchorOptions` and their types, for the command line.
OPTION_TYPES: dict[str, Any] = {
    "level": str,
    "fold": str,
    "max_altered": float,
    "max_moved": float,
    "min_placed": float,
    "keep_inside": bool,
    "edges": str,
    "unplaced": str,
    "skip_refused": bool,
}


@dataclass(frozen=True)
class AnchorOptions:
    """How texts that differ from the reference are anchored, and which are refused.

    Parameters
    ----------
    level : {"letters", "characters", "words"}, default "letters"
        What is aligned, see :func:`anchor`.
    fold : iterable of str, default None
        The differences to ignore, by default those of the level.
    max_altered : float, default None
        The largest share of altered units of a document; by default 0.30, for words 0.60.
    max_moved : float, default 0.05
        The largest share of moved words.
    min_placed : float, default 0.90
        The smallest share of marks that must have a place.
    keep_inside : bool, default False
        Whether marks inside long rewritten passages keep an approximate place.
    edges : {"inner", "outer"}, default "inner"
        Whether spans shrink to their own text, or include dropped text at both ends.
    unplaced : {"wrong", "out"}, default "wrong"
        Marks without a place: they count as wrong, or are left out.
    skip_refused : bool, default False
        Whether refused documents are left out; otherwise the first one raises an error.
    """

    level: str = "letters"
    fold: Iterable[str] | None = None
    max_altered: float | None = None
    max_moved: float = MAX_MOVED
    min_placed: float = 0.90
    keep_inside: bool = False
    edges: Literal["inner", "outer"] = "inner"
    unplaced: Literal["wrong", "out"] = "wrong"
    skip_refused: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "fold", check_fold(self.fold, self.level))
        if self.max_altered is None:
            object.__setattr__(self, "max_altered", ALTERED_LIMITS[self.level][1])
        for name in ("max_altered", "max_moved", "min_placed"):
            validate_range(name, getattr(self, name), 0.0, 1.0)
        validate_choice("edges", self.edges, ("inner", "outer"))
        validate_choice("unplaced", self.unplaced, ("wrong", "out"))

    @classmethod
    def of(cls, given: AnchorOptions | Mapping[str, Any] | bool | str | None) -> AnchorOptions | None:
        """Return options from True, a level, a dict of parameters, or options; None if texts must not differ.

        Parameters
        ----------
        given : AnchorOptions, mapping, bool, str or None
            The value of ``anchor``.

        Returns
        -------
        AnchorOptions or None
        """
        if given is None or given is False:
            return None
        if isinstance(given, AnchorOptions):
            return given
        if given is True:
            return cls()
        if isinstance(given, str):
            return cls(given)
        if isinstance(given, Mapping):
            if unknown := set(given) - {f.name for f in fields(cls)}:
                raise CaesuraError(
                    f"anchoring has no parameter {min(unknown)!r}; it has {', '.join(f.name for f in fields(cls))}."
                )
            return cls(**given)
        raise CaesuraError(f"anchor is {given!r}; expected True, a level, or a dict of parameters.")

    @property
    def signature(self) -> str:
        """What a score depends on, for its signature."""
        parts = [f"anchor:{'+'.join((self.level, *(self.fold or ())))}", f"maxalt:{self.max_altered:g}"]
        parts += [f"maxmov:{self.max_moved:g}", f"edges:{self.edges}"]
        parts += ["inside:kept"] if self.keep_inside else []
        return "|".join([*parts, *(["unplaced:out"] if self.unplaced == "out" else [])])


@dataclass
class AnchorCounts:
    """Counts of one anchored document, or of several added up."""

    documents: int = 0
    matches: int = 0
    substitutions: int = 0
    deletions: int = 0
    insertions: int = 0
    source_units: int = 0
    copy_units: int = 0
    longer_units: int = 0  # of the longer text of each document
    distance: int = 0
    white_changed: int = 0
    white_runs: int = 0
    moved: float | None = None  # the largest of the documents
    marks: int = 0
    placed: int = 0
    exact: int = 0
    edge: int = 0
    inside: int = 0
    gap: int = 0
    ambiguous: int = 0
    merged: int = 0
    snapped: int = 0
    snapped_distance: int = 0
    lost: int = 0
    at_ends: int = (
        0  # of these, boundaries that fell on the start or end of the text: they have a place, and say nothing there
    )
    exact_alignment: bool = True

    @classmethod
    def of_alignment(cls, anchored: Anchoring) -> AnchorCounts:
        """Start the counts of a document with those of its alignment."""
        n, m = anchored.units
        changed, runs = anchored.white
        return cls(
            documents=1,
            **anchored.edits,
            source_units=n,
            copy_units=m,
            longer_units=max(n, m),
            distance=anchored.distance,
            white_changed=changed,
            white_runs=runs,
            moved=anchored.moved,
            exact_alignment=anchored.exact,
        )

    @property
    def altered(self) -> float:
        """The distance divided by the units of the longer texts."""
        return self.distance / max(self.longer_units, 1)

    @property
    def placed_share(self) -> float:
        """The share of marks that have a place; 1 without marks."""
        return self.placed / self.marks if self.marks else 1.0

    def __add__(self, other: AnchorCounts) -> AnchorCounts:
        total = AnchorCounts()
        for each in fields(self):
            one, two = getattr(self, each.name), getattr(other, each.name)
            if each.name == "moved":
                value: Any = max((x for x in (one, two) if x is not None), default=None)
            else:
                value = (one and two) if each.name == "exact_alignment" else one + two
            setattr(total, each.name, value)
        return total

    def as_dict(self) -> dict[str, Any]:
        """Return all counts, with the shares ``altered``, ``white`` and ``placed_share``."""
        counts = {each.name: getattr(self, each.name) for each in fields(self)}
        white = self.white_changed / self.white_runs if self.white_runs else 0.0
        return {**counts, "altered": self.altered, "white": white, "placed_share": self.placed_share}


@dataclass(frozen=True, repr=False)
class AnchoredCorpus(Result):
    """A corpus whose annotations were moved to the texts of a reference.

    Attributes
    ----------
    corpus : Corpus
        The annotations on the texts of the reference.
    options : AnchorOptions
        How they were anchored.
    items : mapping of str to AnchorCounts
        The counts of every document whose text differs.
    refused : mapping of str to str
        Documents that were left out, with the reason.
    alignments : mapping of str to Anchoring
        The alignment of every document whose text differs.
    """

    corpus: Corpus
    options: AnchorOptions
    items: Mapping[str, AnchorCounts] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    alignments: Mapping[str, Anchoring] = field(default_factory=dict)

    @property
    def total(self) -> AnchorCounts:
        """The counts of all documents, added up."""
        return sum(self.items.values(), AnchorCounts())

    @property
    def signature(self) -> str:
        """The options if any document differs, otherwise ""; part of the signature of every score."""
        return self.options.signature if self.items or self.refused else ""

    def warnings(self) -> list[str]:
        """Return sentences about documents that differ more than usual, and about those that were left out."""
        if not (self.items or self.refused):
            return []
        total, sentences = self.total, []
        most = max(self.items, key=lambda item: self.items[item].altered, default="")
        if most and self.items[most].altered > ALTERED_LIMITS[self.options.level][0]:
            sentences.append(f"{self.items[most].altered:.1%} of the text of item {most!r} was altered.")
        if total.moved is not None and total.moved > _WARN_MOVED:
            sentences.append(f"{total.moved:.1%} of the words of a document were moved.")
        if total.placed_share < _WARN_PLACED:
            lost = total.marks - total.placed
            wrong = "it counts as wrong" if lost == 1 else "they count as wrong"
            how = wrong if self.options.unplaced == "wrong" else "it is left out" if lost == 1 else "they are left out"
            if any(isinstance(each.marks, Hierarchy) for each in self.corpus):
                how = "nested segments keep the nearest place there"
            sentences.append(f"{pluralize(lost, 'mark')} of {total.marks} could not be placed in the source; {how}.")
        if total.at_ends:
            fell = (
                "falls on the start or end of a text and is"
                if total.at_ends == 1
                else "fall on the start or end of a text and are"
            )
            sentences.append(f"{pluralize(total.at_ends, 'boundary')} {fell} left out.")
        if not total.exact_alignment:
            sentences.append("the alignment is not minimal, so the altered share is an upper bound.")
        if self.refused:
            item = min(self.refused)
            sentences.append(f"{pluralize(len(self.refused), 'document')} refused and left out: {self.refused[item]}")
        return sentences

    def tables(self) -> Sequence[Table]:
        """Return the altered, placed and moved shares of every document that differs, and of all together (moved: the largest)."""
        rows = [
            (
                item,
                Rounded(c.altered, 4),
                c.marks,
                Rounded(c.placed_share, 4),
                None if c.moved is None else Rounded(c.moved, 4),
                c.exact,
                c.edge,
                c.gap,
                c.ambiguous,
                c.inside,
                c.lost,
            )
            for item, c in [*self.items.items(), *([("all", self.total)] if len(self.items) > 1 else [])]
        ]
        columns = ("item", "altered", "marks", "placed", "moved", "exact", "edge", "gap", "ambiguous", "inside", "lost")
        notes = (*(f"! {sentence}" for sentence in self.warnings()), self.signature)
        return [Table("anchored documents", columns, tuple(rows), tuple(note for note in notes if note))]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "signature": self.signature,
            **self.total.as_dict(),
            "items": {item: counts.as_dict() for item, counts in self.items.items()},
            "refused": dict(self.refused),
        }


# ---------------------------------------------------------------------- texts of units


class UnitText:
    """The units of a text joined to one string, with the offsets of every unit."""

    def __init__(self, units: Sequence[str]) -> None:
        alone = all(len(unit) == 1 for unit in units) or any(
            unit[:1].isspace() or unit[-1:].isspace() for unit in units
        )
        blank = "" if alone else " "
        self.text = blank.join(units)
        sizes = np.array([len(unit) for unit in units], np.int64)
        self.begins = np.cumsum(sizes + len(blank)) - sizes - len(blank)
        self.ends = self.begins + sizes

    def gap(self, position: int) -> int:
        """Return the character before which a boundary after so many units is."""
        return len(self.text) if position == len(self.begins) else int(self.begins[position])

    def nearest(self, at: int) -> tuple[int, int]:
        """Return the nearest edge of a unit, the earlier of equals, and its distance in characters."""
        after = int(np.searchsorted(self.begins, at))  # the first unit that begins here or later
        if after == 0 or self.ends[after - 1] <= at:  # between two units, or at an edge
            return after, 0
        left, right = at - int(self.begins[after - 1]), int(self.ends[after - 1]) - at
        return (after - 1, left) if left <= right else (after, right)

    def touched_units(self, begin: int, end: int) -> tuple[int, int]:
        """Return the units that a stretch of characters touches, end excluded."""
        first = int(np.searchsorted(self.ends, begin, side="right"))
        last = int(np.searchsorted(self.begins, end))
        return first, max(last, first + 1)


class _Mover:
    """Moves the annotations of one document."""

    def __init__(self, source: Sequence[str], copy: Sequence[str], options: AnchorOptions) -> None:
        self.source_units, self.options = tuple(source), options
        self.source, self.copy = UnitText(source), UnitText(copy)
        self.anchored = anchor(
            self.source.text, self.copy.text, options.level, options.fold, max_moved=options.max_moved
        )
        self.counts = AnchorCounts.of_alignment(self.anchored)
        self.unplaced: list[tuple[int, Any]] = []  # approximate position and type of marks without a place

    def move(self, marks: Marks) -> Marks:
        if isinstance(marks, Segmentation):
            return self._segmentation(marks)
        return self._spans(marks) if isinstance(marks, Spans) else self._hierarchy(marks)

    def boundaries(self, positions: Sequence[int]) -> list[tuple[int, bool]]:
        """Return the unit position of every boundary and whether it has a place, and count them."""
        found = []
        gaps = [self.copy.gap(position) for position in positions]
        for place in self.anchored.place(gaps, keep_inside=self.options.keep_inside):
            position, distance = self.source.nearest(place.position)
            counts = self.counts
            counts.marks += 1
            setattr(counts, place.status, getattr(counts, place.status) + 1)
            counts.snapped += distance > 0
            counts.snapped_distance += distance
            counts.placed += place.placed
            found.append((position, place.placed))
        return found

    def _segmentation(self, marks: Segmentation) -> Segmentation:
        n, types = len(self.source_units), marks.types
        positions = marks.positions.tolist()
        codes = [0] * len(positions) if types is None else types.tolist()
        kept: dict[tuple[int, int], None] = {}
        starts: dict[int, int] = {}  # old position -> new position of every boundary that is kept
        merged: set[int] = set()  # old positions of boundaries that came to the place of another one
        first: dict[int, int] = {}  # new position -> the first old position that came there
        for old, code, (position, placed) in zip(positions, codes, self.boundaries(positions), strict=True):
            if types is not None and old == marks.length:  # the closing boundary
                position = n
            at_end = position == 0 or (position >= n and types is None)
            if not placed and not at_end:
                self.unplaced.append((position, code))
                continue
            starts[old] = position
            if at_end:  # also inside a remark before or after the text
                self.counts.placed += not placed
                self.counts.lost += 1
                self.counts.at_ends += 1
            else:
                kept[position, code] = None
                merged |= {old} if first.setdefault(position, old) != old else set()
        self.counts.merged += len(merged)
        chosen = sorted(kept)
        return Segmentation(
            n,
            [p for p, _ in chosen],
            None if types is None else [c for _, c in chosen],
            marks.labels,
            self.source_units,
            _surviving_names(marks, starts, [0, *sorted({p for p, _ in chosen if p < n})]),
        )

    def _spans(self, marks: Spans) -> Spans:
        rows, counts = [], self.counts
        codes = [None] * len(marks.starts) if marks.types is None else marks.types.tolist()
        chars = [
            (int(self.copy.begins[b]), int(self.copy.ends[e - 1]))
            for b, e in zip(marks.starts.tolist(), marks.ends.tolist(), strict=True)
        ]
        how: dict[str, Any] = {"edges": self.options.edges, "keep_inside": self.options.keep_inside}
        for given, code, found in zip(chars, codes, self.anchored.spans(chars, **how), strict=True):
            counts.marks += 1
            if found is None:
                inside = self.anchored.spans([given], keep_inside=True)[0] is not None
                counts.inside += inside
                counts.lost += not inside
                self.unplaced.append((self.source.nearest(self.anchored.place([given[0]])[0].position)[0], code))
                continue
            counts.placed += 1
            same = self.source.text[slice(*found)] == self.copy.text[slice(*given)]
            counts.exact += same
            counts.edge += not same
            begin, end = (self.source.nearest(at) for at in found)
            counts.snapped += (begin[1] > 0) + (end[1] > 0)
            counts.snapped_distance += begin[1] + end[1]
            first, last = begin[0], end[0]
            if found[1] in self.source.ends:  # an exact end of a unit, before the blank
                last = int(np.searchsorted(self.source.ends, found[1])) + 1
            if last <= first:  # less than half a unit is left
                first, last = self.source.touched_units(*found)
            rows.append((first, last, code))
        n = len(self.source_units)
        types = None if marks.types is None else [code for *_, code in rows]
        return Spans(n, [r[0] for r in rows], [r[1] for r in rows], types, marks.labels, self.source_units)

    def _hierarchy(self, marks: Hierarchy) -> Hierarchy:
        edges = sorted({edge for first, last, _ in marks.spans for edge in (first - 1, last)})
        where = {0: 0, marks.length: len(self.source_units)}
        inner = [edge for edge in edges if edge not in where]
        # one monotone function for all levels, so that nesting is kept; marks without a sure place keep an approximate one, which is counted
        where |= {edge: position for edge, (position, _) in zip(inner, self.boundaries(inner), strict=True)}
        rows = []
        for first, last, level in marks.spans:
            begin, end = where[first - 1], where[last]
            if begin < end:
                rows.append((begin + 1, end, level))
            else:
                self.counts.lost += 1
        return Hierarchy(len(self.source_units), rows, self.source_units)


def _surviving_names(marks: Segmentation, moved: Mapping[int, int], starts: Sequence[int]) -> list[str] | None:
    """Return the name of the segment that begins at each of the new positions; segments that became empty have none."""
    if marks.names is None:
        return None
    named = {0: marks.names[0]} if marks.names else {}
    for number, old in enumerate(marks.distinct_positions.tolist(), 1):
        if old in moved:
            named[moved[old]] = marks.names[number]
    return [named[start] for start in starts] if named else []


# ---------------------------------------------------------------------- corpora


def anchor_corpus(
    source: Corpus | Mapping[str, str | Sequence[str]],
    copy: Corpus,
    options: AnchorOptions | Mapping[str, Any] | bool | str | None = True,
) -> AnchoredCorpus:
    """Move the annotations of altered texts to the texts of a reference.

    Parameters
    ----------
    source : Corpus or mapping
        A corpus with texts, or ``{item: units}``.
    copy : Corpus
        Annotations of the same items whose texts may differ.
    options : AnchorOptions, dict, str or bool, default True
        Level, folds, and the limits beyond which a document is refused.

    Returns
    -------
    AnchoredCorpus
        The moved annotations, with counts per document. Documents whose text is the same are not changed.

    Raises
    ------
    CaesuraError
        If a document differs too much, or if a document whose length differs has no text.
    """
    chosen = AnchorOptions.of(options) or AnchorOptions()
    texts = (
        source.texts if isinstance(source, Corpus) else {(item, ""): _units(units) for item, units in source.items()}
    )
    gold = _reference_positions(source) if isinstance(source, Corpus) else {}
    if copy.timed:
        raise CaesuraError("annotations in time have no text to anchor; leave anchoring out.")
    moved: list[Annotation] = []
    counts: dict[str, AnchorCounts] = {}
    refused: dict[str, str] = {}
    alignments: dict[str, Anchoring] = {}
    changed = False
    for annotation in copy:
        key = annotation.item, annotation.track
        units, wanted = annotation.marks.units, texts.get(key)
        if wanted is None or units == wanted:
            moved.append(annotation)
            continue
        if units is None:
            _check_same_length(annotation, len(wanted))
            moved.append(annotation)
            continue
        changed = True
        where = f"{describe_location(*key)}: " if any(key) else ""
        try:
            mover = _Mover(wanted, units, chosen)
            check_altered(mover.anchored, chosen)
            marks = mover.move(annotation.marks)
            _check_placed(mover.counts, mover.anchored, chosen)
        except CaesuraError as fault:
            reason = f"{where}{fault}"
            if not chosen.skip_refused:
                raise CaesuraError(
                    f"{reason} Leave such documents out with skip_refused=True (--skip-refused)."
                ) from None
            refused[annotation.item] = reason
            continue
        if chosen.unplaced == "wrong" and mover.unplaced:
            marks = _add_wrong(marks, mover.unplaced, gold.get(key, frozenset()))
        name = annotation.item if not annotation.track else f"{annotation.item} · {annotation.track}"
        alignments[name] = mover.anchored
        counts[name] = counts.get(name, AnchorCounts()) + mover.counts
        moved.append(annotation._replace(marks=marks))
    if not changed:
        return AnchoredCorpus(copy, chosen)
    kept = [each for each in moved if each.item not in refused]
    if not kept:
        reason = next(iter(refused.values()))
        raise CaesuraError(
            reason if len(refused) == 1 else f"all {len(refused)} documents were refused; the first: {reason}"
        )
    labels = copy.labels
    if labels is not None and any(
        isinstance(each.marks, Spans) and NOT_PLACED in (each.marks.labels or ()) for each in kept
    ):
        labels = (*labels, NOT_PLACED)
    result = Corpus.from_annotations(kept, labels=labels, attributes=copy.attributes)
    return AnchoredCorpus(result, chosen, counts, refused, alignments)


def _units(text: str | Sequence[str]) -> tuple[str, ...]:
    return tuple(text)


def _check_same_length(annotation: Annotation, length: int) -> None:
    if annotation.marks.length != length:
        raise CaesuraError(
            f"{describe_location(annotation.item, annotation.track)}: the annotation has {annotation.marks.length} units and no text, the "
            f"source has {length}; only annotations with their text can be anchored."
        )


def _reference_positions(corpus: Corpus) -> dict[tuple[str, str], frozenset[int]]:
    """Return the boundaries, or the units of spans, of all coders by item and track."""
    found: dict[tuple[str, str], set[int]] = {}
    for annotation in corpus:
        marks = annotation.marks
        here = found.setdefault((annotation.item, annotation.track), set())
        if isinstance(marks, Segmentation):
            here.update(int(p) for p in marks.positions)
        elif isinstance(marks, Spans) and not marks.timed:
            for begin, end in zip(marks.starts.tolist(), marks.ends.tolist(), strict=True):
                here.update(range(begin, end))
    return {key: frozenset(places) for key, places in found.items()}


def _add_wrong(marks: Marks, unplaced: list[tuple[int, Any]], reference: frozenset[int]) -> Marks:
    """Put marks without a place where the reference has none, as near as possible, so that they count as wrong."""
    n = int(marks.length)
    if isinstance(marks, Segmentation):
        taken = set(marks.positions.tolist())
        typed = marks.types is not None
        rows = list(
            zip(
                marks.positions.tolist(),
                marks.types.tolist() if marks.types is not None else [0] * len(taken),
                strict=True,
            )
        )
        for at, code in unplaced:
            if (free := _nearest_free(at, range(1, n), reference, taken)) is not None:
                taken.add(free)
                rows.append((free, code))
        rows.sort()
        return Segmentation(n, [p for p, _ in rows], [c for _, c in rows] if typed else None, marks.labels, marks.units)
    if isinstance(marks, Spans):
        labels = None if marks.types is None else (*(marks.labels or ()), NOT_PLACED)
        starts, ends = marks.starts.tolist(), marks.ends.tolist()
        types = None if marks.types is None else marks.types.tolist()
        taken = set(starts)
        for at, _ in unplaced:
            free = _nearest_free(at, range(n), reference, taken)
            if free is not None:
                taken.add(free)
                starts.append(free)
                ends.append(free + 1)
                if types is not None:
                    types.append(len(labels or ()) - 1)
        return Spans(n, starts, ends, types, labels, marks.units)
    return marks


def _nearest_free(at: int, among: range, reference: frozenset[int], taken: set[int]) -> int | None:
    """Return the position nearest to ``at`` that is away from all marks of the reference, or at least is none of them."""
    for away in (_AWAY, 0):
        for distance in range(len(among) + 1):
            for position in (at - distance, at + distance):
                if (
                    position in among
                    and position not in taken
                    and not any(position + step in reference for step in range(-away, away + 1))
                ):
                    return position
    return None


def check_altered(anchored: Anchoring, options: AnchorOptions) -> None:
    """Raise an error that shows the first altered passage if more of the text was altered than ``max_altered`` allows."""
    limit = options.max_altered or 0.0
    if anchored.altered <= limit:
        return
    raise CaesuraError(
        f"{anchored.altered:.1%} of the text was altered, more than {100 * limit:g} %; {_first_passage(anchored)}; to accept it, raise "
        "max_altered (--max-altered)."
    )


def _first_passage(anchored: Anchoring) -> str:
    """Name the first altered passage of both texts; their start if only white space or case differ."""
    first = next(iter(anchored.passages(1)), Passage((0, 0), (0, 0)))
    ours, theirs = passage_in_context(anchored.source, *first.source), passage_in_context(anchored.copy, *first.copy)
    return f"the first passage is {ours!r} in the source and {theirs!r} in the copy"


def _check_placed(counts: AnchorCounts, anchored: Anchoring, options: AnchorOptions) -> None:
    if counts.placed_share < options.min_placed:
        raise CaesuraError(
            f"{counts.placed} of {pluralize(counts.marks, 'mark')} could be placed in the source, less than {options.min_placed:.0%}; "
            f"{_first_passage(anchored)}; to accept it, lower min_placed (-O anchor.min_placed=0)."
        )
