"""Bounds: what chance and carelessness score, and what people score against each other.

A number means little without them. The lower bounds keep the reference's texts and replace its marks: none, all, evenly spaced,
drawn at random with the same density, or with the same segment sizes in another order. The upper bound is one coder against another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.model import Annotation, Corpus, Segmentation

Place = Callable[[np.random.Generator, int, int, NDArray[Any]], NDArray[np.int64]]


def _none(_: np.random.Generator, length: int, boundaries: int, sizes: NDArray[Any]) -> NDArray[np.int64]:
    return np.empty(0, np.int64)


def _all(_: np.random.Generator, length: int, boundaries: int, sizes: NDArray[Any]) -> NDArray[np.int64]:
    return np.arange(1, length)


def _uniform(_: np.random.Generator, length: int, boundaries: int, sizes: NDArray[Any]) -> NDArray[np.int64]:
    spaced = np.rint(np.arange(1, boundaries + 1) * length / (boundaries + 1)).astype(np.int64)
    return np.unique(np.clip(spaced, 1, max(length - 1, 1)))[: max(length - 1, 0)]


def _random(random: np.random.Generator, length: int, boundaries: int, sizes: NDArray[Any]) -> NDArray[np.int64]:
    return (
        np.sort(random.choice(length - 1, size=boundaries, replace=False) + 1) if boundaries else np.empty(0, np.int64)
    )


def _shuffle_sizes(random: np.random.Generator, length: int, boundaries: int, sizes: NDArray[Any]) -> NDArray[np.int64]:
    """Draw segment sizes from the whole reference until the text is full."""
    ends = np.cumsum(random.choice(sizes, size=length))
    return ends[ends < length]


#: Name -> how it places boundaries, given (random, length, the reference's number of boundaries, all segment sizes of the corpus).
BASELINES: dict[str, Place] = {
    "none": _none,
    "all": _all,
    "uniform": _uniform,
    "random density": _random,
    "random sizes": _shuffle_sizes,
}

#: Baselines that know nothing at all: a metric that prefers one of them to a system deserves a warning.
DEGENERATE = ("none", "all", "uniform")


def baseline(name: str, reference: Corpus, *, seed: int = 0) -> Corpus:
    """Place boundaries in the reference's texts as the baseline does; the first coder of each text sets density and sizes.

    >>> gold = Corpus.from_dict({"a": {"ann": [2, 3, 6]}})
    >>> baseline("uniform", gold)["a", "uniform"].masses
    [4, 3, 4]
    """
    if name not in BASELINES:
        raise CaesuraError(f"there is no baseline {name!r}; known: {', '.join(BASELINES)}.")
    if reference.kind != "units":
        raise CaesuraError(f"baselines are placed between units; this corpus holds {reference.kind}.")
    sizes, types = _sizes(reference), reference.types
    streams = np.random.SeedSequence(seed).spawn(len(reference))
    seen: set[tuple[str, str]] = set()
    annotations = []
    for row, annotation in enumerate(reference):
        key = (annotation.item, annotation.track)
        if key in seen:
            continue
        seen.add(key)
        length = int(annotation.marks.length)
        assert isinstance(annotation.marks, Segmentation)
        boundaries = max(len(annotation.marks) - 1, 0)
        random = np.random.default_rng(streams[row])
        where = BASELINES[name](random, length, boundaries, sizes) if length else np.empty(0, np.int64)
        codes = None if types is None else _types(name, random, types, len(where))
        marks = Segmentation(length, where, codes, reference.labels)
        annotations.append(Annotation(annotation.item, name, marks, annotation.track))
    return Corpus.from_annotations(annotations, labels=reference.labels)


def _types(name: str, random: np.random.Generator, types: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    """Types for placed boundaries: the most frequent one for degenerate baselines, drawn from the reference's for random ones."""
    if not len(types):
        return np.zeros(number, np.int64)
    if name in DEGENERATE:
        values, counts = np.unique(types, return_counts=True)
        return np.full(number, values[np.argmax(counts)])
    return random.choice(types, size=number)


def _sizes(reference: Corpus) -> NDArray[Any]:
    all_masses = [annotation.marks.masses for annotation in reference if isinstance(annotation.marks, Segmentation)]
    return np.array([size for masses in all_masses for size in masses], dtype=np.int64)
