"""The command ``caesura serve``, and the package as a plug-in: entry points, manifest, and no need for caesura-vowels."""

from __future__ import annotations

import socket
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from importlib.resources import files

import pytest

from cli.command import caesura, refused


def test_serve_opens_browser_by_default(monkeypatch) -> None:
    import webbrowser

    from caesura_workbench import serve

    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        serve._open_when_up(*listening.getsockname(), "http://here/")
    assert opened == ["http://here/"]
    assert "--no-browser" in caesura("serve", "--help").stdout


@pytest.mark.parametrize(
    "address", ["postgresql://me:top@secret@db:word/x", "me:secret@db/x", "no-such://db/x?password=secret"]
)
def test_serve_hides_password_of_bad_database_address(address: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    sentence = refused("serve", "--no-browser", "--port", port, "--database", address)
    assert "cannot open the database" in sentence
    assert "secret" not in sentence


def test_serve_rejects_port_in_use(tmp_path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        sentence = refused("serve", "--port", port, "--database", tmp_path / "p.sqlite")
        assert f"127.0.0.1:{port}" in sentence
        assert "--port" in sentence


def test_entry_points_load_and_match_manifest() -> None:
    manifest = tomllib.loads((files("caesura_workbench") / "caesura.toml").read_text())
    declared = {(section, name) for section, entries in manifest.items() for name in entries}
    registered = set()
    ours = [each for each in distribution("caesura-workbench").entry_points if each.group.startswith("caesura.")]
    for entry in ours:
        section = entry.group.removeprefix("caesura.")
        registered.add((section, entry.name))
        assert manifest[section][entry.name]["help"] == entry.load().__doc__.splitlines()[0]
    assert registered == declared


_WITHOUT_VOWELS = """
import sys
sys.modules["caesura_vowels"] = None  # importing it fails
from fastapi.testclient import TestClient
from caesura_workbench.app import create_app
from caesura_workbench.settings import Settings

settings = Settings(database=sys.argv[1])
with TestClient(create_app(settings), base_url=f"http://127.0.0.1:{settings.port}") as client:
    session = client.get("/api/session").json()
    client.headers["X-CSRF-Token"] = session["csrf"]
    assert session["restorers"] == {}, session["restorers"]
    project = client.post("/api/projects", json={"name": "samples", "samples": True}).json()["id"]
    assert client.get(f"/api/projects/{project}/agreement").status_code == 200
    text = {"item": "t", "text": "shalom olam", "unit": "word", "kind": "spans"}
    item = client.post(f"/api/projects/{project}/text", json=text).json()["item"]
    answer = client.post(f"/api/items/{item}/suggestions", json={"restorer": "hebrew"})
    assert (answer.status_code, "caesura[vowels]" in answer.json()["error"]) == (400, True), answer.text
"""


@pytest.mark.slow
def test_workbench_runs_without_vowels(tmp_path) -> None:
    command = [sys.executable, "-c", _WITHOUT_VOWELS, str(tmp_path / "p.sqlite")]
    done = subprocess.run(command, env={"CAESURA_DISABLE_PLUGINS": "1"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
