"""Numbers and places in sentences."""

from __future__ import annotations

from typing import Any, get_args

from caesura.errors import CaesuraError

__all__ = ["check_whole", "check_word", "heading", "number_of", "place"]


def number_of(number: int, noun: str) -> str:
    """Say how many there are of something.

    >>> number_of(1, "item"), number_of(12, "item")
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


def check_whole(option: str, given: object, least: int = 0) -> None:
    """Refuse what is no whole number, or too small a one, where an option counts something."""
    if isinstance(given, bool) or not hasattr(given, "__index__") or given.__index__() < least:
        raise CaesuraError(f"{option} is {given!r}; expected a whole number, {least} or more.")


def check_word(option: str, given: object, known: Any) -> None:
    """Refuse a word that is none of those a Literal type lists."""
    if given not in get_args(known):
        raise CaesuraError(f"{option} is {given!r}; expected {', '.join(map(repr, get_args(known)))}.")
