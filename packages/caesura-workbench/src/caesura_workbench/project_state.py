"""Kept counts: the items of a project and who has done what, in memory, brought up to date by the feed of changes.

A project is read once. After that, only items that the feed names are read again, so that lists, counts and progress of thousands of items and dozens of people
are answered from memory. Several servers on one database each keep their own.
"""

from __future__ import annotations

import base64
import json
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from threading import Lock
from typing import Any, Literal, NamedTuple

import sqlalchemy as sa

from caesura.errors import CaesuraError
from caesura_workbench.changes import changed_items, last_change
from caesura_workbench.rows import not_deleted
from caesura_workbench.schema import assignments, changes, codings, items, members, people, projects

#: States of an item of one person, as digits of the grid.
STATES = ("unassigned", "open", "begun", "discuss", "done")
UNASSIGNED, OPEN, BEGUN, DISCUSS, DONE = range(5)
State = Literal["unassigned", "open", "begun", "discuss", "done"]


@dataclass(slots=True)
class ItemEntry:
    """An item without its text: how many annotate it, and how far each of them is."""

    id: int
    name: str
    track: str
    kind: str
    length: float
    stamp: int = 0  # the last change
    coders: int = 0
    gold: int = 0
    cells: dict[int, int] = field(default_factory=dict)  # person -> digit
    overall: int | None = field(default=None, compare=False)  # kept, because an entry never changes once it was read

    def state(self, single_user: bool) -> int:
        """Return the state over all people; without accounts, an item with gold is done."""
        if single_user and not self.cells:
            return DONE if self.gold else BEGUN if self.coders else OPEN
        if self.overall is None:
            self.overall = self._over_all_people()
        return self.overall

    def _over_all_people(self) -> int:
        states = self.cells.values()
        if not states:
            return UNASSIGNED
        if DISCUSS in states:
            return DISCUSS
        if min(states) == DONE:
            return DONE
        return BEGUN if max(states) > OPEN else OPEN


class Member(NamedTuple):
    """A person with a role in a project."""

    id: int
    name: str
    role: str
    active: bool


class ProjectState:
    """The items of one project, their counts, and its members."""

    def __init__(self, project: int) -> None:
        self.project = project
        self.last = -1
        self.items: dict[int, ItemEntry] = {}
        self.members: list[Member] = []
        self.tasks: dict[int, Counter[int]] = {}  # person -> digit -> number of items
        self._own: dict[int, dict[int, int]] = {}  # person -> item -> their last change of it
        self._lock = Lock()

    def refresh(self, db: sa.Connection) -> ProjectState:
        """Read what changed since the last time."""
        with self._lock:
            newest = last_change(db, self.project)
            if newest == self.last:
                return self
            changed = None if self.last < 0 else changed_items(db, self.project, self.last)
            if changed is None or len(changed) > _MAX_CHANGED:
                self.items, self.tasks = {}, {}
                fresh = _read_items(db, items.c.project == self.project)
            else:
                fresh = {}
                for part in _chunks(changed):
                    fresh.update(_read_items(db, items.c.id.in_(part)))
            # a new dictionary, so that readers of the old one are not disturbed
            entries = dict(self.items)
            for number in (*(changed or ()), *fresh):
                self._count(entries.pop(number, None), -1)
            for entry in fresh.values():
                entries[entry.id] = entry
                self._count(entry, 1)
            in_order = list(entries) == sorted(entries)
            self.items = entries if in_order else dict(sorted(entries.items()))
            self.members = _read_members(db, self.project)
            for item, person, stamp in _read_own_changes(db, self.project, self.last):
                self._own.setdefault(person, {})[item] = stamp
            self.last = newest
            return self

    def _count(self, entry: ItemEntry | None, sign: int) -> None:
        for person, digit in entry.cells.items() if entry is not None else ():
            self.tasks.setdefault(person, Counter())[digit] += sign

    def entries(self) -> list[ItemEntry]:
        """Return all items, oldest first."""
        return list(self.items.values())

    def own_entries(self, person: int) -> list[ItemEntry]:
        """Return the items assigned to somebody, with nothing about other people."""
        mine = self._own.get(person, {})
        return [
            ItemEntry(
                entry.id,
                entry.name,
                entry.track,
                entry.kind,
                entry.length,
                stamp=mine.get(entry.id, 0),
                coders=int(digit > OPEN),
                cells={person: digit},
            )
            for entry in self.items.values()
            if (digit := entry.cells.get(person)) is not None
        ]


