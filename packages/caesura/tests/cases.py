"""Which cases tests try: how many, and which registered entries."""

from __future__ import annotations

import os
from typing import Any

from caesura.registry import Registry

#: Whether tests that normally try a sample of cases try all of them, as before a release.
ALL = os.environ.get("CAESURA_EXHAUSTIVE") == "1"


def cases(some: int, every: int) -> int:
    """Return ``some``, or ``every`` if all cases are tried."""
    return every if ALL else some


def covered(registry: Registry[Any]) -> list[str]:
    """Return the entries that the core's tests cover: built-in ones and plug-ins.

    Our own packages caesura-vowels and caesura-workbench run the same tests themselves, with data of theirs.
    """
    return [name for name in registry.names() if not registry.source(name).startswith("caesura-")]
