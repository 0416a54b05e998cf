"""HTML pages, rendered with Jinja and filled by scripts from the API, and the sign-in routes."""

from __future__ import annotations

import hmac
import time
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, get_args

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.templating import Jinja2Templates

from caesura._version import __version__
from caesura.display.palette import PALETTE
from caesura.errors import CaesuraError
from caesura.report.page import LOGO, POLICY, SHARED_SCRIPT
from caesura_workbench.api import Jobs, ViewerStore
from caesura_workbench.background import BackgroundJob
from caesura_workbench.campaign import Campaign, Guidelines
from caesura_workbench.exports import file_stem
from caesura_workbench.files_api import start_report
from caesura_workbench.languages import COOKIE, NAMES, language, language_of
from caesura_workbench.middleware import (
    SESSION_COOKIE,
    TOKEN_COOKIE,
    check_attempt,
    client_address,
    csrf_token,
    error_response,
    retry_later_response,
    token_cookie,
)
from caesura_workbench.people import SESSION_DAYS, People
from caesura_workbench.permissions import AuditEntry
from caesura_workbench.requests import PathId, Unit
from caesura_workbench.rows import NotFound
from caesura_workbench.store import Store
from caesura_workbench.throttling import LoginThrottle, client_network
from caesura_workbench.voting import Voting

pages = APIRouter(include_in_schema=False)
_static = Path(__file__).parent / "static"
#: The address of scripts and styles. A digest of their content is part of it, so that browsers may keep them, and fetch new ones after an update;
#: scripts import each other by relative addresses.
STATIC = (
    f"/static/{sha256(b''.join(p.read_bytes() for p in sorted(_static.iterdir()) if p.is_file())).hexdigest()[:12]}"
)

_templates = Jinja2Templates(Path(__file__).parent / "templates")


#: Light colours for drawings in print, even where the screen is in dark mode.
_ON_PAPER = "svg.caesura{" + "".join(f"--cs-{role}:{light}!important;" for role, (light, _) in PALETTE.items()) + "}"


def render_page(request: Request, template: str, **context: object) -> Response:
    """Render a template with what every page needs: the CSRF token, the viewer and the language."""
    csrf = csrf_token(request.app.state.settings, request.cookies.get(SESSION_COOKIE, ""))
    context |= {"csrf": csrf, "on_paper": _ON_PAPER, "viewer": request.state.viewer} | _common_context(request)
    return _templates.TemplateResponse(request, template, context)


def render_error(request: Request, status: int, message: str) -> bytes:
    """Render an error as a page; the viewer may be unknown."""
    shared = _common_context(request)
    titles = {404: "Not found", 403: "Not allowed", 401: "Sign in required"}
    title = shared["_"](titles.get(status, "Something went wrong"))
    viewer = getattr(request.state, "viewer", None)
    context = {
        "title": title,
        "message": message,
        "status": status,
        "path": request.url.path,
        "viewer": viewer,
    } | shared
    return _templates.get_template("error.html").render(context).encode()


def _common_context(request: Request) -> dict[str, Any]:
    spoken = language_of(request)
    return {"language": spoken, "languages": NAMES, "_": spoken.translate, "version": __version__, "static": STATIC}


@pages.get("/texts/{name}.js")
def texts(name: str) -> Response:
    """Return the texts of the interface in another language, for the scripts; the address changes with them."""
    spoken = language(name.partition("-")[0] if name.partition("-")[0] in NAMES else "en")
    return Response(
        spoken.script, media_type="text/javascript", headers={"Cache-Control": "public, max-age=31536000, immutable"}
    )


@pages.get("/language/{code}")
def choose_language(request: Request, code: str) -> Response:
    """Choose the language of the interface in this browser, and go back to the account."""
    answer = RedirectResponse("/account", status_code=303)
    if code in NAMES:
        secure = request.url.scheme == "https"
        answer.set_cookie(COOKIE, code, max_age=10 * 365 * 86_400, samesite="strict", secure=secure)
    return answer


