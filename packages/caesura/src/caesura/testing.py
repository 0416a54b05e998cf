"""Assertions for tests of segmenters and annotators; the pytest plug-in offers them as a fixture."""

from __future__ import annotations

from math import isnan
from numbers import Real
from typing import Any

from caesura.display.table import format_cell
from caesura.errors import CaesuraError
from caesura.report.comparison import compare


def assert_segmentation(
    reference: Any, hypothesis: Any, *, anchor: Any = None, limits: dict[str, float] | None = None, **thresholds: float
) -> None:
    """Fail unless every score of a hypothesis reaches its threshold.

    Parameters
    ----------
    reference, hypothesis : Segmentation, Hierarchy, Spans, list of int, str, Corpus or dict
        What :func:`caesura.compare` takes; reference first.
    anchor : bool, str or dict, default None
        Whether texts may differ, see :func:`caesura.compare`.
    limits : dict of str to float, default None
        Thresholds of metrics whose names are no Python names: ``{"B:n_t=3": 0.7, "span-F": 0.8}``.
    **thresholds : float
        Metrics and thresholds: ``B=0.8, WD=0.3``. For penalties such as WD the threshold is the largest value allowed.

    Raises
    ------
    AssertionError
        If a score is worse than its threshold; the message lists all such scores and the worst item.
    CaesuraError
        If no threshold is given, or a metric does not exist or apply.

    Examples
    --------
    >>> assert_segmentation([2, 3, 6], [2, 3, 6], B=0.8, WD=0.1)
    >>> assert_segmentation([2, 3, 6], [5, 6], B=0.8)
    Traceback (most recent call last):
    AssertionError: B is 0.500, below 0.8
    """
    __tracebackhide__ = True  # pytest shows the line of the test instead
    wanted = {**(limits or {}), **thresholds}
    for name, given in wanted.items():
        _check_threshold(name, given)
    if not wanted:
        raise CaesuraError("give a threshold for one metric or more, such as B=0.8.")
    comparison = compare(reference, hypothesis, list(wanted), anchor=anchor)
    failed = []
    for (name, limit), score in zip(wanted.items(), comparison.scores.values(), strict=True):
        value, good = score.micro, score.metric.higher_is_better
        if not (value >= limit if good else value <= limit):  # NaN fails too
            digits = 6 if abs(value - limit) < 5e-4 else 3
            failed.append(f"{name} is {format_cell(value, digits)}, {'below' if good else 'above'} {limit:g}")
    if failed:
        worst = f" (worst item: {comparison.worst_item})" if len(comparison.items) > 1 else ""
        raise AssertionError("; ".join(failed) + worst)


def _check_threshold(name: str, given: Any) -> None:
    if not isinstance(given, Real) or isnan(given):
        raise CaesuraError(f"the threshold of {name!r} is {given!r}; expected a number.")
