"""Batches: many pairs of annotations in arrays, ready for kernels.

Both sides are columns of marks and, for each pair, the range of its marks in them. A batch of a whole corpus, of all pairs of its coders
or of a single pair therefore has the same shape, and creating one copies no marks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, LengthMismatch, UncountablePairs
from caesura.kernels import load
from caesura.model import Corpus, Hierarchy, Segmentation, Spans, as_segmentation
from caesura.model.columns import ANCHOR_ADVICE, merge_labels
from caesura.model.corpus import Kind, Marks
from caesura.model.spans import NO_LABEL
from caesura.model.time_axis import NO_SCORE_ATTRIBUTE, no_score_zones

if TYPE_CHECKING:
    from caesura.kernels.arrays import MarkColumns


@dataclass(frozen=True, slots=True)
class SegmentNames:
    """The names of segments on one side: those of pair ``i`` are ``known[rows[i]]``."""

    known: Mapping[int, tuple[str, ...]]
    rows: NDArray[np.int64]

    def of(self, pair: int) -> tuple[str, ...] | None:
        """Return the names of a pair's segments, or None if they have none."""
        return self.known.get(int(self.rows[pair]))

    def take(self, index: Any) -> SegmentNames:
        """Keep only these pairs."""
        return replace(self, rows=self.rows[index])

    def __reduce__(self) -> tuple[Any, ...]:
        rows = self.rows.tolist()  # pickle only the names of these pairs, and not the read-only view of a corpus
        return SegmentNames, ({row: self.known[row] for row in rows if row in self.known}, self.rows)


@dataclass(frozen=True, slots=True)
class ItemNames:
    """The names of the texts or recordings: that of pair ``i`` is ``known[rows[i]]``; and zones of them that are not scored, in seconds."""

    known: tuple[str, ...]
    rows: NDArray[np.int64]
    unscored: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)

    def of(self, pair: int) -> str:
        """Return the name of a pair's item."""
        return self.known[int(self.rows[pair])]

    def take(self, index: Any) -> ItemNames:
        """Keep only these pairs."""
        return replace(self, rows=self.rows[index])


