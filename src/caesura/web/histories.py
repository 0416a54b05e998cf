"""What was done to annotations since they came: every revision and every merge, oldest first."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa

from caesura.web.merging import merges_of
from caesura.web.schema import codings, items, revisions
from caesura.web.store import Store


class Histories:
    """The past of the annotations of one store, as far as its viewer sees them."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def of_annotation(self, annotation: int) -> list[dict[str, Any]]:
        """Every step: when, by whom, what was done; a merge is one without a revision."""
        project = self._store.item(self._store.annotation(annotation).item).project
        query = (
            sa.select(revisions.c.id, revisions.c.parent, revisions.c.operation, revisions.c.author, revisions.c.time)
            .where(revisions.c.annotation == annotation)
            .order_by(revisions.c.id)
        )
        with self._store.reading() as db:
            steps = [{**row._mapping, "operation": json.loads(row.operation)} for row in db.execute(query)]
            merged = merges_of(db, project).get(annotation, [])
        return _in_order(steps, [{"id": None, "parent": None, **step} for step in merged])

    def of_project(self, project: int) -> list[dict[str, Any]]:
        """Every annotation of a project with where it came from and all that was done to it since."""
        self._store.project_name(project)
        columns = (items.c.name, items.c.track, codings.c.coder, codings.c.origin, codings.c.version)
        known = self._store.select_codings(project, codings.c.id, *columns).order_by(codings.c.id)
        steps = (revisions.c.annotation, revisions.c.operation, revisions.c.author, revisions.c.time)
        of_annotation = revisions.c.annotation == codings.c.id
        query = self._store.select_codings(project, *steps).join(revisions, of_annotation).order_by(revisions.c.id)
        with self._store.reading() as db:
            listed = [dict(row._mapping) for row in db.execute(known)]
            merged = merges_of(db, project)
            done: dict[int, list[dict[str, Any]]] = {}
            for row in db.execute(query):
                step = {"operation": json.loads(row.operation), "author": row.author, "time": row.time}
                done.setdefault(row.annotation, []).append(step)
        return [
            {**each, "revisions": _in_order(done.get(each["id"], []), merged.get(each["id"], []))} for each in listed
        ]


def _in_order(steps: list[dict[str, Any]], merged: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted((*steps, *merged), key=lambda step: str(step["time"])) if merged else steps
