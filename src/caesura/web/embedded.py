"""SQLite as a store: how it is tuned, and how it says that its file is damaged."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError

#: Milliseconds for another program to let go of the file.
_PATIENCE = 10_000

#: How SQLite says that its file is not what it wrote.
_DAMAGED = ("malformed", "not a database", "corrupt")


def tune_sqlite(connection: Any, _: Any) -> None:
    """Readers never wait for the writer, and what was acknowledged survives a killed process and a power cut."""
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={_PATIENCE}"):
        connection.execute(f"PRAGMA {pragma}")


def look_for_damage(engine: sa.Engine) -> str | None:
    """What is wrong with the file of a store; nothing, as a rule. A file that cannot be read at all is told by whoever opens it."""
    try:
        with engine.connect() as db:
            verdict = str(db.exec_driver_sql("PRAGMA quick_check(1)").scalar())
    except DatabaseError as fault:
        if any(sign in reason(fault) for sign in ("malformed", "corrupt")):
            return reason(fault)
        raise
    return None if verdict == "ok" else verdict.splitlines()[-1]


def says_damage(why: str) -> bool:
    """Whether this is how SQLite speaks of a damaged file."""
    return any(sign in why for sign in _DAMAGED)


def reason(fault: Exception) -> str:
    """The first line of what the database said."""
    return str(getattr(fault, "orig", None) or fault).splitlines()[0].rstrip(".")
