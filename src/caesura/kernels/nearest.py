"""How far the boundaries of one side are from the nearest of the other: one walk along both."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.fused import _columns, _ready_columns
from caesura.kernels.jit import kernel
from caesura.kernels.layout import MarkColumns


@kernel
def _reach(here: NDArray[Any], start: int, stop: int, there: NDArray[Any], at: int, end: int, none: float) -> Any:
    """Return the farthest distance to the nearest boundary of the other side, and the sum of them; ``none`` where it has none."""
    farthest = total = 0.0
    for i in range(start, stop):
        while at + 1 < end and abs(there[at + 1] - here[i]) <= abs(there[at] - here[i]):
            at += 1
        distance = float(abs(there[at] - here[i])) if at < end else none
        farthest = max(farthest, distance)
        total += distance
    return farthest, total


@kernel
def _inside(positions: NDArray[Any], start: int, stop: int, length: float) -> Any:
    """Leave out what stands at the start of the text, or at its end or behind it: no boundaries of anything."""
    while start < stop and positions[start] <= 0:
        start += 1
    while stop > start and positions[stop - 1] >= length:
        stop -= 1
    return start, stop


@kernel
def count_nearest(ref: MarkColumns, hyp: MarkColumns, lengths: NDArray[Any], out: NDArray[Any]) -> None:
    """Fill ``out`` with (farthest, 1, distances of the hypothesis' boundaries, how many these are, those of the reference)."""
    for pair in range(len(lengths)):
        i, i_stop, j, j_stop = ref.starts[pair], ref.stops[pair], hyp.starts[pair], hyp.stops[pair]
        none = float(lengths[pair])
        i, i_stop = _inside(ref.positions, i, i_stop, none)
        j, j_stop = _inside(hyp.positions, j, j_stop, none)
        of_ref, _ = _reach(ref.positions, i, i_stop, hyp.positions, j, j_stop, none)
        of_hyp, total = _reach(hyp.positions, j, j_stop, ref.positions, i, i_stop, none)
        out[pair, 0], out[pair, 1] = max(of_ref, of_hyp), 1.0
        out[pair, 2], out[pair, 3], out[pair, 4] = total, float(j_stop - j), float(i_stop - i)


@kernel
def pair_nearest(ref: NDArray[Any], hyp: NDArray[Any], length: Any) -> Any:
    """Measure one pair of texts, as :mod:`caesura.kernels.fused` does."""
    out = np.empty((1, 5))
    ours, theirs, lengths = _columns(ref, hyp, length)
    count_nearest(ours, theirs, lengths, out)
    return lengths[0], (out[0, 0], out[0, 1], out[0, 2], out[0, 3], out[0, 4])


@kernel
def pair_nearest_times(ref: NDArray[Any], hyp: NDArray[Any], length: float) -> Any:
    """Measure one pair of recordings."""
    out = np.empty((1, 5))
    ours, theirs, lengths = _ready_columns(ref, hyp, length)
    count_nearest(ours, theirs, lengths, out)
    return length, (out[0, 0], out[0, 1], out[0, 2], out[0, 3], out[0, 4])