@pages.get("/", response_class=HTMLResponse)
def home(request: Request, store: ViewerStore) -> Response:
    """List all projects; somebody who only annotates is led to their next item."""
    item = _next_of_all(store)
    return (
        RedirectResponse(f"/items/{item}#today", status_code=303)
        if item
        else render_page(request, "home.html", page="home")
    )


def _next_of_all(store: Store) -> int | None:
    """Return the next item of somebody who is an annotator of unreleased projects and nothing else."""
    viewer = store.viewer
    if viewer.single_user or viewer.site_manager or viewer.person is None:
        return None
    roles = Campaign(store).roles_of(viewer.person)
    if not roles or any(role != "annotator" or released for _, role, released in roles):
        return None
    found = (Campaign(store).next_item(project) for project, *_ in roles)
    return next((item for item in found if item), None)


def _project_page(
    request: Request, store: Store, template: str, page: str, project: int, **context: object
) -> Response:
    name = store.project_name(project)
    return render_page(
        request, template, page=page, project=project, project_name=name, units=get_args(Unit),
        asked=Voting(store, project).has_questions(), **context
    )  # fmt: skip


@pages.get("/projects/{project}", response_class=HTMLResponse)
def project(request: Request, store: ViewerStore, project: PathId) -> Response:
    """Show the progress of a project; blind annotators are led to their next item, readers of an unreleased project get the guidelines."""
    viewer = store.viewer
    if viewer.blind and (item := Campaign(store).next_item(project)):
        return RedirectResponse(f"/items/{item}", status_code=303)
    if viewer.blind and Voting(store, project).has_unanswered():
        return RedirectResponse(f"/projects/{project}/votes", status_code=303)
    waiting = viewer.blind or (viewer.role == "reader" and not viewer.released)
    return _project_page(request, store, "tasks.html" if waiting else "project.html", "project", project)


@pages.get("/projects/{project}/guidelines", response_class=HTMLResponse)
def guidelines(request: Request, store: ViewerStore, project: PathId) -> Response:
    """Show the guidelines of a project."""
    return _project_page(request, store, "guidelines_page.html", "guidelines", project)


@pages.get("/projects/{project}/disputes", response_class=HTMLResponse)
def disputes(request: Request, store: ViewerStore, project: PathId) -> Response:
    """List the places where annotators differ."""
    return _project_page(request, store, "disputes.html", "disputes", project)


@pages.get("/projects/{project}/agreement", response_class=HTMLResponse)
def agreement(request: Request, store: ViewerStore, project: PathId) -> Response:
    """Show how well annotators agree."""
    return _project_page(request, store, "agreement.html", "agreement", project)


_Coder = Annotated[str, Query(max_length=200)]


@pages.get("/projects/{project}/compare")
def compare(
    store: ViewerStore,
    project: PathId,
    first: _Coder = "",
    second: _Coder = "",
    sort: Annotated[str, Query(max_length=50)] = "",
) -> Response:
    """Open the comparison of two coders, in the first item that both annotated; without two, the page where they are chosen."""
    store.project_name(project)
    if not (first and second):
        return RedirectResponse(f"/projects/{project}/agreement", status_code=303)
    shared = store.shared_item(project, first, second, sort.removeprefix("typed ") or None)
    if shared is None:
        raise NotFound(f"{first} and {second} have no item in common.")
    item, *annotations = shared
    return RedirectResponse(f"/items/{item}?c={annotations[0]}&c={annotations[1]}#compare", status_code=303)


@pages.get("/projects/{project}/schema", response_class=HTMLResponse)
def project_schema(request: Request, store: ViewerStore, project: PathId) -> Response:
    """Show what is marked in a project: units, labels, types, tiers and suggestions."""
    return _project_page(request, store, "schema.html", "schema", project)


