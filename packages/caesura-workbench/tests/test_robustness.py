"""Robustness: a killed server, many users at once, and generated requests."""

from __future__ import annotations

import io
import json
import threading
import time
import wave
import zipfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from cases import cases
from fuzz_api import fuzz, sample_bench
from web_load import run_load
from web_server import Server

httpx = pytest.importorskip("httpx", reason="tests of the workbench speak HTTP")


def editable(client: httpx.Client, units: int = 400) -> int:
    """Create a project with one long text and an editable annotation."""
    project = client.post("/api/projects", json={"name": "p"}).json()["id"]
    words = " ".join(f"w{i}" for i in range(units // 2))
    for coder in ("x", "y"):
        text = {"item": "i", "coder": coder, "text": f"{words} | {words}"}
        assert client.post(f"/api/projects/{project}/text", json=text).status_code == 201
    item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
    return client.post(f"/api/items/{item}/annotations", json={"coder": "gold"}).json()["id"]


class Work:
    """A client that edits until the server is killed and records acknowledged changes."""

    def __init__(self, server: Server, random: np.random.Generator) -> None:
        self.server, self.random, self.acknowledged = server, random, 0
        self.failure: AssertionError | None = None  # raised in the thread, reported by the test

    def run(self) -> None:
        with self.server.client() as client:
            while True:
                try:
                    self.act(client)
                except httpx.TransportError:
                    return
                except AssertionError as failure:
                    self.failure = failure
                    return
                self.acknowledged += 1

    def act(self, client: httpx.Client) -> None:
        raise NotImplementedError

    def check(self, client: httpx.Client) -> None:
        raise NotImplementedError


class Annotating(Work):
    def __init__(self, server: Server, random: np.random.Generator, gold: int) -> None:
        super().__init__(server, random)
        self.gold, self.state = gold, None

    def act(self, client: httpx.Client) -> None:
        state = self.state or client.get(f"/api/annotations/{self.gold}").json()
        free = set(range(1, 400)) - set(state["marks"]["positions"])
        operation = {"kind": "add", "position": int(self.random.choice(sorted(free)))}
        if len(free) < 300:
            operation = {"kind": "delete", "position": state["marks"]["positions"][0]}
        body = {"version": state["version"], "operation": operation}
        self.state = client.patch(f"/api/annotations/{self.gold}", json=body).json()

    def check(self, client: httpx.Client) -> None:
        if self.state is None:  # killed before the first edit of this round
            return
        kept = client.get(f"/api/annotations/{self.gold}").json()
        assert kept["version"] >= self.state["version"]
        if kept["version"] == self.state["version"]:
            assert kept["marks"] == self.state["marks"]
        self.state = None


class Importing(Work):
    """Import texts, zips and recordings under new names; acknowledged ones must exist, others must be complete or absent."""

    def __init__(self, server: Server, random: np.random.Generator, project: int, what: str) -> None:
        super().__init__(server, random)
        self.address, self.what, self.tried = f"/api/projects/{project}", what, 0
        self.added: dict[str, int] = {}

    def act(self, client: httpx.Client) -> None:
        self.tried += 1
        name = f"{self.what} {self.tried}"
        answer = getattr(self, f"upload_{self.what}")(client, name)
        assert answer.status_code == 201, answer.text
        made = answer.json().get("made", answer.json())
        self.added[name] = made["items"][0]

    def upload_text(self, client: httpx.Client, name: str) -> httpx.Response:
        return client.post(f"{self.address}/text", json={"item": name, "text": "One. Two. Three.", "unit": "sentence"})

    def upload_zip(self, client: httpx.Client, name: str) -> httpx.Response:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for coder in ("ann", "ben"):
                marks = {"segmentation_type": "linear", "items": {name: {coder: [3, 4]}}}
                archive.writestr(f"{coder}.json", json.dumps(marks))
        return client.post(f"{self.address}/files", files=[("files", ("both.zip", packed.getvalue()))])

    def upload_sound(self, client: httpx.Client, name: str) -> httpx.Response:
        return client.post(f"{self.address}/recordings", params={"name": f"{name}.wav"}, content=sound_of(self.tried))

    def check(self, client: httpx.Client) -> None:
        there = {each["name"]: each for each in client.get(self.address).json()["items"]}
        for name, item in self.added.items():
            assert there[name]["id"] == item
        for name, item in ((name, each) for name, each in there.items() if name.startswith(self.what)):
            if self.what == "zip":
                assert item["coders"] == ["ann", "ben"] or (item["coders"] == ["ann"] and name not in self.added)
            if self.what == "sound":
                heard = client.get(f"/api/items/{item['id']}/recording/sound")
                assert heard.content == sound_of(int(name.split()[1]))


class Exporting(Work):
    def __init__(self, server: Server, random: np.random.Generator, project: int) -> None:
        super().__init__(server, random)
        self.address = f"/api/projects/{project}/export?files=items&lossy=true"

    def act(self, client: httpx.Client) -> None:
        answer = client.get(self.address)
        assert answer.status_code == 200, answer.text
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            assert archive.testzip() is None, "what was sent is whole"
            assert "provenance.json" in archive.namelist()

    def check(self, client: httpx.Client) -> None:
        self.act(client)


def sound_of(number: int) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(np.random.default_rng(number).integers(-9000, 9000, 4000, np.int16).tobytes())
    return file.getvalue()


@pytest.mark.slow
def test_acknowledged_changes_survive_a_killed_server(tmp_path: Path, record_property) -> None:
    """Kill the server during edits, imports and exports."""
    server = Server(tmp_path / "store.sqlite").start()
    with server.client() as client:
        gold = editable(client)
        project = client.get("/api/projects").json()[0]["id"]
    random = np.random.default_rng(0)
    whats = ("text", "zip", "sound") if find_spec("soundfile") else ("text", "zip")
    importing = [Importing(server, random, project, what) for what in whats]
    working: list[Work] = [Annotating(server, random, gold), *importing, Exporting(server, random, project)]
    for kill in range(1, cases(3, 20) + 1):
        threads = [threading.Thread(target=each.run, daemon=True) for each in working]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + 60
        while min(each.acknowledged for each in working) < kill and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.15 * random.random())
        server.kill()
        for thread in threads:
            thread.join(30)
        server.start()
        with server.client() as client:
            for each in working:
                assert each.failure is None
                each.check(client)
    assert min(each.acknowledged for each in working) >= kill
    for each in working:
        record_property(f"{type(each).__name__} {getattr(each, 'what', '')}".strip(), each.acknowledged)
    server.kill()


@pytest.mark.slow
@pytest.mark.parametrize("one", [False, True], ids=["each their own annotation", "all one annotation"])
def test_load_of_200_readers_and_20_editors(server: Server, record_property, one: bool) -> None:
    with server.client() as client:
        first = editable(client, units=4000)
        item = client.get(f"/api/annotations/{first}").json()["item"]
        more = (
            [] if one else [client.post(f"/api/items/{item}/annotations", json={"coder": f"g{n}"}) for n in range(19)]
        )
        golds = [first, *(answer.json()["id"] for answer in more)]
        csrf = client.headers["X-CSRF-Token"]
    before = memory(server)
    found = run_load(server, item, [first] * 20 if one else golds, csrf, readers=200, seconds=5)
    assert len(found.done) >= 20
    with server.client() as client:
        for gold in golds:
            positions = client.get(f"/api/annotations/{gold}").json()["marks"]["positions"]
            assert {p for g, p in found.done if g == gold} <= set(positions), "every acknowledged boundary is there"
    p95 = float(np.quantile(found.reads + found.unchanged, 0.95))
    record_property("p95_seconds", p95)
    assert p95 < 2, f"seconds, of {len(found.reads) + len(found.unchanged)} reads; usual are 0.1 to 0.5"
    assert memory(server) < before + 300_000, "kilobytes: memory stays bounded"


def memory(server: Server) -> int:
    status = Path(f"/proc/{server.process.pid}/status")
    if not status.exists():
        pytest.skip("memory is read from /proc")
    return int(next(line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmRSS")))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "examples"), [("mira", cases(3, 15)), ("ann", cases(2, 8))])
def test_server_matches_openapi_description(tmp_path: Path, name: str, examples: int, record_property) -> None:
    """Generated requests for every operation get answers as described, and invalid ones are refused; fuzz_api.py sends more."""
    with sample_bench(tmp_path) as campaign:
        found = fuzz(campaign, name, examples, negative=name == "mira")
    record_property("requests", found.requests)
    assert not found.failures, found.messages
    assert found.operations > 90
    assert sum(many for status, many in found.statuses.items() if status < 300) > 40
