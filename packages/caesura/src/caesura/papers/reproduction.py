"""The result of reproducing a paper: tables of printed and computed numbers, figures, and findings in words."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any, Literal, TypeAlias

from caesura.display.escaping import markdown_words
from caesura.display.result import Block, Result
from caesura.display.table import Cell, Rounded, Table
from caesura.errors import FormatError, MissingExtra
from caesura.files import atomic_write
from caesura.text import pluralize

#: Why a computed number differs from a printed one.
Reason: TypeAlias = Literal["explained", "not explained", "authors' error", "not public"]

#: What can be said about a printed number, in the order of summaries.
STATUSES = ("equal", "explained", "not explained", "authors' error", "not public")


@dataclass(frozen=True)
class Line:
    """One number of a paper.

    Attributes
    ----------
    what : str
        What the number is.
    printed : float, str or None
        The printed value; None if it was only drawn, or if it is ours.
    computed : float, str or None
        The computed value; None if it cannot be computed because its data is not public.
    remark : str
        Why the two differ, or another note.
    digits : int
        The number of printed decimals.
    reason : {"explained", "not explained", "authors' error", "not public"}, default "not explained"
        Why the two differ, if they do; if it is not explained, the remark says what was tried; not public means that the computed value
        is that of the public part of the data.
    tolerance : float
        How far apart equal values may be, if the printed one was read off a drawing.
    """

    what: str
    printed: float | str | None
    computed: float | str | None
    remark: str = ""
    digits: int = 2
    reason: Reason = "not explained"
    tolerance: float = 0.0

    @property
    def agrees(self) -> bool | None:
        """Whether the computed number rounds to the printed one; None if there is only one of them."""
        if self.printed is None or self.computed is None:
            return None
        if isinstance(self.printed, str) or isinstance(self.computed, str):
            return self.printed == self.computed
        return bool(abs(self.printed - self.computed) <= max(self.tolerance, 0.5 * 10.0**-self.digits) + 1e-12)

    @property
    def status(self) -> str:
        """One of ``STATUSES``; "differs" if there is no remark, "" if nothing was printed."""
        if self.printed is None:
            return ""
        if self.computed is None:
            return "not public"
        if self.agrees:
            return "equal"
        return self.reason if self.remark else "differs"


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
    figures : sequence of str
        The names of the figures that belong here.
    """

    title: str
    lines: Sequence[Line] = ()
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    note: str = ""
    figures: Sequence[str] = ()

    def table(self) -> Table:
        """Return the section as a table; lines say whether printed and computed numbers agree."""
        notes = (self.note,) if self.note else ()
        if self.columns:
            return Table(self.title, tuple(self.columns), tuple(map(tuple, self.rows)), notes)
        rows = tuple(
            (x.what, _round(x.printed, x.digits), _round(x.computed, x.digits + 2), x.status, x.remark)
            for x in self.lines
        )
        return Table(self.title, ("number", "printed", "computed", "status", "remark"), rows, notes)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        lines = [
            {
                "what": x.what,
                "printed": x.printed,
                "computed": x.computed,
                "agrees": x.agrees,
                "status": x.status,
                "remark": x.remark,
            }
            for x in self.lines
        ]
        rows = [list(row) for row in self.rows]
        return {"title": self.title, "note": self.note, "lines": lines, "columns": list(self.columns), "rows": rows}


def _round(value: float | str | None, digits: int) -> Cell:
    return Rounded(value, digits) if isinstance(value, float) else value


