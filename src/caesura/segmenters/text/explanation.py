"""A segmentation with its reasons: what each boundary gains, how probable each place is, how the text coheres."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from html import escape
from typing import TYPE_CHECKING, Any

from caesura.display.result import Result
from caesura.display.scene import Picture
from caesura.display.table import Table
from caesura.model import Segmentation

if TYPE_CHECKING:
    from rich.text import Text

    from caesura.display.cells import Bidi


@dataclass(frozen=True, repr=False)
class Explanation(Result):
    """A segmentation with its reasons.

    Attributes
    ----------
    units
        The text.
    positions
        Boundaries, each behind unit p.
    objective
        What the segmentation costs, lower is better; None for segmenters that minimise nothing.
    gains
        How much the objective would rise if each boundary alone were taken away.
    posterior
        The probability of a boundary at each of the n-1 places; None for segmenters without a distribution.
    cohesion
        Cosine of the words on both sides of each place.
    signature
        The segmenter with all its parameters.
    """

    units: tuple[str, ...]
    positions: list[int]
    objective: float | None
    gains: list[float] | None
    posterior: list[float] | None
    cohesion: list[float]
    signature: str

    @property
    def segmentation(self) -> Segmentation:
        """The boundaries under their text."""
        return Segmentation.from_positions(self.positions, length=len(self.units), units=self.units)

    def tables(self) -> Sequence[Table]:
        """One row per boundary: where it stands, what speaks for it, and how the next segment begins."""
        rows = tuple(
            (
                position,
                None if self.gains is None else self.gains[i],
                None if self.posterior is None else self.posterior[position - 1],
                self.cohesion[position - 1],
                _shorten(self.units[position]),
            )
            for i, position in enumerate(self.positions)
        )
        objective = "" if self.objective is None else f"; objective {self.objective:.3f}"
        caption = f"{len(self.positions)} boundaries between {len(self.units)} units{objective}"
        columns = ("behind unit", "gain", "posterior", "cohesion", "the next segment begins")
        return [Table(caption, columns, rows, (self.signature,))]

    def pictures(self) -> Sequence[Picture]:
        """Cohesion and posterior along the text."""
        return [Course(self)] if len(self.units) > 1 else []

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "units"}


@dataclass(frozen=True)
class Course(Picture):
    """The posterior and the cohesion of every place along the text, the chosen boundaries above them."""

    explanation: Explanation

    @property
    def title(self) -> str:
        """What it shows."""
        return "boundaries, their posterior and the cohesion of the text, place by place"

    def terminal(self, width: int = 80, *, bidi: Bidi = "auto") -> Text:
        """Draw a column per place, in blocks of lines that fit the width."""
        from rich.text import Text

        room = max(width - 11, 10)
        lines: list[str] = []
        for begin in range(0, len(self.explanation.cohesion), room):
            lines += [f"{name:<10} {cells[begin : begin + room]}" for name, cells in self._rows()]
            lines.append(f"{'place':<10} {_axis(begin, min(room, len(self.explanation.cohesion) - begin))}")
        return Text("\n".join(lines))

    def _rows(self) -> Iterator[tuple[str, str]]:
        chosen = set(self.explanation.positions)
        yield "boundary", "".join("│" if p + 1 in chosen else "·" for p in range(len(self.explanation.cohesion)))
        if self.explanation.posterior is not None:
            yield "posterior", _bars(self.explanation.posterior)
        yield "cohesion", _bars(self.explanation.cohesion)

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        """Draw curves over the places, boundaries as lines."""
        across, high = width * 8, 120
        places = max(len(self.explanation.cohesion), 1)

        def x(place: float) -> float:
            return round(place / (places + 1) * across, 1)

        def curve(values: Sequence[float], hue: str, name: str) -> str:
            points = " ".join(f"{x(i + 1)},{round(high - 10 - v * (high - 30), 1)}" for i, v in enumerate(values))
            return f'<polyline points="{points}" fill="none" stroke="{hue}" stroke-width="1.5"><title>{name}</title></polyline>'

        posterior = self.explanation.posterior
        parts = [
            *(
                f'<line x1="{x(p)}" x2="{x(p)}" y1="8" y2="{high - 8}" stroke="currentColor" stroke-dasharray="3 2">'
                f"<title>behind unit {p}: {escape(_shorten(self.explanation.units[p]))}</title></line>"
                for p in self.explanation.positions
            ),
            curve(self.explanation.cohesion, "#0072b2", "cohesion"),
            *([] if posterior is None else [curve(posterior, "#c24a00", "posterior")]),
        ]
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {high}" width="{across}" role="img" '
            f'aria-label="{self.title}"><title>{self.title}</title>{"".join(parts)}</svg>'
        )


def _axis(begin: int, columns: int) -> str:
    """Number the first place of a line and every tenth, each number above nothing but its own columns.

    >>> _axis(0, 26)
    '1        10        20'
    """
    words = ""
    for place in range(begin + 1, begin + columns + 1):
        column = place - begin - 1
        if (column == 0 or place % 10 == 0) and (not words or len(words) < column):
            words = words.ljust(column) + str(place)
    return words


def _bars(values: Sequence[float]) -> str:
    """One block per value from 0 to 1, as high as it is."""
    return "".join(" ▁▂▃▄▅▆▇█"[min(8, max(0, round(value * 8)))] for value in values)


def _shorten(unit: str, most: int = 48) -> str:
    words = " ".join(unit.split())
    return words if len(words) <= most else words[: most - 1].rstrip() + "…"
