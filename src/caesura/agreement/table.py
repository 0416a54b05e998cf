"""Agreement place by place, for comparison: every potential boundary is a decision, and a near miss is a plain miss.

Only the places where somebody put a boundary are looked at; at all others the coders agree that there is none. What is counted adds
up over items, so intervals need no second count.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura.model import Corpus

__all__ = ["krippendorff", "majority", "placed"]


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


def placed(corpus: Corpus) -> NDArray[np.float64]:
    """Count, for every item: decisions, boundaries, disagreement (over m_u - 1), and decisions that the majority shares.

    A track that one coder alone looked at has no decision to share, so it counts nothing.
    """
    counts = np.diff(corpus.offsets)
    stream = corpus.item_of * len(corpus.tracks) + corpus.track_of
    names, first, coders = np.unique(stream, return_index=True, return_counts=True)
    inside = corpus.positions < np.repeat(corpus.lengths, counts)
    marks = np.stack((np.repeat(stream, counts), corpus.positions, np.repeat(corpus.coder_of, counts)))[:, inside]
    at, found = np.unique(np.unique(marks, axis=1)[:2], axis=1, return_counts=True)
    which = np.searchsorted(names, at[0])
    of = coders[which]
    shared = of > 1
    which, found, of = which[shared], found[shared], of[shared]
    places = np.where(coders > 1, np.maximum(corpus.lengths[first] - 1, 0), 0)
    tracks = np.zeros((len(names), 4))
    tracks[:, 0] = coders * places
    tracks[:, 3] = coders * places
    np.add.at(tracks[:, 1], which, found)
    np.add.at(tracks[:, 2], which, 2 * found * (of - found) / (of - 1))
    np.add.at(tracks[:, 3], which, np.maximum(found, of - found) - of)
    sums = np.zeros((len(corpus.items), 4))
    np.add.at(sums, names // len(corpus.tracks), tracks)
    return sums
