"""Clusters of items that may be alike, such as the recordings of one speaker.

Resampling items as if they were independent gives intervals that are far too short, and tests that find differences in noise. Whole clusters
are therefore drawn for intervals, with quantiles expanded for their number, and whole clusters change sides in tests.

References
----------
Cameron, Gelbach & Miller 2008, Bootstrap-based improvements for inference with clustered errors, Review of Economics and Statistics 90;
Hesterberg 2015, What Teachers Should Know About the Bootstrap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.display.table import IntervalCell
from caesura.errors import CaesuraError
from caesura.metrics.family import Metric, Rows, share_or_undefined
from caesura.model import Corpus
from caesura.statistics.bootstrap import Resampling
from caesura.statistics.counted import add_up
from caesura.text import pluralize

_SPEAKER = "speaker"
_DRAWS = 1000  # resamples at a time, to limit memory
_FEW = 5  # clusters with which tests can hardly be significant


@dataclass(frozen=True)
class Clusters:
    """The cluster of every item.

    Attributes
    ----------
    by : str
        The attribute that items of a cluster share.
    names : tuple of str
        The clusters, in order of appearance.
    of : ndarray of int
        The cluster of every item.
    equal : bool, default False
        Whether every cluster has the same weight, however many items it has: scores are then means of the clusters' scores.
    """

    by: str
    names: tuple[str, ...]
    of: NDArray[np.int64]
    equal: bool = False

    def __len__(self) -> int:
        return len(self.names)

    def take(self, chosen: Any) -> Clusters:
        """Keep only these items."""
        kept, codes = np.unique(self.of[chosen], return_inverse=True)
        return Clusters(self.by, tuple(self.names[code] for code in kept.tolist()), codes, self.equal)

    def add_up(self, rows: Rows) -> Rows:
        """Add up the rows of the items of every cluster."""
        return add_up(rows, self.of, len(self))

    def weighted(self, metric: Metric) -> Metric:
        """Return the metric for rows of clusters: as it is, or the mean of the clusters' scores if all have the same weight."""
        return _MeanScore(metric.family, metric.name, metric.options) if self.equal else metric

    def score(self, metric: Metric, rows: Rows) -> float:
        """Score the rows of items: pooled, or the mean of the clusters' scores; clusters without a score are left out of it."""
        each = self.weighted(metric)
        return float(each.value(each.parts(self.add_up(rows)).sum(axis=0)))

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"by": self.by, "count": len(self), **({"weights": "equal"} if self.equal else {})}

    def sentences(self) -> list[str]:
        """Say how many clusters there are, and what too few of them mean."""
        if len(self) < 2:
            return [f"all items have one {self.by}, {self.names[0]!r}, so that there are no intervals and no tests."]
        found = [
            f"intervals and tests are over {pluralize(len(self), self.by)}, with {pluralize(len(self.of), 'item')}."
        ]
        if self.equal:
            found.append(f"scores are means over {self.by}s, which all have the same weight.")
        if len(self) <= _FEW:
            found.append(f"with {len(self)} clusters, p cannot be below {2 / 2 ** len(self):g}.")
        return found


@dataclass(frozen=True, repr=False)
class _MeanScore(Metric):
    """A metric whose parts are the scores of rows and their number, so that sums of parts give the mean score."""

    def parts(self, rows: Rows) -> Rows:
        """Return the score of every row and 1, or 0 and 0 if it is undefined."""
        scores = self.score(rows)
        defined = np.isfinite(scores)
        return np.stack((np.where(defined, scores, 0.0), defined.astype(np.float64)), axis=-1)

    def value(self, parts: Rows) -> NDArray[np.float64]:
        """Divide sums of scores by their number."""
        return np.asarray(share_or_undefined(parts[..., 0], parts[..., 1]))


def cluster_items(
    items: Sequence[str], reference: Corpus, by: str | Callable[[str], Any], *, equal: bool = False
) -> Clusters:
    """Find the cluster of every item: an attribute, the track where items have no speaker, or a function of the item's name."""
    if callable(by):
        values = [by(item) for item in items]
    else:
        tracks = tracks_of_items(reference) if by == _SPEAKER else {}
        values = [reference.attributes.get(item, {}).get(by, tracks.get(item)) for item in items]
    if (bare := next((item for item, value in zip(items, values, strict=True) if value is None), None)) is not None:
        known = sorted({key for each in reference.attributes.values() for key in each})
        raise CaesuraError(
            f"item {bare!r} has no attribute {by!r} to cluster by; items have {', '.join(known) or 'none'}."
        )
    named = list(map(str, values))
    names = list(dict.fromkeys(named))
    code = {name: number for number, name in enumerate(names)}
    of = np.array([code[name] for name in named], np.int64)
    return Clusters("cluster" if callable(by) else by, tuple(names), of, equal)


def tracks_of_items(corpus: Corpus) -> dict[str, str]:
    """Return the track of every item that has exactly one with a name."""
    tracks: dict[str, set[str]] = {}
    for item, track in zip(corpus.item_of.tolist(), corpus.track_of.tolist(), strict=True):
        tracks.setdefault(corpus.items[item], set()).add(corpus.tracks[track])
    return {item: name for item, names in tracks.items() if len(names) == 1 and (name := next(iter(names)))}


def intervals_of(
    resampling: Resampling, metrics: Sequence[Metric], rows: Sequence[Rows], clusters: Clusters | None
) -> list[IntervalCell | None]:
    """Return the interval of every metric, over items or over clusters of items."""
    if clusters is None:
        return resampling.intervals(metrics, rows)
    if resampling.method == "two-stage":
        return _two_stage_intervals(resampling, metrics, rows, clusters)
    return resampling.cluster_intervals(list(map(clusters.weighted, metrics)), list(map(clusters.add_up, rows)))


def _two_stage_intervals(
    resampling: Resampling, metrics: Sequence[Metric], rows: Sequence[Rows], clusters: Clusters
) -> list[IntervalCell | None]:
    """Draw clusters with replacement and, within every drawn cluster, its items with replacement."""
    if resampling.resamples == 0 or len(clusters) < 2:
        return [None] * len(metrics)
    random, parts = (
        np.random.default_rng(resampling.seed),
        [m.parts(each) for m, each in zip(metrics, rows, strict=True)],
    )
    members = [np.flatnonzero(clusters.of == number) for number in range(len(clusters))]
    found: list[list[NDArray[np.float64]]] = [[] for _ in metrics]
    for first in range(0, resampling.resamples, _DRAWS):
        size = min(_DRAWS, resampling.resamples - first)
        times = random.multinomial(len(clusters), np.full(len(clusters), 1 / len(clusters)), size=size)
        weights = np.zeros((size, len(clusters.of)))
        for own, drawn in zip(members, times.T, strict=True):
            # k draws of a cluster with n items are k · n draws of an item
            weights[:, own] = random.multinomial(drawn * len(own), np.full(len(own), 1 / len(own)))
        for each, own_parts, values in zip(metrics, parts, found, strict=True):
            values.append(np.asarray(each.value(weights @ own_parts)))
    return [resampling.interval(np.concatenate(values)) for values in found]


def hint_at_speakers(items: Sequence[str], attributes: Any) -> list[str]:
    """Return a sentence if several items have the same speaker, and clusters were not asked for."""
    speakers = [attributes.get(item, {}).get(_SPEAKER) for item in items]
    number = len(set(speakers))
    if None in speakers or not 1 < number < len(items):
        return []
    return [
        f"recordings come from {number} speakers; intervals over recordings are too short then, use cluster='speaker' (--cluster speaker)."
    ]
