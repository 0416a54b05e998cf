"""Boundaries in time against search regions: hit rate, over-segmentation, precision, recall, F and the R-value.

A region of ± ``tolerance`` lies around every reference boundary; where two would overlap, both end half-way between their
boundaries. A region that holds a hypothesis is a hit, further hypotheses in it and all outside are insertions, an empty one is
a deletion. So *hits + insertions* = N_f (hypotheses) and *hits + deletions* = N_ref, always. With them

.. math:: HR = 100 \\frac{N_{hit}}{N_{ref}}, \\quad OS = 100 \\left(\\frac{N_f}{N_{ref}} - 1\\right), \\quad
          PRC = \\frac{N_{hit}}{N_f}, \\quad RCL = \\frac{N_{hit}}{N_{ref}}, \\quad F = \\frac{2\\,PRC\\,RCL}{PRC + RCL}

.. math:: r_1 = \\sqrt{(100 - HR)^2 + OS^2}, \\quad r_2 = \\frac{-OS + HR - 100}{\\sqrt 2}, \\quad
          R = 1 - \\frac{|r_1| + |r_2|}{200}

Räsänen, Laine & Altosaar (2009): An improved speech segmentation quality measure: the R-value. Interspeech.

Times are compared on an integer grid (``resolution``, 100 ns), so that 0.02 s means 0.02 s. Without reference boundaries the
scores that divide by N_ref are undefined: NaN, with an :class:`~caesura.errors.UndefinedScore` warning. This is the one family
where nothing on either side is not 1.0, because a pooled rate must not change when a silent recording joins the corpus.
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
from caesura.errors import CaesuraError, UndefinedScore
from caesura.kernels import load
from caesura.kernels.regions import RegionRule
from caesura.metrics.batch import Batch
from caesura.metrics.family import Family, Numbers, Parts, Rows, Score, Single, share, sign
from caesura.metrics.time_grid import LARGEST_TICK, Times, as_times, check_fits_grid, grid, plain_times, seconds, ticks
from caesura.model import Segmentation
from caesura.model.corpus import Kind
from caesura.model.marks import checked_length
from caesura.words import check_choice

#: How hypotheses are given to reference boundaries: the paper's regions, the largest one-to-one matching (as mir_eval), or
#: anything within the tolerance, used however often (as several speech repositories count: it inflates).
Matching: TypeAlias = Literal["regions", "optimal", "lenient"]
#: Whose region a hypothesis exactly half-way between two boundaries lies in.
Tie: TypeAlias = Literal["earlier", "later"]
#: Whether boundaries at the very start and end of a recording count.
Edges: TypeAlias = Literal["out", "in"]

_MATCHINGS = ("regions", "optimal", "lenient")  # the kernel knows them by number
_ROOT_OF_TWO = sqrt(2.0)


class RegionCounts(NamedTuple):
    """Reference boundaries that were hit, hypotheses that hit one (as many, unless lenient), and all of either side."""

    hits: Numbers
    correct: Numbers
    reference: Numbers
    hypothesis: Numbers


def hits_of_reference(c: RegionCounts) -> Parts:
    """What was found of what is there."""
    return c.hits, c.reference


def correct_of_hypotheses(c: RegionCounts) -> Parts:
    """What is right of what was said."""
    return c.correct, c.hypothesis


def hypotheses_of_reference(c: RegionCounts) -> Parts:
    """How much was said, against what is there."""
    return c.hypothesis, c.reference


def hits_and_hypotheses(c: RegionCounts) -> Parts:
    """What R needs."""
    return c.hits, c.reference, c.hypothesis


# ---------------------------------------------------------------------- the formulas, on sums of any shape


def r_value(hit_rate: Any, over_segmentation: Any) -> Any:
    """R (equation 8) of a hit rate and an over-segmentation, both in percent.

    >>> round(float(r_value(100, 0)), 4), round(float(r_value(0, -100)), 4)
    (1.0, 0.2929)
    """
    return _r_value(np.asarray(hit_rate, np.float64), np.asarray(over_segmentation, np.float64), np.sqrt)


def _r_value(hr: Numbers, os: Numbers, root: Callable[[Any], Any]) -> Numbers:
    missed = 100.0 - hr
    r1 = root(missed * missed + os * os)
    r2 = (-os + hr - 100.0) / _ROOT_OF_TWO
    return 1.0 - (abs(r1) + abs(r2)) / 200.0


def _per_reference(above: Numbers, reference: Numbers) -> Numbers:
    """Divide by reference boundaries; NaN with a warning where there are none."""
    if _any_zero(reference):
        _warn_undefined("reference boundaries")
    return share(above, reference, np.nan)


def _per_hypothesis(above: Numbers, hypothesis: Numbers) -> Numbers:
    """Divide by hypotheses; NaN with a warning where there are none."""
    if _any_zero(hypothesis):
        _warn_undefined("hypotheses")
    return share(above, hypothesis, np.nan)


def _hit_rate(hits: Numbers, reference: Numbers) -> Numbers:
    return 100.0 * _per_reference(hits, reference)


def _miss_rate(hits: Numbers, reference: Numbers) -> Numbers:
    return 100.0 - _hit_rate(hits, reference)


def _over_segmentation(hypothesis: Numbers, reference: Numbers) -> Numbers:
    return 100.0 * (_per_reference(hypothesis, reference) - 1.0)


def _false_alarm_rate(correct: Numbers, hypothesis: Numbers) -> Numbers:
    return 100.0 * (1.0 - _per_hypothesis(correct, hypothesis))


def r_of_counts(hits: Numbers, reference: Numbers, hypothesis: Numbers) -> Numbers:
    """R (8) of counts; NaN with a warning where there is no reference boundary."""
    hit_rate, over = _hit_rate(hits, reference), 100.0 * (share(hypothesis, reference, np.nan) - 1.0)
    return _r_value(hit_rate, over, sqrt if type(reference) is float else np.sqrt)


def _f(hits: Numbers, correct: Numbers, reference: Numbers, hypothesis: Numbers) -> Numbers:
    if _any_zero(reference):
        _warn_undefined("reference boundaries")
    return _f_value(hits, correct, reference, hypothesis)


def _f_value(hits: Numbers, correct: Numbers, reference: Numbers, hypothesis: Numbers) -> Numbers:
    """F (5); 0 where nothing was predicted."""
    recall, precision = share(hits, reference, np.nan), share(correct, hypothesis, 0.0)
    if type(reference) is float:
        return recall if isnan(recall) else 2.0 * precision * recall / max(precision + recall, 1e-300)
    return np.where(np.isnan(recall), np.nan, 2.0 * precision * recall / np.maximum(precision + recall, 1e-300))


def _any_zero(below: Numbers) -> bool:
    return below == 0 if type(below) is float else bool(np.any(below == 0))


def _warn_undefined(what: str) -> None:
    warnings.warn(
        f"there are no {what}, so scores that divide by them are undefined (NaN).", UndefinedScore, stacklevel=4
    )


# ---------------------------------------------------------------------- the family


@dataclass(frozen=True)
class SearchRegions(Family):
    """Search regions around the boundaries of recordings; the parameters are those of :func:`region_scores`.

    >>> from caesura.metrics import metric
    >>> gold = Segmentation.from_times([0.10, 0.13], length=0.3)
    >>> round(metric("R")(gold, Segmentation.from_times([0.115], length=0.3)), 4)
    0.6464
    """

    tolerance: float = sign("tol", 0.02)
    matching: Matching = sign("match", "regions")
    tie: Tie = sign("tie", "earlier")
    edges: Edges = sign("edges", "out")
    resolution: float = sign("res", 1e-7)

    counts = RegionCounts
    scores = {
        "R": Score(
            "R-value", "R-value (8): how near a segmenter comes to finding everything and nothing else; 1 at best, below 0 far from it.",
            hits_and_hypotheses, r_of_counts, bounds=(-np.inf, 1.0),
        ),
        "hit-rate": Score(
            "hit rate, %", "Hit rate (1): percentage of reference boundaries that were found.",
            hits_of_reference, _hit_rate, best=100.0, bounds=(0.0, 100.0),
        ),
        "over-segmentation": Score(
            "over-segmentation, %",
            "Over-segmentation (2): how many more boundaries than there are, in percent; below 0 for fewer. 0 is best.",
            hypotheses_of_reference, _over_segmentation, higher_is_better=False, best=0.0, bounds=(-100.0, np.inf),
        ),
        "region-precision": Score(
            "precision within the tolerance", "Precision (3) within the tolerance; NaN where nothing was predicted.",
            correct_of_hypotheses, _per_hypothesis,
        ),
        "region-recall": Score(
            "recall within the tolerance", "Recall (4) within the tolerance.", hits_of_reference, _per_reference,
        ),
        "region-F": Score(
            "F within the tolerance",
            "F (5) within the tolerance: the harmonic mean of precision and recall; 0 where nothing was predicted.",
            tuple, _f,
        ),
        "miss-rate": Score(
            "miss rate, %", "Miss rate: percentage of reference boundaries that nothing found, 100 - HR.",
            hits_of_reference, _miss_rate, higher_is_better=False, best=0.0, bounds=(0.0, 100.0),
        ),
        "false-alarm-rate": Score(
            "false alarm rate, %",
            "False alarm rate: percentage of hypotheses that found nothing, 100 (1 - PRC); NaN where nothing was predicted.",
            correct_of_hypotheses, _false_alarm_rate, higher_is_better=False, best=0.0, bounds=(0.0, 100.0),
        ),
    }  # fmt: skip
    needs = frozenset({"time"})
    symmetric = False
    paper = "Räsänen, Laine & Altosaar 2009, An Improved Speech Segmentation Quality Measure: the R-value"

    def __post_init__(self) -> None:
        object.__setattr__(self, "tolerance", seconds(self.tolerance))
        check_rule(self.matching, self.tie, self.edges)
        grid(self.resolution)

    def tell(self, counts: RegionCounts) -> str:
        """Hits, insertions and deletions."""
        hits, correct, ours, theirs = map(int, counts)
        edits = f"{hits} hits, {theirs - correct} insertions, {ours - hits} deletions"
        return f"± {1000 * self.tolerance:g} ms: {edits} (reference {ours}, hypothesis {theirs})"

    def prepare(self, batch: Batch) -> Batch:
        """Refuse what is not in time, and recordings too long for the grid."""
        ready = super().prepare(batch)
        check_fits_grid(batch.lengths, self.resolution)
        return ready

    def count(self, batch: Batch) -> Rows:
        """Sweep over the boundaries of both sides."""
        out = np.empty((len(batch), 4))
        load("regions").count_matched(*batch.columns, self.rule(edges=self.edges == "in"), out)
        return out

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single:
        """Two recordings."""
        return Single(load("fused").pair_regions, (*self.rule(edges=self.edges == "in"), float(LARGEST_TICK)))

    def rule(self, *, edges: bool) -> RegionRule:
        """The parameters as the loops take them; ``edges`` keeps what stands at the ends."""
        scale = grid(self.resolution)
        code = _MATCHINGS.index(self.matching)
        return RegionRule(ticks(self.tolerance, scale), scale, self.tie == "later", edges, code)


def check_rule(matching: Any, tie: Any, edges: Any) -> None:
    """Refuse a choice that there is not."""
    check_choice("matching", matching, _MATCHINGS)
    check_choice("tie", tie, ("earlier", "later"))
    check_choice("edges", edges, ("out", "in"))


# ---------------------------------------------------------------------- one recording, in one call


@dataclass(frozen=True, repr=False, init=False)
class RegionScores(Result):
    """What was counted in one comparison, and every score of the paper that follows from it.

    ``hits`` are reference boundaries found and ``correct`` the hypotheses that found them; the two differ only in lenient
    matching. ``hit_rate``, ``over_segmentation``, ``miss_rate`` and ``false_alarm_rate`` are percentages, the others are not, as
    in the paper. Undefined scores are NaN.
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
        object.__setattr__(
            self, "__dict__", {**fields, "matching": matching}
        )  # one by one would take a tenth of a call

    @property
    def insertions(self) -> int:
        """Hypotheses that found nothing, or nothing new."""
        return self.n_hyp - self.correct

    @property
    def deletions(self) -> int:
        """Reference boundaries that nothing found."""
        return self.n_ref - self.hits

    @property
    def counts(self) -> NDArray[np.float64]:
        """The row of counts that adds up over recordings."""
        return np.array([self.hits, self.correct, self.n_ref, self.n_hyp], dtype=np.float64)

    @property
    def hit_rate(self) -> float:
        """HR (1), in percent."""
        return 100.0 * _ratio(self.hits, self.n_ref)

    @property
    def over_segmentation(self) -> float:
        """OS (2), in percent: -100 without hypotheses, 0 where both sides have as many boundaries."""
        return 100.0 * (_ratio(self.n_hyp, self.n_ref) - 1.0)

    @property
    def precision(self) -> float:
        """PRC (3)."""
        return _ratio(self.correct, self.n_hyp)

    @property
    def recall(self) -> float:
        """RCL (4)."""
        return _ratio(self.hits, self.n_ref)

    @property
    def f(self) -> float:
        """F (5)."""
        return float(_f_value(self.hits, self.correct, float(self.n_ref), float(self.n_hyp)))

    @property
    def r1(self) -> float:
        """Distance to the target point (6)."""
        return float(np.hypot(100.0 - self.hit_rate, self.over_segmentation))

    @property
    def r2(self) -> float:
        """Signed distance to the line without insertions (7)."""
        return (-self.over_segmentation + self.hit_rate - 100.0) / float(np.sqrt(2.0))

    @property
    def r_value(self) -> float:
        """R (8)."""
        hits, over = _ratio(self.hits, self.n_ref), _ratio(self.n_hyp, self.n_ref) - 1.0
        return float(_r_value(100.0 * hits, 100.0 * over, sqrt))

    @property
    def miss_rate(self) -> float:
        """Percentage of reference boundaries that nothing found: 100 - HR."""
        return 100.0 - self.hit_rate

    @property
    def false_alarm_rate(self) -> float:
        """Percentage of hypotheses that found nothing: 100 (1 - PRC)."""
        return 100.0 * (1.0 - self.precision)

    def __add__(self, other: RegionScores) -> RegionScores:
        """Pool two recordings: counts add up, then the formulas."""
        if (self.tolerance, self.matching) != (other.tolerance, other.matching):
            raise CaesuraError("scores of different tolerances or matchings do not add up.")
        hits, correct, n_ref, n_hyp = map(int, self.counts + other.counts)
        return RegionScores(hits, correct, n_ref, n_hyp, self.tolerance, self.matching)

    def tables(self) -> Sequence[Table]:
        """The counts and every score, at this tolerance; rates in percent, as in the paper."""
        counts = (("hits", self.hits), ("insertions", self.insertions), ("deletions", self.deletions))
        scores = (
            ("hit rate, %", self.hit_rate),
            ("over-segmentation, %", self.over_segmentation),
            ("precision", self.precision),
            ("recall", self.recall),
            ("F", self.f),
            ("R", self.r_value),
        )
        caption = f"boundaries: hypothesis {self.n_hyp}, reference {self.n_ref}; ± {1000 * self.tolerance:g} ms, {self.matching}"
        return [Table(caption, ("score", "value"), (*counts, *scores))]

    def as_dict(self) -> dict[str, Any]:
        """Return counts and scores by name."""
        names = (
            "tolerance", "matching", "n_ref", "n_hyp", "hits", "insertions", "deletions", "hit_rate", "over_segmentation",
            "precision", "recall", "f", "r_value", "miss_rate", "false_alarm_rate",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}


