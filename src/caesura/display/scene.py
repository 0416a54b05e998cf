"""What a drawing is to those who show it: a picture for the terminal, the notebook, the report and the page."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING

from caesura.display.writing import Bidi

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.text import Text

__all__ = ["Picture"]


class Picture(ABC):
    """Something to look at: in the terminal, as SVG, and by itself in a notebook."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What it shows, in a few words."""

    @abstractmethod
    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw for a terminal of ``width`` cells: use a :class:`~caesura.display.cells.Canvas`, return its ``text()``."""

    @abstractmethod
    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw as SVG, about ``width`` letters wide: use :class:`~caesura.display.svg.Svg`, return its ``render()``."""

    def __str__(self) -> str:
        return "\n".join(line.rstrip() for line in self.terminal(bidi="terminal").plain.splitlines())

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto">{self.svg()}</div>'

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        drawn = self.terminal(options.max_width)
        drawn.end = "\n"
        yield drawn
