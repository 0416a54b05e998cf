"""Coder × coder heat map: who agrees with whom."""

from __future__ import annotations

import numpy as np

from caesura.display.heat_map import HeatMap
from caesura.display.scene import Picture
from caesura.drawings.pairwise import pair_rows, spelled
from caesura.model import Corpus

__all__ = ["draw_matrix"]


def draw_matrix(corpus: Corpus, *, metric: str | None = None) -> Picture:
    """Draw the pooled score of every two coders by one metric."""
    counts = pair_rows(corpus, metric)
    low, high = counts.metric.bounds
    scale = (low, high) if np.isfinite([low, high]).all() else None
    return HeatMap(counts.matrix(len(corpus.coders)), corpus.coders, spelled(counts.metric), scale)
