"""The result of reproducing a paper: tables of printed and computed numbers, figures, and findings in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import Any

from caesura.display.escaping import markdown_words
from caesura.display.result import Block, Result
from caesura.display.table import Cell, Rounded, Table
from caesura.errors import MissingExtra
from caesura.files import atomic_write


@dataclass(frozen=True)
class Line:
    """One number of a paper.

    Attributes
    ----------
    what : str
        What the number is.
    printed : float, str or None
        The printed value; None if it was only drawn.
    computed : float or str
        The computed value.
    remark : str
        Why the two differ, or another note.
    digits : int
        The number of printed decimals.
    """

    what: str
    printed: float | str | None
    computed: float | str
    remark: str = ""
    digits: int = 2

    @property
    def agrees(self) -> bool | None:
        """Whether the computed number rounds to the printed one; None if nothing was printed."""
        if self.printed is None:
            return None
        if isinstance(self.printed, str) or isinstance(self.computed, str):
            return self.printed == self.computed
        return bool(abs(self.printed - self.computed) <= 0.5 * 10.0**-self.digits + 1e-12)


@dataclass(frozen=True)
class Section:
    """A table of a reproduction: printed and computed numbers, or rows of values.

    Attributes
    ----------
    title : str
        The heading.
    lines : sequence of Line
        Printed and computed numbers.
    columns, rows : sequence
        Column names and rows of values, instead of lines.
    note : str
        A note below the table.
    """

    title: str
    lines: Sequence[Line] = ()
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    note: str = ""

    def table(self) -> Table:
        """Return the section as a table; lines get a mark if printed and computed numbers agree, or do not."""
        notes = (self.note,) if self.note else ()
        if self.columns:
            return Table(self.title, tuple(self.columns), tuple(map(tuple, self.rows)), notes)
        rows = tuple(
            (x.what, _round(x.printed, x.digits), _round(x.computed, x.digits + 2), _MARKS[x.agrees], x.remark)
            for x in self.lines
        )
        return Table(self.title, ("number", "printed", "computed", "", "remark"), rows, notes)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        lines = [
            {"what": x.what, "printed": x.printed, "computed": x.computed, "agrees": x.agrees, "remark": x.remark}
            for x in self.lines
        ]
        rows = [list(row) for row in self.rows]
        return {"title": self.title, "note": self.note, "lines": lines, "columns": list(self.columns), "rows": rows}


_MARKS = {True: "✓", False: "✗", None: ""}


def _round(value: float | str | None, digits: int) -> Cell:
    return Rounded(value, digits) if isinstance(value, float) else value


@dataclass(frozen=True)
class Figure:
    """A figure of a reproduction.

    Attributes
    ----------
    name : str
        The file name without suffix.
    caption : str
        The caption.
    draw : callable
        A function that draws the figure on Matplotlib axes.
    size : (float, float)
        Width and height in inches.
    """

    name: str
    caption: str
    draw: Callable[[Any], None]
    size: tuple[float, float] = (6.4, 4.0)


@dataclass(frozen=True, repr=False)
class Reproduction(Result):
    """The result of reproducing one paper, as ``caesura reproduce`` shows it.

    Attributes
    ----------
    paper : str
        The short name of the paper.
    citation : str
        The full reference.
    sections : sequence of Section
        Tables in the order of the paper.
    figures : sequence of Figure
        Figures, drawn by :func:`save_figures`.
    findings : sequence of str
        Findings in words.
    data : mapping
        Further numbers for JSON.
    """

    paper: str
    citation: str
    sections: Sequence[Section] = ()
    figures: Sequence[Figure] = ()
    findings: Sequence[str] = ()
    data: Mapping[str, Any] = field(default_factory=dict)

    def tables(self) -> Sequence[Table]:
        """Return one table per section, in the order of the paper."""
        return [section.table() for section in self.sections]

    def blocks(self) -> Sequence[Block]:
        """Return the reference, the tables and the findings."""
        findings = "\n".join(f"• {finding}" for finding in self.findings)
        return (self.citation, *self.tables(), *((findings,) if findings else ()))

    def markdown(self) -> str:
        """Return the tables and findings as Markdown, for the page on the paper in the documentation."""
        tables = [f"### {table.caption}\n\n{replace(table, caption='').markdown()}" for table in self.tables()]
        findings = "".join(f"- {markdown_words(finding)}\n" for finding in self.findings)
        return "\n".join([*tables, *([f"### Findings\n\n{findings}"] if findings else [])])

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "paper": self.paper,
            "citation": self.citation,
            "tables": [section.as_dict() for section in self.sections],
            "figures": [{"name": f.name, "caption": f.caption} for f in self.figures],
            "findings": list(self.findings),
            "data": dict(self.data),
        }


def save_figures(result: Reproduction, folder: Path, suffixes: tuple[str, ...] = ("svg", "png")) -> list[Path]:
    """Draw every figure with Matplotlib (the extra ``[plot]``) and save it.

    Parameters
    ----------
    result : Reproduction
        The reproduction.
    folder : Path
        The folder, which is created if it is missing.
    suffixes : tuple of str, default ("svg", "png")
        The file types.

    Returns
    -------
    list of Path
        The files.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure as Canvas
    except ImportError:
        raise MissingExtra("matplotlib", "plot", "drawing the figures of a paper") from None
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for figure in result.figures:
        canvas = Canvas(figsize=figure.size, layout="constrained")
        FigureCanvasAgg(canvas)
        figure.draw(canvas.subplots())
        for suffix in suffixes:
            buffer = BytesIO()
            canvas.savefig(buffer, format=suffix, dpi=150)
            target = folder / f"{figure.name}.{suffix}"
            atomic_write(target, buffer.getvalue())
            written.append(target)
    return written
