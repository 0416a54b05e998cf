"""Vectors of units for cuts and exemplars: counts weighed by how rare a word is among parts of the text, smoothed with what follows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura.segmenters.text.tokens import Bags


def weighted_counts(bags: Bags, parts: int) -> NDArray[np.float64]:
    """Counts times tf-idf, the text cut into ``parts`` equal parts in place of documents (Malioutov & Barzilay 2006).

    The weight of word w in part s is ``tf(w, s) log(parts / parts that hold w)``; parts have floor(n / parts) units, the last takes the rest.
    """
    counts = bags.vectors()
    n = len(counts)
    parts = max(1, min(parts, n))
    part_of = np.minimum(np.arange(n) // max(n // parts, 1), parts - 1)
    frequencies = np.zeros((parts, counts.shape[1]))
    np.add.at(frequencies, part_of, counts)
    holding = np.maximum((frequencies > 0).sum(axis=0), 1)
    weights = frequencies * np.log(parts / holding)
    return np.asarray(counts * weights[part_of], np.float64)


def smooth(vectors: NDArray[np.float64], alpha: float, reach: int, both: bool = False) -> NDArray[np.float64]:
    """Add to each unit what follows it within ``reach`` units (itself counted), weighed by exp(-alpha d); with ``both``, what precedes too."""
    smoothed = vectors.copy()
    for distance in range(1, min(reach, len(vectors))):
        weight = np.exp(-alpha * distance)
        smoothed[:-distance] += weight * vectors[distance:]
        if both:
            smoothed[distance:] += weight * vectors[:-distance]
    return smoothed


def cosine_similarities(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cosines of all pairs of rows, 0 where one has no length."""
    norms = np.sqrt((vectors**2).sum(axis=1))
    unit = vectors / np.where(norms > 0, norms, 1.0)[:, None]
    return np.asarray(np.clip(unit @ unit.T, -1.0, 1.0), np.float64)
