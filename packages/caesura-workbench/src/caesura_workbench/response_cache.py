"""Cache of JSON responses with ETags, so that unchanged items are neither built nor sent twice."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from threading import Lock
from typing import Any

from fastapi import Request, Response

_JSON = "application/json"


class ResponseCache:
    """The most recently used responses, up to a number of bytes.

    A response is found by a stamp that changes whenever its data does, so entries never become stale; old ones are evicted.
    """

    def __init__(self, max_bytes: int = 64 * 2**20) -> None:
        self._max_bytes, self._size = max_bytes, 0
        self._responses: OrderedDict[str, bytes] = OrderedDict()
        self._building: dict[str, Lock] = {}
        self._lock = Lock()

    def respond(self, request: Request, stamp: str, build: Callable[[], Any]) -> Response:
        """Return the result of ``build`` as JSON, from the cache where possible; 304 if the client has it."""
        tag = f'"{sha256(stamp.encode()).hexdigest()[:32]}"'
        headers = {"ETag": tag}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(self._get(tag) or self._build(tag, build), media_type=_JSON, headers=headers)

    def _build(self, tag: str, build: Callable[[], Any]) -> bytes:
        """Build a response; of several threads that want the same one, the first builds it and the others wait."""
        with self._lock:
            lock = self._building.setdefault(tag, Lock())
        try:
            with lock:
                content = self._get(tag)
                if content is None:
                    content = json.dumps(build(), ensure_ascii=False, separators=(",", ":")).encode()
                    self._store(tag, content)
        finally:
            with self._lock:
                self._building.pop(tag, None)
        return content

    def _get(self, tag: str) -> bytes | None:
        with self._lock:
            if tag in self._responses:
                self._responses.move_to_end(tag)
            return self._responses.get(tag)

    def _store(self, tag: str, content: bytes) -> None:
        if len(content) > self._max_bytes // 4:  # a few huge responses would evict everything else
            return
        with self._lock:
            self._size += len(content) - len(self._responses.pop(tag, b""))
            self._responses[tag] = content
            while self._size > self._max_bytes:
                self._size -= len(self._responses.popitem(last=False)[1])
