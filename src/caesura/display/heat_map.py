"""A square of numbers, shaded: who agrees with whom."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from caesura.display.cells import Canvas
from caesura.display.scene import Picture
from caesura.display.svg import CELL, LINE, Svg
from caesura.display.table_cells import spell
from caesura.display.text_cells import Bidi, cells, choose_bidi, clean, clip, pad, widest

if TYPE_CHECKING:
    from rich.text import Text

_NAME = 20
_SHADES = " ░▒▓█"
_TONES = (0.34, 0.67)  # shares of the scale from which a number in the terminal is plain, and from which it stands out


@dataclass(frozen=True, eq=False)
class HeatMap(Picture):
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

    def _share(self, value: float) -> float:
        low, high = self.scale
        return 0.0 if np.isnan(value) or high == low else min(1.0, max(0.0, (value - low) / (high - low)))

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw numbers over shades; where columns do not fit, shades alone, columns numbered."""
        canvas, turned, number = Canvas(), choose_bidi(bidi), len(self.names)
        canvas.put(0, 0, clip(clean(self.title), width), "strong")
        order = len(str(number))
        margin = widest(self.names, _NAME) + order + 2
        wide = 6 if margin + 6 * number <= width else 3 if margin + 3 * number <= width else 1
        if wide > 1:
            canvas.put(1, 0, "")
            for column in range(number):
                canvas.put(1, margin + wide * column, str(column + 1).rjust(wide - 1), "faint")
        for row, name in enumerate(self.names):
            y = canvas.height
            canvas.put(y, 0, f"{row + 1:>{order}} ", "faint")
            canvas.put(y, order + 1, pad(clean(name), margin - order - 2), bidi=turned)
            for column in range(min(number, width - margin)):
                self._cell(canvas, y, margin + wide * column, wide, float(self.matrix[row, column]), row == column)
        self._legend(canvas, wide == 6)
        return canvas.text()

    def _legend(self, canvas: Canvas, numbers: bool) -> None:
        """Say below the square which shade, or which tone of a number, stands for what."""
        y, x = canvas.height, 0
        low, high = self.scale
        edges = [low + (high - low) * share for share in ((0.0, *_TONES, 1.0) if numbers else (0.0, 1.0))]
        if not numbers:
            canvas.put(y, 0, f"{low:.3g} {_SHADES} {high:.3g}", "faint")
            return
        for start, stop in pairwise(edges):
            words = f"{start:.2f} to {stop:.2f}"
            canvas.put(y, x, words, _tone(((start + stop) / 2 - low) / ((high - low) or 1.0)))
            x += len(words) + 2

    def _cell(self, canvas: Canvas, y: int, x: int, wide: int, value: float, same: bool) -> None:
        shade = _SHADES[round(self._share(value) * 4)]
        if same:
            canvas.put(y, x, pad("·", wide, "right") if wide == 1 else pad("· ", wide, "right"), "faint")
        elif wide == 6:
            canvas.put(y, x, spell(value, 2).rjust(5), _tone(self._share(value)))
        else:
            canvas.put(y, x, shade * min(2, wide), _tone(self._share(value)))

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw squares, as blue as the number is high, with the number inside where it fits."""
        number = len(self.names)
        margin = CELL * (widest(self.names, _NAME) + 4)
        side = max(8.0, min(LINE * 2.4, (width * CELL - margin) / number))
        top = LINE * 2.6
        picture = Svg(
            max(16 + margin + side * number, 16 + CELL * max(cells(clean(self.title)), 32)), top + side * number + 12 + 1.6 * LINE,
            title=self.title, description=self._description(), style=style,
        )  # fmt: skip
        picture.text(8, LINE, self.title, weight="bold")
        for row, name in enumerate(self.names):
            y = top + side * (row + 0.5) + 4
            picture.text(margin, y, f"{clip(clean(name), _NAME)} {row + 1}", "ink", anchor="end", size=12)
            picture.text(8 + margin + side * (row + 0.5), top - 6, str(row + 1), "faint", anchor="middle", size=11)
            for column, other in enumerate(self.names):
                value = float(self.matrix[row, column])
                x, y0 = 8 + margin + side * column, top + side * row
                if row == column:
                    picture.rect(x, y0, side - 1, side - 1, "band")
                    continue
                share = self._share(value)
                words = "no item in common" if np.isnan(value) else f"{value:.4f}"
                picture.rect(x, y0, side - 1, side - 1, "band")
                picture.rect(
                    x,
                    y0,
                    side - 1,
                    side - 1,
                    "match",
                    tip=f"{name}, {other}: {words}",
                    fill_opacity=round(0.9 * share, 3),
                )
                if side >= 26 and not np.isnan(value):
                    picture.text(
                        x + side / 2 - 0.5, y0 + side / 2 + 4, f"{value:.2f}", "paper" if share > 0.75 else "ink",
                        anchor="middle", size=11, pointer_events="none",
                    )  # fmt: skip
        self._svg_legend(picture, top + side * number + 0.4 * LINE)
        return picture.render()

    def _svg_legend(self, picture: Svg, y: float) -> None:
        """Five squares from no shade to full shade, with the values at both ends."""
        low, high = (f"{value:.3g}" for value in self.scale)
        size, x = LINE, 16 + CELL * cells(low)
        picture.text(8, y + size * 0.75, low, "faint", size=11)
        for step in range(5):
            picture.rect(x + step * size, y, size - 1, size - 1, "band")
            picture.rect(x + step * size, y, size - 1, size - 1, "match", fill_opacity=round(0.9 * step / 4, 3))
        picture.text(x + 5 * size + 8, y + size * 0.75, high, "faint", size=11)

    def _description(self) -> str:
        off = self.matrix[~np.eye(len(self.names), dtype=bool) & np.isfinite(self.matrix)]
        if not off.size:
            return "No two share an item."
        low, high = (np.unravel_index(int(f(self._off())), self.matrix.shape) for f in (np.nanargmin, np.nanargmax))
        return (
            f"Highest {self.matrix[high]:.3f}, {self.names[int(high[0])]} with {self.names[int(high[1])]}; "
            f"lowest {self.matrix[low]:.3f}, {self.names[int(low[0])]} with {self.names[int(low[1])]}; mean {off.mean():.3f}. "
            f"Shaded from {self.scale[0]:.3g} to {self.scale[1]:.3g}."
        )

    def _off(self) -> NDArray[np.float64]:
        return np.where(np.eye(len(self.names), dtype=bool), np.nan, self.matrix)


def _tone(share: float) -> str:
    return "faint" if share < _TONES[0] else "ink" if share < _TONES[1] else "match"
