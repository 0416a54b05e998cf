"""The embedded store: projects, items, annotations and every revision of them, in SQLite (WAL) or PostgreSQL.

An annotation's state is its *head*, one of its revisions; a revision knows its parent, so undo moves the head to the parent and redo to
the youngest child. ``version`` grows with every change, undo and redo included: a writer names the version it saw, and a
stale one is refused instead of overwriting. Whatever this module returned from is on disk.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from copy import copy
from dataclasses import dataclass
from threading import Lock
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from caesura.errors import CaesuraError, UnknownName
from caesura.model import Annotation, Corpus, Segmentation
from caesura.model.corpus import Marks
from caesura.web import rows
from caesura.web.embedded import look_for_damage, reason, says_damage, tune_sqlite
from caesura.web.rows import Added, AnnotationState, Item, NotFound, StoreFault, there
from caesura.web.schema import codings, comments, complete_tables, items, projects, revisions
from caesura.web.settings import shown_address
from caesura.web.sound.recording_rows import adopt, all_digests, share
from caesura.web.viewers import ALONE, DEED, Viewer, write_down


@dataclass
class _Health:
    """What is wrong with a store, for all who look at it."""

    damage: str | None = None


class Store:
    """All reading and writing, as one viewer sees it; every method is one transaction."""

    viewer: Viewer = ALONE

    def __init__(self, url: str, *, connections: int = 40) -> None:
        try:
            embedded = sa.make_url(url).get_backend_name() == "sqlite"
            self.engine = sa.create_engine(url, pool_pre_ping=not embedded, pool_size=connections, max_overflow=0)
            if embedded:
                sa.event.listen(self.engine, "connect", tune_sqlite)
            # writers of one process wait here in line; SQLite's own waiting is sleeping and trying again
            self._line: Any = Lock() if embedded else nullcontext()
            self._health = _Health(look_for_damage(self.engine) if embedded else None)
            #: A damaged store of an earlier version has no room for people, and is not given any.
            self.keeps_people = self.damage is None or sa.inspect(self.engine).has_table("people")
            if self.damage is None:
                with self._transaction() as db:
                    complete_tables(db)
        except CaesuraError:
            raise
        except (SQLAlchemyError, ImportError) as fault:
            raise CaesuraError(f"the store {shown_address(url)} cannot be opened: {reason(fault)}.") from None
        except ValueError:  # Python's own words would quote the piece of the password it stumbled over
            raise CaesuraError(
                f"the store {shown_address(url)} cannot be opened: its address is not DRIVER://USER:PASSWORD@HOST:PORT/NAME."
            ) from None

    @property
    def damage(self) -> str | None:
        """What is wrong with the file, if anything is."""
        return self._health.damage

    def seen_by(self, viewer: Viewer) -> Store:
        """The same store, with what this viewer sees of it."""
        seen = copy(self)
        seen.viewer = viewer
        return seen

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()

    # ------------------------------------------------------------------ projects

    def projects(self) -> list[dict[str, Any]]:
        """Every project with its numbers of items and annotations, as far as the viewer sees them.

        What is hidden is not counted, and not walked past either: the list takes no longer for it.
        """
        known = sa.select(projects.c.id, projects.c.name, projects.c.created, self.viewer.sees_all_of_projects())
        own = items.c.id.in_(self.viewer.own_items())
        numbers = sa.func.count(sa.distinct(items.c.id)), sa.func.count(sa.distinct(codings.c.id))
        counts: dict[int, tuple[int, int]] = {}
        with self.reading() as db:
            listed = list(db.execute(known.where(self.viewer.sees_projects()).order_by(projects.c.name)))
            open_ones = [row.id for row in listed if row[3]]
            for chosen, whose in (
                ([items.c.project.in_(open_ones)], []),
                ([own, (items.c.project + 0).not_in(open_ones)], [codings.c.person == self.viewer.person]),
            ):
                of_item = sa.and_(codings.c.item == items.c.id, there(codings), *whose)
                query = sa.select(items.c.project, *numbers).outerjoin(codings, of_item)
                for row in db.execute(query.where(there(items), *chosen).group_by(items.c.project)):
                    counts[row[0]] = row[1], row[2]
        return [
            {"id": row.id, "name": row.name, "created": row.created}
            | dict(zip(("items", "annotations"), counts.get(row.id, (0, 0)), strict=True))
            for row in listed
        ]

    def add_project(self, name: str) -> int:
        """Open a new project under a name nobody uses."""
        with self.writing() as db:
            if db.scalar(sa.select(projects.c.id).where(projects.c.name == name)) is not None:
                raise CaesuraError(f"there is a project {name!r} already; choose another name.")
            row = db.execute(projects.insert().values(name=name, created=rows.now()))
            return rows.key(row)

    def project_name(self, project: int) -> str:
        """The name of a project."""
        with self.reading() as db:
            name = db.scalar(sa.select(projects.c.name).where(projects.c.id == project, there(projects)))
        if name is None:
            raise NotFound(f"there is no project {project}.")
        return str(name)

    def erase_project(self, project: int) -> None:
        """Erase a project and all that is in it, for good."""
        with self.writing() as db:
            if not db.execute(projects.delete().where(projects.c.id == project)).rowcount:
                raise NotFound(f"there is no project {project}.")

    def recordings_in(self, project: int | None = None) -> set[str]:
        """The digests of a project's recordings, or of all."""
        with self.reading() as db:
            return all_digests(db, project)

    # ------------------------------------------------------------------ corpora in and out

    def add_corpus(
        self, project: int, corpus: Corpus, *, origin: str, role: str = "coder", join: bool = False
    ) -> Added:
        """Add all annotations of a corpus, or none of them; returns what was made.

        What a "system" placed is suggested, and counted nowhere. With ``join`` items of the same text are one, whatever they are called.
        """
        self.project_name(project)
        items_of: dict[int, int] = {}
        with self.writing() as db:
            known = set(db.scalars(sa.select(items.c.id).where(items.c.project == project)))
            adopt(db, project, corpus)
            for annotation in corpus:
                item = rows.item_for(db, project, annotation, corpus, join)
                items_of[rows.insert_annotation(db, item, annotation.coder, annotation.marks, origin, role=role)] = item
            share(db, project)
        return Added(sorted(set(items_of.values()) - known), list(items_of))

    def add_text(
        self,
        project: int,
        name: str,
        units: tuple[str, ...],
        *,
        kind: str = "units",
        attributes: Mapping[str, Any] | None = None,
    ) -> int:
        """Add a text that nobody has annotated yet; returns the number of its item."""
        self.project_name(project)
        taken = sa.select(items.c.id).where(items.c.project == project, items.c.name == name, items.c.track == "")
        with self.writing() as db:
            if db.scalar(taken) is not None:
                raise CaesuraError(f"there is an item {name!r} in this project already; name the text otherwise.")
            return rows.insert_item(db, project, name, kind, len(units), units=units, attributes=attributes)

    def coders_marks(self, project: int) -> list[Annotation]:
        """What the project's coders have marked, as it is now; what adjudicators made of it are results, not coders."""
        return [
            Annotation(row.name, row.coder, rows.unpack_marks(row, row.marks), row.track)
            for row in self._annotated_rows(project, "coder")
        ]

    def corpora(self, project: int, *, role: str | None = None, coders: list[str] | None = None) -> dict[str, Corpus]:
        """The project's annotations by sort, the most frequent first: a corpus holds one kind, with types or without.

        Sorts are "units", "typed units", "time", "typed time", "nested", "spans" and "spans in time"; ``role`` and ``coders`` choose among the annotations,
        of which systems are told by their own role only.
        """
        by_sort: dict[str, list[Annotation]] = {}
        attributes: dict[str, Any] = {}
        for row in self._annotated_rows(project, role):
            if coders and row.coder not in coders:
                continue
            marks = rows.unpack_marks(row, row.marks)
            typed = isinstance(marks, Segmentation) and marks.typed
            annotation = Annotation(row.name, row.coder, marks, row.track)
            by_sort.setdefault(f"typed {row.kind}" if typed else row.kind, []).append(annotation)
            attributes[row.name] = json.loads(row.attributes)
        known = {name: given for name, given in attributes.items() if given}
        return {
            sort: Corpus.from_annotations(
                rows.on_one_scale(listed), attributes={a.item: known[a.item] for a in listed if a.item in known}
            )
            for sort, listed in sorted(by_sort.items(), key=lambda pair: -len(pair[1]))
        }

    def corpus(self, project: int, *, sort: str | None = None, role: str | None = None) -> Corpus:
        """The project's annotations of one sort, by default the most frequent."""
        corpora = self.corpora(project, role=role)
        if sort is None:
            return next(iter(corpora.values()), Corpus.from_annotations([]))
        if sort not in corpora:
            raise UnknownName("sort of annotation", sort, list(corpora))
        return corpora[sort]

    def sorts(self, project: int) -> list[str]:
        """The sorts of annotation in a project, the most frequent first."""
        typed = revisions.c.marks.like('%"types": [%').label("typed")
        query = (
            self.select_codings(project, items.c.kind, typed, sa.func.count().label("many"))
            .join(revisions, revisions.c.id == codings.c.head)
            .where(codings.c.role != "system")
            .group_by(items.c.kind, typed)
        )
        with self.reading() as db:
            listed = sorted(db.execute(query), key=lambda row: -row.many)
        return [f"typed {row.kind}" if row.typed else str(row.kind) for row in listed]

    def coders_of(self, project: int, role: str) -> dict[tuple[str, str], list[str]]:
        """Who annotated which item and track, as a coder or as gold."""
        query = self.select_codings(project, items.c.name, items.c.track, codings.c.coder).where(codings.c.role == role)
        coders: dict[tuple[str, str], list[str]] = {}
        with self.reading() as db:
            for row in db.execute(query.order_by(codings.c.id)):
                coders.setdefault((row.name, row.track), []).append(row.coder)
        return coders

    def settled_in(self, project: int) -> dict[int, set[str]]:
        """The places in dispute that gold has settled, by item."""
        query = self.select_codings(project, codings.c.item, revisions.c.settled).where(codings.c.role == "gold")
        keys: dict[int, set[str]] = {}
        with self.reading() as db:
            for row in db.execute(query.join(revisions, revisions.c.id == codings.c.head)):
                keys.setdefault(row.item, set()).update(json.loads(row.settled or "[]"))
        return keys

    def _annotated_rows(self, project: int, role: str | None) -> list[Any]:
        self.project_name(project)
        query = (
            self.select_codings(project, items.c.name, items.c.track, items.c.kind, items.c.length, items.c.units)
            .add_columns(items.c.attributes, codings.c.coder, revisions.c.marks)
            .join(revisions, revisions.c.id == codings.c.head)
            .where(codings.c.role != "system" if role is None else codings.c.role == role)
            .order_by(items.c.id, codings.c.id)
        )
        with self.reading() as db:
            return list(db.execute(query))

    def origins(self, project: int) -> dict[tuple[str, str, str], str]:
        """Where every annotation came from, by item, track and coder: a file, pasted text, a unification, somebody's copy."""
        columns = (items.c.name, items.c.track, codings.c.coder, codings.c.origin, codings.c.version)
        with self.reading() as db:
            return {
                (row.name, row.track, row.coder): row.origin
                + (f"; {row.version - 1} changes" if row.version > 1 else "")
                for row in db.execute(self.select_codings(project, *columns))
            }

    # ------------------------------------------------------------------ items and annotations

    def items(self, project: int) -> list[Item]:
        """Every item of a project, in the order they came."""
        self.project_name(project)
        with self.reading() as db:
            mine = sa.select(items).where(self.viewer.in_project(project), self.viewer.sees_items())
            listed = db.execute(mine.order_by(items.c.id))
            return [rows.item_of(row) for row in listed]

    def item(self, item: int) -> Item:
        """One item by its number."""
        with self.reading() as db:
            known = sa.select(items).join(projects, projects.c.id == items.c.project)
            row = db.execute(known.where(items.c.id == item, there(items), there(projects))).first()
        if row is None:
            raise NotFound(f"there is no item {item}.")
        return rows.item_of(row)

    def tracks_beside(self, item: Item) -> list[Item]:
        """Other tracks of the same text or recording, of the same kind."""
        with self.reading() as db:
            same = self.viewer.in_project(item.project) & (items.c.name == item.name) & (items.c.kind == item.kind)
            beside = sa.select(items).where(same, items.c.id != item.id, self.viewer.sees_items())
            return [rows.item_of(row) for row in db.execute(beside.order_by(items.c.id))]

    def annotations(self, item: int) -> list[AnnotationState]:
        """Everybody's annotation of an item."""
        with self.reading() as db:
            listed = rows.states(db, item=item, person=self.viewer.person if self.viewer.blind else None)
        if not listed:
            self.item(item)  # an item without annotations, or none at all: the second is told
        return listed

    def stamp(self, item: int) -> str:
        """What changes whenever anything about an item does, in one cheap query: for caches, here and in browsers."""
        with self.reading() as db:
            return rows.stamp(db, item, self.viewer)

    def annotation(self, annotation: int, *, version: int | None = None) -> AnnotationState:
        """One annotation by its number; at this version, where one is named."""
        with self.reading() as db:
            state = rows.annotation_now(db, annotation)
        return state if version is None else rows.check_version(state, version)

    def add_annotation(
        self,
        item: int,
        coder: str,
        marks: Marks,
        *,
        origin: str,
        role: str = "gold",
        author: str = "",
    ) -> AnnotationState:
        """Add an annotation that is made here to an item that has none of that name."""
        self.item(item)
        coder, role = self.viewer.check_start(coder, role)
        person = self.viewer.person if self.viewer.role == "annotator" else None
        with self.writing() as db:
            if person is not None:
                coder = rows.free_coder(db, item, coder, person)
            number = rows.insert_annotation(
                db, item, coder, marks, origin, role=role, brought=False, author=self.viewer.sign(author), person=person
            )
            return rows.annotation_now(db, number)

    def change(
        self,
        annotation: int,
        version: int,
        marks: Marks,
        *,
        operation: dict[str, Any],
        author: str = "",
    ) -> AnnotationState:
        """Replace the marks, if nobody changed them since ``version``."""
        with self.writing() as db:
            self.viewer.check_change(db, annotation)
            state = rows.check_out(db, annotation, version)
            settled = dict.fromkeys((*state.settled, *([operation["settles"]] if "settles" in operation else [])))
            packed, author = rows.pack_marks(marks), self.viewer.sign(author)
            rows.add_revision(db, annotation, packed, settled, operation, author)
            return rows.annotation_now(db, annotation)

    def go_back(self, annotation: int, version: int, revision: int, author: str = "") -> AnnotationState:
        """Make an annotation what it was at one of its revisions: a change like any other, that can be undone."""
        with self.writing() as db:
            self.viewer.check_change(db, annotation)
            rows.check_out(db, annotation, version)
            wanted = sa.select(revisions).where(revisions.c.id == revision, revisions.c.annotation == annotation)
            row = db.execute(wanted).first()
            if row is None:
                raise NotFound(f"annotation {annotation} has no revision {revision}.")
            operation = {"kind": "go back", "revision": revision}
            settled = json.loads(row.settled or "[]")
            rows.add_revision(db, annotation, row.marks, settled, operation, self.viewer.sign(author))
            return rows.annotation_now(db, annotation)

    def undo(self, annotation: int, version: int) -> AnnotationState:
        """Go back to the revision before, if there is one."""
        return self._step(annotation, version, rows.parent, "there is nothing to undo: this is the first revision.")

    def redo(self, annotation: int, version: int) -> AnnotationState:
        """Go forward again to the youngest revision made from here."""
        return self._step(annotation, version, rows.youngest_child, "there is nothing to redo.")

    def _step(self, annotation: int, version: int, neighbour: Callable[[int], Any], none: str) -> AnnotationState:
        """Move to a neighbouring revision; ``none`` is said where there is no such."""
        with self.writing() as db:
            self.viewer.check_change(db, annotation)
            rows.check_out(db, annotation, version)
            revision = db.scalar(neighbour(annotation))
            if revision is None:
                raise CaesuraError(none)
            rows.move_head(db, annotation, revision)
            return rows.annotation_now(db, annotation)

    # ------------------------------------------------------------------ comments

    def add_comment(
        self, item: int, text: str, *, position: float | None = None, until: float | None = None, author: str = ""
    ) -> int:
        """Leave a comment on an item: at a position, on a stretch from there, or on the whole."""
        self.item(item)
        with self.writing() as db:
            values = {"item": item, "position": position, "until": until, "text": text, "time": rows.now()}
            signed = {"author": self.viewer.sign(author), "person": self.viewer.person}
            return rows.key(db.execute(comments.insert().values(**values, **signed)))

    def comments(self, item: int) -> list[dict[str, Any]]:
        """All comments on an item, oldest first."""
        with self.reading() as db:
            shown = [column for column in comments.c if column.name != "person"]
            mine = sa.select(*shown).where(comments.c.item == item, self.viewer.sees_comments())
            # sorted here, because the database would walk through all of them in that order
            return sorted((dict(row._mapping) for row in db.execute(mine)), key=lambda each: int(each["id"]))

    # ------------------------------------------------------------------ transactions

    def visibility(self) -> tuple[sa.ColumnElement[bool], sa.ColumnElement[bool]]:
        """What of items and annotations the viewer sees: part of every query over a project."""
        return self.viewer.sees_items(), self.viewer.sees_codings()

    def select_codings(self, project: int, *columns: Any) -> sa.Select[Any]:
        """Choose columns of the items of a project and of their annotations, those that the viewer sees."""
        both = sa.select(*columns).select_from(items).join(codings, codings.c.item == items.c.id)
        return both.where(self.viewer.in_project(project), *self.visibility())

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection that looks at the store as it is now."""
        with self._say_faults(), self.engine.connect() as db:
            yield db

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """One transaction that takes the write lock at once, so that a version that was checked stays checked."""
        if self.damage is not None:
            raise StoreFault(f"the store is damaged and takes no changes: {self.damage}; restore it from a copy.")
        with self._say_faults(), self._line, self._transaction() as db:
            yield db
            write_down(db, DEED.get(), rows.now())

    @contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        with self.engine.connect() as db:
            if self.engine.dialect.name == "sqlite":
                db.exec_driver_sql("BEGIN IMMEDIATE")
            with db.get_transaction() or db.begin():
                yield db

    @contextmanager
    def _say_faults(self) -> Iterator[None]:
        try:
            yield
        except IntegrityError:  # two at once wanted the same name
            raise CaesuraError("somebody else made the same thing first, nothing was changed; look again.") from None
        except SQLAlchemyError as fault:
            why = reason(fault)
            if says_damage(why):
                self._health.damage = why
            raise StoreFault(f"the store could not do this now, nothing was changed: {why}.") from None
