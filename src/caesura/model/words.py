"""Numbers in sentences."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, noun: str) -> str:
    """Say how many there are of something.

    >>> counted(1, "item"), counted(12, "item")
    ('1 item', '12 items')
    """
    return f"{number} {noun}{'s' * (number != 1)}"
