"""Sound: WAV recordings, and a segmenter that places boundaries at peaks of spectral change.

The recording is divided into short frames, each described by the log energies of its mel bands. For every frame, the mean of a few
frames before it is compared with the mean of as many after it. The distance of the two rises where one phone changes to the next,
and its peaks are the candidates. The score of a peak is its prominence divided by the mean distance of the recording, so that one
threshold works for loud and quiet recordings.
"""

from __future__ import annotations

import struct
import warnings
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import FormatError, import_extra
from caesura.files import Source
from caesura.model import Segmentation
from caesura.segmenters.catalog import validate_segment_count
from caesura.text import pluralize
from caesura.validation import validate_integer, validate_positive


@dataclass(frozen=True)
class Recording:
    """One channel of sound.

    Attributes
    ----------
    samples : array of float
        The samples, from -1 to 1.
    rate : int
        Samples per second.
    name : str
        A name, such as that of the file.
    """

    samples: NDArray[np.float64]
    rate: int
    name: str = ""

    @property
    def duration(self) -> float:
        """The duration in seconds."""
        return len(self.samples) / self.rate


def read_wav(path: str | PathLike[str], *, channel: int | None = None) -> Recording:
    """Read a WAV file (PCM of 8 to 32 bits, or floats).

    Parameters
    ----------
    path : str or PathLike
        The file.
    channel : int, default None
        The channel, counted from 1; None takes the mean of all.

    Returns
    -------
    Recording

    Raises
    ------
    FormatError
        If the file is not a WAV file with sound, or has no such channel.
    """
    where = Source.open(Path(path)).path
    wavfile = import_extra("scipy.io.wavfile", "speech", "reading sound")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wavfile.WavFileWarning)  # chunks of metadata that scipy does not know
            rate, data = wavfile.read(where)
    except (ValueError, EOFError, UnboundLocalError, KeyError, struct.error) as fault:
        raise FormatError(where, None, f"not a readable WAV file: {str(fault).rstrip('.')}.") from None
    if not rate or not data.size:
        raise FormatError(where, None, "the WAV file has no sound.")
    samples = _scale(data)
    channels = samples.shape[1] if samples.ndim == 2 else 1
    if channel is not None and not 1 <= channel <= channels:
        raise FormatError(where, None, f"there is no channel {channel}; the file has {channels}.")
    if samples.ndim == 2:
        samples = samples.mean(axis=1) if channel is None else samples[:, channel - 1]
    return Recording(np.ascontiguousarray(samples), int(rate), where.stem)


def _scale(data: NDArray[np.generic]) -> NDArray[np.float64]:
    """Scale samples to -1 … 1."""
    if data.dtype.kind == "u":  # 8-bit samples are stored around 128
        return (data.astype(np.float64) - 128.0) / 128.0
    if data.dtype.kind == "i":
        return data.astype(np.float64) / float(2 ** (8 * data.dtype.itemsize - 1))
    return np.asarray(np.nan_to_num(data.astype(np.float64)), np.float64)


