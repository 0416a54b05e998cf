"""Where coders disagree: places ranked by how evenly the votes are split, with the marks of each coder.

In recordings, coders may also agree on the ends of a segment and disagree on its name. Such segments are found with array operations, so that undisputed
boundaries cost no Python loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from caesura.agreement.span_clusters import candidates
from caesura.gold.linear import TOLERANCE, group_marks, group_times
from caesura.model import Annotation, Hierarchy, Segmentation, Spans

Numbers: TypeAlias = np.ndarray[Any, Any]


class TimeGroups(NamedTuple):
    """Groups of all coders' boundaries that count as one place: the first, last and median time of each group."""

    begins: Numbers
    ends: Numbers
    middles: Numbers

    @classmethod
    def of(cls, marked: Sequence[Segmentation], tolerance: float) -> TimeGroups:
        """Group the boundaries of a recording: each group holds the boundaries within the tolerance after its first one."""
        times = np.sort(np.concatenate([marks.positions for marks in marked]))
        starts = np.array(group_times(times.tolist(), tolerance), np.int64)
        stops = np.append(starts[1:], len(times)) if len(starts) else starts
        return cls(times[starts], times[stops - 1], times[(starts + stops - 1) // 2])

    def number(self, positions: Numbers) -> Numbers:
        """Return the group number of each boundary."""
        return np.searchsorted(self.begins, positions, "right") - 1


class NameDisputes(NamedTuple):
    """Segments that at least two coders have under different names, ordered by their middles."""

    firsts: Numbers
    lasts: Numbers
    slices: Numbers  # first and last index of each segment's rows in ``votes``
    votes: Numbers  # rows (coder, name), as indices
    coders: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def middles(self) -> Numbers:
        """The middle of each segment."""
        return (self.firsts + self.lasts) / 2

    def names_by_coder(self, index: int) -> dict[str, str]:
        """Return the name that each coder gave a segment."""
        low, high = self.slices[index]
        return {self.coders[coder]: self.names[name] for coder, name in self.votes[low:high].tolist()}


def find_name_disputes(coded: Mapping[str, Segmentation], groups: TimeGroups) -> NameDisputes:
    """Find segments with the same ends in the annotations of at least two coders who named them differently.

    Coders without any names are ignored; an empty name among others counts as a name.
    """
    named = {coder: marks for coder, marks in coded.items() if marks.names is not None}
    codes: dict[str, int] = {}
    count, rows = len(groups.begins), [np.empty((0, 3), np.int64)]
    for index, marks in enumerate(named.values() if len(named) > 1 else ()):
        # group 0 is the start of the recording and count + 1 its end; a pair of groups is encoded as one integer
        edges = np.concatenate([[0], groups.number(marks._cuts()) + 1, [count + 1]])
        called = np.array([codes.setdefault(name, len(codes)) for name in marks.names or ()], np.int64)
        segments = np.column_stack([edges[:-1] * (count + 2) + edges[1:], np.full(len(called), index), called])
        rows.append(segments[edges[:-1] < edges[1:]])  # drop segments shorter than the tolerance
    every = np.concatenate(rows)
    every = every[np.argsort(every[:, 0], kind="stable")]  # equal segments of all coders are now adjacent
    lows = np.flatnonzero(np.diff(every[:, 0], prepend=-1))
    highs = np.append(lows[1:], len(every)) if len(lows) else lows
    if len(lows):
        differ = np.minimum.reduceat(every[:, 2], lows) < np.maximum.reduceat(every[:, 2], lows)
        lows, highs = lows[differ], highs[differ]
    times = np.concatenate([[0.0], groups.middles, [next(iter(coded.values())).length]])
    firsts, lasts = times[every[lows, 0] // (count + 2)], times[every[lows, 0] % (count + 2)]
    order = np.argsort(firsts + lasts, kind="stable")
    slices = np.column_stack([lows, highs])[order]
    return NameDisputes(firsts[order], lasts[order], slices, every[:, 1:], tuple(named), tuple(codes))


#: A mark as in operations: (position,) or (position, type) of a boundary, (first, last, level) of a nested segment, (start, end, label) of a span
#: or of a named segment of a recording.
Mark: TypeAlias = tuple[Any, ...]


class VoteChoice(NamedTuple):
    """The marks that some coders have at a place, perhaps none."""

    marks: tuple[Mark, ...]
    voters: tuple[str, ...]


@dataclass(frozen=True)
class VotePlace:
    """A boundary position, nested segment or span that at least one coder marked.

    ``own`` holds the marks of each voter, ``absent`` the coders without any. ``types`` maps each type, level or label to the coders who gave it.
    ``drift`` is how far apart the coders' versions of a span are, from 0 to 1. ``named`` marks segments of recordings that all voters have under
    different names; the names are then the types, and coders without that segment are not counted.
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
        """The coders who marked something here."""
        return tuple(self.own)

    @property
    def coders(self) -> int:
        """The number of coders counted at this place."""
        return len(self.own) + len(self.absent)

    @property
    def key(self) -> str:
        """The identifier of the place, stored when a dispute is settled."""
        edges = [edge for edge in (self.first, self.position) if edge is not None]
        where = "–".join(f"{edge:.12g}" for edge in edges)
        if self.named:
            return f"name {where}"
        return " ".join([where, *sorted(map(str, self.types))]) if self.first is not None else where

    @property
    def middle(self) -> float:
        """Where the place is shown in a recording: at its boundary, or in the middle of a named segment."""
        return (self.first + self.position) / 2 if self.named and self.first is not None else self.position

    @property
    def choices(self) -> list[VoteChoice]:
        """The marks to choose from, the most frequent first; "nothing" is a choice, too."""
        by_marks: dict[tuple[Mark, ...], list[str]] = {}
        for coder, marks in self.own.items():
            by_marks.setdefault(marks, []).append(coder)
        if self.absent:
            by_marks[()] = list(self.absent)
        return sorted(
            (VoteChoice(marks, tuple(who)) for marks, who in by_marks.items()), key=lambda each: -len(each.voters)
        )

    @property
    def dispute(self) -> float:
        """From 0, all coders agree, to 1, the votes on the place or on one of its types are split in half."""
        # 4 p (1 - p) is 1 for an even split and 0 for a unanimous vote
        shares = [len(self.own) / self.coders, *(len(who) / len(self.own) for who in self.types.values())]
        return max(self.drift, *(4 * share_recordings * (1 - share_recordings) for share_recordings in shares))


def votes(annotations: Iterable[Annotation], *, tolerance: float | None = None) -> list[VotePlace]:
    """Return every marked place of every track with its voters and types.

    Positions in texts are compared exactly, those in recordings within a tolerance; segments of recordings with different names follow in the order
    of their middles. In hierarchies a place is a segment, from unit ``first`` to unit ``position``. For spans it is a group of aligned spans, from
    ``first`` to ``position``.
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


# ---------------------------------------------------------------------- the places of one track


def _boundaries(key: tuple[str, str], coded: dict[str, Segmentation], tolerance: float) -> list[VotePlace]:
    """Return the places of boundaries; a coder who marked one twice, or with two types, has one vote."""
    marked = [
        (position, (coder, kind))
        for coder, marks in coded.items()
        for position, kind in (marks.marks if marks.typed else [(p, None) for p in marks.positions.tolist()])
    ]
    timed = next(iter(coded.values())).timed
    places = [
        _place(
            key, coded, position, [(who, kind, (position,) if kind is None else (position, kind)) for who, kind in here]
        )
        for position, here in group_marks(marked, tolerance if timed else 0.0)
    ]
    if not timed or sum(marks.names is not None for marks in coded.values()) < 2:
        return places
    names = find_name_disputes(coded, TimeGroups.of(list(coded.values()), tolerance))
    return add_name_disputes(key, places, names, range(len(names.firsts)))


def add_name_disputes(
    key: tuple[str, str], places: list[VotePlace], names: NameDisputes, which: Iterable[int]
) -> list[VotePlace]:
    """Insert the segments at the indices ``which`` whose names are disputed among the places of their recording."""
    named = []
    for index in which:
        first, last, given = float(names.firsts[index]), float(names.lasts[index]), names.names_by_coder(index)
        marked = [(coder, name, (first, last, name)) for coder, name in given.items()]
        named.append(_place(key, given, last, marked, first, named=True))
    return sorted([*places, *named], key=lambda place: place.middle) if named else places


def _segments(key: tuple[str, str], coded: dict[str, Hierarchy], _: float) -> list[VotePlace]:
    """Return the segments of a hierarchy; levels count as types where coders gave different ones."""
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


def _spans(key: tuple[str, str], coded: dict[str, Spans], _: float) -> list[VotePlace]:
    """Return the groups of spans that the best alignment matches."""
    places = []
    for group in candidates(list(coded), list(coded.values())):
        start, end = min(span[0] for span in group.values()), max(span[1] for span in group.values())
        named = any(span[2] for span in group.values())
        here = [(coder, (span[2] or "") if named else None, tuple(span)) for coder, span in group.items()]
        places.append(_place(key, coded, end, here, start, _drift([span[:2] for span in group.values()])))
    return places


def _drift(stretches: list[tuple[Any, Any]]) -> float:
    """Return one minus the mean Jaccard overlap of every two coders' spans."""
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
) -> VotePlace:
    """Count the votes for one place, from rows (coder, type, mark)."""
    own: dict[str, dict[Mark, None]] = {}
    types: dict[str | int, dict[str, None]] = {}
    for coder, kind, mark in marked:
        own.setdefault(coder, {})[mark] = None
        if kind is not None:
            types.setdefault(kind, {})[coder] = None
    return VotePlace(
        *key,
        position,
        {coder: tuple(marks) for coder, marks in own.items()},
        tuple(coder for coder in coded if coder not in own),
        first,
        {kind: tuple(who) for kind, who in types.items()},
        drift,
        named,
    )


_PLACES: dict[type, Callable[[tuple[str, str], Any, float], list[VotePlace]]] = {
    Segmentation: _boundaries,
    Hierarchy: _segments,
    Spans: _spans,
}
