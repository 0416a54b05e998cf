"""Security of the server: hosts, origins, tokens, limits, malformed requests, connections and damaged databases."""

from __future__ import annotations

import json
import re
import socket
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
import uvicorn
from fastapi.testclient import TestClient

from caesura.errors import CaesuraError
from caesura.formats import write
from caesura.model import Annotation, Corpus, Segmentation
from caesura_workbench import store, throttling
from caesura_workbench.app import create_app
from caesura_workbench.connections import bounded_protocol
from caesura_workbench.imports import read_upload
from caesura_workbench.middleware import SECURITY_HEADERS
from caesura_workbench.settings import Limits, Settings
from caesura_workbench.throttling import LoginThrottle, TokenThrottle
from web_server import Server

EVIL = "<script>alert(1)</script>"
BIDI = "\u202eevil\u202c"


def test_unknown_host_is_rejected(client: TestClient) -> None:
    assert client.get("/api/projects", headers={"Host": "evil.example"}).status_code == 421


@pytest.mark.parametrize(
    "headers", [{"X-CSRF-Token": ""}, {"X-CSRF-Token": "0" * 64}, {"Origin": "http://evil.example"}, {"Origin": "null"}]
)
def test_cross_site_requests_are_rejected(client: TestClient, headers: dict[str, str]) -> None:
    assert client.post("/api/projects", json={"name": "x"}, headers=headers).status_code == 403
    assert client.get("/api/projects").json() == []


def test_pages_allow_only_own_scripts(client: TestClient, project: int) -> None:
    item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
    for path in ("/", f"/projects/{project}", f"/items/{item}", "/login"):
        answer = client.get(path)
        policy = answer.headers["content-security-policy"]
        assert "script-src 'self';" in policy
        assert "default-src 'none'" in policy
        assert "<script>" not in answer.text
        assert " onclick" not in answer.text
        assert "http://" not in answer.text
        assert "https://" not in answer.text


def test_forms_never_submit_into_the_url() -> None:
    """A form without a method would put a password into the URL if it is submitted before its script runs."""
    templates = Path(create_app.__code__.co_filename).parent / "templates"
    forms = [form for page in templates.iterdir() for form in re.findall(r"<form\b[^>]*>", page.read_text("utf-8"))]
    assert len(forms) > 10
    assert [form for form in forms if 'method="dialog"' not in form and "action=" not in form] == []


def test_names_are_escaped_everywhere(client: TestClient) -> None:
    number = client.post("/api/projects", json={"name": EVIL}).json()["id"]
    for coder in (EVIL, "two"):
        text = f"a {EVIL + BIDI} | b {'x' * 9000}"
        pasted = client.post(f"/api/projects/{number}/text", json={"item": EVIL, "coder": coder, "text": text})
        assert pasted.status_code == 201, pasted.text
    item = client.get(f"/api/projects/{number}").json()["items"][0]["id"]
    for path in ("/", f"/projects/{number}", f"/items/{item}"):
        assert EVIL not in client.get(path).text, path
    ids = [a["id"] for a in client.get(f"/api/items/{item}").json()["annotations"]]
    picture = client.post(f"/api/items/{item}/compare", json={"annotations": ids}).json()["pictures"][0]["svg"]
    assert "<script" not in picture


