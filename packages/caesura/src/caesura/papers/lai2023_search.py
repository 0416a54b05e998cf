"""Searches of Lai, Li & Zhang (2023) for repeating their numbers: algorithm 1 as printed, and the two steps that they contrast with it.

Both return a cost that is never below the least one, which :func:`caesura.flexible_operations` finds.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from caesura.errors import LengthMismatch
from caesura.metrics.similarity import Similarity, SimilarityLike, as_similarity

__all__ = ["algorithm_1", "two_steps"]

_Labels = tuple[str, ...]


def algorithm_1(
    first: Sequence[str], second: Sequence[str], similarity: SimilarityLike = None, transposition: float | None = None
) -> float:
    """Return the cost that algorithm 1 (parDist) finds, as printed.

    The printed ``t[1]`` in the cost of a move whose first annotation begins with no boundary is ∅ where the other boundary lies later, so
    the move costs what the moved boundary costs: ``c[t[i]]`` for the type that is moved.

    Parameters
    ----------
    first, second : sequence of str
        The type at each place of either annotation; "" is no boundary.
    similarity : Similarity, default None
        The matrix M_T; None is the identity.
    transposition : float, default None
        The cost of moving a boundary by one place; None is half the cost of deleting it.

    Returns
    -------
    float

    Examples
    --------
    >>> algorithm_1(["p", "", "r", "", "q"], ["q", "r", "", "p", "r"])  # figure 2
    3.5
    """
    scale, places = _scale(first, second, similarity, transposition)

    def change(p: str, q: str) -> float:
        return float(scale.costs[places[p], places[q]])

    def move(q: str) -> float:
        return float(scale.moves[places[q]])

    @cache
    def par_dist(one: _Labels, other: _Labels) -> float:
        if not one:
            return 0.0
        p, q = one[0], other[0]
        if p == q or (p and q) or len(one) == 1:
            return change(p, q) + par_dist(one[1:], other[1:])
        both = next((i for i in range(len(one)) if one[i] and other[i]), None)
        if both is not None:
            here = change(one[both], other[both])
            return here + par_dist(one[:both], other[:both]) + par_dist(one[both + 1 :], other[both + 1 :])
        apart = change(p, q) + par_dist(one[1:], other[1:])
        searched = other if p else one  # the list whose first place is empty
        later = next((i for i in range(1, len(one)) if searched[i]), None)
        if later is None:
            return apart
        moved = other[later] if p else q
        swapped = list(other)
        swapped[0], swapped[later] = swapped[later], swapped[0]
        return min(apart, move(moved) * later + par_dist(one, tuple(swapped)))

    return par_dist(tuple(first), tuple(second))


def two_steps(
    first: Sequence[str], second: Sequence[str], similarity: SimilarityLike = None, transposition: float | None = None
) -> float:
    """Return the cost if boundaries are aligned without their types first, and types are compared afterwards.

    The first step aligns places of boundaries with the identity matrix; the second adds the cost of the types of aligned boundaries, of the
    moves and of boundaries without a partner.

    Parameters
    ----------
    first, second : sequence of str
        The type at each place of either annotation; "" is no boundary.
    similarity : Similarity, default None
        The matrix M_T; None is the identity.
    transposition : float, default None
        The cost of moving a boundary by one place; None is half the cost of deleting it.

    Returns
    -------
    float

    Examples
    --------
    >>> two_steps(["p", "", ""], ["", "q", ""])  # one boundary, moved and changed
    1.5
    """
    from caesura.metrics.operations import flexible_operations
    from caesura.model import Segmentation

    scale, places = _scale(first, second, similarity, transposition)
    one, other = (Segmentation.from_labels_at(["x" if label else "" for label in labels]) for labels in (first, second))
    cost = 0.0
    for edit in flexible_operations(one, other, transposition=transposition):
        old, new = edit.reference, edit.hypothesis
        p = "" if old is None else first[int(old) - 1]
        q = "" if new is None else second[int(new) - 1]
        steps = 0 if old is None or new is None else abs(int(new) - int(old))
        cost += float(scale.costs[places[p], places[q]]) + (steps * float(scale.moves[places[q]]) if steps else 0.0)
    return cost


def _scale(
    first: Sequence[str], second: Sequence[str], similarity: SimilarityLike, transposition: float | None
) -> tuple[Similarity, dict[str, int]]:
    """Return the matrix for the types of both annotations, and the row of each type; "" is the last row."""
    if len(first) != len(second):
        raise LengthMismatch(f"the annotations have {len(first)} and {len(second)} places; expected the same number.")
    types = sorted({label for label in (*first, *second) if label}) or ["x"]
    scale = as_similarity(similarity, types, transposition)
    return scale, {**{label: row for row, label in enumerate(scale.labels)}, "": len(scale.labels)}
