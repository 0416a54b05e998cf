"""Counting boundaries against search regions in one recording, and the formulas that score the counts.

:mod:`caesura.metrics.region` says what they mean and holds the same scores as metrics over a corpus.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args, overload

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, InvalidSegmentation, UndefinedScore
from caesura.metrics.base import ratio
from caesura.metrics.family import Rows
from caesura.metrics.plain import kernels
from caesura.model import Segmentation
from caesura.model.marks import checked_length

__all__ = [
    "LARGEST_TICK", "Edges", "Matching", "RegionScores", "Tie", "Times", "as_times", "checked", "code_of", "f_of",
    "grid", "hit_rate_of", "over_segmentation_of", "precision_of", "r_value", "recall_of", "region_scores", "seconds", "ticks",
    "undefined",
]  # fmt: skip

#: How hypotheses are given to reference boundaries: the paper's regions, the largest one-to-one matching (as mir_eval), or
#: anything within the tolerance, used however often (as several speech repositories count: it inflates).
Matching: TypeAlias = Literal["regions", "optimal", "lenient"]
#: Whose region a hypothesis exactly half-way between two boundaries lies in.
Tie: TypeAlias = Literal["earlier", "later"]
#: Whether boundaries at the very start and end of a recording count.
Edges: TypeAlias = Literal["out", "in"]
#: Boundaries of one recording: times in seconds, or a segmentation in time.
Times: TypeAlias = Segmentation | Sequence[float] | NDArray[Any]

_CHOICES = {"matching": ("regions", "optimal", "lenient"), "tie": ("earlier", "later"), "edges": ("out", "in")}
LARGEST_TICK = 2**51  # ticks beyond this are no longer exact


# ---------------------------------------------------------------------- the formulas, on counts of any shape


def r_value(hit_rate: Any, over_segmentation: Any) -> Any:
    """R (equation 8) of a hit rate and an over-segmentation, both in percent.

    >>> round(float(r_value(100, 0)), 4), round(float(r_value(0, -100)), 4)
    (1.0, 0.2929)
    """
    hr, os = np.asarray(hit_rate, np.float64), np.asarray(over_segmentation, np.float64)
    r1 = np.sqrt((100.0 - hr) ** 2 + os**2)
    r2 = (-os + hr - 100.0) / np.sqrt(2.0)
    return 1.0 - (np.abs(r1) + np.abs(r2)) / 200.0


def _over(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide; NaN where there is nothing to divide by."""
    return ratio(above, below, nothing=np.nan)


def hit_rate_of(rows: Rows) -> NDArray[np.float64]:
    """HR (1) of rows of counts."""
    return 100.0 * _over(rows[..., 0], rows[..., 2])


def over_segmentation_of(rows: Rows) -> NDArray[np.float64]:
    """OS (2) of rows of counts."""
    return 100.0 * (_over(rows[..., 3], rows[..., 2]) - 1.0)


def precision_of(rows: Rows) -> NDArray[np.float64]:
    """PRC (3) of rows of counts."""
    return _over(rows[..., 1], rows[..., 3])


def recall_of(rows: Rows) -> NDArray[np.float64]:
    """RCL (4) of rows of counts."""
    return _over(rows[..., 0], rows[..., 2])


def f_of(rows: Rows) -> NDArray[np.float64]:
    """F (5) of rows of counts; 0 where nothing was predicted."""
    recall = recall_of(rows)
    precision = np.where(rows[..., 3] > 0, precision_of(rows), 0.0)
    return np.where(np.isnan(recall), np.nan, 2.0 * precision * recall / np.maximum(precision + recall, 1e-300))


# ---------------------------------------------------------------------- one recording, in one call


@dataclass(frozen=True, slots=True)
class RegionScores:
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
        return float(hit_rate_of(self.counts))

    @property
    def over_segmentation(self) -> float:
        """OS (2), in percent: -100 without hypotheses, 0 where both sides have as many boundaries."""
        return float(over_segmentation_of(self.counts))

    @property
    def precision(self) -> float:
        """PRC (3)."""
        return float(precision_of(self.counts))

    @property
    def recall(self) -> float:
        """RCL (4)."""
        return float(recall_of(self.counts))

    @property
    def f(self) -> float:
        """F (5)."""
        return float(f_of(self.counts))

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
        return float(r_value(self.hit_rate, self.over_segmentation))

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
        hits, correct, n_ref, n_hyp = (int(x) for x in self.counts + other.counts)
        return RegionScores(hits, correct, n_ref, n_hyp, self.tolerance, self.matching)

    def as_dict(self) -> dict[str, float | int | str]:
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
    checked(matching=matching, tie=tie, edges=edges)
    scale = grid(resolution)
    ref, hyp = as_times(ref_times, "reference", scale), as_times(hyp_times, "hypothesis", scale)
    if length is None and isinstance(ref_times, Segmentation):
        length = float(ref_times.length)
    elif length is None and isinstance(hyp_times, Segmentation):
        length = float(hyp_times.length)
    elif length is not None:
        length = float(checked_length(length))
    single = isinstance(tolerance, (int, float, str, np.number)) or not isinstance(tolerance, Iterable)
    several = not single and getattr(tolerance, "ndim", 1) > 0
    wanted = [seconds(t) for t in tolerance] if several else [seconds(tolerance)]  # type: ignore[union-attr, arg-type]
    bounds = _ONE, _SIZE[len(ref)] if len(ref) < len(_SIZE) else np.array([len(ref)])
    others = _ONE, _SIZE[len(hyp)] if len(hyp) < len(_SIZE) else np.array([len(hyp)])
    keep = edges == "in" or length is None
    out = np.empty((1, 4))
    found = []
    for each in wanted:
        kernels("regions").count_matched(
            ref, *bounds, hyp, *others, np.array([length or 0.0]),
            ticks(each, scale), scale, tie == "later", keep, code_of(matching), out,
        )  # fmt: skip
        hits, correct, n_ref, n_hyp = map(int, out[0].tolist())
        found.append(RegionScores(hits, correct, n_ref, n_hyp, each, matching))
    if found and found[0].n_ref == 0:
        undefined("reference boundaries")
    return found if several else found[0]


