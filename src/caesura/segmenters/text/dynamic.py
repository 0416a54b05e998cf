"""Exact segmentation under any additive cost: the best boundaries, their number free or given, and their posteriors.

A :class:`Cost` makes blocks of rows (see :mod:`caesura.kernels.dynamic_program`); a :class:`Frame` says which segments are allowed.
Everything else follows from the two: one sweep for any number of segments, one for all numbers up to K, and forward and
backward sums for the probability of every boundary.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.kernels import dynamic_program as program
from caesura.words import check_above_zero

#: Cells of a table of K × n numbers that fit into memory without a thought: 200 million, 2.4 GB.
_MOST_CELLS = 200_000_000

#: Segments that are looked at: 10^11 take minutes, more would look like a program that hangs.
_MOST_STEPS = 1e11


class Cost(Protocol):
    """What one segment costs, for an additive segmenter."""

    @property
    def length(self) -> int:
        """Number of units."""
        ...

    def rows(self, frame: Frame) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield (first end, block): ``block[r, i]`` is the cost of units i … first + r, for the starts that the frame allows."""
        ...

    def segments(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the cost of each segment (start, end] for itself."""
        ...

    def reversed(self) -> Cost:
        """Return the cost of the same text read backwards."""
        ...


@dataclass(frozen=True)
class Frame:
    """Which segmentations are allowed.

    Parameters
    ----------
    length
        Number of units.
    shortest, longest
        Bounds on the units of a segment.
    forced
        Places where a boundary must stand.
    places
        What a boundary behind each unit costs, by position 0 … length; infinite where none may stand.
    """

    length: int
    shortest: int = 1
    longest: int | None = None
    forced: tuple[int, ...] = ()
    places: NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls,
        length: int,
        *,
        shortest: int = 1,
        longest: int | None = None,
        forced: Iterable[int] = (),
        forbidden: Iterable[int] = (),
        places: NDArray[np.float64] | None = None,
    ) -> Frame:
        """Check what the user asks for and put it into one frame."""
        if shortest < 1:
            raise CaesuraError(f"the shortest segment is {shortest} units; expected 1 or more.")
        if longest is not None and longest < shortest:
            raise CaesuraError(f"the longest segment ({longest} units) is shorter than the shortest ({shortest}).")
        must = tuple(sorted({_inside(p, length, "forced") for p in forced}))
        never = sorted({_inside(p, length, "forbidden") for p in forbidden})
        if both := set(must) & set(never):
            raise CaesuraError(f"place {min(both)} is both forced and forbidden.")
        costs = np.zeros(length + 1) if places is None else np.array(places, np.float64)
        costs[never] = np.inf
        return cls(length, shortest, longest, must, costs)

    @cached_property
    def costs(self) -> NDArray[np.float64]:
        """What a boundary behind each unit costs; nothing at the edges of the text."""
        return np.zeros(self.length + 1) if self.places is None else self.places

    @cached_property
    def lowest(self) -> NDArray[np.int64]:
        """The smallest start of a segment that ends behind unit j, by j."""
        ends = np.arange(self.length + 1)
        low = np.zeros(self.length + 1, np.int64) if self.longest is None else np.maximum(0, ends - self.longest)
        if self.forced:
            fixed = np.array([0, *self.forced])
            low = np.maximum(low, fixed[np.searchsorted(fixed, ends, side="left") - 1])
        low[0] = 0
        return low

    @cached_property
    def highest(self) -> NDArray[np.int64]:
        """The largest start of a segment that ends behind unit j, by j."""
        return np.arange(self.length + 1) - self.shortest

    def reversed(self) -> Frame:
        """The same restrictions on the text read backwards."""
        forced = tuple(self.length - p for p in reversed(self.forced))
        places = None if self.places is None else np.ascontiguousarray(self.places[::-1])
        return replace(self, forced=forced, places=places)

    def check_work(self, segments: int = 1) -> None:
        """Refuse what would take hours: all starts for all ends, for each number of segments."""
        steps = float(np.maximum(self.highest - self.lowest + 1, 0).sum()) * segments
        if steps > _MOST_STEPS:
            raise CaesuraError(
                f"{self.length} units have {steps:.0e} segments to look at, more than the {_MOST_STEPS:.0e} that take minutes; give a longest "
                "segment (max_length=200), or cut the text."
            )

    def refuse(self, segments: int | None = None) -> CaesuraError:
        """Say that nothing fits."""
        number = "any number of segments" if segments is None else f"{segments} segments"
        longest = "" if self.longest is None else f" and at most {self.longest}"
        return CaesuraError(
            f"{self.length} units cannot be cut into {number} of at least {self.shortest}{longest} units at the places allowed."
        )


@dataclass(frozen=True)
class Solution:
    """The best boundaries and what they cost."""

    positions: NDArray[np.int64]
    objective: float


@dataclass(frozen=True)
class Table:
    """The best segmentation for every number of segments up to the largest."""

    frame: Frame
    costs: NDArray[np.float64]
    back: NDArray[np.int32]

    @property
    def objectives(self) -> NDArray[np.float64]:
        """The least cost of k segments, by k from 0; infinite where k segments cannot be had."""
        return self.costs[:, -1]

    def solution(self, segments: int) -> Solution:
        """Read off the best ``segments`` segments."""
        if not np.isfinite(self.costs[segments, -1]):
            raise self.frame.refuse(segments)
        return Solution(program.trace_known(self.back, segments), float(self.costs[segments, -1]))


def solve_free(cost: Cost, frame: Frame, penalty: float = 0.0) -> Solution:
    """Find the segmentation of least cost, each segment costing ``penalty`` on top."""
    if not frame.length:
        return Solution(np.empty(0, np.int64), 0.0)
    frame.check_work()
    costs, back = np.full(frame.length + 1, np.inf), np.full(frame.length + 1, -1, np.int32)
    costs[0] = 0.0
    for first, block in cost.rows(frame):
        program.choose_free(block, first, frame.lowest, frame.highest, frame.costs, float(penalty), costs, back)
    if not np.isfinite(costs[-1]):
        raise frame.refuse()
    return Solution(program.trace_free(back), float(costs[-1]))


def solve_known(cost: Cost, frame: Frame, most: int) -> Table:
    """Find the segmentations of least cost into 1, 2, … ``most`` segments, all in one sweep."""
    frame.check_work(most)
    cells = (most + 1) * (frame.length + 1)
    if cells > _MOST_CELLS:
        raise CaesuraError(
            f"{most} segments of {frame.length} units need a table of {cells / 1e6:.0f} million cells, more than {_MOST_CELLS // 10**6} "
            "million; leave the number open with a penalty, or cut the text first."
        )
    costs = np.full((most + 1, frame.length + 1), np.inf)
    back = np.full((most + 1, frame.length + 1), -1, np.int32)
    costs[0, 0] = 0.0
    for first, block in cost.rows(frame):
        program.choose_known(block, first, frame.lowest, frame.highest, frame.costs, costs, back)
    return Table(frame, costs, back)


def posteriors(
    cost: Cost, frame: Frame, *, penalty: float = 0.0, segments: int | None = None, temperature: float = 1.0
) -> NDArray[np.float64]:
    """Return the probability of a boundary at each of the n-1 places, over all segmentations weighed by exp(-cost / temperature).

    Forward and backward sums of the same recurrence; with ``segments`` over the segmentations of that number alone.
    """
    n = frame.length
    if n < 2:
        return np.empty(0)
    check_above_zero("the temperature", temperature)
    frame.check_work(2 * (segments or 1))
    forward = _sums(cost, frame, penalty, segments, 1.0 / temperature)
    backward = _sums(cost.reversed(), frame.reversed(), penalty, segments, 1.0 / temperature)[..., ::-1]
    inner = slice(1, n)
    place = frame.costs[inner] / temperature  # counted in both directions
    if segments is None:
        whole = forward[n]
        logs = forward[inner] + backward[inner]
    else:
        whole = forward[segments, n]
        pairs = forward[1:segments, inner] + backward[segments - 1 : 0 : -1, inner]  # k segments before, K - k behind
        logs = np.logaddexp.reduce(pairs, axis=0) if len(pairs) else np.full(n - 1, -np.inf)
    if not np.isfinite(whole):
        raise frame.refuse(segments)
    with np.errstate(invalid="ignore"):
        logs = np.where(np.isfinite(place), logs + place, -np.inf) - whole
    return np.asarray(np.clip(np.exp(logs), 0.0, 1.0), np.float64)


def _sums(cost: Cost, frame: Frame, penalty: float, segments: int | None, scale: float) -> NDArray[np.float64]:
    if segments is None:
        scores = np.full(frame.length + 1, -np.inf)
        scores[0] = 0.0
        for first, block in cost.rows(frame):
            program.sum_free(block, first, frame.lowest, frame.highest, frame.costs, float(penalty), scale, scores)
        return scores
    table = np.full((segments + 1, frame.length + 1), -np.inf)
    table[0, 0] = 0.0
    for first, block in cost.rows(frame):
        program.sum_known(block, first, frame.lowest, frame.highest, frame.costs, scale, table)
    return table


def total_cost(cost: Cost, positions: Sequence[int] | NDArray[Any], penalty: float = 0.0) -> float:
    """Return what a given segmentation costs."""
    if not cost.length:
        return 0.0
    edges = np.concatenate(([0], np.asarray(positions, np.int64), [cost.length]))
    return float(cost.segments(edges[:-1], edges[1:]).sum() + penalty * (len(edges) - 1))


def boundary_gains(cost: Cost, positions: NDArray[np.int64], penalty: float = 0.0) -> NDArray[np.float64]:
    """Return how much the cost rises when each boundary alone is taken away."""
    if not len(positions):
        return np.empty(0)
    edges = np.concatenate(([0], positions, [cost.length]))
    parts = cost.segments(edges[:-1], edges[1:])
    joined = cost.segments(edges[:-2], edges[2:])
    return np.asarray(joined - parts[:-1] - parts[1:] - penalty, np.float64)


def _inside(place: int, length: int, what: str) -> int:
    if not 0 < place < length:
        raise CaesuraError(f"a boundary is {what} behind unit {place}; places go from 1 to {length - 1}.")
    return int(place)
