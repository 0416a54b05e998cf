"""Heat maps of square matrices, such as the agreement of every pair of coders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from caesura.display.cells import cell_width, clean, clip, max_cell_width
from caesura.display.scene import FilledPart, Name, Number, Scene, ScenePicture, Shape
from caesura.display.svg import CELL, LINE
from caesura.display.table import format_cell

_NAME = 20
_SHADES = " ░▒▓█"
_TONES = (
    0.34,
    0.67,
)  # shares of the scale at which terminals switch from faint to plain and from plain to highlighted numbers
_CLASSES = ("low", "middle", "high")  # written in the key, for terminals without colours
_DEEPEST = 0.6  # the opacity of full shade, at which a number can still be read


@dataclass(frozen=True, eq=False)
class HeatMap(ScenePicture):
    """A heat map of a square matrix.

    Attributes
    ----------
    matrix : array of float, shape (n, n)
        The values; NaN if unknown.
    names : tuple of str
        The names of rows and columns.
    of : str
        What the values are, such as "B".
    scale : tuple of float, default (0.0, 1.0)
        The values of no shade and of full shade. They are those of the metric, not of the data, so that pictures are comparable
        and nearly equal values look alike.
    diagonal : bool, default False
        Whether the diagonal is shown; that of coders compared with themselves is not.
    """

    matrix: NDArray[np.float64]
    names: tuple[str, ...]
    of: str
    scale: tuple[float, float] = (0.0, 1.0)
    diagonal: bool = False

    @property
    def title(self) -> str:
        """The metric and what is compared."""
        return f"{self.of}, coder by coder"

    def scene(self, width: int, *, fine: bool) -> Scene:
        """Lay out numbers if they fit, else shades; columns that do not fit are left out."""
        number = len(self.names)
        margin = max_cell_width(self.names, _NAME) + len(str(number)) + 3
        available = width - margin
        if fine:
            wide = max(1.0, min(2.4 * LINE / CELL, available / number))
            tall, shown = 0.75 * wide * CELL / LINE, number
            width = max(margin + round(number * wide) + 1, cell_width(clean(self.title)) + 1, margin + 20)
            draw = self._boxes(wide)
        else:
            columns = next((size for size in (self._number_cells, 3) if size * number <= available), 1)
            tall, shown = 1.0, min(number, max(available, 0)) if columns == 1 else number
            draw = self._letters(columns, shown, -margin, width)
        return Scene(
            title=self.title,
            description=self._description(),
            heading=clip(clean(self.title), width),
            key="",
            width=width,
            margin=margin,
            rows=(0.9, *(tall,) * number, 1.4),
            blocks=((*self._row_names(), *draw),),
        )

    @cached_property
    def _number_cells(self) -> int:
        """The width of a column of numbers."""
        return 1 + max(5, *(len(format_cell(value)) for value in self.matrix.ravel().tolist()))

    def _row_names(self) -> Iterator[Shape]:
        order = len(str(len(self.names)))
        for row, name in enumerate(self.names, 1):
            yield Name(row, words=f"{row:>{order}} {clip(clean(name), _NAME)}", role="ink")

    def _letters(self, wide: int, shown: int, left: int, width: int) -> Iterator[Shape]:
        """Numbers, or shades of two cells or one, with a key below."""
        for column in range(shown if wide > 1 else 0):
            yield Number(0, wide * column, words=str(column + 1).rjust(wide - 1))
        for row, column in np.ndindex(len(self.names), shown):
            value, x = float(self.matrix[row, column]), wide * column
            share = self._share(value)
            if row == column and not self.diagonal:
                yield Number(row + 1, x + max(wide - 2, 0), words="·")
            elif wide == self._number_cells:
                yield Number(row + 1, x, words=format_cell(value).rjust(wide - 1), role=_tone(share))
            else:
                yield FilledPart(row + 1, x, min(2, wide), role=_tone(share), glyph=_SHADES[round(share * 4)])
        low, high = self.scale
        below = len(self.names) + 1
        if wide != self._number_cells:
            yield Number(below, left, words=f"{low:.3g} {_SHADES} {high:.3g}")
            return
        ends = [f"{low + (high - low) * share:.3g}" for share in (0.0, *_TONES, 1.0)]
        ranges = [f"{start} to {stop}" for start, stop in pairwise(ends)]
        named = [f"{name} {words}" for name, words in zip(_CLASSES, ranges, strict=True)]
        for words, (start, stop) in zip(
            named if len("  ".join(named)) <= width else ranges, pairwise((0.0, *_TONES, 1.0)), strict=True
        ):
            yield Number(below, left, words=words, role=_tone((start + stop) / 2))
            left += len(words) + 2

    def _boxes(self, wide: float) -> Iterator[Shape]:
        """Shaded boxes with their numbers if they fit, and a key of five shades below."""
        for column in range(len(self.names)):
            yield Number(0, wide * (column + 0.5) - 0.4 * len(str(column + 1)), words=str(column + 1))
        for row, column in np.ndindex(*self.matrix.shape):
            value, x = float(self.matrix[row, column]), wide * column
            if row == column and not self.diagonal:
                yield FilledPart(row + 1, x, wide, role="band")
                continue
            words, exact = ("", "no item in common") if np.isnan(value) else (format_cell(value),) * 2
            tip, fill = f"{self.names[row]}, {self.names[column]}: {exact}", round(_DEEPEST * self._share(value), 3)
            yield FilledPart(row + 1, x, wide, words, "match", tip, fill=fill)
        low, high = (f"{value:.3g}" for value in self.scale)
        below = len(self.names) + 1
        yield Number(below, 0, words=low)
        for step in range(5):
            yield FilledPart(below, len(low) + 1 + 2.4 * step, 2.4, role="match", fill=round(_DEEPEST * step / 4, 3))
        yield Number(below, len(low) + 14, words=high)

    def _share(self, value: float) -> float:
        low, high = self.scale
        return 0.0 if np.isnan(value) or high == low else min(1.0, max(0.0, (value - low) / (high - low)))

    def _description(self) -> str:
        hidden = np.eye(len(self.names), dtype=bool) & (not self.diagonal)
        others = np.where(hidden, np.nan, self.matrix)
        if not np.isfinite(others).any():
            return "No two share an item."
        low, high = (np.unravel_index(int(f(others)), others.shape) for f in (np.nanargmin, np.nanargmax))
        return (
            f"Highest {format_cell(others[high])}, {self.names[int(high[0])]} with {self.names[int(high[1])]}; "
            f"lowest {format_cell(others[low])}, {self.names[int(low[0])]} with {self.names[int(low[1])]}; mean {format_cell(float(np.nanmean(others)))}. "
            f"Shaded from {self.scale[0]:.3g} to {self.scale[1]:.3g}."
        )


def _tone(share: float) -> str:
    return "faint" if share < _TONES[0] else "ink" if share < _TONES[1] else "match"
