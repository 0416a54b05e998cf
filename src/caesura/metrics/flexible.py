"""Flexible segmentation similarity (Lai, Li & Zhang 2023): typed, exclusive boundaries that may be moved and mistaken.

.. math:: S_f = 1 - \\frac{C}{N}, \\qquad S_f^B = 1 - \\frac{C}{\\#edits + \\#correct}

C is the least cost of turning one annotation into the other: a boundary is deleted or added at one minus its similarity
with ∅, mistaken for another type at one minus their similarity, moved at ``c^t`` a position. Where both annotators have a
boundary at one place it is the same boundary (``forced``). N counts the places where a boundary could stand, the end of the
text included; tracks of one text add. Nothing on either side is perfect agreement: 1.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import NoneType
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, LengthMismatch, UnknownName
from caesura.metrics.base import OwnMetric, ratio
from caesura.metrics.batch import Batch
from caesura.metrics.family import Rows
from caesura.metrics.similarity import Moves, Similarity, SimilarityLike, as_similarity
from caesura.model import Segmentation, SegmentationLike, as_segmentation

__all__ = [
    "Costs",
    "Moved",
    "Normalise",
    "Sf",
    "SfB",
    "Ties",
    "TracksLike",
    "check_pair",
    "flexible_similarity",
    "named_tracks",
    "pair_row",
    "paired_tracks",
]

#: Whose cost a move of two types is charged: the cheaper's, the second annotator's (Algorithm 1 as printed), or that of
#: the boundary that stands later in the text (the authors' program).
Moved: TypeAlias = Literal["cheaper", "second", "later"]
#: Among alignments of equal cost, the one with most or with fewest pairs plus unpaired boundaries.
Ties: TypeAlias = Literal["most", "fewest"]
#: What the cost is divided by: the places where a boundary could stand, or the boundaries that were seen.
Normalise: TypeAlias = Literal["potential", "boundaries"]
#: One annotator's text: a segmentation, or one for every participant, in a list or by name.
TracksLike: TypeAlias = SegmentationLike | Sequence[Segmentation] | Mapping[str, Segmentation]

_FAR = 1 << 40  # farther than any text is long: what a free move reaches
_NEAR = 1e-9


class Costs(NamedTuple):
    """What the kernel works with: costs of types and ∅, costs of a step, and how far a move can pay."""

    costs: NDArray[np.float64]
    steps: NDArray[np.float64]
    reach: int


@dataclass(frozen=True)
class _Flexible(OwnMetric):
    fields = ("cost", "boundaries", "potential")
    needs = frozenset({"units"})
    types = "exclusive"
    paper = "Lai, Li & Zhang 2023, Text segmentation similarity revisited, SCiL"

    similarity: Any = field(default=None, metadata={"sign": "sim"})
    transposition: Any = field(default=None, metadata={"sign": "c"})
    moved: Moved = field(default="cheaper", metadata={"sign": "mv"})
    ties: Ties = "most"
    forced: bool = True
    closing: bool | None = field(default=None, metadata={"sign": "end"})
    labels: Any = None

    def __post_init__(self) -> None:
        for name, known in (("moved", get_args(Moved)), ("ties", get_args(Ties))):
            if (given := getattr(self, name)) not in known:
                raise UnknownName(f"value of {name}", str(given), list(known))
        for name, truth in (("forced", (bool, np.bool_)), ("closing", (bool, np.bool_, NoneType))):
            if not isinstance(getattr(self, name), truth):
                raise CaesuraError(f"{name} is {getattr(self, name)!r}; expected True or False.")
        if isinstance(self.transposition, Mapping) and not self.transposition:
            raise CaesuraError("transposition is {}; expected a cost for every type.")
        if self.similarity is not None or self.labels is not None or isinstance(self.transposition, Mapping):
            names = self.labels if self.labels is not None or self.similarity is not None else tuple(self.transposition)
            made = as_similarity(self.similarity, names, self.transposition)
            for name, value in (("similarity", made), ("labels", None), ("transposition", None)):
                object.__setattr__(self, name, value)
        elif self.transposition is not None:
            if not isinstance(self.transposition, (int, float)):
                raise CaesuraError(
                    "transposition costs in a list need labels= or a similarity matrix that name the types."
                )
            Similarity.identity(("any",), self.transposition)  # refuses what is negative or not finite

    @property
    def symmetric(self) -> bool:
        """Whether the score has no direction: M is symmetric, and so is the price of a move."""
        if self.similarity is None:
            return True
        alike = len(set(self.similarity.moves.tolist())) < 2
        return bool(self.similarity.symmetric and (self.moved != "second" or alike))

    def check(self, batch: Batch) -> None:
        """Refuse types on one side only, two types at a position, and types that the matrix does not know."""
        super().check(batch)
        sides = (batch.reference, batch.hypothesis)
        typed = [side.types is not None for side in sides]
        if typed[0] != typed[1] and all(len(side.positions) for side in sides):
            raise CaesuraError("the boundaries have types on one side and none on the other.")

    def count(self, batch: Batch) -> Rows:
        """Find the least cost, the number of pairs plus unpaired boundaries, and the number of potential boundaries."""
        from caesura.kernels.flexible import count_flexible

        ref, hyp = batch.reference, batch.hypothesis
        one, two = Named.of(ref.types, batch.labels), Named.of(hyp.types, batch.labels)
        similarity = self.similarity_for(one.names, two.names)
        out = np.empty((len(batch), 3))
        count_flexible(
            ref.positions, one.coded(ref.positions, similarity), ref.starts, ref.stops,
            hyp.positions, two.coded(hyp.positions, similarity), hyp.starts, hyp.stops,
            *self.costs_of(similarity), self.forced, self.sign, out,
        )  # fmt: skip
        typed = ref.types is not None or hyp.types is not None
        out[:, 2] = self.potential(batch.lengths, typed)
        return out

    def potential(self, lengths: NDArray[Any], typed: bool) -> NDArray[Any]:
        """N: one place a token; one less where the end of the text carries no boundary type."""
        closing = typed if self.closing is None else self.closing
        return lengths if closing else np.maximum(lengths - 1, 0)

    def similarity_for(self, *names: tuple[str, ...]) -> Similarity:
        """The matrix given, or identity over these types."""
        if self.similarity is not None:
            given: Similarity = self.similarity
            return given
        return _identity(tuple(dict.fromkeys(n for group in names for n in group)), self.transposition)

    def costs_of(self, similarity: Similarity) -> Costs:
        """The arrays behind a matrix, under this metric's way of charging moves."""
        return _costs(similarity, self.moved)

    @property
    def sign(self) -> int:
        """Which way ties go in the kernel: 1 for most boundaries, -1 for fewest."""
        return 1 if self.ties == "most" else -1


