"""Measures: each counts a pair of annotations into a short row of numbers that add up, then scores rows.

``metric("B", n_t=3)`` makes one by name, ``metrics()`` lists what is registered, here and in other packages.
"""

from caesura._callable import callable_as
from caesura.metrics.base import Metric
from caesura.metrics.batch import Batch, Side
from caesura.metrics.registry import metric, metrics

__all__ = ["Batch", "Metric", "Side", "metric", "metrics"]

callable_as(__name__, "metrics")  # caesura.metrics()
