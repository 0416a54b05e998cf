"""Programs: tokens with scopes, signing in by a script, and the Python client from a new project to its export."""

from __future__ import annotations

import json
import re
import threading
import urllib.parse
import urllib.request
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import pytest

from caesura.formats import read
from caesura_workbench import client
from caesura_workbench.client import Workbench, WorkbenchError
from web_server import Server

PASSWORD = "a long password"


@pytest.fixture
def accounts(tmp_path: Path) -> Iterator[Server]:
    """A server with one account, a manager."""
    served = Server(tmp_path / "store.sqlite").start()
    Workbench(served.address).request("POST", "/api/people", {"name": "mira", "manager": True, "password": PASSWORD})
    yield served
    served.kill()


class Script:
    """Signs in as the documentation says: POST /login, then the cookie and the token of /api/session."""

    def __init__(self, address: str, **fields: str) -> None:
        self.address = address.rstrip("/")
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        data = urllib.parse.urlencode(fields).encode()
        assert self._opener.open(f"{self.address}/login", data).status == 204
        self._csrf = json.load(self._opener.open(f"{self.address}/api/session"))["csrf"]

    def post(self, path: str, body: Any) -> Any:
        return self.send("POST", path, body)

    def send(self, method: str, path: str, body: Any) -> Any:
        headers = {"X-CSRF-Token": self._csrf, "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.address}{path}", json.dumps(body).encode(), headers, method=method)
        with self._opener.open(request) as answer:
            content = answer.read()
        return json.loads(content) if content else None


def test_script_signs_in_and_tokens_have_scopes(accounts: Server) -> None:
    script = Script(accounts.address, name="mira", password=PASSWORD)
    made = {
        scope: script.post("/api/me/tokens", {"name": scope, "scopes": [scope]})["token"]
        for scope in ("read", "annotate", "manage")
    }
    reader, manager = (Workbench(accounts.address, made[scope]) for scope in ("read", "manage"))
    assert reader.projects() == []
    with pytest.raises(WorkbenchError, match="the scope manage is needed to create a project") as refused:
        reader.create_project("p")
    assert refused.value.status == 403
    with pytest.raises(WorkbenchError, match="the scope read is needed"):
        manager.projects()
    project = manager.request("POST", "/api/projects", {"name": "p"})["id"]
    text = {"item": "t", "text": "One two. Three.", "unit": "word"}
    item = manager.request("POST", f"/api/projects/{project}/text", text)["item"]
    worker = Workbench(accounts.address, made["annotate"])
    assert worker.request("POST", f"/api/items/{item}/annotations", {"empty": True})["version"] == 1
    with pytest.raises(WorkbenchError, match="tokens do not allow this; do it in the browser"):
        manager.request("POST", "/api/me/tokens", {"name": "more", "scopes": ["read"]})
    listed = reader.request("GET", "/api/me/tokens")
    assert [each["name"] for each in listed] == ["manage", "annotate", "read"]
    assert "token" not in listed[0]
    assert listed[2]["used"] is not None
    manager.request("DELETE", f"/api/me/tokens/{listed[2]['id']}")
    with pytest.raises(WorkbenchError) as gone:
        reader.projects()
    assert gone.value.status == 401
    with pytest.raises(WorkbenchError):
        Workbench(accounts.address, "caesura_wrong").projects()


