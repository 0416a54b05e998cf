"""A campaign: who has which role in a project, which items are whose, how far everybody is, and when all may be seen."""

from __future__ import annotations

from collections import Counter
from typing import Any

import sqlalchemy as sa

from caesura.errors import CaesuraError
from caesura.web import rows
from caesura.web.rows import NotFound
from caesura.web.schema import codings, items, projects
from caesura.web.schema_people import assignments, members, people
from caesura.web.store import Store
from caesura.web.viewers import Forbidden, tell


class Campaign:
    """What people do in the projects of one store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    # ------------------------------------------------------------------ roles

    def members(self, project: int) -> list[dict[str, Any]]:
        """Everybody who has a role in a project."""
        query = (
            sa.select(people.c.id, people.c.name, people.c.active, members.c.role)
            .join(members, members.c.person == people.c.id)
            .where(members.c.project == project)
            .order_by(people.c.name)
        )
        with self._store.reading() as db:
            return [dict(row._mapping) for row in db.execute(query)]

    def give_role(self, project: int, person: int, role: str | None) -> None:
        """Give somebody a role in a project, or none; whoever leaves keeps what they began, and loses what they did not."""
        with self._store.writing() as db:
            name = db.scalar(sa.select(people.c.name).where(people.c.id == person))
            if name is None:
                raise NotFound(f"there is no person {person}.")
            tell(f"{name}, {role or 'none'}")
            db.execute(members.delete().where(members.c.project == project, members.c.person == person))
            if role is not None:
                db.execute(members.insert().values(project=project, person=person, role=role))
            if role != "annotator":
                self._take_back(db, project, [person])

    # ------------------------------------------------------------------ assignments

    def assign(self, project: int, per_item: int | None) -> int:
        """Give every item to all annotators, or to so many, each about as many items; what somebody began stays theirs."""
        tell("to all annotators" if per_item is None else f"to {per_item} annotators each")
        with self._store.writing() as db:
            working = _annotators(db, project)
            if not working:
                raise CaesuraError("there is no annotator in this project yet; give somebody that role first.")
            if per_item is not None and per_item > len(working):
                raise CaesuraError(
                    f"there are {len(working)} annotators, and {per_item} for every item were asked for."
                )
            self._take_back(db, project, working)
            given = _people_by_item(db, project)
            load = Counter(person for listed in given.values() for person in listed)
            for turn, item in enumerate(_items(db, project)):
                has = given.get(item, set())
                free = [person for person in _rotate(working, turn) if person not in has]
                wanted = len(free) if per_item is None else max(0, per_item - len(has))
                for person in sorted(free, key=lambda each: load[each])[:wanted]:
                    load[person] += 1
                    db.execute(assignments.insert().values(item=item, person=person))
            return len(_items(db, project))

    def assign_by_hand(self, item: int, wanted: list[int]) -> None:
        """Give an item to these annotators and to nobody else but those who began it."""
        project = self._store.item(item).project
        with self._store.writing() as db:
            strangers = set(wanted) - set(_annotators(db, project))
            if strangers:
                raise CaesuraError(f"person {min(strangers)} is no annotator of this project.")
            self._take_back(db, project, None, item=item)
            for person in sorted(set(wanted) - _people_by_item(db, project).get(item, set())):
                db.execute(assignments.insert().values(item=item, person=person))

    def _take_back(self, db: sa.Connection, project: int, whose: list[int] | None, item: int | None = None) -> None:
        """Take back what nobody has begun and nobody has spoken about."""
        begun = sa.exists().where(codings.c.item == assignments.c.item, codings.c.person == assignments.c.person)
        inside = assignments.c.item.in_(sa.select(items.c.id).where(items.c.project == project))
        taken = assignments.delete().where(inside, ~begun, assignments.c.status == "open")
        if whose is not None:
            taken = taken.where(assignments.c.person.in_(whose))
        db.execute(taken if item is None else taken.where(assignments.c.item == item))

    # ------------------------------------------------------------------ how far everybody is

    def set_status(self, item: int, person: int | None, status: str, note: str) -> None:
        """Say of one's own item (a manager: of anybody's) that it is done, to be discussed, or open again."""
        viewer = self._store.viewer
        whose = viewer.person if viewer.role == "annotator" else person
        if whose is None:
            raise CaesuraError("say whose item it is.")
        if viewer.role == "annotator" and viewer.released:
            raise Forbidden("this project is released; nothing of it is changed any more.")
        tell(f"{status} {note}".strip())
        mine = (assignments.c.item == item) & (assignments.c.person == whose)
        with self._store.writing() as db:
            if db.scalar(sa.select(assignments.c.item).where(mine)) is None:
                raise CaesuraError("this item is not assigned to that person.")
            begun = sa.select(codings.c.id).where(
                codings.c.item == item, codings.c.person == whose, rows.there(codings)
            )
            if status == "done" and db.scalar(begun) is None:
                raise CaesuraError("nothing is done here yet: begin your annotation first, be it without a mark.")
            values = {"status": status, "note": note, "changed": rows.now()}
            db.execute(assignments.update().where(mine).values(**values))

    def tasks(self, project: int) -> list[dict[str, Any]]:
        """One's own items in a project, and how far they are."""
        return self._tasks(project, self._store.viewer.person)

    def progress(self, project: int) -> dict[str, Any]:
        """How far everybody is with every item, in all and one by one."""
        listed = self._tasks(project)
        states = [*STATES]
        count: Counter[tuple[str, int, str]] = Counter()
        for task in listed:
            count["person", task["person"], task["state"]] += 1
            count["item", task["item"], task["state"]] += 1
        gold = self._store.coders_of(project, "gold")
        return {
            "released": self.is_released(project),
            "people": [
                {**member, **{state: count["person", member["id"], state] for state in states}}
                for member in self.members(project)
            ],
            "items": [
                {
                    "id": item.id,
                    "name": item.name,
                    "track": item.track,
                    "gold": len(gold.get((item.name, item.track), [])),
                    **{state: count["item", item.id, state] for state in states},
                }
                for item in self._store.items(project)
            ],
            "tasks": listed,
        }

    def _tasks(self, project: int, person: int | None = None) -> list[dict[str, Any]]:
        mine = (codings.c.item == assignments.c.item) & (codings.c.person == assignments.c.person) & rows.there(codings)
        query = (
            sa.select(assignments.c.item, assignments.c.person, assignments.c.status, assignments.c.note)
            .add_columns(assignments.c.changed, items.c.name, items.c.track, items.c.kind, items.c.length)
            .add_columns(codings.c.id.label("annotation"), (codings.c.version - 1).label("changes"))
            .join(items, items.c.id == assignments.c.item)
            .outerjoin(codings, mine)
            .where(self._store.viewer.in_project(project), rows.there(items))
            .order_by(items.c.id, assignments.c.person)
        )
        if person is not None:
            query = query.where(assignments.c.person == person)
        with self._store.reading() as db:
            return [{**row._mapping, "state": _state(row)} for row in db.execute(query)]

    # ------------------------------------------------------------------ release

    def is_released(self, project: int) -> bool:
        """Whether annotators and readers see everything."""
        with self._store.reading() as db:
            return db.scalar(sa.select(projects.c.released).where(projects.c.id == project)) is not None

    def release(self, project: int, released: bool) -> None:
        """Let annotators and readers see everything, or no longer."""
        tell("released" if released else "closed")
        with self._store.writing() as db:
            when = rows.now() if released else None
            db.execute(projects.update().where(projects.c.id == project).values(released=when))


