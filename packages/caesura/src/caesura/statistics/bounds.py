"""Bounds to compare scores with: baselines, human agreement, and segmenters.

Baselines keep the reference's texts and place boundaries nowhere, everywhere, evenly, at random with the same density, or with
random segment sizes of the reference. The upper bound is the agreement of human coders. Every registered segmenter of text is a
bound too: a program that has not seen the reference.
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
from caesura.model.corpus import KIND_NOUNS

BoundaryPlacement: TypeAlias = "Callable[[np.random.Generator, int, int, NDArray[Any]], NDArray[np.int64]]"


def _place_none(_: np.random.Generator, length: int, boundaries: int, sizes: NDArray[Any]) -> NDArray[np.int64]:
    return np.empty(0, np.int64)


def _place_all(_: np.random.Generator, length: int, boundaries: int, sizes: NDArray[Any]) -> NDArray[np.int64]:
    return np.arange(1, length)


def _place_uniformly(_: np.random.Generator, length: int, boundaries: int, sizes: NDArray[Any]) -> NDArray[np.int64]:
    spaced = np.rint(np.arange(1, boundaries + 1) * length / (boundaries + 1)).astype(np.int64)
    return np.unique(np.clip(spaced, 1, max(length - 1, 1)))[: max(length - 1, 0)]


def _place_at_random(
    random: np.random.Generator, length: int, boundaries: int, sizes: NDArray[Any]
) -> NDArray[np.int64]:
    return (
        np.sort(random.choice(length - 1, size=boundaries, replace=False) + 1) if boundaries else np.empty(0, np.int64)
    )


def _draw_sizes(random: np.random.Generator, length: int, boundaries: int, sizes: NDArray[Any]) -> NDArray[np.int64]:
    """Draw segment sizes from the whole reference until they fill the text."""
    ends = np.cumsum(random.choice(sizes, size=length))
    return ends[ends < length]


#: Name -> function that places boundaries, given (random, length, number of the reference's boundaries, its segment sizes).
BASELINES: dict[str, BoundaryPlacement] = {
    "none": _place_none,
    "all": _place_all,
    "uniform": _place_uniformly,
    "random density": _place_at_random,
    "random sizes": _draw_sizes,
}

#: The same for recordings, where positions are seconds; "all" boundaries of a recording are not countable.
TIME_BASELINES: dict[str, Callable[[np.random.Generator, float, int, NDArray[Any]], NDArray[np.float64]]] = {
    "none": lambda random, length, boundaries, sizes: np.empty(0),
    "uniform": lambda random, length, boundaries, sizes: np.arange(1, boundaries + 1) * length / (boundaries + 1),
    "random density": lambda random, length, boundaries, sizes: np.sort(random.random(boundaries)) * length,
    "random sizes": lambda random, length, boundaries, sizes: _draw_durations(random, length, sizes),
}


def _draw_durations(random: np.random.Generator, length: float, sizes: NDArray[Any]) -> NDArray[np.float64]:
    """Draw durations of segments from the whole reference until they fill the recording."""
    ends: NDArray[np.float64] = np.empty(0)
    most = 1 + int(2 * length / max(float(sizes.mean()), 1e-6))
    while not len(ends) or ends[-1] < length:
        more = np.cumsum(random.choice(sizes, size=most)) + (ends[-1] if len(ends) else 0.0)
        ends = np.concatenate((ends, more))
    return ends[ends < length]


#: Baselines that ignore the text; users are warned if a metric prefers one of them to a system.
DEGENERATE = ("none", "all", "uniform")

#: The bound that compares human coders.
HUMAN = "human"


def default_bounds(reference: Corpus) -> list[str]:
    """Return the default bounds: all baselines, and "human" if an item has several coders.

    Parameters
    ----------
    reference : Corpus
        The reference.

    Returns
    -------
    list of str
        Names that :func:`~caesura.statistics.evaluate` takes.
    """
    names = TIME_BASELINES if reference.kind == "time" else BASELINES
    return [*names, *([HUMAN] if len(Pairs.among_coders(reference)) else [])]


def bound(name: str, reference: Corpus, *, seed: int = 0) -> Corpus:
    """Place boundaries in the reference's texts by a baseline or a registered segmenter of text.

    A segmenter places as many segments as the coders of a text on average, rounded. If boundaries have types, it uses the most
    frequent one.

    Parameters
    ----------
    name : str
        A name of :data:`BASELINES` or of a segmenter.
    reference : Corpus
        The reference; segmenters need its texts.
    seed : int, default 0
        The seed of random bounds.

    Returns
    -------
    Corpus
        The annotations of one coder, named after the bound.

    Examples
    --------
    >>> from caesura.model import Segmentation
    >>> gold = Corpus.from_dict({"a": {"ann": Segmentation.parse("ships sail | bread bakes | bread rises")}})
    >>> bound("c99", gold).coders
    ('c99',)
    """
    return baseline(name, reference, seed=seed) if name in BASELINES else _segment_texts(name, reference, seed)


def _segment_texts(name: str, reference: Corpus, seed: int) -> Corpus:
    from caesura.segmenters.catalog import SEGMENTERS, check_medium, segmenter, segmenter_names

    if name not in SEGMENTERS:
        raise UnknownName("bound", name, [*BASELINES, *segmenter_names("text")])
    if reference.kind == "time":
        raise CaesuraError(
            f"the segmenter {name} needs texts or sound, which annotations in time do not have; use a baseline: {', '.join(TIME_BASELINES)}."
        )
    _check_units(reference)
    if not reference.texts:
        raise CaesuraError(f"{name} needs texts, and the reference has none; use a baseline: {', '.join(BASELINES)}.")
    seeded = {"seed": seed} if "seed" in inspect.signature(SEGMENTERS[name]).parameters else {}
    by, types, annotations = segmenter(check_medium(name, "text"), **seeded), reference.types, []
    for _, annotation in _first_of_each_text(reference):
        key = (annotation.item, annotation.track)
        if key not in reference.texts:
            raise CaesuraError(f"{name} needs the text of item {annotation.item!r}, which the reference does not have.")
        coders = [len(a.marks) for a in reference.select(items=[annotation.item]) if a.track == annotation.track]
        marks = by.segment(reference.texts[key], round(float(np.mean(coders))))
        codes = None if types is None else _most_frequent(types, len(marks.positions))
        length, called = int(annotation.marks.length), _names(reference, len(reference.texts[key]), marks.positions)
        placed = Segmentation(length, marks.positions, codes, reference.labels, names=called)
        annotations.append(Annotation(annotation.item, name, placed, annotation.track))
    return Corpus.from_annotations(annotations, labels=reference.labels)


def baseline(name: str, reference: Corpus, *, seed: int = 0) -> Corpus:
    """Place boundaries in the reference's texts by a baseline.

    Parameters
    ----------
    name : str
        A name of :data:`BASELINES`.
    reference : Corpus
        The reference; the first coder of each text gives the density.
    seed : int, default 0
        The seed of random baselines.

    Returns
    -------
    Corpus
        The annotations of one coder, named after the baseline.

    Examples
    --------
    >>> gold = Corpus.from_dict({"a": {"ann": [2, 3, 6]}})
    >>> baseline("uniform", gold)["a", "uniform"].masses
    [4, 3, 4]
    """
    if name not in BASELINES:
        raise UnknownName("baseline", name, list(BASELINES))
    if reference.kind == "time":
        return _time_baseline(name, reference, seed)
    _check_units(reference)
    sizes, types = _segment_sizes(reference), reference.types
    streams = np.random.SeedSequence(seed).spawn(len(reference))
    annotations = []
    for row, annotation in _first_of_each_text(reference):
        length = int(annotation.marks.length)
        assert isinstance(annotation.marks, Segmentation)
        boundaries = max(len(annotation.marks) - 1, 0)
        random = np.random.default_rng(streams[row])
        where = BASELINES[name](random, length, boundaries, sizes) if length else np.empty(0, np.int64)
        codes = None if types is None else _draw_types(name, random, types, len(where))
        marks = Segmentation(length, where, codes, reference.labels, names=_names(reference, length, where))
        annotations.append(Annotation(annotation.item, name, marks, annotation.track))
    return Corpus.from_annotations(annotations, labels=reference.labels)


def _time_baseline(name: str, reference: Corpus, seed: int) -> Corpus:
    """Place boundaries in recordings; the first coder of each recording gives the number, without those at its ends."""
    if name not in TIME_BASELINES:
        raise CaesuraError(f"the baseline {name!r} is for texts; recordings have {', '.join(TIME_BASELINES)}.")
    if reference.typed:
        raise CaesuraError("baselines of recordings place boundaries without types, and the reference has types.")
    rows = list(_first_of_each_text(reference))
    inner = {row: _inside(a.marks) for row, a in rows}
    sizes = np.concatenate([np.diff(inner[row], prepend=0.0, append=float(a.marks.length)) for row, a in rows])
    streams = np.random.SeedSequence(seed).spawn(len(reference))
    annotations = []
    for row, annotation in rows:
        length, random = float(annotation.marks.length), np.random.default_rng(streams[row])
        where = TIME_BASELINES[name](random, length, len(inner[row]), sizes) if length else np.empty(0)
        marks = Segmentation.from_times(where, length=length)
        annotations.append(Annotation(annotation.item, name, marks, annotation.track))
    return Corpus.from_annotations(annotations)


def _inside(marks: Any) -> NDArray[np.float64]:
    times = np.asarray(marks.positions, np.float64)
    return times[(times > 0) & (times < float(marks.length))]


def _check_units(reference: Corpus) -> None:
    if reference.kind != "units":
        raise CaesuraError(
            f"baselines need texts of units or recordings; these are annotations of {KIND_NOUNS[reference.kind]}."
        )


def _first_of_each_text(reference: Corpus) -> Iterator[tuple[int, Annotation]]:
    """Yield the annotation of the first coder of each text, with its row."""
    seen: set[tuple[str, str]] = set()
    for row, annotation in enumerate(reference):
        key = (annotation.item, annotation.track)
        if key not in seen:
            seen.add(key)
            yield row, annotation


def _draw_types(name: str, random: np.random.Generator, types: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    """Return types for boundaries: the most frequent one for degenerate baselines, random ones of the reference otherwise."""
    if not len(types):
        return np.zeros(number, np.int64)
    if name in DEGENERATE:
        return _most_frequent(types, number)
    return random.choice(types, size=number)


def _most_frequent(types: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    values, counts = np.unique(types, return_counts=True)
    return np.full(number, values[np.argmax(counts)] if len(values) else 0)


def _names(reference: Corpus, length: int, where: NDArray[np.int64]) -> list[str] | None:
    """Give every segment the most frequent name, if the reference has names."""
    names = Counter(name for row in reference.names.values() for name in row).most_common(1)
    return [names[0][0]] * (len(where) + 1) if names and length else None


def _segment_sizes(reference: Corpus) -> NDArray[Any]:
    all_masses = [annotation.marks.masses for annotation in reference if isinstance(annotation.marks, Segmentation)]
    return np.array([size for masses in all_masses for size in masses], dtype=np.int64)
