"""A batch: many pairs of annotations laid out for compiled loops.

Both sides are columns of marks and, for each pair, where its marks start and stop in them. So a batch over a whole corpus,
over all pairs of its coders, or over one pair in a function call is the same shape, and making one copies no marks.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, LengthMismatch
from caesura.model import Corpus, Hierarchy, Segmentation, as_segmentation
from caesura.model.corpus import Kind, merged_labels

__all__ = ["Batch", "Side", "bare_columns", "first_of_place", "lay_out_pair", "raw_marks"]


@dataclass(frozen=True, slots=True)
class Side:
    """The marks of one side: those of pair ``i`` are at ``starts[i]:stops[i]`` in the columns.

    ``types`` is None where boundaries are untyped; nested segments have first units in ``positions``, last ones in ``ends``
    and levels in ``types``.
    """

    positions: NDArray[Any]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    types: NDArray[np.int64] | None = None
    ends: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if (column := getattr(self, name)) is not None:
                object.__setattr__(self, name, _one_layout(column))

    @classmethod
    def of(cls, corpus: Corpus, rows: NDArray[np.int64] | None = None) -> Side:
        """View annotations of a corpus, all of them or these rows, in this order."""
        starts, stops = corpus.offsets[:-1], corpus.offsets[1:]
        if rows is not None:
            starts, stops = starts[rows], stops[rows]
        return cls(corpus.positions, starts, stops, corpus.types, corpus.ends)

    @classmethod
    def packed(
        cls, positions: NDArray[Any], pair: NDArray[np.int64], pairs: int, types: NDArray[np.int64] | None = None
    ) -> Side:
        """Pack marks, which come with the pair each belongs to, in order of the pairs."""
        sizes = np.bincount(pair, minlength=pairs).astype(np.int64)
        stops = np.cumsum(sizes)
        return cls(positions, stops - sizes, stops, types)

    def unpacked(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Index the marks of every pair one after the other, with the pair each belongs to."""
        sizes = self.sizes
        index = np.repeat(self.starts - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
        return index, np.repeat(np.arange(len(sizes)), sizes)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many marks each pair has on this side."""
        return self.stops - self.starts

    def take(self, index: Any) -> Side:
        """Keep only these pairs."""
        return replace(self, starts=self.starts[index], stops=self.stops[index])

    def recoded(self, before: tuple[str, ...] | None, after: tuple[str, ...] | None) -> Side:
        """Express the type codes in another set of labels."""
        if self.types is None or before is None or after is None or before == after:
            return self
        table = np.array([after.index(name) for name in before], dtype=np.int64)
        return _ascending(replace(self, types=table[self.types] if len(self.types) else self.types))


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
        object.__setattr__(self, "lengths", _one_layout(self.lengths))

    @classmethod
    def of_pair(cls, reference: Segmentation | Hierarchy, hypothesis: Segmentation | Hierarchy) -> Batch:
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
            raise CaesuraError(
                f"the reference holds {reference.kind} and the hypothesis {hypothesis.kind}; compare like with like."
            )
        apart = np.flatnonzero(lengths != others) if reference.kind != "time" else np.empty(0, np.int64)
        if len(apart):
            row = int(apart[0] if reference_rows is None else reference_rows[apart[0]])
            raise LengthMismatch(
                f"item {reference.items[reference.item_of[row]]!r}: the reference has {lengths[apart[0]]} units, "
                f"the hypothesis {others[apart[0]]}; both must cover the same text."
            )
        one, two = _alike(Side.of(reference, reference_rows), Side.of(hypothesis, hypothesis_rows))
        labels = _shared_labels(reference, hypothesis)
        return cls(
            reference.kind,
            lengths,
            one.recoded(reference.labels, labels),
            two.recoded(hypothesis.labels, labels),
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
    def bare(self) -> bool:
        """Whether it holds untyped boundaries between units and nothing else, so that no family has to look twice."""
        return self.kind == "units" and self.reference.types is None and self.hypothesis.types is None

    @property
    def plain(self) -> Batch:
        """The same pairs without types: one boundary wherever there was any, the closing one left out."""
        if self.kind == "nested" or (self.reference.types is None and self.hypothesis.types is None):
            return self
        if not self._plain:
            ref, hyp = (_untyped(side, self.lengths, self.kind) for side in (self.reference, self.hypothesis))
            self._plain.append(replace(self, reference=ref, hypothesis=hyp, labels=None))
        return self._plain[0]

    @property
    def marks(self) -> int:
        """How many marks both sides have together: the work there is."""
        return int(self.reference.sizes.sum() + self.hypothesis.sizes.sum())

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

    def swapped(self) -> Batch:
        """Turn reference into hypothesis and the reverse."""
        return replace(self, reference=self.hypothesis, hypothesis=self.reference)

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


def raw_marks(value: object) -> NDArray[Any] | None:
    """Return masses or flags as the kernels take them; None where they are anything else."""
    kind = type(value)
    if kind is list or kind is tuple or kind is np.ndarray:  # not masked arrays, which hide members
        try:
            raw = np.array(value)
        except ValueError:  # ragged lists
            return None
        return raw if raw.dtype is _WHOLE and raw.ndim == 1 else None
    return np.frombuffer(value.encode(), np.uint8) if isinstance(value, str) else None


def lay_out_pair(
    reference: Any, hypothesis: Any, raw_reference: NDArray[Any] | None, raw_hypothesis: NDArray[Any] | None
) -> Batch:
    """Lay out one pair of whatever people type: segmentations, lists of masses, strings of flags, hierarchies.

    The last two are what :func:`raw_marks` made of the first two. Plain lists and strings go to this thread's desk, a batch of
    one pair that is filled anew for every call: it is good until the next call only. What is suspicious goes through the
    constructors, which know what to say.
    """
    if raw_reference is not None and raw_hypothesis is not None:
        desk, room = _DESKS.desk, len(raw_reference) + len(raw_hypothesis)
        if room > desk.room:
            desk = _DESKS.desk = _Desk(2 * room)
        if _lay_out(raw_reference, raw_hypothesis, desk.positions, desk.stops, desk.lengths):
            return desk.batch
    if (columns := bare_columns(reference, hypothesis)) is not None:
        return Batch("units", columns[6], Side(*columns[:3]), Side(*columns[3:6]))
    sides = [value if isinstance(value, Hierarchy) else as_segmentation(value) for value in (reference, hypothesis)]
    return Batch.of_pair(*sides)


def bare_columns(reference: object, hypothesis: object) -> tuple[NDArray[Any], ...] | None:
    """Lay out two segmentations of one text of units without types, as kernels take them; None where they are anything else."""
    if type(reference) is not Segmentation or type(hypothesis) is not Segmentation:
        return None
    if reference.types is not None or hypothesis.types is not None:
        return None
    if type(reference.length) is not int or reference.length != hypothesis.length:
        return None
    ref, hyp = reference.positions, hypothesis.positions
    stops = np.array((len(ref), len(hyp), reference.length))
    stops.flags.writeable = False
    return ref, _ZERO, stops[:1], hyp, _ZERO, stops[1:2], stops[2:]


def _one_layout(column: NDArray[Any]) -> NDArray[Any]:
    """Look at a column as at those of a Segmentation: read-only and in one piece, for every other layout is compiled anew."""
    if not column.flags.writeable and column.flags.c_contiguous:
        return column
    view = np.ascontiguousarray(column)[:]
    view.flags.writeable = False
    return view


_ZERO = _one_layout(np.zeros(1, np.int64))
_WHOLE = np.dtype(np.int64)


def _lay_out(*given: Any) -> bool:
    """Load the kernel on first use and take its place."""
    global _lay_out
    from caesura.kernels.desk import lay_out as _lay_out

    return _lay_out(*given)


class _Desk:
    """Room for one pair of untyped segmentations, and the batch that looks at it."""

    def __init__(self, room: int) -> None:
        self.room, half = room, room + 2
        self.positions, self.lengths = np.empty(2 * half, np.int64), np.zeros(1, np.int64)
        self.stops, zero = np.zeros((2, 1), np.int64), np.zeros(1, np.int64)
        first, second = self.positions[:half], self.positions[half:]
        sides = Side(first, zero, self.stops[0]), Side(second, zero, self.stops[1])
        self.batch = Batch("units", self.lengths, *sides)


class _Desks(threading.local):
    def __init__(self) -> None:
        self.desk = _Desk(256)


_DESKS = _Desks()


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
        Side(s.positions, _ZERO, np.array([len(s.positions)]), s.types).recoded(s.labels, labels)
        for s in (reference, hypothesis)
    )
    return Batch("time" if reference.timed else "units", np.array([reference.length]), ref, hyp, labels)


def _alike(one: Side, two: Side) -> tuple[Side, Side]:
    """Where one side carries types and the other has no mark at all, take its nothing for typed nothing."""
    if one.types is None and two.types is not None and not len(one.positions):
        return replace(one, types=np.empty(0, np.int64)), two
    if two.types is None and one.types is not None and not len(two.positions):
        return one, replace(two, types=np.empty(0, np.int64))
    return one, two


def _shared_labels(one: Corpus, two: Corpus) -> tuple[str, ...] | None:
    if one.types is None or two.types is None:
        return one.labels if two.types is None else two.labels
    if (one.labels is None) != (two.labels is None) and len(one.types) and len(two.types):
        raise CaesuraError("boundary types are names on one side and integers on the other; use one of the two.")
    if one.labels is None or two.labels is None:
        return one.labels or two.labels
    return merged_labels(one.labels, two.labels)


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


def _untyped(side: Side, lengths: NDArray[Any], kind: Kind) -> Side:
    """Drop repeated positions and, in units, the closing boundary; the marks move together."""
    if side.types is None:
        return side
    index, pair = side.unpacked()
    where = side.positions[index]
    keep = first_of_place(pair, where)
    if kind == "units":
        keep &= where < lengths[pair]
    return Side.packed(where[keep], pair[keep], len(side.starts))
