"""The chain of true boundaries behind the marks of several annotators, exactly and in linear time.

Every gap of a text is a true boundary with probability π. A true boundary ``p`` owns the gaps at most ``w`` away that are nearer to it than
to every other true boundary, its *territory* from ``p - l`` to ``p + r``; the gap half way between two of them belongs to either with
probability one half. Given the true boundaries, annotators are independent, and a boundary with territory ``[p-l, p+r]`` weighs::

    R(p, l, r) = Σ_t τ_t ∏_j (1 - h_j + h_j / f_j · Σ_d δ_j(d) C_j(t, u) / φ_j(u) / Δ_j(l, r))

relative to false alarms alone, with d from -l to r, u the type of j's mark at p + d, and Δ_j(l, r) the mass of δ_j on the territory. The
territory depends on the distances to the two neighbours, so that a forward and a backward pass over ``(w+1)²`` cells per gap sum over
all sets of boundaries.

All items lie in one array of *nodes*: the gaps within ``3w+1`` of a mark. A gap with no mark within ``w`` is *quiet*: all its cells weigh
``∏(1 - h_j)``. In a run of quiet gaps sums grow by one factor per gap, so that the gaps between the nodes are skipped in closed form and
the cost depends on the number of marks, not on the length of the text. All weights are logarithms.
"""

from __future__ import annotations

from math import exp, log, log1p
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import Table, inline, kernel

#: The logarithm of zero; finite, so that sums of several stay numbers.
NEVER = -1e300
_HALF = log(0.5)
_NEGLIGIBLE = -36.0  # a share of exp(-36) does not change a sum of float64
_LARGE = 1e200  # products are moved into the logarithm before they overflow


class Nodes(NamedTuple):
    """The gaps near marks, of all items.

    Attributes
    ----------
    marks : array of int16, shape (nodes, annotators)
        0, or one more than the type of the annotator's mark.
    at : array of int64
        The number of the gap in its item, from 0.
    active : array of bool
        Whether someone marked a gap at most w away.
    since : array of int64
        The number of nodes before this one without a skipped gap between them.
    jumped : array of bool
        Whether gaps were skipped before the run of nodes that this one belongs to.
    skipped : array of int64
        The number of gaps skipped directly before this node.
    first : array of int64, shape (items + 1,)
        The nodes of item i are at ``first[i]:first[i + 1]``.
    tail : array of int64, shape (items,)
        The number of gaps skipped after the last node of each item.
    gaps : array of int64, shape (items,)
        The number of gaps of each item.
    here : array of bool, shape (items, annotators)
        Who annotated the item.
    """

    marks: NDArray[np.int16]
    at: NDArray[np.int64]
    active: NDArray[np.bool_]
    since: NDArray[np.int64]
    jumped: NDArray[np.bool_]
    skipped: NDArray[np.int64]
    first: NDArray[np.int64]
    tail: NDArray[np.int64]
    gaps: NDArray[np.int64]
    here: NDArray[np.bool_]


class Rates(NamedTuple):
    """The parameters: h, f, δ, confusions and types of false alarms per annotator; τ of all."""

    hit: NDArray[np.float64]
    false_alarm: NDArray[np.float64]
    displacement: NDArray[np.float64]
    confusion: NDArray[np.float64]
    invented: NDArray[np.float64]
    types: NDArray[np.float64]


class Counts(NamedTuple):
    """Expected or drawn counts per annotator: displacements, answers per territory, and answers per true and given type."""

    displacement: NDArray[np.float64]
    territory: NDArray[np.float64]
    confusion: NDArray[np.float64]


@inline
def _add(a: float, b: float) -> float:
    """Return log(exp(a) + exp(b))."""
    if a < b:
        a, b = b, a
    if b - a < _NEGLIGIBLE:
        return a
    return a + log1p(exp(b - a))


def _cells_of_nodes(*, nodes: Any, **_: Any) -> float:
    """Estimate the steps of weighing or counting: the nodes times the annotators."""
    return float(nodes.marks.size) * 2.0


# ---------------------------------------------------------------------- weights of boundaries


