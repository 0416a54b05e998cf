"""Measures on nested segments: how well one hierarchy represents another (Carbone, Gal, Shieber & Grosz 2004).

``embeddedness="full"`` (the default): two segments are the same only if first unit, last unit and level agree.
``embeddedness="flat"``: the span alone counts, and a span on two levels counts once.

Nothing to compare on either side is perfect agreement: 1.0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.metrics.base import OwnMetric, ratio, ratio_of_side
from caesura.metrics.batch import Batch, Side
from caesura.metrics.boundary import BoundarySimilarity
from caesura.metrics.edits import Matching
from caesura.metrics.family import Rows

__all__ = ["NestedB", "NestedF", "NestedKappa", "NestedPrecision", "NestedRecall", "NonCrossing"]

PAPER = "Carbone, Gal, Shieber & Grosz 2004, Unifying Annotated Discourse Hierarchies to Create a Gold Standard"

#: Levels that :class:`NestedKappa` tells apart; deeper ones count as the deepest.
DEEPEST = 12


@dataclass(frozen=True)
class _Nested(OwnMetric):
    needs = frozenset({"nested"})
    paper = PAPER
    embeddedness: Literal["full", "flat"] = field(default="full", metadata={"sign": "emb"})

    def __post_init__(self) -> None:
        if self.embeddedness not in ("full", "flat"):
            raise CaesuraError(
                f"embeddedness is {self.embeddedness!r}; expected 'full' (span and level) or 'flat' (span alone)."
            )


@dataclass(frozen=True)
class _Shared(_Nested):
    fields = ("shared", "predicted", "actual")

    def count(self, batch: Batch) -> Rows:
        """Count segments that both sides have, those of the hypothesis and those of the reference."""
        from caesura.kernels.nesting import count_shared

        out = np.zeros((len(batch), 3))
        count_shared(*_reading(batch.reference, self.embeddedness), *_reading(batch.hypothesis, self.embeddedness), out)
        return out


@dataclass(frozen=True)
class NestedPrecision(_Shared):
    """Share of the hypothesis' segments that the reference has: shared / predicted.

    1 where neither side has a segment, 0 where only the reference has.

    Examples
    --------
    >>> from caesura.model import Hierarchy
    >>> coder = Hierarchy.from_brackets("[[a b] [c d]]")
    >>> gold = Hierarchy.from_brackets("[a b] [c d]")
    >>> NestedPrecision()(coder, gold), NestedPrecision(embeddedness="flat")(coder, gold)
    (0.0, 1.0)
    """

    name = "nested-precision"
    title = "precision of nested segments"
    symmetric = False

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """Shared over predicted."""
        return ratio_of_side(rows[..., 0], rows[..., 1], rows[..., 2])


@dataclass(frozen=True)
class NestedRecall(_Shared):
    """Share of the reference's segments that the hypothesis has: shared / actual.

    1 where neither side has a segment, 0 where only the hypothesis has.

    Examples
    --------
    >>> from caesura.model import Hierarchy
    >>> round(NestedRecall("flat")(Hierarchy.from_brackets("[[a b] [c d]]"), Hierarchy.from_brackets("[a b] [c d]")), 4)
    0.6667
    """

    name = "nested-recall"
    title = "recall of nested segments"
    symmetric = False

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """Shared over actual."""
        return ratio_of_side(rows[..., 0], rows[..., 2], rows[..., 1])


@dataclass(frozen=True)
class NestedF(_Shared):
    """Harmonic mean of precision and recall of nested segments: 2 · shared / (predicted + actual).

    Examples
    --------
    >>> from caesura.model import Hierarchy
    >>> NestedF("flat")(Hierarchy.from_brackets("[[a b] [c d]]"), Hierarchy.from_brackets("[a b] [c d]"))
    0.8
    """

    name = "nested-F"
    title = "F of nested segments"

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """Twice the shared over predicted + actual; 1 where neither side has a segment."""
        both = rows[..., 1] + rows[..., 2]
        return ratio(2 * rows[..., 0], both)


@dataclass(frozen=True)
class NonCrossing(OwnMetric):
    """Share of the hypothesis' segments that cross no segment of the reference (non-crossing brackets); 1 where it has none.

    Two segments cross when they overlap and neither contains the other. Levels do not matter, and a span on two levels of the
    hypothesis counts once.

    Examples
    --------
    >>> from caesura.model import Hierarchy
    >>> NonCrossing()(Hierarchy.from_brackets("[a b] [c d]"), Hierarchy.from_brackets("a [b c] [d]"))
    0.5
    """

    name = "non-crossing"
    title = "non-crossing brackets"
    fields = ("clear", "predicted")
    needs = frozenset({"nested"})
    paper = PAPER
    symmetric = False

    def count(self, batch: Batch) -> Rows:
        """Count the hypothesis' segments that cross nothing, and all of them."""
        from caesura.kernels.nesting import count_crossing

        one, two = (_reading(side, "flat") for side in (batch.reference, batch.hypothesis))
        out = np.zeros((len(batch), 2))
        count_crossing(*one[:2], *one[3:], *two[:2], *two[3:], out)
        return out

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """Clear over predicted."""
        return ratio(rows[..., 0], rows[..., 1])


