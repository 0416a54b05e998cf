"""What came twice made one: two names of one coder, two items of one text. Each function works inside a transaction of the store.

A merge is a row that says what moved from where, so it can be undone as one thing and stands in the history of the annotations it moved. Where both
have an annotation of the same item, one has to give way: whoever merges says which, and the other is deleted, to be restored like anything deleted.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal

import sqlalchemy as sa

from caesura.errors import CaesuraError
from caesura.web import naming, rows
from caesura.web.rows import NotFound, there
from caesura.web.schema import codings, comments, items, metadata, revisions
from caesura.web.schema_people import assignments
from caesura.web.sound.recording_rows import recordings

#: Which of two annotations of one item stays: that of the first, which goes into the second, or that of the second.
Keep = Literal["first", "second"] | None

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


class Collision(CaesuraError):
    """Both have an annotation where there can be one; carries where, so that a page can ask which to keep."""

    def __init__(self, sentence: str, places: list[str]) -> None:
        self.places = places
        super().__init__(sentence)


@dataclass
class _Done:
    """What a merge did, and with that how to undo it."""

    moved: list[dict[str, Any]] = field(default_factory=list)  # annotations: number, item and coder before
    deleted: list[int] = field(default_factory=list)  # annotations that gave way
    item: dict[str, Any] | None = None  # the item that went, and what it brought with it


# ---------------------------------------------------------------------- coders


def merge_coders(db: sa.Connection, project: int, first: str, second: str, keep: Keep) -> tuple[str, _Done]:
    """Give all annotations of one coder the name of another; in words, and as what was done. The second name may be new."""
    if first == second:
        raise CaesuraError("these are the same coder already.")
    known = _by_item(db, project, first)
    if not known:
        raise NotFound(f"there is no coder {first!r} in this project.")
    taken = _by_item(db, project, second)
    done = _Done(deleted=_give_way(known, taken, keep, (first, second)))
    done.moved = [_move(row, row.item, second) for row in known.values() if row.id not in done.deleted]
    return f"coder {first} into {second}", done


def _by_item(db: sa.Connection, project: int, coder: str) -> dict[int, Any]:
    query = (
        sa.select(codings, items.c.name.label("where"), revisions.c.marks)
        .join(items, items.c.id == codings.c.item)
        .join(revisions, revisions.c.id == codings.c.head)
        .where(items.c.project == project, codings.c.coder == coder, there(items), there(codings))
    )
    return {row.item: row for row in db.execute(query)}


def _give_way(first: dict[Any, Any], second: dict[Any, Any], keep: Keep, names: tuple[str, str]) -> list[int]:
    """The annotations that are deleted where both have one; where both say the same, the first's does."""
    both = [key for key in first if key in second]
    differ = [key for key in both if first[key].marks != second[key].marks]
    if differ and keep is None:
        listed = [str(first[key].where) for key in differ]
        shown = ", ".join(repr(each) for each in listed[:5]) + (f" and {len(listed) - 5} more" if listed[5:] else "")
        raise Collision(
            f"{names[0]!r} and {names[1]!r} both have an annotation of {shown}, and they differ; say which to keep.",
            listed,
        )
    going = second if keep == "first" else first
    return [int((going if key in differ else first)[key].id) for key in both]


# ---------------------------------------------------------------------- items


def merge_items(db: sa.Connection, project: int, first: int, second: int, keep: Keep) -> tuple[str, _Done]:
    """Put everything that stands on one item on another of the same text, and delete the first."""
    if first == second:
        raise CaesuraError("this is one item.")
    source, target = (_item(db, project, number) for number in (first, second))
    words = None if source.units is None else rows.words_of(source.units)
    length, _ = rows.join_texts(target, source.kind, source.length, words, f"item {source.name!r}")
    known, taken = ({row.coder: row for row in _on(db, number)} for number in (first, second))
    done = _Done(deleted=_give_way(known, taken, keep, (source.name, target.name)))
    done.moved = [_move(row, second, row.coder) for row in known.values() if row.id not in done.deleted]
    grown = {"length": length, "units": target.units or source.units}
    db.execute(items.update().where(items.c.id == second).values(**grown))
    done.item = {
        "first": first,
        "second": second,
        "length": target.length,
        "units": target.units is not None,
        "comments": _take(db, comments, comments.c.id, first, second),
        "people": _take(db, assignments, assignments.c.person, first, second),
        "recording": _take_recording(db, first, second),
    }
    naming.delete(db, "item", first)
    return f"item {source.name} into {target.name}", done


def _item(db: sa.Connection, project: int, number: int) -> Any:
    row = db.execute(sa.select(items).where(items.c.id == number, items.c.project == project, there(items))).first()
    if row is None:
        raise NotFound(f"there is no item {number} in this project.")
    return row


def _on(db: sa.Connection, item: int) -> list[Any]:
    query = (
        sa.select(codings, codings.c.coder.label("where"), revisions.c.marks)
        .join(revisions, revisions.c.id == codings.c.head)
        .where(codings.c.item == item, there(codings))
    )
    return list(db.execute(query))


