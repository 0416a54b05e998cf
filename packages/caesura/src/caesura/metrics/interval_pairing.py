"""Pair the named intervals of a reference with those of an aligner."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.kernels import load
from caesura.metrics.batch import Side, as_readonly_contiguous
from caesura.metrics.label_map import LabelMap, MapSide, simplify
from caesura.metrics.time_grid import seconds, to_ticks
from caesura.model import Segmentation

#: The costs of MFA: up to 3.2, which its documentation describes, and from 3.3 on, as its library kalpy counts.
Cost: TypeAlias = Literal["mfa", "kalpy"]

#: Names of silence, separated by blanks: those of MFA, of HTK and the Penn aligner, of WebMAUS and of TIMIT.
SILENCES = "sil sp <eps> <p:> pau h#"

_MOST_CELLS = 4 * 10**9  # choices in the table, four in a byte
_NARROWEST = 64  # places beside the diagonal in which names are paired first
_SILENT, _WRONG, _GAP = (
    10.0,
    2.0,
    2.0,
)  # MFA's prices of pairing silence, of other names, and of an unpaired interval, in seconds


class NamedIntervals(NamedTuple):
    """Starts and ends, in ticks or seconds, and names."""

    starts: NDArray[Any]
    ends: NDArray[Any]
    names: Sequence[str]

    def in_seconds(self, scale: float) -> NamedIntervals:
        """Convert ticks to seconds."""
        return NamedIntervals(self.starts / scale, self.ends / scale, self.names)


def reach_in_seconds(given: Any) -> float:
    """Parse a reach: a duration, or ``inf``."""
    return inf if str(given) == "inf" else seconds(given, "reach")


def silent_names(given: str | Iterable[str]) -> str:
    """Return names of silence as one string, separated by blanks."""
    return " ".join(given.split() if isinstance(given, str) else given)


def intervals_of(
    side: Side, pair: int, length: float, scale: float, mapping: LabelMap, which: MapSide
) -> NamedIntervals:
    """Return the named segments of one side in ticks; those without a name are gaps.

    Rows of names that the map joins become one; intervals that it drops are left out.
    """
    where = side.positions[side.starts[pair] : side.stops[pair]]
    inside = np.unique(where[(where > 0) & (where < length)])
    names = (side.names.of(pair) if side.names is not None else None) or ("",)
    inside = inside[: len(names) - 1]
    cuts = to_ticks(np.concatenate(([0.0], inside, [length])), scale)
    named = np.array([bool(name) for name in names[: len(cuts) - 1]], bool)
    kept = [name for name in names[: len(cuts) - 1] if name]
    row = joined(NamedIntervals(cuts[:-1][named], cuts[1:][named], kept), mapping, which)
    stays = np.array([not mapping.drops(name, which) for name in row.names], bool)
    if stays.all():
        return row
    return NamedIntervals(
        row.starts[stays], row.ends[stays], [name for name in row.names if not mapping.drops(name, which)]
    )


def joined(row: NamedIntervals, mapping: LabelMap, which: MapSide) -> NamedIntervals:
    """Join neighbouring intervals whose names the map makes one, from the left, the longest row of names first.

    Intervals with a gap between them are no neighbours.
    """
    joins = mapping.joins(which)
    if not joins or not len(row.names):
        return row
    longest, kept, at = max(map(len, joins)), [], 0
    names, touches = list(row.names), (row.starts[1:] == row.ends[:-1]).tolist()
    plain = [simplify(name, mapping.ignores) for name in names]
    while at < len(names):
        size = next(
            (
                k
                for k in range(min(longest, len(names) - at), 1, -1)
                if tuple(plain[at : at + k]) in joins and all(touches[at : at + k - 1])
            ),
            1,
        )
        kept.append((row.starts[at], row.ends[at + size - 1], joins.get(tuple(plain[at : at + size]), names[at])))
        at += size
    starts, ends, new = zip(*kept, strict=True)
    return NamedIntervals(np.array(starts), np.array(ends), new)


def with_new_names(marks: Segmentation, mapping: LabelMap) -> Segmentation:
    """Give the segments of a recording the names that a map has for the hypothesis; rows of names that it joins become one segment.

    Parameters
    ----------
    marks : Segmentation
        A recording; without names it is returned as it is.
    mapping : LabelMap
        The map; every name must have one new name.

    Returns
    -------
    Segmentation

    Examples
    --------
    >>> from caesura import Segmentation
    >>> heard = Segmentation.from_times([0.1, 0.2, 0.3], length=0.5, names=["?", "t", "S", "V"])
    >>> mapped = with_new_names(heard, LabelMap.of({"t S": "ch", "V": "ah", "?": None}))
    >>> mapped.names, mapped.positions.tolist()
    (('', 'ch', 'ah'), [0.1, 0.3])
    """
    if marks.names is None:
        return marks
    end = marks.start + marks.length
    inside = np.unique(marks.positions[(marks.positions > marks.start) & (marks.positions < end)])
    cuts = np.concatenate(([marks.start], inside, [end]))
    row = joined(NamedIntervals(cuts[:-1], cuts[1:], marks.names), mapping, "hyp")
    names = ["" if mapping.drops(name, "hyp") else mapping.name(name, "hyp") if name else "" for name in row.names]
    stays = ~np.isin(marks.positions, np.setdiff1d(inside, row.starts[1:]))
    types = None if marks.types is None else marks.types[stays]
    return Segmentation(marks.length, marks.positions[stays], types, marks.labels, marks.units, names, marks.start)


def pair_by_names(ref: NamedIntervals, hyp: NamedIntervals, mapping: LabelMap, reach: float) -> NDArray[np.int64]:
    """Return the partner of every reference interval, or -1: as many equal names as possible, then the least time apart.

    ``reach`` is the largest difference of starts, in the same unit.
    """
    if tuple(ref.names) == tuple(hyp.names) and not mapping and (np.abs(ref.starts - hyp.starts) <= reach).all():
        return np.arange(len(ref.names))
    codes, known = _encode_names(ref, hyp)
    same = as_readonly_contiguous(mapping.same(*known))
    partner = np.empty(len(ref.names), np.int64)
    if reach < inf:
        load("intervals").pair_equal_names(*codes, same, _band(ref, hyp, reach), partner)
        return partner
    # pairs of the i-th and j-th interval leave at least |i - j| intervals unpaired: a band of k places has the best way if that leaves k or less
    sizes = len(ref.names), len(hyp.names)
    width = max(_NARROWEST, abs(sizes[0] - sizes[1]) + 1)
    while True:
        load("intervals").pair_equal_names(*codes, same, _diagonal(*sizes, width), partner)
        if sum(sizes) - 2 * np.count_nonzero(partner >= 0) <= width or width >= max(sizes):
            return partner
        width *= 2


def name_prices(
    ref: Sequence[str], hyp: Sequence[str], silences: Iterable[str], mapping: LabelMap, cost: Cost = "mfa"
) -> NDArray[np.float64]:
    """Return what MFA charges for pairing names: 0 for the same, 10 if one is silence, else 2."""
    same, silent = mapping.same(ref, hyp), set(silences)
    equal = np.array([[a == b for b in hyp] for a in ref], bool).reshape(len(ref), len(hyp))
    quiet = np.array([[a in silent or b in silent for b in hyp] for a in ref], bool).reshape(len(ref), len(hyp))
    if cost == "kalpy":
        return np.where(equal | same, 0.0, np.where(quiet, _SILENT, _WRONG))
    alike = same | np.array([[a.lower() == b.lower() for b in hyp] for a in ref], bool).reshape(len(ref), len(hyp))
    return np.where(equal, 0.0, np.where(quiet, _SILENT, np.where(alike, 0.0, _WRONG)))


def pair_by_cost(
    ref: NamedIntervals, hyp: NamedIntervals, mapping: LabelMap, silences: Iterable[str], cost: Cost = "mfa"
) -> tuple[NDArray[np.int64], float]:
    """Return the partner of every reference interval, or -1, at the least cost as MFA counts it, and that cost; times are seconds."""
    codes, known = _encode_names(ref, hyp)
    kernels = load("intervals")
    names = name_prices(known[0], known[1], silences, mapping, cost)
    if cost == "mfa":  # two unpaired intervals are cheaper than a pair that starts more than two gaps apart
        gaps: list[Any] = [np.full(len(ref.names), _GAP), np.full(len(hyp.names), _GAP), _GAP]
        band = _band(ref, hyp, 2 * _GAP)
    else:
        gaps = [1.0 + ref.ends - ref.starts, 1.0 + hyp.ends - hyp.starts, 1.0]
        band = _band(ref, hyp, inf)
    partner = np.empty(len(ref.names), np.int64)
    prices = kernels.Prices(as_readonly_contiguous(names), *map(as_readonly_contiguous, gaps[:2]), gaps[2])
    if not len(ref.names):
        return partner, float(gaps[2] * len(hyp.names))
    return partner, float(kernels.pair_at_least_cost(*codes, prices, band, partner))


def _encode_names(ref: NamedIntervals, hyp: NamedIntervals) -> tuple[list[Any], list[list[str]]]:
    """Return both rows with codes for names, and the names that occur on each side."""
    kernels, rows, known = load("intervals"), [], []
    for row in (ref, hyp):
        code: dict[str, int] = {}
        numbers = np.array([code.setdefault(name, len(code)) for name in row.names], np.int64)
        rows.append(
            kernels.Intervals(*map(as_readonly_contiguous, (np.asarray(row.starts), np.asarray(row.ends), numbers)))
        )
        known.append(list(code))
    return rows, known


def _band(ref: NamedIntervals, hyp: NamedIntervals, reach: float) -> Any:
    low = (
        np.searchsorted(hyp.starts, ref.starts - reach, "left") if reach < inf else np.zeros(len(ref.starts), np.int64)
    )
    high = (
        np.searchsorted(hyp.starts, ref.starts + reach, "right")
        if reach < inf
        else np.full(len(ref.starts), len(hyp.starts))
    )
    return _as_band(low, high, len(hyp.starts))


def _diagonal(rows: int, columns: int, width: int) -> Any:
    """Return the cells that are at most so many places off the diagonal."""
    at = np.arange(rows)
    return _as_band(np.clip(at - width, 0, columns), np.clip(at + width + 1, 0, columns), columns)


def _as_band(low: NDArray[np.int64], high: NDArray[np.int64], columns: int) -> Any:
    offset = np.concatenate(([0], np.cumsum(high - low)))
    if offset[-1] > _MOST_CELLS:
        raise CaesuraError(
            f"{len(low):,} names against {columns:,} other ones are too many to align; split the recordings, or use a reach of some seconds."
        )
    return load("intervals").Band(*map(as_readonly_contiguous, (low, high, offset)))
