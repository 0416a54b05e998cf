"""People of the workbench: who they are, how they come in, and what they did. Secrets are kept as hashes only."""

from __future__ import annotations

import secrets
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import sqlalchemy as sa

from caesura.errors import CaesuraError
from caesura.web import rows
from caesura.web.rows import NotFound
from caesura.web.schema import codings, items, projects
from caesura.web.schema_people import assignments, audit, members, people, sessions
from caesura.web.store import Store
from caesura.web.viewers import ALONE, Deed, Viewer, tell, write_down

#: How long a session lasts, at most.
SESSION_DAYS = 14


def digest(secret: str) -> str:
    """What is kept of a link or a session: both are random enough that a fast hash gives nothing away."""
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


class People:
    """Everything about people in one store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    # ------------------------------------------------------------------ who they are

    def any(self) -> bool:
        """Whether this workbench knows people; without them it belongs to whoever reaches it."""
        with self._store.reading() as db:
            return db.scalar(sa.select(people.c.id).limit(1)) is not None

    def list_all(self) -> list[dict[str, Any]]:
        """Everybody, with how they can come in and how many sessions they have now."""
        alive = sa.select(sa.func.count()).where(sessions.c.person == people.c.id, sessions.c.until > rows.now())
        query = sa.select(
            people.c.id, people.c.name, people.c.manager, people.c.active, people.c.created,
            people.c.password.is_not(None).label("has_password"), people.c.link.is_not(None).label("has_link"),
            alive.scalar_subquery().label("sessions"),
        ).order_by(people.c.name)  # fmt: skip
        with self._store.reading() as db:
            return [
                {**row._mapping, "has_password": bool(row.has_password), "has_link": bool(row.has_link)}
                for row in db.execute(query)
            ]

    def add(self, name: str, *, manager: bool, password: str | None = None) -> tuple[int, str]:
        """One more person, and the secret of their link; the first is a manager, or nobody could let in the next."""
        secret = secrets.token_urlsafe(24)
        tell(f"{name}, a manager" if manager else name)
        with self._store.writing() as db:
            if db.scalar(sa.select(people.c.id).where(people.c.name == name)) is not None:
                raise CaesuraError(f"there is a person {name!r} already; choose another name.")
            if not manager and db.scalar(sa.select(people.c.id).limit(1)) is None:
                raise CaesuraError("the first person is a manager: otherwise nobody could let in the others.")
            values = {"name": name, "manager": manager, "password": password, "created": rows.now()}
            link = None if password else digest(secret)
            return rows.key(db.execute(people.insert().values(link=link, **values))), secret

    def change(self, person: int, *, manager: bool | None, active: bool | None) -> None:
        """Make somebody a manager or not, let them in or not; one manager always stays."""
        given = {"manager": manager, "active": active}
        with self._store.writing() as db:
            changes = [name if value else f"not {name}" for name, value in given.items() if value is not None]
            tell(f"{_name_of(db, person)}, {', '.join(changes)}")
            values = {name: value for name, value in given.items() if value is not None}
            if values:
                db.execute(people.update().where(people.c.id == person).values(**values))
            left = sa.select(people.c.id).where(people.c.manager, people.c.active).limit(1)
            if db.scalar(left) is None:
                raise CaesuraError("this is the last manager who can come in; make somebody else one first.")
            if active is False:
                db.execute(sessions.delete().where(sessions.c.person == person))

    def set_password(self, person: int, password: str, *, keep: str | None = None) -> None:
        """A new password, as a hash; all sessions but the one that is kept end."""
        with self._store.writing() as db:
            db.execute(people.update().where(people.c.id == person).values(password=password))
            self._end(db, person, keep)

    def new_link(self, person: int) -> str:
        """A personal link that opens the workbench until the next one is made; sessions of the old one end."""
        secret = secrets.token_urlsafe(24)
        with self._store.writing() as db:
            tell(_name_of(db, person))
            db.execute(people.update().where(people.c.id == person).values(link=digest(secret)))
            self._end(db, person, None)
        return secret

    def by_name(self, name: str) -> Any:
        """The active person of a name, with the hash of their password."""
        return self._active(people.c.name == name)

    def by_link(self, secret: str) -> Any:
        """The active person whose link this is."""
        return self._active(people.c.link == digest(secret))

    def _active(self, condition: sa.ColumnElement[bool]) -> Any:
        with self._store.reading() as db:
            return db.execute(sa.select(people).where(condition, people.c.active)).first()

    # ------------------------------------------------------------------ sessions

    def begin_session(self, person: int, client: str, *, instead_of: str | None) -> str:
        """A new session, with a secret nobody had before; the one that the browser came with ends."""
        secret = secrets.token_urlsafe(32)
        until = (datetime.now(UTC) + timedelta(days=SESSION_DAYS)).isoformat(timespec="milliseconds")
        with self._store.writing() as db:
            db.execute(sessions.delete().where(sessions.c.until < rows.now()))
            if instead_of:
                db.execute(sessions.delete().where(sessions.c.digest == digest(instead_of)))
            values = {"digest": digest(secret), "person": person, "created": rows.now(), "until": until}
            db.execute(sessions.insert().values(client=client, **values))
        return secret

    def end_session(self, secret: str) -> None:
        """Leave."""
        with self._store.writing() as db:
            db.execute(sessions.delete().where(sessions.c.digest == digest(secret)))

    def end_sessions(self, person: int, *, keep: str | None = None) -> None:
        """End all sessions of a person but the one that is kept."""
        with self._store.writing() as db:
            self._end(db, person, keep)

    def _end(self, db: sa.Connection, person: int, keep: str | None) -> None:
        others = sessions.c.digest != digest(keep) if keep else sa.true()
        db.execute(sessions.delete().where(sessions.c.person == person, others))

    # ------------------------------------------------------------------ what they may see, and what they did

    def viewer(self, secret: str, target: tuple[str, int] | None) -> Viewer | None:
        """Whoever has this session, in their role in the project that the target belongs to; nobody where there is no such session.

        Without people everybody is alone with the workbench. A target is "project", "item" or "annotation" with its number; one that a blind
        annotator may not see is not found, as if it were not there.
        """
        if not self._store.keeps_people:
            return ALONE
        with self._store.reading() as db:
            if db.scalar(sa.select(people.c.id).limit(1)) is None:
                return ALONE
            held = sa.select(people).join(sessions, sessions.c.person == people.c.id)
            known = held.where(sessions.c.digest == digest(secret), sessions.c.until > rows.now(), people.c.active)
            row = db.execute(known).first() if secret else None
            if row is None:
                return None
            viewer = Viewer(row.name, None, row.id, alone=False, everywhere=row.manager)
            if target is None:
                return replace(viewer, role="manager") if row.manager else viewer
            return _in_project(db, viewer, target)

    def owner(self, target: tuple[str, int] | None) -> Viewer:
        """Whoever has the token of a workbench with people: a manager, by the name of owner."""
        with self._store.reading() as db:
            project = None if target is None else project_of(db, target)
        return Viewer("owner", "manager", None, alone=False, everywhere=True, project=project)

    def note(self, deed: Deed) -> None:
        """Write down what has no transaction of its own, such as a wrong password."""
        with self._store.writing() as db:
            write_down(db, deed, rows.now())

    def audit(self, *, project: int | None = None, before: int | None = None, most: int = 200) -> list[dict[str, Any]]:
        """Who did what, the last first."""
        query = sa.select(audit).order_by(audit.c.id.desc()).limit(most)
        if project is not None:
            query = query.where(audit.c.project == project)
        if before is not None:
            query = query.where(audit.c.id < before)
        with self._store.reading() as db:
            return [dict(row._mapping) for row in db.execute(query)]


def project_of(db: sa.Connection, target: tuple[str, int]) -> int | None:
    """The project that something belongs to, be it deleted or not."""
    sort, number = target
    query = {
        "project": sa.select(projects.c.id).where(projects.c.id == number),
        "item": sa.select(items.c.project).where(items.c.id == number),
        "annotation": sa.select(items.c.project)
        .join(codings, codings.c.item == items.c.id)
        .where(codings.c.id == number),
    }[sort]
    return db.scalar(query)


def _in_project(db: sa.Connection, viewer: Viewer, target: tuple[str, int]) -> Viewer:
    sort, number = target
    missing = NotFound(f"there is no {sort} {number}.")
    project = project_of(db, target)
    if project is None:
        raise missing
    held = sa.select(members.c.role).where(members.c.project == project, members.c.person == viewer.person)
    role: Any = "manager" if viewer.everywhere else db.scalar(held)
    if role is None:
        raise missing
    released = db.scalar(sa.select(projects.c.released).where(projects.c.id == project)) is not None
    seen = replace(viewer, role=role, released=released, project=project)
    if seen.blind and sort != "project" and not _is_theirs(db, seen, target):
        raise missing
    return seen


def _is_theirs(db: sa.Connection, viewer: Viewer, target: tuple[str, int]) -> bool:
    """Whether a blind annotator may know of an item or an annotation."""
    sort, number = target
    given = sa.select(assignments.c.item).where(assignments.c.person == viewer.person)
    if sort == "item":
        return db.scalar(given.where(assignments.c.item == number)) is not None
    own = given.join(codings, codings.c.item == assignments.c.item)
    return db.scalar(own.where(codings.c.id == number, codings.c.person == viewer.person)) is not None


def _name_of(db: sa.Connection, person: int) -> str:
    """The name of somebody who must be there."""
    name = db.scalar(sa.select(people.c.name).where(people.c.id == person))
    if name is None:
        raise NotFound(f"there is no person {person}.")
    return str(name)
