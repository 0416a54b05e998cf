"""Versions of the project schemas in the database, and what a change of schema changes in the annotations."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from caesura.errors import CaesuraError
from caesura.model import Corpus
from caesura_workbench import rows
from caesura_workbench.changes import changed_items, record_change
from caesura_workbench.permissions import describe_action
from caesura_workbench.project_schema import (
    LabelUse,
    ProjectSchema,
    Renames,
    compare_schemas,
    parse_schema,
    propose,
    rename_in_key,
    rename_in_marks,
)
from caesura_workbench.requests import Unit
from caesura_workbench.rows import NotFound, not_deleted
from caesura_workbench.schema import codings, guidelines, items, project_schemas, revisions

if TYPE_CHECKING:
    from caesura_workbench.store import Store


class StaleSchema(CaesuraError):
    """Somebody saved a newer version of the schema first."""


@dataclass(frozen=True)
class StoredSchema:
    """A version of a project's schema; version 0 is that of a project that has none, in which anything goes."""

    version: int
    schema: ProjectSchema


_LATEST = (
    sa.select(project_schemas.c.version, project_schemas.c.content)
    .where(project_schemas.c.project == sa.bindparam("wanted", type_=sa.Integer))
    .order_by(project_schemas.c.version.desc())
    .limit(1)
)


def current_schema(db: sa.Connection, project: int) -> StoredSchema:
    """Return the latest schema of a project."""
    row = db.execute(_LATEST, {"wanted": project}).first()
    return StoredSchema(0, ProjectSchema()) if row is None else StoredSchema(row.version, parse_schema(row.content))


def schemas_of_projects(db: sa.Connection, projects: list[int]) -> dict[int, ProjectSchema]:
    """Return the latest schemas of several projects, with one query."""
    newest = sa.select(sa.func.max(project_schemas.c.id)).group_by(project_schemas.c.project)
    query = sa.select(project_schemas.c.project, project_schemas.c.content).where(project_schemas.c.id.in_(newest))
    found = {row.project: parse_schema(row.content) for row in db.execute(query)}
    return {project: found.get(project, ProjectSchema()) for project in projects}


def save_schema(db: sa.Connection, project: int, schema: ProjectSchema, *, author: str, source: str) -> int:
    """Save a new version of a schema and return its number."""
    number = current_schema(db, project).version + 1
    written = db.scalar(sa.select(sa.func.count()).where(guidelines.c.project == project))
    values = {"project": project, "version": number, "content": schema.stored(), "source": source, "author": author}
    db.execute(project_schemas.insert().values(**values, guidelines=written, time=rows.timestamp()))
    record_change(db, "schema", project=project)
    return number


def label_use(db: sa.Connection, project: int, chosen: Iterable[int] | None = None) -> LabelUse:
    """Count the labels, types and tiers that the annotations of a project use, or those of some items."""
    mine = [items.c.project == project, not_deleted(items)]
    if chosen is not None:
        mine.append(items.c.id.in_(list(chosen)))
    use = LabelUse()
    for row in db.execute(sa.select(items.c.kind, items.c.track).where(*mine).distinct()):
        use.add_item(row.kind, row.track)
    query = (
        sa.select(items.c.kind, items.c.track, revisions.c.marks)
        .join(codings, codings.c.item == items.c.id)
        .join(revisions, revisions.c.id == codings.c.head)
        .where(*mine, not_deleted(codings))
        .order_by(codings.c.id)
    )
    for kind, track, marks in db.execution_options(yield_per=1000).execute(query):
        use.add(kind, track, json.loads(marks))
    return use


@dataclass(frozen=True)
class KnownUse:
    """What the annotations of a project used after its change ``last``, as groups of items."""

    last: int
    parts: list[tuple[list[int], LabelUse]]

    def up_to_date(self, db: sa.Connection, project: int) -> LabelUse:
        """Return what they use now; only groups with changed items are counted again, so that a transaction stays short in a large project."""
        changed = changed_items(db, project, self.last)
        same = [use for numbers, use in self.parts if changed.isdisjoint(numbers)]
        again = changed.union(*(numbers for numbers, _ in self.parts if not changed.isdisjoint(numbers)))
        listed = sorted(again)
        counted = [label_use(db, project, listed[start : start + 500]) for start in range(0, len(listed), 500)]
        return LabelUse.total((*same, *counted))


