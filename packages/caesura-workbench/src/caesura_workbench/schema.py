"""Tables of the database.

Deleted projects, items and annotations can be restored: ``deleted`` keeps the name they had, which others may take meanwhile. The ``role`` of an annotation is
"coder" (counted in agreement), "gold" (built from the coders' annotations) or "system" (a machine's, offered as suggestions and never counted). An annotation that
was ``brought`` by a file never changes. Where the workbench has accounts, ``person`` is the annotator who owns an annotation; others see it once the project is
``released``. Without accounts, the tables from ``people`` on are empty.
"""

from __future__ import annotations

import sqlalchemy as sa

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
#: ``paragraphs`` lists as JSON the numbers of the units that begin a paragraph of the source, where it is known.
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
    sa.Column("paragraphs", sa.Text),
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
#: The recording of an item; ``facts`` holds its properties as JSON.
recordings = sa.Table(
    "recordings",
    metadata,
    sa.Column("item", sa.ForeignKey("items.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("digest", sa.Text, nullable=False, index=True),
    sa.Column("file", sa.Text, nullable=False),
    sa.Column("facts", sa.Text, nullable=False),
)
#: ``done`` lists as JSON what a merge changed.
merges = sa.Table(
    "merges",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("project", sa.ForeignKey("projects.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("what", sa.Text, nullable=False),
    sa.Column("done", sa.Text, nullable=False),
    sa.Column("author", sa.Text, nullable=False, default=""),
    sa.Column("time", sa.Text, nullable=False),
    sa.Column("undone", sa.Text),
)
#: ``manager`` means of the whole workbench. Passwords are argon2 hashes, personal links are digests. Only ``active`` people can sign in.
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
#: Consecutive wrong passwords by account and by client; ``who`` is a digest.
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
#: ``status`` is "open", "done" or "discuss"; ``passed`` is when the item was done for the first time.
assignments = sa.Table(
    "assignments",
    metadata,
    sa.Column("item", sa.ForeignKey("items.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("person", sa.ForeignKey("people.id", ondelete="CASCADE"), primary_key=True, index=True),
    sa.Column("status", sa.Text, nullable=False, server_default="open"),
    sa.Column("note", sa.Text, nullable=False, server_default=""),
    sa.Column("changed", sa.Text),
    sa.Column("passed", sa.Text),
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
#: Versions of the schema of a project as JSON (see `caesura_workbench.project_schema`). ``source`` is "new", "data", "import" or "saved";
#: ``guidelines`` is the version of the guidelines at that time.
project_schemas = sa.Table(
    "project_schemas",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("project", sa.ForeignKey("projects.id", ondelete="CASCADE"), nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("guidelines", sa.Integer, nullable=False, server_default="0"),
    sa.Column("author", sa.Text, nullable=False, default=""),
    sa.Column("time", sa.Text, nullable=False),
    sa.UniqueConstraint("project", "version"),
)
#: The questions that people answer in a project (``questions.json`` of ``caesura judge make``), and their answers. ``reader`` is the name of the voter.
questions = sa.Table(
    "questions",
    metadata,
    sa.Column("project", sa.ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("author", sa.Text, nullable=False, default=""),
    sa.Column("time", sa.Text, nullable=False),
)
votes = sa.Table(
    "votes",
    metadata,
    sa.Column("project", sa.ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("reader", sa.Text, primary_key=True),
    sa.Column("question", sa.Text, primary_key=True),
    sa.Column("answer", sa.Text, nullable=False),
    sa.Column("time", sa.Text, nullable=False),
)
#: The feed of changes. Ids grow in the order of commits, so a reader who has seen one has seen all before it. No foreign keys, so that changes
#: outlive what was changed.
changes = sa.Table(
    "changes",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("time", sa.Text, nullable=False),
    sa.Column("project", sa.Integer, nullable=False),
    sa.Column("item", sa.Integer),
    sa.Column("annotation", sa.Integer),
    sa.Column("what", sa.Text, nullable=False),
    sa.Column("version", sa.Integer),
    sa.Column("author", sa.Text, nullable=False, server_default=""),
    sa.Column("person", sa.Integer),
    sa.Index("changes_of_project", "project", "id"),
    sa.Index("changes_of_item", "item", "id"),
    sqlite_autoincrement=True,
)
#: Settings of a person for the pages, as JSON; those of a workbench without accounts have the number 0.
preferences = sa.Table(
    "preferences",
    metadata,
    sa.Column("person", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("content", sa.Text, nullable=False),
)
#: Tokens of people for programs; ``scopes`` are separated by spaces, and only the digest of the secret is stored.
tokens = sa.Table(
    "tokens",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("person", sa.ForeignKey("people.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False, unique=True),
    sa.Column("scopes", sa.Text, nullable=False),
    sa.Column("created", sa.Text, nullable=False),
    sa.Column("until", sa.Text),
    sa.Column("used", sa.Text),
)
#: Has no foreign keys, so that entries outlive what they refer to.
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
#: Ids of changes that were made, so that one whose response was lost is not made twice; ``version`` is that of the annotation afterwards.
requests = sa.Table(
    "requests",
    metadata,
    sa.Column("annotation", sa.ForeignKey("annotations.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("request", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("time", sa.Text, nullable=False, index=True),
)
#: One row: the number of the last migration.
schema_version = sa.Table(
    "schema_version", metadata, sa.Column("number", sa.Integer, primary_key=True, autoincrement=False)
)