# ---------------------------------------------------------------------- what the functions of this family share


def seconds(value: float | str, what: str = "a tolerance") -> float:
    """Read a duration, called ``what`` where it is none: a number of seconds, or ``"20ms"``, ``"0.02s"``, ``"0.02"``.

    >>> seconds("20ms"), seconds(0.01)
    (0.02, 0.01)
    """
    found: float | None
    try:
        if isinstance(value, str):
            text = value.strip().lower()
            unit = next((u for u in ("ms", "us", "µs", "s") if text.endswith(u)), "")
            number = float(text[: len(text) - len(unit)])
            found = number / {"ms": 1e3, "us": 1e6, "µs": 1e6}.get(unit, 1.0)
        else:
            found = float(value)
    except (TypeError, ValueError):
        found = None
    if found is None or not np.isfinite(found) or found < 0:
        raise CaesuraError(f"{what} is a number of seconds from 0 up, or like 20ms; found {value!r}.")
    return found


def grid(resolution: float) -> float:
    """Ticks a second; a whole number wherever the resolution means one, so that 1e-7 gives 10 million and not a bit more."""
    if not isinstance(resolution, (int, float, np.number)) or not (np.isfinite(resolution) and resolution > 0):
        raise CaesuraError(f"the resolution is {resolution!r} s; expected a number above 0.")
    scale = 1.0 / resolution
    return float(round(scale)) if scale >= 1 and abs(scale - round(scale)) < 1e-6 * scale else scale


def ticks(tolerance: float, scale: float) -> int:
    """Lay a tolerance on the grid; one far wider than any recording is as good as any other."""
    return round(min(tolerance * scale, 2.0**52))


def checked(**choices: str) -> None:
    """Refuse a choice that there is not."""
    for name, value in choices.items():
        if value not in _CHOICES[name]:
            raise CaesuraError(f"{name} is {value!r}; expected {' or '.join(map(repr, _CHOICES[name]))}.")


def code_of(matching: Matching) -> int:
    """Return the number by which the compiled loop knows a matching: its place in the list."""
    return get_args(Matching).index(matching)


def undefined(what: str) -> None:
    """Warn that scores divide by nothing."""
    warnings.warn(
        f"there are no {what}, so scores that divide by them are undefined (NaN).", UndefinedScore, stacklevel=3
    )


_ONE = np.zeros(1, np.int64)
_SIZE = [np.array([n]) for n in range(64)]  # the last boundary of small lists, made once
for _array in (_ONE, *_SIZE):
    _array.flags.writeable = False


def as_times(given: Times, what: str, scale: float) -> NDArray[np.float64]:
    """Return times as a sorted, read-only array, the shape the compiled loops know from a corpus."""
    if isinstance(given, Segmentation):
        if not given.timed:
            raise InvalidSegmentation(f"the {what} is a segmentation of units; regions lie around times in seconds.")
        return given.positions if given.types is None else np.unique(given.positions)
    if isinstance(given, np.ma.MaskedArray):
        given = given.tolist()  # what is hidden is missing, and refused as such
    try:
        times = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidSegmentation(f"the {what} must be a list of times in seconds.") from None
    if times.ndim != 1:
        raise InvalidSegmentation(f"the {what} must be a flat list of times, not an array of {times.ndim} dimensions.")
    if len(times):
        if not ((times[1:] >= times[:-1]).all() and np.isfinite(times[0]) and np.isfinite(times[-1])):
            if not np.isfinite(times).all():
                raise InvalidSegmentation(
                    f"the {what} holds {times[~np.isfinite(times)][0]}; every time must be finite."
                )
            times = np.sort(times)
        if max(abs(times[0]), abs(times[-1])) * scale > LARGEST_TICK:
            raise InvalidSegmentation(f"the {what} goes up to {times[-1]:g} s, too long for a grid of {1 / scale:g} s.")
    times = times.view()
    times.flags.writeable = False
    return times
