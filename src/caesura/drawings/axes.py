"""Axes: which numbers to write along one, and how they stand in a terminal and in an SVG."""

from __future__ import annotations

import math

from caesura.display.svg import Svg

__all__ = ["axis_labels", "draw_label"]


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


def draw_label(picture: Svg, label: str, x: float, top: float, bottom: float) -> None:
    """Draw one number above the picture, and its line through it."""
    picture.line(x, top - 4, x, bottom, "grid", width=1)
    picture.text(x, top - 8, label, "faint", anchor="middle", size=11)
