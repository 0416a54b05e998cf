"""The annotation most like all annotators, by search: every candidate where they are few, else steps uphill from good starts.

Each step looks at all neighbours at once (a boundary more, one less, one moved by a unit; or a segment more, one less) and takes
the best; it ends where none is better. What it finds is at least as good as every start: the best annotator, and what votes give.
It is not proved to be the best there is, and the result says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from caesura.gold.best_annotator import likeness
from caesura.gold.nested_votes import conflict_free_union, majority
from caesura.gold.optima import marks_of, optimum
from caesura.gold.votes import Ballot
from caesura.metrics import Batch, Metric
from caesura.metrics.batch import Side
from caesura.model import Hierarchy, Segmentation
from caesura.model.nested_notations import add_levels

#: Segments that never conflict, sorted: (first, last) or (first, last, level) throughout.
Selection: TypeAlias = tuple[tuple[int, ...], ...]
#: What a climb stands on: positions of boundaries, or segments.
Place = TypeVar("Place", bound=tuple[Any, ...])

_EVERY = 12  # potential boundaries up to which all segmentations are looked at: 4,096 of them
_ALL_PLACES = 400  # units up to which a boundary may go anywhere; beyond, only near somebody's boundary
_NEAR = 2
_LEVEL = 1e-12  # scores closer than this are equal


def most_alike(annotations: Sequence[Segmentation], measure: Metric) -> tuple[list[int], float, str]:
    """Find boundaries with the greatest mean likeness to all annotations; return them, the mean score, and how they were found."""
    length = int(annotations[0].length)
    plain = [np.unique(marks.positions[marks.positions < length]).astype(np.int64) for marks in annotations]
    marked = marks_of(plain, length)
    solution = optimum(measure, marked)
    places = marked.shape[1]
    if solution is None and places <= _EVERY:
        every = [tuple(p + 1 for p in range(places) if mask >> p & 1) for mask in range(2**places)]
        scores = _means(every, plain, length, measure)
        best, _ = _highest(dict(zip(every, scores.tolist(), strict=True)))
        solution = list(best), f"exact: all {2**places} segmentations were compared"
    if solution is None:
        starts = [*map(np.ndarray.tolist, plain)]
        votes = marked.sum(axis=0)
        starts += [(np.flatnonzero(votes >= least) + 1).tolist() for least in range(1, len(plain) + 1)]
        solution = _climb(starts, plain, length, measure, marked)
    score = float(_means([solution[0]], plain, length, measure)[0])
    return solution[0], score if measure.higher_is_better else -score, solution[1]


def _climb(
    starts: list[list[int]], plain: list[NDArray[np.int64]], length: int, measure: Metric, marked: NDArray[np.bool_]
) -> tuple[list[int], str]:
    """Climb from every distinct start; the best summit is kept."""
    anywhere = (np.arange(1, length) if length <= _ALL_PLACES else _near(marked)).tolist()
    begun: dict[tuple[int, ...], None] = dict.fromkeys(map(tuple, starts))
    summits = dict(
        _summit(
            start,
            lambda here: [tuple(n) for n in _neighbours(set(here), anywhere, length)],
            lambda some: _means(some, plain, length, measure),
        )
        for start in begun
    )
    best, _ = _highest(summits)
    return list(best), f"local search from {len(begun)} starts, not proved to be the best"


def _summit(
    here: Place, around: Callable[[Place], list[Place]], means: Callable[[list[Place]], NDArray[np.float64]]
) -> tuple[Place, float]:
    """Climb to the best neighbour until none is better; return where that is, and how high."""
    height = float(means([here])[0])
    while neighbours := around(here):
        scores = means(neighbours)
        if scores.max() <= height + _LEVEL:
            break
        here, height = _highest(dict(zip(neighbours, scores.tolist(), strict=True)))
    return here, height


def _highest(heights: Mapping[Place, float]) -> tuple[Place, float]:
    """Return the best of all and its height; of equal ones the one with fewer parts, then the leftmost."""
    top = max(heights.values())
    return min((p for p, height in heights.items() if height >= top - _LEVEL), key=lambda p: (len(p), p)), top


def _near(marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    used = np.flatnonzero(marked.any(axis=0)) + 1
    around = (used[:, None] + np.arange(-_NEAR, _NEAR + 1)).ravel()
    return np.unique(around[(around >= 1) & (around <= marked.shape[1])])


def _neighbours(here: set[int], anywhere: list[int], length: int) -> Iterable[list[int]]:
    for place in anywhere:
        yield sorted(here ^ {place})
    for place in sorted(here):
        for moved in (place - 1, place + 1):
            if 1 <= moved < length and moved not in here:
                yield sorted((here - {place}) | {moved})


def _means(
    candidates: Sequence[Sequence[int]], plain: list[NDArray[np.int64]], length: int, measure: Metric
) -> NDArray[np.float64]:
    """Score every candidate against every annotation in one batch; larger is more alike, undefined scores do not count."""
    number, coders = len(candidates), len(plain)
    sizes = np.array([len(c) for c in candidates], dtype=np.int64)
    stops = np.cumsum(sizes)
    joined = np.array([p for c in candidates for p in c], dtype=np.int64)
    own = np.cumsum([len(p) for p in plain])
    hypothesis = Side(joined, np.repeat(stops - sizes, coders), np.repeat(stops, coders))
    reference = Side(
        np.concatenate(plain), np.tile(own - [len(p) for p in plain], number).astype(np.int64), np.tile(own, number)
    )
    batch = Batch("units", np.full(number * coders, length, np.int64), reference, hypothesis)
    scores = measure.score(measure.rows(batch)).reshape(number, coders)
    return _mean(scores if measure.higher_is_better else -scores)


def _mean(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    known = ~np.isnan(scores)
    means: NDArray[np.float64] = np.where(known, scores, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return means


def most_alike_nested(
    ballot: Ballot, annotations: Sequence[Hierarchy], measure: Metric
) -> tuple[Hierarchy, float, str]:
    """Climb from annotations, majority and conflict-free union by adding and taking away segments that somebody has."""
    full = ballot.embeddedness == "full"
    columns = (ballot.first, ballot.last, ballot.level) if full else (ballot.first, ballot.last)
    known = list(zip(*(c.tolist() for c in columns), strict=True))
    starts = [*annotations, conflict_free_union(ballot), majority(ballot)]
    summits: dict[Selection, float] = {}
    begun: list[Selection] = [tuple(sorted({s if full else s[:2] for s in hierarchy.spans})) for hierarchy in starts]
    for start in dict.fromkeys(begun):
        here, height = _summit(
            start,
            lambda here: [n for n in _nested_neighbours(here, known) if n not in summits],
            lambda some: _nested_means(some, annotations, measure, ballot.length),
        )
        summits[here] = height
    best, top = _highest(summits)
    how = "local search from the annotations, the majority and the conflict-free union, not proved to be the best"
    return _hierarchy(best, ballot.length), top if measure.higher_is_better else -top, how


def _nested_neighbours(here: Selection, known: list[tuple[int, ...]]) -> Iterable[Selection]:
    """Yield what remains without one segment, and with one more in the place of all that conflict with it."""
    for segment in known:
        if segment in here:
            yield tuple(s for s in here if s != segment)
        else:
            yield tuple(sorted([*(s for s in here if not _clash(s, segment)), segment]))


def _clash(first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    if second[0] < first[0] or (second[0] == first[0] and second[1] > first[1]):
        first, second = second, first
    if second[0] > first[1]:
        return False
    return second[1] > first[1] or (len(first) > 2 and (second[2] <= first[2] or first[:2] == second[:2]))


def _hierarchy(spans: Selection, length: int) -> Hierarchy:
    """Skip the checks that the search has made: a climb builds thousands of these."""
    triples = list(spans) if spans and len(spans[0]) > 2 else add_levels([(s[0], s[1]) for s in spans])
    outermost_first = sorted(triples, key=lambda t: (t[2], t[0], -t[1]))
    return Hierarchy._trusted(length, np.array(outermost_first, dtype=np.int64).reshape(-1, 3))


def _nested_means(
    candidates: Sequence[Selection], annotations: Sequence[Hierarchy], measure: Metric, length: int
) -> NDArray[np.float64]:
    return _mean(likeness(measure, [_hierarchy(c, length) for c in candidates], annotations))
