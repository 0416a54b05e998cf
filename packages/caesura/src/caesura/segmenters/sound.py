"""Sound: recordings, and a segmenter that places boundaries at peaks of spectral change.

The recording is divided into short frames, each described by the log energies of its mel bands. For every frame, the mean of a few
frames before it is compared with the mean of as many after it. The distance of the two rises where one phone changes to the next,
and its peaks are the candidates. The score of a peak is its prominence divided by the mean distance of the recording, so that one
threshold works for loud and quiet recordings.
"""

from __future__ import annotations

import struct
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, FormatError, import_extra
from caesura.files import Source
from caesura.model import Segmentation
from caesura.segmenters.catalog import validate_segment_count
from caesura.segmenters.encoders import onnx_encoder, takes_onnx
from caesura.text import pluralize
from caesura.validation import validate_integer, validate_positive

_FRAMES = 2000  # frames that are computed at a time


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

    @property
    def size(self) -> int:
        """The number of samples."""
        return len(self.samples)

    def read(self, start: int, stop: int) -> NDArray[np.float64]:
        """Return some of the samples."""
        return self.samples[start:stop]


class SoundFile:
    """One channel of a sound file that stays on disk: samples are read when they are needed, so that memory does not grow with its length.

    Parameters
    ----------
    path : Path or binary file
        A file that soundfile can read: WAV, FLAC, OGG, MP3, AIFF and others. A stream in which one cannot go back, such as the standard
        input, is copied to a temporary file.
    channel : int, default None
        The channel, counted from 1; None takes the mean of all.
    """

    def __init__(self, path: Path | BinaryIO, channel: int | None = None) -> None:
        soundfile = import_extra("soundfile", "speech", "reading sound")
        source: Any = path
        if not isinstance(path, Path):
            source, path = _seekable(path), Path(str(getattr(path, "name", "sound")).strip("<>"))
        try:
            self._file = soundfile.SoundFile(source)
        except (soundfile.LibsndfileError, RuntimeError) as fault:
            raise FormatError(
                path,
                None,
                f"not a readable sound file (WAV, FLAC, OGG, MP3 …): {str(fault).rpartition(': ')[2].rstrip('.')}.",
            ) from None
        self.rate, self.name, self.channel = int(self._file.samplerate), path.stem, channel
        self.size, channels = int(self._file.frames), int(self._file.channels)
        if not self.size or not self.rate:
            raise FormatError(path, None, "the file has no sound.")
        if channel is not None and not 1 <= channel <= channels:
            raise FormatError(path, None, f"there is no channel {channel}; the file has {channels}.")
        # in some rare formats (XI) one cannot go back
        self._whole = None if self._file.seekable() else self._file.read(self.size, "float64", always_2d=True)

    @property
    def duration(self) -> float:
        """The duration in seconds."""
        return self.size / self.rate

    def read(self, start: int, stop: int) -> NDArray[np.float64]:
        """Return some of the samples, from -1 to 1."""
        if self._whole is None:
            self._file.seek(start)
            data = self._file.read(max(0, min(stop, self.size) - start), dtype="float64", always_2d=True)
        else:
            data = self._whole[start:stop]
        mixed = data.mean(axis=1) if self.channel is None else data[:, self.channel - 1]
        return np.asarray(np.nan_to_num(mixed), np.float64)


def _seekable(stream: BinaryIO) -> BinaryIO:
    if stream.seekable():
        return stream
    copy: BinaryIO = TemporaryFile()  # noqa: SIM115  (read as long as the sound is)
    copyfileobj(stream, copy)
    copy.seek(0)
    return copy


#: What segmenters of sound listen to.
Sound: TypeAlias = Recording | SoundFile


def open_sound(path: str | PathLike[str] | BinaryIO, *, channel: int | None = None) -> Sound:
    """Open a sound file of any format that soundfile reads; it is read in parts, when it is segmented.

    Parameters
    ----------
    path : str, PathLike or binary file
        The file, or a stream that is open for reading.
    channel : int, default None
        The channel, counted from 1; None takes the mean of all.

    Returns
    -------
    SoundFile or Recording
        A Recording for a WAV file if soundfile is not installed.
    """
    if not isinstance(path, (str, PathLike)):
        return SoundFile(path, channel)
    where = Source.open(Path(path)).path
    if where.suffix.lower() == ".wav" and find_spec("soundfile") is None:
        return read_wav(where, channel=channel)
    return SoundFile(where, channel)


