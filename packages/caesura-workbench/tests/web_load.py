"""A load generator on raw sockets, so that the measured time is the server's."""

from __future__ import annotations

import asyncio
import json
import random
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from web_server import Server

__all__ = ["Load", "run_load"]


@dataclass
class Load:
    """Durations of requests in seconds, and acknowledged changes as (annotation, position)."""

    reads: list[float] = field(default_factory=list)
    unchanged: list[float] = field(default_factory=list)
    edits: list[float] = field(default_factory=list)
    refused: int = 0
    done: list[tuple[int, int]] = field(default_factory=list)


def run_load(
    server: Server,
    item: int,
    golds: list[int],
    csrf: str,
    *,
    readers: int,
    seconds: float,
    pause: float = 0.5,
    sessions: dict[int, tuple[str, str]] | None = None,
) -> Load:
    """Run readers of an item for some seconds, while one editor per entry of ``golds`` changes that annotation.

    Everybody waits between two requests, ``pause`` seconds on average. Readers say what they have seen last (If-None-Match).
    ``sessions`` are the editors' own, by annotation: token and cookie.
    """
    return asyncio.run(_run(server, item, golds, csrf, readers, seconds, pause, sessions or {}))


async def _run(
    server: Server,
    item: int,
    golds: list[int],
    csrf: str,
    readers: int,
    seconds: float,
    pause: float,
    sessions: dict[int, tuple[str, str]],
) -> Load:
    found = Load()
    stop = time.perf_counter() + seconds
    free = iter(range(1, 100_000))

    async def wait() -> None:
        await asyncio.sleep(random.uniform(0, 2 * pause))

    async def reader() -> None:
        async with _Client(server.address, csrf) as mine:
            await wait()
            while time.perf_counter() < stop:
                start = time.perf_counter()
                status, _ = await mine.ask("GET", f"/api/items/{item}", tag=mine.tag)
                assert status in (200, 304), status
                (found.unchanged if status == 304 else found.reads).append(time.perf_counter() - start)
                await wait()

    async def editor(gold: int) -> None:
        async with _Client(server.address, *sessions.get(gold, (csrf, ""))) as mine:
            version = json.loads((await mine.ask("GET", f"/api/annotations/{gold}"))[1])["version"]
            await wait()
            while time.perf_counter() < stop:
                position, start = next(free), time.perf_counter()
                while True:  # somebody was faster: the answer says which version there is now
                    change = {"version": version, "operation": {"kind": "add", "position": position}}
                    status, answer = await mine.ask("PATCH", f"/api/annotations/{gold}", change)
                    assert status in (200, 409), answer
                    version = (json.loads(answer) if status == 200 else json.loads(answer)["current"])["version"]
                    if status == 200:
                        break
                    found.refused += 1
                found.edits.append(time.perf_counter() - start)
                found.done.append((gold, position))
                await wait()

    await asyncio.gather(*[reader() for _ in range(readers)], *map(editor, golds))
    return found


class _Client:
    """A persistent connection of one user."""

    def __init__(self, address: str, csrf: str, cookie: str = "") -> None:
        self.host, self.port = urlsplit(address).hostname, urlsplit(address).port
        self.csrf, self.cookie = csrf, cookie
        self.tag = ""

    async def __aenter__(self) -> _Client:
        self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.writer.close()

    async def ask(self, method: str, target: str, body: Any = None, tag: str = "") -> tuple[int, bytes]:
        data = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {target} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\nX-CSRF-Token: {self.csrf}\r\n"
        if self.cookie:
            head += f"Cookie: {self.cookie}\r\n"
        if data:
            head += f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n"
        if tag:
            head += f"If-None-Match: {tag}\r\n"
        self.writer.write(head.encode() + b"\r\n" + data)
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        self.tag = headers.get("etag", "")
        size = int(headers.get("content-length", 0))
        return int(lines[0].split()[1]), await self.reader.readexactly(size) if size else b""
