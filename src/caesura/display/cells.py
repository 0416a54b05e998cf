"""A canvas of styled cells for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from caesura.display.palette import STYLES
from caesura.display.writing import ISOLATE, cells, clusters, word

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["Canvas"]


class Canvas:
    """A grid of styled cells that grows downwards; things are put at (row, column) and later ones cover earlier ones.

    Examples
    --------
    >>> canvas = Canvas()
    >>> canvas.put(0, 0, "────┃───")
    >>> canvas.put(1, 4, "●", "match")
    >>> print(canvas.plain())
    ────┃───
        ●
    """

    def __init__(self) -> None:
        self._rows: list[dict[int, tuple[str, int, str]]] = []

    @property
    def height(self) -> int:
        """Rows so far."""
        return len(self._rows)

    def put(
        self, row: int, column: int, text: str, role: str = "ink", *, bidi: Literal["terminal", "us"] = "terminal"
    ) -> None:
        """Put text with its first cell at ``column``; a right-to-left word takes the same cells, turned as ``bidi`` says."""
        while len(self._rows) <= row:
            self._rows.append({})
        ready = word(text, bidi)
        here = self._rows[row]
        pieces = [ready] if ready.startswith(ISOLATE) else clusters(ready)
        for piece in pieces:
            size = cells(piece)
            if size:
                self._clear(here, column, size)
                here[column] = (piece, size, role)
            column += size

    def fill(self, row: int, start: int, stop: int, character: str, role: str = "ink") -> None:
        """Repeat a one-cell character over columns ``start`` to ``stop`` - 1."""
        self.put(row, start, character * max(stop - start, 0), role)

    @staticmethod
    def _clear(here: dict[int, tuple[str, int, str]], column: int, size: int) -> None:
        for at in [c for c, (_, wide, _) in here.items() if c < column + size and column < c + wide]:
            del here[at]

    def _lines(self) -> Iterable[list[tuple[str, str]]]:
        for row in self._rows:
            line: list[tuple[str, str]] = []
            at = 0
            for column in sorted(row):
                piece, size, role = row[column]
                if column > at:
                    line.append((" " * (column - at), "ink"))
                if line and line[-1][1] == role:  # neighbours of one role make one piece, and one colour code
                    line[-1] = (line[-1][0] + piece, role)
                else:
                    line.append((piece, role))
                at = column + size
            yield line

    def plain(self) -> str:
        """Return the drawing without styles, lines without trailing spaces."""
        return "\n".join("".join(piece for piece, _ in line).rstrip() for line in self._lines())

    def text(self) -> Text:
        """Return the drawing as Rich text that is never wrapped again."""
        from rich.text import Text

        drawn = Text(no_wrap=True, overflow="ignore", end="")
        for number, line in enumerate(self._lines()):
            if number:
                drawn.append("\n")
            for piece, role in line:
                drawn.append(piece, STYLES.get(role, role) or None)
        return drawn

    def text_block(self, lines: Sequence[str], row: int | None = None, column: int = 0, role: str = "ink") -> None:
        """Put several lines under each other, by default below everything."""
        start = self.height if row is None else row
        for number, line in enumerate(lines):
            self.put(start + number, column, line, role)
