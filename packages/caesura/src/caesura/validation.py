"""Validate parameters: raise a :class:`~caesura.errors.CaesuraError` that names the value given and the values expected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import inf
from numbers import Real
from typing import Any, TypeAlias

from caesura.errors import CaesuraError

#: A function ``validate(name, value)`` that raises an error for an invalid value.
Validator: TypeAlias = Callable[[str, Any], None]


def validate_integer(name: str, given: object, least: int = 0, *, most: int | None = None, of: str = "") -> None:
    """Raise an error unless a value is an integer from ``least`` to ``most``; ``of`` names what is counted."""
    if isinstance(given, bool) or not hasattr(given, "__index__") or given.__index__() < least:
        raise CaesuraError(f"{name} is {given!r}; expected a whole number{of and f' of {of}'}, {least} or more.")
    if most is not None and given.__index__() > most:
        raise CaesuraError(f"{name} is {given}; expected at most {most}{of and f' {of}'}.")


def validate_positive(name: str, given: Any) -> None:
    """Raise an error unless a value is a finite number above 0."""
    if not (isinstance(given, (int, float, Real)) and 0 < as_float(given) < inf):
        raise CaesuraError(f"{name} is {given!r}; expected a number above 0.")


def validate_choice(name: str, given: object, known: Sequence[str], *, function: str = "") -> None:
    """Raise an error unless a value is one of these strings, or a callable if ``function`` describes its arguments."""
    if given not in known and not (function and callable(given)):
        listed = " or ".join(filter(None, (", ".join(map(repr, known[:-1])), repr(known[-1]))))
        raise CaesuraError(f"{name} is {given!r}; expected {listed}{function and f' or a function of {function}'}.")


def validate_range(name: str, given: Any, low: float, high: float = inf) -> None:
    """Raise an error unless a value is a finite number from ``low`` to ``high``."""
    number = isinstance(given, (int, float, Real)) and not isinstance(given, bool)
    if not (number and low <= as_float(given) <= high and as_float(given) < inf):
        expected = f"a number, {low:g} or more" if high == inf else f"a number from {low:g} to {high:g}"
        raise CaesuraError(f"{name} is {given!r}; expected {expected}.")


def as_list(what: str, given: Any, of: str) -> list[Any]:
    """Return the elements of an iterable; raise an error for a string, and for what is no iterable: "the chunks are 5; expected …"."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        shown = "one string" if isinstance(given, str) else repr(given)
        raise CaesuraError(f"{what} are {shown}; expected a list of {of}.")
    return list(given)


def whole_number(given: Any) -> int | None:
    """Return a number without a fraction as an integer, also 3.0; None for anything else."""
    if isinstance(given, bool):
        return None
    try:
        number = int(given)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if not isinstance(given, (str, bytes)) and number == given else None


def as_float(given: Any) -> float:
    """Return a number as a float; an integer that is too large for one is infinite."""
    try:
        return float(given)
    except OverflowError:
        return inf if given > 0 else -inf


def integer_between(least: int, most: int, of: str) -> Validator:
    """Return a validator of integers from ``least`` to ``most``."""
    return partial(validate_integer, least=least, most=most, of=of)


def number_between(low: float, high: float = inf) -> Validator:
    """Return a validator of numbers from ``low`` to ``high``."""
    return partial(validate_range, low=low, high=high)


def one_of(*known: str, function: str = "") -> Validator:
    """Return a validator of strings from a list, and of callables if ``function`` describes their arguments."""
    return partial(validate_choice, known=known, function=function)
