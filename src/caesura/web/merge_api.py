"""The JSON API of merges: what came twice made one, listed, and undone."""

from __future__ import annotations

from typing import Any

from pydantic import model_validator

from caesura.web.api import Project, Seen
from caesura.web.merging import Keep, list_merges, merge_coders, merge_items, undo_merge, write_merge
from caesura.web.requests import Id, Key, Name, RequestBody, api_router
from caesura.web.viewers import tell

router = api_router("merges")


class Merge(RequestBody):
    """Two coders by their names, or two items by their numbers: the first goes into the second.

    Where both have an annotation, and they differ, ``keep`` says whose stays; the other is deleted. The second coder's name may be new.
    """

    coders: tuple[Name, Name] | None = None
    items: tuple[Key, Key] | None = None
    keep: Keep = None

    @model_validator(mode="after")
    def _either(self) -> Merge:
        if (self.coders is None) == (self.items is None):
            raise ValueError("name two coders, or two items")
        return self


@router.get("/projects/{project}/merges")
def merges(store: Seen, project: Project) -> list[dict[str, Any]]:
    """Every merge of a project, the last first."""
    with store.reading() as db:
        return list_merges(db, project)


@router.post("/projects/{project}/merges", status_code=201)
def merge(store: Seen, project: Project, wanted: Merge) -> dict[str, Any]:
    """Merge two coders of a project, or two items of one text; 400 with ``collisions`` where it must be said which annotation to keep."""
    with store.writing() as db:
        if wanted.coders is not None:
            what, done = merge_coders(db, project, *wanted.coders, wanted.keep)
        else:
            assert wanted.items is not None
            what, done = merge_items(db, project, *wanted.items, wanted.keep)
        tell(what)
        return write_merge(db, project, what, done, store.viewer.name)


@router.delete("/projects/{project}/merges/{merge}", status_code=204)
def unmerge(store: Seen, project: Project, merge: Id) -> None:
    """Undo a merge: everything is put back where it was."""
    with store.writing() as db:
        tell(undo_merge(db, project, merge))
