"""JSON API of accounts and annotation campaigns."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query, Request, Response
from pydantic import AfterValidator, Field, StringConstraints

from caesura.errors import CaesuraError
from caesura_workbench.api import ExistingProject, ViewerStore
from caesura_workbench.campaign import Campaign, Guidelines
from caesura_workbench.characters import check_characters
from caesura_workbench.middleware import SESSION_COOKIE, client_address
from caesura_workbench.people import People
from caesura_workbench.permissions import Role
from caesura_workbench.project_responses import (
    AssignedResponse,
    AuditRow,
    GuidelinesResponse,
    LinkResponse,
    MemberResponse,
    MeResponse,
    NewPersonResponse,
    PersonResponse,
    TaskResponse,
)
from caesura_workbench.requests import MAX_ID, BodyId, JsonObject, Name, PathId, RequestBody, api_router
from caesura_workbench.responses import NewTokenResponse, TokenResponse

router = api_router()

Password = Annotated[str, StringConstraints(max_length=500)]


class NewPerson(RequestBody):
    """An account to add; the first sets a password, later ones sign in with a personal link."""

    name: Name
    manager: bool = False
    password: Password | None = None


class ChangedPerson(RequestBody):
    """Whether somebody manages the workbench, and whether they may sign in."""

    manager: bool | None = None
    active: bool | None = None


class NewPassword(RequestBody):
    """A new password for oneself, with the current one if there is one."""

    password: Password
    present: Password = ""


class Membership(RequestBody):
    """A person's role in a project; null removes it."""

    person: BodyId
    role: Role | None


class NewMember(RequestBody):
    """A new or existing account to add to a project, by name."""

    name: Name
    role: Role


class AssignmentRequest(RequestBody):
    """Assign each item to all annotators, or to ``per_item`` of them."""

    per_item: Annotated[int, Field(ge=1, le=1000)] | None = None


class Assignees(RequestBody):
    """The annotators of an item."""

    people: Annotated[list[BodyId], Field(max_length=1000)]


class StatusUpdate(RequestBody):
    """The status of an item; managers also name the person."""

    status: Literal["open", "done", "discuss"]
    note: Annotated[
        str, StringConstraints(strip_whitespace=True, max_length=2000), AfterValidator(check_characters)
    ] = ""
    person: BodyId | None = None


class NewGuidelines(RequestBody):
    """Guidelines in Markdown, and the version they are based on (0 if there was none)."""

    text: Annotated[str, StringConstraints(max_length=200_000), AfterValidator(check_characters)]
    version: Annotated[int, Field(ge=0, le=2**31 - 1)]


class Release(RequestBody):
    """Whether annotators and readers see everything."""

    released: bool


# ---------------------------------------------------------------------- own account


@router.get("/me", tags=["people"], response_model=MeResponse)
def me(store: ViewerStore) -> dict[str, Any]:
    """Return the signed-in person; ``alone`` is true if the workbench has no accounts."""
    viewer = store.viewer
    return {"name": viewer.name, "person": viewer.person, "alone": viewer.single_user, "manager": viewer.site_manager}


@router.put("/me/password", status_code=204, tags=["people"])
def set_password(request: Request, store: ViewerStore, body: NewPassword) -> None:
    """Set one's own password; all other sessions end."""
    from caesura_workbench.people import hash_password, verify_password

    viewer, people = store.viewer, People(store)
    if viewer.person is None:
        raise CaesuraError("you are not signed in to an account.")
    before = people.by_name(viewer.name).password
    if before is not None and not verify_password(body.present, before):
        raise CaesuraError("wrong current password.")
    people.set_password(viewer.person, hash_password(body.password), keep=request.cookies.get(SESSION_COOKIE))


class NewToken(RequestBody):
    """A token for programs: what it may do, and for how many days; null means until it is deleted."""

    name: Name
    scopes: Annotated[list[Literal["read", "annotate", "manage"]], Field(min_length=1, max_length=3)]
    days: Annotated[int, Field(ge=1, le=3660)] | None = 365


@router.get("/me/tokens", response_model=list[TokenResponse], tags=["people"])
def my_tokens(store: ViewerStore) -> list[dict[str, Any]]:
    """List one's own tokens for programs, without their secrets."""
    return [] if store.viewer.person is None else People(store).tokens(store.viewer.person)


