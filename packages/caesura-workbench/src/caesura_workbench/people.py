"""Accounts, sessions, passwords and the audit log. Secrets are stored as hashes only."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from caesura.errors import CaesuraError, MissingExtra
from caesura_workbench import rows
from caesura_workbench.permissions import SCOPES, SINGLE_USER, AuditEntry, Viewer, describe_action, log_action
from caesura_workbench.rows import NotFound
from caesura_workbench.schema import (
    assignments,
    audit,
    codings,
    items,
    members,
    people,
    preferences,
    projects,
    sessions,
    tokens,
)
from caesura_workbench.store import Store

if TYPE_CHECKING:
    from argon2 import PasswordHasher


SESSION_DAYS = 14
#: How tokens for programs begin, so that they are recognised in logs and by secret scanners.
TOKEN_PREFIX = "caesura_"
_MAX_PREFERENCES = 4096  # bytes


def digest(secret: str) -> str:
    """Return the stored form of a link or session secret; these are random, so a fast hash is safe."""
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


class People:
    """The accounts of one database."""

    def __init__(self, store: Store) -> None:
        self._store = store

    # ------------------------------------------------------------------ accounts

    def exist(self) -> bool:
        """Whether the workbench has accounts; without any, it is in single-user mode."""
        with self._store.reading() as db:
            return db.scalar(sa.select(people.c.id).limit(1)) is not None

    def list_all(self) -> list[dict[str, Any]]:
        """Return everybody, with the ways they can sign in and their number of sessions."""
        alive = sa.select(sa.func.count()).where(sessions.c.person == people.c.id, sessions.c.until > rows.timestamp())
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
        """Add an account and return its id and the secret of its personal link; the first must be a manager."""
        secret = secrets.token_urlsafe(24)
        describe_action(f"{name}, a manager" if manager else name)
        with self._store.writing() as db:
            if db.scalar(sa.select(people.c.id).where(people.c.name == name)) is not None:
                raise CaesuraError(f"the name {name!r} is taken; choose another.")
            if not manager and db.scalar(sa.select(people.c.id).limit(1)) is None:
                raise CaesuraError("the first account must be a manager.")
            values = {"name": name, "manager": manager, "password": password, "created": rows.timestamp()}
            link = None if password else digest(secret)
            return rows.inserted_id(db.execute(people.insert().values(link=link, **values))), secret

    def change(self, person: int, *, manager: bool | None, active: bool | None) -> None:
        """Change whether somebody is a manager, or may sign in; one active manager always remains."""
        given = {"manager": manager, "active": active}
        with self._store.writing() as db:
            changes = [name if value else f"not {name}" for name, value in given.items() if value is not None]
            describe_action(f"{_person_name(db, person)}, {', '.join(changes)}")
            values = {name: value for name, value in given.items() if value is not None}
            if values:
                db.execute(people.update().where(people.c.id == person).values(**values))
            # checked after the update, in the same transaction, which is rolled back if nobody is left
            left = sa.select(people.c.id).where(people.c.manager, people.c.active).limit(1)
            if db.scalar(left) is None:
                raise CaesuraError("this is the last active manager; make somebody else a manager first.")
            if active is False:
                db.execute(sessions.delete().where(sessions.c.person == person))

    def set_password(self, person: int, password: str, *, keep: str | None = None) -> None:
        """Store a new password hash and end all sessions except ``keep``."""
        with self._store.writing() as db:
            db.execute(people.update().where(people.c.id == person).values(password=password))
            self._end(db, person, keep)

    def new_link(self, person: int) -> str:
        """Create a personal link; the old one and all sessions of the person end."""
        secret = secrets.token_urlsafe(24)
        with self._store.writing() as db:
            describe_action(_person_name(db, person))
            db.execute(people.update().where(people.c.id == person).values(link=digest(secret)))
            self._end(db, person, None)
        return secret

    def by_name(self, name: str) -> Any:
        """Return the active account with this name, including its password hash."""
        return self._active(people.c.name == name)

    def by_link(self, secret: str) -> Any:
        """Return the active account with this personal link."""
        return self._active(people.c.link == digest(secret))

    def _active(self, condition: sa.ColumnElement[bool]) -> Any:
        with self._store.reading() as db:
            return db.execute(sa.select(people).where(condition, people.c.active)).first()

    # ------------------------------------------------------------------ sessions

    def begin_session(self, person: int, client: str, *, replaces: str | None) -> str:
        """Start a session, end the one that the browser had, and return the new secret."""
        secret = secrets.token_urlsafe(32)
        until = (datetime.now(UTC) + timedelta(days=SESSION_DAYS)).isoformat(timespec="milliseconds")
        with self._store.writing() as db:
            db.execute(sessions.delete().where(sessions.c.until < rows.timestamp()))
            if replaces:
                db.execute(sessions.delete().where(sessions.c.digest == digest(replaces)))
            values = {"digest": digest(secret), "person": person, "created": rows.timestamp(), "until": until}
            db.execute(sessions.insert().values(client=client, **values))
        return secret

    def end_session(self, secret: str) -> None:
        """End one session."""
        with self._store.writing() as db:
            db.execute(sessions.delete().where(sessions.c.digest == digest(secret)))

    def end_sessions(self, person: int, *, keep: str | None = None) -> None:
        """End all sessions of a person except ``keep``."""
        with self._store.writing() as db:
            self._end(db, person, keep)

    def _end(self, db: sa.Connection, person: int, keep: str | None) -> None:
        others = sessions.c.digest != digest(keep) if keep else sa.true()
        db.execute(sessions.delete().where(sessions.c.person == person, others))

    # ------------------------------------------------------------------ tokens for programs

    def add_token(self, person: int, name: str, scopes: Iterable[str], days: int | None) -> dict[str, Any]:
        """Create a token for programs and return it with its secret, which is shown once."""
        secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
        until = None if days is None else (datetime.now(UTC) + timedelta(days=days)).isoformat(timespec="milliseconds")
        wanted = set(scopes)
        given = [scope for scope in SCOPES if scope in wanted]
        describe_action(f"{name} ({', '.join(given)})")
        values = {"person": person, "name": name, "scopes": " ".join(given), "until": until}
        with self._store.writing() as db:
            made = db.execute(tokens.insert().values(**values, digest=digest(secret), created=rows.timestamp()))
            number = rows.inserted_id(made)
        return {**next(each for each in self.tokens(person) if each["id"] == number), "token": secret}

    def tokens(self, person: int) -> list[dict[str, Any]]:
        """Return somebody's tokens without their secrets, newest first."""
        shown = [column for column in tokens.c if column.name not in ("digest", "person")]
        query = sa.select(*shown).where(tokens.c.person == person).order_by(tokens.c.id.desc())
        with self._store.reading() as db:
            return [{**row._mapping, "scopes": row.scopes.split()} for row in db.execute(query)]

    def delete_token(self, person: int, token: int) -> None:
        """Delete a token; programs that use it are refused from now on."""
        with self._store.writing() as db:
            gone = db.execute(tokens.delete().where(tokens.c.id == token, tokens.c.person == person))
            if not gone.rowcount:
                raise NotFound(f"there is no token {token}.")

    def token_viewer(self, secret: str, target: tuple[str, int] | None) -> Viewer | None:
        """Return the owner of a token with its scopes and their role in the project of ``target``; None if there is no such token."""
        if not secret.startswith(TOKEN_PREFIX) or not self._store.has_people_table:
            return None
        now = rows.timestamp()
        with self._store.reading() as db:
            query = sa.select(people.c.id, people.c.name, people.c.manager, tokens.c.scopes, tokens.c.used)
            valid = (tokens.c.digest == digest(secret)) & (tokens.c.until.is_(None) | (tokens.c.until > now))
            row = db.execute(query.join(tokens, tokens.c.person == people.c.id).where(valid, people.c.active)).first()
            if row is None:
                return None
            viewer = Viewer(row.name, None, row.id, single_user=False, site_manager=row.manager)
            viewer = replace(viewer, scopes=frozenset(row.scopes.split()))
            if target is None:
                seen = replace(viewer, role="manager") if row.manager else viewer
            else:
                seen = _in_project(db, viewer, target)
        if (row.used or "")[:16] != now[:16]:  # noted once a minute, so that reading does not write all the time
            with self._store.writing() as db:
                db.execute(tokens.update().where(tokens.c.digest == digest(secret)).values(used=now))
        return seen

    # ------------------------------------------------------------------ preferences

    def preferences(self, person: int | None) -> dict[str, Any]:
        """Return somebody's settings for the pages; without accounts there is one set for all."""
        with self._store.reading() as db:
            kept = db.scalar(sa.select(preferences.c.content).where(preferences.c.person == (person or 0)))
        return {} if kept is None else dict(json.loads(kept))

    def set_preferences(self, person: int | None, content: dict[str, Any]) -> None:
        """Replace somebody's settings for the pages."""
        text = json.dumps(content, ensure_ascii=False)
        if len(text.encode()) > _MAX_PREFERENCES:
            raise CaesuraError(f"preferences may have up to {_MAX_PREFERENCES:,} bytes.")
        with self._store.writing() as db:
            db.execute(preferences.delete().where(preferences.c.person == (person or 0)))
            db.execute(preferences.insert().values(person=person or 0, content=text))

    # ------------------------------------------------------------------ viewers and audit log

    def viewer(self, secret: str, target: tuple[str, int] | None) -> Viewer | None:
        """Return the owner of a session with their role in the project of ``target``; None if there is no such session.

        Without accounts, return the viewer of single-user mode. A target is "project", "item" or "annotation" with its id. One that a blind annotator may not
        see raises `NotFound`, as if it did not exist.
        """
        if not self._store.has_people_table:
            return SINGLE_USER
        with self._store.reading() as db:
            if db.scalar(sa.select(people.c.id).limit(1)) is None:
                return SINGLE_USER
            held = sa.select(people).join(sessions, sessions.c.person == people.c.id)
            known = held.where(
                sessions.c.digest == digest(secret), sessions.c.until > rows.timestamp(), people.c.active
            )
            row = db.execute(known).first() if secret else None
            if row is None:
                return None
            viewer = Viewer(row.name, None, row.id, single_user=False, site_manager=row.manager)
            if target is None:
                return replace(viewer, role="manager") if row.manager else viewer
            return _in_project(db, viewer, target)

    def owner(self, target: tuple[str, int] | None) -> Viewer:
        """Return the viewer who signed in with the server's token: a manager called "owner"."""
        with self._store.reading() as db:
            project = None if target is None else project_of(db, target)
        return Viewer("owner", "manager", None, single_user=False, site_manager=True, project=project)

    def log(self, entry: AuditEntry) -> None:
        """Write an audit entry that belongs to no other transaction, such as a wrong password."""
        with self._store.writing() as db:
            log_action(db, entry, rows.timestamp())

    def audit(self, *, project: int | None = None, before: int | None = None, limit: int = 200) -> list[dict[str, Any]]:
        """Return the audit log, newest first."""
        query = sa.select(audit).order_by(audit.c.id.desc()).limit(limit)
        if project is not None:
            query = query.where(audit.c.project == project)
        if before is not None:
            query = query.where(audit.c.id < before)
        with self._store.reading() as db:
            return [dict(row._mapping) for row in db.execute(query)]


