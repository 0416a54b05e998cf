"""Nested segmentations: the exact dynamic program level by level, and the trees that greedy splits leave behind."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.model import Hierarchy
from caesura.segmenters.text import dynamic
from caesura.segmenters.text.base import AdditiveSegmenter, TextSegmenter, units_of


@dataclass(frozen=True)
class Split:
    """One division of a segment (start, end] behind unit ``position``, and how much the cost fell."""

    start: int
    end: int
    position: int
    gain: float


def nest(
    segmenter: TextSegmenter,
    units: Any,
    levels: int | Sequence[int] = 2,
    *,
    order: Literal["top", "bottom", "joint"] = "top",
    ratio: float = 3.0,
) -> Hierarchy:
    """Segment a text on several levels, each boundary of a level also one of the finer levels.

    Parameters
    ----------
    levels
        Numbers of segments from the coarsest to the finest, such as [4, 12]; or how many levels, each with ``ratio`` times the
        segments of the one above, the finest as many as the segmenter finds by itself.
    order
        ``top``: the coarsest first, each finer level keeping its boundaries; ``bottom``: the finest first, each coarser level choosing
        among its boundaries; ``joint``: the least sum of the costs of two levels.

    Every order is exact for what it minimises. Segmenters that split step by step (C99) give their splits in order instead.
    """
    listed = units_of(units)
    n = len(listed)
    if not n:
        return Hierarchy(0, [])
    numbers = _numbers(segmenter, listed, levels, ratio)
    if order not in ("top", "bottom", "joint"):
        raise CaesuraError(f"the order is {order!r}; expected 'top', 'bottom' or 'joint'.")
    if not isinstance(segmenter, AdditiveSegmenter):
        splits = getattr(segmenter, "splits", None)
        if splits is None:
            raise CaesuraError(f"{segmenter.name} gives no nested segments; dcm, u00, mincut, aps, vectors and c99 do.")
        steps = splits(listed, max(numbers) - 1)[0]
        return _hierarchy([np.sort(steps[: number - 1]) for number in numbers], listed)
    cost = segmenter.cost(listed, numbers[-1])
    solve = {"top": _top_down, "bottom": _bottom_up, "joint": _jointly}[order]
    return _hierarchy(solve(cost, segmenter._frame(n), numbers), listed)


def _numbers(segmenter: TextSegmenter, units: tuple[str, ...], levels: int | Sequence[int], ratio: float) -> list[int]:
    n = len(units)
    if isinstance(levels, int):
        if levels < 1:
            raise CaesuraError(f"{levels} levels were asked for; expected 1 or more.")
        finest = len(segmenter.segment(units))
        return [max(1, round(finest / ratio ** (levels - 1 - level))) for level in range(levels)]
    numbers = [int(number) for number in levels]
    if not numbers or sorted(numbers) != numbers or numbers[0] < 1 or numbers[-1] > n:
        raise CaesuraError(
            f"levels are numbers of segments from the coarsest to the finest, 1 to {n}, not {list(levels)}."
        )
    return numbers


def _top_down(cost: dynamic.Cost, frame: dynamic.Frame, numbers: list[int]) -> list[NDArray[np.int64]]:
    levels: list[NDArray[np.int64]] = []
    for number in numbers:
        forced = levels[-1].tolist() if levels else []
        inner = dynamic.Frame.of(frame.length, shortest=frame.shortest, longest=frame.longest, forced=forced)
        levels.append(dynamic.solve_known(cost, inner, number).solution(number).positions)
    return levels


def _bottom_up(cost: dynamic.Cost, frame: dynamic.Frame, numbers: list[int]) -> list[NDArray[np.int64]]:
    levels = [dynamic.solve_known(cost, frame, numbers[-1]).solution(numbers[-1]).positions]
    for number in reversed(numbers[:-1]):
        levels.insert(0, _choose_among(_costs_between(cost, levels[0]), levels[0], number))
    return levels


#: Places that two levels may be chosen from together; of longer texts the best so many.
_MOST_JOINT = 120


def _jointly(cost: dynamic.Cost, frame: dynamic.Frame, numbers: list[int]) -> list[NDArray[np.int64]]:
    """Minimise the sum of the costs of two levels, over all places of a short text and the best places of a long one."""
    from caesura.kernels.nested_program import nest_jointly

    if len(numbers) != 2:
        raise CaesuraError(f"two levels are solved jointly, not {len(numbers)}; take order='top' or 'bottom'.")
    places = np.arange(1, frame.length)
    if len(places) > _MOST_JOINT:
        places = dynamic.solve_known(cost, frame, _MOST_JOINT).solution(_MOST_JOINT).positions
    if numbers[1] > len(places) + 1:
        raise CaesuraError(
            f"two levels are solved jointly over {len(places)} places at most; take order='top' or 'bottom'."
        )
    coarse, fine, total = nest_jointly(_costs_between(cost, places), *numbers)
    if not np.isfinite(total):
        raise frame.refuse(numbers[1])
    return [places[coarse - 1], places[fine - 1]]


def _costs_between(cost: dynamic.Cost, positions: NDArray[np.int64]) -> NDArray[np.float64]:
    """Costs of all segments between given boundaries and the edges of the text."""
    edges = np.concatenate(([0], positions, [cost.length]))
    table = np.full((len(edges), len(edges)), np.inf)
    starts, ends = np.triu_indices(len(edges), 1)
    table[starts, ends] = cost.segments(edges[starts], edges[ends])
    return table


def _choose_among(between: NDArray[np.float64], positions: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    """Choose the best boundaries of ``number`` segments among given ones, by their table of costs."""
    table = dynamic.solve_known(_Tabled(between), dynamic.Frame(len(between) - 1), number)
    return positions[table.solution(number).positions - 1]


@dataclass(frozen=True)
class _Tabled:
    """Costs that stand in a table."""

    table: NDArray[np.float64]

    @property
    def length(self) -> int:
        return len(self.table) - 1

    def rows(self, frame: dynamic.Frame) -> Any:
        yield 0, np.ascontiguousarray(self.table[:-1, 1:].T)

    def segments(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(self.table[starts, ends])

    def reversed(self) -> _Tabled:
        return _Tabled(np.ascontiguousarray(self.table[::-1, ::-1].T))


def _hierarchy(levels: list[NDArray[np.int64]], units: tuple[str, ...]) -> Hierarchy:
    n = len(units)
    spans = []
    for level, positions in enumerate(levels, 1):
        edges = [0, *positions.tolist(), n]
        spans += [(a + 1, b, level) for a, b in itertools.pairwise(edges)]
    return Hierarchy(n, spans, units)


def split_greedily(cost: dynamic.Cost, frame: dynamic.Frame, segments: int | None = None) -> list[Split]:
    """Split the segment whose best division lowers the cost most, again and again: to ``segments`` segments, or while it pays."""
    shortest = frame.shortest
    waiting: list[tuple[float, int, int, int]] = []

    def offer(start: int, end: int) -> None:
        middles = np.arange(start + shortest, end - shortest + 1)
        middles = middles[np.isfinite(frame.costs[middles])]
        if len(middles):
            parts = cost.segments(np.full(len(middles), start), middles) + cost.segments(
                middles, np.full(len(middles), end)
            )
            best = int(np.argmin(parts + frame.costs[middles]))
            whole = float(cost.segments(np.array([start]), np.array([end]))[0])
            heapq.heappush(waiting, (float(parts[best]) - whole, start, end, int(middles[best])))

    offer(0, cost.length)
    splits: list[Split] = []
    while waiting and (segments is None or len(splits) < segments - 1):
        change, start, end, middle = heapq.heappop(waiting)
        if segments is None and change >= 0:
            break
        splits.append(Split(start, end, middle, -change))
        offer(start, middle)
        offer(middle, end)
    if segments is not None and len(splits) < segments - 1:
        raise frame.refuse(segments)
    return splits
