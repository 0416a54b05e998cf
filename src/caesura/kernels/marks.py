"""From the plain lists people type to positions: cumulated masses and strings of flags, checked in the same pass.

A length of -1 means that something is wrong with the list; the caller then lets the constructors find the words for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import kernel

__all__ = ["from_flags", "from_masses"]


@kernel
def from_masses(masses: NDArray[Any]) -> tuple[int, NDArray[Any]]:
    """Return the length and the positions behind ``masses``; the length is -1 where a mass is below one."""
    positions = np.empty(len(masses), np.int64)
    length = 0
    for i in range(len(masses)):
        if masses[i] < 1:
            return -1, positions[:0]
        length += masses[i]
        positions[i] = length
    return length, positions[: max(len(masses) - 1, 0)]


@kernel
def from_flags(flags: NDArray[Any]) -> tuple[int, NDArray[Any]]:
    """Return the length and the positions behind bytes of "0" and "1"; the length is -1 where there is another byte."""
    positions = np.empty(len(flags), np.int64)
    found = 0
    for i in range(len(flags)):
        if flags[i] != 48 and flags[i] != 49:
            return -1, positions[:0]
        positions[found] = i + 1
        found += flags[i] == 49
    return len(flags) + 1, positions[:found]
