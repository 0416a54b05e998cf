"""Waveforms and spectrograms in tiles, at levels that are each four times coarser than the one before.

A waveform tile holds the minimum and maximum of each block of samples, as signed bytes relative to the peak of the recording. A spectrogram tile holds columns
of loudness bytes, where 0 is 60 dB below the loudest. Coarse levels are computed once, when a recording is uploaded; fine ones on request.

Run as a program, the module analyzes one recording under limits on memory and time, so that a malicious file can harm only that process.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura_workbench.sound.decoding import Samples, Sound, SoundError, SoundLimits

FACTOR = 4  # from one level to the next; shifts below use its two bits
KEPT = 3  # finer levels are computed on request
FINEST_BLOCK = 2  # samples per block at level 0
WAVE_TILE = 2048  # blocks
TONE_TILE = 256  # columns
ROWS = 128  # frequency bands of a spectrogram, from 0 Hz to TOP
TOP = 8000.0
_SECONDS_PER_COLUMN = 0.0025  # at level 0
_WINDOW = 0.012  # seconds; a wide-band spectrogram, in which single glottal pulses are visible
_RANGE = 60.0  # dB
_QUIET = 1e-12  # added to powers, so that silence has a logarithm


@dataclass(frozen=True)
class RecordingInfo:
    """Properties of a recording, enough to compute its tiles."""

    media: str
    rate: int
    channels: int
    frames: int
    peak: float
    loudest: float

    @property
    def duration(self) -> float:
        """The duration in seconds."""
        return self.frames / self.rate

    @property
    def hop(self) -> int:
        """Samples between the columns of the finest spectrogram."""
        return max(1, round(self.rate * _SECONDS_PER_COLUMN))

    def blocks(self, level: int) -> int:
        """Return the number of waveform blocks at a level."""
        return -(-self.frames // (FINEST_BLOCK << 2 * level))

    def columns(self, level: int) -> int:
        """Return the number of spectrogram columns at a level."""
        return -(-self.frames // (self.hop << 2 * level))

    @property
    def wave_levels(self) -> int:
        """The number of levels until the waveform fits into one tile."""
        return _levels(self.blocks, WAVE_TILE)

    @property
    def tone_levels(self) -> int:
        """The number of levels until the spectrogram fits into one tile."""
        return _levels(self.columns, TONE_TILE)

    def describe(self) -> dict[str, Any]:
        """Return what a page needs in order to request tiles."""
        waves = {"block": FINEST_BLOCK / self.rate, "tile": WAVE_TILE, "levels": self.wave_levels}
        tones = {
            "column": self.hop / self.rate,
            "tile": TONE_TILE,
            "levels": self.tone_levels,
            "rows": ROWS,
            "top": self.top,
        }
        return {**asdict(self), "duration": self.duration, "factor": FACTOR, "waves": waves, "tones": tones}

    @property
    def top(self) -> float:
        """The highest frequency shown."""
        return min(TOP, self.rate / 2)


def _levels(count: Any, tile: int) -> int:
    level = KEPT
    while count(level) > tile:
        level += 1
    return level + 1


# ---------------------------------------------------------------------- coarse levels, computed once


def analyze(sound: Sound, waves: Path, tones: Path) -> RecordingInfo:
    """Read a recording once from beginning to end and write its coarse levels."""
    block = FINEST_BLOCK * FACTOR**KEPT
    lows: list[NDArray[np.float32]] = []
    highs: list[NDArray[np.float32]] = []
    spectrum = _SpectrogramBuilder(sound.rate)
    frames, rest = 0, np.empty(0, np.float32)
    for piece in sound.blocks():
        frames += len(piece)
        spectrum.feed(piece)
        rest = np.concatenate((rest, piece)) if len(rest) else piece
        whole = len(rest) // block * block
        cut = rest[:whole].reshape(-1, block)
        lows.append(cut.min(axis=1))
        highs.append(cut.max(axis=1))
        rest = rest[whole:]
    if len(rest):
        lows.append(rest.min(keepdims=True))
        highs.append(rest.max(keepdims=True))
    low, high = np.concatenate(lows), np.concatenate(highs)
    peak = float(max(-low.min(), high.max(), _QUIET))
    decibels = spectrum.finish()
    facts = RecordingInfo(sound.media, sound.rate, sound.channels, frames, peak, float(decibels.max(initial=-120.0)))
    _write(waves, _wave_levels(np.stack((low, high), axis=1), facts))
    _write(tones, _tone_levels(decibels[: facts.columns(KEPT)], facts))
    return facts


def _wave_levels(pairs: NDArray[np.float32], facts: RecordingInfo) -> Iterable[NDArray[Any]]:
    for _ in range(KEPT, facts.wave_levels):
        yield _as_bytes(pairs, facts)
        groups = np.arange(0, len(pairs), FACTOR)
        pairs = np.stack((np.minimum.reduceat(pairs[:, 0], groups), np.maximum.reduceat(pairs[:, 1], groups)), axis=1)


def _tone_levels(decibels: NDArray[np.float32], facts: RecordingInfo) -> Iterable[NDArray[Any]]:
    for _ in range(KEPT, facts.tone_levels):
        yield _shades(decibels, facts)
        groups = np.arange(0, len(decibels), FACTOR)
        sizes = np.diff(np.append(groups, len(decibels)))
        decibels = (np.add.reduceat(decibels, groups, axis=0) / sizes[:, None]).astype(np.float32)


def _write(path: Path, levels: Iterable[NDArray[Any]]) -> None:
    with path.open("wb") as file:
        for level in levels:
            file.write(np.ascontiguousarray(level).tobytes())


def _as_bytes(pairs: NDArray[np.float32], facts: RecordingInfo) -> NDArray[np.int8]:
    return np.asarray(np.clip(np.round(pairs * (127.0 / facts.peak)), -127, 127), np.int8)


def _shades(decibels: NDArray[np.float32], facts: RecordingInfo) -> NDArray[np.uint8]:
    return np.asarray(np.clip(255.0 * (1.0 + (decibels - facts.loudest) / _RANGE), 0, 255), np.uint8)


class _SpectrogramBuilder:
    """The coarse spectrogram, fed in pieces; each column is the mean of four frames."""

    def __init__(self, rate: int) -> None:
        self._frames = SpectralFrames(rate)
        self._hop = max(1, round(rate * _SECONDS_PER_COLUMN)) * FACTOR ** (KEPT - 1)
        self._rest = np.zeros(self._frames.reach, np.float32)  # centres the first frame on the first sample
        self._powers: list[NDArray[np.float32]] = []

    def feed(self, piece: Samples) -> None:
        held = np.concatenate((self._rest, piece))
        count = max(0, (len(held) - self._frames.size) // self._hop + 1)
        if count:
            self._powers.append(self._frames.powers(held, np.arange(count) * self._hop))
        self._rest = held[count * self._hop :]

    def finish(self) -> NDArray[np.float32]:
        """Return all columns in dB."""
        self.feed(np.zeros(self._frames.size + FACTOR * self._hop, np.float32))
        powers = np.concatenate(self._powers)
        whole = len(powers) // FACTOR * FACTOR
        return _decibels(powers[:whole].reshape(-1, FACTOR, ROWS).mean(axis=1))


# ---------------------------------------------------------------------- fine levels, computed on request


class SpectralFrames:
    """Short frames of sound as powers in frequency bands, with a pre-emphasis of 6 dB per octave as is usual in phonetics."""

    def __init__(self, rate: int) -> None:
        self.size = max(8, round(rate * _WINDOW))
        self.reach = self.size // 2
        top = min(TOP, rate / 2)
        # at least one frequency bin per band, as a power of two for a fast FFT
        self._length = 2 ** math.ceil(math.log2(max(self.size, rate / (TOP / ROWS))))
        centres = (np.arange(ROWS) + 0.5) * top / ROWS
        self._bins = np.minimum(np.round(centres * self._length / rate).astype(np.int64), self._length // 2)
        # 6 dB per octave: power grows with the square of the frequency, relative to 1 kHz, and not below 50 Hz
        self._lift = ((np.maximum(centres, 50.0) / 1000.0) ** 2).astype(np.float32)
        window = np.hanning(self.size + 2)[1:-1]
        self._window = (window / window.sum()).astype(np.float32)

    def powers(self, samples: Samples, starts: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the power of each frame in each band, computed 256 frames at a time."""
        frames = np.lib.stride_tricks.sliding_window_view(samples, self.size)
        powers = np.empty((len(starts), ROWS), np.float32)
        for at in range(0, len(starts), 256):
            part = frames[starts[at : at + 256]] * self._window
            spectrum = np.fft.rfft(part, self._length, axis=1)[:, self._bins]
            powers[at : at + 256] = (spectrum.real**2 + spectrum.imag**2) * self._lift
        return powers


