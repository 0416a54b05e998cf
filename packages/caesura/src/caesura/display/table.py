"""Tables: rows of plain values under headings, with one renderer per medium.

Numbers stay numbers until they are rendered, so that a screen shows three decimals and a file all of them.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from caesura.display.cells import Bidi, cell_width, choose_bidi, clean, isolate_phrase, wrap_columns, wrap_words
from caesura.display.escaping import html_words, latex_words, markdown_code, markdown_words
from caesura.display.plain import to_plain

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.text import Text

_GAP = "  "  # between columns in a terminal
_WORDY = 40  # cells of HTML tables wrap if they are longer
_DIGITS = re.compile(r"[\d .,:/…–\-+−%±∞eE]*\d[\d .,:/…–\-+−%±∞eE]*|–")
_NUMBER = ' class="n"'
#: Notebooks align every cell to the right by default.
NOTEBOOK_STYLE = (
    "<style>table.caesura th,table.caesura td{text-align:start;vertical-align:top}"
    "table.caesura .n{text-align:end;font-variant-numeric:tabular-nums}table.caesura caption{text-align:start}</style>"
)


class Code(str):
    """Text in code style, such as a signature or a command."""

    __slots__ = ()


class Penalty(str):
    """The name of a metric whose lower values are better; shown with ↓."""

    __slots__ = ()


class LinkCell(NamedTuple):
    """A link within an HTML page; other media show its text."""

    words: str
    target: str

    def as_plain(self) -> str:
        """Return the text."""
        return self.words


class IntervalCell(NamedTuple):
    """An interval from low to high."""

    low: float
    high: float

    def as_plain(self) -> list[float]:
        """Return [low, high]."""
        return list(self)


class EstimateCell(NamedTuple):
    """A value with an optional interval."""

    value: float
    low: float | None = None
    high: float | None = None

    def as_plain(self) -> list[float | None]:
        """Return [value, low, high]."""
        return list(self)


class Rounded(float):
    """A number shown with its own number of decimals.

    >>> format_cell(Rounded(1234.5678, 1))
    '1,234.6'
    """

    __slots__ = ("digits",)
    digits: int

    def __new__(cls, value: float, digits: int = 2) -> Rounded:
        """Store the value and the number of decimals to show."""
        number = super().__new__(cls, value)
        number.digits = digits
        return number


class BarCell(float):
    """A bar: a share, from 0 to 1, of the longest bar in its column. It is left out of CSV and JSON."""

    __slots__ = ()


class Probability(float):
    """A p-value: a small one is shown as "< 0.001", never as 0.000.

    >>> format_cell(Probability(0.0001)), format_cell(Probability(0.04))
    ('< 0.001', '0.040')
    """

    __slots__ = ()


class OnScale(float):
    """A score that HTML pages also draw: a dot on its scale, with its interval as a bar."""

    __slots__ = ("bounds", "interval")
    bounds: tuple[float, float]
    interval: tuple[float, float] | None

    def __new__(
        cls, value: float, bounds: tuple[float, float] = (0.0, 1.0), interval: tuple[float, float] | None = None
    ) -> OnScale:
        """Store the number, the ends of its scale and its interval."""
        number = super().__new__(cls, value)
        number.bounds, number.interval = bounds, interval
        return number

    def svg(self) -> str:
        """Draw the dot; "" if the number or its scale is infinite."""
        bottom, top = self.bounds
        if not all(map(math.isfinite, (self, bottom, top))) or top <= bottom:
            return ""

        def x(at: float) -> float:
            return 4 + 112 * min(1.0, max(0.0, (at - bottom) / (top - bottom)))

        words, bar = f"{format_cell(self)} on a scale from {bottom:g} to {top:g}", ""
        if self.interval is not None and all(map(math.isfinite, self.interval)):
            low, high = self.interval
            bar = f'<rect x="{x(low):.1f}" y="4" width="{max(1.0, x(high) - x(low)):.1f}" height="6" fill="currentColor" opacity=".3"/>'
            words += f", interval {format_cell(low)} to {format_cell(high)}"
        return (
            f'<svg role="img" aria-label="{words}" viewBox="0 0 120 14" width="120" height="14"><title>{words}</title>'
            f'<line x1="4" y1="7" x2="116" y2="7" stroke="currentColor" opacity=".4"/>{bar}'
            f'<circle cx="{x(self):.1f}" cy="7" r="4" fill="currentColor"/></svg>'
        )


#: The values that a table may hold; None is an unknown value.
Cell: TypeAlias = str | int | float | LinkCell | IntervalCell | EstimateCell | None


class HasDirection(Protocol):
    """A metric that states which direction is better."""

    @property
    def higher_is_better(self) -> bool:
        """False for penalties."""


def measure_name(name: str, measure: HasDirection) -> str:
    """Return the heading of a metric; penalties are marked with ↓."""
    return name if measure.higher_is_better else Penalty(name)


def as_count(value: float) -> int | float:
    """Convert a whole number to int, so that it is shown without decimals."""
    return int(value) if math.isfinite(value) and value == round(value) else value


def is_unknown(cell: Cell) -> bool:
    """Whether a cell is None or NaN."""
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def format_cell(cell: Cell, digits: int = 3) -> str:
    """Format a cell for display: numbers with ``digits`` decimals, integers with thousands separators, unknown values as a dash.

    >>> format_cell(0.61803), format_cell(12345), format_cell(-1e-9), format_cell(float("nan")), format_cell(IntervalCell(0.1, 0.25), 2), format_cell(EstimateCell(0.5, 0.4, 0.6), 1)
    ('0.618', '12,345', '0.000', '–', '0.10 … 0.25', '0.5 [0.4, 0.6]')
    """
    if isinstance(cell, str):
        return f"{str.__str__(cell)} ↓" if isinstance(cell, Penalty) else str.__str__(cell)
    if isinstance(cell, LinkCell):
        return cell.words
    if isinstance(cell, IntervalCell):
        return f"{format_cell(cell.low, digits)} … {format_cell(cell.high, digits)}"
    if isinstance(cell, EstimateCell):
        ends = "" if cell.low is None else f" [{format_cell(cell.low, digits)}, {format_cell(cell.high, digits)}]"
        return format_cell(cell.value, digits) + ends
    return "–" if cell is None else _spell_number(cell, digits)


def _spell_number(number: int | float, digits: int) -> str:
    if isinstance(number, bool):
        return "yes" if number else "no"
    if isinstance(number, int):
        return f"{number:,}"
    if not math.isfinite(number):
        return "–" if math.isnan(number) else "∞" if number > 0 else "−∞"
    if isinstance(number, BarCell):
        return "█" * max(number > 0, round(20 * number))
    if isinstance(number, Probability) and number < 0.5 * 10.0**-digits:
        return f"< {10.0**-digits:.{digits}f}"
    if isinstance(number, Rounded):
        return f"{float(number):z,.{number.digits}f}"
    return f"{float(number):z.{digits}f}"


# ---------------------------------------------------------------------- the table


@dataclass(frozen=True)
class Table:
    """Rows under headings; the first column names the row.

    Parameters
    ----------
    caption : str
        The caption, or "".
    columns : tuple of str
        The headings.
    rows : tuple of tuple
        The cells of each row.
    notes : tuple of str, default ()
        Lines below the table, such as signatures.
    digits : int, default 3
        The number of decimals.

    Examples
    --------
    >>> table = Table("scores", ("metric", "value"), (("B", 0.5), (Penalty("Pk"), None)))
    >>> print(table)
    scores
    metric  value
    B       0.500
    Pk ↓        –
    >>> table.records()
    [{'metric': 'B', 'value': 0.5}, {'metric': 'Pk', 'value': None}]
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    digits: int = 3

    def __post_init__(self) -> None:
        rows = tuple(tuple(map(_plain_python, row)) for row in self.rows)
        for row in rows:
            if len(row) != len(self.columns):
                raise ValueError(f"a row of {len(row)} cells under {len(self.columns)} headings: {row!r}.")
        for name, value in (("columns", tuple(self.columns)), ("rows", rows), ("notes", tuple(self.notes))):
            object.__setattr__(self, name, value)

    # ------------------------------------------------------------------ derived tables

    def without_empty(self) -> Table:
        """Return the table without columns that hold only None."""
        return self._only(i for i in range(len(self.columns)) if not i or any(r[i] is not None for r in self.rows))

    def first(self, number: int, noun: str = "rows") -> Table:
        """Return the first rows, with a note that counts the others."""
        left = len(self.rows) - number
        note = (f"… and {left:,} more {noun}.",) if left > 0 else ()
        return replace(self, rows=self.rows[:number], notes=self.notes + note)

    def _only(self, kept: Iterable[int]) -> Table:
        chosen = list(kept)
        rows = tuple(tuple(row[i] for i in chosen) for row in self.rows)
        return replace(self, columns=tuple(self.columns[i] for i in chosen), rows=rows)

    def _for_machines(self) -> Table:
        """Return the table without columns of bars."""
        return self._only(
            i
            for i in range(len(self.columns))
            if not self.rows or any(not isinstance(r[i], BarCell) for r in self.rows)
        )

    def _numeric(self) -> list[bool]:
        """Whether each column holds numbers, which are right-aligned. The first column never does."""
        return [
            bool(i)
            and any(row[i] != "" for row in self.rows)
            and not any(_is_words(row[i]) for row in self.rows if row[i] != "")
            for i in range(len(self.columns))
        ]

    # ------------------------------------------------------------------ terminal

    def terminal(self, width: int | None = None, *, bidi: Bidi = "auto") -> Text:
        """Render for a terminal of ``width`` cells, wrapping text within columns; None for unlimited width."""
        from rich.text import Text

        text = Text(no_wrap=True, overflow="ignore", end="")
        for number, (line, style) in enumerate(self._lines(width, bidi)):
            text.append("\n" * bool(number)).append(line, style or None)
        return text

    def __str__(self) -> str:
        return "\n".join(line.rstrip() for line, _ in self._lines(None, "terminal"))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        text = self.terminal(options.max_width)
        text.end = "\n"
        yield text

    def _lines(self, width: int | None, bidi: Bidi) -> Iterator[tuple[str, str]]:
        turner, numeric = choose_bidi(bidi), self._numeric()
        if self.caption:
            yield isolate_phrase(self.caption, turner), "italic"
        grid = [[clean(format_cell(cell, self.digits)) for cell in row] for row in (self.columns, *self.rows)]
        for number, (folded, widths) in enumerate(wrap_columns(grid, numeric, width, len(_GAP))):
            for line in folded:
                parts = (
                    _justify(isolate_phrase(part, turner), size, right=right)
                    for part, size, right in zip(line, widths, numeric, strict=True)
                )
                yield _GAP.join(parts).rstrip(), "" if number else "bold"
        for note in self.notes:
            lines = [note] if width is None or isinstance(note, Code) else wrap_words(clean(note), width)
            yield from ((isolate_phrase(words, turner), "dim") for words in lines)

    # ------------------------------------------------------------------ HTML, Markdown, LaTeX, CSV, JSON

    def html(self) -> str:
        """Render as HTML. Numbers carry their full value in ``data-v`` for sorting; class ``n`` marks numbers, ``w`` long text."""
        numeric = self._numeric()
        heads = "".join(
            f'<th scope="col"{_NUMBER * right}>{html_words(format_cell(name))}</th>'
            for name, right in zip(self.columns, numeric, strict=True)
        )
        classes = [_NUMBER if right else ' class="w"' * self._is_wordy(i) for i, right in enumerate(numeric)]
        body = "".join(
            f"<tr>{_row_head_html(row[0], self.digits)}"
            + "".join(
                f"<td{kind}{_sort_value(cell)}>{_cell_html(cell, self.digits)}</td>"
                for cell, kind in zip(row[1:], classes[1:], strict=True)
            )
            + "</tr>\n"
            for row in self.rows
        )
        caption = f"<caption>{html_words(self.caption)}</caption>" if self.caption else ""
        notes = "".join(f'<p class="note"><small>{_cell_html(note, 3)}</small></p>' for note in self.notes)
        return f'<table class="caesura">{caption}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{notes}'

    def _repr_html_(self) -> str:
        return NOTEBOOK_STYLE + self.html()

    def _is_wordy(self, column: int) -> bool:
        return any(isinstance(cell := row[column], str) and len(cell) > _WORDY for row in self.rows)

    def markdown(self) -> str:
        """Render as Markdown, with all text escaped."""
        rule = "|".join("---:" if numeric else "---" for numeric in self._numeric())
        lines = [f"**{markdown_words(self.caption)}**", ""] if self.caption else []
        lines += [_between_bars(markdown_words(format_cell(name)) for name in self.columns), f"|{rule}|"]
        lines += [_between_bars(_cell_markdown(cell, self.digits) for cell in row) for row in self.rows]
        lines += [""] * bool(self.notes) + [_note_markdown(note) + "  " for note in self.notes]
        return "\n".join(lines) + "\n"

    def latex(self) -> str:
        """Render as LaTeX with booktabs; caption and notes become comments."""
        kinds = "".join("r" if numeric else "l" for numeric in self._numeric())
        lines = [f"% {clean(self.caption)}"] if self.caption else []
        lines += [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule"]
        lines += [_latex_row(self.columns, 3), r"\midrule", *(_latex_row(row, self.digits) for row in self.rows)]
        lines += [r"\bottomrule", r"\end{tabular}", *(f"% {clean(note)}" for note in self.notes)]
        return "\n".join(lines) + "\n"

    def csv(self) -> str:
        """Render as CSV with numbers in full; text that a spreadsheet would read as a formula is quoted."""
        table, page = self._for_machines(), StringIO()
        writer = csv.writer(page, lineterminator="\n")
        writer.writerows([spreadsheet_value(cell) for cell in row] for row in (table.columns, *table.rows))
        return page.getvalue()

    def json(self) -> str:
        """Render as JSON: one record per row, numbers in full, null for undefined values."""
        return json.dumps(self.records(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    def records(self) -> list[dict[str, Any]]:
        """Return one dict per row, numbers in full; None for undefined and infinite values."""
        table = self._for_machines()
        return [
            {str.__str__(name): to_plain(cell) for name, cell in zip(table.columns, row, strict=True)}
            for row in table.rows
        ]


#: Medium -> renderer.
MEDIA: dict[str, Callable[[Table], str]] = {
    "text": str, "html": Table.html, "markdown": Table.markdown, "latex": Table.latex, "csv": Table.csv, "json": Table.json,
}  # fmt: skip


def _plain_python(cell: Any) -> Cell:
    """Convert NumPy scalars to Python values."""
    value: Cell = cell.item() if hasattr(cell, "item") else cell
    return value


def _is_words(cell: Cell) -> bool:
    """Whether a cell is aligned like text; strings of digits such as ``5 %`` or ``2/3`` are aligned like numbers."""
    return not _DIGITS.fullmatch(cell) if isinstance(cell, str) else isinstance(cell, (LinkCell, BarCell, bool))


def _justify(text: str, width: int, *, right: bool) -> str:
    available = " " * (width - cell_width(text))
    return available + text if right else text + available


def _sort_value(cell: Cell) -> str:
    """Return the sort key of a cell in HTML; undefined values sort last in both directions."""
    if is_unknown(cell):
        return ' data-v=""'
    value = cell[0] if isinstance(cell, (IntervalCell, EstimateCell)) else cell
    return f' data-v="{value:.9g}"' if isinstance(value, (int, float)) else ""


def _row_head_html(cell: Cell, digits: int) -> str:
    """Return the head of a row; an empty one is an ordinary cell, because screen readers would announce a head without a name."""
    content = _cell_html(cell, digits)
    return f'<th scope="row">{content}</th>' if content else "<td></td>"


def _cell_html(cell: Cell, digits: int) -> str:
    if isinstance(cell, LinkCell):
        return f'<a href="#{escape(cell.target)}">{html_words(cell.words)}</a>'
    if isinstance(cell, Code):
        return f"<code>{escape(clean(cell))}</code>"
    words = html_words(format_cell(cell, digits))
    return f"{words} {cell.svg()}" if isinstance(cell, OnScale) else words


def _cell_markdown(cell: Cell, digits: int) -> str:
    if isinstance(cell, Code):
        return markdown_code(cell).replace("|", "\\|")  # a bar separates columns even in code
    words = format_cell(cell, digits)
    return markdown_words(words) if isinstance(cell, (str, LinkCell)) else words


def _note_markdown(note: str) -> str:
    return markdown_code(note) if isinstance(note, Code) else markdown_words(note)


def _between_bars(parts: Iterable[str]) -> str:
    return "| " + " | ".join(parts) + " |"


def _latex_row(row: Sequence[Cell], digits: int) -> str:
    return " & ".join(_cell_latex(cell, digits) for cell in row) + r" \\"


def _cell_latex(cell: Cell, digits: int) -> str:
    if isinstance(cell, EstimateCell) and cell.low is not None:
        return rf"{format_cell(cell.value, digits)} {{\scriptsize [{format_cell(cell.low, digits)}, {format_cell(cell.high, digits)}]}}"
    words = latex_words(format_cell(cell, digits))
    return rf"\texttt{{{words}}}" if isinstance(cell, Code) else words


def spreadsheet_value(cell: Cell) -> Any:
    """Return a cell for CSV: numbers in full; text that a spreadsheet would read as a formula is quoted."""
    if isinstance(cell, LinkCell):
        cell = cell.words
    if isinstance(cell, str):
        return "'" + cell if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else str.__str__(cell)
    if isinstance(cell, (IntervalCell, EstimateCell)):
        return " ".join(repr(float(value)) for value in cell if value is not None)
    return float(cell) if isinstance(cell, float) else cell
