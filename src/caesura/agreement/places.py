"""Agreement place by place, for comparison: every potential boundary is a decision, and a near miss is a plain miss.

Only the places where somebody put a boundary are looked at; at all others the coders agree that there is none. What is counted adds
up over items, so intervals need no second count.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from caesura.model import Corpus


def krippendorff(sums: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Krippendorff's α with two nominal values, boundary or none, as (observed, expected) agreement.

    .. math:: \\alpha = 1 - \\frac{D_o}{D_e}, \\quad D_o = \\frac{1}{n}\\sum_u \\frac{2\\, n_{1u} n_{0u}}{m_u - 1}, \\quad
              D_e = \\frac{2\\, n_1 n_0}{n (n - 1)}

    over the places u that two coders or more looked at, m_u values each, n in all.
    """
    values, ones, apart = sums[..., 0], sums[..., 1], sums[..., 2]
    below = values * (values - 1)
    by_chance = np.where(below > 0, 2 * ones * (values - ones) / np.where(below > 0, below, 1.0), 0.0)
    some = by_chance > 0
    observed = np.where(some, 1.0 - apart / np.where(values > 0, values, 1.0), 1.0)
    return observed, np.where(some, 1.0 - by_chance, 0.0)


def majority(sums: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Percentage agreement with the majority (Gale et al. 1992; Hearst 1997): decisions that most coders share, over all."""
    decisions = sums[..., 0]
    share = np.where(decisions > 0, sums[..., 3] / np.where(decisions > 0, decisions, 1.0), 1.0)
    return share, np.zeros_like(share)


@dataclass(frozen=True, eq=False)
class Decisions:
    """Who decided for a boundary at which place.

    Sums have four columns: decisions, boundaries, disagreement (over m_u - 1), and decisions that the majority shares.
    """

    corpus: Corpus

    @cached_property
    def _streams(self) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.float64]]:
        """Of every track: its number, who annotated it, how many places it has."""
        corpus = self.corpus
        stream = corpus.item_of * len(corpus.tracks) + corpus.track_of
        names, first, which = np.unique(stream, return_index=True, return_inverse=True)
        who = np.zeros((len(names), len(corpus.coders)), bool)
        who[which, corpus.coder_of] = True
        return names, who, np.maximum(corpus.lengths[first] - 1, 0).astype(np.float64)

    @cached_property
    def _places(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Of every place with a boundary: its track, and who put one there."""
        corpus = self.corpus
        counts = np.diff(corpus.offsets)
        inside = corpus.positions < np.repeat(corpus.lengths, counts)
        stream = np.repeat(corpus.item_of * len(corpus.tracks) + corpus.track_of, counts)[inside]
        reach = int(corpus.lengths.max(initial=0)) + 1
        keys, which = np.unique(stream * reach + corpus.positions[inside], return_inverse=True)
        marked = np.zeros((len(keys), len(corpus.coders)), bool)
        marked[which, np.repeat(corpus.coder_of, counts)[inside]] = True
        return np.searchsorted(self._streams[0], keys // reach), marked

    def sums(self, without: int | None = None) -> NDArray[np.float64]:
        """Add up per item, over all coders or without one; a track that one coder alone looked at has no decision to share."""
        streams, who, places = self._streams
        track, marked = self._places
        coders, votes = who.sum(axis=1), marked.sum(axis=1)
        if without is not None:
            coders, votes = coders - who[:, without], votes - marked[:, without]
        of = coders[track]
        shared = (of > 1) & (votes > 0)
        track, votes, of = track[shared], votes[shared], of[shared]
        decisions = np.where(coders > 1, coders * places, 0.0)

        def per_track(values: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.bincount(track, weights=values, minlength=len(streams)).astype(np.float64, copy=False)

        columns = (
            decisions,
            per_track(votes),
            per_track(2 * votes * (of - votes) / (of - 1)),
            decisions + per_track(np.maximum(votes, of - votes) - of),
        )
        item = streams // len(self.corpus.tracks)
        return np.stack([np.bincount(item, weights=c, minlength=len(self.corpus.items)) for c in columns], axis=1)
