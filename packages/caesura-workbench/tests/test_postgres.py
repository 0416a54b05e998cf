"""The store in PostgreSQL behaves as in SQLite, also with two servers on one database."""

from __future__ import annotations

import io
import secrets
import wave
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="the workbench needs the extra web")

import sqlalchemy as sa
from fastapi.testclient import TestClient

from caesura.model import Hierarchy, Segmentation
from caesura_workbench.app import create_app
from caesura_workbench.backups import back_up, restore
from caesura_workbench.schema import changes
from caesura_workbench.settings import Settings
from caesura_workbench.store import Store
from postgres_server import postgres_url
from web_server import Server
from web_store import KINDS, check_concurrent_writers, check_round_trip, dump

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server_url() -> Iterator[str]:
    with postgres_url() as url:
        yield url


@pytest.fixture
def url(server_url: str) -> Iterator[str]:
    """Yield the address of a temporary schema."""
    name = f"caesura_{secrets.token_hex(6)}"
    engine = sa.create_engine(server_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as db:
        db.execute(sa.schema.CreateSchema(name))
    yield (
        sa.make_url(server_url)
        .update_query_dict({"options": f"-csearch_path={name}"})
        .render_as_string(hide_password=False)
    )
    with engine.connect() as db:
        db.execute(sa.schema.DropSchema(name, cascade=True))
    engine.dispose()


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    made = Store(url)
    yield made
    made.close()


@pytest.mark.parametrize("marks", KINDS)
def test_postgres_round_trips_every_kind(store: Store, marks: Segmentation | Hierarchy) -> None:
    check_round_trip(store, marks)


def test_concurrent_writers_lose_no_changes(store: Store) -> None:
    check_concurrent_writers(store)


def test_reader_of_the_feed_misses_no_change_of_concurrent_writers(store: Store) -> None:
    project = store.add_project("p")
    item = store.add_text(project, "i", ("a", "b"))

    def write(_: int) -> None:
        for _ in range(10):
            store.add_comment(item, "x")

    seen: list[int] = []

    def read() -> None:
        last = seen[-1] if seen else 0
        query = sa.select(changes.c.id).where(changes.c.project == project, changes.c.id > last).order_by(changes.c.id)
        with store.reading() as db:
            seen.extend(db.scalars(query))

    with ThreadPoolExecutor(8) as pool:
        writing = [pool.submit(write, n) for n in range(8)]
        while not all(each.done() for each in writing):
            read()
    read()
    with store.reading() as db:
        written = db.scalars(sa.select(changes.c.id).where(changes.c.project == project).order_by(changes.c.id)).all()
    assert seen == written
    assert len(seen) == 82


def test_postgres_project_is_annotated_and_exported(url: str) -> None:
    settings = Settings(database=url)
    with TestClient(create_app(settings), base_url=f"http://127.0.0.1:{settings.port}") as client:
        client.headers["X-CSRF-Token"] = client.get("/api/session").json()["csrf"]
        project = client.post("/api/projects", json={"name": "poems"}).json()["id"]
        assert client.post("/api/projects", json={"name": "poems"}).status_code == 400
        for coder, text in (("ann", "so twice | five miles"), ("ben", "so twice five | miles")):
            body = {"item": "kubla", "coder": coder, "text": text}
            assert client.post(f"/api/projects/{project}/text", json=body).status_code == 201
        item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
        gold = client.post(f"/api/items/{item}/annotations", json={"method": "best-annotator"}).json()
        move = {"version": 1, "operation": {"kind": "move", "position": 2, "to": 1}}
        assert client.patch(f"/api/annotations/{gold['id']}", json=move).json()["marks"]["positions"] == [1]
        stale = client.patch(f"/api/annotations/{gold['id']}", json=move)
        assert stale.status_code == 409
        assert stale.json()["current"]["marks"]["positions"] == [1]
        undone = client.post(f"/api/annotations/{gold['id']}/undo", json={"version": 2}).json()
        assert (undone["marks"]["positions"], undone["can_redo"]) == ([2], True)
        tag = client.get(f"/api/items/{item}").headers["etag"]
        assert client.get(f"/api/items/{item}", headers={"If-None-Match": tag}).status_code == 304
        client.post(f"/api/items/{item}/comments", json={"text": "why?", "position": 2})
        assert client.get(f"/api/items/{item}", headers={"If-None-Match": tag}).json()["comments"][0]["text"] == "why?"
        exported = client.get(f"/api/projects/{project}/export", params={"coder": "gold"})
        assert "unified by best-annotator: ann, ben; 2 changes" in exported.text
        counted = client.get(f"/api/projects/{project}/counts").json()
        assert (counted["items"], counted["annotations"], counted["states"]["done"]) == (1, 3, 1)
        feed = client.get(f"/api/projects/{project}/changes").json()["changes"]
        assert [each["what"] for each in feed].count("annotation.changed") == 2
        assert client.delete(f"/api/projects/{project}").status_code == 204
        assert client.get("/api/projects").json() == []
        assert client.get(f"/api/items/{item}").status_code == 404


@pytest.fixture
def two(url: str, tmp_path: Path) -> Iterator[list[Server]]:
    """Start two servers on one database and one folder of recordings."""
    servers = [Server(Path("unused"), "--recordings", str(tmp_path / "sound")) for _ in range(2)]
    for each in servers:
        each.database = url  # type: ignore[assignment]
    try:
        yield [each.start() for each in servers]
    finally:
        for each in servers:
            if each.process is not None:
                each.kill()


def test_two_servers_on_one_database(two: list[Server]) -> None:
    """Many clients edit through both servers: each change is made or rejected with the current state, and none is lost."""
    with two[0].client() as client:
        project = client.post("/api/projects", json={"name": "p"}).json()["id"]
        body = {"item": "i", "coder": "x", "text": " ".join(f"w{n}" for n in range(100))}
        client.post(f"/api/projects/{project}/text", json=body).raise_for_status()
        item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
        gold = client.post(f"/api/items/{item}/annotations", json={"copy_of": 1}).json()["id"]

    def edit(number: int) -> tuple[list[int], int]:
        done, refused = [], 0
        with two[number % 2].client() as client:
            for position in range(1 + number * 5, 6 + number * 5):
                while True:
                    version = client.get(f"/api/annotations/{gold}").json()["version"]
                    change = {"version": version, "operation": {"kind": "add", "position": position}}
                    answer = client.patch(f"/api/annotations/{gold}", json=change)
                    if answer.status_code == 200:
                        done.append(position)
                        break
                    assert answer.status_code == 409
                    assert answer.json()["current"]["version"] > version
                    refused += 1
        return done, refused

    with ThreadPoolExecutor(6) as pool:
        told = list(pool.map(edit, range(6)))
    acknowledged = sorted(position for done, _ in told for position in done)
    assert sum(refused for _, refused in told) > 0, "nobody met anybody: this says nothing"
    tags = set()
    for each in two:
        with each.client() as client:
            assert client.get(f"/api/annotations/{gold}").json()["marks"]["positions"] == acknowledged
            answer = client.get(f"/api/items/{item}")
            assert answer.json()["annotations"][-1]["version"] == 31
            tags.add(answer.headers["etag"])
            assert len(client.get(f"/api/annotations/{gold}/history").json()) == 31
    assert len(tags) == 1, "what one has told, the other knows to be unchanged"


def test_two_servers_share_people_and_recordings(two: list[Server]) -> None:
    """Sessions are valid on both servers, wrong passwords are counted together, and both serve recordings."""
    secret = "open sesame, please"
    with two[0].client() as owner:
        project = owner.post("/api/projects", json={"name": "p"}).json()["id"]
        owner.post("/api/people", json={"name": "mira", "password": secret}).raise_for_status()
        cookie = {"caesura-session": owner.cookies["caesura-session"]}
        token = owner.get("/api/session").json()["csrf"]
    with two[1].visitor() as there:
        there.cookies.update(cookie)
        there.headers["X-CSRF-Token"] = token  # of a page that the other one made
        assert there.get("/api/me").json()["name"] == "mira"
        assert there.post("/api/people", json={"name": "ann"}).status_code == 201
        play(two, there, project)
        assert there.post("/logout").status_code == 204
    with two[0].visitor() as here:
        here.cookies.update(cookie)
        assert here.get("/api/me").status_code == 401, "the session ended for both"
    names = ["mira", "mira", "mira", "mira", "mira", "mira\0"]  # the last is no name that PostgreSQL looks for
    assert [log_in(two[turn % 2], name, "wrong, every time") for turn, name in enumerate(names)] == [401] * 6
    assert [log_in(each, "mira", secret) for each in two] == [429, 429], "three wrong ones each, six together"


def log_in(server: Server, name: str, password: str) -> int:
    with server.visitor() as visitor:
        csrf = visitor.get("/login").text.split('name="csrf" content="')[1].split('"')[0]
        form = {"name": name, "password": password}
        return int(visitor.post("/login", data=form, headers={"X-CSRF-Token": csrf}).status_code)


def play(two: list[Server], client: Any, project: int) -> None:
    """A recording uploaded to one server is played on the other."""
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(range(256)) * 100)
    address = f"/api/projects/{project}/recordings?name=talk.wav"
    answer = client.post(address, content=file.getvalue())
    if answer.status_code == 400 and "soundfile" in answer.text:
        return  # without the extra sound there are no recordings
    assert answer.status_code == 201, answer.text
    (item,) = answer.json()["items"]
    with two[0].visitor() as other:
        other.cookies.update(client.cookies)
        assert other.get(f"/api/items/{item}/recording/sound").content == file.getvalue()
        assert other.get(f"/api/items/{item}/recording/waves/3/0").content


def test_a_backup_moves_between_sqlite_and_postgres(url: str, settings: Settings, project: int, tmp_path: Path) -> None:
    """The rows are the same afterwards, and new rows get numbers that are still free."""
    back_up(settings, tmp_path / "sqlite.zip")
    elsewhere = Settings(database=url, recordings=str(tmp_path / "sound"))
    restore(elsewhere, tmp_path / "sqlite.zip")
    assert dump(elsewhere) == dump(settings)
    with TestClient(create_app(elsewhere), base_url=f"http://127.0.0.1:{elsewhere.port}") as client:
        client.headers["X-CSRF-Token"] = client.get("/api/session").json()["csrf"]
        item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
        made = client.post(f"/api/items/{item}/annotations", json={"coder": "new"})
        assert made.status_code in (200, 201), made.text
        assert client.post("/api/projects", json={"name": "another"}).status_code in (200, 201)
    back_up(elsewhere, tmp_path / "postgres.zip")
    again = Settings(database=str(tmp_path / "again.sqlite"))
    restore(again, tmp_path / "postgres.zip")
    assert dump(again) == dump(elsewhere)
