"""Boundary edit distance, for every measure that is built on it: its parameters, its tallies, and the edits as records.

1. What both sides have at a position is a *match*, one a type.
2. A boundary that one side has at ``i`` only and the other at ``i + o`` only, ``o < n_t``, is a *transposition*: a near miss.
3. What is left at one position is *substituted*, type for type; the rest are *additions* of one side.

``matching="published"`` finds transpositions as the program of 2013 did, by growing offset and from left to right, unless both
ends still hold a substitution. That is not always the cheapest way for ``n_t > 2``, and may depend on the end one reads from.
``matching="optimal"`` takes the pairing of least total cost, then of fewest additions, then of most matches: untyped boundaries
never cross, and reading the text backwards changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.metrics.base import OwnMetric
from caesura.metrics.batch import Batch, Side
from caesura.metrics.family import Rows
from caesura.model import SegmentationLike, as_segmentation
from caesura.words import number_of

__all__ = ["Edit", "EditMetric", "Matching", "SubstitutionWeight", "TranspositionWeight", "boundary_edits"]

Matching: TypeAlias = Literal["published", "optimal"]
_FARTHEST = 1_000_000  # every span has its weight in a table

#: How a near miss is weighed: by name, or a function of (span, n_t).
TranspositionWeight: TypeAlias = Literal["span", "printed", "unit"] | Callable[[int, int], float]
#: How a substitution is weighed: by name, or a function of the two types.
SubstitutionWeight: TypeAlias = Literal["ordinal", "printed", "unit"] | Callable[[Any, Any], float]

Kind: TypeAlias = Literal["match", "transposition", "substitution", "addition"]

_NONE = np.empty(0, np.int64)
_NO_TABLE = np.empty((0, 0), np.float64)


class Edit(NamedTuple):
    """One pair of boundaries, or one boundary that has no partner.

    ``kind`` is "match", "transposition", "substitution" or "addition". ``reference`` and ``hypothesis`` are the positions on
    either side, None on the side that has nothing; so an addition's side is the one that is not None. Types are names or
    integers as the annotations had them, None without types. ``weight`` is the penalty: 0 for a match, 1 for an addition.
    """

    kind: Kind
    reference: int | None
    hypothesis: int | None
    reference_type: str | int | None
    hypothesis_type: str | int | None
    weight: float

    @property
    def side(self) -> Literal["reference", "hypothesis"] | None:
        """The side an addition comes from; None where both have a part in the edit."""
        if self.hypothesis is None:
            return "reference"
        return "hypothesis" if self.reference is None else None

    @property
    def span(self) -> int:
        """How many positions apart the two boundaries are."""
        return 0 if self.reference is None or self.hypothesis is None else abs(self.reference - self.hypothesis)


@dataclass(frozen=True)
class EditMetric(OwnMetric):
    """Base of the measures on boundary edit distance.

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

    n_t: int = field(default=2, metadata={"sign": "nt"})
    matching: Matching = field(default="published", metadata={"sign": "match"})
    transposition: TranspositionWeight = field(default="span", metadata={"sign": "wt"})
    substitution: SubstitutionWeight = field(default="ordinal", metadata={"sign": "ws"})
    w_t: float = field(default=0.0, metadata={"sign": "wt0"})
    w_s: float = field(default=0.0, metadata={"sign": "ws0"})

    types = "sets"
    paper = "Fournier 2013, Evaluating Text Segmentation using Boundary Edit Distance, ACL"

    def __post_init__(self) -> None:
        if isinstance(self.n_t, bool) or not isinstance(self.n_t, (int, np.integer)) or self.n_t < 1:
            raise CaesuraError(f"n_t is {self.n_t!r}; expected a whole number of positions, 1 or more.")
        if self.n_t > _FARTHEST:
            raise CaesuraError(f"n_t is {self.n_t}; a transposition spans up to {_FARTHEST} positions.")
        for name, given, known in (
            ("matching", self.matching, ("published", "optimal")),
            ("transposition", self.transposition, ("span", "printed", "unit")),
            ("substitution", self.substitution, ("ordinal", "printed", "unit")),
        ):
            if not callable(given) and given not in known:
                raise CaesuraError(f"{name} is {given!r}; expected {' or '.join(map(repr, known))}.")
        for name, constant in (("w_t", self.w_t), ("w_s", self.w_s)):
            if not isinstance(constant, (int, float, np.number)) or not (np.isfinite(constant) and 0 <= constant <= 1):
                raise CaesuraError(f"{name} is {constant!r}; expected a number from 0 to 1.")
        self.span_weights()
        if self.substitution == "ordinal" and self.w_s >= 1:
            raise CaesuraError("w_s is 1, so that every substitution would cost more than an addition; lower it.")

    def span_weights(self) -> NDArray[np.float64]:
        """Return the weight of a transposition over 0, 1, … n_t-1 positions."""
        spans = np.arange(self.n_t, dtype=np.float64)
        if callable(self.transposition):
            weights = np.array([0.0, *(self.transposition(span, self.n_t) for span in range(1, self.n_t))], np.float64)
        elif self.transposition == "unit":
            weights = np.ones(self.n_t)
        else:
            below = self.n_t if self.transposition == "span" else max(self.n_t - 1, 1)
            weights = self.w_t + spans / below
        weights[0] = 0.0
        for span, weight in enumerate(weights.tolist()):
            if not 0 <= weight <= 1 + 1e-12:
                raise CaesuraError(
                    f"a transposition over {number_of(span, 'position')} would weigh {weight:g}; expected 0 to 1, "
                    "the price of an addition."
                )
        return weights

    def type_weights(self, batch: Batch) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
        """Return what the kernels need to weigh substitutions: the ordinal rule, or a table over the types that occur."""
        constant, slope, added = {"ordinal": (self.w_s, 1.0, 1.0), "printed": (self.w_s, 1.0, 0.0)}.get(
            self.substitution if isinstance(self.substitution, str) else "", (1.0, 0.0, 1.0)
        )
        ordinal = np.array([constant, slope, added])
        if not callable(self.substitution) or not batch.typed:
            return ordinal, _NONE, _NO_TABLE
        assert batch.reference.types is not None
        assert batch.hypothesis.types is not None
        kinds = np.unique(np.concatenate((batch.reference.types, batch.hypothesis.types)))
        names = [_named(int(kind), batch.labels) for kind in kinds]
        table = np.array([[0.0 if a == b else float(self.substitution(a, b)) for b in names] for a in names])
        if table.size and not ((table >= 0) & (table <= 1)).all():
            a, b = np.argwhere(~((table >= 0) & (table <= 1)))[0]
            raise CaesuraError(
                f"taking {names[b]!r} for {names[a]!r} would weigh {table[a, b]:g}; expected 0 to 1, the price of an addition."
            )
        return ordinal, kinds, table.reshape(len(kinds), len(kinds))

    @property
    def symmetric(self) -> bool:
        """Symmetric, unless the weights of substitutions are a function of the user's."""
        return not callable(self.substitution)

    def tallies(self, batch: Batch) -> Rows:
        """Count every pair into the columns of :data:`caesura.kernels.edits.COLUMNS`, one time for all metrics of the same edits."""
        rule = (self.n_t, self.matching, self.transposition, self.substitution, self.w_t, self.w_s)
        return batch.once(("edits", *rule), lambda: self._tally(batch))

    def _tally(self, batch: Batch) -> Rows:
        from caesura.kernels.edits import COLUMNS, count_adjacent, count_edits

        out = np.empty((len(batch), len(COLUMNS)))
        spans = self.span_weights()
        if not batch.typed:
            batch = batch.plain
        ref, hyp = batch.reference, batch.hypothesis
        if not batch.typed and self.n_t == 2 and self.matching == "published":
            count_adjacent(
                ref.positions, ref.starts, ref.stops, hyp.positions, hyp.starts, hyp.stops, float(spans[1]), out
            )
            return out
        count_edits(
            ref.positions, _types(ref), ref.starts, ref.stops, hyp.positions, _types(hyp), hyp.starts, hyp.stops,
            batch.typed, self.matching == "optimal", spans, *self.type_weights(batch), out,
        )  # fmt: skip
        return out

    def edits(self, reference: SegmentationLike, hypothesis: SegmentationLike) -> list[Edit]:
        """Return the edits of one pair, in the order of the text."""
        batch = Batch.of_pair(as_segmentation(reference), as_segmentation(hypothesis))
        self.check(batch)
        return self.edits_of(batch, 0)

    def edits_of(self, batch: Batch, pair: int) -> list[Edit]:
        """Return the edits of pair number ``pair`` of a batch, in the order of the text."""
        from caesura.kernels.edits import partners
        from caesura.kernels.matching import type_weight

        whole = batch if batch.typed else batch.plain
        ref, ref_types = _slice(whole.reference, pair)
        hyp, hyp_types = _slice(whole.hypothesis, pair)
        spans, weights = self.span_weights(), self.type_weights(whole)
        partner = partners(
            ref, ref_types, hyp, hyp_types, whole.typed, self.matching == "optimal", spans, *weights
        ).tolist()
        kinds = np.concatenate((ref_types, hyp_types))
        low, high = (int(kinds.min()), int(kinds.max())) if len(kinds) else (0, 0)
        taken = set(partner)
        found: list[tuple[int | None, int | None]] = [(i, j if j >= 0 else None) for i, j in enumerate(partner)]
        found += [(None, j) for j in range(len(hyp)) if j not in taken]
        made = []
        for i, j in found:
            here, there = (None if i is None else int(ref[i])), (None if j is None else int(hyp[j]))
            one = int(ref_types[i]) if whole.typed and i is not None else None
            two = int(hyp_types[j]) if whole.typed and j is not None else None
            kind: Kind = "match"
            weight = 0.0
            if here is None or there is None:
                kind, weight = "addition", 1.0
            elif here != there:
                kind, weight = "transposition", float(spans[abs(here - there)])
            elif one is not None and two is not None and one != two:
                kind, weight = "substitution", float(type_weight(one, two, low, high, *weights))
            edit = Edit(kind, here, there, _named(one, whole.labels), _named(two, whole.labels), weight)
            ends = [p for p in (here, there) if p is not None]
            made.append((min(ends), max(ends), two if one is None else one, edit))
        return [edit for *_, edit in sorted(made, key=lambda m: (m[0], m[1], m[2] or 0))]


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
        As for :class:`EditMetric`.

    Examples
    --------
    >>> for edit in boundary_edits([2, 3, 6], [2, 2, 3, 4]):
    ...     print(edit.kind, edit.reference, edit.hypothesis)
    match 2 2
    transposition 5 4
    addition None 7
    """
    from caesura.metrics.boundary import BoundarySimilarity

    return BoundarySimilarity(n_t=n_t, matching=matching, **parameters).edits(reference, hypothesis)


def _types(side: Side) -> NDArray[np.int64]:
    return _NONE if side.types is None else side.types


def _slice(side: Side, pair: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    here = slice(side.starts[pair], side.stops[pair])
    return side.positions[here], _NONE if side.types is None else side.types[here]


def _named(kind: int | None, labels: tuple[str, ...] | None) -> str | int | None:
    return kind if kind is None or labels is None else labels[kind]
