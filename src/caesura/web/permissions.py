"""What can be asked of the workbench, and who may ask it: one table, read by the guard before anything else happens.

A route that is not in it is closed to everybody as soon as the workbench knows people. Whoever works alone may do everything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from starlette.routing import compile_path

from caesura.web.viewers import ROLES, Viewer


@dataclass(frozen=True)
class Operation:
    """What is done, in words for the audit log; who may do it, and who may once the project is released."""

    what: str
    roles: frozenset[str]
    once_released: frozenset[str] = frozenset()

    def allows(self, viewer: Viewer) -> bool:
        """Whether whoever asks may."""
        if viewer.alone or ANYBODY in self.roles or PERSON in self.roles:
            return True
        return viewer.role in (self.roles | self.once_released if viewer.released else self.roles)


ANYBODY, PERSON = "anybody", "person"
_OPEN, _PEOPLE = frozenset({ANYBODY}), frozenset({PERSON})
_MANAGERS = frozenset({"manager"})
_JUDGES = frozenset({"manager", "adjudicator"})
_WORKERS = frozenset({"manager", "adjudicator", "annotator"})
_ALL = frozenset(ROLES)

#: Readers come in once a project is released; until then they know that it is there, and its guidelines.
OPERATIONS: dict[str, Operation] = {
    # coming in
    "GET /login": Operation("look at the entrance", _OPEN),
    "POST /login": Operation("come in", _OPEN),
    "GET /enter": Operation("follow a personal link", _OPEN),
    "GET /favicon.ico": Operation("fetch the icon", _OPEN),
    "GET /shared.js": Operation("fetch the script that reports have too", _OPEN),
    "GET /static": Operation("fetch scripts and styles", _OPEN),
    "HEAD /static": Operation("ask about scripts and styles", _OPEN),
    "POST /logout": Operation("leave", _PEOPLE),
    "GET /openapi.json": Operation("read the description", _PEOPLE),
    "GET /api/session": Operation("read the session", _PEOPLE),
    "GET /account": Operation("look at one's account", _PEOPLE),
    "GET /api/me": Operation("look at oneself", _PEOPLE),
    "PUT /api/me/password": Operation("set one's password", _PEOPLE),
    "DELETE /api/me/sessions": Operation("end one's other sessions", _PEOPLE),
    # people
    "GET /people": Operation("look at people", _MANAGERS),
    "GET /api/people": Operation("list people", _MANAGERS),
    "POST /api/people": Operation("add a person", _MANAGERS),
    "PUT /api/people/{person}": Operation("change a person", _MANAGERS),
    "POST /api/people/{person}/link": Operation("make a personal link", _MANAGERS),
    "DELETE /api/people/{person}/sessions": Operation("end a person's sessions", _MANAGERS),
    "GET /api/audit": Operation("read the audit log", _MANAGERS),
    # projects
    "GET /": Operation("look at projects", _PEOPLE),
    "GET /api/projects": Operation("list projects", _PEOPLE),
    "POST /api/projects": Operation("create a project", _MANAGERS),
    "GET /api/deleted": Operation("list deleted projects", _MANAGERS),
    "GET /projects/{project}": Operation("look at a project", _ALL),
    "GET /api/projects/{project}": Operation("read a project", _WORKERS, _ALL),
    "DELETE /api/projects/{project}": Operation("delete a project", _MANAGERS),
    "GET /api/projects/{project}/deleted": Operation("list what was deleted", _MANAGERS),
    "POST /api/projects/{project}/preview": Operation("look at files", _MANAGERS),
    "POST /api/projects/{project}/take-back": Operation("take back what was added", _MANAGERS),
    "POST /api/projects/{project}/files": Operation("add files", _MANAGERS),
    "POST /api/projects/{project}/text": Operation("add a text", _MANAGERS),
    "POST /api/projects/{project}/recordings": Operation("add a recording", _MANAGERS),
    "GET /api/projects/{project}/agreement": Operation("measure agreement", _JUDGES, _ALL),
    "GET /api/projects/{project}/disagreements": Operation("list disagreements", _JUDGES, _ALL),
    "GET /api/projects/{project}/export": Operation("export", _JUDGES, _ALL),
    "GET /api/projects/{project}/provenance": Operation("read the provenance", _JUDGES, _ALL),
    "GET /api/projects/{project}/suggestions": Operation("read what was suggested", _JUDGES, _ALL),
    "GET /api/projects/{project}/suggestions.csv": Operation("read what was suggested", _JUDGES, _ALL),
    "GET /projects/{project}/report": Operation("read the report", _JUDGES, _ALL),
    "PUT /api/{sort}/{number}/name": Operation("rename", _MANAGERS),
    "POST /api/{sort}/{number}/restore": Operation("restore", _MANAGERS),
    "GET /api/projects/{project}/merges": Operation("list merges", _MANAGERS),
    "POST /api/projects/{project}/merges": Operation("merge", _MANAGERS),
    "DELETE /api/projects/{project}/merges/{merge}": Operation("undo a merge", _MANAGERS),
    # the campaign
    "GET /api/projects/{project}/members": Operation("list members", _JUDGES),
    "POST /api/projects/{project}/people": Operation("add a person to a project", _MANAGERS),
    "PUT /api/projects/{project}/members": Operation("give a role", _MANAGERS),
    "POST /api/projects/{project}/assignments": Operation("assign items", _MANAGERS),
    "PUT /api/items/{item}/assignees": Operation("assign an item", _MANAGERS),
    "GET /api/projects/{project}/progress": Operation("look at the progress", _JUDGES),
    "GET /api/projects/{project}/tasks": Operation("list one's tasks", _WORKERS),
    "PUT /api/items/{item}/status": Operation("say how far an item is", frozenset({"manager", "annotator"})),
    "PUT /api/projects/{project}/release": Operation("release, or close again", _MANAGERS),
    "GET /api/projects/{project}/guidelines": Operation("read the guidelines", _ALL),
    "PUT /api/projects/{project}/guidelines": Operation("write the guidelines", _MANAGERS),
    "GET /api/projects/{project}/audit": Operation("read a project's audit log", _MANAGERS),
    # items and annotations
    "GET /items/{item}": Operation("look at an item", _WORKERS, _ALL),
    "GET /api/items/{item}": Operation("read an item", _WORKERS, _ALL),
    "DELETE /api/items/{item}": Operation("delete an item", _MANAGERS),
    "GET /api/items/{item}/tiers": Operation("look at other tracks of a recording", _WORKERS, _ALL),
    "GET /api/items/{item}/recording": Operation("look at a recording", _WORKERS, _ALL),
    "GET /api/items/{item}/recording/sound": Operation("hear a recording", _WORKERS, _ALL),
    "GET /api/items/{item}/recording/waves/{level}/{tile}": Operation("see a waveform", _WORKERS, _ALL),
    "GET /api/items/{item}/recording/tones/{level}/{tile}": Operation("see a spectrogram", _WORKERS, _ALL),
    "GET /api/items/{item}/recording/crossing": Operation("find a zero crossing", _WORKERS, _ALL),
    "POST /api/items/{item}/compare": Operation("compare", _JUDGES, _ALL),
    "POST /api/items/{item}/annotations": Operation("start an annotation", _WORKERS),
    "POST /api/items/{item}/suggestions": Operation("ask for suggestions", _WORKERS),
    "POST /api/items/{item}/comments": Operation("comment", _WORKERS, _ALL),
    "GET /api/annotations/{annotation}": Operation("read an annotation", _WORKERS, _ALL),
    "PATCH /api/annotations/{annotation}": Operation("change an annotation", _WORKERS),
    "DELETE /api/annotations/{annotation}": Operation("delete an annotation", _MANAGERS),
    "POST /api/annotations/{annotation}/undo": Operation("undo", _WORKERS),
    "POST /api/annotations/{annotation}/redo": Operation("redo", _WORKERS),
    "GET /api/annotations/{annotation}/history": Operation("read a history", _WORKERS, _ALL),
    "POST /api/annotations/{annotation}/history/{revision}": Operation("go back in a history", _WORKERS),
}


def find_operation(method: str, path: str) -> tuple[Operation | None, dict[str, Any]]:
    """The operation of an address, as the router would find it, and what stands in the address."""
    if path.startswith("/static/"):
        return OPERATIONS.get(f"{method} /static"), {}
    for pattern, operation in _PATTERNS.get(method, ()):
        match = pattern.match(path)
        if match is not None:
            return operation, match.groupdict()
    return None, {}


_PATTERNS: dict[str, list[tuple[re.Pattern[str], Operation]]] = {}
for _address, _operation in OPERATIONS.items():
    _method, _, _path = _address.partition(" ")
    _PATTERNS.setdefault(_method, []).append((compile_path(_path)[0], _operation))
