"""Where coders disagree most: places ranked by how evenly the votes are split, and what each coder has there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

from caesura.gold.linear import TOLERANCE, places_of
from caesura.gold.span_votes import candidates
from caesura.model import Annotation, Hierarchy, Segmentation, Spans
from caesura.web.name_disputes import NameDisputes, TimeGroups, dispute_names

#: A mark as operations name it: (position,) or (position, type), (first, last, level) of a nested segment, (start, end, label) of a span
#: or of a named segment of a recording.
Mark: TypeAlias = tuple[Any, ...]


class Choice(NamedTuple):
    """What some coders have at a place, perhaps nothing."""

    marks: tuple[Mark, ...]
    voters: tuple[str, ...]


@dataclass(frozen=True)
class Place:
    """A position, a segment of a hierarchy, or a span, that some coders marked and others did not, or marked otherwise.

    ``types`` says who gave which type, where types were given: of a boundary its types, of a segment its levels, of a span its labels. ``own`` is what
    each voter has here, ``absent`` are coders who have nothing, and ``drift`` is how far apart the same span is by different coders, from 0 to 1.
    ``named`` are segments of recordings that all voters have, by different names: those are the types, and who has no such segment is not asked.
    """

    item: str
    track: str
    position: float
    own: Mapping[str, tuple[Mark, ...]]
    absent: tuple[str, ...] = ()
    first: float | None = None
    types: Mapping[str | int, tuple[str, ...]] = field(default_factory=dict)
    drift: float = 0.0
    named: bool = False

    @property
    def voters(self) -> tuple[str, ...]:
        """Who marked something here."""
        return tuple(self.own)

    @property
    def coders(self) -> int:
        """How many coders looked at the place."""
        return len(self.own) + len(self.absent)

    @property
    def key(self) -> str:
        """What the place is called when somebody settles it."""
        edges = [edge for edge in (self.first, self.position) if edge is not None]
        where = "–".join(f"{edge:.12g}" for edge in edges)
        if self.named:
            return f"name {where}"
        return " ".join([where, *sorted(map(str, self.types))]) if self.first is not None else where

    @property
    def middle(self) -> float:
        """Where the place is looked at in a recording: at its boundary, or amid the segment that is named."""
        return (self.first + self.position) / 2 if self.named and self.first is not None else self.position

    @property
    def choices(self) -> list[Choice]:
        """What coders have here, what most of them have first; "nothing" is a choice too."""
        by_marks: dict[tuple[Mark, ...], list[str]] = {}
        for coder, marks in self.own.items():
            by_marks.setdefault(marks, []).append(coder)
        if self.absent:
            by_marks[()] = list(self.absent)
        return sorted(
            (Choice(marks, tuple(who)) for marks, who in by_marks.items()), key=lambda each: -len(each.voters)
        )

    @property
    def dispute(self) -> float:
        """0 where all agree, 1 where the votes on the place, or on one of its types, are split in half; spans that drift apart lie between."""
        shares = [len(self.own) / self.coders, *(len(who) / len(self.own) for who in self.types.values())]
        return max(self.drift, *(4 * share * (1 - share) for share in shares))


def votes(annotations: Iterable[Annotation], *, tolerance: float | None = None) -> list[Place]:
    """Every mark of every track with those who made it, and who gave it which type.

    Positions in texts are counted as they are, those of recordings within a tolerance; segments of recordings whose names differ follow in
    the order of their middles. In hierarchies a place is a segment, from unit
    ``first`` to unit ``position``. Of spans it is what the best alignment takes for one, from ``first`` to ``position``.
    """
    tracks: dict[tuple[str, str], dict[str, Any]] = {}
    for item, coder, marks, track in annotations:
        tracks.setdefault((item, track), {})[coder] = marks
    return [
        place
        for key, coded in tracks.items()
        for place in _PLACES[type(next(iter(coded.values())))](
            key, coded, TOLERANCE if tolerance is None else tolerance
        )
    ]


def disputed_places(
    annotations: Iterable[Annotation], *, most: int = 500, tolerance: float | None = None
) -> list[Place]:
    """The places in dispute, the most evenly split first."""
    counted = votes(annotations, tolerance=tolerance)
    return sorted((place for place in counted if place.dispute > 0), key=lambda place: -place.dispute)[:most]


# ---------------------------------------------------------------------- the places of one track


def _boundaries(key: tuple[str, str], coded: dict[str, Segmentation], tolerance: float) -> list[Place]:
    """Positions: a coder who marked one twice, or with two types, has one vote for it."""
    marked = [
        (position, (coder, kind))
        for coder, marks in coded.items()
        for position, kind in (marks.marks if marks.typed else [(p, None) for p in marks.positions.tolist()])
    ]
    timed = next(iter(coded.values())).timed
    places = [
        _place(key, coded, position, [(coder, kind, _boundary(position, kind)) for coder, kind in here])
        for position, here in places_of(marked, tolerance if timed else 0.0)
    ]
    if not timed or sum(marks.names is not None for marks in coded.values()) < 2:
        return places
    names = dispute_names(coded, TimeGroups.of(list(coded.values()), tolerance))
    return merge_named(key, places, names, range(len(names.firsts)))


def merge_named(key: tuple[str, str], places: list[Place], names: NameDisputes, which: Iterable[int]) -> list[Place]:
    """Put some of the segments whose names are in dispute between the boundaries of their recording."""
    named = []
    for index in which:
        first, last, given = float(names.firsts[index]), float(names.lasts[index]), names.names_by_coder(index)
        marked = [(coder, name, (first, last, name)) for coder, name in given.items()]
        named.append(_place(key, given, last, marked, first, named=True))
    return sorted([*places, *named], key=lambda place: place.middle) if named else places


def _boundary(position: float, kind: str | int | None) -> Mark:
    return (position,) if kind is None else (position, kind)


def _segments(key: tuple[str, str], coded: dict[str, Hierarchy], _: float) -> list[Place]:
    """Segments of a hierarchy; their levels are types where coders gave different ones."""
    by_units: dict[tuple[int, int], list[tuple[str, Mark]]] = {}
    for coder, marks in coded.items():
        for first, last, level in marks.spans:
            by_units.setdefault((first, last), []).append((coder, (first, last, level)))
    places = []
    for (first, last), here in sorted(by_units.items(), key=lambda segment: segment[0][::-1]):
        alike = len({mark for _, mark in here}) == 1
        places.append(
            _place(key, coded, last, [(coder, None if alike else mark[2], mark) for coder, mark in here], first)
        )
    return places


def _spans(key: tuple[str, str], coded: dict[str, Spans], _: float) -> list[Place]:
    """Spans that the best alignment takes for one."""
    places = []
    for group in candidates(list(coded), list(coded.values())):
        start, end = min(span[0] for span in group.values()), max(span[1] for span in group.values())
        named = any(span[2] for span in group.values())
        here = [(coder, (span[2] or "") if named else None, tuple(span)) for coder, span in group.items()]
        places.append(_place(key, coded, end, here, start, _drift([span[:2] for span in group.values()])))
    return places


def _drift(stretches: list[tuple[Any, Any]]) -> float:
    """How little two coders' stretches have in common, on average: 1 less what both cover over what either covers."""
    pairs = list(combinations(stretches, 2))
    shared = sum(max(0, min(b, d) - max(a, c)) / (max(b, d) - min(a, c)) for (a, b), (c, d) in pairs)
    return 1 - shared / len(pairs) if pairs else 0.0


def _place(
    key: tuple[str, str],
    coded: Mapping[str, Any],
    position: float,
    marked: Sequence[tuple[str, str | int | None, Mark]],
    first: float | None = None,
    drift: float = 0.0,
    named: bool = False,
) -> Place:
    """Count the votes for one place: who, of which type, and the mark itself."""
    own: dict[str, dict[Mark, None]] = {}
    types: dict[str | int, dict[str, None]] = {}
    for coder, kind, mark in marked:
        own.setdefault(coder, {})[mark] = None
        if kind is not None:
            types.setdefault(kind, {})[coder] = None
    return Place(
        *key,
        position,
        {coder: tuple(marks) for coder, marks in own.items()},
        tuple(coder for coder in coded if coder not in own),
        first,
        {kind: tuple(who) for kind, who in types.items()},
        drift,
        named,
    )


_PLACES: dict[type, Callable[[tuple[str, str], Any, float], list[Place]]] = {
    Segmentation: _boundaries,
    Hierarchy: _segments,
    Spans: _spans,
}
