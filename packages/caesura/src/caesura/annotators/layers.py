"""Corpora as layers of marks on gaps: texts, recordings on a grid, and each level of nested segments by itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from caesura.annotators.territory import MarkedItem
from caesura.errors import CaesuraError
from caesura.model import Corpus, Hierarchy, Segmentation
from caesura.text import describe_location, pluralize

#: A track: the names of its item and itself.
Track = tuple[str, str]
#: Steps of the grid per tolerance.
STEPS = 5


@dataclass(frozen=True, eq=False)
class Layer:
    """Marks of all annotators on the gaps of all tracks, in an order that does not depend on names.

    Attributes
    ----------
    name : str
        "" for the only layer, "level 2", or a boundary type.
    annotators : tuple of str
        The annotators.
    tracks : tuple of (str, str)
        The item and track of every marked item.
    items : tuple of MarkedItem
        Their marks.
    types : tuple of (str or int), or (None,)
        The boundary types by code.
    step : float or None
        The width of a gap in seconds; None for units.
    keys : tuple of int
        A number per annotator that depends on the marks only.
    notes : tuple of str
        What had to be changed to lay them out.
    """

    name: str
    annotators: tuple[str, ...]
    tracks: tuple[Track, ...]
    items: tuple[MarkedItem, ...]
    types: tuple[str | int | None, ...] = (None,)
    step: float | None = None
    keys: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()

    def position(self, gap: int) -> float:
        """Return the position of a gap: after unit p, or in seconds."""
        return gap + 1 if self.step is None else gap * self.step


@dataclass
class _Collector:
    """Collects the marks of one layer."""

    name: str
    annotators: tuple[str, ...]
    gaps: dict[Track, int] = field(default_factory=dict)
    marks: dict[tuple[Track, str], list[tuple[int, int]]] = field(default_factory=dict)

    def add(self, track: Track, coder: str, gaps: int, marks: Iterable[tuple[int, int]]) -> None:
        self.gaps[track] = max(gaps, self.gaps.get(track, 0))
        self.marks[track, coder] = sorted(marks)

    def layer(self, types: Sequence[Any] = (None,), step: float | None = None, notes: Iterable[str] = ()) -> Layer:
        """Put annotators and tracks in an order that depends on the marks only, and not on the direction of the text."""
        own = {
            name: sorted(
                _either_way(self.gaps[track], marks) for (track, coder), marks in self.marks.items() if coder == name
            )
            for name in self.annotators
        }
        keys = {name: crc32(repr(rows).encode()) for name, rows in own.items()}
        annotators = tuple(sorted(self.annotators, key=lambda name: (keys[name], name)))
        whole = {
            track: [
                None if (m := self.marks.get((track, name))) is None else _either_way(gaps, m) for name in annotators
            ]
            for track, gaps in self.gaps.items()
        }
        tracks = tuple(sorted(self.gaps, key=lambda track: (self.gaps[track], repr(whole[track]), track)))
        items = tuple(
            MarkedItem(
                self.gaps[track],
                tuple(None if (m := self.marks.get((track, name))) is None else tuple(m) for name in annotators),
            )
            for track in tracks
        )
        return Layer(
            self.name,
            annotators,
            tracks,
            items,
            tuple(types),
            step,
            tuple(keys[name] for name in annotators),
            tuple(notes),
        )


def _either_way(gaps: int, marks: Sequence[tuple[int, int]]) -> tuple[int, tuple[tuple[int, int], ...]]:
    """Return the marks in the direction in which they come first, so that a reversed text has the same key."""
    forward, backward = tuple(marks), tuple(sorted((gaps - 1 - gap, kind) for gap, kind in marks))
    return gaps, min(forward, backward)


def layers_of(corpus: Corpus, tolerance: float) -> list[Layer]:
    """Lay out a corpus of boundaries, recordings or nested segments."""
    annotators = tuple(name for number, name in enumerate(corpus.coders) if (corpus.coder_of == number).any())
    if corpus.kind == "nested":
        return _levels(corpus, annotators)
    codes = [] if corpus.types is None else np.unique(corpus.types).tolist()
    types: list[Any] = [corpus.labels[code] if corpus.labels else code for code in codes]
    index = {code: number for number, code in enumerate(codes)}
    step = tolerance / STEPS if corpus.kind == "time" else None
    closed = _closed_tracks(corpus)
    together = _Collector("", annotators)
    apart = [_Collector(f"type {name}", annotators) for name in types] if _has_several_types(corpus) else []
    moved = 0
    for item, coder, marks, track in corpus:
        assert isinstance(marks, Segmentation)
        gaps = _grid_size(marks, step, item, track) if step is not None else max(int(marks.length) - 1, 0)
        gaps += (item, track) in closed
        kinds = [0] * len(marks.positions) if marks.types is None else [index[code] for code in marks.types.tolist()]
        places = _cells(marks.positions, step) if step is not None else [int(p) - 1 for p in marks.positions.tolist()]
        rows = list(zip(places, kinds, strict=True))
        for number, each in enumerate(apart or [together]):
            chosen = [(gap, 0) for gap, kind in rows if kind == number] if apart else rows
            if step is not None:
                chosen, shifted = _one_per_cell(chosen, gaps)
                moved += shifted
            each.add((item, track), coder, gaps, chosen)
    notes = []
    if moved:
        notes.append(
            f"{pluralize(moved, 'mark')} had to move to the next free cell of the grid, because one annotator has two marks in "
            f"{1000 * tolerance / STEPS:g} ms."
        )
    if apart:
        notes.append("some boundaries have several types, so that each type is a layer with its own rates.")
        return [each.layer([name], step, notes) for each, name in zip(apart, types, strict=True)]
    return [together.layer(types or [None], step, notes)]


def _closed_tracks(corpus: Corpus) -> set[Track]:
    """Return the tracks in which someone closes the text with a typed boundary."""
    if corpus.types is None or corpus.kind != "units":
        return set()
    return {
        (item, track)
        for item, _, marks, track in corpus
        if isinstance(marks, Segmentation) and len(marks.positions) and marks.positions[-1] == marks.length
    }


def _has_several_types(corpus: Corpus) -> bool:
    if corpus.types is None or len(corpus.positions) < 2:
        return False
    row = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))
    return bool(((np.diff(corpus.positions) == 0) & (np.diff(row) == 0)).any())


def _grid_size(marks: Segmentation, step: float, item: str, track: str) -> int:
    cells = marks.length / step + 1
    if cells > 2**40:
        raise CaesuraError(
            f"{describe_location(item, track)} lasts {marks.length:g} s, which is too long for a grid of {step:g} s."
        )
    return int(round(cells, 6))


def _cells(times: NDArray[np.float64], step: float) -> list[int]:
    """Return the nearest cell of the grid for every time."""
    cells: list[int] = np.floor(times / step + 0.5).astype(np.int64).tolist()
    return cells


def _one_per_cell(marks: Sequence[tuple[int, int]], cells: int) -> tuple[list[tuple[int, int]], int]:
    """Move a mark to the next free cell if its own is taken; also return how many moved."""
    placed: list[tuple[int, int]] = []
    last, moved = -1, 0
    for gap, kind in sorted(marks):
        at = max(gap, last + 1)
        moved += at > gap
        last = at
        if at < cells:
            placed.append((at, kind))
    return placed, moved


def _levels(corpus: Corpus, annotators: tuple[str, ...]) -> list[Layer]:
    """Return one layer per level of nested segments: the ends of this and all outer levels."""
    deepest = max((a.marks.depth for a in corpus if isinstance(a.marks, Hierarchy)), default=0)
    layers = []
    for level in range(1, deepest + 1):
        each = _Collector(f"level {level}", annotators)
        for item, coder, marks, track in corpus:
            assert isinstance(marks, Hierarchy)
            cuts = marks.boundaries(level).positions.tolist()
            each.add((item, track), coder, max(marks.length - 1, 0), [(cut - 1, 0) for cut in cuts])
        layers.append(each.layer())
    return layers
