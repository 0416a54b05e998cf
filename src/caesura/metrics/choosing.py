"""Metrics by name, each with those of many parameters that it takes: what the command line and the workbench ask for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

from caesura.errors import CaesuraError
from caesura.metrics.catalog import metric, metric_names, unnamed_metrics
from caesura.metrics.family import Metric
from caesura.model.corpus import Kind

__all__ = ["choose_metrics", "with_parameters"]


def with_parameters(names: Iterable[str], parameters: Mapping[str, Any]) -> list[Metric]:
    """Make the metrics, each with the parameters it takes; one for every value of a parameter that is a list.

    >>> [m.spelled for m in with_parameters(["R", "A"], {"tolerance": [0.02, 0.01], "n_t": 3})]
    ['R', 'R:tolerance=0.01', 'A']
    """
    made = []
    for name in names:
        mine = {
            key: parameters[key] if isinstance(parameters[key], list) else [parameters[key]]
            for key in _taken(name, parameters)
        }
        made += [metric(name, **dict(zip(mine, values, strict=True))) for values in product(*mine.values())]
    return made


def choose_metrics(
    names: list[str] | None, parameters: Mapping[str, Any], kind: Kind | None = None
) -> list[Metric] | None:
    """Choose by name, or where none is named those that take a parameter given here; None where nothing was asked for.

    A parameter that no metric takes is refused.
    """
    if not parameters:
        return None if names is None else [metric(name) for name in names]
    listed = names or (
        metric_names() if kind is None else [n for n in unnamed_metrics(kind) if kind in metric(n).needs]
    )
    takes = {name: _taken(name, parameters) for name in listed}
    for key in parameters:
        if not any(key in keys for keys in takes.values()):
            raise CaesuraError(f"--{key.replace('_', '-')} belongs to no metric chosen here.")
    return with_parameters(names or [name for name, keys in takes.items() if keys], parameters)


def _taken(name: str, parameters: Mapping[str, Any]) -> list[str]:
    """Which parameters a metric takes: where it knows the name by a word (a rule), a number of that name is another's."""
    known = metric(name).parameters
    return [k for k, v in parameters.items() if k in known and (isinstance(v, str) or not isinstance(known[k], str))]
