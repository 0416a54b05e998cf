"""Who may talk to the workbench, and what it takes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from caesura.errors import CaesuraError
from caesura.web.app import create_app
from caesura.web.settings import Limits, Settings
from caesura.web.uploads import read_upload

EVIL = "<script>alert(1)</script>"
BIDI = "\u202eevil\u202c"


def test_another_host_is_refused(client: TestClient) -> None:
    assert client.get("/api/projects", headers={"Host": "evil.example"}).status_code == 421


@pytest.mark.parametrize(
    "headers", [{"X-CSRF-Token": ""}, {"X-CSRF-Token": "0" * 64}, {"Origin": "http://evil.example"}, {"Origin": "null"}]
)
def test_another_site_cannot_change_anything(client: TestClient, headers: dict[str, str]) -> None:
    assert client.post("/api/projects", json={"name": "x"}, headers=headers).status_code == 403
    assert client.get("/api/projects").json() == []


def test_pages_allow_no_foreign_script(client: TestClient, project: int) -> None:
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


def test_no_form_goes_into_the_address_before_its_script_is_there() -> None:
    """A form without a method is sent as an address, password and all, where it is sent before its script listens."""
    templates = Path(create_app.__code__.co_filename).parent / "templates"
    forms = [form for page in templates.iterdir() for form in re.findall(r"<form\b[^>]*>", page.read_text("utf-8"))]
    assert len(forms) > 10
    assert [form for form in forms if 'method="dialog"' not in form and "action=" not in form] == []


def test_names_are_text_everywhere(client: TestClient) -> None:
    name = EVIL + BIDI
    number = client.post("/api/projects", json={"name": name}).json()["id"]
    client.post(
        f"/api/projects/{number}/text", json={"item": name, "coder": EVIL, "text": f"a {EVIL} | b {'x' * 9000}"}
    )
    client.post(
        f"/api/projects/{number}/text", json={"item": name, "coder": "two", "text": f"a | {EVIL} b {'x' * 9000}"}
    )
    item = client.get(f"/api/projects/{number}").json()["items"][0]["id"]
    for path in ("/", f"/projects/{number}", f"/items/{item}"):
        assert EVIL not in client.get(path).text, path
    ids = [a["id"] for a in client.get(f"/api/items/{item}").json()["annotations"]]
    picture = client.post(f"/api/items/{item}/compare", json={"annotations": ids}).json()["pictures"][0]["svg"]
    assert "<script" not in picture


def test_another_address_demands_a_token(tmp_path: Path) -> None:
    with pytest.raises(CaesuraError, match="give a token"):
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
def test_only_the_token_itself_opens(tmp_path: Path, wrong: str) -> None:
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


def test_too_much_is_refused(client: TestClient, project: int) -> None:
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
    assert "5999 boundaries; up to 5000" in answer.json()["error"]
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
def test_bombs_are_refused_in_a_sentence(name: str) -> None:
    with pytest.raises(CaesuraError) as caught:
        read_upload(f"../../{name}", BOMBS[name], Limits())
    assert "/tmp" not in str(caught.value)
    assert "upload." not in str(caught.value)
    assert name in str(caught.value)


def test_exports_are_safe_in_a_spreadsheet(client: TestClient) -> None:
    number = client.post("/api/projects", json={"name": "=cmd|' /C calc'!A0"}).json()["id"]
    client.post(f"/api/projects/{number}/text", json={"item": "=1+1", "coder": "@x", "text": "a | b"})
    answer = client.get(f"/api/projects/{number}/export", params={"format": "csv", "lossy": True})
    assert answer.status_code == 200, answer.text
    assert "'=1+1" in answer.text
    assert "'@x" in answer.text
    assert re.match(r'attachment; filename="[A-Za-z0-9_-]+\.csv";', answer.headers["content-disposition"])


def test_the_server_says_when_it_cannot_start(tmp_path: Path) -> None:
    from cli.command import refused

    assert "give a token" in refused("serve", "--host", "0.0.0.0", "--database", tmp_path / "x.sqlite")
    assert "cannot be opened" in refused("serve", "--database", tmp_path / "no" / "x.sqlite")
    assert "expected 1 to 65535" in refused("serve", "--port", "0", "--database", tmp_path / "x.sqlite")
