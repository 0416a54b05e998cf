"""The base class of results: tables, pictures and plain data, rendered for the prompt, notebooks, pages and files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from caesura.display.cells import clean
from caesura.display.escaping import html_words
from caesura.display.scene import Picture
from caesura.display.table import NOTEBOOK_STYLE, Table

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

#: A part of a result, in reading order: a sentence, a table or a picture.
Block: TypeAlias = str | Table | Picture


class Result(ABC):
    """A result that renders itself in terminals, notebooks and pages.

    Subclasses provide tables, pictures and plain data. Declare dataclasses among them with ``repr=False``, so that the prompt
    shows tables and drawings instead of fields.
    """

    @abstractmethod
    def tables(self) -> Sequence[Table]:
        """Return the tables, most important first."""

    def pictures(self) -> Sequence[Picture]:
        """Return the drawings, most important first."""
        return ()

    @abstractmethod
    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""

    def blocks(self) -> Sequence[Block]:
        """Return sentences, tables and pictures in reading order."""
        return (*self.tables(), *self.pictures())

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.blocks()))

    def __repr__(self) -> str:
        return str(self)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        from rich.text import Text

        for number, block in enumerate(self.blocks()):
            yield from [""] * bool(number)
            yield Text(clean(block)) if isinstance(block, str) else block

    def _repr_html_(self) -> str:
        return NOTEBOOK_STYLE + "".join(map(_block_html, self.blocks()))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text("…" if cycle else str(self))


def _block_html(block: Block) -> str:
    if isinstance(block, str):
        return f"<p>{html_words(block)}</p>"
    return block.html() if isinstance(block, Table) else f'<div style="overflow-x:auto">{block.svg()}</div>'
