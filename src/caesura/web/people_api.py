"""The JSON API of people and campaigns: the same operations that the pages offer."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query, Request, Response
from pydantic import Field, StringConstraints

from caesura.errors import CaesuraError
from caesura.web.api import Project, Seen
from caesura.web.campaign import Campaign
from caesura.web.guidelines import Guidelines
from caesura.web.people import People
from caesura.web.requests import Id, Key, Name, RequestBody, api_router
from caesura.web.security import SESSION_COOKIE, client_of
from caesura.web.viewers import Role

router = api_router()

Password = Annotated[str, StringConstraints(max_length=500)]


class NewPerson(RequestBody):
    """Somebody to let in; the first sets a password at once, later ones come by their link."""

    name: Name
    manager: bool = False
    password: Password | None = None


class ChangedPerson(RequestBody):
    """Whether somebody manages the workbench, and whether they may come in at all."""

    manager: bool | None = None
    active: bool | None = None


class NewPassword(RequestBody):
    """A password of one's own; the present one, where there is one."""

    password: Password
    present: Password = ""


class Membership(RequestBody):
    """A role in a project; null takes it away."""

    person: Key
    role: Role | None


class NewMember(RequestBody):
    """Somebody to work on a project, by name."""

    name: Name
    role: Role


class Assigning(RequestBody):
    """All items to all annotators, or to so many annotators each."""

    per_item: Annotated[int, Field(ge=1, le=1000)] | None = None


class Assignees(RequestBody):
    """Who is to annotate an item."""

    people: Annotated[list[Key], Field(max_length=1000)]


class Status(RequestBody):
    """How far an item is; a manager says whose."""

    status: Literal["open", "done", "discuss"]
    note: Annotated[str, StringConstraints(strip_whitespace=True, max_length=2000)] = ""
    person: Key | None = None


class NewGuidelines(RequestBody):
    """Guidelines as Markdown, and the version that the writer saw (0 where there was none)."""

    text: Annotated[str, StringConstraints(max_length=200_000)]
    version: Annotated[int, Field(ge=0, le=2**31 - 1)]


class Release(RequestBody):
    """Whether annotators and readers see everything."""

    released: bool


# ---------------------------------------------------------------------- oneself


@router.get("/me", tags=["people"])
def me(store: Seen) -> dict[str, Any]:
    """Who asks; ``alone`` where the workbench knows nobody."""
    viewer = store.viewer
    return {"name": viewer.name, "person": viewer.person, "alone": viewer.alone, "manager": viewer.everywhere}


@router.put("/me/password", status_code=204, tags=["people"])
def set_password(request: Request, store: Seen, wanted: NewPassword) -> None:
    """Set one's own password; all other sessions end."""
    from caesura.web.passwords import hash_password, is_password

    viewer, people = store.viewer, People(store)
    if viewer.person is None:
        raise CaesuraError("only people have passwords.")
    before = people.by_name(viewer.name).password
    if before is not None and not is_password(wanted.present, before):
        raise CaesuraError("this is not your present password.")
    people.set_password(viewer.person, hash_password(wanted.password), keep=request.cookies.get(SESSION_COOKIE))


@router.delete("/me/sessions", status_code=204, tags=["people"])
def end_my_sessions(request: Request, store: Seen) -> None:
    """End one's sessions elsewhere."""
    if store.viewer.person is not None:
        People(store).end_sessions(store.viewer.person, keep=request.cookies.get(SESSION_COOKIE))


# ---------------------------------------------------------------------- people


@router.get("/people", tags=["people"])
def people(store: Seen) -> list[dict[str, Any]]:
    """Everybody."""
    return People(store).list_all()


@router.post("/people", status_code=201, tags=["people"])
def add_person(request: Request, store: Seen, person: NewPerson, response: Response) -> dict[str, Any]:
    """Let somebody in, by a personal link. The first is a manager, and is in at once: from then on everybody says who they are."""
    from caesura.web.passwords import hash_password

    known, alone = People(store), store.viewer.alone
    if alone and not person.password:
        raise CaesuraError("choose a password: from now on everybody has to say who they are, you too.")
    hashed = hash_password(person.password) if person.password else None
    number, link = known.add(person.name, manager=person.manager or alone, password=hashed)
    if not alone:
        return {"id": number, "name": person.name, "link": None if hashed else f"/enter#{link}"}
    secret = known.begin_session(number, client_of(request.scope), instead_of=None)
    response.set_cookie(SESSION_COOKIE, secret, httponly=True, samesite="strict", secure=request.url.scheme == "https")
    return {"id": number, "name": person.name, "link": None}


@router.put("/people/{person}", status_code=204, tags=["people"])
def change_person(store: Seen, person: Id, wanted: ChangedPerson) -> None:
    """Make somebody a manager of the workbench or not, let them in or not; what they did stays."""
    People(store).change(person, manager=wanted.manager, active=wanted.active)