class Answers(NamedTuple):
    """What an answer of an annotator weighs, computed once for given rates.

    Attributes
    ----------
    masses : array of float, shape (annotators, w + 1, w + 1)
        Δ_j(l, r).
    ratios : array of float, shape (annotators · types, (2w + 1) · types)
        δ_j(d) C_j(t, u) / (f_j φ_j(u)) in row j · types + t and column (w + d) · types + u.
    """

    masses: NDArray[np.float64]
    ratios: NDArray[np.float64]


def weigh_answers(rates: Rates) -> Answers:
    """Return the masses and ratios that the kernels look up."""
    annotators, width = rates.displacement.shape
    reach, types = (width - 1) // 2, len(rates.types)
    masses = np.empty((annotators, reach + 1, reach + 1))
    for left in range(reach + 1):
        masses[:, left] = np.cumsum(rates.displacement[:, reach - left :], axis=1)[:, left:]
    scaled = rates.displacement[:, None, :, None] / (rates.false_alarm[:, None] * rates.invented)[:, None, None]
    ratios = (scaled * rates.confusion[:, :, None]).reshape(annotators * types, width * types)
    for column in (masses, ratios):
        column.flags.writeable = False  # no kernel writes to them, and plain kernels need not copy them
    return Answers(masses, ratios)


@kernel
def _likelihoods(nodes: Nodes, ratios: Any, k: int, j: int, low: int, high: int, ratio: Any) -> bool:
    """Write the ratios of the marks around node k, 0 without a mark, to ratio[t, w + d]; return whether there is any mark."""
    types, width = ratio.shape
    reach, some = (width - 1) // 2, False
    for t in range(types):
        own, row = ratio[t], ratios[j * types + t]
        for d in range(-low, high + 1):
            mark = nodes.marks[k + d, j]
            if mark > 0:
                some = True
                own[reach + d] = row[(reach + d) * types + mark - 1]
            else:
                own[reach + d] = 0.0
        if not some:
            return False
    return True


_BLOCK = 4096  # nodes whose weights are computed at once without compiling


def _weigh_blocks(nodes: Any, rates: Any, answers: Any, missed: Any, best: bool, by_type: Any, weights: Any) -> None:
    """Compute what ``weigh_territories`` does with operations on arrays, in the same order, so that every bit is the same."""
    nodes, rates, answers = Nodes(*map(_array, nodes)), Rates(*map(_array, rates)), Answers(*map(_array, answers))
    active = np.flatnonzero(nodes.active)
    item = np.searchsorted(nodes.first, active, side="right") - 1
    for begin in range(0, len(active), _BLOCK):
        block = slice(begin, begin + _BLOCK)
        of_block = active[block], item[block]
        _weigh_block(nodes, rates, answers, _array(missed), best, *of_block, _array(by_type), _array(weights))


def _weigh_block(
    nodes: Nodes,
    rates: Rates,
    answers: Answers,
    missed: Any,
    best: bool,
    active: Any,
    item: Any,
    by_type: Any,
    weights: Any,
) -> None:
    """Compute the weights of some active nodes; ``item`` is the item of each."""
    reach, types = weights.shape[1] - 1, len(rates.types)
    annotators, width, cells = len(rates.hit), 2 * reach + 1, reach + 1
    steps = np.arange(-reach, reach + 1)
    at, gaps = nodes.at[active], nodes.gaps[item]
    low, high = np.minimum(reach, at), np.minimum(reach, gaps - 1 - at)
    inside = (steps >= -low[:, None]) & (steps <= high[:, None])
    around = np.minimum(np.maximum(active[:, None] + steps, 0), len(nodes.at) - 1)
    marks = np.where(inside[:, :, None], nodes.marks[around], 0)
    marks[~np.broadcast_to(nodes.here[item][:, None], marks.shape)] = 0
    ratios = np.zeros((annotators, types, width, types + 1))  # the first column is for no mark
    ratios[..., 1:] = answers.ratios.reshape(annotators, types, width, types)
    own = ratios[np.arange(annotators), :, np.arange(width)[:, None], marks]  # node, displacement, annotator, type
    odds = (rates.hit / (1.0 - rates.hit))[:, None]
    factors = np.ones((annotators, len(active), cells, cells, types))
    for left in range(cells):
        total = np.zeros((len(active), annotators, types))
        for d in range(reach - left, reach):
            total = total + own[:, d]
        for right in range(cells):
            total = total + own[:, reach + right]
            factor = 1.0 + odds * total / answers.masses[:, left, right, None]
            factor[(low < left) | (high < right)] = 1.0
            factors[:, :, left, right] = factor.transpose(1, 0, 2)
    product = np.ones((len(active), cells * cells * types))
    logs = np.repeat(missed[item][:, None], product.shape[1], axis=1)
    for factor in factors.reshape(annotators, *product.shape):
        product = product * factor
        large = product > _LARGE
        if large.any():
            logs[large] += _logarithms(product[large])
            product[large] = 1.0
    values = logs + (_logarithms(product) + np.tile(_logarithms(rates.types), cells * cells))
    by_type[active] = values
    by_cell = values.reshape(len(active), cells, cells, types)
    weights[active] = by_cell[..., 0] if types == 1 else by_cell.max(axis=-1) if best else _sum_types(by_cell)


