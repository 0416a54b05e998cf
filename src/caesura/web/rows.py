"""Rows of the store and what they mean: packing and unpacking, looking up, moving heads. Each works inside a transaction of the store."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sa

from caesura.errors import CaesuraError
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation, Spans
from caesura.model.corpus import Marks, kind_of
from caesura.model.spans import code_labels
from caesura.web.schema import codings, comments, items, projects, revisions
from caesura.web.viewers import ALONE, Viewer


class NotFound(CaesuraError):
    """Nothing in the store under this number."""


class NotYours(CaesuraError):
    """An annotation that a coder brought: it is looked at, and never changed."""


class StoreFault(CaesuraError):
    """The store is locked, full, gone or damaged: nothing is wrong with what was asked for."""


class Conflict(CaesuraError):
    """Somebody else changed the annotation since it was read; carries its present state for a merge view."""

    def __init__(self, sentence: str, current: AnnotationState) -> None:
        self.current = current
        super().__init__(sentence)


@dataclass(frozen=True)
class Item:
    """One track of one text of a project."""

    id: int
    project: int
    name: str
    track: str
    kind: str
    length: float
    units: tuple[str, ...] | None
    attributes: dict[str, Any]


@dataclass(frozen=True)
class AnnotationState:
    """One coder's marks on an item as they are now."""

    id: int
    item: int
    coder: str
    role: str
    brought: bool
    version: int
    origin: str
    marks: Marks
    can_undo: bool
    can_redo: bool
    person: int | None = None
    settled: tuple[str, ...] = ()


class Added(NamedTuple):
    """What an import made: numbers of new items, and of annotations."""

    items: list[int]
    annotations: list[int]


def there(table: sa.Table) -> sa.ColumnElement[bool]:
    """What is not deleted."""
    return table.c.deleted.is_(None)


def key(result: sa.CursorResult[Any]) -> int:
    """The number that an insertion gave to its row."""
    columns = result.inserted_primary_key
    assert columns is not None
    return int(columns[0])


