"""Fixtures: the application in this process for API tests, and a server process for browser tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the workbench needs the extra web")

from fastapi.testclient import TestClient
from pydantic import TypeAdapter

from caesura_workbench.app import create_app
from caesura_workbench.response_cache import ResponseCache
from caesura_workbench.settings import Limits, Settings
from chromium import Chromium
from web_server import Server


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(database=str(tmp_path / "bench.sqlite"), limits=Limits(upload_bytes=200_000, boundaries=5_000))


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings), base_url=f"http://127.0.0.1:{settings.port}") as made:
        made.headers["X-CSRF-Token"] = made.get("/api/session").json()["csrf"]
        yield made


@pytest.fixture
def project(client: TestClient) -> int:
    """A project of three coders on one poem and three on one article."""
    number = client.post("/api/projects", json={"name": "poems"}).json()["id"]
    for coder, text in (
        ("ann", "so twice | five miles of fertile ground | with walls and towers were girdled round"),
        ("ben", "so twice five | miles of fertile ground | with walls and towers were girdled round"),
        ("eve", "so twice five miles of fertile ground | with walls | and towers were girdled round"),
    ):
        answer = client.post(f"/api/projects/{number}/text", json={"item": "kubla", "coder": coder, "text": text})
        assert answer.status_code == 201, answer.text
    return number


@pytest.fixture(scope="session")
def started_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    served = Server(tmp_path_factory.mktemp("store") / "store.sqlite").start()
    yield served
    served.kill()


@pytest.fixture
def server(started_server: Server) -> Server:
    """A server with an empty database."""
    started_server.empty()
    return started_server


@pytest.fixture
def page(chromium: Chromium, server: Server) -> Iterator[Any]:
    """A browser page; the test fails on script errors and violations of the content security policy."""
    made = chromium.new_page(server.address)
    made.set_default_timeout(int(os.environ.get("CAESURA_BROWSER_TIMEOUT", "60000")))
    errors: list[str] = []
    made.on("pageerror", lambda error: errors.append(str(error)))
    made.on("console", lambda said: errors.append(said.text) if "Content Security Policy" in said.text else None)
    yield made
    assert not errors
    made.close()


@pytest.fixture(autouse=True)
def check_cached_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check every answer of the cache against the response model of its operation; FastAPI does so with all others."""
    respond = ResponseCache.respond

    def checked(self: ResponseCache, request: Any, stamp: str, build: Any) -> Any:
        answer = respond(self, request, stamp, build)
        if answer.status_code == 200:
            _adapter(request.scope["route"].response_model).validate_json(answer.body)
        return answer

    monkeypatch.setattr(ResponseCache, "respond", checked)


@lru_cache
def _adapter(model: Any) -> TypeAdapter[Any]:
    return TypeAdapter(model)