@pytest.mark.parametrize("character", ["\0", "\n", "\x7f", "\u200b", "\u2028", BIDI])
def test_names_have_no_invisible_characters(client: TestClient, project: int, character: str, tmp_path: Path) -> None:
    """A database refuses some of them, and others show a name as what it is not; texts may contain all but a zero character."""
    item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
    name = f"a{character}b"
    schema = client.get(f"/api/projects/{project}/schema").json()
    types = {**schema["schema"], "types": [{"name": name, "number": 1, "key": "1"}]}
    for method, address, body in (
        ("POST", "/api/projects", {"name": name}),
        ("PUT", f"/api/items/{item}/name", {"name": name}),
        ("POST", f"/api/projects/{project}/text", {"item": name, "text": "One. Two.", "unit": "sentence"}),
        ("POST", f"/api/projects/{project}/text", {"item": "i", "text": "One. | Two.", "coder": name}),
        ("POST", f"/api/items/{item}/annotations", {"coder": name, "empty": True}),
        ("POST", f"/api/items/{item}/comments", {"text": "x", "author": name}),
        ("PUT", f"/api/projects/{project}/schema", {"version": schema["version"], "schema": types}),
    ):
        answer = client.request(method, address, json=body)
        assert answer.status_code in (400, 422), (address, answer.text)
        assert f"names cannot contain the character U+{ord(character[0]):04X}." in answer.json()["error"]
    path = tmp_path / "named.json"
    marks = Segmentation.from_masses([2, 3])
    write(Corpus.from_annotations([Annotation("i", name, marks)]), path, "caesura-json")
    refused = client.post(f"/api/projects/{project}/files", files={"files": ("named.json", path.read_bytes())})
    assert refused.status_code == 400
    assert refused.json()["error"].startswith(f"the coder {name!r} has a name that cannot be used: names cannot")
    remark = client.post(f"/api/items/{item}/comments", json={"text": name})
    assert remark.status_code == (422 if character == "\0" else 201), remark.text


def test_zero_characters_in_addresses_are_refused(client: TestClient, project: int) -> None:
    for address in (f"/api/projects/{project}/items?q=%00", f"/projects/{project}/compare?first=a%00"):
        answer = client.get(address)
        assert answer.status_code == 400, address
        assert answer.json()["error"] == "an address cannot contain the character U+0000."


def test_public_address_needs_a_token(tmp_path: Path) -> None:
    with pytest.raises(CaesuraError, match="set a token"):
        Settings(host="0.0.0.0")
    with pytest.raises(CaesuraError, match="too short"):
        Settings(host="0.0.0.0", token="short")
    settings = Settings(host="0.0.0.0", token="a long enough token", database=str(tmp_path / "x.sqlite"))
    with TestClient(create_app(settings)) as open_client:
        assert open_client.get("/api/projects").status_code == 401
        assert open_client.get("/").status_code == 401
        page = open_client.get("/login")
        assert page.status_code == 200
        csrf = page.text.split('name="csrf" content="')[1].split('"')[0]
        wrong = open_client.post("/login", data={"token": "x" * 20}, headers={"X-CSRF-Token": csrf})
        assert wrong.status_code == 401
        right = open_client.post("/login", data={"token": "a long enough token"}, headers={"X-CSRF-Token": csrf})
        assert right.status_code == 204
        assert "httponly" in right.headers["set-cookie"].lower()
        assert open_client.get("/api/projects").status_code == 200
        bearer = {"Authorization": "Bearer a long enough token"}
        open_client.cookies.clear()
        assert open_client.get("/api/projects", headers=bearer).status_code == 200


@pytest.mark.parametrize("wrong", ["x", "a long enough toke", "a long enough token ", "A LONG ENOUGH TOKEN", "tökèn"])
def test_wrong_tokens_are_rejected(tmp_path: Path, wrong: str) -> None:
    settings = Settings(host="0.0.0.0", token="a long enough token", database=str(tmp_path / "x.sqlite"))
    header = wrong.encode().decode("latin-1")  # as the bytes of a header arrive
    with TestClient(create_app(settings)) as client:
        for headers in (
            {"Authorization": f"Bearer {header}"},
            {"Authorization": f"Basic {settings.token}"},
            {"Cookie": f"caesura-token={header.replace(' ', '+')}"},
        ):
            encoded = {name: value.encode("latin-1") for name, value in headers.items()}
            assert client.get("/api/projects", headers=encoded).status_code == 401, headers
        assert client.get("/api/projects", headers={"Authorization": f"Bearer {settings.token}"}).status_code == 200


def test_requests_over_limits_are_rejected(client: TestClient, project: int) -> None:
    large = client.post(f"/api/projects/{project}/files", files=[("files", ("big.json", "x" * 300_000))])
    assert large.status_code == 413
    chunked = client.post(
        "/api/projects",
        content=iter([b'{"name": "', *[b"x" * 50_000] * 10]),
        headers={"Content-Type": "application/json"},
    )
    assert chunked.status_code in (400, 413)
    many = json.dumps({"segmentation_type": "linear", "items": {"i": {"x": [1] * 6_000}}})
    answer = client.post(f"/api/projects/{project}/files", files=[("files", ("many.json", many))])
    assert answer.status_code == 400
    assert "5999 boundaries; the limit is 5000" in answer.json()["error"]
    deep = client.post("/api/projects", content=b"[" * 50_000, headers={"Content-Type": "application/json"})
    assert deep.status_code in (400, 422)


