"""A workbench with people in every role, each with a client."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from fastapi.testclient import TestClient

from caesura_workbench import people
from caesura_workbench.app import create_app
from caesura_workbench.settings import Settings

PASSWORD = "open sesame, please"
TEXT = "It was late. Mr. Blake slept. Nobody came. The moon stood still. A boat went by. Its lamp was out."

#: Values of parameters of addresses, besides project, item and annotation.
FILLED: dict[str, int | str] = {
    "revision": 1,
    "merge": 1,
    "person": 1,
    "level": 0,
    "tile": 0,
    "job": 1,
    "token": 1,
    "name": "de",
    "code": "de",
}


@dataclass
class SampleWorkbench:
    """The app, a project with two texts, and a client for everybody."""

    app: Any
    clients: dict[str, TestClient]
    numbers: dict[str, int]
    project: int
    items: list[int]

    def __getitem__(self, name: str) -> TestClient:
        return self.clients[name]


def new_client(app: Any) -> TestClient:
    return TestClient(app, base_url=f"http://127.0.0.1:{app.state.settings.port}")


def sign_in(client: TestClient, **how: str) -> int:
    """Sign in as the page does and return the status."""
    csrf = client.get("/login").text.split('name="csrf" content="')[1].split('"')[0]
    status = client.post("/login", data=how, headers={"X-CSRF-Token": csrf}).status_code
    if status == 204:
        client.headers["X-CSRF-Token"] = client.get("/api/session").json()["csrf"]
    return status


def use_fast_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    argon2 = pytest.importorskip("argon2", reason="passwords are argon2's")
    hasher = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(people, "_hasher", lambda: hasher)
    people._dummy_hash.cache_clear()


@contextmanager
def bench(settings: Settings, roles: dict[str, str | None]) -> Iterator[SampleWorkbench]:
    """Create a workbench managed by mira; the others sign in with personal links, with a role or none."""
    app = create_app(settings)
    with TestClient(app, base_url=f"http://127.0.0.1:{settings.port}") as mira:
        mira.headers["X-CSRF-Token"] = mira.get("/api/session").json()["csrf"]
        project = mira.post("/api/projects", json={"name": "stories"}).json()["id"]
        items = [
            mira.post(f"/api/projects/{project}/text", json={"item": f"story {n}", "text": TEXT, "unit": "sentence"})
            for n in (1, 2)
        ]
        first = mira.post("/api/people", json={"name": "mira", "password": PASSWORD})
        assert first.status_code == 201, first.text
        mira.headers["X-CSRF-Token"] = mira.get("/api/session").json()["csrf"]
        made = SampleWorkbench(
            app, {"mira": mira}, {"mira": first.json()["id"]}, project, [i.json()["item"] for i in items]
        )
        for name, role in roles.items():
            person = mira.post("/api/people", json={"name": name}).json()
            made.clients[name], made.numbers[name] = new_client(app), person["id"]
            assert sign_in(made[name], link=person["link"].split("#")[1]) == 204
            if role is not None:
                given = mira.put(f"/api/projects/{project}/members", json={"person": person["id"], "role": role})
                assert given.status_code == 200, given.text
        yield made