@overload
def region_scores(
    ref_times: Times, hyp_times: Times, tolerance: float | str = ..., *, matching: Matching = ..., tie: Tie = ...,
    resolution: float = ..., edges: Edges = ..., length: float | None = ...,
) -> RegionScores: ...  # fmt: skip
@overload
def region_scores(
    ref_times: Times, hyp_times: Times, tolerance: Iterable[float], *, matching: Matching = ..., tie: Tie = ...,
    resolution: float = ..., edges: Edges = ..., length: float | None = ...,
) -> list[RegionScores]: ...  # fmt: skip
def region_scores(
    ref_times: Times,
    hyp_times: Times,
    tolerance: float | str | Iterable[float] = 0.02,
    *,
    matching: Matching = "regions",
    tie: Tie = "earlier",
    resolution: float = 1e-7,
    edges: Edges = "out",
    length: float | None = None,
) -> RegionScores | list[RegionScores]:
    """Count hits, insertions and deletions of one recording's boundaries, and score them.

    Parameters
    ----------
    ref_times, hyp_times
        Times in seconds, in any order, or segmentations in time. A reference time given twice counts once, a hypothesis every
        time.
    tolerance
        Half the width of a region, in seconds (or ``"20ms"``); several give a list of scores, one each.
    matching
        "regions" (the paper), "optimal" (largest one-to-one matching) or "lenient" (reuse both ways).
    tie
        Whose a hypothesis is that lies exactly half-way between two boundaries.
    resolution
        The grid on which times are compared, in seconds.
    edges
        "out" leaves out boundaries at 0 and at the end of the recording, where its length is known: from ``length``, or from
        segmentations. Plain lists without ``length`` are taken as they are.

    Notes
    -----
    Without reference boundaries every score but precision is NaN, and a warning says so; without hypotheses
    HR = 0, OS = -100 and R = 1 - √2/2.

    Examples
    --------
    >>> scores = region_scores([0.10, 0.13], [0.09, 0.112], tolerance=0.02)
    >>> scores.hits, scores.insertions, scores.deletions, round(scores.r_value, 4)
    (1, 1, 1, 0.5732)
    """
    if length is not None:
        length = float(checked_length(length))
    elif isinstance(ref_times, Segmentation):
        length = float(ref_times.length)
    elif isinstance(hyp_times, Segmentation):
        length = float(hyp_times.length)
    given = matching, tie, edges, resolution, edges == "in" or length is None
    if type(tolerance) is float or not _is_list(tolerance):
        scores = _score_times(ref_times, hyp_times, length, tolerance, given)
        if scores.n_ref == 0:
            _warn_undefined("reference boundaries")
        return scores
    check_rule(matching, tie, edges)
    ref_times = as_times(ref_times, "reference", scale := grid(resolution))
    hyp_times = as_times(hyp_times, "hypothesis", scale)
    several = [_score_times(ref_times, hyp_times, length, each, given) for each in tolerance]
    if several and several[0].n_ref == 0:
        _warn_undefined("reference boundaries")
    return several


