"""A hierarchy: nested segments of one text by one coder, which never cross."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import pairwise
from math import isfinite
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from caesura.errors import InvalidSegmentation
from caesura.model.conversion import as_list
from caesura.model.nested_notations import (
    format_brackets,
    levels_from_nesting,
    parse_brackets,
    parse_levels,
    parse_nested,
    validate_whole,
)
from caesura.model.segmentation import ImmutableAnnotation, Segmentation, SegmentationLike, as_segmentation
from caesura.text import pluralize
from caesura.validation import validate_positive


class Hierarchy(ImmutableAnnotation):
    """Nested segments of one text; two segments are disjoint or nested.

    Parameters
    ----------
    length : int
        The number of units.
    segments : sequence of (int, int, int), default ()
        First unit, last unit (both counted from 1) and level of each segment; level 1 is the outermost.
    units : sequence of str, default None
        The text, one string per unit. It is shown and never compared.
    names : sequence of str, default None
        The name (label) of each segment, in the order of ``segments``; "" for none. The L-measure compares them; two hierarchies are equal if
        their segments are.

    Raises
    ------
    InvalidSegmentation
        If segments cross, lie outside the text, have levels that contradict the nesting, or the number of names is another one.

    Examples
    --------
    >>> talk = Hierarchy.from_spans([(1, 10), (1, 4), (5, 10), (5, 7)], length=10)
    >>> talk.spans
    [(1, 10, 1), (1, 4, 2), (5, 10, 2), (5, 7, 3)]
    >>> talk
    Hierarchy(10 units, 4 segments, 3 levels: [[1–4] [[5–7] 8–10]])
    """

    _fields = ("length", "segments", "units", "names")
    __slots__ = tuple(sorted(_fields))

    length: int
    segments: NDArray[np.int64]
    units: tuple[str, ...] | None
    names: tuple[str, ...] | None

    def __init__(
        self,
        length: int,
        segments: Sequence[tuple[int, int, int]] | NDArray[Any] = (),
        units: Sequence[str] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        if isinstance(length, bool) or not isinstance(length, (int, np.integer)) or length < 0:
            raise InvalidSegmentation(f"the length must be a number of units, 0 or more, not {length!r}.")
        rows = _validate_rows(segments)
        _check_inside(rows, int(length))
        order = outermost_first(rows)
        if names is not None:
            if len(names) != len(rows) or not all(isinstance(name, str) for name in names):
                raise InvalidSegmentation(
                    f"{len(names)} names were given for {pluralize(len(rows), 'segment')}; names are strings."
                )
            names = [names[i] for i in order.tolist()]
        rows = rows[order]
        _check_nesting(rows)
        self._fill(int(length), rows, units, names)

    def _fill(
        self,
        length: int,
        segments: NDArray[np.int64],
        units: Sequence[str] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        segments.flags.writeable = False
        object.__setattr__(self, "length", length)
        object.__setattr__(self, "segments", segments)
        object.__setattr__(self, "units", None if units is None else tuple(units))
        object.__setattr__(self, "names", None if names is None else tuple(names))
        if self.names is not None and len(self.names) != len(segments):
            raise InvalidSegmentation(f"{len(self.names)} names were given for {pluralize(len(segments), 'segment')}.")
        if self.units is not None and len(self.units) != length:
            raise InvalidSegmentation(f"the text has {len(self.units)} units, the hierarchy covers {length}.")

    @classmethod
    def from_spans(
        cls, spans: Iterable[Sequence[int]], *, length: int, units: Sequence[str] | None = None
    ) -> Hierarchy:
        """Build a hierarchy from the first and last unit of every segment.

        Parameters
        ----------
        spans : iterable of (int, int) or (int, int, int)
            First and last unit, counted from 1, and optionally the level; without levels they follow from the nesting.
        length : int
            The number of units.
        units : sequence of str, default None
            The text, one string per unit.

        Returns
        -------
        Hierarchy

        Examples
        --------
        >>> Hierarchy.from_spans([(1, 5), (2, 3)], length=5).spans
        [(1, 5, 1), (2, 3, 2)]
        """
        given = as_list(spans, "spans")
        listed = [tuple(span) if isinstance(span, Iterable) else (span,) for span in given]
        sizes = {len(span) for span in listed}
        if sizes - {2, 3} or len(sizes) > 1:
            raise InvalidSegmentation("spans must be all (first, last) or all (first, last, level).")
        numbers = [tuple(validate_whole(number, f"every number of span {span}") for number in span) for span in listed]
        triples = (
            levels_from_nesting([(s[0], s[1]) for s in numbers])
            if sizes == {2}
            else [(s[0], s[1], s[2]) for s in numbers]
        )
        return cls(length, triples, units)

    @classmethod
    def from_brackets(cls, text: str, *, brackets: str = "[]") -> Hierarchy:
        """Build a hierarchy from bracketed text.

        Parameters
        ----------
        text : str
            Words, which are the units, and brackets; each pair of brackets is a segment whose level is its depth.
        brackets : str, default "[]"
            The opening and the closing bracket.

        Returns
        -------
        Hierarchy

        Examples
        --------
        >>> talk = Hierarchy.from_brackets("[ [ take the ] [ red line ] ] stop")
        >>> talk.spans, talk.units
        ([(1, 4, 1), (1, 2, 2), (3, 4, 2)], ('take', 'the', 'red', 'line', 'stop'))
        """
        spans, units = parse_brackets(text, brackets)
        return cls(len(units), spans, units)

    @classmethod
    def from_levels(
        cls,
        columns: Sequence[Sequence[int]],
        *,
        outermost: Literal["first", "last"] = "first",
        units: Sequence[str] | None = None,
    ) -> Hierarchy:
        """Build a hierarchy from one column of 0 and 1 per level, 1 where a segment of the level ends.

        A segment of level K begins after the last end of level K or of any outer level, and the end of the text ends all segments.
        A mark that only repeats the end of the outer segment makes no segment, unless a deeper level divides that segment; so the
        last line of a text, where all levels are marked, adds none.

        Parameters
        ----------
        columns : sequence of sequences of int
            ``columns[k][p]`` is the mark of level ``k + 1`` after unit ``p + 1``.
        outermost : {"first", "last"}, default "first"
            Which of the columns is the outermost level, level 1 of the result.
        units : sequence of str, default None
            The text, one string per unit.

        Returns
        -------
        Hierarchy

        Raises
        ------
        InvalidSegmentation
            If a level divides a segment but does not end with it, or divides units that the level outside it leaves without a
            segment.

        Examples
        --------
        >>> Hierarchy.from_levels([[0, 0, 1, 0, 1], [1, 0, 1, 0, 1]]).spans
        [(1, 3, 1), (4, 5, 1), (1, 1, 2), (2, 3, 2)]
        """
        rows = [c.tolist() if isinstance(c, np.ndarray) else c for c in as_list(columns, "level columns")]
        segments = parse_levels(rows, outermost)
        return cls(len(rows[0]) if rows else 0, segments, units)

    @classmethod
    def from_layers(
        cls, layers: Sequence[Sequence[Sequence[Any]]], *, length: float | None = None, frame: float | None = None
    ) -> Hierarchy:
        """Build a hierarchy from layers of segments, from coarse to fine, of units or of frames in time.

        Labels become the names of segments, which the L-measure compares; :attr:`layers` is the inverse.

        Parameters
        ----------
        layers : sequence of layers
            A layer is a list of (start, end) or (start, end, label); starts count from 0 and ends are excluded.
        length : int or float, default None
            The number of units, or the duration in seconds; None takes the last end.
        frame : float, default None
            The length of a frame in seconds, if positions are seconds: times are rounded down to frames, which are the units of
            the hierarchy. Segments shorter than a frame are left out with a warning.

        Returns
        -------
        Hierarchy

        Raises
        ------
        InvalidSegmentation
            If segments cross, if there is no segment and no length, or if positions are no numbers.

        Examples
        --------
        >>> Hierarchy.from_layers([[(0, 4, "A"), (4, 6, "B")], [(0, 2), (2, 4)]]).spans
        [(1, 4, 1), (5, 6, 1), (1, 2, 2), (3, 4, 2)]
        >>> Hierarchy.from_layers([[(0, 1.5), (1.5, 3.04)]], frame=0.1).spans
        [(1, 15, 1), (16, 30, 1)]
        """
        if frame is not None:
            validate_positive("frame", frame)
        try:
            rows = [(*row[:2], level) for level, layer in enumerate(layers, 1) for row in layer]
            known = all(len(row) == 3 and isfinite(row[0]) and isfinite(row[1]) for row in rows)
        except TypeError:
            known = False
        if not known or (not rows and length is None):
            what = "a row that is not two finite numbers" if not known else "no segment"
            raise InvalidSegmentation(f"the layers have {what}; expected lists of (start, end) or (start, end, label).")
        given = [row[2] if len(row) > 2 and row[2] is not None else "" for layer in layers for row in layer]
        labels = [str(label) for label in given]
        end = max((row[1] for row in rows), default=0) if length is None else length
        if frame is None:
            if any(position != int(position) for row in rows for position in row[:2]):
                raise InvalidSegmentation("layers have positions that are not whole; give frame=0.1 for seconds.")
            segments, end = [(int(start) + 1, int(stop), level) for start, stop, level in rows], int(end)
        else:
            # A tick of tolerance: 0.3 s is three frames of 0.1 s, though 0.3 / 0.1 is below 3 as a float.
            framed = [(int(start / frame + 1e-6) + 1, int(stop / frame + 1e-6), level) for start, stop, level in rows]
            kept = [number for number, row in enumerate(framed) if row[1] >= row[0]]
            if len(kept) < len(framed):
                warnings.warn(
                    f"{len(framed) - len(kept)} segments shorter than a frame of {frame:g} s are left out", stacklevel=2
                )
            segments, labels = [framed[i] for i in kept], [labels[i] for i in kept]
            end = int(end / frame + 1e-6)
        return cls(end, segments, names=labels if any(labels) else None)

    @property
    def layers(self) -> list[list[tuple[Any, ...]]]:
        """The segments of every level as (start, end), starts counted from 0 and ends excluded, with labels if there are any.

        Examples
        --------
        >>> Hierarchy.from_layers([[(0, 4, "A"), (4, 6, "B")], [(0, 2, "a"), (2, 4, "a")]]).layers
        [[(0, 4, 'A'), (4, 6, 'B')], [(0, 2, 'a'), (2, 4, 'a')]]
        """
        found: list[list[tuple[Any, ...]]] = [[] for _ in range(self.depth)]
        names = [()] * len(self) if self.names is None else [(name or None,) for name in self.names]
        for (first, last, level), name in zip(self.spans, names, strict=True):
            found[level - 1].append((first - 1, last, *name))
        return found

    @classmethod
    def from_nested(cls, data: Any) -> Hierarchy:
        """Build a hierarchy from parsed JSON: nested lists, or a tree of objects.

        Parameters
        ----------
        data : list or dict
            In lists, the outermost list is the text and every list inside it a segment; other members are units (words) or
            numbers of units. A tree is ``{"length": 10, "segments": [{"first": 1, "last": 10, "segments": [...]}]}``, with
            ``"units"`` (words) instead of the length if known, and ``"level"`` on a segment if it is not the depth.

        Returns
        -------
        Hierarchy

        Examples
        --------
        >>> Hierarchy.from_nested([[["take", "the"], ["red", "line"]], "stop"]).spans
        [(1, 4, 1), (1, 2, 2), (3, 4, 2)]
        >>> Hierarchy.from_nested([[[2], 2], 1]).brackets
        '[[1–2] 3–4] 5'
        """
        length, spans, units = parse_nested(data)
        return cls(length, spans, units)

    @classmethod
    def from_segmentation(cls, marks: SegmentationLike, *, level: int = 1) -> Hierarchy:
        """Build a hierarchy with the segments of a linear segmentation on one level.

        Parameters
        ----------
        marks : Segmentation, sequence of int or str
            The segmentation, as :func:`as_segmentation` takes it.
        level : int, default 1
            The level of all segments.

        Returns
        -------
        Hierarchy

        Examples
        --------
        >>> Hierarchy.from_segmentation([2, 3]).spans
        [(1, 2, 1), (3, 5, 1)]
        """
        linear = as_segmentation(marks)
        if linear.timed:
            raise InvalidSegmentation("a recording cannot be a hierarchy, whose segments are made of units.")
        return cls(int(linear.length), [(int(a), int(b), level) for a, b in linear.spans], linear.units)

    @property
    def spans(self) -> list[tuple[int, int, int]]:
        """Every segment as (first, last, level), the outermost first, from left to right."""
        return [(int(first), int(last), int(level)) for first, last, level in self.segments]

    @property
    def depth(self) -> int:
        """The deepest level, 0 without segments."""
        return int(self.segments[:, 2].max()) if len(self.segments) else 0

    @property
    def parents(self) -> list[int]:
        """The index of the segment around each segment, in the order of :attr:`spans`; -1 for none.

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

    def preorder(self) -> Iterator[tuple[int, int, int]]:
        """Yield every segment in reading order, an outer segment before those inside it.

        Yields
        ------
        (int, int, int)
            First unit, last unit and level.

        Examples
        --------
        >>> list(Hierarchy.from_brackets("[[a] b] [c]").preorder())
        [(1, 2, 1), (1, 1, 2), (3, 3, 1)]
        """
        spans = self.spans
        return (spans[row] for row in self._reading_order())

    def walk(self) -> Iterator[tuple[int, int, int]]:
        """Yield every segment in reading order; deprecated name of :meth:`preorder`."""
        warnings.warn("Hierarchy.walk is deprecated; use preorder", DeprecationWarning, stacklevel=2)
        return self.preorder()

    def _reading_order(self) -> list[int]:
        first, last, level = self.segments.T
        order: list[int] = np.lexsort((level, -last, first)).tolist()
        return order

    @property
    def nested(self) -> dict[str, Any]:
        """The tree as plain data for JSON; the inverse of :meth:`from_nested`.

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
        """The text in brackets; the inverse of :meth:`from_brackets`. Units are numbered if there is no text.

        Examples
        --------
        >>> Hierarchy.from_spans([(1, 3), (1, 2)], length=4).bracketed
        '[[1 2] 3] 4'
        """
        words = self.units or [str(number) for number in range(1, self.length + 1)]
        return format_brackets(self.length, self.spans, words)

    def level_columns(self, levels: int | None = None) -> list[list[int]]:
        """Return one column of 0 and 1 per level, the inverse of :meth:`from_levels`; the last unit ends every level.

        Parameters
        ----------
        levels : int, default None
            The number of columns; None takes the depth.

        Returns
        -------
        list of list of int

        Raises
        ------
        InvalidSegmentation
            If segments leave gaps, which columns cannot express.

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
                "level columns cannot express segments that leave gaps inside their outer segment."
            )
        return rows

    def renumbered(self) -> Hierarchy:
        """Return the hierarchy with every level set to the nesting depth; a segment on two levels is kept once.

        Returns
        -------
        Hierarchy

        Examples
        --------
        >>> Hierarchy.from_spans([(1, 5, 2), (2, 3, 6)], length=5).renumbered().spans
        [(1, 5, 1), (2, 3, 2)]
        """
        return Hierarchy(self.length, levels_from_nesting(sorted({(a, b) for a, b, _ in self.spans})), self.units)

    def at_level(self, level: int) -> Segmentation:
        """Return a segmentation with a boundary wherever a segment of one level begins or ends.

        Parameters
        ----------
        level : int
            The level.

        Returns
        -------
        Segmentation

        Examples
        --------
        >>> Hierarchy.from_spans([(1, 10), (1, 4), (5, 10)], length=10).at_level(2).masses
        [4, 6]
        """
        return self._edges(self.segments[self.segments[:, 2] == level])

    def boundaries(self, level: int | None = None) -> Segmentation:
        """Return a segmentation with a boundary wherever a segment begins or ends.

        Parameters
        ----------
        level : int, default None
            Only segments of this level and outer ones; None takes all levels.

        Returns
        -------
        Segmentation

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
        sizes = f"{pluralize(len(self), 'segment')}, {pluralize(self.depth, 'level')}"
        drawn = f": {self.brackets}" if 0 < len(self) <= 24 else ""
        return f"Hierarchy({self.length} units, {sizes}{drawn})"

    @property
    def brackets(self) -> str:
        """The nesting in brackets, with ranges of units: ``[[1–4] [[5–7] 8–10]]``."""
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


def _validate_rows(segments: Any) -> NDArray[np.int64]:
    given = np.asarray(segments)
    if not given.size:
        return np.empty((0, 3), np.int64)
    if given.ndim != 2 or given.shape[1] != 3 or given.dtype.kind not in "iu":
        raise InvalidSegmentation("segments must be rows of whole numbers: first unit, last unit, level.")
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


def outermost_first(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the order in which a hierarchy keeps its segments: by level, then from left to right."""
    return np.lexsort((-rows[:, 1], rows[:, 0], rows[:, 2]))


def _check_nesting(rows: NDArray[np.int64]) -> None:
    """Check the segments in reading order, with a stack of those still open."""
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
                    "segments must be disjoint or nested."
                )
            if level <= outer[2]:
                raise InvalidSegmentation(
                    f"segment ({first}, {last}) has level {level} but lies inside ({outer[0]}, {outer[1]}) "
                    f"of level {outer[2]}; an inner segment has the higher level."
                )
        open_segments.append((first, last, level))
