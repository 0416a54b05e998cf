"""Answers that are the same until something changes: kept ready as bytes, and named so that a browser need not fetch them twice."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from threading import Lock
from typing import Any

from fastapi import Request, Response

_JSON = "application/json"


class Cache:
    """The answers used last, up to a number of bytes.

    An answer is found by a stamp that changes with whatever it is made of, so nothing here is ever out of date; old stamps fall out.
    """

    def __init__(self, most_bytes: int = 64 * 2**20) -> None:
        self._most, self._size = most_bytes, 0
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._turns: dict[str, Lock] = {}
        self._lock = Lock()

    def answer(self, request: Request, stamp: str, build: Callable[[], Any]) -> Response:
        """Answer with what ``build`` makes, from memory where this stamp was answered before; 304 where the asker has it."""
        tag = f'"{sha256(stamp.encode()).hexdigest()[:32]}"'
        headers = {"ETag": tag}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(self._look_up(tag) or self._make(tag, build), media_type=_JSON, headers=headers)

    def _make(self, tag: str, build: Callable[[], Any]) -> bytes:
        """Make an answer; of many who want the same at once, one makes it and the others wait."""
        with self._lock:
            turn = self._turns.setdefault(tag, Lock())
        try:
            with turn:
                content = self._look_up(tag)
                if content is None:
                    content = json.dumps(build(), ensure_ascii=False, separators=(",", ":")).encode()
                    self._keep(tag, content)
        finally:
            with self._lock:
                self._turns.pop(tag, None)
        return content

    def _look_up(self, tag: str) -> bytes | None:
        with self._lock:
            if tag in self._kept:
                self._kept.move_to_end(tag)
            return self._kept.get(tag)

    def _keep(self, tag: str, content: bytes) -> None:
        if len(content) > self._most // 4:
            return
        with self._lock:
            self._size += len(content) - len(self._kept.pop(tag, b""))
            self._kept[tag] = content
            while self._size > self._most:
                self._size -= len(self._kept.popitem(last=False)[1])
