"""HTTP connections with deadlines for headers and bodies, and a limit on their number.

uvicorn waits forever for the rest of a request, so a few hundred clients that send half of one would use up all file descriptors.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from caesura_workbench.middleware import SECURITY_HEADERS
from caesura_workbench.settings import Limits


@dataclass(frozen=True)
class ConnectionLimits:
    """The numbers of connections allowed: from browsers, and to the database."""

    browsers: int
    database: int


def connection_limits(descriptors: int | None = None) -> ConnectionLimits:
    """Divide the file descriptors of this process among browsers, database and files.

    A database connection takes two; 40 are left for files.

    >>> connection_limits(128), connection_limits(1024)
    (ConnectionLimits(browsers=44, database=22), ConnectionLimits(browsers=904, database=40))
    """
    available = max(16, (_max_descriptors() if descriptors is None else descriptors) - 40)
    database = min(40, available // 4)  # one per server thread, so that no thread waits for one
    return ConnectionLimits(min(2000, available - 2 * database), database)


def _max_descriptors() -> int:
    try:
        from resource import RLIMIT_NOFILE, getrlimit
    except ImportError:  # Windows
        return 2048
    soft = getrlimit(RLIMIT_NOFILE)[0]
    return soft if 0 < soft < 2**20 else 2**20


def bounded_protocol(limits: Limits, connections: int) -> type[H11Protocol]:
    """Return uvicorn's HTTP protocol class with deadlines and a maximum number of connections."""

    class Bounded(_BoundedProtocol):
        allowed = limits
        max_connections = connections

    return Bounded


class _BoundedProtocol(H11Protocol):
    allowed: Limits
    max_connections: int
    _deadline: float = 0.0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Accept a connection; above the limit, close the one that has been idle longest."""
        super().connection_made(transport)
        if len(self.connections) > self.max_connections:
            idle = min(self._idle_connections(), key=lambda other: other._deadline, default=None)
            (self if idle is None else idle)._reject(503, "too many connections; try again.")
        self._set_deadline(self.allowed.header_seconds)

    def data_received(self, data: bytes) -> None:
        """Extend the deadline by the bytes that arrived; cancel it when the request is complete."""
        before = self.conn.their_state
        super().data_received(data)
        now = self.conn.their_state
        if now is h11.SEND_BODY:
            if before is not h11.SEND_BODY:
                self._set_deadline(self.allowed.body_seconds)
            else:
                # the timer is not restarted: when it fires, it sees the later deadline and waits on
                self._deadline += len(data) / self.allowed.body_rate
        elif now is not h11.IDLE:
            self._cancel_deadline()
        elif self._timer is None and self.timeout_keep_alive_task is None:
            self._set_deadline(self.allowed.header_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the deadline."""
        self._cancel_deadline()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Reject invalid HTTP, with the headers of every other response."""
        self._reject(400, "invalid HTTP request.")

    def _idle_connections(self) -> Iterator[_BoundedProtocol]:
        """Yield other connections that have sent no complete request since their last response."""
        for other in self.connections:
            if (
                isinstance(other, _BoundedProtocol)
                and other is not self
                and (other._timer or other.timeout_keep_alive_task)
            ):
                yield other

    def _set_deadline(self, seconds: float) -> None:
        self._cancel_deadline()
        self._deadline = self.loop.time() + seconds
        self._timer = self.loop.call_at(self._deadline, self._check_deadline)

    def _cancel_deadline(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check_deadline(self) -> None:
        """Close the connection, unless bytes that arrived extended its deadline or reading is paused on our side."""
        now = self.loop.time()
        if self.flow.read_paused:
            self._deadline = now + self.allowed.body_seconds
        if self._deadline > now:
            self._timer = self.loop.call_at(self._deadline, self._check_deadline)
            return
        self._timer = None
        self._reject(408, "the request was not completed in time.")

    def _reject(self, status: int, message: str) -> None:
        """Close the connection with an error message, unless a response is being sent."""
        self._cancel_deadline()
        if self.transport.is_closing():
            return
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.write(_error_bytes(status, message))
        self.transport.close()


_PHRASES = {400: "Bad Request", 408: "Request Timeout", 503: "Service Unavailable"}


def _error_bytes(status: int, message: str) -> bytes:
    body = json.dumps({"error": message}).encode()
    headers = {"Content-Type": "application/json", "Content-Length": len(body), "Connection": "close"}
    lines = [f"HTTP/1.1 {status} {_PHRASES[status]}", *(f"{n}: {v}" for n, v in (headers | SECURITY_HEADERS).items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body
