"""Convert times to an integer grid, so that 0.02 s means 0.02 s; parse durations, and sort times."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, InvalidSegmentation
from caesura.model import Segmentation
from caesura.model.conversion import is_masked_array

#: Boundaries of one recording: times in seconds, or a segmentation in time.
Times: TypeAlias = Segmentation | Sequence[float] | NDArray[Any]

_REAL = np.dtype(np.float64)
LARGEST_TICK = 2**51  # beyond this, a tick is no longer exact as a float64


def seconds(value: float | str, what: str = "a tolerance") -> float:
    """Parse a duration: a number of seconds, or ``"20ms"``, ``"0.02s"``, ``"0.02"``; ``what`` names it in errors.

    Examples
    --------
    >>> seconds("20ms"), seconds(0.01)
    (0.02, 0.01)
    """
    duration: float | None
    try:
        if isinstance(value, str):
            text = value.strip().lower()
            unit = next((u for u in ("ms", "us", "µs", "s") if text.endswith(u)), "")
            number = float(text[: len(text) - len(unit)])
            duration = number / {"ms": 1e3, "us": 1e6, "µs": 1e6}.get(unit, 1.0)
        else:
            duration = float(value)
    except (TypeError, ValueError):
        duration = None
    if duration is None or not np.isfinite(duration) or duration < 0:
        raise CaesuraError(f"{what} is a number of seconds from 0 up, or like 20ms; found {value!r}.")
    return duration


def half_width(tolerance: float | str) -> float:
    """Parse a tolerance in seconds, which may be infinite: then a region ends only half-way to the next boundary.

    Examples
    --------
    >>> half_width("20ms"), half_width("inf")
    (0.02, inf)
    """
    return inf if str(tolerance).strip().lower() in ("inf", "infinity") else seconds(tolerance)


def tolerance_text(tolerance: float) -> str:
    """Return a tolerance in words, as "± 20 ms" or "no limit".

    Examples
    --------
    >>> tolerance_text(0.02), tolerance_text(inf)
    ('± 20 ms', 'no limit')
    """
    return f"± {1000 * tolerance:g} ms" if np.isfinite(tolerance) else "no limit"


def grid(resolution: float) -> float:
    """Return the ticks per second, rounded if the resolution is meant as a fraction: 1e-7 gives exactly 10 million."""
    if not isinstance(resolution, (int, float, np.number)) or not (np.isfinite(resolution) and resolution > 0):
        raise CaesuraError(f"the resolution is {resolution!r} s; expected a number above 0.")
    scale = 1.0 / resolution
    return float(round(scale)) if scale >= 1 and abs(scale - round(scale)) < 1e-6 * scale else scale


def check_fits_grid(lengths: NDArray[Any], resolution: float) -> None:
    """Raise an error if a recording is too long for the grid."""
    if len(lengths) and float(np.max(lengths)) * grid(resolution) > LARGEST_TICK:
        raise CaesuraError(f"a recording of {np.max(lengths):g} s does not fit a grid of {resolution:g} s.")


def ticks(tolerance: float, scale: float) -> int:
    """Return a tolerance in ticks, at most 2**52, which is wider than any recording."""
    return round(min(tolerance * scale, 2.0**52))


def as_times(given: Times, what: str, scale: float) -> NDArray[np.float64]:
    """Return times as a sorted, read-only array, like those of a corpus, so that kernels are not compiled again."""
    if isinstance(given, Segmentation):
        if not given.timed:
            raise InvalidSegmentation(f"the {what} is a segmentation of units; expected times in seconds.")
        return given.positions if given.types is None else np.unique(given.positions)
    if is_masked_array(given):
        given = cast(Any, given).tolist()  # masked elements become None, which raises an error below
    try:
        times = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidSegmentation(f"the {what} must be a list of times in seconds.") from None
    if times.ndim != 1:
        raise InvalidSegmentation(f"the {what} must be a flat list of times, not an array of {times.ndim} dimensions.")
    if len(times):
        if not ((times[1:] >= times[:-1]).all() and np.isfinite(times[0]) and np.isfinite(times[-1])):
            if not np.isfinite(times).all():
                raise InvalidSegmentation(
                    f"the {what} holds {times[~np.isfinite(times)][0]}; every time must be finite."
                )
            times = np.sort(times)
        if max(abs(times[0]), abs(times[-1])) * scale > LARGEST_TICK:
            raise InvalidSegmentation(f"the {what} goes up to {times[-1]:g} s, too long for a grid of {1 / scale:g} s.")
    times = times.view()
    times.flags.writeable = False
    return times


def plain_times(given: Times) -> NDArray[np.float64] | None:
    """Return a flat list of times as an array without checks, or None if it is anything else."""
    if type(given) is list or type(given) is np.ndarray:
        try:
            times = np.array(given)
        except ValueError:  # ragged lists
            return None
        return times if times.dtype is _REAL and times.ndim == 1 else None
    return given.positions if type(given) is Segmentation and given.timed and given.types is None else None


def inner_times(
    times: NDArray[np.float64], scale: float, length: float | None, *, distinct: bool = False
) -> NDArray[np.float64]:
    """Return the times without those at the ends of a recording of this length and, if ``distinct``, without repeated ones."""
    at_ticks = to_ticks(times, scale)
    keep = np.ones(len(times), bool)
    if length is not None:
        keep = (at_ticks != 0) & (at_ticks != round(length * scale))
    if distinct and len(times) > 1:
        keep[1:] &= np.diff(at_ticks) > 0
    return times[keep]


def to_ticks(times: NDArray[np.float64], scale: float) -> NDArray[np.int64]:
    """Return the tick of every time."""
    return np.rint(times * scale).astype(np.int64)