#: How far a task is: what its status says, and of open ones whether they are begun.
STATES = ("open", "begun", "discuss", "done")


def _state(row: Any) -> str:
    return "begun" if row.status == "open" and row.annotation is not None else str(row.status)


def _annotators(db: sa.Connection, project: int) -> list[int]:
    query = (
        sa.select(members.c.person)
        .join(people, people.c.id == members.c.person)
        .where(members.c.project == project, members.c.role == "annotator", people.c.active)
    )
    return list(db.scalars(query.order_by(members.c.person)))


def _items(db: sa.Connection, project: int) -> list[int]:
    return list(
        db.scalars(sa.select(items.c.id).where(items.c.project == project, rows.there(items)).order_by(items.c.id))
    )


def _people_by_item(db: sa.Connection, project: int) -> dict[int, set[int]]:
    query = sa.select(assignments.c.item, assignments.c.person).join(items, items.c.id == assignments.c.item)
    given: dict[int, set[int]] = {}
    for row in db.execute(query.where(items.c.project == project)):
        given.setdefault(row.item, set()).add(row.person)
    return given


def _rotate(listed: list[int], by: int) -> list[int]:
    """The same in turn, so that among equals it is not always the first who works."""
    start = by % len(listed)
    return listed[start:] + listed[:start]
