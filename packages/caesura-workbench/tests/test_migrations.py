"""Databases of earlier versions are opened without loss, and those of later ones are refused."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa

from caesura.errors import CaesuraError
from caesura_workbench.exports import History
from caesura_workbench.migrations import MIGRATIONS
from caesura_workbench.rows import pack_marks
from caesura_workbench.schema import metadata, schema_version
from caesura_workbench.store import Store

FOLDER = Path(__file__).parent / "databases"


@pytest.mark.parametrize("version", ["0.1.0", "0.2.0"])
def test_database_of_an_earlier_version_is_migrated(version: str, tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript((FOLDER / f"{version}.sql").read_text(encoding="utf-8"))
    for _ in range(2):  # the second time nothing is left to do
        store = Store(f"sqlite:///{path}")
        with store.reading() as found:
            assert found.scalar(sa.select(schema_version.c.number)) == len(MIGRATIONS)
            inspector = sa.inspect(found)
            for table in metadata.sorted_tables:
                assert {c["name"] for c in inspector.get_columns(table.name)} == {c.name for c in table.columns}
                assert {i.name for i in table.indexes} <= {i["name"] for i in inspector.get_indexes(table.name)}
        (project,) = store.projects()
        assert project["name"] == "poems"
        (item,) = store.items(project["id"])
        states = {state.coder: state for state in store.annotations(item.id)}
        assert (states["ann"].role, states["ann"].brought) == ("coder", True)
        assert (states["gold"].role, states["gold"].brought) == ("gold", False)
        assert states["gold"].marks.positions.tolist() == [1, 2]
        assert len(History(store).of_annotation(states["gold"].id)) == 2
        assert store.comments(item.id)[0]["text"] == "why here?"
        store.close()
    store = Store(f"sqlite:///{path}")
    undone = store.undo(states["gold"].id, states["gold"].version)
    assert undone.marks.positions.tolist() == [2]
    store.close()


@pytest.mark.parametrize("name", ["0.1.0", "0.2.0", "0.2.0-campaign"])
def test_nothing_is_lost_by_a_migration(name: str, tmp_path: Path) -> None:
    """Every row of every table is there with the values it had, and every annotation can be read."""
    path = tmp_path / "old.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript((FOLDER / f"{name}.sql").read_text(encoding="utf-8"))
        tables = [table for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        before = {}
        for table in tables:
            columns = ", ".join(f'"{row[1]}"' for row in db.execute(f"PRAGMA table_info({table})"))
            query = f"SELECT {columns} FROM {table} ORDER BY 1, 2"
            before[query] = db.execute(query).fetchall()
    store = Store(f"sqlite:///{path}")
    states = [
        state
        for project in store.projects()
        for item in store.items(project["id"])
        for state in store.annotations(item.id)
    ]
    store.close()
    with sqlite3.connect(path) as db:
        assert {query: db.execute(query).fetchall() for query in before} == before
        marks = dict(db.execute("SELECT annotations.id, marks FROM annotations JOIN revisions ON revisions.id = head"))
    assert {state.id: json.loads(pack_marks(state.marks)) for state in states} == {
        number: json.loads(packed) for number, packed in marks.items()
    }


def test_database_of_a_later_version_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/new.sqlite"
    store = Store(url)
    with store.writing() as db:
        db.execute(schema_version.update().values(number=len(MIGRATIONS) + 1))
    store.close()
    with pytest.raises(CaesuraError, match="made by a later version of Caesura"):
        Store(url)


def test_failed_migration_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "old.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript((FOLDER / "0.1.0.sql").read_text(encoding="utf-8"))
    before = list(sqlite3.connect(path).iterdump())

    def fail(db: sa.Connection) -> None:
        raise CaesuraError("no luck.")

    monkeypatch.setattr("caesura_workbench.migrations.MIGRATIONS", (*MIGRATIONS, fail))
    with pytest.raises(CaesuraError, match="no luck"):
        Store(f"sqlite:///{path}")
    assert list(sqlite3.connect(path).iterdump()) == before