@pages.get("/projects/{project}/people", response_class=HTMLResponse)
def project_people(request: Request, store: ViewerStore, project: PathId) -> Response:
    """Show who has which role in a project."""
    return _project_page(request, store, "project_people.html", "people", project)


@pages.get("/projects/{project}/import", response_class=HTMLResponse)
def project_import(request: Request, store: ViewerStore, project: PathId) -> Response:
    """Add files or texts to a project."""
    return _project_page(request, store, "import.html", "import", project)


@pages.get("/projects/{project}/export", response_class=HTMLResponse)
def project_export(request: Request, store: ViewerStore, project: PathId) -> Response:
    """Download the annotations of a project."""
    return _project_page(
        request, store, "export.html", "export", project, file_name=file_stem(store.project_name(project))
    )


@pages.get("/projects/{project}/votes", response_class=HTMLResponse)
def project_votes(request: Request, store: ViewerStore, project: PathId) -> Response:
    """Ask which of two masked segmentations is closer to gold."""
    return _project_page(request, store, "votes.html", "votes", project)


_REPORT_WAIT = 1.5  # seconds; a report that takes longer is announced by a page that asks again


@pages.get("/projects/{project}/report", response_class=HTMLResponse)
def report(
    request: Request,
    store: ViewerStore,
    jobs: Jobs,
    project: PathId,
    sort: Annotated[str | None, Query(max_length=50)] = None,
    reference: Annotated[str | None, Query(max_length=200)] = None,
    job: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
) -> Response:
    """Show the report of a project's coders, or of all against ``reference``, as ``caesura report`` writes it; meanwhile, how far it is.

    It is a job in the background, which is started once per state of the project; the page that waits names its job, so that changes meanwhile start no other.
    """
    name = store.project_name(project)
    begun = None if job is None else request.app.state.background.get(jobs.owner, job)
    if begun is None or (begun.what, begun.project) != ("report", project):
        begun = start_report(request, store, jobs, project, sort, reference)
    return _show_report(request, begun, name)


def _show_report(request: Request, job: BackgroundJob, name: str) -> Response:
    if not job.finished.wait(_REPORT_WAIT):
        progress = "" if job.progress is None else job.progress.text
        page = render_page(
            request, "waiting.html", title=name, progress=progress, seconds=round(time.monotonic() - job.created)
        )
        page.headers["Refresh"] = f"2; url={request.url.path}?job={job.number}"
        return page
    if job.file is None:
        raise CaesuraError(job.error or "the report could not be written.")
    policy = {"Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'", "Cache-Control": "no-store"}
    return FileResponse(job.file, media_type="text/html; charset=utf-8", headers=policy)


@pages.get("/items/{item}", response_class=HTMLResponse)
def item(request: Request, store: ViewerStore, item: PathId) -> Response:
    """Show one item in its editor, to annotate, compare and adjudicate."""
    record = store.item(item)
    guide = Guidelines(store, record.project).read()
    return _project_page(
        request, store, "item.html", "item", record.project, guidelines=guide["html"], guide=guide, item=item, name=record.name,
        track=record.track, kind=record.kind, editor=_EDITORS[record.kind], rail=True,
    )  # fmt: skip


#: Kind of item -> editor, that is editor_….html and editor_….js.
_EDITORS = {"units": "text", "time": "time", "nested": "nested", "spans": "spans", "spans in time": "spans"}


@pages.get("/people", response_class=HTMLResponse)
def people(request: Request) -> Response:
    """Manage accounts and read the audit log."""
    return render_page(request, "people.html", page="people")


@pages.get("/account", response_class=HTMLResponse)
def account(request: Request) -> Response:
    """Set one's own password, language and keys, and end sessions."""
    return render_page(request, "account.html", page="account")