def _sum_types(values: Any) -> Any:
    """Return the logarithm of the sum over the last axis, added one by one."""
    sums = []
    for row in values.reshape(-1, values.shape[-1]).tolist():
        whole = NEVER
        for value in row:
            whole = _add(whole, value)
        sums.append(whole)
    return np.array(sums).reshape(values.shape[:-1])


def _logarithms(values: Any) -> Any:
    """Return logarithms as the standard library computes them; NumPy's may differ in the last bit."""
    return np.array([log(value) for value in values.ravel().tolist()]).reshape(values.shape)


def _array(value: Any) -> Any:
    """Return the array behind a form that plain kernels take."""
    return value.array if isinstance(value, Table) else np.asarray(value)


def _weigh_in_arrays(nodes: Any, rates: Any, answers: Any, missed: Any, best: bool, by_type: Any, weights: Any) -> None:
    """Compute the weights without compiling: for small corpora several times as fast as a loop in plain Python."""
    _weigh_blocks(nodes, rates, answers, missed, best, by_type, weights)


@kernel(plain=_weigh_in_arrays, work=_cells_of_nodes)
def weigh_territories(
    nodes: Nodes, rates: Rates, answers: Answers, missed: Any, best: bool, by_type: Any, weights: Any
) -> None:
    """Write log R of every active node, and its sum (the maximum if ``best``) over types to ``weights[k, l, r]``.

    ``by_type[k]`` has log R of all l, r and t in one row, t varying fastest: rows of one dimension are fast in plain Python as well.
    ``missed`` is log ∏(1 - h) per item.
    """
    reach, types = weights.shape[1] - 1, len(rates.types)
    cells = reach + 1
    ratio = np.zeros((types, 2 * reach + 1))
    product = np.empty(cells * cells * types)
    for i in range(len(nodes.gaps)):
        here = nodes.here[i]
        for k in range(nodes.first[i], nodes.first[i + 1]):
            if not nodes.active[k]:
                continue
            low, high = min(reach, nodes.at[k]), min(reach, nodes.gaps[i] - 1 - nodes.at[k])
            logs = by_type[k]
            for place in range(len(product)):
                product[place] = 1.0
                logs[place] = missed[i]
            for j in range(len(here)):
                if not here[j] or not _likelihoods(nodes, answers.ratios, k, j, low, high, ratio):
                    continue
                odds = rates.hit[j] / (1.0 - rates.hit[j])
                for t in range(types):
                    own = ratio[t]
                    for left in range(low + 1):
                        total = 0.0
                        for d in range(reach - left, reach):
                            total += own[d]
                        mass = answers.masses[j, left]
                        place = left * cells * types + t
                        for right in range(high + 1):
                            total += own[reach + right]
                            value = product[place] * (1.0 + odds * total / mass[right])
                            if value > _LARGE:
                                logs[place] += log(value)
                                value = 1.0
                            product[place] = value
                            place += types
            place = 0
            for left in range(cells):
                for right in range(cells):
                    whole = NEVER
                    for t in range(types):
                        value = logs[place] + (log(product[place]) + log(rates.types[t]))
                        logs[place] = value
                        whole = max(whole, value) if best else _add(whole, value)
                        place += 1
                    weights[k, left, right] = whole


