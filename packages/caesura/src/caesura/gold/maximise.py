"""The annotation most similar to all annotators: the best annotator, or the maximum over all annotations.

A mean of scores over annotators can be maximised exactly by dynamic programming if the score is a sum over places of the text with
a denominator that the choice does not change:

F
    For a fixed number k of boundaries the denominators are fixed, and every place has a value of its own,
    Σ (1 + β²) / (β² |reference| + k) over the annotators who mark it: the best k places, for every k. O(n²).
PA
    Places are independent: a boundary where more than half have one. O(n · coders).
S, with n_t ≤ 2
    Whether a mismatch can still become half of a near miss depends only on the run of alternating choices that ends here: at most
    two times n states per place. O(n²) operations on bit masks.
Pk
    A window is wrong or right depending on whether the choice has a boundary in it: segments have costs of their own. O(n²).

B has the union of both sides in the denominator. Without near misses (n_t = 1) its mean is that of Jaccard indices, and finding
the set with the greatest mean Jaccard index is NP-hard (Chierichetti, Kumar, Pandey & Vassilvitskii 2010). S_f and A have no such
form either. For these metrics every candidate is tried if there are few; otherwise a local search starts from the annotations and
from votes. Each step compares all neighbours (one boundary more, one less, one moved by a unit; or one segment more or less) and
takes the best, until none is better. The result is at least as good as every start, but may not be the maximum, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from caesura.gold.nested_votes import Ballot, conflict_free_union, majority
from caesura.metrics import Batch, Metric, metric
from caesura.metrics.batch import Side
from caesura.metrics.boundaries import BoundaryEdits
from caesura.metrics.nested import Embeddedness
from caesura.metrics.windows import Windows
from caesura.model import DEFAULT_METRICS, Corpus, Hierarchy, Segmentation
from caesura.model.nested_notations import levels_from_nesting

FlatOrNested: TypeAlias = Segmentation | Hierarchy
#: One boolean per potential boundary, for every annotator.
Marked = NDArray[np.bool_]
#: Segments without conflicts, sorted: all (first, last) or all (first, last, level).
Selection: TypeAlias = tuple[tuple[int, ...], ...]
#: A candidate of the search: positions of boundaries, or segments.
Candidate = TypeVar("Candidate", bound=tuple[Any, ...])

_MAX_EXHAUSTIVE = 12  # up to this many potential boundaries, all segmentations are compared (4,096)
_MAX_FREE_UNITS = 400  # in longer texts, boundaries are only tried near boundaries of annotators
_NEIGHBOURHOOD = 2  # … up to this many units away
_EQUAL = 1e-12  # scores that differ by less are equal


def default_metric(marks: FlatOrNested, embeddedness: Embeddedness) -> Metric:
    """Return the default metric of this kind of annotation."""
    if isinstance(marks, Hierarchy):
        return metric(DEFAULT_METRICS["nested"], embeddedness=embeddedness)
    return metric(DEFAULT_METRICS["time" if marks.timed else "units"])


def similarities(
    measure: Metric, candidates: Sequence[FlatOrNested], annotations: Sequence[FlatOrNested]
) -> NDArray[np.float64]:
    """Score every candidate (hypothesis) against every annotation (reference), one row per candidate; penalties are negated."""
    reference = Corpus.from_annotations([("text", str(i), marks) for i, marks in enumerate(annotations)])
    hypothesis = Corpus.from_annotations([("text", str(i), marks) for i, marks in enumerate(candidates)])
    candidate, annotation = np.divmod(np.arange(len(candidates) * len(annotations)), len(annotations))
    scores = measure.score(measure.rows(Batch.of_corpora(reference, hypothesis, annotation, candidate)))
    return (scores if measure.higher_is_better else -scores).reshape(len(candidates), len(annotations))


def best_annotator(
    coders: Sequence[str], annotations: Sequence[FlatOrNested], measure: Metric
) -> tuple[int, NDArray[np.float64]]:
    """Find the annotation with the highest mean similarity to the others; return its index and all means.

    Ties go to the annotation with more marks, then to the leftmost marks, then to the first coder by name, so the order of
    annotations does not matter. Undefined scores are left out of a mean.
    """
    table = similarities(measure, annotations, annotations)
    np.fill_diagonal(table, np.nan)
    known = ~np.isnan(table)
    means = np.where(known, table, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)

    def rank(place: int) -> tuple[float, int, list[float], str]:
        annotation = annotations[place]
        marks = annotation.segments.ravel() if isinstance(annotation, Hierarchy) else annotation.positions
        return -round(float(means[place]), 12), -len(annotation), [float(mark) for mark in marks], coders[place]

    return min(range(len(annotations)), key=rank), means


# ---------------------------------------------------------------------- exact maxima


def exact_maximum(measure: Metric, marked: Marked) -> tuple[list[int], str] | None:
    """Return the best boundaries (positions from 1) and the method; None if no exact method is known.

    ``marked[i, p]`` is True if annotator ``i`` has a boundary after unit ``p + 1``. Ties go to fewer boundaries.
    """
    solve = _SOLVERS.get(measure.name)
    if solve is None or (isinstance(measure.family, BoundaryEdits) and measure.family.n_t > 2):
        return None
    return solve(measure, marked), "exact, by dynamic programming"


def _maximise_f(measure: Metric, marked: Marked) -> list[int]:
    sizes, squared = marked.sum(axis=1), measure.parameters["beta"] ** 2
    best_score, best = float((sizes == 0).sum()), np.empty(0, np.int64)
    for k in range(1, marked.shape[1] + 1):
        worth = ((1 + squared) / (squared * sizes + k)) @ marked
        top = np.argsort(-worth, kind="stable")[:k]
        if (score := float(worth[top].sum())) > best_score + 1e-12:
            best_score, best = score, top
    return [int(place) + 1 for place in np.sort(best)]


def _maximise_agreement(measure: Metric, marked: Marked) -> list[int]:
    return [int(place) + 1 for place in np.flatnonzero(2 * marked.sum(axis=0) > len(marked))]


def _maximise_s(measure: Metric, marked: Marked) -> list[int]:
    """Dynamic program over places; a state is the last choice and the annotators whose last mismatch is unpaired."""
    family = measure.family
    assert isinstance(family, BoundaryEdits)
    near = 1.0 if measure.parameters["weights"] == "unit" else float(family.span_weights[-1])
    second = near - 1.0 if family.n_t == 2 else 1.0  # cost that the second half of a near miss adds
    everyone = (1 << len(marked)) - 1
    # bit i of a mask is annotator i
    masks = [sum(1 << i for i in np.flatnonzero(column).tolist()) for column in marked.T]
    states: dict[tuple[int, int], tuple[float, int]] = {(0, 0): (0.0, 0)}
    trail: list[dict[tuple[int, int], tuple[int, int]]] = []
    for mask in masks:
        reached: dict[tuple[int, int], tuple[float, int]] = {}
        origin: dict[tuple[int, int], tuple[int, int]] = {}
        for (before, free), (cost, number) in states.items():
            for choice in (0, 1):
                wrong = everyone & ~mask if choice else mask
                paired = free & wrong if choice != before else 0
                alone = wrong & ~paired
                state = (choice, alone)
                reach = (cost + alone.bit_count() + second * paired.bit_count(), number + choice)
                if state not in reached or reach < reached[state]:
                    reached[state] = reach
                    origin[state] = (before, free)
        states = reached
        trail.append(origin)
    at = min(states, key=lambda s: states[s])
    backwards = []
    for place in range(len(trail), 0, -1):
        if at[0]:
            backwards.append(place)
        at = trail[place - 1][at]
    return backwards[::-1]


def _maximise_pk(measure: Metric, marked: Marked) -> list[int]:
    """Choose segments with the lowest cost of the windows inside them; each annotator has the same weight."""
    assert isinstance(measure.family, Windows)
    places = marked.shape[1]
    length = places + 1
    inside = np.zeros((length + 1, length + 1))  # inside[q, p]: cost of a segment of units q+1 … p, minus its savings
    for row in marked:
        k = measure.family.size(length, int(row.sum()))
        seen = np.concatenate(([0], np.cumsum(row)))
        holds = (seen[k:] - seen[:-k]) > 0
        gain = np.concatenate(([0.0], np.cumsum(2.0 * holds - 1.0))) / len(holds)
        starts, stops = np.meshgrid(np.arange(length + 1), np.arange(length + 1), indexing="ij")
        fits = stops - k > starts
        inside[fits] += gain[stops[fits] - k] - gain[starts[fits]]
    best, came = np.zeros(length + 1), np.zeros(length + 1, np.int64)
    for p in range(1, length + 1):
        totals = best[:p] + inside[:p, p]
        came[p] = int(np.argmin(np.round(totals, 12)))
        best[p] = totals[came[p]]
    backwards, at = [], int(came[length])
    while at > 0:
        backwards.append(at)
        at = int(came[at])
    return backwards[::-1]


#: Name of a score -> function that maximises its mean.
_SOLVERS: dict[str, Callable[[Metric, Marked], list[int]]] = {
    "F": _maximise_f,
    "PA": _maximise_agreement,
    "S": _maximise_s,
    "Pk": _maximise_pk,
}


def boundary_table(positions: Sequence[NDArray[np.int64]], length: int) -> Marked:
    """Convert boundaries to one boolean per place."""
    marked = np.zeros((len(positions), max(length - 1, 0)), bool)
    for row, where in zip(marked, positions, strict=True):
        row[where - 1] = True
    return marked


# ---------------------------------------------------------------------- search


def most_similar(annotations: Sequence[Segmentation], measure: Metric) -> tuple[list[int], float, str]:
    """Find boundaries with the greatest mean similarity to all annotations; return them, the mean score, and the method."""
    length = int(annotations[0].length)
    plain = [np.unique(marks.positions[marks.positions < length]).astype(np.int64) for marks in annotations]
    marked = boundary_table(plain, length)
    solution = exact_maximum(measure, marked)
    places = marked.shape[1]
    if solution is None and places <= _MAX_EXHAUSTIVE:
        every = [tuple(p + 1 for p in range(places) if mask >> p & 1) for mask in range(2**places)]
        scores = _means(every, plain, length, measure)
        best, _ = _best(dict(zip(every, scores.tolist(), strict=True)))
        solution = list(best), f"exact: all {2**places} segmentations were compared"
    if solution is None:
        starts = [*map(np.ndarray.tolist, plain)]
        votes = marked.sum(axis=0)
        starts += [(np.flatnonzero(votes >= least) + 1).tolist() for least in range(1, len(plain) + 1)]
        solution = _search(starts, plain, length, measure, marked)
    score = float(_means([solution[0]], plain, length, measure)[0])
    return solution[0], score if measure.higher_is_better else -score, solution[1]


def _search(
    starts: list[list[int]], plain: list[NDArray[np.int64]], length: int, measure: Metric, marked: NDArray[np.bool_]
) -> tuple[list[int], str]:
    """Search from every distinct start, and keep the best maximum."""
    anywhere = (np.arange(1, length) if length <= _MAX_FREE_UNITS else _places_near_boundaries(marked)).tolist()
    begun: dict[tuple[int, ...], None] = dict.fromkeys(map(tuple, starts))
    maxima = dict(
        _climb(
            start,
            lambda here: [tuple(n) for n in _neighbours(set(here), anywhere, length)],
            lambda some: _means(some, plain, length, measure),
        )
        for start in begun
    )
    best, _ = _best(maxima)
    return list(best), f"local search from {len(begun)} starts, not proved to be the best"


def _climb(
    here: Candidate,
    around: Callable[[Candidate], list[Candidate]],
    means: Callable[[list[Candidate]], NDArray[np.float64]],
) -> tuple[Candidate, float]:
    """Move to the best neighbour until none is better; return the maximum and its score."""
    score = float(means([here])[0])
    while neighbours := around(here):
        scores = means(neighbours)
        if scores.max() <= score + _EQUAL:
            break
        here, score = _best(dict(zip(neighbours, scores.tolist(), strict=True)))
    return here, score


def _best(scores_by_candidate: Mapping[Candidate, float]) -> tuple[Candidate, float]:
    """Return the best candidate and its score; of equal ones the one with fewest parts, then the leftmost."""
    top = max(scores_by_candidate.values())
    return min((p for p, score in scores_by_candidate.items() if score >= top - _EQUAL), key=lambda p: (len(p), p)), top


def _places_near_boundaries(marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    used = np.flatnonzero(marked.any(axis=0)) + 1
    around = (used[:, None] + np.arange(-_NEIGHBOURHOOD, _NEIGHBOURHOOD + 1)).ravel()
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
    """Return the mean score of every candidate over all annotations, in one batch; penalties are negated."""
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


def most_similar_nested(
    ballot: Ballot, annotations: Sequence[Hierarchy], measure: Metric
) -> tuple[Hierarchy, float, str]:
    """Search from the annotations, majority and conflict-free union by adding and removing segments of annotators."""
    full = ballot.embeddedness == "full"
    columns = (ballot.first, ballot.last, ballot.level) if full else (ballot.first, ballot.last)
    known = list(zip(*(c.tolist() for c in columns), strict=True))
    starts = [*annotations, conflict_free_union(ballot), majority(ballot)]
    maxima: dict[Selection, float] = {}
    begun: list[Selection] = [tuple(sorted({s if full else s[:2] for s in hierarchy.spans})) for hierarchy in starts]
    for start in dict.fromkeys(begun):
        here, score = _climb(
            start,
            lambda here: [n for n in _nested_neighbours(here, known) if n not in maxima],
            lambda some: _nested_means(some, annotations, measure, ballot.length),
        )
        maxima[here] = score
    best, top = _best(maxima)
    how = "local search from the annotations, the majority and the conflict-free union, not proved to be the best"
    return _hierarchy(best, ballot.length), top if measure.higher_is_better else -top, how


def _nested_neighbours(here: Selection, known: list[tuple[int, ...]]) -> Iterable[Selection]:
    """Yield selections with one segment less, and with one more instead of all segments in conflict with it."""
    for segment in known:
        if segment in here:
            yield tuple(s for s in here if s != segment)
        else:
            yield tuple(sorted([*(s for s in here if not _in_conflict(s, segment)), segment]))


def _in_conflict(first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    if second[0] < first[0] or (second[0] == first[0] and second[1] > first[1]):
        first, second = second, first
    if second[0] > first[1]:
        return False
    return second[1] > first[1] or (len(first) > 2 and (second[2] <= first[2] or first[:2] == second[:2]))


def _hierarchy(spans: Selection, length: int) -> Hierarchy:
    """Make a hierarchy without validation: the search makes thousands of valid ones."""
    triples = list(spans) if spans and len(spans[0]) > 2 else levels_from_nesting([(s[0], s[1]) for s in spans])
    outermost_first = sorted(triples, key=lambda t: (t[2], t[0], -t[1]))
    return Hierarchy._trusted(length, np.array(outermost_first, dtype=np.int64).reshape(-1, 3))


def _nested_means(
    candidates: Sequence[Selection], annotations: Sequence[Hierarchy], measure: Metric, length: int
) -> NDArray[np.float64]:
    return _mean(similarities(measure, [_hierarchy(c, length) for c in candidates], annotations))