def _decibels(powers: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(10.0 * np.log10(powers + _QUIET), np.float32)


@lru_cache(maxsize=512)
def waveform_tile(sound: Path, waves: Path, facts: RecordingInfo, level: int, tile: int) -> bytes:
    """Return the minima and maxima of the blocks of a tile."""
    first, count = _extent(tile, WAVE_TILE, facts.blocks(_check_level(level, facts.wave_levels)))
    if level >= KEPT:
        before = sum(facts.blocks(each) for each in range(KEPT, level))
        return _piece(waves, 2 * (before + first), 2 * count)
    block = FINEST_BLOCK * FACTOR**level
    with Sound(sound) as opened:
        samples = opened.stretch(first * block, count * block).reshape(count, block)
    return _as_bytes(np.stack((samples.min(axis=1), samples.max(axis=1)), axis=1), facts).tobytes()


@lru_cache(maxsize=256)
def spectrogram_tile(sound: Path, tones: Path, facts: RecordingInfo, level: int, tile: int) -> bytes:
    """Return the columns of a tile, each from low to high frequencies."""
    first, count = _extent(tile, TONE_TILE, facts.columns(_check_level(level, facts.tone_levels)))
    if level >= KEPT:
        before = sum(facts.columns(each) for each in range(KEPT, level))
        return _piece(tones, ROWS * (before + first), ROWS * count)
    frames, hop = SpectralFrames(facts.rate), facts.hop * FACTOR**level
    each = 1 if level == 0 else FACTOR  # frames averaged into one column
    with Sound(sound) as opened:
        samples = opened.stretch(first * hop - frames.reach, count * hop + frames.size)
    # as in the coarse levels: four frames, evenly spaced, make one column
    powers = frames.powers(samples, np.arange(count * each) * (hop // each))
    return _shades(_decibels(powers.reshape(count, each, ROWS).mean(axis=1)), facts).tobytes()


def zero_crossing(sound: Path, facts: RecordingInfo, time: float, reach: float = 0.02) -> float:
    """Return the zero crossing nearest to a time within ``reach`` seconds, or else the time itself."""
    centre, half = time * facts.rate, max(2, round(reach * facts.rate))
    first = round(centre) - half
    with Sound(sound) as opened:
        samples = opened.stretch(first, 2 * half + 1).astype(np.float64)
    below = samples < 0
    crossed = np.flatnonzero(below[1:] != below[:-1])
    if not len(crossed):
        return time
    before, behind = samples[crossed], samples[crossed + 1]
    places = first + crossed + before / (before - behind)  # linear interpolation between the two samples
    nearest = float(places[np.argmin(np.abs(places - centre))] / facts.rate)
    return nearest if 0 < nearest < facts.duration else time


def _check_level(level: int, levels: int) -> int:
    if not 0 <= level < levels:
        raise CaesuraError(f"there is no level {level}; levels are 0 to {levels - 1}.")
    return level


def _extent(tile: int, size: int, count: int) -> tuple[int, int]:
    if not 0 <= tile * size < count:
        raise CaesuraError(f"there is no tile {tile} at this level.")
    return tile * size, min(size, count - tile * size)


def _piece(path: Path, first: int, count: int) -> bytes:
    with path.open("rb") as file:
        file.seek(first)
        piece = file.read(count)
    if len(piece) < count:
        raise SoundError(
            "the waveform and spectrogram of this recording are damaged; delete their files, and they are computed again."
        )
    return piece


# ---------------------------------------------------------------------- analysis in a process of its own

_MAX_MEMORY = 3 * 2**30  # bytes of address space, of which libraries reserve far more than they use


def main(arguments: list[str]) -> None:
    """Run ``tiles SOUND WAVES TONES LIMITS SECONDS``: write two files and print the properties of the recording as JSON."""
    sound, waves, tones, limits, seconds = arguments
    _limit_resources(int(seconds))
    try:
        with Sound(Path(sound), SoundLimits(**json.loads(limits))) as opened:
            answer = asdict(analyze(opened, Path(waves), Path(tones)))
    except CaesuraError as error:
        answer = {"error": str(error)}
    except MemoryError:
        answer = {"error": "it needs more memory than one recording may use."}
    print(json.dumps(answer))


def _limit_resources(seconds: int) -> None:
    try:
        import resource
    except ImportError:  # Windows; the parent process enforces the time limit
        return
    resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY, _MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


if __name__ == "__main__":
    main(sys.argv[1:])
