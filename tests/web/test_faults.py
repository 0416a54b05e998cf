"""Real faults: the server killed in the middle of edits, many users at once, and requests nobody would write by hand."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np
import pytest

from cases import cases
from web_load import loaded
from web_server import Server

httpx = pytest.importorskip("httpx", reason="tests of the workbench speak HTTP")


def editable(client: httpx.Client, units: int = 400) -> int:
    """A project with one long text, and an annotation of it to edit."""
    project = client.post("/api/projects", json={"name": "p"}).json()["id"]
    words = " ".join(f"w{i}" for i in range(units // 2))
    for coder in ("x", "y"):
        text = {"item": "i", "coder": coder, "text": f"{words} | {words}"}
        assert client.post(f"/api/projects/{project}/text", json=text).status_code == 201
    item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
    return client.post(f"/api/items/{item}/annotations", json={"coder": "gold"}).json()["id"]


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    server = Server(tmp_path / "store.sqlite").start()
    with server.client() as client:
        gold = editable(client)
    random = np.random.default_rng(0)
    for _ in range(cases(5, 20)):
        acknowledged = {"version": 0}
        with server.client() as client:

            def edit(client: httpx.Client = client, acknowledged: dict = acknowledged) -> None:
                state = client.get(f"/api/annotations/{gold}").json()
                while True:
                    free = set(range(1, 400)) - set(state["marks"]["positions"])
                    operation = {"kind": "add", "position": int(random.choice(sorted(free)))}
                    if len(free) < 300:
                        operation = {"kind": "delete", "position": state["marks"]["positions"][0]}
                    try:
                        answer = client.patch(
                            f"/api/annotations/{gold}", json={"version": state["version"], "operation": operation}
                        )
                    except httpx.TransportError:
                        return
                    state = answer.json()
                    acknowledged.update(state)

            editor = threading.Thread(target=edit, daemon=True)
            editor.start()
            deadline = time.monotonic() + 60
            while not acknowledged["version"] and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(0.15 * random.random())
            server.kill()
            editor.join(30)
        server.start()
        with server.client() as client:
            kept = client.get(f"/api/annotations/{gold}").json()
        assert kept["version"] >= acknowledged["version"] > 0
        if kept["version"] == acknowledged["version"]:
            assert kept["marks"] == acknowledged["marks"]
    server.kill()


@pytest.mark.slow
@pytest.mark.parametrize("one", [False, True], ids=["each their own annotation", "all one annotation"])
def test_two_hundred_readers_and_twenty_editors(server: Server, record_property, one: bool) -> None:
    with server.client() as client:
        first = editable(client, units=4000)
        item = client.get(f"/api/annotations/{first}").json()["item"]
        more = (
            [] if one else [client.post(f"/api/items/{item}/annotations", json={"coder": f"g{n}"}) for n in range(19)]
        )
        golds = [first, *(answer.json()["id"] for answer in more)]
        csrf = client.headers["X-CSRF-Token"]
    before = memory(server)
    found = loaded(server, item, [first] * 20 if one else golds, csrf, readers=200, seconds=5)
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
@pytest.mark.parametrize("name", ["mira", "ann"])
def test_the_description_and_the_server_agree(settings, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every operation with made-up requests, as a manager and as an annotator who sees little: refused or done, never broken."""
    schemathesis = pytest.importorskip("schemathesis", reason="fuzzing the API needs schemathesis")
    from hypothesis import HealthCheck, given
    from hypothesis import settings as limits

    from web_people import PASSWORD, bench, come_in, make_passwords_cheap

    make_passwords_cheap(monkeypatch)
    with bench(settings, {"ann": "annotator"}) as campaign:
        client = campaign[name]
        campaign["mira"].post(f"/api/projects/{campaign.project}/assignments", json={})
        headers = {
            "Host": f"127.0.0.1:{settings.port}",
            "Cookie": f"caesura-session={client.cookies['caesura-session']}",
        }
        schema = schemathesis.openapi.from_asgi("/openapi.json", campaign.app, headers=dict(headers))
        tried = 0
        for operation in schema.get_all_operations():
            if name == "mira" and client.get("/api/me").status_code == 401:  # a new link for oneself ends all sessions
                client.cookies.clear()
                assert come_in(client, name="mira", password=PASSWORD) == 204
            headers["Cookie"] = f"caesura-session={client.cookies['caesura-session']}"
            headers["X-CSRF-Token"] = client.headers["X-CSRF-Token"]

            @given(case=operation.ok().as_strategy())
            @limits(
                max_examples=cases(6, 15) if name == "mira" else cases(3, 8),
                deadline=None,
                suppress_health_check=list(HealthCheck),
                derandomize=True,
            )
            def never_breaks(case) -> None:
                nonlocal tried
                answer = case.call(headers=headers)
                assert answer.status_code < 500, (case.method, case.path, answer.text[:300])
                tried += 1

            never_breaks()
        assert tried > 100
