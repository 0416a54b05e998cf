"""Speech by speaker and by boundary class, operating points of a segmenter, and random segmenters to compare with."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.display.result import Result
from caesura.display.table import Cell, Rounded, Table, spell
from caesura.errors import CaesuraError
from caesura.metrics.performance_plane import Recordings
from caesura.metrics.region_match import region_match
from caesura.metrics.regions import RegionScores, r_value, region_scores
from caesura.model import Corpus, Pairs, Segmentation
from caesura.words import number_of

_SHOWN = 12  # rows of the table of a long curve; the data has all of them

#: What scores are gathered by: every recording, every speaker (a track, or the attribute "speaker"), or all together.
Grouping: TypeAlias = Literal["item", "speaker", "all"]


@dataclass(frozen=True)
class BoundaryClass:
    """All reference boundaries between two labels, and how many of them were found."""

    left: str
    right: str
    hits: int
    boundaries: int

    @property
    def missed(self) -> int:
        """How many nothing found."""
        return self.boundaries - self.hits

    @property
    def miss_rate(self) -> float:
        """Percentage that nothing found."""
        return 100.0 * self.missed / self.boundaries


def region_groups(
    reference: Corpus, hypothesis: Corpus, tolerance: float | str = 0.02, *, by: Grouping = "speaker", **options: Any
) -> dict[str, RegionScores]:
    """Pool counts by recording or by speaker, then score; options are those of ``region_scores``.

    >>> from caesura.samples import load
    >>> phones = load("phones")
    >>> ann, aligner = phones.select(coders=["ann"]), phones.select(coders=["aligner"])
    >>> region_groups(ann, aligner, by="all")["all"].hits
    17
    """
    if by not in ("item", "speaker", "all"):
        raise CaesuraError(f"scores are gathered by item, speaker or all, not by {by!r}.")
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
    """Count, for every two neighbouring labels of the reference, how often the boundary between them was missed.

    The most missed come first; ties by name.
    """
    hits: Counter[tuple[str, str]] = Counter()
    all_of_them: Counter[tuple[str, str]] = Counter()
    for item, _, ours, theirs in _pairs(reference, hypothesis):
        if ours.names is None:
            raise CaesuraError(f"item {item!r}: the reference has no labels, so its boundaries have no classes.")
        match = region_match(Segmentation(ours.length, ours._cuts(), names=ours.names), theirs, tolerance, **options)
        at = np.searchsorted(ours._cuts(), match.reference)
        for place, deleted in zip(at.tolist(), match.deleted.tolist(), strict=True):
            pair = ours.names[place], ours.names[place + 1]
            all_of_them[pair] += 1
            hits[pair] += not deleted
    classes = [BoundaryClass(*pair, hits[pair], number) for pair, number in all_of_them.items()]
    return sorted(classes, key=lambda c: (-c.missed, c.left, c.right))


@dataclass(frozen=True)
class OperatingPoint:
    """A threshold on scores (None: a system as it is), what stays above it, and where that lies in the plane."""

    threshold: float | None
    scores: RegionScores
    name: str = ""

    @property
    def r_value(self) -> float:
        """R (8)."""
        return self.scores.r_value


@dataclass(frozen=True, repr=False)
class OperatingPoints(Result):
    """Every operating point of one or several systems, and which of them is best by R."""

    points: tuple[OperatingPoint, ...]
    tolerance: float

    @cached_property
    def best(self) -> OperatingPoint:
        """The point of the highest R."""
        return best_r(self.points)

    def tables(self) -> Sequence[Table]:
        """A fair share of the points with the best among them, and the threshold to keep."""
        step, best = max(1, len(self.points) // _SHOWN), self.best
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
                "◀ best R" if p is best else "",
            )
            for p in shown
        ]
        columns = ("threshold", "boundaries", "hits", "HR, %", "OS, %", "F", "R", "")
        caption = f"{number_of(len(self.points), 'operating point')} at ± {1000 * self.tolerance:g} ms"
        advice = (
            f"Keep what scores {self.shortest_threshold()} or more: R {spell(best.r_value)}. "
            "Check it on recordings not used here."
        )
        notes = () if best.threshold is None else (advice,)
        return [Table(caption, (*(("system",) if several else ()), *columns), tuple(rows), notes)]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON: the best point, and all of them."""
        points = [{"system": p.name, "threshold": p.threshold, **p.scores.as_dict()} for p in self.points]
        return {"best": points[next(i for i, p in enumerate(self.points) if p is self.best)], "points": points}

    def shortest_threshold(self) -> str:
        """Spell the best threshold in as few digits as keep what it kept: rounded up, it would drop the boundary it was taken from."""
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
    """Score a segmenter at every threshold of its own scores; a candidate stays where its score is at least the threshold.

    A hypothesis belongs to its nearest boundary whoever else is there, so a boundary is hit at every threshold up to the
    best score in its region: one sweep gives all thresholds exactly.

    Parameters
    ----------
    candidates
        For (item, track), the times and scores of everything the segmenter considered.

    Returns
    -------
    list of OperatingPoint
        From the highest threshold to the lowest; the best is ``max(points, key=lambda p: p.r_value)``.
    """
    best: list[NDArray[np.float64]] = []
    every: list[NDArray[np.float64]] = []
    n_ref, half = 0, 0.0
    for item, track, ours in _references(reference, candidates):
        times, scores = (np.asarray(column, np.float64) for column in candidates[item, track])
        if len(times) != len(scores) or not np.isfinite(scores).all():
            raise CaesuraError(f"item {item!r}: every candidate boundary needs one finite score.")
        laid = np.rint(times * 1e7)
        inner = (laid != 0) & (laid != round(ours.length * 1e7))  # the ends of a recording are no boundaries
        order = np.argsort(times[inner], kind="stable")
        kept = scores[inner][order]
        match = region_match(ours, times[inner][order], tolerance, tie=tie)
        top = np.full(len(match.reference), -np.inf)
        inside = match.region_of >= 0
        np.maximum.at(top, match.region_of[inside], kept[inside])
        best.append(top)
        every.append(kept)
        n_ref += len(match.reference)
        half = match.tolerance
    scored, tops = np.sort(np.concatenate(every)), np.sort(np.concatenate(best))
    thresholds = np.unique(scored)[::-1]
    hits = len(tops) - np.searchsorted(tops, thresholds)
    drawn = len(scored) - np.searchsorted(scored, thresholds)
    return [
        OperatingPoint(float(t), RegionScores(int(h), int(h), n_ref, int(n), half))
        for t, h, n in zip(thresholds, hits, drawn, strict=True)
    ]


