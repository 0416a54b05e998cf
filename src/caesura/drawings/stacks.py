"""Pictures under each other: the tracks of an item, the items of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from caesura.display.scene import Picture
from caesura.display.svg import stack_svgs
from caesura.display.writing import Bidi
from caesura.errors import CaesuraError

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["Stack", "stack"]


@dataclass(frozen=True)
class Stack(Picture):
    """Several pictures as one."""

    parts: tuple[Picture, ...]
    title: str = "several texts"

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw one below the other, an empty line between."""
        from rich.text import Text

        drawn = Text("\n\n", end="").join(part.terminal(width, bidi=bidi) for part in self.parts)
        drawn.no_wrap, drawn.overflow, drawn.end = True, "ignore", ""
        return drawn

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Put the pictures into one, each at its height."""
        return stack_svgs([part.svg(width, style=False) for part in self.parts], title=self.title, style=style)


def stack(parts: Sequence[Picture]) -> Picture:
    """Make one picture of several; of one, itself."""
    if not parts:
        raise CaesuraError("there is nothing to draw: the corpus holds no annotation.")
    return parts[0] if len(parts) == 1 else Stack(tuple(parts), title=f"{parts[0].title} and {len(parts) - 1} more")
