"""A segmentation: the marks one coder put into one text, or into one speaker's stream of it.

Position ``p`` means *after unit p*: ``1 ≤ p ≤ n-1`` inside a text of ``n`` units. ``p = n`` is the closing boundary, which
only typed segmentations carry (an utterance ends with "." or "?" too). In a recording positions are seconds, from 0 to its
duration. A segmentation is immutable and was validated when it was made: whoever holds one may trust it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import InvalidSegmentation
from caesura.model.marks import (
    check_marks,
    checked_length,
    checked_positions,
    checked_types,
    code_types,
    cumulate,
    in_order,
    members,
    short,
    split_marks,
)

#: What stands at a position when types are given: a name, or an integer that is its own place on the ordinal scale.
Mark: TypeAlias = tuple[float, str | int]

_SHOWN = 24  # segments that a repr spells out before it writes an ellipsis


class Frozen:
    """An annotation: a value that does not change, known by its fields in the order in which ``_fill`` takes them."""

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]]
    _fill: Callable[..., None]  # sets the fields, once

    @classmethod
    def _trusted(cls, *values: Any, **named: Any) -> Self:
        """Skip the checks: for arrays that were validated already (a corpus' rows, cumulated masses)."""
        annotation = object.__new__(cls)
        annotation._fill(*values, **named)
        return annotation

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self._fields)

    def with_units(self, units: Sequence[str] | None) -> Self:
        """Put the same marks on a text (or on none)."""
        return self._trusted(**dict(zip(self._fields, self._values(), strict=True)) | {"units": units})

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"annotations do not change; make a new one instead of setting {name!r}.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"annotations do not change; {name!r} stays.")

    def __reduce__(self) -> tuple[Any, ...]:
        return restore, (type(self), *self._values())


def restore(kind: type[Frozen], *values: Any) -> Frozen:
    """Make an annotation again of what was pickled."""
    return kind._trusted(*values)


