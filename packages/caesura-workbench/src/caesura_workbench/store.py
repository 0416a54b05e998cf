"""The store: projects, items, annotations and their revisions in SQLite (WAL) or PostgreSQL.

The state of an annotation is its *head*, one of its revisions. Undo moves the head to its parent, redo to its latest child. ``version`` grows with
every change, including undo and redo; a client names the version it saw, and a change of an outdated version is rejected. When a method returns, its
changes are on disk.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError, IntegrityError, SQLAlchemyError

from caesura.errors import CaesuraError, UnknownName
from caesura.model import Annotation, Corpus, Segmentation, Spans
from caesura.model.corpus import Marks
from caesura_workbench import rows
from caesura_workbench.bulk import PackedCorpus, insert_corpus
from caesura_workbench.changes import Notifier, begin_changes, record_change, write_changes
from caesura_workbench.characters import check_names_in
from caesura_workbench.locks import FairLock
from caesura_workbench.migrations import migrate
from caesura_workbench.operations import settled_keys
from caesura_workbench.permissions import SINGLE_USER, Viewer, current_action, log_action
from caesura_workbench.project_schema import ProjectSchema
from caesura_workbench.rows import AddedRows, AnnotationState, ItemRecord, NameTaken, NotFound, StoreError, not_deleted
from caesura_workbench.schema import changes, codings, comments, items, projects, revisions
from caesura_workbench.schemas import current_schema, save_schema, schemas_of_projects
from caesura_workbench.settings import shown_address
from caesura_workbench.sound.recordings import all_digests, claim_recordings, share_recordings

#: Milliseconds to wait for a lock that another process holds.
_BUSY_TIMEOUT = 10_000

#: SQLite's messages about damaged files.
_DAMAGE_MESSAGES = ("malformed", "not a database", "corrupt")


def tune_sqlite(connection: Any, _: Any) -> None:
    """Configure a connection so that readers never wait for the writer, and commits survive a killed process and a power cut."""
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={_BUSY_TIMEOUT}"):
        connection.execute(f"PRAGMA {pragma}")


def find_damage(engine: sa.Engine) -> str | None:
    """Check the SQLite file and return what is wrong with it, usually None."""
    try:
        with engine.connect() as db:
            verdict = str(db.exec_driver_sql("PRAGMA quick_check(1)").scalar())
    except DatabaseError as error:
        if any(word in reason(error) for word in ("malformed", "corrupt")):
            return reason(error)
        raise
    return None if verdict == "ok" else verdict.splitlines()[-1]


def indicates_damage(why: str) -> bool:
    """Whether this message of SQLite is about a damaged file."""
    return any(word in why for word in _DAMAGE_MESSAGES)


def reason(error: Exception) -> str:
    """Return the first line of the database's error message."""
    return str(getattr(error, "orig", None) or error).splitlines()[0].rstrip(".")


@dataclass
class _Health:
    """What is wrong with a store, for all who look at it."""

    damage: str | None = None


