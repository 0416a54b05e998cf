"""Commands from plain functions: annotated parameters become options and arguments, the docstring becomes the help.

A command is declared like this::

    def hello(
        name: Annotated[str, Argument("Name of the person to greet.")],
        loud: Annotated[bool, Option("--loud", help="Print capital letters.")] = False,
    ) -> None: ...

Types are read from the annotations: ``str``, ``int``, ``float``, ``bool`` (a flag), ``Path``, ``Literal`` (a choice), ``X | None``
and ``list[X]`` (repeatable). Libraries that do the same, such as Typer, take longer to import than the rest of the program.

Options that cannot be used together are refused by a :class:`OptionConflict`. A command declares its conflicts in its attribute ``conflicts``;
those that follow from the names of parameters, such as the format of a built-in sample, hold for every command (see :mod:`caesura.cli.main`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

#: Returns the values that completion offers for an option or argument.
Offer = Callable[[], Iterable[str]]


class Option:
    """An option of a command.

    Parameters
    ----------
    *names : str
        Its spellings, such as ``"--metric", "-m"``.
    help : str
        One sentence for ``--help``.
    min, max : float, optional
        The range of a number.
    check : callable, optional
        Called with the value; returns it, or raises an error.
    envvar : str, optional
        An environment variable that sets it.
    offer : callable, optional
        Returns the values that shell completion offers.
    hidden : bool, default False
        Whether to leave it out of ``--help``; the help of another option mentions it.
    """

    def __init__(
        self,
        *names: str,
        help: str,
        min: float | None = None,
        max: float | None = None,
        check: Callable[[Any], Any] | None = None,
        envvar: str | None = None,
        offer: Offer | None = None,
        hidden: bool = False,
    ) -> None:
        self.names, self.help, self.min, self.max = names, help, min, max
        self.check, self.envvar, self.offer, self.hidden = check, envvar, offer, hidden


@dataclass(frozen=True)
class Argument:
    """A positional argument: its help, and the values that shell completion offers."""

    help: str
    offer: Offer | None = None


@dataclass(frozen=True)
class OldOption:
    """A deprecated option: its type, the replacement to name in the warning, and its spellings if not ``--name``."""

    type: Any
    instead: str
    names: tuple[str, ...] = ()


class OldOptions:
    """Deprecated options, hidden from the help; the function receives those that were given as one dict by name."""

    def __init__(self, **options: OldOption) -> None:
        self.options = options


class Commands:
    """A group of commands under one name, such as ``caesura vowels train``."""

    def __init__(self, help: str) -> None:
        self.help = help
        self.functions: dict[str, Callable[..., None]] = {}

    def add(self, function: Callable[..., None]) -> Callable[..., None]:
        """Add a function as the command of its name."""
        self.functions[function.__name__] = function
        return function


# ---------------------------------------------------------------------- options that exclude each other

#: Takes the spelling of an option and its value; returns None, or the condition in words (" with --method uniform") if it holds.
Condition = Callable[[str, Any], str | None]


def among(*names: str) -> Condition:
    """Hold if the value, or one of several values, is among these names; parameters after a colon do not count."""
    return lambda spelled, value: next((f" with {spelled} {name}" for name in _names(value) if name in names), None)


def not_among(*names: str) -> Condition:
    """Hold if no value is among these names."""

    def hold(spelled: str, value: Any) -> str | None:
        given = _names(value)
        return None if {*given} & {*names} else f" with {spelled} {given[0]}" if given else ""

    return hold


def missing(spelled: str, value: Any) -> str | None:
    """Hold if no value was given."""
    return f" without {spelled}" if value in (None, False) else None


def only_one(_: str, value: Any) -> str | None:
    """Hold if fewer than two values were given."""
    return "" if len(value) < 2 else None


def _names(value: Any) -> list[str]:
    listed = value if isinstance(value, list) else [] if value is None else [value]
    return [str(each).partition(":")[0] for each in listed]


@dataclass(frozen=True)
class OptionConflict:
    """Two options that exclude each other: ``option`` has no effect if ``other`` is given, or if ``when`` holds for its value.

    ``option``, ``other`` and ``unless`` are names of parameters; several names in ``other`` are looked at together. The conflict does not
    apply if ``unless`` is given.
    """

    option: str
    other: str
    because: str
    when: Condition | None = None
    unless: str = ""

    def sentence(self, values: Mapping[str, Any], given: Collection[str], spelled: Mapping[str, str]) -> str | None:
        """Return the error message, or None if there is no conflict.

        Parameters
        ----------
        values : mapping of str to Any
            All parameters of the command, given or default.
        given : collection of str
            The names of those that the user gave.
        spelled : mapping of str to str
            The spelling of each on the command line.
        """
        if self.unless in given:
            return None
        if self.when is None:
            met = f" with {spelled[self.other]}" if self.other in given else None
        else:
            first, *more = self.other.split()
            value = values[first]
            for name in more:
                value = [value, *(values[name] or ())]
            met = self.when(spelled[first], value)
        return None if met is None else f"{spelled[self.option]} has no effect{met}: {self.because}."


def conflicts(
    options: str, others: str, because: str, when: Condition | None = None, unless: str = ""
) -> tuple[OptionConflict, ...]:
    """Return a conflict for every combination of the options and the others, names separated by spaces."""
    return tuple(
        OptionConflict(option, other, because, when, unless) for option in options.split() for other in others.split()
    )
