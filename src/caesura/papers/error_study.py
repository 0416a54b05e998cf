"""How often a metric scores two hypotheses alike though one is plainly closer: the study of Ocampo Diaz and Ouyang (2022).

Every segmentation of a text of n units is the reference once. From it hypotheses are made that move one boundary:

- *cross*: one jumps over the next boundary, the other shifts softly by the same distance;
- *constant*: one shifts hard, the other softly, by the same distance;
- *vanishing*: both shift the same boundary, the nearer one softly.

A shift is soft where both segments beside it keep a Jaccard index over 1/2 with what they were, hard where both fall under it.
A metric that gives the two hypotheses one score misbehaves on that reference.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.metrics import Batch, Metric, Side, metric

__all__ = ["LONGEST", "SHORTEST", "STUDIES", "ErrorStudy", "error_study"]

#: The studies by name, in the order of the paper's figures 13 to 15.
STUDIES = ("cross", "constant", "vanishing")
SHORTEST, LONGEST = 5, 28

#: Scores are sums of a few dozen fractions, exact to about 1e-15. The pairs compared on up to 20 units that our own metrics
#: do tell apart are more than 1e-4 apart. So anything between decides the same.
TOLERANCE = 1e-9

_RUN = 2048  # references counted at once: small enough for the cache, large enough to make Python's part vanish


@dataclass(frozen=True)
class ErrorStudy:
    """Counts of misbehaviour.

    ``errors[metric, study, length - shortest, segments]`` is the number of references for which the metric misbehaves,
    ``references[length - shortest, segments]`` how many there are.
    """

    metrics: tuple[Metric, ...]
    names: tuple[str, ...]
    shortest: int
    longest: int
    errors: NDArray[np.int64]
    references: NDArray[np.int64]

    def total(self, name: str, study: str) -> int:
        """How many references of any length and number of segments the metric misbehaves on."""
        return int(self.errors[self.names.index(name), STUDIES.index(study)].sum())

    def rate(self, name: str, study: str) -> float:
        """The same as a share of all references."""
        return self.total(name, study) / int(self.references.sum())

    def share(self, name: str, study: str, length: int) -> tuple[list[int], list[float]]:
        """Numbers of segments, and the share of references with so many on which the metric misbehaves."""
        row = length - self.shortest
        segments = list(range(2, length))
        counts = self.errors[self.names.index(name), STUDIES.index(study), row, 2:length]
        return segments, (counts / self.references[row, 2:length]).tolist()

    def rows(self, study: str) -> Iterator[tuple[int, ...]]:
        """Go through (length, segments, references, errors of each metric …), the shape of the authors' tables."""
        for length in range(self.shortest, self.longest + 1):
            for segments in range(2, length):
                row = length - self.shortest
                counted = self.errors[:, STUDIES.index(study), row, segments].tolist()
                yield length, segments, int(self.references[row, segments]), *counted


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
    made = [metric(each) for each in metrics.values()]
    for each in made:
        if "units" not in each.needs:
            raise CaesuraError(f"{each.name} compares {' or '.join(sorted(each.needs))}; the study is about units.")
    errors = np.zeros((len(made), len(STUDIES), longest - shortest + 1, longest + 1), np.int64)
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        for length, counted in pool.map(lambda run: _count(made, *run), _runs(shortest, longest)):
            errors[:, :, length - shortest, : counted.shape[2]] += counted
    references = np.zeros(errors.shape[2:], np.int64)
    for length in range(shortest, longest + 1):
        references[length - shortest, 2:length] = [comb(length - 1, m - 1) for m in range(2, length)]
    return ErrorStudy(tuple(made), tuple(metrics), shortest, longest, errors, references)


def _runs(shortest: int, longest: int) -> Iterator[tuple[int, int, int]]:
    """Cut the references of every length into runs of codes, the longest first so that threads end together."""
    for length in range(longest, shortest - 1, -1):
        for start in range(1, 2 ** (length - 1) - 1, _RUN):
            yield length, start, min(start + _RUN, 2 ** (length - 1) - 1)


def _count(made: list[Metric], length: int, start: int, stop: int) -> tuple[int, NDArray[np.int64]]:
    """Count the references from code ``start`` to ``stop`` - 1 on which each metric misbehaves, by study and segments."""
    from caesura.kernels.moves import count_boundaries, judge, write_moves

    codes = np.arange(start, stop)
    most = 4 * length * len(codes)
    ref_positions, ref_offsets = np.empty(len(codes) * length, np.int64), np.empty(len(codes) + 1, np.int64)
    hyp_positions, hyp_offsets = np.empty(most * length, np.int64), np.empty(most + 1, np.int64)
    owner, boundary, distance, kind = (np.empty(most, np.int64) for _ in range(4))
    number = write_moves(
        codes, length, ref_positions, ref_offsets, hyp_positions, hyp_offsets, owner, boundary, distance, kind
    )
    owner, boundary, distance, kind = (column[:number] for column in (owner, boundary, distance, kind))
    batch = Batch(
        "units",
        np.full(number, length),
        Side(ref_positions, ref_offsets[:-1][owner], ref_offsets[1:][owner]),
        Side(hyp_positions[: hyp_offsets[number]], hyp_offsets[:number], hyp_offsets[1 : number + 1]),
    )
    segments = np.empty(len(codes), np.int64)
    count_boundaries(codes, segments)
    segments += 1
    counted = np.zeros((len(made), len(STUDIES), length + 1), np.int64)
    found = np.empty((len(codes), len(STUDIES)), np.bool_)
    for at, each in enumerate(made):
        judge(_scores(each, batch), owner, boundary, distance, kind, TOLERANCE, found)
        for study in range(len(STUDIES)):
            counted[at, study] = np.bincount(segments[found[:, study]], minlength=length + 1)
    return length, counted


def _scores(each: Metric, batch: Batch) -> NDArray[Any]:
    return each.score(each.rows(batch)) if len(batch) else np.empty(0)
