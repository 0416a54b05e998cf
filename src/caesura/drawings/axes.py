"""Axes: which numbers to write along one."""

from __future__ import annotations

import math


def axis_labels(start: float, stop: float, most: int) -> list[tuple[float, str]]:
    """Round numbers to label an axis with, at most about ``most`` of them.

    >>> [label for _, label in axis_labels(0, 1.52, 8)]
    ['0', '0.2', '0.4', '0.6', '0.8', '1', '1.2', '1.4']
    """
    span = stop - start
    if span <= 0:
        return [(start, f"{start:g}")]
    rough = span / max(1, most)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * s for s in (1, 2, 5, 10) if power * s >= rough * 0.999)
    first = math.ceil(start / step - 1e-9)
    return [(n * step, f"{n * step:.10g}") for n in range(first, math.floor(stop / step + 1e-9) + 1)]
