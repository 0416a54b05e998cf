"""Rows of the database as Python objects: queries, (de)serialization of marks, and revisions. Every function runs inside a transaction of the store."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sa

from caesura.errors import CaesuraError
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation, Spans
from caesura.model.corpus import Marks, kind_of
from caesura.model.spans import encode_labels
from caesura_workbench.changes import record_change
from caesura_workbench.permissions import SINGLE_USER, Viewer
from caesura_workbench.schema import codings, comments, items, projects, requests, revisions

#: The attribute of a recording that does not start at 0. Its marks are stored and edited from its own start, as its sound is played.
START = "start of the recording"
_SAME_START = 0.001  # seconds


class NotFound(CaesuraError):
    """There is nothing with this id."""


class NameTaken(CaesuraError):
    """An item of the project has this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the item name {name!r} is taken in this project; choose another.")


class ReadOnlyAnnotation(CaesuraError):
    """The annotation was imported from a file and cannot be changed."""


class StoreError(CaesuraError):
    """The database is locked, full, missing or damaged; the request itself is valid."""


class VersionConflict(CaesuraError):
    """Somebody else changed the annotation since it was read; ``current`` is its present state."""

    def __init__(self, message: str, current: AnnotationState) -> None:
        self.current = current
        super().__init__(message)


@dataclass(frozen=True)
class ItemRecord:
    """One track of one text or recording of a project."""

    id: int
    project: int
    name: str
    track: str
    kind: str
    length: float
    units: tuple[str, ...] | None
    attributes: dict[str, Any]
    paragraphs: tuple[int, ...] = ()


@dataclass(frozen=True)
class AnnotationState:
    """One coder's current marks on an item."""

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


class AddedRows(NamedTuple):
    """The ids of the items and annotations that an import added."""

    items: list[int]
    annotations: list[int]


def not_deleted(table: sa.Table) -> sa.ColumnElement[bool]:
    """Return the condition that a row is not deleted."""
    return table.c.deleted.is_(None)


def inserted_id(result: sa.CursorResult[Any]) -> int:
    """Return the id of an inserted row."""
    columns = result.inserted_primary_key
    assert columns is not None
    return int(columns[0])


