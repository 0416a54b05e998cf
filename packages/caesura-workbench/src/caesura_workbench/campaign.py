"""Annotation campaigns: roles, assignments, progress, release and guidelines."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from markdown_it import MarkdownIt

from caesura.errors import CaesuraError
from caesura.text import pluralize
from caesura_workbench import rows
from caesura_workbench.changes import record_change
from caesura_workbench.permissions import Forbidden, current_action, describe_action
from caesura_workbench.rows import NotFound
from caesura_workbench.schema import assignments, codings, guidelines, items, members, people, projects
from caesura_workbench.store import Store


class Campaign:
    """Roles, assignments and progress in the projects of one database."""

    def __init__(self, store: Store) -> None:
        self._store = store

    # ------------------------------------------------------------------ roles

    def members(self, project: int) -> list[dict[str, Any]]:
        """Return everybody with a role in a project."""
        query = (
            sa.select(people.c.id, people.c.name, people.c.active, members.c.role)
            .join(members, members.c.person == people.c.id)
            .where(members.c.project == project)
            .order_by(people.c.name)
        )
        with self._store.reading() as db:
            return [dict(row._mapping) for row in db.execute(query)]

    def roles_of(self, person: int) -> list[tuple[int, str, bool]]:
        """Return the projects in which somebody has a role: project, role, and whether it is released."""
        query = (
            sa.select(members.c.project, members.c.role, projects.c.released.is_not(None))
            .join(projects, projects.c.id == members.c.project)
            .where(members.c.person == person, rows.not_deleted(projects))
            .order_by(members.c.project)
        )
        with self._store.reading() as db:
            return [(int(project), str(role), bool(released)) for project, role, released in db.execute(query)]

    def set_role(self, project: int, person: int, role: str | None, *, added: bool = False) -> None:
        """Set somebody's role in a project, or remove it; annotators who leave keep the items they have started.

        Only managers of the workbench may give a role to somebody who has none here by number; with ``added``, the person was named.
        """
        with self._store.writing() as db:
            name = db.scalar(sa.select(people.c.name).where(people.c.id == person))
            before = db.scalar(
                sa.select(members.c.role).where(members.c.project == project, members.c.person == person)
            )
            known = before is not None or self._store.viewer.site_manager or added
            if name is None or not known:  # a project's manager learns nothing about other people from their numbers
                raise NotFound(f"the project has no person {person}.")
            describe_action(f"{name}, {role or 'none'}")
            db.execute(members.delete().where(members.c.project == project, members.c.person == person))
            if before == "manager" and role != "manager" and not self._store.viewer.site_manager:
                left = sa.select(members.c.person).where(members.c.project == project, members.c.role == "manager")
                if db.scalar(left.limit(1)) is None:
                    raise CaesuraError("this is the last manager of the project; make somebody else a manager first.")
            if role is not None:
                db.execute(members.insert().values(project=project, person=person, role=role))
            if role != "annotator":
                self._unassign(db, project, [person])
            record_change(db, "members", project=project)

    # ------------------------------------------------------------------ assignments

    def assign(self, project: int, per_item: int | None) -> int:
        """Assign every item to all annotators, or to ``per_item`` of them with equal load; started items stay assigned.

        A large project is assigned in parts, each in a transaction of its own, so that edits do not wait for all of them.
        """
        describe_action("to all annotators" if per_item is None else f"to {pluralize(per_item, 'annotator')} each")
        with self._store.reading() as db:
            working = _annotators(db, project)
            if not working:
                raise CaesuraError("the project has no annotators; give somebody that role first.")
            if per_item is not None and per_item > len(working):
                raise CaesuraError(f"the project has {len(working)} annotators; {per_item} per item were requested.")
            numbers, staying = _items(db, project), _staying_people(db, project, working)
        wanted = _divide(numbers, staying, working, per_item)
        for start in range(0, len(numbers), _ITEMS_AT_ONCE):
            with self._store.writing() as db:
                part = {item: wanted[item] for item in numbers[start : start + _ITEMS_AT_ONCE]}
                _record_assignments(db, project, _assign_part(db, part, working))
            current_action.set(None)  # the audit log has one line for all parts
        return len(numbers)

    def set_assignees(self, item: int, wanted: list[int]) -> None:
        """Assign an item to these annotators, and to those who have started it."""
        project = self._store.item(item).project
        with self._store.writing() as db:
            others = set(wanted) - set(_annotators(db, project))
            if others:
                raise CaesuraError(f"person {min(others)} is not an annotator of this project.")
            self._unassign(db, project, None, item=item)
            known = set(db.scalars(sa.select(assignments.c.person).where(assignments.c.item == item)))
            for person in sorted(set(wanted) - known):
                db.execute(assignments.insert().values(item=item, person=person))
            _record_assignments(db, project, [item])

    def _unassign(self, db: sa.Connection, project: int, whose: list[int] | None, item: int | None = None) -> None:
        """Remove assignments that are open and not started."""
        started = sa.exists().where(codings.c.item == assignments.c.item, codings.c.person == assignments.c.person)
        inside = assignments.c.item.in_(sa.select(items.c.id).where(items.c.project == project))
        removed = [inside, ~started, assignments.c.status == "open"]
        if whose is not None:
            removed.append(assignments.c.person.in_(whose))
        if item is not None:
            removed.append(assignments.c.item == item)
        _record_assignments(db, project, list(db.scalars(sa.select(assignments.c.item).distinct().where(*removed))))
        db.execute(assignments.delete().where(*removed))

    # ------------------------------------------------------------------ progress

    def set_status(self, item: int, person: int | None, status: str, note: str) -> None:
        """Set the status of one's own item (managers: of anybody's) to "done", "discuss" or "open"."""
        viewer = self._store.viewer
        whose = viewer.person if viewer.role == "annotator" else person
        if whose is None:
            raise CaesuraError("name the person whose item it is.")
        if viewer.role == "annotator" and viewer.released:
            raise Forbidden("this project is released and can no longer be changed.")
        describe_action(f"{status} {note}".strip())
        mine = (assignments.c.item == item) & (assignments.c.person == whose)
        with self._store.writing() as db:
            if db.scalar(sa.select(assignments.c.item).where(mine)) is None:
                raise CaesuraError("the item is not assigned to this person.")
            begun = sa.select(codings.c.id).where(
                codings.c.item == item, codings.c.person == whose, rows.not_deleted(codings)
            )
            if status == "done" and db.scalar(begun) is None:
                raise CaesuraError("start an annotation first; it may be empty.")
            values: dict[str, Any] = {"status": status, "note": note, "changed": rows.timestamp()}
            if status == "done":
                values["passed"] = sa.func.coalesce(assignments.c.passed, values["changed"])
            db.execute(assignments.update().where(mine).values(**values))
            record_change(db, "status", item=item)

    def tasks(self, project: int, item: int | None = None) -> list[dict[str, Any]]:
        """Return one's own items in a project, or one of them, and their states."""
        person = self._store.viewer.person
        if person is None:
            return []
        query = (
            sa.select(assignments.c.item, assignments.c.person, assignments.c.status, assignments.c.note)
            .add_columns(assignments.c.changed, items.c.name, items.c.track, items.c.kind, items.c.length)
            .add_columns(codings.c.id.label("annotation"), (codings.c.version - 1).label("changes"))
            .join(items, items.c.id == assignments.c.item)
            .outerjoin(codings, _begun())
            .where(self._store.viewer.in_project(project), rows.not_deleted(items), assignments.c.person == person)
            .order_by(items.c.id)
        )
        if item is not None:
            query = query.where(assignments.c.item == item)
        with self._store.reading() as db:
            return [
                {
                    **row._mapping,
                    "state": "begun" if row.status == "open" and row.annotation is not None else row.status,
                }
                for row in db.execute(query)
            ]

    def next_item(self, project: int) -> int | None:
        """Return one's own first item that is begun, or else the first open one."""
        query = (
            sa.select(assignments.c.item)
            .join(items, items.c.id == assignments.c.item)
            .outerjoin(codings, _begun())
            .where(self._store.viewer.in_project(project), rows.not_deleted(items), assignments.c.status == "open")
            .where(assignments.c.person == self._store.viewer.person)
            .order_by(codings.c.id.is_(None), assignments.c.item)
            .limit(1)
        )
        with self._store.reading() as db:
            return db.scalar(query)

    # ------------------------------------------------------------------ release

    def release(self, project: int, released: bool) -> None:
        """Release a project, or close it again."""
        describe_action("released" if released else "closed")
        with self._store.writing() as db:
            when = rows.timestamp() if released else None
            db.execute(projects.update().where(projects.c.id == project).values(released=when))
            record_change(db, "release", project=project)


