"""What reports are made of: sections of sentences, tables and pictures, and the documents behind them."""

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
    """One item: what is known about it, and how to draw it when somebody wants to look."""

    anchor: str
    name: str
    facts: str
    corpus: Corpus
    tables: tuple[Table, ...]
    drawings: tuple[str, ...] = ()

    def pictures(self, zoom: str = "auto") -> list[Picture]:
        """Draw all coders of this item in the way that shows most, edits and regions for two, all under each other for more; then what was asked for and fits."""
        able = {d.name: d for d in applicable(self.corpus)}
        names = [next(d.name for d in able.values() if d.shown), *(name for name in self.drawings if name in able)]
        return [
            draw(name, self.corpus, **({"zoom": zoom} if "zoom" in able[name].options else {}))
            for name in dict.fromkeys(names)
        ]


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it, in order; tables that few readers want are named in ``folded``, and closed in a page."""

    anchor: str
    title: str
    blocks: tuple[Block, ...]
    folded: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Report:
    """Everything a report says.

    Attributes
    ----------
    title
        What was looked at.
    opening, closing
        The sections before the documents' comparisons, and those after.
    documents
        Every item, those that coders agree on least first.
    """

    title: str
    opening: tuple[Section, ...]
    documents: tuple[Document, ...]
    closing: tuple[Section, ...]

    @property
    def sections(self) -> tuple[Section, ...]:
        """All of them, in reading order."""
        return *self.opening, *self.closing

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON: the words, and the tables by what they are called."""
        summary, *others = self.sections
        tables = {b.caption: b.records() for section in others for b in section.blocks if isinstance(b, Table)}
        return {"title": self.title, "summary": [b for b in summary.blocks if isinstance(b, str)], "tables": tables}
