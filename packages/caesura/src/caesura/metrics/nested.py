"""Compare nested segments: how well one hierarchy represents another (Carbone, Gal, Shieber & Grosz 2004).

``embeddedness="full"`` (the default): two segments are equal if first unit, last unit and level agree.
``embeddedness="flat"``: only the span counts, and a span on two levels counts once.

Two sides without segments agree perfectly: 1.0.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from functools import cached_property
from operator import mul
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.kernels import load
from caesura.kernels.arrays import SpanColumns
from caesura.metrics.alignment import AlignmentCounts, SegmentAlignment
from caesura.metrics.batch import Batch, Side
from caesura.metrics.boundaries import BoundaryEdits, EditCounts, Matching, cost_per_pair
from caesura.metrics.family import (
    Family,
    Numbers,
    Parts,
    Rows,
    Score,
    Single,
    one_minus_ratio,
    parameter,
    share,
    share_of_side,
    share_or_one,
)
from caesura.model.corpus import Kind
from caesura.validation import number_between

#: Whether the level of a segment counts besides its span.
Embeddedness: TypeAlias = Literal["full", "flat"]

_PAPER = "Carbone, Gal, Shieber & Grosz 2004, Unifying Annotated Discourse Hierarchies to Create a Gold Standard"

#: Levels that κ of beginnings distinguishes; deeper ones count as the deepest.
DEEPEST = 12


def check_embeddedness(given: Any) -> None:
    """Raise an error unless the value is "full" or "flat"."""
    if given not in ("full", "flat"):
        raise CaesuraError(f"embeddedness is {given!r}; expected 'full' (span and level) or 'flat' (span alone).")


@dataclass(frozen=True)
class _Segments(Family):
    """Families that compare segments with or without their levels."""

    embeddedness: Embeddedness = parameter("emb", "full")

    kinds = frozenset({"nested"})
    paper = _PAPER

    def __post_init__(self) -> None:
        super().__post_init__()
        check_embeddedness(self.embeddedness)


# ---------------------------------------------------------------------- segments in common


class SegmentCounts(NamedTuple):
    """Segments in common, of the hypothesis and of the reference."""

    shared: Numbers
    predicted: Numbers
    actual: Numbers


def precision(c: SegmentCounts) -> Parts:
    """Return shared, predicted and actual segments."""
    return c.shared, c.predicted, c.actual


def recall(c: SegmentCounts) -> Parts:
    """Return shared, actual and predicted segments."""
    return c.shared, c.actual, c.predicted


def f_measure(c: SegmentCounts) -> Parts:
    """Return twice the shared segments, and predicted + actual."""
    return 2 * c.shared, c.predicted + c.actual


@dataclass(frozen=True)
class SharedSegments(_Segments):
    """Segments in common of two hierarchies.

    With ``embeddedness="full"``, a span that both sides have on different levels only counts ``level_credit`` (by default 0, which is the
    paper's "full"; the paper leaves open how to treat such segments).

    Examples
    --------
    >>> from caesura.metrics import metric
    >>> from caesura.model import Hierarchy
    >>> coder, gold = Hierarchy.from_brackets("[[a b] [c d]]"), Hierarchy.from_brackets("[a b] [c d]")
    >>> metric("nested-precision")(coder, gold), metric("nested-precision", embeddedness="flat")(coder, gold)
    (0.0, 1.0)
    >>> metric("nested-F", level_credit=0.5)(coder, gold)  # twice two halves, over three and two segments
    0.4
    """

    level_credit: float = parameter("lc", 0.0, number_between(0, 1))

    counts = SegmentCounts
    scores = {
        "nested-precision": Score(
            "precision of nested segments",
            "Share of the hypothesis' segments that the reference has: shared / predicted.",
            precision, share_of_side, symmetric=False,
        ),
        "nested-recall": Score(
            "recall of nested segments",
            "Share of the reference's segments that the hypothesis has: shared / actual.",
            recall, share_of_side, symmetric=False,
        ),
        "nested-F": Score(
            "F of nested segments",
            "Harmonic mean of precision and recall of nested segments: 2 · shared / (predicted + actual).",
            f_measure, share_or_one,
        ),
    }  # fmt: skip

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single | None:
        """Return the kernel that counts one pair; credit for other levels is counted in batches."""
        return None if self.level_credit else Single(load("fused").pair_shared, (self.embeddedness == "flat",))

    def count(self, batch: Batch) -> Rows:
        """Count the segments in common of every pair."""
        out = np.zeros((len(batch), 3))
        ref, hyp = (_reading_order(side, self.embeddedness) for side in (batch.reference, batch.hypothesis))
        load("nested").count_shared(ref, hyp, batch.lengths, out)
        if self.level_credit and self.embeddedness == "full":
            out[:, 0] += self.level_credit * _shared_on_other_levels(ref, hyp)
        return out


def _shared_on_other_levels(ref: SpanColumns, hyp: SpanColumns) -> NDArray[np.float64]:
    """Count, for every pair, the spans that both sides have, but never on the same level."""
    counted = np.zeros(len(ref.starts))
    for pair in range(len(ref.starts)):
        ours, theirs = (
            set(zip(*(column[side.starts[pair] : side.stops[pair]].tolist() for column in side[:3]), strict=True))
            for side in (ref, hyp)
        )
        spans = {span[:2] for span in ours} & {span[:2] for span in theirs}
        counted[pair] = len(spans - {span[:2] for span in ours & theirs})
    return counted


class CrossingCounts(NamedTuple):
    """Segments of the hypothesis that cross no segment of the reference, and all its segments."""

    clear: Numbers
    predicted: Numbers


@dataclass(frozen=True)
class CrossingSegments(Family):
    """Segments that overlap without one containing the other; levels are ignored.

    Examples
    --------
    >>> from caesura.metrics import metric
    >>> from caesura.model import Hierarchy
    >>> metric("non-crossing")(Hierarchy.from_brackets("[a b] [c d]"), Hierarchy.from_brackets("a [b c] [d]"))
    0.5
    """

    counts = CrossingCounts
    scores = {
        "non-crossing": Score(
            "non-crossing brackets",
            "Share of the hypothesis' segments that cross no segment of the reference (non-crossing brackets); 1 if it has none.",
            tuple, share_or_one, symmetric=False,
        )
    }  # fmt: skip
    kinds = frozenset({"nested"})
    paper = _PAPER

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single:
        """Return the kernel that counts one pair."""
        return Single(load("fused").pair_crossing)

    def count(self, batch: Batch) -> Rows:
        """Count the segments of the hypothesis that cross none, and all its segments."""
        ref, hyp = (_reading_order(side, "flat") for side in (batch.reference, batch.hypothesis))
        out = np.zeros((len(batch), 2))
        load("nested").count_crossing(ref, hyp, batch.lengths, out)
        return out


# ---------------------------------------------------------------------- κ of beginnings

_CATEGORIES = range(DEEPEST + 1)
_FIELDS = ("units", "alike", *(f"reference_{c}" for c in _CATEGORIES), *(f"hypothesis_{c}" for c in _CATEGORIES))
#: Units, agreeing units, and for each side the units of each category: no segment begins there, or one of that level.
BeginningCounts: Any = namedtuple("BeginningCounts", _FIELDS)  # type: ignore[misc]


class KappaParts(NamedTuple):
    """Observed and expected agreement, and κ."""

    observed: NDArray[np.float64]
    expected: NDArray[np.float64]
    kappa: NDArray[np.float64]


def kappa_parts(rows: Rows) -> KappaParts:
    """Return observed agreement A_a, expected agreement A_e and κ for rows of counts."""
    units, ref, hyp = rows[..., 0], rows[..., 2 : 3 + DEEPEST], rows[..., 3 + DEEPEST :]
    observed, expected = share(rows[..., 1], units, 1.0), share((ref * hyp).sum(axis=-1), units**2, 1.0)
    sure = expected >= 1.0
    kappa = np.where(sure, 1.0, (observed - expected) / np.where(sure, 1, 1 - expected))
    return KappaParts(observed, expected, kappa)


def _kappa(*counts: Numbers) -> Numbers:
    if type(counts[0]) is float:
        units, ref, hyp = counts[0], counts[2 : 3 + DEEPEST], counts[3 + DEEPEST :]
        observed = share(counts[1], units, 1.0)
        expected = share(float(sum(map(mul, ref, hyp))), units * units, 1.0)
        return 1.0 if expected >= 1.0 else (observed - expected) / (1 - expected)
    return kappa_parts(np.stack([np.asarray(count, np.float64) for count in counts], axis=-1)).kappa


@dataclass(frozen=True)
class SegmentBeginnings(_Segments):
    r"""Where segments begin, unit by unit, for Cohen's κ.

    .. math:: \kappa = \frac{A_a - A_e}{1 - A_e}, \quad A_e = \sum_c \frac{n_c^{ref}}{n} \frac{n_c^{hyp}}{n}

    The category of a unit is the level of the outermost segment that begins there, or none. Levels below the twelfth count as the
    twelfth. If chance agreement is perfect (both sides have one and the same category throughout), κ is 1.

    Examples
    --------
    >>> from caesura.metrics import metric
    >>> from caesura.model import Hierarchy
    >>> sides = Hierarchy.from_brackets("[a b c] [d e]"), Hierarchy.from_brackets("[a b] [c d e]")
    >>> round(metric("nested-kappa")(*sides), 4)
    0.1667
    """

    counts = BeginningCounts
    scores = {
        "nested-kappa": Score(
            "κ of segment beginnings",
            "Cohen's κ over the utterances: does a segment begin here (flat), and at which level (full).",
            tuple, _kappa, bounds=(-1.0, 1.0),
        )
    }  # fmt: skip

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single:
        """Return the kernel that counts one pair."""
        return Single(load("fused").pair_beginnings, (self.embeddedness == "flat", DEEPEST))

    def count(self, batch: Batch) -> Rows:
        """Count units, agreeing units, and units by category on each side."""
        ref, hyp = (_reading_order(side, self.embeddedness) for side in (batch.reference, batch.hypothesis))
        # flat segments have level 0, which is the category of units where none begins
        ref, hyp = (x._replace(levels=np.maximum(x.levels, 1)) for x in (ref, hyp))
        out = np.zeros((len(batch), len(self.counts._fields)))
        load("nested").count_beginnings(ref, hyp, batch.lengths, DEEPEST, out)
        return out


# ---------------------------------------------------------------------- B, level by level


@dataclass(frozen=True)
class BoundariesByLevel(Family):
    """The counts of boundary similarity on each level, added up.

    The boundaries of a level are the positions where its segments begin or end; a near miss on the outermost level counts as much as one
    on the innermost. Fournier (2013) mentions a measure for hierarchies as future work; this one is ours.

    Parameters
    ----------
    n_t : int, default 2
        How many positions a near miss may span, both ends included.
    matching : {"published", "optimal"}, default "published"
        How boundaries are paired.

    Examples
    --------
    >>> from caesura.metrics import metric
    >>> from caesura.model import Hierarchy
    >>> metric("nested-B")(Hierarchy.from_brackets("[a b c] [d [e f]]"), Hierarchy.from_brackets("[a b] [c d [e f]]"))
    0.75
    """

    n_t: int = parameter("nt", 2)
    matching: Matching = parameter("match", "published")

    counts = EditCounts
    scores = {
        "nested-B": Score(
            "boundary similarity pooled over levels",
            "Hierarchical boundary similarity: the rows of B, level by level, added up.",
            cost_per_pair, one_minus_ratio,
        )
    }  # fmt: skip
    kinds = frozenset({"nested"})
    paper = "after Fournier 2013, Evaluating Text Segmentation using Boundary Edit Distance"

    def __post_init__(self) -> None:
        self._linear  # noqa: B018  checks the parameters

    @cached_property
    def _linear(self) -> BoundaryEdits:
        return BoundaryEdits(n_t=self.n_t, matching=self.matching)

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single | None:
        """Return the kernel that counts one pair, if near misses are adjacent."""
        if not self._linear.adjacent:
            return None
        return Single(load("fused").pair_levels, (self._linear.span_weights.item(1),))

    def count(self, batch: Batch) -> Rows:
        """Project every pair to each of its levels, count the edits there, and add them up."""
        return _count_by_level(self._linear, batch)


@dataclass(frozen=True)
class AlignmentByLevel(Family):
    """The edges of alignment similarity on each level, added up.

    The segments of a level are those between the positions where its segments begin or end; the mean is over the edges of all levels, down to
    the deepest level of either side. Ocampo Diaz & Ouyang (2022, footnote 1) mention hierarchical relations; this definition is ours.

    Parameters
    ----------
    scorer : {"mean", "exponential", "best"}, default "mean"
        As of A.
    alignment : {"mla", "global"}, default "mla"
        As of A.

    Examples
    --------
    >>> from caesura.metrics import metric
    >>> from caesura.model import Hierarchy
    >>> round(metric("nested-A")(Hierarchy.from_brackets("[a b c] [d [e f]]"), Hierarchy.from_brackets("[a b] [c d [e f]]")), 4)
    0.8542
    """

    scorer: Literal["mean", "exponential", "best"] = parameter("score", "mean")
    alignment: Literal["mla", "global"] = parameter("align", "mla")

    counts = AlignmentCounts
    scores = {
        "nested-A": Score(
            "alignment similarity pooled over levels",
            "Hierarchical alignment similarity: the edges of A, level by level, and the mean of all their weights.",
            tuple, share_or_one,
        )
    }  # fmt: skip
    kinds = frozenset({"nested"})
    opt_in_kinds = {"nested": "nested-B compares the same levels"}
    paper = "after Ocampo Diaz & Ouyang 2022, An Alignment-based Approach to Text Segmentation Similarity Scoring"

    def __post_init__(self) -> None:
        self._linear  # noqa: B018  checks the parameters

    @cached_property
    def _linear(self) -> SegmentAlignment:
        return SegmentAlignment(scorer=self.scorer, alignment=self.alignment)

    def count(self, batch: Batch) -> Rows:
        """Project every pair to each of its levels, align the segments there, and add up weights and edges."""
        return _count_by_level(self._linear, batch)


def _count_by_level(linear: Family, batch: Batch) -> Rows:
    """Project every pair to each of its levels, count it there, and add the rows up."""
    deepest = np.maximum(_deepest(batch.reference), _deepest(batch.hypothesis))
    pair = np.repeat(np.arange(len(batch)), deepest)
    level = np.arange(len(pair)) - np.repeat(np.cumsum(deepest) - deepest, deepest) + 1
    ref, hyp = (_project(side, batch.lengths, pair, level) for side in (batch.reference, batch.hypothesis))
    rows = np.zeros((len(batch), len(linear.counts._fields)))
    np.add.at(rows, pair, linear.count(Batch("units", batch.lengths[pair], ref, hyp)))
    return rows


# ---------------------------------------------------------------------- hierarchies in the form that kernels take


def _deepest(side: Side) -> NDArray[np.int64]:
    """Return the deepest level of every pair, 0 without segments."""
    deepest = np.zeros(len(side.starts), np.int64)
    index, pair = side.unpack()
    assert side.types is not None
    np.maximum.at(deepest, pair, side.types[index])
    return deepest


def _project(side: Side, lengths: NDArray[np.int64], pair: NDArray[np.int64], level: NDArray[np.int64]) -> Side:
    """Return the boundaries of every (pair, level) in the lists: where segments of that level begin or end inside the text."""
    assert side.ends is not None
    assert side.types is not None
    index, owner = side.unpack()
    owner, at = np.tile(owner, 2), np.tile(side.types[index], 2)
    cut = np.concatenate((side.positions[index] - 1, side.ends[index]))
    inside = (cut > 0) & (cut < lengths[owner])
    cuts = np.unique(np.stack((owner[inside], at[inside], cut[inside]), axis=1), axis=0)
    width = int(max(level.max(initial=0), cuts[:, 1].max(initial=0))) + 1
    key, wanted = cuts[:, 0] * width + cuts[:, 1], pair * width + level
    return Side(cuts[:, 2].copy(), np.searchsorted(key, wanted), np.searchsorted(key, wanted, side="right"))


def _reading_order(side: Side, embeddedness: Embeddedness) -> SpanColumns:
    """Return the segments of every pair in reading order; flat ones have level 0."""
    assert side.ends is not None
    assert side.types is not None
    index, pair = side.unpack()
    first, last, level = side.positions[index], side.ends[index], side.types[index]
    order = np.lexsort((level, -last, first, pair))
    first, last, level, pair = first[order], last[order], level[order], pair[order]
    if embeddedness == "flat":
        keep = np.ones(len(first), bool)
        keep[1:] = (np.diff(pair) != 0) | (np.diff(first) != 0) | (np.diff(last) != 0)
        first, last, pair = first[keep], last[keep], pair[keep]
        level = np.zeros(len(first), np.int64)
    stops = np.cumsum(np.bincount(pair, minlength=len(side.starts))).astype(np.int64)
    return SpanColumns(first, last, level, np.concatenate((np.zeros(1, np.int64), stops))[:-1], stops)