def now() -> str:
    """The time, as the store writes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


_KINDS = {
    "units": "boundaries of a text",
    "time": "boundaries of a recording",
    "nested": "nested segments",
    "spans": "spans of a text",
    "spans in time": "spans of a recording",
}


def kind_in_store(marks: Marks) -> str:
    """What an item of such marks is called."""
    return "spans in time" if isinstance(marks, Spans) and marks.timed else kind_of(marks)


def item_for(db: sa.Connection, project: int, annotation: Annotation, corpus: Corpus, join: bool) -> int:
    """The item an annotation belongs to, made if it is new; its length and text must agree. With ``join`` one of the same text will do."""
    marks = annotation.marks
    kind = kind_in_store(marks)
    same = (items.c.project == project) & (items.c.name == annotation.item) & (items.c.track == annotation.track)
    row = db.execute(sa.select(items).where(same)).first()
    if row is None and join and marks.units is not None:
        twin = (
            (items.c.project == project) & (items.c.kind == kind) & (items.c.track == annotation.track) & there(items)
        )
        words = json.dumps(marks.units, ensure_ascii=False)
        row = db.execute(sa.select(items).where(twin, items.c.units == words).order_by(items.c.id)).first()
    if row is None:
        about = corpus.attributes.get(annotation.item, {})
        return insert_item(db, project, annotation.item, kind, marks.length, annotation.track, marks.units, about)
    length, units = join_texts(row, kind, float(marks.length), marks.units, "the new annotation")
    grown: dict[str, Any] = {"length": length} if length != row.length else {}
    if row.units is None and units is not None:
        grown["units"] = json.dumps(units, ensure_ascii=False)
    if grown:
        db.execute(items.update().where(items.c.id == row.id).values(**grown))
    return int(row.id)


def join_texts(
    item: Any, kind: str, length: float, units: tuple[str, ...] | None, what: str
) -> tuple[float, tuple[str, ...] | None]:
    """The length and the words of an item and of what is to stand on it too; refused in words where they are not of one text."""
    if item.kind != kind:
        raise CaesuraError(f"item {item.name!r} holds {_KINDS[item.kind]}, {what} {_KINDS[kind]}.")
    known = None if item.units is None else words_of(item.units)
    shorter = known if length > item.length else units  # without its words it ends where its last span does
    if item.length != length and not (kind.startswith("spans") and shorter is None):
        unit = "seconds" if kind in ("time", "spans in time") else "units"
        raise CaesuraError(f"item {item.name!r} has {item.length:g} {unit} in this project, {what} {length:g} {unit}.")
    if known is not None and units is not None and known != units:
        raise CaesuraError(f"item {item.name!r}: {what} stands on another text.")
    return max(length, item.length), units if known is None else known


def insert_item(
    db: sa.Connection,
    project: int,
    name: str,
    kind: str,
    length: float,
    track: str = "",
    units: tuple[str, ...] | None = None,
    attributes: Mapping[str, Any] | None = None,
) -> int:
    """A new item; its number."""
    words = None if units is None else json.dumps(units, ensure_ascii=False)
    about = json.dumps(dict(attributes or {}), ensure_ascii=False, default=str)
    values = {"project": project, "name": name, "track": track, "kind": kind, "length": float(length)}
    return key(db.execute(items.insert().values(**values, units=words, attributes=about)))


def insert_annotation(
    db: sa.Connection,
    item: int,
    coder: str,
    marks: Marks,
    origin: str,
    *,
    role: str = "coder",
    brought: bool = True,
    author: str = "",
    person: int | None = None,
) -> int:
    """A coder's first annotation of an item; its number."""
    taken = sa.select(codings.c.id).where(codings.c.item == item, codings.c.coder == coder)
    if db.scalar(taken) is not None:
        name = db.scalar(sa.select(items.c.name).where(items.c.id == item))
        raise CaesuraError(
            f"coder {coder!r} has an annotation of item {name!r} in this project already; name the coder otherwise."
        )
    values = {"item": item, "coder": coder, "head": 0, "version": 1, "origin": origin, "role": role, "brought": brought}
    annotation = key(db.execute(codings.insert().values(**values, person=person)))
    first = db.execute(
        revisions.insert().values(
            annotation=annotation,
            parent=None,
            marks=pack_marks(marks),
            operation=json.dumps({"kind": "import" if brought else "start", "origin": origin}),
            author=author,
            time=now(),
        )
    )
    head = key(first)
    db.execute(codings.update().where(codings.c.id == annotation).values(head=head))
    return annotation


def item_of(row: Any) -> Item:
    """An item as its row says."""
    units = None if row.units is None else words_of(row.units)
    return Item(row.id, row.project, row.name, row.track, row.kind, row.length, units, json.loads(row.attributes))


def parent(annotation: int) -> Any:
    """The revision before the head."""
    return (
        sa.select(revisions.c.parent).join(codings, codings.c.head == revisions.c.id).where(codings.c.id == annotation)
    )


def youngest_child(annotation: int) -> Any:
    """The last revision made from the head."""
    head = sa.select(codings.c.head).where(codings.c.id == annotation).scalar_subquery()
    children = (revisions.c.annotation == annotation) & (revisions.c.parent == head)
    return sa.select(sa.func.max(revisions.c.id)).where(children)


def add_revision(
    db: sa.Connection, annotation: int, marks: str, settled: Iterable[str], operation: dict[str, Any], author: str
) -> None:
    """Put a revision behind the head and make it the head."""
    head = sa.select(codings.c.head).where(codings.c.id == annotation).scalar_subquery()
    values = {"annotation": annotation, "parent": head, "marks": marks, "author": author, "time": now()}
    places = json.dumps(list(settled), ensure_ascii=False)
    added = db.execute(revisions.insert().values(**values, settled=places, operation=json.dumps(operation)))
    move_head(db, annotation, key(added))


def move_head(db: sa.Connection, annotation: int, head: int) -> None:
    """Make another revision the head; a change like any other."""
    values = {"head": head, "version": codings.c.version + 1}
    db.execute(codings.update().where(codings.c.id == annotation).values(**values))


