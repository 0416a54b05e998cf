"""The short way in for single calls on small lists: positions without a Segmentation, a Corpus or a Batch around them.

What is wrong with a list is never worded here: a suspicious one goes through the constructors, which know what to say.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, LengthMismatch
from caesura.model import Segmentation, SegmentationLike, as_segmentation

__all__ = ["has_types", "plain_marks", "plain_pair"]

_WHOLE = np.dtype(np.int64)


def plain_pair(
    reference: SegmentationLike, hypothesis: SegmentationLike, name: str
) -> tuple[int, NDArray[Any], NDArray[Any]]:
    """Return the common length and the untyped positions of both sides; unequal lengths are refused."""
    length, ref = plain_marks(reference, name)
    other, hyp = plain_marks(hypothesis, name)
    if length != other:
        raise LengthMismatch(
            f"the reference has {length} units, the hypothesis {other}; both must cover the same text."
        )
    return length, ref, hyp


def plain_marks(value: SegmentationLike, name: str) -> tuple[int, NDArray[Any]]:
    """Return the length and the positions inside the text, types forgotten."""
    from caesura.kernels.marks import from_flags, from_masses

    if not isinstance(value, Segmentation):
        length, positions = -1, _NONE
        if isinstance(value, str):
            length, positions = from_flags(np.frombuffer(value.encode(), np.uint8))
        elif isinstance(value, (list, tuple, np.ndarray)):
            try:
                masses = np.array(value)
            except ValueError:  # ragged lists
                masses = _NONE
            if masses.dtype is _WHOLE and masses.ndim == 1:
                length, positions = from_masses(masses)
        if length >= 0:
            positions.flags.writeable = False  # as in a Segmentation, so that one compiled loop serves both
            return length, positions
        value = as_segmentation(value)
    if isinstance(value.length, float):
        raise CaesuraError(f"{name} compares units, not time.")
    return value.length, value.positions if value.types is None else value._cuts()


def has_types(value: SegmentationLike) -> bool:
    """Whether this is a segmentation whose boundaries carry types."""
    return isinstance(value, Segmentation) and value.types is not None


_NONE = np.empty(0, np.float64)
