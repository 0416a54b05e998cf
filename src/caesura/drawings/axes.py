"""Axes: which numbers to write along one, and how they stand in a terminal and in an SVG."""

from __future__ import annotations

import math

from caesura.display.cells import Canvas
from caesura.display.svg import Svg

__all__ = ["axis_labels", "draw_label", "put_times"]


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


def put_times(canvas: Canvas, start: float, end: float, scale: float, margin: int, room: int) -> None:
    """Add a row of times for a line of ``room`` cells that begins at ``start``, up to the ``end`` of the recording."""
    row, free = canvas.height, 0
    canvas.put(row, 0, "")
    for time, label in axis_labels(start, start + room / scale, room // 12):
        at = round((time - start) * scale)
        if at >= free and time <= end and at + len(label) <= room + 1:
            canvas.put(row, margin + at, label, "faint")
            free = at + len(label) + 1


def draw_label(picture: Svg, label: str, x: float, top: float, bottom: float) -> None:
    """Draw one number above the picture, and its line through it."""
    picture.line(x, top - 4, x, bottom, "grid", width=1)
    picture.text(x, top - 8, label, "faint", anchor="middle", size=11)
