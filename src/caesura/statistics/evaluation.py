"""Evaluate: rows per item, pooled and averaged scores, intervals, for any metrics of the registry."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.metrics import Metric, metric, metrics
from caesura.metrics.base import Rows
from caesura.model import Corpus
from caesura.statistics.bootstrap import Interval, bootstrap_interval
from caesura.statistics.pairing import Missing, Pairing, pair_up

__all__ = ["Evaluation", "Measured", "evaluate"]


@dataclass(frozen=True)
class Measured:
    """One metric on one pairing: a row of counts an item, and what follows from them."""

    metric: Metric
    rows: Rows
    interval: Interval | None

    @property
    def micro(self) -> float:
        """Score of the summed rows: every boundary (window, segment) weighs the same."""
        return float(self.metric.score(self.rows.sum(axis=0)))

    @property
    def macro(self) -> float:
        """Mean of the items' scores: every item weighs the same; undefined items are left out."""
        return float(np.nanmean(self.metric.score(self.rows))) if len(self.rows) else float("nan")

    @property
    def per_item(self) -> list[float]:
        """The score of every item."""
        scores: list[float] = self.metric.score(self.rows).tolist()
        return scores


@dataclass(frozen=True)
class Evaluation:
    """What every metric says about a hypothesis corpus against a reference corpus."""

    pairing: Pairing
    measured: dict[str, Measured]

    def __getitem__(self, name: str) -> Measured:
        return self.measured[name]

    @property
    def items(self) -> tuple[str, ...]:
        """The items compared, in the order of the rows."""
        return self.pairing.items

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON: pooled and mean scores, intervals, counts, signatures, scores per item."""
        return {
            "items": list(self.items),
            "skipped": list(self.pairing.skipped),
            "metrics": {
                name: {
                    "signature": m.metric.signature,
                    "micro": m.micro,
                    "macro": m.macro,
                    "interval": None if m.interval is None else list(m.interval),
                    "counts": dict(zip(m.metric.fields, m.rows.sum(axis=0).tolist(), strict=True)),
                    "per_item": m.per_item,
                }
                for name, m in self.measured.items()
            },
        }


def evaluate(
    reference: Corpus,
    hypothesis: Corpus,
    metrics: Iterable[str | Metric] | None = None,
    *,
    missing: Missing = "error",
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Evaluation:
    """Compare two corpora item by item.

    Parameters
    ----------
    metrics
        Names (``"B"``, ``"B:n_t=3"``) or metrics; by default every registered one that applies.
    missing
        "error" refuses items that only one side has; "skip" leaves them out and lists them.
    level, resamples, seed
        Of the percentile bootstrap over items.

    Examples
    --------
    >>> gold = Corpus.from_dict({"a": {"ann": [2, 3, 6]}, "b": {"ann": [4, 4]}})
    >>> system = Corpus.from_dict({"a": {"sys": [2, 9]}, "b": {"sys": [4, 4]}})
    >>> round(evaluate(gold, system, ["recall"])["recall"].micro, 4)
    0.6667
    """
    pairing = pair_up(reference, hypothesis, missing=missing)
    measured = {}
    for wanted in _chosen(metrics, pairing):
        rows = pairing.per_item(wanted.rows(pairing.batch))
        interval = bootstrap_interval(wanted, rows, level=level, resamples=resamples, seed=seed)
        measured[wanted.name] = Measured(wanted, rows, interval)
    return Evaluation(pairing, measured)


def _chosen(wanted: Iterable[str | Metric] | None, pairing: Pairing) -> list[Metric]:
    if wanted is not None:
        return [metric(name) for name in wanted]
    return [made for made in map(metric, metrics()) if made.applies_to(pairing.batch)]
