"""Coders made by chance, as in section 5 of Fournier (2013): copies of one random segmentation with near and full misses.

A base segmentation takes its segments' sizes from real coders. A pseudo-coder copies it boundary by boundary: with one
probability a boundary is put one place off (a near miss), with another it is a full miss, which is either left out, or
kept while another boundary is added somewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.answer import combine
from caesura.agreement.coefficients import shared_rate
from caesura.agreement.sums import Coding
from caesura.metrics import Metric
from caesura.model import Annotation, Corpus, Segmentation
from caesura.statistics import CountedPairs


@dataclass(frozen=True)
class Copied:
    """How pseudo-coders err: probabilities of a near and of a full miss, and the share of full misses that leave out."""

    near: float
    full: float
    omitted: float = 0.5


def random_segmentation(sizes: NDArray[np.int64], units: int, random: np.random.Generator) -> Segmentation:
    """Draw segments of these sizes until the text is full; the last one is cut off."""
    drawn = np.cumsum(random.choice(sizes, size=units))
    return Segmentation.from_positions(drawn[drawn < units], length=units)


def make_pseudo_corpus(base: Segmentation, coders: int, how: Copied, random: np.random.Generator) -> Corpus:
    """Make coders that copy ``base`` with errors."""
    return _corpus([_copy(base, how, random) for _ in range(coders)])


def make_random_corpus(sizes: NDArray[np.int64], units: int, coders: int, random: np.random.Generator) -> Corpus:
    """Make coders that have nothing in common but the sizes of their segments."""
    return _corpus([random_segmentation(sizes, units, random) for _ in range(coders)])


def agreement_by_coders(corpus: Corpus, metric: Metric, numbers: list[int]) -> list[float]:
    """Multi-π of the first two, three … coders, as the program of 2013 had it; every pair is compared once."""
    coding = Coding(CountedPairs.among_coders(corpus), metric)
    sums = coding.among(np.arange(len(corpus.coders)) < np.array(numbers)[:, None])
    values: list[float] = combine("ratio", coding.similarity(sums.parts), shared_rate(sums, "segments")).tolist()
    return values


def _copy(base: Segmentation, how: Copied, random: np.random.Generator) -> Segmentation:
    length = int(base.length)
    drawn = random.random(len(base.positions))
    full = drawn < how.full
    near = ~full & (drawn < how.full + how.near * (1 - how.full))
    left_out = full & (random.random(len(drawn)) < how.omitted)
    moved = base.positions + np.where(near, random.choice([-1, 1], size=len(drawn)), 0)
    kept = set(np.clip(moved[~left_out], 1, length - 1).tolist())
    added = int((full & ~left_out).sum())
    free = np.setdiff1d(np.arange(1, length), np.fromiter(kept, np.int64, len(kept)))
    kept.update(random.choice(free, size=min(added, len(free)), replace=False).tolist())
    return Segmentation.from_positions(sorted(kept), length=length)


def _corpus(codings: list[Segmentation]) -> Corpus:
    return Corpus.from_annotations(Annotation("novel", f"coder {i + 1}", marks) for i, marks in enumerate(codings))
