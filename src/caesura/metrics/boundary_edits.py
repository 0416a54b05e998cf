"""Boundary edits: what two segmentations share, nearly share, take for each other and have alone, and the scores of that.

1. What both sides have at a position is a *match*, one per type.
2. A boundary that one side has at ``i`` only and the other at ``i + o`` only, ``o < n_t``, is a *transposition*: a near miss.
3. What is left at one position is *substituted*, type for type; the rest are *additions* of one side.

.. math::
    B = 1 - \\frac{|A| + \\sum w_t + \\sum w_s}{|A| + |T| + |S| + |M|}, \\qquad
    S = 1 - \\frac{|A| + \\sum w_t + \\sum w_s}{|types| \\cdot (n - 1)}, \\qquad
    P = \\frac{TP}{TP + FP}, \\quad R = \\frac{TP}{TP + FN}

with additions A, transpositions T, substitutions S and matches M, n units, and of true positives TP a match counting 1 and a near miss
what its weight leaves. B asks how right the boundaries are that somebody placed; S divides by all places where there might have been
one, and so is high wherever boundaries are rare. A closing boundary, which typed annotations may carry, adds one potential place.

``matching="published"`` finds transpositions as the program of 2013 did, by growing offset and from left to right, unless both
ends still hold a substitution. That is not always the cheapest way for ``n_t > 2``, and may depend on the end one reads from.
``matching="optimal"`` takes the pairing of least total cost, then of fewest additions, then of most matches: untyped boundaries
never cross, and reading the text backwards changes nothing.

Fournier (2013). Nothing to compare on either side is perfect agreement: 1.0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.kernels import load
from caesura.kernels.matching import EditRule
from caesura.metrics.batch import Batch, Side
from caesura.metrics.catalog import usual_metric
from caesura.metrics.edit import Edit, EditKind
from caesura.metrics.family import Family, Numbers, Parts, Rows, Score, Single, one_less, share_of_side, sign
from caesura.model import SegmentationLike, as_segmentation
from caesura.model.corpus import Kind
from caesura.words import between, check_above_zero, check_choice, number_of, one_of, whole

Matching: TypeAlias = Literal["published", "optimal"]
#: How a near miss is weighed: by name, or a function of (span, n_t).
TranspositionWeight: TypeAlias = Literal["span", "printed", "unit"] | Callable[[int, int], float]
#: How a substitution is weighed: by name, or a function of the two types.
SubstitutionWeight: TypeAlias = Literal["ordinal", "printed", "unit"] | Callable[[Any, Any], float]

_FARTHEST = 1_000_000  # every span has its weight in a table
_NO_TYPES = np.empty(0, np.int64)
_NO_TABLE = np.empty((0, 0), np.float64)


class EditCounts(NamedTuple):
    """The edits of a pair, or of many pairs added up."""

    matches: Numbers
    transpositions: Numbers
    substitutions: Numbers
    only_reference: Numbers
    only_hypothesis: Numbers
    transposed: Numbers  # what near misses weigh together
    substituted: Numbers  # what substitutions weigh together
    potential: Numbers  # places times types

    @property
    def additions(self) -> Numbers:
        """Boundaries of one side that have no partner."""
        return self.only_reference + self.only_hypothesis

    @property
    def pairs(self) -> Numbers:
        """Pairs of boundaries, those with nothing on one side included."""
        return self.matches + self.transpositions + self.substitutions + self.only_reference + self.only_hypothesis

    @property
    def cost(self) -> Numbers:
        """What all edits weigh."""
        return self.only_reference + self.only_hypothesis + self.transposed + self.substituted

    @property
    def right(self) -> Numbers:
        """True positives: matches, and of near misses what their weight leaves."""
        return self.matches + self.transpositions - self.transposed


def cost_per_pair(c: EditCounts) -> Parts:
    """What edits cost, over pairs of boundaries."""
    return c.cost, c.pairs


def cost_per_place(c: EditCounts, *, weights: Literal["unit", "scaled"] = "unit") -> Parts:
    """What edits cost, over potential boundaries; "unit" counts every edit as 1, "scaled" weighs as B does."""
    check_choice("weights", weights, ("unit", "scaled"))
    return c.additions + c.transpositions + c.substitutions if weights == "unit" else c.cost, c.potential


def precision(c: EditCounts) -> Parts:
    """TP over TP and FP."""
    return c.right, c.right + c.only_hypothesis + c.substitutions, c.pairs


def recall(c: EditCounts) -> Parts:
    """TP over TP and FN."""
    return c.right, c.right + c.only_reference + c.substitutions, c.pairs


def f_measure(c: EditCounts, *, beta: float = 1.0) -> Parts:
    """(1 + β²) TP over (1 + β²) TP + β² FN + FP."""
    check_above_zero("beta", beta)
    above = (1 + beta**2) * c.right
    missed, wrong = c.only_reference + c.substitutions, c.only_hypothesis + c.substitutions
    return above, above + beta**2 * missed + wrong, c.pairs


@dataclass(frozen=True)
class BoundaryEdits(Family):
    """Boundary edit distance.

    Parameters
    ----------
    n_t
        How many positions a transposition may span, both ends counted: 2 takes adjacent positions, 1 knows no near misses.
    matching
        "published" or "optimal".
    transposition
        Weight of a near miss: "span" (w_t + span / n_t), "printed" (equation 5 to the letter: w_t + span / (n_t - 1)), "unit"
        (1), or a function of (span, n_t).
    substitution
        Weight of a confusion of types: "ordinal" (w_s + distance / (max - min + 1) over the types of the pair), "printed"
        (equation 6 to the letter, without the + 1), "unit" (1), or a function of the two types.
    w_t, w_s
        Constants added to either weight. No weight may exceed 1, the price of an addition.
    """

    n_t: int = sign("nt", 2, whole(1, _FARTHEST, "positions"))
    matching: Matching = sign("match", "published", one_of("published", "optimal"))
    transposition: TranspositionWeight = sign(
        "wt", "span", one_of("span", "printed", "unit", function="a span and n_t")
    )
    substitution: SubstitutionWeight = sign("ws", "ordinal", one_of("ordinal", "printed", "unit", function="two types"))
    w_t: float = sign("wt0", 0.0, between(0, 1))
    w_s: float = sign("ws0", 0.0, between(0, 1))

    counts = EditCounts
    scores = {
        "B": Score(
            "boundary similarity", "Boundary similarity: the mean correctness of the pairs of boundaries.",
            cost_per_pair, one_less,
        ),
        "S": Score(
            "segmentation similarity", "Segmentation similarity: the share of potential boundaries that need no edit.",
            cost_per_place, one_less,
        ),
        "B-precision": Score(
            "boundary-edit precision", "B-precision: how right the predicted boundaries are, near misses in part.",
            precision, share_of_side, symmetric=False,
        ),
        "B-recall": Score(
            "boundary-edit recall", "B-recall: how well the actual boundaries were found, near misses in part.",
            recall, share_of_side, symmetric=False,
        ),
        "B-F": Score(
            "boundary-edit F", "B-F: the weighted harmonic mean of B-precision and B-recall.",
            f_measure, share_of_side, symmetric=lambda beta: beta == 1.0,
        ),
    }  # fmt: skip
    types = "sets"
    paper = "Fournier 2013, Evaluating Text Segmentation using Boundary Edit Distance, ACL"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.substitution == "ordinal" and self.w_s >= 1:
            raise CaesuraError("w_s is 1, so that every substitution would cost more than an addition; lower it.")
        self.span_weights  # noqa: B018  weights above the price of an addition are refused at once

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "span_weights"}  # up to 8 MB, quickly made

    @property
    def symmetric(self) -> bool:
        """Symmetric, unless the weights of substitutions are a function of the user's."""
        return not callable(self.substitution)

    @cached_property
    def span_weights(self) -> NDArray[np.float64]:
        """The weight of a transposition over 0, 1, … n_t-1 positions."""
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
                f"a transposition over {number_of(int(wrong[0]), 'position')} would weigh {weights[wrong[0]]:g}; "
                "expected 0 to 1, the price of an addition."
            )
        return weights

    def rule(self, batch: Batch) -> EditRule:
        """How the kernels pair and weigh: by the ordinal rule, or by a table over the types that occur."""
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
                f"taking {names[b]!r} for {names[a]!r} would weigh {table[a, b]:g}; expected 0 to 1, the price of an addition."
            )
        return table

    @cached_property
    def _ordinal(self) -> NDArray[np.float64]:
        """Constant, slope, and what is added to the range of types: the ordinal rule as the kernels take it."""
        if self.substitution in ("ordinal", "printed"):
            return np.array([self.w_s, 1.0, 1.0 if self.substitution == "ordinal" else 0.0])
        return np.array([1.0, 0.0, 1.0])

    @property
    def adjacent(self) -> bool:
        """Whether near misses are published and adjacent: untyped ones have a loop of their own, three times as fast."""
        return self.n_t == 2 and self.matching == "published"

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single | None:
        """All boundaries, unless a function weighs their types."""
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
        """Pair the boundaries of every two sides and tally the edits."""
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
    """Boundary similarity B of two segmentations, from 0 to 1 (Fournier 2013, equation 4).

    No boundary on either side is perfect agreement: 1.0.

    Parameters
    ----------
    reference, hypothesis
        Segmentations, lists or arrays of masses, or strings of 0 and 1.
    n_t
        How many positions a near miss may span, both ends counted (2: adjacent positions).
    matching
        "published" (the program of 2013) or "optimal" (least total cost).
    **parameters
        ``transposition``, ``substitution``, ``w_t``, ``w_s``: the weights, see :class:`BoundaryEdits`.

    Examples
    --------
    >>> boundary_similarity([2, 3, 6], [5, 6])
    0.5
    >>> round(boundary_similarity([2, 3, 6], [2, 3, 3, 3]), 4)
    0.6667
    """
    return usual_metric("B", n_t=n_t, matching=matching, **parameters)(reference, hypothesis)


