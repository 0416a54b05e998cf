"""How often a metric gives two hypotheses the same score although one is clearly closer (Ocampo Diaz and Ouyang 2022).

Every segmentation of a text of n units is the reference once. Hypotheses move one of its boundaries:

- *cross*: one hypothesis jumps over the next boundary, the other has a soft shift of the same distance;
- *constant*: one has a hard shift, the other a soft shift of the same distance;
- *vanishing*: both shift the same boundary, and the smaller shift is soft.

A shift is soft if both segments beside it keep a Jaccard index above 1/2 with the original segments, and hard if both fall below it.
A metric that gives the two hypotheses the same score (a *tie*) misbehaves on that reference; this is what the authors count. We add
two counts: *inversions*, where the metric prefers the wrong hypothesis; and, after their figure 16, *deletions*: a mild shift, which
keeps the mean of the two Jaccard indices at 1/2 or above, scores below the deletion of the boundary.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import comb
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.kernels.moves import COLUMNS, Moves, Texts, count_boundaries, judge, write_moves
from caesura.metrics import Batch, Metric, Side, metric

#: The studies by name, in the order of the paper's figures 13 to 15.
STUDIES = ("cross", "constant", "vanishing")
SHORTEST, LONGEST = 5, 28

#: Two hypotheses get the same score, as the authors count, are ranked the wrong way round, or one of both.
ErrorKind: TypeAlias = Literal["ties", "inversions", "either"]
KINDS: tuple[ErrorKind, ...] = ("ties", "inversions")

#: On all pairs up to 20 units, scores of our metrics differ by less than 1e-15 (rounding) or by more than 1e-5, so that any
#: tolerance between the two gives the same counts.
TOLERANCE = 1e-9

_RUN = 2048  # references counted at once: few enough for the cache, enough to hide the overhead of Python


@dataclass(frozen=True)
class ErrorStudy:
    """Counts of references on which metrics misbehave.

    Attributes
    ----------
    metrics, names : tuple
        The metrics and their names.
    shortest, longest : int
        The range of text lengths.
    ties, inversions, either : array of int
        References with the same score, with the wrong ranking, or with one of both, by metric, study, length - shortest and number of segments.
    deletions : array of int
        References with a mild shift that scores below a deletion, by metric, length - shortest and number of segments.
    references : array of int
        The number of references, by length - shortest and number of segments.
    """

    metrics: tuple[Metric, ...]
    names: tuple[str, ...]
    shortest: int
    longest: int
    ties: NDArray[np.int64]
    inversions: NDArray[np.int64]
    either: NDArray[np.int64]
    deletions: NDArray[np.int64]
    references: NDArray[np.int64]

    def total(self, name: str, study: str, kind: ErrorKind = "ties") -> int:
        """Return the number of references on which the metric misbehaves."""
        return int(self._counts(name, study, kind).sum())

    def rate(self, name: str, study: str, kind: ErrorKind = "ties") -> float:
        """Return the share of references on which the metric misbehaves."""
        return self.total(name, study, kind) / int(self.references.sum())

    def below_deletion(self, name: str) -> int:
        """Return the number of references with a mild shift that scores below the deletion of its boundary."""
        return int(self.deletions[self.names.index(name)].sum())

    def share(self, name: str, study: str, length: int, kind: ErrorKind = "ties") -> tuple[list[int], list[float]]:
        """Return numbers of segments, and for each the share of references on which the metric misbehaves."""
        row = length - self.shortest
        counts = self._counts(name, study, kind)[row, 2:length]
        return list(range(2, length)), (counts / self.references[row, 2:length]).tolist()

    def rows(self, study: str, kind: ErrorKind = "ties") -> Iterator[tuple[int, ...]]:
        """Yield (length, segments, references, errors of each metric …), as in the authors' tables."""
        for length in range(self.shortest, self.longest + 1):
            for segments in range(2, length):
                row = length - self.shortest
                counted = [int(self._counts(name, study, kind)[row, segments]) for name in self.names]
                yield length, segments, int(self.references[row, segments]), *counted

    def _counts(self, name: str, study: str, kind: ErrorKind) -> NDArray[np.int64]:
        which: NDArray[np.int64] = getattr(self, kind)
        counts: NDArray[np.int64] = which[self.names.index(name), STUDIES.index(study)]
        return counts


