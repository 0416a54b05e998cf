"""What a command is made of: a plain function whose parameters say what they are, its docstring the help::

    def hello(name: Annotated[str, Argument("Whom to greet.")], loud: Annotated[bool, Option("--loud", help="Shout.")] = False) -> None: ...

Types are read from the annotations: ``str``, ``int``, ``float``, ``bool`` (a flag), ``Path``, ``Literal`` (a choice), ``X | None``
and ``list[X]`` (repeatable). ``main`` builds click's commands of them: frames that do it for us take longer to start than all the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

#: Gives the values that completion offers for an option or argument.
Offer = Callable[[], Iterable[str]]


class Option:
    """An option: its spellings, what it does, and between which numbers or by which check its value must be."""

    def __init__(
        self,
        *names: str,
        help: str,
        min: float | None = None,
        max: float | None = None,
        check: Callable[[Any], Any] | None = None,
        envvar: str | None = None,
        offer: Offer | None = None,
    ) -> None:
        self.names, self.help, self.min, self.max = names, help, min, max
        self.check, self.envvar, self.offer = check, envvar, offer


@dataclass(frozen=True)
class Argument:
    """What stands behind the command without a name."""

    help: str
    offer: Offer | None = None


class Commands:
    """Commands under one name, as in ``caesura vowels train``."""

    def __init__(self, help: str) -> None:
        self.help = help
        self.functions: dict[str, Callable[..., None]] = {}

    def add(self, function: Callable[..., None]) -> Callable[..., None]:
        """Add a function under its own name."""
        self.functions[function.__name__] = function
        return function
