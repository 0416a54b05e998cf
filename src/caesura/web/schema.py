"""The tables of the store.

What is ``deleted`` can be restored: it keeps there the name it had, and gives that name up, so that others may take it. An annotation's ``role`` is
"coder", counted in agreement, "gold", what was made of the coders', or "system", a machine's, offered as suggestions and counted nowhere; one that was ``brought`` in a file never changes. Where a workbench knows
people, ``person`` says whose it is, and what annotators made is seen by themselves alone until the project is ``released``.
"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.schema import CreateColumn

metadata = sa.MetaData()

projects = sa.Table(
    "projects",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("created", sa.Text, nullable=False),
    sa.Column("deleted", sa.Text),
    sa.Column("released", sa.Text),
)
items = sa.Table(
    "items",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("project", sa.ForeignKey("projects.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("track", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("length", sa.Float, nullable=False),
    sa.Column("units", sa.Text),
    sa.Column("attributes", sa.Text, nullable=False, default="{}"),
    sa.Column("deleted", sa.Text),
    sa.UniqueConstraint("project", "name", "track"),
)
codings = sa.Table(
    "annotations",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("item", sa.ForeignKey("items.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("coder", sa.Text, nullable=False),
    sa.Column("head", sa.Integer, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("origin", sa.Text, nullable=False),
    sa.Column("role", sa.Text, nullable=False, server_default="coder"),
    sa.Column("brought", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.Column("deleted", sa.Text),
    sa.Column("person", sa.Integer),
    sa.UniqueConstraint("item", "coder"),
    sa.Index("annotations_of_person", "item", "person"),
    sa.Index("annotations_in_role", "item", "role"),
)
revisions = sa.Table(
    "revisions",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("annotation", sa.ForeignKey("annotations.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("parent", sa.Integer),
    sa.Column("marks", sa.Text, nullable=False),
    sa.Column("operation", sa.Text, nullable=False),
    sa.Column("settled", sa.Text),
    sa.Column("author", sa.Text, nullable=False, default=""),
    sa.Column("time", sa.Text, nullable=False),
)
comments = sa.Table(
    "comments",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("item", sa.ForeignKey("items.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("position", sa.Float),
    sa.Column("until", sa.Float),
    sa.Column("author", sa.Text, nullable=False, default=""),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("time", sa.Text, nullable=False),
    sa.Column("person", sa.Integer),
    sa.Index("comments_of_person", "item", "person"),
)


def complete_tables(db: sa.Connection) -> None:
    """Make what is missing of the tables, as all is in a new store.

    Annotations of an earlier version that were made from others' were gold without saying so.
    """
    inside = sa.inspect(db)
    there = set(inside.get_table_names())
    metadata.create_all(db, [table for table in metadata.sorted_tables if table.name not in there], checkfirst=False)
    added = set()
    for table in (table for table in metadata.sorted_tables if table.name in there):
        known = {column["name"] for column in inside.get_columns(table.name)}
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
