"""Times laid on an integer grid, so that 0.02 s means 0.02 s: durations as people write them, and times in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, InvalidSegmentation
from caesura.model import Segmentation
from caesura.model.marks import hides_members

#: Boundaries of one recording: times in seconds, or a segmentation in time.
Times: TypeAlias = Segmentation | Sequence[float] | NDArray[Any]

_REAL = np.dtype(np.float64)
LARGEST_TICK = 2**51  # ticks beyond this are no longer exact


def seconds(value: float | str, what: str = "a tolerance") -> float:
    """Read a duration, called ``what`` where it is none: a number of seconds, or ``"20ms"``, ``"0.02s"``, ``"0.02"``.

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


def grid(resolution: float) -> float:
    """Return ticks per second; a whole number wherever the resolution means one, so that 1e-7 gives 10 million and not a bit more."""
    if not isinstance(resolution, (int, float, np.number)) or not (np.isfinite(resolution) and resolution > 0):
        raise CaesuraError(f"the resolution is {resolution!r} s; expected a number above 0.")
    scale = 1.0 / resolution
    return float(round(scale)) if scale >= 1 and abs(scale - round(scale)) < 1e-6 * scale else scale


def check_fits_grid(lengths: NDArray[Any], resolution: float) -> None:
    """Refuse recordings that are too long for the grid."""
    if len(lengths) and float(np.max(lengths)) * grid(resolution) > LARGEST_TICK:
        raise CaesuraError(f"a recording of {np.max(lengths):g} s does not fit a grid of {resolution:g} s.")


def ticks(tolerance: float, scale: float) -> int:
    """Lay a tolerance on the grid; one far wider than any recording is as good as any other."""
    return round(min(tolerance * scale, 2.0**52))


def as_times(given: Times, what: str, scale: float) -> NDArray[np.float64]:
    """Return times as a sorted, read-only array, the shape the compiled loops know from a corpus."""
    if isinstance(given, Segmentation):
        if not given.timed:
            raise InvalidSegmentation(f"the {what} is a segmentation of units; regions lie around times in seconds.")
        return given.positions if given.types is None else np.unique(given.positions)
    if hides_members(given):
        given = cast(Any, given).tolist()  # what is hidden is missing, and refused as such
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
    """Return a flat list of times as an array, not looked at yet; None where it is anything else."""
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
    """Leave out what stands at the ends of a recording of this length, and repeated times if they are to be distinct."""
    laid = lay_on_grid(times, scale)
    keep = np.ones(len(times), bool)
    if length is not None:
        keep = (laid != 0) & (laid != round(length * scale))
    if distinct and len(times) > 1:
        keep[1:] &= np.diff(laid) > 0
    return times[keep]


def lay_on_grid(times: NDArray[np.float64], scale: float) -> NDArray[np.int64]:
    """Return the tick of every time."""
    return np.rint(times * scale).astype(np.int64)
