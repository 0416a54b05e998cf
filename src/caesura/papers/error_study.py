"""How often a metric scores two hypotheses alike though one is plainly closer: the study of Ocampo Diaz and Ouyang (2022).

Every segmentation of a text of n units is the reference once. From it hypotheses are made that move one boundary:

- *cross*: one jumps over the next boundary, the other shifts softly by the same distance;
- *constant*: one shifts hard, the other softly, by the same distance;
- *vanishing*: both shift the same boundary, the nearer one softly.

A shift is soft where both segments beside it keep a Jaccard index over 1/2 with what they were, hard where both fall under it.
A metric that gives the two hypotheses one score (a *tie*) misbehaves on that reference: that is what the authors count. Two more
counts are ours: *inversions*, where the metric even prefers the wrong one; and, after their figure 16, *deletions*: a mild shift, one
that keeps the mean of the two Jaccard indices at 1/2 or above, is scored below leaving the boundary out.
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

#: What goes wrong: two hypotheses are scored alike, as the authors count, or the wrong way round.
Kind: TypeAlias = Literal["ties", "inversions"]
KINDS: tuple[Kind, ...] = ("ties", "inversions")

#: Measured on every pair that is compared up to 20 units, for each of our metrics: scores differ by less than 1e-15, which is
#: rounding, or by more than 1e-5. So anything between decides the same.
TOLERANCE = 1e-9

_RUN = 2048  # references counted at once: small enough for the cache, large enough to make Python's part vanish


@dataclass(frozen=True)
class ErrorStudy:
    """Counts of misbehaviour.

    ``ties[metric, study, length - shortest, segments]`` is the number of references for which the metric scores alike what it must
    not, ``inversions`` for which it scores it the wrong way round, ``deletions[metric, length - shortest, segments]`` for
    which a mild shift falls below a deletion; ``references[length - shortest, segments]`` is how many there are.
    """

    metrics: tuple[Metric, ...]
    names: tuple[str, ...]
    shortest: int
    longest: int
    ties: NDArray[np.int64]
    inversions: NDArray[np.int64]
    deletions: NDArray[np.int64]
    references: NDArray[np.int64]

    def total(self, name: str, study: str, kind: Kind = "ties") -> int:
        """How many references of any length and number of segments the metric misbehaves on."""
        return int(self._counts(name, study, kind).sum())

    def rate(self, name: str, study: str, kind: Kind = "ties") -> float:
        """The same as a share of all references."""
        return self.total(name, study, kind) / int(self.references.sum())

    def below_deletion(self, name: str) -> int:
        """How many references have a mild shift that is scored below the deletion of its boundary."""
        return int(self.deletions[self.names.index(name)].sum())

    def share(self, name: str, study: str, length: int, kind: Kind = "ties") -> tuple[list[int], list[float]]:
        """Numbers of segments, and the share of references with so many on which the metric misbehaves."""
        row = length - self.shortest
        counts = self._counts(name, study, kind)[row, 2:length]
        return list(range(2, length)), (counts / self.references[row, 2:length]).tolist()

    def rows(self, study: str, kind: Kind = "ties") -> Iterator[tuple[int, ...]]:
        """Go through (length, segments, references, errors of each metric …), the shape of the authors' tables."""
        for length in range(self.shortest, self.longest + 1):
            for segments in range(2, length):
                row = length - self.shortest
                counted = [int(self._counts(name, study, kind)[row, segments]) for name in self.names]
                yield length, segments, int(self.references[row, segments]), *counted

    def _counts(self, name: str, study: str, kind: Kind) -> NDArray[np.int64]:
        which = self.ties if kind == "ties" else self.inversions
        counts: NDArray[np.int64] = which[self.names.index(name), STUDIES.index(study)]
        return counts


