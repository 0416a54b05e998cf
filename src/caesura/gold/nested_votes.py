"""Unifying nested annotations: consensus, majority, and the conflict-free union of Carbone, Gal, Shieber & Grosz (2004)."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.gold.gold_standard import GoldHierarchy, Provenance
from caesura.gold.selection import Weight, heaviest, weigh
from caesura.gold.votes import Ballot
from caesura.model import Hierarchy

#: The share of annotators that must have a segment: a number, or a fraction in words ("4/7").
Threshold = float | str | Fraction

#: Whether the share must be exceeded or only reached.
Rule = Literal[">", ">="]


def enough(threshold: Threshold | None, rule: Rule | None, coders: int) -> tuple[int, str]:
    """Turn a share into the least number of votes that passes, and into words.

    By default more than half; a threshold that is given must be reached (``rule=">"``: exceeded).

    >>> enough("4/7", None, 7), enough(None, None, 6), enough(0.5, ">=", 6)
    ((4, 'at least 4/7 of the coders: 4 of 7'), (4, 'more than 1/2 of the coders: 4 of 6'),
     (3, 'at least 1/2 of the coders: 3 of 6'))
    """
    try:
        share = Fraction(1, 2) if threshold is None else Fraction(threshold).limit_denominator(10_000)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise CaesuraError(f"threshold is {threshold!r}; expected a share such as 0.5 or 4/7.") from None
    chosen = rule or (">" if threshold is None else ">=")
    if chosen not in (">", ">="):
        raise CaesuraError(f"rule is {rule!r}; expected '>' (more than the threshold) or '>=' (at least).")
    if not (0 <= share < 1 if chosen == ">" else 0 < share <= 1):
        raise CaesuraError(
            f"threshold is {share} with the rule {chosen!r}; expected a share of the coders that can pass."
        )
    needed = share * coders
    votes = int(needed) + 1 if chosen == ">" else -int(-needed // 1)
    return votes, f"{'more than' if chosen == '>' else 'at least'} {share} of the coders: {votes} of {coders}"


def consensus(ballot: Ballot) -> GoldHierarchy:
    """Keep the segments that every annotator has."""
    return _passing(ballot, len(ballot.coders), "consensus", f"all {len(ballot.coders)} coders")


def majority(ballot: Ballot, threshold: Threshold | None = None, rule: Rule | None = None) -> GoldHierarchy:
    """Keep the segments that more than half have, or the share that is given.

    Two segments of more than half share a voter, so they never cross. With a lower threshold they may: then the heaviest
    selection among those that passed is kept, and a note says so.
    """
    votes, words = enough(threshold, rule, len(ballot.coders))
    return _passing(ballot, votes, "majority", words)


def conflict_free_union(ballot: Ballot, weight: Weight = "votes") -> GoldHierarchy:
    """Keep, of all segments of all annotators, the non-crossing selection with most votes."""
    kept = heaviest(ballot, weigh(ballot, weight), "depth")
    named = weight if isinstance(weight, str) else getattr(weight, "__name__", "a function")
    return _gold_of(ballot, kept, "conflict-free-union", f"the heaviest non-crossing selection by {named}")


def _passing(ballot: Ballot, votes: int, method: str, words: str) -> GoldHierarchy:
    passed = ballot.votes >= votes
    kept = passed if 2 * votes > len(ballot.coders) else heaviest(ballot, ballot.votes, "order", passed)
    left = int(passed.sum() - kept.sum())
    notes = (f"{left} segments passed but conflict with others that passed; the selection with most votes is kept.",)
    return _gold_of(ballot, kept, method, words, notes if left else ())


def _gold_of(
    ballot: Ballot, kept: NDArray[np.bool_], method: str, rule: str, notes: tuple[str, ...] = ()
) -> GoldHierarchy:
    if not kept.any():
        why = "nobody marked a segment" if not len(ballot) else "no segment has enough votes"
        notes = (*notes, f"{why}: the gold standard is empty.")
    accepted = tuple(ballot.vote(row) for row in np.flatnonzero(kept).tolist())
    rejected = tuple(ballot.vote(row) for row in np.flatnonzero(~kept).tolist())
    rule = f"{rule}, {'span and level' if ballot.embeddedness == 'full' else 'span alone'}"
    provenance = Provenance(method, rule, ballot.coders, accepted, rejected, notes, ballot=ballot)
    spans = [(v.first, v.last) if v.level is None else (v.first, v.last, v.level) for v in accepted]
    return GoldHierarchy.of(Hierarchy.from_spans(spans, length=ballot.length, units=ballot.units), provenance)
