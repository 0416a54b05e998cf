"""Security of every request: host and origin checks, sign-in, permissions, size limits and response headers.

Any page open in the user's browser can reach a server on the same machine. Therefore the Host header must name this server (DNS rebinding); a
request that changes something must carry a token that only our own pages can read, and its Origin, if it has one, must be ours (CSRF); bodies are limited
in size; and pages run only scripts that are files of this server.
"""

from __future__ import annotations

import hmac
import json
import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request, cookie_parser
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from caesura_workbench.naming import SORTS
from caesura_workbench.people import People
from caesura_workbench.permissions import (
    ANYBODY,
    AuditEntry,
    Permission,
    Viewer,
    allowed_methods,
    current_action,
    find_permission,
    why_outside_scopes,
)
from caesura_workbench.rows import NotFound, StoreError
from caesura_workbench.settings import Settings
from caesura_workbench.throttling import TokenThrottle

TOKEN_COOKIE = "caesura-token"
SESSION_COOKIE = "caesura-session"
CSRF_HEADER = "X-CSRF-Token"


#: Sent with every response.
SECURITY_HEADERS = {
    # drawings set their colours with inline styles; scripts come from /static only
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self'; connect-src 'self'; "
        "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def csrf_token(settings: Settings, session: str = "") -> str:
    """Return the token that pages send with every change.

    It is derived from the session, so all servers on one database accept it. Without a session it changes with every start of the server.
    """
    return hmac.new((session or settings.csrf_secret).encode(), b"caesura csrf", sha256).hexdigest()


def token_cookie(token: str) -> str:
    """Return the value that a browser stores in place of the token itself."""
    return hmac.new(token.encode(), b"caesura cookie", sha256).hexdigest()


_WRONG_TOKEN = "wrong token."


def check_attempt(throttle: TokenThrottle, client: str, right: bool, wrong: str = _WRONG_TOKEN) -> Response | None:
    """Return None for a correct secret, 401 for a wrong one, and 429 for either after too many wrong ones."""
    wait = throttle.seconds_to_wait(client)
    if wait > 0:
        return retry_later_response(wait, "too many wrong tokens")
    throttle.record(client, right)
    return None if right else error_response(401, wrong)


def retry_later_response(wait: float, why: str, alternative: str = "") -> Response:
    """Return a 429 response that says how long to wait."""
    seconds = math.ceil(wait)
    return error_response(429, f"{why}; wait {seconds} s and try again{alternative}.", {"Retry-After": str(seconds)})


def client_address(scope: Scope) -> str:
    """Return the address that a request came from."""
    return str((scope.get("client") or ("",))[0])


def follow_proxies(scope: Scope, headers: Headers, settings: Settings) -> bool:
    """Replace the address and the scheme of a request from a trusted proxy by those of its client; return whether it was such a request.

    Every proxy appends the address that it saw to X-Forwarded-For. From its end, the first address that is not a trusted proxy is the client's; what
    stands before it was sent by the client and is ignored.
    """
    if (
        not settings.proxy_networks
        or "x-forwarded-for" not in headers
        or not _is_trusted(client_address(scope), settings)
    ):
        return False
    addresses = [each.strip() for each in ",".join(headers.getlist("x-forwarded-for")).split(",")]
    client = next((each for each in reversed(addresses) if not _is_trusted(each, settings)), addresses[0])
    scope["client"] = (client[:100], 0)
    if headers.get("x-forwarded-proto", "").strip().lower() == "https":
        scope["scheme"] = "https"
    return True


def _is_trusted(address: str, settings: Settings) -> bool:
    try:
        known = ip_address(address)
    except ValueError:
        return False
    return any(known in network for network in settings.proxy_networks)


def error_response(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return an error as JSON: one sentence under the key "error"."""
    return JSONResponse({"error": message}, status_code=status, headers=headers)


def bearer_token(headers: Headers) -> str:
    """Return the token in the header Authorization, or nothing."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token if scheme.lower() == "bearer" else ""


_ANONYMOUS = Viewer("", None, None, single_user=False, site_manager=False)


async def authenticate(scope: Scope, headers: Headers, settings: Settings, throttle: TokenThrottle) -> Response | None:
    """Identify the viewer, store it in the request's state, and check its permission; return a response only to reject the request."""
    permission, parameters = find_permission(scope["method"], scope["path"])
    scope["state"]["viewer"] = _ANONYMOUS
    if permission is not None and ANYBODY in permission.roles:
        return None
    people = People(scope["app"].state.store)
    cookies = cookie_parser(headers.get("cookie", ""))
    target, missing = _target(parameters)
    bearer = bearer_token(headers)
    try:
        known = await run_in_threadpool(people.viewer, cookies.get(SESSION_COOKIE, ""), target)
        if bearer and (known is None or not known.single_user):
            program = await run_in_threadpool(people.token_viewer, bearer, target)
            scope["state"]["by_token"] = program is not None
            known = program or known
    except NotFound as error:
        return error_response(404, str(error))
    except StoreError as error:
        return error_response(503, str(error))
    if known is None or known.single_user:
        wrong = _check_token(scope, headers, cookies, settings, throttle, single_user=known is not None)
        if wrong is not None:
            return wrong
    viewer = await run_in_threadpool(people.owner, target) if known is None else known
    scope["state"]["viewer"] = viewer
    if viewer.single_user:
        return None
    if permission is None and (methods := allowed_methods(scope["path"])):
        return error_response(405, "method not allowed.", {"Allow": ", ".join(methods)})
    if permission is None or missing:
        return error_response(404, "not found.")
    outside = why_outside_scopes(viewer, scope["method"], permission)
    if outside:
        return error_response(403, outside)
    return await _check_role(scope, permission, viewer, people)


async def _check_role(scope: Scope, permission: Permission, viewer: Viewer, people: People) -> Response | None:
    """Check the role of the viewer; roles are enforced here and nowhere else."""
    entry = AuditEntry(viewer.name, permission.description, scope["path"][:500], viewer.project, client_address(scope))
    changing = scope["method"] not in ("GET", "HEAD")
    if not permission.allows(viewer):
        if changing:
            await run_in_threadpool(people.log, replace(entry, what=f"was not allowed to {entry.what}"))
        who = (
            "somebody without a role"
            if viewer.role is None
            else f"{'an' if viewer.role[0] == 'a' else 'a'} {viewer.role}"
        )
        later = viewer.role in permission.roles_after_release and not viewer.released
        when = " before the project is released" if later else ""
        return error_response(403, f"{who} may not {permission.description} here{when}.")
    current_action.set(entry if changing else None)
    return None


def _check_token(
    scope: Scope,
    headers: Headers,
    cookies: Mapping[str, str],
    settings: Settings,
    throttle: TokenThrottle,
    *,
    single_user: bool,
) -> Response | None:
    """Check the server's token, for requests without a session; a server without accounts and without a token is open."""
    token = settings.token
    if token is None and single_user:
        return None
    bearer = bearer_token(headers)
    cookie = cookies.get(TOKEN_COOKIE, "")
    if token is None or (not bearer and not cookie):  # no attempt was made, so none is counted
        if not single_user and scope["method"] == "GET" and not scope["path"].startswith("/api"):
            return RedirectResponse("/login", 303)
        if token is None or not single_user:
            return error_response(401, "sign in at /login or with your personal link.")
        return error_response(401, "token required: sign in at /login, or send Authorization: Bearer TOKEN.")
    # headers are decoded as Latin-1, whatever the client encoded them in
    right = bool(bearer) and hmac.compare_digest(bearer.encode("latin-1"), token.encode())
    scope["state"]["by_token"] = right
    right |= hmac.compare_digest(cookie.encode(), token_cookie(token).encode())
    return check_attempt(throttle, client_address(scope), right)


def _target(parameters: Mapping[str, Any]) -> tuple[tuple[str, int] | None, bool]:
    """Return what a path refers to, such as ("item", 3), and whether its id is invalid."""
    for sort in ("project", "item", "annotation"):
        if sort in parameters:
            number = _parse_id(parameters[sort])
            return (None, True) if number is None else ((sort, number), False)
    if "sort" in parameters:
        number, resource = _parse_id(parameters["number"]), SORTS.get(parameters["sort"])
        return (None, True) if number is None or resource is None else ((resource, number), False)
    return None, False


def _parse_id(given: str) -> int | None:
    return int(given) if given.isascii() and given.isdigit() and 0 < int(given[:11]) < 2**31 else None


_LOG = logging.getLogger("uvicorn.error")
_SAFE = {"GET", "HEAD", "OPTIONS"}


class SecurityMiddleware:
    """Check host, origin, sign-in, permission and size of every request, and add the security headers to every response."""

    def __init__(self, app: ASGIApp, settings: Settings, error_page: Callable[[Request, int, str], bytes]) -> None:
        self.app = app
        self.settings = settings
        self.error_page = error_page
        self.throttle = TokenThrottle()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reject the request or pass it on; unexpected exceptions become a 500 response with one sentence."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body = _LimitedBody(receive, self._max_bytes(scope))
        answer = _GuardedResponse(send, scope["path"].startswith("/api"), lambda: body.too_large, self._page_for(scope))
        scope.setdefault("state", {})["throttle"] = self.throttle
        headers = Headers(scope=scope)
        forwarded = follow_proxies(scope, headers, self.settings)
        try:
            refusal = self._check_framing(scope, headers) or (None if forwarded else self._check_host(headers))
            refusal = refusal or await authenticate(scope, headers, self.settings, self.throttle)
            refusal = refusal or self._check_request(scope, headers)
            await (refusal or self.app)(scope, body.receive, answer.send)
        except Exception as error:
            if answer.started:
                raise
            if not body.too_large and not isinstance(error, ClientDisconnect):
                _LOG.exception("%s %s failed", scope["method"], scope["path"])
            failed = error_response(
                500, "internal error; nothing was changed. The server's terminal shows the details."
            )
            await failed(scope, receive, answer.send)
        if body.too_large and not answer.started:
            await self._too_large(scope)(scope, receive, answer.send)

    def _check_framing(self, scope: Scope, headers: Headers) -> Response | None:
        """Refuse a request whose end a proxy and this server may see at different places (request smuggling), and close its connection.

        Zero characters, which a database may refuse, occur in no address either.
        """
        if b"%00" in scope["query_string"] or "\0" in scope["path"]:
            return error_response(400, "an address cannot contain the character U+0000.")
        if "transfer-encoding" in headers and "content-length" in headers:
            message = "a request has either Content-Length or Transfer-Encoding, not both."
            return error_response(400, message, {"Connection": "close"})
        return None

    def _check_host(self, headers: Headers) -> Response | None:
        if self.settings.local and headers.get("host", "").lower() not in self.settings.hosts:
            return error_response(
                421, f"unknown host {headers.get('host', '')!r}; open the workbench at its own address."
            )
        return None

    def _check_request(self, scope: Scope, headers: Headers) -> Response | None:
        size = headers.get("content-length", "0")
        if not size.isascii() or not size.isdigit() or len(size) > 18 or int(size) > self._max_bytes(scope):
            return self._too_large(scope)
        if headers.get("content-encoding", "identity") != "identity":
            return error_response(415, "compressed requests are not supported.")
        return None if scope["method"] in _SAFE else self._check_origin(scope, headers)

    def _page_for(self, scope: Scope) -> Callable[[int, str], bytes] | None:
        """Return how to render errors as HTML, for browsers that asked for a page; API clients get JSON."""
        reads = scope["method"] == "GET" and "text/html" in Headers(scope=scope).get("accept", "")
        if not reads or scope["path"].startswith("/api"):
            return None
        return lambda status, sentence: self.error_page(Request(scope), status, sentence)

    def _max_bytes(self, scope: Scope) -> int:
        """Return the size limit; recordings may be large because they are streamed to disk."""
        limits = self.settings.limits
        return limits.sound_bytes if scope["path"].endswith("/recordings") else limits.upload_bytes

    def _too_large(self, scope: Scope) -> Response:
        return error_response(413, f"the request is too large; the limit is {self._max_bytes(scope) // 2**20} MB.")

    def _check_origin(self, scope: Scope, headers: Headers) -> Response | None:
        origin = headers.get("origin")
        if origin is not None and _host_of(origin) != headers.get("host", "").lower():
            return error_response(403, f"requests from {origin!r} are not allowed.")
        # Another site's page can make a browser send cookies, but not the header Authorization; and browsers send an Origin with every form.
        if scope["state"].get("by_token") or (scope["path"] == "/login" and origin is None):
            return None
        expected = csrf_token(self.settings, cookie_parser(headers.get("cookie", "")).get(SESSION_COOKIE, ""))
        if not hmac.compare_digest(headers.get(CSRF_HEADER, "").encode(), expected.encode()):
            return error_response(
                403, f"the header {CSRF_HEADER} is missing or expired; get a new value from /api/session."
            )
        return None


def _host_of(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:  # such as http://[
        return None


class _LimitedBody:
    """A request body up to a size limit; received bytes are counted, because chunked requests declare no length."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive, self._left, self.too_large = receive, limit, False

    async def receive(self) -> Message:
        """Return the next message; beyond the limit, pretend that the client disconnected."""
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        self.too_large |= self._left < 0
        return {"type": "http.disconnect"} if self.too_large else message


class _GuardedResponse:
    """A response with the security headers; it is dropped where ``replaced()`` is true.

    Errors arrive as JSON and are turned into an HTML page where ``error_page`` is given.
    """

    def __init__(
        self, send: Send, private: bool, replaced: Callable[[], bool], error_page: Callable[[int, str], bytes] | None
    ) -> None:
        self._send, self._private, self._replaced, self._error_page = send, private, replaced, error_page
        self._error: Message | None = None
        self.started = False

    async def send(self, message: Message) -> None:
        if self._replaced() and not self.started and message.get("status") != 413:
            return
        if self._error_page is not None and _starts_error(message):
            self._error = message
            return
        if self._error is not None and self._error_page is not None:
            start, self._error = self._error, None
            page = self._error_page(start["status"], json.loads(message["body"])["error"])
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
                # responses with an ETag may be cached and revalidated; all others are not stored
                answer.setdefault("Cache-Control", "private, no-cache" if "etag" in answer else "no-store")
        await self._send(message)


def _starts_error(message: Message) -> bool:
    if message["type"] != "http.response.start" or message["status"] < 400:
        return False
    return MutableHeaders(scope=message).get("content-type", "").startswith("application/json")
