"""Scores of recordings by speaker and by boundary class, operating points of segmenters, and random segmenters."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.display.result import Result
from caesura.display.table import Cell, Rounded, Table, format_cell
from caesura.errors import CaesuraError
from caesura.metrics.performance_plane import Recordings
from caesura.metrics.region_match import RegionMatch, region_match
from caesura.metrics.regions import RegionScores, region_scores
from caesura.metrics.time_grid import tolerance_text
from caesura.model import Corpus, Pairs, Segmentation
from caesura.text import describe_location, pluralize
from caesura.validation import validate_choice

_MAX_ROWS = 12  # rows of the table of a long curve, about; as_dict() has all points

#: What an operating point is chosen by: the highest R, or the least distance r1 to the target point.
Criterion: TypeAlias = Literal["R", "r1"]

#: Group by recording, by speaker (a track, or the attribute "speaker"), or pool everything.
Grouping: TypeAlias = Literal["item", "speaker", "all"]


@dataclass(frozen=True)
class BoundaryClass:
    """The reference boundaries between two labels.

    Attributes
    ----------
    left, right : str
        The labels on both sides.
    hits, boundaries : int
        The number of boundaries that were found, and of all.
    """

    left: str
    right: str
    hits: int
    boundaries: int

    @property
    def missed(self) -> int:
        """The number of missed boundaries."""
        return self.boundaries - self.hits

    @property
    def miss_rate(self) -> float:
        """The percentage of missed boundaries."""
        return 100.0 * self.missed / self.boundaries


def region_groups(
    reference: Corpus, hypothesis: Corpus, tolerance: float | str = 0.02, *, by: Grouping = "speaker", **options: Any
) -> dict[str, RegionScores]:
    """Score recordings by group, with counts pooled in each group.

    Parameters
    ----------
    reference, hypothesis : Corpus
        Annotations in time.
    tolerance : float or str, default 0.02
        Seconds, or "20ms".
    by : {"item", "speaker", "all"}, default "speaker"
        The groups.
    **options
        Options of :func:`caesura.region_scores`.

    Returns
    -------
    dict of str to RegionScores
        Group -> scores.

    Examples
    --------
    >>> from caesura.samples import load
    >>> phones = load("phones")
    >>> ann, aligner = phones.select(coders=["ann"]), phones.select(coders=["aligner"])
    >>> region_groups(ann, aligner, by="all")["all"].hits
    17
    """
    if by not in ("item", "speaker", "all"):
        raise CaesuraError(f"by is {by!r}; expected 'item', 'speaker' or 'all'.")
    groups: dict[str, RegionScores] = {}
    for item, track, ours, theirs in _pairs(reference, hypothesis):
        speaker = track or str(reference.attributes.get(item, {}).get("speaker", "")) or "unknown speaker"
        name = {"item": item, "speaker": speaker, "all": "all"}[by]
        scores = region_scores(ours, theirs, tolerance, **options)
        groups[name] = groups[name] + scores if name in groups else scores
    return groups


def boundary_classes(
    reference: Corpus, hypothesis: Corpus, tolerance: float | str = 0.02, **options: Any
) -> list[BoundaryClass]:
    """Count missed boundaries for every two neighbouring labels of the reference.

    Parameters
    ----------
    reference, hypothesis : Corpus
        Annotations in time; the reference has labels.
    tolerance : float or str, default 0.02
        Seconds, or "20ms".
    **options
        Options of :func:`caesura.region_scores`.

    Returns
    -------
    list of BoundaryClass
        Those with most misses first; ties by label.
    """
    hits: Counter[tuple[str, str]] = Counter()
    totals: Counter[tuple[str, str]] = Counter()
    for item, _, ours, theirs in _pairs(reference, hypothesis):
        if ours.names is None:
            raise CaesuraError(f"item {item!r}: boundary classes need labels, and the reference has none.")
        match = region_match(Segmentation(ours.length, ours._cuts(), names=ours.names), theirs, tolerance, **options)
        at = np.searchsorted(ours._cuts(), match.reference)
        for place, deleted in zip(at.tolist(), match.deleted.tolist(), strict=True):
            pair = ours.names[place], ours.names[place + 1]
            totals[pair] += 1
            hits[pair] += not deleted
    classes = [BoundaryClass(*pair, hits[pair], number) for pair, number in totals.items()]
    return sorted(classes, key=lambda c: (-c.missed, c.left, c.right))


@dataclass(frozen=True)
class OperatingPoint:
    """A threshold on scores (None for a system without scores), and the scores of the boundaries above it."""

    threshold: float | None
    scores: RegionScores
    name: str = ""

    @property
    def r_value(self) -> float:
        """R-value (Räsänen et al. 2009, equation 8)."""
        return self.scores.r_value


@dataclass(frozen=True, repr=False)
class OperatingPoints(Result):
    """The operating points of one or more systems.

    Attributes
    ----------
    points : tuple of OperatingPoint
        The points.
    tolerance : float
        Half the width of a region, in seconds.
    by : {"R", "r1"}, default "R"
        What the best point is chosen by: the highest R, or the least r1, the distance to the target point, which weighs hit rate and
        over-segmentation equally (Räsänen et al. 2009, section 4).
    """

    points: tuple[OperatingPoint, ...]
    tolerance: float
    by: Criterion = "R"

    @cached_property
    def best(self) -> OperatingPoint:
        """The point with the highest R, or the least r1."""
        return best_point(self.points, self.by)

    def tables(self) -> Sequence[Table]:
        """Return a table of evenly chosen points, including the best one, and the best threshold."""
        step, best = max(1, len(self.points) // _MAX_ROWS), self.best
        shown = [p for i, p in enumerate(self.points) if i % step == 0 or p is best]
        several = len({p.name for p in self.points}) > 1
        rows: list[tuple[Cell, ...]] = [
            (
                *((p.name,) if several else ()),
                None if p.threshold is None else f"{p.threshold:.4g}",
                p.scores.n_hyp,
                p.scores.hits,
                Rounded(p.scores.hit_rate, 2),
                Rounded(p.scores.over_segmentation, 2),
                p.scores.f,
                p.scores.r_value,
                Rounded(p.scores.r1, 2),
                Rounded(p.scores.r2, 2),
                ("◀ best R" if self.by == "R" else "◀ least r1") if p is best else "",
            )
            for p in shown
        ]
        columns = ("threshold", "boundaries", "hits", "HR, %", "OS, %", "F", "R", "r1", "r2", "")
        caption = f"{pluralize(len(self.points), 'operating point')} at {tolerance_text(self.tolerance)}"
        advice = (
            f"Keep boundaries with a score of {self.shortest_threshold()} or more: R {format_cell(best.r_value)}, r1 {best.scores.r1:.2f}. "
            "Check it on recordings not used here."
        )
        notes = () if best.threshold is None else (advice,)
        return [Table(caption, (*(("system",) if several else ()), *columns), tuple(rows), notes)]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: the best point, and all points."""
        points = [{"system": p.name, "threshold": p.threshold, **p.scores.as_dict()} for p in self.points]
        return {"best": points[next(i for i, p in enumerate(self.points) if p is self.best)], "points": points}

    def shortest_threshold(self) -> str:
        """Format the best threshold with as few digits as select the same boundaries; never rounded up."""
        exact = float(self.best.threshold or 0.0)
        mine = [p.threshold for p in self.points if p.name == self.best.name and p.threshold is not None]
        below = max((t for t in mine if t < exact), default=-math.inf)
        spellings = (f"{exact:.{digits}g}" for digits in range(4, 18))
        return next(short for short in spellings if below < float(short) <= exact)


