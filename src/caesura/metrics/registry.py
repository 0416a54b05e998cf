"""The table of metrics: ours by name, and those that other packages bring as entry points.

A package adds a metric with, in its ``pyproject.toml``::

    [project.entry-points."caesura.metrics"]
    mine = "my_package.my_module:MyMetric"
"""

from __future__ import annotations

from ast import literal_eval
from dataclasses import fields
from functools import cache
from importlib import import_module
from types import NoneType
from typing import Any

from numpy import bool_

from caesura.errors import CaesuraError, UnknownName
from caesura.metrics.base import Metric
from caesura.model.corpus import Kind

__all__ = ["BUILT_IN", "metric", "metrics", "unnamed_metrics"]

#: Name -> where the class lives. Looked up when asked for, so that no metric loads another's libraries.
BUILT_IN: dict[str, str] = {
    "precision": "caesura.metrics.exact:Precision",
    "recall": "caesura.metrics.exact:Recall",
    "F": "caesura.metrics.exact:F",
    "B": "caesura.metrics.boundary:BoundarySimilarity",
    "S": "caesura.metrics.boundary:SegmentationSimilarity",
    "B-precision": "caesura.metrics.confusion:BoundaryPrecision",
    "B-recall": "caesura.metrics.confusion:BoundaryRecall",
    "B-F": "caesura.metrics.confusion:BoundaryF",
    "PA": "caesura.metrics.boundary:PercentageAgreement",
    "WD": "caesura.metrics.window:WindowDiff",
    "Pk": "caesura.metrics.window:Pk",
    "WinPR": "caesura.metrics.window:WinPR",
    "GHD": "caesura.metrics.hamming:GeneralizedHamming",
    "A": "caesura.metrics.alignment:A",
    "Sf": "caesura.metrics.flexible:Sf",
    "SfB": "caesura.metrics.flexible:SfB",
    "R": "caesura.metrics.region:R",
    "hit-rate": "caesura.metrics.region:HitRate",
    "over-segmentation": "caesura.metrics.region:OverSegmentation",
    "region-precision": "caesura.metrics.region:RegionPrecision",
    "region-recall": "caesura.metrics.region:RegionRecall",
    "region-F": "caesura.metrics.region:RegionF",
    "miss-rate": "caesura.metrics.region:MissRate",
    "false-alarm-rate": "caesura.metrics.region:FalseAlarmRate",
    "nested-precision": "caesura.metrics.nesting:NestedPrecision",
    "nested-recall": "caesura.metrics.nesting:NestedRecall",
    "nested-F": "caesura.metrics.nesting:NestedF",
    "nested-kappa": "caesura.metrics.nesting:NestedKappa",
    "nested-B": "caesura.metrics.nesting:NestedB",
    "word-accuracy": "caesura.metrics.marks:WordAccuracy",
    "group-accuracy": "caesura.metrics.marks:GroupAccuracy",
    "seen-accuracy": "caesura.metrics.marks:SeenAccuracy",
    "unseen-accuracy": "caesura.metrics.marks:UnseenAccuracy",
    "DER": "caesura.metrics.marks:DiacriticErrorRate",
    "Sf-marks": "caesura.metrics.marks:MarkSf",
    "non-crossing": "caesura.metrics.nesting:NonCrossing",
}


#: How people write it on a command line.
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}


def metrics() -> list[str]:
    """Names of all registered metrics, ours first."""
    return [*BUILT_IN, *(name for name in sorted(_plugins()) if name not in BUILT_IN)]


def unnamed_metrics(kind: Kind) -> list[str]:
    """Names of the metrics to try on this kind of annotation where the user named none: all that say something about it.

    >>> "F" in unnamed_metrics("units"), "F" in unnamed_metrics("time"), "region-F" in unnamed_metrics("time")
    (True, False, True)
    """
    return [name for name in metrics() if kind not in _class(name).unasked]


def metric(name: str | Metric, /, **parameters: Any) -> Metric:
    """Make a metric by name, with parameters as keywords or behind a colon.

    >>> metric("F", beta=2.0).signature == metric("F:beta=2.0").signature
    True
    """
    if isinstance(name, Metric):
        return name
    if not isinstance(name, str):
        raise CaesuraError(f"a metric is a name, such as 'B', or a Metric, not {name!r}.")
    bare, _, behind = name.partition(":")
    given = {**_parsed(behind), **parameters}
    made = _class(bare)
    for each in fields(made):  # any word is true to Python, "false" too
        if each.type in ("bool", "bool | None") and not isinstance(given.get(each.name, True), (bool, bool_, NoneType)):
            raise CaesuraError(f"{bare}: {each.name} is {given[each.name]!r}; expected True or False.")
    try:
        return made(**given)
    except TypeError:
        known = [each.name for each in fields(made)]
        wrong = next((key for key in given if key not in known), None)
        if wrong is None:
            shown = behind or ", ".join(f"{key}={value!r}" for key, value in given.items())
            raise CaesuraError(f"{bare} cannot take {shown!r}: a value is of the wrong kind.") from None
        raise CaesuraError(f"{bare} has no parameter {wrong!r}; it takes {', '.join(known) or 'none'}.") from None


def _class(name: str) -> type[Metric]:
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name].partition(":")
        found = getattr(import_module(module), attribute)
    elif name in _plugins():
        found = _plugins()[name].load()
    else:
        raise UnknownName("metric", name, metrics(), {_class(known).title: known for known in BUILT_IN})
    if not (isinstance(found, type) and issubclass(found, Metric)):
        raise CaesuraError(
            f"the metric {name!r} is registered as {found!r}, which is not a subclass of caesura.metrics.Metric."
        )
    return found


@cache
def _plugins() -> dict[str, Any]:
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group="caesura.metrics")}


def _parsed(behind: str) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for part in filter(None, behind.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise CaesuraError(f"parameters behind a metric's name are written key=value, not {part!r}.")
        if value.strip().lower() in _TRUTH:
            given[key.strip()] = _TRUTH[value.strip().lower()]
            continue
        try:
            given[key.strip()] = literal_eval(value.strip())
        except (ValueError, SyntaxError):
            given[key.strip()] = value.strip()
    return given
