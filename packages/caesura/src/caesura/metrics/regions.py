r"""Score boundaries in time by search regions: hit rate, over-segmentation, precision, recall, F and the R-value.

A region of ± ``tolerance`` lies around every reference boundary; where two would overlap, both end half-way between their
boundaries. A region that contains a hypothesis is a hit, further hypotheses in it and all outside are insertions, an empty one is
a deletion. So *hits + insertions* = N_f (hypotheses) and *hits + deletions* = N_ref, always. With them

.. math:: HR = 100 \frac{N_{hit}}{N_{ref}}, \quad OS = 100 \left(\frac{N_f}{N_{ref}} - 1\right), \quad
          PRC = \frac{N_{hit}}{N_f}, \quad RCL = \frac{N_{hit}}{N_{ref}}, \quad F = \frac{2\,PRC\,RCL}{PRC + RCL}

.. math:: r_1 = \sqrt{(100 - HR)^2 + OS^2}, \quad r_2 = \frac{-OS + HR - 100}{\sqrt 2}, \quad
          R = 1 - \frac{|r_1| + |r_2|}{200}

Räsänen, Laine & Altosaar (2009): An improved speech segmentation quality measure: the R-value. Interspeech.

Times are compared on an integer grid (``resolution``, 100 ns), so that 0.02 s means 0.02 s. Without reference boundaries the
scores that divide by N_ref are undefined: NaN, with an :class:`~caesura.errors.UndefinedScore` warning. This is the only family
that does not return 1.0 if both sides are empty, because adding a silent recording to a corpus must not change a pooled rate.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isnan, nan, sqrt
from typing import Any, Literal, NamedTuple, TypeAlias, TypeGuard, overload

import numpy as np
from numpy.typing import NDArray

from caesura.display.result import Result
from caesura.display.table import Table
from caesura.errors import CaesuraError
from caesura.kernels import load
from caesura.kernels.regions import RegionRule
from caesura.metrics.batch import Batch
from caesura.metrics.family import (
    Family,
    Numbers,
    Parts,
    Rows,
    Score,
    Single,
    parameter,
    share,
    warn_if_zero,
    warn_undefined,
)
from caesura.metrics.time_grid import (
    LARGEST_TICK,
    Times,
    as_times,
    check_fits_grid,
    grid,
    half_width,
    plain_times,
    ticks,
    tolerance_text,
)
from caesura.model import Segmentation
from caesura.model.conversion import validate_length
from caesura.model.corpus import Kind
from caesura.validation import validate_choice

#: How hypotheses are assigned to reference boundaries: by the paper's regions, by the largest one-to-one matching (as in mir_eval), or
#: to anything within the tolerance, any number of times (as several speech repositories count; it inflates scores).
Matching: TypeAlias = Literal["regions", "optimal", "lenient"]
#: Whose region a hypothesis exactly half-way between two boundaries belongs to.
Tie: TypeAlias = Literal["earlier", "later"]
#: Whether boundaries at the very start and end of a recording count.
Edges: TypeAlias = Literal["out", "in"]

_MATCHINGS = ("regions", "optimal", "lenient")  # the index is the code that the kernel takes
_ROOT_OF_TWO = sqrt(2.0)
_MISSING: Any = object()


class RegionCounts(NamedTuple):
    """Reference boundaries that were hit, hypotheses that hit one (the same number, unless lenient), and the boundaries of each side."""

    hits: Numbers
    correct: Numbers
    reference: Numbers
    hypothesis: Numbers


def hits_of_reference(c: RegionCounts) -> Parts:
    """Return hits and reference boundaries."""
    return c.hits, c.reference


def correct_of_hypotheses(c: RegionCounts) -> Parts:
    """Return correct hypotheses and all hypotheses."""
    return c.correct, c.hypothesis


def hypotheses_of_reference(c: RegionCounts) -> Parts:
    """Return hypotheses and reference boundaries."""
    return c.hypothesis, c.reference


def hits_and_hypotheses(c: RegionCounts) -> Parts:
    """Return the three counts that R depends on."""
    return c.hits, c.reference, c.hypothesis


# ---------------------------------------------------------------------- the formulas, for numbers and for arrays


def r_value(hit_rate: Any, over_segmentation: Any) -> Any:
    """Compute R (equation 8) from a hit rate and an over-segmentation.

    Parameters
    ----------
    hit_rate, over_segmentation : float or array-like
        Both in percent.

    Returns
    -------
    float or ndarray
        1.0 at best; negative values are possible.

    Examples
    --------
    >>> round(float(r_value(100, 0)), 4), round(float(r_value(0, -100)), 4)
    (1.0, 0.2929)
    """
    return _r(np.asarray(hit_rate, np.float64), np.asarray(over_segmentation, np.float64))


def _ratio(above: Numbers, below: Numbers) -> Numbers:
    return share(above, below, nan)


def _hit_rate(hits: Numbers, reference: Numbers) -> Numbers:
    return 100.0 * share(hits, reference, nan)


def _miss_rate(hits: Numbers, reference: Numbers) -> Numbers:
    return 100.0 - _hit_rate(hits, reference)


def _over_segmentation(hypothesis: Numbers, reference: Numbers) -> Numbers:
    return 100.0 * (share(hypothesis, reference, nan) - 1.0)


def _false_alarm_rate(correct: Numbers, hypothesis: Numbers) -> Numbers:
    return 100.0 * (1.0 - share(correct, hypothesis, nan))


def _f_measure(hits: Numbers, correct: Numbers, reference: Numbers, hypothesis: Numbers) -> Numbers:
    """F, equation 5; 0 if nothing was predicted."""
    recall, precision = _ratio(hits, reference), share(correct, hypothesis, 0.0)
    # 1e-300 only avoids dividing by 0: the numerator is 0 as well then
    if type(reference) is float:
        return recall if isnan(recall) else 2.0 * precision * recall / max(precision + recall, 1e-300)
    return np.where(np.isnan(recall), np.nan, 2.0 * precision * recall / np.maximum(precision + recall, 1e-300))


def _r1(hr: Numbers, os: Numbers) -> Numbers:
    missed = 100.0 - hr
    squares = missed * missed + os * os
    return sqrt(squares) if type(squares) is float else np.sqrt(squares)  # math.sqrt is ten times as fast on a float


def _r2(hr: Numbers, os: Numbers) -> Numbers:
    return (-os + hr - 100.0) / _ROOT_OF_TWO


def _r(hr: Numbers, os: Numbers) -> Numbers:
    return 1.0 - (abs(_r1(hr, os)) + abs(_r2(hr, os))) / 200.0


def _r_of_counts(hits: Numbers, reference: Numbers, hypothesis: Numbers) -> Numbers:
    return _r(_hit_rate(hits, reference), _over_segmentation(hypothesis, reference))


def _per_reference(formula: Callable[..., Numbers], divisor: int = 1) -> Callable[..., Numbers]:
    return warn_if_zero(formula, divisor, "reference boundaries")


def _per_hypothesis(formula: Callable[..., Numbers]) -> Callable[..., Numbers]:
    return warn_if_zero(formula, 1, "hypotheses")


#: R (8) of hits, reference boundaries and hypotheses; NaN with a warning if there is no reference boundary.
r_of_counts = _per_reference(_r_of_counts)


# ---------------------------------------------------------------------- the family


@dataclass(frozen=True)
class SearchRegions(Family):
    """Search regions around the boundaries of recordings; parameters as in :func:`region_scores`.

    Examples
    --------
    >>> from caesura.metrics import metric
    >>> gold = Segmentation.from_times([0.10, 0.13], length=0.3)
    >>> round(metric("R")(gold, Segmentation.from_times([0.115], length=0.3)), 4)
    0.6464
    """

    tolerance: float = parameter("tol", 0.02)
    matching: Matching = parameter("match", "regions")
    tie: Tie = parameter("tie", "earlier")
    edges: Edges = parameter("edges", "out")
    resolution: float = parameter("res", 1e-7)

    counts = RegionCounts
    scores = {
        "R": Score(
            "R-value", "R-value (8): how near a segmenter comes to finding everything and nothing else; 1 at best, below 0 far from it.",
            hits_and_hypotheses, r_of_counts, bounds=(-np.inf, 1.0),
        ),
        "hit-rate": Score(
            "hit rate, %", "Hit rate (1): percentage of reference boundaries that were found.",
            hits_of_reference, _per_reference(_hit_rate), best=100.0, bounds=(0.0, 100.0),
        ),
        "over-segmentation": Score(
            "over-segmentation, %",
            "Over-segmentation (2): how many more boundaries than there are, in percent; below 0 for fewer. 0 is best.",
            hypotheses_of_reference, _per_reference(_over_segmentation), higher_is_better=False, best=0.0, bounds=(-100.0, np.inf),
        ),
        "region-precision": Score(
            "precision within the tolerance", "Precision (3) within the tolerance; NaN where nothing was predicted.",
            correct_of_hypotheses, _per_hypothesis(_ratio),
        ),
        "region-recall": Score(
            "recall within the tolerance", "Recall (4) within the tolerance.", hits_of_reference, _per_reference(_ratio),
        ),
        "region-F": Score(
            "F within the tolerance",
            "F (5) within the tolerance: the harmonic mean of precision and recall; 0 where nothing was predicted.",
            tuple, _per_reference(_f_measure, 2),
        ),
        "miss-rate": Score(
            "miss rate, %", "Miss rate: percentage of reference boundaries that were not found, 100 - HR.",
            hits_of_reference, _per_reference(_miss_rate), higher_is_better=False, best=0.0, bounds=(0.0, 100.0),
        ),
        "false-alarm-rate": Score(
            "false alarm rate, %",
            "False alarm rate: percentage of hypotheses that found nothing, 100 (1 - PRC); NaN where nothing was predicted.",
            correct_of_hypotheses, _per_hypothesis(_false_alarm_rate), higher_is_better=False, best=0.0, bounds=(0.0, 100.0),
        ),
    }  # fmt: skip
    kinds = frozenset({"time"})
    symmetric = False
    paper = "Räsänen, Laine & Altosaar 2009, An Improved Speech Segmentation Quality Measure: the R-value"

    def __post_init__(self) -> None:
        object.__setattr__(self, "tolerance", half_width(self.tolerance))
        check_rule(self.matching, self.tie, self.edges)
        grid(self.resolution)

    def summarize(self, counts: RegionCounts) -> str:
        """Return a sentence with hits, insertions and deletions."""
        hits, correct, n_ref, n_hyp = map(int, counts)
        edits = f"{hits} hits, {n_hyp - correct} insertions, {n_ref - hits} deletions"
        return f"{tolerance_text(self.tolerance)}: {edits} (reference {n_ref}, hypothesis {n_hyp})"

    def prepare(self, batch: Batch) -> Batch:
        """Reject annotations that are not in time, and recordings too long for the grid."""
        ready = super().prepare(batch)
        check_fits_grid(batch.lengths, self.resolution)
        return ready

    def count(self, batch: Batch) -> Rows:
        """Count hits and boundaries of every pair."""
        out = np.empty((len(batch), 4))
        load("regions").count_matched(*batch.columns, self.rule(edges=self.edges == "in"), out)
        return out

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single:
        """Return the kernel that counts one pair of recordings."""
        return Single(load("fused").pair_regions, (*self.rule(edges=self.edges == "in"), float(LARGEST_TICK)))

    def rule(self, *, edges: bool) -> RegionRule:
        """Return the parameters as kernels take them; ``edges`` keeps boundaries at the ends of recordings."""
        scale = grid(self.resolution)
        code = _MATCHINGS.index(self.matching)
        return RegionRule(ticks(self.tolerance, scale), scale, self.tie == "later", edges, code)


@dataclass(frozen=True)
class MatchedBoundaries(SearchRegions):
    """The largest one-to-one matching of boundaries within a tolerance, which is the same from both sides, so that it compares coders.

    .. math:: F = \\frac{2 h}{n + m}

    for h matched boundaries of n and m; without boundaries on either side it is undefined. It is ``region-F:matching=optimal``.

    Examples
    --------
    >>> from caesura.metrics import metric
    >>> ann, ben = (Segmentation.from_times(times, length=3.0) for times in ([0.5, 1.0], [0.53, 1.2, 2.0]))
    >>> metric("boundary-F:tolerance=0.05")(ann, ben)
    0.4
    """

    scores = {
        "boundary-F": Score(
            "F of the largest matching within the tolerance",
            "F of the largest one-to-one matching within the tolerance, 2 h / (n + m); the same from both sides.",
            lambda c: (2.0 * c.hits, c.reference + c.hypothesis), warn_if_zero(_ratio, 1, "boundaries on either side"),
            fixed={"matching": "optimal"},
        )
    }  # fmt: skip
    opt_in_kinds = {"time": "region-F is the usual F of a system; boundary-F is its symmetric variant for coders"}
    symmetric = True


def check_rule(matching: Any, tie: Any, edges: Any) -> None:
    """Raise an error if one of the options has an unknown value."""
    validate_choice("matching", matching, _MATCHINGS)
    validate_choice("tie", tie, ("earlier", "later"))
    validate_choice("edges", edges, ("out", "in"))


# ---------------------------------------------------------------------- one recording, in one call


@dataclass(frozen=True, repr=False, init=False)
class RegionScores(Result):
    """The counts of one comparison and every score of the paper.

    ``hit_rate``, ``over_segmentation``, ``miss_rate`` and ``false_alarm_rate`` are percentages, the other scores are not, as in the
    paper. Undefined scores are NaN. Two results with the same settings can be added, which pools them.

    Attributes
    ----------
    hits : int
        Reference boundaries that were found.
    correct : int
        Hypotheses that found one; different from ``hits`` only in lenient matching.
    n_ref, n_hyp : int
        Boundaries of the reference and of the hypothesis.
    tolerance : float
        Half the width of a region, in seconds.
    matching : {"regions", "optimal", "lenient"}
        How hypotheses were assigned to boundaries.
    """

    hits: int
    correct: int
    n_ref: int
    n_hyp: int
    tolerance: float
    matching: Matching = "regions"

    def __init__(
        self, hits: int, correct: int, n_ref: int, n_hyp: int, tolerance: float, matching: Matching = "regions"
    ) -> None:
        fields = {"hits": hits, "correct": correct, "n_ref": n_ref, "n_hyp": n_hyp, "tolerance": tolerance}
        # all at once: setting the fields of a frozen dataclass one by one would take a tenth of a call
        object.__setattr__(self, "__dict__", {**fields, "matching": matching})

    @property
    def insertions(self) -> int:
        """Hypotheses that found no boundary, or one that was found already."""
        return self.n_hyp - self.correct

    @property
    def deletions(self) -> int:
        """Reference boundaries that were not found."""
        return self.n_ref - self.hits

    @property
    def counts(self) -> NDArray[np.float64]:
        """The row of counts, which can be added over recordings."""
        return np.array([self.hits, self.correct, self.n_ref, self.n_hyp], dtype=np.float64)

    @property
    def hit_rate(self) -> float:
        """The hit rate HR, equation 1, in percent."""
        return float(_hit_rate(self.hits, float(self.n_ref)))

    @property
    def over_segmentation(self) -> float:
        """The over-segmentation OS, equation 2, in percent: -100 without hypotheses, 0 if both sides have the same number of boundaries."""
        return float(_over_segmentation(self.n_hyp, float(self.n_ref)))

    @property
    def precision(self) -> float:
        """The precision PRC, equation 3."""
        return float(_ratio(self.correct, float(self.n_hyp)))

    @property
    def recall(self) -> float:
        """The recall RCL, equation 4."""
        return float(_ratio(self.hits, float(self.n_ref)))

    @property
    def f(self) -> float:
        """F, equation 5."""
        return float(_f_measure(self.hits, self.correct, float(self.n_ref), float(self.n_hyp)))

    @property
    def r1(self) -> float:
        """Distance to the target point (6)."""
        return float(_r1(self.hit_rate, self.over_segmentation))

    @property
    def r2(self) -> float:
        """Signed distance to the line without insertions (7)."""
        return float(_r2(self.hit_rate, self.over_segmentation))

    @property
    def r_value(self) -> float:
        """The R-value, equation 8."""
        return float(_r_of_counts(self.hits, float(self.n_ref), self.n_hyp))

    @property
    def miss_rate(self) -> float:
        """Percentage of reference boundaries that were not found: 100 - HR."""
        return float(_miss_rate(self.hits, float(self.n_ref)))

    @property
    def false_alarm_rate(self) -> float:
        """Percentage of hypotheses that found nothing: 100 (1 - PRC)."""
        return float(_false_alarm_rate(self.correct, float(self.n_hyp)))

    def __add__(self, other: RegionScores) -> RegionScores:
        """Pool two recordings: add their counts, then score the sums."""
        if (self.tolerance, self.matching) != (other.tolerance, other.matching):
            raise CaesuraError("scores of different tolerances or matchings do not add up; compare them separately.")
        hits, correct, n_ref, n_hyp = map(int, self.counts + other.counts)
        return RegionScores(hits, correct, n_ref, n_hyp, self.tolerance, self.matching)

    def tables(self) -> Sequence[Table]:
        """Return one table with the counts and every score; rates are in percent, as in the paper."""
        counts = (("hits", self.hits), ("insertions", self.insertions), ("deletions", self.deletions))
        scores = (
            ("hit rate, %", self.hit_rate),
            ("over-segmentation, %", self.over_segmentation),
            ("precision", self.precision),
            ("recall", self.recall),
            ("F", self.f),
            ("R", self.r_value),
        )
        caption = f"boundaries: hypothesis {self.n_hyp}, reference {self.n_ref}; {tolerance_text(self.tolerance)}, {self.matching}"
        return [Table(caption, ("score", "value"), (*counts, *scores))]

    def as_dict(self) -> dict[str, Any]:
        """Return counts and scores by name."""
        names = (
            "tolerance", "matching", "n_ref", "n_hyp", "hits", "insertions", "deletions", "hit_rate", "over_segmentation",
            "precision", "recall", "f", "r_value", "r1", "r2", "miss_rate", "false_alarm_rate",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}


@overload
def region_scores(
    reference: Times, hypothesis: Times, tolerance: float | str = ..., *, matching: Matching = ..., tie: Tie = ...,
    resolution: float = ..., edges: Edges = ..., length: float | None = ...,
) -> RegionScores: ...  # fmt: skip
@overload
def region_scores(
    reference: Times, hypothesis: Times, tolerance: Iterable[float], *, matching: Matching = ..., tie: Tie = ...,
    resolution: float = ..., edges: Edges = ..., length: float | None = ...,
) -> list[RegionScores]: ...  # fmt: skip
def region_scores(
    reference: Times = _MISSING,
    hypothesis: Times = _MISSING,
    tolerance: float | str | Iterable[float] = 0.02,
    *,
    matching: Matching = "regions",
    tie: Tie = "earlier",
    resolution: float = 1e-7,
    edges: Edges = "out",
    length: float | None = None,
    **deprecated: Any,
) -> RegionScores | list[RegionScores]:
    """Count hits, insertions and deletions of one recording's boundaries, and score them.

    Parameters
    ----------
    reference, hypothesis : Segmentation or sequence of float
        Times in seconds, in any order, or segmentations in time. A reference time given twice counts once, a hypothesis every
        time. (The names ``ref_times`` and ``hyp_times`` are deprecated.)
    tolerance : float, str or iterable of float, default 0.02
        Half the width of a region, in seconds (or ``"20ms"``; ``inf``: regions end half-way to the next boundary). Several values return a list of
        scores, one each.
    matching : {"regions", "optimal", "lenient"}, default "regions"
        "regions" (the paper), "optimal" (largest one-to-one matching) or "lenient" (boundaries and hypotheses may be reused).
    tie : {"earlier", "later"}, default "earlier"
        Which region a hypothesis belongs to that lies exactly half-way between two boundaries.
    resolution : float, default 1e-7
        The grid on which times are compared, in seconds.
    edges : {"out", "in"}, default "out"
        "out" leaves out boundaries at 0 and at the end of the recording, if its length is known.
    length : float, optional
        The length of the recording in seconds. Segmentations know theirs; plain lists without ``length`` are taken as they are.

    Returns
    -------
    RegionScores or list of RegionScores
        A list if ``tolerance`` has several values.

    Notes
    -----
    Without reference boundaries every score but precision is NaN, with a warning; without hypotheses
    HR = 0, OS = -100 and R = 1 - √2/2.

    Examples
    --------
    >>> scores = region_scores([0.10, 0.13], [0.09, 0.112], tolerance=0.02)
    >>> scores.hits, scores.insertions, scores.deletions, round(scores.r_value, 4)
    (1, 1, 1, 0.5732)
    """
    if deprecated or hypothesis is _MISSING:
        reference, hypothesis = _renamed_sides(reference, hypothesis, deprecated)
    if length is not None:
        length = float(validate_length(length))
    elif isinstance(reference, Segmentation):
        length = float(reference.length)
    elif isinstance(hypothesis, Segmentation):
        length = float(hypothesis.length)
    given = matching, tie, edges, resolution, edges == "in" or length is None
    if type(tolerance) is float or not _is_list(tolerance):
        scores = _score_times(reference, hypothesis, length, tolerance, given)
        if scores.n_ref == 0:
            warn_undefined("reference boundaries")
        return scores
    check_rule(matching, tie, edges)
    reference = as_times(reference, "reference", scale := grid(resolution))
    hypothesis = as_times(hypothesis, "hypothesis", scale)
    several = [_score_times(reference, hypothesis, length, each, given) for each in tolerance]
    if several and several[0].n_ref == 0:
        warn_undefined("reference boundaries")
    return several


def _score_times(ref: Times, hyp: Times, length: float | None, tolerance: Any, given: tuple[Any, ...]) -> RegionScores:
    try:
        seconds, rule = _cached_rule(tolerance, *given)
    except TypeError:  # a tolerance that cannot be hashed
        seconds, rule = _cached_rule.__wrapped__(tolerance, *given)
    hits, correct, n_ref, n_hyp = _count_times(ref, hyp, 0.0 if given[-1] else length, rule)
    return RegionScores(int(hits), int(correct), int(n_ref), int(n_hyp), seconds, given[0])


def _renamed_sides(reference: Times, hypothesis: Times, given: dict[str, Any]) -> tuple[Times, Times]:
    """Return both sides, given by the names that these parameters had until version 0.2."""
    reference, hypothesis = given.pop("ref_times", reference), given.pop("hyp_times", hypothesis)
    if given or reference is _MISSING or hypothesis is _MISSING:
        raise TypeError(f"region_scores() takes a reference and a hypothesis; unknown arguments: {sorted(given)}")
    warnings.warn(
        "ref_times and hyp_times are deprecated; use reference and hypothesis", DeprecationWarning, stacklevel=3
    )
    return reference, hypothesis


def _is_list(tolerance: Any) -> TypeGuard[Iterable[float]]:
    single = isinstance(tolerance, (int, float, str, np.number)) or not isinstance(tolerance, Iterable)
    return not single and getattr(tolerance, "ndim", 1) > 0


@lru_cache(maxsize=256, typed=True)
def _cached_rule(
    tolerance: Any, matching: Matching, tie: Tie, edges: Edges, resolution: float, keep: bool
) -> tuple[Any, ...]:
    """Return a tolerance in seconds and the rule as the kernel takes it, made once for all calls with these parameters."""
    family = SearchRegions(tolerance, matching, tie, edges, resolution)
    return family.tolerance, (*family.rule(edges=keep), float(LARGEST_TICK))


def _count_times(ref_times: Times, hyp_times: Times, length: float | None, rule: tuple[Any, ...]) -> Sequence[float]:
    """Count one recording; sorted times go straight to the kernel, which returns -1 for anything else."""
    count = load("fused").pair_regions
    ref, hyp = plain_times(ref_times), plain_times(hyp_times)
    if ref is not None and hyp is not None:
        seen, row = count(ref, hyp, length, *rule)
        if seen >= 0:
            return row  # type: ignore[no-any-return]
    ref, hyp = as_times(ref_times, "reference", rule[1]), as_times(hyp_times, "hypothesis", rule[1])
    seen, row = count(ref, hyp, length, *rule)
    if seen < 0:
        raise CaesuraError(f"a recording of {length:g} s does not fit a grid of {1 / rule[1]:g} s.")
    return row  # type: ignore[no-any-return]
