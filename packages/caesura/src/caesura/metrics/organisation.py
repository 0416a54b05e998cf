r"""The degree of organisation of annotations in time (Staccato): whether coders marked the same events at all.

The closed neighbourhood of an annotation is all annotations, of all coders, that overlap it, itself included. A *nucleus* is a class of at
least two annotations with the same closed neighbourhood. With n annotations, k of them in nuclei, and :math:`\\bar k` the mean of k if all
annotations are placed at random,

.. math:: DO = \\frac{k - \\bar k}{n - \\bar k} \\; (k > \\bar k), \\quad \\frac{k - \\bar k}{\\bar k} \\; (k < \\bar k), \\quad 0 \\; (k = \\bar k)

Values are ignored. DO is 1 if every annotation is in a nucleus, however ragged the ends are. It is undefined without annotations, and if
chance alone puts all of them into nuclei.

References
----------
Thomann 2001, Observation and judgment in psychology: assessing agreement among markings of behavioral events, BRMIC 33;
Lücking, Ptock & Bergmann 2011, Staccato: Segmentation agreement calculator according to Thomann.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from caesura.metrics.batch import Batch, Side
from caesura.metrics.family import Family, Numbers, Rows, Score, choose, parameter, share
from caesura.validation import integer_between, one_of

#: How random annotations get their lengths: they keep them; they are drawn from 10 classes of lengths, as in the paper; or they are
#: the shortest plus up to the longest length, as in Staccato 1.0.0.
Chance: TypeAlias = Literal["lengths", "classes", "elan"]

_CLASSES = 10
_CHUNK = 2**20  # random annotations at a time


#: Why the degree of organisation is undefined if random annotations are all in nuclei.
ALL_BY_CHANCE = "chance alone puts all annotations into nuclei, so that the degree of organisation is undefined"


class OrganisationCounts(NamedTuple):
    """Annotations in nuclei, the number expected by chance, and all annotations."""

    nucleated: Numbers
    expected: Numbers
    annotations: Numbers


def degree(nucleated: Numbers, expected: Numbers, annotations: Numbers) -> Numbers:
    """Return the degree of organisation; NaN without annotations, or if chance puts all of them into nuclei."""
    above = share(nucleated - expected, annotations - expected, np.nan)
    below = share(nucleated - expected, expected, 0.0)
    return choose(annotations > expected, choose(nucleated >= expected, above, below), np.nan)


@dataclass(frozen=True)
class Organisation(Family):
    """The degree of organisation of the annotations of two coders; :func:`~caesura.agree` takes any number.

    Parameters
    ----------
    chance : {"lengths", "classes", "elan"}, default "lengths"
        How random annotations get their lengths: each keeps its own, they are drawn from 10 classes as in the paper, or as Staccato 1.0.0
        does, which ELAN runs.
    draws : int, default 1,000
        The number of random configurations.
    seed : int, default 0
        The seed of the random numbers.

    Examples
    --------
    >>> from caesura import Spans
    >>> from caesura.metrics import metric
    >>> ann = Spans.from_rows([(0, 2), (5, 7), (9, 10)], time=True, length=30.0)
    >>> metric("organisation")(ann, ann)
    1.0
    """

    chance: Chance = parameter("chance", "lengths", one_of(*get_args(Chance)))
    draws: int = parameter("draws", 1000, integer_between(1, 1_000_000, "configurations"))
    seed: int = parameter("seed", 0, integer_between(0, 2**32, ""))

    counts = OrganisationCounts
    scores = {
        "organisation": Score(
            "degree of organisation", "Degree of organisation (Staccato): whether annotations form nuclei beyond chance; values are ignored.",
            tuple, degree, bounds=(-1.0, 1.0),
        )
    }  # fmt: skip
    kinds = frozenset({"spans"})
    opt_in_kinds = {"spans": "random configurations take long, and values are ignored"}
    types = "sets"
    summary_in_tables = True
    paper = "Thomann 2001; Lücking, Ptock & Bergmann 2011, Staccato"

    def count(self, batch: Batch) -> Rows:
        """Find the nuclei of every pair, and those of random configurations."""
        rows = np.zeros((len(batch), len(OrganisationCounts._fields)))
        for pair, length in enumerate(batch.lengths.tolist()):
            sides = [_span_times(side, pair) for side in (batch.reference, batch.hypothesis)]
            starts, ends = (np.concatenate(column) for column in zip(*sides, strict=True))
            unit = 0.001 if batch.lengths.dtype.kind == "f" else 1.0
            # lengths are drawn in a fixed order, so that the sides may be swapped
            expected, _ = expected_nucleated(np.sort(ends - starts), length, self.chance, self.draws, self.seed, unit)
            rows[pair] = int((nuclei(starts, ends) >= 0).sum()), expected, len(starts)
        return rows

    def summarize(self, counts: OrganisationCounts) -> str | None:
        """Return a sentence if chance puts all annotations into nuclei, so that the degree is undefined."""
        return ALL_BY_CHANCE if 0 < float(counts.annotations) <= float(counts.expected) else None


def _span_times(side: Side, pair: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    here = slice(side.starts[pair], side.stops[pair])
    assert side.ends is not None
    return side.positions[here].astype(np.float64), side.ends[here].astype(np.float64)


def nuclei(starts: Sequence[float] | NDArray[Any], ends: Sequence[float] | NDArray[Any]) -> NDArray[np.int64]:
    """Return the number of the nucleus of every annotation, -1 if it is in none.

    Parameters
    ----------
    starts, ends : sequence of float
        The annotations of all coders.

    Examples
    --------
    >>> nuclei([0, 1, 5], [3, 4, 6]).tolist()
    [0, 0, -1]
    """
    keys = _neighbourhoods(np.asarray(starts, np.float64)[None], np.asarray(ends, np.float64)[None])[0]
    _, number, sizes = np.unique(keys, return_inverse=True, return_counts=True)
    found, names = sizes[number] > 1, np.full(len(keys), -1)
    names[found] = np.unique(number[found], return_inverse=True)[1]
    return names


def expected_nucleated(
    lengths: NDArray[np.float64],
    total: float,
    chance: Chance = "lengths",
    draws: int = 1000,
    seed: int = 0,
    unit: float = 0.001,
) -> tuple[float, float]:
    """Return the mean number of annotations in nuclei if all are placed at random, and its standard error.

    Parameters are those of :func:`nucleated_by_chance`.
    """
    counts = nucleated_by_chance(lengths, total, chance, draws, seed, unit)
    return float(counts.mean()), float(counts.std() / np.sqrt(len(counts)))


def nucleated_by_chance(
    lengths: NDArray[np.float64],
    total: float,
    chance: Chance = "lengths",
    draws: int = 1000,
    seed: int = 0,
    unit: float = 0.001,
) -> NDArray[np.float64]:
    """Return the number of annotations in nuclei of every random configuration.

    Parameters
    ----------
    lengths : ndarray
        The lengths of the annotations.
    total : float
        The length of the recording.
    chance : {"lengths", "classes", "elan"}, default "lengths"
        How random annotations get their lengths.
    draws : int, default 1,000
        The number of random configurations.
    seed : int, default 0
        The seed of the random numbers.
    unit : float, default 0.001
        What Staccato counts as 1: a millisecond of times in seconds.
    """
    size = len(lengths)
    if size == 0:
        return np.zeros(draws)
    random, found = np.random.default_rng(seed), []
    step = max(1, _CHUNK // size)
    for start in range(0, draws, step):
        shape = min(step, draws - start), size
        drawn = _drawn_lengths(random, lengths, shape, chance, unit)
        places = random.random(shape) * (total - drawn)
        if chance == "elan":
            places = np.trunc(places / unit) * unit
        keys = _neighbourhoods(places, places + drawn)
        if chance == "elan":  # Staccato sees a nucleus only where its annotations begin one after the other
            keys = np.take_along_axis(keys, np.argsort(places, axis=1, kind="stable"), axis=1)
        else:
            keys.sort(axis=1)
        same = keys[:, 1:] == keys[:, :-1]
        edge = np.zeros((len(keys), 1), bool)
        found.append((np.hstack((same, edge)) | np.hstack((edge, same))).sum(axis=1))
    return np.concatenate(found).astype(np.float64)


def _drawn_lengths(
    random: np.random.Generator, lengths: NDArray[np.float64], shape: tuple[int, int], chance: Chance, unit: float
) -> NDArray[np.float64]:
    if chance == "lengths":
        return np.broadcast_to(lengths, shape)
    shortest, longest = lengths.min(), lengths.max()
    if chance == "elan":
        return np.asarray(shortest + unit * np.floor(random.random(shape) * (longest / unit + 1)))
    width = (longest - shortest) / _CLASSES  # as many of each class as were observed
    lower = shortest + width * np.minimum(np.floor((lengths - shortest) / (width or 1.0)), _CLASSES - 1)
    return np.asarray(lower + width * random.random(shape))


def _neighbourhoods(starts: NDArray[np.float64], ends: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Return a code of the closed neighbourhood of every annotation; rows are configurations.

    An annotation overlaps those that start before its end, less those that end by its start. The code of a set is the sum of random
    64-bit numbers, one per annotation, so that two cumulative sums over the sorted times give all codes.
    """
    size = starts.shape[1]
    number = np.random.default_rng(2**31 - 1).integers(1, 2**63, size).astype(np.uint64)
    times = np.hstack((ends, starts))  # at equal times ends come first: annotations that only touch do not overlap
    order = np.argsort(times, axis=1, kind="stable")
    started = np.cumsum(np.concatenate((np.zeros_like(number), number))[order], axis=1, dtype=np.uint64)
    ended = np.cumsum(np.concatenate((number, np.zeros_like(number)))[order], axis=1, dtype=np.uint64)
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.broadcast_to(np.arange(2 * size), order.shape), axis=1)
    before_end = np.take_along_axis(started, place[:, :size], axis=1)
    by_start = np.take_along_axis(ended, place[:, size:], axis=1)
    codes: NDArray[np.uint64] = before_end - by_start  # wraps around, which keeps sums exact
    return codes
