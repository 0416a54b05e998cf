"""Votes on nested segments: consensus, majority, and the conflict-free union of Carbone, Gal, Shieber & Grosz (2004).

A :class:`Ballot` lists every segment that any annotator has, with its voters. The conflict-free union is the selection of
segments with the greatest weight in which no two segments cross. It is exact, and ties are always broken in the same way. A table
of contexts says which segments may be inside which (see :mod:`caesura.kernels.laminar`):

flat
    One context: a span may be inside any span that contains it.
depth
    One context per level: a segment of level ℓ is directly inside one of level ℓ - 1 (level 1: at the top), so that levels are
    nesting depths. If annotators skip a level themselves, that step is allowed too.
order
    A segment may be inside any segment of a lower level.

A span is on two levels of a selection only if an annotator put it on both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, LengthMismatch
from caesura.gold.gold_standard import GoldHierarchy, Provenance
from caesura.metrics.nested import Embeddedness, check_embeddedness
from caesura.model import Hierarchy
from caesura.text import pluralize

#: The share of annotators that must have a segment: a number, or a fraction as text ("4/7").
Threshold = float | str | Fraction

#: Whether the share must be exceeded (">") or reached (">=").
ThresholdRule = Literal[">", ">="]


def votes_needed(threshold: Threshold | None, rule: ThresholdRule | None, coders: int) -> tuple[int, str]:
    """Return the smallest number of votes that passes a threshold, and a description.

    The default is more than half; a given threshold must be reached, or with ``rule=">"`` exceeded.

    >>> votes_needed("4/7", None, 7), votes_needed(None, None, 6), votes_needed(0.5, ">=", 6)
    ((4, 'at least 4/7 of the coders: 4 of 7'), (4, 'more than 1/2 of the coders: 4 of 6'),
     (3, 'at least 1/2 of the coders: 3 of 6'))
    """
    try:
        share = Fraction(1, 2) if threshold is None else Fraction(threshold).limit_denominator(10_000)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise CaesuraError(f"threshold is {threshold!r}; expected a number such as 0.5 or 4/7.") from None
    chosen = rule or (">" if threshold is None else ">=")
    if chosen not in (">", ">="):
        raise CaesuraError(f"rule is {rule!r}; expected '>' (more than the threshold) or '>=' (at least).")
    if not (0 <= share < 1 if chosen == ">" else 0 < share <= 1):
        raise CaesuraError(
            f"threshold is {share} with the rule {chosen!r}; {'no' if share >= 1 else 'any'} number of votes would pass."
        )
    needed = share * coders
    votes = int(needed) + 1 if chosen == ">" else -int(-needed // 1)
    return votes, f"{'more than' if chosen == '>' else 'at least'} {share} of the coders: {votes} of {coders}"


class Vote(NamedTuple):
    """A segment with its voters; ``level`` is None if only the span counts."""

    first: int
    last: int
    level: int | None
    voters: tuple[str, ...]

    @property
    def votes(self) -> int:
        """The number of voters."""
        return len(self.voters)

    def __str__(self) -> str:
        level = "" if self.level is None else f" at level {self.level}"
        return f"({self.first}, {self.last}){level}"


class Conflict(NamedTuple):
    """Two segments that cannot be in one hierarchy: they ``cross``, or their levels contradict their nesting (``level``)."""

    first: Vote
    second: Vote
    kind: Literal["cross", "level"]

    def __str__(self) -> str:
        how = "cross" if self.kind == "cross" else "have contradictory levels"
        who = " and ".join(", ".join(vote.voters) for vote in (self.first, self.second))
        return f"{self.first} and {self.second} {how}: {who}"


@dataclass(frozen=True)
class Ballot:
    """Every distinct segment of several annotations with its voters, as columns in reading order.

    Attributes
    ----------
    coders : tuple of str
        The annotators.
    length : int
        The number of units.
    embeddedness : {"full", "flat"}
        Whether segments are equal only if their levels are.
    first, last, level : ndarray of int
        The segments; all levels are 0 if only spans count.
    starts, voters : ndarray of int
        The voters of segment ``i`` are ``voters[starts[i]:starts[i+1]]``, indices into ``coders``.
    steps : ndarray of int
        Pairs (level outside, segment) that occur in annotations.
    stacked : ndarray of int
        Pairs of segments with the same extent that an annotator put directly inside each other.
    units : tuple of str or None
        The units of the text.
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
        """Count the votes of annotations of one text.

        Parameters
        ----------
        coders : sequence of str
            The annotators.
        annotations : sequence of Hierarchy
            Their annotations, in the same order.
        embeddedness : {"full", "flat"}
            Whether segments are equal only if their levels are.
        """
        check_embeddedness(embeddedness)
        length = _common_length(coders, annotations)
        full = embeddedness == "full"
        rows = np.concatenate(
            [_rows_with_outer_level(number, hierarchy) for number, hierarchy in enumerate(annotations)]
        )
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
            stacked=_stacked_segments(rows, segment) if full else np.empty((0, 2), np.int64),
            units=next((hierarchy.units for hierarchy in annotations if hierarchy.units is not None), None),
        )

    def __len__(self) -> int:
        """Return the number of distinct segments."""
        return len(self.first)

    @cached_property
    def votes(self) -> NDArray[np.int64]:
        """The number of voters of each segment."""
        return np.diff(self.starts)

    def vote(self, row: int) -> Vote:
        """Return one segment with its voters."""
        voters = tuple(self.coders[v] for v in self.voters[self.starts[row] : self.starts[row + 1]].tolist())
        level = int(self.level[row]) if self.embeddedness == "full" else None
        return Vote(int(self.first[row]), int(self.last[row]), level, voters)

    def conflicting_votes(self) -> NDArray[np.int64]:
        """Return, for each segment, the votes of all segments in conflict with it."""
        from caesura.kernels.nested import crossing_weight

        out = np.zeros(len(self), np.int64)
        crossing_weight(self.first, self.last, self.level, self.votes, out)
        outer, inner = self.stacked.T
        np.subtract.at(out, outer, self.votes[inner])
        np.subtract.at(out, inner, self.votes[outer])
        return out

    def crossing_votes(self) -> NDArray[np.int64]:
        """Return, for each segment, the votes of all segments that cross it, whatever their levels."""
        from caesura.kernels.nested import crossing_weight

        out = np.zeros(len(self), np.int64)
        crossing_weight(self.first, self.last, np.zeros(len(self), np.int64), self.votes, out)
        return out

    def conflicts(self) -> Iterator[Conflict]:
        """Yield every two segments that cannot be in one hierarchy."""
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