def operating_points(
    reference: Corpus,
    candidates: Mapping[tuple[str, str], tuple[Sequence[float], Sequence[float]]],
    tolerance: float | str = 0.02,
    *,
    tie: Literal["earlier", "later"] = "earlier",
) -> list[OperatingPoint]:
    """Score a segmenter at every threshold of its scores; candidates with at least the threshold are kept.

    Candidates belong to their nearest reference boundary, whatever other candidates there are. So a boundary is hit at every
    threshold up to the highest score in its region, and one pass gives all thresholds exactly.

    Parameters
    ----------
    reference : Corpus
        Annotations in time.
    candidates : mapping of (str, str) to (sequence of float, sequence of float)
        (item, track) -> times and scores of all candidate boundaries.
    tolerance : float or str, default 0.02
        Seconds, or "20ms".
    tie : {"earlier", "later"}, default "earlier"
        The boundary to which a candidate in the middle of two belongs.

    Returns
    -------
    list of OperatingPoint
        From the highest threshold to the lowest; the best is ``max(points, key=lambda p: p.r_value)``.
    """
    best: list[NDArray[np.float64]] = []
    every: list[NDArray[np.float64]] = []
    n_ref, half = 0, 0.0
    for recording in scored_recordings(reference, candidates, tolerance, tie=tie):
        best.append(recording.tops)
        every.append(recording.scores)
        n_ref += len(recording.tops)
        half = recording.match.tolerance
    scored, tops = np.sort(np.concatenate(every)), np.sort(np.concatenate(best))
    thresholds = np.unique(scored)[::-1]
    hits = len(tops) - np.searchsorted(tops, thresholds)
    drawn = len(scored) - np.searchsorted(scored, thresholds)
    return [
        OperatingPoint(float(t), RegionScores(int(h), int(h), n_ref, int(n), half))
        for t, h, n in zip(thresholds, hits, drawn, strict=True)
    ]