def timestamp() -> str:
    """Return the current time in the format of the database."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


_KINDS = {
    "units": "boundaries of a text",
    "time": "boundaries of a recording",
    "nested": "nested segments",
    "spans": "spans of a text",
    "spans in time": "spans of a recording",
}


def item_kind(marks: Marks) -> str:
    """Return the kind of item that such marks belong to."""
    return "spans in time" if isinstance(marks, Spans) and marks.timed else kind_of(marks)


def find_or_create_item(db: sa.Connection, project: int, annotation: Annotation, corpus: Corpus, join: bool) -> int:
    """Return the item of an annotation, created if it is new; its length and text must match.

    With ``join``, an item with the same text is used whatever its name.
    """
    marks = annotation.marks
    kind = item_kind(marks)
    same = (items.c.project == project) & (items.c.name == annotation.item) & (items.c.track == annotation.track)
    row = db.execute(sa.select(items).where(same)).first()
    if row is None and join and marks.units is not None:
        same_text = (
            (items.c.project == project)
            & (items.c.kind == kind)
            & (items.c.track == annotation.track)
            & not_deleted(items)
        )
        words = json.dumps(marks.units, ensure_ascii=False)
        row = db.execute(sa.select(items).where(same_text, items.c.units == words).order_by(items.c.id)).first()
    start = getattr(marks, "start", 0.0)
    if row is None:
        about = {**corpus.attributes.get(annotation.item, {}), **({START: start} if start else {})}
        return insert_item(db, project, annotation.item, kind, marks.length, annotation.track, marks.units, about)
    known = json.loads(row.attributes).get(START, 0.0)
    if kind in ("time", "spans in time") and abs(known - start) > _SAME_START:
        raise CaesuraError(
            f"item {row.name!r} starts at {known:g} s in this project, but the new annotation at {start:g} s."
        )
    length, units = merge_annotation(row, marks)
    grown: dict[str, Any] = {"length": length} if length != row.length else {}
    if row.units is None and units is not None:
        grown["units"] = json.dumps(units, ensure_ascii=False)
    if grown:
        db.execute(items.update().where(items.c.id == row.id).values(**grown))
        record_change(db, "item.changed", project=project, item=int(row.id))
    return int(row.id)


def merge_annotation(item: Any, marks: Marks) -> tuple[float, tuple[str, ...] | None]:
    """Return the common length and units of an item and a new annotation of it; the error for another text names anchoring."""
    kind = item_kind(marks)
    try:
        return merge_texts(item, kind, float(marks.length), marks.units, "the new annotation")
    except CaesuraError as error:
        if item.kind != kind or item.units is None or marks.units is None:
            raise
        raise CaesuraError(
            f"{error} To move its marks to the text of the project, import it with “Texts may differ” (anchor)."
        ) from None


def merge_texts(
    item: Any, kind: str, length: float, units: tuple[str, ...] | None, other: str
) -> tuple[float, tuple[str, ...] | None]:
    """Return the common length and units of an item and of ``other``, or raise an error if their texts differ."""
    if item.kind != kind:
        raise CaesuraError(f"item {item.name!r} holds {_KINDS[item.kind]}, but {other} holds {_KINDS[kind]}.")
    known = parse_units(item.units) if isinstance(item.units, str) else item.units
    shorter = known if length > item.length else units  # without a text, spans end with the last one
    if item.length != length and not (kind.startswith("spans") and shorter is None):
        unit = "seconds" if kind in ("time", "spans in time") else "units"
        raise CaesuraError(
            f"item {item.name!r} has {item.length:g} {unit} in this project, but {other} has {length:g} {unit}."
        )
    if known is not None and units is not None and known != units:
        raise CaesuraError(f"item {item.name!r}: {other} has a different text.")
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
    paragraphs: tuple[int, ...] = (),
) -> int:
    """Insert an item and return its id."""
    words = None if units is None else json.dumps(units, ensure_ascii=False)
    about = json.dumps(dict(attributes or {}), ensure_ascii=False, default=str)
    starts = json.dumps(paragraphs) if paragraphs else None
    values = {"project": project, "name": name, "track": track, "kind": kind, "length": float(length)}
    number = inserted_id(db.execute(items.insert().values(**values, units=words, attributes=about, paragraphs=starts)))
    record_change(db, "item.added", project=project, item=number)
    return number


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
    """Insert an annotation with its first revision and return its id."""
    taken = sa.select(codings.c.id).where(codings.c.item == item, codings.c.coder == coder)
    if db.scalar(taken) is not None:
        name = db.scalar(sa.select(items.c.name).where(items.c.id == item))
        raise CaesuraError(f"coder {coder!r} already has an annotation of item {name!r}; use another coder name.")
    values = {"item": item, "coder": coder, "head": 0, "version": 1, "origin": origin, "role": role, "brought": brought}
    annotation = inserted_id(db.execute(codings.insert().values(**values, person=person)))
    first = db.execute(
        revisions.insert().values(
            annotation=annotation,
            parent=None,
            marks=pack_marks(marks),
            operation=json.dumps({"kind": "import" if brought else "start", "origin": origin}),
            author=author,
            time=timestamp(),
        )
    )
    head = inserted_id(first)
    db.execute(codings.update().where(codings.c.id == annotation).values(head=head))
    record_change(db, "annotation.added", item=item, annotation=annotation)
    return annotation


def item_from_row(row: Any) -> ItemRecord:
    """Convert a row of the table of items."""
    units = None if row.units is None else parse_units(row.units)
    about, starts = json.loads(row.attributes), tuple(json.loads(row.paragraphs or "[]"))
    return ItemRecord(row.id, row.project, row.name, row.track, row.kind, row.length, units, about, starts)


def parent_revision(annotation: int) -> Any:
    """Select the revision before the head."""
    return (
        sa.select(revisions.c.parent).join(codings, codings.c.head == revisions.c.id).where(codings.c.id == annotation)
    )


def latest_child(annotation: int) -> Any:
    """Select the latest revision made from the head."""
    head = sa.select(codings.c.head).where(codings.c.id == annotation).scalar_subquery()
    children = (revisions.c.annotation == annotation) & (revisions.c.parent == head)
    return sa.select(sa.func.max(revisions.c.id)).where(children)


def add_revision(
    db: sa.Connection, annotation: int, marks: str, settled: Iterable[str], operation: dict[str, Any], author: str
) -> None:
    """Add a revision after the head and make it the head."""
    head = sa.select(codings.c.head).where(codings.c.id == annotation).scalar_subquery()
    values = {"annotation": annotation, "parent": head, "marks": marks, "author": author, "time": timestamp()}
    places = json.dumps(list(settled), ensure_ascii=False)
    added = db.execute(revisions.insert().values(**values, settled=places, operation=json.dumps(operation)))
    move_head(db, annotation, inserted_id(added))


def move_head(db: sa.Connection, annotation: int, head: int) -> None:
    """Make another revision the head; this counts as a change."""
    values = {"head": head, "version": codings.c.version + 1}
    db.execute(codings.update().where(codings.c.id == annotation).values(**values))
    record_change(db, "annotation.changed", annotation=annotation)


def _select_states(column: Any) -> Any:
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
        .where(
            column == sa.bindparam("wanted", type_=sa.Integer),
            not_deleted(codings),
            not_deleted(items),
            not_deleted(projects),
        )
        .order_by(codings.c.id)
    )


#: Built once, because every change uses them.
_STATES_OF_ITEM, _STATE_BY_ID = _select_states(codings.c.item), _select_states(codings.c.id)
_STATES_OF_PERSON = _STATES_OF_ITEM.where(codings.c.person == sa.bindparam("person", type_=sa.Integer))


def annotation_states(
    db: sa.Connection, *, item: int | None = None, annotation: int | None = None, person: int | None = None
) -> list[AnnotationState]:
    """Return the current annotations of an item (or only this person's), or one annotation by its id, in one query."""
    of_item = _STATES_OF_ITEM if person is None else _STATES_OF_PERSON
    query, wanted = (of_item, item) if annotation is None else (_STATE_BY_ID, annotation)
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


def _select_stamp(viewer: Viewer) -> sa.Select[Any]:
    """Select what changes with an item as this viewer sees it: counts and sums of versions."""
    of_item = codings.c.item == _WANTED
    # Suggestions are visible to everybody. For the rest, blind annotators use the index on their own annotations, so that the query is not slower
    # with hidden ones.
    seen = [of_item, codings.c.person == viewer.person] if viewer.blind else [of_item]
    suggested = (
        sa.select(sa.func.count()).select_from(codings).where(of_item, codings.c.role == "system", not_deleted(codings))
    )
    remarks = sa.select(sa.func.count()).select_from(comments)
    return (
        sa.select(projects.c.created, projects.c.id, items.c.name)
        .add_columns(
            sa.select(sa.func.count()).select_from(codings).where(*seen, not_deleted(codings)).scalar_subquery(),
            sa.select(sa.func.sum(codings.c.version)).where(*seen).scalar_subquery(),
            remarks.where(comments.c.item == _WANTED, viewer.sees_comments()).scalar_subquery(),
            suggested.scalar_subquery(),
        )
        .join(items, items.c.project == projects.c.id)
        .where(items.c.id == _WANTED, not_deleted(items), not_deleted(projects))
    )


_STAMP = _select_stamp(SINGLE_USER)  # used for every request of an item, so built once


def version_stamp(db: sa.Connection, item: int, viewer: Viewer) -> str:
    """Return a string that changes whenever anything about an item changes that this viewer sees."""
    row = db.execute(_select_stamp(viewer) if viewer.blind else _STAMP, {"wanted": item}).first()
    if row is None:
        raise NotFound(f"there is no item {item}.")
    audience = "" if viewer.single_user else f"{viewer.role} {viewer.person}"
    return f"{item}-{audience}-" + "-".join(str(part) for part in row)


def available_coder_name(db: sa.Connection, item: int, name: str, person: int) -> str:
    """Return a person's name as a coder name, with their id added if another annotation of the item uses it."""
    taken = sa.select(codings.c.id).where(codings.c.item == item, codings.c.coder == name, codings.c.person != person)
    brought = sa.select(codings.c.id).where(codings.c.item == item, codings.c.coder == name, codings.c.person.is_(None))
    return name if db.scalar(taken) is None and db.scalar(brought) is None else f"{name} ({person})"


def project_of_item(db: sa.Connection, item: int) -> int:
    """Return the project of an item."""
    project = db.scalar(sa.select(items.c.project).where(items.c.id == item))
    if project is None:
        raise NotFound(f"there is no item {item}.")
    return int(project)


def annotation_state(db: sa.Connection, annotation: int) -> AnnotationState:
    """Return the current state of one annotation."""
    listed = annotation_states(db, annotation=annotation)
    if not listed:
        raise NotFound(f"there is no annotation {annotation}.")
    return listed[0]


def lock_for_change(db: sa.Connection, annotation: int, version: int) -> AnnotationState:
    """Return the annotation if nobody changed it since ``version``, and lock its row."""
    # a row lock for PostgreSQL; SQLite has locked the whole file already
    db.execute(sa.select(codings.c.id).where(codings.c.id == annotation).with_for_update())
    state = check_version(annotation_state(db, annotation), version)
    if state.brought:
        raise ReadOnlyAnnotation(f"the annotation by {state.coder!r} is read-only; start your own from a copy of it.")
    return state


_DAYS_REMEMBERED = 30  # a page that was offline for longer has to be reloaded


def lock_unless_made(db: sa.Connection, annotation: int, request: str | None) -> bool:
    """Lock the row of an annotation, and return whether a change with this request id was made already."""
    # the lock comes first, so that PostgreSQL does not make the same request twice at once
    db.execute(sa.select(codings.c.id).where(codings.c.id == annotation).with_for_update())
    return was_made(db, annotation, request)


def was_made(db: sa.Connection, annotation: int, request: str | None) -> bool:
    """Whether a change with this request id was made already: its response was lost."""
    if request is None:
        return False
    mine = (requests.c.annotation == annotation) & (requests.c.request == request)
    return db.scalar(sa.select(requests.c.version).where(mine)) is not None


def remember_request(db: sa.Connection, state: AnnotationState, request: str | None) -> AnnotationState:
    """Store the id of a change in its own transaction, and forget old ones."""
    if request is not None:
        values = {"annotation": state.id, "request": request, "version": state.version, "time": timestamp()}
        db.execute(requests.insert().values(**values))
        before = (datetime.now(UTC) - timedelta(days=_DAYS_REMEMBERED)).isoformat()
        db.execute(requests.delete().where(requests.c.annotation == state.id, requests.c.time < before))
    return state


def check_version(state: AnnotationState, version: int) -> AnnotationState:
    """Return the state if it has this version, or raise `VersionConflict`."""
    if state.version != version:
        raise VersionConflict(
            f"somebody else changed this annotation: it is at version {state.version}, your change was based on version {version}.",
            state,
        )
    return state


def pack_marks(marks: Marks) -> str:
    """Serialize marks for the database; times count from the start of the recording."""
    if isinstance(marks, Hierarchy):
        return json.dumps({"segments": marks.spans})
    marks = marks.relative()
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
    """Deserialize the marks of an item; they were validated on import, so they are not validated again."""
    try:
        return _unpack(item, text)
    except (ValueError, KeyError, TypeError):
        raise StoreError(f"an annotation by {item.coder!r} in the database is damaged and cannot be read.") from None


def _unpack(item: Any, text: str) -> Marks:
    data = json.loads(text)
    units = parse_units(item.units) if isinstance(item.units, str) else item.units
    if item.kind == "nested":
        segments = np.asarray(data["segments"], np.int64).reshape(-1, 3)
        return Hierarchy._trusted(int(item.length), segments, units)
    timed = item.kind in ("time", "spans in time")
    length = float(item.length) if timed else int(item.length)
    if item.kind.startswith("spans"):
        starts, ends, names = zip(*data["spans"], strict=True) if data["spans"] else ((), (), ())
        number = np.float64 if timed else np.int64
        codes, labels = encode_labels(names, data["labels"])
        return Spans._trusted(length, np.asarray(starts, number), np.asarray(ends, number), codes, labels, units)
    positions = np.asarray(data["positions"], np.float64 if timed else np.int64)
    types = None if data.get("types") is None else np.asarray(data["types"], np.int64)
    return Segmentation._trusted(length, positions, types, data.get("labels"), units, data.get("names"))


def with_shared_labels(annotations: list[Annotation], order: Iterable[str] = ()) -> list[Annotation]:
    """Return spans with the labels in use, in one shared order: that of the schema, then alphabetical unless a file had another order. Other marks are unchanged."""
    spans = [each.marks for each in annotations if isinstance(each.marks, Spans)]
    used = {name for marks in spans for name in marks.names if name is not None}
    labels = list(dict.fromkeys(label for marks in spans for label in marks.labels or () if label in used))
    if all(list(marks.labels or ()) == sorted(marks.labels or ()) for marks in spans):
        labels.sort()
    first = [label for label in order if label in used]
    labels = [*first, *(label for label in labels if label not in first)]
    return [
        a._replace(marks=a.marks.with_labels(labels)) if isinstance(a.marks, Spans) and labels else a
        for a in annotations
    ]


@lru_cache(maxsize=64)
def parse_units(units: str) -> tuple[str, ...]:
    """Parse the units of a text; cached, because all coders of an item share them."""
    return tuple(json.loads(units))