def error_study(
    metrics: Sequence[str | Metric] | Mapping[str, str | Metric],
    *,
    shortest: int = SHORTEST,
    longest: int = 20,
    threads: int | None = None,
) -> ErrorStudy:
    """Put metrics through the three studies on every reference of ``shortest`` to ``longest`` units.

    Metrics are named as everywhere (``"B:n_t=3"``), or given under names of one's own. Every two units more cost over four
    times as much: see the benchmarks for what 24 take.

    Examples
    --------
    >>> study = error_study(["A", "F"], longest=8)
    >>> study.total("A", "vanishing"), study.total("F", "vanishing")
    (0, 74)
    """
    if not (isinstance(longest, int) and SHORTEST <= shortest <= longest <= LONGEST):
        raise CaesuraError(
            f"the study takes texts of {SHORTEST} to {LONGEST} units, not {shortest} to {longest}: "
            f"there are 2^(n-1) references of n units."
        )
    if not metrics:
        raise CaesuraError("name at least one metric to put through the study.")
    if not isinstance(metrics, Mapping):
        metrics = {each if isinstance(each, str) else each.signature: each for each in metrics}
    measures = [metric(each) for each in metrics.values()]
    for each in measures:
        if "units" not in each.needs:
            raise CaesuraError(f"{each.name} compares {' or '.join(sorted(each.needs))}; the study is about units.")
    errors = np.zeros((len(measures), COLUMNS, longest - shortest + 1, longest + 1), np.int64)
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        for length, counted in pool.map(lambda run: _count(measures, *run), _runs(shortest, longest)):
            errors[:, :, length - shortest, : counted.shape[2]] += counted
    references = np.zeros(errors.shape[2:], np.int64)
    for length in range(shortest, longest + 1):
        references[length - shortest, 2:length] = [comb(length - 1, m - 1) for m in range(2, length)]
    ties, inversions, deletions = errors[:, :3], errors[:, 3:6], errors[:, 6]
    return ErrorStudy(tuple(measures), tuple(metrics), shortest, longest, ties, inversions, deletions, references)


def _runs(shortest: int, longest: int) -> Iterator[tuple[int, int, int]]:
    """Cut the references of every length into runs of codes, the longest first so that threads end together."""
    for length in range(longest, shortest - 1, -1):
        for start in range(1, 2 ** (length - 1) - 1, _RUN):
            yield length, start, min(start + _RUN, 2 ** (length - 1) - 1)


def _count(measures: list[Metric], length: int, start: int, stop: int) -> tuple[int, NDArray[np.int64]]:
    """Count the references from code ``start`` to ``stop`` - 1 on which each metric misbehaves, by study and segments."""
    codes = np.arange(start, stop)
    most = 5 * length * len(codes)  # deletions, shifts either way, jumps either way: fewer than n each
    references = Texts(np.empty(len(codes) * length, np.int64), np.empty(len(codes) + 1, np.int64))
    hypotheses = Texts(np.empty(most * length, np.int64), np.empty(most + 1, np.int64))
    room = Moves._make(np.empty(most, np.int64) for _ in Moves._fields)
    number = write_moves(codes, length, references, hypotheses, room)
    moves, offsets = Moves._make(column[:number] for column in room), hypotheses.offsets
    batch = Batch(
        "units",
        np.full(number, length),
        Side(references.positions, references.offsets[:-1][moves.owner], references.offsets[1:][moves.owner]),
        Side(hypotheses.positions[: offsets[number]], offsets[:number], offsets[1 : number + 1]),
    )
    segments = np.empty(len(codes), np.int64)
    count_boundaries(codes, segments)
    segments += 1
    counted = np.zeros((len(measures), COLUMNS, length + 1), np.int64)
    misjudged = np.empty((len(codes), COLUMNS), np.bool_)
    for at, each in enumerate(measures):
        judge(_scores(each, batch), moves, TOLERANCE, misjudged)
        for column in range(COLUMNS):
            counted[at, column] = np.bincount(segments[misjudged[:, column]], minlength=length + 1)
    return length, counted


def _scores(each: Metric, batch: Batch) -> NDArray[Any]:
    """Score the batch so that higher is better."""
    if not len(batch):
        return np.empty(0)
    scores = each.score(each.rows(batch))
    return scores if each.higher_is_better else -scores
