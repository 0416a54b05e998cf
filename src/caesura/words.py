"""Sentences: numbers and places in them, and parameters refused in one that says what was given and what was expected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from numbers import Real
from typing import Any, TypeAlias

from caesura.errors import CaesuraError


def number_of(number: int, noun: str) -> str:
    """Say how many there are of something.

    >>> number_of(1, "item"), number_of(12, "item")
    ('1 item', '12 items')
    """
    return f"{number} {noun}{'s' * (number != 1)}"


def shorten(text: str, most: int = 40) -> str:
    """Cut a text that is quoted in a sentence.

    >>> shorten("quinquagintasex", 8)
    'quinqua…'
    """
    return text if len(text) <= most else text[: most - 1] + "…"


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


#: Refuses a value in a sentence: ``check(name, given)``.
Check: TypeAlias = Callable[[str, Any], None]


def check_whole(name: str, given: object, least: int = 0, *, most: int | None = None, of: str = "") -> None:
    """Refuse what is no whole number, or too small or large a one, where something is counted."""
    if isinstance(given, bool) or not hasattr(given, "__index__") or given.__index__() < least:
        raise CaesuraError(f"{name} is {given!r}; expected a whole number{of and f' of {of}'}, {least} or more.")
    if most is not None and given.__index__() > most:
        raise CaesuraError(f"{name} is {given}; expected at most {most}{of and f' {of}'}.")


def check_above_zero(name: str, given: Any) -> None:
    """Refuse anything but a number above 0."""
    if not (isinstance(given, (int, float, Real)) and 0 < float(given) < inf):
        raise CaesuraError(f"{name} is {given!r}; expected a number above 0.")


def check_choice(name: str, given: object, known: Sequence[str], *, function: str = "") -> None:
    """Refuse a word that is not one of these; where it is told ``function`` of what, let functions through."""
    if given not in known and not (function and callable(given)):
        listed = " or ".join(filter(None, (", ".join(map(repr, known[:-1])), repr(known[-1]))))
        raise CaesuraError(f"{name} is {given!r}; expected {listed}{function and f' or a function of {function}'}.")


def check_range(name: str, given: Any, low: float, high: float = inf) -> None:
    """Refuse anything but a number between two, either included."""
    number = isinstance(given, (int, float, Real)) and not isinstance(given, bool)
    if not (number and low <= float(given) <= high and float(given) < inf):
        expected = f"a number, {low:g} or more" if high == inf else f"a number from {low:g} to {high:g}"
        raise CaesuraError(f"{name} is {given!r}; expected {expected}.")


def whole(least: int, most: int, of: str) -> Check:
    """Let whole numbers of something through."""
    return partial(check_whole, least=least, most=most, of=of)


def between(low: float, high: float = inf) -> Check:
    """Let numbers between two through, either included."""
    return partial(check_range, low=low, high=high)


def one_of(*known: str, function: str = "") -> Check:
    """Let some words through, and functions where it is told of what."""
    return partial(check_choice, known=known, function=function)
