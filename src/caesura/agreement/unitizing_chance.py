"""Random annotators of a text with spans: what γ expects by chance.

Two samplers, whose results differ much, so that a signature names the one used. "statistical" draws the number of units of each annotator, the gap
before a unit and its length from normal distributions with the text's mean and standard deviation (a negative gap is an overlap; where nobody
has two units the gap behind counts too), and its name by frequency. "shift" (Mathet et al. 2015) takes one of the real annotators, drawn with replacement, and turns its units around the text by a
random pivot, so that their order, lengths, gaps and overlaps survive; pivots of one text are at least half a mean unit apart.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.unitizing_texts import SpanTexts
from caesura.kernels.unitizing import Units

Sampler: TypeAlias = Literal["statistical", "shift"]

_TRIES = 50  # at a pivot that keeps its distance, before any is taken


class Drawn(NamedTuple):
    """Random texts as columns."""

    units: Units
    rows: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @property
    def means(self) -> NDArray[np.float64]:
        """For each text, the mean number of units per annotator."""
        return np.asarray(np.diff(self.rows[self.sizes]) / np.diff(self.sizes))


def draw_texts(text: SpanTexts, sampler: Sampler, number: int, random: np.random.Generator) -> Drawn:
    """Draw random texts with as many annotators as one text has; each of them has a unit at least."""
    draw = _draw_statistically if sampler == "statistical" else _draw_shifted
    return draw(text, number, random)


def _draw_statistically(text: SpanTexts, number: int, random: np.random.Generator) -> Drawn:
    starts, ends, codes = text.units
    given = np.diff(text.rows)
    gaps = starts - np.concatenate(([0.0], ends[:-1]))
    firsts = text.rows[:-1][given > 0]
    gaps[firsts] = starts[firsts]
    if given.max() == 1:  # or a lone unit would stand where it stands by chance too
        gaps = np.append(gaps, text.lengths[0] - ends)
    lengths = ends - starts
    counts = np.abs(np.rint(random.normal(given.mean(), given.std(), (number, len(given))))).astype(np.int64)
    counts[counts.sum(axis=1) == 0, 0] = 1
    rows = np.concatenate(([0], np.cumsum(counts.ravel())))
    size = int(rows[-1])
    gap = random.normal(gaps.mean(), gaps.std(), size)
    long = np.abs(random.normal(lengths.mean(), lengths.std(), size))
    while len(empty := np.flatnonzero(long <= 1e-9 * lengths.mean())):
        long[empty] = np.abs(random.normal(lengths.mean(), lengths.std(), len(empty)))
    named = codes[random.integers(0, len(codes), size)]
    reached = np.cumsum(gap + long)
    before = np.concatenate(([0.0], reached))[rows[:-1]]
    end = reached - np.repeat(before, np.diff(rows))
    start = end - long
    return Drawn(Units(start, np.maximum(end, np.nextafter(start, np.inf)), named), rows, _sizes(number, len(given)))


def _draw_shifted(text: SpanTexts, number: int, random: np.random.Generator) -> Drawn:
    starts, ends, codes = text.units
    given, length = np.diff(text.rows), float(text.lengths[0])
    n, apart = len(given), float((ends - starts).mean()) / 2
    who = random.integers(0, n, (number, n))
    while len(empty := np.flatnonzero(given[who].sum(axis=1) == 0)):
        who[empty] = random.integers(0, n, (len(empty), n))
    pivots = np.empty((number, n))
    for i in range(n):
        pivots[:, i] = random.uniform(0, length, number)
        for _ in range(_TRIES):
            near = np.flatnonzero((np.abs(pivots[:, :i] - pivots[:, i : i + 1]) < apart).any(axis=1))
            if not len(near):
                break
            pivots[near, i] = random.uniform(0, length, len(near))
    counts = given[who].ravel()
    rows = np.concatenate(([0], np.cumsum(counts)))
    taken = np.repeat(text.rows[who.ravel()] - rows[:-1], counts) + np.arange(rows[-1])
    start = starts[taken] + np.repeat(pivots.ravel(), counts)
    start = np.where(start >= length, start - length, start)
    return Drawn(Units(start, start + (ends - starts)[taken], codes[taken]), rows, _sizes(number, n))


def _sizes(number: int, annotators: int) -> NDArray[np.int64]:
    return np.arange(number + 1) * annotators
