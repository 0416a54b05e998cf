"""A workbench to talk to: in this process for the API, as a process of its own for browsers and kills."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the workbench needs the extra web")

from fastapi.testclient import TestClient

from caesura.web.app import create_app
from caesura.web.settings import Limits, Settings
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


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = Server(tmp_path / "store.sqlite").start()
    yield made
    made.kill()
