"""How far boundaries of speech are off, in milliseconds: what users of forced aligners report.

Segments of equal names are paired, in order: as many as there can be, and among those ways the one that moves them least (two equal rows
of names are paired one by one). A pair is compared by its starts, so every boundary between two segments is compared once; the starts of
recordings are not. Names go through ``mapping`` first, a file of lines ``from<TAB>to``, where two phone sets meet. ``pairing="nearest"``
looks at no names and takes, for every reference boundary, the nearest of the hypothesis, as mir_eval's deviation does; a boundary moved
beyond its neighbour then looks nearer than it is.

With displacements d of the n compared among N reference boundaries

.. math::
    mean = \\frac{\\sum |d|}{n}, \\quad bias = \\frac{\\sum d}{n}, \\quad matched = \\frac{n}{N}, \\quad
    within_t = \\frac{|\\{d : |d| \\le t\\}|}{N}

Positive bias means that the hypothesis is late. A reference boundary without a partner is within nothing; the mean and the percentiles
know only those that were compared, so quote ``displacement-matched`` beside them.

**Percentiles are not ratios of sums.** What adds up is a histogram: every |d| is rounded to 0.1 ms below 10 ms and by at most 1.25 % above, up to 100 s, where
all longer ones stay. The p-th percentile is the smallest such value that p % of the displacements do not exceed, midway to the next where exactly p %
do not (the usual median). So it pools, and is resampled over recordings, as exactly as every other score; only its value is a rounded one. Mean, bias
and shares are exact on the grid of 100 ns. The histogram has 741 columns: with 10,000 resamples an interval of a percentile over a thousand
recordings takes two seconds, where others take a tenth.

The shares at 10, 20, 25 and 50 ms: Hosom 2009, Speaker-independent phoneme alignment using transition-dependent states; McAuliffe et al. 2017,
Montreal Forced Aligner. Where nothing is compared the score is undefined (NaN).
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
from caesura.kernels import load
from caesura.metrics.batch import Batch, Side
from caesura.metrics.family import Family, Numbers, Parts, Rows, Score, share, share_of_side, sign
from caesura.metrics.label_map import LabelMap
from caesura.metrics.time_grid import check_fits_grid, grid, lay_on_grid
from caesura.words import one_of

Pairing: TypeAlias = Literal["names", "nearest"]

#: The rounded displacements, in ms: steps of 0.1 up to 10, then of 0.2 up to 20, of 0.5 up to 50, of 1 up to 100, and so on up to 100 s.
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

_MIDWAY = (ROUNDED[1:] + ROUNDED[:-1]) / 2
_MOST_CELLS = 10**9  # of the table in which names are put in line: a byte each


#: Boundaries, those compared, what they are off in ms (without and with sign), and how many by so much.
DisplacementCounts = namedtuple(  # type: ignore[misc]  # hundreds of fields that nobody writes down
    "DisplacementCounts",
    ["reference", "hypothesis", "compared", "distance", "shift"]
    + [f"within_{limit}" for limit in WITHIN]
    + [f"rounded_{number}" for number in range(len(ROUNDED))],
)


def distance(c: Any) -> Parts:
    """Displacements without sign, over those compared."""
    return c.distance, c.compared


def shift(c: Any) -> Parts:
    """Displacements with their sign, over those compared."""
    return c.shift, c.compared


def compared_boundaries(c: Any) -> Parts:
    """Boundaries that were compared, over those of the reference; and those of the hypothesis."""
    return c.compared, c.reference, c.hypothesis


def histogram(c: Any) -> Parts:
    """How many displacements round to each of ``ROUNDED``."""
    return tuple(c[-len(ROUNDED) :])


def _within(limit: int) -> Callable[[Any], Parts]:
    """Return the rule of a limit in ms: boundaries within it over those of the reference, and those of the hypothesis."""

    def parts(c: Any) -> Parts:
        return getattr(c, f"within_{limit}"), c.reference, c.hypothesis

    return parts


def _mean(above: Numbers, below: Numbers) -> Numbers:
    return share(above, below, np.nan)


def _percentile(percent: float, *counted: Numbers) -> Numbers:
    """The rounded displacement that so many percent do not exceed, midway where it parts two; NaN where there is none."""
    upto = np.cumsum(np.stack(np.broadcast_arrays(*counted), axis=-1), axis=-1)
    total = upto[..., -1:]
    enough = percent / 100 * total
    slack = 1e-9 * total
    lower, upper = (np.argmax(upto >= limit, axis=-1) for limit in (enough - slack, enough + slack))
    return np.where(total[..., 0] > 0, (ROUNDED[lower] + ROUNDED[upper]) / 2, np.nan)


_MILLISECONDS: dict[str, Any] = {"higher_is_better": False, "best": 0.0, "bounds": (0.0, np.inf)}


@dataclass(frozen=True)
class Displacement(Family):
    """Displacements of boundaries.

    Parameters
    ----------
    pairing
        "names" compares segments of equal names, in order; "nearest" every reference boundary with the nearest hypothesis.
    mapping
        A file of lines ``from<TAB>to`` that names go through before they are compared, or a dictionary.
    resolution
        The grid on which times are compared, in seconds.

    >>> from caesura.metrics import metric
    >>> from caesura.model import Segmentation
    >>> gold = Segmentation.from_times([0.10, 0.20, 0.30], length=0.4, names=["sil", "a", "t", "sil"])
    >>> heard = Segmentation.from_times([0.11, 0.20, 0.34], length=0.4, names=["sil", "a", "t", "sil"])
    >>> metric("displacement-median")(gold, heard), round(metric("within-20ms")(gold, heard), 4)
    (10.0, 0.6667)
    """

    pairing: Pairing = sign("pair", "names", one_of("names", "nearest"))
    mapping: Any = sign("map", "")
    resolution: float = sign("res", 1e-7)

    counts = DisplacementCounts
    scores = {
        "displacement-mean": Score(
            "mean displacement, ms", "Mean displacement of the boundaries that were compared, in milliseconds.",
            distance, _mean, **_MILLISECONDS,
        ),
        "displacement-bias": Score(
            "bias, ms", "Mean displacement with its sign, in milliseconds: above 0 the hypothesis is late.",
            shift, _mean, higher_is_better=False, best=0.0, bounds=(-np.inf, np.inf), symmetric=False,
        ),
        "displacement-median": Score(
            "median displacement, ms", "Half of the boundaries compared are off by this much or less.",
            histogram, partial(_percentile, 50.0), **_MILLISECONDS,
        ),
        "displacement-p90": Score(
            "90th percentile of displacements, ms", "90 % of the boundaries compared are off by this much or less.",
            histogram, partial(_percentile, 90.0), **_MILLISECONDS,
        ),
        "displacement-p95": Score(
            "95th percentile of displacements, ms", "95 % of the boundaries compared are off by this much or less.",
            histogram, partial(_percentile, 95.0), **_MILLISECONDS,
        ),
        "displacement-matched": Score(
            "share of boundaries compared", "Share of the reference boundaries that have a partner to be compared with.",
            compared_boundaries, share_of_side, symmetric=False,
        ),
        **{
            f"within-{limit}ms": Score(
                f"share within {limit} ms", f"Share of the reference boundaries that are off by {limit} ms at most.",
                _within(limit), share_of_side, symmetric=False,
            )
            for limit in WITHIN
        },
    }  # fmt: skip
    needs = frozenset({"time"})
    unasked = {"time": "displacements tell of aligners, which put known names to sound"}
    paper = "McAuliffe et al. 2017, Montreal Forced Aligner; Hosom 2009 for the shares"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "mapping", LabelMap.of(self.mapping))
        if self.mapping and self.pairing == "nearest":
            raise CaesuraError("pairing=nearest looks at no names, so that there is nothing to map.")
        grid(self.resolution)

    @property
    def symmetric(self) -> bool:
        """Pairs of names are pairs from either side; the nearest of one side is not the other's."""
        return self.pairing == "names"

    @property
    def compares_names(self) -> bool:  # type: ignore[override]
        """Whether names decide what is compared."""
        return self.pairing == "names"

    def prepare(self, batch: Batch) -> Batch:
        """Refuse what is not in time, has no names where they are needed, or is too long for the grid."""
        nameless = batch.reference.names is None or batch.hypothesis.names is None
        if batch.kind == "time" and self.pairing == "names" and nameless:
            which = "reference" if batch.reference.names is None else "hypothesis"
            raise CaesuraError(f"the {which} gives its segments no names to compare; pairing=nearest looks at none.")
        ready = super().prepare(batch)
        check_fits_grid(batch.lengths, self.resolution)
        return ready

    def count(self, batch: Batch) -> Rows:
        """Pair the boundaries of every two recordings and count by how much they are off."""
        rows = np.zeros((len(batch), len(self.counts._fields)))
        for pair, length in enumerate(batch.lengths.tolist()):
            sides = [self._starts(side, pair, length) for side in (batch.reference, batch.hypothesis)]
            (ref, _), (hyp, _) = sides
            rows[pair] = _tally(self._displacements(*sides), len(ref) - 1, len(hyp) - 1)
        return rows

    def _starts(self, side: Side, pair: int, length: float) -> tuple[NDArray[np.int64], tuple[str, ...]]:
        """Where every segment starts, in ticks, the first one at 0; and what it is called."""
        where = side.positions[side.starts[pair] : side.stops[pair]]
        inside = np.unique(where[(where > 0) & (where < length)])
        names: tuple[str, ...] = ()
        if self.pairing == "names" and side.names is not None:
            table = self.mapping.table
            names = tuple(table.get(name, name) for name in side.names.of(pair) or ("",))
            inside = inside[: len(names) - 1]  # behind its own end a side calls nothing anything
            names = names[: len(inside) + 1]
        return lay_on_grid(np.concatenate(([0.0], inside)), grid(self.resolution)), names

    def _displacements(self, ref: Any, hyp: Any) -> NDArray[np.float64]:
        """Hypothesis less reference of every boundary that is compared, in milliseconds."""
        (ref_starts, ref_names), (hyp_starts, hyp_names) = ref, hyp
        if self.pairing == "nearest":
            here, there = ref_starts[1:], hyp_starts[1:]
            partners = _nearest(here, there) if len(there) else np.full(len(here), -1)
        else:
            partners = _same_names(ref_starts, ref_names, hyp_starts, hyp_names)[1:] - 1
            here, there = ref_starts[1:], hyp_starts[1:]
        paired = partners >= 0
        off: NDArray[np.float64] = (there[partners[paired]] - here[paired]) * (1000.0 / grid(self.resolution))
        return off.round(9)