BOMBS = {
    "bomb.zip": b"PK\x03\x04" + b"\0" * 100,
    "bomb.json.gz": b"\x1f\x8b" + b"\0" * 100,
    "deep.json": b'{"segmentation_type": "linear", "items": ' + b"[" * 20_000,
    "entities.xml": b'<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><ANNOTATION_DOCUMENT>&b;</ANNOTATION_DOCUMENT>',
    "entities.eaf": b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "a">]><ANNOTATION_DOCUMENT>&a;</ANNOTATION_DOCUMENT>',
    "empty.json": b"",
    "binary.txt": bytes(range(256)) * 4,
}


@pytest.mark.parametrize("name", BOMBS)
def test_decompression_bombs_are_rejected(name: str) -> None:
    with pytest.raises(CaesuraError) as caught:
        read_upload(f"../../{name}", BOMBS[name], Limits())
    assert "/tmp" not in str(caught.value)
    assert "upload." not in str(caught.value)
    assert name in str(caught.value)


def test_exports_contain_no_formulas(client: TestClient) -> None:
    number = client.post("/api/projects", json={"name": "=cmd|' /C calc'!A0"}).json()["id"]
    client.post(f"/api/projects/{number}/text", json={"item": "=1+1", "coder": "@x", "text": "a | b"})
    answer = client.get(f"/api/projects/{number}/export", params={"format": "csv", "lossy": True})
    assert answer.status_code == 200, answer.text
    assert "'=1+1" in answer.text
    assert "'@x" in answer.text
    assert re.match(r'attachment; filename="[A-Za-z0-9_-]+\.csv";', answer.headers["content-disposition"])


def test_start_errors_are_reported(tmp_path: Path) -> None:
    from cli.command import refused

    assert "set a token" in refused("serve", "--host", "0.0.0.0", "--database", tmp_path / "x.sqlite")
    assert "cannot open the database" in refused("serve", "--database", tmp_path / "no" / "x.sqlite")
    assert "expected 1 to 65535" in refused("serve", "--port", "0", "--database", tmp_path / "x.sqlite")


TOKEN = "ключ от мастерской"


def refused(answer: Any, status: int) -> str:
    """Return the error message of a response after checking its status and security headers."""
    assert answer.status_code == status, answer.text
    assert SECURITY_HEADERS.items() <= {name: answer.headers.get(name) for name in SECURITY_HEADERS}.items()
    return str(answer.json()["error"])


@pytest.fixture
def quiet_client(client: TestClient) -> Iterator[TestClient]:
    """A client that receives 500 responses instead of exceptions."""
    quiet = TestClient(client.app, base_url=client.base_url, raise_server_exceptions=False, headers=client.headers)
    yield quiet
    quiet.close()


def create_gold(client: TestClient, project: int) -> int:
    item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
    return int(client.post(f"/api/items/{item}/annotations", json={"coder": "gold"}).json()["id"])


# ---------------------------------------------------------------------- requests nobody writes by hand


@pytest.mark.parametrize(
    ("headers", "sentence"),
    [({"X-CSRF-Token": "tökèn".encode()}, "missing or expired"), ({"Origin": b"http://["}, "are not allowed")],
)
def test_invalid_headers_are_rejected(quiet_client: TestClient, headers: dict[str, bytes], sentence: str) -> None:
    assert sentence in refused(quiet_client.post("/api/projects", json={"name": "x"}, headers=headers), 403)


@pytest.mark.parametrize("path", ["/projects/99999999999999999999", "/items/99999999999999999999", "/items/x"])
def test_invalid_ids_return_404(quiet_client: TestClient, path: str) -> None:
    for prefix in ("", "/api"):
        assert refused(quiet_client.get(prefix + path), 404).startswith("there is no ")