@dataclass(frozen=True)
class Figure:
    """A figure of a reproduction.

    Attributes
    ----------
    name : str
        A short name, such as "figure-9a"; the file is named after the paper and this.
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
    commands : sequence of str
        Commands that run it, each with a comment, for the page.
    introduction : sequence of str
        Paragraphs before the tables: what is reproduced, and from which data.
    differences : sequence of str
        Where paper and program differ, and why.
    """

    paper: str
    citation: str
    sections: Sequence[Section] = ()
    figures: Sequence[Figure] = ()
    findings: Sequence[str] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    commands: Sequence[str] = ()
    introduction: Sequence[str] = ()
    differences: Sequence[str] = ()

    def tables(self) -> Sequence[Table]:
        """Return one table per section, in the order of the paper."""
        return [section.table() for section in self.sections]

    def statuses(self) -> dict[str, int]:
        """Return how many printed numbers are equal, explained, not explained, errors of the authors, and not public."""
        counted = Counter(line.status for section in self.sections for line in section.lines)
        return {status: counted[status] for status in (*STATUSES, "differs") if counted[status] or status in STATUSES}

    def summary(self) -> str:
        """Return the counts of :meth:`statuses` as a sentence; empty if nothing was printed."""
        counted = self.statuses()
        total = sum(counted.values())
        parts = ", ".join(f"{number} {status}" for status, number in counted.items() if number)
        return f"{pluralize(total, 'printed number')}: {parts}." if total else ""

    def blocks(self) -> Sequence[Block]:
        """Return the reference, the introduction, the tables, differences and findings."""
        return (*self.opening(), *self.tables(), *self.closing())

    def opening(self) -> Sequence[str]:
        """Return what stands before the tables: the reference and the introduction."""
        return (self.citation, *self.introduction)

    def closing(self) -> Sequence[str]:
        """Return what stands after the tables: the summary, differences and findings."""
        listed = (_bullets(heading, points) for heading, points in self._lists())
        return tuple(text for text in (self.summary(), *listed) if text)

    def _lists(self) -> Sequence[tuple[str, Sequence[str]]]:
        return (("Differences between paper and program", self.differences), ("Findings", self.findings))

    def page(self, figures: str = "") -> str:
        """Return everything as a Markdown page, as ``caesura reproduce PAPER --page`` prints it.

        Parameters
        ----------
        figures : str, default ""
            The folder of the figures, relative to the page and with a final slash; by default beside the page.

        Returns
        -------
        str
        """
        captions = {figure.name: figure.caption for figure in self.figures}
        parts = [f"# {_heading(self.citation)}", _prose(self.citation)]
        if self.commands:
            parts.append("```sh\n" + "\n".join(self.commands) + "\n```")
        parts += map(_prose, self.introduction)
        if self.summary():
            parts.append(f"**{_prose(self.summary())}**")
        for section in self.sections:
            parts.append(f"## {_prose(section.title)}")
            parts.append(replace(section.table(), caption="", notes=()).markdown().strip())
            parts += [_prose(section.note)] if section.note else []
            parts += [self._image(figures, name, captions.pop(name)) for name in section.figures]
        if captions:
            parts.append("## Further figures")
            parts += [self._image(figures, name, caption) for name, caption in captions.items()]
        for heading, points in self._lists():
            if points:
                parts += [f"## {heading}", "\n".join(f"- {_prose(point)}" for point in points)]
        return "\n\n".join(parts) + "\n"

    def _image(self, folder: str, name: str, caption: str) -> str:
        return f"![{_prose(caption)}]({folder}{self.paper}-{name}.svg)"

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "paper": self.paper,
            "citation": self.citation,
            "introduction": list(self.introduction),
            "tables": [section.as_dict() for section in self.sections],
            "statuses": self.statuses(),
            "figures": [{"name": f.name, "caption": f.caption} for f in self.figures],
            "differences": list(self.differences),
            "findings": list(self.findings),
            "data": dict(self.data),
        }


def _bullets(heading: str, points: Sequence[str]) -> str:
    return "\n".join([f"{heading}:", *(f"• {point}" for point in points)]) if points else ""


def _heading(citation: str) -> str:
    """Return authors and year: everything up to the year.

    >>> _heading("Fournier 2013, Evaluating Text Segmentation"), _heading("Lai & Li (2023), Text segmentation")
    ('Fournier 2013', 'Lai & Li 2023')
    """
    found = re.search(r"(.*?)[ ,.(]*((?:19|20)\d\d)", citation)
    return f"{found[1]} {found[2]}" if found else citation


def _prose(text: str) -> str:
    """Escape text for Markdown, except for code between backticks.

    >>> _prose("S_f with `n_t`")
    'S\\\\_f with `n_t`'
    """
    parts = text.split("`")
    return "".join(f"`{part}`" if number % 2 else _escape(part) for number, part in enumerate(parts))


def _escape(part: str) -> str:
    """Escape text and keep the spaces around it, which stand beside code."""
    left, right = " " * part[:1].isspace(), " " * (part[-1:].isspace() and len(part) > 1)
    return f"{left}{markdown_words(part)}{right}"


def check_figures(folder: Path) -> None:
    """Raise an error if figures cannot be drawn, or not be saved in a folder, before any work is done."""
    if find_spec("matplotlib") is None:
        raise MissingExtra("matplotlib", "plot", "drawing the figures of a paper")
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    if not existing.is_dir():
        raise FormatError(existing, None, "this is a file; figures need a folder.")
    if not os.access(existing, os.W_OK):
        raise FormatError(folder, None, "cannot write: Permission denied.")


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
    check_figures(folder)
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for figure in result.figures:
        canvas = Canvas(figsize=figure.size, layout="constrained")
        FigureCanvasAgg(canvas)
        figure.draw(canvas.subplots())
        for suffix in suffixes:
            buffer = BytesIO()
            metadata = {"Date": None} if suffix == "svg" else None  # so that the same figure is the same file
            with rc_context({"svg.hashsalt": figure.name, "svg.fonttype": "none"}):
                canvas.savefig(buffer, format=suffix, dpi=150, metadata=metadata)
            target = folder / f"{result.paper}-{figure.name}.{suffix}"
            atomic_write(target, buffer.getvalue())
            written.append(target)
    return written
