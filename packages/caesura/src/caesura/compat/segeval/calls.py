"""How segeval's functions are called: boundary formats, pairs of segmentations, and datasets with all their pairs of coders."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from itertools import accumulate, combinations
from typing import Any, NamedTuple

from caesura.errors import CaesuraError
from caesura.model import Segmentation

_TYPE_1 = frozenset((1,))


class SegmentationMetricError(CaesuraError):
    """Segmentations or arguments that a metric cannot handle."""


class SegevalDiffers(UserWarning):
    """Our value differs from segeval's; the message says why. ``strict=True`` gives segeval's value."""


# ---------------------------------------------------------------------- calls


@dataclass
class SegevalCall:
    """One call by the user.

    Parameters
    ----------
    strict : bool
        Whether to reproduce segeval's bugs.
    differences : dict of str to None, optional
        Why our value differs from segeval's: an ordered set of sentences.
    """

    strict: bool
    differences: dict[str, None] = field(default_factory=dict)

    def reproduces_bug(self, difference: str) -> bool:
        """Whether to reproduce a bug of segeval; if not, note the difference for the warning."""
        if not self.strict:
            self.differences[difference] = None
        return self.strict

    def warn(self, stacklevel: int) -> None:
        """Report all differences in one warning."""
        if self.differences:
            reasons = "; ".join(self.differences)
            message = f"this value differs from segeval's: {reasons}. Pass strict=True for segeval's value."
            warnings.warn(message, SegevalDiffers, stacklevel=stacklevel + 1)


def segeval_function(compute: Callable[..., Any]) -> Callable[..., Any]:
    """Make a public function of one whose first parameter is a :class:`SegevalCall`.

    The public function takes the keyword ``strict`` instead, raises segeval's errors and warns at most once per call.
    """

    @wraps(compute)
    def public(*arguments: Any, strict: bool | SegevalCall = False, **named: Any) -> Any:
        call = strict if isinstance(strict, SegevalCall) else SegevalCall(strict)
        try:
            result = compute(call, *arguments, **named)
        except SegmentationMetricError:
            raise
        except CaesuraError as error:
            raise SegmentationMetricError(str(error)) from None
        if call is not strict:  # the outermost call warns for those that it makes
            call.warn(stacklevel=2)
        return result

    return public


def pairwise_function(*, permuted: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a public function for pairs and datasets of one with the parameters (call, hypothesis, reference, …).

    Parameters
    ----------
    permuted : bool, default False
        Whether a dataset's pairs of coders are compared in both directions.
    """

    def decorate(compute: Callable[..., Any]) -> Callable[..., Any]:
        @segeval_function
        @wraps(compute)
        def compare(call: SegevalCall, *arguments: Any, permuted: bool = permuted, **options: Any) -> Any:
            sides = _parse_arguments(arguments, options)
            if not all(isinstance(side, Mapping) for side in sides):
                return compute(call, *sides, **options)
            formats = [getattr(side, "boundary_format", BoundaryFormat.mass) for side in sides]
            if formats[0] != formats[-1]:
                raise SegmentationMetricError(
                    f"Datasets contain differing boundary formats; {formats[0]} != {formats[1]}"
                )
            options["boundary_format"] = formats[0]
            return {
                ",".join(map(str, names)): compute(call, *pair, **options)
                for names, *pair in _coder_pairs(sides, permuted)
            }

        return compare

    return decorate


def _parse_arguments(arguments: tuple[Any, ...], options: dict[str, Any]) -> list[Any]:
    """Take hypothesis and reference, or one or two datasets, from the positional or the named arguments."""
    sides = list(arguments)
    if not sides and {"hypothesis", "reference"} <= options.keys():
        sides = [options.pop("hypothesis"), options.pop("reference")]
    elif not sides and "dataset" in options:
        sides = [options.pop("dataset")]
    if len(sides) == 2 or (len(sides) == 1 and isinstance(sides[0], Mapping)):
        return sides
    raise SegmentationMetricError(f"expected a hypothesis and a reference, or one dataset; got {len(sides)} arguments.")


def _coder_pairs(datasets: list[Mapping[str, Mapping[str, Any]]], permuted: bool) -> Iterator[tuple[Any, ...]]:
    """Yield (item, coder, coder), segmentation, segmentation: within one dataset, or between two."""
    first, other = datasets[0], datasets[-1]
    for item, coded in first.items():
        if len(datasets) == 2:
            others = other.get(item, {})
            yield from (((item, m, n), coded[m], others[n]) for m in coded for n in others)
            continue
        for m, n in combinations(coded, 2):
            yield (item, m, n), coded[m], coded[n]
            if permuted:
                yield (item, n, m), coded[n], coded[m]


# ---------------------------------------------------------------------- boundary formats


class BoundaryFormat:
    """How a segmentation is written: masses, a label per unit, a set of types per gap, or NLTK's string."""

    position = "position"
    mass = "mass"
    sets = "sets"
    nltk = "nltk"


