"""Passwords: argon2 through argon2-cffi, a few at a time, and as slow for names that nobody has."""

from __future__ import annotations

from functools import lru_cache
from threading import BoundedSemaphore
from typing import TYPE_CHECKING

from caesura.errors import CaesuraError, MissingExtra

if TYPE_CHECKING:
    from argon2 import PasswordHasher

SHORTEST = 10

#: Each takes 64 MB while it is looked at.
_AT_ONCE = BoundedSemaphore(2)


def hash_password(password: str) -> str:
    """What is kept of a password."""
    if len(password) < SHORTEST:
        raise CaesuraError(f"a password has at least {SHORTEST} characters.")
    with _AT_ONCE:
        return _hasher().hash(password)


def is_password(password: str, kept: str | None) -> bool:
    """Whether this is the password; it takes as long where there is none."""
    from argon2.exceptions import InvalidHashError, VerificationError

    with _AT_ONCE:
        try:
            return _hasher().verify(kept or _of_nobody(), password) and kept is not None
        except (VerificationError, InvalidHashError):
            return False


@lru_cache(maxsize=1)
def _hasher() -> PasswordHasher:
    try:
        from argon2 import PasswordHasher
    except ImportError:
        raise MissingExtra("argon2-cffi", "web", "passwords") from None
    return PasswordHasher()


@lru_cache(maxsize=1)
def _of_nobody() -> str:
    return _hasher().hash("a password that nobody has")