def corpus_use(corpora: Iterable[Corpus]) -> LabelUse:
    """Count what annotations use that are not stored yet."""
    use = LabelUse()
    for corpus in corpora:
        for annotation in corpus:
            packed = json.loads(rows.pack_marks(annotation.marks))
            use.add(rows.item_kind(annotation.marks), annotation.track, packed)
    return use


def propose_from_data(db: sa.Connection, project: int) -> None:
    """Give a project of an earlier version a schema that fits its annotations."""
    attributes = list(
        db.scalars(sa.select(items.c.attributes).where(items.c.project == project, not_deleted(items)).distinct())
    )
    languages = {json.loads(text).get("language", "") for text in attributes}
    language = languages.pop() if len(languages) == 1 else ""
    try:
        schema = propose(ProjectSchema(), label_use(db, project), language=str(language or ""))
        schema = ProjectSchema.model_validate(schema.model_dump())
    except (ValueError, KeyError, TypeError):  # a damaged annotation, or a language that is none
        schema = ProjectSchema()
    save_schema(db, project, schema, author="", source="data")


class Schemas:
    """The versions of one project's schema."""

    def __init__(self, store: Store, project: int) -> None:
        self._store, self._project = store, project

    def current(self) -> StoredSchema:
        """Return the latest version."""
        with self._store.reading() as db:
            return current_schema(db, self._project)

    def read(self, version: int | None = None) -> dict[str, Any]:
        """Return a version, the latest by default, with the list of versions."""
        query = (
            sa.select(project_schemas)
            .where(project_schemas.c.project == self._project)
            .order_by(project_schemas.c.version)
        )
        with self._store.reading() as db:
            written = list(db.execute(query))
        number = len(written) if version is None else version
        if not 0 <= number <= len(written):
            raise NotFound(f"the schema has no version {number}.")
        row = written[number - 1] if number else None
        return {
            "version": number,
            "schema": (ProjectSchema() if row is None else parse_schema(row.content)).model_dump(
                exclude={"types": {"__all__": {"was"}}, "labels": {"__all__": {"was"}}, "tiers": _WITHOUT_WAS}
            ),
            "source": "new" if row is None else row.source,
            "guidelines": 0 if row is None else row.guidelines,
            "author": "" if row is None else row.author,
            "time": "" if row is None else row.time,
            "versions": [
                {"version": w.version, "author": w.author, "time": w.time, "source": w.source} for w in written
            ],
        }

    def check(self, schema: ProjectSchema, use: LabelUse) -> dict[str, Any]:
        """Return what saving a schema would change, and why it cannot be saved; ``use`` is what the annotations use."""
        changed, problems = compare_schemas(self.current().schema, schema, use)
        return {"changes": [asdict(each) for each in changed], "problems": problems}

    def write(self, schema: ProjectSchema, version: int, known: KnownUse) -> None:
        """Save a new version based on the version that the writer saw, and rename labels and tiers in the annotations.

        ``known`` is what the annotations used shortly before.
        """
        renames = Renames.of(schema)
        with self._store.reading() as db:  # looking for names in many annotations takes longer than a transaction may
            using = _items_with(db, self._project, renames)
        with self._store.writing() as db:
            before = current_schema(db, self._project)
            if before.version != version:
                raise StaleSchema(
                    f"somebody saved version {before.version} of the schema meanwhile; reload the page first."
                )
            changed, problems = compare_schemas(before.schema, schema, known.up_to_date(db, self._project))
            if problems:
                raise CaesuraError(problems[0][0].upper() + problems[0][1:])
            describe_action(" ".join(each.text for each in changed)[:400])
            using |= _items_with(db, self._project, renames, changed_items(db, self._project, known.last))
            _rename(db, self._project, renames, using)
            save_schema(db, self._project, schema, author=self._store.viewer.author_name(""), source="saved")

    def propose(self, use: LabelUse, *, unit: Unit | None = None, language: str = "") -> dict[str, Any]:
        """Return the schema with what new annotations would add, and these changes."""
        before = self.current().schema
        after = propose(before, use, unit=unit, language=language)
        return {
            "schema": after.model_dump(),
            "changes": [asdict(each) for each in compare_schemas(before, after, use)[0]],
        }

    def accept(self, use: LabelUse, *, unit: Unit | None = None, language: str = "") -> None:
        """Add what an import uses to the schema, as a new version, unless there is nothing new."""
        with self._store.writing() as db:
            before = current_schema(db, self._project).schema
            after = propose(before, use, unit=unit, language=language)
            if after != before:
                save_schema(db, self._project, after, author=self._store.viewer.author_name(""), source="import")


