"""Similarity of segments rather than of boundaries: the measure A of Ocampo Diaz and Ouyang (2022).

Every segment of either side is aligned to the segment of the other side that it shares most with. The score is the mean
weight of these edges:

.. math:: A(r, h) = \\frac{1}{|E|} \\sum_{(p, q) \\in E} g(p, q), \\qquad
          E = \\{\\{p, \\arg\\max_q c(p, q)\\}\\}, \\quad
          c(p, q) = \\frac{|p \\cap q|}{|p|}, \\quad g(p, q) = \\frac{|p \\cap q|}{|p \\cup q|}

A segment with several edges was split or merged; a pair with one edge is a match, or a boundary that was shifted.
Nothing to compare on either side is perfect agreement: 1.0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.kernels import load
from caesura.kernels.segments import AlignmentRule, Cuts
from caesura.metrics.batch import Batch, Side, first_of_place, one_layout
from caesura.metrics.catalog import usual_metric
from caesura.metrics.family import Family, Numbers, Rows, Score, Single, share_or_one, sign
from caesura.model import SegmentationLike, as_segmentation
from caesura.model.corpus import Kind
from caesura.words import between, one_of


class Segment(NamedTuple):
    """One segment as closeness and weight functions of the user's own see it: ``units[start:stop]`` of the text.

    >>> Segment(0, 5).shared(Segment(3, 9))
    2
    """

    start: float
    stop: float
    type: int | None = None

    @property
    def size(self) -> float:
        """How many units, or seconds, it holds."""
        return self.stop - self.start

    def shared(self, other: Segment) -> float:
        """How much it has in common with another one."""
        return max(0, min(self.stop, other.stop) - max(self.start, other.start))


#: How alike two segments are, by name or as a function of the segment that looks and the one it looks at.
Likeness: TypeAlias = Literal["intersect", "jaccard", "dice", "overlap", "rand"] | Callable[[Segment, Segment], float]

# The places of names in these tables are the codes of the kernels.
_LIKENESSES = ("intersect", "jaccard", "dice", "overlap", "rand")
_TIES = ("leftmost", "rightmost", "both")
_SCORERS = ("mean", "exponential", "best")
_LIKENESS = one_of(*_LIKENESSES, function="two segments")

#: Recordings are measured in floating point: a difference of this share of a segment is no difference.
_SAME_TIME = 1e-9


class AlignmentCounts(NamedTuple):
    """The weights of all edges together, and what they are divided by: edges, more for muddles, or segments."""

    weight: Numbers
    edges: Numbers


@dataclass(frozen=True)
class SegmentAlignment(Family):
    """Edges between segments and their closest counterparts.

    Parameters
    ----------
    closeness
        c(p, q), which decides to whom a segment is aligned: "intersect" (the share of p that lies in q), any other name under
        ``weight``, or a function of two :class:`Segment`. Ties go to the larger Jaccard index, then by ``ties``.
    weight
        g(p, q), what an edge is worth: "jaccard", "dice" (Sørensen–Dice), "overlap" (overlap coefficient), "rand" (Rand index
        of being inside the one and being inside the other, over all units), "intersect" (not symmetric), or a function.
    ties
        The "leftmost" (default) or "rightmost" of the segments that are equally close, or "both": all of them.
    threshold, penalty
        An edge with a weight under the threshold is a hard mistake and loses this share of its weight.
    scorer
        "mean" of the weights; "exponential": a segment with d edges adds base^(d-1) - 1 to the number of edges that the weights
        are divided by, so one large muddle costs more than many small ones; "best": the mean over all segments of
        their heaviest edge.
    base
        The base of the exponential scorer.
    edges
        "undirected": two segments that are each other's closest have one edge. "directed": they have two, and each is
        weighed from where it starts. Without direction, a weight that is not symmetric counts as the mean of both.
    alignment
        "mla": every segment to its closest, as published. "global" (ours): of all sets of edges that leave no segment
        alone, the one with the largest mean weight.
    typed
        Align only segments that are closed by boundaries of the same type. A segment that finds no partner counts as an edge of
        weight 0.

    Examples
    --------
    >>> a = alignment_similarity
    >>> round(a([5, 5, 1, 3], [7, 3, 1, 3]), 2), round(a([5, 5, 1, 3], [5, 4, 1, 4]), 2)
    (0.83, 0.6)
    >>> a([1, 8, 1], [3, 6, 1], alignment="global") > a([1, 8, 1], [9, 1], alignment="global")
    True
    """

    closeness: Likeness = sign("c", "intersect", _LIKENESS)
    weight: Likeness = sign("g", "jaccard", _LIKENESS)
    ties: Literal["leftmost", "rightmost", "both"] = sign("ties", "leftmost", one_of(*_TIES))
    threshold: float = sign("t", 0.0, between(0, 1))
    penalty: float = sign("pen", 1.0, between(0, 1))
    scorer: Literal["mean", "exponential", "best"] = sign("score", "mean", one_of(*_SCORERS))
    base: float = sign("base", 2.0, between(1))
    edges: Literal["undirected", "directed"] = sign("edges", "undirected", one_of("undirected", "directed"))
    alignment: Literal["mla", "global"] = sign("align", "mla", one_of("mla", "global"))
    typed: bool = sign("typed", False)

    counts = AlignmentCounts
    scores = {
        "A": Score(
            "alignment similarity",
            "Alignment similarity: the mean weight of the edges between segments and their closest counterparts.",
            tuple, share_or_one,
        )
    }  # fmt: skip
    needs = frozenset({"units", "time"})
    paper = "Ocampo Diaz & Ouyang 2022, An Alignment-based Approach to Text Segmentation Similarity Scoring"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.alignment == "global" and self.edges == "directed":
            raise CaesuraError("a global alignment has no directed edges; leave edges='undirected'.")

    def prepare(self, batch: Batch) -> Batch:
        """Refuse what cannot be aligned: other kinds, and with ``typed`` two types at one position or none at all."""
        plain = super().prepare(batch)
        if not self.typed:
            return plain
        if not batch.typed:
            raise CaesuraError("typed=True aligns segments of equal type, but one side has no types.")
        batch.check_one_type_per_position()
        return batch

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single | None:
        """Segments without types, unless they have to have one or a function weighs them."""
        if self.as_published:
            published = load("fused").pair_aligned if kind == "units" else load("fused").pair_aligned_times
            return Single(published, () if kind == "units" else (_SAME_TIME,))
        if kind == "time" or self.typed or callable(self.closeness) or callable(self.weight):
            return None
        return Single(load("fused").pair_aligned_with, self.rule)

    def count(self, batch: Batch) -> Rows:
        """Sum the weights of every pair's edges, and count what the sum is divided by."""
        out = np.zeros((len(batch), 2))
        if self.as_published and batch.kind == "units":
            load("closest").count_alignment_of_units(*batch.columns, out)
            return out
        if self.as_published:
            load("segments").count_alignment(*batch.columns, _SAME_TIME, out)
            return out
        tolerance = _SAME_TIME if batch.kind == "time" else 0.0
        ref, hyp = _cuts(batch, self.typed)
        if callable(self.closeness) or callable(self.weight):
            for i in range(len(batch)):
                out[i] = self._overlaps(ref, hyp, i, batch.lengths[i], tolerance).weigh(self)
        else:
            load("segments").count_alignment_with(ref, hyp, batch.lengths, tolerance, self.rule, out)
        return out

    @property
    def rule(self) -> AlignmentRule:
        """The named options as the kernels take them; a function of the user's has no code."""
        closeness, weight = (-1 if callable(c) else _LIKENESSES.index(c) for c in (self.closeness, self.weight))
        return AlignmentRule(
            closeness, weight, _TIES.index(self.ties), self.alignment == "global", self.edges == "directed",
            float(self.threshold), float(self.penalty), _SCORERS.index(self.scorer), float(self.base),
        )  # fmt: skip

    def overlaps(self, reference: SegmentationLike, hypothesis: SegmentationLike) -> Overlaps:
        """Trace one pair: every overlap, its weight, and which sides chose it as an edge."""
        batch = self.prepare(Batch.of_pair(as_segmentation(reference), as_segmentation(hypothesis)))
        tolerance = _SAME_TIME if batch.kind == "time" else 0.0
        return self._overlaps(*_cuts(batch, self.typed), 0, batch.lengths[0], tolerance)

    @cached_property
    def as_published(self) -> bool:
        """Whether every option that changes the number has its default."""
        plain = (self.closeness, self.weight, self.ties, self.scorer, self.edges, self.alignment, self.typed)
        return plain == ("intersect", "jaccard", "leftmost", "mean", "undirected", "mla", False) and (
            self.threshold == 0 or self.penalty == 0
        )

    def _overlaps(self, ref: Cuts, hyp: Cuts, pair: int, length: Any, tolerance: float) -> Overlaps:
        here, there = slice(ref.starts[pair], ref.stops[pair]), slice(hyp.starts[pair], hyp.stops[pair])
        room = ref.stops[pair] - ref.starts[pair] + hyp.stops[pair] - hyp.starts[pair] + 2
        places, sizes = np.empty((2, room), np.int64), np.empty((3, room))
        closing = (ref.closing[pair], hyp.closing[pair]) if self.typed else (0, 0)
        count = load("segments").trace_overlaps(
            ref.positions[here], ref.types[here], hyp.positions[there], hyp.types[there], closing, length, places, sizes
        )
        sides = (
            _segments(ref.positions[here], ref.types[here], closing[0], length, self.typed),
            _segments(hyp.positions[there], hyp.types[there], closing[1], length, self.typed),
        )
        overlaps = Overlaps(places[:, :count].copy(), sizes[:, :count].copy(), sides, float(length), tolerance)
        return replace(overlaps, weights=overlaps.alike(self.weight)).chosen_by(self)