@dataclass(frozen=True)
class Sf(_Flexible):
    """Flexible similarity over potential boundaries: 1 - C/N; 1.0 for an empty text.

    >>> london = Segmentation.from_labels_at(["", "", ",", "", "."]), Segmentation.from_labels_at(["", ",", "", "", "."])
    >>> Sf()(*london)
    0.9
    """

    name = "Sf"
    title = "flexible similarity"

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """One minus cost over potential boundaries."""
        return 1.0 - ratio(rows[..., 0], rows[..., 2], nothing=0.0)


@dataclass(frozen=True)
class SfB(_Flexible):
    """Flexible similarity over boundaries seen: 1 - C/(edits + correct); 1.0 where nobody saw any.

    It falls below 0 where moved pairs cost more than one each: three steps at half a point make 1.5.

    >>> london = Segmentation.from_labels_at(["", "", ",", "", "."]), Segmentation.from_labels_at(["", ",", "", "", "."])
    >>> SfB()(*london)
    0.75
    """

    name = "SfB"
    title = "flexible similarity over boundaries"
    bounds = (-1.0, 1.0)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """One minus cost over pairs plus unpaired boundaries."""
        return 1.0 - ratio(rows[..., 0], rows[..., 1], nothing=0.0)


def flexible_similarity(
    reference: TracksLike,
    hypothesis: TracksLike,
    similarity: SimilarityLike = None,
    transposition: Moves = None,
    normalise: Normalise = "potential",
    *,
    labels: Sequence[str] | None = None,
    moved: Moved = "cheaper",
    ties: Ties = "most",
    forced: bool = True,
    closing: bool | None = None,
) -> float:
    """Flexible segmentation similarity of two annotations with exclusive boundary types (Lai, Li & Zhang 2023).

    .. math:: S_f = 1 - C/N, \\qquad S_f^B = 1 - C/(\\#edits + \\#correct)

    Parameters
    ----------
    reference, hypothesis
        One annotation each: a segmentation, or one for every participant (a list, or a dict by name), whose costs add.
    similarity
        M_T with one row and column a type and a last one for ∅: a path to a table, a DataFrame, a dict of dicts,
        ``{"labels": …, "matrix": …}``, or an array with ``labels``; None: the identity. Where it is not symmetric the score
        has a direction, reference into hypothesis.
    transposition
        Cost of moving a boundary by one position: a number, a list in the matrix' order, or ``{label: cost}``; None: half
        the deletion cost.
    normalise
        "potential" divides by N (S_f), "boundaries" by edits plus correct boundaries (S_f^B).
    moved
        Whose cost a move between two types is charged: "cheaper", "second" (as printed) or "later" (the R package).
    ties
        Among least costs, the alignment with "most" (the authors') or "fewest" edits plus correct boundaries.
    forced
        Whether boundaries at one place are always the same boundary.
    closing
        Whether the end of the text is a place for a boundary; None: where boundaries have types.

    Returns
    -------
    float
        At most 1.0, which is also the value where there is nothing to compare.

    Examples
    --------
    >>> first = Segmentation.from_labels_at(["p", "", "r", "", "q"])
    >>> second = Segmentation.from_labels_at(["q", "r", "", "p", "r"])
    >>> round((1 - flexible_similarity(first, second)) * 5, 9)
    3.5
    """
    if normalise not in get_args(Normalise):
        raise UnknownName("value of normalise", str(normalise), list(get_args(Normalise)))
    kind = Sf if normalise == "potential" else SfB
    plain = similarity is None and transposition is None and labels is None
    ways = (moved, ties, forced, closing)
    made = _PLAIN[kind] if plain and ways == _USUAL else kind(similarity, transposition, *ways, labels=labels)
    rows = [pair_row(made, one, two) for one, two in paired_tracks(reference, hypothesis)]
    total = rows[0] if len(rows) == 1 else np.sum(rows, axis=0)
    return float(made.score(total))