class Segmentation(Frozen):
    """Where the segments of one text end, and of what type each boundary is.

    Parameters
    ----------
    length
        Number of units, as an integer; or the duration in seconds, as a float.
    positions
        Boundaries in ascending order. Position ``p`` means after unit ``p``, or ``p`` seconds into the recording.
    types
        One code per boundary, or None. With ``labels`` a code is an index into them; without, an integer that is its own
        place on the ordinal scale. Two types at one position are two entries.
    labels
        The names of the types, in their order on the ordinal scale.
    units
        The text itself, one string per unit. It is shown, never compared.
    names
        What the segments are called (phones, titles, topics), one per segment. Shown and used for grouping, never compared.

    Notes
    -----
    Two segmentations are equal when their lengths and marks are; the text and the names of segments do not count.

    Examples
    --------
    >>> Segmentation.from_masses([2, 3, 6])
    Segmentation(11 units: 2|3|6)
    >>> Segmentation.from_string("0100100000") == Segmentation.from_positions([2, 5], length=11)
    True
    """

    _fields = ("length", "positions", "types", "labels", "units", "names")
    __slots__ = ("_places", *sorted(_fields))

    length: int | float
    positions: NDArray[Any]
    types: NDArray[np.int64] | None
    labels: tuple[str, ...] | None
    units: tuple[str, ...] | None
    names: tuple[str, ...] | None
    _places: NDArray[Any] | None  # worked out when asked for

    def __init__(
        self,
        length: int | float,
        positions: Sequence[float] | NDArray[Any] = (),
        types: Sequence[int] | NDArray[Any] | None = None,
        labels: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        size = checked_length(length)
        where = checked_positions(positions, timed=isinstance(size, float))
        codes = None if types is None else checked_types(types, labels, len(where))
        if codes is not None:
            where, codes = in_order(where, codes)
        check_marks(size, where, codes)
        self._fill(size, where, codes, labels, units, names)

    def _fill(
        self,
        length: int | float,
        positions: NDArray[Any],
        types: NDArray[np.int64] | None = None,
        labels: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        positions.flags.writeable = False
        put = object.__setattr__
        put(self, "length", length)
        put(self, "positions", positions)
        put(self, "_places", positions if types is None else None)
        put(self, "types", types)
        put(self, "labels", None if labels is None or types is None else tuple(labels))
        put(self, "units", None if units is None else tuple(units))
        put(self, "names", None if names is None else tuple(names))
        if types is not None:
            types.flags.writeable = False
        if self.units is not None and len(self.units) != length:
            raise InvalidSegmentation(f"the text has {len(self.units)} units, the segmentation covers {length}.")
        if self.names is not None and len(self.names) != len(self._cuts()) + 1:
            raise InvalidSegmentation(
                f"{len(self.names)} segment names were given for {len(self._cuts()) + 1} segments."
            )

    # ------------------------------------------------------------------ made from what people have

    @classmethod
    def from_masses(cls, masses: Iterable[int], *, units: Sequence[str] | None = None) -> Segmentation:
        """Build from segment sizes, in units.

        >>> Segmentation.from_masses([2, 3, 6]).positions.tolist()
        [2, 5]
        """
        return cls._trusted(*cumulate(masses), units=units)

    @classmethod
    def from_string(cls, string: str, *, boundary: str = "1") -> Segmentation:
        """Build from one character per potential boundary, as NLTK writes them; ``n-1`` characters for ``n`` units.

        >>> Segmentation.from_string("0100100000").masses
        [2, 3, 6]
        """
        if not isinstance(string, str):
            raise InvalidSegmentation(f"a string of potential boundaries was expected, not {short(repr(string))}.")
        if not isinstance(boundary, str) or len(boundary) != 1:
            raise InvalidSegmentation(f"boundary must be one character, not {boundary!r}.")
        where = [i + 1 for i, c in enumerate(string) if c == boundary]
        return cls._trusted(len(string) + 1, np.array(where, dtype=np.int64))

    @classmethod
    def from_marks(cls, marks: Iterable[Any], *, boundary: Any = 1, units: Sequence[str] | None = None) -> Segmentation:
        """Build from a list of one mark per potential boundary: ``n-1`` marks for ``n`` units, ``boundary`` where a segment ends.

        A list of 1 alone could as well be masses, so that lists of marks are read here and nowhere else.

        >>> Segmentation.from_marks([0, 1, 0], boundary=1).masses
        [2, 2]
        """
        listed = members(marks, "marks")
        kinds = list(dict.fromkeys(short(repr(mark)) for mark in listed if mark != boundary))
        if len(kinds) > 1:
            raise InvalidSegmentation(
                f"marks are {boundary!r} where a boundary is and one other value where none is; found {' and '.join(kinds[:3])}."
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
        """Build from boundary positions, plain or typed.

        Types are names, placed on the ordinal scale by ``labels`` (default: in alphabetical order), or integers.

        >>> Segmentation.from_positions([(2, "scene"), (5, "act")], length=11, labels=["scene", "act"])
        Segmentation(11 units: 2 scene|3 act|6)
        """
        listed = members(positions, "positions")
        if any(isinstance(p, (tuple, list)) for p in listed):
            where, codes, names = split_marks(listed, labels)
            return cls(length, where, codes, names, units)
        if labels is not None and not listed:
            return cls(length, np.empty(0, np.int64), np.empty(0, np.int64), labels, units)
        return cls(length, listed, units=units)

    @classmethod
    def from_labels(cls, labels: Sequence[Any], *, units: Sequence[str] | None = None) -> Segmentation:
        """Build from one segment label per unit: a segment ends where the label changes. The labels name the segments.

        >>> Segmentation.from_labels(["intro", "intro", "plot", "plot", "plot"]).masses
        [2, 3]
        """
        listed = members(labels, "segment labels")
        for unit, label in enumerate(listed, 1):
            if isinstance(label, np.ndarray) or label != label:  # what is missing differs from itself
                raise InvalidSegmentation(f"unit {unit} has {short(repr(label))} for a segment label; expected a name.")
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
        """Build from one boundary type, or "", after every unit; the closing one included.

        >>> Segmentation.from_labels_at(["", ",", "", "."])
        Segmentation(4 units: 2 ,|2 .)
        """
        every = members(marks, "marks")
        where, codes, names = split_marks([(i, mark) for i, mark in enumerate(every, 1) if mark], labels)
        return cls(len(every), where, codes, names, units)

    @classmethod
    def from_spans(
        cls,
        spans: Iterable[tuple[int, int]],
        *,
        names: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
    ) -> Segmentation:
        """Build from the first and last unit of every segment, counted from 1, without gaps or overlaps.

        >>> Segmentation.from_spans([(1, 2), (3, 5), (6, 11)]).masses
        [2, 3, 6]
        """
        expected, masses = 1, []
        for span in members(spans, "spans"):
            if not isinstance(span, (tuple, list, np.ndarray)) or len(span) != 2:
                raise InvalidSegmentation(f"a span is (first unit, last unit), not {short(repr(span))}.")
            first, last = span
            if first != expected or last < first:
                raise InvalidSegmentation(
                    f"span ({first}, {last}) does not follow on: the next segment must begin at unit {expected}."
                )
            masses.append(last - first + 1)
            expected = last + 1
        return cls._trusted(*cumulate(masses), units=units, names=names)

    @classmethod
    def from_times(
        cls,
        times: Iterable[float],
        *,
        length: float | None = None,
        types: Iterable[str] | None = None,
        labels: Sequence[str] | None = None,
        names: Sequence[str] | None = None,
    ) -> Segmentation:
        """Build from boundary times in seconds; ``length`` is the duration (default: the last boundary).

        Times ascend; a time given twice is kept twice, because a segmenter that fires twice makes two marks.

        >>> Segmentation.from_times([0.12, 0.31], length=0.5)
        Segmentation(0.5 s: 0.12|0.31)
        """
        where = checked_positions(times, timed=True)
        end = float(checked_length(length)) if length is not None else float(where[-1]) if len(where) else 0.0
        if types is None:
            return cls(end, where, names=names)
        kinds = members(types, "types")
        if len(kinds) != len(where):
            raise InvalidSegmentation(f"{len(kinds)} types were given for {len(where)} boundaries.")
        pairs = list(zip(where.tolist(), kinds, strict=True))
        _, codes, known = split_marks(pairs, labels)
        return cls(end, where, codes, known, names=names)

    @classmethod
    def parse(cls, text: str, *, separator: str = "|") -> Segmentation:
        """Build from words with a separator between segments; the words are kept as the text.

        >>> Segmentation.parse("so twice | five miles of fertile ground").masses
        [2, 5]
        """
        if not isinstance(text, str) or not isinstance(separator, str) or not separator:
            raise InvalidSegmentation(
                f"a text and its separator are strings, not {short(repr(text))} and {short(repr(separator))}."
            )
        parts = [part.split() for part in text.split(separator)]
        if len(parts) > 1 and not all(parts):
            place = next(i for i, part in enumerate(parts, 1) if not part)
            raise InvalidSegmentation(
                f"segment {place} holds no word: two {separator!r} meet, or one stands at an edge."
            )
        return cls.from_masses([len(part) for part in parts if part], units=[word for part in parts for word in part])

    # ------------------------------------------------------------------ seen as people need it

    @property
    def timed(self) -> bool:
        """Whether positions are seconds rather than units."""
        return isinstance(self.length, float)

    @property
    def typed(self) -> bool:
        """Whether boundaries carry types."""
        return self.types is not None

    @property
    def places(self) -> NDArray[Any]:
        """Where boundaries stand, for whoever does not look at types: of several at one place one, and none that closes a text."""
        if self._places is None:
            where = self.positions if self.timed else self.positions[self.positions < self.length]
            where = where[np.diff(where, prepend=-1.0) != 0]
            where.flags.writeable = False
            object.__setattr__(self, "_places", where)
        return self._places  # type: ignore[return-value]

    @property
    def masses(self) -> list[int] | list[float]:
        """Sizes of the segments, in units or seconds; the closing boundary adds none."""
        if not self.length:
            return []
        edges = np.concatenate(([0], self._cuts(), [self.length]))
        masses: list[int] | list[float] = np.diff(edges).tolist()
        return masses

    @property
    def string(self) -> str:
        """One character a potential boundary: "1" where a segment ends, else "0"."""
        if isinstance(self.length, float):
            raise InvalidSegmentation("a recording has no string of potential boundaries: its positions are seconds.")
        flags = np.full(max(self.length - 1, 0), ord("0"), dtype=np.uint8)
        flags[self._cuts() - 1] = ord("1")
        return flags.tobytes().decode("ascii")

    @property
    def spans(self) -> list[tuple[int, int]] | list[tuple[float, float]]:
        """First and last unit of every segment, counted from 1; or its start and end in seconds."""
        if not self.length:
            return []
        cuts = self._cuts().tolist()
        if self.timed:
            return list(zip([0.0, *cuts], [*cuts, self.length], strict=True))
        return list(zip([1, *(c + 1 for c in cuts)], [*cuts, self.length], strict=True))

    @property
    def marks(self) -> list[Mark]:
        """Every typed boundary as (position, type): the name where there are labels, else the integer."""
        if self.types is None:
            raise InvalidSegmentation("this segmentation has no types; its boundaries are in .positions.")
        where, codes = self.positions.tolist(), self.types.tolist()
        if self.labels is None:
            return list(zip(where, codes, strict=True))
        return [(p, self.labels[t]) for p, t in zip(where, codes, strict=True)]

    @property
    def labels_at(self) -> list[str]:
        """One type, or "", after every unit; refused where two types share a position."""
        at = [""] * int(self.length)
        for position, kind in self.marks:
            if at[int(position) - 1]:
                raise InvalidSegmentation(
                    f"position {position} carries two types, {at[int(position) - 1]!r} and {kind!r}."
                )
            at[int(position) - 1] = str(kind)
        return at

    def with_labels(self, labels: Sequence[str]) -> Segmentation:
        """Place the same named types on another ordinal scale."""
        if self.types is None or self.labels is None:
            return self
        codes = [code for _, code in code_types(self.marks, labels)]
        return Segmentation(self.length, self.positions, codes, labels, self.units, self.names)

    def _cuts(self) -> NDArray[Any]:
        """Distinct boundaries inside the text: what separates one segment from the next."""
        inside = self.positions[(self.positions > 0) & (self.positions < self.length)]
        return inside if len(inside) < 2 else inside[np.concatenate(([True], np.diff(inside) > 0))]

    # ------------------------------------------------------------------ a value like any other

    def __len__(self) -> int:
        """Return the number of segments."""
        return len(self._cuts()) + 1 if self.length else 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Segmentation):
            return NotImplemented
        if self.length != other.length or self.timed != other.timed or self.typed != other.typed:
            return False
        if not np.array_equal(self.positions, other.positions):
            return False
        return self.types is None or sorted(map(str, self.marks)) == sorted(map(str, other.marks))

    def __hash__(self) -> int:
        return hash((self.length, self.positions.tobytes()))

    def __repr__(self) -> str:
        unit = "s" if self.timed else "unit" if self.length == 1 else "units"
        return f"Segmentation({self.length:g} {unit}: {self._sketch()})"

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
        """Draw the segments as one bar of blocks, as wide as they are long."""
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


#: What functions accept where they want a segmentation: the thing itself, masses, or an NLTK-style string.
SegmentationLike: TypeAlias = Segmentation | Sequence[int] | NDArray[Any] | str


def as_segmentation(value: SegmentationLike) -> Segmentation:
    """Return ``value`` as a Segmentation: itself, a list or array of masses, or a string of 0 and 1.

    >>> as_segmentation([2, 3, 6]) == as_segmentation("0100100000")
    True
    """
    if isinstance(value, Segmentation):
        return value
    if isinstance(value, str):
        if value.strip("01"):
            raise InvalidSegmentation(
                f"the string {short(value)!r} holds more than 0 and 1; Segmentation.parse reads words with separators."
            )
        return Segmentation.from_string(value)
    return Segmentation.from_masses(value)