@router.post("/me/tokens", response_model=NewTokenResponse, status_code=201, tags=["people"])
def add_token(store: ViewerStore, body: NewToken) -> dict[str, Any]:
    """Create a token for programs, which send it as ``Authorization: Bearer TOKEN``; it is shown once."""
    if store.viewer.person is None:
        raise CaesuraError("tokens belong to accounts; sign in to yours, or add the first one on the page People.")
    return People(store).add_token(store.viewer.person, body.name, body.scopes, body.days)


@router.delete("/me/tokens/{token}", status_code=204, tags=["people"])
def delete_token(store: ViewerStore, token: PathId) -> None:
    """Delete one of one's own tokens."""
    People(store).delete_token(store.viewer.person or 0, token)


@router.get("/people/{person}/tokens", response_model=list[TokenResponse], tags=["people"])
def tokens_of(store: ViewerStore, person: PathId) -> list[dict[str, Any]]:
    """List somebody's tokens for programs, without their secrets."""
    return People(store).tokens(person)


@router.delete("/people/{person}/tokens/{token}", status_code=204, tags=["people"])
def delete_token_of(store: ViewerStore, person: PathId, token: PathId) -> None:
    """Delete somebody's token."""
    People(store).delete_token(person, token)


@router.get("/me/preferences", tags=["people"], response_model=dict[str, Any])
def preferences(store: ViewerStore) -> dict[str, Any]:
    """Return one's own settings for the pages."""
    return People(store).preferences(store.viewer.person)


@router.put("/me/preferences", tags=["people"], response_model=dict[str, Any])
def set_preferences(store: ViewerStore, body: JsonObject) -> dict[str, Any]:
    """Replace one's own settings for the pages, up to 4,096 bytes of JSON."""
    People(store).set_preferences(store.viewer.person, body)
    return body


@router.delete("/me/sessions", status_code=204, tags=["people"])
def end_other_sessions(request: Request, store: ViewerStore) -> None:
    """End one's other sessions."""
    if store.viewer.person is not None:
        People(store).end_sessions(store.viewer.person, keep=request.cookies.get(SESSION_COOKIE))


# ---------------------------------------------------------------------- people


@router.get("/people", tags=["people"], response_model=list[PersonResponse])
def people(store: ViewerStore) -> list[dict[str, Any]]:
    """List all accounts."""
    return People(store).list_all()


@router.post("/people", status_code=201, tags=["people"], response_model=NewPersonResponse)
def add_person(request: Request, store: ViewerStore, person: NewPerson, response: Response) -> dict[str, Any]:
    """Add an account and return its personal link. The first account is a manager and is signed in at once; from then on everybody has to sign in."""
    from caesura_workbench.people import hash_password

    known, alone = People(store), store.viewer.single_user
    if person.manager:
        store.viewer.check_gives_access()
    if alone and not person.password:
        raise CaesuraError("choose a password; from now on everybody has to sign in, including you.")
    hashed = hash_password(person.password) if person.password else None
    number, link = known.add(person.name, manager=person.manager or alone, password=hashed)
    if not alone:
        return {"id": number, "name": person.name, "link": None if hashed else f"/enter#{link}"}
    secret = known.begin_session(number, client_address(request.scope), replaces=None)
    response.set_cookie(SESSION_COOKIE, secret, httponly=True, samesite="strict", secure=request.url.scheme == "https")
    return {"id": number, "name": person.name, "link": None}


@router.put("/people/{person}", status_code=204, tags=["people"])
def change_person(store: ViewerStore, person: PathId, body: ChangedPerson) -> None:
    """Make somebody a manager or not, or activate or deactivate their account; their annotations stay."""
    if body.manager:
        store.viewer.check_gives_access()
    People(store).change(person, manager=body.manager, active=body.active)


@router.post("/people/{person}/link", status_code=201, tags=["people"], response_model=LinkResponse)
def new_link(store: ViewerStore, person: PathId) -> dict[str, str]:
    """Create a new personal link; the old one and all sessions of the person end."""
    return {"link": f"/enter#{People(store).new_link(person)}"}


@router.delete("/people/{person}/sessions", status_code=204, tags=["people"])
def end_sessions(store: ViewerStore, person: PathId) -> None:
    """End all sessions of a person; they can sign in again with their link or password."""
    People(store).end_sessions(person)


@router.get("/audit", tags=["people"], response_model=list[AuditRow])
def audit(
    store: ViewerStore,
    before: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    most: Annotated[int, Query(ge=1, le=5000)] = 200,
) -> list[dict[str, Any]]:
    """Return the audit log, newest first."""
    return People(store).audit(before=before, limit=most)


