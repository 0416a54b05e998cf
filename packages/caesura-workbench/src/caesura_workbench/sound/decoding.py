"""Read sound files with libsndfile in blocks, and reject unsupported ones."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, import_extra

Samples = NDArray[np.float32]

#: libsndfile's name of a container -> media type.
MEDIA = {"WAV": "audio/wav", "WAVEX": "audio/wav", "RF64": "audio/wav", "FLAC": "audio/flac", "MP3": "audio/mpeg", "OGG": "audio/ogg"}  # fmt: skip
SUFFIXES = {"audio/wav": ".wav", "audio/flac": ".flac", "audio/mpeg": ".mp3", "audio/ogg": ".ogg"}
_SIGNATURES = (
    b"RIFF",
    b"RF64",
    b"fLaC",
    b"OggS",
    b"ID3",
    b"\xff\xfb",
    b"\xff\xfa",
    b"\xff\xf3",
    b"\xff\xf2",
    b"\xff\xe3",
)
_BLOCK = 2**16  # frames read at once
_MAX_CLAIM = 2**50  # frames; a larger number in a header means that the length is unknown


class SoundError(CaesuraError):
    """A file that is not sound, or not supported."""


@dataclass(frozen=True)
class SoundLimits:
    """Limits on the length, sample rate and channels of a recording."""

    hours: float = 4.0
    min_rate: int = 4_000
    max_rate: int = 192_000
    channels: int = 8


class Sound:
    """An open sound file, mixed down to one channel."""

    def __init__(self, path: Path, limits: SoundLimits | None = None) -> None:
        limits = limits or SoundLimits()
        soundfile = import_extra("soundfile", "speech", "reading sound")
        self._error: type[Exception] = soundfile.LibsndfileError
        _check_start(path)
        try:
            self._file: Any = soundfile.SoundFile(str(path))
        except (self._error, RuntimeError, ValueError):
            raise SoundError("it cannot be decoded; supported formats are WAV, FLAC, MP3 and OGG.") from None
        try:
            self._check(limits)
        except SoundError:
            self._file.close()
            raise

    def _check(self, limits: SoundLimits) -> None:
        file = self._file
        if file.format not in MEDIA:
            raise SoundError(f"{file.format} is not supported; supported formats are WAV, FLAC, MP3 and OGG.")
        if not limits.min_rate <= file.samplerate <= limits.max_rate:
            raise SoundError(
                f"it has {file.samplerate:,} samples per second; expected {limits.min_rate:,} to {limits.max_rate:,}."
            )
        if not 1 <= file.channels <= limits.channels:
            raise SoundError(f"it has {file.channels} channels; the limit is {limits.channels}.")
        self.media, self.rate, self.channels = MEDIA[file.format], int(file.samplerate), int(file.channels)
        self.claimed = int(file.frames) if 0 < file.frames < _MAX_CLAIM else None
        self._max_frames = int(limits.hours * 3600 * self.rate)
        if self.claimed is not None and self.claimed > self._max_frames:
            raise SoundError(f"it is longer than the limit of {limits.hours:g} hours.")

    def __enter__(self) -> Sound:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def blocks(self) -> Iterator[Samples]:
        """Yield the whole file in blocks of 65,536 samples; frames are counted, because headers may be wrong."""
        frames = 0
        while len(block := self._read(_BLOCK)):
            frames += len(block)
            if frames > self._max_frames:
                raise SoundError(f"it is longer than the limit of {self._max_frames / self.rate / 3600:g} hours.")
            yield block
        if not frames:
            raise SoundError("it contains no sound.")
        if self.claimed is not None and frames < 0.98 * self.claimed:
            raise SoundError(f"it is truncated: the header declares {self.claimed:,} samples, the file has {frames:,}.")

    def stretch(self, first: int, count: int) -> Samples:
        """Return ``count`` samples from ``first`` on, padded with silence beyond both ends."""
        start, end = max(0, first), max(0, first + count)
        placed = np.zeros(count, np.float32)
        if self.claimed is not None:
            end = min(end, self.claimed)
        if end <= start:
            return placed
        try:
            self._file.seek(start)
        except (self._error, RuntimeError):
            return placed
        part = self._read(end - start)
        placed[start - first : start - first + len(part)] = part
        return placed

    def _read(self, count: int) -> Samples:
        try:
            block = self._file.read(count, dtype="float32", always_2d=True)
        except (self._error, RuntimeError):
            raise SoundError("it is damaged and cannot be decoded to the end.") from None
        mono = block[:, 0] if self.channels == 1 else block.mean(axis=1, dtype=np.float32)
        return np.asarray(np.nan_to_num(mono, nan=0.0, posinf=0.0, neginf=0.0), np.float32)


def _check_start(path: Path) -> None:
    """Reject files without the signature of a sound format, and truncated WAV files."""
    with path.open("rb") as file:
        start = file.read(12)
    size = path.stat().st_size
    if not size:
        raise SoundError("it is empty.")
    if not start.startswith(_SIGNATURES):
        raise SoundError("not a sound file; supported formats are WAV, FLAC, MP3 and OGG.")
    if start.startswith(b"RIFF") and len(start) == 12:
        declared = struct.unpack("<I", start[4:8])[0]
        if size + 1 < declared + 8 and 0 < declared < 0x7FFFFFFF:  # streaming recorders write 0 or the maximum
            raise SoundError(f"it is truncated: the header declares {declared + 8:,} bytes, the file has {size:,}.")