_WITHOUT_WAS: Any = {"__all__": {"was": True, "labels": {"__all__": {"was"}}}}


_MOVING = "\x1f"  # no name of a track begins with it


def _rename(db: sa.Connection, project: int, renames: Renames, using: set[tuple[int, str, str]]) -> None:
    """Rename labels in every revision of items that use them, so that undoing a change does not bring a former name back, and rename tiers."""
    for item, kind, track in sorted(using):
        names = renames.for_item(kind, track)
        if names:
            _rename_in_item(db, item, names)
    # in two steps, so that two tiers can swap their names
    for was, name in renames.tiers.items():
        mine = (items.c.project == project) & (items.c.track == was)
        for number in list(db.scalars(sa.select(items.c.id).where(mine))):
            record_change(db, "item.changed", item=number)
        db.execute(items.update().where(mine).values(track=f"{_MOVING}{name}"))
    for name in renames.tiers.values():
        mine = (items.c.project == project) & (items.c.track == f"{_MOVING}{name}")
        db.execute(items.update().where(mine).values(track=name))


def _items_with(
    db: sa.Connection, project: int, renames: Renames, only: set[int] | None = None
) -> set[tuple[int, str, str]]:
    """Return the items, or some of them, with a revision in which a former name may occur: id, kind and track. The database looks for it, because it is much faster."""
    names = renames.labels_and_types()
    if not names or only == set():
        return set()
    spelled = sorted({json.dumps(name, ensure_ascii=ascii)[1:-1] for name in names for ascii in (False, True)})
    found = [
        column.contains(name, autoescape=True)
        for name in spelled
        for column in (revisions.c.marks, revisions.c.settled)
    ]
    query = (
        sa.select(items.c.id, items.c.kind, items.c.track)
        .join(codings, codings.c.item == items.c.id)
        .join(revisions, revisions.c.annotation == codings.c.id)
        .where(items.c.project == project, sa.or_(*found))
        .distinct()
    )
    if only is None:
        return {tuple(row) for row in db.execute(query)}
    listed = sorted(only)
    parts = (listed[start : start + 500] for start in range(0, len(listed), 500))
    return {tuple(row) for part in parts for row in db.execute(query.where(items.c.id.in_(part)))}


def _rename_in_item(db: sa.Connection, item: int, names: dict[str, str]) -> None:
    changed = set()
    of_item = sa.select(codings.c.id).where(codings.c.item == item)
    for row in list(db.execute(sa.select(revisions).where(revisions.c.annotation.in_(of_item)))):
        marks = rename_in_marks(row.marks, names)
        settled = row.settled and json.dumps(
            [rename_in_key(key, names) for key in json.loads(row.settled)], ensure_ascii=False
        )
        if json.loads(marks) != json.loads(row.marks) or settled != row.settled:
            values = {"marks": marks, "settled": settled}
            db.execute(revisions.update().where(revisions.c.id == row.id).values(**values))
            changed.add(row.annotation)
    for number in sorted(changed):
        db.execute(codings.update().where(codings.c.id == number).values(version=codings.c.version + 1))
        record_change(db, "annotation.changed", annotation=number)
