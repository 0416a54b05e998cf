"""A batch: many pairs of annotations laid out for compiled loops.

Both sides are columns of marks and, for each pair, where its marks start and stop in them. So a batch over a whole corpus,
over all pairs of its coders, or over one pair in a function call is the same shape, and making one copies no marks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, LengthMismatch, UncountablePairs
from caesura.kernels.layout import MarkColumns
from caesura.model import Corpus, Hierarchy, Segmentation, Spans, as_segmentation
from caesura.model.columns import merged_labels
from caesura.model.corpus import Kind, Marks
from caesura.model.spans import UNNAMED


@dataclass(frozen=True, slots=True)
class SegmentNames:
    """The names of segments on one side, looked up when a family asks for them: those of pair ``i`` are ``known[rows[i]]``."""

    known: Mapping[int, tuple[str, ...]]
    rows: NDArray[np.int64]

    def of(self, pair: int) -> tuple[str, ...] | None:
        """The names of a pair's segments; None where they have none."""
        return self.known.get(int(self.rows[pair]))

    def take(self, index: Any) -> SegmentNames:
        """Keep only these pairs."""
        return replace(self, rows=self.rows[index])

    def __reduce__(self) -> tuple[Any, ...]:
        rows = self.rows.tolist()  # only these travel, and not as the read-only view that a corpus lends
        return SegmentNames, ({row: self.known[row] for row in rows if row in self.known}, self.rows)