class KappaParts(NamedTuple):
    """What κ is made of: agreement found, agreement expected, and their ratio."""

    observed: NDArray[np.float64]
    expected: NDArray[np.float64]
    kappa: NDArray[np.float64]


@dataclass(frozen=True)
class NestedKappa(_Nested):
    """Cohen's κ over the utterances: does a segment begin here (flat), and at which level (full).

    .. math:: \\kappa = \\frac{A_a - A_e}{1 - A_e}, \\quad A_e = \\sum_c \\frac{n_c^{ref}}{n} \\frac{n_c^{hyp}}{n}

    The category of an utterance is the level of the outermost segment that begins there, or none. Levels below the twelfth
    count as the twelfth. Where chance agrees perfectly (both sides are of one and the same category throughout) κ is 1.

    Examples
    --------
    >>> from caesura.model import Hierarchy
    >>> one, two = Hierarchy.from_brackets("[a b c] [d e]"), Hierarchy.from_brackets("[a b] [c d e]")
    >>> round(NestedKappa()(one, two), 4)
    0.1667
    """

    name = "nested-kappa"
    title = "κ of segment beginnings"
    fields: ClassVar[tuple[str, ...]] = (
        "units",
        "alike",
        *(f"reference {c}" for c in range(DEEPEST + 1)),
        *(f"hypothesis {c}" for c in range(DEEPEST + 1)),
    )
    bounds = (-1.0, 1.0)

    def count(self, batch: Batch) -> Rows:
        """Count units, units alike, and units by category on either side."""
        from caesura.kernels.nesting import count_beginnings

        one, two = (_reading(side, self.embeddedness) for side in (batch.reference, batch.hypothesis))
        levels = [np.maximum(x[2], 1) for x in (one, two)]  # flat segments have level 0; that they begin is what counts
        out = np.zeros((len(batch), len(self.fields)))
        count_beginnings(one[0], levels[0], *one[3:], two[0], levels[1], *two[3:], batch.lengths, DEEPEST, out)
        return out

    def kappa_parts(self, rows: Rows) -> KappaParts:
        """Score rows, with A_a and A_e beside κ."""
        units, one, two = rows[..., 0], rows[..., 2 : 3 + DEEPEST], rows[..., 3 + DEEPEST :]
        observed, expected = ratio(rows[..., 1], units), ratio((one * two).sum(axis=-1), units**2)
        sure = expected >= 1.0
        return KappaParts(
            observed, expected, np.where(sure, 1.0, (observed - expected) / np.where(sure, 1, 1 - expected))
        )

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """κ of the pooled table."""
        return self.kappa_parts(rows).kappa


