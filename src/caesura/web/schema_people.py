"""The tables of a campaign: people, how they come in, what is theirs to do, and who did what. A workbench used alone leaves them empty."""

from __future__ import annotations

import sqlalchemy as sa

from caesura.web.schema import metadata

#: ``manager`` is one of the whole workbench. Passwords are kept as argon2 hashes, personal links as digests; who is not ``active`` cannot come in.
people = sa.Table(
    "people",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("manager", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("active", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.Column("password", sa.Text),
    sa.Column("link", sa.Text, index=True),
    sa.Column("created", sa.Text, nullable=False),
)
sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("person", sa.ForeignKey("people.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("created", sa.Text, nullable=False),
    sa.Column("until", sa.Text, nullable=False),
    sa.Column("client", sa.Text, nullable=False, default=""),
)
#: Wrong passwords in a row, of an account or from a client, as digests: in the store, so that all workbenches on it slow a guesser together.
tries = sa.Table(
    "tries",
    metadata,
    sa.Column("who", sa.Text, primary_key=True),
    sa.Column("wrong", sa.Integer, nullable=False),
    sa.Column("last", sa.Float, nullable=False),
)
members = sa.Table(
    "members",
    metadata,
    sa.Column("project", sa.ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("person", sa.ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("role", sa.Text, nullable=False),
)
#: ``status`` is "open", "done" or "discuss".
assignments = sa.Table(
    "assignments",
    metadata,
    sa.Column("item", sa.ForeignKey("items.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("person", sa.ForeignKey("people.id", ondelete="CASCADE"), primary_key=True, index=True),
    sa.Column("status", sa.Text, nullable=False, server_default="open"),
    sa.Column("note", sa.Text, nullable=False, server_default=""),
    sa.Column("changed", sa.Text),
)
guidelines = sa.Table(
    "guidelines",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("project", sa.ForeignKey("projects.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("author", sa.Text, nullable=False, default=""),
    sa.Column("time", sa.Text, nullable=False),
)
#: Outlives what it tells of: no key leads from here to what may be erased.
audit = sa.Table(
    "audit",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("time", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("what", sa.Text, nullable=False),
    sa.Column("address", sa.Text, nullable=False, default=""),
    sa.Column("project", sa.Integer, index=True),
    sa.Column("client", sa.Text, nullable=False, default=""),
)
