r"""Names of segments, such as labels of phones: how often two annotations give the same part the same name.

A reference segment is *matched* if both its ends are hit, within the tolerance, by two neighbouring boundaries of the hypothesis, and
these are hit in turn; apart from labelled R, the scores are therefore symmetric. The ends of a recording match each other. Of n matched
segments, a have the same name on both sides; if n_l and m_l of them have the name l in the reference and in the hypothesis,

.. math:: agreement = \frac{a}{n}, \quad e = \sum_l \frac{n_l\, m_l}{n}, \quad \kappa = \frac{a - e}{n - e}

For *labelled time*, the recording is divided at all boundaries of both sides, and n, a, n_l and m_l are durations: no segment has to be
matched (Cohen's κ of the names at every instant). e is computed for each recording and then summed, so that chance agreement reflects
each recording's own names.

*Labelled R* is the R-value (Räsänen, Laine & Altosaar 2009) in which a boundary counts as hit only if the segments before and after it
have the same names as those before and after the hypothesis that hits it:

.. math:: HR = 100 \frac{N_{labelled}}{N_{ref}}, \quad OS = 100 \left(\frac{N_f}{N_{ref}} - 1\right), \quad
          R = 1 - \frac{\sqrt{(100 - HR)^2 + OS^2} + |HR - OS - 100| / \sqrt 2}{200}

If all names are equal, it is R. Texts are compared in the same way, with units instead of seconds and without a tolerance. A segment
without a name has the name "", which is a name like any other. ``mapping`` converts names first, if phone sets differ: names agree if they
may stand for the same one; for κ, whose classes must not overlap, all names that a map connects are one class. If no segment is matched, or there is
no time, agreement and κ are undefined: NaN, so that such a recording does not change a pooled score. If both sides have only one name, κ is 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels import load
from caesura.metrics.batch import Batch, Side
from caesura.metrics.family import Family, Numbers, Parts, Rows, Score, choose, parameter, share
from caesura.metrics.interval_pairing import NamedIntervals, joined
from caesura.metrics.label_map import LabelMap, MapSide
from caesura.metrics.regions import Matching, Tie, check_rule, r_of_counts
from caesura.metrics.time_grid import check_fits_grid, grid, half_width, ticks, to_ticks

_SIDES: tuple[MapSide, ...] = ("ref", "hyp")
_ROUNDING = 1e-12  # share below which a difference is a rounding error


class NameCounts(NamedTuple):
    """Boundaries, matched segments and labelled time: totals, agreement, and agreement expected by chance."""

    hits: Numbers  # reference boundaries that were hit
    labelled_hits: Numbers  # those with the same names on both sides of the boundary
    reference: Numbers  # boundaries
    hypothesis: Numbers
    matched: Numbers  # segments
    agreeing: Numbers
    expected: Numbers
    duration: Numbers  # seconds, or units
    agreeing_duration: Numbers
    expected_duration: Numbers
    agreeing_classes: Numbers  # segments of one class, and their duration: as agreeing, unless the map is a relation
    agreeing_classes_duration: Numbers


def labelled_hits(c: NameCounts) -> Parts:
    """Return the three counts that labelled R depends on."""
    return c.labelled_hits, c.reference, c.hypothesis


def agreeing_segments(c: NameCounts) -> Parts:
    """Return the matched segments with equal names, and all matched segments."""
    return c.agreeing, c.matched


def segments_beyond_chance(c: NameCounts) -> Parts:
    """Return agreement beyond chance, its maximum, and the matched segments."""
    return c.agreeing_classes - c.expected, c.matched - c.expected, c.matched


def agreeing_time(c: NameCounts) -> Parts:
    """Return the time with equal names, and all time."""
    return c.agreeing_duration, c.duration


def time_beyond_chance(c: NameCounts) -> Parts:
    """Return agreement beyond chance, its maximum, and the time."""
    return c.agreeing_classes_duration - c.expected_duration, c.duration - c.expected_duration, c.duration


def _share_or_undefined(above: Numbers, below: Numbers) -> Numbers:
    return share(above, below, np.nan)


def _kappa(above: Numbers, below: Numbers, all_of_it: Numbers) -> Numbers:
    """Divide agreement beyond chance by its maximum; 1 if chance agreement is perfect, NaN if there is nothing to compare."""
    chance_alone = choose(all_of_it > 0, 1.0, np.nan)
    below = choose(below > _ROUNDING * all_of_it, below, 0.0)
    return share(above, below, chance_alone)


@dataclass(frozen=True)
class NamedSegments(Family):
    """Names of matched segments and of time; parameters as for :func:`~caesura.region_scores`, and ``mapping``.

    Parameters
    ----------
    tolerance, matching, tie, resolution
        As for :func:`~caesura.region_scores`.
    mapping : str, path or dict, default ""
        A map of names, see :class:`~caesura.metrics.label_map.LabelMap`.

    Examples
    --------
    >>> from caesura.metrics import metric
    >>> from caesura.model import Segmentation
    >>> gold = Segmentation.from_times([0.10, 0.20, 0.30], length=0.4, names=["sil", "a", "t", "sil"])
    >>> heard = Segmentation.from_times([0.11, 0.20, 0.30], length=0.4, names=["sil", "e", "t", "sil"])
    >>> metric("label-agreement")(gold, heard), round(metric("time-agreement")(gold, heard), 3)
    (0.75, 0.75)
    """

    tolerance: float = parameter("tol", 0.02)
    matching: Matching = parameter("match", "regions")
    tie: Tie = parameter("tie", "earlier")
    resolution: float = parameter("res", 1e-7)
    mapping: Any = parameter("map", "", silent=True)

    counts = NameCounts
    scores = {
        "label-agreement": Score(
            "agreement on names", "Share of the matched segments with the same name on both sides; undefined if none is matched.",
            agreeing_segments, _share_or_undefined,
        ),
        "label-kappa": Score(
            "κ on names", "Cohen's κ of the names of matched segments: 0 is the value of random names.",
            segments_beyond_chance, _kappa, bounds=(-1.0, 1.0),
        ),
        "labelled-R": Score(
            "labelled R-value", "R-value that counts a boundary as hit only if the names before and after it agree too.",
            labelled_hits, r_of_counts, bounds=(-np.inf, 1.0), symmetric=False,
            paper="Räsänen, Laine & Altosaar 2009, An Improved Speech Segmentation Quality Measure: the R-value; with names",
        ),
        "time-agreement": Score(
            "agreement on labelled time", "Share of the time (of texts: of the units) with the same name on both sides.",
            agreeing_time, _share_or_undefined,
        ),
        "time-kappa": Score(
            "κ on labelled time",
            "Cohen's κ of the names at every instant (of texts: of every unit): agreement on labelled time beyond chance.",
            time_beyond_chance, _kappa, bounds=(-1.0, 1.0),
        ),
    }  # fmt: skip
    kinds = frozenset({"units", "time"})
    opt_in_kinds = {"units": "names of segments of texts are mostly titles or numbers"}
    compares_names = True
    needs_classes = True
    paper = "Cohen 1960, A coefficient of agreement for nominal scales"

    def __post_init__(self) -> None:
        object.__setattr__(self, "tolerance", half_width(self.tolerance))
        check_rule(self.matching, self.tie, "out")
        grid(self.resolution)
        object.__setattr__(self, "mapping", LabelMap.of(self.mapping))

    def prepare(self, batch: Batch) -> Batch:
        """Reject annotations without names, and recordings too long for the grid."""
        ready = super().prepare(batch)
        if batch.kind == "time":
            check_fits_grid(batch.lengths, self.resolution)
        return ready

    def count(self, batch: Batch) -> Rows:
        """Count pair by pair in Python, because names are strings, which kernels cannot compare."""
        scale, reach = 1.0, 0  # units need no tolerance
        if batch.kind == "time":
            scale = grid(self.resolution)
            reach = ticks(self.tolerance, scale)
        rows = np.zeros((len(batch), len(NameCounts._fields)))
        for pair, length in enumerate(batch.lengths.tolist()):
            if length > 0:
                code: dict[str, int] = {}
                ref = _NamedSide.of(batch.reference, pair, length, scale, code, self.mapping, "ref")
                hyp = _NamedSide.of(batch.hypothesis, pair, length, scale, code, self.mapping, "hyp")
                same = _Sameness(self.mapping, list(code))
                matched, agreeing, expected, classes = self._count_segments(ref, hyp, reach, same)
                duration, agreeing_time, expected_time, classes_time = _time(ref, hyp, same)
                rows[pair] = (
                    *self._count_boundaries(ref, hyp, reach, same),
                    *(matched, agreeing, expected, duration, agreeing_time, expected_time, classes, classes_time),
                )
        return rows

    def _count_boundaries(
        self, ref: _NamedSide, hyp: _NamedSide, reach: int, same: _Sameness
    ) -> tuple[float, float, float, float]:
        """Count hits, hits with the same names before and after them, and the boundaries of each side."""
        finder = self._finders(ref.places, hyp.marks, reach)
        hit = np.flatnonzero(finder >= 0)
        ours, theirs = ref.cut_at(ref.places[hit]), hyp.cut_at(hyp.marks[finder[hit]])
        inside = theirs < len(hyp.cuts)  # no names after the end of this side
        ours, theirs = ours[inside], theirs[inside]
        before, after = (same(ref.names[ours + k], hyp.names[theirs + k]) for k in (0, 1))
        return len(hit), int(np.count_nonzero(before & after)), len(ref.places), len(hyp.marks)

    def _count_segments(
        self, ref: _NamedSide, hyp: _NamedSide, reach: int, same: _Sameness
    ) -> tuple[float, float, float, float]:
        """Count matched segments, those with the same name, the number expected by chance, and those of one class."""
        finder, back = self._finders(ref.places, hyp.places, reach), self._finders(hyp.places, ref.places, reach)
        hit = np.flatnonzero(finder >= 0)
        hit = hit[back[finder[hit]] == hit]
        partner = np.full(len(ref.cuts) + 2, -2)  # of every boundary; the ends are included and match each other
        partner[0], partner[-1] = 0, len(hyp.cuts) + 1
        partner[ref.cut_at(ref.places[hit]) + 1] = hyp.cut_at(hyp.places[finder[hit]]) + 1
        segments = np.flatnonzero((partner[:-1] >= 0) & (np.diff(partner) == 1))
        return _agreement(ref.names[segments], hyp.names[partner[segments]], np.ones(len(segments)), same)

    def _finders(self, ref: NDArray[np.int64], hyp: NDArray[np.int64], reach: int) -> NDArray[np.int64]:
        """Return the index of the hypothesis that hits each reference boundary; -1: none."""
        finder, hit_by = np.empty(len(ref), np.int64), np.empty(len(hyp), np.int64)
        assign = getattr(load("regions"), f"assign_{self.matching}")
        assign(ref, hyp, reach, self.tie == "later", finder, hit_by)
        return finder


class _Sameness:
    """Which names agree, and their classes; names are codes."""

    def __init__(self, mapping: LabelMap, names: list[str]) -> None:
        self._table = mapping.same(names, names) if mapping.is_relation else None
        self._classes = None
        if mapping.is_relation:
            code: dict[str, int] = {}
            columns = ([mapping.class_of(name, side) for name in names] for side in _SIDES)
            self._classes = [np.array([code.setdefault(each, len(code)) for each in c]) for c in columns]

    def __call__(self, ours: NDArray[np.int64], theirs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell which names of the reference agree with those of the hypothesis."""
        return ours == theirs if self._table is None else self._table[ours, theirs]

    def classes(
        self, ours: NDArray[np.int64], theirs: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the classes of the names of both sides."""
        return (ours, theirs) if self._classes is None else (self._classes[0][ours], self._classes[1][theirs])


@dataclass(frozen=True)
class _NamedSide:
    """One side of a pair: its segments with their names, and its boundaries in ticks, without those at the ends."""

    length: float
    cuts: NDArray[Any]  # positions between two segments
    cut_places: NDArray[np.int64]  # the same in ticks
    names: NDArray[np.int64]  # as codes
    marks: NDArray[np.int64]  # all boundaries, in ticks
    places: NDArray[np.int64]  # the distinct ones

    @classmethod
    def of(
        cls,
        side: Side,
        pair: int,
        length: float,
        scale: float,
        code: dict[str, int],
        mapping: LabelMap,
        which: MapSide,
    ) -> _NamedSide:
        where = side.positions[side.starts[pair] : side.stops[pair]]
        names = (side.names.of(pair) if side.names is not None else None) or ("",)
        at_ticks = to_ticks(where, scale)
        marks = at_ticks[(at_ticks != 0) & (at_ticks != round(length * scale))]
        cuts = _distinct(where[where > 0])[: len(names) - 1]  # a boundary at the end of this side separates nothing
        if mapping:
            edges = np.concatenate(([0.0], cuts, [length]))
            row = joined(NamedIntervals(edges[:-1], edges[1:], names[: len(cuts) + 1]), mapping, which)
            gone = to_ticks(
                np.setdiff1d(cuts, row.starts[1:]), scale
            )  # boundaries inside a row of names that became one
            cuts, marks = row.starts[1:].astype(cuts.dtype), marks[~np.isin(marks, gone)]
            names = tuple(row.names) if mapping.is_relation else tuple(mapping.name(name, which) for name in row.names)
        numbers = np.array([code.setdefault(name, len(code)) for name in names])
        return cls(length, cuts, to_ticks(cuts, scale), numbers, marks, _distinct(marks))

    def cut_at(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the index of the cut at each of these ticks; after the last one, the end."""
        return np.searchsorted(self.cut_places, places)


def _distinct(ascending: NDArray[Any]) -> NDArray[Any]:
    return ascending[np.concatenate(([True], ascending[1:] != ascending[:-1]))] if len(ascending) else ascending


def _time(ref: _NamedSide, hyp: _NamedSide, same: _Sameness) -> tuple[float, float, float, float]:
    """Divide the time at all boundaries of both sides and sum it, in seconds or units."""
    edges = _distinct(np.sort(np.concatenate(([0], ref.cuts, hyp.cuts, [ref.length]))))
    edges = edges[edges <= ref.length]
    ours, theirs = (side.names[np.searchsorted(side.cuts, edges[:-1], side="right")] for side in (ref, hyp))
    return _agreement(ours, theirs, (edges[1:] - edges[:-1]).astype(np.float64), same)


def _agreement(
    ours: NDArray[np.int64], theirs: NDArray[np.int64], weights: NDArray[np.float64], same: _Sameness
) -> tuple[float, float, float, float]:
    """Return the sum of the weights, of those with the same name, of those expected by chance, and of those of one class."""
    if not len(ours):
        return 0.0, 0.0, 0.0, 0.0
    agreeing = float(weights[same(ours, theirs)].sum())
    ours, theirs = same.classes(ours, theirs)
    by_first, by_second = np.bincount(ours, weights), np.bincount(theirs, weights)
    known, total = min(len(by_first), len(by_second)), float(weights.sum())
    expected = float(by_first[:known] @ by_second[:known]) / total
    return total, agreeing, expected, float(weights[ours == theirs].sum())
