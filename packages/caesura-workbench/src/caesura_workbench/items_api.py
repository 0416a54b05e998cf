"""JSON API of lists and counts: items in parts, progress, the inbox, and the feed of changes."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any, Literal

import sqlalchemy as sa
from fastapi import Query, Request, Response
from starlette.concurrency import run_in_threadpool

from caesura.errors import CaesuraError
from caesura_workbench.api import ExistingProject, ViewerStore, kept_response
from caesura_workbench.changes import last_change
from caesura_workbench.permissions import Role, Viewer
from caesura_workbench.project_state import (
    BEGUN,
    DISCUSS,
    DONE,
    OPEN,
    STATES,
    ItemEntry,
    ItemFilter,
    Member,
    ProjectState,
    ProjectStates,
    entry_state,
    next_entry,
    page_of_items,
    parse_states,
)
from caesura_workbench.requests import MAX_ID, api_router
from caesura_workbench.responses import ChangeList, Grid, Inbox, ItemList, NextItem, Pace, ProjectCounts
from caesura_workbench.rows import not_deleted
from caesura_workbench.schema import (
    assignments,
    changes,
    codings,
    comments,
    guidelines,
    items,
    members,
    people,
    project_schemas,
    projects,
    revisions,
)
from caesura_workbench.store import Store

router = api_router("lists")

Text = Annotated[str, Query(max_length=200)]
Cursor = Annotated[str | None, Query(max_length=10_000)]  # contains a name of up to 500 characters
Limit = Annotated[int, Query(ge=1, le=200)]
ItemNumber = Annotated[int | None, Query(ge=1, le=MAX_ID)]


class ProjectItems:
    """The items of a project as a viewer sees them, with their counts."""

    def __init__(self, request: Request, store: Store, db: sa.Connection, project: int) -> None:
        self.viewer, self._db, self.project = store.viewer, db, project
        states: ProjectStates = request.app.state.project_states
        state = states.get(db, project)
        #: What everybody does; None for blind annotators, who see nothing of others.
        self.state: ProjectState | None = None if self.viewer.blind else state
        self.entries = state.own_entries(self.viewer.person or 0) if self.viewer.blind else state.entries()

    def whose(self, person: str) -> int | None:
        """Return the person whose states are asked for; blind annotators see their own only."""
        if self.viewer.blind:
            return self.viewer.person
        if not person:
            return None
        if person == "me":
            if self.viewer.person is None:
                raise CaesuraError("you are not signed in to an account; name a person by number.")
            return self.viewer.person
        if not (person.isascii() and person.isdigit()):
            raise CaesuraError(f"person is {person!r}; expected a number or 'me'.")
        return min(int(person[:10]), MAX_ID)

    def describe(self, listed: list[ItemEntry], person: int | None) -> list[dict[str, Any]]:
        """Describe items, with the task of one person."""
        tasks = {} if person is None else self._tasks([entry.id for entry in listed], person)
        times = self._times([entry.stamp for entry in listed])
        return [
            {
                "id": entry.id,
                "name": entry.name,
                "track": entry.track,
                "kind": entry.kind,
                "length": entry.length,
                "state": STATES[entry_state(entry, person, self.viewer.single_user)],
                "coders": entry.coders,
                "gold": entry.gold,
                "people": len(entry.cells),
                **_count_states(entry.cells.values()),
                "changed": times.get(entry.stamp),
                "task": tasks.get(entry.id),
            }
            for entry in listed
        ]

    def _tasks(self, numbers: list[int], person: int) -> dict[int, dict[str, Any]]:
        mine = (codings.c.item == assignments.c.item) & (codings.c.person == person) & not_deleted(codings)
        query = (
            sa.select(assignments.c.item, assignments.c.status, assignments.c.note, assignments.c.changed, codings.c.id)
            .outerjoin(codings, mine)
            .where(assignments.c.person == person, assignments.c.item.in_(numbers))
        )
        return {
            item: {
                "state": "begun" if status == "open" and annotation is not None else status,
                "note": note,
                "changed": changed,
                "annotation": annotation,
            }
            for item, status, note, changed, annotation in self._db.execute(query)
        }

    def _times(self, stamps: list[int]) -> dict[int, str]:
        query = sa.select(changes.c.id, changes.c.time).where(changes.c.id.in_([n for n in stamps if n]))
        return {row[0]: row[1] for row in self._db.execute(query)}


def _count_states(digits: Any) -> dict[str, int]:
    listed = list(digits)
    return {name: listed.count(digit) for digit, name in enumerate(STATES) if digit}


@router.get("/projects/{project}/items", response_model=ItemList)
def list_items(
    request: Request,
    store: ViewerStore,
    project: ExistingProject,
    q: Text = "",
    state: Text = "",
    person: Annotated[str, Query(max_length=20)] = "",
    kind: Annotated[str, Query(max_length=20)] = "",
    order: Literal["id", "name", "changed"] = "id",
    after: Cursor = None,
    limit: Limit = 50,
) -> dict[str, Any]:
    """List the items of a project in parts: those whose names contain ``q``, in these states, of this person, after a cursor.

    Without a person, the state of an item is that over all who have it. Blind annotators see their own items and nothing of others.
    """
    with store.reading() as db:
        known = ProjectItems(request, store, db, project)
        whose = known.whose(person)
        wanted = ItemFilter(q.casefold().strip(), parse_states(state), whose, kind, order)
        part = page_of_items(known.entries, wanted, after, limit, single_user=store.viewer.single_user)
        return {
            "total": len(known.entries),
            "matching": part.matching,
            "next": part.next,
            "items": known.describe(part.entries, whose),
        }


@router.get("/projects/{project}/counts", response_model=ProjectCounts)
def counts(request: Request, store: ViewerStore, project: ExistingProject) -> dict[str, Any]:
    """Return the numbers of a project: items, annotations, items in each state, and tasks per person; blind annotators get their own."""
    viewer = store.viewer
    with store.reading() as db:
        known = ProjectItems(request, store, db, project)
        return {
            **_versions(db, project),
            "last": max((entry.stamp for entry in known.entries), default=0)
            if known.state is None
            else known.state.last,
            **project_counts(known.entries, viewer, known.state),
            "people": _people(db, known),
        }


def project_counts(entries: list[ItemEntry], viewer: Viewer, state: ProjectState | None) -> dict[str, Any]:
    """Count items by state and tasks by state; those of everybody are kept in ``state``."""
    whose = viewer.person if viewer.blind else None
    states = [entry_state(entry, whose, viewer.single_user) for entry in entries]
    if state is None:
        tasks = _count_states(digit for entry in entries for digit in entry.cells.values())
    else:
        tasks = {name: sum(of[digit] for of in state.tasks.values()) for digit, name in enumerate(STATES) if digit}
    return {
        "items": len(entries),
        "annotations": sum(entry.coders + entry.gold for entry in entries),
        "states": {name: states.count(digit) for digit, name in enumerate(STATES)},
        "tasks": tasks,
    }


def _people(db: sa.Connection, known: ProjectItems) -> list[dict[str, Any]]:
    viewer = known.viewer
    if known.state is None:
        digits = [digit for entry in known.entries for digit in entry.cells.values()]
        tasks = {viewer.person: {digit: digits.count(digit) for digit in (OPEN, BEGUN, DISCUSS, DONE)}}
        listed = [Member(viewer.person or 0, viewer.name, "annotator", True)]
    else:
        tasks = {person: dict(counted) for person, counted in known.state.tasks.items()}
        listed = known.state.members
    latest = (
        sa.select(changes.c.person, sa.func.max(changes.c.time))
        .where(changes.c.project == known.project, changes.c.person.in_([each.id for each in listed]))
        .group_by(changes.c.person)
    )
    last = {row[0]: row[1] for row in db.execute(latest)}
    return [
        {
            **each._asdict(),
            **{STATES[digit]: tasks.get(each.id, {}).get(digit, 0) for digit in (OPEN, BEGUN, DISCUSS, DONE)},
            "last": last.get(each.id),
        }
        for each in listed
    ]


def _versions(db: sa.Connection, project: int) -> dict[str, Any]:
    """Return the versions of schema and guidelines, and whether the project is released."""
    written = sa.select(sa.func.count()).where(guidelines.c.project == project)
    saved = sa.select(sa.func.max(project_schemas.c.version)).where(project_schemas.c.project == project)
    row = db.execute(sa.select(projects.c.name, projects.c.released).where(projects.c.id == project)).one()
    return {
        "name": row.name,
        "released": row.released is not None,
        "schema": db.scalar(saved) or 0,
        "guidelines": db.scalar(written),
    }


@router.get("/projects/{project}/grid", response_model=Grid)
def grid(
    request: Request,
    store: ViewerStore,
    project: ExistingProject,
    q: Text = "",
    state: Text = "",
    person: Annotated[str, Query(max_length=20)] = "",
    after: Cursor = None,
    limit: Limit = 50,
    people: Annotated[str, Query(pattern=r"^\d{1,5}-\d{1,5}$", description="Columns, counted from 1.")] = "1-30",
) -> dict[str, Any]:
    """Return a part of the grid of items and people; a cell is a digit: 0 not assigned, 1 open, 2 begun, 3 to discuss, 4 done."""
    low, high = (int(part) for part in people.split("-"))
    with store.reading() as db:
        known = ProjectItems(request, store, db, project)
        whose = known.whose(person)
        wanted = ItemFilter(q.casefold().strip(), parse_states(state), whose)
        part = page_of_items(known.entries, wanted, after, limit, single_user=store.viewer.single_user)
        assert known.state is not None  # annotators may not see the grid
        working = [each for each in known.state.members if each.role == "annotator" or each.id in known.state.tasks]
        columns = working[max(0, low - 1) : high]
        return {
            "total": len(known.entries),
            "matching": part.matching,
            "next": part.next,
            "columns": len(working),
            "people": [each._asdict() for each in columns],
            "rows": [
                {
                    "id": entry.id,
                    "name": entry.name,
                    "track": entry.track,
                    "state": STATES[entry.state(store.viewer.single_user)],
                    "gold": entry.gold,
                    **_count_states(entry.cells.values()),
                    "cells": "".join(str(entry.cells.get(each.id, 0)) for each in columns),
                }
                for entry in part.entries
            ],
        }


@router.get("/projects/{project}/next", response_model=NextItem)
def next_item(
    request: Request, store: ViewerStore, project: ExistingProject, after: ItemNumber = None
) -> dict[str, Any]:
    """Return the viewer's next item that is not done: that after the item ``after``, else the one worked on last, else the first; null if none is left."""
    with store.reading() as db:
        known = ProjectItems(request, store, db, project)
        return _next(known, store.viewer, after)


