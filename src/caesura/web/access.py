"""Who asks, and whether they may: asked once for every request, before anything else of the workbench runs."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import RedirectResponse, Response
from starlette.types import Scope

from caesura.web.guesses import Guesses
from caesura.web.naming import SORTS
from caesura.web.people import People
from caesura.web.permissions import ANYBODY, Operation, find_operation
from caesura.web.rows import NotFound, StoreFault
from caesura.web.security import COOKIE, SESSION_COOKIE, client_of, cookie_value, judge_guess, refuse
from caesura.web.settings import Settings
from caesura.web.viewers import DEED, Deed, Viewer

_NOBODY = Viewer("", None, None, alone=False, everywhere=False)


async def admit(scope: Scope, headers: Headers, settings: Settings, guesses: Guesses) -> Response | None:
    """Find out who asks and put them where the API looks for them; or the answer that says why they may not."""
    operation, named = find_operation(scope["method"], scope["path"])
    scope["state"]["viewer"] = _NOBODY
    if operation is not None and ANYBODY in operation.roles:
        return None
    people = People(scope["app"].state.store)
    cookies = cookie_parser(headers.get("cookie", ""))
    target, missing = _target(named)
    try:
        known = await run_in_threadpool(people.viewer, cookies.get(SESSION_COOKIE, ""), target)
    except NotFound as fault:
        return refuse(404, str(fault))
    except StoreFault as fault:
        return refuse(503, str(fault))
    if known is None or known.alone:
        wrong = _check_token(scope, headers, cookies, settings, guesses, alone=known is not None)
        if wrong is not None:
            return wrong
    viewer = await run_in_threadpool(people.owner, target) if known is None else known
    scope["state"]["viewer"] = viewer
    if viewer.alone:
        return None
    if operation is None or missing:
        return refuse(404, "there is nothing at this address.")
    return await _check_role(scope, operation, viewer, people)


async def _check_role(scope: Scope, operation: Operation, viewer: Viewer, people: People) -> Response | None:
    """The one place where roles are enforced; what is done is written down in the transaction that does it."""
    deed = Deed(viewer.name, operation.what, scope["path"][:500], viewer.project, client_of(scope))
    changing = scope["method"] not in ("GET", "HEAD")
    if not operation.allows(viewer):
        if changing:
            refused = Deed(deed.name, f"was refused to {deed.what}", deed.address, deed.project, deed.client)
            await run_in_threadpool(people.note, refused)
        return refuse(403, f"{_article(viewer.role)} may not {operation.what} here{_until(operation, viewer)}.")
    DEED.set(deed if changing else None)
    return None


def _check_token(
    scope: Scope, headers: Headers, cookies: Mapping[str, str], settings: Settings, guesses: Guesses, *, alone: bool
) -> Response | None:
    """Whoever has no session needs the token of the workbench, if it has one; where it knows nobody and has none, there is no door."""
    token = settings.token
    if token is None and alone:
        return None
    scheme, _, bearer = headers.get("authorization", "").partition(" ")
    cookie = cookies.get(COOKIE, "")
    if token is None or (not bearer and not cookie):  # nothing was guessed
        if not alone and scope["method"] == "GET" and not scope["path"].startswith("/api"):
            return RedirectResponse("/login", 303)
        if token is None or not alone:
            return refuse(401, "say who you are: open /login, or your personal link.")
        return refuse(401, "this workbench wants its token: open /login, or send Authorization: Bearer TOKEN.")
    # the bytes of a header arrive as Latin-1, whatever they were written in
    right = scheme.lower() == "bearer" and hmac.compare_digest(bearer.encode("latin-1"), token.encode())
    right |= hmac.compare_digest(cookie.encode(), cookie_value(token).encode())
    return judge_guess(guesses, client_of(scope), right)


def _target(named: Mapping[str, Any]) -> tuple[tuple[str, int] | None, bool]:
    """What an address is about; and whether its number is of nothing, or of something that belongs to no project."""
    for sort in ("project", "item", "annotation"):
        if sort in named:
            number = _number(named[sort])
            return (None, True) if number is None else ((sort, number), False)
    if "sort" in named:
        number, of = _number(named["number"]), SORTS.get(named["sort"])
        return (None, True) if number is None or of is None else ((of, number), False)
    return None, False


def _number(given: str) -> int | None:
    return int(given) if given.isascii() and given.isdigit() and 0 < int(given[:11]) < 2**31 else None


def _article(role: str | None) -> str:
    return "whoever has no role" if role is None else f"{'an' if role[0] == 'a' else 'a'} {role}"


def _until(operation: Operation, viewer: Viewer) -> str:
    return " before the project is released" if viewer.role in operation.once_released and not viewer.released else ""
