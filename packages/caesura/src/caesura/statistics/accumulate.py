"""Scores for training loops and scikit-learn: an accumulator of counts, and a scorer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.errors import CaesuraError
from caesura.metrics import Metric, metric
from caesura.metrics.family import Rows
from caesura.model import SegmentationLike


class Accumulator:
    """Collect pairs one by one and score them together: ``update``, ``compute``, ``reset``, ``merge``.

    This is the protocol of torchmetrics, without importing torch. Rows of counts add up, so the state is a single row.

    Parameters
    ----------
    name : str or Metric
        The metric.
    **parameters
        Parameters of the metric.

    Examples
    --------
    >>> total = Accumulator("F")
    >>> total.update([2, 3, 6], [2, 9])
    >>> total.update([4, 4], [4, 4])
    >>> round(total.compute(), 4)
    0.8
    """

    def __init__(self, name: str | Metric, **parameters: Any) -> None:
        self.metric = metric(name, **parameters)
        self.reset()

    def reset(self) -> None:
        """Delete all counts."""
        self.row: Rows = np.zeros(len(self.metric.fields))
        self.pairs = 0

    def update(self, reference: SegmentationLike, hypothesis: SegmentationLike) -> None:
        """Add one pair of annotations.

        Parameters
        ----------
        reference, hypothesis : Segmentation, list or str
            The two annotations.
        """
        self.row = self.row + self.metric.row(reference, hypothesis)
        self.pairs += 1

    def merge(self, other: Accumulator) -> None:
        """Add the counts of another accumulator of the same metric.

        Parameters
        ----------
        other : Accumulator
            The other accumulator.
        """
        if other.metric != self.metric:
            raise CaesuraError(f"cannot merge {other.metric.signature} into {self.metric.signature}.")
        self.row = self.row + other.row
        self.pairs += other.pairs

    def compute(self) -> float:
        """Return the pooled score of all pairs; NaN before the first update."""
        return float(self.metric.score(self.row)) if self.pairs else float("nan")

    __call__ = update


def make_scorer(name: str | Metric, **parameters: Any) -> Callable[[Any, Any, Iterable[SegmentationLike]], float]:
    """Make a scikit-learn scorer, which predicts X and pools the metric over all items; greater is better.

    Parameters
    ----------
    name : str or Metric
        The metric; penalties are negated.
    **parameters
        Parameters of the metric.

    Returns
    -------
    callable
        ``scorer(estimator, X, y)``.

    Examples
    --------
    >>> class Copy:
    ...     def predict(self, X): return X
    >>> make_scorer("F")(Copy(), [[2, 2], [3, 1]], [[2, 2], [3, 1]])
    1.0
    """
    return _Scorer(metric(name, **parameters))


@dataclass(frozen=True)
class _Scorer:
    """A scorer that can be pickled, which a nested function cannot."""

    metric: Metric

    def __call__(self, estimator: Any, X: Any, y: Iterable[SegmentationLike]) -> float:
        truth, predicted = list(y), list(estimator.predict(X))
        if len(truth) != len(predicted):
            raise CaesuraError(f"{len(predicted)} predictions for {len(truth)} references; expected one for each.")
        total = Accumulator(self.metric)
        for reference, hypothesis in zip(truth, predicted, strict=True):
            total.update(reference, hypothesis)
        return total.compute() if self.metric.higher_is_better else -total.compute()