def _next(known: ProjectItems, viewer: Viewer, after: int | None) -> dict[str, Any]:
    if viewer.person is None:  # without accounts: the next item without gold
        left = [entry for entry in known.entries if entry.state(True) != DONE and entry.id != after]
        found = next((entry for entry in left if after is None or entry.id > after), left[0] if left else None)
        return {"item": None if found is None else known.describe([found], None)[0], "left": len(left)}
    left = [entry for entry in known.entries if entry.cells.get(viewer.person) in (OPEN, BEGUN)]
    found = next_entry(known.entries, viewer.person, after)
    return {"item": None if found is None else known.describe([found], viewer.person)[0], "left": len(left)}


@router.get("/inbox", response_model=Inbox)
def inbox(request: Request, store: ViewerStore) -> dict[str, Any]:
    """Return what waits for the viewer: their projects with the next item, answers of others, and what they did today and in the last seven days."""
    viewer = store.viewer
    listed = []
    answers: list[dict[str, Any]] = []
    with store.reading() as db:
        for row in _own_projects(db, viewer):
            here = _as_member(viewer, row)
            known = ProjectItems(request, store.viewed_by(here), db, row.id)
            mine = [entry.cells[here.person] for entry in known.entries if here.person in entry.cells]
            described = {"id": row.id, "name": row.name, "role": here.role, "released": row.released is not None}
            counted = _count_states(mine)
            working = here.single_user or (here.role == "annotator" and not here.released)
            listed.append({**described, **counted, **(_next(known, here, None) if working else _NOTHING)})
            answers += _answers(db, here, row)
        week = _done_in_a_week(db, viewer)
        today = {"done": week[-1], "changes": _changes_today(db, viewer)}
    for each in listed:
        each["next"] = each.pop("item")
    answers.sort(key=lambda each: str(each["time"]), reverse=True)
    return {"projects": listed, "answers": answers[:50], "today": today, "week": week}


