"""Checks of the store for any database."""

from __future__ import annotations

import threading
from typing import Any

import sqlalchemy as sa

from caesura.model import Corpus, Hierarchy, Segmentation
from caesura_workbench.exports import History
from caesura_workbench.rows import VersionConflict
from caesura_workbench.schema import metadata, sessions, tries
from caesura_workbench.settings import Settings
from caesura_workbench.store import Store

#: One annotation of every kind.
KINDS = [
    Segmentation.parse("so twice | five miles of fertile ground"),
    Segmentation.parse("בראשית ברא | אלהים את השמים"),
    Segmentation.from_labels_at(["", ",", "", "."]),
    Segmentation.from_times([0.25, 0.5], length=1.0, names=["a", "b", "c"]),
    Hierarchy.from_spans([(1, 4), (1, 2)], length=4),
]


def check_round_trip(store: Store, marks: Segmentation | Hierarchy) -> None:
    """Check that a corpus is stored and returned unchanged."""
    project = store.add_project("p")
    corpus = Corpus.from_annotations([("i", "x", marks)], attributes={"i": {"genre": "שיר"}})
    assert len(store.add_corpus(project, corpus, origin="test").annotations) == 1
    assert store.corpus(project) == corpus
    assert store.sorts(project) == list(store.corpora(project))
    assert store.projects()[0]["annotations"] == 1


def check_concurrent_writers(store: Store) -> None:
    """Check that of eight threads that change one annotation, each change is made or rejected and none is lost."""
    project = store.add_project("p")
    store.add_corpus(project, Corpus.from_dict({"i": {"x": [50, 50]}}), origin="test")
    (brought,) = store.annotations(store.items(project)[0].id)
    state = store.add_annotation(brought.item, "gold", brought.marks, origin="copy of x")
    won: list[int] = []
    lost: list[int] = []

    def work(worker: int) -> None:
        for step in range(10):
            current = store.annotation(state.id)
            cut = 1 + (worker * 10 + step) % 98
            marks = Segmentation.from_masses([cut, 100 - cut])
            try:
                store.change(state.id, current.version, marks, operation={"by": worker})
                won.append(cut)
            except VersionConflict:
                lost.append(cut)

    threads = [threading.Thread(target=work, args=(w,)) for w in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) + len(lost) == 80
    assert store.annotation(state.id).version == 1 + len(won)
    assert len(History(store).of_annotation(state.id)) == 1 + len(won)


def dump(settings: Settings) -> dict[str, list[Any]]:
    """Return every row of every table, without sessions."""
    store = Store(settings.database_url)
    with store.reading() as db:
        kept = [table for table in metadata.sorted_tables if table not in (sessions, tries)]
        found = {table.name: sorted(map(tuple, db.execute(sa.select(table))), key=repr) for table in kept}
    store.close()
    return found
