"""The embedded store: projects, items, annotations and every revision of them, in SQLite (WAL) or PostgreSQL.

An annotation's state is its *head*, one of its revisions; a revision knows its parent, so undo moves the head to the parent and redo to
the youngest child. ``version`` grows with every change, undo and redo included: a writer names the version it saw, and a
stale one is refused instead of overwriting. Whatever this module returned from is on disk.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from caesura.errors import CaesuraError
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation
from caesura.web.schema import codings, comments, items, metadata, projects, revisions

__all__ = ["AnnotationState", "Conflict", "Item", "NotFound", "Store"]


class NotFound(CaesuraError):
    """Nothing in the store under this number."""


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
    version: int
    origin: str
    marks: Segmentation | Hierarchy
    can_undo: bool
    can_redo: bool


class Store:
    """All reading and writing; every method is one transaction."""

    def __init__(self, url: str) -> None:
        try:
            self.engine = sa.create_engine(url, pool_pre_ping=True)
            if self.engine.dialect.name == "sqlite":
                sa.event.listen(self.engine, "connect", _tune_sqlite)
            metadata.create_all(self.engine)
        except (SQLAlchemyError, ImportError) as fault:
            why = str(getattr(fault, "orig", None) or fault).splitlines()[0]
            raise CaesuraError(f"the store {url.rsplit('@', 1)[-1]} cannot be opened: {why}.") from None

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()

    # ------------------------------------------------------------------ projects

    def projects(self) -> list[dict[str, Any]]:
        """Every project with its numbers of items and annotations."""
        counts = (
            sa.select(
                projects.c.id,
                projects.c.name,
                projects.c.created,
                sa.func.count(sa.distinct(items.c.id)).label("items"),
                sa.func.count(sa.distinct(codings.c.id)).label("annotations"),
            )
            .outerjoin(items, items.c.project == projects.c.id)
            .outerjoin(codings, codings.c.item == items.c.id)
            .group_by(projects.c.id)
            .order_by(projects.c.name)
        )
        with self._reading() as db:
            return [dict(row._mapping) for row in db.execute(counts)]

    def add_project(self, name: str) -> int:
        """Open a new project under a name nobody uses."""
        with self._writing() as db:
            if db.scalar(sa.select(projects.c.id).where(projects.c.name == name)) is not None:
                raise CaesuraError(f"there is a project {name!r} already; choose another name.")
            made = db.execute(projects.insert().values(name=name, created=_now()))
            return _key(made)

    def project_name(self, project: int) -> str:
        """The name of a project."""
        with self._reading() as db:
            name = db.scalar(sa.select(projects.c.name).where(projects.c.id == project))
        if name is None:
            raise NotFound(f"there is no project {project}.")
        return str(name)

    def delete_project(self, project: int) -> None:
        """Delete a project and all that is in it."""
        self.project_name(project)
        with self._writing() as db:
            db.execute(projects.delete().where(projects.c.id == project))

    # ------------------------------------------------------------------ corpora in and out

    def add_corpus(self, project: int, corpus: Corpus, *, origin: str) -> int:
        """Add all annotations of a corpus, or none of them; returns how many."""
        self.project_name(project)
        with self._writing() as db:
            for annotation in corpus:
                item = _item_for(db, project, annotation, corpus)
                _insert_annotation(db, item, annotation.coder, annotation.marks, origin, "import", "")
        return len(corpus)

    def corpus(self, project: int, *, item: int | None = None, made_here: bool = True) -> Corpus:
        """The project's annotations (or one item's) as a corpus, as they are now.

        ``made_here=False`` leaves out what adjudicators started from others' annotations: results, not coders.
        """
        self.project_name(project)
        query = (
            sa.select(items.c.name, items.c.track, items.c.kind, items.c.length, items.c.units, items.c.attributes)
            .add_columns(codings.c.coder, revisions.c.marks)
            .join(codings, codings.c.item == items.c.id)
            .join(revisions, revisions.c.id == codings.c.head)
            .where(items.c.project == project)
            .order_by(items.c.id, codings.c.id)
        )
        if item is not None:
            query = query.where(items.c.id == item)
        if not made_here:
            query = query.where(codings.c.origin.not_like("unified%"), codings.c.origin.not_like("copy of%"))
        with self._reading() as db:
            rows = list(db.execute(query))
        attributes = {row.name: json.loads(row.attributes) for row in rows}
        return Corpus.from_annotations(
            [Annotation(row.name, row.coder, _unpacked(row, row.marks), row.track) for row in rows],
            attributes={name: known for name, known in attributes.items() if known},
        )

    def origins(self, project: int) -> dict[tuple[str, str, str], str]:
        """Where every annotation came from, by item, track and coder: a file, pasted text, a unification, somebody's copy."""
        query = (
            sa.select(items.c.name, items.c.track, codings.c.coder, codings.c.origin, codings.c.version)
            .join(codings, codings.c.item == items.c.id)
            .where(items.c.project == project)
        )
        with self._reading() as db:
            rows = list(db.execute(query))
        return {
            (row.name, row.track, row.coder): row.origin + (f"; {row.version - 1} changes" if row.version > 1 else "")
            for row in rows
        }

    # ------------------------------------------------------------------ items and annotations

    def items(self, project: int) -> list[Item]:
        """Every item of a project, in the order they came."""
        self.project_name(project)
        with self._reading() as db:
            rows = db.execute(sa.select(items).where(items.c.project == project).order_by(items.c.id))
            return [_item(row) for row in rows]

    def item(self, item: int) -> Item:
        """One item by its number."""
        with self._reading() as db:
            row = db.execute(sa.select(items).where(items.c.id == item)).first()
        if row is None:
            raise NotFound(f"there is no item {item}.")
        return _item(row)

    def annotations(self, item: int) -> list[AnnotationState]:
        """Everybody's annotation of an item."""
        found = self.item(item)
        with self._reading() as db:
            ids = db.scalars(sa.select(codings.c.id).where(codings.c.item == item).order_by(codings.c.id))
            return [_state(db, found, each) for each in ids.all()]

    def annotation(self, annotation: int) -> AnnotationState:
        """One annotation by its number."""
        with self._reading() as db:
            return _found(db, annotation)

    def add_annotation(
        self, item: int, coder: str, marks: Segmentation | Hierarchy, *, origin: str, author: str = ""
    ) -> AnnotationState:
        """Add one coder's annotation to an item that has none by that coder."""
        found = self.item(item)
        with self._writing() as db:
            taken = sa.select(codings.c.id).where(codings.c.item == item, codings.c.coder == coder)
            if db.scalar(taken) is not None:
                raise CaesuraError(f"coder {coder!r} has an annotation of {found.name!r} already; choose another name.")
            made = _insert_annotation(db, item, coder, marks, origin, "start", author)
            return _state(db, found, made)

    def change(
        self,
        annotation: int,
        version: int,
        marks: Segmentation | Hierarchy,
        *,
        operation: dict[str, Any],
        author: str = "",
    ) -> AnnotationState:
        """Replace the marks, if nobody changed them since ``version``."""
        with self._writing() as db:
            state = _checked(db, annotation, version)
            head = db.scalar(sa.select(codings.c.head).where(codings.c.id == annotation))
            made = db.execute(
                revisions.insert().values(
                    annotation=annotation,
                    parent=head,
                    marks=_packed(marks),
                    operation=json.dumps(operation),
                    author=author,
                    time=_now(),
                )
            )
            _move_head(db, annotation, _key(made))
            return _found(db, state.id)

    def undo(self, annotation: int, version: int) -> AnnotationState:
        """Go back to the revision before, if there is one."""
        with self._writing() as db:
            _checked(db, annotation, version)
            parent = db.scalar(_parent(annotation))
            if parent is None:
                raise CaesuraError("there is nothing to undo: this is the first revision.")
            _move_head(db, annotation, parent)
            return _found(db, annotation)

    def redo(self, annotation: int, version: int) -> AnnotationState:
        """Go forward again to the youngest revision made from here."""
        with self._writing() as db:
            _checked(db, annotation, version)
            child = db.scalar(_youngest_child(annotation))
            if child is None:
                raise CaesuraError("there is nothing to redo.")
            _move_head(db, annotation, child)
            return _found(db, annotation)

    def history(self, annotation: int) -> list[dict[str, Any]]:
        """Every revision: when, by whom, what was done."""
        self.annotation(annotation)
        query = (
            sa.select(revisions.c.id, revisions.c.parent, revisions.c.operation, revisions.c.author, revisions.c.time)
            .where(revisions.c.annotation == annotation)
            .order_by(revisions.c.id)
        )
        with self._reading() as db:
            return [{**row._mapping, "operation": json.loads(row.operation)} for row in db.execute(query)]

    # ------------------------------------------------------------------ comments

    def add_comment(self, item: int, text: str, *, position: float | None = None, author: str = "") -> int:
        """Leave a comment on an item, at a position or on the whole."""
        self.item(item)
        with self._writing() as db:
            values = {"item": item, "position": position, "author": author, "text": text, "time": _now()}
            return _key(db.execute(comments.insert().values(**values)))

    def comments(self, item: int) -> list[dict[str, Any]]:
        """All comments on an item, oldest first."""
        with self._reading() as db:
            rows = db.execute(sa.select(comments).where(comments.c.item == item).order_by(comments.c.id))
            return [dict(row._mapping) for row in rows]

    # ------------------------------------------------------------------ transactions

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        with self._told(), self.engine.connect() as db:
            yield db

    @contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        """One transaction that takes the write lock at once, so that a version that was checked stays checked."""
        with self._told(), self.engine.connect() as db:
            if self.engine.dialect.name == "sqlite":
                db.exec_driver_sql("BEGIN IMMEDIATE")
            with db.begin() if not db.in_transaction() else _committing(db):
                yield db

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as fault:
            why = str(getattr(fault, "orig", None) or fault).splitlines()[0]
            raise CaesuraError(f"the store could not do this, nothing was changed: {why}.") from None