@pages.get("/shared.js")
def shared_script() -> Response:
    """Return the script that pages share with reports: drawings on paper, wide tables scrolled by keys."""
    return Response(SHARED_SCRIPT, media_type="text/javascript", headers={"Cache-Control": "max-age=3600"})


@pages.get("/favicon.ico")
def favicon() -> Response:
    """Return the logo."""
    return Response(LOGO, media_type="image/svg+xml", headers={"Cache-Control": "max-age=86400"})


# ---------------------------------------------------------------------- sign-in

_Field = Annotated[str, Form(max_length=500)]


@pages.get("/login", response_class=HTMLResponse)
def login(request: Request) -> Response:
    """Show the sign-in page."""
    settings, people = request.app.state.settings, People(request.app.state.store)
    return render_page(request, "login.html", people=people.exist(), token=settings.token is not None)


@pages.get("/enter", response_class=HTMLResponse)
def enter(request: Request) -> Response:
    """Open a personal link; its secret follows the #, so that it appears in no log and is sent to no other site."""
    return render_page(request, "enter.html")


@pages.post("/login")
def log_in(
    request: Request, token: _Field = "", name: _Field = "", password: _Field = "", link: _Field = ""
) -> Response:
    """Sign in with the token, a name and its password, or a personal link; every sign-in starts a new session."""
    if token:
        return _log_in_with_token(request, token)
    if not link and not (name and password):
        return error_response(422, "enter a name and password, a personal link, or the token.")
    people, client = People(request.app.state.store), client_address(request.scope)
    name = name.replace("\0", "\ufffd")  # PostgreSQL does not look for a zero character
    if link:  # a secret of 192 bits cannot be guessed, so that nobody has to wait
        person = people.by_link(link)
    else:
        # counted per client, and per account and client: what others guess elsewhere does not keep the owner of an account out
        network, attempts = client_network(client), LoginThrottle(request.app.state.store)
        whos = (f"client {network}", f"account {name} from {network}")
        if (wait := attempts.seconds_to_wait(*whos)) > 0:
            return retry_later_response(wait, "too many wrong passwords", ", or use your personal link")
        person = _check_password(people, name, password)
        attempts.record(person is not None, *whos)
    if person is None:
        if people.exist():
            people.log(AuditEntry(name[:100] or "?", "failed to sign in", client=client))
        wrong = "this personal link is not valid any more; ask for a new one." if link else "wrong name or password."
        return error_response(401, wrong)
    secret = people.begin_session(person.id, client, replaces=request.cookies.get(SESSION_COOKIE))
    people.log(AuditEntry(person.name, "signed in", client=client))
    return _with_cookie(request, SESSION_COOKIE, secret)


@pages.post("/logout", status_code=204)
def log_out(request: Request) -> Response:
    """Sign out; the session also ends on the server."""
    People(request.app.state.store).end_session(request.cookies.get(SESSION_COOKIE, ""))
    answer = Response(status_code=204)
    for cookie in (SESSION_COOKIE, TOKEN_COOKIE):
        answer.delete_cookie(cookie)
    return answer


def _log_in_with_token(request: Request, token: str) -> Response:
    expected = request.app.state.settings.token
    right = expected is not None and hmac.compare_digest(token.encode("utf-8", "replace"), expected.encode())
    denied = check_attempt(request.state.throttle, client_address(request.scope), right)
    return _with_cookie(request, TOKEN_COOKIE, token_cookie(expected)) if denied is None else denied


def _check_password(people: People, name: str, password: str) -> Any:
    from caesura_workbench.people import verify_password

    person = people.by_name(name)
    return person if verify_password(password, None if person is None else person.password) else None


def _with_cookie(request: Request, cookie: str, value: str) -> Response:
    answer = Response(status_code=204)
    age = SESSION_DAYS * 86_400 if cookie == SESSION_COOKIE else None
    answer.set_cookie(
        cookie, value, max_age=age, httponly=True, samesite="strict", secure=request.url.scheme == "https"
    )
    return answer
