"""Choi (2000), Advances in domain independent linear text segmentation: divisive clustering of ranked similarities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.kernels.similarity_ranks import cosines, divide, rank, sum_squares
from caesura.segmenters.text.base import Choice, TextSegmenter

#: Units beyond which the matrices (8 bytes per two units) would not fit into the memory of most machines.
_MOST_UNITS = 12_000

_SMOOTHING = np.array([1.0, 2.0, 4.0, 8.0, 4.0, 2.0, 1.0])


@dataclass(frozen=True, kw_only=True)
class C99(TextSegmenter):
    """Split where the ranks of the cosines between units become densest on the diagonal.

    Each cosine is replaced by the share of its neighbours in an r × r mask that it exceeds; the text is split again and again so that
    ``D = Σ ranks inside segments / Σ squared sizes`` rises most. Left to itself, C99 stops where the smoothed gain of a split first falls
    to the mean plus ``threshold`` standard deviations.

    Parameters
    ----------
    mask
        Side of the ranking mask, odd; 1 makes all ranks 0.
    threshold
        Standard deviations above the mean gain.
    band
        Units beyond which a similarity counts as 0; by default none.
    """

    name: ClassVar[str] = "c99"

    mask: int = 11
    threshold: float = 1.2
    band: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mask < 1 or self.mask % 2 == 0:
            raise CaesuraError(f"the mask is {self.mask}; expected an odd number of cells, 1 or more.")
        if self.band is not None and self.band < 1:
            raise CaesuraError(f"the band is {self.band}; expected 1 unit or more.")

    def splits(self, units: tuple[str, ...], number: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the first ``number`` splits in their order, and the density before the first and behind each."""
        n = len(units)
        if n > _MOST_UNITS:
            raise CaesuraError(
                f"C99 compares every two units, and {n} are more than the {_MOST_UNITS} that fit into memory; take dcm or u00."
            )
        bags = self.tokenizer.bags(units)
        ranks = rank(cosines(bags.tokens, bags.offsets, bags.types, self.band or n), self.mask // 2)
        sum_squares(ranks)
        positions, densities = divide(ranks, number)
        return positions, densities.astype(np.float64)

    def _decide(self, units: tuple[str, ...], segments: int | None) -> Choice:
        n = len(units)
        if n < 2:
            return Choice(np.empty(0, np.int64))
        positions, densities = self.splits(units, n - 1 if segments is None else segments - 1)
        gains = np.diff(densities)
        taken = self._how_many(gains) if segments is None else segments - 1
        order = np.argsort(positions[:taken])
        return Choice(positions[:taken][order], -float(densities[taken]), gains[:taken][order])

    def _how_many(self, gains: NDArray[np.float64]) -> int:
        """Count the splits before the smoothed gain first falls to the threshold."""
        padded = np.convolve(gains, _SMOOTHING)[3 : 3 + len(gains)]
        weights = np.convolve(np.ones(len(gains)), _SMOOTHING)[3 : 3 + len(gains)]
        smoothed = padded / weights
        below = np.flatnonzero(smoothed <= smoothed.mean() + self.threshold * smoothed.std())
        return int(below[0]) if len(below) else len(gains)
