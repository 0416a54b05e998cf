"""Behind a TLS proxy: the client's address and scheme come from it, and from nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient
from starlette.datastructures import Headers

from caesura.errors import CaesuraError
from caesura_workbench.app import create_app
from caesura_workbench.middleware import follow_proxies
from caesura_workbench.settings import Settings
from web_people import PASSWORD, sign_in, use_fast_passwords

TOKEN = "a token of sixteen or more"


def seen(peer: str, forwarded: str | None, proxies: tuple[str, ...], proto: str = "https") -> tuple[bool, str, str]:
    headers = {"x-forwarded-proto": proto} | ({} if forwarded is None else {"x-forwarded-for": forwarded})
    scope = {"client": (peer, 1), "scheme": "http", "headers": [(k.encode(), v.encode()) for k, v in headers.items()]}
    settings = Settings(token=TOKEN, trusted_proxies=proxies)
    followed = follow_proxies(scope, Headers(scope=scope), settings)
    return followed, scope["client"][0], scope["scheme"]


@pytest.mark.parametrize(
    ("peer", "forwarded", "proxies", "expected"),
    [
        ("127.0.0.1", "203.0.113.9", ("127.0.0.1",), (True, "203.0.113.9", "https")),
        ("127.0.0.1", "1.1.1.1, 203.0.113.9", ("127.0.0.1",), (True, "203.0.113.9", "https")),
        ("10.0.0.3", "198.51.100.7, 10.0.0.2", ("10.0.0.0/8",), (True, "198.51.100.7", "https")),
        ("127.0.0.1", "2001:db8::5", ("127.0.0.1", "::1"), (True, "2001:db8::5", "https")),
        ("192.0.2.4", "203.0.113.9", ("127.0.0.1",), (False, "192.0.2.4", "http")),
        ("127.0.0.1", "203.0.113.9", (), (False, "127.0.0.1", "http")),
        ("127.0.0.1", None, ("127.0.0.1",), (False, "127.0.0.1", "http")),
        ("127.0.0.1", "10.0.0.1", ("127.0.0.1", "10.0.0.0/8"), (True, "10.0.0.1", "https")),
    ],
)
def test_address_is_the_last_one_that_no_proxy_has(
    peer: str, forwarded: str | None, proxies: tuple[str, ...], expected: tuple[bool, str, str]
) -> None:
    assert seen(peer, forwarded, proxies) == expected


def test_scheme_stays_unless_the_proxy_says_https() -> None:
    assert seen("127.0.0.1", "203.0.113.9", ("127.0.0.1",), "http")[2] == "http"


@pytest.fixture
def proxied(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    use_fast_passwords(monkeypatch)
    app = create_app(replace(settings, token=TOKEN, trusted_proxies=("127.0.0.1",)))
    headers = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"}
    with TestClient(app, base_url="https://annotate.example.org", client=("127.0.0.1", 9), headers=headers) as client:
        yield client


def test_cookies_are_secure_and_the_log_has_the_client(proxied: TestClient) -> None:
    assert sign_in(proxied, token=TOKEN) == 204
    proxied.headers["X-CSRF-Token"] = proxied.get("/api/session").json()["csrf"]
    made = proxied.post("/api/people", json={"name": "mira", "password": PASSWORD})
    assert made.status_code == 201, made.text
    csrf = proxied.get("/login").text.split('name="csrf" content="')[1].split('"')[0]
    answer = proxied.post("/login", data={"name": "mira", "password": PASSWORD}, headers={"X-CSRF-Token": csrf})
    assert answer.status_code == 204, answer.text
    assert "secure" in answer.headers["set-cookie"].lower()
    assert proxied.get("/api/audit").json()[0]["client"] == "203.0.113.9"


def test_proxy_needs_a_token_and_an_address() -> None:
    with pytest.raises(CaesuraError, match="a proxy opens the workbench to the network; set a token"):
        Settings(trusted_proxies=("127.0.0.1",))
    with pytest.raises(CaesuraError, match=r"--trusted-proxy: .*expected an address"):
        Settings(trusted_proxies=("nginx",), token=TOKEN)


def test_two_lengths_are_refused_and_the_connection_closed(client: TestClient) -> None:
    headers = {"Content-Length": "3", "Transfer-Encoding": "chunked"}
    answer = client.post("/api/projects", content=b"{}", headers=headers)
    assert answer.status_code == 400
    assert answer.headers["connection"] == "close"
    assert "not both" in answer.json()["error"]


def test_scripts_have_their_version_in_the_address(client: TestClient) -> None:
    page = client.get("/").text
    address = page.split('rel="stylesheet" href="')[1].split('"')[0]
    assert address.startswith("/static/")
    assert address.endswith("/style.css")
    assert len(address.split("/")[2]) == 12
    answer = client.get(address)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert "immutable" not in client.get("/static/style.css").headers.get("cache-control", "")
    assert 'from "./api.js"' in client.get(address.replace("style.css", "home.js")).text