def named_tracks(value: TracksLike) -> dict[str, Segmentation]:
    """One annotator's tracks by name; a text without participants is the one track ""."""
    if isinstance(value, Segmentation):
        return {"": value}
    if isinstance(value, Mapping):
        return {str(name): as_segmentation(marks) for name, marks in value.items()}
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], Segmentation):
        return {str(i) if len(value) > 1 else "": as_segmentation(marks) for i, marks in enumerate(value, 1)}
    return {"": as_segmentation(value)}  # type: ignore[arg-type]


# ---------------------------------------------------------------------- one pair of annotations


def paired_tracks(reference: TracksLike, hypothesis: TracksLike) -> list[tuple[Segmentation, Segmentation]]:
    """Pair the tracks of two annotations by name; both must have the same ones."""
    if isinstance(reference, Segmentation) and isinstance(hypothesis, Segmentation):
        return [(reference, hypothesis)]
    one, two = named_tracks(reference), named_tracks(hypothesis)
    alone = sorted(one.keys() ^ two.keys())
    if alone:
        side, other = ("first", "second") if alone[0] in one else ("second", "first")
        raise LengthMismatch(
            f"participant {alone[0]!r} is in the {side} annotation but not in the {other}; both must have the same speakers."
        )
    return [(marks, two[name]) for name, marks in one.items()] or [(Segmentation(0), Segmentation(0))]


def pair_row(made: _Flexible, reference: Segmentation, hypothesis: Segmentation) -> NDArray[np.float64]:
    """Count one pair of annotations: cost, pairs plus unpaired boundaries, potential boundaries."""
    from caesura.kernels.flexible import count_flexible

    check_pair(reference, hypothesis)
    one, two = Named.of(reference.types, reference.labels), Named.of(hypothesis.types, hypothesis.labels)
    similarity = made.similarity_for(one.names, two.names)
    out = np.empty((1, 3))
    start = np.zeros(1, np.int64)
    count_flexible(
        reference.positions, one.coded(reference.positions, similarity), start, np.array([len(reference.positions)]),
        hypothesis.positions, two.coded(hypothesis.positions, similarity), start, np.array([len(hypothesis.positions)]),
        *made.costs_of(similarity), made.forced, made.sign, out,
    )  # fmt: skip
    typed = reference.types is not None or hypothesis.types is not None
    out[0, 2] = made.potential(np.array(reference.length), typed)
    row: NDArray[np.float64] = out[0]
    return row


