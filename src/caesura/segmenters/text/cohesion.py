"""Costs of a segment from the counts of its words, as the Dirichlet compound multinomial and Utiyama & Isahara's model define them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.cohesion import Prices, cohesion_rows, last_cohesion, segment_cohesion, word_entries
from caesura.segmenters.text.dynamic import Frame
from caesura.segmenters.text.tokens import Bags

#: Numbers in a block of rows: small enough to stay in the cache of the processor.
_BLOCK = 1 << 17


@dataclass(frozen=True)
class Cohesion:
    """A cost made of what repeated words, the number of tokens and the number of units add.

    Attributes
    ----------
    steps
        ``steps[c]``: what the (c+2)-nd occurrence of a word in a segment gains over the (c+1)-st.
    totals
        ``totals[x]``: what x tokens cost before repetition.
    durations
        ``durations[z]``: what z units cost; empty where lengths cost nothing.
    """

    bags: Bags
    steps: NDArray[np.float64]
    totals: NDArray[np.float64]
    durations: NDArray[np.float64]

    @property
    def length(self) -> int:
        """Number of units."""
        return len(self.bags)

    @cached_property
    def _prices(self) -> Prices:
        return Prices(self.steps, np.concatenate(([0.0], np.cumsum(self.steps))), self.totals, self.durations)

    def rows(self, frame: Frame) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield blocks of costs, all starts at once."""
        n, bags = self.length, self.bags
        gains, differences = np.zeros(n), np.zeros(n)
        entries = word_entries(bags.tokens, bags.offsets, bags.types)
        height = max(1, min(n, _BLOCK // max(n, 1)))
        block = np.empty((height, n))
        for first in range(0, n, height):
            rows = block[: min(height, n - first)]
            cohesion_rows(first, bags.offsets, entries, frame.lowest, self._prices, gains, differences, rows)
            yield first, rows

    def last_row(self) -> NDArray[np.float64]:
        """Return the cost of every segment that ends with the last unit, by its start."""
        n, bags = self.length, self.bags
        row = np.empty(n)
        last_cohesion(bags.offsets, bags.tokens, bags.types, self._prices, row)
        return row + self.durations[n - np.arange(n)] if len(self.durations) else row

    def segments(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the cost of each segment (start, end]."""
        bags = self.bags
        costs: NDArray[np.float64] = segment_cohesion(starts, ends, bags.offsets, bags.tokens, bags.types, self._prices)
        return costs

    def reversed(self) -> Cohesion:
        """Return the same for the text read backwards."""
        return replace(self, bags=self.bags.reversed())


def compound_multinomial(
    bags: Bags, prior: float, vocabulary: int, durations: NDArray[np.float64] | None = None
) -> Cohesion:
    """Minus the logarithm of the Dirichlet compound multinomial with a symmetric prior a (Eisenstein & Barzilay 2008).

    ``cost(i, j) = ln Γ(N + W a) - ln Γ(W a) - Σ_w [ln Γ(n_w + a) - ln Γ(a)]``, N tokens and n_w of word w in the segment. A token with c
    equal ones before it adds ``ln(c + a)``; the first ``ln a`` of every token is counted with the total.
    """
    size = len(bags.tokens)
    counts = np.arange(size + 1)
    steps = np.log(counts + 1 + prior) - np.log(counts + prior)
    terms = np.log(counts[:-1] + max(vocabulary, 1) * prior) - np.log(prior)
    return Cohesion(
        bags, steps, np.concatenate(([0.0], np.cumsum(terms))), np.empty(0) if durations is None else durations
    )


def smoothed_likelihood(bags: Bags, per_segment: float, vocabulary: int) -> Cohesion:
    """The description length of Utiyama & Isahara (2001), Laplace's rule for every segment.

    ``cost(i, j) = per_segment + N ln(N + V) - Σ_w n_w ln(n_w + 1)``; ``f(c) = c ln(c + 1)`` gives the steps, its first ln 2 per token is
    counted with the total.
    """
    size = len(bags.tokens)
    counts = np.arange(size + 3, dtype=np.float64)
    weights = counts * np.log(counts + 1.0)
    steps = np.diff(weights, 2)
    numbers = np.arange(size + 1, dtype=np.float64)
    totals = per_segment + numbers * np.log(np.maximum(numbers + vocabulary, 1.0)) - numbers * np.log(2.0)
    return Cohesion(bags, steps, totals, np.empty(0))
