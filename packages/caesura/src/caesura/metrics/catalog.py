"""Metrics by name: ``metric("B:n_t=3")`` is a family with one of its scores chosen.

A package adds a family with, in its ``pyproject.toml``, one line per score::

    [project.entry-points."caesura.metrics"]
    mine = "my_package.my_module:MyFamily"
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from functools import lru_cache
from itertools import product
from typing import Any

from caesura.errors import CaesuraError
from caesura.metrics.family import Family, Metric, check_kind
from caesura.model.corpus import Kind
from caesura.options import option_types, parse_options, validate_names, validate_options
from caesura.registry import Entry, Registry
from caesura.text import shorten


def _accept(name: str, loaded: Any) -> type[Family]:
    if isinstance(loaded, type) and issubclass(loaded, Family) and name in loaded.scores:
        return loaded
    raise CaesuraError(f"it is {loaded!r}, not a subclass of caesura.metrics.Family with a score {name!r}")


def _describe(name: str, family: type[Family]) -> dict[str, Any]:
    """Return the facts of a family that no table or manifest describes; those of its default parameters, if they depend on them."""
    compares_names: Any = family.compares_names
    if isinstance(compares_names, property):  # it depends on the parameters
        compares_names = family().compares_names
    return {
        "title": family.scores[name].title,
        "kinds": family.kinds,
        "opt_in_kinds": frozenset(family.opt_in_kinds),
        "required_types": family.required_types,
        "compares_names": compares_names,
    }


_TEXT, _TIME, _NESTED, _SPANS = (frozenset({kind}) for kind in ("units", "time", "nested", "spans"))
_FLAT = _TEXT | _TIME

#: Families in the order in which their scores are listed: the class, its facts, and the title of each score. Repeating here what the
#: classes say means that a list or a default comparison imports no family that it does not use; a test keeps both equal.
_BUILT_IN: list[tuple[str, dict[str, Any], dict[str, str]]] = [
    (
        "caesura.metrics.boundaries:SharedBoundaries", {"kinds": _FLAT, "opt_in_kinds": _TIME},
        {"precision": "boundary precision", "recall": "boundary recall", "F": "boundary F"},
    ),
    (
        "caesura.metrics.boundaries:BoundaryEdits", {},
        {
            "B": "boundary similarity", "S": "segmentation similarity", "B-precision": "boundary-edit precision",
            "B-recall": "boundary-edit recall", "B-F": "boundary-edit F",
        },
    ),
    ("caesura.metrics.boundaries:PlacesAgreed", {}, {"PA": "percentage agreement"}),
    (
        "caesura.metrics.tolerance:ToleranceMatches", {"opt_in_kinds": _TEXT},
        {
            "tolerance-F": "F within a tolerance of units", "tolerance-precision": "precision within a tolerance of units",
            "tolerance-recall": "recall within a tolerance of units", "density-ratio": "density ratio",
        },
    ),
    ("caesura.metrics.windows:Windows", {}, {"WD": "WindowDiff", "Pk": "Pk", "WinPR": "WinPR"}),
    (
        "caesura.metrics.window_sides:WindowSides", {"opt_in_kinds": _TEXT},
        {"Pr-error": "Pr_error", "k-kappa": "k-κ"},
    ),
    (
        "caesura.metrics.window_sides:NormalizedWindows", {"opt_in_kinds": _TEXT},
        {"NWin": "WindowDiff over its expectation"},
    ),
    ("caesura.metrics.boundaries:GeneralizedHamming", {}, {"GHD": "generalised Hamming distance"}),
    ("caesura.metrics.alignment:SegmentAlignment", {"kinds": _FLAT}, {"A": "alignment similarity"}),
    (
        "caesura.metrics.flexible:FlexibleEdits", {"kinds": _FLAT, "opt_in_kinds": _TIME},
        {"Sf": "flexible similarity", "SfB": "flexible similarity over boundaries"},
    ),
    (
        "caesura.metrics.regions:SearchRegions", {"kinds": _TIME},
        {
            "R": "R-value", "hit-rate": "hit rate, %", "over-segmentation": "over-segmentation, %",
            "region-precision": "precision within the tolerance", "region-recall": "recall within the tolerance",
            "region-F": "F within the tolerance", "miss-rate": "miss rate, %", "false-alarm-rate": "false alarm rate, %",
        },
    ),
    (
        "caesura.metrics.regions:MatchedBoundaries", {"kinds": _TIME, "opt_in_kinds": _TIME},
        {"boundary-F": "F of the largest matching within the tolerance"},
    ),
    (
        "caesura.metrics.segment_names:NamedSegments", {"kinds": _FLAT, "opt_in_kinds": _TEXT, "compares_names": True},
        {
            "label-agreement": "agreement on names", "label-kappa": "κ on names", "labelled-R": "labelled R-value",
            "time-agreement": "agreement on labelled time", "time-kappa": "κ on labelled time",
        },
    ),
    (
        "caesura.metrics.overlaps:SegmentOverlaps", {"kinds": _FLAT, "opt_in_kinds": _FLAT},
        {
            "purity": "segmentation purity", "coverage": "segmentation coverage",
            "purity-coverage-F": "F of purity and coverage", "Rand": "Rand index", "adjusted-Rand": "adjusted Rand index",
        },
    ),
    (
        "caesura.metrics.boundaries:NearestBoundaries", {"kinds": _FLAT, "opt_in_kinds": _FLAT},
        {"Hausdorff": "Hausdorff distance", "mean-error": "mean error of boundaries"},
    ),
    (
        "caesura.metrics.displacement:Displacement", {"kinds": _TIME, "opt_in_kinds": _TIME, "compares_names": True},
        {
            "displacement-mean": "mean displacement, ms", "displacement-bias": "bias, ms",
            "displacement-median": "median displacement, ms", "displacement-p90": "90th percentile of displacements, ms",
            "displacement-p95": "95th percentile of displacements, ms", "displacement-matched": "share of boundaries compared",
            **{f"within-{limit}ms": f"share within {limit} ms" for limit in (10, 20, 25, 50)},
        },
    ),
    (
        "caesura.metrics.interval_errors:IntervalErrors", {"kinds": _TIME, "opt_in_kinds": _TIME, "compares_names": True},
        {
            **{
                f"{edge}-{name}": title.format(edge)
                for edge in ("onset", "offset")
                for name, title in {
                    "mean": "mean {} error, ms", "bias": "{} bias, ms", "sd": "standard deviation of {} errors, ms",
                    "rmse": "root mean square of {} errors, ms", "median": "median of {} errors, ms",
                    **{f"p{percent}": f"{percent}th percentile of {{}} errors, ms" for percent in (90, 95, 99)},
                    **{f"within-{limit}ms": f"{{}}s within {limit} ms" for limit in (5, 10, 15, 20, 25, 50, 100)},
                }.items()
            },
            "duration-mean": "mean duration error, ms", "duration-bias": "duration bias, ms",
            "interval-overlap": "mean overlap of intervals", "interval-matched": "share of intervals with a partner",
        },
    ),
    (
        "caesura.metrics.interval_errors:PhoneErrors", {"kinds": _TIME, "opt_in_kinds": _TIME, "compares_names": True},
        {
            "phone-error": "phone error rate",
            **{f"phone-error-{kind}": f"{kind} per phone" for kind in ("substitutions", "deletions", "insertions")},
            "alignment-score": "alignment score of MFA, s",
        },
    ),
    (
        "caesura.metrics.nested:SharedSegments", {"kinds": _NESTED},
        {
            "nested-precision": "precision of nested segments", "nested-recall": "recall of nested segments",
            "nested-F": "F of nested segments",
        },
    ),
    ("caesura.metrics.nested:SegmentBeginnings", {"kinds": _NESTED}, {"nested-kappa": "κ of segment beginnings"}),
    ("caesura.metrics.nested:BoundariesByLevel", {"kinds": _NESTED}, {"nested-B": "boundary similarity pooled over levels"}),
    ("caesura.metrics.nested:AlignmentByLevel", {"kinds": _NESTED, "opt_in_kinds": _NESTED}, {"nested-A": "alignment similarity pooled over levels"}),
    ("caesura.metrics.nested:CrossingSegments", {"kinds": _NESTED}, {"non-crossing": "non-crossing brackets"}),
    *(
        (
            f"caesura.metrics.hierarchies:{family}", {"kinds": _NESTED, "opt_in_kinds": _NESTED},
            {f"{letter}-{score}": f"{letter}-{score} of {what}" for score in ("precision", "recall", "measure")},
        )
        for family, letter, what in (("FrameOrders", "T", "nested segments"), ("LabelOrders", "L", "labelled nested segments"))
    ),
    (
        "caesura.metrics.hierarchies:RankedBoundaries", {"kinds": _NESTED, "opt_in_kinds": _NESTED},
        {"evHDS": "error of ranked boundaries (evHDS)"},
    ),
    (
        "caesura.metrics.spans:SpanMatches", {"kinds": _SPANS},
        {
            f"{match}-{score}": f"{title} {score}"
            for match, title in (
                ("span", "span"), ("span-bounds", "span-bounds"), ("span-partial", "partial span"),
                ("span-type", "span-type"), ("span-iou", "span-IoU"), ("token", "token"),
            )
            for score in ("precision", "recall", "F")
        },
    ),
    (
        "caesura.metrics.linked:LinkedAnnotations", {"kinds": _SPANS, "opt_in_kinds": _SPANS},
        {
            "linked-kappa": "κ of linked annotations", "linked-kappa-max": "largest possible κ of linked annotations",
            "linked-agreement": "raw agreement of linked annotations", "linked-share": "share of linked annotations",
        },
    ),
    ("caesura.metrics.linked:OverlapRatio", {"kinds": _SPANS, "opt_in_kinds": _SPANS}, {"overlap-ratio": "overlap ratio"}),
    (
        "caesura.metrics.organisation:Organisation", {"kinds": _SPANS, "opt_in_kinds": _SPANS},
        {"organisation": "degree of organisation"},
    ),
    (
        "caesura.metrics.diarization:Diarization", {"kinds": _SPANS, "opt_in_kinds": _SPANS},
        {
            "diarization-error": "diarization error rate", "diarization-miss": "missed speech",
            "diarization-false-alarm": "false alarm", "diarization-confusion": "speaker confusion",
            "jaccard-error": "Jaccard error rate", "speaker-purity": "speaker purity", "speaker-coverage": "speaker coverage",
            "speaker-purity-coverage-F": "F of speaker purity and coverage",
            "speaker-Bcubed-precision": "B³ precision of speakers", "speaker-Bcubed-recall": "B³ recall of speakers",
            "speaker-Bcubed-F": "B³ F of speakers",
        },
    ),
]  # fmt: skip

#: Name of a score -> its family. A family is loaded when it is used, so that no metric loads another's libraries.
FAMILIES: Registry[type[Family]] = Registry(
    "metric",
    {
        name: Entry(location, title=title, **facts)
        for location, facts, titles in _BUILT_IN
        for name, title in titles.items()
    },
    facts={
        "title": "",
        "kinds": _TEXT,
        "opt_in_kinds": frozenset(),
        "required_types": frozenset(),
        "compares_names": False,
    },
    accept=_accept,
    describe=_describe,
)

#: Names of metrics in other packages: the package, our name, and the page that explains other differences.
FOREIGN_NAMES: dict[str, tuple[str, str, str]] = {
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
    "DER": ("pyannote.metrics and dscore", "diarization-error", "migrate-from-pyannote-metrics"),
    "JER": ("pyannote.metrics and dscore", "jaccard-error", "migrate-from-pyannote-metrics"),
    "DiarizationErrorRate": ("pyannote.metrics", "diarization-error:like=pyannote", "migrate-from-pyannote-metrics"),
    "JaccardErrorRate": ("pyannote.metrics", "jaccard-error:like=pyannote", "migrate-from-pyannote-metrics"),
    "DiarizationPurity": ("pyannote.metrics", "speaker-purity", "migrate-from-pyannote-metrics"),
    "DiarizationCoverage": ("pyannote.metrics", "speaker-coverage", "migrate-from-pyannote-metrics"),
    "SegmentationPurity": ("pyannote.metrics", "purity", "migrate-from-pyannote-metrics"),
    "SegmentationCoverage": ("pyannote.metrics", "coverage", "migrate-from-pyannote-metrics"),
    "DiarizationPurityCoverageFMeasure": (
        "pyannote.metrics",
        "speaker-purity-coverage-F",
        "migrate-from-pyannote-metrics",
    ),
    "SegmentationPurityCoverageFMeasure": ("pyannote.metrics", "purity-coverage-F", "migrate-from-pyannote-metrics"),
    "SegmentationPrecision": ("pyannote.metrics", "region-precision:matching=optimal", "migrate-from-pyannote-metrics"),
    "SegmentationRecall": ("pyannote.metrics", "region-recall:matching=optimal", "migrate-from-pyannote-metrics"),
    "EasyDIAg": ("Holle & Rein", "linked-kappa", "migrate-from-speech-tools"),
    "kappa_ipf": ("ELAN", "linked-kappa:like=elan", "migrate-from-speech-tools"),
    "Staccato": ("ELAN", "organisation", "migrate-from-speech-tools"),
    "PER": ("MFA and others", "phone-error", "migrate-from-speech-tools"),
    "MAE": ("papers on aligners", "onset-mean", "migrate-from-speech-tools"),
    "RMSE": ("papers on aligners", "onset-rmse", "migrate-from-speech-tools"),
    "boundary-error": ("papers on aligners", "onset-mean", "migrate-from-speech-tools"),
    "accuracy": ("papers on aligners", "onset-within-20ms", "migrate-from-speech-tools"),
    "alignment_score": ("MFA", "alignment-score", "migrate-from-speech-tools"),
    **dict.fromkeys(("B3", "BCubed"), ("dscore", "speaker-Bcubed-F", "migrate-from-speech-tools")),
    "B3-Precision": ("dscore", "speaker-Bcubed-precision", "migrate-from-speech-tools"),
    "B3-Recall": ("dscore", "speaker-Bcubed-recall", "migrate-from-speech-tools"),
    "B3-F1": ("dscore", "speaker-Bcubed-F", "migrate-from-speech-tools"),
    "T-reduced": ("mir_eval", "T-measure", "migrate-from-mir-eval"),
    "EvalHDS": ("Carroll", "evHDS", "families/hierarchies"),
    "HAPS": ("Kazantseva & Szpakowicz", "evHDS:compare=count", "families/hierarchies"),
    "T-full": ("mir_eval", "T-measure:transitive=True", "migrate-from-mir-eval"),
}
#: Parameters of other programs, or of papers, and what to write here.
_OTHER_PARAMETERS = {
    "convention": "like=nist, like=dscore or like=pyannote",
    **dict.fromkeys(("skip_overlap", "ignore_overlaps", "skip_overlaps"), "overlap=skip"),
    **dict.fromkeys(("map", "phones", "phone_map", "custom_mapping_path"), "mapping=FILE"),
}
_FOREIGN = {name.lower(): known for name, known in FOREIGN_NAMES.items()}

#: Metrics of papers that are not included, and why, with what comes nearest.
_NOT_INCLUDED = {
    "tnwin": "TNWin of Lamprier et al. (2007) is not included, because no text that we found defines it; NWin divides WindowDiff by its expectation, "
    "and caesura evaluate --chance 200 compares any metric with random boundaries of the same number."
}


#: Names of coefficients, which are not metrics.
COEFFICIENT_NAMES = {
    **dict.fromkeys(("kappa", "cohen", "cohen_kappa", "cohens_kappa", "fleiss_kappa"), "kappa"),
    **dict.fromkeys(("pi", "scott", "scott_pi", "scotts_pi", "fleiss_pi"), "pi"),
    **dict.fromkeys(("alpha", "krippendorff", "krippendorff_alpha"), "alpha"),
    "gamma": "gamma",
}

#: Other names of our own metrics, as papers or our pages also write them.
ALIASES = {"T-F": "T-measure", "L-F": "L-measure"}
#: Names that mean another metric if the kind is given, ``metric("DER", kind="time")``.
ALIASES_IN_TIME = {"DER": "diarization-error", "JER": "jaccard-error"}


def metric_names() -> list[str]:
    """Return the names of all registered metrics, built-in ones first, without loading any family.

    Returns
    -------
    list of str
        A plug-in that cannot be used is left out with a warning.

    Examples
    --------
    >>> metric_names()[:4]
    ['precision', 'recall', 'F', 'B']
    """
    return list(FAMILIES.names())


def metrics_for(kind: Kind, types: Collection[str] | None = None) -> list[str]:
    """Return the names of the metrics that compare annotations of this kind, loading no other family.

    Parameters
    ----------
    kind : {"units", "time", "nested", "spans"}
        The kind of annotation.
    types : collection of str, optional
        The boundary types of the annotations. A metric that requires certain types is left out if none of them is here.

    Returns
    -------
    list of str
        Built-in metrics first, each in the order of the catalogue; a plug-in that cannot be loaded is left out with a warning.
    """
    return [name for name, facts in FAMILIES.all_facts() if _fits(facts, kind, types) and FAMILIES.can_load(name)]


def default_metrics(kind: Kind, types: Collection[str] | None = None) -> list[str]:
    """Return the names of the metrics to compute if the user names none.

    Parameters are those of :func:`metrics_for`. Metrics for which this kind is opt-in are left out.

    Examples
    --------
    >>> "F" in default_metrics("units"), "F" in default_metrics("time"), "region-F" in default_metrics("time")
    (True, False, True)
    """
    return [
        name
        for name, facts in FAMILIES.all_facts()
        if _fits(facts, kind, types) and kind not in facts["opt_in_kinds"] and FAMILIES.can_load(name)
    ]


def _fits(facts: Mapping[str, Any], kind: Kind, types: Collection[str] | None) -> bool:
    required = facts["required_types"]
    return kind in facts["kinds"] and (not required or not required.isdisjoint(types or ()))


def metric(name: str | Metric, /, **parameters: Any) -> Metric:
    """Create a metric by name.

    Parameters
    ----------
    name : str or Metric
        The name, with parameters after a colon if you like: ``"B:n_t=3"``. A metric is returned as it is.
    **parameters
        Parameters of the metric.

    Returns
    -------
    Metric
        A callable that scores a reference and a hypothesis.

    Raises
    ------
    CaesuraError
        If the name is unknown, or a parameter is unknown or has a wrong value.

    Examples
    --------
    >>> metric("F", beta=2.0).signature == metric("F:beta=2.0").signature
    True
    """
    if isinstance(name, Metric):
        return name
    if not isinstance(name, str):
        raise _not_a_metric(name)
    bare, _, text = name.partition(":")
    if parameters.get("kind") in ("time", "spans") and bare in ALIASES_IN_TIME:
        parameters.pop("kind")
        bare = ALIASES_IN_TIME[bare]
    return _make(ALIASES.get(bare, bare), parameters, text)


def _not_a_metric(given: object) -> CaesuraError:
    if callable(given):
        return CaesuraError(f"a metric is a name, such as 'WD', or a Metric, not {getattr(given, '__name__', given)}.")
    several = "" if isinstance(given, (int, float)) else "; several coders or systems are one dict, {'a': …, 'b': …}"
    return CaesuraError(f"a metric is a name, such as 'B', or a Metric, not {shorten(repr(given))}{several}.")


def cached_metric(name: str, **parameters: Any) -> Metric:
    """Return a metric that is created once for all calls with these parameters; used by the plain functions."""
    try:
        return _make_cached(name, **parameters)
    except TypeError:  # a value that cannot be hashed is wrong too, and the family says why
        return _make(name, parameters)


@lru_cache(maxsize=256, typed=True)
def _make_cached(name: str, **parameters: Any) -> Metric:
    return _make(name, parameters)


def _make(name: str, given: dict[str, Any], text: str = "") -> Metric:
    """Make a metric with parameters given as values and as text, such as "n_t=3"."""
    if name.lower() in _NOT_INCLUDED and name not in FAMILIES:
        raise CaesuraError(_NOT_INCLUDED[name.lower()])
    if name.lower() in _FOREIGN and name not in FAMILIES:
        package, ours, page = _FOREIGN[name.lower()]
        raise CaesuraError(f"{name} of {package} is called {ours} here; see the page {page} of the documentation.")
    if name.lower() in COEFFICIENT_NAMES and name not in FAMILIES:
        raise CaesuraError(
            f"{name} is a coefficient of agreement: cs.agree(corpus, coefficient={COEFFICIENT_NAMES[name.lower()]!r})."
        )
    family = FAMILIES[_registered_name(name)]
    score = family.scores[name]
    if text or given:
        types = option_types(family) | option_types(score.parts)
        given = parse_options(text, types) | given
        known = [*(f.name for f in fields(family) if f.name not in score.fixed), *score.options]
        validate_names(name, given, known, _OTHER_PARAMETERS)
        # Families validate everything else themselves; but any text is true to Python, "false" too.
        flags = {key: value for key, value in given.items() if types[key] in (bool, bool | None)}
        validate_options(name, flags, types, convert=False)
    shared = {key: value for key, value in given.items() if key not in score.options}
    options = {key: given.get(key, default) for key, default in score.options.items()}
    try:
        return Metric(family(**score.fixed, **shared), name, tuple(options.items()))
    except TypeError:
        shown = ", ".join(f"{key}={value!r}" for key, value in given.items())
        raise CaesuraError(f"{name} cannot take {shown}: a value is of the wrong kind.") from None


def _registered_name(name: str) -> str:
    """Return the name of a registered score of the same family, for shares within any limit: ``onset-within-17ms``."""
    if name not in FAMILIES and (other := re.fullmatch(r"within-?(\d+)(ms)?", name)):
        limit = other[1]
        raise CaesuraError(
            f"{name} is none of the shares within 10, 20, 25 and 50 ms; any limit: onset-within-{limit}ms (starts), offset-within-{limit}ms (ends)."
        )
    edge, within, limit = name.partition("-within-")
    return f"{edge}-within-20ms" if within and edge in ("onset", "offset") and limit.endswith("ms") else name


# ---------------------------------------------------------------------- several at once


def listed_metrics(given: str | Metric | Iterable[str | Metric]) -> list[str | Metric]:
    """Return metrics as a list; a string holds one, or several names without parameters between commas.

    Examples
    --------
    >>> listed_metrics("B, WD"), listed_metrics("F:beta=2"), listed_metrics(("B", "S"))
    (['B', 'WD'], ['F:beta=2'], ['B', 'S'])
    """
    if isinstance(given, str) and ":" not in given:
        return [name.strip() for name in given.split(",") if name.strip()] or [given]
    return [given] if isinstance(given, (str, Metric)) or not isinstance(given, Iterable) else list(given)


def with_parameters(names: Iterable[str], parameters: Mapping[str, Any]) -> list[Metric]:
    """Create the metrics, each with the parameters that it has, and one for every value of a parameter that is a list.

    Examples
    --------
    >>> [m.spelled for m in with_parameters(["R", "A"], {"tolerance": [0.02, 0.01], "n_t": 3})]
    ['R', 'R:tolerance=0.01', 'A']
    """
    metrics = []
    for name in names:
        mine = {
            key: parameters[key] if isinstance(parameters[key], list) else [parameters[key]]
            for key in _own_parameters(name, parameters)
        }
        metrics += [metric(name, **dict(zip(mine, values, strict=True))) for values in product(*mine.values())]
    return metrics


def choose_metrics(
    names: list[str] | None, parameters: Mapping[str, Any], kind: Kind | None = None, *, named: bool = False
) -> list[Metric] | None:
    """Create the metrics with these names or, without names, those that have one of the parameters; None without both.

    A parameter that no metric has raises an error. Without names, metrics that compare names of segments are chosen only if both sides
    are ``named``.
    """
    for name in names or ():
        bare = name.partition(":")[0]
        if kind is not None and bare in FAMILIES:
            check_kind((bare,), FAMILIES.facts(bare)["kinds"], kind)
    if not parameters:
        return None if names is None else [metric(name) for name in names]
    listed = names or (filter(FAMILIES.can_load, metric_names()) if kind is None else default_metrics(kind))
    if not names and not named:
        listed = [name for name in listed if not FAMILIES.facts(name)["compares_names"]]
    takes = {name: _own_parameters(name, parameters) for name in listed}
    for key in parameters:
        if not any(key in keys for keys in takes.values()):
            raise CaesuraError(f"--{key.replace('_', '-')} belongs to no metric chosen here.")
    return with_parameters(names or [name for name, keys in takes.items() if keys], parameters)


def _own_parameters(name: str, parameters: Mapping[str, Any]) -> list[str]:
    """Return the parameters that a metric has; if its own default is a string, a number of that name belongs to another metric."""
    known = metric(name).parameters
    return [k for k, v in parameters.items() if k in known and (isinstance(v, str) or not isinstance(known[k], str))]


def ignore_extra_items(wanted: str | Metric | Iterable[str | Metric] | None) -> bool:
    """Tell whether all metrics score the recordings of the reference only, as those of diarization do."""
    listed = [] if wanted is None else listed_metrics(wanted)
    return bool(listed) and all(metric(name).family.ignores_extra_items for name in listed)


def describe_unmeasured_names(metrics: Iterable[Metric], reference: bool, hypothesis: bool) -> list[str]:
    """Return a sentence if segments have names on these sides and no metric compares them."""
    if not (reference or hypothesis) or any(chosen.family.compares_names for chosen in metrics):
        return []
    if reference and hypothesis:
        *most, last = next(titles for location, _, titles in _BUILT_IN if location.endswith(":NamedSegments"))
        return [f"segments have names, which no metric chosen here compares; {', '.join(most)} and {last} do."]
    which = "reference" if reference else "hypothesis"
    return [f"only the {which} gives its segments names, so that no metric can compare them."]
