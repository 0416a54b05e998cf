"""Names of projects, items and coders: changed, given up when something is deleted, and taken again when it is restored.

Nothing is erased by deleting: a row keeps in ``deleted`` the name it had. Each function works inside a transaction of the store.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from caesura.errors import CaesuraError
from caesura.web.rows import NotFound
from caesura.web.schema import codings, items, projects
from caesura.web.viewers import tell

Sort = Literal["project", "item", "annotation"]
#: What stands in an address -> what it names.
SORTS: dict[str, Sort] = {"projects": "project", "items": "item", "annotations": "annotation"}


@dataclass(frozen=True)
class _Named:
    """Where a sort of thing keeps its name, and within what the name is its own."""

    table: sa.Table
    name: str
    within: tuple[str, ...]


_NAMED: dict[str, _Named] = {
    "project": _Named(projects, "name", ()),
    "item": _Named(items, "name", ("project", "track")),
    "annotation": _Named(codings, "coder", ("item",)),
}


def rename(db: sa.Connection, sort: Sort, number: int, name: str) -> None:
    """Give something another name; what has the name already is told."""
    tell(name)
    row = _row(db, sort, number, deleted=False)
    _set_name(db, sort, row, name, deleted=None)


def delete(db: sa.Connection, sort: Sort, number: int) -> None:
    """Put something out of sight; its name is free."""
    row = _row(db, sort, number, deleted=False)
    name = str(row[_NAMED[sort].name])
    _set_name(db, sort, row, f"{name} (deleted {number})", deleted=name)


def restore(db: sa.Connection, sort: Sort, number: int) -> None:
    """Bring back what was deleted, under the name it had, unless somebody else has that by now."""
    row = _row(db, sort, number, deleted=True)
    _set_name(db, sort, row, str(row["deleted"]), deleted=None)


def take_back(db: sa.Connection, project: int, chosen: list[int], annotations: list[int]) -> None:
    """Put items and annotations of one project out of sight, those that are there still; of others nothing is touched."""
    mine = sa.select(items.c.id).where(items.c.project == project, items.c.deleted.is_(None))
    gone = list(db.scalars(mine.where(items.c.id.in_(chosen))))
    of_mine = sa.select(codings.c.id).where(codings.c.item.in_(mine), codings.c.deleted.is_(None))
    alone = of_mine.where(codings.c.id.in_(annotations), codings.c.item.not_in(gone))
    for number in list(db.scalars(alone)):
        delete(db, "annotation", number)
    for number in gone:
        delete(db, "item", number)


def deleted_in(db: sa.Connection, project: int) -> list[dict[str, Any]]:
    """What was deleted of a project's items and annotations, the last first by number."""
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
    """Projects that were deleted, the last first by number."""
    gone = sa.select(projects.c.id, projects.c.deleted.label("name")).where(projects.c.deleted.is_not(None))
    return [dict(row._mapping) for row in db.execute(gone.order_by(projects.c.id.desc()))]


def _row(db: sa.Connection, sort: Sort, number: int, *, deleted: bool) -> sa.RowMapping:
    table = _NAMED[sort].table
    there = table.c.deleted.is_not(None) if deleted else table.c.deleted.is_(None)
    row = db.execute(sa.select(table).where(table.c.id == number, there)).mappings().first()
    if row is None:
        raise NotFound(f"there is no {'deleted ' if deleted else ''}{sort} {number}.")
    return row


def _set_name(db: sa.Connection, sort: Sort, row: sa.RowMapping, name: str, *, deleted: str | None) -> None:
    named = _NAMED[sort]
    same = [named.table.c[column] == row[column] for column in named.within]
    taken = sa.select(named.table.c.id).where(named.table.c[named.name] == name, named.table.c.id != row["id"], *same)
    if db.scalar(taken) is not None:
        what = "coder" if sort == "annotation" else sort
        raise CaesuraError(f"there is {'an' if what == 'item' else 'a'} {what} {name!r} already; choose another name.")
    values: dict[str, Any] = {named.name: name, "deleted": deleted}
    if sort == "annotation":  # a change like any other, so that nobody is shown what was there before
        values["version"] = row["version"] + 1
    db.execute(named.table.update().where(named.table.c.id == row["id"]).values(**values))
