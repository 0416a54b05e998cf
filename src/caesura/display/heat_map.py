"""A square of numbers, shaded: who agrees with whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from caesura.display.cells import cells, clean, clip, widest
from caesura.display.scene import Item, Name, Number, Scene, ScenePicture, Share
from caesura.display.svg import CELL, LINE
from caesura.display.table import spell

_NAME = 20
_SHADES = " ░▒▓█"
_TONES = (0.34, 0.67)  # shares of the scale from which a number in the terminal is plain, and from which it stands out
_CLASSES = ("low", "middle", "high")  # said beside the tones, for terminals and files without colours
_DEEPEST = 0.6  # how dense the fullest shade is: a number on it can still be read


@dataclass(frozen=True, eq=False)
class HeatMap(ScenePicture):
    """A square table of numbers, shaded.

    Attributes
    ----------
    matrix
        One row and column per name; NaN where there is nothing to say.
    names
        Who stands at rows and columns.
    of
        What the numbers are.
    scale
        The values of no shade and of full shade. It is that of the measure and not of these numbers, so that two pictures can be
        compared and two numbers that hardly differ look alike.
    """

    matrix: NDArray[np.float64]
    names: tuple[str, ...]
    of: str
    scale: tuple[float, float] = (0.0, 1.0)

    @property
    def title(self) -> str:
        """What is compared, by what."""
        return f"{self.of}, coder by coder"

    def scene(self, width: int, *, fine: bool) -> Scene:
        """Numbers where they fit, else shades; columns that do not fit are left out."""
        number = len(self.names)
        margin = widest(self.names, _NAME) + len(str(number)) + 3
        room = width - margin
        if fine:
            wide = max(1.0, min(2.4 * LINE / CELL, room / number))
            tall, shown = 0.75 * wide * CELL / LINE, number
            width = max(margin + round(number * wide) + 1, cells(clean(self.title)) + 1, margin + 20)
            draw = self._boxes(wide)
        else:
            columns = next((size for size in (self._number_cells, 3) if size * number <= room), 1)
            tall, shown = 1.0, min(number, max(room, 0)) if columns == 1 else number
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
        """How wide a column is that shows its numbers; where such columns do not fit, shades stand for them."""
        return 1 + max(5, *(len(spell(value)) for value in self.matrix.ravel().tolist()))

    def _row_names(self) -> Iterator[Item]:
        order = len(str(len(self.names)))
        for row, name in enumerate(self.names, 1):
            yield Name(row, words=f"{row:>{order}} {clip(clean(name), _NAME)}", role="ink")

    def _letters(self, wide: int, shown: int, left: int, width: int) -> Iterator[Item]:
        """Numbers over tones, or shades of two cells or one; below, what they stand for."""
        for column in range(shown if wide > 1 else 0):
            yield Number(0, wide * column, words=str(column + 1).rjust(wide - 1))
        for row, column in np.ndindex(len(self.names), shown):
            value, x = float(self.matrix[row, column]), wide * column
            share = self._share(value)
            if row == column:
                yield Number(row + 1, x + max(wide - 2, 0), words="·")
            elif wide == self._number_cells:
                yield Number(row + 1, x, words=spell(value).rjust(wide - 1), role=_tone(share))
            else:
                yield Share(row + 1, x, min(2, wide), role=_tone(share), glyph=_SHADES[round(share * 4)])
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

    def _boxes(self, wide: float) -> Iterator[Item]:
        """Boxes, as blue as the number is high, with the number inside where it fits; below, five from no shade to full shade."""
        for column in range(len(self.names)):
            yield Number(0, wide * (column + 0.5) - 0.4 * len(str(column + 1)), words=str(column + 1))
        for row, column in np.ndindex(*self.matrix.shape):
            value, x = float(self.matrix[row, column]), wide * column
            if row == column:
                yield Share(row + 1, x, wide, role="band")
                continue
            words, exact = ("", "no item in common") if np.isnan(value) else (spell(value),) * 2
            tip, fill = f"{self.names[row]}, {self.names[column]}: {exact}", round(_DEEPEST * self._share(value), 3)
            yield Share(row + 1, x, wide, words, "match", tip, fill=fill)
        low, high = (f"{value:.3g}" for value in self.scale)
        below = len(self.names) + 1
        yield Number(below, 0, words=low)
        for step in range(5):
            yield Share(below, len(low) + 1 + 2.4 * step, 2.4, role="match", fill=round(_DEEPEST * step / 4, 3))
        yield Number(below, len(low) + 14, words=high)

    def _share(self, value: float) -> float:
        low, high = self.scale
        return 0.0 if np.isnan(value) or high == low else min(1.0, max(0.0, (value - low) / (high - low)))

    def _description(self) -> str:
        others = np.where(np.eye(len(self.names), dtype=bool), np.nan, self.matrix)
        if not np.isfinite(others).any():
            return "No two share an item."
        low, high = (np.unravel_index(int(f(others)), others.shape) for f in (np.nanargmin, np.nanargmax))
        return (
            f"Highest {spell(others[high])}, {self.names[int(high[0])]} with {self.names[int(high[1])]}; "
            f"lowest {spell(others[low])}, {self.names[int(low[0])]} with {self.names[int(low[1])]}; mean {spell(float(np.nanmean(others)))}. "
            f"Shaded from {self.scale[0]:.3g} to {self.scale[1]:.3g}."
        )


def _tone(share: float) -> str:
    return "faint" if share < _TONES[0] else "ink" if share < _TONES[1] else "match"
