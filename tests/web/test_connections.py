"""Clients that send half a request: they are not waited for, and they take nobody's seat."""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the workbench needs the extra web")
pytest.importorskip("httpx", reason="tests of the workbench speak HTTP")

import httpx
import uvicorn

from caesura.web.app import create_app
from caesura.web.connections import bounded_protocol
from caesura.web.security import SECURITY_HEADERS
from caesura.web.settings import Limits, Settings
from web_server import Server

SEATS = 6
HALVES = {
    "nothing": b"",
    "headers": b"GET /api/projects HTTP/1.1\r\nHost: loc",
    "body": b"POST /api/projects HTTP/1.1\r\nHost: %HOST%\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{",
}


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A workbench in this process that has little patience and few seats."""
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


def all_of(client: socket.socket) -> str:
    """Everything until the other side closes."""
    pieces = []
    while piece := client.recv(65536):
        pieces.append(piece)
    return b"".join(pieces).decode()


@pytest.mark.parametrize("half", HALVES)
def test_half_a_request_is_closed_in_time(port: int, half: str) -> None:
    with connect(port, HALVES[half]) as client:
        start = time.monotonic()
        answer = all_of(client)
        assert 0.3 < time.monotonic() - start < 5
    assert answer.startswith(("HTTP/1.1 408", "HTTP/1.1 403"))  # a body without its header is refused before it is read
    for name, value in SECURITY_HEADERS.items():
        assert f"{name.lower()}: {value.lower()}" in answer.lower()


def test_half_a_second_request_is_closed_too(port: int) -> None:
    whole = b"GET /favicon.ico HTTP/1.1\r\nHost: %HOST%\r\n\r\n"
    with connect(port, whole) as client:
        assert client.recv(65536).startswith(b"HTTP/1.1 200")
        client.sendall(b"GET /half")
        assert "HTTP/1.1 408" in all_of(client)


def test_slow_senders_get_time_for_what_they_send(port: int) -> None:
    head = f"POST /login HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 40\r\n\r\n"
    csrf = httpx.get(f"http://127.0.0.1:{port}/api/session").json()["csrf"]
    head = head.replace("Content-Length", f"X-CSRF-Token: {csrf}\r\nContent-Type: application/json\r\nContent-Length")
    with connect(port, head.encode()) as client:
        for _ in range(4):  # 1.2 seconds, at more than ten bytes a second
            time.sleep(0.3)
            client.sendall(b"x" * 10)
        assert client.recv(65536).startswith(b"HTTP/1.1 422"), "taken whole, and then found to be no form"


def test_what_is_no_http_is_refused_with_headers(port: int) -> None:
    with connect(port, b"\x16\x03\x01 tls?\r\n\r\n") as client:
        answer = all_of(client)
    assert answer.startswith("HTTP/1.1 400")
    assert "content-security-policy" in answer.lower()


def test_newcomers_get_the_seat_of_whoever_waits_longest(port: int) -> None:
    with ExitStack() as halves:
        first, *_ = [halves.enter_context(connect(port, HALVES["headers"])) for _ in range(SEATS)]
        assert httpx.get(f"http://127.0.0.1:{port}/api/projects", timeout=5).status_code == 200
        assert all_of(first).startswith("HTTP/1.1 503")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of descriptors")
def test_two_hundred_half_requests_at_128_descriptors(tmp_path: Path) -> None:
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
