"""Guessing passwords is slow, per account and per client: counted in the store, so for all workbenches that share it and after a restart too."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from caesura.web.guesses import FREE, LONGEST
from caesura.web.people import digest
from caesura.web.schema_people import tries
from caesura.web.store import Store

_FORGOTTEN = 86_400.0  # seconds after the last wrong one


class LoginTries:
    """Who has to wait before the next password is looked at: 1, 2, 4, … seconds after the sixth wrong one in a row."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self._store, self._clock = store, clock

    def seconds_to_wait(self, *whos: str) -> float:
        """How long until one may try again, as this account and from this client; 0 where one may."""
        mine = sa.select(tries).where(tries.c.who.in_([digest(who) for who in whos]))
        with self._store.reading() as db:
            until = [float(row.last) + _pause(row.wrong) for row in db.execute(mine)]
        return max([0.0, *(each - self._clock() for each in until)])

    def note(self, right: bool, *whos: str) -> None:
        """Remember how a try ended."""
        known = tries.c.who.in_([digest(who) for who in whos])
        with self._store.writing() as db:
            if right:
                db.execute(tries.delete().where(known))
                return
            db.execute(tries.delete().where(tries.c.last < self._clock() - _FORGOTTEN))
            for who in whos:
                db.execute(_one_more(db.dialect.name, digest(who), self._clock()))


def _pause(wrong: int) -> float:
    return 0.0 if wrong <= FREE else float(min(LONGEST, 2.0 ** (wrong - FREE - 1)))


def _one_more(dialect: str, who: str, now: float) -> Any:
    """Count in one statement: two workbenches may do it at the same moment."""
    insert = (postgresql if dialect == "postgresql" else sqlite).insert(tries).values(who=who, wrong=1, last=now)
    return insert.on_conflict_do_update(
        index_elements=[tries.c.who],
        set_={"wrong": sa.case((tries.c.wrong < 50, tries.c.wrong + 1), else_=50), "last": now},
    )