def _states(chosen: Any) -> Any:
    child = revisions.alias("child")
    redo = sa.exists().where(child.c.annotation == codings.c.id, child.c.parent == codings.c.head)
    return (
        sa.select(codings.c.id, codings.c.item, codings.c.coder, codings.c.version, codings.c.origin)
        .add_columns(codings.c.role, codings.c.brought, codings.c.person)
        .add_columns(items.c.kind, items.c.length, items.c.units, revisions.c.marks, revisions.c.parent)
        .add_columns(revisions.c.settled)
        .add_columns(redo.label("can_redo"))
        .join(items, items.c.id == codings.c.item)
        .join(projects, projects.c.id == items.c.project)
        .join(revisions, revisions.c.id == codings.c.head)
        .where(chosen == sa.bindparam("wanted", type_=sa.Integer), there(codings), there(items), there(projects))
        .order_by(codings.c.id)
    )


#: Made once, because every change asks for them.
_OF_ITEM, _BY_NUMBER = _states(codings.c.item), _states(codings.c.id)
_OWN = _OF_ITEM.where(codings.c.person == sa.bindparam("person", type_=sa.Integer))


def states(
    db: sa.Connection, *, item: int | None = None, annotation: int | None = None, person: int | None = None
) -> list[AnnotationState]:
    """The annotations of an item (or only this person's), or one by its number, as they are now, in one query."""
    query, wanted = (_OF_ITEM if person is None else _OWN, item) if annotation is None else (_BY_NUMBER, annotation)
    given = {"wanted": wanted} | ({} if person is None else {"person": person})
    return [
        AnnotationState(
            row.id,
            row.item,
            row.coder,
            row.role,
            row.brought,
            row.version,
            row.origin,
            unpack_marks(row, row.marks),
            row.parent is not None,
            bool(row.can_redo),
            row.person,
            tuple(json.loads(row.settled or "[]")),
        )
        for row in db.execute(query, given)
    ]


_WANTED = sa.bindparam("wanted", type_=sa.Integer)


def _stamp_for(viewer: Viewer) -> sa.Select[Any]:
    """The project and how much there is of an item, and how often it was changed: by whoever this viewer sees."""
    of_item = codings.c.item == _WANTED
    # what is suggested is for everybody; of the rest, whoever is blind does not even walk past the others'
    seen = [of_item, codings.c.person == viewer.person] if viewer.blind else [of_item]
    offered = sa.select(sa.func.count()).select_from(codings).where(of_item, codings.c.role == "system", there(codings))
    remarks = sa.select(sa.func.count()).select_from(comments)
    return (
        sa.select(projects.c.created, projects.c.id, items.c.name)
        .add_columns(
            sa.select(sa.func.count()).select_from(codings).where(*seen, there(codings)).scalar_subquery(),
            sa.select(sa.func.sum(codings.c.version)).where(*seen).scalar_subquery(),
            remarks.where(comments.c.item == _WANTED, viewer.sees_comments()).scalar_subquery(),
            offered.scalar_subquery(),
        )
        .join(items, items.c.project == projects.c.id)
        .where(items.c.id == _WANTED, there(items), there(projects))
    )


_STAMP = _stamp_for(ALONE)  # asked for with every look at an item, so made once


def stamp(db: sa.Connection, item: int, viewer: Viewer) -> str:
    """What changes whenever anything about an item does that this viewer sees."""
    row = db.execute(_stamp_for(viewer) if viewer.blind else _STAMP, {"wanted": item}).first()
    if row is None:
        raise NotFound(f"there is no item {item}.")
    eyes = "" if viewer.alone else f"{viewer.role} {viewer.person}"
    return f"{item}-{eyes}-" + "-".join(str(part) for part in row)


def free_coder(db: sa.Connection, item: int, name: str, person: int) -> str:
    """A person's own name as a coder's, unless a file has brought somebody of that name."""
    taken = sa.select(codings.c.id).where(codings.c.item == item, codings.c.coder == name, codings.c.person != person)
    brought = sa.select(codings.c.id).where(codings.c.item == item, codings.c.coder == name, codings.c.person.is_(None))
    return name if db.scalar(taken) is None and db.scalar(brought) is None else f"{name} ({person})"


