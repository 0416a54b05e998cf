"""Roles and permissions: who may see and change what.

`Viewer` is the person behind a request. Its conditions are part of every query, so answers, counts and exports contain only what that person may see. In
single-user mode everything is allowed. With accounts, annotators of an unreleased project are *blind*: they see the items assigned to them, their own
annotations, and comments by themselves and by managers.

`PERMISSIONS` lists every route with the roles that may use it. Once accounts exist, a route that is missing from the table is closed to everybody.
"""

from __future__ import annotations

import re
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Literal

import sqlalchemy as sa
from starlette.routing import compile_path

from caesura.errors import CaesuraError
from caesura_workbench.schema import assignments, audit, codings, comments, items, members, people, projects

#: What a token for programs allows, within what its owner may do: reading; annotating, commenting and setting states; everything else.
SCOPES = ("read", "annotate", "manage")
Role = Literal["manager", "adjudicator", "annotator", "reader"]
ROLES: tuple[Role, ...] = ("manager", "adjudicator", "annotator", "reader")


_RELEASED = "this project is released; annotators can no longer change it."


class Forbidden(CaesuraError):
    """The role of this person does not allow the action."""


@dataclass(frozen=True)
class Viewer:
    """The person behind a request and their role in the project that it concerns.

    ``role`` is None where the person has no role in that project and does not manage the workbench.
    """

    name: str = ""
    role: Role | None = "manager"
    person: int | None = None
    single_user: bool = True  # the workbench has no accounts
    site_manager: bool = True  # manager of the whole workbench
    released: bool = False
    project: int | None = None
    scopes: frozenset[str] | None = None  # of the token that a program uses; None in a browser

    @property
    def blind(self) -> bool:
        """Whether other people's work is hidden."""
        return not self.single_user and self.role == "annotator" and not self.released

    def check_gives_access(self) -> None:
        """Raise `Forbidden` for the token of a program: it makes nobody a manager, so that a stolen one gives nobody more than what it allows itself."""
        if self.scopes is not None:
            raise Forbidden("tokens make nobody a manager; do it in the browser.")

    def author_name(self, author: str) -> str:
        """Return the name to record for a change: one's own where there are accounts."""
        return author if self.single_user else self.name

    def sees_items(self) -> sa.ColumnElement[bool]:
        """Return the condition on items for every query."""
        there = items.c.deleted.is_(None)
        return there & items.c.id.in_(self.own_items()) if self.blind else there

    def in_project(self, project: int) -> sa.ColumnElement[bool]:
        """Return the condition that items belong to a project.

        For blind annotators, ``+ 0`` keeps the database from scanning the index of the project, which would take longer the more hidden items there are.
        Their items are then found through their assignments.
        """
        return items.c.project + 0 == project if self.blind else items.c.project == project

    def own_items(self) -> sa.Select[tuple[int]]:
        """Select the ids of the items assigned to this person."""
        return sa.select(assignments.c.item).where(assignments.c.person == self.person)

    def sees_codings(self) -> sa.ColumnElement[bool]:
        """Return the condition on annotations for every query."""
        there = codings.c.deleted.is_(None)
        return there & (codings.c.person == self.person) if self.blind else there

    def has_role(self, role: str) -> sa.ColumnElement[bool]:
        """Return the condition that annotations have a role; for blind annotators, their own annotations are found first (see `in_project`)."""
        return codings.c.role + "" == role if self.blind else codings.c.role == role

    def sees_comments(self) -> sa.ColumnElement[bool]:
        """Return the condition on comments for every query; everybody may read those of managers, of the workbench or of the project."""
        if not self.blind:
            return sa.true()
        here = sa.select(members.c.person).where(members.c.project == self.project, members.c.role == "manager")
        mine = people.c.manager | (people.c.id == self.person) | people.c.id.in_(here)
        return comments.c.person.in_(sa.select(people.c.id).where(mine))

    def sees_projects(self) -> sa.ColumnElement[bool]:
        """Return the condition on projects for the list of projects."""
        there = projects.c.deleted.is_(None)
        if self.single_user or self.site_manager:
            return there
        mine = _exists(members.c.project == projects.c.id, members.c.person == self.person)
        return there & mine

    def sees_all_of_projects(self) -> sa.ColumnElement[bool]:
        """Return the condition on the projects in which this person sees everything."""
        if self.single_user or self.site_manager:
            return sa.true()
        seeing = members.c.role.in_(("manager", "adjudicator")) | projects.c.released.is_not(None)
        return _exists(members.c.project == projects.c.id, members.c.person == self.person, seeing)

    def may_edit(self, role: str, person: int | None) -> bool:
        """Whether this viewer may change an annotation that was created here with this role and by this person."""
        if self.single_user:
            return True
        if self.role == "annotator":
            return person == self.person and not self.released
        return self.role in ("manager", "adjudicator") and (role == "gold" or person is None)

    def check_start(self, coder: str, role: str) -> tuple[str, str]:
        """Return the coder name and role under which this person may start an annotation."""
        if self.single_user:
            return coder, role
        if self.role == "annotator":
            if self.released:
                raise Forbidden(_RELEASED)
            return self.name, "coder"
        if self.role == "adjudicator" and role == "coder":
            raise Forbidden("adjudicators create gold annotations; only annotators are coders.")
        return coder, role

    def check_change(self, db: sa.Connection, annotation: int) -> None:
        """Raise `Forbidden` if this person may not change the annotation."""
        if self.single_user:
            return
        row = db.execute(sa.select(codings).where(codings.c.id == annotation)).first()
        if row is None:
            return  # the lookup that follows raises NotFound
        if self.role == "annotator":
            status = sa.select(assignments.c.status).where(
                assignments.c.item == row.item, assignments.c.person == self.person
            )
            if self.released:
                raise Forbidden(_RELEASED)
            if row.person != self.person:
                raise Forbidden("this annotation belongs to somebody else; start your own from a copy of it.")
            if db.scalar(status) == "done":
                raise Forbidden("this item is marked as done; open it again to change it.")
        elif row.role == "coder" and row.person is not None and row.person != self.person:
            raise Forbidden(f"the annotation by {row.coder!r} is read-only; start your own from a copy of it.")