@dataclass(frozen=True)
class SpectralChange:
    """Boundaries at peaks of spectral change.

    Parameters
    ----------
    threshold : float, default 0.25
        The least score of a boundary; lower gives more (``caesura optimise`` finds the best for a corpus).
    step : float, default 0.005
        Seconds from one frame to the next.
    frame : float, default 0.020
        Seconds per frame.
    context : float, default 0.020
        Seconds on either side that are compared.
    least : float, default 0.025
        The shortest segment, in seconds.
    bands : int, default 26
        The number of mel bands.
    floor : float, default 50.0
        Decibels below the loudest band under which everything counts as silence.
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
            validate_positive(name, getattr(self, name))
        validate_integer("bands", self.bands, 2)

    def segment(self, units: Recording, segments: int | None = None) -> Segmentation:
        """Place boundaries at peaks.

        Parameters
        ----------
        units : Recording
            The recording.
        segments : int, default None
            The number of segments, at the peaks with the best scores; None takes every peak that reaches the threshold.

        Returns
        -------
        Segmentation
        """
        times, scores = self.candidates(units)
        if segments is None:
            chosen = scores >= self.threshold
        else:
            validate_segment_count(segments, len(times) + 1, f"a recording with {pluralize(len(times), 'peak')}")
            chosen = np.zeros(len(times), bool)
            chosen[np.argsort(-scores, kind="stable")[: segments - 1]] = True
        return Segmentation.from_times(times[chosen], length=units.duration)

    def candidates(self, recording: Recording) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the times of all peaks, and their scores."""
        find_peaks = import_extra("scipy.signal", "speech", "finding spectral change").find_peaks
        change = self.change(recording)
        if len(change) < 3 or not change.mean() > 0:
            return np.empty(0), np.empty(0)
        distance = max(1, round(self.least / self.step))
        peaks, properties = find_peaks(change, distance=distance, prominence=0.0)
        times = np.round(peaks * self.step + (self.frame - self.step) / 2, 7)  # between the centres of two frames
        inside = times < recording.duration
        return times[inside], (properties["prominences"] / change.mean())[inside]

    def change(self, recording: Recording) -> NDArray[np.float64]:
        """Return the spectral change at every frame."""
        spectrum = self._bands(recording)
        reach = max(1, round(self.context / self.step))
        if len(spectrum) <= 2 * reach:
            return np.empty(0)
        total = np.concatenate((np.zeros((1, spectrum.shape[1])), np.cumsum(spectrum, axis=0)))
        means = (total[reach:] - total[:-reach]) / reach  # of `reach` frames from each one on
        distance = np.sqrt(((means[reach:] - means[:-reach]) ** 2).sum(axis=1))
        padded = np.concatenate((np.zeros(reach), distance, np.zeros(len(spectrum) - reach - len(distance))))
        window = np.hanning(5)  # smooths over three frames: the outer two of five weigh 0
        return np.convolve(padded, window / window.sum(), mode="same")

    def _bands(self, recording: Recording) -> NDArray[np.float64]:
        """Return the log energy of every frame in every band."""
        size, hop = max(16, round(self.frame * recording.rate)), max(1, round(self.step * recording.rate))
        samples = recording.samples
        if len(samples) < size:
            return np.empty((0, self.bands))
        # pre-emphasis with the usual coefficient raises the high frequencies, in which phones differ
        emphasised = np.append(samples[0], samples[1:] - 0.97 * samples[:-1])
        frames = np.lib.stride_tricks.sliding_window_view(emphasised, size)[::hop]
        weights = _mel_filters(self.bands, size, recording.rate)
        energy = np.concatenate(
            [
                np.abs(np.fft.rfft(block * np.hamming(size), axis=1)) ** 2 @ weights
                for block in np.array_split(
                    frames, max(1, len(frames) // 2000)
                )  # ten seconds at a time, to limit memory
            ]
        )
        loudest = float(energy.max())
        if loudest <= 0:
            return np.zeros_like(energy)
        return np.asarray(np.log(np.maximum(energy, loudest * 10.0 ** (-self.floor / 10.0))), np.float64)


def _mel_filters(bands: int, size: int, rate: int) -> NDArray[np.float64]:
    """Return triangular filters on the mel scale (O'Shaughnessy 1987), one column per band."""

    def mel(hertz: NDArray[Any] | float) -> NDArray[np.float64]:
        return np.asarray(2595.0 * np.log10(1.0 + np.asarray(hertz) / 700.0))

    bins = mel(np.fft.rfftfreq(size, 1 / rate))
    corners = np.linspace(mel(60.0), bins[-1], bands + 2)
    rising = (bins[:, None] - corners[None, :-2]) / (corners[1:-1] - corners[:-2])
    falling = (corners[None, 2:] - bins[:, None]) / (corners[2:] - corners[1:-1])
    weights = np.maximum(0.0, np.minimum(rising, falling))
    for band in np.flatnonzero(weights.sum(axis=0) == 0):  # a band narrower than a bin takes the nearest bin
        weights[np.argmin(np.abs(bins - corners[band + 1])), band] = 1.0
    return np.asarray(weights, np.float64)