class BoundarySets(NamedTuple):
    """The boundary types at each gap between two units."""

    gaps: int  # how many there are
    types: dict[int, frozenset[int]]  # gap (from 0) -> its types; gaps without a boundary are left out
    segmentation: Segmentation | None = None  # as it was parsed, if it has no types

    @property
    def all_types(self) -> frozenset[int]:
        """The types that occur."""
        return frozenset().union(*self.types.values())

    @property
    def boundary_count(self) -> int:
        """The number of boundaries."""
        return sum(map(len, self.types.values()))

    @property
    def untyped(self) -> Segmentation:
        """The boundaries without their types."""
        return self.segmentation or Segmentation(self.gaps + 1, [gap + 1 for gap in self.types])

    @property
    def typed(self) -> Segmentation:
        """The boundaries with their types."""
        boundaries = [(gap + 1, each) for gap, types in self.types.items() for each in sorted(types)]
        return Segmentation(self.gaps + 1, [p for p, _ in boundaries], [each for _, each in boundaries])

    @property
    def masses(self) -> list[int]:
        """The lengths of the segments."""
        return list(_masses(self.untyped))


def parse_segmentation(segmentation: Any, boundary_format: Any) -> BoundarySets:
    """Parse a segmentation in one of segeval's formats."""
    if boundary_format == BoundaryFormat.sets:
        return _parse_sets(segmentation)
    if boundary_format == BoundaryFormat.nltk:
        marks = Segmentation.from_string(segmentation)
    elif boundary_format == BoundaryFormat.position:
        marks = Segmentation.from_masses(convert_positions_to_masses(segmentation))
    elif boundary_format == BoundaryFormat.mass:
        marks = Segmentation.from_masses(parse_masses(segmentation))
    else:
        raise SegmentationMetricError("Unsupported boundary format")
    return BoundarySets(int(marks.length) - 1, dict.fromkeys((marks.positions - 1).tolist(), _TYPE_1), marks)


def parse_masses(segmentation: Any) -> list[int]:
    """Return a list of masses without empty segments at its end; like segeval, take a single number for a list of it."""
    masses = [segmentation] if isinstance(segmentation, int) else list(segmentation)
    while masses and masses[-1] == 0:
        masses.pop()
    return masses


def _parse_sets(string: Sequence[Iterable[int]]) -> BoundarySets:
    types = {gap: frozenset(kinds) for gap, kinds in enumerate(string) if kinds}
    if invalid := [kind for kinds in types.values() for kind in kinds if not isinstance(kind, int)]:
        raise SegmentationMetricError(f"boundary types must be integers, not {invalid[0]!r}.")
    return BoundarySets(len(string), types)


def convert_positions_to_masses(positions: Iterable[Any]) -> tuple[int, ...]:
    """Convert the segment label of every unit to masses.

    Parameters
    ----------
    positions : iterable
        One label per unit.

    Returns
    -------
    tuple of int
        The length of each segment.

    Examples
    --------
    >>> convert_positions_to_masses([1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3])
    (5, 3, 5)
    """
    return _masses(Segmentation.from_labels(list(positions)))


def convert_masses_to_positions(masses: Iterable[int]) -> tuple[int, ...]:
    """Convert masses to the number of the segment that every unit belongs to.

    Parameters
    ----------
    masses : iterable of int
        The length of each segment.

    Returns
    -------
    tuple of int
        One segment number per unit, from 1.

    Examples
    --------
    >>> convert_masses_to_positions([2, 3])
    (1, 1, 2, 2, 2)
    """
    return tuple(number for number, mass in enumerate(masses, 1) for _ in range(mass))


def boundary_string_from_masses(masses: Sequence[int]) -> tuple[frozenset[int], ...]:
    """Convert masses to the set of boundary types at every gap.

    Parameters
    ----------
    masses : sequence of int
        The length of each segment.

    Returns
    -------
    tuple of frozenset of int
        ``{1}`` where a segment ends, else the empty set; the end of the text is no gap.

    Examples
    --------
    >>> boundary_string_from_masses([2, 1])
    (frozenset(), frozenset({1}))
    """
    ends = {end - 1 for end in accumulate(masses)}
    return tuple(_TYPE_1 if gap in ends else frozenset() for gap in range(sum(masses) - 1))


def convert_nltk_to_masses(string: str, boundary_symbol: str = "1") -> tuple[int, ...]:
    """Convert NLTK's string to masses.

    Parameters
    ----------
    string : str
        One character per gap.
    boundary_symbol : str, default "1"
        The character of a boundary.

    Returns
    -------
    tuple of int
        The length of each segment.

    Examples
    --------
    >>> convert_nltk_to_masses("0100100000")
    (2, 3, 6)
    """
    return _masses(Segmentation.from_string(string, boundary=boundary_symbol))


def _masses(marks: Segmentation) -> tuple[int, ...]:
    return tuple(map(int, marks.masses))
