"""Metrics: a family counts a pair of annotations into a short row of numbers, and its scores divide sums of such rows.

``metric("B", n_t=3)`` creates a metric by name, ``metric_names()`` lists all metrics, built-in ones and those of other packages.
"""

from caesura.metrics.batch import Batch, Side
from caesura.metrics.catalog import metric, metric_names
from caesura.metrics.family import Family, Metric, Score

__all__ = ["Batch", "Family", "Metric", "Score", "Side", "metric", "metric_names"]
