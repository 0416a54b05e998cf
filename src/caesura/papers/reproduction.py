"""The shape of a reproduction: tables of printed beside computed numbers, figures, and findings in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from caesura.display.result import Block, Result
from caesura.display.table import Cell, Rounded, Table


@dataclass(frozen=True)
class Line:
    """One number of a paper: what it is, what was printed (None: only drawn), what we compute, and why they differ."""

    what: str
    printed: float | str | None
    computed: float | str
    remark: str = ""
    digits: int = 2

    @property
    def agrees(self) -> bool | None:
        """Whether the computed number rounds to the printed one; None where nothing was printed."""
        if self.printed is None:
            return None
        if isinstance(self.printed, str) or isinstance(self.computed, str):
            return self.printed == self.computed
        return bool(abs(self.printed - self.computed) <= 0.5 * 10.0**-self.digits + 1e-12)


@dataclass(frozen=True)
class Section:
    """Lines under a heading; or, with ``columns``, values whose columns have names."""

    title: str
    lines: Sequence[Line] = ()
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    note: str = ""

    def table(self) -> Table:
        """Printed beside computed, with a mark where they agree or do not; or the values as they are."""
        notes = (self.note,) if self.note else ()
        if self.columns:
            return Table(self.title, tuple(self.columns), tuple(map(tuple, self.rows)), notes)
        rows = tuple(
            (x.what, _round(x.printed, x.digits), _round(x.computed, x.digits + 2), _MARKS[x.agrees], x.remark)
            for x in self.lines
        )
        return Table(self.title, ("number", "printed", "computed", "", "remark"), rows, notes)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
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
    """A plot: its file name without suffix, a caption, and the function that draws it on Matplotlib axes."""

    name: str
    caption: str
    draw: Callable[[Any], None]
    size: tuple[float, float] = (6.4, 4.0)


@dataclass(frozen=True, repr=False)
class Reproduction(Result):
    """Everything ``caesura reproduce`` shows about one paper."""

    paper: str
    citation: str
    sections: Sequence[Section] = ()
    figures: Sequence[Figure] = ()
    findings: Sequence[str] = ()
    data: Mapping[str, Any] = field(default_factory=dict)

    def tables(self) -> Sequence[Table]:
        """One per section, in the paper's order."""
        return [section.table() for section in self.sections]

    def blocks(self) -> Sequence[Block]:
        """The reference, the tables, and what was found."""
        findings = "\n".join(f"• {finding}" for finding in self.findings)
        return (self.citation, *self.tables(), *((findings,) if findings else ()))

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "paper": self.paper,
            "citation": self.citation,
            "tables": [section.as_dict() for section in self.sections],
            "figures": [{"name": f.name, "caption": f.caption} for f in self.figures],
            "findings": list(self.findings),
            "data": dict(self.data),
        }
