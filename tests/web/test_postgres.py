"""The store in PostgreSQL: the same behaviour as in SQLite, also with two servers on one database."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the workbench needs the extra web")

import sqlalchemy as sa
from fastapi.testclient import TestClient

from caesura.model import Hierarchy, Segmentation
from caesura.web.app import create_app
from caesura.web.settings import Settings
from caesura.web.store import Store
from postgres_server import postgres_url
from web_server import Server
from web_store import KINDS, check_that_it_comes_back, check_that_many_writers_lose_nothing

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server_url() -> Iterator[str]:
    with postgres_url() as url:
        yield url


@pytest.fixture
def url(server_url: str) -> Iterator[str]:
    """An address whose tables are our own: a schema that goes away with the test."""
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
def test_what_went_in_comes_out(store: Store, marks: Segmentation | Hierarchy) -> None:
    check_that_it_comes_back(store, marks)


def test_many_writers_lose_nothing(store: Store) -> None:
    check_that_many_writers_lose_nothing(store)


def test_from_project_to_export(url: str) -> None:
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
        assert client.delete(f"/api/projects/{project}").status_code == 204
        assert client.get("/api/projects").json() == []
        assert client.get(f"/api/items/{item}").status_code == 404


def test_two_servers_on_one_database(url: str) -> None:
    servers = [Server(Path("unused")), Server(Path("unused"))]
    for each in servers:
        each.database = url  # type: ignore[assignment]
    try:
        servers[0].start()
        servers[1].start()
        with servers[0].client() as client:
            project = client.post("/api/projects", json={"name": "p"}).json()["id"]
            body = {"item": "i", "coder": "x", "text": " ".join(f"w{n}" for n in range(100))}
            client.post(f"/api/projects/{project}/text", json=body).raise_for_status()
            item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
            gold = client.post(f"/api/items/{item}/annotations", json={"copy_of": 1}).json()["id"]

        def edit(number: int) -> list[int]:
            done = []
            with servers[number % 2].client() as client:
                for position in range(1 + number * 5, 6 + number * 5):
                    while True:
                        version = client.get(f"/api/annotations/{gold}").json()["version"]
                        change = {"version": version, "operation": {"kind": "add", "position": position}}
                        if (status := client.patch(f"/api/annotations/{gold}", json=change).status_code) == 200:
                            done.append(position)
                            break
                        assert status == 409
            return done

        with ThreadPoolExecutor(6) as pool:
            acknowledged = sorted(position for done in pool.map(edit, range(6)) for position in done)
        for each in servers:
            with each.client() as client:
                assert client.get(f"/api/annotations/{gold}").json()["marks"]["positions"] == acknowledged
                assert client.get(f"/api/items/{item}").json()["annotations"][-1]["version"] == 31
    finally:
        for each in servers:
            if each.process is not None:
                each.kill()
