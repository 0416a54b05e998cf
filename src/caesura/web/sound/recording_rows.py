"""Which item has which recording: a row per item, which is deleted and restored with it because it is the item's."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import sqlalchemy as sa

from caesura.errors import CaesuraError
from caesura.model import Corpus
from caesura.web.rows import insert_item, kind_in_store, there
from caesura.web.schema import codings, items, metadata, projects
from caesura.web.sound.views import Facts

recordings = sa.Table(
    "recordings",
    metadata,
    sa.Column("item", sa.ForeignKey("items.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("digest", sa.Text, nullable=False, index=True),
    sa.Column("file", sa.Text, nullable=False),
    sa.Column("facts", sa.Text, nullable=False),
)

#: Seconds by which annotations and their recording may differ: tools round, and recorders run on.
_NEAR = 1.0
_TIMED = ("time", "spans in time")


def attach(
    db: sa.Connection, project: int, name: str, file: str, digest: str, facts: Facts, kind: str
) -> tuple[list[int], bool]:
    """Give a recording to all items of that name, or make one that nobody has annotated; the items, and whether it was made."""
    same = (items.c.project == project) & (items.c.name == name)
    if db.scalar(sa.select(projects.c.id).where(projects.c.id == project, there(projects))) is None:
        raise CaesuraError(f"there is no project {project}.")
    known = list(db.execute(sa.select(items).where(same, there(items))))
    for row in known:
        if row.kind not in _TIMED:
            raise CaesuraError(f"there is an item {name!r} already, and it is a text; name the recording otherwise.")
        if abs(row.length - facts.duration) > _NEAR:
            raise CaesuraError(
                f"the recording has {facts.duration:.2f} seconds, and item {name!r} has {row.length:.2f}; they do not belong together."
            )
    numbers = [int(row.id) for row in known]
    if not numbers:
        numbers = [insert_item(db, project, name, kind, facts.duration)]
    db.execute(recordings.delete().where(recordings.c.item.in_(numbers)))
    values = {"digest": digest, "file": file, "facts": json.dumps(asdict(facts))}
    db.execute(recordings.insert(), [{"item": number, **values} for number in numbers])
    return numbers, not known


def recording_of(db: sa.Connection, item: int) -> tuple[str, Facts, str] | None:
    """The digest of an item's recording, what it is, and what its file was called; nothing where it has none."""
    row = db.execute(sa.select(recordings).where(recordings.c.item == item)).first()
    return None if row is None else (row.digest, Facts(**json.loads(row.facts)), row.file)


def all_digests(db: sa.Connection, project: int | None = None) -> set[str]:
    """Every recording that something refers to, or those of one project."""
    query = sa.select(recordings.c.digest).join(items, items.c.id == recordings.c.item)
    return set(db.scalars(query if project is None else query.where(items.c.project == project)))


def adopt(db: sa.Connection, project: int, corpus: Corpus) -> None:
    """Let annotations stand on recordings of their names that nobody has annotated: the item takes their track, kind and length."""
    waiting = {row.name: row for row in db.execute(_waiting(project))}
    for annotation in corpus if waiting else ():
        row, kind = waiting.get(annotation.item), kind_in_store(annotation.marks)
        if row is not None and kind in _TIMED and abs(row.length - float(annotation.marks.length)) <= _NEAR:
            values = {"track": annotation.track, "kind": kind, "length": float(annotation.marks.length)}
            db.execute(items.update().where(items.c.id == row.id).values(**values))
            del waiting[annotation.item]


def _waiting(project: int) -> sa.Select[Any]:
    """Items that are a recording and nothing else."""
    annotated = sa.exists().where(codings.c.item == items.c.id).correlate(items)
    others = items.alias()
    sibling = sa.exists().where(others.c.project == project, others.c.name == items.c.name, others.c.id != items.c.id)
    known = sa.select(items).join(recordings, recordings.c.item == items.c.id)
    return known.where(items.c.project == project, there(items), ~annotated, ~sibling.correlate(items))


def share(db: sa.Connection, project: int) -> None:
    """Other tracks of a text that has a recording have it too."""
    others, own = items.alias(), recordings.alias()
    mine = sa.select(items.c.id, sa.func.min(recordings.c.digest), sa.func.min(recordings.c.file))
    query = (
        mine.add_columns(sa.func.min(recordings.c.facts))
        .join(others, (others.c.project == items.c.project) & (others.c.name == items.c.name))
        .join(recordings, recordings.c.item == others.c.id)
        .where(items.c.project == project, items.c.kind.in_(_TIMED), there(items))
        .where(~sa.exists().where(own.c.item == items.c.id).correlate(items))
        .group_by(items.c.id)
    )
    db.execute(recordings.insert().from_select(["item", "digest", "file", "facts"], query))
