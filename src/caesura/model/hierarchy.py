"""A hierarchy: nested segments of one text by one coder, never crossing each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import InvalidSegmentation
from caesura.model.segmentation import Segmentation

__all__ = ["Hierarchy"]


class Hierarchy:
    """Segments (first, last, level) over units ``1 … length``; two segments are disjoint or nested.

    Parameters
    ----------
    length
        Number of units.
    segments
        Rows of first unit, last unit (both counted from 1) and level of embeddedness, 1 the outermost.
    units
        The text itself, one string a unit. It is shown, never compared.

    Examples
    --------
    >>> talk = Hierarchy.from_spans([(1, 10), (1, 4), (5, 10), (5, 7)], length=10)
    >>> talk.spans
    [(1, 10, 1), (1, 4, 2), (5, 10, 2), (5, 7, 3)]
    >>> talk
    Hierarchy(10 units, 4 segments, 3 levels: [[1–4] [[5–7] 8–10]])
    """

    __slots__ = ("length", "segments", "units")

    length: int
    segments: NDArray[np.int64]
    units: tuple[str, ...] | None

    def __init__(
        self,
        length: int,
        segments: Sequence[tuple[int, int, int]] | NDArray[Any] = (),
        units: Sequence[str] | None = None,
    ) -> None:
        if isinstance(length, bool) or not isinstance(length, (int, np.integer)) or length < 0:
            raise InvalidSegmentation(f"the length must be a number of units, 0 or more, not {length!r}.")
        rows = _checked_rows(segments)
        _check_inside(rows, int(length))
        rows = _outermost_first(rows)
        _check_nesting(rows)
        self._fill(int(length), rows, units)

    def _fill(self, length: int, segments: NDArray[np.int64], units: Sequence[str] | None) -> None:
        segments.flags.writeable = False
        object.__setattr__(self, "length", length)
        object.__setattr__(self, "segments", segments)
        object.__setattr__(self, "units", None if units is None else tuple(units))
        if self.units is not None and len(self.units) != length:
            raise InvalidSegmentation(f"the text has {len(self.units)} units, the hierarchy covers {length}.")

    @classmethod
    def _trusted(cls, length: int, segments: NDArray[np.int64], units: Sequence[str] | None = None) -> Hierarchy:
        """Skip the checks: for rows that were validated already."""
        made = object.__new__(cls)
        made._fill(length, segments, units)
        return made

    @classmethod
    def from_spans(
        cls, spans: Iterable[Sequence[int]], *, length: int, units: Sequence[str] | None = None
    ) -> Hierarchy:
        """Build from first and last unit of every segment; levels come from the nesting, or are given as triples."""
        listed = [tuple(span) for span in spans]
        sizes = {len(span) for span in listed}
        if sizes - {2, 3} or len(sizes) > 1:
            raise InvalidSegmentation("spans are (first, last) throughout, or (first, last, level) throughout.")
        if sizes == {2}:
            listed = _levelled([(int(first), int(last)) for first, last in listed])
        return cls(length, [(s[0], s[1], s[2]) for s in listed], units)

    @property
    def spans(self) -> list[tuple[int, int, int]]:
        """Every segment as (first, last, level), outermost first, left to right."""
        return [(int(first), int(last), int(level)) for first, last, level in self.segments]

    @property
    def depth(self) -> int:
        """The deepest level, 0 where there is no segment."""
        return int(self.segments[:, 2].max()) if len(self.segments) else 0

    def at_level(self, level: int) -> Segmentation:
        """Project to one level: a boundary wherever a segment of this level begins or ends.

        >>> Hierarchy.from_spans([(1, 10), (1, 4), (5, 10)], length=10).at_level(2).masses
        [4, 6]
        """
        return self._edges(self.segments[self.segments[:, 2] == level])

    def boundaries(self) -> Segmentation:
        """Flatten: a boundary wherever a segment of any level begins or ends."""
        return self._edges(self.segments)

    def _edges(self, rows: NDArray[np.int64]) -> Segmentation:
        cuts = np.unique(np.concatenate((rows[:, 0] - 1, rows[:, 1])))
        return Segmentation(self.length, cuts[(cuts > 0) & (cuts < self.length)], units=self.units)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Hierarchy does not change; make a new one instead of setting {name!r}.")

    def __len__(self) -> int:
        """Return the number of segments."""
        return len(self.segments)

    def __iter__(self) -> Iterator[tuple[int, int, int]]:
        return iter(self.spans)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return self.length == other.length and np.array_equal(self.segments, other.segments)

    def __hash__(self) -> int:
        return hash((self.length, self.segments.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.length, self.segments, self.units)

    def __repr__(self) -> str:
        counted = f"{len(self)} segment{'s' * (len(self) != 1)}, {self.depth} level{'s' * (self.depth != 1)}"
        drawn = f": {self.brackets}" if 0 < len(self) <= 24 else ""
        return f"Hierarchy({self.length} units, {counted}{drawn})"

    @property
    def brackets(self) -> str:
        """The nesting in brackets, runs of units in between: ``[[1–4] [[5–7] 8–10]]``."""
        opening: dict[int, int] = {}
        closing: dict[int, int] = {}
        for first, last, _ in self.spans:
            opening[first] = opening.get(first, 0) + 1
            closing[last] = closing.get(last, 0) + 1
        edges = sorted({1, *opening, *(last + 1 for last in closing), self.length + 1})
        parts = []
        for first, after in pairwise(edges):
            run = f"{first}" if after == first + 1 else f"{first}–{after - 1}"
            parts.append("[" * opening.get(first, 0) + run + "]" * closing.get(after - 1, 0))
        return " ".join(parts)

    def _repr_html_(self) -> str:
        """Draw one row of bars a level."""
        rows = []
        for level in range(1, self.depth + 1):
            bars = "".join(
                f'<span title="level {level}: {first}–{last}" style="position:absolute;left:{100 * (first - 1) / self.length:.3f}%;'
                f"width:{100 * (last - first + 1) / self.length:.3f}%;border:1px solid;box-sizing:border-box;height:1.2em;"
                f'overflow:hidden;font-size:.7em;text-align:center">{escape(f"{first}–{last}")}</span>'
                for first, last, at in self.spans
                if at == level
            )
            rows.append(f'<div style="position:relative;height:1.2em">{bars}</div>')
        return f'<div role="img">{"".join(rows)}</div>'


def _restored(length: int, segments: NDArray[np.int64], units: tuple[str, ...] | None) -> Hierarchy:
    return Hierarchy._trusted(length, segments, units)


def _checked_rows(segments: Any) -> NDArray[np.int64]:
    given = np.asarray(segments)
    if not given.size:
        return np.empty((0, 3), np.int64)
    if given.ndim != 2 or given.shape[1] != 3 or given.dtype.kind not in "iu":
        raise InvalidSegmentation("segments are rows of whole numbers: first unit, last unit, level.")
    return given.astype(np.int64)


def _check_inside(rows: NDArray[np.int64], length: int) -> None:
    for first, last, level in rows[
        (rows[:, 0] < 1) | (rows[:, 1] < rows[:, 0]) | (rows[:, 1] > length) | (rows[:, 2] < 1)
    ]:
        if last < first:
            raise InvalidSegmentation(f"segment ({first}, {last}) ends before it begins.")
        if level < 1:
            raise InvalidSegmentation(
                f"segment ({first}, {last}) has level {level}; levels count from 1, the outermost."
            )
        raise InvalidSegmentation(f"segment ({first}, {last}) lies outside the text: expected 1 to {length}.")


def _outermost_first(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    return rows[np.lexsort((-rows[:, 1], rows[:, 0], rows[:, 2]))]


def _check_nesting(rows: NDArray[np.int64]) -> None:
    """Walk the segments in reading order with a stack of those still open."""
    open_segments: list[tuple[int, int, int]] = []
    for first, last, level in rows[np.lexsort((rows[:, 2], -rows[:, 1], rows[:, 0]))].tolist():
        while open_segments and open_segments[-1][1] < first:
            open_segments.pop()
        if open_segments:
            outer = open_segments[-1]
            if outer == (first, last, level):
                raise InvalidSegmentation(f"segment ({first}, {last}) at level {level} is given twice.")
            if last > outer[1]:
                raise InvalidSegmentation(
                    f"segments ({outer[0]}, {outer[1]}) and ({first}, {last}) cross; "
                    "segments of one annotation are disjoint or nested."
                )
            if level <= outer[2]:
                raise InvalidSegmentation(
                    f"segment ({first}, {last}) has level {level} but lies inside ({outer[0]}, {outer[1]}) "
                    f"of level {outer[2]}; an inner segment has the higher level."
                )
        open_segments.append((first, last, level))


def _levelled(spans: list[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Give each span its nesting depth as level; crossing spans are found later, by the constructor."""
    if len(set(spans)) != len(spans):
        first, last = next(span for i, span in enumerate(spans) if span in spans[:i])
        raise InvalidSegmentation(f"segment ({first}, {last}) is given twice.")
    levelled: list[tuple[int, ...]] = []
    open_ends: list[int] = []
    for first, last in sorted(spans, key=lambda span: (span[0], -span[1])):
        while open_ends and open_ends[-1] < first:
            open_ends.pop()
        open_ends.append(last)
        levelled.append((first, last, len(open_ends)))
    return levelled