# ---------------------------------------------------------------------- passes


@kernel
def pass_forward(
    nodes: Nodes, weights: Any, missed: Any, odds: float, best: bool, left: Any, right: Any, total: Any, norm: Any
) -> None:
    """Sum (or maximise, if ``best``) over all boundaries before each node.

    ``left[k, l]`` is the weight of everything up to a boundary at k with l gaps of territory before it, without its own R;
    ``right[k, r]`` includes R; ``total[k]`` adds up ``right[·, w]`` of the nodes up to k, and 1 for no boundary; ``norm[i]`` is Z of item i.
    ``odds`` is log(π / (1 - π)).
    """
    reach = weights.shape[1] - 1
    far = 2 * reach + 1
    for i in range(len(nodes.gaps)):
        growth = 0.0 if best else _add(0.0, odds + missed[i])
        so_far = 0.0
        begin, end = nodes.first[i], nodes.first[i + 1]
        for k in range(begin, end):
            so_far += nodes.skipped[k] * growth
            since, before, after = (
                nodes.since[k],
                left[k],
                right[k],
            )  # rows: in plain Python faster than pairs of indices
            for cell in range(reach + 1):
                before[cell] = NEVER
                after[cell] = NEVER
            if nodes.jumped[k] and since < far:  # all gaps around it are quiet: only the sum over cells matters
                before[reach] = so_far
            else:
                for distance in range(1, min(2 * reach, since) + 1):
                    half, near = distance // 2, right[k - distance]
                    if distance % 2:
                        value = near[half]
                        before[half] = max(before[half], value) if best else _add(before[half], value)
                    else:  # the gap in the middle falls to one side
                        value = near[half] + _HALF
                        before[half - 1] = max(before[half - 1], value) if best else _add(before[half - 1], value)
                        value = near[half - 1] + _HALF
                        before[half] = max(before[half], value) if best else _add(before[half], value)
                cell, value = (reach, total[k - far]) if since >= far else (min(reach, since), 0.0)
                before[cell] = max(before[cell], value) if best else _add(before[cell], value)
            if nodes.active[k]:
                for cell in range(reach + 1):
                    before[cell] += odds
                    for other in range(reach + 1):
                        value = before[cell] + weights[k, cell, other]
                        after[other] = max(after[other], value) if best else _add(after[other], value)
            else:
                value = NEVER
                for cell in range(reach + 1):
                    before[cell] += odds
                    value = max(value, before[cell]) if best else _add(value, before[cell])
                for other in range(reach + 1):
                    after[other] = value + missed[i]
            so_far = max(so_far, after[reach]) if best else _add(so_far, after[reach])
            total[k] = so_far
        if nodes.tail[i] > 0 or begin == end:
            norm[i] = so_far + nodes.tail[i] * growth
            continue
        # the territory of the last boundary ends with the text
        whole = total[end - 1 - reach] if end - begin > reach else 0.0
        for k in range(max(begin, end - reach), end):
            value = right[k, end - 1 - k]
            whole = max(whole, value) if best else _add(whole, value)
        norm[i] = whole


@kernel
def node_posteriors(
    nodes: Nodes, weights: Any, missed: Any, odds: float, forward: Any, backward: Any, norm: Any, post: Any
) -> None:
    """Write the posterior of a boundary at every node; ``backward`` is ``left`` of the reversed items, in the order of the nodes."""
    reach = weights.shape[1] - 1
    for i in range(len(nodes.gaps)):
        for k in range(nodes.first[i], nodes.first[i + 1]):
            base = -odds - norm[i]
            if nodes.active[k]:
                total = 0.0
                for left in range(reach + 1):
                    for right in range(reach + 1):
                        value = forward[k, left] + weights[k, left, right] + backward[k, right] + base
                        if value > _NEGLIGIBLE:
                            total += exp(value)
                post[k] = total
            else:
                before, after = NEVER, NEVER
                for cell in range(reach + 1):
                    before, after = _add(before, forward[k, cell]), _add(after, backward[k, cell])
                post[k] = exp(before + after + missed[i] + base)


