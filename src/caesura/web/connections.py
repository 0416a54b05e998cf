"""Connections that do not wait for ever: time for headers and bodies, and room for newcomers when all seats are taken.

uvicorn waits without end for the rest of a request; a few hundred clients that send half of one would leave no file descriptor for
anybody else.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from caesura.web.security import SECURITY_HEADERS
from caesura.web.settings import Limits


@dataclass(frozen=True)
class Room:
    """How many connections there may be: to browsers, and to the store."""

    browsers: int
    store: int


def room_for(descriptors: int | None = None) -> Room:
    """Share out the file descriptors that this process may have; the store takes two a connection, and some stay for files.

    >>> room_for(128), room_for(1024)
    (Room(browsers=44, store=22), Room(browsers=904, store=40))
    """
    room = max(16, (_descriptors() if descriptors is None else descriptors) - 40)
    store = min(40, room // 4)  # as many as the server has threads, so that nobody waits for one
    return Room(min(2000, room - 2 * store), store)


def _descriptors() -> int:
    try:
        from resource import RLIMIT_NOFILE, getrlimit
    except ImportError:  # Windows has no such limit
        return 2048
    soft = getrlimit(RLIMIT_NOFILE)[0]
    return soft if 0 < soft < 2**20 else 2**20


def bounded_protocol(limits: Limits, most: int) -> type[H11Protocol]:
    """uvicorn's HTTP with time limits, and at most so many connections at once."""

    class Bounded(_Bounded):
        allowed = limits
        seats = most

    return Bounded


class _Bounded(H11Protocol):
    allowed: Limits
    seats: int
    _deadline: float = 0.0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Take a seat; where there is none, that of whoever has kept us waiting for longest."""
        super().connection_made(transport)
        if len(self.connections) > self.seats:
            waiting = min(self._waiting(), key=lambda other: other._deadline, default=None)
            (self if waiting is None else waiting)._turn_away(503, "too many connections at once; try again.")
        self._wait_for(self.allowed.header_seconds)

    def data_received(self, data: bytes) -> None:
        """Give the sender more time for what arrived, and none once the request is whole."""
        before = self.conn.their_state
        super().data_received(data)
        now = self.conn.their_state
        if now is h11.SEND_BODY:
            if before is not h11.SEND_BODY:
                self._wait_for(self.allowed.body_seconds)
            else:
                self._deadline += len(data) / self.allowed.body_rate
        elif now is not h11.IDLE:
            self._stop_waiting()
        elif self._timer is None and self.timeout_keep_alive_task is None:
            self._wait_for(self.allowed.header_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is waited for any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP, with the headers that every answer carries."""
        self._turn_away(400, "this is no HTTP request.")

    def _waiting(self) -> Iterator[_Bounded]:
        """Who has sent no whole request: half of one, or none since the last answer."""
        for other in self.connections:
            if isinstance(other, _Bounded) and other is not self and (other._timer or other.timeout_keep_alive_task):
                yield other

    def _wait_for(self, seconds: float) -> None:
        self._stop_waiting()
        self._deadline = self.loop.time() + seconds
        self._timer = self.loop.call_at(self._deadline, self._look_at_the_clock)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look_at_the_clock(self) -> None:
        """Time is up, unless bytes that came meanwhile bought some more, or it is we who are not reading."""
        now = self.loop.time()
        if self.flow.read_paused:
            self._deadline = now + self.allowed.body_seconds
        if self._deadline > now:
            self._timer = self.loop.call_at(self._deadline, self._look_at_the_clock)
            return
        self._timer = None
        self._turn_away(408, "the rest of the request did not arrive in time.")

    def _turn_away(self, status: int, sentence: str) -> None:
        """Close with a sentence, unless an answer is under way already."""
        self._stop_waiting()
        if self.transport.is_closing():
            return
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.write(_answer(status, sentence))
        self.transport.close()


_PHRASES = {400: "Bad Request", 408: "Request Timeout", 503: "Service Unavailable"}


def _answer(status: int, sentence: str) -> bytes:
    body = json.dumps({"error": sentence}).encode()
    headers = {"Content-Type": "application/json", "Content-Length": len(body), "Connection": "close"}
    lines = [f"HTTP/1.1 {status} {_PHRASES[status]}", *(f"{n}: {v}" for n, v in (headers | SECURITY_HEADERS).items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body