def _exists(*conditions: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """Return an EXISTS condition for the project of the enclosing query."""
    return sa.exists().where(*conditions).correlate(projects)


SINGLE_USER = Viewer()


@dataclass(frozen=True)
class AuditEntry:
    """One line of the audit log: who did what. It is written in the transaction of the change itself."""

    name: str
    what: str
    address: str = ""
    project: int | None = None
    client: str = ""


#: The action of the current request; the middleware sets it for every change by somebody with an account.
current_action: ContextVar[AuditEntry | None] = ContextVar("current_action", default=None)


def describe_action(details: str) -> None:
    """Add details to the audit entry of the current request."""
    entry = current_action.get()
    if entry is not None:
        current_action.set(replace(entry, what=f"{entry.what}: {details}"[:500]))


def log_action(db: sa.Connection, entry: AuditEntry | None, time: str) -> None:
    """Write an entry to the audit log."""
    if entry is None:
        return
    values = {"name": entry.name, "what": entry.what, "address": entry.address, "project": entry.project}
    db.execute(audit.insert().values(time=time, client=entry.client, **values))


@dataclass(frozen=True)
class Permission:
    """An action as the audit log words it, the roles that may perform it, and further roles that may once the project is released."""

    description: str
    roles: frozenset[str]
    roles_after_release: frozenset[str] = frozenset()

    def allows(self, viewer: Viewer) -> bool:
        """Whether a viewer may perform the action."""
        if viewer.single_user or ANYBODY in self.roles or PERSON in self.roles:
            return True
        return viewer.role in (self.roles | self.roles_after_release if viewer.released else self.roles)


ANYBODY, PERSON = "anybody", "person"
_OPEN, _PEOPLE = frozenset({ANYBODY}), frozenset({PERSON})
_MANAGERS = frozenset({"manager"})
_JUDGES = frozenset({"manager", "adjudicator"})
_WORKERS = frozenset({"manager", "adjudicator", "annotator"})
_ALL = frozenset(ROLES)

#: Readers get access when a project is released; before that they see its name and its guidelines.
PERMISSIONS: dict[str, Permission] = {
    # signing in
    "GET /login": Permission("view the sign-in page", _OPEN),
    "POST /login": Permission("sign in", _OPEN),
    "GET /enter": Permission("follow a personal link", _OPEN),
    "GET /favicon.ico": Permission("fetch the icon", _OPEN),
    "GET /shared.js": Permission("fetch the script shared with reports", _OPEN),
    "GET /texts/{name}.js": Permission("fetch the texts of the interface", _OPEN),
    "GET /language/{code}": Permission("choose a language", _OPEN),
    "GET /static": Permission("fetch scripts and styles", _OPEN),
    "HEAD /static": Permission("check scripts and styles", _OPEN),
    "POST /logout": Permission("sign out", _PEOPLE),
    "GET /openapi.json": Permission("read the API description", _PEOPLE),
    "GET /api/session": Permission("read the session", _PEOPLE),
    "GET /api/jobs": Permission("list their jobs", _PEOPLE),
    "GET /api/jobs/{job}": Permission("look at one of their jobs", _PEOPLE),
    "GET /api/jobs/{job}/file": Permission("fetch the file of one of their jobs", _PEOPLE),
    "DELETE /api/jobs/{job}": Permission("cancel one of their jobs", _PEOPLE),
    "GET /account": Permission("view their account", _PEOPLE),
    "GET /api/me": Permission("read their account", _PEOPLE),
    "GET /api/me/preferences": Permission("read their preferences", _PEOPLE),
    "PUT /api/me/preferences": Permission("set their preferences", _PEOPLE),
    "PUT /api/me/password": Permission("set their password", _PEOPLE),
    "DELETE /api/me/sessions": Permission("end their other sessions", _PEOPLE),
    "GET /api/me/tokens": Permission("list their tokens", _PEOPLE),
    "POST /api/me/tokens": Permission("create a token", _PEOPLE),
    "DELETE /api/me/tokens/{token}": Permission("delete a token", _PEOPLE),
    # people
    "GET /api/people/{person}/tokens": Permission("list somebody's tokens", _MANAGERS),
    "DELETE /api/people/{person}/tokens/{token}": Permission("delete somebody's token", _MANAGERS),
    "GET /people": Permission("view the accounts", _MANAGERS),
    "GET /api/people": Permission("list accounts", _MANAGERS),
    "POST /api/people": Permission("add an account", _MANAGERS),
    "PUT /api/people/{person}": Permission("change an account", _MANAGERS),
    "POST /api/people/{person}/link": Permission("create a personal link", _MANAGERS),
    "DELETE /api/people/{person}/sessions": Permission("end somebody's sessions", _MANAGERS),
    "GET /api/audit": Permission("read the audit log", _MANAGERS),
    # projects
    "GET /": Permission("view the projects", _PEOPLE),
    "GET /api/projects": Permission("list projects", _PEOPLE),
    "POST /api/projects": Permission("create a project", _MANAGERS),
    "GET /api/deleted": Permission("list deleted projects", _MANAGERS),
    "GET /projects/{project}": Permission("view a project", _ALL),
    "GET /api/projects/{project}": Permission("read a project", _WORKERS, _ALL),
    "GET /api/projects/{project}/sorts": Permission("read a project", _WORKERS, _ALL),
    "DELETE /api/projects/{project}": Permission("delete a project", _MANAGERS),
    "GET /api/projects/{project}/deleted": Permission("list deleted items and annotations", _MANAGERS),
    "POST /api/projects/{project}/preview": Permission("preview files", _MANAGERS),
    "POST /api/projects/{project}/take-back": Permission("undo an import", _MANAGERS),
    "POST /api/projects/{project}/files": Permission("add files", _MANAGERS),
    "POST /api/projects/{project}/text": Permission("add a text", _MANAGERS),
    "POST /api/projects/{project}/recordings": Permission("add a recording", _MANAGERS),
    "GET /api/projects/{project}/agreement": Permission("measure agreement", _JUDGES, _ALL),
    "GET /api/projects/{project}/disagreements": Permission("list disagreements", _JUDGES, _ALL),
    "GET /api/projects/{project}/disputes": Permission("list disagreements", _JUDGES, _ALL),
    "GET /api/projects/{project}/export": Permission("export annotations", _JUDGES, _ALL),
    "GET /api/projects/{project}/export/formats": Permission("export annotations", _JUDGES, _ALL),
    "POST /api/projects/{project}/jobs/import": Permission("add files", _MANAGERS),
    "POST /api/projects/{project}/jobs/export": Permission("export annotations", _JUDGES, _ALL),
    "POST /api/projects/{project}/jobs/report": Permission("read the report", _JUDGES, _ALL),
    "GET /api/projects/{project}/provenance": Permission("read the provenance", _JUDGES, _ALL),
    "GET /api/projects/{project}/suggestions": Permission("read decisions on suggestions", _JUDGES, _ALL),
    "GET /api/projects/{project}/suggestions.csv": Permission("read decisions on suggestions", _JUDGES, _ALL),
    "GET /projects/{project}/report": Permission("read the report", _JUDGES, _ALL),
    "GET /projects/{project}/guidelines": Permission("view the guidelines", _ALL),
    "GET /projects/{project}/disputes": Permission("view the disputes", _JUDGES, _ALL),
    "GET /projects/{project}/agreement": Permission("view the agreement", _JUDGES, _ALL),
    "GET /projects/{project}/compare": Permission("compare two coders", _JUDGES, _ALL),
    "GET /projects/{project}/schema": Permission("view the schema", _MANAGERS),
    "GET /projects/{project}/people": Permission("view the people of a project", _MANAGERS),
    "GET /projects/{project}/import": Permission("view the import", _MANAGERS),
    "GET /projects/{project}/export": Permission("view the export", _JUDGES, _ALL),
    "PUT /api/{sort}/{number}/name": Permission("rename", _MANAGERS),
    "POST /api/{sort}/{number}/restore": Permission("restore", _MANAGERS),
    "GET /api/projects/{project}/merges": Permission("list merges", _MANAGERS),
    "POST /api/projects/{project}/merges": Permission("merge", _MANAGERS),
    "DELETE /api/projects/{project}/merges/{merge}": Permission("undo a merge", _MANAGERS),
    # annotation campaigns
    "GET /api/projects/{project}/members": Permission("list members", _JUDGES),
    "POST /api/projects/{project}/people": Permission("add a person to a project", _MANAGERS),
    "PUT /api/projects/{project}/members": Permission("assign a role", _MANAGERS),
    "POST /api/projects/{project}/assignments": Permission("assign items", _MANAGERS),
    "PUT /api/items/{item}/assignees": Permission("assign an item", _MANAGERS),
    "GET /api/projects/{project}/items": Permission("list items", _WORKERS, _ALL),
    "GET /api/projects/{project}/counts": Permission("count items", _WORKERS, _ALL),
    "GET /api/projects/{project}/grid": Permission("view the progress", _JUDGES),
    "GET /api/projects/{project}/next": Permission("open their next item", _WORKERS),
    "GET /api/projects/{project}/pace": Permission("view the progress", _JUDGES),
    "GET /api/projects/{project}/changes": Permission("follow changes", _WORKERS, _ALL),
    "GET /api/inbox": Permission("open their inbox", _PEOPLE),
    "GET /api/projects/{project}/tasks": Permission("list their tasks", _WORKERS),
    "PUT /api/items/{item}/status": Permission("set the status of an item", frozenset({"manager", "annotator"})),
    "PUT /api/projects/{project}/release": Permission("release or close a project", _MANAGERS),
    "GET /api/projects/{project}/guidelines": Permission("read the guidelines", _ALL),
    "PUT /api/projects/{project}/guidelines": Permission("write the guidelines", _MANAGERS),
    "GET /api/projects/{project}/schema": Permission("read the schema", _ALL),
    "PUT /api/projects/{project}/schema": Permission("change the schema", _MANAGERS),
    "POST /api/projects/{project}/schema/check": Permission("check a schema", _MANAGERS),
    "GET /api/projects/{project}/schema/usage": Permission("count labels", _JUDGES, _ALL),
    "GET /api/projects/{project}/annotators": Permission("describe the annotators", _JUDGES, _ALL),
    "GET /projects/{project}/votes": Permission("view the questions", _WORKERS),
    "GET /api/projects/{project}/questions": Permission("read the questions", _WORKERS),
    "PUT /api/projects/{project}/questions": Permission("add questions", _MANAGERS),
    "DELETE /api/projects/{project}/questions": Permission("delete the questions and votes", _MANAGERS),
    "PUT /api/projects/{project}/votes": Permission("vote", _WORKERS),
    "GET /api/projects/{project}/votes": Permission("count the votes", _MANAGERS),
    "GET /api/projects/{project}/votes.csv": Permission("export the votes", _MANAGERS),
    "GET /api/projects/{project}/votes/ranking": Permission("rank metrics by the votes", _MANAGERS),
    "GET /api/projects/{project}/audit": Permission("read a project's audit log", _MANAGERS),
    # items and annotations
    "GET /items/{item}": Permission("view an item", _WORKERS, _ALL),
    "GET /api/items/{item}": Permission("read an item", _WORKERS, _ALL),
    "DELETE /api/items/{item}": Permission("delete an item", _MANAGERS),
    "GET /api/items/{item}/tiers": Permission("view other tracks of a recording", _WORKERS, _ALL),
    "GET /api/items/{item}/recording": Permission("view a recording", _WORKERS, _ALL),
    "GET /api/items/{item}/recording/sound": Permission("play a recording", _WORKERS, _ALL),
    "GET /api/items/{item}/recording/waves/{level}/{tile}": Permission("view a waveform", _WORKERS, _ALL),
    "GET /api/items/{item}/recording/tones/{level}/{tile}": Permission("view a spectrogram", _WORKERS, _ALL),
    "GET /api/items/{item}/recording/crossing": Permission("find a zero crossing", _WORKERS, _ALL),
    "POST /api/items/{item}/compare": Permission("compare annotations", _JUDGES, _ALL),
    "POST /api/items/{item}/annotations": Permission("start an annotation", _WORKERS),
    "POST /api/items/{item}/suggestions": Permission("request suggestions", _WORKERS),
    "POST /api/items/{item}/comments": Permission("comment", _WORKERS, _ALL),
    "GET /api/annotations/{annotation}": Permission("read an annotation", _WORKERS, _ALL),
    "PATCH /api/annotations/{annotation}": Permission("change an annotation", _WORKERS),
    "DELETE /api/annotations/{annotation}": Permission("delete an annotation", _MANAGERS),
    "POST /api/annotations/{annotation}/undo": Permission("undo a change", _WORKERS),
    "POST /api/annotations/{annotation}/redo": Permission("redo a change", _WORKERS),
    "GET /api/annotations/{annotation}/history": Permission("read a history", _WORKERS, _ALL),
    "POST /api/annotations/{annotation}/history/{revision}": Permission("restore a revision", _WORKERS),
}


#: Addresses that the scope "annotate" opens.
_ANNOTATING = (
    "PUT /api/projects/{project}/votes",
    "PUT /api/items/{item}/status",
    "POST /api/items/{item}/annotations",
    "POST /api/items/{item}/suggestions",
    "POST /api/items/{item}/comments",
    "POST /api/items/{item}/compare",
    "PATCH /api/annotations/{annotation}",
    "POST /api/annotations/{annotation}/undo",
    "POST /api/annotations/{annotation}/redo",
    "POST /api/annotations/{annotation}/history/{revision}",
)
#: Addresses that only export: the scope "read" opens them although they are no GET.
_READING = ("POST /api/projects/{project}/jobs/export", "POST /api/projects/{project}/jobs/report")
#: Addresses that no token opens: a program cannot give itself or others access.
_ONLY_IN_BROWSERS = ("POST /api/me/tokens", "PUT /api/me/password", "POST /api/people/{person}/link")


def why_outside_scopes(viewer: Viewer, method: str, permission: Permission) -> str:
    """Return why the token of a program does not allow an action, or nothing."""
    if viewer.scopes is None:
        return ""
    address = next(address for address, known in PERMISSIONS.items() if known is permission)
    if address in _ONLY_IN_BROWSERS:
        return "tokens do not allow this; do it in the browser."
    reading = method in ("GET", "HEAD") or address in _READING
    needed = "read" if reading else "annotate" if address in _ANNOTATING else "manage"
    if needed in viewer.scopes:
        return ""
    scopes = ", ".join(scope for scope in SCOPES if scope in viewer.scopes)
    return f"this token has the scopes {scopes}; the scope {needed} is needed to {permission.description}."


def find_permission(method: str, path: str) -> tuple[Permission | None, dict[str, Any]]:
    """Return the permission of a route and the parameters in its path, matched in the order of the router."""
    if path.startswith("/static/"):
        return PERMISSIONS.get(f"{method} /static"), {}
    for pattern, operation in _PATTERNS.get(method, ()):
        match = pattern.match(path)
        if match is not None:
            return operation, match.groupdict()
    return None, {}


def allowed_methods(path: str) -> list[str]:
    """Return the methods that an address has; none if there is no such address."""
    return sorted(method for method in {*_PATTERNS} if find_permission(method, path)[0] is not None)


_PATTERNS: dict[str, list[tuple[re.Pattern[str], Permission]]] = {}
for _address, _operation in PERMISSIONS.items():
    _method, _, _path = _address.partition(" ")
    _PATTERNS.setdefault(_method, []).append((compile_path(_path)[0], _operation))
