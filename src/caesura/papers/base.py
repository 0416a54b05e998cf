"""The shape of a reproduction: tables of printed beside computed numbers, figures, and findings in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Figure", "Line", "Reproduction", "Table"]


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
class Table:
    """Lines under a heading; or, with ``columns``, a plain table of values whose columns have names."""

    title: str
    lines: Sequence[Line] = ()
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    note: str = ""


@dataclass(frozen=True)
class Figure:
    """A plot: its file name without suffix, a caption, and the function that draws it on Matplotlib axes."""

    name: str
    caption: str
    draw: Callable[[Any], None]
    size: tuple[float, float] = (6.4, 4.0)


@dataclass(frozen=True)
class Reproduction:
    """Everything ``caesura reproduce`` shows about one paper."""

    paper: str
    citation: str
    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    findings: Sequence[str] = ()
    data: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "paper": self.paper,
            "citation": self.citation,
            "tables": [
                {
                    "title": t.title,
                    "note": t.note,
                    "lines": [
                        {
                            "what": x.what,
                            "printed": x.printed,
                            "computed": x.computed,
                            "agrees": x.agrees,
                            "remark": x.remark,
                        }
                        for x in t.lines
                    ],
                    "columns": list(t.columns),
                    "rows": [list(row) for row in t.rows],
                }
                for t in self.tables
            ],
            "figures": [{"name": f.name, "caption": f.caption} for f in self.figures],
            "findings": list(self.findings),
            "data": dict(self.data),
        }
