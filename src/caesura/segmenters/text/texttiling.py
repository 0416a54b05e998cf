"""Hearst (1997), TextTiling: boundaries in the valleys of the similarity between neighbouring blocks of words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.kernels.cohesion import block_cosines
from caesura.segmenters.text.base import Choice, TextSegmenter
from caesura.segmenters.text.tokens import Bags


@dataclass(frozen=True, kw_only=True)
class TextTiling(TextSegmenter):
    """Boundaries where blocks of words on both sides have least in common.

    At each gap between pseudo-sentences the cosine of ``block`` of them on either side is taken; a gap's depth is how far it lies below the
    peaks to its left and right. Gaps deeper than the cut-off become boundaries, the deepest first, moved to the nearest end of a unit.

    Parameters
    ----------
    width
        Words per pseudo-sentence, stop words counted; ``unit`` takes the units themselves.
    block
        Pseudo-sentences per block.
    smoothing
        Rounds of the moving average over each gap and its two neighbours.
    cutoff
        ``hc``: mean - sd/2 of the depths; ``lc``: mean - sd, which places more.
    distance
        Least distance of two boundaries, in gaps.
    """

    name: ClassVar[str] = "texttiling"

    width: int | Literal["unit"] = 20
    block: int = 10
    smoothing: int = 1
    cutoff: Literal["hc", "lc"] = "hc"
    distance: int = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.width != "unit" and (not isinstance(self.width, int) or self.width < 1):
            raise CaesuraError(f"the width is {self.width!r}; expected a number of words, or 'unit'.")
        for name in ("block", "distance"):
            if getattr(self, name) < 1:
                raise CaesuraError(f"{name} is {getattr(self, name)}; expected 1 or more.")
        if self.cutoff not in ("hc", "lc"):
            raise CaesuraError(f"the cut-off is {self.cutoff!r}; expected 'hc' or 'lc'.")

    def depths(self, units: tuple[str, ...]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return for each gap the nearest end of a unit, and its depth."""
        bags = self.tokenizer.bags(units)
        ends, offsets = self._pseudo_sentences(bags)
        scores = block_cosines(bags.tokens, offsets, max(bags.types, 1), self.block)
        for _ in range(self.smoothing):
            scores = _moving_average(scores)
        return ends, depths_of(scores)

    def _pseudo_sentences(self, bags: Bags) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the end of a unit nearest to each gap, and where the pseudo-sentences begin among the words that are kept."""
        n = len(bags)
        if self.width == "unit":
            return np.arange(1, n), bags.offsets
        words = int(bags.word_offsets[-1])
        edges = np.append(np.arange(0, words, self.width), words) if words else np.zeros(1, np.int64)
        kept = np.concatenate(([0], np.cumsum(bags.words >= 0)))
        unit_ends = bags.word_offsets[1:-1]  # words behind each unit but the last
        gaps = edges[1:-1]
        if not len(unit_ends):
            return np.empty(0, np.int64), kept[edges[:1]]
        after = np.clip(np.searchsorted(unit_ends, gaps), 0, len(unit_ends) - 1)
        before = np.maximum(after - 1, 0)
        nearer = np.where(gaps - unit_ends[before] <= np.abs(unit_ends[after] - gaps), before, after)
        return nearer + 1, kept[edges]

    def _decide(self, units: tuple[str, ...], segments: int | None) -> Choice:
        if len(units) < 2:
            return Choice(np.empty(0, np.int64))
        ends, depths = self.depths(units)
        if segments is None:
            factor = 0.5 if self.cutoff == "hc" else 1.0
            enough = depths > depths.mean() - factor * depths.std() if len(depths) else depths > 0
            chosen = _spread_out(np.where(enough & (depths > 0), depths, -np.inf), ends, self.distance, len(units))
        else:
            chosen = self._deepest(ends, depths, segments - 1, len(units))
        deepest: dict[int, float] = {}
        for position, depth in chosen:
            deepest[position] = max(depth, deepest.get(position, 0.0))
        positions = np.array(sorted(deepest), np.int64)
        return Choice(positions, None, np.array([deepest[p] for p in positions.tolist()]))

    def _deepest(
        self, ends: NDArray[np.int64], depths: NDArray[np.float64], number: int, length: int
    ) -> list[tuple[int, float]]:
        """Take so many places; where the distance leaves too few, it shrinks, and at last any place will do."""
        for distance in range(self.distance, 0, -1):
            chosen = _spread_out(depths, ends, distance, number)
            if len({position for position, _ in chosen}) >= number:
                return chosen[:number]
        taken = dict(_spread_out(depths, ends, 1, len(depths)))
        rest = (p for p in range(1, length) if p not in taken)
        return [*taken.items(), *((p, 0.0) for p in rest)][:number]


def _moving_average(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean of each score and its neighbours, of fewer at the edges."""
    if len(scores) < 2:
        return scores
    sums = np.convolve(scores, np.ones(3))[1:-1]
    return np.asarray(sums / np.convolve(np.ones(len(scores)), np.ones(3))[1:-1], np.float64)


def depths_of(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far each gap lies below the peaks on both sides, reached by climbing while the score does not fall."""
    left, right = scores.copy(), scores.copy()
    for i in range(1, len(scores)):
        if scores[i - 1] >= scores[i]:
            left[i] = left[i - 1]
    for i in range(len(scores) - 2, -1, -1):
        if scores[i + 1] >= scores[i]:
            right[i] = right[i + 1]
    return left + right - 2.0 * scores


def _spread_out(
    depths: NDArray[np.float64], ends: NDArray[np.int64], distance: int, most: int
) -> list[tuple[int, float]]:
    """Take gaps from the deepest on, none nearer than ``distance`` to one taken before, until ``most`` places are had."""
    free = np.isfinite(depths)
    chosen: dict[int, float] = {}
    for gap in np.lexsort((np.arange(len(depths)), -depths)).tolist():
        if len(chosen) >= most:
            break
        if free[gap] and np.isfinite(depths[gap]):
            chosen.setdefault(int(ends[gap]), float(depths[gap]))
            free[max(0, gap - distance + 1) : gap + distance] = False
    return list(chosen.items())
