"""Edit distance with one minimal alignment, approximate search, and longest increasing subsequences, over arrays of codes.

The alignment takes O(n + m + D²) expected time and O(n + m + D) memory for a distance D: furthest-reaching points per diagonal
``k = j - i`` (Ukkonen 1985; Myers 1986, here with substitutions) are searched from both ends until they meet, the texts are split
there, and pieces of a small cost are traced directly. Steps are counted, so that repetitive texts, on which the points advance slowly,
stop at a limit instead of running for minutes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import kernel

# A piece of at most this cost keeps all its frontiers, (D + 1)(2 D + 3) numbers of 4 bytes: 1.3 MB. Must be 1 or more, because a piece of
# cost 1 can be "split" into itself and nothing.
_TRACED = 400
_UNREACHED = -(1 << 30)  # adding 1 keeps it negative
_MAX_SLIDE = 2000  # codes that a gap is moved at most, so that periodic text costs no more than linear time


def _quadratic(*, a: Any, b: Any, **_: Any) -> float:
    return 4.0 * (len(a) + len(b)) + 1000.0


@kernel
def _meet(a: Any, i0: int, i1: int, b: Any, j0: int, j1: int, limit: int, work: Any) -> tuple[int, int, int, int]:
    """Return the cost of a[i0:i1] → b[j0:j1], a point (from i0, j0) on a minimal path, and the cost up to that point.

    The cost is -1 if it is above ``limit``, or if ``work[0]``, which counts down, reaches 0.
    """
    n, m = i1 - i0, j1 - j0
    shift = m - n
    most = min(limit, n + m) // 2 + 2
    mid = most + 1
    forward, backward = np.full(2 * most + 3, _UNREACHED, np.int32), np.full(2 * most + 3, _UNREACHED, np.int32)
    next_forward, next_backward = forward.copy(), backward.copy()
    x = 0
    while x < n and x < m and a[i0 + x] == b[j0 + x]:
        x += 1
    y = 0
    while y < n and y < m and a[i1 - 1 - y] == b[j1 - 1 - y]:
        y += 1
    work[0] -= x + y
    if shift == 0 and x + y >= n:
        return 0, n, m, 0
    forward[mid], backward[mid] = x, y
    ahead = behind = 0  # costs reached from the front and from the back
    while ahead + behind < limit and ahead < most - 1 and work[0] > 0:
        ahead += 1
        steps = 0
        low, high = max(-ahead, -n), min(ahead, m)
        for k in range(low, high + 1):
            x = max(forward[mid + k] + 1, forward[mid + k - 1], forward[mid + k + 1] + 1)
            cap = min(n, m - k)
            x = min(x, cap)
            if x < 0 or x + k < 0:
                next_forward[mid + k] = _UNREACHED
                continue
            begin = x
            while x < cap and a[i0 + x] == b[j0 + x + k]:
                x += 1
            steps += x - begin
            next_forward[mid + k] = x
            r = shift - k  # the same diagonal, counted from the end
            if -behind <= r <= behind and backward[mid + r] >= 0 and x + backward[mid + r] >= n:
                # costs never fall along a diagonal, so the backward point is on a minimal path as well
                p = n - backward[mid + r]
                if p >= 0 and p + k >= 0:
                    work[0] -= steps + k - low
                    return ahead + behind, p, p + k, ahead
        work[0] -= steps + high - low + 1
        forward, next_forward = next_forward, forward
        if ahead + behind >= limit:
            break
        behind += 1
        steps = 0
        low, high = max(-behind, -n), min(behind, m)
        for k in range(low, high + 1):
            x = max(backward[mid + k] + 1, backward[mid + k - 1], backward[mid + k + 1] + 1)
            cap = min(n, m - k)
            x = min(x, cap)
            if x < 0 or x + k < 0:
                next_backward[mid + k] = _UNREACHED
                continue
            begin = x
            while x < cap and a[i1 - 1 - x] == b[j1 - 1 - x - k]:
                x += 1
            steps += x - begin
            next_backward[mid + k] = x
            r = shift - k
            if -ahead <= r <= ahead and forward[mid + r] >= 0 and x + forward[mid + r] >= n:
                work[0] -= steps + k - low
                return ahead + behind, forward[mid + r], forward[mid + r] + r, ahead
        work[0] -= steps + high - low + 1
        backward, next_backward = next_backward, backward
    return -1, 0, 0, 0


@kernel
def _trace(a: Any, i0: int, i1: int, b: Any, j0: int, j1: int, cost: int, where: Any) -> None:
    """Write one minimal alignment of a piece whose cost is known: ``where[i] = j`` for every aligned pair."""
    n, m = i1 - i0, j1 - j0
    shift, mid = m - n, cost + 1
    reach = np.full((cost + 1, 2 * cost + 3), _UNREACHED, np.int32)
    for d in range(cost + 1):
        for k in range(max(-d, -n), min(d, m) + 1):
            if abs(shift - k) > cost - d:  # cannot reach the end any more
                continue
            x = 0
            if d > 0:
                x = max(reach[d - 1, mid + k] + 1, reach[d - 1, mid + k - 1], reach[d - 1, mid + k + 1] + 1)
            cap = min(n, m - k)
            x = min(x, cap)
            if x < 0 or x + k < 0:
                continue
            while x < cap and a[i0 + x] == b[j0 + x + k]:
                x += 1
            reach[d, mid + k] = x
    # Backwards: (i, k) costs at most d exactly if reach[d, k] >= i. Equal codes may always be matched.
    i, k, d = n, shift, cost
    while i > 0 or i + k > 0:
        both = i > 0 and i + k > 0
        if both and a[i0 + i - 1] == b[j0 + i + k - 1]:
            i -= 1
            where[i0 + i] = j0 + i + k
            continue
        d -= 1
        if both and reach[d, mid + k] >= i - 1:
            i -= 1
            where[i0 + i] = j0 + i + k
        elif i > 0 and reach[d, mid + k + 1] >= i - 1:
            i -= 1
            k += 1
        else:
            k -= 1


@kernel(work=_quadratic)
def align_codes(a: Any, b: Any, limit: int, max_work: int, where: Any) -> tuple[int, int]:
    """Align two arrays of codes at least cost.

    Parameters
    ----------
    a, b : array of int
        The codes.
    limit : int
        The largest cost to look for.
    max_work : int
        The largest number of steps.
    where : array of int
        Receives the index in ``b`` of every code of ``a``, -1 where it has no partner. It must hold -1.

    Returns
    -------
    (int, int)
        The cost and the number of steps; the cost is -1, and ``where`` partly filled, if a limit was reached.
    """
    work = np.full(1, max_work, np.int64)
    stack = np.empty(
        (128, 5), np.int64
    )  # pieces i0, i1, j0, j1, cost (-1: unknown); splitting halves the cost, so it stays shallow
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3], stack[0, 4] = 0, len(a), 0, len(b), -1
    size, total = 1, 0
    while size > 0:
        size -= 1
        i0, i1, j0, j1, cost = stack[size, 0], stack[size, 1], stack[size, 2], stack[size, 3], stack[size, 4]
        while i0 < i1 and j0 < j1 and a[i0] == b[j0]:
            where[i0] = j0
            i0 += 1
            j0 += 1
        while i0 < i1 and j0 < j1 and a[i1 - 1] == b[j1 - 1]:
            i1 -= 1
            j1 -= 1
            where[i1] = j1
        first = cost < 0
        if i0 == i1 or j0 == j1:
            if first:
                total = (i1 - i0) + (j1 - j0)
                if total > limit:
                    return -1, max_work - work[0]
            continue
        if 0 <= cost <= _TRACED:
            _trace(a, i0, i1, b, j0, j1, cost, where)
            continue
        d, p, q, before = _meet(a, i0, i1, b, j0, j1, limit if first else cost, work)
        if d < 0:
            return -1, max_work - work[0]
        if first:
            total = d
        if d <= _TRACED:
            _trace(a, i0, i1, b, j0, j1, d, where)
            continue
        # the dearer piece first on the stack, so that the stack grows with the logarithm of the cost
        one, other = (size, size + 1) if before >= d - before else (size + 1, size)
        stack[one, 0], stack[one, 1], stack[one, 2], stack[one, 3], stack[one, 4] = i0, i0 + p, j0, j0 + q, before
        stack[other, 0], stack[other, 1], stack[other, 2] = i0 + p, i1, j0 + q
        stack[other, 3], stack[other, 4] = j1, d - before
        size += 2
    return total, max_work - work[0]


@kernel
def slide_gaps(a: Any, b: Any, where: Any, edges: Any, tied_here: Any, tied_there: Any) -> None:
    """Move every run of codes of ``a`` without partner to the strongest edges that it can reach at the same cost.

    ``edges[p]`` is the strength of the edge before code p; the sum over both ends of a run counts, the leftmost of equals is taken.
    Positions whose place depends on the choice among equals are marked in ``tied_here`` (of a) and ``tied_there`` (of b).
    """
    n = len(a)
    at = 0
    while at < n:
        if where[at] >= 0:
            at += 1
            continue
        s = at
        while at < n and where[at] < 0:
            at += 1
        e = at
        best, offset, last_equal = edges[s] + edges[e], 0, 0
        t = 0
        while t < _MAX_SLIDE and s - t > 0 and where[s - t - 1] >= 0 and a[s - t - 1] == a[e - t - 1]:
            if b[where[s - t - 1]] != a[s - t - 1]:
                break
            t += 1
            strength = edges[s - t] + edges[e - t]
            if strength > best:
                best, offset, last_equal = strength, -t, -t
            elif strength == best:
                offset = -t
        t = 0
        while t < _MAX_SLIDE and e + t < n and where[e + t] >= 0 and a[e + t] == a[s + t]:
            if b[where[e + t]] != a[e + t]:
                break
            t += 1
            strength = edges[s + t] + edges[e + t]
            if strength > best:
                best, offset, last_equal = strength, t, t
            elif strength == best:
                last_equal = t
        if last_equal > offset:
            there = where[s - 1] + 1 if s > 0 else 0
            for q in range(s + offset, e + last_equal + 1):
                tied_here[q] = True
            for q in range(there + offset, there + last_equal + 1):
                tied_there[q] = True
        for q in range(-offset):
            where[e - 1 - q] = where[s - 1 - q]
            where[s - 1 - q] = -1
        for q in range(offset):
            where[s + q] = where[e + q]
            where[e + q] = -1
        at = max(e, e + offset)


@kernel
def longest_increasing(values: NDArray[Any]) -> NDArray[Any]:
    """Return the indices of a longest strictly increasing subsequence."""
    size = len(values)
    tails, back = (
        np.empty(size, np.int64),
        np.empty(size, np.int64),
    )  # tails: index of the smallest last value, by length - 1
    length = 0
    for q in range(size):
        low, high = 0, length
        while low < high:
            middle = (low + high) // 2
            if values[tails[middle]] < values[q]:
                low = middle + 1
            else:
                high = middle
        back[q] = tails[low - 1] if low > 0 else -1
        tails[low] = q
        length = max(length, low + 1)
    found = np.empty(length, np.int64)
    q = tails[length - 1] if length > 0 else -1
    for at in range(length - 1, -1, -1):
        found[at] = q
        q = back[q]
    return found


def _cells(*, text: Any, pattern: Any, **_: Any) -> float:
    return float(len(text)) * len(pattern)


@kernel(work=_cells)
def match_ends(text: Any, pattern: Any, limit: int, distances: Any) -> Any:
    """Write the least distance of the pattern to a substring that ends at each place of the text (Sellers 1980).

    ``distances`` has ``len(text) + 1`` entries. Distances above ``limit``, or above the best one so far, are not needed and reported as
    ``len(pattern) + 1``; only the rows that may lead to a better one are computed (Ukkonen's cut-off). Returns the best distance, or
    ``len(pattern) + 1``.
    """
    m = len(pattern)
    cost = np.empty(m + 1, np.int64)
    for i in range(m + 1):
        cost[i] = i
    best = min(limit, m)
    active = best
    distances[0] = m if m <= best else m + 1
    found = distances[0]
    for j in range(1, len(text) + 1):
        code = text[j - 1]
        diagonal = cost[0]
        last = min(active + 1, m)
        if last > active:
            cost[last] = best + 1  # not computed in the previous column: above the limit
        for i in range(1, last + 1):
            up = cost[i]
            value = min(diagonal + (code != pattern[i - 1]), up + 1, cost[i - 1] + 1)
            diagonal = up
            cost[i] = value
        active = last
        while active > 0 and cost[active] > best:
            active -= 1
        if active == m and cost[m] <= best:
            distances[j] = found = best = cost[m]
        else:
            distances[j] = m + 1
    return found


@kernel(work=_cells)
def distances_by_length(text: Any, pattern: Any, end: int, lengths: Any) -> None:
    """Write the distance of the pattern to the last L codes before ``end``, for L = 0 … ``len(lengths) - 1``."""
    m = len(pattern)
    cost = np.empty(m + 1, np.int64)
    for i in range(m + 1):
        cost[i] = i
    lengths[0] = m
    for length in range(1, len(lengths)):
        code = text[end - length]
        diagonal = cost[0]
        cost[0] = length
        for i in range(1, m + 1):
            up = cost[i]
            cost[i] = min(diagonal + (code != pattern[m - i]), up + 1, cost[i - 1] + 1)
            diagonal = up
        lengths[length] = cost[m]
