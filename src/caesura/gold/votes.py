"""Counting votes: which segments any annotator has, who has them, and which of them cannot stand together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import LengthMismatch
from caesura.metrics.nested import Embeddedness, check_embeddedness
from caesura.model import Hierarchy


class Vote(NamedTuple):
    """A segment with those who have it; ``level`` is None where only the span counts."""

    first: int
    last: int
    level: int | None
    voters: tuple[str, ...]

    @property
    def votes(self) -> int:
        """How many have it."""
        return len(self.voters)

    def __str__(self) -> str:
        level = "" if self.level is None else f" at level {self.level}"
        return f"({self.first}, {self.last}){level}"


class Conflict(NamedTuple):
    """Two segments that cannot stand in one hierarchy: they ``cross``, or their ``level``s contradict their nesting."""

    first: Vote
    second: Vote
    kind: Literal["cross", "level"]

    def __str__(self) -> str:
        how = "cross" if self.kind == "cross" else "contradict each other in level"
        who = " and ".join(", ".join(vote.voters) for vote in (self.first, self.second))
        return f"{self.first} and {self.second} {how}: {who}"


@dataclass(frozen=True)
class Ballot:
    """Every distinct segment of some annotations in reading order, as columns, with its voters.

    ``level`` is 0 throughout where only spans count. The voters of segment ``i`` are ``voters[starts[i]:starts[i+1]]``, numbers into
    ``coders``. ``steps`` are the pairs (level outside, segment) that annotators made, ``stacked`` the pairs of segments with
    one extent that an annotator put directly into each other.
    """

    coders: tuple[str, ...]
    length: int
    embeddedness: Embeddedness
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    level: NDArray[np.int64]
    starts: NDArray[np.int64]
    voters: NDArray[np.int64]
    steps: NDArray[np.int64]
    stacked: NDArray[np.int64]
    units: tuple[str, ...] | None = None

    @classmethod
    def of(cls, coders: Sequence[str], annotations: Sequence[Hierarchy], embeddedness: Embeddedness) -> Ballot:
        """Count the votes of annotations of one text."""
        check_embeddedness(embeddedness)
        length = _one_length(coders, annotations)
        full = embeddedness == "full"
        rows = np.concatenate([_with_outer(number, hierarchy) for number, hierarchy in enumerate(annotations)])
        rows = rows[np.lexsort((rows[:, 3], -rows[:, 2], rows[:, 1]))]
        if not full:
            rows[:, 3:] = 0
        new = np.ones(len(rows), bool)
        new[1:] = (np.diff(rows[:, 1:4], axis=0) != 0).any(axis=1)
        segment = np.cumsum(new) - 1
        cast = np.unique(np.stack((segment, rows[:, 0]), axis=1), axis=0)
        steps = np.unique(np.stack((rows[:, 4], segment), axis=1), axis=0) if full else np.empty((0, 2), np.int64)
        first, last, level = rows[new][:, 1:4].T.copy()
        return cls(
            coders=tuple(coders),
            length=length,
            embeddedness=embeddedness,
            first=first,
            last=last,
            level=level,
            starts=np.searchsorted(cast[:, 0], np.arange(new.sum() + 1)),
            voters=cast[:, 1].copy(),
            steps=steps,
            stacked=_stacks(rows, segment) if full else np.empty((0, 2), np.int64),
            units=next((hierarchy.units for hierarchy in annotations if hierarchy.units is not None), None),
        )

    def __len__(self) -> int:
        """Return the number of distinct segments."""
        return len(self.first)

    @cached_property
    def votes(self) -> NDArray[np.int64]:
        """How many annotators have each segment."""
        return np.diff(self.starts)

    def vote(self, row: int) -> Vote:
        """Name one segment and its voters."""
        voters = tuple(self.coders[v] for v in self.voters[self.starts[row] : self.starts[row + 1]].tolist())
        level = int(self.level[row]) if self.embeddedness == "full" else None
        return Vote(int(self.first[row]), int(self.last[row]), level, voters)

    def conflicting_votes(self) -> NDArray[np.int64]:
        """For each segment, the votes of all segments that cannot stand in one hierarchy with it."""
        from caesura.kernels.laminar import crossing_weight

        out = np.zeros(len(self), np.int64)
        crossing_weight(self.first, self.last, self.level, self.votes, out)
        outer, inner = self.stacked.T
        np.subtract.at(out, outer, self.votes[inner])
        np.subtract.at(out, inner, self.votes[outer])
        return out

    def conflicts(self) -> Iterator[Conflict]:
        """Yield who crossed whom: every two segments that cannot stand in one hierarchy."""
        together = set(map(tuple, self.stacked.tolist()))
        full = self.embeddedness == "full"
        for i in range(len(self)):
            reach = int(np.searchsorted(self.first, self.last[i], side="right"))
            later = slice(i + 1, reach)
            crossing = self.last[later] > self.last[i]
            bad = crossing.copy()
            if full:
                same = (self.first[later] == self.first[i]) & (self.last[later] == self.last[i])
                bad |= (self.level[later] <= self.level[i]) | same
            for j in (np.flatnonzero(bad) + i + 1).tolist():
                if (i, j) not in together:
                    yield Conflict(self.vote(i), self.vote(j), "cross" if crossing[j - i - 1] else "level")


def _one_length(coders: Sequence[str], annotations: Sequence[Hierarchy]) -> int:
    for coder, hierarchy in zip(coders, annotations, strict=True):
        if hierarchy.length != annotations[0].length:
            raise LengthMismatch(
                f"coder {coders[0]!r} annotated {annotations[0].length} units, coder {coder!r} {hierarchy.length}; "
                "all annotations must be of one text."
            )
    return annotations[0].length


def _with_outer(coder: int, hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Rows of coder, first, last, level, level outside (0 at the top)."""
    outside = np.array(
        [0 if parent < 0 else hierarchy.segments[parent, 2] for parent in hierarchy.parents], dtype=np.int64
    )
    return np.column_stack((np.full(len(hierarchy), coder, np.int64), hierarchy.segments, outside))


def _stacks(rows: NDArray[np.int64], segment: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pairs of segments with one extent that one coder has directly inside each other, outer first."""
    order = np.lexsort((rows[:, 3], -rows[:, 2], rows[:, 1], rows[:, 0]))
    mine, numbers = rows[order], segment[order]
    same = (np.diff(mine[:, :3], axis=0) == 0).all(axis=1)
    return np.unique(np.stack((numbers[:-1][same], numbers[1:][same]), axis=1), axis=0).reshape(-1, 2)
