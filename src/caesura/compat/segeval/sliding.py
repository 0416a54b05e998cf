"""Pk and WindowDiff as segeval calls them: hypothesis first, the window from the reference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from caesura.compat.segeval.calls import Call, SegmentationMetricError, answers_in_segeval, of_pairs
from caesura.compat.segeval.notations import BoundaryFormat, convert_positions_to_masses, read_marks, read_masses
from caesura.errors import UncountablePairs
from caesura.metrics.catalog import usual_metric


@answers_in_segeval
def compute_window_size(
    call: Call, reference: Any, *, boundary_format: Any = BoundaryFormat.mass, fnc_round: Callable[[Any], Any] = round
) -> int:
    """Half the mean mass of a segmentation, or of all in a dataset; at least 2.

    >>> compute_window_size([2, 3, 6])
    2
    """
    if boundary_format == BoundaryFormat.position:
        reference = convert_positions_to_masses(reference)
    masses = list(_all_masses(reference))
    return _half_mean(sum(masses), len(masses), fnc_round)


def _all_masses(within: Any) -> Iterator[int]:
    if isinstance(within, Mapping):
        for each in within.values():
            yield from _all_masses(each)
    elif isinstance(within, str) or not hasattr(within, "__iter__"):
        raise SegmentationMetricError(f"a segmentation is a list of masses, or a dictionary of them, not {within!r}.")
    else:
        yield from within


def _half_mean(units: int, segments: int, fnc_round: Callable[[Any], Any]) -> int:
    return max(int(fnc_round(Decimal(units) / max(segments, 1) / 2)), 2)


@of_pairs(permuted=True)
def pk(
    call: Call,
    hypothesis: Any,
    reference: Any,
    *,
    window_size: int | None = None,
    boundary_format: Any = BoundaryFormat.mass,
    fnc_round: Callable[[Any], Any] = round,
    one_minus: bool = False,
    return_parts: bool = False,
) -> Any:
    """Pk (Beeferman, Berger & Lafferty 1999).

    >>> pk([2, 3, 6], [2, 2, 7], return_parts=True)
    (2, 9)
    """
    ref, hyp, k = _take(hypothesis, reference, window_size, boundary_format, fnc_round)
    try:
        counts = usual_metric("Pk", k=k, minimum=1).counts_of(ref, hyp)
        parts = int(counts.one_sided), int(counts.windows)
    except UncountablePairs:
        if not call.strict:
            raise
        parts = 0, 0  # segeval finds no error where no window fits
    return _window_share(*parts, one_minus, return_parts)


@of_pairs(permuted=True)
def window_diff(
    call: Call,
    hypothesis: Any,
    reference: Any,
    *,
    window_size: int | None = None,
    lamprier_et_al_2007_fix: bool = False,
    boundary_format: Any = BoundaryFormat.mass,
    fnc_round: Callable[[Any], Any] = round,
    one_minus: bool = False,
    return_parts: bool = False,
) -> Any:
    """WindowDiff (Pevzner & Hearst 2002), padded at the edges with the fix of Lamprier et al. (2007).

    >>> window_diff([2, 3, 6], [2, 2, 7], return_parts=True)
    (2, 9)
    """
    ref, hyp, k = _take(hypothesis, reference, window_size, boundary_format, fnc_round)
    edges = "padded" if lamprier_et_al_2007_fix else "plain"
    counts = usual_metric("WD", k=k, minimum=1, edges=edges).counts_of(ref, hyp)
    windows = int(counts.windows)
    if lamprier_et_al_2007_fix and call.repeats(
        "padded windows are k - 1 places longer on either side and divided by their number, where segeval has k and divides by one more"
    ):
        windows += 3  # one window more at either end, and one that is not there
    return _window_share(int(counts.differing), windows, one_minus, return_parts and not one_minus)


def _take(
    hypothesis: Any, reference: Any, window_size: int | None, boundary_format: Any, fnc_round: Callable[[Any], Any]
) -> tuple[list[int], list[int], int]:
    """Return reference, hypothesis and the window; masses stay masses, which the loops take as they are."""
    if boundary_format == BoundaryFormat.mass:
        ref, hyp = read_masses(reference), read_masses(hypothesis)
    elif boundary_format == BoundaryFormat.sets:
        raise SegmentationMetricError("Unsupported boundary format")
    else:
        ref, hyp = (read_marks(side, boundary_format).masses for side in (reference, hypothesis))
    units, others = sum(ref), sum(hyp)
    if units != others:
        raise SegmentationMetricError(
            f"Reference and hypothesis segmentations differ in position length ({units} is not {others})."
        )
    return ref, hyp, _half_mean(units, len(ref), fnc_round) if window_size is None else window_size


def _window_share(wrong: int, windows: int, one_minus: bool, return_parts: bool) -> Any:
    if return_parts:
        return wrong, windows
    value = Decimal(wrong) / windows if windows else Decimal(0)
    return 1 - value if one_minus else value