_NOTHING: dict[str, Any] = {"item": None, "left": 0}
_DAYS_OF_ANSWERS = 14


def _own_projects(db: sa.Connection, viewer: Viewer) -> list[Any]:
    mine = (members.c.project == projects.c.id) & (members.c.person == viewer.person)
    query = sa.select(projects.c.id, projects.c.name, projects.c.released, members.c.role).outerjoin(members, mine)
    return list(db.execute(query.where(viewer.sees_projects()).order_by(projects.c.name)))


def _as_member(viewer: Viewer, row: Any) -> Viewer:
    """Return the viewer with their role in one of their projects."""
    if viewer.single_user:
        return viewer
    role: Role | None = "manager" if viewer.site_manager else row.role
    return replace(viewer, role=role, released=row.released is not None, project=row.id)


def _answers(db: sa.Connection, viewer: Viewer, project: Any) -> list[dict[str, Any]]:
    """Return comments of others on one's own items, and what changed of guidelines and schemas since the viewer began, of the last two weeks."""
    since = (datetime.now(UTC) - timedelta(days=_DAYS_OF_ANSWERS)).isoformat()
    begun = _first_work(db, viewer, project.id)
    shown: list[dict[str, Any]] = []
    if viewer.person is not None:
        query = (
            sa.select(comments.c.item, comments.c.author, comments.c.text, comments.c.time, items.c.name)
            .add_columns(comments.c.position)
            .join(items, items.c.id == comments.c.item)
            .where(viewer.in_project(project.id), not_deleted(items), comments.c.time > since)
            .where(comments.c.item.in_(viewer.own_items()), viewer.sees_comments())
            .where(comments.c.person.is_distinct_from(viewer.person))
        )
        shown += [{"kind": "comment", **row._mapping} for row in db.execute(query)]
    for kind, table in (("guidelines", guidelines), ("schema", project_schemas)):
        if begun is None:
            break  # a person who has not begun will read the current guidelines and labels
        conditions = [table.c.project == project.id, table.c.time > max(since, begun)]
        if kind == "schema":
            conditions.append(table.c.source == "saved")
        found = sa.select(table.c.author, table.c.time).where(*conditions).order_by(table.c.id.desc()).limit(1)
        shown += [
            {"kind": kind, "item": None, "name": None, "text": "", **row._mapping}
            for row in db.execute(found)
            if row.author != viewer.name
        ]
    if not viewer.single_user and viewer.role in ("manager", "adjudicator"):
        query = (
            sa.select(assignments.c.item, assignments.c.note, assignments.c.changed, items.c.name, people.c.name)
            .join(items, items.c.id == assignments.c.item)
            .join(people, people.c.id == assignments.c.person)
            .where(items.c.project == project.id, not_deleted(items), assignments.c.status == "discuss")
            .order_by(assignments.c.changed.desc())
            .limit(50)
        )
        shown += [
            {"kind": "discuss", "item": item, "name": name, "author": who, "text": note, "time": when}
            for item, note, when, name, who in db.execute(query)
        ]
    return [{"project": project.id, "position": None, **each} for each in shown]


