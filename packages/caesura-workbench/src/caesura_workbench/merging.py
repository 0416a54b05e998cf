"""Merge duplicates: two names of one coder, or two items with the same text.

A merge is stored as a row that lists what moved from where, so it can be undone and appears in the history of the annotations it moved. Where both sides have
an annotation of the same item, the caller chooses which to keep; the other is deleted and can be restored. Every function runs inside a transaction
of the store.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal

import sqlalchemy as sa

from caesura.errors import CaesuraError
from caesura_workbench import naming, rows
from caesura_workbench.changes import record_change
from caesura_workbench.rows import NotFound, not_deleted
from caesura_workbench.schema import assignments, codings, comments, items, merges, recordings, revisions

#: Which of two annotations of one item is kept. The first coder or item is merged into the second.
Keep = Literal["first", "second"] | None


class MergeCollision(CaesuraError):
    """Both sides have a different annotation of the same item; ``places`` lists where."""

    def __init__(self, message: str, places: list[str]) -> None:
        self.places = places
        super().__init__(message)


@dataclass
class _MergeRecord:
    """What a merge changed, and so how to undo it."""

    moved: list[dict[str, Any]] = field(default_factory=list)  # annotations: id, item and coder before and after
    deleted: list[int] = field(default_factory=list)  # annotations that were not kept
    item: dict[str, Any] | None = None  # the item that was merged, and what was moved with it


# ---------------------------------------------------------------------- coders


def merge_coders(db: sa.Connection, project: int, first: str, second: str, keep: Keep) -> tuple[str, _MergeRecord]:
    """Rename one coder to another, which may be new; return a description and a record of the changes."""
    if first == second:
        raise CaesuraError("choose two different coders.")
    known = _by_item(db, project, first)
    if not known:
        raise NotFound(f"the project has no coder {first!r}.")
    taken = _by_item(db, project, second)
    done = _MergeRecord(deleted=_resolve_collisions(known, taken, keep, (first, second)))
    done.moved = [_move(row, row.item, second) for row in known.values() if row.id not in done.deleted]
    return f"coder {first} into {second}", done


def _by_item(db: sa.Connection, project: int, coder: str) -> dict[int, Any]:
    query = (
        sa.select(codings, items.c.name.label("where"), revisions.c.marks)
        .join(items, items.c.id == codings.c.item)
        .join(revisions, revisions.c.id == codings.c.head)
        .where(items.c.project == project, codings.c.coder == coder, not_deleted(items), not_deleted(codings))
    )
    return {row.item: row for row in db.execute(query)}


def _resolve_collisions(first: dict[Any, Any], second: dict[Any, Any], keep: Keep, names: tuple[str, str]) -> list[int]:
    """Return the annotations to delete where both sides have one; identical ones need no choice."""
    both = [key for key in first if key in second]
    differ = [key for key in both if first[key].marks != second[key].marks]
    if differ and keep is None:
        listed = [str(first[key].where) for key in differ]
        shown = ", ".join(repr(each) for each in listed[:5]) + (f" and {len(listed) - 5} more" if listed[5:] else "")
        raise MergeCollision(
            f"{names[0]!r} and {names[1]!r} have different annotations of {shown}; choose which to keep.", listed
        )
    dropped = second if keep == "first" else first
    return [int((dropped if key in differ else first)[key].id) for key in both]


# ---------------------------------------------------------------------- items


def merge_items(db: sa.Connection, project: int, first: int, second: int, keep: Keep) -> tuple[str, _MergeRecord]:
    """Move everything on one item to another with the same text, and delete the first; return a description and a record of the changes."""
    if first == second:
        raise CaesuraError("choose two different items.")
    source, target = (_item(db, project, number) for number in (first, second))
    words = None if source.units is None else rows.parse_units(source.units)
    length, _ = rows.merge_texts(target, source.kind, source.length, words, f"item {source.name!r}")
    known, taken = ({row.coder: row for row in _annotations_of(db, number)} for number in (first, second))
    done = _MergeRecord(deleted=_resolve_collisions(known, taken, keep, (source.name, target.name)))
    done.moved = [_move(row, second, row.coder) for row in known.values() if row.id not in done.deleted]
    grown = {"length": length, "units": target.units or source.units}
    db.execute(items.update().where(items.c.id == second).values(**grown))
    done.item = {
        "first": first,
        "second": second,
        "length": target.length,
        "units": target.units is not None,
        "comments": _move_rows(db, comments, comments.c.id, first, second),
        "people": _move_rows(db, assignments, assignments.c.person, first, second),
        "statuses": _join_statuses(db, first, second),
        "recording": _move_recording(db, first, second),
    }
    naming.delete(db, "item", first)
    return f"item {source.name} into {target.name}", done


def _item(db: sa.Connection, project: int, number: int) -> Any:
    row = db.execute(
        sa.select(items).where(items.c.id == number, items.c.project == project, not_deleted(items))
    ).first()
    if row is None:
        raise NotFound(f"the project has no item {number}.")
    return row


def _annotations_of(db: sa.Connection, item: int) -> list[Any]:
    query = (
        sa.select(codings, codings.c.coder.label("where"), revisions.c.marks)
        .join(revisions, revisions.c.id == codings.c.head)
        .where(codings.c.item == item, not_deleted(codings))
    )
    return list(db.execute(query))


def _move_rows(db: sa.Connection, table: sa.Table, key: sa.Column[Any], source: int, target: int) -> list[int]:
    """Move the rows of one item that have no counterpart on the other; return their keys."""
    counterparts = sa.select(key).where(table.c.item == target)
    listed = list(db.scalars(sa.select(key).where(table.c.item == source, key.not_in(counterparts))))
    db.execute(table.update().where(table.c.item == source, key.in_(listed)).values(item=target))
    return [int(each) for each in listed]


#: Of two statuses of one person, the one that leaves more to do counts for the merged item.
_LEFT_TO_DO = ("discuss", "open", "done")


def _join_statuses(db: sa.Connection, source: int, target: int) -> list[dict[str, Any]]:
    """Where somebody is assigned to both items, keep the status that leaves more to do; return the rows of the target as they were."""
    theirs = {row.person: row for row in db.execute(sa.select(assignments).where(assignments.c.item == source))}
    before = []
    for row in list(db.execute(sa.select(assignments).where(assignments.c.item == target))):
        other = theirs.get(row.person)
        if other is None or _LEFT_TO_DO.index(other.status) >= _LEFT_TO_DO.index(row.status):
            continue
        before.append({"person": row.person, "status": row.status, "note": row.note, "changed": row.changed})
        mine = (assignments.c.item == target) & (assignments.c.person == row.person)
        values = {"status": other.status, "note": other.note or row.note, "changed": other.changed}
        db.execute(assignments.update().where(mine).values(**values))
    return before


def _move_recording(db: sa.Connection, source: int, target: int) -> bool:
    """Move the recording if the other item has none."""
    if db.scalar(sa.select(recordings.c.item).where(recordings.c.item == target)) is not None:
        return False
    return bool(db.execute(recordings.update().where(recordings.c.item == source).values(item=target)).rowcount)


# ---------------------------------------------------------------------- carrying out and undoing


def record_merge(db: sa.Connection, project: int, what: str, done: _MergeRecord, author: str) -> dict[str, Any]:
    """Carry out a merge and store it; return it as the API lists it."""
    for number in done.deleted:
        naming.delete(db, "annotation", number)
    for row in done.moved:  # after the deletions, which free the names
        _move_annotation(db, row["id"], row["to_item"], row["to_coder"])
    _record_items(db, project, done.moved, done.item)
    kept = {"moved": done.moved, "deleted": done.deleted, "item": done.item}
    values = {"project": project, "what": what, "done": json.dumps(kept), "author": author, "time": rows.timestamp()}
    number = rows.inserted_id(db.execute(merges.insert().values(**values)))
    return next(each for each in list_merges(db, project) if each["id"] == number)


def undo_merge(db: sa.Connection, project: int, merge: int) -> str:
    """Undo a merge; fails without changes if a moved annotation was renamed, moved or deleted since."""
    mine = (merges.c.id == merge) & (merges.c.project == project) & merges.c.undone.is_(None)
    row = db.execute(sa.select(merges).where(mine)).first()
    if row is None:
        raise NotFound(f"the project has no merge {merge} to undo.")
    done = json.loads(row.done)
    if done["item"] is not None:
        _restore_item(db, done["item"])
    for each in done["moved"]:
        now = db.execute(sa.select(codings).where(codings.c.id == each["id"], not_deleted(codings))).first()
        if now is None or (now.item, now.coder) != (each["to_item"], each["to_coder"]):
            raise CaesuraError(f"the annotation by {each['to_coder']!r} was renamed or deleted since; undo that first.")
        taken = sa.select(codings.c.id).where(codings.c.item == each["item"], codings.c.coder == each["coder"])
        if db.scalar(taken) is not None:
            raise CaesuraError(f"the coder name {each['coder']!r} is taken; rename that coder first.")
        _move_annotation(db, each["id"], each["item"], each["coder"])
    for number in done["deleted"]:
        naming.restore(db, "annotation", number)
    db.execute(merges.update().where(merges.c.id == merge).values(undone=rows.timestamp()))
    _record_items(db, project, done["moved"], done["item"])
    return str(row.what)


def _restore_item(db: sa.Connection, moved: dict[str, Any]) -> None:
    first, second = moved["first"], moved["second"]
    naming.restore(db, "item", first)
    before: dict[str, Any] = {"length": moved["length"]} | ({} if moved["units"] else {"units": None})
    db.execute(items.update().where(items.c.id == second).values(**before))
    for row in moved.get("statuses", ()):  # merges of version 0.2 have none
        mine = (assignments.c.item == second) & (assignments.c.person == row["person"])
        values = {name: row[name] for name in ("status", "note", "changed")}
        db.execute(assignments.update().where(mine).values(**values))
    for table, key, listed in (
        (comments, comments.c.id, moved["comments"]),
        (assignments, assignments.c.person, moved["people"]),
        (recordings, recordings.c.item, [second] if moved["recording"] else []),
    ):
        db.execute(table.update().where(table.c.item == second, key.in_(listed)).values(item=first))


def _move(row: Any, item: int, coder: str) -> dict[str, Any]:
    return {"id": row.id, "item": row.item, "coder": row.coder, "to_item": item, "to_coder": coder}


def _move_annotation(db: sa.Connection, annotation: int, item: int, coder: str) -> None:
    """Move an annotation; its version grows, so that caches are refreshed."""
    values = {"item": item, "coder": coder, "version": codings.c.version + 1}
    db.execute(codings.update().where(codings.c.id == annotation).values(**values))
    record_change(db, "annotation.changed", item=item, annotation=annotation)


def _record_items(db: sa.Connection, project: int, moved: list[dict[str, Any]], item: dict[str, Any] | None) -> None:
    """Record a merge, and every item that it changed."""
    record_change(db, "merge", project=project)
    numbers = {each[key] for each in moved for key in ("item", "to_item")}
    for number in sorted(numbers | (set() if item is None else {item["first"], item["second"]})):
        record_change(db, "item.changed", project=project, item=number)


# ---------------------------------------------------------------------- lists


def list_merges(db: sa.Connection, project: int) -> list[dict[str, Any]]:
    """Return every merge of a project, newest first, with the numbers of annotations moved and deleted."""
    query = sa.select(merges).where(merges.c.project == project).order_by(merges.c.id.desc())
    return [
        {"id": row.id, "what": row.what, "author": row.author, "time": row.time, "undone": row.undone}
        | {"moved": len((done := json.loads(row.done))["moved"]), "deleted": len(done["deleted"])}
        for row in db.execute(query)
    ]


def merge_steps(db: sa.Connection, project: int) -> dict[int, list[dict[str, Any]]]:
    """Return what merges did to each annotation, as steps of its history."""
    steps: dict[int, list[dict[str, Any]]] = {}
    for row in db.execute(sa.select(merges).where(merges.c.project == project).order_by(merges.c.id)):
        for each in json.loads(row.done)["moved"]:
            for time, kind in ((row.time, "merge"), (row.undone, "unmerge")):
                if time is not None:
                    step = {"operation": {"kind": kind, "what": row.what}, "author": row.author, "time": time}
                    steps.setdefault(each["id"], []).append(step)
    return steps
