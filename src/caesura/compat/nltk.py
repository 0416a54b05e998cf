"""``nltk.metrics.segmentation`` by its own names: ``windowdiff``, ``pk`` and ``ghd`` on strings and lists, one entry per potential boundary.

    from caesura.compat.nltk import windowdiff, pk, ghd

Same arguments, same values. Where NLTK's default window of Pk is 0 or cannot be had, so that it finds no error or divides by zero, these give the
value of a window of one place and warn once; ``strict=True`` does as NLTK does.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from caesura.metrics.hamming import generalized_hamming
from caesura.metrics.windows import pk as pk_of_windows
from caesura.metrics.windows import window_diff
from caesura.model import Segmentation

__all__ = ["ghd", "pk", "windowdiff"]


def windowdiff(seg1: Sequence[Any], seg2: Sequence[Any], k: int, boundary: Any = "1", weighted: bool = False) -> float:
    """WindowDiff of two segmentations (Pevzner & Hearst 2002).

    >>> s1, s2, s3 = "000100000010", "000010000100", "100000010000"
    >>> windowdiff(s1, s1, 3), windowdiff(s1, s2, 3), windowdiff(s2, s3, 3)
    (0.0, 0.3, 0.8)
    """
    _check_lengths(seg1, seg2)
    if k > len(seg1):
        raise ValueError("Window width k should be smaller or equal than segmentation lengths")
    return window_diff(_marks(seg1, boundary), _marks(seg2, boundary), k, weighted=weighted, minimum=1)


def pk(
    ref: Sequence[Any], hyp: Sequence[Any], k: int | None = None, boundary: Any = "1", *, strict: bool = False
) -> float:
    """Pk of two segmentations (Beeferman, Berger & Lafferty 1999); by default k is half the mean distance of reference boundaries.

    >>> pk("0100" * 100, "1" * 400, 2), pk("0100" * 100, "0" * 400, 2), pk("0100" * 100, "0100" * 100, 2)
    (0.5, 0.5, 0.0)
    """
    _check_lengths(ref, hyp)
    if k is None:
        k = _half_distance(ref, boundary, strict)
        if k == 0:  # NLTK compares windows of nothing
            return 0.0
    return pk_of_windows(_marks(ref, boundary), _marks(hyp, boundary), k, minimum=1)


def ghd(
    ref: Sequence[Any],
    hyp: Sequence[Any],
    ins_cost: float = 2.0,
    del_cost: float = 2.0,
    shift_cost_coeff: float = 1.0,
    boundary: Any = "1",
) -> float:
    """Generalised Hamming distance of two segmentations (Bookstein, Kulyukin & Raita 2002).

    >>> ghd("1100100000", "1100010000", 1.0, 1.0, 0.5), ghd("1100100000", "1100000001", 1.0, 1.0, 0.5)
    (0.5, 2.0)
    >>> ghd("011", "110", 1.0, 1.0, 0.5), ghd("111", "000", 1.0, 1.0, 0.5), ghd("000", "111", 1.0, 2.0, 0.5)
    (1.0, 3.0, 6.0)
    """
    length = max(len(ref), len(hyp))
    reference, hypothesis = _marks(ref, boundary, length), _marks(hyp, boundary, length)
    return generalized_hamming(reference, hypothesis, insert=ins_cost, delete=del_cost, shift=shift_cost_coeff)


def _marks(entries: Sequence[Any], boundary: Any, length: int | None = None) -> Segmentation:
    places = [place for place, entry in enumerate(entries, 1) if entry == boundary]
    return Segmentation((len(entries) if length is None else length) + 1, places)


def _check_lengths(ref: Sequence[Any], hyp: Sequence[Any]) -> None:
    if len(ref) != len(hyp):
        raise ValueError("Segmentations have unequal length")


def _half_distance(ref: Sequence[Any], boundary: Any, strict: bool) -> int:
    """NLTK's default window, or one place where that is none."""
    boundaries = sum(1 for entry in ref if entry == boundary)
    if strict or boundaries:
        k = round(len(ref) / (boundaries * 2.0))
        if strict or k:
            return k
    warnings.warn(
        f"NLTK's window for {boundaries} boundaries at {len(ref)} places is none; Pk is computed for one place (strict=True does as NLTK).",
        stacklevel=3,
    )
    return 1