@kernel(work=_cells_of_nodes)
def count_expected(
    nodes: Nodes,
    rates: Rates,
    answers: Answers,
    by_type: Any,
    weights: Any,
    odds: float,
    forward: Any,
    backward: Any,
    norm: Any,
    post: Any,
    scale: Any,
    post_types: Any,
    counts: Counts,
) -> None:
    """Add the expected counts of all answers, each item ``scale[i]`` times, and write the posterior of every node and type."""
    reach, types = weights.shape[1] - 1, len(rates.types)
    ratio = np.zeros((types, 2 * reach + 1))
    share = np.zeros((reach + 1, reach + 1, types))
    for i in range(len(nodes.gaps)):
        here = nodes.here[i]
        for k in range(nodes.first[i], nodes.first[i + 1]):
            if not nodes.active[k] or post[k] < 1e-14:
                continue
            low, high = min(reach, nodes.at[k]), min(reach, nodes.gaps[i] - 1 - nodes.at[k])
            base = -odds - norm[i]
            for left in range(low + 1):
                for right in range(high + 1):
                    value = forward[k, left] + backward[k, right] + base
                    for t in range(types):
                        whole = value + by_type[k, (left * (reach + 1) + right) * types + t]
                        share[left, right, t] = exp(whole) if whole > _NEGLIGIBLE else 0.0
                        post_types[k, t] += share[left, right, t]
            for j in range(len(here)):
                if not here[j] or not _likelihoods(nodes, answers.ratios, k, j, low, high, ratio):
                    continue
                hit = rates.hit[j]
                for left in range(low + 1):
                    for right in range(high + 1):
                        for t in range(types):
                            if share[left, right, t] == 0.0:
                                continue
                            total = 0.0
                            for d in range(reach - left, reach + right + 1):
                                total += ratio[t, d]
                            if total == 0.0:
                                continue
                            mass = answers.masses[j, left, right]
                            each = scale[i] * share[left, right, t] * hit / mass / (1.0 - hit + hit * total / mass)
                            counts.territory[j, left, right] += each * total
                            for d in range(reach - left, reach + right + 1):
                                if ratio[t, d] > 0.0:
                                    counts.displacement[j, d] += each * ratio[t, d]
                                    counts.confusion[j, t, nodes.marks[k + d - reach, j] - 1] += each * ratio[t, d]


# ---------------------------------------------------------------------- the most probable set


@kernel
def trace_best(
    nodes: Nodes, by_type: Any, weights: Any, left: Any, right: Any, total: Any, norm: Any, chosen: Any
) -> None:
    """Write one more than the type of every boundary of the most probable set to ``chosen[k]``, given a pass with ``best``."""
    reach = weights.shape[1] - 1
    far = 2 * reach + 1
    for i in range(len(nodes.gaps)):
        begin, end = nodes.first[i], nodes.first[i + 1]
        if begin == end or norm[i] <= 0.0:
            continue
        k, cell = -1, reach  # the last boundary, and the extent of its territory to the right
        if nodes.tail[i] == 0:
            for last in range(max(begin, end - reach), end):
                if right[last, end - 1 - last] == norm[i]:
                    k, cell = last, end - 1 - last
        wanted, search = norm[i], end - 1 if nodes.tail[i] > 0 else end - 1 - reach
        while True:
            if k < 0:  # the boundary farther away at which the running maximum was reached
                while search > begin and total[search - 1] == wanted and right[search, reach] != wanted:
                    search -= 1
                if right[search, reach] != wanted:
                    break
                k, cell = search, reach
            if not nodes.active[k]:  # never better than leaving it out; kept for completeness
                chosen[k] = 1
                extent, value = 0, NEVER
                for one in range(reach + 1):
                    if left[k, one] > value:
                        extent, value = one, left[k, one]
            else:
                extent, value = 0, NEVER
                for one in range(reach + 1):
                    if left[k, one] + weights[k, one, cell] > value:
                        extent, value = one, left[k, one] + weights[k, one, cell]
                kind, types = 0, by_type.shape[1] // (reach + 1) ** 2
                place = (extent * (reach + 1) + cell) * types
                for t in range(types):
                    if by_type[k, place + t] > by_type[k, place + kind]:
                        kind = t
                chosen[k] = kind + 1
            # which configuration before k gave left[k, extent]? compare the sums without odds as they were computed
            since = nodes.since[k]
            before, next_cell, gap = NEVER, -1, 0
            for distance in range(1, min(2 * reach, since) + 1):
                half = distance // 2
                if distance % 2:
                    if half == extent and right[k - distance, half] > before:
                        before, next_cell, gap = right[k - distance, half], half, distance
                else:
                    if half - 1 == extent and right[k - distance, half] + _HALF > before:
                        before, next_cell, gap = right[k - distance, half] + _HALF, half, distance
                    if half == extent and right[k - distance, half - 1] + _HALF > before:
                        before, next_cell, gap = right[k - distance, half - 1] + _HALF, half - 1, distance
            if nodes.jumped[k] and since < far:
                before, next_cell, gap = NEVER, -1, 0
            if since >= far:
                if extent == reach and total[k - far] > before:
                    if total[k - far] <= 0.0:
                        break
                    wanted, search, k = total[k - far], k - far, -1
                    continue
            elif not nodes.jumped[k] and extent == min(reach, since) and before < 0.0:
                break
            if gap == 0:
                if nodes.jumped[k] and k - since > begin and total[k - since - 1] > 0.0:
                    wanted, search, k = total[k - since - 1], k - since - 1, -1
                    continue
                break
            k, cell = k - gap, next_cell


