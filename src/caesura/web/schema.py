"""The tables of the store."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()

projects = sa.Table(
    "projects",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("created", sa.Text, nullable=False),
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
    sa.UniqueConstraint("item", "coder"),
)
revisions = sa.Table(
    "revisions",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("annotation", sa.ForeignKey("annotations.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("parent", sa.Integer),
    sa.Column("marks", sa.Text, nullable=False),
    sa.Column("operation", sa.Text, nullable=False),
    sa.Column("author", sa.Text, nullable=False, default=""),
    sa.Column("time", sa.Text, nullable=False),
)
comments = sa.Table(
    "comments",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("item", sa.ForeignKey("items.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("position", sa.Float),
    sa.Column("author", sa.Text, nullable=False, default=""),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("time", sa.Text, nullable=False),
)
