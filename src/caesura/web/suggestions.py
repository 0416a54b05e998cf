"""Marks that a machine would place: by a segmenter, an uploaded system or a restorer of vowels, to be accepted, moved or refused one by one.

Nothing is stored by asking. A change that accepts a suggestion says so, ``"suggested_by": "dcm"``, and where it was suggested if it was moved,
``"suggested_at"``; ``{"kind": "refuse", "suggested_by": "dcm", "position": 3}`` changes nothing and remembers the refusal.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate
from typing import Any

import sqlalchemy as sa

from caesura.display.table import Table
from caesura.errors import CaesuraError, UnknownName
from caesura.model import Hierarchy, Segmentation
from caesura.model.corpus import Marks
from caesura.registry import Entry
from caesura.web import rows
from caesura.web.changes import describe_marks
from caesura.web.requests import Suggestion
from caesura.web.rows import Item
from caesura.web.schema import codings, items, revisions
from caesura.web.sound.shelf import Shelf
from caesura.web.starts import suggest_marks
from caesura.web.store import Store

#: Restorers of vowels that ship; their room plugs in, and nothing imports it.
RESTORERS = {"hebrew": "he", "arabic": "ar"}

#: What a mark of each kind is called in answers, and by which keys an operation spells it.
_NAMES = {"units": "positions", "time": "positions", "nested": "segments", "spans": "spans", "spans in time": "spans"}
_KEYS = {"positions": ("position",), "segments": ("first", "last"), "spans": ("start", "end", "label")}


def suggest(store: Store, shelf: Shelf, item: Item, wanted: Suggestion) -> dict[str, Any]:
    """What is suggested for an item, as its own kind of marks, without what was refused in the annotation at hand."""
    by = wanted.system or wanted.restorer or wanted.segmenter or ""
    name = _NAMES[item.kind]
    if wanted.restorer is not None:
        suggested = _restore(item, wanted.restorer)
    elif wanted.system is not None:
        suggested = _of_system(store, item, wanted.system)
    elif item.kind == "time":
        from caesura.web.sound.suggested_times import suggest_times

        suggested = {"positions": suggest_times(store, shelf, item, wanted)}
    else:
        coded = {state.coder: state.marks for state in store.annotations(item.id) if state.role == "coder"}
        placed = suggest_marks(item, coded, by, wanted.segments)
        suggested = _describe(Hierarchy.from_segmentation(placed) if item.kind == "nested" else placed, name)
    refused = set() if wanted.annotation is None else _refused_marks(store, item, wanted.annotation, by)
    kept = [i for i, mark in enumerate(suggested[name]) if _key(name, mark) not in refused]
    return {"suggested_by": by, **{key: [listed[i] for i in kept] for key, listed in suggested.items()}}


def systems_on(db: sa.Connection, item: int) -> list[str]:
    """The systems that were uploaded for an item: what they placed is offered to everybody who works on it, and counted nowhere."""
    mine = sa.select(codings.c.coder).where(codings.c.item == item, codings.c.role == "system", rows.there(codings))
    return sorted(db.scalars(mine))  # here, because the database would walk through all of them in that order


def _of_system(store: Store, item: Item, system: str) -> dict[str, list[Any]]:
    with store.reading() as db:
        placed = {state.coder: state.marks for state in rows.states(db, item=item.id) if state.role == "system"}
    if system not in placed:
        raise UnknownName("system", system, list(placed))
    return _describe(placed[system], _NAMES[item.kind])


def _describe(marks: Marks, name: str) -> dict[str, list[Any]]:
    described = describe_marks(marks)
    listed = {name: described[name]}
    return {**listed, "types": described["types"]} if isinstance(marks, Segmentation) and marks.typed else listed


# ---------------------------------------------------------------------- vowels


def _restore(item: Item, language: str) -> dict[str, list[Any]]:
    """Every word that has vowels to get, as a span whose label is its restored form; how sure the restorer is of it and of its letters, and other forms."""
    if item.kind != "spans" or item.units is None:
        raise CaesuraError(
            "a restorer of vowels names words; bring the text raw, to be marked with labelled spans, and ask it there."
        )
    between = "" if all(len(unit) == 1 for unit in item.units) else " "
    starts = list(accumulate((len(unit) + len(between) for unit in item.units), initial=0))
    listed: dict[str, list[Any]] = {"spans": [], "probabilities": [], "letters": [], "forms": []}
    restored_words = Entry("caesura.vowels.doubts:restored_words").load()
    for word, details in restored_words(_restorer(language), between.join(item.units)):
        first = bisect_right(starts, word.start) - 1
        last = bisect_right(starts, word.start + len(word.word) - 1)
        for name, value in {"spans": [first, last, word.alternatives[0][0]], **details}.items():
            listed[name].append(value)
    return listed


@lru_cache(maxsize=2)
def _restorer(language: str) -> Any:
    return Entry("caesura.vowels.shipped:ready").load()(language)


# ---------------------------------------------------------------------- what was decided


def _refused_marks(store: Store, item: Item, annotation: int, by: str) -> set[tuple[Any, ...]]:
    """What of this suggester was refused in an annotation, as it stands: undoing a refusal brings the suggestion back."""
    with store.reading() as db:
        steps = _steps(db, codings.c.id == annotation, codings.c.item == item.id, *store.visibility())
    mine = (step for step in steps if step["decision"] == "refused" and not step["undone"])
    return {_key(_NAMES[item.kind], step["suggested"]) for step in mine if step["suggested_by"] == by}


def list_decisions(store: Store, project: int) -> list[dict[str, Any]]:
    """Every suggestion of a project that was accepted, moved or refused: where, by whom suggested, by whom decided, and whether it was undone since."""
    store.project_name(project)
    with store.reading() as db:
        return _steps(db, items.c.project == project, *store.visibility())


def _steps(db: sa.Connection, *conditions: sa.ColumnElement[bool]) -> list[dict[str, Any]]:
    query = (
        sa.select(items.c.name, items.c.track, items.c.kind, codings.c.coder, codings.c.head)
        .add_columns(revisions.c.id, revisions.c.annotation, revisions.c.parent, revisions.c.operation)
        .add_columns(revisions.c.author, revisions.c.time)
        .join(codings, codings.c.item == items.c.id)
        .join(revisions, revisions.c.annotation == codings.c.id)
        .where(*conditions)
        .order_by(revisions.c.id)
    )
    listed = list(db.execute(query))
    parents = {row.id: row.parent for row in listed}
    alive: set[int | None] = set()
    for head in {row.head for row in listed}:
        while head is not None and head not in alive:
            alive.add(head)
            head = parents[head]
    return [
        {
            "item": row.name,
            "track": row.track,
            "coder": row.coder,
            **_decision(_NAMES[row.kind], json.loads(row.operation)),
            "author": row.author,
            "time": row.time,
            "undone": row.id not in alive,
        }
        for row in listed
        if '"suggested_by"' in row.operation
    ]


def _decision(name: str, operation: dict[str, Any]) -> dict[str, Any]:
    """A change in words: what was suggested, what became of it."""
    mark = [operation.get(key) for key in _KEYS[name]]
    placed = mark[0] if name == "positions" else mark
    suggested = operation.get("suggested_at", placed)
    refused = operation.get("kind") == "refuse"
    decision = "refused" if refused else "accepted" if suggested == placed else "moved"
    return {
        "suggested_by": operation["suggested_by"],
        "decision": decision,
        "suggested": suggested,
        "placed": None if refused else placed,
    }


def _key(name: str, mark: Any) -> tuple[Any, ...]:
    """What makes two suggested marks one."""
    return (mark,) if name == "positions" else tuple(mark[: len(_KEYS[name])])


def decisions_table(decisions: list[dict[str, Any]]) -> str:
    """Decisions as CSV; a mark of several parts as it stands in JSON."""
    columns = ("item", "track", "coder", "suggested_by", "decision", "suggested", "placed", "author", "time", "undone")
    rows = ([each[column] for column in columns] for each in decisions)
    spelled = (
        tuple(json.dumps(cell, ensure_ascii=False) if isinstance(cell, list) else cell for cell in row) for row in rows
    )
    return Table("Suggestions", columns, tuple(spelled)).csv()
