"""The simplest segmenter: segments of equal length, whatever is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from caesura.errors import CaesuraError
from caesura.model import Segmentation
from caesura.segmenters.protocol import check_segments
from caesura.segmenters.sound.recording import Recording
from caesura.words import check_above_zero


@dataclass(frozen=True)
class Uniform:
    """Segments of equal length: so many of them, or in sound one every ``interval`` seconds.

    The default interval is about the mean length of a phone in read English. In a text of n units boundary i of K segments
    stands at ``floor(n i / K + 1/2)``.

    >>> Uniform(0.2).segment(0.9)
    Segmentation(0.9 s: 0.2|0.4|0.6|0.8)
    >>> Uniform().segment(["a", "b", "c", "d", "e"], segments=2)
    Segmentation(5 units: 3|2)
    """

    interval: float = 0.08

    def __post_init__(self) -> None:
        check_above_zero("the interval", self.interval)

    def segment(self, units: Recording | float | Sequence[str], segments: int | None = None) -> Segmentation:
        """Place boundaries into a recording, into so many seconds, or between the units of a text."""
        if isinstance(units, Recording):
            return self._in_sound(units.duration, segments)
        if isinstance(units, int | float):
            return self._in_sound(float(units), segments)
        from caesura.segmenters.text.base import units_of

        listed = units_of(units)
        length = len(listed)
        if segments is None:
            raise CaesuraError("uniform segments of a text need their number: segments= (--segments).")
        check_segments(segments, length, f"a text of {length} units")
        places = (2 * length * np.arange(1, segments) // segments + 1) // 2
        return Segmentation.from_positions(places, length=length, units=listed)

    def _in_sound(self, length: float, segments: int | None) -> Segmentation:
        if segments is None:
            number, interval = int(np.ceil(length / self.interval - 1e-9)), self.interval
        else:
            check_segments(segments, 10**6, "a recording")
            number, interval = segments, length / segments
        times = np.round(np.arange(1, number) * interval, 7)
        return Segmentation.from_times(times[times < length], length=length)