@contextmanager
def _committing(db: sa.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        db.rollback()
        raise
    db.commit()


def _tune_sqlite(connection: Any, _: Any) -> None:
    """Readers never wait for the writer, and what was acknowledged survives a killed process and a power cut."""
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000"):
        connection.execute(f"PRAGMA {pragma}")


def _key(result: sa.CursorResult[Any]) -> int:
    """The number that an insertion gave to its row."""
    found = result.inserted_primary_key
    assert found is not None
    return int(found[0])


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _item_for(db: sa.Connection, project: int, annotation: Annotation, corpus: Corpus) -> int:
    """The item an annotation belongs to, made if it is new; its length and text must agree."""
    marks = annotation.marks
    kind = "nested" if isinstance(marks, Hierarchy) else "time" if marks.timed else "units"
    same = (items.c.project == project) & (items.c.name == annotation.item) & (items.c.track == annotation.track)
    row = db.execute(sa.select(items).where(same)).first()
    if row is None:
        made = db.execute(
            items.insert().values(
                project=project,
                name=annotation.item,
                track=annotation.track,
                kind=kind,
                length=float(marks.length),
                units=None if marks.units is None else json.dumps(marks.units, ensure_ascii=False),
                attributes=json.dumps(
                    dict(corpus.attributes.get(annotation.item, {})), ensure_ascii=False, default=str
                ),
            )
        )
        return _key(made)
    if row.kind != kind or row.length != float(marks.length):
        raise CaesuraError(
            f"item {annotation.item!r} has {row.length:g} {row.kind} in this project, the new annotation {marks.length:g} {kind}."
        )
    if row.units is not None and marks.units is not None and tuple(json.loads(row.units)) != marks.units:
        raise CaesuraError(f"item {annotation.item!r}: the new annotation stands on another text.")
    if row.units is None and marks.units is not None:
        db.execute(items.update().where(items.c.id == row.id).values(units=json.dumps(marks.units, ensure_ascii=False)))
    return int(row.id)


def _insert_annotation(
    db: sa.Connection, item: int, coder: str, marks: Segmentation | Hierarchy, origin: str, operation: str, author: str
) -> int:
    taken = sa.select(codings.c.id).where(codings.c.item == item, codings.c.coder == coder)
    if db.scalar(taken) is not None:
        name = db.scalar(sa.select(items.c.name).where(items.c.id == item))
        raise CaesuraError(f"coder {coder!r} has an annotation of item {name!r} in this project already.")
    made = db.execute(codings.insert().values(item=item, coder=coder, head=0, version=1, origin=origin))
    annotation = _key(made)
    first = db.execute(
        revisions.insert().values(
            annotation=annotation,
            parent=None,
            marks=_packed(marks),
            operation=json.dumps({"kind": operation, "origin": origin}),
            author=author,
            time=_now(),
        )
    )
    head = _key(first)
    db.execute(codings.update().where(codings.c.id == annotation).values(head=head))
    return annotation


def _item(row: Any) -> Item:
    units = None if row.units is None else tuple(json.loads(row.units))
    return Item(row.id, row.project, row.name, row.track, row.kind, row.length, units, json.loads(row.attributes))


def _parent(annotation: int) -> Any:
    return (
        sa.select(revisions.c.parent).join(codings, codings.c.head == revisions.c.id).where(codings.c.id == annotation)
    )


def _youngest_child(annotation: int) -> Any:
    head = sa.select(codings.c.head).where(codings.c.id == annotation).scalar_subquery()
    children = (revisions.c.annotation == annotation) & (revisions.c.parent == head)
    return sa.select(sa.func.max(revisions.c.id)).where(children)


def _move_head(db: sa.Connection, annotation: int, head: int) -> None:
    values = {"head": head, "version": codings.c.version + 1}
    db.execute(codings.update().where(codings.c.id == annotation).values(**values))


def _found(db: sa.Connection, annotation: int) -> AnnotationState:
    row = db.execute(
        sa.select(items).join(codings, codings.c.item == items.c.id).where(codings.c.id == annotation)
    ).first()
    if row is None:
        raise NotFound(f"there is no annotation {annotation}.")
    return _state(db, _item(row), annotation)


def _state(db: sa.Connection, item: Item, annotation: int) -> AnnotationState:
    row = db.execute(
        sa.select(codings, revisions.c.marks, revisions.c.parent)
        .join(revisions, revisions.c.id == codings.c.head)
        .where(codings.c.id == annotation)
    ).one()
    return AnnotationState(
        id=row.id,
        item=item.id,
        coder=row.coder,
        version=row.version,
        origin=row.origin,
        marks=_unpacked(item, row.marks),
        can_undo=row.parent is not None,
        can_redo=db.scalar(_youngest_child(annotation)) is not None,
    )


def _checked(db: sa.Connection, annotation: int, version: int) -> AnnotationState:
    # a row lock, for stores with many writers at once; SQLite has locked the whole file already
    db.execute(sa.select(codings.c.id).where(codings.c.id == annotation).with_for_update())
    state = _found(db, annotation)
    if state.version != version:
        raise Conflict(
            f"somebody changed this annotation: it is at version {state.version} now, your change was made on version {version}.",
            state,
        )
    return state


def _packed(marks: Segmentation | Hierarchy) -> str:
    if isinstance(marks, Hierarchy):
        return json.dumps({"segments": marks.spans})
    data: dict[str, Any] = {"positions": marks.positions.tolist()}
    if marks.types is not None:
        data["types"] = marks.types.tolist()
        data["labels"] = marks.labels
    if marks.names is not None:
        data["names"] = marks.names
    return json.dumps(data, ensure_ascii=False)


def _unpacked(item: Any, packed: str) -> Segmentation | Hierarchy:
    data = json.loads(packed)
    units = json.loads(item.units) if isinstance(item.units, str) else item.units
    if item.kind == "nested":
        return Hierarchy(int(item.length), data["segments"], units)
    length = float(item.length) if item.kind == "time" else int(item.length)
    return Segmentation(length, data["positions"], data.get("types"), data.get("labels"), units, data.get("names"))
