"""Who may talk to the workbench, and what the browser may do with its pages.

A server on this machine is still reachable by every page the user has open. So: the Host header must name us (no DNS rebinding); a request
that changes something must carry a token that only our own pages can read (no cross-site requests), and an Origin, if any, that is
ours; bodies have a limit; and no page may run a script that did not come from us as a file.
"""

from __future__ import annotations

import hmac
from hashlib import sha256
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from caesura.web.settings import Settings

COOKIE = "caesura-token"
CSRF_HEADER = "X-CSRF-Token"

_SAFE = {"GET", "HEAD", "OPTIONS"}
_OPEN = ("/login", "/static/", "/favicon.ico", "/print.js")  # what a visitor needs to give the token

_HEADERS = {
    # drawings bring their colours as inline styles; scripts only ever come from /static
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
        "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def csrf_token(settings: Settings) -> str:
    """The token our pages carry: derived from a secret that changes with every start of the server."""
    return hmac.new(settings.csrf_secret.encode(), b"caesura csrf", sha256).hexdigest()


class Guard:
    """Middleware in front of everything: checks host, origin, tokens and size, and adds the security headers."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse in a sentence, or pass on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope["method"], scope["path"], headers)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    answer.setdefault(name, value)
                if scope["path"].startswith("/api"):
                    # what carries an ETag may be kept, and asked about every time; the rest is never kept
                    answer.setdefault("Cache-Control", "private, no-cache" if "etag" in answer else "no-store")
            await send(message)

        if refusal is not None:
            await refusal(scope, receive, send_guarded)
            return
        await self.app(scope, self._limit(receive), send_guarded)

    def _refusal(self, method: str, path: str, headers: Headers) -> Response | None:
        settings = self.settings
        if settings.local and headers.get("host", "").lower() not in settings.hosts:
            return _refuse(421, f"this workbench is not {headers.get('host', '')!r}; open it under its own address.")
        if settings.token is not None and not path.startswith(_OPEN) and not self._knows_token(headers):
            return _refuse(401, "this workbench wants its token: open /login, or send Authorization: Bearer TOKEN.")
        size = headers.get("content-length", "0")
        if not size.isdigit() or int(size) > settings.limits.upload_bytes:
            return _refuse(
                413, f"the request is too large; up to {settings.limits.upload_bytes // 2**20} MB are taken."
            )
        if headers.get("content-encoding", "identity") != "identity":
            return _refuse(415, "compressed requests are not taken; send the data as it is.")
        return None if method in _SAFE else self._cross_site(headers)

    def _cross_site(self, headers: Headers) -> Response | None:
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower():
            return _refuse(403, f"requests from {origin} are not taken here.")
        if not hmac.compare_digest(headers.get(CSRF_HEADER, ""), csrf_token(self.settings)):
            return _refuse(403, f"the header {CSRF_HEADER} is missing or old; read it anew from /api/session.")
        return None

    def _knows_token(self, headers: Headers) -> bool:
        assert self.settings.token is not None
        given = headers.get("authorization", "").removeprefix("Bearer ") or cookie_parser(
            headers.get("cookie", "")
        ).get(COOKIE, "")
        return hmac.compare_digest(given.encode(), self.settings.token.encode())

    def _limit(self, receive: Receive) -> Receive:
        """Count what really arrives: a chunked request names no length."""
        taken = 0

        async def receive_counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self.settings.limits.upload_bytes:
                return {"type": "http.disconnect"}
            return message

        return receive_counted


def _refuse(status: int, sentence: str) -> Response:
    return JSONResponse({"error": sentence}, status_code=status)