def segmentation_similarity(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    n_t: int = 2,
    weights: Literal["unit", "scaled"] = "unit",
    **parameters: Any,
) -> float:
    """Segmentation similarity S of two segmentations (Fournier & Inkpen 2012; Fournier 2013, equation 2).

    A text of one unit has no potential boundary and is in perfect agreement: 1.0.

    Parameters
    ----------
    reference, hypothesis, n_t, **parameters
        As for :func:`boundary_similarity`.
    weights
        "unit" counts every edit as 1 (the figures of section 4), "scaled" weighs near misses and substitutions as B does (the
        agreement of section 5, and equation 2 as the program has it).

    Examples
    --------
    >>> segmentation_similarity([2, 3, 6], [5, 6])
    0.9
    """
    return usual_metric("S", n_t=n_t, weights=weights, **parameters)(reference, hypothesis)


def boundary_edits(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    n_t: int = 2,
    matching: Matching = "published",
    **parameters: Any,
) -> list[Edit]:
    """Return what turns one segmentation into the other: matches, transpositions, substitutions and additions.

    Parameters
    ----------
    n_t, matching, **parameters
        As for :class:`BoundaryEdits`.

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
    """The positions and types of both sides of one pair; no types where there are none."""

    ref: list[int]
    ref_types: list[int]
    hyp: list[int]
    hyp_types: list[int]

    def order(self, i: int | None, j: int | None) -> tuple[int, int, int]:
        """Where in the text a pair belongs: by its first position, then its last, then its type."""
        places = [self.ref[i]] if i is not None else []
        places += [self.hyp[j]] if j is not None else []
        types = self.hyp_types[j : j + 1] if i is None and j is not None else self.ref_types[i : (i or 0) + 1]
        return min(places), max(places), types[0] if types else 0


def _pairs_and_singles(partner: list[int], others: int) -> Iterator[tuple[int | None, int | None]]:
    """Give every boundary of the reference with its partner, or none, then those of the hypothesis that have none."""
    taken = set(partner)
    yield from ((i, j if j >= 0 else None) for i, j in enumerate(partner))
    yield from ((None, j) for j in range(others) if j not in taken)


def _slice(side: Side, pair: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    here, marks = slice(side.starts[pair], side.stops[pair]), side.columns
    return marks.positions[here], marks.types[here]


def _name(kind: int | None, labels: tuple[str, ...] | None) -> str | int | None:
    return kind if kind is None or labels is None else labels[kind]
