"""Options written as ``key=value``: parsed, converted and validated by the signature of the function or class that takes them.

Every option parser of the package is here: reader and writer options (``-O tier=words``), metric and coefficient parameters
(``"B:n_t=3"``) and segmenter parameters (``-p min_length=2``). Type annotations decide what a text means; a wrong name or value
raises a :class:`~caesura.errors.CaesuraError` that names the owner, the option and the values expected.
"""

from __future__ import annotations

import inspect
from ast import literal_eval
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from keyword import iskeyword
from types import NoneType, UnionType
from typing import Any, Literal, Union, Unpack, get_args, get_origin, get_type_hints

from numpy import bool_, floating, integer

from caesura.errors import CaesuraError

_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}

#: Plain types: the classes of their values and their description.
_PLAIN: dict[Any, tuple[tuple[type, ...], str]] = {
    bool: ((bool, bool_), "true or false"),
    int: ((int, integer), "a whole number"),
    float: ((int, float, integer, floating), "a number"),
    str: ((str,), "text"),
    NoneType: ((NoneType,), "none"),
}


@cache
def option_types(target: Callable[..., Any]) -> dict[str, Any]:
    """Return the options of a function or class and their types.

    Parameters
    ----------
    target : callable
        A class, whose constructor parameters are the options, or a function, whose keyword-only parameters are; ``**name``
        annotated as ``Unpack[SomeTypedDict]`` adds the keys of the typed dictionary.

    Returns
    -------
    dict of str to Any
        Names and type annotations; ``Any`` without an annotation. A parameter ``as_`` is the option ``as``, because ``as`` is a
        keyword of Python.

    Examples
    --------
    >>> from typing import TypedDict
    >>> class Shared(TypedDict):
    ...     edges: bool
    >>> def read(source, *, tier: int = 1, **shared: Unpack[Shared]): ...
    >>> option_types(read)
    {'tier': <class 'int'>, 'edges': <class 'bool'>}
    """
    try:
        hints = get_type_hints(target)
    except NameError:  # an annotation that is only imported for type checkers
        hints = {}
    types: dict[str, Any] = {}
    for parameter in inspect.signature(target).parameters.values():
        hint = hints.get(parameter.name, Any)
        if parameter.kind is parameter.VAR_KEYWORD and get_origin(hint) is Unpack:
            types |= {_option_name(name): each for name, each in get_type_hints(get_args(hint)[0]).items()}
        elif parameter.kind is parameter.KEYWORD_ONLY or (
            inspect.isclass(target) and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        ):
            types[_option_name(parameter.name)] = hint
    return types


