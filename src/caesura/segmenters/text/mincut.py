"""Malioutov & Barzilay (2006), Minimum cut model for spoken lecture segmentation: normalised cuts through a graph of similarities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.segmenters.text import dynamic
from caesura.segmenters.text.base import AdditiveSegmenter, Choice
from caesura.segmenters.text.weighting import smooth, weighted_counts

#: Units beyond which a matrix of all pairs (8 bytes each, twice) does not fit into the memory of most machines.
_MOST_UNITS = 8_000
_TINY = 1e-6  # norms and products below this count as none, as in the authors' program


@dataclass(frozen=True, kw_only=True)
class MinCut(AdditiveSegmenter):
    """Segments that are similar inside and unlike the rest: the least sum of normalised cuts, solved exactly.

    ``cost(A) = cut(A, rest) / assoc(A, all)`` on a graph whose edges are ``exp(cosine)`` of smoothed tf-idf vectors. The number of
    segments must be given: the sum of cuts always grows with it.

    Parameters
    ----------
    parts
        Parts of the text that stand for documents in tf-idf.
    alpha, horizon, both
        Smoothing: each unit takes exp(-alpha d) of the units up to ``horizon - 1`` behind it; with ``both``, also of those before.
    cutoff
        Longest edge in units; by default none.
    original
        Leave the similarity of neighbours out of the inside of a segment, as the authors' program does by a slip.
    """

    name: ClassVar[str] = "mincut"

    parts: int = 15
    alpha: float = 1.1
    horizon: int = 5
    both: bool = False
    cutoff: int | None = None
    original: bool = False

    def cost(self, units: tuple[str, ...], segments: int | None) -> Cuts:
        """Return the normalised cuts of this text."""
        return Cuts.of(self.similarities(units), self.original)

    def similarities(self, units: tuple[str, ...]) -> NDArray[np.float64]:
        """Return the weights of the edges between all units."""
        n = len(units)
        if n > _MOST_UNITS:
            raise CaesuraError(
                f"a minimum cut compares every two units, and {n} are more than the {_MOST_UNITS} that fit into memory; take dcm or u00."
            )
        vectors = smooth(weighted_counts(self._bags(units), self.parts), self.alpha, self.horizon, self.both)
        norms = np.sqrt((vectors**2).sum(axis=1))
        for u in range(1, n):
            if norms[u] <= _TINY:
                vectors[u], norms[u] = vectors[u - 1], norms[u - 1]
        products = vectors @ vectors.T
        lengths = np.where(norms > _TINY, norms, 1.0)
        edges = np.where(products > _TINY, np.exp(products / np.outer(lengths, lengths)), 0.0)
        np.fill_diagonal(edges, float(np.exp(1.0)))
        if self.cutoff is not None:
            distance = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
            edges[distance > self.cutoff] = 0.0
        return edges

    def _decide(self, units: tuple[str, ...], segments: int | None, frame: dynamic.Frame | None = None) -> Choice:
        if segments is None and len(units) > 1 and not self.penalty:
            raise CaesuraError(
                "a minimum cut needs the number of segments: segments= (--segments), density or mean_length."
            )
        return super()._decide(units, segments, frame)


@dataclass(frozen=True)
class Cuts:
    """Normalised cuts from sums over the matrix of similarities."""

    degrees: NDArray[np.float64]
    inside: NDArray[np.float64]
    diagonal: NDArray[np.float64]

    @classmethod
    def of(cls, edges: NDArray[np.float64], original: bool) -> Cuts:
        """Sum up: the weight at each unit, and the weight inside every square."""
        degrees = np.concatenate(([0.0], np.cumsum(edges.sum(axis=1))))
        held = edges.copy()
        if original:
            neighbours = np.arange(len(edges) - 1)
            held[neighbours, neighbours + 1] = held[neighbours + 1, neighbours] = 0.0
        inside = np.zeros((len(edges) + 1, len(edges) + 1))
        inside[1:, 1:] = held.cumsum(axis=0).cumsum(axis=1)
        return cls(degrees, inside, np.diagonal(inside).copy())

    @property
    def length(self) -> int:
        """Number of units."""
        return len(self.degrees) - 1

    def segments(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the cost of each segment (start, end]; 0 where there is none."""
        weight = self.degrees[ends] - self.degrees[starts]
        held = self.diagonal[ends] - 2.0 * self.inside[starts, ends] + self.diagonal[starts]
        return np.asarray(1.0 - held / np.where(starts < ends, weight, 1.0), np.float64)

    def rows(self, frame: dynamic.Frame) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield blocks of rows."""
        starts, height = np.arange(self.length), max(1, (1 << 17) // max(self.length, 1))
        for first in range(0, self.length, height):
            ends = np.arange(first + 1, min(first + height, self.length) + 1)
            yield first, self.segments(starts[None, :], ends[:, None])

    def reversed(self) -> Cuts:
        """Return the same for the text read backwards."""
        whole = self.inside[-1]
        flipped = self.inside[-1, -1] - whole[::-1, None] - whole[None, ::-1] + self.inside[::-1, ::-1]
        return Cuts(self.degrees[-1] - self.degrees[::-1], flipped, np.diagonal(flipped).copy())