class ScoredRecording(NamedTuple):
    """The candidates of a recording.

    Attributes
    ----------
    match : RegionMatch
        Candidates matched with reference boundaries.
    tops : array of float
        The highest score in the region of each reference boundary; -inf without a candidate.
    scores : array of float
        The scores of all candidates, in the order of their times.
    length : float
        The length of the recording, in seconds.
    """

    match: RegionMatch
    tops: NDArray[np.float64]
    scores: NDArray[np.float64]
    length: float


def scored_recordings(
    reference: Corpus,
    candidates: Mapping[tuple[str, str], tuple[Sequence[float], Sequence[float]]],
    tolerance: float | str,
    *,
    tie: Literal["earlier", "later"] = "earlier",
) -> Iterator[ScoredRecording]:
    """Match the scored candidates of every recording with its reference; parameters as in :func:`operating_points`."""
    for item, track, ours in _references(reference, candidates):
        times, scores = (np.asarray(column, np.float64) for column in candidates[item, track])
        if len(times) != len(scores) or not np.isfinite(scores).all():
            raise CaesuraError(f"item {item!r}: every candidate needs a finite score.")
        ticks = np.rint(times * 1e7)  # compared on a grid of 0.1 µs, because seconds are floats
        inner = (ticks != 0) & (ticks != round(ours.length * 1e7))  # the ends of a recording are no boundaries
        order = np.argsort(times[inner], kind="stable")
        kept = scores[inner][order]
        match = region_match(ours, times[inner][order], tolerance, tie=tie)
        tops = np.full(len(match.reference), -np.inf)
        inside = match.region_of >= 0
        np.maximum.at(tops, match.region_of[inside], kept[inside])
        yield ScoredRecording(match, tops, kept, float(ours.length))


