"""In front of everything: who may talk to the workbench, and what the browser may do with its pages.

A server on this machine is still reachable by every page the user has open. So: the Host header must name us (no DNS rebinding); a request
that changes something must carry a token that only our own pages can read (no cross-site requests), and an Origin, if any, that is
ours; bodies have a limit; and no page may run a script that did not come from us as a file.
"""

from __future__ import annotations

import hmac
import json
import logging
from collections.abc import Callable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request, cookie_parser
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from caesura.web.access import admit
from caesura.web.guesses import Guesses
from caesura.web.security import CSRF_HEADER, SECURITY_HEADERS, SESSION_COOKIE, csrf_token, refuse
from caesura.web.settings import Settings

_LOG = logging.getLogger("uvicorn.error")
_SAFE = {"GET", "HEAD", "OPTIONS"}


class Guard:
    """Middleware in front of everything: checks host, origin, tokens and size, and adds the security headers to every answer."""

    def __init__(self, app: ASGIApp, settings: Settings, fault_page: Callable[[Request, int, str], bytes]) -> None:
        self.app = app
        self.settings = settings
        self.fault_page = fault_page
        self.guesses = Guesses()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse in a sentence, or pass on; what fails behind is answered in a sentence too."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body = _CountedBody(receive, self._most_bytes(scope))
        answer = _GuardedAnswer(send, scope["path"].startswith("/api"), lambda: body.too_large, self._page_for(scope))
        scope.setdefault("state", {})["guesses"] = self.guesses
        headers = Headers(scope=scope)
        try:
            refusal = self._refuse_strangers(headers) or await admit(scope, headers, self.settings, self.guesses)
            refusal = refusal or self._refuse_misshapen(scope, headers)
            await (refusal or self.app)(scope, body.receive, answer.send)
        except Exception as fault:
            if answer.started:
                raise
            if not body.too_large and not isinstance(fault, ClientDisconnect):
                _LOG.exception("%s %s failed", scope["method"], scope["path"])
            failed = refuse(500, "the workbench failed at this request; its terminal says why. Nothing was changed.")
            await failed(scope, receive, answer.send)
        if body.too_large and not answer.started:
            await self._too_large(scope)(scope, receive, answer.send)

    def _refuse_strangers(self, headers: Headers) -> Response | None:
        if self.settings.local and headers.get("host", "").lower() not in self.settings.hosts:
            return refuse(421, f"this workbench is not {headers.get('host', '')!r}; open it under its own address.")
        return None

    def _refuse_misshapen(self, scope: Scope, headers: Headers) -> Response | None:
        size = headers.get("content-length", "0")
        if not size.isascii() or not size.isdigit() or len(size) > 18 or int(size) > self._most_bytes(scope):
            return self._too_large(scope)
        if headers.get("content-encoding", "identity") != "identity":
            return refuse(415, "compressed requests are not taken; send the data as it is.")
        return None if scope["method"] in _SAFE else self._cross_site(headers)

    def _page_for(self, scope: Scope) -> Callable[[int, str], bytes] | None:
        """How a fault is told to whoever wanted to read a page; programs get JSON."""
        reads = scope["method"] == "GET" and "text/html" in Headers(scope=scope).get("accept", "")
        if not reads or scope["path"].startswith("/api"):
            return None
        return lambda status, sentence: self.fault_page(Request(scope), status, sentence)

    def _most_bytes(self, scope: Scope) -> int:
        """Recordings are large, and never held in memory."""
        limits = self.settings.limits
        return limits.sound_bytes if scope["path"].endswith("/recordings") else limits.upload_bytes

    def _too_large(self, scope: Scope) -> Response:
        return refuse(413, f"the request is too large; up to {self._most_bytes(scope) // 2**20} MB are taken.")

    def _cross_site(self, headers: Headers) -> Response | None:
        origin = headers.get("origin")
        if origin is not None and _host_of(origin) != headers.get("host", "").lower():
            return refuse(403, f"requests from {origin!r} are not taken here.")
        expected = csrf_token(self.settings, cookie_parser(headers.get("cookie", "")).get(SESSION_COOKIE, ""))
        if not hmac.compare_digest(headers.get(CSRF_HEADER, "").encode(), expected.encode()):
            return refuse(403, f"the header {CSRF_HEADER} is missing or old; read it anew from /api/session.")
        return None


def _host_of(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:  # such as http://[
        return None


class _CountedBody:
    """A request's body up to a size: a chunked request names no length, so what really arrives is counted."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._left, self.too_large = receive, most, False

    async def receive(self) -> Message:
        """The next piece; beyond the limit the sender counts as gone, and its answer is 413."""
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        self.too_large |= self._left < 0
        return {"type": "http.disconnect"} if self.too_large else message


class _GuardedAnswer:
    """An answer with the security headers on it; one that ``replaced`` says is not to be sent is swallowed.

    A fault, which is always a sentence in JSON, becomes a page where there is a way to make one.
    """

    def __init__(
        self,
        send: Send,
        private: bool,
        replaced: Callable[[], bool],
        fault_page: Callable[[int, str], bytes] | None,
    ) -> None:
        self._send, self._private, self._replaced, self._fault_page = send, private, replaced, fault_page
        self._fault: Message | None = None
        self.started = False

    async def send(self, message: Message) -> None:
        if self._replaced() and not self.started and message.get("status") != 413:
            return
        if self._fault_page is not None and _begins_fault(message):
            self._fault = message
            return
        if self._fault is not None and self._fault_page is not None:
            start, self._fault = self._fault, None
            page = self._fault_page(start["status"], json.loads(message["body"])["error"])
            MutableHeaders(scope=start).update(
                {"content-type": "text/html; charset=utf-8", "content-length": str(len(page))}
            )
            await self._pass_on(start)
            message = {"type": "http.response.body", "body": page}
        await self._pass_on(message)

    async def _pass_on(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            answer = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                answer.setdefault(name, value)
            if self._private:
                # what carries an ETag may be kept, and asked about every time; the rest is never kept
                answer.setdefault("Cache-Control", "private, no-cache" if "etag" in answer else "no-store")
        await self._send(message)


def _begins_fault(message: Message) -> bool:
    if message["type"] != "http.response.start" or message["status"] < 400:
        return False
    return MutableHeaders(scope=message).get("content-type", "").startswith("application/json")
