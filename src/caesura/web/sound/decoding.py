"""Sound files through libsndfile: told apart by their first bytes, read in blocks, refused in one sentence."""

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

#: What libsndfile calls a container -> what browsers call it.
MEDIA = {"WAV": "audio/wav", "WAVEX": "audio/wav", "RF64": "audio/wav", "FLAC": "audio/flac", "MP3": "audio/mpeg", "OGG": "audio/ogg"}  # fmt: skip
SUFFIXES = {"audio/wav": ".wav", "audio/flac": ".flac", "audio/mpeg": ".mp3", "audio/ogg": ".ogg"}
_STARTS = (b"RIFF", b"RF64", b"fLaC", b"OggS", b"ID3", b"\xff\xfb", b"\xff\xfa", b"\xff\xf3", b"\xff\xf2", b"\xff\xe3")
_BLOCK = 2**16  # frames read at once
_CLAIM = 2**50  # frames: a header that says more says nothing


class BadSound(CaesuraError):
    """A file that is no sound, or none that is taken."""


@dataclass(frozen=True)
class SoundLimits:
    """What a recording may be."""

    hours: float = 4.0
    least_rate: int = 4_000
    most_rate: int = 192_000
    channels: int = 8


class Sound:
    """An open sound file, as one channel: the mean of all that it has."""

    def __init__(self, path: Path, limits: SoundLimits | None = None) -> None:
        limits = limits or SoundLimits()
        soundfile = import_extra("soundfile", "speech", "reading sound")
        self._fault: type[Exception] = soundfile.LibsndfileError
        _check_start(path)
        try:
            self._file: Any = soundfile.SoundFile(str(path))
        except (self._fault, RuntimeError, ValueError):
            raise BadSound("it cannot be decoded; WAV, FLAC, MP3 and OGG are taken.") from None
        try:
            self._check(limits)
        except BadSound:
            self._file.close()
            raise

    def _check(self, limits: SoundLimits) -> None:
        file = self._file
        if file.format not in MEDIA:
            raise BadSound(f"it is {file.format}; WAV, FLAC, MP3 and OGG are taken.")
        if not limits.least_rate <= file.samplerate <= limits.most_rate:
            raise BadSound(
                f"it has {file.samplerate:,} samples per second; {limits.least_rate:,} to {limits.most_rate:,} are taken."
            )
        if not 1 <= file.channels <= limits.channels:
            raise BadSound(f"it has {file.channels} channels; up to {limits.channels} are taken.")
        self.media, self.rate, self.channels = MEDIA[file.format], int(file.samplerate), int(file.channels)
        self.claimed = int(file.frames) if 0 < file.frames < _CLAIM else None
        self._most = int(limits.hours * 3600 * self.rate)
        if self.claimed is not None and self.claimed > self._most:
            raise BadSound(f"it is longer than the {limits.hours:g} hours that are taken.")

    def __enter__(self) -> Sound:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def blocks(self) -> Iterator[Samples]:
        """The whole file, in pieces of 65,536 samples: what arrives is counted, whatever its header says."""
        frames = 0
        while len(block := self._read(_BLOCK)):
            frames += len(block)
            if frames > self._most:
                raise BadSound(f"it is longer than the {self._most / self.rate / 3600:g} hours that are taken.")
            yield block
        if not frames:
            raise BadSound("it holds no sound.")
        if self.claimed is not None and frames < 0.98 * self.claimed:
            raise BadSound(f"it is cut off: it says {self.claimed:,} samples and holds {frames:,}.")

    def stretch(self, first: int, count: int) -> Samples:
        """So many samples from one on, with silence before the beginning and behind the end."""
        start, end = max(0, first), max(0, first + count)
        placed = np.zeros(count, np.float32)
        if self.claimed is not None:
            end = min(end, self.claimed)
        if end <= start:
            return placed
        try:
            self._file.seek(start)
        except (self._fault, RuntimeError):
            return placed
        part = self._read(end - start)
        placed[start - first : start - first + len(part)] = part
        return placed

    def _read(self, count: int) -> Samples:
        try:
            block = self._file.read(count, dtype="float32", always_2d=True)
        except (self._fault, RuntimeError):
            raise BadSound("it is damaged: it cannot be decoded to its end.") from None
        mono = block[:, 0] if self.channels == 1 else block.mean(axis=1, dtype=np.float32)
        return np.asarray(np.nan_to_num(mono, nan=0.0, posinf=0.0, neginf=0.0), np.float32)


def _check_start(path: Path) -> None:
    """Refuse what does not begin as sound does, and a WAV file that ends before its header says."""
    with path.open("rb") as file:
        start = file.read(12)
    size = path.stat().st_size
    if not size:
        raise BadSound("it is empty.")
    if not start.startswith(_STARTS):
        raise BadSound("this is no sound file; WAV, FLAC, MP3 and OGG are taken.")
    if start.startswith(b"RIFF") and len(start) == 12:
        promised = struct.unpack("<I", start[4:8])[0]
        if size + 1 < promised + 8 and 0 < promised < 0x7FFFFFFF:  # recorders that stream write 0 or the largest number
            raise BadSound(f"it is cut off: it says {promised + 8:,} bytes and has {size:,}.")
