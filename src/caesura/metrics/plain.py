"""The short way in for single calls on small lists: positions without a Segmentation, a Corpus or a Batch around them.

What is wrong with a list is never worded here: a suspicious one goes through the constructors, which know what to say.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, LengthMismatch
from caesura.model import Segmentation, SegmentationLike, as_segmentation

__all__ = ["has_types", "kernels", "plain_marks", "plain_masses", "plain_pair"]

_WHOLE = np.dtype(np.int64)


@cache
def kernels(family: str) -> Any:
    """Load a module of kernels once: an import statement inside a function costs as much as a short kernel runs."""
    return import_module(f"caesura.kernels.{family}")


def plain_masses(reference: object, hypothesis: object) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Return two plain lists of masses as arrays; None where either is anything else."""
    if type(reference) is not list or type(hypothesis) is not list:
        return None
    try:
        ref, hyp = np.array(reference), np.array(hypothesis)
    except ValueError:  # ragged lists
        return None
    whole = ref.dtype is _WHOLE and hyp.dtype is _WHOLE and ref.ndim == 1 and hyp.ndim == 1
    return (ref, hyp) if whole else None


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
    if not isinstance(value, Segmentation):
        length, positions = -1, _NONE
        marks = kernels("marks")
        if isinstance(value, str):
            length, positions = marks.from_flags(np.frombuffer(value.encode(), np.uint8))
        elif type(value) in (list, tuple, np.ndarray):  # not masked arrays, which hide members
            try:
                masses = np.array(value)
            except ValueError:  # ragged lists
                masses = _NONE
            if masses.dtype is _WHOLE and masses.ndim == 1:
                length, positions = marks.from_masses(masses)
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
