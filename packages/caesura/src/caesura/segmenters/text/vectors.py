"""Exact segmentation of sentence vectors from any encoder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.model import Segmentation
from caesura.segmenters.text import dynamic_programming as dynamic
from caesura.segmenters.text.base import AdditiveSegmenter, Penalty
from caesura.validation import validate_choice

#: A function from the units to an array with a row per unit.
Encoder: TypeAlias = Callable[[list[str]], Any]


@dataclass(frozen=True, kw_only=True)
class Vectors(AdditiveSegmenter):
    """Segments whose vectors point in the same direction or lie close together, from any encoder.

    ``"cvs"`` maximizes ``Σ ‖sum of the vectors of a segment‖`` (Alemi & Ginsparg 2015); ``"l2"`` minimizes the squared distances to
    the mean of each segment; ``"cosine"`` does the same with vectors of length 1 (half the segment size times the mean cosine
    distance of all pairs). The optimum is found exactly. Caesura ships no encoder: pass an array with a row per unit instead of
    the units, or a function. Encoders trained on another domain may do no better than chance; word counts often do better. The
    parameters of :class:`TextSegmenter` and :class:`AdditiveSegmenter` apply too.

    Parameters
    ----------
    penalty : float, default None
        The cost of a segment if the number of segments is open; None takes the least gain of a greedy split into n / ``expected``
        segments.
    encode : callable, default None
        A function from a list of strings to an array with a row each; None takes word counts.
    objective : {"cvs", "l2", "cosine"}, default "cvs"
        The objective.
    normalise : bool, default True
        Whether vectors are scaled to length 1; zero vectors stay zero.
    expected : float, default 10.0
        The approximate number of units per segment.

    References
    ----------
    Alemi & Ginsparg (2015), Text segmentation based on semantic word embeddings, arXiv:1503.05543.
    """

    name: ClassVar[str] = "vectors"

    penalty: Penalty | None = None
    encode: Encoder | None = field(default=None, repr=False)
    objective: Literal["cvs", "l2", "cosine"] = "cvs"
    normalise: bool = True
    expected: float = 10.0

    def __post_init__(self) -> None:
        super().__post_init__()
        validate_choice("objective", self.objective, ("cvs", "l2", "cosine"))

    def segment(self, units: Any, segments: int | None = None, **restrictions: Any) -> Segmentation:
        """Place boundaries between units, or between the rows of an array of vectors.

        Parameters
        ----------
        units : sequence of str, Text, Segmentation or array
            The text, or an array with a row per unit.
        segments : int, default None
            The number of segments; None chooses the best under the penalty.
        **restrictions
            ``forced`` and ``forbidden`` positions, see :meth:`AdditiveSegmenter.segment`.

        Returns
        -------
        Segmentation
        """
        if isinstance(units, np.ndarray) and units.ndim == 2:
            fixed = replace(self, encode=_FixedVectors(units))
            found = AdditiveSegmenter.segment(fixed, ("",) * len(units), segments, **restrictions)
            return found.with_units(None)
        return AdditiveSegmenter.segment(self, units, segments, **restrictions)

    def cost(self, units: tuple[str, ...], segments: int | None) -> VectorCost:
        """Return the segment costs of a text."""
        return VectorCost.from_vectors(self._vectors(units), self.objective)

    def penalty_of(self, units: tuple[str, ...]) -> float:
        """Return the penalty of a segment if the number of segments is open."""
        if self.penalty is not None:
            return super().penalty_of(units)
        number = min(len(units), max(2, round(len(units) / self.expected)))
        splits = dynamic.split_greedily(self.cost(units, number), self._constraints(len(units)), number)
        least = max(0.0, min((split.gain for split in splits), default=0.0))
        return least * (1.0 - 1e-9)  # slightly less, so that the split with this gain still lowers the cost

    def _vectors(self, units: tuple[str, ...]) -> NDArray[np.float64]:
        rows = self._bags(units).vectors() if self.encode is None else self.encode(list(units))
        vectors = np.asarray(rows, np.float64)
        if vectors.ndim != 2 or len(vectors) != len(units):
            raise CaesuraError(
                f"the vectors have shape {vectors.shape}; expected one row for each of the {len(units)} units."
            )
        broken = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
        if len(broken):
            raise CaesuraError(f"the vector of unit {broken[0] + 1} has a value that is not finite.")
        if not self.normalise and self.objective != "cosine":
            return vectors
        norms = np.sqrt((vectors**2).sum(axis=1))
        return np.asarray(vectors / np.where(norms > 0, norms, 1.0)[:, None], np.float64)


@dataclass(frozen=True)
class _FixedVectors:
    """An encoder that returns given vectors."""

    rows: NDArray[Any]

    def __call__(self, units: Sequence[str]) -> NDArray[Any]:
        return self.rows


@dataclass(frozen=True)
class VectorCost:
    """Segment costs from prefix sums P of vectors: ``‖P_j - P_i‖²`` for a block of ends and all starts is one matrix product."""

    sums: NDArray[np.float64]
    squares: NDArray[np.float64]
    objective: str

    @classmethod
    def from_vectors(cls, vectors: NDArray[np.float64], objective: str) -> VectorCost:
        """Sum up the vectors and their squared norms."""
        sums = np.concatenate((np.zeros((1, vectors.shape[1])), np.cumsum(vectors, axis=0)))
        squares = np.concatenate(([0.0], np.cumsum((vectors**2).sum(axis=1))))
        return cls(sums, squares, objective)

    @property
    def length(self) -> int:
        """The number of units."""
        return len(self.sums) - 1

    def rows(self, constraints: dynamic.Constraints) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield blocks of costs."""
        n, norms = self.length, (self.sums**2).sum(axis=1)
        for first, last in dynamic.row_blocks(n):
            ends = slice(first + 1, last + 1)
            # ‖a - b‖² = ‖a‖² + ‖b‖² - 2ab, which rounding may put below 0
            lengths = norms[ends, None] + norms[None, :n] - 2.0 * (self.sums[ends] @ self.sums[:n].T)
            sizes = np.maximum(np.arange(first + 1, last + 1)[:, None] - np.arange(n)[None, :], 1)
            squares = self.squares[ends, None] - self.squares[None, :n]
            yield first, self._cost(np.maximum(lengths, 0.0), sizes, squares)

    def segments(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the cost of each segment (start, end]."""
        lengths = ((self.sums[ends] - self.sums[starts]) ** 2).sum(axis=1)
        return self._cost(lengths, ends - starts, self.squares[ends] - self.squares[starts])

    def _cost(
        self, lengths: NDArray[np.float64], sizes: NDArray[np.int64], squares: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        if self.objective == "cvs":
            return np.asarray(-np.sqrt(lengths), np.float64)
        return np.asarray(squares - lengths / sizes, np.float64)

    def reversed(self) -> VectorCost:
        """Return the cost of the text read backwards."""
        return VectorCost(self.sums[-1] - self.sums[::-1], self.squares[-1] - self.squares[::-1], self.objective)
