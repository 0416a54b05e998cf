"""Out of all segments, the selection that never crosses itself and weighs most: exact, with ties broken the same way always.

What may stand inside what is a table of contexts (see :mod:`caesura.kernels.laminar`):

flat
    one context; any span may stand inside any other that contains it;
depth
    one context per level; a segment of level ℓ stands directly inside one of level ℓ - 1 (level 1: at the top), so that levels are
    the nesting depth; where annotators themselves skip a level, the step they made is allowed too;
order
    a segment stands inside any of a lower level.

One span stands on two levels of a selection only if an annotator put it there.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import lcm
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.gold.votes import Ballot, Vote

#: How much a segment weighs: its votes, its votes less the votes that conflict with it, or what a function says of it.
Weight: TypeAlias = Literal["votes", "votes-conflicts"] | Callable[[Vote], float]

_LARGEST = 2**61


def weigh(ballot: Ballot, weight: Weight) -> NDArray[np.int64]:
    """Weigh every segment in whole numbers, so that sums are exact and ties are ties.

    What a function returns is scaled to whole numbers: exactly where that fits, else to 1 part in 2^61 / (sum of weights).
    """
    if weight == "votes":
        return ballot.votes
    if weight == "votes-conflicts":
        return ballot.votes - ballot.conflicting_votes()
    if not callable(weight):
        raise CaesuraError(
            f"weight is {weight!r}; expected 'votes', 'votes-conflicts' or a function of a segment's votes."
        )
    given = [weight(ballot.vote(row)) for row in range(len(ballot))]
    for row, value in enumerate(given):
        if not isinstance(value, (int, float, np.number)) or not np.isfinite(value):
            raise CaesuraError(f"the weight of segment {ballot.vote(row)} is {value!r}; every weight must be finite.")
    exact = [Fraction(value) for value in given]
    total = sum(map(abs, exact), Fraction(1))
    scale = lcm(*(value.denominator for value in exact))
    if total * scale > _LARGEST:
        scale = 2 ** (int(_LARGEST / total).bit_length() - 1)
    return np.array([round(value * scale) for value in exact], dtype=np.int64)


def heaviest(
    ballot: Ballot, weights: NDArray[np.int64], rule: Literal["depth", "order"], among: NDArray[np.bool_] | None = None
) -> NDArray[np.bool_]:
    """Mark the heaviest selection; ties go to more segments, then to more units covered, then to the leftmost.

    ``among`` restricts the segments that may be chosen. Flat ballots have no levels, so the rule does not matter to them.
    """
    from caesura.kernels.laminar import Choices, heaviest_laminar

    rows = np.arange(len(ballot)) if among is None else np.flatnonzero(among)
    first, last = ballot.first[rows], ballot.last[rows]
    edges = np.unique(np.concatenate((first - 1, last, [0])))
    left, right = np.searchsorted(edges, first - 1), np.searchsorted(edges, last)
    gains = np.stack((weights[rows], np.ones(len(rows), np.int64), last - first + 1), axis=1)
    if ballot.embeddedness == "flat":
        inside = np.zeros(len(rows), np.int64)
        allowed = np.stack((inside, np.arange(len(rows))), axis=1)
        contexts = 1
    else:
        inside, allowed, contexts = _contexts(ballot, rows, rule)
    options = _options(allowed, left, right, inside, len(edges), contexts)
    chosen = np.zeros(len(rows), np.int64)
    spans = Choices(left, right, inside, *options, *_stacks(ballot, rows), len(edges))
    heaviest_laminar(spans, gains, contexts, chosen)
    marked = np.zeros(len(ballot), bool)
    marked[rows[chosen == 1]] = True
    return marked


def _contexts(
    ballot: Ballot, rows: NDArray[np.int64], rule: Literal["depth", "order"]
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Number the levels as contexts (0 is the top), and pair every context with the segments allowed in it."""
    level = ballot.level[rows]
    known = np.unique(np.concatenate(([0], level)))
    inside = np.searchsorted(known, level)
    number = np.arange(len(rows))
    if rule == "order":
        pairs = [np.stack((np.full((inside > c).sum(), c), number[inside > c]), axis=1) for c in range(len(known))]
        return inside, np.concatenate(pairs), len(known)
    follows = np.isin(level - 1, known)
    regular = np.stack((np.searchsorted(known, level[follows] - 1), number[follows]), axis=1)
    place = np.full(len(ballot), -1)
    place[rows] = number
    steps = ballot.steps[(place[ballot.steps[:, 1]] >= 0) & np.isin(ballot.steps[:, 0], known)]
    observed = np.stack((np.searchsorted(known, steps[:, 0]), place[steps[:, 1]]), axis=1)
    return inside, np.unique(np.concatenate((regular, observed)), axis=0), len(known)


def _options(
    allowed: NDArray[np.int64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    inside: NDArray[np.int64],
    points: int,
    contexts: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """List the segments allowed in a context by left point, shortest first, the deepest of one span first."""
    context, segment = allowed.T
    order = np.lexsort((-inside[segment], right[segment], left[segment], context))
    slot = (context * points + left[segment])[order]
    return np.searchsorted(slot, np.arange(contexts * points + 1)), segment[order].astype(np.int64)


def _stacks(ballot: Ballot, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    place = np.full(len(ballot), -1)
    place[rows] = np.arange(len(rows))
    pairs = place[ballot.stacked]
    pairs = pairs[(pairs >= 0).all(axis=1)]
    pairs = pairs[np.lexsort((-pairs[:, 1], pairs[:, 0]))]  # the deepest level first: the last of equals is taken
    return np.searchsorted(pairs[:, 0], np.arange(len(rows) + 1)), pairs[:, 1].astype(np.int64)
