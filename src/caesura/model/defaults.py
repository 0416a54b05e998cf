"""Which metric speaks for which kind of annotation where nobody names one: one table, so that one corpus has one headline number.

It must serve a reference and a system, coders among each other, and a gold standard alike, so it is symmetric, runs from 0 to 1 and
is always defined. That is why recordings have A and not R, which asks who is the reference and is undefined without boundaries;
docs/choosing.md argues it.
"""

from __future__ import annotations

from caesura.model.corpus import Kind

#: Kind of annotation -> name of a metric.
DEFAULT_METRICS: dict[Kind, str] = {"units": "B", "time": "A", "nested": "nested-F", "spans": "span-F"}
