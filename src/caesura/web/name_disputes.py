"""Segments of a recording on whose ends coders agree, and not on their names; without a loop over boundaries that nobody disputes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from caesura.gold.linear import group_times
from caesura.model import Segmentation

Numbers: TypeAlias = np.ndarray[Any, Any]


class TimeGroups(NamedTuple):
    """All coders' boundaries that are one place: the first and the last time of each, and the one in the middle, where the place is."""

    begins: Numbers
    ends: Numbers
    middles: Numbers

    @classmethod
    def of(cls, marked: Sequence[Segmentation], tolerance: float) -> TimeGroups:
        """Group the boundaries of a recording, those of up to a tolerance behind a first one with it."""
        times = np.sort(np.concatenate([marks.positions for marks in marked]))
        starts = np.array(group_times(times.tolist(), tolerance), np.int64)
        stops = np.append(starts[1:], len(times)) if len(starts) else starts
        return cls(times[starts], times[stops - 1], times[(starts + stops - 1) // 2])

    def number(self, positions: Numbers) -> Numbers:
        """The number of each boundary's group."""
        return np.searchsorted(self.begins, positions, "right") - 1


class NameDisputes(NamedTuple):
    """Segments that two coders or more have, with different names, in the order of their middles."""

    firsts: Numbers
    lasts: Numbers
    slices: Numbers  # from where to where the votes on each stand in ``votes``
    votes: Numbers  # rows (coder, name), as numbers
    coders: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def middles(self) -> Numbers:
        """Where each of them is looked at."""
        return (self.firsts + self.lasts) / 2

    def names_by_coder(self, index: int) -> dict[str, str]:
        """Who calls this segment what."""
        low, high = self.slices[index]
        return {self.coders[coder]: self.names[name] for coder, name in self.votes[low:high].tolist()}


def dispute_names(coded: Mapping[str, Segmentation], groups: TimeGroups) -> NameDisputes:
    """Find the segments whose both ends are the same places (or those of the recording) by two coders or more who named them differently.

    Whoever named no segment at all has no say; an empty name beside others is one.
    """
    named = {coder: marks for coder, marks in coded.items() if marks.names is not None}
    codes: dict[str, int] = {}
    count, rows = len(groups.begins), [np.empty((0, 3), np.int64)]
    for index, marks in enumerate(named.values() if len(named) > 1 else ()):
        edges = np.concatenate([[0], groups.number(marks._cuts()) + 1, [count + 1]])
        called = np.array([codes.setdefault(name, len(codes)) for name in marks.names or ()], np.int64)
        segments = np.column_stack([edges[:-1] * (count + 2) + edges[1:], np.full(len(called), index), called])
        rows.append(segments[edges[:-1] < edges[1:]])  # none that is shorter than the tolerance
    every = np.concatenate(rows)
    every = every[np.argsort(every[:, 0], kind="stable")]
    lows = np.flatnonzero(np.diff(every[:, 0], prepend=-1))
    highs = np.append(lows[1:], len(every)) if len(lows) else lows
    if len(lows):
        differ = np.minimum.reduceat(every[:, 2], lows) < np.maximum.reduceat(every[:, 2], lows)
        lows, highs = lows[differ], highs[differ]
    times = np.concatenate([[0.0], groups.middles, [next(iter(coded.values())).length]])
    firsts, lasts = times[every[lows, 0] // (count + 2)], times[every[lows, 0] % (count + 2)]
    order = np.argsort(firsts + lasts, kind="stable")
    slices = np.column_stack([lows, highs])[order]
    return NameDisputes(firsts[order], lasts[order], slices, every[:, 1:], tuple(named), tuple(codes))
