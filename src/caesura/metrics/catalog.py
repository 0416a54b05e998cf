"""Metrics by name: ``metric("B:n_t=3")`` is a family with one of its scores chosen.

A package adds a family with, in its ``pyproject.toml``, one line per score::

    [project.entry-points."caesura.metrics"]
    mine = "my_package.my_module:MyFamily"
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import lru_cache
from itertools import product
from types import NoneType
from typing import Any

from numpy import bool_

from caesura.errors import CaesuraError
from caesura.metrics.family import Family, Metric
from caesura.model.corpus import Kind
from caesura.registry import Registry


def _accept(name: str, loaded: Any) -> type[Family]:
    if isinstance(loaded, type) and issubclass(loaded, Family) and name in loaded.scores:
        return loaded
    raise CaesuraError(f"it is {loaded!r}, not a subclass of caesura.metrics.Family with a score {name!r}")


#: Families and the names of their scores, in the order in which scores are listed.
_SCORES = {
    "caesura.metrics.exact:SharedBoundaries": "precision recall F",
    "caesura.metrics.boundary_edits:BoundaryEdits": "B S B-precision B-recall B-F",
    "caesura.metrics.exact:PlacesAgreed": "PA",
    "caesura.metrics.windows:Windows": "WD Pk WinPR",
    "caesura.metrics.hamming:GeneralizedHamming": "GHD",
    "caesura.metrics.alignment:SegmentAlignment": "A",
    "caesura.metrics.flexible:FlexibleEdits": "Sf SfB",
    "caesura.metrics.regions:SearchRegions": "R hit-rate over-segmentation region-precision region-recall region-F miss-rate false-alarm-rate",
    "caesura.metrics.segment_names:NamedSegments": "label-agreement label-kappa labelled-R time-agreement time-kappa",
    "caesura.metrics.overlaps:SegmentOverlaps": "purity coverage purity-coverage-F Rand adjusted-Rand",
    "caesura.metrics.nearest:NearestBoundaries": "Hausdorff mean-error",
    "caesura.metrics.displacement:Displacement": "displacement-mean displacement-bias displacement-median displacement-p90 displacement-p95 "
    "displacement-matched within-10ms within-20ms within-25ms within-50ms",
    "caesura.metrics.nested:SharedSegments": "nested-precision nested-recall nested-F",
    "caesura.metrics.nested:SegmentBeginnings": "nested-kappa",
    "caesura.metrics.nested:BoundariesByLevel": "nested-B",
    "caesura.vowels.accuracy:MarkAccuracy": "word-accuracy group-accuracy seen-accuracy unseen-accuracy DER",
    "caesura.vowels.accuracy:MarkSimilarity": "Sf-marks",
    "caesura.vowels.field_scores:FadelErrors": "DER-fadel WER-fadel",
    "caesura.vowels.field_scores:NakdimonAccuracy": "DEC CHA WOR VOC",
    "caesura.metrics.nested:CrossingSegments": "non-crossing",
    "caesura.metrics.spans:SpanMatches": " ".join(
        f"{match}-{score}"
        for match in ("span", "span-bounds", "span-partial", "span-type", "span-iou", "token")
        for score in ("precision", "recall", "F")
    ),
}

#: Name of a score -> its family. Loaded when asked for, so that no metric loads another's libraries.
FAMILIES: Registry[type[Family]] = Registry(
    "metric",
    {name: family for family, names in _SCORES.items() for name in names.split()},
    accept=_accept,
    titles=lambda: {family.scores[name].title: name for name, family in FAMILIES.items()},
)

#: What other packages call a metric of ours: the package, our name, and the page that says what else differs.
ABROAD: dict[str, tuple[str, str, str]] = {
    "boundary_similarity": ("segeval", "B", "migrate-from-segeval"),
    "segmentation_similarity": ("segeval", "S:weights=scaled", "migrate-from-segeval"),
    "window_diff": ("segeval", "WD", "migrate-from-segeval"),
    "windowdiff": ("NLTK", "WD", "migrate-from-nltk"),
    "pk": ("segeval or NLTK", "Pk", "tutorials/from-segeval-or-nltk"),
    "ghd": ("NLTK", "GHD", "migrate-from-nltk"),
    "randindex": ("ruptures", "Rand", "migrate-from-ruptures"),
    "hausdorff": ("ruptures", "Hausdorff", "migrate-from-ruptures"),
    "meantime": ("ruptures", "mean-error", "migrate-from-ruptures"),
    "deviation": ("mir_eval", "displacement-median:pairing=nearest", "migrate-from-mir-eval"),
    "detection": ("mir_eval", "region-F:matching=optimal", "migrate-from-mir-eval"),
    "SegmentationPurity": ("pyannote.metrics", "purity", "migrate-from-pyannote-metrics"),
    "SegmentationCoverage": ("pyannote.metrics", "coverage", "migrate-from-pyannote-metrics"),
}


def metric_names() -> list[str]:
    """Names of all registered metrics that can be loaded, ours first."""
    return [name for name, _ in FAMILIES.items()]  # a registry leaves broken ones out


def unnamed_metrics(kind: Kind) -> list[str]:
    """Names of the metrics to try on this kind of annotation where the user named none: all that say something about it.

    >>> "F" in unnamed_metrics("units"), "F" in unnamed_metrics("time"), "region-F" in unnamed_metrics("time")
    (True, False, True)
    """
    return [name for name, family in FAMILIES.items() if kind not in family.unasked]


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
    return _make(bare, parse_parameters(behind) | parameters)


def usual_metric(name: str, **parameters: Any) -> Metric:
    """Return a metric made once for all calls with these parameters: what the plain functions call."""
    try:
        return _remember(name, **parameters)
    except TypeError:  # what cannot be hashed is no parameter either; the family finds the words
        return _make(name, parameters)


@lru_cache(maxsize=256, typed=True)
def _remember(name: str, **parameters: Any) -> Metric:
    return _make(name, parameters)


def _make(name: str, given: dict[str, Any]) -> Metric:
    if name in ABROAD and name not in FAMILIES:
        package, ours, page = ABROAD[name]
        raise CaesuraError(
            f"{name} of {package} is called {ours} here; the page {page} of the documentation has the rest."
        )
    family = FAMILIES[name]
    score = family.scores[name]
    open_fields = [each for each in fields(family) if each.name not in score.fixed]
    known = [*(each.name for each in open_fields), *score.options]
    if wrong := next((key for key in given if key not in known), None):
        raise CaesuraError(f"{name} has no parameter {wrong!r}; it takes {', '.join(known) or 'none'}.")
    for each in open_fields:  # any word is true to Python, "false" too
        if each.type in ("bool", "bool | None") and not isinstance(given.get(each.name), (bool, bool_, NoneType)):
            raise CaesuraError(f"{name}: {each.name} is {given[each.name]!r}; expected True or False.")
    shared = {key: value for key, value in given.items() if key not in score.options}
    options = {key: given.get(key, default) for key, default in score.options.items()}
    try:
        return Metric(family(**score.fixed, **shared), name, tuple(options.items()))
    except TypeError:
        shown = ", ".join(f"{key}={value!r}" for key, value in given.items())
        raise CaesuraError(f"{name} cannot take {shown}: a value is of the wrong kind.") from None


def parse_parameters(behind: str) -> dict[str, Any]:
    """Read the parameters behind the name of a metric, or of a coefficient.

    >>> parse_parameters("n_t=3,matching=optimal")
    {'n_t': 3, 'matching': 'optimal'}
    """
    words = {"true": True, "yes": True, "false": False, "no": False}
    given: dict[str, Any] = {}
    for part in filter(None, behind.split(",")):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise CaesuraError(f"parameters behind a metric's name are written key=value, not {part!r}.")
        try:
            given[key] = words[value.lower()] if value.lower() in words else literal_eval(value)
        except (ValueError, SyntaxError):
            given[key] = value
    return given


# ---------------------------------------------------------------------- several at once


def with_parameters(names: Iterable[str], parameters: Mapping[str, Any]) -> list[Metric]:
    """Make the metrics, each with the parameters it takes; one for every value of a parameter that is a list.

    >>> [m.spelled for m in with_parameters(["R", "A"], {"tolerance": [0.02, 0.01], "n_t": 3})]
    ['R', 'R:tolerance=0.01', 'A']
    """
    metrics = []
    for name in names:
        mine = {
            key: parameters[key] if isinstance(parameters[key], list) else [parameters[key]]
            for key in _parameters_it_takes(name, parameters)
        }
        metrics += [metric(name, **dict(zip(mine, values, strict=True))) for values in product(*mine.values())]
    return metrics


def choose_metrics(
    names: list[str] | None, parameters: Mapping[str, Any], kind: Kind | None = None, *, named: bool = False
) -> list[Metric] | None:
    """Choose by name, or where none is named those that take a parameter given here; None where nothing was asked for.

    A parameter that no metric takes is refused. Unasked, names of segments are compared only where both sides are ``named``.
    """
    if not parameters:
        return None if names is None else [metric(name) for name in names]
    listed = names or (
        metric_names() if kind is None else [n for n in unnamed_metrics(kind) if kind in metric(n).needs]
    )
    if not names and not named:
        listed = [name for name in listed if not metric(name).family.compares_names]
    takes = {name: _parameters_it_takes(name, parameters) for name in listed}
    for key in parameters:
        if not any(key in keys for keys in takes.values()):
            raise CaesuraError(f"--{key.replace('_', '-')} belongs to no metric chosen here.")
    return with_parameters(names or [name for name, keys in takes.items() if keys], parameters)


def _parameters_it_takes(name: str, parameters: Mapping[str, Any]) -> list[str]:
    """Which parameters a metric takes: where it knows the name by a word (a rule), a number of that name is another's."""
    known = metric(name).parameters
    return [k for k, v in parameters.items() if k in known and (isinstance(v, str) or not isinstance(known[k], str))]


def tell_unmeasured_names(metrics: Iterable[Metric], reference: bool, hypothesis: bool) -> list[str]:
    """Say in a sentence that segments have names, on these sides, and that no metric looks at them; nothing where there is nothing to say."""
    if not (reference or hypothesis) or any(chosen.family.compares_names for chosen in metrics):
        return []
    if reference and hypothesis:
        *most, last = FAMILIES["label-agreement"].scores
        return [f"segments have names, which no metric chosen here compares; {', '.join(most)} and {last} do."]
    which = "reference" if reference else "hypothesis"
    return [f"only the {which} gives its segments names, so that no metric can compare them."]