def parse_options(text: str, types: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Parse ``key=value`` pairs separated by commas.

    Parameters
    ----------
    text : str
        Such as ``"n_t=3,matching=optimal"``; may be empty.
    types : mapping of str to Any, default None
        The type of each option, see :func:`option_types`; a value of unknown type is converted if it looks like a Python literal.

    Returns
    -------
    dict of str to Any

    Examples
    --------
    >>> parse_options("n_t=3,matching=optimal")
    {'n_t': 3, 'matching': 'optimal'}
    >>> parse_options("label=3", {"label": str})
    {'label': '3'}
    """
    given: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise CaesuraError(f"parameters are written key=value, not {part!r}.")
        given[key] = parse_value(value, Any if types is None else types.get(key, Any))
    return given


def parse_value(text: str, hint: Any = Any) -> Any:
    """Convert text to the first type of an annotation that it fits, or return it unchanged if it fits none.

    Text always fits ``str``, so that ``str`` comes last unless it is declared first.

    Parameters
    ----------
    text : str
        The value as it was typed.
    hint : Any, default Any
        A type annotation; ``Any`` converts what looks like a Python literal, "yes" and "no".

    Examples
    --------
    >>> parse_value("3", int | None), parse_value("none", int | None), parse_value("3", str | int), parse_value("0.5", float | str)
    (3, None, '3', 0.5)
    >>> parse_value("yes"), parse_value("0.5"), parse_value("word")
    (True, 0.5, 'word')
    """
    if hint is Any:
        return _parse_literal(text)
    members = _members(hint)
    if members[0] is str:
        return text
    for member in members:
        if get_origin(member) is Literal and text in get_args(member):
            return text
        if member is NoneType and text.lower() == "none":
            return None
        if member is bool and text.lower() in _BOOLEANS:
            return _BOOLEANS[text.lower()]
        if member in (int, float):
            try:
                number = member(text)
            except ValueError:
                continue
            if number == number:  # not NaN
                return number
    return text


def validate_options(
    owner: str, given: Mapping[str, Any], types: Mapping[str, Any], *, convert: bool = True
) -> dict[str, Any]:
    """Return keyword arguments with converted values, or raise an error about the first that is unknown or unfit.

    Parameters
    ----------
    owner : str
        The name of what takes the options, for errors.
    given : mapping of str to Any
        Options by name.
    types : mapping of str to Any
        The options that are known, see :func:`option_types`.
    convert : bool, default True
        Whether values that are text are converted by :func:`parse_value`, because they may come from a command line.

    Returns
    -------
    dict of str to Any
        Keyword arguments: the option ``as`` is the argument ``as_``.

    Raises
    ------
    CaesuraError
        If an option is unknown or its value does not have the declared type.

    Examples
    --------
    >>> def read(source, *, unit: Literal["token", "line"] = "token", limit: int = 3): ...
    >>> validate_options("the toy format", {"unit": "line", "limit": "5"}, option_types(read))
    {'unit': 'line', 'limit': 5}
    >>> validate_options("the toy format", {"units": "line"}, option_types(read))
    Traceback (most recent call last):
    caesura.errors.CaesuraError: the toy format has no parameter 'units'; it takes unit, limit.
    >>> validate_options("the toy format", {"limit": "five"}, option_types(read))
    Traceback (most recent call last):
    caesura.errors.CaesuraError: the toy format: limit is 'five'; expected a whole number.
    """
    validate_names(owner, given, types)
    arguments: dict[str, Any] = {}
    for name, value in given.items():
        hint = types[name]
        converted = parse_value(value, hint) if convert and isinstance(value, str) and hint is not Any else value
        if not matches_type(converted, hint):
            raise CaesuraError(f"{owner}: {name} is {value!r}; expected {describe_type(hint)}.")
        arguments[f"{name}_" if iskeyword(name) else name] = converted
    return arguments


def validate_names(
    owner: str, given: Iterable[str], known: Iterable[str], meant: Mapping[str, str] | None = None
) -> None:
    """Raise an error about the first option that is not known; ``meant`` has what to write instead of some."""
    listed = list(known)
    for name in given:
        if name not in listed:
            instead = (meant or {}).get(name, "")
            hint = (
                f"write {instead}" if instead.partition("=")[0] in listed else f"it takes {', '.join(listed) or 'none'}"
            )
            raise CaesuraError(f"{owner} has no parameter {name!r}; {hint}.")


def matches_type(value: Any, hint: Any) -> bool:
    """Tell whether a value has the type of an annotation.

    Annotations other than plain types, unions, literals and tuples match every value that is not text or a number.

    Examples
    --------
    >>> matches_type(3, float | None), matches_type("a", Literal["a", "b"]), matches_type(True, int)
    (True, True, False)
    """
    if hint is Any:
        return True
    if get_origin(hint) in (Union, UnionType):
        return any(matches_type(value, member) for member in get_args(hint))
    if get_origin(hint) is Literal:
        return isinstance(value, str | int | NoneType) and value in get_args(hint)
    if get_origin(hint) is tuple:
        return isinstance(value, list | tuple)
    if hint not in _PLAIN:
        return not isinstance(value, str | int | float)
    # True and False are integers to Python, but True is never meant as 1
    return isinstance(value, _PLAIN[hint][0]) and (hint is bool or not isinstance(value, bool | bool_))


def describe_type(hint: Any) -> str:
    """Describe the values that an annotation allows.

    Examples
    --------
    >>> describe_type(float | Literal["mean", "median"] | None)
    "a number, 'mean', 'median' or none"
    """
    words: dict[str, None] = {}
    for member in _members(hint):
        if get_origin(member) is Literal:
            words |= dict.fromkeys(map(repr, get_args(member)))
        elif member in _PLAIN:
            words[_PLAIN[member][1]] = None
        else:
            words[f"a Python {getattr(get_origin(member) or member, '__name__', 'object').lower()}"] = None
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def parse_list(value: Any, separator: str | None = ",") -> tuple[str, ...]:
    """Return a list of strings that may be given as one string.

    Examples
    --------
    >>> parse_list("act, scene")
    ('act', 'scene')
    >>> parse_list(", . ?", separator=None)
    (',', '.', '?')
    """
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(separator) if part.strip())
    return tuple(value)


def parse_mapping(value: Mapping[str, str] | str) -> dict[str, str]:
    """Return a mapping that may be given as one string.

    Examples
    --------
    >>> parse_mapping("—=-- …=.")
    {'—': '--', '…': '.'}
    """
    if not isinstance(value, str):
        return dict(value)
    mapping = {}
    for part in value.split():
        old, equals, new = part.partition("=")
        if not (old and equals and new):
            raise CaesuraError(f"expected OLD=NEW, found {part!r}.")
        mapping[old] = new
    return mapping


def _parse_literal(text: str) -> Any:
    if text.lower() in _BOOLEANS and not text.isdigit():
        return _BOOLEANS[text.lower()]
    try:
        return literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):  # the last two: thousands of signs or brackets
        return text


def _members(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _option_name(parameter: str) -> str:
    return parameter.removesuffix("_")
