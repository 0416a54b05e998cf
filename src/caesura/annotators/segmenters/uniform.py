"""The simplest segmenter: a boundary every so many seconds, whatever is said."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from caesura.annotators.segmenters.audio import Recording
from caesura.errors import CaesuraError
from caesura.model import Segmentation

__all__ = ["Uniform"]


@dataclass(frozen=True)
class Uniform:
    """A boundary every ``interval`` seconds; the default is about the mean length of a phone in read English.

    >>> Uniform(0.2).segment(0.9)
    Segmentation(0.9 s: 0.2|0.4|0.6|0.8)
    """

    interval: float = 0.08

    def __post_init__(self) -> None:
        if not (np.isfinite(self.interval) and self.interval > 0):
            raise CaesuraError(f"the interval is {self.interval} s; expected a number above 0.")

    def segment(self, recording: Recording | float) -> Segmentation:
        """Place boundaries into a recording, or into so many seconds."""
        length = recording.duration if isinstance(recording, Recording) else float(recording)
        number = int(np.ceil(length / self.interval - 1e-9))
        times = np.round(np.arange(1, number) * self.interval, 7)
        return Segmentation.from_times(times[times < length], length=length)
