r"""Expectations of scores for random boundaries of the same number, where a formula is known.

The hypothesis has h boundaries in a text with P places, or in a recording of T seconds; all its boundaries are drawn again.

- Boundaries in common with m of the reference: :math:`h m / P`, hence precision, recall, F and percentage agreement.
- A window of k places with r boundaries of the reference agrees with probability :math:`H(r; P, h, k)` (hypergeometric), hence WindowDiff;
  for Pk only r = 0 or r > 0 matters.
- A search region of width w is hit with probability :math:`1 - (1 - w/T)^h`, hence the hit rate (Räsänen et al. 2009).

Numbers of boundaries stay as they are, so that sums over items have fixed divisors and the expectations of these scores are exact. R and F
of search regions are computed from the expected hits; F is exact, and R nearly, because it is not linear in them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from caesura.metrics import Batch, Metric
from caesura.metrics.boundaries import SharedBoundaries
from caesura.metrics.family import Rows
from caesura.metrics.region_match import region_bounds
from caesura.metrics.regions import MatchedBoundaries, SearchRegions
from caesura.metrics.window_sides import hypergeometric
from caesura.metrics.windows import Windows
from caesura.model import Corpus, Pairs

#: Scores that are linear in counts with a known expectation; others of the same families are not.
_IN_WINDOWS = ("WD", "Pk")


def expected_score(metric: Metric, batch: Batch) -> float | None:
    """Return the score that random hypotheses with as many boundaries get on average, over all pairs together.

    Parameters
    ----------
    metric : Metric
        The metric.
    batch : Batch
        The pairs.

    Returns
    -------
    float or None
        None if no formula is known for the metric or the annotations.

    Examples
    --------
    >>> from caesura.metrics import metric
    >>> pair = Batch.of_pair([3, 4, 3], [5, 5])
    >>> round(expected_score(metric("recall"), pair), 4), expected_score(metric("B"), pair)
    (0.1111, None)
    """
    rule = _rule(metric, batch)
    if rule is None or not len(batch):
        return None
    prepared = metric.prepare(batch)
    return float(metric.score(rule(metric, prepared).sum(axis=0)))


def chance_levels(reference: Corpus, hypothesis: Corpus, metrics: Mapping[str, Metric]) -> dict[str, float]:
    """Return what as many random boundaries reach on average, over the items of both corpora together.

    Parameters
    ----------
    reference, hypothesis : Corpus
        The two sides.
    metrics : mapping of str to Metric
        Name -> metric.

    Returns
    -------
    dict of str to float
        Name -> level. Metrics without a formula are left out, and over-segmentation, which depends on the number of boundaries only.

    Examples
    --------
    >>> from caesura.metrics import metric
    >>> gold, ours = (Corpus.from_dict({"a": {name: [5, 5, 10]}}) for name in ("gold", "ours"))
    >>> {name: round(level, 3) for name, level in chance_levels(gold, ours, {"F": metric("F"), "B": metric("B")}).items()}
    {'F': 0.105}
    """
    pairs = Pairs.between(reference, hypothesis, missing="skip")
    batch = Batch.of_corpora(pairs.reference, pairs.hypothesis, pairs.left, pairs.right)
    levels = {name: expected_score(each, batch) for name, each in metrics.items() if name != "over-segmentation"}
    return {name: level for name, level in levels.items() if level is not None}


def _rule(metric: Metric, batch: Batch) -> Callable[[Metric, Batch], Rows] | None:
    family = metric.family
    if isinstance(family, SharedBoundaries) and batch.kind == "units" and not batch.typed:
        return _shared
    if type(family) is Windows and metric.name in _IN_WINDOWS and not metric.parameters.get("weighted"):
        return _windows
    if isinstance(family, SearchRegions) and not isinstance(family, MatchedBoundaries) and family.matching == "regions":
        return _regions
    return None


def _shared(metric: Metric, batch: Batch) -> Rows:
    rows = metric.rows(batch)
    places = np.maximum(np.asarray(batch.lengths, np.float64) - 1.0, 1.0)
    rows[:, 0] = rows[:, 1] * rows[:, 2] / places
    return rows


def _windows(metric: Metric, batch: Batch) -> Rows:
    family = metric.family
    assert isinstance(family, Windows)
    rows = metric.rows(batch)
    ref = batch.reference
    for pair, (length, placed) in enumerate(zip(batch.lengths.tolist(), batch.hypothesis.sizes.tolist(), strict=True)):
        places = int(length) - 1
        marks = ref.positions[ref.starts[pair] : ref.stops[pair]]
        k = family.size(int(length), len(marks))
        inside = np.zeros(places + 1, np.int64)
        inside[marks] = 1
        total = np.concatenate((np.zeros(k, np.int64), np.cumsum(inside), np.full(k, len(marks))))
        padded = family.edges == "padded"
        starts = range(1 - k, places) if padded else range(places - k + 1)
        differing = one_sided = 0.0
        for start in starts:
            found = int(total[start + 2 * k] - total[start + k])
            width = min(start + k, places) - max(start, 0)
            differing += 1.0 - hypergeometric(found, places, placed, width)
            silent = hypergeometric(0, places, placed, width)
            one_sided += silent if found else 1.0 - silent
        rows[pair, 0], rows[pair, 2] = differing, one_sided
    return rows


def _regions(metric: Metric, batch: Batch) -> Rows:
    family = metric.family
    assert isinstance(family, SearchRegions)
    rows = metric.rows(batch)
    ref = batch.reference
    for pair, length in enumerate(np.asarray(batch.lengths, np.float64).tolist()):
        times = _inner(ref.positions[ref.starts[pair] : ref.stops[pair]], length)
        starts, ends = region_bounds(times, family.tolerance)
        widths = np.clip(ends, 0.0, length) - np.clip(starts, 0.0, length)
        hits = (1.0 - (1.0 - np.minimum(widths / length, 1.0)) ** rows[pair, 3]).sum() if length else 0.0
        rows[pair, 0] = rows[pair, 1] = hits
    return rows


def _inner(times: NDArray[np.float64], length: float) -> NDArray[np.float64]:
    return np.unique(times[(times > 0) & (times < length)])