def test_client_from_a_new_project_to_its_export(accounts: Server, tmp_path: Path) -> None:
    script = Script(accounts.address, name="mira", password=PASSWORD)
    token = script.post("/api/me/tokens", {"name": "pipeline", "scopes": ["read", "manage"], "days": 1})["token"]
    bench = Workbench(accounts.address, token)
    project = bench.create_project("Interviews", {"types": [{"name": "Topic", "key": "1"}], "open_types": False})
    files = []
    for n in range(3):
        files.append(tmp_path / f"t{n}.txt")
        files[-1].write_text(f"First sentence {n}. Second one. Third.\n", encoding="utf-8")
    (result,) = project.upload(files, unit="sentence")
    assert (result["texts"], result["faults"]) == (3, [])
    link = project.add_person("ann")["link"]
    assert link.startswith(f"{accounts.address}/enter#"), "as it is sent to ann"
    with pytest.raises(WorkbenchError, match="nothing is assigned in the project 'Interviews'; call assign"):
        project.wait_until_done(60)
    assert project.assign() == 3
    assert [each["state"] for each in project.items()] == ["open"] * 3
    annotator = Script(accounts.address, link=link.partition("#")[2])

    def work() -> None:
        for each in project.items():
            annotation = annotator.post(f"/api/items/{each['id']}/annotations", {"empty": True})
            operation = {"kind": "add", "position": 1, "type": "Topic"}
            annotator.send("PATCH", f"/api/annotations/{annotation['id']}", {"version": 1, "operation": operation})
            annotator.send("PUT", f"/api/items/{each['id']}/status", {"status": "done"})

    thread = threading.Thread(target=work)
    thread.start()
    counts = project.wait_until_done(60)
    thread.join()
    assert counts["tasks"]["done"] == 3
    done = [each for each in project.changes() if each["what"] == "status"]
    assert [each["author"] for each in done] == ["ann"] * 3
    path = project.export(tmp_path / "out.json")
    corpus = read(path)
    assert (len(corpus), corpus.coders, corpus.labels) == (3, ("ann",), ("Topic",))
    assert project.formats()[0]["text"] == "keeps everything"
    assert bench.project("Interviews") == project
    with pytest.raises(WorkbenchError, match="there is no project 'x'; there are: Interviews"):
        bench.project("x")
    with pytest.raises(WorkbenchError, match="No such file"):
        project.upload([tmp_path / "missing.txt"])


def test_unreachable_server_is_said_in_a_sentence() -> None:
    for url in ("http://127.0.0.1:9", "nowhere", "http://a b"):
        with pytest.raises(WorkbenchError, match=f"cannot reach {re.escape(url)}: "):
            Workbench(url).projects()


def test_client_waits_while_the_server_is_restarted(tmp_path: Path) -> None:
    """Also without accounts, where a restarted server expects another CSRF token."""
    served = Server(tmp_path / "store.sqlite").start()
    project = Workbench(served.address).create_project("p")
    feed = project.changes(after=project.counts()["last"], wait=5)
    seen: list[Any] = []
    follower = threading.Thread(target=lambda: seen.append(next(feed)))
    follower.start()
    served.kill()
    served.start()
    project.bench.request("POST", f"/api/projects/{project.id}/text", {"item": "t", "text": "a b", "unit": "word"})
    follower.join(30)
    served.kill()
    assert [each["what"] for each in seen] == ["item.added"]


def test_client_uploads_many_parts_and_names_what_failed(
    accounts: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More parts than a person may have jobs, files of one name in two folders, and a file that cannot be read."""
    monkeypatch.setattr(client, "_FILES_AT_ONCE", 2)
    script = Script(accounts.address, name="mira", password=PASSWORD)
    token = script.post("/api/me/tokens", {"name": "pipeline", "scopes": ["read", "manage"]})["token"]
    bench = Workbench(accounts.address, token)
    with pytest.raises(WorkbenchError, match="kinds"):
        bench.create_project("many", {"kinds": ["nothing"]})
    project = bench.create_project("many")  # what could not be created is gone
    files = [tmp_path / folder / "talk.txt" for folder in "ab"] + [tmp_path / f"{n}.txt" for n in range(12)]
    for file in files:
        file.parent.mkdir(exist_ok=True)
        file.write_text("One. Two.", encoding="utf-8")
    files[-1].write_bytes("Käse".encode("latin-1"))
    with pytest.warns(UserWarning, match=r"1 file could not be imported: 11\.txt, line 1: this is not UTF-8 text"):
        results = project.upload(files, unit="sentence")
    assert sum(result["texts"] for result in results) == 13
    assert [item["name"] for item in project.items()][:3] == ["a/talk", "b/talk", "0"]
