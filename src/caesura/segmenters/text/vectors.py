"""Exact segmentation of sentence vectors from any encoder (Alemi & Ginsparg 2015, and the squared distance to the mean)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.model import Segmentation
from caesura.segmenters.text import dynamic
from caesura.segmenters.text.base import AdditiveSegmenter, Penalty

#: What makes an array of a row per unit out of the units.
Encoder: TypeAlias = Callable[[list[str]], Any]


@dataclass(frozen=True, kw_only=True)
class Vectors(AdditiveSegmenter):
    """Segments whose vectors point the same way, or lie close together.

    ``cvs`` maximises ``Σ ‖sum of the vectors of a segment‖``; ``l2`` minimises the squared distances to the mean of each segment; ``cosine``
    the same for vectors brought to length 1 (the mean cosine distance of all pairs, times half the size). No model comes with Caesura: give an array with a row per unit in place of the
    units, or an encoder. Vectors from a foreign domain may do no better than chance; words often do better.

    Parameters
    ----------
    encode
        A function from a list of strings to an array with a row each; by default the counts of words.
    objective
        ``cvs``, ``l2`` or ``cosine``.
    normalise
        Whether vectors are brought to length 1; zero vectors stay zero.
    penalty
        What a segment costs where the number is open: a number; by default the least gain of a greedy split into n / ``expected`` segments.
    expected
        Units per segment, roughly.
    """

    name: ClassVar[str] = "vectors"

    penalty: Penalty | None = None
    encode: Encoder | None = field(default=None, repr=False)
    objective: Literal["cvs", "l2", "cosine"] = "cvs"
    normalise: bool = True
    expected: float = 10.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.objective not in ("cvs", "l2", "cosine"):
            raise CaesuraError(f"the objective is {self.objective!r}; expected 'cvs', 'l2' or 'cosine'.")

    def segment(self, units: Any, segments: int | None = None, **places: Any) -> Segmentation:
        """Place boundaries between units, or between the rows of an array of vectors."""
        if isinstance(units, np.ndarray) and units.ndim == 2:
            fixed = replace(self, encode=_Rows(units))
            marks = AdditiveSegmenter.segment(fixed, ("",) * len(units), segments, **places)
            return marks.with_units(None)
        return AdditiveSegmenter.segment(self, units, segments, **places)

    def cost(self, units: tuple[str, ...], segments: int | None) -> Spread:
        """Return the cost of segments of this text."""
        return Spread.of(self._vectors(units), self.objective)

    def penalty_of(self, units: tuple[str, ...]) -> float:
        """Return what a segment costs where the number is open."""
        if self.penalty is not None:
            return super().penalty_of(units)
        from caesura.segmenters.text.trees import split_greedily

        number = min(len(units), max(2, round(len(units) / self.expected)))
        splits = split_greedily(self.cost(units, number), self._frame(len(units)), number)
        least = max(0.0, min((s.gain for s in splits), default=0.0))
        return least * (1.0 - 1e-9)  # so that the split which gave it pays

    def _vectors(self, units: tuple[str, ...]) -> NDArray[np.float64]:
        rows = self._bags(units).vectors() if self.encode is None else self.encode(list(units))
        vectors = np.asarray(rows, np.float64)
        if vectors.ndim != 2 or len(vectors) != len(units):
            raise CaesuraError(
                f"the vectors have shape {vectors.shape}; expected a row for each of {len(units)} units."
            )
        broken = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
        if len(broken):
            raise CaesuraError(f"the vector of unit {broken[0] + 1} holds a number that is not finite.")
        if not self.normalise and self.objective != "cosine":
            return vectors
        norms = np.sqrt((vectors**2).sum(axis=1))
        return np.asarray(vectors / np.where(norms > 0, norms, 1.0)[:, None], np.float64)


@dataclass(frozen=True)
class _Rows:
    """An encoder that knows its vectors already."""

    rows: NDArray[Any]

    def __call__(self, units: Sequence[str]) -> NDArray[Any]:
        return self.rows


@dataclass(frozen=True)
class Spread:
    """Costs from running sums of vectors: ``‖P_j - P_i‖²`` for a block of ends and all starts is one matrix product."""

    sums: NDArray[np.float64]
    squares: NDArray[np.float64]
    objective: str

    @classmethod
    def of(cls, vectors: NDArray[np.float64], objective: str) -> Spread:
        """Sum vectors and their squared lengths up."""
        sums = np.concatenate((np.zeros((1, vectors.shape[1])), np.cumsum(vectors, axis=0)))
        squares = np.concatenate(([0.0], np.cumsum((vectors**2).sum(axis=1))))
        return cls(sums, squares, objective)

    @property
    def length(self) -> int:
        """Number of units."""
        return len(self.sums) - 1

    def rows(self, frame: dynamic.Frame) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield blocks of rows."""
        n, norms = self.length, (self.sums**2).sum(axis=1)
        height = max(1, (1 << 17) // max(n, 1))
        for first in range(0, n, height):
            last = min(first + height, n)
            ends = self.sums[first + 1 : last + 1]
            lengths = norms[first + 1 : last + 1, None] + norms[None, :n] - 2.0 * (ends @ self.sums[:n].T)
            sizes = np.maximum(np.arange(first + 1, last + 1)[:, None] - np.arange(n)[None, :], 1)
            held = self.squares[first + 1 : last + 1, None] - self.squares[None, :n]
            yield first, self._value(np.maximum(lengths, 0.0), sizes, held)

    def segments(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the cost of each segment (start, end]."""
        lengths = ((self.sums[ends] - self.sums[starts]) ** 2).sum(axis=1)
        return self._value(lengths, ends - starts, self.squares[ends] - self.squares[starts])

    def _value(
        self, lengths: NDArray[np.float64], sizes: NDArray[np.int64], held: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        if self.objective == "cvs":
            return np.asarray(-np.sqrt(lengths), np.float64)
        return np.asarray(held - lengths / sizes, np.float64)

    def reversed(self) -> Spread:
        """Return the same for the text read backwards."""
        return Spread(self.sums[-1] - self.sums[::-1], self.squares[-1] - self.squares[::-1], self.objective)
