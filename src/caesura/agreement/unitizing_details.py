"""What stands behind a coefficient of spans: details by name, values per item, intervals over items."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.answer import combine
from caesura.agreement.unitizing_texts import SpanTexts
from caesura.errors import CaesuraError
from caesura.kernels.unitizing import Units
from caesura.words import check_whole

Values: TypeAlias = NDArray[np.float64]

_NAMED = 5  # annotators without a span that are named before the rest is only counted


class Details(dict[str, Any]):
    """Numbers and tables behind a coefficient, as ``details["disorder"]`` or ``details.disorder``."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"these details have no {name!r}; they have {', '.join(self)}.") from None

    @property
    def alignment(self) -> Any:
        """The alignment of the text with most disorder (of the only text, where there is one)."""
        return max(self["alignments"], key=lambda each: each.disorder)


class Interval(NamedTuple):
    """A percentile bootstrap over items."""

    resamples: int = 0
    level: float = 0.95
    seed: int = 0

    def check(self) -> Interval:
        """Refuse what makes no sense."""
        check_whole("resamples", self.resamples)
        if not 0 < self.level < 1:
            raise CaesuraError(f"level is {self.level}; expected a number between 0 and 1.")
        return self


def resample(sums: Values, value: Callable[[Values], Values], interval: Interval) -> tuple[float, float] | None:
    """Draw items with replacement, add their sums up, and return the quantiles of the value; None without resamples or with one item."""
    used = sums[sums.any(axis=1)]
    if interval.resamples == 0 or len(used) < 2:
        return None
    even = np.full(len(used), 1 / len(used))
    weights = np.random.default_rng(interval.seed).multinomial(len(used), even, size=interval.resamples)
    values = value(weights @ used)
    if np.isnan(values).all():
        return None
    low, high = np.nanquantile(values, [(1 - interval.level) / 2, (1 + interval.level) / 2])
    return float(low), float(high)


def per_item(texts: SpanTexts, observed: Values, expected: Values) -> dict[str, dict[str, float]]:
    """What coders agree on item by item; chance is that of the item alone."""
    spans, coders = np.zeros(len(observed)), np.zeros(len(observed), np.int64)
    for text, item in enumerate(texts.item_of.tolist()):
        spans[item] += texts.rows[texts.sizes[text + 1]] - texts.rows[texts.sizes[text]]
        coders[item] = max(coders[item], texts.sizes[text + 1] - texts.sizes[text])
    values = combine("disorder", observed, expected)
    return {
        texts.corpus.items[item]: {
            "coders": int(coders[item]),
            "spans": int(spans[item]),
            "observed": float(observed[item]),
            "expected": float(expected[item]),
            "value": float(values[item]),
        }
        for item in np.unique(texts.item_of).tolist()
    }


def describe_silent(texts: SpanTexts) -> str:
    """Name the annotators without a span in a text; they count as annotators who marked nothing."""
    silent = texts.silent
    if not silent:
        return ""
    more = f" and {len(silent) - _NAMED} more" if len(silent) > _NAMED else ""
    return f"marked nothing, and count: {', '.join(silent[:_NAMED])}{more}"


def keep_longest(text: SpanTexts) -> SpanTexts:
    """Of overlapping units of one annotator and label, keep the longest; of equal ones the first."""
    starts, ends, codes = text.units
    coders = np.repeat(np.arange(len(text.rows) - 1), np.diff(text.rows))
    kept: dict[tuple[int, int], list[tuple[float, float]]] = {}
    keep = np.zeros(len(starts), bool)
    for u in np.argsort(starts - ends, kind="stable").tolist():
        others = kept.setdefault((coders[u], codes[u]), [])
        at = bisect_left(others, (starts[u], ends[u]))
        free = (at == 0 or others[at - 1][1] <= starts[u]) and (at == len(others) or others[at][0] >= ends[u])
        if free:
            others.insert(at, (starts[u], ends[u]))
            keep[u] = True
    rows = np.concatenate(([0], np.cumsum(np.bincount(coders[keep], minlength=len(text.rows) - 1))))
    return replace(text, units=Units(starts[keep], ends[keep], codes[keep]), rows=rows)
