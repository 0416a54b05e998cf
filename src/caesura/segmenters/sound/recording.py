"""Sound files: WAV as samples between -1 and 1, one channel."""

from __future__ import annotations

import struct
import warnings
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from caesura.errors import FormatError, import_extra
from caesura.files import Source


@dataclass(frozen=True)
class Recording:
    """Samples of one channel and their rate."""

    samples: NDArray[np.float64]
    rate: int
    name: str = ""

    @property
    def duration(self) -> float:
        """Seconds."""
        return len(self.samples) / self.rate


def read_wav(path: str | PathLike[str], *, channel: int | None = None) -> Recording:
    """Read a WAV file (PCM of 8 to 32 bits, or floats).

    Parameters
    ----------
    channel
        Which channel, counted from 1; by default the mean of all.
    """
    where = Source.open(Path(path)).path
    wavfile = import_extra("scipy.io.wavfile", "speech", "reading sound")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wavfile.WavFileWarning)  # chunks of metadata that scipy does not know
            rate, data = wavfile.read(where)
    except (ValueError, EOFError, UnboundLocalError, KeyError, struct.error) as fault:
        raise FormatError(where, None, f"this is no WAV file that can be read: {str(fault).rstrip('.')}.") from None
    if not rate or not data.size:
        raise FormatError(where, None, "the WAV file holds no sound.")
    samples = _scale(data)
    if samples.ndim == 2:
        if channel is not None and not 1 <= channel <= samples.shape[1]:
            raise FormatError(where, None, f"there is no channel {channel}; the file has {samples.shape[1]}.")
        samples = samples.mean(axis=1) if channel is None else samples[:, channel - 1]
    elif channel not in (None, 1):
        raise FormatError(where, None, f"there is no channel {channel}; the file has 1.")
    return Recording(np.ascontiguousarray(samples), int(rate), where.stem)


def _scale(data: NDArray[np.generic]) -> NDArray[np.float64]:
    if data.dtype.kind == "u":  # 8 bits are stored around 128
        return (data.astype(np.float64) - 128.0) / 128.0
    if data.dtype.kind == "i":
        return data.astype(np.float64) / float(2 ** (8 * data.dtype.itemsize - 1))
    return np.asarray(np.nan_to_num(data.astype(np.float64)), np.float64)