def random_hit_rates(
    reference: Corpus | Recordings,
    tolerance: float | str,
    over_segmentation: Sequence[float],
    *,
    repeats: int = 10,
    seed: int = 0,
) -> NDArray[np.float64]:
    """Simulate random segmenters (figure 4 of Räsänen et al. 2009): boundaries are uniformly distributed over each recording.

    Every point and every repeat has its own random stream, so results do not depend on their order.

    Parameters
    ----------
    reference : Corpus or Recordings
        The recordings.
    tolerance : float or str
        Seconds, or "20ms".
    over_segmentation : sequence of float
        Over-segmentation in percent, one value per point.
    repeats : int, default 10
        Simulations per point.
    seed : int, default 0
        The seed of the random numbers.

    Returns
    -------
    ndarray
        Mean hit rates in percent.
    """
    from caesura.kernels.regions import REGIONS, RegionRule, count_matched
    from caesura.metrics.batch import Side, as_readonly_contiguous
    from caesura.metrics.time_grid import grid, half_width, ticks

    known = reference if isinstance(reference, Recordings) else Recordings.of(reference)
    scale = grid(1e-7)
    rule = RegionRule(ticks(half_width(tolerance), scale), scale, later=False, edges=True, matching=REGIONS)
    sizes = np.array([len(t) for t in known.times], np.int64)
    lengths = as_readonly_contiguous(np.array(known.lengths))
    ends = np.cumsum(sizes)
    ref = Side(np.concatenate(known.times) if known.times else np.empty(0), ends - sizes, ends).columns
    hits = np.zeros(len(over_segmentation))
    streams = np.random.SeedSequence(seed).spawn(len(over_segmentation) * repeats)
    for at, percent in enumerate(over_segmentation):
        drawn = np.rint(sizes * max(1.0 + percent / 100.0, 0.0)).astype(np.int64)
        stops = np.cumsum(drawn)
        row = np.repeat(np.arange(len(drawn)), drawn)
        for repeat in range(repeats):
            random = np.random.default_rng(streams[at * repeats + repeat])
            times = random.random(len(row)) * lengths[row]
            times = times[np.lexsort((times, row))]
            out = np.zeros((len(sizes), 4))
            count_matched(ref, Side(times, stops - drawn, stops).columns, lengths, rule, out)
            hits[at] += out[:, 0].sum()
    total = known.boundaries * repeats
    return 100.0 * hits / total if total else np.full(len(hits), np.nan)


def best_point(points: Sequence[OperatingPoint], by: Criterion = "R") -> OperatingPoint:
    """Return the point with the highest R or the least r1; of equal ones the highest threshold.

    Parameters
    ----------
    points : sequence of OperatingPoint
        The points, from the highest threshold to the lowest.
    by : {"R", "r1"}, default "R"
        What decides.

    Returns
    -------
    OperatingPoint
    """
    validate_choice("by", by, ("R", "r1"))
    if not points:
        raise CaesuraError("there are no operating points.")
    values = [p.r_value if by == "R" else -p.scores.r1 for p in points]
    return points[int(np.nanargmax(values))] if not np.isnan(values).all() else points[0]


def _pairs(reference: Corpus, hypothesis: Corpus) -> Iterator[tuple[str, str, Segmentation, Segmentation]]:
    """Pair tracks by name; tracks that only one side has are an error."""
    Pairs.between(reference, hypothesis)
    theirs: dict[tuple[str, str], list[Segmentation]] = {}
    for item, _, marks, track in hypothesis:
        if isinstance(marks, Segmentation):
            theirs.setdefault((item, track), []).append(marks)
    for item, _, marks, track in reference:
        if not isinstance(marks, Segmentation) or not marks.timed:
            raise CaesuraError(f"item {item!r} is not in time; regions need times in seconds.")
        for other in theirs[item, track]:
            yield item, track, marks, other


def _references(
    reference: Corpus, candidates: Mapping[tuple[str, str], Any]
) -> Iterator[tuple[str, str, Segmentation]]:
    keys = {(a.item, a.track) for a in reference}
    if apart := sorted(keys ^ set(candidates)):
        side, other, there = "the reference", "the candidates have", set(candidates)
        if apart[0] not in keys:
            side, other, there = "the candidates", "the reference has", keys
        known = (
            "; ".join(describe_location(*key) for key in sorted(there)[:3]) + ("; …" if len(there) > 3 else "")
            or "none"
        )
        raise CaesuraError(f"{describe_location(*apart[0])} is only in {side}; {other} {known}.")
    for item, _, marks, track in reference:
        if not isinstance(marks, Segmentation) or not marks.timed:
            raise CaesuraError(f"item {item!r} is not in time; regions need times in seconds.")
        yield item, track, marks
