"""Hard EM for dcm (Eisenstein & Barzilay 2008): segment, take the prior and dispersion under which the segments are most probable, again.

Nothing but the texts is needed. Where i equal words stand before it in a segment, a word adds ``ln(a + i)``; where i words of any kind do, it
costs ``ln(W a + i)``. So the likelihood of a collection is a short sum over i, weighted by how often each i occurs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.segmenters.text.tokens import Bags

if TYPE_CHECKING:
    from caesura.segmenters.text.dcm import DCM

_ROUNDS = 20
#: Logarithms between which the prior and the dispersion are looked for; the authors' program caps the dispersion there.
_PRIORS = (np.log(1e-4), np.log(100.0))
_DISPERSIONS = (np.log(1e-3), 10.0)
_GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0

Terms = tuple[NDArray[np.float64], ...]


def estimate(segmenter: DCM, texts: Sequence[tuple[str, ...]], numbers: Sequence[int | None]) -> dict[str, Any]:
    """Return the prior, and where there is a duration its dispersion, that suit the texts best, as parameters of dcm.

    Parameters
    ----------
    segmenter
        Where to begin.
    texts, numbers
        The units of each text, and how many segments it has, None where that is open.
    """
    if len(texts) != len(numbers):
        raise CaesuraError(
            f"there are {len(texts)} texts and {len(numbers)} numbers of segments; expected one for each."
        )
    learnt: dict[str, Any] = {"em": False}
    best = -np.inf
    for _ in range(_ROUNDS):
        current = segmenter.with_parameters(**learnt)
        marks = [current.segment(units, number).positions for units, number in zip(texts, numbers, strict=True)]
        prior, likelihood = _best_prior(current, texts, marks)
        better: dict[str, Any] = {"em": False, "prior": prior}
        if current.duration is not None:
            dispersion, durations = _best_dispersion(current, texts, marks)
            better["duration"] = (current.mean_and_dispersion[0], dispersion)
            likelihood += durations
        if likelihood <= best + 1e-9 * abs(likelihood):
            break
        learnt, best = better, likelihood
    return learnt


def _best_prior(
    segmenter: DCM, texts: Sequence[tuple[str, ...]], marks: Sequence[NDArray[np.int64]]
) -> tuple[float, float]:
    """Maximise Σ ln(a + i) over repeated words less Σ ln(W a + i) over all words."""
    repeated: list[NDArray[np.int64]] = []
    lengths: list[NDArray[np.int64]] = []
    sizes: list[float] = []
    for units, positions in zip(texts, marks, strict=True):
        bags = segmenter.tokenizer.bags(units)
        counts, totals = _segment_counts(bags, positions)
        repeated.append(counts)
        lengths.append(totals)
        sizes += [float(max(segmenter.count_types(bags.sizes), 1))] * len(totals)
    before, times = _places_before(np.concatenate(repeated) if repeated else np.empty(0, np.int64))
    totals = np.concatenate(lengths) if lengths else np.empty(0, np.int64)
    inside = np.concatenate([np.arange(total) for total in totals] or [np.empty(0)])
    types = np.repeat(sizes, totals)

    def likelihood(logarithm: float) -> float:
        a = np.exp(logarithm)
        return float(times @ np.log(a + before) - np.log(types * a + inside).sum())

    logarithm, value = _maximise(likelihood, *_PRIORS)
    return float(np.exp(logarithm)), value


def _best_dispersion(
    segmenter: DCM, texts: Sequence[tuple[str, ...]], marks: Sequence[NDArray[np.int64]]
) -> tuple[float, float]:
    """Maximise the negative binomial of the lengths; what does not depend on the dispersion is left out."""
    edges = [np.diff([0, *positions.tolist(), len(units)]) for units, positions in zip(texts, marks, strict=True)]
    means = [segmenter.mean_length_of(int(e.sum()), len(e)) for e in edges]
    lengths = np.concatenate(edges) if edges else np.empty(0, np.int64)
    mean = np.repeat(means, [len(e) for e in edges])
    inside, owner = np.concatenate([np.arange(z) for z in lengths] or [np.empty(0)]), np.repeat(mean, lengths)

    def likelihood(logarithm: float) -> float:
        r = np.exp(logarithm)
        rest = mean * r * (logarithm - np.log1p(r)) - lengths * np.log1p(r)
        return float(np.log(owner * r + inside).sum() + rest.sum())

    logarithm, value = _maximise(likelihood, *_DISPERSIONS)
    return float(np.exp(logarithm)), value


def _segment_counts(bags: Bags, positions: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the tokens of each word in each segment (those that occur), and the tokens of each segment."""
    segment = np.searchsorted(positions, bags.unit_of, side="right")
    counts = np.unique(segment * max(bags.types, 1) + bags.tokens, return_counts=True)[1]
    return counts, np.bincount(segment, minlength=len(positions) + 1)


def _places_before(counts: NDArray[np.int64]) -> Terms:
    """Return i = 0, 1, … and how many of the counts are larger than i."""
    if not len(counts):
        return np.empty(0), np.empty(0)
    larger = np.cumsum(np.bincount(counts)[::-1])[::-1][1:]
    return np.arange(len(larger), dtype=np.float64), larger.astype(np.float64)


def _maximise(function: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """Golden sections of a function with one peak."""
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = function(left), function(right)
    while high - low > 1e-7:
        if at_left >= at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = function(right)
    middle = (low + high) / 2.0
    return middle, function(middle)
