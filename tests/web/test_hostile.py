"""Requests that nobody means well: each gets its status, a sentence, and the security headers."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the workbench needs the extra web")

import sqlalchemy as sa
from fastapi.testclient import TestClient

from caesura.errors import CaesuraError
from caesura.web import embedded, guesses, store
from caesura.web.app import create_app
from caesura.web.guesses import Guesses
from caesura.web.security import SECURITY_HEADERS
from caesura.web.settings import Settings

TOKEN = "ключ от мастерской"


def refused(answer: Any, status: int) -> str:
    """The sentence of an answer that must have this status, and the headers that all have."""
    assert answer.status_code == status, answer.text
    assert SECURITY_HEADERS.items() <= {name: answer.headers.get(name) for name in SECURITY_HEADERS}.items()
    return str(answer.json()["error"])


@pytest.fixture
def calm(client: TestClient) -> Iterator[TestClient]:
    """A client that is shown what a browser would be shown, also where the server fails."""
    quiet = TestClient(client.app, base_url=client.base_url, raise_server_exceptions=False, headers=client.headers)
    yield quiet
    quiet.close()


def the_gold(client: TestClient, project: int) -> int:
    item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
    return int(client.post(f"/api/items/{item}/annotations", json={"coder": "gold"}).json()["id"])


# ---------------------------------------------------------------------- requests nobody writes by hand


@pytest.mark.parametrize(
    ("headers", "sentence"),
    [({"X-CSRF-Token": "tökèn".encode()}, "missing or old"), ({"Origin": b"http://["}, "are not taken here")],
)
def test_odd_headers(calm: TestClient, headers: dict[str, bytes], sentence: str) -> None:
    assert sentence in refused(calm.post("/api/projects", json={"name": "x"}, headers=headers), 403)


@pytest.mark.parametrize("path", ["/projects/99999999999999999999", "/items/99999999999999999999", "/items/x"])
def test_numbers_of_nothing(calm: TestClient, path: str) -> None:
    for prefix in ("", "/api"):
        assert refused(calm.get(prefix + path), 404).startswith("there is no ")


@pytest.mark.parametrize("kind", [[], {}, 3, None])
def test_odd_operations(calm: TestClient, project: int, kind: object) -> None:
    gold = the_gold(calm, project)
    change = {"version": 1, "operation": {"kind": kind, "position": 3}}
    assert "no operation" in refused(calm.patch(f"/api/annotations/{gold}", json=change), 400)


def test_half_a_character(calm: TestClient, project: int) -> None:
    change = b'{"version": 1, "operation": {"kind": "\\ud800"}}'
    answer = calm.patch(
        f"/api/annotations/{the_gold(calm, project)}", content=change, headers={"Content-Type": "application/json"}
    )
    assert "half of a surrogate pair" in refused(answer, 422)


def test_what_fails_inside_is_answered_with_headers_too(calm: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a secret of the inside")

    monkeypatch.setattr(store.Store, "projects", fail)
    sentence = refused(calm.get("/api/projects"), 500)
    assert "the workbench failed" in sentence
    assert "secret" not in sentence


def test_a_chunked_upload_over_the_limit_is_too_large(calm: TestClient, project: int) -> None:
    pieces = [b'{"name": "', *[b"x" * 50_000] * 10]
    for path, kind in (
        ("/api/projects", "application/json"),
        (f"/api/projects/{project}/files", "multipart/form-data; boundary=x"),
    ):
        answer = calm.post(path, content=iter(pieces), headers={"Content-Type": kind})
        assert "too large" in refused(answer, 413)


# ---------------------------------------------------------------------- tokens


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[TestClient]:
    app = create_app(Settings(host="0.0.0.0", token=TOKEN, database=str(tmp_path / "x.sqlite")))
    with TestClient(app, raise_server_exceptions=False) as outside:
        yield outside


def bearer(token: str) -> dict[str, bytes]:
    return {"Authorization": f"Bearer {token}".encode()}


def test_a_token_of_other_letters_opens(guarded: TestClient) -> None:
    csrf = guarded.get("/login").text.split('name="csrf" content="')[1].split('"')[0]
    refused(guarded.post("/login", data={"token": "tökèn"}, headers={"X-CSRF-Token": csrf}), 401)
    raw = {"X-CSRF-Token": csrf, "Content-Type": "application/x-www-form-urlencoded"}
    assert guarded.post("/login", content=b"token=%ed%b0%80", headers=raw).status_code in (400, 401, 422)
    assert guarded.get("/api/projects", headers=bearer(TOKEN)).status_code == 200
    answer = guarded.post("/login", data={"token": TOKEN}, headers={"X-CSRF-Token": csrf})
    assert answer.status_code == 204
    assert guarded.get("/api/projects").status_code == 200, "by the cookie"


def test_a_token_needs_its_scheme(guarded: TestClient) -> None:
    refused(guarded.get("/api/projects", headers={"Authorization": TOKEN.encode()}), 401)
    refused(guarded.get("/api/projects", headers={"Authorization": f"Basic {TOKEN}".encode()}), 401)
    assert guarded.get("/api/projects", headers={"Authorization": f"bearer {TOKEN}".encode()}).status_code == 200


def test_guessing_is_slowed(guarded: TestClient) -> None:
    answers = [guarded.get("/api/projects", headers=bearer(f"guess {n}")) for n in range(40)]
    assert [answer.status_code for answer in answers[:6]] == [401] * 6
    assert {answer.status_code for answer in answers[6:]} == {429}
    assert "too many wrong tokens; wait 1 s" in refused(answers[6], 429)
    assert answers[6].headers["retry-after"] == "1"
    refused(guarded.get("/api/projects", headers=bearer(TOKEN)), 429)
    csrf = guarded.get("/login").text.split('name="csrf" content="')[1].split('"')[0]
    refused(guarded.post("/login", data={"token": TOKEN}, headers={"X-CSRF-Token": csrf}), 429)


def test_waiting_doubles_and_ends() -> None:
    now = [0.0]
    tries = Guesses(lambda: now[0])
    waited = []
    for _ in range(12):
        tries.note("10.0.0.1", right=False)
        waited.append(tries.seconds_to_wait("10.0.0.1"))
        now[0] += waited[-1]
        assert not tries.seconds_to_wait("10.0.0.1")
    assert waited == [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64]
    assert tries.seconds_to_wait("10.0.0.2") == 0
    tries.note("10.0.0.1", right=True)
    tries.note("10.0.0.1", right=False)
    assert tries.seconds_to_wait("10.0.0.1") == 0, "who was right begins anew"


def test_many_clients_together_are_slowed_and_nobody_who_was_right() -> None:
    now = [0.0]
    tries = Guesses(lambda: now[0])
    tries.note("10.1.1.1", right=False)
    tries.note("10.1.1.1", right=True)
    for n in range(200):
        tries.note(f"2001:db8:{n:x}::1", right=False)
    assert tries.seconds_to_wait("10.9.9.9") == 60
    assert tries.seconds_to_wait("10.1.1.1") == 0
    now[0] = 61.0
    assert tries.seconds_to_wait("10.9.9.9") == 0
    for n in range(3 * guesses._CLIENTS):
        tries.note(f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}", right=False)
    assert len(tries._clients) == guesses._CLIENTS


# ---------------------------------------------------------------------- a store in trouble


def test_a_locked_store_says_so(calm: TestClient, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    calm.app.state.store.close()
    monkeypatch.setattr(embedded, "_PATIENCE", 10)
    with sqlite3.connect(settings.database, isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        sentence = refused(calm.post("/api/projects", json={"name": "x"}), 503)
        assert "nothing was changed: database is locked" in sentence
        other.execute("ROLLBACK")
    other.close()
    assert calm.post("/api/projects", json={"name": "x"}).status_code == 201


def test_a_full_store_says_so(calm: TestClient, project: int) -> None:
    engine = calm.app.state.store.engine
    with engine.connect() as db:
        pages = db.exec_driver_sql("PRAGMA page_count").scalar()
    engine.dispose()
    sa.event.listen(engine, "connect", lambda raw, _: raw.execute(f"PRAGMA max_page_count={pages}"))
    long = {"item": "long", "coder": "ann", "text": " ".join(f"word{n}" for n in range(9000))}
    assert "full" in refused(calm.post(f"/api/projects/{project}/text", json=long), 503)
    assert [item["name"] for item in calm.get(f"/api/projects/{project}").json()["items"]] == ["kubla"]


def test_a_damaged_store_takes_no_changes(settings: Settings, client: TestClient, project: int) -> None:
    gold = the_gold(client, project)
    client.app.state.store.close()
    other = sqlite3.connect(settings.database)
    other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    named = "SELECT rootpage FROM sqlite_master WHERE tbl_name IN ('projects', 'items', 'annotations', 'revisions')"
    harmed_pages = [number for (number,) in other.execute(named) if number]
    other.close()
    content = bytearray(Path(settings.database).read_bytes())
    page = int.from_bytes(content[16:18], "big")
    for start in ((number - 1) * page for number in harmed_pages):  # the schema stays whole, and so does who may look
        content[start : start + 40] = b"\xff" * 40
    Path(settings.database).write_bytes(content)
    with TestClient(create_app(settings), base_url=client.base_url, raise_server_exceptions=False) as harmed:
        harmed.headers["X-CSRF-Token"] = harmed.get("/api/session").json()["csrf"]
        before = Path(settings.database).read_bytes()
        sentence = refused(harmed.post("/api/projects", json={"name": "new"}), 503)
        assert "damaged and takes no changes" in sentence
        change = {"version": 1, "operation": {"kind": "add", "position": 3}}
        refused(harmed.patch(f"/api/annotations/{gold}", json=change), 503)
    assert Path(settings.database).read_bytes() == before


def test_damage_found_on_the_way_stops_changes(calm: TestClient, project: int) -> None:
    with calm.app.state.store.engine.begin() as db:
        db.exec_driver_sql("UPDATE revisions SET marks = substr(marks, 3) WHERE id = 1")
    item = calm.get(f"/api/projects/{project}").json()["items"][0]["id"]
    assert "an annotation of 'ann' in the store is damaged" in refused(calm.get(f"/api/items/{item}"), 503)
    assert refused(calm.get(f"/api/projects/{project}/agreement"), 503)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:top@secret:word/x",
        "postgresql://me:topsecret@db:word/x",
        "no-such://me:topsecret@db/x",
        "://topsecret",
        "sqlite:///me:topsecret@db/no/such/folder",
        "no-such://db/x?password=topsecret",
        "no-such://me:top?topsecret@db/x",
    ],
)
def test_an_odd_address_of_a_store_shows_no_password(address: str) -> None:
    with pytest.raises(CaesuraError, match="cannot be opened") as caught:
        store.Store(address)
    assert "topsecret" not in str(caught.value)
    assert "me:" not in str(caught.value)
