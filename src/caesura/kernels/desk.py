"""From the plain lists people type to positions, both sides at once: masses cumulated, flags listed, checked in the same pass.

A length of -1 means that something is wrong with a list; the caller then lets the constructors find the words for it.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from caesura.kernels.jit import kernel

__all__ = ["cumulate", "lay_out"]


@kernel
def cumulate(raw: NDArray[Any], positions: NDArray[Any]) -> tuple[int, int]:
    """Write the positions behind masses, or behind flags, which come as bytes; return the length and how many there are."""
    if raw.itemsize == 1:
        count = 0
        for i in range(len(raw)):
            if raw[i] != 48 and raw[i] != 49:
                return -1, 0
            positions[count] = i + 1
            count += int(raw[i] == 49)
        return len(raw) + 1, count
    length = 0
    for i in range(len(raw)):
        if raw[i] < 1:
            return -1, 0
        length += int(raw[i])
        positions[i] = length
    return length, max(len(raw) - 1, 0)


@kernel
def lay_out(
    ref: NDArray[Any], hyp: NDArray[Any], positions: NDArray[Any], stops: NDArray[Any], lengths: NDArray[Any]
) -> bool:
    """Lay a pair out, the reference in the first half of ``positions``, the hypothesis in the second; False if something is wrong."""
    half = len(positions) // 2
    length, in_ref = cumulate(ref, positions[:half])
    other, in_hyp = cumulate(hyp, positions[half:])
    stops[0, 0], stops[1, 0], lengths[0] = in_ref, in_hyp, length
    return length == other and length >= 0