# ---------------------------------------------------------------------- exact draws

# The generator MRG32k3a of L'Ecuyer (1999). Its products fit into 64 bits, so that plain Python and compiled code draw the same numbers.
_M1, _M2 = 4294967087, 4294944443


@inline
def _uniform(state: Any) -> float:
    """Draw a number between 0 and 1, both excluded."""
    a, b = state[1], state[4]
    one = (1403580 * a - 810728 * state[0]) % _M1
    last = state[5]
    two = (527612 * last - 1370589 * state[3]) % _M2
    state[0], state[1], state[2] = a, state[2], one
    state[3], state[4], state[5] = b, last, two
    difference = (one - two) % _M1
    return (difference if difference > 0 else _M1) / (_M1 + 1.0)


@kernel
def _draw_answers(
    nodes: Nodes,
    rates: Rates,
    answers: Answers,
    own: Any,
    item: int,
    k: int,
    left: int,
    right: int,
    kind: int,
    state: Any,
    counts: Counts,
) -> None:
    """Draw who answered the boundary at k with which mark, and the displacements that fell outside its territory."""
    reach, types = (len(own) - 1) // 2, len(rates.types)
    here = nodes.here[item]
    begin, end = reach - left, reach + right + 1
    for j in range(len(here)):
        if not here[j]:
            continue
        ratios = answers.ratios[j * types + kind]
        total, some = 0.0, False
        for d in range(begin, end):
            mark = nodes.marks[k + d - reach, j]
            value = 0.0
            if mark > 0:
                some = True
                value = ratios[d * types + mark - 1]
            own[d] = value
            total += value
        if not some:
            continue
        hit, mass = rates.hit[j], answers.masses[j, left, right]
        answered = hit * total / mass
        if _uniform(state) * (1.0 - hit + answered) >= answered:
            continue
        counts.territory[j, left, right] += 1.0
        rest, at = _uniform(state) * total, -1
        for d in range(begin, end):
            if own[d] > 0.0 and rest >= 0.0:
                at = d
                rest -= own[d]
        counts.displacement[j, at] += 1.0
        counts.confusion[j, kind, nodes.marks[k + at - reach, j] - 1] += 1.0
        tries = 0
        while _uniform(state) > mass and tries < 100:
            tries += 1
            rest, at = _uniform(state) * (1.0 - mass), -1
            for d in range(2 * reach + 1):
                if (d < begin or d >= end) and rest >= 0.0:
                    at = d
                    rest -= rates.displacement[j, d]
            if at >= 0:
                counts.displacement[j, at] += 1.0