def _common_length(coders: Sequence[str], annotations: Sequence[Hierarchy]) -> int:
    for coder, hierarchy in zip(coders, annotations, strict=True):
        if hierarchy.length != annotations[0].length:
            raise LengthMismatch(
                f"coder {coders[0]!r} annotated {annotations[0].length} units, coder {coder!r} {hierarchy.length}; "
                "expected annotations of one text."
            )
    return annotations[0].length


def _rows_with_outer_level(coder: int, hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Return rows of coder, first, last, level, and level of the enclosing segment (0 at the top)."""
    outside = np.array(
        [0 if parent < 0 else hierarchy.segments[parent, 2] for parent in hierarchy.parents], dtype=np.int64
    )
    return np.column_stack((np.full(len(hierarchy), coder, np.int64), hierarchy.segments, outside))


def _stacked_segments(rows: NDArray[np.int64], segment: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return pairs of segments with the same extent that one coder put directly inside each other, outer first."""
    order = np.lexsort((rows[:, 3], -rows[:, 2], rows[:, 1], rows[:, 0]))
    mine, numbers = rows[order], segment[order]
    same = (np.diff(mine[:, :3], axis=0) == 0).all(axis=1)
    return np.unique(np.stack((numbers[:-1][same], numbers[1:][same]), axis=1), axis=0).reshape(-1, 2)


# ---------------------------------------------------------------------- the heaviest selection without conflicts

#: The weight of a segment: its votes, its votes minus the votes in conflict with it, its votes if no annotator has a segment that
#: crosses it ("uncontested"; all others are left out), or a function of it.
Weight: TypeAlias = Literal["votes", "votes-conflicts", "uncontested"] | Callable[[Vote], float]

_MAX_SUM = 2**61  # sums of weights stay below the limit of 64-bit integers


def segment_weights(ballot: Ballot, weight: Weight) -> NDArray[np.int64]:
    """Return the weights of segments as integers, so that sums and ties are exact.

    Values of a function are scaled to integers: exactly if they fit, otherwise to 1 part in 2^61 / (sum of weights).
    """
    if weight == "votes":
        return ballot.votes
    if weight == "votes-conflicts":
        return ballot.votes - ballot.conflicting_votes()
    if weight == "uncontested":
        return np.where(ballot.crossing_votes() == 0, ballot.votes, 0)
    if not callable(weight):
        raise CaesuraError(
            f"weight is {weight!r}; expected 'votes', 'votes-conflicts', 'uncontested' or a function of a segment's votes."
        )
    given = [weight(ballot.vote(row)) for row in range(len(ballot))]
    for row, value in enumerate(given):
        if not isinstance(value, (int, float, np.number)) or not np.isfinite(value):
            raise CaesuraError(f"the weight of segment {ballot.vote(row)} is {value!r}; expected a finite number.")
    exact = [Fraction(value) for value in given]
    total = sum(map(abs, exact), Fraction(1))
    scale = lcm(*(value.denominator for value in exact))
    if total * scale > _MAX_SUM:
        scale = 2 ** (int(_MAX_SUM / total).bit_length() - 1)
    return np.array([round(value * scale) for value in exact], dtype=np.int64)


def heaviest_selection(
    ballot: Ballot, weights: NDArray[np.int64], rule: Literal["depth", "order"], among: NDArray[np.bool_] | None = None
) -> NDArray[np.bool_]:
    """Mark the selection with the greatest weight; ties go to more segments, more units covered, then the leftmost.

    ``among`` restricts the segments that may be chosen. Flat ballots have no levels, so they ignore the rule.
    """
    from caesura.kernels.nested import SpanOptions, heaviest_laminar

    rows = np.arange(len(ballot)) if among is None else np.flatnonzero(among)
    first, last = ballot.first[rows], ballot.last[rows]
    edges = np.unique(np.concatenate((first - 1, last, [0])))
    left, right = np.searchsorted(edges, first - 1), np.searchsorted(edges, last)
    gains = np.stack((weights[rows], np.ones(len(rows), np.int64), last - first + 1), axis=1)
    if ballot.embeddedness == "flat":
        inside = np.zeros(len(rows), np.int64)
        allowed = np.stack((inside, np.arange(len(rows))), axis=1)
        contexts = 1
    else:
        inside, allowed, contexts = _level_contexts(ballot, rows, rule)
    options = _options_by_context(allowed, left, right, inside, len(edges), contexts)
    chosen = np.zeros(len(rows), np.int64)
    spans = SpanOptions(left, right, inside, *options, *_stacked_rows(ballot, rows), len(edges))
    heaviest_laminar(spans, gains, contexts, chosen)
    marked = np.zeros(len(ballot), bool)
    marked[rows[chosen == 1]] = True
    return marked


def _level_contexts(
    ballot: Ballot, rows: NDArray[np.int64], rule: Literal["depth", "order"]
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Treat the levels as contexts (0 is the top), and list the segments allowed in each."""
    level = ballot.level[rows]
    known = np.unique(np.concatenate(([0], level)))
    inside = np.searchsorted(known, level)
    number = np.arange(len(rows))
    if rule == "order":
        pairs = [np.stack((np.full((inside > c).sum(), c), number[inside > c]), axis=1) for c in range(len(known))]
        return inside, np.concatenate(pairs), len(known)
    follows = np.isin(level - 1, known)
    regular = np.stack((np.searchsorted(known, level[follows] - 1), number[follows]), axis=1)
    place = np.full(len(ballot), -1)
    place[rows] = number
    steps = ballot.steps[(place[ballot.steps[:, 1]] >= 0) & np.isin(ballot.steps[:, 0], known)]
    observed = np.stack((np.searchsorted(known, steps[:, 0]), place[steps[:, 1]]), axis=1)
    return inside, np.unique(np.concatenate((regular, observed)), axis=0), len(known)


def _options_by_context(
    allowed: NDArray[np.int64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    inside: NDArray[np.int64],
    points: int,
    contexts: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Index the segments allowed in a context by left edge: shortest first, of one span the deepest first."""
    context, segment = allowed.T
    order = np.lexsort((-inside[segment], right[segment], left[segment], context))
    slot = (context * points + left[segment])[order]
    return np.searchsorted(slot, np.arange(contexts * points + 1)), segment[order].astype(np.int64)


def _stacked_rows(ballot: Ballot, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    place = np.full(len(ballot), -1)
    place[rows] = np.arange(len(rows))
    pairs = place[ballot.stacked]
    pairs = pairs[(pairs >= 0).all(axis=1)]
    pairs = pairs[
        np.lexsort((-pairs[:, 1], pairs[:, 0]))
    ]  # the deepest level first, because the kernel takes the last of equals
    return np.searchsorted(pairs[:, 0], np.arange(len(rows) + 1)), pairs[:, 1].astype(np.int64)


# ---------------------------------------------------------------------- methods


def consensus(ballot: Ballot) -> GoldHierarchy:
    """Keep the segments that every annotator has."""
    return _keep_voted(ballot, len(ballot.coders), "consensus", f"all {len(ballot.coders)} coders")


def majority(ballot: Ballot, threshold: Threshold | None = None, rule: ThresholdRule | None = None) -> GoldHierarchy:
    """Keep the segments that more than half, or a given share, of the annotators have.

    Two segments with more than half of the votes share a voter, so they never cross. With a lower threshold they may; then the
    selection with most votes is kept, and a note says so.
    """
    votes, words = votes_needed(threshold, rule, len(ballot.coders))
    return _keep_voted(ballot, votes, "majority", words)


def conflict_free_union(ballot: Ballot, weight: Weight = "votes") -> GoldHierarchy:
    """Keep the selection of segments without conflicts that has the greatest weight.

    If other selections have the same weight, a note says so, and ``provenance.details["ties"]`` lists them.
    """
    weights = segment_weights(ballot, weight)
    among = weights > 0 if weight == "uncontested" else None
    kept = heaviest_selection(ballot, weights, "depth", among)
    named = weight if isinstance(weight, str) else getattr(weight, "__name__", "a function")
    rule = f"the heaviest non-crossing selection by {named}"
    ties = tied_selections(ballot, weights, kept, among)
    if not ties:
        return _gold_standard(ballot, kept, "conflict-free-union", rule)
    exchanged = [
        {"with": [ballot.vote(r)[:3] for r in np.flatnonzero(other & ~kept).tolist()],
         "without": [ballot.vote(r)[:3] for r in np.flatnonzero(kept & ~other).tolist()]}
        for other in ties
    ]  # fmt: skip
    first = ", ".join(str(ballot.vote(r)) for r in np.flatnonzero(ties[0] & ~kept).tolist())
    gone = ", ".join(str(ballot.vote(r)) for r in np.flatnonzero(kept & ~ties[0]).tolist()) or "nothing"
    note = (
        f"{pluralize(len(ties), 'other selection')} of the same weight, such as {first} instead of {gone}; "
        "this one has more segments, covers more, or comes first. All are in the provenance."
    )
    return _gold_standard(ballot, kept, "conflict-free-union", rule, (note,), {"ties": exchanged})


_MAX_TIED = (
    600  # segments of a text in which ties are looked for: one selection is found for each segment that was left out
)


def tied_selections(
    ballot: Ballot, weights: NDArray[np.int64], kept: NDArray[np.bool_], among: NDArray[np.bool_] | None = None
) -> list[NDArray[np.bool_]]:
    """Return other selections of the same weight: for each segment that was left out, the best one that has it, if it is as heavy.

    Of several such selections with the same segment one is returned. Nothing is tried in texts with more than 600 distinct segments.
    """
    best, must = int(weights[kept].sum()), int(np.abs(weights).sum()) + 1
    if (
        len(ballot) > _MAX_TIED or 2 * must >= _MAX_SUM
    ):  # weights scaled to the limit leave no weight for a segment that must be chosen
        return []
    found: list[NDArray[np.bool_]] = []
    seen: set[int] = set()
    left_out = ~kept if among is None else ~kept & among
    for row in np.flatnonzero(left_out).tolist():
        if row in seen:
            continue
        raised = weights.copy()
        raised[row] += must
        other = heaviest_selection(ballot, raised, "depth", among)
        if other[row] and int(weights[other].sum()) == best:
            found.append(other)
            seen.update(np.flatnonzero(other & ~kept).tolist())
    return found


def _keep_voted(ballot: Ballot, votes: int, method: str, words: str) -> GoldHierarchy:
    passed = ballot.votes >= votes
    kept = passed if 2 * votes > len(ballot.coders) else heaviest_selection(ballot, ballot.votes, "order", passed)
    left = int(passed.sum() - kept.sum())
    notes = (f"{left} segments have enough votes but conflict with others; the selection with most votes is kept.",)
    return _gold_standard(ballot, kept, method, words, notes if left else ())


def _gold_standard(
    ballot: Ballot,
    kept: NDArray[np.bool_],
    method: str,
    rule: str,
    notes: tuple[str, ...] = (),
    details: dict[str, Any] | None = None,
) -> GoldHierarchy:
    if not kept.any():
        why = "there are no segments" if not len(ballot) else "no segment has enough votes"
        notes = (*notes, f"{why}: the gold standard is empty.")
    accepted = tuple(ballot.vote(row) for row in np.flatnonzero(kept).tolist())
    rejected = tuple(ballot.vote(row) for row in np.flatnonzero(~kept).tolist())
    rule = f"{rule}, {'span and level' if ballot.embeddedness == 'full' else 'span alone'}"
    provenance = Provenance(method, rule, ballot.coders, accepted, rejected, notes, details or {}, ballot)
    spans = [(v.first, v.last) if v.level is None else (v.first, v.last, v.level) for v in accepted]
    return GoldHierarchy.of(Hierarchy.from_spans(spans, length=ballot.length, units=ballot.units), provenance)
