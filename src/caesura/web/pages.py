"""The pages: shells that Jinja renders and scripts fill from the API. Every state a user can share has an address."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_args

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response
from starlette.templating import Jinja2Templates

from caesura._version import __version__
from caesura.display.palette import PALETTE
from caesura.errors import CaesuraError
from caesura.report.page import LOGO, POLICY, SHARED_SCRIPT
from caesura.web.api import Seen
from caesura.web.guidelines import Guidelines
from caesura.web.requests import Id, Unit
from caesura.web.security import SESSION_COOKIE, csrf_token

pages = APIRouter(include_in_schema=False)
_templates = Jinja2Templates(Path(__file__).parent / "templates")


#: Drawings follow the screen into the dark; paper is light.
_ON_PAPER = "svg.caesura{" + "".join(f"--cs-{role}:{light}!important;" for role, (light, _) in PALETTE.items()) + "}"


def render_page(request: Request, template: str, **context: object) -> Response:
    """A page with what all of them carry: the token for changes, and who is looking."""
    csrf = csrf_token(request.app.state.settings, request.cookies.get(SESSION_COOKIE, ""))
    context |= {"csrf": csrf, "version": __version__, "on_paper": _ON_PAPER, "viewer": request.state.viewer}
    return _templates.TemplateResponse(request, template, context)


def render_fault(request: Request, status: int, sentence: str) -> bytes:
    """A page that says no, and why; of somebody who may not have said who they are."""
    title = {404: "Nothing here", 403: "Not for you", 401: "Sign in first"}.get(status, "This did not work")
    context = {
        "title": title,
        "sentence": sentence,
        "version": __version__,
        "viewer": getattr(request.state, "viewer", None),
    }
    return _templates.get_template("fault.html").render(context).encode()


@pages.get("/", response_class=HTMLResponse)
def home(request: Request) -> Response:
    """All projects."""
    return render_page(request, "home.html")


@pages.get("/projects/{project}", response_class=HTMLResponse)
def project(request: Request, store: Seen, project: Id) -> Response:
    """One project: items, agreement, places in dispute; who sees nothing of these yet has their own items and the guidelines."""
    viewer = store.viewer
    waiting = viewer.blind or (viewer.role == "reader" and not viewer.released)
    template = "tasks.html" if waiting else "project.html"
    return render_page(request, template, project=project, name=store.project_name(project), units=get_args(Unit))


@pages.get("/projects/{project}/report", response_class=HTMLResponse)
def report(store: Seen, project: Id, sort: Annotated[str | None, Query(max_length=50)] = None) -> Response:
    """The report of a project's coders as it stands: the page that ``caesura report`` writes, with the policy that names its one script."""
    from caesura.report.findings import make_report
    from caesura.report.page import html_page

    corpus = store.corpus(project, sort=sort, role="coder")
    if not len(corpus):
        raise CaesuraError("there is nothing to report on yet; a coder’s annotation is needed.")
    page = html_page(make_report(corpus, store.project_name(project)))
    return HTMLResponse(
        page, headers={"Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'", "Cache-Control": "no-store"}
    )


@pages.get("/items/{item}", response_class=HTMLResponse)
def item(request: Request, store: Seen, item: Id) -> Response:
    """One item: compare and adjudicate."""
    record = store.item(item)
    guidelines = Guidelines(store, record.project).read()
    return render_page(
        request, "item.html", guidelines=guidelines["html"], item=item, name=record.name, track=record.track, kind=record.kind, project=record.project,
        project_name=store.project_name(record.project), editor=_EDITORS[record.kind],
    )  # fmt: skip


#: Kind of an item -> its editor: editor_….html and editor_….js.
_EDITORS = {"units": "text", "time": "time", "nested": "nested", "spans": "spans", "spans in time": "spans"}


@pages.get("/people", response_class=HTMLResponse)
def people(request: Request) -> Response:
    """Who may come in, and who did what."""
    return render_page(request, "people.html")


@pages.get("/account", response_class=HTMLResponse)
def account(request: Request) -> Response:
    """One's own password and sessions."""
    return render_page(request, "account.html")


@pages.get("/shared.js")
def shared_script() -> Response:
    """What reports do too: drawings cut on paper, wide tables scrolled by keys."""
    return Response(SHARED_SCRIPT, media_type="text/javascript", headers={"Cache-Control": "max-age=3600"})


@pages.get("/favicon.ico")
def favicon() -> Response:
    """The logo."""
    return Response(LOGO, media_type="image/svg+xml", headers={"Cache-Control": "max-age=86400"})
