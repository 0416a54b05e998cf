r"""Boundaries of texts within a tolerance in units, each matched once, and the density of boundaries beside it.

.. math:: P = \frac{hits}{|H|}, \quad R = \frac{hits}{|R|}, \quad F = \frac{2\, hits}{|R| + |H|}, \quad density = \frac{|H|}{|R|}

*hits* is the size of a largest one-to-one matching of boundaries at most w units apart (mir_eval's matching). A many-to-one count would let dense
output win, and is not offered. Without boundaries on both sides F is undefined; with boundaries on one side only it is 0, and the rate of the
empty side is undefined.

Coen 2025, arXiv:2512.17083, scores topic segmentation by W-F1 and the boundary over-segmentation ratio. We know the paper's summaries only;
the one-to-one matching is our reading. Always read F together with the density ratio: output of another density has another F at the same
quality. :func:`density_sweep` compares systems that give a score to every place at equal density.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.display.palette import SERIES
from caesura.display.plot import Curve, Plot, PlotPicture, Point, Scale
from caesura.display.result import Result
from caesura.display.scene import Picture
from caesura.display.table import Table
from caesura.errors import CaesuraError
from caesura.kernels import load
from caesura.metrics.batch import Batch
from caesura.metrics.catalog import metric
from caesura.metrics.family import Family, Numbers, Rows, Score, Single, parameter, share, share_or_one
from caesura.model import Segmentation, as_segmentation
from caesura.model.corpus import Kind
from caesura.text import pluralize
from caesura.validation import as_list, integer_between, number_between, validate_integer


class ToleranceCounts(NamedTuple):
    """Hits within the tolerance, the boundaries of each side, and the lengths that purity and coverage divide."""

    hits: Numbers
    predicted: Numbers
    actual: Numbers
    length: Numbers
    covered: Numbers
    pure: Numbers


def _share_or_nan(above: Numbers, below: Numbers) -> Numbers:
    return share(above, below, math.nan)


@dataclass(frozen=True)
class ToleranceMatches(Family):
    """Boundaries within a tolerance in units, each matched once.

    Parameters
    ----------
    w : int, default 1
        The tolerance in units.
    share : float, default None
        A share of the mean reference segment, rounded down, instead of ``w``.

    Examples
    --------
    >>> from caesura.metrics import metric
    >>> metric("tolerance-F")([2, 3, 6], [3, 2, 6]), metric("tolerance-F:w=0")([2, 3, 6], [3, 2, 6])
    (1.0, 0.5)
    """

    w: int = parameter("w", 1, integer_between(0, 10**9, "units"))
    share: float | None = parameter("share", None, number_between(0.0, 1.0), silent=True)

    counts: ClassVar = ToleranceCounts
    summary_in_tables = True
    paper = "Coen 2025, arXiv:2512.17083"
    opt_in_kinds = {"units": "B and F count near misses and exact boundaries by default"}
    scores = {
        "tolerance-F": Score(
            "F within a tolerance of units",
            "Harmonic mean of precision and recall of boundaries at most w units apart, each matched once.",
            lambda c: (2 * c.hits, c.predicted + c.actual), _share_or_nan,
        ),
        "tolerance-precision": Score(
            "precision within a tolerance of units",
            "Share of predicted boundaries at most w units from a boundary of the reference, each matched once.",
            lambda c: (c.hits, c.predicted), _share_or_nan, symmetric=False,
        ),
        "tolerance-recall": Score(
            "recall within a tolerance of units",
            "Share of the reference's boundaries at most w units from a predicted one, each matched once.",
            lambda c: (c.hits, c.actual), _share_or_nan, symmetric=False,
        ),
        "density-ratio": Score(
            "density ratio",
            "Predicted boundaries divided by the reference's; 1 is the same density, above 1 is over-segmentation.",
            lambda c: (c.predicted, c.actual), _share_or_nan, symmetric=False, bounds=(0.0, math.inf),
            fixed={"w": 1, "share": None},
        ),
    }  # fmt: skip

    def summarize(self, counts: ToleranceCounts) -> str:
        """Return the density ratio, without which F cannot be compared, with purity and coverage."""
        ratio = f"{counts.predicted / counts.actual:.3f}" if counts.actual else "undefined"
        purity, coverage = (share_or_one(length, counts.length) for length in (counts.pure, counts.covered))
        return (
            f"density ratio {ratio} ({pluralize(round(counts.predicted), 'boundary')} predicted, {counts.actual:.0f} in the reference), "
            f"purity {purity:.3f}, coverage {coverage:.3f}."
        )

    @property
    def _width(self) -> tuple[int, float]:
        return self.w, -1.0 if self.share is None else float(self.share)

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single:
        """Return the kernel that counts one pair."""
        return Single(load("fused").pair_within, self._width)

    def count(self, batch: Batch) -> Rows:
        """Count every pair."""
        rows, overlaps = np.empty((len(batch), 3)), np.empty((len(batch), 8))
        load("boundaries").count_within(*batch.columns, *self._width, rows)
        load("segments").count_overlaps(*batch.columns, 1.0, overlaps)
        return np.hstack((rows, overlaps[:, :3]))


# ---------------------------------------------------------------------- sweep over densities

_DRAWS = 100  # of random scores
_DRAWN_POINTS = 5_000  # of the curves of all draws: about half a second


@dataclass(frozen=True)
class SweepPoint:
    """The scores of the q highest places."""

    count: int
    density: float
    precision: float
    recall: float
    f: float
    window_diff: float


@dataclass(frozen=True, repr=False)
class DensitySweep(Result):
    """The scores of a system at every density, beside those of random and of equally spaced boundaries.

    Attributes
    ----------
    points : tuple of SweepPoint
        One per number of boundaries.
    area : float
        The area under F over density ratios from 0.5 to 2, in log2, divided by its width.
    f_at_one : float
        F at the density of the reference.
    w : int
        The tolerance in units.
    bounds : mapping of str to tuple of SweepPoint
        Random places and equally spaced boundaries of the same numbers.
    """

    points: tuple[SweepPoint, ...]
    area: float
    f_at_one: float
    w: int
    bounds: Mapping[str, tuple[SweepPoint, ...]]

    def tables(self) -> Sequence[Table]:
        """Return F at the density of the reference, the area, and the curve."""
        summary = Table(
            f"density sweep, ± {self.w} units",
            ("scores", "F at density 1", "area, density 0.5 to 2"),
            (
                ("system", self.f_at_one, self.area),
                *((name, _at_one(points), _area(points)) for name, points in self.bounds.items()),
            ),
        )
        rows = tuple((p.count, p.density, p.precision, p.recall, p.f, p.window_diff) for p in self.points)
        return [summary, Table("curve", ("boundaries", "density", "precision", "recall", "F", "WD"), rows).first(30)]

    def pictures(self) -> Sequence[Picture]:
        """Draw F against the density ratio."""
        return [SweepPicture(self)]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "w": self.w,
            "f_at_one": self.f_at_one,
            "area": self.area,
            "curve": [vars(point) for point in self.points],
            "bounds": {n: {"f_at_one": _at_one(p), "area": _area(p)} for n, p in self.bounds.items()},
        }


@dataclass(frozen=True)
class SweepPicture(PlotPicture):
    """F against the density ratio, on a logarithmic axis from a quarter to four."""

    sweep: DensitySweep

    @property
    def title(self) -> str:
        """What it shows."""
        return f"F within ± {self.sweep.w} units by density"

    def plot(self) -> Plot:
        """Return the curves of the system and of the bounds."""
        curves = {**self.sweep.bounds, "system": self.sweep.points}  # the system on top
        drawn = []
        for (name, points), role, glyph in zip(curves.items(), (SERIES[1], SERIES[2], SERIES[0]), "·-●", strict=True):
            line = tuple((math.log2(p.density), p.f) for p in points if 0.25 <= p.density <= 4)
            drawn.append(Curve(line, role, name, glyph, "plain" if name == "system" else "broken"))
        return Plot(
            self.title,
            f"F at density 1 is {self.sweep.f_at_one:.3f}; the area from 0.5 to 2 is {self.sweep.area:.3f}.",
            Scale("density ratio", -2, 2, (-2, -1, 0, 1, 2), doubling=True),
            Scale("F", 0, 1, (0, 0.25, 0.5, 0.75, 1)),
            curves=tuple(drawn),
            points=(Point(0, self.sweep.f_at_one, "x", name="F at density 1"),),
        )


def density_sweep(
    reference: Any, scores: Sequence[float], w: int = 1, counts: Sequence[int] | None = None, *, seed: int = 0
) -> DensitySweep:
    """Evaluate the q highest-scored boundaries of a system for every q, so that systems are compared at equal density.

    Parameters
    ----------
    reference : Segmentation or anything like it
        The reference, with one boundary or more.
    scores : sequence of float
        A score for each of the n-1 places between units, such as ``explain(units).posterior``; of equals the earlier is higher.
    w : int, default 1
        The tolerance in units.
    counts : sequence of int, default None
        The numbers of boundaries to score; None for 1 … n-1.
    seed : int, default 0
        The seed of the random scores whose mean is drawn as a bound: of 100 draws, fewer for long texts.

    Returns
    -------
    DensitySweep
        The curve of density, precision, recall, F and WindowDiff, with ``f_at_one`` and ``area``.

    Examples
    --------
    >>> sweep = density_sweep([2, 3, 6], [0.1, 0.9, 0.2, 0.3, 0.8, 0.1, 0.1, 0.2, 0.1, 0.1], w=0)
    >>> sweep.f_at_one, round(sweep.area, 2)
    (1.0, 0.83)
    """
    marks = as_segmentation(reference)
    if marks.timed:
        raise CaesuraError("a density sweep needs a text of units, not a recording.")
    validate_integer("w", w)
    n = int(marks.length)
    try:
        values = np.asarray(scores, np.float64)
    except (TypeError, ValueError):
        raise CaesuraError(f"the scores are not numbers; expected {n - 1}, one per place between units.") from None
    if values.shape != (n - 1,) or not np.isfinite(values).all():
        raise CaesuraError(
            f"scores has shape {values.shape}; expected {n - 1} finite numbers, one per place between units."
        )
    if not len(marks.distinct_positions):
        raise CaesuraError("the reference has no boundaries, so that no density can be compared with it.")
    numbers = list(range(1, n)) if counts is None else as_list("the counts", counts, "numbers of boundaries")
    if not numbers:
        raise CaesuraError("the counts are empty; expected one number of boundaries or more.")
    for number in numbers:
        validate_integer("counts", number, 1, most=n - 1, of="boundaries")
    random = np.random.default_rng(seed)
    draws = max(1, min(_DRAWS, _DRAWN_POINTS // max(len(numbers), 1)))
    points = _curve(marks, np.argsort(-values, kind="stable"), numbers, w)
    even = [np.unique((2 * n * np.arange(1, q + 1) // (q + 1) + 1) // 2) for q in numbers]
    bounds = {
        "random": _mean_curve([_curve(marks, random.permutation(n - 1), numbers, w) for _ in range(draws)]),
        "uniform": _score_all(marks, even, w),
    }
    return DensitySweep(points, _area(points), _at_one(points), w, bounds)


def _curve(marks: Segmentation, order: NDArray[np.int64], numbers: list[int], w: int) -> tuple[SweepPoint, ...]:
    return _score_all(marks, [np.sort(order[:number]) + 1 for number in numbers], w)


def _mean_curve(curves: list[tuple[SweepPoint, ...]]) -> tuple[SweepPoint, ...]:
    """Return the mean of several curves at the same numbers of boundaries."""
    fields = [[(p.precision, p.recall, p.f, p.window_diff) for p in curve] for curve in curves]
    means = np.mean(fields, axis=0).tolist()
    return tuple(SweepPoint(p.count, p.density, *mean) for p, mean in zip(curves[0], means, strict=True))


def _score_all(marks: Segmentation, placed: list[NDArray[np.int64]], w: int) -> tuple[SweepPoint, ...]:
    n, actual = int(marks.length), marks.distinct_positions
    window, points = metric("WD"), []
    plain = Segmentation(n, actual)
    for positions in placed:
        hits = _hits(actual, positions, w)
        other = Segmentation(n, positions)
        points.append(
            SweepPoint(
                len(positions),
                len(positions) / len(actual),
                hits / len(positions),
                hits / len(actual),
                2 * hits / (len(actual) + len(positions)),
                window(plain, other) if n > 3 else math.nan,
            )
        )
    return tuple(points)


def _hits(actual: NDArray[Any], predicted: NDArray[Any], w: int) -> int:
    from caesura.kernels.arrays import MarkColumns

    none, zero, out = np.empty(0, np.int64), np.zeros(1, np.int64), np.zeros((1, 3))
    sides = [
        MarkColumns(np.ascontiguousarray(p, np.int64), none, zero, np.array([len(p)])) for p in (actual, predicted)
    ]
    for side in sides:
        for column in side:
            column.flags.writeable = False
    load("boundaries").count_within(*sides, _read_only(np.ones(1, np.int64)), w, -1.0, out)
    return int(out[0, 0])


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def _interpolate(points: Sequence[SweepPoint], at: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return F at log2 density ratios, on straight lines between the points."""
    ordered = sorted(points, key=lambda p: p.density)
    return np.interp(at, [math.log2(p.density) for p in ordered], [p.f for p in ordered])


def _at_one(points: Sequence[SweepPoint]) -> float:
    return float(_interpolate(points, np.zeros(1))[0])


def _area(points: Sequence[SweepPoint]) -> float:
    """Return the area under F by trapezoids on a grid of 0.05 in log2 of the density ratio, from 0.5 to 2, divided by its width."""
    grid = np.arange(-1.0, 1.0 + 1e-9, 0.05)
    values = _interpolate(points, grid)
    return float(((values[1:] + values[:-1]) / 2 * np.diff(grid)).sum() / 2.0)