def _score_times(ref: Times, hyp: Times, length: float | None, tolerance: Any, given: tuple[Any, ...]) -> RegionScores:
    try:
        seconds, rule = _remember_rule(tolerance, *given)
    except TypeError:  # what cannot be hashed
        seconds, rule = _remember_rule.__wrapped__(tolerance, *given)
    hits, correct, n_ref, n_hyp = _count_times(ref, hyp, 0.0 if given[-1] else length, rule)
    return RegionScores(int(hits), int(correct), int(n_ref), int(n_hyp), seconds, given[0])


def _ratio(above: int, below: int) -> float:
    return above / below if below else nan


def _is_list(tolerance: Any) -> TypeGuard[Iterable[float]]:
    single = isinstance(tolerance, (int, float, str, np.number)) or not isinstance(tolerance, Iterable)
    return not single and getattr(tolerance, "ndim", 1) > 0


@lru_cache(maxsize=256, typed=True)
def _remember_rule(
    tolerance: Any, matching: Matching, tie: Tie, edges: Edges, resolution: float, keep: bool
) -> tuple[Any, ...]:
    """Return a tolerance in seconds and the rule as the loop takes it, made once for all calls with these parameters."""
    family = SearchRegions(tolerance, matching, tie, edges, resolution)
    return family.tolerance, (*family.rule(edges=keep), float(LARGEST_TICK))


def _count_times(ref_times: Times, hyp_times: Times, length: float | None, rule: tuple[Any, ...]) -> Sequence[float]:
    """Count one recording; times that are in order go straight to the loop."""
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
