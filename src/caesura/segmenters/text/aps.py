"""Kazantseva & Szpakowicz (2011), Linear text segmentation using affinity propagation: each segment has a unit that stands for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.kernels.exemplars import exemplar_rows, pass_messages, place_between
from caesura.segmenters.text import dynamic
from caesura.segmenters.text.base import AdditiveSegmenter, Choice
from caesura.segmenters.text.weighting import cosine_similarities, smooth, weighted_counts

#: Units beyond which the exact optimum (cubic without a longest segment) and its matrix take too long.
_MOST_UNITS = 4_000
_FAR = -1e6  # the similarity of units that are out of each other's reach


@dataclass(frozen=True, kw_only=True)
class APS(AdditiveSegmenter):
    """Segments around exemplars: the most similarity of units to the exemplar of their segment.

    Maximises ``Σ similarity(t, exemplar of t) + preference`` per segment. ``exact`` finds the optimum; ``messages`` passes messages as the
    paper does, which may miss it, and chooses the number by itself.

    Parameters
    ----------
    preference
        What a segment gains by itself; lower makes fewer segments. Needed where the number of segments is open.
    window
        Share of the text within which a unit can be an exemplar of another.
    method
        ``exact`` or ``messages``.
    damping, rounds, patience
        Of the messages: share of the old message in the new, most rounds, and rounds without change after which they end.
    parts, alpha, horizon
        tf-idf over so many parts and smoothing, as in the minimum cut; by default plain cosines of counts.
    """

    name: ClassVar[str] = "aps"

    preference: float | None = None
    window: float = 0.9
    method: Literal["exact", "messages"] = "exact"
    damping: float = 0.9
    rounds: int = 1000
    patience: int = 100
    parts: int | None = None
    alpha: float = 1.45
    horizon: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.method not in ("exact", "messages"):
            raise CaesuraError(f"the method is {self.method!r}; expected 'exact' or 'messages'.")
        if not 0 <= self.damping < 1:
            raise CaesuraError(f"damping is {self.damping}; expected 0 to below 1.")
        if not 0 < self.window <= 1:
            raise CaesuraError(f"window is {self.window}; expected a share of the text above 0, at most 1.")

    def similarities(self, units: tuple[str, ...]) -> NDArray[np.float64]:
        """Return the similarity of every two units."""
        if len(units) > _MOST_UNITS:
            raise CaesuraError(
                f"exemplars compare every two units, and {len(units)} are more than {_MOST_UNITS}, which take too long; take dcm or u00."
            )
        bags = self._bags(units)
        vectors = bags.vectors() if self.parts is None else weighted_counts(bags, self.parts)
        return cosine_similarities(smooth(vectors, self.alpha, self.horizon))

    def cost(self, units: tuple[str, ...], segments: int | None) -> Exemplars:
        """Return minus the net similarity of segments; the preference counts where the number is open."""
        similar = self.similarities(units)
        n = len(similar)
        apart = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
        similar = np.where(apart <= self._reach(n), similar, _FAR)
        np.fill_diagonal(similar, 0.0)
        preference = 0.0 if self.preference is None else self.preference
        return Exemplars.of(similar, np.full(n, preference))

    def exemplars(self, units: tuple[str, ...]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Pass messages; return the units that stand for others, counted from 0, and the similarities."""
        similar = self.similarities(units)
        np.fill_diagonal(similar, 0.0 if self.preference is None else self.preference)
        chosen, _ = pass_messages(similar, self._reach(len(units)), self.damping, self.rounds, self.patience)
        return np.flatnonzero(chosen), similar

    def _reach(self, n: int) -> int:
        return max(1, int(self.window * n))

    def _decide(self, units: tuple[str, ...], segments: int | None, frame: dynamic.Frame | None = None) -> Choice:
        if segments is None and self.preference is None and len(units) > 1:
            raise CaesuraError(
                "exemplars need a preference, or the number of segments: segments= (--segments), density or mean_length."
            )
        if self.method == "exact" or not units:
            return super()._decide(units, segments, frame)
        if segments is not None:
            raise CaesuraError(
                "messages choose the number of segments themselves, by the preference; take method='exact' for a given number."
            )
        exemplars, similar = self.exemplars(units)
        positions, cost = place_between(similar, exemplars), self.cost(units, None)
        return Choice(positions, dynamic.total_cost(cost, positions), dynamic.boundary_gains(cost, positions))


@dataclass(frozen=True)
class Exemplars:
    """Minus the net similarity of a segment to its best exemplar."""

    sums: NDArray[np.float64]
    preferences: NDArray[np.float64]

    @classmethod
    def of(cls, similar: NDArray[np.float64], preferences: NDArray[np.float64]) -> Exemplars:
        """Sum similarities up over units, for each exemplar."""
        return cls(np.concatenate((np.zeros((1, len(similar))), np.cumsum(similar, axis=0))), preferences)

    @property
    def length(self) -> int:
        """Number of units."""
        return len(self.preferences)

    def rows(self, frame: dynamic.Frame) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield blocks of rows."""
        height = max(1, (1 << 17) // max(self.length, 1))
        for first in range(0, self.length, height):
            block = np.zeros((min(height, self.length - first), self.length))
            exemplar_rows(first, frame.lowest, self.sums, self.preferences, block)
            yield first, block

    def segments(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the cost of each segment (start, end]."""
        pairs = zip(starts.tolist(), ends.tolist(), strict=True)
        return np.array([-(self.sums[j, i:j] - self.sums[i, i:j] + self.preferences[i:j]).max() for i, j in pairs])

    def reversed(self) -> Exemplars:
        """Return the same for the text read backwards."""
        flipped = self.sums[-1:, ::-1] - self.sums[::-1, ::-1]
        return Exemplars(np.ascontiguousarray(flipped), self.preferences[::-1].copy())
