r"""Displacement of boundaries in milliseconds, as reported for forced aligners.

Segments with equal names are paired in order: as many as possible and, among such pairings, with the smallest sum of displacements (two
equal sequences of names are paired one by one). A pair is compared by its starts, so every boundary between two segments is compared
once; the starts of recordings are not. ``mapping``, a file of lines ``from<TAB>to``, converts names first, if two phone sets differ.
``pairing="nearest"`` ignores names and takes the nearest hypothesis for every reference boundary, like mir_eval's deviation; a boundary
that moved beyond its neighbour then seems closer than it is.

With displacements d of the n compared among N reference boundaries

.. math::
    mean = \frac{\sum |d|}{n}, \quad bias = \frac{\sum d}{n}, \quad matched = \frac{n}{N}, \quad
    within_t = \frac{|\{d : |d| \le t\}|}{N}

A positive bias means that the hypothesis is late. A reference boundary without a partner is never within a limit; the mean and the
percentiles include only compared boundaries, so report ``displacement-matched`` beside them.

**Percentiles are not ratios of sums.** Histograms can be added instead: every |d| is rounded to 0.1 ms below 10 ms and by at most 1.25 %
above, up to 100 s, the last bin. The p-th percentile is the smallest rounded value that p % of the displacements do not exceed,
midway to the next one if exactly p % do not (the usual median). It can therefore be pooled and resampled like every other score;
only its value is rounded. Mean, bias and shares are exact on the grid of 100 ns. The histogram has 741 columns: with 10,000 resamples,
the interval of a percentile over a thousand recordings takes two seconds, other intervals a tenth of a second.

The shares at 10, 20, 25 and 50 ms: Hosom 2009, Speaker-independent phoneme alignment using transition-dependent states; McAuliffe et al. 2017,
Montreal Forced Aligner. If nothing is compared, the score is undefined (NaN).
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.metrics.batch import Batch, Side
from caesura.metrics.family import Family, Numbers, Parts, Rows, Score, parameter, share, share_of_side
from caesura.metrics.interval_pairing import NamedIntervals, pair_by_names, reach_in_seconds
from caesura.metrics.label_map import LabelMap
from caesura.metrics.time_grid import check_fits_grid, grid, to_ticks
from caesura.validation import one_of

Pairing: TypeAlias = Literal["names", "nearest"]

#: The bins of displacements, in ms: steps of 0.1 up to 10, then of 0.2 up to 20, of 0.5 up to 50, of 1 up to 100, and so on up to 100 s.
ROUNDED = np.concatenate(
    [np.arange(100) / 10]
    + [
        (first + step * np.arange(number)) / 10 * 10**decade
        for decade in range(1, 5)
        for first, step, number in ((10, 0.2, 50), (20, 0.5, 60), (50, 1, 50))
    ]
    + [[100_000.0]]
)
WITHIN = (10, 20, 25, 50)  # ms

MIDWAY = (ROUNDED[1:] + ROUNDED[:-1]) / 2


#: Boundaries, compared boundaries, sums of displacements in ms (absolute and signed), those within limits, and the histogram.
DisplacementCounts = namedtuple(  # type: ignore[misc]  # hundreds of fields, built in a loop
    "DisplacementCounts",
    ["reference", "hypothesis", "compared", "distance", "shift"]
    + [f"within_{limit}" for limit in WITHIN]
    + [f"rounded_{number}" for number in range(len(ROUNDED))],
)


def distance(c: Any) -> Parts:
    """Return the sum of absolute displacements and the compared boundaries."""
    return c.distance, c.compared


def shift(c: Any) -> Parts:
    """Return the sum of signed displacements and the compared boundaries."""
    return c.shift, c.compared


def compared_boundaries(c: Any) -> Parts:
    """Return compared boundaries, those of the reference and of the hypothesis."""
    return c.compared, c.reference, c.hypothesis


def histogram(c: Any) -> Parts:
    """Return the number of displacements in each bin."""
    return tuple(c[-len(ROUNDED) :])


def _within(limit: int) -> Callable[[Any], Parts]:
    """Return the parts of the share within a limit in ms."""

    def parts(c: Any) -> Parts:
        return getattr(c, f"within_{limit}"), c.reference, c.hypothesis

    return parts


def _mean(above: Numbers, below: Numbers) -> Numbers:
    return share(above, below, np.nan)


def _share_of_reference(above: Numbers, reference: Numbers, hypothesis: Numbers) -> Numbers:
    """Return a share of the reference boundaries; NaN if neither side has any, because then nothing was compared."""
    return np.where(np.asarray(reference) + hypothesis > 0, share_of_side(above, reference, hypothesis), np.nan)


def percentile(percent: float, *counted: Numbers) -> Numbers:
    """Return the rounded displacement that so many percent do not exceed, midway if it falls between two; NaN without displacements."""
    upto = np.cumsum(np.stack(np.broadcast_arrays(*counted), axis=-1), axis=-1)
    total = upto[..., -1:]
    enough = percent / 100 * total
    slack = 1e-9 * total  # counts are whole, unless resampling weighs them: compare with a tolerance
    lower, upper = (np.argmax(upto >= limit, axis=-1) for limit in (enough - slack, enough + slack))
    return np.where(total[..., 0] > 0, (ROUNDED[lower] + ROUNDED[upper]) / 2, np.nan)


# ---------------------------------------------------------------------- the family

_MILLISECONDS: dict[str, Any] = {"higher_is_better": False, "best": 0.0, "bounds": (0.0, np.inf)}


@dataclass(frozen=True)
class Displacement(Family):
    """Displacements of boundaries.

    Parameters
    ----------
    pairing : {"names", "nearest"}, default "names"
        "names" compares segments of equal names, in order; "nearest" every reference boundary with the nearest hypothesis.
    mapping : str, path or dict, default ""
        A file of lines ``from<TAB>to``, or a dictionary, that converts names before they are compared; see
        :class:`~caesura.metrics.label_map.LabelMap`.
    reach : float, default 5.0
        Segments whose starts are farther apart, in seconds, are not paired by names; ``inf`` pairs all.
    resolution : float, default 1e-7
        The grid on which times are compared, in seconds.

    Examples
    --------
    >>> from caesura.metrics import metric
    >>> from caesura.model import Segmentation
    >>> gold = Segmentation.from_times([0.10, 0.20, 0.30], length=0.4, names=["sil", "a", "t", "sil"])
    >>> heard = Segmentation.from_times([0.11, 0.20, 0.34], length=0.4, names=["sil", "a", "t", "sil"])
    >>> metric("displacement-median")(gold, heard), round(metric("within-20ms")(gold, heard), 4)
    (10.0, 0.6667)
    """

    pairing: Pairing = parameter("pair", "names", one_of("names", "nearest"))
    mapping: Any = parameter("map", "")
    reach: float = parameter("reach", 5.0)
    resolution: float = parameter("res", 1e-7)

    counts = DisplacementCounts
    scores = {
        "displacement-mean": Score(
            "mean displacement, ms", "Mean displacement of the boundaries that were compared, in milliseconds.",
            distance, _mean, **_MILLISECONDS,
        ),
        "displacement-bias": Score(
            "bias, ms", "Mean signed displacement in milliseconds: above 0 the hypothesis is late.",
            shift, _mean, higher_is_better=False, best=0.0, bounds=(-np.inf, np.inf), symmetric=False,
        ),
        "displacement-median": Score(
            "median displacement, ms", "Half of the boundaries compared are off by this much or less.",
            histogram, partial(percentile, 50.0), **_MILLISECONDS,
        ),
        "displacement-p90": Score(
            "90th percentile of displacements, ms", "90 % of the boundaries compared are off by this much or less.",
            histogram, partial(percentile, 90.0), **_MILLISECONDS,
        ),
        "displacement-p95": Score(
            "95th percentile of displacements, ms", "95 % of the boundaries compared are off by this much or less.",
            histogram, partial(percentile, 95.0), **_MILLISECONDS,
        ),
        "displacement-matched": Score(
            "share of boundaries compared", "Share of the reference boundaries that have a partner.",
            compared_boundaries, _share_of_reference, symmetric=False,
        ),
        **{
            f"within-{limit}ms": Score(
                f"share within {limit} ms", f"Share of the reference boundaries that are off by {limit} ms at most.",
                _within(limit), _share_of_reference, symmetric=False,
            )
            for limit in WITHIN
        },
    }  # fmt: skip
    kinds = frozenset({"time"})
    opt_in_kinds = {"time": "displacements evaluate aligners, which place known names in a recording"}
    paper = "McAuliffe et al. 2017, Montreal Forced Aligner; Hosom 2009 for the shares"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "mapping", LabelMap.of(self.mapping))
        if self.mapping and self.pairing == "nearest":
            raise CaesuraError("pairing=nearest ignores names, so mapping has no effect; leave one of them out.")
        object.__setattr__(self, "reach", reach_in_seconds(self.reach))
        grid(self.resolution)

    @property
    def symmetric(self) -> bool:
        """Whether boundaries are paired by names; the nearest boundary is not a symmetric relation."""
        return self.pairing == "names"

    @property
    def compares_names(self) -> bool:  # type: ignore[override]
        """Whether boundaries are paired by names."""
        return self.pairing == "names"

    def prepare(self, batch: Batch) -> Batch:
        """Reject other kinds, annotations without names if they are needed, and recordings too long for the grid."""
        nameless = batch.reference.names is None or batch.hypothesis.names is None
        if batch.kind == "time" and self.pairing == "names" and nameless:
            which = "reference" if batch.reference.names is None else "hypothesis"
            raise CaesuraError(
                f"the {which} gives its segments no names to compare; use pairing=nearest, which needs none."
            )
        ready = super().prepare(batch)
        check_fits_grid(batch.lengths, self.resolution)
        return ready

    def count(self, batch: Batch) -> Rows:
        """Pair the boundaries of every pair of recordings and count their displacements."""
        rows = np.zeros((len(batch), len(self.counts._fields)))
        for pair, length in enumerate(batch.lengths.tolist()):
            sides = [self._starts(side, pair, length) for side in (batch.reference, batch.hypothesis)]
            (ref, _), (hyp, _) = sides
            rows[pair] = _tally(self._displacements(*sides), len(ref) - 1, len(hyp) - 1)
        return rows

    def _starts(self, side: Side, pair: int, length: float) -> tuple[NDArray[np.int64], tuple[str, ...]]:
        """Return the starts of all segments in ticks, the first at 0, and their names."""
        where = side.positions[side.starts[pair] : side.stops[pair]]
        inside = np.unique(where[(where > 0) & (where < length)])
        names: tuple[str, ...] = ()
        if self.pairing == "names" and side.names is not None:
            names = side.names.of(pair) or ("",)
            inside = inside[: len(names) - 1]  # no names after the end of this side
            names = names[: len(inside) + 1]
        return to_ticks(np.concatenate(([0.0], inside)), grid(self.resolution)), names

    def _displacements(self, ref: Any, hyp: Any) -> NDArray[np.float64]:
        """Return hypothesis minus reference of every compared boundary, in milliseconds."""
        (ref_starts, _), (hyp_starts, _) = ref, hyp
        if self.pairing == "nearest":
            here, there = ref_starts[1:], hyp_starts[1:]
            partners = _nearest(here, there) if len(there) else np.full(len(here), -1)
        else:
            ours, theirs = (NamedIntervals(starts, starts, names) for starts, names in (ref, hyp))
            partners = pair_by_names(ours, theirs, self.mapping, self.reach * grid(self.resolution))[1:] - 1
            here, there = ref_starts[1:], hyp_starts[1:]
        paired = partners >= 0
        off: NDArray[np.float64] = (there[partners[paired]] - here[paired]) * (1000.0 / grid(self.resolution))
        return off.round(9)


def _nearest(here: NDArray[np.int64], there: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the index of the nearest time, the earlier of two equally near."""
    after = np.clip(np.searchsorted(there, here), 1, max(len(there) - 1, 1))
    before = after - 1
    after = np.minimum(after, len(there) - 1)
    return np.where(there[after] - here < here - there[before], after, before)


def _tally(off: NDArray[np.float64], reference: int, hypothesis: int) -> NDArray[np.float64]:
    """Return the row of counts of one recording."""
    size = np.abs(off)
    rounded = np.searchsorted(MIDWAY, size)
    return np.concatenate(
        (
            [reference, hypothesis, len(off), size.sum(), off.sum()],
            [np.count_nonzero(size <= limit) for limit in WITHIN],
            np.bincount(rounded, minlength=len(ROUNDED)),
        )
    )
