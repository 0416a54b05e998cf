"""Exact segmentation under any additive cost: least-cost boundaries for a free or a fixed number of segments, and posteriors.

A :class:`SegmentCost` yields blocks of costs (see :mod:`caesura.kernels.dynamic_program`), and :class:`Constraints` restrict the
segments. One sweep over the blocks solves a free number of segments, one sweep all numbers up to K; forward and backward sums
give the probability of every boundary. Nested and greedy segmentation use the same costs.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.kernels import dynamic_program as program
from caesura.validation import validate_positive

#: Numbers in a block of rows: 1 MB, which stays in the cache of the processor.
_BLOCK = 1 << 17

#: The largest table of K × n cells: 200 million, 2.4 GB.
_MAX_CELLS = 200_000_000

#: The most segments that are considered: 10^11 take minutes, and more would look like a program that hangs.
_MAX_SEGMENTS = 1e11

#: The most boundary positions for two levels at once, which take cubic time. Longer texts use their best so many positions.
_MAX_JOINT_POSITIONS = 120


class SegmentCost(Protocol):
    """The cost of each segment of a text, under which the cost of a segmentation is a sum."""

    @property
    def length(self) -> int:
        """The number of units."""
        ...

    def rows(self, constraints: Constraints) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield (first, block): ``block[r, i]`` is the cost of units i … first + r, for the starts that are allowed."""
        ...

    def segments(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the cost of each segment (start, end]."""
        ...

    def reversed(self) -> SegmentCost:
        """Return the cost of the text read backwards."""
        ...


def row_blocks(length: int) -> Iterator[tuple[int, int]]:
    """Yield (first, last) of blocks of rows that fit into the cache of the processor."""
    height = max(1, _BLOCK // max(length, 1))
    for first in range(0, length, height):
        yield first, min(first + height, length)


@dataclass(frozen=True)
class Constraints:
    """Which segmentations are allowed, and what boundaries cost.

    Parameters
    ----------
    length : int
        The number of units.
    min_length, max_length : int
        Bounds on the units of a segment; ``max_length`` may be None.
    forced : tuple of int
        Positions that must have a boundary.
    boundary_costs : array of float, default None
        The cost of a boundary at each position 0 … length, infinite where none is allowed; None for no costs.
    sizes : tuple of arrays, default ()
        Sums of the sizes (characters, tokens) of the units before each position, ascending.
    max_sizes, min_sizes : tuple of float, default ()
        Bounds on the size of a segment, one per array of ``sizes``.
    """

    length: int
    min_length: int = 1
    max_length: int | None = None
    forced: tuple[int, ...] = ()
    boundary_costs: NDArray[np.float64] | None = None
    sizes: tuple[NDArray[Any], ...] = ()
    max_sizes: tuple[float, ...] = ()
    min_sizes: tuple[float, ...] = ()

    @classmethod
    def validated(
        cls,
        length: int,
        *,
        min_length: int = 1,
        max_length: int | None = None,
        forced: Iterable[int] = (),
        forbidden: Iterable[int] = (),
        boundary_costs: NDArray[np.float64] | None = None,
        sizes: Sequence[NDArray[Any]] = (),
        max_sizes: Sequence[float] = (),
        min_sizes: Sequence[float] = (),
    ) -> Constraints:
        """Build constraints from user input; ``forbidden`` positions get an infinite boundary cost."""
        if min_length < 1:
            raise CaesuraError(f"min_length is {min_length}; expected 1 or more.")
        if max_length is not None and max_length < min_length:
            raise CaesuraError(f"max_length ({max_length} units) is below min_length ({min_length}).")
        must, never = (
            sorted({_validate_position(p, length, what) for p in positions})
            for positions, what in ((forced, "forced"), (forbidden, "forbidden"))
        )
        if both := set(must) & set(never):
            raise CaesuraError(f"position {min(both)} is both forced and forbidden.")
        costs = np.zeros(length + 1) if boundary_costs is None else np.array(boundary_costs, np.float64)
        costs[never] = np.inf
        return cls(length, min_length, max_length, tuple(must), costs, tuple(sizes), tuple(max_sizes), tuple(min_sizes))

    @cached_property
    def costs(self) -> NDArray[np.float64]:
        """The cost of a boundary at each position 0 … length."""
        return np.zeros(self.length + 1) if self.boundary_costs is None else self.boundary_costs

    @cached_property
    def lowest(self) -> NDArray[np.int64]:
        """The smallest start of a segment that ends after unit j, by j."""
        ends = np.arange(self.length + 1)
        low = np.zeros(self.length + 1, np.int64) if self.max_length is None else np.maximum(0, ends - self.max_length)
        if (
            self.forced
        ):  # no segment may contain a forced boundary, so it starts at the last one before its end or later
            fixed = np.array([0, *self.forced])
            low = np.maximum(low, fixed[np.searchsorted(fixed, ends, side="left") - 1])
        for sums, most in zip(self.sizes, self.max_sizes, strict=True):
            low = np.maximum(low, np.searchsorted(sums, sums - most))
        low[0] = 0
        return low

    @cached_property
    def highest(self) -> NDArray[np.int64]:
        """The largest start of a segment that ends after unit j, by j."""
        high = np.arange(self.length + 1) - self.min_length
        for sums, least in zip(self.sizes, self.min_sizes, strict=True):
            high = np.minimum(high, np.searchsorted(sums, sums - least, side="right") - 1)
        return high

    def reversed(self) -> Constraints:
        """Return the same constraints for the text read backwards."""
        forced = tuple(self.length - p for p in reversed(self.forced))
        costs = None if self.boundary_costs is None else np.ascontiguousarray(self.boundary_costs[::-1])
        sizes = tuple(sums[-1] - sums[::-1] for sums in self.sizes)
        return replace(self, forced=forced, boundary_costs=costs, sizes=sizes)

    def check_work(self, segments: int = 1) -> None:
        """Raise an error if there are too many segments to consider: all starts for all ends, for each number of segments."""
        steps = float(np.maximum(self.highest - self.lowest + 1, 0).sum()) * segments
        if steps > _MAX_SEGMENTS:
            raise CaesuraError(
                f"{self.length} units have {steps:.0e} possible segments, more than the limit of {_MAX_SEGMENTS:.0e}; limit the segment "
                "length (max_length=200), or split the text."
            )

    def infeasible(self, segments: int | None = None) -> CaesuraError:
        """Return the error that no segmentation satisfies these constraints."""
        number = "any number of segments" if segments is None else f"{segments} segments"
        longest = "" if self.max_length is None else f" and at most {self.max_length}"
        if self.sizes:
            limits = ", ".join(f"{low:g} to {high:g}" for low, high in zip(self.min_sizes, self.max_sizes, strict=True))
            return CaesuraError(f"{self.length} units cannot be divided into {number} of size {limits}.")
        return CaesuraError(
            f"{self.length} units cannot be divided into {number} of at least {self.min_length}{longest} units at the positions allowed."
        )


def _validate_position(position: int, length: int, what: str) -> int:
    if not 0 < position < length:
        raise CaesuraError(f"the {what} boundary {position} is outside the text; expected 1 to {length - 1}.")
    return int(position)


@dataclass(frozen=True)
class Solution:
    """The least-cost boundaries and their cost."""

    positions: NDArray[np.int64]
    objective: float


@dataclass(frozen=True)
class SolutionTable:
    """The least-cost segmentation for every number of segments up to the largest."""

    constraints: Constraints
    costs: NDArray[np.float64]
    back: NDArray[np.int32]

    @property
    def objectives(self) -> NDArray[np.float64]:
        """The least cost of k segments, by k from 0; infinite where no k segments are allowed."""
        return self.costs[:, -1]

    def solution(self, segments: int) -> Solution:
        """Return the least-cost segmentation with this number of segments."""
        if not np.isfinite(self.costs[segments, -1]):
            raise self.constraints.infeasible(segments)
        return Solution(program.trace_known(self.back, segments), float(self.costs[segments, -1]))


def solve_free(cost: SegmentCost, constraints: Constraints, penalty: float = 0.0) -> Solution:
    """Find the segmentation of least cost, where each segment costs ``penalty`` more."""
    if not constraints.length:
        return Solution(np.empty(0, np.int64), 0.0)
    constraints.check_work()
    costs, back = np.full(constraints.length + 1, np.inf), np.full(constraints.length + 1, -1, np.int32)
    costs[0] = 0.0
    low, high, boundaries = constraints.lowest, constraints.highest, constraints.costs
    for first, block in cost.rows(constraints):
        program.choose_free(block, first, low, high, boundaries, float(penalty), costs, back)
    if not np.isfinite(costs[-1]):
        raise constraints.infeasible()
    return Solution(program.trace_free(back), float(costs[-1]))


def solve_known(cost: SegmentCost, constraints: Constraints, most: int) -> SolutionTable:
    """Find the segmentations of least cost into 1, 2, … ``most`` segments, in one sweep."""
    constraints.check_work(most)
    shape = (most + 1, constraints.length + 1)
    if (cells := shape[0] * shape[1]) > _MAX_CELLS:
        raise CaesuraError(
            f"{most} segments of {constraints.length} units need a table of {cells / 1e6:.0f} million cells, more than the limit of "
            f"{_MAX_CELLS // 10**6} million; leave the number of segments open, or split the text."
        )
    costs, back = np.full(shape, np.inf), np.full(shape, -1, np.int32)
    costs[0, 0] = 0.0
    for first, block in cost.rows(constraints):
        program.choose_known(block, first, constraints.lowest, constraints.highest, constraints.costs, costs, back)
    return SolutionTable(constraints, costs, back)


def posteriors(
    cost: SegmentCost,
    constraints: Constraints,
    *,
    penalty: float = 0.0,
    segments: int | None = None,
    temperature: float = 1.0,
) -> NDArray[np.float64]:
    """Return the probability of a boundary at each of the n-1 positions.

    Segmentations are weighted by exp(-cost / temperature); with ``segments``, only those with this number of segments. The
    recurrence of the least cost is run with sums instead of minima, forward and backward.
    """
    n = constraints.length
    if n < 2:
        return np.empty(0)
    validate_positive("temperature", temperature)
    constraints.check_work(2 * (segments or 1))
    forward = _log_sums(cost, constraints, penalty, segments, 1.0 / temperature)
    backward = _log_sums(cost.reversed(), constraints.reversed(), penalty, segments, 1.0 / temperature)[..., ::-1]
    inner = slice(1, n)
    if segments is None:
        whole = forward[n]
        logs = forward[inner] + backward[inner]
    else:
        whole = forward[segments, n]
        pairs = forward[1:segments, inner] + backward[segments - 1 : 0 : -1, inner]  # k segments before, K - k after
        logs = np.logaddexp.reduce(pairs, axis=0) if len(pairs) else np.full(n - 1, -np.inf)
    if not np.isfinite(whole):
        raise constraints.infeasible(segments)
    boundary = constraints.costs[inner] / temperature  # counted in both directions, so once is taken back
    with np.errstate(invalid="ignore"):
        logs = np.where(np.isfinite(boundary), logs + boundary, -np.inf) - whole
    return np.asarray(np.clip(np.exp(logs), 0.0, 1.0), np.float64)


def _log_sums(
    cost: SegmentCost, constraints: Constraints, penalty: float, segments: int | None, scale: float
) -> NDArray[np.float64]:
    """Return the log of the summed weights of all segmentations of each prefix, by number of segments if it is fixed."""
    low, high, boundaries = constraints.lowest, constraints.highest, constraints.costs
    if segments is None:
        scores = np.full(constraints.length + 1, -np.inf)
        scores[0] = 0.0
        for first, block in cost.rows(constraints):
            program.sum_free(block, first, low, high, boundaries, float(penalty), scale, scores)
        return scores
    table = np.full((segments + 1, constraints.length + 1), -np.inf)
    table[0, 0] = 0.0
    for first, block in cost.rows(constraints):
        program.sum_known(block, first, low, high, boundaries, scale, table)
    return table


def total_cost(cost: SegmentCost, positions: Sequence[int] | NDArray[Any], penalty: float = 0.0) -> float:
    """Return the cost of a given segmentation."""
    if not cost.length:
        return 0.0
    edges = np.concatenate(([0], np.asarray(positions, np.int64), [cost.length]))
    return float(cost.segments(edges[:-1], edges[1:]).sum() + penalty * (len(edges) - 1))


def boundary_gains(cost: SegmentCost, positions: NDArray[np.int64], penalty: float = 0.0) -> NDArray[np.float64]:
    """Return how much the cost rises if each boundary alone is removed."""
    if not len(positions):
        return np.empty(0)
    edges = np.concatenate(([0], positions, [cost.length]))
    parts = cost.segments(edges[:-1], edges[1:])
    joined = cost.segments(edges[:-2], edges[2:])
    return np.asarray(joined - parts[:-1] - parts[1:] - penalty, np.float64)


# ---------------------------------------------------------------------- nested levels


def nest_top_down(cost: SegmentCost, constraints: Constraints, numbers: Sequence[int]) -> list[NDArray[np.int64]]:
    """Solve the coarsest level first; each finer level keeps the boundaries of the one above."""
    levels: list[NDArray[np.int64]] = []
    for number in numbers:
        inner = replace(constraints, forced=tuple(levels[-1].tolist()) if levels else ())
        levels.append(solve_known(cost, inner, number).solution(number).positions)
    return levels


def nest_bottom_up(cost: SegmentCost, constraints: Constraints, numbers: Sequence[int]) -> list[NDArray[np.int64]]:
    """Solve the finest level first; each coarser level chooses among the boundaries of the one below."""
    levels = [solve_known(cost, constraints, numbers[-1]).solution(numbers[-1]).positions]
    for number in reversed(numbers[:-1]):
        between = _costs_between(cost, levels[0])
        table = solve_known(_CostTable(between), Constraints(len(between) - 1), number)
        levels.insert(0, levels[0][table.solution(number).positions - 1])
    return levels


def nest_jointly(cost: SegmentCost, constraints: Constraints, numbers: Sequence[int]) -> list[NDArray[np.int64]]:
    """Minimize the sum of the costs of two levels, over all positions of a short text and the best positions of a long one."""
    from caesura.kernels.nested import nest_jointly as solve

    if len(numbers) != 2:
        raise CaesuraError(f"order='joint' needs two levels, not {len(numbers)}; use order='top' or 'bottom'.")
    positions = np.arange(1, constraints.length)
    if len(positions) > _MAX_JOINT_POSITIONS:
        positions = solve_known(cost, constraints, _MAX_JOINT_POSITIONS).solution(_MAX_JOINT_POSITIONS).positions
    if numbers[1] > len(positions) + 1:
        raise CaesuraError(
            f"order='joint' allows at most {len(positions) + 1} segments; use order='top' or 'bottom' for more."
        )
    coarse, fine, total = solve(_costs_between(cost, positions), *numbers)
    if not np.isfinite(total):
        raise constraints.infeasible(numbers[1])
    return [positions[coarse - 1], positions[fine - 1]]


def _costs_between(cost: SegmentCost, positions: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the costs of all segments between the given boundaries and the ends of the text."""
    edges = np.concatenate(([0], positions, [cost.length]))
    table = np.full((len(edges), len(edges)), np.inf)
    starts, ends = np.triu_indices(len(edges), 1)
    table[starts, ends] = cost.segments(edges[starts], edges[ends])
    return table


@dataclass(frozen=True)
class _CostTable:
    """A segment cost that is a table of starts by ends."""

    table: NDArray[np.float64]

    @property
    def length(self) -> int:
        return len(self.table) - 1

    def rows(self, constraints: Constraints) -> Iterator[tuple[int, NDArray[np.float64]]]:
        yield 0, np.ascontiguousarray(self.table[:-1, 1:].T)

    def segments(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(self.table[starts, ends])

    def reversed(self) -> _CostTable:
        return _CostTable(np.ascontiguousarray(self.table[::-1, ::-1].T))


# ---------------------------------------------------------------------- greedy splits


@dataclass(frozen=True)
class GreedySplit:
    """One division of the segment (start, end] after unit ``position``, and how much the cost fell."""

    start: int
    end: int
    position: int
    gain: float


def split_greedily(cost: SegmentCost, constraints: Constraints, segments: int | None = None) -> list[GreedySplit]:
    """Split the segment whose best division lowers the cost most, until there are ``segments`` or no split lowers the cost."""
    shortest = constraints.min_length
    candidates: list[tuple[float, int, int, int]] = []  # a heap: the split that lowers the cost most comes first

    def push_best_split(start: int, end: int) -> None:
        middles = np.arange(start + shortest, end - shortest + 1)
        middles = middles[np.isfinite(constraints.costs[middles])]
        if not len(middles):
            return
        starts, ends = np.full(len(middles), start), np.full(len(middles), end)
        parts = cost.segments(starts, middles) + cost.segments(middles, ends)
        best = int(np.argmin(parts + constraints.costs[middles]))
        whole = float(cost.segments(np.array([start]), np.array([end]))[0])
        heapq.heappush(candidates, (float(parts[best]) - whole, start, end, int(middles[best])))

    push_best_split(0, cost.length)
    splits: list[GreedySplit] = []
    while candidates and (segments is None or len(splits) < segments - 1):
        change, start, end, middle = heapq.heappop(candidates)
        if segments is None and change >= 0:
            break
        splits.append(GreedySplit(start, end, middle, -change))
        push_best_split(start, middle)
        push_best_split(middle, end)
    if segments is not None and len(splits) < segments - 1:
        raise constraints.infeasible(segments)
    return splits
