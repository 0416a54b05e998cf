"""For training loops and scikit-learn: an accumulator of rows, and a scorer."""

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
    """Collect comparisons as they come and score them all at once: ``update``, ``compute``, ``reset``, ``merge``.

    The protocol of torchmetrics, without importing torch. Rows add up, so the state is one row, whatever the number of updates.

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
        """Forget everything."""
        self.row: Rows = np.zeros(len(self.metric.fields))
        self.pairs = 0

    def update(self, reference: SegmentationLike, hypothesis: SegmentationLike) -> None:
        """Add one pair, reference first."""
        self.row = self.row + self.metric.row(reference, hypothesis)
        self.pairs += 1

    def merge(self, other: Accumulator) -> None:
        """Add what another accumulator of the same metric has seen."""
        if other.metric != self.metric:
            raise CaesuraError(f"cannot merge {other.metric.signature} into {self.metric.signature}.")
        self.row = self.row + other.row
        self.pairs += other.pairs

    def compute(self) -> float:
        """Pooled score of everything seen; NaN before the first update."""
        return float(self.metric.score(self.row)) if self.pairs else float("nan")

    __call__ = update


def make_scorer(name: str | Metric, **parameters: Any) -> Callable[[Any, Any, Iterable[SegmentationLike]], float]:
    """Make a scikit-learn scorer: ``scorer(estimator, X, y)`` predicts X and pools the metric over all items; greater is better.

    >>> class Copy:
    ...     def predict(self, X): return X
    >>> make_scorer("F")(Copy(), [[2, 2], [3, 1]], [[2, 2], [3, 1]])
    1.0
    """
    return _Scorer(metric(name, **parameters))


@dataclass(frozen=True)
class _Scorer:
    """A function with a memory: unlike one made inside another, it can be sent to other processes."""

    metric: Metric

    def __call__(self, estimator: Any, X: Any, y: Iterable[SegmentationLike]) -> float:
        truth, predicted = list(y), list(estimator.predict(X))
        if len(truth) != len(predicted):
            raise CaesuraError(f"{len(predicted)} predictions for {len(truth)} references; expected one for each.")
        seen = Accumulator(self.metric)
        for reference, hypothesis in zip(truth, predicted, strict=True):
            seen.update(reference, hypothesis)
        return seen.compute() if self.metric.higher_is_better else -seen.compute()
