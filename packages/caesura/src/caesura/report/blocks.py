"""The parts of a report: sections of sentences, tables and drawings, and documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from caesura.display.result import Block
from caesura.display.scene import Picture
from caesura.display.table import Table
from caesura.drawings.catalog import applicable, draw
from caesura.model import Corpus


@dataclass(frozen=True)
class Document:
    """One item: facts, tables, the names of additional drawings, and that of the first one if it is not the default."""

    anchor: str
    name: str
    facts: str
    corpus: Corpus
    tables: tuple[Table, ...]
    drawings: tuple[str, ...] = ()
    first: str = ""

    def pictures(self, zoom: str = "auto") -> list[Picture]:
        """Draw all coders of this item by the default drawing, then by the additional ones that apply."""
        able = {d.name: d for d in applicable(self.corpus)}
        default = self.first if self.first in able else next(d.name for d in able.values() if d.shown)
        names = [default, *(name for name in self.drawings if name in able)]
        return [
            draw(name, self.corpus, **({"zoom": zoom} if "zoom" in able[name].options else {}))
            for name in dict.fromkeys(names)
        ]


@dataclass(frozen=True)
class ReportSection:
    """A heading and its blocks; tables whose captions are in ``folded`` are collapsed in HTML."""

    anchor: str
    title: str
    blocks: tuple[Block, ...]
    folded: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Report:
    """The content of a report.

    Attributes
    ----------
    title : str
        The name of the data.
    opening, closing : tuple of ReportSection
        The sections before and after the documents.
    documents : tuple of Document
        All items, lowest agreement first.
    """

    title: str
    opening: tuple[ReportSection, ...]
    documents: tuple[Document, ...]
    closing: tuple[ReportSection, ...]

    @property
    def sections(self) -> tuple[ReportSection, ...]:
        """All sections in reading order."""
        return *self.opening, *self.closing

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: the sentences of the summary, and the tables by caption."""
        summary, *others = self.sections
        tables = {b.caption: b.records() for section in others for b in section.blocks if isinstance(b, Table)}
        return {"title": self.title, "summary": [b for b in summary.blocks if isinstance(b, str)], "tables": tables}
