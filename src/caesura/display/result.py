"""What every result offers: tables, pictures, plain data; and through them the prompt, the notebook, pages and files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from caesura.display.scene import Picture
from caesura.display.table import NOTEBOOK_STYLE, Table

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

__all__ = ["Result"]


class Result(ABC):
    """Something to look at. A subclass says what it holds; nothing else knows how it looks.

    Dataclasses among the subclasses are declared with ``repr=False``: the prompt shows tables and drawings, not fields.
    """

    @abstractmethod
    def tables(self) -> Sequence[Table]:
        """The tables, most important first."""

    def pictures(self) -> Sequence[Picture]:
        """The drawings, most important first."""
        return ()

    @abstractmethod
    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""

    def __str__(self) -> str:
        return "\n\n".join(map(str, (*self.tables(), *self.pictures())))

    def __repr__(self) -> str:
        return str(self)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        parts: list[Table | Picture] = [*self.tables(), *self.pictures()]
        for number, part in enumerate(parts):
            yield from [""] * bool(number)
            yield part

    def _repr_html_(self) -> str:
        pictures = (f'<div style="overflow-x:auto">{picture.svg()}</div>' for picture in self.pictures())
        return "".join((NOTEBOOK_STYLE, *(table.html() for table in self.tables()), *pictures))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text("…" if cycle else str(self))
