r"""Test whether further boundaries of a segmenter are better than random ones (Räsänen et al. 2009, section 3).

If a threshold is lowered, over-segmentation and hit rate grow. Where the hit rate grows no faster than that of random boundaries, the
segmenter no longer tells anything about the signal: its curve is parallel to the stochastic curve. For each step between two thresholds
the test compares the boundaries that were added with as many random ones. A region of width w that was still empty is found by one of n
random boundaries with probability :math:`q = 1 - (1 - w/T)^n` in T seconds, so that

.. math:: E[h] = \sum q, \quad V[h] = \sum q (1 - q) - n \left(\left(\sum a\right)^2 - \sum a^2\right), \quad
    a = \frac{w}{T} \left(1 - \frac{w}{T}\right)^{n - 1}

for h regions that were found for the first time; the second term is there because one boundary lies in one region only. p is the upper
tail of the binomial distribution of this mean and variance. It needs no large numbers, which a normal distribution does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, exp, fsum, inf, lgamma, log, log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.display.result import Result
from caesura.display.table import Probability, Rounded, Table
from caesura.errors import CaesuraError
from caesura.metrics.performance_plane import Recordings
from caesura.metrics.region_match import region_bounds
from caesura.metrics.time_grid import tolerance_text
from caesura.model import Corpus
from caesura.statistics.recordings import ScoredRecording, scored_recordings
from caesura.validation import validate_positive

#: Steps with a larger p-value are no better than random boundaries.
LEVEL = 0.05


@dataclass(frozen=True)
class SlopeStep:
    """One step along the operating curve of a segmenter.

    Attributes
    ----------
    above, threshold : float
        Candidates with scores from ``threshold`` up to ``above`` (which is excluded) were added; ``above`` is infinite in the first step.
    start, end : float
        Over-segmentation before and after, in percent.
    added, hits : int
        Boundaries that were added, and reference boundaries that were found for the first time.
    expected : float
        The number of hits expected of as many random boundaries.
    slope, chance_slope : float
        Points of hit rate per point of over-segmentation: of the segmenter, and of the stochastic curve over the same range.
    p_value : float
        The probability of as many hits by random boundaries (one-sided).
    """

    above: float
    threshold: float
    start: float
    end: float
    added: int
    hits: int
    expected: float
    slope: float
    chance_slope: float
    p_value: float

    @property
    def informative(self) -> bool:
        """Whether the added boundaries are better than random ones."""
        return self.p_value < LEVEL


@dataclass(frozen=True, repr=False)
class SlopeTest(Result):
    """The steps along the operating curve of a segmenter, from the highest threshold to the lowest.

    Attributes
    ----------
    steps : tuple of SlopeStep
        The steps.
    tolerance : float
        Half the width of a region, in seconds.
    name : str
        The name of the segmenter.
    """

    steps: tuple[SlopeStep, ...]
    tolerance: float
    name: str = ""

    @property
    def last_informative(self) -> SlopeStep | None:
        """The last step before the first that is no better than random boundaries; None if that is the first step."""
        found = None
        for step in self.steps:
            if not step.informative:
                break
            found = step
        return found

    def conclusion(self) -> str:
        """Return a sentence on where the segmenter stops being better than random boundaries."""
        last = self.last_informative
        if last is None:
            better = next((step for step in self.steps if step.informative), None)
            if better is None:
                return "No step is better than random boundaries."
            return (
                f"The first step is not significantly better than random boundaries (p = {self.steps[0].p_value:.3f}); the first one that is "
                f"ends at a threshold of {better.threshold:.4g} (over-segmentation {round(better.end):+d} %)."
            )
        if last is self.steps[-1]:
            return "Every step is better than random boundaries."
        after = self.steps[self.steps.index(last) + 1]
        return (
            f"Below a threshold of {last.threshold:.4g} (over-segmentation {round(last.end):+d} %), the next boundaries are not significantly better than "
            f"random ones (p = {after.p_value:.3f})."
        )

    def tables(self) -> Sequence[Table]:
        """Return a table with one row per step, and the conclusion."""
        rows = tuple(
            (
                f"{step.threshold:.4g}",
                f"{round(step.start):+d} to {round(step.end):+d}",
                step.added,
                step.hits,
                Rounded(step.expected, 1),
                Rounded(step.slope, 3),
                Rounded(step.chance_slope, 3),
                Probability(step.p_value),
            )
            for step in self.steps
        )
        columns = (
            "threshold",
            "over-segmentation, %",
            "added",
            "new hits",
            "of random",
            "slope",
            "slope of chance",
            "p",
        )
        caption = f"{self.name + ': ' if self.name else ''}are further boundaries better than random ones? ({tolerance_text(self.tolerance)})"
        notes = (self.conclusion(), "slope: points of hit rate per point of over-segmentation.")
        return [Table(caption, columns, rows, notes)]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        names = tuple(SlopeStep.__dataclass_fields__)
        return {
            "steps": [{name: getattr(step, name) for name in names} for step in self.steps],
            "conclusion": self.conclusion(),
        }


def slope_test(
    reference: Corpus,
    candidates: Mapping[tuple[str, str], tuple[Sequence[float], Sequence[float]]],
    tolerance: float | str = 0.02,
    *,
    step: float = 25.0,
    name: str = "",
) -> SlopeTest:
    """Test where the boundaries of a segmenter stop being better than random ones.

    Parameters
    ----------
    reference : Corpus
        Annotations in time.
    candidates : mapping of (str, str) to (sequence of float, sequence of float)
        (item, track) -> times and scores of all candidate boundaries.
    tolerance : float or str, default 0.02
        Seconds, or "20ms".
    step : float, default 25.0
        The size of steps: points of over-segmentation. Candidates with the same score are never divided.
    name : str, default ""
        The name of the segmenter, for the table.

    Returns
    -------
    SlopeTest

    Examples
    --------
    >>> from caesura.model import Segmentation
    >>> times = [0.2 * i for i in range(1, 50)]
    >>> gold = Corpus.from_dict({"a": {"ann": Segmentation.from_times(times, length=10.0)}})
    >>> found = slope_test(gold, {("a", ""): (times, [1.0 - i / 100 for i in range(49)])})
    >>> found.conclusion()
    'Every step is better than random boundaries.'
    """
    validate_positive("step", step)
    recordings = list(scored_recordings(reference, candidates, tolerance))
    number = sum(len(each.tops) for each in recordings)
    if not number:
        raise CaesuraError("the slope test needs reference boundaries; there are none.")
    scores = np.sort(np.concatenate([each.scores for each in recordings]))
    if not len(scores):
        raise CaesuraError("the slope test needs candidates; there are none.")
    known = Recordings.of(reference)
    half = recordings[0].match.tolerance
    steps: list[SlopeStep] = []
    above, before = inf, 0
    for threshold, placed in _thresholds(scores, number, step):
        start, end = (100.0 * (n / number - 1.0) for n in (before, placed))
        hits, expected, variance = _against_random(recordings, above, threshold, half)
        chance = known.chance_curve(half, [start, end])
        steps.append(
            SlopeStep(
                above,
                threshold,
                start,
                end,
                placed - before,
                hits,
                expected,
                (100.0 * hits / number) / (end - start),
                float(chance[1] - chance[0]) / (end - start),
                _upper_tail(expected, variance, hits),
            )
        )
        above, before = threshold, placed
    return SlopeTest(tuple(steps), half, name)


def _thresholds(scores: NDArray[np.float64], number: int, step: float) -> list[tuple[float, int]]:
    """Return thresholds that are about ``step`` points of over-segmentation apart, and the number of candidates at each."""
    found: list[tuple[float, int]] = []
    total, each = len(scores), max(1, round(number * step / 100.0))
    placed = 0
    while placed < total:
        at = min(placed + each, total)
        threshold = float(scores[total - at])  # the score of the at-th best candidate
        placed = total - int(np.searchsorted(scores, threshold))  # with all that have the same score
        found.append((threshold, placed))
    return found


def _against_random(
    recordings: Sequence[ScoredRecording], above: float, threshold: float, half: float
) -> tuple[int, float, float]:
    """Return new hits of the candidates from ``threshold`` up to ``above``, and mean and variance of those of random boundaries."""
    hits, expected, variance = 0, 0.0, 0.0
    for match, tops, scores, length in recordings:
        empty = tops < above
        hits += int((tops[empty] >= threshold).sum())
        added = int(((scores >= threshold) & (scores < above)).sum())
        if not length or not added:
            continue
        starts, ends = region_bounds(match.reference, half)
        widths = (np.clip(ends, 0.0, length) - np.clip(starts, 0.0, length))[empty]
        shares = np.minimum(widths / length, 1.0)
        found = 1.0 - (1.0 - shares) ** added
        once = shares * (1.0 - shares) ** (added - 1)
        expected += float(found.sum())
        variance += float((found * (1.0 - found)).sum() - added * (once.sum() ** 2 - (once * once).sum()))
    return hits, expected, variance


def _upper_tail(mean: float, variance: float, hits: int) -> float:
    """Return the probability of at least ``hits`` in the binomial distribution with this mean and variance."""
    if hits == 0:
        return 1.0
    size = max(round(mean**2 / (mean - variance)), ceil(mean)) if mean > variance else 0
    if hits > size:
        return 0.0
    share = mean / size
    if share >= 1.0:
        return 1.0
    below = (
        exp(lgamma(size + 1) - lgamma(k + 1) - lgamma(size - k + 1) + k * log(share) + (size - k) * log1p(-share))
        for k in range(hits)
    )
    return max(0.0, 1.0 - fsum(below))