@router.post("/people/{person}/link", status_code=201, tags=["people"])
def new_link(store: Seen, person: Id) -> dict[str, str]:
    """A new personal link; the old one, and all sessions of this person, end."""
    return {"link": f"/enter#{People(store).new_link(person)}"}


@router.delete("/people/{person}/sessions", status_code=204, tags=["people"])
def end_sessions(store: Seen, person: Id) -> None:
    """Send somebody out of all browsers; with their link or password they come in again."""
    People(store).end_sessions(person)


@router.get("/audit", tags=["people"])
def audit(
    store: Seen,
    before: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    most: Annotated[int, Query(ge=1, le=5000)] = 200,
) -> list[dict[str, Any]]:
    """Who did what, the last first."""
    return People(store).audit(before=before, most=most)


# ---------------------------------------------------------------------- a project's campaign


@router.get("/projects/{project}/members", tags=["campaign"])
def members(store: Seen, project: Id) -> list[dict[str, Any]]:
    """Everybody with a role in a project."""
    return Campaign(store).members(project)


@router.post("/projects/{project}/people", status_code=201, tags=["campaign"])
def add_member(store: Seen, project: Project, wanted: NewMember) -> dict[str, Any]:
    """Let somebody in who has a role in this project and no other; the answer has their personal link. Who is known already gets the role, and no link."""
    if store.viewer.alone:
        raise CaesuraError("nobody works here but you; let in the first person on the page of people.")
    known = People(store)
    person, link = known.by_name(wanted.name), None
    if person is None:
        number, link = known.add(wanted.name, manager=False)
    else:
        number = person.id
    Campaign(store).give_role(project, number, wanted.role)
    return {"id": number, "name": wanted.name, "link": None if link is None else f"/enter#{link}"}


@router.put("/projects/{project}/members", tags=["campaign"])
def give_role(store: Seen, project: Project, wanted: Membership) -> list[dict[str, Any]]:
    """Give somebody a role in a project, or take it away."""
    Campaign(store).give_role(project, wanted.person, wanted.role)
    return Campaign(store).members(project)


@router.post("/projects/{project}/assignments", tags=["campaign"])
def assign(store: Seen, project: Project, wanted: Assigning) -> dict[str, Any]:
    """Assign the items of a project to its annotators; what somebody began stays theirs."""
    return {"items": Campaign(store).assign(project, wanted.per_item)}


@router.put("/items/{item}/assignees", status_code=204, tags=["campaign"])
def assign_by_hand(store: Seen, item: Id, wanted: Assignees) -> None:
    """Say who is to annotate an item."""
    Campaign(store).assign_by_hand(item, wanted.people)


@router.get("/projects/{project}/progress", tags=["campaign"])
def progress(store: Seen, project: Project) -> dict[str, Any]:
    """How far everybody is, per person and per item."""
    return Campaign(store).progress(project)


@router.get("/projects/{project}/tasks", tags=["campaign"])
def tasks(store: Seen, project: Id) -> list[dict[str, Any]]:
    """One's own items, and how far they are."""
    return Campaign(store).tasks(project)


@router.put("/items/{item}/status", status_code=204, tags=["campaign"])
def set_status(store: Seen, item: Id, wanted: Status) -> None:
    """Say that an item is done, needs discussion, or is open again."""
    store.item(item)
    Campaign(store).set_status(item, wanted.person, wanted.status, wanted.note)


@router.put("/projects/{project}/release", status_code=204, tags=["campaign"])
def release(store: Seen, project: Project, wanted: Release) -> None:
    """Release a project: annotators and readers see everything, and annotators change nothing any more."""
    Campaign(store).release(project, wanted.released)


@router.get("/projects/{project}/audit", tags=["campaign"])
def project_audit(
    store: Seen,
    project: Id,
    before: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    most: Annotated[int, Query(ge=1, le=5000)] = 200,
) -> list[dict[str, Any]]:
    """Who did what in a project, the last first."""
    return People(store).audit(project=project, before=before, most=most)


@router.get("/projects/{project}/guidelines", tags=["campaign"])
def guidelines(
    store: Seen, project: Project, version: Annotated[int | None, Query(ge=0, le=2**31 - 1)] = None
) -> dict[str, Any]:
    """The guidelines of a project, the last version by default, as Markdown and as HTML, and the list of versions."""
    return Guidelines(store, project).read(version)


@router.put("/projects/{project}/guidelines", tags=["campaign"])
def write_guidelines(store: Seen, project: Project, wanted: NewGuidelines) -> dict[str, Any]:
    """Write a new version on top of the one that was seen; 409 where somebody wrote another meanwhile. All versions stay."""
    written = Guidelines(store, project)
    written.write(wanted.text, wanted.version)
    return written.read()
