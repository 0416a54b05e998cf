"""Who looks at the store, and what they see of it: the one filter that every query passes.

Whoever works alone sees and may do everything. Where there are people, an annotator of a project that is not released is *blind*: of its items
those assigned to them exist, of its annotations their own, and of its comments their own and the managers'. Answers, counts and exports are made of such queries, so
nothing of others can be in them.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Literal

import sqlalchemy as sa

from caesura.errors import CaesuraError
from caesura.web.schema import codings, comments, items, projects
from caesura.web.schema_people import assignments, audit, members, people

Role = Literal["manager", "adjudicator", "annotator", "reader"]
ROLES: tuple[Role, ...] = ("manager", "adjudicator", "annotator", "reader")


class Forbidden(CaesuraError):
    """Something that this person's role does not allow."""


@dataclass(frozen=True)
class Viewer:
    """Whoever asks: alone with the workbench, or one of its people in a role.

    ``role`` is that in the project which is asked about; nobody's where there is no such project and the person is no manager of the workbench.
    """

    name: str = ""
    role: Role | None = "manager"
    person: int | None = None
    alone: bool = True
    everywhere: bool = True  # manager of the whole workbench
    released: bool = False
    project: int | None = None

    @property
    def blind(self) -> bool:
        """Whether others' work is hidden."""
        return not self.alone and self.role == "annotator" and not self.released

    def sign(self, author: str) -> str:
        """Who did something: people cannot sign with another's name."""
        return author if self.alone else self.name

    def sees_items(self) -> sa.ColumnElement[bool]:
        """The condition on items in every query."""
        there = items.c.deleted.is_(None)
        return there & items.c.id.in_(self.own_items()) if self.blind else there

    def in_project(self, project: int) -> sa.ColumnElement[bool]:
        """The condition that items are of a project. Whoever is blind comes to them by their own numbers alone: a walk through the index of the project
        would take longer the more there is that they must not know of.
        """
        return items.c.project + 0 == project if self.blind else items.c.project == project

    def own_items(self) -> sa.Select[tuple[int]]:
        """The numbers of the items that are assigned to this person."""
        return sa.select(assignments.c.item).where(assignments.c.person == self.person)

    def sees_codings(self) -> sa.ColumnElement[bool]:
        """The condition on annotations in every query."""
        there = codings.c.deleted.is_(None)
        return there & (codings.c.person == self.person) if self.blind else there

    def sees_comments(self) -> sa.ColumnElement[bool]:
        """The condition on comments in every query: what a manager tells everybody is meant to be read."""
        if not self.blind:
            return sa.true()
        return comments.c.person.in_(sa.select(people.c.id).where(people.c.manager | (people.c.id == self.person)))

    def sees_projects(self) -> sa.ColumnElement[bool]:
        """The condition on projects in the list of them."""
        there = projects.c.deleted.is_(None)
        if self.alone or self.everywhere:
            return there
        mine = _exists(members.c.project == projects.c.id, members.c.person == self.person)
        return there & mine

    def sees_all_of_projects(self) -> sa.ColumnElement[bool]:
        """The condition on projects of which this person sees everything, in the list of them."""
        if self.alone or self.everywhere:
            return sa.true()
        seeing = members.c.role.in_(("manager", "adjudicator")) | projects.c.released.is_not(None)
        return _exists(members.c.project == projects.c.id, members.c.person == self.person, seeing)

    def may_edit(self, role: str, person: int | None) -> bool:
        """Whether an annotation made here, in this role and by this person, is this viewer's to change."""
        if self.alone:
            return True
        if self.role == "annotator":
            return person == self.person and not self.released
        return self.role in ("manager", "adjudicator") and (role == "gold" or person is None)

    def check_start(self, coder: str, role: str) -> tuple[str, str]:
        """Under which name, and as what, this person begins an annotation."""
        if self.alone:
            return coder, role
        if self.role == "annotator":
            if self.released:
                raise Forbidden("this project is released; annotators look at it and change nothing.")
            return self.name, "coder"
        if self.role == "adjudicator" and role == "coder":
            raise Forbidden("adjudicators make gold; annotators are the coders.")
        return coder, role

    def check_change(self, db: sa.Connection, annotation: int) -> None:
        """Refuse to change what is not this person's to change."""
        if self.alone:
            return
        row = db.execute(sa.select(codings).where(codings.c.id == annotation)).first()
        if row is None:
            return  # told by whoever looks for it
        if self.role == "annotator":
            status = sa.select(assignments.c.status).where(
                assignments.c.item == row.item, assignments.c.person == self.person
            )
            if row.person != self.person or self.released:
                raise Forbidden("this annotation is not yours to change, or its project is released.")
            if db.scalar(status) == "done":
                raise Forbidden("you said that this item is done; open it again to change it.")
        elif row.role == "coder" and row.person is not None and row.person != self.person:
            raise Forbidden(
                f"this is {row.coder!r}'s own annotation and is never changed; start one of your own from it."
            )


def _exists(*conditions: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """There is such a row, for the project of the query around."""
    return sa.exists().where(*conditions).correlate(projects)


ALONE = Viewer()


@dataclass(frozen=True)
class Deed:
    """What is being done now, and by whom: written down in the transaction that does it."""

    name: str
    what: str
    address: str = ""
    project: int | None = None
    client: str = ""


#: Set by the guard for every request of people that changes something.
DEED: ContextVar[Deed | None] = ContextVar("deed", default=None)


def tell(more: str) -> None:
    """Say more about what is being done, for the log."""
    deed = DEED.get()
    if deed is not None:
        DEED.set(replace(deed, what=f"{deed.what}: {more}"[:500]))


def write_down(db: sa.Connection, deed: Deed | None, time: str) -> None:
    """A line of the audit log: what is in it happened, and what happened is in it."""
    if deed is None:
        return
    values = {"name": deed.name, "what": deed.what, "address": deed.address, "project": deed.project}
    db.execute(audit.insert().values(time=time, client=deed.client, **values))