_MAX_CHANGED = 2000  # more changed items are not read one by one


def _chunks(numbers: Iterable[int], size: int = 500) -> Iterator[list[int]]:
    listed = sorted(numbers)
    for start in range(0, len(listed), size):
        yield listed[start : start + size]


def _read_items(db: sa.Connection, condition: sa.ColumnElement[bool]) -> dict[int, ItemEntry]:
    """Read items with their counts; the database joins the states of an item to one string, which takes no time from other threads."""
    stamp = sa.select(sa.func.max(changes.c.id)).where(changes.c.item == items.c.id).scalar_subquery()
    known = sa.select(items.c.id, items.c.name, items.c.track, items.c.kind, items.c.length, stamp)
    found = {
        row[0]: ItemEntry(*row[:5], stamp=row[5] or 0)
        for row in db.execute(known.where(condition, not_deleted(items)).order_by(items.c.id))
    }
    counts = (
        sa.select(codings.c.item, codings.c.role, sa.func.count())
        .join(items, items.c.id == codings.c.item)
        .where(condition, not_deleted(codings), not_deleted(items), codings.c.role != "system")
        .group_by(codings.c.item, codings.c.role)
    )
    for item, role, many in db.execute(counts):
        if role == "gold":
            found[item].gold = many
        else:
            found[item].coders = many
    for item, cells in _read_cells(db, condition):
        if item in found:
            found[item].cells = cells
    return found


def _read_cells(db: sa.Connection, *conditions: sa.ColumnElement[bool]) -> Iterator[tuple[int, dict[int, int]]]:
    begun = sa.exists().where(
        codings.c.item == assignments.c.item, codings.c.person == assignments.c.person, not_deleted(codings)
    )
    digit = sa.case(
        (assignments.c.status == "done", str(DONE)),
        (assignments.c.status == "discuss", str(DISCUSS)),
        (begun, str(BEGUN)),
        else_=str(OPEN),
    )
    cell = digit + sa.cast(assignments.c.person, sa.Text)
    query = (
        sa.select(assignments.c.item, sa.func.aggregate_strings(cell, " "))
        .join(items, items.c.id == assignments.c.item)
        .where(*conditions)
        .group_by(assignments.c.item)
    )
    for item, joined in db.execute(query):
        yield item, {int(each[1:]): int(each[0]) for each in joined.split(" ")}


def _read_own_changes(db: sa.Connection, project: int, after: int) -> list[Any]:
    """Return items, who changed them after a change, and their last change."""
    query = (
        sa.select(changes.c.item, changes.c.person, sa.func.max(changes.c.id))
        .where(changes.c.project == project, changes.c.id > after)
        .where(changes.c.item.is_not(None), changes.c.person.is_not(None))
        .group_by(changes.c.item, changes.c.person)
    )
    return list(db.execute(query))


def _read_members(db: sa.Connection, project: int) -> list[Member]:
    query = (
        sa.select(people.c.id, people.c.name, members.c.role, people.c.active)
        .join(members, members.c.person == people.c.id)
        .where(members.c.project == project)
        .order_by(people.c.name)
    )
    return [Member(row.id, row.name, row.role, bool(row.active)) for row in db.execute(query)]


class ProjectStates:
    """The states of the projects used last."""

    def __init__(self, most: int = 50) -> None:
        self._most = most
        self._states: OrderedDict[tuple[int, str | None], ProjectState] = OrderedDict()
        self._lock = Lock()

    def get(self, db: sa.Connection, project: int) -> ProjectState:
        """Return the present state of a project."""
        # SQLite may give the number of an erased project to a new one; the time at which it was made tells them apart
        key = project, db.scalar(sa.select(projects.c.created).where(projects.c.id == project))
        with self._lock:
            state = self._states.setdefault(key, ProjectState(project))
            self._states.move_to_end(key)
            while len(self._states) > self._most:
                self._states.popitem(last=False)
        return state.refresh(db)


# ---------------------------------------------------------------------- lists


@dataclass(frozen=True)
class ItemFilter:
    """Which items a list shows, in which order; ``person`` is whose states count, None everybody's."""

    text: str = ""
    states: frozenset[int] = frozenset()
    person: int | None = None
    kind: str = ""
    order: Literal["id", "name", "changed"] = "id"


