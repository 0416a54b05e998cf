"""Searches of Lai, Li & Zhang (2023) for repeating their numbers: algorithm 1 as printed and as their program has it, and the two steps that they contrast with it.

All find a cost that is never below the least one, which :func:`caesura.flexible_operations` finds.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from caesura.errors import CaesuraError, LengthMismatch
from caesura.metrics.similarity import Similarity, SimilarityLike, as_similarity
from caesura.text import shorten

__all__ = ["Found", "algorithm_1", "authors_search", "two_steps"]

_Labels = tuple[str, ...]


class Found(NamedTuple):
    """What a search found.

    Attributes
    ----------
    cost : float
        The cost of all operations.
    edits : int
        The number of edits and correct boundaries, by which S_f^B divides.
    """

    cost: float
    edits: int


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
    return _par_dist(tuple(first), tuple(second), scale, places, as_printed=True).cost


def authors_search(
    first: Sequence[str], second: Sequence[str], similarity: SimilarityLike = None, transposition: float | None = None
) -> Found:
    """Return the cost and the number of edits that the authors' program (segsimflex) finds.

    The text is split where both annotators have a boundary (section 3.2), and algorithm 1 searches the parts. The program differs from the paper
    in two ways: a move always costs what the type at the other end of the move costs, also where the printed algorithm takes that of the moved boundary,
    and a boundary that is moved to the last place of a part and changed there counts as two edits.

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
    Found

    Examples
    --------
    >>> authors_search(["p", "", "r", "", "q"], ["q", "r", "", "p", "r"])  # figure 2
    Found(cost=3.5, edits=4)
    >>> authors_search(["", "p"], ["q", ""])  # moved, and changed at the last place
    Found(cost=1.5, edits=2)
    """
    scale, places = _scale(first, second, similarity, transposition)
    cost, edits, start = 0.0, 0, 0
    for at in range(len(first) + 1):
        both = at < len(first) and first[at] and second[at]
        if both:
            cost += float(scale.costs[places[first[at]], places[second[at]]])
            edits += 1
        if both or at == len(first):
            part = _par_dist(tuple(first[start:at]), tuple(second[start:at]), scale, places, as_printed=False)
            cost, edits, start = cost + part.cost, edits + part.edits, at + 1
    return Found(cost, edits)


def _par_dist(first: _Labels, second: _Labels, scale: Similarity, places: dict[str, int], *, as_printed: bool) -> Found:
    """Search one part of a text by algorithm 1, as printed or as the authors' program does."""

    def change(p: str, q: str) -> float:
        return float(scale.costs[places[p], places[q]])

    def move(q: str) -> float:
        return float(scale.moves[places[q]])

    @cache
    def search(one: _Labels, other: _Labels) -> Found:
        one, other = _trim(one, other)
        if not one:
            return Found(0.0, 0)
        p, q = one[0], other[0]
        if len(one) == 1:
            return Found(change(p, q), int(p != q))
        if p == q or (p and q):
            rest = search(one[1:], other[1:])
            return Found(change(p, q) + rest.cost, rest.edits)
        both = next((i for i in range(len(one)) if one[i] and other[i]), None)
        if both is not None:
            left, right = search(one[:both], other[:both]), search(one[both + 1 :], other[both + 1 :])
            return Found(change(one[both], other[both]) + left.cost + right.cost, left.edits + right.edits)
        rest = search(one[1:], other[1:])
        apart = Found(change(p, q) + rest.cost, rest.edits + 1)
        searched = other if p else one  # the list whose first place is empty
        later = next((i for i in range(1, len(one)) if searched[i]), None)
        if later is None:
            return apart
        moved = q if as_printed and not p else searched[later]
        swapped = list(other)
        swapped[0], swapped[later] = swapped[later], swapped[0]
        rest = search(one, tuple(swapped))
        shifted = Found(move(moved) * later + rest.cost, rest.edits + 1)
        return shifted if shifted.cost < apart.cost - 1e-12 else apart

    return search(first, second)


def _trim(one: _Labels, other: _Labels) -> tuple[_Labels, _Labels]:
    """Return both lists without the places at either end that have no boundary in either."""
    marked = [i for i in range(len(one)) if one[i] or other[i]]
    if not marked:
        return (), ()
    return one[marked[0] : marked[-1] + 1], other[marked[0] : marked[-1] + 1]


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
    for labels in (first, second):
        if isinstance(labels, str) or not (
            isinstance(labels, Sequence) and all(isinstance(label, str) for label in labels)
        ):
            raise CaesuraError(
                f"{shorten(repr(labels))} is no list of the types at all places, such as ['', 'p', '']; a Segmentation has it as .labels_at."
            )
    if len(first) != len(second):
        raise LengthMismatch(f"the annotations have {len(first)} and {len(second)} places; expected the same number.")
    types = sorted({label for label in (*first, *second) if label}) or ["x"]
    scale = as_similarity(similarity, types, transposition)
    if similarity is not None and (unknown := [label for label in types if label not in scale.labels]):
        raise CaesuraError(
            f"the type {unknown[0]!r} is not in the similarity matrix, which has {', '.join(scale.labels)}."
        )
    return scale, {**{label: row for row, label in enumerate(scale.labels)}, "": len(scale.labels)}