@kernel(work=_cells_of_nodes)
def draw_boundaries(
    nodes: Nodes,
    rates: Rates,
    answers: Answers,
    by_type: Any,
    weights: Any,
    missed: Any,
    odds: float,
    left: Any,
    right: Any,
    total: Any,
    norm: Any,
    state: Any,
    numbers: Any,
    types: Any,
    counts: Counts,
) -> None:
    """Draw boundaries, types and answers from their posterior, from right to left, given a forward pass.

    Adds the number of boundaries of every item to ``numbers``, their types to ``types``, and the answers to ``counts``.
    """
    reach = weights.shape[1] - 1
    far = 2 * reach + 1
    own = np.zeros(far)
    for i in range(len(nodes.gaps)):
        begin, end = nodes.first[i], nodes.first[i + 1]
        quiet = exp(odds + missed[i])
        quiet = quiet / (1.0 + quiet)  # the probability of a boundary in a quiet stretch
        numbers[i] += _draw_stretch(nodes.tail[i], quiet, state)
        k, cell = -1, reach  # the boundary that was drawn, and its extent to the right
        search = end - 1  # the node from which the next boundary is searched, if k < 0
        if nodes.tail[i] == 0 and begin < end:
            rest = log(_uniform(state)) + norm[i]
            value = NEVER
            for last in range(max(begin, end - reach), end):
                value = _add(value, right[last, end - 1 - last])
                if k < 0 and rest <= value:
                    k, cell = last, end - 1 - last
            search = end - 1 - reach
        while True:
            while k < 0 and search >= begin:
                if _uniform(state) < exp(right[search, reach] - total[search]):
                    k, cell = search, reach
                else:
                    numbers[i] += _draw_stretch(nodes.skipped[search], quiet, state)
                    search -= 1
            if k < 0:
                break
            numbers[i] += 1.0
            # its extent to the left
            value, extent = NEVER, reach
            for one in range(reach + 1):
                value = _add(value, left[k, one] + (weights[k, one, cell] if nodes.active[k] else 0.0))
            rest, so_far, found = log(_uniform(state)) + value, NEVER, False
            for one in range(reach + 1):
                so_far = _add(so_far, left[k, one] + (weights[k, one, cell] if nodes.active[k] else 0.0))
                if not found and (rest <= so_far or one == reach):
                    extent, found = one, True
            kind = 0
            if len(rates.types) > 1:
                share, place = _uniform(state), (extent * (reach + 1) + cell) * len(rates.types)
                for t in range(len(rates.types)):
                    chance = (
                        exp(by_type[k, place + t] - weights[k, extent, cell]) if nodes.active[k] else rates.types[t]
                    )
                    if share >= 0.0:
                        kind = t
                    share -= chance
            types[kind] += 1.0
            if nodes.active[k]:
                low, high = min(extent, nodes.at[k]), min(cell, nodes.gaps[i] - 1 - nodes.at[k])
                _draw_answers(nodes, rates, answers, own, i, k, low, high, kind, state, counts)
            # the boundary before it
            since = nodes.since[k]
            if nodes.jumped[k] and since < far:
                numbers[i] += _draw_stretch(nodes.skipped[k], quiet, state)
                search, k = k - 1, -1
                continue
            rest = log(_uniform(state)) + left[k, extent] - odds
            value, now = NEVER, k
            k = -1
            for distance in range(1, min(2 * reach, since) + 1):
                half = distance // 2
                for side in range(2):
                    if distance % 2:
                        other = half if half == extent and side == 0 else -1
                    elif side == 0:
                        other = half if half - 1 == extent else -1
                    else:
                        other = half - 1 if half == extent else -1
                    if other >= 0 and k < 0:
                        value = _add(value, right[now - distance, other] + (0.0 if distance % 2 else _HALF))
                        if rest <= value:
                            k, cell = now - distance, other
            if k < 0:
                if since < far or extent != reach:  # no boundary before it
                    break
                # sums of floats may leave a rest: if nothing else is possible, it belongs here too
                search = now - far


@kernel
def _draw_stretch(gaps: int, chance: float, state: Any) -> float:
    """Draw the number of boundaries in a stretch of quiet gaps, jumping from one to the next."""
    number, left = 0.0, float(gaps)
    if gaps == 0 or chance < 1e-300:
        return number
    while True:
        left -= 1.0 + float(int(log(_uniform(state)) / log1p(-chance)))
        if left < 0.0:
            return number
        number += 1.0