def _begun() -> sa.ColumnElement[bool]:
    """Return the condition that joins assignments with the annotations of the same person."""
    same = (codings.c.item == assignments.c.item) & (codings.c.person == assignments.c.person)
    return same & rows.not_deleted(codings)


def _annotators(db: sa.Connection, project: int) -> list[int]:
    query = (
        sa.select(members.c.person)
        .join(people, people.c.id == members.c.person)
        .where(members.c.project == project, members.c.role == "annotator", people.c.active)
    )
    return list(db.scalars(query.order_by(members.c.person)))


def _items(db: sa.Connection, project: int) -> list[int]:
    query = sa.select(items.c.id).where(items.c.project == project, rows.not_deleted(items))
    return list(db.scalars(query.order_by(items.c.id)))


_ITEMS_AT_ONCE = 200  # some 0.2 s with 50 annotators


def _removable(working: list[int]) -> sa.ColumnElement[bool]:
    """Return the condition that an assignment of one of these people is open and not started."""
    started = sa.exists().where(codings.c.item == assignments.c.item, codings.c.person == assignments.c.person)
    return ~started & (assignments.c.status == "open") & assignments.c.person.in_(working)


def _staying_people(db: sa.Connection, project: int, working: list[int]) -> dict[int, set[int]]:
    """Return the people of every item whose assignments stay when these annotators are assigned again."""
    inside = sa.select(items.c.id).where(items.c.project == project)
    query = (
        sa.select(assignments.c.item, sa.func.aggregate_strings(sa.cast(assignments.c.person, sa.Text), " "))
        .where(assignments.c.item.in_(inside), ~_removable(working))
        .group_by(assignments.c.item)
    )
    return {item: {int(person) for person in joined.split(" ")} for item, joined in db.execute(query)}