def _take(db: sa.Connection, table: sa.Table, key: sa.Column[Any], source: int, target: int) -> list[int]:
    """Move rows of a table from one item to another, those that have no counterpart there; the keys of the moved ones."""
    counterparts = sa.select(key).where(table.c.item == target)
    listed = list(db.scalars(sa.select(key).where(table.c.item == source, key.not_in(counterparts))))
    db.execute(table.update().where(table.c.item == source, key.in_(listed)).values(item=target))
    return [int(each) for each in listed]


def _take_recording(db: sa.Connection, source: int, target: int) -> bool:
    """Move the recording, if the other item has none."""
    if db.scalar(sa.select(recordings.c.item).where(recordings.c.item == target)) is not None:
        return False
    return bool(db.execute(recordings.update().where(recordings.c.item == source).values(item=target)).rowcount)


# ---------------------------------------------------------------------- keeping and undoing


def write_merge(db: sa.Connection, project: int, what: str, done: _Done, author: str) -> dict[str, Any]:
    """Delete what gave way, and write down what was done; the merge as the API tells of it."""
    for number in done.deleted:
        naming.delete(db, "annotation", number)
    for row in done.moved:  # after those that had the name, or the place, gave it up
        db.execute(_move_annotation(row["id"], row["to_item"], row["to_coder"]))
    kept = {"moved": done.moved, "deleted": done.deleted, "item": done.item}
    values = {"project": project, "what": what, "done": json.dumps(kept), "author": author, "time": rows.now()}
    number = rows.key(db.execute(merges.insert().values(**values)))
    return next(each for each in list_merges(db, project) if each["id"] == number)


def undo_merge(db: sa.Connection, project: int, merge: int) -> str:
    """Put everything back where it was; what of it was renamed, moved or deleted since is told, and then nothing is done."""
    mine = (merges.c.id == merge) & (merges.c.project == project) & merges.c.undone.is_(None)
    row = db.execute(sa.select(merges).where(mine)).first()
    if row is None:
        raise NotFound(f"there is no merge {merge} in this project that could be undone.")
    done = json.loads(row.done)
    if done["item"] is not None:
        _restore_item(db, done["item"])
    for each in done["moved"]:
        now = db.execute(sa.select(codings).where(codings.c.id == each["id"], there(codings))).first()
        if now is None or (now.item, now.coder) != (each["to_item"], each["to_coder"]):
            raise CaesuraError(f"the annotation of {each['to_coder']!r} was renamed or deleted since; undo that first.")
        _check_free(db, each)
        db.execute(_move_annotation(each["id"], each["item"], each["coder"]))
    for number in done["deleted"]:
        naming.restore(db, "annotation", number)
    db.execute(merges.update().where(merges.c.id == merge).values(undone=rows.now()))
    return str(row.what)


def _restore_item(db: sa.Connection, moved: dict[str, Any]) -> None:
    first, second = moved["first"], moved["second"]
    naming.restore(db, "item", first)
    before: dict[str, Any] = {"length": moved["length"]} | ({} if moved["units"] else {"units": None})
    db.execute(items.update().where(items.c.id == second).values(**before))
    for table, key, listed in (
        (comments, comments.c.id, moved["comments"]),
        (assignments, assignments.c.person, moved["people"]),
        (recordings, recordings.c.item, [second] if moved["recording"] else []),
    ):
        db.execute(table.update().where(table.c.item == second, key.in_(listed)).values(item=first))


def _check_free(db: sa.Connection, each: dict[str, Any]) -> None:
    taken = sa.select(codings.c.id).where(codings.c.item == each["item"], codings.c.coder == each["coder"])
    if db.scalar(taken) is not None:
        raise CaesuraError(f"there is a coder {each['coder']!r} already; rename that one before this is undone.")


def _move(row: Any, item: int, coder: str) -> dict[str, Any]:
    return {"id": row.id, "item": row.item, "coder": row.coder, "to_item": item, "to_coder": coder}


def _move_annotation(annotation: int, item: int, coder: str) -> sa.Update:
    """A change like any other, so that nobody is shown what was there before."""
    values = {"item": item, "coder": coder, "version": codings.c.version + 1}
    return codings.update().where(codings.c.id == annotation).values(**values)


# ---------------------------------------------------------------------- what was merged


def list_merges(db: sa.Connection, project: int) -> list[dict[str, Any]]:
    """Every merge of a project, the last first, with how many annotations it moved and deleted."""
    query = sa.select(merges).where(merges.c.project == project).order_by(merges.c.id.desc())
    return [
        {"id": row.id, "what": row.what, "author": row.author, "time": row.time, "undone": row.undone}
        | {"moved": len((done := json.loads(row.done))["moved"]), "deleted": len(done["deleted"])}
        for row in db.execute(query)
    ]


def merges_of(db: sa.Connection, project: int) -> dict[int, list[dict[str, Any]]]:
    """What merges did to annotations, by their numbers: steps of a history without a revision of their own."""
    steps: dict[int, list[dict[str, Any]]] = {}
    for row in db.execute(sa.select(merges).where(merges.c.project == project).order_by(merges.c.id)):
        for each in json.loads(row.done)["moved"]:
            for time, kind in ((row.time, "merge"), (row.undone, "unmerge")):
                if time is not None:
                    step = {"operation": {"kind": kind, "what": row.what}, "author": row.author, "time": time}
                    steps.setdefault(each["id"], []).append(step)
    return steps
