"""The pages: shells that Jinja renders and scripts fill from the API. Every state a user can share has an address."""

from __future__ import annotations

import hmac
from pathlib import Path
from typing import Annotated, get_args

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, Response
from starlette.templating import Jinja2Templates

from caesura._version import __version__
from caesura.display.palette import PALETTE
from caesura.report.page import PAPER_SCRIPT
from caesura.web.requests import Id, Unit
from caesura.web.security import COOKIE, client_of, cookie_value, csrf_token, judge_guess

pages = APIRouter(include_in_schema=False)
_templates = Jinja2Templates(Path(__file__).parent / "templates")


#: Drawings follow the screen into the dark; paper is light.
_ON_PAPER = "svg.caesura{" + "".join(f"--cs-{role}:{light}!important;" for role, (light, _) in PALETTE.items()) + "}"


def _page(request: Request, template: str, **context: object) -> Response:
    context |= {"csrf": csrf_token(request.app.state.settings), "version": __version__, "on_paper": _ON_PAPER}
    return _templates.TemplateResponse(request, template, context)


@pages.get("/", response_class=HTMLResponse)
def home(request: Request) -> Response:
    """All projects."""
    return _page(request, "home.html")


@pages.get("/projects/{project}", response_class=HTMLResponse)
def project(request: Request, project: Id) -> Response:
    """One project: items, agreement, places in dispute."""
    store = request.app.state.store
    return _page(request, "project.html", project=project, name=store.project_name(project), units=get_args(Unit))


@pages.get("/items/{item}", response_class=HTMLResponse)
def item(request: Request, item: Id) -> Response:
    """One item: compare and adjudicate."""
    store = request.app.state.store
    record = store.item(item)
    return _page(
        request, "item.html", item=item, name=record.name, track=record.track, kind=record.kind, project=record.project,
        project_name=store.project_name(record.project),
    )  # fmt: skip


@pages.get("/login", response_class=HTMLResponse)
def login(request: Request) -> Response:
    """Ask for the token."""
    return _page(request, "login.html")


@pages.post("/login")
def log_in(request: Request, token: Annotated[str, Form(max_length=500)]) -> Response:
    """Remember the token in a cookie that scripts cannot read and other sites cannot send."""
    expected = request.app.state.settings.token
    right = expected is not None and hmac.compare_digest(token.encode("utf-8", "replace"), expected.encode())
    denied = judge_guess(request.state.guesses, client_of(request.scope), right)
    if denied is not None:
        return denied
    answer = Response(status_code=204)
    answer.set_cookie(COOKIE, cookie_value(expected), httponly=True, samesite="strict")
    return answer


@pages.get("/print.js")
def printing() -> Response:
    """What reports do to drawings on paper, for our pages too."""
    return Response(PAPER_SCRIPT, media_type="text/javascript", headers={"Cache-Control": "max-age=3600"})


@pages.get("/favicon.ico")
def favicon() -> Response:
    """The mark of a pause."""
    mark = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M6 2v12M10 2v12" stroke="#00785a" stroke-width="2"/></svg>'
    return Response(mark, media_type="image/svg+xml", headers={"Cache-Control": "max-age=86400"})
