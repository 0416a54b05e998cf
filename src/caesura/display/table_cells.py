"""What stands in the cells of a table, and the one place where a number becomes letters."""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol, TypeAlias


class Code(str):
    """Words for machines, shown as they are typed: a signature, a command."""

    __slots__ = ()


class Penalty(str):
    """The name of a measure of which less is better, marked ↓ for people."""

    __slots__ = ()


class Link(NamedTuple):
    """A name that leads to a place on the page; elsewhere the name alone."""

    words: str
    target: str


class Interval(NamedTuple):
    """From low to high."""

    low: float
    high: float


class Estimate(NamedTuple):
    """A value with its interval, where there is one, in one cell."""

    value: float
    low: float | None = None
    high: float | None = None


class Rounded(float):
    """A number of which other than the table's decimals say enough.

    >>> spell(Rounded(1234.5678, 1))
    '1,234.6'
    """

    __slots__ = ("digits",)
    digits: int

    def __new__(cls, value: float, digits: int = 2) -> Rounded:
        """Keep the value in full, and how many decimals to show."""
        number = super().__new__(cls, value)
        number.digits = digits
        return number


class Bar(float):
    """A share of the longest bar in its column, from 0 to 1; for eyes only."""

    __slots__ = ()


class Probability(float):
    """A p-value: never spelled as if it were nothing.

    >>> spell(Probability(0.0001)), spell(Probability(0.04))
    ('< 0.001', '0.040')
    """

    __slots__ = ()


class OnScale(float):
    """A score that pages also draw: a dot on its scale, with its interval as a bar."""

    __slots__ = ("bounds", "interval")
    bounds: tuple[float, float]
    interval: tuple[float, float] | None

    def __new__(
        cls, value: float, bounds: tuple[float, float] = (0.0, 1.0), interval: tuple[float, float] | None = None
    ) -> OnScale:
        """Keep the number, the ends of its scale and its interval."""
        number = super().__new__(cls, value)
        number.bounds, number.interval = bounds, interval
        return number

    def svg(self) -> str:
        """Draw the dot; "" where the number or its scale has no end."""
        bottom, top = self.bounds
        if not all(map(math.isfinite, (self, bottom, top))) or top <= bottom:
            return ""

        def x(at: float) -> float:
            return 4 + 112 * min(1.0, max(0.0, (at - bottom) / (top - bottom)))

        words, bar = f"{self:.4f} on a scale from {bottom:g} to {top:g}", ""
        if self.interval is not None and all(map(math.isfinite, self.interval)):
            low, high = self.interval
            bar = f'<rect x="{x(low):.1f}" y="4" width="{max(1.0, x(high) - x(low)):.1f}" height="6" fill="currentColor" opacity=".3"/>'
            words += f", interval {low:.4f} to {high:.4f}"
        return (
            f'<svg role="img" aria-label="{words}" viewBox="0 0 120 14" width="120" height="14"><title>{words}</title>'
            f'<line x1="4" y1="7" x2="116" y2="7" stroke="currentColor" opacity=".4"/>{bar}'
            f'<circle cx="{x(self):.1f}" cy="7" r="4" fill="currentColor"/></svg>'
        )


#: What a table may hold; None where nothing is known.
Cell: TypeAlias = str | int | float | Link | Interval | Estimate | None


class Directed(Protocol):
    """A measure that says which way is better."""

    @property
    def higher_is_better(self) -> bool:
        """False of a penalty."""


def measure_name(name: str, measure: Directed) -> str:
    """Name a measure so that people see which way is better: penalties are marked ↓."""
    return name if measure.higher_is_better else Penalty(name)


def as_count(value: float) -> int | float:
    """A count that may be a fraction: whole ones are shown without decimals."""
    return int(value) if math.isfinite(value) and value == round(value) else value


def is_unknown(cell: Cell) -> bool:
    """Whether a cell holds no value: None or not a number."""
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def spell(cell: Cell, digits: int = 3) -> str:
    """Spell a cell for people: numbers with ``digits`` decimals, whole ones with their thousands apart, a dash for none.

    >>> spell(0.61803), spell(12345), spell(float("nan")), spell(Interval(0.1, 0.25), 2), spell(Estimate(0.5, 0.4, 0.6), 1)
    ('0.618', '12,345', '–', '0.10 … 0.25', '0.5 [0.4, 0.6]')
    """
    if isinstance(cell, str):
        return f"{str.__str__(cell)} ↓" if isinstance(cell, Penalty) else str.__str__(cell)
    if isinstance(cell, Link):
        return cell.words
    if isinstance(cell, Interval):
        return f"{spell(cell.low, digits)} … {spell(cell.high, digits)}"
    if isinstance(cell, Estimate):
        ends = "" if cell.low is None else f" [{spell(cell.low, digits)}, {spell(cell.high, digits)}]"
        return spell(cell.value, digits) + ends
    return "–" if cell is None else _spell_number(cell, digits)


def _spell_number(number: int | float, digits: int) -> str:
    if isinstance(number, bool):
        return "yes" if number else "no"
    if isinstance(number, int):
        return f"{number:,}"
    if not math.isfinite(number):
        return "–" if math.isnan(number) else "∞" if number > 0 else "−∞"
    if isinstance(number, Bar):
        return "█" * max(number > 0, round(20 * number))
    if isinstance(number, Probability) and number < 0.5 * 10.0**-digits:
        return f"< {10.0**-digits:.{digits}f}"
    if isinstance(number, Rounded):
        return f"{float(number):,.{number.digits}f}"
    return f"{float(number):.{digits}f}"
