r"""Compare boundaries: exact positions first (precision, recall, F, distances), then near misses (the boundary edit distance of B and S).

Exact positions
---------------

.. math:: P = \frac{hits}{predicted}, \quad R = \frac{hits}{actual}, \quad
          F_\beta = \frac{(1 + \beta^2)\, hits}{\beta^2\, actual + predicted}, \quad
          PA = \frac{places - predicted - actual + 2\, hits}{places}

These are the simplest measures: a boundary that is one unit off is as wrong as a missing one. In recordings almost no boundary would be
right, so they are computed there only if you name them; region-precision, region-recall and region-F allow a tolerance.

.. math::
    H = \max\{\max_{r} \min_{h} |r - h|,\; \max_{h} \min_{r} |r - h|\}, \qquad
    E = \frac{1}{|hyp|} \sum_{h} \min_{r} |r - h|

The Hausdorff distance H and the mean error E, as ruptures defines them for change points, are in units, or in seconds for recordings. A
maximum cannot be pooled: over several items the score is the *mean* of their distances. If a side has no boundary, the distance of the
other side's boundaries is the length of the text, so that placing nothing never pays. Without hypotheses, the mean error is undefined
(NaN) unless the reference is empty too. H reflects only the worst boundary; E ignores a surplus boundary close to a right one. Truong,
Oudre & Vayatis 2020, Selective review of offline change point detection methods.

The generalised Hamming distance is the least cost of turning the hypothesis into the reference (Bookstein et al. 2002). Boundaries of
the hypothesis are deleted or shifted (at a cost per unit), and boundaries of the reference inserted. Shifts never cross.

Two sides without boundaries agree perfectly.

Near misses
-----------
Boundary edit distance and its scores: boundary similarity B, segmentation similarity S, precision, recall and F.

1. A boundary of both sides at one position is a *match*, one per type.
2. A boundary of only one side at ``i`` and of only the other at ``i + o``, ``o < n_t``, are a *transposition*: a near miss.
3. Different types that remain at one position are a *substitution*; all others are *additions* of one side.

.. math::
    B = 1 - \frac{|A| + \sum w_t + \sum w_s}{|A| + |T| + |S| + |M|}, \qquad
    S = 1 - \frac{|A| + \sum w_t + \sum w_s}{|types| \cdot (n - 1)}, \qquad
    P = \frac{TP}{TP + FP}, \quad R = \frac{TP}{TP + FN}

with additions A, transpositions T, substitutions S, matches M and n units. A match counts 1 in TP, a near miss 1 minus its weight. B is
the mean correctness of the boundaries that were placed; S divides by all potential boundaries and is therefore high if boundaries are
rare. A closing boundary, which typed annotations may have, adds a potential boundary.

``matching="published"`` finds transpositions like the program of 2013, by increasing offset and from left to right, unless both ends
still contain a substitution. For ``n_t > 2`` this is not always the least cost and may depend on the reading direction.
``matching="optimal"`` takes the pairing of least total cost, then of fewest additions, then of most matches: untyped boundaries
never cross, and the reading direction does not matter.

Fournier (2013). Two sides without boundaries agree perfectly: 1.0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.kernels import load
from caesura.kernels.matching import EditRule
from caesura.metrics.batch import Batch, Side
from caesura.metrics.catalog import cached_metric
from caesura.metrics.edit import Edit, EditKind
from caesura.metrics.family import (
    Family,
    Numbers,
    Parts,
    Rows,
    Score,
    Single,
    choose,
    one_minus_ratio,
    parameter,
    share,
    share_of_side,
    share_or_one,
)
from caesura.model import SegmentationLike, as_segmentation
from caesura.model.corpus import Kind
from caesura.text import pluralize
from caesura.validation import integer_between, number_between, one_of, validate_positive


class SharedCounts(NamedTuple):
    """Boundaries in common (of the same type, if they have types), and the boundaries of each side."""

    hits: Numbers
    predicted: Numbers
    actual: Numbers


class PlaceCounts(NamedTuple):
    """The same, and the potential boundaries."""

    hits: Numbers
    predicted: Numbers
    actual: Numbers
    places: Numbers


def precision(c: SharedCounts) -> Parts:
    """Return hits and predicted boundaries."""
    return c.hits, c.predicted, c.actual


def recall(c: SharedCounts) -> Parts:
    """Return hits and actual boundaries."""
    return c.hits, c.actual, c.predicted


def f_measure(c: SharedCounts, *, beta: float = 1.0) -> Parts:
    """Return (1 + β²) hits and β² actual + predicted."""
    return (1 + beta**2) * c.hits, beta**2 * c.actual + c.predicted


def agreeing_places(c: PlaceCounts) -> Parts:
    """Return the potential boundaries on which both sides agree, and all."""
    return c.places - c.predicted - c.actual + 2 * c.hits, c.places


@dataclass(frozen=True)
class SharedBoundaries(Family):
    """Boundaries at the same position on both sides, type by type if they have types.

    Examples
    --------
    >>> from caesura.metrics import metric
    >>> metric("precision")([2, 3, 6], [5, 6]), metric("recall")([2, 3, 6], [5, 6])
    (1.0, 0.5)
    """

    counts: ClassVar = SharedCounts
    scores = {
        "precision": Score(
            "boundary precision",
            "Share of predicted boundaries that are right: hits / predicted; 1 if none was predicted and none exists.",
            precision, share_of_side, symmetric=False,
        ),
        "recall": Score(
            "boundary recall",
            "Share of actual boundaries that were found: hits / actual; 1 if none exists and none was predicted.",
            recall, share_of_side, symmetric=False,
        ),
        "F": Score(
            "boundary F", "Weighted harmonic mean of boundary precision and recall.",
            f_measure, share_or_one, symmetric=lambda beta: beta == 1.0, checks={"beta": validate_positive},
        ),
    }  # fmt: skip
    kinds = frozenset({"units", "time"})
    opt_in_kinds: ClassVar[Mapping[Kind, str]] = {
        "time": "two people never place a boundary at exactly the same time, so the score is always near 0"
    }
    types = "sets"
    paper = "van Rijsbergen 1979, Information Retrieval, chapter 7"

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single:
        """Return the kernel that counts one pair."""
        loops = load("fused")
        if labels is not None:
            return Single(loops.pair_common_typed)
        return Single(loops.pair_common if kind == "units" else loops.pair_common_times)

    def derive(self, batch: Batch, known: Mapping[Family, Rows]) -> Rows | None:
        """Take the counts from the edits of B, if boundaries without types were counted for it."""
        edits = (family for family in known if isinstance(family, BoundaryEdits) and family.adjacent)
        if batch.typed or (family := next(edits, None)) is None:
            return None
        c = EditCounts._make(known[family].T)
        near = c.matches + c.transpositions
        columns = PlaceCounts(c.matches, near + c.only_hypothesis, near + c.only_reference, c.potential)
        return np.stack(columns[: len(self.counts._fields)], axis=1)

    def count(self, batch: Batch) -> Rows:
        """Count the boundaries in common of every pair."""
        out = np.empty((len(batch), len(self.counts._fields)))
        if batch.kind == "units" and not batch.typed:
            load("boundaries").count_common_units(*batch.columns, out)
        else:
            load("boundaries").count_common(*batch.columns, out)
        return out


@dataclass(frozen=True)
class PlacesAgreed(SharedBoundaries):
    """Agreement on all potential boundaries, without types."""

    counts: ClassVar = PlaceCounts  # type: ignore[assignment]
    scores = {
        "PA": Score(
            "percentage agreement",
            "Percentage agreement: the share of potential boundaries on which both sides agree, boundary or none.",
            agreeing_places, share_or_one,
        )
    }  # fmt: skip
    kinds = frozenset({"units"})
    opt_in_kinds = {}
    types: ClassVar = "ignored"  # type: ignore[assignment]
    paper = "Gale, Church & Yarowsky 1992; Passonneau & Litman 1993, for pairs of coders"

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single:
        """Return the kernel that counts one pair."""
        return Single(load("fused").pair_places)


# ---------------------------------------------------------------------- distances to the nearest boundary


class NearestCounts(NamedTuple):
    """Sums of distances, and the numbers of items and boundaries."""

    farthest: Numbers
    items: Numbers
    distances: Numbers  # of the boundaries of the hypothesis
    hypothesis: Numbers
    reference: Numbers


def farthest(c: NearestCounts) -> Parts:
    """Return the largest distances and the number of items."""
    return c.farthest, c.items


def distances(c: NearestCounts) -> Parts:
    """Return distances, boundaries of the hypothesis and of the reference."""
    return c.distances, c.hypothesis, c.reference


def _mean_or_undefined(above: Numbers, below: Numbers, other: Numbers) -> Numbers:
    return share(above, below, choose(other > 0, np.nan, 0.0))


@dataclass(frozen=True)
class NearestBoundaries(Family):
    """Distances of boundaries to the nearest boundary of the other side.

    Examples
    --------
    >>> from caesura.metrics import metric
    >>> metric("Hausdorff")([2, 3, 6], [2, 2, 7]), metric("mean-error")([2, 3, 6], [2, 2, 7])
    (1.0, 0.5)
    """

    counts = NearestCounts
    scores = {
        "Hausdorff": Score(
            "Hausdorff distance", "Hausdorff distance: how far the worst boundary of either side is from the nearest of the other.",
            farthest, share, higher_is_better=False, best=0.0, bounds=(0.0, np.inf),
        ),
        "mean-error": Score(
            "mean error of boundaries", "Mean distance from a predicted boundary to the nearest actual one.",
            distances, _mean_or_undefined, higher_is_better=False, best=0.0, bounds=(0.0, np.inf), symmetric=False,
        ),
    }  # fmt: skip
    kinds = frozenset({"units", "time"})
    opt_in_kinds = dict.fromkeys(
        ("units", "time"),
        "distances to the nearest boundary reflect only the worst error, or ignore missing boundaries",
    )
    paper = "Truong, Oudre & Vayatis 2020, Selective review of offline change point detection methods"

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single:
        """Return the kernel that counts one pair."""
        loops = load("fused")
        return Single(loops.pair_nearest if kind == "units" else loops.pair_nearest_times)

    def count(self, batch: Batch) -> Rows:
        """Measure the distances of every pair."""
        out = np.empty((len(batch), 5))
        load("boundaries").count_nearest(*batch.columns, out)
        return out


# ---------------------------------------------------------------------- generalised Hamming distance


class HammingCounts(NamedTuple):
    """The cost of turning one side into the other, and 1 per pair."""

    cost: Numbers
    pairs: Numbers


@dataclass(frozen=True)
class GeneralizedHamming(Family):
    """Boundaries deleted, shifted and inserted.

    Parameters
    ----------
    insert, delete : float, default 2.0
        Cost of a missing boundary, and of a surplus one.
    shift : float, default 1.0
        Cost of moving a boundary by one unit.
    """

    insert: float = parameter("ins", 2.0, number_between(0))
    delete: float = parameter("del", 2.0, number_between(0))
    shift: float = parameter("shift", 1.0, number_between(0))

    counts = HammingCounts
    scores = {
        "GHD": Score(
            "generalised Hamming distance", "Generalised Hamming distance; over several texts, its mean.",
            tuple, share, higher_is_better=False, best=0.0, bounds=(0.0, float("inf")),
        )
    }  # fmt: skip
    paper = "Bookstein, Kulyukin & Raita 2002, Generalized Hamming distance, Information Retrieval 5"

    @property
    def symmetric(self) -> bool:
        """Whether inserting costs as much as deleting."""
        return self.insert == self.delete

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single:
        """Return the kernel that counts one pair."""
        return Single(load("fused").pair_hamming, self._costs)

    @property
    def _costs(self) -> tuple[float, float, float]:
        return float(self.insert), float(self.delete), float(self.shift)

    def count(self, batch: Batch) -> Rows:
        """Compute the least cost of every pair."""
        out = np.empty((len(batch), 2))
        load("boundaries").count_hamming(*batch.columns, *self._costs, out)
        return out


def generalized_hamming(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    insert: float = 2.0,
    delete: float = 2.0,
    shift: float = 1.0,
) -> float:
    """Compute the generalised Hamming distance: the least cost of turning the hypothesis into the reference.

    Parameters
    ----------
    reference, hypothesis : Segmentation, list of masses or str
        Two segmentations of one text.
    insert, delete : float, default 2.0
        Cost of a missing boundary, and of a surplus one.
    shift : float, default 1.0
        Cost of moving a boundary by one unit.

    Returns
    -------
    float
        The distance; 0.0 if the segmentations are equal.

    References
    ----------
    Bookstein, Kulyukin & Raita 2002, Generalized Hamming distance, Information Retrieval 5.

    Examples
    --------
    >>> generalized_hamming("1100100000", "1100010000", 1.0, 1.0, 0.5)
    0.5
    """
    return cached_metric("GHD", insert=insert, delete=delete, shift=shift)(reference, hypothesis)


# ---------------------------------------------------------------------- near misses: the boundary edit distance

Matching: TypeAlias = Literal["published", "optimal"]
#: Weight of a near miss: a name, or a function of (span, n_t).
TranspositionWeight: TypeAlias = Literal["span", "printed", "unit"] | Callable[[int, int], float]
#: Weight of a substitution: a name, or a function of the two types.
SubstitutionWeight: TypeAlias = Literal["ordinal", "printed", "unit"] | Callable[[Any, Any], float]

_FARTHEST = 1_000_000  # the largest n_t: the weight of every span is in a table
_NO_TYPES = np.empty(0, np.int64)
_NO_TABLE = np.empty((0, 0), np.float64)


class EditCounts(NamedTuple):
    """The edits of a pair, or sums over pairs."""

    matches: Numbers
    transpositions: Numbers
    substitutions: Numbers
    only_reference: Numbers
    only_hypothesis: Numbers
    transposed: Numbers  # sum of the weights of near misses
    substituted: Numbers  # sum of the weights of substitutions
    potential: Numbers  # potential boundaries times types

    @property
    def additions(self) -> Numbers:
        """Boundaries without a partner."""
        return self.only_reference + self.only_hypothesis

    @property
    def pairs(self) -> Numbers:
        """Pairs of boundaries, including boundaries without a partner."""
        return self.matches + self.transpositions + self.substitutions + self.only_reference + self.only_hypothesis

    @property
    def cost(self) -> Numbers:
        """The sum of the weights of all edits."""
        return self.only_reference + self.only_hypothesis + self.transposed + self.substituted

    @property
    def right(self) -> Numbers:
        """True positives: matches, and near misses less their weights."""
        return self.matches + self.transpositions - self.transposed


def cost_per_pair(c: EditCounts) -> Parts:
    """Return the cost of the edits and the pairs of boundaries."""
    return c.cost, c.pairs


def cost_per_place(c: EditCounts, *, weights: Literal["unit", "scaled"] = "unit") -> Parts:
    """Return the cost of the edits and the potential boundaries; "unit" counts every edit as 1, "scaled" uses the weights of B."""
    return c.additions + c.transpositions + c.substitutions if weights == "unit" else c.cost, c.potential


def precision_of_edits(c: EditCounts) -> Parts:
    """Return TP, TP + FP and the pairs."""
    return c.right, c.right + c.only_hypothesis + c.substitutions, c.pairs


def recall_of_edits(c: EditCounts) -> Parts:
    """Return TP, TP + FN and the pairs."""
    return c.right, c.right + c.only_reference + c.substitutions, c.pairs


def f_measure_of_edits(c: EditCounts, *, beta: float = 1.0) -> Parts:
    """Return (1 + β²) TP, (1 + β²) TP + β² FN + FP and the pairs."""
    above = (1 + beta**2) * c.right
    missed, wrong = c.only_reference + c.substitutions, c.only_hypothesis + c.substitutions
    return above, above + beta**2 * missed + wrong, c.pairs


@dataclass(frozen=True)
class BoundaryEdits(Family):
    """Boundary edit distance.

    Parameters
    ----------
    n_t : int, default 2
        How many positions a transposition may span, both ends included: 2 means adjacent positions, 1 no near misses.
    matching : {"published", "optimal"}, default "published"
        How boundaries are paired.
    transposition : {"span", "printed", "unit"} or callable, default "span"
        Weight of a near miss: "span" (w_t + span / n_t), "printed" (equation 5 literally: w_t + span / (n_t - 1)), "unit" (1), or a
        function of (span, n_t).
    substitution : {"ordinal", "printed", "unit"} or callable, default "ordinal"
        Weight of a confusion of types: "ordinal" (w_s + distance / (max - min + 1) over the types of the pair), "printed" (equation 6
        literally, without the + 1), "unit" (1), or a function of the two types.
    w_t, w_s : float, default 0.0
        Constants added to these weights. No weight may exceed 1, the cost of an addition.
    """

    n_t: int = parameter("nt", 2, integer_between(1, _FARTHEST, "positions"))
    matching: Matching = parameter("match", "published", one_of("published", "optimal"))
    transposition: TranspositionWeight = parameter(
        "wt", "span", one_of("span", "printed", "unit", function="a span and n_t")
    )
    substitution: SubstitutionWeight = parameter(
        "ws", "ordinal", one_of("ordinal", "printed", "unit", function="two types")
    )
    w_t: float = parameter("wt0", 0.0, number_between(0, 1))
    w_s: float = parameter("ws0", 0.0, number_between(0, 1))

    counts = EditCounts
    scores = {
        "B": Score(
            "boundary similarity", "Boundary similarity: the mean correctness of the pairs of boundaries.",
            cost_per_pair, one_minus_ratio,
        ),
        "S": Score(
            "segmentation similarity", "Segmentation similarity: the share of potential boundaries that need no edit.",
            cost_per_place, one_minus_ratio, checks={"weights": one_of("unit", "scaled")},
        ),
        "B-precision": Score(
            "boundary-edit precision", "B-precision: how right the predicted boundaries are, near misses in part.",
            precision_of_edits, share_of_side, symmetric=False,
        ),
        "B-recall": Score(
            "boundary-edit recall", "B-recall: how well the actual boundaries were found, near misses in part.",
            recall_of_edits, share_of_side, symmetric=False,
        ),
        "B-F": Score(
            "boundary-edit F", "B-F: the weighted harmonic mean of B-precision and B-recall.",
            f_measure_of_edits, share_of_side, symmetric=lambda beta: beta == 1.0, checks={"beta": validate_positive},
        ),
    }  # fmt: skip
    types = "sets"
    paper = "Fournier 2013, Evaluating Text Segmentation using Boundary Edit Distance, ACL"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.substitution == "ordinal" and self.w_s >= 1:
            raise CaesuraError(
                "w_s is 1, so every substitution would cost more than an addition; choose a smaller value."
            )
        self.span_weights  # noqa: B018  raises an error if a weight exceeds the cost of an addition

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: value for name, value in vars(self).items() if name != "span_weights"
        }  # up to 8 MB, and fast to compute again

    @property
    def symmetric(self) -> bool:
        """Whether the weights of substitutions are a named rule, which is symmetric."""
        return not callable(self.substitution)

    @cached_property
    def span_weights(self) -> NDArray[np.float64]:
        """The weights of transpositions over 0, 1, … n_t-1 positions."""
        if callable(self.transposition):
            weights = np.array([0.0, *(self.transposition(span, self.n_t) for span in range(1, self.n_t))], np.float64)
        elif self.transposition == "unit":
            weights = np.ones(self.n_t)
        else:
            below = self.n_t if self.transposition == "span" else max(self.n_t - 1, 1)
            weights = self.w_t + np.arange(self.n_t) / below
        weights[0] = 0.0
        wrong = np.flatnonzero(~((weights >= 0) & (weights <= 1 + 1e-12)))
        if len(wrong):
            raise CaesuraError(
                f"a transposition over {pluralize(int(wrong[0]), 'position')} would weigh {weights[wrong[0]]:g}; "
                "expected 0 to 1, the cost of an addition."
            )
        return weights

    def rule(self, batch: Batch) -> EditRule:
        """Return the parameters in the form that kernels take; a function becomes a table over the types that occur."""
        kinds, table = _NO_TYPES, _NO_TABLE
        if callable(self.substitution) and batch.typed:
            kinds = np.unique(np.concatenate((batch.reference.columns.types, batch.hypothesis.columns.types)))
            table = self._type_table(self.substitution, [_name(int(kind), batch.labels) for kind in kinds])
        return EditRule(batch.typed, self.matching == "optimal", self.span_weights, self._ordinal, kinds, table)

    @staticmethod
    def _type_table(weight: Callable[[Any, Any], float], names: list[str | int | None]) -> NDArray[np.float64]:
        rows = [[0.0 if a == b else float(weight(a, b)) for b in names] for a in names]
        table = np.array(rows, np.float64).reshape(len(names), len(names))
        wrong = np.argwhere(~((table >= 0) & (table <= 1)))
        if len(wrong):
            a, b = wrong[0]
            raise CaesuraError(
                f"confusing {names[a]!r} with {names[b]!r} would weigh {table[a, b]:g}; expected 0 to 1, the cost of an addition."
            )
        return table

    @cached_property
    def _ordinal(self) -> NDArray[np.float64]:
        """The ordinal rule in the form that kernels take: constant, slope, and the number added to the range of types."""
        if self.substitution in ("ordinal", "printed"):
            return np.array([self.w_s, 1.0, 1.0 if self.substitution == "ordinal" else 0.0])
        return np.array([1.0, 0.0, 1.0])

    @property
    def adjacent(self) -> bool:
        """Whether near misses are adjacent and matched as published; without types there is a faster kernel for them."""
        return self.n_t == 2 and self.matching == "published"

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single | None:
        """Return the kernel that counts one pair, unless a function weighs types."""
        if labels is not None:
            if callable(self.substitution):
                return None
            return Single(
                load("fused").pair_typed_edits, (self.matching == "optimal", self.span_weights, self._ordinal)
            )
        if self.adjacent:
            return Single(load("fused").pair_adjacent, (self.span_weights.item(1),))
        return Single(load("fused").pair_edits, (self.matching == "optimal", self.span_weights, self._ordinal))

    def count(self, batch: Batch) -> Rows:
        """Pair the boundaries of every pair of annotations and count the edits."""
        out = np.empty((len(batch), 8))
        if not batch.typed and self.adjacent:
            load("edits").count_adjacent(*batch.columns, self.span_weights.item(1), out)
        else:
            load("edits").count_edits(*batch.columns, self.rule(batch), out)
        return out

    def edits(self, batch: Batch, pair: int = 0) -> list[Edit]:
        """Return the edits of one pair of a batch, in the order of the text."""
        batch = self.prepare(batch)
        ref, ref_types = _slice(batch.reference, pair)
        hyp, hyp_types = _slice(batch.hypothesis, pair)
        partner = load("edits").partners(ref, ref_types, hyp, hyp_types, self.rule(batch)).tolist()
        ends = _Ends(ref.tolist(), ref_types.tolist(), hyp.tolist(), hyp_types.tolist())
        edits = [
            (ends.order(i, j), self._edit(ends, i, j, batch)) for i, j in _pairs_and_singles(partner, len(ends.hyp))
        ]
        return [edit for _, edit in sorted(edits, key=lambda each: each[0])]

    def _edit(self, ends: _Ends, i: int | None, j: int | None, batch: Batch) -> Edit:
        here, there = (None if i is None else ends.ref[i]), (None if j is None else ends.hyp[j])
        ref_type = ends.ref_types[i] if i is not None and ends.ref_types else None
        hyp_type = ends.hyp_types[j] if j is not None and ends.hyp_types else None
        kind: EditKind = "match"
        weight = 0.0
        if here is None or there is None:
            kind, weight = "addition", 1.0
        elif here != there:
            kind, weight = "transposition", self.span_weights.item(abs(here - there))
        elif ref_type != hyp_type:
            types = ends.ref_types + ends.hyp_types
            weigh = load("matching").type_weight
            kind, weight = "substitution", float(weigh(ref_type, hyp_type, min(types), max(types), self.rule(batch)))
        return Edit(kind, here, there, _name(ref_type, batch.labels), _name(hyp_type, batch.labels), weight)


def boundary_similarity(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    n_t: int = 2,
    matching: Matching = "published",
    **parameters: Any,
) -> float:
    """Compute boundary similarity B: the mean correctness of the pairs of boundaries.

    Parameters
    ----------
    reference, hypothesis : Segmentation, list of masses or str
        Two segmentations of one text: segmentations, lists or arrays of masses, or strings of 0 and 1.
    n_t : int, default 2
        How many positions a near miss may span, both ends included (2: adjacent positions).
    matching : {"published", "optimal"}, default "published"
        "published" (the program of 2013) or "optimal" (least total cost).
    **parameters
        ``transposition``, ``substitution``, ``w_t``, ``w_s``: the weights, see :class:`BoundaryEdits`.

    Returns
    -------
    float
        From 0 to 1; 1.0 if neither side has a boundary.

    References
    ----------
    Fournier 2013, Evaluating Text Segmentation using Boundary Edit Distance, equation 4.

    Examples
    --------
    >>> boundary_similarity([2, 3, 6], [5, 6])
    0.5
    >>> round(boundary_similarity([2, 3, 6], [2, 3, 3, 3]), 4)
    0.6667
    """
    return cached_metric("B", n_t=n_t, matching=matching, **parameters)(reference, hypothesis)


def segmentation_similarity(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    n_t: int = 2,
    weights: Literal["unit", "scaled"] = "unit",
    **parameters: Any,
) -> float:
    """Compute segmentation similarity S: the share of potential boundaries that need no edit.

    Parameters
    ----------
    reference, hypothesis : Segmentation, list of masses or str
        Two segmentations of one text.
    n_t : int, default 2
        How many positions a near miss may span, both ends included.
    weights : {"unit", "scaled"}, default "unit"
        "unit" counts every edit as 1 (the figures of section 4), "scaled" weighs near misses and substitutions like B (the agreement of
        section 5, and equation 2 in the authors' program).
    **parameters
        As for :func:`boundary_similarity`.

    Returns
    -------
    float
        From 0 to 1; 1.0 for a text of one unit, which has no potential boundary.

    References
    ----------
    Fournier & Inkpen 2012; Fournier 2013, equation 2.

    Examples
    --------
    >>> segmentation_similarity([2, 3, 6], [5, 6])
    0.9
    """
    return cached_metric("S", n_t=n_t, weights=weights, **parameters)(reference, hypothesis)


def boundary_edits(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    n_t: int = 2,
    matching: Matching = "published",
    **parameters: Any,
) -> list[Edit]:
    """List the edits between two segmentations: matches, transpositions, substitutions and additions.

    Parameters
    ----------
    reference, hypothesis : Segmentation, list of masses or str
        Two segmentations of one text.
    n_t : int, default 2
        How many positions a near miss may span, both ends included.
    matching : {"published", "optimal"}, default "published"
        How boundaries are paired.
    **parameters
        As for :func:`boundary_similarity`.

    Returns
    -------
    list of Edit
        In the order of the text.

    Examples
    --------
    >>> for edit in boundary_edits([2, 3, 6], [2, 2, 3, 4]):
    ...     print(edit.kind, edit.reference, edit.hypothesis)
    match 2 2
    transposition 5 4
    addition None 7
    """
    batch = Batch.of_pair(as_segmentation(reference), as_segmentation(hypothesis))
    return BoundaryEdits(n_t=n_t, matching=matching, **parameters).edits(batch)


class _Ends(NamedTuple):
    """The positions and types of both sides of one pair; the lists of types are empty without types."""

    ref: list[int]
    ref_types: list[int]
    hyp: list[int]
    hyp_types: list[int]

    def order(self, i: int | None, j: int | None) -> tuple[int, int, int]:
        """Return the sort key of a pair: its first position, its last, its type."""
        places = [self.ref[i]] if i is not None else []
        places += [self.hyp[j]] if j is not None else []
        types = self.hyp_types[j : j + 1] if i is None and j is not None else self.ref_types[i : (i or 0) + 1]
        return min(places), max(places), types[0] if types else 0


def _pairs_and_singles(partner: list[int], others: int) -> Iterator[tuple[int | None, int | None]]:
    """Yield every boundary of the reference with its partner or None, then those of the hypothesis without a partner."""
    taken = set(partner)
    yield from ((i, j if j >= 0 else None) for i, j in enumerate(partner))
    yield from ((None, j) for j in range(others) if j not in taken)


def _slice(side: Side, pair: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    here, marks = slice(side.starts[pair], side.stops[pair]), side.columns
    return marks.positions[here], marks.types[here]


def _name(kind: int | None, labels: tuple[str, ...] | None) -> str | int | None:
    return kind if kind is None or labels is None else labels[kind]
