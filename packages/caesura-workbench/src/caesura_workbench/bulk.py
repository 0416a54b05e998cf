"""Insert many annotations at once: a few statements per file instead of several per annotation.

What takes long (packing marks) is done before the transaction begins, so that edits wait for milliseconds only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from caesura.errors import CaesuraError
from caesura.model import Annotation, Corpus
from caesura_workbench import rows
from caesura_workbench.changes import record_change
from caesura_workbench.rows import AddedRows
from caesura_workbench.schema import codings, items, revisions


@dataclass(frozen=True)
class PackedCorpus:
    """The annotations of a file, and their marks as they will be stored."""

    corpus: Corpus
    annotations: tuple[Annotation, ...]
    marks: tuple[str, ...]

    @classmethod
    def of(cls, corpus: Corpus) -> PackedCorpus:
        """Pack the annotations of a corpus."""
        listed = tuple(corpus)
        return cls(corpus, listed, tuple(rows.pack_marks(each.marks) for each in listed))


def insert_corpus(
    db: sa.Connection, project: int, packed: PackedCorpus, *, origin: str, role: str, join: bool
) -> AddedRows:
    """Insert the annotations of a file and their items; lengths and texts must match those of existing items."""
    last = int(db.scalar(sa.select(sa.func.max(items.c.id))) or 0)
    found: dict[tuple[object, ...], int] = {}
    placed: list[int] = []
    for each in packed.annotations:
        # annotations of one item in one file share its text, so one of them is compared with the stored one
        key = (each.item, each.track, rows.item_kind(each.marks), each.marks.length, each.marks.units)
        if key not in found:
            found[key] = rows.find_or_create_item(db, project, each, packed.corpus, join)
        placed.append(found[key])
    _check_names(db, placed, packed.annotations)
    numbers = _insert_annotations(db, placed, packed, origin, role)
    return AddedRows(sorted({item for item in placed if item > last}), numbers)


def _check_names(db: sa.Connection, placed: list[int], annotations: Sequence[Annotation]) -> None:
    """Raise an error if a coder already has an annotation of an item."""
    taken = {
        (row.item, row.coder)
        for part in _parts(sorted(set(placed)))
        for row in db.execute(sa.select(codings.c.item, codings.c.coder).where(codings.c.item.in_(part)))
    }
    for item, each in zip(placed, annotations, strict=True):
        if (item, each.coder) in taken:
            name = db.scalar(sa.select(items.c.name).where(items.c.id == item))
            raise CaesuraError(
                f"coder {each.coder!r} already has an annotation of item {name!r}; use another coder name."
            )
        taken.add((item, each.coder))


def _insert_annotations(
    db: sa.Connection, placed: list[int], packed: PackedCorpus, origin: str, role: str
) -> list[int]:
    """Insert annotations with their first revisions and return their ids."""
    if not placed:
        return []
    shared = {"head": 0, "version": 1, "origin": origin, "role": role, "brought": True}
    added = db.execute(
        codings.insert().returning(codings.c.id, sort_by_parameter_order=True),
        [{"item": item, "coder": each.coder, **shared} for item, each in zip(placed, packed.annotations, strict=True)],
    )
    numbers = [int(number) for number in added.scalars()]
    step = {"operation": json.dumps({"kind": "import", "origin": origin}), "author": "", "time": rows.timestamp()}
    db.execute(
        revisions.insert(),
        [{"annotation": number, "marks": marks, **step} for number, marks in zip(numbers, packed.marks, strict=True)],
    )
    # every new annotation has exactly one revision
    first = sa.select(revisions.c.id).where(revisions.c.annotation == codings.c.id).scalar_subquery()
    for part in _parts(numbers):
        db.execute(codings.update().where(codings.c.id.in_(part)).values(head=first))
    for item, number in zip(placed, numbers, strict=True):
        record_change(db, "annotation.added", item=item, annotation=number)
    return numbers


def _parts(numbers: list[int], size: int = 500) -> Iterator[list[int]]:
    """Divide ids into lists that every database accepts in one condition."""
    for start in range(0, len(numbers), size):
        yield numbers[start : start + size]