class ItemPage(NamedTuple):
    """A part of a list, the number of items that match, and the cursor of the next part."""

    entries: list[ItemEntry]
    matching: int
    next: str | None


_KEYS: dict[str, Callable[[ItemEntry], tuple[Any, ...]]] = {
    "id": lambda entry: (entry.id,),
    "name": lambda entry: (entry.name.casefold(), entry.track, entry.id),
    "changed": lambda entry: (-entry.stamp, entry.id),
}


def page_of_items(
    entries: Sequence[ItemEntry], wanted: ItemFilter, after: str | None, limit: int, *, single_user: bool
) -> ItemPage:
    """Return the items after a cursor that match a filter."""
    chosen = [entry for entry in entries if _matches(entry, wanted, single_user)]
    key = _KEYS[wanted.order]
    if wanted.order != "id":
        chosen.sort(key=key)
    start = 0 if after is None else _after(chosen, key, parse_cursor(after, wanted.order))
    part = chosen[start : start + limit]
    more = start + limit < len(chosen)
    return ItemPage(part, len(chosen), make_cursor(wanted.order, key(part[-1])) if more and part else None)


def entry_state(entry: ItemEntry, person: int | None, single_user: bool) -> int:
    """Return the state of an item, of one person or over all."""
    return entry.state(single_user) if person is None else entry.cells.get(person, UNASSIGNED)


def _matches(entry: ItemEntry, wanted: ItemFilter, single_user: bool) -> bool:
    if wanted.kind and entry.kind != wanted.kind:
        return False
    if wanted.text and wanted.text not in entry.name.casefold() and wanted.text not in entry.track.casefold():
        return False
    if wanted.person is not None and wanted.person not in entry.cells:
        return False
    return not wanted.states or entry_state(entry, wanted.person, single_user) in wanted.states


def _after(chosen: list[ItemEntry], key: Callable[[ItemEntry], tuple[Any, ...]], last: tuple[Any, ...]) -> int:
    """Return the index of the first item after a key; items that were added or deleted meanwhile do not matter."""
    low, high = 0, len(chosen)
    while low < high:
        middle = (low + high) // 2
        if key(chosen[middle]) <= last:
            low = middle + 1
        else:
            high = middle
    return low


def make_cursor(order: str, key: tuple[Any, ...]) -> str:
    """Return a cursor: where a part of a list ended.

    >>> parse_cursor(make_cursor("name", ("a", "", 3)), "name")
    ('a', '', 3)
    """
    return (
        base64.urlsafe_b64encode(json.dumps([order, *key], ensure_ascii=False, separators=(",", ":")).encode())
        .decode()
        .rstrip("=")
    )


def parse_cursor(cursor: str, order: str) -> tuple[Any, ...]:
    """Return the key in a cursor of a list in this order."""
    example: dict[str, tuple[type | tuple[type, ...], ...]] = {
        "id": (int,),
        "name": (str, str, int),
        "changed": (int, int),
        "dispute": ((int, float), int, int),
    }
    try:
        given, *key = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if given == order and all(isinstance(value, kind) for value, kind in zip(key, example[order], strict=True)):
            return tuple(key)
    except (ValueError, TypeError, RecursionError):
        pass
    raise CaesuraError("this cursor does not belong to this list; ask for the list from its beginning.")


def parse_states(given: str) -> frozenset[int]:
    """Parse states separated by commas.

    >>> sorted(parse_states("open,done"))
    [1, 4]
    """
    names = [name.strip() for name in given.split(",") if name.strip()]
    unknown = [name for name in names if name not in STATES]
    if unknown:
        raise CaesuraError(f"there is no state {unknown[0]!r}; use {', '.join(STATES)}.")
    return frozenset(STATES.index(name) for name in names)


def next_entry(entries: Sequence[ItemEntry], person: int, after: int | None) -> ItemEntry | None:
    """Return the next item that somebody has to do: after the item ``after`` in the order of the list, then from its beginning.

    Without ``after``, it is the item that they worked on last, or else the first that they have not begun.
    """
    left = [entry for entry in entries if entry.cells.get(person) in (OPEN, BEGUN) and entry.id != after]
    if not left:
        return None
    if after is not None:
        return next((entry for entry in left if entry.id > after), left[0])
    begun = [entry for entry in left if entry.cells[person] == BEGUN]
    return max(begun, key=attrgetter("stamp")) if begun else left[0]