@dataclass(frozen=True, slots=True)
class Side:
    """The marks of one side: those of pair ``i`` are at ``starts[i]:stops[i]`` in the columns.

    ``types`` is None where boundaries are untyped; nested segments have first units in ``positions``, last ones in ``ends``
    and levels in ``types``; spans starts, ends and codes of labels. ``names`` is None where no segment has one.
    """

    positions: NDArray[Any]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    types: NDArray[np.int64] | None = None
    ends: NDArray[Any] | None = None
    names: SegmentNames | None = None

    def __post_init__(self) -> None:
        for name in ("positions", "starts", "stops", "types", "ends"):
            column = getattr(self, name)
            if column is not None and (laid := one_layout(column)) is not column:
                object.__setattr__(self, name, laid)

    def __reduce__(self) -> tuple[Any, ...]:
        # anew, because pickled arrays come back writable
        return Side, (self.positions, self.starts, self.stops, self.types, self.ends, self.names)

    @classmethod
    def of(cls, corpus: Corpus, rows: NDArray[np.int64] | None = None) -> Side:
        """View annotations of a corpus, all of them or these rows, in this order."""
        starts, stops = corpus.offsets[:-1], corpus.offsets[1:]
        if rows is not None:
            starts, stops = starts[rows], stops[rows]
        names = None
        if corpus.names:
            names = SegmentNames(corpus.names, np.arange(len(corpus)) if rows is None else rows)
        return cls(corpus.positions, starts, stops, corpus.types, corpus.ends, names)

    @classmethod
    def pack(
        cls, positions: NDArray[Any], pair: NDArray[np.int64], pairs: int, types: NDArray[np.int64] | None = None
    ) -> Side:
        """Pack marks, which come with the pair each belongs to, in order of the pairs."""
        sizes = np.bincount(pair, minlength=pairs).astype(np.int64)
        stops = np.cumsum(sizes)
        return cls(positions, stops - sizes, stops, types)

    def unpack(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Index the marks of every pair one after the other, with the pair each belongs to."""
        sizes = self.sizes
        index = np.repeat(self.starts - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
        return index, np.repeat(np.arange(len(sizes)), sizes)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many marks each pair has on this side."""
        return self.stops - self.starts

    @property
    def columns(self) -> MarkColumns:
        """The boundaries as kernels take them."""
        return MarkColumns(self.positions, _NO_TYPES if self.types is None else self.types, self.starts, self.stops)

    def take(self, index: Any) -> Side:
        """Keep only these pairs."""
        names = None if self.names is None else self.names.take(index)
        return replace(self, starts=self.starts[index], stops=self.stops[index], names=names)

    def recode(self, before: tuple[str, ...] | None, after: tuple[str, ...] | None) -> Side:
        """Express the type codes in another set of labels."""
        if self.types is None or before is None or after is None or before == after:
            return self
        table = np.array([*(after.index(name) for name in before), UNNAMED], dtype=np.int64)  # code -1 reads the last
        recoded = replace(self, types=table[self.types] if len(self.types) else self.types)
        return _ascending(recoded) if self.ends is None else recoded


@dataclass(frozen=True, slots=True)
class Batch:
    """Pairs to compare: a reference side, a hypothesis side, and the length of each pair's text."""

    kind: Kind
    lengths: NDArray[Any]
    reference: Side
    hypothesis: Side
    labels: tuple[str, ...] | None = None
    _plain: list[Batch] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lengths", one_layout(self.lengths))

    def __reduce__(self) -> tuple[Any, ...]:
        return Batch, (self.kind, self.lengths, self.reference, self.hypothesis, self.labels)

    @classmethod
    def of_pair(cls, reference: Marks, hypothesis: Marks) -> Batch:
        """Lay out one pair."""
        if isinstance(reference, Segmentation) and isinstance(hypothesis, Segmentation):
            batch = _of_segmentations(reference, hypothesis)
            if batch is not None:
                return batch
        ours = Corpus.from_annotations([("pair", "reference", reference)])
        theirs = Corpus.from_annotations([("pair", "hypothesis", hypothesis)])
        return cls.of_corpora(ours, theirs)

    @classmethod
    def of_corpora(
        cls,
        reference: Corpus,
        hypothesis: Corpus,
        reference_rows: NDArray[np.int64] | None = None,
        hypothesis_rows: NDArray[np.int64] | None = None,
    ) -> Batch:
        """Lay out row ``i`` of one corpus against row ``i`` of the other; lengths and kinds must agree."""
        lengths = reference.lengths if reference_rows is None else reference.lengths[reference_rows]
        others = hypothesis.lengths if hypothesis_rows is None else hypothesis.lengths[hypothesis_rows]
        if len(lengths) != len(others):
            raise LengthMismatch(
                f"{len(lengths)} reference annotations against {len(others)} hypotheses; pair them one to one."
            )
        if reference.kind != hypothesis.kind and len(reference) and len(hypothesis):
            spans = "spans" in (reference.kind, hypothesis.kind)
            alike = "read both with as=spans or as=boundaries (-O)" if spans else "compare like with like"
            raise CaesuraError(f"the reference holds {reference.kind} and the hypothesis {hypothesis.kind}; {alike}.")
        if reference.timed != hypothesis.timed and len(reference) and len(hypothesis):
            raise CaesuraError("one side's spans are of units and the other's of seconds; compare like with like.")
        apart = np.flatnonzero(lengths != others) if not reference.timed else np.empty(0, np.int64)
        if len(apart):
            row = int(apart[0] if reference_rows is None else reference_rows[apart[0]])
            raise LengthMismatch(
                f"item {reference.items[reference.item_of[row]]!r}: the reference has {lengths[apart[0]]} units, "
                f"the hypothesis {others[apart[0]]}; both must cover the same text."
            )
        ref, hyp = _alike(Side.of(reference, reference_rows), Side.of(hypothesis, hypothesis_rows))
        labels = _shared_labels(reference, hypothesis)
        return cls(
            reference.kind,
            lengths,
            ref.recode(reference.labels, labels),
            hyp.recode(hypothesis.labels, labels),
            labels,
        )

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.lengths)

    @property
    def typed(self) -> bool:
        """Whether both sides carry types."""
        return self.reference.types is not None and self.hypothesis.types is not None

    @property
    def plain(self) -> Batch:
        """The same pairs without types: one boundary wherever there was any, the closing one left out."""
        if self.kind in ("nested", "spans") or (self.reference.types is None and self.hypothesis.types is None):
            return self
        if not self._plain:
            ref, hyp = (_drop_types(side, self.lengths, self.kind) for side in (self.reference, self.hypothesis))
            self._plain.append(replace(self, reference=ref, hypothesis=hyp, labels=None))
        return self._plain[0]

    @property
    def marks(self) -> int:
        """How many marks both sides have together: the work there is."""
        return int(self.reference.sizes.sum() + self.hypothesis.sizes.sum())

    @property
    def columns(self) -> tuple[MarkColumns, MarkColumns, NDArray[Any]]:
        """Both sides and the lengths, as kernels take them."""
        return self.reference.columns, self.hypothesis.columns, self.lengths

    def take(self, index: Any) -> Batch:
        """Keep only these pairs: a slice, a mask or indices."""
        return replace(
            self,
            lengths=self.lengths[index],
            reference=self.reference.take(index),
            hypothesis=self.hypothesis.take(index),
        )

    def parts(self, number: int) -> list[Batch]:
        """Cut into at most ``number`` runs of pairs with about equal numbers of marks, in order."""
        if number < 2 or len(self) < 2:
            return [self]
        work = np.cumsum(self.reference.sizes + self.hypothesis.sizes + 1)
        cuts = np.searchsorted(work, work[-1] * np.arange(1, number) / number)
        edges = np.unique(np.concatenate(([0], cuts, [len(self)])))
        return [self.take(slice(start, stop)) for start, stop in pairwise(edges.tolist())]

    def swap_sides(self) -> Batch:
        """Turn reference into hypothesis and the reverse."""
        return replace(self, reference=self.hypothesis, hypothesis=self.reference)

    def check_names(self) -> None:
        """Refuse a side that names no segment, or pairs without names on one side; where there is no text there is nothing to name."""
        for side, which in ((self.reference, "reference"), (self.hypothesis, "hypothesis")):
            if side.names is None:
                raise CaesuraError(f"the {which} gives its segments no names to compare.")
            some = self.lengths > 0
            if bare := [pair for pair in np.flatnonzero(some).tolist() if side.names.of(pair) is None]:
                raise UncountablePairs(f"the {which} gives its segments no names to compare", bare)

    def check_one_type_per_position(self) -> None:
        """Refuse two types at one position."""
        for side in (self.reference, self.hypothesis):
            if side.types is None or len(side.positions) < 2:
                continue
            for at in np.flatnonzero(np.diff(side.positions) == 0).tolist():
                if ((side.starts <= at) & (side.stops > at + 1)).any():
                    first, second = (self.labels[t] if self.labels else str(t) for t in side.types[at : at + 2])
                    raise CaesuraError(
                        f"position {side.positions[at]:g} carries two types, {first!r} and {second!r}; "
                        "this metric takes one type per position."
                    )