def error_study(
    metrics: Sequence[str | Metric] | Mapping[str, str | Metric],
    *,
    shortest: int = SHORTEST,
    longest: int = 20,
    threads: int | None = None,
) -> ErrorStudy:
    """Run the three studies on every reference of ``shortest`` to ``longest`` units.

    Two more units take more than four times as long; docs/benchmarks.md has the time for 24.

    Parameters
    ----------
    metrics : sequence or mapping of str to metric
        Metrics, such as ``"B:n_t=3"``, optionally under names of your own.
    shortest, longest : int, default 5 and 20
        The range of text lengths, within 5 to 28 units.
    threads : int, default None
        The number of threads; None uses all processors.

    Returns
    -------
    ErrorStudy

    Examples
    --------
    >>> study = error_study(["A", "F"], longest=8)
    >>> study.total("A", "vanishing"), study.total("F", "vanishing")
    (0, 74)
    """
    if not (isinstance(longest, int) and SHORTEST <= shortest <= longest <= LONGEST):
        raise CaesuraError(
            f"lengths are {shortest} to {longest}; expected {SHORTEST} to {LONGEST} units, because there are 2^(n-1) references of n units."
        )
    if not metrics:
        raise CaesuraError("give at least one metric.")
    if not isinstance(metrics, Mapping):
        metrics = {each if isinstance(each, str) else each.signature: each for each in metrics}
    measures = [metric(each) for each in metrics.values()]
    for each in measures:
        if "units" not in each.kinds:
            raise CaesuraError(f"{each.name} compares {' or '.join(sorted(each.kinds))}; the study compares units.")
    errors = np.zeros((len(measures), COLUMNS + len(STUDIES), longest - shortest + 1, longest + 1), np.int64)
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        for length, counted in pool.map(lambda run: _count(measures, *run), _runs(shortest, longest)):
            errors[:, :, length - shortest, : counted.shape[2]] += counted
    references = np.zeros(errors.shape[2:], np.int64)
    for length in range(shortest, longest + 1):
        references[length - shortest, 2:length] = [comb(length - 1, m - 1) for m in range(2, length)]
    ties, inversions, deletions, either = errors[:, :3], errors[:, 3:6], errors[:, 6], errors[:, COLUMNS:]
    return ErrorStudy(
        tuple(measures), tuple(metrics), shortest, longest, ties, inversions, either, deletions, references
    )


def call_kernels() -> None:
    """Run the smallest study, for ``caesura warm-up``."""
    error_study(["B"], longest=SHORTEST)


def _runs(shortest: int, longest: int) -> Iterator[tuple[int, int, int]]:
    """Divide the references of every length into runs of codes, the longest first so that threads end together."""
    for length in range(longest, shortest - 1, -1):
        for start in range(1, 2 ** (length - 1) - 1, _RUN):
            yield length, start, min(start + _RUN, 2 ** (length - 1) - 1)


def _count(measures: list[Metric], length: int, start: int, stop: int) -> tuple[int, NDArray[np.int64]]:
    """Count the references from code ``start`` to ``stop`` - 1 on which each metric misbehaves, by study and segments."""
    codes = np.arange(start, stop)
    most = 5 * length * len(codes)  # deletions, shifts either way, jumps either way: fewer than n each
    references = Texts(np.empty(len(codes) * length, np.int64), np.empty(len(codes) + 1, np.int64))
    hypotheses = Texts(np.empty(most * length, np.int64), np.empty(most + 1, np.int64))
    buffer = Moves._make(np.empty(most, np.int64) for _ in Moves._fields)
    number = write_moves(codes, length, references, hypotheses, buffer)
    moves, offsets = Moves._make(column[:number] for column in buffer), hypotheses.offsets
    batch = Batch(
        "units",
        np.full(number, length),
        Side(references.positions, references.offsets[:-1][moves.owner], references.offsets[1:][moves.owner]),
        Side(hypotheses.positions[: offsets[number]], offsets[:number], offsets[1 : number + 1]),
    )
    segments = np.empty(len(codes), np.int64)
    count_boundaries(codes, segments)
    segments += 1
    counted = np.zeros((len(measures), COLUMNS + len(STUDIES), length + 1), np.int64)
    misjudged = np.empty((len(codes), COLUMNS), np.bool_)
    for at, each in enumerate(measures):
        judge(_scores(each, batch), moves, TOLERANCE, misjudged)
        for column in range(COLUMNS):
            counted[at, column] = np.bincount(segments[misjudged[:, column]], minlength=length + 1)
        for study in range(len(STUDIES)):
            either = misjudged[:, study] | misjudged[:, len(STUDIES) + study]
            counted[at, COLUMNS + study] = np.bincount(segments[either], minlength=length + 1)
    return length, counted


def _scores(each: Metric, batch: Batch) -> NDArray[Any]:
    """Score the batch so that higher is better."""
    if not len(batch):
        return np.empty(0)
    return np.asarray(each.gains(each.score(each.rows(batch))))
