"""The feed of changes: what changed in a project, in the order of commits.

Functions that change something call `record_change` inside their transaction; the store writes all of them at its end. Readers remember the last id
that they saw. The feed is what pages wait for, what pipelines poll, and what tells caches which items to compute again.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from caesura_workbench.schema import changes, codings, items

ChangeKind = Literal[
    "item.added",
    "item.changed",
    "item.deleted",
    "annotation.added",
    "annotation.changed",
    "annotation.deleted",
    "comment.added",
    "status",
    "assignment",
    "members",
    "schema",
    "guidelines",
    "release",
    "merge",
    "project.changed",
]

_PENDING = "caesura changes"


@dataclass(frozen=True)
class Change:
    """A change that is about to be committed; of an annotation, item and project are looked up, and of an item the project."""

    what: ChangeKind
    project: int | None = None
    item: int | None = None
    annotation: int | None = None


def begin_changes(db: sa.Connection) -> None:
    """Forget changes of an earlier transaction on this connection."""
    db.info[_PENDING] = {}


def record_change(
    db: sa.Connection,
    what: ChangeKind,
    *,
    project: int | None = None,
    item: int | None = None,
    annotation: int | None = None,
) -> None:
    """Record a change of a project, an item or an annotation; the same change twice in one transaction is recorded once."""
    db.info.setdefault(_PENDING, {})[Change(what, project, item, annotation)] = None


def write_changes(db: sa.Connection, *, author: str, person: int | None, time: str) -> bool:
    """Write the recorded changes at the end of a transaction; return whether there were any.

    On PostgreSQL, ids are drawn under a lock that is held until the commit, so that no reader sees an id before a smaller one. It is the last lock that a
    transaction takes, so it cannot be part of a deadlock.
    """
    pending: list[Change] = list(db.info.pop(_PENDING, {}))
    if not pending:
        return False
    of_annotation = _lookup(db, codings, [each.annotation for each in pending], codings.c.item, codings.c.version)
    item_of = [each.item or (of_annotation.get(each.annotation) or (None,))[0] for each in pending]
    of_item = _lookup(db, items, item_of, items.c.project)
    rows = []
    for each, item in zip(pending, item_of, strict=True):
        project = each.project or (of_item.get(item) or (None,))[0]
        if project is None:
            continue  # an annotation that was erased in the same transaction
        version = (of_annotation.get(each.annotation) or (None, None))[1]
        rows.append(
            {"what": each.what, "project": project, "item": item, "annotation": each.annotation, "version": version}
        )
    if not rows:
        return False
    if db.dialect.name == "postgresql":
        db.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
    db.execute(changes.insert(), [{**row, "author": author, "person": person, "time": time} for row in rows])
    return True


_LOCK = 0x63616573  # any number that no other program uses as an advisory lock


def _lookup(db: sa.Connection, table: sa.Table, numbers: list[int | None], *columns: Any) -> dict[int | None, Any]:
    """Return columns by id, in chunks that every database accepts."""
    wanted = sorted({number for number in numbers if number is not None})
    found: dict[int | None, Any] = {}
    for start in range(0, len(wanted), 500):
        query = sa.select(table.c.id, *columns).where(table.c.id.in_(wanted[start : start + 500]))
        found.update({row[0]: tuple(row[1:]) for row in db.execute(query)})
    return found


class Notifier:
    """Tells requests of this process that wait for a change that something was committed."""

    def __init__(self) -> None:
        self.count = 0
        self._lock = threading.Lock()
        self._waiting: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()

    def notify(self) -> None:
        """Wake everybody who waits; called from any thread."""
        with self._lock:
            self.count += 1
            waiting, self._waiting = self._waiting, set()
        for loop, event in waiting:
            with suppress(RuntimeError):  # the loop was closed meanwhile
                loop.call_soon_threadsafe(event.set)

    async def wait(self, seen: int, seconds: float) -> None:
        """Wait until ``count`` differs from ``seen``, but not longer than some seconds."""
        waiting = (asyncio.get_running_loop(), asyncio.Event())
        with self._lock:
            if self.count != seen:
                return
            self._waiting.add(waiting)
        try:
            await asyncio.wait_for(waiting[1].wait(), seconds)
        except TimeoutError:
            pass
        finally:
            with self._lock:
                self._waiting.discard(waiting)


def changed_items(db: sa.Connection, project: int, after: int) -> set[int]:
    """Return the items of a project that changed after a change."""
    since = sa.select(changes.c.item).distinct().where(changes.c.project == project, changes.c.id > after)
    return set(db.scalars(since.where(changes.c.item.is_not(None))))


def last_change(db: sa.Connection, project: int) -> int:
    """Return the id of the last change of a project, 0 if there is none."""
    return int(db.scalar(sa.select(sa.func.max(changes.c.id)).where(changes.c.project == project)) or 0)
