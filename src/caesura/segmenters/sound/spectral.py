"""A blind segmenter: a boundary where the spectrum changes most.

The sound is cut into short frames, each described by the logarithms of its energy in bands of the mel scale. For every
frame the mean of a few frames behind it is held against the mean of as many before; the distance between the two rises
where one phone gives way to the next, and its peaks are the candidates. A peak's score is its prominence, in units of the
recording's own mean distance, so that one threshold serves loud and quiet recordings alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, import_extra
from caesura.model import Segmentation
from caesura.segmenters.protocol import check_segments
from caesura.segmenters.sound.recording import Recording
from caesura.words import number_of


@dataclass(frozen=True)
class SpectralChange:
    """Boundaries at peaks of spectral change.

    Attributes
    ----------
    threshold
        Least score of a boundary; lower finds more of them (`caesura optimise` finds the best for a corpus).
    step, frame
        Seconds between frames, and how long each is.
    context
        Seconds on either side that are held against each other.
    least
        Shortest segment, in seconds.
    bands
        Number of mel bands.
    floor
        Decibels below the loudest band at which everything counts as silence.
    """

    threshold: float = 0.25
    step: float = 0.005
    frame: float = 0.020
    context: float = 0.020
    least: float = 0.025
    bands: int = 26
    floor: float = 50.0

    def __post_init__(self) -> None:
        for name in ("step", "frame", "context", "least"):
            if not (np.isfinite(getattr(self, name)) and getattr(self, name) > 0):
                raise CaesuraError(f"{name} is {getattr(self, name)}; expected seconds above 0.")
        if self.bands < 2:
            raise CaesuraError(f"bands is {self.bands}; expected 2 or more.")

    def segment(self, units: Recording, segments: int | None = None) -> Segmentation:
        """Place boundaries where the score reaches the threshold, or where it is best, for so many segments."""
        times, scores = self.candidates(units)
        if segments is None:
            chosen = scores >= self.threshold
        else:
            check_segments(segments, len(times) + 1, f"a recording with {number_of(len(times), 'peak')}")
            chosen = np.zeros(len(times), bool)
            chosen[np.argsort(-scores, kind="stable")[: segments - 1]] = True
        return Segmentation.from_times(times[chosen], length=units.duration)

    def candidates(self, recording: Recording) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the times of all peaks and their scores."""
        find_peaks = import_extra("scipy.signal", "speech", "finding spectral change").find_peaks
        change = self.change(recording)
        if len(change) < 3 or not change.mean() > 0:
            return np.empty(0), np.empty(0)
        apart = max(1, round(self.least / self.step))
        peaks, properties = find_peaks(change, distance=apart, prominence=0.0)
        times = np.round(peaks * self.step + (self.frame - self.step) / 2, 7)  # between the middles of two frames
        inside = times < recording.duration
        return times[inside], (properties["prominences"] / change.mean())[inside]

    def change(self, recording: Recording) -> NDArray[np.float64]:
        """Return how much the spectrum changes at every frame."""
        spectrum = self._bands(recording)
        reach = max(1, round(self.context / self.step))
        if len(spectrum) <= 2 * reach:
            return np.empty(0)
        total = np.concatenate((np.zeros((1, spectrum.shape[1])), np.cumsum(spectrum, axis=0)))
        means = (total[reach:] - total[:-reach]) / reach  # the mean of `reach` frames from each one on
        distance = np.sqrt(((means[reach:] - means[:-reach]) ** 2).sum(axis=1))
        padded = np.concatenate((np.zeros(reach), distance, np.zeros(len(spectrum) - reach - len(distance))))
        window = np.hanning(5)
        return np.convolve(padded, window / window.sum(), mode="same")

    def _bands(self, recording: Recording) -> NDArray[np.float64]:
        """Return the logarithmic energy of every frame in every band."""
        size, hop = max(16, round(self.frame * recording.rate)), max(1, round(self.step * recording.rate))
        samples = recording.samples
        if len(samples) < size:
            return np.empty((0, self.bands))
        emphasised = np.append(samples[0], samples[1:] - 0.97 * samples[:-1])
        frames = np.lib.stride_tricks.sliding_window_view(emphasised, size)[::hop]
        weights = _mel(self.bands, size, recording.rate)
        energy = np.concatenate(
            [
                np.abs(np.fft.rfft(block * np.hamming(size), axis=1)) ** 2 @ weights
                for block in np.array_split(frames, max(1, len(frames) // 2000))  # some seconds at a time
            ]
        )
        loudest = float(energy.max())
        if loudest <= 0:
            return np.zeros_like(energy)
        return np.asarray(np.log(np.maximum(energy, loudest * 10.0 ** (-self.floor / 10.0))), np.float64)


def _mel(bands: int, size: int, rate: int) -> NDArray[np.float64]:
    """Triangles on the mel scale (O'Shaughnessy 1987), one column per band; bands narrower than a bin take the nearest."""

    def mel(hertz: NDArray[Any] | float) -> NDArray[np.float64]:
        return np.asarray(2595.0 * np.log10(1.0 + np.asarray(hertz) / 700.0))

    bins = mel(np.fft.rfftfreq(size, 1 / rate))
    corners = np.linspace(mel(60.0), bins[-1], bands + 2)
    rising = (bins[:, None] - corners[None, :-2]) / (corners[1:-1] - corners[:-2])
    falling = (corners[None, 2:] - bins[:, None]) / (corners[2:] - corners[1:-1])
    weights = np.maximum(0.0, np.minimum(rising, falling))
    for band in np.flatnonzero(weights.sum(axis=0) == 0):
        weights[np.argmin(np.abs(bins - corners[band + 1])), band] = 1.0
    return np.asarray(weights, np.float64)
