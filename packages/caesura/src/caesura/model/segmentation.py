"""A segmentation: the boundaries that one coder placed in one text, or in one speaker's track of it.

Position ``p`` means *after unit p*: ``1 ≤ p ≤ n-1`` inside a text of ``n`` units. ``p = n`` is the closing boundary, which only
typed segmentations have (an utterance ends with "." or "?" too). In a recording positions are seconds, from 0 to its duration. A
segmentation is immutable and validated when it is created, so that code that receives one need not check it again.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import InvalidSegmentation
from caesura.model.conversion import (
    abbreviate,
    are_flags,
    as_list,
    check_marks,
    encode_types,
    positions_from_masses,
    shift_times,
    sort_types,
    split_typed_positions,
    validate_length,
    validate_positions,
    validate_start,
    validate_types,
)

#: A typed boundary: its position and its type, which is a name, or an integer on the ordinal scale.
Mark: TypeAlias = tuple[float, str | int]

_SHOWN = 24  # segments in a repr before the ellipsis


class ImmutableAnnotation:
    """Base class of annotations: values that do not change, with fields in the order in which ``_fill`` takes them."""

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]]
    _fill: Callable[..., None]  # sets the fields, once

    @classmethod
    def _trusted(cls, *values: Any, **named: Any) -> Self:
        """Create an annotation without checks, from arrays that are valid already (rows of a corpus, cumulated masses)."""
        annotation = object.__new__(cls)
        annotation._fill(*values, **named)
        return annotation

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self._fields)

    def with_units(self, units: Sequence[str] | None) -> Self:
        """Return the same annotation with another text.

        Parameters
        ----------
        units : sequence of str or None
            One string per unit; None removes the text.

        Returns
        -------
        Segmentation, Hierarchy or Spans
            The same class as this annotation.
        """
        return self._trusted(**dict(zip(self._fields, self._values(), strict=True)) | {"units": units})

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"annotations are immutable; create a new one instead of setting {name!r}.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"annotations are immutable; {name!r} cannot be deleted.")

    def __reduce__(self) -> tuple[Any, ...]:
        return restore, (type(self), *self._values())


def restore(kind: type[ImmutableAnnotation], *values: Any) -> ImmutableAnnotation:
    """Restore a pickled annotation."""
    return kind._trusted(*values)


class Segmentation(ImmutableAnnotation):
    """The boundaries of one text or recording, optionally with a type each.

    Two segmentations are equal if their lengths, positions and types are; the text and the names of segments do not count.

    Parameters
    ----------
    length : int or float
        The number of units (an int), or the duration in seconds (a float).
    positions : sequence of int or float, default ()
        Boundaries in ascending order. Position ``p`` is after unit ``p``, or ``p`` seconds into the recording.
    types : sequence of int, default None
        One code per boundary: an index into ``labels``, or without labels an integer on the ordinal scale. Two types at one
        position are two entries. None if boundaries have no types.
    labels : sequence of str, default None
        The names of the types, in their order on the ordinal scale.
    units : sequence of str, default None
        The text, one string per unit. It is shown and never compared.
    names : sequence of str, default None
        The name of each segment (phone, title, topic). Names are shown and used for grouping, and do not count for equality.
    start : float, default 0.0
        The time at which a recording begins, in seconds; a part of a longer recording need not begin at 0. Positions are absolute.

    Raises
    ------
    InvalidSegmentation
        If positions do not ascend, occur twice or lie outside the text, or if the other arguments do not fit them.

    Examples
    --------
    >>> Segmentation.from_masses([2, 3, 6])
    Segmentation(11 units: 2|3|6)
    >>> Segmentation.from_string("0100100000") == Segmentation.from_positions([2, 5], length=11)
    True
    """

    _fields = ("length", "positions", "types", "labels", "units", "names", "start")
    __slots__ = ("_distinct", *sorted(_fields))

    length: int | float
    positions: NDArray[Any]
    types: NDArray[np.int64] | None
    labels: tuple[str, ...] | None
    units: tuple[str, ...] | None
    names: tuple[str, ...] | None
    start: float
    _distinct: NDArray[Any] | None  # cached by distinct_positions

    def __init__(
        self,
        length: int | float,
        positions: Sequence[float] | NDArray[Any] = (),
        types: Sequence[int] | NDArray[Any] | None = None,
        labels: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
        names: Sequence[str] | None = None,
        start: float = 0.0,
    ) -> None:
        size = validate_length(length)
        begin = validate_start(start, timed=isinstance(size, float))
        where = validate_positions(positions, timed=isinstance(size, float))
        codes = None if types is None else validate_types(types, labels, len(where))
        if codes is not None:
            where, codes = sort_types(where, codes)
        check_marks(size, shift_times(where, -begin) if begin else where, codes)
        self._fill(size, where, codes, labels, units, names, begin)

    def _fill(
        self,
        length: int | float,
        positions: NDArray[Any],
        types: NDArray[np.int64] | None = None,
        labels: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
        names: Sequence[str] | None = None,
        start: float = 0.0,
    ) -> None:
        positions.flags.writeable = False
        put = object.__setattr__
        put(self, "length", length)
        put(self, "positions", positions)
        put(self, "_distinct", positions if types is None else None)
        put(self, "types", types)
        put(self, "labels", None if labels is None or types is None else tuple(labels))
        put(self, "units", None if units is None else tuple(units))
        put(self, "names", None if names is None else tuple(names))
        put(self, "start", start)
        if types is not None:
            types.flags.writeable = False
        if self.units is not None and len(self.units) != length:
            raise InvalidSegmentation(f"the text has {len(self.units)} units, the segmentation covers {length}.")
        if self.names is not None and len(self.names) != len(self._cuts()) + 1:
            raise InvalidSegmentation(
                f"{len(self.names)} segment names were given for {len(self._cuts()) + 1} segments."
            )

    # ------------------------------------------------------------------ constructors

    @classmethod
    def from_masses(cls, masses: Iterable[int], *, units: Sequence[str] | None = None) -> Segmentation:
        """Build a segmentation from segment sizes.

        Parameters
        ----------
        masses : iterable of int
            The size of each segment in units, 1 or more.
        units : sequence of str, default None
            The text, one string per unit.

        Returns
        -------
        Segmentation

        Examples
        --------
        >>> Segmentation.from_masses([2, 3, 6]).positions.tolist()
        [2, 5]
        """
        return cls._trusted(*positions_from_masses(masses), units=units)

    @classmethod
    def from_string(cls, string: str, *, boundary: str = "1") -> Segmentation:
        """Build a segmentation from a string as NLTK writes it.

        Parameters
        ----------
        string : str
            One character per potential boundary: ``n-1`` characters for ``n`` units.
        boundary : str, default "1"
            The character that marks a boundary.

        Returns
        -------
        Segmentation

        Examples
        --------
        >>> Segmentation.from_string("0100100000").masses
        [2, 3, 6]
        """
        if not isinstance(string, str):
            raise InvalidSegmentation(f"expected a string of potential boundaries, not {abbreviate(repr(string))}.")
        if not isinstance(boundary, str) or len(boundary) != 1:
            raise InvalidSegmentation(f"boundary must be one character, not {boundary!r}.")
        where = [i + 1 for i, c in enumerate(string) if c == boundary]
        return cls._trusted(len(string) + 1, np.array(where, dtype=np.int64))

    @classmethod
    def from_marks(cls, marks: Iterable[Any], *, boundary: Any = 1, units: Sequence[str] | None = None) -> Segmentation:
        """Build a segmentation from a list of one mark per potential boundary.

        Lists of marks are read by this constructor only, because a list of ones could also be masses.

        Parameters
        ----------
        marks : iterable
            ``n-1`` marks for ``n`` units: ``boundary`` where a segment ends, and one other value elsewhere.
        boundary : Any, default 1
            The value that marks a boundary.
        units : sequence of str, default None
            The text, one string per unit.

        Returns
        -------
        Segmentation

        Examples
        --------
        >>> Segmentation.from_marks([0, 1, 0], boundary=1).masses
        [2, 2]
        """
        listed = as_list(marks, "marks")
        kinds = list(dict.fromkeys(abbreviate(repr(mark)) for mark in listed if mark != boundary))
        if len(kinds) > 1:
            raise InvalidSegmentation(
                f"marks must be {boundary!r} at a boundary and one other value elsewhere; found {' and '.join(kinds[:3])}."
            )
        where = [i for i, mark in enumerate(listed, 1) if mark == boundary]
        return cls._trusted(len(listed) + 1, np.array(where, dtype=np.int64), units=units)

    @classmethod
    def from_positions(
        cls,
        positions: Iterable[Any],
        *,
        length: int,
        labels: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
    ) -> Segmentation:
        """Build a segmentation from boundary positions.

        Parameters
        ----------
        positions : iterable of int or of (int, str or int)
            Positions, or pairs of position and type. A type is a name or an integer on the ordinal scale.
        length : int
            The number of units.
        labels : sequence of str, default None
            The names of the types in their order on the ordinal scale; None orders them alphabetically.
        units : sequence of str, default None
            The text, one string per unit.

        Returns
        -------
        Segmentation

        Examples
        --------
        >>> Segmentation.from_positions([(2, "scene"), (5, "act")], length=11, labels=["scene", "act"])
        Segmentation(11 units: 2 scene|3 act|6)
        """
        listed = as_list(positions, "positions")
        if any(isinstance(p, (tuple, list)) for p in listed):
            where, codes, names = split_typed_positions(listed, labels)
            return cls(length, where, codes, names, units)
        if labels is not None and not listed:
            return cls(length, np.empty(0, np.int64), np.empty(0, np.int64), labels, units)
        return cls(length, listed, units=units)

    @classmethod
    def from_labels(cls, labels: Sequence[Any], *, units: Sequence[str] | None = None) -> Segmentation:
        """Build a segmentation from one segment label per unit; a segment ends where the label changes.

        Parameters
        ----------
        labels : sequence
            The label of each unit; labels become the names of the segments.
        units : sequence of str, default None
            The text, one string per unit.

        Returns
        -------
        Segmentation

        Examples
        --------
        >>> Segmentation.from_labels(["intro", "intro", "plot", "plot", "plot"]).masses
        [2, 3]
        """
        listed = as_list(labels, "segment labels")
        for unit, label in enumerate(listed, 1):
            if isinstance(label, np.ndarray) or label != label:  # NaN, a missing value, differs from itself
                raise InvalidSegmentation(
                    f"unit {unit} has the segment label {abbreviate(repr(label))}; expected a name."
                )
        cuts = [i for i in range(1, len(listed)) if listed[i] != listed[i - 1]]
        names = [str(listed[i]) for i in [0, *cuts]] if listed else None
        return cls._trusted(len(listed), np.array(cuts, dtype=np.int64), units=units, names=names)

    @classmethod
    def from_labels_at(
        cls,
        marks: Sequence[str],
        *,
        labels: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
    ) -> Segmentation:
        """Build a segmentation from one boundary type, or "", after every unit, including the last.

        Parameters
        ----------
        marks : sequence of str
            The boundary type after each unit, "" for no boundary.
        labels : sequence of str, default None
            The names of the types in their order on the ordinal scale; None orders them alphabetically.
        units : sequence of str, default None
            The text, one string per unit.

        Returns
        -------
        Segmentation

        Examples
        --------
        >>> Segmentation.from_labels_at(["", ",", "", "."])
        Segmentation(4 units: 2 ,|2 .)
        """
        every = as_list(marks, "marks")
        where, codes, names = split_typed_positions([(i, mark) for i, mark in enumerate(every, 1) if mark], labels)
        return cls(len(every), where, codes, names, units)

    @classmethod
    def from_spans(
        cls,
        spans: Iterable[tuple[int, int]],
        *,
        names: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
    ) -> Segmentation:
        """Build a segmentation from the first and last unit of every segment.

        Parameters
        ----------
        spans : iterable of (int, int)
            First and last unit, counted from 1, without gaps or overlaps.
        names : sequence of str, default None
            The name of each segment.
        units : sequence of str, default None
            The text, one string per unit.

        Returns
        -------
        Segmentation

        Examples
        --------
        >>> Segmentation.from_spans([(1, 2), (3, 5), (6, 11)]).masses
        [2, 3, 6]
        """
        expected, masses = 1, []
        for span in as_list(spans, "spans"):
            if not isinstance(span, (tuple, list, np.ndarray)) or len(span) != 2:
                raise InvalidSegmentation(f"a span is (first unit, last unit), not {abbreviate(repr(span))}.")
            first, last = span
            if first != expected or last < first:
                raise InvalidSegmentation(
                    f"span ({first}, {last}) leaves a gap or overlaps; the next segment must begin at unit {expected}."
                )
            masses.append(last - first + 1)
            expected = last + 1
        return cls._trusted(*positions_from_masses(masses), units=units, names=names)

    @classmethod
    def from_times(
        cls,
        times: Iterable[float],
        *,
        length: float | None = None,
        types: Iterable[str] | None = None,
        labels: Sequence[str] | None = None,
        names: Sequence[str] | None = None,
        start: float = 0.0,
    ) -> Segmentation:
        """Build a segmentation of a recording from boundary times in seconds.

        Parameters
        ----------
        times : iterable of float
            Boundaries in ascending order. A time that occurs twice counts twice, because a segmenter may place two boundaries there.
        length : float, default None
            The duration; None takes the last boundary.
        types : iterable of str, default None
            The type of each boundary.
        labels : sequence of str, default None
            The names of the types in their order on the ordinal scale; None orders them alphabetically.
        names : sequence of str, default None
            The name of each segment.
        start : float, default 0.0
            The time at which the recording begins; times are absolute, and the length counts from there.

        Returns
        -------
        Segmentation

        Examples
        --------
        >>> Segmentation.from_times([0.12, 0.31], length=0.5)
        Segmentation(0.5 s: 0.12|0.31)
        """
        where = validate_positions(times, timed=True)
        last = (
            float(shift_times(where[-1], -start)) if start and len(where) else float(where[-1]) if len(where) else 0.0
        )
        end = float(validate_length(length)) if length is not None else last
        if types is None:
            return cls(end, where, names=names, start=start)
        kinds = as_list(types, "types")
        if len(kinds) != len(where):
            raise InvalidSegmentation(f"{len(kinds)} types were given for {len(where)} boundaries.")
        pairs = list(zip(where.tolist(), kinds, strict=True))
        _, codes, known = split_typed_positions(pairs, labels)
        return cls(end, where, codes, known, names=names, start=start)

    @classmethod
    def parse(cls, text: str, *, separator: str = "|") -> Segmentation:
        """Build a segmentation from words with a separator between segments; the words become the text.

        Parameters
        ----------
        text : str
            Words and separators.
        separator : str, default "|"
            The separator of segments.

        Returns
        -------
        Segmentation

        Examples
        --------
        >>> Segmentation.parse("so twice | five miles of fertile ground").masses
        [2, 5]
        """
        if not isinstance(text, str) or not isinstance(separator, str) or not separator:
            raise InvalidSegmentation(
                f"text and separator must be strings, not {abbreviate(repr(text))} and {abbreviate(repr(separator))}."
            )
        parts = [part.split() for part in text.split(separator)]
        if len(parts) > 1 and not all(parts):
            empty = next(i for i, part in enumerate(parts, 1) if not part)
            raise InvalidSegmentation(
                f"segment {empty} holds no word: remove {separator!r} at the start or end, or one of two in a row."
            )
        return cls.from_masses([len(part) for part in parts if part], units=[word for part in parts for word in part])

    # ------------------------------------------------------------------ views

    @property
    def timed(self) -> bool:
        """Whether positions are seconds (True) or units (False)."""
        return isinstance(self.length, float)

    @property
    def end(self) -> int | float:
        """The end of the recording, start + length; the number of units of a text."""
        return float(shift_times(self.length, self.start)) if self.start else self.length

    @property
    def typed(self) -> bool:
        """Whether boundaries have types."""
        return self.types is not None

    @property
    def distinct_positions(self) -> NDArray[Any]:
        """Boundary positions without types: each position once, and no closing boundary."""
        if self._distinct is None:
            where = self.positions if self.timed else self.positions[self.positions < self.length]
            where = where[np.diff(where, prepend=-1.0) != 0]
            where.flags.writeable = False
            object.__setattr__(self, "_distinct", where)
        return self._distinct  # type: ignore[return-value]

    @property
    def places(self) -> NDArray[Any]:
        """Deprecated name of :attr:`distinct_positions`."""
        warnings.warn("Segmentation.places is deprecated; use distinct_positions", DeprecationWarning, stacklevel=2)
        return self.distinct_positions

    @property
    def masses(self) -> list[int] | list[float]:
        """The sizes of the segments, in units or seconds."""
        if not self.length:
            return []
        edges = np.concatenate(([self.start if self.timed else 0], self._cuts(), [self.end]))
        masses: list[int] | list[float] = np.diff(edges).tolist()
        return masses

    @property
    def string(self) -> str:
        """The segmentation as NLTK writes it: "1" or "0" for each potential boundary."""
        if isinstance(self.length, float):
            raise InvalidSegmentation(
                "a recording cannot be written as a string of potential boundaries, because its positions are seconds."
            )
        flags = np.full(max(self.length - 1, 0), ord("0"), dtype=np.uint8)
        flags[self._cuts() - 1] = ord("1")
        return flags.tobytes().decode("ascii")

    @property
    def spans(self) -> list[tuple[int, int]] | list[tuple[float, float]]:
        """The first and last unit of every segment, counted from 1; or its start and end in seconds."""
        if not self.length:
            return []
        cuts = self._cuts().tolist()
        if self.timed:
            return list(zip([self.start, *cuts], [*cuts, self.end], strict=True))
        return list(zip([1, *(c + 1 for c in cuts)], [*cuts, self.length], strict=True))

    @property
    def marks(self) -> list[Mark]:
        """Every typed boundary as (position, type); the type is a name, or an integer without labels."""
        if self.types is None:
            raise InvalidSegmentation("this segmentation has no types; its boundaries are in .positions.")
        where, codes = self.positions.tolist(), self.types.tolist()
        if self.labels is None:
            return list(zip(where, codes, strict=True))
        return [(p, self.labels[t]) for p, t in zip(where, codes, strict=True)]

    @property
    def labels_at(self) -> list[str]:
        """The boundary type, or "", after every unit; an error if a position has two types."""
        at = [""] * int(self.length)
        for position, kind in self.marks:
            if at[int(position) - 1]:
                raise InvalidSegmentation(
                    f"position {position} carries two types, {at[int(position) - 1]!r} and {kind!r}."
                )
            at[int(position) - 1] = str(kind)
        return at

    def with_labels(self, labels: Sequence[str]) -> Segmentation:
        """Return the same segmentation with its type names on another ordinal scale.

        Parameters
        ----------
        labels : sequence of str
            The names of the types in their new order; it must have all names that occur.

        Returns
        -------
        Segmentation
        """
        if self.types is None or self.labels is None:
            return self
        codes = [code for _, code in encode_types(self.marks, labels)]
        return Segmentation(self.length, self.positions, codes, labels, self.units, self.names, self.start)

    def relative(self) -> Segmentation:
        """Return the same segmentation with times that count from its start.

        Returns
        -------
        Segmentation

        Examples
        --------
        >>> Segmentation(2.0, [3.5], start=3.0).relative()
        Segmentation(2 s: 0.5)
        """
        if not self.start:
            return self
        where = shift_times(self.positions, -self.start)
        return self._trusted(self.length, where, self.types, self.labels, self.units, self.names)

    def starting_at(self, start: float) -> Segmentation:
        """Return the same segmentation, moved in time so that it begins at another time.

        Parameters
        ----------
        start : float
            The new start in seconds.

        Returns
        -------
        Segmentation
        """
        if start == self.start:
            return self
        where = shift_times(self.relative().positions, start)
        return self._trusted(self.length, where, self.types, self.labels, self.units, self.names, float(start))

    def _cuts(self) -> NDArray[Any]:
        """Return the distinct boundaries inside the text, between two segments."""
        inside = self.positions[(self.positions > self.start) & (self.positions < self.end)]
        return inside if len(inside) < 2 else inside[np.concatenate(([True], np.diff(inside) > 0))]

    # ------------------------------------------------------------------ equality and display

    def __len__(self) -> int:
        """Return the number of segments."""
        return len(self._cuts()) + 1 if self.length else 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Segmentation):
            return NotImplemented
        if (
            self.length != other.length
            or self.start != other.start
            or self.timed != other.timed
            or self.typed != other.typed
        ):
            return False
        if not np.array_equal(self.positions, other.positions):
            return False
        return self.types is None or sorted(map(str, self.marks)) == sorted(map(str, other.marks))

    def __hash__(self) -> int:
        return hash((self.length, self.positions.tobytes()))

    def __repr__(self) -> str:
        unit = "s" if self.timed else "unit" if self.length == 1 else "units"
        begin = f" from {self.start:g}" if self.start else ""
        return f"Segmentation({self.length:g} {unit}{begin}: {self._sketch()})"

    def _sketch(self) -> str:
        parts = [f"{p:g}" for p in self.positions[:_SHOWN]] if self.timed else [f"{m}" for m in self.masses[:_SHOWN]]
        if self.types is not None:
            kinds: dict[float, list[str]] = {}
            for position, kind in self.marks[: _SHOWN * 4]:
                kinds.setdefault(position, []).append(str(kind))
            ends = self.positions.tolist() if self.timed else [last for _, last in self.spans]
            parts = [" ".join([part, *kinds.get(end, [])]) for part, end in zip(parts, ends, strict=False)]
        total = len(self.positions) if self.timed else len(self)
        return "|".join(parts) + ("|…" if total > _SHOWN else "")

    def _repr_html_(self) -> str:
        """Draw the segments as blocks whose widths are proportional to their sizes."""
        blocks = []
        for (first, last), mass in zip(self.spans[:500], self.masses[:500], strict=True):
            if self.units is not None:
                text, title = " ".join(self.units[int(first) - 1 : int(last)]), f"units {first}–{last}"
            else:
                text, title = f"{mass:g}", f"{first:g}–{last:g}"
            blocks.append(
                f'<span title="{escape(title)}" dir="auto" style="flex:{mass:g} 1 0;border-right:2px solid;padding:2px 4px;'
                f'overflow:hidden;text-overflow:ellipsis;white-space:nowrap">{escape(text)}</span>'
            )
        return f'<div style="display:flex;border:1px solid;border-right:0" role="img">{"".join(blocks)}</div>'


#: What functions accept as a segmentation: the object, masses, or an NLTK-style string.
SegmentationLike: TypeAlias = Segmentation | Sequence[int] | NDArray[Any] | str


def as_segmentation(value: SegmentationLike) -> Segmentation:
    """Convert a value to a segmentation.

    Parameters
    ----------
    value : Segmentation, sequence of int, array or str
        A segmentation, which is returned unchanged; segment sizes; or 0 and 1 for every potential boundary, as a string or a list.

    Returns
    -------
    Segmentation

    Examples
    --------
    >>> as_segmentation([2, 3, 6]) == as_segmentation("0100100000") == as_segmentation([0, 1, 0, 0, 1, 0, 0, 0, 0, 0])
    True
    """
    if isinstance(value, Segmentation):
        return value
    if isinstance(value, str):
        if value.strip("01"):
            raise InvalidSegmentation(
                f"the string {abbreviate(value)!r} has characters other than 0 and 1; use Segmentation.parse for words with separators."
            )
        return Segmentation.from_string(value)
    try:
        return Segmentation.from_masses(value)
    except InvalidSegmentation:
        if are_flags([value]):  # no mass is 0 or a boolean, so these are marks of potential boundaries
            return Segmentation.from_marks([int(mark) for mark in value])
        raise
