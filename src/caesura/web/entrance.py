"""The way in and out: the workbench's token, a password, or a personal link, all slowed against guessing; a new session every time."""

from __future__ import annotations

import hmac
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, Response

from caesura.web.guesses import network_of
from caesura.web.login_tries import LoginTries
from caesura.web.pages import render_page
from caesura.web.people import SESSION_DAYS, People
from caesura.web.security import COOKIE, SESSION_COOKIE, client_of, cookie_value, judge_guess, refuse, refuse_for_now
from caesura.web.viewers import Deed

entrance = APIRouter(include_in_schema=False)

_Field = Annotated[str, Form(max_length=500)]


@entrance.get("/login", response_class=HTMLResponse)
def login(request: Request) -> Response:
    """Ask who it is."""
    settings, people = request.app.state.settings, People(request.app.state.store)
    return render_page(request, "login.html", people=people.any(), token=settings.token is not None)


@entrance.get("/enter", response_class=HTMLResponse)
def enter(request: Request) -> Response:
    """Where a personal link leads: its secret stands behind the #, so that no log and no other site ever sees it."""
    return render_page(request, "enter.html")


@entrance.post("/login")
def log_in(
    request: Request, token: _Field = "", name: _Field = "", password: _Field = "", link: _Field = ""
) -> Response:
    """Let in whoever has the token, a name with its password, or a personal link, with cookies that scripts cannot read and other sites cannot send."""
    if token:
        return _with_token(request, token)
    if not link and not (name and password):
        return refuse(422, "give a name with its password, a personal link, or the token.")
    people, client = People(request.app.state.store), client_of(request.scope)
    tries = LoginTries(request.app.state.store)
    whos = (f"client {network_of(client)}", *(() if link else (f"account {name}",)))
    if (wait := tries.seconds_to_wait(*whos)) > 0:
        return refuse_for_now(wait, "too many wrong passwords", ", or use your personal link")
    person = people.by_link(link) if link else _with_password(people, name, password)
    tries.note(person is not None, *whos)
    denied = judge_guess(request.state.guesses, client, person is not None, "this is not how anybody comes in here.")
    if denied is not None:
        if people.any() and denied.status_code == 401:
            people.note(Deed(name[:100] or "?", "was refused entry", client=client))
        return denied
    secret = people.begin_session(person.id, client, instead_of=request.cookies.get(SESSION_COOKIE))
    people.note(Deed(person.name, "came in", client=client))
    return _remember(request, SESSION_COOKIE, secret)


@entrance.post("/logout", status_code=204)
def log_out(request: Request) -> Response:
    """Leave: the session ends here, not only in the browser."""
    People(request.app.state.store).end_session(request.cookies.get(SESSION_COOKIE, ""))
    answer = Response(status_code=204)
    for cookie in (SESSION_COOKIE, COOKIE):
        answer.delete_cookie(cookie)
    return answer


def _with_token(request: Request, token: str) -> Response:
    expected = request.app.state.settings.token
    right = expected is not None and hmac.compare_digest(token.encode("utf-8", "replace"), expected.encode())
    denied = judge_guess(request.state.guesses, client_of(request.scope), right)
    return _remember(request, COOKIE, cookie_value(expected)) if denied is None else denied


def _with_password(people: People, name: str, password: str) -> Any:
    from caesura.web.passwords import is_password

    person = people.by_name(name)
    return person if is_password(password, None if person is None else person.password) else None


def _remember(request: Request, cookie: str, value: str) -> Response:
    answer = Response(status_code=204)
    age = SESSION_DAYS * 86_400 if cookie == SESSION_COOKIE else None
    answer.set_cookie(
        cookie, value, max_age=age, httponly=True, samesite="strict", secure=request.url.scheme == "https"
    )
    return answer
