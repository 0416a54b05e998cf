"""How many cases a test tries where it could go on for ever: some while people wait, all with ``CAESURA_EXHAUSTIVE=1``, as before a release."""

from __future__ import annotations

import os

ALL = os.environ.get("CAESURA_EXHAUSTIVE") == "1"


def cases(some: int, every: int) -> int:
    """Return ``some``, or ``every`` where all are to be tried."""
    return every if ALL else some