@pytest.mark.parametrize("kind", [[], {}, 3, None])
def test_malformed_operations_are_rejected(quiet_client: TestClient, project: int, kind: object) -> None:
    gold = create_gold(quiet_client, project)
    change = {"version": 1, "operation": {"kind": kind, "position": 3}}
    assert "no such kind" in refused(quiet_client.patch(f"/api/annotations/{gold}", json=change), 422)


def test_unpaired_surrogates_are_rejected(quiet_client: TestClient, project: int) -> None:
    change = b'{"version": 1, "operation": {"kind": "\\ud800"}}'
    answer = quiet_client.patch(
        f"/api/annotations/{create_gold(quiet_client, project)}",
        content=change,
        headers={"Content-Type": "application/json"},
    )
    assert "unpaired surrogate" in refused(answer, 422)


def test_internal_errors_have_security_headers(quiet_client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a secret of the inside")

    monkeypatch.setattr(store.Store, "projects", fail)
    sentence = refused(quiet_client.get("/api/projects"), 500)
    assert "internal error" in sentence
    assert "secret" not in sentence


def test_chunked_upload_over_limit_returns_413(quiet_client: TestClient, project: int) -> None:
    pieces = [b'{"name": "', *[b"x" * 50_000] * 10]
    for path, kind in (
        ("/api/projects", "application/json"),
        (f"/api/projects/{project}/files", "multipart/form-data; boundary=x"),
    ):
        answer = quiet_client.post(path, content=iter(pieces), headers={"Content-Type": kind})
        assert "too large" in refused(answer, 413)


# ---------------------------------------------------------------------- tokens


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[TestClient]:
    app = create_app(Settings(host="0.0.0.0", token=TOKEN, database=str(tmp_path / "x.sqlite")))
    with TestClient(app, raise_server_exceptions=False) as outside:
        yield outside


def bearer(token: str) -> dict[str, bytes]:
    return {"Authorization": f"Bearer {token}".encode()}


def test_non_ascii_token_is_accepted(guarded: TestClient) -> None:
    csrf = guarded.get("/login").text.split('name="csrf" content="')[1].split('"')[0]
    refused(guarded.post("/login", data={"token": "tökèn"}, headers={"X-CSRF-Token": csrf}), 401)
    raw = {"X-CSRF-Token": csrf, "Content-Type": "application/x-www-form-urlencoded"}
    assert guarded.post("/login", content=b"token=%ed%b0%80", headers=raw).status_code in (400, 401, 422)
    assert guarded.get("/api/projects", headers=bearer(TOKEN)).status_code == 200
    answer = guarded.post("/login", data={"token": TOKEN}, headers={"X-CSRF-Token": csrf})
    assert answer.status_code == 204
    assert guarded.get("/api/projects").status_code == 200, "by the cookie"


def test_repeated_parameter_is_refused(client: TestClient, project: int) -> None:
    answer = client.get(f"/api/projects/{project}/items?limit=1000&limit=5")
    assert (answer.status_code, answer.json()) == (422, {"error": "'limit' is given more than once."})
    assert client.get(f"/api/projects/{project}/export?coder=ann&coder=ben").status_code == 200


def test_bearer_token_needs_its_scheme(guarded: TestClient) -> None:
    refused(guarded.get("/api/projects", headers={"Authorization": TOKEN.encode()}), 401)
    refused(guarded.get("/api/projects", headers={"Authorization": f"Basic {TOKEN}".encode()}), 401)
    assert guarded.get("/api/projects", headers={"Authorization": f"bearer {TOKEN}".encode()}).status_code == 200


def test_wrong_tokens_are_throttled(guarded: TestClient) -> None:
    answers = [guarded.get("/api/projects", headers=bearer(f"guess {n}")) for n in range(40)]
    assert [answer.status_code for answer in answers[:6]] == [401] * 6
    assert {answer.status_code for answer in answers[6:]} == {429}
    assert "too many wrong tokens; wait 1 s" in refused(answers[6], 429)
    assert answers[6].headers["retry-after"] == "1"
    refused(guarded.get("/api/projects", headers=bearer(TOKEN)), 429)
    csrf = guarded.get("/login").text.split('name="csrf" content="')[1].split('"')[0]
    refused(guarded.post("/login", data={"token": TOKEN}, headers={"X-CSRF-Token": csrf}), 429)


def test_throttle_delay_doubles_up_to_a_maximum() -> None:
    now = [0.0]
    tries = TokenThrottle(lambda: now[0])
    waited = []
    for _ in range(12):
        tries.record("10.0.0.1", right=False)
        waited.append(tries.seconds_to_wait("10.0.0.1"))
        now[0] += waited[-1]
        assert not tries.seconds_to_wait("10.0.0.1")
    assert waited == [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64]
    assert tries.seconds_to_wait("10.0.0.2") == 0
    tries.record("10.0.0.1", right=True)
    tries.record("10.0.0.1", right=False)
    assert tries.seconds_to_wait("10.0.0.1") == 0, "who was right begins anew"


def test_clock_that_is_set_back_keeps_nobody_out(client: TestClient) -> None:
    now = [2e9]
    tries = LoginThrottle(client.app.state.store, lambda: now[0])
    for _ in range(10):
        tries.record(False, "account ann")
    assert tries.seconds_to_wait("account ann") == 16
    now[0] -= 30  # another server, whose clock differs a little
    assert tries.seconds_to_wait("account ann") > 0
    now[0] -= 86_400 * 365
    assert tries.seconds_to_wait("account ann") == 0


def test_distributed_guessing_is_throttled_except_for_known_clients() -> None:
    now = [0.0]
    tries = TokenThrottle(lambda: now[0])
    tries.record("10.1.1.1", right=False)
    tries.record("10.1.1.1", right=True)
    for n in range(200):
        tries.record(f"2001:db8:{n:x}::1", right=False)
    assert tries.seconds_to_wait("10.9.9.9") == 60
    assert tries.seconds_to_wait("10.1.1.1") == 0
    now[0] = 61.0
    assert tries.seconds_to_wait("10.9.9.9") == 0
    for n in range(3 * throttling._MAX_CLIENTS):
        tries.record(f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}", right=False)
    assert len(tries._clients) == throttling._MAX_CLIENTS


# ---------------------------------------------------------------------- a store in trouble


def test_locked_database_returns_503(
    quiet_client: TestClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet_client.app.state.store.close()
    monkeypatch.setattr(store, "_BUSY_TIMEOUT", 10)
    with sqlite3.connect(settings.database, isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        sentence = refused(quiet_client.post("/api/projects", json={"name": "x"}), 503)
        assert "nothing was changed: database is locked" in sentence
        other.execute("ROLLBACK")
    other.close()
    assert quiet_client.post("/api/projects", json={"name": "x"}).status_code == 201


def test_full_disk_returns_503(quiet_client: TestClient, project: int) -> None:
    engine = quiet_client.app.state.store.engine
    with engine.connect() as db:
        pages = db.exec_driver_sql("PRAGMA page_count").scalar()
    engine.dispose()
    sa.event.listen(engine, "connect", lambda raw, _: raw.execute(f"PRAGMA max_page_count={pages}"))
    long = {"item": "long", "coder": "ann", "text": " ".join(f"word{n}" for n in range(9000))}
    assert "full" in refused(quiet_client.post(f"/api/projects/{project}/text", json=long), 503)
    assert [item["name"] for item in quiet_client.get(f"/api/projects/{project}").json()["items"]] == ["kubla"]


def test_damaged_database_is_read_only(settings: Settings, client: TestClient, project: int) -> None:
    gold = create_gold(client, project)
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
        assert "damaged and read-only" in sentence
        change = {"version": 1, "operation": {"kind": "add", "position": 3}}
        refused(harmed.patch(f"/api/annotations/{gold}", json=change), 503)
    assert Path(settings.database).read_bytes() == before


def test_damage_found_at_run_time_stops_changes(quiet_client: TestClient, project: int) -> None:
    with quiet_client.app.state.store.engine.begin() as db:
        db.exec_driver_sql("UPDATE revisions SET marks = substr(marks, 3) WHERE id = 1")
    item = quiet_client.get(f"/api/projects/{project}").json()["items"][0]["id"]
    assert "an annotation by 'ann' in the database is damaged" in refused(quiet_client.get(f"/api/items/{item}"), 503)
    assert refused(quiet_client.get(f"/api/projects/{project}/agreement"), 503)


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
def test_invalid_database_address_hides_password(address: str) -> None:
    with pytest.raises(CaesuraError, match="cannot open the database") as caught:
        store.Store(address)
    assert "topsecret" not in str(caught.value)
    assert "me:" not in str(caught.value)


SEATS = 6
HALVES = {
    "nothing": b"",
    "headers": b"GET /api/projects HTTP/1.1\r\nHost: loc",
    "body": b"POST /api/projects HTTP/1.1\r\nHost: %HOST%\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{",
}


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A server with short timeouts and few connections."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = int(free.getsockname()[1])
    limits = Limits(header_seconds=0.5, body_seconds=0.5, body_rate=10)
    settings = Settings(port=number, database=str(tmp_path_factory.mktemp("s") / "x.sqlite"), limits=limits)
    served = uvicorn.Server(
        uvicorn.Config(
            create_app(settings), port=number, http=bounded_protocol(limits, SEATS), log_level="error", backlog=8
        )
    )
    thread = threading.Thread(target=served.run, daemon=True)
    thread.start()
    while not served.started:
        time.sleep(0.01)
    yield number
    served.should_exit = True
    thread.join(10)


def connect(port: int, content: bytes) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", port), timeout=10)
    client.sendall(content.replace(b"%HOST%", f"127.0.0.1:{port}".encode()))
    return client


def read_all(client: socket.socket) -> str:
    """Read until the server closes the connection."""
    pieces = []
    while piece := client.recv(65536):
        pieces.append(piece)
    return b"".join(pieces).decode()


@pytest.mark.parametrize("half", HALVES)
def test_incomplete_request_is_closed_after_timeout(port: int, half: str) -> None:
    with connect(port, HALVES[half]) as client:
        start = time.monotonic()
        answer = read_all(client)
        assert 0.3 < time.monotonic() - start < 5
    assert answer.startswith(("HTTP/1.1 408", "HTTP/1.1 403"))  # a body without its header is refused before it is read
    for name, value in SECURITY_HEADERS.items():
        assert f"{name.lower()}: {value.lower()}" in answer.lower()


def test_incomplete_second_request_is_closed(port: int) -> None:
    whole = b"GET /favicon.ico HTTP/1.1\r\nHost: %HOST%\r\n\r\n"
    with connect(port, whole) as client:
        assert client.recv(65536).startswith(b"HTTP/1.1 200")
        client.sendall(b"GET /half")
        assert "HTTP/1.1 408" in read_all(client)


def test_slow_upload_extends_its_deadline(port: int) -> None:
    head = f"POST /login HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 40\r\n\r\n"
    csrf = httpx.get(f"http://127.0.0.1:{port}/api/session").json()["csrf"]
    head = head.replace("Content-Length", f"X-CSRF-Token: {csrf}\r\nContent-Type: application/json\r\nContent-Length")
    with connect(port, head.encode()) as client:
        for _ in range(4):  # 1.2 seconds, at more than ten bytes a second
            time.sleep(0.3)
            client.sendall(b"x" * 10)
        assert client.recv(65536).startswith(b"HTTP/1.1 422"), "taken whole, and then found to be no form"


def test_invalid_http_is_rejected_with_security_headers(port: int) -> None:
    with connect(port, b"\x16\x03\x01 tls?\r\n\r\n") as client:
        answer = read_all(client)
    assert answer.startswith("HTTP/1.1 400")
    assert "content-security-policy" in answer.lower()


def test_longest_idle_connection_is_closed_for_new_one(port: int) -> None:
    with ExitStack() as halves:
        first, *_ = [halves.enter_context(connect(port, HALVES["headers"])) for _ in range(SEATS)]
        assert httpx.get(f"http://127.0.0.1:{port}/api/projects", timeout=5).status_code == 200
        assert read_all(first).startswith("HTTP/1.1 503")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of descriptors")
def test_200_incomplete_requests_with_128_descriptors(tmp_path: Path) -> None:
    server = Server(tmp_path / "x.sqlite", descriptors=128).start()
    with ExitStack() as stack:
        stack.callback(server.kill)
        for _ in range(200):  # without waiting for each: the system makes them queue
            client = stack.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", server.port))
        start = time.monotonic()
        assert httpx.get(f"{server.address}/api/projects", timeout=8).status_code == 200
        assert time.monotonic() - start < 5
