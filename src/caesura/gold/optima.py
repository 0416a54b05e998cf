"""The linear segmentation most like all annotators, exactly, for the metrics that allow it.

A mean of scores over annotators can be maximised by dynamic programming where the score is a sum over places of the text with a
denominator that the choice cannot change:

F
    For a fixed number k of boundaries the denominators are fixed, and every place has a worth of its own,
    Σ (1 + β²) / (β² |reference| + k) over those who have it: the best k places, for every k. O(n²).
PA
    Every place is by itself: a boundary where more than half have one. O(n · coders).
S, with n_t ≤ 2
    Whether a mismatch is still free to be half of a near miss depends on the run of alternating choices that ends here, and on
    nothing before it: at most two times n states a place. O(n²) of bit masks.
Pk
    A window is wrong or right by whether the choice has a boundary in it: segments have costs of their own. O(n²).

B has the union of both sides below the line. Without near misses (n_t = 1) its mean is that of Jaccard indices, and the set
with the greatest mean Jaccard index is NP-hard to find (Chierichetti, Kumar, Pandey & Vassilvitskii 2010). S_f and A have no such
form either. They are searched: see :mod:`caesura.gold.search`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from caesura.metrics import Metric
from caesura.metrics.boundary_edits import BoundaryEdits
from caesura.metrics.windows import Windows

#: One boolean a potential boundary, for every annotator.
Marked = NDArray[np.bool_]


def optimum(measure: Metric, marked: Marked) -> tuple[list[int], str] | None:
    """Find the best boundaries (positions from 1) and say how; None where no exact method is known.

    ``marked[i, p]`` says whether annotator ``i`` has a boundary after unit ``p + 1``. Equal scores go to fewer boundaries.
    """
    solve = _SOLVERS.get(measure.name)
    if solve is None or (isinstance(measure.family, BoundaryEdits) and measure.family.n_t > 2):
        return None
    return solve(measure, marked), "exact, by dynamic programming"


def _of_f(measure: Metric, marked: Marked) -> list[int]:
    sizes, squared = marked.sum(axis=1), measure.parameters["beta"] ** 2
    best_score, best = float((sizes == 0).sum()), np.empty(0, np.int64)
    for k in range(1, marked.shape[1] + 1):
        worth = ((1 + squared) / (squared * sizes + k)) @ marked
        top = np.argsort(-worth, kind="stable")[:k]
        if (score := float(worth[top].sum())) > best_score + 1e-12:
            best_score, best = score, top
    return [int(place) + 1 for place in np.sort(best)]


def _of_agreement(measure: Metric, marked: Marked) -> list[int]:
    return [int(place) + 1 for place in np.flatnonzero(2 * marked.sum(axis=0) > len(marked))]


def _of_s(measure: Metric, marked: Marked) -> list[int]:
    """Go through the places with, for both choices, every set of annotators whose last mismatch is still free."""
    family = measure.family
    assert isinstance(family, BoundaryEdits)
    near = 1.0 if measure.parameters["weights"] == "unit" else float(family.span_weights[-1])
    second = near - 1.0 if family.n_t == 2 else 1.0  # what the other half of a near miss adds to the cost of the first
    everyone = (1 << len(marked)) - 1
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


def _of_pk(measure: Metric, marked: Marked) -> list[int]:
    """Cut where the windows that lie inside segments cost least; every window has the weight of its annotator."""
    assert isinstance(measure.family, Windows)
    places = marked.shape[1]
    length = places + 1
    inside = np.zeros(
        (length + 1, length + 1)
    )  # inside[q, p]: what a segment of units q+1 … p costs more than it saves
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


#: Name of a score -> how its mean is maximised.
_SOLVERS: dict[str, Callable[[Metric, Marked], list[int]]] = {"F": _of_f, "PA": _of_agreement, "S": _of_s, "Pk": _of_pk}


def marks_of(positions: Sequence[NDArray[np.int64]], length: int) -> Marked:
    """Lay boundaries out as one boolean per place."""
    marked = np.zeros((len(positions), max(length - 1, 0)), bool)
    for row, where in zip(marked, positions, strict=True):
        row[where - 1] = True
    return marked