@dataclass(frozen=True, eq=False)
class Overlaps:
    """Where the segments of one pair meet, left to right.

    ``places`` are the segments of reference and hypothesis, counted from 0; ``sizes`` what they share and how large they are;
    ``weights`` what an edge there is worth, seen from either side; ``chosen`` who chose it: 1 the reference, 2 the hypothesis, 3 both.
    """

    places: NDArray[np.int64]
    sizes: NDArray[np.float64]
    segments: tuple[Sequence[Segment], Sequence[Segment]]
    length: float
    tolerance: float
    weights: NDArray[np.float64] = field(default_factory=lambda: np.empty((2, 0)))
    chosen: NDArray[np.int8] = field(default_factory=lambda: np.empty(0, np.int8))

    def alike(self, likeness: Likeness) -> NDArray[np.float64]:
        """How alike the two segments of every overlap are, seen from the reference and from the hypothesis."""
        count = self.places.shape[1]
        out = np.empty((2, count))
        if not callable(likeness):
            code, timed = _LIKENESSES.index(likeness), self.tolerance > 0
            load("segments").likenesses(code, self.sizes, count, self.length, timed, out)
            return out
        for k, (i, j) in enumerate(self.places.T.tolist()):
            ours, theirs = self.segments[0][i], self.segments[1][j]
            out[:, k] = likeness(ours, theirs), likeness(theirs, ours)
        if not np.isfinite(out).all():
            raise CaesuraError(
                f"{getattr(likeness, '__name__', 'the function')} gave a value that is not a finite number."
            )
        return out

    def chosen_by(self, measure: SegmentAlignment) -> Overlaps:
        """Choose edges as this measure does."""
        count = self.places.shape[1]
        chosen = np.zeros(count, np.int8)
        if measure.alignment == "global":
            steps = np.empty((count, 4), np.int8)
            load("segments").choose_global(self.places, self.weights, count, measure.rule, steps, chosen)
        else:
            toward, jaccard = self.alike(measure.closeness), self.alike("jaccard")[0]
            load("segments").choose_closest(
                self.places, toward, jaccard, count, _TIES.index(measure.ties), self.tolerance, chosen
            )
        return replace(self, chosen=chosen)

    def weigh(self, measure: SegmentAlignment) -> tuple[float, float]:
        """Sum the weights of the chosen edges, with what the sum is divided by."""
        number = len(self.segments[0]) + len(self.segments[1])
        weight, below = load("segments").weigh(
            self.places, self.weights, self.chosen, self.places.shape[1], number, measure.rule
        )
        return weight, below


