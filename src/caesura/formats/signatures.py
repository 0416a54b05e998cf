"""Options of formats: taken from a function's own signature, so that a misspelt one is named and not ignored."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from keyword import iskeyword
from types import NoneType, UnionType
from typing import Any, Literal, Union, Unpack, get_args, get_origin, get_type_hints

from caesura.errors import FormatError


def check_options(function: Callable[..., Any], given: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Return the options as the function wants them; text from a command line becomes numbers and truth values.

    >>> def read(source, *, unit: Literal["token", "line"] = "token", limit: int = 3): ...
    >>> check_options(read, {"unit": "line", "limit": "5"}, "the toy format")
    {'unit': 'line', 'limit': 5}
    >>> check_options(read, {"units": "line"}, "the toy format")
    Traceback (most recent call last):
    caesura.errors.FormatError: the toy format takes no option 'units'; it takes limit, unit.
    """
    hints = option_types(function)
    for name in given:
        if name not in hints:
            takes = f"it takes {', '.join(sorted(hints))}" if hints else "it takes none"
            raise FormatError(None, None, f"{what} takes no option {name!r}; {takes}.")
    parameters = {name: f"{name}_" if iskeyword(name) else name for name in given}  # as_ for as
    return {parameters[name]: _convert(name, value, hints[name], what) for name, value in given.items()}


@cache
def option_types(function: Callable[..., Any]) -> dict[str, Any]:
    """Name the options of a reader or writer, with their types; those that several readers share are a typed dictionary.

    >>> from typing import TypedDict
    >>> class Shared(TypedDict):
    ...     edges: bool
    >>> def read(source, *, tier: int = 1, **shared: Unpack[Shared]): ...
    >>> option_types(read)
    {'tier': <class 'int'>, 'edges': <class 'bool'>}
    """
    hints = get_type_hints(function)
    types: dict[str, Any] = {}
    for p in inspect.signature(function).parameters.values():
        if p.kind is p.KEYWORD_ONLY:
            types[_option(p.name)] = hints.get(p.name, Any)
        elif p.kind is p.VAR_KEYWORD and get_origin(hints.get(p.name)) is Unpack:
            shared = get_type_hints(get_args(hints[p.name])[0])
            types |= {_option(name): hint for name, hint in shared.items()}
    return types


def _option(parameter: str) -> str:
    """The option of a parameter whose name Python keeps for itself: ``as`` for ``as_``."""
    return parameter.removesuffix("_")


def parse_list(value: Any, separator: str | None = ",") -> tuple[str, ...]:
    """Read a list that may come as one string: ``"act,scene"``, or ``", . ?"`` where the separator is None.

    >>> parse_list("act, scene")
    ('act', 'scene')
    >>> parse_list(", . ?", separator=None)
    (',', '.', '?')
    """
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(separator) if part.strip())
    return tuple(value)


def parse_table(value: Mapping[str, str] | str) -> dict[str, str]:
    """Read a table that may come as one string.

    >>> parse_table("—=-- …=.")
    {'—': '--', '…': '.'}
    """
    if not isinstance(value, str):
        return dict(value)
    table = {}
    for part in value.split():
        old, equals, new = part.partition("=")
        if not (old and equals and new):
            raise FormatError(None, None, f"expected OLD=NEW, found {part!r}.")
        table[old] = new
    return table


def _convert(name: str, value: Any, hint: Any, what: str) -> Any:
    choices = [h for h in _members(hint) if get_origin(h) is Literal]
    if choices and not any(value in get_args(c) for c in choices):
        allowed = ", ".join(str(a) for c in choices for a in get_args(c))
        raise FormatError(None, None, f"{what}: option {name} is {value!r}, expected one of {allowed}.")
    if not isinstance(value, str) or str in _members(hint):
        return value
    for kind, reader, words in _READERS:
        if kind in _members(hint):
            try:
                return reader(value)
            except (ValueError, KeyError):
                raise FormatError(None, None, f"{what}: option {name} is {value!r}, expected {words}.") from None
    return value


def _truth(value: str) -> bool:
    return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[value.lower()]


_READERS: tuple[tuple[type, Callable[[str], Any], str], ...] = (
    (bool, _truth, "yes or no"),
    (int, int, "a whole number"),
    (float, float, "a number"),
)


def _members(hint: Any) -> tuple[Any, ...]:
    if get_origin(hint) in (Union, UnionType):
        return tuple(m for m in get_args(hint) if m is not NoneType)
    return (hint,)