def _divide(
    numbers: list[int], staying: dict[int, set[int]], working: list[int], per_item: int | None
) -> dict[int, list[int]]:
    """Return the people to whom each item is to be assigned besides those who stay: all, or as many as are missing, with equal load."""
    load = Counter(person for listed in staying.values() for person in listed)
    wanted: dict[int, list[int]] = {}
    for turn, item in enumerate(numbers):
        assigned = staying.get(item, set())
        start = turn % len(working)  # rotated, so that ties are not always broken in favour of the first annotator
        free = [person for person in working[start:] + working[:start] if person not in assigned]
        missing = len(free) if per_item is None else max(0, per_item - len(assigned))
        wanted[item] = sorted(free, key=lambda each: load[each])[:missing]
        load.update(wanted[item])
    return wanted


def _assign_part(db: sa.Connection, wanted: dict[int, list[int]], working: list[int]) -> list[int]:
    """Assign items to these people instead of those who have not started; return the items for which that changes something."""
    known = sa.select(assignments.c.item, assignments.c.person).where(assignments.c.item.in_(list(wanted)))
    given = {(item, person) for item, person in db.execute(known)}
    idle = {(item, person) for item, person in db.execute(known.where(_removable(working)))}
    pairs = {(item, person) for item, listed in wanted.items() for person in listed}
    gone, new = sorted(idle - pairs), sorted(pairs - given)
    if gone:
        here = (assignments.c.item == sa.bindparam("gone_item")) & (assignments.c.person == sa.bindparam("gone_person"))
        db.execute(
            assignments.delete().where(here), [{"gone_item": item, "gone_person": person} for item, person in gone]
        )
    if new:
        db.execute(assignments.insert(), [{"item": item, "person": person} for item, person in new])
    return sorted({item for item, _ in (*gone, *new)})


def _record_assignments(db: sa.Connection, project: int, numbers: list[int]) -> None:
    """Record changed assignments: of every item, and of the project, which is what blind annotators may know."""
    for number in numbers:
        record_change(db, "assignment", project=project, item=number)
    if numbers:
        record_change(db, "assignment", project=project)


class StaleGuidelines(CaesuraError):
    """Somebody saved a newer version of the guidelines first."""


class Guidelines:
    """The guidelines of one project; versions are counted from 1, and 0 means that there are none."""

    def __init__(self, store: Store, project: int) -> None:
        self._store, self._project = store, project

    def read(self, version: int | None = None) -> dict[str, Any]:
        """Return a version, the latest by default, as Markdown and HTML, with the author and time of every version."""
        query = sa.select(guidelines).where(guidelines.c.project == self._project).order_by(guidelines.c.id)
        with self._store.reading() as db:
            written = list(db.execute(query))
        number = len(written) if version is None else version
        if number > len(written):
            raise rows.NotFound(f"the guidelines have no version {number}.")
        text = written[number - 1].text if number else ""
        return {
            "version": number,
            "text": text,
            "html": render_markdown(text),
            "versions": [{"version": n, "author": w.author, "time": w.time} for n, w in enumerate(written, 1)],
        }

    def write(self, text: str, version: int, author: str = "") -> None:
        """Save a new version based on the version that the writer saw."""
        counted = sa.select(sa.func.count()).where(guidelines.c.project == self._project)
        with self._store.writing() as db:
            last = db.scalar(counted)
            if last != version:
                raise StaleGuidelines(
                    f"somebody saved version {last} of the guidelines meanwhile; reload the page first."
                )
            values = {"project": self._project, "text": text, "time": rows.timestamp()}
            db.execute(guidelines.insert().values(author=self._store.viewer.author_name(author), **values))
            record_change(db, "guidelines", project=self._project)


@lru_cache(maxsize=64)
def render_markdown(text: str) -> str:
    r"""Render Markdown as HTML; HTML tags are escaped, and only web, mail and in-page links are kept.

    >>> render_markdown("*a* <b onclick=x>")
    '<p><em>a</em> &lt;b onclick=x&gt;</p>\n'
    >>> "<a" in render_markdown("[x](javascript:alert(1))")
    False
    """
    return str(_MARKDOWN.render(text))


_MARKDOWN = MarkdownIt("js-default", {"html": False, "linkify": False, "typographer": False})