def annotation_now(db: sa.Connection, annotation: int) -> AnnotationState:
    """One annotation as it is now."""
    listed = states(db, annotation=annotation)
    if not listed:
        raise NotFound(f"there is no annotation {annotation}.")
    return listed[0]


def check_out(db: sa.Connection, annotation: int, version: int) -> AnnotationState:
    """The annotation, if nobody changed it since the version that was seen."""
    # a row lock, for stores with many writers at once; SQLite has locked the whole file already
    db.execute(sa.select(codings.c.id).where(codings.c.id == annotation).with_for_update())
    state = check_version(annotation_now(db, annotation), version)
    if state.brought:
        raise NotYours(f"this is {state.coder!r}'s own annotation and is never changed; start one of your own from it.")
    return state


def check_version(state: AnnotationState, version: int) -> AnnotationState:
    """The state, if it is the one that somebody saw."""
    if state.version != version:
        raise Conflict(
            f"somebody changed this annotation: it is at version {state.version} now, your change was made on version {version}.",
            state,
        )
    return state


def pack_marks(marks: Marks) -> str:
    """Marks as the store keeps them."""
    if isinstance(marks, Hierarchy):
        return json.dumps({"segments": marks.spans})
    if isinstance(marks, Spans):
        return json.dumps({"spans": marks.rows, "labels": marks.labels}, ensure_ascii=False)
    data: dict[str, Any] = {"positions": marks.positions.tolist()}
    if marks.types is not None:
        data["types"] = marks.types.tolist()
        data["labels"] = marks.labels
    if marks.names is not None:
        data["names"] = marks.names
    return json.dumps(data, ensure_ascii=False)


def unpack_marks(item: Any, text: str) -> Marks:
    """Marks on their item's text, as they were stored: what was checked on its way in is not checked again."""
    try:
        return _unpack(item, text)
    except (ValueError, KeyError, TypeError):
        raise StoreFault(f"an annotation of {item.coder!r} in the store is damaged and cannot be read.") from None


def _unpack(item: Any, text: str) -> Marks:
    data = json.loads(text)
    units = words_of(item.units) if isinstance(item.units, str) else item.units
    if item.kind == "nested":
        segments = np.asarray(data["segments"], np.int64).reshape(-1, 3)
        return Hierarchy._trusted(int(item.length), segments, units)
    timed = item.kind in ("time", "spans in time")
    length = float(item.length) if timed else int(item.length)
    if item.kind.startswith("spans"):
        starts, ends, names = zip(*data["spans"], strict=True) if data["spans"] else ((), (), ())
        number = np.float64 if timed else np.int64
        codes, labels = code_labels(names, data["labels"])
        return Spans._trusted(length, np.asarray(starts, number), np.asarray(ends, number), codes, labels, units)
    positions = np.asarray(data["positions"], np.float64 if timed else np.int64)
    types = None if data.get("types") is None else np.asarray(data["types"], np.int64)
    return Segmentation._trusted(length, positions, types, data.get("labels"), units, data.get("names"))


def on_one_scale(annotations: list[Annotation]) -> list[Annotation]:
    """Spans with the labels that are used, in one order: the alphabet's, or that of files which brought another. Other marks as they are."""
    spans = [each.marks for each in annotations if isinstance(each.marks, Spans)]
    used = {name for marks in spans for name in marks.names if name is not None}
    scale = list(dict.fromkeys(label for marks in spans for label in marks.labels or () if label in used))
    if all(list(marks.labels or ()) == sorted(marks.labels or ()) for marks in spans):
        scale.sort()
    return [
        a._replace(marks=a.marks.with_labels(scale)) if isinstance(a.marks, Spans) and scale else a for a in annotations
    ]


@lru_cache(maxsize=64)
def words_of(units: str) -> tuple[str, ...]:
    """The words of a text; all coders of an item stand on the same."""
    return tuple(json.loads(units))
