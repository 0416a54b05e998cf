"""``nltk.metrics.segmentation`` under its own names: ``windowdiff``, ``pk`` and ``ghd``.

    from caesura.compat.nltk import windowdiff, pk, ghd

Arguments and values are those of NLTK: strings or lists with one entry per potential boundary. If NLTK's default window
for Pk is 0 or undefined, NLTK finds no error or divides by zero; these functions use a window of one gap and warn. ``strict=True``
does what NLTK does.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from caesura.metrics.boundaries import generalized_hamming
from caesura.metrics.windows import pk as caesura_pk
from caesura.metrics.windows import window_diff
from caesura.model import Segmentation

__all__ = ["ghd", "pk", "windowdiff"]


def windowdiff(seg1: Sequence[Any], seg2: Sequence[Any], k: int, boundary: Any = "1", weighted: bool = False) -> float:
    """Compute WindowDiff (Pevzner & Hearst 2002).

    Parameters
    ----------
    seg1, seg2 : str or sequence
        Two segmentations, one entry per gap.
    k : int
        The window size.
    boundary : object, default "1"
        The entry of a boundary.
    weighted : bool, default False
        Whether to add up differences instead of counting windows that differ.

    Returns
    -------
    float
        The share of windows that differ.

    Raises
    ------
    ValueError
        If the lengths differ, or k is greater than the length.

    Examples
    --------
    >>> s1, s2, s3 = "000100000010", "000010000100", "100000010000"
    >>> windowdiff(s1, s1, 3), windowdiff(s1, s2, 3), windowdiff(s2, s3, 3)
    (0.0, 0.3, 0.8)
    """
    _check_lengths(seg1, seg2)
    if k > len(seg1):
        raise ValueError("Window width k should be smaller or equal than segmentation lengths")
    return window_diff(_segmentation(seg1, boundary), _segmentation(seg2, boundary), k, weighted=weighted, minimum=1)


def pk(
    ref: Sequence[Any], hyp: Sequence[Any], k: int | None = None, boundary: Any = "1", *, strict: bool = False
) -> float:
    """Compute Pk (Beeferman, Berger & Lafferty 1999).

    Parameters
    ----------
    ref, hyp : str or sequence
        Reference and hypothesis, one entry per gap.
    k : int, default None
        The window size; by default half the mean distance between reference boundaries.
    boundary : object, default "1"
        The entry of a boundary.
    strict : bool, default False
        Whether to do what NLTK does if its default window is 0 or undefined.

    Returns
    -------
    float
        The share of windows in which only one side has a boundary.

    Examples
    --------
    >>> pk("0100" * 100, "1" * 400, 2), pk("0100" * 100, "0" * 400, 2), pk("0100" * 100, "0100" * 100, 2)
    (0.5, 0.5, 0.0)
    """
    _check_lengths(ref, hyp)
    if k is None:
        k = _default_window(ref, boundary, strict)
        if k == 0:  # NLTK compares empty windows
            return 0.0
    return caesura_pk(_segmentation(ref, boundary), _segmentation(hyp, boundary), k, minimum=1)


def ghd(
    ref: Sequence[Any],
    hyp: Sequence[Any],
    ins_cost: float = 2.0,
    del_cost: float = 2.0,
    shift_cost_coeff: float = 1.0,
    boundary: Any = "1",
) -> float:
    """Compute the generalized Hamming distance (Bookstein, Kulyukin & Raita 2002).

    Parameters
    ----------
    ref, hyp : str or sequence
        Reference and hypothesis, one entry per gap.
    ins_cost : float, default 2.0
        The cost of inserting a boundary.
    del_cost : float, default 2.0
        The cost of deleting a boundary.
    shift_cost_coeff : float, default 1.0
        The cost of moving a boundary by one gap.
    boundary : object, default "1"
        The entry of a boundary.

    Returns
    -------
    float
        The cost of the cheapest edits.

    Examples
    --------
    >>> ghd("1100100000", "1100010000", 1.0, 1.0, 0.5), ghd("1100100000", "1100000001", 1.0, 1.0, 0.5)
    (0.5, 2.0)
    >>> ghd("011", "110", 1.0, 1.0, 0.5), ghd("111", "000", 1.0, 1.0, 0.5), ghd("000", "111", 1.0, 2.0, 0.5)
    (1.0, 3.0, 6.0)
    """
    length = max(len(ref), len(hyp))
    reference, hypothesis = _segmentation(ref, boundary, length), _segmentation(hyp, boundary, length)
    return generalized_hamming(reference, hypothesis, insert=ins_cost, delete=del_cost, shift=shift_cost_coeff)


def _segmentation(entries: Sequence[Any], boundary: Any, length: int | None = None) -> Segmentation:
    positions = [position for position, entry in enumerate(entries, 1) if entry == boundary]
    return Segmentation((len(entries) if length is None else length) + 1, positions)


def _check_lengths(ref: Sequence[Any], hyp: Sequence[Any]) -> None:
    if len(ref) != len(hyp):
        raise ValueError("Segmentations have unequal length")


def _default_window(ref: Sequence[Any], boundary: Any, strict: bool) -> int:
    """NLTK's default window, or 1 if that is 0 or undefined."""
    boundaries = sum(1 for entry in ref if entry == boundary)
    if strict or boundaries:
        k = round(len(ref) / (boundaries * 2.0))
        if strict or k:
            return k
    warnings.warn(
        f"NLTK's default window is not usable for {boundaries} boundaries in {len(ref)} gaps; using k=1. Pass strict=True to do what NLTK does.",
        stacklevel=3,
    )
    return 1
