"""Numbers and places in sentences."""

from __future__ import annotations

__all__ = ["counted", "heading", "place"]


def counted(number: int, noun: str) -> str:
    """Say how many there are of something.

    >>> counted(1, "item"), counted(12, "item")
    ('1 item', '12 items')
    """
    return f"{number} {noun}{'s' * (number != 1)}"


def place(item: str, track: str) -> str:
    """Name a track of an item in a complaint.

    >>> place("kubla", ""), place("talk", "ann")
    ("item 'kubla'", "item 'talk', track 'ann'")
    """
    return f"item {item!r}" + (f", track {track!r}" if track else "")


def heading(item: str, track: str) -> str:
    """Name a track of an item above what is shown of it.

    >>> heading("kubla", ""), heading("talk", "ann")
    ('kubla', 'talk · ann')
    """
    return f"{item} · {track}" if track else item