@dataclass(frozen=True, slots=True)
class Side:
    """The marks of one side of every pair: those of pair ``i`` are ``starts[i]:stops[i]`` in the columns.

    Parameters
    ----------
    positions : ndarray
        Positions of boundaries, first units of nested segments, or starts of spans.
    starts, stops : ndarray of int
        The range of each pair's marks in the columns.
    types : ndarray of int, optional
        Types of boundaries, levels of nested segments, or label codes of spans; None without types.
    ends : ndarray, optional
        Last units of nested segments, or ends of spans.
    names : SegmentNames, optional
        Names of segments.
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
            if column is not None and (contiguous := as_readonly_contiguous(column)) is not column:
                object.__setattr__(self, name, contiguous)

    def __reduce__(self) -> tuple[Any, ...]:
        # through __init__, because pickled arrays come back writable
        return Side, (self.positions, self.starts, self.stops, self.types, self.ends, self.names)

    @classmethod
    def of(cls, corpus: Corpus, rows: NDArray[np.int64] | None = None) -> Side:
        """Return a view of the annotations of a corpus: all of them, or these rows in this order."""
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
        """Return a side with these marks, given the pair of each; they are sorted by pair."""
        sizes = np.bincount(pair, minlength=pairs).astype(np.int64)
        stops = np.cumsum(sizes)
        return cls(positions, stops - sizes, stops, types)

    def unpack(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the indices of the marks of all pairs, one pair after another, and the pair of each."""
        sizes = self.sizes
        index = np.repeat(self.starts - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
        return index, np.repeat(np.arange(len(sizes)), sizes)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of marks of each pair."""
        return self.stops - self.starts

    @property
    def columns(self) -> MarkColumns:
        """The boundaries in the form that kernels take."""
        types = _NO_TYPES if self.types is None else self.types
        columns: MarkColumns = load("arrays").MarkColumns(self.positions, types, self.starts, self.stops)
        return columns

    def take(self, index: Any) -> Side:
        """Keep only these pairs."""
        names = None if self.names is None else self.names.take(index)
        return replace(self, starts=self.starts[index], stops=self.stops[index], names=names)

    def recode(self, before: tuple[str, ...] | None, after: tuple[str, ...] | None) -> Side:
        """Convert the type codes to another tuple of labels."""
        if self.types is None or before is None or after is None or before == after:
            return self
        table = np.array(
            [*(after.index(name) for name in before), NO_LABEL], dtype=np.int64
        )  # code -1 (no label) reads the last element
        recoded = replace(self, types=table[self.types] if len(self.types) else self.types)
        return _sort_types(recoded) if self.ends is None else recoded


@dataclass(frozen=True, slots=True)
class Batch:
    """Pairs of annotations to compare.

    Parameters
    ----------
    kind : {"units", "time", "nested", "spans"}
        The kind of annotation.
    lengths : ndarray
        The length of each pair's text or recording.
    reference, hypothesis : Side
        The marks of both sides.
    labels : tuple of str, optional
        The names of the types; None if types are integers or absent.
    items : ItemNames, optional
        The names of the texts or recordings, for metrics with parameters per item; None if they are unknown.
    """

    kind: Kind
    lengths: NDArray[Any]
    reference: Side
    hypothesis: Side
    labels: tuple[str, ...] | None = None
    items: ItemNames | None = None
    _plain: list[Batch] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lengths", as_readonly_contiguous(self.lengths))

    def __reduce__(self) -> tuple[Any, ...]:
        return Batch, (self.kind, self.lengths, self.reference, self.hypothesis, self.labels, self.items)

    @classmethod
    def of_pair(cls, reference: Marks, hypothesis: Marks) -> Batch:
        """Return a batch of one pair of annotations.

        Parameters
        ----------
        reference, hypothesis : annotation
            Two annotations of one text.

        Returns
        -------
        Batch
        """
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
        """Pair row ``i`` of one corpus with row ``i`` of the other.

        Parameters
        ----------
        reference, hypothesis : Corpus
            Their kinds and lengths must agree.
        reference_rows, hypothesis_rows : ndarray of int, optional
            The rows to pair; by default all.
        """
        reference_rows, hypothesis_rows = _some_rows(reference, reference_rows), _some_rows(hypothesis, hypothesis_rows)
        lengths = reference.lengths if reference_rows is None else reference.lengths[reference_rows]
        others = hypothesis.lengths if hypothesis_rows is None else hypothesis.lengths[hypothesis_rows]
        if len(lengths) != len(others):
            raise LengthMismatch(
                f"{len(lengths)} reference annotations against {len(others)} hypotheses; pair them one to one."
            )
        if reference.kind != hypothesis.kind and len(reference) and len(hypothesis):
            spans = "spans" in (reference.kind, hypothesis.kind)
            alike = "read both with as=spans or as=boundaries (-O)" if spans else "both sides need the same kind"
            raise CaesuraError(f"the reference holds {reference.kind} and the hypothesis {hypothesis.kind}; {alike}.")
        if reference.timed != hypothesis.timed and len(reference) and len(hypothesis):
            raise CaesuraError(
                "the spans of one side are in units and those of the other in seconds; both need the same kind."
            )
        apart = np.flatnonzero(lengths != others) if not reference.timed else np.empty(0, np.int64)
        if len(apart):
            row = int(apart[0] if reference_rows is None else reference_rows[apart[0]])
            item = reference.items[reference.item_of[row]]
            advice = f"; {ANCHOR_ADVICE}" if reference.texts and hypothesis.texts else ""
            raise LengthMismatch(
                f"{f'item {item!r}: ' if item else ''}the reference has {lengths[apart[0]]} units, "
                f"the hypothesis {others[apart[0]]}; both must cover the same text{advice}."
            )
        if reference.starts is not None or hypothesis.starts is not None:
            begins = [np.zeros(len(c)) if c.starts is None else c.starts for c in (reference, hypothesis)]
            rows = (reference_rows, hypothesis_rows)
            ours, theirs = (b if r is None else b[r] for b, r in zip(begins, rows, strict=True))
            if (moved := np.flatnonzero(ours != theirs)).size:
                raise LengthMismatch(
                    f"the reference starts at {ours[moved[0]]:g} s, the hypothesis at {theirs[moved[0]]:g} s; "
                    "compare them from their own starts with .relative()."
                )
        ref, hyp = _with_types(Side.of(reference, reference_rows), Side.of(hypothesis, hypothesis_rows))
        labels = _shared_labels(reference, hypothesis)
        item_of = reference.item_of if reference_rows is None else reference.item_of[reference_rows]
        return cls(
            reference.kind,
            lengths,
            ref.recode(reference.labels, labels),
            hyp.recode(hypothesis.labels, labels),
            labels,
            ItemNames(reference.items, item_of, _unscored_zones(reference)),
        )

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.lengths)

    @property
    def typed(self) -> bool:
        """Whether both sides have types."""
        return self.reference.types is not None and self.hypothesis.types is not None

    @property
    def plain(self) -> Batch:
        """The same pairs without types: one boundary per position, without the closing one."""
        if self.kind in ("nested", "spans") or (self.reference.types is None and self.hypothesis.types is None):
            return self
        if not self._plain:
            ref, hyp = (_drop_types(side, self.lengths, self.kind) for side in (self.reference, self.hypothesis))
            self._plain.append(replace(self, reference=ref, hypothesis=hyp, labels=None))
        return self._plain[0]

    @property
    def marks(self) -> int:
        """The number of marks of both sides, which is proportional to the work."""
        return int(self.reference.sizes.sum() + self.hypothesis.sizes.sum())

    @property
    def columns(self) -> tuple[MarkColumns, MarkColumns, NDArray[Any]]:
        """Both sides and the lengths, in the form that kernels take."""
        return self.reference.columns, self.hypothesis.columns, self.lengths

    def take(self, index: Any) -> Batch:
        """Return only these pairs: a slice, a mask or indices.

        Parameters
        ----------
        index : slice or ndarray
            Which pairs to keep.

        Returns
        -------
        Batch
        """
        return replace(
            self,
            lengths=self.lengths[index],
            reference=self.reference.take(index),
            hypothesis=self.hypothesis.take(index),
            items=None if self.items is None else self.items.take(index),
        )

    def parts(self, number: int) -> list[Batch]:
        """Split into at most ``number`` runs of pairs with about equal numbers of marks, in order.

        Parameters
        ----------
        number : int
            The largest number of parts.

        Returns
        -------
        list of Batch
        """
        if number < 2 or len(self) < 2:
            return [self]
        work = np.cumsum(self.reference.sizes + self.hypothesis.sizes + 1)
        cuts = np.searchsorted(work, work[-1] * np.arange(1, number) / number)
        edges = np.unique(np.concatenate(([0], cuts, [len(self)])))
        return [self.take(slice(start, stop)) for start, stop in pairwise(edges.tolist())]

    def swap_sides(self) -> Batch:
        """Return the batch with reference and hypothesis swapped."""
        return replace(self, reference=self.hypothesis, hypothesis=self.reference)

    def check_names(self) -> None:
        """Raise an error if a side has no names of segments, or a pair with a text of some length has none."""
        for side, which in ((self.reference, "reference"), (self.hypothesis, "hypothesis")):
            if side.names is None:
                raise CaesuraError(f"the {which} gives its segments no names to compare.")
            some = self.lengths > 0
            if bare := [pair for pair in np.flatnonzero(some).tolist() if side.names.of(pair) is None]:
                raise UncountablePairs(f"the {which} gives its segments no names to compare", bare)

    def check_one_type_per_position(self) -> None:
        """Raise an error if a position has two types."""
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


def _some_rows(corpus: Corpus, rows: NDArray[np.int64] | None) -> NDArray[np.int64] | None:
    """Return the rows, or None if they are all rows in order: then nothing has to be copied."""
    return None if rows is not None and np.array_equal(rows, np.arange(len(corpus))) else rows


def _unscored_zones(reference: Corpus) -> dict[str, tuple[tuple[float, float], ...]]:
    """Return the zones of the reference that are not scored, counted from the start of each recording as the marks are."""
    return {
        item: zones
        for item, known in reference.attributes.items()
        if NO_SCORE_ATTRIBUTE in known and (zones := no_score_zones(known, item))
    }


# ---------------------------------------------------------------------- single pairs


#: A pair in the form that kernels for one pair take: kind, names of types (None: no types, empty: integers), both sides, length.
SingleMarks: TypeAlias = tuple[Kind | None, tuple[str, ...] | None, Any, Any, Any]


def single_marks(reference: Any, hypothesis: Any, types: bool) -> SingleMarks:
    """Return one pair in the form that kernels for one pair take; the length of masses or flags is None.

    If ``types`` are used and both sides have them, a side is (positions, types). The kind is None if only one side has types, if lengths
    differ, or if the input has to be checked by the constructors.
    """
    given = type(reference)
    if given is Segmentation:
        if (
            type(hypothesis) is given
            and (length := reference.length) == hypothesis.length
            and type(length) is type(hypothesis.length)
        ):
            kind: Kind = "units" if type(length) is int else "time"
            if reference.start or hypothesis.start:
                return _NO_FAST_PATH
            ours, theirs = reference.types, hypothesis.types
            if not types or (ours is None and theirs is None):
                return kind, None, reference.distinct_positions, hypothesis.distinct_positions, length
            if ours is not None and theirs is not None:
                labels = reference.labels
                if labels != hypothesis.labels:
                    scale = _common_scale(labels, hypothesis.labels)
                    if scale is None:
                        return _NO_FAST_PATH
                    labels, ours, theirs = (
                        scale[0],
                        as_readonly_contiguous(scale[1][ours]),
                        as_readonly_contiguous(scale[2][theirs]),
                    )
                return kind, labels or (), (reference.positions, ours), (hypothesis.positions, theirs), length
    elif given is Hierarchy:
        if type(hypothesis) is given and reference.length == hypothesis.length:
            return "nested", None, reference.segments, hypothesis.segments, reference.length
    elif (ref := raw_marks(reference)) is not None and (hyp := raw_marks(hypothesis)) is not None:
        return "units", None, ref, hyp, None
    return _NO_FAST_PATH


_NO_FAST_PATH: SingleMarks = (None, None, None, None, None)


@lru_cache(maxsize=256)
def _common_scale(
    ours: tuple[str, ...] | None, theirs: tuple[str, ...] | None
) -> tuple[tuple[str, ...], NDArray[np.int64], NDArray[np.int64]] | None:
    """Return one scale for the types of two sides and the codes of each side's types on it; None if types would change their order."""
    if ours is None or theirs is None:
        return None
    try:
        scale = merge_labels(ours, theirs)
    except CaesuraError:  # the general path raises it again
        return None
    first, second = (np.array([scale.index(name) for name in names], np.int64) for names in (ours, theirs))
    return (scale, first, second) if (np.diff(first) > 0).all() and (np.diff(second) > 0).all() else None


def raw_marks(value: object) -> NDArray[Any] | None:
    """Return masses or flags as an array, or None if the value is anything else."""
    given = type(value)
    if given is list or given is tuple or given is np.ndarray:  # not masked arrays, whose hidden elements would count
        try:
            raw = np.array(value)
        except ValueError:  # ragged lists
            return None
        return raw if raw.dtype is _WHOLE and raw.ndim == 1 else None
    return np.frombuffer(value.encode(), np.uint8) if isinstance(value, str) else None


def batch_of_pair(reference: Any, hypothesis: Any) -> Batch:
    """Return a batch of one pair of segmentations, lists of masses, strings of flags, hierarchies or spans."""
    sides = [v if isinstance(v, (Hierarchy, Spans)) else as_segmentation(v) for v in (reference, hypothesis)]
    return Batch.of_pair(*sides)


def as_readonly_contiguous(column: NDArray[Any]) -> NDArray[Any]:
    """Return the array read-only and contiguous, like those of a Segmentation: kernels are compiled again for any other layout."""
    flags = column.flags
    if not flags.writeable and flags.c_contiguous:
        return column
    view = np.ascontiguousarray(column)[:]
    view.flags.writeable = False
    return view


_ZERO = as_readonly_contiguous(np.zeros(1, np.int64))
_NO_TYPES = as_readonly_contiguous(np.zeros(0, np.int64))
_WHOLE = np.dtype(np.int64)


# ---------------------------------------------------------------------- building batches


def _of_segmentations(reference: Segmentation, hypothesis: Segmentation) -> Batch | None:
    """Return a batch of two segmentations without building corpora; None if labels have to be compared or an error raised."""
    if reference.length != hypothesis.length or reference.timed != hypothesis.timed:
        return None
    if reference.start != hypothesis.start:
        raise LengthMismatch(
            f"the reference starts at {reference.start:g} s, the hypothesis at {hypothesis.start:g} s; "
            "compare them from their own starts with .relative()."
        )
    reference, hypothesis = reference.relative(), hypothesis.relative()
    if reference.typed != hypothesis.typed or (reference.labels is None) != (hypothesis.labels is None):
        return None
    labels = reference.labels
    if labels is not None and hypothesis.labels is not None and labels != hypothesis.labels:
        labels = merge_labels(labels, hypothesis.labels)
    ref, hyp = (
        Side(s.positions, _ZERO, np.array([len(s.positions)]), s.types, names=_names_of(s)).recode(s.labels, labels)
        for s in (reference, hypothesis)
    )
    return Batch("time" if reference.timed else "units", np.array([reference.length]), ref, hyp, labels)


def _names_of(marks: Segmentation) -> SegmentNames | None:
    return None if marks.names is None else SegmentNames({0: marks.names}, _ZERO)


def _with_types(ref: Side, hyp: Side) -> tuple[Side, Side]:
    """If one side has types and the other has no marks at all, give the other an empty column of types."""
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
    if ref.kind == "spans" and ref.labels != hyp.labels:  # labels of spans have no order
        return tuple(sorted({*ref.labels, *hyp.labels}))
    return merge_labels(ref.labels, hyp.labels)


def first_of_place(pair: NDArray[np.int64], where: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark the first of several marks at one position of one pair; marks are sorted."""
    first = np.ones(len(where), bool)
    first[1:] = (np.diff(where) != 0) | (np.diff(pair) != 0)
    return first


def _sort_types(side: Side) -> Side:
    """Sort the types at each position again, after their codes changed."""
    assert side.types is not None
    row = np.zeros(len(side.positions), np.int64)
    row[side.starts[(side.starts > 0) & (side.starts < len(row))]] = 1
    order = np.lexsort((side.types, side.positions, np.cumsum(row)))
    return replace(side, types=side.types[order])


def _drop_types(side: Side, lengths: NDArray[Any], kind: Kind) -> Side:
    """Drop repeated positions and, in units, the closing boundary; pack the remaining marks."""
    if side.types is None:
        return side
    index, pair = side.unpack()
    where = side.positions[index]
    keep = first_of_place(pair, where)
    if kind == "units":
        keep &= where < lengths[pair]
    return replace(Side.pack(where[keep], pair[keep], len(side.starts)), names=side.names)