# ---------------------------------------------------------------------- campaigns


@router.get("/projects/{project}/members", tags=["campaign"], response_model=list[MemberResponse])
def members(store: ViewerStore, project: PathId) -> list[dict[str, Any]]:
    """List everybody with a role in a project."""
    return Campaign(store).members(project)


@router.post("/projects/{project}/people", status_code=201, tags=["campaign"], response_model=NewPersonResponse)
def add_member(store: ViewerStore, project: ExistingProject, body: NewMember) -> dict[str, Any]:
    """Add somebody to a project by name, creating an account with a personal link if there is none yet."""
    if store.viewer.single_user:
        raise CaesuraError("the workbench is in single-user mode; add the first account on the page People.")
    if body.role == "manager":
        store.viewer.check_gives_access()
    known = People(store)
    person, link = known.by_name(body.name), None
    if person is None:
        number, link = known.add(body.name, manager=False)
    else:
        number = person.id
    Campaign(store).set_role(project, number, body.role, added=True)
    return {"id": number, "name": body.name, "link": None if link is None else f"/enter#{link}"}


@router.put("/projects/{project}/members", tags=["campaign"], response_model=list[MemberResponse])
def set_role(store: ViewerStore, project: ExistingProject, body: Membership) -> list[dict[str, Any]]:
    """Set or remove somebody's role in a project."""
    if body.role == "manager":
        store.viewer.check_gives_access()
    Campaign(store).set_role(project, body.person, body.role)
    return Campaign(store).members(project)


@router.post("/projects/{project}/assignments", tags=["campaign"], response_model=AssignedResponse)
def assign(store: ViewerStore, project: ExistingProject, body: AssignmentRequest) -> dict[str, Any]:
    """Assign the items of a project to its annotators; annotations in progress keep their annotator."""
    return {"items": Campaign(store).assign(project, body.per_item)}


@router.put("/items/{item}/assignees", status_code=204, tags=["campaign"])
def set_assignees(store: ViewerStore, item: PathId, body: Assignees) -> None:
    """Set the annotators of an item."""
    Campaign(store).set_assignees(item, body.people)


@router.get("/projects/{project}/tasks", tags=["campaign"], response_model=list[TaskResponse])
def tasks(
    store: ViewerStore, project: PathId, item: Annotated[int | None, Query(ge=1, le=MAX_ID)] = None
) -> list[dict[str, Any]]:
    """List one's own items and their states; with ``item``, that one only."""
    return Campaign(store).tasks(project, item)


@router.put("/items/{item}/status", status_code=204, tags=["campaign"])
def set_status(store: ViewerStore, item: PathId, body: StatusUpdate) -> None:
    """Mark an item as done, to be discussed, or open again."""
    store.item(item)
    Campaign(store).set_status(item, body.person, body.status, body.note)


@router.put("/projects/{project}/release", status_code=204, tags=["campaign"])
def release(store: ViewerStore, project: ExistingProject, body: Release) -> None:
    """Release a project, so that annotators and readers see everything and annotators can no longer change it; or close it again."""
    Campaign(store).release(project, body.released)


@router.get("/projects/{project}/audit", tags=["campaign"], response_model=list[AuditRow])
def project_audit(
    store: ViewerStore,
    project: PathId,
    before: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    most: Annotated[int, Query(ge=1, le=5000)] = 200,
) -> list[dict[str, Any]]:
    """Return the audit log of a project, newest first."""
    return People(store).audit(project=project, before=before, limit=most)


@router.get("/projects/{project}/guidelines", tags=["campaign"], response_model=GuidelinesResponse)
def guidelines(
    store: ViewerStore, project: ExistingProject, version: Annotated[int | None, Query(ge=0, le=2**31 - 1)] = None
) -> dict[str, Any]:
    """Return a version of the guidelines, the latest by default, as Markdown and HTML, with a list of versions."""
    return Guidelines(store, project).read(version)


@router.put("/projects/{project}/guidelines", tags=["campaign"], response_model=GuidelinesResponse)
def write_guidelines(store: ViewerStore, project: ExistingProject, body: NewGuidelines) -> dict[str, Any]:
    """Save a new version of the guidelines; 409 if somebody saved another one meanwhile. All versions are kept."""
    written = Guidelines(store, project)
    written.write(body.text, body.version)
    return written.read()
