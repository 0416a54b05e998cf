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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.files import Source
from caesura.kernels import load
from caesura.metrics.batch import Batch, Side
from caesura.metrics.family import Family, Numbers, Parts, Rows, Score, parameter, share, share_of_side
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

_MIDWAY = (ROUNDED[1:] + ROUNDED[:-1]) / 2
_MOST_CELLS = 10**9  # of the table in which names are aligned, one byte each


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


def _percentile(percent: float, *counted: Numbers) -> Numbers:
    """Return the rounded displacement that so many percent do not exceed, midway if it falls between two; NaN without displacements."""
    upto = np.cumsum(np.stack(np.broadcast_arrays(*counted), axis=-1), axis=-1)
    total = upto[..., -1:]
    enough = percent / 100 * total
    slack = 1e-9 * total  # counts are whole, unless resampling weighs them: compare with a tolerance
    lower, upper = (np.argmax(upto >= limit, axis=-1) for limit in (enough - slack, enough + slack))
    return np.where(total[..., 0] > 0, (ROUNDED[lower] + ROUNDED[upper]) / 2, np.nan)


# ---------------------------------------------------------------------- tables of names


class LabelMap(str):
    """A table of names, one ``from<TAB>to`` per line of a file; as a string, the file name and a digest: ``phones.tsv#1f0c…``.

    The digest makes signatures exact: if the file has changed since, a recorded signature is rejected. Names that are not in the table stay
    as they are. Empty lines, and lines that begin with ``#`` and a space, are ignored.
    """

    table: Mapping[str, str]

    @classmethod
    def of(cls, given: Any) -> LabelMap:
        """Read a file, given with or without the digest, or take a dictionary; None or "" is an empty table."""
        if isinstance(given, LabelMap):
            return given
        if isinstance(given, Mapping):
            return cls._of_table("given", {str(label): str(name) for label, name in given.items()})
        if given in (None, ""):
            return cls._of_table("", {})
        path, _, digest = str(given).partition("#")
        labels = cls._of_table(path, _read(Source.open(Path(path))))
        if digest and labels != given:
            raise CaesuraError(f"{path} has changed: expected {given}, found {labels}.")
        return labels

    @classmethod
    def _of_table(cls, path: str, table: Mapping[str, str]) -> LabelMap:
        content = "\n".join(f"{label}\t{name}" for label, name in sorted(table.items()))
        labels = cls(f"{path}#{sha256(content.encode()).hexdigest()[:8]}" if table else "")
        labels.table = table
        return labels

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (str(self), dict(self.table))


def _rebuild(name: str, table: dict[str, str]) -> LabelMap:
    labels = LabelMap(name)
    labels.table = table
    return labels


def _read(source: Source) -> dict[str, str]:
    table: dict[str, str] = {}
    for number, line in source.lines:
        if not line.strip() or line.startswith("# "):
            continue
        label, tab, name = line.partition("\t")
        if not tab or "\t" in name:
            raise source.error(number, f"a line is {line[:40]!r}, expected a label, a tab and its new name.")
        if table.setdefault(label, name.strip()) != name.strip():
            raise source.error(
                number, f"the label {label!r} is mapped to {table[label]!r} above and to {name.strip()!r} here."
            )
    if not table:
        raise source.error(None, "the file has no labels, expected lines of a label, a tab and its new name.")
    return table


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
        A file of lines ``from<TAB>to``, or a dictionary, that converts names before they are compared.
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
            "share of boundaries compared", "Share of the reference boundaries that have a partner.",
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
    kinds = frozenset({"time"})
    opt_in_kinds = {"time": "displacements evaluate aligners, which place known names in a recording"}
    paper = "McAuliffe et al. 2017, Montreal Forced Aligner; Hosom 2009 for the shares"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "mapping", LabelMap.of(self.mapping))
        if self.mapping and self.pairing == "nearest":
            raise CaesuraError("pairing=nearest ignores names, so mapping has no effect; leave one of them out.")
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
            table = self.mapping.table
            names = tuple(table.get(name, name) for name in side.names.of(pair) or ("",))
            inside = inside[: len(names) - 1]  # no names after the end of this side
            names = names[: len(inside) + 1]
        return to_ticks(np.concatenate(([0.0], inside)), grid(self.resolution)), names

    def _displacements(self, ref: Any, hyp: Any) -> NDArray[np.float64]:
        """Return hypothesis minus reference of every compared boundary, in milliseconds."""
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
    """Return the index of the nearest time, the earlier of two equally near."""
    after = np.clip(np.searchsorted(there, here), 1, max(len(there) - 1, 1))
    before = after - 1
    after = np.minimum(after, len(there) - 1)
    return np.where(there[after] - here < here - there[before], after, before)


def _same_names(
    ref_starts: NDArray[np.int64], ref_names: tuple[str, ...], hyp_starts: NDArray[np.int64], hyp_names: tuple[str, ...]
) -> NDArray[np.int64]:
    """Return the partner of every reference segment in the hypothesis, or -1."""
    if ref_names == hyp_names:
        return np.arange(len(ref_names))
    rows, columns = len(ref_names) + 1, len(hyp_names) + 1
    if rows * columns > _MOST_CELLS:
        raise CaesuraError(
            f"{rows - 1:,} names against {columns - 1:,} other ones are too many to align; split the recordings, or use pairing=nearest."
        )
    code: dict[str, int] = {}
    ours, theirs = (
        np.array([code.setdefault(n, len(code)) for n in names], np.int64) for names in (ref_names, hyp_names)
    )
    partners = np.full(len(ours), -1, np.int64)
    back = np.zeros((rows, columns), np.uint8)
    load("matching").align_names(ours, ref_starts, theirs, hyp_starts, back, partners)
    return partners


def _tally(off: NDArray[np.float64], reference: int, hypothesis: int) -> NDArray[np.float64]:
    """Return the row of counts of one recording."""
    size = np.abs(off)
    rounded = np.searchsorted(_MIDWAY, size)
    return np.concatenate(
        (
            [reference, hypothesis, len(off), size.sum(), off.sum()],
            [np.count_nonzero(size <= limit) for limit in WITHIN],
            np.bincount(rounded, minlength=len(ROUNDED)),
        )
    )
