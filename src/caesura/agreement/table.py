"""Agreement place by place, for comparison: every potential boundary is a decision, and a near miss is a plain miss.

Only the places where somebody put a boundary are looked at; at all others the coders agree that there is none.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from caesura.model import Corpus

__all__ = ["krippendorff", "majority"]


def krippendorff(corpus: Corpus) -> tuple[float, float]:
    """Krippendorff's α with two nominal values, boundary or none, as (observed, expected) agreement.

    .. math:: \\alpha = 1 - \\frac{D_o}{D_e}, \\quad D_o = \\frac{1}{n}\\sum_u \\frac{2\\, n_{1u} n_{0u}}{m_u - 1}, \\quad
              D_e = \\frac{2\\, n_1 n_0}{n (n - 1)}

    over the places u that two coders or more looked at, m_u values each, n in all.
    """
    counts, coders, places = _counted(corpus)
    values = float((coders * places).sum())
    ones = float(sum(found.sum() for found, of in zip(counts, coders, strict=True) if of > 1))
    observed = sum(
        float((2 * found * (of - found)).sum() / (of - 1)) for found, of in zip(counts, coders, strict=True) if of > 1
    )
    if values < 2:
        return 1.0, 0.0
    by_chance = 2 * ones * (values - ones) / (values * (values - 1))
    if by_chance == 0:
        return 1.0, 0.0
    return 1.0 - observed / values, 1.0 - by_chance


def majority(corpus: Corpus) -> tuple[float, float]:
    """Percentage agreement with the majority (Gale et al. 1992; Hearst 1997): decisions that most coders share, over all."""
    counts, coders, places = _counted(corpus)
    with_most = sum(
        float(np.maximum(found, of - found).sum() + of * (here - len(found)))
        for found, of, here in zip(counts, coders, places, strict=True)
        if of > 1
    )
    decisions = float((coders * places).sum())
    return (with_most / decisions if decisions else 1.0), 0.0


def _counted(corpus: Corpus) -> tuple[list[NDArray[np.int64]], NDArray[np.int64], NDArray[np.int64]]:
    """Return, for every track, how many coders have each place that somebody has, the coders, and the places.

    A track that one coder alone looked at has no decision to share, so it counts no places.
    """
    stream = corpus.item_of * len(corpus.tracks) + corpus.track_of
    owners = np.repeat(stream, np.diff(corpus.offsets))
    who = np.repeat(corpus.coder_of, np.diff(corpus.offsets))
    inside = corpus.positions < np.repeat(corpus.lengths, np.diff(corpus.offsets))
    marks = np.unique(np.stack((owners[inside], corpus.positions[inside], who[inside])), axis=1)
    at, found = np.unique(marks[:2], axis=1, return_counts=True)
    names, first, coders = np.unique(stream, return_index=True, return_counts=True)
    edges = np.searchsorted(at[0], np.append(names, names[-1] + 1 if len(names) else 0))
    counts = [found[a:b] for a, b in pairwise(edges)]
    places = np.where(coders > 1, np.maximum(corpus.lengths[first] - 1, 0), 0)
    return counts, coders, places