@dataclass(frozen=True)
class NestedB(OwnMetric):
    """Hierarchical boundary similarity: the rows of B, level by level, added up.

    On each level a boundary is wherever a segment of that level begins or ends; a near miss on the outermost level counts as much
    as one on the innermost. Fournier (2013) names a measure for hierarchies as future work; this one is ours.

    Parameters
    ----------
    n_t, matching
        Of :class:`~caesura.metrics.boundary.BoundarySimilarity`.

    Examples
    --------
    >>> from caesura.model import Hierarchy
    >>> one, two = Hierarchy.from_brackets("[a b c] [d [e f]]"), Hierarchy.from_brackets("[a b] [c d [e f]]")
    >>> NestedB()(one, two)
    0.75
    """

    name = "nested-B"
    title = "boundary similarity pooled over levels"
    fields = BoundarySimilarity.fields
    needs = frozenset({"nested"})
    paper = "after Fournier 2013, Evaluating Text Segmentation using Boundary Edit Distance"
    n_t: int = field(default=2, metadata={"sign": "nt"})
    matching: Matching = field(default="published", metadata={"sign": "match"})

    def __post_init__(self) -> None:
        self._linear()

    def _linear(self) -> BoundarySimilarity:
        return BoundarySimilarity(n_t=self.n_t, matching=self.matching)

    def count(self, batch: Batch) -> Rows:
        """Project every pair to each of its levels, count B there, and add up."""
        deepest = np.maximum(_deepest(batch.reference), _deepest(batch.hypothesis))
        pair = np.repeat(np.arange(len(batch)), deepest)
        level = np.arange(len(pair)) - np.repeat(np.cumsum(deepest) - deepest, deepest) + 1
        one = _projected(batch.reference, batch.lengths, pair, level)
        two = _projected(batch.hypothesis, batch.lengths, pair, level)
        linear = self._linear()
        rows = np.zeros((len(batch), len(self.fields)))
        np.add.at(rows, pair, linear.count(Batch("units", batch.lengths[pair], one, two)))
        return rows

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """B of the sums."""
        return self._linear().score(rows)


def _deepest(side: Side) -> NDArray[np.int64]:
    """The deepest level of every pair, 0 where there is no segment."""
    deepest = np.zeros(len(side.starts), np.int64)
    index, pair = side.unpacked()
    assert side.types is not None
    np.maximum.at(deepest, pair, side.types[index])
    return deepest


def _projected(side: Side, lengths: NDArray[np.int64], pair: NDArray[np.int64], level: NDArray[np.int64]) -> Side:
    """Lay out the boundaries of every (pair, level) listed: where segments of that level begin or end inside the text."""
    assert side.ends is not None
    assert side.types is not None
    index, owner = side.unpacked()
    owner, at = np.tile(owner, 2), np.tile(side.types[index], 2)
    cut = np.concatenate((side.positions[index] - 1, side.ends[index]))
    inside = (cut > 0) & (cut < lengths[owner])
    found = np.unique(np.stack((owner[inside], at[inside], cut[inside]), axis=1), axis=0)
    width = int(max(level.max(initial=0), found[:, 1].max(initial=0))) + 1
    key, wanted = found[:, 0] * width + found[:, 1], pair * width + level
    return Side(found[:, 2].copy(), np.searchsorted(key, wanted), np.searchsorted(key, wanted, side="right"))


def _reading(
    side: Side, embeddedness: Literal["full", "flat"]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Lay the segments of every pair out in reading order: firsts, lasts, levels (0 if flat), starts, stops."""
    assert side.ends is not None
    assert side.types is not None
    index, pair = side.unpacked()
    first, last, level = side.positions[index], side.ends[index], side.types[index]
    order = np.lexsort((level, -last, first, pair))
    first, last, level, pair = first[order], last[order], level[order], pair[order]
    if embeddedness == "flat":
        keep = np.ones(len(first), bool)
        keep[1:] = (np.diff(pair) != 0) | (np.diff(first) != 0) | (np.diff(last) != 0)
        first, last, pair = first[keep], last[keep], pair[keep]
        level = np.zeros(len(first), np.int64)
    stops = np.cumsum(np.bincount(pair, minlength=len(side.starts))).astype(np.int64)
    return first, last, level, np.concatenate((np.zeros(1, np.int64), stops))[:-1], stops
