"""Backups hold everything, are made while the server works, and come back whole or not at all."""

from __future__ import annotations

import json
import os
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient

from caesura.errors import CaesuraError, FormatError
from caesura_workbench.__main__ import program
from caesura_workbench.backups import back_up, restore
from caesura_workbench.settings import Settings
from web_people import SampleWorkbench, bench, use_fast_passwords
from web_store import dump


@pytest.fixture
def campaign(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[SampleWorkbench]:
    use_fast_passwords(monkeypatch)
    with bench(settings, {"ann": "annotator", "judy": "adjudicator"}) as made:
        mira, ann, (one, _) = made["mira"], made["ann"], made.items
        mira.put(f"/api/projects/{made.project}/guidelines", json={"text": "Cut at **topics**.", "seen": None})
        mira.put(f"/api/items/{one}/assignees", json={"people": [made.numbers["ann"]]})
        state = ann.post(f"/api/items/{one}/annotations", json={"empty": True}).json()
        ann.patch(f"/api/annotations/{state['id']}", json={"version": 1, "operation": {"kind": "add", "position": 2}})
        ann.post(f"/api/items/{one}/comments", json={"text": "why? \u05d0", "position": 2})
        folder = settings.sound_folder
        (folder / "ab").mkdir(parents=True)
        (folder / "ab" / "cd.wav").write_bytes(os.urandom(3_000_000))
        (folder / ".partial").write_bytes(b"being written")
        yield made


def test_everything_comes_back(settings: Settings, campaign: SampleWorkbench, tmp_path: Path) -> None:
    archive = tmp_path / "all.zip"
    counts = back_up(settings, archive)
    assert (counts["people"], counts["items"], counts["comments"], counts["recording files"]) == (3, 2, 1, 1)
    assert archive.stat().st_mode & 0o077 == 0, "it has password hashes in it"
    again = Settings(database=str(tmp_path / "again.sqlite"))
    assert restore(again, archive) == counts
    assert dump(again) == dump(settings)
    assert [p.name for p in again.sound_folder.rglob("*") if p.is_file()] == ["cd.wav"]
    assert (again.sound_folder / "ab" / "cd.wav").read_bytes() == (settings.sound_folder / "ab" / "cd.wav").read_bytes()
    with pytest.raises(CaesuraError, match="is not empty; restore into a new one"):
        restore(again, archive)
    with pytest.raises(FormatError, match="the file exists"):
        back_up(settings, archive)


def test_backup_of_a_busy_server_is_consistent(
    client: TestClient, settings: Settings, project: int, tmp_path: Path
) -> None:
    """While an annotation is changed all the time: every head is a revision of the archive, and versions agree."""
    item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
    state = client.post(f"/api/items/{item}/annotations", json={"coder": "gold"}).json()
    stop = threading.Event()

    def work() -> None:
        version = state["version"]
        while not stop.is_set():
            way = {"kind": "delete" if version % 2 == 0 else "add", "position": 5}
            done = client.patch(f"/api/annotations/{state['id']}", json={"version": version, "operation": way})
            version = done.json()["version"] if done.status_code == 200 else version + 1

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for number in range(3):
            back_up(settings, tmp_path / f"{number}.zip")
    finally:
        stop.set()
        thread.join()
    for number in range(3):
        again = Settings(database=str(tmp_path / f"again{number}.sqlite"))
        restore(again, tmp_path / f"{number}.zip")
        rows = dump(again)
        revisions = {row[0] for row in rows["revisions"]}
        assert all(row[3] in revisions for row in rows["annotations"])


def test_damaged_backups_are_refused_and_nothing_is_written(settings: Settings, project: int, tmp_path: Path) -> None:
    archive = tmp_path / "all.zip"
    back_up(settings, archive)
    with zipfile.ZipFile(archive) as stored:
        content = {name: stored.read(name) for name in stored.namelist()}

    def rewritten(**changes: bytes | None) -> Path:
        path = tmp_path / "changed.zip"
        with zipfile.ZipFile(path, "w") as target:
            for name, data in {**content, **changes}.items():
                if data is not None:
                    target.writestr(name, data)
        return path

    about = json.loads(content["manifest.json"])
    later = json.dumps({**about, "schema": 99}).encode()
    cases = {
        "is wrong": rewritten(**{"tables/items.jsonl": b"{}\n"}),
    }
    target = Settings(database=str(tmp_path / "again.sqlite"))
    for sentence, path in cases.items():
        with pytest.raises(FormatError, match=sentence):
            restore(target, path)
    with pytest.raises(FormatError, match="does not have the files"):
        restore(target, rewritten(**{"tables/items.jsonl": None}))
    with pytest.raises(FormatError, match="later version"):
        restore(target, rewritten(**{"manifest.json": later}))
    with pytest.raises(FormatError, match="not a backup"):
        restore(target, rewritten(**{"manifest.json": b"[]"}))
    (tmp_path / "no.zip").write_bytes(b"PK nothing")
    with pytest.raises(FormatError, match="not a backup"):
        restore(target, tmp_path / "no.zip")
    assert not (tmp_path / "again.sqlite").exists()


def test_commands(settings: Settings, project: int, tmp_path: Path) -> None:
    runner, archive = CliRunner(), str(tmp_path / "all.zip")
    done = runner.invoke(program, ["backup", archive, "--database", settings.database])
    assert done.exit_code == 0, done.output
    assert "1 projects" in done.output
    done = runner.invoke(program, ["restore", archive, "--database", str(tmp_path / "again.sqlite")])
    assert done.exit_code == 0, done.output
    missing = runner.invoke(program, ["backup", str(tmp_path / "x.zip"), "--database", str(tmp_path / "none.sqlite")])
    assert isinstance(missing.exception, CaesuraError)
