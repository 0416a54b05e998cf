"""Numbered changes of the tables, so that a database of any earlier version can be opened.

The table ``schema_version`` has one number: the last migration that was made. Databases of versions 0.1 and 0.2 have no such table; migration 1
brings them to the tables of version 0.2. All migrations run in one transaction, before anything else is read. To change the tables, change
``schema.py`` and append a function to ``MIGRATIONS``; a new database is made from ``schema.py`` and gets the last number at once.
"""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy as sa
from sqlalchemy.schema import CreateColumn

from caesura.errors import CaesuraError
from caesura_workbench.schema import (
    assignments,
    changes,
    codings,
    items,
    metadata,
    preferences,
    project_schemas,
    projects,
    questions,
    requests,
    schema_version,
    tokens,
    votes,
)
from caesura_workbench.schemas import propose_from_data


def _complete_tables(db: sa.Connection) -> None:
    """1: create the tables, columns and indexes that versions 0.1 and 0.2 may lack.

    In databases of the first version, annotations derived from others were gold without saying so.
    """
    inspector = sa.inspect(db)
    existing = set(inspector.get_table_names())
    metadata.create_all(db, [table for table in metadata.sorted_tables if table.name not in existing], checkfirst=False)
    added = set()
    for table in (table for table in metadata.sorted_tables if table.name in existing):
        known = {column["name"] for column in inspector.get_columns(table.name)}
        for column in table.columns:
            if column.name not in known:
                described = CreateColumn(column).compile(dialect=db.dialect)
                db.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {described}")
                added.add(column.name)
        for index in table.indexes:
            index.create(db, checkfirst=True)
    if "role" in added:
        made_here = sa.or_(*(codings.c.origin.like(f"{how}%") for how in ("unified", "copy of", "segmented")))
        db.execute(codings.update().where(made_here).values(role="gold", brought=False))


def _remember_requests(db: sa.Connection) -> None:
    """2: a table of request ids, so that a repeated change is made once."""
    requests.create(db, checkfirst=True)


def _add_project_schemas(db: sa.Connection) -> None:
    """3: schemas of projects, the feed of changes, tokens for programs, preferences, and paragraphs of texts.

    Every project gets the schema that its annotations use. Items that are done were done at their last change of status.
    """
    for table in (project_schemas, changes, tokens, preferences):
        table.create(db, checkfirst=True)
    for column in (assignments.c.passed, items.c.paragraphs):
        if column.name not in {known["name"] for known in sa.inspect(db).get_columns(column.table.name)}:
            described = CreateColumn(column).compile(dialect=db.dialect)
            db.exec_driver_sql(f"ALTER TABLE {column.table.name} ADD COLUMN {described}")
    done = assignments.c.passed.is_(None) & (assignments.c.status == "done")
    db.execute(assignments.update().where(done).values(passed=assignments.c.changed))
    for project in list(db.scalars(sa.select(projects.c.id).order_by(projects.c.id))):
        propose_from_data(db, project)


def _add_votes(db: sa.Connection) -> None:
    """4: questions for readers, and their votes."""
    for table in (questions, votes):
        table.create(db, checkfirst=True)


#: In order; the number of a migration is its place, counted from 1.
MIGRATIONS: tuple[Callable[[sa.Connection], None], ...] = (
    _complete_tables,
    _remember_requests,
    _add_project_schemas,
    _add_votes,
)


def migrate(db: sa.Connection) -> None:
    """Create the tables of a new database, or bring those of an earlier version up to date.

    Raises
    ------
    CaesuraError
        If the database was made by a later version.
    """
    known = sa.inspect(db).get_table_names()
    if not known:
        metadata.create_all(db, checkfirst=False)
        db.execute(schema_version.insert().values(number=len(MIGRATIONS)))
        return
    number = (db.scalar(sa.select(schema_version.c.number)) or 0) if schema_version.name in known else 0
    if number > len(MIGRATIONS):
        raise CaesuraError(
            f"this database was made by a later version of Caesura (schema {number}, this one knows {len(MIGRATIONS)}); update Caesura."
        )
    if number == len(MIGRATIONS):
        return
    for change in MIGRATIONS[number:]:
        change(db)
    db.execute(schema_version.delete())
    db.execute(schema_version.insert().values(number=len(MIGRATIONS)))