# ---------------------------------------------------------------------- single calls


#: A pair as the loops of single calls take it: its kind, the names of its types (None: none, empty: integers), both sides, their length.
SingleMarks: TypeAlias = tuple[Kind | None, tuple[str, ...] | None, Any, Any, Any]


def single_marks(reference: Any, hypothesis: Any, types: bool) -> SingleMarks:
    """Take one pair for the loops of single calls; the length of masses or flags is None.

    Where ``types`` are looked at and both sides have them, a side is (positions, types). No kind where one side alone has types, where
    lengths differ, or for anything that the constructors have to look at.
    """
    given = type(reference)
    if given is Segmentation:
        if (
            type(hypothesis) is given
            and (length := reference.length) == hypothesis.length
            and type(length) is type(hypothesis.length)
        ):
            kind: Kind = "units" if type(length) is int else "time"
            ours, theirs = reference.types, hypothesis.types
            if not types or (ours is None and theirs is None):
                return kind, None, reference.places, hypothesis.places, length
            if ours is not None and theirs is not None:
                labels = reference.labels
                if labels != hypothesis.labels:
                    scale = _common_scale(labels, hypothesis.labels)
                    if scale is None:
                        return _LONG_WAY
                    labels, ours, theirs = scale[0], one_layout(scale[1][ours]), one_layout(scale[2][theirs])
                return kind, labels or (), (reference.positions, ours), (hypothesis.positions, theirs), length
    elif given is Hierarchy:
        if type(hypothesis) is given and reference.length == hypothesis.length:
            return "nested", None, reference.segments, hypothesis.segments, reference.length
    elif (ref := raw_marks(reference)) is not None and (hyp := raw_marks(hypothesis)) is not None:
        return "units", None, ref, hyp, None
    return _LONG_WAY


_LONG_WAY: SingleMarks = (None, None, None, None, None)


@lru_cache(maxsize=256)
def _common_scale(
    ours: tuple[str, ...] | None, theirs: tuple[str, ...] | None
) -> tuple[tuple[str, ...], NDArray[np.int64], NDArray[np.int64]] | None:
    """One scale for the types of two sides, and where the names of each stand on it; None where types would change their order."""
    if ours is None or theirs is None:
        return None
    try:
        scale = merged_labels(ours, theirs)
    except CaesuraError:  # to be said in the words of the long way
        return None
    first, second = (np.array([scale.index(name) for name in names], np.int64) for names in (ours, theirs))
    return (scale, first, second) if (np.diff(first) > 0).all() and (np.diff(second) > 0).all() else None


