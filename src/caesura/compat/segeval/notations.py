"""The four ways in which segeval writes a segmentation, and how each becomes marks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from caesura.compat.segeval.calls import SegmentationMetricError
from caesura.model import Segmentation

_ONE = frozenset((1,))


class BoundaryFormat:
    """How a segmentation is written: masses, labels of units, sets of types per place, or NLTK's string."""

    position = "position"
    mass = "mass"
    sets = "sets"
    nltk = "nltk"


class TypedMarks(NamedTuple):
    """How many places a text has, and the types at each place that has any, the first place 0."""

    places: int
    types: dict[int, frozenset[int]]
    untyped: Segmentation | None = None  # as it was read, where it has no types

    @property
    def known(self) -> frozenset[int]:
        """The types that occur."""
        return frozenset().union(*self.types.values())

    @property
    def number(self) -> int:
        """How many boundaries there are."""
        return sum(map(len, self.types.values()))

    @property
    def plain(self) -> Segmentation:
        """The boundaries without their types."""
        return self.untyped or Segmentation(self.places + 1, [place + 1 for place in self.types])

    @property
    def masses(self) -> list[int]:
        """The sizes of segments."""
        return list(_masses(self.plain))

    @property
    def typed(self) -> Segmentation:
        """The boundaries with their types."""
        listed = [(place + 1, each) for place, types in self.types.items() for each in sorted(types)]
        return Segmentation(self.places + 1, [place for place, _ in listed], [each for _, each in listed])


def read_marks(segmentation: Any, boundary_format: Any) -> TypedMarks:
    """Take a segmentation in one of the formats; what segeval takes by mistake for one, a number, is its only mass."""
    if boundary_format == BoundaryFormat.sets:
        return _from_sets(segmentation)
    if boundary_format == BoundaryFormat.nltk:
        marks = Segmentation.from_string(segmentation)
    elif boundary_format == BoundaryFormat.position:
        marks = Segmentation.from_masses(convert_positions_to_masses(segmentation))
    elif boundary_format == BoundaryFormat.mass:
        marks = Segmentation.from_masses(read_masses(segmentation))
    else:
        raise SegmentationMetricError("Unsupported boundary format")
    return TypedMarks(int(marks.length) - 1, dict.fromkeys((marks.positions - 1).tolist(), _ONE), marks)


def read_masses(segmentation: Any) -> list[int]:
    """Take masses, or one mass for a list of it; an empty segment at the end parts nothing."""
    masses = [segmentation] if isinstance(segmentation, int) else list(segmentation)
    while masses and masses[-1] == 0:
        masses.pop()
    return masses


def _from_sets(string: Sequence[Iterable[int]]) -> TypedMarks:
    types = {place: frozenset(kinds) for place, kinds in enumerate(string) if kinds}
    if wrong := [kind for kinds in types.values() for kind in kinds if not isinstance(kind, int)]:
        raise SegmentationMetricError(f"boundary types are whole numbers, not {wrong[0]!r}.")
    return TypedMarks(len(string), types)


def convert_positions_to_masses(positions: Iterable[Any]) -> tuple[int, ...]:
    """Turn the label of every unit into masses.

    >>> convert_positions_to_masses([1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3])
    (5, 3, 5)
    """
    return _masses(Segmentation.from_labels(list(positions)))


def convert_masses_to_positions(masses: Iterable[int]) -> tuple[int, ...]:
    """Number the segment of every unit.

    >>> convert_masses_to_positions([2, 3])
    (1, 1, 2, 2, 2)
    """
    return tuple(number for number, mass in enumerate(masses, 1) for _ in range(mass))


def boundary_string_from_masses(masses: Sequence[int]) -> tuple[frozenset[int], ...]:
    """Turn masses into the set of types at every place: 1 where a segment ends.

    >>> boundary_string_from_masses([2, 1])
    (frozenset(), frozenset({1}))
    """
    ends = {end - 1 for end in accumulate(masses)}
    return tuple(_ONE if place in ends else frozenset() for place in range(sum(masses) - 1))


def convert_nltk_to_masses(string: str, boundary_symbol: str = "1") -> tuple[int, ...]:
    """Turn NLTK's string into masses.

    >>> convert_nltk_to_masses("0100100000")
    (2, 3, 6)
    """
    return _masses(Segmentation.from_string(string, boundary=boundary_symbol))


def _masses(marks: Segmentation) -> tuple[int, ...]:
    return tuple(map(int, marks.masses))
