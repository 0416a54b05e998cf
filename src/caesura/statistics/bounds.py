"""Bounds: what chance and carelessness score, and what people score against each other.

A number means little without them. The lower bounds keep the reference's texts and replace its marks: none, all, evenly spaced,
drawn at random with the same density, or with the same segment sizes in another order. The upper bound is one coder against another. Every
registered segmenter of text serves as a bound too: what a program does that has never seen the reference.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, UnknownName
from caesura.model import Annotation, Corpus, Pairs, Segmentation

Place: TypeAlias = "Callable[[np.random.Generator, int, int, NDArray[Any]], NDArray[np.int64]]"


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


#: The bound that is no baseline: people against each other.
HUMAN = "human"


def usual_bounds(reference: Corpus) -> list[str]:
    """Name what is measured where bounds are asked for without naming any: baselines, and people where several coded one item."""
    return [*BASELINES, *([HUMAN] if len(Pairs.among_coders(reference)) else [])]


def bound(name: str, reference: Corpus, *, seed: int = 0) -> Corpus:
    """Place boundaries in the reference's texts by a baseline, or by a registered segmenter of text.

    A segmenter gets as many segments as the coders of a text have on average, rounded; where boundaries have types, the most frequent one.

    >>> from caesura.model import Segmentation
    >>> gold = Corpus.from_dict({"a": {"ann": Segmentation.parse("ships sail | bread bakes | bread rises")}})
    >>> bound("c99", gold).coders
    ('c99',)
    """
    return baseline(name, reference, seed=seed) if name in BASELINES else _segment(name, reference, seed)


def _segment(name: str, reference: Corpus, seed: int) -> Corpus:
    from caesura.segmenters.catalog import SEGMENTERS, check_medium, segmenter, segmenter_names

    if name not in SEGMENTERS:
        raise UnknownName("bound", name, [*BASELINES, *segmenter_names("text")])
    _check_units(reference)
    if not reference.texts:
        raise CaesuraError(
            f"{name} segments texts, and the reference carries none; baselines need none: {', '.join(BASELINES)}."
        )
    seeded = {"seed": seed} if "seed" in inspect.signature(SEGMENTERS[name]).parameters else {}
    by, types, annotations = segmenter(check_medium(name, "text"), **seeded), reference.types, []
    for _, annotation in _first_of_each_text(reference):
        key = (annotation.item, annotation.track)
        if key not in reference.texts:
            raise CaesuraError(f"the reference carries no text of {annotation.item!r}; {name} needs it.")
        coders = [len(a.marks) for a in reference.select(items=[annotation.item]) if a.track == annotation.track]
        marks = by.segment(reference.texts[key], round(float(np.mean(coders))))
        codes = None if types is None else _most_frequent(types, len(marks.positions))
        length, called = int(annotation.marks.length), _names(reference, len(reference.texts[key]), marks.positions)
        placed = Segmentation(length, marks.positions, codes, reference.labels, names=called)
        annotations.append(Annotation(annotation.item, name, placed, annotation.track))
    return Corpus.from_annotations(annotations, labels=reference.labels)


def baseline(name: str, reference: Corpus, *, seed: int = 0) -> Corpus:
    """Place boundaries in the reference's texts as the baseline does; the first coder of each text sets density and sizes.

    >>> gold = Corpus.from_dict({"a": {"ann": [2, 3, 6]}})
    >>> baseline("uniform", gold)["a", "uniform"].masses
    [4, 3, 4]
    """
    if name not in BASELINES:
        raise CaesuraError(f"there is no baseline {name!r}; known: {', '.join(BASELINES)}.")
    _check_units(reference)
    sizes, types = _sizes(reference), reference.types
    streams = np.random.SeedSequence(seed).spawn(len(reference))
    annotations = []
    for row, annotation in _first_of_each_text(reference):
        length = int(annotation.marks.length)
        assert isinstance(annotation.marks, Segmentation)
        boundaries = max(len(annotation.marks) - 1, 0)
        random = np.random.default_rng(streams[row])
        where = BASELINES[name](random, length, boundaries, sizes) if length else np.empty(0, np.int64)
        codes = None if types is None else _types(name, random, types, len(where))
        marks = Segmentation(length, where, codes, reference.labels, names=_names(reference, length, where))
        annotations.append(Annotation(annotation.item, name, marks, annotation.track))
    return Corpus.from_annotations(annotations, labels=reference.labels)


def _check_units(reference: Corpus) -> None:
    if reference.kind != "units":
        raise CaesuraError(f"baselines are placed between units; this corpus holds {reference.kind}.")


def _first_of_each_text(reference: Corpus) -> Iterator[tuple[int, Annotation]]:
    """Yield the annotation of the first coder of each text, with its row."""
    seen: set[tuple[str, str]] = set()
    for row, annotation in enumerate(reference):
        key = (annotation.item, annotation.track)
        if key not in seen:
            seen.add(key)
            yield row, annotation


def _types(name: str, random: np.random.Generator, types: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    """Types for placed boundaries: the most frequent one for degenerate baselines, drawn from the reference's for random ones."""
    if not len(types):
        return np.zeros(number, np.int64)
    if name in DEGENERATE:
        return _most_frequent(types, number)
    return random.choice(types, size=number)


def _most_frequent(types: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    values, counts = np.unique(types, return_counts=True)
    return np.full(number, values[np.argmax(counts)] if len(values) else 0)


def _names(reference: Corpus, length: int, where: NDArray[np.int64]) -> list[str] | None:
    """Call every segment in between by the most frequent name, where the reference has names."""
    names = Counter(name for row in reference.names.values() for name in row).most_common(1)
    return [names[0][0]] * (len(where) + 1) if names and length else None


def _sizes(reference: Corpus) -> NDArray[Any]:
    all_masses = [annotation.marks.masses for annotation in reference if isinstance(annotation.marks, Segmentation)]
    return np.array([size for masses in all_masses for size in masses], dtype=np.int64)