def project_of(db: sa.Connection, target: tuple[str, int]) -> int | None:
    """Return the project that a target belongs to, even if it is deleted."""
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
    role: Any = "manager" if viewer.site_manager else db.scalar(held)
    if role is None:
        raise missing
    released = db.scalar(sa.select(projects.c.released).where(projects.c.id == project)) is not None
    seen = replace(viewer, role=role, released=released, project=project)
    if seen.blind and sort != "project" and not _may_know_of(db, seen, target):
        raise missing
    return seen


def _may_know_of(db: sa.Connection, viewer: Viewer, target: tuple[str, int]) -> bool:
    """Whether a blind annotator may know of an item or an annotation."""
    sort, number = target
    given = sa.select(assignments.c.item).where(assignments.c.person == viewer.person)
    if sort == "item":
        return db.scalar(given.where(assignments.c.item == number)) is not None
    own = given.join(codings, codings.c.item == assignments.c.item)
    return db.scalar(own.where(codings.c.id == number, codings.c.person == viewer.person)) is not None


def _person_name(db: sa.Connection, person: int) -> str:
    """Return the name of a person, or raise `NotFound`."""
    name = db.scalar(sa.select(people.c.name).where(people.c.id == person))
    if name is None:
        raise NotFound(f"there is no person {person}.")
    return str(name)


# ---------------------------------------------------------------------- passwords

MIN_PASSWORD_LENGTH = 10

#: argon2 takes 64 MB per password.
_HASHING_SLOTS = BoundedSemaphore(2)


def hash_password(password: str) -> str:
    """Return the hash of a password, to be stored."""
    if len(password) < MIN_PASSWORD_LENGTH:
        raise CaesuraError(f"a password needs at least {MIN_PASSWORD_LENGTH} characters.")
    with _HASHING_SLOTS:
        return _hasher().hash(password)


def verify_password(password: str, stored: str | None) -> bool:
    """Whether the password matches the hash; takes the same time where there is no hash."""
    from argon2.exceptions import InvalidHashError, VerificationError

    with _HASHING_SLOTS:
        try:
            return _hasher().verify(stored or _dummy_hash(), password) and stored is not None
        except (VerificationError, InvalidHashError):
            return False


@lru_cache(maxsize=1)
def _hasher() -> PasswordHasher:
    try:
        from argon2 import PasswordHasher
    except ImportError:
        raise MissingExtra("argon2-cffi", "workbench", "passwords") from None
    return PasswordHasher()


@lru_cache(maxsize=1)
def _dummy_hash() -> str:
    return _hasher().hash("not a password of any account")
