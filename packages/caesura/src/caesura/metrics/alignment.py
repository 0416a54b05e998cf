r"""Alignment similarity A: similarity of segments rather than of boundaries (Ocampo Diaz & Ouyang 2022).

Every segment of each side is aligned to the closest segment of the other side. The score is the mean weight of these edges:

.. math:: A(r, h) = \frac{1}{|E|} \sum_{(p, q) \in E} g(p, q), \qquad
          E = \{\{p, \arg\max_q c(p, q)\}\}, \quad
          c(p, q) = \frac{|p \cap q|}{|p|}, \quad g(p, q) = \frac{|p \cap q|}{|p \cup q|}

A segment with several edges was split or merged; a pair with one edge is a match, or its boundary was shifted. :func:`align_segments`
describes these groups. Two sides without boundaries agree perfectly: 1.0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.display.table import format_cell
from caesura.errors import CaesuraError
from caesura.kernels import load
from caesura.kernels.segments import AlignmentRule, SegmentColumns
from caesura.metrics.batch import Batch, Side, as_readonly_contiguous, first_of_place
from caesura.metrics.catalog import cached_metric, metric
from caesura.metrics.family import Family, Metric, Numbers, Rows, Score, Single, parameter, share_or_one
from caesura.model import Segmentation, SegmentationLike, as_segmentation
from caesura.model.corpus import Kind
from caesura.validation import number_between, one_of


class Segment(NamedTuple):
    """One segment, ``units[start:stop]`` of the text: the argument of closeness and weight functions that users define.

    Examples
    --------
    >>> Segment(0, 5).shared(Segment(3, 9))
    2
    """

    start: float
    stop: float
    type: int | None = None

    @property
    def size(self) -> float:
        """The length in units or seconds."""
        return self.stop - self.start

    def shared(self, other: Segment) -> float:
        """Return the length of the intersection with another segment."""
        return max(0, min(self.stop, other.stop) - max(self.start, other.start))


#: The similarity of two segments: a name, or a function of a segment and the one it is compared with.
SegmentSimilarity: TypeAlias = (
    Literal["intersect", "jaccard", "dice", "overlap", "rand"] | Callable[[Segment, Segment], float]
)

# The indices in these tuples are the codes that the kernels take.
_SIMILARITIES = ("intersect", "jaccard", "dice", "overlap", "rand")
_TIES = ("leftmost", "rightmost", "both")
_SCORERS = ("mean", "exponential", "best")
_SIMILARITY = one_of(*_SIMILARITIES, function="two segments")

#: Times are floating-point numbers: differences below this share of a segment are ignored.
_SAME_TIME = 1e-9


class AlignmentCounts(NamedTuple):
    """The sum of the weights of all edges, and its divisor: edges, plus a penalty for large groups, or segments."""

    weight: Numbers
    edges: Numbers


@dataclass(frozen=True)
class SegmentAlignment(Family):
    """Edges between segments and their closest counterparts.

    Parameters
    ----------
    closeness : str or callable, default "intersect"
        c(p, q), which decides how segments are aligned: "intersect" (the share of p inside q), any other name of ``weight``, or a function
        of two :class:`Segment`. Ties go to the larger Jaccard index, then by ``ties``.
    weight : {"jaccard", "dice", "overlap", "rand", "intersect"} or callable, default "jaccard"
        g(p, q), the weight of an edge: Jaccard index, Sørensen–Dice, overlap coefficient, Rand index of being inside each of the two
        over all units, the share of p inside q (not symmetric), or a function.
    ties : {"leftmost", "rightmost", "both"}, default "leftmost"
        Which of the equally close segments is taken; "both" takes all.
    threshold, penalty : float, default 0.0 and 1.0
        An edge with a weight below the threshold loses this share of its weight.
    scorer : {"mean", "exponential", "best"}, default "mean"
        The mean of the weights; "exponential": a segment with d edges adds base^(d-1) - 1 to the divisor, so that one large group costs
        more than many small ones; "best": the mean over all segments of their heaviest edge.
    base : float, default 2.0
        The base of the exponential scorer.
    edges : {"undirected", "directed"}, default "undirected"
        "undirected": two segments that are each other's closest have one edge. "directed": they have two, each weighed from its own
        side. An undirected edge with an asymmetric weight counts as the mean of both directions.
    alignment : {"mla", "global"}, default "mla"
        "mla": every segment to its closest one, as published. "global" (our variant): of all sets of edges in which every segment has
        an edge, the one with the largest mean weight.
    typed : bool, default False
        Align only segments that end with boundaries of the same type. A segment without a partner counts as an edge of weight 0.

    Examples
    --------
    >>> a = alignment_similarity
    >>> round(a([5, 5, 1, 3], [7, 3, 1, 3]), 2), round(a([5, 5, 1, 3], [5, 4, 1, 4]), 2)
    (0.83, 0.6)
    >>> a([1, 8, 1], [3, 6, 1], alignment="global") > a([1, 8, 1], [9, 1], alignment="global")
    True
    """

    closeness: SegmentSimilarity = parameter("c", "intersect", _SIMILARITY)
    weight: SegmentSimilarity = parameter("g", "jaccard", _SIMILARITY)
    ties: Literal["leftmost", "rightmost", "both"] = parameter("ties", "leftmost", one_of(*_TIES))
    threshold: float = parameter("t", 0.0, number_between(0, 1))
    penalty: float = parameter("pen", 1.0, number_between(0, 1))
    scorer: Literal["mean", "exponential", "best"] = parameter("score", "mean", one_of(*_SCORERS))
    base: float = parameter("base", 2.0, number_between(1))
    edges: Literal["undirected", "directed"] = parameter("edges", "undirected", one_of("undirected", "directed"))
    alignment: Literal["mla", "global"] = parameter("align", "mla", one_of("mla", "global"))
    typed: bool = parameter("typed", False)

    counts = AlignmentCounts
    scores = {
        "A": Score(
            "alignment similarity",
            "Alignment similarity: the mean weight of the edges between segments and their closest counterparts.",
            tuple, share_or_one,
        )
    }  # fmt: skip
    kinds = frozenset({"units", "time"})
    paper = "Ocampo Diaz & Ouyang 2022, An Alignment-based Approach to Text Segmentation Similarity Scoring"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.alignment == "global" and self.edges == "directed":
            raise CaesuraError("a global alignment has no directed edges; use edges='undirected'.")

    def prepare(self, batch: Batch) -> Batch:
        """Reject other kinds and, with ``typed``, annotations with two types at one position or without types."""
        plain = super().prepare(batch)
        if not self.typed:
            return plain
        if not batch.typed:
            raise CaesuraError("typed=True aligns segments of equal type, but one side has no types.")
        batch.check_one_type_per_position()
        return batch

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single | None:
        """Return the kernel that counts one pair, unless segments need types or a function weighs them."""
        if self.as_published:
            published = load("fused").pair_aligned if kind == "units" else load("fused").pair_aligned_times
            return Single(published, () if kind == "units" else (_SAME_TIME,))
        if kind == "time" or self.typed or callable(self.closeness) or callable(self.weight):
            return None
        return Single(load("fused").pair_aligned_with, self.rule)

    def count(self, batch: Batch) -> Rows:
        """Compute the sum of the weights and its divisor for every pair."""
        out = np.zeros((len(batch), 2))
        if self.as_published and batch.kind == "units":
            load("boundaries").count_alignment_of_units(*batch.columns, out)
            return out
        if self.as_published:
            load("segments").count_alignment(*batch.columns, _SAME_TIME, out)
            return out
        tolerance = _SAME_TIME if batch.kind == "time" else 0.0
        ref, hyp = _segment_columns(batch, self.typed)
        if callable(self.closeness) or callable(self.weight):
            for i in range(len(batch)):
                out[i] = self._overlaps(ref, hyp, i, batch.lengths[i], tolerance).weigh(self)
        else:
            load("segments").count_alignment_with(ref, hyp, batch.lengths, tolerance, self.rule, out)
        return out

    @property
    def rule(self) -> AlignmentRule:
        """The named options in the form that kernels take; functions have the code -1."""
        closeness, weight = (-1 if callable(c) else _SIMILARITIES.index(c) for c in (self.closeness, self.weight))
        return AlignmentRule(
            closeness, weight, _TIES.index(self.ties), self.alignment == "global", self.edges == "directed",
            float(self.threshold), float(self.penalty), _SCORERS.index(self.scorer), float(self.base),
        )  # fmt: skip

    def overlaps(self, reference: SegmentationLike, hypothesis: SegmentationLike) -> Overlaps:
        """Return every overlap of one pair, its weight, and which side chose it as an edge."""
        batch = self.prepare(Batch.of_pair(as_segmentation(reference), as_segmentation(hypothesis)))
        tolerance = _SAME_TIME if batch.kind == "time" else 0.0
        return self._overlaps(*_segment_columns(batch, self.typed), 0, batch.lengths[0], tolerance)

    @cached_property
    def as_published(self) -> bool:
        """Whether every option that changes the number has its default."""
        plain = (self.closeness, self.weight, self.ties, self.scorer, self.edges, self.alignment, self.typed)
        return plain == ("intersect", "jaccard", "leftmost", "mean", "undirected", "mla", False) and (
            self.threshold == 0 or self.penalty == 0
        )

    def _overlaps(self, ref: SegmentColumns, hyp: SegmentColumns, pair: int, length: Any, tolerance: float) -> Overlaps:
        here, there = slice(ref.starts[pair], ref.stops[pair]), slice(hyp.starts[pair], hyp.stops[pair])
        size = ref.stops[pair] - ref.starts[pair] + hyp.stops[pair] - hyp.starts[pair] + 2
        places, sizes = np.empty((2, size), np.int64), np.empty((3, size))
        closing = (ref.closing[pair], hyp.closing[pair]) if self.typed else (0, 0)
        count = load("segments").trace_overlaps(
            ref.positions[here], ref.types[here], hyp.positions[there], hyp.types[there], closing, length, places, sizes
        )
        sides = (
            _segments(ref.positions[here], ref.types[here], closing[0], length, self.typed),
            _segments(hyp.positions[there], hyp.types[there], closing[1], length, self.typed),
        )
        overlaps = Overlaps(places[:, :count].copy(), sizes[:, :count].copy(), sides, float(length), tolerance)
        return replace(overlaps, weights=overlaps.similarity(self.weight)).chosen_by(self)


@dataclass(frozen=True, eq=False)
class Overlaps:
    """The overlaps of the segments of one pair, from left to right.

    ``places`` are the segments of reference and hypothesis, counted from 0; ``sizes`` their intersection and their sizes; ``weights`` the
    weight of an edge from each side; ``chosen`` the side that chose it: 1 the reference, 2 the hypothesis, 3 both, 0 none.
    """

    places: NDArray[np.int64]
    sizes: NDArray[np.float64]
    segments: tuple[Sequence[Segment], Sequence[Segment]]
    length: float
    tolerance: float
    weights: NDArray[np.float64] = field(default_factory=lambda: np.empty((2, 0)))
    chosen: NDArray[np.int8] = field(default_factory=lambda: np.empty(0, np.int8))

    def similarity(self, rule: SegmentSimilarity) -> NDArray[np.float64]:
        """Return the similarity of the two segments of every overlap, from the reference's and from the hypothesis' point of view."""
        count = self.places.shape[1]
        out = np.empty((2, count))
        if not callable(rule):
            code, timed = _SIMILARITIES.index(rule), self.tolerance > 0
            load("segments").similarities(code, self.sizes, count, self.length, timed, out)
            return out
        for k, (i, j) in enumerate(self.places.T.tolist()):
            ours, theirs = self.segments[0][i], self.segments[1][j]
            out[:, k] = rule(ours, theirs), rule(theirs, ours)
        if not np.isfinite(out).all():
            raise CaesuraError(f"{getattr(rule, '__name__', 'the function')} gave a value that is not a finite number.")
        return out

    def chosen_by(self, measure: SegmentAlignment) -> Overlaps:
        """Return the overlaps with the edges that this measure chooses."""
        count = self.places.shape[1]
        chosen = np.zeros(count, np.int8)
        if measure.alignment == "global":
            steps = np.empty((count, 4), np.int8)
            load("segments").choose_global(self.places, self.weights, count, measure.rule, steps, chosen)
        else:
            toward, jaccard = self.similarity(measure.closeness), self.similarity("jaccard")[0]
            load("segments").choose_closest(
                self.places, toward, jaccard, count, _TIES.index(measure.ties), self.tolerance, chosen
            )
        return replace(self, chosen=chosen)

    def weigh(self, measure: SegmentAlignment) -> tuple[float, float]:
        """Return the sum of the weights of the chosen edges and its divisor."""
        number = len(self.segments[0]) + len(self.segments[1])
        weight, below = load("segments").weigh(
            self.places, self.weights, self.chosen, self.places.shape[1], number, measure.rule
        )
        return weight, below


def alignment_similarity(
    reference: SegmentationLike, hypothesis: SegmentationLike, weight: SegmentSimilarity = "jaccard", **options: Any
) -> float:
    """Compute alignment similarity A: the mean weight of the edges between segments and their closest counterparts.

    Parameters
    ----------
    reference, hypothesis : Segmentation, list of masses or str
        Two segmentations of one text or recording.
    weight : {"jaccard", "dice", "overlap", "rand", "intersect"} or callable, default "jaccard"
        The weight of an edge.
    **options
        The other parameters of :class:`SegmentAlignment`: closeness, ties, threshold, penalty, scorer, edges, alignment, typed.

    Returns
    -------
    float
        1.0 is best, and the value of two segmentations without boundaries.

    References
    ----------
    Ocampo Diaz & Ouyang 2022, An Alignment-based Approach to Text Segmentation Similarity Scoring.

    Examples
    --------
    >>> round(alignment_similarity([2, 2, 5, 5], [2, 2, 4, 6]), 2)
    0.91
    >>> round(alignment_similarity([2, 2, 5, 5], [2, 2, 4, 6], weight="dice"), 2)
    0.95
    """
    return cached_metric("A", weight=weight, **options)(reference, hypothesis)


# ---------------------------------------------------------------------- segments in the form that kernels take


def _segment_columns(batch: Batch, typed: bool) -> tuple[SegmentColumns, SegmentColumns]:
    """Return both sides as columns; without ``typed`` the columns of types are empty, so that any two segments may be aligned."""
    return _columns_of_side(batch.reference, batch, typed), _columns_of_side(batch.hypothesis, batch, typed)


def _columns_of_side(side: Side, batch: Batch, typed: bool) -> SegmentColumns:
    """Return the marks strictly inside the text, one per position.

    Recordings may have a mark twice, at 0, or at the end; typed texts have a closing boundary. Without one, the closing type is -1.
    """
    none = as_readonly_contiguous(np.empty(0, np.int64))
    if not typed and batch.kind != "time":
        return SegmentColumns(side.positions, none, none, side.starts, side.stops)
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
    return SegmentColumns(
        kept.positions, as_readonly_contiguous(types), as_readonly_contiguous(closing), kept.starts, kept.stops
    )


def _segments(
    positions: NDArray[Any], types: NDArray[np.int64], closing: int, length: Any, typed: bool
) -> list[Segment]:
    if not length > 0:
        return []
    edges = [0, *positions.tolist(), length.item()]
    kinds = [*types.tolist(), int(closing)] if typed else [None] * (len(edges) - 1)
    return [Segment(a, b, kind) for a, b, kind in zip(edges, edges[1:], kinds, strict=False)]


# ---------------------------------------------------------------------- descriptions of an alignment

#: What happened to the segments of a group, from the reference to the hypothesis.
Reading: TypeAlias = Literal["matched", "shifted softly", "shifted hard", "merged", "split", "regrouped", "alone"]


@dataclass(frozen=True)
class AlignmentEdge:
    """One edge: the two segments, counted from 0, its weight and Jaccard index, and the side that chose it."""

    reference: int
    hypothesis: int
    weight: float
    jaccard: float
    chosen_by: Literal["both", "reference", "hypothesis"]


@dataclass(frozen=True)
class AlignmentGroup:
    """Segments that are joined by edges, counted from 0, and a description of what happened to them."""

    reading: Reading
    reference: tuple[int, ...]
    hypothesis: tuple[int, ...]
    edges: tuple[AlignmentEdge, ...]
    sentence: str


@dataclass(frozen=True, eq=False)
class Alignment:
    """Two segmentations and the edges between their segments, with a description of each group.

    One segment on each side is a match or a shift; several against one are a merge or a split; several against several are a
    regrouping, in which splits and merges touch.

    Examples
    --------
    >>> found = align_segments([5, 5, 1, 3], [7, 3, 1, 3])
    >>> print(found)
    A 0.829
    reference 1 ~ hypothesis 1: shifted softly (0.714), ends 2 later
    reference 2 ~ hypothesis 2: shifted softly (0.600), begins 2 later
    reference 3 = hypothesis 3: matched
    reference 4 = hypothesis 4: matched
    """

    metric: Metric
    rule: SegmentAlignment
    reference: Segmentation
    hypothesis: Segmentation
    overlaps: Overlaps

    @cached_property
    def score(self) -> float:
        """The score of this pair."""
        total, below = self.overlaps.weigh(self.rule)
        return total / below if below else 1.0

    @property
    def segments(self) -> tuple[tuple[Segment, ...], tuple[Segment, ...]]:
        """The segments of the reference and of the hypothesis."""
        ours, theirs = self.overlaps.segments
        return tuple(ours), tuple(theirs)

    @cached_property
    def edges(self) -> tuple[AlignmentEdge, ...]:
        """The edges from left to right, with weights after the penalty of a threshold."""
        who: dict[int, Literal["reference", "hypothesis", "both"]] = {1: "reference", 2: "hypothesis", 3: "both"}
        jaccard = self.overlaps.similarity("jaccard")[0]
        edges = []
        for k, (i, j) in enumerate(self.overlaps.places.T.tolist()):
            if chosen := int(self.overlaps.chosen[k]):
                forward, back = self.overlaps.weights[:, k].tolist()
                one_way = self.rule.edges == "directed" and chosen != 3
                weight = (forward if chosen == 1 else back) if one_way else (forward + back) / 2
                if weight < self.rule.threshold:
                    weight *= 1 - self.rule.penalty
                edges.append(AlignmentEdge(i, j, weight, float(jaccard[k]), who[chosen]))
        return tuple(edges)

    @cached_property
    def groups(self) -> tuple[AlignmentGroup, ...]:
        """The groups of segments from left to right."""
        runs: list[list[AlignmentEdge]] = []
        for edge in self.edges:
            if runs and (runs[-1][-1].reference == edge.reference or runs[-1][-1].hypothesis == edge.hypothesis):
                runs[-1].append(edge)
            else:
                runs.append([edge])
        groups = [self._group(tuple(run)) for run in runs]
        alone = [set(range(len(side))) for side in self.segments]
        for edge in self.edges:
            alone[0].discard(edge.reference)
            alone[1].discard(edge.hypothesis)
        groups += [AlignmentGroup("alone", (i,), (), (), f"reference {i + 1} has no counterpart") for i in alone[0]]
        groups += [AlignmentGroup("alone", (), (j,), (), f"hypothesis {j + 1} has no counterpart") for j in alone[1]]
        return tuple(sorted(groups, key=self._start))

    @property
    def counts(self) -> dict[Reading, int]:
        """The number of groups of each kind that occurs."""
        counts: dict[Reading, int] = {}
        for group in self.groups:
            counts[group.reading] = counts.get(group.reading, 0) + 1
        return counts

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; segments are counted from 1."""
        return {
            "metric": self.metric.signature,
            "score": self.score,
            "edges": [
                {
                    "reference": e.reference + 1,
                    "hypothesis": e.hypothesis + 1,
                    "weight": e.weight,
                    "jaccard": e.jaccard,
                    "chosen_by": e.chosen_by,
                }
                for e in self.edges
            ],
            "groups": [
                {
                    "reading": g.reading,
                    "reference": [i + 1 for i in g.reference],
                    "hypothesis": [j + 1 for j in g.hypothesis],
                    "sentence": g.sentence,
                }
                for g in self.groups
            ],
        }

    def __str__(self) -> str:
        return "\n".join([f"A {format_cell(self.score)}", *(group.sentence for group in self.groups)])

    def _start(self, group: AlignmentGroup) -> tuple[float, int]:
        ours = [self.segments[0][i].start for i in group.reference] + [
            self.segments[1][j].start for j in group.hypothesis
        ]
        return min(ours), not group.edges

    def _group(self, edges: tuple[AlignmentEdge, ...]) -> AlignmentGroup:
        ours = tuple(dict.fromkeys(e.reference for e in edges))
        theirs = tuple(dict.fromkeys(e.hypothesis for e in edges))
        if len(edges) == 1:
            reading, words = self._single(edges[0])
        else:
            reading, words = self._several(ours, theirs)
        return AlignmentGroup(reading, ours, theirs, edges, words)

    def _single(self, edge: AlignmentEdge) -> tuple[Reading, str]:
        ours, theirs = self.segments[0][edge.reference], self.segments[1][edge.hypothesis]
        near = 1e-9 * max(ours.size, theirs.size) if self.reference.timed else 0
        names = f"reference {edge.reference + 1} {{}} hypothesis {edge.hypothesis + 1}"
        moves = [("begins", theirs.start - ours.start), ("ends", theirs.stop - ours.stop)]
        changes = [f"{what} {abs(by):g} {'later' if by > 0 else 'earlier'}" for what, by in moves if abs(by) > near]
        if not changes:
            return "matched", f"{names.format('=')}: matched"
        limit = self.rule.threshold
        soft = edge.jaccard >= limit if limit else edge.jaccard > 0.5
        reading: Reading = "shifted softly" if soft else "shifted hard"
        return reading, f"{names.format('~')}: {reading} ({format_cell(edge.jaccard)}), {', '.join(changes)}"

    def _several(self, ours: tuple[int, ...], theirs: tuple[int, ...]) -> tuple[Reading, str]:
        first, second = self.segments
        same = first[ours[0]].start == second[theirs[0]].start and first[ours[-1]].stop == second[theirs[-1]].stop
        roughly = "" if same else "roughly "
        names = f"reference {_numbers(ours)}", f"hypothesis {_numbers(theirs)}"
        if len(theirs) == 1:
            return "merged", f"{names[0]} > {names[1]}: {roughly}merged"
        if len(ours) == 1:
            return "split", f"{names[0]} < {names[1]}: {roughly}split"
        return "regrouped", f"{names[0]} × {names[1]}: regrouped"


def align_segments(reference: SegmentationLike, hypothesis: SegmentationLike, **options: Any) -> Alignment:
    """Align the segments of two annotations, and describe what was matched, shifted, merged and split.

    Parameters
    ----------
    reference, hypothesis : Segmentation, list of masses or str
        Two segmentations of one text or recording.
    **options
        Parameters of :class:`SegmentAlignment`.

    Returns
    -------
    Alignment
        The edges and groups; printing it shows one line per group.

    Examples
    --------
    >>> align_segments([1, 8, 1], [9, 1]).counts
    {'merged': 1, 'matched': 1}
    """
    measure = metric("A", **options)
    assert isinstance(measure.family, SegmentAlignment)
    ours, theirs = as_segmentation(reference), as_segmentation(hypothesis)
    return Alignment(measure, measure.family, ours, theirs, measure.family.overlaps(ours, theirs))


def _numbers(places: tuple[int, ...]) -> str:
    """Return segment numbers, counted from 1, as "3" or "3–5"."""
    return f"{places[0] + 1}" if len(places) == 1 else f"{places[0] + 1}–{places[-1] + 1}"