def _first_work(db: sa.Connection, viewer: Viewer, project: int) -> str | None:
    """Return when the viewer began their first annotation of a project, or None if they have none."""
    if viewer.person is None:
        return None
    query = (
        sa.select(sa.func.min(revisions.c.time))
        .join(codings, codings.c.id == revisions.c.annotation)
        .join(items, items.c.id == codings.c.item)
        .where(items.c.project == project, codings.c.person == viewer.person, revisions.c.parent.is_(None))
    )
    first: str | None = db.scalar(query)
    return first


def _changes_today(db: sa.Connection, viewer: Viewer) -> int:
    midnight = datetime.now(UTC).date().isoformat()
    own = changes.c.person == viewer.person if viewer.person is not None else sa.true()
    counted = sa.select(sa.func.count()).where(own, changes.c.time >= midnight)
    # the newest changes are the only ones that can be of today
    newest = db.scalar(sa.select(sa.func.max(changes.c.id))) or 0
    return db.scalar(counted.where(changes.c.what == "annotation.changed", changes.c.id > newest - 100_000)) or 0


def _done_in_a_week(db: sa.Connection, viewer: Viewer) -> list[int]:
    """Return how many items the viewer finished on each of the last seven days, today last."""
    today = datetime.now(UTC).date()
    days = [(today - timedelta(days=n)).isoformat() for n in range(6, -1, -1)]
    day = sa.func.substr(assignments.c.changed, 1, 10)
    query = (
        sa.select(day, sa.func.count())
        .where(assignments.c.person == viewer.person, assignments.c.status == "done", assignments.c.changed >= days[0])
        .group_by(day)
    )
    done = {} if viewer.person is None else {row[0]: row[1] for row in db.execute(query)}
    return [done.get(when, 0) for when in days]


@router.get("/projects/{project}/pace", response_model=Pace)
def pace(
    request: Request,
    store: ViewerStore,
    project: ExistingProject,
    days: Annotated[int, Query(ge=1, le=366)] = 30,
) -> Response:
    """Return how many items were done per day and by whom, how many are left, and when all will be done at the pace of the last 14 days."""
    today = datetime.now(UTC).date()
    return kept_response(
        request, store, project, f"pace {days} {today}", lambda: _describe_pace(request, store, project, days, today)
    )