def check_pair(reference: Segmentation, hypothesis: Segmentation) -> None:
    """Refuse two annotations of different texts, recordings, and two types at one position."""
    if reference.timed or hypothesis.timed:
        raise CaesuraError("Sf compares units, not time.")
    one, two = reference.units, hypothesis.units
    if one is not two and one is not None and two is not None and one != two:
        place = next((i for i, (x, y) in enumerate(zip(one, two, strict=False), 1) if x != y), None)
        raise LengthMismatch(
            f"the texts differ: one has {len(one)} tokens, the other {len(two)}."
            if place is None
            else f"the texts differ: token {place} is {one[place - 1]!r} in the first and {two[place - 1]!r} in the second."
        )
    if reference.length != hypothesis.length:
        raise LengthMismatch(
            f"the first annotation covers {reference.length} units, the second {hypothesis.length}; both must cover the same text."
        )
    for side in (reference, hypothesis):
        if side.types is None:
            continue
        twice = np.flatnonzero(side.positions[1:] == side.positions[:-1])
        if len(twice):
            position, kind = side.marks[int(twice[0])]
            raise CaesuraError(
                f"position {position} carries two types, {kind!r} and {side.marks[int(twice[0]) + 1][1]!r}; Sf takes one type a position."
            )
    if (
        (reference.types is None) != (hypothesis.types is None)
        and len(reference.positions)
        and len(hypothesis.positions)
    ):
        raise CaesuraError("the boundaries have types on one side and none on the other.")


# ---------------------------------------------------------------------- types and their codes


class Named(NamedTuple):
    """One side's types as places in a list of names; no places where boundaries have no types."""

    places: NDArray[np.int64] | None
    names: tuple[str, ...]

    @classmethod
    def of(cls, types: NDArray[np.int64] | None, labels: tuple[str, ...] | None) -> Named:
        """Take labels as names; integers are their own."""
        if types is None or labels is not None:
            return cls(types, labels or ())
        found, places = np.unique(types, return_inverse=True)
        return cls(places, tuple(map(str, found.tolist())))

    def coded(self, positions: NDArray[Any], similarity: Similarity) -> NDArray[np.int64]:
        """Express the types as rows of the matrix; a type that it does not have is named with its place."""
        if self.places is None:
            if len(similarity.labels) != 1 and len(positions):
                raise CaesuraError(
                    f"the boundaries have no types, but the similarity matrix has {len(similarity.labels)}."
                )
            return np.zeros(len(positions), np.int64)
        if self.names == similarity.labels or not len(self.places):
            return self.places
        known = {name: i for i, name in enumerate(similarity.labels)}
        codes = np.array([known.get(name, -1) for name in self.names], dtype=np.int64)[self.places]
        if codes.min() < 0:
            at = int(np.flatnonzero(codes < 0)[0])
            raise CaesuraError(
                f"the type {self.names[self.places[at]]!r} at position {positions[at]} is not in the similarity matrix, "
                f"which has {', '.join(map(repr, similarity.labels))}."
            )
        return codes


@lru_cache(maxsize=64)
def _identity(names: tuple[str, ...], transposition: float | None) -> Similarity:
    return Similarity.identity(names or ("boundary",), transposition)


@lru_cache(maxsize=64)
def _costs(similarity: Similarity, moved: Moved) -> Costs:
    costs, moves = similarity.costs, similarity.moves
    types = len(moves)
    first, second = np.meshgrid(moves, moves, indexing="ij")
    behind, before = {
        "cheaper": (np.minimum(first, second), np.minimum(first, second)),
        "second": (second, second),
        "later": (first, second),
    }[moved]
    gain = costs[:types, types:] + costs[types:, :types] - costs[:types, :types]
    step = np.minimum(behind, before)
    with np.errstate(divide="ignore", invalid="ignore"):
        pays = np.where(gain > -_NEAR, (gain + _NEAR) / step, 0.0)
    farthest = float(pays.max()) if types else 0.0
    return Costs(costs, np.stack((behind, before)), int(min(farthest, _FAR)))


_USUAL = ("cheaper", "most", True, None)
_PLAIN: dict[type[_Flexible], _Flexible] = {Sf: Sf(), SfB: SfB()}