def random_hit_rates(
    reference: Corpus | Recordings,
    tolerance: float | str,
    over_segmentation: Sequence[float],
    *,
    repeats: int = 10,
    seed: int = 0,
) -> NDArray[np.float64]:
    """Simulate figure 4: draw boundaries evenly over each recording, count, and return the mean hit rates in percent.

    Every point of the curve and every repeat has a random stream of its own, so the numbers do not depend on their order.
    """
    from caesura.kernels.regions import REGIONS, RegionRule, count_matched
    from caesura.metrics.batch import Side, one_layout
    from caesura.metrics.time_grid import grid, seconds, ticks

    known = reference if isinstance(reference, Recordings) else Recordings.of(reference)
    scale = grid(1e-7)
    rule = RegionRule(ticks(seconds(tolerance), scale), scale, later=False, edges=True, matching=REGIONS)
    sizes = np.array([len(t) for t in known.times], np.int64)
    lengths = one_layout(np.array(known.lengths))
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


def best_r(points: Sequence[OperatingPoint]) -> OperatingPoint:
    """Return the point of best R; the higher threshold, with fewer insertions, among equals."""
    if not points:
        raise CaesuraError("there is no operating point to choose from.")
    values = [r_value(p.scores.hit_rate, p.scores.over_segmentation) for p in points]
    return points[int(np.nanargmax(values))] if not np.isnan(values).all() else points[0]


def _pairs(reference: Corpus, hypothesis: Corpus) -> Iterator[tuple[str, str, Segmentation, Segmentation]]:
    """Pair tracks by name; what only one side has is refused by name."""
    Pairs.between(reference, hypothesis)
    theirs: dict[tuple[str, str], list[Segmentation]] = {}
    for item, _, marks, track in hypothesis:
        if isinstance(marks, Segmentation):
            theirs.setdefault((item, track), []).append(marks)
    for item, _, marks, track in reference:
        if not isinstance(marks, Segmentation) or not marks.timed:
            raise CaesuraError(f"item {item!r} is not in time; regions lie around times in seconds.")
        for other in theirs[item, track]:
            yield item, track, marks, other


def _references(
    reference: Corpus, candidates: Mapping[tuple[str, str], Any]
) -> Iterator[tuple[str, str, Segmentation]]:
    keys = {(a.item, a.track) for a in reference}
    if apart := sorted(keys ^ set(candidates)):
        item, track = apart[0]
        side = "the reference" if apart[0] in keys else "the candidates"
        raise CaesuraError(f"item {item!r}{f' ({track})' if track else ''} is only in {side}.")
    for item, _, marks, track in reference:
        if not isinstance(marks, Segmentation) or not marks.timed:
            raise CaesuraError(f"item {item!r} is not in time; regions lie around times in seconds.")
        yield item, track, marks
