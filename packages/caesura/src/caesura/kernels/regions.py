"""Search regions around reference boundaries: find the hypotheses inside them, in one pass over both sorted lists.

Times are rounded to an integer grid first, so that 0.02 s means 0.02 s. Every hypothesis belongs to its nearest reference boundary, so
overlapping regions end half-way between their boundaries without being computed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import MarkColumns, fill
from caesura.kernels.jit import kernel

#: Codes of the ways to match boundaries.
REGIONS, OPTIMAL, LENIENT = range(3)


class RegionRule(NamedTuple):
    """How hypotheses are matched to reference boundaries.

    ``matching`` is REGIONS (the search region method), OPTIMAL (the largest one-to-one matching) or LENIENT (any boundary of the other side
    within the tolerance, used any number of times). ``tolerance`` is in ticks, ``scale`` in ticks per second; ``later`` assigns ties to the
    later boundary, ``edges`` keeps boundaries at the ends of a recording.
    """

    tolerance: int
    scale: float
    later: bool
    edges: bool
    matching: int


_BLOCK = (
    1024  # times converted to ticks at once: both buffers stay in the first-level cache, however long a recording is
)
_FENCE = 2**61  # a tick after the last boundary; ticks stay below 2**51, so that no sum of two reaches it


@kernel
def _tick(time: float, scale: float) -> Any:
    return np.int64(np.rint(time * scale))


@kernel
def _without_edges(times: NDArray[Any], length: float, scale: float) -> NDArray[Any]:
    """Return the times without those at the start and at the end of the recording."""
    start, stop, end = 0, len(times), _tick(length, scale)
    while start < stop and _tick(times[start], scale) == 0:
        start += 1
    while stop > start and _tick(times[stop - 1], scale) == end:
        stop -= 1
    return times[start:stop]


@kernel
def _convert_block(times: NDArray[Any], start: int, scale: float, into: NDArray[Any], at: int) -> int:
    """Write the ticks of the next block of times to ``into[at:]`` and return where they end."""
    block = times[start : start + _BLOCK]
    ticks = into[at : at + len(block)]  # slices, because Numba checks no negative indices in a loop that counts from 0
    for k in range(len(block)):
        ticks[k] = np.int64(np.rint(block[k] * scale))
    return at + len(block)


@kernel
def _drop_repeated(ticks: NDArray[Any], at: int, end: int) -> int:
    """Remove repeated ticks from ``ticks[at:end]`` and return the new end."""
    repeated = 0  # a vectorised count first: repeated ticks are rare
    for k in range(max(at, 1), end):
        repeated += ticks[k] == ticks[k - 1]
    if repeated == 0:
        return end
    for k in range(at, end):
        if at == 0 or ticks[k] != ticks[at - 1]:
            ticks[at] = ticks[k]
            at += 1
    return at


@kernel
def _belongs_to_next(here: int, before: int, after: int, shift: int) -> Any:
    """Whether a hypothesis belongs to the later of two neighbouring boundaries; ``shift`` is 1 if ties do.

    Twice a tick is even, so adding 1 assigns ties, and only ties, to the later boundary. Counts and drawings both use this function.
    """
    return 2 * here + shift > before + after


@kernel
def _sweep(
    ref: NDArray[Any], hyp: NDArray[Any], tolerance: int, shift: int, hits: int, fresh: int
) -> tuple[Any, Any, Any, Any]:
    """Advance until a block is used up; every step advances one of the two lists, without a branch that could be mispredicted.

    ``free`` is 1 while the current region has no hit. All values are 0, 1 or indices as unsigned integers, because Numba checks signed
    indices for negative values at every step.
    """
    step, last, end = np.uint64(1), np.uint64(len(ref) - 1), np.uint64(len(hyp))
    i, j = np.uint64(0), np.uint64(0)
    hit, free = np.uint64(hits), np.uint64(fresh)
    while j < end and i < last:
        here, there = hyp[j], ref[i]
        onward = np.uint64(_belongs_to_next(here, there, ref[i + step], shift))
        inside = np.uint64(abs(here - there) <= tolerance) & (step - onward)
        hit += inside & free  # only the first hypothesis of a region is a hit
        free = onward | (free & (step - inside))
        i += onward
        j += step - onward
    return np.int64(i), np.int64(j), np.int64(hit), np.int64(free)


@kernel
def _region_hits(
    ours: NDArray[Any], theirs: NDArray[Any], rule: RegionRule, ref: NDArray[Any], hyp: NDArray[Any]
) -> tuple[int, int]:
    """Count (regions that contain a hypothesis, distinct reference boundaries); ``ref`` and ``hyp`` are buffers for blocks of ticks."""
    scale, shift = rule.scale, 1 if rule.later else 0
    ref_at, hyp_at, i, j, hits, fresh, filled, size, n_ref = 0, 0, 0, 0, 0, 1, 0, 0, 0
    while True:
        if i + 1 >= size and ref_at < len(
            ours
        ):  # load the next block of references after the current one, which stays at ref[0]
            kept = min(size, 1)
            ref[0] = ref[i]
            i = 0
            end = _convert_block(ours, ref_at, scale, ref, kept)
            ref_at += end - kept
            size = _drop_repeated(ref, kept, end)
            n_ref += size - kept
            if ref_at == len(ours):
                ref[size] = _FENCE
                size += 1
        if j == filled:
            if hyp_at == len(theirs):
                break
            j, filled = 0, _convert_block(theirs, hyp_at, scale, hyp, 0)
            hyp_at += filled
        if n_ref == 0:
            break
        on, back, hits, fresh = _sweep(ref[i:size], hyp[j:filled], rule.tolerance, shift, hits, fresh)
        i, j = i + on, j + back
    while ref_at < len(ours):  # no hypothesis is left: only count the references
        ref[0] = ref[size - 1]
        end = _convert_block(ours, ref_at, scale, ref, 1)
        ref_at += end - 1
        size = _drop_repeated(ref, 1, end)
        n_ref += size - 1
    return hits, n_ref


@kernel
def _optimal_hits(ref: NDArray[Any], hyp: NDArray[Any], tolerance: int, scale: float) -> tuple[int, int]:
    """Count (the largest one-to-one matching within the tolerance, distinct reference boundaries).

    On a line, always taking the earliest free pair gives a largest matching.
    """
    hits, distinct, j, last = 0, 0, 0, -_FENCE
    for i in range(len(ref)):
        here = _tick(ref[i], scale)
        if here == last:
            continue
        last = here
        distinct += 1
        while j < len(hyp) and _tick(hyp[j], scale) < here - tolerance:
            j += 1
        if j < len(hyp) and _tick(hyp[j], scale) <= here + tolerance:
            hits += 1
            j += 1
    return hits, distinct


@kernel
def _near(these: NDArray[Any], those: NDArray[Any], tolerance: int, scale: float, once: bool) -> tuple[int, int]:
    """Count (the times of ``these`` that have any of ``those`` within the tolerance, all of ``these``); equal ones count once if ``once``."""
    near, number, k, before = 0, 0, 0, -_FENCE
    for at in range(len(these)):
        here = _tick(these[at], scale)
        if once and here == before:
            continue
        before = here
        number += 1
        while k < len(those) and _tick(those[k], scale) < here - tolerance:
            k += 1
        near += k < len(those) and _tick(those[k], scale) <= here + tolerance
    return near, number


@kernel
def count_matched(
    ref: MarkColumns, hyp: MarkColumns, lengths: NDArray[Any], rule: RegionRule, out: NDArray[Any]
) -> None:
    """Fill ``out`` with (reference boundaries hit, hypotheses that hit one, reference boundaries, hypotheses) for every pair."""
    tolerance, scale = rule.tolerance, rule.scale
    ref_ticks, hyp_ticks = np.empty(_BLOCK + 2, np.int64), np.empty(_BLOCK, np.int64)
    for pair in range(len(lengths)):
        ours = ref.positions[ref.starts[pair] : ref.stops[pair]]
        theirs = hyp.positions[hyp.starts[pair] : hyp.stops[pair]]
        if not rule.edges:
            ours = _without_edges(ours, lengths[pair], scale)
            theirs = _without_edges(theirs, lengths[pair], scale)
        if rule.matching == LENIENT:
            out[pair, 0], out[pair, 2] = _near(ours, theirs, tolerance, scale, True)
            out[pair, 1], out[pair, 3] = _near(theirs, ours, tolerance, scale, False)
            continue
        if rule.matching == OPTIMAL:
            hits, n_ref = _optimal_hits(ours, theirs, tolerance, scale)
        else:
            hits, n_ref = _region_hits(ours, theirs, rule, ref_ticks, hyp_ticks)
        out[pair, 0], out[pair, 1], out[pair, 2], out[pair, 3] = hits, hits, n_ref, len(theirs)


@kernel
def assign_regions(
    ref: NDArray[Any], hyp: NDArray[Any], tolerance: int, later: bool, of_ref: NDArray[Any], of_hyp: NDArray[Any]
) -> None:
    """Find the hypothesis (the nearest of its region) that hits each boundary, and the region of each hypothesis; -1: none.

    ``ref`` and ``hyp`` are sorted ticks, those of the reference distinct.
    """
    fill(of_ref, -1)
    fill(of_hyp, -1)
    i, shift = 0, 1 if later else 0
    for j in range(len(hyp)):
        while i + 1 < len(ref) and _belongs_to_next(hyp[j], ref[i], ref[i + 1], shift):
            i += 1
        if i < len(ref) and abs(hyp[j] - ref[i]) <= tolerance:
            of_hyp[j] = i
            if of_ref[i] < 0 or abs(hyp[j] - ref[i]) < abs(hyp[of_ref[i]] - ref[i]):
                of_ref[i] = j


@kernel(work=lambda ref, hyp, **_: len(ref) * len(hyp))
def assign_optimal(
    ref: NDArray[Any], hyp: NDArray[Any], tolerance: int, later: bool, of_ref: NDArray[Any], of_hyp: NDArray[Any]
) -> None:
    """Like :func:`assign_regions`, for the largest one-to-one matching."""
    fill(of_ref, -1)
    fill(of_hyp, -1)
    i, j = 0, 0
    while i < len(ref) and j < len(hyp):
        if hyp[j] < ref[i] - tolerance:
            j += 1
        elif hyp[j] > ref[i] + tolerance:
            i += 1
        else:
            of_ref[i] = j
            of_hyp[j] = i
            i += 1
            j += 1


@kernel
def assign_lenient(
    ref: NDArray[Any], hyp: NDArray[Any], tolerance: int, later: bool, of_ref: NDArray[Any], of_hyp: NDArray[Any]
) -> None:
    """Like :func:`assign_regions`, for the nearest boundary of the other side within the tolerance, used any number of times."""
    _nearest(ref, hyp, tolerance, of_ref)
    _nearest(hyp, ref, tolerance, of_hyp)


@kernel
def _nearest(these: NDArray[Any], those: NDArray[Any], tolerance: int, nearest: NDArray[Any]) -> None:
    fill(nearest, -1)
    k = 0
    for i in range(len(these)):
        while k + 1 < len(those) and abs(those[k + 1] - these[i]) <= abs(those[k] - these[i]):
            k += 1
        if k < len(those) and abs(those[k] - these[i]) <= tolerance:
            nearest[i] = k
