"""Rename, delete and restore projects, items and annotations.

Deleting hides a row and frees its name; the row keeps that name in ``deleted``. Every function runs inside a transaction of the store.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from caesura.errors import CaesuraError
from caesura_workbench.changes import ChangeKind, record_change
from caesura_workbench.permissions import describe_action
from caesura_workbench.rows import NotFound
from caesura_workbench.schema import codings, items, projects

Sort = Literal["project", "item", "annotation"]
#: Path segment -> resource.
SORTS: dict[str, Sort] = {"projects": "project", "items": "item", "annotations": "annotation"}


@dataclass(frozen=True)
class _NameColumn:
    """The column that holds a resource's name, and the columns within whose values it is unique."""

    table: sa.Table
    name: str
    within: tuple[str, ...]


_NAME_COLUMNS: dict[str, _NameColumn] = {
    "project": _NameColumn(projects, "name", ()),
    "item": _NameColumn(items, "name", ("project", "track")),
    "annotation": _NameColumn(codings, "coder", ("item",)),
}


def rename(db: sa.Connection, sort: Sort, number: int, name: str) -> None:
    """Rename a project or an item, or the coder of an annotation."""
    describe_action(name)
    row = _row(db, sort, number, deleted=False)
    _set_name(db, sort, row, name, deleted=None)


def delete(db: sa.Connection, sort: Sort, number: int) -> None:
    """Delete something; its name becomes free."""
    row = _row(db, sort, number, deleted=False)
    name = str(row[_NAME_COLUMNS[sort].name])
    _set_name(db, sort, row, f"{name} (deleted {number})", deleted=name)


def restore(db: sa.Connection, sort: Sort, number: int) -> None:
    """Restore something deleted under its old name, unless that name has been taken."""
    row = _row(db, sort, number, deleted=True)
    _set_name(db, sort, row, str(row["deleted"]), deleted=None)


def delete_added(db: sa.Connection, project: int, chosen: list[int], annotations: list[int]) -> None:
    """Delete items and annotations of one project; ids that do not belong to it or are already deleted are skipped."""
    mine = sa.select(items.c.id).where(items.c.project == project, items.c.deleted.is_(None))
    gone = list(db.scalars(mine.where(items.c.id.in_(chosen))))
    of_mine = sa.select(codings.c.id).where(codings.c.item.in_(mine), codings.c.deleted.is_(None))
    alone = of_mine.where(codings.c.id.in_(annotations), codings.c.item.not_in(gone))
    for number in list(db.scalars(alone)):
        delete(db, "annotation", number)
    for number in gone:
        delete(db, "item", number)


def deleted_in(db: sa.Connection, project: int) -> list[dict[str, Any]]:
    """List the deleted items and annotations of a project."""
    of_items = sa.select(items.c.id, items.c.deleted).where(items.c.project == project, items.c.deleted.is_not(None))
    of_coders = (
        sa.select(codings.c.id, codings.c.deleted, items.c.name.label("item"))
        .join(items, items.c.id == codings.c.item)
        .where(items.c.project == project, items.c.deleted.is_(None), codings.c.deleted.is_not(None))
    )
    listed = [{"sort": "item", "id": row.id, "name": row.deleted} for row in db.execute(of_items)]
    return listed + [
        {"sort": "annotation", "id": row.id, "name": row.deleted, "item": row.item} for row in db.execute(of_coders)
    ]


def deleted_projects(db: sa.Connection) -> list[dict[str, Any]]:
    """List deleted projects, newest first."""
    gone = sa.select(projects.c.id, projects.c.deleted.label("name")).where(projects.c.deleted.is_not(None))
    return [dict(row._mapping) for row in db.execute(gone.order_by(projects.c.id.desc()))]


def _row(db: sa.Connection, sort: Sort, number: int, *, deleted: bool) -> sa.RowMapping:
    table = _NAME_COLUMNS[sort].table
    state = table.c.deleted.is_not(None) if deleted else table.c.deleted.is_(None)
    row = db.execute(sa.select(table).where(table.c.id == number, state)).mappings().first()
    if row is None:
        raise NotFound(f"there is no {'deleted ' if deleted else ''}{sort} {number}.")
    return row


def _set_name(db: sa.Connection, sort: Sort, row: sa.RowMapping, name: str, *, deleted: str | None) -> None:
    named = _NAME_COLUMNS[sort]
    same = [named.table.c[column] == row[column] for column in named.within]
    taken = sa.select(named.table.c.id).where(named.table.c[named.name] == name, named.table.c.id != row["id"], *same)
    if db.scalar(taken) is not None:
        what = "coder" if sort == "annotation" else sort
        raise CaesuraError(f"the {what} name {name!r} is taken; choose another.")
    values: dict[str, Any] = {named.name: name, "deleted": deleted}
    if sort == "annotation":  # a new version, so that caches are refreshed
        values["version"] = row["version"] + 1
    db.execute(named.table.update().where(named.table.c.id == row["id"]).values(**values))
    record_change(db, _CHANGES[sort, deleted is not None], **{sort: int(row["id"])})


#: Resource and whether it was deleted -> how the feed of changes calls it.
_CHANGES: dict[tuple[Sort, bool], ChangeKind] = {
    ("project", False): "project.changed",
    ("project", True): "project.changed",
    ("item", False): "item.changed",
    ("item", True): "item.deleted",
    ("annotation", False): "annotation.changed",
    ("annotation", True): "annotation.deleted",
}