def read_wav(path: str | PathLike[str], *, channel: int | None = None) -> Recording:
    """Read a WAV file: PCM of 8 to 32 bits or floats; other encodings, such as µ-law, and other formats if soundfile is installed.

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
        if find_spec("soundfile") is not None:
            sound = SoundFile(where, channel)
            return Recording(sound.read(0, sound.size), sound.rate, sound.name)
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
    features : callable, str or Path, default None
        Frames of your own instead of mel bands, such as those of a self-supervised encoder: a function of the recording that returns an array with a
        row per ``step`` seconds; as text, ``"package.module:function"``. The recording has ``rate``, ``size`` and ``read(start, stop)``. An ONNX
        file, ``"hubert.onnx"`` or ``"hubert.onnx#output"``, is run by :class:`~caesura.segmenters.encoders.OnnxEncoder`. A function with attributes
        ``step`` and ``frame`` gives their values where they are not given here.
    """

    threshold: float = 0.25
    step: float = 0.005
    frame: float = 0.020
    context: float = 0.020
    least: float = 0.025
    bands: int = 26
    floor: float = 50.0
    features: Any = None

    def __post_init__(self) -> None:
        for name in ("step", "frame", "context", "least"):
            validate_positive(name, getattr(self, name))
        validate_integer("bands", self.bands, 2)
        if self.features is not None:
            object.__setattr__(self, "features", load_features(self.features))
            for name in ("step", "frame"):  # those of the features, unless others were given
                if getattr(self, name) == getattr(SpectralChange, name) and hasattr(self.features, name):
                    object.__setattr__(self, name, float(getattr(self.features, name)))

    def segment(self, units: Sound, segments: int | None = None) -> Segmentation:
        """Place boundaries at peaks.

        Parameters
        ----------
        units : Recording or SoundFile
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

    def candidates(self, recording: Sound) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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

    def change(self, recording: Sound) -> NDArray[np.float64]:
        """Return the spectral change at every frame."""
        spectrum = self._bands(recording) if self.features is None else _checked_features(self.features(recording))
        reach = max(1, round(self.context / self.step))
        if len(spectrum) <= 2 * reach:
            return np.empty(0)
        squared = np.zeros(len(spectrum) - 2 * reach + 1)
        for band in spectrum.T:  # one band after another, to limit memory
            total = np.concatenate(([0.0], np.cumsum(band, dtype=np.float64)))
            means = (total[reach:] - total[:-reach]) / reach  # of `reach` frames from each one on
            squared += (means[reach:] - means[:-reach]) ** 2
        distance = np.sqrt(squared)
        padded = np.concatenate((np.zeros(reach), distance, np.zeros(len(spectrum) - reach - len(distance))))
        window = np.hanning(5)  # smooths over three frames: the outer two of five weigh 0
        return np.convolve(padded, window / window.sum(), mode="same")

    def _bands(self, recording: Sound) -> NDArray[np.floating[Any]]:
        """Return the log energy of every frame in every band."""
        size, hop = max(16, round(self.frame * recording.rate)), max(1, round(self.step * recording.rate))
        if recording.size < size:
            return np.empty((0, self.bands), np.float32)
        weights, window = _mel_filters(self.bands, size, recording.rate), np.hamming(size)
        number = (recording.size - size) // hop + 1
        energy = np.empty(
            (number, self.bands), np.float32
        )  # single precision: this is most of the memory of a long recording
        for first in range(0, number, _FRAMES):  # ten seconds at a time, to limit memory
            last = min(first + _FRAMES, number)
            samples = recording.read(max(first * hop - 1, 0), (last - 1) * hop + size)
            # pre-emphasis with the usual coefficient raises the high frequencies, in which phones differ
            emphasised = samples[1:] - 0.97 * samples[:-1]
            if first == 0:
                emphasised = np.append(samples[0], emphasised)
            frames = np.lib.stride_tricks.sliding_window_view(emphasised, size)[::hop]
            energy[first:last] = np.abs(np.fft.rfft(frames * window, axis=1)) ** 2 @ weights
        loudest = float(energy.max())
        if loudest <= 0:
            return np.zeros_like(energy)
        np.maximum(energy, np.float32(loudest * 10.0 ** (-self.floor / 10.0)), out=energy)
        return np.asarray(np.log(energy, out=energy))


def load_features(given: Any) -> Callable[[Sound], Any]:
    """Return a function that computes features, given itself, as ``"package.module:function"`` or as an ONNX file."""
    if callable(given):
        function: Callable[[Sound], Any] = given
        return function
    if takes_onnx(given):
        return onnx_encoder(str(given))
    module, colon, name = str(given).partition(":")
    try:
        found = getattr(import_module(module), name) if colon else None
    except (ImportError, AttributeError, ValueError) as fault:
        raise CaesuraError(f"features={given}: {fault}.") from None
    if not callable(found):
        raise CaesuraError(
            f"features is {given!r}; expected a function, its place as 'package.module:function', or an ONNX file."
        )
    return load_features(found)


def _checked_features(given: Any) -> NDArray[np.float64]:
    rows = np.asarray(given, np.float64)
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise CaesuraError(f"features are an array of shape {rows.shape}; expected finite numbers, a row per frame.")
    return rows


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
