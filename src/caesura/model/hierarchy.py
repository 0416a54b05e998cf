"""A hierarchy: nested segments of one text by one coder, never crossing each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from caesura.errors import InvalidSegmentation
from caesura.model.marks import members
from caesura.model.nested_notations import add_levels, of_brackets, of_levels, of_nested, to_brackets, whole
from caesura.model.segmentation import Frozen, Segmentation, SegmentationLike, as_segmentation
from caesura.words import number_of


class Hierarchy(Frozen):
    """Segments (first, last, level) over units ``1 … length``; two segments are disjoint or nested.

    Parameters
    ----------
    length
        Number of units.
    segments
        Rows of first unit, last unit (both counted from 1) and level of embeddedness, 1 the outermost.
    units
        The text itself, one string per unit. It is shown, never compared.

    Examples
    --------
    >>> talk = Hierarchy.from_spans([(1, 10), (1, 4), (5, 10), (5, 7)], length=10)
    >>> talk.spans
    [(1, 10, 1), (1, 4, 2), (5, 10, 2), (5, 7, 3)]
    >>> talk
    Hierarchy(10 units, 4 segments, 3 levels: [[1–4] [[5–7] 8–10]])
    """

    _fields = ("length", "segments", "units")
    __slots__ = _fields

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

    def _fill(self, length: int, segments: NDArray[np.int64], units: Sequence[str] | None = None) -> None:
        segments.flags.writeable = False
        object.__setattr__(self, "length", length)
        object.__setattr__(self, "segments", segments)
        object.__setattr__(self, "units", None if units is None else tuple(units))
        if self.units is not None and len(self.units) != length:
            raise InvalidSegmentation(f"the text has {len(self.units)} units, the hierarchy covers {length}.")

    @classmethod
    def from_spans(
        cls, spans: Iterable[Sequence[int]], *, length: int, units: Sequence[str] | None = None
    ) -> Hierarchy:
        """Build from first and last unit of every segment; levels come from the nesting, or are given as triples."""
        given = members(spans, "spans")
        listed = [tuple(span) if isinstance(span, Iterable) else (span,) for span in given]
        sizes = {len(span) for span in listed}
        if sizes - {2, 3} or len(sizes) > 1:
            raise InvalidSegmentation("spans are (first, last) throughout, or (first, last, level) throughout.")
        numbers = [tuple(whole(number, f"every number of span {span}") for number in span) for span in listed]
        triples = add_levels([(s[0], s[1]) for s in numbers]) if sizes == {2} else [(s[0], s[1], s[2]) for s in numbers]
        return cls(length, triples, units)

    @classmethod
    def from_brackets(cls, text: str, *, brackets: str = "[]") -> Hierarchy:
        """Build from bracketed text: words are the units, each pair of brackets is a segment, its depth the level.

        Examples
        --------
        >>> talk = Hierarchy.from_brackets("[ [ take the ] [ red line ] ] stop")
        >>> talk.spans, talk.units
        ([(1, 4, 1), (1, 2, 2), (3, 4, 2)], ('take', 'the', 'red', 'line', 'stop'))
        """
        spans, units = of_brackets(text, brackets)
        return cls(len(units), spans, units)

    @classmethod
    def from_levels(
        cls,
        columns: Sequence[Sequence[int]],
        *,
        outermost: Literal["first", "last"] = "first",
        units: Sequence[str] | None = None,
    ) -> Hierarchy:
        """Build from level columns: one sequence per level with one 0 or 1 per unit, 1 where a segment of that level ends.

        Parameters
        ----------
        columns
            ``columns[k][p]`` is the mark of level ``k + 1`` after unit ``p + 1``.
        outermost
            Which of the columns holds the outermost level (level 1 of the result).

        Notes
        -----
        A segment of level K begins behind the last end of level K or of any level outside it; the end of the text closes
        whatever is open. A mark that only repeats the end of the segment outside divides nothing and makes no segment, unless
        a deeper level divides the stretch: so the last line of a text, where all levels are marked, adds none. Refused: a level
        that divides a segment but does not end with it, and a level inside a stretch which the level outside it leaves bare.

        Examples
        --------
        >>> Hierarchy.from_levels([[0, 0, 1, 0, 1], [1, 0, 1, 0, 1]]).spans
        [(1, 3, 1), (4, 5, 1), (1, 1, 2), (2, 3, 2)]
        """
        rows = [c.tolist() if isinstance(c, np.ndarray) else c for c in members(columns, "level columns")]
        segments = of_levels(rows, outermost)
        return cls(len(rows[0]) if rows else 0, segments, units)

    @classmethod
    def from_nested(cls, data: Any) -> Hierarchy:
        """Build from nested JSON, already parsed: lists in lists, or a tree of objects.

        In lists, the outermost list is the text and every list inside it a segment; what is no list is a unit (a word) or a run
        of units (their number). A tree is ``{"length": 10, "segments": [{"first": 1, "last": 10, "segments": [...]}]}``, with
        ``"units"`` (words) in place of the length where known and ``"level"`` on a segment where it is not the depth.

        Examples
        --------
        >>> Hierarchy.from_nested([[["take", "the"], ["red", "line"]], "stop"]).spans
        [(1, 4, 1), (1, 2, 2), (3, 4, 2)]
        >>> Hierarchy.from_nested([[[2], 2], 1]).brackets
        '[[1–2] 3–4] 5'
        """
        length, spans, units = of_nested(data)
        return cls(length, spans, units)

    @classmethod
    def from_segmentation(cls, marks: SegmentationLike, *, level: int = 1) -> Hierarchy:
        """Lift a linear segmentation: its segments, side by side at one level.

        Examples
        --------
        >>> Hierarchy.from_segmentation([2, 3]).spans
        [(1, 2, 1), (3, 5, 1)]
        """
        linear = as_segmentation(marks)
        if linear.timed:
            raise InvalidSegmentation("a recording has no units to nest; segments of a hierarchy are runs of units.")
        return cls(int(linear.length), [(int(a), int(b), level) for a, b in linear.spans], linear.units)

    @property
    def spans(self) -> list[tuple[int, int, int]]:
        """Every segment as (first, last, level), outermost first, left to right."""
        return [(int(first), int(last), int(level)) for first, last, level in self.segments]

    @property
    def depth(self) -> int:
        """The deepest level, 0 where there is no segment."""
        return int(self.segments[:, 2].max()) if len(self.segments) else 0

    @property
    def parents(self) -> list[int]:
        """For each segment, in the order of :attr:`spans`, the index of the one around it, or -1.

        Examples
        --------
        >>> Hierarchy.from_brackets("[[a] [b [c]]]").parents
        [-1, 0, 0, 2]
        """
        parents = [-1] * len(self)
        around: list[int] = []
        firsts, lasts = self.segments[:, 0].tolist(), self.segments[:, 1].tolist()
        for row in self._reading_order():
            while around and lasts[around[-1]] < firsts[row]:
                around.pop()
            parents[row] = around[-1] if around else -1
            around.append(row)
        return parents

    def walk(self) -> Iterator[tuple[int, int, int]]:
        """Yield every segment in reading order, an outer one before what is inside it.

        Examples
        --------
        >>> list(Hierarchy.from_brackets("[[a] b] [c]").walk())
        [(1, 2, 1), (1, 1, 2), (3, 3, 1)]
        """
        spans = self.spans
        return (spans[row] for row in self._reading_order())

    def _reading_order(self) -> list[int]:
        first, last, level = self.segments.T
        order: list[int] = np.lexsort((level, -last, first)).tolist()
        return order

    @property
    def nested(self) -> dict[str, Any]:
        """The tree as plain data for JSON, the inverse of :meth:`from_nested`.

        Examples
        --------
        >>> Hierarchy.from_brackets("[a [b]]").nested["segments"]
        [{'first': 1, 'last': 2, 'level': 1, 'segments': [{'first': 2, 'last': 2, 'level': 2}]}]
        """
        nodes: list[dict[str, Any]] = [{"first": a, "last": b, "level": c} for a, b, c in self.spans]
        roots: list[dict[str, Any]] = []
        parents = self.parents
        for row in self._reading_order():
            outer = parents[row]
            (roots if outer < 0 else nodes[outer].setdefault("segments", [])).append(nodes[row])
        text = {} if self.units is None else {"units": list(self.units)}
        return {"length": self.length, **text, "segments": roots}

    @property
    def bracketed(self) -> str:
        """The text in brackets, the inverse of :meth:`from_brackets`; units without words are numbered.

        Examples
        --------
        >>> Hierarchy.from_spans([(1, 3), (1, 2)], length=4).bracketed
        '[[1 2] 3] 4'
        """
        words = self.units or [str(number) for number in range(1, self.length + 1)]
        return to_brackets(self.length, self.spans, words)

    def level_columns(self, levels: int | None = None) -> list[list[int]]:
        """Mark where the segments of every level end, the inverse of :meth:`from_levels`; the last unit ends every level.

        Examples
        --------
        >>> Hierarchy.from_spans([(1, 3), (4, 5), (1, 1), (2, 3)], length=5).level_columns()
        [[0, 0, 1, 0, 1], [1, 0, 1, 0, 1]]
        """
        columns = np.zeros((self.depth if levels is None else levels, self.length), np.int64)
        columns[:, -1:] = 1
        for _, last, level in self.spans:
            columns[level - 1, last - 1] = 1
        rows: list[list[int]] = columns.tolist()
        if Hierarchy.from_levels(rows) != self:
            raise InvalidSegmentation(
                "level columns hold segments that divide their outer one without gaps; these do not."
            )
        return rows

    def renumbered(self) -> Hierarchy:
        """Set every level to the nesting depth; a span given at two levels stays once.

        Examples
        --------
        >>> Hierarchy.from_spans([(1, 5, 2), (2, 3, 6)], length=5).renumbered().spans
        [(1, 5, 1), (2, 3, 2)]
        """
        return Hierarchy(self.length, add_levels(sorted({(a, b) for a, b, _ in self.spans})), self.units)

    def at_level(self, level: int) -> Segmentation:
        """Project to one level: a boundary wherever a segment of this level begins or ends.

        Examples
        --------
        >>> Hierarchy.from_spans([(1, 10), (1, 4), (5, 10)], length=10).at_level(2).masses
        [4, 6]
        """
        return self._edges(self.segments[self.segments[:, 2] == level])

    def boundaries(self, level: int | None = None) -> Segmentation:
        """Flatten: a boundary wherever a segment begins or ends, of any level or of levels down to this one.

        Examples
        --------
        >>> talk = Hierarchy.from_spans([(1, 10), (1, 4), (5, 10), (5, 7)], length=10)
        >>> talk.boundaries().masses, talk.boundaries(level=2).masses
        ([4, 3, 3], [4, 6])
        """
        return self._edges(self.segments if level is None else self.segments[self.segments[:, 2] <= level])

    def _edges(self, rows: NDArray[np.int64]) -> Segmentation:
        cuts = np.unique(np.concatenate((rows[:, 0] - 1, rows[:, 1])))
        return Segmentation(self.length, cuts[(cuts > 0) & (cuts < self.length)], units=self.units)

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

    def __repr__(self) -> str:
        sizes = f"{number_of(len(self), 'segment')}, {number_of(self.depth, 'level')}"
        drawn = f": {self.brackets}" if 0 < len(self) <= 24 else ""
        return f"Hierarchy({self.length} units, {sizes}{drawn})"

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
        """Draw one row of bars per level."""
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