def _nearest(here: NDArray[np.int64], there: NDArray[np.int64]) -> NDArray[np.int64]:
    """The index of the nearest, the earlier of two as near."""
    after = np.clip(np.searchsorted(there, here), 1, max(len(there) - 1, 1))
    before = after - 1
    after = np.minimum(after, len(there) - 1)
    return np.where(there[after] - here < here - there[before], after, before)


def _same_names(
    ref_starts: NDArray[np.int64], ref_names: tuple[str, ...], hyp_starts: NDArray[np.int64], hyp_names: tuple[str, ...]
) -> NDArray[np.int64]:
    """The partner of every reference segment among those of the hypothesis; -1: none."""
    if ref_names == hyp_names:
        return np.arange(len(ref_names))
    rows, columns = len(ref_names) + 1, len(hyp_names) + 1
    if rows * columns > _MOST_CELLS:
        raise CaesuraError(
            f"{rows - 1:,} names against {columns - 1:,} other ones are too many to be put in line; cut the recordings, or use pairing=nearest."
        )
    code: dict[str, int] = {}
    ours, theirs = (
        np.array([code.setdefault(n, len(code)) for n in names], np.int64) for names in (ref_names, hyp_names)
    )
    partners = np.full(len(ours), -1, np.int64)
    back = np.zeros((rows, columns), np.uint8)
    load("displacement").align_names(ours, ref_starts, theirs, hyp_starts, back, partners)
    return partners


def _tally(off: NDArray[np.float64], reference: int, hypothesis: int) -> NDArray[np.float64]:
    """Make the row of one recording."""
    size = np.abs(off)
    rounded = np.searchsorted(_MIDWAY, size)
    return np.concatenate(
        (
            [reference, hypothesis, len(off), size.sum(), off.sum()],
            [np.count_nonzero(size <= limit) for limit in WITHIN],
            np.bincount(rounded, minlength=len(ROUNDED)),
        )
    )