def raw_marks(value: object) -> NDArray[Any] | None:
    """Return masses or flags as the kernels take them; None where they are anything else."""
    given = type(value)
    if given is list or given is tuple or given is np.ndarray:  # not masked arrays, which hide members
        try:
            raw = np.array(value)
        except ValueError:  # ragged lists
            return None
        return raw if raw.dtype is _WHOLE and raw.ndim == 1 else None
    return np.frombuffer(value.encode(), np.uint8) if isinstance(value, str) else None


def lay_out_pair(reference: Any, hypothesis: Any) -> Batch:
    """Lay out one pair of whatever people type: segmentations, lists of masses, strings of flags, hierarchies, spans."""
    sides = [v if isinstance(v, (Hierarchy, Spans)) else as_segmentation(v) for v in (reference, hypothesis)]
    return Batch.of_pair(*sides)


def one_layout(column: NDArray[Any]) -> NDArray[Any]:
    """Look at a column as at those of a Segmentation: read-only and in one piece, for every other layout is compiled anew."""
    flags = column.flags
    if not flags.writeable and flags.c_contiguous:
        return column
    view = np.ascontiguousarray(column)[:]
    view.flags.writeable = False
    return view


_ZERO = one_layout(np.zeros(1, np.int64))
_NO_TYPES = one_layout(np.zeros(0, np.int64))
_WHOLE = np.dtype(np.int64)


# ---------------------------------------------------------------------- laying out


def _of_segmentations(reference: Segmentation, hypothesis: Segmentation) -> Batch | None:
    """Lay out two segmentations without a corpus around them; None where there is something to sort out or to complain about."""
    if reference.length != hypothesis.length or reference.timed != hypothesis.timed:
        return None
    if reference.typed != hypothesis.typed or (reference.labels is None) != (hypothesis.labels is None):
        return None
    labels = reference.labels
    if labels is not None and hypothesis.labels is not None and labels != hypothesis.labels:
        labels = merged_labels(labels, hypothesis.labels)
    ref, hyp = (
        Side(s.positions, _ZERO, np.array([len(s.positions)]), s.types, names=_names_of(s)).recode(s.labels, labels)
        for s in (reference, hypothesis)
    )
    return Batch("time" if reference.timed else "units", np.array([reference.length]), ref, hyp, labels)


def _names_of(marks: Segmentation) -> SegmentNames | None:
    return None if marks.names is None else SegmentNames({0: marks.names}, _ZERO)


def _alike(ref: Side, hyp: Side) -> tuple[Side, Side]:
    """Where one side carries types and the other has no mark at all, take its nothing for typed nothing."""
    if ref.types is None and hyp.types is not None and not len(ref.positions):
        return replace(ref, types=np.empty(0, np.int64)), hyp
    if hyp.types is None and ref.types is not None and not len(hyp.positions):
        return ref, replace(hyp, types=np.empty(0, np.int64))
    return ref, hyp


def _shared_labels(ref: Corpus, hyp: Corpus) -> tuple[str, ...] | None:
    if ref.types is None or hyp.types is None:
        return ref.labels if hyp.types is None else hyp.labels
    if (ref.labels is None) != (hyp.labels is None) and len(ref.types) and len(hyp.types):
        raise CaesuraError("boundary types are names on one side and integers on the other; use one of the two.")
    if ref.labels is None or hyp.labels is None:
        return ref.labels or hyp.labels
    if ref.kind == "spans" and ref.labels != hyp.labels:  # names without an order
        return tuple(sorted({*ref.labels, *hyp.labels}))
    return merged_labels(ref.labels, hyp.labels)


def first_of_place(pair: NDArray[np.int64], where: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell the first of several marks at one position of one pair from the others; marks come in order."""
    first = np.ones(len(where), bool)
    first[1:] = (np.diff(where) != 0) | (np.diff(pair) != 0)
    return first


def _ascending(side: Side) -> Side:
    """Sort the types that share a position again, after their codes changed."""
    assert side.types is not None
    row = np.zeros(len(side.positions), np.int64)
    row[side.starts[(side.starts > 0) & (side.starts < len(row))]] = 1
    order = np.lexsort((side.types, side.positions, np.cumsum(row)))
    return replace(side, types=side.types[order])


def _drop_types(side: Side, lengths: NDArray[Any], kind: Kind) -> Side:
    """Drop repeated positions and, in units, the closing boundary; the marks move together."""
    if side.types is None:
        return side
    index, pair = side.unpack()
    where = side.positions[index]
    keep = first_of_place(pair, where)
    if kind == "units":
        keep &= where < lengths[pair]
    return replace(Side.pack(where[keep], pair[keep], len(side.starts)), names=side.names)