def alignment_similarity(
    reference: SegmentationLike, hypothesis: SegmentationLike, weight: Likeness = "jaccard", **options: Any
) -> float:
    """Score how alike the segments of two annotations are: the measure A of Ocampo Diaz and Ouyang (2022).

    Options are the parameters of :class:`SegmentAlignment`: closeness, ties, threshold, penalty, scorer, edges, alignment, typed.
    Nothing on either side is perfect agreement: 1.0.

    >>> round(alignment_similarity([2, 2, 5, 5], [2, 2, 4, 6]), 2)
    0.91
    >>> round(alignment_similarity([2, 2, 5, 5], [2, 2, 4, 6], weight="dice"), 2)
    0.95
    """
    return usual_metric("A", weight=weight, **options)(reference, hypothesis)


# ---------------------------------------------------------------------- laying a batch out for the kernels


def _cuts(batch: Batch, typed: bool) -> tuple[Cuts, Cuts]:
    """Lay both sides out; without ``typed`` the type columns are empty, which means that any two segments may meet."""
    return _cut(batch.reference, batch, typed), _cut(batch.hypothesis, batch, typed)


def _cut(side: Side, batch: Batch, typed: bool) -> Cuts:
    """Keep the marks that lie strictly inside the text, one per position.

    Recordings may carry a mark twice, at 0, or at the end; typed texts carry the closing boundary. No closing mark: type -1.
    """
    none = one_layout(np.empty(0, np.int64))
    if not typed and batch.kind != "time":
        return Cuts(side.positions, none, none, side.starts, side.stops)
    index, pair = side.unpack()
    where = side.positions[index]
    inside = (where > 0) & (where < batch.lengths[pair]) & first_of_place(pair, where)
    kept = Side.pack(where[inside], pair[inside], len(batch))
    types, closing = none, none
    if typed:
        assert side.types is not None
        codes, last = side.types[index], where == batch.lengths[pair]
        types, closing = codes[inside], np.full(len(batch), -1)
        closing[pair[last]] = codes[last]
    return Cuts(kept.positions, one_layout(types), one_layout(closing), kept.starts, kept.stops)


def _segments(
    positions: NDArray[Any], types: NDArray[np.int64], closing: int, length: Any, typed: bool
) -> list[Segment]:
    if not length > 0:
        return []
    edges = [0, *positions.tolist(), length.item()]
    kinds = [*types.tolist(), int(closing)] if typed else [None] * (len(edges) - 1)
    return [Segment(a, b, kind) for a, b, kind in zip(edges, edges[1:], kinds, strict=False)]
