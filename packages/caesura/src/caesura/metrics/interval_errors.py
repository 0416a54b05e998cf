r"""Errors of forced aligners: how far starts and ends of intervals (phones, words) are off, in milliseconds.

Intervals are paired by their names, in order: as many equal names as possible, then the least :math:`\sum |\Delta start|`, then the least
:math:`\sum |\Delta end|`; starts that are more than ``reach`` apart are never paired. ``pairing=cost`` takes the pairs of least cost as the
Montreal Forced Aligner does (see :mod:`caesura.metrics.interval_pairing`). Segments without a name are gaps.

For a pair of intervals, the onset error is start(hypothesis) - start(reference), the offset error the same for ends, and the duration
error the same for lengths: **above 0 the hypothesis is late, or longer**.

=========================  ========================================================================================
``onset-mean``             mean of the absolute errors; ``-bias`` of the errors with their signs
``onset-median``           half of the absolute errors are at most this large; ``-p90``, ``-p95``, ``-p99``
``onset-sd``               standard deviation of the errors (divided by n - 1); ``-rmse`` root of their mean square
``onset-within-20ms``      share of *all* reference intervals whose error is at most 20 ms
``interval-overlap``       mean of intersection over union, 0 for an unpaired reference interval
``interval-matched``       share of the reference intervals that have a partner
=========================  ========================================================================================

and the same for offsets. Percentiles are computed from a histogram (see :mod:`caesura.metrics.displacement`), so that they can be pooled
and resampled; the 99th needs 100 pairs. The limit of ``within`` may be any whole number of ms up to 100, or 150, 200, 250, 300, 500, 1000.

References
----------
McAuliffe et al. 2017, Montreal Forced Aligner; Hosom 2009, Speaker-independent phoneme alignment using transition-dependent states.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.kernels import load
from caesura.metrics.batch import Batch, as_readonly_contiguous
from caesura.metrics.displacement import MIDWAY, ROUNDED, percentile
from caesura.metrics.family import Family, Numbers, Parts, Rows, Score, choose, parameter, share_or_undefined
from caesura.metrics.interval_pairing import (
    SILENCES,
    Cost,
    NamedIntervals,
    intervals_of,
    name_prices,
    pair_by_cost,
    pair_by_names,
    reach_in_seconds,
    silent_names,
)
from caesura.metrics.label_map import LabelMap
from caesura.metrics.time_grid import check_fits_grid, grid
from caesura.validation import one_of

#: How intervals are paired: by equal names, or at the least cost.
Pairing: TypeAlias = Literal["names", "cost"]

#: Limits of the shares, in ms.
LIMITS = (*range(1, 101), 150, 200, 250, 300, 500, 1000)
_SHOWN_LIMITS = (5, 10, 15, 20, 25, 50, 100)  # those in the catalogue; others are made on demand
_RESOLUTION = 1e-7
_EDGES = ("onset", "offset")
_FEWEST_FOR_P99 = 100

_FIELDS = ["reference", "hypothesis", "paired", "overlap", "duration_distance", "duration_shift"] + [
    f"{edge}_{what}"
    for edge in _EDGES
    for what in (
        ["compared", "distance", "shift", "squared"]
        + [f"within_{limit}" for limit in LIMITS]
        + [f"rounded_{number}" for number in range(len(ROUNDED))]
    )
]
#: Intervals, pairs, sums of errors in ms, those within limits, and histograms.
IntervalCounts = namedtuple("IntervalCounts", _FIELDS)  # type: ignore[misc]  # hundreds of fields, built in a loop
_PLACE = {name: number for number, name in enumerate(_FIELDS)}


def _columns(*names: str) -> Any:
    places = [_PLACE[name] for name in names]
    return lambda c: tuple(c[place] for place in places)


def _histogram(edge: str) -> Any:
    first = _PLACE[f"{edge}_rounded_0"]
    return lambda c: tuple(c[first : first + len(ROUNDED)])


def _rare_percentile(percent: float, *counted: Numbers) -> Numbers:
    """Return a percentile, NaN below 100 errors."""
    return np.where(sum(counted) >= _FEWEST_FOR_P99 - 1e-9, percentile(percent, *counted), np.nan)


def _deviation(shift: Numbers, squared: Numbers, compared: Numbers) -> Numbers:
    some = np.asarray(compared) > 1
    size = np.where(some, compared, 2.0)
    variance = np.maximum(squared - np.square(shift) / size, 0.0) / (size - 1)
    return choose(compared > 1, np.sqrt(variance), np.nan)


def _root_mean_square(squared: Numbers, compared: Numbers) -> Numbers:
    return np.sqrt(share_or_undefined(squared, compared))


_LOW: dict[str, Any] = {"higher_is_better": False, "best": 0.0, "bounds": (0.0, np.inf)}


@cache
def _within(name: str) -> Score:
    """Return the score of a share, ``onset-within-20ms``."""
    edge, limit = name.split("-within-")[0], name.removesuffix("ms").rpartition("-")[2]
    parts = _columns(f"{edge}_within_{limit}", "reference")
    about = f"Share of all reference intervals whose {edge} is off by {limit} ms at most."
    return Score(f"{edge}s within {limit} ms", about, parts, share_or_undefined, symmetric=False)


class _Scores(dict[str, Score]):
    """The scores by name; shares within other limits are made when they are asked for."""

    def __missing__(self, name: str) -> Score:
        edge, _, limit = name.partition("-within-")
        if edge in _EDGES and limit.endswith("ms"):
            if limit[:-2] not in map(str, LIMITS):
                raise CaesuraError(
                    f"{name}: the limit is a whole number of ms up to 100, or 150, 200, 250, 300, 500 or 1000."
                )
            return _within(name)
        raise KeyError(name)


def _of_edge(edge: str) -> dict[str, Score]:
    what = {"onset": "starts", "offset": "ends"}[edge]
    of = partial(_columns)
    return {
        f"{edge}-mean": Score(
            f"mean {edge} error, ms", f"Mean absolute error of the {what} of paired intervals, in ms.",
            of(f"{edge}_distance", f"{edge}_compared"), share_or_undefined, **_LOW,
        ),
        f"{edge}-bias": Score(
            f"{edge} bias, ms", f"Mean error of the {what} with its sign: above 0 the hypothesis is late.",
            of(f"{edge}_shift", f"{edge}_compared"), share_or_undefined,
            higher_is_better=False, best=0.0, bounds=(-np.inf, np.inf), symmetric=False,
        ),
        f"{edge}-sd": Score(
            f"standard deviation of {edge} errors, ms", f"Standard deviation of the errors of the {what}, in ms.",
            of(f"{edge}_shift", f"{edge}_squared", f"{edge}_compared"), _deviation, **_LOW,
        ),
        f"{edge}-rmse": Score(
            f"root mean square of {edge} errors, ms", f"Root of the mean square of the errors of the {what}, in ms.",
            of(f"{edge}_squared", f"{edge}_compared"), _root_mean_square, **_LOW,
        ),
        **{
            f"{edge}-{name}": Score(
                f"{title} of {edge} errors, ms", f"{share} of the {what} are off by this much or less.",
                _histogram(edge), partial(_rare_percentile if name == "p99" else percentile, percent), **_LOW,
            )
            for name, title, share, percent in (
                ("median", "median", "Half", 50.0), ("p90", "90th percentile", "90 %", 90.0),
                ("p95", "95th percentile", "95 %", 95.0), ("p99", "99th percentile", "99 %", 99.0),
            )
        },
        **{f"{edge}-within-{limit}ms": _within(f"{edge}-within-{limit}ms") for limit in _SHOWN_LIMITS},
    }  # fmt: skip


@dataclass(frozen=True)
class _PairedIntervals(Family):
    """Families that pair named intervals of recordings."""

    kinds = frozenset({"time"})
    compares_names = True
    pairs_names = True

    def prepare(self, batch: Batch) -> Batch:
        """Reject other kinds, annotations without names, and recordings too long for the grid."""
        ready = super().prepare(batch)
        check_fits_grid(batch.lengths, _RESOLUTION)
        return ready


class PairedErrors(NamedTuple):
    """The intervals of one recording, the partner of each of the reference (or -1), and the errors of the pairs in ms."""

    reference: NamedIntervals
    hypothesis: NamedIntervals
    partner: NDArray[np.int64]
    onset: NDArray[np.float64]  # NaN without a partner, or if it is left out
    offset: NDArray[np.float64]
    overlap: NDArray[np.float64]  # intersection over union, 0 without a partner


@dataclass(frozen=True)
class IntervalErrors(_PairedIntervals):
    """Errors of starts and ends of named intervals.

    Parameters
    ----------
    pairing : {"names", "cost"}, default "names"
        Pair equal names, or intervals at the least cost as MFA does.
    mapping : str, path or dict, default ""
        A map of names, see :class:`~caesura.metrics.label_map.LabelMap`.
    reach : float, default 5.0
        Intervals whose starts are farther apart, in seconds, are not paired by names; ``inf`` pairs all.
    edges : {"in", "out"}, default "in"
        Whether starts and ends at the very beginning and end of a recording count.
    cost : {"mfa", "kalpy"}, default "mfa"
        The costs of ``pairing=cost``: of MFA up to 3.2, or from 3.3 on.
    silences : str, default "sil sp <eps> <p:> pau h#"
        Names of silence for ``pairing=cost``, separated by blanks.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> from caesura.metrics import metric
    >>> gold = Segmentation.from_times([0.10, 0.20, 0.30], length=0.4, names=["sil", "a", "t", "sil"])
    >>> aligner = Segmentation.from_times([0.11, 0.20, 0.34], length=0.4, names=["sil", "a", "t", "sil"])
    >>> round(metric("onset-mean")(gold, aligner), 3), metric("offset-within-15ms")(gold, aligner)
    (12.5, 0.75)
    """

    pairing: Pairing = parameter("pair", "names", one_of("names", "cost"))
    mapping: Any = parameter("map", "")
    reach: float = parameter("reach", 5.0)
    edges: Literal["in", "out"] = parameter("edges", "in", one_of("in", "out"))
    cost: Cost = parameter("cost", "mfa", one_of("mfa", "kalpy"), silent=True)
    silences: str = parameter("sil", SILENCES, silent=True)

    counts = IntervalCounts
    scores = _Scores(
        {
            **_of_edge("onset"),
            **_of_edge("offset"),
            "duration-mean": Score(
                "mean duration error, ms", "Mean absolute difference of the lengths of paired intervals, in ms.",
                _columns("duration_distance", "paired"), share_or_undefined, **_LOW,
            ),
            "duration-bias": Score(
                "duration bias, ms", "Mean difference of the lengths of paired intervals: above 0 those of the hypothesis are longer.",
                _columns("duration_shift", "paired"), share_or_undefined,
                higher_is_better=False, best=0.0, bounds=(-np.inf, np.inf), symmetric=False,
            ),
            "interval-overlap": Score(
                "mean overlap of intervals", "Mean intersection over union of reference intervals and their partners, 0 without one.",
                _columns("overlap", "reference"), share_or_undefined, symmetric=False,
            ),
            "interval-matched": Score(
                "share of intervals with a partner", "Share of the reference intervals that have a partner.",
                _columns("paired", "reference"), share_or_undefined, symmetric=False,
            ),
        }
    )  # fmt: skip
    opt_in_kinds = {"time": "these errors evaluate aligners, which place known names in a recording"}
    paper = "McAuliffe et al. 2017, Montreal Forced Aligner; Hosom 2009 for the shares"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "mapping", LabelMap.of(self.mapping))
        object.__setattr__(self, "reach", reach_in_seconds(self.reach))
        object.__setattr__(self, "silences", silent_names(self.silences))

    def count(self, batch: Batch) -> Rows:
        """Pair the intervals of every recording and add up their errors."""
        rows = np.zeros((len(batch), len(_FIELDS)))
        for pair in range(len(batch)):
            errors = self.errors(batch, pair)
            rows[pair] = tally_errors(errors, np.ones(len(errors.partner), bool), len(errors.hypothesis.names))
        return rows

    def errors(self, batch: Batch, pair: int) -> PairedErrors:
        """Pair the intervals of one recording and return their errors."""
        length, scale = float(batch.lengths[pair]), grid(_RESOLUTION)
        ref = intervals_of(batch.reference, pair, length, scale, self.mapping, "ref")
        hyp = intervals_of(batch.hypothesis, pair, length, scale, self.mapping, "hyp")
        return self.errors_of(ref, hyp, scale, length)

    def errors_of(self, ref: NamedIntervals, hyp: NamedIntervals, scale: float, length: float) -> PairedErrors:
        """Pair two rows of intervals in ticks and return their errors."""
        if self.pairing == "names":
            partner = pair_by_names(ref, hyp, self.mapping, self.reach * scale)
        else:
            silent = self.silences.split()
            partner, _ = pair_by_cost(ref.in_seconds(scale), hyp.in_seconds(scale), self.mapping, silent, self.cost)
        paired = np.flatnonzero(partner >= 0)
        mate = partner[paired]
        onset, offset, overlap = np.full(len(partner), np.nan), np.full(len(partner), np.nan), np.zeros(len(partner))
        ms = 1000.0 / scale
        onset[paired] = ((hyp.starts[mate] - ref.starts[paired]) * ms).round(9)
        offset[paired] = ((hyp.ends[mate] - ref.ends[paired]) * ms).round(9)
        common = np.minimum(ref.ends[paired], hyp.ends[mate]) - np.maximum(ref.starts[paired], hyp.starts[mate])
        union = np.maximum(ref.ends[paired], hyp.ends[mate]) - np.minimum(ref.starts[paired], hyp.starts[mate])
        overlap[paired] = np.maximum(common, 0) / np.maximum(union, 1)
        if self.edges == "out":
            onset[ref.starts == 0] = np.nan
            offset[ref.ends == round(length * scale)] = np.nan
        return PairedErrors(ref, hyp, partner, onset, offset, overlap)


def tally_errors(errors: PairedErrors, kept: NDArray[np.bool_], hypothesis: int) -> NDArray[np.float64]:
    """Return the fields of IntervalCounts for some of the reference intervals."""
    paired = kept & (errors.partner >= 0)
    mate = errors.partner[paired]
    ref, hyp = errors.reference, errors.hypothesis
    row = np.zeros(len(_FIELDS))
    ticks = grid(_RESOLUTION) / 1000.0
    longer = ((hyp.ends[mate] - hyp.starts[mate]) - (ref.ends[paired] - ref.starts[paired])) / ticks
    row[:6] = kept.sum(), hypothesis, paired.sum(), errors.overlap[kept].sum(), np.abs(longer).sum(), longer.sum()
    at = 6
    for values in (errors.onset[paired], errors.offset[paired]):
        off = values[~np.isnan(values)]
        size = np.abs(off)
        upto = np.searchsorted(np.sort(size), np.array(LIMITS) + 1e-9, "right")
        bins = np.bincount(np.searchsorted(MIDWAY, size), minlength=len(ROUNDED))
        part = np.concatenate(([len(off), size.sum(), off.sum(), np.square(off).sum()], upto, bins))
        row[at : at + len(part)] = part
        at += len(part)
    return row


# ---------------------------------------------------------------------- names


class PhoneCounts(NamedTuple):
    """Weighted edits, their kinds, reference phones, and the distances of paired intervals in seconds."""

    errors: Numbers
    substitutions: Numbers
    deletions: Numbers
    insertions: Numbers
    reference: Numbers
    distance: Numbers
    aligned: Numbers


def _per_phone(name: str) -> Any:
    def parts(c: PhoneCounts) -> Parts:
        return getattr(c, name), c.reference

    return parts


@dataclass(frozen=True)
class PhoneErrors(_PairedIntervals):
    r"""Phone error rate, and the scores that the Montreal Forced Aligner prints.

    ``phone-error`` is (substitutions + deletions + insertions) / reference phones, by edit distance of the names without silences.
    ``phone-error:like=mfa`` is MFA's: (insertions + deletions + 2 substitutions) / reference intervals with silences, on pairs of least
    cost. ``alignment-score`` is MFA's mean of (|start difference| + \|end difference|) / 2 over these pairs, without silences of the reference, in seconds.

    Parameters
    ----------
    mapping : str, path or dict, default ""
        A map of names, see :class:`~caesura.metrics.label_map.LabelMap`.
    silences : str, default "sil sp <eps> <p:> pau h#"
        Names of silence, separated by blanks.
    like : {"edits", "mfa"}, default "edits"
        Count edits of names, or errors of paired intervals as MFA does.
    cost : {"mfa", "kalpy"}, default "mfa"
        MFA's costs of pairs: those up to version 3.2, or from 3.3 on.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> from caesura.metrics import metric
    >>> gold = Segmentation.from_times([0.10, 0.20, 0.30], length=0.4, names=["sil", "a", "t", "sil"])
    >>> aligner = Segmentation.from_times([0.11, 0.20, 0.34], length=0.4, names=["sil", "a", "d", "sil"])
    >>> metric("phone-error")(gold, aligner), round(metric("alignment-score")(gold, aligner), 4)
    (0.5, 0.0125)
    """

    mapping: Any = parameter("map", "")
    silences: str = parameter("sil", SILENCES)
    like: Literal["edits", "mfa"] = parameter("like", "edits", one_of("edits", "mfa"))
    cost: Cost = parameter("cost", "mfa", one_of("mfa", "kalpy"), silent=True)

    counts = PhoneCounts
    scores = {
        "phone-error": Score(
            "phone error rate", "Substitutions, deletions and insertions of names, over the reference phones.",
            _per_phone("errors"), share_or_undefined, symmetric=False, **_LOW,
        ),
        **{
            f"phone-error-{kind}": Score(
                f"{kind} per phone", f"{kind.capitalize()} of names, over the reference phones.",
                _per_phone(kind), share_or_undefined, symmetric=False, **_LOW,
            )
            for kind in ("substitutions", "deletions", "insertions")
        },
        "alignment-score": Score(
            "alignment score of MFA, s", "Mean distance of the starts and ends of paired phones, in seconds, as MFA prints it.",
            lambda c: (c.distance, c.aligned), share_or_undefined, symmetric=False, fixed={"like": "mfa"}, **_LOW,
        ),
    }  # fmt: skip
    opt_in_kinds = {"time": "names differ where phone sets do"}
    paper = "McAuliffe et al. 2017, Montreal Forced Aligner; Levenshtein 1966 for the edit distance"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "mapping", LabelMap.of(self.mapping))
        object.__setattr__(self, "silences", silent_names(self.silences))

    def count(self, batch: Batch) -> Rows:
        """Count the errors of every recording."""
        rows = np.zeros((len(batch), len(PhoneCounts._fields)))
        scale = grid(_RESOLUTION)
        for pair, length in enumerate(batch.lengths.tolist()):
            ref = intervals_of(batch.reference, pair, length, scale, self.mapping, "ref")
            hyp = intervals_of(batch.hypothesis, pair, length, scale, self.mapping, "hyp")
            rows[pair] = self.count_intervals(ref, hyp, scale)
        return rows

    def count_intervals(self, ref: NamedIntervals, hyp: NamedIntervals, scale: float) -> tuple[float, ...]:
        """Return the fields of PhoneCounts for two rows of intervals in ticks."""
        silent = frozenset(self.silences.split())
        if self.like == "mfa":
            return self._mfa(ref.in_seconds(scale), hyp.in_seconds(scale), silent)
        ours, theirs = ([name for name in row.names if name not in silent] for row in (ref, hyp))
        edits, subs, dels, ins = edits_of_names(ours, theirs, self.mapping)
        return edits, subs, dels, ins, len(ours), 0.0, 0.0

    def _mfa(self, ref: NamedIntervals, hyp: NamedIntervals, silent: frozenset[str]) -> tuple[float, ...]:
        partner, _ = pair_by_cost(ref, hyp, self.mapping, silent, self.cost)
        subs = dels = 0
        distance = aligned = 0.0
        for i, j in enumerate(partner.tolist()):
            if ref.names[i] in silent:
                continue
            if j < 0:
                dels += 1
                continue
            distance += (abs(ref.starts[i] - hyp.starts[j]) + abs(ref.ends[i] - hyp.ends[j])) / 2
            aligned += 1
            # while counting, names that differ in case only are the same, also in kalpy
            subs += bool(name_prices([ref.names[i]], [hyp.names[j]], silent, self.mapping)[0, 0] > 0)
        paired = set(partner.tolist())
        ins = sum(name not in silent for j, name in enumerate(hyp.names) if j not in paired)
        return ins + dels + 2 * subs, subs, dels, ins, len(ref.names), distance, aligned


def edits_of_names(ref: list[str], hyp: list[str], mapping: LabelMap) -> tuple[int, int, int, int]:
    """Return the least number of edits, and its substitutions, deletions and insertions.

    The search stays near the diagonal, in a band that is doubled until it provably contains the best path: O(length · edits) steps.
    """
    code: tuple[dict[str, int], dict[str, int]] = ({}, {})
    ours, theirs = (
        as_readonly_contiguous(np.array([known.setdefault(name, len(known)) for name in names], np.int64))
        for known, names in zip(code, (ref, hyp), strict=True)
    )
    if not len(ref) or not len(hyp):
        return max(len(ref), len(hyp)), 0, len(ref), len(hyp)
    same = as_readonly_contiguous(mapping.same(list(code[0]), list(code[1])))
    widest, out = max(32, abs(len(ref) - len(hyp)) + 1), np.zeros(4, np.int64)
    while True:
        load("intervals").edit_distance(ours, theirs, same, widest, out)
        if out[0] <= widest or widest >= max(len(ref), len(hyp)):
            edits, subs, dels, ins = out.tolist()
            return edits, subs, dels, ins
        widest *= 2
