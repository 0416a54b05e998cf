"""Which metric speaks for which kind of annotation where nobody names one: one table, so that one corpus has one headline number.

It must serve a reference and a system, coders among each other, and a gold standard alike, so it is symmetric, runs from 0 to 1 and
is always defined. That is why recordings have A and not R, which asks who is the reference and is undefined without boundaries;
docs/choosing.md argues it.
"""

from __future__ import annotations

from caesura.model.corpus import Kind

#: Kind of annotation -> names of metrics: the one that speaks for it, and two to stand beside it where there is room for a few.
MAIN_METRICS: dict[Kind, tuple[str, ...]] = {
    "units": ("B", "F", "WD"),
    "time": ("A", "region-F", "time-kappa"),
    "nested": ("nested-F", "nested-kappa", "nested-B"),
    "spans": ("span-F", "span-partial-F", "token-F"),
}

#: Kind of annotation -> name of a metric.
DEFAULT_METRICS: dict[Kind, str] = {kind: names[0] for kind, names in MAIN_METRICS.items()}
