"""Measures: a family counts a pair of annotations into a short row of numbers that add up, its scores divide such sums.

``metric("B", n_t=3)`` makes one by name, ``metric_names()`` lists what is registered, here and in other packages.
"""

from caesura.metrics.batch import Batch, Side
from caesura.metrics.catalog import metric, metric_names
from caesura.metrics.family import Family, Metric, Score

__all__ = ["Batch", "Family", "Metric", "Score", "Side", "metric", "metric_names"]