class Store:
    """All reading and writing as one viewer sees it; every method is one transaction."""

    viewer: Viewer = SINGLE_USER

    def __init__(self, url: str, *, connections: int = 40) -> None:
        try:
            embedded = sa.make_url(url).get_backend_name() == "sqlite"
            self.engine = sa.create_engine(url, pool_pre_ping=not embedded, pool_size=connections, max_overflow=0)
            if embedded:
                sa.event.listen(self.engine, "connect", tune_sqlite)
            # writers of this process queue here, because SQLite itself waits by sleeping and retrying
            self._write_lock: Any = FairLock() if embedded else nullcontext()
            self.notifier = Notifier()
            self._health = _Health(find_damage(self.engine) if embedded else None)
            #: False for a damaged database of a version without accounts, which is not migrated.
            self.has_people_table = self.damage is None or sa.inspect(self.engine).has_table("people")
            if self.damage is None:
                with self._transaction() as db:
                    migrate(db)
        except CaesuraError:
            raise
        except (SQLAlchemyError, ImportError) as error:
            raise CaesuraError(f"cannot open the database {shown_address(url)}: {reason(error)}.") from None
        except ValueError:  # Python's message would quote a part of the password
            raise CaesuraError(
                f"cannot open the database {shown_address(url)}: expected DRIVER://USER:PASSWORD@HOST:PORT/NAME."
            ) from None

    @property
    def damage(self) -> str | None:
        """What is wrong with the database file, if anything."""
        return self._health.damage

    def viewed_by(self, viewer: Viewer) -> Store:
        """Return the same store restricted to what this viewer sees."""
        restricted = copy(self)
        restricted.viewer = viewer
        return restricted

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    # ------------------------------------------------------------------ projects

    def projects(self) -> list[dict[str, Any]]:
        """Return every visible project with what is marked in it, and its numbers of visible items and annotations.

        Hidden rows are neither counted nor scanned, so the time does not depend on them.
        """
        known = sa.select(projects.c.id, projects.c.name, projects.c.created, self.viewer.sees_all_of_projects())
        own = items.c.id.in_(self.viewer.own_items())
        numbers = sa.func.count(sa.distinct(items.c.id)), sa.func.count(sa.distinct(codings.c.id))
        counts: dict[int, tuple[int, int]] = {}
        with self.reading() as db:
            listed = list(db.execute(known.where(self.viewer.sees_projects()).order_by(projects.c.name)))
            fully_visible = [row.id for row in listed if row[3]]
            marked = schemas_of_projects(db, [row.id for row in listed])
            for chosen, whose in (
                ([items.c.project.in_(fully_visible)], []),
                ([own, (items.c.project + 0).not_in(fully_visible)], [codings.c.person == self.viewer.person]),
            ):
                of_item = sa.and_(codings.c.item == items.c.id, not_deleted(codings), *whose)
                query = sa.select(items.c.project, *numbers).outerjoin(codings, of_item)
                for row in db.execute(query.where(not_deleted(items), *chosen).group_by(items.c.project)):
                    counts[row[0]] = row[1], row[2]
        return [
            {"id": row.id, "name": row.name, "created": row.created, "kinds": marked[row.id].kinds}
            | {"unit": marked[row.id].unit, "tiers": len(marked[row.id].tiers)}
            | dict(zip(("items", "annotations"), counts.get(row.id, (0, 0)), strict=True))
            for row in listed
        ]

    def add_project(self, name: str) -> int:
        """Create a project and return its id."""
        with self.writing() as db:
            if db.scalar(sa.select(projects.c.id).where(projects.c.name == name)) is not None:
                raise CaesuraError(f"the project name {name!r} is taken; choose another.")
            number = rows.inserted_id(db.execute(projects.insert().values(name=name, created=rows.timestamp())))
            save_schema(db, number, ProjectSchema(), author=self.viewer.author_name(""), source="new")
            return number

    def project_name(self, project: int) -> str:
        """Return the name of a project."""
        with self.reading() as db:
            name = db.scalar(sa.select(projects.c.name).where(projects.c.id == project, not_deleted(projects)))
        if name is None:
            raise NotFound(f"there is no project {project}.")
        return str(name)

    def erase_project(self, project: int) -> None:
        """Erase a project and everything in it permanently."""
        with self.writing() as db:
            if not db.execute(projects.delete().where(projects.c.id == project)).rowcount:
                raise NotFound(f"there is no project {project}.")
            db.execute(changes.delete().where(changes.c.project == project))

    def recordings_in(self, project: int | None = None) -> set[str]:
        """Return the digests of the recordings of a project, or of all projects."""
        with self.reading() as db:
            return all_digests(db, project)

    # ------------------------------------------------------------------ corpora

    def add_corpus(
        self, project: int, corpus: Corpus, *, origin: str, role: str = "coder", join: bool = False
    ) -> AddedRows:
        """Add all annotations of a corpus, or none if one fails; return the new ids.

        Annotations of a "system" are offered as suggestions and never counted. With ``join``, items with the same text are one item whatever their names.
        """
        self.project_name(project)
        check_names_in(corpus)
        packed = PackedCorpus.of(corpus)
        with self.writing() as db:
            claim_recordings(db, project, corpus)
            added = insert_corpus(db, project, packed, origin=origin, role=role, join=join)
            share_recordings(db, project)
        return added

    def add_text(
        self,
        project: int,
        name: str,
        units: tuple[str, ...],
        *,
        kind: str = "units",
        attributes: Mapping[str, Any] | None = None,
        paragraphs: tuple[int, ...] = (),
    ) -> int:
        """Add a raw text without annotations and return the id of its item; ``paragraphs`` are the numbers of the units that begin one."""
        self.project_name(project)
        taken = sa.select(items.c.id).where(items.c.project == project, items.c.name == name, items.c.track == "")
        with self.writing() as db:
            if db.scalar(taken) is not None:
                raise NameTaken(name)
            return rows.insert_item(
                db, project, name, kind, len(units), units=units, attributes=attributes, paragraphs=paragraphs
            )

    def corpora(
        self,
        project: int,
        *,
        role: str | None = None,
        coders: list[str] | None = None,
        only: Sequence[int] | None = None,
    ) -> dict[str, Corpus]:
        """Return the project's annotations by sort, the most frequent first: a corpus holds one kind, typed or untyped.

        Sorts are "units", "typed units", "time", "typed time", "nested", "spans" and "spans in time". ``role``, ``coders`` and the ids of items in
        ``only`` select annotations; those of systems are included only with ``role="system"``.
        """
        by_sort: dict[str, list[Annotation]] = {}
        attributes: dict[str, Any] = {}
        for row in self._annotated_rows(project, role, only):
            if coders and row.coder not in coders:
                continue
            marks, about = rows.unpack_marks(row, row.marks), json.loads(row.attributes)
            if (start := about.pop(rows.START, 0.0)) and isinstance(marks, (Segmentation, Spans)):
                marks = marks.starting_at(start)
            typed = isinstance(marks, Segmentation) and marks.typed
            annotation = Annotation(row.name, row.coder, marks, row.track)
            by_sort.setdefault(f"typed {row.kind}" if typed else row.kind, []).append(annotation)
            attributes[row.name] = about
        known = {name: given for name, given in attributes.items() if given}
        with self.reading() as db:
            order = [label.name for label in current_schema(db, project).schema.labels]
        return {
            sort: Corpus.from_annotations(
                rows.with_shared_labels(listed, order),
                attributes={a.item: known[a.item] for a in listed if a.item in known},
            )
            for sort, listed in sorted(by_sort.items(), key=lambda pair: -len(pair[1]))
        }

    def corpus(self, project: int, *, sort: str | None = None, role: str | None = None) -> Corpus:
        """Return the project's annotations of one sort, by default the most frequent."""
        corpora = self.corpora(project, role=role)
        if sort is None:
            return next(iter(corpora.values()), Corpus.from_annotations([]))
        if sort not in corpora:
            raise UnknownName("sort of annotation", sort, list(corpora))
        return corpora[sort]

    def sorts(self, project: int) -> list[str]:
        """Return the sorts of annotation in a project, the most frequent first."""
        typed = revisions.c.marks.like('%"types": [%').label("typed")
        query = (
            self.select_codings(project, items.c.kind, typed, sa.func.count().label("many"))
            .join(revisions, revisions.c.id == codings.c.head)
            .where(codings.c.role != "system")
            .group_by(items.c.kind, typed)
        )
        with self.reading() as db:
            listed = sorted(db.execute(query), key=lambda row: (-row.many, row.kind, row.typed))
        return [f"typed {row.kind}" if row.typed else str(row.kind) for row in listed]

    def shared_item(
        self, project: int, first: str, second: str, kind: str | None = None
    ) -> tuple[int, int, int] | None:
        """Return the first item that both coders annotated, with the ids of their two annotations; None if there is none."""
        query = self.select_codings(project, items.c.id, codings.c.coder, codings.c.id.label("annotation"))
        query = query.where(codings.c.coder.in_([first, second]), codings.c.role == "coder").order_by(items.c.id)
        if kind is not None:
            query = query.where(items.c.kind == kind)
        with self.reading() as db:
            seen: dict[int, dict[str, int]] = {}
            for row in db.execute(query):
                both = seen.setdefault(row.id, {})
                both[row.coder] = row.annotation
                if len(both) == 2:
                    return row.id, both[first], both[second]
        return None

    def coder_names(self, project: int) -> list[str]:
        """Return the names of all coders of a project, in the order of their first annotation."""
        query = self.select_codings(project, codings.c.coder).where(self.viewer.has_role("coder"))
        with self.reading() as db:
            return list(db.scalars(query.group_by(codings.c.coder).order_by(sa.func.min(codings.c.id))))

    def coders_of(self, project: int, role: str) -> dict[tuple[str, str], list[str]]:
        """Return who annotated each item and track in this role."""
        query = self.select_codings(project, items.c.name, items.c.track, codings.c.coder)
        query = query.where(self.viewer.has_role(role))
        coders: dict[tuple[str, str], list[str]] = {}
        with self.reading() as db:
            for row in db.execute(query.order_by(codings.c.id)):
                coders.setdefault((row.name, row.track), []).append(row.coder)
        return coders

    def _annotated_rows(self, project: int, role: str | None, only: Sequence[int] | None = None) -> list[Any]:
        self.project_name(project)
        query = (
            self.select_codings(project, items.c.name, items.c.track, items.c.kind, items.c.length, items.c.units)
            .add_columns(items.c.attributes, codings.c.coder, revisions.c.marks)
            .join(revisions, revisions.c.id == codings.c.head)
            .where(codings.c.role != "system" if role is None else codings.c.role == role)
            .order_by(items.c.id, codings.c.id)
        )
        if only is not None:
            query = query.where(items.c.id.in_(only))
        with self.reading() as db:
            return list(db.execute(query))

    def some_items(self, project: int, most: int) -> list[int]:
        """Return up to ``most`` items of every kind and track, taken evenly from the whole project."""
        listed: dict[tuple[str, str], list[int]] = {}
        query = sa.select(items.c.id, items.c.kind, items.c.track).where(
            self.viewer.in_project(project), self.viewer.sees_items()
        )
        with self.reading() as db:
            for row in db.execute(query.order_by(items.c.id)):
                listed.setdefault((row.kind, row.track), []).append(row.id)
        return [number for every in listed.values() for number in every[:: -(-len(every) // most)]]

    def origins(self, project: int) -> dict[tuple[str, str, str], str]:
        """Return where every annotation came from, by item, track and coder."""
        columns = (items.c.name, items.c.track, codings.c.coder, codings.c.origin, codings.c.version)
        with self.reading() as db:
            return {
                (row.name, row.track, row.coder): row.origin
                + (f"; {row.version - 1} changes" if row.version > 1 else "")
                for row in db.execute(self.select_codings(project, *columns))
            }

    # ------------------------------------------------------------------ items and annotations

    def items(self, project: int) -> list[ItemRecord]:
        """Return every visible item of a project, oldest first."""
        self.project_name(project)
        with self.reading() as db:
            mine = sa.select(items).where(self.viewer.in_project(project), self.viewer.sees_items())
            listed = db.execute(mine.order_by(items.c.id))
            return [rows.item_from_row(row) for row in listed]

    def item(self, item: int) -> ItemRecord:
        """Return one item by its id."""
        with self.reading() as db:
            known = sa.select(items).join(projects, projects.c.id == items.c.project)
            row = db.execute(known.where(items.c.id == item, not_deleted(items), not_deleted(projects))).first()
        if row is None:
            raise NotFound(f"there is no item {item}.")
        return rows.item_from_row(row)

    def tracks_beside(self, item: ItemRecord) -> list[ItemRecord]:
        """Return other tracks of the same text or recording and of the same kind."""
        with self.reading() as db:
            same = self.viewer.in_project(item.project) & (items.c.name == item.name) & (items.c.kind == item.kind)
            beside = sa.select(items).where(same, items.c.id != item.id, self.viewer.sees_items())
            return [rows.item_from_row(row) for row in db.execute(beside.order_by(items.c.id))]

    def annotations(self, item: int) -> list[AnnotationState]:
        """Return every visible annotation of an item."""
        with self.reading() as db:
            listed = rows.annotation_states(db, item=item, person=self.viewer.person if self.viewer.blind else None)
        if not listed:
            self.item(item)  # raises NotFound if the item does not exist
        return listed

    def stamp(self, item: int) -> str:
        """Return a string that changes whenever anything about an item changes, from one cheap query; used as a cache key."""
        with self.reading() as db:
            return rows.version_stamp(db, item, self.viewer)

    def annotation(self, annotation: int, *, version: int | None = None) -> AnnotationState:
        """Return one annotation by its id, and check its version if one is given."""
        with self.reading() as db:
            state = rows.annotation_state(db, annotation)
        return state if version is None else rows.check_version(state, version)

    def add_annotation(
        self, item: int, coder: str, marks: Marks, *, origin: str, role: str = "gold", author: str = ""
    ) -> AnnotationState:
        """Add an annotation created in the workbench."""
        self.item(item)
        coder, role = self.viewer.check_start(coder, role)
        person = self.viewer.person if self.viewer.role == "annotator" else None
        with self.writing() as db:
            if person is not None:
                coder = rows.available_coder_name(db, item, coder, person)
            number = rows.insert_annotation(
                db,
                item,
                coder,
                marks,
                origin,
                role=role,
                brought=False,
                author=self.viewer.author_name(author),
                person=person,
            )
            return rows.annotation_state(db, number)

    def change(
        self,
        annotation: int,
        version: int,
        marks: Marks,
        *,
        operation: dict[str, Any],
        author: str = "",
        request: str | None = None,
    ) -> AnnotationState:
        """Replace the marks if nobody changed them since ``version``; a ``request`` that was made already is not made again."""
        with self.writing() as db:
            self.viewer.check_change(db, annotation)
            if rows.lock_unless_made(db, annotation, request):
                return rows.annotation_state(db, annotation)
            state = rows.lock_for_change(db, annotation, version)
            settled = dict.fromkeys((*state.settled, *settled_keys(operation)))
            packed, author = rows.pack_marks(marks), self.viewer.author_name(author)
            rows.add_revision(db, annotation, packed, settled, operation, author)
            return rows.remember_request(db, rows.annotation_state(db, annotation), request)

    def made_already(self, annotation: int, request: str | None) -> AnnotationState | None:
        """Return the current state if a change with this request id was made, or None."""
        if request is None:
            return None
        with self.reading() as db:
            self.viewer.check_change(db, annotation)
            return rows.annotation_state(db, annotation) if rows.was_made(db, annotation, request) else None

    def go_back(self, annotation: int, version: int, revision: int, author: str = "") -> AnnotationState:
        """Restore the marks of an earlier revision, as a new change that can be undone."""
        with self.writing() as db:
            self.viewer.check_change(db, annotation)
            rows.lock_for_change(db, annotation, version)
            wanted = sa.select(revisions).where(revisions.c.id == revision, revisions.c.annotation == annotation)
            row = db.execute(wanted).first()
            if row is None:
                raise NotFound(f"annotation {annotation} has no revision {revision}.")
            operation = {"kind": "go back", "revision": revision}
            settled = json.loads(row.settled or "[]")
            rows.add_revision(db, annotation, row.marks, settled, operation, self.viewer.author_name(author))
            return rows.annotation_state(db, annotation)

    def undo(self, annotation: int, version: int, request: str | None = None) -> AnnotationState:
        """Return to the previous revision."""
        none = "nothing to undo: this is the first revision."
        return self._step(annotation, version, rows.parent_revision, none, request)

    def redo(self, annotation: int, version: int, request: str | None = None) -> AnnotationState:
        """Move forward to the latest revision made from the current one."""
        return self._step(annotation, version, rows.latest_child, "nothing to redo.", request)

    def _step(
        self, annotation: int, version: int, neighbour: Callable[[int], Any], none: str, request: str | None
    ) -> AnnotationState:
        """Move the head to a neighbouring revision, or raise an error with the message ``none``."""
        with self.writing() as db:
            self.viewer.check_change(db, annotation)
            if rows.lock_unless_made(db, annotation, request):
                return rows.annotation_state(db, annotation)
            rows.lock_for_change(db, annotation, version)
            revision = db.scalar(neighbour(annotation))
            if revision is None:
                raise CaesuraError(none)
            rows.move_head(db, annotation, revision)
            return rows.remember_request(db, rows.annotation_state(db, annotation), request)

    # ------------------------------------------------------------------ comments

    def add_comment(
        self, item: int, text: str, *, position: float | None = None, until: float | None = None, author: str = ""
    ) -> int:
        """Add a comment to an item, at a position, on a stretch up to ``until``, or on the whole."""
        self.item(item)
        with self.writing() as db:
            values = {"item": item, "position": position, "until": until, "text": text, "time": rows.timestamp()}
            signed = {"author": self.viewer.author_name(author), "person": self.viewer.person}
            record_change(db, "comment.added", item=item)
            return rows.inserted_id(db.execute(comments.insert().values(**values, **signed)))

    def comments(self, item: int) -> list[dict[str, Any]]:
        """Return all visible comments on an item, oldest first."""
        with self.reading() as db:
            shown = [column for column in comments.c if column.name != "person"]
            mine = sa.select(*shown).where(comments.c.item == item, self.viewer.sees_comments())
            # sorted here, because ORDER BY would make the database scan all comments by id
            return sorted((dict(row._mapping) for row in db.execute(mine)), key=lambda each: int(each["id"]))

    # ------------------------------------------------------------------ transactions

    def visibility(self) -> tuple[sa.ColumnElement[bool], sa.ColumnElement[bool]]:
        """Return the conditions on items and annotations that every query over a project uses."""
        return self.viewer.sees_items(), self.viewer.sees_codings()

    def select_codings(self, project: int, *columns: Any) -> sa.Select[Any]:
        """Select columns of the visible items of a project and of their visible annotations."""
        both = sa.select(*columns).select_from(items).join(codings, codings.c.item == items.c.id)
        return both.where(self.viewer.in_project(project), *self.visibility())

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Open a connection for reading."""
        with self._wrap_errors(), self.engine.connect() as db:
            yield db

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Open a transaction that takes the write lock at once, so that a checked version cannot change before the commit."""
        if self.damage is not None:
            raise StoreError(f"the database is damaged and read-only: {self.damage}; restore it from a backup.")
        # the lock comes first: a transaction that waits for it would hold a database connection
        with self._wrap_errors(), self._write_lock, self._transaction() as db:
            begin_changes(db)
            yield db
            log_action(db, current_action.get(), rows.timestamp())
            write_changes(db, author=self.viewer.name, person=self.viewer.person, time=rows.timestamp())
        self.notifier.notify()

    @contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        with self.engine.connect() as db:
            if self.engine.dialect.name == "sqlite":
                db.exec_driver_sql("BEGIN IMMEDIATE")
            with db.get_transaction() or db.begin():
                yield db

    @contextmanager
    def _wrap_errors(self) -> Iterator[None]:
        try:
            yield
        except IntegrityError:  # two requests used the same name at once
            raise CaesuraError("already created by another user; reload the page.") from None
        except SQLAlchemyError as error:
            why = reason(error)
            if indicates_damage(why):
                self._health.damage = why
            raise StoreError(f"database error, nothing was changed: {why}.") from None


@lru_cache(maxsize=2)
def open_in_worker(url: str) -> Store:
    """Return a store for a function that runs in a worker process; it sees everything, so the request has to be allowed to."""
    return Store(url, connections=2)