def _describe_pace(request: Request, store: Store, project: int, days: int, today: date) -> dict[str, Any]:
    first = today - timedelta(days=days - 1)
    listed = [(first + timedelta(days=n)).isoformat() for n in range(days)]
    day = sa.func.substr(assignments.c.changed, 1, 10)
    with store.reading() as db:
        known = ProjectItems(request, store, db, project)
        assert known.state is not None
        done = (
            sa.select(day, assignments.c.person, sa.func.count())
            .join(items, items.c.id == assignments.c.item)
            .where(items.c.project == project, not_deleted(items), assignments.c.status == "done")
            .where(assignments.c.changed >= listed[0])
            .group_by(day, assignments.c.person)
        )
        per_cell = {(when, person): many for when, person, many in db.execute(done)}
        change_day = sa.func.substr(changes.c.time, 1, 10)
        made = (
            sa.select(change_day, sa.func.count())
            .where(changes.c.project == project, changes.c.what == "annotation.changed", changes.c.time >= listed[0])
            .group_by(change_day)
        )
        per_day = {row[0]: row[1] for row in db.execute(made)}
        left = sum(counted[OPEN] + counted[BEGUN] + counted[DISCUSS] for counted in known.state.tasks.values())
        working = [each for each in known.state.members if each.role == "annotator" or each.id in known.state.tasks]
    by_day = [sum(many for (when, _), many in per_cell.items() if when == each) for each in listed]
    recent = by_day[-14:]
    begun = next((n for n, many in enumerate(recent) if many), len(recent))
    rate = sum(recent) / max(1, len(recent) - begun)
    return {
        "days": [
            {"day": each, "done": many, "changes": per_day.get(each, 0)}
            for each, many in zip(listed, by_day, strict=True)
        ],
        "people": [
            {"id": each.id, "name": each.name, "done": [per_cell.get((when, each.id), 0) for when in listed]}
            for each in working
        ],
        "left": left,
        "per_day": round(rate, 2),
        "finish": _finish(left, rate),
    }


def _finish(left: int, rate: float) -> str | None:
    if not left or rate <= 0 or left / rate > 3650:
        return None
    return (date.today() + timedelta(days=-(-left // rate))).isoformat()


# ---------------------------------------------------------------------- the feed of changes

_POLL = 1.0  # seconds between looks for changes by other servers on the same database


@router.get("/projects/{project}/changes", response_model=ChangeList)
async def list_changes(
    request: Request,
    store: ViewerStore,
    project: ExistingProject,
    after: Annotated[int, Query(ge=-1, le=MAX_ID)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
    wait: Annotated[float, Query(ge=0, le=25, description="Seconds to wait for a change.")] = 0,
) -> dict[str, Any]:
    """Return the changes after one that the client has seen, oldest first; with ``wait``, as soon as there is one.

    ``after=-1`` returns only the id of the last change. Blind annotators see their own changes, comments that they may read, and changes of the project itself.
    """
    deadline = time.monotonic() + wait
    while True:
        seen = store.notifier.count
        found = await run_in_threadpool(_changes_after, store, project, after, limit)
        left = deadline - time.monotonic()
        if found["changes"] or after < 0 or left <= 0 or await request.is_disconnected():
            return found
        await store.notifier.wait(seen, min(left, _POLL))


def _changes_after(store: Store, project: int, after: int, limit: int) -> dict[str, Any]:
    viewer = store.viewer
    conditions = [changes.c.project == project, changes.c.id > after]
    if viewer.blind:
        managers = sa.select(members.c.person).where(members.c.project == project, members.c.role == "manager")
        readable = changes.c.person.in_(managers) | changes.c.person.in_(sa.select(people.c.id).where(people.c.manager))
        remark = (changes.c.what == "comment.added") & changes.c.item.in_(viewer.own_items()) & readable
        conditions.append(
            (changes.c.person == viewer.person) | remark | (changes.c.item.is_(None) & changes.c.what.in_(_OF_PROJECT))
        )
    with store.reading() as db:
        newest = sa.select(sa.func.max(changes.c.id)).where(*conditions)
        last = int(db.scalar(newest) or 0) if viewer.blind else last_change(db, project)
        listed = (
            []
            if after < 0
            else list(db.execute(sa.select(changes).where(*conditions).order_by(changes.c.id).limit(limit)))
        )
    # a change may be committed between the two queries
    newest_listed = listed[-1].id if listed else 0
    return {
        "last": newest_listed if len(listed) == limit else max(last, after, newest_listed),
        "changes": [{name: value for name, value in row._mapping.items() if name != "project"} for row in listed],
    }


_OF_PROJECT = ("schema", "guidelines", "release", "assignment", "project.changed")
