"""List every segmentation of a text and every way to move one of its boundaries, for error studies of metrics.

A segmentation of ``n`` units is a number: bit ``p - 1`` says whether there is a boundary after unit ``p``. From each one, ``write_moves`` creates
the hypotheses that a study of Ocampo Diaz and Ouyang (2022, section 5) compares, and ``judge`` looks for pairs of hypotheses that a metric
does not distinguish although it should.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import copy_values, fill
from caesura.kernels.jit import inline, kernel

#: Kinds of moves. A shift is SOFT if both neighbouring segments keep a Jaccard index above one half, HARD if neither does, MILD if
#: their mean does, else OTHER; CROSS is a jump over the next boundary; DELETED: the boundary is removed.
SOFT, HARD, MILD, OTHER, CROSS, DELETED = 1, 2, 3, 0, 4, 5

#: Columns that ``judge`` fills: ties and inversions of the studies cross, constant and vanishing, then shifts scored below a deletion.
COLUMNS = 7


class Texts(NamedTuple):
    """Many segmentations: the boundaries of number ``n`` are ``positions[offsets[n]:offsets[n + 1]]``."""

    positions: NDArray[Any]
    offsets: NDArray[Any]


class Moves(NamedTuple):
    """The moves: the reference (``owner``), the ``boundary``, the ``distance`` (negative: to the left) and the ``kind`` of each."""

    owner: NDArray[Any]
    boundary: NDArray[Any]
    distance: NDArray[Any]
    kind: NDArray[Any]


@kernel
def count_boundaries(codes: NDArray[Any], out: NDArray[Any]) -> None:
    """Fill ``out`` with the number of boundaries of every segmentation."""
    for at in range(len(codes)):
        code, count = codes[at], 0
        while code:
            count += code & 1
            code >>= 1
        out[at] = count


@inline
def softness(left: int, right: int, shift: int) -> Any:
    """Return SOFT, HARD, MILD or OTHER for shifting the boundary between segments of these sizes."""
    if shift > 0:
        near, far = left, right
    else:
        near, far, shift = right, left, -shift
    # The Jaccard indices are near / (near + shift) and (far - shift) / far: both over, both under one half, their sum 1 or more.
    if near > shift and far > 2 * shift:
        return SOFT
    if near < shift and far < 2 * shift:
        return HARD
    return MILD if near * far >= shift * (near + shift) else OTHER


@kernel
def write_moves(codes: NDArray[Any], length: int, references: Texts, hypotheses: Texts, moves: Moves) -> int:
    """Write the references and every hypothesis that a study needs, grouped by reference; return the number of hypotheses."""
    owner, boundary, distance, kind = moves
    edges = np.empty(length + 2, np.int64)
    soft_at = np.empty(length + 1, np.bool_)
    number, refs = 0, 0
    references.offsets[0], hypotheses.offsets[0] = 0, 0
    for at in range(len(codes)):
        count = _edges(codes[at], length, edges)
        copy_values(edges[1 : count + 1], references.positions[refs:])
        refs += count
        references.offsets[at + 1] = refs
        _mark_soft_distances(edges, count, soft_at)
        for i in range(1, count + 1):
            left, right = edges[i] - edges[i - 1], edges[i + 1] - edges[i]
            owner[number], boundary[number], distance[number], kind[number] = at, i, 0, DELETED
            number = _write(edges, count, i, 0, hypotheses, number)
            has_soft_step = softness(left, right, 1) == SOFT or softness(left, right, -1) == SOFT
            for shift in range(1 - left, right):
                soft = softness(left, right, shift)
                # Any shift matters beside a soft one of the same boundary, a hard one beside a soft one by the same distance.
                if shift != 0 and (has_soft_step or soft == MILD or (soft == HARD and soft_at[abs(shift)])):
                    owner[number], boundary[number], distance[number], kind[number] = at, i, shift, soft
                    number = _write(edges, count, i, edges[i] + shift, hypotheses, number)
            if i < count:
                middle, behind = right, edges[i + 2] - edges[i + 1]
                for x in range(1, behind):  # boundary i over boundary i + 1
                    if soft_at[middle + x]:
                        owner[number], boundary[number], distance[number], kind[number] = at, i, middle + x, CROSS
                        number = _write(edges, count, i, edges[i + 1] + x, hypotheses, number)
                for x in range(1, left):  # boundary i + 1 over boundary i
                    if soft_at[middle + x]:
                        owner[number], boundary[number], distance[number], kind[number] = at, i + 1, -middle - x, CROSS
                        number = _write(edges, count, i + 1, edges[i] - x, hypotheses, number)
    return number


@kernel
def _edges(code: int, length: int, edges: NDArray[Any]) -> int:
    """Write 0, the boundaries and the end of the text; return the number of boundaries."""
    edges[0], count = 0, 0
    for p in range(1, length):
        if code >> (p - 1) & 1:
            count += 1
            edges[count] = p
    edges[count + 1] = length
    return count


@kernel
def _mark_soft_distances(edges: NDArray[Any], count: int, soft_at: NDArray[Any]) -> None:
    """Mark the distances at which any boundary has a soft shift."""
    fill(soft_at, False)
    for i in range(1, count + 1):
        left, right = edges[i] - edges[i - 1], edges[i + 1] - edges[i]
        for shift in range(1 - left, right):
            if shift != 0 and softness(left, right, shift) == SOFT:
                soft_at[abs(shift)] = True


@kernel
def _write(edges: NDArray[Any], count: int, moved: int, to: int, texts: Texts, number: int) -> int:
    """Write the boundaries with one of them moved, in ascending order; a boundary moved to 0 is left out."""
    positions, at = texts.positions, texts.offsets[number]
    placed = to == 0
    for i in range(1, count + 1):
        if i == moved:
            continue
        if not placed and to < edges[i]:
            positions[at] = to
            at += 1
            placed = True
        positions[at] = edges[i]
        at += 1
    if not placed:
        positions[at] = to
        at += 1
    texts.offsets[number + 1] = at
    return number + 1


@kernel
def judge(scores: NDArray[Any], moves: Moves, tolerance: float, out: NDArray[Any]) -> None:
    """Mark in ``out``, one row per reference, the faults of a metric there; higher scores are better.

    Columns 0 to 2: a soft shift has the same score as a jump by the same distance, as a hard shift by the same distance, as a larger shift
    of the same boundary. Columns 3 to 5: it has a lower score than these. Column 6: a soft or mild shift has a lower score than the
    deletion of its boundary, which comes before the shifts.
    """
    owner, boundary, distance, kind = moves
    for row in range(len(out)):
        fill(out[row], False)
    first = 0
    while first < len(scores):
        stop = first
        while stop < len(scores) and owner[stop] == owner[first]:
            stop += 1
        faults = out[owner[first]]
        deleted = scores[first]
        for p in range(first, stop):
            if kind[p] == DELETED:
                deleted = scores[p]
            elif kind[p] == MILD or kind[p] == SOFT:
                faults[6] |= scores[p] < deleted - tolerance
            if kind[p] != SOFT:
                continue
            for q in range(first, stop):
                better = scores[p] - scores[q]
                if better > tolerance:
                    continue
                near, far = abs(distance[p]), abs(distance[q])
                which = 3 if better < -tolerance else 0
                faults[which] |= kind[q] == CROSS and near == far
                faults[which + 1] |= kind[q] == HARD and near == far
                faults[which + 2] |= kind[q] != CROSS and boundary[p] == boundary[q] and far > near
        first = stop
