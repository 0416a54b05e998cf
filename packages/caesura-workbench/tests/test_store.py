from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the workbench needs the extra web")

from caesura.errors import CaesuraError
from caesura.model import Corpus, Hierarchy, Segmentation
from caesura_workbench.exports import History
from caesura_workbench.locks import FairLock
from caesura_workbench.rows import AnnotationState, NotFound, VersionConflict
from caesura_workbench.store import Store
from web_store import KINDS, check_concurrent_writers, check_round_trip


@pytest.fixture
def store(tmp_path: Path):
    made = Store(f"sqlite:///{tmp_path / 'store.sqlite'}")
    yield made
    made.close()


def corpus() -> Corpus:
    return Corpus.from_annotations(
        [
            ("kubla", "ann", Segmentation.parse("so twice | five miles of fertile ground")),
            ("kubla", "ben", Segmentation.parse("so twice five | miles of fertile ground")),
            ("dream", "ann", Segmentation.from_masses([2, 2])),
        ],
        attributes={"kubla": {"genre": "poem"}},
    )


def editable_copy(store: Store, project: int) -> AnnotationState:
    """Create an editable copy of ann's annotation."""
    ann, *_ = store.annotations(store.items(project)[0].id)
    return store.add_annotation(ann.item, "gold", ann.marks, origin="copy of ann")


def test_corpus_round_trips(store: Store) -> None:
    project = store.add_project("poems")
    assert len(store.add_corpus(project, corpus(), origin="test").annotations) == 3
    assert store.corpus(project) == corpus()
    assert [p["annotations"] for p in store.projects()] == [3]


@pytest.mark.parametrize("marks", KINDS)
def test_every_kind_round_trips(store: Store, marks: Segmentation | Hierarchy) -> None:
    check_round_trip(store, marks)


def test_undo_and_redo_with_branches(store: Store) -> None:
    project = store.add_project("p")
    store.add_corpus(project, corpus(), origin="test")
    state = editable_copy(store, project)
    assert (state.version, state.can_undo, state.can_redo) == (1, False, False)
    one = store.change(state.id, 1, Segmentation.from_masses([3, 4]), operation={"kind": "move"})
    two = store.change(state.id, 2, Segmentation.from_masses([4, 3]), operation={"kind": "move"})
    back = store.undo(state.id, two.version)
    assert back.marks.masses == [3, 4]
    assert back.version == 4, "undo is a change like any other"
    assert back.can_redo
    assert store.redo(state.id, 4).marks.masses == [4, 3]
    store.undo(state.id, 5)
    store.undo(state.id, 6)
    with pytest.raises(CaesuraError, match="nothing to undo"):
        store.undo(state.id, 7)
    branched = store.change(state.id, 7, Segmentation.from_masses([1, 6]), operation={"kind": "move"})
    assert not branched.can_redo
    assert len(History(store).of_annotation(state.id)) == 4
    assert one.marks.units == ("so", "twice", "five", "miles", "of", "fertile", "ground")


def test_redo_follows_latest_branch(store: Store) -> None:
    project = store.add_project("p")
    store.add_corpus(project, corpus(), origin="test")
    state = editable_copy(store, project)
    for number, masses in enumerate(([3, 4], [4, 3], [1, 6])):  # three branches from one start
        changed = store.change(state.id, 1 + 2 * number, Segmentation.from_masses(masses), operation={"kind": "move"})
        back = store.undo(state.id, changed.version)
        assert back.can_redo
    last = store.redo(state.id, back.version)
    assert last.marks.masses == [1, 6]
    assert not last.can_redo


def test_stale_version_is_rejected(store: Store) -> None:
    project = store.add_project("p")
    store.add_corpus(project, corpus(), origin="test")
    state = editable_copy(store, project)
    store.change(state.id, 1, Segmentation.from_masses([3, 4]), operation={"kind": "move"})
    with pytest.raises(VersionConflict, match="at version 2, your change was based on version 1") as caught:
        store.change(state.id, 1, Segmentation.from_masses([6, 1]), operation={"kind": "move"})
    assert caught.value.current.marks.masses == [3, 4]


def test_concurrent_writers_lose_no_changes(store: Store) -> None:
    check_concurrent_writers(store)


def test_writers_take_turns() -> None:
    """Who releases the lock and asks for it again, as an import does, lets those go first who waited."""
    lock, order = FairLock(), []

    def work(name: str) -> None:
        with lock:
            order.append(name)

    with lock:
        waiting = []
        for name in "abc":
            waiting.append(threading.Thread(target=work, args=name))
            waiting[-1].start()
            while len(lock._waiting) < len(waiting):
                time.sleep(0.001)
    work("again")
    for thread in waiting:
        thread.join(10)
    assert order == ["a", "b", "c", "again"]
    work("and free afterwards")


def test_failed_import_adds_nothing(store: Store) -> None:
    project = store.add_project("p")
    store.add_corpus(project, Corpus.from_dict({"a": {"x": [2, 2]}}), origin="test")
    clash = Corpus.from_dict({"new": {"x": [3]}, "a": {"x": [1, 3]}})
    with pytest.raises(CaesuraError, match="'x' already has an annotation of item 'a'"):
        store.add_corpus(project, clash, origin="test")
    assert [item.name for item in store.items(project)] == ["a"]
    with pytest.raises(CaesuraError, match="item 'a' has 4 units in this project, but the new annotation has 5 units"):
        store.add_corpus(project, Corpus.from_dict({"a": {"y": [5]}}), origin="test")


def test_missing_rows_return_not_found(store: Store, tmp_path: Path) -> None:
    for call in (
        lambda: store.project_name(9),
        lambda: store.item(9),
        lambda: store.annotation(9),
        lambda: store.corpus(9),
    ):
        with pytest.raises(NotFound, match="there is no"):
            call()
    store.add_project("p")
    with pytest.raises(CaesuraError, match="the project name 'p' is taken"):
        store.add_project("p")
    with pytest.raises(CaesuraError, match="cannot open the database"):
        Store(f"sqlite:///{tmp_path}/no/such/folder/x.sqlite")


def test_erasing_a_project_erases_its_content(store: Store) -> None:
    project = store.add_project("p")
    store.add_corpus(project, corpus(), origin="test")
    item = store.items(project)[0].id
    store.add_comment(item, "hm", position=3.0, author="eve")
    assert store.comments(item)[0]["text"] == "hm"
    store.erase_project(project)
    assert store.projects() == []
    assert store.comments(item) == []
